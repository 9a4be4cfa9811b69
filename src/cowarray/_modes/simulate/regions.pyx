# cython: freethreading_compatible=True
"""Sets of bytes in the window of a Storage: sorted ranges, up to a bound.

A set with more ranges than `MOST_RANGES` becomes coarser: gaps are filled, the smallest first. So a region contains all
the bytes that it was made of and, beyond the bound, some between them.
"""

cimport cython
from cpython.mem cimport PyMem_Free, PyMem_Malloc, PyMem_Realloc
from cpython.pyport cimport PY_SSIZE_T_MAX
from libc.stdlib cimport qsort
from libc.string cimport memcpy


@cython.final
@cython.freelist(64)
@cython.no_gc
cdef class Region:
    """A set of bytes, made of pairs ``(start, stop)``.

    Examples
    --------
    >>> from cowarray._modes.simulate.regions import Region
    >>> list(Region([(8, 16), (0, 8), (24, 32)]))
    [(0, 16), (24, 32)]
    """

    def __init__(self, ranges=()):
        cdef Region made = gathered([(int(start), int(stop)) for start, stop in ranges])
        self.n, made.n = made.n, self.n
        self.ends, made.ends = made.ends, self.ends
        self.is_coarse = made.is_coarse

    def __dealloc__(self):
        PyMem_Free(self.ends)

    def __iter__(self):
        return iter([(self.ends[2 * i], self.ends[2 * i + 1]) for i in range(self.n)])

    def __len__(self):
        return self.n

    def __repr__(self):
        return f"<Region of {count_bytes(self)} bytes in {self.n} ranges>"

    @staticmethod
    def of_box(Py_ssize_t offset, tuple shape, tuple strides, Py_ssize_t itemsize):
        """Return the bytes of the elements of a box."""
        cdef Py_ssize_t dims[128]
        cdef int i
        for i in range(len(shape)):
            dims[i] = shape[i]
            dims[len(shape) + i] = strides[i]
        return region_of_box(offset, <int>len(shape), dims, itemsize)

    def __and__(Region self not None, Region other not None):
        return intersection(self, other)

    def __or__(Region self not None, Region other not None):
        return union_of(self, other)

    def __sub__(Region self not None, Region other not None):
        return difference(self, other)

    def moved(self, Py_ssize_t by):
        """Return the region shifted by this many bytes."""
        return shifted(self, by)

    def meets(self, Region other not None):
        """True if the two have a byte in common."""
        return meet(self, other)


cdef Region with_room(Py_ssize_t n):
    cdef Region made = Region.__new__(Region)
    made.ends = <Py_ssize_t *>PyMem_Malloc((2 * n if n else 1) * sizeof(Py_ssize_t))
    if made.ends == NULL:
        raise MemoryError("cannot allocate memory for a set of bytes")
    return made


cdef inline void put(Region made, Py_ssize_t start, Py_ssize_t stop) noexcept:
    """Add a range that begins no earlier than the last one, to a region with room for it."""
    if start >= stop:
        return
    if made.n and start <= made.ends[2 * made.n - 1]:
        if stop > made.ends[2 * made.n - 1]:
            made.ends[2 * made.n - 1] = stop
        return
    made.ends[2 * made.n] = start
    made.ends[2 * made.n + 1] = stop
    made.n += 1


cdef Region settled(Region made):
    """Finish a new region: coarsen it to within the bound, and free memory that it does not need."""
    cdef Py_ssize_t *ends
    if made.n > MOST_RANGES:
        made.is_coarse = True
        coarsen(made)
    ends = <Py_ssize_t *>PyMem_Realloc(made.ends, (2 * made.n if made.n else 1) * sizeof(Py_ssize_t))
    if ends != NULL:
        made.ends = ends
    return made


cdef void coarsen(Region made) noexcept:
    """Fill gaps, the smallest first, down to half the bound, so that the next range does not exceed it again."""
    cdef Py_ssize_t gap = 16
    cdef Py_ssize_t i, n
    while made.n > MOST_RANGES // 2:
        n = 0
        for i in range(1, made.n):
            if made.ends[2 * i] - made.ends[2 * n + 1] <= gap:
                made.ends[2 * n + 1] = made.ends[2 * i + 1]
            else:
                n += 1
                made.ends[2 * n] = made.ends[2 * i]
                made.ends[2 * n + 1] = made.ends[2 * i + 1]
        made.n = n + 1
        gap *= 4


