# A call to NumPy, and the compiled rows of the table of operations.

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
    cdef object overwrites_unless  # unless this parameter is given, every written element is overwritten
    cdef object picks  # which parameters say which elements are touched, and how; or None
    cdef tuple changed  # parameters that NumPy's own code changes in place: it gets copies
    cdef bint only_reads  # if called without arguments
    cdef bint copies_readonly  # NumPy copies a read-only array before it reads it: see `lent`
    cdef bint is_quick  # without `out`, runs no user code and writes no argument: see `quick.quick_call`
    cdef Py_ssize_t out_at  # the position of `out`
    # Of functions:
    cdef object implementation  # what NumPy's dispatcher calls when no argument overrides it
    cdef bint is_c  # a builtin, not a Python function
    cdef object special  # the replacement for NumPy's function, or None
    cdef bint copies  # a copy by the table, which keeps values: arrays that NumPy allocates for it are eager copies


@cython.final
@cython.no_gc
cdef class Passage:
    cdef Operation operation
    cdef list arrays  # cowarray arrays among the arguments
    cdef list sources  # (array, its Storage or None, the header that NumPy saw, the array's offset), ...
    cdef list foreign  # NumPy arrays among the arguments
    cdef list foreign_written  # those of them that are to be written to
    cdef list written  # (array, the header that is written to, the array's offset), ...
    cdef dict adopted  # id of an owner -> its Storage, for calls with several results
    cdef bint allocates  # NumPy allocates the arrays that it returns: none is an element, or of unknown origin
    cdef bint strangers  # an argument is of a type with methods that NumPy may call
    cdef bint found  # an argument is a cowarray array
    cdef bint has_objects  # a result can be an element, which belongs to the user
    cdef bint locates  # no element is read or written
    cdef bint large  # an array that is read is large
    cdef bint stays  # everything computed goes into the written argument, and nowhere else
    cdef bint standard  # one of the arrays is the standard's, and so are the results
    cdef bint overwrites  # the new values do not depend on the old ones
    cdef Picked picked  # which elements are touched; None: all
    cdef Behalf behalf
    cdef bint cautious  # user code may run meanwhile: NumPy gets snapshots, each with its own share

    cdef int survey(self, object value) except -1
    cdef int note_axes(self, object given, object shown) except -1
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


cdef Operation COMPUTING
cdef bint makes_readonly(Operation operation, cnp.ndarray view) noexcept
cdef Operation method_operation(str name)
cdef Operation function_operation(object function)
cdef int set_special(dict functions) except -1
cdef cnp.ndarray lent(cnp.ndarray header)
cdef int give_back(object headers) except -1
cdef Passage new_passage()
cdef Passage viewing_passage()
