"""pandas takes our arrays as columns."""

import pytest
from client_uses import COPIES, NEEDS_ASARRAY, NEEDS_LEND, SILENT, Client, check, use, uses

CLIENTS = [
    Client(
        "pandas",
        "pandas",
        "import pandas as pd",
        [
            *uses(
                "pd.Series(x)",
                "pd.Series(x).rolling(3).mean()",
                "pd.DataFrame({'x': x, 'n': n, 'b': b, 't': t})",
                "pd.DataFrame(m, columns=list('abc'))",
                "pd.DataFrame(m).describe()",
                "pd.DataFrame({'n': n, 'x': x}).groupby('n')['x'].sum()",
                "pd.DatetimeIndex(t)",
                "pd.Series(np.arange(12.0)) + x",
                "x + pd.Series(np.arange(12.0))",
                "np.add(x, pd.Series(np.arange(12.0)))",
                "pd.cut(x, 3, labels=False)",
                "pd.Categorical(n).codes",
                "pd.isna(x)",
                "pd.to_datetime(t)",
                "pd.concat([pd.Series(x), pd.Series(y)]).to_numpy()",
                "frame = pd.DataFrame({'a': np.zeros(12)}); frame['a'] = x; frame",
                "pd.array(n).to_numpy()",
                "pd.Series(n).map({1: 10, 3: 30})",
                "frame = pd.DataFrame(m); frame.iloc[0, 0] = 7; frame",
                "pd.Series(list('abcdefghijkl'), index=n)",
                "pd.Series(x).to_numpy()",
                "pd.Series(x).clip(lower=0)",
                "pd.Series(t).dt.month",
                "pd.Series(x).where(b)",
                "pd.Series(x).iloc[n]",
                "pd.DataFrame(m) @ m.T",
                "pd.DataFrame({'n': n, 'x': x}).pivot_table(index='n', values='x')",
                "pd.merge(pd.DataFrame({'n': n[:4], 'x': x[:4]}), pd.DataFrame({'n': n[3:6], 'y': y[3:6]}), on='n')",
                "pd.crosstab(n, labels)",
                "pd.read_csv(__import__('io').StringIO(pd.DataFrame(m).to_csv(index=False)))",
                "pd.Index(x).get_indexer(x)",
            ),
            *uses(
                "pd.Series(x, copy=False)",
                "pd.DataFrame(m, copy=False)",
                verdict=COPIES,
            ),
            use("pd.Series(x).iloc[b]", SILENT, "pd.Series(x).iloc[np.asarray(b)]"),
            use(
                "series = pd.Series(x); series[0] = 7; series",
                NEEDS_ASARRAY,
                "series = pd.Series(np.array(x)); series[0] = 7; series",
            ),
            use("pd.Series(x)[b]", NEEDS_ASARRAY, "pd.Series(x)[np.asarray(b)]"),
            use("pd.factorize(n)", NEEDS_ASARRAY, "pd.factorize(np.asarray(n))"),
            use("pd.unique(n)", NEEDS_ASARRAY, "pd.unique(np.asarray(n))"),
            use(
                "frame = pd.DataFrame({'a': np.zeros(12)}); frame.loc[b, 'a'] = x[b]; frame",
                NEEDS_ASARRAY,
                "frame = pd.DataFrame({'a': np.zeros(12)}); frame.loc[np.asarray(b), 'a'] = x[np.asarray(b)]; frame",
            ),
            use(
                "series = pd.Series(x, copy=False); series[0] = 7; series",
                NEEDS_LEND,
                """
                with cowarray.lend(x):
                    series = pd.Series(x, copy=False)
                    series[0] = 7
                    series
                """,
            ),
        ],
    ),
    Client(
        "pandas, after cowarray.register()",
        "pandas",
        """
        import pandas as pd
        cowarray.register()
        """,
        uses(
            "pd.Series(x)[b]",
            "pd.Series(x).loc[b]",
            "pd.Series(x).iloc[b]",
            "pd.Series(x).iloc[n]",
            "pd.DataFrame(m)[b]",
            "pd.DataFrame(m).iloc[b, [0, 2]]",
            "pd.DataFrame(m).iloc[n, labels[:2]]",
            "frame = pd.DataFrame({'a': np.zeros(12)}); frame.loc[b, 'a'] = x[b]; frame",
            "frame = pd.DataFrame({'a': np.zeros(12)}); frame['a'] = x; frame",
            "frame = pd.DataFrame(m); frame[m > 0] = 0; frame",
            "series = pd.Series(y); series[b] = x[b]; series",
            "series = pd.Series(y); series[0] = 7; series",
            "pd.Series(np.arange(12.0), index=n)[4]",
            "pd.DataFrame(np.zeros_like(x, dtype=[('a', int), ('b', float)]))",
            "pd.DataFrame(m).groupby(n % 3).sum()",
            "pd.DataFrame(m).groupby([n % 3, labels]).mean()",
            "pd.Series(x).groupby(labels).max()",
            "pd.DataFrame(m).set_index(n)",
            "pd.DataFrame(m).merge(pd.DataFrame({'k': n}), left_on=n, right_on='k').shape",
            "pd.DataFrame({'x': x, 'n': n}).pivot_table(index=labels, columns='n', values='x', aggfunc='sum')",
            "pd.DataFrame(m) * m",
            "m * pd.DataFrame(m)",
            "pd.DataFrame(m) > m.T[:, :3].mean()",
            "pd.DataFrame(m).add(m).eq(2 * m)",
            "pd.factorize(n)[0]",
            "pd.unique(n)",
            "pd.Index(n).delete(labels)",
            "pd.array(n)[b].to_numpy()",
            "pd.date_range('2026', periods=12)[b]",
            "pd.Categorical(n)[b].codes",
        ),
    ),
]


@pytest.mark.parametrize("client", CLIENTS, ids=str)
def test_pandas(client):
    check(__name__, client)
