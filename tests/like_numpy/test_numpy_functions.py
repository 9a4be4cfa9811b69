"""Every dispatchable NumPy function, called with ours: NumPy's values, and writes that no lazy copy sees.

`test_table.py` runs the same calls over memory layouts; this file runs them over dtypes, with arguments of mixed kinds,
and through every way of naming what is written.
"""

import inspect
import itertools

import numpy as np
import pytest
from support.calls import Run, function_of, is_statement, name_of
from support.cases.registry import sources
from support.oracle import Subject, Witness, agree, native, numbers, outcome, same, value

import cowarray
from cowarray._ops.table import OPERATIONS, lookup

pytestmark = pytest.mark.numpy_ends

FUNCTION_CALLS = sources("function")

# Random access to uninitialized memory, and what NumPy itself prints at random.
DTYPES = ["f4", "i8", "u1", "c16", "?", "O", "m8[s]", ">f8", "S3", "U3"]


def lazy_subject(dtype):
    return Subject(numbers((4, 4)).astype(int).astype(dtype), lambda base: base[...], "lazy copy")


def is_read(call):
    row = lookup(function_of(call))
    return not row.writes_if and all(each.name == "out" for each in row.writes)


def run_both(call, held):
    theirs = Run(call, held.n)()
    ours = Run(call, held.x)()
    if call.startswith(("np.poly(", "np.roots(")) and isinstance(ours.result, np.ndarray):
        ours.result = cowarray.asarray(ours.result)  # NumPy asks the elements, not the array, who computes
    agree((ours.result, ours.error), (theirs.result, theirs.error))
    ours.check(theirs)
    return ours, theirs


@pytest.mark.parametrize("call", FUNCTION_CALLS)
def test_values_are_numpys_and_inputs_stay_lazy_copies(call):
    for dtype in DTYPES:
        held = lazy_subject(dtype)
        shared = held.x.storage.share_count
        assert shared == (1 if dtype == "O" else 2)
        ours, _ = run_both(call, held)
        held.check()
        if is_read(call):
            ours.result = ours.names = None
            assert held.x.storage.share_count == shared
            assert dtype == "O" or cowarray.shares_bytes(held.x, held.witness.copy)


@pytest.mark.parametrize("call", [call for call in FUNCTION_CALLS if "A(" in call])
def test_companions_may_be_numpys(call):
    held = lazy_subject(float)
    theirs = Run(call, held.n)()
    mixed = Run(call, held.x)
    mixed.names["A"] = Run(call, held.n).companion
    mixed()
    if theirs.error is None and "x" in call.replace("np.ix_", "").replace("index", ""):
        assert mixed.error is None
        np.testing.assert_equal(native(mixed.result), native(theirs.result))
    held.x, held.n = mixed.x, theirs.x
    held.check()


# ---- out= ------------------------------------------------------------------------------------------------------------


def has_out(call):
    try:
        return not is_statement(call) and "out" in inspect.signature(function_of(call)).parameters
    except ValueError:
        return False


OUT_CALLS = [call for call in FUNCTION_CALLS if has_out(call) and "lambda" not in call]
WAYS = ("positional", "keyword")


def with_out(call, x, out, way):
    """The outcome of the call with out, and the run; (None, None) where out cannot be given that way."""
    run = Run(call, x)
    function, bound = run.bound()
    out_parameter = inspect.signature(function).parameters["out"]
    if way == "keyword":
        bound.arguments.pop("out", None)
        return outcome(function, *bound.args, **bound.kwargs, out=out), run
    if out_parameter.kind is out_parameter.KEYWORD_ONLY:
        return None, run
    bound.apply_defaults()
    bound.arguments["out"] = out
    kwargs = {key: item for key, item in bound.kwargs.items() if item is not np._NoValue and item is not None}
    return outcome(function, *bound.args, **kwargs), run


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("call", OUT_CALLS)
def test_out_is_written_and_seen_by_views_and_by_no_copy(call, way):
    wrote = 0
    for layout, (shape, view) in OUT_LAYOUTS.items():
        n = numbers((4, 4))
        result = np.asarray(Run(call, n)().result)
        held = Subject(np.zeros(shape(result.shape), result.dtype), view, "lazy copy")
        x = cowarray.array(n)
        witness = Witness(x)
        theirs, n_run = with_out(call, n, held.n, way)
        ours, run = with_out(call, x, held.x, way)
        if theirs is None:
            assert ours is None
            return
        if theirs[1] is not None:
            assert layout != "contiguous" or (way == "positional" and "busday" in call)
            assert ours[1] is theirs[1], (layout, ours, theirs)
            wrote += way == "positional" and "busday" in call  # NumPy wants busdaycal or the others, never both
        else:
            assert ours[1] is None, layout
            assert (ours[0] is held.x) == (theirs[0] is held.n)
            wrote += theirs[0] is not held.n or bool(np.any(held.n)) or not np.any(result)
        held.check()
        witness.check()
        same(x, n)
        run.check(n_run)
    assert wrote, "the test has seen no write"


