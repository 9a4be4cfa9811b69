"""Managed arrays outside of operations: accesses at their door, and the functions that users call."""

import sys

from cowarray._array.array cimport Array, storage_for, still
from cowarray._array.copies cimport copy_in_order
from cowarray._modes.budget.inputs cimport constant_name
from cowarray._modes.budget.managing cimport held_by
from cowarray._modes.budget.pools cimport Pools, PRESENT, SPILLED
from cowarray._modes.budget.remaking cimport bring, link_to_inputs, missing
from cowarray._modes.budget.room cimport make_room, make_room_beside, no_room, put_out
from cowarray._modes.budget.runs cimport (
    Allocation,
    bytes_in,
    count_outside,
    find_managed,
    make_constant,
    manage,
    Managed,
    ManagedNode,
    ManagedVersion,
    move,
    new_allocation,
    new_version,
    Run,
    set_door,
    unmanage,
)
from cowarray._modes.budget.tasks cimport Task, wait_for_others
from cowarray._modes.common.blocks cimport current_in
from cowarray._modes.common.sites cimport here
from cowarray._modes.common.thread cimport this_thread, Thread
from cowarray._native.storage cimport (
    Access,
    allocated_size,
    LOCATES,
    OVERWRITES,
    pages_touched,
    SHARES,
    Storage,
    who_holds,
    write_cost,
    write_takes,
    WRITES,
)

from cowarray._modes.budget.room import NoRoom
from cowarray._modes.budget.runs import guard
from cowarray._modes.common.sizes import readable

cdef object lock_guard = guard.acquire, unlock_guard = guard.release


cdef int bring_before_access(object keeper, Storage storage, const Access *access) except -1:
    cdef Managed managed = <Managed>keeper
    cdef object under_way
    cdef Task task = None
    if access.intent == LOCATES and access.ndim >= 0:
        return 0
    under_way = this_thread().managed
    if type(under_way) is Task:
        task = <Task>under_way
    if access.intent == SHARES and task is not None and task.only_shares:
        return 0
    if managed.unit.state != PRESENT:
        fetch(managed)
    if under_way is None or (task is not None and task.inputs is None):
        managed.unit.used = managed.unit.run.pools.now  # recorded operations and their repeats have set it already
    if access.intent == LOCATES:  # by `materialize`, which gives it its own bytes
        leave_sharers(managed, storage)
    elif access.intent == WRITES or access.intent == OVERWRITES:
        if task is None or task.storages is None or storage not in task.storages:
            write_from_outside(managed, storage, pages_touched(storage, access))
    return 0


cdef int fetch(Managed managed) except -1:
    """Bring back a Storage's bytes for an access at its door."""
    cdef Run run = managed.unit.run
    lock_guard()
    try:
        run.clock()
        while managed.unit.state != PRESENT:
            try:
                bring(managed)
            except NoRoom:
                if not wait_for_others(run):
                    raise MemoryError(
                        f"no room to bring back {readable(managed.unit.nbytes)} that were made at "
                        f"{managed.unit.site[0]}:{managed.unit.site[1]}, within a budget of "
                        f"{readable(run.pools.budget)}{run.largest_constants()}"
                    ) from None
    finally:
        unlock_guard()
    return 0


cdef int write_from_outside(Managed managed, Storage storage, size_t pages) except -1:
    """Prepare for writes that are not recorded: from now on the bytes are a constant."""
    cdef Run run = managed.unit.run
    cdef ManagedVersion before
    cdef Allocation unit
    cdef size_t need, takes
    lock_guard()
    try:
        fetch(managed)  # another thread may have evicted them since the door was opened
        before = managed.latest
        unit = managed.unit
        need = write_cost(storage)
        takes = write_takes(storage, pages)
        make_room_beside(unit, takes)
        managed.latest = new_version(None)
        managed.latest.home = managed.storage
        managed.latest.unit = unit
        managed.latest.name = managed.name
        before.home = None
        if need:
            move(managed, new_allocation(run, need, 0, unit.site, "it was written from outside", takes))
        else:
            if before.value is None:
                before.unit = None
            unit.slot = None
            run.pools.changed(unit)
            make_constant(unit, "it was written from outside")
            takes = min(unit.nbytes + takes, unit.size)
        count_outside(managed, takes)
    finally:
        unlock_guard()
    return 0


