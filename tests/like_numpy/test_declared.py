"""Functions that are declared: what NumPy warns of is told of the caller's line, and what does not fit is refused."""

import contextlib
import inspect
import warnings

import numpy as np
import pytest

import cowarray

pytestmark = [pytest.mark.numpy_ends, pytest.mark.numpy_versions]

_VALUES = {
    "x": [-1.0, 0.0, np.nan, np.inf],
    "none": [],
    "nans": [np.nan, np.nan],
    "big": [[1e300] * 2] * 2,
}

_ELEMENTWISE = [
    *[f"np.{name}(x)" for name in ("log", "log2", "log10", "log1p", "sqrt", "acos", "acosh", "arcsin", "atanh", "sin")],
    *[f"np.{name}(x, 0)" for name in ("divide", "floor_divide", "remainder", "fmod", "divmod")],
    "np.exp(x * 0 + 1e9)",
    "np.reciprocal(x)",
    "np.multiply(big, 1e300, out=big)",
    "np.add(big, 1, dtype='f2')",
    "np.ldexp(big, 5000)",
    "np.nextafter(np.asarray(1.7976931348623157e308), np.inf)",
    "np.divmod(x, 0, out=(x.copy(), x.copy()))",
    "np.divide.outer(x, x)",
    "np.multiply.reduce(big)",
    "np.multiply.accumulate(big)",
    "np.multiply.reduceat(big, [0])",
    "np.multiply.at(big, 0, 1e300)",
    "np.matmul(big, big)",
    "np.vecdot(big, big, axis=0)",
    "np.vecmat(big[0], big, dtype='f8')",
]
_STANDARD = [
    *[f"np.{name}(x)" for name in ("log", "log2", "log10", "log1p", "sqrt", "acos", "acosh", "asin", "atanh", "sin")],
    *[f"np.{name}(x, x * 0)" for name in ("divide", "floor_divide", "remainder")],
    "np.matmul(big, big)",
]
_OTHERS = [
    *["x / 0", "x // 0", "x % 0", "x ** 0.5", "x @ (x * 0)", "big.__imul__(1e300)"],
    *[
        "x.astype(int)",
        "big.astype('f4')",
        "np.asarray([1j]).astype(float)",
        "np.asarray(x, dtype=complex).astype('f4')",
    ],
    "x.__setitem__(0, np.complex128(1j))",
    *["np.mean(none)", "none.mean()", "np.var(none)", "none.std(ddof=2)", "np.median(none)"],
    "np.average(x, weights=x * np.inf)",
    *[f"np.{name}(nans)" for name in ("nanmean", "nanmax", "nanmin", "nanmedian", "nanvar", "nanstd")],
    *["np.nanpercentile(nans, 50)", "np.nanquantile(nans, 0.5)"],
    "np.nanmax(np.asarray([[np.nan, 1.0], [np.nan, 2.0]]), axis=0)",
    "np.nanmean(np.asarray([[np.nan, 1.0], [np.nan, 2.0]]), 0, 'f8', np.zeros(2))",
    *["np.cov(none)", "np.corrcoef(np.ones(3))", "np.polyfit(np.ones(3), np.ones(3), 2)"],
    *["np.linalg.norm(big)", "np.diff(np.asarray([np.inf, np.inf]))", "np.prod(big)"],
    *["np.cumsum(np.asarray([np.inf, -np.inf]))", "np.logspace(0, 400, 3)", "np.linspace(-np.inf, np.inf, 3)"],
    *[
        "np.round(np.asarray([1e308]), 308)",
        "np.kron(big, big)",
        "np.outer(big, big)",
    ],
]


def _told(expression, module):
    """What a line warns of, and where."""
    names = {name: module.asarray(value) for name, value in _VALUES.items()}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        eval(compile(expression, "user.py", "eval"), {"np": module, **names})
    return [(each.category, str(each.message), each.filename, each.lineno) for each in caught]


@pytest.mark.parametrize("expression", [*_ELEMENTWISE, *_OTHERS])
def test_a_warning_names_the_line_that_numpys_names(expression):
    expected = _told(expression, np)
    assert expected
    assert _told(expression, cowarray) == expected


@pytest.mark.parametrize("expression", _STANDARD)
def test_a_warning_of_the_standards_functions_names_the_line_too(expression):
    assert _told(expression, cowarray.array_api) == _told(expression, np) != []


_FUNCTIONS = {
    f"{space.__name__}.{name}": function
    for space in (cowarray, cowarray.array_api)
    for name, function in vars(space).items()
    if type(function).__name__ == "cython_function_or_method" and hasattr(function, "__wrapped__")
}


