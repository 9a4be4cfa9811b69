# cython: freethreading_compatible=True
"""Writes that replace every byte of a shared Storage: they go to fresh bytes, and nothing is copied first.

Until it is committed, such a write is an attempt that nobody can see. NumPy reports floating-point errors after it has
computed everything, to user code that finds the new values in place and may write beside them. So an attempt turns
every floating-point error into an exception, and is not made if anything else could be reported (such as the warning of
a lost imaginary part). If an attempt is stopped, or another thread writes to the Storage meanwhile, nothing has changed
and the write is done the plain way.
"""

import numpy as np

cimport numpy as cnp
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF

from cowarray._array.array cimport access_to, Array, descr_of, header_at, new_header, root
from cowarray._c.gil cimport KEEPS_HEADERS
from cowarray._c.numpy cimport NPY_ARRAY_WRITEABLE
from cowarray._c.python cimport (
    PyContext_Enter,
    PyContext_Exit,
    PyContext_New,
    PyContextVar_Get,
    PyObject_Call,
)
from cowarray._c.variables cimport set_variable
from cowarray._native.storage cimport Access, Intent, OPERATION, Overwrite, overwrite_storage, Storage

cnp.import_array()

cdef object error_handling = np._core.umath._extobj_contextvar
cdef object make_handling = np._core.umath._make_extobj

# Kept from the last attempt for the next one with the same error handling: NumPy's object for that handling, a context
# in which errors raise, and NumPy's object for raising. An attempt takes the context out while it uses it.
cdef tuple idle = None


cdef tuple enter_attempt():
    """Have floating-point errors raise FloatingPointError until `leave_attempt`.

    It enters a separate context: without memory, a context variable could not be reset.
    """
    cdef PyObject *found = NULL
    cdef object handling, context
    cdef tuple entered
    PyContextVar_Get(error_handling, NULL, &found)
    handling = <object>found
    Py_DECREF(handling)
    global idle
    entered = idle
    if entered is None or entered[0] is not handling:
        strict = {name: "ignore" if way == "ignore" else "raise" for name, way in np.geterr().items()}
        strict["call"] = None
        # A user's callback must be free to end, so its handling is not kept.
        kept = handling if np.geterrcall() is None else None
        context = PyContext_New()
        PyContext_Enter(context)
        try:
            strict = make_handling(**strict)
            set_variable(error_handling, strict)
        except BaseException:
            PyContext_Exit(context)
            raise
        return (kept, context, strict)
    idle = None
    PyContext_Enter(entered[1])
    return entered


cdef int leave_attempt(tuple entered) except -1:
    global idle
    cdef PyObject *found = NULL
    PyContextVar_Get(error_handling, NULL, &found)  # a finalizer may have set it
    Py_DECREF(<object>found)
    PyContext_Exit(entered[1])
    if KEEPS_HEADERS and entered[0] is not None and <PyObject *>entered[2] == found:  # with a GIL
        idle = entered
    return 0


cdef bint attempt(object function, tuple args, PyObject *kwargs) except -1:
    """Call a function. False if there was an error to report."""
    cdef tuple entered = enter_attempt()
    cdef bint well = True
    try:
        PyObject_Call(function, args, kwargs)
    except FloatingPointError:
        well = False
    finally:
        leave_attempt(entered)
    return well


cdef bint attempt_ufunc(object ufunc, object a, object b, object out) except -1:
    """`attempt` for the common call, which packs no arguments."""
    cdef tuple entered = enter_attempt()
    cdef bint well = True
    try:
        ufunc(a, b, out)
    except FloatingPointError:
        well = False
    finally:
        leave_attempt(entered)
    return well


cdef cnp.ndarray overwriting_header(Array x, bint text, Intent intent):
    """Return a writable NumPy view of fresh bytes for x, which is replaceable, to `commit`. A gap, at first.

    None if x is no longer replaceable after the gap.
    """
    cdef Storage storage = x.storage_
    cdef Overwrite overwrite
    cdef Access access
    access = access_to(x, intent, OPERATION)
    overwrite = overwrite_storage(storage, &access)
    if overwrite.in_place() or x.storage_ is not storage or not is_replaceable(x, text):
        return None
    return new_header(x, <char *>overwrite.scope.data, NPY_ARRAY_WRITEABLE, overwrite)


cdef cnp.ndarray overwritten_header(cnp.ndarray header):
    """Return a header on the old bytes, with a share of them, to read while an overwriting header is written to."""
    cdef Overwrite overwrite = root(header)
    cdef char *old = <char *>overwrite.scope.old + (cnp.PyArray_BYTES(header) - <char *>overwrite.scope.data)
    return header_at(old, descr_of(header), cnp.PyArray_NDIM(header), cnp.PyArray_DIMS(header),
                     cnp.PyArray_STRIDES(header), 0, overwrite)


cdef bint commit(cnp.ndarray header) except -1:
    """Put the new bytes of an overwriting header in place; False if the array was written to meanwhile.

    Headers on the old bytes must be gone by now: they would be readers left behind.
    """
    cdef Overwrite overwrite = root(header)
    return overwrite.commit()
