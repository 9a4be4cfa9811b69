"""The chapter "element-wise functions" of the array API standard, 2025.12.

The file is longer than a sitting because a chapter of the standard is one module: 67 declared functions. Read it a
function at a time.
"""

from typing import Any

from numpy.typing import ArrayLike

from cowarray._chapters import gathered as _chapters
from cowarray._chapters.declared import standardized
from cowarray._chapters.docstrings import CompletedFrom
from cowarray._face.annotations import Array, Operand
from cowarray._ops.conversion import standard

_completed = CompletedFrom(_chapters, "cowarray")


@standardized(_chapters.abs)
@_completed
def abs(x: Operand, /) -> Any:
    """Absolute values; of complex numbers their magnitudes."""


@standardized(_chapters.acos)
@_completed
def acos(x: Operand, /) -> Any:
    """Arc cosines, in radians from 0 to π."""


@standardized(_chapters.acosh)
@_completed
def acosh(x: Operand, /) -> Any:
    """Inverse hyperbolic cosines."""


@standardized(_chapters.add)
@_completed
def add(x1: Operand, x2: Operand, /) -> Any:
    """Sums, ``x1 + x2``."""


@standardized(_chapters.asin)
@_completed
def asin(x: Operand, /) -> Any:
    """Arc sines, in radians from -π/2 to π/2."""


@standardized(_chapters.asinh)
@_completed
def asinh(x: Operand, /) -> Any:
    """Inverse hyperbolic sines."""


@standardized(_chapters.atan)
@_completed
def atan(x: Operand, /) -> Any:
    """Arc tangents, in radians from -π/2 to π/2."""


@standardized(_chapters.atan2)
@_completed
def atan2(x1: Operand, x2: Operand, /) -> Any:
    """Angles of the points (x2, x1), in radians from -π to π: arc tangents of ``x1 / x2`` in the right quadrant."""


@standardized(_chapters.atanh)
@_completed
def atanh(x: Operand, /) -> Any:
    """Inverse hyperbolic tangents."""


@standardized(_chapters.bitwise_and)
@_completed
def bitwise_and(x1: Operand, x2: Operand, /) -> Any:
    """Bits that are set in both, ``x1 & x2``, of integers or booleans."""


@standardized(_chapters.bitwise_invert)
@_completed
def bitwise_invert(x: Operand, /) -> Any:
    """All bits flipped, ``~x``, of integers or booleans."""


@standardized(_chapters.bitwise_left_shift)
@_completed
def bitwise_left_shift(x1: Operand, x2: Operand, /) -> Any:
    """Bits of x1 moved x2 places to the left, ``x1 << x2``, of integers."""


@standardized(_chapters.bitwise_or)
@_completed
def bitwise_or(x1: Operand, x2: Operand, /) -> Any:
    """Bits that are set in one or in both, ``x1 | x2``, of integers or booleans."""


@standardized(_chapters.bitwise_right_shift)
@_completed
def bitwise_right_shift(x1: Operand, x2: Operand, /) -> Any:
    """Bits of x1 moved x2 places to the right, ``x1 >> x2``, of integers; the sign stays."""


@standardized(_chapters.bitwise_xor)
@_completed
def bitwise_xor(x1: Operand, x2: Operand, /) -> Any:
    """Bits that are set in just one, ``x1 ^ x2``, of integers or booleans."""


@standardized(_chapters.ceil)
@_completed
def ceil(x: Operand, /) -> Any:
    """The least whole numbers that are not less than x."""


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


@standardized(_chapters.conj)
@_completed
def conj(x: Operand, /) -> Any:
    """Complex conjugates.

    Fresh, of x's shape and dtype.
    """


@standardized(_chapters.copysign)
@_completed
def copysign(x1: Operand, x2: Operand, /) -> Any:
    """Magnitudes of x1 with the signs of x2."""


