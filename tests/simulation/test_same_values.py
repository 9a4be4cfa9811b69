"""Inside `simulate`, operators give NumPy's values to the last bit, with the short ways that NumPy's operators have."""

import operator
import warnings

import numpy as np
import pytest
from support.oracle import same

import cowarray

OPERATORS = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.pow,
    operator.iadd,
    operator.imul,
    operator.ipow,
    operator.lt,
    operator.eq,
]
SCALARS = [2, 0, 1, -1, 0.5, 2.0, -0.5, 3, True, 2j, np.float64(2), np.float32(0.5), np.int8(2), np.array(2)]


def outcome(function, *args):
    with warnings.catch_warnings(action="ignore"):
        try:
            return function(*args), None
        except Exception as error:
            return None, type(error)


@pytest.mark.parametrize("dtype", ["?", "i1", "i8", "u4", "f2", "f4", "f8", "c8", "c16", "O"])
@pytest.mark.parametrize("function", OPERATORS, ids=lambda function: function.__name__)
def test_operators_with_scalars(function, dtype):
    rng = np.random.default_rng(7)
    values = rng.normal(size=37) * 3
    if dtype in ("c8", "c16"):
        values = values + 1j * rng.normal(size=37)
    values = values.astype(dtype)
    compared = 0
    for scalar in SCALARS:
        for reflected in (False, True):
            with cowarray.simulate(), np.errstate(all="ignore"):
                theirs, ours = values.copy(), cowarray.array(values)
                watched = ours.reshape(37)  # which gives ours a shadow
                sides = (lambda x, other=scalar: (other, x)) if reflected else (lambda x, other=scalar: (x, other))
                expected, error = outcome(function, *sides(theirs))
                found, raised = outcome(function, *sides(watched))
                assert raised is error
                compared += 1
                if error is None and type(expected) is np.ndarray:
                    same(found, expected)
                    assert dtype == "O" or found.tobytes() == expected.tobytes()
    assert compared == 2 * len(SCALARS)
