"""The steps of random programs: each runs on an array of ours, and on one of NumPy's whose copies are made at once."""

import copy
import pickle

import hypothesis.extra.numpy as hnp
import numpy as np
from hypothesis import strategies as st

import cowarray as ca

DTYPES = ["f8", "i8", "u1", ">i4", "f4"]
STRUCTURED = np.dtype([("a", "i4"), ("b", "f8")])
SHAPES = st.one_of(
    hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=5),
    st.just(()),
    st.just((9000,)),  # more than what is copied with the GIL held
    st.just((100, 90)),
)
VALUES = st.integers(0, 100)
SEEDS = st.integers(0, 2**32 - 1)


def numbers(shape, dtype, seed):
    """Elements by a seed that Hypothesis draws and prints."""
    raw = np.random.default_rng(seed).integers(0, 100, shape)
    if dtype == STRUCTURED:
        array = np.zeros(shape, dtype)
        array["a"], array["b"] = raw, raw + 0.5
        return array
    return np.asarray(raw).astype(dtype)


def odd(a):
    return np.arange(a.size).reshape(a.shape) % 2 == 1


# Copies of either array, by every name; the oracle's is then copied once more, so that it never aliases.
COPIES = {
    "copy": lambda a: a.copy(),
    "copy F": lambda a: a.copy(order="F"),
    "reshape": lambda a: a.reshape(-1),
    "reshape to 2": lambda a: a.reshape((-1, 2)) if a.size % 2 == 0 and a.size else a.reshape((1, -1)),
    "reshape F": lambda a: a.reshape(a.shape[::-1], order="F"),
    "ravel": lambda a: a.ravel(),
    "flatten": lambda a: a.flatten(),
    "astype": lambda a: a.astype(a.dtype),
    "lazy_clone": lambda a: ca.lazy_clone(a) if isinstance(a, ca.ndarray) else a.copy(order="K"),
    "np.copy": np.copy,
    "np.reshape": lambda a: np.reshape(a, (-1,)),
    "np.ravel": np.ravel,
    "np.array": lambda a: ca.array(a) if isinstance(a, ca.ndarray) else np.array(a),
    "np.atleast_1d": np.atleast_1d,
    "reshape(copy=True)": lambda a: a.reshape(a.shape, copy=True),
    "flat.copy": lambda a: a.flat.copy(),
    "fancy": lambda a: a[[0, -1]] if a.ndim and len(a) else a.copy(),
    "mask": lambda a: a[odd(a)],
    "computed": lambda a: a + 0 if a.ndim and not a.dtype.names else a.copy(),
    "astype f8": lambda a: a.astype("f8") if not a.dtype.names else a.copy(),
    "np.concatenate": lambda a: np.concatenate([a, a]) if a.ndim else a.copy(),
    "np.repeat": lambda a: np.repeat(a, 1, axis=0) if a.ndim else a.copy(),
    "np.roll": lambda a: np.roll(a, 0),
    "np.tile": lambda a: np.tile(a, 1),
    "asarray(copy=True)": lambda a: ca.asarray(a, copy=True) if isinstance(a, ca.ndarray) else a.copy(order="K"),
    "from_dlpack": lambda a: ca.from_dlpack(a) if isinstance(a, ca.ndarray) else a.copy(order="K"),
    "copy.copy": copy.copy,
    "copy.deepcopy": copy.deepcopy,
    "pickle": lambda a: pickled(a, 5),
    "pickle 4": lambda a: pickled(a, 4),
    "pickle out of band": lambda a: pickled(a, 5, []),
}

VIEWS = {
    "T": lambda a: a.T,
    "transpose": lambda a: a.transpose(*range(1, a.ndim), 0) if a.ndim else a.transpose(),
    "np.flip": np.flip,
    "squeeze": lambda a: a.squeeze()[...],  # NumPy gives the array itself where there is no such axis
    "np.expand_dims": lambda a: np.expand_dims(a, 0),
    "np.broadcast_to": lambda a: np.broadcast_to(a, (2, *a.shape)),
    "diagonal": lambda a: a.diagonal() if a.ndim >= 2 else a[...],
    "reshape(copy=False)": lambda a: a.reshape(a.shape, copy=False),
    "view": lambda a: a.view("u1") if a.ndim == 1 and a.size and a.strides[0] == a.itemsize else a.view(),
    "field": lambda a: a["b"] if a.dtype.names else a[...],
    "np.moveaxis": lambda a: np.moveaxis(a, 0, -1) if a.ndim else a[...],
    "np.rot90": lambda a: np.rot90(a) if a.ndim >= 2 else a[...],
    "np.unstack": lambda a: np.unstack(a)[-1][...] if a.ndim > 1 and len(a) else a[...],
    "real": lambda a: a.real[...] if not a.dtype.names else a[...],  # NumPy gives a itself where it is real
    "windows": lambda a: np.lib.stride_tricks.sliding_window_view(a, 2) if a.ndim == 1 and a.size > 1 else a[...],
    "np.split": lambda a: np.split(a, 1)[0] if a.ndim else a[...],
}

