"""Buffers that lie are refused before they are believed; and every request for ours is answered as NumPy answers it."""

import array
import ctypes
import gc
import mmap

import numpy as np
import pytest
from support.liars import MEMORY, Buffer, answer, lying_view, view_from

import cowarray

MAX = 2**63 - 1

LIES = {
    "more elements than bytes": {"shape": (80,)},
    "fewer elements than bytes": {"shape": (2,)},
    "fewer bytes than elements": {"nbytes": 8},
    "no bytes": {"nbytes": 0},
    "negative bytes": {"nbytes": -8},
    "negative lengths": {"shape": (-2, -4), "strides": (32, 8)},
    "a negative length": {"shape": (-8,)},
    "lengths that wrap around to 8": {"shape": (2**61 + 1, 8), "strides": (8, 8)},
    "a length beyond memory": {"shape": (MAX,), "nbytes": MAX},
    "a stride beyond memory": {"shape": (2, 4), "strides": (MAX, 8)},
    "a stride before memory": {"shape": (3, 4), "strides": (-MAX, 8), "nbytes": 96},
    "no bytes in an element": {"itemsize": 0},
    "no bytes in an element, and none": {"itemsize": 0, "nbytes": 0},
    "elements of -8 bytes": {"itemsize": -8},
    "elements of 4 bytes": {"itemsize": 4, "nbytes": 32},
    "a format of 4 bytes": {"format": b"f"},
    "no format": {"format": None},
    "an unknown format": {"format": b"%"},
    "an empty format": {"format": b""},
    "a format beyond memory": {"format": b"9999999999999d"},
    "a structure of unknown size": {"format": b"T{d:a:}"},
    "objects": {"format": b"O"},
    "an unterminated structure": {"format": b"T{d"},
    "pointers": {"suboffsets": (0,)},
    "pointers that are none": {"suboffsets": (-1,)},
}


@pytest.mark.parametrize("copy", [None, True, False])
@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_refused(lie, copy):
    with pytest.raises((BufferError, ValueError)):
        cowarray.asarray(lying_view(**LIES[lie]), copy=copy)


TRUTHS = {
    "plain": ({}, list(range(8))),
    "two axes": ({"shape": (2, 4), "strides": (32, 8)}, [[0, 1, 2, 3], [4, 5, 6, 7]]),
    "two axes, no strides": ({"shape": (2, 4), "strides": None}, [[0, 1, 2, 3], [4, 5, 6, 7]]),
    "backwards": ({"strides": (-8,), "offset": 56}, list(range(7, -1, -1))),
    "one axis without a shape": ({"shape": None, "strides": None, "ndim": 1}, list(range(8))),
    "no axes": ({"shape": None, "strides": None, "nbytes": 8}, 0),
    "nothing": ({"shape": (0,), "nbytes": 0}, []),
    "bytes without a format": ({"format": None, "itemsize": 1, "nbytes": 3, "shape": (3,), "strides": (1,)}, [0, 0, 0]),
}


@pytest.mark.parametrize("readonly", [0, 1])
@pytest.mark.parametrize("copy", [None, False])
@pytest.mark.parametrize("truth", TRUTHS)
def test_what_is_odd_and_true_is_taken_and_nothing_depends_on_read_only(truth, copy, readonly):
    offer, expected = TRUTHS[truth]
    x = cowarray.asarray(lying_view(readonly=readonly, **offer), copy=copy)
    assert x.tolist() == expected
    x[...] = 9
    assert list(MEMORY) == list(range(9))


def test_a_released_view_is_refused():
    for view in (memoryview(b"abc"), lying_view()):
        view.release()
        with pytest.raises(ValueError, match="released"):
            cowarray.asarray(view)


def test_memory_that_is_written_after_it_said_read_only_stays_outside_of_copies():
    """Nobody can check this: who lies changes what is shared, and nothing that was copied or written to."""
    memory = (ctypes.c_double * 3)(1, 2, 3)
    told = Buffer(ctypes.addressof(memory), None, 24, 8, 1, 1, b"d", (ctypes.c_ssize_t * 1)(3), None, None, None)
    x = cowarray.asarray(view_from(ctypes.addressof(told)), copy=False)
    mine = x.copy()
    mine[0] = -1
    memory[1] = 100
    assert mine.tolist() == [-1, 2, 3]
    assert x.tolist() == [1, 100, 3]


# ---- requests --------------------------------------------------------------------------------------------------------

