"""`load`, `save` and `savez`: NumPy's .npy and .npz files, mapped instead of read.

NumPy parses the headers. This module adds the checks that NumPy lacks: a file that claims more data than it holds is
refused before anything is mapped or allocated for it. Nothing in a file is executed unless the caller allows pickles.

Reading and writing share one module because the two sides must agree on the header.
"""

import ast
import contextlib
import errno
import io
import math
import operator
import os
import pickle
import stat
import struct
import sys
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, Self, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from cowarray._array.imports import array_of_file
from cowarray._face.annotations import Array
from cowarray._native.fork_locks import importing
from cowarray._native.public import public
from cowarray._ops.conversion import array, asarray

if TYPE_CHECKING:
    from zipfile import ZipFile

__all__ = ["Archive", "header_of", "load", "save", "savez", "savez_compressed"]

_MAGIC = b"\x93NUMPY"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")  # the second begins an empty archive
_MAX_HEADER = 10_000  # as NumPy's: the parser of literals is slow for long ones
_MAX_AXES = 64
_CHUNK = 256 * 1024


class Reader(Protocol):
    """A file open for reading."""

    def read(self, size: int = ..., /) -> Any: ...


class Writer(Protocol):
    """A file open for writing."""

    def write(self, data: Any, /) -> Any: ...


@public
def load(
    file: str | bytes | os.PathLike[str] | os.PathLike[bytes] | Reader,
    mmap_mode: Literal["r", "c"] | None = "r",
    allow_pickle: bool = False,
    fix_imports: bool = True,
    encoding: Literal["ASCII", "latin1", "bytes"] = "ASCII",
    *,
    max_header_size: SupportsIndex = _MAX_HEADER,
    pages: bool = False,
) -> Any:
    """Load an array from a .npy file, or a mapping of arrays from an .npz file.

    Parameters
    ----------
    file : path or file object
        A .npy file at a path is mapped, so its elements are read on use; a pipe or a device is read at once. An object
        with a ``read`` method is read from its current position; for an .npz file it must also support seeking.
    mmap_mode : {'r', 'c', None}, default 'r'
        ``None`` reads the file at once. ``'c'`` means the same as ``'r'``: no write ever reaches the file.
    allow_pickle : bool, default False
        Whether to load arrays of objects. They are pickles, which can execute anything: allow them only from sources
        you trust.
    fix_imports : bool, default True
        Whether to map Python 2's module names in a pickle to their Python 3 names.
    encoding : {'ASCII', 'latin1', 'bytes'}, default 'ASCII'
        The encoding of strings in a pickle written by Python 2.
    max_header_size : int, default 10000
        The longest header accepted, in bytes, unless pickles are allowed: Python's parser is slow for long headers.
    pages : bool, default False
        Whether writes to the array of a .npy file at a path, and to its lazy copies, cost only the pages that they
        write, however large the file. If anyone modifies the file, unwritten pages change in all these arrays; if
        anyone truncates it, the process dies at the next access to the missing part.

    Returns
    -------
    ndarray or Archive
        Fresh and writable. The first write to a mapped array copies, so the file keeps its bytes. While arrays use the
        file, it must not be changed in place or truncated (`save` replaces it, which is safe).

    Raises
    ------
    ValueError
        The file is not a .npy or .npz file, damaged, truncated, has too long a header, or holds objects without
        allow_pickle; mmap_mode or encoding is invalid; pages without a .npy file at a path, or with ``mmap_mode=None``.
    TypeError
        `file` is neither a path nor a file object, or another argument has the wrong type.
    EOFError
        The file is empty.
    OSError
        The file cannot be opened, read or mapped.

    See Also
    --------
    numpy.load : Parses the same files; reads them at once unless ``mmap_mode`` is given.
    save : Writes such files.

    Examples
    --------
    >>> import io, cowarray
    >>> file = io.BytesIO()
    >>> cowarray.save(file, cowarray.array([1, 2, 3]))
    >>> _ = file.seek(0)
    >>> cowarray.load(file)
    array([1, 2, 3])
    """
    _check_flags("load", allow_pickle=allow_pickle, fix_imports=fix_imports, pages=pages)
    if mmap_mode not in ("r", "c", None):
        raise ValueError(
            f"load: mmap_mode must be 'r', 'c' or None, because no write reaches the file (got {mmap_mode!r}); "
            "use numpy.memmap to write to it"
        )
    if pages and (mmap_mode is None or hasattr(file, "read")):
        raise ValueError(
            "load: pages=True maps a .npy file at a path "
            f"(got {'mmap_mode=None' if mmap_mode is None else _name_of(file)}); drop pages=True"
        )
    if encoding not in ("ASCII", "latin1", "bytes"):
        raise ValueError(f"load: encoding must be 'ASCII', 'latin1' or 'bytes' (got {encoding!r})")
    if not hasattr(type(max_header_size), "__index__"):
        raise TypeError(f"load: max_header_size must be an integer (got {max_header_size!r})")
    most = sys.maxsize if allow_pickle else operator.index(max_header_size)  # allowing pickles means trusting the file
    options = _Options(allow_pickle, fix_imports, encoding, most)
    if hasattr(file, "read"):
        return _load(file, f"load: {_name_of(file)}", None, options)
    path = _path_of("load", file)
    opened = open(path, "rb")  # noqa: SIM115 - an Archive keeps it
    try:
        result = _load(opened, f"load: {os.fsdecode(path)}", "pages" if pages else mmap_mode, options)
    except BaseException:
        opened.close()
        raise
    if type(result) is Archive:
        result._owned = opened
    else:
        opened.close()
    return result


