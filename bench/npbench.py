"""npbench's kernels (github.com/spcl/npbench) on cowarray arrays, beside NumPy's.

usage: npbench.py FOLDER [--namespace] [--rounds N] [--preset S] [KERNEL ...]

FOLDER is a checkout of npbench. The kernels run with `np` as they are; with --namespace, `np` is cowarray in the
kernel's module. Each round runs NumPy's and ours in turn, from the same inputs; the figure is the ratio of the minima.
A kernel whose results differ is named, and makes the program fail.
"""

import argparse
import copy
import importlib
import json
import math
import sys
import time
from pathlib import Path

import numpy as np

import cowarray


def load(info, folder):
    """Two copies of a kernel's module, and the function that makes its inputs."""
    path = f"npbench.benchmarks.{info['relative_path'].replace('/', '.')}."
    make = None
    if "init" in info:
        make = getattr(importlib.import_module(path + info["module_name"]), info["init"]["func_name"])
    name = path + info["module_name"] + "_numpy"
    modules = []
    for _ in range(2):
        sys.modules.pop(name, None)
        modules.append(importlib.import_module(name))
    return make, modules


def inputs(info, make, preset):
    values = dict(info["parameters"][preset])
    if make is None:
        return values
    made = make(*[values[name] for name in info["init"]["input_args"]])
    outputs = info["init"]["output_args"]
    values.update(zip(outputs, made if len(outputs) > 1 else [made], strict=True))
    return values


def fresh(values, array):
    """Inputs of a run's own, made outside of the clock; what only NumPy has (a matrix of SciPy's, say) as it is."""
    return {
        name: array(value) if isinstance(value, np.ndarray) else copy.deepcopy(value) for name, value in values.items()
    }


def own(value):
    mine = cowarray.array(value)
    mine.materialize()
    return mine


def run(function, names, values):
    arguments = [values[name] for name in names]
    begin = time.perf_counter()
    result = function(*arguments)
    return time.perf_counter() - begin, (result, arguments)


def same(found, expected):
    if isinstance(expected, (tuple, list)):
        return len(found) == len(expected) and all(map(same, found, expected))
    if expected is None or not isinstance(expected, (np.ndarray, np.generic, int, float, complex)):
        return True
    return np.allclose(np.asarray(found), np.asarray(expected), equal_nan=True)


def measure(info, folder, namespace, preset, rounds):
    make, (theirs, ours) = load(info, folder)
    if namespace:
        ours.np = cowarray
    names, entry = info["input_args"], info["func_name"]
    values = inputs(info, make, preset)
    best = [math.inf, math.inf]
    spent, done = 0.0, 0
    while done < 3 or (done < rounds and spent < 4.0):
        pair = []
        for i, (module, array) in enumerate(((theirs, np.copy), (ours, own))):
            seconds, result = run(getattr(module, entry), names, fresh(values, array))
            best[i] = min(best[i], seconds)
            spent += seconds
            pair.append(result)
        if done == 0 and not same(pair[1], pair[0]):
            raise ValueError("results differ")
        done += 1
    return best


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("kernels", nargs="*")
    parser.add_argument("--namespace", action="store_true")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--preset", default="S")
    options = parser.parse_args(arguments)
    sys.path.insert(0, str(options.folder))
    ratios, wrong = {}, []
    for path in sorted((options.folder / "bench_info").glob("*.json")):
        if options.kernels and path.stem not in options.kernels:
            continue
        info = json.loads(path.read_text())["benchmark"]
        try:
            numpys, mine = measure(info, options.folder, options.namespace, options.preset, options.rounds)
        except Exception as error:  # whatever a kernel raises is its result
            wrong.append(path.stem)
            print(f"{path.stem:28} {type(error).__name__}: {str(error)[:120]}", flush=True)
            continue
        ratios[path.stem] = mine / numpys
        print(f"{path.stem:28} {mine / numpys:5.2f}  {mine * 1e3:10.3f} ms, NumPy {numpys * 1e3:10.3f} ms", flush=True)
    mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios)) if ratios else math.nan
    print(
        f"{len(ratios)} kernels right, {len(wrong)} wrong {wrong}; geometric mean {mean:.3f}, "
        f"highest {max(ratios.values(), default=math.nan):.2f}"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
