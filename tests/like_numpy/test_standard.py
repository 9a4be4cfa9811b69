"""The array API standard: its names and parameters, and the rules that its own test suite has found broken somewhere.

That suite is run by `make conformance-standard`. What follows needs nothing but NumPy, and `standard.txt`, which lists
what the standard names.
"""

import inspect

import numpy as np
import pytest
from standard_names import LINES, NAMES, SIGNATURES, WITHOUT_ARRAYS, named, sample, x

import cowarray

VERSIONS = ["2021.12", "2022.12", "2023.12", "2024.12", "2025.12"]
POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
BY_NAME = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


# ---- names and parameters --------------------------------------------------------------------------------------------


def test_the_list_is_whole():
    functions = [name for name in SIGNATURES if not name.startswith(("ndarray.", "info."))]
    methods = [name for name in NAMES if name.startswith("ndarray.")]
    assert len(functions) == 175
    assert len(methods) == 67
    assert len(NAMES) == len([line for line in LINES if line]) == 265


@pytest.mark.parametrize("name", NAMES)
def test_what_the_standard_names_is_public(name):
    assert named(name) is not None or name == "newaxis"
    if "." not in name and not name.startswith("__"):
        assert name in cowarray.__all__


# The bounds have two names each, as in NumPy: (function, parameter) -> the standard's name of it.
ALSO = {("clip", "a_min"): "min", ("clip", "a_max"): "max"}


@pytest.mark.parametrize("name", SIGNATURES)
def test_parameters_can_be_given_as_the_standard_gives_them(name):
    ours = inspect.signature(named(name))
    first, *others = ours.parameters.values() or [None]
    if first is not None and first.name == "self" and all(each.kind is not each.POSITIONAL_ONLY for each in others):
        # The list gives it by name.
        ours = ours.replace(parameters=[first.replace(kind=first.POSITIONAL_OR_KEYWORD), *others])
    shortest, by_name, by_position = (
        {ALSO.get((name, key), key): value for key, value in ours.bind(*args, **kwargs).arguments.items()}
        for args, kwargs in ways_to_call(SIGNATURES[name])
    )
    assert by_name == by_position
    assert shortest.items() <= by_name.items()
    assert {each.name for each in SIGNATURES[name].parameters.values() if each.kind is each.KEYWORD_ONLY} <= {
        *ours.parameters
    }


def ways_to_call(signature):
    """Arguments, each for itself its parameter's name: without defaults, by name, by position."""
    parameters = list(signature.parameters.values())
    alone = [each.name for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.VAR_POSITIONAL)]
    either = [each.name for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD]
    named = {each.name: each.name for each in parameters if each.kind is each.KEYWORD_ONLY}
    given = [each.name for each in parameters if each.kind is not each.KEYWORD_ONLY and each.default is each.empty]
    yield given, {}
    yield alone, named | {name: name for name in either}
    yield [*alone, *either], named


# ---- defaults and results --------------------------------------------------------------------------------------------

# What they give cannot be compared.
UNTOLD = {"empty", "empty_like", "ndarray.__dlpack__"}
WITH_DEFAULTS = [
    name
    for name, signature in SIGNATURES.items()
    if name not in UNTOLD and any(each.default is not each.empty for each in signature.parameters.values())
]


def agree(result, expected):
    assert type(result) is type(expected)
    if isinstance(result, (tuple, list)):
        assert len(result) == len(expected)
        for one, other in zip(result, expected, strict=True):
            agree(one, other)
    elif isinstance(result, (cowarray.ndarray, np.generic)):
        assert result.dtype == expected.dtype
        assert result.shape == expected.shape
        np.testing.assert_array_equal(result, expected)
    else:
        assert result == expected


@pytest.mark.parametrize("name", WITH_DEFAULTS)
def test_defaults_are_the_standards(name):
    function = named(name)
    args = sample(name)
    defaults = {
        each.name: each.default for each in SIGNATURES[name].parameters.values() if each.default is not each.empty
    }
    # What is given by position in the standard alone, and by none of the samples.
    for positional in ("n_cols", "stop", "step") if name in ("eye", "arange") else ():
        defaults.pop(positional, None)
    if name == "argsort":
        defaults["stable"] = None  # equal elements are in NumPy's order
    agree(function(*args), function(*args, **defaults))


def arrays_of(result):
    """A result, or those that it is made of."""
    return [each for item in result for each in arrays_of(item)] if isinstance(result, (tuple, list)) else [result]


@pytest.mark.parametrize("name", [name for name in SIGNATURES if not name.startswith(("info.", "ndarray."))])
def test_no_result_is_an_array_of_numpys(name):
    function, args = named(name), sample(name)
    with np.errstate(all="ignore"):
        results = arrays_of(function(*args))
    if name in WITHOUT_ARRAYS:
        assert not any(isinstance(each, (cowarray.ndarray, np.generic)) for each in results)
    else:
        assert all(type(each) is cowarray.ndarray or isinstance(each, np.generic) for each in results)


