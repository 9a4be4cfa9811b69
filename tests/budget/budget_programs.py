"""Random programs within a tight budget and at once: every array must be the same, bit for bit.

The programs are those of `deferred_programs.py`. Under test, lines run inside a budget of a few arrays, with a
heuristic chosen at random; from time to time arrays are evicted by hand, asked for, or handed out. Checksums are
compared.
"""

import argparse
import contextlib
import contextvars
import random
import sys
from pathlib import Path

import numpy as np

import cowarray

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "deferred"))
from deferred_programs import Program, ask_at_once, attempt, bits, start

HEURISTICS = ("dtr", "local", "lru", "size", "random")
# What fails, some of it when a part has been written; and what gives an array other bytes.
FAILING = (
    "with cw.errstate(all='raise'): {x} /= cw.arange({x}.size).reshape({x}.shape)",
    "with cw.errstate(all='raise'): cw.log({x} - 1, out={x})",
    "{x}.put([0, {size}, {x}.size + 1], 3)",
    "{x}[..., {size}] = 1",
    "{x}.resize({size})",
    "{x}.resize((2, {size}), refcheck=False)",
    "cw.apply_along_axis(lambda row: 1 / 0, 0, {x})",
    "{x}.sort(axis={size})",
)


def run(seed, length=30, large=0.0, threads=False, spill=None):
    """Run one program both ways.

    Returns
    -------
    list of str
        The program, and what differs; empty where nothing does.
    """
    program = Program(seed, length, large)
    choose = random.Random(seed + 1)
    plain, tight = start(seed), start(seed)
    lines = []
    nbytes = choose.choice((3_000, 10_000, 40_000)) if not large else choose.choice((2_000_000, 5_000_000))
    budget = cowarray.budget(
        nbytes,
        heuristic=choose.choice(HEURISTICS),
        cost=choose.choice(("clock", "model")),
        small=choose.choice((0, 0, 64)),
        sample=choose.random() < 0.2,
        verify=True,
        spill=spill if choose.random() < 0.5 else None,
    )
    lines.append(f"# {nbytes} bytes, {budget._run.pools.heuristic}")
    exports = []
    with np.errstate(all="ignore"):
        outside = contextvars.copy_context()
        with budget:
            for _ in range(length):
                line = program.line(plain)
                lines.append(line)
                found = attempt(line, tight)
                if found is MemoryError:
                    lines[-1] += "  # does not fit"
                    if "+=" in line or "rng." in line:
                        break  # it may have drawn, or written what it read
                    program.shapes[f"x{len(program.shapes)}"] = None
                    continue
                error = outside.run(attempt, line, plain)
                program.shapes[f"x{len(program.shapes)}"] = None
                if error != found:
                    return [*lines, f"# {error} is {found}"]
                if budget.peak_bytes > nbytes:
                    return [*lines, f"# {budget.peak_bytes} bytes at once"]
                found = _meddle(choose, outside, plain, tight, lines, exports)
                if found:
                    return [*lines, found]
        for name in [name for name in plain if name.startswith("x")]:
            if choose.random() < 0.5:
                _evict(tight[name])
        names = [name for name in plain if name.startswith(("x", "given", "numbers", "outside"))]
        choose.shuffle(names)
        lines.append(f"# asked in order {names}")
        if threads:
            ask_at_once([tight[name] for name in names])
        for name in names:
            if bits(plain[name]) != bits(tight[name]):
                return [*lines, f"# {name}: {plain[name]!r} is {tight[name]!r}"]
    return []


def _meddle(choose, outside, plain, tight, lines, exports):
    """What somebody else may do between two lines."""
    names = [name for name in plain if name.startswith("x")]
    if not names:
        return None
    name = choose.choice(names)
    what = choose.random()
    x = tight[name]
    is_array = isinstance(x, cowarray.ndarray)
    try:
        if what < 0.15:
            lines.append(f"# {name} is evicted")
            _evict(x)
        elif what < 0.2:
            lines.append(f"# {name} is asked for")
            if bits(x) != bits(plain[name]):
                return f"# {name}: {plain[name]!r} is {x!r}"
        elif what < 0.23 and is_array:
            lines.append(f"# {name} is exported")
            exports.append(memoryview(x))
        elif what < 0.26 and is_array and x.flags.writeable:
            lines.append(f"# {name} is written from outside")
            x.to_numpy(writable=True)[...] = 1
            plain[name].to_numpy(writable=True)[...] = 1
        elif what < 0.29 and is_array:
            lines.append(f"# {name} is decheckpointed")
            cowarray.decheckpoint(x)
        elif what < 0.32:
            exports.clear()
        elif what < 0.36:
            lines.append(f"# {name} is asked for, inside another mode")
            mode = choose.choice(
                (cowarray.no_copy, cowarray.trace, cowarray.fake, cowarray.deferred, cowarray.simulate)
            )
            with mode():
                found = bits(x)
            if found != bits(plain[name]):
                return f"# {name}: {plain[name]!r} is {x!r}"
        elif what < 0.42 and is_array:
            line = choose.choice(FAILING).format(x=name, size=choose.randrange(9))
            lines.append(f"# {line}")
            found = attempt(line, tight)
            if found is MemoryError:
                lines.append("# which does not fit")
            else:
                error = outside.run(attempt, line, plain)
                if error is not found:
                    return f"# {error} is {found}"
            if bits(x) != bits(plain[name]):
                return f"# {name}: {plain[name]!r} is {x!r}"
    except MemoryError:
        lines.append("# which does not fit")
    return None


def _evict(x):
    if isinstance(x, cowarray.ndarray):
        with contextlib.suppress(BufferError):
            cowarray.evict(x)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", action="store_true", help="eight threads ask at once")
    parser.add_argument("--large", type=float, default=0.0, help="how many of the arrays have 300 KB")
    parser.add_argument("--spill", help="a directory")
    options = parser.parse_args()
    differing = 0
    for i in range(options.programs):
        seed = options.seed * 1_000_003 + i
        found = run(seed, threads=options.threads, large=options.large, spill=options.spill)
        if found:
            differing += 1
            print(f"seed {seed}:", *found, sep="\n")
            if differing == 3:
                break
    print(f"{options.programs} programs, {differing} different")
    sys.exit(differing != 0)


if __name__ == "__main__":
    main()
