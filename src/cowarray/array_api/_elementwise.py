"""The chapter "element-wise functions" of the array API standard, 2025.12.

The file is longer than a sitting because a chapter of the standard is one module: 67 functions. Read it a function at a
time.
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
    """Return absolute values: of complex numbers, their magnitudes."""


@standardized(_chapters.acos)
@_completed
def acos(x: Operand, /) -> Any:
    """Compute arc cosines, in radians from 0 to π."""


@standardized(_chapters.acosh)
@_completed
def acosh(x: Operand, /) -> Any:
    """Compute inverse hyperbolic cosines."""


@standardized(_chapters.add)
@_completed
def add(x1: Operand, x2: Operand, /) -> Any:
    """Add elements, ``x1 + x2``."""


@standardized(_chapters.asin)
@_completed
def asin(x: Operand, /) -> Any:
    """Compute arc sines, in radians from -π/2 to π/2."""


@standardized(_chapters.asinh)
@_completed
def asinh(x: Operand, /) -> Any:
    """Compute inverse hyperbolic sines."""


@standardized(_chapters.atan)
@_completed
def atan(x: Operand, /) -> Any:
    """Compute arc tangents, in radians from -π/2 to π/2."""


@standardized(_chapters.atan2)
@_completed
def atan2(x1: Operand, x2: Operand, /) -> Any:
    """Compute angles of points (x2, x1), in radians from -π to π: arc tangents of ``x1 / x2`` in the right quadrant."""


@standardized(_chapters.atanh)
@_completed
def atanh(x: Operand, /) -> Any:
    """Compute inverse hyperbolic tangents."""


@standardized(_chapters.bitwise_and)
@_completed
def bitwise_and(x1: Operand, x2: Operand, /) -> Any:
    """Keep the bits that are set in both, ``x1 & x2``, of integers or booleans."""


@standardized(_chapters.bitwise_invert)
@_completed
def bitwise_invert(x: Operand, /) -> Any:
    """Flip all bits, ``~x``, of integers or booleans."""


@standardized(_chapters.bitwise_left_shift)
@_completed
def bitwise_left_shift(x1: Operand, x2: Operand, /) -> Any:
    """Shift the bits of x1 by x2 places to the left, ``x1 << x2``, of integers."""


@standardized(_chapters.bitwise_or)
@_completed
def bitwise_or(x1: Operand, x2: Operand, /) -> Any:
    """Combine the bits that are set in one or both, ``x1 | x2``, of integers or booleans."""


@standardized(_chapters.bitwise_right_shift)
@_completed
def bitwise_right_shift(x1: Operand, x2: Operand, /) -> Any:
    """Shift the bits of x1 by x2 places to the right, ``x1 >> x2``, of integers; the sign stays."""


@standardized(_chapters.bitwise_xor)
@_completed
def bitwise_xor(x1: Operand, x2: Operand, /) -> Any:
    """Keep the bits that are set in just one, ``x1 ^ x2``, of integers or booleans."""


@standardized(_chapters.ceil)
@_completed
def ceil(x: Operand, /) -> Any:
    """Round up to the least whole numbers that are not less than x."""


@_completed
def clip(x: Operand, /, min: ArrayLike | None = None, max: ArrayLike | None = None) -> Array:
    """Limit elements to an interval.

    Fresh; dtypes promote, and Python numbers take the dtype of x.

    Parameters
    ----------
    min : array_like, optional
        The lower bound, which broadcasts with x. ``None``: no bound.
    max : array_like, optional
        The upper bound, which broadcasts with x. ``None``: no bound.

    Raises
    ------
    ValueError
        The shapes do not broadcast.
    """
    return standard(_chapters.clip(x, min=min, max=max))


@standardized(_chapters.conj)
@_completed
def conj(x: Operand, /) -> Any:
    """Return complex conjugates.

    Fresh, of x's shape and dtype.
    """


@standardized(_chapters.copysign)
@_completed
def copysign(x1: Operand, x2: Operand, /) -> Any:
    """Combine the magnitudes of x1 with the signs of x2."""


@standardized(_chapters.cos)
@_completed
def cos(x: Operand, /) -> Any:
    """Compute cosines of angles in radians."""


@standardized(_chapters.cosh)
@_completed
def cosh(x: Operand, /) -> Any:
    """Compute hyperbolic cosines."""


@standardized(_chapters.divide)
@_completed
def divide(x1: Operand, x2: Operand, /) -> Any:
    """Divide elements, ``x1 / x2``, in floating point even for integers."""


@standardized(_chapters.equal)
@_completed
def equal(x1: Operand, x2: Operand, /) -> Any:
    """Test whether elements are equal, ``x1 == x2``."""


@standardized(_chapters.exp)
@_completed
def exp(x: Operand, /) -> Any:
    """Compute exponentials to the base e."""


@standardized(_chapters.expm1)
@_completed
def expm1(x: Operand, /) -> Any:
    """Compute ``exp(x) - 1``, precise even for x near 0."""


@standardized(_chapters.floor)
@_completed
def floor(x: Operand, /) -> Any:
    """Round down to the greatest whole numbers that are not greater than x."""


@standardized(_chapters.floor_divide)
@_completed
def floor_divide(x1: Operand, x2: Operand, /) -> Any:
    """Divide real numbers and round down, ``x1 // x2``."""


