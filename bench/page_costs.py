"""What a write costs by the page: programs that copy large arrays and write to the copies, in five ways.

usage: page_costs.py [--program NAME ...] [--way WAY ...] [--rounds N] [--small] [--list]

The ways are NumPy, torch's lazy clones, and cowarray with `paging` off, by the ledger (the default), and eager. Policy,
ledger and prices are a process's, so each run is a process of its own. In a round each way runs once, and ratios are
taken within a round. All ways must compute the same. A library that is not installed (torch; basemap-data, for the undo
history) is named, and left out.

A program does its work in steps, and only those are timed. Between them the memory is looked at: anonymous pages of the
process, and its bases (`paging_memory`), each counted once. Copies that are dropped are freed within the step.
"""

import argparse
import functools
import importlib
import json
import random
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from report import show_bytes, show_time

import cowarray

sys.path.append(str(Path(__file__).with_name("workloads")))

from workload import LIBRARIES, checksum

__all__ = ["PROGRAMS", "SMALL", "WAYS", "in_a_process", "late", "measure", "missing"]

MIB = 1 << 20
PAGE = 512  # numbers
MODES = ("off", "ledger", "eager")
WAYS = ("numpy", "torch", *MODES)
EACH_COPIED = 4096 * MIB  # bytes that ways may copy which copy whole arrays


