"""Files for a planned program: arrays without bytes, described by a file's header.

Only headers are read. No memory map is created, and an array without bytes is not written: the plan remembers what its
file would contain. Arrays below the plan's limit for real ones are NumPy's, read from the file and written to it.
"""

import functools
import io
import math
import operator
import os
from collections.abc import Iterator, Mapping
from typing import IO, Any, Self

import numpy as np
from numpy.lib._npyio_impl import BagObj

import cowarray
from cowarray._face.ndarray import ndarray
from cowarray._files.npy import header_of
from cowarray._modes.common.blocks import current
from cowarray._modes.fake import unwritten
from cowarray._modes.fake.fakes import first_fake, make
from cowarray._modes.fake.rules.scalars import assumed_elements
from cowarray._modes.layouts.inference import fresh
from cowarray._ops.operands import provide
from cowarray._tools.stand_ins.values import handed_out, taken_in

__all__ = ["replaced"]

_load, _fromfile, _frombuffer = np.load, np.fromfile, np.frombuffer
_memmap, _open_memmap = np.memmap, np.lib.format.open_memmap
_save, _savez, _savez_compressed = np.save, np.savez, np.savez_compressed
_savetxt, _loadtxt, _genfromtxt = np.savetxt, np.loadtxt, np.genfromtxt


def replaced() -> dict[Any, Any]:
    """Return the replacements, in the program, of NumPy's functions and classes.

    Returns
    -------
    dict
    """
    unwritten.begin()
    provide(flush=_flush)
    saving = {_save: save, _savez: savez, _savez_compressed: savez_compressed, _savetxt: savetxt}
    reading = {_load: load, _fromfile: fromfile, _frombuffer: frombuffer, _loadtxt: loadtxt, _genfromtxt: genfromtxt}
    return {**saving, **reading, _memmap: memmap, _open_memmap: open_memmap}


def _is_small(shape: tuple[int, ...], dtype: np.dtype) -> bool:
    block = current()
    return block is None or dtype.hasobject or math.prod(shape) * dtype.itemsize < block.real


def _fake(shape: tuple[int, ...], dtype: np.dtype, order: str, mmap_mode: str | None = None) -> ndarray:
    """Make an array without bytes; with a mode, one that takes no memory."""
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
    elif current() is not None and (saved := unwritten.find(file)) is not None:
        if isinstance(saved, unwritten.Raw | unwritten.Text):
            raise _unreadable("load", file)
        return _Unwritten(saved) if isinstance(saved, dict) else _given(saved, mmap_mode)
    else:
        with open(os.fspath(file), "rb") as opened:
            made = _from_header(opened, os.fsdecode(os.fspath(file)), mmap_mode)
    if made is not None:
        return made
    # Not mapped, because writes to it must not reach the file.
    loaded = _load(file, None, *args, **kwargs)
    if type(loaded) is np.lib.npyio.NpzFile:
        loaded.__class__ = _PlannedArchive
    return taken_in(loaded)


def _from_header(file: IO[bytes], name: str, mmap_mode: str | None) -> ndarray | None:
    """Return the array of the .npy file that starts here, and skip its bytes; None for small arrays and other files."""
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
    """An .npz file that reads only the headers of its larger arrays."""

    def __getitem__(self, key: str) -> Any:
        zipped: Any = self.zip  # None once it is closed; used nevertheless, as NumPy does
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
    if first_fake([arr]) is not None and unwritten.keep(file, _saved(arr), ".npy"):
        return
    _save(file, _shown(arr), *args, **kwargs)


@functools.wraps(_savez)
def savez(file: Any, *args: Any, **kwargs: Any) -> None:
    _save_archive(_savez, file, args, kwargs)


@functools.wraps(_savez_compressed)
def savez_compressed(file: Any, *args: Any, **kwargs: Any) -> None:
    _save_archive(_savez_compressed, file, args, kwargs)


