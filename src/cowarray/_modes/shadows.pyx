"""Who wrote which bytes, where copies in meaning are aliases: the engine of `cowarray.simulate`.

A copy in meaning that NumPy makes no copy for is, here, a view with a `Shadow`, which stands for the Storage it would
have had. The Storage gets a `Watch`, its doorkeeper, so that every access passes. Were the copies made, a write through
one shadow would not be seen through another: its bytes become *foreign* to each other shadow. Reading a foreign byte is
a finding. Overwriting one makes it the writer's own; changing it in place does not.

Writes are numbered, and noted once with the Storage (`Watch.log`). A shadow takes note of others' writes when it is
used next (`catch_up`), so a write costs the same however many shadows there are; and if the numbers agree, nothing
has happened. What is foreign to it, and who wrote that where, a shadow has as `Mark`s. A new shadow begins with its
source's marks; a real copy has them carried over element by element (`carry`).

What an operation writes is noted when the operation has ended (`Step`), for NumPy reads all its operands first.

All of it runs under the GIL, which importing this module turns on where there was none.
"""

import numpy as np

cimport cython
cimport numpy as cnp
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF
from libc.string cimport memcmp, memcpy

from cowarray._array.array cimport Array, BORN_VIEW, is_array, itemsize_of, set_shadow, size_of, storage_for
from cowarray._array.layout cimport is_c_ordered, is_f_ordered
from cowarray._c.frames cimport (
    file_of,
    get_current,
    PyEval_GetFrame,
    PyFrame_GetBack,
    PyFrame_GetLineNumber,
    PyFrameObject,
    set_current,
)
from cowarray._modes.regions cimport (
    count_bytes,
    difference,
    first_behind,
    intersection,
    is_within,
    meet,
    Region,
    region_of_box,
    region_of_range,
    union_of,
)
from cowarray._native.storage cimport (
    Access,
    C_API,
    CTYPES,
    DLPACK,
    EXPORT,
    FOREIGN,
    Hold,
    Intent,
    is_pinned,
    LOCATES,
    OPERATION,
    OVERWRITES,
    quiet_hold,
    READS,
    set_quick_keeper,
    SHARES,
    Storage,
    window_size,
    WRITES,
)
from cowarray._ops.indexing cimport find_place, is_basic, is_same_place, Place, place_of, settled, shown_key

import os
from contextvars import ContextVar

from cowarray._modes.divergences import Site
from cowarray._native.storage import set_doorkeeper
from cowarray._ops import table

cnp.import_array()

cdef enum:
    MOST_MARKS = 64  # of a shadow; the oldest become one
    MOST_NOTED = 4096  # writes that somebody has not taken note of; then those of one line become one
    MOST_NOTED_RANGES = 1 << 17  # of bytes, in all of these
    MOST_PICKED = 1 << 22  # elements of an array of which an index's are counted one by one


# ---- lines of the program --------------------------------------------------------------------------------------------

cdef tuple inner_folders = (
    os.path.dirname(os.path.dirname(__file__)) + os.sep,
    os.path.dirname(np.__file__) + os.sep,
    os.path.join(os.path.dirname(os.__file__), "copy.py"),
    "<frozen ",
)
cdef dict is_inner = {}  # by file
cdef dict sites = {}  # by file and line: each is one object
cdef object nowhere = Site("<unknown>", 0)


cdef object here():
    """The line of the innermost frame that is neither this library's nor NumPy's."""
    cdef PyFrameObject *frame = PyEval_GetFrame()
    cdef PyFrameObject *back
    cdef bint owned = False
    cdef object name
    while frame != NULL:
        name = file_of(frame)
        inner = is_inner.get(name)
        if inner is None:
            inner = is_inner[name] = name.startswith(inner_folders)
        if not inner:
            key = (name, PyFrame_GetLineNumber(frame))
            if owned:
                Py_DECREF(<object>frame)
            site = sites.get(key)
            if site is None:
                site = sites[key] = Site(*key)
            return site
        back = PyFrame_GetBack(frame)
        if owned:
            Py_DECREF(<object>frame)
        frame = back
        owned = True
    return nowhere


# ---- what is known of writes and copies ------------------------------------------------------------------------------


@cython.final
cdef class Run:
    """What one simulation counts, and whom it tells.

    Parameters
    ----------
    record : callable
        Called with each finding: kind, operation, bytes, the three sites, the operation that copies, whether the values
        differed, and the number of the step that accessed. What it raises stops the access.
    exact : bool
        Whether to keep what the values would be, and compare.
    """

    cdef object record
    cdef readonly bint exact
    cdef readonly Py_ssize_t watched  # copies in meaning that became aliases
    cdef Py_ssize_t relied
    cdef Py_ssize_t written  # of those that have ended
    cdef void *living  # its Shadows, borrowed

    def __cinit__(self, record, bint exact):
        self.record = record
        self.exact = exact

    @property
    def relied_upon(self):
        return min(self.relied, self.watched)

    @property
    def never_written(self):
        cdef Py_ssize_t written = self.written
        cdef void *shadow = self.living
        while shadow != NULL:
            written += was_written(<Shadow>shadow)
            shadow = (<Shadow>shadow).next_of_run
        return self.watched - written


