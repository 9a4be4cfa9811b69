"""zarr writes our arrays to its stores, and reads into them."""

import pytest
from client_uses import Client, check, uses

CLIENTS = [
    Client(
        "zarr",
        "zarr",
        "import zarr",
        [
            *uses(
                "zarr.array(x)[...]",
                "zarr.array(m, chunks=(4, 3))[...]",
                "stored = zarr.zeros(12); stored[:] = x; stored[...]",
                "stored = zarr.zeros(12); stored[3:6] = x[3:6]; stored[...]",
                "stored = zarr.zeros((12, 3)); stored[:, 1] = x; stored[...]",
                "stored = zarr.zeros((12, 3)); stored.set_orthogonal_selection((slice(None), 1), x); stored[...]",
                "zarr.array(x).get_orthogonal_selection((b,))",
                "zarr.array(x).vindex[n]",
                "zarr.array(x)[b]",
                "zarr.save(f'{folder}/x.zarr', x); zarr.load(f'{folder}/x.zarr')",
                "zarr.save_array(f'{folder}/m.zarr', m); zarr.load(f'{folder}/m.zarr')",
                "group = zarr.group(); group.create_array('x', data=x)[...]",
                "group = zarr.group(); group['x'] = x; group['x'][...]",
                "zarr.array(z)[...]",
                "zarr.array(b)[...]",
                "zarr.full_like(x, fill_value=3.0)[...]",
                "zarr.create_array({}, data=m, chunks=(4, 3))[...]",
                "out[...] = zarr.array(x)",
            ),
        ],
    ),
]


@pytest.mark.parametrize("client", CLIENTS, ids=str)
def test_zarr(client):
    check(__name__, client)
