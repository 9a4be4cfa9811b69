"""`cowarray.linalg`: NumPy's results, as ours or as views of ours; operands are only read."""

import chapters
import numpy as np
import pytest
from chapters import Chapter
from oracle import same

from cowarray import linalg

MORE = """
np.linalg.cholesky(np.eye(3) + A(3 * np.eye(3)), upper=True)
np.linalg.cond(x, 1)
np.linalg.eigh(x @ x.T, "U")
np.linalg.eigvalsh(x, UPLO="U")
np.linalg.lstsq(x, x[:, 0], rcond=1e-9)
np.linalg.matrix_norm(x, ord=1, keepdims=True)
np.linalg.matrix_power(x, -1)
np.linalg.matrix_rank(x, rtol=1e-3)
np.linalg.matrix_rank(x, 1.)
np.linalg.norm(x, axis=0, keepdims=True)
np.linalg.pinv(x, rtol=1e-3)
np.linalg.pinv(x @ x.T, 1e-9, True)
np.linalg.qr(x, "complete")
np.linalg.qr(x, mode="r")
np.linalg.solve(x, x[:, 0])
np.linalg.svd(x, full_matrices=False)
np.linalg.svd(x, compute_uv=False)
np.linalg.tensordot(x, x, axes=1)
np.linalg.trace(x, offset=1, dtype="f4")
np.linalg.vecdot(x, x + 1j, axis=0)
np.linalg.vector_norm(x, axis=0, ord=1)
"""
CHAPTER = Chapter(linalg, "np.linalg", MORE)

STANDARD = """
cholesky(x, /, *, upper=False)
cross(x1, x2, /, *, axis=-1)
det(x, /)
diagonal(x, /, *, offset=0)
eig(x, /)
eigh(x, /)
eigvals(x, /)
eigvalsh(x, /)
inv(x, /)
matmul(x1, x2, /)
matrix_norm(x, /, *, keepdims=False, ord="fro")
matrix_power(x, n, /)
matrix_rank(x, /, *, rtol=None)
matrix_transpose(x, /)
outer(x1, x2, /)
pinv(x, /, *, rtol=None)
qr(x, /, *, mode="reduced")
slogdet(x, /)
solve(x1, x2, /)
svd(x, /, *, full_matrices=True)
svdvals(x, /)
tensordot(x1, x2, /, *, axes=2)
trace(x, /, *, offset=0, dtype=None)
vecdot(x1, x2, /, *, axis=-1)
vector_norm(x, /, *, axis=None, keepdims=False, ord=2)
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


def test_all_of_numpys_module_is_there():
    assert set(linalg.__all__) >= set(np.linalg.__all__)
    assert linalg.LinAlgError is np.linalg.LinAlgError


@pytest.mark.parametrize("name", ["inv", "solve", "cholesky"])
def test_a_matrix_without_inverse_is_an_error_that_says_so(name):
    more = ([1.0, 2.0],) if name == "solve" else ()
    with pytest.raises(linalg.LinAlgError, match=r"ingular|positive definite"):
        getattr(linalg, name)([[0.0, 0.0], [0.0, 0.0]], *more)


def test_multi_dot_of_anything():
    n = np.arange(4.0).reshape(2, 2)
    same(linalg.multi_dot([n, n.tolist(), n]), np.linalg.multi_dot([n, n, n]))