# ---- rules that some library breaks ----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [cowarray.float32, cowarray.float64, cowarray.complex64, cowarray.complex128])
def test_limits_of_floating_point_are_floats_of_pythons(dtype):
    for given in (dtype, np.dtype(dtype), cowarray.ones(2, dtype=dtype), np.ones(2, dtype)):
        limits, numpys = cowarray.array_api.finfo(given), np.finfo(dtype)
        for name in ("eps", "max", "min", "smallest_normal"):
            assert type(getattr(limits, name)) is float
            assert getattr(limits, name) == getattr(numpys, name)
        assert type(limits.bits) is int
        assert limits.dtype == numpys.dtype
        assert isinstance(limits.dtype, np.dtype)
        assert (limits.tiny, limits.nmant, repr(limits)) == (numpys.tiny, numpys.nmant, repr(numpys))
        assert limits == cowarray.array_api.finfo(dtype)
        assert {"eps", "tiny"} <= set(dir(limits))
    with pytest.raises(AttributeError):
        limits.least  # noqa: B018


def test_limits_of_a_long_double_are_wide_enough():
    assert cowarray.array_api.finfo(np.longdouble).max == np.finfo(np.longdouble).max


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64", "uint64"])
def test_limits_of_integers(dtype):
    for given in (getattr(cowarray, dtype), cowarray.ones(2, dtype=dtype), np.ones(2, dtype)):
        limits = cowarray.iinfo(given)
        assert (type(limits.bits), type(limits.max), type(limits.min)) == (int, int, int)
        assert (limits.min, limits.max) == (np.iinfo(dtype).min, np.iinfo(dtype).max)
    with pytest.raises(ValueError, match="Invalid integer data type"):
        cowarray.iinfo(cowarray.float64)


def test_the_namespace_answers_what_libraries_ask_beyond_the_standard():
    xp = cowarray.array_api
    x = xp.asarray([[1.0, 2.0], [3.0, 4.0]])
    for made, expected in (
        (xp.transpose(x), [[1, 3], [2, 4]]),
        (xp.transpose(x, (1, 0)), [[1, 3], [2, 4]]),
        (xp.einsum("ij,ij", x, x), 30),
        (xp.einsum("ii->i", x), [1, 4]),
        (xp.diag(x), [1, 4]),
        (xp.diag(x[0]), [[1, 0], [0, 2]]),
        (xp.logspace(0, 2, 3), [1, 10, 100]),
        (xp.logspace(0, 2, 3, base=2, dtype=xp.float32), [1, 2, 4]),
        (xp.pad(x, 1)[0], [0] * 4),
        (xp.astype(x, xp.float16), [[1, 2], [3, 4]]),
    ):
        assert made.tolist() == expected
        assert made.__array_namespace__() is xp
        assert type(made.sum()) is cowarray.ndarray, "the result is one of the standard's arrays"
    assert not {"transpose", "einsum", "diag", "logspace", "float16", "pad", "lib"} & {*xp.__all__}
    with pytest.raises(AttributeError, match="beyond the standard"):
        xp.swapaxes  # noqa: B018


def test_the_namespace_says_what_it_can_do():
    assert cowarray.__array_api_version__ == VERSIONS[-1]
    info = cowarray.__array_namespace_info__()
    assert info.devices() == ["cpu"]
    assert info.default_device() in info.devices()
    assert info.capabilities() == {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}
    assert cowarray.zeros((1,) * 64).ndim == 64
    with pytest.raises(ValueError, match="dimension"):
        cowarray.zeros((1,) * 65)
    assert info.default_dtypes()["real floating"] == cowarray.zeros(1).dtype
    for kind in ("bool", "signed integer", "unsigned integer", "real floating", "complex floating"):
        assert all(cowarray.isdtype(dtype, kind) for dtype in info.dtypes(kind=kind).values())
        assert all(getattr(cowarray, name) == dtype for name, dtype in info.dtypes(kind=kind).items())


@pytest.mark.parametrize(
    ("dtype", "expected"), [("f4", "c8"), ("f8", "c16"), ("i4", "c16"), ("c8", "c8"), ("c16", "c16")]
)
def test_the_standards_eigenvalues_of_any_matrix_are_complex(dtype, expected):
    for n in ([[2, 1], [1, 2]], [[0, -1], [1, 0]], np.zeros((0, 0)), np.zeros((3, 0, 0)), np.eye(3)[None]):
        matrix = cowarray.asarray(n, dtype=dtype)
        values, vectors = result = cowarray.array_api.linalg.eig(matrix)
        assert result.eigenvalues.dtype == result.eigenvectors.dtype == expected
        assert (type(values), type(vectors)) == (cowarray.ndarray, cowarray.ndarray)
        found = cowarray.array_api.linalg.eigvals(matrix)
        agree(found, cowarray.array_api.linalg.eigvals(np.asarray(matrix)))
        assert found.dtype == expected
        assert (matrix.shape[:-1], matrix.shape) == (values.shape, vectors.shape)
        np.testing.assert_allclose(np.matmul(matrix, vectors), values[..., None, :] * vectors, atol=1e-6)
        # Ours are as those of the NumPy that is installed: of scikit-image's ellipses, they have to be real with 2.4.
        for mine, theirs in zip(cowarray.linalg.eig(matrix), np.linalg.eig(np.asarray(matrix)), strict=True):
            agree(mine, cowarray.asarray(theirs))
        agree(cowarray.linalg.eigvals(matrix), cowarray.asarray(np.linalg.eigvals(np.asarray(matrix))))


