"""The chapter "manipulation functions" of the array API standard, 2025.12."""

from collections.abc import Sequence
from typing import SupportsIndex, TypeAlias

from numpy.typing import ArrayLike

from cowarray._chapters import gathered as _chapters
from cowarray._chapters.docstrings import CompletedFrom
from cowarray._face.annotations import AnyArray, Array, Axes, Axis, Shape
from cowarray._ops.conversion import standard

_Arrays: TypeAlias = Sequence[ArrayLike] | AnyArray

_completed = CompletedFrom(_chapters, "cowarray")


@_completed
def broadcast_arrays(*arrays: ArrayLike) -> tuple[Array, ...]:
    """Broadcast arrays against each other.

    Read-only views, whose elements overlap.
    """
    return standard(_chapters.broadcast_arrays(*arrays))


@_completed
def broadcast_shapes(*shapes: Shape) -> tuple[int, ...]:
    """Return the shape that arrays of these shapes broadcast to."""
    return _chapters.broadcast_shapes(*shapes)


@_completed
def broadcast_to(x: ArrayLike, /, shape: Shape) -> Array:
    """Broadcast an array to a shape.

    A read-only view of x, whose elements overlap.
    """
    return standard(_chapters.broadcast_to(x, shape=shape))


@_completed
def concat(arrays: _Arrays, /, *, axis: Axis = 0) -> Array:
    """Join arrays along an existing axis."""
    return standard(_chapters.concat(arrays, axis=axis))


@_completed
def expand_dims(x: ArrayLike, /, axis: Axes) -> Array:
    """Add axes of length 1.

    A view of x.

    Parameters
    ----------
    axis : int or tuple of int
        The positions of the new axes in the result.
    """
    return standard(_chapters.expand_dims(x, axis=axis))


@_completed
def flip(x: ArrayLike, /, *, axis: Axes = None) -> Array:
    """Reverse the order of elements along axes.

    A view of x.
    """
    return standard(_chapters.flip(x, axis=axis))


@_completed
def moveaxis(x: ArrayLike, source: Shape, destination: Shape, /) -> Array:
    """Move axes to other places; the others keep their order.

    A view of x.
    """
    return standard(_chapters.moveaxis(x, source, destination))


@_completed
def permute_dims(x: ArrayLike, /, axes: Sequence[SupportsIndex]) -> Array:
    """Put axes in another order.

    A view of x.

    Parameters
    ----------
    axes : tuple of int
        For each axis of the result, the axis of `x` that it is.
    """
    return standard(_chapters.permute_dims(x, axes=axes))


@_completed
def repeat(x: ArrayLike, repeats: ArrayLike, /, *, axis: Axis = None) -> Array:
    """Repeat each element, along an axis."""
    return standard(_chapters.repeat(x, repeats, axis=axis))


@_completed
def reshape(x: ArrayLike, /, shape: Shape, *, copy: bool | None = None) -> Array:
    """Give an array's elements another shape.

    A copy, lazy where possible; with ``copy=False`` a view of x.
    """
    return standard(_chapters.reshape(x, shape=shape, copy=copy))


@_completed
def roll(x: ArrayLike, /, shift: Shape, *, axis: Axes = None) -> Array:
    """Move elements along axes; those that leave at one end re-enter at the other."""
    return standard(_chapters.roll(x, shift=shift, axis=axis))


@_completed
def squeeze(x: ArrayLike, /, axis: Axes) -> Array:
    """Remove axes of length 1.

    A view of x.

    Parameters
    ----------
    axis : int or tuple of int
        Of length 1.
    """
    return standard(_chapters.squeeze(x, axis=axis))


@_completed
def stack(arrays: _Arrays, /, *, axis: SupportsIndex = 0) -> Array:
    """Join arrays of one shape along a new axis."""
    return standard(_chapters.stack(arrays, axis=axis))


@_completed
def tile(x: ArrayLike, repetitions: ArrayLike, /) -> Array:
    """Repeat a whole array along each axis."""
    return standard(_chapters.tile(x, repetitions))


@_completed
def unstack(x: ArrayLike, /, *, axis: SupportsIndex = 0) -> tuple[Array, ...]:
    """Split an array into its parts at each index along an axis."""
    return standard(_chapters.unstack(x, axis=axis))
