/* cowarray for other extensions, in C or Cython: from a Python array to its bytes and back.
 *
 * Call CowArray_Import() once, in your module's init; it returns 0, or -1 with an exception. All functions here need
 * the GIL; the contents of a view may be used without it. There is nothing to link.
 *
 *     CowArray_View view;
 *     if (CowArray_MutableBegin(array, &view) < 0) return NULL;
 *     ... write to view.data ...
 *     CowArray_End(&view);
 */
#ifndef COWARRAY_PYTHON_H
#define COWARRAY_PYTHON_H

#include <Python.h>

#ifdef __cplusplus
extern "C" {
#endif

#define COWARRAY_API_VERSION 1
#define COWARRAY_API_NAME "cowarray._C_API"

/* An open scope. shape, strides (in bytes) and data are valid only until CowArray_End. */
typedef struct CowArray_View {
    void *data; /* the first element; write to it only in a mutable scope */
    int ndim;
    Py_ssize_t *shape;
    Py_ssize_t *strides;
    Py_ssize_t itemsize;
    char kind;      /* the dtype's, as NumPy's letter: b i u f c m M O S U V */
    char byteorder; /* as in NumPy: '=' native, '<', '>', '|' not applicable */
    int readonly;   /* the array's flag */
    void *owner;    /* private to the library */
} CowArray_View;

typedef struct CowArray_API {
    int version;
    int (*check)(PyObject *);
    int (*const_begin)(PyObject *, CowArray_View *);
    int (*mutable_begin)(PyObject *, CowArray_View *);
    void (*end)(CowArray_View *);
    PyObject *(*lazy_clone)(PyObject *);
    PyObject *(*import_memory)(PyObject *, void *, int, const Py_ssize_t *, const Py_ssize_t *, PyObject *, int);
} CowArray_API;

#ifndef COWARRAY_NO_API

static CowArray_API *CowArray_api = NULL;

static inline int CowArray_Import(void)
{
    CowArray_api = (CowArray_API *)PyCapsule_Import(COWARRAY_API_NAME, 0);
    if (CowArray_api == NULL) {
        return -1;
    }
    if (CowArray_api->version < COWARRAY_API_VERSION) {
        PyErr_Format(PyExc_ImportError, "cowarray's C API has version %d, and %d is needed; upgrade cowarray",
                     CowArray_api->version, COWARRAY_API_VERSION);
        return -1;
    }
    return 0;
}

/* 1 if object is a cowarray.ndarray. Never fails. */
static inline int CowArray_Check(PyObject *object)
{
    return CowArray_api->check(object);
}

/* Read access: data stays valid memory until the end, whatever happens to the array. Copies nothing. Raises TypeError
 * if array is not a cowarray.ndarray. */
static inline int CowArray_ConstBegin(PyObject *array, CowArray_View *view)
{
    return CowArray_api->const_begin(array, view);
}

/* Write access: the array alone has its bytes, and copies of it are eager until the end. Raises TypeError if array is
 * not a cowarray.ndarray, ValueError if it is read-only, and MemoryError, in which case nothing has changed. */
static inline int CowArray_MutableBegin(PyObject *array, CowArray_View *view)
{
    return CowArray_api->mutable_begin(array, view);
}

/* Ends a scope of either kind. Call it once for each begin that succeeded. */
static inline void CowArray_End(CowArray_View *view)
{
    CowArray_api->end(view);
}

/* Returns a new reference to a copy that shares its bytes with the array until either is written to. */
static inline PyObject *CowArray_LazyClone(PyObject *array)
{
    return CowArray_api->lazy_clone(array);
}

/* Returns a new reference to an array over memory that owner keeps alive; the array takes a reference to owner. strides
 * may be NULL: C order. dtype: anything that numpy.dtype accepts, except dtypes with objects. fresh != 0: nobody else
 * uses the memory, and the array may write to it. fresh == 0: the memory belongs to somebody else; nobody writes to it,
 * and a write to the array copies first. */
static inline PyObject *CowArray_FromMemory(PyObject *owner, void *data, int ndim, const Py_ssize_t *shape,
                                            const Py_ssize_t *strides, PyObject *dtype, int fresh)
{
    return CowArray_api->import_memory(owner, data, ndim, shape, strides, dtype, fresh);
}

#endif

#ifdef __cplusplus
}
#endif

#endif
