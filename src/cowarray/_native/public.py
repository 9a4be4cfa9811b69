"""Where users and pickles find what a module of ours defines for them."""

from typing import Any, TypeVar

__all__ = ["public"]

_Defined = TypeVar("_Defined", bound=Any)


def public(defined: _Defined) -> _Defined:
    """A decorator: a class or function that has its public name in the package itself.

    Parameters
    ----------
    defined : type or function

    Returns
    -------
    type or function
        Itself.
    """
    defined.__module__ = "cowarray"
    return defined
