"""Rules of what arrays do themselves: views, indexing, copies and conversions."""

import numpy as np

from cowarray._face.ndarray import ndarray
from cowarray._modes.fakes import first_fake, forget, is_fake, settle_key
from cowarray._modes.inference import Layout, assigned, copied, fresh, indexed, reshaped_copy
from cowarray._modes.rules import rule
from cowarray._ops import table

__all__ = []

_VIEWING = [
    name for name, row in table.OPERATIONS.items()
    if row.result is table.VIEW and name not in ("einsum", "imag", "ndarray.imag", "ndarray.__getitem__")
]


@rule(*_VIEWING, "ndarray.__copy__", "ndarray.to_device")
def view(call):
    """NumPy's own, on a header whose elements it does not touch."""
    arrays = [call.args[0]] if call.args and isinstance(call.args[0], ndarray) else []
    if call.operation == "broadcast_arrays":
        arrays = [each for each in call.args if isinstance(each, ndarray)]
    return call.view(*arrays)


@rule("imag ndarray.imag")
def imag(call):
    x = call.args[0]
    if x.dtype.kind == "c":
        return call.view(x)
    made = call.give(copied(call.header(x)))
    made.flags.writeable = False
    return made


# ---- indexing


@rule("ndarray.__getitem__")
def get_item(call):
    x = call.args[0]
    key, is_basic = settle_key(call.args[1])
    header = call.header(x)
    if not is_basic and not isinstance(key, (str, list)):
        layout = indexed(header, _shown_key(call, key))
        return call.give(layout)
    if is_basic:
        part = header[(*key, ...) if type(key) is tuple and Ellipsis not in key else (key, ...)
                      if type(key) is not tuple and key is not Ellipsis else key]
        picks_one = part.ndim == 0 and not (key is Ellipsis or (type(key) is tuple and Ellipsis in key))
        if picks_one and is_fake(x):
            return call.give(Layout((), x.dtype, ()))
    return call.view(x) if is_fake(x) else call.compute()


def _shown_key(call, key):
    """An index as NumPy's headers; masks that are fakes are refused."""
    shown = []
    for item in key if type(key) is tuple else (key,):
        if isinstance(item, ndarray) and is_fake(item) and item.dtype == bool:
            raise call.refusal(
                "the shape of what a mask picks depends on its values", "use where, or multiply by the mask"
            )
        shown.append(call.header(item) if isinstance(item, ndarray) else item)
    return tuple(shown)


@rule("ndarray.__setitem__")
def set_item(call):
    x, key, value = call.args
    key, is_basic = settle_key(key)
    if not x.flags.writeable:
        raise ValueError("assignment destination is read-only")
    if not is_fake(x) and call.faked is None:
        return call.function(*call.args)
    shown = call.header(value)
    shown = (shown.shape, shown.dtype) if isinstance(shown, (np.ndarray, np.generic)) else ((), np.asarray(shown).dtype)
    header = call.header(x)
    if is_basic:
        part = header[key]
        whole = part.size == header.size if isinstance(part, np.ndarray) else header.size == 1
        assigned(header, key, shown)
    else:
        whole = False
        if not isinstance(key, (str, list)):
            assigned(header, _shown_key(call, key), shown)
    call.writes(x, whole, text=True)
    return None


# ---- copies and conversions


@rule("ndarray.copy ndarray.lazy_clone ndarray.__deepcopy__ ndarray.flatten")
def copy(call):
    return call.copy()


@rule("ndarray.reshape reshape")
def reshape(call):
    x, *rest = call.args
    order = call.kwargs.get("order", "C")
    lengths = rest[0] if len(rest) == 1 else tuple(rest)
    header = call.header(x)
    try:
        np.reshape(header, lengths, order=order, copy=False)
    except ValueError:
        layout = reshaped_copy(header, lengths, order)
        if call.kwargs.get("copy") is False:
            raise
        return call.give(layout)
    return call.view(x) if not call.kwargs.get("copy") else call.copy()


@rule("ndarray.astype")
def astype(call):
    x, dtype, order, casting, copy_ = (*call.args, *(None,) * 0)
    wanted = np.dtype(dtype)
    if wanted == x.dtype:
        return call.copy()
    if not np.can_cast(x.dtype, wanted, casting):
        raise TypeError(f"Cannot cast array data from {x.dtype!r} to {wanted!r} according to the rule {casting!r}")
    return call.give(copied(call.header(x), order, wanted))


@rule("asarray")
def asarray(call):
    x = call.args[0]
    dtype = call.args[1] if len(call.args) > 1 else call.kwargs.get("dtype")
    if isinstance(x, ndarray):
        if dtype is None or np.dtype(dtype) == x.dtype:
            return call.copy()
        return call.give(copied(call.header(x), call.kwargs.get("order") or "K", np.dtype(dtype)))
    if isinstance(x, (list, tuple)) and first_fake(x) is not None:
        return _stacked(call, x, dtype)
    made = call.compute()
    if not isinstance(x, (np.ndarray, memoryview, bytes)) and made.nbytes >= call.block.real:
        forget(made, call.origin)
    return made


def _stacked(call, values, dtype):
    """What `asarray` makes of nested lists with fakes in them."""
    shapes = [_shape_of(each) for each in values]
    if any([shape != shapes[0] for shape in shapes]):
        raise ValueError(
            "setting an array element with a sequence. The requested array has an inhomogeneous shape after 1 dimensions."
        )
    found = np.result_type(*[_dtype_of(each) for each in values]) if dtype is None else np.dtype(dtype)
    return call.give(fresh((len(values), *shapes[0]), found))


def _shape_of(value):
    if isinstance(value, (ndarray, np.ndarray, np.generic)):
        return value.shape
    if isinstance(value, (list, tuple)):
        shapes = {_shape_of(each) for each in value}
        return (len(value), *(shapes.pop() if len(shapes) == 1 else ()))
    return ()


def _dtype_of(value):
    if isinstance(value, (ndarray, np.ndarray, np.generic)):
        return value.dtype
    if isinstance(value, (list, tuple)):
        return np.result_type(*[_dtype_of(each) for each in value]) if value else np.dtype(float)
    return np.asarray(value).dtype