cdef Region gathered(list ranges):
    cdef Region made = with_room(len(ranges))
    ranges.sort()
    for start, stop in ranges:
        put(made, start, stop)
    return settled(made)


cdef Region region_of_range(Py_ssize_t start, Py_ssize_t stop):
    cdef Region made = with_room(1)
    put(made, start, stop)
    return made


cdef struct Axis:
    Py_ssize_t length
    Py_ssize_t step


cdef int by_step(const void *a, const void *b) noexcept nogil:
    """Larger steps first."""
    cdef Py_ssize_t one = (<const Axis *>a).step
    cdef Py_ssize_t other = (<const Axis *>b).step
    return (one < other) - (one > other)


cdef Region region_of_box(Py_ssize_t offset, int ndim, const Py_ssize_t *dims, Py_ssize_t itemsize):
    """Return the bytes of the elements of a box. dims: the shape, then the strides in bytes."""
    cdef Axis axes[64]
    cdef Py_ssize_t places[64]
    cdef Py_ssize_t count, width = itemsize, start = offset
    cdef int n = 0, i
    cdef bint ordered = True
    cdef bint coarse = False
    cdef Region made
    for i in range(ndim):
        if dims[i] == 0 or itemsize == 0:
            return with_room(0)
        if dims[i] > 1 and dims[ndim + i] != 0:
            axes[n].length = dims[i]
            axes[n].step = dims[ndim + i]
            if axes[n].step < 0:
                start += (axes[n].length - 1) * axes[n].step
                axes[n].step = -axes[n].step
            ordered = ordered and (n == 0 or axes[n].step <= axes[n - 1].step)
            n += 1
    if not ordered:
        qsort(axes, n, sizeof(Axis), by_step)
    # Axes whose steps leave no gap become one range; beyond the bound, so do others.
    while n and axes[n - 1].step <= width:
        n -= 1
        width += (axes[n].length - 1) * axes[n].step
    while n:
        count = 1
        for i in range(n):
            count = count * axes[i].length if axes[i].length <= PY_SSIZE_T_MAX // count else PY_SSIZE_T_MAX
        if count <= MOST_RANGES:
            break
        coarse = True
        n -= 1
        width += (axes[n].length - 1) * axes[n].step
        while n and axes[n - 1].step <= width:
            n -= 1
            width += (axes[n].length - 1) * axes[n].step
    if n == 0:
        made = region_of_range(start, start + width)
        made.is_coarse = coarse
        return made
    if n > 1 and not nested(axes, n, width):
        made = unnested(axes, n, start, width, count)
        made.is_coarse |= coarse
        return made
    made = with_room(count)
    made.is_coarse = coarse
    for i in range(n):
        places[i] = 0
    while True:
        put(made, start, start + width)
        i = n - 1
        while i >= 0:
            places[i] += 1
            start += axes[i].step
            if places[i] < axes[i].length:
                break
            start -= axes[i].length * axes[i].step
            places[i] = 0
            i -= 1
        if i < 0:
            return settled(made)


cdef bint nested(const Axis *axes, int n, Py_ssize_t width) noexcept:
    """True if each axis steps beyond the reach of all axes after it, so that ranges come in order."""
    cdef Py_ssize_t reach = width
    cdef int i
    for i in range(n - 1, -1, -1):
        if axes[i].step < reach:
            return False
        reach += (axes[i].length - 1) * axes[i].step
    return True


cdef Region unnested(const Axis *axes, int n, Py_ssize_t start, Py_ssize_t width, Py_ssize_t count):
    """Return the bytes of a box whose ranges do not come in order: sliding windows and other overlaps."""
    cdef list ranges = []
    cdef Py_ssize_t at, rest, place
    cdef int axis
    for place in range(count):
        rest = place
        at = start
        for axis in range(n - 1, -1, -1):
            at += (rest % axes[axis].length) * axes[axis].step
            rest //= axes[axis].length
        ranges.append((at, at + width))
    return gathered(ranges)


