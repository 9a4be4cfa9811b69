"""Random programs, deferred and at once: every array must be the same, bit for bit, in whatever order it is asked for.

A program is a list of lines over arrays. The oracle runs it with this library at once, in its own order. Under test,
each line runs inside `deferred` or outside; from time to time a value is asked for, an input is changed, an array is
dropped. At the end the arrays are made in random order, some of them by several threads.
"""

import argparse
import contextlib
import random
import sys
import threading

import numpy as np

import cowarray

DTYPES = ("float64", "float32", "int64", "int16", "complex128", "bool")


class Program:
    """Lines, made one by one from what the lines before have made.

    Parameters
    ----------
    seed : int
    length : int
    large : float
        How many of the arrays have 300 KB.
    """

    def __init__(self, seed, length=24, large=0.0):
        self.large = large
        self.random = random.Random(seed)
        self.lines = []
        self.shapes = {}  # by variable, as known from the oracle
        self.seed = seed
        self.length = length

    def new_name(self):
        return f"x{len(self.shapes)}"

    def birth(self, eager):
        shape = tuple(self.random.choice((1, 2, 3, 4, 6)) for _ in range(self.random.randint(1, 3)))
        if self.random.random() < self.large:
            shape = (260, 150)  # whose results have blocks of their own
        dtype = self.random.choice(DTYPES)
        return self.random.choice(
            (
                f"cw.zeros({shape}, {dtype!r})",
                f"cw.ones({shape}, {dtype!r})",
                f"cw.full({shape}, 3, {dtype!r})",
                f"cw.arange({int(np.prod(shape))}.0).reshape({shape})",
                f"rng.normal(size={shape})",
                f"rng.integers(0, 9, size={shape})",
                f"rng.random({shape}, dtype='float32')",
                "cw.asarray(given) * 1",
                "given2[1:] + 1",
                "given2[::-1] * 2",
                "given2[1::3].reshape(3, 1) + given[::-1, ::2].T[:1]",
                "cw.ones((3, 2)) - given.T",
                "cw.add.reduce(cw.multiply(numbers.reshape(20, 10)[::-1, 1::2], 3))",
                f"cw.add.reduce(outside.reshape(20, 10)[::{self.random.choice((1, -1, 2))}, ::-1], axis=0)",
            )
        )

    def index(self, shape):
        parts = []
        for length in shape:
            parts.append(
                self.random.choice(
                    (
                        ":",
                        "::-1",
                        "1:",
                        f"{self.random.randrange(length)}" if length else ":",
                        "::2",
                        ":",
                        ":",
                    )
                )
            )
        return ", ".join(parts[: self.random.randint(1, len(parts))]) if parts else "..."

    def line(self, eager):
        """A line of the program, as the oracle's variables allow."""
        names = [name for name in eager if name.startswith("x") and isinstance(eager[name], cowarray.ndarray)]
        made = self.new_name()
        if len(names) < 3 or self.random.random() < 0.12:
            return f"{made} = {self.birth(eager)}"
        x = self.random.choice(names)
        same = [name for name in names if eager[name].shape == eager[x].shape]
        y = self.random.choice(same)
        index = self.index(eager[x].shape)
        shape, size, step = eager[x].shape, eager[x].size, self.random.choice((1, -1, 2))
        begin = self.random.randrange(2)
        given = f"{self.random.choice(('numbers', 'outside'))}[{begin}:{begin + size}].reshape({shape})"
        if size > 190 or not size:
            given = "given2[3]"
        elif shape:
            given += f"[::{step}][:{shape[0]}]"
        return self.random.choice(
            (
                f"{made} = {x} + {y}",
                f"{made} = {x} * 2",
                f"{made} = -{x}" if eager[x].dtype != bool else f"{made} = ~{x}",
                f"{made} = cw.sin({x})",
                f"{made} = {x} < {y}"
                if "complex" not in str(eager[x].dtype) + str(eager[y].dtype)
                else f"{made} = {x} == {y}",
                f"{made} = {x}[{index}]",
                f"{made} = {x}[{index}]",
                f"{made} = {x}.T",
                f"{made} = {x}.reshape(-1)",
                f"{made} = {x}.copy()",
                f"{made} = {x}.astype('float32')" if "complex" not in str(eager[x].dtype) else f"{made} = {x}.real",
                f"{made} = {x}.sum(axis=0)" if eager[x].ndim else f"{made} = {x} + 0",
                f"{made} = {x}.sum()",
                f"{made} = cw.concatenate([{x}, {y}])" if eager[x].ndim else f"{made} = {x} + 0",
                f"{made} = cw.where({x} == {y}, {x}, 0)",
                f"{made} = {x}.mean(axis=-1)" if eager[x].ndim else f"{made} = {x} * 1",
                f"{made} = {x} @ {x}.T" if eager[x].ndim == 2 else f"{made} = {x} * {x}",
                f"{made} = cw.cumsum({x})",
                f"{made}, {made}_r = cw.divmod({x}, 2)" if eager[x].dtype.kind in "fi" else f"{made} = {x}.conj()",
                f"{x}[{index}] = {self.random.randrange(9)}",
                f"{x}[{index}] = {x}[{index}]",
                f"{x}[...] = {y}" if eager[x].dtype == eager[y].dtype else f"{x}[...] = 1",
                f"{x} += 1" if eager[x].dtype != bool else f"{x} ^= True",
                f"{x} += {y}" if eager[x].dtype == eager[y].dtype and eager[x].dtype != bool else f"{x}.fill(1)",
                f"{x}[{index}] += 1" if eager[x].dtype != bool else f"{x}[{index}] = True",
                f"{x}.sort()" if eager[x].ndim else f"{x}.fill(2)",
                f"cw.copyto({x}, {y}, casting='unsafe')",
                f"cw.multiply({x}, {y}, out={x}, casting='unsafe')",
                f"given[...] = {self.random.randrange(9)}",
                f"given2 += {self.random.randrange(9)}",
                f"{made} = {x} + {given}" if step != 2 else f"{made} = {x} * numbers[{begin}]",
                f"{made} = {given} * {x}" if step != 2 else f"{made} = cw.sin({given})",
                f"numbers[{begin}::7] += 1",
                f"outside[{begin}::7] -= 1",
                f"rng.shuffle({x})" if eager[x].ndim else f"{made} = rng.normal()",
                f"{made} = rng.permutation({self.random.randrange(5)})",
                f"del {x}",
            )
        )


