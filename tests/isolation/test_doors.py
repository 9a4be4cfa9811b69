"""Every access to an array's bytes comes through the door, where a doorkeeper is asked.

Two probes, under every case there is: a doorkeeper who counts, and one who refuses. What a call does may depend on the
array's bytes only if the first has been told of it, and not at all if the second has refused. So each case runs on two
arrays that differ in nothing but their bytes.
"""

import gc
import itertools
from typing import NamedTuple

import numpy as np
import pytest
from probes import A, cases, facts, told
from support.oracle import outcome, value
from support.prepared import PreparedCall

import cowarray
from cowarray._native.storage import set_doorkeeper

B = A[::-1, ::-1].copy()
TOUCHES = {"reads", "writes", "overwrites"}


class Refused(Exception):
    """What the doorkeeper raises who lets nobody touch a byte."""


class Doorkeeper:
    """Counts who comes, and refuses whoever wants what is forbidden."""

    def __init__(self, forbidden=()):
        self.seen = []
        self.forbidden = forbidden

    def __call__(self, storage, intent, behalf, box):
        self.seen.append((intent, behalf, box))
        if intent in self.forbidden:
            raise Refused(f"{intent} on behalf of {behalf}")


# ---- the probe -------------------------------------------------------------------------------------------------------


class Probed(NamedTuple):
    arguments: object  # and the owner, apart from the array
    outcome: object
    wrote: bool


def probed(case, values, doorkeeper, shared):
    """What a case does to an array with these values and this doorkeeper; shared: which is a lazy copy of another."""
    base = cowarray.array(values)
    x = base.copy() if shared else base
    prepared = PreparedCall(case, x)
    if prepared.refusal is not None:
        prepared.run_of.close_files()
        return None
    storage = x.storage
    arguments = facts([prepared.owner, prepared.args, list(prepared.kwargs.values())], storage)
    before = value(x).tobytes()
    set_doorkeeper(storage, doorkeeper)
    try:
        done = outcome(prepared.action)
    finally:
        set_doorkeeper(storage, None)
        prepared.run_of.close_files()
    after = value(x[()]).tobytes() if x.storage is storage else None
    return Probed(arguments, told(done, storage), after is not None and after != before)


def compared(forbidden, shared):
    """(case, the outcomes on A and B, what the doorkeepers saw) of each case that gives the same twice."""
    for case in cases():
        keepers = [Doorkeeper(forbidden) for _ in range(3)]
        runs = [probed(case, values, keeper, shared) for values, keeper in zip((A, A, B), keepers, strict=True)]
        if None in runs or runs[0] != runs[1] or runs[0].arguments != runs[2].arguments:
            continue  # by chance, or of what was computed from the array before
        yield case, runs[0], runs[2], keepers[0].seen + keepers[2].seen


@pytest.mark.parametrize("shared", [False, True], ids=["alone", "shared"])
def test_no_byte_is_touched_unseen(shared):
    """What depends on the bytes, or changes them, has come through the door."""
    unseen, looked_at, doors = [], 0, set()
    for case, of_a, of_b, seen in compared((), shared):
        looked_at += 1
        doors |= {(intent, behalf) for intent, behalf, _ in seen}
        intents = {intent for intent, _, _ in seen}
        if of_a.outcome != of_b.outcome and not intents & (TOUCHES | {"shares"}):
            unseen.append(case.source)
        if of_a.wrote and not intents & {"writes", "overwrites"}:
            unseen.append(f"wrote: {case.source}")
    assert looked_at > 2000
    assert unseen == []
    wanted = {"operation": {"locates", "shares", "reads", "writes", "overwrites"}, "export": {"reads", "writes"}}
    for behalf, intents in wanted.items():
        assert {intent for intent, whose in doors if whose == behalf} >= intents
    assert {"ctypes", "dlpack"} <= {behalf for _, behalf in doors}


@pytest.mark.sampled
@pytest.mark.parametrize("shared", [False, True], ids=["alone", "shared"])
@pytest.mark.parametrize("forbidden", [TOUCHES, TOUCHES | {"shares"}], ids=["bytes", "bytes and shares"])
def test_nothing_of_refused_bytes_gets_out(forbidden, shared):
    """Refused, a call says so or does what needs no bytes; the array has the bytes that it had."""
    leaks, refusals, looked_at = [], 0, 0
    for case, of_a, of_b, seen in compared(forbidden, shared):
        looked_at += 1
        refusals += any(intent in forbidden for intent, _, _ in seen)
        lazily = any(intent == "shares" for intent, _, _ in seen) and "shares" not in forbidden
        if of_a.outcome != of_b.outcome and not lazily:
            leaks.append(case.source)
        if of_a.wrote or of_b.wrote:
            leaks.append(f"wrote: {case.source}")
    assert looked_at > 2000
    assert refusals > 1000
    assert leaks == []


# ---- what is said at the door ----------------------------------------------------------------------------------------


def whole(x):
    return (0, x.shape, x.strides, x.itemsize)