@public
def save(
    file: str | bytes | os.PathLike[str] | os.PathLike[bytes] | Writer,
    arr: ArrayLike | Array,
    allow_pickle: bool = False,
) -> None:
    """Save an array as a .npy file.

    Parameters
    ----------
    file : path or file object
        ``.npy`` is appended to a path without it. An existing file is replaced once everything is written: arrays
        mapped from it keep their values, and a failure leaves it as it was.
    arr : array_like
        Only read: a snapshot is saved.
    allow_pickle : bool, default False
        Whether to save an array of objects, as a pickle.

    Raises
    ------
    ValueError
        arr holds objects, without allow_pickle.
    TypeError
        `file` is neither a path nor a file object, or `allow_pickle` is not a bool.
    OSError
        The file, or a new one beside it, cannot be written.

    See Also
    --------
    load : Reads the file.
    numpy.save : The same for NumPy's arrays; overwrites an existing file in place.
    """
    _check_flags("save", allow_pickle=allow_pickle)
    shown = asarray(arr).to_numpy()
    _write("save", file, ".npy", lambda opened: np.save(opened, shown, allow_pickle=allow_pickle))


@public
def savez(
    file: str | bytes | os.PathLike[str] | os.PathLike[bytes] | Writer,
    *args: ArrayLike,
    allow_pickle: bool = False,
    **kwds: ArrayLike,
) -> None:
    """Save arrays as an .npz file, named "arr_0", "arr_1", ... or by their keywords.

    Parameters
    ----------
    file : path or file object
        As for `save`, with the ending ``.npz``.
    *args : array_like
    allow_pickle : bool, default False
        Whether arrays of objects may be saved, as pickles.
    **kwds : array_like

    Raises
    ------
    ValueError
        An array is of objects, without allow_pickle; a keyword is one of the names that the others get.
    TypeError
        `file` is neither a path nor a file object, or `allow_pickle` is not a bool.
    OSError
        The file, or a new one beside it, cannot be written.

    See Also
    --------
    load : Reads the file.
    numpy.savez : The same for NumPy's arrays; overwrites an existing file in place.
    """
    shown, named = _shown("savez", args, kwds, allow_pickle)
    _write("savez", file, ".npz", lambda opened: np.savez(opened, *shown, **named))