@cython.final
@cython.freelist(32)
@cython.no_gc
cdef class Birth:
    """Where a copy in meaning became an alias."""

    cdef object made
    cdef str copied_by
    cdef Run run
    cdef bint relied
    cdef bint wrote  # and it is counted as written


@cython.final
@cython.freelist(32)
@cython.no_gc
cdef class Mark:
    """Bytes that one line wrote, foreign to whose mark it is; and the copy in meaning that lies between."""

    cdef Region region
    cdef object written
    cdef Birth birth
    cdef Py_ssize_t others  # copies made at the same line that the mark also stands for
    cdef bint exported


cdef Mark new_mark(Region region, object written, Birth birth, Py_ssize_t others, bint exported):
    cdef Mark mark = Mark.__new__(Mark)
    mark.region = region
    mark.written = written
    mark.birth = birth
    mark.others = others
    mark.exported = exported
    return mark


@cython.final
@cython.freelist(32)
@cython.no_gc
cdef class Write:
    """A write to a Storage: by which shadow, and where; in the log, or about to be."""

    cdef Watch watch
    cdef Write before  # of those that wait for memory
    cdef Storage storage  # until it is in the log, as `shadow`
    cdef Shadow shadow  # the writer; None where that has ended
    cdef long long number
    cdef Py_ssize_t writer  # -1: several
    cdef Birth birth  # the writer's
    cdef Region region
    cdef object site
    cdef bint exported
    cdef bint overwrites


@cython.final
@cython.freelist(64)
@cython.no_gc
cdef class Shadow:
    """Stands for the Storage that an alias would have, were it the copy that it is in meaning."""

    cdef Watch watch  # None of a Watch's own, which stands for the Storage itself
    cdef Birth birth  # None of that one
    cdef Py_ssize_t number  # in the order in which they were made, from 1; 0 of a Storage's own
    cdef long long seen  # the last write of which it has taken note
    cdef long long born
    cdef bint wrote
    cdef list marks  # None, or what is foreign to it; newer last
    cdef object values  # of a run that is exact: the window's bytes as they would be, where they are foreign; or None
    cdef Region unknown  # where that is not known any more
    cdef void *next
    cdef void *previous
    cdef void *next_of_run
    cdef void *previous_of_run

    def __dealloc__(self):
        cdef Run run
        if self.watch is None:
            return
        if self.previous != NULL:
            (<Shadow>self.previous).next = self.next
        else:
            self.watch.first = self.next
        if self.next != NULL:
            (<Shadow>self.next).previous = self.previous
        run = self.birth.run
        if was_written(self):
            self.birth.wrote = True
            run.written += 1
        if self.previous_of_run != NULL:
            (<Shadow>self.previous_of_run).next_of_run = self.next_of_run
        else:
            run.living = self.next_of_run
        if self.next_of_run != NULL:
            (<Shadow>self.next_of_run).previous_of_run = self.previous_of_run


cdef inline bint was_written(Shadow s) noexcept:
    return s.wrote or s.watch.number > s.born


@cython.final
@cython.no_gc
cdef class Export:
    """An alias that went out: whoever has it may write at any time, and what they wrote is seen by comparing."""

    cdef Py_ssize_t writer
    cdef Birth birth
    cdef Region region
    cdef Py_ssize_t itemsize
    cdef object site
    cdef object saved  # the bytes from `start` on, as they were when last looked at; None as long as no shadow is there
    cdef Py_ssize_t start


# What accesses outside of any operation are reported as.
cdef dict BEHALVES = {
    OPERATION: "conversion", EXPORT: "export", CTYPES: "ctypes", DLPACK: "DLPack", C_API: "C API", FOREIGN: "ufunc",
}
cdef Py_ssize_t shadows_made = 0
cdef long long steps_made = 0


@cython.final
@cython.freelist(32)
@cython.no_gc
cdef class Step:
    """An operation under way."""

    cdef str operation
    cdef long long number
    cdef list pending  # what it writes, to be noted when it has ended
    # Of the array that it is about, borrowed: its Storage, its Shadow or NULL, and what is known better than the door.
    cdef void *storage
    cdef PyObject *shadow
    cdef Region region  # the bytes it touches, where an index picks them
    cdef bint reads_nothing  # of that array, whatever it says at the door
    cdef bint overwrites  # and gives all of its bytes there new values
    cdef bint mute  # it changes nothing: the end of x[key] += 1
    cdef bint holds  # findings wait, for they are none if it gives a view, or a copy, which gets the marks
    cdef list held  # (mark, bytes, differed)


cdef inline bint is_about(Step step, Storage storage, Shadow s) noexcept:
    if step.storage != <void *>storage:
        return False
    return step.shadow == NULL if s.watch is None else step.shadow == <PyObject *>s


# ---- a Storage's doorkeeper ------------------------------------------------------------------------------------------


