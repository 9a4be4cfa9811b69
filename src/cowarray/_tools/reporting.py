"""Running a program for a report on it, which is written once, by the process that began, after the program has ended.

The report goes to where stderr led when the command began, or to a file; the program's own output is left alone.
"""

import contextlib
import linecache
import os
import platform
import sys

import numpy as np

import cowarray
from cowarray._tools import programs

__all__ = ["cut", "head", "line_of", "names", "run"]


def run(command, program, enter, report, *, output=None, failed=None):
    """Run a program, and write the report.

    Parameters
    ----------
    command : str
        Its name, for what is said on stderr.
    program : cowarray._tools.programs.Program
    enter : callable
        As in `programs.run`.
    report : callable
        Called with the program's exit status and its `ImportRule`; gives the text and the status to exit with.
    output : path, optional
        A file for the report. Default: stderr.
    failed : callable, optional
        As in `programs.run`.

    Returns
    -------
    int
        The status to exit with; 2 if the program cannot be run, or the report not written.

    Raises
    ------
    KeyboardInterrupt
        It ended the program.
    """
    try:
        place = _File(output) if output is not None else _Stderr()
    except (OSError, ValueError) as failure:
        return _refuse(command, f"cannot write to {output!r}: {getattr(failure, 'strerror', None) or failure}")

    def finish(status, rule):
        text, exit_status = report(status, rule)
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):  # closed, or none; Python says at its end what cannot be written
                stream.flush()
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


def _refuse(command, text):
    with contextlib.suppress(Exception):
        print(f"{command}: {text}", file=sys.stderr)
    return 2


class _File:
    """A file that the report goes to. It is emptied at once: what is in it afterwards is this run's."""

    def __init__(self, path):
        self.path = os.path.abspath(path)
        with open(self.path, "w"):
            pass

    def write(self, text):
        with open(self.path, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)


class _Stderr:
    """Where stderr led at first, also if the program closes it."""

    def __init__(self):
        self.number = None
        with contextlib.suppress(OSError):
            self.number = os.dup(2)
            self.identity = self._identify()

    def _identify(self):
        status = os.fstat(self.number)
        return status.st_dev, status.st_ino, status.st_mode

    def write(self, text):
        data = text.encode("utf-8", "backslashreplace")
        with contextlib.suppress(OSError):  # nobody reads it: the exit status still tells
            # A program may close all files and open its own: the number may be that of another by now.
            if self.number is not None and self._identify() == self.identity:
                while data:
                    data = data[os.write(self.number, data) :]


# ---- what reports have in common -------------------------------------------------------------------------------------


def head(form, program, status, exit_status):
    """What a report as JSON begins with.

    Parameters
    ----------
    form : str
        Name and number of the report's format.
    program : cowarray._tools.programs.Program
    status, exit_status : int
        The program's, and the command's.

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


def line_of(site):
    """A line of the program as JSON has it, with its text."""
    return {
        "filename": site.filename,
        "lineno": site.lineno,
        "code": linecache.getline(site.filename, site.lineno).strip(),
    }


def names(folder):
    """What names a line, as JSON has it, in a text: a function.

    Parameters
    ----------
    folder : str
        Files below it are named relative to it, and installed ones relative to where they are installed; it ends with
        a separator.

    Returns
    -------
    callable
    """

    def name(line):
        name = line["filename"]
        name = name.rpartition(f"{os.sep}site-packages{os.sep}")[2].removeprefix(folder)
        return f"{name}:{line['lineno']}"

    return name


def cut(code):
    """The text of a line, of which much is left away if it is long."""
    return code if len(code) <= 60 else f"{code[:57]}..."
