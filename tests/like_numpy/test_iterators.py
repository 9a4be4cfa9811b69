"""`nditer` and `nested_iters` are NumPy's: what they are to write to they write to, and the rest they read."""

import copy
import inspect
import math
import operator
import pickle

import numpy as np
import pytest
from support.numpy_versions import happens, without
from support.oracle import Witness

import cowarray
from cowarray import nditer, nested_iters


def doubled(walk):
    with walk:
        for item in walk:
            item[...] = 2 * item


@pytest.fixture
def x():
    return cowarray.array([[1.0, 2.0], [3.0, 4.0]])


READWRITE = [["readwrite"], [["readwrite"]], ("readwrite",), (("readwrite",),), [["readwrite", "updateifcopy"]]]


@pytest.mark.parametrize("op_flags", READWRITE, ids=str)
def test_a_write_is_seen_by_every_view_and_by_no_copy(x, op_flags):
    view, lazy, shown = x[1], x.copy(), np.asarray(x)
    doubled(nditer(x, op_flags=op_flags))
    assert x.tolist() == [[2, 4], [6, 8]]
    assert view.tolist() == [6, 8]
    assert lazy.tolist() == shown.tolist() == [[1, 2], [3, 4]]


def test_what_is_read_is_a_snapshot(x):
    for item in nditer(x):
        assert not item.flags.writeable
        x[...] = 7
    (operand,) = nditer(x, op_flags=["readonly"]).operands
    assert type(operand) is np.ndarray
    assert not np.shares_memory(operand, x)
    with pytest.raises(ValueError, match="read-only"):
        operand[...] = 1


def test_each_operand_has_its_own_flags(x):
    source = cowarray.array([10.0, 20.0])
    lazy = source.copy()
    with nditer([source, x, None], op_flags=[["readonly"], ["writeonly"], ["writeonly", "allocate"]]) as walk:
        for a, b, c in walk:
            b[...] = a
            c[...] = -a
        made = walk.operands[2]
    assert x.tolist() == [[10, 20], [10, 20]]
    assert type(made) is np.ndarray
    assert made.tolist() == [[-10, -20], [-10, -20]]
    assert cowarray.shares_bytes(source, lazy)  # which a write would have ended


def test_one_that_aliases_what_is_written_to_is_read_as_it_is_then():
    for xp in (np, cowarray):
        x = xp.arange(6)
        with xp.nditer([x[:-1], x[1:]], op_flags=[["readonly"], ["readwrite"]]) as walk:
            for a, b in walk:
                b[...] += a
        assert x.tolist() == [0, 1, 3, 6, 10, 15]


def test_the_array_is_pinned_as_long_as_the_iterator_lives(x):
    walk = nditer(x, op_flags=["readwrite"])
    eager = x.copy()
    assert not cowarray.shares_bytes(x, eager)
    del walk
    assert cowarray.shares_bytes(x, x.copy())


def test_a_read_only_array_is_refused_and_left_alone(x):
    x.flags.writeable = False
    lazy = x.copy()
    with pytest.raises(ValueError, match="read-only"):
        nditer(x, op_flags=["readwrite"])
    assert cowarray.shares_bytes(x, lazy)


def test_a_cast_is_written_back(x):
    with nditer(
        x, op_flags=[["readwrite", "updateifcopy"]], op_dtypes=["i4"], flags=["buffered"], casting="unsafe"
    ) as walk:
        for item in walk:
            assert item.dtype == "i4"
            item[...] = -item
    assert x.tolist() == [[-1, -2], [-3, -4]]


def test_nested_iterators_write():
    x = cowarray.arange(6).reshape(2, 3)
    witness = Witness(x.copy())
    outer, inner = nested_iters(x, [[0], [1]], op_flags=["readwrite"])
    with outer, inner:
        for _ in outer:
            for item in inner:
                item[...] = item * item
    assert x.tolist() == [[0, 1, 4], [9, 16, 25]]
    witness.check()


@pytest.mark.parametrize("options", [
    {"op_flags": "readwrite"}, {"op_flags": ["readwrite", "nonsense"]}, {"op_flags": [["readwrite"]] * 3},
    {"op_flags": [1]}, {"flags": ["nonsense"]}, {"order": "X"}, {"op_dtypes": ["i4"], "op_flags": ["readwrite"]},
], ids=str)  # fmt: skip
def test_errors_are_numpys(x, options):
    found = []
    for operand in (np.asarray(x).copy(), x):
        with pytest.raises((TypeError, ValueError)) as caught:
            nditer(operand, **options)
        found.append((caught.type, str(caught.value)))
    assert found[0] == found[1]


