"""What an operation on fakes costs, and what recording it costs beside that.

usage: recording.py

Prints the least time of an operation inside `fake`, inside `deferred`, the difference, and the median over operations
of many kinds inside `fake`, in microseconds. Nothing is computed: the times do not depend on sizes.
"""

import statistics
import time

import cowarray
from cowarray import deferred, fake

ROUNDS = 9
TIMES = 2000
OPERATIONS = (
    "x + y", "x * 2", "x[::2]", "x.T", "x.copy()", "x[0, 0, 0]", "x.sum(axis=1)", "x.mean(axis=0)", "x.reshape(-1)",
    "cowarray.zeros((3, 4))", "x[0]", "m @ m", "cowarray.sin(x)", "x > 0", "cowarray.concatenate([x, y])",
    "cowarray.where(x > 0, x, y)", "x[:, [1, 2]]", "x.std(0)", "x.max()", "cowarray.swapaxes(x, 0, 1)",
)  # fmt: skip


def additions(block):
    """The least time of an addition inside a block, in microseconds."""
    found = []
    for _ in range(ROUNDS):
        with block():
            a, b = cowarray.zeros(10), cowarray.ones(10)
            start = time.perf_counter()
            for _ in range(TIMES):
                _result = a + b
            found.append((time.perf_counter() - start) / TIMES * 1e6)
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


if __name__ == "__main__":
    main()
