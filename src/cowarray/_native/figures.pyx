# cython: freethreading_compatible=True
"""What the library tells of itself, its bound on kept memory, and how it copies by the page."""

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

cdef cow_paging_figures forgotten  # what had been counted at the last reset


@public
def stats():
    """Figures of what the library did since the start or the last `reset_stats`.

    Returns
    -------
    dict
        ``lazy_clones``: copies that share bytes; ``eager_copies``: copies made at once; ``copies``: writes that copied
        first; ``bytes_copied``: by both; ``steals``: writes by the last sharer; ``overwrites``: writes that replaced
        every byte and copied none. Of the copies, by the page (`paging`): ``page_copies``; ``pages_copied``: pages
        of 4 KiB that were copied for them at once; ``bases``: frozen copies that were made; ``committed_regions``: of
        2 MiB, copied so often that a base was made of them; ``give_ups``: arrays by the page of which so much was
        written that they got a plain copy. Counts, and bytes.

    Notes
    -----
    The bytes of a copy by the page are those of the base, if one was made for it, of pages and regions that were
    copied at once, and of the pages that the write said it would touch, at most: the system copies them while it
    goes on. Later writes to the same array touch more pages of its own, which are not counted; its
    `Storage.own_nbytes` has them.

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

    Raises
    ------
    TypeError
        `nbytes` is no integer.
    OverflowError
        It is negative, or 2**64 or more.
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
    them privately, so that the kernel copies the pages of 4 KiB that are written. That needs Linux 6.1 and its huge
    pages; elsewhere, and whenever the system refuses, writes copy as ever. What a program computes is the same.

    Parameters
    ----------
    mode : {'ledger', 'eager', 'off'} or int, optional
        ``'ledger'``, the default of a process: from the first write to a copy on for arrays of 32 MiB, from the second
        on for smaller ones. Each array and what descends from it by copies, a family, never pays more than 1.25 of
        what NumPy's copies would have cost, and one copy; all families together at most 512 MiB of such copies, which
        come back at 64 MiB a second. ``'eager'``: always, for programs that know that they write little of each copy.
        ``'off'``: never. An int: the ledger, with so many bytes in the place of 512 MiB. Nothing changes if omitted.
    small_pages : bool, optional
        Whether to page where there are no pages of 2 MiB, too: reading is then slower. False at first.

    Returns
    -------
    str or int
        The mode before.

    Raises
    ------
    ValueError
        Another mode, or a negative number.
    TypeError
        The mode is neither text nor an integer, or `small_pages` is not a bool.

    See Also
    --------
    by_page : Has one array and its copies paged, whatever the mode.
    stats : Counts copies by the page.
    paging_memory : The memory that they take.

    Notes
    -----
    The environment variable ``COWARRAY_PAGING`` sets the mode at import. The mode is the process's, in all threads.

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
    """Tell what memory arrays by the page take (`paging`), with what they share counted once.

    Returns
    -------
    dict
        ``bases``: bytes in frozen copies; ``files``: descriptors that those have open; ``maps``: pieces of arrays that
        are mapped, of which a system allows some ten thousand; ``resident``: bytes in memory that are the process's,
        with each base counted once, where tools that add up mappings count it for each array; -1 where the system
        does not tell.

    See Also
    --------
    paging : Sets when there are such arrays.

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
    """Bytes in memory that belong to no file; -1 where the system does not tell."""
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
