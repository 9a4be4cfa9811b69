"""What an operation on fakes costs, and what recording it costs beside that.

usage: recording.py

Prints the least time of an operation inside `fake`, inside `deferred`, the difference, and the median over operations
of many kinds inside `fake`, in microseconds. Nothing is computed: the times do not depend on sizes. Then the least time
of operations on 1,000 numbers as ever, inside a `budget` that is never reached, and the difference.
"""

import contextlib
import statistics
import time

import numpy

import cowarray
from cowarray import budget, deferred, fake

ROUNDS = 9
TIMES = 2000
OPERATIONS = (
    "x + y", "x * 2", "x[::2]", "x.T", "x.copy()", "x[0, 0, 0]", "x.sum(axis=1)", "x.mean(axis=0)", "x.reshape(-1)",
    "cowarray.zeros((3, 4))", "x[0]", "m @ m", "cowarray.sin(x)", "x > 0", "cowarray.concatenate([x, y])",
    "cowarray.where(x > 0, x, y)", "x[:, [1, 2]]", "x.std(0)", "x.max()", "cowarray.swapaxes(x, 0, 1)",
)  # fmt: skip

MANAGED = {
    "x + y": lambda x, y, m: x + y,
    "x * 2.0": lambda x, y, m: x * 2.0,
    "tanh(x)": lambda x, y, m: cowarray.tanh(x),
    "numpy.tanh(x)": lambda x, y, m: numpy.tanh(x),
    "x += y": lambda x, y, m: x.__iadd__(y),
    "add(x, y, out=x)": lambda x, y, m: cowarray.add(x, y, out=x),
    "x.sum()": lambda x, y, m: x.sum(),
    "x.copy()": lambda x, y, m: x.copy(),
    "x[1:]": lambda x, y, m: x[1:],
    "m @ m": lambda x, y, m: m @ m,
}


def additions(block):
    """The least time of an addition inside a block, in microseconds."""
    found = []
    with block():
        for _ in range(20 * ROUNDS):  # each so short that a busy machine seldom comes in between
            a, b = cowarray.zeros(10), cowarray.ones(10)
            start = time.perf_counter()
            for _ in range(TIMES // 20):
                _result = a + b
            found.append((time.perf_counter() - start) / (TIMES // 20) * 1e6)
    return min(found)


def managed(operation, block):
    """The least time of an operation on arrays that are computed inside a block, in microseconds."""
    found = []
    with block:
        for _ in range(20 * ROUNDS):  # each so short that a busy machine seldom comes in between
            x, y, m = cowarray.zeros(1000) + 0, cowarray.ones(1000) + 0, cowarray.ones((8, 8)) + 0
            start = time.perf_counter()
            for _ in range(TIMES // 20):
                operation(x, y, m)
            found.append((time.perf_counter() - start) / (TIMES // 20) * 1e6)
    return min(found)


def medians():
    """The median time of each operation inside `fake`, in microseconds."""
    with fake():
        names = {
            "x": cowarray.zeros((1 << 17, 1 << 10, 16)),
            "y": cowarray.zeros((1 << 17, 1 << 10, 16)),
            "m": cowarray.zeros((4096, 4096)),
            "cowarray": cowarray,
        }
        for text in OPERATIONS:
            code = compile(text, "", "eval")
            times = []
            for _ in range(300):
                start = time.perf_counter()
                eval(code, names)
                times.append(time.perf_counter() - start)
            yield text, statistics.median(times) * 1e6


def main():
    plain, recorded = additions(fake), additions(deferred)
    print(f"a + b: {plain:.2f} fake, {recorded:.2f} deferred, recording {recorded - plain:.2f}")
    found = dict(medians())
    for text, value in found.items():
        print(f"{value:8.1f}  {text}")
    print(f"{statistics.median(found.values()):8.1f}  median")
    print("within a budget that is never reached: as ever, managed, recording")
    for text, operation in MANAGED.items():
        before, within = managed(operation, contextlib.nullcontext()), managed(operation, budget("1 TiB", small=0))
        print(f"{before:8.2f} {within:8.2f} {within - before:8.2f}  {text}")


if __name__ == "__main__":
    main()
