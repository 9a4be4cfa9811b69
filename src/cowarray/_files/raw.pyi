import os
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, Protocol, TypeAlias

from _typeshed import ReadableBuffer
from numpy.typing import ArrayLike, DTypeLike

from cowarray._face.ndarray import ndarray

_Path: TypeAlias = str | bytes | os.PathLike[str] | os.PathLike[bytes]

class _Reader(Protocol):
    def read(self, size: int = ..., /) -> Any: ...

class _Writer(Protocol):
    def write(self, data: Any, /) -> Any: ...

def fromfile(
    file: _Path | _Reader, dtype: DTypeLike = ..., count: int = -1, sep: str = "", offset: int = 0, *, like: Any = None
) -> ndarray[Any, Any]: ...
def frombuffer(
    buffer: ReadableBuffer, dtype: DTypeLike = ..., count: int = -1, offset: int = 0, *, like: Any = None
) -> ndarray[Any, Any]: ...

# With unpack, several arrays.
def loadtxt(
    fname: _Path | Iterable[str] | Iterable[bytes],
    dtype: DTypeLike = ...,
    comments: str | Sequence[str] | None = "#",
    delimiter: str | None = None,
    converters: dict[int, Callable[[str], Any]] | Callable[[str], Any] | None = None,
    skiprows: int = 0,
    usecols: int | Sequence[int] | None = None,
    unpack: bool = False,
    ndmin: Literal[0, 1, 2] = 0,
    encoding: str | None = None,
    max_rows: int | None = None,
    *,
    quotechar: str | None = None,
    like: Any = None,
) -> Any: ...
def genfromtxt(
    fname: _Path | Iterable[str] | Iterable[bytes], dtype: DTypeLike = ..., *args: Any, **kwargs: Any
) -> Any: ...
def fromregex(
    file: _Path | _Reader,
    regexp: str | bytes | re.Pattern[Any],
    dtype: DTypeLike,
    encoding: str | None = None,
) -> ndarray[Any, Any]: ...
def savetxt(
    fname: _Path | _Writer,
    X: ArrayLike,
    fmt: str | Sequence[str] = "%.18e",
    delimiter: str = " ",
    newline: str = "\n",
    header: str = "",
    footer: str = "",
    comments: str = "# ",
    encoding: str | None = None,
) -> None: ...
