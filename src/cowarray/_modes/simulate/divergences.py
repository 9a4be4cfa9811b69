"""What `cowarray.simulate` reports: where a program relied on an alias that a copy in meaning will not be."""

from typing import Any, NamedTuple

from cowarray._modes.common.site import Site
from cowarray._native.public import public

__all__ = ["AliasingError", "AliasingWarning", "Divergence"]


@public
class Divergence(NamedTuple):
    """An access to bytes that only an alias has: what `simulate` collects.

    Three lines belong to it. One made what is a copy in meaning, one wrote through the copy or its source, and one
    accessed the other of the two. With NumPy the access sees what was written; with a copy it does not.

    Parameters
    ----------
    kind : {'read', 'write', 'left the library', 'read outside'}
        The access read; or read and wrote, as ``x += 1`` does; or the writer was outside the library, by way of an
        array or a buffer that was exported; or the reader is: an export that would be a snapshot, or of a copy, was
        still there when its bytes were written. Nobody sees whether it is read again, so that is reported at the line
        that exported.
    operation : str
        What accessed, by its name in the table of operations: 'add', 'ndarray.__getitem__'. 'conversion': to Python's
        objects, text or bytes, as by `tolist` and `print`. Where bytes went out: 'export', 'ctypes', 'DLPack', 'C API'.
    nbytes : int
        How many of the bytes accessed were such, at most.
    made, written, accessed : Site
        The three lines. Of a writer outside: where the array was exported.
    times : int
        How often these three lines met.
    differed : bool or None
        Whether the values were others than a copy's: with ``simulate(exact=True)``, else None.
    copied_by : str
        The operation that copies in meaning: 'ndarray.reshape', 'ravel'.
    """

    kind: str
    operation: str
    nbytes: int
    made: Site
    written: Site
    accessed: Site
    times: int = 1
    differed: bool | None = None
    copied_by: str = ""

    def __str__(self) -> Any:
        if self.kind == "read outside":
            seen = f"{self.accessed}: what was exported here sees {self.nbytes} bytes that {self.written} wrote"
            if self.copied_by == "export":
                return f"{seen}; with cowarray it is a snapshot, which stays as it was"
            return f"{seen} through an alias; with cowarray, {self.copied_by} at {self.made} copies, and it does not"
        equal = ", though the values are equal" if self.differed is False else ""
        return (
            f"{self.accessed}: {self.operation} reads {self.nbytes} bytes that {self.written} wrote through an alias"
            f"{equal}; with cowarray, {self.copied_by} at {self.made} copies, and the two are apart"
        )


@public
class AliasingWarning(UserWarning):
    """A line relied on an alias where cowarray copies in meaning. Given inside `simulate`.

    Parameters
    ----------
    divergence : Divergence
        What was found.
    """

    def __init__(self, divergence: Divergence) -> None:
        super().__init__(str(divergence))
        self.divergence = divergence

    def __reduce__(self) -> Any:
        return type(self), (self.divergence,)


@public
class AliasingError(RuntimeError):
    """A line relied on an alias where cowarray copies in meaning. Raised inside ``simulate(error=True)``.

    Parameters
    ----------
    divergence : Divergence
        What was found.
    """

    def __init__(self, divergence: Divergence) -> None:
        super().__init__(str(divergence))
        self.divergence = divergence

    def __reduce__(self) -> Any:
        return type(self), (self.divergence,)
