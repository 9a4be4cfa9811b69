"""The chapter "manipulation functions" of the array API standard, and NumPy's functions of the kind.

What gives views gives them of its argument, if that is an array of ours: the same Storage. Of anything else, it gives
views of the copy that `asarray` makes. Copies are lazy where a lazy copy may be.

The file is longer than a sitting because a chapter of the standard is one module: a name, a docstring and a line.
"""

import numpy as np

from cowarray._ops.protocols import dispatched, imported

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


def append(arr, values, axis=None):
    """An array with values after its own, along an axis; without one, both are flattened first.

    A copy; arr stays as it is.
    """
    return dispatched(np.append, arr, values, axis)


def array_split(ary, indices_or_sections, axis=0):
    """Parts of an array along an axis, of lengths that may differ by one. A list of views."""
    return dispatched(np.array_split, imported(ary), indices_or_sections, axis)


def atleast_1d(*arys):
    """Arrays with one axis at least.

    A copy, lazy where a lazy copy may be; of several arguments, a tuple of copies.
    """
    return dispatched(np.atleast_1d, *[imported(ary) for ary in arys])


def atleast_2d(*arys):
    """Arrays with two axes at least: new ones of length 1 in front.

    A copy, lazy where a lazy copy may be; of several arguments, a tuple of copies.
    """
    return dispatched(np.atleast_2d, *[imported(ary) for ary in arys])


def atleast_3d(*arys):
    """Arrays with three axes at least.

    A copy, lazy where a lazy copy may be; of several arguments, a tuple of copies.
    """
    return dispatched(np.atleast_3d, *[imported(ary) for ary in arys])


def block(arrays):
    """An array put together from nested lists of blocks. Fresh."""
    return dispatched(np.block, arrays)


def broadcast_arrays(*args, subok=False):
    """Arrays broadcast against each other.

    A tuple of read-only views, in which elements overlap; where NumPy's may be written to with a warning, ours may not.
    """
    return dispatched(np.broadcast_arrays, *[imported(arg) for arg in args], subok=subok)


def broadcast_shapes(*args):
    """The shape that arrays of these shapes broadcast to: a tuple of ints."""
    return np.broadcast_shapes(*args)


def broadcast_to(array, shape, subok=False):
    """An array broadcast to a shape. A read-only view, in which elements overlap."""
    return dispatched(np.broadcast_to, imported(array), shape, subok)


def column_stack(tup):
    """A matrix whose columns are these arrays: each with one axis is a column, each with two several. Fresh."""
    return dispatched(np.column_stack, tup)


