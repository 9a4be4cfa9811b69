"""What NumPy's own tests found wrong in the rules of fakes: each is exact now, or refused.

One file, because it is a list: each case is read by itself.
"""

import contextlib
import contextvars
import ctypes
import functools
import itertools

import numpy as np
import pytest
from support.crosscheck import EXACT, REFUSED, UNTOLD, CrossCheck
from support.numpy_versions import happens, without

import cowarray as cw


@pytest.fixture(autouse=True)
def handed_over():
    with cw.fake():
        pass


def verdict(action):
    """What came of the forecast of the operation that an action does last; those before it were exact."""
    check = CrossCheck()
    with check.watching():
        try:
            action()
        except Exception:
            assert check.outcomes
    assert all(each.verdict == EXACT for each in check.outcomes[:-1]), check.outcomes
    return check.outcomes[-1].verdict


def array(*shape, dtype=float):
    return cw.array(np.ones(shape, dtype))


class Stranger:
    """A type that computes itself."""

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return "mine"


KEYS = {
    "64 truths": (True,) * 64,
    "64 denials": (False,) * 64,
    "63 truths": (True,) * 62,
    "64 arrays": (np.array([0]),) * 64,
    "80 truths": (True,) * 80,
}


@pytest.mark.parametrize("ndim", [1, 63, 64])
@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_many_indices(key, ndim):
    x = array(*(1,) * ndim)
    assert verdict(lambda: x[key]) == EXACT
    assert verdict(lambda: x.__setitem__(key, 1.0)) == EXACT


@pytest.mark.parametrize("ndim", [1, 63, 64])
def test_an_assignment_of_too_many_axes(ndim):
    x = array(*(1,) * ndim)
    assert verdict(lambda: x.__setitem__(True, 1.0)) == EXACT


@pytest.mark.parametrize("key", ["a", ["a"], ["a", "b"]])
def test_a_field_that_is_not_there(key):
    assert verdict(lambda: array(3).__setitem__(key, 1)) == EXACT
    x = array(3, dtype=[("b", "f8")])
    assert verdict(lambda: x.__setitem__(key, 1)) == EXACT


def test_an_assignment_that_is_too_large():
    n = int(2 ** (63 / 5)) + 1
    key = np.ix_(*[np.zeros(n, np.intp)] * 5)
    assert verdict(lambda: array(1, 1, 1, 1, 1).__setitem__(key, 0.0)) == EXACT


def test_a_tuple_is_one_element_of_records():
    x = array(5, dtype=[("a", "f8"), ("b", "f8")])
    assert verdict(lambda: x.__setitem__([0, 1, 2, 3, 4], (1, 2))) == EXACT
    assert verdict(lambda: x.__setitem__(slice(1, 4), (1, 2))) == EXACT
    assert verdict(lambda: x.__setitem__([0, 1], [(1, 2)] * 2)) == EXACT
    assert verdict(lambda: x.__setitem__([0, 1, 2], [(1, 2)] * 2)) == EXACT


@pytest.mark.parametrize("size", [9, *(pytest.param(n, marks=without("flat reads other indices")) for n in (8, 10))])
def test_a_mask_of_flat_elements(size):
    x, mask = array(3, 3), array(size, dtype=bool)
    made = verdict(lambda: x.flat.__setitem__(mask, 1.0))
    assert made == EXACT


@pytest.mark.parametrize("values", [[[1, 2], [3, 4], [5, 6]], [[1.0]], [1, 2], [[0, 1, 2]]])
@pytest.mark.parametrize("k", [-1, 0, 1])
def test_the_diagonal_of_a_list(values, k):
    assert verdict(lambda: cw.diag(values, k)) == EXACT


def test_strangers_are_asked_wherever_numpy_asks_them():
    with cw.fake():
        x = cw.ones(3)
        assert np.add(x, x, where=Stranger()) == "mine"
        assert np.add.reduce(x, where=Stranger()) == "mine"
        assert np.clip(x, 0, Stranger()) == "mine"
        assert x.sum(where=Stranger()) == "mine"


class Declining:
    """A type that is asked, and gives way."""

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return NotImplemented


