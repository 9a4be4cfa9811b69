"""netCDF4 writes our arrays to files."""

import pytest
from client_uses import NEEDS_ASARRAY, Client, check, use, uses

CLIENTS = [
    Client(
        "netCDF4",
        "netCDF4",
        """
        import netCDF4

        def stored(array, kind="f8", where=Ellipsis):
            with netCDF4.Dataset("here.nc", "w", diskless=True) as file:
                names = [f"d{size}" for size in array.shape]
                for name, size in zip(names, array.shape, strict=True):
                    file.createDimension(name, size)
                variable = file.createVariable("a", kind, names)
                variable[where] = array[where]
                return np.asarray(variable[:])
        """,
        [
            *uses(
                "stored(x, where=n[:3])",
                "netCDF4.date2num(netCDF4.num2date(n, 'days since 2026-01-01'), 'days since 2026-01-01')",
                "netCDF4.num2date(n, 'days since 2026-01-01')[0].isoformat()",
                "netCDF4.stringtochar(x.astype('S4'))",
            ),
            use("stored(x)", NEEDS_ASARRAY, "stored(np.asarray(x))"),
            use("stored(m)", NEEDS_ASARRAY, "stored(np.asarray(m))"),
            use("stored(n, 'i8')", NEEDS_ASARRAY, "stored(np.asarray(n), 'i8')"),
            use("stored(f, 'f4')", NEEDS_ASARRAY, "stored(np.asarray(f), 'f4')"),
            use("stored(x, 'f4')", NEEDS_ASARRAY, "stored(np.asarray(x), 'f4')"),
            use("stored(x, where=slice(3, 6))", NEEDS_ASARRAY, "stored(np.asarray(x), where=slice(3, 6))"),
            use("stored(x, where=b)", NEEDS_ASARRAY, "stored(np.asarray(x), where=b)"),
            use("stored(m, where=(slice(None), 1))", NEEDS_ASARRAY, "stored(np.asarray(m), where=(slice(None), 1))"),
        ],
    ),
]


@pytest.mark.parametrize("client", CLIENTS, ids=str)
def test_netcdf4(client):
    check(__name__, client)
