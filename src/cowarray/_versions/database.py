"""The tables of a history's folder: its versions, leaps and layouts, its present place, and its bases' properties.

They are in one SQLite file, to which commits add rows. Operations that change existing rows (`keep`, `compact`) write
another file, with the next number, so that open readers can go on reading theirs. The highest number counts.
"""

import contextlib
import errno
import json
import os
import re
import sqlite3
import weakref
from collections.abc import Generator, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cowarray._native.fork_locks import new_fork_lock
from cowarray._versions.coding import encoded
from cowarray._versions.disk import identity_of
from cowarray._versions.tree import Entries, Leap, Node, Present, Version

__all__ = [
    "Base",
    "Database",
    "Row",
    "Statement",
    "damage_of",
    "decoding",
    "name_of",
    "newest_of",
    "rows_of_base",
    "rows_of_present",
]

FORMAT = 2
_BASE = re.compile(r"\d{6,}-\d{6,}\.npy")
_NAME = re.compile(r"history-(\d{6,})\.sqlite")
_TABLES = """
CREATE TABLE format (version INTEGER, identity BLOB);
CREATE TABLE present (after INTEGER, head INTEGER, branch TEXT, tips TEXT);
CREATE TABLE layouts (number INTEGER PRIMARY KEY, text TEXT);
CREATE TABLE arrays (number INTEGER PRIMARY KEY, name TEXT, first INTEGER, axes TEXT, size INTEGER, inode INTEGER,
                     time INTEGER, checksum INTEGER);
CREATE TABLE versions (number INTEGER PRIMARY KEY, parent INTEGER, merged INTEGER, branch TEXT, message TEXT,
                       time REAL, counts TEXT, layout INTEGER, depth INTEGER, entries BLOB);
CREATE TABLE leaps (number INTEGER, level INTEGER, ancestor INTEGER, entries BLOB, PRIMARY KEY (number, level));
"""
_VERSION = "number, parent, merged, message, time, counts"
_MOST_LAYOUTS = 64  # texts that are cached, so that few are written twice

Statement = tuple[str, Any]

# Held for every use of SQLite, whose own locks a child inherits as they are: no thread may be inside at a fork.
_LOCK = new_fork_lock()


@dataclass(frozen=True)
class Row:
    """A version as stored."""

    version: Version
    depth: int
    layout: str
    entries: Entries


@dataclass(frozen=True)
class Base:
    """The properties that an array's file must have."""

    name: str
    axes: tuple[int, ...]
    size: int
    inode: int
    time: int
    checksum: int


def name_of(number: int) -> str:
    return f"history-{number:06}.sqlite"


def newest_of(folder: Path) -> int:
    """Return the number of the file that counts; 0 if there is none."""
    for _ in range(5):  # a listing made while one file replaces another may have neither
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            if numbers := [int(found[1]) for name in os.listdir(folder) if (found := _NAME.fullmatch(name))]:
                return max(numbers)
    return 0


# ---- damage ----------------------------------------------------------------------------------------------------------