def test_vecdot_takes_its_axis_by_name_and_numpys_axes():
    n = np.arange(6.0).reshape(2, 3)
    agree(cowarray.vecdot(n, n, axis=0), cowarray.asarray(np.vecdot(n, n, axis=0)))
    agree(cowarray.vecdot(n, n, axes=[0, 0, ()]), cowarray.asarray(np.vecdot(n, n, axis=0)))
    with pytest.raises(TypeError, match="cannot specify both"):
        cowarray.vecdot(n, n, axis=0, axes=[0, 0, ()])


def test_a_count_has_a_dtype():
    assert cowarray.count_nonzero(x).dtype == cowarray.count_nonzero(x, axis=0).dtype == np.intp


def test_unique_values_are_sorted():
    values = np.random.default_rng(1).integers(0, 1000, 5000)
    found = cowarray.unique_values(cowarray.asarray(values))
    assert found.tolist() == sorted(set(values.tolist()))
    for result in (cowarray.unique_all(values), cowarray.unique_counts(values), cowarray.unique_inverse(values)):
        assert result.values.tolist() == found.tolist()


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_sorting_keeps_the_order_of_what_is_equal(descending, axis):
    order = np.asarray(cowarray.array_api.argsort(x, axis=axis, descending=descending))
    sorted_ = np.take_along_axis(np.asarray(x), order, axis)
    np.testing.assert_array_equal(cowarray.sort(x, axis=axis, descending=descending), sorted_)
    steps, moves = np.diff(sorted_, axis=axis), np.diff(order, axis=axis)
    assert ((steps < 0) if descending else (steps > 0))[steps != 0].all()
    assert (moves[steps == 0] > 0).all()


def test_frequencies_have_the_dtype_that_is_asked_for():
    for function, numpys in ((cowarray.fft.fftfreq, np.fft.fftfreq), (cowarray.fft.rfftfreq, np.fft.rfftfreq)):
        agree(function(5, d=0.5, dtype=cowarray.float32, device="cpu"), cowarray.asarray(numpys(5, 0.5).astype("f4")))
        with pytest.raises(ValueError, match="cpu"):
            function(5, device="gpu")


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "float32"])
def test_scalar_bounds_do_not_change_the_dtype(dtype):
    ours = cowarray.asarray([1, 5, 9], dtype=dtype)
    for low, high in ((2, 6), (None, 6), (2, None), (-1000, 1000), (None, None)):
        agree(cowarray.clip(ours, low, high), cowarray.clip(ours, min=low, max=high))
        assert cowarray.clip(ours, low, high).dtype == dtype
    assert cowarray.clip(ours, 2, 6).tolist() == [2, 5, 6]


def test_several_arrays_come_as_the_standard_says():
    assert type(cowarray.unstack(x)) is tuple
    assert type(cowarray.nonzero(x)) is tuple
    assert isinstance(cowarray.meshgrid(x[0], x[1]), (tuple, list))
    assert isinstance(cowarray.broadcast_arrays(x, x[0]), (tuple, list))


def test_shapes_may_be_lists():
    for shape in ([2, 3], (2, 3)):
        assert cowarray.zeros(shape).shape == cowarray.broadcast_to(x[0, 0], shape).shape == (2, 3)
        assert cowarray.reshape(x[0, :6], shape).shape == cowarray.full(shape, 1).shape == (2, 3)
        assert cowarray.permute_dims(x, list(range(2))).shape == cowarray.sum(x[None], axis=(0,)).shape == x.shape
    assert cowarray.broadcast_shapes([2, 1], (3,)) == (2, 3)


# ---- the array object ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [None, *VERSIONS])
def test_an_array_names_its_namespace(version):
    for each in (cowarray.array([1.0]), cowarray.array("text"), cowarray.array([1.0])[:0]):
        assert each.__array_namespace__(api_version=version) is cowarray.array_api
    assert cowarray.array_api.zeros(()).__array_namespace__() is cowarray.array_api


@pytest.mark.parametrize("version", ["2020.12", "2026.12", "", 2024.12, b"2024.12", ["2024.12"]])
def test_an_unknown_version_is_refused(version):
    with pytest.raises(ValueError, match=r"api_version must be None or one of 2021\.12, .*2025\.12 ") as caught:
        cowarray.array([1]).__array_namespace__(api_version=version)
    assert repr(version) in str(caught.value)
