"""One table of ratios from a run, with the machine described; results and plots for the documentation.

Prints it:                                  python bench/report.py build/bench/latest.json
and writes results.md, results.json, *.svg: python bench/report.py build/bench/latest.json --into docs/benchmarks
"""

import argparse
import json
import sys
from pathlib import Path

from results import OURS, load, rows, verdict

INSTRUCTIONS = Path(__file__).with_name("instructions.json")
HEADER = ("work", "against", "ours", "theirs", "ratio", "half of the rounds", "target", "")


def show_time(seconds):
    """Three digits: ``43.1 ns``."""
    if seconds is None:
        return ""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9)):
        if seconds >= scale or unit == "ns":
            return f"{seconds / scale:.3g} {unit}" if seconds < 1000 * scale else f"{seconds / scale:.0f} {unit}"
    return ""


def show_value(value, unit):
    if value is None:
        return "-"
    if unit == "s":
        return show_time(value)
    return f"{value:,.0f} {unit}"


def show_bytes(count):
    return "not told" if count is None else f"{count / 1e6:,.1f} MB"


def cells(row):
    ratio, target = row["ratio"], row["target"]
    return (
        row["case"] or row["question"],
        row["who"],
        show_time(row["ours"]),
        show_time(row["theirs"]),
        f"{ratio['median']:.3g}",
        f"{ratio['q1']:.3g} to {ratio['q3']:.3g}",
        "" if target is None else f"≤ {target:.3g}",
        verdict(ratio, target),
    )


def by_question(found):
    """{question: rows}, in the order in which questions come up."""
    groups = {}
    for row in found:
        groups.setdefault(row["question"], []).append(row)
    return groups


def print_table(found):
    """The table in columns, for a terminal."""
    groups = by_question(found)
    widths = [max(len(column) for column in each) for each in zip(HEADER, *map(cells, found), strict=True)]

    def line(parts):
        aligned = (
            part.rjust(w) if 2 <= i <= 6 else part.ljust(w)
            for i, (part, w) in enumerate(zip(parts, widths, strict=True))
        )
        print(("  " + "  ".join(aligned)).rstrip())

    line(HEADER)
    for question, group in groups.items():
        print(question)
        for row in group:
            line(cells(row))


def markdown_table(header, body):
    """Lines of a Markdown table."""
    lines = [f"| {' | '.join(header)} |", "|" + "---|" * len(header)]
    return lines + [f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in row)} |" for row in body]


def count(found, figures):
    """(targets met, missed by less than the spread, targets)."""
    verdicts = [verdict(row["ratio"], row["target"]) for row in found if row["target"] is not None]
    verdicts += [
        "met" if figure["value"] <= figure["limit"] else "not met" for figure in figures if figure["limit"] is not None
    ]
    return verdicts.count("met"), sum("within" in each for each in verdicts), len(verdicts)


def figure_rows(figures):
    return [
        (
            figure["name"],
            show_value(figure["value"], figure["unit"]),
            "" if figure["limit"] is None else f"≤ {show_value(figure['limit'], figure['unit'])}",
            "" if figure["limit"] is None else "met" if figure["value"] <= figure["limit"] else "not met",
        )
        for figure in figures
    ]


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
    slower = [
        row for row in found if row["ratio"]["q1"] > 1.0 and row["ours"] is not None and row["who"].split()[0] != OURS
    ]
    return sorted(slower, key=lambda row: -row["ratio"]["median"])


def write_markdown(results, found, path):
    """results.md: everything of the report, typed by nobody."""
    met, near, targets = count(found, results["figures"])
    lines = [
        "# Results",
        "",
        "Written by `bench/report.py`; [benchmarks.md](../benchmarks.md) tells how to read it.",
        "",
        f"{met} of {targets} targets are met; {near} more are missed by less than the spread.",
        "",
        *markdown_table(("machine", ""), [(key, value) for key, value in machine(results)]),
    ]
    for question, group in by_question(found).items():
        lines += ["", f"## {question[:1].upper()}{question[1:]}", "", *markdown_table(HEADER, map(cells, group))]
    lines += [
        "",
        "## Other figures",
        "",
        *markdown_table(("figure", "", "target", ""), figure_rows(results["figures"])),
    ]
    if workloads := list(workload_rows(results)):
        header = ("job", "way", "time", "of NumPy's", "memory at the peak", "copied")
        lines += ["", "## Workloads in full", "", *markdown_table(header, workloads)]
    if instructions := instruction_rows():
        header = ("operation", "ours", "NumPy's", "ratio")
        lines += ["", "## Instructions", "", *markdown_table(header, instructions)]
    slower = [(row["question"], *cells(row)[:6]) for row in losses(found)]
    lines += ["", "## Where ours is slower", "", *markdown_table(("question", *HEADER[:6]), slower), ""]
    path.write_text("\n".join(lines))


def machine(results):
    """(what, value) of the machine and the run."""
    for key, value in results["machine"].items():
        if value not in (None, []):
            yield key, ", ".join(value) if isinstance(value, list) else value
    yield "measured", f"{results['date']} UTC, commit {results['commit']}"


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", help="JSON of pytest-benchmark, or results.json")
    parser.add_argument("--into", type=Path, metavar="FOLDER", help="write results.md, results.json and plots there")
    parser.add_argument("--targets", action="store_true", help="print only what has a target")
    arguments = parser.parse_args(argv)
    results = load(arguments.run)
    found = rows(results)
    if not found:
        print(f"{arguments.run}: no times in it")
        return 1
    for key, value in machine(results):
        print(f"{key:<18}{value}")
    print()
    print_table([row for row in found if row["target"] is not None or not arguments.targets])
    print()
    for name, value, limit, result in figure_rows(results["figures"]):
        print(f"{name:<60}{value:>16}  {limit:<18}{result}".rstrip())
    print()
    for row in workload_rows(results):
        print("{:<10} {:<22}{:>10} {:>6} {:>14} {:>14}".format(*row))
    met, near, targets = count(found, results["figures"])
    print(f"\n{met} of {targets} targets are met; {near} more are missed by less than the spread.")
    if arguments.into:
        from plots import draw

        arguments.into.mkdir(parents=True, exist_ok=True)
        (arguments.into / "results.json").write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
        write_markdown(results, found, arguments.into / "results.md")
        written = ["results.json", "results.md", *draw(results, arguments.into)]
        print(f"Written into {arguments.into}: {', '.join(written)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
