"""Inside `aliasing` libraries find NumPy's arrays where they ask for the class, and write as to NumPy's."""

import copy
import functools
import pickle
import warnings

import numpy as np
import pytest

import cowarray as ca


def test_libraries_that_ask_for_the_class_get_numpys():
    x = ca.zeros(3)
    with ca.aliasing():
        assert isinstance(x, np.ndarray)
        assert isinstance(x, ca.ndarray)
        assert not isinstance(x, (list, np.generic))
        assert x.__class__ is np.ndarray
        assert type(x) is ca.ndarray
        for each in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
            assert type(each) is ca.ndarray
    assert not isinstance(x, np.ndarray)
    assert x.__class__ is ca.ndarray
    with pytest.raises(AttributeError):
        x.__class__ = np.ndarray


@pytest.mark.parametrize("package", ["h5py", "jax", "numba", "pandas", "polars"])
def test_libraries_whose_compiled_code_asks_for_the_type_are_told_whose_it_is(package):
    x = ca.zeros(3)
    theirs = {"np": np, "x": x, "functools": functools, "__name__": f"{package}.part"}
    exec("is_numpys = lambda: isinstance(x, np.ndarray)", theirs)
    exec("chosen = functools.singledispatch(lambda x: 'any')\nchosen.register(np.ndarray)(lambda x: 'NumPy')", theirs)
    exec("asked = lambda: chosen(x)", theirs)
    with ca.aliasing():
        assert not theirs["is_numpys"]()
        assert theirs["asked"]() == "any"
        theirs["__name__"] = "another"
        assert theirs["is_numpys"]()
        assert theirs["asked"]() == "NumPy"


# But what tells addresses, or has any values.
MASKED = sorted(
    name
    for name in set(np.ma.__all__) - {"ids", "empty", "empty_like"}
    if callable(getattr(np.ma, name)) and not isinstance(getattr(np.ma, name), type)
)


@pytest.mark.parametrize("name", MASKED)
def test_masked_arrays_are_made_of_ours_as_of_numpys(name):
    function = getattr(np.ma, name)
    x = np.array([[1.0, 2, 0], [3, -1, 4]])
    for operands in ((x,), (x, x), (x > 1, x)):
        theirs = printed(function, *[each.copy() for each in operands])
        if theirs is not TypeError:
            with ca.aliasing():
                assert printed(function, *map(ca.array, operands)) == theirs


# What takes its one array as it is only if it is told so.
UNCOPIED = {
    "array": {}, "fix_invalid": {}, "masked_array": {}, "masked_invalid": {}, "masked_equal": {"value": 3},
    "masked_values": {"value": 3}, "masked_object": {"value": 3}, "masked_greater": {"value": 3},
    "masked_inside": {"v1": 3, "v2": 4},
}  # fmt: skip


@pytest.mark.parametrize("name", [name for name in MASKED if name != "diag"])  # NumPy's diagonals are read-only
def test_a_write_to_what_numpy_ma_makes_reaches_what_it_reaches_with_numpys(name):
    calls = [functools.partial(getattr(np.ma, name))]
    if name in UNCOPIED:
        calls.append(functools.partial(getattr(np.ma, name), copy=False, **UNCOPIED[name]))
    for call in calls:
        x = np.array([[1.0, 2, 0], [3, -1, 4]])
        theirs = written_through(call, x.copy())
        with ca.aliasing():
            assert written_through(call, ca.array(x)) == theirs


def written_through(function, x):
    """What becomes of x by a write to all that a function gives of it; None if it gives nothing to write to."""
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = function(x)
            getattr(result, "_data", result)[...] = 7
    except Exception as error:
        return type(error)
    return x.tolist()


def printed(function, *args):
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return repr(function(*args))
    except Exception as error:
        return type(error)


def test_what_pandas_takes_is_its_own_as_numpys_arrays_are():
    pandas = pytest.importorskip("pandas")
    x, times = ca.arange(3.0), ca.asarray(np.arange(3).astype("M8[ns]"))
    with ca.aliasing():
        series, index = pandas.Series(x), pandas.DatetimeIndex(times)
        assert np.asarray(x).flags.writeable
        x[0] = times[0] = 5
        series.iloc[1] = 7
    assert (x.tolist(), series.tolist()) == ([5, 1, 2], [0, 7, 2])
    assert index[0] == pandas.Timestamp(0)