def concat(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Arrays one after the other, along an axis that they have; with ``axis=None`` they are flattened first.

    Fresh, or out.

    Examples
    --------
    >>> import cowarray
    >>> cowarray.concat([cowarray.asarray([1, 2]), [3]])
    array([1, 2, 3])
    """
    return dispatched(np.concatenate, arrays, axis, out, dtype=dtype, casting=casting)


concatenate = concat


def copyto(dst, src, casting="same_kind", where=True):
    """Write the values of one array into another, where a mask is true.

    Nothing comes back; src is broadcast to the shape of dst. A write: each view of dst sees it, and no copy does.
    """
    return dispatched(np.copyto, dst, src, casting, where)


def delete(arr, obj, axis=None):
    """An array without the elements at some indices along an axis. Fresh; arr stays as it is."""
    return dispatched(np.delete, arr, obj, axis)


def dsplit(ary, indices_or_sections):
    """Parts of an array along its third axis. A list of views."""
    return dispatched(np.dsplit, imported(ary), indices_or_sections)


def dstack(tup):
    """Arrays one after the other along their third axis, which is new where they have none. Fresh."""
    return dispatched(np.dstack, tup)


def expand_dims(a, axis=0):
    """An array with new axes of length 1, which are at the given places in the result. A view."""
    return dispatched(np.expand_dims, imported(a), axis)


def flip(m, axis=None):
    """An array with its elements in reverse order along an axis, some, or all. A view."""
    return dispatched(np.flip, imported(m), axis)


def fliplr(m):
    """An array with its second axis reversed. A view."""
    return dispatched(np.fliplr, imported(m))


def flipud(m):
    """An array with its first axis reversed. A view."""
    return dispatched(np.flipud, imported(m))


def hsplit(ary, indices_or_sections):
    """Parts of an array along its second axis, or along its only one. A list of views."""
    return dispatched(np.hsplit, imported(ary), indices_or_sections)


def hstack(tup, *, dtype=None, casting="same_kind"):
    """Arrays one after the other along their second axis, or along their only one. Fresh."""
    return dispatched(np.hstack, tup, dtype=dtype, casting=casting)


def insert(arr, obj, values, axis=None):
    """An array with values before the given indices along an axis. Fresh; arr stays as it is."""
    return dispatched(np.insert, arr, obj, values, axis)


def moveaxis(a, source, destination):
    """An array with some axes at other places; the others keep their order. A view."""
    return dispatched(np.moveaxis, imported(a), source, destination)


def ndim(a):
    """The number of axes of anything that is like an array. An int."""
    return dispatched(np.ndim, a)


def pad(array, pad_width, mode="constant", **kwargs):
    """An array with more elements at the ends of its axes, whose values depend on the mode, as `numpy.pad`. Fresh."""
    return dispatched(np.pad, array, pad_width, mode, **kwargs)


def permute_dims(a, axes=None):
    """An array with its axes in another order; reversed, where none is given. A view."""
    return dispatched(np.transpose, imported(a), axes)


def ravel(a, order="C"):
    """The elements of an array along one axis. A copy, lazy where a lazy copy may be."""
    return dispatched(np.ravel, imported(a), order)


def repeat(a, repeats, axis=None):
    """Each element as often as said, along an axis; without one, the array is flattened first. A copy."""
    return dispatched(np.repeat, a, repeats, axis)


def reshape(a, /, shape, order="C", *, copy=None):
    """The elements of an array in another shape.

    Parameters
    ----------
    a : array_like
    shape : int, or tuple or list of int
        One of them may be -1, and is then what is left.
    order : {'C', 'F', 'A'}
    copy : bool, optional
        ``False``: a view, and ValueError where there is none.

    Returns
    -------
    ndarray
        A copy, lazy where a lazy copy may be; with ``copy=False`` a view.

    Examples
    --------
    >>> import cowarray
    >>> x = cowarray.arange(6)
    >>> cowarray.reshape(x, [2, 3]).storage is x.storage
    False
    >>> cowarray.reshape(x, [2, 3], copy=False).storage is x.storage
    True
    """
    return dispatched(np.reshape, a, shape, order, copy=copy)


def resize(a, new_shape):
    """An array's elements in another shape, repeated as long as there is room. A copy; a stays as it is."""
    return dispatched(np.resize, a, new_shape)


def roll(a, shift, axis=None):
    """An array with its elements moved along axes; what leaves at one end comes in at the other. A copy."""
    return dispatched(np.roll, a, shift, axis)


def rollaxis(a, axis, start=0):
    """An array with one axis moved before another. A view; `moveaxis` is easier to read."""
    return dispatched(np.rollaxis, imported(a), axis, start)


def rot90(m, k=1, axes=(0, 1)):
    """An array turned k times by 90 degrees in the plane of two axes. A view."""
    return dispatched(np.rot90, imported(m), k, axes)


def shape(a):
    """The shape of anything that is like an array. A tuple of ints."""
    return dispatched(np.shape, a)


def size(a, axis=None):
    """The number of elements of anything that is like an array, or its length along an axis. An int."""
    return dispatched(np.size, a, axis)


def split(ary, indices_or_sections, axis=0):
    """Parts of an array along an axis: as many equal ones, or those between indices. A list of views."""
    return dispatched(np.split, imported(ary), indices_or_sections, axis)


def squeeze(a, axis=None):
    """An array without axes of length 1: all of those, or the given ones. A view."""
    return dispatched(np.squeeze, imported(a), axis)


def stack(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Arrays of one shape one after the other along a new axis. Fresh, or out."""
    return dispatched(np.stack, arrays, axis, out, dtype=dtype, casting=casting)


def swapaxes(a, axis1, axis2):
    """An array with two axes swapped. A view."""
    return dispatched(np.swapaxes, imported(a), axis1, axis2)


def tile(A, reps):
    """An array put together from as many of A along each axis. A copy."""
    return dispatched(np.tile, A, reps)


def transpose(a, axes=None):
    """An array with its axes in another order; reversed, where none is given. A view."""
    return dispatched(np.transpose, imported(a), axes)


def trim_zeros(filt, trim="fb", axis=None):
    """An array without the zeros at its ends, as `numpy.trim_zeros`. A copy."""
    return dispatched(np.trim_zeros, imported(filt), trim, axis)


def unstack(x, /, *, axis=0):
    """The parts of an array at each index along an axis. A tuple of views."""
    return dispatched(np.unstack, imported(x), axis=axis)


def vsplit(ary, indices_or_sections):
    """Parts of an array along its first axis. A list of views."""
    return dispatched(np.vsplit, imported(ary), indices_or_sections)


def vstack(tup, *, dtype=None, casting="same_kind"):
    """Arrays one after the other along their first axis; those with one axis are rows. Fresh."""
    return dispatched(np.vstack, tup, dtype=dtype, casting=casting)
