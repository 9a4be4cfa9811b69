"""Fuzz targets of what strangers send: pickles, files, tensors, buffers. Taken, or refused as documented."""

import contextlib
import io
import math
import pickle
import warnings

import numpy as np
from choices import MAX, Choices
from support.liars import HELD, MEMORY, Producer, answer, lying_view
from support.limits import little_memory
from support.oracle import Witness, outcome

import cowarray
from cowarray import _unpickle

# ---- pickle ----------------------------------------------------------------------------------------------------------


class OnlyOurs(pickle.Unpickler):
    def find_class(self, module, name):
        if (module, name) != ("cowarray", "_unpickle"):
            raise pickle.UnpicklingError(f"{module}.{name} is not allowed")
        return _unpickle


def use(x):
    """Touches every byte of an array that was made of what a stranger sent."""
    assert len(x.tobytes()) == x.nbytes == x.size * x.itemsize
    assert not x.dtype.hasobject
    if 0 < x.size < 10_000 and "U" not in str(x.dtype):  # of what is not Unicode, NumPy raises SystemError
        x.tolist()
    x[...] = np.zeros((), x.dtype)


def description(choices, depth=0):
    kind = choices.byte() % (8 if depth < 4 else 5)
    if kind < 4:
        return choices.of(["<f8", ">i2", "|u1", "|b1", "<c16", "|S3", "<U2", "<M8[s]", "<m8[7D]", "|V5", "|V0", "|S0"])
    if kind == 4:
        return choices.of(
            ["f8", "|O8", "O", "T", "|V-1", "<f3", "<M8[x]", "|V4294967304", None, 3, (), ("fields",), [], "<f8 "]
        )
    if kind == 5:
        return ("subarray", description(choices, depth + 1), choices.numbers(3))
    if kind == 6:
        return ("metadata", description(choices, depth + 1), choices.of([{}, {"k": 1}, None]))
    count = choices.byte() % 4
    parts = tuple(description(choices, depth + 1) for _ in range(count))
    names = tuple(choices.of(["a", "b", "c", "d", "", 1]) for _ in range(count))
    offsets = tuple(choices.small(0, 16) if choices.flag() else choices.number() for _ in range(count))
    titles = tuple(choices.of([None, None, None, "t", "a"]) for _ in range(count))
    return ("fields", names, parts, offsets, titles, choices.of([8, 16, 24, 5, 0, choices.number()]),
            choices.of([False, True, 1]), choices.of([False, True, None]))  # fmt: skip


def pickles(data):
    if data[:1] == b"\x80":
        printed = io.StringIO()
        try:
            with contextlib.redirect_stderr(printed), little_memory():
                x = OnlyOurs(io.BytesIO(data)).load()
        except MemoryError:
            return  # CPython complains of bytearrays that it frees half-made
        except Exception:  # the pickle language has its own ways to fail
            assert not printed.getvalue()
            return
        if type(x) is cowarray.ndarray:
            use(x)
        return
    choices = Choices(data)
    described, shape = description(choices), choices.numbers(4)
    try:
        dtype = _unpickle("", described, (0,), "C").dtype
        nbytes = math.prod(shape) * dtype.itemsize if all(0 <= n < 100 for n in shape) else choices.byte()
    except (ValueError, TypeError):
        nbytes = choices.byte()
    if nbytes > 100_000:
        return
    nbytes += choices.of([0, 0, 0, 0, 1, -1]) if nbytes else 0
    payload = choices.of(
        [bytes(nbytes), bytearray(nbytes), "\x00" * nbytes, memoryview(bytes(2 * nbytes))[::2], None, 3]
    )
    try:
        x = _unpickle(payload, described, shape, choices.of(["C", "F", (1, 0), (2, 0, 1), "K", None]))
    except (ValueError, TypeError, BufferError):
        return
    assert x.shape == shape
    if x.itemsize:
        use(x)
        use(pickle.loads(pickle.dumps(x, choices.of([2, 3, 4, 5]))))


# ---- npy -------------------------------------------------------------------------------------------------------------


