"""Whole programs that keep more than they need at once: as they are, and within half and a quarter of their memory.

usage: budget_examples.py [--small] [--rounds N] [--spill DIRECTORY] [--limit SECONDS] [PROGRAM ...]

Each run is a process of its own. Prints the least time and the peak of resident memory above what the process had
before, and wants the same results of all runs, bit for bit. `fluid`, `rnn`, `lstm` and `hmm` are computations of HIPS
autograd's own examples, larger; `pyramid` is a viewer of filtered images, `notebook` a notebook whose author goes back
to what was computed before.
"""

import argparse
import contextlib
import hashlib
import json
import resource
import subprocess
import sys
import time

import numpy

import cowarray

__all__ = ["PROGRAMS", "digest"]


# ---- programs: each prepares what is not measured, and gives a function, which gives the results ---------------------


def fluid(kind, small):
    """The velocities at the start that bring smoke into a form: incompressible flow, by Stam's method."""
    import autograd.numpy as np
    from autograd import value_and_grad

    side, steps = (16, 2) if small else (256, 16)
    grid = (numpy.arange(side) - side / 2) / side
    rows, columns = (kind(each * 1.0) for each in numpy.mgrid[:side, :side])
    smoke = kind(numpy.exp(-40 * ((grid[:, None] + 0.1) ** 2 + (grid - 0.1) ** 2)))
    goal = kind((grid[:, None] ** 2 + grid**2 < 0.04) * 1.0)
    random = numpy.random.default_rng(1)
    start = kind(random.normal(size=(2, side, side)))

    def difference(field, axis):
        return np.roll(field, -1, axis=axis) - np.roll(field, 1, axis=axis)

    def without_divergence(east, north):
        divergence = (difference(east, 0) + difference(north, 1)) * (-0.5 / side)
        pressure = divergence / 4.0
        for _ in range(9):
            around = [np.roll(pressure, shift, axis=axis) for axis in (0, 1) for shift in (1, -1)]
            pressure = (divergence + around[0] + around[1] + around[2] + around[3]) / 4.0
        scale = 0.5 * side
        return east - scale * difference(pressure, 0), north - scale * difference(pressure, 1)

    def carried(field, east, north):
        """Each cell takes what was where its content comes from, between four cells."""
        from_row, from_column = rows - east, columns - north
        row, column = np.floor(from_row), np.floor(from_column)
        down, right = from_row - row, from_column - column
        above, left = (each.astype(int) % side for each in (row, column))
        below, beyond = (above + 1) % side, (left + 1) % side
        upper = (1 - right) * field[above, left] + right * field[above, beyond]
        lower = (1 - right) * field[below, left] + right * field[below, beyond]
        return (1 - down) * upper + down * lower

    def loss(velocities):
        east, north = velocities[0], velocities[1]
        density = smoke
        for _ in range(steps):
            east, north = without_divergence(carried(east, east, north), carried(north, east, north))
            density = carried(density, east, north)
        return np.mean((density - goal) ** 2)

    return lambda: value_and_grad(loss)(start)


def _log_sum_exp(values, axis):
    import autograd.numpy as np
    from autograd.tracer import getval

    largest = getval(values).max(axis=axis, keepdims=True)
    return np.log(np.sum(np.exp(values - largest), axis=axis, keepdims=True)) + largest


def _text(kind, small, letters):
    """Letters in a row, one-hot: (steps, lines, letters)."""
    lines, steps = (5, 4) if small else (1024, 30)
    random = numpy.random.default_rng(2)
    return [kind(numpy.eye(letters)[random.integers(0, letters, lines)]) for _ in range(steps)]


def _weights(kind, random, *sizes):
    """A matrix for each of what goes in, and a bias. The examples put the inputs side by side instead."""
    *inputs, output = sizes
    return [kind(random.normal(size=(size, output)) * 0.1) for size in (*inputs, 1)]


def _layer(weights, *inputs):
    *matrices, bias = weights
    found = bias
    for value, matrix in zip(inputs, matrices, strict=True):
        found = value @ matrix + found
    return found


def _likelihood(predicted, text):
    import autograd.numpy as np

    total = 0.0
    for output, wanted in zip(predicted, text, strict=False):
        total = total + np.sum((output - _log_sum_exp(output, 1)) * wanted)
    return -total


def rnn(kind, small):
    """A recurrent net that predicts the next letter."""
    import autograd.numpy as np
    from autograd import value_and_grad

    letters, state = (8, 6) if small else (128, 256)
    random = numpy.random.default_rng(3)
    text = _text(kind, small, letters)
    begin = kind(numpy.zeros((text[0].shape[0], state)))
    parameters = {
        "change": _weights(kind, random, letters, state, state),
        "predict": _weights(kind, random, state, letters),
    }

    def loss(parameters):
        hidden, predicted = begin, []
        for letter in text:
            predicted.append(_layer(parameters["predict"], hidden))
            hidden = np.tanh(_layer(parameters["change"], letter, hidden))
        return _likelihood(predicted, text)

    return lambda: value_and_grad(loss)(parameters)


