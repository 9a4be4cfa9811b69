"""Decorated functions, each call of which is a block of a mode, and tests for the kinds of function."""

import functools
import inspect
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from typing import Any, ParamSpec, TypeGuard, TypeVar, cast

__all__ = ["in_blocks", "is_coroutine_function", "is_generator_function"]

_P = ParamSpec("_P")
_R = TypeVar("_R")


def in_blocks(mode: AbstractContextManager[object], name: str, function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Wrap a function or coroutine function so that each call is a block of the mode; errors begin with `name`."""
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
    """True if a call returns a coroutine."""
    return any(map(inspect.iscoroutinefunction, _behind(function)))


def is_generator_function(function: Callable[..., Any]) -> bool:
    """True if a call returns a generator, synchronous or asynchronous."""
    return any(inspect.isgeneratorfunction(each) or inspect.isasyncgenfunction(each) for each in _behind(function))


def _behind(function: Any) -> tuple[Any, Any]:
    """Unwrap partials and static methods; return the function and its type's ``__call__``."""
    while isinstance(function, (functools.partial, staticmethod)):
        function = function.func if isinstance(function, functools.partial) else function.__func__
    return function, type(function).__call__
