"""Operations on watched arrays: the bytes they touch where the door cannot know, and the marks that copies inherit."""

import numpy as np

cimport cython
cimport numpy as cnp

from cowarray._array.array cimport Array, BORN_VIEW, is_array, itemsize_of, size_of, storage_for
from cowarray._array.layout cimport is_c_ordered, is_f_ordered
from cowarray._modes.simulate.regions cimport Region, region_of_range
from cowarray._modes.simulate.shadows cimport catch_up, Mark, new_mark, Shadow, shadow_of, Watch, Write
from cowarray._modes.common.dispatching cimport enlist, Found, Handler, SIMULATIONS
from cowarray._modes.common.sites cimport here
from cowarray._modes.common.thread cimport Thread
from cowarray._modes.simulate.watching cimport Step, tell, watch_for, watch_of
from cowarray._modes.simulate.writes cimport note, settle, tell_readers
from cowarray._native.storage cimport Storage, window_size
from cowarray._ops.keys cimport find_place, is_basic, is_same_place, picks_one, settled, shown_key
from cowarray._ops.picking cimport Place, place_of

from cowarray._ops import table

cnp.import_array()

cdef enum:
    MOST_PICKED = 1 << 22  # the largest array, in elements, for which an index's elements are located one by one

cdef long long steps_made = 0

# Operations that return views; and functions written in Python, which access the bytes although they read none.
cdef frozenset VIEWING = frozenset(
    name for name, row in table.OPERATIONS.items() if row.result is table.VIEW
) | {"ix_", "meshgrid"}
# Operations that copy elements of their first argument unchanged: bytes foreign to the source are foreign to the copy.
cdef frozenset COPYING = frozenset(
    "copy astype reshape ravel asarray array asanyarray ascontiguousarray asfortranarray require "
    "atleast_1d atleast_2d atleast_3d ndarray.copy ndarray.flatten ndarray.lazy_clone ndarray.astype ndarray.reshape "
    "ndarray.ravel ndarray.__copy__ ndarray.__deepcopy__ ndarray.conj ndarray.conjugate".split()
)


@cython.final
cdef class SimulationsHandler(Handler):
    """Runs operations as usual, with a `Step` that tells the door of a watched Storage what is being done."""

    cdef object handle(self, Thread thread, object block, Found found, str operation, object function, tuple args,
                       dict kwargs):
        cdef Step step = Step.__new__(Step)
        cdef object before = thread.simulated
        cdef Watch watch
        global steps_made
        steps_made += 1
        step.operation = operation
        step.number = steps_made
        thread.simulated = step
        try:
            watch = watch_of(<Array>args[0]) if args and is_array(args[0]) else None
            if watch is not None:
                result = attended(step, watch, operation, function, args, kwargs)
            elif operation in VIEWING:
                result = seen(step, operation, function, args, kwargs)
            else:
                result = function(*args, **kwargs)
        finally:
            thread.simulated = before
            if step.pending is not None:
                end_writes(step.pending)
        return result


enlist(SIMULATIONS, SimulationsHandler())


cdef int end_writes(list pending) except -1:
    """Log an operation's writes; then report those that readers outside may see."""
    cdef Write write
    cdef list seen = None
    for each in pending:
        write = <Write>each
        if write.watch.exports is not None:
            try:
                seen = seen or []
                seen.append((write.watch, write.storage, write, write.region))
            except MemoryError:
                pass  # the bytes have been written, and logging that comes first
    for each in pending:
        note(<Write>each)
    if seen is not None:
        for watch, storage, each, region in seen:
            tell_readers(<Watch>watch, <Storage>storage, <Write>each, <Region>region)
    return 0


