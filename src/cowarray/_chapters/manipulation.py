"""The chapter "manipulation functions" of the array API standard, and NumPy's functions of that kind.

A view of a cowarray array lies on its Storage. A view of any other argument is a view of the copy that `asarray` makes.
Copies are lazy if the rules allow it.

It is one file because a chapter of the standard is one module. Read it a function at a time.
"""

from collections.abc import Callable, Sequence
from typing import Any, Literal, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from cowarray._chapters.declared import dispatching
from cowarray._chapters.docstrings import complete
from cowarray._face.annotations import AnyArray, Array, Axes, Axis, Cast, DType, Order, Shape
from cowarray._ops.elementwise import imported, imported_values
from cowarray._ops.functions import dispatched

_Arrays: TypeAlias = Sequence[ArrayLike] | AnyArray

__all__ = [
    "append",
    "array_split",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "block",
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "column_stack",
    "concat",
    "concatenate",
    "copyto",
    "delete",
    "dsplit",
    "dstack",
    "expand_dims",
    "flip",
    "fliplr",
    "flipud",
    "hsplit",
    "hstack",
    "insert",
    "moveaxis",
    "ndim",
    "pad",
    "permute_dims",
    "ravel",
    "repeat",
    "reshape",
    "resize",
    "roll",
    "rollaxis",
    "rot90",
    "shape",
    "size",
    "split",
    "squeeze",
    "stack",
    "swapaxes",
    "tile",
    "transpose",
    "trim_zeros",
    "unstack",
    "vsplit",
    "vstack",
]


@dispatching(np.append, arrays=2, returns=Array)
def append(arr: ArrayLike, values: ArrayLike, axis: Axis = None) -> Any:
    """Append values to an array along an axis.

    A copy, made at once; `arr` stays as it is.

    Parameters
    ----------
    arr : array_like
    values : array_like
    axis : int, optional
        If omitted, both are flattened first.
    """


@dispatching(np.array_split, returns=list[Array], imports=True)
def array_split(ary: ArrayLike, indices_or_sections: SupportsIndex | ArrayLike, axis: SupportsIndex = 0) -> Any:
    """Split an array along an axis into parts whose lengths may differ by one.

    All are views of ary.

    Parameters
    ----------
    ary : array_like
    indices_or_sections : int or sequence of int
        The number of parts, or the indices where parts begin.
    axis : int, default 0
    """


@dispatching(np.atleast_1d, arrays=None, imports=True)
def atleast_1d(*arys: ArrayLike) -> Any:
    """Give arrays at least one axis.

    Parameters
    ----------
    *arys : array_like

    Returns
    -------
    ndarray or tuple of ndarray
        A copy of each, lazy where possible.

    See Also
    --------
    numpy.atleast_1d : Returns its argument if it can.
    """


@dispatching(np.atleast_2d, arrays=None, imports=True)
def atleast_2d(*arys: ArrayLike) -> Any:
    """Give arrays at least two axes: new ones, of length 1, go in front.

    Parameters
    ----------
    *arys : array_like

    Returns
    -------
    ndarray or tuple of ndarray
        A copy of each, lazy where possible.

    See Also
    --------
    numpy.atleast_2d : Returns its argument or a view if it can.
    """


@dispatching(np.atleast_3d, arrays=None, imports=True)
def atleast_3d(*arys: ArrayLike) -> Any:
    """Give arrays at least three axes.

    Parameters
    ----------
    *arys : array_like

    Returns
    -------
    ndarray or tuple of ndarray
        A copy of each, lazy where possible.

    See Also
    --------
    numpy.atleast_3d : Returns its argument or a view if it can.
    """


@dispatching(np.block, returns=Array)
def block(arrays: Any) -> Any:
    """Assemble an array from nested lists of blocks.

    Fresh.

    Parameters
    ----------
    arrays : nested list of array_like
        The innermost lists are joined along the last axis.
    """


