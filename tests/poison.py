"""A world whose fresh memory is poisoned, and everything that writes an array as a whole.

An array that shares its bytes and is about to be written as a whole gets fresh bytes that nothing has been copied into.
Whatever the write then leaves out shows what was in the memory before: here, poison. `poisoned_environment` is what the
C library must find at its start for that. Each case writes one array that shares its bytes with a lazy copy, and an
array of NumPy's that holds the same; every byte of the two is compared.

usage: python tests/poison.py GROUP SHARE [SEED]      one in SHARE of the cases in a group: 1 for all of them
"""

import contextlib
import ctypes
import itertools
import json
import operator
import os
import random
import re
import sys
import warnings

import numpy as np
import numpy._core.umath as umath

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


# ---- arrays ----------------------------------------------------------------------------------------------------------

LETTERS = "abcdefghijklmnopqrstuvwxyz"
WIDTHS = 3, 5, 8


def filled(dtype, shape, rng, lowest=1):
    """Small values of any dtype, none of whose bytes is left out: strings are as long as they can be."""
    dtype = np.dtype(dtype)
    size = int(np.prod(shape))
    if dtype.kind in "US":
        width = dtype.itemsize // (4 if dtype.kind == "U" else 1)
        texts = ["".join(rng.choices(LETTERS, k=width)) for _ in range(size)]
        return np.array(texts, dtype).reshape(shape) if size else np.empty(shape, dtype)
    numbers = np.array([rng.randint(lowest, 9) for _ in range(size)], "i8")
    if dtype.kind == "b":
        numbers %= 2
    elif dtype.kind in "mM":
        numbers = numbers.astype(f"{dtype.kind}8[s]")
    elif dtype.kind == "V":
        numbers = numbers.astype("i4")
        return numbers.view(dtype).reshape(shape)
    return numbers.astype(dtype).reshape(shape)


LAYOUTS = {
    "C": lambda a: a,
    "F": lambda a: a.T,
    "backwards": lambda a: a[::-1],
    "all backwards": lambda a: a[(slice(None, None, -1),) * a.ndim],
    "F backwards": lambda a: a.T[::-1] if a.ndim else a,
    "part": lambda a: a[1:] if a.ndim else a,
}


def laid_out(dtype, shape, layout, rng):
    """Values in memory such that the layout has the shape: (the array that owns the bytes, the function to view it)."""
    view = LAYOUTS[layout]
    memory = shape[::-1] if layout.startswith("F") else shape
    if layout == "part" and shape:
        memory = (shape[0] + 1, *shape[1:])
    return filled(dtype, memory, rng), view


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
    """Equal, or, for numbers that another inner loop may round otherwise, nearly so, with no byte of poison in it."""
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
    return found.reshape(-1, 16)[:, :10].reshape(-1) if array.dtype.char in "gG" else found


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


# ---- ufuncs ----------------------------------------------------------------------------------------------------------

SHAPES = (3, 4), (5,), (), (2, 1, 3), (0, 3)
IN_PLACE = {
    name: getattr(operator, name)
    for name in ("iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow", "iand", "ior", "ixor", "ilshift",
                 "irshift", "imatmul")
}  # fmt: skip
OPERATOR_OF = {
    np.add: "iadd", np.subtract: "isub", np.multiply: "imul", np.true_divide: "itruediv", np.remainder: "imod",
    np.floor_divide: "ifloordiv", np.power: "ipow", np.bitwise_and: "iand", np.bitwise_or: "ior",
    np.bitwise_xor: "ixor", np.left_shift: "ilshift", np.right_shift: "irshift",
}  # fmt: skip
WIDER = {"?": "bU", "b": "hd", "h": "iqe", "i": "qdU", "l": "d", "f": "dgF", "e": "fd", "d": "gDf", "F": "D"}


def ufuncs():
    """Every one, by name. Those with an underscore trust their caller with the size of `out`."""
    found = {}
    for space in (np, np.strings, umath):
        for name, value in vars(space).items():
            if isinstance(value, np.ufunc) and not name.startswith("_") and value not in found.values():
                found[name] = value
    return found


