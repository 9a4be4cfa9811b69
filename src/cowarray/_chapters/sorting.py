"""The chapter "sorting functions" of the array API standard, 2025.12, and NumPy's functions of that kind.

Arguments are array_like: cowarray's arrays or NumPy's, scalars, lists, anything with a buffer or ``__array__``. They
are only read, and lazy copies stay lazy. Unless a docstring says more, parameters, results and errors are those of
NumPy's function of the same name; arrays are returned as fresh `cowarray.ndarray`.
"""

from collections.abc import Sequence
from typing import Any, Literal, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from cowarray._chapters.declared import dispatching
from cowarray._chapters.docstrings import complete, describe_methods
from cowarray._face.annotations import Axis
from cowarray._ops.elementwise import imported
from cowarray._ops.functions import dispatched

_Kind: TypeAlias = Literal["quicksort", "mergesort", "heapsort", "stable"] | None
_Fields: TypeAlias = str | Sequence[str] | None

__all__ = ["argpartition", "argsort", "lexsort", "partition", "sort"]


@dispatching(np.argpartition, arrays=2)
def argpartition(
    a: ArrayLike, kth: ArrayLike, axis: Axis = -1, kind: Literal["introselect"] = "introselect", order: _Fields = None
) -> Any:
    """Return indices that put the k-th element where it would be if all were sorted.

    Parameters
    ----------
    a : array_like
    kth : int or sequence of int
    axis : int or None, default -1
        ``None``: the flattened array.
    kind : {'introselect'}, default 'introselect'
    order : str or sequence of str, optional
        The fields to compare, if the elements have fields.

    Returns
    -------
    ndarray
        Fresh, of a's shape; with one axis if `axis` is None.
    """


def argsort(
    a: ArrayLike,
    axis: Axis = -1,
    kind: _Kind = None,
    order: _Fields = None,
    *,
    stable: bool | None = None,
    descending: bool = False,
) -> Any:
    """Return the indices that sort an array.

    Parameters
    ----------
    a : array_like
    axis : int or None, default -1
        ``None``: the flattened array.
    kind : {'quicksort', 'mergesort', 'heapsort', 'stable'}, optional
        As in NumPy.
    order : str or sequence of str, optional
        The fields to compare, if the elements have fields.
    stable : bool, optional
        Whether equal elements keep their order. Default: as `kind` says.
    descending : bool, default False
        Greatest first; NaNs come last either way. Equal elements then keep their order, unless `stable` or `kind` is
        given. Anything but a bool raises TypeError.

    Returns
    -------
    ndarray
        Fresh, of a's shape; with one axis if `axis` is None.

    Examples
    --------
    >>> import cowarray
    >>> cowarray.argsort(cowarray.asarray([1, 3, 1, 2]), descending=True)
    array([1, 3, 0, 2])
    """
    x = None if descending is False else _descending("argsort", a, descending)
    if x is None:
        return dispatched(np.argsort, a, axis, kind, order, stable=stable)
    if stable is None and kind is None:
        stable = True
    x, along = _with_axis(x, axis)
    # With a reversal before and one after, equal elements keep their order.
    turned = np.flip(np.argsort(np.flip(x, along), axis=along, kind=kind, order=order, stable=stable), along)
    indices = x.shape[along] - 1 - turned
    ranks = _nan_ranks(x)
    return indices if ranks is None else _by_rank(indices, np.take_along_axis(ranks, indices, along), along)


@dispatching(np.lexsort)
def lexsort(keys: Any, axis: SupportsIndex = -1) -> Any:
    """Return the indices that sort by several keys, the last one first; stable.

    Parameters
    ----------
    keys : sequence of array_like
        Of one shape.
    axis : int, default -1

    Returns
    -------
    ndarray
        Fresh.
    """


@dispatching(np.partition, arrays=2)
def partition(
    a: ArrayLike, kth: ArrayLike, axis: Axis = -1, kind: Literal["introselect"] = "introselect", order: _Fields = None
) -> Any:
    """Return a copy with the k-th element where sorting would put it: none less after it, none greater before.

    Parameters
    ----------
    a : array_like
    kth : int or sequence of int
    axis : int or None, default -1
        ``None``: the flattened array.
    kind : {'introselect'}, default 'introselect'
    order : str or sequence of str, optional
        The fields to compare, if the elements have fields.

    Returns
    -------
    ndarray
        Fresh, of a's shape and dtype; with one axis if `axis` is None. The method `ndarray.partition` writes instead.
    """


def sort(
    a: ArrayLike,
    axis: Axis = -1,
    kind: _Kind = None,
    order: _Fields = None,
    *,
    stable: bool | None = None,
    descending: bool = False,
) -> Any:
    """Return a sorted copy.

    Parameters
    ----------
    a : array_like
    axis : int or None, default -1
        ``None``: the flattened array.
    kind : {'quicksort', 'mergesort', 'heapsort', 'stable'}, optional
        As in NumPy.
    order : str or sequence of str, optional
        The fields to compare, if the elements have fields.
    stable : bool, optional
        Whether elements that are equal but not identical (-0.0 and 0.0, records compared by a field) keep their order,
        even if descending. Default: whatever is fastest.
    descending : bool, default False
        Greatest first. NaNs come last either way.

    Returns
    -------
    ndarray
        Fresh, of a's shape and dtype; with one axis if `axis` is None. The method `ndarray.sort` writes instead.

    Raises
    ------
    TypeError
        `descending` is not a bool.

    Examples
    --------
    >>> import cowarray
    >>> cowarray.sort(cowarray.asarray([2.0, float("nan"), 3.0]), descending=True)
    array([ 3.,  2., nan])
    """
    x = None if descending is False else _descending("sort", a, descending)
    if x is None:
        return dispatched(np.sort, a, axis, kind, order, stable=stable)
    x, along = _with_axis(x, axis)
    turned = np.flip(np.sort(np.flip(x, along), axis=along, kind=kind, order=order, stable=stable), along)
    ranks = _nan_ranks(turned)
    return turned.copy() if ranks is None else _by_rank(turned, ranks, along)


def _descending(operation: str, a: Any, descending: object) -> Any:
    """Return the array; None if it has no axes, so that there is nothing to sort."""
    if descending is not True:
        raise TypeError(f"{operation}: descending must be True or False (got {descending!r})")
    x = imported(a)
    return x if np.ndim(x) else None


def _with_axis(x: Any, axis: Any) -> tuple[Any, int]:
    return (np.ravel(x), 0) if axis is None else (x, axis)


def _nan_ranks(x: Any) -> Any:
    """Return 0 for numbers and more for elements that follow them in either direction; None if all are numbers."""
    if x.dtype.kind == "c":
        ranks = 2 * np.isnan(x.real).view(np.uint8) + np.isnan(x.imag)
    elif x.dtype.kind in "fmM":
        ranks = np.isnan(x).view(np.uint8)
    else:
        return None
    return ranks if ranks.any() else None


def _by_rank(x: Any, ranks: Any, axis: Any) -> Any:
    return np.take_along_axis(x, np.argsort(ranks, axis=axis, stable=True), axis)


complete(globals())
describe_methods(globals())
