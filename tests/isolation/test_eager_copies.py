"""Copies made at once: `stats` and `trace` tell the same, with the reason, and `no_copy(eager=True)` makes none."""

import contextvars
import copy
import gc
import inspect
import itertools
import pickle
import weakref

import numpy as np
import pytest
from support.calls import Run, arrays_in, class_of
from support.cases.registry import sources
from support.operations import writes
from support.oracle import LAYOUTS, OWNERSHIPS, subject
from support.threads import together

import cowarray as ca
from cowarray._modes.copies import copies as _copies
from cowarray._ops.table import COPY

HERE = __file__


def readonly(array):
    array.setflags(write=False)
    return array


def numbers():
    return ca.array(np.arange(100.0))


def objects():
    return ca.array(np.array([1, "a", None], dtype=object))


def with_export(function):
    def call(x):
        export = x.to_numpy(writable=True)
        result = function(x)
        del export
        return result

    return call


# What is copied at once: from what, how, how many bytes, and a word of the reason.
COPIED = {
    "small part": (numbers, lambda x: x[:3].copy(), 24, "allocation"),
    "small part, lazy_clone": (numbers, lambda x: x[:3].lazy_clone(), 24, "allocation"),
    "small part, copy.copy": (numbers, lambda x: copy.copy(x[:3]), 24, "allocation"),
    "small part, snapshot": (numbers, lambda x: x[:3].to_numpy(), 24, "allocation"),
    "small part, np.asarray": (numbers, lambda x: np.asarray(x[:3]), 24, "allocation"),
    "small part, buffer": (numbers, lambda x: memoryview(x[:3]), 24, "allocation"),
    "small part, array": (numbers, lambda x: ca.array(x[:3]), 24, "allocation"),
    "small part, np.copy": (numbers, lambda x: np.copy(x[:3]), 24, "allocation"),
    "small part, astype": (numbers, lambda x: x[:3].astype("f8"), 24, "allocation"),
    "order, copy": (numbers, lambda x: x.reshape(10, 10, copy=False).T.copy(), 800, "layout"),
    "order, ravel": (numbers, lambda x: x.reshape(10, 10, copy=False).T.ravel(), 800, "layout"),
    "order, flatten": (numbers, lambda x: x[::-1].flatten(), 800, "layout"),
    "order, reshape": (numbers, lambda x: x.reshape(10, 10, copy=False).T.reshape(-1), 800, "layout"),
    "order, np.ravel": (numbers, lambda x: np.ravel(x.reshape(10, 10, copy=False).T), 800, "layout"),
    "order, asarray": (numbers, lambda x: ca.asarray(x.reshape(10, 10, copy=False), order="F"), 800, "layout"),
    "order, np.roll": (numbers, lambda x: np.roll(x, 1), 800, "layout"),
    "overlap": (numbers, lambda x: np.broadcast_to(x, (2, 100)).copy(), 1600, "overlapped"),
    "pinned": (numbers, with_export(lambda x: x.copy()), 800, "writable export"),
    "pinned, snapshot": (numbers, with_export(lambda x: x.to_numpy()), 800, "writable export"),
    "dtype": (objects, lambda x: x.copy(), 24, "plain bytes"),
    "dtype, deepcopy": (objects, copy.deepcopy, 24, "plain bytes"),
    "foreign": (lambda: np.arange(10.0), ca.asarray, 80, "unseen"),
    "foreign, array": (lambda: readonly(np.arange(10.0)), ca.array, 80, "asked for"),
    "foreign, order": (lambda: np.ones((5, 2)), lambda n: ca.asarray(n, order="F"), 80, "unseen"),
    "foreign, order of a buffer": (
        lambda: memoryview(np.ones((5, 2))),
        lambda n: ca.asarray(n, order="F"),
        80,
        "unseen",
    ),
    "foreign, bytearray": (lambda: bytearray(16), ca.asarray, 16, "unseen"),
    "foreign, from_dlpack": (lambda: np.arange(10.0), ca.from_dlpack, 80, "unseen"),
    "__array__(copy=True)": (numbers, lambda x: x.__array__(copy=True), 800, "asked for"),
    "DLPack(copy=True)": (numbers, lambda x: x.__dlpack__(copy=True, max_version=(1, 0)), 800, "asked for"),
    "pickle, not contiguous": (numbers, lambda x: pickle.dumps(x[::2], 5), 400, "asked for"),
    "pickle, objects": (objects, lambda x: pickle.dumps(x, 5), 24, "asked for"),
    "resize": (numbers, lambda x: x.resize(50), 400, "resize"),
}