def loop_types(ufunc):
    """The loops of a ufunc as (dtypes of the inputs, dtypes of the outputs); objects are never overwritten."""
    for loop in ufunc.types:
        if "O" in loop:
            continue
        inputs, _, outputs = loop.partition("->")
        yield [typecode(char) for char in inputs], [typecode(char) for char in outputs]


def typecode(char):
    return f"{char}8[s]" if char in "mM" else char


def call_with_out(ufunc, inputs, target, manner, more):
    """One of the ways to say where the results go; other results than the first go anywhere, or nowhere."""
    others = (None,) * (ufunc.nout - 1)
    if manner == "out=x" and not others:
        ufunc(*inputs, out=target, **more)
    elif manner == "positional":
        ufunc(*inputs, target, *others, **more)
    else:
        ufunc(*inputs, out=(target, *others), **more)


MANNERS = "out=x", "out=(x,)", "positional"


def elementwise(rng, share):
    """Cases (name, how, dtype of x, shape, layout, write): every loop, layout and way of naming `out`."""
    for name, ufunc in ufuncs().items():
        if ufunc.signature is not None:
            continue
        for inputs, outputs in loop_types(ufunc):
            targets = [outputs[0], *map(typecode, WIDER.get(outputs[0], "")), f">{outputs[0]}"]
            for dtype, layout, manner in itertools.product(targets, LAYOUTS, MANNERS):
                if rng.random() * share >= 1:
                    continue
                if dtype == "U":
                    dtype = f"U{rng.choice((2, 30))}"
                with contextlib.suppress(TypeError):
                    yield one_elementwise(name, ufunc, inputs, np.dtype(dtype), layout, manner, rng)


def one_elementwise(name, ufunc, inputs, dtype, layout, manner, rng):
    shape = rng.choice(SHAPES)
    own = rng.random() < 0.3  # arguments of ours, too
    kinds = [rng.choice(("same", "scalar", "row", "x", "backwards", "other order")) for _ in inputs]
    more = rng.choice(({}, {}, {}, {"casting": "unsafe"}, {"order": "F"}, {"where": True}, {"dtype": None}))
    given = []
    for kind, one in zip(kinds, inputs, strict=True):
        if kind == "scalar":
            given.append(filled(one, (), rng))
        elif kind == "row":
            given.append(filled(one, shape[-1:], rng))
        else:
            given.append(filled(one, shape, rng))

    def write(target):
        arguments = []
        for kind, one in zip(kinds, given, strict=True):
            if kind == "x" or kind == "backwards":
                fits = target.dtype == one.dtype
                arguments.append((target[::-1] if kind == "backwards" and target.ndim else target) if fits else one)
            elif kind == "other order":
                arguments.append(np.asfortranarray(one))
            else:
                arguments.append(ca.array(one) if own else one)
        if more == {} and ufunc in OPERATOR_OF and kinds[0] == "x" and len(arguments) == 2:
            IN_PLACE[OPERATOR_OF[ufunc]](target, arguments[1])
        else:
            call_with_out(ufunc, arguments, target, manner, more)

    how = f"({', '.join(f'{one} {kind}' for one, kind in zip(inputs, kinds, strict=True))}) {manner} {more}"
    return name, how, dtype, shape, layout, write


# What the ufuncs of strings take, s for a string and i for a number; the dtype of what they give.
STRING_SIGNATURES = {
    "add": "ss->s", "multiply": "si->s", "find": "ssii->i", "rfind": "ssii->i", "index": "ssii->i",
    "rindex": "ssii->i", "count": "ssii->i", "startswith": "ssii->?", "endswith": "ssii->?", "str_len": "s->i",
    "isalpha": "s->?", "isdigit": "s->?", "isspace": "s->?", "isalnum": "s->?", "islower": "s->?", "isupper": "s->?",
    "istitle": "s->?", "isdecimal": "s->?", "isnumeric": "s->?", "equal": "ss->?", "not_equal": "ss->?",
    "less": "ss->?", "less_equal": "ss->?", "greater": "ss->?", "greater_equal": "ss->?", "minimum": "ss->s",
    "maximum": "ss->s", "fmin": "ss->s", "fmax": "ss->s", "positive": "s->s", "clip": "sss->s",
}  # fmt: skip


