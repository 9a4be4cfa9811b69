"""`lazy_clone`, which is in no chapter of the standard, nor in NumPy."""

from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike

from cowarray._face.ndarray import ndarray
from cowarray._native.public import public
from cowarray._ops.conversion import own_or_asarray

__all__ = ["lazy_clone"]

_Shape = TypeVar("_Shape", bound=tuple[Any, ...])
_DType = TypeVar("_DType", bound=np.dtype[Any])


@overload
@public
def lazy_clone(x: ndarray[_Shape, _DType] | np.ndarray[_Shape, _DType], /) -> ndarray[_Shape, _DType]: ...
@overload
@public
def lazy_clone(x: ArrayLike, /) -> ndarray[Any, Any]: ...
@public
def lazy_clone(x: Any, /) -> Any:
    """Copy an array in the same memory layout; the bytes are shared until one of the two is written to.

    Parameters
    ----------
    x : array_like
        Anything but a `cowarray.ndarray` is first converted by `asarray`.

    Returns
    -------
    ndarray
        A copy, lazy where possible; writable, in a new Storage.

    Raises
    ------
    ValueError
        `x` cannot become an array.
    MemoryError
        There is no memory for a copy that is made at once.
    CopyError
        Inside ``no_copy(eager=True)``, if the copy would be made at once.

    See Also
    --------
    explain : Tells whether a copy is lazy, and why.

    Examples
    --------
    >>> import cowarray
    >>> x = cowarray.array([1, 2, 3])
    >>> y = cowarray.lazy_clone(x)
    >>> y[0] = 5
    >>> x
    array([1, 2, 3])
    """
    return own_or_asarray(x).lazy_clone()