@cython.final
@cython.no_gc
cdef class Watch:
    """Asked at each access to a Storage of which there are, or were, copies in meaning that are aliases."""

    cdef Shadow own
    cdef long long number  # of the last write
    cdef list log  # of Writes; each number is greater than the one before
    cdef Write waiting  # the last of those for which there was no memory in the log, or None
    cdef Py_ssize_t ranges  # of bytes, that have come to the log since it was last shortened
    cdef void *first  # a chain of Shadows that are in use, borrowed
    cdef list exports  # or None
    cdef long long sealed  # the last write that others than its writer have taken note of
    cdef bint exact

    def __cinit__(self):
        self.own = Shadow.__new__(Shadow)
        self.log = []

    cdef int asked(self, Storage storage, const Access *access) except -1:
        cdef Step step = None
        cdef Intent intent = access.intent
        cdef Shadow s = self.own if access.shadow == NULL else <Shadow>access.shadow
        cdef Region region
        cdef Write write
        cdef bint overwrites, reads_nothing, outside
        if intent == LOCATES:
            return 0
        if get_current() != NULL:
            step = <Step>get_current()
        if step is not None and step.region is not None and intent != SHARES and is_about(step, storage, s):
            region = step.region
        elif access.ndim < 0:
            region = region_of_range(0, window_size(storage))
        else:
            region = region_of_box(access.offset, access.ndim, access.dims, access.itemsize)
        if self.exports is not None:
            settle(self, storage, region)
        catch_up(self, s)
        if self.first == NULL and self.exports is None and self.own.marks is None and access.behalf == OPERATION:
            self.log.clear()
            set_doorkeeper(storage, None)  # nothing is left to watch
            return 0
        if intent == SHARES or (step is not None and step.mute and is_about(step, storage, s)):
            return 0
        overwrites = intent == OVERWRITES or (
            intent == WRITES and step is not None and step.overwrites and is_about(step, storage, s)
        )
        outside = access.behalf != OPERATION and access.behalf != FOREIGN
        reads_nothing = overwrites or (step is not None and step.reads_nothing and intent == WRITES and (
            is_about(step, storage, s)
        ))
        if s.marks is not None and not reads_nothing:
            tell_all(self, storage, s, step, "read" if intent == READS or outside else "write", region,
                     <str>BEHALVES[<int>access.behalf] if step is None else step.operation)
            catch_up(self, s)
        if intent == READS:
            return 0
        site = here()
        if outside:
            note_export(self, storage, s, region, access.itemsize if access.ndim >= 0 else 1, site)
            return 0
        if self.exact:
            keep_values(self, storage, s, region)
            if not reads_nothing:
                lose_values(self, storage, s, region)
        write = new_write(self, storage, s, region, site, overwrites)
        if step is None:
            note(write)
        elif step.pending is None:
            step.pending = [write]
        else:
            step.pending.append(write)
        return 0


cdef int asked(object keeper, Storage storage, const Access *access) except -1:
    return (<Watch>keeper).asked(storage, access)


cdef Watch watch_of(Array x):
    """The Watch of x's Storage; None where it has none."""
    if x.storage_ is None or x.storage_.doorkeeper == NULL:
        return None
    keeper = <object>x.storage_.doorkeeper
    return <Watch>keeper if type(keeper) is Watch else None


cdef Watch watch_for(Storage storage):
    """The Watch of a Storage, which gets one; None where somebody else is asked there."""
    cdef Watch watch
    if storage.doorkeeper != NULL:
        keeper = <object>storage.doorkeeper
        return <Watch>keeper if type(keeper) is Watch else None
    watch = Watch.__new__(Watch)
    set_doorkeeper(storage, watch)
    return watch


cdef inline Shadow shadow_of(Watch watch, Array x):
    return watch.own if x.shadow == NULL else <Shadow>x.shadow


# ---- writes are noted, and shadows take note -------------------------------------------------------------------------


cdef Write new_write(Watch watch, Storage storage, Shadow s, Region region, object site, bint overwrites):
    cdef Write write = Write.__new__(Write)
    write.watch = watch
    write.storage = storage
    write.shadow = s
    write.writer = s.number
    write.birth = s.birth
    write.region = region
    write.site = site
    write.overwrites = overwrites
    return write


cdef int note(Write write) except -1:
    """The bytes have been written, which nothing undoes: without memory for the log, the write waits outside it."""
    cdef Watch watch = write.watch
    cdef Storage storage = write.storage
    cdef Shadow s = write.shadow
    write.storage = None
    write.shadow = None
    write.watch = None
    if write.region.n == 0:
        return 0
    try:
        if s is not None:
            s.wrote = True
            catch_up(watch, s)
            if write.overwrites and not write.region.is_coarse:  # else not all of its bytes have been written
                make_own(s, write.region)
        if watch.exports is not None and not write.exported:
            save_exports(watch, storage, write.region)
    except MemoryError:
        pass  # more stays foreign, and is reported, than need be
    watch.number += 1
    write.number = watch.number
    try:
        log_waiting(watch)
        log(watch, write)
    except MemoryError:
        write.before = watch.waiting
        watch.waiting = write
    return 0


