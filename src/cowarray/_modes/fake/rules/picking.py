"""Rules of operations whose shape depends on values, such as masks and `nonzero`: a plan assumes it, or refuses."""

import contextlib
from typing import Any

import numpy as np

from cowarray._face.ndarray import ndarray
from cowarray._modes.fake.calls import Call
from cowarray._modes.fake.fakes import is_fake
from cowarray._modes.fake.rules.composites import clone_of, run
from cowarray._modes.fake.rules.rules import VALUES, enter, rule
from cowarray._modes.layouts.inference import Layout, ValuesNeeded, fresh, indexed
from cowarray._modes.layouts.layouts import ghost

__all__ = ["MASK", "masks_in", "where_true", "with_places"]

MASK = "the shape of what a mask picks depends on its values"
_SHAPE = "the shape of the result depends on values"
_INSTEAD = "use where with three arguments, or multiply by the mask"
_EXPECTED = "give it real values, or make an array of the size that you expect"
_INTP = np.dtype(np.intp)


# ---- masks


def masks_in(key: Any) -> list[Any]:
    """Return the masks in an index."""
    return [item for item in (key if type(key) is tuple else (key,)) if _is_mask(item)]


def _is_mask(item: Any) -> bool:
    return isinstance(item, (ndarray, np.ndarray)) and item.dtype == bool


def with_places(call: Call, header: Any, key: Any, shown: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return an index with masks replaced by as many places as they pick, or are assumed to pick if without values.

    Parameters
    ----------
    call : Call
    header : numpy.ndarray
        Of the indexed array.
    key : object
    shown : tuple
        The same, with NumPy headers.

    Raises
    ------
    FakeError
        Nothing is assumed about masks without values.
    """
    with contextlib.suppress(ValuesNeeded):  # raised if the masks fit
        indexed(header, shown)
    parts: list[Any] = []
    for item, seen in zip(key if type(key) is tuple else (key,), shown, strict=True):
        if not _is_mask(item):
            parts.append(seen)
            continue
        count = (
            call.picked(item.size, MASK, "use where, or multiply by the mask")
            if is_fake(item)
            else int(np.count_nonzero(np.asarray(item)))
        )
        parts += [ghost((count,)) for _ in range(item.ndim)] if item.ndim else [bool(count)]
    return tuple(parts)


# ---- places


@rule("nonzero ndarray.nonzero", kind=VALUES)
def nonzero(call: Call) -> Any:
    return where_true(call, call.args[0])


def where_true(call: Call, x: Any) -> Any:
    """Return the result of `nonzero`."""
    if call.faked is None:
        return call.forgotten()
    header = np.asarray(call.header(x))
    if not header.ndim:
        np.nonzero(np.zeros(()))  # raises the error
    count = call.picked(header.size, _SHAPE, _INSTEAD)
    if header.ndim == 1:
        return (call.give(fresh((count,), _INTP)),)
    table = call.give(fresh((count, header.ndim), _INTP))
    return tuple([table[:, i] for i in range(header.ndim)])


def _answering(call: Call) -> Any:
    if call.faked is None:
        return call.forgotten()
    return run(call, clone_of(call.function.function), call.args, call.kwargs, answers=True)


enter("argwhere flatnonzero extract unique_all unique_counts unique_inverse unique_values", _answering, VALUES)


# ---- sets


@rule("unique", kind=VALUES)
def unique(call: Call) -> Any:
    return call.forgotten() if call.faked is None else _unique(call, *call.args, **call.kwargs)


def _unique(
    call: Call,
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Any = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any:
    x = np.asarray(call.header(ar))
    if axis is None:
        count = call.picked(x.size, _SHAPE, _EXPECTED)
        found, inverse = fresh((count,), x.dtype), x.shape
    else:
        axis = np.lib.array_utils.normalize_axis_index(axis, x.ndim)
        count = call.picked(x.shape[axis], _SHAPE, _EXPECTED)
        rest = (*x.shape[:axis], *x.shape[axis + 1 :])
        lengths, strides = list(rest), list(fresh((count, *rest), x.dtype).strides)
        lengths.insert(axis, count)
        strides.insert(axis, strides.pop(0))
        found, inverse = Layout(tuple(lengths), x.dtype, tuple(strides)), (x.shape[axis],)
    layouts = [found]
    layouts += [fresh((count,), _INTP)] if return_index else []
    layouts += [fresh(inverse, _INTP)] if return_inverse else []
    layouts += [fresh((count,), _INTP)] if return_counts else []
    return call.give(*layouts)


@rule("union1d intersect1d setdiff1d setxor1d", kind=VALUES)
def of_sets(call: Call) -> Any:
    """Pick from the most elements that the resulting set could have."""
    return call.forgotten() if call.faked is None else _of_sets(call, *call.args, **call.kwargs)


def _of_sets(call: Call, ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False) -> Any:
    one, other = np.asarray(call.header(ar1)), np.asarray(call.header(ar2))
    most = {"intersect1d": min(one.size, other.size), "setdiff1d": one.size}.get(call.operation, one.size + other.size)
    count = call.picked(most, _SHAPE, _EXPECTED)
    both = np.concatenate((np.empty(0, one.dtype), np.empty(0, other.dtype))).dtype
    found = fresh((count,), one.dtype if call.operation == "setdiff1d" else both)
    if not return_indices:
        return call.give(found)
    return call.give(found, fresh((count,), _INTP), fresh((count,), _INTP))


@rule("bincount", kind=VALUES)
def bincount(call: Call) -> Any:
    """In NumPy's code, take the length `minlength`, which it names; else that by the largest value."""
    return call.forgotten() if call.faked is None else _bincount(call, *call.args, **call.kwargs)


def _bincount(call: Call, x: Any, /, weights: Any = None, minlength: Any = 0) -> Any:
    if weights is not None:
        np.bincount([0], np.zeros(1, np.asarray(call.header(weights)).dtype))
    length = int(minlength)
    if call.block.assumed is None:
        its = np.asarray(call.header(x)).dtype
        length = max(length, int(call.number(its, _SHAPE, "give it real values")) + 1)
    return call.give(fresh((length,), _INTP if weights is None else np.dtype(float)))
