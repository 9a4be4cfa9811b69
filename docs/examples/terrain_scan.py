"""Scan places and depths of a lake in a terrain of 1 GiB that all processes share, with Ray or joblib.

usage: terrain_scan.py --engine ray|joblib [--processes N ...] [--jobs N] [--mebibytes N] [--kill]

`dig` is written as one writes it for an array of one's own: it changes the terrain in place, and measures what came of
it. The terrain lies in memory once (Ray's store, or a file that joblib maps) and is read-only there. With NumPy each
job copies the terrain before it digs. With cowarray `isolated` gives each job arrays of its own, and only pages that
are written to are copied. So does joblib with `mmap_mode="c"`, which gives each job a private map.

Prints for each kind and number of processes the time of the scan, the bytes copied, and the memory of all processes at
its peak, beyond what they took before the terrain was handed to them. With --kill a worker is killed as soon as the
first job is done; the results must be the same.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
from engine_figures import Figures, own_pages, show

import cowarray

__all__ = ["KINDS", "dig", "jobs", "measure", "terrain"]

STRIPS, COLUMNS, RADIUS = 64, 16384, 40


def terrain(mebibytes):
    """Heights in whole metres, as 64 strips of NumPy's."""
    rows = (mebibytes << 20) // (STRIPS * COLUMNS * 8)
    pattern = np.arange(rows * COLUMNS, dtype=np.float64).reshape(rows, COLUMNS) * 7919 % 1000
    return [pattern + number for number in range(STRIPS)]


