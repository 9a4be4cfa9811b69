"""``python -m cowarray simulate``: a report on the lines of a program that relied on an alias."""

import functools
import json
import os
from collections.abc import Mapping
from typing import Any

import cowarray
from cowarray._tools import reporting
from cowarray._tools.programs import ImportRule, Program
from cowarray._tools.reporting import cut, line_of
from cowarray._tools.stand_ins.modules import Site

__all__ = ["FORMAT", "run"]

FORMAT = "cowarray simulate 1"

_VIEW = "use `{}`, or write to the base"
_MENDS = {
    "reshape": _VIEW.format("reshape(..., copy=False)"),
    "ravel": _VIEW.format("reshape(-1, copy=False)"),
    "atleast_1d": _VIEW.format("reshape(..., copy=False)"),
    "atleast_2d": _VIEW.format("reshape(..., copy=False)"),
    "atleast_3d": _VIEW.format("reshape(..., copy=False)"),
    "real_if_close": _VIEW.format("x.real"),
    "trim_zeros": _VIEW.format("x[first:last]"),
    "diag": "use `fill_diagonal`, or write to the base",
    "array": _VIEW.format("asarray"),
    "asanyarray": _VIEW.format("asarray"),
    "ascontiguousarray": _VIEW.format("asarray"),
    "asfortranarray": _VIEW.format("asarray"),
    "require": _VIEW.format("asarray"),
    "export": "export it after the write, or inside `cowarray.lend` or `cowarray.aliasing`",
}


def run(
    program: Program,
    *,
    error: bool = False,
    exact: bool = False,
    as_json: bool = False,
    output: str | os.PathLike[str] | None = None,
) -> int:
    """Run a program inside `simulate`, and write the report.

    Parameters
    ----------
    program : cowarray._tools.programs.Program
    error, exact : bool
        As in `simulate`.
    as_json : bool
        One line of JSON instead of text.
    output : path, optional
        A file for the report. Default: stderr.

    Returns
    -------
    int
        The program's exit status if that is not 0. Else 1 if something relied on an alias, 0 if nothing did. 2 if the
        program cannot be run.

    Raises
    ------
    KeyboardInterrupt
        It ended the program.
    """
    started = os.path.join(os.getcwd(), "")

    def report(status: int, rule: ImportRule) -> tuple[str, int]:
        found = described(program, _found[0], rule.stand_ins.borrowed, exact, status)
        text = json.dumps(found, ensure_ascii=True) + "\n" if as_json else written_out(found, started)
        return text, found["exit_status"]

    return reporting.run("simulate", program, functools.partial(_enter, error, exact), report, output=output)


_found: list[cowarray.simulate] = []  # the simulation of this process


def _enter(error: bool, exact: bool) -> None:
    cowarray.register()
    found = cowarray.simulate(error=error, exact=exact)
    found._warns = False
    found.__enter__()
    _found[:] = [found]


# ---- what it says ----------------------------------------------------------------------------------------------------


def described(
    program: Program, found: cowarray.simulate, borrowed: Mapping[str, Site], exact: bool, status: int
) -> dict[str, Any]:
    """Return the report as for JSON: see docs/moving.md.

    Parameters
    ----------
    program : cowarray._tools.programs.Program
    found : cowarray.simulate
    borrowed : dict of str to Site
        NumPy's names that the library lacks.
    exact : bool
    status : int
        The program's exit status.

    Returns
    -------
    dict
    """
    divergences = sorted(found, key=lambda each: (each.accessed, each.written, each.made, each.operation))
    return reporting.head(FORMAT, program, status, status or int(bool(divergences))) | {
        "exact": exact,
        "would_be_copies": {
            "watched": found.watched,
            "relied_upon": found.relied_upon,
            "never_written": found.never_written,
        },
        "divergences": [
            {
                "kind": each.kind,
                "operation": each.operation,
                "copied_by": each.copied_by,
                "nbytes": each.nbytes,
                "times": each.times,
                "differed": each.differed,
                "made": line_of(each.made),
                "written": line_of(each.written),
                "accessed": line_of(each.accessed),
                "mend": mend(each.copied_by),
            }
            for each in divergences
        ],
        "borrowed": [{"name": name, "used": line_of(site)} for name, site in sorted(borrowed.items())],
    }


def mend(copied_by: str) -> str:
    """Return advice on what to write instead.

    Parameters
    ----------
    copied_by : str
        The operation that copies.

    Returns
    -------
    str
    """
    return _MENDS.get(copied_by.rpartition(".")[2], "write to the base, or take the copy after the write")


_MOST = 8  # accesses that the text shows for one write

_DETAILS = {
    "read": "{}",
    "write": "{}, in place",
    "left the library": "{}, written outside the library",
    "read outside": "{}, for whoever reads there",
}


def written_out(report: Mapping[str, Any], folder: str) -> str:
    """Return the report as text: for each write, the accesses that saw it.

    Parameters
    ----------
    report : dict
    folder : str
        Files below it are named relative to it, installed files relative to their site-packages; it ends with a
        separator.

    Returns
    -------
    str
    """

    place = reporting.names(folder)
    [name] = (report["program"][key] for key in ("script", "module") if key in report["program"])
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for each in report["divergences"]:
        written, made = each["written"], each["made"]
        key = written["filename"], written["lineno"], made["filename"], made["lineno"], each["kind"]
        groups.setdefault(key, []).append(each)
    lines = [f"cowarray simulate: {name}: {_headline(len(report['divergences']), len(groups))}", ""]
    for number, (_, group) in enumerate(sorted(groups.items()), 1):
        first = group[0]
        shown = [("made", first["made"], ""), ("written", first["written"], "")]
        shown += [("accessed", each["accessed"], _details(each)) for each in group[:_MOST]]
        width = max(len(place(line)) for _, line, _ in shown)
        lines.append(f"{number}. {place(first['written'])}: seen through an alias that {first['copied_by']} made")
        lines += [
            f"     {step:<8}  {place(line):<{width}}  {cut(line['code'])}{note}".rstrip() for step, line, note in shown
        ]
        if len(group) > _MOST:
            lines.append(f"     and {len(group) - _MOST} more, which --json lists")
        lines += [f"   In cowarray that is a copy: {first['mend']}.", ""]
    copies = report["would_be_copies"]
    lines.append(
        f"Would-be copies: {copies['watched']} watched, {copies['relied_upon']} relied upon, "
        f"{copies['never_written']} never written to."
    )
    if report["borrowed"]:
        lines.append("NumPy's own were used for names that cowarray lacks:")
        lines += [f"  {each['name']} ({place(each['used'])})" for each in report["borrowed"]]
    return "\n".join(lines) + "\n"


def _headline(accesses: int, writes: int) -> str:
    if not accesses:
        return "no access relied on an alias"
    return (
        f"{accesses} {'access sees' if accesses == 1 else 'accesses see'} through an alias what "
        f"{writes} {'line' if writes == 1 else 'lines'} wrote"
    )


def _details(divergence: Mapping[str, Any]) -> str:
    """Describe an access, in brackets."""
    size = f"{divergence['nbytes']} byte{'s' * (divergence['nbytes'] != 1)}"
    notes = [_DETAILS[divergence["kind"]].format(size)]
    if divergence["times"] > 1:
        notes.append(f"{divergence['times']} times")
    if divergence["differed"] is not None:
        notes.append("a copy had other values" if divergence["differed"] else "a copy had equal values")
    return f"  [{divergence['operation']}: {', '.join(notes)}]"