def test_strangers_that_decline_are_refused():
    x, out = array(3), array(3)
    stranger = Declining()
    assert verdict(lambda: np.add(x, stranger)) == REFUSED
    assert verdict(lambda: np.add(x, stranger, out=out)) == REFUSED
    assert verdict(lambda: np.matmul(x, stranger)) == REFUSED


def test_strangers_are_asked():
    with cw.fake():
        x = cw.zeros(3)
        assert np.add(x, Stranger()) == np.add(x, Stranger(), out=x) == np.matmul(x, Stranger()) == "mine"


@pytest.mark.parametrize("out", [None, (2,), (3,), (4,), (1, 3)])
def test_parts_into_an_output(out):
    x, out = array(5), None if out is None else array(*out)
    assert verdict(lambda: np.add.reduceat(x, [0, 2, 4], out=out)) == EXACT


@pytest.mark.parametrize("keepdims", [True, False, 1, "yes", None])
@pytest.mark.parametrize("ufunc", [np.vecdot, np.matmul, np.matvec])
def test_kept_core_axes(ufunc, keepdims):
    x, y = array(2, 3), array(3 if ufunc is np.matvec else 2, 3 if ufunc is np.vecdot else 4)
    assert verdict(lambda: ufunc(x, y, keepdims=keepdims)) == EXACT


@pytest.mark.parametrize("out", [1.0, [0.0, 0.0, 0.0], "text"])
def test_an_output_that_is_no_array(out):
    assert verdict(lambda: np.fft.fft(array(3), out=out)) == EXACT
    assert verdict(lambda: np.add(array(3), 1, out=out)) == EXACT


@pytest.mark.parametrize("kind", [None, "sort", "table", "quicksort"])
def test_kinds_of_isin(kind):
    x = array(3)
    made = verdict(lambda: np.isin(x, x, kind=kind))
    assert made == (REFUSED if kind == "table" else EXACT)


@pytest.mark.parametrize("bins", ["auto", "doane", "sturges", 5, [0.0, 1.0, 2.0]])
@pytest.mark.parametrize("function", [np.histogram, np.histogram_bin_edges])
def test_numbers_of_bins(function, bins):
    x = cw.array(np.tile(np.arange(9), 10))
    made = verdict(lambda: function(x, bins))
    assert made == (REFUSED if isinstance(bins, str) else EXACT)


def test_a_ragged_list_of_objects():
    x, y = array(3), array(4)
    assert verdict(lambda: cw.asarray([x, y], dtype=object)) == REFUSED


def test_an_outer_product_of_too_many_axes():
    x = array(*(1,) * 33)
    assert verdict(lambda: np.add.outer(x, x)) == EXACT
    assert verdict(lambda: np.add.outer(x, array(*(1,) * 31))) == EXACT


def test_bits_of_an_array_in_fortrans_order():
    x = cw.array(np.arange(24, dtype="u1").reshape(4, 6, order="F"))
    assert verdict(lambda: np.unpackbits(x, axis=1)) == EXACT
    assert verdict(lambda: np.packbits(x, axis=0)) == EXACT


def test_an_outer_product_with_two_results():
    x, y = array(3, 2), array(4)
    assert verdict(lambda: np.divmod.outer(x, y)) == EXACT
    assert verdict(lambda: np.divmod.outer(x, y, out=(array(3, 2, 4), array(3, 2, 4)))) == EXACT


@pytest.mark.parametrize("axis", [0, 1, 51, 52, -1, 70])
@pytest.mark.parametrize("optimize", [False, True])
def test_axes_named_by_numbers(axis, optimize):
    x = array(2, 4)
    assert verdict(lambda: np.einsum(x, [axis, 2], [axis, 2], optimize=optimize)) == EXACT


class Thing:
    def __add__(self, other):
        raise ArithmeticError("of its own")

    __radd__ = __mul__ = __rmul__ = __add__


def test_sums_of_objects():
    x = cw.array([[Thing(), Thing()], [Thing(), Thing()]])
    for subscripts in ("ij->i", "ij->", "ii"):
        assert verdict(lambda subscripts=subscripts: np.einsum(subscripts, x)) == UNTOLD


