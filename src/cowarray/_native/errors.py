"""Exceptions that the native layer raises and that Python does not have."""

__all__ = ["CopyError"]


class CopyError(RuntimeError):
    """A write inside `no_copy` would have had to copy shared bytes first."""