WRITABLE, FORMAT = 1, 4
LAYOUTS = {
    "C": lambda a: a.reshape(4, 6),
    "F": lambda a: a.reshape(4, 6).T,
    "strided": lambda a: a.reshape(4, 6)[:, ::2],
    "negative": lambda a: a[::-1],
    "3-d": lambda a: a.reshape(2, 3, 4).transpose(1, 0, 2),
    "0-d": lambda a: a[5, ...],
    "empty": lambda a: a[:0],
    "empty, 2-d": lambda a: a.reshape(4, 6)[:, 3:3],
    "one": lambda a: a[3:4, None],
}
DTYPES = ["f8", "?", ">i2", "D", "S3", "U2", "M8[s]", "V5", "O", [("a", "i1"), ("b", ">f8")], [("p", "f4", (2, 3))]]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_combination_of_flags_is_answered_as_numpy_answers_it(dtype, layout):
    values = np.zeros(24, dtype)
    if not values.dtype.hasobject:
        values.view("u1")[...] = np.arange(values.nbytes, dtype="u1") % 2 if values.dtype.kind in "?U" else 7
    theirs = LAYOUTS[layout](values)
    ours = LAYOUTS[layout](cowarray.array(values))
    assert ours.strides == theirs.strides
    nameless = values.dtype.kind == "V" and values.dtype.names is None  # the buffer protocol has no word for it
    answered = refused = 0
    for flags in range(0x400):
        # A snapshot of objects is a copy, in an order of its own.
        copied = values.dtype.hasobject and not flags & WRITABLE and not theirs.flags.forc
        expected, seen = answer(theirs.copy() if copied else theirs, flags), answer(ours, flags)
        if isinstance(expected, type) or (flags & FORMAT and nameless):
            assert isinstance(seen, type), (flags, seen, expected)
            refused += 1
        else:
            assert seen == expected, flags
            answered += 1
    assert answered + refused == 0x400
    assert answered >= 16 or values.dtype.kind == "M"
    gc.collect()
    if not values.dtype.hasobject:
        assert ours.storage.share_count == 1
    assert "pinned" not in str(cowarray.explain(ours.copy()))


STRUCTURES = {
    "C's alignment": (np.dtype([("a", "i1"), ("b", "f8")], align=True), True),
    "none": ([("a", "i1"), ("b", ">f8")], True),
    "a tail that C would pad": ([("a", "f8"), ("b", "?")], False),
    "titles": ([(("title", "a"), "i4")], False),
    "titles within": ([("a", [(("title", "b"), "i4")])], False),
    "void within": ([("a", "V5")], None),
    "objects": ([("a", "i4"), ("b", "O")], False),
    "a gap at the end": (np.dtype({"names": ["a"], "formats": ["i2"], "offsets": [0], "itemsize": 4}), False),
}


@pytest.mark.parametrize("structure", STRUCTURES)
def test_a_structure_goes_out_as_a_buffer_only_if_it_comes_back(structure):
    dtype, survives = STRUCTURES[structure]
    dtype = np.dtype(dtype)
    x = cowarray.array(np.zeros(3, dtype))
    assert np.asarray(x).dtype == dtype
    try:
        view = memoryview(x)
    except BufferError:
        assert survives is not True
    else:
        assert survives is not False
        assert np.asarray(view).dtype == dtype
        assert cowarray.shares_bytes(cowarray.asarray(view), x)


def test_honest_producers_are_taken_as_before():
    with mmap.mmap(-1, 16) as mapped:
        for producer in (
            bytearray(b"abcdefgh"), array.array("d", [1, 2]), memoryview(b"abc"), (ctypes.c_int * 3)(1, 2, 3), mapped,
            ctypes.c_double(3), (ctypes.c_int * 2 * 3)(), (ctypes.c_int * 0)(), bytearray(), memoryview(b"")[::2],
            memoryview(np.arange(6).reshape(2, 3).T), memoryview(np.zeros((2, 0, 3))), memoryview(np.float64(3)),
            memoryview(np.zeros(2, [("a", "i1"), ("b", "f8")])), memoryview(b"abcdef").cast("B", (2, 3)),
        ):  # fmt: skip
            x, expected = cowarray.asarray(producer), np.asarray(producer)
            assert (x.dtype, x.shape, x.tolist()) == (expected.dtype, expected.shape, expected.tolist())
            del x, expected
