"""Tensor libraries, which keep lists of the types that they take."""

# Libraries that may be missing, or have no types.
# pyright: reportMissingImports=false, reportMissingTypeStubs=false
# pyright: reportUntypedBaseClass=false, reportUntypedFunctionDecorator=false

import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from cowarray._chapters import gathered as _chapters
from cowarray._face.ndarray import ndarray
from cowarray._native.fork_locks import importing
from cowarray._ops.conversion import asarray
from cowarray._ops.operands import provide

__all__ = ["dask", "einops", "jax", "torch", "torch_batches"]


def dask() -> None:
    """Enter the type: chunks keep it, and dask handles operators with it instead of leaving them to the type."""
    known = sys.modules["dask.array.chunk_types"]
    if ndarray not in known._HANDLED_CHUNK_TYPES:
        known.register_chunk_type(ndarray)


def einops() -> None:
    """Define a backend: einops finds it as a subclass; its name must be that of an imported module."""
    from einops._backends import AbstractBackend

    class Backend(AbstractBackend):
        """The backend's operations, by cowarray's functions."""

        framework_name = "cowarray"

        def is_appropriate_type(self, tensor: object) -> bool:
            return isinstance(tensor, ndarray)

        def from_numpy(self, x: np.ndarray) -> ndarray:
            return asarray(x)

        def to_numpy(self, x: ndarray) -> np.ndarray:
            return x.to_numpy()

        def arange(self, start: int, stop: int) -> ndarray:
            return _chapters.arange(start, stop)

        def stack_on_zeroth_dimension(self, tensors: list[ndarray]) -> ndarray:
            return _chapters.stack(tensors)

        def add_axis(self, x: ndarray, new_position: int) -> ndarray:
            return _chapters.expand_dims(x, axis=new_position)

        def tile(self, x: ndarray, repeats: tuple[int, ...]) -> ndarray:
            return _chapters.tile(x, repeats)

        def concat(self, tensors: list[ndarray], axis: int) -> ndarray:
            return _chapters.concatenate(tensors, axis=axis)

        def is_float_type(self, x: ndarray) -> bool:
            return x.dtype.kind in "fc"

        def einsum(self, pattern: str, *x: ndarray) -> Any:
            return _chapters.einsum(pattern, *x)

    _KEPT.append(Backend)


# Keeps classes alive that einops finds only through their base class.
_KEPT: list[Any] = []


def jax() -> None:
    """Enter the type into each of JAX's tables for leaves, so that a snapshot is handled like NumPy's arrays."""
    from jax._src import core, dtypes
    from jax._src.interpreters import pxla
    from jax._src.numpy.indexing import NDIndexer
    from jax.numpy import asarray as jax_array

    with importing:
        from cowarray._tools.frameless import converting

    described = core.pytype_aval_mappings[np.ndarray]
    canonical = dtypes.canonicalize_value_handlers[np.ndarray]
    placed = pxla.shard_arg_handlers[np.ndarray]
    core.pytype_aval_mappings[ndarray] = lambda x: described(x.to_numpy())
    dtypes.canonicalize_value_handlers[ndarray] = lambda x, *options: canonical(x.to_numpy(), *options)
    pxla.shard_arg_handlers[ndarray] = lambda arrays, *where: placed([x.to_numpy() for x in arrays], *where)
    NDIndexer.from_raw_indices = staticmethod(converting(NDIndexer.from_raw_indices))
    provide(__jax_array__=lambda x: jax_array(x.to_numpy()))


def torch() -> None:
    """Convert for `from_numpy`, which demands NumPy's type, and for `asarray`, which takes other types for bytes."""
    from torch.overrides import get_ignored_functions, get_overridable_functions
    from torch.utils._device import _device_constructors

    library: Any = sys.modules["torch"]
    # Tables of torch's own functions, filled at their first use: they must contain the unwrapped functions.
    _device_constructors()
    get_ignored_functions()
    get_overridable_functions()
    for name in ("from_numpy", "asarray"):
        setattr(library, name, _given_exports(getattr(library, name), name))


def _given_exports(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    @wraps(function)
    def given(*args: Any, **kwargs: Any) -> Any:
        exported = _read_by_torch if kwargs.get("copy") is True else _shared
        return function(*map(exported, args), **{key: exported(value) for key, value in kwargs.items()})

    given.__qualname__ = name  # pickled by this name
    return given


def _read_by_torch(value: Any) -> Any:
    return value.to_numpy() if isinstance(value, ndarray) else value


def _shared(value: Any) -> Any:
    """Return NumPy's array for a tensor to share. A read-only array is copied: tensors have no such flag."""
    if not isinstance(value, ndarray):
        return value
    return value.to_numpy(writable=True) if value.flags.writeable else np.array(value)


def torch_batches() -> None:
    """Enter the type into a data loader's table, so that batches are stacked like NumPy's arrays."""
    table: Any = sys.modules["torch.utils.data._utils.collate"]
    table.default_collate_fn_map[ndarray] = table.default_collate_fn_map[np.ndarray]
