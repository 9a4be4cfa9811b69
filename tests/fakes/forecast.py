"""What `fake` says of programs before they run, beside what they then take: ``python tests/fakes/forecast.py``.

Each program runs inside `fake`, and then for real. Measured is the peak of array memory: what NumPy's arrays take, by
`tracemalloc`, and what the core takes, which here is told to `tracemalloc`, so that both have one peak. Python's own
objects are among it, some hundred kilobytes. The forecast must be within 10 % of that, and must say exactly how many
bytes the library copies. Beside that stands what the process took of the system, beyond what it had at the start: with
blocks that are kept for reuse, and the memory of NumPy's own C code. Nothing is promised of it.

With ``--paging MODE``, those that write to copies by the page. What they take and copy is asked after each write, of
the kernel and of `stats`: the pages that arrays have for themselves, and the bases. The forecast must be within 10 % of
both.

It is one file because it is a list of programs, and how they are measured.
"""

import argparse
import ctypes
import gc
import importlib
import json
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import NamedTuple

import numpy as np

import cowarray
from cowarray._modes.common.sizes import readable
from cowarray._native import storage

WORKLOADS = Path(__file__).resolve().parents[2] / "bench" / "workloads"

# ---- programs --------------------------------------------------------------------------------------------------------
#
# Each makes its arrays and gives what it keeps. `read` stands where a program reads a value, which a fake has not.


def heat(read):
    """Jacobi's iteration in a plate."""
    a = cowarray.zeros((1500, 1500))
    a[0] = 100.0
    b = a.copy()
    for _ in range(5):
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
        a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1])
    return a, b


def diffusion(read):
    """Horizontal diffusion, as weather models have it."""
    rng = cowarray.random.default_rng(1)
    fields = rng.random((132, 132, 80))
    coefficients = rng.random((128, 128, 80))
    laplace = 4.0 * fields[1:-1, 1:-1] - (fields[2:, 1:-1] + fields[:-2, 1:-1] + fields[1:-1, 2:] + fields[1:-1, :-2])
    change = laplace[1:, 1:-1] - laplace[:-1, 1:-1]
    flux_x = cowarray.where(change * (fields[2:-1, 2:-2] - fields[1:-2, 2:-2]) > 0, 0, change)
    change = laplace[1:-1, 1:] - laplace[1:-1, :-1]
    flux_y = cowarray.where(change * (fields[2:-2, 2:-1] - fields[2:-2, 1:-2]) > 0, 0, change)
    return fields[2:-2, 2:-2] - coefficients * (flux_x[1:] - flux_x[:-1] + flux_y[:, 1:] - flux_y[:, :-1])


def softmax(read):
    """Softmax over the last axis, in single precision."""
    x = cowarray.random.default_rng(2).random((16, 8, 128, 128), dtype="f4")
    large = cowarray.max(x, axis=-1, keepdims=True)
    exponentials = cowarray.exp(x - large)
    return exponentials / cowarray.sum(exponentials, axis=-1, keepdims=True)


def convolution(read):
    """A convolutional layer, as npbench writes it."""
    rng = cowarray.random.default_rng(3)
    images, weights = rng.random((4, 64, 64, 16)), rng.random((5, 5, 16, 24))
    output = cowarray.empty((4, 60, 60, 24))
    for i in range(60):
        for j in range(60):
            part = images[:, i : i + 5, j : j + 5, :, cowarray.newaxis]
            output[:, i, j, :] = cowarray.sum(part * weights, axis=(1, 2, 3))
    return cowarray.maximum(output, 0)


def correlation(read):
    """Columns made comparable, and how they correlate."""
    data = cowarray.random.default_rng(4).random((4000, 400))
    data = (data - data.mean(axis=0)) / (data.std(axis=0) + 0.1)
    data /= 20.0
    found = data.T @ data
    return data, found


def orthogonal(read):
    """Gram and Schmidt's process, column by column."""
    a = cowarray.random.default_rng(5).random((3000, 60))
    q, r = cowarray.zeros_like(a), cowarray.zeros((60, 60))
    for k in range(60):
        norm = cowarray.sqrt(cowarray.dot(a[:, k], a[:, k]))
        r[k, k] = read(norm, 1.0)
        q[:, k] = a[:, k] / norm
        r[k, k + 1 :] = q[:, k] @ a[:, k + 1 :]
        a[:, k + 1 :] -= cowarray.outer(q[:, k], r[k, k + 1 :])
    return q, r


