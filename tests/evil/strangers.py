"""Strangers that pass for an array: by a protocol, by operators, or as a subclass of NumPy's.

Each has an array of its own (`world.own`), tells `world.fire` when it is asked, and keeps what it is handed.
"""

import sys

import numpy as np
from support.cases.protocols import ARITHMETIC, BITS
from support.oracle import native


class Unfit(Exception):
    """Nothing of this kind passes for what was given."""


def as_own(world, given):
    """The array that a stranger has for what was given."""
    if isinstance(given, (str, bytes, type, dict, slice, np.dtype)) or callable(given) or hasattr(given, "read"):
        raise Unfit
    try:
        return world.own(np.array(native(given)))
    except (TypeError, ValueError):
        raise Unfit from None


# ---- strangers that are arrays in some way ---------------------------------------------------------------------------


class Stranger:
    def __init__(self, world, given):
        self.world, self.array = world, as_own(world, given)


class WithArray(Stranger):
    """__array__."""

    def __array__(self, dtype=None, copy=None):
        self.world.fire()
        return self.array if dtype is None else self.array.astype(dtype)


class WithInterface(Stranger):
    """__array_interface__."""

    @property
    def __array_interface__(self):
        self.world.fire()
        return self.array.__array_interface__


class WithStruct(Stranger):
    """__array_struct__."""

    def __init__(self, world, given):
        super().__init__(world, given)
        if self.array.dtype.kind not in "biufc":
            raise Unfit  # of text NumPy reads four bytes for one

    @property
    def __array_struct__(self):
        self.world.fire()
        return self.array.__array_struct__


class WithSequence(Stranger):
    """__len__ and __getitem__."""

    def __init__(self, world, given):
        super().__init__(world, given)
        if not self.array.ndim:
            raise Unfit

    def __len__(self):
        self.world.fire()
        return len(self.array)

    def __getitem__(self, key):
        self.world.fire()
        return self.array[key]


class WithDLPack(Stranger):
    """__dlpack__."""

    def __dlpack__(self, **options):
        self.world.fire()
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        self.world.fire()
        return self.array.__dlpack_device__()


class WithBuffer(Stranger):
    """The buffer protocol, whose end is told, too (from Python 3.12 on)."""

    def __init__(self, world, given):
        super().__init__(world, given)
        if sys.version_info < (3, 12):
            raise Unfit

    def __buffer__(self, flags):
        self.world.fire()
        return memoryview(self.array)

    def __release_buffer__(self, view):
        self.world.fire()
        view.release()


class WithWrap(WithArray):
    """__array_wrap__ and a priority: gets what NumPy computed, keeps it and gives it back."""

    __array_priority__ = 1000.0

    def __array_wrap__(self, array, context=None, return_scalar=False):
        self.world.own(array)
        self.world.own(array[...])
        self.world.fire(array, context)
        return array


class WithWrapToOwn(WithArray):
    """The same, and gives back something of its own."""

    __array_priority__ = 1000.0

    def __array_wrap__(self, array, context=None, return_scalar=False):
        self.world.fire(array, context)
        kept = self.world.own(np.array(array))
        return self.world.own(kept[...])


class WithUfunc(Stranger):
    """__array_ufunc__."""

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        self.world.fire(inputs, options)
        inputs = [self.array if value is self else value for value in inputs]
        out = tuple(self.array if value is self else value for value in options.pop("out", ()))
        given = {"out": out} if out else {}
        result = getattr(ufunc, method)(*inputs, **given, **options)
        is_given = any(result is value for value in (*inputs, *out))
        return self.world.own(result) if type(result) is np.ndarray and not is_given else result


class WithFunction(WithArray):
    """__array_function__: another library."""

    def __array_function__(self, function, types, args, kwargs):
        self.world.fire(args, kwargs)
        kept = self.world.own(np.arange(6.0).reshape(2, 3))
        return self.world.own(kept[...])


class WithPriority(WithArray):
    """Operators that keep what they are shown, and the older way to say that they go first."""

    __array_priority__ = 1000.0
    __hash__ = None

    def _operate(self, other, *rest):
        self.world.fire(other)
        return self.world.own(np.arange(3.0))


class WithOperators(WithPriority):
    """The same, and the newer way."""

    __array_ufunc__ = None


for _name in (*ARITHMETIC.split(), *BITS.split()):
    setattr(WithPriority, f"__{_name}__", WithPriority._operate)
    setattr(WithPriority, f"__r{_name}__", WithPriority._operate)
for _name in ("lt", "le", "eq", "ne", "gt", "ge", "contains"):
    setattr(WithPriority, f"__{_name}__", WithPriority._operate)


# ---- subclasses of NumPy's array -------------------------------------------------------------------------------------


def of_class(kind):
    """What was given, as an array of a subclass; the memory under it is the user's."""

    def make(world, given):
        made = as_own(world, given).view(kind)
        made.world = world
        return made

    make.__name__, make.__doc__ = kind.__name__, kind.__doc__
    return make


class Told(np.ndarray):
    """A subclass that is told of its views and its results."""

    world = None

    def __array_finalize__(self, source):
        self.world = getattr(source, "world", None)
        if self.world is not None:
            self.world.fire(source)

    def __array_wrap__(self, array, context=None, return_scalar=False):
        if self.world is not None:
            self.world.own(array)
            self.world.fire(array, context)
        return array


class Asked(np.ndarray):
    """A subclass with properties and methods of its own for what an array is asked."""

    world = None

    def __array_finalize__(self, source):
        self.world = getattr(source, "world", None)


def asked(name):
    def get(self):
        if self.world is not None:
            self.world.fire()
        return getattr(np.ndarray, name).__get__(self)

    return property(get)


def called(name):
    def method(self, *args, **kwargs):
        if self.world is not None:
            self.world.fire(args, kwargs)
        return getattr(np.ndarray, name)(self, *args, **kwargs)

    return method


PROPERTIES = "shape ndim dtype size strides flags T itemsize nbytes data __array_interface__"
METHODS = "reshape view astype copy ravel __getitem__ __len__ __iter__ __array__ __index__ __float__ item"
for _name in PROPERTIES.split():
    setattr(Asked, _name, asked(_name))
for _name in METHODS.split():
    setattr(Asked, _name, called(_name))


class Dispatching(np.ndarray):
    """A subclass with __array_ufunc__ and __array_function__."""

    world = None
    __array_finalize__ = Asked.__array_finalize__

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        if self.world is not None:
            self.world.fire(inputs, options)
        return NotImplemented

    def __array_function__(self, function, types, args, kwargs):
        if self.world is not None:
            self.world.fire(args, kwargs)
        return super().__array_function__(function, types, args, kwargs)
