"""A chain of operations, forward and backward, under a budget: what is computed again, beside the published figures.

    python tests/budget/chains.py     prints the table; takes some seconds

The published ones are those of the authors' simulator with the same program: N operations forward, and N backward, each
of which takes what the forward one took and what the backward one before gave. Each array takes 1, each operation 1.
They are printed as the simulator gives them; among equals it evicts the one that became evictable last, and `Pools` the
one that was used longest ago, which is why the heuristics that meet many equals do better here.
"""

import math
import sys

from cowarray._modes.budget.replaying import replay
from cowarray._modes.budget.run_log import Call, Release, Result

# (N, memory): what is computed over 2 N, of (dtr, local, lru, size)
PUBLISHED = {
    (64, 16): (1.38, 2.26, 2.26, 10.6),
    (256, 32): (1.45, 4.87, 4.87, 50.7),
    (1024, 64): (1.48, 13.99, 13.99, math.inf),
    (1024, 512): (1.25, 1.25, 1.25, math.inf),
    (1024, 40): (1.69, 34.2, 34.2, math.inf),
}
HEURISTICS = ("dtr", "local", "lru", "size")
LIMIT = 100.0


def chain(n, nbytes=1, time=1):
    """The log of a chain, as `read_log` gives it."""
    records = []

    def call(name, args):
        records.append(Call("f", (Result(name, nbytes, -1),), tuple(args), time))

    for i in range(n):
        call(f"f{i}", [f"f{i - 1}"] if i else [])
    records.append(Release(f"f{n - 1}"))
    call(f"b{n - 1}", [])
    for i in reversed(range(n - 1)):
        records.append(Release(f"f{i}"))
        call(f"b{i}", [*([f"f{i - 1}"] if i else []), f"b{i + 1}"])
        records.append(Release(f"b{i + 1}"))
    return list(enumerate(records, 1))


def ratio(n, memory, heuristic):
    """What is computed over what the chain has; infinite beyond the limit."""
    found = replay(chain(n), memory, heuristic, remat_limit=LIMIT, end="keep")
    assert found.peak_bytes <= memory
    return math.inf if found.stopped else found.compute_ratio


def shown(figure):
    return f"> {LIMIT:.0f}" if figure == math.inf else f"{figure:.2f}"


def main():
    print(f"{'N':>5}{'memory':>8}" + "".join(f"{name:>18}" for name in HEURISTICS) + "   (published)")
    for (n, memory), published in PUBLISHED.items():
        pairs = zip(HEURISTICS, published, strict=True)
        cells = [f"{shown(ratio(n, memory, name))} ({shown(figure)})" for name, figure in pairs]
        print(f"{n:5}{memory:8}" + "".join(f"{cell:>18}" for cell in cells))
    return 0


if __name__ == "__main__":
    sys.exit(main())
