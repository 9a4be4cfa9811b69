"""Plain NumPy where cowarray was meant defers nothing, and does not do so in silence."""

import warnings

import numpy as np
import pytest

import cowarray as cw


def test_a_constructor_that_uses_plain_numpy_defers_nothing_and_says_so(recwarn):
    class Model:
        def __init__(self, n, data=None):
            self.data = data
            self.weights = [np.ones((n, n)) for _ in range(3)]

    for _ in range(2):
        with pytest.warns(UserWarning, match=r"Model.* made 3 of NumPy's arrays .*import cowarray as np") as found:
            cw.deferred_init(Model, 10)
        assert [each.filename for each in found] == [__file__]
    recwarn.clear()
    data = np.ones(3)
    cw.deferred_init(lambda given: [given, cw.ones(3)], data)
    cw.deferred_init(lambda given: (given, given), data)  # they are the caller's
    cw.deferred_init(lambda: {"a": 1, "b": np.ones(0), "c": "x"})
    assert not recwarn.list


def test_numpys_array_that_takes_in_what_is_deferred_is_warned_of_once_a_line():
    with cw.deferred(), warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("default")
        total = np.zeros(3)
        for _ in range(3):
            total += cw.ones((10, 3)).sum(axis=0)
        np.add(total, cw.ones(3), out=total)
        total = total + cw.ones(3)
    assert [each.filename for each in found] == [__file__] * 2
    assert "write x = x + y in the place of x += y" in str(found[0].message)
    assert cw.is_deferred(total)
    assert total.tolist() == [32.0] * 3


def test_no_warning_of_what_is_not_deferred(recwarn):
    total = np.zeros(3)
    with cw.deferred():
        total += 1
        np.add(total, np.ones(3), out=total)
        late = cw.ones(3)
    np.add(total, late, out=total)  # outside of the block that is what was asked for
    assert total.tolist() == [3.0] * 3
    assert not recwarn.list
