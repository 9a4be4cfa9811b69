"""What pandas has is shared where pandas copies before it writes, and copied where somebody may write unseen."""

import subprocess
import sys
import sysconfig

import numpy as np
import pytest
from support.seeds import chosen_seed

import cowarray

pd = pytest.importorskip("pandas", reason="pandas is not installed; it comes with cowarray[producers]")

from pandas_writes import FRAME_WRITES, SERIES_WRITES, UNSEEN, run, run_world  # noqa: E402

# Without a GIL no count of references is exact, and everything is copied.
HAS_GIL = not sysconfig.get_config_var("Py_GIL_DISABLED")
needs_gil = pytest.mark.skipif(not HAS_GIL, reason="without a GIL what pandas has is copied")


def series():
    return pd.Series([3.0, 1.0, np.nan, 2.0, 5.0, 4.0])


def frame():
    return pd.DataFrame({"a": [3.0, 1.0, np.nan, 2.0], "b": [1.0, 2.0, 3.0, 4.0], "c": [9.0, 8.0, 7.0, 6.0]})


def shares(obj):
    x = cowarray.asarray(obj)
    return np.shares_memory(x.to_numpy(), obj.to_numpy())


@needs_gil
@pytest.mark.parametrize("dtype", ["f8", "i1", "?", "c16", "u4"])
def test_a_column_becomes_writable_without_a_copy(dtype):
    column = pd.Series(np.ones(1000, dtype))
    with cowarray.no_copy():
        x = cowarray.asarray(column)
    assert x.flags.writeable
    assert (x.dtype, x.tolist()) == (column.dtype, column.tolist())
    x[0] = 0
    assert column.all()
    assert not x.all()


@needs_gil
@pytest.mark.parametrize("line", SERIES_WRITES + FRAME_WRITES)
def test_pandas_copies_before_it_writes(line):
    obj = series() if line in SERIES_WRITES else frame()
    arrays = [cowarray.asarray(obj), cowarray.asarray(obj if obj.ndim == 1 else obj["a"])]
    assert np.shares_memory(arrays[0].to_numpy(), obj.to_numpy())
    assert np.shares_memory(*[x.to_numpy() for x in arrays])
    before = [np.array(x) for x in arrays]
    run(line, obj)
    for x, was in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(x, was)


def test_in_worlds_of_writes_nothing_is_seen_that_eager_copies_would_not_see():
    seed = chosen_seed()
    shared = sum(run_world(seed + i) for i in range(8))
    assert shared > 100 or not HAS_GIL


@pytest.mark.parametrize(
    "handle",
    [
        "s.array",
        "s.array[1:]",
        "s.values",
        "s.to_numpy()[2:]",
        "np.asarray(s)",
        "memoryview(s.values)",
        "pd.Series(s.array, copy=False)",
        "pd.array(s, copy=False)",
        "pd.Index(s)",
        "s.copy(deep=False).array",
        "s.iloc[1:].values",
        "s.to_frame().to_numpy()",
    ],
)
def test_what_somebody_else_can_reach_is_copied(handle):
    s = series()
    held = eval(handle)
    assert not shares(s)
    assert not shares(s.copy(deep=False))
    del held
    assert shares(s) == HAS_GIL


@pytest.mark.parametrize("make", [lambda n: pd.Series(n, copy=False), lambda n: pd.DataFrame({"a": n}, copy=False)])
def test_an_array_of_the_users_is_copied_while_he_has_it(make):
    given = np.arange(8.0)
    obj = make(given)
    x = cowarray.asarray(obj)
    given[0] = 99
    assert x.ravel()[0] == 0
    part = given[2:]
    del given
    assert not shares(obj)
    del part
    assert shares(obj) == HAS_GIL


@needs_gil
def test_what_is_written_unseen_later_is_a_risk_that_the_page_names():
    seen = 0
    for line in UNSEEN:
        s = pd.Series([3.0, 1.0, 2.0, 5.0])
        x = cowarray.asarray(s)
        run(line, s)
        seen += 99.0 in x.tolist()
        s = pd.Series([3.0, 1.0, 2.0, 5.0])
        x = cowarray.asarray(s, copy=True)
        run(line, s)
        assert x.tolist() == [3, 1, 2, 5]
    assert seen == len(UNSEEN), "a way is gone by which somebody could write unseen: tell so in docs/interop.md"


