"""Random programs, run in three worlds at once: what they compute with NumPy; what they would compute, were each copy
in meaning a copy; and `cowarray.simulate`, which must compute the first and find where the second differs.

A program is a list of lines. Each is run on NumPy's arrays; on arrays in which copies in meaning are copies, where what
is computed from a read is computed from NumPy's values (a finding is not followed); and on ours, compiled at a line
number of its own. So it is known of each line whether a value that it reads differs between the worlds.

``python tests/simulation/two_worlds.py --programs 100000 --seed 7`` prints how many lines were to be found, how many
were, and how many of those found differ.
"""

import argparse
import itertools
import random
import sys
import warnings
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np

import cowarray

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # where it is run by hand

from support.lines import SHAPES, names_for, weighted

NAME = "<program>"


class Line(NamedTuple):
    """A line of a program: its text, with arrays x and y, a key k and a number c; and what it does."""

    text: str
    kind: str


VIEWS = [
    "r = x[k]",
    "r = x.T",
    "r = x[::-1]",
    "r = x[..., ::2]",
    "r = x[...]",
    "r = np.swapaxes(x, 0, -1)",
    "r = np.flip(x)",
    "r = x[None]",
    "r = np.expand_dims(x, 0)",
    "r = np.array_split(x, 2)[0]",
    "r = next(iter(x[None]))",
    "r = np.squeeze(x[None], 0)",
]
MEANT = [
    "r = x.reshape(-1)",
    "r = x.ravel()",
    "r = np.reshape(x, s)",
    "r = x.reshape(s)",
    "r = np.atleast_2d(x)",
    "r = np.ravel(x)",
    "r = x.conj()",
    "r = x.ravel('K')",
    "r = x.reshape(-1, order='F')",
    "r = np.asanyarray(x)",
    "r = np.ascontiguousarray(x)",
    "r = np.asfortranarray(x)",
    "r = np.require(x)",
    "r = np.atleast_3d(x)",
]
COPIES = [
    "r = x.copy()",
    "r = x.flatten()",
    "r = np.array(x)",
    "r = x.astype(x.dtype)",
    "r = x.copy('F')",
    "r = x.flatten('F')",
    "r = np.copy(x)",
    "r = x.T.copy()",
    "r = x.T.flatten()",
]
WRITES = [
    "x[i] = c",
    "x[k] = c",
    "x[...] = c",
    "x[m] = c",
    "x[f] = c",
    "x.fill(c)",
    "x.flat[j] = c",
    "np.copyto(x, c)",
    "x.T[...] = c",
    "x.flat = c",
    "x.flat[::2] = c",
    "np.asarray(x)[k] = c",
]
TEMPORARY = ["x.reshape(-1)[j] = c", "x.ravel()[::2] = c", "x.reshape(-1)[::3] += c"]
UPDATES = ["x += c", "x *= 3", "x[k] += c", "np.add(x, c, out=x)"]
PICKED = ["x[i] += c", "x[f] += c"]
READS = [
    "r = x.sum()",
    "r = x[i]",
    "r = x[f]",
    "r = x[m]",
    "r = x.tolist()",
    "r = int(x[i])",
    "r = x + c",
    "r = np.max(x)",
    "r = x[k].sum()",
    "r = x.flat[j]",
    "r = np.where(x > 2, x, c)",
    "r = x.tobytes()",
    "r = np.concatenate([x, x])",
    "r = np.stack([x, x])",
    "r = np.cumsum(x)",
    "r = np.sort(x)",
    "r = x.max(axis=0)",
    "r = [int(e) for e in x.flat]",
    "r = x.T.sum()",
    "r = x[::-1].tolist()",
    "r = np.linalg.norm(x)",
]
PAIRS = ["np.add(x, c, out=y)", "y[...] = x", "y += x", "y[...] = x[..., ::-1]"]
# How often each kind of line comes.
KINDS = [
    (VIEWS, "view", 3),
    (MEANT, "meant", 5),
    (COPIES, "copy", 2),
    (WRITES, "write", 5),
    (TEMPORARY, "temporary", 2),
    (UPDATES, "update", 3),
    (PICKED, "picked", 1),
    (READS, "read", 6),
    (PAIRS, "pair", 2),
    (["del"], "del", 1),
]
LINES = [(Line(text, kind), weight) for text, kind, weight in weighted(KINDS)]


