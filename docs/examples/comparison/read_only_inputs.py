"""A read-only NumPy array is taken in without a copy, and can be written to without changing the source."""

from findings import NO, PART, YES, raises, tell

N = 1 << 16


def read_only():
    import numpy as np

    source = np.zeros(N)
    source.flags.writeable = False
    return source


def cowarray():
    import cowarray as cw

    source = read_only()
    x = cw.asarray(source)
    assert cw.shares_bytes(x, source)
    x[0] = 1
    assert (x[0], source[0]) == (1, 0)
    return YES, "`cowarray.asarray(source)` shares the bytes; the first write copies them"


def numpy():
    import numpy as np

    source = read_only()
    assert raises(ValueError, np.asarray(source).__setitem__, 0, 1)
    return NO, "`assignment destination is read-only`: copy by hand, before you know whether you will write"


def torch():
    import warnings

    import torch as t

    source = read_only()
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        x = t.from_numpy(source)
    assert "not writable" in str(warned[0].message)
    x[0] = 1
    assert source[0] == 1
    return NO, "`torch.from_numpy(source)` warns, and then writes into the read-only source"


def jax():
    import jax.numpy as jnp

    source = read_only().astype("float32")
    source.flags.writeable = False
    x = jnp.array(source)
    changed = x.at[0].set(1)
    assert (changed[0], x[0], source[0]) == (1, 0, 0)
    assert x.unsafe_buffer_pointer() != source.ctypes.data
    return PART, "`jnp.array(source)` copies at once; a changed array is another copy"


def pandas():
    import numpy as np
    import pandas as pd

    source = read_only()
    x = pd.Series(source)
    assert not np.shares_memory(x.to_numpy(), source)
    x.iloc[0] = 1
    assert source[0] == 0
    shared = pd.Series(source, copy=False)
    assert np.shares_memory(shared.to_numpy(), source)
    assert raises(ValueError, shared.iloc.__setitem__, 0, 1)
    return PART, "`Series(source)` copies at once; `Series(source, copy=False)` shares, and cannot be written to"


def xarray():
    import xarray as xr

    assert raises(ValueError, xr.DataArray(read_only()).__setitem__, 0, 1)
    return NO, "shares the bytes, and then raises as NumPy does"


def cubed():
    import cubed

    assert not hasattr(cubed.from_array(read_only()), "__setitem__")
    return NO, "takes it in, and has no assignment"


if __name__ == "__main__":
    tell(globals())
