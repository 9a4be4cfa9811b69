"""NumPy's functions of polynomials, which are given by their coefficients, highest power first.

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
    """Return NumPy's result if one of these arguments is a `numpy.poly1d`, which is more than its coefficients."""
    if any(isinstance(each, np.poly1d) for each in by_class):
        return function(*by_class, *args)
    return dispatched(function, *by_class, *args)


@dispatching(np.poly)
def poly(seq_of_zeros: ArrayLike) -> Any:
    """Return the coefficients of the polynomial with these zeros, or of a square matrix's characteristic polynomial.

    Fresh.

    Parameters
    ----------
    seq_of_zeros : array_like
        The zeros, or a matrix.
    """


def polyadd(a1: Any, a2: Any) -> Any:
    """Add two polynomials.

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
    """Differentiate a polynomial m times.

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
    """Divide two polynomials, with remainder.

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
    """Fit a polynomial of a given degree to points by least squares.

    Parameters
    ----------
    x : array_like
    y : array_like
        With two axes, a set of points in each column.
    deg : int
        The degree.
    rcond : float, optional
        Singular values up to this fraction of the largest count as 0. Default: set by the precision.
    full : bool, default False
        Whether to return diagnostics of the computation as well.
    w : array_like, optional
        Weights of the points.
    cov : bool or 'unscaled', default False
        Whether to return the covariances of the coefficients as well.

    Returns
    -------
    ndarray or tuple
        The coefficients, fresh; with `full` or `cov` a tuple.

    Examples
    --------
    >>> import cowarray
    >>> cowarray.round(cowarray.polyfit([0, 1, 2], cowarray.asarray([1.0, 3.0, 5.0]), 1), 9)
    array([2., 1.])
    """


def polyint(p: Any, m: SupportsIndex = 1, k: ArrayLike | None = None) -> Any:
    """Integrate a polynomial m times.

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
    """Multiply two polynomials.

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
    """Subtract two polynomials.

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
    """Evaluate a polynomial at x.

    Fresh, of x's shape. If x is a polynomial, a polynomial.

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
    """Find the zeros of a polynomial.

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
