"""The log of a run under a memory budget: one JSON object per line, as DTR's own tools write and read it.

The format is that of Kirisame et al., "Dynamic Tensor Rematerialization" (2021): keys in alphabetical order, no spaces,
sizes and times as text. Simulators of their logs can read these.

One file, because writer and reader share one format.
"""

import json
import os
import threading
import weakref
from collections.abc import Iterable, Iterator, Sequence
from json.encoder import encode_basestring_ascii as quoted
from typing import Any, NamedTuple, Self, TypeAlias

from cowarray._modes.common.held_file import HeldFile

__all__ = [
    "Annotate",
    "Call",
    "Constant",
    "Copy",
    "CopyFrom",
    "Mutate",
    "Pin",
    "Release",
    "Result",
    "RunLog",
    "read_log",
]

START = "START"


# ---- what a log says -------------------------------------------------------------------------------------------------


class Constant(NamedTuple):
    """An array from outside, which cannot be remade."""

    name: str
    nbytes: int


class Result(NamedTuple):
    """A result of an operation. `alias`: the index of the argument whose bytes it shares; -1 if it has its own."""

    name: str
    nbytes: int
    alias: int


class Call(NamedTuple):
    """An operation that gave new arrays. `time`: nanoseconds."""

    operation: str
    results: tuple[Result, ...]
    args: tuple[str, ...]
    time: int


class Mutate(NamedTuple):
    """An operation in place. `written`: the indices of the arguments that it wrote to."""

    operation: str
    args: tuple[str, ...]
    written: tuple[int, ...]
    time: int


class Copy(NamedTuple):
    """A new name for an array."""

    to: str
    source: str


class CopyFrom(NamedTuple):
    """A name that now means another array."""

    to: str
    source: str


class Release(NamedTuple):
    """A name that nobody uses any more."""

    name: str


class Pin(NamedTuple):
    """An array that must not be evicted from here on."""

    name: str


class Annotate(NamedTuple):
    """A remark. The run itself begins after START."""

    text: str


Record: TypeAlias = Constant | Call | Mutate | Copy | CopyFrom | Release | Pin | Annotate


# ---- writing ---------------------------------------------------------------------------------------------------------


