"""Simulation of a logged run under another budget, or with another heuristic: its cost, without computing anything.

The rules are those of Kirisame et al., "Dynamic Tensor Rematerialization" (2021). Inputs are locked while an operation
runs; room is made before its results are allocated; an operation runs once for all of its results; an alias takes no
bytes, and is remade by its own operation; an in-place write gives a new array. An array that nobody refers to leaves
at once, and comes back if another is remade from it. `Pools` decides what leaves, as in a run on real arrays.

One rule is not the paper's: an array that came back only for another leaves as soon as that is made, if it is no
smaller and took at most half the time. It is not needed until the other has left.
"""

import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, NamedTuple

from cowarray._modes.budget.pools import Pool, Pools
from cowarray._modes.budget.run_log import START, Annotate, Call, Constant, Copy, CopyFrom, Mutate, Pin, Record, Release
from cowarray._modes.common.sizes import readable

__all__ = ["Replayed", "Stopped", "replay"]


MOST = 2**63 - 1  # bytes


class Stopped(NamedTuple):
    """The point where a run cannot go on, and the reason."""

    line: int
    operation: str
    reason: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.operation}: {self.reason}"


class Replayed(NamedTuple):
    """The simulated cost of a run.

    Parameters
    ----------
    operations : int
    base_time, remat_time : int
        Nanoseconds of the logged operations, and of those that run again.
    peak_bytes, live_bytes, constant_bytes : int
        The most that was in memory at once; the amount at the end, and how much of that cannot be remade.
    evictions, remakes, repeats : int
        How often arrays left memory and came back, and how often operations ran again.
    searches, looked : int
        Searches for an array to evict, and candidates that were examined in them.
    stopped : Stopped or None
        Where and why the run stopped, if it did.
    """

    operations: int
    base_time: int
    remat_time: int
    peak_bytes: int
    live_bytes: int
    constant_bytes: int
    evictions: int
    remakes: int
    repeats: int
    searches: int
    looked: int
    stopped: Stopped | None

    @property
    def compute_ratio(self) -> float:
        """Total time of operations over that of the logged ones."""
        return (self.base_time + self.remat_time) / self.base_time if self.base_time else 1.0


def replay(
    records: Iterable[tuple[int, Record]],
    budget: int | None,
    heuristic: str = "dtr",
    *,
    small: int = 0,
    sample: bool = False,
    seed: int = 0,
    remat_limit: float | None = None,
    end: Literal["remake", "keep"] = "remake",
) -> Replayed:
    """Simulate a log.

    Parameters
    ----------
    records : iterable of (int, record)
        Line numbers and records, as `read_log` yields them. If one is the remark START, the run begins there.
    budget : int or None
        Bytes. None: no limit.
    heuristic, small, sample, seed
        As in `Pools`.
    remat_limit : float, optional
        Stop once operations that run again have taken more than so many times the time of the whole log.
    end : {"remake", "keep"}
        Whether all arrays that are alive at the end are brought into memory, as by a program that reads its results.

    Returns
    -------
    Replayed

    Raises
    ------
    ValueError
        A name in the log refers to no array, or to two; the error names the line.
    """
    if end not in ("remake", "keep"):
        raise ValueError(f"end is 'remake' or 'keep' (got {end!r})")
    records = list(records)
    for i, (_, record) in enumerate(records):
        if type(record) is Annotate and record.text == START:
            del records[: i + 1]
            break
    budget = MOST if budget is None else min(budget, MOST)
    run = _Run(Pools(budget, heuristic, small=small, sample=sample, seed=seed))
    if remat_limit is not None:
        run.most = remat_limit * sum(record.time for _, record in records if isinstance(record, (Call, Mutate)))
    stopped = None
    try:
        for line, record in records:
            run.line = line
            _STEPS[type(record)](run, record)
        if end == "remake":
            run.remake_all()
    except _CannotGoOn as error:
        stopped = Stopped(error.call.line, error.call.operation, str(error))
    return run.result(stopped)


class _CannotGoOn(Exception):
    def __init__(self, call: "_Operation", reason: str) -> None:
        super().__init__(reason)
        self.call = call


class _Storage:
    """Bytes, and the number of the program's references to them."""

    __slots__ = ("__weakref__", "fillings", "is_pinned", "is_present", "pool", "readers", "references")

    def __init__(self, nbytes: int, cost: float, constant: bool = False) -> None:
        self.pool = Pool(nbytes, cost, constant=constant, owner=weakref.ref(self))
        self.references = 0
        self.readers = 0  # operations that may run again
        self.is_present = False
        self.is_pinned = False
        self.fillings = 0  # how often they have left: values from before the last time are undefined

    def leave(self) -> None:
        self.is_present = False
        self.fillings += 1