def npy(data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            x = cowarray.load(io.BytesIO(data))
            if isinstance(x, cowarray._files.npy.Archive):
                x = next(iter(x.values()), cowarray.array(0))
                data = b""
        except (ValueError, EOFError):
            return
        if data:
            expected = np.load(io.BytesIO(data))
            assert (x.dtype, x.shape) == (expected.dtype, expected.shape)
            assert not x.nbytes or x.tobytes() == expected.tobytes()
        if x.nbytes:
            use(x)


# ---- dlpack ----------------------------------------------------------------------------------------------------------


def dlpack(data):
    del HELD[:-100]
    choices = Choices(data)
    versioned = choices.flag()
    shape = choices.of([(8,), (2, 4), (), None, choices.numbers(4), choices.numbers(4), (1,) * choices.small(60, 70)])
    strides = choices.of([None, (1,) * len(shape or ()), choices.numbers(4), choices.numbers(4)])
    if strides is not None and len(strides) != len(shape or ()):
        strides = None
    offer = {
        "shape": shape, "strides": strides, "offset": choices.of([0, 0, 0, 8, 3, choices.number() % 2**64]),
        "code": choices.of([2, 2, 2, 0, 1, 5, 6, choices.byte()]),
        "bits": choices.of([64, 64, 64, 8, 16, 32, 128, choices.byte()]),
        "lanes": choices.of([1, 1, 1, 1, 1, 1, choices.byte()]),
        "device": (choices.of([1, 1, 1, 1, 1, choices.byte()]), 0), "flags": choices.byte(),
        "major": choices.of([1, 1, 1, 1, choices.byte()]), "data": choices.of([None, None, None, None, 0]),
    }  # fmt: skip
    if choices.byte() > 240:
        offer["ndim"] = choices.of([-1, 65, 2**31 - 1, -(2**31), 0])
    producer = Producer(versioned=versioned, **offer)
    try:
        x = cowarray.from_dlpack(producer, copy=False)
    except BufferError:
        return
    except ValueError:  # extents that nobody can compute with
        assert strides is not None
        return
    if offer.get("ndim") == 0:
        shape = strides = None
    sizes = shape or ()
    steps = strides or (x.strides and tuple(stride // x.itemsize for stride in x.strides)) or ()
    assert x.shape == sizes
    span = [(n - 1) * s * x.itemsize for n, s in zip(sizes, steps, strict=True)]
    low = offer["offset"] + sum(reach for reach in span if reach < 0)
    high = offer["offset"] + sum(reach for reach in span if reach > 0) + x.itemsize
    if 0 < x.size < 1000 and low >= 0 and high <= 72:
        expected = np.from_dlpack(Producer(versioned=versioned, **offer))
        assert x.dtype == expected.dtype
        assert x.tobytes() == expected.tobytes()
        x.copy()[...] = 0
    assert list(producer.memory) == list(range(9))


# ---- buffers ---------------------------------------------------------------------------------------------------------


def buffers(data):
    choices = Choices(data)
    if choices.flag():
        request(choices)
    else:
        lie(choices)


def request(choices):
    """A buffer request with any flags, answered as NumPy answers it."""
    it = choices.subject()
    flags = choices.byte() | choices.byte() << 8
    if choices.byte() > 128:
        outcome(it.x.setflags, write=False)
        it.n.setflags(write=False)
    if not it.x.flags.writeable:
        it.n.setflags(write=False)
    expected, seen = answer(it.n, flags), answer(it.x, flags)
    if isinstance(expected, type) or isinstance(seen, type):
        assert isinstance(expected, type) or it.x.strides != it.n.strides, (seen, expected)
        return
    assert seen[:4] == expected[:4]
    witness = Witness(it.x)
    it.check()
    witness.check()


def lie(choices):
    """A memoryview that says of eight doubles what it likes."""
    del HELD[:-100]
    shape = choices.of([(8,), (2, 4), (), None, choices.numbers(4), choices.numbers(3)])
    strides = choices.of([None, choices.numbers(4), choices.numbers(3)])
    if strides is not None and len(strides) != len(shape or ()):
        strides = None
    itemsize = choices.of([8, 8, 8, 1, 4, choices.number()])
    offer = {
        "shape": shape, "strides": strides, "itemsize": itemsize, "offset": choices.of([0, 0, 8, 3]),
        "nbytes": choices.of([64, 64, 8, choices.number(), math.prod(shape or ()) * itemsize]),
        "format": choices.of([b"d", b"d", b"B", b"q", b"f", b"O", b"T{d:a:}", b"", b"%", None, b"3d", b"=d", b">i"]),
        "readonly": choices.byte() & 1,
    }  # fmt: skip
    if not -MAX <= offer["nbytes"] <= MAX:
        return
    try:
        view = lying_view(**offer)
    except (ValueError, SystemError, OverflowError):
        return  # Python itself refuses
    try:
        x = cowarray.asarray(view, copy=False)
    except (BufferError, ValueError):
        return
    assert x.size == 0 or x.nbytes == offer["nbytes"]
    span = [(n - 1) * s for n, s in zip(x.shape, x.strides, strict=True)]
    low = offer["offset"] + sum(reach for reach in span if reach < 0)
    high = offer["offset"] + sum(reach for reach in span if reach > 0) + x.itemsize
    if 0 < x.size < 1000 and low >= 0 and high <= 72:
        assert x.tobytes() == np.asarray(view).tobytes()
        x.copy()[...] = 0
    assert list(MEMORY) == list(range(9))
