"""Classes with a metaclass are classes like any other: subclasses of NumPy's array, of its scalars, and strangers."""

import abc

import numpy as np
import pytest

import cowarray


class Meta(type):
    pass


class Own(np.ndarray, metaclass=Meta):
    pass


class Abstract(np.ndarray, metaclass=abc.ABCMeta):
    pass


class OwnFloat(np.float64, metaclass=Meta):
    pass


class Converted(metaclass=Meta):
    def __array__(self, dtype=None, copy=None):
        return np.ones(3)


class Indexing(metaclass=Meta):
    def __index__(self):
        return 1


class Declining(metaclass=Meta):
    __array_ufunc__ = None

    def __radd__(self, other):
        return "its own"


class Foreign(metaclass=Meta):
    def __array_function__(self, function, types, args, kwargs):
        return "its own"


class List(list, metaclass=Meta):
    pass


CALLS = """
    x.view(Own) | x.view(type=Own) | x.view(Abstract) | x.view("f8", Own) | x.view(OwnFloat) | x.astype(OwnFloat)
    np.concatenate([x, c]) | np.stack([x, c]) | np.isclose(x, c) | np.einsum("i,i", x, c) | np.dot(x, c)
    np.where(x > 1, x, c) | np.interp(c, x, x) | np.isin(x, c) | np.broadcast_arrays(x, c)[0] | np.copyto(x, c)
    np.may_share_memory(x, c) | np.may_share_memory(c, x) | np.concatenate([x, Foreign()]) | np.add(x, c) | x + c
    c + x | x + Converted() | np.add(x, OwnFloat(2)) | x + Declining() | x[Indexing()] | x.reshape(Indexing(), 3)
    x[List([1, 2])]
    np.concatenate(List([x, x])) | x.sum(dtype=OwnFloat) | np.zeros_like(x, dtype=OwnFloat) | x.searchsorted(c)
    x.fill(OwnFloat(3)) | x.choose([c, c, c]) | x.view(Indexing)
"""


@pytest.mark.parametrize("call", [call.strip() for line in CALLS.strip().splitlines() for call in line.split("|")])
def test_calls_end_as_with_numpy(call):
    ends = []
    for x in (np.arange(3), cowarray.arange(3)):
        x = x.astype(int if "choose" in call else float)
        try:
            found = eval(call, {**globals(), "x": x, "c": np.arange(3.0).astype(x.dtype).view(Own)})
        except TypeError:
            ends.append(TypeError)
        else:
            ends.append((str(np.asarray(found).tolist()), type(found) if isinstance(found, Own | Abstract) else None))
    assert ends[0] == ends[1]