cdef object attended(Step step, Watch watch, str operation, object function, tuple args, dict kwargs):
    """Do an operation whose first argument's Storage is watched."""
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
    """Do an operation that may return views; if it does, it reads nothing."""
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
    """True if ``x[key] = value`` writes a view to its own place, as the end of ``x[key] += 1`` does."""
    cdef Place target, origin
    if not is_array(value) or (<Array>value).storage_ is not x.storage_ or (<Array>value).shadow != x.shadow:
        return False
    if (<Array>value).descr is not x.descr or not find_place(x, key, &target):
        return False
    place_of(<Array>value, &origin)
    return is_same_place(&origin, &target)


cdef Region picked(Array x, object key, bint reads):
    """Return the bytes that an index picks; None if the door knows them, or nobody can tell."""
    cdef Place place
    if is_basic(key):
        if reads and find_place(x, key, &place) and place.nd == 0:
            return region_of_range(place.offset, place.offset + itemsize_of(x))
        if not reads or not picks_one(x.nd, key):
            return None
    if size_of(x) > MOST_PICKED or (type(key) is str and reads):
        return None
    try:
        if type(key) is str:
            field = x.descr.fields[key]
            return region_at(places(x) + field[1], field[0].itemsize)
        return region_at(places(x)[shown_key(key)], itemsize_of(x))
    except (KeyError, IndexError, TypeError, ValueError):
        pass  # NumPy raises the error
    return None


cdef Region picked_flat(Array x, object key):
    if size_of(x) > MOST_PICKED:
        return None
    try:
        return region_at(places(x).flat[key], itemsize_of(x))
    except (IndexError, TypeError, ValueError):
        pass
    return None


cdef object places(Array x):
    """Return the offsets of x's elements in the window, as an array of x's shape."""
    cdef int i
    found = np.full((), x.offset, np.int64)
    for i in range(x.nd):
        steps = np.arange(x.dims[i], dtype=np.int64) * x.dims[x.nd + i]
        found = found[..., None] + steps
    return found


cdef Region region_at(object starts, Py_ssize_t itemsize):
    """Return the bytes of the elements that begin at these offsets."""
    found = np.unique(starts, return_counts=True)[0]  # without return_counts, it imports `numpy.ma`
    if found.size == 0:
        return Region()
    cuts = np.flatnonzero(np.diff(found) > itemsize) + 1
    firsts = found[np.concatenate(([0], cuts))]
    lasts = found[np.concatenate((cuts - 1, [found.size - 1]))] + itemsize
    return Region(zip(firsts.tolist(), lasts.tolist(), strict=True))


# ---- copies ----------------------------------------------------------------------------------------------------------


cdef object copied(Step step, Watch watch, Storage storage, Array x, Shadow s, str operation, object function,
                   tuple args, dict kwargs):
    """Do an operation that may copy elements of x, some foreign. If it does, the copy inherits them, and read none."""
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
            return result  # the array itself, or an alias
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
    """Give a copy the marks of the elements that it contains."""
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
    """Return the order in which an operation that changes the shape reads elements: "C" or "F"."""
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
    """Return a mask of the elements, given by their offsets, that have a byte in a region."""
    cdef Py_ssize_t i
    if region.n == 0:
        return np.zeros(starts.shape, bool)
    firsts = np.array([region.ends[2 * i] for i in range(region.n)], np.int64)
    lasts = np.array([region.ends[2 * i + 1] for i in range(region.n)], np.int64)
    at = np.minimum(np.searchsorted(lasts, starts, side="right"), region.n - 1)
    return (firsts[at] < starts + itemsize) & (lasts[at] > starts)


cdef object moved_values(object values, object begins, object ends, Py_ssize_t itemsize, Py_ssize_t nbytes):
    """Return the bytes that a copy would have, from those that its source would have."""
    made = np.zeros(nbytes, np.uint8)
    before = np.frombuffer(values, np.uint8)
    within = np.arange(itemsize)
    known = (begins >= 0) & (begins + itemsize <= before.size)
    made[ends[known].reshape(-1, 1) + within] = before[begins[known].reshape(-1, 1) + within]
    return bytearray(made.tobytes())