@needs_gil
@pytest.mark.parametrize("leave", ["drop", "write", "overwrite"])
def test_pandas_writes_in_place_again_once_nobody_shares(leave):
    s = pd.Series(np.arange(1000.0))
    memory = s._mgr.blocks[0].values.ctypes.data
    x = cowarray.asarray(s)
    if leave == "drop":
        del x
    elif leave == "write":
        x[3] = 1
    else:
        x[...] = 1
    s.iloc[0] = 7
    assert s._mgr.blocks[0].values.ctypes.data == memory
    assert s.iloc[0] == 7


@needs_gil
def test_shared_memory_outlives_what_it_came_from():
    s = pd.Series(np.arange(1000.0))
    x = cowarray.asarray(s)
    y = x[500:].copy()
    del s, x
    assert y.sum() == np.arange(500.0, 1000).sum()


@needs_gil
def test_a_small_part_is_copied_and_a_column_is_none():
    s = pd.Series(np.arange(100.0))
    assert [shares(part) for part in (s[10:20], s[20:], s[::2], s[::-1], s[::3])] == [False, True, True, True, False]
    many = pd.DataFrame({name: np.arange(100.0) for name in "abcdef"})
    assert shares(many)
    assert shares(many["b"])
    assert not shares(many["b"][:20])
    assert not shares(many[["b", "c"]])
    column = many["c"]
    del many
    assert not shares(column)  # it would keep the others


@needs_gil
def test_the_same_memory_is_shared_more_than_once():
    df = frame()
    others = [df.copy(deep=False), df["a"].astype(float), df.astype(float), df.rename(columns={"a": "z"})]
    arrays = [cowarray.asarray(obj) for obj in (df, df["a"], *others)]
    assert all(np.shares_memory(x.to_numpy(), df.to_numpy()) for x in arrays)


@pytest.mark.parametrize(
    "column",
    [
        ["a", "b"],
        pd.array([1, 2, 3], dtype="Int64"),
        pd.Categorical(["a", "b", "a"]),
        pd.date_range("2020", periods=3),
        pd.date_range("2020", periods=3, tz="CET"),
        pd.array([1.0, 0.0, 2.0], dtype="Sparse[float]"),
        pd.Series([1, "a"], dtype=object),
        pd.period_range("2020", periods=3, freq="D"),
    ],
    ids=str,
)
def test_other_columns_are_what_numpy_makes_of_them(column):
    s = pd.Series(column)
    before = s.copy()
    expected = np.asarray(s)
    x = cowarray.asarray(s)
    assert (x.dtype, x.tolist()) == (expected.dtype, expected.tolist())
    x[0] = x[1]
    pd.testing.assert_series_equal(s, before)


@needs_gil
def test_dtype_order_and_copy_mean_what_they_always_do():
    df = frame()
    assert cowarray.asarray(df, dtype="f4").dtype == "f4"
    assert shares(df)
    whole = cowarray.asarray(df, order="C")
    assert whole.flags.c_contiguous
    np.testing.assert_array_equal(whole, df.to_numpy())
    assert np.shares_memory(cowarray.asarray(df["a"], dtype="f8", order="C").to_numpy(), df.to_numpy())
    assert np.shares_memory(cowarray.asarray(df, copy=False).to_numpy(), df.to_numpy())
    assert not np.shares_memory(cowarray.asarray(df, copy=True).to_numpy(), df.to_numpy())
    with pytest.raises(ValueError, match="copy=False"):
        cowarray.asarray(df["a"], dtype="f4", copy=False)
    mixed = pd.DataFrame({"a": [1.5, 2.5], "b": [1, 2]})
    np.testing.assert_array_equal(cowarray.asarray(mixed), mixed.to_numpy())


def test_a_subclass_is_asked_for_its_array():
    class Doubled(pd.Series):
        def __array__(self, dtype=None, copy=None):
            return np.array(self.tolist(), dtype) * 2

    assert cowarray.asarray(Doubled([1.0, 2.0])).tolist() == [2, 4]


def test_inside_aliasing_a_column_is_an_alias_as_ever():
    s = series()
    with cowarray.aliasing():
        x = cowarray.asarray(s)
    assert not x.flags.writeable
    s.iloc[0] = 9
    assert x[0] == 9


def test_pandas_is_not_imported():
    code = (
        "import sys, cowarray; cowarray.wrap([1, cowarray.asarray(memoryview(b'a'))]); print('pandas' in sys.modules)"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "False\n"
