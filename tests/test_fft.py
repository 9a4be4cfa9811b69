"""`cowarray.fft`: NumPy's results, as ours; operands are only read, and out is written."""

import chapters
import numpy as np
import pytest
from chapters import Chapter
from oracle import agree, outcome, same

import cowarray
from cowarray import fft

MORE = """
np.fft.fft(x, 3, 0, "ortho")
np.fft.fft2(x, (2, 3), axes=(0, 1))
np.fft.fftfreq(4)
np.fft.fftfreq(5, .5, "cpu")
np.fft.fftn(x, axes=(0, 1), norm="forward")
np.fft.fftshift(x, axes=0)
np.fft.hfft(x, n=4)
np.fft.ifft(x, axis=0)
np.fft.ifftshift(x, (0, 1))
np.fft.irfft(x, 5, norm="ortho")
np.fft.irfftn(x, axes=(0, 1))
np.fft.rfft(x, norm="backward")
np.fft.rfftfreq(4)
np.fft.rfftfreq(n=5, d=.5)
np.fft.rfftn(x, (3, 3), (0, 1))
"""
CHAPTER = Chapter(fft, "np.fft", MORE)
FREQUENCIES = [call for call in CHAPTER.calls if "freq" in call]

STANDARD = """
fft(x, /, *, n=None, axis=-1, norm="backward")
fftfreq(n, /, *, d=1.0, dtype=None, device=None)
fftn(x, /, *, s=None, axes=None, norm="backward")
fftshift(x, /, *, axes=None)
hfft(x, /, *, n=None, axis=-1, norm="backward")
ifft(x, /, *, n=None, axis=-1, norm="backward")
ifftn(x, /, *, s=None, axes=None, norm="backward")
ifftshift(x, /, *, axes=None)
ihfft(x, /, *, n=None, axis=-1, norm="backward")
irfft(x, /, *, n=None, axis=-1, norm="backward")
irfftn(x, /, *, s=None, axes=None, norm="backward")
rfft(x, /, *, n=None, axis=-1, norm="backward")
rfftfreq(n, /, *, d=1.0, dtype=None, device=None)
rfftn(x, /, *, s=None, axes=None, norm="backward")
"""


def test_every_function_of_the_chapter_has_a_call():
    assert CHAPTER.uncalled() == []


@pytest.mark.parametrize("name", CHAPTER.names)
def test_parameters_are_numpys(name):
    assert chapters.takes_what_numpys_takes(CHAPTER, name)


@pytest.mark.parametrize("line", [line for line in STANDARD.splitlines() if line])
def test_the_standards_calls_are_taken(line):
    assert chapters.accepts(CHAPTER, line)


@pytest.mark.parametrize("call", CHAPTER.calls)
def test_results_are_numpys_and_operands_are_only_read(call):
    assert chapters.check_layouts(CHAPTER, call) + chapters.check_dtypes(CHAPTER, call)


@pytest.mark.parametrize("call", CHAPTER.calls)
def test_arrays_of_others_and_lists_give_ours(call):
    assert chapters.check_strangers(CHAPTER, call)


@pytest.mark.parametrize("call", CHAPTER.reading())
def test_nothing_is_written_where_no_out_is_given(call):
    assert chapters.check_without_out(call)


@pytest.mark.parametrize("call", chapters.out_calls(CHAPTER))
def test_out_is_written_and_no_copy_of_it(call):
    assert chapters.check_out(call) or "(x, (" in call  # NumPy has no out for what is cut on the way


@pytest.mark.parametrize("call", CHAPTER.calls)
def test_bad_arguments_get_numpys_class_of_error(call):
    assert chapters.check_bad_arguments(CHAPTER, call, {("fftfreq", "dtype"), ("rfftfreq", "dtype")})


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
