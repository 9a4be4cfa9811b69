"""Differentiate a deep chain with HIPS autograd, on NumPy's arrays, on cowarray's, and on cowarray's within a budget.

usage: gradient_within_a_budget.py [--layers N] [--elements N] [--budget BYTES] [--spill DIRECTORY]

Reverse-mode differentiation keeps what each layer computed until the way back. Prints, for each kind of array, the time
of the gradient and the peak of resident memory, each in a process of its own, and whether the gradients are the same,
bit for bit.

autograd follows the arrays on a list of its own. `cowarray.register()` enters cowarray's.
"""

import argparse
import contextlib
import hashlib
import json
import resource
import subprocess
import sys
import time

import autograd.numpy as np
import numpy
from autograd import value_and_grad

import cowarray

__all__ = ["chain", "peak"]


def chain(layers):
    """A function of weights and biases, the same in each layer, and of what goes in; it gives a number."""

    def loss(parameters, inputs):
        weights, biases = parameters
        state = inputs
        for _ in range(layers):
            state = np.tanh(weights * state + biases)
        return np.mean(state * state)

    return loss


def start(elements):
    """NumPy's arrays to begin with: (weights, biases), inputs."""
    random = numpy.random.default_rng(0)
    weights, biases, inputs = (random.normal(size=elements) for _ in range(3))
    return (weights, biases), inputs


def peak():
    """The most resident memory of this process, in bytes."""
    try:
        with open("/proc/self/status") as file:
            return next(int(line.split()[1]) << 10 for line in file if line.startswith("VmHWM:"))
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def measure(kind, layers, elements, budget=None, spill=None):
    """Seconds, bytes, and a digest of the gradients."""
    parameters, inputs = start(elements)
    if kind == "cowarray":
        cowarray.register()
        parameters, inputs = tuple(cowarray.array(each) for each in parameters), cowarray.array(inputs)
    before = peak()
    within = cowarray.budget(budget, spill=spill) if budget else contextlib.nullcontext()
    begun = time.perf_counter()
    with within:
        _value, gradients = value_and_grad(chain(layers))(parameters, inputs)
        digest = hashlib.sha256(b"".join(each.tobytes() for each in gradients)).hexdigest()
    return {"seconds": time.perf_counter() - begun, "bytes": peak() - before, "digest": digest}


def in_a_process(*arguments):
    """What `measure` gives in a new process, whose memory is its own."""
    command = [sys.executable, __file__, "--measure", json.dumps(arguments)]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--layers", type=int, default=64)
    parser.add_argument("--elements", type=int, default=1 << 17, help="of each array; 131072 are 1 MiB")
    parser.add_argument("--budget", help='as "32 MiB"; without, no budget is set')
    parser.add_argument("--spill", metavar="DIRECTORY", help="where to write what is dearer to compute again")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.measure:
        print(json.dumps(measure(*json.loads(options.measure))))
        return
    size = (options.layers, options.elements)
    rows = {"NumPy": ("numpy", *size), "cowarray": ("cowarray", *size)}
    if options.budget:
        rows[f"cowarray, {options.budget}"] = ("cowarray", *size, options.budget, options.spill)
    digests = set()
    for name, row in rows.items():
        found = in_a_process(*row)
        digests.add(found["digest"])
        print(f"{name:24} {found['seconds'] * 1e3:8.0f} ms {found['bytes'] / 2**20:8.1f} MiB")
    if len(digests) > 1:
        sys.exit("the gradients differ")
    print("the gradients are the same, bit for bit")


if __name__ == "__main__":
    main(sys.argv[1:])
