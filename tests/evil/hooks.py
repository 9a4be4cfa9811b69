"""Where user code gets in: arguments that are more than they seem.

Each hook makes, of what a call was given in a place, something that passes for it, with methods that call
`world.fire`. What it gives NumPy it keeps (`world.own`): nobody else may write there, or close it. Those that pass for
arrays are in `strangers.py`, hooks that need no place in the call in `ambient.py`.
"""

import contextlib
import operator

import numpy as np

import cowarray as ca
from evil.strangers import (
    Asked,
    Dispatching,
    Told,
    Unfit,
    WithArray,
    WithBuffer,
    WithDLPack,
    WithFunction,
    WithInterface,
    WithOperators,
    WithPriority,
    WithSequence,
    WithStruct,
    WithUfunc,
    WithWrap,
    WithWrapToOwn,
    as_own,
    of_class,
)


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
    if values.dtype.kind not in "biufc" or values.ndim != 1 or not 0 < values.size <= 600:
        raise Unfit  # thousands, sorted, take half a minute
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
