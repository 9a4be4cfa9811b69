"""Arrays without bytes: how they are made, who may access them, and whose account their bytes would be on.

A fake is an array whose Storage has the core's allocator "nowhere": addresses without bytes. Shares, lazy copies and
writes work as on any Storage, so their cost is counted. The doorkeeper is the `Origin`, one for each line of the
program that makes fakes; an access that needs a value raises a `FakeError` there. NumPy gets headers of fakes only to
read shape and strides (`locate`), or to make a view (`permit`).

One file, because the door admits exactly those accesses that the functions below it have permitted.
"""

cimport cython
cimport numpy as cnp

from cowarray._array.array cimport (
    access_to,
    Array,
    Birth,
    BORN_FRESH,
    is_array,
    is_plain,
    located_header,
    on_storage,
    shape_of,
    still,
    storage_for,
    strides_of,
)
from cowarray._array.copies cimport copy_as_laid, exports_alias
from cowarray._array.layout cimport MAXDIMS
from cowarray._c.core cimport cow_account, cow_account_figures, cow_mutable_scope
from cowarray._c.numpy cimport PyDataType_ELSIZE
from cowarray._modes.common.sites cimport here
from cowarray._modes.common.thread cimport this_thread, Thread
from cowarray._native.storage cimport (
    Access,
    become_fake,
    begin_write,
    C_API,
    count_fake_copy,
    CTYPES,
    DLPACK,
    drop_account,
    end_write,
    EXPORT,
    fake_storage,
    FOREIGN,
    hush_account,
    LOCATES,
    new_account,
    OPERATION,
    Overwrite,
    overwrite_storage,
    OVERWRITES,
    PAGED,
    pages_touched,
    read_account,
    read_region,
    SHARES,
    Storage,
    use_account,
    window_size,
    WRITES,
)
from cowarray._ops.keys cimport is_basic as is_basic_key
from cowarray._ops.keys cimport is_settled, narrow, settled
from cowarray._ops.overwriting cimport is_replaceable
from cowarray._ops.picking cimport A_FLAT_INDEX, AN_INDEX, narrow_to, new_picked, Picked, TRUE_ELEMENTS
from cowarray._ops.road cimport picked_beside

from weakref import ref

from cowarray._modes.fake.refusals import FakeError

cnp.import_array()

cdef enum:
    MOST_ENTRIES = 1024

ADVICE = "decide by shape and dtype, or compute it from real arrays"
FOREIGN_ADVICE = "compute it from real arrays: only the library's own functions take arrays without bytes"
EXPORT_ADVICE = (
    f"{FOREIGN_ADVICE}; if it is written into NumPy's array x, take that in first, by x = cowarray.fake_like(x)"
)

cdef dict BEHALVES = {
    OPERATION: "a conversion", EXPORT: "an export", CTYPES: "ctypes", DLPACK: "DLPack", C_API: "the C API",
    FOREIGN: "a ufunc that is not NumPy's",
}


@cython.final
@cython.no_gc
cdef class Permit:
    """The Storages that a running operation on fakes may touch."""


cdef class Ledger:
    """The account of one plan's fakes: bytes in total, and line by line.

    Parameters
    ----------
    notes : bool, default True
        Whether births are recorded. Without, nobody may ask for the lines' peaks or for the series.
    assumptions : Assumptions, optional
    """

    def __cinit__(self, bint notes=True, assumptions=None):
        self.notes = notes
        self.assumptions = assumptions
        self.account = new_account(NULL)
        if self.account == NULL:
            raise MemoryError("cannot allocate the account of a plan")
        self.lines = {}
        self.real = {}
        self.entries = []
        self.stride = 1

    def __dealloc__(self):
        drop_account(self.account)

    @property
    def live(self):
        """int: Bytes of the fakes that exist now."""
        return figures_of(self.account).live

    @property
    def peak(self):
        """int: The most bytes of fakes that existed at once."""
        return figures_of(self.account).peak

    @property
    def copied(self):
        """int: Bytes that would have been copied."""
        return figures_of(self.account).copied

    @property
    def series(self):
        """list of (int, int): How many births there had been, and the most live bytes since the previous entry.

        The last entry is the present state.
        """
        return [*self.entries, (self.births, max(self.crest, figures_of(self.account).live))]

    def here(self):
        """Return the `Origin` of the running line."""
        return origin_here(self)

    def add_real(self, Storage storage not None):
        """Count the bytes of a real array of the plan, for as long as it exists."""
        self.real[ref(storage, self.drop_real)] = storage.nbytes
        self.real_live += storage.nbytes
        self.real_peak = max(self.real_peak, self.real_live)

    def drop_real(self, storage):
        """Stop counting its bytes. storage: a weak reference."""
        self.real_live -= self.real.pop(storage, 0)


