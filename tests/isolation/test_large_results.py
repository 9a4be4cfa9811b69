"""Large results take memory that was used before, and nobody sees it: a named array is never a temporary."""

import ctypes
import functools
import gc
import itertools
import operator
import sys
import tracemalloc
import weakref

import numpy as np
import pytest

# NumPy's own name for where new arrays get their memory.
from numpy._core.multiarray import get_handler_name
from support.extensions import SOURCES, SUFFIX, build
from support.sources import load
from support.threads import together

import cowarray as ca

SIZE = 1 << 17  # elements: 1 MiB of doubles
OPERATORS = ["+", "-", "*", "/", "**", "//", "%"]
UNKNOWN_TO_NUMPY = {("c16", "//"), ("c16", "%"), ("i8", "**")}  # the last: to a negative power


@pytest.fixture
def pair():
    rng = np.random.default_rng(3)
    n, m = rng.random(SIZE) + 0.5, rng.random(SIZE) + 0.5
    return ca.array(n), ca.array(m), n, m


def same(x, n):
    assert x.dtype == n.dtype
    assert x.shape == n.shape
    assert x.strides == n.strides
    assert np.array_equal(np.asarray(x), n, equal_nan=True)


@pytest.mark.parametrize(
    ("dtype", "op"),
    [
        each
        for each in itertools.product(["f4", "f8", "c16", "i8", "f2", ">f8"], OPERATORS)
        if each not in UNKNOWN_TO_NUMPY
    ],
)
@pytest.mark.parametrize("form", ["(a - b) {} 2", "2 {} (a - b)", "(a - b) {} c", "c {} (a - b)", "(a * b) {} (a - b)"])
def test_values_dtypes_and_layouts_are_numpys(op, form, dtype):
    rng = np.random.default_rng(5)
    arrays = [(rng.random((256, 512)) * 8 + 1).astype(dtype) for _ in range(3)]
    for order in "CF":
        ns = [np.asarray(array, order=order) for array in arrays[:2]] + [arrays[2]]
        expression = form.format(op)
        with np.errstate(all="ignore"):
            expected = eval(expression, dict(zip("abc", ns, strict=True)))
            found = eval(expression, dict(zip("abc", map(ca.array, ns), strict=True)))
        assert found.dtype == expected.dtype
        assert np.array_equal(np.asarray(found), expected, equal_nan=True)


@pytest.mark.parametrize("other", [2, 2.5, True, 1j, np.float32(3), np.float64(3), np.int8(3), np.array(3.0)])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8"])
def test_a_scalar_beside_a_temporary_promotes_as_in_numpy(dtype, other):
    n = np.linspace(1, 2, SIZE).astype(dtype)
    x = ca.array(n)
    for op in (operator.add, operator.mul, operator.truediv, operator.pow):
        same(op(x, n) * other, op(n, n) * other)
        same((x + x) + other, (n + n) + other)
        same((x + x) ** other, (n + n) ** other)
        same(other - (x + x), other - (n + n))


def peak(statement, names):
    """Bytes of array memory that a statement has at once beyond what there was."""
    code = compile(statement, "statement", "exec")
    exec(code, dict(names))
    gc.collect()
    tracemalloc.start()
    try:
        exec(code, dict(names))
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.skipif(
    not sys.platform.startswith("linux") or not getattr(sys, "_is_gil_enabled", lambda: True)(),
    reason="only where it is certain who called",
)
@pytest.mark.parametrize(
    "expression",
    [
        *("a * 2 + 1", "(a - b) ** 2", "1 - (a + b)", "b * (a - b)", "(a + b) / a - 1.5", "(a + b) + (a * b)"),
        "(a - a[0]) / b[1]",  # numbers of NumPy's
    ],
)
def test_a_temporary_is_computed_into(pair, expression):
    a, b, n, m = pair
    ours = peak(f"r = {expression}", {"a": a, "b": b})
    theirs = peak(f"r = {expression}", {"a": n, "b": m})
    assert ours < theirs + SIZE  # bytes: an eighth of an array
    same(eval(expression, {"a": a, "b": b}), eval(expression, {"a": n, "b": m}))


INTEGERS = ["i1", "u1", "i4", "i8", "u8", "q", ">i8", "?"]


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("op", ["add", "sub", "mul", "truediv", "and_", "or_", "xor"])
@pytest.mark.parametrize(
    "other", ["n", 2, 300, True, 2.5, np.int8(3), np.int64(3), np.uint64(3), np.bool_(True), np.array(3), np.float32(2)]
)
def test_integers_and_booleans_promote_as_in_numpy(dtype, op, other):
    n = (np.arange(2 * SIZE) % 5).astype(dtype)
    x = ca.array(n)
    made, function = (operator.xor if dtype == "?" else operator.add), getattr(operator, op)
    for left in (True, False):
        results = []
        for y in (n, x):
            right = y if isinstance(other, str) else other
            try:
                with np.errstate(all="ignore"):
                    results.append(function(made(y, y), right) if left else function(right, made(y, y)))
            except (TypeError, ValueError, OverflowError) as error:
                results.append(type(error))
        expected, found = results
        if isinstance(expected, type):
            assert found is expected
        else:
            same(found, expected)