cdef int log_waiting(Watch watch) except -1:
    """Log the writes for which there was no memory; the last is the first that they are found by."""
    cdef Write write
    while watch.waiting is not None:
        write = watch.waiting
        while write.before is not None and write.before.before is not None:
            write = write.before
        if write.before is None:
            log(watch, write)
            watch.waiting = None
        else:
            log(watch, write.before)
            write.before = None
    return 0


cdef int log(Watch watch, Write write) except -1:
    cdef Write last = <Write>watch.log[len(watch.log) - 1] if watch.log else None
    if (
        last is not None and last.number > watch.sealed and last.writer == write.writer and last.site is write.site
        and last.exported == write.exported
    ):
        last.region = union_of(last.region, write.region)
        last.number = write.number
    else:
        if len(watch.log) >= MOST_NOTED or watch.ranges > MOST_NOTED_RANGES:
            shorten(watch)
        watch.log.append(write)
        watch.ranges += write.region.n
    return 0


cdef Shadow find_shadow(Watch watch, Py_ssize_t number):
    cdef void *shadow = watch.first
    if number == 0:
        return watch.own
    while shadow != NULL:
        if (<Shadow>shadow).number == number:
            return <Shadow>shadow
        shadow = (<Shadow>shadow).next
    return None


cdef int shorten(Watch watch) except -1:
    """Forget what everybody has taken note of; of the rest, make the writes of one line one."""
    cdef long long least = watch.own.seen
    cdef void *shadow = watch.first
    cdef list kept = []
    cdef dict by_line = {}
    cdef Write write, joined
    while shadow != NULL:
        least = min(least, (<Shadow>shadow).seen)
        shadow = (<Shadow>shadow).next
    for write in watch.log:
        if write.number > least:
            kept.append(write)
    if len(kept) > MOST_NOTED // 2 or watch.ranges > MOST_NOTED_RANGES:
        for write in kept:
            key = (write.site, None if write.birth is None else write.birth.made, write.exported)
            joined = by_line.get(key)
            if joined is None:
                by_line[key] = write
            else:
                joined.region = union_of(joined.region, write.region)
                joined.number = write.number
                if joined.writer != write.writer:
                    joined.writer = -1
        kept = sorted(by_line.values(), key=number_of)
    watch.log = kept
    watch.ranges = 0
    watch.sealed = watch.number
    return 0


def number_of(Write write):
    return write.number


cdef int catch_up(Watch watch, Shadow s) except -1:
    """Let a shadow take note of what others have written since it last did."""
    cdef Py_ssize_t low = 0, high, middle
    cdef list log
    cdef Write write
    if s.seen == watch.number:
        return 0
    log_waiting(watch)
    log = watch.log
    high = len(log)
    while low < high:
        middle = (low + high) // 2
        if (<Write>log[middle]).number > s.seen:
            high = middle
        else:
            low = middle + 1
    while low < len(log):
        write = <Write>log[low]
        if write.writer != s.number:
            s.marks = with_mark(s.marks, write.region, write.site, later(write.birth, write.writer, s), write.exported)
            if write.number > watch.sealed:
                watch.sealed = write.number
        s.seen = write.number
        low += 1
    s.seen = watch.number
    return 0


cdef Birth later(Birth birth, Py_ssize_t number, Shadow s):
    """The copy in meaning that lies between a writer and a shadow: the younger of the two."""
    return s.birth if birth is None or (s.birth is not None and s.number > number) else birth


cdef list with_mark(list marks, Region region, object written, Birth birth, bint exported):
    """Marks, and one more: of each byte the last write counts."""
    cdef list made = []
    cdef Mark mark
    cdef Py_ssize_t others = 0
    cdef Region whole = region
    for mark in marks or ():
        if mark.written is written and mark.birth.made is birth.made and mark.birth.run is birth.run and (
            mark.exported == exported
        ):
            whole = union_of(mark.region, whole)
            others += mark.others + (mark.birth is not birth)
            continue
        rest = difference(mark.region, region)
        if rest is mark.region:
            made.append(mark)
        elif (<Region>rest).n:
            made.append(new_mark(rest, mark.written, mark.birth, mark.others, mark.exported))
    made.append(new_mark(whole, written, birth, others, exported))
    if len(made) > MOST_MARKS:
        mark = <Mark>made[1]
        made[:2] = [new_mark(union_of((<Mark>made[0]).region, mark.region), mark.written, mark.birth,
                             mark.others, mark.exported)]
    return made


cdef int make_own(Shadow s, Region region) except -1:
    """A shadow has overwritten bytes: they are foreign to it no longer."""
    cdef list made
    cdef Mark mark
    if s.marks is None:
        return 0
    made = []
    for mark in s.marks:
        rest = difference(mark.region, region)
        if rest is mark.region:
            made.append(mark)
        elif (<Region>rest).n:
            made.append(new_mark(rest, mark.written, mark.birth, mark.others, mark.exported))
    s.marks = made or None
    if s.unknown is not None:
        s.unknown = difference(s.unknown, region)
    return 0