cdef class Origin(Keeper):
    """A line of the program that makes fakes: their doorkeeper."""

    def __dealloc__(self):
        drop_account(self.account)

    @property
    def live(self):
        """int: Bytes of this line's fakes that exist now."""
        return figures_of(self.account).live

    @property
    def copied(self):
        """int: Bytes that writes and copies at this line would have copied."""
        return figures_of(self.account).copied

    @property
    def within(self):
        """Origin: The line's origin for NumPy's own code, whose copies are NumPy's and are not counted."""
        cdef Origin inner = self.inner
        if inner is None:
            inner = Origin.__new__(Origin)
            inner.account = new_account(self.account)
            if inner.account == NULL:
                raise MemoryError("cannot allocate the account of a line")
            hush_account(inner.account)
            inner.door = refuse_values
            inner.ledger = self.ledger
            inner.site = self.site
            self.inner = inner
        return inner


cdef Origin origin_here(Ledger ledger):
    return origin_at(ledger, here())


cdef Origin origin_at(Ledger ledger, object site):
    """Return the `Origin` of a line, made on first use."""
    cdef object origin = ledger.lines.get(site)
    return new_origin(ledger, site) if origin is None else <Origin>origin


cdef size_t bytes_copied(Ledger ledger) noexcept:
    return figures_of(ledger.account).copied


cdef cow_account_figures figures_of(const cow_account *account) noexcept:
    cdef cow_account_figures figures
    read_account(account, &figures)
    return figures


cdef Origin new_origin(Ledger ledger, object site):
    cdef Origin origin = Origin.__new__(Origin)
    origin.account = new_account(ledger.account)
    if origin.account == NULL:
        raise MemoryError("cannot allocate the account of a line")
    origin.door = refuse_values
    origin.ledger = ledger
    origin.site = site
    return ledger.lines.setdefault(site, origin)


cdef int note_birth(Origin by, size_t nbytes=0) except -1:
    """Record a birth at a line and, at a new peak, the live bytes of each line."""
    cdef Ledger ledger = by.ledger
    cdef size_t live = figures_of(ledger.account).live
    cdef Origin origin
    ledger.births += 1
    ledger.largest = max(ledger.largest, nbytes)
    if not ledger.notes:
        return 0
    if live > ledger.noted:
        ledger.noted = live
        ledger.peak_site = by.site
        for line in ledger.lines.values():
            origin = line
            origin.at_peak = figures_of(origin.account).live
    ledger.crest = max(ledger.crest, live)
    if ledger.births % ledger.stride == 0:
        ledger.entries.append((ledger.births, ledger.crest))
        ledger.crest = 0
        if len(ledger.entries) == MOST_ENTRIES:
            ledger.entries = [
                (later[0], max(earlier[1], later[1]))
                for earlier, later in zip(ledger.entries[::2], ledger.entries[1::2])
            ]
            ledger.stride *= 2
    return 0


# ---- the door --------------------------------------------------------------------------------------------------------


cdef int refuse_values(object keeper, Storage storage, const Access *access) except -1:
    cdef Permit allowed
    if access.intent == LOCATES or access.intent == SHARES:
        return 0
    allowed = this_thread().faked
    if allowed is not None and (
        allowed.storage is storage or (allowed.others is not None and storage in allowed.others)
    ):
        return 0
    site = (<Origin>keeper).site
    operation = BEHALVES[<int>access.behalf] if allowed is None or allowed.operation is None else allowed.operation
    if access.intent == WRITES or access.intent == OVERWRITES:
        raise FakeError(operation, "whoever writes there needs bytes", site)
    advice = ADVICE if access.behalf == OPERATION else EXPORT_ADVICE if access.behalf == EXPORT else FOREIGN_ADVICE
    raise FakeError(operation, "a value is needed", site, advice)


def permit(str operation, list arrays, function, tuple args, dict kwargs, /):
    """Call a function that makes views: it gets headers of the arrays, and touches no elements.

    Parameters
    ----------
    operation : str
    arrays : list of ndarray
        The arrays whose headers may be made.
    function : callable
    args : tuple
    kwargs : dict
    """
    cdef Permit allowed = Permit.__new__(Permit)
    cdef Thread thread = this_thread()
    cdef object before = thread.faked
    allowed.operation = operation
    allowed.others = [storage_for(<Array?>x) for x in arrays]
    thread.faked = allowed
    try:
        return function(*args, **kwargs)
    finally:
        thread.faked = before