def strings(rng, share):
    """The loops that ufunc.types does not list, of strings narrower than x, as wide and wider."""
    known = ufuncs()
    for name, signature in STRING_SIGNATURES.items():
        inputs, _, output = signature.partition("->")
        targets = [f"{order}{kind}{width}" for kind in "US" for width in (1, *WIDTHS, 20) for order in "<>"]
        if output != "s":
            targets += ["i8", "i4", "?", "f8", "f4"]
        for dtype, layout, manner, width, more in itertools.product(targets, LAYOUTS, MANNERS, WIDTHS, WIDTHS):
            if rng.random() * share * 4 < 1:
                yield one_of_strings(name, known[name], inputs, np.dtype(dtype), layout, manner, (width, more), rng)


def one_of_strings(name, ufunc, inputs, dtype, layout, manner, widths, rng):
    shape = rng.choice(SHAPES)
    kind = dtype.kind if dtype.kind in "US" else rng.choice("US")
    own = rng.random() < 0.3
    order = rng.choice("<<>")
    given = []
    for place, char in enumerate(inputs):
        one_shape = shape if place == 0 or rng.random() < 0.6 else rng.choice(((), shape[-1:]))
        if char == "i":
            given.append(filled("i8", one_shape, rng, lowest=-2))
        else:
            text = filled(f"{order}{kind}{widths[place % 2]}", one_shape, rng)
            given.append(
                text if rng.random() < 0.7 else np.strings.slice(text, 0, rng.randint(0, 3)).astype(text.dtype)
            )
    aliased = rng.random() < 0.2
    more = rng.choice(({}, {}, {}, {"casting": "unsafe"}))

    def write(target):
        arguments = [ca.array(one) if own else one for one in given]
        if aliased and target.dtype.kind == kind:
            arguments[0] = target
        if name == "add" and aliased and not more:
            operator.iadd(target, arguments[1])
        else:
            call_with_out(ufunc, arguments, target, manner, more)

    how = f"({', '.join(one.dtype.str for one in given)}{' of x' if aliased else ''}) {manner} {more}"
    return f"{name} of strings", how, dtype, shape, layout, write


# ---- generalized ufuncs ----------------------------------------------------------------------------------------------


def core_shapes(signature, sizes):
    """The shapes that a signature gives: of the inputs, of the outputs."""
    sides = []
    for side in signature.split("->"):
        parts = re.findall(r"\(([^)]*)\)", side)
        sides.append(
            [tuple(sizes[axis.strip().rstrip("?")] for axis in part.split(",") if axis.strip()) for part in parts]
        )
    return sides


def generalized(rng, share):
    """Every loop of every gufunc, with core axes of all lengths, 0 among them, and broadcast loops."""
    for name, ufunc in ufuncs().items():
        if ufunc.signature is None:
            continue
        axes = sorted(set(re.findall(r"\w+", ufunc.signature)))
        for inputs, outputs in loop_types(ufunc):
            lengths = list(itertools.product((0, 1, 2, 3), repeat=len(axes)))
            for sizes in rng.sample(lengths, min(len(lengths), 16)):
                for layout in LAYOUTS:
                    if name == "vecmat" and outputs[0] in "FD" and layout not in ("C", "F"):
                        continue  # NumPy ignores the stride of complex results, and writes beyond the end
                    if rng.random() * share < 1:
                        lengths_of = dict(zip(axes, sizes, strict=True))
                        yield one_generalized(name, ufunc, inputs, outputs[0], lengths_of, layout, rng)


