"""One table of ratios from a run, or from several, with the machine described.

Prints it:                           python bench/report.py build/bench/latest.json
and writes results.md, results.json: python bench/report.py build/bench/latest.json --into build/bench
"""

import argparse
import json
import statistics
import sys
from pathlib import Path

from results import OURS, as_text, between_runs, load, rows, verdict
from targets import in_brief

INSTRUCTIONS = Path(__file__).with_name("instructions.json")
HEADER = ("work", "against", "ours", "theirs", "ratio", "middle half", "runs", "target", "", "copied")
NUMBERS = range(2, 8)  # columns that are aligned to the right
BRIEF = ("work", "against", "ratio", "runs differ by", "target", "")


def show_time(seconds):
    """Three digits: ``43.1 ns``."""
    if seconds is None:
        return ""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9)):
        if seconds >= scale or unit == "ns":
            return f"{seconds / scale:.3g} {unit}" if seconds < 1000 * scale else f"{seconds / scale:.0f} {unit}"
    return ""


def show_bytes(count):
    """A few digits: ``175 MB``."""
    if count is None:
        return "not told"
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= 10 * scale or (count >= scale and unit != "kB"):
            return f"{count / scale:.3g} {unit}" if count < 1000 * scale else f"{count / scale:,.0f} {unit}"
    return f"{count:,.0f} B"


def percent(part):
    return f"{100 * part:.0f} %"


def show_target(row):
    if row["target"] is None:
        return ""
    if row["ratio"] is not None:
        return f"≤ {row['target']:.3g}"
    return f"≤ {show_time(row['target']) if row['unit'] == 's' else show_bytes(row['target'])}"


def cells(row):
    """A row of the table, as text."""
    ratio = row["ratio"]
    ours = show_time(row["ours"]) if row["unit"] == "s" else show_bytes(row["ours"])
    return (
        row["case"] or row["question"],
        row["who"],
        ours,
        show_time(row["theirs"]),
        f"{ratio['median']:.3g}" if ratio else "",
        f"{ratio['q1']:.3g} to {ratio['q3']:.3g}" if ratio else "",
        ", ".join(f"{value:.3g}" for value in row["runs"]) if ratio else "",
        show_target(row),
        verdict(row),
        "" if row["copied"] is None else show_bytes(row["copied"]),
    )


def by_question(found):
    """{question: rows}, in the order in which questions come up."""
    groups = {}
    for row in found:
        groups.setdefault(row["question"], []).append(row)
    return groups


def print_columns(header, groups, numbers=()):
    """A table in columns, for a terminal; groups: {title or None: rows of text}."""
    body = [row for group in groups.values() for row in group]
    widths = [max(len(cell) for cell in column) for column in zip(header, *body, strict=True)]

    def line(parts):
        aligned = (
            part.rjust(width) if i in numbers else part.ljust(width)
            for i, (part, width) in enumerate(zip(parts, widths, strict=True))
        )
        print(("  " + "  ".join(aligned)).rstrip())

    line(header)
    for title, group in groups.items():
        if title:
            print(title)
        for row in group:
            line(row)


def markdown_table(header, body):
    """Lines of a Markdown table."""
    lines = [f"| {' | '.join(header)} |", "|" + "---|" * len(header)]
    return lines + [f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in row)} |" for row in body]


def brief_rows(results):
    """One row of text a target: the lowest and the highest ratio of its cases."""
    for target, answers, met in in_brief(results):
        found, limits = "", []
        if answers:
            ratios = sorted(row["ratio"]["median"] if row["ratio"] else row["ours"] for row in answers)
            shown = [f"{r:.3g}" if answers[0]["ratio"] else cells({**answers[0], "ours": r})[2] for r in ratios]
            found = shown[0] if shown[0] == shown[-1] else f"{shown[0]} to {shown[-1]}"
            limits = list(dict.fromkeys(show_target(row) for row in answers))
            # A limit of bytes that depends on what NumPy needs differs from case to case.
            limits = limits if len(limits) == 1 else ["that of NumPy's program"]
        spread = between_runs(answers)
        yield target.work, target.against, found, percent(spread[-1]) if spread else "", "".join(limits), met


