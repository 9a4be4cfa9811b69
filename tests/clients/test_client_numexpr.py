"""numexpr evaluates expressions of our arrays."""

import pytest
from client_uses import NEEDS_LEND, Client, check, use, uses

CLIENTS = [
    Client(
        "numexpr",
        "numexpr",
        "import numexpr as ne",
        [
            *uses(
                "left, right = x, y; ne.evaluate('2 * left + sin(right)')",
                "ne.evaluate('a > c', {'a': x, 'c': y})",
                "ne.evaluate('sum(a)', {'a': x})",
                "ne.evaluate('where(b, x, y)', {'b': b, 'x': x, 'y': y})",
                "ne.evaluate('a * 2', {'a': m})",
                "ne.evaluate('a * 2', {'a': m.T})",
                "ne.evaluate('a ** 2', {'a': n})",
                "ne.evaluate('a + 1', {'a': f})",
                "ne.evaluate('a * 2', {'a': z})",
                "ne.evaluate('a', {'a': x})",
                "ne.NumExpr('a + b')(x, y)",
            ),
            use(
                "ne.evaluate('a + 1', {'a': x}, out=out)",
                NEEDS_LEND,
                "ne.evaluate('a + 1', {'a': x}, out=out.to_numpy(writable=True))",
            ),
        ],
    ),
]


@pytest.mark.parametrize("client", CLIENTS, ids=str)
def test_numexpr(client):
    check(__name__, client)
