"""Rules of arrays' own operations: views, indexing, copies and conversions."""

import contextlib
from typing import Any, TypeGuard

import numpy as np

from cowarray._face.ndarray import ndarray
from cowarray._modes.fake.calls import Call
from cowarray._modes.fake.fakes import copying, count_copy, during, first_fake, is_fake, settle_key
from cowarray._modes.fake.rules.methods import check_places
from cowarray._modes.fake.rules.picking import masks_in, with_places
from cowarray._modes.fake.rules.rules import VIEWS, rule
from cowarray._modes.layouts.inference import Layout, ValuesNeeded, assigned, cast, fresh, indexed, reshaped_copy
from cowarray._ops import table

__all__ = []

_VIEWING = [
    name
    for name, row in table.OPERATIONS.items()
    if row.result is table.VIEW and name not in ("einsum", "imag", "ndarray.imag", "ndarray.__getitem__", "unstack")
]


@rule(*_VIEWING, "ndarray.to_device", "lib.stride_tricks.as_strided", kind=VIEWS)
def view(call: Call) -> Any:
    """Run NumPy's own function on a header whose elements it does not touch."""
    arrays = [call.args[0]] if call.args and isinstance(call.args[0], ndarray) else []
    if call.operation == "broadcast_arrays":
        arrays = [each for each in call.args if isinstance(each, ndarray)]
    if call.faked is None and any(not is_fake(x) for x in arrays):
        return call.function(*call.args, **call.kwargs)
    others = () if call.operation == "broadcast_arrays" else (*call.args[1:], *call.kwargs.values())
    if first_fake(others) is not None:
        raise call.refusal("the values of an offset, axes or sections are needed")
    return call.view(*arrays)


@rule("ndarray")
def new_array(call: Call) -> Any:
    lengths, dtype, buffer, _, strides, order = call.args
    if isinstance(buffer, ndarray) and is_fake(buffer):
        return call.view(buffer)
    if buffer is not None:
        return call.function(*call.args)
    layout = fresh(lengths, dtype, order or "C")
    return call.give(layout if strides is None else Layout(layout.shape, layout.dtype, strides))


@rule("imag ndarray.imag")
def imag(call: Call) -> Any:
    x = call.args[0]
    if not isinstance(x, ndarray):
        return call.function(*call.args)
    if x.dtype.kind == "c":
        return view(call)
    made = call.give(fresh(x.shape, x.dtype, "F" if x.flags.fnc else "C"))
    made.flags.writeable = False
    return made


# ---- indexing


@rule("ndarray.__getitem__")
def get_item(call: Call) -> Any:
    x = call.args[0]
    key, is_basic = settle_key(call.args[1])
    is_field = type(key) is str or (type(key) is list and key and type(key[0]) is str)
    if not is_fake(x) and call.faked is None:
        return call.function(*call.args) if is_basic or is_field else call.forgotten()
    if is_field:
        return call.view(x)
    header = call.header(x)
    if not is_basic:
        masks = masks_in(key)
        if any(map(is_fake, masks)) and call.block.assumed is not None:
            return call.give(_of_no_elements(header, key, masks))
        shown = _shown_key(call, key)
        layout = indexed(header, with_places(call, header, key, shown) if masks else shown)
        check_places(header.shape, key)
        return call.give(layout)
    part = _part_of(header, key)
    picks_one = part.ndim == 0 and not _has_ellipsis(key)
    its = x.dtype if x.dtype.kind in "VT" else x.dtype.newbyteorder("=")
    return call.give(Layout((), its, ())) if picks_one else call.view(x)


def _part_of(header: Any, key: Any) -> Any:
    """Return the part that a basic index names, as a view even if it is one element: no byte is read."""
    if _has_ellipsis(key):
        return header[key]
    return header[(*key, ...) if type(key) is tuple else (key, ...)]


def _has_ellipsis(key: Any) -> bool:
    return key is Ellipsis or (type(key) is tuple and any(item is Ellipsis for item in key))


def _of_no_elements(header: Any, key: Any, masks: Any) -> Any:
    """Return the layout of the elements that a mask picks if it is False everywhere."""
    if type(key) is tuple:
        (key,) = key
    if header.shape[: key.ndim] != key.shape:
        raise IndexError("boolean index did not match indexed array")
    return fresh((0, *header.shape[key.ndim :]), header.dtype)


def _shown_key(call: Call, key: Any) -> Any:
    """Return an index with its arrays replaced by NumPy headers."""
    shown = tuple(
        [call.header(item) if isinstance(item, ndarray) else item for item in (key if type(key) is tuple else (key,))]
    )
    indices = [item for item in shown if isinstance(item, (np.ndarray, np.generic))]
    if sum([max(item.ndim, 1) if item.dtype.kind == "b" else 1 for item in indices]) >= 64:
        raise IndexError("too many advanced (array) indices")
    return shown


