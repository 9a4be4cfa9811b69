"""Every operation can be had by whoever is registered: from the road, and from every lane while births are watched.

The probe is one who takes each operation, counts it, and has it done as ever. Under every case there is, that changes
nothing of what comes out; and what makes or changes an array has been handed over.
"""

import contextlib
import re
import threading

import numpy as np
import pytest
from support.cases.registry import select
from support.oracle import numbers, outcome, value
from support.prepared import PreparedCall

import cowarray
from cowarray._modes.budget import outside  # noqa: F401 (all modes are enlisted before somebody else registers)
from cowarray._modes.deferred import recording  # noqa: F401
from cowarray._modes.simulate import simulated  # noqa: F401
from cowarray._native.storage import set_doorkeeper
from cowarray._ops.operands import register, watch_births
from cowarray._ops.table import OPERATIONS


class Probe:
    """Registered for a block: keeps the names of the operations that it is handed."""

    def __init__(self, watched=True):
        self.names = []
        self.watched = watched
        self.thread = threading.get_ident()

    def __call__(self, name, function, args, kwargs):
        if threading.get_ident() == self.thread:
            self.names.append(name)
        return function(*args, **kwargs)

    def __enter__(self):
        self.before = register(self)
        watch_births(int(self.watched))
        return self

    def __exit__(self, *exc):
        watch_births(-int(self.watched))
        register(self.before)


def facts(result, depth=0):
    if depth > 4:
        return "..."
    if type(result) is cowarray.ndarray:
        return (result.shape, result.strides, str(result.dtype), result.flags.writeable, facts(value(result)))
    if isinstance(result, np.ndarray):
        return (type(result).__name__, result.shape, str(result.dtype), result.tolist())
    if isinstance(result, (list, tuple)):
        return [facts(item, depth + 1) for item in result]
    if isinstance(result, (int, float, complex, str, bytes, np.generic, type(None))):
        return re.sub("0x[0-9a-f]+", "0x", repr(result))
    return type(result).__name__


def run(case, probe):
    x = cowarray.array(numbers((4, 4)))
    prepared = PreparedCall(case, x)
    if prepared.refusal is not None:
        prepared.run_of.close_files()
        return None
    with probe:
        done, error = outcome(prepared.action)
    prepared.run_of.close_files()
    told = None if error is None else re.sub("0x[0-9a-f]+", "0x", f"{type(error)} {error}")
    # "done" as the array under test is where it was: lanes and road give the same.
    return facts(done), told, facts(x), sorted(map(str, map(facts, prepared.others)))


def test_nothing_changes_when_operations_are_handed_over():
    different, handed, looked_at = [], 0, 0
    for case in select("isolation"):
        plain = [run(case, Probe(watched=False)) for _ in range(2)]
        probe = Probe()
        watched = run(case, probe)
        if None in plain or plain[0] != plain[1]:
            continue
        looked_at += 1
        handed += bool(probe.names)
        if watched != plain[0]:
            different.append(case.source)
    assert looked_at > 2500
    assert handed > 2000
    assert different == []


def named(statement, **scope):
    probe = Probe()
    x = cowarray.array(np.arange(12.0).reshape(3, 4))
    names = {"x": x, "i": cowarray.array([1, 2, 3]), "np": np, "cowarray": cowarray, **scope}
    rng = names["rng"] = cowarray.random.default_rng(1)
    assert rng
    with probe:
        exec(statement, names)
    return probe.names


