"""Contents of pages that no array has any more, and the table of those that versions name."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cowarray._versions.numbers import unique
from cowarray._versions.tracked import PAGE

__all__ = ["Column", "Contents"]

_ARENA = 256  # pages that are allocated at a time

_Bytes = NDArray[np.uint8]
_Numbers = NDArray[np.int64]


class Column:
    """A growing sequence of numbers."""

    def __init__(self) -> None:
        self._room: _Numbers = np.zeros(64, np.int64)
        self._size = 0

    @property
    def values(self) -> _Numbers:
        """A view of all numbers."""
        return self._room[: self._size]

    @property
    def nbytes(self) -> int:
        return self._room.nbytes

    def __len__(self) -> int:
        return self._size

    def append(self, numbers: Any) -> None:
        self.put(self._size, numbers)

    def put(self, start: int, numbers: Any) -> None:
        """Put numbers at the end, from `start` on."""
        size = start + len(numbers)
        if size > self._room.size:
            room = np.zeros(max(size, 2 * self._room.size), np.int64)
            room[:start] = self._room[:start]
            self._room = room
        self._room[start:size] = numbers
        self._size = size


class Contents:
    """Contents by number. Number 0 means none; a number whose content is only in an array has no place."""

    def __init__(self) -> None:
        self._places = Column()
        self._places.append([-1])
        self._arenas: list[_Bytes | None] = []
        self._free: list[int] = []

    @property
    def nbytes(self) -> int:
        used = sum(arena.nbytes for arena in self._arenas if arena is not None)
        return used + self._places.nbytes

    def new(self, count: int) -> _Numbers:
        """Return numbers for contents that have no place yet."""
        first = len(self._places)
        self._places.append(np.full(count, -1))
        return np.arange(first, first + count)

    def first(self, pages: _Numbers) -> _Numbers:
        """Return numbers for the first contents of pages."""
        return self.new(len(pages))

    def lack(self, numbers: _Numbers) -> NDArray[np.bool_]:
        """Tell which of the numbers have no place."""
        return self._places.values[numbers] < 0

    def keep(self, numbers: _Numbers, contents: _Bytes) -> None:
        """Store contents."""
        places = self._take(len(numbers))
        for arena, inside, which in self._by_arena(places):
            arena[inside] = contents[which]
        self._places.values[numbers] = places

    def get(self, numbers: _Numbers) -> _Bytes:
        """Return a copy of contents that have places."""
        made = np.empty((len(numbers), PAGE), np.uint8)
        for arena, inside, which in self._by_arena(self._places.values[numbers]):
            made[which] = arena[inside]
        return made

    def retain(self, numbers: _Numbers) -> None:
        """Drop all contents but these."""
        places = self._places.values
        dropped = places >= 0
        dropped[numbers] = False
        freed = places[dropped].tolist()
        places[dropped] = -1  # first: an interrupt may lose a place, but never give it out twice
        self._free += freed
        self._drop_arenas()

    def _drop_arenas(self) -> None:
        """Free the arenas of which every page is free."""
        free = np.array(self._free, np.int64)
        counts = np.bincount(free // _ARENA, minlength=len(self._arenas))
        empty = counts == _ARENA
        self._free = free[~empty[free // _ARENA]].tolist()
        for index in np.flatnonzero(empty).tolist():
            self._arenas[index] = None

    def _take(self, count: int) -> _Numbers:
        while len(self._free) < count:
            index = next((i for i, arena in enumerate(self._arenas) if arena is None), len(self._arenas))
            made: _Bytes = np.empty((_ARENA, PAGE), np.uint8)
            self._arenas[index : index + 1] = [made]
            self._free += range((index + 1) * _ARENA - 1, index * _ARENA - 1, -1)
        taken = self._free[len(self._free) - count :]
        del self._free[len(self._free) - count :]
        return np.array(taken[::-1], np.int64)

    def _by_arena(self, places: _Numbers) -> list[tuple[_Bytes, _Numbers, Any]]:
        """Return, for each arena: the arena, the pages in it, and the indices of their places."""
        arenas = places // _ARENA
        found: list[tuple[_Bytes, _Numbers, Any]] = []
        for index in unique(arenas).tolist():
            arena = self._arenas[index]
            assert arena is not None
            which = np.flatnonzero(arenas == index)
            found.append((arena, places[which] % _ARENA, which))
        return found