@pytest.mark.parametrize("choices", [(0, 1, 2), (0, 1.0, 2), (True, 1, 300), (np.int64(0), 1, 2)])
def test_numbers_to_choose_from(choices):
    index = cw.array([[0, 1], [2, 0]])
    for dtype in ("i4", "f4", "i1"):
        x = cw.array(np.ones((2, 2), dtype))
        assert verdict(lambda x=x: index.choose((x, *choices))) == EXACT


FAILING = ["always_error", "always_error_unary", "always_error_gufunc"]


@pytest.mark.parametrize("name", FAILING)
def test_ufuncs_that_always_fail(name):
    ufunc = getattr(pytest.importorskip("numpy._core._umath_tests"), name, None)
    if ufunc is None:
        pytest.skip("NumPy does not have it yet")
    operands = [array(3)] * ufunc.nin
    assert verdict(lambda: ufunc(*operands)) == REFUSED
    if name == "always_error":
        for method in (ufunc.reduce, ufunc.accumulate):
            assert verdict(lambda method=method: method(operands[0])) == REFUSED
        assert verdict(lambda: ufunc.reduceat(operands[0], [0, 1])) == REFUSED
        assert verdict(lambda: ufunc.at(operands[0], [0, 1], 1)) == REFUSED


def test_a_ufunc_that_is_tried_finds_the_variables_of_its_caller():
    scale = contextvars.ContextVar("scale")
    seen = []

    def loop(args, dimensions, steps, data):
        seen.append(scale.get(None))
        ctypes.memmove(args[1], args[0], 8 * dimensions[0])

    kinds = [ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_ssize_t), ctypes.c_void_p, ctypes.c_void_p]
    entry = ctypes.PYFUNCTYPE(None, *kinds)(loop)
    pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
    table = pointer(("PyCapsule_GetPointer", ctypes.pythonapi))(np._core._multiarray_umath._UFUNC_API, None)
    make = ctypes.PYFUNCTYPE(
        ctypes.py_object, *[ctypes.c_void_p] * 3, *[ctypes.c_int] * 4, *[ctypes.c_char_p] * 2, ctypes.c_int
    )(ctypes.cast(table, ctypes.POINTER(ctypes.c_void_p))[1])  # PyUFunc_FromFuncAndData
    functions = (ctypes.c_void_p * 1)(ctypes.cast(entry, ctypes.c_void_p))
    nothing = (ctypes.c_void_p * 1)()
    types = ctypes.create_string_buffer(bytes([np.dtype(float).num] * 2), 2)
    ufunc = make(*map(ctypes.addressof, (functions, nothing, types)), 1, 1, 1, -1, b"as_is", b"", 0)

    def call():
        scale.set(3)
        with cw.fake():
            x = cw.ones(3)
        return cw.is_fake(ufunc(x))

    assert contextvars.copy_context().run(call)
    assert seen == [3]


def test_ufuncs_of_others_are_exact():
    tests = pytest.importorskip("numpy._core._umath_tests")
    operand_flags = pytest.importorskip("numpy._core._operand_flag_tests")
    x = array(2, 3)
    assert verdict(lambda: tests.inner1d(x, x)) == EXACT
    assert verdict(lambda: operand_flags.inplace_add(x, x)) == REFUSED


@pytest.mark.parametrize("dtype", ["f8", "(2,4)f8", "(2,)i4", np.dtype(("f8", (2, 3))), "i4,(2,)f4"])
@pytest.mark.parametrize("shape", [2, (2,), (3, 2), ()])
@pytest.mark.parametrize("make", [cw.zeros, cw.empty])
def test_dtypes_of_arrays(make, shape, dtype):
    assert verdict(lambda: make(shape, dtype)) == EXACT
    assert verdict(lambda: make(shape, dtype, order="F")) in (EXACT, REFUSED)