class _Value:
    """An array: a storage, and the operation that made it."""

    __slots__ = ("__weakref__", "call", "filling", "is_alias", "storage")

    def __init__(self, storage: _Storage, call: "_Operation", is_alias: bool) -> None:
        self.storage = storage
        self.call = call
        self.is_alias = is_alias
        self.filling = -1

    def is_defined(self) -> bool:
        return self.storage.is_present and self.filling == self.storage.fillings


class _Operation:
    """An operation. Its results keep it alive, and may die before it; it keeps its arguments alive."""

    __slots__ = ("args", "line", "nbytes", "operation", "reads", "results", "sizes", "time")

    def __init__(self, line: int, operation: str, args: tuple[_Value, ...], sizes: tuple[int, ...], time: int) -> None:
        self.line = line
        self.operation = operation
        self.args = args
        self.sizes = sizes
        self.nbytes = sum(sizes)
        self.time = time
        self.results: list[weakref.ref[_Value]] = []
        self.reads = {arg.storage for arg in args}
        for storage in self.reads:
            storage.readers += 1

    def __del__(self) -> None:
        for storage in self.reads:
            storage.readers -= 1


class _Run:
    """The state of a run: names, and the arrays that they refer to."""

    def __init__(self, pools: Pools) -> None:
        self.pools = pools
        self.names: dict[str, _Value] = {}
        self.line = 0
        self.operations = 0
        self.repeats = 0
        self.base_time = 0
        self.remat_time = 0
        self.most: float | None = None  # that remat_time may be
        self.constants: weakref.WeakSet[_Storage] = weakref.WeakSet()

    # ---- names -------------------------------------------------------------------------------------------------------

    def value(self, name: str) -> _Value:
        try:
            return self.names[name]
        except KeyError:
            raise ValueError(f"line {self.line}: no array is called {name!r}") from None

    def name(self, name: str, value: _Value) -> None:
        if name in self.names:
            raise ValueError(f"line {self.line}: another array is called {name!r}")
        self.names[name] = value
        value.storage.references += 1

    def rename(self, name: str, value: _Value) -> None:
        """Make a name refer to another array."""
        old = self.names[name]
        value.storage.references += 1
        self.names[name] = value
        self.drop(old.storage)

    def drop(self, storage: _Storage) -> None:
        storage.references -= 1
        if storage.references == 0:
            self.let_go(storage)

    def let_go(self, storage: _Storage) -> None:
        if not storage.is_pinned and not storage.pool.constant:
            if storage.is_present:
                storage.leave()
            self.pools.gone(storage.pool)

    # ---- lines of the log --------------------------------------------------------------------------------------------

    def constant(self, record: Constant) -> None:
        call = _Operation(self.line, f"the constant {record.name!r}", (), (record.nbytes,), 0)
        self.make_room(call)
        storage = _Storage(record.nbytes, 0, constant=True)
        self.pools.add(storage.pool)
        storage.is_present = True
        self.constants.add(storage)
        value = _Value(storage, call, False)
        value.filling = 0
        self.name(record.name, value)

    def call(self, record: Call) -> None:
        args = tuple(map(self.value, record.args))
        sizes = tuple(result.nbytes if result.alias < 0 else 0 for result in record.results)
        origins = [args[result.alias] if result.alias >= 0 else None for result in record.results]
        call = _Operation(self.line, record.operation, args, sizes, record.time)
        for result, value in zip(record.results, self.first(call, origins), strict=True):
            self.name(result.name, value)

    def mutate(self, record: Mutate) -> None:
        args = tuple(map(self.value, record.args))
        sizes = tuple(args[index].storage.pool.nbytes for index in record.written)
        call = _Operation(self.line, record.operation, args, sizes, record.time)
        for index, value in zip(record.written, self.first(call, [None] * len(sizes)), strict=True):
            self.rename(record.args[index], value)

    def first(self, call: _Operation, origins: Sequence[_Value | None]) -> list[_Value]:
        """Run an operation for the first time, and return its results. Those with an origin share its bytes."""
        values: list[_Value] = []
        for origin, nbytes in zip(origins, call.sizes, strict=True):
            storage = _Storage(nbytes, call.time) if origin is None else origin.storage
            value = _Value(storage, call, origin is not None)
            values.append(value)
            call.results.append(weakref.ref(value))
        self.operations += 1
        self.make(call, first=True)
        # An operation that returns an alias adds to the cost of remaking the arrays on those bytes. It does not link
        # them to its other arguments: these may be made of the same bytes, and pools that are made of each other
        # would not die in time.
        for storage in {origin.storage for origin in origins if origin is not None}:
            self.pools.add_cost(storage.pool, call.time)
        for value in values:
            if not value.is_alias:
                for arg in call.args:
                    self.pools.link(arg.storage.pool, value.storage.pool)
            self.pools.touch(value.storage.pool)
        return values

    def copy(self, record: Copy) -> None:
        self.name(record.to, self.value(record.source))

    def copy_from(self, record: CopyFrom) -> None:
        self.value(record.to)
        self.rename(record.to, self.value(record.source))

    def release(self, record: Release) -> None:
        # A log that begins in the middle of a run also releases arrays from before.
        if record.name in self.names:
            self.drop(self.names.pop(record.name).storage)

    def pin(self, record: Pin) -> None:
        self.hold(self.value(record.name))

    def annotate(self, record: Annotate) -> None:
        pass

    def hold(self, value: _Value) -> None:
        """Bring an array into memory for good."""
        if not value.is_defined():
            self.make(value.call)
        if not value.storage.is_pinned:
            value.storage.is_pinned = True
            self.pools.lock(value.storage.pool)

    def remake_all(self) -> None:
        for value in self.names.values():
            self.hold(value)

    # ---- memory ------------------------------------------------------------------------------------------------------

    def make(self, call: _Operation, first: bool = False) -> None:
        """Run an operation, after those that make its absent arguments; with an explicit stack, not by recursion."""
        stack = [(call, self.begin(call, self.pools.touch if first else self.pools.reread))]
        while stack:
            call, absent = stack[-1]
            while absent and absent[-1].is_defined():
                self.pools.lock(absent.pop().storage.pool)
            if absent:
                needed = absent[-1].call
                stack.append((needed, self.begin(needed, self.pools.reread)))
                continue
            self.run(call, first and len(stack) == 1)
            for arg in call.args:
                self.pools.unlock(arg.storage.pool)
            for arg in dict.fromkeys(call.args):
                if self.is_spent(arg, call):
                    self.let_go(arg.storage)
            stack.pop()

    def is_spent(self, arg: _Value, call: _Operation) -> bool:
        """Tell whether an argument came back only for an operation, which has run, and should leave at once."""
        storage = arg.storage
        came_back = storage.is_present and storage.references == 0 and storage.readers == 1
        return came_back and 2 * arg.call.time <= call.time and storage.pool.nbytes >= call.nbytes

    def begin(self, call: _Operation, note: Callable[[Pool], object]) -> list[_Value]:
        """Note that the arguments are read, and lock the present ones. Return the others, last first."""
        for arg in call.args:
            note(arg.storage.pool)
        absent: list[_Value] = []
        for arg in reversed(call.args):
            if arg.is_defined():
                self.pools.lock(arg.storage.pool)
            else:
                absent.append(arg)
        return absent

    def run(self, call: _Operation, first: bool) -> None:
        self.make_room(call)
        pools = self.pools
        pools.now += call.time
        pools.reserve(call.nbytes)
        for found, nbytes in zip(call.results, call.sizes, strict=True):
            pools.unreserve(nbytes)
            value = found()
            # A result that nobody has any more, or that is present already, is dropped as soon as it is made.
            if value is None or value.is_defined():
                continue
            storage = value.storage
            if not value.is_alias:
                if first:
                    pools.add(storage.pool)
                else:
                    pools.remade(storage.pool)
                storage.is_present = True
            value.filling = storage.fillings
        if first:
            self.base_time += call.time
            return
        self.repeats += 1
        self.remat_time += call.time
        if self.most is not None and self.remat_time > self.most:
            raise _CannotGoOn(call, "operations that are run again have reached the limit")

    def make_room(self, call: _Operation) -> None:
        while call.nbytes > self.pools.budget or not self.pools.fits(call.nbytes):
            pool = self.pools.choose()
            if pool is None:
                raise _CannotGoOn(call, self.why_not(call))
            self.pools.evicted(pool)
            pool.owner().leave()

    def why_not(self, call: _Operation) -> str:
        constants = self.constant_bytes()
        return (
            f"needs {readable(call.nbytes)} beside {readable(self.pools.live)} that cannot leave "
            f"({readable(constants)} of it constants), and the budget is {readable(self.pools.budget)}"
        )

    def constant_bytes(self) -> int:
        return sum(storage.pool.nbytes for storage in self.constants)

    def result(self, stopped: Stopped | None) -> Replayed:
        pools = self.pools
        return Replayed(
            operations=self.operations,
            base_time=self.base_time,
            remat_time=self.remat_time,
            peak_bytes=pools.peak,
            live_bytes=pools.live,
            constant_bytes=self.constant_bytes(),
            evictions=pools.evictions,
            remakes=pools.remakes,
            repeats=self.repeats,
            searches=pools.searches,
            looked=pools.looked,
            stopped=stopped,
        )


_STEPS: dict[type[Record], Callable[[_Run, Any], None]] = {
    Annotate: _Run.annotate,
    Call: _Run.call,
    Constant: _Run.constant,
    Copy: _Run.copy,
    CopyFrom: _Run.copy_from,
    Mutate: _Run.mutate,
    Pin: _Run.pin,
    Release: _Run.release,
}
