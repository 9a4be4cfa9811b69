"""What is taken in by DLPack from a read-only source cannot change the source."""

from findings import NO, YES, raises, tell


def read_only():
    import numpy as np

    source = np.zeros(1 << 16, np.float32)
    source.flags.writeable = False
    return source


def cowarray():
    import cowarray as cw

    source = read_only()
    x = cw.from_dlpack(source)
    x[0] = 1
    shared = cw.from_dlpack(source, copy=False)
    assert cw.shares_bytes(shared, source)
    shared[0] = 1
    assert source[0] == 0
    return YES, "`cowarray.from_dlpack(source)` copies, or shares with `copy=False`; a write never reaches the source"


def numpy():
    import numpy as np

    assert not np.from_dlpack(read_only()).flags.writeable
    return YES, "the array is read-only"


def torch():
    import torch as t

    source = read_only()
    t.from_dlpack(source)[0] = 1
    assert source[0] == 1
    return NO, "the read-only flag is ignored: a write to the tensor changes the source"


def jax():
    import jax

    assert raises(BufferError, jax.dlpack.from_dlpack, read_only())
    return YES, "refuses a read-only source"


if __name__ == "__main__":
    tell(globals())
