"""Functions whose every call is a block of a mode, and what kinds of function there are."""

import functools
import inspect
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from typing import Any, ParamSpec, TypeGuard, TypeVar, cast

__all__ = ["in_blocks", "is_coroutine_function", "is_generator_function"]

_P = ParamSpec("_P")
_R = TypeVar("_R")


def in_blocks(mode: AbstractContextManager[object], name: str, function: Callable[_P, _R]) -> Callable[_P, _R]:
    """A function like this one, or a coroutine function, each of whose calls is a block of the mode of that name."""
    if not callable(function):
        raise TypeError(f"{name}: expected a function (got {type(function).__name__})")
    if isinstance(function, type):
        raise TypeError(f"{name}: expected a function (got {function!r}); decorate the methods of a class")
    if is_generator_function(function):
        raise TypeError(
            f"{name}: a generator's block would hold for its caller too, between its steps; open blocks inside "
            "the generator, around what needs them"
        )
    if is_coroutine_function(function):

        @functools.wraps(function)
        async def call_later(*args: Any, **kwargs: Any) -> Any:
            with mode:
                return await function(*args, **kwargs)

        return cast("Callable[_P, _R]", call_later)

    @functools.wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        with mode:
            return function(*args, **kwargs)

    return call


def is_coroutine_function(function: Callable[..., Any]) -> TypeGuard[Callable[..., Awaitable[Any]]]:
    """Whether a call gives a coroutine."""
    return any(map(inspect.iscoroutinefunction, _behind(function)))


def is_generator_function(function: Callable[..., Any]) -> bool:
    """Whether a call gives a generator, of either kind."""
    return any(inspect.isgeneratorfunction(each) or inspect.isasyncgenfunction(each) for each in _behind(function))


def _behind(function: Any) -> tuple[Any, Any]:
    """What a partial or a static method calls, and the method that a call of an instance runs."""
    while isinstance(function, (functools.partial, staticmethod)):
        function = function.func if isinstance(function, functools.partial) else function.__func__
    return function, type(function).__call__
