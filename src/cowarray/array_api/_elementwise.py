"""The chapter "element-wise functions" of the array API standard, 2025.12.

The file is longer than a sitting because a chapter of the standard is one module: 67 times a name, a docstring and a
line. Read it a function at a time.
"""

from numpy.typing import ArrayLike

from cowarray import _chapters
from cowarray._chapters.docstrings import CompletedFrom
from cowarray._face.annotations import Array, Operand
from cowarray._ops.conversion import standard

_completed = CompletedFrom(_chapters, "cowarray")


@_completed
def abs(x: Operand, /) -> Array:
    """Absolute values; of complex numbers their magnitudes."""
    return standard(_chapters.abs(x))


@_completed
def acos(x: Operand, /) -> Array:
    """Arc cosines, in radians from 0 to π."""
    return standard(_chapters.acos(x))


@_completed
def acosh(x: Operand, /) -> Array:
    """Inverse hyperbolic cosines."""
    return standard(_chapters.acosh(x))


@_completed
def add(x1: Operand, x2: Operand, /) -> Array:
    """Sums, ``x1 + x2``."""
    return standard(_chapters.add(x1, x2))


@_completed
def asin(x: Operand, /) -> Array:
    """Arc sines, in radians from -π/2 to π/2."""
    return standard(_chapters.asin(x))


@_completed
def asinh(x: Operand, /) -> Array:
    """Inverse hyperbolic sines."""
    return standard(_chapters.asinh(x))


@_completed
def atan(x: Operand, /) -> Array:
    """Arc tangents, in radians from -π/2 to π/2."""
    return standard(_chapters.atan(x))


@_completed
def atan2(x1: Operand, x2: Operand, /) -> Array:
    """Angles of the points (x2, x1), in radians from -π to π: arc tangents of ``x1 / x2`` in the right quadrant."""
    return standard(_chapters.atan2(x1, x2))


@_completed
def atanh(x: Operand, /) -> Array:
    """Inverse hyperbolic tangents."""
    return standard(_chapters.atanh(x))


@_completed
def bitwise_and(x1: Operand, x2: Operand, /) -> Array:
    """Bits that are set in both, ``x1 & x2``, of integers or booleans."""
    return standard(_chapters.bitwise_and(x1, x2))


@_completed
def bitwise_invert(x: Operand, /) -> Array:
    """All bits flipped, ``~x``, of integers or booleans."""
    return standard(_chapters.bitwise_invert(x))


@_completed
def bitwise_left_shift(x1: Operand, x2: Operand, /) -> Array:
    """Bits of x1 moved x2 places to the left, ``x1 << x2``, of integers."""
    return standard(_chapters.bitwise_left_shift(x1, x2))


@_completed
def bitwise_or(x1: Operand, x2: Operand, /) -> Array:
    """Bits that are set in one or in both, ``x1 | x2``, of integers or booleans."""
    return standard(_chapters.bitwise_or(x1, x2))


@_completed
def bitwise_right_shift(x1: Operand, x2: Operand, /) -> Array:
    """Bits of x1 moved x2 places to the right, ``x1 >> x2``, of integers; the sign stays."""
    return standard(_chapters.bitwise_right_shift(x1, x2))


@_completed
def bitwise_xor(x1: Operand, x2: Operand, /) -> Array:
    """Bits that are set in just one, ``x1 ^ x2``, of integers or booleans."""
    return standard(_chapters.bitwise_xor(x1, x2))


@_completed
def ceil(x: Operand, /) -> Array:
    """The least whole numbers that are not less than x."""
    return standard(_chapters.ceil(x))


@_completed
def clip(x: Operand, /, min: ArrayLike | None = None, max: ArrayLike | None = None) -> Array:
    """Elements limited to an interval.

    Fresh; dtypes promote, and Python's own numbers are taken in that of x.

    Parameters
    ----------
    min : array_like, optional
        The bounds, which broadcast with x. ``None``: no bound.
    max : array_like, optional
        The bounds, which broadcast with x. ``None``: no bound.
    """
    return standard(_chapters.clip(x, min=min, max=max))


@_completed
def conj(x: Operand, /) -> Array:
    """Complex conjugates.

    Fresh, of x's shape and dtype.
    """
    return standard(_chapters.conj(x))


