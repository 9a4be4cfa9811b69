"""The door of watched Storages: the check of each access, and the hooks that turn copies in meaning into aliases."""

cimport cython
from cpython.object cimport PyObject

from cowarray._array.array cimport Array, set_shadow, storage_for
from cowarray._array.copies cimport copy_as_laid
from cowarray._modes.aliasing.here cimport block_here
from cowarray._modes.simulate.regions cimport count_bytes, intersection, meet, Region, region_of_box, region_of_range
from cowarray._modes.simulate.shadows cimport Birth, catch_up, Mark, Run, Shadow, shadow_of, Watch, Write
from cowarray._modes.common.sites cimport here
from cowarray._modes.common.thread cimport this_thread
from cowarray._modes.simulate.values cimport differs, keep_values, lose_values
from cowarray._modes.simulate.writes cimport begin_comparing, new_write, note, note_export, settle, tell_readers
from cowarray._native.storage cimport (
    Access,
    C_API,
    CTYPES,
    DLPACK,
    EXPORT,
    FOREIGN,
    Intent,
    LOCATES,
    OPERATION,
    OVERWRITES,
    READS,
    SHARES,
    Storage,
    window_size,
    WRITES,
)

from cowarray._native.storage import set_doorkeeper

# The names under which accesses outside any operation are reported.
cdef dict BEHALVES = {
    OPERATION: "conversion", EXPORT: "export", CTYPES: "ctypes", DLPACK: "DLPack", C_API: "C API", FOREIGN: "ufunc",
}
cdef Py_ssize_t shadows_made = 0


@cython.final
@cython.freelist(32)
@cython.no_gc
cdef class Step:
    """A running operation."""


cdef inline bint is_about(Step step, Storage storage, Shadow s) noexcept:
    if step.storage != <void *>storage:
        return False
    return step.shadow == NULL if s.watch is None else step.shadow == <PyObject *>s


cdef int watch_access(object keeper, Storage storage, const Access *access) except -1:
    """Check an access to a watched Storage: report reads of foreign bytes, and log writes."""
    cdef Watch watch = <Watch>keeper
    cdef Step step
    cdef Intent intent = access.intent
    cdef Shadow s = watch.own if access.shadow == NULL else <Shadow>access.shadow
    cdef Region region
    cdef Write write
    cdef bint overwrites, reads_nothing, outside
    cdef Run exporting = None
    if intent == LOCATES:
        return 0
    step = this_thread().simulated
    if step is not None and step.region is not None and intent != SHARES and is_about(step, storage, s):
        region = step.region
    elif access.ndim < 0:
        region = region_of_range(0, window_size(storage))
    else:
        region = region_of_box(access.offset, access.ndim, access.dims, access.itemsize)
    if watch.exports is not None:
        settle(watch, storage, region)
    catch_up(watch, s)
    if watch.first == NULL and watch.exports is None and watch.own.marks is None and access.behalf == OPERATION:
        watch.log.clear()
        set_doorkeeper(storage, None)  # nothing is left to watch
        return 0
    if intent == SHARES or (step is not None and step.mute and is_about(step, storage, s)):
        return 0
    overwrites = intent == OVERWRITES or (
        intent == WRITES and step is not None and step.overwrites and is_about(step, storage, s)
    )
    outside = access.behalf != OPERATION and access.behalf != FOREIGN
    if outside and intent != READS:
        exporting = watch.exporting
        watch.exporting = None  # even if a report raises
    reads_nothing = overwrites or (step is not None and step.reads_nothing and intent == WRITES and (
        is_about(step, storage, s)
    ))
    if s.marks is not None and not reads_nothing:
        tell_all(watch, storage, s, step, "read" if intent == READS or outside else "write", region,
                 <str>BEHALVES[<int>access.behalf] if step is None else step.operation)
        catch_up(watch, s)
    if intent == READS:
        return 0
    site = here()
    if outside:
        note_export(watch, storage, s, region, access.itemsize if access.ndim >= 0 else 1, site, exporting)
        return 0
    if watch.exact:
        keep_values(watch, storage, s, region)
        if not reads_nothing:
            lose_values(watch, storage, s, region)
    write = new_write(watch, storage, s, region, site, overwrites)
    if step is None:
        note(write)
        tell_readers(watch, storage, write, region)
    elif step.pending is None:
        step.pending = [write]
    else:
        step.pending.append(write)
    return 0


