"""The element-wise functions of the array API standard: NumPy's results, as ours; operands are only read."""

import datetime
import inspect
import itertools
import re
import warnings

import numpy as np
import pytest
from support.oracle import LAYOUTS, OWNERSHIPS, agree, native, outcome, same, subject, value

import cowarray
from cowarray._chapters import elementwise as _elementwise
from cowarray._ops.table import OPERATIONS, VIEW

# Numbers for which a function is defined; what is not listed takes any.
VALUES = {
    "acos": [-1.0, -0.5, 0.0, 1.0],
    "acosh": [1.0, 1.5, 2.0, 7.0],
    "asin": [-1.0, -0.5, 0.0, 1.0],
    "atanh": [-0.75, -0.5, 0.0, 0.75],
}
ANY = [-2.5, -0.0, 0.5, 3.0]
DTYPES = ["?", "i1", "u1", "i4", "u8", "f2", "f4", ">f8", "f8", "F", "D", "O", "M8[s]", "m8[s]", "U2"]

OF_ONE = """
abs acos acosh asin asinh atan atanh bitwise_invert ceil clip conj cos cosh exp expm1 floor imag isfinite isinf
isnan log log10 log1p log2 logical_not negative positive real reciprocal round sign signbit sin sinh sqrt square tan
tanh trunc
"""
OF_TWO = """
add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign divide equal
floor_divide greater greater_equal hypot less less_equal logaddexp logical_and logical_or logical_xor maximum minimum
multiply nextafter not_equal pow remainder subtract
"""
ONE, TWO = OF_ONE.split(), OF_TWO.split()
VIEWS = [name for name in (*ONE, *TWO) if name in OPERATIONS and OPERATIONS[name].result == VIEW]
OPERATORS = {
    "add": "x + y",
    "subtract": "x - y",
    "multiply": "x * y",
    "divide": "x / y",
    "floor_divide": "x // y",
    "remainder": "x % y",
    "pow": "x ** y",
    "equal": "x == y",
    "not_equal": "x != y",
    "less": "x < y",
    "less_equal": "x <= y",
    "greater": "x > y",
    "greater_equal": "x >= y",
    "negative": "-x",
    "positive": "+x",
    "abs": "abs(x)",
}


def pair(name):
    """Ours and NumPy's function of a name."""
    return getattr(cowarray, name), getattr(np, name)


