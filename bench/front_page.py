"""Measures what README.md shows, its table and its figure, and writes both: ``make bench-readme``.

usage: front_page.py [--rounds N] [--small] [--into FOLDER]

NumPy, torch and cowarray take turns, each run in a process of its own, and cowarray's settings are its defaults. Ratios
are taken within a round. It takes five minutes on a machine with nothing else to do, and 4 GiB of memory. What is
measured is kept in docs/benchmarks/front_page.json.
"""

import argparse
import datetime
import functools
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

# As in conftest.py: threads that have nothing to do sleep, of every library. Read when the libraries are loaded.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")

import between_processes
import page_costs
from machine import describe
from peers import reason_to_skip
from plots import SIZES, save
from report import markdown_table, show_bytes, show_time
from results import as_text, summary

sys.path.append(str(Path(__file__).with_name("workloads")))

import workload

__all__ = ["FIGURE", "RESULTS", "lines", "main"]

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "docs" / "benchmarks" / "front_page.json"
FIGURE = "write-a-copy.svg"
LIBRARIES = ("numpy", "torch", "cowarray")
PAGED = {"cowarray": "ledger"}  # the default, by the name that page_costs has for it
KIB, MIB = 1 << 10, 1 << 20


class Found(NamedTuple):
    """One run: seconds, and bytes at the peak beyond the data, None where nobody has looked."""

    seconds: float
    peak: int | None = None


def whole_program(library, name, small):
    found = workload.in_a_process(name, library, small)
    return Found(found["seconds"], found["peak_bytes"])


def edits(library, small):
    found = page_costs.in_a_process("undo", PAGED.get(library, library), page_costs.SMALL if small else None)
    return Found(sum(found["seconds"]), found["peak_bytes"])


def first_write(library, nbytes, small=False):
    """Of an element of a fresh copy, which is dropped again; one of the later of many."""
    size = page_costs.SMALL if small else nbytes
    found = page_costs.in_a_process("write-256MiB-dropped", PAGED.get(library, library), size)
    return Found(page_costs.late(found))


def there_and_back(library, small):
    ways = {"numpy": "pickled", "torch": "cloned_by_torch", "cowarray": "by_descriptor"}
    way = getattr(between_processes, ways[library])
    return Found(statistics.median(way(8 * MIB // 8 if small else 1 << 27, 1)))


JOBS = {
    "a cache hands 8 MiB to each of 1,000 callers; one in ten changes it": functools.partial(
        whole_program, name="cache"
    ),
    "33 edits of an image of 175 MB, each of which can be undone": edits,
    "24 members of an ensemble change a state of 256 MiB, in 8 threads": functools.partial(
        whole_program, name="ensemble"
    ),
    "one element of a copy of 256 MiB is written (not the first copy: that costs as NumPy's)": functools.partial(
        first_write, nbytes=256 * MIB
    ),
    "1 GiB goes to a worker process and back, with an element changed": there_and_back,
}
COPIES = (64 * KIB, MIB, 8 * MIB, 64 * MIB, 256 * MIB, 1024 * MIB)


def in_turn(run, rounds):
    """{library: what a run gave, a round each}, of the libraries that are here."""
    found = {library: [] for library in LIBRARIES if reason_to_skip(library) is None}
    for number in range(rounds):
        for library in list(found)[:: -1 if number % 2 else 1]:
            found[library].append(run(library))
    return found


def condensed(found):
    """Medians and quartiles of times, and of cowarray's over NumPy's."""
    times = {}
    for library, runs in found.items():
        peaks = [each.peak for each in runs if each.peak is not None]
        times[library] = {**summary([each.seconds for each in runs]), "peak_bytes": max(peaks, default=None)}
    ratios = [a.seconds / b.seconds for a, b in zip(found["cowarray"], found["numpy"], strict=True)]
    return {"rounds": len(ratios), "times": times, "ratio": summary(ratios)}


def commit():
    """The commit that is measured, or "" where there is none."""
    said = [
        subprocess.run(["git", *words.split()], cwd=ROOT, capture_output=True, text=True).stdout.strip()
        for words in ("rev-parse --short=12 HEAD", "status --porcelain --untracked-files=no -- src include")
    ]
    return said[0] + (" with changes" if said[1] else "")


def measure(rounds, small):
    """All that the page shows."""
    before = describe()
    found = {"machine": before, "commit": commit(), "date": f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}"}
    found |= {"jobs": [], "copies": []}
    for job, run in JOBS.items():
        began = time.perf_counter()
        found["jobs"].append({"job": job, **condensed(in_turn(functools.partial(run, small=small), rounds))})
        print(f"{time.perf_counter() - began:6.1f} s  {job}", flush=True)
    for size in COPIES:
        if not small or size <= MIB:
            run = functools.partial(first_write, nbytes=size)
            found["copies"].append({"size": size, **condensed(in_turn(run, rounds))})
    return found


def cell(times):
    if times is None:
        return "not measured"
    memory = "" if times["peak_bytes"] is None else f", {show_bytes(times['peak_bytes'])}"
    return show_time(times["median"]) + memory


def part(ratio):
    """Two digits, small ones as a fraction: ``1/3,800``."""
    return f"{ratio:.2g}" if ratio >= 0.01 else f"1/{float(f'{1 / ratio:.2g}'):,.0f}"


def spread(ratio):
    return f"{part(ratio['median'])} ({part(ratio['q1'])} to {part(ratio['q3'])})"


def lines(results):
    """The lines of README.md: the figure, the table, and one on how they were measured."""
    titles = (
        "time, and memory beyond the data",
        "NumPy's copies",
        "torch, `_lazy_clone`",
        "cowarray",
        "of NumPy's time",
    )
    body = [
        (each["job"], *(cell(each["times"].get(library)) for library in LIBRARIES), spread(each["ratio"]))
        for each in results["jobs"]
    ]
    known, rounds = results["machine"], results["jobs"][0]["rounds"]
    return [
        f"![Time to copy an array and write to one element, by size: NumPy, torch, cowarray](docs/benchmarks/{FIGURE})",
        "",
        *markdown_table(titles, body),
        "",
        f"`make bench-readme`: default settings, medians of {rounds} rounds, in brackets the middle half. "
        f"{known['CPU']}, {known['cores']} cores, load {known['load at the end']:.2g} before, "
        f"{known['system'].split('-')[0]}, NumPy {known['numpy']}; {results['date']}, commit {results['commit']}. "
        "[All figures](docs/benchmarks.md).",
    ]


def draw(results, folder):
    """The figure: what a copy and a write to it cost, by size."""
    curves = {}
    for each in results["copies"]:
        for library, times in each["times"].items():
            curves.setdefault(library, []).append((each["size"], times["median"], times["q1"], times["q3"]))
    title = "a copy of an array, and a write to one of its elements"
    save(folder / FIGURE, [(curves, title, SIZES)], "size of the array", 520)


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=9, help="how often each library runs (default: 9)")
    parser.add_argument("--small", action="store_true", help="a few kilobytes, to try it")
    parser.add_argument("--into", type=Path, default=RESULTS.parent, help="the folder of the results")
    options = parser.parse_args(words)
    results = measure(options.rounds, options.small)
    (options.into / RESULTS.name).write_text(as_text(results))
    draw(results, options.into)
    print("\n".join(lines(results)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
