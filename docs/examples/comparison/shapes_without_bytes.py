"""Shapes, dtypes and views of a program's arrays are known without their memory: here, of one pebibyte."""

from findings import NO, YES, raises, tell

SHAPE = (1 << 27, 1 << 10, 1 << 10)  # of float64


def cowarray():
    import cowarray as cw

    with cw.fake():
        x = cw.zeros(SHAPE)
        y = x.reshape(-1, 1 << 10).T
        assert y.shape == (1 << 10, 1 << 37)
        assert y.strides == (8, 1 << 13)
        assert cw.aliases(x, x[0])
        assert not cw.aliases(x, y)
        assert raises(cw.FakeError, float, x[0, 0, 0])
    return (
        YES,
        "inside `fake()`, with strides and what aliases; whoever needs a value gets an error that names the line",
    )


def numpy():
    import numpy as np

    assert raises(MemoryError, np.zeros, SHAPE)
    return NO, "`MemoryError`"


def torch():
    import torch as t
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        assert t.zeros(SHAPE).reshape(-1, 1 << 10).T.stride() == (1, 1 << 10)
    x = t.zeros(SHAPE, device="meta", dtype=t.float64)
    assert x.reshape(-1, 1 << 10).T.stride() == (1, 1 << 10)
    return YES, 'by `device="meta"`, with strides; also by `FakeTensorMode`, of a private module'


def jax():
    import jax

    assert not hasattr(jax.numpy.zeros(2), "strides")
    seen = jax.eval_shape(lambda x: x.reshape(-1, 1 << 10).T, jax.ShapeDtypeStruct(SHAPE, "float32"))
    assert seen.shape == (1 << 10, 1 << 37)
    return (
        YES,
        "`jax.eval_shape(function, ...)`, for functions that it can trace; its arrays have no strides",
    )


def cubed():
    import cubed
    import cubed.array_api as cxp

    spec = cubed.Spec(allowed_mem="100GB")
    x = cxp.zeros((1 << 17, 1 << 10, 1 << 10), chunks=(1 << 10, 1 << 10, 1 << 10), spec=spec)
    assert cxp.add(x, 1).nbytes == 1 << 40
    return YES, "nothing has bytes before `compute()`; tried with a tebibyte"


if __name__ == "__main__":
    tell(globals())