class Trio:
    """One array of the program, in each world."""

    def __init__(self, numpys, valued, ours):
        self.numpys, self.valued, self.ours = numpys, valued, ours

    def both(self):
        return self.numpys, self.valued

    def differ(self, pick=lambda array: array):
        return not np.array_equal(pick(self.numpys), pick(self.valued))


class Program:
    """A random program, as it runs. `missed` has the lines that had to be found and were not."""

    def __init__(self, seed, length=14):
        self.random = random.Random(seed)
        self.length = length
        self.tally = Counter()
        self.missed = []
        self.text = []
        self.pool = []
        self.counts = Counter()
        self.numbers = itertools.count(1000, 7)

    def run(self, exact=False):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", cowarray.AliasingWarning)
            with cowarray.simulate(exact=exact) as self.found:
                shape = self.random.choice(SHAPES)
                start = np.arange(np.prod(shape)).reshape(shape).copy()
                self.pool.append(Trio(start, start.copy(), cowarray.array(start)))
                for number in range(1, self.length + 1):
                    self.step(number)
            for trio in self.pool:
                assert np.array_equal(trio.ours.tolist(), trio.numpys.tolist()), self.listing()
        return self

    def listing(self):
        return "\n".join(self.text)

    def step(self, number):
        line = self.random.choices([line for line, _ in LINES], [weight for _, weight in LINES])[0]
        if line.kind == "del":
            if len(self.pool) > 1:
                del self.pool[self.random.randrange(len(self.pool))]
            return
        trio = self.random.choice(self.pool)
        other = self.random.choice(self.pool)
        x = trio.numpys
        if not x.size or (line.kind == "pair" and other.numpys.shape != x.shape):
            return
        if (
            line.text.startswith("np.add(x, c, out=y")
            and np.shares_memory(trio.valued, other.valued)
            and not (same_place(trio.valued, other.valued))
        ):
            return  # an update of elements by others: their values are followed no further
        names = self.names(x)
        which = f"x = {self.pool.index(trio)}, y = {self.pool.index(other)}"
        self.text.append(f"{number}: {line.text}   # {which}, {names}")
        code = compile("\n" * (number - 1) + line.text, NAME, "exec")
        differ = self.expected(line, trio, other, names)
        before = x[names["i"]].copy(), x[names["f"]].copy(), x.copy()
        results = [self.execute(code, names, trio.numpys, other.numpys, np)]
        results.append(self.execute_valued(line, code, names, trio, other, before))
        results.append(self.execute(code, names, trio.ours, other.ours, cowarray if "asarray" not in line.text else np))
        self.judge(line, number, differ)
        if line.kind in ("view", "meant", "copy"):
            if line.kind != "view":
                results[1] = results[1].copy(order="K")  # for 'K' reads elements as they lie
            self.pool.append(Trio(*results))
            assert results[0].shape == results[2].shape, self.listing()
        elif line.kind == "read":
            assert np.array_equal(np.asarray(results[0]), np.asarray(as_numpys(results[2]))), self.listing()

    def names(self, x):
        return names_for(self.random, x, lambda: next(self.numbers) if self.random.random() < 0.99 else 0)

    def execute(self, code, names, x, y, module):
        values = {**names, "x": x, "y": y, "np": module}
        exec(code, values)
        return values.get("r")

    def execute_valued(self, line, code, names, trio, other, before):
        """The line where copies in meaning are copies; what it computes from a read comes from NumPy's values."""
        x, y = trio.valued, other.valued
        if line.kind == "picked":
            key, at = ("i", 0) if "[i]" in line.text else ("f", 1)
            x[names[key]] = before[at] + names["c"]
        elif line.kind == "temporary":
            return None
        elif line.kind == "pair":
            read = before[2]
            if line.text.startswith("np.add"):
                # Into bytes of its operand it is an update, which follows.
                y[...] = (x if np.shares_memory(x, y) else read) + names["c"]
            elif line.text == "y += x":
                y += read
            elif not self.stays(line, trio, other):
                # Not what was read: between strided views that overlap, NumPy copies some elements twice.
                y[...] = other.numpys
        elif line.kind != "read":
            return self.execute(code, names, x, y, np)
        return None

    def expected(self, line, trio, other, names):
        """Whether a value that the line reads differs between the worlds."""
        if line.text.startswith("np.asarray(x)"):
            return trio.differ()  # who takes an array is a reader of all of it
        if line.kind in ("update", "read", "pair", "picked", "temporary"):
            if line.kind == "temporary" and "+=" not in line.text:
                return False
            picks = {
                "[i]": lambda array: array[names["i"]],
                "[f]": lambda array: array[names["f"]],
                "[m]": lambda array: array[names["m"]],
                "[k]": lambda array: array[names["k"]],
                "flat[j]": lambda array: array.reshape(-1)[names["j"]],
                "[::3]": lambda array: array.reshape(-1)[::3],
            }
            pick = next((pick for mark, pick in picks.items() if mark in line.text), lambda array: array)
            if self.stays(line, trio, other):
                return False
            return trio.differ(pick) or (line.text == "y += x" and other.differ())
        return False

    def stays(self, line, trio, other):
        """Whether the line writes a view to its own place, as the end of x[k] += c does: nobody reads anything."""
        turned = slice(None, None, -1 if "::-1" in line.text else None)
        return line.text.startswith("y[...] = x") and all(
            same_place(x[..., turned], y) for x, y in zip(trio.both(), other.both(), strict=True)
        )

    def judge(self, line, number, differ):
        counts = Counter()
        differed = False
        for each in self.found:
            assert each.accessed.filename == NAME
            counts[each.accessed.lineno] += each.times
            differed |= each.accessed.lineno == number and bool(each.differed)
        new = counts[number] > self.counts[number]
        assert all(counts[at] == self.counts[at] for at in counts if at != number), self.listing()
        self.counts = counts
        self.tally["lines"] += 1
        self.tally["differ"] += differ
        self.tally["found"] += new
        self.tally["found and differ"] += new and differ
        if differ and not new:
            self.missed.append((number, line.text))
        if self.found.exact:
            # Of what was changed in place after it differed, nobody knows, and it counts as different.
            assert differed or not differ, f"line {number}:\n{self.listing()}"
            self.tally["said to differ"] += differed


