"""Views that step through an array's memory with strides of the caller's choice."""

from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from cowarray._chapters.manipulation import broadcast_arrays, broadcast_shapes, broadcast_to
from cowarray._face.annotations import Array
from cowarray._ops.elementwise import imported_values
from cowarray._ops.functions import dispatched
from cowarray._ops.strided import as_strided

__all__ = ["as_strided", "broadcast_arrays", "broadcast_shapes", "broadcast_to", "sliding_window_view"]

as_strided.__module__ = __name__


def sliding_window_view(
    x: ArrayLike,
    window_shape: SupportsIndex | tuple[SupportsIndex, ...],
    axis: SupportsIndex | tuple[SupportsIndex, ...] | None = None,
    *,
    subok: bool = False,
    writeable: bool = False,
) -> Array:
    """View all windows of a shape that fit into an array.

    Parameters
    ----------
    x : array_like
    window_shape : int or tuple of int
        Lengths of a window, for each axis that it slides along.
    axis : int or tuple of int, optional
        The axes that it slides along. Default: all.
    subok : bool, default False
        Ignored: the result is a `cowarray.ndarray`.
    writeable : bool, default False
        Whether writes should be allowed. They are only where the windows do not overlap.

    Returns
    -------
    ndarray
        A view of x; the windows' axes come last.

    See Also
    --------
    numpy.lib.stride_tricks.sliding_window_view : The same for NumPy's arrays.

    Examples
    --------
    >>> import cowarray
    >>> cowarray.lib.stride_tricks.sliding_window_view(cowarray.arange(5), 3)
    array([[0, 1, 2],
           [1, 2, 3],
           [2, 3, 4]])
    """
    x = imported_values(x)
    view = dispatched(np.lib.stride_tricks.sliding_window_view, x, window_shape, axis)
    return as_strided(x, view.shape, view.strides) if writeable else view
