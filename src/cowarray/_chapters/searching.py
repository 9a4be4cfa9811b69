"""The chapter "searching functions" of the array API standard, 2025.12, and NumPy's functions of that kind.

Arguments are array_like: cowarray's arrays or NumPy's, scalars, lists, anything with a buffer or ``__array__``. They
are only read, and lazy copies stay lazy. Unless a docstring says more, parameters, results and errors are those of
NumPy's function of the same name; arrays are returned as fresh `cowarray.ndarray`.
"""

from typing import Any, Literal, SupportsIndex

import numpy as np
from numpy._globals import _NoValueType
from numpy.typing import ArrayLike

from cowarray._chapters.declared import dispatching
from cowarray._chapters.docstrings import complete, describe_methods
from cowarray._face.annotations import Axis
from cowarray._ops.functions import dispatched

__all__ = [
    "argmax",
    "argmin",
    "argwhere",
    "count_nonzero",
    "digitize",
    "flatnonzero",
    "nonzero",
    "searchsorted",
    "where",
]

_DEFAULT = np._NoValue  # "not given", where None would mean something


@dispatching(np.argmax)
def argmax(a: ArrayLike, axis: Axis = None, out: Any = None, *, keepdims: bool | _NoValueType = _DEFAULT) -> Any:
    """Return the indices of the greatest elements along an axis: the first, if several are equal.

    Fresh, or `out`; integers.

    Parameters
    ----------
    a : array_like
    axis : int, optional
        The flattened array if omitted.
    out : ndarray, optional
        Written and returned, in place of a fresh array.
    keepdims : bool, optional
        Whether the reduced axis stays, with length 1.
    """


@dispatching(np.argmin)
def argmin(a: ArrayLike, axis: Axis = None, out: Any = None, *, keepdims: bool | _NoValueType = _DEFAULT) -> Any:
    """Return the indices of the least elements along an axis: the first, if several are equal.

    Fresh, or `out`; integers.

    Parameters
    ----------
    a : array_like
    axis : int, optional
        The flattened array if omitted.
    out : ndarray, optional
        Written and returned, in place of a fresh array.
    keepdims : bool, optional
        Whether the reduced axis stays, with length 1.
    """


@dispatching(np.argwhere)
def argwhere(a: ArrayLike) -> Any:
    """Return the indices of the nonzero elements, a row for each.

    Parameters
    ----------
    a : array_like

    Returns
    -------
    ndarray
        Fresh, of shape (number of nonzero elements, a.ndim).
    """


def count_nonzero(
    a: ArrayLike, axis: SupportsIndex | tuple[SupportsIndex, ...] | None = None, *, keepdims: bool = False
) -> Any:
    """Count nonzero elements along axes.

    Fresh; integers.

    Parameters
    ----------
    a : array_like
    axis : int or tuple of int, optional
        All axes if omitted.
    keepdims : bool, default False
        Whether reduced axes stay, with length 1.
    """
    count = dispatched(np.count_nonzero, a, axis=axis, keepdims=keepdims)
    return np.intp(count) if type(count) is int else count  # a Python int, from NumPy before 2.3


@dispatching(np.digitize, arrays=2)
def digitize(x: ArrayLike, bins: ArrayLike, right: bool = False) -> Any:
    """Find the bin in which each element lies.

    Fresh, of x's shape; indices into `bins`.

    Parameters
    ----------
    x : array_like
    bins : array_like
        The edges, rising or falling.
    right : bool, default False
        Whether an edge belongs to the bin before it.
    """


@dispatching(np.flatnonzero)
def flatnonzero(a: ArrayLike) -> Any:
    """Return the indices into the flattened array of the nonzero elements.

    Parameters
    ----------
    a : array_like

    Returns
    -------
    ndarray
        Fresh.
    """


@dispatching(np.nonzero, returns=tuple[Any, ...])
def nonzero(a: ArrayLike) -> Any:
    """Return the indices of the nonzero elements.

    Fresh, one for each axis.

    Parameters
    ----------
    a : array_like

    Raises
    ------
    ValueError
        `a` has no axes.
    """


@dispatching(np.searchsorted, arrays=4)
def searchsorted(
    a: ArrayLike, v: ArrayLike, side: Literal["left", "right"] = "left", sorter: ArrayLike | None = None
) -> Any:
    """Find where to insert elements into a sorted array so that it stays sorted.

    Fresh, of v's shape; integers.

    Parameters
    ----------
    a : array_like
        One-dimensional; sorted, or `sorter` sorts it.
    v : array_like
        The elements.
    side : {'left', 'right'}, default 'left'
        Before or after equal elements.
    sorter : array_like of int, optional
        Indices that sort `a`.

    Examples
    --------
    >>> import cowarray
    >>> cowarray.searchsorted(cowarray.asarray([1, 3, 5]), [0, 3, 9])
    array([0, 1, 3])
    """


@dispatching(np.where, arrays=3)
def where(condition: ArrayLike, x: Any = _DEFAULT, y: Any = _DEFAULT, /) -> Any:
    """Pick elements of x where the condition holds, and of y elsewhere.

    Parameters
    ----------
    condition : array_like of bool
    x, y : array_like, optional
        Without these: `nonzero` of the condition.

    Returns
    -------
    ndarray or tuple of ndarray
        Fresh, even where all elements come from x; shapes broadcast, dtypes promote.

    Examples
    --------
    >>> import cowarray
    >>> x = cowarray.asarray([-1, 2, -3])
    >>> cowarray.where(x > 0, x, 0)
    array([0, 2, 0])
    """


complete(globals())
describe_methods(globals())
