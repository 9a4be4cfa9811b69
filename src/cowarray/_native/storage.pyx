# cython: freethreading_compatible=True
"""The one extension that links the core: Storages, scopes and figures for Python.

The core's status codes become exceptions only here (`fail`). Every write that may copy or wait goes through
`materialize`, which asks the modes (`cowarray.no_copy`, `cowarray.trace`) and releases the GIL.

An extension is one module, and a second one that linked the core would have separate counts; hence one file. Its
sections can be read one at a time.
"""

cimport cython
from cpython.buffer cimport PyBuffer_FillInfo
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.exc cimport PyErr_CheckSignals
from cpython.mem cimport PyMem_Free, PyMem_Malloc, PyMem_RawFree, PyMem_RawRealloc
from cpython.object cimport PyObject
from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_New
from cpython.ref cimport Py_DECREF, Py_INCREF, Py_REFCNT
from libc.stdint cimport uint64_t
from libc.string cimport memcpy

from cowarray._c.atomics cimport add, relaxed, swap
from cowarray._c.core cimport *
from cowarray._c.gil cimport KEEPS_HEADERS
from cowarray._c.owners cimport drop_object
from cowarray._c.python cimport end_by, publish, seal

from cowarray._native.errors import CopyError


cdef enum:
    REGION = 2097152  # as the core has it: a huge page
    PAGE = 4096

cdef str GIVEN_UP = "so many of its pages were written that it was given up: plain memory from here on"
cdef str TAKEN_OVER = "nobody reads what others share with it, so these keep what it changes, and it has the rest"

cdef const cow_allocator *allocator = cow_heap()
cdef moved_function moved = NULL
# The modes' hooks, called while a context uses a mode: `forbids_copy()`, `forbids_eager()`,
# `report(kind, nbytes, reason, unread)`, `born(kind, storage)`.
cdef object modes = None


def set_modes(hooks):
    """Set the hooks to ask before bytes are copied, and to tell of copies and new sharers."""
    global modes
    modes = hooks


def _allocator():
    """Return new memory's allocator: a capsule ``"cowarray.allocator"`` of a ``const cow_allocator *``. For tests."""
    return PyCapsule_New(<void *>allocator, "cowarray.allocator", NULL)


def _use_allocator(capsule):
    """Take new memory from another allocator, which must outlive everything allocated from it. For tests."""
    global allocator
    allocator = <const cow_allocator *>PyCapsule_GetPointer(capsule, "cowarray.allocator")


cdef void set_moved(moved_function function) noexcept:
    global moved
    moved = function


cdef object fail(cow_status status, cow_error *err):
    """Raise the exception for a status."""
    text = err.text.decode("ascii", "replace")
    if status == COW_ENOMEM:
        raise MemoryError(text)
    if status == COW_ECOPY:
        raise CopyError(text)
    if status == COW_EOVERFLOW:
        raise OverflowError(text)
    if status == COW_EINVAL:
        raise ValueError(text)
    if status == COW_EBUSY:
        raise BufferError(text)
    raise RuntimeError(f"{cow_status_text(status).decode()}: {text}")


# ---- Storage ---------------------------------------------------------------------------------------------------------


@cython.freelist(64)
@cython.final
@cython.no_gc
cdef class Hold:
    """Read access to a Storage's present bytes, which stay valid memory while this object lives."""

    def __dealloc__(self):
        if self.scope.data != NULL:
            cow_const_end(&self.scope)


@cython.freelist(256)
@cython.final
@cython.no_gc
cdef class Storage:
    """The bytes behind arrays that alias each other.

    Two arrays alias if and only if they have the same Storage, ``x.storage is y.storage``, and their elements overlap.
    Several Storages may share one allocation until one of them is written to. Arrays create Storages; do not call this
    class.

    See Also
    --------
    aliases : Whether two arrays alias.
    explain : Who shares an array's bytes.
    """

    @property
    def nbytes(self):
        """int: Bytes of this Storage's window of the allocation."""
        return window_size(self)

    @property
    def is_cow(self):
        """bool: Whether more than one Storage shares the allocation."""
        return count_shares(self) > 1

    @property
    def share_count(self):
        """int: How many Storages and snapshots share the allocation, this one included."""
        return count_shares(self)

    @property
    def own_nbytes(self):
        """int: Bytes in memory for this Storage alone: all, or the pages that no frozen copy has (`paging`)."""
        cdef cow_storage *handle = enter(self)
        cdef size_t nbytes
        with nogil:  # another thread may be looking at the pages
            nbytes = cow_storage_own_bytes(handle)
        leave(self)
        return nbytes

    @property
    def data_ptr(self):
        """int: The bytes' present address; 0 while they are away.

        Compare it, but do not dereference it: a write to a shared Storage moves the bytes. A copy whose bytes a writer
        has taken over first gets its own memory.
        """
        if cow_storage_has_past(self.handle):
            quiet_hold(self)
        return <size_t>cow_storage_address(self.handle)

    def __repr__(self):
        if cow_storage_has_past(self.handle):
            where = "kept as differences"
        else:
            where = "away" if is_absent(self) else f"at {self.data_ptr:#x}"
        return f"<cowarray.Storage of {window_size(self)} bytes {where}, shared by {count_shares(self)}>"


cdef inline cow_storage *enter(Storage storage) noexcept:
    """Return the handle, valid until `leave`, whatever others do to the Storage meanwhile."""
    add(&storage.inside, 1)
    return storage.handle


cdef inline void leave(Storage storage) noexcept:
    cdef Storage _former
    if add(&storage.inside, -1) == 0 and storage.former is not None:
        _former, storage.former = storage.former, None  # ends with this function


cdef void exchange(Storage storage, Storage made) noexcept:
    """Exchange the handles of two Storages. The old handle stays valid until all calls inside have left."""
    storage.handle, made.handle = made.handle, storage.handle
    if relaxed(&storage.inside) != 0:
        made.former = storage.former
        storage.former = made


cdef void end_storage(PyObject *storage) noexcept:
    cdef cow_mutable_scope scope
    # Borrowed: a new reference to a dying object would end it a second time.
    if (<Storage>storage).hold is not None:
        (<Storage>storage).hold = None
    if (<Storage>storage).doorkeeper != NULL:
        Py_DECREF(<object>(<Storage>storage).doorkeeper)  # before the share goes: see evict_bytes
    if (<Storage>storage).unread != NULL:
        add(&(<Unread>(<Storage>storage).unread).lost, 1)
        Py_DECREF(<object>(<Storage>storage).unread)
    if (<Storage>storage).handle != NULL:
        if (<Storage>storage).pinned_for_good:
            scope.storage = (<Storage>storage).handle
            cow_mutable_end(&scope)
        cow_storage_free((<Storage>storage).handle)


cdef bint is_at(Storage storage, const char *window) noexcept:
    """True if the bytes now start at this address, which is compared, not followed."""
    return <const char *>cow_storage_address(storage.handle) == window


cdef bint is_aligned(Storage storage, size_t offset, size_t alignment) noexcept:
    """True if an element at this offset is aligned; False if the bytes have no address yet."""
    cdef size_t address = <size_t>cow_storage_address(storage.handle)
    return address != 0 and (address + offset) & (alignment - 1) == 0


