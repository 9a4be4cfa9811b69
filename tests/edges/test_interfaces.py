"""`__array_interface__`, `__array_priority__`, `__sizeof__`, `Buffer` and `to_numpy(...)`: what others look for."""

import collections.abc
import inspect
import sys

import numpy as np
import pytest
from exporting import is_free
from support.oracle import outcome, typed

import cowarray
from cowarray._native.storage import set_doorkeeper

pytestmark = [pytest.mark.numpy_ends, pytest.mark.sanitized]

SMALL = "?bhilBHILefdgFDG"
DTYPES = [*SMALL, "S3", "U2", "O", ">i4", "M8[D]", "m8[s]", "V3", [("a", "i4"), ("b", "f8")], [("a", "M8[s]")]]
BUFFERLESS = ["M8[D]", "m8[s]", "V3", "T", [("a", "M8[s]")], ">g", ">G", [("a", ">g")]]


def numbers(char):
    return typed(char, (4, 4)) if char in list(SMALL) else np.zeros((4, 4), char)


# ---- __array_interface__ ---------------------------------------------------------------------------------------------


class Described:
    """Has an array's interface, and its buffer as the data."""

    def __init__(self, x):
        self.__array_interface__ = {**x.__array_interface__, "data": memoryview(x)}


@pytest.mark.parametrize("part", [np.s_[:], np.s_[1], np.s_[:, :1]], ids=str)
@pytest.mark.parametrize("char", [each for each in DTYPES if each not in BUFFERLESS], ids=str)
def test_the_interface_is_numpys_without_the_data(char, part):
    n = numbers(char)
    ours, theirs = cowarray.array(n)[part].__array_interface__, n[part].__array_interface__
    del theirs["data"]
    assert ours == theirs


@pytest.mark.parametrize("char", ["i", "d", "F", ">i4", "S3", [("a", "i4"), ("b", "f8")]], ids=str)
def test_numpy_reads_the_array_by_its_interface_and_its_buffer(char):
    n = numbers(char)
    x = cowarray.array(n)
    shown = np.asarray(Described(x))
    assert (shown.dtype, shown.shape) == (n.dtype, n.shape)
    assert shown.tolist() == n.tolist()
    assert not shown.flags.writeable
    x[...] = np.ones(1, n.dtype)[0]
    assert shown.tolist() == n.tolist()
    del shown
    assert is_free(x)


@pytest.mark.parametrize("char", [*DTYPES, "T", ">g", ">G"], ids=str)
def test_numpy_reads_every_dtype_as_before(char):
    n = numbers(char)
    x = cowarray.array(n)
    for shown in (np.asarray(x), np.array(x), np.asarray([x, x])[0], np.asarray(x[::2, ::-1])[:, ::-1]):
        assert shown.dtype == n.dtype or shown.dtype == object or char in (">i4", ">g", ">G")
    assert np.asarray(x).tolist() == n.tolist()
    assert not np.asarray(x).flags.writeable


@pytest.mark.parametrize("char", BUFFERLESS, ids=str)
def test_where_there_is_no_buffer_there_is_no_interface(char):
    x = cowarray.array(numbers(char))
    with pytest.raises(
        AttributeError, match=r"__array_interface__: an array of dtype .* has no buffer; use x.to_numpy"
    ):
        _ = x.__array_interface__
    assert not hasattr(x, "__array_interface__")


def test_code_that_wants_the_pointer_is_given_no_interface_without():
    theirs = {"x": cowarray.array([1.0, 2.0]), "np": np, "__name__": "xgboost.data"}
    assert not eval("hasattr(x, '__array_interface__')", theirs)
    assert eval("np.asarray(x).tolist()", theirs) == [1, 2]
    with cowarray.aliasing():
        assert "data" in eval("x.__array_interface__", theirs)
    theirs["__name__"] = "another"
    assert "data" not in eval("x.__array_interface__", theirs)


def test_each_interface_is_the_callers_own():
    x = cowarray.array([1.0, 2.0])
    x.__array_interface__["shape"] = (5,)
    assert x.__array_interface__["shape"] == (2,)