@pytest.mark.skipif(
    not sys.platform.startswith("linux") or not getattr(sys, "_is_gil_enabled", lambda: True)(),
    reason="only where it is certain who called",
)
@pytest.mark.parametrize(
    "expression",
    ["(a + b) * 3", "(a + b) * b[1]", "7 - (a * b)", "(a & b) | a", "(a ^ b) + (a - b)", "(a < b) & (a > 3)"],
)
def test_a_temporary_of_integers_is_computed_into(expression):
    n, m = np.arange(SIZE), np.arange(SIZE)[::-1].copy()
    code = eval(f"lambda a, b: {expression}")
    ours, theirs = (
        peak("r = f(a, b)", {"a": ca.array(n), "b": ca.array(m), "f": code}),
        peak("r = f(a, b)", {"a": n, "b": m, "f": code}),
    )
    assert ours < theirs + SIZE // 2
    same(code(ca.array(n), ca.array(m)), code(n, m))
    with ca.fake() as plan:
        x, y = ca.zeros(SIZE, int), ca.zeros(SIZE, int)
        before = plan.live_bytes
        r = code(x, y)  # noqa: F841
    assert plan.peak_bytes - before == pytest.approx(ours, abs=SIZE // 2)


def test_a_named_array_is_not_a_temporary(pair):
    a, b, n, m = pair
    t = a - b
    u = t + 1
    same(t, n - m)
    same(u, n - m + 1)
    v = (w := a + b) * 2
    same(w, n + m)
    same(v, (n + m) * 2)


def hold(x):
    return [x]


def test_whoever_else_has_the_one_reference_keeps_its_values(pair):
    """One reference is no proof: it may be a tuple's, a closure's, a generator's or a C function's."""
    a, b, n, m = pair
    expected = n - m

    one = (a - b, 1.0)
    for call in (lambda: operator.add(*one), lambda: functools.reduce(operator.add, one), lambda: sum(one, 0.0)):
        call()
        same(one[0], expected)
    box = hold(a - b)
    for result in (box[0] + 1, operator.add(box[0], 1), next(map(operator.add, box, [1.0]))):
        same(result, expected + 1)
        same(box[0], expected)
    pairs = [(a - b, 1.0)]
    same(next(iter(itertools.starmap(operator.add, pairs))), expected + 1)
    same(pairs[0][0], expected)
    running = list(itertools.accumulate(iter([a - b, a, b])))
    same(running[0], expected)
    same(running[1], expected + n)

    class Keeper:
        def __init__(self):
            self.x = a - b

        def __add__(self, other):
            return self.x + other

        def __call__(self):
            return operator.methodcaller("__add__", 1.0)(self.x)

    keeper = Keeper()
    same(keeper + 1.0, expected + 1)
    same(keeper.x, expected)
    same(keeper(), expected + 1)
    same(keeper.x, expected)


def test_c_code_that_goes_on_to_use_its_operand_finds_it_unchanged(pair):
    """PyNumber_Add's caller owns its operand, whatever the count of references says."""
    a, b, n, m = pair
    add = ctypes.pythonapi.PyNumber_Add
    add.restype = ctypes.py_object
    add.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    box = [a - b, 1.0]
    same(add(id(box[0]), id(box[1])), n - m + 1)
    same(box[0], n - m)


def test_an_operator_of_an_extension_finds_its_own_array_unchanged(pair, tmp_path):
    """The interpreter is at a ``+``, and the array has one reference; but the operator is the extension's."""
    a, b, n, m = pair
    build(SOURCES / "adder.c", tmp_path / f"adder{SUFFIX}", "-std=c11")
    keeper = load(tmp_path / f"adder{SUFFIX}").Adder()
    keeper.take(lambda: a - b)
    for _ in range(3):
        same(keeper + 1.0, n - m + 1)
        same(keeper.kept, n - m)


def test_pythons_own_c_code_finds_its_operand_unchanged(pair):
    """`itertools.count` gives the number that it has just added the step to."""
    a, b, n, m = pair
    for first in itertools.count(a - b, 1.0):
        same(first, n - m)
        del first
        break


def test_a_weak_reference_to_a_temporary_keeps_it_as_it_is(pair):
    a, b, n, m = pair
    seen = []

    def watched(x):
        seen.append(weakref.ref(x))
        return x

    same(watched(a - b) + 1, n - m + 1)
    assert seen[0]() is None


def test_read_only_and_shared_temporaries_are_not_written(pair):
    a, b, n, m = pair

    def locked():
        x = a - b
        x.setflags(write=False)
        return x

    kept = []

    def shown():
        x = a - b
        kept.append(np.asarray(x))
        return x

    def viewed():
        x = a - b
        kept.append(x[:])
        return x

    def copied():
        x = a - b
        kept.append(x.copy())
        return x

    for make in (locked, shown, viewed, copied):
        same(make() + 1, n - m + 1)
    for each in kept:
        same(each, n - m)


def test_an_error_leaves_everything_as_it_was(pair):
    a, b, n, m = pair
    with np.errstate(all="raise"):
        with pytest.raises(FloatingPointError):
            (a - a) / (a - a)
        with pytest.raises(FloatingPointError):
            (a * 2) / (a - a)
    assert get_handler_name() == "default_allocator"
    with pytest.raises(ValueError, match="broadcast"):
        (a - b) + a[1:]
    with pytest.raises(TypeError):
        (a - b) + "x"
    assert get_handler_name() == "default_allocator"
    same(a, n)
    same(b, m)


def test_numpys_own_arrays_come_from_where_they_always_did(pair):
    a, b, n, _ = pair
    seen = []
    with np.errstate(divide="call", call=lambda *_: seen.append(get_handler_name())):
        1 / (a - a)
    assert seen  # user code in the middle may see it, and nobody else does
    _ = a + b, np.add(a, b), ca.add(a, b), a < b, -a, np.sqrt(a), np.add(a, b, dtype="f4"), np.add.reduce(a)
    assert get_handler_name() == "default_allocator"
    assert get_handler_name(n + 1) == "default_allocator"


@pytest.mark.parametrize("nbytes", [128 << 10, 200_008, 256 << 10, 1 << 20])
@pytest.mark.parametrize("compute", ["a + b", "a * 2", "2 - a", "a + b[0]", "(a * b) + 1"])
def test_large_results_of_operators_are_aligned(compute, nbytes):
    n = np.arange(nbytes // 8, dtype=float)
    a, b = ca.array(n), ca.array(n[::-1])
    kept = [eval(compute, {"a": a, "b": b}) for _ in range(8)]
    assert {np.asarray(each).ctypes.data % 64 for each in kept} == {0}


@pytest.mark.parametrize(
    "compute",
    [
        *(
            "np.sort(a)",
            "a.cumsum()",
            "a.astype('f4').astype(float).cumsum()",
            "np.concatenate([a, b])",
            "np.flip(a).copy()",
        ),
        *("np.where(a > 3, a, b)", "np.diff(a)", "np.cumsum(a, axis=0)", "ca.sort(a)", "np.clip(a, 1, b)"),
    ],
)
def test_large_results_of_functions_come_from_the_heap(compute):
    n = np.arange(SIZE, dtype=float)
    names = {"a": ca.array(n), "b": ca.array(n[::-1]), "np": np, "ca": ca}
    kept = [eval(compute, names) for _ in range(8)]
    assert {np.asarray(each).ctypes.data % 64 for each in kept} == {0}
    assert get_handler_name() == "default_allocator"


def test_functions_of_the_user_do_not_see_the_heap(pair):
    a, _, n, _ = pair
    seen = []
    np.apply_along_axis(lambda row: seen.append(get_handler_name()) or row, 0, a)
    ca.piecewise(a, [a > 1], [lambda x: seen.append(get_handler_name()) or x])
    np.max(a.astype(object), initial=Number(seen))
    np.add(a, Converted(seen))
    assert set(seen) == {"default_allocator"}
    same(a, n)


class Converted:
    """A sequence that notes where NumPy's arrays come from when it is converted."""

    def __init__(self, seen):
        self.seen = seen

    def __array__(self, dtype=None, copy=None):
        self.seen.append(get_handler_name())
        return np.ones(SIZE)


class Number(float):
    """A number that notes where NumPy's arrays come from when it is asked."""

    def __new__(cls, seen):
        number = super().__new__(cls, 2.0)
        number.seen = seen
        return number

    def __gt__(self, other):
        self.seen.append(get_handler_name())
        return super().__gt__(other)


def test_threads_compute_large_results_at_once():
    n = np.arange(SIZE, dtype=float)
    x = ca.array(n)

    def work(k):
        for i in range(40):
            y = (x + k) * i - x
            assert np.array_equal(np.asarray(y), (n + k) * i - n), (k, i)

    together(*[functools.partial(work, k) for k in range(4)])
    same(x, n)


def test_results_outlive_the_arrays_they_were_made_of():
    results = []
    for i in range(20):
        x = ca.array(np.full(SIZE, float(i)))
        results.append((x * 2 + 1, np.sqrt(x), x < 3, x.astype("f4") + 1))
    for i, (first, root, less, single) in enumerate(results):
        assert (first == 2 * i + 1).all()
        assert (root == np.sqrt(float(i))).all()
        assert (less == (i < 3)).all()
        assert (single == i + 1).all()
    grown = ca.array(np.ones(SIZE)) + 1
    grown.resize(2 * SIZE)
    assert grown[:SIZE].sum() == 2 * SIZE
    assert not grown[SIZE:].any()
