"""An array to a worker and back: descriptors beside pickles, shared memory, maps and torch.

Usage: python bench/between_processes.py [--mib 1024] [--rounds 9]

Each row: the median of what a call takes beyond an empty one, with one element changed by the worker. Then what four
workers send back that change one page in a hundred each, beside those pages; and the memory of all five processes that
hold the array, each page shared by the number of those that map it (proportional set size), beyond what they take
without it.
"""

import argparse
import multiprocessing
import os
import pickle
import statistics
import tempfile
import time
from multiprocessing import shared_memory
from multiprocessing.reduction import ForkingPickler

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


def change_some(x, which):
    """Every hundredth page."""
    x[512 * which :: 51200] = 1.0
    return x


def length_of_answer(x, which):
    """How many bytes the answer is; in place of it."""
    message = ForkingPickler.dumps(change_some(x, which))
    pickle.loads(message)  # nobody else will
    return len(message)


def proportional(process="self"):
    with open(f"/proc/{process}/smaps_rollup", encoding="ascii") as file:
        return sum(int(line.split()[1]) * 1024 for line in file if line.startswith("Pss:"))


def hold(x):
    """Reads all of it, and keeps it."""
    global held
    held = x
    return float(x.sum())


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


def together(mib):
    """Bytes that each of four workers sends for a changed one, and the memory of all, for each byte of the array."""
    n = mib * 2**17
    x = cowarray.by_page(cowarray.array(np.arange(n, dtype="f8")))
    workers = [Worker("descriptor") for _ in range(4)]
    processes = ["self", *(worker.process.pid for worker in workers)]
    with cowarray.by_descriptor():
        pages = len(range(0, n, 51200)) * 4096
        sent = max(worker.call(length_of_answer, x, i + 1)[1] for i, worker in enumerate(workers))
        parts = [worker.call(change_some, x, i + 1)[1] for i, worker in enumerate(workers)]
        assert cowarray.changes(x, cowarray.merge(x, *parts)).nbytes == 8 * sum(
            len(range(512 * i, n, 51200)) for i in range(1, 5)
        )
        del parts
        for worker in workers:
            worker.call(hold, x)
        x.sum()
        after = sum(map(proportional, processes))
        for worker in workers:
            worker.call(hold, np.zeros(1))
        del x
        before = sum(map(proportional, processes))
    for worker in workers:
        worker.end()
    return sent / pages, (after - before) / (8 * n)


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
    sent, memory = together(chosen.mib)
    print(f"four workers change 1 %: each sends {sent:.3f} of its changed pages")
    print(f"the sender and four workers hold it: {memory * chosen.mib:,.0f} MiB of proportional set size in all")


if __name__ == "__main__":
    main()
