"""Bringing evicted bytes back: what made them is done again, or they are read from a file.

What is still to be made is on a stack, so a chain may have any length. What has been made is there for others at once.
What nobody else refers to stays while there is room, but for what `is_spent`.
"""

from contextvars import Context

import numpy as np

cimport cython

from cowarray._array.array cimport access_anywhere
from cowarray._c.core cimport cow_account, cow_mutable_scope
from cowarray._modes.budget.pools cimport EVICTED, GONE, PRESENT, SPILLED
from cowarray._modes.budget.room cimport bring_from_file, checksum, make_room
from cowarray._modes.budget.runs cimport (
    Allocation,
    bytes_in,
    manage,
    Managed,
    ManagedNode,
    manager_of,
    ManagedVersion,
    move,
    nanoseconds,
    new_allocation,
    Run,
)
from cowarray._modes.common.blocks cimport call_in
from cowarray._modes.common.quiet cimport hush, unhush
from cowarray._modes.common.thread cimport this_thread, Thread
from cowarray._modes.record.nodes cimport clone, Node
from cowarray._native.storage cimport (
    Access,
    begin_write,
    end_write,
    exchange_bytes,
    fill_bytes,
    OPERATION,
    Storage,
    use_account,
    window_size,
    write_takes,
    WRITES,
)

from cowarray._modes.budget.room import NoRoom
from cowarray._modes.record.repeating import flat, laid, rebuilt
from cowarray._native.storage import share_allocation


# How often what is needed later gives way to what is needed now, while one array is made.
cdef enum:
    MOST_WAYS = 1000


@cython.final
cdef class Frame:
    """A node that is to run, for a version; and what must stay until it has."""

    cdef Run run
    cdef ManagedVersion version
    cdef ManagedNode node
    cdef list locked  # Allocations
    cdef bint has_begun  # what it reads has been touched, and locked where it was there


cdef Storage present(ManagedVersion version):
    """A Storage that has a version's bytes, or has them in a file; None: they must be made."""
    cdef Storage storage
    cdef Managed managed
    if version.value is not None:
        managed = manager_of(<Storage>version.value)
        return None if managed is not None and managed.unit.state == EVICTED else <Storage>version.value
    storage = None if version.home is None else version.home()
    if storage is not None:
        managed = manager_of(storage)
        if managed is None or managed.latest is not version:
            return None
        return storage if managed.unit.state == PRESENT or managed.unit.state == SPILLED else None
    return None


cdef int bring(Managed managed) except -1:
    """Bring the bytes of a Storage that are away. The guard is held."""
    cdef Allocation unit = managed.unit
    cdef ManagedVersion version = managed.latest
    cdef list stack
    cdef dict temporaries = {}  # Versions
    cdef Frame frame
    cdef Py_ssize_t given_way = 0
    if unit.state == PRESENT:
        return 0
    if unit.state == SPILLED and read_back(unit):
        return 0
    stack = [new_frame(unit.run, version)]
    try:
        while stack:
            frame = <Frame>stack[len(stack) - 1]
            try:
                if has_bytes(frame.version):
                    stack.pop()
                    let_go(frame)
                elif is_ready(frame, stack):
                    repeat(frame, temporaries)
            except NoRoom:
                # What is ready for those below may leave, and is made again; not for ever, if it does not all fit.
                given_way += 1
                if given_way > MOST_WAYS or not any([(<Frame>each).locked for each in stack[:len(stack) - 1]]):
                    raise
                for each in stack[:len(stack) - 1]:
                    let_go(<Frame>each)
                    (<Frame>each).has_begun = False
    finally:
        for frame in stack:
            let_go(frame)
        keep_temporaries(unit.run, temporaries)
    return 0


cdef int keep_temporaries(Run run, dict temporaries) except -1:
    """Keep what was made only for others while there is room, for the next that needs it; drop it where nothing ever
    has to leave."""
    for each in temporaries:
        if run.is_enforced() and (<ManagedVersion>each).readers:
            run.temporaries.add(each)
        else:
            (<ManagedVersion>each).value = None
    return 0


cdef set missing(ManagedVersion version):
    """The nodes that have to run for a version, as things are now."""
    cdef set found = set()
    cdef list stack = [version]
    while stack:
        version = <ManagedVersion>stack.pop()
        if present(version) is None and version.node is not None and version.node not in found:
            found.add(version.node)
            stack.extend(version.node.reads)
    return found