# SQLite's errors for a file whose bytes are not those that were written. Others come from the disk, or from locks.
_DAMAGED = {sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


def damage_of(folder: Path, what: object) -> ValueError:
    """Return the error for a damaged folder."""
    return ValueError(f"History: in {folder}, the folder is damaged: {what}")


# UnicodeDecodeError: Python cannot decode SQLite's message about a file with damaged names. OverflowError: a version
# comes after the highest number that SQLite has.
_ERRORS = (sqlite3.Error, UnicodeDecodeError, OverflowError)


def _is_damage(error: Exception) -> bool:
    """Tell whether the file is to blame: it lacks tables, or has invalid text, for which there is no error code."""
    if isinstance(error, sqlite3.ProgrammingError):  # such as a closed connection
        return False
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF in _DAMAGED


def _error_of(error: Exception, folder: Path) -> Exception:
    return damage_of(folder, error) if _is_damage(error) else OSError(errno.EIO, f"History: {error}", str(folder))


@contextlib.contextmanager
def decoding(folder: Path) -> Generator[None]:
    """Report errors in decoding rows as damage to the folder. Run no query inside."""
    try:
        yield
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise damage_of(folder, f"a row cannot be read ({error})") from error


# ---- rows ------------------------------------------------------------------------------------------------------------


def rows_of_base(base: Base, number: int, first: int) -> list[Statement]:
    row = number, base.name, first, json.dumps(base.axes), base.size, base.inode, base.time, base.checksum
    return [("INSERT OR REPLACE INTO arrays VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)]


def rows_of_present(present: Present, after: int) -> list[Statement]:
    """Return statements for a history's place, from version `after` on; later versions were not finished."""
    row = after, present.head, present.branch, json.dumps(present.tips)
    return [
        ("DELETE FROM present", ()),
        ("INSERT INTO present VALUES (?, ?, ?, ?)", row),
        ("DELETE FROM versions WHERE number > ?", (after,)),
    ]


def _blob(entries: Entries) -> bytes:
    return bytes(entries.astype("<i8").tobytes())


def _entries(blob: bytes) -> Entries:
    return np.frombuffer(blob, "<i8").reshape(3, -1)


def _base(*row: Any) -> tuple[int, int, Base]:
    _see(row, int, str, int, str, int, int, int, int)
    number, name, first, text, *rest = row
    axes = json.loads(text)
    if not _BASE.fullmatch(name) or sorted(axes) != [*range(len(axes))]:
        raise ValueError(f"{name!r} with axes {text}")
    return number, first, Base(name, tuple(axes), *rest)


def _version(*row: Any) -> Version:
    _see(row, int, int | None, int | None, str, float, str)
    number, parent, merged, message, time, counts = row
    pages = json.loads(counts)
    _see(pages.values(), *[int] * len(pages))
    for other in (parent, merged):
        _see_order(0 if other is None else other, number + (other is None))
    return Version(number, parent, merged, message, time, pages)


def _see(row: Iterable[object], *types: Any) -> None:
    """Check that a row's values have these types: SQLite returns what the file has, whatever the column's type."""
    if not all(map(isinstance, row, types)):
        raise TypeError(f"{', '.join(type(value).__name__ for value in row)} in a row of a table")


def _see_order(old: int, young: int) -> None:
    """Check that a version's number is lower than that of a version made from it."""
    if not 0 <= old < young:
        raise ValueError(f"version {young} was made of version {old}")


def _descriptors_of(path: Path) -> set[int]:
    """Return this process's descriptors of a file; none if the system does not list them."""
    found = set[int]()
    with contextlib.suppress(OSError):
        wanted = path.stat()
        for name in os.listdir("/dev/fd"):
            with contextlib.suppress(OSError):
                if os.path.samestat(os.fstat(int(name)), wanted):
                    found.add(int(name))
    return found


# ---- the file --------------------------------------------------------------------------------------------------------


class Database:
    """One file, open for the writer or for reading. Threads take turns."""

    def __init__(self, folder: Path, number: int, *, writes: bool, part: bool = False) -> None:
        self.folder, self.number, self.writes = folder, number, writes
        self.path = folder / (name_of(number) + (".part" if part else ""))
        self._layouts: dict[str, int] = {}
        self._inherited: list[sqlite3.Connection | None] = []
        self._is_lost = False
        self._number, self._identity = -1, (0, 0)  # of SQLite's descriptor, which SQLite does not tell
        _DATABASES.add(self)
        made, number = self._connect("rwc" if part else "rw" if writes else "ro")
        try:
            if part:
                made.executescript("PRAGMA page_size = 1024; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
                made.executescript(_TABLES)
                made.execute("INSERT INTO format VALUES (?, ?)", (FORMAT, os.urandom(16)))
            elif writes:
                made.execute("PRAGMA journal_mode = PERSIST")
                made.execute("PRAGMA synchronous = FULL")
        except _ERRORS as error:
            made.close()
            raise _error_of(error, folder) from error
        self._connection: sqlite3.Connection | None = made
        self._hold(number)

    def _hold(self, number: int) -> None:
        """Remember SQLite's descriptor, if it was found."""
        self._number, self._identity = number, identity_of(number) if number >= 0 else (0, 0)

    def _is_itself(self) -> bool:
        """Tell whether SQLite's descriptor still is the file's: the program may have closed it, and reused it."""
        try:
            return self._number < 0 or identity_of(self._number) == self._identity
        except OSError:
            return False

    def _see_itself(self) -> None:
        """Keep SQLite from reading and writing if another file has its descriptor's number."""
        if not self._is_itself():
            _LOST.append(self._connection)  # closing it would close the other file
            self._connection, self._number = None, -1
            self._is_lost = True
        if self._is_lost:
            raise OSError(errno.ESTALE, "History: SQLite's file was closed by the program", str(self.path))

    def after_fork(self) -> None:
        """Set the parent's connection aside in a forked child: closing it would disturb the parent."""
        self._inherited.append(self._connection)
        self._connection, self._number = None, -1

    def _connect(self, mode: str) -> tuple[sqlite3.Connection, int]:
        """Return a connection, and its descriptor or -1."""
        uri = f"{self.path.absolute().as_uri()}?mode={mode}"
        try:
            with _LOCK:
                before = _descriptors_of(self.path)
                made = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
                return made, max(_descriptors_of(self.path) - before, default=-1)
        except sqlite3.OperationalError as error:
            if self.path.exists():
                raise
            raise FileNotFoundError(errno.ENOENT, "History: it was compacted meanwhile", str(self.path)) from error

    def close(self) -> None:
        """End the connection, unless it is the parent's."""
        with _LOCK:
            if self._connection is not None:
                with contextlib.suppress(OSError):
                    self._see_itself()
            if self._connection is not None:
                self._connection.close()
                self._number = -1

    # ---- reading -----------------------------------------------------------------------------------------------------

    def query(self, text: str, *values: Any) -> list[Any]:
        """Return the rows of a query."""
        with _LOCK:
            self._see_itself()
            if self._connection is None:
                self._connection, number = self._connect("ro")
                self._hold(number)
            try:
                return self._rows(text, values)
            except sqlite3.ProgrammingError as error:
                raise ValueError("History: it is closed, and old versions are in its folder") from error
            except _ERRORS as error:
                raise _error_of(error, self.folder) from error

    def _rows(self, text: str, values: tuple[Any, ...]) -> list[Any]:
        assert self._connection is not None
        try:
            return self._connection.execute(text, values).fetchall()
        except sqlite3.OperationalError as error:
            if self.writes or _is_damage(error):
                raise
            self._recover()
            return self._connection.execute(text, values).fetchall()

    @contextlib.contextmanager
    def reading(self) -> Generator[None]:
        """Group queries, so that the file is locked and checked only once."""
        with _LOCK:
            try:
                self._end_transaction()
                self.query("BEGIN")
                yield
            finally:
                self._end_transaction()

    def _end_transaction(self) -> None:
        """Roll back an open transaction: an interrupt may have left one."""
        with contextlib.suppress(sqlite3.ProgrammingError):  # it is closed
            if self._connection is not None and self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    def _recover(self) -> None:
        """Roll back the transaction of a killed writer, which needs permission to write."""
        may_write = os.access(self.path, os.W_OK) and os.access(self.folder, os.W_OK)
        if not self.path.exists():
            return  # the journal lost its name as well, while SQLite looked for it
        if not may_write:
            raise PermissionError(
                errno.EACCES,
                "History: the last writer was killed; open it once where it can be written",
                str(self.path),
            ) from None
        with (
            contextlib.suppress(FileNotFoundError),  # as above
            contextlib.closing(self._connect("rw")[0]) as connection,
        ):
            connection.execute("SELECT * FROM format").fetchall()

    def see_format(self) -> None:
        rows = self.query("SELECT version FROM format")
        with decoding(self.folder):
            ((version,),) = rows
        if version != FORMAT:
            raise ValueError(f"History: {self.folder} has format {version}, and this is a program for {FORMAT}")

    def present(self) -> tuple[Present, int]:
        """Return the history's place, and its last version."""
        newest = "(SELECT number, branch AS its FROM versions ORDER BY number DESC LIMIT 1)"
        rows = self.query(f"SELECT after, head, branch, tips, number, its FROM present, {newest}")
        with decoding(self.folder):
            ((after, head, branch, tips, last, its),) = rows
            _see(rows[0], int, int, str, str, int, str)
            present = Present(head, branch, json.loads(tips))
            _see(present.tips.values(), *[int] * len(present.tips))
            if last > after:  # all versions committed since then are on one branch
                present = Present(last, its, {**present.tips, its: last})
            return present, last

    def bases(self) -> list[tuple[int, int, Base]]:
        """Return the number of each array, the first of its pages, and its file."""
        rows = self.query("SELECT * FROM arrays ORDER BY number")
        with decoding(self.folder):
            return [_base(*row) for row in rows]

    def has_version(self, number: int) -> bool:
        return bool(self.query("SELECT 1 FROM versions WHERE number = ?", number))

    def version(self, number: int) -> Row:
        """Return a version that the folder must have."""
        rows = self.versions(number, number, 1)
        if not rows:
            raise damage_of(self.folder, f"there is no version {number}")
        return rows[0]

    def versions(self, first: int, last: int, count: int) -> list[Row]:
        """Return up to `count` versions with numbers from `first` to `last`, the lowest first."""
        text = "(SELECT text FROM layouts WHERE layouts.number = layout)"
        which = "FROM versions WHERE number BETWEEN ? AND ? ORDER BY number LIMIT ?"
        rows = self.query(f"SELECT depth, {text}, entries, {_VERSION} {which}", first, last, count)
        with decoding(self.folder):
            for depth, text, *_ in rows:
                _see((depth, text), int, str)
            return [Row(_version(*version), depth, text, _entries(entries)) for depth, text, entries, *version in rows]

    def leap(self, number: int, level: int) -> Leap:
        rows = self.query("SELECT ancestor, entries FROM leaps WHERE number = ? AND level = ?", number, level)
        with decoding(self.folder):
            ((ancestor, entries),) = rows
            _see((ancestor,), int)
            _see_order(ancestor, number)
            return Leap(ancestor, _entries(entries))

    def newest(self, last: int, count: int) -> list[Version]:
        """Return the last versions up to a number, the last one first; all if `count` is negative."""
        order = "WHERE number <= ? ORDER BY number DESC LIMIT ?"
        rows = self.query(f"SELECT {_VERSION} FROM versions {order}", last, count)
        with decoding(self.folder):
            return [_version(*row) for row in rows]

    def parents(self, last: int) -> dict[int, int | None]:
        """Return the parent of each version up to a number, the oldest first."""
        rows = self.query("SELECT number, parent FROM versions WHERE number <= ? ORDER BY number", last)
        found = dict[int, int | None]()
        with decoding(self.folder):
            for number, parent in rows:
                if parent not in found and (found or parent is not None):
                    raise ValueError(f"version {number} was made of version {parent}")
                found[number] = parent
        return found

    def count(self, last: int) -> int:
        ((count,),) = self.query("SELECT count(*) FROM versions WHERE number <= ?", last)
        return int(count)

    # ---- writing -----------------------------------------------------------------------------------------------------

    def rows_of_node(self, node: Node, leaps: list[Leap], branch: str) -> list[Statement]:
        """Return statements for a version and its leaps, and for its layout if that was not written lately."""
        version, rows, text = node.version, list[Statement](), encoded(node.layout)
        known = {kept: number for kept, number in self._layouts.items() if number < version.number}  # not undone
        self._layouts = known if len(known) < _MOST_LAYOUTS else {}
        if text not in self._layouts:
            self._layouts[text] = version.number
            rows.append(("INSERT OR REPLACE INTO layouts VALUES (?, ?)", (version.number, text)))
        counts = json.dumps(version.pages, separators=(",", ":"))
        which = version.number, version.parent, version.merged, branch, version.message, version.time, counts
        row = *which, self._layouts[text], node.depth, _blob(node.entries)
        rows.append(("INSERT OR REPLACE INTO versions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row))
        for level, leap in enumerate(leaps, 1):
            values = version.number, level, leap.ancestor, _blob(leap.entries)
            rows.append(("INSERT OR REPLACE INTO leaps VALUES (?, ?, ?, ?)", values))
        return rows

    def execute(self, rows: Iterable[Statement]) -> None:
        """Run statements, all or none."""
        with _LOCK:
            self._see_itself()
            connection = self._connection
            assert connection is not None, "only the process that opened it writes"
            self._end_transaction()
            try:
                connection.execute("BEGIN IMMEDIATE")
                for statement, values in rows:
                    connection.execute(statement, values)
                connection.execute("COMMIT")
            except BaseException as error:
                self._layouts.clear()
                with contextlib.suppress(sqlite3.Error):
                    self._end_transaction()
                if isinstance(error, _ERRORS):
                    raise _error_of(error, self.folder) from error
                raise


# ---- forks -----------------------------------------------------------------------------------------------------------

_DATABASES: weakref.WeakSet[Database] = weakref.WeakSet()
_LOST: list[sqlite3.Connection | None] = []


def _after_fork_in_child() -> None:
    for database in list(_DATABASES):
        database.after_fork()


os.register_at_fork(after_in_child=_after_fork_in_child)