@standardized(_chapters.cos)
@_completed
def cos(x: Operand, /) -> Any:
    """Cosines of angles in radians."""


@standardized(_chapters.cosh)
@_completed
def cosh(x: Operand, /) -> Any:
    """Hyperbolic cosines."""


@standardized(_chapters.divide)
@_completed
def divide(x1: Operand, x2: Operand, /) -> Any:
    """Quotients, ``x1 / x2``, in floating point, also of integers."""


@standardized(_chapters.equal)
@_completed
def equal(x1: Operand, x2: Operand, /) -> Any:
    """Whether elements are equal, ``x1 == x2``."""


@standardized(_chapters.exp)
@_completed
def exp(x: Operand, /) -> Any:
    """Exponentials, to the base e."""


@standardized(_chapters.expm1)
@_completed
def expm1(x: Operand, /) -> Any:
    """``exp(x) - 1``, exact also where x is near 0."""


@standardized(_chapters.floor)
@_completed
def floor(x: Operand, /) -> Any:
    """The greatest whole numbers that are not greater than x."""


@standardized(_chapters.floor_divide)
@_completed
def floor_divide(x1: Operand, x2: Operand, /) -> Any:
    """Quotients rounded down, ``x1 // x2``, of real numbers."""


@standardized(_chapters.greater)
@_completed
def greater(x1: Operand, x2: Operand, /) -> Any:
    """Whether elements are greater, ``x1 > x2``."""


@standardized(_chapters.greater_equal)
@_completed
def greater_equal(x1: Operand, x2: Operand, /) -> Any:
    """Whether elements are greater or equal, ``x1 >= x2``."""


@standardized(_chapters.hypot)
@_completed
def hypot(x1: Operand, x2: Operand, /) -> Any:
    """``sqrt(x1**2 + x2**2)``, without overflow on the way."""


@standardized(_chapters.imag)
@_completed
def imag(x: Operand, /) -> Any:
    """Imaginary parts.

    A view of x, if it is a complex array of this library, and read-only zeros if it is real. Anything else is
    converted first.
    """


@standardized(_chapters.isfinite)
@_completed
def isfinite(x: Operand, /) -> Any:
    """Whether elements are neither infinite nor NaN."""


@standardized(_chapters.isinf)
@_completed
def isinf(x: Operand, /) -> Any:
    """Whether elements are infinite."""


@standardized(_chapters.isnan)
@_completed
def isnan(x: Operand, /) -> Any:
    """Whether elements are NaN."""


@standardized(_chapters.less)
@_completed
def less(x1: Operand, x2: Operand, /) -> Any:
    """Whether elements are less, ``x1 < x2``."""


@standardized(_chapters.less_equal)
@_completed
def less_equal(x1: Operand, x2: Operand, /) -> Any:
    """Whether elements are less or equal, ``x1 <= x2``."""


@standardized(_chapters.log)
@_completed
def log(x: Operand, /) -> Any:
    """Logarithms to the base e."""


@standardized(_chapters.log10)
@_completed
def log10(x: Operand, /) -> Any:
    """Logarithms to the base 10."""


@standardized(_chapters.log1p)
@_completed
def log1p(x: Operand, /) -> Any:
    """``log(1 + x)``, exact also where x is near 0."""


@standardized(_chapters.log2)
@_completed
def log2(x: Operand, /) -> Any:
    """Logarithms to the base 2."""


@standardized(_chapters.logaddexp)
@_completed
def logaddexp(x1: Operand, x2: Operand, /) -> Any:
    """``log(exp(x1) + exp(x2))``, without overflow on the way."""


@standardized(_chapters.logical_and)
@_completed
def logical_and(x1: Operand, x2: Operand, /) -> Any:
    """Whether both are true; numbers are, but for 0."""


@standardized(_chapters.logical_not)
@_completed
def logical_not(x: Operand, /) -> Any:
    """Whether elements are false; of numbers only 0 is."""


