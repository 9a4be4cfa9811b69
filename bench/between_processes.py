"""An array to a worker and back: descriptors beside pickles, shared memory, maps and torch.

Usage: python bench/between_processes.py [--mib 1024] [--rounds 9]

Each row: the median of what a call takes beyond an empty one, with one element changed by the worker.
"""

import argparse
import multiprocessing
import os
import statistics
import tempfile
import time
from multiprocessing import shared_memory

import numpy as np

import cowarray


def nothing(value):
    return value


def change(x):
    x[7] = 1.0
    return x


def change_shared(name, shape):
    """A copy of a shared block, as whoever must not be seen by others makes it; and back in one of its own."""
    block = shared_memory.SharedMemory(name)
    x = np.ndarray(shape, "f8", block.buf).copy()
    block.close()
    x[7] = 1.0
    back = shared_memory.SharedMemory(create=True, size=x.nbytes)
    np.ndarray(shape, "f8", back.buf)[:] = x
    back.close()
    return back.name


def change_mapped(path):
    """Nothing but the element comes back."""
    x = np.load(path, mmap_mode="c")
    x[7] = 1.0
    return float(x[7])


def serve(connection, mode):
    if mode == "descriptor":
        cowarray.by_descriptor.start()
    if mode == "torch":
        pass  # its reducers
    while (call := connection.recv()) is not None:
        function, arguments = call
        connection.send(function(*arguments))


def change_torch(x):
    y = x.clone()  # what it gets is shared, and can be written to by all
    y[7] = 1.0
    return y


class Worker:
    def __init__(self, mode=""):
        context = multiprocessing.get_context("spawn")
        self.ours, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(theirs, mode))
        self.process.start()

    def call(self, function, *arguments):
        began = time.perf_counter()
        self.ours.send((function, arguments))
        value = self.ours.recv()
        return time.perf_counter() - began, value

    def end(self):
        self.ours.send(None)
        self.process.join()


def measure(worker, rounds, function, *arguments, after=lambda value: None):
    """Seconds of each call beyond an empty one; the worker ends."""
    after(worker.call(function, *arguments)[1])
    taken = []
    for _ in range(rounds):
        empty, _ = worker.call(nothing, 1)
        took, value = worker.call(function, *arguments)
        began = time.perf_counter()
        after(value)
        taken.append(took - empty + time.perf_counter() - began)
        del value
    worker.end()
    return taken


def by_descriptor(n, rounds):
    x = cowarray.by_page(cowarray.array(np.arange(n, dtype="f8")))
    with cowarray.by_descriptor():
        return measure(Worker("descriptor"), 5 * rounds, change, x)


def pickled(n, rounds):
    return measure(Worker(), rounds, change, np.arange(n, dtype="f8"))


def in_shared_memory(n, rounds):
    values = np.arange(n, dtype="f8")
    block = shared_memory.SharedMemory(create=True, size=values.nbytes)
    np.ndarray(values.shape, "f8", block.buf)[:] = values

    def take_back(name):
        back = shared_memory.SharedMemory(name)
        np.ndarray(values.shape, "f8", back.buf).copy()
        back.close()
        back.unlink()

    taken = measure(Worker(), rounds, change_shared, block.name, values.shape, after=take_back)
    block.close()
    block.unlink()
    return taken


def mapped(n, rounds):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.npy")
        np.save(path, np.arange(n, dtype="f8"))
        return measure(Worker(), rounds, change_mapped, path)


def cloned_by_torch(n, rounds):
    import torch
    import torch.multiprocessing

    return measure(Worker("torch"), rounds, change_torch, torch.arange(n, dtype=torch.float64))


# Each gives the seconds of the rounds, of so many numbers.
WAYS = {
    "cowarray, by descriptor": by_descriptor,
    "multiprocessing's pickles": pickled,
    "shared_memory, copied": in_shared_memory,
    'np.load(mmap_mode="c"), one way': mapped,
    "torch.multiprocessing, cloned": cloned_by_torch,
}


def main(words=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--mib", type=int, default=1024)
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args(words)
    print(f"| {chosen.mib} MiB to a worker and back | ms |\n|---|---|")
    for name, way in WAYS.items():
        try:
            print(f"| {name} | {statistics.median(way(chosen.mib << 17, chosen.rounds)) * 1e3:,.1f} |", flush=True)
        except ImportError as error:
            print(f"{name}: left out: {error}")


if __name__ == "__main__":
    main()
