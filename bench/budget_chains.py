"""Chains of operations on 1 MiB, forward and backward, within parts of the memory that they keep.

usage: budget_chains.py [--small] [--rounds N] [--heuristic NAME ...] [--cost clock|model]
                        [--layers N ...] [FUNCTION ...]

The backward pass of a layer needs the layer's input or output, so a plain run keeps all N. "2 sqrt(N)" is a budget of
so many arrays; "by hand" keeps every sqrt(N)-th layer and computes the others again, as Chen et al. (2016) do. Each run
is a process of its own, and all must give the same bits. Resident memory is what the run added, less the budget.
"""

import argparse
import contextlib
import hashlib
import json
import math
import subprocess
import sys
import time

import numpy
from budget_examples import _peak

import cowarray

__all__ = ["FUNCTIONS", "by_hand", "run"]

MIB = 1 << 20
FUNCTIONS = ("tanh", "sin", "matmul")


def layer(function, module, weights):
    """One layer forward, of its input; and backward, of the gradient, its input and its output."""
    if function == "tanh":
        return module.tanh, lambda g, x, y: g * (1 - y * y)
    if function == "sin":
        return module.sin, lambda g, x, y: g * module.cos(x)
    return lambda x: x @ weights, lambda g, x, y: g @ weights.T + x.T @ g * 1e-9  # with a gradient of the weights


def start(function, module, nbytes):
    side = math.isqrt(nbytes // 8)
    x = module.asarray(numpy.linspace(0, 1, side * side).reshape(side, side))
    weights = module.asarray(numpy.linspace(-1, 1, side * side).reshape(side, side) / side)
    return x, weights, module.asarray(numpy.ones((side, side)))


def run(function, module, layers, nbytes):
    """The gradient at the input, by a program that keeps all layers."""
    x, weights, g = start(function, module, nbytes)
    forward, backward = layer(function, module, weights)
    kept = [x]
    for _ in range(layers):
        kept.append(forward(kept[-1]))
    while len(kept) > 1:
        y = kept.pop()
        g = backward(g, kept[-1], y)
    return g


def by_hand(function, module, layers, nbytes):
    """The same, by a program that keeps every sqrt(N)-th layer."""
    x, weights, g = start(function, module, nbytes)
    forward, backward = layer(function, module, weights)
    step = math.isqrt(layers)
    marks = []
    for i in range(layers):
        if i % step == 0:
            marks.append(x)
        x = forward(x)
    del x
    end = layers
    while marks:
        part = [marks.pop()]
        first = len(marks) * step
        for _ in range(first, end):
            part.append(forward(part[-1]))
        while len(part) > 1:
            y = part.pop()
            g = backward(g, part[-1], y)
        end = first
    return g


def measure(function, way, layers, nbytes, budget=None, heuristic="dtr", cost="clock"):
    """One run in this process."""
    within = contextlib.nullcontext()
    if budget is not None:
        within = cowarray.budget(budget, heuristic=heuristic, cost=cost, small=0)
    program = by_hand if way == "by hand" else run
    module = numpy if way in ("plain", "by hand") else cowarray
    before, begun = _peak(), time.perf_counter()
    with within as found:
        gradient = program(function, module, layers, nbytes)
    seconds = time.perf_counter() - begun
    digest = hashlib.sha256(numpy.asarray(gradient).tobytes()).hexdigest()
    stats = None if found is None else found.stats()
    return {"seconds": seconds, "bytes": _peak() - before, "digest": digest, "stats": stats, "budget": budget}


def in_a_process(*arguments, rounds=1):
    command = [sys.executable, __file__, "--measure", json.dumps(arguments)]
    found = [
        json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()[-1])
        for _ in range(rounds)
    ]
    return min(found, key=lambda each: each["seconds"])


def row(title, found):
    text = f"  {title:22} {found['seconds'] * 1e3:8.0f} ms {found['bytes'] / MIB:8.1f} MiB"
    stats = found["stats"]
    if stats is not None:
        ratio = (stats["base_time"] + stats["remat_time"]) / max(stats["base_time"], 1e-9)
        share = stats["search_time"] / found["seconds"]
        text += f"  compute × {ratio:.2f}  peak {stats['peak_bytes'] / MIB:.1f} of {found['budget'] / MIB:.1f} MiB"
        if found["bytes"] < 2 * found["budget"] < 1 << 40:
            text += f"  {(found['bytes'] - found['budget']) / MIB:+.1f} MiB resident"
        text += f"  search {share:.2%}"
        text += f"  {stats['remakes']} remakes"
    return text


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("functions", nargs="*", metavar="FUNCTION", help=", ".join(FUNCTIONS))
    parser.add_argument("--small", action="store_true", help="8 KiB, and few layers")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--heuristic", action="append")
    parser.add_argument("--cost", choices=("clock", "model"), default="clock")
    parser.add_argument("--layers", type=int, action="append")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.measure:
        print(json.dumps(measure(*json.loads(options.measure))))
        return
    nbytes = MIB if not options.small else 8192
    for function in options.functions or FUNCTIONS:
        for layers in options.layers or ([64, 256, 1024] if not options.small else [36]):
            print(f"{function}, {layers} layers of {nbytes} bytes", flush=True)
            root, digests = 2 * math.isqrt(layers), set()
            ways = [("plain", ()), ("by hand", ()), ("cowarray", ())]
            for heuristic in options.heuristic or ["dtr"]:
                for title, arrays in (("no limit", 1 << 20), ("N/2", layers // 2), ("2 sqrt(N)", root)):
                    ways.append((f"{title}, {heuristic}", (arrays * nbytes, heuristic, options.cost)))
            for title, within in ways:
                found = in_a_process(function, title, layers, nbytes, *within, rounds=options.rounds)
                digests.add(found["digest"])
                print(row(title, found), flush=True)
            if len(digests) > 1:
                sys.exit(f"{function}: the results differ")


if __name__ == "__main__":
    main(sys.argv[1:])
