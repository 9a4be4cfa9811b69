"""States: arrays and plain values in dicts, lists, tuples and dataclasses, and their layouts.

A layout describes a state's structure, with a number for each array. Layouts are compared, kept with versions, and put
back into the same containers.
"""

import copy
import dataclasses
import datetime
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from cowarray._face.ndarray import ndarray

__all__ = [
    "KINDS",
    "ArrayAt",
    "Container",
    "Layout",
    "Value",
    "arrays_in",
    "arrays_of",
    "has_classes",
    "is_array",
    "is_container",
    "merged",
    "number_of",
    "places_of",
    "put_back",
    "read",
    "see_state",
    "values_in",
]

KINDS = "an array, a dict, a list, a tuple or a dataclass"  # of states
_PLAIN = (
    type(None),
    bool,
    int,
    float,
    complex,
    str,
    bytes,
    datetime.date,
    datetime.datetime,
    datetime.time,
    datetime.timedelta,
)


@dataclass(frozen=True)
class ArrayAt:
    number: int


class Value:
    """A plain value; equal to values of its type with the same repr, so that a NaN equals itself and 1 is not True."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Value) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[type, str]:
        return type(self.value), repr(self.value)


@dataclass(frozen=True)
class Container:
    kind: str  # "dict", "list", "tuple" or "object"
    cls: Any
    keys: tuple[Any, ...]
    key_types: tuple[type, ...]  # kept because 1 and True are equal
    items: tuple["Layout", ...]


Layout = ArrayAt | Value | Container


def is_array(value: object) -> bool:
    """Tell whether a value is an array that a state may have."""
    return type(value) is ndarray or type(value) in (np.ndarray, np.memmap)


def see_state(layout: Layout, operation: str) -> None:
    """Refuse a plain value in the place of a state."""
    if isinstance(layout, Value):
        raise TypeError(f"{operation}: a state is {KINDS} (got {layout.value!r})")


def _named(path: str, key: object, kind: str, *, quoted: bool = False) -> str:
    if kind == "object":
        return f"{path}.{key}" if path else str(key)
    return f"{path}[{key!r}]" if path or kind != "dict" else repr(key) if quoted else str(key)


def _kind_of(value: Any, path: str, operation: str) -> str:
    if isinstance(value, dict):
        for key in value:
            if type(key) not in _PLAIN:
                raise TypeError(
                    f"{operation}: keys must be plain values (got {type(key).__name__} in {path or 'the state'})"
                )
        return "dict"
    if isinstance(value, list):
        return "list"
    if isinstance(value, tuple):
        return "tuple"
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return "object"
    raise TypeError(
        f"{operation}: cannot keep {type(value).__name__} at {path or 'the top'}: a state has arrays and plain values "
        "in dicts, lists, tuples and dataclasses"
    )


def _parts(value: Any, kind: str) -> list[tuple[Any, Any]]:
    if kind == "dict":
        return list(value.items())
    if kind == "object":
        return [(field.name, getattr(value, field.name)) for field in dataclasses.fields(value)]
    return list(enumerate(value))


def _is_fixed(value: Any, kind: str) -> bool:
    return kind == "tuple" or (kind == "object" and type(value).__dataclass_params__.frozen)


def _with(value: Any, kind: str, items: dict[Any, Any]) -> Any:
    """Return the container with other items: itself, or a new tuple or frozen dataclass."""
    if kind == "tuple":
        made = list(value)
        for index, item in items.items():
            made[index] = item
        return type(value)._make(made) if hasattr(value, "_make") else tuple(made)
    if _is_fixed(value, kind):
        made = copy.copy(value)
        for name, item in items.items():
            object.__setattr__(made, name, item)
        return made
    for key, item in items.items():
        if kind == "object":
            setattr(value, key, item)
        else:
            value[key] = item
    return value


def read(
    value: Any,
    take: Callable[[Any, Layout | None, str], tuple[int, Any]],
    before: Layout | None = None,
    *,
    copied: bool = False,
    operation: str = "History",
) -> tuple[Layout, Any]:
    """Return the layout of a state, and the state, in new containers if `copied`.

    Parameters
    ----------
    value : object
    take : callable
        Called once with each array, the layout that was in its place, and its path. Returns its number, and the object
        that takes its place in the copy.
    before : layout, optional
        The layout of the same state, some time ago.
    copied : bool
        Whether to copy the containers. Otherwise the state is returned as it is.
    operation : str
        For errors.
    """
    return _Reader(take, copied, operation).read(value, before, "")


class _Reader:
    def __init__(
        self, take: Callable[[Any, Layout | None, str], tuple[int, Any]], copied: bool, operation: str
    ) -> None:
        self._take = take
        self._copied = copied
        self._operation = operation
        self._open = set[int]()
        self._taken: dict[int, tuple[Any, int, Any]] = {}  # by id: an array, its number, and its replacement

    def read(self, value: Any, before: Layout | None, path: str) -> tuple[Layout, Any]:
        if is_array(value):
            if id(value) not in self._taken:
                self._taken[id(value)] = value, *self._take(value, before, path)
            _, number, made = self._taken[id(value)]
            return ArrayAt(number), made
        if type(value) in _PLAIN or (isinstance(value, np.generic) and not isinstance(value, (np.void, np.object_))):
            return Value(value), value
        kind = _kind_of(value, path, self._operation)
        if id(value) in self._open:
            raise ValueError(f"{self._operation}: a state cannot contain itself (at {path or 'the top'})")
        self._open.add(id(value))
        try:
            return self._read_parts(value, kind, before, path)
        finally:
            self._open.discard(id(value))

    def _read_parts(self, value: Any, kind: str, before: Layout | None, path: str) -> tuple[Layout, Any]:
        parts = _parts(value, kind)
        known = dict(zip(before.keys, before.items, strict=True)) if isinstance(before, Container) else {}
        found = [(key, item, *self.read(item, known.get(key), _named(path, key, kind))) for key, item in parts]
        if _is_fixed(value, kind) and any(isinstance(layout, Value) for _, _, layout, _ in found):
            raise TypeError(
                f"{self._operation}: {type(value).__name__} at {path or 'the top'} has plain values and cannot be "
                "changed in place; use a list or a dataclass that is not frozen"
            )
        made = value
        if self._copied:
            changed = {key: part for key, item, _, part in found if part is not item}
            home = value if _is_fixed(value, kind) else copy.copy(value)
            made = _with(home, kind, changed) if changed else home
        keys = tuple(key for key, *_ in found)
        items = tuple(part for _, _, part, _ in found)
        return Container(kind, type(value), keys, tuple(map(type, keys)), items), made


def is_container(value: object) -> bool:
    """Tell whether a value is a container that a state may have."""
    return isinstance(value, (dict, list, tuple)) or (dataclasses.is_dataclass(value) and not isinstance(value, type))


def values_in(state: Any) -> Iterator[Any]:
    """Yield the values in a state, in all its containers."""
    seen, open_ones = set[int](), [state]
    while open_ones:
        value = open_ones.pop()
        if is_array(value) or not is_container(value):
            yield value
        elif id(value) not in seen:
            seen.add(id(value))
            if isinstance(value, (dict, list, tuple)):
                open_ones += value.values() if isinstance(value, dict) else value
            else:
                open_ones += [getattr(value, field.name) for field in dataclasses.fields(value)]


def arrays_in(state: Any) -> Iterator[Any]:
    """Iterate over the arrays of a state, in all its containers."""
    return filter(is_array, values_in(state))


def put_back(layout: Layout, live: Any, arrays: dict[int, ndarray[Any, Any]]) -> Any:
    """Give a state a layout, in its own containers where they are of the same kind."""
    return _Putter(arrays).put(layout, live)


class _Putter:
    def __init__(self, arrays: dict[int, ndarray[Any, Any]]) -> None:
        self._arrays = arrays
        self._used: dict[int, Any] = {}  # containers by id: one that was in two places stays in the first

    def put(self, layout: Layout, live: Any) -> Any:
        """Return the object that takes the place of `live`."""
        if isinstance(layout, ArrayAt):
            return self._arrays[layout.number]
        if isinstance(layout, Value):
            return layout.value
        other = type(live) is not layout.cls or id(live) in self._used
        if other or (layout.kind == "tuple" and len(live) != len(layout.items)):
            live = _new(layout)
        self._used[id(live)] = live
        if layout.kind == "dict":
            return self._put_dict(layout, live)
        if layout.kind == "list":
            del live[len(layout.items) :]
            live += [None] * (len(layout.items) - len(live))
        before = dict(_parts(live, layout.kind))
        items = {key: self.put(item, before[key]) for key, item in zip(layout.keys, layout.items, strict=True)}
        changed = {key: item for key, item in items.items() if item is not before[key]}
        return _with(live, layout.kind, changed) if changed else live

    def _put_dict(self, layout: Container, live: Any) -> Any:
        items = {key: self.put(item, live.get(key)) for key, item in zip(layout.keys, layout.items, strict=True)}
        if [*map(Value, live)] != [*map(Value, items)]:
            live.clear()
        for key, item in items.items():
            if key not in live or live[key] is not item:
                live[key] = item
        return live


def _new(layout: Container) -> Any:
    """Return a container of the layout's kind, whose items are yet to come."""
    if layout.kind == "object":
        made: Any = object.__new__(layout.cls)
        for name in layout.keys:
            object.__setattr__(made, name, None)
        return made
    if layout.kind == "tuple":
        items = [None] * len(layout.items)
        return layout.cls._make(items) if hasattr(layout.cls, "_make") else tuple(items)
    return layout.cls()


