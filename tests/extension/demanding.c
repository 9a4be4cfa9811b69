/* Functions as much compiled code has them: they take NumPy's class and nothing else. */
#include <Python.h>

static PyObject *numpys;

static PyObject *checked(PyObject *array)
{
    if (Py_TYPE(array) != (PyTypeObject *)numpys) {
        return PyErr_Format(PyExc_TypeError, "must be numpy.ndarray, not %s", Py_TYPE(array)->tp_name);
    }
    return array;
}

static PyObject *itself(PyObject *module, PyObject *array)
{
    (void)module;
    return Py_XNewRef(checked(array));
}

static PyObject *twice(PyObject *module, PyObject *array)
{
    (void)module;
    return checked(array) == NULL ? NULL : PyNumber_Add(array, array);
}

static PyObject *clear(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"array", NULL};
    PyObject *array;
    Py_buffer view;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O", names, &array) || checked(array) == NULL) {
        return NULL;
    }
    if (PyObject_GetBuffer(array, &view, PyBUF_WRITABLE) < 0) {
        return NULL;
    }
    memset(view.buf, 0, (size_t)view.len);
    PyBuffer_Release(&view);
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"itself", itself, METH_O, "The array."},
    {"twice", twice, METH_O, "A new array."},
    {"clear", (PyCFunction)(void (*)(void))clear, METH_VARARGS | METH_KEYWORDS, "Writes to the array."},
    {NULL, NULL, 0, NULL},
};

static int execute(PyObject *module)
{
    PyObject *numpy = PyImport_ImportModule("numpy");
    if (numpy == NULL) {
        return -1;
    }
    numpys = PyObject_GetAttrString(numpy, "ndarray");
    Py_DECREF(numpy);
    return numpys == NULL ? -1 : PyModule_AddObjectRef(module, "kind", numpys);
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, execute}, {0, NULL}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "demanding", .m_methods = methods,
                                        .m_slots = slots};

PyMODINIT_FUNC PyInit_demanding(void);

PyMODINIT_FUNC PyInit_demanding(void)
{
    return PyModuleDef_Init(&definition);
}
