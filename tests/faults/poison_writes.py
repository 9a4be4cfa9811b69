"""What else writes an array, as a whole or in part: assignments, functions, methods. Cases for poison.py."""

import itertools
import operator

import numpy as np
from poison_ufuncs import LAYOUTS, SHAPES, WIDTHS, filled
from support.numpy_versions import happens

import cowarray as ca

# ---- assignments -----------------------------------------------------------------------------------------------------

DTYPES = (
    *"?bhiqBHILefdFDgG", ">i4", ">f8", ">c8", "M8[s]", "m8[ms]", "M8[D]", *(f"U{width}" for width in WIDTHS),
    *(f"S{width}" for width in WIDTHS), ">U5", "V4",
)  # fmt: skip

ASSIGN = {
    "x[...] = v": lambda x, v: operator.setitem(x, ..., v),
    "x[:] = v": lambda x, v: operator.setitem(x, slice(None) if x.ndim else ..., v),
    "x[::-1] = v": lambda x, v: operator.setitem(x, slice(None, None, -1) if x.ndim else ..., v),
    "x[mask] = v": lambda x, v: operator.setitem(x, np.ones(x.shape, bool), v.flat[0] if v.size else 0),
    "x[indices] = v": lambda x, v: operator.setitem(x, list(range(len(x))) if x.ndim else ..., v),
    "x.flat = v": lambda x, v: setattr(x, "flat", v),
    "x.flat[:] = v": lambda x, v: operator.setitem(x.flat, slice(None), v),
    "x.T[...] = v": lambda x, v: operator.setitem(x.T, ..., v.T),
    "fill": lambda x, v: x.fill(v.flat[0] if v.size else 0),
    "copyto": lambda x, v: np.copyto(x, v, casting="unsafe"),
    "copyto, same_kind": lambda x, v: np.copyto(x, v),
    "copyto where": lambda x, v: np.copyto(x, v, casting="unsafe", where=np.arange(x.size).reshape(x.shape) % 2 == 0),
    "put": lambda x, v: np.put(x, np.arange(x.size), v),
    "x.put": lambda x, v: x.put(np.arange(x.size)[::2], v),
    "place": lambda x, v: np.place(x, np.ones(x.shape, bool), v),
    "putmask": lambda x, v: np.putmask(x, np.ones(x.shape, bool), v),
    "put_along_axis": lambda x, v: np.put_along_axis(x, np.argsort(x, axis=0), v, 0),
    "list": lambda x, v: operator.setitem(x, ..., v.tolist()),
    "objects": lambda x, v: operator.setitem(x, ..., v.astype(object)),
    "range": lambda x, v: operator.setitem(x, ..., range(x.shape[-1]) if x.ndim else 3),
    "scalar": lambda x, v: operator.setitem(x, ..., v.flat[0] if v.size else 0),
    "python": lambda x, v: operator.setitem(x, ..., v.flat[0].item() if v.size else 0),
    "ours": lambda x, v: operator.setitem(x, ..., ca.array(v)),
    "row": lambda x, v: operator.setitem(x, ..., v[:1] if v.ndim else v),
    "a view of x": lambda x, v: operator.setitem(x, ..., x[::-1] if x.ndim else x),
    "real": lambda x, v: setattr(x, "real", v.real),
    "imag": lambda x, v: setattr(x, "imag", v.real),
    "setfield": lambda x, v: x.setfield(v.flat[0] if v.size else 0, v.dtype),
    "fill_diagonal": lambda x, v: np.fill_diagonal(x, v),
}


def assignments(rng, share):
    """Every dtype from every other, in every way."""
    for name, assign in ASSIGN.items():
        for dtype, source, layout in itertools.product(DTYPES, DTYPES, LAYOUTS):
            if name == "x[indices] = v" and dtype[-1] == "]" and source.strip(">")[0] in "US":
                continue  # NumPy forgets that it could not parse, and has written what was in its buffer
            if source[0] == "m" and dtype.strip(">")[0] in "US" and happens("durations overflow short text"):
                continue
            if rng.random() * share * 4 < 1:
                shape = rng.choice(SHAPES)
                value = filled(source, shape, rng)

                def write(target, assign=assign, value=value):
                    assign(target, value)

                yield name, f"from {value.dtype.str}", np.dtype(dtype), shape, layout, write


