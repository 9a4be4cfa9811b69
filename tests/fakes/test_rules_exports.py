"""No copy that is made for somebody outside is one of addresses without bytes."""

import numpy as np
import pytest

import cowarray as cw
from cowarray import FakeError, fake_like

LAID_OUT = {
    "whole": lambda x: x,
    "sparse": lambda x: x[::3, ::2],
    "transposed": lambda x: x.T,
    "sparse and transposed": lambda x: x.T[::2],
    "a column": lambda x: x[:, 0],
    "broadcast": lambda x: np.broadcast_to(x[0], (7, 5)),
    "backwards": lambda x: x[::-1, ::-1],
    "an element": lambda x: x[3, 2, ...],
}
OUTSIDE = {
    "asarray": np.asarray,
    "array": np.array,
    "to_numpy": lambda x: x.to_numpy(),
    "memoryview": memoryview,
    "bytes": bytes,
    "tolist": lambda x: x.tolist(),
    "numpy.maximum.reduce of a list": lambda x: np.maximum.reduce([x]).tolist(),
}


@pytest.mark.parametrize("dtype", ["f8", "?", "O", "U3", "i4,O", "M8[s]"])
@pytest.mark.parametrize("view", LAID_OUT.values(), ids=LAID_OUT)
@pytest.mark.parametrize("leave", OUTSIDE.values(), ids=OUTSIDE)
def test_nothing_leaves(view, leave, dtype):
    x = view(fake_like(cw.array(np.zeros((40, 5), dtype))))
    with pytest.raises((FakeError, BufferError, TypeError, ValueError)):
        leave(x)
