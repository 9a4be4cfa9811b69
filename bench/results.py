"""From the times of every round to ratios. Reads pytest-benchmark's JSON, or what `condense` made of it.

A ratio is taken within each round, cowarray's time over the peer's; the median of these is reported, with the
quartiles. Of several runs each number is the median of the runs', and a ratio and a figure keep what each run had.
"""

import json
import math
import statistics
from pathlib import Path

__all__ = ["OURS", "as_text", "between_runs", "condense", "load", "rows", "together", "verdict"]

OURS = "cowarray"
SMALL = ("operations on 10 elements", "operations on 1,000 elements")

# The order of the report; a question that is not here comes last.
QUESTIONS = (
    "lazy clone",
    "copies against a view",
    "first write after a lazy clone",
    "write of the last sharer",
    "copy, then increment",
    "copy, then overwrite",
    "no traps",
    *SMALL,
    "functions on 10 elements",
    "functions on 1,000 elements",
    "operations on 16 MiB",
    "functions on 16 MiB",
    "conversions",
    "headline",
    "1,000 lazy copies",
    "sharers",
    "clone, write, drop in threads",
    "lazy clones from two threads without a GIL",
    "import beyond NumPy",
    "workloads",
)


def rounded(value):
    """Four digits: more is noise."""
    return float(f"{value:.4g}")


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
    return {"median": rounded(median), "q1": rounded(q1), "q3": rounded(q3)}


def load(*paths):
    """The condensed results in files of either kind, of a run each.

    Parameters
    ----------
    *paths : path
        At least one, in the order of their runs.

    Returns
    -------
    dict
        As `condense`; of several files `together`.
    """
    found = [json.loads(Path(path).read_text()) for path in paths]
    runs = [condense(run) if "benchmarks" in run else run for run in found]
    return together(runs) if len(runs) > 1 else runs[0]


def together(runs):
    """Several runs as one.

    Parameters
    ----------
    runs : list of dict
        As `condense`. The last one's cases and figures are taken; a run before it may lack some.

    Returns
    -------
    dict
        As `condense`, with the machine of the last run and all dates and commits. Each number is the median of those
        of the runs. A ratio and a figure have ``runs`` besides: what each run had.
    """
    cases, figures = same_in(runs, "cases", "case"), same_in(runs, "figures", "name")
    dates, commits = ([*dict.fromkeys(run[key] for run in runs)] for key in ("date", "commit"))
    return {
        "machine": runs[-1]["machine"],
        "date": ", ".join(dates),
        "commit": ", ".join(commits),
        "cases": [
            {
                **same[-1],
                "times": {who: middle(times) for who, times in by_competitor(same, "times").items()},
                "ratios": {
                    who: {**middle(ratios), "runs": [ratio["median"] for ratio in ratios]}
                    for who, ratios in by_competitor(same, "ratios").items()
                },
            }
            for same in cases
        ],
        "figures": [
            {**same[-1], "value": rounded(statistics.median(values)), "runs": values}
            for same in figures
            if (values := [each["value"] for each in same])
        ],
    }


def same_in(runs, kind, name):
    """For each case or figure of the last run, those of all runs that are the same one."""
    found = {(each["question"], each[name]): [] for each in runs[-1][kind]}
    for run in runs:
        for each in run[kind]:
            found.get((each["question"], each[name]), []).append(each)
    return list(found.values())


def by_competitor(cases, key):
    """{who: what each of the cases has of them}"""
    everybody = dict.fromkeys(who for case in cases for who in case[key])
    return {who: [case[key][who] for case in cases if who in case[key]] for who in everybody}


def middle(found):
    """Of each number of some dicts the median; of a number that is not told, None."""
    columns = {key: [each.get(key) for each in found] for key in found[-1] if key != "runs"}
    return {key: None if None in column else rounded(statistics.median(column)) for key, column in columns.items()}


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
        ``ratios`` per competitor; ``figures``, which are compared with a limit and with no peer.
    """
    cases, figures = {}, []
    for benchmark in run["benchmarks"]:
        info = dict(benchmark["extra_info"])
        figures += [{"question": info["question"], **figure} for figure in info.pop("figures", [])]
        if "who" in info:
            add(cases, info, benchmark["stats"]["data"])
    machine = dict(run["machine_info"])
    for found in cases.values():
        data, more = found.pop("data"), found.pop("more")
        found["times"] = {who: {**summary(times), "rounds": len(times), **more[who]} for who, times in data.items()}
        own = data.get(OURS, [])
        # The median of ratios, and not the ratio of medians: what disturbs a round disturbs both sides of it.
        found["ratios"] = {
            who: summary([a / b for a, b in zip(own, times, strict=True)])
            for who, times in data.items()
            if own and who != OURS
        }
        figures += figures_of(found)
        if interpreter := found["info"].pop("interpreter", None):
            machine["without a GIL"] = interpreter
    commit = run.get("commit_info", {})
    return {
        "machine": machine,
        "date": run["datetime"][:16].replace("T", " "),
        "commit": f"{commit.get('id', 'not known')[:12]}{' with changes' if commit.get('dirty') else ''}",
        "cases": list(cases.values()),
        "figures": figures,
    }


def add(cases, info, data):
    """One competitor's times to its case."""
    question, case, who = info.pop("question"), info.pop("case"), info.pop("who")
    new = {"question": question, "case": case, "info": {}, "data": {}, "more": {}}
    found = cases.setdefault((question, case), new)
    found["data"][who] = data
    found["more"][who] = {key: info.pop(key) for key in ("peak_bytes", "bytes_copied") if key in info}
    if who == OURS:
        found["info"] = info


