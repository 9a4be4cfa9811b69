"""Linear algebra: NumPy's results, as ours or as views of ours; operands are only read, and out is written."""

import inspect

import numpy as np
import pytest
from support.oracle import agree, outcome, same, value

import cowarray
from cowarray._chapters import linear_algebra as _linear_algebra


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
    with pytest.raises(TypeError, match=r"^trace: takes no arguments.*x\.trace\(\) or cowarray\.linalg\.trace\(x\)$"):
        cowarray.trace(cowarray.asarray([[1, 2], [3, 4]]))
    assert str(inspect.signature(cowarray.trace)) == "() -> None"