@public
def savez_compressed(
    file: str | bytes | os.PathLike[str] | os.PathLike[bytes] | Writer,
    *args: ArrayLike,
    allow_pickle: bool = False,
    **kwds: ArrayLike,
) -> None:
    """Save arrays as a compressed .npz file, named "arr_0", "arr_1", ... or by their keywords.

    Parameters
    ----------
    file : path or file object
        As for `save`, with the ending ``.npz``.
    *args : array_like
    allow_pickle : bool, default False
        Whether arrays of objects may be saved, as pickles.
    **kwds : array_like

    Raises
    ------
    ValueError
        An array is of objects, without allow_pickle; a keyword is one of the names that the others get.
    TypeError
        `file` is neither a path nor a file object, or `allow_pickle` is not a bool.
    OSError
        The file, or a new one beside it, cannot be written.

    See Also
    --------
    load : Reads the file.
    savez : The same without compression.
    numpy.savez_compressed : The same for NumPy's arrays; overwrites an existing file in place.
    """
    shown, named = _shown("savez_compressed", args, kwds, allow_pickle)
    _write("savez_compressed", file, ".npz", lambda opened: np.savez_compressed(opened, *shown, **named))


def _shown(operation: str, args: Any, kwds: Any, allow_pickle: Any) -> Any:
    """Return snapshots of the arrays to save."""
    _check_flags(operation, allow_pickle=allow_pickle)
    shown = [asarray(x).to_numpy() for x in args]
    named = {name: asarray(x).to_numpy() for name, x in kwds.items()}
    for each in (*shown, *named.values()):
        if each.dtype.hasobject and not allow_pickle:
            raise ValueError(
                f"{operation}: an array of dtype {each.dtype!r} can only be saved as a pickle; "
                "to allow that, pass allow_pickle=True"
            )
    return shown, named


def _check_flags(operation: str, **flags: object) -> None:
    for name, value in flags.items():
        if type(value) is not bool:
            raise TypeError(f"{operation}: {name} must be True or False (got {value!r})")


def _path_of(operation: str, file: Any) -> str | bytes:
    try:
        return os.fspath(file)
    except TypeError:
        raise TypeError(f"{operation}: file must be a path or a file object (got {type(file).__name__})") from None


def _write(operation: str, file: Any, ending: Any, write: Any) -> None:
    """Write a file; replace an existing one once the new one is complete."""
    if hasattr(file, "write"):
        write(file)
        return
    path = os.fsdecode(_path_of(operation, file))
    path = os.path.realpath(path if path.endswith(ending) else path + ending)
    if not os.path.isfile(path):
        write(path)
        return
    with importing:
        import shutil
        import tempfile

    descriptor, beside = tempfile.mkstemp(ending, ".save-", os.path.dirname(path))
    try:
        with open(descriptor, "wb") as opened:
            write(opened)
        shutil.copymode(path, beside)
        os.replace(beside, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(beside)


class _Options(NamedTuple):
    """How far a file is trusted, and how its pickles are read."""

    allow_pickle: bool = False
    fix_imports: bool = True
    encoding: str = "ASCII"
    max_header_size: int = _MAX_HEADER


class Archive(Mapping[str, Any]):
    """The arrays of an .npz file by name, each read on access. Other members are bytes.

    Close it, or use it in a ``with`` block. Two threads must not read one Archive at the same time.

    Parameters
    ----------
    zipped : zipfile.ZipFile
    name : str
        The file's name in errors.
    options : tuple
        Those of `load`: allow_pickle, fix_imports, encoding and max_header_size.

    See Also
    --------
    load : Returns Archives.
    """

    def __init__(self, zipped: "ZipFile", name: str, options: _Options) -> None:
        self._zipped: ZipFile | None = zipped
        self._owned: Any = None  # the file, if `close` must close it
        self._name = name
        self._options = options
        self._members = {member.removesuffix(".npy"): member for member in zipped.namelist()}
        self._found = {**self._members, **{member: member for member in zipped.namelist()}}  # as NumPy's

    def __getitem__(self, key: str) -> Any:
        """Return an array, or the bytes of a member that by its name and contents is not an array."""
        if self._zipped is None:
            raise ValueError(f"{self._name}: the archive is closed")
        member = self._found[key]
        name = f"{self._name}: {member}"
        with _Damage(name), self._zipped.open(member) as opened:
            if member.endswith(".npy"):
                return _read_array(opened, name, None, self._options, _magic_of(opened, name))
            magic = _read(opened, len(_MAGIC), name)
            return _read_array(opened, name, None, self._options, magic) if magic == _MAGIC else magic + opened.read()

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __repr__(self) -> str:
        return f"<Archive of {', '.join(self._members) or 'nothing'}>"

    @property
    def files(self) -> list[str]:
        """list of str: The names."""
        return list(self._members)

    def close(self) -> None:
        """Close the file; arrays that have been read stay as they are."""
        zipped, self._zipped = self._zipped, None
        owned, self._owned = self._owned, None
        if zipped is not None:
            zipped.close()
        if owned is not None:
            owned.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None, /
    ) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_owned", None) is not None:  # also of a half-made one
            self.close()


