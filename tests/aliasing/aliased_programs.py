"""Random programs that go in and out of `cowarray.aliasing`: inside they must do what NumPy does, with all its aliases;
outside, what NumPy does where each copy in meaning is a copy.

A program is run on NumPy's arrays and on ours, line by line. Outside, NumPy's result of a copy in meaning is copied, an
export is a copy that nobody can write to, and an import is a copy. Then all arrays and exports must have the same
values in both worlds, whoever wrote where, and wherever the block began or ended in between.

``python tests/aliasing/aliased_programs.py --programs 100000 --seed 7`` prints how many lines of each kind ran.
"""

import argparse
import contextlib
import random
import sys
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

import cowarray

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # where it is run by hand

from support.lines import SHAPES, names_for, weighted

VIEWS = [
    "x[k]",
    "x.T",
    "x[::-1]",
    "x[..., ::2]",
    "x[...]",
    "lib.swapaxes(x, 0, -1)",
    "x[None]",
    "lib.expand_dims(x, 0)",
    "x.view()",
    "x.view('u8')",
    "lib.broadcast_to(x, (2, *x.shape))",
    "x.diagonal() if x.ndim == 2 else x[...]",
]
MEANT = [
    "x.reshape(-1)",
    "x.ravel()",
    "lib.reshape(x, s)",
    "x.reshape(s)",
    "x.reshape(-1, order='F')",
    "x.ravel('K')",
    "x.ravel('F')",
    "lib.ravel(x)",
    "lib.atleast_2d(x)",
    "lib.atleast_3d(x)",
    "lib.asanyarray(x)",
    "lib.ascontiguousarray(x)",
    "lib.asfortranarray(x)",
    "lib.require(x)",
    "lib.require(x, requirements='F')",
    "x.conj()",
]
SAME = ["lib.asarray(x)", "lib.asarray(x, dtype=x.dtype)", "lib.array(x, copy=None)", "x.astype(x.dtype, copy=False)"]
COPIES = [
    "x.copy()",
    "x.flatten()",
    "x.flatten('F')",
    "lib.array(x)",
    "x.astype(x.dtype)",
    "x.copy('F')",
    "x.T.copy()",
    "lib.copy(x)",
    "lib.asarray(x, copy=True)",
    "x + c",
    "lib.sort(x)",
    "lib.concatenate([x, x])",
]
# What goes out to NumPy: an alias inside, and outside a value that nobody can write to.
EXPORTS = [
    "numpy.asarray(x)",
    "numpy.asarray(memoryview(x))",
    "numpy.asarray(x.data)",
    "x.__array__()",
    "numpy.frombuffer(x, x.dtype)",
    "numpy.ascontiguousarray(x)",
    "numpy.atleast_1d(numpy.asarray(x))",
]
WRITABLE_EXPORTS = ["out(x)"]  # aliases inside and outside
IMPORTS = ["lib.asarray(x)", "lib.asanyarray(x)", "lib.asarray(x[::-1])"]
WRITES = [
    "x[i] = c",
    "x[k] = c",
    "x[...] = c",
    "x[m] = c",
    "x[f] = c",
    "x.fill(c)",
    "x.flat[j] = c",
    "x.put([j], c)",
    "x += c",
    "x[k] *= 3",
    "numpy.add(x, c, out=x)",
    "numpy.add.at(x, i, c)",
    "x.sort()",
    "x.reshape(-1)[j] = c",
    "x.ravel()[::2] = c",
    "numpy.asarray(x)[i] = c",
    "memoryview(x)[i] = c",
    "x[...] = x[::-1].copy()",
]
PAIRS = ["y[...] = x", "y += x", "numpy.add(x, c, out=y)", "y[...] = x[..., ::-1]", "numpy.copyto(y, x)"]
KINDS = [
    (VIEWS, "view", 4),
    (MEANT, "meant", 5),
    (SAME, "same", 1),
    (COPIES, "copy", 3),
    (EXPORTS, "export", 3),
    (WRITABLE_EXPORTS, "writable export", 0.5),
    (IMPORTS, "import", 2),
    (WRITES, "write", 8),
    (PAIRS, "pair", 2),
    (["del"], "del", 2),
    (["in or out"], "turn", 2),
    (["x.flags.writeable = False"], "close", 0.2),
]


