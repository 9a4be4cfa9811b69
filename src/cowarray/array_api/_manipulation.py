"""The chapter "manipulation functions" of the array API standard, 2025.12."""

from collections.abc import Sequence
from typing import SupportsIndex, TypeAlias

from numpy.typing import ArrayLike

from cowarray import _chapters
from cowarray._face.annotations import AnyArray, Array, Axes, Axis, Shape
from cowarray._ops.conversion import standard

_Arrays: TypeAlias = Sequence[ArrayLike] | AnyArray


def broadcast_arrays(*arrays: ArrayLike) -> tuple[Array, ...]:
    """Arrays broadcast against each other.

    Parameters
    ----------
    *arrays : array_like

    Returns
    -------
    tuple of ndarray
        Read-only views, in which elements overlap.

    See Also
    --------
    cowarray.broadcast_arrays : Has NumPy's parameters.
    """
    return standard(_chapters.broadcast_arrays(*arrays))


def broadcast_shapes(*shapes: Shape) -> tuple[int, ...]:
    """The shape that arrays of these shapes broadcast to.

    Parameters
    ----------
    *shapes : int or tuple of int

    Returns
    -------
    tuple of int

    See Also
    --------
    cowarray.broadcast_shapes : Has NumPy's parameters.
    """
    return _chapters.broadcast_shapes(*shapes)


def broadcast_to(x: ArrayLike, /, shape: Shape) -> Array:
    """An array broadcast to a shape.

    Parameters
    ----------
    x : array_like
    shape : int or tuple of int

    Returns
    -------
    ndarray
        A read-only view of x, in which elements overlap.

    See Also
    --------
    cowarray.broadcast_to : Has NumPy's parameters.
    """
    return standard(_chapters.broadcast_to(x, shape=shape))


def concat(arrays: _Arrays, /, *, axis: Axis = 0) -> Array:
    """Join arrays along an axis that they have.

    Parameters
    ----------
    arrays : sequence of array_like
    axis : int or None, default 0
        ``None``: arrays are flattened first.

    Returns
    -------
    ndarray
        Fresh.

    See Also
    --------
    cowarray.concat : Has NumPy's parameters.
    """
    return standard(_chapters.concat(arrays, axis=axis))


def expand_dims(x: ArrayLike, /, axis: Axes) -> Array:
    """Add axes of length 1.

    Parameters
    ----------
    x : array_like
    axis : int or tuple of int
        Where new axes stand in the result.

    Returns
    -------
    ndarray
        A view of x.

    See Also
    --------
    cowarray.expand_dims : Has NumPy's parameters.
    """
    return standard(_chapters.expand_dims(x, axis=axis))


def flip(x: ArrayLike, /, *, axis: Axes = None) -> Array:
    """Reverse the order of elements along axes.

    Parameters
    ----------
    x : array_like
    axis : int or tuple of int, optional
        All axes if omitted.

    Returns
    -------
    ndarray
        A view of x.

    See Also
    --------
    cowarray.flip : Has NumPy's parameters.
    """
    return standard(_chapters.flip(x, axis=axis))


def moveaxis(x: ArrayLike, source: Shape, destination: Shape, /) -> Array:
    """Move axes to other places; the others keep their order.

    Parameters
    ----------
    x : array_like
    source : int or sequence of int
    destination : int or sequence of int

    Returns
    -------
    ndarray
        A view of x.

    See Also
    --------
    cowarray.moveaxis : Has NumPy's parameters.
    """
    return standard(_chapters.moveaxis(x, source, destination))


def permute_dims(x: ArrayLike, /, axes: Sequence[SupportsIndex]) -> Array:
    """Put axes in another order.

    Parameters
    ----------
    x : array_like
    axes : tuple of int
        For each axis of the result, which one of `x` it is.

    Returns
    -------
    ndarray
        A view of x.

    See Also
    --------
    cowarray.permute_dims : Has NumPy's parameters.
    """
    return standard(_chapters.permute_dims(x, axes=axes))


def repeat(x: ArrayLike, repeats: ArrayLike, /, *, axis: Axis = None) -> Array:
    """Repeat each element, along an axis.

    Parameters
    ----------
    x : array_like
    repeats : int or array_like of int
        How often, for all elements or for each.
    axis : int, optional
        The array is flattened first if omitted.

    Returns
    -------
    ndarray
        A copy, made at once.

    See Also
    --------
    cowarray.repeat : Has NumPy's parameters.
    """
    return standard(_chapters.repeat(x, repeats, axis=axis))


def reshape(x: ArrayLike, /, shape: Shape, *, copy: bool | None = None) -> Array:
    """The elements of an array in another shape.

    Parameters
    ----------
    x : array_like
    shape : int, or tuple or list of int
        One length may be -1: what is left.
    copy : bool, optional
        ``False``: a view. ``None`` and ``True``: a copy.

    Returns
    -------
    ndarray
        A copy, lazy where possible; with ``copy=False`` a view of x.

    Raises
    ------
    ValueError
        With ``copy=False``, no view has that shape.

    See Also
    --------
    cowarray.reshape : Has NumPy's parameters.
    """
    return standard(_chapters.reshape(x, shape=shape, copy=copy))


def roll(x: ArrayLike, /, shift: Shape, *, axis: Axes = None) -> Array:
    """Move elements along axes; those that leave at one end re-enter at the other.

    Parameters
    ----------
    x : array_like
    shift : int or tuple of int
        Places to move by, for each axis.
    axis : int or tuple of int, optional
        The flattened order if omitted.

    Returns
    -------
    ndarray
        A copy, made at once.

    See Also
    --------
    cowarray.roll : Has NumPy's parameters.
    """
    return standard(_chapters.roll(x, shift=shift, axis=axis))


def squeeze(x: ArrayLike, /, axis: Axes) -> Array:
    """Remove axes of length 1.

    Parameters
    ----------
    x : array_like
    axis : int or tuple of int
        Of length 1.

    Returns
    -------
    ndarray
        A view of x.

    See Also
    --------
    cowarray.squeeze : Has NumPy's parameters.
    """
    return standard(_chapters.squeeze(x, axis=axis))


def stack(arrays: _Arrays, /, *, axis: SupportsIndex = 0) -> Array:
    """Join arrays of one shape along a new axis.

    Parameters
    ----------
    arrays : sequence of array_like
    axis : int, default 0
        Where it stands in the result.

    Returns
    -------
    ndarray
        Fresh.

    See Also
    --------
    cowarray.stack : Has NumPy's parameters.
    """
    return standard(_chapters.stack(arrays, axis=axis))


def tile(x: ArrayLike, repetitions: ArrayLike, /) -> Array:
    """Repeat a whole array along each axis.

    Parameters
    ----------
    x : array_like
    repetitions : int or sequence of int
        How often, for each axis.

    Returns
    -------
    ndarray
        A copy, made at once.

    See Also
    --------
    cowarray.tile : Has NumPy's parameters.
    """
    return standard(_chapters.tile(x, repetitions))


def unstack(x: ArrayLike, /, *, axis: SupportsIndex = 0) -> tuple[Array, ...]:
    """The parts of an array at each index along an axis.

    Parameters
    ----------
    x : array_like
    axis : int, default 0

    Returns
    -------
    tuple of ndarray
        All are views of x.

    See Also
    --------
    cowarray.unstack : Has NumPy's parameters.
    """
    return standard(_chapters.unstack(x, axis=axis))
