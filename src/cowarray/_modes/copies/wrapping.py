"""`wrap` and `to_numpy`: make the arrays in containers, frames and datasets cowarray's or NumPy's."""

import dataclasses
import sys
from typing import Any

import numpy as np

from cowarray._array.columns import frame_of_own
from cowarray._face.ndarray import ndarray
from cowarray._modes.copies.containers import Walk
from cowarray._native.public import public
from cowarray._ops.conversion import own_or_asarray

__all__ = ["to_numpy", "wrap"]


@public
def wrap(obj: Any, /) -> Any:
    """Replace all arrays in an object by lazy copies: a snapshot of the whole object.

    Parameters
    ----------
    obj : object
        An array; a list, tuple, dict or dataclass with arrays in it, however deep; an xarray Dataset, DataArray or
        Variable; a pandas Series or DataFrame. Anything else is returned unchanged.

    Returns
    -------
    object
        The same structure, rebuilt. cowarray's arrays become lazy copies; NumPy's become lazy copies of the result of
        `asarray`, so writable ones are copied once; arrays of NumPy's subclasses are copied by their own methods. An
        object that occurs twice is one object again. A Series or DataFrame stays pandas': a shallow copy, which pandas
        copies before it writes; columns that others can write to, or that cannot be shared, are copied at once.

    See Also
    --------
    to_numpy : The way back to NumPy.
    lazy_clone : The copy of one array.
    History : Keeps versions of a state.

    Notes
    -----
    Dataclasses are rebuilt by `copy.copy`, without calling ``__init__``, and all their attributes are visited. In
    xarray's objects, indexes, data outside memory (dask arrays, files) and ``attrs`` stay as they are.

    Examples
    --------
    >>> import numpy as np, cowarray
    >>> state = cowarray.wrap({"weights": [np.zeros(2), np.ones(2)], "step": 0})
    >>> before = cowarray.wrap(state)
    >>> state["weights"][0] += 5
    >>> state["weights"][0], before["weights"][0]
    (array([5., 5.]), array([0., 0.]))
    """
    return Walk(_lazy, _opened)(obj)


@public
def to_numpy(obj: Any, /, *, writable: bool = False) -> Any:
    """Replace all of cowarray's arrays in an object by NumPy's.

    Parameters
    ----------
    obj : object
        As for `wrap`.
    writable : bool, default False
        As for `ndarray.to_numpy`: ``False`` returns read-only snapshots, without a copy, which never change; ``True``
        returns aliases of the arrays, which first get their own bytes if they share them.

    Returns
    -------
    object
        The same structure, rebuilt. Series and DataFrames contain only pandas' own arrays and stay as they are.

    Raises
    ------
    TypeError
        `writable` is not a bool.
    ValueError
        ``writable=True``, and an array is read-only.

    See Also
    --------
    wrap : The way in.

    Examples
    --------
    >>> import cowarray
    >>> cowarray.to_numpy([cowarray.ones(2), "text"])
    [array([1., 1.]), 'text']
    """
    if type(writable) is not bool:
        raise TypeError(f"to_numpy: writable must be True or False (got {writable!r})")

    return Walk(_aliased if writable else _shown, _opened_but_frames)(obj)


def _lazy(array: Any) -> Any:
    return own_or_asarray(array).lazy_clone() if type(array) in (ndarray, np.ndarray, np.memmap) else array.copy()


def _shown(array: Any) -> Any:
    return array.to_numpy() if type(array) is ndarray else array


def _aliased(array: Any) -> Any:
    return array.to_numpy(writable=True) if type(array) is ndarray else array


def _opened(value: Any, walk: Walk) -> Any:
    frame = frame_of_own(value)
    return _opened_but_frames(value, walk) if frame is None else frame


def _opened_but_frames(value: Any, walk: Walk) -> Any:
    if _is_xarrays(value, "Dataset"):
        return value.assign(_variables(value.data_vars, walk)).assign_coords(_variables(value.coords, walk))
    if _is_xarrays(value, "DataArray"):
        variable = _variable(value.variable, walk)
        made = value.copy(deep=False, data=None if variable is value.variable else variable.data)
        return made.assign_coords(_variables(value.coords, walk))
    if _is_xarrays(value, "Variable"):
        return _variable(value, walk)
    return walk.through_attributes(value) if dataclasses.is_dataclass(type(value)) else value


def _is_xarrays(value: Any, kind: str) -> bool:
    return isinstance(value, getattr(sys.modules.get("xarray"), kind, ()))


def _variables(arrays: Any, walk: Walk) -> dict[Any, Any]:
    """Return the walked xarray variables that are not indexes."""
    return {name: _variable(array.variable, walk) for name, array in arrays.items() if name not in array.xindexes}


def _variable(variable: Any, walk: Walk) -> Any:
    data = variable._data  # `data` would read a file
    made = walk(data)
    return variable if made is data else variable.copy(deep=False, data=made)
