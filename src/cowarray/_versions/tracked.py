"""Arrays of a state: which of their pages differ from the last commit.

A large array lies on a ground (see *grounds* in ``core.h``), so that a look costs what was written. A small array, or
any array if the system grants no pages, is compared with a copy.
"""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cowarray._face.ndarray import ndarray
from cowarray._native.storage import Ground, differences
from cowarray._versions.numbers import difference, union

__all__ = ["LEAST", "PAGE", "Tracked", "runs_of", "write_pages"]

PAGE = 4096
LEAST = 4 << 20  # bytes of an array that gets a ground
_CHUNK = 1 << 20
_MOST_BESIDE = 8 << 20  # bytes in which an array may differ from its file before it gets a ground
_MANY = 64  # up to this many runs of pages are written one by one

_Bytes = NDArray[np.uint8]
_Numbers = NDArray[np.int64]


def runs_of(pages: _Numbers) -> list[tuple[int, int]]:
    """Return where runs of consecutive numbers start and stop, as indices into a sorted array."""
    ends = np.flatnonzero(np.diff(pages) != 1) + 1
    return list(pairwise([0, *ends.tolist(), pages.size])) if pages.size else []


def _bytes_of(x: ndarray[Any, Any]) -> ndarray[Any, Any]:
    """Return a view of the bytes of an array that is contiguous in some order of its axes."""
    order = sorted(range(x.ndim), key=lambda axis: -abs(x.strides[axis]) if x.shape[axis] > 1 else 0)
    return x.transpose(order).reshape(-1, copy=False).view(np.uint8)


