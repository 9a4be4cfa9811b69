"""What `cowarray.register()` does for data frames and Arrow: a program for each library."""

EFFECTS = {
    "pandas": """
        import pandas as pd
        copy, where = x.copy(), x > 1.5
        frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [4.0, 5.0, 6.0]})
        for rows in (frame[where], frame.loc[where], frame.iloc[where], frame[["a", "b"]].iloc[where, [0, 1]]):
            assert rows.a.tolist() == [2, 3]
        assert frame.a[where].tolist() == frame.a.iloc[where].tolist() == [2, 3]
        ones = cowarray.ones((3, 2))
        assert frame.groupby(where).b.sum().tolist() == [4, 11]
        assert frame.groupby([where, "a"]).b.sum().tolist() == [4, 5, 6]
        assert frame.set_index(x).loc[2.0, "b"] == 5
        assert frame.merge(frame, left_on=x, right_on="a").b_y.tolist() == [4, 5, 6]
        assert (frame * ones).equals(frame) and frame.eq(ones).a.tolist() == [True, False, False]
        square = frame.assign(b=[7, 8, 9]), cowarray.array([[1, 2], [3, 4], [5, 6]])
        for chosen in (square[0].where(square[1] > 9, square[1]), square[0].mask(square[1] < 9, other=square[1])):
            assert chosen.values.tolist() == [[1, 2], [3, 4], [5, 6]]
        days = cowarray.array(["2020-01-01", "2020-01-03"], dtype="M8[ns]")
        assert pd.Series(days).searchsorted(days).tolist() == [0, 1]
        drawn = [frame.a.sample(2, random_state=each).tolist() for each in (where, np.array(where))]
        assert drawn[0] == drawn[1]
        assert pd.factorize(x)[0].tolist() == [0, 1, 2] and pd.unique(x).tolist() == [1, 2, 3]
        assert pd.Index(x).delete(cowarray.array([0, 1])).tolist() == [3] and pd.array(x)[where].tolist() == [2, 3]
        assert list(pd.DataFrame.from_records(cowarray.array([(1, 2.0)], dtype="i4,f8"))) == ["f0", "f1"]
        assert list(pd.DataFrame(cowarray.array([(1, 2.0)], dtype="i4,f8"))) == ["f0", "f1"]
        frame.loc[where, "a"] = x[where] * 10
        assert frame.a.tolist() == [1, 20, 30] and x.tolist() == copy.tolist() == [1, 2, 3]
        for function in (pd.factorize, pd.unique, pd.merge, pd.DataFrame.groupby):
            assert pickle.loads(pickle.dumps(function)) is function
    """,
    "polars": """
        import polars as pl
        gaps, where, number = cowarray.array([1, np.nan, 3]), x > 1.5, cowarray.array([0, 2])
        assert pl.Series(gaps, nan_to_null=True).to_list() == [1, None, 3]
        assert pl.Series(x, dtype=pl.Float32).dtype == pl.Float32
        frame = pl.DataFrame({"x": x})
        assert frame[number]["x"].to_list() == [1, 3] and frame.filter(where)["x"].to_list() == [2, 3]
        assert frame.lazy().filter(where).collect()["x"].to_list() == [2, 3]
        assert frame["x"].search_sorted(x).to_list() == [0, 1, 2]
        added, doubled = frame.select(pl.col("x") + x)["x"], frame.select(pl.lit(x) * 2)["literal"]
        for sums in (frame["x"] + x, x + frame["x"], added, doubled):
            assert sums.to_list() == [2, 4, 6]
        assert frame.with_columns(y=x)["y"].to_list() == [1, 2, 3] and pl.DataFrame(x.reshape(3, 1)).shape == (3, 1)
        series, copy = pl.Series(x), x.copy()
        x[0] = 9
        assert series.to_list() == copy.tolist() == [1, 2, 3]
        assert pl.from_records([copy, copy]).shape == (3, 2)
        for nest in (
            *(lambda n: pl.DataFrame([{"a": n}] * 2), lambda n: pl.from_dicts([{"a": n}] * 2)),
            *(lambda n: pl.DataFrame([[n, 1]] * 2, orient="row"), lambda n: pl.DataFrame({"a": [{"b": {"c": n}}]})),
            *(lambda n: pl.Series([[n], [n]]).to_frame(), lambda n: pl.Series([(n, n)]).to_frame()),
            lambda n: pl.select(pl.lit({"a": n})),
        ):
            assert nest(copy).equals(nest(np.array(copy))) and nest(copy).schema == nest(np.array(copy)).schema
        for function in (pl.lit, pl.from_records, pl.from_dicts):
            assert pickle.loads(pickle.dumps(function)) is function
    """,
    "pyarrow": """
        import pyarrow as pa
        gaps, where = cowarray.array([1, np.nan, 3]), x > 1.5
        assert pa.array(gaps, from_pandas=True).to_pylist() == [1, None, 3]
        assert pa.array(x, mask=where).to_pylist() == pa.array(np.array(x), mask=where).to_pylist() == [1, None, None]
        assert pa.array([x, x]).to_pylist() == [[1, 2, 3]] * 2
        swapped = cowarray.array([1, 2, 3], dtype=">i4")  # of NumPy's it takes none
        for nest in (
            *(lambda n: [{"a": n}] * 2, lambda n: [[n], [n]], lambda n: [(n,)], lambda n: [{"a": {"b": [n]}}]),
            lambda n: [[swapped if n is x else n]],
        ):
            assert pa.array(nest(x)).to_pylist() == pa.array(nest(np.array(x))).to_pylist()
        assert pa.scalar(x).as_py() == pa.scalar({"a": x})["a"].as_py() == [1, 2, 3]
        own = []
        own.append(own)
        assert cowarray._tools.frameless.numpys(own) is own
        kept, copy = pa.array(x), x.copy()
        x[0] = 9
        assert kept.to_pylist() == copy.tolist() == [1, 2, 3]
        assert pa.array(swapped).to_pylist() == [1, 2, 3] and pa.array(swapped, mask=where)[2].as_py() is None
        with cowarray.aliasing():
            assert pa.array(swapped, pa.int64()).to_pylist() == [1, 2, 3]
        numbers, table = pa.array([1, 2, 3]), pa.table({"x": x})
        assert numbers.filter(where).to_pylist() == [2, 3]
        assert numbers.take(cowarray.array([0, 2])).to_pylist() == [1, 3]
        assert table.filter(where)["x"].to_pylist() == [2, 3]
        import pyarrow.compute as pc
        assert pc.add(x, numbers).to_pylist() == pc.add(numbers, np.array(x)).to_pylist()
        assert pc.quantile(copy, q=cowarray.array([0.5])).to_pylist() == [2]
        assert pc.call_function("add", [copy, numbers]).to_pylist() == pc.add(copy, numbers).to_pylist() == [2, 4, 6]
        for function in (pa.array, pa.scalar, pc.add, pc.call_function):
            assert pickle.loads(pickle.dumps(function)) is function
    """,
}