@pytest.mark.parametrize("device", ["cpu", None, "nonsense"])
def test_devices(device):
    x = array(3)
    for make in (cw.zeros, cw.empty, cw.ones, cw.arange):
        assert verdict(lambda make=make: make(5, device=device)) == EXACT
    assert verdict(lambda: cw.empty_like(x, device=device)) == EXACT


@pytest.mark.parametrize("order", [None, "C", "F", "A", "K"])
@pytest.mark.parametrize("copy", [None, True, False, 0, np._CopyMode.NEVER])
def test_orders_that_are_asked_for(order, copy):
    for x in (array(5, 5), array(5, 5).T, array(10, 10)[::2, ::2]):
        assert verdict(lambda x=x: cw.asarray(x, order=order, copy=copy)) == EXACT


@pytest.mark.parametrize("dtype", [bool, "u1", "i2", "u8", "f2", "c8", ">i4", "O"])
def test_values_put_by_a_mask(dtype):
    x, mask = array(3, dtype=dtype), array(3, dtype=bool)
    for values in (1, 1.5, [1, 2], [2], -1, cw.array([1, 2]), np.float32(3)):
        assert verdict(lambda values=values: np.putmask(x, mask, values)) == EXACT


@pytest.mark.parametrize("value", ["", "3", "C", [1, "a"], [[1, 2], [3]], None, 1j, object(), [1.5, 2], b"2", [[1]]])
@pytest.mark.parametrize("dtype", ["i4", "f8", "c16", "?", "S2", "U1"])
@pytest.mark.parametrize("key", [0, ..., slice(0, 2), [0, 1]])
def test_values_that_are_no_arrays(key, value, dtype):
    x = array(2, dtype=dtype)
    assert verdict(lambda: x.__setitem__(key, value)) == EXACT


KINDS = [None, "quicksort", "stable", "introselect", "nonsense", 1]


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_of_order(kind):
    x = array(5)
    for action in (
        lambda: np.sort(x, kind=kind),
        lambda: np.partition(x, 2, kind=kind),
        lambda: np.argpartition(x, 2, kind=kind),
        lambda: x.copy().sort(kind=kind),
        lambda: x.partition(2, kind=kind),
        lambda: x.argpartition(2, kind=kind),
        lambda: np.sort(x, kind=kind, stable=True),
    ):
        assert verdict(action) == EXACT


def test_sorters():
    x = array(3)
    for sorter in ([0, 1, 2], [0.0, 1.0], [0, 1], cw.array([1.0, 2.0, 0.0]), cw.array([2, 1, 0])):
        assert verdict(lambda sorter=sorter: x.searchsorted(1.0, sorter=sorter)) == EXACT
    wrong = cw.array([9, 9, 9])
    assert verdict(lambda: x.searchsorted(1.0, sorter=wrong)) == UNTOLD


def test_texts_of_no_length():
    x = cw.array(np.zeros(3, "S0"))[:, None]
    for function in (np.sort, lambda x: np.partition(x, 1, axis=0)):
        assert verdict(lambda function=function: function(x)) in (EXACT, REFUSED)


def test_arguments_of_methods():
    index, x, y = cw.array([0, 1, 2]), array(3), array(3)
    assert verdict(lambda: index.choose(x, y, x, y, x, y)) == EXACT
    assert verdict(lambda: index.choose((x, y, x), mode="clip")) == EXACT
    assert verdict(lambda: x.dot(b=y)) == EXACT


RECORDS = ["f8", "f8,i4", "f8,i4,i4", [("a", "f8"), ("b", "i4")], "V4", "V8"]


@pytest.mark.parametrize("one", RECORDS)
@pytest.mark.parametrize("other", RECORDS)
def test_comparisons_of_records(one, other):
    x, y = cw.array(np.zeros(3, one)), cw.array(np.zeros(3, other))
    assert verdict(lambda: x == y) == EXACT
    assert verdict(lambda: x != y) == EXACT
    assert verdict(lambda: x.astype("V")) in (EXACT, REFUSED)
    assert verdict(lambda: cw.asarray([x, y], dtype="V")) in (EXACT, REFUSED)
    assert verdict(lambda: cw.asarray([x, y])) in (EXACT, REFUSED)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (2, 0), (2, 3)])
