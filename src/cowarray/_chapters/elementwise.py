"""The chapter "element-wise functions" of the array API standard, 2025.12.

Operands, named x or x1 and x2, are array_like: cowarray's arrays or NumPy's, scalars, lists, anything with a buffer or
``__array__``. They are only read, and lazy copies stay lazy. NumPy computes, so values, promotion, warnings and errors
are NumPy's. Results are `cowarray.ndarray`, or NumPy's scalars in place of arrays without axes. For a masked array, or
another type with its own rules, the result is NumPy's.

The options are those of NumPy's ufuncs. ``out`` is written where ``where`` is true, and returned in place of a fresh
array; if it shares bytes it first gets its own, unless all of it is replaced. ``dtype`` is that of the result, by which
NumPy chooses the type to compute in; ``casting`` decides which conversions are allowed.

Most functions are declared by signature and docstring, and `calling` makes each from its ufunc. Functions with the same
signature have the same parameters: `_completed` puts them into the docstrings.

It is one file because a chapter of the standard is one module. Read it a function at a time.
"""

from typing import Any, SupportsIndex

import numpy as np
from numpy import _NoValue
from numpy._globals import _NoValueType
from numpy.typing import ArrayLike

from cowarray._chapters.declared import calling, dispatching
from cowarray._chapters.docstrings import Completed, complete
from cowarray._face.annotations import AnyArray, Cast, DType, Operand, Out, Where
from cowarray._ops.elementwise import imported
from cowarray._ops.functions import dispatched

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

_PARAMETERS = {
    "x": "array_like",
    "x1": "array_like",
    "x2": "array_like\n    Broadcast with x1.",
    "out": "ndarray, or tuple of one, optional\n    Written and returned, in place of a fresh array.",
    "where": (
        "array_like of bool, default True\n"
        "    The elements to compute. The others keep their values in `out`; without `out` they are undefined."
    ),
    "dtype": (
        "dtype, optional\n"
        "    That of the result, by which NumPy chooses the type to compute in. Default: by NumPy's promotion rules."
    ),
    "casting": (
        "{'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, default 'same_kind'\n"
        "    Which conversions are allowed: of operands to the type to compute in, and of results to out's."
    ),
}
_completed = Completed(_PARAMETERS)


