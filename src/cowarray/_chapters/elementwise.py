"""The chapter "element-wise functions" of the array API standard, 2024.12.

Operands, named x or x1 and x2, are array_like: cowarray's arrays or NumPy's, scalars, lists, anything with a buffer
or ``__array__``. They are only read, and lazy copies stay lazy. NumPy computes, so values, rules of
promotion, warnings and errors are those of its function. Results are `cowarray.ndarray`; as with the operators, NumPy's
scalars take the place of arrays without axes. A masked array, or another type with rules of its own, gives the results
that it gives in NumPy.

The options are those of NumPy's ufuncs: ``out`` is written instead of a fresh array, where ``where`` is true, and comes
back; it gets bytes of its own first if it shares them, unless all of it is replaced. ``dtype`` and ``casting`` say in
which type NumPy computes, and what may be converted to it.

Most functions are a line, and their price is that of the call: see `_ops/protocols.pyx`. For that reason no option is
keyword-only: CPython takes 50 ns longer to call such functions. The file is longer than a sitting because a chapter of
the standard is one module: 67 times a name, a docstring and that line. Parameters are the same for all functions of a
signature: `_completed` puts them into the docstrings.

Its length is its docstrings: read it a function at a time.
"""

from types import ModuleType

import numpy as np

from cowarray._chapters import ufunc_methods as _methods
from cowarray._chapters.docstrings import Completed
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
_completed = Completed(_PARAMETERS)


