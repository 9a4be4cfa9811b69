"""NumPy's integers in an index are integers: they give views where Python's do, in every mode."""

import contextlib
import itertools

import numpy as np
import pytest

import cowarray as cw
from cowarray._modes.record.repeating import NotAsForetold, laid

MODES = {
    "plain": contextlib.nullcontext,
    "aliasing": cw.aliasing,
    "budget": lambda: cw.budget("1MiB", small=0),
    "deferred": cw.deferred,
    "fake": cw.fake,
    "simulate": cw.simulate,
}
ITEMS = [np.int64(1), np.uint8(2), np.intp(-1), 0, slice(1, None), slice(None, None, -1), None, ...]
KEYS = [
    key
    for length in (1, 2, 3)
    for key in itertools.product(ITEMS, repeat=length)
    if key.count(...) <= 1 and any(isinstance(item, np.integer) for item in key)
]


def sources():
    """An array in C order, and views of one that are not."""
    x = cw.arange(27.0).reshape(3, 3, 3) + 0
    return [x, x.T, x[::-1]]


@pytest.mark.parametrize("mode", MODES)
def test_a_key_gives_what_python_s_integers_give(mode):
    for key in KEYS:
        plain = tuple(int(item) if isinstance(item, np.integer) else item for item in key)
        with MODES[mode]():
            for x, y in zip(sources(), sources(), strict=True):
                found, expected = x[key], y[plain]
                assert (found.shape, found.dtype) == (expected.shape, expected.dtype), key
                if not isinstance(expected, cw.ndarray) or expected.base is None:
                    continue
                assert found.strides == expected.strides, key
                assert found.storage is x.storage, key
                if mode != "fake":
                    found[...] = 99
                    expected[...] = 99
                    assert np.array_equal(x, y), key


@pytest.mark.parametrize("mode", MODES)
def test_an_integer_array_without_axes_gives_a_copy(mode):
    with MODES[mode]():
        x = cw.arange(6.0).reshape(2, 3) + 0
        for key in (np.array(1), (..., np.array(1)), (np.array(0), slice(1, None))):
            assert x[key].storage is not x.storage


@pytest.mark.parametrize("key", [np.int64(3), 3, (np.int8(3),)])
def test_an_element_that_was_not_written_is_no_divergence(key):
    with cw.simulate() as seen:
        x = cw.zeros(6) + 0
        y = cw.real_if_close(x)
        x[0] = 1
        assert y[key] == 0
    assert len(seen) == 0


def test_what_does_not_fit_into_its_bytes_is_not_laid_there():
    place = cw.arange(27.0).reshape(3, 3, 3)[..., 0]
    with pytest.raises(NotAsForetold, match="72 bytes"):
        laid(cw.zeros((3, 3)), (place, 72), {})
