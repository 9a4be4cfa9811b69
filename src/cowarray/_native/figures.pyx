# cython: freethreading_compatible=True
"""What the library tells of itself, and its bound on kept memory."""

from cowarray._c.core cimport cow_stats
from cowarray._native.storage cimport keep_in_heap, read_figures, reset_figures


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
    read_figures(&figures)
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
    reset_figures()


def keep_freed(size_t nbytes):
    """Set how many bytes of freed large blocks (256 KiB and up) are kept for reuse.

    A copy into memory that was used before takes half the time of one into fresh pages. What is kept is memory that the
    process has and no array uses. While arrays use more than the bound, as much as they use may be kept.

    Parameters
    ----------
    nbytes : int
        64 MiB until set; 0 keeps none, and gives back at once what is kept.

    Returns
    -------
    int
        The bound before.
    """
    return keep_in_heap(nbytes)
