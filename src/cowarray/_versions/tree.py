"""Versions: the changes of each to its parent, and the changes between any two.

A version that is d steps from the first one has a *leap* for each power of 32 that divides d: the combined changes of
its last 32, 1024, ... steps. A path between two versions consists of leaps: some dozens, however long it is.
"""

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cowarray._native.public import public
from cowarray._versions.numbers import are_in, unique

__all__ = ["NO_ENTRIES", "Entries", "Leap", "Node", "Present", "Tree", "Version"]

_STRIDE = 32  # documented in docs/history-format.md
_DENSE = 16  # pages in a range per named page, below which a table of the range beats sorting
_UNSAID = np.iinfo(np.int64).min  # no content

_Numbers = NDArray[np.int64]
Entries = NDArray[np.int64]  # a row of pages, one of their contents before, and one of those after
NO_ENTRIES: Entries = np.zeros((3, 0), np.int64)


@public
@dataclass(frozen=True)
class Version:
    """One version of a history.

    Parameters
    ----------
    number : int
        Counted from 0; never reused.
    parent : int or None
        The version that it continues.
    merged : int or None
        The version that was merged into it.
    message : str
    time : float
        Seconds since the epoch.
    pages : dict
        For each array that changed, by its place in the state, the number of its 4 KiB pages that changed.
    """

    number: int
    parent: int | None
    merged: int | None
    message: str
    time: float
    pages: dict[str, int]


@dataclass(frozen=True)
class Present:
    """The place of a history."""

    head: int
    branch: str
    tips: dict[str, int]


@dataclass(frozen=True, slots=True)
class Node:
    """A version in its tree."""

    version: Version
    depth: int  # its steps from the first version
    layout: Any
    entries: Entries


@dataclass(frozen=True, slots=True)
class Leap:
    """The changes between an ancestor and a version."""

    ancestor: int
    entries: Entries


def _last(page: _Numbers, content: _Numbers) -> tuple[_Numbers, _Numbers]:
    """Return the last content of each page, by sorted pages."""
    lowest, highest = (int(page.min()), int(page.max())) if page.size else (0, -1)
    if highest - lowest < _DENSE * page.size:
        table = np.full(highest - lowest + 1, _UNSAID)
        table[page - lowest] = content
        found = np.flatnonzero(table != _UNSAID)
        return found + lowest, table[found]
    order = np.argsort(page, kind="stable")
    page = page[order]
    last = np.ones(page.size, np.bool_)
    last[:-1] = page[1:] != page[:-1]
    return page[last], content[order[last]]


def _joined(parts: list[Entries]) -> Entries:
    """Combine the changes of several steps, the oldest first, by sorted pages."""
    page, before, after = np.concatenate([NO_ENTRIES, *parts], axis=1)
    pages, after = _last(page, after)
    return np.stack([pages, _last(page[::-1], before[::-1])[1], after])


def _oldest_first(parts: list[Entries]) -> Entries:
    return np.concatenate([NO_ENTRIES, *parts[::-1]], axis=1)


def _level(depth: int, steps: int) -> int:
    """Return the level of the longest leap from a depth that takes at most so many steps."""
    level, size = 0, _STRIDE
    while size <= steps and depth % size == 0:
        level, size = level + 1, size * _STRIDE
    return level