@_completed
def copysign(x1: Operand, x2: Operand, /) -> Array:
    """Magnitudes of x1 with the signs of x2."""
    return standard(_chapters.copysign(x1, x2))


@_completed
def cos(x: Operand, /) -> Array:
    """Cosines of angles in radians."""
    return standard(_chapters.cos(x))


@_completed
def cosh(x: Operand, /) -> Array:
    """Hyperbolic cosines."""
    return standard(_chapters.cosh(x))


@_completed
def divide(x1: Operand, x2: Operand, /) -> Array:
    """Quotients, ``x1 / x2``, in floating point, also of integers."""
    return standard(_chapters.divide(x1, x2))


@_completed
def equal(x1: Operand, x2: Operand, /) -> Array:
    """Whether elements are equal, ``x1 == x2``."""
    return standard(_chapters.equal(x1, x2))


@_completed
def exp(x: Operand, /) -> Array:
    """Exponentials, to the base e."""
    return standard(_chapters.exp(x))


@_completed
def expm1(x: Operand, /) -> Array:
    """``exp(x) - 1``, exact also where x is near 0."""
    return standard(_chapters.expm1(x))


@_completed
def floor(x: Operand, /) -> Array:
    """The greatest whole numbers that are not greater than x."""
    return standard(_chapters.floor(x))


@_completed
def floor_divide(x1: Operand, x2: Operand, /) -> Array:
    """Quotients rounded down, ``x1 // x2``, of real numbers."""
    return standard(_chapters.floor_divide(x1, x2))


@_completed
def greater(x1: Operand, x2: Operand, /) -> Array:
    """Whether elements are greater, ``x1 > x2``."""
    return standard(_chapters.greater(x1, x2))


@_completed
def greater_equal(x1: Operand, x2: Operand, /) -> Array:
    """Whether elements are greater or equal, ``x1 >= x2``."""
    return standard(_chapters.greater_equal(x1, x2))


@_completed
def hypot(x1: Operand, x2: Operand, /) -> Array:
    """``sqrt(x1**2 + x2**2)``, without overflow on the way."""
    return standard(_chapters.hypot(x1, x2))


@_completed
def imag(x: Operand, /) -> Array:
    """Imaginary parts.

    A view of x, if it is a complex array of this library, and read-only zeros if it is real. Anything else is
    converted first.
    """
    return standard(_chapters.imag(x))


@_completed
def isfinite(x: Operand, /) -> Array:
    """Whether elements are neither infinite nor NaN."""
    return standard(_chapters.isfinite(x))


@_completed
def isinf(x: Operand, /) -> Array:
    """Whether elements are infinite."""
    return standard(_chapters.isinf(x))


@_completed
def isnan(x: Operand, /) -> Array:
    """Whether elements are NaN."""
    return standard(_chapters.isnan(x))


@_completed
def less(x1: Operand, x2: Operand, /) -> Array:
    """Whether elements are less, ``x1 < x2``."""
    return standard(_chapters.less(x1, x2))


@_completed
def less_equal(x1: Operand, x2: Operand, /) -> Array:
    """Whether elements are less or equal, ``x1 <= x2``."""
    return standard(_chapters.less_equal(x1, x2))


@_completed
def log(x: Operand, /) -> Array:
    """Logarithms to the base e."""
    return standard(_chapters.log(x))


@_completed
def log10(x: Operand, /) -> Array:
    """Logarithms to the base 10."""
    return standard(_chapters.log10(x))


@_completed
def log1p(x: Operand, /) -> Array:
    """``log(1 + x)``, exact also where x is near 0."""
    return standard(_chapters.log1p(x))


@_completed
def log2(x: Operand, /) -> Array:
    """Logarithms to the base 2."""
    return standard(_chapters.log2(x))


@_completed
def logaddexp(x1: Operand, x2: Operand, /) -> Array:
    """``log(exp(x1) + exp(x2))``, without overflow on the way."""
    return standard(_chapters.logaddexp(x1, x2))


@_completed
def logical_and(x1: Operand, x2: Operand, /) -> Array:
    """Whether both are true; numbers are, but for 0."""
    return standard(_chapters.logical_and(x1, x2))


