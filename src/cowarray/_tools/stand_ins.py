"""Stand-ins for NumPy's modules, for a program that runs on this library: NumPy's names, with cowarray's arrays behind.

A stand-in has the names of one of NumPy's modules and no others. A name that cowarray has is cowarray's; any other is
borrowed from NumPy, and the arrays that it returns become cowarray's. The stand-ins of one program know each other, and
note where a borrowed name was first used.

It is one file because values, the class and the modules each hand out the other two.
"""

import abc
import contextlib
import copyreg
import functools
import importlib
import operator
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import cowarray
from cowarray._ops.functions import dispatched, implemented
from cowarray._tools.frameless import Lending

__all__ = [
    "Site",
    "StandIns",
    "give_numpys_array",
    "give_own_functions",
    "ndarray",
    "numpys",
    "take_class",
    "taken_in",
    "with_numpys_class",
]

_Own = dict[str, Callable[[], Any]]  # the library's objects by name, imported when they are used

# NumPy's modules that have nothing to do with arrays: no stand-ins.
_PLAIN = ("numpy.exceptions", "numpy.dtypes", "numpy.typing", "numpy.version", "numpy.__config__", "numpy.f2py")
_PLAIN_PARENTS = tuple(f"{name}." for name in _PLAIN)

# In cowarray, `trace` is a mode.
_OTHERS = frozenset(("trace",))

# These take functions to run, or text.
_NO_COMPARISONS = ("assert_raises", "assert_warns", "assert_no_warnings", "assert_string_equal", "assert_no_gc_cycles")

_OWN = f"{Path(cowarray.__file__).parent}/"


class Site(NamedTuple):
    """A line of a program."""

    filename: str
    lineno: int


def _caller() -> Site:
    """The innermost line that is neither the library's nor NumPy's."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        module = frame.f_globals.get("__name__") or ""
        if not name.startswith(_OWN) and module.partition(".")[0] != "numpy":
            return Site(name, frame.f_lineno)
        frame = frame.f_back
    return Site("<unknown>", 0)


# ---- values ----------------------------------------------------------------------------------------------------------


def taken_in(value: Any) -> Any:
    """The result of a NumPy function, as the program gets it.

    Parameters
    ----------
    value : object
        NumPy's arrays become cowarray's, also in lists, tuples and dicts. Arrays of a subclass stay as they are.

    Returns
    -------
    object
    """
    kind = type(value)
    if kind is np.ndarray:
        return cowarray.asarray(value)
    if kind is list:
        return list(map(taken_in, value))
    if kind is tuple:
        return tuple(map(taken_in, value))
    if kind is dict:
        return {key: taken_in(item) for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(kind, "_make"):
        return kind._make(map(taken_in, value))
    return value


def handed_out(value: Any) -> Any:
    """An argument of a function of NumPy's that only reads, and looks at arrays of its own alone.

    Parameters
    ----------
    value : object
        Lists, tuples and dicts are looked into.

    Returns
    -------
    object
    """
    kind = type(value)
    if kind is cowarray.ndarray:
        return value.to_numpy()
    if kind is list or kind is tuple:
        return kind(map(handed_out, value))
    if kind is dict:
        return {key: handed_out(item) for key, item in value.items()}
    return value


def numpys(value: Any) -> Any:
    """NumPy's array over one of ours, which writes to it; anything else as it is."""
    return value.to_numpy(writable=value.flags.writeable) if type(value) is cowarray.ndarray else value


