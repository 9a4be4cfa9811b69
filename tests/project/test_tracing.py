"""The tests' allocator: while entered it sees what the library allocates, and refuses what it is told to."""

import ctypes
from pathlib import Path

import numpy as np
import pytest
from support.tracing import TracingAllocator, built

import cowarray
from cowarray._native import storage


def name(capsule):
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return ctypes.cast(get(capsule, b"cowarray.allocator"), ctypes.POINTER(ctypes.c_char_p))[0]


def test_it_is_in_use_while_entered_and_gives_back_what_was_before():
    assert name(storage._allocator()) == b"heap"
    with TracingAllocator() as outer:
        with TracingAllocator() as inner:
            x = cowarray.array(np.arange(10.0))
            assert inner.report()["live_bytes"] >= 80
            del x
            assert inner.report()["live_blocks"] == 0
        assert name(storage._allocator()) == b"tracing"
        assert outer.report()["allocations"] == 0
    assert name(storage._allocator()) == b"heap"


def test_it_refuses_the_nth_and_with_every_all_that_follow():
    source = np.arange(10.0)
    with TracingAllocator() as tracing:
        for every, refused in ((False, 1), (True, 2)):
            before = tracing.report()["refused"]
            tracing.refuse(1, every=every)
            for _ in range(refused):
                with pytest.raises(MemoryError):
                    cowarray.array(source)
            tracing.refuse(0)
            cowarray.array(source)
            assert tracing.report()["refused"] - before == refused
        assert (tracing.report()["live_blocks"], tracing.report()["faults"]) == (0, 0)


def test_wrong_uses_raise():
    with pytest.raises(ValueError, match="PyCapsule"):
        storage._use_allocator(None)
    with pytest.raises(RuntimeError, match="not entered"):
        TracingAllocator().__exit__(None, None, None)
    with pytest.raises(ValueError, match="-1"):
        TracingAllocator().refuse(-1)
    with pytest.raises(TypeError):
        TracingAllocator(1)


def test_the_library_has_no_part_of_it():
    assert b"cow_tracing" in built().read_bytes()
    extensions = [path for path in Path(cowarray.__file__).parent.rglob("*.so") if path.is_file()]
    assert len(extensions) >= 2
    assert [path for path in extensions if b"cow_tracing" in path.read_bytes()] == []
