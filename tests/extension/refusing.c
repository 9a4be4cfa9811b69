/* Memory that runs out: hooks under CPython's three allocation domains and under NumPy's array data, one numbering for all.
 *
 * `call(function, n)` calls function() with the n-th allocation of this thread refused, and nothing of anybody else's.
 * Live blocks are counted, too, so that what a failure leaves behind shows. The hooks stay once installed. */
#define _GNU_SOURCE /* dladdr */
#include <Python.h>
#include <frameobject.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#include <numpy/arrayobject.h>

#include <dlfcn.h>
#include <execinfo.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What this thread sees; another one's allocations go through untouched. */
static _Thread_local int armed = 0;
static _Thread_local Py_ssize_t counted = 0;   /* allocations since armed */
static _Thread_local Py_ssize_t refuse_at = 0; /* 0: none */
static _Thread_local Py_ssize_t live = 0;      /* blocks since the mark */

static _Thread_local int loses = 0; /* whether CPython itself loses references for what was refused */

enum { DEPTH = 16, METHODS = 2 };
static struct {
    const PyTypeObject *type;
    const char *name;
    uintptr_t length, begin; /* of the method's function: how many bytes of it we look at, and where it begins */
} losing[METHODS] = {{&PyList_Type, "extend", 2048, 0}, {&PyContextVar_Type, "reset", 80, 0}};

/* `PyContextVar_Reset` may end with a jump to a static function, which has no name: where that goes on with its memory. */
static uintptr_t in_reset = 0;
static int learns = 0;

/* Keeps the frame that this file has called, of those that now ask for memory. */
static void learn(void)
{
    void *frames[DEPTH];
    Dl_info own, found;
    int i, is_called = 0, count = backtrace(frames, DEPTH);
    if (count == 0 || !dladdr(frames[0], &own)) {
        return;
    }
    for (i = 1; i < count && dladdr(frames[i], &found) && !(is_called && found.dli_fbase == own.dli_fbase); i++) {
        if (found.dli_fbase != own.dli_fbase) {
            is_called = 1;
            in_reset = (uintptr_t)frames[i];
        }
    }
}

/* Whether the memory is asked for where CPython 3.11 or NumPy lose references when they get none: `PyCell_New` loses the
 * arguments of the function that begins, `list.extend` a reference to what it should take items from,
 * `_PyTuple_Resize` the items, `set` and `reset` of a context's variable a node that it shares with one whose hash, its
 * address, agrees in some bits, a call `f(*list, **options)` the options where it gets no tuple of the list, and NumPy,
 * where it gets no tuple for them, the operands that have a rule of their own. */
static int loses_references(void)
{
    void *frames[DEPTH];
    Dl_info found;
    int i, j, is_new_tuple = 0, is_tuple_of = 0, count = backtrace(frames, DEPTH);
    for (i = 0; i < count; i++) {
        if ((uintptr_t)frames[i] == in_reset) {
            return 1;
        }
        for (j = 0; j < METHODS; j++) {
            if ((uintptr_t)frames[i] - losing[j].begin < losing[j].length) {
                return 1;
            }
        }
        if (!dladdr(frames[i], &found)) {
            continue;
        }
        if ((uintptr_t)found.dli_saddr == (uintptr_t)PyCell_New ||
            (uintptr_t)found.dli_saddr == (uintptr_t)_PyTuple_Resize ||
            (uintptr_t)found.dli_saddr == (uintptr_t)PyContextVar_Set ||
            (uintptr_t)found.dli_saddr == (uintptr_t)PyContextVar_Reset ||
            (is_tuple_of && (uintptr_t)found.dli_saddr == (uintptr_t)_PyEval_EvalFrameDefault) ||
            (is_new_tuple && strstr(found.dli_fname, "_multiarray_umath") != NULL)) {
            return 1;
        }
        is_new_tuple = (uintptr_t)found.dli_saddr == (uintptr_t)PyTuple_New;
        is_tuple_of = (uintptr_t)found.dli_saddr == (uintptr_t)PySequence_Tuple;
    }
    return 0;
}

static int refuses(void)
{
    if (learns) {
        learn();
        return 0;
    }
    if (!armed || ++counted != refuse_at) {
        return 0;
    }
    loses = loses_references();
    return 1;
}

static void *gained(void *block)
{
    live += block != NULL;
    return block;
}

/* ---- CPython's domains ------------------------------------------------------------------------------------------- */

static PyMemAllocatorEx under[3];

static void *hook_malloc(void *at, size_t size)
{
    const PyMemAllocatorEx *real = at;
    return refuses() ? NULL : gained(real->malloc(real->ctx, size));
}

static void *hook_calloc(void *at, size_t count, size_t size)
{
    const PyMemAllocatorEx *real = at;
    return refuses() ? NULL : gained(real->calloc(real->ctx, count, size));
}

static void *hook_realloc(void *at, void *block, size_t size)
{
    const PyMemAllocatorEx *real = at;
    if (refuses()) {
        return NULL;
    }
    return block == NULL ? gained(real->realloc(real->ctx, NULL, size)) : real->realloc(real->ctx, block, size);
}

static void hook_free(void *at, void *block)
{
    const PyMemAllocatorEx *real = at;
    live -= block != NULL;
    real->free(real->ctx, block);
}

static void hook(PyMemAllocatorDomain domain, PyMemAllocatorEx *real)
{
    PyMemAllocatorEx hooked = {real, hook_malloc, hook_calloc, hook_realloc, hook_free};
    PyMem_GetAllocator(domain, real);
    PyMem_SetAllocator(domain, &hooked);
}

/* ---- NumPy's data ------------------------------------------------------------------------------------------------ */

