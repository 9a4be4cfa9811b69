"""polars takes our arrays as columns."""

import pytest
from client_uses import COPIES, NEEDS_ASARRAY, SILENT, Client, check, use, uses

CLIENTS = [
    Client(
        "polars",
        "polars",
        "import polars as pl",
        [
            *uses(
                "pl.Series(b)",
                "pl.Series(t).dt.day()",
                "pl.DataFrame({'x': x, 'n': n}).group_by('n').agg(pl.col('x').sum()).sort('n')",
                "pl.from_numpy(m)",
                "np.exp(pl.Series(x))",
                "pl.Series(np.arange(12.0)).filter(pl.Series(b))",
                "pl.Series(n).is_in(n[:3])",
                "pl.DataFrame({'x': x}).filter(pl.Series(b))",
                "pl.Series(z.real)",
            ),
            *uses(
                "pl.Series(x)",
                "pl.Series('n', n)",
                "pl.DataFrame({'x': x, 'n': n})",
                "pl.DataFrame({'a': np.zeros(12)}).with_columns(a=pl.Series(x))",
                "pl.Series(f)",
                verdict=COPIES,
            ),
            use("pl.DataFrame(m)", NEEDS_ASARRAY, "pl.DataFrame(np.asarray(m))"),
            use("pl.Series(x) + x", NEEDS_ASARRAY, "pl.Series(np.asarray(x)) + np.asarray(x)"),
            use("x + pl.Series(np.arange(12.0))", NEEDS_ASARRAY, "np.asarray(x) + pl.Series(np.arange(12.0))"),
            use(
                "pl.DataFrame({'a': np.zeros(12)}).with_columns(a=x)",
                NEEDS_ASARRAY,
                "pl.DataFrame({'a': np.zeros(12)}).with_columns(a=np.asarray(x))",
            ),
            use("pl.Series(x, dtype=pl.Float32)", SILENT, "pl.Series(np.asarray(x), dtype=pl.Float32)"),
            use("pl.Series(m).shape", NEEDS_ASARRAY, "pl.Series(np.asarray(m)).shape"),
            use("pl.select(pl.lit(x)).to_series()", NEEDS_ASARRAY, "pl.select(pl.lit(np.asarray(x))).to_series()"),
        ],
    ),
    Client(
        "polars, after cowarray.register()",
        "polars",
        """
        import polars as pl
        cowarray.register()
        """,
        [
            *uses(
                "pl.DataFrame(m)",
                "pl.Series(x) + x",
                "x + pl.Series(np.arange(12.0))",
                "pl.Series(x, dtype=pl.Float32)",
                "pl.Series(m).shape",
                "pl.Series(b)",
                "pl.Series(t).dt.day()",
                "pl.DataFrame({'x': x, 'n': n}).group_by('n').agg(pl.col('x').sum()).sort('n')",
                "pl.from_numpy(m)",
                "np.exp(pl.Series(x))",
                "pl.Series(np.arange(12.0)).filter(pl.Series(b))",
                "pl.Series(n).is_in(n[:3])",
                "pl.DataFrame({'x': x}).filter(pl.Series(b))",
                "pl.Series(z.real)",
                "pl.DataFrame({'x': x}).filter(b)",
                "pl.Series(x) > y",
                "pl.DataFrame({'x': x}).with_columns(pl.col('x') * y)",
                "pl.Series([x, y])",
                "pl.DataFrame({'n': n})[n]",
            ),
            *uses(
                "pl.DataFrame({'a': np.zeros(12)}).with_columns(a=x)",
                "pl.select(pl.lit(x)).to_series()",
                "pl.Series(x)",
                "pl.Series('n', n)",
                "pl.DataFrame({'x': x, 'n': n})",
                "pl.DataFrame({'a': np.zeros(12)}).with_columns(a=pl.Series(x))",
                "pl.Series(f)",
                verdict=COPIES,
            ),
        ],
    ),
]


@pytest.mark.parametrize("client", CLIENTS, ids=str)
def test_polars(client):
    check(__name__, client)
