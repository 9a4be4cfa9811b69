"""Fuzz targets of what users call: constructor, indexing, reshaping. NumPy says what should come of it."""

import pickle

import numpy as np
from choices import DTYPES, PLAIN, Choices
from support.oracle import LAYOUTS, agree, outcome, same, value

import cowarray

# ---- constructor -----------------------------------------------------------------------------------------------------


def content(choices, depth=0):
    """Something to make an array of."""
    kind = choices.byte() % (12 if depth < 4 else 7)
    if kind == 0:
        return choices.number()
    if kind == 1:
        return choices.of([1.5, float("nan"), -0.0, 1e300, 2j, True, None, "ab", b"ab", "", np.float32(2), 2**70])
    if kind == 2:
        return bytes(choices.byte() for _ in range(choices.byte() % 9))
    if kind == 3:
        return LAYOUTS[choices.of(["contiguous", "fortran", "sliced", "negative", "1-d"])][1](
            np.arange(36).astype(choices.of(PLAIN)).reshape(6, 6)
        ) if choices.flag() else np.zeros(choices.small(0, 3), choices.of(DTYPES))  # fmt: skip
    if kind == 4:
        return choices.of(
            [bytearray(b"abcd"), memoryview(b"abcd"), range(3), np.datetime64("2020-01-01"), np.ma.zeros(2)]
        )
    if kind == 5:
        return choices.of([[], (), [[]], [[], []], [1, 2, 3], [[1], [2]]])
    if kind == 6:
        return np.arange(choices.small(0, 6)).astype(choices.of(PLAIN))
    return [content(choices, depth + 1) for _ in range(choices.byte() % 4)]


def constructor(data):
    choices = Choices(data)
    source = content(choices)
    dtype = choices.of([None, None, *DTYPES])
    order = choices.of(["K", "A", "C", "F", None, "c", "X"])
    ndmin = choices.of([0, 0, 1, 3, -1, 63, 65])
    copy = choices.of([True, True, None, False])
    expected = outcome(np.array, source, dtype=dtype, order=order, ndmin=ndmin, copy=True)
    got = outcome(cowarray.array, source, dtype, order=order, ndmin=ndmin, copy=copy)
    if copy is False and got[1] is ValueError:
        return  # it would have had to copy
    if ndmin in range(65):
        agree(got, expected)
    else:
        assert got[1] is not None or ndmin < 0  # of two errors, either is named
    if got[1] is None and got[0].size and got[0].flags.writeable:
        before = pickle.dumps(expected[0]) if not expected[0].dtype.hasobject else None
        got[0][...] = np.zeros((), got[0].dtype)
        again = outcome(np.array, source, dtype=dtype, order=order, ndmin=ndmin, copy=True)
        assert before is None or pickle.dumps(again[0]) == before, "a write has reached the source"


# ---- indexing --------------------------------------------------------------------------------------------------------


def key_part(choices, depth=0):
    kind = choices.byte() % 12
    if kind < 3:
        return choices.small()
    if kind < 6:
        return slice(*(choices.of([None, choices.small(), choices.number()]) for _ in range(3)))
    if kind == 6:
        return Ellipsis
    if kind == 7:
        return None
    if kind == 8:
        return [choices.small(-2, 4) for _ in range(choices.byte() % 4)]
    if kind == 9:
        return np.array([choices.flag() for _ in range(choices.byte() % 6)], bool)
    if kind == 10:
        return choices.of(
            [True, False, np.int8(1), np.array(2), 1.5, "a", 2**70, np.zeros((4, 4), bool), cowarray.array([1, 0])]
        )
    return tuple(key_part(choices, depth + 1) for _ in range(choices.byte() % 4)) if depth < 2 else 0


def indexing(data):
    choices = Choices(data)
    it = choices.subject()
    for _ in range(1 + choices.byte() % 4):
        key = key_part(choices)
        shown = value(key) if type(key) is cowarray.ndarray else key
        if choices.flag():
            agree(outcome(it.x.__getitem__, key), outcome(it.n.__getitem__, shown))
        else:
            new = choices.of([0, 1, [1, 2], np.arange(4), np.ones((4, 4)), "text", None, [[1], [2], [3], [4]]])
            ours, theirs = outcome(it.x.__setitem__, key, new), outcome(it.n.__setitem__, shown, new)
            # Of a bad key and a bad value, either is named.
            assert (ours[1] is None) == (theirs[1] is None), (ours, theirs)
        it.check()


# ---- reshape ---------------------------------------------------------------------------------------------------------


def reshaped(n, shape, order):
    """A copy of NumPy's result, with its strides, falling ones included."""
    view = n.reshape(shape, order=order)
    flips = (*(slice(None, None, -1 if stride < 0 else 1) for stride in view.strides), ...)
    return view[flips].copy("K")[flips]


def reshape(data):
    choices = Choices(data)
    it = choices.subject()
    x, n = it.x, it.n
    made = []
    for _ in range(1 + choices.byte() % 6):
        kind = choices.byte() % 11
        if kind < 4:
            shape, order = choices.numbers(5), choices.of(["C", "F", "A", "K", "Q"])
            ours, theirs = (
                outcome(x.reshape, shape, order=order),
                outcome(reshaped, n, shape, order),
            )
        elif kind == 4:
            order = choices.of(["C", "F", "A", "K"])
            ours, theirs = outcome(x.ravel, order), outcome(n.flatten, order)
        elif kind == 5:
            axes = choices.numbers(4)
            ours, theirs = outcome(x.transpose, *axes), outcome(n.transpose, *axes)
        elif kind == 6:
            axis = choices.of([None, 0, -1, 1, (0, 1), choices.number()])
            ours, theirs = outcome(x.squeeze, axis), outcome(n.squeeze, axis)
        elif kind == 7:
            a, b = choices.small(), choices.small()
            ours, theirs = outcome(x.swapaxes, a, b), outcome(n.swapaxes, a, b)
        elif kind == 8:
            shape = choices.numbers(4)
            if all(length < 8 for length in shape):
                ours, theirs = outcome(np.broadcast_to, x, shape), outcome(np.broadcast_to, n, shape)
            else:
                continue
        elif kind == 9:
            dtype = choices.of(["u1", "i2", "f8", "V3", "D", "f4"])
            ours, theirs = outcome(x.view, dtype), outcome(n.view, dtype)
        else:
            if x.size and x.flags.writeable and n.flags.writeable:
                x[...] = n[...] = np.zeros((), x.dtype)
            continue
        agree(ours, theirs)
        if ours[1] is None:
            made.append((x, n))
            x, n = ours[0], theirs[0]
            if x.flags.writeable != n.flags.writeable:  # a copy of a view that is read-only
                n = n.copy("K") if kind < 5 else n
        for one, other in made:
            same(one, other)
    it.check()