ELEMENT = (8, (), (), 8)

SAID = {
    "x[0, 1] = 3": [("overwrites", "operation", ELEMENT)],
    "x[1:, ::2] = 5": [("overwrites", "operation", (32, (2, 2), (32, 16), 8))],
    "x[...] = h": [("overwrites", "operation", whole)],
    "x[1:] = x[:-1]": [
        ("reads", "operation", (0, (2, 4), (32, 8), 8)),  # that it fits
        ("writes", "operation", (32, (2, 4), (32, 8), 8)),
        ("reads", "operation", (0, (2, 4), (32, 8), 8)),
    ],
    "x[[0, 1]] = 2": [("writes", "operation", whole)],
    "x += 1": [("writes", "operation", whole), ("reads", "operation", whole)],
    "x **= 2": [("writes", "operation", whole)],
    "np.add(h, 1, out=x)": [("overwrites", "operation", whole)],
    "np.add(h, 1, out=x, where=h > 2)": [("writes", "operation", whole)],
    "np.add(x, 1, out=x)": [("writes", "operation", whole), ("reads", "operation", whole)],
    "np.copyto(x, h)": [("overwrites", "operation", whole)],
    "np.copyto(x, h, where=h > 3)": [("writes", "operation", whole)],
    "np.put(x, [0], 5)": [("writes", "operation", whole)],
    "x.fill(2)": [("overwrites", "operation", whole)],
    "x.sort()": [("writes", "operation", whole)],
    "x.flat[0] = 2": [("writes", "operation", whole)],
    "x + h": [("reads", "operation", whole)],
    "x.sum()": [("reads", "operation", whole)],
    "x.copy()": [("shares", "operation", whole)],
    "x.reshape(-1)": [("shares", "operation", whole)],
    "x[1:]": [],
    "x.T": [("locates", "operation", whole)],
    "x.shape = (12,)": [("locates", "operation", whole)],
    "np.asarray(x)": [("reads", "export", whole)],
    "memoryview(x)": [("reads", "export", whole)],
    "pickle.dumps(x)": [("reads", "export", whole)],
    "x.to_numpy(writable=True)": [("writes", "export", whole)],
    "x.ctypes": [("writes", "ctypes", whole)],
    "x.__dlpack__()": [("writes", "dlpack", whole)],
    "np.frompyfunc(abs, 1, 1)(h, out=o)": [],
}


@pytest.mark.parametrize("statement", SAID)
def test_the_door_is_told_box_intent_and_on_whose_behalf(statement):
    import pickle

    x = cowarray.array(np.arange(12.0).reshape(3, 4))
    h = x + 1
    o = cowarray.array(np.zeros((3, 4), object))
    box = whole(x)
    doorkeeper = Doorkeeper()
    set_doorkeeper(x.storage, doorkeeper)
    exec(statement, {"x": x, "h": h, "o": o, "np": np, "pickle": pickle})
    touching = [said for said in doorkeeper.seen if said[0] != "locates" or "locates" in str(SAID[statement])]
    wanted = [(intent, behalf, box if where is whole else where) for intent, behalf, where in SAID[statement]]
    assert touching == wanted


def test_a_read_beside_a_write_is_said():
    """Of two views of one Storage, the one that is read is not where the other is written."""
    for statement in ("y += z", "np.copyto(y, z)", "np.add(z, 1, out=y)", "y **= z", "np.cumsum(z, out=y)"):
        x = cowarray.array(np.arange(8.0))
        y, z = x[:2], x[4:6]
        doorkeeper = Doorkeeper()
        set_doorkeeper(x.storage, doorkeeper)
        exec(statement, {"y": y, "z": z, "np": np})
        boxes = {(intent, box[0]) for intent, _, box in doorkeeper.seen}
        assert boxes >= {("writes", 0), ("reads", 32)}, statement


def test_a_storage_is_never_told_the_box_of_another():
    """Where the doorkeeper gives the array another Storage, whoever comes to that says what is true of it."""
    for statement in ("np.add(x, 1, out=x)", "np.copyto(x, 3)", "x[1:] = 3", "x += 1", "x.sort()"):
        x = cowarray.array(np.arange(32.0))
        told = []

        def second(storage, intent, behalf, box, told=told):
            told.append((storage.nbytes, box))

        def first(storage, intent, behalf, box, x=x, second=second):
            if intent in ("writes", "overwrites") and x.size == 32:
                x.resize(3)
                set_doorkeeper(x.storage, second)

        set_doorkeeper(x.storage, first)
        outcome(exec, statement, {"x": x, "np": np})
        for nbytes, box in told:
            if box is not None:
                offset, shape, strides, itemsize = box
                reach = sum((n - 1) * s for n, s in zip(shape, strides, strict=True) if n)
                assert offset + reach + itemsize <= nbytes, statement


