"""Running a program for a report on it, which the first process writes once, after the program ends.

The report goes to the stderr with which the command began, or to a file; the program's own output is untouched.
"""

import contextlib
import linecache
import os
import platform
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import cowarray
from cowarray._modes.common.held_file import HeldFile
from cowarray._tools import programs
from cowarray._tools.programs import ImportRule, Program
from cowarray._tools.stand_ins.modules import Site

__all__ = ["cut", "head", "line_of", "names", "run", "unused_packages"]


def run(
    command: str,
    program: Program,
    enter: Callable[[], object],
    report: Callable[[int, ImportRule], tuple[str, int]],
    *,
    output: str | os.PathLike[str] | None = None,
    failed: Callable[[ImportRule, BaseException], object] | None = None,
    unused: Callable[[], list[str]] = list,
) -> int:
    """Run a program, and write the report.

    Before the report, stderr lists options that had no effect: the name of a package may be misspelt.

    Parameters
    ----------
    command : str
        The command's name, for messages on stderr.
    program : cowarray._tools.programs.Program
    enter : callable
        As in `programs.run`.
    report : callable
        Called with the program's exit status and its `ImportRule`; returns the text and the status to exit with.
    output : path, optional
        A file for the report. Default: stderr.
    failed : callable, optional
        As in `programs.run`.
    unused : callable, optional
        Called without arguments at the end; returns remarks on other options that had no effect.

    Returns
    -------
    int
        The status to exit with; 2 if the program cannot be run, or the report cannot be written and the program's is 0.

    Raises
    ------
    KeyboardInterrupt
        It ended the program.
    """
    try:
        stderr = _Stderr()
        place = _File(output) if output is not None else stderr
    except (OSError, ValueError) as failure:
        return _refuse(command, f"cannot write to {output!r}: {getattr(failure, 'strerror', None) or failure}")

    def finish(status: int, rule: ImportRule) -> int:
        text, exit_status = report(status, rule)
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):  # closed, or None; Python reports at its end what cannot be written
                stream.flush()
        stderr.write("".join(f"{command}: {remark}\n" for remark in [*unused_packages(program), *unused()]))
        try:
            place.write(text)
        except OSError as failure:
            refused = _refuse(command, f"cannot write to {output!r}: {failure.strerror}")
            return status or refused
        return exit_status

    try:
        return programs.run(program, enter, finish, failed)
    except programs.CannotRun as failure:
        return _refuse(command, str(failure))


def unused_packages(program: Program) -> list[str]:
    """Return a remark on each package that was named but not imported.

    Parameters
    ----------
    program : cowarray._tools.programs.Program

    Returns
    -------
    list of str
    """
    return [f"--include {package}: no such package was imported" for package in program.not_imported()]


def _refuse(command: str, text: str) -> int:
    with contextlib.suppress(Exception):
        print(f"{command}: {text}", file=sys.stderr)
    return 2


class _File:
    """A file for the report. It is emptied at once, so it never holds another run's report."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.path.abspath(path)
        with open(self.path, "w"):
            pass

    def write(self, text: str) -> None:
        with open(self.path, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)


class _Stderr:
    """The first stderr, even after the program has closed it."""

    def __init__(self) -> None:
        self._held: HeldFile | None = None
        with contextlib.suppress(OSError):
            self._held = HeldFile(os.dup(2), is_shared=True)

    def write(self, text: str) -> None:
        data = text.encode("utf-8", "backslashreplace")
        with contextlib.suppress(OSError):  # if no reader is left, the exit status still tells
            while data and self._held is not None:
                data = data[os.write(self._held.number(), data) :]


# ---- what reports have in common -------------------------------------------------------------------------------------


def head(form: str, program: Program, status: int, exit_status: int) -> dict[str, Any]:
    """Return the entries with which a report as JSON begins.

    Parameters
    ----------
    form : str
        Name and number of the report's format.
    program : cowarray._tools.programs.Program
    status, exit_status : int
        The program's status, and the command's.

    Returns
    -------
    dict
    """
    return {
        "format": form,
        "versions": {"cowarray": cowarray.__version__, "numpy": np.__version__, "python": platform.python_version()},
        "program": {"module" if program.module else "script": program.target, "arguments": program.arguments},
        "program_status": status,
        "exit_status": exit_status,
    }


def line_of(site: cowarray.Site | Site) -> dict[str, Any]:
    """Return a line of the program as for JSON, with its text."""
    return {
        "filename": site.filename,
        "lineno": site.lineno,
        "code": linecache.getline(site.filename, site.lineno).strip(),
    }


def names(folder: str) -> Callable[[dict[str, Any]], str]:
    """Return a function that names, in text, a line as in JSON.

    Parameters
    ----------
    folder : str
        Files below it are named relative to it, installed files relative to their site-packages; it ends with a
        separator.

    Returns
    -------
    callable
    """

    def name(line: dict[str, Any]) -> str:
        name = line["filename"]
        name = name.rpartition(f"{os.sep}site-packages{os.sep}")[2].removeprefix(folder)
        return f"{name}:{line['lineno']}"

    return name


def cut(code: str) -> str:
    """Return the text of a line, cut if it is long."""
    return code if len(code) <= 60 else f"{code[:57]}..."