@pytest.mark.parametrize("count", [-1, [-1], [-1, 1], [], np.ones(0)])
@pytest.mark.parametrize("axis", [None, 0, 1, 2])
def test_numbers_of_repeats_that_are_negative_or_missing(shape, count, axis):
    x = cw.array(np.ones(shape))
    assert verdict(lambda: x.repeat(count, axis)) == EXACT


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 3), (2, 0, 3), (0, 0)])
@pytest.mark.parametrize("indices", [5, [5], [0], [], [-1], [-4]])
@pytest.mark.parametrize("axis", [None, 0, 1, 2])
def test_what_is_taken_where_there_is_nothing(shape, indices, axis):
    x = cw.array(np.ones(shape))
    assert verdict(lambda: x.take(indices, axis)) == EXACT


def test_an_element_of_records_keeps_its_byte_order():
    x = array(3, dtype=[("a", "<i8"), ("b", ">i8")])
    assert verdict(lambda: x[0]) == EXACT


def test_parameters_of_draws():
    rng = cw.random.default_rng(1)
    mean, cov = array(2), cw.eye(2)
    for given in ((mean, cov), (mean, cov + 0j), (mean + 0j, cov), ([0j, 1], [[1, 0], [0, 1]])):
        assert verdict(lambda given=given: rng.multivariate_normal(*given)) == EXACT
    for pvals in (0.5, [], [0.5, 0.5], cw.array([0.5, 0.5]), cw.zeros((2, 0))):
        assert verdict(lambda pvals=pvals: rng.multinomial(3, pvals)) in (EXACT, UNTOLD)


@pytest.mark.parametrize("bins", ["auto", "doane", "scott"])
def test_numbers_of_bins_of_much_that_is_real(bins):
    x = np.linspace(0, 1, 20_000)
    assert verdict(lambda: cw.histogram(x, bins)) == EXACT
    assert verdict(lambda: cw.histogram_bin_edges(x, bins)) == EXACT


@pytest.mark.parametrize("where", [True, False, 1, 0, [1, 0, 1], [True, False, True], (1, 1, 1), cw.array([1, 0, 1])])
def test_masks_that_are_no_arrays(where):
    x, out = array(3), array(3)
    assert verdict(lambda: np.add(x, x, where=where, out=out)) == EXACT


def test_a_type_that_wraps_results_is_refused():
    class Wraps:
        def __array__(self, dtype=None, copy=None):
            return np.zeros(3)

        def __array_wrap__(self, array, context=None, return_scalar=False):
            return type(self)

    x, other = array(3), Wraps()
    assert verdict(lambda: np.add(x, other)) == REFUSED


def test_a_subclass_that_wraps_results_itself_makes_what_it_likes():
    class Wraps(np.ndarray):
        def __array_wrap__(self, array, context=None, return_scalar=False):
            return "anything"

    with cw.fake():
        x = cw.zeros(3)
    with pytest.raises(cw.FakeError):
        np.add(x, np.ones(3).view(Wraps))
    assert cw.is_fake(np.add(x, np.ones(3)))


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
@pytest.mark.parametrize("dtype", ["f4", "i2", "c16", "m8[s]", "?"])
def test_the_order_of_axes_is_kept_by_medians_without_nans(dtype, order):
    x = cw.array(np.ones((3, 1, 4, 2), dtype)).transpose(order)
    for axis in (0, 1, -1, (0, 2), ()):
        for keepdims in (False, True):
            assert verdict(functools.partial(np.nanmedian, x, axis, keepdims=keepdims)) == EXACT


def test_a_ufunc_that_writes_to_its_operands_writes_real_ones_and_refuses_fakes():
    add = pytest.importorskip("numpy._core._operand_flag_tests").inplace_add
    x = cw.array(np.arange(4))
    kept = x.copy()
    with cw.fake():
        add(x, np.ones(4, int))
        with pytest.raises(cw.FakeError):
            add(cw.zeros(4, int), x)
    assert x.tolist() == [1, 2, 3, 4]
    assert kept.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("block", ["fake()", "deferred()", "budget('1 MiB')"])
