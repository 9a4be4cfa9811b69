"""bottleneck's fast functions take our arrays."""

import pytest
from client_uses import NEEDS_LEND, Client, check, use, uses

CLIENTS = [
    Client(
        "bottleneck",
        "bottleneck",
        "import bottleneck as bn",
        [
            *uses(
                "bn.nansum(x)",
                "bn.nanmean(m, axis=0)",
                "bn.nanstd(x)",
                "bn.nanmedian(x)",
                "bn.move_mean(x, 3)",
                "bn.move_max(m, 2, axis=0)",
                "bn.rankdata(x)",
                "bn.nanargmax(x)",
                "bn.partition(x, 3)",
                "bn.argpartition(x, 3)",
                "bn.push(x)",
                "bn.anynan(x)",
                "bn.ss(x)",
                "bn.nansum(f)",
            ),
            use("bn.replace(x, 0.0, 7.0)", NEEDS_LEND, "bn.replace(x.to_numpy(writable=True), 0.0, 7.0)"),
            use("bn.replace(n, 5, 0)", NEEDS_LEND, "bn.replace(n.to_numpy(writable=True), 5, 0)"),
        ],
    ),
]


@pytest.mark.parametrize("client", CLIENTS, ids=str)
def test_bottleneck(client):
    check(__name__, client)