def jobs(count, rows):
    """(row, column, depth) of each lake, spread over the terrain."""
    return [(RADIUS + (rows - 2 * RADIUS) * i // count, 200 + 997 * i % (COLUMNS - 400), 5 + i) for i in range(count)]


def dig(strips, row, column, depth):
    """Dig a lake into the terrain, in place; gives the volume of what is left around it, and the process."""
    height = len(strips[0])
    distance = np.hypot(*np.ogrid[-RADIUS:RADIUS, -RADIUS:RADIUS])
    bowl = np.round(depth * np.clip(1 - distance / RADIUS, 0, None))
    left = 0.0
    for number in range((row - RADIUS) // height, (row + RADIUS - 1) // height + 1):
        first, last = max(row - RADIUS, number * height), min(row + RADIUS, (number + 1) * height)
        part = strips[number][first - number * height : last - number * height]
        part[:, column - RADIUS : column + RADIUS] -= bowl[first - row + RADIUS : last - row + RADIUS]
        left += float(part.sum())
    return left, os.getpid()


def dig_in_copies(strips, *job):
    """With NumPy: `dig` does not say what it writes, so everything is copied."""
    own = [strip.copy() for strip in strips]
    return *dig(own, *job), sum(strip.nbytes for strip in own)


def dig_isolated(strips, *job):
    """With cowarray: the arrays are this call's own, as far as anybody can see."""
    before = cowarray.stats()["bytes_copied"]
    *result, pages = cowarray.isolated(dig_in_place)(strips, *job)
    return *result, pages or cowarray.stats()["bytes_copied"] - before  # the one has the other


def dig_isolated_as_numpy(strips, *job):
    """The same where the function wants arrays of NumPy's."""
    before = cowarray.stats()["bytes_copied"]
    *result, pages = cowarray.isolated(dig_in_place, as_numpy=True)(strips, *job)
    return *result, pages + cowarray.stats()["bytes_copied"] - before


def dig_in_place(strips, *job):
    """`dig`, and the bytes of pages that the system copied for it from a mapped file."""
    return *dig(strips, *job), own_pages(strips)


def snapshots(arrays):
    """The same heights, read-only: whoever runs a job, in whatever process, shares them until it writes."""
    return [cowarray.asarray(array).to_numpy() for array in arrays]


# What is handed in, made of NumPy's strips, and what each job calls.
KINDS = {
    "NumPy, 64 strips": (lambda strips: strips, dig_in_copies),
    "joblib's c, one array": (lambda strips: [np.concatenate(strips)], dig_in_place),
    "cowarray, as_numpy": (lambda strips: snapshots([np.concatenate(strips)]), dig_isolated_as_numpy),
    "cowarray, one array": (lambda strips: snapshots([np.concatenate(strips)]), dig_isolated),
    "cowarray, 64 strips": (snapshots, dig_isolated),
}


def on_ray(processes, strips, function, scan, kill):
    """(figures, results, what the terrain is afterwards): a task whose worker dies Ray runs again."""
    import ray

    def warm():
        import cowarray  # noqa: F401

        time.sleep(1)

    size = sum(strip.nbytes for strip in strips)
    folder = os.path.dirname(os.path.dirname(cowarray.__file__))
    os.environ["PYTHONPATH"] = os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")])
    ray.init(
        num_cpus=processes,
        include_dashboard=False,
        log_to_driver=False,
        object_store_memory=size * 5 // 4 + (200 << 20),
    )
    task = ray.remote(function)
    ray.get([ray.remote(warm).remote() for _ in range(processes)])
    with Figures() as figures:
        stored = ray.put(strips)
        waiting = submitted = [task.remote(stored, *job) for job in scan]
        if kill:
            [first], waiting = ray.wait(waiting)
            os.kill(ray.get(first)[1], signal.SIGKILL)
        results = ray.get(submitted)
    after = checksums(ray.get(stored))
    ray.shutdown()
    return figures, results, after


def on_joblib(processes, strips, function, scan, kill):
    """(figures, results, what the terrain is afterwards): what a dead worker left undone is submitted again."""
    import joblib
    from joblib.externals.loky import get_reusable_executor
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    joblib.Parallel(n_jobs=processes)(joblib.delayed(os.getpid)() for _ in range(processes))
    numbered = joblib.delayed(lambda number, *arguments: (number, function(*arguments)))
    results = {}
    with Figures() as figures:
        while len(results) < len(scan):
            missing = [numbered(number, strips, *scan[number]) for number in range(len(scan)) if number not in results]
            try:
                mode = "c" if function is dig_in_place else "r"
                pool = joblib.Parallel(n_jobs=processes, return_as="generator_unordered", mmap_mode=mode)
                done = pool(missing)
                for number, result in done:
                    results[number] = result
                    if kill:
                        kill = os.kill(result[1], signal.SIGKILL)
            except TerminatedWorkerError:
                print(f"a worker died after {len(results)} jobs; the others are run again", file=sys.stderr)
    get_reusable_executor().shutdown()
    return figures, [results[number] for number in range(len(scan))], checksums(strips)


ENGINES = {"ray": on_ray, "joblib": on_joblib}


def checksums(strips):
    """The sums of parts of the terrain, which are the same however it is kept."""
    return (
        [float(part.sum()) for part in np.split(np.asarray(strips[0]), STRIPS)]
        if len(strips) == 1
        else [float(strip.sum()) for strip in strips]
    )


def measure(engine, kind, processes, count, mebibytes, kill):
    """One line's figures, and what must be the same in all."""
    make, function = KINDS[kind]
    strips = terrain(mebibytes)
    scan, before = jobs(count, STRIPS * len(strips[0])), checksums(strips)
    strips = make(strips)
    figures, results, after = ENGINES[engine](processes, strips, function, scan, kill)
    return {
        "seconds": figures.seconds,
        "peak": figures.peak,
        "copied": sum(copied for _, _, copied in results),
        "volumes": [volume for volume, _, _ in results],
        "unchanged": before == after,
    }


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--engine", choices=ENGINES, default="ray")
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--jobs", type=int, default=24)
    parser.add_argument("--mebibytes", type=int, default=1024, help="of the terrain")
    parser.add_argument("--kill", action="store_true", help="kill a worker in the middle")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.measure:
        print(json.dumps(measure(*json.loads(options.measure))))
        return
    seen = set()
    for processes in options.processes:
        for kind in KINDS:
            if kind.startswith("joblib") and (options.engine != "joblib" or processes == 1):
                continue  # one process maps nothing, and writes to what it is given
            row = [options.engine, kind, processes, options.jobs, options.mebibytes, options.kill]
            command = [sys.executable, __file__, "--measure", json.dumps(row)]
            found = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.splitlines()[-1])
            seen.add((found["unchanged"], *found["volumes"]))
            show(kind, processes, found)
    if len(seen) > 1 or not min(seen)[0]:
        sys.exit("a job saw what another one wrote")
    print("every job saw the terrain as it was, and the terrain is as it was")


if __name__ == "__main__":
    main(sys.argv[1:])
