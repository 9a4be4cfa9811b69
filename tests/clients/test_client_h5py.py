"""h5py writes our arrays to HDF5, and reads into them."""

import pytest
from client_uses import NEEDS_ASARRAY, NEEDS_LEND, Client, check, use, uses

CLIENTS = [
    Client(
        "h5py",
        "h5py",
        """
        import h5py

        def stored(write):
            with h5py.File("here.h5", "w", driver="core", backing_store=False) as file:
                return write(file)
        """,
        [
            *uses(
                "stored(lambda file: file.create_dataset('x', data=x)[...])",
                "stored(lambda file: file.create_dataset('m', data=m, chunks=(4, 3), compression='gzip')[...])",
                "stored(lambda file: file.create_dataset('x', data=b)[...])",
                "stored(lambda file: file.create_dataset('z', data=z)[...])",
                "stored(lambda file: file.create_dataset('x', data=x[::2])[...])",
                "stored(lambda file: file.create_dataset('m', data=m.T)[...])",
                "stored(lambda file: (file.__setitem__('x', x), file['x'][...])[1])",
                "stored(lambda file: (file.create_dataset('x', (12,)).__setitem__(slice(3), x[:3]), file['x'][...])[1])",
                "stored(lambda file: file.create_dataset('x', data=x)[n[:3].argsort()[:1]])",
                "stored(lambda file: (file.attrs.__setitem__('x', x), file.attrs['x'])[1])",
                "out[...] = stored(lambda file: file.create_dataset('x', data=x)[...])",
            ),
            use(
                "stored(lambda file: file.create_dataset('x', data=x)[b])",
                NEEDS_ASARRAY,
                "stored(lambda file: file.create_dataset('x', data=x)[np.asarray(b)])",
            ),
            use(
                "stored(lambda file: file.create_dataset('x', data=np.arange(12.0)).read_direct(out))",
                NEEDS_LEND,
                "stored(lambda file: file.create_dataset('x', data=np.arange(12.0)).read_direct(out.to_numpy(writable=True)))",
            ),
            use(
                "stored(lambda file: (file.create_dataset('x', (12,), 'f8').write_direct(x), file['x'][...])[1])",
                NEEDS_ASARRAY,
                "stored(lambda file: (file.create_dataset('x', (12,), 'f8').write_direct(np.asarray(x)), file['x'][...])[1])",
            ),
        ],
    ),
]


@pytest.mark.parametrize("client", CLIENTS, ids=str)
def test_h5py(client):
    check(__name__, client)
