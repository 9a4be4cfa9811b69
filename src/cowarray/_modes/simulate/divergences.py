"""The reports of `cowarray.simulate`: where a program relied on an alias that will be a copy in meaning."""

from typing import Any, NamedTuple

from cowarray._modes.common.site import Site
from cowarray._native.public import public

__all__ = ["AliasingError", "AliasingWarning", "Divergence"]


@public
class Divergence(NamedTuple):
    """An access to bytes that only an alias has, as collected by `simulate`.

    Three lines belong to it. One made the copy in meaning, one wrote through the copy or its source, and one accessed
    the other of the two. With NumPy, the access sees the write; with a copy, it does not.

    Parameters
    ----------
    kind : {'read', 'write', 'left the library', 'read outside'}
        In this order: the access read; it read and wrote, as ``x += 1`` does; the writer was outside the library and
        used an exported array or buffer; or the reader is outside: an export that would be a snapshot, or of a copy,
        still existed when its bytes were written. Nobody can see whether that is read again, so the report is at the
        line that exported.
    operation : str
        The accessing operation, by its name in the table of operations: 'add', 'ndarray.__getitem__'. 'conversion': to
        Python objects, text or bytes, as by `tolist` and `print`. For exports: 'export', 'ctypes', 'DLPack', 'C API'.
    nbytes : int
        How many of the accessed bytes only an alias has, at most.
    made, written, accessed : Site
        The three lines. For a writer outside, `written` is the line that exported the array.
    times : int
        How often these three lines met.
    differed : bool or None
        Whether the values differed from a copy's, with ``simulate(exact=True)``; else None.
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
    """A line relied on an alias where cowarray copies in meaning. Issued inside `simulate`.

    Parameters
    ----------
    divergence : Divergence
        The finding.
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
        The finding.
    """

    def __init__(self, divergence: Divergence) -> None:
        super().__init__(str(divergence))
        self.divergence = divergence

    def __reduce__(self) -> Any:
        return type(self), (self.divergence,)
