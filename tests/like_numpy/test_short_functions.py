"""Functions that go a shorter way give what NumPy gives, and alias nothing; readers leave arrays as they are."""

import tracemalloc

import numpy as np
import pytest
from number_types import NUMBERS, OTHERS
from support.oracle import agree, outcome, same

import cowarray

pytestmark = [pytest.mark.numpy_ends, pytest.mark.sanitized]

# Which NumPy answers with the array itself, or a view of it, although most of their results are computed.
ANSWERED_BY_ALIASES = [
    lambda a: a.round(2),
    lambda a: np.round(a, 2),
    lambda a: np.diag(a.reshape(10, 10)),
    lambda a: np.diag(a[:2].reshape(1, 2)),
    lambda a: np.ediff1d(a),
    lambda a: np.compress([True] * 100, a),
    lambda a: np.linalg.matrix_power(a.reshape(10, 10), 1),
    lambda a: np.nonzero(a),
    lambda a: np.unique(a, return_index=True),
    lambda a: np.add.reduce(a, axis=()),
    lambda a: np.add.accumulate(a),
    lambda a: np.add.outer(a, a),
    lambda a: np.add.reduceat(a, [0, 5]),
    lambda a: np.add.reduce(a, keepdims=True),
    lambda a: np.sum(a, axis=()),
    lambda a: a.sum(axis=0, keepdims=True),
    lambda a: a.max(initial=3, where=a > 3),
    lambda a: np.concatenate([a]),
    lambda a: np.concatenate((a, [1, 2], np.arange(3))),
    lambda a: np.stack([a, a], axis=1),
    lambda a: np.where(a > 3, a, 0),
    lambda a: np.dot(a, a),
    lambda a: np.dot(a, np.arange(100)),
    lambda a: a.dot(a),
    lambda a: np.shape(a),
    lambda a: np.result_type(a, "f4"),
    lambda a: np.linalg.norm(a),
    lambda a: np.sum(a, "x"),
    lambda a: np.sum(a, axis=3),
    lambda a: np.sum(a, nonsense=3),
    lambda a: np.concatenate(a),
    lambda a: a.clip(3, 5),
    lambda a: a.take([1, 2], mode="wrap"),
]


def arrays_of(result):
    found = result if isinstance(result, (tuple, list)) else [result]
    return [each for each in found if isinstance(each, cowarray.ndarray)]


@pytest.mark.parametrize("call", ANSWERED_BY_ALIASES, ids=range(len(ANSWERED_BY_ALIASES)))
@pytest.mark.parametrize("made", ["imported", "computed", "shared", "read before", "view"])
def test_a_function_gives_numpys_result_and_no_alias(call, made):
    n = np.arange(100)
    x = cowarray.array(n)
    x = {"computed": x + 0, "view": x[:]}.get(made, x)
    kept = x.copy() if made == "shared" else None
    if made == "read before":
        np.asarray(x)
        x.sum()
    ours = outcome(call, x)
    agree(ours, outcome(call, n))
    for result in arrays_of(ours[0]):
        result[...] = 77
        assert result.flags.writeable
    same(x, n)
    x[...] = 5
    for result in arrays_of(ours[0]):
        assert (np.asarray(result) == 77).all()
    assert kept is None or kept.tolist() == n.tolist()


def test_results_on_one_memory_have_one_storage():
    first, second = np.nonzero(cowarray.array(np.ones((3, 3))))
    assert first.storage is second.storage


COPYING = [
    *(np.atleast_1d, np.atleast_2d, lambda a: np.atleast_1d(a, a), lambda a: np.append(a, a), np.real_if_close),
    *(lambda a: np.repeat(a, 2), lambda a: np.tile(a, 1), lambda a: np.roll(a, 3), lambda a: np.resize(a, 5)),
    *(lambda a: np.meshgrid(a, a, copy=False), lambda a: np.repeat(a, [1, 2], axis=0), lambda a: np.repeat(a, a)),
]
VIEWING = [
    *(lambda a: np.expand_dims(a, 0), lambda a: np.split(a, 2), lambda a: np.moveaxis(a[:, None], 0, 1)),
    *(lambda a: np.einsum("i->i", a), lambda a: np.einsum("i,i", a, a), lambda a: np.einsum("i,j", a, a)),
    *(lambda a: np.einsum("ii->i", a[:9].reshape(3, 3, copy=False)), lambda a: np.broadcast_to(a, (2, 12))),
    *(lambda a: np.broadcast_arrays(a, a[:1]), lambda a: np.swapaxes(a, 0, 0), lambda a: np.einsum("ij", a)),
    *(lambda a: np.swapaxes(a, 0, 2), lambda a: np.rollaxis(a, 0), lambda a: np.rot90(a[None]), np.diagonal),
]


