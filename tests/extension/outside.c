/* Somebody else's extension: what tests/edges/test_c_api.py drives. It knows cowarray by its installed header only. */
#include "cowarray/python.h"

#include <stdlib.h>

static int freed = 0;

/* ---- whole jobs: one scope from begin to end --------------------------------------------------------------------- */

static double *at(const CowArray_View *view, Py_ssize_t index)
{
    char *data = view->data;
    for (int axis = view->ndim - 1; axis >= 0; axis--) {
        data += index % view->shape[axis] * view->strides[axis];
        index /= view->shape[axis];
    }
    return (double *)data;
}

static Py_ssize_t size(const CowArray_View *view)
{
    Py_ssize_t product = 1;
    for (int axis = 0; axis < view->ndim; axis++) {
        product *= view->shape[axis];
    }
    return product;
}

static PyObject *total(PyObject *module, PyObject *array)
{
    CowArray_View view;
    double sum = 0;
    (void)module;
    if (CowArray_ConstBegin(array, &view) < 0) {
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t i = 0, n = size(&view); i < n; i++) {
        sum += *at(&view, i);
    }
    Py_END_ALLOW_THREADS
    CowArray_End(&view);
    return PyFloat_FromDouble(sum);
}

static PyObject *scale(PyObject *module, PyObject *args)
{
    PyObject *array;
    double factor;
    CowArray_View view;
    (void)module;
    if (!PyArg_ParseTuple(args, "Od", &array, &factor) || CowArray_MutableBegin(array, &view) < 0) {
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t i = 0, n = size(&view); i < n; i++) {
        *at(&view, i) *= factor;
    }
    Py_END_ALLOW_THREADS
    CowArray_End(&view);
    Py_RETURN_NONE;
}

static PyObject *check(PyObject *module, PyObject *object)
{
    (void)module;
    return PyBool_FromLong(CowArray_Check(object));
}

static PyObject *lazy_clone(PyObject *module, PyObject *array)
{
    (void)module;
    return CowArray_LazyClone(array);
}

/* ---- scopes that stay open, in a capsule ------------------------------------------------------------------------- */

static PyObject *open_scope(PyObject *module, PyObject *args)
{
    PyObject *array;
    int writable;
    CowArray_View *view;
    (void)module;
    if (!PyArg_ParseTuple(args, "Op", &array, &writable)) {
        return NULL;
    }
    view = calloc(1, sizeof *view);
    if (view == NULL) {
        return PyErr_NoMemory();
    }
    if ((writable ? CowArray_MutableBegin(array, view) : CowArray_ConstBegin(array, view)) < 0) {
        free(view);
        return NULL;
    }
    return PyCapsule_New(view, "scope", NULL);
}

static CowArray_View *scope_of(PyObject *capsule)
{
    return PyCapsule_GetPointer(capsule, "scope");
}

static PyObject *close_scope(PyObject *module, PyObject *capsule)
{
    CowArray_View *view = scope_of(capsule);
    (void)module;
    if (view == NULL || PyCapsule_SetName(capsule, "closed") < 0) {
        return NULL;
    }
    CowArray_End(view);
    free(view);
    Py_RETURN_NONE;
}

static PyObject *lengths(int ndim, const Py_ssize_t *values)
{
    PyObject *tuple = PyTuple_New(ndim);
    for (int i = 0; tuple != NULL && i < ndim; i++) {
        PyTuple_SET_ITEM(tuple, i, PyLong_FromSsize_t(values[i]));
    }
    return tuple;
}

/* address, shape, strides, itemsize, kind, byteorder, readonly */
static PyObject *describe(PyObject *module, PyObject *capsule)
{
    CowArray_View *view = scope_of(capsule);
    (void)module;
    if (view == NULL) {
        return NULL;
    }
    return Py_BuildValue("nNNnCCi", (Py_ssize_t)view->data, lengths(view->ndim, view->shape),
                         lengths(view->ndim, view->strides), view->itemsize, view->kind, view->byteorder,
                         view->readonly);
}

