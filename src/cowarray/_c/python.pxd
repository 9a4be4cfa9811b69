# Declarations of Python's C API that Cython's own `cpython` lacks.

from cpython.object cimport PyObject, PyTypeObject


cdef extern from "Python.h":
    void Py_LeaveRecursiveCall()
    long long PyLong_AsLongLongAndOverflow(object, int *) except? -1
    object PyObject_CallMethodNoArgs(object, object)
    object PyNumber_MatrixMultiply(object, object)
    int PySlice_Unpack(object, Py_ssize_t *, Py_ssize_t *, Py_ssize_t *)
    Py_ssize_t PySlice_AdjustIndices(Py_ssize_t, Py_ssize_t *, Py_ssize_t *, Py_ssize_t)
    object PyNumber_InPlaceMatrixMultiply(object, object)
    bint PyIndex_Check(object)
    bint PyList_Check(object)
    bint PySequence_Check(object)
    bint PyTuple_Check(object)
    bint PyUnicode_Check(object)
    object PyUnicode_FromObject(object)
    object PyContext_New()
    int PyContext_Enter(object) except -1
    int PyContext_Exit(object) except -1
    int PyContextVar_Get(object, PyObject *, PyObject **) except -1
    PyObject *PyThreadState_GetDict()  # borrowed
    PyObject *PyEval_GetGlobals()  # borrowed; NULL if no Python code runs
    bint PyObject_CheckBuffer(object)
    bint PyMemoryView_Check(object)
    Py_buffer *PyMemoryView_GET_BUFFER(object)
    PyTypeObject *Py_TYPE(PyObject *)
    ctypedef int (*objobjargproc)(PyObject *, PyObject *, PyObject *) except -1


