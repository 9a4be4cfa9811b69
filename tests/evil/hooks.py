"""Where user code gets in: arguments that are more than they seem.

Each hook makes, of what a call was given in a place, something that passes for it, with methods that call
`world.fire`. What it gives NumPy it keeps (`world.own`): nobody else may write there, or close it. Hooks that need no
place in the call are in `ambient.py`.
"""

import contextlib
import operator
import sys

import numpy as np
from oracle import native
from recipes import ARITHMETIC, BITS

import cowarray as ca


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


def number(world, given):
    """Every conversion of a number."""
    if isinstance(given, np.ndarray | ca.ndarray) and not given.ndim:
        given = given.item()
    if not isinstance(given, (bool, int, float, complex, np.number, np.bool)):
        raise Unfit
    return Number(world, given)


class Number:
    def __init__(self, world, given):
        self.world, self.given = world, given


def firing(convert):
    def method(self, *args):
        self.world.fire(*args)
        return convert(self.given, *[getattr(arg, "given", arg) for arg in args])

    return method


for _name in ("index", "int", "float", "complex", "bool", "round", "trunc", "hash", "repr", "str"):
    _function = {"index": operator.index, "trunc": int}.get(_name) or getattr(__import__("builtins"), _name)
    setattr(Number, f"__{_name}__", firing(_function))
for _name in ("lt", "le", "eq", "ne", "gt", "ge"):
    setattr(Number, f"__{_name}__", firing(getattr(operator, _name)))


class Element(Number):
    """A number among objects: its arithmetic, its copies and its end are user code, too."""

    def __deepcopy__(self, memo):
        self.world.fire()
        return Element(self.world, self.given)

    __copy__ = __deepcopy__

    def __reduce__(self):
        self.world.fire()
        return (float, (float(self.given),))

    def conjugate(self):
        self.world.fire()
        return self

    sqrt = conjugate

    def __del__(self):
        self.world.fire()


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
    _function = getattr(operator, _name)
    setattr(Element, f"__{_name}__", firing(_function))
    setattr(Element, f"__r{_name}__", firing(lambda own, other, function=_function: function(other, own)))
for _name in ("neg", "pos", "abs"):
    setattr(Element, f"__{_name}__", firing(getattr(operator, _name)))


def elements(world, given):
    """An array of objects."""
    values = as_own(world, given)
    if values.dtype.kind not in "biufc" or values.size > 64:
        raise Unfit
    made = np.empty(values.shape, object)
    for at in np.ndindex(values.shape):
        made[at] = Element(world, values[at].item())
    return made


def list_of_numbers(world, given):
    values = as_own(world, given)
    if values.dtype.kind not in "biufc" or values.ndim != 1 or not values.size:
        raise Unfit
    return [Number(world, value) for value in values.tolist()]


def bounds(world, given):
    """A slice whose bounds are asked for."""
    if not isinstance(given, slice):
        raise Unfit
    return slice(
        Number(world, given.start or 0),
        None if given.stop is None else Number(world, given.stop),
        None if given.step is None else Number(world, given.step),
    )


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


# ---- containers, names, dtypes, functions, files ---------------------------------------------------------------------


class Keys(tuple):
    """A tuple that is asked for its items."""

    def __iter__(self):
        self.world.fire()
        return super().__iter__()

    def __len__(self):
        self.world.fire()
        return super().__len__()

    def __getitem__(self, at):
        self.world.fire()
        return super().__getitem__(at)

    def __eq__(self, other):
        self.world.fire()
        return super().__eq__(other)

    def __hash__(self):
        self.world.fire()
        return super().__hash__()


class Items(list):
    """A list that is asked for its items."""

    def __iter__(self):
        self.world.fire()
        return list.__iter__(self)

    def __len__(self):
        self.world.fire()
        return list.__len__(self)

    def __getitem__(self, at):
        self.world.fire()
        return list.__getitem__(self, at)

    def __eq__(self, other):
        self.world.fire()
        return list.__eq__(self, other)


class Text(str):
    """A name that is compared and hashed."""

    def __eq__(self, other):
        self.world.fire()
        return str.__eq__(self, other)

    def __hash__(self):
        self.world.fire()
        return str.__hash__(self)

    def upper(self):
        self.world.fire()
        return str.upper(self)

    def encode(self, *args):
        self.world.fire()
        return str.encode(self, *args)


