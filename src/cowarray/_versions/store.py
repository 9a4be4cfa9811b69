"""A history's folder: versions in SQLite, pages beside them, and each array as first committed.

::

    bases/*.npy             arrays as first committed, mode 0444
    pages/*.bin             records of 16 + 4096 bytes, appended: page, version, checksum, the page
    history-000001.sqlite   versions, their entries, and what the files must be
    lock                    held by the one that writes

Its order of writes makes it safe against a crash at any point: a file is complete on the disk before the transaction
that names it. Bytes that no transaction names do not count. docs/history-format.md describes the format. One file,
because that order is one concern.
"""

import contextlib
import errno
import fcntl
import io
import os
import re
import time
import weakref
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from cowarray._versions.background import Background
from cowarray._versions.bases import Stored, read_base, see_base, write_base
from cowarray._versions.containers import arrays_of
from cowarray._versions.database import (
    Base,
    Database,
    Statement,
    damage_of,
    name_of,
    newest_of,
    rows_of_base,
    rows_of_present,
)
from cowarray._versions.disk import close_own, identity_of, make_folder, sync_folder, write_all
from cowarray._versions.records import FILE_BITS, RECORD, DiskContents, record_of
from cowarray._versions.tree import Leap, Node, Present, Tree

__all__ = ["Store", "Successor"]

_BASE = re.compile(r"\d{6,}-\d{6,}\.(npy|part)")
_MOST = 100  # damaged records that are listed one by one

_Bytes = NDArray[np.uint8]
_Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Successor:
    """A database that has been written, and is to replace the present one."""

    number: int
    last: int  # version
    before: Database | None
    bases: list[tuple[int, Path]]  # the new ones, with the first page of each
    left: list[Path]  # files that nothing names then, if everything is rewritten


