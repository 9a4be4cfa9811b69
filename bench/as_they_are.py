"""NumPy programs that others wrote, run by `python -m cowarray run` as they are, beside NumPy.

usage: as_they_are.py FOLDER [--rounds N] [--enough SECONDS] [--json FILE] [NAME ...]

FOLDER has checkouts by the names of their repositories: spcl/npbench, rougier/from-python-to-numpy,
TheAlgorithms/Python, and those of pmocz in `FOLDERS`. A program runs in a copy of its folder: with Python, with
`cowarray run`, with `--aliasing`, in turn, and once in `simulate`. What it prints, its exit status and the files that
it leaves must be the same: of `cowarray run` alone only where `simulate` finds nothing. One that draws without a seed
does not do the same twice with NumPy: it is said, and not compared.

Programs draw their windows into files; an animation runs for 40 frames. The legacy random numbers have a seed. Time is
that of the process on its core, in and out of the kernel, the least of the rounds; memory is its peak. Of both, what a
program takes that only imports NumPy is not counted, but said. npbench's kernels are one program each, of the smallest
of the sizes S, M and L for which NumPy takes that many seconds.
"""

import argparse
import hashlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDERS = {
    "from-python-to-numpy": [
        *("Bridson_sampling", "DART_sampling_numpy", "game_of_life_numpy", "gray_scott", "maze_build", "maze_numpy"),
        *("sampling", "smoke_1"),
    ],
    "Python": ["decision_tree"],
    **{
        f"{name}-python": [name]
        for name in ("activematter", "constrainedtransport", "finitevolume", "pic", "quantumspectral", "sph")
    },
}
WITHIN = {"from-python-to-numpy": "code", "Python": "machine_learning"}
SIZES = ("S", "M", "L")
PATIENCE = 10.0  # seconds of NumPy's rounds together, after which there are no more
WAYS = {"numpy": [], "run": ["-m", "cowarray", "run"], "aliasing": ["-m", "cowarray", "run", "--aliasing"]}

KERNEL = """
import hashlib, importlib, json, sys
import numpy as np

info = json.load(open(f"bench_info/{sys.argv[1]}.json"))["benchmark"]
path = f"npbench.benchmarks.{info['relative_path'].replace('/', '.')}.{info['module_name']}"
values = dict(info["parameters"][sys.argv[2]])
if "init" in info:
    init = info["init"]
    made = getattr(importlib.import_module(path), init["func_name"])(*[values[name] for name in init["input_args"]])
    values.update(zip(init["output_args"], made if len(init["output_args"]) > 1 else [made]))
kernel = getattr(importlib.import_module(path + "_numpy"), info["func_name"])
result = kernel(*[values[name] for name in info["input_args"]])
for name, value in [*((name, values[name]) for name in info["output_args"]), ("result", result)]:
    for each in value if isinstance(value, (tuple, list)) else [value]:
        each = np.asarray(each)
        if each.dtype != object:
            print(name, each.dtype, each.shape, hashlib.sha256(np.ascontiguousarray(each).tobytes()).hexdigest())
"""
SEEDED = """
import random
import numpy

random.seed(0)
numpy.random.seed(0)
"""
SCREEN = """
from matplotlib._pylab_helpers import Gcf
from matplotlib.backend_bases import FigureManagerBase, TimerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg

running = []


class Timer(TimerBase):
    def _timer_start(self):
        running.append(self)

    def _timer_stop(self):
        running[:] = [each for each in running if each is not self]


class FigureCanvas(FigureCanvasAgg):
    def new_timer(self, interval=None, callbacks=None):
        return Timer(interval, callbacks)

    def start_event_loop(self, timeout=0):
        pass


FigureManager = FigureManagerBase


def show(*args, block=True, **kwargs):
    if block is False:
        return
    for manager in Gcf.get_all_fig_managers():
        manager.canvas.draw()
        for _ in range(40):
            for timer in [*running]:
                timer._on_timer()
        manager.canvas.figure.savefig(f"shown-{manager.num}.png")
"""


def programs(folder):
    """(name, folder that is copied, what follows `python`) of each, npbench's with None for the size."""
    for path in sorted((folder / "npbench" / "bench_info").glob("*.json")):
        yield path.stem, folder / "npbench", ["kernel.py", path.stem, None]
    for repository, names in FOLDERS.items():
        for name in names:
            yield name, folder / repository / WITHIN.get(repository, ""), [f"{name}.py"]


class Run:
    """A process that has ended: seconds on its core, bytes at its peak, and what it left."""

    def __init__(self, way, source, program, helpers):
        with tempfile.TemporaryDirectory() as scratch:
            place = Path(scratch, "copy")
            shutil.copytree(source, place, ignore=shutil.ignore_patterns("__pycache__", ".git", "*.mp4"))
            (place / "kernel.py").write_text(KERNEL)
            before = files(place)
            paths = [str(helpers), *filter(None, [os.environ.get("PYTHONPATH")])]
            environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths), "PYTHONHASHSEED": "0"}
            environment |= {
                "MPLBACKEND": "module://screen",
                "OPENBLAS_NUM_THREADS": "1",
                "PYTHONDONTWRITEBYTECODE": "1",
            }
            command = [sys.executable, *way, *program]
            with open(f"{scratch}/out", "wb") as out, open(f"{scratch}/err", "wb") as err:
                process = subprocess.Popen(
                    command, cwd=place, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err
                )
                _, status, used = os.wait4(process.pid, 0)  # of this process alone
            process.returncode = os.waitstatus_to_exitcode(status)
            self.seconds, self.peak = used.ru_utime + used.ru_stime, used.ru_maxrss * 1024
            made = {name: digest for name, digest in files(place).items() if before.get(name) != digest}
            self.left = {"status": process.returncode, "out": Path(f"{scratch}/out").read_text(), **made}
            self.error = Path(f"{scratch}/err").read_text()


