"""Whoever only reads leaves no trace, and whoever writes reaches what the table says: checked for one call.

`check` runs a call in one of the worlds of `worlds.py` and compares what everybody there is before and after; then it
writes into the results and into the inputs, to see who notices.
"""

import functools
import itertools
import re
import types
from typing import NamedTuple

import numpy as np
from support.calls import SPACES, arrays_in, numpys
from support.cases import Case
from support.oracle import outcome, value
from support.prepared import PreparedCall, is_in

import cowarray
from cowarray._ops.table import COPY, OVERLAPPING, SAME, VIEW

# Views that may be copies: where the bytes are not there to be seen, of what is no array yet, and of objects.
VIEWS_THAT_COPY = r"\b(imag|broadcast_arrays\(1|einsum\()"
OF_OBJECTS = r"\breal\b"  # from NumPy 2.5 on

# ---- what everybody is -----------------------------------------------------------------------------------------------


def content(array):
    """The bytes of the elements; of objects, which they are."""
    if type(array) is cowarray.ndarray:
        array = value(array)
    if isinstance(array, np.ndarray) and array.dtype.kind == "T":
        return array.tolist()
    return array.tobytes()


def looks(array, moved=False):
    """What an array is apart from who shares its bytes; without its address, if it may have moved."""
    if type(array) is memoryview:
        return (array.readonly, content(array))
    address = array.storage.data_ptr if type(array) is cowarray.ndarray else array.__array_interface__["data"][0]
    return (address, content(array), array.shape, array.strides, array.dtype, array.flags.writeable)[moved:]


def sharing(array):
    if type(array) is not cowarray.ndarray:
        return None
    return (array.storage.is_cow, cowarray.explain(array))


def storage_of(array):
    return array.storage if type(array) is cowarray.ndarray else None


NEW = itertools.cycle(range(51, 100, 2))


def poke(array):
    """Write something else into every element."""
    dtype = array.dtype
    if dtype.hasobject:
        array[...] = array.dtype.type("other") if dtype.kind == "T" else np.array(object(), object)
    elif dtype.kind in "b":
        array[...] = ~value(array)
    elif dtype.kind in "iufc":
        new = next(NEW)
        new = np.array(new + new * 1j if dtype.kind == "c" else new).astype(dtype)
        array[...] = np.where(value(array) == new, new - 1, new).astype(dtype)
    else:
        old = np.ascontiguousarray(value(array))
        array[...] = (~old.reshape(-1).view("u1")).view(dtype).reshape(old.shape) if old.nbytes else old


# ---- the check -------------------------------------------------------------------------------------------------------


class Ran(NamedTuple):
    """What a call did in a world."""

    succeeded: bool
    writes: bool  # says the table
    wrote: bool  # bytes; if the table does not list it, it may have made room for them only


def check(case: Case, make_world):
    """Run the case in a world of its own; None where the world has not what the call needs."""
    world = make_world()
    with PreparedCall(case, world.x) as call:
        return check_call(call, world) if call.refusal is None else None


def check_call(call, world):
    everyone = [*call.inputs, *world.others, *call.others]
    written = call.written()
    reached = [array for array in everyone if any(aliases(array, each) for each in written)]
    unlocked = any(array.flags.writeable for array in written)
    before = [(looks(array), sharing(array)) for array in everyone]
    cowarray.reset_stats()
    result, error = call.run()
    stats = cowarray.stats()
    if call.case.writes == "object":
        assert content(world.x) == before[0][0][1], "shape or flags have changed, and the bytes with them"
        reached.append(world.x)
    for array, (look, _) in zip(everyone, before, strict=True):
        if not is_in(array, reached):
            moved = any(storage_of(array) is each.storage for each in written)  # another part of what is written
            assert looks(array, moved) == look[moved:], "an array has changed that the call does not write"
        elif written and not unlocked:
            assert content(array) == look[1], "a read-only array has changed"
    listed = call.operation.writes or call.operation.writes_if
    wrote = any(
        content(array) != look[1] or not (listed or sharing(array) == shared)
        for array, (look, shared) in zip(everyone, before, strict=True)
        if written and is_in(array, reached)
    )
    if not written:
        assert stats["copies"] == stats["steals"] == stats["overwrites"] == 0, "a read has materialized"
        del result
        for array, (_, shared) in zip(everyone, before, strict=True):
            assert is_in(array, reached) or sharing(array) == shared, "a read has left a share, or taken one"
        if error is None:
            with cowarray.no_copy(), cowarray.trace() as trace:
                result, again = call.run()
            assert again is None, "a read is not allowed where nobody may copy"
            copying = f"{VIEWS_THAT_COPY}|{OF_OBJECTS}" if world.x.dtype.hasobject else VIEWS_THAT_COPY
            eager = call.operation.result != VIEW or re.search(copying, call.case.source)
            assert not [event for event in trace if not (eager and event.kind == "eager")]
    if error is None:
        Results(call, world, everyone, result, written).check()
    return Ran(error is None, bool(written), wrote)