def compiled(text, kind):
    """A line's code, if it has some."""
    if kind in ("del", "turn"):
        return text
    return compile(text, text, "exec" if kind in ("write", "pair", "close") else "eval")


LINES = [(compiled(text, kind), text, kind, weight) for text, kind, weight in weighted(KINDS)]
WEIGHTS = [weight for *_, weight in LINES]


class Pair:
    """One array of the program, or an export: NumPy's and ours."""

    def __init__(self, numpys, ours):
        self.numpys, self.ours = numpys, ours

    @property
    def is_out(self):
        return type(self.ours) is np.ndarray


class Program:
    """A random program."""

    def __init__(self, seed, length=16, blocks=cowarray.aliasing, around=contextlib.nullcontext):
        self.random = random.Random(seed)
        self.length = length
        self.blocks = blocks
        self.around = around
        self.is_plain = blocks is cowarray.aliasing and around is contextlib.nullcontext
        self.tally = Counter()
        self.text = [f"seed {seed}"]
        self.pool = []
        self.open = None

    def run(self):
        shape = self.random.choice(SHAPES)
        start = np.arange(float(np.prod(shape))).reshape(shape).copy()
        with contextlib.ExitStack() as stack:
            stack.enter_context(warnings.catch_warnings(action="ignore"))
            stack.enter_context(np.errstate(all="ignore"))
            stack.enter_context(self.around())
            stack.callback(self.leave)
            self.pool.append(Pair(start, cowarray.array(start) if self.random.random() < 0.5 else made_of(start)))
            if self.random.random() < 0.5:
                self.enter()
            # Looking makes headers, and a reader of what was written: some programs look at the end alone.
            looks = self.random.random() < 0.5
            for _ in range(self.length):
                self.step()
                if looks:
                    self.look()
            self.look()
        self.look()
        return self

    def enter(self):
        self.open = self.blocks()
        self.open.__enter__()

    def leave(self):
        if self.open is not None:
            self.open.__exit__(None, None, None)
            self.open = None

    def listing(self):
        return "\n".join(self.text)

    def look(self):
        for number, pair in enumerate(self.pool):
            ours = pair.ours if pair.is_out else np.frombuffer(pair.ours.tobytes(), pair.ours.dtype)
            theirs = pair.numpys.ravel() if not pair.is_out else pair.numpys
            assert np.array_equal(ours, theirs, equal_nan=True), f"{number}: {ours} is not {theirs}\n{self.listing()}"
            assert pair.ours.shape == pair.numpys.shape, self.listing()
            assert pair.ours.flags.writeable == pair.numpys.flags.writeable, f"{number}: writable\n{self.listing()}"

    def step(self):
        code, text, kind, _ = self.random.choices(LINES, WEIGHTS)[0]
        if kind == "turn":
            self.text.append(text)
            if self.open is None:
                self.enter()
            else:
                self.leave()
            return
        if kind == "del":
            if len(self.pool) > 1:
                at = self.random.randrange(len(self.pool))
                self.text.append(f"del {at}")
                del self.pool[at]
            return
        at, second = self.random.randrange(len(self.pool)), self.random.randrange(len(self.pool))
        x, y = self.pool[at], self.pool[second]
        wants_out = kind == "import"
        if x.is_out != wants_out and kind not in ("view", "write", "pair"):
            return
        if not x.numpys.size or (x.numpys.dtype != np.float64 and kind != "view"):
            return
        if kind == "pair" and (x.numpys.shape != y.numpys.shape or y.numpys.dtype != np.float64):
            return
        if kind == "pair" and not y.numpys.flags.writeable:
            return  # NumPy does not refuse to write what lies there already
        if "add.at" in text and not x.numpys.flags.writeable:
            return  # which NumPy does not look at
        if "frombuffer" in text and not x.numpys.flags.c_contiguous:
            return
        if x.is_out and ("reshape" in text or "ravel" in text) and kind == "write":
            return  # NumPy's own, inside and outside
        if text in ("x.ravel()[::2] = c", "x.reshape(-1)[j] = c") and self.open is None:
            return  # lost, as meant
        if self.open is None and text.startswith(("numpy.asarray(x)[i]", "memoryview(x)")) and not x.is_out:
            return  # refused, as meant
        names = self.names(x.numpys)
        used = {name: value for name, value in names.items() if name in code.co_names}
        self.text.append(f"{'in ' if self.open else 'out'} {len(self.pool)}: {text}   # x = {at}, y = {second}, {used}")
        numpys, error = self.execute(code, names, x.numpys, y.numpys, np)
        ours, raised = self.execute(code, names, x.ours, y.ours, np if x.is_out and not wants_out else cowarray)
        assert error == raised, f"{error} is not {raised}\n{self.listing()}"
        self.tally[f"{kind}, {'inside' if self.open else 'outside'}" + (", refused" if error else "")] += 1
        if error is None and kind not in ("write", "pair", "close"):
            self.keep(kind, text, x, numpys, ours)
        if len(self.pool) > 9:
            del self.pool[self.random.randrange(len(self.pool))]

    def keep(self, kind, text, x, numpys, ours):
        inside = self.open is not None
        aliases = np.may_share_memory(numpys, x.numpys) and np.shares_memory(numpys, x.numpys)
        if not inside and kind in ("meant", "import"):
            numpys, aliases = alike(numpys, ours), False
        elif not inside and kind == "export":
            numpys = alike(numpys, ours)
            numpys.flags.writeable = ours.flags.writeable and "contiguous" in text  # which may copy what it gets
        elif kind == "import" and not numpys.flags.writeable and ours.flags.writeable:
            assert not has_writable_base(x.ours), self.listing()
            numpys = alike(numpys, ours)  # memory that nobody can write to comes in as a value
        elif numpys is x.numpys and ours is not x.ours:
            numpys = numpys.view()  # ours is another object, with a flag of its own
        elif not aliases and kind != "export":
            assert lie_alike(numpys, ours), f"{numpys.strides} is not {ours.strides}\n{self.listing()}"
        if not x.is_out and type(ours) is not np.ndarray and kind != "import":
            assert cowarray.aliases(ours, x.ours) == aliases, f"aliases: {aliases}\n{self.listing()}"
            if inside and kind in ("meant", "same"):
                # In other modes, another object on the same bytes.
                assert (ours is x.ours) == (numpys is x.numpys) or not self.is_plain, f"itself\n{self.listing()}"
        self.pool.append(Pair(numpys, ours))

    def execute(self, code, names, x, y, lib):
        values = {**names, "x": x, "y": y, "lib": lib, "numpy": np, "out": out}
        try:
            return eval(code, values), None  # of a statement: None
        except (ValueError, TypeError, IndexError) as error:
            return None, type(error)

    def names(self, x):
        return names_for(self.random, x, lambda: self.random.randrange(1, 1000))


