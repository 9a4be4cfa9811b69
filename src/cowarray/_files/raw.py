"""Arrays from raw bytes (`fromfile`, `frombuffer`) and from text (`loadtxt`, `genfromtxt`, `fromregex`).

NumPy reads the data, but a file at a path is mapped instead if that gives the same array.
"""

import os
import re
import stat
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from cowarray._face.annotations import Array
from cowarray._files.npy import Reader, Writer
from cowarray._native.public import public
from cowarray._ops.conversion import asarray
from cowarray._ops.creation import born
from cowarray._ops.functions import dispatched

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer
else:
    ReadableBuffer = Any

_Path: TypeAlias = str | bytes | os.PathLike[str] | os.PathLike[bytes]

__all__ = ["frombuffer", "fromfile", "fromregex", "genfromtxt", "loadtxt", "savetxt"]


@public
def fromfile(
    file: _Path | Reader,
    dtype: DTypeLike = float,
    count: int = -1,
    sep: str = "",
    offset: int = 0,
    *,
    like: Any = None,
) -> Array:
    """Read an array from a file of bare elements.

    Parameters
    ----------
    file : path or file object
        A file at a path is mapped, and read on use; an open file is read at once, from its current position.
    dtype : dtype, default float
    count : int, default -1
        The most elements to read; -1 reads all.
    sep : str, default ''
        Separator between elements of text. If empty, the file is binary.
    offset : int, default 0
        Bytes to skip, in a binary file.
    like : array, optional
        An array of another library, which then makes the result.

    Returns
    -------
    ndarray
        Fresh, writable, with one axis. The first write to a mapped array copies; no write reaches the file. While
        arrays use the file, it must not be changed in place or truncated.

    See Also
    --------
    numpy.fromfile : The same for NumPy's arrays; reads the file at once.

    Examples
    --------
    >>> import cowarray, tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     cowarray.asarray([1, 2, 3]).tofile(file.name)
    ...     x = cowarray.fromfile(file.name, dtype=int)
    >>> x
    array([1, 2, 3])
    """
    if like is not None:
        options = {"dtype": None if dtype is float else dtype, "count": count, "sep": sep, "offset": offset}
        return dispatched(np.fromfile, file, **options, like=like)
    if sep == "" and isinstance(file, (str, bytes, os.PathLike)):
        mapped = _mapped(os.fspath(file), np.dtype(dtype), count, offset)
        if mapped is not None:
            return mapped
    return born(np.fromfile, file, dtype, count, sep, offset)


def _mapped(path: Any, dtype: Any, count: Any, offset: Any) -> Any:
    """Map the elements of a regular file; return None if NumPy has to read it."""
    if dtype.hasobject or dtype.subdtype is not None or not dtype.itemsize or count < -1 or offset < 0:
        return None
    with open(path, "rb") as opened:
        status = os.fstat(opened.fileno())
        if not stat.S_ISREG(status.st_mode):
            return None
        length = max(status.st_size - offset, 0) // dtype.itemsize
        if count != -1:
            length = min(length, count)
        if not length:
            return None
        return asarray(np.memmap(opened, dtype, "r", offset, (length,)))


@public
def frombuffer(
    buffer: ReadableBuffer, dtype: DTypeLike = float, count: int = -1, offset: int = 0, *, like: Any = None
) -> Array:
    """Interpret the bytes of a buffer as an array with one axis.

    Parameters
    ----------
    buffer : bytes or buffer
        Shared if it exports a bytes object, an array of this library, or other memory that is read-only down to its
        owner (see `asarray`); otherwise copied once.
    dtype : dtype, default float
    count : int, default -1
        How many elements; -1 takes all.
    offset : int, default 0
        Bytes to skip.
    like : array, optional
        An array of another library, which then makes the result.

    Returns
    -------
    ndarray
        A writable copy, lazy where the buffer is shared; no write reaches the buffer. To read a writable buffer without
        a copy, as long as it does not change: ``asarray(numpy.frombuffer(buffer), copy=False)``.

    See Also
    --------
    numpy.frombuffer : Shares the bytes of any buffer, even a writable one.

    Examples
    --------
    >>> import cowarray
    >>> cowarray.frombuffer(b"abc", dtype="u1")
    array([97, 98, 99], dtype=uint8)
    """
    if like is not None:
        options = {"dtype": None if dtype is float else dtype, "count": count, "offset": offset}
        return dispatched(np.frombuffer, buffer, **options, like=like)
    return asarray(np.frombuffer(cast(Any, buffer), dtype, count, offset))


