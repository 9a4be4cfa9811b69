"""A program can be asked which of its lines copied, how much, and why; and a block can be forbidden to."""

import linecache

from findings import NO, PART, YES, raises, tell

N = 1 << 16


def cowarray():
    import cowarray as cw

    x = cw.zeros(N)
    y = x.copy()
    with cw.trace() as seen:
        y[0] = 1
    [event] = seen
    assert linecache.getline(event.filename, event.lineno).strip() == "y[0] = 1"
    assert event.nbytes == x.nbytes
    z = x.copy()
    with cw.no_copy():
        assert raises(cw.CopyError, z.__setitem__, 0, 1)
    return YES, "`trace()` gives line, bytes and reason; `no_copy()` raises before a write would copy"


def numpy():
    import tracemalloc

    import numpy as np

    x = np.zeros(N)
    tracemalloc.start()
    y = x.copy()
    largest = tracemalloc.take_snapshot().statistics("lineno")[0]
    tracemalloc.stop()
    assert largest.size >= y.nbytes
    assert linecache.getline(largest.traceback[0].filename, largest.traceback[0].lineno).strip() == "y = x.copy()"
    assert raises(ValueError, x.reshape(2, -1).T.reshape, -1, copy=False)
    return PART, "`tracemalloc` gives lines that allocate; `copy=False` forbids a single call to copy"


def torch():
    import torch as t

    x = t.zeros(N)
    with t.profiler.profile(activities=[t.profiler.ProfilerActivity.CPU]) as profile:
        x.clone()
    assert "aten::clone" in {event.key for event in profile.key_averages()}
    assert raises(RuntimeError, x.reshape(2, -1).T.view, -1)
    return PART, "the profiler counts `aten::clone`; `x.view` forbids a single call to copy"


def jax():
    import jax.numpy as jnp
    import numpy as np

    source = np.zeros(N, np.float32)
    assert jnp.asarray(source, copy=False).unsafe_buffer_pointer() != source.ctypes.data
    return NO, "`jnp.asarray(source, copy=False)` copies, and raises nothing"


if __name__ == "__main__":
    tell(globals())
