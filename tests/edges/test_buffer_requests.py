"""A request for a buffer is answered as NumPy answers it."""

import ctypes
import math
import re
import sys

import numpy as np
import pytest
from exporting import FORMAT, ND, SIMPLE, STRIDES, WRITABLE, N, request

import cowarray

pytestmark = [pytest.mark.numpy_ends, pytest.mark.sanitized]


@pytest.fixture
def x():
    return cowarray.array(np.arange(1.0, N + 1))


FLAGS = {
    "SIMPLE": SIMPLE, "FORMAT": FORMAT, "ND": ND, "STRIDES": STRIDES, "C_CONTIGUOUS": 0x20 | STRIDES,
    "F_CONTIGUOUS": 0x40 | STRIDES, "ANY_CONTIGUOUS": 0x80 | STRIDES, "INDIRECT": 0x100 | STRIDES,
    "RECORDS_RO": STRIDES | FORMAT, "FULL_RO": 0x100 | STRIDES | FORMAT,
}  # fmt: skip


LAYOUTS = {
    "C": lambda a: a.reshape(8, 8),
    "F": lambda a: a.reshape(8, 8).T,
    "strided": lambda a: a.reshape(8, 8)[:, ::2],
    "negative": lambda a: a[::-1],
    "transposed": lambda a: a.reshape(2, 4, 8).transpose(1, 0, 2),
    "0-d": lambda a: a[5, ...],
    "empty": lambda a: a[:0],
    "empty, 2-d": lambda a: a.reshape(8, 8)[:, 4:4],
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("writable", [0, WRITABLE], ids=["read-only", "writable"])
@pytest.mark.parametrize("flags", FLAGS.values(), ids=FLAGS)
def test_a_buffer_request_is_answered_as_numpy_answers_it(flags, writable, layout):
    source = layout(np.arange(64.0))
    owner = cowarray.array(np.arange(64.0)).reshape(8, 8)
    x = {"C": owner, "F": owner.T}.get(next(name for name, value in LAYOUTS.items() if value is layout))
    if x is None:
        x = cowarray.asarray(source, copy=False)[...]
    x.materialize()
    try:
        theirs, expected = request(source, flags | writable)
    except (ValueError, BufferError) as error:
        with pytest.raises(type(error)):
            request(x, flags | writable)
    else:
        ours, seen = request(x, flags | writable)
        assert seen == expected
        assert bool(ours.readonly) is not bool(writable)
        if x.size and writable:
            assert ours.buf == x.storage.data_ptr + (source.ctypes.data - base_of(source))
        for view in (ours, theirs):
            ctypes.pythonapi.PyBuffer_Release(ctypes.byref(view))
    assert x.storage.share_count == 1
    assert "pinned" not in str(cowarray.explain(x.copy(order="K")))


def base_of(array):
    return np.lib.array_utils.byte_bounds(array)[0]


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="None is immortal from Python 3.12 on")
def test_a_buffer_request_keeps_the_count_of_references_to_none(x):
    before = sys.getrefcount(None)
    for _ in range(1000):
        memoryview(x).release()
    assert abs(sys.getrefcount(None) - before) < 100


@pytest.mark.parametrize(
    "dtype", ["?", "i1", "u2", "i4", "u8", "f2", "f4", "f8", "g", "F", "D", "G", ">f8", "M8[s]", "S3"]
)
@pytest.mark.parametrize("shape", [(), (0,), (6,), (1, 6), (2, 3), (1, 2, 1, 3), (1, 1, 1, 1, 6)])
def test_a_buffer_tells_what_numpy_would_tell(shape, dtype):
    values = np.zeros(math.prod(shape), "u1").astype(dtype).reshape(shape)
    x = cowarray.array(values)
    try:
        theirs = memoryview(values)
    except ValueError as refusal:
        with pytest.raises(ValueError, match=re.escape(str(refusal))):
            memoryview(x)
        return
    ours = memoryview(x)
    for name in ("nbytes", "readonly", "format", "itemsize", "ndim", "shape", "strides", "suboffsets", "c_contiguous"):
        assert getattr(ours, name) == (True if name == "readonly" else getattr(theirs, name)), name
    assert ours.tobytes() == theirs.tobytes()
    # Who asks the owner of the view once more gets the same.
    again = memoryview(ours.obj)
    assert (again.format, again.shape, again.readonly) == (ours.format, ours.shape, True)
    assert again.tobytes() == theirs.tobytes()


@pytest.mark.parametrize("dtype", ["d", "g", "Zd", "i2"])
def test_the_buffer_of_elements_that_are_not_aligned_says_so(dtype):
    dtype = np.dtype(dtype.replace("Zd", "c16"))
    memory = np.zeros(4 * dtype.itemsize + 1, "u1")
    theirs, ours = (a[1:].view(dtype) for a in (memory, cowarray.array(memory)))
    assert not ours.flags.aligned
    assert memoryview(ours).format == memoryview(theirs).format
