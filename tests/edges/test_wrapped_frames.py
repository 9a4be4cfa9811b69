"""A wrapped Series or DataFrame is a snapshot, which pandas copies before it writes, whatever its columns lie on."""

import re
import sysconfig

import numpy as np
import pytest
from support.sources import ROOT

import cowarray

pd = pytest.importorskip("pandas", reason="pandas is not installed; it comes with cowarray[producers]")

from pandas_writes import FRAME_WRITES, SERIES_WRITES, run  # noqa: E402

HAS_GIL = not sysconfig.get_config_var("Py_GIL_DISABLED")


def numbers():
    return pd.DataFrame({"a": [3.0, 1.0, np.nan, 2.0], "b": [1.0, 2.0, 3.0, 4.0], "c": [9.0, 8.0, 7.0, 6.0]})


def mixed():
    return pd.DataFrame(
        {
            "f": np.arange(3.0),
            "g": np.arange(3.0),
            "i": np.arange(3),
            "text": list("abc"),
            "masked": pd.array([1, 2, None], dtype="Int64"),
            "kind": pd.Categorical(list("aba")),
            "time": pd.date_range("2020", periods=3),
            "zoned": pd.date_range("2020", periods=3, tz="CET"),
            "any": pd.Series([1, "a", None], dtype=object),
            "complex": np.ones(3, complex),
        },
        index=pd.Index(list("xyz"), name="key"),
    )


@pytest.mark.parametrize("own", [False, True], ids=["pandas' memory", "an array's memory"])
@pytest.mark.parametrize("line", SERIES_WRITES + FRAME_WRITES)
def test_pandas_writes_to_one_side_and_the_other_does_not_see_it(line, own):
    obj = numbers()
    if own:
        obj = pd.DataFrame({name: cowarray.array(obj[name].to_numpy()) for name in obj}, copy=False)
        obj = cowarray.wrap(obj)
    if line in SERIES_WRITES:
        obj = obj["a"].copy(deep=False)
    before = obj.copy()
    wrapped = cowarray.wrap(obj)
    same = pd.testing.assert_series_equal if obj.ndim == 1 else pd.testing.assert_frame_equal
    written = run(line, obj)
    same(wrapped, before)
    expected = run(line, before)
    same(written, expected)
    kept = cowarray.wrap(wrapped)
    same(run(line, wrapped), expected)
    same(run(line, kept), expected)


def test_every_kind_of_column_is_a_snapshot():
    df = mixed()
    before = df.copy()
    wrapped = cowarray.wrap({"all": [df]})["all"][0]
    pd.testing.assert_frame_equal(wrapped, before)
    for name in df:
        df.loc["x", name] = df.loc["y", name]
        df[name].array[2] = df[name].iloc[1]
    pd.testing.assert_frame_equal(wrapped, before)
    changed = df.copy()
    for name in wrapped:
        wrapped.loc["y", name] = wrapped.loc["z", name]
    pd.testing.assert_frame_equal(df, changed)


@pytest.mark.skipif(not HAS_GIL, reason="without a GIL what pandas has is copied")
def test_what_pandas_guards_is_not_copied():
    df = numbers()
    wrapped = cowarray.wrap(df)
    assert np.shares_memory(df.to_numpy(), wrapped.to_numpy())
    given = np.arange(5.0)
    df = pd.DataFrame({"a": given}, copy=False)
    wrapped = cowarray.wrap(df)
    given[0] = 9
    assert wrapped["a"].tolist() == [0, 1, 2, 3, 4]
    handle = (s := pd.Series([1.0, 2.0])).array
    wrapped = cowarray.wrap(s)
    handle[0] = 9
    assert wrapped.tolist() == [1, 2]


def test_a_column_on_an_array_is_written_to_without_a_copy_first():
    x = cowarray.array(np.arange(1000.0))
    with cowarray.no_copy():
        df = cowarray.wrap(pd.DataFrame({"a": x}, copy=False))
        back = cowarray.asarray(df["a"])
    assert np.shares_memory(df["a"].to_numpy(), x.to_numpy())
    assert cowarray.shares_bytes(back, x)
    x[0] = -1
    assert df.loc[0, "a"] == 0
    df.loc[1, "a"] = -2
    address = df["a"].to_numpy().ctypes.data
    df.loc[2, "a"] = -3
    assert df["a"].to_numpy().ctypes.data == address  # pandas' own by now
    assert df["a"].tolist()[:4] == [0, -2, -3, 3]
    assert x.tolist()[:4] == [-1, 1, 2, 3]
    assert back.tolist()[:4] == [0, 1, 2, 3]


def test_a_map_opened_for_reading_becomes_a_writable_column(tmp_path):
    np.save(tmp_path / "n.npy", np.arange(1000.0))
    mapped = np.load(tmp_path / "n.npy", mmap_mode="r")
    column = pd.Series(mapped, copy=False)
    with pytest.raises(ValueError, match="read-only"):
        column.iloc[0] = 5
    wrapped = cowarray.wrap(column)
    assert np.shares_memory(wrapped.to_numpy(), mapped)
    wrapped.iloc[0] = 5
    assert wrapped.tolist()[:2] == [5, 1]
    assert mapped[0] == 0


def test_what_is_derived_of_such_a_column_is_copied_before_a_write_too():
    wrapped = cowarray.wrap(pd.Series(cowarray.array(np.arange(1000.0)), copy=False))
    parts = [wrapped[10:], wrapped.rename("b"), wrapped.to_frame(), wrapped.copy(deep=False)]
    del wrapped
    for part in parts:
        if part.ndim == 1:
            part.iloc[0] = -1
        else:
            part.iloc[0, 0] = -1
    assert [part.to_numpy().ravel()[:2].tolist() for part in parts] == [[-1, 11], [-1, 1], [-1, 1], [-1, 1]]


def test_a_subclass_and_an_index_are_what_they_were():
    class Named(pd.Series):
        @property
        def _constructor(self):
            return Named

    given = Named([1.0, 2.0])
    wrapped = cowarray.wrap(given)
    given.iloc[0] = 5
    assert (type(wrapped), wrapped.tolist()) == (Named, [1, 2])
    index = pd.Index([1, 2])
    assert cowarray.wrap([index])[0] is index
    df = numbers()
    assert cowarray.to_numpy([df])[0] is df
    df.attrs["unit"] = "m"
    assert cowarray.wrap(df).attrs == {"unit": "m"}
    empty = cowarray.wrap(pd.DataFrame())
    assert empty.shape == (0, 0)


def test_the_example_of_the_page_is_so(capsys):
    (code,) = re.findall(r"^```python\n(import pandas.*?)^```", (ROOT / "docs" / "interop.md").read_text(), re.M | re.S)
    exec(code, {})
    assert capsys.readouterr().out == "[-1.  1.  2.] [3.0, 0.0, 2.0]\n[9.0, 2.0] [1. 2.]\n"
