"""Linear algebra: NumPy's results, as ours or as views of ours; operands are only read, and out is written."""

import chapters
import numpy as np
import pytest
from chapters import Chapter
from oracle import agree, outcome, same, value

import cowarray
from cowarray import _linear_algebra

MORE = """
np.cross(x[..., :3], A([1., 2., 3.]), axis=-1)
np.dot(x, 2)
np.einsum(x, [0, 1], [1, 0])
np.einsum(x, [0, 1], x, [1, 2], optimize=True)
np.einsum("ij,j->i", x, A([1., 2., 3., 4.]), dtype="f4", casting="unsafe")
np.inner(x, 2)
np.matmul(x, x)
np.matmul(x, x, axes=[(0, 1), (0, 1), (0, 1)])
np.matvec(x, A([1., 2., 3., 4.]))
np.outer(x, 2)
np.tensordot(x, x, axes=([0], [1]))
np.vdot(x, x + 1j)
np.vecdot(x, x)
np.vecdot(x, A([1., 2., 3., 4.]), axis=0)
np.vecmat(A([1., 2., 3., 4.]), x)
"""
CHAPTER = Chapter(_linear_algebra, more=MORE)

STANDARD = """
matmul(x1, x2, /)
matrix_transpose(x, /)
tensordot(x1, x2, /, *, axes=2)
vecdot(x1, x2, /, *, axis=-1)
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
    assert chapters.check_bad_arguments(CHAPTER, call)


@pytest.mark.parametrize("name", ["matmul", "matvec", "vecdot", "vecmat"])
def test_ufuncs_write_out_and_take_numpys_keywords(name):
    theirs = getattr(np, name, None)
    if theirs is None:
        with pytest.raises(AttributeError, match=name):
            getattr(cowarray, name)([1.0], [1.0])
        return
    n = np.arange(9.0).reshape(3, 3)
    x = cowarray.array(n)
    expected = theirs(n, n)
    out = cowarray.array(np.zeros_like(expected))
    copy, view = out.copy(), out[..., :1]
    assert getattr(cowarray, name)(x, x, out) is out
    same(out, expected)
    same(copy, np.zeros_like(expected))
    same(view, expected[..., :1])
    assert getattr(cowarray, name)(n, n.tolist(), out=(out,)) is out
    foreign = np.zeros_like(expected)
    assert getattr(cowarray, name)(x, n, out=foreign) is foreign
    np.testing.assert_array_equal(foreign, expected)
    same(getattr(cowarray, name)(n.tolist(), x, dtype="f4"), theirs(n, n, dtype="f4"))
    for bad in ({"out": "text"}, {"nothing": 1}, {"dtype": "M8[s]"}, {"axes": 5}):
        agree(outcome(getattr(cowarray, name), x, x, **bad), outcome(theirs, n, n, **bad))
    for one, other in ((5, 5), (n, n[:2]), (n, "text"), (n, object())):
        agree(outcome(getattr(cowarray, name), one, other), outcome(theirs, one, other))


def test_a_diagonal_by_einsum_is_a_view_to_write_to():
    x = cowarray.array(np.ones((3, 3)))
    copy = x.copy()
    cowarray.einsum("ii->i", x)[...] = 0
    assert value(x).trace() == 0
    assert value(copy).trace() == 3


def test_views_of_numpys_arrays_are_arrays_of_their_own():
    n = np.arange(4.0).reshape(2, 2)
    for result in (cowarray.matrix_transpose(n), cowarray.einsum("ij->ji", n), cowarray.linalg.matrix_transpose(n)):
        same(result, n.T)
        result[...] = 7
        assert n[0, 1] == 1


def test_trace_keeps_its_own_meaning():
    assert "trace" not in _linear_algebra.__all__
    with cowarray.trace() as seen:
        cowarray.linalg.trace([[1, 2], [3, 4]])
    assert len(seen) == 0
