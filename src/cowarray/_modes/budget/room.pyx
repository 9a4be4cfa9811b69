"""Room within a budget: freeing bytes, and reading them back from the file.

Pools (`pools.pyx`) choose what should leave next; this module frees it, unless somebody holds the bytes. `room.md` says
why room is made before an operation.
"""

import zlib

from cowarray._c.core cimport COW_ENOMEM, COW_OK
from cowarray._modes.budget.pools cimport Pools, PRESENT
from cowarray._modes.budget.runs cimport (
    Allocation,
    count_frozen,
    keep_bytes,
    look_outside,
    make_constant,
    Managed,
    manager_of,
    member_of,
    nanoseconds,
    Run,
)
from cowarray._native.storage cimport evict_bytes, fill_bytes, Hold, quiet_hold, Storage, storage_new, window_size

from cowarray._modes.common.sizes import readable


class NoRoom(Exception):
    """The error that bytes needed now do not fit."""


cdef bint make_room(Run run, size_t need) except -1:
    """Evict until `need` more bytes fit in the budget. Return False if they cannot."""
    cdef Pools pools = run.pools
    cdef Allocation unit
    cdef double before
    cdef bint writes  # whether bytes may go to the file
    if run.written_outside:
        look_outside(run)
    count_frozen(run)
    if pools.fits(need) or run.is_over:
        return True
    if need > pools.budget:
        return False
    pools.new_round()
    writes = begin_spilling(run)
    while not pools.fits(need):
        before = nanoseconds()
        run.clock()
        unit = <Allocation>pools.choose()
        run.search_time += nanoseconds() - before
        if unit is None:
            if not forget_inputs(run):
                return False
        elif pools.by_file and not is_in_file(unit) and not (writes and write(run, unit)):
            if writes and run.spill.is_full:
                writes = False
                pools.write_rate = 0  # from here on, pools are chosen by the cost of remaking them
                if not may_be_evicted(unit):
                    pools.refuse(unit)
            elif not may_be_evicted(unit) or not put_out(run, unit, False):
                pools.refuse(unit)
        elif not put_out(run, unit, pools.by_file):
            pools.refuse(unit)
        count_frozen(run)
    return True


cdef int make_room_beside(Allocation unit, size_t need) except -1:
    """Make room for a copy of an allocation, which itself stays."""
    cdef Run run = unit.run
    run.pools.lock(unit)
    try:
        if not make_room(run, need):
            raise no_room(run, need)
    finally:
        run.pools.unlock(unit)
    return 0


cdef object no_room(Run run, size_t need):
    return MemoryError(
        f"no room for {readable(need)} within a budget of {readable(run.pools.budget)}{run.largest_constants()}"
    )


cdef bint begin_spilling(Run run) except -1:
    """Set the file's rates. Return whether a write is worth trying."""
    if run.spill is None:
        return False
    cdef bint is_ready = run.spill.is_ready()
    run.pools.write_rate = run.spill.write_rate / 1e9 if is_ready else 0
    run.pools.read_rate = run.spill.read_rate / 1e9
    return is_ready


cdef bint may_be_evicted(Allocation unit) noexcept:
    return unit.why is None and unit.bias <= 0


cdef bint is_in_file(Allocation unit) noexcept:
    return unit.written and unit.slot is not None


cdef bint put_out(Run run, Allocation unit, bint by_file) except -1:
    """Free an allocation's bytes unless somebody holds them. by_file: a file has them. Return whether they are free."""
    cdef Storage storage = member_of(unit)
    cdef int status
    if storage is None or unit.locks or unit.state != PRESENT:
        return False
    unit.digest = None
    if run.verify and not unit.has_gaps and window_size(storage) == unit.size:
        unit.digest = checksum(storage)
    status = evict_bytes(storage, unit.members)
    if status == COW_ENOMEM:
        raise MemoryError("no memory to note that bytes are away")
    if status != COW_OK:
        return False
    if by_file:
        run.pools.spilled(unit)
    else:
        run.pools.evicted(unit)
    return True


cdef object checksum(Storage storage):
    cdef Hold hold = quiet_hold(storage)
    return zlib.crc32(<const unsigned char[:window_size(storage)]>hold.scope.data) if window_size(storage) else 0


cdef bint write(Run run, Allocation unit) except -1:
    """Write an allocation to the spill file. Return False if only a part can be reached, or the disk refuses it."""
    cdef Storage storage = member_of(unit)
    cdef Hold hold
    if storage is None or window_size(storage) != unit.size:
        return False
    hold = quiet_hold(storage)
    unit.slot = run.spill.write(<const unsigned char[:unit.size]>hold.scope.data)
    return unit.slot is not None


cdef int bring_from_file(Run run, Allocation unit) except -1:
    """Read an allocation's bytes back. The caller has made room."""
    cdef char *data
    cdef Storage made = storage_new(unit.size, &data)
    run.spill.read_into(unit.slot, <unsigned char[:unit.size]><unsigned char *>data)
    fill_bytes(member_of(unit), made)
    run.pools.remade(unit)
    return 0


cdef list made_of(Allocation unit):
    """Return allocations that somebody has and that were made of this one, directly or through some that nobody has."""
    cdef list found = []
    cdef set met = set()
    cdef list stack = [unit]
    cdef Allocation each
    cdef Py_ssize_t i
    while stack:
        each = <Allocation>stack.pop()
        for i in range(each.node.n_children):
            if each.node.children[i].pool == NULL:
                continue
            child = <object>each.node.children[i].pool
            if child not in met:
                met.add(child)
                (found if is_somebodys(<Allocation>child) else stack).append(child)
    return found


cdef bint is_somebodys(Allocation unit) noexcept:
    """Tell whether somebody has it, or its inputs are forgotten. Others may be temporaries."""
    return unit.members > unit.held or (unit.members > 0 and unit.why is not None)


cdef int forget_how(Allocation unit) except -1:
    cdef Managed managed
    make_constant(unit, "what it was made of took more memory")
    for reference in list(unit.storages):
        managed = manager_of(reference())
        if managed is not None and managed.unit is unit and managed.latest is not None:
            if managed.latest.readers and managed.latest.node is not None:
                keep_bytes(managed)
            managed.latest.node = None
    return 0


cdef bint forget_inputs(Run run) except -1:
    """Make constants of results that take no more memory than an input that nobody else has: then the input can go.
    Return whether any has gone."""
    cdef Allocation unit
    for each in list(run.constants):
        unit = <Allocation>each
        if unit.state == PRESENT and not unit.locks and unit.members and unit.held == unit.members and pays(unit):
            for child in made_of(unit):
                forget_how(<Allocation>child)
            if unit.members == 0:
                return True
    return False


cdef bint pays(Allocation unit) except -1:
    """Tell whether everything made of a constant is present, and takes no more memory than the constant."""
    cdef Allocation child
    cdef size_t made = 0
    for each in made_of(unit):
        child = <Allocation>each
        if child.state != PRESENT:
            return False
        if child.why is None:
            made += child.nbytes
    return made <= unit.nbytes
