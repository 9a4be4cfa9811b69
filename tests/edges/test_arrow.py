"""`__arrow_c_array__` exports a snapshot without copying, and gives it back once, in any thread, without the GIL."""

import ctypes
import gc

import numpy as np
import pytest
from exporting import is_free
from support.threads import together

import cowarray

pytestmark = pytest.mark.sanitized

NUMBERS = "?bBhHiIlLqQefd"


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


Schema._fields_ = [
    ("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64), ("n_children", ctypes.c_int64), ("children", ctypes.c_void_p),
    ("dictionary", ctypes.c_void_p), ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))),
    ("private_data", ctypes.c_void_p),
]  # fmt: skip
Array._fields_ = [
    ("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64), ("n_children", ctypes.c_int64), ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.c_void_p), ("dictionary", ctypes.c_void_p),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))), ("private_data", ctypes.c_void_p),
]  # fmt: skip

pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
pointer_of.restype = ctypes.c_void_p
pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]


def looked_at(capsules):
    schema, array = capsules
    return (
        Schema.from_address(pointer_of(schema, b"arrow_schema")),
        Array.from_address(pointer_of(array, b"arrow_array")),
    )


def moved(capsules):
    """The structure as a consumer takes it over: the capsule's own is marked as released."""
    _, array = looked_at(capsules)
    taken = Array.from_buffer_copy(array)
    array.release = ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))()
    return taken


def need(name):
    return pytest.importorskip(name, reason=f"{name} is not installed; it comes with cowarray[producers]")


@pytest.fixture
def x():
    return cowarray.array(np.arange(1000.0))


def test_the_bytes_are_shared_until_somebody_writes(x):
    capsules = x.__arrow_c_array__()
    schema, array = looked_at(capsules)
    assert (schema.format, schema.n_children, bool(schema.release)) == (b"g", 0, True)
    assert (array.length, array.null_count, array.offset, array.n_buffers) == (1000, 0, 0, 2)
    assert [array.buffers[0], array.buffers[1]] == [None, x.storage.data_ptr]
    assert x.storage.share_count == 2
    x[0] = -1
    assert (ctypes.c_double * 1000).from_address(array.buffers[1])[0] == 0
    del capsules
    assert is_free(x)


def test_capsules_that_nobody_takes_give_all_back(x):
    x.__arrow_c_array__()
    x.__arrow_c_array__(None)
    x.__arrow_c_array__(requested_schema=x.__arrow_c_array__()[0])
    assert is_free(x)


def test_what_a_consumer_takes_outlives_capsules_and_array():
    x = cowarray.array(np.arange(1000.0))
    capsules = x.__arrow_c_array__()
    taken = moved(capsules)
    del capsules
    gc.collect()
    assert x.storage.share_count == 2
    y = x.copy()
    del x
    values = (ctypes.c_double * 1000).from_address(taken.buffers[1])
    assert list(values) == list(range(1000))
    taken.release(ctypes.byref(taken))
    assert not taken.release
    assert is_free(y)


def test_it_may_be_released_in_a_thread_without_the_gil(x):
    # A function of ctypes.CDLL is called without the GIL, and here in a thread that Python has not made the array in.
    taken = [moved(x.__arrow_c_array__()) for _ in range(100)]
    together(*[lambda item=item: item.release(ctypes.byref(item)) for item in taken])
    assert is_free(x)


def test_writes_to_a_pinned_array_are_not_in_what_went_out(x):
    alias = x.to_numpy(writable=True)
    capsules = x.__arrow_c_array__()
    alias[0] = -1
    assert (ctypes.c_double * 1000).from_address(looked_at(capsules)[1].buffers[1])[0] == 0


REFUSED = {
    "two axes": lambda: cowarray.zeros((2, 3)),
    "no axes": lambda: cowarray.array(3.0),
    "text": lambda: cowarray.array(["a"]),
    "complex": lambda: cowarray.array([1j]),
    "objects": lambda: cowarray.array([None, 1]),
    "longdouble": lambda: cowarray.zeros(3, "g"),
    "foreign byte order": lambda: cowarray.zeros(3, ">i4"),
    "fields": lambda: cowarray.zeros(3, [("a", "i4")]),
    "days": lambda: cowarray.zeros(3, "M8[D]"),
    "tens of seconds": lambda: cowarray.zeros(3, "m8[10s]"),
}


@pytest.mark.parametrize("made", REFUSED)
def test_what_arrow_has_not_is_refused_and_has_no_such_attribute(made):
    x = REFUSED[made]()
    with pytest.raises(AttributeError, match=r"__arrow_c_array__: Arrow has arrays of one axis.*pass x.to_numpy"):
        x.__arrow_c_array__()
    assert not hasattr(x, "__arrow_c_array__")