cdef char *own_bytes(Storage storage) noexcept:
    """Return the address of a snapshot's bytes: the Storage belongs only to the snapshot, and is never written to."""
    return <char *>cow_storage_address(storage.handle)


cdef void *detach(Storage storage) noexcept:
    """Take the handle from a Storage that nobody else uses and that is about to be dropped."""
    cdef void *handle = storage.handle
    storage.handle = NULL
    return handle


cdef void drop_detached(void *handle) noexcept nogil:
    if handle != NULL:
        cow_storage_free(<cow_storage *>handle)


cdef size_t window_size(Storage storage) noexcept:
    return cow_storage_nbytes(storage.handle)


cdef bint is_by_page(Storage storage) noexcept:
    return cow_storage_is_paged(storage.handle) != 0


cdef size_t allocated_size(Storage storage) noexcept:
    return cow_storage_allocated(storage.handle)


cdef size_t write_cost(Storage storage) noexcept:
    return cow_storage_write_cost(storage.handle)


cdef int writes_by_page(Storage storage) noexcept:
    return cow_storage_writes_by_page(storage.handle)


cdef size_t write_takes(Storage storage, size_t pages) noexcept:
    return cow_storage_write_takes(storage.handle, pages)


cdef size_t bytes_held(Storage storage) noexcept:
    return cow_storage_own_bytes(storage.handle)


cdef size_t pages_touched(Storage storage, const Access *access) noexcept:
    cdef cow_box room
    return cow_box_pages(box_of(storage, access, &room), cow_storage_nbytes(storage.handle))


cdef size_t count_shares(Storage storage) noexcept:
    return cow_storage_shares(storage.handle)


def why_not_by_page(Storage storage not None, /):
    """Say why the next write of one element would not be paged; empty if it would be, or would copy nothing."""
    cdef tuple reasons = (
        "",
        "paging is off",
        "pages are for arrays of 4 MiB and more, and for the first write to a copy from 32 MiB on",
        "the memory is not the library's own, or begins where no page can",
        "the write touches so many pages that a copy is cheaper",
        "this array and its copies have spent what paging may cost them",
        "too many pages of an earlier copy were written: the next few copies are whole",
        "the system grants no pages now",
    )
    return reasons[cow_storage_page_refusal(storage.handle)]


def page_storage(Storage storage not None, bint required, /):
    """Move the bytes to a frozen base, so that writes to this Storage and its copies are paged: `by_page`."""
    cdef cow_error err
    cdef cow_storage *handle
    cdef cow_status status
    if storage.doorkeeper != NULL:
        raise BufferError(f"by_page: {what_keeps(storage)}")
    if storage.never_shared:
        raise BufferError("by_page: the array has Python objects, or outside code may write to its bytes at any time")
    leave_readers(storage)
    handle = enter(storage)
    with nogil:
        status = cow_storage_page(handle, &err)
    leave(storage)
    refresh(storage)
    if status == COW_EREFUSED and not required:
        return
    if status != COW_OK:
        text = err.text.decode("ascii", "replace")
        raise (MemoryError if status == COW_ENOMEM else BufferError)(f"by_page: {text}")


cdef str what_keeps(Storage storage):
    """Say what kind of Storage with a doorkeeper this is."""
    if storage.is_fake:
        return "a fake has no bytes"
    if storage.is_deferred:
        return "a deferred array has no bytes yet: materialize it first"
    if isinstance(<object>storage.doorkeeper, Lost):
        return (<Lost>storage.doorkeeper).reason
    return "the array is managed by a budget, or watched by simulate"


def own_regions(Storage storage not None, /):
    """List the bytes in memory for this Storage alone in each 2 MiB of its allocation; empty unless it is paged."""
    cdef size_t count = allocated_size(storage) // REGION + 2  # the window may begin and end within a region
    cdef size_t *regions = <size_t *>PyMem_Malloc(count * sizeof(size_t))
    cdef cow_storage *handle
    cdef size_t i
    if regions == NULL:
        raise MemoryError("cannot allocate memory for the regions of a Storage")
    handle = enter(storage)
    with nogil:  # as own_nbytes
        count = cow_storage_own_regions(handle, regions, count)
    leave(storage)
    try:
        return [regions[i] for i in range(count)]
    finally:
        PyMem_Free(regions)


cdef struct Runs:
    size_t *bounds  # starts and stops
    size_t count
    size_t room
    bint full  # memory has run out


cdef void add_run(void *to, size_t start, size_t nbytes) noexcept nogil:
    cdef Runs *runs = <Runs *>to
    cdef size_t room
    cdef size_t *more
    if runs.count == runs.room:
        room = 2 * runs.room + 64
        more = <size_t *>PyMem_RawRealloc(runs.bounds, 2 * room * sizeof(size_t))
        if more == NULL:
            runs.full = True
            return
        runs.bounds = more
        runs.room = room
    runs.bounds[2 * runs.count] = start
    runs.bounds[2 * runs.count + 1] = start + nbytes
    runs.count += 1


cdef list end_runs(Runs *runs, cow_status status, cow_error *err):
    """Return the runs as (start, stop), or raise the exception of a status."""
    cdef size_t i
    try:
        if status != COW_OK:
            fail(status, err)
        if runs.full:
            raise MemoryError("cannot allocate a list of runs")
        return [(runs.bounds[2 * i], runs.bounds[2 * i + 1]) for i in range(runs.count)]
    finally:
        PyMem_RawFree(runs.bounds)


def differences(Storage a not None, size_t a_start, Storage b not None, size_t b_start, size_t nbytes, /):
    """List the runs, (start, stop) from the starts, where two Storages may differ; all other bytes are equal."""
    cdef cow_error err
    cdef cow_status status
    cdef cow_storage *first = enter(a)
    cdef cow_storage *second = enter(b)
    cdef Runs runs = Runs(NULL, 0, 0, False)
    with nogil:
        status = cow_storage_differences(first, a_start, second, b_start, nbytes, add_run, &runs, &err)
    leave(a)
    leave(b)
    return end_runs(&runs, status, &err)


