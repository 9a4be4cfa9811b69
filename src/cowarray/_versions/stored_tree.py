"""The versions of a folder; those that were used lately are in memory."""

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cowarray._versions.coding import decoded
from cowarray._versions.containers import Layout, Value, arrays_of, has_classes
from cowarray._versions.database import Row, damage_of, decoding
from cowarray._versions.tree import Leap, Node, Tree, Version

if TYPE_CHECKING:
    from cowarray._versions.store import Store

__all__ = ["StoredTree"]

_Numbers = NDArray[np.int64]

_MOST = 2048  # versions and leaps that are kept in memory
_MOST_BYTES = 8 << 20  # of their entries
_AT_ONCE = 1024  # versions that are read at a time when all are read


class StoredTree(Tree):
    """A tree of versions up to its last one; later ones do not belong to it.

    Parameters
    ----------
    template : object
        The classes of dataclasses and named tuples: see `decoded`.
    """

    def __init__(self, store: "Store", last: int, template: Any = None) -> None:
        super().__init__()
        self._store, self._last = store, last
        self._template = template

        def layout_of(text: str) -> Layout:
            layout = decoded(text, template)
            unknown = {number for _, number in arrays_of(layout)} - store.numbers
            if unknown or isinstance(layout, Value):
                raise LookupError(f"a state of {f'arrays {unknown}' if unknown else layout}")
            return layout

        self._decoded = lru_cache(64)(layout_of)
        self._dressed: dict[int, Layout] = {}  # of versions of this process, with classes that a text lacks
        self._nbytes = 0

    def renewed(self, other: Tree) -> "StoredTree":
        """Return a tree of the folder with the versions of another tree."""
        made = StoredTree(self._store, other.last, self._template)
        made._dressed = {number: layout for number, layout in self._dressed.items() if number in other}
        return made

    def _node(self, row: Row) -> Node:
        layout = self._dressed.get(row.version.number)
        if layout is None:
            with decoding(self._store.folder):
                layout = self._decoded(row.layout)
        return Node(row.version, row.depth, layout, row.entries)

    @property
    def last(self) -> int:
        return self._last

    def _unwritten(self) -> tuple[int, dict[int, Node]]:
        """Return the last version to be read from the tables, and the nodes of those after it."""
        nodes = dict(self._nodes)  # first: a version that is written meanwhile is in both
        written = min(self._store.written, self._last)
        return written, {number: node for number, node in nodes.items() if written < number <= self._last}

    def __len__(self) -> int:
        written, more = self._unwritten()
        return self._store.database.count(written) + len(more)

    def __contains__(self, number: object) -> bool:
        if not isinstance(number, int) or not 0 <= number <= self._last:
            return False
        return number in self._nodes or self._store.database.has_version(number)

    def __getitem__(self, number: int) -> Node:
        found = self._nodes.get(number)
        if found is None:
            found = self._nodes[number] = self._kept(self._node(self._store.database.version(number)))
        return found

    def _kept(self, found: Any) -> Any:
        """Return an object that is about to be kept in memory; forget others if there are too many."""
        self._nbytes += found.entries.nbytes
        if self._nbytes > _MOST_BYTES or len(self._nodes) + len(self._leaps) > _MOST:
            written = self._store.written
            self._nodes = {number: node for number, node in self._nodes.items() if number > written}
            self._leaps = {where: leap for where, leap in self._leaps.items() if where[0] > written}
            self._nbytes = self.nbytes
        return found

    def _leap(self, number: int, level: int) -> Leap:
        if not level:
            if self[number].version.parent is None:
                raise damage_of(self._store.folder, f"version {number} has no parent, and others before it")
            return super()._leap(number, level)
        found = self._leaps.get((number, level))
        if found is None:
            found = self._leaps[number, level] = self._kept(self._store.database.leap(number, level))
        return found

    def between(self, start: int, goal: int) -> tuple[_Numbers, _Numbers]:
        with self._store.database.reading():
            return super().between(start, goal)

    def at(self, number: int) -> tuple[_Numbers, _Numbers]:
        with self._store.database.reading():
            return super().at(number)

    def nodes(self) -> Iterator[Node]:
        written, more = self._unwritten()
        first, depths = 0, dict[int | None, int]({None: -1})
        while rows := self._store.database.versions(first, written, _AT_ONCE):
            for row in rows:
                number, parent = row.version.number, row.version.parent
                if row.depth - 1 != depths.get(parent):
                    raise damage_of(self._store.folder, f"version {number} was made of version {parent}")
                depths[number] = row.depth
                yield self._node(row)
            first = rows[-1].version.number + 1
        yield from more.values()

    def newest(self, count: int | None = None) -> list[Version]:
        written, more = self._unwritten()
        first = [node.version for node in reversed(more.values())][:count]
        return first + self._store.database.newest(written, -1 if count is None else count - len(first))

    def parents(self) -> dict[int, int | None]:
        written, more = self._unwritten()
        return {
            **self._store.database.parents(written),
            **{number: node.version.parent for number, node in more.items()},
        }

    def add(self, node: Node, leaps: list[Leap]) -> None:
        if has_classes(node.layout):
            self._dressed[node.version.number] = node.layout
        super().add(self._kept(node), leaps)
        self._last = node.version.number

    def drop(self, number: int) -> None:
        super().drop(number)
        self._dressed.pop(number, None)
        self._last = min(self._last, number - 1)
