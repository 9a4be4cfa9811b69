"""Statistical functions: NumPy's results, as ours; operands are only read, and out is written."""

import chapters
import numpy as np
import pytest
from chapters import Chapter
from oracle import agree, numbers, outcome, same

import cowarray
from cowarray import _statistics

MORE = """
np.average(x, (0, 1), x, keepdims=True)
np.bincount(A([1, 1, 3]), minlength=6)
np.convolve(A([1., 2., 3.]), A([0., 1.]), "same")
np.corrcoef(x, rowvar=False, dtype="f4")
np.correlate(A([1., 2., 3.]), [0., 1.], mode="full")
np.cov(x, x, False, True)
np.cov(x, fweights=A([1, 2, 1, 1]), aweights=A([1., 2., 3., 1.]), ddof=0)
np.cumprod(x, dtype="f4")
np.cumsum(x, axis=-1)
np.cumulative_prod(x, axis=-1, dtype="f4")
np.cumulative_sum(x[0])
np.histogram(x, "auto")
np.histogram(x, 4, (1, 9), True)
np.histogram2d(x[0], x[1], [2, 3], weights=x[2])
np.histogram_bin_edges(x, A([1., 3., 5.]))
np.histogramdd(x[:, :2], (2, A([1., 3., 9.])), density=True)
np.mean(x, (0, 1), "f4", keepdims=True)
np.mean(x, where=x > 3)
np.median(x, -1, keepdims=True)
np.min(x, axis=(0, 1), keepdims=True)
np.min(x, initial=2, where=A([True]))
np.nanmax(x, 0, keepdims=True)
np.nanmean(x, where=x > 3)
np.nanstd(x, axis=0, ddof=1)
np.nanvar(x, correction=1)
np.percentile(x, A([10, 50]), axis=0, method="nearest")
np.prod(x, dtype="f4", initial=2.)
np.ptp(x, 0, keepdims=True)
np.quantile(x, [.1, .5], axis=(0, 1), keepdims=True)
np.quantile(x, .5, weights=x, method="inverted_cdf")
np.std(x, correction=1)
np.std(x, axis=0, ddof=1, keepdims=True, where=x > 0)
np.sum(x, (0, 1), initial=5)
np.var(x, -1, "f4")
np.var(x, axis=0, correction=0.5)
"""
CHAPTER = Chapter(_statistics, more=MORE)

STANDARD = """
cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False)
cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False)
max(x, /, *, axis=None, keepdims=False)
mean(x, /, *, axis=None, keepdims=False)
min(x, /, *, axis=None, keepdims=False)
prod(x, /, *, axis=None, dtype=None, keepdims=False)
std(x, /, *, axis=None, correction=0.0, keepdims=False)
sum(x, /, *, axis=None, dtype=None, keepdims=False)
var(x, /, *, axis=None, correction=0.0, keepdims=False)
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
    assert chapters.check_out(call)


@pytest.mark.parametrize("call", CHAPTER.calls)
def test_bad_arguments_get_numpys_class_of_error(call):
    assert chapters.check_bad_arguments(CHAPTER, call, {("histogramdd", "bins")})


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