def bodies(read):
    """Masses that attract each other."""
    rng = cowarray.random.default_rng(6)
    mass, at, speed = rng.random((900, 1)), rng.random((900, 3)), rng.random((900, 3))
    for _ in range(3):
        x, y, z = at[:, 0:1], at[:, 1:2], at[:, 2:3]
        dx, dy, dz = x.T - x, y.T - y, z.T - z
        inverse = (dx**2 + dy**2 + dz**2 + 0.01) ** (-1.5)
        pull = cowarray.hstack([(dx * inverse) @ mass, (dy * inverse) @ mass, (dz * inverse) @ mass])
        speed += pull * 0.01
        at += speed * 0.01
    return at


def clusters(read):
    """Lloyd's algorithm without its end: distances to all centres, and the nearest."""
    rng = cowarray.random.default_rng(7)
    points, centres = rng.random((20_000, 8)), rng.random((50, 8))
    distances = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
    nearest = distances.argmin(axis=1)
    return nearest, distances.min(axis=1).mean()


def spectrum(read):
    """A picture filtered by its frequencies."""
    picture = cowarray.random.default_rng(8).random((1024, 1024))
    found = cowarray.fft.fft2(picture)
    rows = cowarray.fft.fftfreq(1024)
    keep = cowarray.exp(-50.0 * (rows[:, None] ** 2 + rows[None, :] ** 2))
    return cowarray.fft.ifft2(found * keep).real.copy()


def perceptron(read):
    """Two layers, forwards and backwards, with momentum."""
    rng = cowarray.random.default_rng(9)
    x, y = rng.random((2000, 300)), rng.random((2000, 10))
    first, second = rng.random((300, 500)) - 0.5, rng.random((500, 10)) - 0.5
    momenta = [cowarray.zeros_like(first), cowarray.zeros_like(second)]
    kept = []
    for _ in range(3):
        hidden = cowarray.tanh(x @ first)
        error = hidden @ second - y
        slopes = [x.T @ ((error @ second.T) * (1.0 - hidden * hidden)), hidden.T @ error]
        for momentum, slope in zip(momenta, slopes, strict=True):
            momentum *= 0.9
            momentum -= 1e-5 * slope
        first += momenta[0]
        second += momenta[1]
        kept.append((first.copy(), second.copy()))
    return kept


def workload(name, way, **replaced):
    """A workload of the benchmarks; values that it reads are of no consequence for memory."""

    def program(read):
        sys.path.insert(0, str(WORKLOADS))
        try:
            module = importlib.import_module(name)
        finally:
            sys.path.remove(str(WORKLOADS))
        vars(module).update(replaced, float=lambda value: read(value, 0.0), int=lambda value: int(read(value, 0)))
        job = module.job(_Library(), small=False, **module.WAYS[way])
        for _ in job:
            pass

    program.__doc__ = f"The benchmarks' workload `{name}`."
    return program


class _Library:
    """The library as a workload uses it."""

    def array(self, n):
        x = cowarray.empty(n.shape, n.dtype)
        x[...] = n
        return x

    def copy(self, a):
        return a.copy()


# Those write by the page where the system can. Each says after every write which array it wrote, and which it has.


def painted(look):
    """Strokes in a picture, all kept."""
    x = cowarray.zeros((2048, 4096))
    versions = [x]
    look(x, versions)
    for i in range(24):
        y = versions[-1].copy()
        y[64 * i : 64 * i + 40, 500 : 500 + 90 * (i % 5)] = i
        versions.append(y)
        look(y, versions)
    return versions


def painted_over(look):
    """Strokes over the same place, of which the last few are kept."""
    versions = [cowarray.zeros((2048, 4096))]
    look(versions[0], versions)
    for i in range(60):
        y = versions[-1].copy()
        y[256 + i : 512 + i, 700:1100] = i
        versions.append(y)
        look(y, versions)
        del versions[:-6]
    return versions


def singles(look):
    """A thousand elements, each written to a copy of its own."""
    x = cowarray.zeros(1 << 20)
    look(x, [x])
    for i in range(1000):
        y = x.copy()
        y[(i * 7919) % (1 << 20)] = i
        look(y, [x, y])
        del y
    return x


def chained(look):
    """A thousand elements, each written to a copy of the copy before."""
    x = cowarray.zeros(1 << 21)
    look(x, [x])
    for i in range(1000):
        y = x.copy()
        y[(i * 7919) % (1 << 21)] = i
        look(y, [x, y])
        x = y
    return x


def in_place(look):
    """A copy that is written here and there, until so much of it is written that it is copied whole."""
    x = cowarray.zeros(1 << 22)
    y = x.copy()
    look(x, [x, y])
    for i in range(600):
        y[i * 4096 : i * 4096 + 64] = i
        look(y, [x, y])
    return x, y