@calling(np.absolute)
@_completed
def abs(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Return absolute values: of complex numbers, their magnitudes.

    Fresh, of x's shape and dtype; for complex numbers, the dtype of their parts.
    """


@calling(np.arccos)
@_completed
def acos(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Compute arc cosines, in radians from 0 to π.

    Fresh, of x's shape; real or complex, in floating point.
    """


@calling(np.arccosh)
@_completed
def acosh(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Compute inverse hyperbolic cosines.

    Fresh, of x's shape; real or complex, in floating point.
    """


@calling(np.add)
@_completed
def add(
    x1: Operand,
    x2: Operand,
    /,
    out: Out = None,
    *,
    where: Where = True,
    dtype: DType = None,
    casting: Cast = "same_kind",
) -> Any:
    """Add elements, ``x1 + x2``.

    Fresh; shapes broadcast, dtypes promote.

    Examples
    --------
    >>> import cowarray
    >>> cowarray.add(cowarray.asarray([1, 2]), [0.5, 1])
    array([1.5, 3. ])
    """


@calling(np.arcsin)
@_completed
def asin(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Compute arc sines, in radians from -π/2 to π/2.

    Fresh, of x's shape; real or complex, in floating point.
    """


@calling(np.arcsinh)
@_completed
def asinh(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Compute inverse hyperbolic sines.

    Fresh, of x's shape; real or complex, in floating point.
    """


@calling(np.arctan)
@_completed
def atan(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Compute arc tangents, in radians from -π/2 to π/2.

    Fresh, of x's shape; real or complex, in floating point.
    """


@calling(np.arctan2)
@_completed
def atan2(
    x1: Operand,
    x2: Operand,
    /,
    out: Out = None,
    *,
    where: Where = True,
    dtype: DType = None,
    casting: Cast = "same_kind",
) -> Any:
    """Compute angles of points (x2, x1), in radians from -π to π: arc tangents of ``x1 / x2`` in the right quadrant.

    Fresh; shapes broadcast, dtypes promote to real floating point.
    """


@calling(np.arctanh)
@_completed
def atanh(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Compute inverse hyperbolic tangents.

    Fresh, of x's shape; real or complex, in floating point.
    """


@calling(np.bitwise_and)
@_completed
def bitwise_and(
    x1: Operand,
    x2: Operand,
    /,
    out: Out = None,
    *,
    where: Where = True,
    dtype: DType = None,
    casting: Cast = "same_kind",
) -> Any:
    """Keep the bits that are set in both, ``x1 & x2``, of integers or booleans.

    Fresh; shapes broadcast, dtypes promote.
    """


@calling(np.invert)
@_completed
def bitwise_invert(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Flip all bits, ``~x``, of integers or booleans.

    Fresh, of x's shape and dtype.
    """


@calling(np.left_shift)
@_completed
def bitwise_left_shift(
    x1: Operand,
    x2: Operand,
    /,
    out: Out = None,
    *,
    where: Where = True,
    dtype: DType = None,
    casting: Cast = "same_kind",
) -> Any:
    """Shift the bits of x1 by x2 places to the left, ``x1 << x2``, of integers.

    Fresh; shapes broadcast, dtypes promote.
    """


@calling(np.bitwise_or)
@_completed
def bitwise_or(
    x1: Operand,
    x2: Operand,
    /,
    out: Out = None,
    *,
    where: Where = True,
    dtype: DType = None,
    casting: Cast = "same_kind",
) -> Any:
    """Combine the bits that are set in one or both, ``x1 | x2``, of integers or booleans.

    Fresh; shapes broadcast, dtypes promote.
    """


@calling(np.right_shift)
@_completed
def bitwise_right_shift(
    x1: Operand,
    x2: Operand,
    /,
    out: Out = None,
    *,
    where: Where = True,
    dtype: DType = None,
    casting: Cast = "same_kind",
) -> Any:
    """Shift the bits of x1 by x2 places to the right, ``x1 >> x2``, of integers; the sign stays.

    Fresh; shapes broadcast, dtypes promote.
    """


@calling(np.bitwise_xor)
@_completed
def bitwise_xor(
    x1: Operand,
    x2: Operand,
    /,
    out: Out = None,
    *,
    where: Where = True,
    dtype: DType = None,
    casting: Cast = "same_kind",
) -> Any:
    """Keep the bits that are set in just one, ``x1 ^ x2``, of integers or booleans.

    Fresh; shapes broadcast, dtypes promote.
    """


@calling(np.ceil)
@_completed
def ceil(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Round up to the least whole numbers that are not less than x.

    Fresh, of x's shape and dtype.
    """


def clip(
    a: ArrayLike,
    a_min: ArrayLike | _NoValueType | None = _NoValue,
    a_max: ArrayLike | _NoValueType | None = _NoValue,
    out: AnyArray | None = None,
    *,
    min: ArrayLike | _NoValueType | None = _NoValue,
    max: ArrayLike | _NoValueType | None = _NoValue,
    **kwargs: Any,
) -> Any:
    """Limit elements to an interval.

    Parameters
    ----------
    a : array_like
    a_min, a_max : array_like, optional
        The bounds, which broadcast with a. ``None``: no bound.
    out : ndarray, optional
        Written, and returned.
    min, max : array_like, optional
        The standard's names of the bounds.
    **kwargs
        As for `numpy.clip`: ``where``, ``dtype``, ``casting``, ...

    Returns
    -------
    ndarray
        Fresh; dtypes promote, and Python numbers take the dtype of a.

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
    if (a_min is not _NoValue and min is not _NoValue) or (a_max is not _NoValue and max is not _NoValue):
        raise ValueError(
            "clip: a_min and min are two names for one bound, and so are a_max and max; pass only one of each "
            f"(got {a_min=}, {a_max=}, {min=}, {max=})"
        )
    low, high = (
        None if bound is _NoValue else bound
        for bound in (min if a_min is _NoValue else a_min, max if a_max is _NoValue else a_max)
    )
    given: dict[str, Any] = kwargs if out is None else {"out": out, **kwargs}
    return dispatched(np.clip, a, low, high, **given)


@calling(np.conjugate)
@_completed
def conj(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Return complex conjugates.

    Fresh, of x's shape and dtype. Unlike `ndarray.conj`, which may be a lazy copy, this always computes.
    """


@calling(np.copysign)
@_completed
def copysign(
    x1: Operand,
    x2: Operand,
    /,
    out: Out = None,
    *,
    where: Where = True,
    dtype: DType = None,
    casting: Cast = "same_kind",
) -> Any:
    """Combine the magnitudes of x1 with the signs of x2.

    Fresh; shapes broadcast, dtypes promote to real floating point.
    """


@calling(np.cos)
@_completed
def cos(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Compute cosines of angles in radians.

    Fresh, of x's shape; real or complex, in floating point.
    """


@calling(np.cosh)
@_completed
def cosh(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Compute hyperbolic cosines.

    Fresh, of x's shape; real or complex, in floating point.
    """


@calling(np.divide)
@_completed
def divide(
    x1: Operand,
    x2: Operand,
    /,
    out: Out = None,
    *,
    where: Where = True,
    dtype: DType = None,
    casting: Cast = "same_kind",
) -> Any:
    """Divide elements, ``x1 / x2``, in floating point even for integers.

    Fresh; shapes broadcast, dtypes promote.
    """


@calling(np.equal)
@_completed
def equal(
    x1: Operand,
    x2: Operand,
    /,
    out: Out = None,
    *,
    where: Where = True,
    dtype: DType = None,
    casting: Cast = "same_kind",
) -> Any:
    """Test whether elements are equal, ``x1 == x2``.

    Fresh; shapes broadcast; booleans.
    """


@calling(np.exp)
@_completed
def exp(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Compute exponentials to the base e.

    Fresh, of x's shape; real or complex, in floating point.
    """


@calling(np.expm1)
@_completed
def expm1(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Compute ``exp(x) - 1``, precise even for x near 0.

    Fresh, of x's shape; real or complex, in floating point.
    """


@calling(np.floor)
@_completed
def floor(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Round down to the greatest whole numbers that are not greater than x.

    Fresh, of x's shape and dtype.
    """


@calling(np.floor_divide)
@_completed
def floor_divide(
    x1: Operand,
    x2: Operand,
    /,
    out: Out = None,
    *,
    where: Where = True,
    dtype: DType = None,
    casting: Cast = "same_kind",
) -> Any:
    """Divide real numbers and round down, ``x1 // x2``.

    Fresh; shapes broadcast, dtypes promote.
    """


@calling(np.greater)
@_completed
def greater(
    x1: Operand,
    x2: Operand,
    /,
    out: Out = None,
    *,
    where: Where = True,
    dtype: DType = None,
    casting: Cast = "same_kind",
) -> Any:
    """Test whether elements of x1 are greater, ``x1 > x2``.

    Fresh; shapes broadcast; booleans.
    """


@calling(np.greater_equal)
@_completed
def greater_equal(
    x1: Operand,
    x2: Operand,
    /,
    out: Out = None,
    *,
    where: Where = True,
    dtype: DType = None,
    casting: Cast = "same_kind",
) -> Any:
    """Test whether elements of x1 are greater or equal, ``x1 >= x2``.

    Fresh; shapes broadcast; booleans.
    """


@calling(np.hypot)
@_completed
def hypot(
    x1: Operand,
    x2: Operand,
    /,
    out: Out = None,
    *,
    where: Where = True,
    dtype: DType = None,
    casting: Cast = "same_kind",
) -> Any:
    """Compute ``sqrt(x1**2 + x2**2)`` without intermediate overflow.

    Fresh; shapes broadcast, dtypes promote to real floating point.
    """


def imag(val: ArrayLike) -> Any:
    """Return the imaginary parts.

    Parameters
    ----------
    val : array_like

    Returns
    -------
    ndarray
        A view of val, if it is a complex array of this library, and read-only zeros if it is real. Anything else is
        converted first. Since NumPy 2.5, objects are asked for their parts, and the result is read-only; before, it is
        zeros.
    """
    return np.imag(imported(val))


@calling(np.isfinite)
@_completed
def isfinite(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Test whether elements are neither infinite nor NaN.

    Fresh, of x's shape; booleans.
    """


@calling(np.isinf)
@_completed
def isinf(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Test whether elements are infinite.

    Fresh, of x's shape; booleans.
    """


@calling(np.isnan)
@_completed
def isnan(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Test whether elements are NaN.

    Fresh, of x's shape; booleans.
    """


@calling(np.less)
@_completed
def less(
    x1: Operand,
    x2: Operand,
    /,
    out: Out = None,
    *,
    where: Where = True,
    dtype: DType = None,
    casting: Cast = "same_kind",
) -> Any:
    """Test whether elements of x1 are less, ``x1 < x2``.

    Fresh; shapes broadcast; booleans.
    """


@calling(np.less_equal)
@_completed
def less_equal(
    x1: Operand,
    x2: Operand,
    /,
    out: Out = None,
    *,
    where: Where = True,
    dtype: DType = None,
    casting: Cast = "same_kind",
) -> Any:
    """Test whether elements of x1 are less or equal, ``x1 <= x2``.

    Fresh; shapes broadcast; booleans.
    """


@calling(np.log)
@_completed
def log(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Compute logarithms to the base e.

    Fresh, of x's shape; real or complex, in floating point.
    """


@calling(np.log10)
@_completed
def log10(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Compute logarithms to the base 10.

    Fresh, of x's shape; real or complex, in floating point.
    """


@calling(np.log1p)
@_completed
def log1p(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Compute ``log(1 + x)``, precise even for x near 0.

    Fresh, of x's shape; real or complex, in floating point.
    """


@calling(np.log2)
@_completed
def log2(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Compute logarithms to the base 2.

    Fresh, of x's shape; real or complex, in floating point.
    """


@calling(np.logaddexp)
@_completed
def logaddexp(
    x1: Operand,
    x2: Operand,
    /,
    out: Out = None,
    *,
    where: Where = True,
    dtype: DType = None,
    casting: Cast = "same_kind",
) -> Any:
    """Compute ``log(exp(x1) + exp(x2))`` without intermediate overflow.

    Fresh; shapes broadcast, dtypes promote to real floating point.
    """


@calling(np.logical_and)
@_completed
def logical_and(
    x1: Operand,
    x2: Operand,
    /,
    out: Out = None,
    *,
    where: Where = True,
    dtype: DType = None,
    casting: Cast = "same_kind",
) -> Any:
    """Test whether both elements are true; every number except 0 is.

    Fresh; shapes broadcast; booleans.
    """


@calling(np.logical_not)
@_completed
def logical_not(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Test whether elements are false; the only number that is false is 0.

    Fresh, of x's shape; booleans.
    """


@calling(np.logical_or)
@_completed
def logical_or(
    x1: Operand,
    x2: Operand,
    /,
    out: Out = None,
    *,
    where: Where = True,
    dtype: DType = None,
    casting: Cast = "same_kind",
) -> Any:
    """Test whether one or both elements are true; every number except 0 is.

    Fresh; shapes broadcast; booleans.
    """


@calling(np.logical_xor)
@_completed
def logical_xor(
    x1: Operand,
    x2: Operand,
    /,
    out: Out = None,
    *,
    where: Where = True,
    dtype: DType = None,
    casting: Cast = "same_kind",
) -> Any:
    """Test whether exactly one element is true; every number except 0 is.

    Fresh; shapes broadcast; booleans.
    """


@calling(np.maximum)
@_completed
def maximum(
    x1: Operand,
    x2: Operand,
    /,
    out: Out = None,
    *,
    where: Where = True,
    dtype: DType = None,
    casting: Cast = "same_kind",
) -> Any:
    """Return the greater of two elements; NaN if either is NaN.

    Fresh; shapes broadcast, dtypes promote.
    """


@calling(np.minimum)
@_completed
def minimum(
    x1: Operand,
    x2: Operand,
    /,
    out: Out = None,
    *,
    where: Where = True,
    dtype: DType = None,
    casting: Cast = "same_kind",
) -> Any:
    """Return the lesser of two elements; NaN if either is NaN.

    Fresh; shapes broadcast, dtypes promote.
    """


@calling(np.multiply)
@_completed
def multiply(
    x1: Operand,
    x2: Operand,
    /,
    out: Out = None,
    *,
    where: Where = True,
    dtype: DType = None,
    casting: Cast = "same_kind",
) -> Any:
    """Multiply elements, ``x1 * x2``.

    Fresh; shapes broadcast, dtypes promote.
    """


@calling(np.negative)
@_completed
def negative(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Negate numbers, ``-x``.

    Fresh, of x's shape and dtype.
    """


@calling(np.nextafter)
@_completed
def nextafter(
    x1: Operand,
    x2: Operand,
    /,
    out: Out = None,
    *,
    where: Where = True,
    dtype: DType = None,
    casting: Cast = "same_kind",
) -> Any:
    """Return the next floating-point numbers after x1 in the direction of x2.

    Fresh; shapes broadcast, dtypes promote.
    """


@calling(np.not_equal)
@_completed
def not_equal(
    x1: Operand,
    x2: Operand,
    /,
    out: Out = None,
    *,
    where: Where = True,
    dtype: DType = None,
    casting: Cast = "same_kind",
) -> Any:
    """Test whether elements differ, ``x1 != x2``.

    Fresh; shapes broadcast; booleans.
    """


@calling(np.positive)
@_completed
def positive(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Return the numbers themselves, ``+x``.

    Fresh, of x's shape and dtype.
    """


@calling(np.power)
@_completed
def pow(
    x1: Operand,
    x2: Operand,
    /,
    out: Out = None,
    *,
    where: Where = True,
    dtype: DType = None,
    casting: Cast = "same_kind",
) -> Any:
    """Raise elements to powers, ``x1 ** x2``.

    Fresh; shapes broadcast, dtypes promote.

    Raises
    ------
    ValueError
        An integer is raised to a negative integer power.
    """


def real(val: ArrayLike) -> Any:
    """Return the real parts.

    Parameters
    ----------
    val : array_like

    Returns
    -------
    ndarray
        A view of val, if it is an array of this library. Anything else is converted first. Since NumPy 2.5, objects are
        asked for their parts, and the result is read-only.

    Examples
    --------
    >>> import cowarray
    >>> x = cowarray.asarray([1 + 2j, 3 + 4j])
    >>> cowarray.real(x)[0] = 7
    >>> x
    array([7.+2.j, 3.+4.j])
    """
    return np.real(imported(val))


@calling(np.reciprocal)
@_completed
def reciprocal(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Compute ``1 / x``; of integers, the whole part.

    Fresh, of x's shape and dtype.
    """


@calling(np.remainder)
@_completed
def remainder(
    x1: Operand,
    x2: Operand,
    /,
    out: Out = None,
    *,
    where: Where = True,
    dtype: DType = None,
    casting: Cast = "same_kind",
) -> Any:
    """Compute remainders of real numbers, ``x1 % x2``, with the sign of x2.

    Fresh; shapes broadcast, dtypes promote.
    """


@dispatching(np.round)
def round(a: ArrayLike, decimals: SupportsIndex = 0, out: AnyArray | None = None) -> Any:
    """Round elements; halves go to the even neighbour.

    Parameters
    ----------
    a : array_like
    decimals : int, default 0
        Decimal places to keep; if negative, that many places before the point become 0. Not in the standard.
    out : ndarray, optional
        Written, and returned.

    Returns
    -------
    ndarray
        Fresh, of a's shape and dtype. Of integers, with NumPy before 2.4, a lazy copy of a.

    Examples
    --------
    >>> import cowarray
    >>> cowarray.round(cowarray.asarray([0.5, 1.5, 2.25]))
    array([0., 2., 2.])
    """


@calling(np.sign)
@_completed
def sign(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Return -1, 0 or 1 for x less than, equal to or greater than 0; for complex numbers, ``x / abs(x)``.

    Fresh, of x's shape and dtype.
    """


@calling(np.signbit)
@_completed
def signbit(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Test whether the sign bit is set: x is less than 0, or -0.0.

    Fresh, of x's shape; booleans.
    """


@calling(np.sin)
@_completed
def sin(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Compute sines of angles in radians.

    Fresh, of x's shape; real or complex, in floating point.
    """


@calling(np.sinh)
@_completed
def sinh(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Compute hyperbolic sines.

    Fresh, of x's shape; real or complex, in floating point.
    """


@calling(np.sqrt)
@_completed
def sqrt(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Compute non-negative square roots; of negative real numbers NaN, with a warning.

    Fresh, of x's shape; real or complex, in floating point.
    """


@calling(np.square)
@_completed
def square(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Square elements, ``x * x``.

    Fresh, of x's shape and dtype.
    """


@calling(np.subtract)
@_completed
def subtract(
    x1: Operand,
    x2: Operand,
    /,
    out: Out = None,
    *,
    where: Where = True,
    dtype: DType = None,
    casting: Cast = "same_kind",
) -> Any:
    """Subtract elements, ``x1 - x2``.

    Fresh; shapes broadcast, dtypes promote.
    """


@calling(np.tan)
@_completed
def tan(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Compute tangents of angles in radians.

    Fresh, of x's shape; real or complex, in floating point.
    """


@calling(np.tanh)
@_completed
def tanh(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Compute hyperbolic tangents.

    Fresh, of x's shape; real or complex, in floating point.
    """


@calling(np.trunc)
@_completed
def trunc(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Round to the nearest whole numbers towards 0.

    Fresh, of x's shape and dtype.
    """


complete(globals())
