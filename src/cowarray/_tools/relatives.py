"""Finding which named arrays share an array's bytes, without computing, bringing back or copying any."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from cowarray._array.array import Snapshot
from cowarray._face.ndarray import ndarray
from cowarray._native.public import public
from cowarray._native.storage import Storage, share_allocation

__all__ = ["Relative", "relatives_of"]

ITSELF, VIEW, COPY, SNAPSHOT, MEMORY = "itself", "view", "lazy copy", "snapshot", "NumPy array"


@public
class Relative(NamedTuple):
    """A named array that shares bytes with the array that `explain` describes.

    Parameters
    ----------
    name : str
        Its place in `among`: ``x``, ``history[3]``.
    kind : {'itself', 'view', 'lazy copy', 'snapshot', 'NumPy array'}
        A view aliases; a snapshot is a NumPy array that never changes; "NumPy array" is any other in these bytes.
    storage : int or None
        Arrays with the same number have the same Storage, or belong to the same snapshot. None for other memory.
    nbytes : int
        The bytes of its elements.
    """

    name: str
    kind: str
    storage: int | None
    nbytes: int

    def __str__(self) -> str:
        return f"{self.name}: {self.kind if self.kind == ITSELF else f'a {self.kind}'}, {self.nbytes} bytes"


def relatives_of(x: ndarray, among: Mapping[str, object] | Sequence[object]) -> tuple[Relative, ...]:
    """Return those of the named arrays that share x's bytes, x first.

    Parameters
    ----------
    x : ndarray
    among : mapping of str to object, or iterable of object
        Lists, tuples and dicts in it are searched, but no deeper. Names that begin with an underscore are left out.

    Returns
    -------
    tuple of Relative

    Raises
    ------
    TypeError
        `among` is neither.
    """
    named = _named(among)
    storages = [x.storage]
    found, foreign = [], []
    for name, other in named:
        if type(other) is ndarray:
            storage = other.storage
            if storage is not x.storage and not share_allocation(x.storage, storage):
                continue
            if not any(storage is each for each in storages):
                storages.append(storage)
            number = next(i for i, each in enumerate(storages) if each is storage)
            kind = ITSELF if other is x else VIEW if number == 0 else COPY
            found.append(Relative(name, kind, number, other.nbytes))
        elif isinstance(other, np.ndarray):
            foreign.append((name, other))
    if not any(each.kind == ITSELF for each in found):
        found.append(Relative("x", ITSELF, 0, x.nbytes))
    found.sort(key=lambda each: (each.kind != ITSELF, each.storage))
    return (
        *found,
        *sorted(_in_the_same_memory(storages, foreign), key=lambda each: (each.storage is None, each.storage)),
    )


def _named(among: object) -> list[tuple[str, object]]:
    """Return [(name, object)] for the objects in `among`, and for those in its containers."""
    if isinstance(among, Mapping):
        listed = [(str(name), value) for name, value in list(among.items()) if not str(name).startswith("_")]
    elif isinstance(among, (list, tuple)):
        listed = [(f"[{i}]", value) for i, value in enumerate(among)]
    else:
        raise TypeError(
            f"explain: among must be a mapping or a list of arrays, as globals() (got {type(among).__name__})"
        )
    found: list[tuple[str, object]] = []
    for name, value in listed:
        if type(value) is list or type(value) is tuple:
            found += [(f"{name}[{i}]", each) for i, each in enumerate(value)]
        elif type(value) is dict:
            found += [(f"{name}[{key!r}]", each) for key, each in list(value.items())]
        else:
            found.append((name, value))
    return found


def _in_the_same_memory(storages: list[Storage], foreign: list[tuple[str, np.ndarray]]) -> Iterator[Relative]:
    """Yield the NumPy arrays that lie in the memory of some Storages. Snapshots are numbered after the Storages."""
    owners: list[Snapshot] = []
    # Storages without bytes have addresses that no other memory uses.
    windows = [(each.data_ptr, each.data_ptr + each.nbytes) for each in storages]
    for name, other in foreign:
        low, high = np.lib.array_utils.byte_bounds(other)
        if other.size and any(low < end and start < high for start, end in windows):
            owner = _owner_of(other)
            if type(owner) is not Snapshot:
                yield Relative(name, MEMORY, None, other.nbytes)
                continue
            if not any(owner is each for each in owners):
                owners.append(owner)
            number = next(i for i, each in enumerate(owners) if each is owner)
            yield Relative(name, SNAPSHOT, len(storages) + number, other.nbytes)


def _owner_of(array: np.ndarray) -> object:
    """Return the object that owns a NumPy array's memory."""
    owner: object = array
    while isinstance(owner, np.ndarray):
        owner = owner.base
    return owner.obj if isinstance(owner, memoryview) else owner