@cython.final
cdef class Ground:
    """A Storage's last recorded state, on a base that follows it. Its buffer exports those bytes, read-only.

    Parameters
    ----------
    storage : Storage
        Copied; `join` then puts it on the ground.

    Raises
    ------
    RuntimeError
        The system grants no pages.
    """

    cdef cow_ground *ground
    cdef readonly size_t nbytes

    def __init__(self, Storage storage not None):
        cdef cow_error err
        cdef cow_storage *made = NULL
        cdef cow_storage *handle = enter(storage)
        cdef cow_status status
        with nogil:
            status = cow_ground_new(handle, &self.ground, &made, &err)
            cow_storage_free(made)
        leave(storage)
        if status != COW_OK:
            fail(status, &err)
        self.nbytes = window_size(storage)

    def __dealloc__(self):
        cow_ground_free(self.ground)

    def __getbuffer__(self, Py_buffer *buffer, int flags):
        cdef size_t pages = (self.nbytes + PAGE - 1) // PAGE
        PyBuffer_FillInfo(buffer, self, <void *>cow_ground_bytes(self.ground), pages * PAGE, 1, flags)

    def join(self, Storage storage not None, /):
        """Move a Storage that equals the ground onto it. BufferError: somebody may be writing to the Storage."""
        cdef cow_error err
        cdef cow_storage *made = NULL
        cdef cow_status status
        if storage.doorkeeper != NULL or is_pinned(storage):
            raise BufferError("the array is pinned by a running write or a writable export, or watched by a mode")
        with nogil:
            status = cow_ground_storage(self.ground, &made, &err)
        if status != COW_OK:
            fail(status, &err)
        put_in_place(storage, made)

    def changes(self, Storage storage not None, /):
        """List runs of whole pages, (start, stop) in bytes, outside which the Storage equals the ground."""
        cdef cow_error err
        cdef cow_status status
        cdef cow_storage *handle = enter(storage)
        cdef Runs runs = Runs(NULL, 0, 0, False)
        with nogil:
            status = cow_ground_changes(self.ground, handle, add_run, &runs, &err)
        leave(storage)
        return end_runs(&runs, status, &err)

    @cython.boundscheck(False)
    @cython.wraparound(False)
    def put(self, const long long[::1] pages, const unsigned char[:, ::1] contents, /):
        """Replace pages of the ground, by sorted numbers. RuntimeError after a fork: make a new ground."""
        cdef cow_error err
        cdef cow_status status = COW_OK
        cdef Py_ssize_t at = 0
        cdef Py_ssize_t end
        cdef Py_ssize_t count = pages.shape[0]
        if contents.shape[0] != count or contents.shape[1] != PAGE:
            raise ValueError(f"expected {count} pages (got {contents.shape[0]} of {contents.shape[1]} bytes)")
        with nogil:
            while at < count and status == COW_OK:
                end = at + 1
                while end < count and pages[end] == pages[end - 1] + 1:
                    end += 1
                status = cow_ground_put(self.ground, pages[at] * PAGE, &contents[at, 0], (end - at) * PAGE, &err)
                at = end
        if status != COW_OK:
            fail(status, &err)

    def settle(self, Storage storage not None, /):
        """Drop the Storage's private pages that equal the ground's."""
        cdef cow_storage *handle = enter(storage)
        with nogil:
            cow_ground_settle(self.ground, handle)
        leave(storage)


# ---- bases in other processes ----------------------------------------------------------------------------------------


@cython.final
cdef class Base:
    """A frozen base in memory. Other processes may have it as well: equal identities mean the same base.

    Attributes
    ----------
    identity : bytes
        16 random bytes.
    nbytes : int
    """

    cdef cow_base *base

    def __dealloc__(self):
        cow_base_release(self.base)

    @property
    def identity(self):
        cdef uint64_t identity[2]
        cow_base_identity(self.base, identity)
        return (<char *>identity)[:16]

    @property
    def nbytes(self):
        return cow_base_nbytes(self.base)

    @staticmethod
    def find(identity, /):
        """Return this process's base with that identity, or None."""
        cdef uint64_t wanted[2]
        read_identity(identity, wanted)
        return new_base(cow_base_find(wanted))

    @staticmethod
    def receive(int descriptor, identity, size_t nbytes, /):
        """Return another process's base, given its file. RuntimeError: it can be changed, or too many are open."""
        cdef cow_error err
        cdef cow_base *base = NULL
        cdef uint64_t wanted[2]
        read_identity(identity, wanted)
        cdef cow_status status = cow_base_receive(descriptor, wanted, nbytes, &base, &err)
        if status != COW_OK:
            raise RuntimeError(err.text.decode("ascii", "replace"))
        return new_base(base)

    def descriptor(self):
        """Return a new descriptor of the file. OSError: the base's own was closed, or too many are open."""
        cdef int made = cow_base_descriptor(self.base)
        if made < 0:
            raise OSError("the descriptor of a base cannot be duplicated")
        return made

    def storage(self, size_t start, size_t nbytes, list runs, const unsigned char[::1] contents, /):
        """Make a Storage that equals the base from `start` on, except in runs, (start, stop), taken from contents."""
        cdef cow_error err
        cdef cow_storage *handle = NULL
        cdef cow_mutable_scope scope
        cdef Storage made = Storage.__new__(Storage)
        cdef cow_status status
        cdef size_t first, stop, at = 0, end = 0
        with nogil:
            status = cow_base_storage(self.base, start, nbytes, &handle, &err)
        if status != COW_OK:
            fail(status, &err)
        made.handle = handle
        status = cow_mutable_begin_at(handle, NULL, COW_QUIET, &scope, &err)
        if status != COW_OK:
            fail(status, &err)
        try:
            for first, stop in runs:
                if not end <= first < stop <= nbytes or stop - first > <size_t>contents.shape[0] - at:
                    raise ValueError(f"runs must be in order, within {nbytes} bytes, and have contents")
                with nogil:
                    memcpy(<char *>scope.data + first, &contents[at], stop - first)
                at += stop - first
                end = stop
        finally:
            cow_mutable_end(&scope)
        if at != <size_t>contents.shape[0]:
            raise ValueError(f"runs of {at} bytes have contents of {contents.shape[0]}")
        return made


cdef Base new_base(cow_base *base):
    """Wrap a reference, which it takes over; None for NULL."""
    cdef Base made
    if base == NULL:
        return None
    made = Base.__new__(Base)
    made.base = base
    return made


cdef int read_identity(object identity, uint64_t *out) except -1:
    if type(identity) is not bytes or len(identity) != 2 * sizeof(uint64_t):
        raise ValueError("the identity of a base is 16 bytes")
    memcpy(out, <const char *><bytes>identity, 2 * sizeof(uint64_t))
    return 0


def on_base(Storage storage not None, /):
    """Describe a Storage as it is now, so that another process can make it again.

    First moves the Storage to a frozen base, if it lies on none or differs too much from its base; or moves a copy, if
    its bytes cannot move.

    Returns
    -------
    tuple
        (base, start, runs, contents): the arguments of `Base.storage`.

    Raises
    ------
    BufferError
        No base is available: fewer than 4 MiB, a mode that watches the bytes, or a system that grants no pages.
    MemoryError
    """
    cdef Access whole = Access(SHARES, EXPORT, -1, 0, 0, NULL, 0, NULL)
    cdef size_t nbytes = window_size(storage)
    cdef Storage kept
    if not is_by_page(storage) and not is_pinned(storage):
        page_storage(storage, True)
    kept = share(storage, &whole, 0, nbytes, True)  # nobody writes to it, so it can be read in steps
    found = None if kept is None else footing(kept)  # None while it is pinned
    if kept is not None and not is_light(found, nbytes) and rebase(kept):
        found = footing(kept)
    if not is_light(found, nbytes):
        kept = fresh_copy(storage if kept is None else kept)
        page_storage(kept, True)
        found = footing(kept)
    if found is None:
        raise BufferError("the array lies on no frozen base")
    return (*found, read_runs(kept, found[2]))


cdef bint is_light(tuple found, size_t nbytes):
    """True if the runs that differ from a base are short enough to travel in a message."""
    return found is not None and sum([stop - start for start, stop in found[2]]) <= nbytes // 4