class Tree:
    """A tree of versions in memory. A child's number is higher than its parent's."""

    def __init__(self) -> None:
        self._nodes: dict[int, Node] = {}
        self._leaps: dict[tuple[int, int], Leap] = {}

    # ---- what it has -------------------------------------------------------------------------------------------------

    @property
    def nbytes(self) -> int:
        nodes, leaps = list(self._nodes.values()), list(self._leaps.values())
        return sum(node.entries.nbytes for node in nodes) + sum(leap.entries.nbytes for leap in leaps)

    @property
    def last(self) -> int:
        """The number of the last version."""
        return next(reversed(self._nodes), -1)

    def __len__(self) -> int:
        return len(self._nodes)

    def __contains__(self, number: object) -> bool:
        return number in self._nodes

    def __getitem__(self, number: int) -> Node:
        return self._nodes[number]

    def nodes(self) -> Iterator[Node]:
        """Iterate over all versions, the oldest first."""
        return iter(self._nodes.values())

    def newest(self, count: int | None = None) -> list[Version]:
        """Return up to `count` versions, the last one first."""
        nodes = list(self._nodes.values())  # first: a destructor may add to them meanwhile
        return [node.version for node in reversed(nodes)][:count]

    def parents(self) -> dict[int, int | None]:
        """Return the parent of each version, the oldest first."""
        return {number: node.version.parent for number, node in self._nodes.items()}

    def _leap(self, number: int, level: int) -> Leap:
        if level:
            return self._leaps[number, level]
        node = self[number]
        assert node.version.parent is not None
        return Leap(node.version.parent, node.entries)

    def leaps_at(self, node: Node) -> list[Leap]:
        """Return the leaps that end at a version of the tree, from the first level on."""
        return [self._leap(node.version.number, level) for level in range(1, _level(node.depth, node.depth) + 1)]

    # ---- growing -----------------------------------------------------------------------------------------------------

    def node(self, version: Version, layout: Any, entries: Entries) -> Node:
        """Return a node that may be added."""
        depth = 0 if version.parent is None else self[version.parent].depth + 1
        return Node(version, depth, layout, entries)

    def leaps_of(self, node: Node) -> list[Leap]:
        """Return the leaps that will end at a new version, from the first level on."""
        found: list[Leap] = []
        while node.depth and _level(node.depth, node.depth) > len(found):
            parent = node.version.parent
            assert parent is not None
            leap = found[-1] if found else Leap(parent, node.entries)
            level, parts = len(found), [leap.entries]
            for _ in range(_STRIDE - 1):
                leap = self._leap(leap.ancestor, level)
                parts.append(leap.entries)
            found.append(Leap(leap.ancestor, _joined(parts[::-1])))
        return found

    def add(self, node: Node, leaps: list[Leap]) -> None:
        """Add a version with its leaps. The last line makes it part of the tree."""
        number = node.version.number
        self._leaps.update({(number, level): leap for level, leap in enumerate(leaps, 1)})
        self._nodes[number] = node

    def drop(self, number: int) -> None:
        """Undo `add`, as far as it was done."""
        self._nodes.pop(number, None)

    # ---- ways --------------------------------------------------------------------------------------------------------

    def _climb(self, number: int, steps: int) -> tuple[int, list[Entries]]:
        """Return the ancestor so many steps above, and the changes on the way to it, the youngest first."""
        depth, parts = self[number].depth, list[Entries]()
        while steps > 0:
            level = _level(depth, steps)
            leap = self._leap(number, level)
            parts.append(leap.entries)
            number, depth, steps = leap.ancestor, depth - _STRIDE**level, steps - _STRIDE**level
        return number, parts

    def _meet(self, a: int, b: int, depth: int) -> tuple[list[Entries], list[Entries]]:
        """Return the changes from two versions of one depth to their last common ancestor, the youngest first."""
        ups, downs = list[Entries](), list[Entries]()
        while a != b:
            level = _level(depth, depth)
            first, second = self._leap(a, level), self._leap(b, level)
            while level and first.ancestor == second.ancestor:  # perhaps beyond the last common one
                level -= 1
                first, second = self._leap(a, level), self._leap(b, level)
            ups.append(first.entries)
            downs.append(second.entries)
            a, b, depth = first.ancestor, second.ancestor, depth - _STRIDE**level
        return ups, downs

    def between(self, start: int, goal: int) -> tuple[_Numbers, _Numbers]:
        """Return the sorted pages that may differ between two versions, and their contents at the goal."""
        depths = self[start].depth, self[goal].depth
        a, ups = self._climb(start, depths[0] - min(depths))
        b, downs = self._climb(goal, depths[1] - min(depths))
        more = self._meet(a, b, min(depths))
        back, there = np.concatenate([NO_ENTRIES, *ups, *more[0]], axis=1), _oldest_first([*downs, *more[1]])
        return _last(np.concatenate([back[0], there[0]]), np.concatenate([back[1], there[2]]))

    def at(self, number: int) -> tuple[_Numbers, _Numbers]:
        """Return the sorted pages that differ in a version from their arrays as first committed, and their contents."""
        root, parts = self._climb(number, self[number].depth)
        page, _, content = _oldest_first([*parts, self[root].entries])
        return _last(page, content)

    def is_ancestor(self, old: int, young: int) -> bool:
        """Tell whether a version is another one, or an ancestor of it through parents."""
        steps = self[young].depth - self[old].depth
        return steps >= 0 and self._climb(young, steps)[0] == old

    def child_towards(self, old: int, young: int) -> int:
        """Return the child of `old` on the way to `young`, its descendant."""
        return self._climb(young, self[young].depth - self[old].depth - 1)[0]

    def common(self, a: int, b: int) -> int:
        """Return the last common ancestor of two versions, merges included."""
        reached, open_ones = {a: 1, b: 2}, [-a, -b]
        if a == b:
            return a
        heapq.heapify(open_ones)
        while True:
            number = -heapq.heappop(open_ones)
            if reached[number] == 3:
                return number
            version = self[number].version
            for other in (version.parent, version.merged):
                if other is not None:
                    if other not in reached:
                        heapq.heappush(open_ones, -other)
                    reached[other] = reached.get(other, 0) | reached[number]

    # ---- other trees -------------------------------------------------------------------------------------------------

    def renewed(self, other: "Tree") -> "Tree":
        """Return the tree that replaces this one, with the versions of another."""
        return other

    def contents(self) -> _Numbers:
        """Return the numbers of all contents that versions name."""
        return unique(np.concatenate([NO_ENTRIES[0], *(node.entries[1:].ravel() for node in self.nodes())]))

    def renumbered(
        self,
        renumber: Callable[[_Numbers], _Numbers],
        has: Callable[[_Numbers], NDArray[np.bool_]],
        page: _Numbers,
        content: _Numbers,
    ) -> "Tree":
        """Return the tree with other numbers for contents, and without pages for which `has` is false.

        Its first version also names `content` for these pages.
        """
        made = Tree()
        for node in self.nodes():
            pages, before, after = node.entries[:, has(node.entries[0])]
            if node.version.parent is None:
                more = ~are_in(page, pages)
                pages, after = np.concatenate([pages, page[more]]), np.concatenate([after, content[more]])
                before = np.zeros(len(pages), np.int64)
            made._grow(replace(node, entries=np.stack([pages, renumber(before), renumber(after)])))
        return made

    def _grow(self, node: Node) -> None:
        self.add(node, self.leaps_of(node))

    def thinned(self, kept: set[int]) -> "Tree":
        """Return the tree with only these versions and their last common ancestor.

        The parent of a version is the nearest ancestor that stays.
        """
        parents = self.parents()
        root = _common_of(kept, parents)
        stays, above, made = kept | {root}, dict[int, int](), Tree()
        for number, parent in parents.items():
            over = None if number == root or parent is None else above.get(parent)
            if number in stays:
                made._grow(self._moved(number, over, made))
                above[number] = number
            elif over is not None:
                above[number] = over
        return made

    def _moved(self, number: int, parent: int | None, made: "Tree") -> Node:
        """Return a version's node for another tree, with another parent."""
        node = self[number]
        entries, version = node.entries, node.version
        if parent is None:
            page, after = self.at(number)  # earlier changes are on no path between versions, but determine its contents
            entries = np.stack([page, np.zeros_like(page), after])
        elif parent != version.parent:
            entries = _joined(self._climb(number, node.depth - self[parent].depth)[1][::-1])
        merged = version.merged if version.merged in made else None
        return made.node(replace(version, parent=parent, merged=merged), node.layout, entries)


def _common_of(numbers: set[int], parents: dict[int, int | None]) -> int:
    """Return the last common ancestor of some versions, through parents."""
    reached, open_ones = set(numbers), [-number for number in numbers]
    heapq.heapify(open_ones)
    while len(open_ones) > 1:
        parent = parents[-heapq.heappop(open_ones)]
        assert parent is not None
        if parent not in reached:
            reached.add(parent)
            heapq.heappush(open_ones, -parent)
    return -open_ones[0]