def spent():
    figures = ca.stats()
    return figures["eager_copies"], figures["bytes_copied"]


@pytest.mark.parametrize("name", COPIED)
def test_a_copy_made_at_once_is_traced_with_its_reason(name):
    make, call, nbytes, word = COPIED[name]
    x = make()
    ca.reset_stats()
    with ca.trace() as seen:
        call(x)
    [event] = [event for event in seen if event.kind != "steal"]
    assert (event.kind, event.nbytes, event.filename) == ("eager", nbytes, HERE)
    assert word in event.reason
    assert spent() == (1, nbytes)
    assert event.reason in str(event)


@pytest.mark.parametrize("name", COPIED)
def test_no_copy_eager_refuses_it_and_nothing_has_changed(name):
    make, call, nbytes, word = COPIED[name]
    x = make()
    before = bytes(x) if not isinstance(x, (ca.ndarray, np.ndarray)) else x.tolist()
    ca.reset_stats()
    refused = pytest.raises(ca.CopyError, match=f"no_copy.*{nbytes} bytes.*{word}.*eager")
    with ca.trace() as seen, ca.no_copy(eager=True), refused:
        call(x)
    gc.collect()
    assert not len(seen)
    assert spent() == (0, 0)
    assert (bytes(x) if not isinstance(x, (ca.ndarray, np.ndarray)) else x.tolist()) == before
    if isinstance(x, ca.ndarray):
        assert x.storage.share_count == 1
    call(x)
    assert spent() == (1, nbytes)


@pytest.mark.parametrize("name", COPIED)
def test_no_copy_alone_lets_it_pass(name):
    make, call, nbytes, _ = COPIED[name]
    x = make()
    ca.reset_stats()
    with ca.no_copy():
        call(x)
    assert spent() == (1, nbytes)


def test_what_computes_or_shares_is_no_copy():
    x = numbers()
    n = np.arange(100.0)
    with ca.no_copy(eager=True), ca.trace() as seen:
        x + 1, x.sum(), x[[1, 2]], x.astype("f4"), x.tolist(), x.tobytes(), np.sin(x), np.concatenate([x, x])
        x.copy(), x.reshape(10, 10), x.lazy_clone(), x[3:], np.asarray(x), memoryview(x), pickle.dumps(x, 5)
        ca.asarray(n, copy=False), ca.asarray(bytes(16)), ca.asarray([1, 2, 3]), ca.zeros(3)
        x[0] = 1
        x[:0].copy()
    assert not [event for event in seen if event.nbytes]


def test_a_write_that_copies_is_refused_with_eager_too():
    x = numbers()
    y = x.copy()
    with ca.no_copy(eager=True), pytest.raises(ca.CopyError, match="2 Storages share them"):
        y[0] = 1
    with ca.no_copy(eager=True), ca.no_copy(), pytest.raises(ca.CopyError, match="at once"):
        x[:3].copy()
    assert x[:3].copy().tolist() == [0, 1, 2]


@pytest.mark.parametrize("eager", [None, 1, "yes", np.True_])
def test_eager_is_a_bool(eager):
    with pytest.raises(TypeError, match="no_copy: eager must be True or False"):
        ca.no_copy(eager=eager)
    with pytest.raises(TypeError):
        ca.no_copy(True)


# ---- every call there is ---------------------------------------------------------------------------------------------

CALLS = [*sources("function"), *sources("method")]
COPIES = [
    call for call in CALLS if class_of(call) == COPY and not writes(call) and not call.startswith(("np.ix_", "x.flat"))
]