class _Damage:
    """Context manager that turns errors on damaged data (from zip, zlib, ...) into ValueError."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: object) -> None:
        if kind is None or not issubclass(kind, Exception) or issubclass(kind, (EOFError, MemoryError, Warning)):
            return
        # Only bz2's OSErrors, which have no errno, and those for a bad offset in an archive: others are the device's.
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
            return
        if kind is not ValueError or not str(error).startswith("load: "):
            raise ValueError(f"{self.name}: damaged ({' '.join(str(error).split())[:200] or kind.__name__})") from error


def _name_of(file: Any) -> Any:
    name = getattr(file, "name", None)
    return name if isinstance(name, str) else f"a {type(file).__name__}"


def _load(file: Any, name: str, mmap_mode: Any, options: _Options) -> Any:
    magic = _magic_of(file, name)
    if magic[:4] not in _ZIP:
        return _read_array(file, name, mmap_mode, options, magic)
    if mmap_mode == "pages":
        raise ValueError(f"{name}: pages=True maps a .npy file, and this is an .npz file; drop pages=True")
    with importing:
        from zipfile import ZipFile

    with _Damage(name):
        return Archive(ZipFile(file), name, options)


def _magic_of(file: Any, name: str) -> Any:
    magic = _read(file, len(_MAGIC), name)
    if not magic:
        raise EOFError(f"{name}: the file is empty, or already at its end")
    return magic


def _read(file: Any, nbytes: Any, name: str) -> Any:
    """Read nbytes, or fewer at the end of the file."""
    parts = []
    while nbytes:
        part = file.read(min(nbytes, _CHUNK))
        if not isinstance(part, (bytes, bytearray)):
            raise TypeError(
                f"{name}: must be opened for reading bytes, in mode 'rb' (read returned a {type(part).__name__})"
            )
        if not part:
            break
        parts.append(part)
        nbytes -= len(part)
        if nbytes < 0:
            raise ValueError(f"{name}: read returned more than it was asked for")
    return b"".join(parts)


def _read_array(file: Any, name: str, mmap_mode: Any, options: _Options, magic: Any) -> Any:
    if magic != _MAGIC:
        raise ValueError(f"{name}: not a .npy file, and not an .npz file either (it starts with {magic!r})")
    shape, order, dtype, offset = _read_header(file, name, options.max_header_size)
    if dtype.hasobject:
        return _read_objects(file, name, options, shape)
    nbytes = math.prod(shape) * dtype.itemsize
    if nbytes == 0:
        # Nothing to read, so nothing to share; NumPy's memory will do.
        return asarray(np.ndarray(shape, dtype, order=order), copy=False)
    # The open file's, not that of a file that may have taken its name.
    status = None if mmap_mode is None else os.fstat(file.fileno())
    is_mapped = status is not None and stat.S_ISREG(status.st_mode)
    if mmap_mode == "pages" and not is_mapped:
        raise ValueError(f"{name}: pages=True maps a file, and this is a pipe or a device; drop pages=True")
    if status is not None and is_mapped:
        held = status.st_size - offset
        if held < nbytes:
            raise ValueError(
                f"{name}: truncated: shape {shape} of dtype {dtype} needs {nbytes} bytes of data, "
                f"and the file has {held}"
            )
        if mmap_mode == "pages":
            return array_of_file(file.fileno(), offset, shape, dtype, order == "F")
        return asarray(np.memmap(file, dtype, "r", offset, shape, order))
    return _read_elements(file, name, shape, order, dtype, nbytes)


def header_of(file: Reader, name: str) -> tuple[tuple[int, ...], str, Any, int] | None:
    """Read the header of a .npy file, and leave the file at its first element.

    Parameters
    ----------
    file : file object
        At its beginning.
    name : str
        The file's name in errors.

    Returns
    -------
    tuple or None
        Shape, order ('C' or 'F'), dtype, and the elements' offset in bytes; None for another kind of file.

    Raises
    ------
    ValueError
        The file is damaged.
    """
    return _read_header(file, name) if _read(file, len(_MAGIC), name) == _MAGIC else None


def _read_header(file: Any, name: str, most: int = _MAX_HEADER) -> Any:
    """Return shape, order ('C' or 'F'), dtype, and the data's offset, from a file positioned behind its magic."""
    version = _exactly(file, 2, name)
    if version not in (b"\x01\x00", b"\x02\x00", b"\x03\x00"):
        raise ValueError(
            f"{name}: damaged, or written by a newer NumPy: "
            f"format version {version[:1].hex()}.{version[1:].hex()} is unknown"
        )
    width = "<H" if version[0] == 1 else "<I"
    lead = _exactly(file, struct.calcsize(width), name)
    length = struct.unpack(width, lead)[0]
    if length > most:
        raise ValueError(
            f"{name}: the header has {length} bytes, more than the {most} that load reads; "
            f"if you trust the file, pass max_header_size={length}"
        )
    header = _exactly(file, length, name)
    try:
        with _Damage(name):
            if version[0] == 3:
                # NumPy has no public function for this version, which is version 2 in UTF-8.
                header = ascii(ast.literal_eval(header.decode())).encode()
            counted = struct.pack("<I", len(header)) + header
            shape, fortran, dtype = np.lib.format.read_array_header_2_0(io.BytesIO(counted), len(header))
    except (MemoryError, RecursionError) as error:
        raise ValueError(f"{name}: damaged: the header is nested too deeply") from error
    _check(shape, dtype, name)
    return shape, "F" if fortran else "C", dtype, len(_MAGIC) + 2 + len(lead) + length


