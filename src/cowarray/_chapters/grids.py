"""Objects that are indexed to make arrays and indices: `mgrid`, `ogrid`, `r_`, `c_`, `s_` and `index_exp`."""

from typing import Any

import numpy as np
from numpy import index_exp, s_

from cowarray._face.annotations import Array
from cowarray._ops.functions import dispatched

__all__ = ["c_", "index_exp", "mgrid", "ogrid", "r_", "s_"]


# Named functions of a key, which NumPy's objects of these names compute.
def _c(key: Any) -> Any:
    return np.c_[key]


def _mgrid(key: Any) -> Any:
    return np.mgrid[key]


def _ogrid(key: Any) -> Any:
    return np.ogrid[key]


def _r(key: Any) -> Any:
    return np.r_[key]


class _Indexed:
    """Base of objects that are indexed in place of being called; they have no elements of their own."""

    def __len__(self) -> int:
        return 0


class _Columns(_Indexed):
    """Arrays side by side, as ``c_[x, y]``: those with one axis are columns.

    The brackets take arrays, scalars, and slices as for `mgrid`. The result is fresh.

    See Also
    --------
    numpy.c_ : The same for NumPy's arrays.
    """

    def __getitem__(self, key: Any) -> Array:
        return dispatched(_c, key)


class _DenseGrid(_Indexed):
    """The coordinates of a grid, as ``mgrid[0:3, 0:1:5j]``: one array that has them along its first axis.

    An imaginary step is a number of points, with the end included. The result is fresh.

    See Also
    --------
    numpy.mgrid : The same for NumPy's arrays.
    """

    def __getitem__(self, key: Any) -> Array:
        return dispatched(_mgrid, key)


class _OpenGrid(_Indexed):
    """The coordinates of a grid, as ``ogrid[0:3, 0:1:5j]``: an array for each axis, which broadcast with each other.

    Slices are as for `mgrid`. The results are fresh.

    See Also
    --------
    numpy.ogrid : The same for NumPy's arrays.
    """

    def __getitem__(self, key: Any) -> Any:
        return dispatched(_ogrid, key)


class _Rows(_Indexed):
    """Arrays one after the other, as ``r_[x, 0, 1:5]``.

    The brackets take arrays, scalars, slices as for `mgrid`, and, in front, NumPy's text that names the axis. The
    result is fresh.

    See Also
    --------
    numpy.r_ : The same for NumPy's arrays.
    """

    def __getitem__(self, key: Any) -> Array:
        return dispatched(_r, key)


c_ = _Columns()
mgrid = _DenseGrid()
ogrid = _OpenGrid()
r_ = _Rows()