def numbers(nbytes):
    """Whole numbers, so that sums are exact in any order."""
    found = np.empty(nbytes // 8)
    period = np.arange(8192.0)
    found.reshape(-1, min(period.size, found.size))[...] = period[: found.size]
    return found


def some_pages(count, of, seed):
    """A number on each of some pages, at random."""
    chance = np.random.default_rng(seed)
    return np.sort(chance.choice(of // PAGE, count, replace=False)) * PAGE + chance.integers(PAGE, size=count)


# ---- the programs: what comes before the first yield is not timed; what is returned makes the results ----------------


def first_writes(library, nbytes, keep):
    """One element written to each of up to 1,000 fresh copies; fewer where whole arrays may be copied."""
    x = library.array(numbers(nbytes))
    whole = max(4, min(1000, EACH_COPIED // nbytes))
    count = 1000 if library.way in ("eager", "ledger") else whole
    kept = []
    yield
    for i in range(count):
        y = library.copy(x)
        y[i * 4099 % (nbytes // 8)] = -1.0
        if keep:
            kept.append(y)
        del y
        yield
    return lambda: [checksum(x), *(float(y[i * 4099 % (nbytes // 8)]) for i, y in enumerate(kept[:whole]))]


def strokes(library, nbytes):
    """33 strokes over a twentieth of the rows and a tenth of the columns of an image, each of which is kept."""
    columns = 5400 * 3
    rows = nbytes // columns
    image = library.array((np.arange(rows * columns, dtype=np.uint32) % 251).astype(np.uint8).reshape(rows, columns))
    chance = random.Random(1906)
    kept = []
    yield
    for _ in range(33):
        kept.append(library.copy(image))
        top, left = chance.randrange(rows - rows // 20), chance.randrange(columns - columns // 10)
        image[top : top + rows // 20, left : left + columns // 10] //= 3
        yield
    return lambda: [checksum(state[::8]) for state in (*kept, image)]


def undo(library, nbytes):
    """The workload that README has, as one array; memory is looked at before each of its copies."""
    watched = Watched(library)
    job = importlib.import_module("undo").job(watched, small=nbytes < MIB, strips=1)
    next(job)
    yield
    watched.begin()
    try:
        next(job)
    except StopIteration as end:
        result = end.value
    yield watched
    return result


class Watched:
    """A library that looks at the memory before each copy, and knows how long it has looked."""

    def __init__(self, library):
        self.array, self._copy = library.array, library.copy
        self.begin()

    def begin(self):
        self.peak, self.looked = 0, 0.0

    def copy(self, a):
        begun = time.perf_counter()
        self.peak = max(self.peak, memory())
        self.looked += time.perf_counter() - begun
        return self._copy(a)


def chain(library, nbytes, pages):
    """40 generations, each a copy of the one before with so many pages changed; the last six are kept."""
    state = library.array(numbers(nbytes))
    where = [some_pages(min(pages, nbytes // 8 // PAGE), nbytes // 8, seed) for seed in range(40)]
    kept = []
    yield
    for number, index in enumerate(where):
        kept.append(library.copy(state))
        del kept[:-6]
        state[index] = float(-number)
        yield
    return lambda: [checksum(each) for each in (*kept, state)]


def scattered(library, nbytes, percent):
    """A part of the pages, at random, of each of ten fresh copies."""
    x = library.array(numbers(nbytes))
    count = max(1, nbytes // 8 // PAGE * percent // 100)
    where = [some_pages(count, nbytes // 8, seed) for seed in range(10)]
    yield
    for number, index in enumerate(where):
        y = library.copy(x)
        y[index] = float(-number)
        yield
    return lambda: [checksum(x), checksum(y)]


def overwritten(library, nbytes):
    """All of each of twelve fresh copies."""
    x = library.array(numbers(nbytes))
    yield
    for number in range(12):
        y = library.copy(x)
        y += float(number)
        yield
    return lambda: [checksum(x), checksum(y)]


def ensemble(library, nbytes):
    """24 members in 8 threads; each changes 1,000 pages of its own copy of the state, and sums an eighth of it."""
    x = library.array(numbers(nbytes))
    count = nbytes // 8
    where = [some_pages(min(1000, count // PAGE), count, seed) for seed in range(24)]
    yield

    def member(number):
        own = library.copy(x)
        own[where[number]] = float(number)
        first = number % 8 * (count // 8)
        return float(own[first : first + count // 8].sum())

    with ThreadPoolExecutor(8) as pool:
        sums = list(pool.map(member, range(24)))
    yield
    return lambda: [checksum(x), sums]


def every_page(library, nbytes, copies):
    """Adversary: a number to every page of each copy, one by one, so that no write tells how many there will be."""
    x = library.array(numbers(nbytes))
    yield
    for number in range(copies):
        y = library.copy(x)
        for i in range(0, nbytes // 8, PAGE):
            y[i] = number
        yield
    return lambda: [checksum(x), checksum(y)]


def one_then_all(library, nbytes):
    """Adversary: one page of a copy, then a number to every page, in each of 100 arrays that share nothing."""
    yield
    for number in range(100):
        x = library.array(numbers(nbytes))
        library.copy(x)[0] = 1.0
        y = library.copy(x)
        y[0] = 2.0
        yield
        for i in range(0, nbytes // 8, PAGE):
            y[i] = number
        yield
    return lambda: [checksum(x), checksum(y)]


def both_written(library, nbytes):
    """One element of a copy, and one of its source, in turn; the copy is dropped."""
    x = library.array(numbers(nbytes))
    yield
    for i in range(200):
        y = library.copy(x)
        y[i] = -1.0
        x[i + 1] = 2.0
        del y
        yield
    return lambda: checksum(x)


def editor(library, nbytes):
    """60 edits of a tenth of the lines of an image, with undo: three steps back after each ten."""
    rows = max(200, nbytes // 12000)
    chance = random.Random(6)
    image = library.array(np.zeros((rows, 4000, 3), np.uint8))
    history = []
    yield
    for i in range(60):
        history.append(library.copy(image))
        top, left = chance.randrange(rows - 100), chance.randrange(3700)
        image[top : top + 100, left : left + 200] //= 2
        image[top : top + 100, left : left + 200] += i
        if i % 10 == 9:
            for _ in range(3):
                image = history.pop()
        yield
    return lambda: [checksum(each) for each in (*history, image)]


def alternating(library, nbytes):
    """Adversary: 30 generations with one page in a hundred changed, and all of each is read."""
    state = library.array(numbers(nbytes))
    where = [some_pages(max(1, nbytes // 8 // PAGE // 100), nbytes // 8, seed) for seed in range(30)]
    sums = []
    yield
    for number, index in enumerate(where):
        before, state = state, library.copy(state)
        state[index] = float(-number)
        sums.append(float(state.sum()) + float(before[0]))
        yield
    return lambda: [sums, checksum(state)]


def reading(library, nbytes, percent):
    """Sums of a copy, part of whose pages were written to, ten times. NumPy's copy has the same values."""
    x = library.array(numbers(nbytes))
    for _ in range(12):  # so that the ledger also pages
        y = library.copy(x)
        y[0] = 1.0
    index = some_pages(nbytes // 8 // PAGE * percent // 100, nbytes // 8, 0)
    if index.size:
        y[index] = 2.0
    float(y.sum())
    sums = []
    yield
    for _ in range(10):
        sums.append(float(y.sum()))
        yield
    return lambda: [sums, checksum(y)]


PROGRAMS = {
    **{
        f"write-{name}-{'kept' if keep else 'dropped'}": (functools.partial(first_writes, keep=keep), size)
        for name, size in (("8MiB", 8 * MIB), ("64MiB", 64 * MIB), ("256MiB", 256 * MIB), ("1GiB", 1024 * MIB))
        for keep in (False, True)
    },
    "strokes": (strokes, 10800 * 5400 * 3),
    "undo": (undo, 10800 * 5400 * 3),
    **{f"chain-{pages}": (functools.partial(chain, pages=pages), 256 * MIB) for pages in (1, 100, 1000)},
    **{f"random-{percent}%": (functools.partial(scattered, percent=percent), 256 * MIB) for percent in (1, 10, 50)},
    "overwrite": (overwritten, 256 * MIB),
    "ensemble": (ensemble, 256 * MIB),
    **{f"every-page-{n}": (functools.partial(every_page, copies=n), 64 * MIB) for n in (1, 6, 12, 48)},
    "one-then-all": (one_then_all, 8 * MIB),
    "both-written": (both_written, 8 * MIB),
    "editor": (editor, 36_000_000),
    "copy-and-read": (alternating, 64 * MIB),
    **{f"read-{percent}%": (functools.partial(reading, percent=percent), 256 * MIB) for percent in (0, 1, 10)},
}
SMALL = 64 << 10  # bytes, with --small


# ---- measuring -------------------------------------------------------------------------------------------------------


def memory():
    """Bytes in memory that are the process's, each base counted once; 0 where the system does not tell."""
    return max(0, cowarray.paging_memory()["resident"])


def missing(program, way):
    """Why a program cannot run in this way here.

    Parameters
    ----------
    program : str
    way : str

    Returns
    -------
    str or None
    """
    if program == "undo" and (reason := importlib.import_module("undo").missing()):
        return reason
    if way == "torch":
        if program == "ensemble":
            return (
                "torch 2.13 fails now and then when several threads clone a tensor lazily (2 of 3,000 times 24 clones)"
            )
        try:
            importlib.import_module("torch")
        except ImportError as error:
            return f"torch is missing: {error}"
    return None


def measure(program, way, nbytes=None):
    """Run one program in one way, in this process, whose paging that sets.

    Parameters
    ----------
    program : str
        Of `PROGRAMS`.
    way : str
        Of `WAYS`.
    nbytes : int, optional
        The size of the array, instead of the program's own.

    Returns
    -------
    dict
        ``seconds``: of each step, ``peak_bytes``: beyond what the data took at the start, ``stats``, ``result``.
    """
    begin, own = PROGRAMS[program]
    library = LIBRARIES[way if way in LIBRARIES else "cowarray"]()
    library.way = way
    cowarray.paging(way if way in MODES else "off")
    steps = begin(library, nbytes or own)
    next(steps)
    cowarray.reset_stats()
    before = peak = memory()
    seconds = []
    while True:
        begun = time.perf_counter()
        try:
            watched = next(steps)
        except StopIteration as end:
            result = end.value
            break
        seconds.append(time.perf_counter() - begun)
        if watched is not None:
            seconds[-1] -= watched.looked
            peak = max(peak, watched.peak)
        peak = max(peak, memory())
    stats = {name: figure for name, figure in cowarray.stats().items() if figure}
    return {"seconds": seconds, "peak_bytes": peak - before, "stats": stats, "result": result()}


def in_a_process(program, way, nbytes=None):
    """`measure` in a new process."""
    command = [sys.executable, __file__, "--measure", json.dumps([program, way, nbytes])]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{program}, {way}: status {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def mean(found):
    """Seconds of a step. Ways that copy whole arrays do fewer of the same steps."""
    return sum(found["seconds"]) / len(found["seconds"])


def late(found):
    """Seconds of a step in the middle of the second half: what it costs in the long run."""
    return statistics.median(found["seconds"][len(found["seconds"]) // 2 :])


def compare(program, ways, rounds, nbytes):
    """Print a row for each way of a program; False if the results differ."""
    found = {}
    for way in ways:
        if reason := missing(program, way):
            print(f"{program}, {way}: skipped: {reason.splitlines()[0]}", file=sys.stderr, flush=True)
        else:
            found[way] = []
    for number in range(rounds):
        for way in list(found)[:: -1 if number % 2 else 1]:
            found[way].append(in_a_process(program, way, nbytes))
    for way, runs in found.items():
        print(f"| {program} | {' | '.join(cells(way, runs, found.get('numpy')))} |", flush=True)
    return len({json.dumps(each["result"]) for runs in found.values() for each in runs}) <= 1


def cells(way, runs, theirs):
    """The columns of one way."""
    ratios = ["", ""]
    if theirs:
        pairs = list(zip(runs, theirs, strict=True))
        ratios = [f"{statistics.median(figure(a) / figure(b) for a, b in pairs):.3g}" for figure in (mean, late)]
    return [
        way,
        str(len(runs[0]["seconds"])),
        show_time(statistics.median(map(mean, runs))),
        ratios[0],
        show_time(statistics.median(map(late, runs))),
        ratios[1],
        show_bytes(max(each["peak_bytes"] for each in runs)),
    ]


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--program", action="append", choices=PROGRAMS, metavar="NAME", help="all, if none is named")
    parser.add_argument("--way", action="append", choices=WAYS, help="all, if none is named")
    parser.add_argument("--rounds", type=int, default=3, help="how often each way runs, in turn (default: 3)")
    parser.add_argument("--small", action="store_true", help="a few kilobytes, which are never paged")
    parser.add_argument("--list", action="store_true", help="name the programs, and end")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.measure:
        print(json.dumps(measure(*json.loads(options.measure))))
        return 0
    if options.list:
        print("\n".join(f"{name:20} {getattr(job, 'func', job).__doc__}" for name, (job, _) in PROGRAMS.items()))
        return 0
    print("| program | way | steps | a step | of NumPy's | a late step | of NumPy's | memory at the peak |")
    print("|---" * 8 + "|")
    size = SMALL if options.small else None
    equal = [compare(name, options.way or WAYS, options.rounds, size) for name in options.program or PROGRAMS]
    print("\nAll results are equal." if all(equal) else "\nWRONG: the results differ.")
    return 0 if all(equal) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
