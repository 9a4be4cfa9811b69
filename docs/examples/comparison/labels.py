"""Axes have names and labels, and operands are aligned by them."""

from findings import NO, YES, tell


def cowarray():
    import cowarray as cw

    assert not hasattr(cw.zeros(2), "loc")
    return NO, "positions only, as in NumPy"


def numpy():
    import numpy as np

    assert not hasattr(np.zeros(2), "loc")
    return NO, "positions only"


def pandas():
    import pandas as pd

    total = pd.Series([1, 2], index=["a", "b"]) + pd.Series([10, 20], index=["b", "a"])
    assert total.to_dict() == {"a": 21, "b": 12}
    return YES, "in one and two dimensions"


def xarray():
    import xarray as xr

    x = xr.DataArray([1, 2], dims="x", coords={"x": ["a", "b"]})
    y = xr.DataArray([10, 20], dims="x", coords={"x": ["b", "a"]})
    assert (x + y).sel(x="a") == 21
    return YES, "in any number of dimensions"


if __name__ == "__main__":
    tell(globals())
