# Context variables.

cdef extern from *:
    """
    /* Before Python 3.12 the garbage collector may run while a variable is set or reset. If it calls code that reads
     * the variable, CPython may keep a value that is freed then; if the code sets one, what CPython works on is freed.
     */
    static inline int cowi_stop_collecting(void)
    {
    #if PY_VERSION_HEX < 0x030C0000
        return PyGC_Disable();
    #else
        return 0;
    #endif
    }
    static inline void cowi_go_on_collecting(int collected)
    {
        if (collected) {
            PyGC_Enable();
        }
    }

    static inline PyObject *cowi_set_variable(PyObject *variable, PyObject *value)
    {
        int collected = cowi_stop_collecting();
        PyObject *token = PyContextVar_Set(variable, value);
        cowi_go_on_collecting(collected);
        return token;
    }
    static inline int cowi_reset_variable(PyObject *variable, PyObject *token)
    {
        int collected = cowi_stop_collecting();
        int failed = PyContextVar_Reset(variable, token);
        cowi_go_on_collecting(collected);
        return failed;
    }
    """
    # As ContextVar.set and ContextVar.reset. The value before must outlive the call.
    object set_variable "cowi_set_variable" (object, object)
    int reset_variable "cowi_reset_variable" (object, object) except -1
