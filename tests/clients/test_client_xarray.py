"""xarray keeps our arrays as the data of its own."""

import pytest
from client_uses import COPIES, NEEDS_LEND, Client, check, use, uses

CLIENTS = [
    Client(
        "xarray",
        "xarray",
        "import xarray as xr",
        [
            *uses(
                "xr.DataArray(m, dims=('a', 'b')).sum('a')",
                "xr.DataArray(m, dims=('a', 'b'))",
                "xr.DataArray(x, dims='a') + xr.DataArray(y, dims='a')",
                "xr.DataArray(m, dims=('a', 'b')).mean('b')",
                "xr.DataArray(m, dims=('a', 'b')).transpose('b', 'a')",
                "xr.DataArray(m, dims=('a', 'b')).isel(a=slice(0, 4))",
                "xr.Dataset({'x': ('a', x), 'y': ('a', y)}).to_array()",
                "xr.Dataset({'x': ('a', x)}).mean()['x']",
                "xr.concat([xr.DataArray(x, dims='a'), xr.DataArray(y, dims='a')], 'a')",
                "xr.where(xr.DataArray(b, dims='a'), 1.0, xr.DataArray(x, dims='a'))",
                "xr.DataArray(x, dims='a').where(xr.DataArray(b, dims='a'))",
                "xr.DataArray(x, dims='a').rolling(a=3).mean()",
                "xr.DataArray(x, dims='a', coords={'a': n}).groupby('a').sum()",
                "xr.DataArray(x, dims='a', coords={'a': np.arange(12)}).interp(a=[0.5, 2.5])",
                "xr.apply_ufunc(np.exp, xr.DataArray(x, dims='a'))",
                "xr.DataArray(m, dims=('a', 'b')).data",
                "array = xr.DataArray(x, dims='a'); array[0] = 7; array",
                "array = xr.DataArray(x, dims='a').copy(); array[0] = 7; array",
                "xr.DataArray(t, dims='a').dt.day",
                "xr.DataArray(t, dims='a')",
                "xr.dot(xr.DataArray(m, dims=('a', 'b')), xr.DataArray(m, dims=('a', 'c')))",
                "xr.DataArray(x, dims='a').quantile(0.5)",
                "xr.DataArray(x, dims='a').to_pandas()",
                "xr.DataArray(x, dims='a').cumsum('a')",
                "xr.DataArray(m, dims=('a', 'b')).argmax('a')",
                "xr.DataArray(x, dims='a').fillna(0)",
                "xr.Dataset({'x': ('a', x)}).to_dataframe()",
            ),
            *uses(
                "xr.DataArray(x, dims='a', coords={'a': n}).sel(a=9)",
                "xr.DataArray(m, dims=('a', 'b')).stack(ab=('a', 'b'))",
                "xr.DataArray(x, dims='a').values",
                verdict=COPIES,
            ),
            use(
                "array = xr.DataArray(x, dims='a'); array.values[0] = 7",
                NEEDS_LEND,
                """
                with cowarray.lend(x):
                    array = xr.DataArray(x, dims='a')
                    array.values[0] = 7
                """,
            ),
        ],
    ),
]


@pytest.mark.parametrize("client", CLIENTS, ids=str)
def test_xarray(client):
    check(__name__, client)
