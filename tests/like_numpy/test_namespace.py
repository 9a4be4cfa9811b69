"""The functions of the public namespace, chapter by chapter: NumPy's results, and the table's kind of result.

The calls are those of NumPy's functions, by the names that they have here (`cases/by_rule.py`): a function that is new
in one of these chapters is tested by the calls of NumPy's. The other chapters have tests of their own
(`test_chapters.py`).
"""

import itertools
import re

import numpy as np
import pytest
from chapters_by_table import CALLS, CHAPTERS, FUNCTIONS
from support.calls import Run, arrays_in, class_of, is_attribute_of_a_result, numpys
from support.operations import both, check_operation, check_writes, writes
from support.oracle import LAYOUTS, OWNERSHIPS, numbers, same, value

import cowarray
from cowarray._chapters import constants as _constants
from cowarray._chapters import data_types as _data_types
from cowarray._chapters import inspection as _inspection
from cowarray._ops import table as _table

pytestmark = [pytest.mark.numpy_ends, pytest.mark.numpy_versions]

# ---- the kinds of results --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("call", CALLS)
def test_functions_give_what_numpys_give_and_as_the_table_says(call):
    for layout, ownership in itertools.product(LAYOUTS, OWNERSHIPS):
        check_operation(call, layout, ownership, float)
    if is_attribute_of_a_result(call) or writes(call) or class_of(call) == _table.SAME:
        return
    for layout, ownership in itertools.product(LAYOUTS, OWNERSHIPS):
        held, ours, theirs, _, _ = both(call, layout, ownership, float)
        pairs = zip(arrays_in(ours.result, cowarray.ndarray), arrays_in(theirs.result, np.ndarray), strict=True)
        for result, other in pairs:
            if result is not held.x:
                check_writes(held, result, other)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_function_of_a_chapter_is_called_and_says_what_it_gives(chapter):
    called = {call.partition("(")[0].removeprefix("cowarray.") for call in CALLS}
    functions = [name for name in CHAPTERS[chapter].__all__ if name in FUNCTIONS]
    assert functions
    assert sorted(set(functions) - called) == []
    words = ["view", "views", "copy", "copies", "Fresh", "fresh", "bool", "int", "ints", "Nothing", "dtype"]
    for name in functions:
        said = getattr(cowarray, name).__doc__
        assert set(words) & set(re.findall(r"\w+", said)), name
        kind = _table.lookup(getattr(np, name)).result
        assert (kind != _table.VIEW) or "view" in said, name
        assert (kind != _table.COPY) or "copy" in said or "copies" in said, name


SUBJECTS = {
    "array of NumPy's": lambda n, folder: n,
    "memory map": lambda n, folder: mapped(n, folder / "map"),
    "list": lambda n, folder: n.tolist(),
    "stranger": lambda n, folder: Stranger(n),
}


