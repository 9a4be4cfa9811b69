"""Counts the instructions of the hot paths under valgrind: figures that a busy machine cannot blur.

    python bench/instructions.py            # counts, and writes bench/instructions.json
    python bench/instructions.py --check    # counts, and compares with it: 1 if something takes 3 % more than it did

Each operation runs in a loop of few iterations and in one of many, in one process for each library; callgrind writes
out the counts between the loops. The difference of the counts, divided by the difference of the iterations, is the
price of one: the start of Python, of the loop and of the first iterations cancels out. What the kernel does (page
faults) is not counted. Counts from different versions of Python, NumPy or the compiler are not comparable, and are not
compared.
"""

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

KEPT = Path(__file__).with_name("instructions.json")
TOLERANCE = 0.03  # hash seeds are fixed, but addresses, and with them some paths of malloc, are not
FEW, MANY = 500, 2500
# Callgrind writes its counts out each time this function of the C library is called. Nothing else calls it.
MARK = "getloadavg"

# Name: cowarray's statement, and NumPy's in its place. All on 10 float64 elements, like the row on small operations.
OPERATIONS = {
    "x.lazy_clone()": ("r = a.lazy_clone()", "r = a.copy()"),
    "x.copy()": ("r = a.copy()", "r = a.copy()"),
    "x.reshape(2, 5)": ("r = a.reshape(2, 5)", "r = a.reshape(2, 5)"),
    "x.reshape(-1)": ("r = a.reshape(-1)", "r = a.reshape(-1)"),
    "x.ravel()": ("r = a.ravel()", "r = a.ravel()"),
    "x.flatten()": ("r = a.flatten()", "r = a.flatten()"),
    "x.swapaxes(0, 0)": ("r = a.swapaxes(0, 0)", "r = a.swapaxes(0, 0)"),
    "y = x.lazy_clone(); y[0] = v": ("y = a.lazy_clone(); y[0] = v", "y = a.copy(); y[0] = v"),
    "y = x.copy(); y += 1": ("y = a.copy(); y += 1", "y = a.copy(); y += 1"),
    "y = x.copy(); y[...] = 0": ("y = a.copy(); y[...] = 0", "y = a.copy(); y[...] = 0"),
    "a + b": ("r = a + b", "r = a + b"),
    "a += b": ("a += b", "a += b"),
    "a -= a": ("a -= a", "a -= a"),
    "a.sum()": ("r = a.sum()", "r = a.sum()"),
    "a[i]": ("r = a[i]", "r = a[i]"),
    "a[i] = v": ("a[i] = v", "a[i] = v"),
    "a[1:3]": ("r = a[1:3]", "r = a[1:3]"),
    "a[1:] + a[:-1]": ("r = a[1:] + a[:-1]", "r = a[1:] + a[:-1]"),
    "cowarray.flip(a)": ("r = cowarray.flip(a)", "r = np.flip(a)"),
    "cowarray.all(a)": ("r = cowarray.all(a)", "r = np.all(a)"),
    "a == b": ("r = a == b", "r = a == b"),
    "a @ b": ("r = a @ b", "r = a @ b"),
    "np.add(a, b)": ("r = np.add(a, b)", "r = np.add(a, b)"),
    "cowarray.add(a, b)": ("r = cowarray.add(a, b)", "r = np.add(a, b)"),
    "cowarray.add(a, b, out=a)": ("r = cowarray.add(a, b, out=a)", "r = np.add(a, b, out=a)"),
    "asarray(n, copy=False)": ("r = cowarray.asarray(n, copy=False)", "r = np.asarray(memoryview(n))"),
    "asarray(n, copy=False).reshape(2, 5)": (
        "r = cowarray.asarray(n, copy=False).reshape(2, 5)",
        "r = n.reshape(2, 5)",
    ),
    "np.asarray(x)": ("r = np.asarray(a)", "r = np.asarray(memoryview(n))"),
    "memoryview(x)": ("r = memoryview(a)", "r = memoryview(n)"),
    "cowarray.zeros(60)": ("r = cowarray.zeros(60)", "r = np.zeros(60)"),
    "a.astype('f4')": ("r = a.astype('f4')", "r = a.astype('f4')"),
    "np.concatenate([a, b])": ("r = np.concatenate([a, b])", "r = np.concatenate([a, b])"),
    "np.dot(a, b)": ("r = np.dot(a, b)", "r = np.dot(a, b)"),
    "np.sum(a, axis=0)": ("r = np.sum(a, axis=0)", "r = np.sum(a, axis=0)"),
    "a.sum(axis=0)": ("r = a.sum(axis=0)", "r = a.sum(axis=0)"),
    "np.add.reduce(a)": ("r = np.add.reduce(a)", "r = np.add.reduce(a)"),
    "cowarray.arange(10)": ("r = cowarray.arange(10)", "r = np.arange(10)"),
    "a.sort()": ("a.sort()", "a.sort()"),
    "a[m]": ("r = a[m]", "r = a[m]"),
    "a.argmax()": ("r = a.argmax()", "r = a.argmax()"),
    "a.item(i)": ("r = a.item(i)", "r = a.item(i)"),
    "np.copyto(a, b)": ("np.copyto(a, b)", "np.copyto(a, b)"),
    "np.repeat(a, 2)": ("r = np.repeat(a, 2)", "r = np.repeat(a, 2)"),
    "np.einsum('i,i', a, b)": ("r = np.einsum('i,i', a, b)", "r = np.einsum('i,i', a, b)"),
    "np.where(m)": ("r = np.where(m)", "r = np.where(m)"),
    "cowarray.where(m, a, b)": ("r = cowarray.where(m, a, b)", "r = np.where(m, a, b)"),
    "cowarray.concatenate((a, b))": ("r = cowarray.concatenate((a, b))", "r = np.concatenate((a, b))"),
    "cowarray.array([1.0, 2.0])": ("r = cowarray.array([1.0, 2.0])", "r = np.array([1.0, 2.0])"),
    "cowarray.ones(10)": ("r = cowarray.ones(10)", "r = np.ones(10)"),
    "for v in x.flat": ("for r in a.flat: pass", "for r in a.flat: pass"),
}


