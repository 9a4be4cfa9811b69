"""Arrays that look like NumPy's and behave like values, at the price of a view.

Copies (`copy`, `reshape`, `ravel`, ...) share bytes until one of the arrays is written to. Views alias, as in NumPy.
"""

# First: it refuses where nothing native may be loaded.
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
from importlib import import_module as _import_module

from cowarray._array.overlaps import aliases, shares_bytes
from cowarray._chapters import NAMES as _CHAPTERS
from cowarray._chapters.absent import absence as _absence
from cowarray._chapters.inspection import __array_api_version__ as __array_api_version__
from cowarray._chapters.inspection import __array_namespace_info__ as __array_namespace_info__
from cowarray._native.figures import keep_freed, paging, paging_memory, reset_stats, stats
from cowarray._native.fork_locks import importing as _importing
from cowarray._native.storage import Storage
from cowarray._ops.conversion import array, asarray, from_dlpack
from cowarray._ops.operands import provide as _provide

if _typing.TYPE_CHECKING:
    from cowarray import array_api, fft, lib, linalg, random
    from cowarray._chapters.cloning import lazy_clone
    from cowarray._chapters.gathered import *
    from cowarray._files.npy import load, save, savez, savez_compressed
    from cowarray._files.raw import frombuffer, fromfile, fromregex, genfromtxt, loadtxt, savetxt
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
    from cowarray._processes.by_descriptor import by_descriptor
    from cowarray._tools.registering import register
    from cowarray._tools.relatives import Relative
    from cowarray._tools.report import Explanation, explain
    from cowarray._versions.changes import Changes, changes
    from cowarray._versions.history import History
    from cowarray._versions.merging import MergeConflict, merge
    from cowarray._versions.saving import save_async
    from cowarray._versions.tree import Version

del _interpreter  # it has done its work, at import

# To mypy, a name that a literal `__all__` does not have is private, and it cannot follow an `__all__` that is gathered:
# it sees none, and takes everything imported here for public.
# mypy: implicit-reexport
MYPY = False  # mypy takes it to be True
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
        "frombuffer",
        "fromfile",
        "fromregex",
        "genfromtxt",
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
        "loadtxt",
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
        "savetxt",
        "savez",
        "savez_compressed",
        "shares_bytes",
        "simulate",
        "stats",
        "to_numpy",
        "trace",
        "wrap",
    ]
    if _typing.TYPE_CHECKING:
        from cowarray._chapters import gathered

        __all__ += gathered.__all__
    else:
        __all__ += [name for names in _CHAPTERS.values() for name in names.split()]
del MYPY

__version__: _typing.Final[str] = "0.1.0"

# Where users and pickles find them.
_unpickle.__module__ = _unpickle_objects.__module__ = "cowarray"

# Names that a program may never use, by module: importing them would take as long as importing the rest.
_LATER: _typing.Final = {
    name: module
    for module, names in {
        "_chapters.cloning": "lazy_clone",
        "_files.npy": "load save savez savez_compressed",
        "_files.raw": "frombuffer fromfile fromregex genfromtxt loadtxt savetxt",
        "_modes.aliasing.aliasing": "aliasing",
        "_modes.budget.budgeting": "budget checkpoint decheckpoint evict is_checkpointed",
        "_modes.common.site": "Site",
        "_modes.copies.copies": "CopyError Sharer TraceEvent no_copy trace",
        "_modes.copies.isolating": "isolated",
        "_modes.copies.lending": "lend",
        "_modes.copies.paging": "by_page",
        "_modes.copies.wrapping": "to_numpy wrap",
        "_modes.deferred.deferring": "deferred deferred_init is_deferred materialize",
        "_modes.fake.planning": "Line fake fake_like is_fake",
        "_modes.fake.refusals": "FakeError",
        "_modes.simulate.divergences": "AliasingError AliasingWarning Divergence",
        "_modes.simulate.simulation": "simulate",
        "_processes.by_descriptor": "by_descriptor",
        "_tools.registering": "register",
        "_tools.relatives": "Relative",
        "_tools.report": "Explanation explain",
        "_versions.changes": "Changes changes",
        "_versions.history": "History",
        "_versions.merging": "MergeConflict merge",
        "_versions.saving": "save_async",
        "_versions.tree": "Version",
        **{f"_chapters.{chapter}": names for chapter, names in _CHAPTERS.items()},
    }.items()
    for name in names.split()
}
_MODULES: _typing.Final = ("array_api", "fft", "lib", "linalg", "random")


def _imported(module: str) -> _typing.Any:
    """Import a module of the package now, while no thread forks."""
    with _importing:
        return _import_module(f"cowarray.{module}")


def _late(name: str) -> _typing.Any:
    if name in _MODULES:
        return _imported(name)
    return globals().setdefault(name, getattr(_imported(_LATER[name]), name))


if not _typing.TYPE_CHECKING:

    def __getattr__(name):
        if name in _LATER or name in _MODULES:
            return _late(name)
        raise _absence(__name__, name)

    def __dir__():
        return sorted({*globals(), *_LATER, *_MODULES})


# Methods of arrays that need them.
_provide(
    checkpoint=lambda x: _late("checkpoint")(x),
    decheckpoint=lambda x: _late("decheckpoint")(x),
    evict=lambda x: _late("evict")(x),
    is_checkpointed=lambda x: _late("is_checkpointed")(x),
    _repr_html_=lambda x: _imported("_tools.notebook").as_html(x),
)


def _namespace(api_version: str | None) -> _typing.Any:
    """Return what `x.__array_namespace__()` returns: `array_api` is imported on first use."""
    return _imported("array_api._namespace").namespace(api_version)


_set_namespace(_namespace)


def get_include() -> str:
    """Return the folder with ``cowarray/core.h`` and ``cowarray/python.h``, for compiling extensions.

    Returns
    -------
    str

    See Also
    --------
    numpy.get_include : The folder with NumPy's headers.
    """
    from pathlib import Path

    return str(Path(__file__).parent / "include")