def replaced(look):
    """Copies of which every element is written, by halves and as a whole."""
    x = cowarray.zeros(1 << 20)
    look(x, [x])
    kept = [x]
    for i in range(8):
        y = x.copy()
        if i % 2:
            y[: 1 << 19] = i
            look(y, [*kept, y])
            y[1 << 19 :] = i
        else:
            y += i
        kept.append(y)
        look(y, kept)
    return kept


def picked(look):
    """Elements that an index with arrays picks, in a copy each."""
    x = cowarray.zeros(1 << 21)
    look(x, [x])
    versions = [x]
    for i in range(10):
        y = x.copy()
        y[np.random.default_rng(i).integers(0, 1 << 21, 60)] = i
        versions.append(y)
        look(y, versions)
    return versions


PAGED = {
    "painted": painted,
    "painted over": painted_over,
    "singles": singles,
    "chained": chained,
    "in place": in_place,
    "replaced": replaced,
    "picked": picked,
}

PROGRAMS = {
    "heat": heat,
    "diffusion": diffusion,
    "softmax": softmax,
    "convolution": convolution,
    "correlation": correlation,
    "orthogonal": orthogonal,
    "bodies": bodies,
    "clusters": clusters,
    "spectrum": spectrum,
    "perceptron": perceptron,
    "cache": workload("cache", "cowarray"),
    "ensemble": workload("ensemble", "cowarray", THREADS=1),
    "undo": workload("undo", "cowarray 64 strips", relief=lambda small: np.zeros((1080, 2160, 3), np.uint8)),
}

# ---- measuring -------------------------------------------------------------------------------------------------------

_ALLOC = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)
_FREE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)
_CLONE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
_DOMAIN = 0xC0


class _Table(ctypes.Structure):
    """A `cow_allocator`."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("self", ctypes.c_void_p),
        ("alloc", _ALLOC),
        ("free", _FREE),
        ("clone", _CLONE),
        ("paging", ctypes.c_void_p),  # NULL: it copies whole windows
    )


class _ToldAllocator:
    """The core's memory while entered: the C library's, and `tracemalloc` is told."""

    def __init__(self):
        libc = ctypes.CDLL(None)
        libc.aligned_alloc.restype, libc.aligned_alloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t] * 2
        libc.free.argtypes = [ctypes.c_void_p]
        track, untrack = ctypes.pythonapi.PyTraceMalloc_Track, ctypes.pythonapi.PyTraceMalloc_Untrack
        track.argtypes = [ctypes.c_uint, ctypes.c_size_t, ctypes.c_size_t]
        untrack.argtypes = track.argtypes[:2]

        def alloc(self, nbytes, alignment):
            data = libc.aligned_alloc(alignment, -(-max(nbytes, 1) // alignment) * alignment)
            track(_DOMAIN, data, nbytes)
            return data

        def free(self, data, nbytes, alignment):
            untrack(_DOMAIN, data)
            libc.free(data)

        def clone(self, data, source, nbytes):
            ctypes.memmove(data, source, nbytes)

        self.table = _Table(b"told", None, _ALLOC(alloc), _FREE(free), _CLONE(clone))
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        self.capsule = make(ctypes.addressof(self.table), b"cowarray.allocator", None)

    def __enter__(self):
        self.before = storage._allocator()
        storage._use_allocator(self.capsule)

    def __exit__(self, *exc):
        storage._use_allocator(self.before)


_told = _ToldAllocator()  # for good: arrays may outlive its use


class Row(NamedTuple):
    """A program's forecast and fact, in bytes."""

    name: str
    planned_peak: int
    peak: int
    planned_copied: int
    copied: int
    resident: int | None = None

    @property
    def holds(self):
        """Whether the forecast is as good as is promised."""
        return abs(self.planned_peak - self.peak) <= self.peak / 10 and self.planned_copied == self.copied

    @property
    def nearly_holds(self):
        """Whether it is as good as is promised of writes by the page."""
        return abs(self.planned_peak - self.peak) <= self.peak / 10 and (
            abs(self.planned_copied - self.copied) <= self.copied / 10
        )


def plan_of(name):
    """The plan of a program."""
    with cowarray.fake() as plan:
        kept = PROGRAMS[name](lambda value, instead: instead)
    del kept
    return plan


def compare(name):
    """Plan a program, and run it.

    Parameters
    ----------
    name : str
        Of `PROGRAMS`.

    Returns
    -------
    Row
    """
    before = cowarray.paging("off")  # what is told to tracemalloc is whole blocks
    try:
        return _compare_whole(name)
    finally:
        cowarray.paging(before)