@pytest.mark.parametrize("part", [np.s_[:], np.s_[::2], np.s_[:, ::-1]], ids=str)
@pytest.mark.parametrize("shape", [(4, 6), (4, 6, 3), (4, 6, 4)], ids=str)
def test_pillow_makes_images(shape, part):
    image = pytest.importorskip("PIL.Image", reason="pillow is not installed; it comes with cowarray[producers]")
    n = np.arange(np.prod(shape), dtype="u1").reshape(shape)
    x = cowarray.array(n)[part]
    made = image.fromarray(x)
    assert made.mode == image.fromarray(np.ascontiguousarray(n[part])).mode
    assert (np.asarray(made) == n[part]).all()
    x[...] = 0
    assert (np.asarray(made) == n[part]).all()
    assert (cowarray.asarray(made) == n[part]).all()


@pytest.mark.parametrize("read", [np.asarray, np.ascontiguousarray, np.asfortranarray, lambda x: np.array([x])])
def test_what_refuses_the_bytes_says_so(read):
    """NumPy asks for a buffer, forgets why there is none, and asks for the interface."""
    x = cowarray.arange(1000.0)[:10]

    def refuse(storage, intent, behalf, box):
        if intent != "locates":
            raise LookupError(f"nobody {intent}")

    with cowarray.no_copy(eager=True), pytest.raises(cowarray.CopyError, match="no_copy: this would copy 80 bytes"):
        read(x)
    set_doorkeeper(x.storage, refuse)
    with pytest.raises(LookupError, match="nobody reads"):
        read(x)


# ---- __sizeof__ ------------------------------------------------------------------------------------------------------


def test_the_size_of_an_array_counts_its_elements_and_that_of_a_view_does_not():
    small, x = cowarray.ones(1), cowarray.ones(1000)
    assert sys.getsizeof(x) - sys.getsizeof(small) == np.ones(1000).nbytes - np.ones(1).nbytes
    assert sys.getsizeof(x.copy()) == sys.getsizeof(x)  # a lazy copy: what it would take
    assert sys.getsizeof(x[:]) < x.nbytes
    before = sys.getsizeof(x)
    x.resize(2000)
    assert sys.getsizeof(x) == before + 8000


# ---- __array_priority__, Buffer --------------------------------------------------------------------------------------


def test_the_priority_is_that_of_numpys_arrays():
    x = cowarray.array([1.0])
    assert x.__array_priority__ == np.zeros(1).__array_priority__
    with pytest.raises((AttributeError, TypeError)):
        x.__array_priority__ = 5


@pytest.mark.skipif(sys.version_info < (3, 12), reason="PEP 688 came with Python 3.12")
def test_an_array_is_a_buffer_with_pythons_own_methods():
    x = cowarray.array([1.0, 2.0])
    assert isinstance(x, collections.abc.Buffer)
    assert issubclass(cowarray.ndarray, collections.abc.Buffer)
    with x.__buffer__(inspect.BufferFlags.FULL_RO) as view:
        assert (view.readonly, view.tolist()) == (True, [1, 2])
    with x.__buffer__(inspect.BufferFlags.FULL) as view:
        view[0] = 5
        assert x.tolist() == [5, 2]
        assert not cowarray.shares_bytes(x, x.copy())
    assert is_free(x)
    view = x.__buffer__(inspect.BufferFlags.FULL)
    # The view's owner is not x but what pins it.
    with pytest.raises((ValueError, TypeError)):
        x.__release_buffer__(view)
    view.release()
    assert is_free(x)


# ---- to_numpy --------------------------------------------------------------------------------------------------------

NAN = float("nan")
VALUES = {
    "float": np.array([1.0, NAN, 3.0]),
    "whole float": np.array([1.0, 2.0]),
    "single": np.array([NAN, 2.5], "f4"),
    "complex": np.array([1j, complex(NAN, 0)]),
    "int": np.array([1, 2]),
    "bool": np.array([True, False]),
    "object": np.array([1, None, NAN, "a"], object),
}
ARGUMENTS = {
    "copy": {"copy": True},
    "no copy": {"copy": False},
    "float": {"dtype": "f4"},
    "float, copy": {"dtype": float, "copy": True},
    "object": {"dtype": object},
    "zero": {"na_value": 0},
    "zero as float": {"dtype": float, "na_value": 0.0},
    "zero as int": {"dtype": "i8", "na_value": 0},
    "NaN": {"na_value": NAN},
    "None": {"dtype": object, "na_value": None},
    "text": {"dtype": object, "na_value": "missing"},
    "NaN as float": {"dtype": float, "na_value": NAN, "copy": True},
}


