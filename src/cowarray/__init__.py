"""Arrays that look like NumPy's and behave like values, at the price of a view.

Copies (`copy`, `reshape`, `ravel`, ...) share bytes until one of the arrays is written to. Views alias, as in NumPy.
"""

# First: where nothing native may be loaded, it refuses.
from cowarray._native import interpreter as _interpreter

# isort: split
from cowarray._array.array import Snapshot
from cowarray._face.attributes import Flags, FlatIterator
from cowarray._face.capi import _C_API as _C_API
from cowarray._face.ndarray import ndarray
from cowarray._face.ndarray import set_namespace as _set_namespace
from cowarray._face.pickles import _unpickle as _unpickle
from cowarray._face.pickles import _unpickle_objects as _unpickle_objects

# isort: split
import typing as _typing

import numpy as _np
from numpy.typing import ArrayLike as _ArrayLike

from cowarray import _chapters, fft, lib, linalg, random
from cowarray._array.overlaps import aliases, shares_bytes
from cowarray._chapters import *
from cowarray._chapters.absent import absence as _absence
from cowarray._chapters.inspection import __array_api_version__ as __array_api_version__
from cowarray._chapters.inspection import __array_namespace_info__ as __array_namespace_info__
from cowarray._files import raw as _raw
from cowarray._files.npy import load, save, savez, savez_compressed
from cowarray._files.raw import *
from cowarray._modes.aliasing.aliasing import aliasing
from cowarray._modes.budget.budgeting import budget, checkpoint, decheckpoint, evict, is_checkpointed
from cowarray._modes.common.site import Site
from cowarray._modes.copies.copies import CopyError, Sharer, TraceEvent, no_copy, trace
from cowarray._modes.copies.isolating import isolated
from cowarray._modes.copies.lending import lend
from cowarray._modes.copies.paging import by_page
from cowarray._modes.copies.wrapping import to_numpy, wrap
from cowarray._modes.deferred.deferring import deferred, deferred_init, is_deferred, materialize
from cowarray._modes.fake.planning import Line, fake, fake_like, is_fake
from cowarray._modes.fake.refusals import FakeError
from cowarray._modes.simulate.divergences import AliasingError, AliasingWarning, Divergence
from cowarray._modes.simulate.simulation import simulate
from cowarray._native.figures import keep_freed, paging, paging_memory, reset_stats, stats
from cowarray._native.fork_locks import importing as _importing
from cowarray._native.storage import Storage
from cowarray._ops import conversion as _conversion
from cowarray._ops.conversion import array, asarray, from_dlpack
from cowarray._processes.by_descriptor import by_descriptor
from cowarray._tools import notebook as _notebook
from cowarray._tools.registering import register
from cowarray._tools.relatives import Relative
from cowarray._tools.report import Explanation, explain

if _typing.TYPE_CHECKING:
    from cowarray import array_api
    from cowarray._versions.public import Changes, History, MergeConflict, Version, changes, merge, save_async

del _interpreter, _notebook  # They do their work when they are imported: arrays have their HTML from the second.

# To mypy a name is private that a literal `__all__` does not have, and it cannot follow one that is gathered: it sees
# none, and takes all that is imported here for public.
# mypy: implicit-reexport
MYPY = False  # mypy takes it for True
if not MYPY:
    __all__ = [
        "AliasingError",
        "AliasingWarning",
        "Changes",
        "CopyError",
        "Divergence",
        "Explanation",
        "FakeError",
        "Flags",
        "FlatIterator",
        "History",
        "Line",
        "MergeConflict",
        "Relative",
        "Sharer",
        "Site",
        "Snapshot",
        "Storage",
        "TraceEvent",
        "Version",
        "aliases",
        "aliasing",
        "array",
        "array_api",
        "asarray",
        "budget",
        "by_descriptor",
        "by_page",
        "changes",
        "checkpoint",
        "decheckpoint",
        "deferred",
        "deferred_init",
        "evict",
        "explain",
        "fake",
        "fake_like",
        "fft",
        "from_dlpack",
        "get_include",
        "is_checkpointed",
        "is_deferred",
        "is_fake",
        "isolated",
        "keep_freed",
        "lazy_clone",
        "lend",
        "lib",
        "linalg",
        "load",
        "materialize",
        "merge",
        "ndarray",
        "no_copy",
        "paging",
        "paging_memory",
        "random",
        "register",
        "reset_stats",
        "save",
        "save_async",
        "savez",
        "savez_compressed",
        "shares_bytes",
        "simulate",
        "stats",
        "to_numpy",
        "trace",
        "wrap",
    ]
    __all__ += _chapters.__all__
    __all__ += _raw.__all__