INPLACE = {
    "+=": lambda a, b: a.__iadd__(b),
    "-=": lambda a, b: a.__isub__(b),
    "*=": lambda a, b: a.__imul__(b),
    "np.add out": lambda a, b: np.add(a, b, out=a, casting="unsafe"),
    "np.maximum out tuple": lambda a, b: np.maximum(b, a, out=(a,), casting="unsafe"),
    "np.add where": lambda a, b: np.add(a, b, out=a, where=odd(a), casting="unsafe"),
    "np.multiply out": lambda a, b: np.multiply(b, 2, out=a, casting="unsafe"),
    "np.concatenate out": lambda a, b: np.concatenate([b], out=a, casting="unsafe") if b.ndim else a.__iadd__(b),
    "mask of ours": lambda a, b: a.__setitem__(b > 50, 1),
    "np.put of ours": lambda a, b: np.put(a, (b % 5).astype(int), b, "clip") if a.size else a.__iadd__(b),
    "np.copyto": lambda a, b: np.copyto(a, b, casting="unsafe"),
}

# Writes by a number; the same function for both.
WRITES = {
    "fill": lambda a, v: a.fill(v),
    "a[...]": lambda a, v: a.__setitem__(..., v),
    "flat": lambda a, v: setattr(a, "flat", v),
    "put": lambda a, v: a.put([0, a.size - 1], v),
    "np.put": lambda a, v: np.put(a, [a.size // 2], v),
    "np.place": lambda a, v: np.place(a, np.arange(a.size).reshape(a.shape) % 3 == 0, [v, v + 1]),
    "np.putmask": lambda a, v: np.putmask(a, odd(a), v),
    "np.copyto where": lambda a, v: np.copyto(a, v, where=odd(a)),
    "np.fill_diagonal": lambda a, v: np.fill_diagonal(a, v) if a.ndim == 2 else a.fill(v),
    "np.add.at": lambda a, v: write_at(a, [0, 0] if a.ndim else (), v),
    "np.add.at slice": lambda a, v: write_at(a, slice(0, 1) if a.ndim else (), v),
    "np.put_along_axis": lambda a, v: np.put_along_axis(a, np.zeros((1,) * a.ndim, int), v, 0),
    "sort": lambda a, v: a.sort(axis=v % a.ndim),
    "partition": lambda a, v: a.partition(a.shape[-1] // 2),
    "byteswap": lambda a, v: a.byteswap(inplace=True) and None if a.dtype.kind != "f" else a.fill(v),
    "setfield": lambda a, v: a.setfield(v, "u1", 0),
    "real": lambda a, v: setattr(a, "real", v),
    "memoryview": lambda a, v: write_by_memoryview(a, v),
    "readinto": lambda a, v: write_by_export(a, v),
    "np.cumsum out": lambda a, v: np.cumsum(a.ravel(), out=a, dtype=a.dtype) if a.ndim == 1 else a.fill(v),
    "np.clip out": lambda a, v: np.clip(a, 1, v + 1, out=a, casting="unsafe"),
    "np.nan_to_num": lambda a, v: np.nan_to_num(a, copy=False) is None,
    "np.median": lambda a, v: np.median(a, overwrite_input=True) is None if a.size else a.fill(v),
    "flat slice": lambda a, v: a.flat.__setitem__(slice(0, None, 2), v),
    "flat element": lambda a, v: a.flat.__setitem__(-1, v) if a.size else a.fill(v),
    "shape": lambda a, v: setattr(a, "shape", -1),
    "augmented slice": lambda a, v: a[::2].__iadd__(v) if a.ndim else a.__iadd__(v),
    "setflags": lambda a, v: a.setflags(write=v < 90) if a.flags.writeable else a.fill(v),
}


def pickled(a, protocol, buffers=None):
    if not isinstance(a, ca.ndarray):
        return a.copy()  # NumPy's own pickles lose the byte order at times
    callback = None if buffers is None else buffers.append
    return pickle.loads(pickle.dumps(a, protocol=protocol, buffer_callback=callback), buffers=buffers)


def write_at(a, key, value):
    if not a.flags.writeable and isinstance(a, np.ndarray):
        raise ValueError  # NumPy's own does not look
    np.add.at(a, key, value)


def write_by_memoryview(a, value):
    if a.ndim == 1 and a.size and a.strides == (a.itemsize,) and a.flags.writeable:
        array = a.to_numpy(writable=True) if isinstance(a, ca.ndarray) else a
        with memoryview(array.view("u1")) as view:
            view[0] = value
    else:
        a.fill(value)


def write_by_export(a, value):
    if isinstance(a, ca.ndarray):
        array = a.to_numpy(writable=True)
    elif a.flags.writeable:
        array = a
    else:
        raise ValueError
    array[...] = value


def outcome(function, *args):
    try:
        return None, function(*args)
    except (ValueError, TypeError, IndexError, AttributeError) as error:
        return type(error), None