@_completed
def logical_not(x: Operand, /) -> Array:
    """Whether elements are false; of numbers only 0 is."""
    return standard(_chapters.logical_not(x))


@_completed
def logical_or(x1: Operand, x2: Operand, /) -> Array:
    """Whether one or both are true; numbers are, but for 0."""
    return standard(_chapters.logical_or(x1, x2))


@_completed
def logical_xor(x1: Operand, x2: Operand, /) -> Array:
    """Whether just one is true; numbers are, but for 0."""
    return standard(_chapters.logical_xor(x1, x2))


@_completed
def maximum(x1: Operand, x2: Operand, /) -> Array:
    """The greater of two elements; NaN if one is."""
    return standard(_chapters.maximum(x1, x2))


@_completed
def minimum(x1: Operand, x2: Operand, /) -> Array:
    """The lesser of two elements; NaN if one is."""
    return standard(_chapters.minimum(x1, x2))


@_completed
def multiply(x1: Operand, x2: Operand, /) -> Array:
    """Products, ``x1 * x2``."""
    return standard(_chapters.multiply(x1, x2))


@_completed
def negative(x: Operand, /) -> Array:
    """Numbers with the other sign, ``-x``."""
    return standard(_chapters.negative(x))


@_completed
def nextafter(x1: Operand, x2: Operand, /) -> Array:
    """The next floating-point numbers after x1 in the direction of x2."""
    return standard(_chapters.nextafter(x1, x2))


@_completed
def not_equal(x1: Operand, x2: Operand, /) -> Array:
    """Whether elements differ, ``x1 != x2``."""
    return standard(_chapters.not_equal(x1, x2))


@_completed
def positive(x: Operand, /) -> Array:
    """The numbers themselves, ``+x``."""
    return standard(_chapters.positive(x))


@_completed
def pow(x1: Operand, x2: Operand, /) -> Array:
    """Powers, ``x1 ** x2``."""
    return standard(_chapters.pow(x1, x2))


@_completed
def real(x: Operand, /) -> Array:
    """Real parts.

    A view of x, if it is an array of this library. Anything else is converted first.
    """
    return standard(_chapters.real(x))


@_completed
def reciprocal(x: Operand, /) -> Array:
    """``1 / x``; of integers the whole part."""
    return standard(_chapters.reciprocal(x))


@_completed
def remainder(x1: Operand, x2: Operand, /) -> Array:
    """Remainders of the division, ``x1 % x2``, with the sign of x2; of real numbers."""
    return standard(_chapters.remainder(x1, x2))


@_completed
def round(x: Operand, /) -> Array:
    """Elements rounded; halves to the even neighbour.

    Fresh, of x's shape and dtype.
    """
    return standard(_chapters.round(x))


@_completed
def sign(x: Operand, /) -> Array:
    """-1, 0 or 1, as x is less than, equal to or greater than 0; of complex numbers ``x / abs(x)``."""
    return standard(_chapters.sign(x))


@_completed
def signbit(x: Operand, /) -> Array:
    """Whether the sign bit is set: less than 0, or -0.0."""
    return standard(_chapters.signbit(x))


@_completed
def sin(x: Operand, /) -> Array:
    """Sines of angles in radians."""
    return standard(_chapters.sin(x))


@_completed
def sinh(x: Operand, /) -> Array:
    """Hyperbolic sines."""
    return standard(_chapters.sinh(x))


@_completed
def sqrt(x: Operand, /) -> Array:
    """Square roots that are not negative; NaN, with a warning, of negative real numbers."""
    return standard(_chapters.sqrt(x))


@_completed
def square(x: Operand, /) -> Array:
    """Squares, ``x * x``."""
    return standard(_chapters.square(x))


@_completed
def subtract(x1: Operand, x2: Operand, /) -> Array:
    """Differences, ``x1 - x2``."""
    return standard(_chapters.subtract(x1, x2))


@_completed
def tan(x: Operand, /) -> Array:
    """Tangents of angles in radians."""
    return standard(_chapters.tan(x))


@_completed
def tanh(x: Operand, /) -> Array:
    """Hyperbolic tangents."""
    return standard(_chapters.tanh(x))


@_completed
def trunc(x: Operand, /) -> Array:
    """The whole numbers next to x in the direction of 0."""
    return standard(_chapters.trunc(x))