def test_flags_that_run_code_are_asked_by_numpy_alone(x):
    asked = []

    class Flags(list):
        def __iter__(self):
            asked.append("iter")
            return super().__iter__()

    with pytest.raises(ValueError, match="read-only"):
        nditer(x, op_flags=Flags(["readwrite"]))
    assert asked == []


def test_numpys_parameters():
    assert [*inspect.signature(nditer).parameters] == [
        "op", "flags", "op_flags", "op_dtypes", "order", "casting", "op_axes", "itershape", "buffersize",
    ]  # fmt: skip
    assert [*inspect.signature(nested_iters).parameters] == [
        "op", "axes", "flags", "op_flags", "op_dtypes", "order", "casting", "buffersize",
    ]  # fmt: skip


@pytest.mark.parametrize("shape", [(5,), (3, 2), (0,), (2, 0), (4, 1, 1)])
@pytest.mark.parametrize("taken", [0, 1, 3, 7])
def test_iterating_is_as_over_numpys_array(shape, taken):
    n = np.arange(float(math.prod(shape))).reshape(shape)
    theirs, ours = iter(n), iter(cowarray.array(n))
    for _ in range(taken):
        expected, found = next(theirs, None), next(ours, None)
        assert type(found) is (cowarray.ndarray if type(expected) is np.ndarray else type(expected))
        np.testing.assert_array_equal(found, expected)
    assert operator.length_hint(ours) == operator.length_hint(theirs)
    for again in (copy.copy(ours), pickle.loads(pickle.dumps(ours)), ours):
        np.testing.assert_array_equal(list(again), list(copy.copy(theirs)))
    list(theirs)
    assert next(ours, None) is next(theirs, None) is None
    assert list(pickle.loads(pickle.dumps(ours))) == []


def test_an_iterator_ends_where_the_array_does_and_stays_so():
    for kind in (np.arange(6), cowarray.arange(6)):
        items = iter(kind)
        next(items)
        kind.shape = (2, 3)
        assert list(next(items)) == [3, 4, 5]
        assert next(items, None) is None
        kind.shape = (6,)
        assert next(items, None) is None
    with pytest.raises(TypeError, match="0-d"):
        iter(cowarray.array(1))


@pytest.mark.parametrize("dtype", ["f8", "i1", "?", "c16", ">i4", "M8[s]", "S3", "f2", "O", "g", "i4,f8"])
@pytest.mark.parametrize("part", [lambda x: x, lambda x: x[::-2], lambda x: x.T, lambda x: x[:, 1], lambda x: x[1, 2]])
def test_flat_iteration_is_as_numpys(dtype, part):
    n = np.arange(12).reshape(3, 4).astype(dtype)
    theirs, ours = part(n), part(cowarray.array(n))
    theirs, ours = np.asarray(theirs, n.dtype).flat, cowarray.asarray(ours, n.dtype).flat
    for expected in theirs:
        found = next(ours)
        assert type(found) is type(expected)
        assert found == expected
    assert next(ours, None) is None


KEYS = [2, -1, slice(1, 3), slice(0), ..., (1,), (slice(2),), [], "array", "mask"]


@pytest.mark.parametrize("writes", [False, True])
@pytest.mark.parametrize("key", KEYS, ids=str)
def test_an_index_of_flat_starts_its_iteration_again(key, writes):
    if key == [] and happens("flat reads other indices"):
        pytest.skip("NumPy starts again only for some")
    key = {"array": np.array([1, 0]), "mask": np.arange(6) > 3}.get(key, key) if isinstance(key, str) else key
    found = []
    for x in (np.arange(6).reshape(2, 3), cowarray.asarray(np.arange(6).reshape(2, 3))):
        flat = x.flat
        next(flat), next(flat)
        if writes:
            flat[key] = 7
        else:
            flat[key]
        found.append((flat.index, flat.coords, int(next(flat))))
    assert found[0] == found[1]


@without("flat reads other indices")
def test_what_reads_all_of_flat_or_fails_leaves_its_iteration_alone():
    for x in (np.arange(6).reshape(2, 3), cowarray.asarray(np.arange(6).reshape(2, 3))):
        flat = x.flat
        next(flat), next(flat)
        flat.copy(), flat == 1, np.asarray(flat), len(flat)
        for key in ("x", None):
            with pytest.raises(IndexError):
                flat[key]
            with pytest.raises(IndexError):
                flat[key] = 1
        assert (flat.index, int(next(flat))) == (2, 2)