@pytest.mark.parametrize("call", ["nanmedian(a)", "nanpercentile(a, 50)", "nanquantile(a, 0.5)"])
def test_a_median_writes_to_no_array_of_the_users(block, call):
    a = np.array([[3.0, 4.0], [0.0, 4.0]])
    with eval(f"cw.{block}"), contextlib.suppress(Exception):
        eval(f"cw.{call}")
    assert a.tolist() == [[3.0, 4.0], [0.0, 4.0]]


@pytest.mark.parametrize("block", ["fake()", "deferred()", "budget(1000)"])
@pytest.mark.parametrize(
    "call",
    ["atleast_1d(real, new)", "atleast_2d(real, new)", "atleast_3d(real, new)", "meshgrid(real[0], new, copy=False)"],
)
def test_what_is_real_among_the_results_is_a_writable_copy(block, call):
    real = array(2, 2)
    with eval(f"cw.{block}"):
        new = cw.zeros(2) + 1
        first, *_ = eval(f"cw.{call}", {"cw": cw, "real": real, "new": new})
        first[...] = 7
    assert real.tolist() == [[1, 1], [1, 1]]


def test_lengths_that_are_arrays_without_axes():
    with cw.fake():
        for lengths in (np.array(3), np.int8(3), [np.array(3)], (np.uint8(3),)):
            assert cw.zeros(lengths).shape == cw.full(lengths, 7).shape == (3,)
            assert cw.random.default_rng(0).normal(size=lengths).shape == (3,)
        assert cw.random.default_rng(0).permutation(-1).shape == (0,)


def test_lengths_that_are_fakes_say_so():
    with cw.fake():
        length = cw.zeros(3, int).sum()
        for action in (cw.zeros, cw.ones, cw.random.default_rng(0).normal, lambda n: cw.full((n,), 1)):
            with pytest.raises(cw.FakeError, match="a value is needed"):
                action(size=length) if "normal" in repr(action) else action(length)
        with pytest.raises(TypeError):
            cw.zeros({3: 4})
        assert cw.zeros(range(2, 4)).shape == (2, 3)


@pytest.mark.parametrize("block", [cw.fake, cw.deferred])
@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("diagonal", {"a": ..., "offset": 1}),
        ("expand_dims", {"a": ..., "axis": 0}),
        ("imag", {"val": ...}),
        ("moveaxis", {"a": ..., "source": 0, "destination": 1}),
        ("rot90", {"m": ..., "k": 1}),
        ("swapaxes", {"a": ..., "axis1": 0, "axis2": 1}),
    ],
)
def test_functions_of_numpys_take_arrays_by_name(block, name, given):
    with block():
        x = cw.ones((2, 3)) + 1
        values = [x if value is ... else value for value in given.values()]
        by_name = getattr(np, name)(**dict(zip(given, values, strict=True)))
        by_position = getattr(np, name)(*values)
        assert by_name.shape == by_position.shape
        assert by_name.strides == by_position.strides
        assert cw.is_deferred(by_name) == cw.is_deferred(by_position)


@pytest.mark.parametrize("block", [contextlib.nullcontext, cw.fake, cw.deferred])
def test_names_behind_a_parameter_without_one_stay_names(block):
    with block():
        like = cw.ones(2) + 1
        assert np.arange(stop=5, step=2, like=like).shape == (3,)


@pytest.mark.parametrize("block", [contextlib.nullcontext, cw.fake, cw.deferred])
@pytest.mark.parametrize(
    "wrong",
    [
        {"weekmask": np.zeros(7, "?" if not happens("a week of bools is none") else "i8")},
        {"holidays": np.array([["2024-01-01"]], "M8[D]")},
    ],
    ids=str,
)
def test_calendars_that_are_real_are_looked_at(block, wrong):
    with block():
        day = cw.array(np.array(["2024-01-02"], "M8[D]"))
        for value in wrong.values():
            for given in (value, cw.asarray(value)):
                with pytest.raises(ValueError, match=r"weekmask|holidays"):
                    cw.is_busday(day, **{next(iter(wrong)): given})
