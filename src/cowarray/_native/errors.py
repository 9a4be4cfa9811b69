"""Exceptions that the native layer raises and that Python does not have."""

from cowarray._native.public import public

__all__ = ["CopyError"]


@public
class CopyError(RuntimeError):
    """A write inside `no_copy` would have had to copy shared bytes first."""
