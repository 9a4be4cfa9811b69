# cython: freethreading_compatible=True
"""Operands of other libraries' types ("strangers"): which side computes, and the second try with a snapshot.

NumPy's rule (binop_override.h) decides which side computes. A type that knows only NumPy's arrays declines cowarray's:
it returns NotImplemented. It is then asked again with a snapshot in place of the array, so that its result is the one
it has for a NumPy array; if that is a NumPy array, it is returned as a cowarray array.
"""

import operator

import numpy as np

cimport cython
cimport numpy as cnp
from cpython.number cimport PyNumber_Power
from cpython.object cimport Py_EQ, Py_NE, PyObject_RichCompare

from cowarray._array.array cimport Array, is_array
from cowarray._array.exports cimport export
from cowarray._array.imports cimport import_array
from cowarray._array.snapshots cimport snapshot
from cowarray._native.storage cimport FOREIGN
from cowarray._ops.operands cimport (
    as_standard,
    has_own_ufunc,
    has_priority,
    is_familiar,
    leaves_lane,
    MISSING,
    runs_code,
    standard_result,
    take_road,
)
from cowarray._ops.passage cimport new_passage, Passage

cnp.import_array()


cdef object ufunc_power = np.power

# Each comparison, indexed by CPython's number for it: NumPy's ufunc, the operator (by which elements of dtypes without
# a common one are unequal), and the other side's method.
cdef tuple comparisons = (np.less, np.less_equal, np.equal, np.not_equal, np.greater, np.greater_equal)
cdef tuple COMPARING = (operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge)
cdef tuple SWAPPED = ("__gt__", "__ge__", "__eq__", "__ne__", "__lt__", "__le__")
cdef tuple SIGNS = ("<", "<=", "==", "!=", ">", ">=")

# By ufunc: the other side's method, and the operator.
cdef dict OPERATORS = {
    np.add: ("__radd__", operator.add),
    np.subtract: ("__rsub__", operator.sub),
    np.multiply: ("__rmul__", operator.mul),
    np.true_divide: ("__rtruediv__", operator.truediv),
    np.floor_divide: ("__rfloordiv__", operator.floordiv),
    np.remainder: ("__rmod__", operator.mod),
    np.divmod: ("__rdivmod__", divmod),
    np.power: ("__rpow__", operator.pow),
    np.left_shift: ("__rlshift__", operator.lshift),
    np.right_shift: ("__rrshift__", operator.rshift),
    np.bitwise_and: ("__rand__", operator.and_),
    np.bitwise_or: ("__ror__", operator.or_),
    np.bitwise_xor: ("__rxor__", operator.xor),
    np.matmul: ("__rmatmul__", operator.matmul),
}


cdef object brought(object result, bint to_standard):
    """Take in the result of a stranger that was given a snapshot. If it is a NumPy array, others may refer to it."""
    if type(result) is tuple:
        return tuple([brought(item, to_standard) for item in <tuple>result])
    if type(result) is cnp.ndarray:
        result = import_array(result, None)
    return as_standard(result) if to_standard else result


cdef bint computes_itself(object other, object override) except -1:
    """True if a right operand computes in place of an array on the left, by NumPy's rule."""
    return (
        override is None
        or cnp.PyArray_Check(other)  # a matrix, say, has its own operators
        or (override is MISSING and has_priority(other))
    )


cdef object ask(object other, str name, Array self):
    """Return the result of other's method for self, or for a snapshot of it; NotImplemented if it declines both."""
    method = getattr(type(other), name, None)
    if method is None:
        return NotImplemented
    result = method(other, self)
    return brought(method(other, snapshot(self)), self.standard) if result is NotImplemented else result


cdef object defer(Array self, object other, object ufunc, bint reflected):
    """Apply an operator to a stranger, which has already declined if it is the left operand."""
    cdef object function
    cdef str reflection
    if is_familiar(other):
        first, second = (other, self) if reflected else (self, other)
        result = standard_result(ufunc, first, second)
        if result is not MISSING:
            return result
        if ufunc is ufunc_power and not reflected and leaves_lane(self) and not runs_code(self.descr):
            return take_road(ufunc.__name__, _Power(), (self, other), {})
        return ufunc(first, second)
    override = getattr(type(other), "__array_ufunc__", MISSING)
    reflection, function = OPERATORS[ufunc]
    if reflected and (override is None or cnp.PyArray_Check(other)):
        return brought(function(other, snapshot(self)), self.standard)
    if not reflected and computes_itself(other, override):
        result = ask(other, reflection, self)
        if result is NotImplemented and cnp.PyArray_Check(other):
            return brought(function(snapshot(self), other), self.standard)
        return result
    if override is not MISSING:
        return ufunc(other, self) if reflected else ufunc(self, other)
    if leaves_lane(self):
        operands = (other, self) if reflected else (self, other)
        return take_road(ufunc.__name__, _WithStranger(function, reflected), operands, {})
    return plain_defer(self, other, function, reflected)


