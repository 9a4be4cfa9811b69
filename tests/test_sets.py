"""Set functions: NumPy's results, as ours, but for unique_values, which is sorted; operands are only read."""

import chapters
import numpy as np
import pytest
from chapters import Chapter
from oracle import same

import cowarray
from cowarray import _sets

MORE = """
np.isin(x, 3.)
np.isin(x, A([1., 2.]), assume_unique=True, invert=True)
np.isin(x.astype(int), A([1, 2]), kind="table")
np.setdiff1d(x, [3., 4.], True)
np.unique(x)
np.unique(x % 3, True, True, True)
np.unique(x % 2, axis=0)
np.unique(x % 3, return_inverse=True, axis=-1, equal_nan=False)
np.unique_counts(x % 3)
"""
# NumPy's may come in any order, from 2.3 on.
CHAPTER = Chapter(_sets, more=MORE, expected={"np.unique_values(x)": "np.unique(x, equal_nan=False)"})

STANDARD = """
isin(x1, x2, /, *, invert=False)
unique_all(x, /)
unique_counts(x, /)
unique_inverse(x, /)
unique_values(x, /)
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
def test_nothing_is_written(call):
    assert chapters.check_without_out(call)


@pytest.mark.parametrize("call", CHAPTER.calls)
def test_bad_arguments_get_numpys_class_of_error(call):
    assert chapters.check_bad_arguments(CHAPTER, call)


@pytest.mark.parametrize("dtype", ["?", "i1", "i8", "u8", "f4", "f8", "D", "U2", "O"])
def test_unique_values_are_sorted_and_nans_are_distinct(dtype):
    values = np.random.default_rng(3).integers(0, 90, 400).astype(dtype)
    given = cowarray.array(values)
    expected = np.unique(values)
    same(cowarray.unique_values(given), expected)
    for result in (cowarray.unique_all(given), cowarray.unique_counts(given), cowarray.unique_inverse(given)):
        same(result.values, expected)
    if expected.dtype.kind in "fc":
        assert np.isnan(cowarray.unique_values([np.nan, 1, np.nan])).sum() == 2


def test_unique_may_be_left_unsorted():
    values = np.random.default_rng(3).integers(0, 90, 400)
    for sorted_ in (False, True):
        result = cowarray.unique(cowarray.array(values), sorted=sorted_)
        assert type(result) is cowarray.ndarray
        assert sorted(result.tolist()) == np.unique(values).tolist()
