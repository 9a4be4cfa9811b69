"""Writes the figures that README.md and docs/targets.md quote, from docs/benchmarks/*.json: nobody types them.

    python bench/pages.py                           # the pages again
    python bench/pages.py build/bench/latest.json   # of another run, or several; plots and figures: docs/benchmarks

README's come of front_page.py, all others of `make bench`. Kept there is only what the pages show; the whole of a run
is in build/bench. What is written into a page stands between two comments, and a test compares it with the results.
Missed targets for which the page gives no reason are named, too.
"""

import re
import sys
from pathlib import Path

import front_page
from plots import PLOTS, draw
from report import BRIEF, brief_rows, closing, machine, markdown_table
from results import OURS, as_text, load, rows
from targets import in_brief

__all__ = ["PAGES", "RESULTS", "shown", "unexplained", "with_figures"]

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "docs" / "benchmarks" / "results.json"
BEGIN, END = "<!-- figures: written by bench/pages.py -->", "<!-- end of figures -->"
NONE = ["No complete run is kept here yet. `make bench` makes one."]


def where(results):
    """The machine and the versions in a line."""
    known = dict(machine(results))
    parts = [known.get("CPU"), f"{known.get('cores')} cores", known.get("memory"), known.get("system")]
    parts += [f"{name} {known[name]}" for name in ("Python", "numpy", "torch", "pandas") if name in known]
    return f"{'; '.join(part for part in parts if part)}. Measured {known['measured']}."


def benchmarks(results):
    """Lines of docs/targets.md: the targets in brief, and the plots."""
    lines = [closing(rows(results)), "", where(results)]
    lines += [f"Not here: {missing}." for missing in results["machine"].get("missing", [])]
    body = list(brief_rows(results))
    if any(row[-1] == "not measured" for row in body):
        lines += ["", "*Not measured* is what came after that commit, or needed what this machine lacks."]
    lines += ["", *markdown_table(BRIEF, body)]
    for name, *_, title, xlabel in PLOTS:
        if (RESULTS.parent / name).exists():
            lines += ["", f"![{title}, by {xlabel}](benchmarks/{name})"]
    return lines


# Of each page: what writes its lines, and of which results.
PAGES = {
    ROOT / "README.md": (front_page.lines, front_page.RESULTS),
    ROOT / "docs" / "targets.md": (benchmarks, RESULTS),
}


def with_figures(page):
    """The text of a page with the figures of its results in their place.

    Parameters
    ----------
    page : pathlib.Path
        A key of `PAGES`.

    Returns
    -------
    str
    """
    write, kept = PAGES[page]
    lines = write(load(kept)) if kept.exists() else NONE
    before, begin, rest = page.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{page.name}: there is no place for figures, between {BEGIN!r} and {END!r}")
    return "\n".join([before + BEGIN, "", *lines, "", END + after])


def unexplained():
    """Questions with a missed target for which docs/targets.md gives no reason.

    Returns
    -------
    list of str
    """
    if not RESULTS.exists():
        return []
    section = (ROOT / "docs" / "targets.md").read_text().partition("## Where cowarray is slower")[2]
    explained = {name.lower() for name in re.findall(r"\*\*(.+?)\*\*", section)}
    missed = {target.question for target, answers, verdict in in_brief(load(RESULTS)) if answers and verdict != "met"}
    return sorted(question for question in missed if question.lower() not in explained)


def shown(results):
    """What the documentation shows of results: the targets, and the workloads.

    Parameters
    ----------
    results : dict
        As `condense`.

    Returns
    -------
    dict
        The same, of fewer cases and competitors, and without the spread of times.
    """
    cases = []
    for case in results["cases"]:
        info = {key: case["info"][key] for key in ("targets", "mean_target") if case["info"].get(key)}
        everybody = case["question"] == "workloads"
        if info or everybody:
            whose = set(case["times"]) if everybody else {OURS, "numpy", *info.get("targets", ())}
            times = {who: medians(found) for who, found in case["times"].items() if who in whose}
            ratios = {who: found for who, found in case["ratios"].items() if who in whose}
            cases.append({**case, "info": info, "times": times, "ratios": ratios})
    figures = [figure for figure in results["figures"] if figure["limit"] is not None]
    return {**results, "cases": cases, "figures": figures}


def medians(times):
    """A competitor's times without their spread."""
    return {key: value for key, value in times.items() if key not in ("q1", "q3", "rounds")}


def main(*runs):
    if runs:
        results = load(*runs)
        RESULTS.write_text(as_text(shown(results)))
        draw(results, RESULTS.parent)
    for page in PAGES:
        page.write_text(with_figures(page))
    for question in unexplained():
        print(f"Missed, and docs/targets.md has no paragraph **{question}** that says why.")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