def broadcast_arrays(*args: ArrayLike, subok: bool = False) -> tuple[Array, ...]:
    """Broadcast arrays against each other.

    Views; those whose elements overlap are read-only.

    Parameters
    ----------
    *args : array_like
    subok : bool, default False
        Whether to keep the argument's subclass of NumPy's array.

    See Also
    --------
    numpy.broadcast_arrays : Its overlapping views may be written to, with a warning.
    """
    taken = imported if subok else imported_values
    return dispatched(np.broadcast_arrays, *map(taken, args), subok=subok)


def broadcast_shapes(*args: Shape) -> tuple[int, ...]:
    """Return the shape that arrays of these shapes broadcast to.

    Parameters
    ----------
    *args : int or tuple of int

    Returns
    -------
    tuple of int

    See Also
    --------
    numpy.broadcast_shapes : The same function.
    """
    return np.broadcast_shapes(*args)


def broadcast_to(array: ArrayLike, shape: Shape, subok: bool = False) -> Array:
    """Broadcast an array to a shape.

    A read-only view of array, in which elements overlap.

    Parameters
    ----------
    array : array_like
    shape : int or tuple of int
    subok : bool, default False
        Whether to keep the argument's subclass of NumPy's array.
    """
    return dispatched(np.broadcast_to, imported(array) if subok else imported_values(array), shape, subok)


@dispatching(np.column_stack, returns=Array)
def column_stack(tup: _Arrays) -> Any:
    """Stack arrays as columns of a matrix: one column for an array with one axis, several for one with two.

    Fresh.

    Parameters
    ----------
    tup : sequence of array_like
    """


@dispatching(np.concatenate, returns=Array)
def concat(
    arrays: _Arrays,
    /,
    axis: Axis = 0,
    out: Array | np.ndarray[Any, Any] | None = None,
    *,
    dtype: DType = None,
    casting: Cast = "same_kind",
) -> Any:
    """Join arrays along an existing axis.

    Fresh, or `out`.

    Parameters
    ----------
    arrays : sequence of array_like
    axis : int or None, default 0
        ``None``: arrays are flattened first.
    out : ndarray, optional
        Written and returned, in place of a fresh array.
    dtype : dtype, optional
        Default: by NumPy's promotion rules.
    casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, default 'same_kind'
        Which conversions are allowed.

    Examples
    --------
    >>> import cowarray
    >>> cowarray.concat([cowarray.asarray([1, 2]), [3]])
    array([1, 2, 3])
    """


concatenate = concat


@dispatching(np.copyto, arrays=4)
def copyto(
    dst: Array | np.ndarray[Any, Any], src: ArrayLike, casting: Cast = "same_kind", where: ArrayLike = True
) -> None:
    """Write the values of one array into another, where a mask is true.

    Parameters
    ----------
    dst : ndarray
        Written in place.
    src : array_like
        Broadcast to the shape of dst.
    casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, default 'same_kind'
        Which conversions are allowed.
    where : array_like of bool, default True

    Returns
    -------
    None
        Views of dst see the write; copies do not.
    """


@dispatching(np.delete, returns=Array)
def delete(arr: ArrayLike, obj: Any, axis: Axis = None) -> Any:
    """Copy an array without the elements at some indices along an axis.

    Fresh; `arr` stays as it is.

    Parameters
    ----------
    arr : array_like
    obj : int, slice or array_like
        The indices, or a mask.
    axis : int, optional
        If omitted, the array is flattened first.
    """


@dispatching(np.dsplit, returns=list[Array], imports=True)
def dsplit(ary: ArrayLike, indices_or_sections: SupportsIndex | ArrayLike) -> Any:
    """Split an array along its third axis.

    All are views of ary.

    Parameters
    ----------
    ary : array_like
    indices_or_sections : int or sequence of int
        The number of equal parts, or the indices where parts begin.
    """


@dispatching(np.dstack, returns=Array)
def dstack(tup: _Arrays) -> Any:
    """Join arrays along their third axis, which is new for arrays of fewer axes.

    Fresh.

    Parameters
    ----------
    tup : sequence of array_like
    """


