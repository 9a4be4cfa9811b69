"""`by_page`: arrays whose copies are written by the page from the first write on, whatever the mode of paging."""

from typing import Any

from cowarray._face.ndarray import ndarray
from cowarray._native.public import public

__all__ = ["by_page"]


@public
def by_page(x: ndarray[Any, Any], /, *, required: bool = False) -> ndarray[Any, Any]:
    """Write an array and all its copies by the page, whatever the cost.

    The bytes of the array's whole Storage are copied once, into memory that is frozen. From then on the array, its
    views, and every lazy copy made of them pay for the pages that they write, never for the whole. `paging` decides
    that for each copy; here you decide for the copies of one array. Existing copies stay as they are, unless the array
    was already written by the page. If you call it on a copy (``x.copy().by_page()``), the copy no longer shares its
    bytes: a writable export of it copies nothing.

    Parameters
    ----------
    x : ndarray
    required : bool, default False
        Whether to raise if pages are unavailable: for less than 4 MiB, or if the system grants none. By default, the
        array then stays as it is.

    Returns
    -------
    ndarray
        The array itself, in new memory.

    Raises
    ------
    BufferError
        The array is pinned by a running write or a writable export; it is fake, deferred, or managed by a budget; it
        has Python objects; or, if `required`, pages are unavailable. The message says which. Nothing has changed.
    MemoryError
        There is not enough memory for the base. Nothing has changed.
    TypeError
        `x` is not a `cowarray.ndarray`.

    See Also
    --------
    paging : Sets when other arrays are written by the page.

    Notes
    -----
    Reading an array in which one page in a hundred was written takes up to a quarter longer, and writing all pages one
    by one takes two to four times as long as a copy. Memory that others own stays theirs; the array does not see their
    later changes.

    Examples
    --------
    >>> import cowarray
    >>> x = cowarray.by_page(cowarray.zeros(2**20))
    >>> y = x.copy()
    >>> y[0] = 1.0
    >>> y[0], x[0]
    (np.float64(1.0), np.float64(0.0))
    """
    if not isinstance(x, ndarray):
        raise TypeError(f"by_page: expected a cowarray.ndarray (got {type(x).__name__})")
    return x.by_page(required=required)
