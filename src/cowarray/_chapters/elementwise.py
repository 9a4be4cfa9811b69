"""The chapter "element-wise functions" of the array API standard, 2024.12.

Operands, named x or x1 and x2, are array_like: cowarray's arrays or NumPy's, scalars, lists, anything with a buffer
or ``__array__``. They are only read, and lazy copies stay lazy. NumPy computes, so values, promotion,
warnings and errors are its own. Results are `cowarray.ndarray`, or NumPy's scalars in place of arrays without axes. For
a masked array, or another type with rules of its own, the result is NumPy's.

The options are those of NumPy's ufuncs. ``out`` is written to where ``where`` is true, and returned in place of a fresh
array; if it shares bytes it first gets its own, unless all of it is replaced. ``dtype`` is the type that NumPy computes
in, and ``casting`` decides which conversions to it are allowed.

Most functions are a line, and their price is that of the call: see `_ops/protocols.pyx`. For that reason no option is
keyword-only: CPython takes 50 ns longer to call such functions. Parameters are the same for all functions of a
signature: `_completed` puts them into the docstrings.

It is one file because a chapter of the standard is one module. Read it a function at a time.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any, ParamSpec, SupportsIndex, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from cowarray._chapters import ufunc_methods as _methods
from cowarray._chapters.docstrings import Completed, complete
from cowarray._face.annotations import AnyArray, Cast, DType, Operand, Out, Where
from cowarray._ops.protocols import elementwise1, elementwise2, imported

__all__ = [
    "abs",
    "acos",
    "acosh",
    "add",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "ceil",
    "clip",
    "conj",
    "copysign",
    "cos",
    "cosh",
    "divide",
    "equal",
    "exp",
    "expm1",
    "floor",
    "floor_divide",
    "greater",
    "greater_equal",
    "hypot",
    "imag",
    "isfinite",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "multiply",
    "negative",
    "nextafter",
    "not_equal",
    "positive",
    "pow",
    "real",
    "reciprocal",
    "remainder",
    "round",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "subtract",
    "tan",
    "tanh",
    "trunc",
]

# Python looks up np.add the long way each time, for NumPy's module has a __getattr__. In a module without one it is
# found where it was the last time: 310 ns instead of 340 for a sum of ten numbers, of which np.add takes 220.
_ufuncs = ModuleType("ufuncs", "NumPy's ufuncs.")
vars(_ufuncs).update({name: item for name, item in vars(np).items() if isinstance(item, np.ufunc)})

_PARAMETERS = {
    "x": "array_like",
    "x1": "array_like",
    "x2": "array_like\n    Broadcast with x1.",
    "out": "ndarray, or tuple of one, optional\n    Written and returned, in place of a fresh array.",
    "where": (
        "array_like of bool, default True\n"
        "    The elements to compute. The others keep what `out` has there; without `out` they are undefined."
    ),
    "dtype": "dtype, optional\n    The type to compute in. Default: what NumPy's rules of promotion give.",
    "casting": (
        "{'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, default 'same_kind'\n"
        "    Which conversions to that type, and to that of `out`, are allowed."
    ),
}
_complete = Completed(_PARAMETERS)
_Call = ParamSpec("_Call")
_Result = TypeVar("_Result")


def _completed(function: Callable[_Call, _Result]) -> _methods.Ufunc[_Call, _Result]:
    """A ufunc's function with its whole docstring. What it has beside its call comes at the end of the module."""
    return _methods.as_ufunc(_complete(function))