def aliases(one, other):
    """Whether a write to one is seen by the other; who only looks through a memoryview sees a snapshot."""
    return type(one) is not memoryview and (one is other or cowarray.aliases(one, other))


class Results:
    """What a call gave, and whom it has to do with."""

    def __init__(self, call, world, everyone, result, written):
        self.call, self.world, self.everyone, self.written = call, world, everyone, written
        self.inputs = call.inputs
        self.all = [*arrays_in(result, cowarray.ndarray)]
        self.new = [array for array in self.all if not is_in(array, self.inputs)]
        self.exports = [*exports_in(result)]

    def check(self):
        for at, array in enumerate(self.all):
            self.check_class(at, array)
        if self.call.case.gives == COPY:
            assert len({array.storage for array in self.new}) == len(self.new), "two copies have one Storage"
        for array in self.exports:
            self.check_export(array)
        for array in self.new:
            if array.flags.writeable:
                self.check_write(array)
        for array in self.inputs:
            if array.flags.writeable:
                self.check_write(array)

    @functools.cached_property
    def numpys(self):
        """For each array that NumPy gives for the same call: whether it is an argument, and whether it aliases one."""
        source = self.call.case.source
        owner = self.call.owner
        if isinstance(owner, types.ModuleType) and owner.__name__.startswith("cowarray.array_api"):
            source = source.replace(".array_api", "")
            owner = {cowarray.array_api: cowarray}.get(owner, getattr(cowarray, owner.__name__.rpartition(".")[2]))
        if isinstance(owner, types.ModuleType) and owner in SPACES:
            source = numpys(source) if hasattr(SPACES[owner], self.call.attribute) else source
        if "cowarray" in source:
            return None  # NumPy has no such call
        with PreparedCall(self.call.case._replace(source=source), self.world.n) as call:
            result, _ = call.run()
        return [
            (is_in(array, call.inputs), any(np.shares_memory(array, each) for each in call.inputs))
            for array in arrays_in(result, np.ndarray)
        ]

    def numpy_gives_the_same(self, at):
        return self.numpys is not None and self.numpys[at][0]

    def numpy_aliases(self, at):
        # There is one array more where NumPy gives a scalar.
        return self.numpys is None or (at < len(self.numpys) and self.numpys[at][1])

    def check_class(self, at, array):
        """The row of the table, for one array of the result."""
        kind = self.call.case.gives
        if is_in(array, self.inputs):
            assert kind == SAME or is_in(array, self.written) or self.numpy_gives_the_same(at), "it is an input"
            return
        if any(storage_of(each) is array.storage for each in self.everyone):
            assert kind == VIEW, f"a view where the table says {kind}"
            assert not array.size or self.numpy_aliases(at), "a view where NumPy has none"
            readonly = self.call.operation.readonly
            if readonly == OVERLAPPING:
                readonly = array.size and any(
                    step == 0 and length > 1 for step, length in zip(array.strides, array.shape, strict=True)
                )
            assert not (readonly and array.flags.writeable)
            return
        assert not any(aliases(each, array) for each in self.everyone)
        if kind == VIEW:
            assert not array.size or not self.numpy_aliases(at), "no view where the table says view"
        elif kind != COPY and any(cowarray.shares_bytes(array, each) for each in self.everyone):
            assert self.numpy_aliases(at), "a fresh result shares bytes"
        if kind == COPY:
            assert array.flags.writeable

    def check_export(self, array):
        """A NumPy array of our bytes is read-only for good, unless it was asked for to write."""
        shared = any(cowarray.shares_bytes(np.asarray(array), each) for each in self.everyone)
        if not shared or self.written or is_in(array, self.everyone):
            return
        view = np.asarray(array)
        assert not view.flags.writeable, "a read has given a pointer to write through"
        _, error = outcome(view.setflags, write=True)
        assert error is ValueError, "a snapshot can be made writable"

    def check_write(self, array):
        """A write is seen by what aliases, and by nobody else."""
        watched = [each for each in (*self.everyone, *self.new, *self.exports) if each is not array]
        before = [content(each) for each in watched]
        expected = [aliases(each, array) for each in watched]
        poke(array)
        for each, old, sees in zip(watched, before, expected, strict=True):
            if sees and content(each) == old:
                raise AssertionError("a write is not seen by a view")
            if not sees and content(each) != old and not self.is_writable_export(each):
                raise AssertionError("a write is seen by who has a copy")

    def is_writable_export(self, array):
        """Exports that have no way to tell whom they alias: their owner is what handed them out."""
        return self.written and is_in(array, self.exports)


def exports_in(result):
    """NumPy's arrays and scalars with bytes, and buffers."""
    if result is np.ma.masked:  # the one constant
        return
    if isinstance(result, (np.ndarray, np.void, memoryview)):
        yield result
    elif isinstance(result, (tuple, list)):
        for item in result:
            yield from exports_in(item)