def number_of(layout: Layout | None) -> int | None:
    """Return the number of the array that a layout is, or None."""
    return layout.number if isinstance(layout, ArrayAt) else None


def arrays_of(layout: Layout, path: str = "", *, quoted: bool = False) -> Iterator[tuple[str, int]]:
    """Yield the path and the number of each array.

    Paths may be alike, such as those of the keys 1 and "1". With `quoted`, text at the top is in quotes: all differ.
    """
    if isinstance(layout, ArrayAt):
        yield path or "array", layout.number
    elif isinstance(layout, Container):
        for key, item in zip(layout.keys, layout.items, strict=True):
            yield from arrays_of(item, _named(path, key, layout.kind, quoted=quoted), quoted=quoted)


def places_of(layout: Layout) -> dict[tuple[str, int], str]:
    """Map each array's quoted path and number to its path, which is quoted only if two would otherwise be alike."""
    exact, plain = [*arrays_of(layout, quoted=True)], [path for path, _ in arrays_of(layout)]
    shown = plain if len(set(plain)) == len(plain) else [path for path, _ in exact]
    return dict(zip(exact, shown, strict=True))


def merged(
    start: Layout | None,
    ours: Layout | None,
    theirs: Layout | None,
    written: tuple[set[int], set[int]],
    policy: str,
    clashes: list[tuple[str, bool]],
    path: str = "",
) -> Layout | None:
    """Merge two layouts' changes to a third, part by part.

    Parameters
    ----------
    start, ours, theirs : layout or None
        None if there is nothing at this place.
    written : pair of set of int
        Numbers of arrays that ours, or theirs, has written to and the other has dropped: they count as changed.
    policy : str
        Where both have changed a part differently, ours is taken, unless this is "last".
    clashes : list of tuple
        Receives the path of each such part, and whether one side has only dropped what the other has written to.
    path : str
        Of these layouts, in the state.

    Returns
    -------
    layout or None
    """
    if ours == theirs or _is_as_it_was(theirs, start, written[1]):
        return ours
    if _is_as_it_was(ours, start, written[0]):
        return theirs
    parts = [part for part in (start, ours, theirs) if isinstance(part, Container)]
    if len(parts) < 3 or len({(part.kind, part.cls) for part in parts}) > 1 or not _have_places(parts):
        clashes.append((path or "the top", start in (ours, theirs)))
        return theirs if policy == "last" else ours
    # Keys of `ours` come first, then those that only `theirs` has.
    keys = {Value(key): key for part in (parts[1], parts[2]) for key in part.keys}
    found = [{Value(key): item for key, item in zip(part.keys, part.items, strict=True)} for part in parts]
    kind = parts[1].kind
    items: dict[Any, Layout | None] = {}
    for at, key in keys.items():
        before, mine, other = (items_at.get(at) for items_at in found)
        items[key] = merged(before, mine, other, written, policy, clashes, _named(path, key, kind))
    if len(items) < len(keys):  # 1 and True are two keys, but one place
        clashes.append((path or "the top", False))
        return theirs if policy == "last" else ours
    left = {key: item for key, item in items.items() if item is not None}
    return Container(kind, parts[1].cls, tuple(left), tuple(map(type, left)), tuple(left.values()))


def _is_as_it_was(part: Layout | None, start: Layout | None, written: set[int]) -> bool:
    return part == start and (part is None or written.isdisjoint(number for _, number in arrays_of(part)))


def _have_places(parts: list[Container]) -> bool:
    """Tell whether keys mean the same place in each: items of lists move when others come or go."""
    return parts[0].kind == "dict" or parts[0].keys == parts[1].keys == parts[2].keys


def has_classes(layout: Layout) -> bool:
    """Tell whether any container is of another class than its text would give."""
    return isinstance(layout, Container) and (
        layout.cls not in (dict, list, tuple) or any(map(has_classes, layout.items))
    )
