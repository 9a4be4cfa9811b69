"""`merge`: the changes of several versions of an array, in one array."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cowarray._face.ndarray import ndarray
from cowarray._native.public import public
from cowarray._ops.conversion import array
from cowarray._versions.changes import Changes, find
from cowarray._versions.elements import Elements, differ

__all__ = ["MergeConflict", "merge", "put_changes", "see_policy"]

_POLICIES = ("raise", "first", "last")


@public
class MergeConflict(ValueError):
    """The error that two versions changed one element, or one part of a `History`'s state, differently.

    Parameters
    ----------
    message : str
    boxes : list of tuple of slice
        The elements, as `Changes.boxes` returns them.
    paths : list of str, default []
        The parts, by their places in the state.

    See Also
    --------
    merge : The function that raises it.
    """

    def __init__(self, message: str, boxes: list[tuple[slice, ...]], paths: Sequence[str] = ()) -> None:
        super().__init__(message, boxes, [*paths])
        self.boxes = boxes
        self.paths = [*paths]

    def __str__(self) -> str:
        return str(self.args[0])


@public
def merge(
    base: ArrayLike, /, *versions: ArrayLike, conflicts: Literal["raise", "first", "last"] = "raise"
) -> ndarray[Any, Any]:
    """Put the changes of several versions into one array.

    Parameters
    ----------
    base : array_like
        The array that the versions were copied from.
    *versions : array_like
        Arrays of base's shape and dtype.
    conflicts : {"raise", "first", "last"}
        What to do if two versions changed one element to different bytes: raise `MergeConflict`, or take the first or
        the last version's. Otherwise the order of the versions makes no difference.

    Returns
    -------
    ndarray
        A lazy copy of base, with the elements of each version whose bytes differ from base's.

    Raises
    ------
    MergeConflict
        There are conflicts, and `conflicts` is "raise".
    ValueError
        `conflicts` is none of the three, or shapes differ.
    TypeError
        Dtypes differ, or elements are references to Python objects.

    See Also
    --------
    changes : Find where two arrays differ.

    Examples
    --------
    >>> import cowarray
    >>> x = cowarray.zeros(6)
    >>> left, right = x.copy(), x.copy()
    >>> left[0], right[5] = 1.0, 2.0
    >>> cowarray.merge(x, left, right)
    array([1., 0., 0., 0., 0., 2.])
    """
    see_policy("merge", conflicts)
    start = Elements("merge", base)
    made = start.array.lazy_clone() if type(start.array) is ndarray else array(start.array)
    changed = [(value, find("merge", start, value)) for value in (Elements("merge", x) for x in versions)]
    clashes: list[Changes] = []
    for value, difference in changed:
        clash = put_changes(made, start, value, difference, conflicts)
        if clash:
            clashes.append(clash)
    if clashes and conflicts == "raise":
        boxes = [box for clash in clashes for box in clash.boxes()]
        count = sum(clash.size for clash in clashes)
        raise MergeConflict(f"merge: versions changed {count} elements to different values, first in {boxes[0]}", boxes)
    return made


def see_policy(name: str, conflicts: str) -> None:
    """Refuse anything but the three policies."""
    if conflicts not in _POLICIES:
        raise ValueError(f"{name}: conflicts must be one of {', '.join(map(repr, _POLICIES))} (got {conflicts!r})")


def put_changes(
    made: ndarray[Any, Any], start: Elements, value: Elements, difference: Changes, conflicts: str
) -> Changes:
    """Put a version's changes into the array; return those where another version has put something else."""
    clashes: list[tuple[int, NDArray[np.bool_]]] = []
    shape = tuple(difference.shape[axis] for axis in difference.order) or (1,)
    target = made.transpose(difference.order)
    target = target if target.ndim else target.reshape(1, copy=False)
    base, version = (np.atleast_1d(x.seen.transpose(difference.order)) for x in (start, value))
    for first, mask in difference.blocks:
        flat = first + np.flatnonzero(mask)
        index = np.unravel_index(flat, shape)
        now, before, new = target[index].to_numpy(), base[index], version[index]
        taken = differ(now, before)
        clash = taken & differ(now, new)
        if clash.any():
            clashed = np.zeros(mask.size, np.bool_)
            clashed[flat[clash] - first] = True
            clashes.append((first, clashed))
        put = ~taken if conflicts == "first" else np.ones(flat.size, np.bool_)
        target[tuple(axis[put] for axis in index)] = new[put]
    return Changes(difference.shape, difference.order, value.seen.dtype.itemsize, clashes)