def operands(name, dtype):
    """As many NumPy arrays as the function takes, of values that the dtype can hold."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first = np.array(VALUES.get(name, ANY))
        if np.dtype(dtype).kind in "?u":
            first = np.abs(first)
        second = np.array([2.0, 1.0, 3.0, 0.0])
        made = [
            values.astype("i8").astype(dtype) if dtype[0] in "mMU" else values.astype(dtype)
            for values in (first, second)
        ]
    return made[: 1 if name in ONE else 2]


def own(arrays):
    return [cowarray.array(array) for array in arrays]


def test_every_function_of_the_chapter_has_a_case():
    assert sorted(_elementwise.__all__) == sorted([*ONE, *TWO])
    public = {name: item for name, item in vars(_elementwise).items() if not name.startswith("_")}
    functions = {name: item for name, item in public.items() if inspect.isfunction(inspect.unwrap(item))}
    defined = [name for name, item in functions.items() if inspect.unwrap(item).__globals__ is vars(_elementwise)]
    assert sorted(defined) == sorted(_elementwise.__all__)
    assert len(defined) == 67
    assert VIEWS == ["imag", "real"]
    assert set(defined) <= set(cowarray.__all__)
    for name in defined:
        assert getattr(cowarray, name) is getattr(_elementwise, name)


# (clip's bounds have the standard's names where they are given by position: see `test_standard.py`.)
@pytest.mark.parametrize("name", ["imag", "real", "round"])
def test_parameters_of_what_is_no_ufunc_are_numpys(name):
    ours, theirs = [list(inspect.signature(function).parameters.values()) for function in pair(name)]
    assert [(each.name, each.kind) for each in ours] == [(each.name, each.kind) for each in theirs]


# ---- what NumPy computes ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*ONE, *TWO])
def test_values_dtypes_and_errors_are_numpys(name):
    function, theirs = pair(name)
    worked = 0
    for dtype in DTYPES:
        given = operands(name, dtype)
        expected = outcome(theirs, *given)
        worked += expected[1] is None
        agree(outcome(function, *own(given)), expected)
        agree(outcome(function, *given), expected)
    assert worked >= 3


@pytest.mark.parametrize("name", TWO)
def test_dtypes_promote_as_numpys(name):
    function, theirs = pair(name)
    for one, other in itertools.product(["?", "i2", "u8", "f4", "D"], repeat=2):
        first, second = operands(name, one)[0], operands(name, other)[1]
        expected = outcome(theirs, first, second)
        agree(outcome(function, *own([first, second])), expected)
        agree(outcome(function, cowarray.array(first), second), expected)
        agree(outcome(function, first, cowarray.array(second)), expected)


@pytest.mark.parametrize("name", TWO)
@pytest.mark.parametrize("scalar", [True, 2, -3, 0.5, 1j, 2**70, np.float32(1.5), np.int8(3), "text", None])
def test_scalars_are_taken_as_numpy_takes_them(name, scalar):
    function, theirs = pair(name)
    for dtype in ("i2", "u1", "f4", "F"):
        n = operands(name, dtype)[0]
        for first, second, one, two in [(n, scalar, cowarray.array(n), scalar), (scalar, n, scalar, cowarray.array(n))]:
            expected = outcome(theirs, first, second)
            agree(outcome(function, one, two), expected)
            agree(outcome(function, first, second), expected)


@pytest.mark.parametrize("name", TWO)
def test_shapes_broadcast_or_are_refused(name):
    function, theirs = pair(name)
    for one, other in [((3, 1), (2,)), ((2, 0), (1,)), ((2, 3), (2,)), ((), (4,)), ((), ())]:
        first, second = np.ones(one, "u1"), np.full(other, 2, "u1")
        agree(outcome(function, *own([first, second])), outcome(theirs, first, second))


@pytest.mark.parametrize("name", [*ONE, *TWO])
def test_without_axes_and_of_scalars_alone_the_result_is_numpys(name):
    function, theirs = pair(name)
    for dtype in ("u1", "f4", "D"):
        arrays = [array[:1].reshape(()) for array in operands(name, dtype)]
        scalars = [array[()] for array in arrays]
        numbers = [array.item() for array in arrays]
        for given in (arrays, scalars, numbers):
            ours = own(given) if given is arrays else given
            result, expected = outcome(function, *ours), outcome(theirs, *given)
            if expected[1] is None and type(expected[0]) is np.ndarray:
                assert name in VIEWS
            agree(result, expected)


@pytest.mark.parametrize("name", OPERATORS)
def test_functions_give_what_the_operators_give(name):
    for dtype, ndim in itertools.product(["i4", "f4", "O"], [0, 1]):
        given = own(operands(name, dtype) if ndim else [array[3] for array in operands(name, dtype)])
        names = dict(zip("xy", given, strict=False))
        with np.errstate(all="ignore"):
            expected = outcome(eval, OPERATORS[name], names)
        result = outcome(getattr(cowarray, name), *given)
        assert type(result[0]) is type(expected[0])
        agree(result, (native(expected[0]), expected[1]))


@pytest.mark.parametrize("name", [name for name in (*ONE, *TWO) if not name.startswith("bitwise")])
def test_warnings_are_numpys(name):
    function, theirs = pair(name)
    given = [np.array([0.0, -3.0, np.inf, 1e308]), np.array([0.0, 0.5, np.inf, 1e308])][: 1 if name in ONE else 2]
    seen = []
    for call, arrays in ((theirs, given), (function, own(given))):
        with warnings.catch_warnings(record=True) as caught, np.errstate(all="warn"):
            warnings.simplefilter("always")
            call(*arrays)
        seen.append(sorted(str(warning.message) for warning in caught))
    assert seen[0] == seen[1]


def test_bounds_of_clip_may_be_anything():
    n = np.arange(8.0).reshape(2, 4)
    x = cowarray.array(n)
    for low, high in [(2, 5), (None, 3), (4, None), (None, None), (n[0], 5.5), ([1, 2, 3, 4], [[6], [5]]), (np.nan, 3)]:
        ours = [cowarray.array(bound) if isinstance(bound, np.ndarray) else bound for bound in (low, high)]
        for given in (x, n, n.tolist()):
            same(cowarray.clip(given, *ours), np.clip(n, low, high))
            same(cowarray.clip(given, min=low, max=high), np.clip(n, low, high))
    same(cowarray.clip(cowarray.array([1, 200], dtype="u1"), -5, 300), np.clip(np.array([1, 200], "u1"), -5, 300))
    agree(outcome(cowarray.clip, x, "a", "b"), outcome(np.clip, n, "a", "b"))
    same(cowarray.clip(x, 2, max=3), np.clip(n, 2, 3))  # as in the standard
    same(cowarray.clip(x, 2), np.clip(n, 2, None))
    same(cowarray.clip(x, a_min=2, a_max=5), np.clip(n, a_min=2, a_max=5))
    for bounds in ({"a_min": 1, "min": 2}, {"a_max": 1, "max": 2}):
        with pytest.raises(ValueError, match="clip"):
            cowarray.clip(x, **bounds)
    same(cowarray.clip(7, n, None), np.clip(7, n, None))
    parameters = list(inspect.signature(cowarray.clip).parameters)  # libraries look for bounds by them
    assert parameters == list(inspect.signature(np.clip).parameters)


def test_round_to_decimals():
    n = np.array([0.5, 1.5, 123.456, -2.5])
    for decimals in (0, 1, 2, -1):
        same(cowarray.round(cowarray.array(n), decimals), np.round(n, decimals))
        same(cowarray.round(cowarray.array([15, 25]), decimals=decimals), np.round(np.array([15, 25]), decimals))


# ---- what is taken ---------------------------------------------------------------------------------------------------


class Wrapping:
    """Memory of a stranger, who makes results of a kind of his own out of NumPy's."""

    def __init__(self, values):
        self.values = np.array(values)

    def __array__(self, dtype=None, copy=None):
        return self.values

    def __array_wrap__(self, array, context=None, return_scalar=False):
        return Wrapping(array)