def closing(found):
    """How many targets are met, and how far the runs differ, in sentences."""
    asked = [row for row in found if row["target"] is not None]
    verdicts = [verdict(row) for row in asked]
    met, near = verdicts.count("met"), sum("within" in each for each in verdicts)
    told = f"{met} of {len(verdicts)} measured targets are met; {near} more are missed by less than the spread."
    if spread := between_runs(asked):
        runs = max(len(row["runs"]) for row in asked)
        half = percent(statistics.median(spread))
        told += f" Each is the median of {runs} runs; half of them differ by less than {half} from run to run."
    return told


def workload_rows(results):
    """Time, memory and bytes copied of each way of each workload."""
    for case in results["cases"]:
        if case["question"] == "workloads":
            theirs = case["times"].get("numpy")
            for who, found in case["times"].items():
                ratio = f"{found['median'] / theirs['median']:.2f}" if theirs else ""
                memory, copied = show_bytes(found["peak_bytes"]), show_bytes(found["bytes_copied"])
                yield case["case"], who, show_time(found["median"]), ratio, memory, copied


def instruction_rows():
    """Counts of the hot paths, from instructions.json."""
    if not INSTRUCTIONS.exists():
        return []
    counts = json.loads(INSTRUCTIONS.read_text())["counts"]
    return [
        (
            name,
            f"{each['cowarray']:,.0f}",
            *((f"{each['numpy']:,.0f}", f"{each['cowarray'] / each['numpy']:.2f}") if "numpy" in each else ("", "")),
        )
        for name, each in counts.items()
    ]


def losses(found):
    """Rows in which at least three quarters of the rounds were slower than the peer's, the worst first."""
    slower = [row for row in found if row["ratio"] and row["ratio"]["q1"] > 1.0 and row["ours"] is not None]
    return sorted((row for row in slower if row["who"].split()[0] != OURS), key=lambda row: -row["ratio"]["median"])


def write_markdown(results, found, path):
    """results.md: everything of the report, typed by nobody."""
    lines = [
        "# Results",
        "",
        "Written by `bench/report.py`; docs/targets.md tells how to read it.",
        "",
        closing(found),
        "",
        *markdown_table(("machine", ""), [(key, value) for key, value in machine(results)]),
    ]
    for question, group in by_question(found).items():
        lines += ["", f"## {question[:1].upper()}{question[1:]}", "", *markdown_table(HEADER, map(cells, group))]
    if workloads := list(workload_rows(results)):
        header = ("job", "way", "time", "of NumPy's", "memory at the peak", "copied")
        lines += ["", "## Workloads in full", "", *markdown_table(header, workloads)]
    if instructions := instruction_rows():
        header = ("operation", "ours", "NumPy's", "ratio")
        lines += ["", "## Instructions", "", *markdown_table(header, instructions)]
    slower = [(row["question"], *cells(row)[:7]) for row in losses(found)]
    lines += ["", "## Where cowarray is slower", "", *markdown_table(("question", *HEADER[:7]), slower), ""]
    path.write_text("\n".join(lines))


def machine(results):
    """(what, value) of the machine and the run."""
    for key, value in results["machine"].items():
        if value not in (None, []):
            yield key, ", ".join(value) if isinstance(value, list) else value
    several = "s" if ", " in results["commit"] else ""
    yield "measured", f"{results['date']} UTC, commit{several} {results['commit']}"


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", metavar="run", help="JSON of pytest-benchmark, or results.json")
    parser.add_argument("--into", type=Path, metavar="FOLDER", help="write results.md and results.json there")
    parser.add_argument("--targets", action="store_true", help="print only what has a target")
    arguments = parser.parse_args(argv)
    results = load(*arguments.runs)
    found = rows(results)
    if not found:
        print(f"{', '.join(arguments.runs)}: no times in it")
        return 1
    for key, value in machine(results):
        print(f"{key:<18}{value}")
    print()
    shown = [row for row in found if row["target"] is not None or not arguments.targets]
    groups = {question: [cells(row) for row in group] for question, group in by_question(shown).items()}
    print_columns(HEADER, groups, NUMBERS)
    print()
    for row in workload_rows(results):
        print("{:<10} {:<22}{:>10} {:>6} {:>14} {:>14}".format(*row))
    print("\nThe targets in brief:")
    print_columns(BRIEF, {None: list(brief_rows(results))}, (2, 3, 4))
    print(f"\n{closing(found)}")
    if arguments.into:
        arguments.into.mkdir(parents=True, exist_ok=True)
        (arguments.into / "results.json").write_text(as_text(results))
        write_markdown(results, found, arguments.into / "results.md")
        print(f"Written into {arguments.into}: results.json, results.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