static PyObject *peek(PyObject *module, PyObject *args)
{
    PyObject *capsule;
    Py_ssize_t index;
    CowArray_View *view;
    (void)module;
    if (!PyArg_ParseTuple(args, "On", &capsule, &index) || (view = scope_of(capsule)) == NULL) {
        return NULL;
    }
    return PyFloat_FromDouble(*at(view, index));
}

static PyObject *poke(PyObject *module, PyObject *args)
{
    PyObject *capsule;
    Py_ssize_t index;
    double value;
    CowArray_View *view;
    (void)module;
    if (!PyArg_ParseTuple(args, "Ond", &capsule, &index, &value) || (view = scope_of(capsule)) == NULL) {
        return NULL;
    }
    *at(view, index) = value;
    Py_RETURN_NONE;
}

/* ---- memory that comes from here --------------------------------------------------------------------------------- */

static int read_lengths(PyObject *tuple, Py_ssize_t *values)
{
    Py_ssize_t n = PyTuple_Size(tuple);
    for (Py_ssize_t i = 0; i < n && i < 128; i++) {
        values[i] = PyLong_AsSsize_t(PyTuple_GET_ITEM(tuple, i));
    }
    return PyErr_Occurred() ? -1 : (int)n;
}

static void free_block(PyObject *capsule)
{
    free(PyCapsule_GetPointer(capsule, "block"));
    freed++;
}

/* An array over n doubles 0, 1, ... that nobody else knows of. */
static PyObject *fresh(PyObject *module, PyObject *argument)
{
    const Py_ssize_t n = PyLong_AsSsize_t(argument);
    PyObject *owner, *dtype, *array;
    double *block;
    (void)module;
    if (n < 0 || (block = malloc((size_t)(n + 1) * sizeof *block)) == NULL) {
        return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        block[i] = (double)i;
    }
    owner = PyCapsule_New(block, "block", free_block);
    dtype = PyUnicode_FromString("d");
    array = CowArray_FromMemory(owner, block, 1, &n, NULL, dtype, 1);
    Py_XDECREF(owner);
    Py_XDECREF(dtype);
    return array;
}

/* from_memory(bytes, offset, ndim, shape, strides or None, dtype): somebody else's memory; offset -1: none */
static PyObject *from_memory(PyObject *module, PyObject *args)
{
    PyObject *owner, *shape_tuple, *strides_tuple, *dtype;
    Py_ssize_t offset, shape[128] = {0}, strides[128] = {0};
    int ndim;
    (void)module;
    if (!PyArg_ParseTuple(args, "SniO!OO", &owner, &offset, &ndim, &PyTuple_Type, &shape_tuple, &strides_tuple,
                          &dtype) ||
        read_lengths(shape_tuple, shape) < 0 ||
        (strides_tuple != Py_None && read_lengths(strides_tuple, strides) < 0)) {
        return NULL;
    }
    return CowArray_FromMemory(owner, offset < 0 ? NULL : PyBytes_AS_STRING(owner) + offset, ndim, shape,
                               strides_tuple == Py_None ? NULL : strides, dtype, 0);
}

static PyObject *count_freed(PyObject *module, PyObject *none)
{
    (void)module;
    (void)none;
    return PyLong_FromLong(freed);
}

static PyMethodDef methods[] = {
    {"check", check, METH_O, NULL},
    {"total", total, METH_O, NULL},
    {"scale", scale, METH_VARARGS, NULL},
    {"lazy_clone", lazy_clone, METH_O, NULL},
    {"open_scope", open_scope, METH_VARARGS, NULL},
    {"close_scope", close_scope, METH_O, NULL},
    {"describe", describe, METH_O, NULL},
    {"peek", peek, METH_VARARGS, NULL},
    {"poke", poke, METH_VARARGS, NULL},
    {"fresh", fresh, METH_O, NULL},
    {"from_memory", from_memory, METH_VARARGS, NULL},
    {"freed", count_freed, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "outside", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_outside(void)
{
    PyObject *module = CowArray_Import() < 0 ? NULL : PyModule_Create(&definition);
#ifdef Py_GIL_DISABLED
    if (module != NULL) {
        (void)PyUnstable_Module_SetGIL(module, Py_MOD_GIL_NOT_USED);
    }
#endif
    return module;
}
