"""The layout of ``x[key]`` if the key has arrays, and whether ``x[key] = value`` fits. No index is read.

Arrays and integers are fancy indices: they are broadcast together. The axes of the broadcast shape stand where the
indices stood if those are adjacent, else in front. In memory, these axes come first, in C order, then the others by
decreasing stride in x. If the others have one element altogether, NumPy iterates over the index arrays.
"""

import operator
from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from cowarray._modes.layouts.layouts import (
    Array,
    Integers,
    Layout,
    ValuesNeeded,
    broadcast,
    copied_order,
    dense,
    ghost,
    iteration_order,
    laid_out,
    spread,
)

__all__ = ["assigned", "indexed"]

NO_INDEX = (
    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are valid "
    "indices"
)


MOST_AXES = 64  # of an array, and of those that an index covers


class Parsed(NamedTuple):
    """The effect of a key on a shape."""

    fancy: list[Array]  # the index arrays; integers as arrays without axes
    lengths: tuple[int, ...]  # of the axes from slices, None and Ellipsis
    strides: tuple[int, ...]  # the steps of these axes in x
    place: int  # the position among these of the axes of the fancy indices
    is_fancy: bool  # whether any fancy index is more than an integer
    masked: bool  # whether the key has an array of booleans
    whole: bool  # whether the key is one mask for all axes
    scalar: bool  # whether an integer came as an array without axes
    nowhere: str  # the error of an index that is out of bounds whatever its value, or ""


def elements(key: Any) -> list[Any]:
    """Return the parts of a key, with lists converted to arrays."""
    parts: list[Any] = list(key) if isinstance(key, tuple) else [key]
    for k, part in enumerate(parts):
        if part is None or part is Ellipsis or isinstance(part, (slice, np.ndarray)):
            continue
        if isinstance(part, (bool, np.bool_)):
            parts[k] = bool(part)
        elif isinstance(part, (int, np.integer)):
            parts[k] = int(part)
        elif isinstance(part, (list, tuple)):
            array = np.asarray(part)
            parts[k] = array if array.size or array.dtype != float else array.astype(np.intp)
        else:
            try:
                parts[k] = operator.index(part)
            except TypeError:
                raise IndexError(NO_INDEX) from None
    return parts


def is_mask(part: Any) -> bool:
    """True if an index is boolean."""
    return isinstance(part, bool) or (isinstance(part, np.ndarray) and part.dtype == bool)


def axes_taken(part: Any) -> int:
    """Return how many axes of an array an index takes."""
    if part is None or part is Ellipsis or isinstance(part, bool):
        return 0
    if isinstance(part, np.ndarray) and part.dtype == bool:
        return part.ndim
    return 1


def parsed(shape: Integers, strides: Integers, key: tuple[Any, ...]) -> Any:
    """Parse a key for a shape. Raise NumPy's errors, except those that need the values of arrays."""
    parts = elements(key)
    if sum([isinstance(part, bool) or (isinstance(part, np.ndarray) and part.ndim > 0) for part in parts]) >= MOST_AXES:
        raise IndexError("too many advanced (array) indices")
    ellipses = [k for k, part in enumerate(parts) if part is Ellipsis]
    if len(ellipses) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    for part in parts:
        if isinstance(part, np.ndarray) and part.dtype.kind not in "iub":
            raise IndexError("arrays used as indices must be of integer (or boolean) type")
    taken = sum([axes_taken(part) for part in parts])
    if taken > len(shape):
        raise IndexError(f"too many indices for array: array is {len(shape)}-dimensional, but {taken} were indexed")
    whole = len(parts) == 1 and taken == len(shape) and is_mask(parts[0])
    if not ellipses:
        parts.append(Ellipsis)
    fancy, lengths, steps = [], [], []
    axis, place, state = 0, 0, "before"
    is_fancy = masked = scalar = False
    nowhere = ""
    for part in parts:
        if part is None:
            lengths.append(1)
            steps.append(0)
        elif part is Ellipsis:
            lengths += shape[axis : axis + len(shape) - taken]
            steps += strides[axis : axis + len(shape) - taken]
            axis += len(shape) - taken
        elif isinstance(part, slice):
            start, stop, step = part.indices(shape[axis])
            lengths.append(len(range(start, stop, step)))
            steps.append(strides[axis] * step)
            axis += 1
        else:
            if state == "before":
                place, state = len(lengths), "among"
            elif state == "after":
                place = 0
            if isinstance(part, int) and not isinstance(part, bool):
                if not -shape[axis] <= part < shape[axis]:
                    raise IndexError(f"index {part} is out of bounds for axis {axis} with size {shape[axis]}")
                fancy.append(ghost(()))
                axis += 1
            elif isinstance(part, bool):
                is_fancy = True
                fancy.append(ghost((int(part),)))
            elif part.dtype == bool:
                is_fancy = masked = True
                for length in part.shape:
                    if length != shape[axis]:
                        raise IndexError(
                            f"boolean index did not match indexed array along axis {axis}; size of axis is "
                            f"{shape[axis]} but size of corresponding boolean axis is {length}"
                        )
                    axis += 1
            else:
                is_fancy = is_fancy or part.ndim > 0
                scalar = scalar or part.ndim == 0
                if shape[axis] == 0 and 0 not in part.shape:
                    nowhere = f"index 0 is out of bounds for axis {axis} with size 0"
                    if not part.ndim:
                        raise IndexError(nowhere)
                fancy.append(part)
                axis += 1
            continue
        if state == "among":
            state = "after"
    return Parsed(fancy, tuple(lengths), tuple(steps), place, is_fancy, masked, whole, scalar, nowhere)