# ---- findings --------------------------------------------------------------------------------------------------------


cdef int tell_all(Watch watch, Storage storage, Shadow s, Step step, str kind, Region region, str operation) except -1:
    """Report each mark that an access meets. What the report raises stops the access."""
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


# ---- what the values would be ----------------------------------------------------------------------------------------


cdef object differs(Watch watch, Storage storage, Shadow s, Region part):
    """Whether bytes are others than a copy's; None where nobody asked to know."""
    cdef Hold hold
    cdef const unsigned char[::1] values
    cdef Py_ssize_t i, start
    if not watch.exact:
        return None
    if s.values is None or (s.unknown is not None and meet(s.unknown, part)):
        return True
    hold = quiet_hold(storage)
    values = s.values
    for i in range(part.n):
        start = part.ends[2 * i]
        if memcmp(<const char *>hold.scope.data + start, &values[start], part.ends[2 * i + 1] - start) != 0:
            return True
    return False


cdef int keep_values(Watch watch, Storage storage, Shadow writer, Region region) except -1:
    """Before a write: keep the bytes as they will still be for the other shadows. A gap."""
    cdef void *shadow = watch.first
    cdef Shadow each  # owned: the collector may run meanwhile, and end arrays
    if writer is not watch.own:
        keep_values_of(watch, storage, watch.own, region)
    while shadow != NULL:
        each = <Shadow>shadow
        if each is not writer:
            keep_values_of(watch, storage, each, region)
        shadow = each.next
    return 0


cdef int keep_values_of(Watch watch, Storage storage, Shadow s, Region region) except -1:
    cdef Mark mark
    catch_up(watch, s)
    for mark in s.marks or ():
        region = difference(region, mark.region)
    if s.values is None:
        s.values = bytearray(window_size(storage))
    save(storage, s.values, 0, region)
    return 0


cdef int save(Storage storage, object values, Py_ssize_t first, Region region) except -1:
    """Copy bytes of a Storage to a bytearray that begins at byte `first` of the window."""
    cdef Hold hold = quiet_hold(storage)
    cdef unsigned char[::1] target = values
    cdef Py_ssize_t i, start
    for i in range(region.n):
        start = region.ends[2 * i]
        memcpy(&target[start - first], <const char *>hold.scope.data + start, region.ends[2 * i + 1] - start)
    return 0


cdef int lose_values(Watch watch, Storage storage, Shadow s, Region region) except -1:
    """Before foreign bytes are changed in place: where they are as they would be, so are the new ones."""
    cdef list made = []
    cdef Mark mark
    cdef Region part, equal
    for mark in s.marks or ():
        part = intersection(mark.region, region)
        if part.n == 0:
            made.append(mark)
            continue
        equal = equal_part(storage, s, part)
        lost = difference(part, equal)
        s.unknown = lost if s.unknown is None else union_of(s.unknown, lost)
        rest = difference(mark.region, equal)
        if (<Region>rest).n:
            made.append(new_mark(rest, mark.written, mark.birth, mark.others, mark.exported))
    s.marks = made or None
    return 0


cdef Region equal_part(Storage storage, Shadow s, Region part):
    """The ranges of a region where the bytes are those of a copy."""
    cdef list ranges = []
    if s.values is None:
        return Region()
    hold = quiet_hold(storage)
    for start, stop in differing(<const char *>hold.scope.data, s.values, 0, part):
        ranges.append((start, stop))
    equal = difference(part, Region(ranges))
    if s.unknown is not None:
        equal = difference(equal, s.unknown)
    return Region() if (<Region>equal).is_coarse else equal


cdef list differing(const char *data, object saved, Py_ssize_t first, Region region):
    """Ranges of a region in which bytes differ from those saved, of which the first is byte `first` of the window."""
    cdef const unsigned char[::1] values = saved
    cdef list ranges = []
    cdef Py_ssize_t i, at, stop, begun
    for i in range(region.n):
        at = region.ends[2 * i]
        stop = region.ends[2 * i + 1]
        if memcmp(data + at, &values[at - first], stop - at) == 0:
            continue
        begun = -1
        while at < stop:
            if (<const unsigned char *>data)[at] != values[at - first]:
                if begun < 0:
                    begun = at
            elif begun >= 0:
                ranges.append((begun, at))
                begun = -1
            at += 1
        if begun >= 0:
            ranges.append((begun, stop))
    return ranges


# ---- what went out ---------------------------------------------------------------------------------------------------


cdef int note_export(Watch watch, Storage storage, Shadow s, Region region, Py_ssize_t itemsize,
                     object site) except -1:
    """Somebody outside gets an alias of bytes: a writer until all of them have been released."""
    cdef Export export
    for export in watch.exports or ():
        if export.writer == s.number and is_within(region, export.region):
            export.site = site
            return 0
    export = Export.__new__(Export)
    export.writer = s.number
    export.birth = s.birth
    export.region = region
    export.itemsize = itemsize
    export.site = site
    if watch.exports is None:
        watch.exports = []
    watch.exports.append(export)
    if watch.first != NULL or watch.own.marks is not None:
        begin_comparing(watch, storage)
    return 0


