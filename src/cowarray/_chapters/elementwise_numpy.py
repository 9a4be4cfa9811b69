"""NumPy's element-wise functions that the array API standard lacks, or has under another name.

As in `elementwise.py`: operands are array_like and only read, NumPy computes, results are fresh unless a docstring
says otherwise, and the options are those of NumPy's ufuncs.

It is one file because it is one list: what a chapter of the standard leaves out. Read it a function at a time.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from cowarray._chapters.declared import calling, calling_for_two, dispatching
from cowarray._chapters.docstrings import Completed, complete
from cowarray._chapters.elementwise import _PARAMETERS, _completed
from cowarray._chapters.elementwise import abs as absolute
from cowarray._chapters.elementwise import acos as arccos
from cowarray._chapters.elementwise import acosh as arccosh
from cowarray._chapters.elementwise import asin as arcsin
from cowarray._chapters.elementwise import asinh as arcsinh
from cowarray._chapters.elementwise import atan as arctan
from cowarray._chapters.elementwise import atan2 as arctan2
from cowarray._chapters.elementwise import atanh as arctanh
from cowarray._chapters.elementwise import bitwise_invert as bitwise_not
from cowarray._chapters.elementwise import bitwise_invert as invert
from cowarray._chapters.elementwise import bitwise_left_shift as left_shift
from cowarray._chapters.elementwise import bitwise_right_shift as right_shift
from cowarray._chapters.elementwise import conj as conjugate
from cowarray._chapters.elementwise import divide as true_divide
from cowarray._chapters.elementwise import pow as power
from cowarray._chapters.elementwise import remainder as mod
from cowarray._chapters.elementwise import round as around
from cowarray._face.annotations import AnyArray, Cast, DType, Operand, Out, Where

_Pair: TypeAlias = tuple[AnyArray | None, AnyArray | None] | None

__all__ = [
    "absolute",
    "angle",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "around",
    "bitwise_count",
    "bitwise_not",
    "cbrt",
    "conjugate",
    "deg2rad",
    "degrees",
    "divmod",
    "exp2",
    "fabs",
    "fix",
    "float_power",
    "fmax",
    "fmin",
    "fmod",
    "frexp",
    "gcd",
    "heaviside",
    "i0",
    "invert",
    "isclose",
    "iscomplex",
    "isnat",
    "isneginf",
    "isposinf",
    "isreal",
    "lcm",
    "ldexp",
    "left_shift",
    "logaddexp2",
    "mod",
    "modf",
    "nan_to_num",
    "power",
    "rad2deg",
    "radians",
    "real_if_close",
    "right_shift",
    "rint",
    "sinc",
    "spacing",
    "true_divide",
    "unwrap",
]

_completed_pair = Completed(
    {
        **_PARAMETERS,
        "out1": "ndarray, optional\n    Written and returned, in place of a fresh array.",
        "out2": "ndarray, optional\n    The same, for the second result.",
        "out": "tuple of two ndarrays, optional\n    Both at once, by keyword.",
    },
    kind="tuple of two ndarrays or scalars",
)


@dispatching(np.angle)
def angle(z: ArrayLike, deg: bool = False) -> Any:
    """Return the angles of complex numbers.

    Fresh, of z's shape, in floating point.

    Parameters
    ----------
    z : array_like
    deg : bool, default False
        Whether to return degrees instead of radians.
    """


@calling(np.bitwise_count)
@_completed
def bitwise_count(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Count the bits that are set in an integer's absolute value.

    Fresh, of x's shape, uint8.
    """