def of_container(kind, *passes_for):
    def make(world, given):
        if not isinstance(given, passes_for):
            raise Unfit
        made = kind(given)
        made.world = world
        return made

    make.__name__, make.__doc__ = kind.__name__, kind.__doc__
    return make


class DtypeLike:
    """Something with a dtype."""

    def __init__(self, world, given):
        if not isinstance(given, (str, type, np.dtype)):
            raise Unfit
        try:
            self.world, self.given = world, np.dtype(given)
        except Exception:
            raise Unfit from None

    @property
    def dtype(self):
        self.world.fire()
        return self.given


def function(world, given):
    """A function of the user's, which keeps what it is shown and what it gives."""
    if not callable(given) or isinstance(given, (type, np.ufunc)):
        raise Unfit

    def replacement(*args, **kwargs):
        world.fire(args, kwargs)
        result = given(*args, **kwargs)
        if type(result) is np.ndarray and result.flags.writeable:
            world.own(result)
        return result

    return replacement


class File:
    """A file that is no file, by every method that one has."""

    def __init__(self, world, given):
        if not hasattr(given, "read"):
            raise Unfit
        self.world, self.given = world, given

    def __getattr__(self, name):
        if name == "fileno":
            raise AttributeError
        method = getattr(self.given, name)
        if not callable(method):
            return method

        def replacement(*args, **kwargs):
            self.world.fire(args, kwargs)
            return method(*args, **kwargs)

        return replacement

    def __iter__(self):
        self.world.fire()
        return iter(self.given)


class Iterator:
    def __init__(self, world, given):
        if not isinstance(given, (list, tuple)) and not hasattr(given, "__next__"):
            raise Unfit
        self.world, self.given = world, iter(given)

    def __iter__(self):
        return self

    def __next__(self):
        self.world.fire()
        return next(self.given)


# ---- what fits nowhere -----------------------------------------------------------------------------------------------


# Things that nobody expects in a place.
MAKE_STRANGE = {
    "None": lambda world: None,
    "-1": lambda world: -1,
    "2 ** 70": lambda world: 2**70,
    "nan": lambda world: float("nan"),
    "'text'": lambda world: "text",
    "b'bytes'": lambda world: b"bytes",
    "()": lambda world: (),
    "[]": lambda world: [],
    "{}": lambda world: {},
    "object()": lambda world: object(),
    "...": lambda world: ...,
    "int": lambda world: int,
    "a function": lambda world: lambda *args, **kwargs: 0,
    "np.array(1)": lambda world: np.array(1),
    "objects": lambda world: np.array([None, "a"], object),
    "x": lambda world: world.names["x"],
    "(x,)": lambda world: (world.names["x"],),
    "[x]": lambda world: [world.names["x"]],
    "x[::-1]": lambda world: world.names["x"][::-1],
    "x.T": lambda world: world.names["x"].T,
    "x.copy()": lambda world: world.names["x"].copy(),
    "x.to_numpy()": lambda world: world.names["x"].to_numpy(),
    "an export of x": lambda world: world.names["x"].to_numpy(writable=True),
    "x.flat": lambda world: world.names["x"].flat,
    "x.ctypes": lambda world: world.names["x"].ctypes,
}


def strange(name):
    def make(world, given):
        world.fire()
        with contextlib.suppress(ValueError):
            return MAKE_STRANGE[name](world)
        raise Unfit

    make.__doc__ = name
    return make


HOOKS = {
    "number": number,
    "elements": elements,
    "numbers": list_of_numbers,
    "bounds": bounds,
    "__array__": WithArray,
    "__array_interface__": WithInterface,
    "__array_struct__": WithStruct,
    "__buffer__": WithBuffer,
    "__dlpack__": WithDLPack,
    "__getitem__": WithSequence,
    "__array_wrap__": WithWrap,
    "__array_wrap__, its own": WithWrapToOwn,
    "__array_ufunc__": WithUfunc,
    "__array_function__": WithFunction,
    "operators": WithOperators,
    "operators with a priority": WithPriority,
    "subclass, told": of_class(Told),
    "subclass, asked": of_class(Asked),
    "subclass, dispatching": of_class(Dispatching),
    "tuple": of_container(Keys, tuple),
    "list": of_container(Items, list),
    "text": of_container(Text, str),
    "dtype": DtypeLike,
    "function": function,
    "file": File,
    "iterator": Iterator,
}
# These do their worst by being there; there are no deeds to go with them.
STRANGE = {f"strange: {name}": strange(name) for name in MAKE_STRANGE}
