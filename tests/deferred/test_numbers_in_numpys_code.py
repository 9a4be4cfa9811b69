"""A deferred number is a number to NumPy's own Python code, as in eager execution, and not an array without axes."""

import numpy as np
import pytest

import cowarray as cw
from cowarray import deferred

# Of an array of 4 by 4, and of what NumPy gives as a scalar, 1.
CALLS = {
    "rot90": lambda m, x, k: m.rot90(x, k),
    "rot90, by name": lambda m, x, k: m.rot90(x, k=k),
    "rot90, in a plane": lambda m, x, k: m.rot90(x, 1, (0, k)),
    "fftshift": lambda m, x, k: m.fft.fftshift(x, k),
    "ifftshift": lambda m, x, k: m.fft.ifftshift(x, axes=k),
    "roll": lambda m, x, k: m.roll(x, k, k),
    "roll, twice": lambda m, x, k: m.roll(x, (k, 2), (0, k)),
    "flip": lambda m, x, k: m.flip(x, k),
    "moveaxis": lambda m, x, k: m.moveaxis(x, k, 0),
    "swapaxes": lambda m, x, k: m.swapaxes(x, 0, k),
    "tile": lambda m, x, k: m.tile(x, k),
    "repeat": lambda m, x, k: m.repeat(x, k, axis=k),
    "pad": lambda m, x, k: m.pad(x, k),
    "tril": lambda m, x, k: m.tril(x, k),
    "diff": lambda m, x, k: m.diff(x, k),
    "gradient": lambda m, x, k: m.gradient(x, k, axis=k),
    "split": lambda m, x, k: m.split(x, 2, k),
    "insert": lambda m, x, k: m.insert(x, k, 7, axis=0),
    "delete": lambda m, x, k: m.delete(x, k, axis=0),
    "trapezoid": lambda m, x, k: m.trapezoid(x, dx=k),
    "quantile": lambda m, x, k: m.quantile(x, k, axis=0),
    "vander": lambda m, x, k: m.vander(x[0], k + 2),
}
MADE = {
    "an item": lambda m: m.arange(3)[1],
    "a product": lambda m: m.asarray(np.int64(1)) * 1,
    "a sum": lambda m: m.asarray([0, 1]).sum(),
}


def as_lists(found):
    return [each.tolist() for each in found] if isinstance(found, (list, tuple)) else found.tolist()


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("home", [np, cw], ids=["numpy", "cowarray"])
@pytest.mark.parametrize("x_too", [False, True])
def test_a_deferred_number_is_as_good_as_numpys(name, made, home, x_too):
    if home is cw and not hasattr(cw, name.split(",")[0]) and name not in ("fftshift", "ifftshift"):
        pytest.skip("only NumPy has it")
    expected = as_lists(CALLS[name](np, np.arange(16.0).reshape(4, 4), MADE[made](np)))
    x = cw.arange(16.0).reshape(4, 4)
    with deferred():
        if x_too:
            x = x * 1
        found = CALLS[name](home, x, MADE[made](cw))
    assert as_lists(found) == expected
