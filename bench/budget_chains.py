"""Chains of operations on 1 MiB, forward and backward, within parts of the memory that they keep.

usage: budget_chains.py [--table | --never-reached] [--small] [--kib N] [--rounds N] [--heuristic NAME ...]
                        [--cost clock|model] [--layers N ...] [--limit SECONDS] [FUNCTION ...]

The backward pass of a layer needs the layer's input or output, so a plain run keeps all N. "2 sqrt(N)" is a budget of
so many arrays; "by hand" keeps every sqrt(N)-th layer and computes the others again, as Chen et al. (2016) do. Each run
is a process of its own, and all must give the same bits. Resident memory is what the run added, less the budget.

`--table` prints what is computed over what the chain computes, by the model, of all heuristics, in Markdown. Costs by
the model are in proportion to sizes but for `matmul`, so there short arrays (`--kib 8`) say the same. `--never-reached`
prints what a budget costs that is never reached: the processor time of a run inside one over that outside, the least of
runs that take turns in one process.
"""

import argparse
import contextlib
import functools
import hashlib
import json
import math
import sys
import time

import budget_examples
import numpy
from budget_examples import _peak

import cowarray

__all__ = ["FUNCTIONS", "by_hand", "run"]

MIB = 1 << 20
FUNCTIONS = ("tanh", "tanh+", "sin", "matmul")  # "tanh+": of the input and a tenth, two operations a layer
HEURISTICS = ("dtr", "local", "lru", "size", "random")


def layer(function, module, weights):
    """One layer forward, of its input; and backward, of the gradient, its input and its output."""
    if function == "tanh":
        return module.tanh, lambda g, x, y: g * (1 - y * y)
    if function == "tanh+":
        return lambda x: module.tanh(x + 0.1), lambda g, x, y: g * (1 - y * y)
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


def measure(function, way, layers, nbytes, budget=None, heuristic="dtr", cost="model"):
    """One run in this process."""
    within = contextlib.nullcontext()
    if budget is not None:
        within = cowarray.budget(budget, heuristic=heuristic, cost=cost, small=0)
    program = by_hand if way.startswith("by hand") else run
    module = numpy if way in ("plain", "by hand") else cowarray
    before, begun = _peak(), time.perf_counter()
    with within as found:
        gradient = program(function, module, layers, nbytes)
    seconds = time.perf_counter() - begun
    digest = hashlib.sha256(numpy.asarray(gradient).tobytes()).hexdigest()
    stats = None if found is None else found.stats()
    return {"seconds": seconds, "bytes": _peak() - before, "digest": digest, "stats": stats, "budget": budget}


in_a_process = functools.partial(budget_examples.in_a_process, script=__file__)


def budgets(layers):
    """{title: arrays}"""
    return {
        "2 sqrt(N)": 2 * math.isqrt(layers),
        "N/2": layers // 2,
        "4 log2(N)": 4 * int(math.log2(layers)),
    }


def ratio_of(stats):
    return (stats["base_time"] + stats["remat_time"]) / max(stats["base_time"], 1e-9)


def print_table(functions, sizes, heuristics, nbytes, limit):
    """What is computed over what the chain computes, of each heuristic within each budget."""
    print(f"| chain | N | memory | {' | '.join(f'`{name}`' for name in heuristics)} | by hand |")
    print("|---" * (4 + len(heuristics)) + "|")
    for function in functions:
        for layers in sizes:
            plain, hand = (
                in_a_process(function, way, layers, nbytes, 1 << 50, "dtr", "model")["stats"]["base_time"]
                for way in ("no limit", "by hand within")
            )
            digests = set()
            for title, arrays in budgets(layers).items():
                cells = []
                for heuristic in heuristics:
                    found = in_a_process(
                        function, title, layers, nbytes, arrays * nbytes, heuristic, "model", limit=limit
                    )
                    if found is not None:
                        digests.add(found["digest"])
                    cells.append(f"> {limit:.0f} s" if found is None else f"{ratio_of(found['stats']):.2f}")
                by_hand_here = f"{hand / plain:.2f}" if title == "2 sqrt(N)" else ""
                name = title.replace("sqrt(N)", "√N").replace("log2(N)", "log₂N")
                print(
                    f"| {function} | {layers} | {name} = {arrays} | {' | '.join(cells)} | {by_hand_here} |", flush=True
                )
            if len(digests) > 1:
                sys.exit(f"{function}: the results differ")


def never_reached(function, layers, nbytes, rounds):
    """The least processor time of a run outside of a budget, and inside one that is never reached."""
    found = [], []
    for _ in range(rounds):
        for times, within in zip(found, (contextlib.nullcontext(), cowarray.budget(1 << 50)), strict=True):
            with within:
                begun = time.process_time()
                run(function, cowarray, layers, nbytes)
                times.append(time.process_time() - begun)
    return tuple(map(min, found))


def row(title, found):
    text = f"  {title:22} {found['seconds'] * 1e3:8.0f} ms {found['bytes'] / MIB:8.1f} MiB"
    stats = found["stats"]
    if stats is not None:
        share = stats["search_time"] / found["seconds"]
        text += f"  compute × {ratio_of(stats):.2f}"
        text += f"  peak {stats['peak_bytes'] / MIB:.1f} of {found['budget'] / MIB:.1f} MiB"
        if found["bytes"] < 2 * found["budget"] < 1 << 40:
            text += f"  {(found['bytes'] - found['budget']) / MIB:+.1f} MiB resident"
        text += f"  search {share:.2%}"
        text += f"  {stats['remakes']} remakes"
    return text


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("functions", nargs="*", metavar="FUNCTION", help=", ".join(FUNCTIONS))
    parser.add_argument("--small", action="store_true", help="8 KiB, and few layers")
    parser.add_argument("--table", action="store_true", help="the ratios of all heuristics, by the model, in Markdown")
    parser.add_argument("--never-reached", action="store_true", help="what a budget costs that is never reached")
    parser.add_argument("--kib", type=int, default=1024, help="the size of an array")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds, after which `--table` gives a run up")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--heuristic", action="append", choices=HEURISTICS)
    parser.add_argument("--cost", choices=("model", "clock"), default="model")
    parser.add_argument("--layers", type=int, action="append")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.measure:
        print(json.dumps(measure(*json.loads(options.measure))))
        return
    nbytes = options.kib << 10 if not options.small else 8192
    sizes = options.layers or ([64, 256, 1024] if not options.small else [36])
    if options.table:
        print_table(options.functions or FUNCTIONS, sizes, options.heuristic or HEURISTICS, nbytes, options.limit)
        return
    for function in options.functions or FUNCTIONS:
        for layers in sizes:
            if options.never_reached:
                outside, inside = never_reached(function, layers, nbytes, options.rounds)
                print(
                    f"{function}, {layers} layers: {outside * 1e3:.2f} ms, inside × {inside / outside:.3f}", flush=True
                )
                continue
            print(f"{function}, {layers} layers of {nbytes} bytes", flush=True)
            digests = set()
            ways = [("plain", ()), ("by hand", ()), ("cowarray", ())]
            for heuristic in options.heuristic or ["dtr"]:
                for title, arrays in {"no limit": 1 << 20, **budgets(layers)}.items():
                    ways.append((f"{title}, {heuristic}", (arrays * nbytes, heuristic, options.cost)))
            for title, within in ways:
                found = in_a_process(function, title, layers, nbytes, *within, rounds=options.rounds)
                digests.add(found["digest"])
                print(row(title, found), flush=True)
            if len(digests) > 1:
                sys.exit(f"{function}: the results differ")


if __name__ == "__main__":
    main(sys.argv[1:])