# Name -> (the base's shape for a result's shape, the view of the base that is given as out).
OUT_LAYOUTS = {
    "contiguous": (lambda shape: shape, lambda base: base[...]),
    "reversed": (lambda shape: (2, *shape), lambda base: base[1, ..., ::-1] if base.ndim > 1 else base[1, ...]),
    "part": (lambda shape: (*shape, 3), lambda base: base[..., 1]),
}


@pytest.mark.parametrize("call", OUT_CALLS)
def test_out_may_be_numpys_or_read_only(call):
    n = numbers((4, 4))
    result = np.asarray(Run(call, n)().result)
    ours, _ = with_out(call, cowarray.array(n), out := np.zeros_like(result), "keyword")
    theirs, _ = with_out(call, n, np.zeros_like(result), "keyword")
    assert (ours[1], theirs[1]) == (None, None)
    assert ours[0] is out or "fft" in call  # some of NumPy's ignore out
    np.testing.assert_array_equal(native(ours[0]), theirs[0])
    locked = cowarray.array(np.zeros_like(result))
    locked.setflags(write=False)
    frozen = np.zeros_like(result)
    frozen.setflags(write=False)
    ours, _ = with_out(call, cowarray.array(n), locked, "keyword")
    theirs, _ = with_out(call, n, frozen, "keyword")
    assert theirs[1] is not None or "fft" in call
    assert ours[1] is theirs[1]
    assert not np.any(value(locked) != frozen)


def test_every_function_with_out_is_tried_in_both_ways():
    named = {name_of(function_of(call)) for call in FUNCTION_CALLS if has_out(call)}
    tried = {name_of(function_of(call)) for call in OUT_CALLS}
    assert tried == named
    assert len(tried) >= 60


# ---- the other writers -----------------------------------------------------------------------------------------------

WRITER_CALLS = [
    call
    for call in FUNCTION_CALLS
    if any(each.name != "out" for each in lookup(function_of(call)).writes)
    or "overwrite_input=True" in call
    or ("copy=False" in call and "nan_to_num" in call)
    or call in ("np.nan_to_num(x, False)", "np.nanmedian(x, 0, None, True)", "np.nanquantile(x, .3, 0, None, True)")
]


@pytest.mark.parametrize("ownership", ["view", "lazy copy", "source", "imported"])
@pytest.mark.parametrize("call", WRITER_CALLS)
def test_writers_write_into_the_array_and_its_views_and_into_no_copy(call, ownership):
    held = Subject(numbers((4, 4)), lambda base: base[...], ownership)
    view = held.x[1:, ::2]
    run_both(call, held)
    held.check()
    same(view, held.n[1:, ::2])


@pytest.mark.parametrize("call", [call for call in WRITER_CALLS if "x" in call.split("(", 1)[1] and "rf." not in call])
def test_writers_refuse_read_only_arrays_as_numpy_does(call):
    held = Subject(numbers((4, 4)), lambda base: base[...], "lazy copy")
    held.x.setflags(write=False)
    held.n.setflags(write=False)
    run_both(call, held)
    held.check()


def test_every_writer_of_the_table_is_tried():
    called = {name_of(function_of(call)) for call in WRITER_CALLS}
    writers = {
        name
        for name, row in OPERATIONS.items()
        if not name.startswith("ndarray.") and (row.writes_if or any(written != "out" for written in row.writes))
    }
    assert called >= writers
    assert len(writers) >= 12


