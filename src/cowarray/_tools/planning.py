"""``python -m cowarray plan``: how much memory a program would take and copy, without computing it."""

import functools
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import cowarray
from cowarray._modes.common.sizes import readable
from cowarray._modes.fake import unwritten
from cowarray._modes.fake.plan_report import answer, headline, table
from cowarray._modes.fake.refusals import latest
from cowarray._tools import planned_files, planned_shapes, reporting
from cowarray._tools.programs import ImportRule, Program
from cowarray._tools.reporting import cut, line_of
from cowarray._tools.stand_ins.modules import Site

__all__ = ["FORMAT", "Stop", "program", "run"]

FORMAT = "cowarray plan 1"


def program(
    target: str, arguments: Sequence[str] = (), *, module: bool = False, include: Sequence[str] = ()
) -> Program:
    """Return a program to plan: a `Program` for which files are only headers, and broadcasts only shapes.

    Parameters
    ----------
    target, arguments, module, include
        As in `Program`.

    Returns
    -------
    Program
    """
    return Program(target, arguments, module=module, include=include, replacing=_replaced)


def _replaced() -> dict[Any, Any]:
    return planned_files.replaced() | planned_shapes.replaced()


def run(
    program: Program,
    *,
    real: int = 4096,
    assume: str | None = None,
    limit: int | None = None,
    as_json: bool = False,
    output: str | os.PathLike[str] | None = None,
) -> int:
    """Run a program inside `fake`, and write the report.

    Parameters
    ----------
    program : Program
        Made by the function `program`.
    real : int
    assume : str, optional
        As in `fake`.
    limit : int, optional
        Bytes that the peak must not exceed.
    as_json : bool
        One line of JSON instead of text.
    output : path, optional
        A file for the report. Default: stderr.

    Returns
    -------
    int
        The program's exit status if that is not 0: 1 if it stopped at a value that a fake lacks, or at another
        exception. Else 1 if the peak is above the limit, 0 if not. 2 if the program cannot be run.

    Raises
    ------
    KeyboardInterrupt
        It ended the program.
    """
    started = os.path.join(os.getcwd(), "")
    stops: list[Stop] = []

    def failed(rule: ImportRule, error: BaseException) -> None:
        if not stops:
            stops.append(Stop(error, rule, _plans[0], real))

    def report(status: int, rule: ImportRule) -> tuple[str, int]:
        found = described(program, _plans[0], stops, rule.stand_ins.borrowed, real, limit, status)
        if as_json:
            return json.dumps(found, ensure_ascii=True) + "\n", found["exit_status"]
        return written_out(found, _plans[0], reporting.names(started)), found["exit_status"]

    def unused() -> list[str]:
        return [f"--assume {line}: nothing was asked there" for line in _plans[0]._ledger.assumptions.unasked]

    enter = functools.partial(_enter, real, assume)
    return reporting.run("plan", program, enter, report, output=output, failed=failed, unused=unused)


_plans: list[cowarray.fake] = []  # the plan of this process


def _enter(real: int, assume: str | None) -> None:
    cowarray.register()
    plan = cowarray.fake(real=real, assume=assume)
    plan.__enter__()
    _plans[:] = [plan]


class Stop:
    """The point where a program, or one of its threads, ended by an exception.

    The exception itself is not kept: its frames hold the program's arrays.

    Parameters
    ----------
    error : BaseException
    rule : ImportRule
        Tells which lines are the program's.
    plan : cowarray.fake
        In its state at that point.
    real : int
        Results of fewer bytes are computed.

    Attributes
    ----------
    site : Site
        The innermost line of the program.
    kind : str
        The class of the exception.
    message : str
    refused : dict or None
        If a fake was asked for a value: the operation, the reason, advice, and where the fake was made.
    options : list of str
        Options of the command that get past it.
    """

    def __init__(self, error: BaseException, rule: ImportRule, plan: cowarray.fake, real: int) -> None:
        refusal = _refusal_in(error) or _refusal_behind(error)
        self.site = _innermost(error if refusal is None else refusal, rule) or _innermost(error, rule)
        self.kind = type(error).__name__
        self.message = _shown(error)
        self.refused: dict[str, Any] | None = None
        if refusal is not None:
            self.refused = {
                "operation": refusal.operation,
                "reason": refusal.reason,
                "advice": refusal.advice,
                "made": refusal.site,
            }
        sample = _sample(plan.largest_bytes, real)
        if refusal is not None:
            self.options = _ways_past(refusal, rule, sample)
        else:
            self.options = _other_ways(error, plan, sample)


# As many bytes as are still computed quickly.
_MOST_COMPUTED = 256 << 20