def _save_archive(function: Any, file: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    named = {name: value for name, value in kwargs.items() if name != "allow_pickle"}
    placed = {f"arr_{i}": value for i, value in enumerate(args)}
    has_fakes = first_fake([*args, *named.values()]) is not None
    if has_fakes and not placed.keys() & named:
        members = {name: _saved(value) for name, value in {**placed, **named}.items()}
        if unwritten.keep(file, members, ".npz"):
            return
    function(file, *map(_shown, args), **{name: _shown(value) for name, value in kwargs.items()})


def _saved(value: Any) -> unwritten.Saved:
    """Return what the file would contain of an array."""
    if first_fake([value]) is not None:
        value = cowarray.asarray(value)
        flags = value.flags
        return value.shape, value.dtype, "F" if flags.f_contiguous and not flags.c_contiguous else "C"
    return np.array(handed_out(value))


def _shown(value: Any) -> Any:
    """Convert an argument that goes to an open file: an array without bytes becomes the numbers the plan assumes."""
    if first_fake([value]) is None:
        return handed_out(value)
    return assumed_elements(cowarray.asarray(value))


def _given(kept: unwritten.Saved, mmap_mode: str | None = None) -> Any:
    return taken_in(kept.copy()) if isinstance(kept, np.ndarray) else _fake(*kept, mmap_mode)


class _Unwritten(Mapping[str, Any]):
    """An .npz file that the plan has not written, as `numpy.load` returns one."""

    def __init__(self, members: dict[str, unwritten.Saved]) -> None:
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
        """Drop `f`, as NumPy does; nothing is open."""
        self.f = None


# ---- files without a header ------------------------------------------------------------------------------------------


@functools.wraps(_fromfile)
def fromfile(file: Any, dtype: Any = float, count: int = -1, sep: str = "", offset: int = 0, **kwargs: Any) -> Any:
    own = np.dtype(dtype)
    is_kept = unwritten.find(file) is not None
    if not sep and own.itemsize and not own.hasobject and own.subdtype is None:
        is_open = hasattr(file, "fileno")
        start = offset + (file.tell() if is_open else 0)
        length = max(_size_of(file) - start, 0) // own.itemsize
        length = length if count < 0 else min(length, operator.index(count))
        if is_kept or not _is_small((length,), own):
            if is_open:
                file.seek(start + length * own.itemsize)
            return _fake((length,), own, "C")
    if is_kept:
        raise _unreadable("fromfile", file)
    return taken_in(_fromfile(file, dtype, count, sep, offset, **kwargs))


@functools.wraps(_frombuffer)
def frombuffer(*args: Any, **kwargs: Any) -> Any:
    """Return an array over the program's bytes, which stay; a large one takes no memory besides them."""
    made = _frombuffer(*args, **kwargs)
    if type(made) is not np.ndarray or _is_small(made.shape, made.dtype):
        return taken_in(made)
    return _fake(made.shape, made.dtype, "C", "r+" if made.flags.writeable else "r")


def _size_of(file: Any) -> int:
    """Return a file's size; for one that the plan has not written, the size it would have."""
    kept = unwritten.find(file)
    if kept is None:
        return os.fstat(file.fileno()).st_size if hasattr(file, "fileno") else os.path.getsize(file)
    if isinstance(kept, unwritten.Raw | unwritten.Text):
        return kept.nbytes
    if isinstance(kept, dict):
        raise _unreadable("an archive", file)
    shape, dtype, order = (kept.shape, kept.dtype, "C") if isinstance(kept, np.ndarray) else kept
    header = io.BytesIO()
    described = {"shape": shape, "fortran_order": order == "F", "descr": np.lib.format.dtype_to_descr(dtype)}
    np.lib.format.write_array_header_1_0(header, described)
    return header.tell() + math.prod(shape) * dtype.itemsize


def _unreadable(name: str, file: Any) -> ValueError:
    """Return the error for a file that the plan has not written, and that was saved in another way than it is read."""
    return ValueError(f"{name}: the plan has not written {os.fsdecode(file)}, and cannot read it so")


# ---- text ------------------------------------------------------------------------------------------------------------


@functools.wraps(_savetxt)
def savetxt(
    fname: Any,
    X: Any,
    fmt: Any = "%.18e",
    delimiter: str = " ",
    newline: str = "\n",
    header: str = "",
    footer: str = "",
    comments: str = "# ",
    encoding: str | None = None,
) -> None:
    has_bytes = first_fake([X]) is None
    x = X if has_bytes else cowarray.asarray(X)
    if not has_bytes:
        # NumPy writes one row, and raises its errors.
        model: Any = np.ones([min(length, 1) if i == 0 else length for i, length in enumerate(x.shape)]).astype(x.dtype)

        def part(rows: Any, header: str = "", footer: str = "") -> str:
            written = io.StringIO()
            _savetxt(written, rows, fmt, delimiter, newline, header, footer, comments)
            return written.getvalue()

        row = part(model)
        text = unwritten.Text(part(model[:0], header), row, len(x), part(model[:0], footer=footer))
        if unwritten.keep(fname, text):
            return
    _savetxt(fname, _shown(x), fmt, delimiter, newline, header, footer, comments, encoding)


@functools.wraps(_loadtxt)
def loadtxt(fname: Any, *args: Any, **kwargs: Any) -> Any:
    return _from_text(cowarray.loadtxt, _loadtxt, fname, args, kwargs)


@functools.wraps(_genfromtxt)
def genfromtxt(fname: Any, *args: Any, **kwargs: Any) -> Any:
    return _from_text(cowarray.genfromtxt, _genfromtxt, fname, args, kwargs)


def _from_text(own: Any, numpys: Any, file: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Read a file; from one that the plan has not written, arrays without bytes, laid out as its lines would be."""
    kept = unwritten.find(file)
    if kept is None:
        return own(file, *args, **kwargs)
    if not isinstance(kept, unwritten.Text):
        raise _unreadable(own.__name__, file)
    made = numpys(kept.lines(), *args, **kwargs)
    return list(cowarray.fake_like(*made)) if isinstance(made, list) else cowarray.fake_like(made)


# ---- memory maps -----------------------------------------------------------------------------------------------------


def _flush(x: ndarray) -> None:
    """Do nothing, in place of a memory map's `flush`: no map exists, and nothing is written."""


class memmap(np.memmap):
    """A replacement of NumPy's class: it makes a cowarray array, which has bytes only if it is small."""

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
        if mode in ("w+", "write") or unwritten.find(filename) is not None or not _is_small(shape, own):
            if mode in ("w+", "write"):
                unwritten.keep(filename, unwritten.Raw(offset + math.prod(shape) * own.itemsize))
            else:
                held = _size_of(filename) - offset
                if held < math.prod(shape) * own.itemsize and mode in ("r", "c", "readonly", "copyonwrite"):
                    raise ValueError("mmap length is greater than file size")
            return _fake(shape, own, order, mode)
        return taken_in(np.array(_memmap(filename, own, "r", offset, shape, order)))


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
        layout = (shape, np.dtype(dtype), "F" if fortran_order else "C")
        unwritten.keep(filename, layout)
        return _fake(*layout, mode)
    return load(filename, mode, **kwargs)
