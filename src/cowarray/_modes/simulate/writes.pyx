"""Writes to watched Storages: logged when an operation has made them, found by comparing while an alias is exported.

The holder of an export counts as a writer until it is released. Writes through it are found at the next access to these
bytes (`settle`), and attributed to the line that exported.
"""

from cowarray._modes.simulate.regions cimport count_bytes, first_behind, intersection, is_within, meet, Region
from cowarray._modes.simulate.shadows cimport (
    between,
    Birth,
    catch_up,
    Export,
    find_shadow,
    log,
    log_waiting,
    make_own,
    Shadow,
    Watch,
    Write,
)
from cowarray._modes.simulate.values cimport differing, keep_saved, save
from cowarray._native.storage cimport Hold, is_pinned, quiet_hold, Storage


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
    """Log a write that has happened and cannot be undone: without memory for the log, it waits outside it."""
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
            if write.overwrites and not write.region.is_coarse:  # not all bytes of a coarse region were written
                make_own(s, write.region)
        if watch.exports is not None and not write.exported:
            save_exports(watch, storage, write.region)
    except MemoryError:
        pass  # more than necessary stays foreign and is reported
    watch.number += 1
    write.number = watch.number
    try:
        log_waiting(watch)
        log(watch, write)
    except MemoryError:
        write.before = watch.waiting
        watch.waiting = write
    return 0


cdef int note_export(Watch watch, Storage storage, Shadow s, Region region, Py_ssize_t itemsize,
                     object site, Run run) except -1:
    """Record an export of bytes as an alias: a writer until all exports have been released."""
    cdef Export export
    for export in watch.exports or ():
        if export.writer == s.number and is_within(region, export.region) and (
            export.run is run and export.would_share == watch.would_share
        ):
            export.site = site
            return 0
    export = Export.__new__(Export)
    export.writer = s.number
    export.birth = s.birth
    export.region = region
    export.itemsize = itemsize
    export.site = site
    export.run = run
    export.would_share = watch.would_share
    if watch.exports is None:
        watch.exports = []
    watch.exports.append(export)
    if watch.first != NULL or watch.own.marks is not None:
        begin_comparing(watch, storage)
    return 0


cdef int tell_readers(Watch watch, Storage storage, Write write, Region region) except -1:
    """Report a write to exported bytes: readers see it, and would not in the snapshot or copy that it stands for."""
    cdef Export export
    cdef Birth birth
    if watch.exports is None or not is_pinned(storage):
        return 0
    for export in list(watch.exports):
        if export.run is None or not meet(export.region, region):
            continue
        nbytes = count_bytes(intersection(export.region, region))
        if export.would_share:
            export.run.record("read outside", "export", nbytes, export.site, write.site, export.site, "export", None, 0)
        elif export.writer != write.writer:
            birth = between(write.birth, write.writer, export.birth, export.writer)
            birth.run.relied += not birth.relied
            birth.relied = True
            export.run.record("read outside", "export", nbytes, birth.made, write.site, export.site, birth.copied_by,
                              None, 0)
    return 0


cdef int begin_comparing(Watch watch, Storage storage) except -1:
    """Save the exported bytes, so that writes from outside are found from now on."""
    cdef Export export
    for export in watch.exports or ():
        if export.saved is None and export.region.n:
            export.start = export.region.ends[0]
            saved = bytearray(export.region.ends[2 * export.region.n - 1] - export.start)
            save(storage, saved, export.start, export.region)
            export.saved = saved
    return 0


cdef int save_exports(Watch watch, Storage storage, Region region) except -1:
    """Save bytes that the library has written, so that they are not taken for an export's writes."""
    cdef Export export
    for export in watch.exports:
        if export.saved is not None and meet(export.region, region):
            save(storage, export.saved, export.start, intersection(export.region, region))
    return 0


cdef int settle(Watch watch, Storage storage, Region region) except -1:
    """Log writes from outside, at least those to a region. Once all exports have been released, they end."""
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
    """Return the whole elements of an export that have a byte in ranges: elements are written as a whole."""
    cdef Py_ssize_t i, first, start, stop
    cdef list whole = []
    for start, stop in ranges:
        i = first_behind(export.region, start)
        first = export.region.ends[2 * i]
        start -= (start - first) % export.itemsize
        stop += -(stop - first) % export.itemsize
        whole.append((start, stop))
    return Region(whole)