cdef int begin_comparing(Watch watch, Storage storage) except -1:
    """From here on, what is written outside is seen."""
    cdef Export export
    for export in watch.exports or ():
        if export.saved is None and export.region.n:
            export.start = export.region.ends[0]
            saved = bytearray(export.region.ends[2 * export.region.n - 1] - export.start)
            save(storage, saved, export.start, export.region)
            export.saved = saved
    return 0


cdef int save_exports(Watch watch, Storage storage, Region region) except -1:
    """Bytes have been written inside the library: they are no export's."""
    cdef Export export
    for export in watch.exports:
        if export.saved is not None and meet(export.region, region):
            save(storage, export.saved, export.start, intersection(export.region, region))
    return 0


cdef int settle(Watch watch, Storage storage, Region region) except -1:
    """Note what has been written outside, to a region at least. Exports that have been released end."""
    cdef Export export
    cdef Write write
    cdef Region changed
    cdef Shadow writer
    cdef bint over = not is_pinned(storage)
    cdef Hold hold = quiet_hold(storage)
    for export in watch.exports:
        if export.saved is None or not (over or meet(export.region, region)):
            continue
        part = export.region if over else intersection(export.region, region)
        ranges = differing(<const char *>hold.scope.data, export.saved, export.start, part)
        if not ranges:
            continue
        changed = intersection(whole_elements(export, ranges), part)
        writer = find_shadow(watch, export.writer)
        if writer is None and export.birth is not None and not export.birth.wrote:
            export.birth.wrote = True
            export.birth.run.written += 1
        if watch.exact:
            keep_saved(watch, storage, export, changed)
        write = new_write(watch, storage, watch.own if writer is None else writer, changed, export.site, True)
        write.shadow = writer
        write.writer = export.writer
        write.birth = export.birth
        write.exported = True
        note(write)
        save(storage, export.saved, export.start, changed)
    if over:
        watch.exports = None
    return 0


cdef Region whole_elements(Export export, list ranges):
    """The elements of an export that have a byte in ranges: they were written as a whole."""
    cdef Py_ssize_t i, first, start, stop
    cdef list whole = []
    for start, stop in ranges:
        i = first_behind(export.region, start)
        first = export.region.ends[2 * i]
        start -= (start - first) % export.itemsize
        stop += -(stop - first) % export.itemsize
        whole.append((start, stop))
    return Region(whole)


cdef int keep_saved(Watch watch, Storage storage, Export export, Region changed) except -1:
    """`keep_values` of a write that has been made outside: the bytes before are those saved."""
    cdef void *shadow = watch.first
    cdef Shadow each  # owned, as in `keep_values`
    if export.writer != 0:
        keep_saved_of(watch, storage, export, watch.own, changed)
    while shadow != NULL:
        each = <Shadow>shadow
        if each.number != export.writer:
            keep_saved_of(watch, storage, export, each, changed)
        shadow = each.next
    return 0


cdef int keep_saved_of(Watch watch, Storage storage, Export export, Shadow s, Region changed) except -1:
    cdef Mark mark
    catch_up(watch, s)
    for mark in s.marks or ():
        changed = difference(changed, mark.region)
    if s.values is None:
        s.values = bytearray(window_size(storage))
    for start, stop in changed:
        s.values[start:stop] = export.saved[start - export.start : stop - export.start]
    return 0


# ---- the hooks of the lower rooms ------------------------------------------------------------------------------------

# The innermost simulation of the current context, or None where there is none; and that of every other context.
innermost = ContextVar("cowarray_simulation", default=None)
cdef Run everywhere = None


def set_everywhere(Run run):
    """Have the copies in meaning of all contexts that are in no simulation watched by a run. None: by none."""
    global everywhere
    everywhere = run


cdef Run run_here():
    run = innermost.get()
    return everywhere if run is None else <Run?>run


def aliases_here():
    """Whether copies in meaning are aliases in the current context."""
    return run_here() is not None


def watched_alias(Array view not None, str operation):
    """What an operation that copies in meaning gives, where NumPy gives a view: this one, with a shadow of its own."""
    cdef Run run = run_here()
    cdef Storage storage = storage_for(view)
    cdef Watch watch
    cdef Shadow source, made
    cdef Birth birth
    global shadows_made
    watch = None if run is None else watch_for(storage)
    if watch is None:
        return None
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


def exported(Array x not None):
    """Bytes of x are about to go out where that makes an alias: its Storage is watched as long as that is there."""
    watch_for(storage_for(x))


set_quick_keeper(Watch, asked)


# ---- operations ------------------------------------------------------------------------------------------------------

# Those that give views; functions written in Python, which have the bytes shown although they read none.
cdef frozenset VIEWING = frozenset(
    name for name, row in table.OPERATIONS.items() if row.result is table.VIEW
) | {"ix_", "meshgrid"}
# Those that copy elements of their first argument as they are: the copy gets what is foreign to the source.
cdef frozenset COPYING = frozenset(
    "copy astype reshape ravel asarray array asanyarray ascontiguousarray asfortranarray require "
    "atleast_1d atleast_2d atleast_3d ndarray.copy ndarray.flatten ndarray.lazy_clone ndarray.astype ndarray.reshape "
    "ndarray.ravel ndarray.__copy__ ndarray.__deepcopy__ ndarray.conj ndarray.conjugate".split()
)


