"""dask computes with our arrays: as they are, and as chunks after cowarray.register()."""

import pytest
from client_uses import NEEDS_ASARRAY, Client, check, use, uses

CLIENTS = [
    Client(
        "dask",
        "dask",
        """
        import dask
        import dask.array as da
        dask.config.set(scheduler="synchronous")
        """,
        [
            # Until dask looks for our backend, which registers: some of the lines below make it do so.
            use(
                "np.concatenate([x, da.ones(12, chunks=4)]).compute()",
                NEEDS_ASARRAY,
                "np.concatenate([np.asarray(x), da.ones(12, chunks=4)]).compute()",
            ),
            *uses(
                "da.from_array(m, chunks=(4, 3)).sum(axis=0).compute()",
                "da.from_array(m, chunks=(4, 3)).compute()",
                "da.from_array(x, chunks=4, asarray=False).compute()",
                "da.asarray(x).mean().compute()",
                "da.ones(12, chunks=4) + x",
                "(da.ones(12, chunks=4) * x).compute()",
                "(x * da.ones(12, chunks=4)).compute()",
                "np.add(x, da.ones(12, chunks=4)).compute()",
                "da.concatenate([da.from_array(x, chunks=4), da.from_array(y, chunks=4)]).compute()",
                "da.from_array(x, chunks=4)[b].compute()",
                "da.from_array(m, chunks=(4, 3)).T.dot(da.from_array(m, chunks=(4, 3))).compute()",
                "da.linalg.svd(da.from_array(m, chunks=(4, 3)))[1].compute()",
                "da.map_blocks(lambda block: block * 2, da.from_array(x, chunks=4)).compute()",
                "da.from_array(x, chunks=4).rechunk(6).compute()",
                "da.store(da.from_array(x, chunks=4), out, lock=False)",
                "dask.delayed(np.sum)(x).compute()",
                "dask.compute({'x': x})",
                "da.from_array(x, chunks=4).map_overlap(lambda a: a + 1, depth=1).compute()",
                "da.from_delayed(dask.delayed(np.negative)(x), x.shape, x.dtype).compute()",
                "da.percentile(da.from_array(x, chunks=4), 50).compute()",
            ),
        ],
    ),
    Client(
        "dask, after cowarray.register()",
        "dask",
        """
        import dask
        import dask.array as da
        dask.config.set(scheduler="synchronous")
        cowarray.register()
        """,
        [
            *uses(
                "da.from_array(m, chunks=(4, 3)).sum(axis=0).compute()",
                "da.from_array(m, chunks=(4, 3), asarray=False).compute()",
                "da.from_array(x, chunks=4, asarray=False).compute()",
                "da.ones(12, chunks=4) + x",
                "(da.ones(12, chunks=4) * x).compute()",
                "(x * da.ones(12, chunks=4)).compute()",
                "np.add(x, da.ones(12, chunks=4)).compute()",
                "np.concatenate([x, da.ones(12, chunks=4)]).compute()",
                "da.concatenate([da.from_array(x, chunks=4, asarray=False), da.from_array(y, chunks=4, asarray=False)]).compute()",
                "da.from_array(x, chunks=4, asarray=False)[b].compute()",
                "da.from_array(x, chunks=4, asarray=False).rechunk(6).compute()",
                "np.sum(da.from_array(x, chunks=4, asarray=False)).compute()",
                "da.from_array(m, chunks=(4, 3), asarray=False).T.dot(da.from_array(m, chunks=(4, 3), asarray=False)).compute()",
                "da.store(da.from_array(x, chunks=4, asarray=False), out, lock=False)",
                "chunks = da.from_array(x, chunks=4, asarray=False); chunks[chunks > 0] = 0; chunks.compute()",
                "da.percentile(da.from_array(x, chunks=4, asarray=False), 50).compute()",
            ),
        ],
    ),
]


@pytest.mark.parametrize("client", CLIENTS, ids=str)
def test_dask(client):
    check(__name__, client)