def one_generalized(name, ufunc, inputs, output, sizes, layout, rng):
    cores, results = core_shapes(ufunc.signature, sizes)
    loop = rng.choice(((), (2,), (2, 3), (0,)))
    given = []
    for core, dtype in zip(cores, inputs, strict=True):
        outer = rng.choice((loop, loop, (), loop[-1:], (1, *loop[1:])))
        one = filled(dtype, (*outer, *core), rng)
        given.append(one if rng.random() < 0.6 else np.asfortranarray(one))
    dtype = np.dtype(output)
    if rng.random() < 0.3 and output in WIDER:
        dtype = np.dtype(rng.choice(WIDER[output].replace("U", "d")))
    shape = (*loop, *results[0])
    own = rng.random() < 0.3
    in_place = ufunc is np.matmul and rng.random() < 0.2

    def write(target):
        arguments = [ca.array(one) if own else one for one in given]
        if in_place and target.shape == arguments[0].shape:
            operator.imatmul(target, arguments[1])
        else:
            ufunc(*arguments, out=target)

    shapes = ", ".join(f"{one.dtype.char}{one.shape}" for one in given)
    return name, f"({shapes})", dtype, shape, layout, write


# ---- assignments -----------------------------------------------------------------------------------------------------

DTYPES = (
    *"?bhiqBHILefdFDgG", ">i4", ">f8", ">c8", "M8[s]", "m8[ms]", "M8[D]", *(f"U{width}" for width in WIDTHS),
    *(f"S{width}" for width in WIDTHS), ">U5", "V4",
)  # fmt: skip

ASSIGN = {
    "x[...] = v": lambda x, v: operator.setitem(x, ..., v),
    "x[:] = v": lambda x, v: operator.setitem(x, slice(None) if x.ndim else ..., v),
    "x[::-1] = v": lambda x, v: operator.setitem(x, slice(None, None, -1) if x.ndim else ..., v),
    "x[mask] = v": lambda x, v: operator.setitem(x, np.ones(x.shape, bool), v.flat[0] if v.size else 0),
    "x[indices] = v": lambda x, v: operator.setitem(x, list(range(len(x))) if x.ndim else ..., v),
    "x.flat = v": lambda x, v: setattr(x, "flat", v),
    "x.flat[:] = v": lambda x, v: operator.setitem(x.flat, slice(None), v),
    "x.T[...] = v": lambda x, v: operator.setitem(x.T, ..., v.T),
    "fill": lambda x, v: x.fill(v.flat[0] if v.size else 0),
    "copyto": lambda x, v: np.copyto(x, v, casting="unsafe"),
    "copyto, same_kind": lambda x, v: np.copyto(x, v),
    "copyto where": lambda x, v: np.copyto(x, v, casting="unsafe", where=np.arange(x.size).reshape(x.shape) % 2 == 0),
    "put": lambda x, v: np.put(x, np.arange(x.size), v),
    "x.put": lambda x, v: x.put(np.arange(x.size)[::2], v),
    "place": lambda x, v: np.place(x, np.ones(x.shape, bool), v),
    "putmask": lambda x, v: np.putmask(x, np.ones(x.shape, bool), v),
    "put_along_axis": lambda x, v: np.put_along_axis(x, np.argsort(x, axis=0), v, 0),
    "list": lambda x, v: operator.setitem(x, ..., v.tolist()),
    "objects": lambda x, v: operator.setitem(x, ..., v.astype(object)),
    "range": lambda x, v: operator.setitem(x, ..., range(x.shape[-1]) if x.ndim else 3),
    "scalar": lambda x, v: operator.setitem(x, ..., v.flat[0] if v.size else 0),
    "python": lambda x, v: operator.setitem(x, ..., v.flat[0].item() if v.size else 0),
    "ours": lambda x, v: operator.setitem(x, ..., ca.array(v)),
    "row": lambda x, v: operator.setitem(x, ..., v[:1] if v.ndim else v),
    "a view of x": lambda x, v: operator.setitem(x, ..., x[::-1] if x.ndim else x),
    "real": lambda x, v: setattr(x, "real", v.real),
    "imag": lambda x, v: setattr(x, "imag", v.real),
    "setfield": lambda x, v: x.setfield(v.flat[0] if v.size else 0, v.dtype),
    "fill_diagonal": lambda x, v: np.fill_diagonal(x, v),
}


