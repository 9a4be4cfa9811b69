"""Pages in the files of a history's folder, and in its bases."""

import contextlib
import os
import struct
import zlib
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cowarray._versions.disk import close_own, identity_of
from cowarray._versions.tracked import PAGE

__all__ = ["BASE_HEADER", "FILE_BITS", "RECORD", "DiskContents", "record_of"]

BASE_HEADER = 4096  # bytes of a base's header, so that its pages are the file's
FILE_BITS = 40  # of a place's number that are its offset in the file
_HEAD = struct.Struct("<qII")  # page, version, checksum
RECORD = _HEAD.size + PAGE
_AT_ONCE = 64  # records that are read, checked and copied while they are in the cache
_NEAR = 8 * RECORD  # bytes between records that are read together

_Bytes = NDArray[np.uint8]
_Numbers = NDArray[np.int64]


def record_of(page: int, version: int, content: bytes) -> bytes:
    checksum = zlib.crc32(content, zlib.crc32(struct.pack("<qI", page, version)))
    return _HEAD.pack(page, version, checksum) + content


def _checksum_of(data: bytes | memoryview, at: int = 0) -> int:
    """Return the checksum of the record at a byte."""
    return zlib.crc32(data[at + _HEAD.size : at + RECORD], zlib.crc32(data[at : at + _HEAD.size - 4]))


def _place_of(number: int) -> tuple[int, int]:
    """Return the file of a content, and the byte at which its record begins."""
    return number >> FILE_BITS, number & ((1 << FILE_BITS) - 1)


def _spans(numbers: _Numbers) -> list[tuple[int, int]]:
    """Group sorted records that are read together."""
    block = (numbers & ((1 << FILE_BITS) - 1)) // (_AT_ONCE * RECORD)
    ends = np.flatnonzero((np.diff(numbers) > _NEAR) | (np.diff(block) != 0)) + 1
    return list(pairwise([0, *ends.tolist(), len(numbers)])) if len(numbers) else []


