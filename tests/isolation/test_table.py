"""What each operation promises, in each memory layout and ownership, against NumPy on an eager equal.

Same Storage or a new one, as the table says; bytes copied and shares as promised; values, dtypes, shapes, strides
and read-only flags as NumPy's. Whatever writes nothing copies nothing and leaves all shares. No exceptions.
"""

import ast
import itertools

import numpy as np
import pytest
from support.calls import (
    ALL_FUNCTIONS,
    Run,
    arrays_in,
    class_of,
    function_of,
    name_of,
    operation_of,
)
from support.cases.registry import sources
from support.numpy_versions import happens, without
from support.operations import SHARED, both, check_operation, check_writes, is_lazy, writes
from support.oracle import LAYOUTS, OWNERSHIPS, same, subject

import cowarray
from cowarray._ops.table import COPY, OPERATIONS, SAME, VIEW
from cowarray._ops.table import _inspected as inspected_parameters
from cowarray._ops.table import _told as told_parameters

# The class that each is meant to have, written once more: a row whose class changes by mistake fails here.
INTENDED = {
    VIEW: """T mT transpose swapaxes squeeze diagonal real imag view getfield __getitem__""",
    COPY: """reshape ravel flatten copy lazy_clone astype __copy__ __deepcopy__""",
    "writes": """__setitem__ fill sort partition put""",
    "functions that view": """transpose swapaxes moveaxis squeeze expand_dims broadcast_to broadcast_arrays diagonal
        real imag flip rot90 split array_split hsplit vsplit dsplit unstack lib.stride_tricks.sliding_window_view einsum
        matrix_transpose""",
    "functions that copy": """reshape ravel copy astype array asarray ascontiguousarray asfortranarray require""",
    "functions that write": """copyto put place putmask put_along_axis fill_diagonal""",
}


METHOD_CALLS, INTEGER_CALLS = sources("method"), sources("integers")
FUNCTION_CALLS = sources("function")
ALWAYS_FAIL = sources("fails")
CALLS = [
    *((call, float) for call in FUNCTION_CALLS),
    *((call, float) for call in METHOD_CALLS),
    *((call, int) for call in INTEGER_CALLS),
]
ONLY_OURS = ("x.lazy_clone()", "x.to_numpy()", "cowarray.lazy_clone(x)", "cowarray.array(x)", "cowarray.asarray(x)")


@pytest.mark.parametrize(("call", "dtype"), CALLS, ids=[f"{call} {dtype.__name__}" for call, dtype in CALLS])
def test_operation(call, dtype):
    for layout, ownership in itertools.product(LAYOUTS, OWNERSHIPS):
        check_operation(call, layout, ownership, dtype)


RETURNING = [(call, dtype) for call, dtype in CALLS if not writes(call) and class_of(call) != SAME]


@pytest.mark.parametrize(("call", "dtype"), RETURNING, ids=[call for call, _ in RETURNING])
def test_a_write_is_seen_by_every_view_and_by_no_copy(call, dtype):
    for layout, ownership in itertools.product(LAYOUTS, OWNERSHIPS):
        held, ours, theirs, _, _ = both(call, layout, ownership, dtype)
        pairs = zip(arrays_in(ours.result, cowarray.ndarray), arrays_in(theirs.result, np.ndarray), strict=True)
        for result, other in pairs:
            if result is not held.x:
                check_writes(held, result, other)


COPIES = [call for call, _ in RETURNING if class_of(call) == COPY and not call.startswith(("np.meshgrid", "np.ix_"))]


@pytest.mark.parametrize("call", COPIES)
def test_a_copy_lies_as_numpys_and_costs_no_more(call):
    ran = 0
    for layout, ownership in itertools.product(LAYOUTS, OWNERSHIPS):
        held, ours, theirs, (shares, _), stats = both(call, layout, ownership, float)
        for result, other in zip(
            arrays_in(ours.result, cowarray.ndarray), arrays_in(theirs.result, np.ndarray), strict=True
        ):
            if not other.size:
                continue
            ran += 1
            if is_lazy(held.x, held.n) and is_alias_of(call, held.n, other):
                same(result, other, strides=True)
                assert stats["lazy_clones"] >= 1
                assert stats["bytes_copied"] == 0
                assert held.x.storage.share_count == result.storage.share_count > shares
            else:
                # Where NumPy made a view and we did not, the copy lies as NumPy's copy of that view.
                same(result, other.copy(order="K") if np.shares_memory(other, held.n) else other, strides=True)
                assert held.x.storage.share_count == shares
    assert ran


def is_alias_of(call, n, result):
    """Whether NumPy could have given its result as a view of n."""
    if call.startswith(("x.copy", "copy.", "np.copy", "x.astype", "np.astype", "np.array(")):
        return result.shape == n.shape and result.strides == n.strides and result.dtype == n.dtype
    if "flatten" in call or "copy=True" in call:
        view = eval(call.replace("flatten", "ravel").replace(", copy=True", ""), {"np": np, "x": n})
        return np.shares_memory(view, n) and view.strides == result.strides
    return np.shares_memory(result, n)


@pytest.mark.parametrize("call", ONLY_OURS)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("ownership", OWNERSHIPS)
def test_operations_that_numpy_has_not(call, layout, ownership):
    held = subject(layout, ownership)
    x = held.x
    shares = x.storage.share_count
    cowarray.reset_stats()
    result = eval(call, {"cowarray": cowarray, "x": x})
    stats = cowarray.stats()
    assert stats["copies"] == stats["steals"] == 0
    if call == "cowarray.asarray(x)":
        assert result is x
    elif call == "x.to_numpy()":
        assert not result.flags.writeable
        np.testing.assert_array_equal(result, held.n, strict=True)
    else:
        assert result.storage is not x.storage
        assert result.flags.writeable
        same(result, held.n.copy(order="K"), strides=True)
        if is_lazy(x, held.n) and held.n.copy(order="K").strides == held.n.strides:
            assert stats["bytes_copied"] == 0
            assert x.storage.share_count == shares + 1
        else:
            assert stats["bytes_copied"] == x.nbytes
        result[...] = 5
    held.check()


