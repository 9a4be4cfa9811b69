"""An ensemble: one large state, and many threads that each perturb a part of it and look at the result.

The state is eight fields of 32 MiB, 256 MiB in all, shared by 24 members, of which eight threads work on one each. A
member takes a copy of the whole state, because it must not disturb the others. It raises one level of one field and
scales another field as a whole. Then it computes diagnostics from all fields. Today the state is copied for each
member.
"""

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from workload import checksum, main

WAYS = {"numpy": {}, "cowarray": {}, "torch": {}}
FIELDS = ("temperature", "humidity", "pressure", "east", "north", "up", "ozone", "cloud")
THREADS = 8


def field(number, levels, side):
    """Whole numbers, so that sums are exact in any order."""
    row = np.arange(side, dtype=np.float64)
    level = np.arange(levels, dtype=np.float64)[:, None, None]
    return np.ascontiguousarray((row[:, None] * (number + 2) + row * 5 + level * 7) % 127.0)


def job(library, small):
    levels, side, members = (4, 8, 4) if small else (64, 256, 24)
    state = {name: library.array(field(number, levels, side)) for number, name in enumerate(FIELDS)}
    yield

    def member(number):
        own = {name: library.copy(array) for name, array in state.items()}
        level = number % levels
        own[FIELDS[number % 8]][level] += float(number)
        scaled = own[FIELDS[(number + 3) % 8]]
        scaled *= 2.0
        return [float(array[level].sum()) for array in own.values()]

    with ThreadPoolExecutor(THREADS) as pool:
        diagnostics = list(pool.map(member, range(members)))

    return lambda: [diagnostics, [checksum(array) for array in state.values()]]


if __name__ == "__main__":
    sys.exit(main("ensemble"))
