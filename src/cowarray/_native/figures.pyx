# cython: freethreading_compatible=True
"""Figures of the library's work, its bound on kept memory, and the policy of paging."""

import os
from operator import index

from cowarray._native.public import public

from cowarray._c.core cimport (
    COW_PAGING_ALLOWANCE,
    COW_PAGING_EAGER,
    COW_PAGING_LEDGER,
    COW_PAGING_OFF,
    cow_paging_figures,
    cow_paging_policy,
    cow_stats,
)
from cowarray._native.storage cimport (
    keep_in_heap,
    paging_now,
    read_figures,
    read_paging,
    reset_figures,
    use_paging,
)

cdef cow_paging_figures forgotten  # the counts at the last reset


@public
def stats():
    """Return figures of the library's work since the start or the last `reset_stats`.

    Returns
    -------
    dict
        ``lazy_clones``: copies that share bytes; ``eager_copies``: copies made at once; ``copies``: writes that copied
        first; ``bytes_copied``: by both; ``steals``: writes by the last sharer; ``overwrites``: writes that replaced
        every byte and copied none. Of the copies by the page (`paging`): ``page_copies``; ``pages_copied``: pages of 4
        KiB copied for them at once; ``bases``: frozen copies made; ``committed_regions``: regions of 2 MiB copied so
        often that they got a base; ``give_ups``: paged arrays of which so much was written that they got a plain copy.
        All are counts, or bytes.

    Notes
    -----
    The bytes of a copy by the page are those of the base, if one was made for it, of pages and regions copied at once,
    and, at most, of the pages that the write announced, which the system copies as it goes on. Later writes to the same
    array make more pages private, which are not counted; its `Storage.own_nbytes` includes them.

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
    cdef cow_paging_figures pages
    read_figures(&figures)
    read_paging(&pages)
    return {
        "lazy_clones": figures.lazy_clones,
        "copies": figures.copies,
        "bytes_copied": figures.bytes_copied,
        "steals": figures.steals,
        "overwrites": figures.overwrites,
        "eager_copies": figures.eager_copies,
        "page_copies": pages.page_copies - forgotten.page_copies,
        "pages_copied": pages.pages_copied - forgotten.pages_copied,
        "bases": pages.bases - forgotten.bases,
        "committed_regions": pages.commits - forgotten.commits,
        "give_ups": pages.give_ups - forgotten.give_ups,
    }


@public
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
    read_paging(&forgotten)


@public
def keep_freed(nbytes):
    """Set how many bytes of freed large blocks (256 KiB and up) are kept for reuse.

    A copy into reused memory takes half the time of one into fresh pages. Kept memory belongs to the process, but no
    array uses it. While arrays use more than the bound, as much as they use may be kept.

    Parameters
    ----------
    nbytes : int
        64 MiB until set; 0 keeps none, and releases kept memory at once.

    Returns
    -------
    int
        The previous bound.

    Raises
    ------
    TypeError
        `nbytes` is not an integer.
    OverflowError
        `nbytes` is negative, or 2**64 or more.
    """
    if not hasattr(type(nbytes), "__index__"):
        raise TypeError(f"keep_freed: nbytes must be an integer (got {nbytes!r})")
    count = index(nbytes)
    if not 0 <= count < 2**64:
        raise OverflowError(f"keep_freed: nbytes must be at least 0, and less than 2**64 (got {count})")
    return keep_in_heap(count)


@public
def paging(mode=None, /, *, small_pages=None):
    """Set when a write to a large shared array copies pages instead of the whole array.

    A lazy copy of 4 MiB or more can be written by the page: its bytes are frozen once, in memory, and each writer maps
    them privately, so that the kernel copies only the pages of 4 KiB that are written. That needs Linux 6.1 and its
    huge pages; elsewhere, and whenever the system refuses, writes copy as usual. Programs compute the same results.

    Parameters
    ----------
    mode : {'ledger', 'eager', 'off'} or int, optional
        ``'ledger'``, the default: pages from the first write to a copy for arrays of 32 MiB or more, from the second
        for smaller ones. A family, which is an array and its copies and their copies, never pays more than 1.25 times
        the cost of NumPy's copies, plus 1.25 of one copy; such loans are limited to 512 MiB for all families together,
        and regained at 64 MiB a second. ``'eager'``: pages always, for programs that write little of each copy.
        ``'off'``: never. An int: the ledger, with that many bytes instead of 512 MiB. Omitted: the mode stays.
    small_pages : bool, optional
        Whether to page even without pages of 2 MiB, which makes reading slower. False at first.

    Returns
    -------
    str or int
        The previous mode.

    Raises
    ------
    ValueError
        The mode is unknown, or a number below 0 or from 2**62 on.
    TypeError
        The mode is neither text nor an integer, or `small_pages` is not a bool.

    See Also
    --------
    by_page : Pages one array and its copies, whatever the mode.
    stats : Counts copies by the page.
    paging_memory : Tells the memory that they take.

    Notes
    -----
    The environment variable ``COWARRAY_PAGING`` sets the mode at import. The mode applies to the whole process.

    Examples
    --------
    >>> import cowarray
    >>> cowarray.paging("eager")
    'ledger'
    >>> cowarray.paging("ledger")
    'eager'
    """
    cdef cow_paging_policy policy = paging_now()
    before = mode_of(policy)
    if small_pages is not None and type(small_pages) is not bool:
        raise TypeError(f"paging: small_pages must be True or False (got {small_pages!r})")
    if mode is not None:
        put_mode(&policy, mode)
    if small_pages is not None:
        policy.small_pages = <bint>small_pages
    use_paging(policy)
    return before


cdef object mode_of(cow_paging_policy policy):
    if policy.mode == COW_PAGING_OFF:
        return "off"
    if policy.mode == COW_PAGING_EAGER:
        return "eager"
    return "ledger" if policy.allowance == COW_PAGING_ALLOWANCE else policy.allowance


cdef int put_mode(cow_paging_policy *policy, object mode) except -1:
    cdef dict modes = {"off": COW_PAGING_OFF, "ledger": COW_PAGING_LEDGER, "eager": COW_PAGING_EAGER}
    if not isinstance(mode, str) and (isinstance(mode, bool) or not hasattr(type(mode), "__index__")):
        raise TypeError(f"paging: the mode must be text or a number of bytes (got {type(mode).__name__})")
    if isinstance(mode, str):
        if mode not in modes:
            raise ValueError(f"paging: the mode must be 'ledger', 'eager', 'off' or a number of bytes (got {mode!r})")
        policy.mode = modes[mode]
        policy.allowance = COW_PAGING_ALLOWANCE
        return 0
    allowance = index(mode)
    if not 0 <= allowance < 2**62:
        raise ValueError(f"paging: an allowance must be a number of bytes from 0 to below 2**62 (got {allowance})")
    policy.allowance = allowance
    policy.mode = COW_PAGING_LEDGER
    return 0


@public
def paging_memory():
    """Tell how much memory paged arrays take (`paging`), counting shared memory once.

    Returns
    -------
    dict
        ``bases``: bytes in frozen copies; ``files``: their open descriptors; ``maps``: mapped pieces of arrays, of
        which a system allows some ten thousand; ``resident``: the process's bytes in memory, counting each base once,
        whereas tools that add up mappings count it for each array; -1 where the system does not tell.

    See Also
    --------
    paging : Sets when arrays are paged.

    Examples
    --------
    >>> import cowarray
    >>> sorted(cowarray.paging_memory())
    ['bases', 'files', 'maps', 'resident']
    """
    cdef cow_paging_figures pages
    read_paging(&pages)
    private = private_memory()
    return {
        "bases": pages.base_bytes,
        "files": pages.base_files,
        "maps": pages.maps,
        "resident": private + pages.base_bytes if private >= 0 else -1,
    }


def private_memory():
    """Return the bytes in memory that belong to no file; -1 where the system does not tell."""
    try:
        lines = open("/proc/self/status")
        try:
            found = [line for line in lines if line.startswith("RssAnon:")]
        finally:
            lines.close()
    except OSError:
        found = []
    return int(found[0].split()[1]) * 1024 if found else -1


if os.environ.get("COWARRAY_PAGING"):
    paging(int(os.environ["COWARRAY_PAGING"]) if os.environ["COWARRAY_PAGING"].isdecimal()
           else os.environ["COWARRAY_PAGING"])
