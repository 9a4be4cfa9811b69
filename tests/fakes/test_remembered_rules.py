"""What the rules of fakes have said is remembered by shapes, strides and dtypes, and is what they would say again."""

import warnings

import numpy as np
import pytest

import cowarray as ca
from cowarray._modes.common.dispatching import arrays_seen
from cowarray._modes.fake.forecasts import forget

PROGRAMS = [
    lambda x, y: x + y,
    lambda x, y: np.add(x, 1.5),
    lambda x, y: x[::2].sum(axis=1),
    lambda x, y: ca.concatenate([x, y, x[::-1]]),
    lambda x, y: np.where(x > 0, x, y),
    lambda x, y: x.mean(axis=0),
    lambda x, y: np.divmod(x, y)[0],
    lambda x, y: x.copy() if x.sort() is None else x,
    lambda x, y: np.multiply(x, y, out=y),
    lambda x, y: x.max(),
    lambda x, y: x[[1, 2]] @ y.T,
]


def outline(x):
    return x.shape, x.dtype, x.strides, x.flags.writeable, ca.is_fake(x)


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_second_time_is_like_the_first(program):
    forget()
    found = []
    for _ in range(3):
        with ca.fake() as plan:
            x, y = ca.ones((4, 5)), ca.ones((4, 5))
            results = [program(x, y) for _ in range(3)]
        found.append(([outline(each) for each in results], plan.peak_bytes, plan.bytes_copied, len(plan.series)))
    assert found[0] == found[1] == found[2]
    assert len({outline(each) for each in results}) == 1


def test_a_number_that_does_not_fit_is_refused_each_time():
    with ca.fake():
        x = ca.zeros(3, "u1")
        for _ in range(3):
            assert (x + 3).dtype == "u1"
            with pytest.raises(OverflowError):
                x + 300
            assert (x + 3.0).dtype == "f8"


def test_warnings_come_each_time():
    with ca.fake(), warnings.catch_warnings(action="error"):
        x = ca.zeros(3, "c16")
        for _ in range(3):
            with pytest.raises(np.exceptions.ComplexWarning):
                x.astype("f8")


def test_equal_values_and_dtypes_may_give_others():
    day, hours = np.timedelta64(1, "D"), np.timedelta64(24, "h")
    told, plain = np.dtype("f8", metadata={"a": 1}), np.dtype("f8")
    with ca.fake():
        for unit in day, hours:
            assert (ca.zeros(3, "M8[D]") + unit).dtype == (np.zeros(3, "M8[D]") + unit).dtype
        for dtype in told, plain:
            assert ca.zeros(3, dtype).dtype.metadata == np.zeros(3, dtype).dtype.metadata


def test_values_count_where_there_are_some():
    counts = ca.array([1, 0, 2, 1])
    with ca.fake():
        fake = ca.zeros(4) + 1
    for wanted in (4, 11):
        assert np.repeat(fake, counts).shape == (wanted,)
        counts[1] = 7
    with pytest.raises(IndexError):
        fake[counts]


def test_arguments_are_looked_at_once_whatever_modes_there_are():
    for mode in (ca.fake, ca.deferred, ca.simulate):
        with mode():
            pass
    with ca.budget("16 MiB", small=0):
        parts = [ca.ones(3) for _ in range(100)]
        ca.concatenate(parts)
        before = arrays_seen()
        ca.concatenate(parts)
        assert arrays_seen() - before == len(parts)
