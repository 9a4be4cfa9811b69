"""What user code raises while its memory is taken and given back: buffers, and deleters of what it lends.

What is raised while memory is taken comes out of the operation. What is raised while it is given back nobody can catch:
it is reported, and everything goes on.
"""

import ctypes
import gc
import sys
from pathlib import Path

import numpy as np
import pytest
from fuses import Fuse, Stop, asarray_of, check_nothing_is_left, is_ours, numpys, outcomes
from scenes import Scene
from support.extensions import STRICT, SUFFIX, build
from support.sources import load
from support.threads import together

import cowarray

TESTS = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def buffers(tmp_path_factory):
    target = tmp_path_factory.mktemp("buffers") / f"buffers{SUFFIX}"
    build(TESTS / "extension" / "buffers.c", target, "-std=c11", *STRICT)
    return load(target)


@pytest.fixture
def unraisable(monkeypatch):
    seen = []
    monkeypatch.setattr(sys, "unraisablehook", lambda what: seen.append(what.exc_type))
    return seen


WITH_BUFFERS = {
    "asarray": lambda x, buffer: asarray_of(x)(buffer),
    "asarray copy=False": lambda x, buffer: asarray_of(x)(memoryview(buffer).cast("d"), copy=False),
    "x[...] =": lambda x, buffer: x.__setitem__(..., memoryview(buffer).cast("d", (4, 4))),
    "x +": lambda x, buffer: x + memoryview(buffer).cast("d", (4, 4)),
    "np.frombuffer": lambda x, buffer: np.frombuffer(buffer, like=x),
    "np.add": lambda x, buffer: np.add(x, memoryview(buffer).cast("d", (4, 4)), out=x),
}


@pytest.mark.parametrize("operation", WITH_BUFFERS)
def test_exception_while_a_buffer_is_taken(buffers, unraisable, operation):
    def operate(x, fuse):
        return WITH_BUFFERS[operation](x, buffers.Buffer(fuse, lambda: None))

    expected = numpys(operate, lambda: Scene("shared", "float", "numpy"))
    raised = 0
    for n, fuse, world, error in outcomes(operate, lambda: Scene("shared", "float")):
        assert error is expected[min(n, len(expected)) - 1][0]
        if error is not None:
            raised += 1
            before = Scene("shared", "float")
            assert world.look() == before.look()
            check_nothing_is_left(world, fuse, operate, cowarray.explain(before.x))
    assert raised > 0 or operation == "asarray"  # where NumPy then takes the object for a scalar
    assert unraisable == []


@pytest.mark.parametrize("operation", WITH_BUFFERS)
def test_exception_while_a_buffer_is_given_back(buffers, unraisable, operation):
    """Nobody can catch it: it is reported, each time, and the operation has worked."""

    def operate(x, fuse):
        return WITH_BUFFERS[operation](x, buffers.Buffer(lambda flags: None, fuse))

    reported = []
    for make in (lambda: Scene("shared", "float", "numpy"), lambda: Scene("shared", "float")):
        unraisable.clear()
        for _n, fuse, world, error in outcomes(operate, make):
            assert error is None
            gc.collect()
            if is_ours(world.x):
                before = Scene("shared", "float")
                assert world.look_at_others() == before.look_at_others()
                check_nothing_is_left(world, fuse, operate, cowarray.explain(before.x))
        gc.collect()
        reported.append(set(unraisable))
    assert reported[0] == reported[1] == {Stop}


class Managed(ctypes.Structure):
    """A DLManagedTensor."""

    _fields_ = [
        ("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64), ("context", ctypes.c_void_p),
        ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
    ]  # fmt: skip


class Lender:
    """Lends memory through DLPack; its deleter burns a fuse."""

    def __init__(self, fuse):
        self.values = (ctypes.c_double * 4)(1, 2, 3, 4)
        self.shape = (ctypes.c_int64 * 1)(4)
        deleter = Managed._fields_[-1][1](lambda managed: fuse())
        data = ctypes.cast(self.values, ctypes.c_void_p)
        self.managed = Managed(data, (1, 0), 1, 2, 64, 1, self.shape, None, 0, None, deleter)

    def __dlpack__(self, **kwargs):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.managed), b"dltensor", None)

    def __dlpack_device__(self):
        return 1, 0


@pytest.mark.parametrize("way", ["drop", "write", "overwrite", "copied at once", "in another thread"])
def test_exception_of_a_deleter(unraisable, way):
    fuse = Fuse(1)
    lender = Lender(fuse)
    x = cowarray.from_dlpack(lender, copy=None if way == "copied at once" else False)
    other = None if way in ("drop", "copied at once") else x.copy()
    if way == "write":
        x[0] = 5
        assert fuse.calls == 0
        other[0] = 6
    elif way == "overwrite":
        x[...] = 5
        other *= 2
    elif way == "in another thread":
        arrays = [x, other]
        del x, other
        together(arrays.clear)
        x = other = cowarray.array([1.0])
    left = x.copy()
    expected = left.tolist()
    if way == "drop":
        del left
    del x
    gc.collect()
    if way in ("write", "overwrite"):
        assert left.tolist() == expected
        left[0] = 7
        assert other.tolist() == ([6, 2, 3, 4] if way == "write" else [2, 4, 6, 8])
    assert fuse.calls == 1
    assert unraisable == [Stop]
    assert list(lender.values) == [1, 2, 3, 4]