cdef bint rebase(Storage storage):
    """Give the bytes, which all sharers keep, a new base without moving them; return whether that succeeded."""
    cdef cow_storage *handle = enter(storage)
    cdef cow_status status
    with nogil:
        status = cow_storage_rebase(handle, NULL)
    leave(storage)
    return status == COW_OK


cdef tuple footing(Storage storage):
    """Return (base, start, runs), or None if the Storage lies on no base that other processes can map."""
    cdef cow_error err
    cdef cow_base *base = NULL
    cdef size_t start = 0
    cdef Runs runs = Runs(NULL, 0, 0, False)
    cdef cow_storage *handle = enter(storage)
    cdef cow_status status
    with nogil:
        status = cow_storage_base(handle, &base, &start, add_run, &runs, &err)
    leave(storage)
    made = new_base(base)
    if status == COW_EREFUSED:
        return None
    return made, start, end_runs(&runs, status, &err)


cdef Storage fresh_copy(Storage storage):
    """Copy a Storage's bytes to a new Storage."""
    cdef char *bytes = NULL
    cdef Hold hold = quiet_hold(storage)
    cdef size_t nbytes = window_size(storage)
    cdef Storage made = storage_new(nbytes, &bytes)
    with nogil:
        memcpy(bytes, hold.scope.data, nbytes)
    return made


cdef bytes read_runs(Storage storage, list runs):
    cdef Hold hold = quiet_hold(storage)
    cdef bytes made = PyBytes_FromStringAndSize(NULL, sum([stop - start for start, stop in runs]))
    cdef char *to = <char *>made
    cdef size_t start, stop
    for start, stop in runs:
        with nogil:
            memcpy(to, <char *>hold.scope.data + start, stop - start)
        to += stop - start
    return made


@cython.final
cdef class Lost(Keeper):
    """The doorkeeper of bytes that have not arrived: at each access it tries again, if it may, or raises the reason."""

    cdef str reason
    cdef object again


cdef int refuse_lost(object keeper, Storage storage, const Access *access) except -1:
    cdef Lost lost = keeper
    cdef object again = lost.again
    cdef Storage made = None
    if again is None:
        raise OSError(lost.reason)
    try:
        made = again()
    except OSError as error:
        if storage.doorkeeper == <PyObject *>lost:  # otherwise another thread, or a signal handler, has fetched them
            if not isinstance(error, TimeoutError):
                lost.reason, lost.again = str(error), None
            raise
    if made is not None and storage.doorkeeper == <PyObject *>lost and window_size(made) == window_size(storage):
        take_bytes(storage, made)
    return 0


def lost_storage(size_t nbytes, str reason not None, again=None, /):
    """Make a Storage whose bytes have not arrived. Using them raises an OSError with the reason.

    If `again` is given, each use calls it until it returns a Storage with the bytes, or raises an OSError other than a
    TimeoutError, which is final.
    """
    cdef cow_error err
    cdef cow_storage *handle = NULL
    cdef Lost keeper = Lost.__new__(Lost)
    cdef Storage made = Storage.__new__(Storage)
    cdef cow_status status = cow_storage_new_absent(allocator, nbytes, &handle, &err)
    if status != COW_OK:
        fail(status, &err)
    made.handle = handle
    keeper.reason = reason
    keeper.again = again
    keeper.door = refuse_lost
    put_doorkeeper(made, keeper)
    return made


cdef void put_in_place(Storage storage, cow_storage *made) noexcept:
    """Give a Storage other bytes with the same values. A gap."""
    cdef Storage other = Storage.__new__(Storage)
    other.handle = made
    leave_readers(storage)
    exchange_bytes(storage, other)


def share_allocation(Storage storage not None, Storage other not None, /):
    """True if both share one allocation now; for `cowarray.explain`."""
    return bool(cow_storage_shares_with(storage.handle, other.handle))


cdef bint is_pinned(Storage storage) noexcept:
    return cow_storage_pins(storage.handle) != 0


cdef bint is_foreign(Storage storage) noexcept:
    return cow_storage_is_foreign(storage.handle) != 0


cdef Hold new_hold(Storage storage, const Access *access):
    cdef Hold hold
    if storage.doorkeeper != NULL:
        ask(storage, access)
    hold = open_hold(storage, access)
    if is_unread(storage) and access.intent != LOCATES:
        have_read(storage)
    return hold


cdef Hold quiet_hold(Storage storage):
    return open_hold(storage, NULL)


cdef Hold open_hold(Storage storage, const Access *access):
    """Open a const scope. Ask the doorkeeper for absent bytes, unless access is NULL."""
    cdef cow_error err
    cdef Hold hold = Hold.__new__(Hold)
    cdef cow_status status = cow_const_begin(storage.handle, &hold.scope, &err)
    if status != COW_OK:
        hold.scope.data = NULL
        while status == COW_EABSENT and access != NULL and storage.doorkeeper != NULL:
            ask_again(storage, access)
            status = cow_const_begin(storage.handle, &hold.scope, &err)
    if status != COW_OK:
        fail(status, &err)
    return hold


cdef object held(Storage storage, const Access *access, char **window):
    """Return an owner that keeps the Storage's present bytes alive, and set their address. A gap."""
    cdef Hold hold
    if storage.doorkeeper != NULL:
        hold = new_hold(storage, access)
        window[0] = <char *>hold.scope.data
        return hold
    while storage.hold is None or storage.window != <char *>cow_storage_address(storage.handle):
        hold = new_hold(storage, access)
        refresh(storage)
        if storage.doorkeeper != NULL or is_unread(storage):
            window[0] = <char *>hold.scope.data
            return hold
        if storage.hold is None and <const void *>hold.scope.data == cow_storage_address(storage.handle):
            storage.hold = hold
            storage.window = <char *>hold.scope.data
    window[0] = storage.window
    return storage.hold


cdef Storage share(
    Storage storage, const Access *access, size_t offset, size_t nbytes, bint quiet=False, bint read=True
):
    """Make a Storage on the same allocation; None if that is unsafe: the source is being written to, or has objects.

    A gap, with a doorkeeper or a mode in use. quiet: a share for one operation, of which modes are not told. read: its
    bytes will be read at their address, unless the intent is to share; nobody evicts or takes over such bytes.
    """
    cdef cow_error err
    cdef cow_storage *handle = NULL
    cdef Storage made
    cdef cow_status status
    cdef unsigned flags = COW_TRY | (COW_QUIET if quiet else 0) | (COW_READS if read and access.intent != SHARES else 0)
    if storage.never_shared:
        return None
    if storage.doorkeeper != NULL:
        ask(storage, access)
    made = Storage.__new__(Storage)
    status = cow_lazy_clone(storage.handle, offset, nbytes, flags, &handle, &err)
    if status != COW_OK:
        while status == COW_EABSENT and storage.doorkeeper != NULL:
            ask_again(storage, access)
            status = cow_lazy_clone(storage.handle, offset, nbytes, flags, &handle, &err)
        if status == COW_EBUSY:
            return None
        if status != COW_OK:
            fail(status, &err)
    made.handle = handle
    if storage.doorkeeper != NULL:
        keep_for(storage, made, access)
    made.is_copy = access.intent == SHARES
    if is_unread(storage):
        have_read(storage)
    if modes_in_use() and not quiet:
        modes.born("lazy copy" if access.intent == SHARES else "snapshot", made)
    return made


