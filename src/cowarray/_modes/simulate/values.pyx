"""The bytes that aliases would have if they were copies, kept for `simulate(exact=True)`, which compares values.

Before a write, the bytes that the other shadows would keep are saved (`Shadow.values`). Foreign bytes that are changed
in place are unknown from then on, and count as different, unless they were equal to a copy's.
"""

from cpython.bytearray cimport PyByteArray_AS_STRING
from libc.string cimport memcmp, memcpy

from cowarray._modes.simulate.regions cimport difference, intersection, meet, Region, union_of
from cowarray._modes.simulate.shadows cimport catch_up, Export, Mark, new_mark, Shadow, Watch
from cowarray._native.storage cimport Hold, quiet_hold, Storage, window_size


cdef object differs(Watch watch, Storage storage, Shadow s, Region part):
    """True if bytes differ from a copy's, or may; None if no exact run watches them."""
    cdef Hold hold
    cdef const char *values
    cdef Py_ssize_t i, start
    if not watch.exact:
        return None
    if s.values is None or (s.unknown is not None and meet(s.unknown, part)):
        return True
    hold = quiet_hold(storage)
    values = PyByteArray_AS_STRING(<bytearray?>s.values)
    for i in range(part.n):
        start = part.ends[2 * i]
        if memcmp(<const char *>hold.scope.data + start, values + start, part.ends[2 * i + 1] - start) != 0:
            return True
    return False


cdef int keep_values(Watch watch, Storage storage, Shadow writer, Region region) except -1:
    """Before a write: keep the bytes that the other shadows would still have. A gap."""
    cdef void *shadow = watch.first
    cdef Shadow each  # owned: the collector may run meanwhile and end arrays
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


cdef int keep_saved(Watch watch, Storage storage, Export export, Region changed) except -1:
    """Do `keep_values` for a write from outside: the bytes before it are the saved ones."""
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


cdef int lose_values(Watch watch, Storage storage, Shadow s, Region region) except -1:
    """Before foreign bytes are changed in place: those equal to a copy's stop being foreign, the others are unknown."""
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
    """Return the part of a region where the bytes are those of a copy."""
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


cdef int save(Storage storage, bytearray values, Py_ssize_t first, Region region) except -1:
    """Copy bytes of a Storage to a bytearray that begins at byte `first` of the window."""
    cdef Hold hold = quiet_hold(storage)
    cdef char *target = PyByteArray_AS_STRING(values)
    cdef Py_ssize_t i, start
    for i in range(region.n):
        start = region.ends[2 * i]
        memcpy(target + start - first, <const char *>hold.scope.data + start, region.ends[2 * i + 1] - start)
    return 0


cdef list differing(const char *data, bytearray saved, Py_ssize_t first, Region region):
    """Return the ranges of a region where bytes differ from `saved`, which begins at byte `first` of the window."""
    cdef const char *values = PyByteArray_AS_STRING(saved) - first
    cdef list ranges = []
    cdef Py_ssize_t i, at, stop, begun
    for i in range(region.n):
        at = region.ends[2 * i]
        stop = region.ends[2 * i + 1]
        if memcmp(data + at, values + at, stop - at) == 0:
            continue
        begun = -1
        while at < stop:
            if data[at] != values[at]:
                if begun < 0:
                    begun = at
            elif begun >= 0:
                ranges.append((begun, at))
                begun = -1
            at += 1
        if begun >= 0:
            ranges.append((begun, stop))
    return ranges
