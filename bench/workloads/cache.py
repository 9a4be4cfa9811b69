"""A cache that returns large arrays to callers, some of whom modify them.

The cache has 16 arrays of 8 MiB. Of 1,000 callers nine in ten read a part of what they get; the others change it, half
of them a few rows and half of them everything. The last four results stay alive. Today a cache copies on each return,
or hopes; the other ways return lazy copies from the same line.
"""

import random
import sys
from collections import deque

import numpy as np
from workload import checksum, main

WAYS = {"numpy": {}, "cowarray": {}, "torch": {}}


class Cache:
    """Computes an array when it is first asked for, and never lets a caller change it."""

    def __init__(self, compute, copy):
        self.compute = compute
        self.copy = copy
        self.arrays = {}

    def get(self, key):
        if key not in self.arrays:
            self.arrays[key] = self.compute(key)
        return self.copy(self.arrays[key])


def picture(key, side):
    """Whole numbers, so that sums are exact in any order."""
    row = np.arange(side, dtype=np.float64)
    return np.ascontiguousarray((row[:, None] * (key + 3) + row * row) % 251.0)


def job(library, small):
    side, callers = (32, 50) if small else (1024, 1000)
    keys = range(16)
    cache = Cache(lambda key: library.array(picture(key, side)), library.copy)
    chance = random.Random(20250101)
    requests = [(chance.choice(keys), chance.random(), chance.randrange(side - 8)) for _ in range(callers)]
    for key in keys:
        cache.get(key)
    yield

    answers = []
    alive = deque(maxlen=4)
    for key, what, row in requests:
        array = cache.get(key)
        if what < 0.05:
            array[row : row + 8] = 0.0
        elif what < 0.10:
            array -= 128.0
        answers.append(float(array[row : row + 8].sum()))
        alive.append(array)

    return lambda: [answers, [checksum(array) for array in (*cache.arrays.values(), *alive)]]


if __name__ == "__main__":
    sys.exit(main("cache"))
