"""A copy takes no time and no memory, and a write to either is never seen by the other."""

from findings import NO, PART, YES, raises, tell

N = 1 << 20


def cowarray():
    import cowarray as cw

    x = cw.zeros(N)
    y = x.copy()
    assert cw.shares_bytes(x, y)
    y[0] = 1
    assert (x[0], y[0]) == (0, 1)
    assert not cw.shares_bytes(x, y)
    return YES, "`x.copy()` shares the bytes until one of the two is written"


def numpy():
    import numpy as np

    x = np.zeros(N)
    assert not np.shares_memory(x, x.copy())
    return NO, "`x.copy()` copies at once"


def torch():
    import torch as t

    x = t.zeros(N)
    assert x.clone().data_ptr() != x.data_ptr()
    y = t._lazy_clone(x)
    assert t._C._data_address(x) == t._C._data_address(y)
    y[0] = 1
    assert (float(x[0]), float(y[0])) == (0, 1)
    return PART, "`x.clone()` copies at once; `torch._lazy_clone(x)`, private and without documentation, is lazy"


def jax():
    import jax.numpy as jnp

    x = jnp.zeros(N)
    assert x.copy().unsafe_buffer_pointer() != x.unsafe_buffer_pointer()
    assert raises(TypeError, x.__setitem__, 0, 1)
    assert x.at[0].set(1).unsafe_buffer_pointer() != x.unsafe_buffer_pointer()
    return (
        PART,
        "no array ever changes, so none needs a copy; but `x.at[0].set(1)`, outside `jit`, copies all of x each time",
    )


def pandas():
    import numpy as np
    import pandas as pd

    x = pd.Series(np.zeros(N))
    assert not np.shares_memory(x.copy().to_numpy(), x.to_numpy())
    renamed = x.rename("other")
    assert np.shares_memory(renamed.to_numpy(), x.to_numpy())
    renamed.iloc[1] = 1
    y = x.copy(deep=False)
    assert np.shares_memory(y.to_numpy(), x.to_numpy())
    y.iloc[0] = 1
    assert (x.iloc[0], x.iloc[1], y.iloc[0]) == (0, 0, 1)
    return YES, "`x.copy(deep=False)` and `x.rename(...)` are lazy copies; `x.copy()` copies at once"


def xarray():
    import numpy as np
    import xarray as xr

    x = xr.DataArray(np.zeros(N))
    y = x.copy(deep=False)
    y[0] = 1
    assert x[0] == 1
    assert not np.shares_memory(x.copy().values, x.values)
    return NO, "`x.copy()` copies at once; what is written to `x.copy(deep=False)` is seen in x"


def cubed():
    import cubed.array_api as cxp

    assert not hasattr(cxp.zeros(4), "__setitem__")
    return PART, "no array ever changes, so none needs a copy; there is no assignment at all"


if __name__ == "__main__":
    tell(globals())
