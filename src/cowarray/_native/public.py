"""The module names under which users and pickles find public classes and functions."""

from typing import Any, TypeVar

__all__ = ["public", "public_space"]

_Defined = TypeVar("_Defined", bound=Any)


def public_space(module: str) -> str:
    """Return a module's public name: `cowarray.fft` for itself, `cowarray` for `cowarray._ops.table`."""
    return module.partition("._")[0]


def public(defined: _Defined) -> _Defined:
    """Decorate a class or function whose public name is in the package, or in a public part of it.

    Parameters
    ----------
    defined : type or function

    Returns
    -------
    type or function
        The argument itself.
    """
    defined.__module__ = public_space(defined.__module__)
    return defined
