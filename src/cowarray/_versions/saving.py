"""`save_async`: files with the present state, written while the program goes on."""

import atexit
import contextlib
import errno
import itertools
import os
import stat
import struct
import threading
import traceback
import warnings
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from cowarray._native.fork_locks import importing
from cowarray._native.public import public
from cowarray._ops.conversion import array
from cowarray._versions.background import Background
from cowarray._versions.coding import encoded
from cowarray._versions.containers import Layout, arrays_of, is_array, read, see_state
from cowarray._versions.disk import sync_folder

__all__ = ["save_async"]

_CHUNK = 4 << 20
_LAYOUT = "layout.json"  # the member with the plain values

_counter = itertools.count()


class _Saved(Future[Path]):
    """A future that warns of a failed save if nobody has asked for it by its end, or the end of the process."""

    was_asked = True  # until it is initialized

    def __init__(self) -> None:
        super().__init__()
        self.was_asked = False

    def result(self, timeout: float | None = None) -> Path:
        try:
            return super().result(timeout)
        finally:
            self.was_asked = self.done()

    def exception(self, timeout: float | None = None) -> BaseException | None:
        try:
            return super().exception(timeout)
        finally:
            self.was_asked = self.done()

    def add_done_callback(self, fn: Callable[[Future[Path]], object]) -> None:
        self.was_asked = True
        super().add_done_callback(fn)

    def say(self) -> None:
        if self.was_asked or not self.done() or self.cancelled():
            return
        error = self.exception()
        if error is not None:
            warnings.warn(f"save_async: a file is not saved: {error}", RuntimeWarning, 2)

    def __del__(self) -> None:
        self.say()


_pending: weakref.WeakSet[_Saved] = weakref.WeakSet()
_thread = Background("save_async: a file")


@public
def save_async(path: str | bytes | os.PathLike[str] | os.PathLike[bytes], state: Any) -> Future[Path]:
    """Save the present state in a thread, while the program goes on changing it.

    Nothing is copied first: the thread reads lazy copies. Saves run one after the other, in the order of the calls. The
    file gets its name when it is complete and safe on the disk; until then an existing file of that name stays. The new
    one gets its permissions, and a symbolic link stays a link to it.

    Parameters
    ----------
    path : str, bytes or path
        Used as it is: no extension is added.
    state : array, dict, list, tuple or dataclass
        An array becomes a .npy file. Anything else becomes an .npz file (not compressed), with a member for each array,
        named by its place (``"image"``, ``"layers[0]"``), and a member ``layout.json`` with the plain values.

    Returns
    -------
    concurrent.futures.Future
        Its result is the path. Its exception says why there is no file: no room, no such folder; if nobody asks for
        it, a RuntimeWarning does. The end of the process waits for it. In a forked child its exception is RuntimeError.

    Raises
    ------
    TypeError
        The state is a bare plain value, or contains something else, or an object array; or `path` is not a path.
    ValueError
        Two places have the same name, such as those of the keys 1 and "1", or the path is empty.
    FakeError
        An array is fake.

    See Also
    --------
    save, savez : Save in the calling thread.
    History : Keep versions, each of which costs only its changes.

    Notes
    -----
    Writable NumPy arrays are copied at once. Writes to large arrays during a save copy only the pages that they touch;
    `by_page` ensures that from the first save on.

    Examples
    --------
    >>> import cowarray, pathlib, tempfile
    >>> x = cowarray.zeros(1000)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     saved = cowarray.save_async(pathlib.Path(folder, "x.npy"), x)
    ...     x[0] = 1.0
    ...     float(cowarray.load(saved.result())[0])
    0.0
    """
    target = _target_of(path)
    values: list[NDArray[Any]] = []

    def take(value: Any, _before: Layout | None, place: str) -> tuple[int, Any]:
        kept = array(value).to_numpy()
        if kept.dtype.hasobject or kept.dtype.kind == "T":
            raise TypeError(f"save_async: elements of {kept.dtype!r} at {place or 'the top'} are references")
        values.append(kept)
        return len(values) - 1, value

    layout, _ = read(state, take, operation="save_async")
    see_state(layout, "save_async")
    _see_names(layout)
    return _submit(target, None if is_array(state) else layout, values)


def _target_of(path: Any) -> Path:
    """Return an absolute path, so that the program may change its folder meanwhile."""
    try:
        name = os.fsdecode(path)
    except TypeError:
        raise TypeError(f"save_async: expected a path (got {type(path).__name__})") from None
    if not name:
        raise ValueError(f"save_async: a path must not be empty (got {path!r})")
    return Path(os.path.abspath(name))


