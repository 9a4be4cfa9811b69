from collections.abc import Callable
from typing import ParamSpec, TypeVar

__all__ = ["isolated"]

_P = ParamSpec("_P")
_R = TypeVar("_R")

def isolated(function: Callable[_P, _R], /) -> Callable[_P, _R]: ...