static void *data_malloc(void *at, size_t size)
{
    (void)at;
    return refuses() ? NULL : gained(malloc(size));
}

static void *data_calloc(void *at, size_t count, size_t size)
{
    (void)at;
    return refuses() ? NULL : gained(calloc(count, size));
}

static void *data_realloc(void *at, void *block, size_t size)
{
    (void)at;
    if (refuses()) {
        return NULL;
    }
    return block == NULL ? gained(malloc(size)) : realloc(block, size);
}

static void data_free(void *at, void *block, size_t size)
{
    (void)at;
    (void)size;
    live -= block != NULL;
    free(block);
}

static PyDataMem_Handler handler = {"refusing", 1, {NULL, data_malloc, data_calloc, data_realloc, data_free}};

/* ---- for Python -------------------------------------------------------------------------------------------------- */

/* What resetting a variable to a value before goes on with. */
static int learn_reset(void)
{
    PyObject *variable = PyContextVar_New("variable", NULL);
    PyObject *first = variable == NULL ? NULL : PyContextVar_Set(variable, Py_None);
    PyObject *second = first == NULL ? NULL : PyContextVar_Set(variable, Py_True);
    int failed = second == NULL;
    if (!failed) {
        learns = 1;
        failed = PyContextVar_Reset(variable, second);
        learns = 0;
    }
    if (!failed) {
        failed = PyContextVar_Reset(variable, first);
    }
    Py_XDECREF(variable);
    Py_XDECREF(first);
    Py_XDECREF(second);
    if (!failed && in_reset == 0) {
        PyErr_SetString(PyExc_AssertionError, "resetting a context's variable asked for no memory");
        failed = 1;
    }
    return failed;
}

/* For the current context; what NumPy allocated before goes back to where it came from. */
static PyObject *install(PyObject *module, PyObject *none)
{
    static int installed = 0;
    const PyMethodDef *method;
    int i;
    PyObject *capsule, *before;
    (void)module;
    (void)none;
    if (!installed) {
        installed = 1;
        for (i = 0; i < METHODS; i++) {
            for (method = losing[i].type->tp_methods; strcmp(method->ml_name, losing[i].name) != 0; method++) {
            }
            losing[i].begin = (uintptr_t)method->ml_meth;
        }
        hook(PYMEM_DOMAIN_RAW, &under[0]);
        hook(PYMEM_DOMAIN_MEM, &under[1]);
        hook(PYMEM_DOMAIN_OBJ, &under[2]);
        if (learn_reset()) {
            return NULL;
        }
    }
    capsule = PyCapsule_New(&handler, "mem_handler", NULL);
    before = capsule == NULL ? NULL : PyDataMem_SetHandler(capsule);
    Py_XDECREF(capsule);
    if (before == NULL) {
        return NULL;
    }
    Py_DECREF(before);
    Py_RETURN_NONE;
}

/* The file of the frame that raised; borrowed, or NULL. */
static PyObject *raised_in(PyObject *traceback)
{
    PyTracebackObject *last = (PyTracebackObject *)traceback;
    PyCodeObject *code;
    PyObject *name;
    if (last == NULL) {
        return NULL;
    }
    while (last->tb_next != NULL) {
        last = last->tb_next;
    }
    code = PyFrame_GetCode(last->tb_frame);
    name = code->co_filename;
    Py_DECREF(code); /* its frame keeps it */
    return name;
}

/* call(function, n) -> (result, None, allocations, None, None), or (None, class, allocations, text, file) of what was
 * raised and in which file. n = 0 refuses none. */
static PyObject *call(PyObject *module, PyObject *args)
{
    PyObject *function, *result, *kind, *value, *traceback, *text, *name;
    Py_ssize_t n;
    (void)module;
    if (!PyArg_ParseTuple(args, "On", &function, &n)) {
        return NULL;
    }
    counted = 0;
    loses = 0;
    refuse_at = n;
    armed = 1;
    result = PyObject_CallNoArgs(function);
    armed = 0;
    if (result != NULL) {
        return Py_BuildValue("NOnOO", result, Py_None, counted, Py_None, Py_None);
    }
    PyErr_Fetch(&kind, &value, &traceback);
    if (kind == NULL) { /* Python's own check of calls says so, too */
        return Py_BuildValue("OOnss", Py_None, PyExc_SystemError, counted, "failed without an exception", "");
    }
    PyErr_NormalizeException(&kind, &value, &traceback);
    text = value == NULL ? NULL : PyObject_Str(value);
    PyErr_Clear();
    name = raised_in(traceback);
    result =
        Py_BuildValue("OOnOO", Py_None, kind, counted, text == NULL ? Py_None : text, name == NULL ? Py_None : name);
    Py_DECREF(kind);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
    Py_XDECREF(text);
    return result;
}

/* Blocks that were not live at the mark; a small number, so that asking allocates nothing. */
static PyObject *grown(PyObject *module, PyObject *none)
{
    (void)module;
    (void)none;
    return PyLong_FromSsize_t(live);
}

static PyObject *mark(PyObject *module, PyObject *none)
{
    (void)module;
    (void)none;
    live = 0;
    Py_RETURN_NONE;
}

static PyObject *lost(PyObject *module, PyObject *none)
{
    (void)module;
    (void)none;
    return PyBool_FromLong(loses);
}

static PyMethodDef methods[] = {
    {"install", install, METH_NOARGS, NULL},
    {"call", call, METH_VARARGS, NULL},
    {"lost", lost, METH_NOARGS, "Whether CPython itself loses references where the last call was refused memory."},
    {"grown", grown, METH_NOARGS, NULL},
    {"mark", mark, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "refusing", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_refusing(void)
{
    import_array();
    return PyModule_Create(&definition);
}
