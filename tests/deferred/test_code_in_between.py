"""What the program computes in a finalizer or a signal handler is what it would be anywhere.

It may come at any moment, also while the rules find out what an operation gives that is being recorded. A profiler's
function stands for it here: it is called at known places, by nobody of ours.
"""

import contextlib
import sys

import numpy as np
import pytest

import cowarray as cw
from cowarray import deferred, is_deferred
from cowarray._modes.fake.forecasts import forget

RULES = ("faking.py", "calls.py", "composites.py", "rules/ufuncs.py", "rules/code.py", "inference.py")
RECORDED = {
    "a composite": lambda x: np.median(x, axis=0),
    "a ufunc": lambda x: x + 1,
    "a write": lambda x: x.sort(),
    "a composite that writes": lambda x: np.put_along_axis(x, np.zeros((1, 4), int), 7.0, 0),
    "a birth": lambda x: cw.linspace(0, 1, 12).reshape(3, 4) * x,
    "a composite of parts": lambda x: np.cov(x),
}


@contextlib.contextmanager
def coming_in_between(action):
    """Call a function in between, each time that a rule calls something."""

    def come(frame, event, arg):
        if event == "call" and frame.f_code.co_filename.endswith(RULES):
            action()

    forget()  # else no rule would be asked
    sys.setprofile(come)
    try:
        yield
    finally:
        sys.setprofile(None)


def eager(record):
    x = np.arange(12.0)[::-1].reshape(3, 4).copy()
    return record(x), x


@pytest.mark.parametrize("record", RECORDED.values(), ids=RECORDED)
@pytest.mark.parametrize("inside", [True, False])
def test_it_gets_arrays_with_values(record, inside):
    real, found, block = cw.ones(3), [], deferred() if inside else contextlib.nullcontext()
    with deferred():
        x = cw.arange(12.0)[::-1].reshape(3, 4).copy()

    def compute():
        found.append((cw.arange(3) + 1, real * 2, np.median(cw.arange(5)), cw.zeros(1 << 14)))

    with block, coming_in_between(compute):
        made = record(x)
    assert found
    for a, b, c, d in found:
        assert not any(cw.is_fake(each) for each in (a, b, c, d))
        assert is_deferred(a) == is_deferred(b) == is_deferred(d) == inside
        assert (a.tolist(), b.tolist(), float(c), float(d.sum())) == ([1, 2, 3], [2, 2, 2], 2.0, 0.0)
    expected, written = eager(record)
    assert is_deferred(x)
    assert x.tolist() == written.tolist()
    if expected is not None:
        assert np.asarray(made).tobytes() == expected.tobytes()


@pytest.mark.parametrize("record", RECORDED.values(), ids=RECORDED)
def test_it_may_compute_with_what_is_recorded(record):
    found = []
    with deferred():
        x = cw.arange(12.0)[::-1].reshape(3, 4).copy()
        other = x + 1
        with coming_in_between(lambda: found.append((x.sum(), other * 2))):
            made = record(x)
    assert {float(total) for total, _ in found} == {66.0}
    assert all(product.tolist() == (np.arange(12.0)[::-1].reshape(3, 4) * 2 + 2).tolist() for _, product in found)
    expected, written = eager(record)
    assert x.tolist() == written.tolist()
    if expected is not None:
        assert np.asarray(made).tobytes() == expected.tobytes()


@pytest.mark.parametrize("record", RECORDED.values(), ids=RECORDED)
def test_it_may_make_what_is_recorded_and_write_to_it(record):
    with deferred():
        x = cw.arange(12.0)[::-1].reshape(3, 4).copy()
        other = x + 1
        calls = []

        def meddle():
            calls.append(other.tolist())
            other[0, 0] = len(calls)
            calls[-1] = calls[-1] == other.tolist()

        with coming_in_between(meddle):
            made = record(x)
    assert calls
    assert other[0, 0] == len(calls)
    expected, written = eager(record)
    assert x.tolist() == written.tolist()
    if expected is not None:
        assert np.asarray(made).tobytes() == expected.tobytes()


def test_a_block_of_its_own_holds():
    found = []

    def compute():
        with deferred(strict=True):
            a = cw.arange(3) + 1
        with cw.fake():
            b = cw.arange(3) + 1
        found.append((a, b))

    with deferred():
        x = cw.arange(12.0)
        with coming_in_between(compute):
            y = np.median(x)
    assert float(y) == 5.5
    assert found
    for a, b in found:
        assert is_deferred(a)
        assert cw.materialize(a).tolist() == [1, 2, 3]
        assert cw.is_fake(b)
