"""Where a value becomes one element (`fill`, an integer index of `flat`), it is converted, or refused, as by NumPy."""

import itertools
import warnings

import numpy as np
import pytest
from support.numpy_versions import without
from support.oracle import Witness, agree, outcome, same

import cowarray

FIELDS = [("a", "i4", (2,)), ("n", [("x", "f8"), ("y", "S2")])]
DTYPES = ["?", "i4", "f8", "c16", "S3", "U2", "S0", "M8[s]", "V4", "O", "T", "i4,i4", FIELDS, [("o", "O"), ("i", "i2")]]
VALUES = [
    *(1, -1, 2.5, 3j, True, None, "7", b"7", "", 10**30, (), (1, 2), (1,), [], [1], [3], [1, 2], [[1]], {}, range(2)),
    *(np.int8(5), np.float64(0.5), np.str_("7"), np.datetime64(3, "s"), np.ones((), "i4,i4")[()]),
]
ARRAYS = [
    *(np.array(5), np.array(2.5), np.array("7"), np.array([5]), np.array([5, 6]), np.array([]), np.array([[7]])),
    *(np.ones((), "i4,i4"), np.ones(1, "i4,i4"), np.ones(2, "i4,i4"), np.zeros((), FIELDS), np.ones((), "V4")),
    *(np.array(3, "M8[s]"), np.array(None), np.array([1, 2], object), np.array("7", "T"), np.array((1, 2), "O,i2")),
]
KEYS = [
    *(0, -1, 2, 99, -4, True, False, 1.5, np.int8(1), np.array(1), np.array(True), np.True_, None, "z", ...),
    *((), (0,), (0, 0), (True,), ([0],), [0], [], [True, False, True], slice(0, 1), slice(5, 9), slice(None)),
    *(np.array([0]), np.array([99]), np.array([True, False, True]), np.array([], int)),
]


def fill(x, value):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x.fill(value)


def put(x, key, value):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x.flat[key] = value


def as_numpys(write, dtype, shape, *values):
    """Assert that a write does what NumPy's does, and nothing if it fails (NumPy's may have written a part).

    Returns
    -------
    bool
        Whether NumPy wrote.
    """
    n = np.zeros(shape, dtype)
    x = cowarray.array(n)
    witness = Witness(x)
    theirs = outcome(write, n, *values)
    agree(outcome(write, x, *(cowarray.array(each) if type(each) is np.ndarray else each for each in values)), theirs)
    same(x, n if theirs[1] is None else np.zeros(shape, dtype))
    witness.check()
    return theirs[1] is None


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_fill(dtype):
    values = [value for value in VALUES + ARRAYS if not (dtype == "O" and type(value) is np.ndarray)]
    wrote = [as_numpys(fill, dtype, shape, value) for shape, value in itertools.product([3, (2, 2), (), 0], values)]
    assert any(wrote)


@without("flat crashes without an index")
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_flat(dtype):
    values = [value for value in VALUES + ARRAYS if not (dtype == "O" and type(value) is np.ndarray)]
    wrote = 0
    for shape, key, value in itertools.product([3, (3, 1), (), 0], KEYS, values):
        if shape == 0 and isinstance(key, (bool, np.ndarray)) and np.ndim(key) == 0:
            continue  # NumPy writes to memory that it does not have
        wrote += as_numpys(put, dtype, shape, key, value)
    assert wrote > 100


NO_BOOL = without("flat reads other indices")
NO_INDEX = pytest.param((), marks=without("flat crashes without an index"))


@pytest.mark.parametrize("key", [True, pytest.param(np.array(True), marks=NO_BOOL)], ids=repr)
def test_a_bool_gives_no_element_where_there_is_none(key):
    x = cowarray.array([], object)
    put(x, key, [1])
    assert x.shape == (0,)
    whole = cowarray.zeros(4)
    put(whole[2:2], key, 5)
    assert whole.sum() == 0


@pytest.mark.parametrize("write", [fill, lambda x, value: put(x, 1, value)], ids=["fill", "flat"])
@pytest.mark.parametrize("dtype", ["i4", "i4,i4", "S3", [("o", "O"), ("i", "i2")], "T"], ids=str)
def test_the_value_may_be_an_element_of_the_array(write, dtype):
    n = np.array([b"1", b"2", b"3"]).astype("i8").astype(dtype)
    x = cowarray.array(n)
    witness = Witness(x)
    for _ in range(2):
        write(n, n[2:].reshape(()))
        write(x, x[2:].reshape((), copy=False))
        same(x, n)
        witness.check()


def test_an_array_becomes_an_element_that_is_it():
    x, y = cowarray.array([None] * 3), cowarray.arange(3)
    x.flat[1] = y
    x.fill(y)
    assert all(each is y for each in x.tolist())
    x.flat[1] = [1]
    assert x[1] == [1]


class Acting:
    """A number that does a deed when it is asked for."""

    def __init__(self, deed):
        self.deed = deed

    def __int__(self):
        self.deed()
        return 7

    __index__ = __float__ = __int__


@pytest.mark.parametrize("key", [2, slice(1, 3), [2]], ids=str)
def test_the_array_is_looked_at_after_the_value(key):
    x = cowarray.zeros(3, dtype="i4")
    agree(outcome(put, x, key, Acting(lambda: x.resize(1))), outcome(put, np.zeros(1), key, 7))
    assert x.tolist() == [0]
    x = cowarray.zeros(3, dtype="i4")
    with pytest.raises(ValueError, match="read-only"):
        x.flat[key] = Acting(lambda: x.setflags(write=False))
    assert x.tolist() == [0, 0, 0]
    x.setflags(write=True)
    x.flat[2] = Acting(lambda: x.fill(5))
    assert x.tolist() == [5, 5, 7]


@pytest.mark.parametrize("error", [ValueError, TypeError, KeyError])
@pytest.mark.parametrize("key", [slice(1), [0], ..., [9], "a", (None,), (0, 0), NO_INDEX], ids=repr)
def test_a_value_that_refuses_is_asked_once(key, error):
    asked = []

    def refuse():
        asked.append(1)
        raise error("mine")

    ours = outcome(put, cowarray.zeros(3), key, Acting(refuse))
    assert len(asked) == 1
    agree(ours, outcome(put, np.zeros(3), key, Acting(refuse)))