cdef bint read_back(Allocation unit) except -1:
    """Read an allocation from its file. False where that has failed, and it can be made again."""
    cdef bint came = True
    if not make_room(unit.run, unit.size):
        raise NoRoom
    try:
        bring_from_file(unit.run, unit)
    except OSError:
        if unit.why is not None:
            raise
        unit.slot = None
        unit.run.pools.lost(unit)
        came = False
    return came


cdef bint is_in_memory(ManagedVersion version) except -1:
    cdef Storage storage = present(version)
    cdef Managed managed = manager_of(storage)
    return storage is not None and (managed is None or managed.unit.state == PRESENT)


cdef bint has_bytes(ManagedVersion version) except -1:
    cdef Storage storage = present(version)
    cdef Managed managed
    if storage is None:
        return False
    managed = manager_of(storage)
    return managed is None or managed.unit.state == PRESENT or (managed.unit.state == SPILLED
                                                                and read_back(managed.unit))


cdef Frame new_frame(Run run, ManagedVersion version):
    cdef Frame frame = Frame.__new__(Frame)
    if version.node is None:
        raise RuntimeError("bytes are away that cannot be made again: this is an error of cowarray")
    frame.version = version
    frame.node = <ManagedNode>version.node
    frame.run = run if version.unit is None else version.unit.run
    frame.locked = []
    return frame


cdef int let_go(Frame frame) except -1:
    for unit in frame.locked:
        (<Allocation>unit).run.pools.unlock(<Allocation>unit)
    frame.locked = []
    return 0


cdef bint is_ready(Frame frame, list stack) except -1:
    """Whether all that a node reads is present and locked; if not, the next that is missing is put onto the stack."""
    cdef ManagedVersion version
    if not frame.has_begun:
        frame.has_begun = True
        for each in frame.node.reads:
            note_read(<ManagedVersion>each)
        # What is present must not leave for what is absent.
        for each in frame.node.reads:
            if is_in_memory(<ManagedVersion>each):
                lock_version(frame, <ManagedVersion>each)
    for each in frame.node.reads:
        version = <ManagedVersion>each
        if not has_bytes(version):
            stack.append(new_frame(frame.run, version))
            return False
        lock_version(frame, version)
    return True


cdef int note_read(ManagedVersion version) except -1:
    cdef Allocation unit = version.unit
    if unit is not None:
        unit.run.pools.reread(unit)
    return 0


cdef int lock_version(Frame frame, ManagedVersion version) except -1:
    cdef Managed managed = manager_of(present(version))
    if managed is not None and managed.unit not in frame.locked:
        managed.unit.run.pools.lock(managed.unit)
        frame.locked.append(managed.unit)
    return 0


cdef int repeat(Frame frame, dict temporaries) except -1:
    """Run a node whose inputs are there, and put what it makes where it is missing."""
    cdef ManagedNode node = frame.node
    cdef Run run = frame.run
    cdef dict values = {}
    cdef size_t need = 0
    cdef double before, took
    cdef Thread thread = this_thread()
    cdef object outer = thread.managed
    cdef cow_account *account
    for each in node.reads:
        storage = present(<ManagedVersion>each)
        if each in node.writes:
            storage = clone(<Storage>storage)
            need += write_takes(<Storage>storage, node.pages)
        values[each] = storage
    need += sum([outline[1] for _, outline, _ in node.births])
    if not make_room(run, need):
        raise NoRoom
    hush(thread)  # the first run has warned
    run.pools.reserve(need)
    account = use_account(run.account)
    thread.managed = frame
    before = nanoseconds()
    try:
        args = [rebuilt(value, values) for value in node.args]
        kwargs = {name: rebuilt(value, values) for name, value in node.kwargs.items()}
        result = Context().run(as_recorded, node, args, kwargs, values)
    except BaseException as error:
        error.add_note(f"while making again what was made at {node.site[0]}:{node.site[1]} ({node.operation})")
        raise
    finally:
        unhush(thread)
        thread.managed = outer
        use_account(account)
        run.pools.unreserve(need)
    took = nanoseconds() - before
    if run.by_model:
        took = node.cost
        run.pools.now += took
    run.remat_time += took
    del args, kwargs
    for before_, reference in node.writes.items():
        put(run, reference(), <Storage>values[before_], values, temporaries)
    results = flat(result)
    del result
    for place, outline, reference in node.births:
        if reference() is not None:
            put(run, reference(), laid(results[place], outline, values), values, temporaries)
    values = results = None
    # Where nothing ever has to leave, none waits for a next reader: a chain is made again in the memory of two arrays.
    for each in node.reads:
        if is_spent(<ManagedVersion>each, node, need) or (
            each in temporaries and (<ManagedVersion>each).readers <= 1 and not run.is_enforced()
        ):
            temporaries.pop(each, None)
            (<ManagedVersion>each).value = None
    return 0


