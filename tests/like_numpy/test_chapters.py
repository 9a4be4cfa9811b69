"""What every function of the chapters holds to: NumPy's results, as ours; operands only read; NumPy's errors.

The functions' own promises are in the chapters' own files; what the standard asks of them in `test_standard.py`.
"""

import chapters
import pytest
from chapters import CHAPTERS

pytestmark = pytest.mark.numpy_ends


def cases(things):
    """Each of the things that a function of a chapter gives, with the chapter."""
    return [
        pytest.param(chapter, thing, id=f"{name}: {thing}")
        for name, chapter in CHAPTERS.items()
        for thing in things(chapter)
    ]


CALLS = cases(lambda chapter: chapter.calls)


@pytest.mark.parametrize("chapter", CHAPTERS.values(), ids=CHAPTERS)
def test_every_function_of_the_chapter_has_a_call(chapter):
    assert chapter.names
    assert chapter.uncalled() == []


@pytest.mark.parametrize(("chapter", "name"), cases(lambda chapter: chapter.names))
def test_parameters_are_numpys(chapter, name):
    assert chapters.takes_what_numpys_takes(chapter, name)


@pytest.mark.parametrize(("chapter", "call"), CALLS)
def test_results_are_numpys_and_operands_are_only_read(chapter, call):
    assert chapters.check_layouts(chapter, call) + chapters.check_dtypes(chapter, call)


@pytest.mark.parametrize(("chapter", "call"), CALLS)
def test_arrays_of_others_and_lists_give_ours(chapter, call):
    assert chapters.check_strangers(chapter, call)


@pytest.mark.parametrize(("chapter", "call"), cases(lambda chapter: chapter.reading()))
def test_nothing_is_written_where_no_out_is_given(chapter, call):
    assert chapters.check_without_out(call)


@pytest.mark.parametrize(("chapter", "call"), cases(chapters.out_calls))
def test_out_is_written_and_no_copy_of_it(chapter, call):
    # NumPy's transforms have no out for what is cut on the way.
    assert chapters.check_out(call) or (chapter.space == "np.fft" and "(x, (" in call)


@pytest.mark.parametrize(("chapter", "call"), CALLS)
def test_bad_arguments_get_numpys_class_of_error(chapter, call):
    assert chapters.check_bad_arguments(chapter, call)