def give_numpys_array(kind: Any) -> None:
    """Let objects of a class that the program made give NumPy its array, where their ``__array__`` gives ours.

    Parameters
    ----------
    kind : type or object
        A class, or what its metaclass made in place of one.
    """
    given = vars(kind).get("__array__") if isinstance(kind, type) else None
    if not isinstance(given, types.FunctionType):
        return

    @functools.wraps(given)
    def giving(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        return numpys(given(*args, **kwargs))

    type.__setattr__(kind, "__array__", giving)


def give_own_functions(kind: Any) -> None:
    """Let a class that the program made be asked about the program's functions, where NumPy asks about its own.

    Then ``ufunc is np.add`` holds in its ``__array_ufunc__``, and a table by functions has ``func``. A subclass of
    NumPy's array may pass them on to NumPy's methods: it gets NumPy's function, as an object that equals the
    program's. A class that may pass them on to a method of a library's is asked about NumPy's.

    Parameters
    ----------
    kind : type or object
        A class, or what its metaclass made in place of one.
    """
    if not isinstance(kind, type):
        return
    for name, asking in (("__array_ufunc__", _asking), ("__array_function__", _asking), ("__array_wrap__", _wrapping)):
        asked = vars(kind).get(name)
        inherited = getattr(super(kind, kind), name, None)
        if isinstance(asked, types.FunctionType) and (
            inherited is None or inherited is getattr(np.ndarray, name) or hasattr(inherited, "_is_asked")
        ):
            type.__setattr__(kind, name, asking(asked, issubclass(kind, np.ndarray)))


def _asking(asked: Any, passes_on: bool) -> Any:
    @functools.wraps(asked)
    def asking(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        if len(args) > 1:
            args = (args[0], _known_to_the_program(args[1], passes_on), *args[2:])
        return asked(*args, **kwargs)

    vars(asking)["_is_asked"] = True
    return asking


def _wrapping(asked: Any, passes_on: bool) -> Any:
    def named(context: Any) -> Any:
        return (_known_to_the_program(context[0], passes_on), *context[1:]) if context else context

    @functools.wraps(asked)
    def wrapping(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        if len(args) > 2:
            args = (*args[:2], named(args[2]), *args[3:])
        elif "context" in kwargs:
            kwargs["context"] = named(kwargs["context"])
        return asked(*args, **kwargs)

    vars(wrapping)["_is_asked"] = True
    return wrapping


def _known_to_the_program(function: Any, passes_on: bool) -> Any:
    """The program's function for one of NumPy's; NumPy's, equal to it, if it may be passed on or has another name."""
    program = running()
    own = function if program is None else program.of_the_same_name(function)
    if own is function or (not passes_on and getattr(own, "__name__", None) == function.__name__):
        return own
    return _Equal(function, own)


# A function of NumPy's that equals the program's function of that name, in comparisons and as a key.
class _Equal:
    __slots__ = ("__wrapped__", "_own")

    def __init__(self, function: Any, own: Any) -> None:
        self.__wrapped__, self._own = function, own

    __class__: Any = property(lambda self: type(self.__wrapped__))
    __doc__: Any = property(lambda self: self.__wrapped__.__doc__)
    __module__: Any = property(lambda self: self.__wrapped__.__module__)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        return self.__wrapped__(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name == "__wrapped__":  # halfway through a copy
            raise AttributeError(name)
        return getattr(self.__wrapped__, name)

    def __eq__(self, other: object) -> bool:
        return other is self._own or other is self.__wrapped__ or (type(other) is _Equal and other._own is self._own)

    def __hash__(self) -> int:
        return hash(self._own)

    def __repr__(self) -> str:
        return repr(self.__wrapped__)

    def __reduce__(self) -> Any:
        return _known_to_the_program, (self.__wrapped__, True)


def _is_assumed(values: Any) -> bool:
    """Whether an assertion is about a plan's array, and the plan assumes conditions: then this one holds."""
    for value in values.values() if isinstance(values, dict) else values:
        if isinstance(value, (tuple, list, dict)):
            if _is_assumed(value):
                return True
        elif cowarray.is_fake(value):
            from cowarray._modes.fake.fakes import origin_of

            assumptions = origin_of(value).ledger.assumptions
            return assumptions is not None and assumptions.condition(guards=True) is not None
    return False


class _Named:
    """What stands for a function of NumPy's under the same name."""

    def __init__(self, function: Callable[..., Any]) -> None:
        own: Any = self
        functools.update_wrapper(own, function)

    def __repr__(self) -> str:
        return repr(self.__wrapped__)

    def __getattr__(self, name: str) -> Any:
        return getattr(_wrapped(self), name)


class Reading(_Named):
    """A function of NumPy's that only reads arrays, and gets NumPy's: a comparison of `numpy.testing`, `numpy.save`."""

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        name = self.__name__
        if name.startswith("assert_") and _is_assumed((args, kwargs)):
            return None
        return self.__wrapped__(*map(handed_out, args), **handed_out(kwargs))


class Dispatched(_Named):
    """A function of NumPy's that has another meaning in the library, which does NumPy's as well."""

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        return dispatched(self.__wrapped__, *args, **kwargs)


class Implementation(_Named):
    """What a function of NumPy's calls once it has asked nobody, by the rules that the library has for it."""

    def __init__(self, function: Any) -> None:
        super().__init__(function._implementation)
        vars(self).update(_function=function)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        return implemented(self._function, *args, **kwargs)


class Borrowed(Lending, _Named):
    """A NumPy function that cowarray lacks: its results are taken in, and its use is noted.

    It leaves no frame, so that `bmat` finds the names of its caller.
    """

    def __init__(self, function: Callable[..., Any], name: str, note: Callable[[str], None]) -> None:
        super().__init__(function)
        vars(self).update(_name=name, _note=note, _taken_in=taken_in)


def _wrapped(function: object) -> Any:
    try:
        return vars(function)["__wrapped__"]
    except KeyError:  # halfway through a copy
        raise AttributeError("__wrapped__") from None


class _OpenArchive(np.lib.npyio.NpzFile):
    """An .npz file whose arrays are taken in."""

    def __getitem__(self, key: str) -> Any:
        return taken_in(super().__getitem__(key))


@functools.wraps(np.load)
def load(*args: Any, **kwargs: Any) -> Any:
    # NumPy's own reads the file; cowarray's would map it, and a program may write to a file that it has read.
    loaded = np.load(*args, **kwargs)
    if type(loaded) is np.lib.npyio.NpzFile:
        loaded.__class__ = _OpenArchive
    return taken_in(loaded)


def reads_file(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def read(*args: Any, **kwargs: Any) -> Any:
        return taken_in(function(*args, **kwargs))

    return read


# ---- the class -------------------------------------------------------------------------------------------------------


# What classes have, and not their instances.
_OF_CLASSES = frozenset(
    [
        "__abstractmethods__",
        "__annotations__",
        "__base__",
        "__bases__",
        "__basicsize__",
        "__class__",
        "__dict__",
        "__flags__",
        "__instancecheck__",
        "__mro__",
        "__prepare__",
        "__subclasscheck__",
        "__subclasses__",
        "__weakrefoffset__",
        "mro",
    ]
)


class _Kinds(abc.ABCMeta):
    """The class of the program's `numpy.ndarray`: arrays of the library and NumPy's own are its instances.

    It is one of abstract classes, so that a class of the program's may have one of these as a base, too.
    """

    def __new__(cls, name: str, bases: tuple[Any, ...], namespace: dict[str, Any], **options: Any) -> Any:
        if ndarray is None:
            return super().__new__(cls, name, bases, namespace)
        # A subclass that the program makes is one of NumPy's array.
        own = with_numpys_class(bases)
        if any(getattr(value, "__isabstractmethod__", False) for value in namespace.values()):
            options["metaclass"] = abc.ABCMeta
        made = types.new_class(name, own, options, lambda made: made.update(namespace))
        take_class(made)
        return made

    def __init__(cls, name: str, bases: tuple[Any, ...], namespace: dict[str, Any], **options: Any) -> None:
        super().__init__(name, bases, namespace)

    def __call__(cls, /, *args: Any, **kwargs: Any) -> Any:
        return cowarray.ndarray(*args, **kwargs)

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, cowarray.ndarray | np.ndarray)

    def __subclasscheck__(cls, other: type) -> bool:
        return other is cls or issubclass(other, cowarray.ndarray | np.ndarray)

    def __eq__(cls, other: object) -> bool:
        return other is cls or other is cowarray.ndarray

    def __hash__(cls) -> int:
        return hash(cowarray.ndarray)

    def __getitem__(cls, key: Any) -> Any:
        return np.ndarray[key]

    def __getattribute__(cls, name: str) -> Any:
        if name in _OF_CLASSES:
            return type.__getattribute__(cls, name)
        numpys = getattr(np.ndarray, name)
        if name == "__new__":
            return _new
        own = getattr(cowarray.ndarray, name, numpys)
        if callable(own) and callable(numpys) and not name.startswith("__class"):
            return _Method(numpys, own)
        return numpys

    def __dir__(cls) -> list[str]:
        return dir(np.ndarray)

    def __repr__(cls) -> str:
        return repr(np.ndarray)


class _Method:
    """A method of arrays, taken from the class: cowarray's for its own arrays, NumPy's for all others."""

    def __init__(self, numpys: Callable[..., Any], own: Callable[..., Any]) -> None:
        functools.update_wrapper(self, numpys)
        self._numpys, self._own = numpys, own

    def __call__(self, x: object, /, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        return (self._own if type(x) is cowarray.ndarray else self._numpys)(x, *args, **kwargs)

    def __get__(self, x: object, owner: type | None = None) -> Any:
        return self if x is None else types.MethodType(self, x)

    def __repr__(self) -> str:
        return repr(self._numpys)


def take_class(kind: Any) -> None:
    """Let the method `view` of a subclass of NumPy's array take the class that the program knows for NumPy's.

    Parameters
    ----------
    kind : type or object
        A class, or what its metaclass made in place of one. Others than subclasses are left alone, and so is a `view`
        that is no method.
    """
    if not isinstance(kind, type) or not any(each is np.ndarray for each in kind.__mro__):
        return
    owner = next(each for each in kind.__mro__ if "view" in vars(each))
    view = vars(owner)["view"]
    if owner is not kind and owner is not np.ndarray:
        return
    if type(view) not in (types.FunctionType, types.MethodDescriptorType) or hasattr(view, "_takes_class"):
        return
    with contextlib.suppress(TypeError):  # of a class that is compiled
        type.__setattr__(kind, "view", _viewing(view))


def _viewing(view: Any) -> Any:
    @functools.wraps(view)
    def viewing(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        return view(
            self,
            *with_numpys_class(args),
            **{key: np.ndarray if each is ndarray else each for key, each in kwargs.items()},
        )

    vars(viewing)["_takes_class"] = True
    return viewing


def _new(cls: type, /, *args: Any, **kwargs: Any) -> Any:
    return np.ndarray.__new__(cls, *args, **kwargs) if issubclass(cls, np.ndarray) else cls(*args, **kwargs)


def with_numpys_class(bases: tuple[Any, ...]) -> tuple[Any, ...]:
    """The bases of a class, or other arguments, with NumPy's class in place of the one that the program knows."""
    return tuple(np.ndarray if each is ndarray else each for each in bases)


ndarray: Any = None
ndarray = _Kinds("ndarray", (), {"__module__": "numpy", "__slots__": ()})


# ---- modules ---------------------------------------------------------------------------------------------------------


class _StandIn(types.ModuleType):
    """One of NumPy's modules as the program sees it."""

    __slots__ = ("_note", "_numpys", "_own", "_quiet", "_stand_ins")

    def __init__(
        self, numpys: types.ModuleType, own: _Own, stand_ins: "StandIns", note: Callable[[str], None], quiet: bool
    ) -> None:
        super().__init__(numpys.__name__)
        for name in ("__doc__", "__file__", "__loader__", "__package__", "__path__", "__spec__"):
            if hasattr(numpys, name):
                vars(self)[name] = getattr(numpys, name)
        set_slot = functools.partial(object.__setattr__, self)
        set_slot("_numpys", numpys)
        set_slot("_own", own)
        set_slot("_stand_ins", stand_ins)
        set_slot("_note", note)
        set_slot("_quiet", quiet)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._numpys, name)  # a name that NumPy lacks raises NumPy's error
        if name.startswith("__"):
            return value
        if isinstance(value, types.ModuleType):
            found = self._stand_ins.of(value)
        elif (replacing := self._stand_ins.replacing(value)) is not None:
            found = replacing
        elif name in self._own:
            found = self._own[name]()
            self._give_implementation(found, value)
        elif (own := self._stand_ins.known(value)) is not None:
            found = own
        elif not callable(value) or isinstance(value, type) or "._" in f"{self.__name__}.{name}":
            # A class is used when it is looked at; a function, when it is called. Private functions, and those of
            # private modules, hand NumPy's arrays to each other.
            if not self._quiet and "._" not in f"{self.__name__}.{name}" and _is_a_class_of_numpys(value):
                self._note(f"{self.__name__}.{name}")
            return taken_in(value)
        else:
            found = Borrowed(value, f"{self.__name__}.{name}", self._note)
        vars(self)[name] = found
        return found

    def _give_implementation(self, own: Any, numpys: Any) -> None:
        """Let a function have what NumPy's calls once it has asked nobody: classes with rules for functions call it."""
        dispatching: Any = type(np.sum)
        if isinstance(numpys, dispatching) and not isinstance(own, dispatching):
            own._implementation = Implementation(numpys)

    def __setattr__(self, name: str, value: object) -> None:
        # What the program replaces, it replaces for itself. What it adds for old libraries, they must find.
        if not hasattr(self._numpys, name):
            setattr(self._numpys, name, value)
        super().__setattr__(name, value)

    @property
    def _numba_type_(self) -> Any:
        """What numba takes it for: NumPy's module, whose functions it compiles."""
        return importlib.import_module("numba.core.types").Module(self._numpys)

    def __eq__(self, other: object) -> bool:
        return other is self or other is self._numpys

    def __hash__(self) -> int:
        return hash(self._numpys)

    def __dir__(self) -> list[str]:
        return dir(self._numpys)

    def __repr__(self) -> str:
        return repr(self._numpys)

    def __reduce__(self) -> tuple[Any, ...]:
        return _module_of_the_program, (self.__name__,)


def _module_of_the_program(name: str) -> types.ModuleType:
    """What a pickle of a stand-in brings back: NumPy's module in a process that runs no program."""
    module = importlib.import_module(name)
    return module if _running is None else _running.of(module)


def _ignored(name: str) -> None:
    """What notes nothing."""


def _is_a_class_of_numpys(value: object) -> bool:
    return isinstance(value, type) and not issubclass(value, np.generic | BaseException)


class StandIns:
    """The stand-ins of one program.

    Parameters
    ----------
    replaced : dict, optional
        Replacements for functions and classes of NumPy's.

    Attributes
    ----------
    borrowed : dict of str to Site
        The names of functions and classes that the library lacks and the program used, and where each was first used.
    """

    def __init__(self, replaced: dict[Any, Any] | None = None) -> None:
        self.borrowed: dict[str, Site] = {}
        self._replaced = {id(value): own for value, own in (replaced or {}).items()}
        self._modules: dict[str, types.ModuleType] = {}
        self._quiet: dict[str, types.ModuleType] = {}
        self._known: dict[int, Any] = {}
        for space, own in ((np, cowarray), (np.linalg, cowarray.linalg), (np.fft, cowarray.fft)):
            for name in own.__all__:
                if name not in _OTHERS and callable(value := getattr(space, name, None)):
                    self._known[id(value)] = getattr(own, name)
        for function in _REPLACED:
            self._known[id(function)] = _replaced(function)

    def install(self) -> None:
        """Let pickles bring back these, from now on."""
        global _running
        _running = self

    def replacing(self, value: object) -> Any:
        """What the program gets in place of a function or a class of NumPy's, whatever the library has; or None."""
        return self._replaced.get(id(value))

    def known(self, value: object) -> Any:
        """What the library has in place of a function or a class of NumPy's, wherever NumPy keeps it; or None."""
        return self._known.get(id(value))

    def of_the_same_name(self, function: Any) -> Any:
        """What the program finds where NumPy keeps a function; the function itself if NumPy does not."""
        module = sys.modules.get(getattr(function, "__module__", None) or "numpy")
        name = getattr(function, "__name__", "")
        if module is None or module.__name__.partition(".")[0] != "numpy" or vars(module).get(name) is not function:
            return function
        return getattr(self.of(module), name)

    def of(self, module: types.ModuleType, *, quiet: bool = False) -> types.ModuleType:
        """The stand-in of one of NumPy's modules.

        Parameters
        ----------
        module : module
        quiet : bool, default False
            Whether looking at a class notes nothing: for ``from numpy import *``, which looks at all.

        Returns
        -------
        module
            The module itself, if it has nothing to do with arrays.
        """
        name = module.__name__
        if name.partition(".")[0] != "numpy" or name in _PLAIN or name.startswith(_PLAIN_PARENTS):
            return module
        modules = self._quiet if quiet else self._modules
        if name not in modules:
            note = _ignored if name.startswith("numpy.testing") else self.note
            modules[name] = _StandIn(module, _own_names(module), self, note, quiet)
            if module is np and not quiet:
                self._fill(modules[name])
        return modules[name]

    def _fill(self, program: types.ModuleType) -> None:
        """Put names where a program finds them that looks in `vars`.

        Not those that NumPy imports when they are asked for, and not the classes whose use is noted.
        """
        quiet = self.of(np, quiet=True)
        for name, value in vars(np).copy().items():
            if not name.startswith("_"):
                found = getattr(quiet, name)
                if name in vars(cowarray)["__all__"] or not (found is value and _is_a_class_of_numpys(found)):
                    vars(program)[name] = found

    def note(self, name: str) -> None:
        """Note that a name was used which the library lacks."""
        if name not in self.borrowed:
            self.borrowed[name] = _caller()


_running: StandIns | None = None  # those of the program that this process runs


def running() -> StandIns | None:
    """The stand-ins of the program that this process runs."""
    return _running


def _standing_in(module: str, name: str) -> Any:
    """What a pickle brings back: the same function, in a process that may run no program."""
    return getattr((_running or StandIns()).of(importlib.import_module(module)), name)


copyreg.pickle(type(ndarray), lambda cls: (_standing_in, ("numpy", "ndarray")))
copyreg.pickle(Borrowed, lambda own: (_standing_in, tuple(own._name.rsplit(".", 1))))
for _kind in (Reading, Dispatched, Implementation):
    copyreg.pickle(_kind, lambda own: (_standing_in, (own.__module__, own.__name__)))

_REPLACED = (np.load, np.fromfile, np.frombuffer, np.save, np.savez, np.savez_compressed, np.ndarray, np.trace)


@functools.cache
def _replaced(function: Any) -> Any:
    """What a program gets in place of a function of NumPy's that the library has with other parameters or rules."""
    if function is np.load:
        return load
    if function is np.ndarray:
        return ndarray
    if function is np.trace:
        return Dispatched(function)
    return Reading(function) if function.__name__.startswith("save") else reads_file(function)


def _hidden_state() -> cowarray.random.RandomState:
    """What the legacy functions draw from, as an object: libraries take it for ``random_state=None``."""
    return cowarray.random.RandomState(np.random.mtrand._rand._bit_generator)


def _own_names(module: types.ModuleType) -> _Own:
    """What the library has in place of names in one of NumPy's modules: for each, a function that gets it.

    NumPy's generators, for one, take their time, and are made when they are asked for.
    """
    name = module.__name__
    if name == "numpy":
        own = {
            each: functools.partial(getattr, cowarray, each)
            for each in vars(cowarray)["__all__"]
            if each not in _OTHERS and hasattr(np, each)
        }
        return own | {function.__name__: functools.partial(_replaced, function) for function in _REPLACED}
    if name == "numpy.random":
        return {
            each: functools.partial(getattr, cowarray.random, each)
            for each in dir(cowarray.random)
            if not each.startswith("_") and hasattr(np.random, each)
        }
    if name == "numpy.random.mtrand":
        return {"_rand": _hidden_state, "RandomState": functools.partial(getattr, cowarray.random, "RandomState")}
    if name.startswith("numpy.testing"):
        return {
            each: functools.partial(Reading, value)
            for each, value in vars(module).items()
            if each.startswith("assert_") and callable(value) and not each.startswith(_NO_COMPARISONS)
        }
    if name in ("numpy.linalg", "numpy.fft", "numpy.lib.stride_tricks"):
        own = operator.attrgetter(name.partition(".")[2])(cowarray)
        return {each: functools.partial(getattr, own, each) for each in own.__all__}
    return {}
