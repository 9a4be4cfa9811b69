"""The class that a program finds as `numpy.ndarray`: arrays of the library and NumPy's own are its instances."""

import abc
import contextlib
import functools
import types
from collections.abc import Callable
from typing import Any

import numpy as np

import cowarray

__all__ = ["ndarray", "take_class", "with_numpys_class"]

# Attributes that classes have, and not their instances.
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
    """The class of the program's `numpy.ndarray`, whose instances are arrays of the library and NumPy's own.

    It derives from `ABCMeta`, so that a class of the program's can also have an abstract class as a base.
    """

    def __new__(cls, name: str, bases: tuple[Any, ...], namespace: dict[str, Any], **options: Any) -> Any:
        if ndarray is None:
            return super().__new__(cls, name, bases, namespace)
        # A subclass that the program makes is a subclass of NumPy's array.
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
    """A method of arrays, taken from the class: cowarray's for cowarray's arrays, NumPy's for all others."""

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
    """Make `view` of a subclass of NumPy's array take the class that the program knows as NumPy's.

    Parameters
    ----------
    kind : type or object
        A class, or the object that its metaclass made in place of one. Anything but a subclass is left alone, and so
        is a `view` that is not a method.
    """
    if not isinstance(kind, type) or not any(each is np.ndarray for each in kind.__mro__):
        return
    owner = next(each for each in kind.__mro__ if "view" in vars(each))
    view = vars(owner)["view"]
    if owner is not kind and owner is not np.ndarray:
        return
    if type(view) not in (types.FunctionType, types.MethodDescriptorType) or hasattr(view, "_takes_class"):
        return
    with contextlib.suppress(TypeError):  # the class is compiled
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
    """Return the bases of a class, or other arguments, with NumPy's class in place of the program's `ndarray`."""
    return tuple(np.ndarray if each is ndarray else each for each in bases)


ndarray: Any = None
ndarray = _Kinds("ndarray", (), {"__module__": "numpy", "__slots__": ()})
