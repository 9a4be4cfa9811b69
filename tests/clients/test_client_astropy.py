"""astropy's quantities, tables, times, files and fits take our arrays."""

import pytest
from client_uses import COPIES, NEEDS_ASARRAY, NEEDS_LEND, Client, check, use, uses

CLIENTS = [
    Client(
        "astropy",
        "astropy",
        """
        from astropy import convolution, coordinates, stats, table, time, units, wcs
        from astropy.io import fits
        from astropy.modeling import fitting, models
        from astropy.nddata import CCDData
        """,
        [
            *uses(
                "(x * units.m).value",
                "units.Quantity(x, 'm').to('km').value",
                "np.add(x * units.m, y * units.km).value",
                "table.Table({'x': x, 'n': n})['x']",
                "table.QTable({'x': x * units.m})['x'].value",
                "rows = table.Table({'x': np.zeros(12)}); rows['x'] = x; rows['x']",
                "table.Table({'x': x, 'n': n}).group_by('n')['x']",
                "time.Time(x, format='jd').mjd",
                "time.Time(t).jd",
                "coordinates.SkyCoord(x, y, unit='deg').galactic.l.deg",
                "coordinates.Angle(x, 'deg').wrap_at('180d').deg",
                "fits.PrimaryHDU(grey).writeto(f'{folder}/a.fits'); fits.getdata(f'{folder}/a.fits')",
                "fits.BinTableHDU.from_columns([fits.Column('x', 'D', array=x)]).data['x']",
                "fitting.LMLSQFitter()(models.Linear1D(), x, y).parameters",
                "models.Gaussian1D()(x)",
                "stats.sigma_clip(x, sigma=1)",
                "stats.sigma_clipped_stats(x)",
                "stats.mad_std(x)",
                "convolution.convolve(x, convolution.Gaussian1DKernel(1))",
                "convolution.convolve_fft(grey, convolution.Gaussian2DKernel(1))",
                "CCDData(grey, unit='adu').data",
                "wcs.WCS(naxis=2).wcs_pix2world(m[:, :2], 0)",
                "stats.histogram(x, bins=4)[0]",
                "stats.biweight_location(x)",
            ),
            *uses(
                "units.Quantity(x, 'm', copy=False).value",
                "(x << units.m).value",
                "fits.ImageHDU(m).data",
                verdict=COPIES,
            ),
            use(
                "table.Table(m, names=list('abc'))['b']",
                NEEDS_ASARRAY,
                "table.Table(np.asarray(m), names=list('abc'))['b']",
            ),
            use(
                "array = units.Quantity(x, 'm', copy=False); array[0] = 7 * units.m; array.value",
                NEEDS_LEND,
                """
                with cowarray.lend(x):
                    array = units.Quantity(x, 'm', copy=False)
                    array[0] = 7 * units.m
                    array.value
                """,
            ),
        ],
    ),
]


@pytest.mark.parametrize("client", CLIENTS, ids=str)
def test_astropy(client):
    check(__name__, client)