def _sample(largest: int, real: int) -> list[str]:
    """Return the option that makes all arrays so far real; none if they are too large, or fake for another reason."""
    return [f"--sample {_rounded_up(largest)}"] if max(real, 1) <= largest < _MOST_COMPUTED else []


def _ways_past(refusal: cowarray.FakeError, rule: ImportRule, sample: list[str]) -> list[str]:
    """Return the command's options that get past a stop."""
    found = []
    if refusal.assumable:
        found.append(f"--assume {refusal.assumable} (or all)")
    package = _foreign_package(refusal, rule)
    if package:
        found.append(f"--include {package}")
    return found + sample


def _rounded_up(nbytes: int) -> str:
    """Return a size above a number of bytes, as the command takes it."""
    unit, name = (1 << 10, "KiB") if nbytes < 1 << 20 else (1 << 20, "MiB")
    return f"{nbytes // unit + 1}{name}"


def _other_ways(error: BaseException, plan: cowarray.fake, sample: list[str]) -> list[str]:
    """Return options that may get past the program's own exception: another answer than the last assumed one; or
    arrays with bytes, if the plan has not written some file, or if the exception mentions an array."""
    found = []
    if any(each in _shown(error) for each in ("cowarray.ndarray", "array(...")):
        found += [f"{each}, for an array without bytes was taken for a value" for each in sample]
    elif unwritten.any_kept():
        found += [f"{each}, for files of arrays without bytes are not written" for each in sample]
    if plan.latest_assumed is not None:
        site, what, answer = plan.latest_assumed
        # A user who interrupts a program may have waited for a loop to end.
        part = "0" if isinstance(error, KeyboardInterrupt) else "0.1"
        other = {"true": "false", "false": "true"}.get(answer, part if what == "masks" else "0")
        line = f"{os.path.basename(site.filename)}:{site.lineno}"
        if other != answer:
            found.append(f"--assume {line}={other}, for this is what was assumed last")
    return found


def _foreign_package(error: BaseException, rule: ImportRule) -> str | None:
    """Return the installed package that raised an exception; None for code of the program, NumPy and the library."""
    found = None
    trace = error.__traceback__
    while trace is not None:
        module = trace.tb_frame.f_globals.get("__name__") or ""
        name = module.partition(".")[0]
        if name not in ("numpy", "cowarray", *sys.stdlib_module_names) and os.sep in trace.tb_frame.f_code.co_filename:
            found = None if rule.covers(trace.tb_frame.f_globals, None) else name
        trace = trace.tb_next
    return found


