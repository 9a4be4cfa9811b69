"""`Site`: a line of the program, as reports name it."""

from typing import Any, NamedTuple

from cowarray._native.public import public

__all__ = ["Site"]


@public
class Site(NamedTuple):
    """A line of a program.

    Parameters
    ----------
    filename : str
        The file as the code object names it, so possibly ``<string>``.
    lineno : int
        The line number, from 1.
    """

    filename: str
    lineno: int

    def __str__(self) -> Any:
        return f"{self.filename}:{self.lineno}"