cdef Storage storage_new(size_t nbytes, char **bytes):
    """Make a Storage with uninitialized bytes."""
    cdef cow_error err
    cdef cow_storage *handle = NULL
    cdef Storage made = Storage.__new__(Storage)
    cdef cow_status status = cow_storage_new(allocator, nbytes, &handle, &err)
    if status != COW_OK:
        fail(status, &err)
    made.handle = handle
    bytes[0] = <char *>cow_storage_address(handle)
    return made


cdef Storage fake_storage(size_t nbytes, Keeper keeper):
    cdef cow_error err
    cdef cow_storage *handle = NULL
    cdef Storage made = Storage.__new__(Storage)
    cdef cow_status status = cow_storage_new(cow_nowhere(), nbytes, &handle, &err)
    if status != COW_OK:
        fail(status, &err)
    made.handle = handle
    keep_fake(made, keeper)
    return made


cdef void keep_fake(Storage storage, Keeper keeper) noexcept:
    Py_INCREF(keeper)
    storage.doorkeeper = <PyObject *>keeper
    storage.is_fake = True


cdef int become_fake(Storage storage, Keeper keeper) except -1:
    """Turn a Storage into a fake, without bytes. Its sharers and readers keep the bytes it had. A gap, at first."""
    cdef Storage made
    leave_readers(storage)
    if storage.doorkeeper != NULL or is_pinned(storage) or relaxed(&storage.inside) != 0:
        raise BufferError("an array that is being written to or watched cannot become a fake")
    made = fake_storage(window_size(storage), keeper)
    exchange(storage, made)
    keep_fake(storage, keeper)
    return 0


def is_fake_storage(Storage storage not None, /):
    """True if a Storage has no bytes, and never will."""
    return storage.is_fake


def is_deferred_storage(Storage storage not None, /):
    """True if a Storage has no bytes yet."""
    return storage.is_deferred


cdef void change_keeper(Storage storage, Keeper keeper) noexcept:
    """Change the doorkeeper of a Storage that only its maker uses, and which becomes deferred instead of fake."""
    cdef PyObject *before = storage.doorkeeper
    keep_fake(storage, keeper)
    storage.is_fake = False
    storage.is_deferred = True
    if before != NULL:
        Py_DECREF(<object>before)


cdef void take_bytes(Storage storage, Storage made) noexcept:
    """Give a Storage without bytes those of another, which is dropped, and drop its doorkeeper. A gap."""
    cdef PyObject *before = storage.doorkeeper
    refresh(made)
    made.unscoped = NULL
    exchange(storage, made)
    storage.never_shared = made.never_shared
    storage.doorkeeper = NULL
    storage.is_deferred = False
    if before != NULL:
        Py_DECREF(<object>before)


cdef void exchange_bytes(Storage storage, Storage made) noexcept:
    """Give a Storage the share of another Storage of the same size, and drop its own share. A gap."""
    refresh(made)
    refresh(storage)
    made.unscoped = NULL
    exchange(storage, made)


cdef void count_fake_copy(size_t nbytes) noexcept:
    cow_nowhere().clone(NULL, NULL, NULL, nbytes)


cdef Storage storage_adopt(object owner, void *data, size_t nbytes, bint foreign):
    """Make a Storage over bytes that owner keeps alive. If not foreign, nobody else may use them."""
    cdef cow_error err
    cdef cow_storage *handle = NULL
    cdef cow_dataptr ptr
    cdef Storage made = Storage.__new__(Storage)
    ptr.data = data
    ptr.context = <void *>owner
    ptr.deleter = drop_object
    cdef cow_status status = cow_storage_adopt(allocator, ptr, nbytes, COW_FOREIGN if foreign else 0, &handle, &err)
    if status != COW_OK:
        fail(status, &err)
    Py_INCREF(owner)
    made.handle = handle
    if not foreign and KEEPS_HEADERS:
        # The owner serves as the Hold: like one, it belongs to this Storage alone.
        made.hold = owner
        made.window = <char *>data
        made.unscoped = <PyObject *>owner
    return made


cdef Storage storage_of_file(int descriptor, size_t offset, size_t nbytes, object owner=None):
    cdef cow_error err
    cdef cow_storage *handle = NULL
    cdef cow_dataptr ptr
    cdef cow_dataptr kept
    cdef Storage made = Storage.__new__(Storage)
    cdef cow_status status
    kept.data = NULL
    kept.context = <void *>owner
    kept.deleter = drop_object
    status = cow_paging_map_file(descriptor, offset, nbytes, NULL if owner is None else &kept, &ptr, &err)
    if status == COW_OK:
        if owner is not None:
            Py_INCREF(owner)
        status = cow_storage_adopt(allocator, ptr, nbytes, 0, &handle, &err)
        if status != COW_OK:
            ptr.deleter(ptr.data, ptr.context, nbytes)
    if status != COW_OK:
        fail(status, &err)
    made.handle = handle
    return made


# ---- the door --------------------------------------------------------------------------------------------------------


cdef dict INTENTS = {
    LOCATES: "locates", SHARES: "shares", READS: "reads", WRITES: "writes", OVERWRITES: "overwrites",
}
cdef dict BEHALVES = {
    OPERATION: "operation", EXPORT: "export", CTYPES: "ctypes", DLPACK: "dlpack", C_API: "C API", FOREIGN: "foreign",
}


cdef class Keeper:
    """A doorkeeper written in C."""


cdef int keep_for(Storage storage, Storage made, const Access *access) except -1:
    """Set the doorkeeper of a new sharer, or tell the Keeper of its source. A gap, in the second case."""
    cdef object keeper = <object>storage.doorkeeper
    if storage.is_fake:
        keep_fake(made, <Keeper>keeper)
    elif access.intent == SHARES and isinstance(keeper, Keeper) and (<Keeper>keeper).shared != NULL:
        (<Keeper>keeper).shared(keeper, storage, made, access)
    return 0


cdef int ask(Storage storage, const Access *access) except -1:
    """Ask the doorkeeper about an access. If it raises, nothing has happened. A gap."""
    cdef object keeper = <object>storage.doorkeeper
    cdef object box = None
    cdef int i
    if isinstance(keeper, Keeper):
        return (<Keeper>keeper).door(keeper, storage, access)
    if access.ndim >= 0:
        box = (
            access.offset,
            tuple([access.dims[i] for i in range(access.ndim)]),
            tuple([access.dims[access.ndim + i] for i in range(access.ndim)]),
            access.itemsize,
        )
    keeper(storage, INTENTS[access.intent], BEHALVES[access.behalf], box)
    return 0


cdef int ask_again(Storage storage, const Access *access) except -1:
    """Ask again: another thread evicted the bytes after the doorkeeper was asked. A gap."""
    cdef Access again = access[0]
    if again.intent == LOCATES:
        again.intent = READS  # LOCATES may be granted without bytes, but then elements have no address
    PyErr_CheckSignals()  # evicting and refilling may go on forever
    return ask(storage, &again)


cdef int knock(Storage storage, const Access *access) except -1:
    if storage.doorkeeper != NULL:
        ask(storage, access)
    return 0


