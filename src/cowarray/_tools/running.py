"""``python -m cowarray run``: a program that was written for NumPy, run on this library's arrays."""

import contextlib
import functools
import json
import os
import resource
import sys
from collections.abc import Mapping
from typing import Any

import cowarray
from cowarray._tools import programs, reporting
from cowarray._tools.programs import ImportRule, Program

__all__ = ["FORMAT", "run"]

FORMAT = "cowarray run 1"

_MOST = 3  # lines that the text shows


def run(
    program: Program,
    *,
    aliasing: bool = False,
    paging: str | None = None,
    report: bool = False,
    as_json: bool = False,
    output: str | os.PathLike[str] | None = None,
) -> int:
    """Run a program, and report on it if `report` is set.

    Parameters
    ----------
    program : cowarray._tools.programs.Program
    aliasing : bool
        Whether arrays alias as NumPy's do, in the whole process.
    paging : str, optional
        As in `cowarray.paging`.
    report : bool
        Whether to report at the end what was copied.
    as_json : bool
        One line of JSON instead of text.
    output : path, optional
        A file for the report. Default: stderr.

    Returns
    -------
    int
        The program's exit status; 2 if it cannot be run.

    Raises
    ------
    KeyboardInterrupt
        It ended the program.
    """
    enter = functools.partial(_enter, aliasing, paging, report)

    def finish(status: int, _: ImportRule) -> int:
        for remark in reporting.unused_packages(program):
            with contextlib.suppress(Exception):  # closed, or none
                sys.stderr.write(f"run: {remark}\n")  # if stderr is None, print would use stdout
                sys.stderr.flush()
        return status

    if not report:
        try:
            return programs.run(program, enter, finish)
        except programs.CannotRun as failure:
            print(f"run: {failure}", file=sys.stderr)
            return 2
    started = os.path.join(os.getcwd(), "")

    def told(status: int, _: ImportRule) -> tuple[str, int]:
        found = described(program, _trace[0], status)
        return json.dumps(found) + "\n" if as_json else written_out(found, started), status

    return reporting.run("run", program, enter, told, output=output)


_trace: list[cowarray.trace] = []  # this process's


def _enter(aliasing: bool, paging: str | None, report: bool) -> None:
    if paging is not None:
        cowarray.paging(paging)
    cowarray.register()
    if aliasing:
        cowarray.aliasing.start()
    if report:
        found = cowarray.trace()
        found.__enter__()
        _trace[:] = [found]


# ---- what it says ----------------------------------------------------------------------------------------------------


def described(program: Program, found: cowarray.trace, status: int) -> dict[str, Any]:
    """Return the report as for JSON: see docs/moving.md.

    Parameters
    ----------
    program : cowarray._tools.programs.Program
    found : cowarray.trace
    status : int
        The program's exit status.

    Returns
    -------
    dict
    """
    lines: dict[tuple[str, int], list[int]] = {}
    lost: dict[tuple[str, int], int] = {}
    for event in found:
        place = event.filename, event.lineno
        if event.nbytes:
            line = lines.setdefault(place, [0, 0])
            line[0] += 1
            line[1] += event.nbytes
        elif event.kind == "lost write":
            lost[place] = lost.get(place, 0) + 1
    copied = sum(nbytes for _, nbytes in lines.values())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return reporting.head(FORMAT, program, status, status) | {
        "lazy_copies": found.lazy_copies,
        "lazy_nbytes": found.lazy_nbytes,
        "copied_nbytes": copied,
        "peak_resident_nbytes": peak,
        "lines": [
            {"line": reporting.line_of(cowarray.Site(*place)), "copies": copies, "nbytes": nbytes}
            for place, (copies, nbytes) in sorted(lines.items(), key=lambda item: (-item[1][1], item[0]))
        ],
        "lost_writes": [
            {"line": reporting.line_of(cowarray.Site(*place)), "times": times}
            for place, times in sorted(lost.items(), key=lambda item: (-item[1], item[0]))
        ],
    }


def written_out(report: Mapping[str, Any], folder: str) -> str:
    """Return the report as text.

    Parameters
    ----------
    report : dict
    folder : str
        Files below it are named relative to it; it ends with a separator.

    Returns
    -------
    str
    """
    place = reporting.names(folder)
    [name] = (report["program"][key] for key in ("script", "module") if key in report["program"])
    lines = [
        f"cowarray run: {name}: {_counted(report['lazy_copies'], 'copy', 'copies')} of {report['lazy_nbytes']:,} bytes "
        f"{'was' if report['lazy_copies'] == 1 else 'were'} lazy; {report['copied_nbytes']:,} bytes were copied",
        f"Peak resident memory: {report['peak_resident_nbytes']:,} bytes.",
    ]
    if report["lines"]:
        lines.append("Most was copied by")
        lines += [
            f"  {place(each['line'])}  {reporting.cut(each['line']['code'])}"
            f"  [{_counted(each['copies'], 'time', 'times')}, {each['nbytes']:,} bytes]"
            for each in report["lines"][:_MOST]
        ]
    if report["lost_writes"]:
        lines.append("Written to a copy that nobody has read: with NumPy it may be a view (--aliasing)")
        lines += [
            f"  {place(line)}  {reporting.cut(line['code'])}  [{_counted(times, 'time', 'times')}]"
            for line, times in [(each["line"], each["times"]) for each in report["lost_writes"][:_MOST]]
        ]
    return "\n".join(lines) + "\n"


def _counted(number: int, one: str, several: str) -> str:
    return f"{number:,} {one if number == 1 else several}"
