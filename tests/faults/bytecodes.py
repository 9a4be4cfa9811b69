"""Interrupts at each bytecode of the modes' own Python code, and what must be so afterwards.

A program of each mode is interrupted (`extension/interrupting.c`) before its n-th bytecode, for every n or a sample of
them. Then no block holds, nothing is counted that is over, no lock is taken, generators are where a draw leaves them,
and the program gives the same as ever.

usage: bytecodes.py EXTENSION PROGRAM STRIDE FIRST
       bytecodes.py EXTENSION PROGRAM signals COUNT SEED

The second form sends signals at random times instead. Prints a line of JSON: how many bytecodes there are, how often
the program was interrupted, and what was wrong.
"""

import faulthandler
import gc
import importlib.util
import json
import os
import random
import signal
import sys
import threading
import time
import warnings

import numpy as np

import cowarray as ca
from cowarray._array import copies as array_copies
from cowarray._modes.aliasing import here
from cowarray._modes.budget import runs
from cowarray._modes.common import blocks, thread
from cowarray._modes.common.entering import innermost
from cowarray._modes.copies import copies
from cowarray._modes.deferred import making
from cowarray._modes.simulate import watching
from cowarray._native.storage import count_modes
from cowarray._ops.operands import watch_births

PACKAGE = os.path.dirname(ca.__file__)
# Code of Python's own that keeps what is ours: a set of weak references.
TRACED = (os.path.join(PACKAGE, "_modes"), os.path.join(PACKAGE, "_chapters"), os.path.dirname(os.__file__) + "/_weak")


# ---- programs --------------------------------------------------------------------------------------------------------
# Each gets a generator, and returns what can be compared.


def simulated(rng):
    x = ca.zeros((3, 4))
    with warnings.catch_warnings(action="ignore"), ca.simulate(exact=True) as found:
        flat = x.reshape(-1)
        flat[::3] += 1
        total = float(x.sum())
        flat[[1, 2]] = 5
        part = x.copy()
        np.asarray(x.ravel())[0] = 3
        rows = [float(row.sum()) for row in x]
    return total, rows, part.tolist(), [(each.kind, each.operation, each.times) for each in found]


def faked(rng):
    with ca.fake(real=64) as plan:
        x = ca.ones((20, 30)) * 2
        middle = np.median(x, axis=0)
        x[3] = 1
        spread = np.cov(x)
        x.sort(axis=0)
        both = ca.concatenate([x, ca.zeros((3, 30))])
        small = ca.arange(4).sum()
        drawn = rng.normal(size=(9, 9))
        inside = blocks.current() is not None
    layouts = [(each.shape, each.dtype.str, each.strides) for each in (middle, spread, both, drawn)]
    return layouts, int(small), inside, plan.peak_bytes, plan.bytes_copied


def deferred(rng):
    with ca.deferred():
        x = rng.normal(size=20)
        y = ca.arange(20.0).reshape(4, 5)[:, ::-1].copy()
        y[1] += x[:5]
        rng.random(out=y)
        rng.shuffle(y)
        middle = np.median(y, axis=0)
        z = rng.normal(size=3)
        y.sort()
    return middle.tolist(), z.tolist(), ca.materialize(x).tolist(), y.tolist(), rng.normal()


def budgeted(rng):
    with ca.budget(40_000, cost="model", small=1024):
        steps = [ca.linspace(0, 1, 1000)]
        for _ in range(6):
            steps.append(ca.tanh(steps[-1] + 0.1))
        steps[2] += steps[5]
        drawn = rng.normal(size=1000)
        steps[1][:9] = drawn[:9]
        first, second = np.divmod(steps[3], 0.3)
        shares = steps[4].reshape(10, 100)
        total = float(steps[1].sum()), float(drawn.sum()), float(first.sum()), float(second.sum())
        np.asarray(steps[0])[:3].tolist()
    return total, shares.tolist(), steps[2].tolist()


def watched(rng):
    x = ca.arange(40.0)
    refused = False
    with ca.trace() as seen:
        y = x.reshape(8, 5)
        y[2] = 7
        z = x[::2].copy()
        try:
            with ca.no_copy(eager=True):
                w = x.copy()
                w[0] = 1
        except ca.CopyError:
            refused = True
    return y.tolist(), z.tolist(), refused, [(each.kind, each.nbytes) for each in seen]


PROGRAMS = {each.__name__: each for each in (simulated, faked, deferred, budgeted, watched)}


# ---- what must be so -------------------------------------------------------------------------------------------------


