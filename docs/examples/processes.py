"""A state of many MiB and several processes: a fork and a join, a sweep, and a pipeline.

Usage: python processes.py [MiB]
"""

import multiprocessing
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from typing import Any

import cowarray


def step(state: cowarray.ndarray[Any, Any], part: slice) -> cowarray.ndarray[Any, Any]:
    """Change some cells of a part."""
    state[part][::100_000] += 1.0
    return state


def energy(state: cowarray.ndarray[Any, Any], push: float) -> float:
    """What a parameter would give; the state is this task's own."""
    state[0] += push
    return float(state[:1000].sum())


def sharpen(inbox: Any, outbox: Any) -> None:
    """A stage of a pipeline: takes an image, writes to it, passes it on."""
    cowarray.by_descriptor.start()
    image = inbox.get()
    image[10:20] *= 2.0
    outbox.put(image)


def fork_and_join(state: cowarray.ndarray[Any, Any]) -> cowarray.ndarray[Any, Any]:
    n = len(state)
    quarters = [slice(i * n // 4, (i + 1) * n // 4) for i in range(4)]
    with (
        cowarray.by_descriptor(),
        ProcessPoolExecutor(2, initializer=cowarray.by_descriptor.start) as pool,
    ):
        began = time.perf_counter()
        merged = cowarray.merge(state, *pool.map(step, [state] * 4, quarters))
        took = time.perf_counter() - began
    print(f"fork and join: {took:.3f} s, {cowarray.changes(state, merged).nbytes} bytes changed")
    return merged


def sweep(state: cowarray.ndarray[Any, Any]) -> None:
    with cowarray.by_descriptor(), ProcessPoolExecutor(2) as pool:
        found = list(pool.map(energy, [state] * 8, map(float, range(8))))
    print(f"sweep: best {max(found)}, the state has {float(state[:1000].sum())}")


def pipeline(image: cowarray.ndarray[Any, Any], stages: int) -> None:
    queues = [multiprocessing.Queue() for _ in range(stages + 1)]
    workers = [multiprocessing.Process(target=sharpen, args=pair) for pair in pairwise(queues)]
    for worker in workers:
        worker.start()
    with cowarray.by_descriptor():
        queues[0].put(image)
        result = queues[-1].get()
    for worker in workers:
        worker.join()
    print(f"pipeline: {float(result[10])} after {stages} stages, {float(image[10])} before")


def main(mebibytes: int) -> None:
    state = cowarray.ones(mebibytes * 2**17)
    fork_and_join(state)
    sweep(state)
    pipeline(state, 3)
    print(f"sent as bytes: {cowarray.by_descriptor.stats()['sent_as_bytes']}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1024)
