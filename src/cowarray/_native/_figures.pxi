# What the library tells of itself, and its bound on kept memory. Included by _native.pyx.


def _count_mode_users(int change):
    """Count a context in (1) or out (-1). Returns how many there are."""
    return count_mode_users(change)


_modes._Mode._count_users = staticmethod(_count_mode_users)


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
    """Set every figure of `stats` to 0."""
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
