"""NumPy's functions of polynomials, given by their coefficients, the highest power first.

Arguments are array_like and only read; results are fresh. A `numpy.poly1d` makes the results that it makes in NumPy.
"""

import numpy as np

from cowarray._ops.protocols import dispatched

__all__ = ["poly", "polyadd", "polyder", "polydiv", "polyfit", "polyint", "polymul", "polysub", "polyval", "roots"]


def poly(seq_of_zeros):
    """Coefficients of the polynomial with these zeros, or of a square matrix's characteristic polynomial. Fresh."""
    return dispatched(np.poly, seq_of_zeros)


def polyadd(a1, a2):
    """The sum of two polynomials. Fresh."""
    return dispatched(np.polyadd, a1, a2)


def polyder(p, m=1):
    """The m-th derivative. Fresh; for m = 0 a lazy copy of p."""
    return dispatched(np.polyder, p, m)


def polydiv(u, v):
    """Quotient and remainder of two polynomials. Fresh, both."""
    return dispatched(np.polydiv, u, v)


def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    """The polynomial of a degree that is nearest to points by least squares; as `numpy.polyfit`. Fresh.

    Examples
    --------
    >>> import cowarray
    >>> cowarray.round(cowarray.polyfit([0, 1, 2], cowarray.asarray([1.0, 3.0, 5.0]), 1), 9)
    array([2., 1.])
    """
    return dispatched(np.polyfit, x, y, deg, rcond, full, w, cov)


def polyint(p, m=1, k=None):
    """The m-th integral, with constants k. Fresh; for m = 0 a lazy copy of p."""
    return dispatched(np.polyint, p, m, k)


def polymul(a1, a2):
    """The product of two polynomials. Fresh."""
    return dispatched(np.polymul, a1, a2)


def polysub(a1, a2):
    """The difference of two polynomials. Fresh."""
    return dispatched(np.polysub, a1, a2)


def polyval(p, x):
    """Values of a polynomial at x. Fresh, of x's shape."""
    return dispatched(np.polyval, p, x)


def roots(p):
    """The zeros of a polynomial. Fresh."""
    return dispatched(np.roots, p)