def figures_of(case):
    """The figures of a case that have limits of their own: bytes copied, seconds."""
    info, own = case["info"], case["times"].get(OURS)
    if own is None:
        return
    if limit := info.get("limit_seconds"):
        name = f"import {OURS}"
        yield {"question": case["question"], "name": name, "value": own["median"], "limit": limit, "unit": "s"}
    copied, limit = own.get("bytes_copied"), info.get("copied_limit")
    if limit is not None and (info.get("copied_target") or copied > limit):
        name = f"{case['case']}: bytes copied"
        yield {"question": case["question"], "name": name, "value": copied, "limit": limit, "unit": "B"}


def as_text(results):
    """Results as JSON, with a line for each case and each figure."""
    parts = []
    for key, value in results.items():
        lines = [json.dumps(each, ensure_ascii=False) for each in (value if isinstance(value, list) else [value])]
        body = "[\n" + ",\n".join(lines) + "\n]" if isinstance(value, list) else lines[0]
        parts.append(f"{json.dumps(key)}: {body}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def rows(results):
    """One row for each ratio, and one for each figure.

    Parameters
    ----------
    results : dict
        As `condense`.

    Returns
    -------
    list of dict
        ``question``, ``case``, ``who``, ``ours`` and ``theirs`` (None, or seconds; a figure's own ``unit``), ``ratio``
        (a `summary`, None in a figure), ``target`` (or None), ``copied`` (bytes, or None), ``runs`` (what each of
        several runs had; of one run, empty).
    """
    found = []
    for case in results["cases"]:
        targets = case["info"].get("targets", {})
        own = case["times"].get(OURS, {})
        for who, ratio in case["ratios"].items():
            theirs = case["times"][who]["median"]
            row = {"question": case["question"], "case": case["case"], "who": who, "ours": own["median"]}
            row |= {"theirs": theirs, "ratio": ratio, "target": targets.get(who), "unit": "s"}
            found.append(row | {"copied": own.get("bytes_copied"), "runs": ratio.get("runs", [])})
    found += means(results)
    for figure in results["figures"]:
        row = {"question": figure["question"], "case": figure["name"], "who": "", "ours": figure["value"]}
        row |= {"theirs": None, "ratio": None, "target": figure["limit"], "unit": figure["unit"]}
        found.append(row | {"copied": None, "runs": figure.get("runs", [])})
    order = {question: position for position, question in enumerate(QUESTIONS)}
    return sorted(found, key=lambda row: order.get(row["question"], len(order)))


def means(results):
    """Rows for the geometric means of a question's ratios, and of the ratios of all small operations.

    The quartiles of a mean are the means of the quartiles. The target is for NumPy alone.
    """
    found = {}
    for case in results["cases"]:
        target = case["info"].get("mean_target")
        for who, ratio in case["ratios"].items():
            if target is not None:
                found.setdefault((case["question"], "", who, target), []).append(ratio)
                if case["question"] in SMALL:
                    found.setdefault((SMALL[-1], " on 10 and on 1,000", who, target), []).append(ratio)
    for (question, where, who, target), ratios in found.items():
        mean = {key: geometric_mean([ratio[key] for ratio in ratios]) for key in ("median", "q1", "q3")}
        row = {"question": question, "case": f"geometric mean of {len(ratios)}{where}", "who": who, "ratio": mean}
        row |= {"ours": None, "theirs": None, "target": target if who == "numpy" else None, "unit": "s"}
        runs = [ratio.get("runs", []) for ratio in ratios]
        whole = len(set(map(len, runs))) == 1  # none of the runs lacks a case
        yield row | {"copied": None, "runs": [geometric_mean(run) for run in zip(*runs, strict=True)] if whole else []}


def geometric_mean(values):
    return rounded(math.exp(statistics.fmean(map(math.log, values))))


def verdict(row):
    """``met``, ``not met``, or that it is not met by less than the spread; empty without a target.

    The spread is the middle half of the rounds, and the runs.
    """
    target, ratio = row["target"], row["ratio"]
    if target is None:
        return ""
    if (row["ours"] if ratio is None else ratio["median"]) <= target:
        return "met"
    spread = [*row["runs"], *([] if ratio is None else [ratio["q1"]])]
    return "not met, but within the spread" if any(value <= target for value in spread) else "not met"


def between_runs(found):
    """By how much the runs differ, each row's greatest less its least, as a part of its median.

    Parameters
    ----------
    found : list of dict
        As `rows`.

    Returns
    -------
    list of float
        Of the rows that several runs have, in rising order.
    """
    several = [row for row in found if len(row["runs"]) > 1]
    return sorted((max(row["runs"]) - min(row["runs"])) / (statistics.median(row["runs"]) or 1) for row in several)
