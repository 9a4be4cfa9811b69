"""The peak of memory that a program will need is known before it runs."""

from findings import PART, YES, tell

SHAPE = (1 << 10, 1 << 10)


def cowarray():
    import cowarray as cw

    with cw.fake() as plan:
        x = cw.zeros(SHAPE)
        y = x.copy()
        assert plan.peak_bytes == x.nbytes
        y[0] = 1
    assert plan.peak_bytes == 2 * x.nbytes
    assert plan.bytes_copied == x.nbytes
    return YES, "`fake()` and `python -m cowarray plan program.py`: peak and copies, by line, lazy copies included"


def torch():
    import torch as t
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.distributed._tools.mem_tracker import MemTracker

    with FakeTensorMode(), MemTracker() as tracker:
        x = t.zeros(SHAPE)
        y = x.clone()
        y[0] = 1
    peak = tracker.get_tracker_snapshot("peak")
    [figures] = peak.values()
    assert 2 * x.nbytes <= figures["Total"] <= 2 * x.nbytes + 64
    return PART, "`MemTracker` under `FakeTensorMode` tells it; both are of private modules"


def jax():
    import jax

    shape = jax.ShapeDtypeStruct(SHAPE, "float32")
    compiled = jax.jit(lambda x: (x @ x) @ (x + 1)).lower(shape).compile()
    analysis = compiled.memory_analysis()
    assert analysis.output_size_in_bytes == 4 << 20
    assert analysis.temp_size_in_bytes >= 4 << 20
    return PART, "`memory_analysis()` of one compiled function: arguments, results and what it needs in between"


def cubed():
    import cubed
    import cubed.array_api as cxp

    x = cxp.zeros(SHAPE, chunks=(1 << 8, 1 << 10), spec=cubed.Spec(allowed_mem="200MB"))
    assert cxp.add(x, 1).plan().max_projected_mem > 0
    return YES, "the plan has an upper bound for each worker, and is refused where that is more than is allowed"


if __name__ == "__main__":
    tell(globals())