def _compare_whole(name):
    plan = plan_of(name)
    gc.collect()
    with _told:
        cowarray.reset_stats()
        tracemalloc.start()
        try:
            kept = PROGRAMS[name](lambda value, instead: value)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        copied = cowarray.stats()["bytes_copied"]
        del kept
    return Row(name, plan.peak_bytes, peak, plan.bytes_copied, copied)


def plan_paged(name):
    """The plan of a program of `PAGED`."""
    with cowarray.fake() as plan:
        kept = PAGED[name](lambda written, arrays: None)
    del kept
    return plan


class _Look:
    """What has been copied when arrays have been written.

    A write that makes a copy by the page says itself what that takes, with the base that it freezes; of later writes to
    it only the kernel knows.
    """

    def __init__(self):
        self.peak = self.copied = 0
        self.own = {}  # pages of Storages, at the last look
        self.told = cowarray.stats()["bytes_copied"]

    def __call__(self, written, arrays):
        own = {id(x.storage): x.storage.own_nbytes for x in arrays}
        self.peak = max(self.peak, sum(own.values()) + cowarray.paging_memory()["bases"])
        told, its = cowarray.stats()["bytes_copied"], id(written.storage)
        self.copied += told - self.told if told > self.told else max(0, own[its] - self.own.get(its, own[its]))
        self.told, self.own = told, own


def compare_paged(name, mode):
    """Plan a program of `PAGED`, and run it, in a process of its own: the ledger of this one has other sums.

    Parameters
    ----------
    name : str
    mode : {"ledger", "eager", "off"}

    Returns
    -------
    Row
        `copied` is what the kernel has copied, too.
    int
        How many copies were by the page.
    """
    made = subprocess.run(
        [sys.executable, __file__, "--paging", mode, "--alone", name], capture_output=True, text=True, check=True
    )
    *figures, page_copies = json.loads(made.stdout)
    return Row(name, *figures), page_copies


def compare_alone(name, mode):
    """What `compare_paged` does, in this process."""
    cowarray.paging(mode, small_pages=True)
    plan = plan_paged(name)
    look = _Look()
    kept = PAGED[name](look)
    del kept
    return [plan.peak_bytes, look.peak, plan.bytes_copied, look.copied, cowarray.stats()["page_copies"]]


def resident(name):
    """By how much a process that runs a program of `PROGRAMS` exceeds what it was before; bytes."""
    made = subprocess.run(
        [sys.executable, __file__, "--resident", name],
        env={**os.environ, "COWARRAY_PAGING": "off"},
        capture_output=True,
        text=True,
        check=True,
    )
    return int(made.stdout)


def resident_alone(name):
    """What `resident` tells, of this process."""
    sys.path.append(str(WORKLOADS))
    from workload import peak_since, start_peak

    before = start_peak()
    kept = PROGRAMS[name](lambda value, instead: value)
    peak = peak_since(before)
    del kept
    return peak


def table(rows):
    """The rows as a table of Markdown."""
    programs = {**PROGRAMS, **PAGED}
    known = any(row.resident is not None for row in rows)
    lines = [
        "| program | planned peak | measured peak | | planned copies | copied |" + known * " process |",
        "|---|---|---|---|---|---|" + known * "---|",
    ]
    for row in rows:
        off = f"{(row.planned_peak / row.peak - 1) * 100:+.1f} %"
        figures = [
            readable(row.planned_peak),
            readable(row.peak),
            off,
            readable(row.planned_copied),
            readable(row.copied),
            *([readable(row.resident)] if known else []),
        ]
        lines.append(f"| {programs[row.name].__doc__.rstrip('.')} | {' | '.join(figures)} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", nargs="*", help="default: all", choices=[[], *PROGRAMS, *PAGED])
    parser.add_argument(
        "--paging", choices=["ledger", "eager", "off"], help="those that write by the page, in this mode"
    )
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--resident", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone:
        print(json.dumps(compare_alone(options.programs[0], options.paging)))
        return 0
    if options.resident:
        print(resident_alone(options.programs[0]))
        return 0
    if options.paging is not None:
        rows = [compare_paged(name, options.paging)[0] for name in options.programs or PAGED]
        print(table(rows))
        return int(not all(row.nearly_holds for row in rows))
    rows = []
    for name in options.programs or PROGRAMS:
        try:
            rows.append(compare(name)._replace(resident=resident(name)))
        except cowarray.FakeError as error:
            print(f"{name}: {error}", file=sys.stderr)
    print(table(rows))
    wrong = [row.name for row in rows if not row.holds]
    print(f"\n{len(rows) - len(wrong)} forecasts hold; not of {', '.join(wrong) or 'none'}")
    return int(bool(wrong) or len(rows) < 10)


if __name__ == "__main__":
    sys.exit(main())