HANDED = {
    "x + 1": ["add"],
    "1 + x": ["add"],
    "np.float64(1) + x": ["add"],
    "x == x": ["equal"],
    "-x": ["negative"],
    "divmod(x, 2)": ["divmod"],
    "x += 1": ["add"],
    "x **= 2": ["in-place power"],
    "x @= np.eye(4)": ["in-place matmul"],
    "x[:, 0] + range(3)": ["ndarray.__getitem__", "add"],
    "range(3) + x[:, 0]": ["ndarray.__getitem__", "add"],
    "3 in x": ["ndarray.__contains__"],
    "cowarray.add(x, 1)": ["add"],
    "np.add(x, 1, out=x)": ["add"],
    "np.add.reduce(x)": ["add.reduce"],
    "x[1:]": ["ndarray.__getitem__"],
    "x[0, 0]": ["ndarray.__getitem__"],
    "x[[0, 1]]": ["ndarray.__getitem__"],
    "x[0, 1] = 3": ["ndarray.__setitem__"],
    "x[...] = 3": ["ndarray.__setitem__"],
    "x.flat[0]": ["flatiter.__getitem__"],
    "x.flat[0] = 1": ["flatiter.__setitem__"],
    "x.T": ["ndarray.transpose"],
    "x.real": ["ndarray.real"],
    "x.copy()": ["ndarray.copy"],
    "x.lazy_clone()": ["ndarray.copy"],
    "x.reshape(-1)": ["ndarray.reshape"],
    "x.reshape(12, copy=False)": ["ndarray.reshape"],
    "x.astype('f4')": ["ndarray.astype"],
    "x.astype('f8')": ["ndarray.astype"],
    "x.sum()": ["ndarray.sum"],
    "x.sum(axis=0)": ["ndarray.sum"],
    "x.sort()": ["ndarray.sort"],
    "x.resize(2, 3)": ["ndarray.resize"],
    "np.sum(x)": ["sum"],
    "np.linalg.norm(x)": ["linalg.norm"],
    "cowarray.fft.fft(x)": ["fft.fft"],
    "cowarray.zeros(3)": ["zeros"],
    "cowarray.arange(3)": ["arange"],
    "cowarray.asarray([1, 2])": ["asarray"],
    "cowarray.asarray(x)": ["asarray"],
    "cowarray.array(x)": ["asarray"],
    "cowarray.from_dlpack(x)": ["ndarray.copy"],
    "rng.normal(size=3)": ["normal"],
    "rng.random(3)": ["random"],
    "cowarray.concat([x, x])": ["concatenate"],
}


@pytest.mark.parametrize("statement", HANDED)
def test_an_operation_is_handed_over_once_by_its_name(statement):
    assert named(statement) == HANDED[statement]


def test_what_is_handed_over_can_be_given_another_result():
    x = cowarray.array([1.0, 2.0])
    before = register(lambda name, function, args, kwargs: name)
    watch_births(1)
    try:
        given = x + 1, x.copy(), x[0], cowarray.zeros(3), x.sum(), np.sum(x)
    finally:
        watch_births(-1)
        register(before)
    assert given == ("add", "ndarray.copy", "ndarray.__getitem__", "zeros", "ndarray.sum", "sum")


def test_what_raises_leaves_arrays_as_they_were():
    x = cowarray.array([3.0, 1.0, 2.0])

    def refuse(name, function, args, kwargs):
        raise RuntimeError(name)

    before = register(refuse)
    watch_births(1)
    try:
        for statement in ("x += 1", "x[0] = 9", "x.sort()", "x.fill(0)", "np.add(x, 1, out=x)", "x.resize(1)"):
            with pytest.raises(RuntimeError):
                exec(statement, {"x": x, "np": np})
    finally:
        watch_births(-1)
        register(before)
    assert x.tolist() == [3, 1, 2]


def test_an_array_with_a_doorkeeper_takes_the_road_alone():
    """Nothing else is handed over where nobody watches births."""
    x, y = cowarray.array([1.0, 2.0]), cowarray.array([1.0, 2.0])
    set_doorkeeper(x.storage, lambda *_: None)
    probe = Probe(watched=False)
    with probe:
        for statement in ("y + 1", "y.copy()", "y[0]", "y[0] = 1", "y.sum()", "cowarray.zeros(3)"):
            exec(statement, {"y": y, "cowarray": cowarray})
        assert probe.names == []
        for statement in ("y + x", "x.copy()", "x[0]", "y[:] = x", "x[0] = 1", "x.sum()", "np.stack([y, x])", "x += y"):
            exec(statement, {"x": x, "y": y, "np": np})
    wanted = "add ndarray.copy ndarray.__getitem__ ndarray.__setitem__ ndarray.__setitem__ ndarray.sum stack add"
    assert probe.names == wanted.split()