cdef Watch watch_of(Array x):
    """Return the Watch of x's Storage, or None."""
    if x.storage_ is None or x.storage_.doorkeeper == NULL:
        return None
    keeper = <object>x.storage_.doorkeeper
    return <Watch>keeper if type(keeper) is Watch else None


cdef Watch watch_for(Storage storage):
    """Return the Watch of a Storage, made if need be; None if the Storage has another doorkeeper."""
    cdef Watch watch
    if storage.doorkeeper != NULL:
        keeper = <object>storage.doorkeeper
        return <Watch>keeper if type(keeper) is Watch else None
    watch = Watch.__new__(Watch)
    watch.door = watch_access
    set_doorkeeper(storage, watch)
    return watch


cdef int tell_all(Watch watch, Storage storage, Shadow s, Step step, str kind, Region region, str operation) except -1:
    """Report each mark that an access meets. An exception from the report stops the access."""
    cdef Mark mark
    cdef object site = None
    for mark in list(s.marks):
        if not meet(mark.region, region):
            continue
        part = intersection(mark.region, region)
        differed = differs(watch, storage, s, part)
        if step is not None and step.holds and kind == "read":
            if step.held is None:
                step.held = []
            step.held.append((mark, count_bytes(part), differed))
            continue
        if site is None:
            site = here()
        tell(mark, kind, operation, count_bytes(part), site, differed,
             0 if step is None else step.number)
    return 0


cdef int tell(Mark mark, str kind, str operation, Py_ssize_t nbytes, object site, object differed,
              long long number) except -1:
    cdef Run run = mark.birth.run
    run.relied += mark.others + (not mark.birth.relied)
    mark.others = 0
    mark.birth.relied = True
    run.record("left the library" if mark.exported else kind, operation, nbytes, mark.birth.made, mark.written, site,
               mark.birth.copied_by, differed, number)
    return 0


# ---- the hooks of the lower rooms ------------------------------------------------------------------------------------


def watches_here():
    """True if the current context is in a simulation."""
    return block_here() is not None


def watched_alias(Array view not None, str operation):
    """Give a view its own shadow and return it, for an operation that copies in meaning where NumPy returns a view.

    Return a copy if another mode has the Storage; None outside simulations.
    """
    cdef Run run = block_here()
    cdef Storage storage
    cdef Watch watch
    cdef Shadow source, made
    cdef Birth birth
    global shadows_made
    if run is None:
        return None
    storage = storage_for(view)
    watch = watch_for(storage)
    if watch is None:
        return copy_as_laid(view)  # another mode has the Storage, so nothing could be reported
    source = shadow_of(watch, view)
    birth = Birth.__new__(Birth)
    birth.made = here()
    birth.copied_by = operation
    birth.run = run
    if watch.exports is not None:
        settle(watch, storage, region_of_range(0, window_size(storage)))
        begin_comparing(watch, storage)
    catch_up(watch, source)
    made = Shadow.__new__(Shadow)
    made.birth = birth
    made.marks = None if source.marks is None else list(source.marks)
    made.values = None if source.values is None else bytearray(source.values)
    made.unknown = source.unknown
    made.seen = made.born = watch.sealed = watch.number
    shadows_made += 1
    made.number = shadows_made
    made.next = watch.first
    if watch.first != NULL:
        (<Shadow>watch.first).previous = <void *>made
    watch.first = <void *>made
    made.next_of_run = run.living
    if run.living != NULL:
        (<Shadow>run.living).previous_of_run = <void *>made
    run.living = <void *>made
    made.watch = watch
    run.watched += 1
    watch.exact |= run.exact
    set_shadow(view, <PyObject *>made)
    return view


def exported(Array x not None, bint for_reading):
    """Before an export of x that makes an alias: watch its Storage while the alias exists."""
    cdef Run run = block_here()
    cdef Watch watch = None if run is None else watch_for(storage_for(x))
    if watch is not None:
        watch.exporting = run
        watch.would_share = for_reading
