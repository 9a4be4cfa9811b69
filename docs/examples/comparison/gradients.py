"""Derivatives of what was computed."""

from findings import NO, PART, YES, tell


def cowarray():
    from autograd import grad

    import cowarray as cw

    cw.register()
    slope = grad(lambda x: (x * x * x).sum())(cw.asarray([1.0, 2.0]))
    assert slope.tolist() == [3.0, 12.0]
    return PART, "by HIPS autograd, after `cowarray.register()`; none of its own"


def numpy():
    from autograd import grad
    from autograd import numpy as np

    assert grad(lambda x: np.sum(x * x * x))(np.array([1.0, 2.0])).tolist() == [3.0, 12.0]
    return PART, "by HIPS autograd; none of its own"


def torch():
    import torch as t

    x = t.tensor([1.0, 2.0], requires_grad=True)
    (x * x * x).sum().backward()
    assert x.grad.tolist() == [3.0, 12.0]
    return YES, "its purpose"


def jax():
    import jax
    import jax.numpy as jnp

    assert jax.grad(lambda x: (x * x * x).sum())(jnp.array([1.0, 2.0])).tolist() == [3.0, 12.0]
    return YES, "its purpose"


def pandas():
    import pandas as pd

    assert not hasattr(pd.Series([1.0]), "grad")
    return NO, "not its subject"


if __name__ == "__main__":
    tell(globals())
