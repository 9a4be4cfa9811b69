"""What all tests compare with: NumPy, on arrays that share nothing.

`same` is the comparison, `Witness` guards an array that must not notice a write, and `LAYOUTS` and `OWNERSHIPS` make
one array in every way in which it can lie in memory and share its bytes.
"""

import functools
import warnings

import numpy as np

import cowarray


def value(x):
    """What an array of ours holds, as a NumPy array of its own, without lazily sharing its bytes."""
    return x.__array__(copy=True)


def native(result):
    """A result with every array of ours in it as NumPy's."""
    if type(result) is cowarray.ndarray:
        return value(result)
    if isinstance(result, (tuple, list)):
        return [native(item) for item in result]
    return result


def same(ours, theirs, *, strides=False):
    """Assert that ours is what theirs is: NumPy's arrays as ours, all else of the very type, with equal values.

    strides: the memory layout, too, along axes where it matters.
    """
    if type(theirs) is np.ndarray:
        assert type(ours) is cowarray.ndarray, f"expected an array of ours, got {type(ours)}: {ours!r}"
        assert ours.dtype == theirs.dtype, (ours.dtype, theirs.dtype)
        assert ours.dtype.byteorder == theirs.dtype.byteorder
        assert ours.shape == theirs.shape, (ours.shape, theirs.shape)
        assert ours.ndim == theirs.ndim
        assert ours.size == theirs.size
        assert ours.nbytes == theirs.nbytes
        same_values(value(ours), theirs)
        if strides and theirs.size:
            matter = [axis for axis, length in enumerate(theirs.shape) if length > 1]
            assert [ours.strides[axis] for axis in matter] == [theirs.strides[axis] for axis in matter]
        return
    assert type(ours) is type(theirs), (type(ours), type(theirs))
    if isinstance(theirs, np.ndarray):  # a masked array, or a record array
        same_values(np.asarray(ours), np.asarray(theirs))
    elif isinstance(theirs, (tuple, list)):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            same(one, other, strides=strides)
    elif isinstance(theirs, dict):
        assert ours.keys() == theirs.keys()
        for key in theirs:
            same(ours[key], theirs[key], strides=strides)
    elif isinstance(theirs, np.generic):
        assert ours.dtype == theirs.dtype
        same_values(np.array(ours), np.array(theirs))
    elif isinstance(theirs, np.poly1d):
        same_values(ours.coeffs, theirs.coeffs)
    elif isinstance(theirs, float):
        assert ours == theirs or (ours != ours and theirs != theirs)
    else:
        assert ours == theirs, (ours, theirs)


def same_values(ours, theirs):
    """Assert that two NumPy arrays hold the same, bit for bit where dtypes are plain numbers."""
    assert ours.shape == theirs.shape
    if not theirs.dtype.hasobject and ours.dtype == theirs.dtype and ours.tobytes() == theirs.tobytes():
        return  # as it nearly always is; what follows takes ten times as long
    if theirs.dtype.kind in "fc" and theirs.dtype.itemsize <= 16 and theirs.dtype.char != "g":
        np.testing.assert_array_equal(ours, theirs)
        known = theirs == theirs
        np.testing.assert_array_equal(np.signbit(ours.real[known]), np.signbit(theirs.real[known]))
    elif theirs.dtype.kind == "O":
        for one, other in zip(ours.ravel().tolist(), theirs.ravel().tolist(), strict=True):
            if isinstance(one, cowarray.ndarray):  # as it was assigned
                one = one.to_numpy()
            assert type(one) is type(other)
            assert one is other or repr(one) == repr(other)
    elif theirs.dtype.names is not None:
        for name in theirs.dtype.names:
            same_values(ours[name], theirs[name])
    elif theirs.dtype.kind == "V":
        assert ours.tobytes() == theirs.tobytes()
    elif theirs.dtype.kind == "T":
        assert ours.tolist() == theirs.tolist()
    else:
        np.testing.assert_array_equal(ours, theirs)


