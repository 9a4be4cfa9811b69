"""The program's classes that NumPy calls back: they get the program's functions, and give NumPy NumPy's arrays."""

import functools
import types
from typing import Any

import numpy as np

from cowarray._tools.stand_ins.modules import running
from cowarray._tools.stand_ins.values import numpys

__all__ = ["give_numpys_array", "give_own_functions"]


def give_numpys_array(kind: Any) -> None:
    """Make objects of a class of the program's give NumPy a NumPy array where their ``__array__`` returns cowarray's.

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
    """Make NumPy ask a class of the program's about the program's functions instead of NumPy's.

    Then ``ufunc is np.add`` holds in its ``__array_ufunc__``, and a table by functions finds ``func``. A subclass of
    NumPy's array may pass them on to NumPy's methods: it gets NumPy's function, as an object that equals the
    program's. A class that may pass them on to a library's method is asked about NumPy's.

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
    """Return the program's function for one of NumPy's; if it may be passed on or is renamed, NumPy's, equal to it."""
    program = running()
    own = function if program is None else program.of_the_same_name(function)
    if own is function or (not passes_on and getattr(own, "__name__", None) == function.__name__):
        return own
    return _Equal(function, own)


# A NumPy function that equals the program's function of that name, in comparisons and as a key.
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