@standardized(_chapters.logical_or)
@_completed
def logical_or(x1: Operand, x2: Operand, /) -> Any:
    """Whether one or both are true; numbers are, but for 0."""


@standardized(_chapters.logical_xor)
@_completed
def logical_xor(x1: Operand, x2: Operand, /) -> Any:
    """Whether just one is true; numbers are, but for 0."""


@standardized(_chapters.maximum)
@_completed
def maximum(x1: Operand, x2: Operand, /) -> Any:
    """The greater of two elements; NaN if one is."""


@standardized(_chapters.minimum)
@_completed
def minimum(x1: Operand, x2: Operand, /) -> Any:
    """The lesser of two elements; NaN if one is."""


@standardized(_chapters.multiply)
@_completed
def multiply(x1: Operand, x2: Operand, /) -> Any:
    """Products, ``x1 * x2``."""


@standardized(_chapters.negative)
@_completed
def negative(x: Operand, /) -> Any:
    """Numbers with the other sign, ``-x``."""


@standardized(_chapters.nextafter)
@_completed
def nextafter(x1: Operand, x2: Operand, /) -> Any:
    """The next floating-point numbers after x1 in the direction of x2."""


@standardized(_chapters.not_equal)
@_completed
def not_equal(x1: Operand, x2: Operand, /) -> Any:
    """Whether elements differ, ``x1 != x2``."""


@standardized(_chapters.positive)
@_completed
def positive(x: Operand, /) -> Any:
    """The numbers themselves, ``+x``."""


@standardized(_chapters.pow)
@_completed
def pow(x1: Operand, x2: Operand, /) -> Any:
    """Powers, ``x1 ** x2``."""


@standardized(_chapters.real)
@_completed
def real(x: Operand, /) -> Any:
    """Real parts.

    A view of x, if it is an array of this library. Anything else is converted first.
    """


@standardized(_chapters.reciprocal)
@_completed
def reciprocal(x: Operand, /) -> Any:
    """``1 / x``; of integers the whole part."""


@standardized(_chapters.remainder)
@_completed
def remainder(x1: Operand, x2: Operand, /) -> Any:
    """Remainders of the division, ``x1 % x2``, with the sign of x2; of real numbers."""


@standardized(_chapters.round)
@_completed
def round(x: Operand, /) -> Any:
    """Elements rounded; halves to the even neighbour.

    Fresh, of x's shape and dtype.
    """


@standardized(_chapters.sign)
@_completed
def sign(x: Operand, /) -> Any:
    """-1, 0 or 1, as x is less than, equal to or greater than 0; of complex numbers ``x / abs(x)``."""


@standardized(_chapters.signbit)
@_completed
def signbit(x: Operand, /) -> Any:
    """Whether the sign bit is set: less than 0, or -0.0."""


@standardized(_chapters.sin)
@_completed
def sin(x: Operand, /) -> Any:
    """Sines of angles in radians."""


@standardized(_chapters.sinh)
@_completed
def sinh(x: Operand, /) -> Any:
    """Hyperbolic sines."""


@standardized(_chapters.sqrt)
@_completed
def sqrt(x: Operand, /) -> Any:
    """Square roots that are not negative; NaN, with a warning, of negative real numbers."""


@standardized(_chapters.square)
@_completed
def square(x: Operand, /) -> Any:
    """Squares, ``x * x``."""


@standardized(_chapters.subtract)
@_completed
def subtract(x1: Operand, x2: Operand, /) -> Any:
    """Differences, ``x1 - x2``."""


@standardized(_chapters.tan)
@_completed
def tan(x: Operand, /) -> Any:
    """Tangents of angles in radians."""


@standardized(_chapters.tanh)
@_completed
def tanh(x: Operand, /) -> Any:
    """Hyperbolic tangents."""


@standardized(_chapters.trunc)
@_completed
def trunc(x: Operand, /) -> Any:
    """The whole numbers next to x in the direction of 0."""