@pytest.mark.parametrize("name", _FUNCTIONS)
@np.errstate(divide="ignore")
def test_a_function_has_the_parameters_of_what_it_calls(name):
    """A declared function has no body, so nobody else sees that they fit."""
    function, declared = _FUNCTIONS[name], inspect.signature(_FUNCTIONS[name]).parameters.values()
    if hasattr(function, "nin"):
        options = [each for each in declared if each.default is not each.empty]
        operand = np.ones((2, 2)) if function.signature else np.datetime64("nat") if name.endswith("isnat") else 1
        operands = (operand,) * function.nin
        function(*operands, *[each.default for each in options if each.kind is not each.KEYWORD_ONLY])
        function(*operands, **{each.name: each.default for each in options if each.kind is not each.POSITIONAL_ONLY})
    elif function.__module__ == "cowarray":
        try:
            theirs = inspect.signature(getattr(np, name.rpartition(".")[2])).parameters.values()
        except ValueError:
            pytest.skip("NumPy before 2.4 tells no signature of what is C")
        known = {each.name: each for each in theirs}
        positional = [each.name for each in theirs if each.kind < each.VAR_POSITIONAL]
        ours = [each.name for each in declared if each.kind < each.VAR_POSITIONAL]
        assert positional[: len(ours)] == ours
        assert all(each.kind >= known[each.name].kind or each.kind is each.POSITIONAL_ONLY for each in declared)


_REFUSED = [
    ("log(x, base=2)", "log() got an unexpected keyword argument 'base'"),
    ("divmod(1)", "divmod() missing 1 required positional argument: 'x2'"),
    ("array_api.log(x, out=2)", "log() got an unexpected keyword argument 'out'"),
    ("array_api.add(x)", "add() missing 1 required positional argument: 'x2'"),
    ("matmul(x)", "matmul() missing 1 required positional argument: 'x2'"),
    ("add.reduce(x, axes=0)", "reduce() got an unexpected keyword argument 'axes'"),
    ("mean(x, axes=0)", "mean() got an unexpected keyword argument 'axes'"),
    ("mean(x, axis=0, out=shared, axes=0)", "mean() got an unexpected keyword argument 'axes'"),
    ("zeros(3, shape=3)", "zeros() got multiple values for keyword argument 'shape'"),
    ("ones(3, order='C', shape=3)", "ones() got multiple values for keyword argument 'shape'"),
    ("empty(3, float, dtype=int)", "empty() got multiple values for keyword argument 'dtype'"),
    ("ones(dtype=int, nonsense=1)", "ones() got an unexpected keyword argument 'nonsense'"),
    ("empty(dtype=int)", "empty() missing 1 required positional argument: 'shape'"),
    ("log(x, shared, out=shared)", "log() got multiple values for argument 'out'"),
    ("add(x, x, shared, out=shared)", "add() got multiple values for argument 'out'"),
    ("matmul(x, x, shared, out=shared)", "matmul() got multiple values for argument 'out'"),
    ("add(x, x, None, True)", "add() takes from 2 to 3 positional arguments but 4 were given"),
    ("expm1(x, None, True)", "expm1() takes from 1 to 2 positional arguments but 3 were given"),
    ("modf(x, None, None, None)", "modf() takes from 1 to 3 positional arguments but 4 were given"),
    ("divmod(x, x, None, None, None, True)", "divmod() takes from 2 to 4 positional arguments but 6 were given"),
    ("percentile(x, 50, x, x, x, x, x, x)", "percentile() takes from 2 to 7 positional arguments but 8 were given"),
]


@pytest.mark.parametrize(("call", "message"), _REFUSED)
@pytest.mark.parametrize("mode", ["plain", "deferred"])
def test_arguments_that_do_not_fit_change_nothing(call, message, mode):
    """Functions are called by what Cython makes, and refused by the name and the parameters that they declare."""
    with cowarray.deferred() if mode == "deferred" else contextlib.nullcontext():
        x = cowarray.ones(3) + 1
        shared = cowarray.asarray(0.0)
        copy = shared.copy()
        with pytest.raises(TypeError) as raised:
            eval(f"cowarray.{call}", {"cowarray": cowarray, "x": x, "shared": shared})
        # Python 3.13 asks on: "Did you mean 'axis'?"
        assert str(raised.value).startswith(message)
        assert raised.value.__context__ is None
        assert cowarray.is_deferred(x) is (mode == "deferred")
        assert cowarray.shares_bytes(copy, shared) if mode == "plain" else True


class Tensor:
    """Array_like, with methods of its own that have other parameters, as torch's has."""

    def __array__(self, dtype=None, copy=None):
        return np.arange(6.0).reshape(2, 3)

    def mean(self):
        raise AssertionError("its own method was called")

    sum = prod = max = min = std = var = cumsum = cumprod = mean