def travel(str operation, function, tuple args, dict kwargs):
    """Do an operation that has been handed over: as ever, with a `Step` that says what is done."""
    cdef Step step = Step.__new__(Step)
    cdef void *before = get_current()
    cdef Watch watch
    global steps_made
    steps_made += 1
    step.operation = operation
    step.number = steps_made
    set_current(<void *>step)
    try:
        if args and is_array(args[0]):
            watch = watch_of(<Array>args[0])
            if watch is not None:
                return attended(step, watch, operation, function, args, kwargs)
        return seen(step, operation, function, args, kwargs) if operation in VIEWING else function(*args, **kwargs)
    finally:
        set_current(before)
        if step.pending is not None:
            for write in step.pending:
                note(<Write>write)


cdef object attended(Step step, Watch watch, str operation, object function, tuple args, dict kwargs):
    """An operation whose first argument's Storage is watched."""
    cdef Array x = <Array>args[0]
    cdef Storage storage = x.storage_
    cdef Shadow s = shadow_of(watch, x)
    step.storage = <void *>storage
    step.shadow = x.shadow
    if operation == "ndarray.__getitem__":
        key = settled(args[1])
        if x.storage_ is storage:
            step.region = picked(x, key, True)
        step.holds = True
        result = function(x, key)
        step.holds = False
        if step.held is not None and not (is_array(result) and (<Array>result).storage_ is storage):
            tell_held(step, operation)
        return result
    if operation == "ndarray.__setitem__":
        key = settled(args[1])
        if x.storage_ is storage:
            step.mute = stays(x, key, args[2])
            step.region = picked(x, key, False)
            step.reads_nothing = True
            step.overwrites = step.region is not None or is_basic(key)
        return function(x, key, args[2])
    if operation == "flatiter.__getitem__" or operation == "flatiter.__setitem__":
        key = settled(args[1], True)
        if x.storage_ is storage:
            step.region = picked_flat(x, key)
            step.reads_nothing = len(args) > 2
            step.overwrites = step.region is not None
        return function(x, key, *args[2:])
    if operation in COPYING:
        if watch.exports is not None:
            settle(watch, storage, region_of_range(0, window_size(storage)))
        catch_up(watch, s)
        if s.marks is not None:
            return copied(step, watch, storage, x, s, operation, function, args, kwargs)
    return seen(step, operation, function, args, kwargs) if operation in VIEWING else function(*args, **kwargs)


cdef object seen(Step step, str operation, object function, tuple args, dict kwargs):
    """An operation that may give views, and then reads nothing."""
    step.holds = True
    result = function(*args, **kwargs)
    step.holds = False
    if step.held is not None and not is_view(result):
        tell_held(step, operation)
    return result


cdef bint is_view(object result) noexcept:
    if is_array(result):
        return (<Array>result).birth == BORN_VIEW
    if isinstance(result, (list, tuple)):
        for item in result:
            if is_view(item):
                return True
    return False


cdef int tell_held(Step step, str operation) except -1:
    site = here()
    for mark, nbytes, differed in step.held:
        tell(<Mark>mark, "read", operation, nbytes, site, differed, step.number)
    return 0


cdef bint stays(Array x, object key, object value) except -1:
    """Whether x[key] = value writes a view to its own place, as the end of ``x[key] += 1`` does."""
    cdef Place target, origin
    if not is_array(value) or (<Array>value).storage_ is not x.storage_ or (<Array>value).shadow != x.shadow:
        return False
    if (<Array>value).descr is not x.descr or not find_place(x, key, &target):
        return False
    place_of(<Array>value, &origin)
    return is_same_place(&origin, &target)


cdef Region picked(Array x, object key, bint reads):
    """The bytes that an index picks; None where the door knows them, or nobody can say."""
    cdef Place place
    if is_basic(key):
        if reads and find_place(x, key, &place) and place.nd == 0:
            return region_of_range(place.offset, place.offset + itemsize_of(x))
        return None
    if size_of(x) > MOST_PICKED or (type(key) is str and reads):
        return None
    try:
        if type(key) is str:
            field = x.descr.fields[key]
            return region_at(places(x) + field[1], field[0].itemsize)
        return region_at(places(x)[shown_key(key)], itemsize_of(x))
    except (KeyError, IndexError, TypeError, ValueError):
        return None  # NumPy says what is wrong with it


cdef Region picked_flat(Array x, object key):
    if size_of(x) > MOST_PICKED:
        return None
    try:
        return region_at(places(x).flat[key], itemsize_of(x))
    except (IndexError, TypeError, ValueError):
        return None