cdef extern from *:
    """
    static inline int cowi_enter_recursive_call(const char *where) { return Py_EnterRecursiveCall(where) ? -1 : 0; }

    /* PyObject_Call does not check that an exception is set if it returns no result: a ufunc that ran out of memory may
     * have set none, and an `except` would then find nothing. */
    static inline PyObject *cowi_call(PyObject *function, PyObject *args, PyObject *kwargs)
    {
        PyObject *result = PyObject_Call(function, args, kwargs);
        if (result == NULL && !PyErr_Occurred()) {
            PyErr_Format(PyExc_SystemError, "%R returned NULL without setting an exception", function);
        }
        return result;
    }

    /* Cython has put None into view->obj, with a reference that PyObject_GetBuffer would lose. */
    static inline int cowi_forward_buffer(PyObject *array, Py_buffer *view, int flags)
    {
        Py_CLEAR(view->obj);
        return PyObject_GetBuffer(array, view, flags);
    }

    /* The slot of the function that assigns to a type's items. */
    static inline objobjargproc *cowi_assignment(PyObject *type)
    {
        return &((PyTypeObject *)type)->tp_as_mapping->mp_ass_subscript;
    }

    static inline newfunc cowi_constructor(PyObject *type) { return ((PyTypeObject *)type)->tp_new; }
    /* A new object of kind, which adds no fields to the type with this constructor. */
    static inline PyObject *cowi_construct(newfunc constructor, PyTypeObject *kind, PyObject *arguments)
    {
        return constructor(kind, arguments, NULL);
    }

    static inline void cowi_end_view(void *owner) { Py_XDECREF((PyObject *)owner); }
    static inline PyObject *cowi_own(PyObject *object) { Py_INCREF(object); return object; }

    /* Makes a type's constructor raise: only the library can create its objects. */
    static inline PyObject *cowi_refuse_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
    {
        (void)args;
        (void)kwargs;
        return PyErr_Format(PyExc_TypeError,
                            "cannot create %s objects by calling the class; use cowarray.asarray or cowarray.array",
                            type->tp_name);
    }
    static inline void cowi_seal(PyObject *type)
    {
        ((PyTypeObject *)type)->tp_new = cowi_refuse_new;
        ((PyTypeObject *)type)->tp_vectorcall = NULL;
        PyType_Modified((PyTypeObject *)type);
    }

    /* Makes calls of a type return what a function makes of the arguments. */
    static PyObject *cowi_maker;
    static inline PyObject *cowi_make(PyTypeObject *type, PyObject *args, PyObject *kwargs)
    {
        (void)type;
        return PyObject_Call(cowi_maker, args, kwargs);
    }
    static inline void cowi_make_by(PyObject *type, PyObject *function)
    {
        cowi_maker = Py_NewRef(function);
        ((PyTypeObject *)type)->tp_new = cowi_make;
        PyType_Modified((PyTypeObject *)type);
    }

    /* Sets a function to call when an object of a type of the including module ends, before Cython clears weak
     * references and fields. Unlike with __dealloc__, the exception in flight is not saved, and must be left alone. */
    static void (*cowi_let_go)(PyObject *);
    static destructor cowi_end_fields;
    static inline void cowi_end(PyObject *dying)
    {
        cowi_let_go(dying);
        cowi_end_fields(dying);
    }
    static inline void cowi_end_by(PyObject *type, void (*let_go)(PyObject *))
    {
        cowi_let_go = let_go;
        cowi_end_fields = ((PyTypeObject *)type)->tp_dealloc;
        ((PyTypeObject *)type)->tp_dealloc = cowi_end;
    }

    /* True if value is an int, not of a subclass, and fits. */
    static inline int cowi_plain_int(PyObject *value, long long *number)
    {
        int overflow = 0;
        if (!PyLong_CheckExact(value)) {
            return 0;
        }
        *number = PyLong_AsLongLongAndOverflow(value, &overflow);
        return !overflow;
    }
    static inline PyObject *const *cowi_items(PyObject *tuple) { return ((PyTupleObject *)tuple)->ob_item; }

    /* Puts a quick function before a variadic method of a type of the including module. It gets the arguments in place,
     * without a tuple, and returns None to have the method called in the usual way. A call with keywords, or of a bound
     * method that is kept, goes to the method directly. */
    typedef PyObject *(*cowi_quick_function)(PyObject *self, PyObject *const *arguments, Py_ssize_t count);
    static struct {
        PyObject *method;
        cowi_quick_function quick;
        vectorcallfunc as_ever;
    } cowi_quickened[2];
    static PyObject *cowi_call_quickly(PyObject *method, PyObject *const *arguments, size_t count, PyObject *names)
    {
        const Py_ssize_t given = PyVectorcall_NARGS(count);
        const int which = method != cowi_quickened[0].method;
        if (names == NULL && given > 1 && Py_IS_TYPE(arguments[0], PyDescr_TYPE(method))) {
            PyObject *result = cowi_quickened[which].quick(arguments[0], arguments + 1, given - 1);
            if (result != Py_None) {
                return result;
            }
            Py_DECREF(result);
        }
        return cowi_quickened[which].as_ever(method, arguments, count, names);
    }
    static inline void cowi_quicken(PyObject *method, cowi_quick_function quick)
    {
        const int which = cowi_quickened[0].method != NULL;
        cowi_quickened[which].method = method;
        cowi_quickened[which].quick = quick;
        cowi_quickened[which].as_ever = ((PyMethodDescrObject *)method)->vectorcall;
        ((PyMethodDescrObject *)method)->vectorcall = cowi_call_quickly;
    }

    /* Replaces the docstring of a method of the including module's type by text, bytes that are never freed. */
    static inline void cowi_describe(PyObject *method, PyObject *text)
    {
        Py_INCREF(text);
        ((PyMethodDescrObject *)method)->d_method->ml_doc = PyBytes_AS_STRING(text);
    }

    /* Sets the name of a static type in errors and pickles: the part before the last dot is its module. */
    static inline void cowi_publish(PyObject *type, const char *name)
    {
        ((PyTypeObject *)type)->tp_name = name;
        PyType_Modified((PyTypeObject *)type);
    }

    /* CPython calls these for PySequence_GetItem and the like, with the length already added to a negative index. The
     * ones that Cython makes from __getitem__ would count it from the end a second time. */
    static inline void cowi_count_from_the_front(PyObject *type, ssizeargfunc item, ssizeobjargproc set_item)
    {
        ((PyTypeObject *)type)->tp_as_sequence->sq_item = item;
        ((PyTypeObject *)type)->tp_as_sequence->sq_ass_item = set_item;
        PyType_Modified((PyTypeObject *)type);
    }

    /* Each iteration ends in an IndexError, which costs more from Cython because it adds a traceback. */
    static ssizeargfunc cowi_item;
    static PyObject *cowi_item_in_range(PyObject *array, Py_ssize_t index)
    {
        const Py_ssize_t size = Py_TYPE(array)->tp_as_sequence->sq_length(array);
        if (size < 0) {
            PyErr_Clear(); /* no axes: indexing will raise an IndexError */
        }
        else if (index >= size) {
            PyErr_Format(PyExc_IndexError, "index %zd is out of bounds for axis 0 with size %zd", index, size);
            return NULL;
        }
        return cowi_item(array, index);
    }
    static inline void cowi_end_quickly(PyObject *type)
    {
        cowi_item = ((PyTypeObject *)type)->tp_as_sequence->sq_item;
        ((PyTypeObject *)type)->tp_as_sequence->sq_item = cowi_item_in_range;
        PyType_Modified((PyTypeObject *)type);
    }
    """
    int enter_recursive_call "cowi_enter_recursive_call" (const char *where) except -1
    object PyObject_Call "cowi_call" (object, object, PyObject *)
    int forward_buffer "cowi_forward_buffer" (object array, Py_buffer *view, int flags) except -1
    ctypedef void *newfunc
    objobjargproc *assignment_of "cowi_assignment" (object type)
    newfunc constructor_of "cowi_constructor" (object type)
    object construct "cowi_construct" (newfunc constructor, PyTypeObject *kind, object arguments)
    void end_view "cowi_end_view" (void *owner)
    PyObject *own "cowi_own" (object x)
    void seal "cowi_seal" (object type)
    void make_by "cowi_make_by" (object type, object function)
    void end_by "cowi_end_by" (object type, void (*let_go)(PyObject *) noexcept)
    bint plain_int "cowi_plain_int" (PyObject *value, long long *number)
    PyObject *const *items_of "cowi_items" (object tuple)
    void quicken "cowi_quicken" (object method, object (*quick)(object, PyObject *const *, Py_ssize_t))
    void describe "cowi_describe" (object method, bytes text)
    void publish "cowi_publish" (object type, const char *name)
    void end_quickly "cowi_end_quickly" (object type)
    void count_from_the_front "cowi_count_from_the_front" (
        object type, object (*)(object, Py_ssize_t), int (*)(object, Py_ssize_t, PyObject *) except -1)