def _exactly(file: Any, nbytes: Any, name: str) -> Any:
    data = _read(file, nbytes, name)
    if len(data) < nbytes:
        raise ValueError(f"{name}: truncated in the header")
    return data


def _check(shape: Any, dtype: Any, name: str) -> None:
    if len(shape) > _MAX_AXES:
        raise ValueError(f"{name}: damaged: the header says {len(shape)} axes, and NumPy allows at most {_MAX_AXES}")
    if not all(type(length) is int and length >= 0 for length in shape):
        raise ValueError(f"{name}: damaged: axis lengths must be non-negative integers (got {shape!r})")
    if dtype.subdtype is not None:
        raise ValueError(f"{name}: damaged: an array cannot have dtype {dtype!r}")
    if math.prod(length or 1 for length in shape) * (dtype.itemsize or 1) > sys.maxsize:
        raise ValueError(f"{name}: damaged: shape {shape!r} of dtype {dtype!r} is larger than memory")


def _read_elements(file: Any, name: str, shape: Any, order: Any, dtype: Any, nbytes: Any) -> Any:
    try:
        x: Any = np.empty_like(array(0), dtype, order, shape=shape)
    except MemoryError:
        # Too much data for memory, or a false header?
        for done in range(0, nbytes, _CHUNK):
            _elements(file, min(_CHUNK, nbytes - done), name)
        raise
    target = memoryview(x.to_numpy(writable=True).reshape(-1, order=order).view("u1"))
    with target:
        for done in range(0, nbytes, _CHUNK):
            size = min(_CHUNK, nbytes - done)
            target[done : done + size] = _elements(file, size, name)
    return x


def _elements(file: Any, nbytes: Any, name: str) -> Any:
    data = _read(file, nbytes, name)
    if len(data) < nbytes:
        raise ValueError(f"{name}: truncated in the data")
    return data


def _read_objects(file: Any, name: str, options: _Options, shape: Any) -> Any:
    if not options.allow_pickle:
        raise ValueError(
            f"{name}: the file holds an array of objects, a pickle that can execute anything; "
            "if you trust the sender, pass allow_pickle=True"
        )
    objects = pickle.load(file, fix_imports=options.fix_imports, encoding=options.encoding)
    if not isinstance(objects, np.ndarray) or objects.shape != shape:
        raise ValueError(f"{name}: damaged: the pickle contradicts the header")
    return asarray(objects)
