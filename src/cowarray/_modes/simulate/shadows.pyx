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

cimport cython

from cowarray._modes.simulate.regions cimport difference, Region, union_of

cdef enum:
    MOST_MARKS = 64  # of a shadow; the oldest become one
    MOST_NOTED = 4096  # writes that somebody has not taken note of; then those of one line become one
    MOST_NOTED_RANGES = 1 << 17  # of bytes, in all of these


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
    """Where a copy in meaning became an alias."""


@cython.final
@cython.freelist(32)
@cython.no_gc
cdef class Mark:
    """Bytes that one line wrote, foreign to whose mark it is; and the copy in meaning that lies between."""


@cython.final
@cython.freelist(32)
@cython.no_gc
cdef class Write:
    """A write to a Storage: by which shadow, and where; in the log, or about to be."""


@cython.final
@cython.freelist(64)
@cython.no_gc
cdef class Shadow:
    """Stands for the Storage that an alias would have, were it the copy that it is in meaning."""

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
    """An alias that went out: whoever has it may write at any time, and what they wrote is seen by comparing."""


@cython.final
@cython.no_gc
cdef class Watch:
    """Asked at each access to a Storage of which there are, or were, copies in meaning that are aliases."""

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
            birth = between(write.birth, write.writer, s.birth, s.number)
            s.marks = with_mark(s.marks, write.region, write.site, birth, write.exported)
            if write.number > watch.sealed:
                watch.sealed = write.number
        s.seen = write.number
        low += 1
    s.seen = watch.number
    return 0


cdef Birth between(Birth writers, Py_ssize_t writer, Birth readers, Py_ssize_t reader):
    """The copy in meaning that lies between a shadow that wrote and another one: the younger of the two."""
    return readers if writers is None or (readers is not None and reader > writer) else writers


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
