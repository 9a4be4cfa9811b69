"""The memory of one budget: its managed arrays, and where their bytes are.

An allocation leaves as a whole, with all Storages that share it. Each Storage has a doorkeeper, `Managed`, which knows
the version of its bytes, made by a node from other versions. All of this runs under one process-wide lock, `guard`.
"""

import os
import threading
import weakref

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from cpython.pyport cimport PY_SSIZE_T_MAX
from cpython.weakref cimport PyWeakref_NewRef
from posix.time cimport clock_gettime, CLOCK_MONOTONIC, timespec

from cowarray._c.core cimport cow_account_figures
from cowarray._modes.budget.pools cimport PRESENT
from cowarray._modes.common.thread cimport this_thread, Thread
from cowarray._modes.record.nodes cimport clone
from cowarray._native.storage cimport (
    allocated_size,
    bytes_held,
    drop_account,
    is_by_page,
    is_pinned,
    new_account,
    PAGED,
    put_doorkeeper,
    read_account,
)

from cowarray._modes.common.sizes import readable
from cowarray._modes.record.repeating import making

cdef door_function door = NULL

# Managed arrays change only under it; threads wait for it without the GIL. All modes make arrays under this one lock,
# since managed arrays may be made from arrays of other modes, and the reverse.
guard = making()
cdef object lock_guard = guard.acquire, unlock_guard = guard.release
# For threads that wait until another thread's operation has ended.
ended = threading.Condition(guard)


runs = weakref.WeakSet()


def _begin_alone():
    """Start afresh in a forked child: other threads' operations have ended, and nobody waits."""
    cdef Run run
    cdef Thread thread = this_thread()
    for each in list(runs):
        run = <Run>each
        run.active = thread.active
        run.waiting = run.waiters = 0
        if run.pools.reserved > thread.reserved:
            run.pools.unreserve(run.pools.reserved - thread.reserved)


# The guard is held while a process forks.
os.register_at_fork(after_in_child=_begin_alone)


cdef object lock_guard_to_end():
    """Take the guard to end an operation, whatever happens: the pools that it has locked must be unlocked.

    Signal handlers (Ctrl-C) may raise during the wait, which then goes on. Return the last exception, for
    `unlock_guard_and_raise`, or None. Signals that arrived while NumPy computed are handled here as well, not later,
    in the middle of the end.
    """
    cdef object interruption = None
    while True:
        try:
            PyErr_CheckSignals()
            lock_guard()
            return interruption
        except BaseException as error:
            if interruption is not None:
                error.__context__ = interruption
            interruption = error


cdef int unlock_guard_and_raise(object interruption) except -1:
    """Release the guard, and raise the exception that arrived during the wait, if any."""
    unlock_guard()
    if interruption is not None:
        raise interruption
    return 0


cdef double nanoseconds() noexcept:
    """Read a monotonic clock, without creating an object, for which there may be no memory."""
    cdef timespec now
    clock_gettime(CLOCK_MONOTONIC, &now)
    return now.tv_sec * 1e9 + now.tv_nsec


cdef void set_door(door_function function) noexcept:
    global door
    door = function


