"""Compiled modules that a program imports: their functions take cowarray's arrays like NumPy's.

Much compiled code accepts only NumPy's class, and a program written for NumPy passes it arrays freely: directly, or
from a function that SciPy calls. While a program runs, functions of imported compiled modules get a NumPy array over
the bytes of each cowarray array for the duration of the call; in a simulation it is an alias.
"""

import functools
import sys
import types
from collections.abc import Callable
from importlib.machinery import ExtensionFileLoader
from types import ModuleType
from typing import Any

from cowarray._tools.frameless import with_lent
from cowarray._tools.stand_ins.values import numpys

__all__ = ["watch_imports"]

_TakenIn = Callable[[Any], Any]  # converts a result

# Types of functions made by C code, Cython, f2py, nanobind and others. Classes and ufuncs are left alone.
_FUNCTIONS = frozenset(
    ("builtin_function_or_method", "cython_function_or_method", "fused_cython_function", "fortran", "nb_func")
)


def watch_imports(
    is_left_alone: Callable[[ModuleType], bool], taken_in: Callable[[ModuleType], _TakenIn | None]
) -> None:
    """Make functions of compiled modules that are imported from now on take cowarray's arrays.

    Parameters
    ----------
    is_left_alone : callable
        Called with a module; tells whether it stays as it is.
    taken_in : callable
        Called with a module; returns the function that converts its functions' results, or None.
    """
    execute = ExtensionFileLoader.exec_module

    @functools.wraps(execute)
    def exec_module(self: ExtensionFileLoader, module: ModuleType) -> None:
        execute(self, module)
        if not is_left_alone(module):
            _adapt(module, taken_in(module))

    ExtensionFileLoader.exec_module = exec_module  # type: ignore[method-assign]  # for every loader there will be


def _adapt(module: ModuleType, result: _TakenIn | None) -> None:
    for name, value in list(vars(module).items()):
        is_compiled = type(value).__name__ in _FUNCTIONS
        if isinstance(value, types.FunctionType) or (is_compiled and _is_ours(value)):  # the module calls it
            if result is not None:
                setattr(module, name, _giving_numpys(value))
        elif (is_compiled and not name.startswith("__")) or (type(value) is type and name in _CLASSES):
            setattr(module, name, _Adapted(value, result))


def _is_ours(function: Any) -> bool:
    where = getattr(function, "__module__", None)  # some compiled modules set it to themselves
    return isinstance(where, str) and where.partition(".")[0] == "cowarray"


def _giving_numpys(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a Python function that compiled code calls: the code's variables for the result may be of NumPy's class."""

    @functools.wraps(function)
    def giving(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        result = function(*args, **kwargs)
        return tuple(map(numpys, result)) if type(result) is tuple else numpys(result)

    return giving


# Types of objects of compiled modules whose methods take only NumPy's class.
_OBJECTS = frozenset(("SuperLU", "STRtree"))

# Those that Python code creates, only from NumPy's arrays, and uses in no other way.
_CLASSES = frozenset(("STRtree",))


class _AdaptedObject:
    """A wrapper of a compiled type's object: its methods take cowarray's arrays, and it claims to be of that type."""

    def __init__(self, wrapped: Any, result: _TakenIn | None) -> None:
        self.__wrapped__ = wrapped
        self._result = result

    __class__: Any = property(lambda self: type(self.__wrapped__))

    def __getattr__(self, name: str) -> Any:
        if name == "__wrapped__":  # halfway through a copy
            raise AttributeError(name)
        value = getattr(self.__wrapped__, name)
        if type(value).__name__ in _FUNCTIONS:
            return _Adapted(value, self._result)
        return value if self._result is None else self._result(value)

    def __repr__(self) -> str:
        return repr(self.__wrapped__)


class _Adapted:
    """A wrapper of a compiled function, which passes it NumPy arrays over cowarray's."""

    def __init__(self, function: Any, result: _TakenIn | None) -> None:
        functools.update_wrapper(self, function, updated=())
        self._result = result

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        if _Adapted in map(type, args):  # code that works on compiled functions needs the functions themselves
            args = tuple([each.__wrapped__ if type(each) is _Adapted else each for each in args])
        taken_in = self._result
        if taken_in is not None and sys._getframe(1).f_code is _Adapted.__call__.__code__:
            taken_in = None  # another compiled function, which leaves no frame, calls: it works on NumPy's arrays
        result = with_lent(self.__wrapped__, args, kwargs, taken_in)
        return _AdaptedObject(result, self._result) if type(result).__name__ in _OBJECTS else result

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        if instance is None or not hasattr(type(self.__wrapped__), "__get__"):
            return self
        return types.MethodType(self, instance)

    def __getitem__(self, key: Any) -> "_Adapted":
        return _Adapted(self.__wrapped__[key], self._result)

    def __getattr__(self, name: str) -> Any:
        if name == "__wrapped__":  # halfway through a copy
            raise AttributeError(name)
        return getattr(self.__wrapped__, name)

    def __repr__(self) -> str:
        return repr(self.__wrapped__)

    def __reduce__(self) -> Any:
        return self.__wrapped__.__reduce__()
