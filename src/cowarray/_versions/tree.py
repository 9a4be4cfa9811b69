"""Versions: what each changed against its parent, and what lies between any two."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cowarray._versions.contents import Column

__all__ = ["Tree", "Version"]

_Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Version:
    """One version of a history.

    Parameters
    ----------
    number : int
        Counted from 0, never used again.
    parent : int or None
        The version that it was made of.
    merged : int or None
        The version that was merged into it.
    message : str
    time : float
        Seconds since the epoch.
    pages : dict
        For each array that changed, by its place in the state, how many of its pages of 4 KiB.
    """

    number: int
    parent: int | None
    merged: int | None
    message: str
    time: float
    pages: dict[str, int]


class Tree:
    """Versions and their entries: (page, content before, content after), for each page that a version changed.

    A version that was made of the one before it continues its *run*, and the entries of a run lie one after the other,
    so what lies between two versions is found by runs.
    """

    def __init__(self) -> None:
        self.versions: dict[int, Version] = {}
        self.layouts: dict[int, Any] = {}
        self._page, self._before, self._after = Column(), Column(), Column()
        self._bounds: dict[int, tuple[int, int]] = {}
        self._run: dict[int, int] = {}  # the version with which the run of this one begins

    @property
    def nbytes(self) -> int:
        return self._page.nbytes + self._before.nbytes + self._after.nbytes

    @property
    def next_number(self) -> int:
        return self.last + 1

    @property
    def last(self) -> int:
        return next(reversed(self.versions), -1)

    def add(self, version: Version, layout: Any, page: _Numbers, before: _Numbers, after: _Numbers) -> None:
        """Add a version, or do nothing if it is there. The version is there when the last line is done."""
        number, last = version.number, self.last
        if number == last:
            return
        start = self._bounds[last][1] if last >= 0 else 0
        follows = version.parent is not None and version.parent == last
        self._page.put(start, page)
        self._before.put(start, before)
        self._after.put(start, after)
        self._bounds[number] = start, start + len(page)
        self._run[number] = self._run[last] if follows else number
        self.layouts[number] = layout
        self.versions[number] = version

    def drop_last(self, number: int) -> None:
        """Take back what `add` did, as far as it was done."""
        for table in (self.versions, self.layouts, self._run, self._bounds):
            table.pop(number, None)

    def is_ancestor(self, old: int, young: int) -> bool:
        """Whether one version is the other or was made of it through parents."""
        while young > old:
            run = self._run[young]
            parent = self.versions[run].parent
            if old >= run:
                return old in self.versions
            if parent is None:
                return False
            young = parent
        return young == old

    def child_towards(self, old: int, young: int) -> int:
        """The version that was made of `old` on the way to `young`, its descendant."""
        at = young
        while True:
            run = self._run[at]
            if run <= old:
                return self._after_in_run(old, at)
            parent = self.versions[run].parent
            if parent == old:
                return run
            assert parent is not None
            at = parent

    def _after_in_run(self, old: int, young: int) -> int:
        while (parent := self.versions[young].parent) != old:
            assert parent is not None
            young = old + 1 if self._run.get(old + 1) == self._run[young] else parent
        return young

    def common(self, a: int, b: int) -> int | None:
        """The last version of which both were made, merges included; None if there is none."""
        shared = self._ancestors(a) & self._ancestors(b)
        return max(shared, default=None)

    def _ancestors(self, number: int) -> set[int]:
        found, open_ones = set[int](), [number]
        while open_ones:
            at = open_ones.pop()
            if at not in found:
                found.add(at)
                version = self.versions[at]
                open_ones += [other for other in (version.parent, version.merged) if other is not None]
        return found

    def between(self, start: int, goal: int) -> tuple[_Numbers, _Numbers]:
        """Pages that may differ between two versions, sorted, and their contents at the goal."""
        ups: list[slice] = []
        downs: list[slice] = []
        while start != goal:
            if start > goal:
                start = self._towards(start, goal, ups)
            else:
                goal = self._towards(goal, start, downs)
        pages = [self._page.values[part][::-1] for part in ups]
        contents = [self._before.values[part][::-1] for part in ups]
        pages += [self._page.values[part] for part in reversed(downs)]
        contents += [self._after.values[part] for part in reversed(downs)]
        if not pages:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        # What comes last counts.
        page, content = np.concatenate(pages)[::-1], np.concatenate(contents)[::-1]
        unique, first = np.unique(page, return_index=True)
        return unique, content[first]

    def _towards(self, young: int, old: int, parts: list[slice]) -> int:
        """Go from a version towards an older one, as far as its run; note the entries on the way."""
        run = self._run[young]
        if run <= old and self._run.get(old) == run:
            parts.append(slice(self._bounds[old][1], self._bounds[young][1]))
            return old
        parts.append(slice(self._bounds[run][0], self._bounds[young][1]))
        parent = self.versions[run].parent
        assert parent is not None
        return parent

    def at(self, number: int) -> tuple[_Numbers, _Numbers]:
        """The pages that are not, in a version, what they were when their arrays came; and their contents."""
        root = min(self.versions)
        pages, contents = self.between(root, number)
        before = slice(*self._bounds[root])
        more = np.isin(self._page.values[before], pages, invert=True)
        page = np.concatenate([self._page.values[before][more], pages])
        content = np.concatenate([self._after.values[before][more], contents])
        order = np.argsort(page)
        return page[order], content[order]

    def entries(self, number: int) -> tuple[_Numbers, _Numbers, _Numbers]:
        """What a version changed: pages, contents before, contents after."""
        part = slice(*self._bounds[number])
        return self._page.values[part], self._before.values[part], self._after.values[part]

    def renumbered(self, renumber: Callable[[_Numbers], _Numbers], page: _Numbers, content: _Numbers) -> "Tree":
        """The tree with other numbers for contents. Its first version says also of these pages what they are."""
        made = Tree()
        root = min(self.versions)
        for number, version in self.versions.items():
            pages, before, after = self.entries(number)
            if number == root:
                more = np.isin(page, pages, invert=True)
                pages, after = np.concatenate([pages, page[more]]), np.concatenate([after, content[more]])
                before = np.zeros(len(pages), np.int64)
            made.add(version, self.layouts[number], pages, renumber(before), renumber(after))
        return made

    # ---- forgetting --------------------------------------------------------------------------------------------------

    def thinned(self, kept: set[int]) -> "Tree":
        """The tree with these versions only, and the last one of which all of them were made.

        The parent of a version is the next one above it that stays.
        """
        ancestor = min(kept)
        while not all(self.is_ancestor(ancestor, number) for number in kept):
            parent = self.versions[ancestor].parent
            assert parent is not None
            ancestor = parent
        made = Tree()
        for number in sorted(kept | {ancestor}):
            version = self.versions[number]
            parent = version.parent
            while parent is not None and parent not in made.versions:
                parent = self.versions[parent].parent if parent > ancestor else None
            if parent is None:
                page, after = self.at(number)  # what lies before it is on no way between versions, but says what it is
                before = np.zeros(len(page), np.int64)
            else:
                page, after = self.between(parent, number)
                _, before = self.between(number, parent)
            merged = version.merged if version.merged in made.versions else None
            version = Version(number, parent, merged, version.message, version.time, version.pages)
            made.add(version, self.layouts[number], page, before, after)
        return made

    def contents(self) -> _Numbers:
        """The numbers of all contents that a version names."""
        size = self._bounds[self.last][1]
        return np.union1d(self._before.values[:size], self._after.values[:size])
