"""What is wrong whatever the deferred values are is said at the line that is recorded, and records nothing."""

import numpy as np
import pytest

import cowarray as cw
from cowarray import deferred, is_deferred

nine = np.array([1, 9])
CALLS = {
    "an index": lambda x: x[[1, 9]],
    "an index of ours": lambda x: x[cw.array(nine)],
    "an index from the end": lambda x: x[[-9]],
    "among others": lambda x: x.reshape(2, 1, 2)[..., nine],
    "with a new axis": lambda x: x[None, nine],
    "an assignment": lambda x: x.__setitem__(nine, 0),
    "at": lambda x: np.add.at(x, nine, 1),
    "at of ours": lambda x: np.add.at(x, cw.array(nine), 1),
    "reduceat": lambda x: np.add.reduceat(x, nine),
    "reduceat from the end": lambda x: np.add.reduceat(x, [-1]),
    "take": lambda x: x.take(nine),
    "put": lambda x: x.put(nine, 0),
    "take_along_axis": lambda x: np.take_along_axis(x, nine, 0),
    "put_along_axis": lambda x: np.put_along_axis(x, nine, 0, 0),
    "kind": lambda x: x.sort(kind="foo"),
    "kind of argsort": lambda x: np.argsort(x, kind="foo"),
    "order of sort": lambda x: x.sort(order="a"),
    "order of partition": lambda x: x.partition(1, order="a"),
    "mode of put": lambda x: x.put([1], 0, mode="foo"),
    "mode of take": lambda x: x.take([1], mode="foo"),
    "side": lambda x: x.searchsorted(1, side="foo"),
    "a negative number of repeats": lambda x: x.repeat(-1),
    "negative numbers of repeats": lambda x: x.repeat([1, -1, 1, 1]),
    "repeats along no axis": lambda x: x.repeat(-1, axis=1),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_the_error_belongs_to_the_line(call):
    real = np.arange(4.0)
    with pytest.raises(Exception) as expected:  # noqa: PT011 - whichever it is
        call(real)
    with deferred():
        x = cw.arange(4.0)
        with pytest.raises(expected.type):
            call(x)
    assert is_deferred(x)
    assert x.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("key", [np.empty((0,), int), (np.empty((0, 1), int), nine)])
def test_where_nothing_is_picked_numpy_does_not_look(key):
    with deferred():
        x = cw.zeros((4, 4))
        picked = x[key]
    assert is_deferred(picked)
    assert picked.shape == np.zeros((4, 4))[key].shape == np.asarray(picked).shape


@pytest.mark.parametrize("place", range(3))
def test_dates_are_not_interpolated_whether_they_are_real_or_not(place):
    given = [np.arange(3.0)] * 3
    given[place] = given[place].astype("M8[s]")
    with deferred():
        x = [cw.asarray(each) for each in given]
        with pytest.raises(TypeError, match="Cannot cast"):
            cw.interp(*x)
