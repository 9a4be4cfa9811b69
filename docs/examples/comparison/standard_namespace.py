"""`x.__array_namespace__()` gives a namespace of the array API standard, and which version."""

from findings import NO, YES, tell


def cowarray():
    import cowarray as cw

    namespace = cw.zeros(2).__array_namespace__()
    assert namespace is cw.array_api
    return YES, f"`cowarray.array_api`, {namespace.__array_api_version__}"


def numpy():
    import numpy as np

    assert np.zeros(2).__array_namespace__() is np
    return YES, f"`numpy`, {np.__array_api_version__}"


def torch():
    import torch as t
    from array_api_compat import array_namespace

    assert not hasattr(t.zeros(2), "__array_namespace__")
    assert array_namespace(t.zeros(2)).__name__ == "array_api_compat.torch"
    return NO, "not by itself; array-api-compat has a namespace for it"


def jax():
    import jax.numpy as jnp

    namespace = jnp.zeros(2).__array_namespace__()
    assert namespace is jnp
    return YES, f"`jax.numpy`, {namespace.__array_api_version__}"


def pandas():
    import pandas as pd

    assert not hasattr(pd.Series([1]), "__array_namespace__")
    return NO, "a Series is no array"


def xarray():
    import xarray as xr

    assert not hasattr(xr.DataArray([1]), "__array_namespace__")
    return NO, "not by itself"


def cubed():
    import cubed.array_api as cxp

    assert cxp.zeros(2).__array_namespace__().__array_api_version__ == cxp.__array_api_version__
    return YES, f"`cubed`, {cxp.__array_api_version__}"


if __name__ == "__main__":
    tell(globals())
