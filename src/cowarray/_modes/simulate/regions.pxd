# Sets of bytes in a window.

cdef enum:
    MOST_RANGES = 4096


cdef class Region:
    # Sorted: start, stop, start, stop, ...; no two ranges touch. Immutable once made.
    cdef Py_ssize_t n
    cdef Py_ssize_t *ends
    cdef bint is_coarse  # gaps were filled: it contains bytes that it was not made of


cdef Region region_of_range(Py_ssize_t start, Py_ssize_t stop)
cdef Region region_of_box(Py_ssize_t offset, int ndim, const Py_ssize_t *dims, Py_ssize_t itemsize)
cdef Py_ssize_t first_behind(Region a, Py_ssize_t place) noexcept
cdef bint meet(Region a, Region b) noexcept
cdef bint is_within(Region a, Region b) noexcept
cdef Region intersection(Region a, Region b)
cdef Region union_of(Region a, Region b)
cdef Region difference(Region a, Region b)
cdef Region shifted(Region a, Py_ssize_t by)
cdef Py_ssize_t count_bytes(Region a) noexcept