def at_rest():
    """What holds or is counted although nothing runs, as a list of texts."""
    gc.collect()
    found = {
        "a block": blocks.current(),
        "an alias": innermost(here.variable),
        "no_copy": innermost(copies._forbidden),
        "trace": innermost(copies._traces),
        "births": watch_births(0) or None,
        "copies": array_copies.watch_copies(0, watching) or None,
        "modes": count_modes(0) or None,
        "the thread": thread.doing() or None,
        "nodes": making._running or None,
    }
    for run in list(runs.runs):
        if run.pools.reserved:
            found["a budget"] = run

    def take():
        if runs.guard.acquire(blocking=False):
            runs.guard.release()
        else:
            found["the lock"] = True

    other = threading.Thread(target=take)
    other.start()
    other.join()
    return [f"{name}: {value!r}" for name, value in found.items() if value is not None]


def states(program):
    """Where a generator may be after a program that was cut short: after each of its draws."""
    rng = np.random.default_rng(1)
    found = [rng.bit_generator.state]
    for draw in DRAWS[program]:
        draw(rng)
        found.append(rng.bit_generator.state)
    return found


DRAWS = {
    "simulated": [],
    "faked": [],
    "watched": [],
    "deferred": [
        lambda rng: rng.normal(size=20),
        lambda rng: rng.random(20),
        lambda rng: rng.shuffle(np.zeros((4, 5))),
        lambda rng: rng.normal(size=3),
        lambda rng: rng.normal(),
    ],
    "budgeted": [lambda rng: rng.normal(size=1000)],
}


class World:
    """A program, and what is so after it was cut short.

    Parameters
    ----------
    name : str
    call : callable
        ``call(function, n)``: what ran of it, what was raised, and what it returned.
    """

    def __init__(self, name, call):
        self.program = PROGRAMS[name]
        self.call = call
        self.reachable = states(name)
        for _ in range(2):  # then what is remembered is there
            self.start()
            self.count, error, self.expected = call(self.run, 0)
            if error is not None:
                raise error
        self.before = at_rest()
        self.came = 0
        self.wrong = []

    def start(self):
        self.rng = ca.random.default_rng(1)

    def run(self):
        return self.program(self.rng)

    def interrupt(self, n):
        """Have it interrupted at n, look at everything, and run it again."""
        self.start()
        _, error, _ = self.call(self.run, n)
        self.came += error is not None
        after = at_rest()
        found = [each for each in after if each not in self.before]
        self.before = after
        if error is not None and type(error) is not KeyboardInterrupt and SAID_BY_NUMPY not in str(error):
            found.append(f"raised {error!r}")
        try:
            if self.rng.bit_generator.state not in self.reachable:
                found.append("the generator is nowhere")
            self.rng.normal()
            self.start()
            if self.run() != self.expected:
                found.append("another result")
        except BaseException as again:
            found.append(f"afterwards {again!r}")
        if found:
            self.wrong.append((n, where(error), found))


# Instead of what was raised while it asked for an array's interface.
SAID_BY_NUMPY = "cannot coerce scalar to array"


def load(extension):
    specification = importlib.util.spec_from_file_location("interrupting", extension)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def at_bytecodes(extension, name, stride, first):
    interrupting = load(extension)
    world = World(name, lambda function, n: interrupting.call(function, TRACED, n))
    for n in range(int(first), world.count + 1, int(stride)):
        world.interrupt(n)
    return world


def at_times(name, count, seed):
    times = random.Random(int(seed))
    armed = False

    def interrupt(number, frame):
        nonlocal armed
        if armed:
            armed = False
            raise KeyboardInterrupt

    def call(function, n):
        nonlocal armed
        begun = time.perf_counter()
        try:
            armed = n > 0
            if armed:
                signal.setitimer(signal.ITIMER_REAL, times.random() * took + 1e-6)
            result, error = function(), None
            armed = False
        except BaseException as caught:
            result, error = None, caught
        finally:
            armed = False
            signal.setitimer(signal.ITIMER_REAL, 0)
        return time.perf_counter() - begun, error, result

    signal.signal(signal.SIGALRM, interrupt)
    took = 1e-3
    world = World(name, call)
    took = world.count
    for n in range(1, 50 * int(count) + 1):
        before = world.came
        world.interrupt(n)
        took *= 1.1 if world.came > before else 0.95  # what it takes depends on what else the machine does
        if world.came == int(count):
            break
    return world


def main(extension, name, stride, first, *seed):
    faulthandler.enable()
    sys.unraisablehook = lambda _: None  # an interrupt in a finalizer
    world = at_times(name, first, *seed) if stride == "signals" else at_bytecodes(extension, name, stride, first)
    print(json.dumps({"bytecodes": world.count, "came": world.came, "wrong": world.wrong}))


def where(error):
    """The lines of ours at which an error was raised, innermost first."""
    lines = []
    traceback = None if error is None else error.__traceback__
    while traceback is not None:
        lines.append(f"{os.path.basename(traceback.tb_frame.f_code.co_filename)}:{traceback.tb_lineno}")
        traceback = traceback.tb_next
    return lines[::-1][:4]


if __name__ == "__main__":
    main(*sys.argv[1:])
