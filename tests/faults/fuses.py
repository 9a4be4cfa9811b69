"""User code that raises at its n-th call, and what must be so after it has."""

import gc
import threading

import numpy as np
import pytest
from scenes import bytes_of
from support.limits import LONGEST

import cowarray

ONES = np.ones(4)  # an interface is a pointer without a lifetime


class Stop(Exception):
    pass


class Fuse:
    """Raises at the n-th call of all that it is in; 0: at none."""

    def __init__(self, n):
        self.n, self.calls = n, 0

    def __call__(self, *args, **kwargs):
        self.calls += 1
        if self.calls == self.n:
            raise Stop


class User:
    """An object with a protocol of the user's, of which each call burns the fuse."""

    def __init__(self, fuse, value=2):
        self.fuse, self.value = fuse, value


def user(*names):
    """A class with some of the methods of `METHODS`."""
    return type("User", (User,), {name: METHODS[name] for name in names})


def burning(function):
    def method(self, *args, **kwargs):
        self.fuse()
        return function(self, *args, **kwargs)

    return method


def plain(value):
    return value.value if isinstance(value, User) else value


METHODS = {
    "__index__": burning(lambda self: self.value),
    "__int__": burning(lambda self: self.value),
    "__float__": burning(lambda self: float(self.value)),
    "__complex__": burning(lambda self: complex(self.value)),
    "__bool__": burning(lambda self: True),
    "__len__": burning(lambda self: 4),
    "__getitem__": burning(lambda self, key: [1.0, 2.0, 3.0, 4.0][key]),
    "__iter__": burning(lambda self: iter([1.0, 2.0, 3.0, 4.0])),
    "__array__": burning(lambda self, dtype=None, copy=None: np.arange(4.0)),
    "__array_ufunc__": burning(
        lambda self, ufunc, method, *inputs, **kwargs: getattr(ufunc, method)(*map(plain, inputs), **kwargs)
    ),
    "__array_function__": burning(lambda self, function, types, args, kwargs: 5),
    "__array_wrap__": burning(lambda self, array, context=None, return_scalar=False: array),
    "__array_interface__": property(burning(lambda self: ONES.__array_interface__)),
    "__array_priority__": property(burning(lambda self: 5)),
    "__dlpack__": burning(lambda self, **kwargs: np.arange(4.0).__dlpack__(**kwargs)),
    "__dlpack_device__": burning(lambda self: (1, 0)),
    "__add__": burning(lambda self, other: 3.0 + plain(other)),
    "__radd__": burning(lambda self, other: 3.0 + plain(other)),
    "__lt__": burning(lambda self, other: self.value < plain(other)),
    "__gt__": burning(lambda self, other: self.value > plain(other)),
    "__eq__": burning(lambda self, other: self.value == plain(other)),
    "__hash__": burning(lambda self: 1),
    "__repr__": burning(lambda self: "user"),
    "__deepcopy__": burning(lambda self, memo: self),
    "__reduce__": burning(lambda self: (int, ())),
}

Index = user("__index__")
Number = user("__float__", "__complex__", "__add__", "__radd__")
Sequence = user("__len__", "__getitem__")
Array = user("__array__")
Prior = user("__array__", "__array_priority__", "__radd__")
Interface = user("__array_interface__")
Wrapping = user("__array__", "__array_wrap__", "__array_priority__")
Overriding = user("__array_ufunc__", "__array_function__")
Tensor = user("__dlpack__", "__dlpack_device__")
Element = user(
    "__float__", "__add__", "__radd__", "__lt__", "__eq__", "__hash__", "__repr__", "__deepcopy__", "__bool__"
)


def elements(fuse, kind=Element):
    array = np.empty((4, 4), dtype=object)
    for i in range(16):
        array.ravel()[i] = kind(fuse, 16 - i)
    return array


def is_ours(x):
    return type(x) is cowarray.ndarray


def asarray_of(x):
    return cowarray.asarray if is_ours(x) else np.asarray


def outcomes(operate, make, limit=60):
    """(x, what was raised) with the fuse at 1, 2, ... until it is not reached."""
    for n in range(1, limit):
        fuse = Fuse(n)
        world = make()
        error = None
        try:
            operate(world.x, fuse)
        except Exception as raised:
            error = type(raised)
        yield n, fuse, world, error
        if fuse.calls < n:
            return
    pytest.fail("never succeeds")


def numpys(operate, make):
    found = list(outcomes(operate, make))
    return [(error, bytes_of(world.x)) for _, _, world, error in found]


def check_nothing_is_left(world, fuse, operate, before):
    """No pin, no lock: another thread can write to and clone what is here, and the operation works now."""
    fuse.n = 0
    gc.collect()
    told = cowarray.explain(world.x)
    assert told.pinned == before.pinned
    assert (told.shares, told.foreign) in ((before.shares, before.foreign), (1, False))
    done = []

    def use():
        world.x.copy()
        world.x[-1, -1] = world.x[0, 0]
        done.append(True)

    thread = threading.Thread(target=use)
    thread.start()
    thread.join(LONGEST)
    assert done, "an operation that raised has left something locked"
    operate(world.x, fuse)