def set_doorkeeper(Storage storage not None, keeper, /):
    """Set the doorkeeper, which is asked about each access from now on.

    Drops kept headers, so that every later access comes through the door.

    Parameters
    ----------
    storage : Storage
    keeper : callable or None
        Called with the Storage, the intent ("locates", "shares", "reads", "writes", "overwrites"), the behalf
        ("operation", "export", "ctypes", "dlpack", "C API", "foreign"), and the box: None for anything, or a tuple of
        offset in the window, shape, strides and itemsize, in bytes. An exception stops the access. The Storage owns the
        doorkeeper and is invisible to the garbage collector, so the doorkeeper must not own an array of the Storage.
        Set it before other threads use the Storage: without a GIL, nothing orders the two.
    """
    put_doorkeeper(storage, keeper)


cdef void put_doorkeeper(Storage storage, object keeper) noexcept:
    cdef PyObject *before = storage.doorkeeper
    storage.account = NULL
    if keeper is None:
        storage.doorkeeper = NULL
    else:
        Py_INCREF(keeper)
        storage.doorkeeper = <PyObject *>keeper
        leave_readers(storage)
    if before != NULL:
        Py_DECREF(<object>before)


cdef void refresh(Storage storage) noexcept:
    """Drop everything kept for readers. A gap."""
    cdef object _hold = storage.hold  # ends with this function, when the Storage is whole
    storage.hold = None
    storage.window = NULL
    if moved != NULL and storage.readers != NULL:
        moved(storage)


cdef void leave_readers(Storage storage) noexcept:
    """Before the Storage leaves shared bytes, drop everything kept for readers, and tell the core if any remain. A gap.

    A kept Hold would be a reader left behind, and stop the last sharer from stealing. A reader in another thread, or
    further up the stack of the user code that writes here, may have no scope, only a reference to the array that owns
    the bytes; the core has one reference as well. Readers' references are counted ones, of a C frame of this library or
    of a NumPy array whose base is the owner; neither borrows as the interpreter does. So a count of one means that
    nobody reads. A greater count means that somebody may: a false alarm costs the last sharer a copy, never a value.
    """
    cdef PyObject *owner = storage.unscoped
    refresh(storage)
    if owner != NULL and storage.unscoped == owner:
        storage.unscoped = NULL  # later readers have a Hold
        if Py_REFCNT(<object>owner) > 1:
            cow_storage_spare(storage.handle)


# ---- bytes that are away ---------------------------------------------------------------------------------------------


cdef bint is_absent(Storage storage) noexcept:
    return cow_storage_is_absent(storage.handle) != 0


cdef const void *allocation_of(Storage storage) noexcept:
    return cow_storage_allocation(storage.handle)


cdef int evict_bytes(Storage storage, size_t managed) noexcept:
    cdef PyObject *owner = storage.unscoped
    cdef cow_status status
    if storage.hold is not None or (owner != NULL and Py_REFCNT(<object>owner) > 1):
        return COW_EBUSY
    storage.unscoped = NULL  # it ends with the bytes
    status = cow_storage_evict(storage.handle, managed, NULL)
    if status != COW_OK:
        storage.unscoped = owner
    return status


cdef str who_holds(Storage storage, size_t managed):
    """Say in words why `evict_bytes` refused. Sharers may have come or gone since."""
    cdef size_t shares = cow_storage_shares(storage.handle)
    if cow_storage_is_absent(storage.handle):
        return "they are away already"
    if is_foreign(storage):
        return "they belong to somebody else"
    if cow_storage_is_busy(storage.handle):
        return "another thread is materializing the array"
    if is_pinned(storage):
        return "they are pinned: an operation writes to them, or somebody outside may"
    if shares > managed:
        others = shares - managed
        if others == 1:
            return "a lazy copy, a snapshot or an export shares them"
        return f"{others} lazy copies, snapshots or exports share them"
    if shares < managed:
        return f"there are {shares} shares of them, not {managed}"
    return "they are being read, by an operation or by somebody outside"


cdef int fill_bytes(Storage storage, Storage made) except -1:
    cdef cow_error err
    cdef cow_dataptr ptr
    cdef cow_status status
    cdef size_t nbytes
    cdef PyObject *owner
    if made is storage or made.never_shared:
        raise ValueError("fill: these bytes cannot be moved")
    refresh(made)
    owner = made.unscoped
    if owner != NULL and Py_REFCNT(<object>owner) > 1:
        raise BufferError("fill: the bytes that were made are still in use")
    made.unscoped = NULL  # later readers have a Hold
    nbytes = cow_storage_allocated(made.handle)
    status = cow_storage_take(made.handle, 1, &ptr, &err)
    if status != COW_OK:
        fail(status, &err)
    status = cow_storage_fill(storage.handle, ptr, nbytes, &err)
    if status == COW_OK:
        return 1
    if cow_storage_fill(made.handle, ptr, nbytes, NULL) != COW_OK and ptr.deleter != NULL:
        ptr.deleter(ptr.data, ptr.context, nbytes)  # reached only if `made` is used elsewhere, against the rules
    if status != COW_EPRESENT:
        fail(status, &err)
    return 0


def evict(Storage storage not None, size_t managed, /):
    """Free the bytes that a Storage shares. The next access asks its doorkeeper to restore them.

    Parameters
    ----------
    storage : Storage
    managed : int
        How many of the Storages that share the bytes have a doorkeeper that can restore them.

    Raises
    ------
    BufferError
        The bytes are in use, as the message details, or away already. Nothing has changed.
    MemoryError
        There is no memory to record the eviction. Nothing has changed.
    """
    cdef int status = evict_bytes(storage, managed)
    if status == COW_ENOMEM:
        raise MemoryError("cannot allocate a context")
    if status != COW_OK:
        raise BufferError(f"cannot evict {allocated_size(storage)} bytes: {who_holds(storage, managed)}")


def fill(Storage storage not None, Storage made not None, /):
    """Move the bytes of one Storage, which nobody else uses, to all sharers of another's absent bytes.

    Parameters
    ----------
    storage : Storage
    made : Storage
        Consumed: has no bytes afterwards.

    Returns
    -------
    bool
        False if the bytes were present already; `made` then keeps its own.

    Raises
    ------
    ValueError
        The sizes differ, or the bytes cannot be moved.
    BufferError
        The bytes of `made` are in use.
    MemoryError
        There is no memory to record the move.
    """
    return fill_bytes(storage, made) != 0


def is_absent_storage(Storage storage not None, /):
    """True if a Storage's bytes are away."""
    return is_absent(storage)


# ---- writing ---------------------------------------------------------------------------------------------------------

cdef const cow_box *box_of(Storage storage, const Access *access, cow_box *box) noexcept:
    """Return the box of an access to a large Storage in the core's form; NULL: anything."""
    if access.ndim < 0 or cow_storage_nbytes(storage.handle) < PAGED:
        return NULL
    box.offset = access.offset
    box.itemsize = access.itemsize
    box.ndim = access.ndim
    box.dims = <const ptrdiff_t *>access.dims
    box.most = access.most
    return box


