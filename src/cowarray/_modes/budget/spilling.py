"""Bytes on disk: slots in a file without a name, which are taken, read back and given up.

The file has no name once it is created, so nothing is left behind, however the process ends. A full disk is not an
error but an answer: the caller gets no slot, and recomputes instead.

Threads: each file has a lock for the list of its free extents, under which no other lock is taken, and no element is
written or read; a fork takes no lock, so it can happen at any time. Slots are given up without the lock, by appending
to a list: `__del__` runs anywhere. A finalizer that spills while its thread changes the lists gets a new file.

Forks: a slot that existed at a fork belongs to both processes, and neither may overwrite it or cut it off. So a file
from before a fork takes no more slots, in parent or child: each creates a new file. Both read the old one, which the
kernel frees after the last slot of either.

Descriptors: a file whose descriptor the program has closed takes no more slots. The slots in it are lost.
"""

import bisect
import contextlib
import errno
import mmap
import os
import tempfile
import threading
import time
from collections.abc import Generator
from typing import TYPE_CHECKING

from cowarray._modes.common.held_file import HeldFile

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

__all__ = ["Slot", "Spill"]

PAGE = mmap.PAGESIZE
SAMPLE = 4 << 20  # bytes of the first measurement of the rates
MEMORY = 64 << 20  # bytes, after which a measurement counts for half
MOST_FAILURES = 10  # of writes that count: a full disk is tried at least every 1,024th time


class _Forks:
    """A count of this process's forks; a child starts a new one, and so recognizes its parent's files."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.begun = 0
        self._ended = 0

    def begin(self) -> None:
        with self._lock:
            self.begun += 1

    def end(self) -> None:
        with self._lock:
            self._ended = min(self._ended + 1, self.begun)  # the fork may have begun before this was registered

    def now(self) -> int | None:
        """Return a number that each fork changes; None during one, when what the child will have is not yet known."""
        begun = self.begun
        return begun if begun == self._ended else None


_forks = _Forks()


def _start_over() -> None:
    global _forks
    _forks = _Forks()


os.register_at_fork(
    before=lambda: _forks.begin(), after_in_parent=lambda: _forks.end(), after_in_child=lambda: _start_over()
)


class _File:
    """A file and its free extents. It is closed with its last slot; the kernel then frees its blocks."""

    def __init__(self, directory: str) -> None:
        self._forks = _forks
        self._born = _forks.now()
        self._lock = threading.RLock()
        self._busy = False  # The collector may run while the lists change, and with it a finalizer that spills.
        self._free: list[tuple[int, int]] = []  # (start, stop) in order; no two touch, and none reaches the end
        self._end = 0
        self.given_up: list[tuple[int, int]] = []  # (start, stop) of slots, until somebody has the lock
        with tempfile.TemporaryFile(dir=directory, buffering=0) as file:
            self.held = HeldFile(os.dup(file.fileno()))

    def take(self, nbytes: int) -> "Slot | None":
        """Return a slot; None if the file is from before a fork, lost, or busy in this thread.

        But a file without slots still gives one to the process that made it, during and after a fork.
        """
        size = -(-nbytes // PAGE) * PAGE
        slot = Slot(self, nbytes)
        with self._alone() as alone:
            if not alone or not self.held.is_itself() or (not self._settle() and self._end):
                return None
            for i, (start, stop) in enumerate(self._free):
                if stop - start >= size:
                    self._free[i : i + 1] = [(start + size, stop)] if start + size < stop else []
                    break
            else:
                start, self._end = self._end, self._end + size
            slot._extent.append((start, start + size))
        return slot

    def settle(self) -> None:
        """Reclaim the slots that were given up."""
        if self.given_up:
            with self._alone() as alone:
                if alone:
                    self._settle()

    @contextlib.contextmanager
    def _alone(self) -> Generator[bool, None, None]:
        """Hold the lock. Yield False if it is useless: this thread is changing the lists, or it is the parent's."""
        if self._forks is not _forks:  # A thread that the child does not have may hold it.
            yield False
            return
        with self._lock:
            if self._busy:
                yield False
                return
            self._busy = True
            try:
                yield True
            finally:
                self._busy = False

    def _settle(self) -> bool:
        """Reclaim slots. Return False if the file is from before a fork, and everything in it may be shared."""
        extents = []
        while self.given_up:
            extents.append(self.given_up.pop())
        # Checked last: a slot that was given up before a fork begins is not a slot in the child either.
        if self._born is None or self._forks.now() != self._born:
            return False
        for start, stop in extents:
            if start < stop:
                self._put_back(start, stop)
        if self._free and self._free[-1][1] == self._end:
            self._end = self._free.pop()[0]
            # The kernel need not write blocks that are cut off.
            with contextlib.suppress(OSError):  # otherwise it stays longer than necessary
                os.ftruncate(self.held.number(), self._end)
        return True

    def _put_back(self, start: int, stop: int) -> None:
        i = j = bisect.bisect_left(self._free, (start, stop))
        if i and self._free[i - 1][1] == start:
            i -= 1
            start = self._free[i][0]
        if j < len(self._free) and self._free[j][0] == stop:
            stop = self._free[j][1]
            j += 1
        self._free[i:j] = [(start, stop)]


