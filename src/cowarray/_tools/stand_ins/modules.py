"""Stand-ins for NumPy's modules.

A stand-in has exactly the names of one of NumPy's modules. A name that cowarray has is cowarray's; any other is
borrowed from NumPy, and the arrays that it returns become cowarray's. The stand-ins of one program know each other,
and note where a borrowed name was first used.
"""

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
from cowarray._tools.stand_ins.array_class import ndarray
from cowarray._tools.stand_ins.functions import Borrowed, Dispatched, Implementation, Reading, load, reads_file
from cowarray._tools.stand_ins.values import taken_in

__all__ = ["Site", "StandIns", "running"]

_Own = dict[str, Callable[[], Any]]  # the library's objects by name, imported at first use

# NumPy's modules that have nothing to do with arrays: they get no stand-ins.
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
    """Return the innermost line that is neither the library's nor NumPy's."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        module = frame.f_globals.get("__name__") or ""
        if not name.startswith(_OWN) and module.partition(".")[0] != "numpy":
            return Site(name, frame.f_lineno)
        frame = frame.f_back
    return Site("<unknown>", 0)


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
        # In the instance, as in a Python module: in the class, it would make each name lookup three times as dear.
        vars(self)["__getattr__"] = self._found

    def _found(self, name: str) -> Any:
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
            # Looking up a class counts as its use; for a function, calling it does. Private functions, and those of
            # private modules, pass NumPy's arrays to each other.
            if not self._quiet and "._" not in f"{self.__name__}.{name}" and _is_a_class_of_numpys(value):
                self._note(f"{self.__name__}.{name}")
            return taken_in(value)
        else:
            found = Borrowed(value, f"{self.__name__}.{name}", self._note)
        vars(self)[name] = found
        return found

    def _give_implementation(self, own: Any, numpys: Any) -> None:
        """Give a function the `_implementation` that NumPy's has: classes with rules for functions call it."""
        dispatching: Any = type(np.sum)
        if isinstance(numpys, dispatching) and not isinstance(own, dispatching):
            own._implementation = Implementation(numpys)

    def __setattr__(self, name: str, value: object) -> None:
        # A name that the program replaces, it replaces for itself. One that it adds for old libraries, they must find.
        if not hasattr(self._numpys, name):
            setattr(self._numpys, name, value)
        super().__setattr__(name, value)

    @property
    def _numba_type_(self) -> Any:
        """The type that numba sees: NumPy's module, whose functions it compiles."""
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
    """Unpickle a stand-in: as NumPy's module in a process that runs no program."""
    module = importlib.import_module(name)
    return module if _running is None else _running.of(module)


def _ignored(name: str) -> None:
    """Note nothing."""


def _is_a_class_of_numpys(value: object) -> bool:
    return isinstance(value, type) and not issubclass(value, np.generic | BaseException)


class StandIns:
    """The stand-ins of one program.

    Parameters
    ----------
    replaced : dict, optional
        Replacements for NumPy's functions and classes.

    Attributes
    ----------
    borrowed : dict of str to Site
        The functions and classes that the library lacks and the program used, and where each was first used.
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
        """Make pickles bring back these stand-ins, from now on."""
        global _running
        _running = self

    def replacing(self, value: object) -> Any:
        """Return the program's replacement for a NumPy function or class, which precedes the library's; or None."""
        return self._replaced.get(id(value))

    def known(self, value: object) -> Any:
        """Return the library's counterpart of a NumPy function or class, wherever NumPy keeps it; or None."""
        return self._known.get(id(value))

    def of_the_same_name(self, function: Any) -> Any:
        """Return what the program finds in the place of a NumPy function; any other function itself."""
        module = sys.modules.get(getattr(function, "__module__", None) or "numpy")
        name = getattr(function, "__name__", "")
        if module is None or module.__name__.partition(".")[0] != "numpy" or vars(module).get(name) is not function:
            return function
        return getattr(self.of(module), name)

    def of(self, module: types.ModuleType, *, quiet: bool = False) -> types.ModuleType:
        """Return the stand-in of one of NumPy's modules.

        Parameters
        ----------
        module : module
        quiet : bool, default False
            Whether looking up a class notes nothing: for ``from numpy import *``, which looks up all.

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
        """Fill in names for programs that look in `vars`.

        Names that NumPy imports lazily are left out, and so are classes whose use is noted.
        """
        quiet = self.of(np, quiet=True)
        for name, value in vars(np).copy().items():
            if not name.startswith("_"):
                found = getattr(quiet, name)
                if name in vars(cowarray)["__all__"] or not (found is value and _is_a_class_of_numpys(found)):
                    vars(program)[name] = found

    def note(self, name: str) -> None:
        """Note the use of a name that the library lacks."""
        if name not in self.borrowed:
            self.borrowed[name] = _caller()


_running: StandIns | None = None  # of the program that this process runs


def running() -> StandIns | None:
    """Return the stand-ins of the program that this process runs."""
    return _running


def _standing_in(module: str, name: str) -> Any:
    """Unpickle a function, in a process that may run no program."""
    return getattr((_running or StandIns()).of(importlib.import_module(module)), name)


copyreg.pickle(type(ndarray), lambda cls: (_standing_in, ("numpy", "ndarray")))
copyreg.pickle(Borrowed, lambda own: (_standing_in, tuple(own._name.rsplit(".", 1))))
for _kind in (Reading, Dispatched, Implementation):
    copyreg.pickle(_kind, lambda own: (_standing_in, (own.__module__, own.__name__)))

_REPLACED = (np.load, np.fromfile, np.frombuffer, np.save, np.savez, np.savez_compressed, np.ndarray, np.trace)


@functools.cache
def _replaced(function: Any) -> Any:
    """Return the stand-in for a NumPy function that the library has with other parameters or rules."""
    if function is np.load:
        return load
    if function is np.ndarray:
        return ndarray
    if function is np.trace:
        return Dispatched(function)
    return Reading(function) if function.__name__.startswith("save") else reads_file(function)


def _hidden_state() -> cowarray.random.RandomState:
    """Return the legacy functions' generator as an object: libraries use it for ``random_state=None``."""
    return cowarray.random.RandomState(np.random.mtrand._rand._bit_generator)


def _own_names(module: types.ModuleType) -> _Own:
    """Return the library's counterparts of names in one of NumPy's modules: for each, a function that returns it.

    They are looked up at first use: NumPy's generators, for one, are slow to make.
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
