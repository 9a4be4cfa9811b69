"""The chapter "element-wise functions" of the array API standard, 2024.12.

Operands, named x or x1 and x2, are array_like: arrays of ours or of NumPy's, scalars, lists, what has a buffer or
``__array__``. They are only read, and stay the lazy copies that they are. NumPy computes, so values, rules of
promotion, warnings and errors are those of its function. Results are `cowarray.ndarray`; as with the operators, NumPy's
scalars take the place of arrays without axes. A masked array, or another type that brings rules of its own, makes the
results that it makes in NumPy.

Most functions are a line, and their price is that of the call: see `_elementwise.pxi`. The file is longer than a
sitting because a chapter of the standard is one module: 67 times a name, a docstring and that line.
"""

from types import ModuleType

import numpy as np

from cowarray._ndarray import elementwise1, elementwise2, imported

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


def abs(x, /):
    """Absolute values; of complex numbers their magnitudes.

    Fresh, of x's shape and dtype; real.
    """
    return elementwise1(_ufuncs.absolute, x)


def acos(x, /):
    """Arc cosines, in radians from 0 to π.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.arccos, x)


def acosh(x, /):
    """Inverse hyperbolic cosines.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.arccosh, x)


def add(x1, x2, /):
    """Sums, ``x1 + x2``.

    Fresh; shapes broadcast, dtypes promote.

    Examples
    --------
    >>> import cowarray
    >>> cowarray.add(cowarray.asarray([1, 2]), [0.5, 1])
    array([1.5, 3. ])
    """
    return elementwise2(_ufuncs.add, x1, x2)


def asin(x, /):
    """Arc sines, in radians from -π/2 to π/2.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.arcsin, x)


def asinh(x, /):
    """Inverse hyperbolic sines.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.arcsinh, x)


def atan(x, /):
    """Arc tangents, in radians from -π/2 to π/2.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.arctan, x)


def atan2(x1, x2, /):
    """Angles of the points (x2, x1), in radians from -π to π: arc tangents of ``x1 / x2`` in the right quadrant.

    Fresh; shapes broadcast, dtypes promote to real floating point.
    """
    return elementwise2(_ufuncs.arctan2, x1, x2)


def atanh(x, /):
    """Inverse hyperbolic tangents.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.arctanh, x)


def bitwise_and(x1, x2, /):
    """Bits that are set in both, ``x1 & x2``, of integers or booleans.

    Fresh; shapes broadcast, dtypes promote.
    """
    return elementwise2(_ufuncs.bitwise_and, x1, x2)


def bitwise_invert(x, /):
    """All bits flipped, ``~x``, of integers or booleans.

    Fresh, of x's shape and dtype.
    """
    return elementwise1(_ufuncs.invert, x)


def bitwise_left_shift(x1, x2, /):
    """Bits of x1 moved x2 places to the left, ``x1 << x2``, of integers.

    Fresh; shapes broadcast, dtypes promote.
    """
    return elementwise2(_ufuncs.left_shift, x1, x2)


def bitwise_or(x1, x2, /):
    """Bits that are set in one or in both, ``x1 | x2``, of integers or booleans.

    Fresh; shapes broadcast, dtypes promote.
    """
    return elementwise2(_ufuncs.bitwise_or, x1, x2)


def bitwise_right_shift(x1, x2, /):
    """Bits of x1 moved x2 places to the right, ``x1 >> x2``, of integers; the sign stays.

    Fresh; shapes broadcast, dtypes promote.
    """
    return elementwise2(_ufuncs.right_shift, x1, x2)


def bitwise_xor(x1, x2, /):
    """Bits that are set in just one, ``x1 ^ x2``, of integers or booleans.

    Fresh; shapes broadcast, dtypes promote.
    """
    return elementwise2(_ufuncs.bitwise_xor, x1, x2)


def ceil(x, /):
    """The least whole numbers that are not less than x.

    Fresh, of x's shape and dtype.
    """
    return elementwise1(_ufuncs.ceil, x)


def clip(x, /, min=None, max=None):
    """Elements limited to an interval.

    Parameters
    ----------
    x : array_like
    min, max : array_like, optional
        The bounds, which broadcast with x. ``None``: no bound.

    Returns
    -------
    ndarray
        Fresh; dtypes promote, and Python's own numbers are taken in that of x.

    Examples
    --------
    >>> import cowarray
    >>> cowarray.clip(cowarray.asarray([1, 5, 9]), 2, 6)
    array([2, 5, 6])
    """
    return np.clip(imported(x), imported(min), imported(max))


def conj(x, /):
    """Complex conjugates.

    Fresh, of x's shape and dtype. Where `ndarray.conj` may be a lazy copy, this computes.
    """
    return elementwise1(_ufuncs.conjugate, x)