@pytest.mark.parametrize("name", [*ONE, *TWO])
def test_lists_and_strangers_give_ours(name, tmp_path):
    function, theirs = pair(name)
    dtype = "i8" if name.startswith("bitwise") else "f8"
    given = operands(name, dtype)
    expected = outcome(theirs, *given)
    assert expected[1] is None
    mapped = [np.memmap(tmp_path / f"{at}", dtype, "w+", shape=array.shape) for at, array in enumerate(given)]
    for array, values in zip(mapped, given, strict=True):
        array[...] = values
    for make in (np.ndarray.tolist, memoryview, Wrapping, tuple):
        agree(outcome(function, *[make(array) for array in given]), expected)
        agree(outcome(function, make(given[0]), *own(given[1:])), expected)
    agree(outcome(function, *mapped), expected)


@pytest.mark.parametrize("name", ["add", "negative"])
def test_a_result_does_not_share_with_a_stranger(name):
    n = np.arange(4.0)
    stranger = Wrapping(n)
    result = getattr(cowarray, name)(*[stranger, stranger][: 1 if name in ONE else 2])
    before = value(result)
    result[...] = 77
    same(cowarray.array(stranger.values), n)
    stranger.values[...] = 55
    assert not np.array_equal(before, value(result))
    assert (value(result) == 77).all()


class Overriding:
    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return ufunc.__name__, [type(value) for value in inputs]


class Handing:
    """Hands out an array that he keeps."""

    kept = np.arange(3.0)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return self.kept


def test_who_overrides_ufuncs_is_asked():
    x = cowarray.array([1.0, 2.0])
    stranger = Overriding()
    assert cowarray.add(x, stranger) == ("add", [cowarray.ndarray, Overriding])
    assert cowarray.add(stranger, [1.0]) == ("add", [Overriding, list])
    assert cowarray.sqrt(stranger) == ("sqrt", [Overriding])


