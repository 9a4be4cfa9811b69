"""Exceptions of the native layer that have no equivalent in Python."""

from cowarray._native.public import public

__all__ = ["CopyError"]


@public
class CopyError(RuntimeError):
    """A write inside `no_copy` would have to copy shared bytes first."""