class RunLog:
    """A writer of a run's log.

    Lines are buffered. A log that cannot be written, on a full disk or because the program has closed its descriptor,
    does not disturb the program: nothing more is written, and `close` raises the error. A forked child writes nothing.

    Parameters
    ----------
    path : path
        A file, which is created or emptied.

    Examples
    --------
    >>> from cowarray._modes.budget.run_log import RunLog, read_log
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "run.log")
    >>> with RunLog(path) as log:
    ...     log.constant("x", 800)
    ...     log.call("sin", [("y", 800, -1)], ["x"], 5000)
    >>> [record for _, record in read_log(path)][2]
    Call(operation='sin', results=(Result(name='y', nbytes=800, alias=-1),), args=('x',), time=5000)
    """

    LEAST = 1 << 16  # characters, below which lines are buffered

    def __init__(self, path: str | os.PathLike[str]) -> None:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
        self._lines = _Lines(HeldFile(file))
        self._put = self._lines.put
        # Runs at exit as well, if nobody has closed the log by then.
        self._finish = weakref.finalize(self, self._lines.finish)
        self.annotate(START)

    def constant(self, name: str, nbytes: int) -> None:
        """Log an array from outside."""
        name = quoted(name)
        self._put(f'{{"INSTRUCTION":"CONSTANT","NAME":{name}}}\n{_memory(name, nbytes)}')

    def call(self, operation: str, results: Sequence[tuple[str, int, int]], args: Sequence[str], time_ns: int) -> None:
        """Log an operation that gave new arrays.

        Parameters
        ----------
        operation : str
        results : sequence of (str, int, int)
            Name, bytes, and the index of the argument whose bytes it has, or -1.
        args : sequence of str
        time_ns : int
        """
        names = [quoted(name) for name, _, _ in results]
        lines = [
            f'{{"ARGS":{_list(args)},"INSTRUCTION":"CALL","NAME":{quoted(operation)},'
            f'"RESULT":[{",".join(names)}],"TIME":"{time_ns:d}"}}\n'
        ]
        for name, (_, nbytes, alias) in zip(names, results, strict=True):
            lines.append(f'{_memory(name, nbytes)}{{"ALIAS":"{alias:d}","INSTRUCTION":"ALIAS","NAME":{name}}}\n')
        self._put("".join(lines))

    def mutate(self, operation: str, args: Sequence[str], written: Sequence[int], time_ns: int) -> None:
        """Log an operation in place.

        Parameters
        ----------
        operation : str
        args : sequence of str
        written : sequence of int
            The indices of the arguments that it wrote to.
        time_ns : int
        """
        indices = ",".join([f"{index:d}" for index in written])
        self._put(
            f'{{"ARGS":{_list(args)},"INSTRUCTION":"MUTATE","MUTATE":[{indices}],"NAME":{quoted(operation)},'
            f'"TIME":"{time_ns:d}"}}\n'
        )

    def copy(self, to: str, source: str) -> None:
        """Log a new name for an array."""
        self._put(f'{{"DST":{quoted(to)},"INSTRUCTION":"COPY","SRC":{quoted(source)}}}\n')

    def copy_from(self, to: str, source: str) -> None:
        """Log that a name now means another array."""
        self._put(f'{{"DST":{quoted(to)},"INSTRUCTION":"COPY_FROM","SRC":{quoted(source)}}}\n')

    def release(self, name: str) -> None:
        """Log that nobody uses a name any more."""
        self._put(f'{{"INSTRUCTION":"RELEASE","NAME":{quoted(name)}}}\n')

    def pin(self, name: str) -> None:
        """Log that an array must not be evicted from here on."""
        self._put(f'{{"INSTRUCTION":"PIN","NAME":{quoted(name)}}}\n')

    def annotate(self, text: str) -> None:
        """Log a remark."""
        self._put(f'{{"ANNOTATION":{quoted(text)},"INSTRUCTION":"ANNOTATE"}}\n')

    def close(self) -> None:
        """Write buffered lines, and close the file.

        Raises
        ------
        OSError
            Something could not be written, now or before.
        """
        self._finish()
        if self._lines.error is not None:
            error, self._lines.error = self._lines.error, None
            raise error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class _Lines:
    """Lines to be written. They may outlive the log: the rest is written at exit."""

    def __init__(self, file: HeldFile) -> None:
        self.file: HeldFile | None = file
        self.process = os.getpid()
        self.lock = threading.Lock()
        self.waiting: list[str] = []
        self.length = 0
        self.error: OSError | None = None

    def put(self, text: str) -> None:
        if self.file is None or os.getpid() != self.process:
            return
        with self.lock:
            self.waiting.append(text)
            self.length += len(text)
            if self.length >= RunLog.LEAST:
                self.flush()

    def flush(self) -> None:
        text = "".join(self.waiting).encode("ascii")
        self.waiting.clear()
        self.length = 0
        if self.file is None or self.error is not None:
            return
        try:
            while text:
                text = text[os.write(self.file.number(), text) :]
        except OSError as error:
            self.error = error

    def finish(self) -> None:
        if os.getpid() != self.process:
            return
        with self.lock:
            if self.file is None:
                return
            self.flush()
            file, self.file = self.file, None
            try:
                file.close()
            except OSError as error:
                self.error = self.error or error


def _list(names: Iterable[str]) -> str:
    return "[" + ",".join(map(quoted, names)) + "]"


def _memory(name: str, nbytes: int) -> str:
    return f'{{"INSTRUCTION":"MEMORY","MEMORY":"{nbytes:d}","NAME":{name}}}\n'


# ---- reading ---------------------------------------------------------------------------------------------------------

_KEYS = {
    "ALIAS": {"ALIAS", "NAME"},
    "ANNOTATE": {"ANNOTATION"},
    "CALL": {"ARGS", "NAME", "RESULT", "TIME"},
    "CONSTANT": {"NAME"},
    "COPY": {"DST", "SRC"},
    "COPY_FROM": {"DST", "SRC"},
    "MEMORY": {"MEMORY", "NAME"},
    "MUTATE": {"ARGS", "MUTATE", "NAME", "TIME"},
    "PIN": {"NAME"},
    "RELEASE": {"NAME"},
}
_DIGITS = frozenset("0123456789")
_MOST = 2**63 - 1  # bytes, or nanoseconds: some centuries
_RENAMED: dict[str, type[Copy | CopyFrom]] = {"COPY": Copy, "COPY_FROM": CopyFrom}
_NAMED: dict[str, type[Pin | Release]] = {"PIN": Pin, "RELEASE": Release}