def test_writers_actually_write():
    wrote = set()
    for call in WRITER_CALLS:
        n = numbers((4, 4)).copy()
        Run(call, n)()
        if not np.array_equal(n, numbers((4, 4))):
            wrote.add(name_of(function_of(call)))
    assert wrote >= {"copyto", "put", "place", "putmask", "put_along_axis", "fill_diagonal", "median"}


def test_nan_to_num_in_place_is_seen_by_views_only():
    n = np.array([1.0, np.nan, np.inf, -np.inf])
    held = Subject(n, lambda base: base[::-1], "lazy copy")
    assert np.nan_to_num(held.x, copy=False) is held.x
    np.nan_to_num(held.n, copy=False)
    held.check()
    assert not np.isnan(value(held.base)).any()


# ---- who computes ----------------------------------------------------------------------------------------------------


class Stranger:
    """Brings its own __array_function__."""

    def __array_function__(self, func, types, args, kwargs):
        return "stranger", cowarray.ndarray in types


def test_a_type_with_its_own_protocol_is_asked():
    x = cowarray.array([1.0, 2.0])
    assert np.concatenate((x, Stranger())) == ("stranger", True)
    assert np.concatenate((Stranger(), x)) == ("stranger", True)


class Reluctant:
    def __array_function__(self, func, types, args, kwargs):
        return NotImplemented


def test_nobody_computes_with_a_type_that_refuses():
    with pytest.raises(TypeError, match="no implementation found"):
        np.concatenate((cowarray.array([1.0]), Reluctant()))


class Sub(np.ndarray):
    pass


def test_subclasses_of_numpys_arrays_are_values_like_others():
    x = cowarray.array([1.0, 2.0])
    sub = np.array([3.0]).view(Sub)
    same(cowarray.asarray(np.concatenate((x, sub))), np.array([1.0, 2.0, 3.0]))


def test_functions_that_numpy_does_not_dispatch_read_ours():
    n = numbers((4, 4))
    x = cowarray.array(n)
    witness = Witness(x)
    assert [*np.ndenumerate(x)] == [*np.ndenumerate(n)]
    assert [float(item) for item in np.nditer(x)] == [float(item) for item in np.nditer(n)]
    np.testing.assert_array_equal(np.vectorize(lambda a: a + 1)(x), n + 1)
    np.testing.assert_array_equal(np.asarray(x), n)
    np.testing.assert_array_equal(np.array(x), n)
    np.testing.assert_array_equal(np.ma.masked_greater(x, 3), np.ma.masked_greater(n, 3))
    np.testing.assert_array_equal(np.random.default_rng(1).permutation(x), np.random.default_rng(1).permutation(n))
    np.testing.assert_array_equal(np.fromiter(x.flat, float), n.ravel())
    assert np.iterable(x)
    assert np.isscalar(x) is False
    assert witness.copy.storage.share_count == 2
    witness.check()


def test_several_results_without_elements_can_be_shown_and_copied():
    for part in np.unravel_index(cowarray.array([], dtype=int), (10, 3, 5)):
        assert np.asarray(part).shape == part.copy().shape == (0,)


COPIES = [
    lambda x: x.copy("K"),
    lambda x: x[...].copy("K"),
    lambda x: x,
    lambda x: x[...],
    lambda x: x + 0,
    lambda x: 0,
]


@pytest.mark.parametrize("shape", [(), 4, (2, 3)], ids=str)
def test_copyto_writes_to_no_read_only_array(shape):
    n = np.ones(shape)
    x = cowarray.array(n)
    for array in (n, x):
        array.setflags(write=False)
    refused = 0
    for copied, where, casting in itertools.product(
        COPIES, [True, False, np.True_, [], "x"], ["same_kind", "no", "odd"]
    ):
        theirs = outcome(np.copyto, n, copied(n), casting, where)
        for copyto in (np.copyto, cowarray.copyto):
            agree(outcome(copyto, x, copied(x), casting, where), theirs)
        refused += theirs[1] is ValueError
    assert refused
    same(x, n)