def made_of(values):
    """Values computed by us: in some modes they are made in another way than what comes in."""
    return cowarray.arange(float(values.size)).reshape(values.shape)


def out(x):
    """`x.to_numpy(writable=True)`, or what NumPy has for it."""
    if type(x) is not np.ndarray:
        return x.to_numpy(writable=True)
    if not x.flags.writeable:
        raise ValueError("read-only")
    return x.view()


def has_writable_base(array):
    while type(array.base) is np.ndarray:
        array = array.base
        if array.flags.writeable:
            return True
    return False


def steps(array):
    return [step for n, step in zip(array.shape, array.strides, strict=True) if n > 1]


def lie_alike(one, other):
    return one.shape == other.shape and steps(one) == steps(other)


def alike(values, ours):
    """A copy of values, laid out as ours, whose layout later lines see."""
    low = sum(min(0, (n - 1) * step) for n, step in zip(ours.shape, ours.strides, strict=True))
    high = sum(max(0, (n - 1) * step) for n, step in zip(ours.shape, ours.strides, strict=True)) + ours.itemsize
    place = np.empty(high - low, "u1")
    made = np.ndarray(ours.shape, values.dtype, place, -low, ours.strides)
    made[...] = values
    return made


def run_many(programs, seed, **options):
    """Run programs, and count their lines by kind."""
    tally = Counter()
    for number in range(programs):
        tally += Program(seed * 1_000_003 + number, **options).run().tally
    return tally


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    tally = run_many(arguments.programs, arguments.seed)
    print(f"{arguments.programs} programs, {sum(tally.values())} lines")
    for kind, times in sorted(tally.items()):
        print(f"{kind}: {times}")


if __name__ == "__main__":
    sys.exit(main())
