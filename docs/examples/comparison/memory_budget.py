"""A chain of 64 results of 1 MiB stays within 16 MiB, all of them in reach; what left is computed again."""

from findings import NO, PART, YES, raises, tell

LAYERS, N, BUDGET = 64, 1 << 17, 16 << 20


def cowarray():
    import cowarray as cw

    x = cw.linspace(0, 1, N)
    with cw.budget(BUDGET) as run:
        steps = [x]
        for _ in range(LAYERS):
            steps.append(cw.tanh(steps[-1]))
        first = float(steps[1][-1])
    assert run.peak_bytes <= BUDGET
    assert run.evictions > 0
    assert first == float(cw.tanh(x[-1]))
    return YES, "inside `budget(...)`, at run time, of code that knows nothing of it"


def numpy():
    import tracemalloc

    import numpy as np

    tracemalloc.start()
    steps = [np.linspace(0, 1, N)]
    for _ in range(LAYERS):
        steps.append(np.tanh(steps[-1]))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak > LAYERS * N * 8
    return NO, "what is in reach is in memory"


def torch():
    import torch as t
    from torch.utils.checkpoint import checkpoint_sequential

    def kept(run):
        """The bytes that are kept for the way back."""
        seen = {}
        x = t.linspace(0, 1, N, dtype=t.float64, requires_grad=True)
        with t.autograd.graph.saved_tensors_hooks(lambda saved: seen.setdefault(id(saved), saved), lambda saved: saved):
            run(x)
        return sum(saved.nbytes for saved in seen.values())

    chain = t.nn.Sequential(*[t.nn.Tanh() for _ in range(LAYERS)])
    assert kept(chain) >= LAYERS * N * 8
    assert kept(lambda x: checkpoint_sequential(chain, 8, x, use_reentrant=False)) <= BUDGET
    return PART, "`torch.utils.checkpoint`: for gradients, of the segments that the program names"


def jax():
    import jax
    import jax.numpy as jnp

    def chain(x):
        for _ in range(LAYERS):
            x = jnp.tanh(x)
        return x.sum()

    x = jax.ShapeDtypeStruct((N,), "float32")
    assert "remat" in str(jax.make_jaxpr(jax.grad(jax.checkpoint(chain)))(x))
    assert "remat" not in str(jax.make_jaxpr(jax.grad(chain))(x))
    return PART, "`jax.checkpoint`: for gradients, of the functions that the program names"


def cubed():
    import cubed
    import cubed.array_api as cxp

    spec = cubed.Spec(allowed_mem=BUDGET)
    assert raises(ValueError, lambda: (cxp.zeros(N * LAYERS, chunks=N * LAYERS, spec=spec) + 1).compute())
    x = cxp.zeros(N, chunks=N // 16, spec=spec)
    assert float(cxp.sum(x + 1).compute()) == N
    return (
        PART,
        "`allowed_mem` bounds each worker: a plan that needs more is refused",
    )


if __name__ == "__main__":
    tell(globals())
