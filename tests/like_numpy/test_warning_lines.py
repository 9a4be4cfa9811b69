"""What NumPy warns of is told of the line where NumPy tells it: the user's, and not one of ours."""

import inspect
import warnings

import numpy as np
import pytest

import cowarray

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
        "np.cross(np.ones(2), np.ones(2))",
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
def test_a_function_is_called_by_the_parameters_that_it_declares(name):
    """Nothing of a declared function is called: what is called must have its parameters."""
    function, declared = _FUNCTIONS[name], inspect.signature(_FUNCTIONS[name])
    made = inspect.signature(function, follow_wrapped=False)
    if any(each.kind is each.VAR_KEYWORD for each in made.parameters.values()):
        theirs = inspect.signature(getattr(np, name.rpartition(".")[2])).parameters
        assert {*declared.parameters} - {"kwargs"} <= {*theirs}
        positional = [each.name for each in theirs.values() if each.kind is not each.KEYWORD_ONLY]
        ours = [each.name for each in declared.parameters.values() if each.kind < each.VAR_POSITIONAL]
        assert positional[: len(ours)] == ours
    else:
        plain = [(each.name, each.kind, each.default) for each in made.parameters.values()]
        assert plain == [(each.name, each.kind, each.default) for each in declared.parameters.values()]


@pytest.mark.parametrize("name", _FUNCTIONS)
def test_arguments_that_do_not_fit_are_refused(name):
    function, x = _FUNCTIONS[name], cowarray.ones(3)
    for args, kwargs in [((), {}), ((x, *[None] * 30), {}), ((x, x), {"nonsense": 1})]:
        with pytest.raises(TypeError):
            function(*args, **kwargs)
