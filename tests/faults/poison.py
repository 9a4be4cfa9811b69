"""A world whose fresh memory is poisoned, and everything that writes an array as a whole.

An array that shares its bytes and is about to be written as a whole gets fresh bytes that nothing has been copied into.
Whatever the write then leaves out shows what was in the memory before: here, poison. `poisoned_environment` is what the
C library must find at its start for that. Each case writes one array that shares its bytes with a lazy copy, and an
array of NumPy's that holds the same; every byte of the two is compared.

usage: python tests/faults/poison.py GROUP SHARE [SEED]      one in SHARE of the cases in a group: 1 for all of them
"""

import ctypes
import itertools
import json
import os
import random
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
import numpy as np
from poison_ufuncs import LAYOUTS, elementwise, filled, generalized, laid_out, strings
from poison_writes import ASSIGN, assignments, functions

import cowarray as ca

FREED = 0x5A
FRESH = FREED ^ 0xFF
MIB = 1 << 20


def poisoned_environment():
    """Variables with which glibc fills what malloc gives out and takes back, on all of its paths."""
    return {"GLIBC_TUNABLES": f"glibc.malloc.perturb={FREED}:glibc.malloc.tcache_count=0"}


def is_poisoned():
    """Whether aligned blocks of all sizes below those that are mapped one by one come poisoned, also used ones."""
    libc = ctypes.CDLL(None)
    block = ctypes.c_void_p()
    for nbytes in [1, 8, 24, 64, 100, 1000, 5000, 70_000, MIB, 4 * MIB - 1] * 2:
        if libc.posix_memalign(ctypes.byref(block), 64, ctypes.c_size_t(nbytes)):
            return False
        found = ctypes.string_at(block, nbytes)
        ctypes.memset(block, 1, nbytes)
        libc.free(block)
        if found != bytes([FRESH]) * nbytes:
            return False
    return True


# ---- one case --------------------------------------------------------------------------------------------------------


class Findings:
    """What is wrong, counted under names that leave out what does not matter."""

    def __init__(self):
        self.cases = 0
        self.raised = 0
        self.found = {}

    def add(self, name, what):
        count, example = self.found.get(name, (0, what))
        self.found[name] = (count + 1, example)


def close(ours, theirs):
    """Equal, or, for numbers that another inner loop may round otherwise, nearly so: poison is no number near them."""
    if bool(np.array_equal(meaning(ours), meaning(theirs))):
        return True
    if theirs.dtype.kind not in "fc" or theirs.dtype.char in "gG":
        return False
    tolerance = {2: 1e-2, 4: 1e-5, 8: 1e-12}[theirs.real.dtype.itemsize]
    return bool(np.allclose(ours, theirs, rtol=tolerance, atol=0, equal_nan=True))


def shows_poison(ours, *known):
    """Whether a byte that none of the others has at its place is one of poison."""
    ours, *known = (meaning(array) for array in (ours, *known))
    strange = np.logical_and.reduce([ours != other for other in known])
    return bool(np.isin(ours[strange], (FRESH, FREED)).any())


def meaning(array):
    """The bytes of an array, those between long doubles left out: what NumPy leaves there comes from its stack."""
    found = np.frombuffer(array.tobytes(), "u1")
    if array.dtype.char in "gG" and np.finfo(array.dtype).nmant == 63:  # ten bytes of sixteen
        return found.reshape(-1, np.dtype("g").itemsize)[:, :10].reshape(-1)
    return found


def check(findings, name, how, dtype, shape, layout, write, rng):
    """Write an array that shares its bytes, and NumPy's twin; compare every byte, and look at the lazy copy."""
    findings.cases += 1
    old, view = laid_out(dtype, shape, layout, rng)
    twin = old.copy()
    ours = ca.array(old) if rng.random() < 0.8 else ca.asarray(frozen(old))
    lazy = ours.copy(order="K")
    if rng.random() < 0.5:
        ours, lazy = lazy, ours
    case = f"{how}, out {np.dtype(dtype).str} {shape} {layout}"
    error = wanted = None
    try:
        write(view(ours))
    except Exception as raised:  # compared with NumPy's
        error = raised
    try:
        write(view(twin))
    except Exception as raised:
        wanted = raised
    got = ours.__array__(copy=True)
    if lazy.tobytes() != old.tobytes():
        findings.add(f"{name}: the lazy copy", case)
    if wanted is not None:
        findings.raised += 1
        if error is None:
            findings.add(f"{name}: no error", f"{case}: {wanted!r}")
        if shows_poison(got, old, twin):
            findings.add(f"{name}: after an error", f"{case}: {wanted!r}: {hexadecimal(got, twin)}")
    elif error is not None:
        findings.add(f"{name}: an error", f"{case}: {error!r}")
    elif not close(got, twin):
        findings.add(f"{name}: other bytes", f"{case}: {hexadecimal(got, twin)}")


