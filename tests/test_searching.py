"""Searching functions: NumPy's results, as ours; operands are only read, and out is written."""

import chapters
import pytest
from chapters import Chapter

from cowarray import _searching

MORE = """
np.argmax(x, axis=-1, keepdims=True)
np.argmin(x, 0)
np.count_nonzero(x)
np.count_nonzero(x > 3, axis=(0, 1), keepdims=True)
np.digitize(x, [1., 3.], right=True)
np.nonzero(x)
np.searchsorted(A([1., 2., 4.]), x, side="right")
np.searchsorted(A([4., 1., 2.]), 2., sorter=A([1, 2, 0]))
np.where(x > 3, x, 0)
np.where(x > 3, A([1j]), x)
np.where(True, x, 2)
"""
CHAPTER = Chapter(_searching, more=MORE)

STANDARD = """
argmax(x, /, *, axis=None, keepdims=False)
argmin(x, /, *, axis=None, keepdims=False)
count_nonzero(x, /, *, axis=None, keepdims=False)
nonzero(x, /)
searchsorted(x1, x2, /, *, side="left", sorter=None)
where(condition, x1, x2, /)
"""


def test_every_function_of_the_chapter_has_a_call():
    assert CHAPTER.uncalled() == []


@pytest.mark.parametrize("name", CHAPTER.names)
def test_parameters_are_numpys(name):
    assert chapters.takes_what_numpys_takes(CHAPTER, name, ["x", "y"] if name == "where" else ())


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
    assert chapters.check_bad_arguments(CHAPTER, call)