class DiskContents:
    """Contents by number, like `Contents`: a number is a place in a file of pages; below 0, a page of a base."""

    nbytes = 0

    def __init__(self, folder: Path, places: Callable[[int], _Numbers]) -> None:
        self._places = places
        self._folder = folder
        self.files: dict[int, int] = {}  # descriptors
        self._identities: dict[int, tuple[int, int]] = {}  # of the files that they refer to
        self.waiting: dict[int, bytes] = {}  # not in the file yet
        self.closed = False
        self._bases: list[tuple[int, NDArray[np.uint8]]] = []  # the first page of each array, and its bytes

    def close(self) -> None:
        self.closed = True
        self.close_all_but(None)

    def close_all_but(self, file: int | None) -> None:
        """Close the files that nothing is read from any more."""
        for other in [each for each in self.files if each != file]:
            close_own(self.files[other], self._identities[other])
            del self.files[other], self._identities[other]

    def take(self, file: int, descriptor: int) -> None:
        """Read from this descriptor, and close the one before."""
        before = self.files.get(file), self._identities.get(file)
        self._identities[file] = identity_of(descriptor)  # first: an interrupted call closes what is in `files`
        self.files[file] = descriptor
        if before[0] is not None and before[1] is not None:
            close_own(before[0], before[1])

    def open(self) -> None:
        """Open all files, so that they can be read when they have lost their names."""
        for path in self._folder.glob("*.bin"):
            with contextlib.suppress(FileNotFoundError):  # compacted away: the present tables name none of it
                self.take(int(path.stem), os.open(path, os.O_RDONLY | os.O_CLOEXEC))

    def add_base(self, first: int, path: Path) -> None:
        """Take an array's pages, which begin at `first`, from a file."""
        self._bases = [base for base in self._bases if base[0] != first]
        raw = np.memmap(path, np.uint8, "r") if path.stat().st_size > BASE_HEADER else np.zeros(BASE_HEADER, np.uint8)
        self._bases.append((first, np.asarray(raw)[BASE_HEADER:]))
        self._bases.sort(key=lambda base: base[0])

    def new(self, count: int) -> _Numbers:
        """Return the numbers that the next records will have."""
        return self._places(count)

    def first(self, pages: _Numbers) -> _Numbers:
        """Return the numbers of the first contents of pages."""
        return -1 - pages

    def lack(self, numbers: _Numbers) -> NDArray[np.bool_]:
        """Tell which have no place: none, for all are in files."""
        return np.zeros(len(numbers), np.bool_)

    def keep(self, numbers: _Numbers, contents: _Bytes) -> None:
        raise AssertionError("nothing is kept in memory")

    def retain(self, numbers: _Numbers) -> None:
        """Do nothing: `compact` drops contents that no version names."""

    def get(self, numbers: _Numbers) -> _Bytes:
        made = np.empty((len(numbers), PAGE), np.uint8)
        self._take_of_bases(numbers, made)
        left = self._take_waiting(numbers, made)
        left = left[np.argsort(numbers[left])]
        self._read(numbers[left], left, made)
        return made

    def _take_of_bases(self, numbers: _Numbers, made: _Bytes) -> None:
        left = np.flatnonzero(numbers < 0)
        for first, raw in reversed(self._bases):
            page = -1 - numbers[left] - first
            ours = left[page >= 0]
            page = page[page >= 0]
            whole = page < raw.size // PAGE
            made[ours[whole]] = raw[: raw.size // PAGE * PAGE].reshape(-1, PAGE)[page[whole]]
            for at, last in zip(ours[~whole].tolist(), page[~whole].tolist(), strict=True):
                rest = raw[last * PAGE :]
                made[at, : rest.size], made[at, rest.size :] = rest, 0
            left = np.setdiff1d(left, ours, assume_unique=True)

    def _take_waiting(self, numbers: _Numbers, made: _Bytes) -> _Numbers:
        """Take contents that are not in a file yet; return the indices of numbers that are in files."""
        left = np.flatnonzero(numbers > 0)
        if not self.waiting:
            return left
        found = [(at, self.waiting.get(number)) for at, number in zip(left, numbers[left].tolist(), strict=True)]
        for at, content in found:
            if content is not None:
                made[at] = np.frombuffer(content, np.uint8)
        return np.array([at for at, content in found if content is None], np.int64)

    def _read(self, numbers: _Numbers, where: _Numbers, made: _Bytes) -> None:
        """Read pages of files, by sorted numbers, to their places in `made`: those near each other are read at once."""
        view = memoryview(bytearray(_AT_ONCE * RECORD))
        records: _Bytes = np.frombuffer(view, np.uint8).reshape(-1, RECORD)
        for first, last in _spans(numbers):
            file, offset = _place_of(int(numbers[first]))
            at = (numbers[first:last] - numbers[first]) // RECORD
            some = view[: (int(at[-1]) + 1) * RECORD]
            count = os.preadv(self.files[file], [some], offset) if file in self.files else 0
            records[count // RECORD :, : _HEAD.size] = 0  # of records beyond the end of the file
            checksums = records[at, _HEAD.size - 4 : _HEAD.size].view("<u4").ravel().tolist()
            for start, number, checksum in zip(
                (at * RECORD).tolist(), numbers[first:last].tolist(), checksums, strict=True
            ):
                if _checksum_of(view, start) != checksum:
                    self.checked(number)  # raises, and says what is wrong
            made[where[first:last]] = records[at, _HEAD.size :]

    def checked(self, number: int) -> bytes:
        """Return a page of a file, if its checksum is right; otherwise raise."""
        file, offset = _place_of(number)
        if self.closed:
            raise ValueError("History: it is closed, and old versions are in its folder")
        record = os.pread(self.files[file], RECORD, offset) if file in self.files else b""
        if len(record) == RECORD and _HEAD.unpack_from(record)[-1] == _checksum_of(record):
            return record[_HEAD.size :]
        raise ValueError(f"History: the record at byte {offset} of pages/{file:06}.bin is damaged")