def test_an_array_that_has_become_another_meanwhile_is_refused(x):
    exporter = x.__arrow_c_array__
    x.shape = (10, 100)
    with pytest.raises(TypeError, match="got 2 axes"):
        exporter()


# ---- its consumers ---------------------------------------------------------------------------------------------------

PARTS = [np.s_[:], np.s_[::3], np.s_[::-1], np.s_[5:40], np.s_[7:7], np.s_[1:9]]
TIMES = [f"{kind}8[{unit}]" for kind in "mM" for unit in ("s", "ms", "us", "ns")]


def expected(n):
    return [None if value is None else value for value in n.tolist()]


@pytest.mark.parametrize("part", PARTS, ids=str)
@pytest.mark.parametrize("char", [*NUMBERS, *TIMES])
def test_pyarrow_reads_the_same_elements_as_numpys(char, part):
    arrow = need("pyarrow")
    n = (np.arange(50) % 3).astype("i8").astype(char)
    if n.dtype.kind in "mM":
        n[[3, 8, 49]] = "NaT"
    ours, theirs = arrow.array(cowarray.array(n)[part]), arrow.array(np.ascontiguousarray(n[part]))
    ours.validate(full=True)
    assert ours.type == theirs.type
    assert ours.equals(theirs)
    assert ours.null_count == theirs.null_count


@pytest.mark.parametrize(
    "char", [*NUMBERS.replace("e", ""), "M8[ms]", "M8[us]", "M8[ns]", "m8[ms]", "m8[us]", "m8[ns]"]
)
def test_polars_reads_the_same_elements_as_numpys(char):
    polars = need("polars")
    n = (np.arange(50) % 3).astype("i8").astype(char)
    ours, theirs = polars.Series(cowarray.array(n)), polars.Series(n)
    assert ours.dtype == theirs.dtype
    assert ours.to_list() == theirs.to_list()
    frame = polars.DataFrame({"a": cowarray.array(n)})
    assert frame["a"].to_list() == theirs.to_list()


def test_unaligned_elements_are_copied():
    arrow = need("pyarrow")
    x = cowarray.zeros(9, [("a", "u1"), ("b", "f8")])["b"]
    assert not x.flags.aligned
    x[...] = np.arange(9)
    made = arrow.array(x)
    assert made.to_pylist() == list(range(9))
    assert made.buffers()[1].address % 8 == 0


@pytest.mark.parametrize("library", ["pyarrow", "polars"])
def test_they_share_the_bytes_and_see_no_write(x, library):
    module = need(library)
    made = module.array(x) if library == "pyarrow" else module.Series(x)
    if library == "pyarrow":
        assert made.buffers()[1].address == x.storage.data_ptr
    assert x.storage.share_count == 2
    x[0] = -1
    assert made[0] == 0 if library == "polars" else made[0].as_py() == 0
    del made
    gc.collect()
    assert is_free(x)


def test_what_comes_back_from_pyarrow_is_shared_and_no_writes_reach_it(x):
    arrow = need("pyarrow")
    made = arrow.array(x)
    y = cowarray.asarray(made.to_numpy())
    assert cowarray.shares_bytes(x, y)
    y[0] = -1
    assert (x[0], made[0].as_py()) == (0, 0)


@pytest.mark.parametrize("kind", ["float32", "int8", "float64", "string"])
def test_pyarrow_converts_to_the_type_that_is_asked_for(kind):
    arrow = need("pyarrow")
    n = np.arange(9.0)
    try:
        theirs = arrow.array(n, type=getattr(arrow, kind)())
    except arrow.ArrowException as error:
        with pytest.raises(type(error)):
            arrow.array(cowarray.array(n), type=getattr(arrow, kind)())
    else:
        assert arrow.array(cowarray.array(n), type=getattr(arrow, kind)()).equals(theirs)


def test_a_mask_is_refused_not_ignored(x):
    arrow = need("pyarrow")
    mask = x > 3
    array = getattr(arrow.array, "__wrapped__", arrow.array)  # `register` takes masks, and another test may call it
    with pytest.raises(ValueError, match="mask"):
        array(x, mask=mask)
    with pytest.raises(ValueError, match="mask"):
        array(x, mask=mask.to_numpy())
    made = arrow.array(x.to_numpy(), mask=mask.to_numpy())
    assert made.null_count == mask.sum()


def test_pyarrow_still_takes_what_arrow_has_another_way():
    arrow = need("pyarrow")
    assert arrow.array(cowarray.array(["a", "b"])).to_pylist() == ["a", "b"]
    assert arrow.array(cowarray.array([1, 2], dtype=">i4")).to_pylist() == [1, 2]