def same_place(x, y):
    """Whether both are one view; along an axis of length 1 strides say nothing."""
    steps = [[step for n, step in zip(each.shape, each.strides, strict=True) if n > 1] for each in (x, y)]
    return x.__array_interface__["data"] == y.__array_interface__["data"] and steps[0] == steps[1]


def as_numpys(value):
    return value.to_numpy() if isinstance(value, cowarray.ndarray) else value


def run_many(programs, seed, exact=False):
    """Run programs. Returns the tally, and the first program in which a line was missed, or None."""
    tally, first = Counter(), None
    for number in range(programs):
        program = Program(seed * 1_000_003 + number).run(exact)
        tally += program.tally
        if program.missed and first is None:
            first = program
    return tally, first


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--exact", action="store_true")
    arguments = parser.parse_args()
    tally, missed = run_many(arguments.programs, arguments.seed, arguments.exact)
    print(f"{arguments.programs} programs, {dict(tally)}")
    print(f"recall {tally['found and differ'] / max(tally['differ'], 1):.4f}")
    print(f"precision {tally['found and differ'] / max(tally['found'], 1):.4f}")
    if missed:
        print(missed.listing(), "\nmissed: line", missed.missed)
    return missed is not None


if __name__ == "__main__":
    sys.exit(main())
