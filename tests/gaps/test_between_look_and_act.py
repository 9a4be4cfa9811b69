"""User code that runs while a value is converted may change the array that it is for; nothing lands elsewhere."""

import numpy as np
import pytest

import cowarray as ca


class Converted:
    """A number whose conversion, whichever NumPy asks for, first does something else."""

    def __init__(self, then):
        self.then = then

    def __float__(self):
        self.then()
        return 1.5

    def __complex__(self):
        self.then()
        return 1.5 + 2j

    def __index__(self):
        self.then()
        return 3


class Offered(Converted):
    """The same, as an array."""

    def __array__(self, dtype=None, copy=None):
        self.then()
        return np.array(1.5, dtype)


CHANGES = {
    "narrower": ("f8", lambda x: setattr(x, "dtype", "f4")),
    "narrow": ("f8", lambda x: setattr(x, "dtype", "i1")),
    "as wide": ("f8", lambda x: setattr(x, "dtype", "i8")),
    "of the other order": ("f8", lambda x: setattr(x, "dtype", ">f8")),
    "dates": ("i8", lambda x: setattr(x, "dtype", "M8[s]")),
    "complex": ("c16", lambda x: setattr(x, "dtype", "f8")),
    "wider": ("f4", lambda x: setattr(x, "dtype", "f8")),
    "an integer's": ("i4", lambda x: setattr(x, "dtype", "i2")),
    "half": ("f2", lambda x: setattr(x, "dtype", "u2")),
    "smaller": ("f8", lambda x: x.resize(1)),
    "of other axes": ("f8", lambda x: setattr(x, "shape", (2, 4))),
}


@pytest.mark.parametrize("shared", [False, True], ids=["alone", "shared"])
@pytest.mark.parametrize("kind", [Converted, Offered])
@pytest.mark.parametrize("change", CHANGES)
def test_an_element_is_not_written_to_an_array_that_has_changed(change, kind, shared):
    dtype, act = CHANGES[change]
    x = ca.array(np.arange(8).astype(dtype))
    y = x.copy() if shared else None
    calls = []

    def once():
        if not calls:
            calls.append(1)
            act(x)

    with pytest.raises(IndexError, match="changed while"):
        x[1] = kind(once)
    assert calls
    assert x.tobytes() == np.arange(8).astype(dtype).tobytes()[: x.nbytes]
    if shared:
        assert y.tolist() == np.arange(8).astype(dtype).tolist()


@pytest.mark.parametrize("dtype", ["f8", "c16", "i4", "f2"])
def test_an_element_is_written_where_nothing_has_changed(dtype):
    x = ca.array(np.arange(8).astype(dtype))
    calls = []
    x[1] = Converted(lambda: calls.append(1))
    assert calls
    assert x[1] == np.array(Converted(lambda: None), dtype)
