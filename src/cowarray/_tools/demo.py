"""The demonstration: NumPy and cowarray make the same edits to copies of one array, measured and compared.

The array comes from a read-only memory map. NumPy's side does what people write today: copy first, then edit. Every
cowarray result is compared with NumPy's, byte by byte, and the file's checksum is taken before and after.

One file, so that it can be read and copied as one program: the file, the steps, the measuring, the screen.
"""

import contextlib
import ctypes
import hashlib
import os
import stat
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

import cowarray
from cowarray import ndarray

__all__ = ["run"]

BLOCK = 1 << 24  # bytes hashed or compared at a time
QUICK = 1 << 26  # bytes up to which a step runs ROUNDS times, and its best time counts
ROUNDS = 3
LARGEST = 1 << 30  # bytes of a larger file that the steps work on
PEAK = 6  # how many arrays' memory the steps may need together
SNAPSHOTS = 24  # in the step that takes them; the last two are kept
SMALL = 1 << 16  # bytes below which times tell nothing about copying


# Both are called with a side, NumPy's or cowarray's, and return arrays of that side.
_Prepare = Callable[[Any], list[Any]]
_Step = Callable[[Any, list[Any]], list[Any]]


class UnusableFile(Exception):
    """A file that the demonstration cannot use; its text is the message for the user."""


@dataclass
class _Totals:
    """The totals of one side's steps: seconds, and bytes copied."""

    time: float = 0.0
    copied: int = 0


def run(file: str | os.PathLike[str] | None = None) -> int:
    """Run the demonstration and print its findings.

    Parameters
    ----------
    file : str or path, optional
        A .npy file, which is only read. Default: a temporary one.

    Returns
    -------
    int
        Exit status: 0, 1 for a wrong result or a machine that failed, 2 for a file that cannot be used.
    """
    try:
        if file is not None:
            return _demonstrate(Path(file))
        with tempfile.TemporaryDirectory(prefix="cowarray-") as folder:
            path = Path(folder, "numbers.npy")
            with _Waiting("making an array"):
                np.save(path, _numbers())
            print("Data: the numbers from 0 to 1,999,999, in a file made for this.")
            return _demonstrate(path)
    except UnusableFile as error:
        print(f"demo: {error}", file=sys.stderr)
        return 2
    except MemoryError:
        print("demo: not enough memory for copies of this array", file=sys.stderr)
    except BrokenPipeError:
        raise
    except OSError as error:
        print(f"demo: {error.strerror or error}{f': {error.filename}' if error.filename else ''}", file=sys.stderr)
    return 1


