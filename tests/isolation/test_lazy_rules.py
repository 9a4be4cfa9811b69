"""The five rules of lazy copies (`_array/copies.pyx`), each at its edge: all hold, or one does not, and it says so."""

import numpy as np
import pytest

import cowarray

LAZY = "a lazy copy"
SMALL = "more than twice its size"
OVERLAP = "elements of the source overlapped"
ORDER = "another memory layout"
PINNED = "writable export"
DTYPE = "elements of this dtype"


def array(shape=(4, 6), dtype="f8"):
    return cowarray.array(np.arange(np.prod(shape)).reshape(shape).astype(dtype))


def overlapping():
    return np.lib.stride_tricks.sliding_window_view(array((8,)), 4)


def pinned(x):
    pinned.by = x.to_numpy(writable=True)
    return x


# What is copied, how, and what becomes of it.
COPIES = {
    # 1. its own bytes are at least half of the allocation
    "all of it": (array, "copy", LAZY),
    "half of it": (lambda: array()[:2], "copy", LAZY),
    "less than half": (lambda: array((5, 6))[:2], "copy", SMALL),
    "nothing of something": (lambda: array()[:0], "copy", SMALL),
    "nothing of nothing": (lambda: array((0, 3)), "copy", LAZY),
    "half of an import": (lambda: cowarray.asarray(memoryview(bytes(range(8))))[:4], "copy", LAZY),
    # 2. no two of its elements overlap
    "a window that slides": (overlapping, "lazy_clone", OVERLAP),
    "a broadcast": (lambda: np.broadcast_to(array((6,)), (4, 6)), "lazy_clone", OVERLAP),
    "a broadcast to one row": (lambda: np.broadcast_to(array((6,)), (1, 6)), "copy", LAZY),
    # 3. its elements lie as those of NumPy's result
    "the transpose": (lambda: array().T, "copy", ORDER),
    "the transpose, in its own order": (lambda: array().T, "lazy_clone", LAZY),
    "every other column": (lambda: array()[:, ::2], "lazy_clone", ORDER),
    "backwards": (lambda: array((8,))[::-1], "copy", ORDER),
    "Fortran's order": (lambda: cowarray.asarray(np.asfortranarray(np.ones((3, 4)))), "copy", ORDER),
    "an axis of length 1 with any stride": (lambda: array((1, 6)).T.T, "copy", LAZY),
    # 4. nobody holds a writable pointer
    "pinned by an export": (lambda: pinned(array()), "copy", PINNED),
    # 5. elements are plain bytes
    "objects": (lambda: cowarray.array(np.array([object()] * 3)), "copy", DTYPE),
    "text of any length": (lambda: cowarray.array(np.array(["a", "b"], dtype=np.dtypes.StringDType())), "copy", DTYPE),
    "objects in fields": (lambda: cowarray.array(np.zeros(3, [("a", "O")])), "copy", DTYPE),
    "records": (lambda: cowarray.array(np.zeros(3, [("a", "i4"), ("b", "f8")])), "copy", LAZY),
    "big-endian": (lambda: array(dtype=">i4"), "copy", LAZY),
    "dates": (lambda: array(dtype="M8[s]"), "copy", LAZY),
}


@pytest.mark.parametrize("name", COPIES)
def test_a_copy_is_lazy_where_all_five_rules_hold(name):
    make, how, wanted = COPIES[name]
    source = make()
    oracle = np.array(source)
    made = getattr(source, how)()
    found = cowarray.explain(made).made
    assert wanted in found
    assert (LAZY in found) == (wanted == LAZY)
    assert cowarray.shares_bytes(made, source) == (wanted == LAZY and made.size > 0)
    assert (np.asarray(made) == oracle).all()
    assert made.flags.writeable


@pytest.mark.parametrize("name", [name for name, (_, _, wanted) in COPIES.items() if wanted == LAZY])
def test_a_lazy_copy_lies_as_numpys_copy_would(name):
    make, how, _ = COPIES[name]
    source = make()
    made = getattr(source, how)()
    numpys = np.lib.stride_tricks.as_strided(np.zeros(1, source.dtype), source.shape, source.strides)
    numpys = np.empty_like(numpys) if how == "lazy_clone" else np.empty(source.shape, source.dtype)
    lengthy = [length != 1 for length in source.shape]
    if source.size:
        assert [s for s, real in zip(made.strides, lengthy, strict=True) if real] == [
            s for s, real in zip(numpys.strides, lengthy, strict=True) if real
        ]


def test_the_first_rule_is_about_the_allocation_not_the_array():
    """Sharing an allocation of which others need the rest would keep it, and make the next write copy it."""
    x = array((4, 6))
    half = x[:2].copy()
    assert cowarray.explain(half[:1].copy()).made != LAZY  # a quarter of the allocation, half of the array
    assert cowarray.explain(half.copy()).made == LAZY


def test_a_snapshot_may_overlap_and_has_the_other_rules():
    """Nobody writes to it, so the second rule is not its."""
    x = overlapping()
    assert cowarray.shares_bytes(np.asarray(x), x)
    small = array((100,))[:10]
    assert not cowarray.shares_bytes(np.asarray(small), small)
    held = array()
    alias = held.to_numpy(writable=True)
    assert not cowarray.shares_bytes(np.asarray(held), held)
    assert alias is not None
