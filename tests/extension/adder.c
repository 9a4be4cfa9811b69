/* A number in C, as other extensions have them: it keeps an object, adds to it in `+`, and keeps it. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stddef.h>
#include <structmember.h>

typedef struct {
    PyObject_HEAD
    PyObject *kept;
} adder;

static int adder_init(adder *self, PyObject *args, PyObject *kwargs)
{
    (void)args;
    (void)kwargs;
    self->kept = NULL;
    return 0;
}

/* adder.take(function): keeps what function() gives, with the only reference to it. */
static PyObject *adder_take(adder *self, PyObject *function)
{
    Py_XSETREF(self->kept, PyObject_CallNoArgs(function));
    return self->kept == NULL ? NULL : Py_NewRef(Py_None);
}

static PyObject *adder_add(PyObject *left, PyObject *right)
{
    return PyNumber_Add(((adder *)left)->kept, right);
}

static void adder_dealloc(adder *self)
{
    Py_XDECREF(self->kept);
    PyObject_Free(self);
}

static PyNumberMethods numbers = {.nb_add = adder_add};
static PyMethodDef methods[] = {{"take", (PyCFunction)(void (*)(void))adder_take, METH_O, NULL}, {NULL, NULL, 0, NULL}};
static PyMemberDef members[] = {{"kept", T_OBJECT, offsetof(adder, kept), READONLY, NULL}, {NULL, 0, 0, 0, NULL}};
static PyTypeObject adder_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "adder.Adder",
    .tp_basicsize = sizeof(adder),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = (initproc)adder_init,
    .tp_dealloc = (destructor)adder_dealloc,
    .tp_as_number = &numbers,
    .tp_methods = methods,
    .tp_members = members,
};
static PyModuleDef module = {PyModuleDef_HEAD_INIT, .m_name = "adder", .m_size = -1};

PyMODINIT_FUNC PyInit_adder(void);
PyMODINIT_FUNC PyInit_adder(void)
{
    PyObject *made = PyModule_Create(&module);
    if (made == NULL || PyType_Ready(&adder_type) < 0 ||
        PyModule_AddObjectRef(made, "Adder", (PyObject *)&adder_type) < 0) {
        Py_XDECREF(made);
        return NULL;
    }
    return made;
}