del MYPY

__version__: _typing.Final[str] = "0.1.0"

# Where users and pickles find them.
for _public in (
    _unpickle,
    _unpickle_objects,
    AliasingError,
    AliasingWarning,
    CopyError,
    Divergence,
    Explanation,
    FakeError,
    Line,
    Relative,
    Sharer,
    Site,
    TraceEvent,
    aliasing,
    budget,
    by_descriptor,
    by_page,
    checkpoint,
    decheckpoint,
    deferred,
    deferred_init,
    evict,
    explain,
    fake,
    fake_like,
    is_checkpointed,
    is_deferred,
    is_fake,
    isolated,
    lend,
    load,
    materialize,
    no_copy,
    register,
    save,
    savez,
    savez_compressed,
    simulate,
    to_numpy,
    trace,
    wrap,
):
    _public.__module__ = "cowarray"
del _public


# Imported when the first of these is asked for: with all that they need they would take a third of the import's time.
_LATER = ("Changes", "History", "MergeConflict", "Version", "array_api", "changes", "merge", "save_async")

if not _typing.TYPE_CHECKING:

    def __getattr__(name):
        if name not in _LATER:
            raise _absence(__name__, name)
        with _importing:
            if name == "array_api":
                import cowarray.array_api  # which sets the name

                return cowarray.array_api
            from cowarray._versions import public
        return globals().setdefault(name, getattr(public, name))

    def __dir__():
        return sorted({*globals(), *_LATER})


def _first_namespace(api_version: str | None) -> _typing.Any:
    """What `x.__array_namespace__()` is the first time: `array_api` is imported, and hands its own in."""
    with _importing:
        from cowarray.array_api import _namespace
    return _namespace.namespace(api_version)


_set_namespace(_first_namespace)


_Shape = _typing.TypeVar("_Shape", bound=tuple[_typing.Any, ...])
_DType = _typing.TypeVar("_DType", bound=_np.dtype[_typing.Any])


@_typing.overload
def lazy_clone(x: ndarray[_Shape, _DType] | _np.ndarray[_Shape, _DType], /) -> ndarray[_Shape, _DType]: ...
@_typing.overload
def lazy_clone(x: _ArrayLike, /) -> ndarray[_typing.Any, _typing.Any]: ...
def lazy_clone(x: _typing.Any, /) -> _typing.Any:
    """Copy an array, in the same memory layout, so that bytes are shared until one of the two is written to.

    Parameters
    ----------
    x : array_like
        Anything but a `cowarray.ndarray` goes through `asarray` first.

    Returns
    -------
    ndarray
        A copy, lazy where possible; writable, in a Storage of its own.

    See Also
    --------
    explain : Says whether a copy is lazy, and why.

    Examples
    --------
    >>> import cowarray
    >>> x = cowarray.array([1, 2, 3])
    >>> y = cowarray.lazy_clone(x)
    >>> y[0] = 5
    >>> x
    array([1, 2, 3])
    """
    return _conversion.own_or_asarray(x).lazy_clone()


def get_include() -> str:
    """Find the folder with ``cowarray/core.h`` and ``cowarray/python.h``, for compiling extensions.

    Returns
    -------
    str

    See Also
    --------
    numpy.get_include : The folder with NumPy's headers.
    """
    from pathlib import Path

    return str(Path(__file__).parent / "include")