cdef int begin_write(Storage storage, const Access *access, cow_mutable_scope *scope) except -1:
    """Open a mutable scope; afterwards the Storage alone has its bytes. A gap."""
    cdef cow_status status
    if storage.doorkeeper != NULL:
        return begin_at_door(storage, access, scope)
    if not modes_in_use() and cow_storage_nbytes(storage.handle) <= SMALL_COPY and storage.unscoped == NULL:
        # The common case: the Storage is sole, or so small that it is copied with the GIL held.
        status = cow_mutable_begin_at(storage.handle, NULL, COW_TRY, scope, NULL)
        if status == COW_OK:
            if storage.window != NULL and storage.window != <char *>scope.data:
                refresh(storage)
            return 0
        if status == COW_ENOMEM:
            refuse_memory(storage)
    return begin_asked(storage, access, scope)


cdef int begin_at_door(Storage storage, const Access *access, cow_mutable_scope *scope) except -1:
    """`begin_write` of a Storage with a doorkeeper."""
    cdef object _keeper = <object>storage.doorkeeper  # keeps the account alive if another keeper replaces this one
    cdef cow_account *before
    ask(storage, access)
    if storage.account == NULL:
        return begin_asked(storage, access, scope)
    before = cow_account_use(storage.account)
    try:
        return begin_asked(storage, access, scope)
    finally:
        cow_account_use(before)


cdef int begin_asked(Storage storage, const Access *access, cow_mutable_scope *scope) except -1:
    """`begin_write` after the doorkeeper has been asked."""
    cdef cow_box room
    cdef cow_status status
    if not modes_in_use():
        status = cow_mutable_begin_at(
            storage.handle, box_of(storage, access, &room), COW_TRY | COW_NO_COPY, scope, NULL
        )
        if status == COW_OK:
            if storage.window != NULL and storage.window != <char *>scope.data:
                refresh(storage)
            return 0
        if status == COW_ENOMEM:
            refuse_memory(storage)
    while not materialize(storage, access, scope):
        ask_again(storage, access)
    return 0


cdef int refuse_memory(Storage storage) except -1:
    raise MemoryError(f"cannot allocate {window_size(storage)} bytes for a write to an array that shares bytes")


cdef bint materialize(Storage storage, const Access *access, cow_mutable_scope *scope) except -1:
    """Open a mutable scope on a Storage's own bytes. False: they are absent, and the doorkeeper can bring them."""
    cdef cow_storage *handle = enter(storage)
    try:
        return materialize_in(handle, storage, access, scope)
    finally:
        leave(storage)


cdef bint materialize_in(
    cow_storage *handle, Storage storage, const Access *access, cow_mutable_scope *scope
) except -1:
    cdef cow_error err
    cdef cow_box room
    cdef const cow_box *box = box_of(storage, access, &room)
    cdef cow_status status = COW_EBUSY
    cdef unsigned flags = 0
    cdef size_t cost = cow_storage_write_cost(handle)
    cdef bint shared = not cow_storage_is_sole(handle)
    cdef bint paged = modes_in_use() and not shared and cow_storage_is_paged(handle)
    cdef const void *before = cow_storage_allocation(handle) if modes_in_use() else NULL
    cdef bint forbidden = forbids_copy(storage)
    cdef str reason = reason_to_copy(storage) if modes_in_use() else ""
    cdef bint others = modes_in_use() and count_shares(storage) > 1
    if forbidden or (not cow_storage_write_moves(handle) and window_size(storage) != 0):
        flags = COW_NO_COPY
    else:
        leave_readers(storage)
    if cost <= SMALL_COPY:
        status = cow_mutable_begin_at(handle, box, flags | COW_TRY, scope, &err)
    if status == COW_EBUSY:
        with nogil:
            status = cow_mutable_begin_at(handle, box, flags, scope, &err)
    if status == COW_ECOPY and not forbidden:
        return materialize_in(handle, storage, access, scope)  # another sharer came after `cost` was read
    if status == COW_ECOPY:
        refuse_copy(storage, write_takes(storage, pages_touched(storage, access)))
    if status == COW_EABSENT and storage.doorkeeper != NULL:
        return False
    if status != COW_OK:
        fail(status, &err)
    if storage.window != NULL and storage.window != <char *>scope.data:
        refresh(storage)
    if modes_in_use() and (shared or (paged and not cow_storage_is_paged(handle))):
        try:
            if shared and others and cow_storage_allocation(handle) == before:
                tell_write(storage, "pages", pages_touched(storage, access) * PAGE, TAKEN_OVER, watch(storage))
            elif shared:
                report_write(storage, cow_storage_allocation(handle) != before, reason)
            else:
                tell_write(storage, "copy", window_size(storage), GIVEN_UP, None)
        except BaseException:
            cow_mutable_end(scope)
            raise
    return True


cdef bint forbids_copy(Storage storage) except -1:
    return modes_in_use() and window_size(storage) != 0 and modes.forbids_copy()


cdef str reason_to_copy(Storage storage):
    """Say why a write to shared bytes copies them."""
    shares = count_shares(storage)
    if is_foreign(storage):
        return "they belong to somebody else"
    return f"{shares} Storages share them" if shares > 1 else "a reader of another array still needs them"


cdef int refuse_copy(Storage storage, size_t nbytes) except -1:
    raise CopyError(
        f"no_copy: this write would copy {nbytes} bytes, because {reason_to_copy(storage)}; "
        "write before copying, or leave the no_copy block"
    )


cdef int report_write(Storage storage, bint copied, str reason) except -1:
    cdef Unread unread = watch(storage)
    if copied:
        kind = "pages" if cow_storage_is_paged(storage.handle) else "copy"
        tell_write(storage, kind, cow_storage_copied_bytes(storage.handle), reason, unread)
    else:
        tell_write(storage, "steal", 0, "the last sharer keeps the bytes", unread)
    return 0


cdef int tell_write(Storage storage, str kind, size_t nbytes, str reason, Unread unread) except -1:
    try:
        modes.report(kind, nbytes, reason, unread)
    except BaseException:
        have_read(storage)
        raise
    if unread is not None:
        if unread.event is None:
            have_read(storage)  # no trace keeps it
        else:
            storage.is_copy = False
    return 0


# ---- writes that nobody reads ----------------------------------------------------------------------------------------


@cython.final
@cython.no_gc
cdef class Unread:
    """A write that gave a lazy copy its own bytes, until they are first read.

    The first reader takes it from the Storage. A Storage that still has it at its end marks it as lost, which runs no
    Python code and allocates nothing. A trace keeps it among its events, and looks at it on request.
    """

    @property
    def is_lost(self):
        """bool: Whether the copy was dropped unread."""
        return relaxed(&self.lost) != 0


cdef Unread watch(Storage storage):
    """Make the next reader of a lazy copy that is being written to come through the door. A gap."""
    cdef Unread unread = None
    if storage.is_copy and window_size(storage) != 0:
        unread = Unread.__new__(Unread)
        Py_INCREF(unread)
        put_unread(storage, <void *>unread)
        refresh(storage)
    return unread


cdef void have_read(Storage storage) noexcept:
    put_unread(storage, NULL)


cdef void put_unread(Storage storage, void *unread) noexcept:
    cdef void *before = swap(&storage.unread, unread)
    if before != NULL:
        Py_DECREF(<object>before)


cdef void end_write(cow_mutable_scope *scope) noexcept:
    cow_mutable_end(scope)


