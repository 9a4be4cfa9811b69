"""Random calls, made twice: by NumPy, and by `_modes.layouts.inference` on headers over memory nobody may touch.

Shape, dtype and strides must be equal, and so must the class of an error. Strides of arrays without elements are not
compared. ``python tests/fakes/inference_programs.py --programs 100000 --seed 7`` makes
that many calls of each kind, and prints how many had a result, how many an error, and how many differed.

It is one file because it is one list of kinds of calls. Read it a kind at a time.
"""

import argparse
import ctypes
import mmap
import random
import re
import sys
import warnings
from typing import NamedTuple

import numpy as np
from numpy.fft import _pocketfft_umath
from numpy.linalg import _umath_linalg

from cowarray._modes.layouts import inference

# ---- operands --------------------------------------------------------------------------------------------------------

PROT_NONE = 0
LENGTH = 1 << 40


def untouchable():
    """Addresses that hold no memory: whoever reads or writes there ends the process."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0x4000)
    address = libc.mmap(None, LENGTH, PROT_NONE, flags, -1, 0)
    if address in (None, ctypes.c_void_p(-1).value):
        raise OSError(ctypes.get_errno(), "cannot reserve addresses")
    return (ctypes.c_char * LENGTH).from_address(address)


NOWHERE = untouchable()


def without_bytes(x):
    """An array like x over memory that cannot be touched; x itself if NumPy refuses that, as for objects."""
    if not isinstance(x, np.ndarray) or x.dtype.hasobject:
        return x
    return np.ndarray(x.shape, x.dtype, NOWHERE, LENGTH // 2, x.strides)


NUMBERS = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]
RARE = [
    "g",
    "G",
    "l",
    "q",
    "Q",
    ">i4",
    ">f8",
    "O",
    "M8[s]",
    "M8[D]",
    "m8[ms]",
    "m8[D]",
    "S3",
    "U2",
    "U5",
    "V4",
    "i4,f8",
]
SCALARS = [1, 0, 3, -1, 300, 2**40, 2**70, 1.5, 2.0, 1j, True, False]


def a_dtype(rng):
    return np.dtype(rng.choice(NUMBERS) if rng.random() < 0.85 else rng.choice(RARE))


def a_length(rng):
    return rng.choice([2, 3, 4, 2, 3, 5]) if rng.random() < 0.85 else rng.choice([0, 1, 1])


def a_shape(rng, most=6):
    return tuple(
        a_length(rng) for _ in range(rng.choice([n for n in [0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 5, 6] if n <= most]))
    )


def an_array(rng, shape, dtype=None):
    """Zeros of this shape: C- or F-contiguous, permuted, stepped, reversed, broadcast, or windows that overlap."""
    dtype = a_dtype(rng) if dtype is None else dtype
    kind = rng.random()
    if kind < 0.2 or not shape:
        return np.zeros(shape, dtype)
    if kind < 0.3:
        return np.zeros(shape, dtype, order="F")
    ndim = len(shape)
    if kind > 0.97 and ndim > 1 and 0 not in shape:
        base = np.zeros((shape[0] + shape[1] - 1, *shape[2:]), dtype)
        strides = (base.strides[0], *base.strides)
        return np.lib.stride_tricks.as_strided(base, shape, strides, writeable=False)
    axes = list(range(ndim))
    rng.shuffle(axes)
    steps = [1] * ndim if kind < 0.5 else [rng.choice([1, 1, -1, 2, -2]) for _ in shape]
    once = [kind > 0.8 and rng.random() < 0.3 for _ in shape]
    lengths = [1 if b else n * abs(step) for n, step, b in zip(shape, steps, once, strict=True)]
    base = np.zeros([lengths[k] for k in axes], dtype).transpose(np.argsort(axes))
    x = base[tuple(slice(None) if b else slice(None, None, s) for s, b in zip(steps, once, strict=True))]
    return np.broadcast_to(x, shape) if any(once) else x


def part_of(rng, shape):
    """A shape that broadcasts to this one; at times one that does not."""
    if rng.random() < 0.5:
        return shape
    shape = list(shape[rng.choice([0, 0, 0, 1, 2]) :])
    shape = [1 if rng.random() < 0.2 else n for n in shape]
    if shape and rng.random() < 0.05:
        shape[rng.randrange(len(shape))] = a_length(rng)
    return tuple(shape)


def an_order(rng):
    return rng.choice("KKCFA")


# ---- kinds of calls --------------------------------------------------------------------------------------------------


class Call(NamedTuple):
    """What NumPy does, what inference says of it, both as functions of the operands, and the operands."""

    text: str
    real: object
    inferred: object
    operands: list


UFUNCS = [
    np.add, np.subtract, np.multiply, np.divide, np.floor_divide, np.maximum, np.less, np.equal, np.logical_and,
    np.bitwise_or, np.arctan2, np.hypot, np.ldexp, np.power, np.negative, np.sqrt, np.isnan, np.abs, np.logical_not,
    np.modf, np.frexp, np.divmod, np.conjugate, np.left_shift, np._core.umath.clip, np.isnat, np.sign, np.square,
    np.nextafter, np.strings.isalpha,
]  # fmt: skip
REDUCED = [
    np.add, np.multiply, np.maximum, np.minimum, np.logical_and, np.logical_or, np.bitwise_or, np.bitwise_and,
    np.subtract, np.divide, np.logaddexp, np.hypot, np.fmax, np.equal, np.bitwise_xor, np.gcd,
]  # fmt: skip


def elementwise(rng):
    ufunc = rng.choice(UFUNCS)
    shape = a_shape(rng)
    dtype = a_dtype(rng)
    operands = []
    for _ in range(ufunc.nin):
        chance = rng.random()
        if chance < 0.15 and operands:
            operands.append(rng.choice(SCALARS))
        elif chance < 0.2:
            operands.append(rng.choice([np.float32(1), np.int8(1), np.uint64(3), np.float64(0.5), np.bool_(True)]))
        else:
            operands.append(an_array(rng, part_of(rng, shape), dtype if rng.random() < 0.5 else a_dtype(rng)))
    options, arrays = {}, {}
    # NumPy's comparisons crash if they have a mask and an integer out of bounds.
    if rng.random() < 0.1 and not any(type(x) is int and not 0 <= x < 128 for x in operands):
        arrays["where"] = an_array(rng, part_of(rng, shape), np.dtype(bool) if rng.random() < 0.9 else a_dtype(rng))
    if rng.random() < 0.2:
        arrays["out"] = tuple(
            None if rng.random() < 0.4 else owned(an_array(rng, part_of(rng, shape))) for _ in range(ufunc.nout)
        )
    if rng.random() < 0.1:
        options["dtype"] = a_dtype(rng)
    if rng.random() < 0.1:
        options["casting"] = rng.choice(["no", "equiv", "safe", "same_kind", "unsafe"])
    if rng.random() < 0.2:
        options["order"] = an_order(rng)

    def real(inputs, given):
        return ufunc(*inputs, **{"out": (None,) * ufunc.nout, **given}, **options)

    def inferred(inputs, given):
        return inference.elementwise(ufunc, inputs, **given, **options)

    return Call(f"{ufunc.__name__} {options}", real, inferred, [operands, arrays])


def owned(x):
    """An array that may be written."""
    return x if x.flags.writeable else x.copy()


def some_axes(rng, ndim):
    chance = rng.random()
    if chance < 0.1:
        return None
    if chance < 0.15:
        return rng.randrange(-ndim - 2, ndim + 3)
    if not ndim:
        return rng.choice([0, -1, ()])
    if chance < 0.5:
        return rng.randrange(-ndim, ndim)
    axes = rng.sample(range(ndim), rng.randrange(ndim + 1))
    if rng.random() < 0.05 and axes:
        axes.append(axes[0] - ndim)
    return tuple(axes)


def reduction(rng):
    ufunc = rng.choice(REDUCED)
    shape = a_shape(rng)
    x = an_array(rng, shape)
    options, arrays = {"axis": some_axes(rng, len(shape))}, {}
    if rng.random() < 0.3:
        options["keepdims"] = rng.choice([True, False])
    if rng.random() < 0.15:
        options["initial"] = rng.choice([0, 1.5, None, 300])
    if rng.random() < 0.15:
        options["dtype"] = a_dtype(rng)
    if rng.random() < 0.15:
        arrays["where"] = an_array(rng, part_of(rng, shape), np.dtype(bool) if rng.random() < 0.9 else a_dtype(rng))
    if rng.random() < 0.15:
        axis = options["axis"]
        axes = range(len(shape)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        gone = [k % max(len(shape), 1) for k in axes]
        ones = options.get("keepdims")
        kept = [1 if k in gone else n for k, n in enumerate(shape) if ones or k not in gone]
        arrays["out"] = owned(an_array(rng, tuple(kept) if rng.random() < 0.8 else a_shape(rng, 3)))
        if arrays["out"].dtype.hasobject:
            options.pop("dtype", None)  # NumPy crashes

    def real(x, given):
        return ufunc.reduce(x, **given, **options)

    def inferred(x, given):
        return inference.reduction(ufunc, x, **given, **options)

    return Call(f"{ufunc.__name__}.reduce {options}", real, inferred, [x, arrays])


def an_axis(rng, ndim):
    return rng.randrange(-ndim, ndim) if ndim and rng.random() < 0.95 else rng.randrange(-ndim - 1, ndim + 2)


def accumulation(rng):
    ufunc = rng.choice(REDUCED)
    x = an_array(rng, a_shape(rng))
    axis = an_axis(rng, x.ndim)
    dtype = a_dtype(rng) if rng.random() < 0.2 else None
    arrays = {}
    if rng.random() < 0.1:
        arrays["out"] = owned(an_array(rng, x.shape if rng.random() < 0.8 else tuple(n + (n > 1) for n in x.shape)))
        if arrays["out"].dtype.hasobject:
            dtype = None  # NumPy crashes
    return Call(
        f"{ufunc.__name__}.accumulate {axis} {dtype}",
        lambda x, given: ufunc.accumulate(x, axis, dtype, **given),
        lambda x, given: inference.accumulation(ufunc, x, axis, dtype, **given),
        [x, arrays],
    )


def segments(rng):
    ufunc = rng.choice(REDUCED)
    x = an_array(rng, a_shape(rng))
    axis = an_axis(rng, x.ndim)
    length = rng.choice([0, 1, 2, 5])
    dtype = a_dtype(rng) if rng.random() < 0.2 else None
    return Call(
        f"{ufunc.__name__}.reduceat {axis} {length} {dtype}",
        lambda x: ufunc.reduceat(x, np.zeros(length, np.intp), axis, dtype),
        lambda x: inference.segments(ufunc, x, length, axis, dtype),
        [x],
    )


def outer(rng):
    ufunc = rng.choice([u for u in UFUNCS if u.nin == 2])
    return Call(
        f"{ufunc.__name__}.outer",
        ufunc.outer,
        lambda a, b: inference.outer(ufunc, a, b),
        [an_array(rng, a_shape(rng, 3)), an_array(rng, a_shape(rng, 3))],
    )


def copied(rng):
    x = an_array(rng, a_shape(rng))
    options = {}
    if rng.random() < 0.8:
        options["order"] = an_order(rng)
    if rng.random() < 0.3:
        options["dtype"] = rng.choice([a_dtype(rng), "U", "S", "(2,3)i4"])
    if rng.random() < 0.3:
        shape = list(x.shape) if rng.random() < 0.7 else list(a_shape(rng))
        rng.shuffle(shape)
        options["shape"] = tuple(shape)
    return Call(
        f"empty_like {options}",
        lambda x: np.empty_like(x, **options),
        lambda x: inference.copied(x, **options),
        [x],
    )


def cast(rng):
    x = an_array(rng, a_shape(rng), a_dtype(rng))
    dtype = rng.choice([a_dtype(rng), np.dtype(int), np.dtype("U")])
    order, casting = an_order(rng), rng.choice(["unsafe", "safe", "same_kind"])
    if x.dtype.kind in "OV" or (x.dtype.kind in "SU" and dtype.kind not in "SU"):
        dtype = x.dtype  # an empty text is no number
    if x.dtype.kind in "mM" and dtype.kind in "SU":
        dtype = x.dtype  # NumPy may write past the end of a text that is too short
    return Call(
        f"astype {dtype} {order} {casting}",
        lambda x: x.astype(dtype, order, casting),
        lambda x: inference.cast(x, dtype, order, casting),
        [x],
    )


SHAPES = [3, -1, (), (0,), (2, -1), (1 << 31, 1 << 31, 4), (1 << 62,), (1 << 64,), (1 << 40, 0, 1 << 40), "ab", 2.5]


def fresh(rng):
    shape = (
        a_shape(rng) if rng.random() < 0.8 else rng.choice([*SHAPES, (1,) * 64, (1,) * 65, [2, 3], (np.int64(2), 3)])
    )
    dtype = rng.choice([a_dtype(rng), "U", "V", "(2,)f4", float, None])
    order = rng.choice("CF")
    return Call(
        f"empty {shape} {dtype} {order}",
        lambda: np.empty(shape, dtype, order),
        lambda: inference.fresh(shape, dtype, order),
        [],
    )


def reshaped(rng):
    x = an_array(rng, a_shape(rng))
    order = rng.choice("CFA")
    shape = list(x.shape)
    rng.shuffle(shape)
    if len(shape) > 1 and rng.random() < 0.5:
        shape[:2] = [shape[0] * shape[1]]
    if shape and rng.random() < 0.3:
        shape[rng.randrange(len(shape))] = rng.choice([-1, -1, 3])
    return Call(
        f"reshape {shape} {order}",
        lambda x: (
            np.array(x, copy=True, order="C").reshape(shape, order=order).copy(order="F" if forward(x, order) else "C")
        ),
        lambda x: inference.reshaped_copy(x, tuple(shape), order),
        [x],
    )


def forward(x, order):
    """Whether a reshaped copy is F-contiguous."""
    return order == "F" or (order == "A" and x.flags.fnc)


def concatenated(rng):
    shape = list(a_shape(rng, 5))
    axis = an_axis(rng, len(shape)) if rng.random() < 0.9 else None
    dtype = a_dtype(rng)
    arrays = []
    for _ in range(rng.choice([1, 2, 2, 3, 0]) if rng.random() < 0.98 else 0):
        lengths = list(shape)
        if shape and (axis is None or -len(shape) <= axis < len(shape)) and rng.random() < 0.5:
            lengths[axis or 0] = a_length(rng)
        if rng.random() < 0.03:
            lengths.append(2)
        arrays.append(an_array(rng, tuple(lengths), dtype if rng.random() < 0.7 else a_dtype(rng)))
    options = {}
    if rng.random() < 0.1:
        options["dtype"] = a_dtype(rng)
    return Call(
        f"concatenate {axis} {options}",
        lambda arrays: np.concatenate(arrays, axis, **options),
        lambda arrays: inference.concatenated(arrays, axis, **options),
        [arrays],
    )


def where(rng):
    shape = a_shape(rng)
    operands = [an_array(rng, part_of(rng, shape), np.dtype(bool) if rng.random() < 0.8 else a_dtype(rng))]
    for _ in range(2):
        operands.append(rng.choice([1, 1.5, 1j, True]) if rng.random() < 0.2 else an_array(rng, part_of(rng, shape)))
    return Call("where", np.where, inference.where, operands)


MATRICES = [np.matmul, np.matmul, np.matmul, np.vecdot, np.vecdot, np.matvec, np.vecmat]
# Some rely on shapes that their callers have checked.
INNER = [f for room in (_umath_linalg, _pocketfft_umath) for f in vars(room).values() if isinstance(f, np.ufunc)]
INNER = [f for f in INNER if not f.__name__.startswith(("qr_", "lstsq", "rfft"))]


def generalized(rng):
    ufunc = rng.choice(MATRICES) if rng.random() < 0.6 else rng.choice(INNER)
    cores = [re.findall(r"\w+", core) for core in re.findall(r"\((.*?)\)", ufunc.signature)]
    lengths = {name: a_length(rng) for core in cores for name in core}
    loops = a_shape(rng, 3)
    dtype = a_dtype(rng) if ufunc in MATRICES else np.dtype(rng.choice("fdFD"))

    def operand(core):
        shape = part_of(rng, loops) + tuple(lengths[name] if rng.random() < 0.99 else 2 for name in core)
        if rng.random() < 0.1:
            shape = shape[rng.randrange(len(shape) + 1) :]
        return an_array(rng, shape, dtype if rng.random() < 0.8 else a_dtype(rng))

    inputs = [operand(core) for core in cores[: ufunc.nin]]
    options, arrays = {}, {}
    if ufunc is np.vecmat:
        pass  # which with outputs at times writes where it may not
    elif rng.random() < 0.2 and ufunc.nout == 1:
        arrays["out"] = (owned(operand(cores[-1])),)
    elif rng.random() < 0.2:
        arrays["out"] = tuple(owned(operand(core)) if rng.random() < 0.5 else None for core in cores[ufunc.nin :])
    if rng.random() < 0.1:
        options["keepdims"] = True
    chance = rng.random()
    if chance < 0.1 and all(len(core) < 2 for core in cores):  # with more NumPy writes where it may not
        options["axis"] = rng.choice([0, -1, 1, -2, 3])
    elif chance < 0.35:
        options["axes"] = some_core_axes(rng, ufunc, cores, inputs, len(loops))
    if rng.random() < 0.1:
        options["dtype"] = np.dtype(rng.choice("fdFD"))
    if rng.random() < 0.1:
        options["order"] = an_order(rng)

    def real(inputs, given):
        return ufunc(*inputs, **given, **options)

    def inferred(inputs, given):
        return inference.generalized(ufunc, inputs, **given, **options)

    return Call(f"{ufunc.__name__} {ufunc.signature} {options}", real, inferred, [inputs, arrays])


def some_core_axes(rng, ufunc, cores, inputs, loops):
    """An argument `axes`."""
    axes = []
    for k, core in enumerate(cores):
        ndim = inputs[k].ndim if k < ufunc.nin else loops + len(core)
        count = len(core) if ndim >= len(core) else ndim
        places = rng.sample(range(ndim), count) if rng.random() < 0.98 else [0] * (count + 1)
        places = [place - ndim if rng.random() < 0.4 else place for place in places]
        axes.append(places[0] if len(places) == 1 and rng.random() < 0.5 else tuple(places))
    return axes[: ufunc.nin] if rng.random() < 0.2 else axes


def product(rng):
    name = rng.choice(["dot", "dot", "inner", "vdot"])
    a = an_array(rng, a_shape(rng, 4), np.dtype(rng.choice([*NUMBERS, *NUMBERS, ">i4", ">f8", "q", "O"])))
    lead = list(a_shape(rng, 3))
    last = a.shape[-1] if a.ndim and rng.random() < 0.95 else a_length(rng)
    place = len(lead) if name == "inner" else max(len(lead) - 1, 0)
    shape = (*lead[:place], last, *lead[place:]) if rng.random() < 0.9 else ()
    dtype = a.dtype if rng.random() < 0.5 else np.dtype(rng.choice(NUMBERS))
    b = an_array(rng, a.shape if name == "vdot" and rng.random() < 0.9 else shape, dtype)
    if rng.random() < 0.05:
        b = rng.choice([1, 2.0, 1j, np.float32(1)])
    given = {}
    if name == "dot" and rng.random() < 0.1 and a.ndim:
        given["out"] = np.zeros(a.shape[:-1] + tuple(lead), a.dtype, order=rng.choice("CF"))
    return Call(
        name,
        lambda a, b, given: getattr(np, name)(a, b, **given),
        lambda a, b, given: getattr(inference, name)(a, b, **given),
        [a, b, given],
    )


def take(rng):
    x = an_array(rng, a_shape(rng, 4))
    axis = an_axis(rng, x.ndim) if rng.random() < 0.8 else None
    mode = rng.choice(["raise", "raise", "clip", "wrap", "none"]) if rng.random() < 0.5 else "raise"
    if mode == "wrap" and 0 in x.shape:
        mode = "clip"  # NumPy may wrap without end
    indices = an_array(rng, a_shape(rng, 3), np.dtype(rng.choice(["i8", "i8", "i4", "u1", "?", "f8", "m8[s]", "U2"])))
    return Call(
        f"take {axis} {mode}",
        lambda x, indices: np.take(x, indices, axis, mode=mode),
        lambda x, indices: inference.take(x, indices, axis, mode),
        [x, indices],
    )


def ordered(rng):
    x = an_array(rng, a_shape(rng, 5))
    axis = an_axis(rng, x.ndim) if rng.random() < 0.8 else None
    keepdims = rng.random() < 0.3
    name = rng.choice(["sort", "argsort", "argmax", "argmin", "lexsort"])
    if name == "lexsort":
        axis = -1 if axis is None else axis
    calls = {
        "sort": (lambda x: np.sort(x, axis), lambda x: inference.sorted_copy(x, axis)),
        "argsort": (lambda x: np.argsort(x, axis), lambda x: inference.argsorted(x, axis)),
        "lexsort": (lambda x: np.lexsort((x, x), axis), lambda x: inference.lexsort((x, x), axis)),
    }
    real, inferred = calls.get(
        name,
        (
            lambda x: getattr(np, name)(x, axis, keepdims=keepdims),
            lambda x: inference.argbest(x, axis, keepdims=keepdims, name=name),
        ),
    )
    return Call(f"{name} {axis} {keepdims}", real, inferred, [x])


def chosen(rng):
    shape = a_shape(rng, 4)
    index = an_array(rng, part_of(rng, shape), np.dtype(rng.choice(["i8", "i4", "u1"])))
    choices = [an_array(rng, part_of(rng, shape), np.dtype(rng.choice(NUMBERS))) for _ in range(rng.choice([1, 2, 3]))]
    return Call("choose", np.choose, inference.choose, [index, choices])


def bits(rng):
    x = an_array(rng, a_shape(rng, 4), np.dtype("u1") if rng.random() < 0.9 else a_dtype(rng))
    axis = an_axis(rng, x.ndim) if rng.random() < 0.8 else None
    if rng.random() < 0.3:
        count = rng.choice([0, 1, 9, -1, -100])
        return Call(
            f"unpackbits {axis} {count}",
            lambda x: np.unpackbits(x, axis, count=count),
            lambda x: inference.unpackbits(x, axis, count),
            [x],
        )
    name = rng.choice(["packbits", "unpackbits"])
    return Call(
        f"{name} {axis}", lambda x: getattr(np, name)(x, axis), lambda x: getattr(inference, name)(x, axis), [x]
    )


def repeated(rng):
    x = an_array(rng, a_shape(rng, 4))
    axis = an_axis(rng, x.ndim) if rng.random() < 0.8 else None
    count = rng.choice([0, 1, 2, 3, -1])
    return Call(
        f"repeat {count} {axis}",
        lambda x: np.repeat(x, count, axis),
        lambda x: inference.repeat(x, count, axis),
        [x],
    )


def searched(rng):
    x = an_array(rng, (a_length(rng),) if rng.random() < 0.95 else a_shape(rng, 2))
    values = an_array(rng, a_shape(rng, 4), x.dtype if rng.random() < 0.5 else np.dtype(rng.choice(NUMBERS)))
    return Call("searchsorted", np.searchsorted, inference.searchsorted, [x, values])


def einsum(rng):
    labels = rng.sample("ijkLm", rng.choice([1, 2, 3, 4]))
    lengths = {label: a_length(rng) for label in labels}
    dots = rng.random() < 0.2
    more = a_shape(rng, 2)
    terms, operands = [], []
    for _ in range(rng.choice([1, 1, 2, 2, 3])):
        term = [rng.choice(labels) for _ in range(rng.randrange(len(labels) + 1))]
        shape = [lengths[label] if rng.random() < 0.97 else rng.choice([1, 2]) for label in term]
        if dots and rng.random() < 0.8:
            place = rng.randrange(len(term) + 1)
            inner = part_of(rng, more)
            shape[place:place] = inner
            term[place:place] = ["..."]
        terms.append("".join(term))
        operands.append(an_array(rng, tuple(shape), np.dtype(rng.choice(["f8", "f4", "i4", "i8", "c16", "?"]))))
    text = ",".join(terms)
    if rng.random() < 0.7:
        used = sorted(set(text) - set(",."))
        rng.shuffle(used)
        result = used[: rng.randrange(len(used) + 1)]
        if dots and rng.random() < 0.9:
            result.insert(rng.randrange(len(result) + 1), "...")
        text += "->" + "".join(result)
    options = {}
    if rng.random() < 0.2:
        options["order"] = an_order(rng)
    if rng.random() < 0.1:
        options["dtype"] = np.dtype(rng.choice(["f8", "c16", "i8"]))

    def real(operands):
        result = np.einsum(text, *operands, **options)
        view = getattr(result, "base", None) is not None or operands[0].ndim == 0
        return None if len(operands) == 1 and view else result

    return Call(
        f"einsum {text} {options}", real, lambda operands: inference.einsum(text, *operands, **options), [operands]
    )


def an_index(rng, length, outer):
    """An index array that broadcasts to a shape, for an axis of this length."""
    shape = part_of(rng, outer)
    x = an_array(rng, shape, np.dtype(rng.choice(["i8", "i8", "i4", "u1"])))
    if not length or rng.random() < 0.5:
        return x
    x = owned(x)
    x[...] = np.arange(x.size).reshape(x.shape) % length
    return x


def a_key(rng, shape, fancy):
    """A key for a shape; with arrays, if asked for."""
    outer = a_shape(rng, 3)
    parts = []
    shortest = min([n for n in shape if n], default=1)  # an index is valid wherever it comes to stand
    axes = list(shape)
    if rng.random() < 0.1:
        axes = axes[: rng.randrange(len(axes) + 1)]
    elif rng.random() < 0.03:
        axes.append(3)
    skipped = rng.randrange(len(axes) + 1) if rng.random() < 0.2 else None
    for k, length in enumerate(axes):
        while rng.random() < 0.1:
            parts.append(None)
        if k == skipped:
            parts.append(...)
            continue
        chance = rng.random()
        if chance < 0.4 and fancy:
            parts.append(an_index(rng, min(length, shortest), outer))
        elif chance < 0.6 and (length or rng.random() < 0.1):
            parts.append(rng.randrange(-length, length) if length and rng.random() < 0.98 else length + 3)
        elif chance < 0.63 and fancy:
            parts.append(rng.choice([True, False, [0], [], [[0], [0]]]))
        else:
            limits = [None, 0, 1, 2, -1, -2]
            parts.append(slice(rng.choice(limits), rng.choice(limits), rng.choice([None, 1, 2, -1, -2])))
    if skipped == len(axes):
        parts.append(...)
    if rng.random() < 0.05:
        parts.append(rng.choice([None, ..., 1.5, "a", True]))
    return parts[0] if len(parts) == 1 and rng.random() < 0.5 else tuple(parts)


def indexed(rng):
    x = an_array(rng, a_shape(rng, 5))
    return Call("x[key]", lambda x, key: x[key], inference.indexed, [x, a_key(rng, x.shape, rng.random() < 0.95)])


def assigned(rng):
    x = owned(an_array(rng, a_shape(rng, 4)))
    key = a_key(rng, x.shape, rng.random() < 0.7)
    try:
        shape = np.shape(x[key])
    except (IndexError, ValueError):  # also for a field that there is not
        shape = (2,)
    shape = (1,) * rng.choice([0, 0, 0, 1]) + part_of(rng, shape)
    value = an_array(rng, shape, x.dtype if rng.random() < 0.7 else a_dtype(rng))

    def real(x, key, value):
        x[key] = value

    def inferred(x, key, value):
        return inference.assigned(x, key, (value.shape, value.dtype))

    return Call("x[key] = value", real, inferred, [x, key, value])


KINDS = {
    f.__name__: f
    for f in [
        elementwise, reduction, accumulation, segments, outer, where, copied, cast, fresh, reshaped, concatenated,
        indexed, assigned, generalized, product, take, ordered, chosen, bits, repeated, searched, einsum,
    ]
}  # fmt: skip


# ---- comparison ------------------------------------------------------------------------------------------------------


def stripped(value):
    """Operands with the arrays among them over nothing."""
    if isinstance(value, (list, tuple)):
        return type(value)(stripped(v) for v in value)
    if isinstance(value, dict):
        return {name: stripped(v) for name, v in value.items()}
    return without_bytes(value)


def layout_of(result):
    """What is compared: of each result its shape, dtype (with its letter), and strides, unless it has no elements."""
    if result is None:
        return (), None, "", ()
    if type(result) is tuple:
        return tuple(layout_of(r) for r in result)
    if isinstance(result, (np.ndarray, np.generic, inference.Layout)):
        shape, dtype, strides = result.shape, result.dtype, result.strides
        if not shape:
            dtype = dtype.newbyteorder("=")  # as scalars have it
    else:  # objects come out of arrays without axes
        shape, dtype, strides = (), np.dtype(object), ()
    return shape, dtype, dtype.char, () if 0 in shape else strides


def outcome(function, operands):
    """The layouts of a result, or an error."""
    try:
        result = function(*operands)
    except Exception as error:
        return error
    layouts = layout_of(result)
    return layouts[0] if len(layouts) == 1 else layouts


# What NumPy says of elements, not of arrays.
OF_VALUES = [
    "could not convert",
    "invalid literal",
    "formatting was too short",
    "malformed string",
    "with a sequence",
    "Could not convert object",
    "zero-length FFT",
    "unsupported operand",
    "not supported between",
]


def by_value(error, inferred, call):
    """Whether NumPy found the error in an element, or objects raised it: no layout tells of these."""
    if isinstance(error, (MemoryError, AttributeError, ZeroDivisionError)):  # a fake needs no memory
        return True
    text = f"{call.text} {described(call.operands)} {inferred!r}"
    if any(name in text for name in ["|O", "dtype('O')", "object"]):
        return True
    return any(words in str(error) for words in OF_VALUES)


def both_wrong(error, inferred):
    """Whether shapes do not fit, and neither can the dtypes be cast: either may be said first."""
    return isinstance(inferred, Exception) and any(
        "could not be cast from" in str(e) or "according to the rule 'unsafe'" in str(e) for e in (error, inferred)
    )


def differs(call):
    """None, or how the two differ; and what NumPy gave."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        real = outcome(call.real, call.operands)
        inferred = outcome(call.inferred, stripped(call.operands))
    if isinstance(real, Exception):
        same = type(real) is type(inferred) or by_value(real, inferred, call) or both_wrong(real, inferred)
        return (None if same else f"{call.text}: NumPy {real!r}, inferred {inferred!r}"), real
    same = real == inferred
    if (
        not isinstance(inferred, Exception) and real[0] == () == inferred[0]
    ):  # an object is of any type, and a text has the length that it has
        same = same or inferred[2] == "O" or real[2] == inferred[2] in ("S", "U")
    return (None if same else f"{call.text}: NumPy {real}, inferred {inferred!r}"), real


def run(kind, programs, seed, report=print):
    """Make calls of a kind; return how many had a result, how many an error, and how many differed."""
    rng = random.Random(f"{kind} {seed}")
    results = errors = different = 0
    for _ in range(programs):
        call = KINDS[kind](rng)
        difference, real = differs(call)
        if isinstance(real, Exception):
            errors += 1
        else:
            results += 1
        if difference:
            different += 1
            if different <= 5:
                report(f"{kind}: {difference}\n    {described(call.operands)}")
    return results, errors, different


def described(value):
    """Operands, briefly."""
    if isinstance(value, (list, tuple)):
        return [described(v) for v in value]
    if isinstance(value, dict):
        return {name: described(v) for name, v in value.items()}
    return (value.shape, value.dtype.str, value.strides) if isinstance(value, np.ndarray) else value


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("kinds", nargs="*", choices=[*KINDS, []])
    arguments = parser.parse_args()
    total = 0
    for kind in arguments.kinds or KINDS:
        results, errors, different = run(kind, arguments.programs, arguments.seed)
        total += different
        print(f"{kind}: {results} results, {errors} errors, {different} differ", flush=True)
    print(f"NumPy {np.__version__}, seed {arguments.seed}: {total} differences")
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
