"""Bringing evicted bytes back: the operation that made them runs again, or they are read from a file.

Nodes that are still to run are on a stack, so a chain may have any length. Others can use a remade version at once.
Versions that nobody else refers to stay while there is room, except when `is_spent`.
"""

from contextvars import Context

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


# How often, while one array is made, inputs that are needed later give way to those that are needed now.
cdef enum:
    MOST_WAYS = 1000


@cython.final
cdef class Frame:
    """A node that is to run, for a version; and the allocations that must stay until it has."""

    cdef Run run
    cdef ManagedVersion version
    cdef ManagedNode node
    cdef list locked  # Allocations
    cdef bint has_begun  # its inputs have been touched, and locked if they were present


cdef Storage present(ManagedVersion version):
    """Return a Storage that has a version's bytes, or has them in a file; None if they must be made."""
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
    """Bring back a Storage's bytes, if they are absent. The guard is held."""
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
                # Inputs of frames below may leave, and are remade; but not for ever, if not all of them fit.
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
    """Keep versions that were made only for others while there is room, for their next reader; drop them where
    nothing ever has to leave."""
    for each in temporaries:
        if run.is_enforced() and (<ManagedVersion>each).readers:
            run.temporaries.add(each)
        else:
            (<ManagedVersion>each).value = None
    return 0


cdef set missing(ManagedVersion version):
    """Return the nodes that would have to run now for a version."""
    cdef set found = set()
    cdef list stack = [version]
    while stack:
        version = <ManagedVersion>stack.pop()
        if present(version) is None and version.node is not None and version.node not in found:
            found.add(version.node)
            stack.extend(version.node.reads)
    return found


cdef bint read_back(Allocation unit) except -1:
    """Read an allocation from its file. Return False if that fails, and it can be remade."""
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
    """Tell whether all inputs of a node are present and locked; if not, push the next missing one onto the stack."""
    cdef ManagedVersion version
    if not frame.has_begun:
        frame.has_begun = True
        for each in frame.node.reads:
            note_read(<ManagedVersion>each)
        # Present inputs must not leave for absent ones.
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
    """Run a node whose inputs are present, and put its results where they are missing."""
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
    # Where nothing ever has to leave, no temporary waits for its next reader: a chain is remade in two arrays' memory.
    for each in node.reads:
        if is_spent(<ManagedVersion>each, node, need) or (
            each in temporaries and (<ManagedVersion>each).readers <= 1 and not run.is_enforced()
        ):
            temporaries.pop(each, None)
            (<ManagedVersion>each).value = None
    return 0


cdef bint is_spent(ManagedVersion version, ManagedNode node, size_t need) noexcept:
    """Tell whether a version came back only for a node, which has run, and should leave at once.

    It is needed again only after the node's result has left. That result takes no more memory, and remaking the version
    costs at most half as much as the result: in a chain of such versions, all of them together cost as much. If a node
    has several, each may cost half.
    """
    return (
        version.value is not None and version.node is not None and version.readers <= 1
        and 2 * (<ManagedNode>version.node).cost <= node.cost and window_size(<Storage>version.value) >= need
    )


cdef int have_own_bytes(Storage storage) except -1:
    """Copy shared bytes before they are written, since they were not shared the first time.

    NumPy takes another code path when it writes what it reads, and may then return the other of two NaNs.
    """
    cdef Access access = access_anywhere(WRITES, OPERATION)
    cdef cow_mutable_scope scope
    begin_write(storage, &access, &scope)
    end_write(&scope)
    return 0


def as_recorded(ManagedNode node not None, list args not None, dict kwargs not None, dict values not None, /):
    """Return a node's result, computed outside of all blocks and modes. Its settings end with the calling context."""
    for each in node.writes:
        if (<ManagedVersion>each).gave_way:
            have_own_bytes(<Storage>values[each])
    node.restore_settings(all="ignore")
    return call_in(None, node.function, tuple(args), kwargs)


cdef int put(Run run, ManagedVersion version, Storage made, dict values, dict temporaries) except -1:
    """Give a version its bytes if they are missing; or keep them for the frames on the stack."""
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
        # It leaves the allocation of those that it shared absent bytes with.
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
    """Return the allocation of the input that shares its bytes with a result; None if the bytes are fresh."""
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