class Slot:
    """Bytes that were written to the file, until the slot is given up or dropped.

    Attributes
    ----------
    nbytes : int
    """

    __slots__ = ("__weakref__", "_extent", "_file", "nbytes")

    def __init__(self, file: _File, nbytes: int) -> None:
        # (start, stop), and nothing once it is given up: only one thread can pop it
        self._extent: list[tuple[int, int]] = []
        self._file = file
        self.nbytes = nbytes

    def free(self) -> None:
        """Give the slot up; its room is reused by later writes. A second call does nothing."""
        try:
            extent = self._extent.pop()
        except IndexError:
            return
        self._file.given_up.append(extent)

    def __del__(self) -> None:
        self.free()


class _Rate:
    """The mean of bytes per second; old measurements count for little."""

    def __init__(self) -> None:
        # Bytes, seconds. Replaced as a whole: if two threads race, one measurement may be lost.
        self._sums: tuple[float, float] | None = None

    def note(self, nbytes: int, seconds: float) -> None:
        known, passed = self._sums or (0.0, 0.0)
        kept = 0.5 ** (nbytes / MEMORY)
        self._sums = (known * kept + nbytes, passed * kept + seconds)

    def value(self) -> float | None:
        """Return the rate; None if nothing was measured."""
        if self._sums is None:
            return None
        nbytes, seconds = self._sums
        return nbytes / max(seconds, 1e-9)