@pytest.mark.parametrize("ownership", OWNERSHIPS)
def test_materialize_copies_what_is_shared_and_nothing_else(ownership):
    held = subject("contiguous", ownership)
    cowarray.reset_stats()
    assert held.x.materialize() is held.x
    assert cowarray.stats()["bytes_copied"] == (held.x.nbytes if ownership in SHARED else 0)
    assert held.x.storage.share_count == 1
    held.check()


@pytest.mark.parametrize(
    "call", ["x[...] = 5", "x[:] = 5", "x.fill(3)", "x += 1", "x *= A([2.])", "x -= x", "np.negative(x, out=x)"]
)
@pytest.mark.parametrize("ownership", OWNERSHIPS)
@pytest.mark.parametrize("layout", ["contiguous", "fortran", "negative", "1-d", "3-d", "0-d"])
def test_a_full_overwrite_copies_nothing(call, layout, ownership):
    if layout == "0-d":
        call = call.replace("[:]", "[()]").replace("A([2.])", "A(2.)")
    held, _, theirs, _, stats = both(call, layout, ownership, float)
    assert theirs.error is None
    held.check()
    assert stats["bytes_copied"] == 0


def test_every_numpy_function_is_called():
    called = {name_of(function_of(call)) for call in FUNCTION_CALLS}
    assert sorted(called) == ALL_FUNCTIONS
    assert len(ALL_FUNCTIONS) >= 300


def test_every_method_and_attribute_is_called():
    text = "\n".join([*METHOD_CALLS, *INTEGER_CALLS, *ONLY_OURS])
    named = {node.attr for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Attribute)}
    exports = {
        "base",
        "by_page",
        "checkpoint",
        "ctypes",
        "data",
        "decheckpoint",
        "dump",
        "dumps",
        "evict",
        "flush",  # of memory maps, in plans
        "is_checkpointed",
        "materialize",
        "resize",
        "storage",
    }  # below, in tests of exports, or of budgets
    public = {name for name in dir(cowarray.ndarray) if not name.startswith("_")}
    assert public - named - exports == set()
    absent = {name for name in dir(np.ndarray) if not name.startswith("_")} - public
    assert absent == ({"itemset", "newbyteorder", "ptp"} if happens("dead methods are named") else set())


def test_every_row_of_the_table_is_exercised():
    names = {operation_of(call)[1] for call, _ in CALLS}
    names |= {"ndarray.lazy_clone", "ndarray.__copy__", "ndarray.__deepcopy__", "ndarray.resize"}  # above and below
    assert set(OPERATIONS) - names == set()


def test_every_call_works_on_some_layout():
    for call, dtype in CALLS:
        errors = [Run(call, subject(layout, "owner", dtype).n)().error for layout in LAYOUTS]
        assert all(errors) == (call in ALWAYS_FAIL), (call, errors)


@pytest.mark.parametrize("heading", INTENDED)
def test_the_table_says_what_is_intended(heading):
    for name in INTENDED[heading].split():
        row = OPERATIONS["ndarray." + name if heading in (VIEW, COPY, "writes") else name]
        if "write" in heading:
            assert row.writes
        else:
            assert row.result == (VIEW if "view" in heading else COPY), name


@pytest.mark.parametrize("ownership", ["owner", "lazy copy", "source", "imported"])
@pytest.mark.parametrize("shape", [(2, 3), (4, 8), (0,), (16,)])
def test_resize_changes_the_array_and_no_copy(ownership, shape):
    held = subject("contiguous", ownership)
    x = cowarray.array(held.x) if held.x.base is not None else held.x
    n = np.array(held.n)
    x.resize(shape)
    n.resize(shape)
    same(x, n)
    held.check()


def test_resize_to_no_axes_and_of_a_view_without_bytes():
    x = cowarray.array([3.0, 4.0])
    x.resize()
    assert x.shape == (2,)
    with pytest.raises(ValueError, match="it is a view"):
        x[:].resize(3)
    with pytest.raises(ValueError, match="it is a view"):
        x[:0].resize(3)
    x.resize(())
    assert x == 3.0
    assert x.shape == ()
    view = cowarray.array([])[:]
    view.resize((0, 5))
    assert view.shape == (0, 5)


def test_attributes_that_export_or_name_what_is_shared():
    held = subject("contiguous", "view")
    shares = held.x.storage.share_count
    cowarray.reset_stats()
    assert held.x.base.storage is held.x.storage
    assert cowarray.array([1]).base is None
    data = held.x.data
    assert data.readonly
    assert held.x.storage.share_count == shares + 1
    del data
    assert held.x.storage.share_count == shares
    assert cowarray.stats()["bytes_copied"] == 0
    assert held.x.ctypes.data == held.x.storage.data_ptr
    assert cowarray.stats()["bytes_copied"] == 0


@without("functions in C tell no signature")
def test_signatures_of_c_are_read_as_inspect_reads_them():
    told = 0
    for name, method in vars(np.ndarray).items():
        text = getattr(method, "__text_signature__", None)
        if text is None or name.startswith("__"):
            continue
        read = told_parameters(text)
        told += bool(read)
        assert not read or read == inspected_parameters(method), name
    assert told > 40