cdef Py_ssize_t first_behind(Region a, Py_ssize_t place) noexcept:
    """Return the index of the first range that ends after a place."""
    cdef Py_ssize_t low = 0, high = a.n, middle
    while low < high:
        middle = (low + high) // 2
        if a.ends[2 * middle + 1] > place:
            high = middle
        else:
            low = middle + 1
    return low


cdef bint meet(Region a, Region b) noexcept:
    cdef Py_ssize_t i, j = 0
    if a.n == 0 or b.n == 0:
        return False
    if a.n > b.n:
        a, b = b, a
    for i in range(a.n):
        j = first_behind(b, a.ends[2 * i])
        if j == b.n:
            return False
        if b.ends[2 * j] < a.ends[2 * i + 1]:
            return True
    return False


cdef bint is_within(Region a, Region b) noexcept:
    """True if all bytes of a are in b."""
    cdef Py_ssize_t i, j
    for i in range(a.n):
        j = first_behind(b, a.ends[2 * i])
        if j == b.n or b.ends[2 * j] > a.ends[2 * i] or b.ends[2 * j + 1] < a.ends[2 * i + 1]:
            return False
    return True


cdef Region intersection(Region a, Region b):
    cdef Region made = with_room(a.n + b.n)
    cdef Py_ssize_t i = 0, j = 0
    while i < a.n and j < b.n:
        put(made, max(a.ends[2 * i], b.ends[2 * j]), min(a.ends[2 * i + 1], b.ends[2 * j + 1]))
        if a.ends[2 * i + 1] < b.ends[2 * j + 1]:
            i += 1
        else:
            j += 1
    return settled(made)


cdef Region union_of(Region a, Region b):
    cdef Region made
    cdef Py_ssize_t i = 0, j = 0
    if is_within(b, a):
        return a
    if b.n == 1 and a.n:
        return with_range(a, b.ends[0], b.ends[1])
    made = with_room(a.n + b.n)
    while i < a.n or j < b.n:
        if j == b.n or (i < a.n and a.ends[2 * i] <= b.ends[2 * j]):
            put(made, a.ends[2 * i], a.ends[2 * i + 1])
            i += 1
        else:
            put(made, b.ends[2 * j], b.ends[2 * j + 1])
            j += 1
    return settled(made)


cdef Region with_range(Region a, Py_ssize_t start, Py_ssize_t stop):
    """Return the union of a region and one range; most of the region is copied as a block."""
    cdef Py_ssize_t before = first_behind(a, start - 1)  # the first range that the new one touches, or that follows it
    cdef Py_ssize_t after = before
    cdef Region made = with_room(a.n + 1)
    while after < a.n and a.ends[2 * after] <= stop:
        start = min(start, a.ends[2 * after])
        stop = max(stop, a.ends[2 * after + 1])
        after += 1
    memcpy(made.ends, a.ends, 2 * before * sizeof(Py_ssize_t))
    made.ends[2 * before] = start
    made.ends[2 * before + 1] = stop
    memcpy(made.ends + 2 * before + 2, a.ends + 2 * after, 2 * (a.n - after) * sizeof(Py_ssize_t))
    made.n = before + 1 + a.n - after
    return settled(made)


cdef Region difference(Region a, Region b):
    cdef Region made
    cdef Py_ssize_t i, j, start
    if not meet(a, b):
        return a
    made = with_room(a.n + b.n)
    for i in range(a.n):
        start = a.ends[2 * i]
        j = first_behind(b, start)
        while j < b.n and b.ends[2 * j] < a.ends[2 * i + 1]:
            put(made, start, b.ends[2 * j])
            start = max(start, b.ends[2 * j + 1])
            j += 1
        put(made, start, a.ends[2 * i + 1])
    return settled(made)


cdef Region shifted(Region a, Py_ssize_t by):
    cdef Region made
    cdef Py_ssize_t i
    if by == 0:
        return a
    made = with_room(a.n)
    memcpy(made.ends, a.ends, 2 * a.n * sizeof(Py_ssize_t))
    made.n = a.n
    for i in range(2 * made.n):
        made.ends[i] += by
    return made


cdef Py_ssize_t count_bytes(Region a) noexcept:
    cdef Py_ssize_t i, total = 0
    for i in range(a.n):
        total += a.ends[2 * i + 1] - a.ends[2 * i]
    return total
