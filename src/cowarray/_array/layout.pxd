# Shapes and strides: arithmetic on small C arrays, in bytes. No Python objects, no state.

from cpython.pyport cimport PY_SSIZE_T_MAX, PY_SSIZE_T_MIN
from numpy cimport npy_intp


cdef enum:
    MAXDIMS = 64


cdef inline npy_intp product(int ndim, const npy_intp *shape) noexcept nogil:
    cdef npy_intp size = 1
    cdef int i
    for i in range(ndim):
        size *= shape[i]
    return size


cdef inline void c_strides(int ndim, const npy_intp *shape, npy_intp itemsize, npy_intp *strides) noexcept nogil:
    """Set NumPy's strides of a new C-ordered array: axes of length 0 count as 1."""
    cdef int i
    for i in range(ndim - 1, -1, -1):
        strides[i] = itemsize
        if shape[i]:
            itemsize *= shape[i]


cdef inline void f_strides(int ndim, const npy_intp *shape, npy_intp itemsize, npy_intp *strides) noexcept nogil:
    cdef int i
    for i in range(ndim):
        strides[i] = itemsize
        if shape[i]:
            itemsize *= shape[i]


cdef inline bint same_layout(int ndim, const npy_intp *shape, const npy_intp *a, const npy_intp *b) noexcept nogil:
    """True if both strides put each element in the same place; axes of length 1 do not matter."""
    cdef int i
    for i in range(ndim):
        if shape[i] == 0:
            return True
    for i in range(ndim):
        if shape[i] != 1 and a[i] != b[i]:
            return False
    return True


cdef inline bint is_c_ordered(int ndim, const npy_intp *shape, npy_intp itemsize,
                              const npy_intp *strides) noexcept nogil:
    cdef int i
    cdef bint ordered = True
    for i in range(ndim - 1, -1, -1):
        if shape[i] == 0:
            return True
        if shape[i] != 1:
            if strides[i] != itemsize:
                ordered = False
            itemsize *= shape[i]
    return ordered


cdef inline npy_intp c_ordered_size(int ndim, const npy_intp *shape, npy_intp itemsize,
                                    const npy_intp *strides) noexcept nogil:
    """Return the number of elements if they are C-ordered; otherwise -1."""
    cdef int i
    cdef npy_intp size = 1
    for i in range(ndim - 1, -1, -1):
        if shape[i] != 1:
            if strides[i] != itemsize * size:
                return 0 if product(ndim, shape) == 0 else -1
            size *= shape[i]
    return size


cdef inline bint is_f_ordered(int ndim, const npy_intp *shape, npy_intp itemsize,
                              const npy_intp *strides) noexcept nogil:
    cdef int i
    cdef bint ordered = True
    for i in range(ndim):
        if shape[i] == 0:
            return True
        if shape[i] != 1:
            if strides[i] != itemsize:
                ordered = False
            itemsize *= shape[i]
    return ordered


cdef inline void sorted_axes(int ndim, const npy_intp *strides, int *axes) noexcept nogil:
    """Sort axes by falling size of their strides; equal ones keep their order (NumPy's rule for order 'K')."""
    cdef int i, j, axis
    for i in range(ndim):
        axis = i
        j = i
        while j > 0 and magnitude(strides[axes[j - 1]]) < magnitude(strides[axis]):
            axes[j] = axes[j - 1]
            j -= 1
        axes[j] = axis


cdef inline npy_intp magnitude(npy_intp stride) noexcept nogil:
    return -stride if stride < 0 else stride


cdef inline void kept_strides(int ndim, const npy_intp *shape, npy_intp itemsize, const npy_intp *like,
                              npy_intp *strides) noexcept nogil:
    """Set the strides of NumPy's copy in order 'K' of an array with the strides `like`."""
    cdef int axes[MAXDIMS]
    cdef int i
    if ndim <= 1 or is_c_ordered(ndim, shape, itemsize, like):
        c_strides(ndim, shape, itemsize, strides)
    elif is_f_ordered(ndim, shape, itemsize, like):
        f_strides(ndim, shape, itemsize, strides)
    else:
        sorted_axes(ndim, like, axes)
        for i in range(ndim - 1, -1, -1):
            strides[axes[i]] = itemsize
            itemsize *= shape[axes[i]]


cdef inline void extent(int ndim, const npy_intp *shape, npy_intp itemsize, const npy_intp *strides, npy_intp *low,
                        npy_intp *high) noexcept nogil:
    """Set the byte range [low, high) that the elements lie in, relative to the first element."""
    cdef int i
    low[0] = 0
    high[0] = itemsize
    for i in range(ndim):
        if shape[i] == 0:
            high[0] = 0
            low[0] = 0
            return
        if strides[i] < 0:
            low[0] += (shape[i] - 1) * strides[i]
        else:
            high[0] += (shape[i] - 1) * strides[i]


cdef inline bint extent_fits(int ndim, const npy_intp *shape, npy_intp itemsize,
                             const npy_intp *strides) noexcept nogil:
    """True if `extent`, and high - low, can be computed: not if strides wrap around the address space."""
    cdef npy_intp room = PY_SSIZE_T_MAX - itemsize
    cdef int i
    for i in range(ndim):
        if shape[i] == 0:
            return True
    for i in range(ndim):
        if shape[i] > 1:
            if strides[i] == PY_SSIZE_T_MIN or magnitude(strides[i]) > room // (shape[i] - 1):
                return False
            room -= (shape[i] - 1) * magnitude(strides[i])
    return True


cdef inline bint nbytes_fit(int ndim, const npy_intp *shape, npy_intp itemsize) noexcept nogil:
    """True if the bytes of all elements can be counted. As in NumPy, axes of length 0 count as 1."""
    cdef npy_intp room = PY_SSIZE_T_MAX // itemsize if itemsize else PY_SSIZE_T_MAX
    cdef int i
    for i in range(ndim):
        if shape[i]:
            room //= shape[i]
    return room > 0


cdef inline bint distinct(int ndim, const npy_intp *shape, npy_intp itemsize, const npy_intp *strides) noexcept nogil:
    """True if no two elements overlap. May be False for interleaved layouts that slicing cannot produce."""
    cdef int axes[MAXDIMS]
    cdef int i
    cdef npy_intp reach = itemsize
    if is_c_ordered(ndim, shape, itemsize, strides) or product(ndim, shape) <= 1:
        return True
    sorted_axes(ndim, strides, axes)
    for i in range(ndim - 1, -1, -1):
        if shape[axes[i]] != 1:
            if magnitude(strides[axes[i]]) < reach:
                return False
            reach += (shape[axes[i]] - 1) * magnitude(strides[axes[i]])
    return True