class Store:
    """A history's folder, open for its one writer or for one of any number of readers.

    Attributes
    ----------
    written : int
        The last version that the tables have.
    numbers : set
        The numbers of the arrays.
    """

    def __init__(self, folder: Path, *, writes: bool) -> None:
        self.folder = folder = Path(os.path.abspath(folder))  # the program may change its folder
        self.writes = writes
        self.contents = DiskContents(folder / "pages", self.places)
        self.written, self.numbers = -1, set[int]()
        self._process = os.getpid()
        self._lock_file = -1
        self._lock_identity = (0, 0)
        self._jobs = Background(f"History: what was committed in the background to {folder}")
        self._file, self._end = 0, 0
        self._is_closed = self._is_dropped = False
        self._unnamed: list[Statement] = []  # rows of bases that are written with the next version
        self._database: Database | None = None
        _STORES.add(self)

    # ---- beginning ---------------------------------------------------------------------------------------------------

    @classmethod
    def create(cls, folder: Path) -> "Store":
        """Create an empty folder. `publish` then gives it a history."""
        make_folder(folder)
        made = cls(folder, writes=True)
        try:
            made._lock()
            if newest_of(folder) or (folder / "history.sqlite").exists():
                raise FileExistsError(f"History: there is a history in {folder}; open it without a state")
            for name in ("bases", "pages"):
                (folder / name).mkdir(exist_ok=True)
            made._open_pages(1)  # the content number 0 means none
        except BaseException:
            made.close()
            raise
        return made

    @classmethod
    def open(cls, folder: Path, *, writes: bool) -> tuple["Store", Present, list[Stored]]:
        """Open a folder with a history; return it with the history's place and its arrays."""
        while True:
            number = newest_of(folder)
            if not number and (folder / "history.sqlite").exists():
                raise ValueError(f"History: {folder} has format 1, and this is a program for 2")
            if not number:
                raise FileNotFoundError(errno.ENOENT, "History: there is no history here", str(folder))
            made = cls(folder, writes=writes)
            try:
                present, arrays = made._read(number)
                if made.database.path.exists():  # so all files existed
                    return made, present, arrays
            except FileNotFoundError as error:
                if newest_of(folder) == number:  # it was not compacted meanwhile
                    made.close()
                    raise damage_of(folder, f"there is no {error.filename}") from error
            except BaseException:
                made.close()
                raise
            made.close()

    def _read(self, number: int) -> tuple[Present, list[Stored]]:
        if self.writes:
            self._lock()
            number = newest_of(self.folder)  # from here on only this process changes it
        self._database = Database(self.folder, number, writes=self.writes)
        self._database.see_format()
        self.contents.open()
        if self.writes:
            self._open_pages(max(self.contents.files, default=1))
        present, self.written = self._database.present()
        arrays: list[Stored] = []
        bases = self._database.bases()
        for number, first, base in bases:
            path = self.folder / "bases" / base.name
            arrays.append(read_base(path, base, number, first))
            self.contents.add_base(first, path)
            self.numbers.add(number)
        if self.writes:
            self._drop_left({base.name for _, _, base in bases})
        return present, arrays

    def _drop_left(self, named: set[str]) -> None:
        """Drop bases that no row names: a writer that was killed during a commit or a `compact` left them."""
        with contextlib.suppress(OSError):
            for path in (self.folder / "bases").iterdir():
                if _BASE.fullmatch(path.name) and path.name not in named:
                    path.unlink()

    @property
    def database(self) -> Database:
        assert self._database is not None
        return self._database

    def _lock(self) -> None:
        self._lock_file = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        self._lock_identity = identity_of(self._lock_file)
        while True:
            is_ending = self._is_ending()  # asked first, since it may end meanwhile
            try:
                fcntl.flock(self._lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError as error:
                if not is_ending:
                    self._refuse_lock(error)
            time.sleep(0.001)
        os.ftruncate(self._lock_file, 0)
        os.pwrite(self._lock_file, str(os.getpid()).encode(), 0)

    def _is_ending(self) -> bool:
        """Tell whether a thread of this process still writes to the folder for a history that nobody has any more."""
        return any(
            other._is_dropped and other.is_writers and not other._is_closed and not other.is_writing()
            for other in list(_STORES)
            if other._lock_identity == self._lock_identity
        )

    def _refuse_lock(self, error: OSError) -> NoReturn:
        holder = os.pread(self._lock_file, 32, 0).decode(errors="replace") or "another process"
        os.close(self._lock_file)
        self._lock_file = -1
        raise BlockingIOError(errno.EAGAIN, f"History: process {holder} writes to it", str(self.folder)) from error

    def _pages_of(self, file: int) -> Path:
        return self.folder / "pages" / f"{file:06}.bin"

    def _open_pages(self, file: int) -> None:
        path = self._pages_of(file)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        try:
            sync_folder(path.parent)
        except BaseException:
            os.close(descriptor)
            raise
        self.contents.take(file, descriptor)
        self._file, self._end = file, os.fstat(descriptor).st_size

    def close(self) -> None:
        """Wait for pending writes, and let another writer in. If a write fails, it stays open."""
        self.flush()
        self._close_files()

    def drop(self) -> None:
        """Close, once the thread has done its jobs. This does not wait for them: the garbage collector may call it."""
        self._is_dropped = True
        if not self._is_closed:
            self._jobs.end_with(self._give_up)

    def _give_up(self) -> None:
        """Close, after trying failed writes once more."""
        try:
            self._jobs.give_up()
        finally:
            self._jobs.forget()
            self._close_files()

    def _close_files(self) -> None:
        """Close all files, and release the lock. Idempotent."""
        self.contents.close()
        if self._database is not None:
            self._database.close()
        if self.is_writers and self._lock_file >= 0:
            with contextlib.suppress(OSError):  # a child that was just forked also has it open
                if identity_of(self._lock_file) == self._lock_identity:
                    fcntl.flock(self._lock_file, fcntl.LOCK_UN)
        self.unlock()
        self._is_closed = True

    def unlock(self) -> None:
        """Release the lock, which another writer can take when no descriptor of it is left."""
        if self._lock_file >= 0:
            close_own(self._lock_file, self._lock_identity)
            self._lock_file = -1

    # ---- writing -----------------------------------------------------------------------------------------------------

    @property
    def is_writers(self) -> bool:
        """True if this process writes to the folder."""
        return self.writes and self._process == os.getpid()

    def see_writable(self, operation: str = "History") -> None:
        """Refuse to write if this store may not, or may no longer."""
        if self.contents.closed:
            raise ValueError(f"{operation}: it is closed")
        if not self.writes:
            raise io.UnsupportedOperation(f"{operation}: it was opened for reading")
        if self._process != os.getpid():
            raise RuntimeError(f"{operation}: after a fork, only the parent writes to its folder")
        self._see_itself(self._lock_file, self.folder / "lock")
        self._see_itself(self.contents.files[self._file], self._pages_of(self._file))

    def _see_itself(self, descriptor: int, path: Path) -> None:
        """Refuse to write if the program has closed a descriptor, or the folder has been moved or replaced."""
        try:
            if os.path.samestat(os.fstat(descriptor), os.stat(path)):
                return
        except OSError:
            pass
        raise OSError(
            errno.ESTALE, "History: its folder was moved or replaced, or its file was closed by the program", str(path)
        )

    def add_array(self, number: int, first: int, x: NDArray[Any]) -> None:
        """Write an array as first committed. The next version names it."""
        self.see_writable()
        base = self._write_array(number, x)
        self.contents.add_base(first, self.folder / "bases" / base.name)
        self.numbers.add(number)
        self._unnamed += rows_of_base(base, number, first)

    def _write_array(self, number: int, x: NDArray[Any]) -> Base:
        return write_base(self.folder / "bases" / f"{number:06}-{self._file:06}.npy", x)

    def places(self, count: int) -> _Numbers:
        """Return the numbers that the next records will have."""
        first = self._file << FILE_BITS | self._end
        return first + np.arange(count, dtype=np.int64) * RECORD

    def append(self, node: Node, leaps: list[Leap], branch: str, contents: _Bytes, *, wait: bool) -> None:
        """Write a version, whose contents have the numbers from `places`."""
        self.see_writable()
        texts = [content.tobytes() for content in contents]
        numbers = node.entries[2].tolist()
        unnamed = list(self._unnamed)
        self.written = min(self.written, node.version.number - 1)  # excludes a version that was undone
        self.contents.waiting.update(zip(numbers, texts, strict=True))
        self._end += len(texts) * RECORD

        def job() -> None:
            self._append_now(node, texts)
            self._execute([*unnamed, *self.database.rows_of_node(node, leaps, branch)])
            self.written = node.version.number
            no_longer_waiting()

        def no_longer_waiting() -> None:
            for number, text in zip(numbers, texts, strict=True):
                if self.contents.waiting.get(number) is text:  # and not the text of a version that replaced this one
                    del self.contents.waiting[number]

        try:
            if wait:
                self.flush()
                job()
            else:
                self._jobs.put(job)
        except BaseException:
            self._jobs.take_back(job)  # if it is done nevertheless, the next one overwrites it
            no_longer_waiting()
            self._end -= len(texts) * RECORD
            raise
        self._unnamed = []

    def _append_now(self, node: Node, texts: list[bytes]) -> None:
        if not texts:
            return
        descriptor = self.contents.files[self._file]
        self._see_itself(descriptor, self._pages_of(self._file))
        page, _, after = node.entries
        number = node.version.number
        joined = b"".join(record_of(page, number, text) for page, text in zip(page.tolist(), texts, strict=True))
        os.ftruncate(descriptor, int(after[0]) & ((1 << FILE_BITS) - 1))  # removes what a failed append left
        write_all(descriptor, joined)
        os.fdatasync(descriptor)

    def put_present(self, present: Present, after: int) -> None:
        """Write the history's place, from version `after` on."""
        self.see_writable()
        self.flush()
        self._execute(rows_of_present(present, after))

    def _execute(self, rows: Iterable[Statement]) -> None:
        self.database.execute(rows)

    def is_writing(self) -> bool:
        """Tell whether a job of the background thread calls this."""
        return self._jobs.is_here()

    def flush(self) -> None:
        """Wait for background writes; try failed ones again, and raise their errors."""
        if self._process == os.getpid():
            self._jobs.flush()

    # ---- rewriting it ------------------------------------------------------------------------------------------------

    def publish(self, tree: Tree, present: Present) -> None:
        """Write the versions of a tree, which makes this folder a history."""
        made = self.successor(tree, present)
        try:
            self.replace(made)
        except BaseException:
            self.withdraw(made)
            raise
        self.settle(made)

    def successor(self, tree: Tree, present: Present) -> Successor:
        """Write the versions of a tree, and no others, to a file that does not count yet.

        `replace` makes them count, in one step. `settle` and `end` follow, or `withdraw` after an interruption.
        """
        self.see_writable()
        self.flush()
        known = [] if self._database is None else self._database.bases()
        rows = [row for number, first, base in known for row in rows_of_base(base, number, first)]
        return self._successor(tree, present, [*rows, *self._unnamed], [], [])

    def _successor(
        self, tree: Tree, present: Present, rows: list[Statement], bases: list[tuple[int, Path]], left: list[Path]
    ) -> Successor:
        number = newest_of(self.folder) + 1
        self._write_database(number, tree, [*rows, *rows_of_present(present, tree.last)])
        return Successor(number, tree.last, self._database, bases, left)

    def replace(self, made: Successor) -> None:
        """Make the versions of a successor count. For this process, the last line does so."""
        path = self.folder / name_of(made.number)
        path.with_name(path.name + ".part").rename(path)
        sync_folder(self.folder)
        opened = Database(self.folder, made.number, writes=True)
        try:
            opened.see_format()
        except BaseException:
            opened.close()
            raise
        self._database = opened

    def has(self, made: Successor) -> bool:
        """Tell whether a successor has taken its place."""
        return self._database is not None and self._database.number == made.number

    def withdraw(self, made: Successor) -> None:
        """Remove the name of a successor that has not taken its place. Idempotent."""
        if self.is_writers and not self._is_closed:
            (self.folder / name_of(made.number)).unlink(missing_ok=True)
            with contextlib.suppress(OSError):
                sync_folder(self.folder)

    def settle(self, made: Successor) -> None:
        """Go on from the versions of a successor. Idempotent."""
        self._unnamed, self.written = [], made.last
        for first, path in made.bases:
            self.contents.add_base(first, path)

    def end(self, made: Successor) -> None:
        """Close and unlink the previous files, which this store reads no more. Idempotent."""
        if made.before is not None:
            made.before.close()
        if not self.is_writers or self._is_closed:
            return
        if made.left:
            self.contents.close_all_but(self._file)
        name = self.database.path.name
        with contextlib.suppress(OSError):  # the new one counts nevertheless
            files = self.folder.glob("history-*.sqlite*")
            # Journals first: SQLite does not read an unlinked file whose journal still has a name.
            for path in sorted(files, key=lambda path: not path.name.endswith("-journal")):
                if path.name not in (name, f"{name}-journal"):
                    path.unlink(missing_ok=True)
        for path in made.left:
            with contextlib.suppress(OSError):
                path.unlink()

    def _write_database(self, number: int, tree: Tree, rows: list[Statement]) -> None:
        """Write a file with all versions, which does not count yet."""
        path = self.folder / f"{name_of(number)}.part"
        path.unlink(missing_ok=True)
        database = Database(self.folder, number, writes=True, part=True)
        try:
            nodes = (database.rows_of_node(node, tree.leaps_at(node), "") for node in tree.nodes())
            database.execute([*rows, *(row for each in nodes for row in each)])
        finally:
            database.close()
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def compact(
        self, tree: Tree, present: Present, arrays: dict[int, tuple[int, NDArray[Any]]], kept: _Numbers
    ) -> Successor:
        """Rewrite everything, as `successor` does; `end` then removes the previous files.

        Parameters
        ----------
        tree : Tree
            A tree whose contents have their new numbers, from `arranged`.
        arrays : dict
            By number: the first page, and the value that becomes the new base.
        kept : numpy.ndarray
            The present numbers of the contents to copy, in the order of `arranged`.
        """
        self.see_writable()
        self.flush()
        written = self._pages_of(self._file + 1)
        written.unlink(missing_ok=True)  # left by a failed `compact`
        before = [*(self.folder / "pages").glob("*.bin")]
        texts = [content.tobytes() for content in self.contents.get(kept)]
        self._open_pages(self._file + 1)
        try:
            descriptor = self.contents.files[self._file]
            for text in texts:
                write_all(descriptor, record_of(0, 0, text))
            os.fsync(descriptor)
            self._end = os.fstat(descriptor).st_size
            bases = {number: self._write_array(number, value) for number, (_, value) in arrays.items()}
            rows = [row for number, base in bases.items() for row in rows_of_base(base, number, arrays[number][0])]
            named = [(arrays[number][0], self.folder / "bases" / base.name) for number, base in bases.items()]
            left = [*before, *set((self.folder / "bases").iterdir()).difference(path for _, path in named)]
            return self._successor(tree, present, rows, named, left)
        except BaseException:
            self._drop_unnamed()
            raise

    def _drop_unnamed(self) -> None:
        """Free the room that a failed `compact` took: the disk may be full."""
        with contextlib.suppress(OSError):
            for path in [*(self.folder / "bases").glob(f"*-{self._file:06}.*"), *self.folder.glob("*.sqlite.part*")]:
                path.unlink()
            os.ftruncate(self.contents.files[self._file], 0)
            self._end = 0

    def arranged(self, count: int) -> _Numbers:
        """Return the numbers for contents that `compact` writes."""
        return (self._file + 1 << FILE_BITS) + np.arange(count, dtype=np.int64) * RECORD

    # ---- verifying ---------------------------------------------------------------------------------------------------

    def misplaced(self) -> str:
        """Say what is wrong with the folder as a whole; empty if nothing is."""
        try:
            if self.is_writers:
                self._see_itself(self._lock_file, self.folder / "lock")
                for file, descriptor in self.contents.files.items():
                    self._see_itself(descriptor, self._pages_of(file))
            elif not self.folder.is_dir():  # a reader's open files may have lost their names
                return f"History: its folder was moved or replaced: {self.folder}"
        except OSError as error:
            return f"{error.strerror}: {error.filename}"
        return ""

    def damaged(self, tree: Tree) -> list[tuple[str, list[int]]]:
        """Return what is wrong with each base and record that versions name, and the versions that have it."""
        bases = [
            (text, _with_array(number, tree))
            for number, _, base in self.database.bases()
            if (text := self._wrong_with_base(base))
        ]
        return bases + self._damaged_records(tree)

    def _wrong_with_base(self, base: Base) -> str:
        try:
            see_base(self.folder / "bases" / base.name, base)
        except FileNotFoundError as error:
            if not self.database.path.exists():  # it was compacted away, and this reader has it open
                return ""
            return f"History: there is no {error.filename}"
        except (ValueError, OSError) as error:
            return str(error)
        return ""

    def _damaged_records(self, tree: Tree) -> list[tuple[str, list[int]]]:
        wrong = {
            number: text for number in tree.contents().tolist() if number > 0 and (text := self._wrong_with(number))
        }
        one_by_one, others = [*wrong][:_MOST], [*wrong][_MOST:]
        versions, of_others = _having(one_by_one, others, tree)
        found = [(wrong[number], versions[number]) for number in one_by_one]
        return [*found, (f"History: damaged records beside these: {len(others):,}", of_others)] if others else found

    def _wrong_with(self, number: int) -> str:
        try:
            self.contents.checked(number)
        except (ValueError, OSError) as error:
            return str(error)
        return ""


def _with_array(number: int, tree: Tree) -> list[int]:
    """Return the versions whose state has an array."""
    return [node.version.number for node in tree.nodes() if number in (each for _, each in arrays_of(node.layout))]


def _having(contents: list[int], others: list[int], tree: Tree) -> tuple[dict[int, list[int]], list[int]]:
    """Return the versions that have each of `contents`, and those that have any of `others`.

    A version has the contents that it wrote, and its parent's where it wrote nothing.
    """
    found, of_others = {content: list[int]() for content in contents}, list[int]()
    had: dict[int | None, tuple[frozenset[int], int]] = {}  # its contents, and the number of others
    each, more = set(contents), set(others)
    for node in tree.nodes() if contents else ():
        number, (_, before, after) = node.version.number, node.entries.tolist()
        now, count = had.get(node.version.parent, (frozenset(), 0))
        if ended := each.intersection(before):
            now -= ended
        if written := each.intersection(after):
            now |= written
        had[number] = now, count - len(more.intersection(before)) + len(more.intersection(after))
        for content in now:
            found[content].append(number)
        if had[number][1]:
            of_others.append(number)
    return found, of_others


_STORES: weakref.WeakSet[Store] = weakref.WeakSet()


def _after_fork() -> None:
    """Drop the lock in a child, so that another process can write once the parent has ended."""
    for store in list(_STORES):
        store.unlock()


os.register_at_fork(after_in_child=_after_fork)