def read_log(path: str | os.PathLike[str]) -> Iterator[tuple[int, Record]]:
    """Read a log that was written by this library or by DTR's own tools.

    Parameters
    ----------
    path : path

    Yields
    ------
    (int, record)
        The number of a line, and its record; lines of sizes and aliases belong to the record before them.

    Raises
    ------
    ValueError
        A line is not of this format, or the log ends in the middle. The error names path, line and reason.
    OSError
        The file cannot be read.
    """
    with open(path, "rb") as file:
        lines = enumerate(file, 1)
        line = 0
        try:
            for line, text in lines:
                yield line, _record(_parsed(text), lines)
        except _FormatError as error:
            raise ValueError(f"{os.fspath(path)}, line {error.line or line}: {error}") from None


class _FormatError(Exception):
    line: int | None = None


def _parsed(text: bytes) -> dict[str, Any]:
    """Parse one line, and check the types of its values. An error says in one line of text what is wrong."""
    shown = repr(text.rstrip(b"\n")) if len(text) <= 80 else f"{text[:60]!r} ..."
    try:
        found = json.loads(text.decode())
    except (ValueError, RecursionError):
        cut = "" if text.endswith(b"\n") else ", and the log ends in the middle of it"
        raise _FormatError(f"it is no JSON{cut}: {shown}") from None
    if type(found) is not dict or type(found.get("INSTRUCTION")) is not str:
        raise _FormatError(f"it has no INSTRUCTION: {shown}")
    keys = _KEYS.get(found["INSTRUCTION"])
    if keys is None:
        raise _FormatError(f"an unknown INSTRUCTION: {shown}")
    if found.keys() != keys | {"INSTRUCTION"}:
        raise _FormatError(f"{found['INSTRUCTION']} has the keys {', '.join(sorted(keys))}: {shown}")
    for key in keys:
        if not _is_right(key, found[key]):
            raise _FormatError(f"{key} cannot be {found[key]!r:.60}")
    return found


def _is_right(key: str, value: Any) -> bool:
    if key in ("ARGS", "RESULT"):
        return type(value) is list and all(type(each) is str for each in value)
    if key == "MUTATE":
        return type(value) is list and all(type(each) is int for each in value)
    if key in ("MEMORY", "TIME", "ALIAS"):
        if key == "ALIAS" and value == "-1":
            return True
        is_number = type(value) is str and 0 < len(value) < 20 and _DIGITS.issuperset(value)
        return is_number and int(value) <= _MOST
    return type(value) is str


def _record(found: dict[str, Any], lines: Iterator[tuple[int, bytes]]) -> Record:
    """Return the record that begins with a line; the next lines may belong to it."""
    kind = found["INSTRUCTION"]
    if kind in _NAMED:
        return _NAMED[kind](found["NAME"])
    if kind in _RENAMED:
        return _RENAMED[kind](found["DST"], found["SRC"])
    if kind == "ANNOTATE":
        return Annotate(found["ANNOTATION"])
    if kind == "CONSTANT":
        return Constant(found["NAME"], int(_expected("MEMORY", found["NAME"], lines)["MEMORY"]))
    if kind == "MUTATE":
        return _mutation(found)
    if kind == "CALL":
        return _call(found, lines)
    raise _FormatError(f"{kind} of {found['NAME']!r} belongs to no line before it")


def _mutation(found: dict[str, Any]) -> Mutate:
    written = found["MUTATE"]
    if len(set(written)) != len(written) or not all(0 <= index < len(found["ARGS"]) for index in written):
        raise _FormatError(f"MUTATE has indices of ARGS, each once: {written} of {len(found['ARGS'])}")
    return Mutate(found["NAME"], tuple(found["ARGS"]), tuple(written), int(found["TIME"]))


def _call(found: dict[str, Any], lines: Iterator[tuple[int, bytes]]) -> Call:
    results = []
    for name in found["RESULT"]:
        nbytes = int(_expected("MEMORY", name, lines)["MEMORY"])
        alias = int(_expected("ALIAS", name, lines)["ALIAS"])
        if alias >= len(found["ARGS"]):
            raise _FormatError(f"{name!r} is an alias of argument {alias} of {len(found['ARGS'])}")
        results.append(Result(name, nbytes, alias))
    return Call(found["NAME"], tuple(results), tuple(found["ARGS"]), int(found["TIME"]))


def _expected(kind: str, name: str, lines: Iterator[tuple[int, bytes]]) -> dict[str, Any]:
    """Return the next line, which must have this kind and name."""
    line, text = next(lines, (None, None))
    if text is None:
        raise _FormatError(f"the log ends where {kind} of {name!r} should follow")
    try:
        found = _parsed(text)
        if found["INSTRUCTION"] != kind or found["NAME"] != name:
            raise _FormatError(f"{kind} of {name!r} should be here, not {found['INSTRUCTION']}")
    except _FormatError as error:
        error.line = line
        raise
    return found
