"""A real data set that needs no download: where the eight planets were, every day from 1800 to 2050.

Source: E. M. Standish, "Keplerian Elements for Approximate Positions of the Major Planets", Solar System Dynamics
Group, JPL/Caltech, table 1 (elements and rates for J2000, valid from 1800 to 2050). Good to some 10 arc minutes for
Jupiter and Saturn, and to one for the others.
"""

import numpy as np

__all__ = ["FIRST_DAY", "LAST_DAY", "NAMES", "positions"]

NAMES = ("Mercury", "Venus", "Earth", "Mars", "Jupiter", "Saturn", "Uranus", "Neptune")
FIRST_DAY = np.datetime64("1800-01-01")
LAST_DAY = np.datetime64("2050-01-01")

# At J2000: a (au), e, I (degrees), mean longitude L, longitude of perihelion, longitude of the ascending node.
_ELEMENTS = np.array(
    [
        [0.38709927, 0.20563593, 7.00497902, 252.25032350, 77.45779628, 48.33076593],
        [0.72333566, 0.00677672, 3.39467605, 181.97909950, 131.60246718, 76.67984255],
        [1.00000261, 0.01671123, -0.00001531, 100.46457166, 102.93768193, 0.0],
        [1.52371034, 0.09339410, 1.84969142, -4.55343205, -23.94362959, 49.55953891],
        [5.20288700, 0.04838624, 1.30439695, 34.39644051, 14.72847983, 100.47390909],
        [9.53667594, 0.05386179, 2.48599187, 49.95424423, 92.59887831, 113.66242448],
        [19.18916464, 0.04725744, 0.77263783, 313.23810451, 170.95427630, 74.01692503],
        [30.06992276, 0.00859048, 1.77004347, -55.12002969, 44.96476227, 131.78422574],
    ]
)
# The same per Julian century.
_RATES = np.array(
    [
        [0.00000037, 0.00001906, -0.00594749, 149472.67411175, 0.16047689, -0.12534081],
        [0.00000390, -0.00004107, -0.00078890, 58517.81538729, 0.00268329, -0.27769418],
        [0.00000562, -0.00004392, -0.01294668, 35999.37244981, 0.32327364, 0.0],
        [0.00001847, 0.00007882, -0.00813131, 19140.30268499, 0.44441088, -0.29257343],
        [-0.00011607, -0.00013253, -0.00183714, 3034.74612775, 0.21252668, 0.20469106],
        [-0.00125060, -0.00050991, 0.00193609, 1222.49362201, -0.41897216, -0.28867794],
        [-0.00196176, -0.00004397, -0.00242939, 428.48202785, 0.40805281, 0.04240589],
        [0.00026291, 0.00005105, 0.00035372, 218.45945325, -0.32241464, -0.00508664],
    ]
)
_J2000 = np.datetime64("2000-01-01T12:00")


def positions(
    first: np.datetime64 = FIRST_DAY, last: np.datetime64 = LAST_DAY
) -> np.ndarray[tuple[int, int, int], np.dtype[np.float64]]:
    """Heliocentric positions of the planets at 0 h of each day.

    Parameters
    ----------
    first, last : numpy.datetime64
        Days from 1800-01-01 to 2050-01-01; last is included.

    Returns
    -------
    numpy.ndarray, shape (days, 8, 3), float64
        In au, in the plane and equinox of J2000's ecliptic; planets in the order of `NAMES`. The third one is the
        centre of mass of Earth and Moon.
    """
    days = np.arange(first, last + np.timedelta64(1, "D"))
    centuries = (days - _J2000) / np.timedelta64(36525, "D")
    a, e, inclination, longitude, perihelion, node = np.moveaxis(
        _ELEMENTS + _RATES * centuries[:, np.newaxis, np.newaxis], -1, 0
    )
    anomaly = np.radians(np.remainder(longitude - perihelion + 180.0, 360.0) - 180.0)
    eccentric = _eccentric_anomaly(anomaly, e)
    # In the plane of the orbit, x towards the perihelion.
    along = a * (np.cos(eccentric) - e)
    across = a * np.sqrt(1.0 - e**2) * np.sin(eccentric)
    # Turned by the argument of the perihelion, the inclination and the node.
    cos_w, sin_w = np.cos(np.radians(perihelion - node)), np.sin(np.radians(perihelion - node))
    cos_n, sin_n = np.cos(np.radians(node)), np.sin(np.radians(node))
    cos_i, sin_i = np.cos(np.radians(inclination)), np.sin(np.radians(inclination))
    to_node = cos_w * along - sin_w * across
    from_node = sin_w * along + cos_w * across
    return np.stack(
        [
            cos_n * to_node - sin_n * cos_i * from_node,
            sin_n * to_node + cos_n * cos_i * from_node,
            sin_i * from_node,
        ],
        axis=-1,
    )


def _eccentric_anomaly(mean: np.ndarray, e: np.ndarray) -> np.ndarray:
    """Solve Kepler's equation ``E - e sin E = mean`` (radians) by Newton's method."""
    found: np.ndarray = mean + e * np.sin(mean)
    for _ in range(20):
        step = (found - e * np.sin(found) - mean) / (1.0 - e * np.cos(found))
        found -= step
        if np.abs(step).max() < 1e-12:
            return found
    raise ArithmeticError("Kepler's equation: no convergence")
