"""Who wrote which bytes, where copies in meaning are aliases: the engine of `cowarray.simulate`.

A copy in meaning for which NumPy returns a view is a view here as well, with a `Shadow` that stands for the copy's
Storage. The Storage gets a `Watch` as its doorkeeper, which sees every access. If the copies were real, a write through
one shadow would be invisible through the others: its bytes become *foreign* to every other shadow. Reading a foreign
byte is a finding. Overwriting one makes it the writer's own; changing it in place does not.

Writes are numbered, and logged once per Storage (`Watch.log`). A shadow takes up others' writes when it is next used
(`catch_up`), so the cost of a write does not depend on the number of shadows; equal numbers mean that nothing has
happened. A shadow's `Mark`s tell which bytes are foreign to it, and which line wrote them. A new shadow begins with its
source's marks; a real copy gets them element by element (`carry`).

An operation's writes are logged when the operation has ended (`Step`), because NumPy reads all its operands first.

All of this runs under the GIL, which importing this module turns on where there was none.
"""

cimport cython

from cowarray._modes.simulate.regions cimport difference, Region, union_of

cdef enum:
    MOST_MARKS = 64  # of a shadow; beyond, the two oldest are joined
    MOST_NOTED = 4096  # writes in the log; beyond, those that all have seen are dropped, and others may be joined
    MOST_NOTED_RANGES = 1 << 17  # ranges of bytes in all of these


@cython.final
cdef class Run:
    """The counts of one simulation, and the function that records its findings.

    Parameters
    ----------
    record : callable
        Called with each finding: kind, operation, bytes, the three sites, the operation that copies, whether the values
        differed, and the number of the step that accessed. An exception from it stops the access.
    exact : bool
        Whether to keep the values that copies would have, and compare.
    """

    def __cinit__(self, record, bint exact):
        self.record = record
        self.exact = exact

    @property
    def relied_upon(self):
        return min(self.relied, self.watched - self.never_written)

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
    """The place where a copy in meaning became an alias."""


@cython.final
@cython.freelist(32)
@cython.no_gc
cdef class Mark:
    """Bytes that one line wrote, foreign to the mark's shadow; and the copy in meaning that lies between."""


@cython.final
@cython.freelist(32)
@cython.no_gc
cdef class Write:
    """A write to a Storage, by a shadow, to a region; in the log, or about to be."""


@cython.final
@cython.freelist(64)
@cython.no_gc
cdef class Shadow:
    """Stands for the Storage that an alias would have if it were the copy that it is in meaning."""

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


@cython.final
@cython.no_gc
cdef class Export:
    """An exported alias: its holders may write at any time, and their writes are found by comparing bytes."""


@cython.final
@cython.no_gc
cdef class Watch:
    """The doorkeeper of a Storage that has, or had, aliases as its copies in meaning; called at each access."""

    def __cinit__(self):
        self.own = Shadow.__new__(Shadow)
        self.log = []


cdef Mark new_mark(Region region, object written, Birth birth, Py_ssize_t others, bint exported):
    cdef Mark mark = Mark.__new__(Mark)
    mark.region = region
    mark.written = written
    mark.birth = birth
    mark.others = others
    mark.exported = exported
    return mark


cdef Shadow find_shadow(Watch watch, Py_ssize_t number):
    cdef void *shadow = watch.first
    if number == 0:
        return watch.own
    while shadow != NULL:
        if (<Shadow>shadow).number == number:
            return <Shadow>shadow
        shadow = (<Shadow>shadow).next
    return None


cdef int log_waiting(Watch watch) except -1:
    """Log the writes for which there was no memory, the oldest first; they are chained from the newest."""
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


cdef int shorten(Watch watch) except -1:
    """Drop the writes that every shadow has seen; if many are left, join those of one line."""
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
    """Add to a shadow's marks the writes of others since it last caught up."""
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
            birth = between(write.birth, write.writer, s.birth, s.number)
            s.marks = with_mark(s.marks, write.region, write.site, birth, write.exported)
            if write.number > watch.sealed:
                watch.sealed = write.number
        s.seen = write.number
        low += 1
    s.seen = watch.number
    return 0


cdef Birth between(Birth writers, Py_ssize_t writer, Birth readers, Py_ssize_t reader):
    """Return the copy in meaning that lies between the writing shadow and another: the younger of the two."""
    return readers if writers is None or (readers is not None and reader > writer) else writers


cdef list with_mark(list marks, Region region, object written, Birth birth, bint exported):
    """Return the marks with one more. For each byte, only the last write counts."""
    cdef list made = []
    cdef Mark mark
    cdef Py_ssize_t others = 0
    cdef Region whole = region
    for mark in marks or ():
        if mark.written is written and mark.birth.made is birth.made and mark.birth.run is birth.run and (
            mark.exported == exported
        ):
            whole = union_of(mark.region, whole)
            others += mark.others + (mark.birth is not birth and not mark.birth.relied)
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
    """Remove bytes that a shadow has overwritten from its marks: they are no longer foreign to it."""
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