def expand_dims(a: ArrayLike, axis: Axes = 0) -> Array:
    """Add axes of length 1.

    A view of a.

    Parameters
    ----------
    a : array_like
    axis : int or tuple of int, default 0
        The positions of the new axes in the result.
    """
    return dispatched(np.expand_dims, imported(a), axis)


@dispatching(np.flip, returns=Array, imports=True)
def flip(m: ArrayLike, axis: Axes = None) -> Any:
    """Reverse the order of elements along axes.

    A view of m.

    Parameters
    ----------
    m : array_like
    axis : int or tuple of int, optional
        All axes if omitted.
    """


@dispatching(np.fliplr, returns=Array, imports=True)
def fliplr(m: ArrayLike) -> Any:
    """Reverse the second axis.

    A view of m.

    Parameters
    ----------
    m : array_like
    """


@dispatching(np.flipud, returns=Array, imports=True)
def flipud(m: ArrayLike) -> Any:
    """Reverse the first axis.

    A view of m.

    Parameters
    ----------
    m : array_like
    """


@dispatching(np.hsplit, returns=list[Array], imports=True)
def hsplit(ary: ArrayLike, indices_or_sections: SupportsIndex | ArrayLike) -> Any:
    """Split an array along its second axis, or along its only one.

    All are views of ary.

    Parameters
    ----------
    ary : array_like
    indices_or_sections : int or sequence of int
        The number of equal parts, or the indices where parts begin.
    """


@dispatching(np.hstack, returns=Array)
def hstack(tup: _Arrays, *, dtype: DType = None, casting: Cast = "same_kind") -> Any:
    """Join arrays along their second axis, or along their only one.

    Fresh.

    Parameters
    ----------
    tup : sequence of array_like
    dtype : dtype, optional
        Default: by NumPy's promotion rules.
    casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, default 'same_kind'
        Which conversions are allowed.
    """


@dispatching(np.insert, arrays=3, returns=Array)
def insert(arr: ArrayLike, obj: Any, values: ArrayLike, axis: Axis = None) -> Any:
    """Insert values before the given indices along an axis.

    Fresh; `arr` stays as it is.

    Parameters
    ----------
    arr : array_like
    obj : int, slice or array_like
        The indices.
    values : array_like
    axis : int, optional
        If omitted, the array is flattened first.
    """


@dispatching(np.moveaxis, returns=Array, imports=True)
def moveaxis(
    a: ArrayLike, source: SupportsIndex | Sequence[SupportsIndex], destination: SupportsIndex | Sequence[SupportsIndex]
) -> Any:
    """Move axes to other places; the others keep their order.

    A view of a.

    Parameters
    ----------
    a : array_like
    source, destination : int or sequence of int
    """


@dispatching(np.ndim, returns=int)
def ndim(a: ArrayLike) -> Any:
    """Return the number of axes of an array_like.

    Parameters
    ----------
    a : array_like

    Returns
    -------
    int
    """


@dispatching(np.pad, arrays=2, returns=Array)
def pad(array: ArrayLike, pad_width: Any, mode: str | Callable[..., Any] = "constant", **kwargs: Any) -> Any:
    """Add elements at the ends of an array's axes.

    Fresh.

    Parameters
    ----------
    array : array_like
    pad_width : int, sequence of int, or dict of int
        How many elements to add before and after, for each axis.
    mode : str or callable, default 'constant'
        What the new elements are: "constant", "edge", "reflect", "wrap", ...
    **kwargs : object
        Options of the mode: ``constant_values``, ``stat_length``, ``end_values``, ``reflect_type``.
    """


@dispatching(np.transpose, returns=Array, imports=True)
def permute_dims(a: ArrayLike, axes: Sequence[SupportsIndex] | None = None) -> Any:
    """Put axes in another order.

    A view of a.

    Parameters
    ----------
    a : array_like
    axes : tuple of int, optional
        Reversed if omitted.
    """