class Stranger:
    """Memory of somebody's, who has methods that NumPy would call."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return self.values

    def take(self, *args, **kwargs):
        raise AssertionError("a method of the argument was asked")

    all = any = repeat = squeeze = swapaxes = transpose = diagonal = choose = compress = take


def mapped(values, path):
    made = np.memmap(path, values.dtype, "w+", shape=values.shape)
    made[...] = values
    return made


@pytest.mark.parametrize("kind", SUBJECTS)
def test_what_is_given_as_memory_of_others_gives_ours_and_stays_as_it_is(kind, tmp_path):
    ran = set()
    for call in CALLS:
        n = np.array(numbers((4, 4)))
        before = n.copy()
        given = SUBJECTS[kind](n, tmp_path)
        theirs = Run(numpys(call), n.tolist() if kind == "list" else n.copy())()
        if theirs.error is not None or writes(call) or "like=x" in call or "x." in call or "x[" in call:
            continue
        if kind in ("list", "stranger") and Run(numpys(call), n.tolist())().error is not None:
            continue  # it does arithmetic with its x
        ours = Run(call, given)()
        assert ours.error is None, (call, ours.error)
        same(ours.result, theirs.result)
        results = list(arrays_in(ours.result, cowarray.ndarray))
        for result in results:
            if result.flags.writeable:
                result[...] = 1
        np.testing.assert_array_equal(n, before)
        if isinstance(given, np.ndarray):
            np.testing.assert_array_equal(given, before)
            held = [value(result) for result in results]
            given[...] = 99
            for result, values in zip(results, held, strict=True):
                np.testing.assert_array_equal(value(result), values)
        ran.add(call.partition("(")[0])
    assert len(ran) > 70, len(ran)


@pytest.mark.parametrize("name", ["copyto", "place", "put", "put_along_axis", "putmask", "fill_diagonal"])
def test_writers_write_into_numpys_arrays_too(name):
    arguments = {
        "copyto": ([7.0],),
        "place": (cowarray.asarray(np.eye(4) > 0), [8.0, 9.0]),
        "put": ([0, 1], cowarray.asarray([5.0, 6.0])),
        "put_along_axis": (np.zeros((1, 4), int), 7.0, 0),
        "putmask": (np.eye(4) > 0, 3.0),
        "fill_diagonal": (4.0,),
    }[name]
    ours, theirs = np.zeros((4, 4)), np.zeros((4, 4))
    assert getattr(cowarray, name)(ours, *arguments) is None
    getattr(np, name)(theirs, *[value(each) if type(each) is cowarray.ndarray else each for each in arguments])
    np.testing.assert_array_equal(ours, theirs)
    assert theirs.any()


@pytest.mark.parametrize("call", ["take(x, [1], out=out)", "all(x, 0, out)", "concat([x, x], out=out)"])
def test_out_is_what_comes_back_whosever_it_is(call, tmp_path):
    x = cowarray.arange(3.0)
    shape = {"take": (1,), "all": (), "concat": (6,)}[call.partition("(")[0]]
    for out in (cowarray.zeros(shape), np.zeros(shape), np.memmap(tmp_path / "out", float, "w+", shape=shape or (1,))):
        given = out.reshape(()) if shape == () and type(out) is np.memmap else out
        assert eval(f"cowarray.{call}", {"cowarray": cowarray, "x": x, "out": given}) is given
        same(
            cowarray.array(given), np.array(eval(f"np.{call}", {"np": np, "x": np.arange(3.0), "out": np.zeros(shape)}))
        )


def test_a_mask_stays_a_mask():
    masked = np.ma.masked_array([1.0, 2.0, 3.0], [False, True, False])
    for result in (cowarray.flip(masked), cowarray.take(masked, [0, 1]), cowarray.reshape(masked, (3, 1))):
        assert type(result) in (np.ma.MaskedArray, cowarray.ndarray)
    assert cowarray.flip(masked).mask.tolist() == [False, True, False]


def test_elements_of_what_is_broadcast_cannot_be_written():
    x = cowarray.arange(3.0)
    for result in (*cowarray.broadcast_arrays([1], x)[:1], cowarray.broadcast_to(5, 3), cowarray.broadcast_to(x, 3)):
        assert not result.flags.writeable


@pytest.mark.parametrize("space", [cowarray, np])
def test_what_needs_no_broadcasting_can_be_written(space):
    x, row = cowarray.zeros((2, 3)), cowarray.zeros(3)
    kept = x.copy()
    same, stretched = space.broadcast_arrays(x, row)
    assert (same.flags.writeable, stretched.flags.writeable) == (True, False)
    same[0, 0] = 5
    assert (x[0, 0], kept[0, 0]) == (5, 0)
    alone, other = space.broadcast_arrays(x, cowarray.ones((2, 3)))
    assert alone.flags.writeable
    assert other.flags.writeable
    assert alone.storage is x.storage
    x.flags.writeable = False
    assert not space.broadcast_arrays(x, row)[0].flags.writeable
    number, vector = space.broadcast_arrays(cowarray.array(1.0), row)
    assert (number.flags.writeable, vector.flags.writeable) == (False, True)


def test_fresh_memory_is_taken_over_without_a_copy():
    calls = [
        lambda: cowarray.zeros((100, 100)),
        lambda: cowarray.arange(1000),
        lambda: cowarray.full((10, 10), 3),
        lambda: cowarray.eye(50),
        lambda: cowarray.linspace(0, 1, 1000),
        lambda: cowarray.concat([np.zeros(1000), np.ones(1000)]),
        lambda: cowarray.take(np.zeros(1000), [1, 2]),
        lambda: cowarray.indices((30, 30)),
    ]
    for call in calls:
        cowarray.reset_stats()
        result = call()
        assert type(result) is cowarray.ndarray
        assert cowarray.stats()["bytes_copied"] == 0
        result[...] = 1
        assert cowarray.stats()["bytes_copied"] == 0


def test_the_same_array_twice_is_one_storage():
    first, second = cowarray.diag_indices(3)
    assert first.storage is second.storage


# ---- the ways of the standard ----------------------------------------------------------------------------------------


def test_shapes_may_be_lists():
    x = cowarray.arange(6)
    for result in (
        cowarray.zeros([2, 3]),
        cowarray.ones([2, 3]),
        cowarray.empty([2, 3]),
        cowarray.full([2, 3], 1),
        cowarray.reshape(x, [2, 3]),
        cowarray.broadcast_to(x[:3], [2, 3]),
        cowarray.zeros_like(x, shape=[2, 3]),
        cowarray.resize(x, [2, 3]),
        x.reshape([2, 3]),
    ):
        assert result.shape == (2, 3)


def test_several_results_are_tuples_or_lists_as_numpys():
    x = cowarray.ones((2, 2))
    for name in ("unstack", "broadcast_arrays", "meshgrid", "atleast_1d"):
        given = [x[0], x] if name in ("meshgrid", "atleast_1d") else [x]
        result = getattr(cowarray, name)(*([x[0], x[1]] if name == "meshgrid" else given))
        assert type(result) is tuple
        assert all(type(each) is cowarray.ndarray for each in result)
    assert type(cowarray.split(x, 2)) is list


def test_reshape_without_a_copy_is_a_view_or_an_error():
    x = cowarray.arange(6)
    view = cowarray.reshape(x, (2, 3), copy=False)
    assert view.storage is x.storage
    view[0, 0] = 9
    assert x[0] == 9
    with pytest.raises(ValueError, match="avoid creating a copy"):
        cowarray.reshape(view.T, 6, copy=False)
    copy = cowarray.reshape(x, (2, 3), copy=True)
    assert copy.storage is not x.storage


def test_astype_knows_its_device_and_its_own():
    x = cowarray.arange(3.0)
    assert cowarray.astype(x, float, copy=False) is x
    assert cowarray.astype(x, cowarray.int8, device="cpu").dtype == np.int8
    assert cowarray.shares_bytes(cowarray.astype(x, float), x)
    with pytest.raises(ValueError, match="cuda"):
        cowarray.astype(x, float, device="cuda")


def test_a_requirement_that_every_copy_meets_costs_nothing():
    n = np.arange(1000.0)
    n.flags.writeable = False
    x = cowarray.asarray(n)
    x.setflags(write=False)
    for requirements in ("W", ["W", "O"], ["C", "WRITEABLE", "OWNDATA"], None):
        result = cowarray.require(x, None, requirements)
        assert result.flags.writeable
        assert cowarray.shares_bytes(result, x)
        result[0] = 5
    assert n[0] == 0
    with pytest.raises(KeyError):
        cowarray.require(x, None, ["NONSENSE"])


def test_dtypes_and_constants_are_numpys_own():
    types = [name for name in _data_types.__all__ if name not in FUNCTIONS]
    assert len(types) > 40
    for name in (*types, *_constants.__all__):
        assert getattr(cowarray, name) is getattr(np, name)
    assert cowarray.float32(1.5).dtype == np.float32


def test_limits_of_dtypes_are_those_of_arrays_of_them():
    for x in (cowarray.zeros(2, "f4"), np.zeros(2, "f4"), np.dtype("f4"), "f4", np.float32(2)):
        assert cowarray.finfo(x) is np.finfo(np.float32)
    for x in (cowarray.zeros(2, "i2"), np.zeros(2, "i2"), np.dtype("i2"), np.int16):
        assert cowarray.iinfo(x).max == 2**15 - 1
    assert (cowarray.finfo(np.float64).eps * cowarray.ones(2, "f4")).dtype == np.float64
    for function in (cowarray.finfo, cowarray.iinfo):
        with pytest.raises((TypeError, ValueError)):
            function(cowarray.array(["text"]))


def test_the_namespace_tells_what_it_is():
    x = cowarray.arange(3)
    assert x.__array_namespace__() is cowarray.array_api
    assert x.__array_namespace__(api_version=None) is cowarray.array_api
    for version in ("2021.12", "2022.12", "2023.12", "2024.12", cowarray.__array_api_version__):
        assert x.__array_namespace__(api_version=version) is cowarray.array_api
    for wrong in ("2020.01", "", 5):
        with pytest.raises(ValueError, match="__array_namespace__"):
            x.__array_namespace__(api_version=wrong)
    with pytest.raises(TypeError):
        x.__array_namespace__("2024.12")
    info = cowarray.__array_namespace_info__()
    assert info.devices() == [x.device]
    assert info.default_device() == x.device
    assert info.capabilities()["max dimensions"] == 64
    assert info.dtypes(kind="bool") == {"bool": cowarray.bool}
    assert info.default_dtypes()["indexing"] == cowarray.argsort(x).dtype if hasattr(cowarray, "argsort") else True
    assert _inspection.__array_api_version__ >= "2024.12"
    assert x.to_device("cpu") is x