def lstm(kind, small):
    """The same with gates and a memory."""
    import autograd.numpy as np
    from autograd import value_and_grad

    letters, state = (8, 6) if small else (128, 192)
    random = numpy.random.default_rng(4)
    text = _text(kind, small, letters)[:18]
    begin = kind(numpy.zeros((text[0].shape[0], state)))
    parameters = {name: _weights(kind, random, letters, state, state) for name in ("change", "forget", "take", "give")}
    parameters["predict"] = _weights(kind, random, state, letters)

    def loss(parameters):
        def gate(name, *inputs):
            return 0.5 * (np.tanh(_layer(parameters[name], *inputs)) + 1.0)

        hidden, cell, predicted = begin, begin, []
        for letter in text:
            predicted.append(_layer(parameters["predict"], hidden))
            change = np.tanh(_layer(parameters["change"], letter, hidden))
            cell = cell * gate("forget", letter, hidden) + gate("take", letter, hidden) * change
            hidden = gate("give", letter, hidden) * np.tanh(cell)
        return _likelihood(predicted, text)

    return lambda: value_and_grad(loss)(parameters)


def hmm(kind, small):
    """A step of expectation maximization of a hidden Markov model: the expectations are a gradient."""
    from autograd import value_and_grad

    states, letters, length = (5, 4, 6) if small else (256, 100, 500)
    random = numpy.random.default_rng(5)
    seen = random.integers(0, letters, length).tolist()
    shapes = ((states,), (states, states), (states, letters))
    begin = [random.random(shape) for shape in shapes]
    logarithms = [kind(numpy.log(each / each.sum(-1, keepdims=True))) for each in begin]

    def likelihood(logarithms):
        first, move, show = logarithms
        alpha = first
        for letter in seen:
            alpha = _log_sum_exp(alpha[:, None] + move, 0)[0] + show[:, letter]
        return _log_sum_exp(alpha, 0)[0]

    def step():
        value, counts = value_and_grad(likelihood)(logarithms)
        return value, [each / each.sum(axis=-1, keepdims=True) for each in counts]

    return step


def pyramid(kind, small):
    """A viewer: tiles of 16 filters of 12 levels of an image, visited at random. What was computed is kept."""
    side, visits = (64, 40) if small else (2048, 400)
    random = numpy.random.default_rng(6)
    image = kind(random.random((side, side), dtype=numpy.float32))

    def coarser(level):
        if level.shape[0] == 1:
            return level * 1
        return (level[::2, ::2] + level[1::2, ::2] + level[::2, 1::2] + level[1::2, 1::2]) / 4

    def filtered(level, width):
        """The mean of some neighbours along both axes; beyond that, what it takes away."""
        found = level
        for axis in (0, 1):
            total = found * 1
            for shift in range(1, width % 8 + 2):
                total = total + numpy.roll(found, shift, axis=axis) + numpy.roll(found, -shift, axis=axis)
            found = total / (2 * (width % 8) + 3)
        return found if width < 8 else level - found

    def view():
        levels, kept, seen = [image], {}, []
        while len(levels) < 12:
            levels.append(coarser(levels[-1]))
        choose = numpy.random.default_rng(7)
        for level, width in zip(choose.integers(0, 12, visits), choose.integers(0, 16, visits), strict=True):
            place = (int(level), int(width))
            if place not in kept:
                kept[place] = filtered(levels[place[0]], place[1])
            seen.append(float(kept[place][:64, :64].sum()))
        return seen

    return view


