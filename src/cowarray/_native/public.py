"""Where users and pickles find what a module of ours defines for them."""

from typing import Any, TypeVar

__all__ = ["public", "public_space"]

_Defined = TypeVar("_Defined", bound=Any)


def public_space(module: str) -> str:
    """Where users find what a module has: `cowarray.fft` is public itself, `cowarray._ops.table` is of `cowarray`."""
    return module.partition("._")[0]


def public(defined: _Defined) -> _Defined:
    """A decorator: a class or function whose public name is in the package, or in a public part of it.

    Parameters
    ----------
    defined : type or function

    Returns
    -------
    type or function
        Itself.
    """
    defined.__module__ = public_space(defined.__module__)
    return defined
