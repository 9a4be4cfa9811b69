/* An interrupt at the n-th bytecode of chosen code, delivered as Python delivers signals.
 *
 * `call(function, prefixes, n)` calls function(), counts the bytecodes that run in files whose names start so, and has
 * SIGINT come before the n-th (0: never). What is traced is Python's own: the tracing function is written in C, so the
 * handler runs where the traced code is, and nowhere else. Returns what was counted, and the exception that came out. */
#include <Python.h>
#include <frameobject.h>

static PyObject *prefixes;
static Py_ssize_t counted;
static Py_ssize_t interrupt_at;

static int is_chosen(PyFrameObject *frame)
{
    PyCodeObject *code = PyFrame_GetCode(frame);
    int chosen = 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(prefixes) && !chosen; i++) {
        chosen = PyUnicode_Tailmatch(code->co_filename, PyTuple_GET_ITEM(prefixes, i), 0, PY_SSIZE_T_MAX, -1) == 1;
    }
    Py_DECREF(code);
    return chosen;
}

static int look(PyObject *nothing, PyFrameObject *frame, int event, PyObject *argument)
{
    (void)nothing;
    (void)argument;
    if (event == PyTrace_CALL && is_chosen(frame)) {
        return PyObject_SetAttrString((PyObject *)frame, "f_trace_opcodes", Py_True);
    }
    if (event == PyTrace_OPCODE && ++counted == interrupt_at) {
        PyErr_SetInterrupt();
    }
    return 0;
}

static PyObject *call(PyObject *module, PyObject *arguments)
{
    PyObject *function, *result, *type, *error, *traceback;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OO!n", &function, &PyTuple_Type, &prefixes, &interrupt_at)) {
        return NULL;
    }
    counted = 0;
    PyEval_SetTrace(look, NULL);
    result = PyObject_CallNoArgs(function);
    PyEval_SetTrace(NULL, NULL);
    PyErr_Fetch(&type, &error, &traceback);
    if (type == NULL && PyErr_CheckSignals() == 0) { /* it may have come too late for the function itself */
        return Py_BuildValue("nON", counted, Py_None, result);
    }
    if (type == NULL) {
        PyErr_Fetch(&type, &error, &traceback);
    }
    Py_XDECREF(result);
    PyErr_NormalizeException(&type, &error, &traceback);
    if (traceback != NULL) {
        PyException_SetTraceback(error, traceback);
    }
    Py_DECREF(type);
    Py_XDECREF(traceback);
    return Py_BuildValue("nNO", counted, error, Py_None);
}

static PyMethodDef methods[] = {
    {"call", call, METH_VARARGS, "call(function, prefixes, n) -> (bytecodes, exception or None, result)"},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "interrupting", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_interrupting(void);

PyMODINIT_FUNC PyInit_interrupting(void)
{
    return PyModule_Create(&definition);
}
