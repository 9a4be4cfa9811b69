"""The arguments that the caller of a NumPy function gave, without those that are defaults."""

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

__all__ = ["as_given"]

_PLACED = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_CONSTANTS = (bool, int, float, str, tuple, type(None))


@cache
def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """Return a function's parameters; an empty list if NumPy tells no signature."""
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return []


def _is_default(value: Any, parameter: inspect.Parameter | None) -> bool:
    if parameter is None or parameter.default is parameter.empty:
        return False
    default = parameter.default
    return value is default or (type(value) is type(default) and type(value) in _CONSTANTS and value == default)


def as_given(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Drop the arguments of a NumPy function that equal its defaults.

    Another library whose ``__array_function__`` is called need not know the parameters of newer NumPys.

    Parameters
    ----------
    function : callable
    args, kwargs
        With defaults filled in.

    Returns
    -------
    tuple
        (args, kwargs)
    """
    parameters = _parameters(function)
    placed = [each for each in parameters if each.kind in _PLACED]
    first, named = list(args), dict[str, Any]()
    if len(args) <= len(placed):  # from the first default on, arguments go by name, if they have names
        gap = next((i for i, each in enumerate(args) if _is_default(each, placed[i])), len(args))
        rest = {each.name: (each, value) for each, value in zip(placed[gap:], args[gap:], strict=False)}
        if all(_is_default(value, each) or each.kind is not each.POSITIONAL_ONLY for each, value in rest.values()):
            first, named = first[:gap], {name: value for name, (_, value) in rest.items()}
    by_name = {each.name: each for each in parameters}
    given = {name: value for name, value in {**named, **kwargs}.items() if not _is_default(value, by_name.get(name))}
    return tuple(first), given