# ---- functions and methods that write --------------------------------------------------------------------------------

A = np.arange(12.0).reshape(3, 4) + 1
B = np.arange(16).reshape(4, 4) + 1
FUNCTIONS = {  # x is (3, 4)
    "sort": lambda x: x.sort(),
    "sort, axis 0": lambda x: x.sort(axis=0),
    "stable": lambda x: x.sort(kind="stable"),
    "partition": lambda x: x.partition(1),
    "byteswap": lambda x: x.byteswap(True),
    "take": lambda x: np.take(A, np.arange(12).reshape(3, 4), out=x),
    "take, clip": lambda x: np.take(A, np.arange(12).reshape(3, 4), out=x, mode="clip"),
    "choose": lambda x: np.choose(np.zeros((3, 4), int), [A, A], out=x),
    "clip": lambda x: np.clip(A, 2, 5, out=x),
    "x.clip": lambda x: x.clip(2, 5, out=x),
    "concatenate": lambda x: np.concatenate([A[:1], A[1:]], out=x, casting="unsafe"),
    "concatenate, same_kind": lambda x: np.concatenate([A[:1], A[1:]], out=x),
    "stack": lambda x: np.stack([A[0], A[1], A[2]], out=x, casting="unsafe"),
    "vstack of little": lambda x: np.concatenate([A[:1], A[1:2]], out=x),
    "cumsum": lambda x: np.cumsum(A, axis=0, out=x),
    "sum": lambda x: np.sum(np.stack([A, A]), axis=0, out=x),
    "mean": lambda x: np.mean(np.stack([A, A]), axis=0, out=x),
    "std": lambda x: np.std(np.stack([A, A]), axis=0, out=x),
    "var where": lambda x: np.var(np.stack([A, A]), axis=0, out=x, where=np.stack([A, A]) > 3),
    "max": lambda x: np.max(np.stack([A, -A]), axis=0, out=x),
    "max of nothing": lambda x: np.max(np.empty((0, 3, 4)), axis=0, out=x, initial=0),
    "sum of nothing": lambda x: np.sum(np.empty((0, 3, 4)), axis=0, out=x),
    "prod of nothing": lambda x: np.multiply.reduce(np.empty((0, 3, 4)), axis=0, out=x),
    "argmax": lambda x: np.argmax(np.stack([A, -A]), axis=0, out=x),
    "all": lambda x: np.all(np.stack([A, A]), axis=0, out=x),
    "median": lambda x: np.median(np.stack([A, A]), axis=0, out=x),
    "quantile": lambda x: np.quantile(np.stack([A, A]), 0.3, axis=0, out=x),
    "nanmean": lambda x: np.nanmean(np.stack([A, A]), axis=0, out=x),
    "nansum": lambda x: np.nansum(np.stack([A, A]), axis=0, out=x),
    "ptp": lambda x: np.ptp(np.stack([A, 2 * A]), axis=0, out=x),
    "dot": lambda x: np.dot(A, B * 1.0, out=x),
    "dot of nothing": lambda x: np.dot(np.empty((3, 0)), np.empty((0, 4)), out=x),
    "einsum": lambda x: np.einsum("ij,jk->ik", A, B * 1.0, out=x),
    "einsum, optimized": lambda x: np.einsum("ij,jk,kl->il", A, B * 1.0, B * 1.0, out=x, optimize=True),
    "einsum of nothing": lambda x: np.einsum("ij,jk->ik", np.empty((3, 0)), np.empty((0, 4)), out=x),
    "einsum, diagonal": lambda x: np.einsum("ijj->ij", np.ones((3, 4, 4)), out=x),
    "outer": lambda x: np.outer(A[:, 0], B[0], out=x),
    "ufunc outer": lambda x: np.multiply.outer(A[:, 0], B[0], out=x),
    "multi_dot": lambda x: np.linalg.multi_dot([A, B * 1.0, B * 1.0], out=x),
    "compress": lambda x: np.compress([True, True, True], A, axis=0, out=x),
    "compress less": lambda x: np.compress([True, False, True], A, axis=0, out=x),
    "round": lambda x: np.round(A / 3, 1, out=x),
    "x.round": lambda x: x.round(1, out=x),
    "accumulate": lambda x: np.add.accumulate(A, axis=0, out=x),
    "reduceat": lambda x: np.add.reduceat(A, [0, 1, 1], axis=0, out=x),
    "reduceat, backwards": lambda x: np.add.reduceat(A, [2, 1, 0], axis=0, out=x),
    "reduce where": lambda x: np.add.reduce(np.stack([A, A]), axis=0, out=x, where=np.stack([A, A]) > 5),
    "at": lambda x: np.add.at(x, ([0, 2], [1, 1]), 3),
    "where": lambda x: np.add(A, 1, out=x, where=A > 5),
    "where, broadcast": lambda x: np.multiply(A, 2, out=x, where=[True, False, True, False]),
    "where False": lambda x: np.multiply(A, 2, out=x, where=False),
    "nan_to_num": lambda x: np.nan_to_num(x, copy=False),
    "isneginf": lambda x: np.isneginf(A, out=x),
    "fix": lambda x: np.trunc(A, out=x),
    "divmod": lambda x: np.divmod(A, 2, out=(None, x)),
    "modf": lambda x: np.modf(A, out=(x, None)),
    "modf, twice": lambda x: np.modf(A, out=(x, x)),
    "frexp": lambda x: np.frexp(A, out=(x, None)),
    "wrong shape": lambda x: np.add(np.ones((2, 4)), 1, out=x),
    "too small": lambda x: np.add(np.ones((2, 3, 4)), 1, out=x),
    "an element that cannot be": lambda x: operator.setitem(x, ..., np.array([[1, 2, 3, "no"]] * 3, object)),
    "a list that cannot be": lambda x: operator.setitem(x, ..., [[1, 2, 3, "no"]] * 3),
    "an operation that fails": lambda x: np.add(A, np.array([1, 2, 3, "no"], object), out=x, casting="unsafe"),
    "an operation that fails late": lambda x: np.power(B[:3], -B[:3], out=x, casting="unsafe"),
    "a division that is refused": lambda x: refused(x),
    "a string that is no number": lambda x: np.copyto(x, np.array(["1", "2", "3", "no"]), casting="unsafe"),
    "setitem of little": lambda x: operator.setitem(x, slice(0, 2), 1),
    "fftn": lambda x: np.fft.fft(A, out=x),
    "fftn, cut": lambda x: np.fft.fft(A, n=4, out=x),
    "ifft": lambda x: np.fft.ifft(A, out=x),
    "matmul": lambda x: np.matmul(A, B, out=x),
    "matmul, axes": lambda x: np.matmul(A, B, out=x, axes=[(0, 1), (0, 1), (0, 1)]),
    "vecdot of nothing": lambda x: np.vecdot(np.empty((3, 4, 0)), np.empty((3, 4, 0)), out=x),
    "iadd of more": lambda x: operator.iadd(x, np.ones((2, 3, 4))),
}


def refused(x):
    with np.errstate(all="raise"):
        np.divide(1, np.array([[1.0, 2, 0, 4]] * 3), out=x)


def functions(rng, share):
    """What else writes an array, on each dtype and layout."""
    for (name, function), dtype, layout in itertools.product(FUNCTIONS.items(), DTYPES, LAYOUTS):
        if rng.random() * share < 1:
            yield name, "", np.dtype(dtype), (3, 4), layout, function
