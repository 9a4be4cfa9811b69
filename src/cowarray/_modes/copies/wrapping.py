"""`wrap` and `to_numpy`: the arrays in containers, frames and datasets, as cowarray's and as NumPy's."""

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
    """Put lazy copies in the place of all arrays in an object: a snapshot of all of it.

    Parameters
    ----------
    obj : object
        An array; a list, tuple, dict or dataclass with arrays in it, however deep; an xarray Dataset, DataArray or
        Variable; a pandas Series or DataFrame. Anything else is passed on as it is.

    Returns
    -------
    object
        The same, made anew. Arrays of cowarray's are lazy copies; NumPy's are what `asarray` makes of them, so one that
        can be written to is copied once; those of NumPy's subclasses are copied by themselves. What is in two places is
        one object in both again. A Series or DataFrame is still pandas': a shallow copy, which pandas copies before it
        writes; of columns that somebody else can write to, and of those that cannot be shared, a copy is made at once.

    See Also
    --------
    to_numpy : The way back to NumPy.
    lazy_clone : The copy of one array.
    History : Keeps versions of a state.

    Notes
    -----
    Dataclasses are made as `copy.copy` makes them, without a call of ``__init__``, and all of their attributes are
    looked at. In xarray's objects, indexes and what is not in memory (dask's arrays, files) stay as they are, as does
    ``attrs``.

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
    """Put NumPy's arrays in the place of all of cowarray's in an object.

    Parameters
    ----------
    obj : object
        As `wrap` takes it.
    writable : bool, default False
        As `ndarray.to_numpy` takes it: ``False`` gives read-only snapshots, without a copy, which never change;
        ``True`` gives aliases of the arrays, which first get bytes of their own where they share.

    Returns
    -------
    object
        The same, made anew. Series and DataFrames, in which there are only pandas' own arrays, stay as they are.

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
    """xarray's variables that are no index."""
    return {name: _variable(array.variable, walk) for name, array in arrays.items() if name not in array.xindexes}


def _variable(variable: Any, walk: Walk) -> Any:
    data = variable._data  # `data` would read a file
    made = walk(data)
    return variable if made is data else variable.copy(deep=False, data=made)