def files(place):
    return {
        str(path.relative_to(place)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in place.rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }


def sized(source, program, helpers, enough):
    """The program with a size that takes NumPy long enough, and NumPy's run of it."""
    for size in SIZES:
        chosen = [size if part is None else part for part in program]
        run = Run([], source, chosen, helpers)
        if run.seconds > enough or chosen == program:
            break
    return chosen, run


def reliance(source, program, helpers):
    """How many lines `simulate` finds that rely on an alias."""
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch, "report")
        done = Run(["-m", "cowarray", "simulate", "--json", "--output", str(report)], source, program, helpers)
        if not report.exists() or not report.read_text():
            raise RuntimeError(done.error[-300:])
        return len(json.loads(report.read_text())["divergences"])


def measured(source, program, helpers, rounds, enough):
    """What one program did in each way."""
    program, first = sized(source, program, helpers, enough)
    runs = {way: [first] if way == "numpy" else [] for way in WAYS}
    for i in range(rounds):
        for way, command in WAYS.items():
            if i or way != "numpy":
                runs[way].append(Run(command, source, program, helpers))
        if sum(each.seconds for each in runs["numpy"]) > PATIENCE:
            break
    relies = reliance(source, program, helpers)
    first = first.left
    found = {"program": program, "status": first["status"], "relies": relies}
    for way, made in runs.items():
        found[way] = {"seconds": min(each.seconds for each in made), "peak": min(each.peak for each in made)}
        wrong = [each for each in made if each.left != first]
        if wrong:
            names = sorted({*first, *wrong[0].left})
            found[way]["differs"] = [name for name in names if first.get(name) != wrong[0].left.get(name)]
            found[way]["error"] = wrong[0].error[-300:]
    return found


def start(helpers, folder):
    """What a program takes that only imports NumPy, by way: seconds and bytes."""
    Path(folder, "empty.py").write_text("import numpy")
    runs = {way: [Run(command, folder, ["empty.py"], helpers) for _ in range(3)] for way, command in WAYS.items()}
    return {
        way: {"seconds": min(each.seconds for each in made), "peak": min(each.peak for each in made)}
        for way, made in runs.items()
    }


def ratio(found, empty, way, what):
    """What a program takes beyond an empty one, to what NumPy takes."""
    return (found[way][what] - empty[way][what]) / max(found["numpy"][what] - empty["numpy"][what], 1e-3)


def line(name, found, empty):
    """One program in a line; and whether it is as it should be."""
    size = found["program"][-1] if len(found["program"]) > 1 else ""
    text, right = f"{name:24} {size:1} {found['numpy']['seconds']:6.2f} s", True
    if "differs" in found["numpy"]:
        return f"{text}  not the same twice with NumPy", True
    for way in ("run", "aliasing"):
        text += f"  {ratio(found, empty, way, 'seconds'):5.2f} {ratio(found, empty, way, 'peak'):5.2f}"
        if "differs" in found[way]:
            excused = way == "run" and found["relies"]
            right = right and bool(excused)
            text += f" {'relies' if excused else 'DIFFERS'}"
    return text, right


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--enough", type=float, default=0.6, help="seconds that a kernel takes NumPy (default: 0.6)")
    parser.add_argument("--json", type=Path, help="file for what was measured, by name")
    options = parser.parse_intermixed_args(arguments)
    every, wrong = {}, []
    with tempfile.TemporaryDirectory() as helpers, tempfile.TemporaryDirectory() as nothing:
        Path(helpers, "sitecustomize.py").write_text(SEEDED)
        Path(helpers, "screen.py").write_text(SCREEN)
        empty = start(helpers, nothing)
        for name, source, program in programs(options.folder.resolve()):
            if options.names and name not in options.names:
                continue
            every[name] = measured(source, program, helpers, options.rounds, options.enough)
            text, right = line(name, every[name], empty)
            print(text, flush=True)
            wrong += [name] * (not right or every[name]["status"] != 0)
            if options.json:
                options.json.write_text(json.dumps({"empty": empty, "programs": every}, indent=1))
    for way in ("run", "aliasing"):
        times, peaks = (
            [ratio(each, empty, way, what) for each in every.values() if "differs" not in each[way]]
            for what in ("seconds", "peak")
        )
        print(
            f"{way}: {len(times)} of {len(every)} equal; "
            f"time {statistics.median(times):.3f}, at most {max(times):.2f}; "
            f"peak {statistics.median(peaks):.3f}, at most {max(peaks):.2f}"
        )
    print(
        *(f"{way} starts in {each['seconds']:.2f} s and {each['peak'] >> 20} MiB" for way, each in empty.items()),
        sep="; ",
    )
    print(f"{sum(each['relies'] > 0 for each in every.values())} rely on an alias; wrong: {wrong or 'none'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
