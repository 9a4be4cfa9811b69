"""`register`: enters cowarray's arrays into other libraries' lists of known array types.

It imports no library. Libraries that are already imported are told at once; for the others a finder waits at the head
of `sys.meta_path`, and tells each as soon as the module with its list has been executed.

Threads: an entry is claimed by removing it from `_WAITING`, which only one thread can do. No lock is held while a
library is told: telling it may import, and other threads may wait for that import.
"""

import contextlib
import sys
import warnings
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from cowarray._native.public import public
from cowarray._tools.neighbours import buffers, frames, gradients, jit, tensors

__all__ = ["register"]

# The module after whose execution a library can be told, and the function that tells it. Removed when that begins.
_WAITING = {
    "autograd.numpy": gradients.autograd,
    "bottleneck": buffers.bottleneck,
    "cv2": buffers.opencv,
    "dask.array.chunk_types": tensors.dask,
    "einops._backends": tensors.einops,
    "h5py": buffers.h5py,
    "jax": tensors.jax,
    "lightgbm.basic": buffers.lightgbm,
    "netCDF4": buffers.netcdf4,
    "numba": jit.numba,
    "pandas": frames.pandas,
    "polars": frames.polars,
    "pyarrow": frames.pyarrow,
    "pyarrow.compute": frames.pyarrow_compute,
    "scipy.ndimage": buffers.ndimage,
    "scipy.sparse.linalg": buffers.scipy,
    "torch": tensors.torch,
    "torch.utils.data._utils.collate": tensors.torch_batches,
}


def _enter(name: str) -> None:
    """Tell the library of an executed module, once. An error here must not stop the library's import."""
    door = _WAITING.pop(name, None)
    if door is None:
        return
    try:
        door()
    except Exception as error:
        library = name.partition(".")[0]
        warnings.warn(
            f"cowarray.register: {library} does not take cowarray's arrays: {type(error).__name__}: {error}. Pass it "
            "x.to_numpy()",
            RuntimeWarning,
            stacklevel=2,
        )


def _enter_imported() -> None:
    """Tell imported libraries. A module that is still being executed, here or in another thread, comes later."""
    for name in list(_WAITING):
        spec = getattr(sys.modules.get(name), "__spec__", None)
        if spec is not None and not getattr(spec, "_initializing", False):
            _enter(name)


class _Loader:
    """A loader that executes a module by its own loader, then tells its library."""

    def __init__(self, loader: Any) -> None:
        self._loader = loader

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)  # for sources, and data beside the module

    def create_module(self, spec: ModuleSpec) -> Any:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        _enter(module.__name__)


class _Finder:
    """A finder that asks the other finders, and adds a loader that tells the library."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> Any:
        _enter_imported()
        if name not in _WAITING:
            return None
        finder: Any
        for finder in sys.meta_path:
            # If two threads each inserted one of these, they must not ask each other.
            if not isinstance(finder, _Finder) and hasattr(finder, "find_spec"):
                spec = finder.find_spec(name, path, target)
                if spec is not None:
                    if hasattr(spec.loader, "exec_module"):
                        spec.loader = _Loader(spec.loader)
                    return spec
        return None

    def invalidate_caches(self) -> None:
        """Do nothing: no cache is kept."""


_FINDER = _Finder()


@public
def register() -> None:
    """Make libraries that know only NumPy's arrays take cowarray's arrays in the same way.

    A library is told at once if it is already imported, otherwise when it is; none is imported for this. A second call
    does nothing new. The effect is on the whole process, and cannot be undone.

    - autograd differentiates functions of cowarray's arrays, and its gradients are cowarray's arrays.
    - bottleneck's ``replace`` writes to them; its other functions take them anyway.
    - dask computes with them in its chunks, and handles operators and NumPy's functions that mix them with its own.
    - einops rearranges, reduces and repeats them. Its results are copies, lazy if possible.
    - h5py takes them as masks, reads into them by ``read_direct``, and writes them by ``write_direct``.
    - JAX's functions and transformations take them as leaves and as indices, and return JAX's arrays.
    - LightGBM takes them as data, labels, weights and gradients.
    - netCDF4 takes them as values of its variables.
    - numba compiles functions for them as for NumPy's arrays, and writes to them. It does not say beforehand whether a
      function writes, so an array that shares its bytes gets its own at the call. A read-only array, or
      ``x.to_numpy()``, is read in place.
    - OpenCV's functions read them, and draw and write into them; so, as for numba, those that share their bytes get
      their own. For methods of its objects, pass ``numpy.asarray(x)``.
    - pandas takes them as keys, masks, groups and operands: otherwise it would take a mask in ``iloc`` for the
      positions 0 and 1. It copies them where it copies NumPy's, and can write to its copy.
    - polars takes them as columns, keys, masks, operands and literals. ``pyarrow.array`` takes them with a mask or with
      missing values. Functions of ``pyarrow.compute`` take them, and so do ``filter`` and ``take`` of Arrow's arrays.
    - SciPy's ``aslinearoperator``, and so ``cg``, ``gmres`` and other solvers, take them as matrices. The functions of
      ``scipy.ndimage`` fill them, as ``output`` and the like.
    - torch's ``from_numpy`` and ``asarray`` return tensors that share memory with them, or with a copy of a read-only
      array. A ``DataLoader`` stacks batches of them.

    Warns
    -----
    RuntimeWarning
        If a library cannot be told, as when it no longer has such a list. Everything else works as before.

    See Also
    --------
    lend : Let a library write to an array through ``numpy.asarray(x)``.

    Examples
    --------
    >>> import cowarray
    >>> cowarray.register()
    >>> import autograd.numpy as np
    >>> from autograd import grad
    >>> grad(lambda x: np.sum(x**2))(cowarray.array([1.0, 2.0]))
    array([2., 4.])
    """
    if _WAITING:
        # The finder comes first, so that no import by another thread is missed.
        if _FINDER not in sys.meta_path:
            sys.meta_path.insert(0, _FINDER)
        _enter_imported()
    if not _WAITING:
        with contextlib.suppress(ValueError):
            sys.meta_path.remove(_FINDER)
