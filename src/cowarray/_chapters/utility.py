"""The chapter "utility functions" of the array API standard, and NumPy's functions of that kind. They only read."""

from typing import Any, Literal, SupportsIndex

import numpy as np
from numpy._globals import _NoValueType
from numpy.typing import ArrayLike

from cowarray._chapters.declared import dispatching
from cowarray._chapters.docstrings import complete, describe_methods
from cowarray._face.annotations import Array, Axes
from cowarray._ops.functions import dispatched

__all__ = ["all", "any", "diff", "ediff1d", "gradient", "interp", "trapezoid"]


@dispatching(np.all)
def all(
    a: ArrayLike,
    axis: Axes = None,
    out: Array | np.ndarray[Any, Any] | None = None,
    keepdims: bool | _NoValueType = np._NoValue,
    *,
    where: ArrayLike | _NoValueType = np._NoValue,
) -> Any:
    """Test whether all elements are true, along axes or in the whole array.

    Fresh, or `out`; booleans.

    Parameters
    ----------
    a : array_like
    axis : int or tuple of int, optional
        All axes if omitted.
    out : ndarray, optional
        Written and returned, in place of a fresh array.
    keepdims : bool, optional
        Whether reduced axes stay, with length 1.
    where : array_like of bool, optional
        Elements to include. Default: all.
    """


@dispatching(np.any)
def any(
    a: ArrayLike,
    axis: Axes = None,
    out: Array | np.ndarray[Any, Any] | None = None,
    keepdims: bool | _NoValueType = np._NoValue,
    *,
    where: ArrayLike | _NoValueType = np._NoValue,
) -> Any:
    """Test whether any element is true, along axes or in the whole array.

    Fresh, or `out`; booleans.

    Parameters
    ----------
    a : array_like
    axis : int or tuple of int, optional
        All axes if omitted.
    out : ndarray, optional
        Written and returned, in place of a fresh array.
    keepdims : bool, optional
        Whether reduced axes stay, with length 1.
    where : array_like of bool, optional
        Elements to include. Default: all.
    """


def diff(
    a: ArrayLike,
    n: int = 1,
    axis: SupportsIndex = -1,
    prepend: ArrayLike | None = None,
    append: ArrayLike | None = None,
) -> Array:
    """Take the differences of neighbours along an axis, n times.

    Fresh; for n = 0 a lazy copy of a.

    Parameters
    ----------
    a : array_like
    n : int, default 1
        0 gives a copy of a.
    axis : int, default -1
    prepend, append : array_like, optional
        Values to put before and after a.

    Examples
    --------
    >>> import cowarray
    >>> cowarray.diff(cowarray.asarray([1, 2, 4]), prepend=0)
    array([1, 1, 2])
    """
    if prepend is None and append is None:
        return dispatched(np.diff, a, n, axis)
    before = np._NoValue if prepend is None else prepend
    after = np._NoValue if append is None else append
    return dispatched(np.diff, a, n, axis, before, after)


@dispatching(np.ediff1d, arrays=3, returns=Array)
def ediff1d(ary: ArrayLike, to_end: ArrayLike | None = None, to_begin: ArrayLike | None = None) -> Any:
    """Take the differences of neighbours in the flattened array, with values put before and after.

    Fresh.

    Parameters
    ----------
    ary : array_like
    to_end, to_begin : array_like, optional
        Values to put after and before the differences.
    """


@dispatching(np.gradient, arrays=None)
def gradient(f: ArrayLike, *varargs: Any, axis: Axes = None, edge_order: Literal[1, 2] = 1) -> Any:
    """Compute slopes by central differences, along each of some axes.

    Parameters
    ----------
    f : array_like
    *varargs : float or array_like
        Distances between elements, or their coordinates: one for all axes, or one for each.
    axis : int or tuple of int, optional
        All axes if omitted.
    edge_order : {1, 2}, default 1
        The order of the differences at the ends.

    Returns
    -------
    ndarray or tuple of ndarray
        Fresh; for several axes, a tuple with one for each.
    """


@dispatching(np.interp, arrays=3)
def interp(
    x: ArrayLike,
    xp: ArrayLike,
    fp: ArrayLike,
    left: complex | None = None,
    right: complex | None = None,
    period: float | None = None,
) -> Any:
    """Return the values at x on the straight lines between the points (xp, fp).

    Fresh.

    Parameters
    ----------
    x : array_like
    xp, fp : array_like
        The points; xp rises.
    left, right : float, optional
        Values before the first point and after the last. Default: the values at those points.
    period : float, optional
        The period of x; left and right are then ignored.
    """


@dispatching(np.trapezoid, arrays=2)
def trapezoid(y: ArrayLike, x: ArrayLike | None = None, dx: float = 1.0, axis: SupportsIndex = -1) -> Any:
    """Integrate along an axis by the trapezoidal rule.

    Fresh.

    Parameters
    ----------
    y : array_like
    x : array_like, optional
        The positions of the values. Default: dx apart.
    dx : float, default 1.0
    axis : int, default -1
    """


complete(globals())
describe_methods(globals())
