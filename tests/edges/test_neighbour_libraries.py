"""SciPy, torch, astropy, dask, pandas and autograd compute with our arrays as with NumPy's, if they are installed."""

import contextlib
import warnings

import numpy as np
import pytest
from all_operators import COMPARISONS, OPERATORS, outcome
from support.programs import run

import cowarray


def need(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip(name, reason=f"{name} is not installed; it comes with cowarray[producers]")


def agree(function, other):
    """The same outcome with ours and with NumPy's, on both sides."""
    n = np.arange(1.0, 5.0)
    for sides in (lambda array: (array, other), lambda array: (other, array)):
        ours, theirs = outcome(function, *sides(cowarray.array(n))), outcome(function, *sides(n))
        assert ours[1] is theirs[1]
        if theirs[1] is None:
            expected = np.ndarray if type(ours[0]) is cowarray.ndarray else type(ours[0])
            assert expected is type(theirs[0])
            for left, right in zip(np.atleast_1d(*parts(ours[0])), np.atleast_1d(*parts(theirs[0])), strict=True):
                np.testing.assert_array_equal(np.asarray(left), np.asarray(right))


def parts(result):
    result = result if isinstance(result, tuple) else (result,)
    return [item.toarray() if hasattr(item, "toarray") else np.asarray(item) for item in result]


@pytest.mark.parametrize("function", [*OPERATORS[:9], *COMPARISONS], ids=lambda function: function.__name__)
def test_astropys_quantities(function):
    units = need("astropy.units")
    for other in (np.array([1.0, 2.0, 3.0, 4.0]) * units.m, 3 * units.m, 2 * units.one):
        agree(function, other)


def test_astropys_units_make_quantities():
    units = need("astropy.units")
    x = cowarray.array([1.0, 2.0])
    for made, expected in (
        (units.m * x, [1, 2]),
        (x * units.m, [1, 2]),
        (units.m / x, [1, 0.5]),
        (x << units.m, [1, 2]),
    ):
        assert isinstance(made, units.Quantity)
        assert made.value.tolist() == expected
    made = x * units.m
    x[0] = 9
    assert made.value.tolist() == [1, 2]


@pytest.fixture
def dask():
    """Without threads, which would stay."""
    array = need("dask.array")
    with need("dask").config.set(scheduler="synchronous"):
        yield array


@pytest.mark.parametrize("function", [*OPERATORS[:9], *COMPARISONS], ids=lambda function: function.__name__)
def test_dasks_arrays(function, dask):
    agree(function, dask.from_array(np.arange(1.0, 5.0), chunks=2))


def test_what_dask_computes_later_is_of_the_values_then(dask):
    x = cowarray.array([1.0, 2.0])
    later = x + dask.ones(2)
    x[...] = 0
    assert later.compute().tolist() == [2, 3]


@pytest.mark.parametrize("kind", ["csr_array", "csr_matrix", "coo_array"])
@pytest.mark.parametrize("function", [*OPERATORS[:9], *COMPARISONS], ids=lambda function: function.__name__)
def test_scipys_sparse_arrays(function, kind):
    sparse = need("scipy.sparse")
    agree(function, getattr(sparse, kind)(np.eye(4)))


OVERWRITES = {
    "solve": lambda linalg, matrix, x: linalg.solve(matrix, x, overwrite_b=True),
    "lu_solve": lambda linalg, matrix, x: linalg.lu_solve(linalg.lu_factor(matrix), x, overwrite_b=True),
    "solve_triangular": lambda linalg, matrix, x: linalg.solve_triangular(matrix, x, overwrite_b=True),
    "dscal": lambda linalg, matrix, x: linalg.blas.dscal(2.0, np.asarray(x)),
}


@pytest.mark.parametrize("overwrite", OVERWRITES)
def test_what_scipy_overwrites_is_kept_in_an_array_that_is_lent(overwrite):
    linalg = need("scipy.linalg")
    x = cowarray.array(np.arange(1.0, 5.0))
    copies = [x.copy(), x.to_numpy(), x.reshape(2, 2)]
    with cowarray.lend(x):
        result = OVERWRITES[overwrite](linalg, 2 * np.eye(4), x)
    assert x.tolist() == result.tolist() != [1, 2, 3, 4]
    for copy in copies:
        assert copy.ravel().tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize("overwrite", OVERWRITES)
def test_scipy_ignores_that_numpys_array_is_read_only(overwrite):
    """Recorded: docs/interop.md says so. Once SciPy looks at the flag, it need not."""
    linalg = need("scipy.linalg")
    fixed = np.arange(1.0, 5.0)
    fixed.flags.writeable = False
    OVERWRITES[overwrite](linalg, 2 * np.eye(4), fixed)
    assert fixed.tolist() != [1, 2, 3, 4]


@pytest.mark.parametrize("block", [contextlib.nullcontext, cowarray.aliasing])
def test_scipys_factors_take_numpys_arrays_alone(block):
    """Its C code asks for the type: an error, in `aliasing`, too, and no harm."""
    factors = need("scipy.sparse.linalg").splu(need("scipy.sparse").csc_matrix(2 * np.eye(4)))
    x = cowarray.array(np.arange(4.0))
    with block():
        with pytest.raises(TypeError, match=r"must be numpy.ndarray, not cowarray.ndarray"):
            factors.solve(x)
        assert factors.solve(np.asarray(x)).tolist() == [0, 0.5, 1, 1.5]
    assert x.tolist() == [0, 1, 2, 3]


def test_scipys_label_takes_for_a_dtype_what_is_not_numpys():
    """Recorded: docs/interop.md says so. In `aliasing` x says that it is NumPy's, and compiled code refuses it."""
    need("scipy.ndimage")
    run("""
        import numpy as np
        import cowarray
        from scipy.ndimage import label

        x = cowarray.zeros(5, dtype=np.int32)
        kept = x.copy()
        labels, count = label([1, 0, 1, 1, 0], output=x)
        assert (labels.tolist(), count, x.tolist()) == ([1, 0, 2, 2, 0], 2, [0] * 5)
        with cowarray.aliasing():
            try:
                label([1, 0, 1, 1, 0], output=x)
            except TypeError as error:
                assert "expected numpy.ndarray" in str(error)
            else:
                raise AssertionError("taken")
            assert label([1, 0, 1, 1, 0], output=np.asarray(x)) == 2
        assert (x.tolist(), kept.tolist()) == ([1, 0, 2, 2, 0], [0] * 5)
    """)


def test_pandas_is_told_that_an_array_is_not_numpys():
    """It would keep ours in a Series, which its compiled code then refuses, inside and afterwards."""
    pandas = need("pandas")
    x = cowarray.array([3.0, 1.0, 2.0])
    with cowarray.aliasing():
        assert isinstance(x, np.ndarray)
        series, index = pandas.Series(x), pandas.Index(x)
        assert pandas.Series([1.0, 5.0]).isin(x).tolist() == [True, False]
        assert pandas.cut(x, 3).codes.tolist() == [2, 0, 1]
        assert index.get_loc(2.0) == 2
    assert series.sort_values().tolist() == [1, 2, 3]
    assert (series.quantile(0.5), index.get_loc(1.0)) == (2, 1)
    assert series.groupby([0, 0, 1]).sum().tolist() == [4, 2]


def test_scipy_copies_what_it_may_not_overwrite():
    linalg = need("scipy.linalg")
    x = cowarray.array(np.arange(1.0, 5.0))
    linalg.solve(2 * np.eye(4), x)
    linalg.solve(np.asarray(x).reshape(2, 2), np.ones(2))
    assert x.tolist() == [1, 2, 3, 4]


def test_autograd_differentiates_through_ours():
    autograd = need("autograd")
    x, weights = cowarray.array([1.0, 2.0, 3.0]), np.array([0.1, 0.2, 0.3])
    for function in (lambda box: (box * x).sum(), lambda box: (x * box).sum(), lambda box: x @ box):
        assert autograd.grad(function)(weights).tolist() == [1, 2, 3]


@pytest.mark.filterwarnings("ignore:The given NumPy array is not writable")
def test_torch_ignores_that_numpys_array_is_read_only():
    """Recorded: docs/interop.md says so. Once torch looks at the flag, it need not."""
    torch = need("torch")
    fixed = np.arange(3.0)
    fixed.flags.writeable = False
    torch.from_numpy(fixed)[0] = 9
    assert fixed[0] == 9
    x = cowarray.array(np.arange(3.0))
    lazy = x.copy()
    with cowarray.lend(x):
        torch.from_numpy(np.asarray(x))[0] = 9
    assert (x[0], lazy[0]) == (9, 0)


@pytest.mark.filterwarnings("ignore:The given NumPy array is not writable")
def test_torch_compares_with_ours():
    torch = need("torch")
    x, tensor = cowarray.array([1.0, 2.0]), torch.tensor([1.0, 3.0], dtype=torch.float64)
    for equal in (x == tensor, tensor == x):
        assert equal.tolist() == [True, False]
    with pytest.raises(TypeError, match="compare by elements"):
        _ = x != tensor


def test_torchs_tensors_are_assigned_without_a_warning():
    torch = need("torch")
    x = cowarray.array(np.zeros(4))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x[:] = torch.arange(4, dtype=torch.float64)
    assert x.tolist() == [0, 1, 2, 3]