def _shown(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # its `__str__` is the program's
        return "<cannot be shown>"


def _refusal_in(error: BaseException | None) -> cowarray.FakeError | None:
    """Return the first `FakeError` among an exception and those that led to it."""
    seen = set()
    found = None
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if isinstance(error, cowarray.FakeError):
            found = error
        error = error.__cause__ or error.__context__
    return found


def _refusal_behind(error: BaseException) -> cowarray.FakeError | None:
    """Return the last refusal if an instruction in the traceback caused it: C code then raised another error."""
    trace = error.__traceback__
    while trace is not None and not isinstance(error, (NameError, AttributeError, ImportError)):
        if latest.refused == (trace.tb_frame.f_code, trace.tb_lasti):
            return cowarray.FakeError(*latest.arguments).with_traceback(error.__traceback__)
        trace = trace.tb_next
    return None


def _innermost(error: BaseException, rule: ImportRule) -> cowarray.Site | None:
    """Return the innermost of the program's lines in a traceback, or None."""
    found = None
    trace = error.__traceback__
    while trace is not None:
        if rule.covers(trace.tb_frame.f_globals, None):
            found = cowarray.Site(trace.tb_frame.f_code.co_filename, trace.tb_lineno)
        trace = trace.tb_next
    return found


# ---- what it says ----------------------------------------------------------------------------------------------------


def described(
    program: Program,
    plan: cowarray.fake,
    stops: Sequence[Stop],
    borrowed: Mapping[str, Site],
    real: int,
    limit: int | None,
    status: int,
) -> dict[str, Any]:
    """Return the report as for JSON: see docs/fake.md.

    Parameters
    ----------
    program : Program
    plan : cowarray.fake
    stops : list of Stop
        The first, or none.
    borrowed : dict of str to Site
        NumPy's names that the library lacks.
    real : int
    limit : int or None
    status : int
        The program's exit status.

    Returns
    -------
    dict
    """
    is_above = limit is not None and plan.peak_bytes + plan.real_bytes > limit
    return reporting.head(FORMAT, program, status, status or int(is_above or bool(stops))) | {
        "real": real,
        "limit": limit,
        "peak_bytes": plan.peak_bytes,
        "peak_at": None if plan.peak_site is None else line_of(plan.peak_site),
        "live_bytes": plan.live_bytes,
        "bytes_copied": plan.bytes_copied,
        "real_bytes": plan.real_bytes,
        "lines": [
            line_of(line.site)
            | {"peak_bytes": line.peak_bytes, "live_bytes": line.live_bytes, "bytes_copied": line.bytes_copied}
            for line in plan.lines
        ],
        "assumed": [
            {"at": line_of(each.site), "what": each.what, "answer": each.answer, "times": each.times}
            for each in plan.assumed
        ],
        "stopped": _described_stop(stops[0]) if stops else None,
        "borrowed": [{"name": name, "used": line_of(site)} for name, site in sorted(borrowed.items())],
    }


def _described_stop(stop: Stop) -> dict[str, Any]:
    refused = stop.refused
    if refused is not None:
        refused = refused | {"made": None if refused["made"] is None else line_of(refused["made"])}
    at = None if stop.site is None else line_of(stop.site)
    return {
        "at": at,
        "exception": stop.kind,
        "message": stop.message,
        "needs_a_value": refused,
        "options": stop.options,
    }


def written_out(report: Mapping[str, Any], plan: cowarray.fake, place: Callable[[dict[str, Any]], str]) -> str:
    """Return the report as text.

    Parameters
    ----------
    report : dict
    plan : cowarray.fake
    place : callable
        Returns the name of a line of the report.

    Returns
    -------
    str
    """
    [name] = (report["program"][key] for key in ("script", "module") if key in report["program"])
    lines = [f"cowarray plan: {name}: {headline(plan)}"]
    if report["real_bytes"] * 100 > report["peak_bytes"]:
        lines.append(f"Arrays that were computed had up to {readable(report['real_bytes'])} beside these.")
    if report["limit"] is not None:
        lines.append(_judged(report))
    if report["stopped"] is not None:
        lines += ["", *_written_stop(report["stopped"], place)]
    if report["peak_at"] is not None:
        lines += ["", f"Peak at {_shown_line(report['peak_at'], place)}", ""]
        lines += table(plan.lines, lambda site: place(site._asdict()))
    if report["assumed"]:
        lines += ["", *_written_assumptions(report["assumed"], place)]
    if report["borrowed"]:
        lines += ["", "NumPy's own were used for names that cowarray lacks:"]
        lines += [f"  {each['name']} ({place(each['used'])})" for each in report["borrowed"]]
    return "\n".join(lines) + "\n"


def _judged(report: Mapping[str, Any]) -> str:
    """Say whether the peak is within the limit, as far as is known."""
    limit = readable(report["limit"])
    if report["peak_bytes"] > report["limit"]:
        return f"The peak is above the limit of {limit}."
    if report["peak_bytes"] + report["real_bytes"] > report["limit"]:
        return f"With the arrays that were computed, the peak may be above the limit of {limit}."
    if report["stopped"] is not None or report["program_status"]:
        return f"The program did not come to its end: nobody knows whether the peak is within the limit of {limit}."
    return f"The peak is within the limit of {limit}."


def _written_assumptions(assumed: Sequence[dict[str, Any]], place: Callable[[dict[str, Any]], str]) -> list[str]:
    lines = ["The plan holds for what was assumed:"]
    at = None
    for each in assumed:
        if each["at"] != at:
            at = each["at"]
            lines.append(f"  {_shown_line(at, place)}")
        lines.append(f"    {answer(each['what'], each['answer'], each['times'])}")
    return lines


def _shown_line(line: dict[str, Any], place: Callable[[dict[str, Any]], str]) -> str:
    return f"{place(line)}: {cut(line['code'])}" if line["code"] else place(line)


def _written_stop(stop: dict[str, Any], place: Callable[[dict[str, Any]], str]) -> list[str]:
    where = "in code that is not the program's" if stop["at"] is None else f"at {_shown_line(stop['at'], place)}"
    lines = [f"The program stopped {where}"]
    refused = stop["needs_a_value"]
    if refused is None:
        lines.append(f"  {stop['exception']}: {stop['message']}" if stop["message"] else f"  {stop['exception']}")
    else:
        lines.append(f"  {refused['operation']}: {refused['reason']}")
        if refused["made"] is not None:
            lines.append(f"  the array was made at {_shown_line(refused['made'], place)}")
        if refused["advice"]:
            lines.append(f"  instead: {refused['advice']}")
    lines += [f"  {'or' if i else 'to get past it'}: {option}" for i, option in enumerate(stop["options"])]
    return [*lines, "What follows is planned up to there."]
