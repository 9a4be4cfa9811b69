/* An object with a buffer whose taking and giving back run the test's code: what __buffer__ and __release_buffer__ do from
 * Python 3.12 on. */
#include <Python.h>

#include <stddef.h>

typedef struct buffer_object {
    PyObject_HEAD
    PyObject *taken;    /* called with the flags; what it raises, the taker gets */
    PyObject *released; /* called with nothing; what it raises, nobody can get */
    double values[16];
} buffer_object;

static PyObject *buffer_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    buffer_object *self;
    PyObject *taken, *released;
    (void)kwargs;
    if (!PyArg_ParseTuple(args, "OO", &taken, &released)) {
        return NULL;
    }
    self = (buffer_object *)type->tp_alloc(type, 0);
    if (self != NULL) {
        Py_INCREF(taken);
        self->taken = taken;
        Py_INCREF(released);
        self->released = released;
        for (int i = 0; i < 16; i++) {
            self->values[i] = i;
        }
    }
    return (PyObject *)self;
}

static void buffer_dealloc(PyObject *object)
{
    buffer_object *self = (buffer_object *)object;
    PyTypeObject *type = Py_TYPE(object);
    Py_CLEAR(self->taken);
    Py_CLEAR(self->released);
    type->tp_free(object);
    Py_DECREF(type);
}

static int take(PyObject *object, Py_buffer *view, int flags)
{
    buffer_object *self = (buffer_object *)object;
    PyObject *result = PyObject_CallFunction(self->taken, "i", flags);
    view->obj = NULL;
    if (result == NULL) {
        return -1;
    }
    Py_DECREF(result);
    return PyBuffer_FillInfo(view, object, self->values, sizeof self->values, 0, flags);
}

static void give_back(PyObject *object, Py_buffer *view)
{
    PyObject *kind, *value, *traceback, *result;
    (void)view;
    PyErr_Fetch(&kind, &value, &traceback);
    result = PyObject_CallNoArgs(((buffer_object *)object)->released);
    if (result == NULL) {
        PyErr_WriteUnraisable(object);
    }
    Py_XDECREF(result);
    PyErr_Restore(kind, value, traceback);
}

static PyType_Slot slots[] = {
    {Py_tp_new, (void *)(Py_ssize_t)buffer_new},
    {Py_tp_dealloc, (void *)(Py_ssize_t)buffer_dealloc},
    {Py_bf_getbuffer, (void *)(Py_ssize_t)take},
    {Py_bf_releasebuffer, (void *)(Py_ssize_t)give_back},
    {0, NULL},
};

static PyType_Spec spec = {"buffers.Buffer", sizeof(buffer_object), 0, Py_TPFLAGS_DEFAULT, slots};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "buffers", NULL, -1, NULL, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_buffers(void)
{
    PyObject *module = PyModule_Create(&definition);
#ifdef Py_GIL_DISABLED
    if (module != NULL) {
        (void)PyUnstable_Module_SetGIL(module, Py_MOD_GIL_NOT_USED);
    }
#endif
    PyObject *type = module == NULL ? NULL : PyType_FromSpec(&spec);
    if (type == NULL || PyModule_AddObject(module, "Buffer", type) < 0) {
        Py_XDECREF(type);
        Py_XDECREF(module);
        return NULL;
    }
    return module;
}
