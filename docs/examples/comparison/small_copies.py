"""A small lazy copy does not keep a large array in memory."""

from findings import NO, YES, tell

N = 1 << 20


def cowarray():
    import cowarray as cw

    part = cw.zeros(N)[5:15].copy()
    assert part.storage.nbytes == part.nbytes
    return YES, "what is less than half of its allocation is copied at once"


def numpy():
    import numpy as np

    assert np.zeros(N)[5:15].copy().base is None
    return YES, "every copy is made at once"


def torch():
    import torch as t

    x = t.zeros(N)
    part = t._lazy_clone(x[5:15])
    assert part.untyped_storage().nbytes() == x.untyped_storage().nbytes()
    return NO, "a lazy clone of 10 elements keeps all 1,048,576, and its first write copies them"


def jax():
    import jax.numpy as jnp

    assert jnp.zeros(N)[5:15].on_device_size_in_bytes() == 40
    return YES, "a slice is an array of its own"


def pandas():
    import numpy as np
    import pandas as pd

    x = pd.Series(np.zeros(N))
    kept = x.iloc[5:15].to_numpy()
    while kept.base is not None:
        kept = kept.base
    assert kept.nbytes == 8 * N
    assert x.iloc[5:15].copy().to_numpy().base.nbytes == 80
    return NO, "`x.iloc[5:15]` is a lazy copy, and keeps all of x; `x.iloc[5:15].copy()` does not"


def xarray():
    import numpy as np
    import xarray as xr

    assert np.shares_memory((x := xr.DataArray(np.zeros(N)))[5:15].values, x.values)
    assert x[5:15].copy().values.base is None
    return YES, "slices are views; `copy` copies at once"


if __name__ == "__main__":
    tell(globals())