def test_an_array_that_an_override_keeps_is_not_taken_over():
    result = cowarray.add(Handing(), 1)
    same(result, Handing.kept)
    result[0] = 9
    assert Handing.kept[0] == 0
    Handing.kept[1] = 5
    assert result[1] == 1
    Handing.kept[1] = 1


def test_masked_arrays_stay_masked():
    masked = np.ma.masked_array([1.0, 2.0, 3.0], [False, True, False])
    for result in (
        cowarray.add(masked, 1),
        cowarray.add(cowarray.array([1.0, 1.0, 1.0]), masked),
        cowarray.abs(masked),
    ):
        assert type(result) is np.ma.MaskedArray
        assert result.mask.tolist() == [False, True, False]
    assert type(cowarray.round(masked)) is np.ma.MaskedArray


def test_objects_that_numpy_takes_for_scalars():
    n = np.array([3, 5], "m8[s]")
    second = datetime.timedelta(seconds=1)
    for function, args in [("add", (n, second)), ("multiply", (np.arange(2.0), fractions()))]:
        agree(
            outcome(getattr(cowarray, function), *[cowarray.array(args[0]), args[1]]),
            outcome(getattr(np, function), *args),
        )


def fractions():
    from fractions import Fraction

    return Fraction(1, 2)


@pytest.mark.parametrize("name", [*ONE, *TWO])
def test_bad_arguments_get_numpys_class_of_error(name):
    function, theirs = pair(name)
    count = 1 if name in ONE else 2
    n = np.arange(3.0)
    for bad in ("text", b"bytes", object(), {}, [[1], [2, 3]], np.zeros(2, "i4,f4")):
        agree(outcome(function, *[bad] * count), outcome(theirs, *[bad] * count))
        if count == 2:
            agree(outcome(function, cowarray.array(n), bad), outcome(theirs, n, bad))
            agree(outcome(function, bad, cowarray.array(n)), outcome(theirs, bad, n))
    for args in ((), (n,) * 9):
        assert outcome(function, *args)[1] is TypeError


# ---- what happens to the operands ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*ONE, *TWO])
def test_operands_stay_as_lazy_as_they_are_and_results_are_what_the_docstring_says(name):
    function, theirs = pair(name)
    said = re.findall(r"\b(Fresh|view|lazy copy)\b", function.__doc__.split("Examples")[0])
    for layout, ownership, dtype in itertools.product(LAYOUTS, OWNERSHIPS, (int, float, complex)):
        held = subject(layout, ownership, dtype)
        given = [held.x, held.x[...]][: 1 if name in ONE else 2]
        shares, address = held.x.storage.share_count, held.x.storage.data_ptr
        cowarray.reset_stats()
        result = outcome(function, *given)
        stats = cowarray.stats()
        agree(result, outcome(theirs, *[held.n, held.n][: len(given)]))
        assert stats["copies"] == stats["steals"] == stats["overwrites"] == 0
        assert held.x.storage.data_ptr == address
        if type(result[0]) is cowarray.ndarray:
            check_sharing(name, said, held, result[0], stats, shares)
        held.check()


def check_sharing(name, said, held, result, stats, shares):
    x = held.x
    if name in VIEWS and (name == "real" or x.dtype.kind == "c"):
        assert said[0] == "view"
        assert result.storage is x.storage
        assert stats["bytes_copied"] == 0
        return
    assert said[0] == "Fresh" or name in VIEWS
    assert result.storage is not x.storage
    if cowarray.shares_bytes(result, x):
        assert "lazy copy" in said
        assert x.storage.share_count == shares + 1
    else:
        assert x.storage.share_count == shares or (x.size == 0 and "lazy copy" in said)
        assert stats["bytes_copied"] == 0 or "lazy copy" in said
    if name not in VIEWS:
        assert result.flags.writeable
        result[...] = 1


def test_a_foreign_array_is_read_where_it_lies():
    n = np.arange(1000.0)
    for function in (cowarray.add, cowarray.maximum):
        cowarray.reset_stats()
        result = function(n, n)
        assert type(result) is cowarray.ndarray
        assert cowarray.stats()["bytes_copied"] == 0
    result[...] = 0
    assert n[-1] == 999
