# DLPack's structures, and arithmetic on a producer's figures that cannot overflow.

cdef extern from *:
    """
    #include <stdint.h>

    /* DLPack's structures as of version 1; earlier ones have no version and no flags. */
    typedef struct {
        void *data;
        int32_t device_type, device_id, ndim;
        uint8_t code, bits;
        uint16_t lanes;
        long long *shape, *strides;
        unsigned long long byte_offset;
    } offered_tensor;

    typedef struct {
        uint32_t major, minor;
        void *manager, *deleter;
        unsigned long long flags;
        offered_tensor tensor;
    } offered_versioned;

    /* Extends [low, high) by an axis, in bytes from the first element; false if that overflows. */
    static inline int offered_reach(long long length, long long stride, long long itemsize, long long *low,
                                    long long *high)
    {
        long long step, reach;
        return !__builtin_mul_overflow(stride, itemsize, &step)
            && !__builtin_mul_overflow(step, length - 1, &reach)
            && !__builtin_add_overflow(*(reach < 0 ? low : high), reach, reach < 0 ? low : high);
    }

    static inline int offered_unowned(const Py_buffer *view) { return view->obj == NULL; }

    static inline int offered_times(long long a, long long b, long long *product)
    {
        return !__builtin_mul_overflow(a, b, product);
    }
    """
    ctypedef struct offered_tensor:
        void *data
        int device_type
        int ndim
        unsigned char code
        unsigned char bits
        unsigned short lanes
        long long *shape
        long long *strides
        unsigned long long byte_offset

    ctypedef struct offered_versioned:
        unsigned major
        unsigned minor
        offered_tensor tensor

    bint offered_reach(long long, long long, long long, long long *, long long *)
    bint offered_unowned(const Py_buffer *)
    bint offered_times(long long, long long, long long *)
