"""Files for a program that is only planned: arrays without bytes, described by a file's header.

Only headers are read. No new memory map is made, and an array without bytes is not written: the plan knows what its
file would have. Arrays below the plan's limit for real ones are NumPy's own, read from the file and written to it.
"""

import errno
import functools
import math
import operator
import os
from collections.abc import Iterator, Mapping
from typing import IO, Any, Self

import numpy as np
from numpy.lib._npyio_impl import BagObj

from cowarray._face.ndarray import ndarray
from cowarray._files.npy import header_of
from cowarray._modes.common.blocks import current
from cowarray._modes.fake.fakes import make
from cowarray._modes.fake.planning import is_fake
from cowarray._modes.layouts.inference import fresh
from cowarray._tools.stand_ins import handed_out, taken_in

__all__ = ["replaced"]

_load, _fromfile, _memmap, _open_memmap = np.load, np.fromfile, np.memmap, np.lib.format.open_memmap
_save, _savez, _savez_compressed = np.save, np.savez, np.savez_compressed

_Layout = tuple[tuple[int, ...], np.dtype, str]  # shape, dtype, order
_Kept = _Layout | np.ndarray
_unwritten: dict[str, _Kept | dict[str, _Kept]] = {}  # what the plan has saved and not written, by the file's path


def replaced() -> dict[Any, Any]:
    """For functions and classes of NumPy's, their replacements in the program.

    Returns
    -------
    dict
    """
    saving = {_save: save, _savez: savez, _savez_compressed: savez_compressed}
    return {_load: load, _fromfile: fromfile, _memmap: memmap, _open_memmap: open_memmap, **saving}


def _is_small(shape: tuple[int, ...], dtype: np.dtype) -> bool:
    block = current()
    return block is None or dtype.hasobject or math.prod(shape) * dtype.itemsize < block.real


def _fake(shape: tuple[int, ...], dtype: np.dtype, order: str, mmap_mode: str | None = None) -> ndarray:
    """An array without bytes; with a mode, one that takes no memory of its own."""
    is_mapped = mmap_mode is not None
    writeable = mmap_mode not in ("r", "readonly")
    return make(current().ledger.here(), *fresh(shape, dtype, order), writeable, mapped=is_mapped)


# ---- .npy and .npz ---------------------------------------------------------------------------------------------------


@functools.wraps(_load)
def load(file: Any, mmap_mode: Any = None, *args: Any, **kwargs: Any) -> Any:
    if hasattr(file, "read"):
        start = file.tell() if hasattr(file, "seek") else None
        made = None if start is None else _from_header(file, "a file", mmap_mode)
        if made is None and start is not None:
            file.seek(start)
    elif current() is not None and (saved := _unwritten.get(os.path.realpath(os.fsdecode(file)))) is not None:
        return _Unwritten(saved) if isinstance(saved, dict) else _given(saved, mmap_mode)
    else:
        with open(os.fspath(file), "rb") as opened:
            made = _from_header(opened, os.fsdecode(os.fspath(file)), mmap_mode)
    if made is not None:
        return made
    # Not mapped: writes to it must not reach the file.
    loaded = _load(file, None, *args, **kwargs)
    if type(loaded) is np.lib.npyio.NpzFile:
        loaded.__class__ = _PlannedArchive
    return taken_in(loaded)


def _from_header(file: IO[bytes], name: str, mmap_mode: str | None) -> ndarray | None:
    """The array of a .npy file that is at its beginning; None of other files and small arrays. The bytes are passed."""
    found = header_of(file, f"load: {name}")
    if found is None or _is_small(found[0], found[2]):
        return None
    shape, order, dtype, _ = found
    nbytes = math.prod(shape) * dtype.itemsize
    here = file.tell()
    held = file.seek(0, os.SEEK_END) - here
    file.seek(here + min(nbytes, held))
    if held < nbytes:
        raise ValueError(
            f"load: {name}: truncated: shape {shape} of dtype {dtype} needs {nbytes} bytes of data, "
            f"and the file has {held}"
        )
    return _fake(shape, dtype, order, mmap_mode)


class _PlannedArchive(np.lib.npyio.NpzFile):
    """An .npz file of whose larger arrays only the headers are read."""

    def __getitem__(self, key: str) -> Any:
        zipped: Any = self.zip  # None once it is closed, and asked all the same, as NumPy does
        member = key if key in zipped.namelist() else f"{key}.npy"
        if member in zipped.namelist():
            with zipped.open(member) as opened:
                found = header_of(opened, f"load: {member}")
            if found is not None and not _is_small(found[0], found[2]):
                return _fake(found[0], found[2], found[1])
        return taken_in(super().__getitem__(key))


# ---- what is saved ---------------------------------------------------------------------------------------------------


@functools.wraps(_save)
def save(file: Any, arr: Any, *args: Any, **kwargs: Any) -> None:
    if not _kept_back(file, ".npy", _kept(arr) if is_fake(arr) else None):
        _save(file, handed_out(arr), *args, **kwargs)


@functools.wraps(_savez)
def savez(file: Any, *args: Any, **kwargs: Any) -> None:
    _save_archive(_savez, file, args, kwargs)


@functools.wraps(_savez_compressed)
def savez_compressed(file: Any, *args: Any, **kwargs: Any) -> None:
    _save_archive(_savez_compressed, file, args, kwargs)