cdef bint is_spent(ManagedVersion version, ManagedNode node, size_t need) noexcept:
    """Whether a version came back for a node alone, which has run, and leaves at once.

    It is of use only after what the node made has left. To have that in its place takes no more memory, and to make it
    again at most half as much as what was made of it: in a chain of such versions, all of them together as much. Of a
    node with several, each may take half.
    """
    return (
        version.value is not None and version.node is not None and version.readers <= 1
        and 2 * (<ManagedNode>version.node).cost <= node.cost and window_size(<Storage>version.value) >= need
    )


cdef int have_own_bytes(Storage storage) except -1:
    """Copy what is shared before it is written, since it was not shared the first time.

    NumPy takes another road where it writes what it reads, and of two NaNs it may then return the other.
    """
    cdef Access access = access_anywhere(WRITES, OPERATION)
    cdef cow_mutable_scope scope
    begin_write(storage, &access, &scope)
    end_write(&scope)
    return 0


def as_recorded(ManagedNode node not None, list args not None, dict kwargs not None, dict values not None, /):
    """What a node gives, outside of all blocks and modes. What it sets ends with the context that it is called in."""
    for each in node.writes:
        if (<ManagedVersion>each).gave_way:
            have_own_bytes(<Storage>values[each])
    node.circumstances().__enter__()
    np.seterr(all="ignore")
    return call_in(None, node.function, tuple(args), kwargs)


cdef int put(Run run, ManagedVersion version, Storage made, dict values, dict temporaries) except -1:
    """Give a version its bytes, where they are missing; or keep them for those on the stack."""
    cdef Storage home
    cdef Managed managed
    cdef Allocation unit, shared
    if version is None or present(version) is not None:
        return 0
    shared = sharer_of(made, values)
    if version.value is not None:  # a temporary that had to leave
        home = <Storage>version.value
    else:
        home = None if version.home is None else version.home()
    managed = manager_of(home)
    if managed is not None and (managed.is_held or managed.latest is version):
        unit = managed.unit
        if shared is None and window_size(made) == unit.size:
            check(unit, made)
            unit.run.pools.counts(unit, bytes_in(made))
            fill_bytes(home, made)
            unit.run.pools.remade(unit)
            return 0
        # It no longer belongs to those that it shared absent bytes with.
        if shared is None:
            shared = allocation_of_its_own(run, made, version.node)
            shared.has_gaps = unit.has_gaps
        exchange_bytes(home, made)
        version.unit = shared
        return move(managed, shared)
    if shared is None:
        shared = version.unit
        if shared is None or shared.members or shared.state != GONE:
            shared = allocation_of_its_own(run, made, version.node)
        else:
            shared.run.pools.remade(shared)
    manage(made, shared, version, True)
    version.value = made
    temporaries[version] = None
    return 0


cdef Allocation allocation_of_its_own(Run run, Storage made, Node by):
    cdef ManagedNode node = <ManagedNode>by
    cdef Allocation unit = new_allocation(run, window_size(made), node.cost, node.site, None, bytes_in(made))
    link_to_inputs(unit, node)
    return unit


cdef Allocation sharer_of(Storage made, dict values):
    """The allocation in which bytes lie that an operation shares with what it read; None: they are fresh."""
    cdef Managed managed
    for version in values:
        managed = manager_of(present(version))
        if managed is not None and share_allocation(made, present(version)):
            return managed.unit
    return None


cdef int link_to_inputs(Allocation unit, Node node) except -1:
    cdef ManagedVersion version
    for each in node.reads:
        version = <ManagedVersion>each
        if version.unit is not None and version.unit.run is unit.run:
            unit.run.pools.link(version.unit, unit)
    return 0


cdef int check(Allocation unit, Storage made) except -1:
    """Compare bytes that come back with those that left, under `verify`."""
    if unit.digest is not None and checksum(made) != unit.digest:
        raise RuntimeError(
            f"other bytes came back than had left of what was made at {unit.site[0]}:{unit.site[1]}: "
            "an operation gave another result this time"
        )
    return 0
