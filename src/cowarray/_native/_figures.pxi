# What the library tells of itself, its bound on kept memory, and the allocator of the tests. Included by _native.pyx.


def count_modes(int change):
    """Count a context in (1) or out (-1). Returns how many there are."""
    return count_mode_users(change)


cdef void count_eager(size_t nbytes) noexcept:
    cow_stats_count_eager(nbytes)


def stats():
    """Figures of what the library did since the start or the last `reset_stats`.

    Returns
    -------
    dict
        ``lazy_clones``: copies that share bytes; ``eager_copies``: copies made at once; ``copies``: writes that copied
        first; ``bytes_copied``: by both; ``steals``: writes by the last sharer; ``overwrites``: writes that replaced
        every byte and copied none. Counts, and bytes.

    Examples
    --------
    >>> import numpy as np, cowarray
    >>> x = cowarray.array(np.zeros(1000))
    >>> cowarray.reset_stats()
    >>> y = x.copy()
    >>> cowarray.stats()["lazy_clones"], cowarray.stats()["bytes_copied"]
    (1, 0)
    >>> y[0] = 1
    >>> cowarray.stats()["bytes_copied"]
    8000
    """
    cdef cow_stats figures
    cow_stats_read(&figures)
    return {
        "lazy_clones": figures.lazy_clones,
        "copies": figures.copies,
        "bytes_copied": figures.bytes_copied,
        "steals": figures.steals,
        "overwrites": figures.overwrites,
        "eager_copies": figures.eager_copies,
    }


def reset_stats():
    """Set every figure of `stats` to 0.

    Returns
    -------
    None

    See Also
    --------
    stats : The figures.
    """
    cow_stats_reset()


def keep_freed(size_t nbytes):
    """Set how many bytes of freed large blocks (4 MiB and up) are kept for reuse.

    A copy into memory that was used before takes half the time of one into fresh pages. What is kept is memory that the
    process has and no array uses.

    Parameters
    ----------
    nbytes : int
        64 MiB until set; 0 keeps none, and gives back at once what is kept.

    Returns
    -------
    int
        The bound before.
    """
    return cow_heap_keep(nbytes)


cdef class TracingAllocator:
    """For tests: while entered, new memory comes from an allocator that knows every block and can refuse some.

    Leave it only when every array made inside is gone: `report` then shows no live block.
    """

    cdef cow_tracing *tracing
    cdef const cow_allocator *previous

    def __cinit__(self):
        if cow_tracing_new(cow_heap(), &self.tracing) != COW_OK:
            raise MemoryError("cannot make a tracing allocator")

    def __dealloc__(self):
        # One with live blocks is leaked: the blocks still need it.
        if self.tracing != NULL:
            cow_tracing_free(self.tracing)

    def __enter__(self):
        global allocator
        self.previous = allocator
        allocator = cow_tracing_allocator(self.tracing)
        return self

    def __exit__(self, *exc):
        global allocator
        allocator = self.previous

    def refuse(self, size_t n, bint every=False):
        """Refuse the n-th allocation from now (with every, all that follow, too); 0 refuses none."""
        cow_tracing_refuse(self.tracing, n, every)

    def report(self):
        """dict: live_blocks, live_bytes, peak_bytes, allocations, refused, clones, cloned_bytes, faults."""
        cdef cow_tracing_report figures
        cow_tracing_read(self.tracing, &figures)
        return figures