cdef class Run:
    """The memory of one budget.

    Parameters
    ----------
    pools : Pools
    by_model : bool
        Whether costs come from a fixed model; otherwise they are measured.
    verify : bool
        Whether remade bytes are compared with those that left, by a checksum.
    log : Log or None
    spill : Spill or None
    keep, recompute : frozenset of str
        Operations whose results are never evicted, and whose results are evicted first.

    Attributes
    ----------
    is_over : bool
        Nothing new is managed, and the budget is not enforced.
    base_time, remat_time, search_time : float
        Nanoseconds, as in the log, spent in operations, in repeating them, and in choosing what to evict.
    """

    def __cinit__(self, Pools pools not None, bint by_model, bint verify, log, spill, keep, recompute):
        self.pools = pools
        self.by_model = by_model
        self.verify = verify
        self.log = log
        self.spill = spill
        self.keep = keep
        self.recompute = recompute
        self.constants = set()
        self.temporaries = weakref.WeakSet()
        self.inputs = weakref.WeakValueDictionary()
        self.written_outside = []
        self.account = new_account(NULL)
        if self.account == NULL:
            raise MemoryError("cannot allocate the account of a budget")
        runs.add(self)

    def __dealloc__(self):
        drop_account(self.account)

    cdef bint is_enforced(self) noexcept:
        """Tell whether anything ever has to leave."""
        return not self.is_over and self.pools.budget < <size_t>PY_SSIZE_T_MAX

    cdef double clock(self) except? -1:
        """Set the pools' clock if times are measured. Return its time."""
        if not self.by_model:
            self.pools.now = nanoseconds()
        return self.pools.now

    cdef str new_name(self):
        """Return a new name for the log; None without a log."""
        if self.log is None:
            return None
        self.names += 1
        return f"x{self.names}"

    def finish(self):
        """Manage nothing new, and enforce nothing, from now on."""
        lock_guard()
        try:
            self.is_over = True
            self.peak = self.pools.peak
            for version in list(self.temporaries):
                (<ManagedVersion>version).value = None
            self.temporaries.clear()
        finally:
            unlock_guard()
        if self.log is not None:
            self.log.close()

    def largest_constants(self):
        """Name the largest constants, as the end of a sentence; empty without constants."""
        found = sorted(self.constants, key=lambda unit: -unit.nbytes)
        if not found:
            return ""
        parts = [f"{readable(unit.nbytes)} made at {unit.site[0]}:{unit.site[1]}" for unit in found[:5]]
        return f"; {readable(sum(unit.nbytes for unit in found))} cannot be made again: " + ", ".join(parts)

    def lines_kept(self):
        """Return the bytes of present constants by line and reason, the most first."""
        found = {}
        lock_guard()
        try:
            for unit in self.constants:
                name = f"{unit.site[0]}:{unit.site[1]}: {unit.why}"
                found[name] = found.get(name, 0) + unit.nbytes
        finally:
            unlock_guard()
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    def stats(self):
        """Return the figures so far, as a dict."""
        pools = self.pools
        return {
            "base_time": self.base_time / 1e9,
            "remat_time": self.remat_time / 1e9,
            "search_time": self.search_time / 1e9,
            "evictions": pools.evictions,
            "remakes": pools.remakes,
            "spills": pools.spills,
            "spilled_bytes": pools.spilled_bytes,
            "peak_bytes": self.peak if self.is_over else pools.peak,
            "live_bytes": pools.live + pools.frozen,
            "constants": self.lines_kept(),
        }


# ---- allocations, and who shares them --------------------------------------------------------------------------------


@cython.final
@cython.no_gc_clear
@cython.trashcan(True)
cdef class Allocation(Pool):
    """Bytes that leave and come back as a whole, with all Storages that share them.

    Attributes
    ----------
    run : Run
    site : Site
        The line that made it.
    why : str or None
        The reason that it cannot be remade, if it cannot.
    """


@cython.final
@cython.trashcan(True)
cdef class ManagedVersion(Version):
    """A version of managed bytes."""


@cython.final
cdef class ManagedNode(Node):
    """A recorded operation on managed arrays."""


cdef ManagedVersion new_version(ManagedNode node):
    return ManagedVersion.__new__(ManagedVersion, node)


@cython.final
@cython.no_gc_clear
cdef class Managed(Traced):
    """The doorkeeper of a managed Storage: it brings back bytes that have been evicted.

    Attributes
    ----------
    unit : Allocation
        The allocation of its bytes, with all that share them.
    """

    def __dealloc__(self):
        if self.is_counted:
            leave_members(self)
            if self.name is not None:
                self.unit.run.log.release(self.name)


cdef Managed manager_of(Storage storage):
    """Return a Storage's `Managed`, or None."""
    if storage is None or storage.doorkeeper == NULL or type(<object>storage.doorkeeper) is not Managed:
        return None
    return <Managed><object>storage.doorkeeper


cdef Managed find_managed(Array x):
    return manager_of(x.storage_)


cdef Allocation new_allocation(Run run, size_t nbytes, double cost, object site, str why, Py_ssize_t held=-1):
    """Return a present allocation without members. why: it cannot be remade. held: bytes of it that are in memory."""
    cdef Allocation unit = Allocation.__new__(Allocation)
    unit.size = nbytes
    unit.nbytes = nbytes if held < 0 else <size_t>held
    unit.node.cost = cost
    unit.constant = why is not None
    unit.run = run
    unit.site = site
    unit.storages = []
    unit.why = why
    run.pools.add(unit)
    return unit