@dispatching(np.ravel, returns=Array, imports=True)
def ravel(a: ArrayLike, order: Order = "C") -> Any:
    """Flatten an array to one axis.

    A copy, lazy where possible.

    Parameters
    ----------
    a : array_like
    order : {'C', 'F', 'A', 'K'}, default 'C'
        The order in which elements are read.

    See Also
    --------
    numpy.ravel : Returns a view if it can.
    """


@dispatching(np.repeat, arrays=2, returns=Array)
def repeat(a: ArrayLike, repeats: ArrayLike, axis: Axis = None) -> Any:
    """Repeat each element, along an axis.

    A copy, made at once.

    Parameters
    ----------
    a : array_like
    repeats : int or array_like of int
        How often to repeat, for all elements or for each.
    axis : int, optional
        If omitted, the array is flattened first.
    """


@dispatching(np.reshape, returns=Array)
def reshape(a: ArrayLike, /, shape: Shape, order: Literal["C", "F", "A"] = "C", *, copy: bool | None = None) -> Any:
    """Give an array's elements another shape.

    A copy, lazy where possible; with ``copy=False`` a view of a.

    Parameters
    ----------
    a : array_like
    shape : int, or tuple or list of int
        One length may be -1: it is inferred from the number of elements.
    order : {'C', 'F', 'A'}, default 'C'
        The order in which elements are read and placed.
    copy : bool, optional
        ``False``: a view. ``None`` and ``True``: a copy.

    Raises
    ------
    ValueError
        With ``copy=False``, no view has that shape.

    See Also
    --------
    numpy.reshape : Returns a view if it can.

    Examples
    --------
    >>> import cowarray
    >>> x = cowarray.arange(6)
    >>> cowarray.reshape(x, [2, 3]).storage is x.storage
    False
    >>> cowarray.reshape(x, [2, 3], copy=False).storage is x.storage
    True
    """


@dispatching(np.resize, returns=Array)
def resize(a: ArrayLike, new_shape: Shape) -> Any:
    """Copy an array's elements into another shape, repeated while there is room.

    A copy, made at once; `a` stays as it is.

    Parameters
    ----------
    a : array_like
    new_shape : int or tuple of int
    """


@dispatching(np.roll, returns=Array)
def roll(a: ArrayLike, shift: SupportsIndex | Sequence[SupportsIndex], axis: Axes = None) -> Any:
    """Move elements along axes; those that leave at one end re-enter at the other.

    A copy, made at once.

    Parameters
    ----------
    a : array_like
    shift : int or tuple of int
        Places to move by, for each axis.
    axis : int or tuple of int, optional
        The flattened order if omitted.
    """


@dispatching(np.rollaxis, returns=Array, imports=True)
def rollaxis(a: ArrayLike, axis: SupportsIndex, start: SupportsIndex = 0) -> Any:
    """Move one axis before another; `moveaxis` is easier to read.

    A view of a.

    Parameters
    ----------
    a : array_like
    axis : int
    start : int, default 0
        The axis that comes after it in the result.
    """