def hexadecimal(ours, theirs):
    """The first element that differs, as bytes."""
    ours, theirs = ours.reshape(-1), theirs.reshape(-1)
    for one, other in zip(ours, theirs, strict=True):
        if one.tobytes() != other.tobytes():
            return f"{one.tobytes().hex()} instead of {other.tobytes().hex()}"
    return "?"


def frozen(array):
    array = array.copy()
    array.setflags(write=False)
    return array


# ---- blocks with pages of their own ----------------------------------------------------------------------------------


def large(rng, share):
    """The same for arrays from 4 MiB, whose fresh bytes are those of an array that was dropped."""
    n = 9 * MIB // 8
    shape = (3, n // 3)
    names = ["x[...] = v", "fill", "copyto", "add", "matmul", "text", "scalar", "row"]
    for name, layout in itertools.product(names, ("C", "F", "backwards")):
        dtype = np.dtype("U5" if name == "text" else "f8")
        value = filled("U3", (1, 1), rng) if name == "text" else np.full((1, 1), 3.0)
        writes = {
            "add": lambda x, value=value: np.add(value, 1, out=x),
            "text": lambda x, value=value: np.add(value, "", out=x),
            "matmul": lambda x: np.matmul(np.empty((len(x), 0)), np.empty((0, x.shape[1])), out=x),
        }
        if rng.random() * share < 1:
            yield name, "", dtype, shape, layout, writes.get(name) or (lambda x, n=name, v=value: ASSIGN[n](x, v))


def check_large(findings, name, how, dtype, shape, layout, write, rng):
    """`check`, of arrays whose fresh bytes are known to be those of a block that was filled with poison."""
    findings.cases += 1
    memory = shape[::-1] if layout.startswith("F") else shape
    values = filled(dtype, (1, 7), rng)[0]
    old = np.resize(values, memory)
    twin = old.copy()
    ours = ca.array(old)
    lazy = ours.copy(order="K")
    ca.keep_freed(0)
    ca.keep_freed(256 * MIB)
    poison = ca.array(np.full(old.nbytes, FRESH, "u1"))
    at = poison.storage.data_ptr
    del poison
    write(LAYOUTS[layout](ours))
    write(LAYOUTS[layout](twin))
    if ours.storage.data_ptr != at:
        findings.add(f"large, {name}: no poison", f"{how} {layout}")
    if ours.tobytes() != twin.tobytes():
        findings.add(f"large, {name}: other bytes", f"{how} {layout}: {hexadecimal(ours.__array__(), twin)}")
    if lazy.tobytes() != old.tobytes():
        findings.add(f"large, {name}: the lazy copy", f"{how} {layout}")


GROUPS = {
    "elementwise": elementwise,
    "strings": strings,
    "generalized": generalized,
    "assignments": assignments,
    "functions": functions,
    "large": large,
}


def run(group, share, seed):
    """The findings of one group, and its figures."""
    rng = random.Random(seed)
    findings = Findings()
    ca.reset_stats()
    look = check_large if group == "large" else check
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for case in GROUPS[group](rng, share):
            look(findings, *case, rng)
    return findings, ca.stats()["overwrites"]


def main(group, share, seed="0"):
    if not is_poisoned():
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **poisoned_environment()})
    findings, overwrites = run(group, float(share), int(seed))
    figures = {"cases": findings.cases, "raised": findings.raised, "overwrites": overwrites, "found": findings.found}
    print(json.dumps(figures))


if __name__ == "__main__":
    main(*sys.argv[1:])