def assignments(rng, share):
    """Every dtype from every other, in every way."""
    for name, assign in ASSIGN.items():
        for dtype, source, layout in itertools.product(DTYPES, DTYPES, LAYOUTS):
            if name == "x[indices] = v" and dtype[-1] == "]" and source.strip(">")[0] in "US":
                continue  # NumPy forgets that it could not parse, and has written what was in its buffer
            if rng.random() * share * 4 < 1:
                shape = rng.choice(SHAPES)
                value = filled(source, shape, rng)

                def write(target, assign=assign, value=value):
                    assign(target, value)

                yield name, f"from {value.dtype.str}", np.dtype(dtype), shape, layout, write


# ---- functions and methods that write --------------------------------------------------------------------------------

A = np.arange(12.0).reshape(3, 4) + 1
B = np.arange(16).reshape(4, 4) + 1
FUNCTIONS = {  # x is (3, 4)
    "sort": lambda x: x.sort(),
    "sort, axis 0": lambda x: x.sort(axis=0),
    "stable": lambda x: x.sort(kind="stable"),
    "partition": lambda x: x.partition(1),
    "byteswap": lambda x: x.byteswap(True),
    "take": lambda x: np.take(A, np.arange(12).reshape(3, 4), out=x),
    "take, clip": lambda x: np.take(A, np.arange(12).reshape(3, 4), out=x, mode="clip"),
    "choose": lambda x: np.choose(np.zeros((3, 4), int), [A, A], out=x),
    "clip": lambda x: np.clip(A, 2, 5, out=x),
    "x.clip": lambda x: x.clip(2, 5, out=x),
    "concatenate": lambda x: np.concatenate([A[:1], A[1:]], out=x, casting="unsafe"),
    "concatenate, same_kind": lambda x: np.concatenate([A[:1], A[1:]], out=x),
    "stack": lambda x: np.stack([A[0], A[1], A[2]], out=x, casting="unsafe"),
    "vstack of little": lambda x: np.concatenate([A[:1], A[1:2]], out=x),
    "cumsum": lambda x: np.cumsum(A, axis=0, out=x),
    "sum": lambda x: np.sum(np.stack([A, A]), axis=0, out=x),
    "mean": lambda x: np.mean(np.stack([A, A]), axis=0, out=x),
    "std": lambda x: np.std(np.stack([A, A]), axis=0, out=x),
    "var where": lambda x: np.var(np.stack([A, A]), axis=0, out=x, where=np.stack([A, A]) > 3),
    "max": lambda x: np.max(np.stack([A, -A]), axis=0, out=x),
    "max of nothing": lambda x: np.max(np.empty((0, 3, 4)), axis=0, out=x, initial=0),
    "sum of nothing": lambda x: np.sum(np.empty((0, 3, 4)), axis=0, out=x),
    "prod of nothing": lambda x: np.multiply.reduce(np.empty((0, 3, 4)), axis=0, out=x),
    "argmax": lambda x: np.argmax(np.stack([A, -A]), axis=0, out=x),
    "all": lambda x: np.all(np.stack([A, A]), axis=0, out=x),
    "median": lambda x: np.median(np.stack([A, A]), axis=0, out=x),
    "quantile": lambda x: np.quantile(np.stack([A, A]), 0.3, axis=0, out=x),
    "nanmean": lambda x: np.nanmean(np.stack([A, A]), axis=0, out=x),
    "nansum": lambda x: np.nansum(np.stack([A, A]), axis=0, out=x),
    "ptp": lambda x: np.ptp(np.stack([A, 2 * A]), axis=0, out=x),
    "dot": lambda x: np.dot(A, B * 1.0, out=x),
    "dot of nothing": lambda x: np.dot(np.empty((3, 0)), np.empty((0, 4)), out=x),
    "einsum": lambda x: np.einsum("ij,jk->ik", A, B * 1.0, out=x),
    "einsum, optimized": lambda x: np.einsum("ij,jk,kl->il", A, B * 1.0, B * 1.0, out=x, optimize=True),
    "einsum of nothing": lambda x: np.einsum("ij,jk->ik", np.empty((3, 0)), np.empty((0, 4)), out=x),
    "einsum, diagonal": lambda x: np.einsum("ijj->ij", np.ones((3, 4, 4)), out=x),
    "outer": lambda x: np.outer(A[:, 0], B[0], out=x),
    "ufunc outer": lambda x: np.multiply.outer(A[:, 0], B[0], out=x),
    "multi_dot": lambda x: np.linalg.multi_dot([A, B * 1.0, B * 1.0], out=x),
    "compress": lambda x: np.compress([True, True, True], A, axis=0, out=x),
    "compress less": lambda x: np.compress([True, False, True], A, axis=0, out=x),
    "round": lambda x: np.round(A / 3, 1, out=x),
    "x.round": lambda x: x.round(1, out=x),
    "accumulate": lambda x: np.add.accumulate(A, axis=0, out=x),
    "reduceat": lambda x: np.add.reduceat(A, [0, 1, 1], axis=0, out=x),
    "reduceat, backwards": lambda x: np.add.reduceat(A, [2, 1, 0], axis=0, out=x),
    "reduce where": lambda x: np.add.reduce(np.stack([A, A]), axis=0, out=x, where=np.stack([A, A]) > 5),
    "at": lambda x: np.add.at(x, ([0, 2], [1, 1]), 3),
    "where": lambda x: np.add(A, 1, out=x, where=A > 5),
    "where, broadcast": lambda x: np.multiply(A, 2, out=x, where=[True, False, True, False]),
    "where False": lambda x: np.multiply(A, 2, out=x, where=False),
    "nan_to_num": lambda x: np.nan_to_num(x, copy=False),
    "isneginf": lambda x: np.isneginf(A, out=x),
    "fix": lambda x: np.trunc(A, out=x),
    "divmod": lambda x: np.divmod(A, 2, out=(None, x)),
    "modf": lambda x: np.modf(A, out=(x, None)),
    "modf, twice": lambda x: np.modf(A, out=(x, x)),
    "frexp": lambda x: np.frexp(A, out=(x, None)),
    "wrong shape": lambda x: np.add(np.ones((2, 4)), 1, out=x),
    "too small": lambda x: np.add(np.ones((2, 3, 4)), 1, out=x),
    "an element that cannot be": lambda x: operator.setitem(x, ..., np.array([[1, 2, 3, "no"]] * 3, object)),
    "a list that cannot be": lambda x: operator.setitem(x, ..., [[1, 2, 3, "no"]] * 3),
    "an operation that fails": lambda x: np.add(A, np.array([1, 2, 3, "no"], object), out=x, casting="unsafe"),
    "an operation that fails late": lambda x: np.power(B[:3], -B[:3], out=x, casting="unsafe"),
    "a division that is refused": lambda x: refused(x),
    "a string that is no number": lambda x: np.copyto(x, np.array(["1", "2", "3", "no"]), casting="unsafe"),
    "setitem of little": lambda x: operator.setitem(x, slice(0, 2), 1),
    "fftn": lambda x: np.fft.fft(A, out=x),
    "fftn, cut": lambda x: np.fft.fft(A, n=4, out=x),
    "ifft": lambda x: np.fft.ifft(A, out=x),
    "matmul": lambda x: np.matmul(A, B, out=x),
    "matmul, axes": lambda x: np.matmul(A, B, out=x, axes=[(0, 1), (0, 1), (0, 1)]),
    "vecdot of nothing": lambda x: np.vecdot(np.empty((3, 4, 0)), np.empty((3, 4, 0)), out=x),
    "iadd of more": lambda x: operator.iadd(x, np.ones((2, 3, 4))),
}


def refused(x):
    with np.errstate(all="raise"):
        np.divide(1, np.array([[1.0, 2, 0, 4]] * 3), out=x)


def functions(rng, share):
    """What else writes an array, on each dtype and layout."""
    for (name, function), dtype, layout in itertools.product(FUNCTIONS.items(), DTYPES, LAYOUTS):
        if rng.random() * share < 1:
            yield name, "", np.dtype(dtype), (3, 4), layout, function


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