@standardized(_chapters.greater)
@_completed
def greater(x1: Operand, x2: Operand, /) -> Any:
    """Test whether elements of x1 are greater, ``x1 > x2``."""


@standardized(_chapters.greater_equal)
@_completed
def greater_equal(x1: Operand, x2: Operand, /) -> Any:
    """Test whether elements of x1 are greater or equal, ``x1 >= x2``."""


@standardized(_chapters.hypot)
@_completed
def hypot(x1: Operand, x2: Operand, /) -> Any:
    """Compute ``sqrt(x1**2 + x2**2)`` without intermediate overflow."""


@standardized(_chapters.imag)
@_completed
def imag(x: Operand, /) -> Any:
    """Return the imaginary parts.

    A view of x, if it is a complex array of this library, and read-only zeros if it is real. Anything else is
    converted first.
    """


@standardized(_chapters.isfinite)
@_completed
def isfinite(x: Operand, /) -> Any:
    """Test whether elements are neither infinite nor NaN."""


@standardized(_chapters.isinf)
@_completed
def isinf(x: Operand, /) -> Any:
    """Test whether elements are infinite."""


@standardized(_chapters.isnan)
@_completed
def isnan(x: Operand, /) -> Any:
    """Test whether elements are NaN."""


@standardized(_chapters.less)
@_completed
def less(x1: Operand, x2: Operand, /) -> Any:
    """Test whether elements of x1 are less, ``x1 < x2``."""


@standardized(_chapters.less_equal)
@_completed
def less_equal(x1: Operand, x2: Operand, /) -> Any:
    """Test whether elements of x1 are less or equal, ``x1 <= x2``."""


@standardized(_chapters.log)
@_completed
def log(x: Operand, /) -> Any:
    """Compute logarithms to the base e."""


@standardized(_chapters.log10)
@_completed
def log10(x: Operand, /) -> Any:
    """Compute logarithms to the base 10."""


@standardized(_chapters.log1p)
@_completed
def log1p(x: Operand, /) -> Any:
    """Compute ``log(1 + x)``, precise even for x near 0."""


@standardized(_chapters.log2)
@_completed
def log2(x: Operand, /) -> Any:
    """Compute logarithms to the base 2."""


@standardized(_chapters.logaddexp)
@_completed
def logaddexp(x1: Operand, x2: Operand, /) -> Any:
    """Compute ``log(exp(x1) + exp(x2))`` without intermediate overflow."""


@standardized(_chapters.logical_and)
@_completed
def logical_and(x1: Operand, x2: Operand, /) -> Any:
    """Test whether both elements are true; every number except 0 is."""


@standardized(_chapters.logical_not)
@_completed
def logical_not(x: Operand, /) -> Any:
    """Test whether elements are false; the only number that is false is 0."""


