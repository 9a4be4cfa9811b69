"""From the times of every round to ratios: reads pytest-benchmark's JSON, or what `condense` made of it.

A ratio is taken within each round, ours over theirs; what is reported is the median of those, with the quartiles.
"""

import json
import math
import statistics
from pathlib import Path

__all__ = ["OURS", "condense", "derived", "load", "rows", "verdict"]

OURS = "cowarray"
FLAT = 1.1  # "the same" at 80 B and at 1 GiB

# The order of the report; a question that is not here comes last.
QUESTIONS = (
    "lazy clone",
    "copies against a view",
    "first write after a lazy clone",
    "write of the last sharer",
    "copy, then increment",
    "copy, then overwrite",
    "no traps",
    "operations on 10 elements",
    "operations on 1,000 elements",
    "operations on 16 MiB",
    "functions on 10 elements",
    "functions on 1,000 elements",
    "functions on 16 MiB",
    "conversions",
    "headline",
    "1,000 lazy copies",
    "sharers",
    "clone, write, drop in threads",
    "lazy clones from two threads",
    "import beyond NumPy",
    "workloads",
)


def summary(values):
    """Median and quartiles.

    Parameters
    ----------
    values : list of float

    Returns
    -------
    dict
        ``median``, ``q1``, ``q3``.
    """
    q1, median, q3 = statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else values * 3
    # Four digits: more is noise.
    return {key: float(f"{value:.4g}") for key, value in (("median", median), ("q1", q1), ("q3", q3))}


def load(path):
    """The condensed results in a file of either kind.

    Parameters
    ----------
    path : path

    Returns
    -------
    dict
        As `condense`.
    """
    found = json.loads(Path(path).read_text())
    return condense(found) if "benchmarks" in found else found


def condense(run):
    """What is kept of a run.

    Parameters
    ----------
    run : dict
        pytest-benchmark's JSON, with the data of all rounds.

    Returns
    -------
    dict
        ``machine``, ``date``, ``commit``; ``cases``, of which each has ``question``, ``case``, ``info``, ``times`` and
        ``ratios`` per competitor; ``figures`` that are no times.
    """
    cases, figures = {}, []
    for benchmark in run["benchmarks"]:
        info = dict(benchmark["extra_info"])
        figures += info.pop("figures", [])
        if "who" not in info:
            continue
        question, case, who = info.pop("question"), info.pop("case"), info.pop("who")
        found = cases.setdefault(
            (question, case), {"question": question, "case": case, "info": {}, "data": {}, "more": {}}
        )
        found["data"][who] = benchmark["stats"]["data"]
        found["more"][who] = {key: info.pop(key) for key in ("peak_bytes", "bytes_copied") if key in info}
        if who == OURS:
            found["info"] = info
    for found in cases.values():
        data, more = found.pop("data"), found.pop("more")
        found["times"] = {who: {**summary(times), "rounds": len(times), **more[who]} for who, times in data.items()}
        own = data.get(OURS)
        # The median of ratios, and not the ratio of medians: what disturbs a round disturbs both sides of it.
        found["ratios"] = {
            who: summary([a / b for a, b in zip(own, times, strict=True)])
            for who, times in data.items()
            if own is not None and who != OURS
        }
        if own is not None and (limit := found["info"].get("limit_seconds")):
            name = found["question"]
            figures.append({"name": name, "value": found["times"][OURS]["median"], "limit": limit, "unit": "s"})
        if (
            own is not None
            and "copied_limit" in found["info"]
            and more[OURS]["bytes_copied"] > found["info"]["copied_limit"]
        ):
            figures.append(
                {
                    "name": f"{found['question']}: {found['case']}: bytes copied",
                    "value": more[OURS]["bytes_copied"],
                    "limit": found["info"]["copied_limit"],
                    "unit": "B",
                }
            )
    commit = run.get("commit_info", {})
    return {
        "machine": run["machine_info"],
        "date": run["datetime"][:16].replace("T", " "),
        "commit": f"{commit.get('id', 'not known')[:12]}{' with changes' if commit.get('dirty') else ''}",
        "cases": list(cases.values()),
        "figures": figures,
    }


def rows(results):
    """One row for each ratio.

    Parameters
    ----------
    results : dict
        As `condense`.

    Returns
    -------
    list of dict
        ``question``, ``case``, ``who``, ``ours`` and ``theirs`` (seconds), ``ratio`` (a `summary`), ``target`` (or
        None).
    """
    found = []
    for case in results["cases"]:
        targets = case["info"].get("targets", {})
        for who, ratio in case["ratios"].items():
            found.append(
                {
                    "question": case["question"],
                    "case": case["case"],
                    "who": who,
                    "ours": case["times"][OURS]["median"],
                    "theirs": case["times"][who]["median"],
                    "ratio": ratio,
                    "target": targets.get(who),
                }
            )
    order = {question: position for position, question in enumerate(QUESTIONS)}
    return sorted(found + derived(results), key=lambda row: order.get(row["question"], len(order)))


def derived(results):
    """The rows that come from several cases: geometric means, and how flat the cost of a lazy clone is.

    Parameters
    ----------
    results : dict
        As `condense`.

    Returns
    -------
    list of dict
        As `rows`; ``ours`` and ``theirs`` are None in a mean. The quartiles of a mean are the means of the quartiles.
    """
    found = []
    means = {}
    for case in results["cases"]:
        target = case["info"].get("mean_target")
        for who, ratio in case["ratios"].items():
            if target is not None:
                means.setdefault((case["question"], who, target), []).append(ratio)
    for (question, who, target), ratios in means.items():
        mean = {
            key: math.exp(statistics.fmean(math.log(ratio[key]) for ratio in ratios)) for key in ("median", "q1", "q3")
        }
        found.append(
            {
                "question": question,
                "case": f"geometric mean of {len(ratios)}",
                "who": who,
                "ours": None,
                "theirs": None,
                "ratio": mean,
                "target": target if who == "numpy" else None,
            }
        )
    clones = {
        case["case"]: case["times"][OURS]
        for case in results["cases"]
        if case["question"] == "lazy clone" and OURS in case["times"]
    }
    if "80 B" in clones and "1 GiB" in clones:
        small, large = clones["80 B"], clones["1 GiB"]
        found.append(
            {
                "question": "lazy clone",
                "case": "1 GiB against 80 B",
                "who": "cowarray 80 B",
                "ours": large["median"],
                "theirs": small["median"],
                "ratio": {
                    "median": large["median"] / small["median"],
                    "q1": large["q1"] / small["q3"],
                    "q3": large["q3"] / small["q1"],
                },
                "target": FLAT,
            }
        )
    return found


def verdict(ratio, target):
    """``met``, ``not met``, or that it is not met by less than the spread; empty without a target."""
    if target is None:
        return ""
    if ratio["median"] <= target:
        return "met"
    return "not met, but within the spread" if ratio["q1"] <= target else "not met"