def traced(call, layout, ownership):
    """A run of a call, the events that it caused, and the figures."""
    held = subject(layout, ownership)
    run = Run(call, held.x)
    with ca.trace() as seen:
        ca.reset_stats()
        run()
        figures = ca.stats()
    return held, run, list(seen), figures


@pytest.mark.parametrize("call", CALLS)
def test_trace_and_stats_tell_the_same_of_every_call(call):
    for layout, ownership in itertools.product(LAYOUTS, OWNERSHIPS):
        _held, _run, seen, figures = traced(call, layout, ownership)
        kinds = [event.kind for event in seen]
        for kind, figure in (
            ("copy", "copies"),
            ("eager", "eager_copies"),
            ("overwrite", "overwrites"),
            ("steal", "steals"),
        ):
            assert kinds.count(kind) == figures[figure], (kind, seen)
        assert sum(event.nbytes for event in seen) == figures["bytes_copied"]


@pytest.mark.parametrize("call", COPIES)
def test_a_copy_is_lazy_or_counted(call):
    for layout, ownership in itertools.product(LAYOUTS, OWNERSHIPS):
        held, run, seen, figures = traced(call, layout, ownership)
        results = [made for made in arrays_in(run.result, ca.ndarray) if made.size and made.dtype == held.x.dtype]
        if results:
            assert figures["lazy_clones"] + figures["eager_copies"] >= 1, seen
        if not figures["lazy_clones"]:
            assert figures["bytes_copied"] >= sum(made.nbytes for made in results)


# ---- who shares ------------------------------------------------------------------------------------------------------


def in_a_new_context(test):
    """Run a test where no trace is in force that another one has entered and left open."""

    def run():
        contextvars.Context().run(test)

    return run


def line():
    return inspect.currentframe().f_back.f_lineno


@in_a_new_context
def test_explain_names_the_lines_that_made_the_sharers():
    x = numbers()
    with ca.trace():
        first = line() + 1
        y = x.copy()
        z = y.reshape(10, 10)
        kept = np.asarray(x)
    unseen = x.copy()
    copies = [("lazy copy", HERE, first), ("lazy copy", HERE, first + 1)]
    assert list(ca.explain(x).sharers) == [*copies, ("snapshot", HERE, first + 2)]
    assert list(ca.explain(y).sharers) == [copies[1], ("snapshot", HERE, first + 2)]
    assert ca.explain(unseen).sharers == ca.explain(x[3:]).sharers == ca.explain(x).sharers
    assert ca.explain(x).shares == 5
    assert f"shared by a lazy copy, made at {HERE}:{first}\n" in str(ca.explain(x))
    z[0] = 1
    assert list(ca.explain(x).sharers) == [copies[0], ("snapshot", HERE, first + 2)]
    assert ca.explain(z).sharers == ()
    del y, kept
    assert ca.explain(x).sharers == ()


@in_a_new_context
def test_births_are_noted_inside_trace_alone_and_for_one_context():
    x = numbers()
    with ca.no_copy():
        y = x.copy()
    made = []
    with ca.trace():
        together(lambda: made.append(x.copy()))
        part = x[:3].copy()
    assert ca.explain(x).sharers == ()
    assert ca.explain(x).shares == 3
    del y, part


def test_a_noted_birth_keeps_nothing_alive():
    x = numbers()
    with ca.trace():
        gone = weakref.ref(x.copy().storage)
        for _ in range(10_000):
            x.copy()
    assert gone() is None
    assert x.storage.share_count == 1
    assert len(_copies._born) < 1000


def test_explain_says_that_an_array_is_read_only():
    x = numbers()
    assert not ca.explain(x).readonly
    assert "read-only" not in str(ca.explain(x))
    x.setflags(write=False)
    assert ca.explain(x).readonly
    assert "it is read-only" in str(ca.explain(x))
    assert ca.explain(np.broadcast_to(x, (2, 100))).readonly
    assert not ca.explain(x.copy()).readonly
