"""NumPy's functions of polynomials, given by their coefficients, the highest power first.

Arguments are array_like and only read; results are fresh. For a `numpy.poly1d` the result is NumPy's.
"""

from collections.abc import Callable
from typing import Any, Literal, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from cowarray._chapters.declared import dispatching
from cowarray._chapters.docstrings import complete
from cowarray._ops.functions import dispatched

__all__ = ["poly", "polyadd", "polyder", "polydiv", "polyfit", "polyint", "polymul", "polysub", "polyval", "roots"]


def _computed(function: Callable[..., Any], by_class: tuple[Any, ...], *args: Any) -> Any:
    """NumPy's result where one of these arguments is a `numpy.poly1d`, which is more than its coefficients."""
    if any(isinstance(each, np.poly1d) for each in by_class):
        return function(*by_class, *args)
    return dispatched(function, *by_class, *args)


@dispatching(np.poly)
def poly(seq_of_zeros: ArrayLike) -> Any:
    """Coefficients of the polynomial with these zeros, or of a square matrix's characteristic polynomial.

    Fresh.

    Parameters
    ----------
    seq_of_zeros : array_like
        The zeros, or a matrix.
    """


def polyadd(a1: Any, a2: Any) -> Any:
    """The sum of two polynomials.

    Parameters
    ----------
    a1, a2 : array_like or numpy.poly1d
        Coefficients.

    Returns
    -------
    ndarray or numpy.poly1d
        Fresh.
    """
    return _computed(np.polyadd, (a1, a2))


def polyder(p: Any, m: SupportsIndex = 1) -> Any:
    """The m-th derivative of a polynomial.

    Parameters
    ----------
    p : array_like or numpy.poly1d
        Coefficients.
    m : int, default 1

    Returns
    -------
    ndarray or numpy.poly1d
        Fresh; for m = 0 a lazy copy of p.
    """
    return _computed(np.polyder, (p,), m)


def polydiv(u: Any, v: Any) -> tuple[Any, Any]:
    """Quotient and remainder of two polynomials.

    Parameters
    ----------
    u, v : array_like or numpy.poly1d
        Coefficients of the dividend and of the divisor.

    Returns
    -------
    q : ndarray or numpy.poly1d
        Quotient, fresh.
    r : ndarray or numpy.poly1d
        Remainder, fresh.
    """
    return _computed(np.polydiv, (u, v))


@dispatching(np.polyfit, arrays=2)
def polyfit(
    x: ArrayLike,
    y: ArrayLike,
    deg: SupportsIndex | ArrayLike,
    rcond: float | None = None,
    full: bool = False,
    w: ArrayLike | None = None,
    cov: bool | Literal["unscaled"] = False,
) -> Any:
    """The polynomial of a degree that is nearest to points by least squares.

    Parameters
    ----------
    x : array_like
    y : array_like
        With two axes: a set of points in each column.
    deg : int
        The degree.
    rcond : float, optional
        Singular values below this part of the largest count as 0. Default: set by the precision.
    full : bool, default False
        Whether to return figures of the computation as well.
    w : array_like, optional
        Weights of the points.
    cov : bool or 'unscaled', default False
        Whether to return the covariances of the coefficients as well.

    Returns
    -------
    ndarray or tuple
        Fresh: coefficients; a tuple with `full` or `cov`.

    Examples
    --------
    >>> import cowarray
    >>> cowarray.round(cowarray.polyfit([0, 1, 2], cowarray.asarray([1.0, 3.0, 5.0]), 1), 9)
    array([2., 1.])
    """


def polyint(p: Any, m: SupportsIndex = 1, k: ArrayLike | None = None) -> Any:
    """The m-th integral of a polynomial.

    Parameters
    ----------
    p : array_like or numpy.poly1d
        Coefficients.
    m : int, default 1
    k : array_like, optional
        Constants of integration. Default: 0.

    Returns
    -------
    ndarray or numpy.poly1d
        Fresh; for m = 0 a lazy copy of p.
    """
    return _computed(np.polyint, (p,), m, k)


def polymul(a1: Any, a2: Any) -> Any:
    """The product of two polynomials.

    Parameters
    ----------
    a1, a2 : array_like or numpy.poly1d
        Coefficients.

    Returns
    -------
    ndarray or numpy.poly1d
        Fresh.
    """
    return _computed(np.polymul, (a1, a2))


def polysub(a1: Any, a2: Any) -> Any:
    """The difference of two polynomials.

    Parameters
    ----------
    a1, a2 : array_like or numpy.poly1d
        Coefficients.

    Returns
    -------
    ndarray or numpy.poly1d
        Fresh.
    """
    return _computed(np.polysub, (a1, a2))


def polyval(p: Any, x: Any) -> Any:
    """Values of a polynomial at x.

    Fresh, of x's shape. For a polynomial x a polynomial.

    Parameters
    ----------
    p : array_like
        Coefficients.
    x : array_like or numpy.poly1d
    """
    if isinstance(x, np.poly1d):
        return np.polyval(p, x)
    return dispatched(np.polyval, p, x)


@dispatching(np.roots)
def roots(p: ArrayLike) -> Any:
    """The zeros of a polynomial.

    Parameters
    ----------
    p : array_like
        Coefficients.

    Returns
    -------
    ndarray
        Fresh.
    """


complete(globals())
