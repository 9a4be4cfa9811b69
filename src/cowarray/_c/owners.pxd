# The end of bytes that a Python object owns. It has state, so only one extension may use it.

from cpython.object cimport PyObject


cdef extern from *:
    """
    #include <stdlib.h>

    /* PyGILState_Check is always true once a subinterpreter has been created, and after Python's end. */
    static int has_gil(void)
    {
    #if PY_VERSION_HEX >= 0x030D0000
        return PyThreadState_GetUnchecked() != NULL;
    #elif PY_VERSION_HEX >= 0x030C0000
        return _PyThreadState_UncheckedGet() != NULL;
    #else
        /* In these versions the second call returns the state of the thread that has the GIL. */
        PyThreadState *own = PyGILState_GetThisThreadState();
        return own != NULL && own == _PyThreadState_UncheckedGet();
    #endif
    }
    /* An owner may have the last reference to the memory of another owner, and so on. Ending each inside the other
     * would overflow the stack for a long chain. So from some depth on, owners wait until the outermost has ended. */
    #define DEEPEST 64
    static _Thread_local struct {
        size_t depth, count, room;
        PyObject **owners;
    } waiting = {0, 0, 0, NULL};
    static int let_wait(PyObject *owner)
    {
        if (waiting.count == waiting.room) {
            size_t room = waiting.room ? 2 * waiting.room : 64;
            PyObject **owners = (PyObject **)realloc(waiting.owners, room * sizeof *owners);
            if (owners == NULL) {
                return 0;
            }
            waiting.owners = owners;
            waiting.room = room;
        }
        waiting.owners[waiting.count++] = owner;
        return 1;
    }
    static void drop_owner(PyObject *owner)
    {
        if (waiting.depth >= DEEPEST && let_wait(owner)) {
            return;
        }
        waiting.depth++;
        Py_DECREF(owner);
        if (waiting.depth == 1 && waiting.room) {
            while (waiting.count) {
                Py_DECREF(waiting.owners[--waiting.count]);
            }
            free(waiting.owners);
            waiting.owners = NULL;
            waiting.room = 0;
        }
        waiting.depth--;
    }
    static void drop_object(void *data, void *context, size_t nbytes)
    {
        (void)data;
        (void)nbytes;
        /* Nearly always an array ends with the GIL held: checking is cheaper than ensuring. */
        if (has_gil()) {
            drop_owner((PyObject *)context);
        }
        else if (Py_IsInitialized()) {
            PyGILState_STATE state = PyGILState_Ensure();
            drop_owner((PyObject *)context);
            PyGILState_Release(state);
        }
        /* else: Python is gone, with its objects */
    }
    """
    # The deleter of bytes that a Python object owns: releases the reference that storage_adopt took.
    void drop_object(void *data, void *context, size_t nbytes) noexcept nogil
