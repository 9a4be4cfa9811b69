"""Stand-ins for NumPy's functions that cowarray lacks, or that mean something else in a program."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

import cowarray
from cowarray._ops.functions import dispatched, implemented
from cowarray._tools.frameless import Lending
from cowarray._tools.stand_ins.values import handed_out, taken_in

__all__ = ["Borrowed", "Dispatched", "Implementation", "Reading", "load", "reads_file"]


def _is_assumed(values: Any) -> bool:
    """Tell whether an assertion is about a plan's array, and the plan assumes conditions: then it is taken to hold."""
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
    """A stand-in for a NumPy function, under the same name."""

    def __init__(self, function: Callable[..., Any]) -> None:
        own: Any = self
        functools.update_wrapper(own, function)

    def __repr__(self) -> str:
        return repr(self.__wrapped__)

    def __getattr__(self, name: str) -> Any:
        return getattr(_wrapped(self), name)


class Reading(_Named):
    """A NumPy function that only reads arrays, and gets NumPy's: a comparison of `numpy.testing`, `numpy.save`."""

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        name = self.__name__
        if name.startswith("assert_") and _is_assumed((args, kwargs)):
            return None
        return self.__wrapped__(*map(handed_out, args), **handed_out(kwargs))


class Dispatched(_Named):
    """A NumPy function whose name means something else in the library, which can dispatch NumPy's as well."""

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        return dispatched(self.__wrapped__, *args, **kwargs)


class Implementation(_Named):
    """The implementation that a NumPy function calls without asking its arguments, by the library's rules."""

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
    # NumPy's reads the file; cowarray's would map it, and a program may write to a file that it has read.
    loaded = np.load(*args, **kwargs)
    if type(loaded) is np.lib.npyio.NpzFile:
        loaded.__class__ = _OpenArchive
    return taken_in(loaded)


def reads_file(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def read(*args: Any, **kwargs: Any) -> Any:
        return taken_in(function(*args, **kwargs))

    return read