def copysign(x1, x2, /):
    """Magnitudes of x1 with the signs of x2.

    Fresh; shapes broadcast, dtypes promote to real floating point.
    """
    return elementwise2(_ufuncs.copysign, x1, x2)


def cos(x, /):
    """Cosines of angles in radians.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.cos, x)


def cosh(x, /):
    """Hyperbolic cosines.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.cosh, x)


def divide(x1, x2, /):
    """Quotients, ``x1 / x2``, of integers, too, in floating point.

    Fresh; shapes broadcast, dtypes promote.
    """
    return elementwise2(_ufuncs.divide, x1, x2)


def equal(x1, x2, /):
    """Whether elements are equal, ``x1 == x2``.

    Fresh; shapes broadcast; booleans.
    """
    return elementwise2(_ufuncs.equal, x1, x2)


def exp(x, /):
    """Exponentials, to the base e.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.exp, x)


def expm1(x, /):
    """``exp(x) - 1``, exact also where x is near 0.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.expm1, x)


def floor(x, /):
    """The greatest whole numbers that are not greater than x.

    Fresh, of x's shape and dtype.
    """
    return elementwise1(_ufuncs.floor, x)


def floor_divide(x1, x2, /):
    """Quotients rounded down, ``x1 // x2``, of real numbers.

    Fresh; shapes broadcast, dtypes promote.
    """
    return elementwise2(_ufuncs.floor_divide, x1, x2)


def greater(x1, x2, /):
    """Whether elements are greater, ``x1 > x2``.

    Fresh; shapes broadcast; booleans.
    """
    return elementwise2(_ufuncs.greater, x1, x2)


def greater_equal(x1, x2, /):
    """Whether elements are greater or equal, ``x1 >= x2``.

    Fresh; shapes broadcast; booleans.
    """
    return elementwise2(_ufuncs.greater_equal, x1, x2)


def hypot(x1, x2, /):
    """``sqrt(x1**2 + x2**2)``, without overflow on the way.

    Fresh; shapes broadcast, dtypes promote to real floating point.
    """
    return elementwise2(_ufuncs.hypot, x1, x2)


def imag(x, /):
    """Imaginary parts.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    ndarray
        A view of x, if it is a complex array of ours, and read-only zeros if it is real. Anything else becomes an array
        of ours first.
    """
    return np.imag(imported(x))


def isfinite(x, /):
    """Whether elements are neither infinite nor NaN.

    Fresh, of x's shape; booleans.
    """
    return elementwise1(_ufuncs.isfinite, x)


def isinf(x, /):
    """Whether elements are infinite.

    Fresh, of x's shape; booleans.
    """
    return elementwise1(_ufuncs.isinf, x)


def isnan(x, /):
    """Whether elements are NaN.

    Fresh, of x's shape; booleans.
    """
    return elementwise1(_ufuncs.isnan, x)


def less(x1, x2, /):
    """Whether elements are less, ``x1 < x2``.

    Fresh; shapes broadcast; booleans.
    """
    return elementwise2(_ufuncs.less, x1, x2)


def less_equal(x1, x2, /):
    """Whether elements are less or equal, ``x1 <= x2``.

    Fresh; shapes broadcast; booleans.
    """
    return elementwise2(_ufuncs.less_equal, x1, x2)


def log(x, /):
    """Logarithms to the base e.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.log, x)


def log10(x, /):
    """Logarithms to the base 10.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.log10, x)


def log1p(x, /):
    """``log(1 + x)``, exact also where x is near 0.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.log1p, x)


def log2(x, /):
    """Logarithms to the base 2.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.log2, x)


def logaddexp(x1, x2, /):
    """``log(exp(x1) + exp(x2))``, without overflow on the way.

    Fresh; shapes broadcast, dtypes promote to real floating point.
    """
    return elementwise2(_ufuncs.logaddexp, x1, x2)


def logical_and(x1, x2, /):
    """Whether both are true; numbers are, but for 0.

    Fresh; shapes broadcast; booleans.
    """
    return elementwise2(_ufuncs.logical_and, x1, x2)


def logical_not(x, /):
    """Whether elements are false; of numbers only 0 is.

    Fresh, of x's shape; booleans.
    """
    return elementwise1(_ufuncs.logical_not, x)


def logical_or(x1, x2, /):
    """Whether one or both are true; numbers are, but for 0.

    Fresh; shapes broadcast; booleans.
    """
    return elementwise2(_ufuncs.logical_or, x1, x2)


def logical_xor(x1, x2, /):
    """Whether just one is true; numbers are, but for 0.

    Fresh; shapes broadcast; booleans.
    """
    return elementwise2(_ufuncs.logical_xor, x1, x2)