@rule("ndarray.__setitem__")
def set_item(call: Call) -> Any:
    x, key, value = call.args
    key, is_basic = settle_key(key)
    if not x.flags.writeable:
        raise ValueError("assignment destination is read-only")
    if not is_fake(x) and call.faked is None:
        return call.function(*call.args)
    header = call.header(x)
    if type(key) is str or (type(key) is list and key and type(key[0]) is str):
        header[key]  # the field may not exist
        call.writes(x, False, text=True)
        return None
    is_real = x.dtype.kind not in "OV" and not _is_plain(value) and first_fake((value,)) is None
    part: Any = _part_of(header, key) if is_basic else None
    is_one = is_basic and part.ndim == 0 and not _has_ellipsis(key)
    if is_real and is_one:
        np.zeros(1, x.dtype)[0] = value  # NumPy sets a single element by a rule of its dtype
        call.writes(x, header.size == 1, text=True, key=key)
        return None
    if x.dtype.names is not None and type(value) in (tuple, list) and first_fake(value) is None:
        shown = np.array(value, x.dtype)  # a tuple is one element
    else:
        shown = call.header(value)
    if x.dtype.kind in "mM" and not isinstance(value, (ndarray, np.ndarray)):
        np.array(value, dtype=x.dtype)
    whole = False
    if is_basic:
        if is_real:
            np.array(value, dtype=x.dtype)
        if type(value) in (list, tuple) and np.ndim(shown) > part.ndim:
            raise ValueError("setting an array element with a sequence")
        whole = part.size == header.size
        assigned(header, key, _kind_of(shown))
    elif any(map(is_fake, masks_in(key))):
        _check_masked(call, header, key, shown)
        key = ...
    else:
        if is_real:
            np.array(value, dtype=x.dtype)
        places = _shown_key(call, key)
        if masks_in(key):
            with contextlib.suppress(ValuesNeeded):
                assigned(header, places, _kind_of(shown))
            places = with_places(call, header, key, places)
        assigned(header, places, _kind_of(shown))
        check_places(header.shape, key)
    call.writes(x, whole, text=True, key=key)
    return None


def _is_plain(value: Any) -> Any:
    return isinstance(value, (ndarray, np.ndarray)) or type(value) in (bool, int, float)


def _check_masked(call: Call, header: Any, key: Any, value: Any) -> None:
    """Check an assignment to elements picked by a mask: a single value fits any number of them."""
    (mask,) = key if type(key) is tuple and len(key) == 1 else (key,)
    kind = _kind_of(value)
    if isinstance(mask, ndarray) and header.shape[: mask.ndim] != mask.shape:
        raise IndexError("boolean index did not match indexed array")
    if not isinstance(mask, ndarray) or (call.block.assumed is None and np.size(value) != 1):
        shape = indexed(header, with_places(call, header, key, _shown_key(call, key))).shape
        if len(kind[0]) > len(shape) and any(n != 1 for n in kind[0][: len(kind[0]) - len(shape)]):
            raise ValueError(f"shape mismatch: value array of shape {kind[0]} could not be broadcast to {shape}")
        # The number of values tells how many elements are picked, whatever is assumed about the mask.
    assigned(header, ..., ((), kind[1]))


def _kind_of(value: Any) -> Any:
    """Return shape and dtype of a value."""
    value = value if isinstance(value, np.ndarray) else np.asarray(value)
    return value.shape, value.dtype


# ---- copies and conversions


@rule("ndarray.copy ndarray.lazy_clone ndarray.__copy__ ndarray.__deepcopy__")
def copy(call: Call) -> Any:
    return call.copy() if is_fake(call.args[0]) else call.forgotten()


@rule("ndarray.ravel")
def ravel(call: Call) -> Any:
    return _raveled(call, *call.args, **call.kwargs)


@rule("ndarray.flatten")
def flatten(call: Call) -> Any:
    """Do as `ravel` does, but never return an alias."""
    made = _raveled(call, *call.args, **call.kwargs)
    if not is_fake(made) or made.storage is not call.args[0].storage:
        return made
    return during(call.operation, copying, (call.origin, made.lazy_clone, (), {}), {})


def _raveled(call: Call, x: Any, order: Any = "C") -> Any:
    """Return a lazy copy if the elements lie in a row in that order; else a copy."""
    if not is_fake(x):
        return call.forgotten()
    np.empty(0).ravel(order)
    flags = x.flags
    order = "C" if order is None else order.upper()
    if order == "A" or (order == "K" and flags.f_contiguous):
        order = "F" if flags.fnc else "C"
    if not (flags.f_contiguous if order == "F" else flags.c_contiguous):
        return call.give(fresh((x.size,), x.dtype))
    return during(call.operation, copying, (call.origin, x.reshape, (-1,), {"order": "F" if order == "F" else "C"}), {})


@rule("ndarray.reshape")
def reshape(call: Call) -> Any:
    x, *rest = call.args
    lengths = rest[0] if len(rest) == 1 else tuple(rest)
    return _reshaped(call, x, lengths, call.kwargs.get("order", "C"), call.kwargs.get("copy"))


