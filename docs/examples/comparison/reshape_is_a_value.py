"""Whether a write to `x.reshape(...)` reaches x does not depend on the strides of x."""

from findings import NO, YES, raises, tell


def cowarray():
    import cowarray as cw

    for x in (cw.zeros((2, 3)), cw.zeros((3, 2)).T):
        x.reshape(-1)[0] = 1
        assert x[0, 0] == 0
    return YES, "never: `reshape` is a copy, in meaning; `x.reshape(..., copy=False)` asks for the view"


def numpy():
    import numpy as np

    seen = []
    for x in (np.zeros((2, 3)), np.zeros((3, 2)).T):
        x.reshape(-1)[0] = 1
        seen.append(x[0, 0] == 1)
    assert seen == [True, False]
    return NO, "the write reaches a C-contiguous x and not its transpose, without a word"


def torch():
    import torch as t

    seen = []
    for x in (t.zeros((2, 3)), t.zeros((3, 2)).T):
        x.reshape(-1)[0] = 1
        seen.append(bool(x[0, 0] == 1))
    assert seen == [True, False]
    assert raises(RuntimeError, t.zeros((3, 2)).T.view, -1)
    return NO, "as in NumPy; `x.view(...)` raises where it would have to copy"


def jax():
    import jax.numpy as jnp

    assert raises(TypeError, jnp.zeros((2, 3)).reshape(-1).__setitem__, 0, 1)
    return YES, "nothing is ever written"


def xarray():
    import numpy as np
    import xarray as xr

    seen = []
    for values in (np.zeros((2, 3)), np.zeros((3, 2)).T):
        x = xr.DataArray(values, dims=("a", "b"))
        x.stack(c=("a", "b"))[0] = 1
        seen.append(bool(x[0, 0] == 1))
    assert seen == [True, False]
    return NO, "`x.stack(...)` is a view or a copy, as NumPy's strides have it"


def cubed():
    import cubed.array_api as cxp

    assert not hasattr(cxp.reshape(cxp.zeros((2, 3)), (6,)), "__setitem__")
    return YES, "nothing is ever written"


if __name__ == "__main__":
    tell(globals())
