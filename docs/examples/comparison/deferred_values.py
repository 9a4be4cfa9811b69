"""What was built is computed when somebody needs it, and only what is needed; random numbers are the same."""

from findings import NO, PART, YES, raises, tell


def build(generator):
    return [generator.normal(size=1000) for _ in range(64)]


def cowarray():
    import cowarray as cw

    fields = cw.deferred_init(build, cw.random.default_rng(1))
    assert all(cw.is_deferred(field) for field in fields)
    kept = cw.materialize(fields[17])
    assert cw.is_deferred(fields[18])
    assert (kept == build(cw.random.default_rng(1))[17]).all()
    return YES, "inside `deferred()`, of code that knows nothing of it: the bits are those of eager execution"


def torch():
    import torch as t

    with t.device("meta"):
        layer = t.nn.Linear(10, 10)
    assert raises(NotImplementedError, layer.weight.to, "cpu")
    assert layer.to_empty(device="cpu").weight.device.type == "cpu"
    return NO, 'what is built on `device="meta"` has no recipe: `to_empty` gives memory that is to be filled again'


def jax():
    import jax

    def fields(key):
        return [jax.random.normal(part, 1000) for part in jax.random.split(key, 64)]

    key = jax.random.key(1)
    part = jax.jit(lambda key: fields(key)[17])
    assert abs(part(key) - fields(key)[17]).max() < 1e-5
    cost = part.lower(key).compile().cost_analysis()["flops"]
    assert cost < jax.jit(fields).lower(key).compile().cost_analysis()["flops"] / 10
    return PART, "a function of pure operations, compiled for a part of its results, computes that part alone"


def cubed():
    import cubed
    import cubed.array_api as cxp

    ran = []

    def count(block):
        ran.append(1)
        return block

    x = cxp.zeros((64, 100), chunks=(1, 100), spec=cubed.Spec(allowed_mem="200MB"))
    y = cubed.map_blocks(count, x, dtype=x.dtype)
    assert ran == []
    assert y.compute().shape == (64, 100)
    assert len(ran) >= 64
    return YES, "every array is a plan until `compute()`, for its own functions"


if __name__ == "__main__":
    tell(globals())
