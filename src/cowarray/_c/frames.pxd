# The line of Python code that is running.

from cpython.object cimport PyObject


cdef extern from "Python.h":
    ctypedef struct PyFrameObject
    ctypedef struct PyCodeObject
    PyFrameObject *PyEval_GetFrame()
    PyFrameObject *PyFrame_GetBack(PyFrameObject *frame) except? NULL  # creates the frame object
    PyCodeObject *PyFrame_GetCode(PyFrameObject *frame)
    int PyFrame_GetLineNumber(PyFrameObject *frame)
    int PyFrame_GetLasti(PyFrameObject *frame)


cdef extern from *:
    """
    static inline PyObject *cowi_file_of(PyFrameObject *frame)
    {
        PyCodeObject *code = PyFrame_GetCode(frame);
        PyObject *name = Py_NewRef(code->co_filename);
        Py_DECREF(code);
        return name;
    }

    static inline PyObject *cowi_code_of(PyFrameObject *frame) { return (PyObject *)PyFrame_GetCode(frame); }
    """
    object file_of "cowi_file_of" (PyFrameObject *frame)
    object code_of "cowi_code_of" (PyFrameObject *frame)
