# cython: freethreading_compatible=True
"""Operators: NumPy's own, on headers."""

import numpy as np

cimport cython
cimport numpy as cnp
from cpython.number cimport PyNumber_InPlacePower, PyNumber_Power
from cpython.object cimport PyObject_RichCompare

from cowarray._array.array cimport (
    Array,
    BORN_SCALAR,
    const_header,
    has_doorkeeper,
    header_beside,
    is_array,
    writable_header,
)
from cowarray._c.python cimport PyNumber_InPlaceMatrixMultiply
from cowarray._native.storage cimport WRITES
from cowarray._ops.large cimport is_large, large_compare
from cowarray._ops.operands cimport (
    computed,
    has_own_ufunc,
    has_priority,
    is_familiar,
    is_handed_with,
    leaves_lane,
    MISSING,
    operand,
    runs_code,
    standard_result,
    take_road,
)
from cowarray._ops.overwriting cimport attempt_ufunc, commit, is_replaceable, overwriting_header, overwritten_header
from cowarray._ops.passage cimport new_passage, Passage
from cowarray._ops.strangers cimport compare_with

cdef object ufunc_power = np.power, ufunc_matmul = np.matmul
cdef tuple VECTOR = (-1,), MATRIX = (-2, -1)  # core axes
cdef tuple comparisons = (np.less, np.less_equal, np.equal, np.not_equal, np.greater, np.greater_equal)


cdef object power(object base, object exponent):
    return PyNumber_Power(base, exponent, None)


cdef object compare(Array self, object other, int op):
    """Compare; op is the number that CPython gives the comparison."""
    own = operand(self)
    shown = operand(other)
    if own is not None and shown is not None:
        return computed(large_compare(own, shown, op) if is_large(self) else PyObject_RichCompare(own, shown, op))
    if not is_familiar(other) and type(other) is not str and type(other) is not bytes:
        return compare_with(self, other, op)
    if leaves_lane(self) or is_handed_with(other, None):
        return take_road(comparisons[op].__name__, _Comparison(op), (self, other), {})
    return plain_compare(self, other, op)


cdef object plain_compare(Array self, object other, int op):
    cdef Passage passage = new_passage()
    passage.survey((self, other))
    own, shown = passage.read(self), passage.read(other)
    passage.note_axes((self, other), (own, shown))
    return passage.result(PyObject_RichCompare(own, shown, op))


@cython.final
cdef class _Comparison:
    """A comparison to run without a mode, by the mode that it was handed to."""

    cdef int op

    def __cinit__(self, int op):
        self.op = op

    def __call__(self, Array x not None, other):
        return plain_compare(x, other, self.op)


cdef object one_sided(Array self, object ufunc):
    """Run an operator with one operand that `operand` does not accept."""
    result = standard_result(ufunc, self, MISSING)
    return ufunc(self) if result is MISSING else result


cdef object in_place(Array self, object other, object ufunc):
    """Compute self op= other."""
    cdef cnp.ndarray header
    cdef object shown
    if self.birth == BORN_SCALAR:
        return ufunc(self, other)
    shown = operand(other)
    if shown is None or runs_code(self.descr) or has_doorkeeper(self):
        if not is_familiar(other) and getattr(type(other), "__array_ufunc__", MISSING) is MISSING:
            if has_priority(other):
                return NotImplemented
        if ufunc is ufunc_matmul:  # by a vector the product would be repeated in each row
            axes = VECTOR if self.nd == 1 else MATRIX
            return ufunc(self, other, out=(self,), axes=[axes, MATRIX, axes])
        return ufunc(self, other, out=(self,))
    if not self.writeable:
        raise ValueError("output array is read-only")
    header = overwriting_header(self, False, WRITES) if is_replaceable(self, False) else None
    if header is not None:
        if attempt_ufunc(ufunc, overwritten_header(header), shown, header):
            shown = None  # it may lie in self's old bytes
            if commit(header):
                return self
        header = None
        shown = operand(other)
    header = writable_header(self, NULL)
    if other is self:
        shown = header
    elif is_array(other):
        shown = header_beside(<Array>other, header)  # once more: a view of self has moved with it
    ufunc(header, shown, header)
    return self


cdef object in_place_by_numpy(Array self, object other, object ufunc, binary_function function):
    """Run an in-place operator for which NumPy does more than call its ufunc."""
    if has_own_ufunc(other) or not (is_familiar(other) or cnp.PyArray_Check(other)) and has_priority(other):
        return in_place(self, other, ufunc)
    if self.birth == BORN_SCALAR:
        return ufunc(self, other)
    if leaves_lane(self) or is_handed_with(other, None):
        return take_road(f"in-place {ufunc.__name__}", _InPlaceJourney(ufunc is ufunc_power), (self, other), {})
    return plain_in_place(self, other, function)


@cython.final
cdef class _InPlaceJourney:
    """A ``**=`` or ``@=`` to run without a mode, by the mode that it was handed to."""

    cdef bint is_power

    def __cinit__(self, bint is_power):
        self.is_power = is_power

    def __call__(self, Array x not None, other):
        return plain_in_place(x, other, in_place_power if self.is_power else PyNumber_InPlaceMatrixMultiply)


cdef object plain_in_place(Array self, object other, binary_function function):
    cdef cnp.ndarray header
    cdef Passage passage = new_passage()
    passage.survey(self)
    passage.survey(other)
    header = writable_header(self, NULL) if self.writeable else const_header(self)
    if is_array(other) and not passage.cautious:
        other = header_beside(<Array>other, header)
    else:
        other = passage.read(other)
    function(header, other)
    return self


cdef object in_place_power(object base, object exponent):
    return PyNumber_InPlacePower(base, exponent, None)