@cython.final
cdef class _Power:
    """NumPy's operator for powers: for some exponents its last bits differ from those of the ufunc."""

    def __call__(self, Array x not None, exponent):
        cdef Passage passage = new_passage()
        passage.survey((x, exponent))
        own, shown = passage.read(x), passage.read(exponent)
        passage.note_axes((x, exponent), (own, shown))
        return passage.result(PyNumber_Power(own, shown, None))


cdef object plain_defer(Array self, object other, object function, bint reflected):
    # The stranger's methods may be given the array, and may keep their result.
    cdef Passage passage = new_passage()
    passage.strangers = passage.cautious = True
    shown = passage.read(self)
    return passage.result(function(other, shown) if reflected else function(shown, other))


@cython.final
cdef class _WithStranger:
    """A computation with a stranger, to run without a mode by the mode that it was handed to."""

    cdef object function
    cdef bint reflected

    def __cinit__(self, object function, bint reflected):
        self.function = function
        self.reflected = reflected

    def __call__(self, first, second):
        x, other = (second, first) if self.reflected else (first, second)
        return plain_defer(<Array?>x, other, self.function, self.reflected)


cdef object compare_with(Array self, object other, int op):
    """Compare with a stranger. If both sides decline, Python would compare identities.

    That is right, and NumPy's result, for a type that compares nothing itself.
    """
    override = getattr(type(other), "__array_ufunc__", MISSING)
    if not computes_itself(other, override):
        if override is not MISSING:
            return comparisons[op](self, other)
        if leaves_lane(self):
            return take_road(comparisons[op].__name__, _WithStranger(COMPARING[op], False), (self, other), {})
        return plain_defer(self, other, COMPARING[op], False)
    result = ask(other, SWAPPED[op], self)
    if result is NotImplemented and cnp.PyArray_Check(other):
        return brought(PyObject_RichCompare(snapshot(self), other, op), self.standard)
    if result is NotImplemented and (op == Py_EQ or op == Py_NE) and compares(type(other), op):
        raise TypeError(
            f"{SIGNS[op]}: arrays compare by elements, and {type(other).__name__} declines to (neither a "
            "cowarray.ndarray nor a numpy.ndarray suits it); compare what it holds, or use 'is'"
        )
    return result


cdef bint compares(type kind, int op) except -1:
    """True if a type has its own `__eq__`, or `__ne__` if that is asked for."""
    return kind.__eq__ is not object.__eq__ or (op == Py_NE and kind.__ne__ is not object.__ne__)


cdef object ask_overrides(object ufunc, str method_name, tuple inputs, dict kwargs, tuple out):
    """Ask the arguments' types that have their own `__array_ufunc__`; NotImplemented if none has, or all decline.

    NumPy has asked those before the first cowarray array, so those after it are asked here.
    """
    cdef bint asked = True
    cdef list kinds = []
    for value in inputs + out + (kwargs.get("where"),):
        if is_array(value):
            asked = False
        elif has_own_ufunc(value) and type(value) not in kinds:
            kinds.append(type(value))
            override = type(value).__array_ufunc__
            if asked or override is None:
                continue
            result = override(value, ufunc, method_name, *inputs, **kwargs)
            if result is not NotImplemented:
                return result
    return NotImplemented


cdef object after_overrides(object ufunc, str method_name, tuple inputs, dict kwargs, tuple out):
    """Run a ufunc's method after all types with their own `__array_ufunc__` declined to compute with our arrays.

    NumPy asks them all again, with snapshots of the arrays that are read and writable aliases of those written.
    """
    cdef bint to_standard = False
    cdef tuple given
    for value in inputs + out + (kwargs.get("where"),):
        to_standard |= is_array(value) and (<Array>value).standard
    if method_name != "__call__":
        # NumPy passes these by position as well.
        kwargs.pop("array", None)
        kwargs.pop("indices", None)
    given = tuple([snapshot_of(value) for value in inputs])
    for name, value in kwargs.items():
        kwargs[name] = snapshot_of(value)
    if method_name == "at" and inputs and is_array(inputs[0]):
        given = (alias_of(inputs[0]), *given[1:])
    if out:
        kwargs["out"] = tuple([alias_of(value) for value in out])
    result = getattr(ufunc, method_name)(*given, **kwargs)
    if out and type(result) is tuple:
        return tuple([written(item, kwargs["out"], out, to_standard) for item in <tuple>result])
    return written(result, kwargs.get("out", ()), out, to_standard)


cdef object snapshot_of(object value):
    return snapshot(<Array>value) if is_array(value) else value


cdef object alias_of(object value):
    if not is_array(value):
        return value
    if not (<Array>value).writeable:
        raise ValueError("output array is read-only")
    return export(<Array>value, FOREIGN)


cdef object written(object result, tuple aliases, tuple out, bint to_standard):
    """Return a stranger's result; if it is an array's writable alias, the array itself."""
    for alias, value in zip(aliases, out):
        if result is alias:
            return value
    return brought(result, to_standard)