def _padded(part: _Bytes) -> _Bytes:
    """Return whole pages, padded with zeros."""
    pages = -(-part.size // PAGE)
    if part.size == pages * PAGE:
        return part.reshape(pages, PAGE)
    whole = np.zeros((pages, PAGE), np.uint8)
    whole.reshape(-1)[: part.size] = part
    return whole


def _pages_of(live: ndarray[Any, Any], pages: _Numbers) -> _Bytes:
    made = np.empty((pages.size, PAGE), np.uint8)
    for first, last in runs_of(pages):
        start = int(pages[first]) * PAGE
        made[first:last] = _padded(live[start : start + (last - first) * PAGE].to_numpy())
    return made


def write_pages(live: ndarray[Any, Any], pages: _Numbers, contents: _Bytes) -> None:
    """Write pages into the bytes of an array."""
    runs = runs_of(pages)
    whole = live.size // PAGE
    if len(runs) > _MANY and int(pages[-1]) < whole:
        live[: whole * PAGE].reshape((whole, PAGE), copy=False)[pages] = contents
        return
    for first, last in runs:
        start = int(pages[first]) * PAGE
        target = live[start : start + (last - first) * PAGE]
        target[...] = contents[first:last].reshape(-1)[: target.size]


class _Copy:
    """An array's value at the last commit, as a copy."""

    def __init__(self, live: ndarray[Any, Any]) -> None:
        self.pages: _Bytes = _padded(live.to_numpy(copy=True))
        self.nbytes = self.pages.nbytes

    def runs(self, live: ndarray[Any, Any]) -> list[tuple[int, int]]:
        return [(0, live.size)] if live.size else []

    def rows(self, first: int, last: int) -> _Bytes:
        return self.pages[first:last]

    def take(self, pages: _Numbers) -> _Bytes:
        return self.pages[pages]

    def put(self, pages: _Numbers, contents: _Bytes) -> None:
        self.pages[pages] = contents

    def settle(self, live: ndarray[Any, Any]) -> None:
        pass


class _Grounded:
    """An array's value at the last commit, as a ground."""

    nbytes = 0  # of memory besides the array's

    def __init__(self, live: ndarray[Any, Any]) -> None:
        self._begin(live)

    def _begin(self, live: ndarray[Any, Any]) -> None:
        ground = Ground(live.storage)
        pages: _Bytes = np.frombuffer(memoryview(ground), np.uint8).reshape(-1, PAGE)
        self._ground, self.pages = ground, pages
        self._join(live)

    def _join(self, live: ndarray[Any, Any]) -> None:
        try:
            self._ground.join(live.storage)
        except BufferError:  # somebody holds a writable export: until it is gone, everything is compared
            self._joined = False
        else:
            self._joined = True

    def runs(self, live: ndarray[Any, Any]) -> list[tuple[int, int]]:
        runs: list[tuple[int, int]] = self._ground.changes(live.storage)
        self._joined = runs != [(0, live.size)]
        return runs

    def rows(self, first: int, last: int) -> _Bytes:
        return self.pages[first:last]

    def take(self, pages: _Numbers) -> _Bytes:
        return self.pages[pages]

    def put(self, pages: _Numbers, contents: _Bytes) -> None:
        self._ground.put(pages, contents)

    def renew(self, live: ndarray[Any, Any]) -> None:
        """Make a new ground, equal to the array, after a fork whose child may see the old one."""
        self._begin(live)

    def settle(self, live: ndarray[Any, Any]) -> None:
        if self._joined:
            self._ground.settle(live.storage)
        else:
            self._join(live)


class _Beside:
    """The value at the last commit of an array that lies in a file: a lazy copy.

    It differs from the file where the array did. A look costs those pages, so an array with many of them gets a ground.
    """

    def __init__(self, live: ndarray[Any, Any]) -> None:
        self._was = live.copy()

    @property
    def nbytes(self) -> int:
        return self._was.storage.own_nbytes

    def runs(self, live: ndarray[Any, Any]) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = differences(live.storage, 0, self._was.storage, 0, live.size)
        pages = [(start // PAGE * PAGE, min(-(-stop // PAGE) * PAGE, live.size)) for start, stop in found]
        joined: list[tuple[int, int]] = []
        for start, stop in pages:
            start = max(start, joined[-1][1] if joined else 0)
            if stop > start:
                joined.append((start, stop))
        return joined

    def rows(self, first: int, last: int) -> _Bytes:
        return _padded(self._was[first * PAGE : last * PAGE].to_numpy())

    def take(self, pages: _Numbers) -> _Bytes:
        return _pages_of(self._was, pages)

    def put(self, pages: _Numbers, contents: _Bytes) -> None:
        write_pages(self._was, pages, contents)

    def settle(self, live: ndarray[Any, Any]) -> None:
        pass


class Tracked:
    """An array, and its value at the last commit.

    Attributes
    ----------
    array : ndarray
        Contiguous; at first nobody else has its Storage.

    Parameters
    ----------
    in_file : bool
        Whether it is a private map of a file.
    """

    def __init__(self, array: ndarray[Any, Any], *, in_file: bool = False) -> None:
        self.array = array
        self.shape, self.dtype, self.storage = array.shape, array.dtype, array.storage
        self._live = _bytes_of(array)
        self._as_given = array.view()
        self.page_count = -(-array.nbytes // PAGE)
        self._before: _Copy | _Grounded | _Beside = self._first(in_file and array.nbytes >= LEAST)

    def _first(self, in_file: bool) -> _Copy | _Grounded | _Beside:
        if in_file:
            return _Beside(self._live)
        if self._live.size >= LEAST:
            try:
                return _Grounded(self._live)
            except RuntimeError:  # the system grants no pages
                pass
        return _Copy(self._live)

    def is_itself(self) -> bool:
        """Tell whether the array object still has its shape, strides, dtype and Storage."""
        now, given = self.array, self._as_given
        same = now.shape == self.shape and now.strides == given.strides and now.dtype == self.dtype
        return same and now.storage is self.storage

    def renew(self) -> None:
        """Make a new array object, with the shape, dtype and Storage of the first one."""
        self.array = self._as_given.view()

    @property
    def own_nbytes(self) -> int:
        """Bytes of memory besides the array's own."""
        return self._before.nbytes

    # ---- looking -----------------------------------------------------------------------------------------------------

    def changed(self) -> _Numbers:
        """Return the numbers of the pages that differ from the last commit, sorted."""
        return self._unequal(self._live, self._before.runs(self._live))

    def assigned(self, value: ndarray[Any, Any]) -> tuple[_Numbers, _Bytes, bool]:
        """Return the pages to write so that the array equals a value; their bytes; whether they change the commit."""
        made = self._as_given.copy("K")
        made[...] = value
        live = _bytes_of(made)
        unequal = self._unequal(live, [(0, live.size)])
        pages = union(unequal, self.changed())
        return pages, _pages_of(live, pages), unequal.size > 0

    def _unequal(self, live: ndarray[Any, Any], runs: list[tuple[int, int]]) -> _Numbers:
        found: list[_Numbers] = []
        for start, stop in runs:
            for at in range(start, stop, _CHUNK):
                now = _padded(live[at : min(at + _CHUNK, stop)].to_numpy())
                before = self._before.rows(at // PAGE, at // PAGE + len(now))
                unequal = (now.view(np.uint64) != before.view(np.uint64)).any(axis=1)
                if unequal.any():
                    found.append(np.flatnonzero(unequal) + at // PAGE)
        return np.concatenate(found) if found else np.zeros(0, np.int64)

    def committed(self, pages: _Numbers) -> _Bytes:
        """Return a copy of pages as of the last commit."""
        return self._before.take(pages)

    def live(self, pages: _Numbers) -> _Bytes:
        """Return a copy of pages as they are now."""
        return _pages_of(self._live, pages)

    # ---- changing ----------------------------------------------------------------------------------------------------

    def write(self, pages: _Numbers, contents: _Bytes) -> None:
        """Write pages into the array."""
        write_pages(self._live, pages, contents)

    def commit(self, pages: _Numbers, contents: _Bytes) -> None:
        """Make these pages, which the array has, part of the last commit. All or none."""
        before = self.committed(pages)
        try:
            self._put(pages, contents)
        except BaseException:
            self._put(pages, before)
            raise

    def _put(self, pages: _Numbers, contents: _Bytes) -> None:
        try:
            self._before.put(pages, contents)
        except RuntimeError:
            assert isinstance(self._before, _Grounded)
            # Other changes of the array, made while it was out of the state, are not committed.
            others = difference(self.changed(), pages)
            kept, before = self.live(others), self.committed(others)
            self.write(others, before)
            try:
                self._before.renew(self._live)
            finally:
                self.write(others, kept)

    def settle(self) -> None:
        """Free bytes that are kept twice."""
        if isinstance(self._before, _Beside) and self._before.nbytes > _MOST_BESIDE:
            self._before = self._first(in_file=False)
        self._before.settle(self._live)

    @staticmethod
    def pages_of(x: ndarray[Any, Any], pages: _Numbers) -> _Bytes:
        """Return a copy of pages of an array that is laid out like this one."""
        return _pages_of(_bytes_of(x), pages)

    @staticmethod
    def write_into(x: ndarray[Any, Any], pages: _Numbers, contents: _Bytes) -> None:
        """Write pages into an array that is laid out like this one."""
        write_pages(_bytes_of(x), pages, contents)

    def copy_of_committed(self) -> tuple[ndarray[Any, Any], ndarray[Any, Any]]:
        """Return a lazy copy of the array as of the last commit, and the view of its bytes."""
        made = self._as_given.copy("K")  # the array object may have got another shape, dtype or Storage
        live = _bytes_of(made)
        pages = self.changed()
        write_pages(live, pages, self.committed(pages))
        return made, live