@calling(np.cbrt)
@_completed
def cbrt(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Compute cube roots of real numbers.

    Fresh, of x's shape, in floating point.
    """


@calling(np.deg2rad)
@_completed
def deg2rad(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Convert angles from degrees to radians.

    Fresh, of x's shape, in floating point.
    """


@calling(np.degrees)
@_completed
def degrees(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Convert angles from radians to degrees.

    Fresh, of x's shape, in floating point.
    """


@calling_for_two(np.divmod)
@_completed_pair
def divmod(
    x1: Operand,
    x2: Operand,
    out1: AnyArray | None = None,
    out2: AnyArray | None = None,
    /,
    *,
    out: _Pair = None,
    where: Where = True,
    dtype: DType = None,
    casting: Cast = "same_kind",
) -> Any:
    """Compute quotients rounded down and remainders, ``(x1 // x2, x1 % x2)``.

    Both fresh; shapes broadcast, dtypes promote.

    Raises
    ------
    TypeError
        `out` is passed both by position and by keyword.
    """


@calling(np.exp2)
@_completed
def exp2(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Compute powers of 2, ``2 ** x``.

    Fresh, of x's shape, in floating point.
    """


@calling(np.fabs)
@_completed
def fabs(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Return absolute values of real numbers, in floating point.

    Fresh, of x's shape.
    """


@dispatching(np.fix)
def fix(x: Operand, out: AnyArray | None = None) -> Any:
    """Round to the nearest whole numbers towards 0.

    Fresh, or `out`.

    Parameters
    ----------
    x : array_like
    out : ndarray, optional
        Written and returned, in place of a fresh array.
    """


@calling(np.float_power)
@_completed
def float_power(
    x1: Operand,
    x2: Operand,
    /,
    out: Out = None,
    *,
    where: Where = True,
    dtype: DType = None,
    casting: Cast = "same_kind",
) -> Any:
    """Compute powers, ``x1 ** x2``, in floating point of at least double precision.

    Fresh; shapes broadcast.
    """


@calling(np.fmax)
@_completed
def fmax(
    x1: Operand,
    x2: Operand,
    /,
    out: Out = None,
    *,
    where: Where = True,
    dtype: DType = None,
    casting: Cast = "same_kind",
) -> Any:
    """Return the greater of two elements; NaN only if both are NaN.

    Fresh; shapes broadcast, dtypes promote.
    """


@calling(np.fmin)
@_completed
def fmin(
    x1: Operand,
    x2: Operand,
    /,
    out: Out = None,
    *,
    where: Where = True,
    dtype: DType = None,
    casting: Cast = "same_kind",
) -> Any:
    """Return the lesser of two elements; NaN only if both are NaN.

    Fresh; shapes broadcast, dtypes promote.
    """


@calling(np.fmod)
@_completed
def fmod(
    x1: Operand,
    x2: Operand,
    /,
    out: Out = None,
    *,
    where: Where = True,
    dtype: DType = None,
    casting: Cast = "same_kind",
) -> Any:
    """Compute remainders with the sign of x1, as in C.

    Fresh; shapes broadcast, dtypes promote.
    """


@calling_for_two(np.frexp)
@_completed_pair
def frexp(
    x: Operand,
    out1: AnyArray | None = None,
    out2: AnyArray | None = None,
    /,
    *,
    out: _Pair = None,
    where: Where = True,
    dtype: DType = None,
    casting: Cast = "same_kind",
) -> Any:
    """Split numbers into mantissas with magnitudes from 0.5 to 1, and exponents to the base 2.

    Both fresh, of x's shape.

    Raises
    ------
    TypeError
        `out` is passed both by position and by keyword.
    """


@calling(np.gcd)
@_completed
def gcd(
    x1: Operand,
    x2: Operand,
    /,
    out: Out = None,
    *,
    where: Where = True,
    dtype: DType = None,
    casting: Cast = "same_kind",
) -> Any:
    """Compute greatest common divisors of integers.

    Fresh; shapes broadcast, dtypes promote.
    """


@calling(np.heaviside)
@_completed
def heaviside(
    x1: Operand,
    x2: Operand,
    /,
    out: Out = None,
    *,
    where: Where = True,
    dtype: DType = None,
    casting: Cast = "same_kind",
) -> Any:
    """Compute step functions: 0 where x1 < 0, 1 where x1 > 0, x2 where x1 is 0.

    Fresh; shapes broadcast, in floating point.
    """


@dispatching(np.i0)
def i0(x: Operand) -> Any:
    """Compute the modified Bessel function of the first kind and order 0, of real numbers.

    Fresh, of x's shape.

    Parameters
    ----------
    x : array_like
    """


@dispatching(np.isclose, arrays=4)
def isclose(
    a: ArrayLike, b: ArrayLike, rtol: ArrayLike = 1e-05, atol: ArrayLike = 1e-08, equal_nan: bool = False
) -> Any:
    """Test whether elements are equal within ``atol + rtol * abs(b)``.

    Fresh; shapes broadcast; booleans.

    Parameters
    ----------
    a, b : array_like
    rtol : array_like, default 1e-05
        The relative tolerance.
    atol : array_like, default 1e-08
        The absolute tolerance.
    equal_nan : bool, default False
        Whether NaN equals NaN.
    """


@dispatching(np.iscomplex)
def iscomplex(x: Operand) -> Any:
    """Test whether the imaginary part is not 0.

    Fresh, of x's shape; booleans.

    Parameters
    ----------
    x : array_like
    """


@calling(np.isnat)
@_completed
def isnat(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Test whether times are NaT.

    Fresh, of x's shape; booleans.
    """


@dispatching(np.isneginf)
def isneginf(x: Operand, out: AnyArray | None = None) -> Any:
    """Test whether elements are negative infinity.

    Fresh, or `out`; booleans.

    Parameters
    ----------
    x : array_like
    out : ndarray, optional
        Written and returned, in place of a fresh array.
    """


@dispatching(np.isposinf)
def isposinf(x: Operand, out: AnyArray | None = None) -> Any:
    """Test whether elements are positive infinity.

    Fresh, or `out`; booleans.

    Parameters
    ----------
    x : array_like
    out : ndarray, optional
        Written and returned, in place of a fresh array.
    """


@dispatching(np.isreal)
def isreal(x: Operand) -> Any:
    """Test whether the imaginary part is 0.

    Fresh, of x's shape; booleans.

    Parameters
    ----------
    x : array_like
    """


@calling(np.lcm)
@_completed
def lcm(
    x1: Operand,
    x2: Operand,
    /,
    out: Out = None,
    *,
    where: Where = True,
    dtype: DType = None,
    casting: Cast = "same_kind",
) -> Any:
    """Compute least common multiples of integers.

    Fresh; shapes broadcast, dtypes promote.
    """


@calling(np.ldexp)
@_completed
def ldexp(
    x1: Operand,
    x2: Operand,
    /,
    out: Out = None,
    *,
    where: Where = True,
    dtype: DType = None,
    casting: Cast = "same_kind",
) -> Any:
    """Multiply by powers of 2, ``x1 * 2 ** x2``; x2 are integers.

    Fresh; shapes broadcast.
    """


@calling(np.logaddexp2)
@_completed
def logaddexp2(
    x1: Operand,
    x2: Operand,
    /,
    out: Out = None,
    *,
    where: Where = True,
    dtype: DType = None,
    casting: Cast = "same_kind",
) -> Any:
    """Compute ``log2(2 ** x1 + 2 ** x2)`` without intermediate overflow.

    Fresh; shapes broadcast, in floating point.
    """


@calling_for_two(np.modf)
@_completed_pair
def modf(
    x: Operand,
    out1: AnyArray | None = None,
    out2: AnyArray | None = None,
    /,
    *,
    out: _Pair = None,
    where: Where = True,
    dtype: DType = None,
    casting: Cast = "same_kind",
) -> Any:
    """Split numbers into fractional and whole parts, both with the sign of x.

    Both fresh, of x's shape.

    Raises
    ------
    TypeError
        `out` is passed both by position and by keyword.
    """


@dispatching(np.nan_to_num, arrays=5)
def nan_to_num(
    x: Operand,
    copy: bool = True,
    nan: ArrayLike = 0.0,
    posinf: ArrayLike | None = None,
    neginf: ArrayLike | None = None,
) -> Any:
    """Replace NaN, infinity and negative infinity by numbers.

    A copy, made at once; with ``copy=False`` x itself.

    Parameters
    ----------
    x : array_like
    copy : bool, default True
        ``False`` writes into x.
    nan : float, default 0.0
        In place of NaN.
    posinf, neginf : float, optional
        Replacements for infinities. Default: the largest and the least number of the dtype.
    """


@calling(np.rad2deg)
@_completed
def rad2deg(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Convert angles from radians to degrees.

    Fresh, of x's shape, in floating point.
    """


@calling(np.radians)
@_completed
def radians(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Convert angles from degrees to radians.

    Fresh, of x's shape, in floating point.
    """


@dispatching(np.real_if_close)
def real_if_close(a: ArrayLike, tol: float = 100) -> Any:
    """Return the real parts if all imaginary parts are close to 0, else the numbers as they are.

    A copy, lazy where possible.

    Parameters
    ----------
    a : array_like
    tol : float, default 100
        How many machine epsilons count as close; if at most 1, an absolute tolerance.

    See Also
    --------
    numpy.real_if_close : Returns an alias if it can.
    """


@calling(np.rint)
@_completed
def rint(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Round to the nearest whole numbers; halves go to the even neighbour.

    Fresh, of x's shape, in floating point.
    """


@dispatching(np.sinc)
def sinc(x: Operand) -> Any:
    """Compute ``sin(πx) / (πx)``, and 1 at 0.

    Fresh, of x's shape, in floating point.

    Parameters
    ----------
    x : array_like
    """


@calling(np.spacing)
@_completed
def spacing(
    x: Operand, /, out: Out = None, *, where: Where = True, dtype: DType = None, casting: Cast = "same_kind"
) -> Any:
    """Return the distance to the next floating-point number.

    Fresh, of x's shape.
    """


@dispatching(np.unwrap)
def unwrap(p: ArrayLike, discont: float | None = None, axis: int = -1, *, period: float = 2 * np.pi) -> Any:
    """Add periods along an axis, so that jumps are less than half a period.

    Parameters
    ----------
    p : array_like
    discont : float, optional
        The least jump to remove. Default, and minimum: half a period.
    axis : int, default -1
    period : float, default 2π

    Returns
    -------
    ndarray
        Fresh, of p's shape.
    """


complete(globals())
