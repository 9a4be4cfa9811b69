"""pandas takes our arrays as columns."""

import pytest
from client_uses import COPIES, NEEDS_ASARRAY, NEEDS_LEND, Client, check, use, uses

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
]


@pytest.mark.parametrize("client", CLIENTS, ids=str)
def test_pandas(client):
    check(__name__, client)
