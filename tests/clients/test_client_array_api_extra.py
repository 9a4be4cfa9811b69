"""array-api-extra computes with our arrays by their namespace."""

import pytest
from client_uses import Client, check, uses

CLIENTS = [
    Client(
        "array-api-extra",
        "array_api_extra",
        "import array_api_extra as xpx",
        [
            *uses(
                "xpx.at(x, 0).set(7.0)",
                "xpx.at(x, 0).set(7.0, copy=True)",
                "xpx.at(x)[b].add(1.0)",
                "xpx.at(x)[2:5].multiply(2.0, copy=False); x",
                "xpx.atleast_nd(x, ndim=2)",
                "xpx.cov(m.T)",
                "xpx.create_diagonal(v)",
                "xpx.expand_dims(x, axis=(0, 2))",
                "xpx.isclose(x, y)",
                "xpx.kron(v, v)",
                "xpx.nunique(n)",
                "xpx.one_hot(labels, 2)",
                "xpx.pad(x, 2)",
                "xpx.setdiff1d(n, n[:3])",
                "xpx.sinc(x)",
                "xpx.apply_where(b, (x, y), lambda a, c: a + c, lambda a, c: a - c)",
                "xpx.argpartition(x, 3)[3]",
                "xpx.lazy_apply(np.sort, x, as_numpy=True)",
                "xpx.partition(x, 3)[3]",
                "xpx.searchsorted(n[:2], n)",
                "xpx.isin(n, n[:3])",
            ),
        ],
        distribution="array-api-extra",
    ),
]


@pytest.mark.parametrize("client", CLIENTS, ids=str)
def test_array_api_extra(client):
    check(__name__, client)