def _demonstrate(path: Path) -> int:
    source = load(path)
    # Reading the file also brings it into memory, so that neither side pays for the disk.
    before = _checksum(path)
    _say_what(path, source)
    limit = min(LARGEST, _memory_available() // PEAK)
    if source.nbytes > limit:
        source = source.reshape(-1, order="A")[: max(1, limit // source.itemsize)]
        print(f"The steps use only the first {show_bytes(source.nbytes)}, to stay short and fit into memory.")
    with _Waiting("warming up"):
        # The first use of memory is slow on many machines, and neither side should pay for it.
        np.empty(4 * source.nbytes, np.uint8).fill(1)
        _warm_pages()
    totals = {"NumPy": _Totals(), "cowarray": _Totals()}
    wrong: list[int] = []
    each = {}
    print("NumPy copies first and then edits; cowarray runs the same edits on lazy copies.\n")
    print(_bold(f"{'step':<33} {'':<8} {'time':>9} {'copied':>9} {'memory':>10}  address"))
    for number, (title, prepare, step) in enumerate(_steps(source), 1):
        if step is None:
            print(f"{number} {title:<31} skipped: NumPy has no ufunc for {_short(source.dtype)}")
            continue
        results = {}
        for side in (_NumPy(source), _Cowarray(source)):
            with _Waiting(f"step {number}, {side.name}"):
                results[side.name], figures = _measure(side, prepare, step, ROUNDS if source.nbytes <= QUICK else 1)
            print(_row(f"{number} {title}" if side.name == "NumPy" else "", side.name, figures))
            totals[side.name].time += figures["time"]
            totals[side.name].copied += figures["copied"]
            each[side.name] = figures["time"] / SNAPSHOTS  # of the last step
        with _Waiting(f"comparing the results of step {number}"):
            if not all(equal(ours, theirs) for ours, theirs in zip(results["cowarray"], results["NumPy"], strict=True)):
                wrong.append(number)
        results.clear()
    if source.nbytes < SMALL:
        print("\nAn array this small shows the price of a call, not of its bytes; a file of a few MB shows both.")
    after = _checksum(path)
    print()
    price = f"{show_time(each['cowarray'])} by cowarray, {show_time(each['NumPy'])} by NumPy"
    print(_bold(f"A snapshot and an edit of one element: {price}; the array has {show_bytes(source.nbytes)}."))
    return _conclude(totals, wrong, before, after)


def _warm_pages() -> None:
    """Make cowarray measure the cost of pages, which it does when it first needs to."""
    with _eager_pages():
        source = np.zeros(1 << 22, np.uint8)
        copied = cowarray.array(source)
        kept = copied.copy()
        copied[0] = 1
        del kept


@contextlib.contextmanager
def _eager_pages() -> Generator[None, None, None]:
    """Make copies by the page, from the first write on, if the system can and paging is not off."""
    before = cowarray.paging()
    try:
        if before != "off":
            cowarray.paging("eager")
        yield
    finally:
        cowarray.paging(before)


def _conclude(totals: dict[str, _Totals], wrong: list[int], before: str, after: str) -> int:
    """Print the last three lines; return the exit status."""
    theirs, ours = totals["NumPy"], totals["cowarray"]
    print(_bold(f"Copied: {show_bytes(theirs.copied)} by NumPy, {show_bytes(ours.copied)} by cowarray."))
    print(_bold(f"Time:   {show_time(theirs.time)} for NumPy, {show_time(ours.time)} for cowarray."))
    problems = [f"step {number} differs from NumPy's result" for number in wrong]
    if before != after:
        problems.append(f"the file has changed (sha256 {before[:16]} before, {after[:16]} after)")
    if problems:
        print(_bold(f"WRONG:  {'; '.join(problems)}."))
        return 1
    print(_bold(f"Verified: every result equals NumPy's, and the file is as it was (sha256 {after[:16]}...)."))
    return 0


# ---- the file --------------------------------------------------------------------------------------------------------


def _numbers() -> np.ndarray:
    """Return the default data: 16 MB, the same everywhere."""
    return np.arange(2_000_000.0).reshape(200, 100, 100)


def load(path: os.PathLike[str]) -> np.ndarray:
    """Map the array in a .npy file into memory, read-only.

    Parameters
    ----------
    path : path

    Returns
    -------
    numpy.ndarray
        Read-only, in C or Fortran order.

    Raises
    ------
    UnusableFile
        There is no such file; it is not a .npy file; it is truncated; it holds objects.
    """
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise UnusableFile(f"{path}: not a regular file")
        with open(path, "rb") as opened:
            magic = opened.read(6)
    except OSError as error:
        raise UnusableFile(f"{path}: {error.strerror}") from None
    except ValueError:  # a null byte in the name
        raise UnusableFile(f"{str(path)!r}: not a valid file name") from None
    if magic[:4] == b"PK\x03\x04":
        raise UnusableFile(f"{path}: an .npz archive; save one of its arrays as .npy with numpy.save")
    if magic != b"\x93NUMPY":
        raise UnusableFile(f"{path}: not a .npy file")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about old headers, which are fine
            return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
    except OSError as error:
        raise UnusableFile(f"{path}: {error.strerror or error}") from None
    except Exception as error:  # a damaged header can raise anything
        reason = " ".join(str(error).split())
        if "Python objects" in reason:
            reason = "an array of Python objects, which cannot be mapped"
        elif "greater than file size" in reason or "EOF" in reason:
            reason = f"truncated ({reason})"
        else:
            reason = f"a damaged .npy file ({_short(reason)})"
        raise UnusableFile(f"{path}: {reason}") from None


def _say_what(path: Path, source: np.ndarray) -> None:
    order = "" if source.flags.c_contiguous else ", Fortran order"
    size = show_bytes(source.nbytes)
    print(f"File: {path.name}, {_short(source.dtype)} {source.shape}{order}, {size}, mapped read-only.")
    try:
        source[...] = source
    except ValueError as error:
        print(f"When NumPy tries to write to it: ValueError: {error}.")


def _checksum(path: Path) -> str:
    """Return the SHA-256 of the file's bytes."""
    digest = hashlib.sha256()
    with open(path, "rb", buffering=0) as file, _Waiting(f"reading {path.name}") as waiting:
        size = max(1, os.fstat(file.fileno()).st_size)
        while block := file.read(BLOCK):
            digest.update(block)
            waiting.part += len(block) / size
    return digest.hexdigest()


# ---- the steps -------------------------------------------------------------------------------------------------------


class _NumPy:
    """NumPy's side: every independent array is a copy, and counted."""

    name = "NumPy"

    def __init__(self, source: np.ndarray) -> None:
        self.source = source
        self.copied = 0

    def start(self) -> None:
        self.copied = 0

    def writable(self) -> np.ndarray:
        return self.copy(self.source)

    def copy(self, array: np.ndarray) -> np.ndarray:
        self.copied += array.nbytes
        return array.copy("K")

    def own(self) -> np.ndarray:
        return self.source.copy("K")

    def reshape(self, array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        return self.copy(array.reshape(shape, order="A"))

    def pages(self) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()

    def address(self, array: np.ndarray) -> int:
        return array.ctypes.data


class _Cowarray:
    """The library's side: a copy shares bytes until it is written to; the library counts copied bytes."""

    name = "cowarray"

    def __init__(self, source: np.ndarray) -> None:
        self.file = source
        self.source = cowarray.asarray(source)

    def start(self) -> None:
        cowarray.reset_stats()

    @property
    def copied(self) -> int:
        return cowarray.stats()["bytes_copied"]

    def writable(self) -> ndarray:
        return cowarray.asarray(self.file)

    def copy(self, array: ndarray) -> ndarray:
        return array.lazy_clone()

    def own(self) -> ndarray:
        return self.source.lazy_clone().materialize()

    def reshape(self, array: ndarray, shape: tuple[int, ...]) -> ndarray:
        return array.reshape(shape, order="A")

    def pages(self) -> contextlib.AbstractContextManager[None]:
        return _eager_pages()

    def address(self, array: ndarray) -> int:
        return array.storage.data_ptr


def _steps(source: np.ndarray) -> Iterator[tuple[str, _Prepare, _Step | None]]:
    """Yield (title, prepare, step): step(side, prepare(side)) returns the arrays to compare."""
    one = (0,) * source.ndim if source.size else ...
    some = slice(0, max(1, len(source) // 10)) if source.ndim else ...
    shape = (-1,) if source.ndim != 1 else (2, -1) if source.size % 2 == 0 and source.size else (1, -1)
    if not source.size:
        shape = (0,)
    value = _other_value(source)
    places = _places(source, SNAPSHOTS)
    change = _ufunc(source.dtype)

    def from_source(side: Any) -> list[Any]:
        return [side.source]

    def writable(side: Any, given: list[Any]) -> list[Any]:
        return [side.writable()]

    def reshape(side: Any, given: list[Any]) -> list[Any]:
        return [side.reshape(given[0], shape)]

    def three_copies(side: Any, given: list[Any]) -> list[Any]:
        copies = [side.copy(given[0]) for _ in range(3)]
        copies[0][one] = value
        return copies

    def edit_slice(side: Any, given: list[Any]) -> list[Any]:
        copy = side.copy(given[0])
        copy[some] = value
        return [copy]

    def in_place(side: Any, given: list[Any]) -> list[Any]:
        assert change is not None
        copy = side.copy(given[0])
        change(copy, out=copy)
        return [copy]

    def overwrite(side: Any, given: list[Any]) -> list[Any]:
        copy = side.copy(given[0])
        copy[...] = value
        return [copy]

    def from_own(side: Any) -> list[Any]:
        return [side.own()]

    def last_sharer(side: Any, given: list[Any]) -> list[Any]:
        copy = side.copy(given[0])
        given.clear()
        copy[one] = value
        return [copy]

    def snapshots(side: Any, given: list[Any]) -> list[Any]:
        [state] = given
        kept = []
        with side.pages():
            for number in range(SNAPSHOTS):
                kept.append(side.copy(state))
                del kept[:-2]
                state[places[number] if source.size else ...] = value
        return [*kept, state]

    yield "a writable array of the file", from_source, writable
    yield "the same in another shape", from_source, reshape
    yield "3 copies, one element edited", from_source, three_copies
    yield "a slice of a copy edited", from_source, edit_slice
    yield "a copy changed in place", from_source, in_place if change else None
    yield "a copy wholly overwritten", from_source, overwrite
    yield "a copy outlives its source", from_own, last_sharer
    yield f"{SNAPSHOTS} snapshots, an edit each", from_own, snapshots


def _places(source: np.ndarray, count: int) -> list[tuple[int, ...]]:
    """Return indices of `count` elements, from the first on, about equally far apart; none if the array is empty."""
    flat = (number * source.size // count for number in range(count if source.size else 0))
    return [tuple(map(int, np.unravel_index(place, source.shape))) for place in flat]


def _other_value(source: np.ndarray) -> Any:
    """Return a value of the array's dtype other than that of its first element."""
    value = np.zeros((), source.dtype)
    if source.size and source[(0,) * source.ndim].tobytes() == value.tobytes() and source.dtype.kind != "V":
        value = np.ones((), source.dtype)
    return value[()]


def _ufunc(dtype: np.dtype) -> Callable[..., Any] | None:
    """Return a unary ufunc that keeps the dtype and never warns; None if the dtype has none."""
    if dtype.kind == "b":
        return np.logical_not
    if dtype.kind in "iufcm":
        return np.negative
    if dtype.kind == "M":
        return lambda x, out: np.add(x, np.timedelta64(1), out=out)
    return None


def equal(ours: ndarray, theirs: np.ndarray) -> bool:
    """Tell whether both have the same elements, comparing a block at a time.

    Parameters
    ----------
    ours : ndarray
    theirs : numpy.ndarray

    Returns
    -------
    bool
    """
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return False
    a, b = ours.to_numpy().reshape(-1, order="A"), theirs.reshape(-1, order="A")
    step = max(1, BLOCK // max(1, a.itemsize))
    return all(_same(a[i : i + step], b[i : i + step]) for i in range(0, len(a), step))


def _same(a: np.ndarray, b: np.ndarray) -> bool:
    # Padding has no value: structures may have some, and extended floats do.
    if a.dtype.names is not None:
        return all(_same(a[name], b[name]) for name in a.dtype.names)
    if a.dtype.char in "gG":
        return bool(((a == b) | ((a != a) & (b != b))).all())
    return a.tobytes() == b.tobytes()


# ---- measuring -------------------------------------------------------------------------------------------------------


def _measure(side: Any, prepare: _Prepare, step: _Step, rounds: int) -> tuple[list[Any], dict[str, Any]]:
    """Run a step; return its results and its figures: the best time in seconds, the others from the last round."""
    best = float("inf")
    results: list[Any] = []
    start_address = grown = 0
    for _ in range(rounds):
        results = []  # frees those of the last round
        given = prepare(side)
        start_address = side.address(given[0])
        _trim()
        side.start()
        resident = _resident()
        start = time.perf_counter()
        results = step(side, given)
        best = min(best, time.perf_counter() - start)
        grown = _resident() - resident
    kept = sum(side.address(result) == start_address for result in results)
    address = "kept" if kept == len(results) else f"{kept} of {len(results)} kept" if kept else "new"
    return results, {
        "time": best,
        "copied": side.copied,
        "memory": grown,
        "address": address if results[0].size else "-",
    }


def _resident() -> int:
    """Return the bytes of the process's private memory: pages of mapped files can be dropped, and do not count."""
    try:
        with open("/proc/self/statm", "rb") as statm:
            _, resident, shared, *_ = statm.read().split()
    except OSError:
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024
    # To the system a base is a file, and thus shared.
    return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE") + _bases()


def _bases() -> int:
    """Return the bytes in bases, which copies by the page build on: each was copied once."""
    return cowarray.paging_memory()["bases"]


def _trim() -> None:
    """Return freed memory to the system if the C library can, so that growth is visible."""
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)


def _memory_available() -> int:
    """Return the bytes that may be used without swapping; enough for all steps if the system does not tell."""
    found = []
    try:
        with open("/proc/meminfo", encoding="ascii") as meminfo:
            found = [int(line.split()[1]) * 1024 for line in meminfo if line.startswith("MemAvailable:")]
        found.append(int(Path("/sys/fs/cgroup/memory.max").read_text()))
    except (OSError, ValueError):  # no such file; "max"
        pass
    return min(found, default=PEAK * LARGEST)


# ---- on the screen ---------------------------------------------------------------------------------------------------


class _Waiting:
    """A notice on stderr, once a second, of work that takes longer; with `part` raised from 0 to 1, how far it is."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.part = 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._tell, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._over.set()
        self._thread.join()

    def _tell(self) -> None:
        tty = sys.stderr.isatty()
        seconds = 0
        while not self._over.wait(1.0):
            seconds += 1
            text = f"{self.label}: {self.part:.0%}" if self.part else f"{self.label}: {seconds} s"
            if tty:
                sys.stderr.write(f"\r{text}   ")
                sys.stderr.flush()
            elif seconds == 1 or seconds % 10 == 0:
                print(text, file=sys.stderr, flush=True)
        if tty and seconds:
            sys.stderr.write("\r" + " " * (len(self.label) + 12) + "\r")
            sys.stderr.flush()


def _row(title: str, name: str, figures: dict[str, Any]) -> str:
    memory = figures["memory"]
    grown = show_bytes(0) if abs(memory) < 65536 else ("+" if memory > 0 else "-") + show_bytes(abs(memory))
    row = (
        f"{title:<33} {name:<8} {show_time(figures['time']):>9} {show_bytes(figures['copied']):>9} {grown:>10}  "
        f"{figures['address']}"
    )
    return _bold(row) if name == "cowarray" else row


def _short(text: object) -> str:
    text = str(text)
    return text if len(text) <= 60 else f"{text[:57]}..."


def show_bytes(count: int) -> str:
    """Format a number of bytes in about three digits: ``17.5 MB``."""
    size = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000 or unit == "GB":
            break
        size /= 1000
    return f"{count} B" if unit == "B" else f"{size:.1f} {unit}"


def show_time(seconds: float) -> str:
    """Format a time in about three digits: ``4.2 ms``."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= scale:
            return f"{seconds / scale:.1f} {unit}"
    return f"{seconds * 1e6:.1f} µs"


def _bold(text: str) -> str:
    return f"\x1b[1m{text}\x1b[0m" if sys.stdout.isatty() and "NO_COLOR" not in os.environ else text