@standardized(_chapters.logical_or)
@_completed
def logical_or(x1: Operand, x2: Operand, /) -> Any:
    """Test whether one or both elements are true; every number except 0 is."""


@standardized(_chapters.logical_xor)
@_completed
def logical_xor(x1: Operand, x2: Operand, /) -> Any:
    """Test whether exactly one element is true; every number except 0 is."""


@standardized(_chapters.maximum)
@_completed
def maximum(x1: Operand, x2: Operand, /) -> Any:
    """Return the greater of two elements; NaN if either is NaN."""


@standardized(_chapters.minimum)
@_completed
def minimum(x1: Operand, x2: Operand, /) -> Any:
    """Return the lesser of two elements; NaN if either is NaN."""


@standardized(_chapters.multiply)
@_completed
def multiply(x1: Operand, x2: Operand, /) -> Any:
    """Multiply elements, ``x1 * x2``."""


@standardized(_chapters.negative)
@_completed
def negative(x: Operand, /) -> Any:
    """Negate numbers, ``-x``."""


@standardized(_chapters.nextafter)
@_completed
def nextafter(x1: Operand, x2: Operand, /) -> Any:
    """Return the next floating-point numbers after x1 in the direction of x2."""


@standardized(_chapters.not_equal)
@_completed
def not_equal(x1: Operand, x2: Operand, /) -> Any:
    """Test whether elements differ, ``x1 != x2``."""


@standardized(_chapters.positive)
@_completed
def positive(x: Operand, /) -> Any:
    """Return the numbers themselves, ``+x``."""


@standardized(_chapters.pow)
@_completed
def pow(x1: Operand, x2: Operand, /) -> Any:
    """Raise elements to powers, ``x1 ** x2``."""


@standardized(_chapters.real)
@_completed
def real(x: Operand, /) -> Any:
    """Return the real parts.

    A view of x, if it is an array of this library. Anything else is converted first.
    """


@standardized(_chapters.reciprocal)
@_completed
def reciprocal(x: Operand, /) -> Any:
    """Compute ``1 / x``; of integers, the whole part."""


@standardized(_chapters.remainder)
@_completed
def remainder(x1: Operand, x2: Operand, /) -> Any:
    """Compute remainders of real numbers, ``x1 % x2``, with the sign of x2."""


@standardized(_chapters.round)
@_completed
def round(x: Operand, /) -> Any:
    """Round elements; halves go to the even neighbour.

    Fresh, of x's shape and dtype.
    """


@standardized(_chapters.sign)
@_completed
def sign(x: Operand, /) -> Any:
    """Return -1, 0 or 1 for x less than, equal to or greater than 0; for complex numbers, ``x / abs(x)``."""


@standardized(_chapters.signbit)
@_completed
def signbit(x: Operand, /) -> Any:
    """Test whether the sign bit is set: x is less than 0, or -0.0."""


@standardized(_chapters.sin)
@_completed
def sin(x: Operand, /) -> Any:
    """Compute sines of angles in radians."""


@standardized(_chapters.sinh)
@_completed
def sinh(x: Operand, /) -> Any:
    """Compute hyperbolic sines."""


@standardized(_chapters.sqrt)
@_completed
def sqrt(x: Operand, /) -> Any:
    """Compute non-negative square roots; of negative real numbers NaN, with a warning."""


@standardized(_chapters.square)
@_completed
def square(x: Operand, /) -> Any:
    """Square elements, ``x * x``."""


@standardized(_chapters.subtract)
@_completed
def subtract(x1: Operand, x2: Operand, /) -> Any:
    """Subtract elements, ``x1 - x2``."""


@standardized(_chapters.tan)
@_completed
def tan(x: Operand, /) -> Any:
    """Compute tangents of angles in radians."""


@standardized(_chapters.tanh)
@_completed
def tanh(x: Operand, /) -> Any:
    """Compute hyperbolic tangents."""


@standardized(_chapters.trunc)
@_completed
def trunc(x: Operand, /) -> Any:
    """Round to the nearest whole numbers towards 0."""
