"""What a line of the program is to those who report it."""

from typing import Any, NamedTuple

from cowarray._native.public import public

__all__ = ["Site"]


@public
class Site(NamedTuple):
    """A line of a program.

    Parameters
    ----------
    filename : str
        The file, as the code object names it: ``<string>`` too.
    lineno : int
        The number of the line, from 1.
    """

    filename: str
    lineno: int

    def __str__(self) -> Any:
        return f"{self.filename}:{self.lineno}"