def test_an_array_with_a_doorkeeper_counts_wherever_it_is():
    z, i = cowarray.array([1.0, 2.0]), cowarray.array([0, 1])
    set_doorkeeper(i.storage, lambda *_: None)

    class Listed(list):
        pass

    probe = Probe(watched=False)
    statements = (
        "z[i]",
        "z[i] = 1",
        "z[(i,)]",
        "z.flat[i]",
        "z[:] = [i[0], i[1]]",
        "cowarray.asarray([i, i])",
        "i in z",
    )
    with probe:
        for statement in statements:
            before = len(probe.names)
            exec(statement, {"z": z, "i": i, "cowarray": cowarray})
            assert len(probe.names) > before, statement
        np.concatenate(Listed([i, i]))
    assert probe.names[-1] == "concatenate"


def test_a_deep_copy_is_deep_on_the_road():
    import copy

    z = cowarray.array(np.array([None], object))
    z[0] = inner = [1]
    with Probe():
        assert copy.deepcopy(z)[0] is not inner


def test_none_and_nonsense_are_refused():
    with pytest.raises(TypeError):
        set_doorkeeper(None, print)
    with pytest.raises(TypeError, match="callable"):
        register(5)
    with pytest.raises(ValueError, match="contexts"):
        watch_births(-3)


def test_names_of_rows_are_names_that_are_handed_over():
    """Whoever is registered finds a function or a method in the table by the name that he is told."""
    assert named("np.broadcast_to(x, (2, 3, 4))") == ["broadcast_to"]
    assert {"broadcast_to", "ndarray.sort", "ndarray.copy", "linalg.diagonal"} <= set(OPERATIONS)


def test_nobody_registered_costs_no_operation():
    """Births may be watched with nobody there: everything is done as ever."""
    x = cowarray.array([1.0, 2.0])
    before = register(None)
    watch_births(1)
    try:
        y = x + 1
        y[0] = 5
        z = y.reshape(2, 1)
        assert (x.tolist(), z.tolist()) == ([1, 2], [[5], [3]])
    finally:
        assert watch_births(-1) == 0
        register(before)


NUMBERS = [
    "np.rot90(x, k)",
    "np.rot90(x, k=k)",
    "cowarray.rot90(x, k)",
    "np.rollaxis(x, 1, k)",
    "cowarray.rollaxis(x, 1, start=k)",
]
MODES = [
    contextlib.nullcontext,
    cowarray.aliasing,
    cowarray.simulate,
    cowarray.deferred,
    lambda: cowarray.fake(real=99),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("call", NUMBERS)
def test_numbers_that_numpys_code_changes_by_accident_stay_as_they_are(call, mode):
    for k in (cowarray.array(-1), np.array(-1)):
        with mode():
            x = cowarray.array(np.arange(6).reshape(2, 3))
            result = eval(call, {"np": np, "cowarray": cowarray, "x": x, "k": k})
        assert k == -1
        assert (
            result.tolist() == eval(call, {"np": np, "cowarray": np, "x": np.arange(6).reshape(2, 3), "k": -1}).tolist()
        )


def test_choices_are_read_and_only_out_is_written():
    x, c, d = cowarray.array([1, 0]), cowarray.array([1.0, 2.0]), cowarray.array([3.0, 4.0])
    kept = [each.copy() for each in (x, c, d)]
    cowarray.reset_stats()
    assert x.choose(c, d).tolist() == x.choose([c, d]).tolist() == [3, 2]
    assert cowarray.stats()["bytes_copied"] == 0
    out = cowarray.zeros(2)
    assert x.choose(c, d, out=out) is out
    assert [each.tolist() for each in (*kept, out)] == [[1, 0], [1, 2], [3, 4], [3, 2]]