def _see_names(layout: Layout) -> None:
    """Refuse places whose members would have the same name, or be loaded by the same name."""
    taken = {_LAYOUT}
    for path, _ in arrays_of(layout):
        member = _member_of(path).partition("\0")[0]  # zipfile cuts names there
        names = {member, member.removesuffix(".npy")}  # a member is found by either
        if taken & names:
            what = "a place is named {!r}, as the plain values are" if _LAYOUT in names else "two places are named {!r}"
            raise ValueError(f"save_async: {what.format(path)}; rename a key")
        taken |= names


def _submit(target: Path, layout: Layout | None, values: list[NDArray[Any]]) -> Future[Path]:
    future = _Saved()

    def job() -> None:
        if not future.set_running_or_notify_cancel():
            return
        try:
            result = _save(target, layout, values)
        except BaseException as error:  # the future reports it
            traceback.clear_frames(error.__traceback__)  # they hold the arrays
            future.set_exception(error)
        else:
            future.set_result(result)
        finally:
            values.clear()

    _pending.add(future)
    _thread.put(job)
    return future


def _after_fork() -> None:
    """Fail pending futures: the thread is the parent's, and waiting here would never end."""
    global _thread
    _thread = Background("save_async: a file")
    for future in list(_pending):
        future.was_asked = True  # the parent warns
        if not future.done():
            future._condition = threading.Condition()  # the parent's thread may have held it
            future.set_exception(RuntimeError("save_async: the process that saves is the parent"))


def _at_exit() -> None:
    _thread.wait()
    with contextlib.ExitStack() as stack:  # a warning may be an error
        for future in list(_pending):
            stack.callback(future.say)


atexit.register(_at_exit)
os.register_at_fork(after_in_child=_after_fork)


# ---- files -----------------------------------------------------------------------------------------------------------


def _save(target: Path, layout: Layout | None, values: list[NDArray[Any]]) -> Path:
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "save_async: there is no such folder", str(target.parent))
    replaced = Path(os.path.realpath(target))  # a link stays a link
    part = replaced.with_name(f"{replaced.name}.part-{os.getpid()}-{next(_counter)}")
    try:
        with part.open("xb") as file:
            with contextlib.suppress(FileNotFoundError):
                os.fchmod(file.fileno(), stat.S_IMODE(replaced.stat().st_mode))
            if layout is None:
                _write_npy(file, values[0])
            else:
                _write_npz(file, layout, values)
            file.flush()
            os.fsync(file.fileno())
        part.replace(replaced)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    sync_folder(replaced.parent)
    return target


def _header_of(x: NDArray[Any], fortran: bool) -> bytes:
    text = repr({"descr": np.lib.format.dtype_to_descr(x.dtype), "fortran_order": fortran, "shape": x.shape})
    long = len(text) > 60_000
    size = -(-(len(text) + 1 + (12 if long else 10)) // 64) * 64
    magic = b"\x93NUMPY" + (b"\x02\x00" if long else b"\x01\x00")
    length = struct.pack("<I" if long else "<H", size - len(magic) - (4 if long else 2))
    return magic + length + text.encode("latin-1").ljust(size - len(magic) - len(length) - 1) + b"\n"


def _chunks_of(x: NDArray[Any]) -> Iterator[bytes | memoryview]:
    """Yield a .npy file, a part at a time."""
    fortran = x.flags.f_contiguous and not x.flags.c_contiguous
    yield _header_of(x, fortran)
    content = (x.T if fortran else np.ascontiguousarray(x)).reshape(-1).view(np.uint8).data
    for at in range(0, len(content), _CHUNK):
        yield content[at : at + _CHUNK]


def _write_npy(file: BinaryIO, x: NDArray[Any]) -> None:
    for chunk in _chunks_of(x):
        file.write(chunk)


def _member_of(path: str) -> str:
    return f"{path}.npy"


def _write_npz(file: BinaryIO, layout: Layout, values: list[NDArray[Any]]) -> None:
    with importing:
        from zipfile import ZipFile

    with ZipFile(file, "w", allowZip64=True) as archive:
        for path, number in arrays_of(layout):
            with archive.open(_member_of(path), "w", force_zip64=True) as member:
                for chunk in _chunks_of(values[number]):
                    member.write(chunk)
        archive.writestr(_LAYOUT, encoded(layout))