def test_a_foreign_ufunc_is_named():
    x = cowarray.array(np.zeros(3, object))
    doorkeeper = Doorkeeper()
    set_doorkeeper(x.storage, doorkeeper)
    np.frompyfunc(abs, 1, 1)(np.arange(3), out=x)
    assert ("writes", "foreign", (0, (3,), (8,), 8)) in doorkeeper.seen


# ---- nothing that was kept before gets round it ----------------------------------------------------------------------


def test_what_was_kept_before_goes():
    """From the moment that there is a doorkeeper, no array keeps a header, and the Storage no hold."""
    x = cowarray.array(np.arange(12.0))
    views = [x[1:], x[::2], x.reshape(3, 4, copy=False)]
    computed = x + 1  # NumPy's own array is its header, and what owns the bytes
    for array in (x, computed, *views):
        array.sum()  # keeps a header
    for array in (x, computed):
        doorkeeper = Doorkeeper()
        set_doorkeeper(array.storage, doorkeeper)
        for _ in range(2):
            array.sum()
        assert [said[0] for said in doorkeeper.seen] == ["reads", "reads"]
    doorkeeper = Doorkeeper()
    set_doorkeeper(x.storage, doorkeeper)
    for view in views:
        view.sum()
    assert [said[0] for said in doorkeeper.seen] == ["reads"] * 3


def test_a_copy_has_no_doorkeeper_and_a_view_has_its_sources():
    x = cowarray.array(np.arange(4.0))
    doorkeeper = Doorkeeper(TOUCHES)
    set_doorkeeper(x.storage, doorkeeper)
    y = x.copy()
    assert y.tolist() == [0, 1, 2, 3]
    with pytest.raises(Refused):
        x[1:].tolist()
    set_doorkeeper(x.storage, None)
    assert x.tolist() == [0, 1, 2, 3]


def test_a_refused_write_leaves_nothing_open():
    """No pin stays: afterwards copies are lazy, and a write steals or copies as ever."""
    x = cowarray.array(np.arange(4.0))
    set_doorkeeper(x.storage, Doorkeeper(TOUCHES))
    for write in ("x[0] = 1", "x[:2] = 1", "x += 1", "x.fill(0)", "x.sort()", "np.add(x, 1, out=x)", "x.ctypes"):
        with pytest.raises(Refused):
            exec(write, {"x": x, "np": np})
    set_doorkeeper(x.storage, None)
    y = x.copy()
    assert y.storage.is_cow
    x[0] = 9
    assert (x.tolist(), y.tolist()) == ([9, 1, 2, 3], [0, 1, 2, 3])


def test_a_doorkeeper_ends_with_its_storage_or_with_the_next():
    import weakref

    x = cowarray.array(np.arange(4.0))
    first, second = Doorkeeper(), Doorkeeper()
    known = [weakref.ref(first), weakref.ref(second)]
    set_doorkeeper(x.storage, first)
    set_doorkeeper(x.storage, second)
    del first, second
    assert [ref() is None for ref in known] == [True, False]
    del x
    gc.collect()
    assert known[1]() is None


def test_a_doorkeeper_may_do_anything():
    """User code runs at the door: an array that it changes is whole when the access goes on."""
    for deed, access in itertools.product(
        (
            "x.resize(3)",
            "x.resize(4000)",
            "x.shape = (2, 1, 2, 1, 2)",
            "x.dtype = 'i4'",
            "x.shape = (4, 2)",
            "x[...] = 7",
            "kept.append(x.copy())",
            "del x[:]",
        ),
        (
            *("x.sum()", "x[1]", "x[1:]", "x[[1, 2]]", "x[1:] = 2", "x += 1", "x.sort()", "x.T", "x.real", "x.flat[:]"),
            *(
                "x.copy()",
                "x.copy('F')",
                "x.reshape(2, 4)",
                "x.reshape(4, -1, order='F')",
                "x[::-1].copy()",
                "x.ravel()",
            ),
            *("np.asarray(x)", "memoryview(x)", "x.to_numpy(writable=True)", "np.broadcast_to(x, (3, 8))", "repr(x)"),
            *(
                "np.from_dlpack(x)",
                "np.add(x, 1, out=x)",
                "np.copyto(x, 3)",
                "x.view('i8')",
                "x.astype('f8')",
                "x.item(1)",
            ),
        ),
    ):
        x = cowarray.array(np.arange(8.0))
        scope = {"x": x, "np": np, "kept": []}
        busy = False

        def meddle(*_, scope=scope, deed=deed):
            nonlocal busy
            if not busy:
                busy = True
                try:
                    exec(deed, scope)
                except (ValueError, TypeError):
                    pass
                finally:
                    busy = False

        set_doorkeeper(x.storage, meddle)
        if access in ("x[1:] = 2", "x += 1"):
            done, _ = outcome(exec, access, scope)
        else:
            done, _ = outcome(eval, access, scope)
        set_doorkeeper(x.storage, None)
        for array in (x, done):
            if isinstance(array, (np.ndarray, cowarray.ndarray)):
                assert len(array.tobytes()) == array.nbytes