@pytest.mark.parametrize("name", ["mean", "sum", "prod", "max", "amin", "std", "var", "cumsum", "cumprod"])
def test_what_is_array_like_is_read_as_an_array_also_by_name(name):
    function, wanted = getattr(cowarray, name), getattr(np, name)(np.arange(6.0).reshape(2, 3), axis=0)
    for given in (function(Tensor(), axis=0), function(a=Tensor(), axis=0), function(axis=0, a=Tensor())):
        assert type(given) is cowarray.ndarray
        assert np.array_equal(given, wanted)


@pytest.mark.parametrize(
    "call", ["split(x, 2)", "hsplit(x, 2)", "array_split(x, 3)", "unstack(x)", "flip(x)", "squeeze(x)"]
)
def test_views_are_taken_of_what_is_array_like_by_position_and_by_name(call):
    own, theirs = (
        eval(f"np.{call}", {"np": cowarray, "x": [1.0, 2.0]}),
        eval(f"np.{call}", {"np": np, "x": np.array([1.0, 2.0])}),
    )
    assert [np.asarray(each).tolist() for each in own] == [each.tolist() for each in theirs]
    function = getattr(cowarray, call.partition("(")[0])
    first, *others = inspect.signature(function).parameters.values()
    if first.kind is first.POSITIONAL_OR_KEYWORD and others[0].default is not others[0].empty:
        assert function(**{first.name: [1.0, 2.0]}).tolist() == own.tolist()


@pytest.mark.parametrize("name", _FUNCTIONS)
def test_the_first_argument_is_taken_by_the_name_that_the_signature_tells(name):
    first, *others = inspect.signature(_FUNCTIONS[name]).parameters.values()
    if first.kind is first.POSITIONAL_OR_KEYWORD and all(each.default is not each.empty for each in others):
        refused = ""
        try:
            _FUNCTIONS[name](**{first.name: cowarray.ones((3, 3))})
        except Exception as error:  # of what is no array for this function
            refused = str(error)
        assert "keyword" not in refused
        assert "positional" not in refused


_NAMED = {
    "array_split": {"ary": ..., "indices_or_sections": 2},
    "diagonal": {"a": ..., "offset": 1},
    "fliplr": {"m": ...},
    "flipud": {"m": ...},
    "hsplit": {"ary": ..., "indices_or_sections": 2},
    "moveaxis": {"a": ..., "source": 0, "destination": 1},
    "nonzero": {"a": ...},
    "putmask": {"a": ..., "mask": ..., "values": ...},
    "rollaxis": {"a": ..., "axis": 1, "start": 0},
    "rot90": {"m": ..., "k": 1},
    "split": {"ary": ..., "indices_or_sections": 2, "axis": 1},
    "swapaxes": {"a": ..., "axis1": 0, "axis2": 1},
    "vsplit": {"ary": ..., "indices_or_sections": 1},
}


@pytest.mark.parametrize("mode", [contextlib.nullcontext, cowarray.aliasing, cowarray.deferred, cowarray.fake])
@pytest.mark.parametrize("name", _NAMED)
def test_arguments_by_name_are_taken_as_by_position(name, mode):
    def outcome(by_name):
        with mode():
            given = {
                key: cowarray.arange(4.0).reshape(1, 4) + 0 if value is ... else value
                for key, value in _NAMED[name].items()
            }
            x = next(iter(given.values()))
            try:
                found = getattr(cowarray, name)(**given) if by_name else getattr(cowarray, name)(*given.values())
            except cowarray.FakeError as error:
                return str(error)
            found = found if isinstance(found, (list, tuple)) else [x if found is None else found]
            made = [cowarray.is_deferred(each) for each in found]
        values = None if mode is cowarray.fake else [each.tolist() for each in found]
        return made, [(each.shape, each.storage is x.storage) for each in found], values

    assert outcome(by_name=True) == outcome(by_name=False)


def test_views_of_several_arrays_copy_none_of_them():
    x, y = cowarray.ones(4), cowarray.ones(4)
    with cowarray.no_copy(eager=True):
        found = cowarray.atleast_2d([x, y], x)
    assert [each.shape for each in found] == [(2, 4), (1, 4)]


def test_what_is_array_like_is_read_in_place_though_an_argument_before_it_is_left_out():
    x = cowarray.arange(4.0)
    with cowarray.no_copy(eager=True):
        assert cowarray.ediff1d(x, to_begin=Tensor()).tolist() == [*map(float, range(6)), 1.0, 1.0, 1.0]


@pytest.mark.parametrize("name", _FUNCTIONS)
def test_arguments_that_do_not_fit_are_refused(name):
    function, x = _FUNCTIONS[name], cowarray.ones(3)
    for args, kwargs in [((), {}), ((x, *[None] * 30), {}), ((x, x), {"nonsense": 1})]:
        with contextlib.suppress(TypeError):
            inspect.signature(function).bind(*args, **kwargs)
            continue  # takes any number of arguments, or any name
        with pytest.raises(TypeError):
            function(*args, **kwargs)
