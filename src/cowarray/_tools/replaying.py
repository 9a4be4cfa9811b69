"""``python -m cowarray replay``: the cost of a logged run under other budgets and heuristics."""

import json
import os
import sys
from collections.abc import Sequence
from typing import Any, Literal

from cowarray._modes.budget.replaying import Replayed, replay
from cowarray._modes.budget.run_log import read_log
from cowarray._modes.common.sizes import readable

__all__ = ["FORMAT", "run"]

FORMAT = "cowarray replay 1"


def run(
    path: str | os.PathLike[str],
    budgets: Sequence[int],
    heuristics: Sequence[str] = ("dtr",),
    *,
    small: int = 0,
    sample: bool = False,
    seed: int = 0,
    remat_limit: float = 100.0,
    end: Literal["remake", "keep"] = "remake",
    as_json: bool = False,
) -> int:
    """Replay a log once for each budget and heuristic, and print what it would have cost.

    Parameters
    ----------
    path : path
    budgets : sequence of int
        Bytes.
    heuristics : sequence of str
    small, sample, seed, remat_limit, end
        As in `replay`.
    as_json : bool
        One line of JSON instead of text.

    Returns
    -------
    int
        The status to exit with: 0 if the run fits into every budget, 1 if not, 2 if the log cannot be read.
    """
    try:
        records = list(read_log(path))
    except OSError as error:
        return _refuse(f"cannot read {path!r}: {error.strerror}")
    except ValueError as error:
        return _refuse(str(error))
    options: dict[str, Any] = {"small": small, "sample": sample, "seed": seed, "remat_limit": remat_limit, "end": end}
    try:
        without = replay(records, None, end=end)
        runs = [
            (budget, heuristic, replay(records, budget, heuristic, **options))
            for budget in budgets
            for heuristic in heuristics
        ]
    except ValueError as error:
        return _refuse(f"{path}, {error}")
    status = int(any(found.stopped is not None for _, _, found in runs))
    if as_json:
        report: dict[str, Any] = {
            "format": FORMAT,
            "log": str(path),
            "exit_status": status,
            "without_budget": described(without),
        }
        report["runs"] = [
            {"budget": budget, "heuristic": heuristic} | described(found) for budget, heuristic, found in runs
        ]
        sys.stdout.write(json.dumps(report, ensure_ascii=True) + "\n")
    else:
        sys.stdout.write(written_out(path, without, runs))
    return status


def _refuse(text: str) -> int:
    print(f"cowarray replay: {text}", file=sys.stderr)
    return 2


def described(found: Replayed) -> dict[str, Any]:
    """Return a replay as for JSON: see docs/budget.md.

    Parameters
    ----------
    found : Replayed

    Returns
    -------
    dict
    """
    stopped = found.stopped
    return found._asdict() | {
        "compute_ratio": found.compute_ratio,
        "stopped": None if stopped is None else stopped._asdict(),
    }


def written_out(path: str | os.PathLike[str], without: Replayed, runs: Sequence[tuple[int, str, Replayed]]) -> str:
    """Return the report as text.

    Parameters
    ----------
    path : path
    without : Replayed
        The replay without a budget.
    runs : list of (int, str, Replayed)

    Returns
    -------
    str
    """
    lines = [
        f"cowarray replay: {path}: {without.operations} operations in {_seconds(without.base_time)}; without a budget "
        f"they take {readable(without.peak_bytes)}, {readable(without.constant_bytes)} of it constants"
    ]
    if runs:
        lines += ["", "   budget  heuristic  compute        peak  evictions  remakes"]
    for budget, heuristic, found in runs:
        row = f"{readable(budget):>9}  {heuristic:9}"
        if found.stopped is None:
            lines.append(
                f"{row}  x {found.compute_ratio:5.2f}  {readable(found.peak_bytes):>10}  {found.evictions:9}  "
                f"{found.remakes:7}"
            )
        else:
            lines.append(f"{row}  stops at {found.stopped}")
    return "\n".join(lines) + "\n"


def _seconds(time: float) -> str:
    return f"{time / 1e9:.3g} s"
