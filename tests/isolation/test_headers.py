"""NumPy sees each view by a header of its own, right in every field, though the object of an ended one serves again."""

import gc
import random
import sys
import traceback
import weakref

import numpy as np
import pytest
from support.seeds import chosen_seed
from support.tracing import TracingAllocator

import cowarray

pytestmark = [pytest.mark.numpy_ends, pytest.mark.sanitized]

FLAGS = ["C_CONTIGUOUS", "F_CONTIGUOUS", "ALIGNED", "WRITEABLE", "OWNDATA", "WRITEBACKIFCOPY"]
SOURCES = {
    "floats": np.arange(720.0).reshape(2, 3, 4, 5, 6),
    "bytes out of step": np.frombuffer(bytearray(range(241)), "u1")[1:].view("i2").reshape(4, 5, 6),
    "rows": np.zeros((4, 3), "i4,f8"),
    "nothing": np.zeros((3, 0, 2)),
    "of no size": np.zeros((3, 2), "V0"),
}


def header_of(x):
    """The array that NumPy's code had in the place of x, out of a traceback."""
    with pytest.raises(np.exceptions.AxisError) as caught:
        np.roll(x, 1, axis=99)
    frames = [frame.f_locals for frame, _ in traceback.walk_tb(caught.value.__traceback__)]
    return next(names["a"] for names in reversed(frames) if type(names.get("a")) is np.ndarray)


def views(rng, x):
    """A view of x by random slices, numbers and axes, as a function of an array."""
    key = tuple(
        rng.choice([slice(None), slice(1, None), slice(None, None, -1), slice(None, None, 2), 0, None])
        for _ in range(rng.randrange(x.ndim + 1))
        if x.size
    )
    turned = rng.random() < 0.3
    return lambda a: a[key].T if turned else a[key]


def fields(header):
    strides = header.strides if header.size else ()  # they point nowhere
    return header.shape, strides, header.dtype, [header.flags[name] for name in FLAGS], header.tolist()


@pytest.mark.parametrize("of", SOURCES)
def test_headers_of_views_are_as_new(of):
    rng = random.Random(chosen_seed(2026))
    n = SOURCES[of]
    x = cowarray.array(n)
    kept = []
    for _ in range(300):
        view = views(rng, n)
        expected = view(np.array(n))
        if expected.ndim == 0:
            continue
        expected.flags.writeable = False
        seen = fields(header_of(view(x)))
        assert seen[:3] == fields(expected)[:3]
        assert seen[3][:4] == fields(expected)[3][:4]
        assert seen[3][4:] == [False, False]
        assert seen[4] == expected.tolist()
        if rng.random() < 0.1:
            header = header_of(view(x))
            kept.append((header, fields(header)))
    assert all(fields(header) == before for header, before in kept)
    assert len({id(header) for header, _ in kept}) == len(kept) > 0


def test_what_ended_keeps_neither_memory_nor_dtype():
    dtype = np.dtype([("a", "i4"), ("b", "f8")])
    gc.collect()
    before = sys.getrefcount(dtype)
    with TracingAllocator() as tracing:
        x = cowarray.zeros((40, 40), dtype)
        x[0] = 1
        for _ in range(10):
            np.roll(x[1:], 1)
            np.roll(x[1], 1)
        del x
        assert tracing.report()["live_blocks"] == 0
    assert sys.getrefcount(dtype) == before


def test_one_that_somebody_watches_ends():
    x = cowarray.array(np.arange(6.0))
    ended = []
    for _ in range(3):
        view = x[1:]
        weakref.finalize(header_of(view), ended.append, 1)
        gc.collect()
        del view
    assert len(ended) == 3