def maximum(x1, x2, /):
    """The greater of two elements; NaN if one is.

    Fresh; shapes broadcast, dtypes promote.
    """
    return elementwise2(_ufuncs.maximum, x1, x2)


def minimum(x1, x2, /):
    """The lesser of two elements; NaN if one is.

    Fresh; shapes broadcast, dtypes promote.
    """
    return elementwise2(_ufuncs.minimum, x1, x2)


def multiply(x1, x2, /):
    """Products, ``x1 * x2``.

    Fresh; shapes broadcast, dtypes promote.
    """
    return elementwise2(_ufuncs.multiply, x1, x2)


def negative(x, /):
    """Numbers with the other sign, ``-x``.

    Fresh, of x's shape and dtype.
    """
    return elementwise1(_ufuncs.negative, x)


def nextafter(x1, x2, /):
    """The next floating-point numbers after x1 in the direction of x2.

    Fresh; shapes broadcast, dtypes promote.
    """
    return elementwise2(_ufuncs.nextafter, x1, x2)


def not_equal(x1, x2, /):
    """Whether elements differ, ``x1 != x2``.

    Fresh; shapes broadcast; booleans.
    """
    return elementwise2(_ufuncs.not_equal, x1, x2)


def positive(x, /):
    """The numbers themselves, ``+x``.

    Fresh, of x's shape and dtype.
    """
    return elementwise1(_ufuncs.positive, x)


def pow(x1, x2, /):
    """x1 to the power of x2, ``x1 ** x2``.

    Fresh; shapes broadcast, dtypes promote. `ValueError` for integers to a negative integer power.
    """
    return elementwise2(_ufuncs.power, x1, x2)


def real(x, /):
    """Real parts.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    ndarray
        A view of x, if it is an array of ours. Anything else becomes one first.

    Examples
    --------
    >>> import cowarray
    >>> x = cowarray.asarray([1 + 2j, 3 + 4j])
    >>> cowarray.real(x)[0] = 7
    >>> x
    array([7.+2.j, 3.+4.j])
    """
    return np.real(imported(x))


def reciprocal(x, /):
    """``1 / x``; of integers the whole part.

    Fresh, of x's shape and dtype.
    """
    return elementwise1(_ufuncs.reciprocal, x)


def remainder(x1, x2, /):
    """Remainders of the division, ``x1 % x2``, with the sign of x2; of real numbers.

    Fresh; shapes broadcast, dtypes promote.
    """
    return elementwise2(_ufuncs.remainder, x1, x2)


def round(x, /, decimals=0):
    """Elements rounded; halves to the even neighbour.

    Parameters
    ----------
    x : array_like
    decimals : int, default 0
        Decimal places to keep; where negative, so many places before the point become 0. (The standard has none.)

    Returns
    -------
    ndarray
        Fresh, of x's shape and dtype; a lazy copy of integers that stay what they are.

    Examples
    --------
    >>> import cowarray
    >>> cowarray.round(cowarray.asarray([0.5, 1.5, 2.25]))
    array([0., 2., 2.])
    """
    return np.round(imported(x), decimals)


def sign(x, /):
    """-1, 0 or 1, as x is less than, equal to or greater than 0; of complex numbers ``x / abs(x)``.

    Fresh, of x's shape and dtype.
    """
    return elementwise1(_ufuncs.sign, x)


def signbit(x, /):
    """Whether the sign bit is set: less than 0, or -0.0.

    Fresh, of x's shape; booleans.
    """
    return elementwise1(_ufuncs.signbit, x)


def sin(x, /):
    """Sines of angles in radians.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.sin, x)


def sinh(x, /):
    """Hyperbolic sines.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.sinh, x)


def sqrt(x, /):
    """Square roots that are not negative; NaN, with a warning, of negative real numbers.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.sqrt, x)


def square(x, /):
    """Squares, ``x * x``.

    Fresh, of x's shape and dtype.
    """
    return elementwise1(_ufuncs.square, x)


def subtract(x1, x2, /):
    """Differences, ``x1 - x2``.

    Fresh; shapes broadcast, dtypes promote.
    """
    return elementwise2(_ufuncs.subtract, x1, x2)


def tan(x, /):
    """Tangents of angles in radians.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.tan, x)


def tanh(x, /):
    """Hyperbolic tangents.

    Fresh, of x's shape; real or complex, in floating point.
    """
    return elementwise1(_ufuncs.tanh, x)


def trunc(x, /):
    """The whole numbers next to x in the direction of 0.

    Fresh, of x's shape and dtype.
    """
    return elementwise1(_ufuncs.trunc, x)
