"""A history's folder: versions in SQLite, pages beside them, and each array as it was first committed.

::

    bases/*.npy      arrays as first committed, mode 0444
    pages/*.bin      records of 16 + 4096 bytes, appended: page, version, checksum, the page
    history.sqlite   versions, their entries, and what the files must be
    lock             held by the one that writes

The order makes it safe against a crash at any point: a file is whole on the disk before the transaction that names it.
What no transaction names does not count. docs/history-format.md has the format.
"""

import contextlib
import errno
import fcntl
import io
import json
import os
import sqlite3
import struct
import weakref
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cowarray._files.npy import load
from cowarray._ops.conversion import array
from cowarray._versions.background import Background
from cowarray._versions.records import (
    BASE_HEADER,
    FILE_BITS,
    RECORD,
    DiskContents,
    Present,
    Record,
    Stored,
    record_of,
)
from cowarray._versions.tracked import LEAST
from cowarray._versions.tree import Version

__all__ = ["Store"]

FORMAT = 1
_TABLES = """
CREATE TABLE format (version INTEGER, identity BLOB);
CREATE TABLE present (after INTEGER, head INTEGER, branch TEXT, tips TEXT);
CREATE TABLE layouts (number INTEGER PRIMARY KEY, text TEXT);
CREATE TABLE arrays (number INTEGER PRIMARY KEY, name TEXT, first INTEGER, axes TEXT, size INTEGER, inode INTEGER,
                     time INTEGER, checksum INTEGER);
CREATE TABLE versions (number INTEGER PRIMARY KEY, parent INTEGER, merged INTEGER, branch TEXT, message TEXT,
                       time REAL, counts TEXT, layout INTEGER, entries BLOB);
"""

_Bytes = NDArray[np.uint8]
_Numbers = NDArray[np.int64]


