import os
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Any, Literal, Protocol, Self
from zipfile import ZipFile

from numpy.typing import ArrayLike

from cowarray._face.ndarray import ndarray

class _Reader(Protocol):
    def read(self, size: int, /) -> bytes: ...

class _Writer(Protocol):
    def write(self, data: Any, /) -> Any: ...

# An ndarray, or of an .npz file an Archive; Any, as in NumPy's stub, spares every caller a cast.
def load(
    file: str | bytes | os.PathLike[str] | os.PathLike[bytes] | _Reader,
    *,
    mmap_mode: Literal["r", "c"] | None = "r",
    allow_pickle: bool = False,
    pages: bool = False,
) -> Any: ...
def save(
    file: str | bytes | os.PathLike[str] | os.PathLike[bytes] | _Writer,
    x: ArrayLike | ndarray[Any, Any],
    *,
    allow_pickle: bool = False,
) -> None: ...
def savez(
    file: str | bytes | os.PathLike[str] | os.PathLike[bytes] | _Writer,
    *args: ArrayLike,
    allow_pickle: bool = False,
    **kwds: ArrayLike,
) -> None: ...
def savez_compressed(
    file: str | bytes | os.PathLike[str] | os.PathLike[bytes] | _Writer,
    *args: ArrayLike,
    allow_pickle: bool = False,
    **kwds: ArrayLike,
) -> None: ...
def header_of(file: _Reader, name: str) -> tuple[tuple[int, ...], str, Any, int] | None: ...

class Archive(Mapping[str, ndarray[Any, Any]]):
    def __init__(self, zipped: ZipFile, name: str, allow_pickle: bool) -> None: ...
    def __getitem__(self, key: str) -> ndarray[Any, Any]: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    @property
    def files(self) -> list[str]: ...
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None, /
    ) -> None: ...
    def __del__(self) -> None: ...