@_completed
def abs(x: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind") -> Any:
    """Absolute values; of complex numbers their magnitudes.

    Fresh, of x's shape and dtype; real.
    """
    return elementwise1(_ufuncs.absolute, x, out, where, dtype, casting)


@_completed
def acos(x: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind") -> Any:
    """Arc cosines, in radians from 0 to π.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.arccos, x, out, where, dtype, casting)


@_completed
def acosh(x: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind") -> Any:
    """Inverse hyperbolic cosines.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.arccosh, x, out, where, dtype, casting)


@_completed
def add(
    x1: Operand, x2: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Sums, ``x1 + x2``.

    Fresh; shapes broadcast, dtypes promote.

    Examples
    --------
    >>> import cowarray
    >>> cowarray.add(cowarray.asarray([1, 2]), [0.5, 1])
    array([1.5, 3. ])
    """
    return elementwise2(_ufuncs.add, x1, x2, out, where, dtype, casting)


@_completed
def asin(x: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind") -> Any:
    """Arc sines, in radians from -π/2 to π/2.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.arcsin, x, out, where, dtype, casting)


@_completed
def asinh(x: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind") -> Any:
    """Inverse hyperbolic sines.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.arcsinh, x, out, where, dtype, casting)


@_completed
def atan(x: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind") -> Any:
    """Arc tangents, in radians from -π/2 to π/2.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.arctan, x, out, where, dtype, casting)


@_completed
def atan2(
    x1: Operand, x2: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Angles of the points (x2, x1), in radians from -π to π: arc tangents of ``x1 / x2`` in the right quadrant.

    Fresh; shapes broadcast, dtypes promote to real floating point.
    """
    return elementwise2(_ufuncs.arctan2, x1, x2, out, where, dtype, casting)


@_completed
def atanh(x: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind") -> Any:
    """Inverse hyperbolic tangents.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.arctanh, x, out, where, dtype, casting)


@_completed
def bitwise_and(
    x1: Operand, x2: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Bits that are set in both, ``x1 & x2``, of integers or booleans.

    Fresh; shapes broadcast, dtypes promote.
    """
    return elementwise2(_ufuncs.bitwise_and, x1, x2, out, where, dtype, casting)


@_completed
def bitwise_invert(
    x: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """All bits flipped, ``~x``, of integers or booleans.

    Fresh, of x's shape and dtype.
    """
    return elementwise1(_ufuncs.invert, x, out, where, dtype, casting)


@_completed
def bitwise_left_shift(
    x1: Operand, x2: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Bits of x1 moved x2 places to the left, ``x1 << x2``, of integers.

    Fresh; shapes broadcast, dtypes promote.
    """
    return elementwise2(_ufuncs.left_shift, x1, x2, out, where, dtype, casting)


@_completed
def bitwise_or(
    x1: Operand, x2: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Bits that are set in one or in both, ``x1 | x2``, of integers or booleans.

    Fresh; shapes broadcast, dtypes promote.
    """
    return elementwise2(_ufuncs.bitwise_or, x1, x2, out, where, dtype, casting)


@_completed
def bitwise_right_shift(
    x1: Operand, x2: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Bits of x1 moved x2 places to the right, ``x1 >> x2``, of integers; the sign stays.

    Fresh; shapes broadcast, dtypes promote.
    """
    return elementwise2(_ufuncs.right_shift, x1, x2, out, where, dtype, casting)


@_completed
def bitwise_xor(
    x1: Operand, x2: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Bits that are set in just one, ``x1 ^ x2``, of integers or booleans.

    Fresh; shapes broadcast, dtypes promote.
    """
    return elementwise2(_ufuncs.bitwise_xor, x1, x2, out, where, dtype, casting)


@_completed
def ceil(x: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind") -> Any:
    """The least whole numbers that are not less than x.

    Fresh, of x's shape and dtype.
    """
    return elementwise1(_ufuncs.ceil, x, out, where, dtype, casting)


def clip(
    a: ArrayLike,
    min: ArrayLike | None = None,
    max: ArrayLike | None = None,
    out: AnyArray | None = None,
    *,
    a_min: ArrayLike | None = None,
    a_max: ArrayLike | None = None,
    **kwargs: Any,
) -> Any:
    """Elements limited to an interval.

    Parameters
    ----------
    a : array_like
    min, max : array_like, optional
        The bounds, which broadcast with a. ``None``: no bound.
    out : ndarray, optional
        Written, and returned.
    a_min, a_max : array_like, optional
        NumPy's other names of the bounds.
    **kwargs
        As for `numpy.clip`: ``where``, ``dtype``, ``casting``, ...

    Returns
    -------
    ndarray
        Fresh; dtypes promote, and Python's own numbers are taken in that of a.

    Raises
    ------
    ValueError
        A bound is given under both of its names.

    Examples
    --------
    >>> import cowarray
    >>> cowarray.clip(cowarray.asarray([1, 5, 9]), 2, 6)
    array([2, 5, 6])
    """
    if (a_min is not None and min is not None) or (a_max is not None and max is not None):
        raise ValueError(
            "clip: a_min and min are two names for one bound, and so are a_max and max; pass only one of each "
            f"(got {a_min=}, {a_max=}, {min=}, {max=})"
        )
    low = imported(min if a_min is None else a_min)
    high = imported(max if a_max is None else a_max)
    given: Any = out
    return np.clip(imported(a), low, high, given, **kwargs)


@_completed
def conj(x: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind") -> Any:
    """Complex conjugates.

    Fresh, of x's shape and dtype. Where `ndarray.conj` may be a lazy copy, this computes.
    """
    return elementwise1(_ufuncs.conjugate, x, out, where, dtype, casting)


@_completed
def copysign(
    x1: Operand, x2: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Magnitudes of x1 with the signs of x2.

    Fresh; shapes broadcast, dtypes promote to real floating point.
    """
    return elementwise2(_ufuncs.copysign, x1, x2, out, where, dtype, casting)


@_completed
def cos(x: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind") -> Any:
    """Cosines of angles in radians.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.cos, x, out, where, dtype, casting)


@_completed
def cosh(x: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind") -> Any:
    """Hyperbolic cosines.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.cosh, x, out, where, dtype, casting)


@_completed
def divide(
    x1: Operand, x2: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Quotients, ``x1 / x2``, in floating point, also of integers.

    Fresh; shapes broadcast, dtypes promote.
    """
    return elementwise2(_ufuncs.divide, x1, x2, out, where, dtype, casting)


@_completed
def equal(
    x1: Operand, x2: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Whether elements are equal, ``x1 == x2``.

    Fresh; shapes broadcast; booleans.
    """
    return elementwise2(_ufuncs.equal, x1, x2, out, where, dtype, casting)


@_completed
def exp(x: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind") -> Any:
    """Exponentials, to the base e.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.exp, x, out, where, dtype, casting)


@_completed
def expm1(x: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind") -> Any:
    """``exp(x) - 1``, exact also where x is near 0.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.expm1, x, out, where, dtype, casting)


@_completed
def floor(x: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind") -> Any:
    """The greatest whole numbers that are not greater than x.

    Fresh, of x's shape and dtype.
    """
    return elementwise1(_ufuncs.floor, x, out, where, dtype, casting)


@_completed
def floor_divide(
    x1: Operand, x2: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Quotients rounded down, ``x1 // x2``, of real numbers.

    Fresh; shapes broadcast, dtypes promote.
    """
    return elementwise2(_ufuncs.floor_divide, x1, x2, out, where, dtype, casting)


@_completed
def greater(
    x1: Operand, x2: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Whether elements are greater, ``x1 > x2``.

    Fresh; shapes broadcast; booleans.
    """
    return elementwise2(_ufuncs.greater, x1, x2, out, where, dtype, casting)


@_completed
def greater_equal(
    x1: Operand, x2: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Whether elements are greater or equal, ``x1 >= x2``.

    Fresh; shapes broadcast; booleans.
    """
    return elementwise2(_ufuncs.greater_equal, x1, x2, out, where, dtype, casting)


@_completed
def hypot(
    x1: Operand, x2: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """``sqrt(x1**2 + x2**2)``, without overflow on the way.

    Fresh; shapes broadcast, dtypes promote to real floating point.
    """
    return elementwise2(_ufuncs.hypot, x1, x2, out, where, dtype, casting)


def imag(val: ArrayLike) -> Any:
    """Imaginary parts.

    Parameters
    ----------
    val : array_like

    Returns
    -------
    ndarray
        A view of val, if it is a complex array of this library, and read-only zeros if it is real. Anything else is
        converted first.
    """
    return np.imag(imported(val))


@_completed
def isfinite(
    x: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Whether elements are neither infinite nor NaN.

    Fresh, of x's shape; booleans.
    """
    return elementwise1(_ufuncs.isfinite, x, out, where, dtype, casting)


@_completed
def isinf(x: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind") -> Any:
    """Whether elements are infinite.

    Fresh, of x's shape; booleans.
    """
    return elementwise1(_ufuncs.isinf, x, out, where, dtype, casting)


@_completed
def isnan(x: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind") -> Any:
    """Whether elements are NaN.

    Fresh, of x's shape; booleans.
    """
    return elementwise1(_ufuncs.isnan, x, out, where, dtype, casting)


@_completed
def less(
    x1: Operand, x2: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Whether elements are less, ``x1 < x2``.

    Fresh; shapes broadcast; booleans.
    """
    return elementwise2(_ufuncs.less, x1, x2, out, where, dtype, casting)


@_completed
def less_equal(
    x1: Operand, x2: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Whether elements are less or equal, ``x1 <= x2``.

    Fresh; shapes broadcast; booleans.
    """
    return elementwise2(_ufuncs.less_equal, x1, x2, out, where, dtype, casting)


@_completed
def log(x: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind") -> Any:
    """Logarithms to the base e.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.log, x, out, where, dtype, casting)


@_completed
def log10(x: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind") -> Any:
    """Logarithms to the base 10.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.log10, x, out, where, dtype, casting)


@_completed
def log1p(x: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind") -> Any:
    """``log(1 + x)``, exact also where x is near 0.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.log1p, x, out, where, dtype, casting)


@_completed
def log2(x: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind") -> Any:
    """Logarithms to the base 2.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.log2, x, out, where, dtype, casting)


@_completed
def logaddexp(
    x1: Operand, x2: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """``log(exp(x1) + exp(x2))``, without overflow on the way.

    Fresh; shapes broadcast, dtypes promote to real floating point.
    """
    return elementwise2(_ufuncs.logaddexp, x1, x2, out, where, dtype, casting)


@_completed
def logical_and(
    x1: Operand, x2: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Whether both are true; numbers are, but for 0.

    Fresh; shapes broadcast; booleans.
    """
    return elementwise2(_ufuncs.logical_and, x1, x2, out, where, dtype, casting)


@_completed
def logical_not(
    x: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Whether elements are false; of numbers only 0 is.

    Fresh, of x's shape; booleans.
    """
    return elementwise1(_ufuncs.logical_not, x, out, where, dtype, casting)


@_completed
def logical_or(
    x1: Operand, x2: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Whether one or both are true; numbers are, but for 0.

    Fresh; shapes broadcast; booleans.
    """
    return elementwise2(_ufuncs.logical_or, x1, x2, out, where, dtype, casting)


@_completed
def logical_xor(
    x1: Operand, x2: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Whether just one is true; numbers are, but for 0.

    Fresh; shapes broadcast; booleans.
    """
    return elementwise2(_ufuncs.logical_xor, x1, x2, out, where, dtype, casting)


@_completed
def maximum(
    x1: Operand, x2: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """The greater of two elements; NaN if one is.

    Fresh; shapes broadcast, dtypes promote.
    """
    return elementwise2(_ufuncs.maximum, x1, x2, out, where, dtype, casting)


@_completed
def minimum(
    x1: Operand, x2: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """The lesser of two elements; NaN if one is.

    Fresh; shapes broadcast, dtypes promote.
    """
    return elementwise2(_ufuncs.minimum, x1, x2, out, where, dtype, casting)


@_completed
def multiply(
    x1: Operand, x2: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Products, ``x1 * x2``.

    Fresh; shapes broadcast, dtypes promote.
    """
    return elementwise2(_ufuncs.multiply, x1, x2, out, where, dtype, casting)


@_completed
def negative(
    x: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Numbers with the other sign, ``-x``.

    Fresh, of x's shape and dtype.
    """
    return elementwise1(_ufuncs.negative, x, out, where, dtype, casting)


@_completed
def nextafter(
    x1: Operand, x2: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """The next floating-point numbers after x1 in the direction of x2.

    Fresh; shapes broadcast, dtypes promote.
    """
    return elementwise2(_ufuncs.nextafter, x1, x2, out, where, dtype, casting)


@_completed
def not_equal(
    x1: Operand, x2: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Whether elements differ, ``x1 != x2``.

    Fresh; shapes broadcast; booleans.
    """
    return elementwise2(_ufuncs.not_equal, x1, x2, out, where, dtype, casting)


@_completed
def positive(
    x: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """The numbers themselves, ``+x``.

    Fresh, of x's shape and dtype.
    """
    return elementwise1(_ufuncs.positive, x, out, where, dtype, casting)


@_completed
def pow(
    x1: Operand, x2: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Powers, ``x1 ** x2``.

    Fresh; shapes broadcast, dtypes promote.

    Raises
    ------
    ValueError
        Integers to a negative integer power.
    """
    return elementwise2(_ufuncs.power, x1, x2, out, where, dtype, casting)


def real(val: ArrayLike) -> Any:
    """Real parts.

    Parameters
    ----------
    val : array_like

    Returns
    -------
    ndarray
        A view of val, if it is an array of this library. Anything else is converted first.

    Examples
    --------
    >>> import cowarray
    >>> x = cowarray.asarray([1 + 2j, 3 + 4j])
    >>> cowarray.real(x)[0] = 7
    >>> x
    array([7.+2.j, 3.+4.j])
    """
    return np.real(imported(val))


@_completed
def reciprocal(
    x: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """``1 / x``; of integers the whole part.

    Fresh, of x's shape and dtype.
    """
    return elementwise1(_ufuncs.reciprocal, x, out, where, dtype, casting)


@_completed
def remainder(
    x1: Operand, x2: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Remainders of the division, ``x1 % x2``, with the sign of x2; of real numbers.

    Fresh; shapes broadcast, dtypes promote.
    """
    return elementwise2(_ufuncs.remainder, x1, x2, out, where, dtype, casting)


def round(a: ArrayLike, decimals: SupportsIndex = 0, out: AnyArray | None = None) -> Any:
    """Elements rounded; halves to the even neighbour.

    Parameters
    ----------
    a : array_like
    decimals : int, default 0
        Decimal places to keep; where negative, so many places before the point become 0. Not in the standard.
    out : ndarray, optional
        Written, and returned.

    Returns
    -------
    ndarray
        Fresh, of a's shape and dtype.

    Examples
    --------
    >>> import cowarray
    >>> cowarray.round(cowarray.asarray([0.5, 1.5, 2.25]))
    array([0., 2., 2.])
    """
    given: Any = out
    return np.round(imported(a), decimals, given)


@_completed
def sign(x: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind") -> Any:
    """-1, 0 or 1, as x is less than, equal to or greater than 0; of complex numbers ``x / abs(x)``.

    Fresh, of x's shape and dtype.
    """
    return elementwise1(_ufuncs.sign, x, out, where, dtype, casting)


@_completed
def signbit(
    x: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Whether the sign bit is set: less than 0, or -0.0.

    Fresh, of x's shape; booleans.
    """
    return elementwise1(_ufuncs.signbit, x, out, where, dtype, casting)


@_completed
def sin(x: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind") -> Any:
    """Sines of angles in radians.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.sin, x, out, where, dtype, casting)


@_completed
def sinh(x: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind") -> Any:
    """Hyperbolic sines.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.sinh, x, out, where, dtype, casting)


@_completed
def sqrt(x: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind") -> Any:
    """Square roots that are not negative; NaN, with a warning, of negative real numbers.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.sqrt, x, out, where, dtype, casting)


@_completed
def square(
    x: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Squares, ``x * x``.

    Fresh, of x's shape and dtype.
    """
    return elementwise1(_ufuncs.square, x, out, where, dtype, casting)


@_completed
def subtract(
    x1: Operand, x2: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Differences, ``x1 - x2``.

    Fresh; shapes broadcast, dtypes promote.
    """
    return elementwise2(_ufuncs.subtract, x1, x2, out, where, dtype, casting)


@_completed
def tan(x: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind") -> Any:
    """Tangents of angles in radians.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.tan, x, out, where, dtype, casting)


@_completed
def tanh(x: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind") -> Any:
    """Hyperbolic tangents.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.tanh, x, out, where, dtype, casting)


@_completed
def trunc(x: Operand, /, out: Out = None, where: Where = True, dtype: DType = None, casting: Cast = "same_kind") -> Any:
    """The whole numbers next to x in the direction of 0.

    Fresh, of x's shape and dtype.
    """
    return elementwise1(_ufuncs.trunc, x, out, where, dtype, casting)


for _name in __all__:
    if hasattr(_ufuncs, _name):
        _methods.with_methods(globals()[_name], getattr(_ufuncs, _name))

complete(globals())
