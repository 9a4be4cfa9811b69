"""A .npy file is mapped, not read; the array can be edited, and the file stays as it is."""

import tempfile
from pathlib import Path

from findings import NO, PART, YES, raises, tell

N = 1 << 16


def stored(folder):
    import numpy as np

    path = Path(folder, "x.npy")
    np.save(path, np.zeros(N, np.float32))
    return path


def cowarray():
    import numpy as np

    import cowarray as cw

    with tempfile.TemporaryDirectory() as folder:
        path = stored(folder)
        x = cw.load(path)
        y = x.reshape(2, -1)
        assert cw.shares_bytes(x, y)
        y[0, 0] = 1
        assert np.load(path)[0] == 0 == x[0]
        cw.save(path, y)
        assert x[0] == 0
    return YES, "`cowarray.load(path)` does; copies of it share the map, and saving to the same path leaves them alone"


def numpy():
    import numpy as np

    with tempfile.TemporaryDirectory() as folder:
        path = stored(folder)
        x = np.load(path, mmap_mode="c")
        x[0] = 1
        assert np.load(path)[0] == 0
        assert raises(ValueError, np.load(path, mmap_mode="r").__setitem__, 0, 1)
    return YES, '`np.load(path, mmap_mode="c")` does, page by page; each further copy of it is made at once'


def torch():
    import numpy as np
    import torch as t

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "raw")
        np.zeros(N, np.float32).tofile(path)
        x = t.from_file(str(path), shared=False, size=N)
        x[0] = 1
        assert np.fromfile(path, np.float32)[0] == 0
    return PART, "`torch.from_file(path, shared=False)` does, of raw bytes"


def jax():
    import jax.numpy as jnp
    import numpy as np

    with tempfile.TemporaryDirectory() as folder:
        source = np.load(stored(folder), mmap_mode="r")
        assert jnp.array(source).unsafe_buffer_pointer() != source.ctypes.data
    return NO, "reads all of the file"


def pandas():
    import numpy as np
    import pandas as pd

    with tempfile.TemporaryDirectory() as folder:
        source = np.load(stored(folder), mmap_mode="r")
        x = pd.Series(source, copy=False)
        assert np.shares_memory(x.to_numpy(), source)
        assert raises(ValueError, x.iloc.__setitem__, 0, 1)
        assert not np.shares_memory(pd.Series(source).to_numpy(), source)
    return NO, "`Series(map, copy=False)` shares the map, and cannot be written to; `Series(map)` reads all of it"


def xarray():
    import numpy as np
    import xarray as xr

    with tempfile.TemporaryDirectory() as folder:
        path = stored(folder)
        assert raises(ValueError, xr.DataArray(np.load(path, mmap_mode="r")).__setitem__, 0, 1)
        x = xr.DataArray(np.load(path, mmap_mode="c"))
        x[0] = 1
        assert np.load(path)[0] == 0
    return PART, "as the NumPy array that it is given"


if __name__ == "__main__":
    tell(globals())
