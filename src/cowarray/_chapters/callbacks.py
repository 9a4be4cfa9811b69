"""NumPy's functions that run your functions, and iteration by index.

Your function receives snapshots: read-only NumPy arrays that never change. It may keep them; to write, it copies them.
It may also keep the arrays that it returns, so results are copied once.
"""

from collections.abc import Callable, Sequence
from typing import Any, Self, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from cowarray._chapters.docstrings import complete
from cowarray._ops.conversion import asarray, own_or_asarray
from cowarray._ops.functions import dispatched

__all__ = ["apply_along_axis", "apply_over_axes", "ndenumerate", "piecewise", "vectorize"]


def apply_along_axis(func1d: Callable[..., Any], axis: SupportsIndex, arr: ArrayLike, *args: Any, **kwargs: Any) -> Any:
    """Apply a function to each slice along an axis, and join the results.

    Fresh.

    Parameters
    ----------
    func1d : callable
        Called with a read-only NumPy array of one axis, and with the other arguments.
    axis : int
    arr : array_like
    *args : object
        Passed on to the function.
    **kwargs : object
        Passed on as well.
    """
    return dispatched(np.apply_along_axis, func1d, axis, arr, *args, **kwargs)


def apply_over_axes(
    func: Callable[[Any, int], Any], a: ArrayLike, axes: SupportsIndex | Sequence[SupportsIndex]
) -> Any:
    """Apply ``func(a, axis)`` along one axis after another.

    Fresh, with as many axes as `a`; without `axes` a lazy copy.

    Parameters
    ----------
    func : callable
        Called with a read-only NumPy array and an axis; may drop the axis or keep it.
    a : array_like
    axes : int or sequence of int
    """
    return dispatched(np.apply_over_axes, func, a, axes)


def piecewise(x: ArrayLike, condlist: ArrayLike, funclist: Sequence[Any], *args: Any, **kw: Any) -> Any:
    """Apply each function to the elements for which its condition holds.

    Parameters
    ----------
    x : array_like
    condlist : sequence of array_like of bool
        A condition for each function.
    funclist : sequence of callable or scalar
        A function without a condition, if there is one at the end, is for the remaining elements.
    *args : object
        Passed on to the functions.
    **kw : object
        Passed on as well.

    Returns
    -------
    ndarray
        Fresh, of x's shape and dtype; 0 where no condition holds.

    Examples
    --------
    >>> import cowarray
    >>> x = cowarray.asarray([-2.0, 3.0])
    >>> cowarray.piecewise(x, [x < 0], [abs, 0])
    array([2., 0.])
    """
    return dispatched(np.piecewise, x, condlist, funclist, *args, **kw)


class vectorize(np.vectorize):
    """A function of scalars made into a function of arrays, which broadcast.

    Calls return a `cowarray.ndarray`, or a tuple of several: fresh.

    Parameters
    ----------
    pyfunc : callable
        Omitted if this is used as a decorator with options.
    otypes : str or sequence of dtype, optional
        The dtypes of results. Default: those of the first call.
    doc : str, optional
        The docstring of the result.
    excluded : set of int or str, optional
        Parameters that are passed on as they are.
    cache : bool, default False
        Whether the first call, made to find the dtypes, is reused instead of repeated.
    signature : str, optional
        Axes that the function itself handles, such as ``"(n),(n)->()"``.

    See Also
    --------
    numpy.vectorize : The same for NumPy's arrays.

    Examples
    --------
    >>> import cowarray
    >>> cowarray.vectorize(lambda a, b: a if a > b else b)(cowarray.asarray([1, 5]), 3)
    array([3, 5])
    """

    __module__ = "cowarray"  # type: ignore[assignment]  # NumPy's stub says what its own is

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        result = super().__call__(*args, **kwargs)
        if isinstance(result, tuple):
            return tuple([_own(item) for item in result])
        return _own(result)


class ndenumerate:
    """Pairs of an index and the element there, in C order; each element is read when its turn comes.

    Parameters
    ----------
    arr : array_like
        Read in place: a write to an element before its turn is seen.

    See Also
    --------
    numpy.ndenumerate : The same for NumPy's arrays.

    Examples
    --------
    >>> import cowarray
    >>> [(index, int(value)) for index, value in cowarray.ndenumerate(cowarray.asarray([[1, 2]]))]
    [((0, 0), 1), ((0, 1), 2)]
    """

    def __init__(self, arr: ArrayLike) -> None:
        self.iter = own_or_asarray(arr).flat

    def __next__(self) -> tuple[tuple[int, ...], Any]:
        return self.iter.coords, next(self.iter)

    def __iter__(self) -> Self:
        return self


def _own(result: Any) -> Any:
    return asarray(result) if type(result) is np.ndarray else result


complete(globals())