class Spill:
    """A file without a name in a directory, for bytes that cost more to recompute than to read.

    The file is closed, and its room on the disk freed, when the spill and all of its slots are gone.

    Parameters
    ----------
    directory : path_like
        It must be on a disk: spilling to a directory in memory frees none.

    Raises
    ------
    OSError
        `directory` does not exist, is not a directory, or takes no file.

    Attributes
    ----------
    error : OSError or None
        The error of the last write that failed.
    """

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        self.directory = os.path.abspath(os.fspath(directory))
        self.error: OSError | None = None
        self._writes = _Rate()
        self._reads = _Rate()
        self._sampled = False
        self._failures = 0  # of writes, minus 1 for each success since
        self._rest = 0  # how many more times `is_ready` says no
        try:
            self._file = _File(self.directory)
        except OSError as error:
            reason = error.strerror or str(error)
            text = f"budget: spill needs a directory that takes files, and this one does not: {reason}"
            raise OSError(error.errno, text, self.directory) from error

    def write(self, buffer: "ReadableBuffer") -> Slot | None:
        """Write bytes into a slot.

        Parameters
        ----------
        buffer : buffer
            C-contiguous.

        Returns
        -------
        Slot or None
            None if the disk does not take them: it is full, a limit or a quota is reached, or it fails. `error` has
            the reason.
        """
        with memoryview(buffer) as whole:
            nbytes = whole.nbytes
            try:
                slot = self._slot(nbytes)
                if nbytes:
                    with whole.cast("B") as view:
                        start = time.perf_counter()
                        _write(slot, view)
                        self._writes.note(nbytes, time.perf_counter() - start)
            except OSError as error:
                # Without its frames, which would keep the buffer.
                self.error = OSError(error.errno, error.strerror)
                self._failures = min(self._failures + 1, MOST_FAILURES)
                self._rest = 1 << self._failures
                return None  # The slot is dropped, and so given up.
        self._failures = max(self._failures - 1, 0)
        self._rest = 0
        return slot

    def is_ready(self) -> bool:
        """Tell whether a write is worth trying: after n failures, every 2**n-th time. A success cancels one failure.

        Returns
        -------
        bool
        """
        if self._rest:
            self._rest -= 1
        return not self._rest

    def hurry(self) -> None:
        """Make the next `is_ready` say yes."""
        self._rest = 0

    @property
    def is_full(self) -> bool:
        """True if writes have failed lately.

        Returns
        -------
        bool
        """
        return self._failures > 0

    def read_into(self, slot: Slot, buffer: "WriteableBuffer") -> None:
        """Read the bytes of a slot.

        Parameters
        ----------
        slot : Slot
        buffer : buffer
            Writable, C-contiguous, of as many bytes as the slot. If anything is raised, its contents are undefined.

        Raises
        ------
        OSError
            The bytes cannot be read back: the disk fails, or the program has closed the file's descriptor.
        ValueError
            The slot was given up, or the buffer has another size.
        """
        with memoryview(buffer) as whole:
            if whole.nbytes != slot.nbytes:
                raise ValueError(f"a spilled slot of {slot.nbytes} bytes is read into a buffer of {whole.nbytes}")
            extent = _extent(slot)
            if slot.nbytes:
                with whole.cast("B") as view:
                    start = time.perf_counter()
                    _read(slot._file.held, extent[0], view)
                    self._reads.note(slot.nbytes, time.perf_counter() - start)
            # Others can have written there only if it was given up meanwhile.
            _extent(slot)
        slot._file.settle()

    @property
    def write_rate(self) -> float:
        """Bytes per second of recent writes.

        If nothing was written yet, a small measurement comes first.

        Returns
        -------
        float
            0.0 if the disk has taken nothing yet.
        """
        return self._rate(self._writes)

    @property
    def read_rate(self) -> float:
        """Bytes per second of recent reads, like `write_rate`.

        Returns
        -------
        float
        """
        return self._rate(self._reads)

    def seconds(self, nbytes: int) -> float:
        """Estimate the time to write so many bytes and read them back.

        Parameters
        ----------
        nbytes : int

        Returns
        -------
        float
            Infinite if the disk has taken nothing yet.
        """
        write, read = self.write_rate, self.read_rate
        return nbytes / write + nbytes / read if write and read else float("inf")

    def _rate(self, rate: _Rate) -> float:
        if rate.value() is None and not self._sampled:
            self._sampled = True
            self._sample()
        return rate.value() or 0.0

    def _sample(self) -> None:
        buffer = bytearray(os.urandom(PAGE) * (SAMPLE // PAGE))  # which no file system packs
        slot = self.write(buffer)
        if slot is not None:
            try:
                self.read_into(slot, buffer)
            except OSError as error:
                self.error = OSError(error.errno, error.strerror)

    def _slot(self, nbytes: int) -> Slot:
        """Return a slot in the file, or in a new one after a fork. If two threads make one, slots keep both alive."""
        slot = self._file.take(nbytes)
        while slot is None:
            file = _File(self.directory)
            slot = file.take(nbytes)
            self._file = file
        return slot


def _extent(slot: Slot) -> tuple[int, int]:
    try:
        return slot._extent[0]
    except IndexError:
        raise ValueError("a spilled slot is read after it was given up") from None


def _write(slot: Slot, view: memoryview) -> None:
    (offset, _stop), done = slot._extent[0], 0
    while done < len(view):
        with view[done:] as rest:
            wrote = os.pwrite(slot._file.held.number(), rest, offset + done)
        if wrote == 0:
            raise OSError(errno.EIO, "the file takes no more bytes")
        done += wrote


def _read(file: HeldFile, offset: int, view: memoryview) -> None:
    done = 0
    while done < len(view):
        try:
            with view[done:] as rest:
                read = os.preadv(file.number(), [rest], offset + done)
        except OSError as error:
            raise OSError(error.errno, f"spilled bytes cannot be read back: {error.strerror}") from error
        if read == 0:
            raise OSError(errno.EIO, f"spilled bytes cannot be read back: the file ends after {done} of {len(view)}")
        done += read
