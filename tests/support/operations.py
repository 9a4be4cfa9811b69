"""One operation on one array, ours beside NumPy's: what the table says it gives, what it costs and what it leaves."""

import ast
import functools

import numpy as np
from support.calls import Run, arrays_in, class_of, numpys, operation_of
from support.oracle import agree, same, subject, value

import cowarray
from cowarray._ops.table import COPY, SAME, VIEW

# Calls that give out what the array holds now: a snapshot of a small part is a copy of that part, as the rule for
# lazy copies says. They are no exceptions to "a read materializes nothing".
EXPORTS = ("x.tofile", "pickle.", "np.apply_", "np.piecewise", "np.from", "np.save", "rf.apply_")

# NumPy's dispatcher looks at the elements of these functions' argument, and finds NumPy's scalars.
UNASKED = ("np.poly(x)", "np.roots(A([1., 2., -3.]))")

SHARED = ("lazy copy", "source", "imported")


def check_result(call, held, result, theirs, companions):
    """The table's promise for one array that came back. Returns how many bytes it may have cost."""
    kind = class_of(call)
    x, n = held.x, held.n
    aliased = np.shares_memory(theirs, n)
    if result is x:
        assert theirs is n or kind == SAME, "only what NumPy gives back itself is the very object"
        return 0
    assert kind != SAME
    if kind == VIEW and (aliased or theirs.size == 0):
        if aliased:
            assert result.storage is x.storage
        if "broadcast_arrays" in call:
            # NumPy warns where one writes to what is read-only here.
            overlap = any(step == 0 and length > 1 for step, length in zip(result.strides, result.shape, strict=True))
            assert not result.size or result.flags.writeable == (x.flags.writeable and not overlap)
        else:
            assert result.flags.writeable == theirs.flags.writeable
        return 0
    assert result.storage is not x.storage
    assert not cowarray.aliases(result, x)
    if kind == COPY:
        assert result.flags.writeable
    if not aliased:
        copied = (
            kind == COPY
            or numpys(call).startswith(EXPORTS)
            or any(np.shares_memory(theirs, other) for other in companions)
        )
        return result.nbytes if copied else 0
    if not is_lazy(x, theirs):
        return result.nbytes
    assert cowarray.shares_bytes(result, x)
    return 0


def is_lazy(x, n):
    """Whether the rules for lazy copies (docs/concepts.md) allow one that lies like n in x's bytes."""
    overlaps = any(stride == 0 and length > 1 for stride, length in zip(n.strides, n.shape, strict=True))
    return 2 * n.nbytes >= x.storage.nbytes and not overlaps


def both(call, layout, ownership, dtype):
    held = subject(layout, ownership, dtype)
    ours, theirs = Run(call, held.x), Run(numpys(call), held.n)
    theirs()
    shares = held.x.storage.share_count, held.x.storage.data_ptr
    cowarray.reset_stats()
    ours()
    stats = ours.stats()
    if call in UNASKED and isinstance(ours.result, np.ndarray):
        ours.result = cowarray.asarray(ours.result)
    agree((ours.result, ours.error), (theirs.result, theirs.error))
    return held, ours, theirs, shares, stats


def check_operation(call, layout, ownership, dtype):
    held, ours, theirs, (shares, address), stats = both(call, layout, ownership, dtype)
    held.check()
    ours.check(theirs)
    x = held.x
    results = [*arrays_in(ours.result, cowarray.ndarray)]
    others = [*arrays_in(theirs.result, np.ndarray)]
    cost = sum(
        check_result(call, held, result, other, theirs.companions)
        for result, other in zip(results, others, strict=True)
    )
    if writes(call):
        shared = sum(companion.storage.nbytes for companion in ours.companions) if call.startswith("rf.") else 0
        shared += x.storage.nbytes if ownership in SHARED else 0
        assert stats["bytes_copied"] <= shared + cost
    else:
        assert stats["copies"] == stats["steals"] == stats["overwrites"] == 0, "a read has materialized"
        assert x.storage.data_ptr == address, "a read has moved the bytes"
        if numpys(call).startswith(EXPORTS) and not is_lazy(x, held.n):
            cost += x.nbytes
        assert stats["bytes_copied"] <= cost
        del results
        ours.result = ours.names = None
        assert x.storage.share_count == shares, "a read has left a share"


@functools.cache
def writes(call):
    operation, _ = operation_of(call)
    node = ast.parse(call).body[0]
    return not isinstance(node, ast.Expr) or bool(operation and (operation.writes or operation.writes_if))


def check_writes(held, result, other):
    before = value(result)
    aliases = result.storage is held.x.storage
    if held.x.flags.writeable and held.n.flags.writeable:
        held.x[...] = held.n[...] = 77
        same(result, other if aliases else before)
    if result.flags.writeable:
        result[...] = 55
        if aliases:
            other.flags.writeable = True  # where NumPy would warn
            other[...] = 55
    held.check()
