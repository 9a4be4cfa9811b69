# The road of operations.

cimport cython
cimport numpy as cnp

from cowarray._array.array cimport Array
from cowarray._native.storage cimport Behalf, Storage
from cowarray._ops.picking cimport Picked


@cython.final
@cython.no_gc
cdef class Operation:
    """A row of the table, compiled."""

    cdef str name
    cdef object result
    cdef tuple writes
    cdef object writes_if
    cdef bint readonly
    cdef bint only_overlapping
    cdef bint calls_user
    cdef object overwrites_unless  # the parameter without which all of what is written is overwritten
    cdef object picks  # which parameters say what of it is touched, and how; or None
    cdef bint only_reads  # as long as it gets no arguments
    cdef bint is_quick  # fresh, and user code runs and arguments are written only where `out` is given: see quick_call
    cdef Py_ssize_t out_at  # the position of `out`
    # Of functions:
    cdef object implementation  # what NumPy's dispatcher calls when no argument asks to be called instead
    cdef bint is_c  # it is no Python function
    cdef object special  # what does it here, if NumPy does not
    cdef bint copies  # of the table's copies, and changes no value: what NumPy makes for it are copies made at once


@cython.final
@cython.no_gc
cdef class Passage:
    cdef Operation operation
    cdef list arrays  # ours among the arguments
    cdef list sources  # (array, its Storage or None, the header that was shown, the array's offset), ...
    cdef list foreign  # NumPy arrays among the arguments
    cdef list written  # (array, the header that is written to, the array's offset), ...
    cdef dict adopted  # id of an owner -> its Storage, where one call gives several results
    cdef bint allocates  # NumPy makes the arrays that come back; they are no elements, and no stranger's
    cdef bint strangers  # an argument is of a type with methods that NumPy may call
    cdef bint found  # an argument is ours
    cdef bint has_objects  # what comes back can be an element, which is the user's
    cdef bint locates  # no element is touched
    cdef bint stays  # what is computed goes to what is written, and nowhere else
    cdef bint standard  # one of the arrays is the standard's, and so is what is made of them
    cdef bint overwrites  # what is written gets values that do not depend on what was there
    cdef Picked picked  # what of it is touched; None: all
    cdef Behalf behalf
    cdef bint cautious  # user code may run meanwhile: arguments are shown as snapshots, which have a share of their own

    cdef int survey(self, object value) except -1
    cdef int survey_elementwise(self, object values) except -1
    cdef object read(self, object value)
    cdef cnp.ndarray header_of(self, Array x)
    cdef object read_all(self, object values)
    cdef object write(self, object value)
    cdef object result(self, object value)
    cdef bint shown(self, object owner) except -1
    cdef int read_written(self, object result) except -1
    cdef object array_result(self, cnp.ndarray array)
    cdef object taken_back(self, cnp.ndarray array)
    cdef object alias(self, Array source, Storage storage, cnp.ndarray header, cnp.npy_intp offset, cnp.ndarray array)
    cdef bint is_fresh(self, object owner) except -1
    cdef bint is_copy(self, cnp.ndarray array) except -1
    cdef bint reads_of(self, Array x) noexcept
    cdef bint is_written_back(self, Array x) noexcept


cdef Passage new_passage()
cdef Passage viewing_passage()
cdef Operation function_operation(object function)
cdef object QUICK_FAILED
cdef Operation COMPUTING
cdef object quick_call(Operation operation, object implementation, bint is_c, tuple args, dict kwargs,
                       object self=*, object header=*)
cdef int set_special(dict functions) except -1
cdef object call(Operation operation, object function, Array self, tuple args, dict kwargs, bint cautious=*,
                 bint dispatched_here=*)


cdef object call_method(Array self, str name, tuple args, dict kwargs)
cdef object travel_method(Array x, str name, tuple args, dict kwargs)
cdef object part(Array self, str name)
cdef bint calls_user(object journey) noexcept
cdef object identity_on_road(object journey)
cdef list written_of(object journey, tuple args, dict kwargs)