def fancy_shape(fancy: Any) -> Integers:
    """Return the shape to which index arrays broadcast."""
    shape = broadcast([part.shape for part in fancy])
    if shape is None:
        shapes = " ".join([str(part.shape).replace(" ", "") for part in fancy])
        raise IndexError(f"shape mismatch: indexing arrays could not be broadcast together with shapes {shapes} ")
    return shape


def refuse_too_many(shape: Integers) -> Integers:
    """Return a shape, or raise if it has more axes than NumPy allows."""
    if len(shape) > MOST_AXES:
        raise IndexError(
            f"number of dimensions must be within [0, {MOST_AXES}], indexing result would have {len(shape)}"
        )
    return shape


def is_field(key: Any) -> bool:
    """True if a key names fields."""
    return isinstance(key, str) or (isinstance(key, list) and bool(key) and all(isinstance(k, str) for k in key))


def indexed(x: np.ndarray[Any, np.dtype[Any]], key: Any) -> Layout:
    """Return the layout of ``x[key]``.

    Parameters
    ----------
    x : array
        The indexed array.
    key : Any
        As for NumPy. Arrays in it are not read.

    Returns
    -------
    Layout
        A view's layout if the key has no arrays; then an array without axes stands for NumPy's scalar.

    Raises
    ------
    ValuesNeeded
        The key has an array of booleans that fits.
    """
    if is_field(key):
        view = x[key]
        return Layout(view.shape, view.dtype, view.strides)
    found = parsed(x.shape, x.strides, key)
    dtype, lengths, place = x.dtype, found.lengths, found.place
    if not found.is_fancy:
        parts = tuple([0 if isinstance(part, np.ndarray) else part for part in elements(key)])
        view = x[parts if any(part is Ellipsis for part in parts) else (*parts, ...)]
        if found.scalar:
            return laid_out(view.shape, dtype, copied_order(view))
        return Layout(view.shape, dtype, view.strides)
    if found.masked:
        raise ValuesNeeded("the shape depends on how many elements of the mask are true")
    outer = fancy_shape(found.fancy)
    if found.nowhere and 0 not in outer:
        raise IndexError(found.nowhere)
    ndim = len(outer)
    axes: Sequence[int] = range(ndim)
    if x.ndim == len(elements(key)) == 1 and follows(found.fancy[0]):
        axes = axes[::-1]
    elif prod(lengths) == 1:
        axes = iteration_order([spread(part.shape, part.strides, ndim) for part in found.fancy], ndim)
    inner = sorted(range(len(lengths)), key=lambda axis: -abs(found.strides[axis]))
    strides = dense(outer + lengths, [*axes, *[ndim + axis for axis in inner]], dtype.itemsize)
    return Layout(
        refuse_too_many(lengths[:place] + outer + lengths[place:]),
        dtype,
        strides[ndim : ndim + place] + strides[:ndim] + strides[ndim + place :],
    )


def follows(part: Array) -> bool:
    """True if indexing an array of one axis with one index gives a result in Fortran order, which is the index's."""
    simple = part.dtype.kind == "i" and part.dtype == np.intp and part.flags.aligned
    return simple and part.flags.f_contiguous and not part.flags.c_contiguous


def assigned(x: np.ndarray[Any, np.dtype[Any]], key: Any, value: tuple[tuple[int, ...], Any]) -> None:
    """Raise the error of ``x[key] = value``, unless that depends on elements.

    Parameters
    ----------
    x : array
        The array to write to.
    key : Any
        As for NumPy. Arrays in it are not read.
    value : (shape, dtype)
        Of the value to write.
    """
    given, dtype = value
    dtype, nowhere = np.dtype(dtype), ""
    if is_field(key):
        view = x[key]
        shape, target, is_fancy = view.shape, view.dtype, False
    else:
        found = parsed(x.shape, x.strides, key)
        target, is_fancy, nowhere = x.dtype, found.is_fancy, found.nowhere
        if found.whole and len(given) > 1:
            raise TypeError(
                "NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, "
                f"input has {len(given)} dimensions"
            )
        if found.masked:
            if any(n != 1 for n in given):
                raise ValuesNeeded("whether the values fit depends on how many elements of the mask are true")
            shape = given
        else:
            outer = fancy_shape(found.fancy) if is_fancy else ()
            shape = refuse_too_many(found.lengths[: found.place] + outer + found.lengths[found.place :])
            if prod(outer) > np.iinfo(np.intp).max:
                raise ValueError("iterator is too large")
            if 0 in outer:
                nowhere = ""
        if not shape and given and not is_fancy and not any(part is Ellipsis for part in elements(key)):
            # NumPy sets a single element by a rule of its dtype.
            count = 0 if 0 in given else 1 if all(n == 1 for n in given) else 2
            np.zeros((), target)[()] = np.zeros((count,) + (1,) * (len(given) - 1), dtype)
            return
    lead = 0
    while len(given) - lead > len(shape) and given[lead] == 1:
        lead += 1
    stripped = given[lead:]
    if broadcast([shape, stripped]) != shape:
        if is_fancy:
            raise ValueError(
                f"shape mismatch: value array of shape {spelled(given)} could not be broadcast to indexing result "
                f"of shape {spelled(shape)}"
            )
        raise ValueError(f"could not broadcast input array from shape {spelled(given)} into shape {spelled(shape)}")
    if nowhere:
        raise IndexError(nowhere)
    np.empty(0, dtype).astype(target)


def spelled(shape: Integers) -> str:
    """Format a shape as NumPy does in errors."""
    return str(shape).replace(" ", "")
