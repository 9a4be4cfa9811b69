/* Python's face of the tracing allocator (tests/c/tracing.h); tests/tracing.py builds and loads it.
 *
 * The library is not linked: its heap and the place to put another allocator come through the two functions that storage
 * has for tests, as capsules. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "tracing.h"

#define CAPSULE "cowarray.allocator"

static PyObject *storage_module;  /* cowarray._native.storage */
static const cow_allocator *heap; /* the library's, as it was when this was imported */

typedef struct tracing_object {
    PyObject_HEAD
    cow_tracing *tracing;
    PyObject *previous; /* a capsule, while entered */
} tracing_object;

static PyObject *tracing_make(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {NULL};
    tracing_object *self;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, ":TracingAllocator", names)) {
        return NULL;
    }
    self = (tracing_object *)type->tp_alloc(type, 0);
    if (self != NULL && cow_tracing_new(heap, &self->tracing) != COW_OK) {
        self->tracing = NULL;
        Py_DECREF(self);
        return PyErr_Format(PyExc_MemoryError, "cannot allocate a tracing allocator");
    }
    return (PyObject *)self;
}

static void tracing_dealloc(PyObject *object)
{
    tracing_object *self = (tracing_object *)object;
    PyTypeObject *type = Py_TYPE(object);
    if (self->tracing != NULL) {
        (void)cow_tracing_free(self->tracing); /* one with live blocks is leaked: the blocks still need it */
    }
    Py_CLEAR(self->previous);
    type->tp_free(object);
    Py_DECREF(type);
}

static int use(PyObject *capsule)
{
    PyObject *done = PyObject_CallMethod(storage_module, "_use_allocator", "O", capsule);
    Py_XDECREF(done);
    return done == NULL ? -1 : 0;
}

static PyObject *tracing_enter(PyObject *object, PyObject *none)
{
    tracing_object *self = (tracing_object *)object;
    PyObject *previous, *own;
    (void)none;
    previous = PyObject_CallMethod(storage_module, "_allocator", NULL);
    if (previous == NULL) {
        return NULL;
    }
    own = PyCapsule_New((void *)(uintptr_t)cow_tracing_allocator(self->tracing), CAPSULE, NULL);
    if (own == NULL || use(own) < 0) {
        Py_XDECREF(own);
        Py_DECREF(previous);
        return NULL;
    }
    Py_DECREF(own);
    Py_XSETREF(self->previous, previous);
    return Py_NewRef(object);
}

static PyObject *tracing_exit(PyObject *object, PyObject *args)
{
    tracing_object *self = (tracing_object *)object;
    (void)args;
    if (self->previous == NULL) {
        return PyErr_Format(PyExc_RuntimeError, "the tracing allocator was not entered");
    }
    if (use(self->previous) < 0) {
        return NULL;
    }
    Py_CLEAR(self->previous);
    Py_RETURN_NONE;
}

static PyObject *tracing_refuse(PyObject *object, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"n", "every", NULL};
    Py_ssize_t n;
    int every = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "n|p:refuse", names, &n, &every)) {
        return NULL;
    }
    if (n < 0) {
        return PyErr_Format(PyExc_ValueError, "n counts allocations from now on, and is not %zd", n);
    }
    cow_tracing_refuse(((tracing_object *)object)->tracing, (size_t)n, every);
    Py_RETURN_NONE;
}

static PyObject *tracing_report(PyObject *object, PyObject *none)
{
    cow_tracing_report report;
    (void)none;
    cow_tracing_read(((tracing_object *)object)->tracing, &report);
    return Py_BuildValue("{s:n,s:n,s:n,s:n,s:n,s:n,s:n,s:n}", "live_blocks", (Py_ssize_t)report.live_blocks,
                         "live_bytes", (Py_ssize_t)report.live_bytes, "peak_bytes", (Py_ssize_t)report.peak_bytes,
                         "allocations", (Py_ssize_t)report.allocations, "refused", (Py_ssize_t)report.refused, "clones",
                         (Py_ssize_t)report.clones, "cloned_bytes", (Py_ssize_t)report.cloned_bytes, "faults",
                         (Py_ssize_t)report.faults);
}

static PyMethodDef methods[] = {
    {"__enter__", tracing_enter, METH_NOARGS, NULL},
    {"__exit__", tracing_exit, METH_VARARGS, NULL},
    {"refuse", (PyCFunction)(void (*)(void))tracing_refuse, METH_VARARGS | METH_KEYWORDS,
     "Refuse the n-th allocation from now (with every, all that follow, too); 0 refuses none."},
    {"report", tracing_report, METH_NOARGS,
     "dict: live_blocks, live_bytes, peak_bytes, allocations, refused, clones, cloned_bytes, faults."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc,
     "For tests: while entered, new memory comes from an allocator that knows every block and can refuse some.\n\n"
     "Leave it only when every array made inside is gone: `report` then shows no live block."},
    {Py_tp_new, (void *)(Py_ssize_t)tracing_make},
    {Py_tp_dealloc, (void *)(Py_ssize_t)tracing_dealloc},
    {Py_tp_methods, methods},
    {0, NULL},
};

static PyType_Spec spec = {"tracing.TracingAllocator", sizeof(tracing_object), 0, Py_TPFLAGS_DEFAULT, slots};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "tracing_allocator", NULL, -1, NULL, NULL, NULL, NULL, NULL};

static int find_heap(void)
{
    PyObject *capsule;
    storage_module = PyImport_ImportModule("cowarray._native.storage");
    capsule = storage_module == NULL ? NULL : PyObject_CallMethod(storage_module, "_allocator", NULL);
    if (capsule == NULL) {
        return -1;
    }
    heap = (const cow_allocator *)PyCapsule_GetPointer(capsule, CAPSULE);
    Py_DECREF(capsule);
    return heap == NULL ? -1 : 0;
}

PyMODINIT_FUNC PyInit_tracing_allocator(void)
{
    PyObject *module = find_heap() < 0 ? NULL : PyModule_Create(&definition);
#ifdef Py_GIL_DISABLED
    if (module != NULL) {
        (void)PyUnstable_Module_SetGIL(module, Py_MOD_GIL_NOT_USED);
    }
#endif
    PyObject *type = module == NULL ? NULL : PyType_FromSpec(&spec);
    if (type == NULL || PyModule_AddObject(module, "TracingAllocator", type) < 0) {
        Py_XDECREF(type);
        Py_XDECREF(module);
        return NULL;
    }
    return module;
}
