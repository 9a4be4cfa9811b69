"""Statistical functions: NumPy's results, as ours; operands are only read, and out is written."""

import numpy as np
import pytest
from support.oracle import agree, numbers, outcome, same

import cowarray
from cowarray._chapters import statistics as _statistics


@pytest.mark.parametrize("name", [name for name in _statistics.__all__ if name.startswith("nan")])
def test_nans_are_left_out(name):
    n = numbers((4, 4)).copy()
    n[0, 1:3] = n[2, 0] = np.nan
    more = (0.5,) if "tile" in name else ()
    for axis in (0, 1, None):
        expected = outcome(getattr(np, name), n, *more, axis=axis)
        assert expected[1] is None
        agree(outcome(getattr(cowarray, name), cowarray.array(n), *more, axis=axis), expected)
    empty = np.full((2, 2), np.nan)
    agree(
        outcome(getattr(cowarray, name), cowarray.array(empty), *more),
        outcome(getattr(np, name), empty, *more),
    )


@pytest.mark.parametrize("name", ["std", "var", "nanstd", "nanvar"])
@pytest.mark.parametrize("correction", [0, 1, 0.5, 2.0])
def test_correction_is_ddof(name, correction):
    n = numbers((4, 4))
    x = cowarray.array(n)
    for axis in (None, 0, (0, 1)):
        same(getattr(cowarray, name)(x, axis=axis, correction=correction), getattr(np, name)(n, axis, ddof=correction))


def test_masked_arrays_stay_masked():
    masked = np.ma.masked_array([[1.0, 2.0], [3.0, 4.0]], [[False, True], [False, False]])
    for name in ("sum", "mean", "max", "cumsum", "std"):
        result = getattr(cowarray, name)(masked, axis=0)
        assert type(result) is np.ma.MaskedArray
        expected = getattr(np, name)(masked, axis=0)
        assert result.tolist() == expected.tolist()


def test_a_result_that_a_stranger_keeps_is_not_taken_over():
    class Keeping:
        kept = np.arange(3.0)

        def __array_function__(self, function, types, args, kwargs):
            return self.kept

    for function in (cowarray.sum, cowarray.sort, cowarray.linalg.inv, cowarray.fft.fft):
        result = function(Keeping())
        same(result, Keeping.kept)
        result[0] = 9
        assert Keeping.kept[0] == 0


def test_memory_of_strangers_is_read_and_maps_give_ours(tmp_path):
    n = numbers((4, 4))
    mapped = np.memmap(tmp_path / "map", "f8", "w+", shape=(4, 4))
    mapped[...] = n
    for given in (mapped, memoryview(n)):
        for function, theirs in ((cowarray.sum, np.sum), (cowarray.sort, np.sort), (cowarray.cumsum, np.cumsum)):
            result = function(given, axis=0)
            same(result, theirs(n, axis=0))
            result[...] = 0
            np.testing.assert_array_equal(given, n)