def _sync_folder(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _make_folder(path: Path) -> None:
    """Make a folder whose name is safe on the disk, with those above it that there are not."""
    if not path.is_dir():
        _make_folder(path.parent)
        path.mkdir(exist_ok=True)
        _sync_folder(path.parent)


def _write_all(descriptor: int, data: Any) -> None:
    view = memoryview(data).cast("B")
    while view:
        view = view[os.write(descriptor, view[: 1 << 24]) :]


# ---- bases -----------------------------------------------------------------------------------------------------------


def _header_of(x: NDArray[Any]) -> bytes:
    """A .npy header that fills a page."""
    text = repr({"descr": np.lib.format.dtype_to_descr(x.dtype), "fortran_order": False, "shape": x.shape})
    magic = b"\x93NUMPY\x01\x00" + struct.pack("<H", BASE_HEADER - 10)
    if len(text) + len(magic) >= BASE_HEADER:
        raise ValueError(f"History: the dtype {x.dtype!r} is too long for the header of a file")
    return magic + text.encode("latin-1").ljust(BASE_HEADER - len(magic) - 1) + b"\n"


@dataclass(frozen=True)
class _Base:
    """What the file of an array must be."""

    name: str
    axes: tuple[int, ...]
    size: int
    inode: int
    time: int
    checksum: int

    def row(self, number: int, first: int) -> tuple[Any, ...]:
        return number, self.name, first, json.dumps(self.axes), self.size, self.inode, self.time, self.checksum


def _checksum_of(path: Path) -> int:
    checksum = 0
    with path.open("rb") as file:
        while chunk := file.read(1 << 22):
            checksum = zlib.crc32(chunk, checksum)
    return checksum


def _write_base(path: Path, x: NDArray[Any]) -> _Base:
    """Write an array to a new file, in the order of its memory. The file is whole when it has its name."""
    axes = tuple(sorted(range(x.ndim), key=lambda axis: -abs(x.strides[axis]) if x.shape[axis] > 1 else 0))
    ordered = x.transpose(axes)
    header, content = _header_of(ordered), ordered.reshape(-1).view(np.uint8).data
    part = path.with_suffix(".part")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
    try:
        _write_all(descriptor, header)
        _write_all(descriptor, content)
        os.fchmod(descriptor, 0o444)
        os.fsync(descriptor)
        status = os.fstat(descriptor)
    finally:
        os.close(descriptor)
    part.rename(path)
    _sync_folder(path.parent)
    checksum = zlib.crc32(content, zlib.crc32(header))
    return _Base(path.name, axes, status.st_size, status.st_ino, status.st_mtime_ns, checksum)


def _row_of_base(base: _Base, number: int, first: int) -> tuple[str, Any]:
    return "INSERT OR REPLACE INTO arrays VALUES (?, ?, ?, ?, ?, ?, ?, ?)", base.row(number, first)


def _rows_of_present(present: Present, after: int) -> list[tuple[str, Any]]:
    row = after, present.head, present.branch, json.dumps(present.tips)
    return [("DELETE FROM present", ()), ("INSERT INTO present VALUES (?, ?, ?, ?)", row)]


# ---- the folder ------------------------------------------------------------------------------------------------------


class Store:
    """The folder of a history, for one writer or any number of readers."""

    def __init__(self, folder: Path, *, writes: bool) -> None:
        self.folder = folder
        self.writes = writes
        self.contents = DiskContents(folder / "pages", self.places)
        self._process = os.getpid()
        self._lock_file = -1
        self._jobs = Background("cowarray history")
        self._layouts: dict[str, int] = {}
        self._file, self._end = 0, 0
        self._replaced = False
        self._connection: sqlite3.Connection = sqlite3.connect(":memory:")
        _STORES.add(self)

    # ---- beginning ---------------------------------------------------------------------------------------------------

    @classmethod
    def create(cls, folder: Path) -> "Store":
        """A new, empty folder."""
        _make_folder(folder)
        if (folder / "history.sqlite").exists():
            raise FileExistsError(f"History: there is a history in {folder}; open it without a state")
        made = cls(folder, writes=True)
        made._lock()
        for name in ("bases", "pages"):
            (folder / name).mkdir(exist_ok=True)
        made._connection = made._connect("history.sqlite.part")
        with made._connection as connection:
            connection.executescript("BEGIN;" + _TABLES)
            connection.execute("INSERT INTO format VALUES (?, ?)", (FORMAT, os.urandom(16)))
        made._open_pages(1)  # a content whose number is 0 is none
        return made

    @classmethod
    def open(cls, folder: Path, *, writes: bool) -> "Store":
        """A folder that has a history."""
        if not (folder / "history.sqlite").exists():
            raise FileNotFoundError(errno.ENOENT, "History: there is no history here", str(folder))
        made = cls(folder, writes=writes)
        if writes:
            made._lock()
        try:
            made._connection = made._connect("history.sqlite")
            (version,) = made._recovered().execute("SELECT version FROM format").fetchone()
            if version != FORMAT:
                raise ValueError(f"History: {folder} has format {version}, and this is a program for {FORMAT}")
            made._layouts = {text: number for number, text in made._connection.execute("SELECT * FROM layouts")}
            made.contents.open()
            if writes:
                made._open_pages(max(made.contents.files, default=1))
        except BaseException:
            made.close()
            raise
        return made

    def _recovered(self) -> sqlite3.Connection:
        """The connection. A writer that was killed leaves a transaction to take back; that needs the right to write."""
        try:
            self._connection.execute("SELECT * FROM format")
        except sqlite3.OperationalError:
            if self.writes:
                raise
            path = self.folder / "history.sqlite"
            if not os.access(path, os.W_OK) or not os.access(self.folder, os.W_OK):
                raise PermissionError(
                    errno.EACCES, "History: the last writer was killed; open it once where it can be written", str(path)
                ) from None
            with contextlib.closing(sqlite3.connect(path)) as connection:
                connection.execute("SELECT * FROM format").fetchall()
        return self._connection

    def finish(self) -> None:
        """After the first version: from here on the folder has a history."""
        self.flush()
        self._connection.close()
        (self.folder / "history.sqlite.part-journal").unlink(missing_ok=True)
        (self.folder / "history.sqlite.part").rename(self.folder / "history.sqlite")
        _sync_folder(self.folder)
        self._connection = self._connect("history.sqlite")

    def _connect(self, name: str) -> sqlite3.Connection:
        path = self.folder / name
        if name.endswith(".part"):
            path.unlink(missing_ok=True)
        mode = "rwc" if self.writes else "ro"
        self._connection.close()
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode={mode}", uri=True, isolation_level=None, check_same_thread=False
        )
        if self.writes:
            connection.execute("PRAGMA page_size = 1024")
            connection.execute("PRAGMA journal_mode = PERSIST")
            connection.execute("PRAGMA synchronous = FULL")
        return connection

    def _lock(self) -> None:
        self._lock_file = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(self._lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.pread(self._lock_file, 32, 0).decode(errors="replace") or "another process"
            os.close(self._lock_file)
            self._lock_file = -1
            raise BlockingIOError(errno.EAGAIN, f"History: process {holder} writes to it", str(self.folder)) from error
        os.ftruncate(self._lock_file, 0)
        os.pwrite(self._lock_file, str(os.getpid()).encode(), 0)

    def _open_pages(self, file: int) -> None:
        path = self.folder / "pages" / f"{file:06}.bin"
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        _sync_folder(path.parent)
        before = self.contents.files.get(file, -1)
        self.contents.files[file] = descriptor
        if before >= 0:
            os.close(before)
        self._file, self._end = file, os.fstat(descriptor).st_size

    def close(self) -> None:
        """Wait for what is under way, and let another writer in."""
        try:
            self.flush()
        finally:
            self.contents.close()
            if self._process == os.getpid():
                self._connection.close()
            self.unlock()

    def unlock(self) -> None:
        """Let go of the lock, which another writer can have when no descriptor of it is left."""
        if self._lock_file >= 0:
            os.close(self._lock_file)
            self._lock_file = -1

    # ---- reading -----------------------------------------------------------------------------------------------------

    def read(self) -> tuple[list[Record], Present, list[Stored]]:
        """All versions, where the history is, and its arrays. In one transaction."""
        self._connection.execute("BEGIN")
        try:
            layouts = dict(self._connection.execute("SELECT * FROM layouts"))
            rows = self._connection.execute("SELECT * FROM versions ORDER BY number").fetchall()
            arrays = self._connection.execute("SELECT * FROM arrays ORDER BY number").fetchall()
            after, head, branch, tips = self._connection.execute("SELECT * FROM present").fetchone()
        finally:
            self._connection.execute("COMMIT")
        counts_of = lru_cache(json.loads)  # most versions change the same arrays
        records = [self._record_of(row, layouts, counts_of) for row in rows]
        present = Present(head, branch, json.loads(tips))
        for record in records:
            if record.version.number > after:
                number = record.version.number
                present = Present(number, record.branch, {**present.tips, record.branch: number})
        return records, present, [self._array_of(*row) for row in arrays]

    @staticmethod
    def _record_of(row: Any, layouts: dict[int, str], counts_of: Callable[[str], dict[str, int]]) -> Record:
        number, parent, merged, branch, message, when, counts, layout, entries = row
        version = Version(number, parent, merged, message, when, dict(counts_of(counts)))
        page, before, after = np.frombuffer(entries, "<i8").reshape(3, -1)
        return Record(version, branch, layouts[layout], page, before, after)

    def _array_of(self, number: int, name: str, first: int, axes: str, *file: int) -> Stored:
        path = self.folder / "bases" / name
        now = path.stat()
        # A copy of the folder has other inodes and times, but the same bytes.
        same = (now.st_size, now.st_ino, now.st_mtime_ns) == file[:3]
        if not same and (now.st_size != file[0] or _checksum_of(path) != file[3]):
            raise ValueError(f"History: {path} was changed after it was written")
        self.contents.add_base(first, path)
        large = file[0] >= LEAST + BASE_HEADER
        stored = load(path, pages=True) if large else array(np.load(path))
        return Stored(number, first, stored.transpose(np.argsort(json.loads(axes))), large)

    # ---- writing -----------------------------------------------------------------------------------------------------

    @property
    def is_writers(self) -> bool:
        """Whether this process writes to the folder."""
        return self.writes and self._process == os.getpid()

    def _see_writable(self) -> None:
        if self.contents.closed:
            raise ValueError("History: it is closed")
        if not self.writes:
            raise io.UnsupportedOperation("History: it was opened for reading")
        if self._process != os.getpid():
            raise RuntimeError("History: after a fork, only the parent writes to its folder")
        if self._replaced:
            raise RuntimeError("History: compacting was interrupted; open the folder again")

    def add_array(self, number: int, first: int, x: NDArray[Any]) -> None:
        """Write an array as it is first committed."""
        self._see_writable()
        self.flush()
        base = self._write_array(number, x)
        self.contents.add_base(first, self.folder / "bases" / base.name)
        self._execute([_row_of_base(base, number, first)])

    def _write_array(self, number: int, x: NDArray[Any]) -> _Base:
        return _write_base(self.folder / "bases" / f"{number:06}-{self._file:06}.npy", x)

    def places(self, count: int) -> _Numbers:
        """The numbers that the next records will have."""
        first = self._file << FILE_BITS | self._end
        return first + np.arange(count, dtype=np.int64) * RECORD

    def append(self, record: Record, contents: _Bytes, *, wait: bool) -> None:
        """Write a version, whose contents have the numbers that `places` gave."""
        self._see_writable()
        texts = [content.tobytes() for content in contents]
        numbers = record.after.tolist()
        self.contents.waiting.update(zip(numbers, texts, strict=True))
        self._end += len(texts) * RECORD

        def job() -> None:
            self._append_now(record, texts)
            for number in numbers:
                del self.contents.waiting[number]

        if not wait:
            self._jobs.put(job)
            return
        try:
            self.flush()
            job()
        except BaseException:
            for number in numbers:
                self.contents.waiting.pop(number, None)
            self._end -= len(texts) * RECORD
            raise

    def _append_now(self, record: Record, texts: list[bytes]) -> None:
        descriptor = self.contents.files[self._file]
        number = record.version.number
        if texts:
            start = int(record.after[0]) & ((1 << FILE_BITS) - 1)
            joined = b"".join(
                record_of(page, number, text) for page, text in zip(record.page.tolist(), texts, strict=True)
            )
            os.ftruncate(descriptor, start)  # what an append that failed has left
            _write_all(descriptor, joined)
            os.fdatasync(descriptor)
        self._execute(self._rows_of(record))

    def _rows_of(self, record: Record) -> list[tuple[str, Any]]:
        version, rows = record.version, list[tuple[str, Any]]()
        if record.layout not in self._layouts:
            self._layouts[record.layout] = len(self._layouts)
            rows.append(("INSERT OR REPLACE INTO layouts VALUES (?, ?)", (self._layouts[record.layout], record.layout)))
        entries = np.concatenate([record.page, record.before, record.after]).astype("<i8").tobytes()
        row = (
            version.number,
            version.parent,
            version.merged,
            record.branch,
            version.message,
            version.time,
            json.dumps(version.pages, separators=(",", ":")),
            self._layouts[record.layout],
            entries,
        )
        rows.append(("INSERT OR REPLACE INTO versions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row))
        return rows

    def put_present(self, present: Present, after: int) -> None:
        """Say where the history is, from version `after` on."""
        self._see_writable()
        self.flush()
        self._execute(_rows_of_present(present, after))

    def replace(self, records: list[Record], present: Present, after: int) -> None:
        """Have these versions and no others."""
        self._see_writable()
        self.flush()
        self._execute(self._rows_of_all(records, present, after))

    def _rows_of_all(self, records: list[Record], present: Present, after: int) -> list[tuple[str, Any]]:
        rows: list[tuple[str, Any]] = [("DELETE FROM versions", ())]
        for record in records:
            rows += self._rows_of(record)
        return rows + _rows_of_present(present, after)

    def _execute(self, rows: list[tuple[str, Any]]) -> None:
        connection = self._connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            for statement, values in rows:
                connection.execute(statement, values)
            connection.execute("COMMIT")
        except BaseException as error:
            with contextlib.suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            if isinstance(error, sqlite3.Error):
                raise OSError(errno.EIO, f"History: {error}", str(self.folder)) from error
            raise

    def is_writing(self) -> bool:
        """Whether this is called by what the thread in the background does."""
        return self._jobs.is_here()

    def flush(self) -> None:
        """Wait for what is written in the background; what has failed is tried again, and raises."""
        if self._process == os.getpid():
            self._jobs.flush()

    # ---- compacting --------------------------------------------------------------------------------------------------

    def compact(
        self,
        records: list[Record],
        present: Present,
        after: int,
        arrays: dict[int, tuple[int, NDArray[Any]]],
        kept: _Numbers,
    ) -> None:
        """Write everything anew, in one transaction; then the files of before lose their names.

        Parameters
        ----------
        records : list of Record
            Whose contents have the numbers that they get: those of `arranged`.
        arrays : dict
            By number: the first page, and the value that becomes the new base.
        kept : numpy.ndarray
            The numbers of now of the contents that are copied, in the order of `arranged`.
        """
        self._see_writable()
        self.flush()
        before = [*(self.folder / "pages").glob("*.bin")]
        old_bases = {*(self.folder / "bases").glob("*.npy")}
        texts = [content.tobytes() for content in self.contents.get(kept)]
        self._open_pages(self._file + 1)
        descriptor = self.contents.files[self._file]
        for text in texts:
            _write_all(descriptor, record_of(0, 0, text))
        os.fsync(descriptor)
        self._end = os.fstat(descriptor).st_size
        bases = {number: self._write_array(number, value) for number, (_, value) in arrays.items()}
        rows: list[tuple[str, Any]] = [("DELETE FROM arrays", ())]
        rows += [_row_of_base(base, number, arrays[number][0]) for number, base in bases.items()]
        self._replaced = True  # who is interrupted from here on does not know which numbers are right
        try:
            self._execute(rows + self._rows_of_all(records, present, after))
        except Exception:
            self._replaced = False
            raise
        for number, base in bases.items():
            self.contents.add_base(arrays[number][0], self.folder / "bases" / base.name)
        named = {name for (name,) in self._connection.execute("SELECT name FROM arrays")}
        for path in [*before, *(path for path in old_bases if path.name not in named)]:
            with contextlib.suppress(OSError):
                path.unlink()

    def replaced(self) -> None:
        """The caller uses the new numbers from here on."""
        self._replaced = False

    def arranged(self, count: int) -> _Numbers:
        """The numbers that contents get which are written by `compact`."""
        return (self._file + 1 << FILE_BITS) + np.arange(count, dtype=np.int64) * RECORD

    # ---- looking after -----------------------------------------------------------------------------------------------

    def damaged(self, records: list[Record]) -> Iterator[tuple[str, list[int]]]:
        """What is wrong with each record that versions name, and which they are."""
        users: dict[int, list[int]] = {}
        for record in records:
            for number in np.unique(np.concatenate([record.before, record.after])).tolist():
                if number > 0:
                    users.setdefault(number, []).append(record.version.number)
        for number, versions in users.items():
            try:
                self.contents.checked(number)
            except (ValueError, OSError) as error:
                yield str(error), versions


_STORES: weakref.WeakSet[Store] = weakref.WeakSet()


def _after_fork() -> None:
    """A child must not keep the lock: another process may write once the parent has ended."""
    for store in list(_STORES):
        store.unlock()


os.register_at_fork(after_in_child=_after_fork)
