"""`by_page`: arrays whose copies are written by the page from the first on, whatever the mode of paging."""

from typing import Any

from cowarray._face.ndarray import ndarray
from cowarray._native.public import public

__all__ = ["by_page"]


@public
def by_page(x: ndarray[Any, Any], /, *, required: bool = False) -> ndarray[Any, Any]:
    """Have an array and all its copies written by the page, whatever they cost.

    The bytes of the array's whole Storage are copied once, into memory that is frozen. From then on the array, its
    views, and every lazy copy that is made of them pay for the pages that they write, never for the whole. `paging`
    decides that for each copy; here you do, for those of one array. Copies that it has already are left as they are,
    unless it was written by the page before. Ask again for a copy (``x.copy().by_page()``), and it no longer shares
    its bytes: a writable export of it copies nothing.

    Parameters
    ----------
    x : ndarray
    required : bool, default False
        Whether to raise where no pages can be had: fewer than 4 MiB, or a system that grants none. Otherwise nothing
        happens there.

    Returns
    -------
    ndarray
        The array itself, in other memory.

    Raises
    ------
    BufferError
        The array is pinned by a running write or a writable export; it is fake, deferred, or managed by a budget; it
        has Python objects; or, if `required`, no pages can be had. The message says which. Nothing has changed.
    MemoryError
        There is no memory for the base. Nothing has changed.
    TypeError
        x is not a `cowarray.ndarray`.

    See Also
    --------
    paging : Sets when other arrays are written by the page.

    Notes
    -----
    Reading an array of which one page in a hundred was written takes up to a quarter longer, and writing all pages one
    by one takes two to four times as long as a copy. Memory that others own is left to them; what they change later
    is not seen.

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