def _reshaped(call: Call, x: Any, lengths: Any, order: Any, copy: Any = None) -> Any:
    if not is_fake(x):
        return call.forgotten()
    header = call.header(x)
    if isinstance(lengths, ndarray):
        lengths = tuple([int(length) for length in lengths]) if lengths.ndim else int(lengths)
    try:
        seen = np.reshape(header, lengths, order=order, copy=False)
    except ValueError:
        layout = reshaped_copy(header, lengths, order)
        if copy is False:
            raise
        return call.give(layout)
    if copy is False:
        return call.view(x)
    if copy:
        return call.give(fresh(seen.shape, seen.dtype, _order_asked(x, order)))
    return call.view(x)


def _order_asked(x: Any, order: Any) -> Any:
    return ("F" if x.flags.fnc else "C") if order in ("A", "a") else order


@rule("ndarray.astype")
def astype(call: Call) -> Any:
    x, dtype, order, casting, _ = call.args
    if not is_fake(x):
        return call.forgotten()
    if x.dtype.kind in "SUOT" and np.dtype(dtype).kind in "mM" and np.datetime_data(np.dtype(dtype))[0] == "generic":
        raise call.refusal("the unit of the dates depends on values", "name a unit")
    if np.dtype(dtype).kind == "V" and not np.dtype(dtype).itemsize:
        raise call.refusal("the length of an element depends on values", "name a length")
    layout = cast(call.header(x), dtype, order, casting)
    return call.copy() if layout.dtype == x.dtype else call.give(layout)


@rule("asarray")
def asarray(call: Call) -> Any:
    x = call.args[0]
    given: dict[str, Any] = (
        dict(zip(("dtype", "device", "copy"), call.args[1:], strict=False)) if len(call.args) > 1 else call.kwargs
    )
    dtype, order, copy_ = given.get("dtype"), given.get("order"), given.get("copy")
    if isinstance(x, ndarray):
        if not is_fake(x) or _is_as_asked(x, dtype, order):
            return during(call.operation, copying, (call.origin, call.function, call.args, call.kwargs), {})
        if copy_ in (False, np._CopyMode.NEVER):
            raise ValueError("copy=False cannot convert; drop copy=False")
        made = call.give(cast(call.header(x), x.dtype if dtype is None else dtype, order or "K"))
        count_copy(call.origin, made.nbytes)
        return made
    if isinstance(x, (list, tuple)) and first_fake(x) is not None:
        return _stacked(call, x, dtype)
    if _is_mapped(x) and call.is_large(x):
        if copy_ is not True and _is_as_asked(x, dtype, order) and (x.flags.c_contiguous or x.flags.f_contiguous):
            return call.mapped(x)
        return call.give(cast(x, x.dtype if dtype is None else dtype, order or "K"))
    return call.compute(forgets=not isinstance(x, (np.ndarray, memoryview, bytes)))


def _is_mapped(x: Any) -> TypeGuard[np.memmap[Any, Any]]:
    """True if an array's elements are in a file, which a plan does not read."""
    return isinstance(x, np.memmap) and getattr(x, "_mmap", None) is not None and not x.dtype.hasobject


def _is_as_asked(x: Any, dtype: Any, order: Any) -> Any:
    if dtype is not None and np.dtype(dtype) != x.dtype:
        return False
    flags = x.flags
    return order in (None, "K", "k", "A", "a") or (flags.f_contiguous if order in ("F", "f") else flags.c_contiguous)


def _stacked(call: Call, values: Any, dtype: Any) -> Any:
    """Return the result of `asarray` for nested lists with fakes in them."""
    shapes = [_shape_of(each) for each in values]
    if any(shape != shapes[0] for shape in shapes):
        if dtype is not None and np.dtype(dtype).kind in "OSUTV":
            raise call.refusal("it would keep arrays without bytes as elements", "keep a list")
        raise ValueError(
            "setting an array element with a sequence. "
            "The requested array has an inhomogeneous shape after 1 dimensions."
        )
    try:
        found = np.result_type(*[_dtype_of(each) for each in values]) if dtype is None else np.dtype(dtype)
    except TypeError:
        raise call.refusal("no rule says which dtype these have together", "name a dtype") from None
    if found.kind == "V" or not found.itemsize:
        raise call.refusal("the dtype of the result depends on values", "name a dtype with its length")
    return call.give(fresh((len(values), *shapes[0]), found))


def _shape_of(value: Any) -> Any:
    if isinstance(value, (ndarray, np.ndarray, np.generic)):
        return value.shape
    if isinstance(value, (list, tuple)):
        shapes = {_shape_of(each) for each in value}
        return (len(value), *(shapes.pop() if len(shapes) == 1 else ()))
    return ()


def _dtype_of(value: Any) -> Any:
    if isinstance(value, (ndarray, np.ndarray, np.generic)):
        return value.dtype
    if isinstance(value, (list, tuple)):
        return np.result_type(*[_dtype_of(each) for each in value]) if value else np.dtype(float)
    return np.asarray(value).dtype