@cython.freelist(16)
@cython.final
@cython.no_gc
cdef class Pin:
    """Write access to a Storage's bytes while this object lives; copies of the Storage are eager meanwhile."""

    def __dealloc__(self):
        if self.open:
            cow_mutable_end(&self.scope)

    cdef void stay(self) noexcept:
        """Leave the pin to the Storage, which unpins at its own end; of several such pins, it keeps only one."""
        if add(&self.storage.pinned_for_good, 1) == 1:
            self.open = False
        else:
            add(&self.storage.pinned_for_good, -1)


cdef Pin pin_storage(Storage storage, const Access *access):
    cdef Pin pin = Pin.__new__(Pin)
    begin_write(storage, access, &pin.scope)
    pin.open = True
    pin.storage = storage
    if is_unread(storage) and access.behalf != OPERATION:
        have_read(storage)  # the holder of the pointer may read at any time
    return pin


cdef enum:
    CLOSED = 0
    OPEN = 1
    COMMITTED = 2


@cython.freelist(16)
@cython.final
@cython.no_gc
cdef class Overwrite:
    """Write access that gives every byte of the window a new value; nothing is copied first.

    The new bytes stay valid while this object lives, and are pinned once they are in place.
    """

    def __dealloc__(self):
        if self.state == OPEN:
            cow_overwrite_abort(&self.scope)
        elif self.state == COMMITTED:
            cow_mutable_end(&self.pinned)
        if self.entered:
            leave(self.storage)

    cdef void stay(self) noexcept:
        """Stay inside the Storage until this object ends, because it needs the handle until the bytes are in place."""
        if not self.entered:
            self.entered = True
            enter(self.storage)

    cdef bint in_place(self) noexcept:
        return self.scope.data == self.scope.old

    cdef bint commit(self) except -1:
        """Put the bytes in place. Return False and do nothing if others wrote to the Storage meanwhile."""
        cdef cow_error err
        cdef Unread unread = None
        cdef bint fresh = not self.in_place()
        if fresh:
            leave_readers(self.storage)
            if modes_in_use():
                unread = watch(self.storage)  # before the bytes are in place and others can read them
        cdef cow_status status = cow_overwrite_commit(&self.scope, &self.pinned, &err)
        if status == COW_OK:
            self.state = COMMITTED
            if fresh:
                refresh(self.storage)
                if modes_in_use():
                    tell_write(self.storage, "overwrite", 0, "the write gave every byte a new value", unread)
            return True
        if unread is not None:
            have_read(self.storage)
        if status != COW_EMOVED:
            fail(status, &err)
        return False


cdef Overwrite overwrite_storage(Storage storage, const Access *access):
    cdef Overwrite writer
    if storage.doorkeeper != NULL:
        ask(storage, access)
    writer = Overwrite.__new__(Overwrite)
    writer.storage = storage
    while not begin_overwrite(writer):
        ask_again(storage, access)
    return writer


cdef inline bint begin_overwrite(Overwrite writer) except -1:
    """Open the scope. False: the bytes are absent, and the doorkeeper can bring them."""
    cdef cow_error err
    cdef Storage storage = writer.storage
    if modes_in_use():
        writer.stay()  # modes run Python code
    cdef unsigned flags = COW_NO_COPY if forbids_copy(storage) else 0
    cdef str reason = reason_to_copy(storage) if modes_in_use() else ""
    cdef cow_storage *handle = storage.handle
    cdef bint shared = not cow_storage_is_sole(handle)
    cdef const void *before = cow_storage_address(handle)
    cdef const void *allocation = cow_storage_allocation(handle) if modes_in_use() else NULL
    cdef cow_status status = cow_overwrite_begin(handle, flags | COW_TRY, &writer.scope, &err)
    if status == COW_EBUSY:
        writer.stay()
        with nogil:
            status = cow_overwrite_begin(handle, flags, &writer.scope, &err)
    if status == COW_ECOPY:
        refuse_copy(storage, window_size(storage))
    if status == COW_EABSENT and storage.doorkeeper != NULL:
        return False
    if status != COW_OK:
        fail(status, &err)
    writer.state = OPEN
    if not writer.in_place():
        writer.stay()
    if cow_storage_address(handle) != before:
        storage.unscoped = NULL  # about to steal, it found a reader left behind, and copied
    if shared and writer.in_place() and modes_in_use():
        report_write(storage, cow_storage_allocation(handle) != allocation, reason)
    return True


for _type in (Hold, Storage, Pin, Overwrite, Unread):
    seal(_type)
publish(Storage, "cowarray.Storage")
end_by(Storage, end_storage)


# ---- the core's figures and heap, for extensions that do not link it -------------------------------------------------


def count_modes(int change):
    """Count a context that begins (1) or ceases (-1) to use modes. Return how many do."""
    return add(&mode_users, change)


cdef int allow_eager(size_t nbytes, str reason) except -1:
    """Ask the modes to allow an eager copy; raise CopyError if they do not."""
    if nbytes != 0 and modes_in_use() and modes.forbids_eager():
        raise CopyError(
            f"no_copy: this would copy {nbytes} bytes at once, because {reason}; drop eager=True, "
            "or leave the no_copy block"
        )
    return 0


cdef int tell_eager(size_t nbytes, str reason) except -1:
    """Count an eager copy, and tell the modes."""
    count_eager(nbytes)
    if modes_in_use():
        modes.report("eager", nbytes, reason)
    return 0


cdef void count_eager(size_t nbytes) noexcept:
    cow_stats_count_eager(nbytes)


cdef void read_figures(cow_stats *out) noexcept:
    cow_stats_read(out)


cdef void reset_figures() noexcept:
    cow_stats_reset()


cdef size_t keep_in_heap(size_t nbytes) noexcept:
    return cow_heap_keep(nbytes)


cdef cow_paging_policy use_paging(cow_paging_policy policy) noexcept:
    return cow_paging_use(policy)


cdef cow_paging_policy paging_now() noexcept:
    return cow_paging_now()


cdef void read_paging(cow_paging_figures *out) noexcept:
    cow_paging_read(out)


cdef void *heap_malloc(size_t nbytes) noexcept nogil:
    return cow_heap_malloc(nbytes)


cdef void *heap_calloc(size_t count, size_t nbytes) noexcept nogil:
    return cow_heap_calloc(count, nbytes)


cdef void *heap_realloc(void *data, size_t nbytes) noexcept nogil:
    return cow_heap_realloc(data, nbytes)


cdef void heap_free(void *data) noexcept nogil:
    cow_heap_free(data)


cdef cow_account *new_account(cow_account *above) noexcept:
    cdef cow_account *made = NULL
    return made if cow_account_new(above, &made, NULL) == COW_OK else NULL


cdef void hush_account(cow_account *account) noexcept:
    cow_account_hush(account)


cdef void drop_account(cow_account *account) noexcept:
    cow_account_drop(account)


cdef cow_account *use_account(cow_account *account) noexcept:
    return cow_account_use(account)


cdef void read_account(const cow_account *account, cow_account_figures *out) noexcept:
    cow_account_read(account, out)


cdef void read_region(void **start, size_t *nbytes) noexcept:
    cow_nowhere_region(start, nbytes)
