"""`cowarray.fft`: NumPy's results, as ours; operands are only read, and out is written."""

import numpy as np
import pytest
from support.oracle import agree, outcome, same

import cowarray
from cowarray import fft


def test_all_of_numpys_module_is_there():
    assert set(fft.__all__) >= set(np.fft.__all__)


@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
@pytest.mark.parametrize("dtype", [None, "f2", "f4", np.float64, np.longdouble, ">f8"])
def test_frequencies_have_the_dtype_that_is_asked_for(name, dtype):
    for n, d in [(1, 1.0), (4, 0.5), (5, 3)]:
        expected = getattr(np.fft, name)(n, d).astype(dtype or np.float64)
        result = getattr(fft, name)(n, d=d, dtype=dtype, device="cpu")
        same(result, expected)
        assert result.flags.writeable


@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
def test_frequencies_are_real_and_on_the_cpu(name):
    for dtype in ("i8", "D", "?", "O", "U3"):
        with pytest.raises(ValueError, match=f"{name}: frequencies are real"):
            getattr(fft, name)(4, dtype=dtype)
    agree(outcome(getattr(fft, name), 4, device="gpu"), outcome(getattr(np.fft, name), 4, device="gpu"))
    assert outcome(getattr(fft, name), 4, device="gpu")[1] is ValueError
    agree(outcome(getattr(fft, name), 4, dtype="nonsense"), (None, TypeError))
    x = cowarray.array([0.5])
    same(getattr(fft, name)(4, x[0]), getattr(np.fft, name)(4, 0.5))