@pytest.mark.parametrize("arguments", ARGUMENTS)
@pytest.mark.parametrize("values", VALUES)
def test_to_numpy_takes_pandas_arguments(values, arguments):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed; it comes with cowarray[producers]")
    n = VALUES[values]
    x = cowarray.array(n)
    theirs = outcome(pandas.Series(n).to_numpy, **ARGUMENTS[arguments])
    ours = outcome(x.to_numpy, **ARGUMENTS[arguments])
    assert (ours[1] is None) == (theirs[1] is None), (ours, theirs)
    if ours[1] is None:
        assert (ours[0].dtype, repr(ours[0])) == (theirs[0].dtype, repr(theirs[0]))
    else:
        assert issubclass(ours[1], (ValueError, TypeError))
    assert repr(x.to_numpy()) == repr(n)
    del ours
    assert values == "object" or is_free(x)


def test_missing_times():
    moments = np.array(["2020-01-01", "NaT"], "M8[s]")
    spans = np.array([5, "NaT"], "m8[s]")
    first = moments[0]
    assert cowarray.array(moments).to_numpy(na_value=first).tolist() == [first.item()] * 2
    assert cowarray.array(spans).to_numpy("i8", na_value=0).tolist() == [5, 0]
    assert cowarray.array(moments).to_numpy(object, na_value="none").tolist() == [first.item(), "none"]
    with pytest.raises(ValueError, match="na_value=0 cannot stand"):
        cowarray.array(moments).to_numpy(na_value=0)


def test_pandas_signature_by_position():
    x = cowarray.array([1.0, NAN])
    assert x.to_numpy("i8", True, 0).tolist() == [1, 0]
    assert x.to_numpy(None, True).flags.writeable


def test_only_a_snapshot_shares_and_only_a_copy_is_the_callers():
    x = cowarray.array(np.arange(100.0))
    for arguments in ({}, {"copy": False}, {"dtype": "f8"}, {"na_value": 0}, {"dtype": None, "na_value": 0}):
        shown = x.to_numpy(**arguments)
        assert cowarray.shares_bytes(x, shown)
        assert not shown.flags.writeable
    for arguments in ({"copy": True}, {"dtype": "f4"}, {"copy": True, "na_value": 0}):
        own = x.to_numpy(**arguments)
        assert own.flags.writeable
        own[...] = -1
    assert x.tolist() == list(range(100))


def test_missing_elements_without_axes_and_in_layouts():
    x = cowarray.array(np.array([[1.0, NAN], [NAN, 4.0]]))
    assert cowarray.array(NAN).to_numpy(na_value=5.0) == 5
    assert x.T.to_numpy(na_value=0).tolist() == [[1, 0], [0, 4]]
    assert x[::-1, :1].to_numpy(dtype="i4", na_value=0).tolist() == [[0], [1]]
    assert np.isnan(x.to_numpy()).sum() == 2


@pytest.mark.parametrize("value", ["text", None, 1j])
def test_a_value_that_the_dtype_cannot_hold_is_refused(value):
    x = cowarray.array([1.0, NAN])
    with pytest.raises(ValueError, match=r"to_numpy: na_value=.* cannot stand for missing elements of dtype"):
        x.to_numpy(na_value=value)
    assert cowarray.array([1, 2]).to_numpy(na_value=value).tolist() == [1, 2]  # nothing is missing there


@pytest.mark.parametrize("arguments", [{"dtype": "f8"}, {"copy": True}, {"na_value": 0}], ids=str)
def test_an_alias_is_of_the_arrays_own_elements(arguments):
    x = cowarray.array([1.0])
    with pytest.raises(ValueError, match="to_numpy: writable=True gives an alias"):
        x.to_numpy(writable=True, **arguments)
    assert is_free(x)
