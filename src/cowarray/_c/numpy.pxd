# Declarations of NumPy's C API that Cython's own `numpy.pxd` lacks.

cimport numpy as cnp
from cpython.object cimport PyObject


cdef extern from "numpy/arrayobject.h":
    cnp.ndarray PyArray_NewFromDescr(void *, cnp.dtype, int, cnp.npy_intp *, cnp.npy_intp *, void *, int, PyObject *)
    int PyArray_SetBaseObject(cnp.ndarray, object) except -1
    PyObject *PyArray_BASE(cnp.ndarray)
    cnp.npy_intp PyDataType_ELSIZE(cnp.dtype)
    bint PyDataType_REFCHK(cnp.dtype)
    bint PyArray_ISNBO(char)
    bint PyArray_DescrCheck(object)
    void PyArray_CLEARFLAGS(cnp.ndarray, int)
    void PyArray_ENABLEFLAGS(cnp.ndarray, int)
    void PyArray_UpdateFlags(cnp.ndarray, int)
    int NPY_ARRAY_C_CONTIGUOUS
    int NPY_ARRAY_F_CONTIGUOUS
    int NPY_ARRAY_ALIGNED
    ctypedef struct PyArrayObject_fields:
        char *data
        int nd
        cnp.npy_intp *dimensions
        cnp.npy_intp *strides
        PyObject *base
        void *descr  # a PyArray_Descr
        int flags
    int PyArray_CopyInto(cnp.ndarray, cnp.ndarray) except -1
    cnp.ndarray PyArray_Empty(int, cnp.npy_intp *, cnp.dtype, int)
    int PyArray_FillWithScalar(cnp.ndarray, object) except -1
    cnp.ndarray PyArray_Zeros(int, cnp.npy_intp *, cnp.dtype, int)
    cnp.ndarray PyArray_ArangeObj(object, object, object, PyObject *)
    cnp.ndarray PyArray_NewLikeArray(cnp.ndarray, int, cnp.dtype, int)
    cnp.ndarray PyArray_NewCopy(cnp.ndarray, int)
    cnp.ndarray PyArray_View(cnp.ndarray, void *, void *)
    bint PyTypeNum_ISINTEGER(int)
    bint PyTypeNum_ISBOOL(int)
    bint PyTypeNum_ISCOMPLEX(int)
    cnp.ndarray PyArray_Transpose(cnp.ndarray, void *)
    object PyArray_IntTupleFromIntp(int, cnp.npy_intp *)
    cnp.ndarray PyArray_FromScalar(object, PyObject *)
    object PyArray_Scalar(void *, cnp.dtype, object)
    # The same with borrowed arguments, which the caller keeps alive: for numbers, this runs no user code.
    object number_at "PyArray_Scalar" (void *, void *descr, void *array)
    int PyArray_Pack(cnp.dtype, void *, object) except -1
    int NPY_ARRAY_WRITEABLE
    int NPY_ARRAY_OWNDATA
    int NPY_VSTRING
    int NPY_USERDEF
    int NPY_HALF
    int NPY_ITER_READWRITE
    int NPY_ITER_WRITEONLY
    void *numpy_ndarray "(&PyArray_Type)"
    # The handler from which NumPy takes the memory of new arrays; each array keeps its own, for freeing.
    ctypedef struct PyDataMemAllocator:
        void *ctx
        void *(*malloc)(void *ctx, size_t nbytes) noexcept nogil
        void *(*calloc)(void *ctx, size_t count, size_t nbytes) noexcept nogil
        void *(*realloc)(void *ctx, void *data, size_t nbytes) noexcept nogil
        void (*free)(void *ctx, void *data, size_t nbytes) noexcept nogil

    ctypedef struct PyDataMem_Handler:
        char name[127]
        unsigned char version
        PyDataMemAllocator allocator

    object PyDataMem_SetHandler(object)
    object PyDataMem_GetHandler()
    PyObject *PyDataMem_DefaultHandler


cdef extern from "numpy/ufuncobject.h":
    ctypedef struct PyUFuncObject:
        int nin
        cnp.npy_uint32 *op_flags  # a ufunc's additions to the usual flags of each operand


cdef extern from *:
    """
    /* The buffer protocol's format of each of NumPy's types, by its number; NULL for types that need more. */
    static inline const char *cowi_letters(int kind)
    {
        static const char *const numbers[] = {"?", "b", "B", "h", "H", "i", "I", "l", "L", "q", "Q",
                                              "f", "d", "g", "Zf", "Zd", "Zg"};
        if (kind == NPY_HALF) {
            return "e";
        }
        return kind >= 0 && kind < (int)(sizeof numbers / sizeof *numbers) ? numbers[kind] : NULL;
    }
    """
    const char *letters "cowi_letters" (int kind) noexcept


cdef extern from *:
    """
    /* The dtype that an argument means; NULL with an exception on failure. */
    static inline PyObject *cowi_descr_of_argument(PyObject *argument)
    {
        PyArray_Descr *descr = NULL;
        return PyArray_DescrConverter(argument, &descr) ? (PyObject *)descr : NULL;
    }

    /* Booleans, integers, floats and complex numbers, of either byte order. */
    static inline int cowi_is_number(const PyArray_Descr *descr)
    {
        return (descr->type_num >= NPY_BOOL && descr->type_num <= NPY_CLONGDOUBLE) || descr->type_num == NPY_HALF;
    }
    """
    object PyArray_DescrConverter "cowi_descr_of_argument" (object argument)
    bint is_number "cowi_is_number" (cnp.dtype descr) noexcept


cdef extern from *:
    """
    /* True if only one plain reference to a NumPy array over somebody else's memory remains. */
    static inline int cowi_is_spare(const PyArrayObject *array)
    {
        const PyArrayObject_fields *fields = (const PyArrayObject_fields *)array;
        return Py_REFCNT(array) == 1 && PyArray_CheckExact(array) && fields->weakreflist == NULL
               && fields->_buffer_info == NULL
               && !(fields->flags & (NPY_ARRAY_OWNDATA | NPY_ARRAY_WRITEBACKIFCOPY));
    }
    """
    bint is_spare "cowi_is_spare" (cnp.ndarray array) noexcept