def during(str operation, function, tuple args, dict kwargs, /):
    """Call a function on behalf of an operation, which a `FakeError` then names."""
    return permit(operation, [], function, args, kwargs)


def locate(Array x not None, /):
    """Return a header of an array, from which to read shape, dtype and strides, but no elements."""
    return located_header(still(x))


# ---- births and writes -----------------------------------------------------------------------------------------------


cdef inline bint fake_array(Array x) noexcept:
    return x.storage_ is not None and x.storage_.is_fake


def is_fake(x, /):
    """True if x is an array without bytes."""
    return is_array(x) and fake_array(<Array>x)


def is_standard(values, /):
    """True if any value, or item of lists and tuples there, is an array of the array API standard."""
    for value in values:
        if is_array(value):
            if (<Array>value).standard:
                return True
        elif isinstance(value, (list, tuple)) and is_standard(value):
            return True
    return False


def first_fake(values, /):
    """Return the first array without bytes among values, or in lists, tuples and dicts there; or None."""
    return find_fake(values, 0)


cdef object find_fake(object values, int depth):
    for value in values:
        if is_array(value):
            if fake_array(<Array>value):
                return value
        elif isinstance(value, (list, tuple, dict)) and depth < MAXDIMS:
            found = find_fake((<dict>value).values() if isinstance(value, dict) else value, depth + 1)
            if found is not None:
                return found
    return None


def origin_of(Array x not None, /):
    """Return the `Origin` of an array without bytes."""
    if not fake_array(x):
        raise ValueError("this array has bytes")
    return <object>x.storage_.doorkeeper


def make(
    Origin origin not None, tuple shape, cnp.dtype dtype, tuple strides, bint writeable=True, *, bint mapped=False
):
    """Make an array without bytes.

    Parameters
    ----------
    origin : Origin
    shape : tuple of int
    dtype : dtype
    strides : tuple of int
        In bytes, and not negative: elements lie densely, from the first on.
    writeable : bool
    mapped : bool
        Whether its bytes would be in a file, and take no memory.

    Returns
    -------
    ndarray
    """
    cdef cnp.npy_intp dims[MAXDIMS]
    cdef cnp.npy_intp steps[MAXDIMS]
    cdef cnp.npy_intp nbytes = PyDataType_ELSIZE(dtype)
    cdef int i
    cdef int nd = <int>len(shape)
    cdef cow_account *before
    cdef Storage storage
    for i in range(nd):
        dims[i] = shape[i]
        steps[i] = strides[i]
        if steps[i] != 0 or dims[i] == 0:
            nbytes *= dims[i]
    before = use_account(NULL if mapped else origin.account)
    try:
        storage = fake_storage(nbytes, origin)
    finally:
        use_account(before)
    storage.never_shared = not is_plain(dtype)
    note_birth(origin, nbytes)
    return on_storage(storage, 0, nd, dims, steps, dtype, writeable, BORN_FRESH)


cdef Array make_like(Origin origin, Array place, size_t nbytes):
    """Make an array without bytes that lies as another does, in a Storage of `nbytes` bytes."""
    cdef cow_account *before = use_account(origin.account)
    cdef Array made
    cdef Storage storage
    try:
        storage = fake_storage(nbytes, origin)
    finally:
        use_account(before)
    storage.never_shared = not is_plain(place.descr)
    note_birth(origin, nbytes)
    made = on_storage(storage, place.offset, place.nd, shape_of(place), strides_of(place), place.descr, place.writeable,
                      BORN_FRESH)
    made.standard = place.standard
    return made


def twin(Array x not None, Origin origin not None, dict known, /):
    """Return a fake with an array's shape, dtype, strides and writeable flag; twins alias if their originals do.

    Parameters
    ----------
    x : ndarray
    origin : Origin
    known : dict
        By Storage, the Storages of the twins so far; the new one is added.
    """
    cdef cow_account *before
    cdef Storage source = storage_for(x)
    cdef Storage storage = known.get(source)
    if storage is None:
        before = use_account(origin.account)
        try:
            storage = known[source] = fake_storage(window_size(source), origin)
        finally:
            use_account(before)
        storage.never_shared = not is_plain(x.descr)
        note_birth(origin, window_size(storage))
    return on_storage(storage, x.offset, x.nd, shape_of(x), strides_of(x), x.descr, x.writeable, <Birth>x.birth)