@pytest.mark.parametrize("call", COPYING, ids=range(len(COPYING)))
@pytest.mark.parametrize("made", ["imported", "computed", "view"])
def test_a_function_that_copies_gives_numpys_values_and_no_alias(call, made):
    n = np.arange(12)
    x = cowarray.array(n)
    x = {"computed": x + 0, "view": x[:]}.get(made, x)
    ours = outcome(call, x)
    agree(ours, outcome(call, n))
    for result in arrays_of(ours[0]):
        assert not cowarray.aliases(result, x)
        if result.flags.writeable:
            result[...] = 77
    same(x, n)


@pytest.mark.parametrize("call", VIEWING, ids=range(len(VIEWING)))
@pytest.mark.parametrize("made", ["imported", "computed", "view", "shared"])
def test_a_function_that_views_gives_views_where_numpy_does(call, made):
    n = np.arange(12)
    x = cowarray.array(n)
    x = {"computed": x + 0, "view": x[:]}.get(made, x)
    kept = x.copy() if made == "shared" else None
    ours, theirs = outcome(call, x), outcome(call, n)
    agree(ours, theirs)
    x[...], n[...] = 5, 5
    agree(ours, theirs)  # what is a view has changed with its array
    assert kept is None or kept.tolist() == list(range(12))


READING = [
    *(lambda a: a.argmax(), lambda a: a.argmin(), lambda a: a.argmax(0), lambda a: a.argmin(axis=-1), np.argmax),
    *(lambda a: np.argmin(a, axis=0, keepdims=True), lambda a: a.argmax(5), lambda a: a.argmax(out=3)),
    *(lambda a: a.repeat(3), lambda a: np.repeat(a, 2, axis=0), lambda a: np.repeat(a, -1), np.bincount),
    *(lambda a: np.bincount(a, a), lambda a: np.convolve(a, [1, 2]), lambda a: np.correlate(a, a, "full")),
    *(lambda a: np.interp(a, [0, 1], [0.0, 2.0]), lambda a: np.interp(0.5, a, a)),
]


@pytest.mark.parametrize("call", READING, ids=range(len(READING)))
@pytest.mark.parametrize("dtype", ["?", "i8", "f4", "f8", ">f8", ">i4", "D", "g", "M8[s]", "U3", "O"])
def test_a_function_that_reads_leaves_its_array_as_it_is(call, dtype):
    whole = np.random.default_rng(7).integers(0, 9, (6, 8)).astype(dtype)
    for n in (
        whole[0],
        whole[1, ::-2],
        whole,
        whole.T,
        whole[:0],
        np.asarray(whole[0, 0]),
        np.broadcast_to(whole[0, 0], 3),
    ):
        x = cowarray.array(n, copy=None)
        x.setflags(write=False)
        kept = x.copy()
        agree(outcome(call, x), outcome(call, n))
        assert not x.flags.writeable
        same(kept, np.array(n))


def test_they_copy_nothing_first():
    x = cowarray.array(np.arange(1e6))
    shared = x.copy()
    tracemalloc.start()
    try:
        for call in (x.argmax, x.argmin, lambda: x.argmax(0), lambda: np.argmax(x), lambda: shared.argmin(axis=0)):
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            call()
            assert tracemalloc.get_traced_memory()[1] - before < 1e6
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("dtype", [*NUMBERS, *OTHERS])
def test_item_gives_pythons_numbers(dtype):
    n = np.arange(6).astype("i8").astype(dtype) if dtype != "i4,f8" else np.zeros(6, dtype)
    places = [(), (0,), (3,), (-1,), (6,), (-7,), (1, 2), (True,), ((1,),), (2**70,), (np.int8(2),), (1.0,), ("a",)]
    for theirs in (n, n[::-2], n.reshape(2, 3), n.reshape(2, 3).T, n[1], n[:1], n[:0], n.reshape(6, 1)[:, 0]):
        theirs = np.asarray(theirs)
        for x in (cowarray.array(theirs), cowarray.array(theirs)[...]):
            for read in (False, True):
                if read:
                    x.tolist()
                for place in places:
                    agree(outcome(x.item, *place), outcome(theirs.item, *place))


FAILING = {
    "argmax": lambda x: np.argmax(x, axis=5),
    "argmin, out": lambda x: np.argmin(x, axis=5, out=cowarray.zeros((), "i8")),
    "repeat": lambda x: np.repeat(x, [1, 2]),
    "convolve": lambda x: np.convolve(x, x[:3], mode="none"),
    "correlate": lambda x: np.correlate(x, x[:3], mode="none"),
    "interp": lambda x: np.interp(x, x, x[:5]),
}


@pytest.mark.parametrize("name", FAILING)
def test_what_a_traceback_keeps_of_a_call_that_only_reads_cannot_be_written(name):
    x = cowarray.arange(10_000.0)
    with pytest.raises((ValueError, TypeError)) as caught:
        FAILING[name](x)
    kept = {id(each): each for entry in caught.traceback for each in entry.frame.f_locals.values()}
    headers = [each for each in kept.values() if type(each) is np.ndarray and each.ndim]
    assert headers
    for header in headers:
        assert not header.flags.writeable
        with pytest.raises(ValueError, match="WRITEABLE"):
            header.flags.writeable = True