def outcome(function, /, *args, **kwargs):
    """What a call does: (result, None), or (None, the class of its error)."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return function(*args, **kwargs), None
        except Exception as error:  # NumPy's error is what ours is compared with
            return None, type(error)


def agree(ours, theirs, **kwargs):
    """Assert that two outcomes are the same; NumPy's own subclasses of an error class are interchangeable."""
    if theirs[1] is not None or ours[1] is not None:
        assert ours[1] is not None, f"NumPy raises {theirs[1]}, ours gives {ours[0]!r}"
        assert theirs[1] is not None, f"ours raises {ours[1]}, NumPy gives {theirs[0]!r}"
        assert issubclass(ours[1], theirs[1]) or issubclass(theirs[1], ours[1]), (ours[1], theirs[1])
    else:
        same(ours[0], theirs[0], **kwargs)


class Witness:
    """A lazy copy of an array of ours, which must notice nothing of what happens to the array."""

    def __init__(self, x):
        self.copy = x.copy(order="K")
        self.before = value(x)

    def check(self):
        same(self.copy, self.before)


# Name -> how the array lies in its base: (shape of the base, the view of it). The base of "sliced" is less than twice
# as large as the view, so that copies may be lazy; that of "part" is larger.
LAYOUTS = {
    "contiguous": ((4, 4), lambda base: base[...]),
    "fortran": ((4, 4), lambda base: base.T),
    "sliced": ((5, 5), lambda base: base[1:, :4]),
    "part": ((8, 6), lambda base: base[::2, 1:5]),
    "negative": ((4, 4), lambda base: base[::-1, ::-1]),
    "broadcast": ((4,), lambda base: np.broadcast_to(base, (4, 4))),
    "0-d": ((), lambda base: base[...]),
    "0-d part": ((9,), lambda base: base[4, ...]),
    "1-d": ((6,), lambda base: base[...]),
    "3-d": ((2, 4, 4), lambda base: base.transpose(2, 0, 1)),
    "empty": ((0, 4), lambda base: base[...]),
}

OWNERSHIPS = ("owner", "view", "lazy copy", "source", "imported")


class Subject:
    """One array in a layout and an ownership, with NumPy's equal, and with whoever shares its bytes.

    Attributes
    ----------
    x : cowarray.ndarray
    n : numpy.ndarray
        Equal, with the same strides, and with a base of its own.
    base, n_base : the arrays that the two are views of
    witness : Witness or None
        Shares x's bytes, and must never change.
    """

    def __init__(self, values, view, ownership):
        self.n_base = np.array(values)
        self.n = view(self.n_base)
        self.witness = None
        self.base = cowarray.array(values)
        if ownership == "imported":
            values = np.array(values)
            values.flags.writeable = False
            self.base = cowarray.asarray(values)
        elif ownership == "lazy copy":
            self.witness = Witness(self.base)
            self.base, self.witness.copy = self.witness.copy, self.base
        elif ownership == "source":
            self.witness = Witness(self.base)
        self.x = view(self.base)
        if ownership == "owner":
            self.base = None
        self.ownership = ownership

    def check(self):
        """Every view sees what NumPy's does, and no copy has changed."""
        same(self.x, self.n)
        if self.base is not None:
            same(self.base, self.n_base)
        if self.witness is not None:
            self.witness.check()


@functools.cache
def numbers(shape, dtype=float):
    """Distinct positive values, in no order."""
    size = int(np.prod(shape))
    return (np.random.default_rng(7).permutation(size).reshape(shape) + 1).astype(dtype)


def subject(layout, ownership, dtype=float):
    shape, view = LAYOUTS[layout]
    return Subject(numbers(shape, dtype), view, ownership)


@functools.cache
def typed(char, shape=(4, 4), seed=0):
    """Small values of a type, none of which is 0."""
    values = (np.random.default_rng(seed).permutation(int(np.prod(shape))) % 5 + 1).reshape(shape)
    if char in "mM":
        return values.astype(f"{char}8[s]")
    return values.astype(char)


def ours_of(n):
    """A lazy copy equal to n, with its witness."""
    x = cowarray.array(n)
    return x, Witness(x)
