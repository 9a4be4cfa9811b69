"""Functions whose every call is a block of a mode."""

import functools
import inspect
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, ParamSpec, TypeVar, cast

__all__ = ["in_blocks"]

_P = ParamSpec("_P")
_R = TypeVar("_R")


def in_blocks(mode: AbstractContextManager[object], name: str, function: Callable[_P, _R]) -> Callable[_P, _R]:
    """A function like this one, or a coroutine function, each of whose calls is a block of the mode of that name."""
    if not callable(function):
        raise TypeError(f"{name}: expected a function (got {type(function).__name__})")
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise TypeError(
            f"{name}: a generator's block would hold for its caller too, between its steps; open blocks inside "
            "the generator, around what needs them"
        )
    if inspect.iscoroutinefunction(function):

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