@public
def loadtxt(
    fname: _Path | Iterable[str] | Iterable[bytes],
    dtype: DTypeLike = float,
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
) -> Any:
    """Read an array from lines of text.

    Parameters
    ----------
    fname : path, file object or iterable of str
    dtype : dtype, default float
    comments : str, sequence of str or None, default '#'
        Markers that begin a comment.
    delimiter : str, optional
        Separator between values. Default: white space.
    converters : callable or dict of int to callable, optional
        Functions that make a value from its text, for all columns or for some.
    skiprows : int, default 0
        Lines to skip.
    usecols : int or sequence of int, optional
        Columns to read. Default: all.
    unpack : bool, default False
        Whether to return the columns one by one.
    ndmin : {0, 1, 2}, default 0
        The minimum number of axes.
    encoding : str, optional
    max_rows : int, optional
        How many rows to read. Default: all.
    quotechar : str, optional
        The quote around a value that contains delimiters.
    like : array, optional
        An array of another library, which then makes the result.

    Returns
    -------
    ndarray or list of ndarray
        Fresh; with unpack, views of one Storage.

    See Also
    --------
    numpy.loadtxt : The same for NumPy's arrays.
    """
    args = (fname, dtype, comments, delimiter, converters, skiprows, usecols, unpack, ndmin, encoding, max_rows)
    if like is not None:
        return dispatched(np.loadtxt, *args, quotechar=quotechar, like=like)
    return born(np.loadtxt, *args, quotechar=quotechar)


@public
def genfromtxt(
    fname: _Path | Iterable[str] | Iterable[bytes], dtype: DTypeLike = float, *args: Any, **kwargs: Any
) -> Any:
    """Read an array from lines of text with missing values.

    Parameters
    ----------
    fname : path, file object or iterable of str
    dtype : dtype, default float
    *args, **kwargs : object
        As for `numpy.genfromtxt`.

    Returns
    -------
    ndarray or list of ndarray
        Fresh; with ``unpack``, views of one Storage; with ``usemask`` NumPy's masked array.

    See Also
    --------
    numpy.genfromtxt : The same for NumPy's arrays.
    """
    if kwargs.get("like") is not None:
        return dispatched(np.genfromtxt, fname, dtype, *args, **kwargs)
    return born(np.genfromtxt, fname, dtype, *args, **kwargs)


@public
def fromregex(
    file: _Path | Reader, regexp: str | bytes | re.Pattern[Any], dtype: DTypeLike, encoding: str | None = None
) -> Array:
    """Read an array from the matches of a regular expression in a file.

    Parameters
    ----------
    file : path or file object
    regexp : str or re.Pattern
        Its groups are the fields.
    dtype : dtype
        A structured dtype.
    encoding : str, optional
        The file's encoding.

    Returns
    -------
    ndarray
        Fresh, with one axis.

    See Also
    --------
    numpy.fromregex : The same for NumPy's arrays.
    """
    return born(np.fromregex, file, regexp, dtype, encoding)


@public
def savetxt(
    fname: _Path | Writer,
    X: ArrayLike,
    fmt: str | Sequence[str] = "%.18e",
    delimiter: str = " ",
    newline: str = "\n",
    header: str = "",
    footer: str = "",
    comments: str = "# ",
    encoding: str | None = None,
) -> None:
    """Write an array of one or two axes as lines of text.

    Parameters
    ----------
    fname : path or file object
        Compressed if a path ends in ``.gz``.
    X : array_like
        Only read.
    fmt : str or sequence of str, default '%.18e'
        The format of a value, or of each column.
    delimiter : str, default ' '
        Separator between columns.
    newline : str, default '\\n'
        Written after each line.
    header, footer : str, default ''
        Lines to write before and after.
    comments : str, default '# '
        Begins the header and footer lines.
    encoding : str, optional

    See Also
    --------
    numpy.savetxt : The same for NumPy's arrays.
    """
    dispatched(np.savetxt, fname, X, fmt, delimiter, newline, header, footer, comments, encoding)