def _save_archive(function: Any, file: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    named = {name: value for name, value in kwargs.items() if name != "allow_pickle"}
    placed = {f"arr_{i}": value for i, value in enumerate(args)}
    members = None
    if any(map(is_fake, (*args, *named.values()))) and not placed.keys() & named:
        members = {name: _kept(value) for name, value in {**placed, **named}.items()}
    if not _kept_back(file, ".npz", members):
        function(file, *map(handed_out, args), **handed_out(kwargs))


def _kept(value: Any) -> _Kept:
    """What the file would have of an array."""
    if is_fake(value):
        flags = value.flags
        return value.shape, value.dtype, "F" if flags.f_contiguous and not flags.c_contiguous else "C"
    return np.array(handed_out(value))


def _given(kept: _Kept, mmap_mode: str | None = None) -> Any:
    return taken_in(kept.copy()) if isinstance(kept, np.ndarray) else _fake(*kept, mmap_mode)


def _kept_back(file: Any, ending: str, value: Any) -> bool:
    """Whether a file of that name stays as it is, since what is saved has no bytes. An open file is for NumPy."""
    if not isinstance(file, str | os.PathLike):
        return False
    name = os.fsdecode(file)
    name = name if name.endswith(ending) else f"{name}{ending}"
    path = os.path.realpath(name)
    if value is None:
        _unwritten.pop(path, None)
        return False
    _assert_writable(name)
    _unwritten[path] = value
    return True


def _assert_writable(name: str) -> None:
    """Raise what opening a file to write to it would raise."""
    number = 0
    try:
        os.stat(os.path.join(os.path.dirname(name), "."))
    except OSError as error:
        number = error.errno or errno.EIO
    if os.path.isdir(name):
        number = errno.EISDIR
    elif not number and not os.access(name if os.path.exists(name) else os.path.dirname(name) or ".", os.W_OK):
        number = errno.EACCES
    if number:
        raise OSError(number, os.strerror(number), name)


class _Unwritten(Mapping[str, Any]):
    """An .npz file that the plan has not written, as `numpy.load` gives one."""

    def __init__(self, members: dict[str, _Kept]) -> None:
        self._members = members
        self.files = list(members)
        self.f: Any = BagObj(self)

    def __getitem__(self, key: str) -> Any:
        name = key if key in self._members else key.removesuffix(".npy")
        if name not in self._members:
            raise KeyError(f"{key} is not a file in the archive")
        return _given(self._members[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self.files)

    def __len__(self) -> int:
        return len(self.files)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Nothing is open, but NumPy's has no `f` then."""
        self.f = None


# ---- files without a header ------------------------------------------------------------------------------------------


@functools.wraps(_fromfile)
def fromfile(file: Any, dtype: Any = float, count: int = -1, sep: str = "", offset: int = 0, **kwargs: Any) -> Any:
    own = np.dtype(dtype)
    if not sep and own.itemsize and not own.hasobject and own.subdtype is None:
        is_open = hasattr(file, "fileno")
        start = offset + (file.tell() if is_open else 0)
        size = os.fstat(file.fileno()).st_size if is_open else os.path.getsize(file)
        length = max(size - start, 0) // own.itemsize
        length = length if count < 0 else min(length, operator.index(count))
        if not _is_small((length,), own):
            if is_open:
                file.seek(start + length * own.itemsize)
            return _fake((length,), own, "C")
    return taken_in(_fromfile(file, dtype, count, sep, offset, **kwargs))


# ---- memory maps -----------------------------------------------------------------------------------------------------


class memmap(np.memmap):
    """In place of NumPy's class: makes a cowarray array, which has bytes only if it is small."""

    def __new__(
        cls,
        filename: Any,
        dtype: Any = np.uint8,
        mode: Any = "r+",
        offset: int = 0,
        shape: Any = None,
        order: Any = "C",
    ) -> Any:
        own = np.dtype(dtype)
        if shape is None:
            if mode in ("w+", "write"):
                raise ValueError("shape must be given if mode == 'w+'")
            shape = ((_size_of(filename) - offset) // own.itemsize,)
        shape = tuple(map(operator.index, shape)) if isinstance(shape, (tuple, list)) else (operator.index(shape),)
        if mode in ("w+", "write") or not _is_small(shape, own):
            if mode not in ("w+", "write"):
                held = _size_of(filename) - offset
                if held < math.prod(shape) * own.itemsize and mode in ("r", "c", "readonly", "copyonwrite"):
                    raise ValueError("mmap length is greater than file size")
            return _fake(shape, own, order, mode)
        return taken_in(np.array(_memmap(filename, own, "r", offset, shape, order)))


def _size_of(file: Any) -> int:
    if hasattr(file, "fileno"):
        return os.fstat(file.fileno()).st_size
    return os.path.getsize(file)


@functools.wraps(_open_memmap)
def open_memmap(
    filename: Any,
    mode: str = "r+",
    dtype: Any = None,
    shape: Any = None,
    fortran_order: bool = False,
    version: Any = None,
    **kwargs: Any,
) -> Any:
    if "w" in mode:
        shape = tuple(shape) if np.iterable(shape) else (shape,)
        return _fake(shape, np.dtype(dtype), "F" if fortran_order else "C", mode)
    return load(filename, mode, **kwargs)
