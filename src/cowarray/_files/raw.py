"""Arrays from bytes without a header: `fromfile`, `frombuffer`, and from text: `loadtxt`, `genfromtxt`, `fromregex`.

NumPy reads. A file at a path is mapped instead, where that gives the same array.
"""

import os
import stat

import numpy as np

from cowarray._ops.conversion import asarray
from cowarray._ops.protocols import dispatched, fresh

__all__ = ["frombuffer", "fromfile", "fromregex", "genfromtxt", "loadtxt", "savetxt"]


def fromfile(file, dtype=float, count=-1, sep="", offset=0, *, like=None):
    """Read an array from a file of elements, as `numpy.fromfile`.

    Parameters
    ----------
    file : path or file object
        The bytes at a path are mapped, and read as they are used; what is open is read now, from where it stands.
    dtype : dtype
    count : int
        How many elements; -1: all. Where there are fewer, all.
    sep : str
        Between elements of text; ``""``: the file is binary.
    offset : int
        Bytes to skip, in a binary file.
    like : array, optional
        Of another library, which then makes the result, as in NumPy.

    Returns
    -------
    ndarray
        Writable, with one axis; of a mapped one, the first write copies, and never reaches the file. The file must not
        be changed in place or cut short meanwhile.

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
        return dispatched(np.fromfile, file, dtype, count, sep, offset, like=like)
    if sep == "" and isinstance(file, (str, bytes, os.PathLike)):
        mapped = _mapped(os.fspath(file), np.dtype(dtype), count, offset)
        if mapped is not None:
            return mapped
    return fresh(np.fromfile(file, dtype, count, sep, offset))


def _mapped(path, dtype, count, offset):
    """The elements of a regular file, by memory map; None where NumPy should see to it."""
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


def frombuffer(buffer, dtype=float, count=-1, offset=0, *, like=None):
    """Take the bytes of a buffer for an array with one axis, as `numpy.frombuffer`.

    Parameters
    ----------
    buffer : bytes or buffer
        Shared, if it is of bytes, of one of our arrays, or other memory that is read-only down to its owner (see
        `asarray`); else copied once.
    dtype : dtype
    count : int
        How many elements; -1: all.
    offset : int
        Bytes to skip.
    like : array, optional
        As for `fromfile`.

    Returns
    -------
    ndarray
        Writable; no write reaches the buffer. (NumPy's array has the bytes of a writable buffer: for that,
        ``asarray(numpy.frombuffer(buffer), copy=False)`` reads them without a copy, as long as nobody changes them.)

    Examples
    --------
    >>> import cowarray
    >>> cowarray.frombuffer(b"abc", dtype="u1")
    array([97, 98, 99], dtype=uint8)
    """
    if like is not None:
        return dispatched(np.frombuffer, buffer, dtype, count, offset, like=like)
    return asarray(np.frombuffer(buffer, dtype, count, offset))


def loadtxt(
    fname,
    dtype=float,
    comments="#",
    delimiter=None,
    converters=None,
    skiprows=0,
    usecols=None,
    unpack=False,
    ndmin=0,
    encoding=None,
    max_rows=None,
    *,
    quotechar=None,
    like=None,
):
    """Read an array from lines of text, as `numpy.loadtxt`. Fresh; with unpack, views of one Storage."""
    args = (fname, dtype, comments, delimiter, converters, skiprows, usecols, unpack, ndmin, encoding, max_rows)
    if like is not None:
        return dispatched(np.loadtxt, *args, quotechar=quotechar, like=like)
    return fresh(np.loadtxt(*args, quotechar=quotechar))


def genfromtxt(fname, dtype=float, *args, **kwargs):
    """Read an array from lines of text in which something may be missing, as `numpy.genfromtxt`, in all parameters.

    Fresh; with unpack, views of one Storage; with usemask NumPy's masked array.
    """
    if kwargs.get("like") is not None:
        return dispatched(np.genfromtxt, fname, dtype, *args, **kwargs)
    return fresh(np.genfromtxt(fname, dtype, *args, **kwargs))


def fromregex(file, regexp, dtype, encoding=None):
    """Read an array from what a regular expression finds in a file, as `numpy.fromregex`. Fresh."""
    return fresh(np.fromregex(file, regexp, dtype, encoding))


def savetxt(fname, X, fmt="%.18e", delimiter=" ", newline="\n", header="", footer="", comments="# ", encoding=None):
    """Write an array of one or two axes as lines of text, as `numpy.savetxt`."""
    dispatched(np.savetxt, fname, X, fmt, delimiter, newline, header, footer, comments, encoding)