def forget(Array x not None, Origin origin not None, /):
    """Drop an array's bytes, in place and for all its views: it becomes a fake.

    Raises
    ------
    BufferError
        A pointer to its bytes has been exported.
    """
    cdef cow_account *before
    if fake_array(x):
        return
    before = use_account(origin.account)
    try:
        become_fake(storage_for(x), origin)
    finally:
        use_account(before)
    note_birth(origin, window_size(x.storage_))


def picked_by(Array x not None, str operation not None, function, tuple args, dict kwargs, /):
    """Return what picks the elements of x that an operation writes; None if it writes all of x, or nobody knows.

    Parameters
    ----------
    x : ndarray
    operation : str
    function : callable
        Does the operation as usual.
    args : tuple
    kwargs : dict
    """
    cdef Picked picked = None
    if operation == "flatiter.__setitem__":
        return new_picked(A_FLAT_INDEX, settled(args[1], True))
    method = getattr(function, "method_name", None)
    if method == "at" and (is_settled(args[1]) or type(args[1]) is list):
        picked = new_picked(AN_INDEX, args[1])
    elif method == "__call__" and "where" in kwargs:
        picked = new_picked(TRUE_ELEMENTS, kwargs["where"])
    return picked_beside(function, picked, x, args, kwargs)


def write(Array x not None, bint whole, bint text, Origin origin not None, str operation=None, key=...,
          Picked picked=None):
    """Account for a write to an array without bytes, which gets its own bytes, copied or not.

    Parameters
    ----------
    x : ndarray
    whole : bool
        Whether all of x gets values that do not depend on the old ones.
    text : bool
        Whether the writer fills the unused rest of a text.
    origin : Origin
        The line that writes.
    operation : str, optional
    key : object, optional
        A settled index of the part of x that is written. Elements of fakes in it are not read.
    picked : Picked, optional
        The same for a write without an index, from `picked_by`.
    """
    cdef cow_mutable_scope scope
    cdef cnp.npy_intp box[2 * MAXDIMS]
    cdef Access access
    cdef Permit allowed = Permit.__new__(Permit)
    cdef cow_account *account
    cdef Thread thread = this_thread()
    cdef object before = thread.faked
    cdef Array whose = still(x)
    cdef Overwrite overwrite
    if not x.writeable:
        raise ValueError("assignment destination is read-only")
    allowed.operation = operation
    allowed.storage = whose.storage_
    account = use_account(origin.account)
    thread.faked = allowed
    try:
        if whole and is_replaceable(whose, text):
            access = access_to(whose, OVERWRITES, OPERATION)
            overwrite = overwrite_storage(whose.storage_, &access)
            if not overwrite.in_place():
                overwrite.commit()
        else:
            access = access_to(whose, WRITES, OPERATION)
            if picked is None:
                narrow(&access, box, whose, key, key)
            elif window_size(whose.storage_) >= PAGED:
                narrow_to(&access, box, whose, picked)
            begin_write(whose.storage_, &access, &scope)
            end_write(&scope)
    finally:
        thread.faked = before
        use_account(account)
    if origin.ledger.written is not None:
        origin.ledger.written[whose.storage_] = (
            origin.ledger.written.get(whose.storage_, 0) + pages_touched(whose.storage_, &access)
        )
    note_birth(origin)


def as_laid(Array x not None, Origin origin not None, /):
    """Return a copy in meaning of a fake, laid out as NumPy's alias would be; x itself where copies are aliases."""
    cdef cow_account *before
    if exports_alias():
        return x
    before = use_account(origin.account)
    try:
        result = copy_as_laid(x)
    finally:
        use_account(before)
    note_birth(origin)
    return result


def copying(Origin origin not None, function, tuple args, dict kwargs, /):
    """Call a function that copies an array without bytes: bytes copied at once are on the line's account."""
    cdef cow_account *before = use_account(origin.account)
    try:
        result = function(*args, **kwargs)
    finally:
        use_account(before)
    note_birth(origin)
    return result


def count_copy(Origin origin not None, size_t nbytes, /):
    """Count bytes that an operation copies at once."""
    cdef cow_account *before = use_account(origin.account)
    count_fake_copy(nbytes)
    use_account(before)


def settle_key(key, /):
    """Return an index in plain integers, slices, arrays and names, and whether it makes a view."""
    key = settled(key)
    return key, is_basic_key(key)


def region():
    """Return the address range of fakes: its start and size. For tests, which check that nobody touches it."""
    cdef void *start
    cdef size_t nbytes
    read_region(&start, &nbytes)
    return <size_t>start, nbytes