def start(seed):
    """The variables that a program begins with."""
    return {
        "cw": cowarray,
        "rng": cowarray.random.default_rng(seed),
        "given": np.arange(6.0).reshape(2, 3),
        "given2": cowarray.arange(8.0),
        "numbers": np.linspace(-2, 2, 200),
        "outside": cowarray.linspace(-2, 2, 200),
    }


def bits(value):
    """What an array, or NumPy's scalar, is: shape, dtype and bytes; NaNs by their bits."""
    array = np.asarray(value)
    return array.shape, array.dtype.str, array.tobytes()


def run(seed, length=24, threads=False, large=0.0):
    """Run one program both ways.

    Returns
    -------
    list of str
        The program, and what differs; empty where nothing does.
    """
    program = Program(seed, length, large)
    choose = random.Random(seed + 1)
    eager, later = start(seed), start(seed)
    lines = []
    inside = cowarray.deferred()
    with np.errstate(all="ignore"):
        for _ in range(length):
            line = program.line(eager)
            error = attempt(line, eager)
            program.shapes[f"x{len(program.shapes)}"] = None
            if choose.random() < 0.85:
                with inside:
                    lines.append(f"    {line}")
                    found = attempt(line, later)
            else:
                lines.append(line)
                found = attempt(line, later)
            if error != found:
                return [*lines, f"# {error} is {found}"]
            if choose.random() < 0.08:
                asked = choose.choice([name for name in eager if name.startswith("x")])
                lines.append(f"# {asked} is asked for")
                with choose.choice((inside, contextlib.nullcontext(), cowarray.fake(), cowarray.no_copy())):
                    found = bits(later[asked])
                if bits(eager[asked]) != found:
                    return [*lines, f"# {asked}: {eager[asked]!r} is {later[asked]!r}"]
        names = [name for name in eager if name.startswith(("x", "given", "numbers", "outside"))]
        choose.shuffle(names)
        if threads:
            ask_at_once([later[name] for name in names])
        lines.append(f"# asked in order {names}")
        for name in names:
            if bits(eager[name]) != bits(later[name]):
                return [*lines, f"# {name}: {eager[name]!r} is {later[name]!r}"]
    if eager["rng"].bit_generator.state != later["rng"].bit_generator.state:
        return [*lines, "# the generators differ"]
    return []


def attempt(line, names):
    try:
        exec(line, names)
    except Exception as error:
        return type(error)
    return None


def ask_at_once(arrays):
    barrier = threading.Barrier(8)

    def ask(shift):
        barrier.wait()
        for i in range(len(arrays)):
            bits(arrays[(i + shift) % len(arrays)])

    workers = [threading.Thread(target=ask, args=(i,)) for i in range(8)]
    for each in workers:
        each.start()
    for each in workers:
        each.join()


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", action="store_true", help="eight threads ask at once")
    parser.add_argument("--large", type=float, default=0.0, help="how many of the arrays have 300 KB")
    options = parser.parse_args()
    differing = 0
    for i in range(options.programs):
        found = run(options.seed * 1_000_003 + i, threads=options.threads, large=options.large)
        if found:
            differing += 1
            print(f"seed {options.seed * 1_000_003 + i}:", *found, sep="\n")
            if differing == 3:
                break
    print(f"{options.programs} programs, {differing} different")
    sys.exit(differing != 0)


if __name__ == "__main__":
    main()