def loops(library):
    """Inside valgrind: run the loops of all operations, with a mark around each."""
    import numpy as np

    import cowarray

    def operands():
        n = np.arange(1.0, 11.0)
        own = (lambda array: cowarray.array(array)) if library == "cowarray" else np.copy
        return own(n), own(n[::-1]), n, own(n > 5)

    for name in OPERATIONS:
        statement = OPERATIONS[name][library == "numpy"]
        scope = {"np": np, "cowarray": cowarray, "operands": operands}
        given = "a, b, n, m = operands(); i = 3; v = 1.5"
        exec(f"def loop(times):\n {given}\n for _ in range(times):\n  {statement}", scope)
        loop = scope["loop"]
        loop(FEW)
        os.getloadavg()
        loop(FEW)
        os.getloadavg()
        loop(MANY)
        os.getloadavg()


def count(library):
    """Instructions of each operation.

    Parameters
    ----------
    library : str
        ``"cowarray"`` or ``"numpy"``.

    Returns
    -------
    dict of str to float
    """
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", f"--dump-before={MARK}"]
        command += ["--dump-instr=no", sys.executable, __file__, "--loops", library]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"valgrind: status {done.returncode}\n{done.stderr[-2000:]}")
        parts = sorted(Path(folder).glob("out.*"), key=lambda path: int(path.suffix[1:]))
        totals = [int(re.search(r"^(?:totals|summary): (\d+)", part.read_text(), re.M)[1]) for part in parts]
    names = list(OPERATIONS)
    # Three parts each: what prepares the operation, the short loop, the long one. After the last mark comes the end.
    if len(totals) != 3 * len(names):
        raise RuntimeError(f"callgrind wrote {len(totals)} parts, and {3 * len(names)} were expected")
    return {name: round((totals[3 * i + 2] - totals[3 * i + 1]) / (MANY - FEW), 1) for i, name in enumerate(names)}


def versions():
    """What counts depend on, other than the source."""
    import numpy as np

    import cowarray

    compiler = re.search(
        rb"GCC: \([^)]*\) [\d.]+|clang version [\d.]+", Path(cowarray._face.ndarray.__file__).read_bytes()
    )
    return {
        "Python": f"{platform.python_version()} ({platform.python_compiler()})",
        "NumPy": np.__version__,
        "C library": " ".join(platform.libc_ver()),
        "compiler": compiler[0].decode() if compiler else "not known",
        "machine": platform.machine(),
    }


def cannot():
    """Why nothing can be counted here; None if counting works."""
    if shutil.which("valgrind") is None:
        return "valgrind is not installed"
    if "san" in os.environ.get("LD_PRELOAD", ""):
        return "a sanitizer's runtime is loaded"
    return None


def not_comparable():
    """Why the counts in instructions.json cannot be compared with those made here; None if they can."""
    if not KEPT.exists():
        return "there is no instructions.json"
    kept = json.loads(KEPT.read_text())["versions"]
    differences = [
        f"{name} {kept.get(name)}, here {here}" for name, here in versions().items() if kept.get(name) != here
    ]
    return f"counted with {'; '.join(differences)}" if differences else None


def check():
    """Count cowarray's instructions, and compare.

    Returns
    -------
    list of str
        What takes more instructions than the tolerance allows.
    """
    kept = json.loads(KEPT.read_text())["counts"]
    found = count("cowarray")
    return [
        f"{name}: {kept[name]['cowarray']:.0f} instructions, now {found[name]:.0f}"
        for name in found
        if name in kept and found[name] > kept[name]["cowarray"] * (1 + TOLERANCE)
    ]


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare with instructions.json and write nothing")
    parser.add_argument("--loops", choices=("cowarray", "numpy"), help=argparse.SUPPRESS)
    arguments = parser.parse_args(argv)
    if arguments.loops:
        loops(arguments.loops)
        return 0
    if reason := cannot():
        print(f"skipped: instruction counts: {reason}")
        return 0
    if arguments.check:
        if reason := not_comparable():
            print(f"skipped: instruction counts: {reason}")
            return 0
        grown = check()
        print("\n".join(grown) or "No operation takes more instructions than it did.")
        return 1 if grown else 0
    ours, theirs = count("cowarray"), count("numpy")
    print(f"{'instructions':<40}{'ours':>10}{'NumPy':>10}{'ratio':>8}")
    for name in ours:
        print(f"{name:<40}{ours[name]:>10,.0f}{theirs[name]:>10,.0f}{ours[name] / theirs[name]:>8.2f}")
    counts = {name: {"cowarray": ours[name], "numpy": theirs[name]} for name in ours}
    KEPT.write_text(json.dumps({"versions": versions(), "counts": counts}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