@dispatching(np.rot90, returns=Array, imports=True)
def rot90(m: ArrayLike, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Any:
    """Turn an array by 90 degrees in the plane of two axes.

    A view of m.

    Parameters
    ----------
    m : array_like
    k : int, default 1
        How many turns; backwards if negative.
    axes : pair of int, default (0, 1)
        From the first towards the second.
    """


@dispatching(np.shape, returns=tuple[int, ...])
def shape(a: ArrayLike) -> Any:
    """Return the shape of an array_like.

    Parameters
    ----------
    a : array_like

    Returns
    -------
    tuple of int
    """


@dispatching(np.size, returns=int)
def size(a: ArrayLike, axis: Axes = None) -> Any:
    """Return the number of elements of an array_like, or its length along an axis.

    Parameters
    ----------
    a : array_like
    axis : int or tuple of int, optional

    Returns
    -------
    int
    """


@dispatching(np.split, returns=list[Array], imports=True)
def split(ary: ArrayLike, indices_or_sections: SupportsIndex | ArrayLike, axis: SupportsIndex = 0) -> Any:
    """Split an array along an axis into equal parts, or at indices.

    All are views of ary.

    Parameters
    ----------
    ary : array_like
    indices_or_sections : int or sequence of int
        The number of equal parts, or the indices where parts begin.
    axis : int, default 0
    """


@dispatching(np.squeeze, returns=Array, imports=True)
def squeeze(a: ArrayLike, axis: Axes = None) -> Any:
    """Remove axes of length 1.

    A view of a.

    Parameters
    ----------
    a : array_like
    axis : int or tuple of int, optional
        All axes of length 1 if omitted.
    """


@dispatching(np.stack, returns=Array)
def stack(
    arrays: _Arrays,
    axis: SupportsIndex = 0,
    out: Array | np.ndarray[Any, Any] | None = None,
    *,
    dtype: DType = None,
    casting: Cast = "same_kind",
) -> Any:
    """Join arrays of one shape along a new axis.

    Fresh, or `out`.

    Parameters
    ----------
    arrays : sequence of array_like
    axis : int, default 0
        The position of the new axis in the result.
    out : ndarray, optional
        Written and returned, in place of a fresh array.
    dtype : dtype, optional
        Default: by NumPy's promotion rules.
    casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, default 'same_kind'
        Which conversions are allowed.
    """


@dispatching(np.swapaxes, returns=Array, imports=True)
def swapaxes(a: ArrayLike, axis1: SupportsIndex, axis2: SupportsIndex) -> Any:
    """Swap two axes.

    A view of a.

    Parameters
    ----------
    a : array_like
    axis1, axis2 : int
    """


@dispatching(np.tile, arrays=2, returns=Array)
def tile(A: ArrayLike, reps: ArrayLike) -> Any:
    """Repeat a whole array along each axis.

    A copy, made at once.

    Parameters
    ----------
    A : array_like
    reps : int or sequence of int
        How often to repeat along each axis.
    """


@dispatching(np.transpose, returns=Array, imports=True)
def transpose(a: ArrayLike, axes: Sequence[SupportsIndex] | None = None) -> Any:
    """Put axes in another order.

    A view of a.

    Parameters
    ----------
    a : array_like
    axes : tuple of int, optional
        Reversed if omitted.
    """


def trim_zeros(filt: ArrayLike, trim: str = "fb", axis: Axes = None) -> Any:
    """Remove the zeros at the ends of an array or a sequence.

    A copy, lazy where possible. For a sequence, a part of it, of the same type.

    Parameters
    ----------
    filt : array_like
    trim : {'fb', 'f', 'b'}, default 'fb'
        At which ends: front, back.
    axis : int or sequence of int, optional
        All axes if omitted.

    See Also
    --------
    numpy.trim_zeros : Returns a view.
    """
    return dispatched(np.trim_zeros, filt if isinstance(filt, Sequence) else imported(filt), trim, axis)


@dispatching(np.unstack, returns=tuple[Array, ...], imports=True)
def unstack(x: ArrayLike, /, *, axis: SupportsIndex = 0) -> Any:
    """Split an array into its parts at each index along an axis.

    All are views of x.

    Parameters
    ----------
    x : array_like
    axis : int, default 0
    """


@dispatching(np.vsplit, returns=list[Array], imports=True)
def vsplit(ary: ArrayLike, indices_or_sections: SupportsIndex | ArrayLike) -> Any:
    """Split an array along its first axis.

    All are views of ary.

    Parameters
    ----------
    ary : array_like
    indices_or_sections : int or sequence of int
        The number of equal parts, or the indices where parts begin.
    """


@dispatching(np.vstack, returns=Array)
def vstack(tup: _Arrays, *, dtype: DType = None, casting: Cast = "same_kind") -> Any:
    """Join arrays along their first axis; those of one axis are rows.

    Fresh.

    Parameters
    ----------
    tup : sequence of array_like
    dtype : dtype, optional
        Default: by NumPy's promotion rules.
    casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, default 'same_kind'
        Which conversions are allowed.
    """


complete(globals())
