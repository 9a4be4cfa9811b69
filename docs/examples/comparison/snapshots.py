"""What was handed out as a NumPy array keeps its values when the source is written, and cost no copy."""

from findings import NO, PART, YES, tell

N = 1 << 16


def cowarray():
    import numpy as np

    import cowarray as cw

    x = cw.zeros(N)
    out = np.asarray(x)
    assert cw.shares_bytes(x, out)
    x[0] = 1
    assert out[0] == 0
    assert not out.flags.writeable
    return YES, "`np.asarray(x)` is a snapshot: it shares the bytes, is read-only and never changes"


def numpy():
    import numpy as np

    x = np.zeros(N)
    out = np.asarray(x)
    x[0] = 1
    assert out[0] == 1
    return NO, "`np.asarray(x)` is x"


def torch():
    import torch as t

    x = t.zeros(N)
    out = x.numpy()
    x[0], out[1] = 1, 1
    assert out[0] == x[1] == 1
    return NO, "`x.numpy()` changes with x, and x with it"


def jax():
    import jax.numpy as jnp
    import numpy as np

    x = jnp.zeros(N)
    out = np.asarray(x)
    assert out.ctypes.data == x.unsafe_buffer_pointer()
    assert not out.flags.writeable
    return YES, "`np.asarray(x)` shares the bytes of an array that nothing changes"


def pandas():
    import numpy as np
    import pandas as pd

    x = pd.Series(np.zeros(N))
    out = x.to_numpy()
    assert not out.flags.writeable
    x.iloc[0] = 1
    assert out[0] == 1
    return NO, "`x.to_numpy()` is read-only, and changes when x is written"


def xarray():
    import numpy as np
    import xarray as xr

    x = xr.DataArray(np.zeros(N))
    out = x.values
    x[0] = 1
    assert out[0] == 1
    return NO, "`x.values` is the array inside x"


def cubed():
    import cubed.array_api as cxp
    import numpy as np

    x = cxp.zeros(4) + cxp.ones(4)
    first, second = x.compute(), x.compute()
    assert not np.shares_memory(first, second)
    return PART, "`x.compute()` gives values that are the caller's own, and computes them anew for each call"


if __name__ == "__main__":
    tell(globals())