@_completed
def abs(x, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Absolute values; of complex numbers their magnitudes.

    Fresh, of x's shape and dtype; real.
    """
    return elementwise1(_ufuncs.absolute, x, out, where, dtype, casting)


@_completed
def acos(x, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Arc cosines, in radians from 0 to π.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.arccos, x, out, where, dtype, casting)


@_completed
def acosh(x, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Inverse hyperbolic cosines.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.arccosh, x, out, where, dtype, casting)


@_completed
def add(x1, x2, /, out=None, where=True, dtype=None, casting="same_kind"):
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
def asin(x, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Arc sines, in radians from -π/2 to π/2.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.arcsin, x, out, where, dtype, casting)


@_completed
def asinh(x, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Inverse hyperbolic sines.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.arcsinh, x, out, where, dtype, casting)


@_completed
def atan(x, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Arc tangents, in radians from -π/2 to π/2.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.arctan, x, out, where, dtype, casting)


@_completed
def atan2(x1, x2, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Angles of the points (x2, x1), in radians from -π to π: arc tangents of ``x1 / x2`` in the right quadrant.

    Fresh; shapes broadcast, dtypes promote to real floating point.
    """
    return elementwise2(_ufuncs.arctan2, x1, x2, out, where, dtype, casting)


@_completed
def atanh(x, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Inverse hyperbolic tangents.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.arctanh, x, out, where, dtype, casting)


@_completed
def bitwise_and(x1, x2, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Bits that are set in both, ``x1 & x2``, of integers or booleans.

    Fresh; shapes broadcast, dtypes promote.
    """
    return elementwise2(_ufuncs.bitwise_and, x1, x2, out, where, dtype, casting)


@_completed
def bitwise_invert(x, /, out=None, where=True, dtype=None, casting="same_kind"):
    """All bits flipped, ``~x``, of integers or booleans.

    Fresh, of x's shape and dtype.
    """
    return elementwise1(_ufuncs.invert, x, out, where, dtype, casting)


@_completed
def bitwise_left_shift(x1, x2, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Bits of x1 moved x2 places to the left, ``x1 << x2``, of integers.

    Fresh; shapes broadcast, dtypes promote.
    """
    return elementwise2(_ufuncs.left_shift, x1, x2, out, where, dtype, casting)


@_completed
def bitwise_or(x1, x2, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Bits that are set in one or in both, ``x1 | x2``, of integers or booleans.

    Fresh; shapes broadcast, dtypes promote.
    """
    return elementwise2(_ufuncs.bitwise_or, x1, x2, out, where, dtype, casting)


@_completed
def bitwise_right_shift(x1, x2, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Bits of x1 moved x2 places to the right, ``x1 >> x2``, of integers; the sign stays.

    Fresh; shapes broadcast, dtypes promote.
    """
    return elementwise2(_ufuncs.right_shift, x1, x2, out, where, dtype, casting)


@_completed
def bitwise_xor(x1, x2, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Bits that are set in just one, ``x1 ^ x2``, of integers or booleans.

    Fresh; shapes broadcast, dtypes promote.
    """
    return elementwise2(_ufuncs.bitwise_xor, x1, x2, out, where, dtype, casting)


@_completed
def ceil(x, /, out=None, where=True, dtype=None, casting="same_kind"):
    """The least whole numbers that are not less than x.

    Fresh, of x's shape and dtype.
    """
    return elementwise1(_ufuncs.ceil, x, out, where, dtype, casting)


def clip(a, min=None, max=None, out=None, *, a_min=None, a_max=None, **kwargs):
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

    See Also
    --------
    numpy.clip : The same for NumPy's arrays.

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
    return np.clip(imported(a), low, high, out, **kwargs)


@_completed
def conj(x, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Complex conjugates.

    Fresh, of x's shape and dtype. Where `ndarray.conj` may be a lazy copy, this computes.
    """
    return elementwise1(_ufuncs.conjugate, x, out, where, dtype, casting)


@_completed
def copysign(x1, x2, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Magnitudes of x1 with the signs of x2.

    Fresh; shapes broadcast, dtypes promote to real floating point.
    """
    return elementwise2(_ufuncs.copysign, x1, x2, out, where, dtype, casting)


@_completed
def cos(x, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Cosines of angles in radians.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.cos, x, out, where, dtype, casting)


@_completed
def cosh(x, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Hyperbolic cosines.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.cosh, x, out, where, dtype, casting)


@_completed
def divide(x1, x2, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Quotients, ``x1 / x2``, in floating point, also of integers.

    Fresh; shapes broadcast, dtypes promote.
    """
    return elementwise2(_ufuncs.divide, x1, x2, out, where, dtype, casting)


@_completed
def equal(x1, x2, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Whether elements are equal, ``x1 == x2``.

    Fresh; shapes broadcast; booleans.
    """
    return elementwise2(_ufuncs.equal, x1, x2, out, where, dtype, casting)


@_completed
def exp(x, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Exponentials, to the base e.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.exp, x, out, where, dtype, casting)


@_completed
def expm1(x, /, out=None, where=True, dtype=None, casting="same_kind"):
    """``exp(x) - 1``, exact also where x is near 0.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.expm1, x, out, where, dtype, casting)


@_completed
def floor(x, /, out=None, where=True, dtype=None, casting="same_kind"):
    """The greatest whole numbers that are not greater than x.

    Fresh, of x's shape and dtype.
    """
    return elementwise1(_ufuncs.floor, x, out, where, dtype, casting)


@_completed
def floor_divide(x1, x2, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Quotients rounded down, ``x1 // x2``, of real numbers.

    Fresh; shapes broadcast, dtypes promote.
    """
    return elementwise2(_ufuncs.floor_divide, x1, x2, out, where, dtype, casting)


@_completed
def greater(x1, x2, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Whether elements are greater, ``x1 > x2``.

    Fresh; shapes broadcast; booleans.
    """
    return elementwise2(_ufuncs.greater, x1, x2, out, where, dtype, casting)


@_completed
def greater_equal(x1, x2, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Whether elements are greater or equal, ``x1 >= x2``.

    Fresh; shapes broadcast; booleans.
    """
    return elementwise2(_ufuncs.greater_equal, x1, x2, out, where, dtype, casting)


@_completed
def hypot(x1, x2, /, out=None, where=True, dtype=None, casting="same_kind"):
    """``sqrt(x1**2 + x2**2)``, without overflow on the way.

    Fresh; shapes broadcast, dtypes promote to real floating point.
    """
    return elementwise2(_ufuncs.hypot, x1, x2, out, where, dtype, casting)


def imag(val):
    """Imaginary parts.

    Parameters
    ----------
    val : array_like

    Returns
    -------
    ndarray
        A view of val, if it is a complex array of this library, and read-only zeros if it is real. Anything else is
        converted first.

    See Also
    --------
    numpy.imag : The same for NumPy's arrays.
    """
    return np.imag(imported(val))


@_completed
def isfinite(x, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Whether elements are neither infinite nor NaN.

    Fresh, of x's shape; booleans.
    """
    return elementwise1(_ufuncs.isfinite, x, out, where, dtype, casting)


@_completed
def isinf(x, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Whether elements are infinite.

    Fresh, of x's shape; booleans.
    """
    return elementwise1(_ufuncs.isinf, x, out, where, dtype, casting)


@_completed
def isnan(x, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Whether elements are NaN.

    Fresh, of x's shape; booleans.
    """
    return elementwise1(_ufuncs.isnan, x, out, where, dtype, casting)


@_completed
def less(x1, x2, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Whether elements are less, ``x1 < x2``.

    Fresh; shapes broadcast; booleans.
    """
    return elementwise2(_ufuncs.less, x1, x2, out, where, dtype, casting)


@_completed
def less_equal(x1, x2, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Whether elements are less or equal, ``x1 <= x2``.

    Fresh; shapes broadcast; booleans.
    """
    return elementwise2(_ufuncs.less_equal, x1, x2, out, where, dtype, casting)


@_completed
def log(x, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Logarithms to the base e.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.log, x, out, where, dtype, casting)


@_completed
def log10(x, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Logarithms to the base 10.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.log10, x, out, where, dtype, casting)


@_completed
def log1p(x, /, out=None, where=True, dtype=None, casting="same_kind"):
    """``log(1 + x)``, exact also where x is near 0.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.log1p, x, out, where, dtype, casting)


@_completed
def log2(x, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Logarithms to the base 2.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.log2, x, out, where, dtype, casting)


@_completed
def logaddexp(x1, x2, /, out=None, where=True, dtype=None, casting="same_kind"):
    """``log(exp(x1) + exp(x2))``, without overflow on the way.

    Fresh; shapes broadcast, dtypes promote to real floating point.
    """
    return elementwise2(_ufuncs.logaddexp, x1, x2, out, where, dtype, casting)


@_completed
def logical_and(x1, x2, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Whether both are true; numbers are, but for 0.

    Fresh; shapes broadcast; booleans.
    """
    return elementwise2(_ufuncs.logical_and, x1, x2, out, where, dtype, casting)


@_completed
def logical_not(x, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Whether elements are false; of numbers only 0 is.

    Fresh, of x's shape; booleans.
    """
    return elementwise1(_ufuncs.logical_not, x, out, where, dtype, casting)


@_completed
def logical_or(x1, x2, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Whether one or both are true; numbers are, but for 0.

    Fresh; shapes broadcast; booleans.
    """
    return elementwise2(_ufuncs.logical_or, x1, x2, out, where, dtype, casting)


@_completed
def logical_xor(x1, x2, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Whether just one is true; numbers are, but for 0.

    Fresh; shapes broadcast; booleans.
    """
    return elementwise2(_ufuncs.logical_xor, x1, x2, out, where, dtype, casting)


@_completed
def maximum(x1, x2, /, out=None, where=True, dtype=None, casting="same_kind"):
    """The greater of two elements; NaN if one is.

    Fresh; shapes broadcast, dtypes promote.
    """
    return elementwise2(_ufuncs.maximum, x1, x2, out, where, dtype, casting)


@_completed
def minimum(x1, x2, /, out=None, where=True, dtype=None, casting="same_kind"):
    """The lesser of two elements; NaN if one is.

    Fresh; shapes broadcast, dtypes promote.
    """
    return elementwise2(_ufuncs.minimum, x1, x2, out, where, dtype, casting)


@_completed
def multiply(x1, x2, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Products, ``x1 * x2``.

    Fresh; shapes broadcast, dtypes promote.
    """
    return elementwise2(_ufuncs.multiply, x1, x2, out, where, dtype, casting)


@_completed
def negative(x, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Numbers with the other sign, ``-x``.

    Fresh, of x's shape and dtype.
    """
    return elementwise1(_ufuncs.negative, x, out, where, dtype, casting)


@_completed
def nextafter(x1, x2, /, out=None, where=True, dtype=None, casting="same_kind"):
    """The next floating-point numbers after x1 in the direction of x2.

    Fresh; shapes broadcast, dtypes promote.
    """
    return elementwise2(_ufuncs.nextafter, x1, x2, out, where, dtype, casting)


@_completed
def not_equal(x1, x2, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Whether elements differ, ``x1 != x2``.

    Fresh; shapes broadcast; booleans.
    """
    return elementwise2(_ufuncs.not_equal, x1, x2, out, where, dtype, casting)


@_completed
def positive(x, /, out=None, where=True, dtype=None, casting="same_kind"):
    """The numbers themselves, ``+x``.

    Fresh, of x's shape and dtype.
    """
    return elementwise1(_ufuncs.positive, x, out, where, dtype, casting)


@_completed
def pow(x1, x2, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Powers, ``x1 ** x2``.

    Fresh; shapes broadcast, dtypes promote.

    Raises
    ------
    ValueError
        Integers to a negative integer power.
    """
    return elementwise2(_ufuncs.power, x1, x2, out, where, dtype, casting)


def real(val):
    """Real parts.

    Parameters
    ----------
    val : array_like

    Returns
    -------
    ndarray
        A view of val, if it is an array of this library. Anything else is converted first.

    See Also
    --------
    numpy.real : The same for NumPy's arrays.

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
def reciprocal(x, /, out=None, where=True, dtype=None, casting="same_kind"):
    """``1 / x``; of integers the whole part.

    Fresh, of x's shape and dtype.
    """
    return elementwise1(_ufuncs.reciprocal, x, out, where, dtype, casting)


@_completed
def remainder(x1, x2, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Remainders of the division, ``x1 % x2``, with the sign of x2; of real numbers.

    Fresh; shapes broadcast, dtypes promote.
    """
    return elementwise2(_ufuncs.remainder, x1, x2, out, where, dtype, casting)


def round(a, decimals=0, out=None):
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

    See Also
    --------
    numpy.round : The same for NumPy's arrays.

    Examples
    --------
    >>> import cowarray
    >>> cowarray.round(cowarray.asarray([0.5, 1.5, 2.25]))
    array([0., 2., 2.])
    """
    return np.round(imported(a), decimals, out)


@_completed
def sign(x, /, out=None, where=True, dtype=None, casting="same_kind"):
    """-1, 0 or 1, as x is less than, equal to or greater than 0; of complex numbers ``x / abs(x)``.

    Fresh, of x's shape and dtype.
    """
    return elementwise1(_ufuncs.sign, x, out, where, dtype, casting)


@_completed
def signbit(x, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Whether the sign bit is set: less than 0, or -0.0.

    Fresh, of x's shape; booleans.
    """
    return elementwise1(_ufuncs.signbit, x, out, where, dtype, casting)


@_completed
def sin(x, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Sines of angles in radians.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.sin, x, out, where, dtype, casting)


@_completed
def sinh(x, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Hyperbolic sines.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.sinh, x, out, where, dtype, casting)


@_completed
def sqrt(x, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Square roots that are not negative; NaN, with a warning, of negative real numbers.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.sqrt, x, out, where, dtype, casting)


@_completed
def square(x, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Squares, ``x * x``.

    Fresh, of x's shape and dtype.
    """
    return elementwise1(_ufuncs.square, x, out, where, dtype, casting)


@_completed
def subtract(x1, x2, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Differences, ``x1 - x2``.

    Fresh; shapes broadcast, dtypes promote.
    """
    return elementwise2(_ufuncs.subtract, x1, x2, out, where, dtype, casting)


@_completed
def tan(x, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Tangents of angles in radians.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.tan, x, out, where, dtype, casting)


@_completed
def tanh(x, /, out=None, where=True, dtype=None, casting="same_kind"):
    """Hyperbolic tangents.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.tanh, x, out, where, dtype, casting)


@_completed
def trunc(x, /, out=None, where=True, dtype=None, casting="same_kind"):
    """The whole numbers next to x in the direction of 0.

    Fresh, of x's shape and dtype.
    """
    return elementwise1(_ufuncs.trunc, x, out, where, dtype, casting)


for _name in __all__:
    if hasattr(_ufuncs, _name):
        _methods.with_methods(globals()[_name], getattr(_ufuncs, _name))
del _name