cdef object places(Array x):
    """Where the elements of x begin in the window: an array of x's shape."""
    cdef int i
    found = np.full((), x.offset, np.int64)
    for i in range(x.nd):
        steps = np.arange(x.dims[i], dtype=np.int64) * x.dims[x.nd + i]
        found = found[..., None] + steps
    return found


cdef Region region_at(object starts, Py_ssize_t itemsize):
    """The bytes of the elements that begin at places."""
    found = np.unique(starts)
    if found.size == 0:
        return Region()
    cuts = np.flatnonzero(np.diff(found) > itemsize) + 1
    firsts = found[np.concatenate(([0], cuts))]
    lasts = found[np.concatenate((cuts - 1, [found.size - 1]))] + itemsize
    return Region(zip(firsts.tolist(), lasts.tolist(), strict=True))


# ---- copies ----------------------------------------------------------------------------------------------------------


cdef object copied(Step step, Watch watch, Storage storage, Array x, Shadow s, str operation, object function,
                   tuple args, dict kwargs):
    """An operation that may copy elements of x, some of which are foreign: then the copy's are, and nobody has read.
    """
    cdef Array made
    cdef Place before
    cdef list marks = s.marks
    cdef object values = s.values
    cdef Region unknown = s.unknown
    cdef cnp.dtype descr = x.descr
    place_of(x, &before)
    step.holds = True
    result = function(*args, **kwargs)
    step.holds = False
    if is_array(result):
        made = <Array>result
        if made.storage_ is storage:
            return result  # the very array, or an alias
        if made.descr == descr and size_of(made) == size_of_place(&before):
            carry(made, &before, itemsize_of(made), marks, values, unknown, operation, args, kwargs)
            return result
    if step.held is not None:
        tell_held(step, operation)
    return result


cdef Py_ssize_t size_of_place(const Place *place) noexcept:
    cdef Py_ssize_t size = 1
    cdef int i
    for i in range(place.nd):
        size *= place.shape[i]
    return size


cdef int carry(Array made, const Place *source, Py_ssize_t itemsize, list marks, object values, Region unknown,
               str operation, tuple args, dict kwargs) except -1:
    """Give a copy the marks of the elements that it has."""
    cdef Storage storage = storage_for(made)
    cdef Watch watch = watch_for(storage)
    cdef Mark mark
    cdef Region region
    cdef list carried = []
    if watch is None:
        return 0
    begins = places_of(source)
    ends = places(made)
    if begins.shape != ends.shape:
        order = reading_order(source, itemsize, operation, args, kwargs)
        begins, ends = begins.ravel(order), ends.ravel(order if operation.endswith("reshape") else "C")
    for mark in marks:
        region = region_at(ends[met(begins, itemsize, mark.region)], itemsize)
        if region.n:
            carried.append(new_mark(region, mark.written, mark.birth, 0, mark.exported))
            watch.exact |= mark.birth.run.exact
    watch.own.marks = carried or None
    if watch.exact and values is not None:
        watch.own.values = moved_values(values, begins, ends, itemsize, window_size(storage))
        if unknown is not None:
            watch.own.unknown = region_at(ends[met(begins, itemsize, unknown)], itemsize)
    return 0


cdef object places_of(const Place *place):
    cdef int i
    found = np.full((), place.offset, np.int64)
    for i in range(place.nd):
        found = found[..., None] + np.arange(place.shape[i], dtype=np.int64) * place.strides[i]
    return found


cdef str reading_order(const Place *source, Py_ssize_t itemsize, str operation, tuple args, dict kwargs):
    """In which order an operation that changes the shape reads elements: "C" or "F"."""
    cdef bint is_c = is_c_ordered(source.nd, source.shape, itemsize, source.strides)
    cdef bint is_f = is_f_ordered(source.nd, source.shape, itemsize, source.strides)
    order = kwargs.get("order")
    if order is None and operation in ("ndarray.flatten", "ndarray.ravel", "ravel") and len(args) > 1:
        order = args[1]
    order = "C" if order is None else str(order).upper()
    if order in ("A", "K"):
        return "F" if is_f and not is_c else "C"
    return order


cdef object met(object starts, Py_ssize_t itemsize, Region region):
    """Which of the elements that begin at places have a byte in a region."""
    cdef Py_ssize_t i
    if region.n == 0:
        return np.zeros(starts.shape, bool)
    firsts = np.array([region.ends[2 * i] for i in range(region.n)], np.int64)
    lasts = np.array([region.ends[2 * i + 1] for i in range(region.n)], np.int64)
    at = np.minimum(np.searchsorted(lasts, starts, side="right"), region.n - 1)
    return (firsts[at] < starts + itemsize) & (lasts[at] > starts)


cdef object moved_values(object values, object begins, object ends, Py_ssize_t itemsize, Py_ssize_t nbytes):
    """What the bytes of a copy would be, by those of its source."""
    made = np.zeros(nbytes, np.uint8)
    before = np.frombuffer(values, np.uint8)
    within = np.arange(itemsize)
    known = (begins >= 0) & (begins + itemsize <= before.size)
    made[ends[known].reshape(-1, 1) + within] = before[begins[known].reshape(-1, 1) + within]
    return bytearray(made.tobytes())