def notebook(kind, small):
    """Forty arrays derived from one, of which the first are looked at often and the last seldom (Zipf)."""
    size, visits = (500, 60) if small else (1 << 20, 300)
    random = numpy.random.default_rng(8)
    base = kind(random.normal(size=size))
    derivations = (
        lambda a, k: numpy.sin(a * k),
        lambda a, k: numpy.cumsum(a) / k,
        lambda a, k: (a - a.mean()) / (a.std() + k),
        lambda a, k: numpy.sqrt(numpy.abs(a) + k),
        lambda a, k: numpy.sort(a) * k,
        lambda a, k: numpy.where(a > 0, a, a / (k + 1)),
        lambda a, k: numpy.fft.irfft(numpy.fft.rfft(a) / k, n=size),
        lambda a, k: numpy.exp(-a * a / k),
    )

    def work():
        derived, seen = [], []
        choose = numpy.random.default_rng(9)
        for i in range(40):
            source = base if i % 2 == 0 else derived[int(choose.integers(0, i))]
            derived.append(derivations[i % 8](source, i // 8 + 1.0))
        shares = 1 / numpy.arange(1.0, 41)
        for i in choose.choice(40, visits, p=shares / shares.sum()):
            seen.append(float(derived[i].mean()))
        return seen

    return work


PROGRAMS = {each.__name__: each for each in (fluid, rnn, lstm, hmm, pyramid, notebook)}
DIFFERENTIATED = ("fluid", "rnn", "lstm", "hmm")


# ---- runs ------------------------------------------------------------------------------------------------------------


def digest(results):
    """Of all numbers in nested tuples, lists and dicts."""
    if isinstance(results, dict):
        return digest(list(results.values()))
    if isinstance(results, (tuple, list)):
        return hashlib.sha256("".join(digest(each) for each in results).encode()).hexdigest()
    return hashlib.sha256(numpy.asarray(results).tobytes()).hexdigest()


def _peak():
    """The most resident memory of this process, in bytes. What it had before it ran a new program does not count."""
    with contextlib.suppress(OSError), open("/proc/self/status") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("VmHWM:"))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def measure(name, library, small, budget=None, spill=None):
    """One run in this process."""
    if library == "cowarray" and name in DIFFERENTIATED:
        cowarray.register()  # autograd follows them from here on
    program = PROGRAMS[name](numpy.array if library == "numpy" else cowarray.array, small)
    least = 0 if small else 1 << 16  # the arrays of the small form would all be constants
    within = contextlib.nullcontext() if budget is None else cowarray.budget(budget, spill=spill, small=least)
    before, start = _peak(), time.perf_counter()
    with within as run:
        found = digest(program())
    seconds = time.perf_counter() - start
    stats = None if run is None else run.stats()
    return {"seconds": seconds, "bytes": _peak() - before, "digest": found, "stats": stats}


def in_a_process(*arguments, rounds=1, limit=None, script=__file__):
    """What a script's `measure` gives in a new process; of rounds, the fastest. None: longer than limit."""
    command = [sys.executable, script, "--measure", json.dumps(arguments)]
    found = []
    for _ in range(rounds):
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True, timeout=limit)
        except subprocess.TimeoutExpired:
            return None
        found.append(json.loads(done.stdout.splitlines()[-1]))
    return min(found, key=lambda each: each["seconds"])


def ways(name, small, spill):
    """{title: arguments of `measure`}; the budgets are parts of what the program holds at once without any."""
    yield "NumPy", ("numpy", small)
    yield "cowarray", ("cowarray", small)
    whole = in_a_process(name, "cowarray", small, "1 TiB")["stats"]["peak_bytes"]
    for title, part in (("1/2", 2), ("1/4", 4)):
        yield f"{title} of {whole / 2**20:.0f} MiB", ("cowarray", small, whole // part)
        if spill is not None:
            yield f"{title}, spill", ("cowarray", small, whole // part, spill)


def row(title, found, plain):
    """A line of the table."""
    text = f"  {title:18} {found['seconds'] * 1e3:9.0f} ms {found['bytes'] / 2**20:9.1f} MiB"
    text += f"  time × {found['seconds'] / plain['seconds']:.2f}"
    stats = found["stats"]
    if stats is not None:
        ratio = (stats["base_time"] + stats["remat_time"]) / max(stats["base_time"], 1e-9)
        text += f"  compute × {ratio:.2f}  peak {stats['peak_bytes'] / 2**20:.1f} MiB"
        text += f"  {stats['evictions']} evictions, {stats['remakes']} remakes, {stats['spills']} spills"
    return text


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=", ".join(PROGRAMS))
    parser.add_argument("--small", action="store_true", help="a few kilobytes each")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--spill", metavar="DIRECTORY", help="also measure with a spill file there")
    parser.add_argument("--limit", type=float, default=90.0, help="seconds, after which a run is given up")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.measure:
        print(json.dumps(measure(*json.loads(options.measure))))
        return
    unknown = sorted(set(options.programs) - set(PROGRAMS))
    if unknown:
        parser.error(f"no program {', '.join(unknown)}; there are {', '.join(PROGRAMS)}")
    for name in options.programs or PROGRAMS:
        print(name, flush=True)
        plain = None
        for title, way in ways(name, options.small, options.spill):
            found = in_a_process(name, *way, rounds=options.rounds, limit=options.limit)
            if found is None:
                print(f"  {title:18} given up after {options.limit:.0f} s", flush=True)
                continue
            plain = plain or found
            print(row(title, found, plain), flush=True)
            if found["digest"] != plain["digest"]:
                sys.exit(f"{name}: the results of {title} are not those of NumPy")


if __name__ == "__main__":
    main(sys.argv[1:])