cdef Managed manage(Storage storage, Allocation unit, ManagedVersion version, bint is_held, str name=None):
    """Make a Storage a member of an allocation, with a version's bytes. name: in the log."""
    cdef Managed managed = Managed.__new__(Managed)
    managed.door = door
    managed.storage = PyWeakref_NewRef(storage, None)
    managed.latest = None if is_held else version  # a record has the Storage: that would be a cycle
    managed.is_held = is_held
    unit.storages.append(managed.storage)
    if unit.why is not None:
        unit.run.constants.add(unit)
    put_doorkeeper(storage, managed)
    storage.account = unit.run.account
    become_member(managed, unit)
    count_held(managed)
    managed.name = name
    version.unit = unit
    if name is not None:
        version.name = name
    if not is_held:
        version.home = managed.storage
    return managed


cdef void become_member(Managed managed, Allocation unit) noexcept:
    managed.unit = unit
    managed.is_counted = True
    unit.members += 1
    unit.held += managed.is_held


cdef int leave_members(Managed managed) except -1:
    cdef Allocation unit = managed.unit
    managed.is_counted = False
    unit.members -= 1
    unit.held -= managed.is_held
    if unit.members == 0:
        unit.slot = None
        unit.run.pools.gone(unit)
        if unit.why is not None:
            unit.run.constants.discard(unit)
    return 0


cdef int move(Managed managed, Allocation unit) except -1:
    """Move a Storage to another allocation, in which its bytes lie now."""
    unit.storages.append(managed.storage)
    if unit.why is not None:
        unit.run.constants.add(unit)
    leave_members(managed)
    become_member(managed, unit)
    if managed.latest is not None:
        managed.latest.unit = unit
    return 0


cdef int unmanage(Storage storage) except -1:
    """Stop managing a Storage whose bytes are present."""
    cdef Managed managed = manager_of(storage)
    leave_members(managed)
    put_doorkeeper(storage, None)
    return 0


cdef Storage member_of(Allocation unit):
    """Return one of the Storages that share an allocation, or None if all have died."""
    cdef object storage
    while unit.storages:
        storage = unit.storages[len(unit.storages) - 1]()
        if storage is not None and manager_of(<Storage>storage) is not None and (
            manager_of(<Storage>storage).unit is unit
        ):
            return <Storage>storage
        unit.storages.pop()
    return None


cdef int make_constant(Allocation unit, str why) except -1:
    """Forget how an allocation was made: its bytes stay, or go to a file."""
    if unit.why is None:
        unit.run.pools.cut(unit)
        unit.why = why
        if unit.members:
            unit.run.constants.add(unit)
    return 0


# ---- what is in memory -----------------------------------------------------------------------------------------------


cdef size_t bytes_in(Storage storage) noexcept:
    """Return the bytes that a Storage's allocation has in memory, without pages that it shares with a base."""
    cdef size_t size = allocated_size(storage)
    return bytes_held(storage) if size >= <size_t>PAGED and is_by_page(storage) else size


cdef int count_held(Managed managed) except -1:
    """Count again what a Storage's allocation has in memory, and the bases."""
    cdef Allocation unit = managed.unit
    cdef Storage storage
    if unit.size < <size_t>PAGED:
        return 0
    storage = managed.storage()
    if storage is not None and unit.state == PRESENT:
        unit.run.pools.counts(unit, bytes_in(storage))
        count_frozen(unit.run)
    return 0


cdef int count_outside(Managed managed, size_t nbytes) except -1:
    """Count a Storage's bytes that are about to be written from outside, until `look_outside` counts them again."""
    cdef Allocation unit = managed.unit
    if unit.size >= <size_t>PAGED:
        unit.run.pools.counts(unit, nbytes)
        unit.run.written_outside.append(managed.storage)
    return 0


cdef int look_outside(Run run) except -1:
    """Count bytes that were written from outside; where they may still be written, do so again later."""
    cdef list found = run.written_outside
    cdef Managed managed
    run.written_outside = []
    for reference in found:
        storage = reference()
        managed = manager_of(<Storage>storage)
        if managed is not None and managed.unit.run is run:
            count_held(managed)
            if is_pinned(<Storage>storage):
                run.written_outside.append(reference)
    return 0


cdef int count_frozen(Run run) except -1:
    cdef cow_account_figures figures
    read_account(run.account, &figures)
    run.pools.freeze(figures.live)
    return 0


cdef int keep_bytes(Managed managed) except -1:
    """Keep the bytes of a constant, before they are written, for arrays that are made of it."""
    cdef ManagedVersion version = managed.latest
    cdef Storage copy = clone(managed.storage())
    manage(copy, managed.unit, version, True)
    version.value = copy
    return 0
