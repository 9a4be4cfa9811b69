"""numba compiles functions of our arrays: as buffers, and as arrays after cowarray.register()."""

import pytest
from client_uses import NEEDS_ASARRAY, NEEDS_LEND, Client, check, use, uses

CLIENTS = [
    Client(
        "numba",
        "numba",
        """
        import numba

        @numba.njit
        def total(a):
            s = 0.0
            for i in range(a.shape[0]):
                s += a[i]
            return s

        @numba.njit
        def norm(a):
            return np.sqrt((a * a).sum())

        @numba.njit
        def double(a):
            for i in range(a.shape[0]):
                a[i] *= 2

        @numba.njit
        def itself(a):
            return a

        @numba.njit(numba.float64(numba.float64[:]))
        def declared(a):
            return a[0] + a[-1]

        @numba.vectorize
        def plus(a, b):
            return a + b

        @numba.njit(parallel=False)
        def columns(a):
            return a.sum(axis=0)

        @numba.njit
        def days(a):
            return a[-1] - a[0]
        """,
        [
            *uses(
                "plus(x, y)",
            ),
            use("total(x)", NEEDS_ASARRAY, "total(np.asarray(x))"),
            use("norm(x)", NEEDS_ASARRAY, "norm(np.asarray(x))"),
            use("double(x)", NEEDS_LEND, "double(x.to_numpy(writable=True))"),
            use("declared(x)", NEEDS_LEND, "declared(x.to_numpy(writable=True))"),
            use("days(t)", NEEDS_ASARRAY, "days(np.asarray(t))"),
        ],
    ),
    Client(
        "numba, after cowarray.register()",
        "numba",
        """
        import numba

        cowarray.register()

        @numba.njit
        def total(a):
            s = 0.0
            for i in range(a.shape[0]):
                s += a[i]
            return s

        @numba.njit
        def norm(a):
            return np.sqrt((a * a).sum())

        @numba.njit
        def double(a):
            for i in range(a.shape[0]):
                a[i] *= 2

        @numba.njit
        def itself(a):
            return a

        @numba.njit(numba.float64(numba.float64[:]))
        def declared(a):
            return a[0] + a[-1]

        @numba.vectorize
        def plus(a, b):
            return a + b

        @numba.njit(parallel=False)
        def columns(a):
            return a.sum(axis=0)

        @numba.njit
        def days(a):
            return a[-1] - a[0]

        @numba.njit
        def either(a, here):
            return (a if here else np.zeros(12)).sum()

        @numba.njit
        def first(pair):
            return pair[0][0] + pair[1][0]

        @numba.njit(parallel=False)
        def gathered(a, indices):
            return a[indices]
        """,
        [
            *uses(
                "total(x)",
                "norm(x)",
                "double(x)",
                "itself(x)",
                "plus(x, y)",
                "columns(m)",
                "columns(m.T)",
                "days(t)",
                "norm(x[::2])",
                "total(f)",
                "gathered(x, n)",
                "first((x, y))",
                "norm(z)",
                "double(m[:, 1])",
                "total(m[0])",
                "columns(image)",
                "either(x, True)",
                "declared(x)",
            ),
        ],
    ),
]


@pytest.mark.parametrize("client", CLIENTS, ids=str)
def test_numba(client):
    check(__name__, client)