cdef int leave_sharers(Managed managed, Storage storage) except -1:
    """Prepare for a Storage to get its own bytes, with the same values."""
    cdef Run run = managed.unit.run
    cdef size_t need
    cdef Allocation unit
    lock_guard()
    try:
        fetch(managed)
        need = write_cost(storage)
        if need:
            make_room_beside(managed.unit, need)
            if managed.latest.node is None:
                unit = new_allocation(run, need, 0, managed.unit.site, managed.unit.why)
            else:
                unit = new_allocation(run, need, (<ManagedNode>managed.latest.node).cost, managed.unit.site, None)
                link_to_inputs(unit, managed.latest.node)
            move(managed, unit)
    finally:
        unlock_guard()
    return 0


set_door(bring_before_access)


# ---- the functions that users call -----------------------------------------------------------------------------------


# The run of arrays that are managed outside of any budget.
cdef Run unbounded = None


def checkpoint(Array x not None, /):
    """Return a managed lazy copy of an array: a constant."""
    global unbounded
    cdef Run run
    cdef Storage storage
    cdef Array made
    cdef Allocation unit
    cdef Thread thread = this_thread()
    cdef object before
    if find_managed(x) is not None:
        raise ValueError("checkpoint: the array is managed already")
    lock_guard()
    try:
        run = held_by(current_in(thread))
        if run is None:
            if unbounded is None:
                unbounded = Run(Pools(sys.maxsize), False, False, None, None, frozenset(), frozenset())
            run = unbounded
        run.clock()
        before = thread.managed
        thread.managed = Task.__new__(Task)
        try:
            made = copy_in_order(still(x), c"K")
        finally:
            thread.managed = before
        made.standard = x.standard
        storage = storage_for(made)
        if storage.doorkeeper != NULL:
            raise ValueError("checkpoint: the array is watched, or without bytes: another mode has it")
        if not make_room(run, allocated_size(storage)):
            raise no_room(run, allocated_size(storage))
        unit = new_allocation(run, allocated_size(storage), 0, here(), "an input", bytes_in(storage))
        manage(storage, unit, new_version(None), False, constant_name(run, unit))
    finally:
        unlock_guard()
    return made


def is_checkpointed(Array x not None, /):
    """Tell whether an array is managed."""
    return find_managed(x) is not None


def decheckpoint(Array x not None, /):
    """Bring back an array's bytes, and stop managing it."""
    cdef Managed managed
    lock_guard()
    try:
        managed = find_managed(x)
        if managed is not None:  # another thread may have been first
            fetch(managed)
            unmanage(x.storage_)
    finally:
        unlock_guard()


def evict(Array x not None, /):
    """Free the bytes of a managed array."""
    cdef Managed managed
    cdef Allocation unit
    lock_guard()
    try:
        managed = find_managed(x)
        if managed is None:
            raise BufferError("evict: the array is not managed: compute it inside a budget, or from checkpoint(x)")
        unit = managed.unit
        if unit.state != PRESENT:
            return
        if unit.why is not None:
            raise BufferError(f"evict: {unit.nbytes} bytes made at {unit.site[0]}:{unit.site[1]} cannot be made again: "
                              f"{unit.why}")
        if unit.locks:
            raise BufferError("evict: an operation is under way that needs the bytes")
        unit.run.clock()
        if not put_out(unit.run, unit, False):
            raise BufferError(f"evict: cannot free {unit.nbytes} bytes: {who_holds(x.storage_, unit.members)}")
    finally:
        unlock_guard()


def where_away(Array x not None, /):
    """Say where an evicted array's bytes are, and what it takes to bring them back; empty if they are present."""
    cdef Managed managed
    cdef str text = ""
    lock_guard()
    try:
        managed = find_managed(x)
        if managed is not None and managed.unit.state == SPILLED:
            text = f"spilled: {managed.unit.nbytes} bytes to read from a file"
        elif managed is not None and managed.unit.state != PRESENT:
            text = remaking_in_words(missing(managed.latest))
    finally:
        unlock_guard()
    return text


cdef str remaking_in_words(set nodes):
    """Say how many operations it takes to recompute bytes, and how long."""
    cdef double cost = sum([(<ManagedNode>node).cost for node in nodes]) / 1e9
    return f"evicted: {len(nodes)} operation{'s' if len(nodes) != 1 else ''}, {duration(cost)} to make again"


cdef str duration(double took):
    if took >= 1:
        return f"{took:.1f} s"
    return f"{took * 1e3:.3g} ms" if took >= 1e-3 else f"{took * 1e6:.0f} us"
