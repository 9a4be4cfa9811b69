"""Hooks for Dask: creation and sizes of cowarray's arrays, and functions that Dask looks up by type.

Dask calls this module through two entry points in pyproject.toml, in every process that imports Dask: the client's and
each worker's. So nothing is imported from Dask until Dask calls.
"""

# Libraries that may be missing.
# pyright: reportMissingImports=false

from typing import Any

import numpy as np

from cowarray._chapters.creation import empty
from cowarray._chapters.legacy_random import RandomState
from cowarray._face.ndarray import ndarray
from cowarray._ops.conversion import asarray

__all__ = ["PCG64", "backend", "nbytes", "register", "sizes"]


class PCG64(np.random.PCG64):
    """NumPy's PCG64, in this package: Dask draws with the `default_rng` of the package that a bit generator is from."""


def backend() -> Any:
    """Return the backend that creates arrays under ``dask.config.set({"array.backend": "cowarray"})``."""
    from dask.array.backends import ArrayBackendEntrypoint, array_creation_dispatch

    register()
    # Dask's own creation functions, which follow the type of the pattern array.
    numpys = array_creation_dispatch.dispatch("numpy")

    def like_ours(name: str, pattern: str) -> Any:
        def create(*args: Any, **kwargs: Any) -> Any:
            if kwargs.get(pattern) is None:
                kwargs[pattern] = empty(0)  # parts of an array without axes would be NumPy's scalars
            return getattr(numpys, name)(*args, **kwargs)

        return staticmethod(create)

    base: Any = ArrayBackendEntrypoint  # whose parts Dask declares as properties

    class CowarrayBackend(base):
        RandomState = RandomState
        default_bit_generator = PCG64
        ones = like_ours("ones", "meta")
        zeros = like_ours("zeros", "meta")
        empty = like_ours("empty", "meta")
        full = like_ours("full", "meta")
        arange = like_ours("arange", "like")

        @classmethod
        def to_backend_dispatch(cls) -> Any:
            return asarray

        @classmethod
        def to_backend(cls, data: Any, **kwargs: Any) -> Any:
            return data if type(data._meta) is ndarray else data.map_blocks(asarray, **kwargs)

    return CowarrayBackend()


def sizes(sizeof: Any) -> None:
    """Register lazily with Dask's measure of memory: the first cowarray array registers everything."""
    sizeof.register_lazy("cowarray", register)


def register() -> None:
    """Enter cowarray's arrays wherever Dask keeps a list of types. A second call changes nothing."""
    from dask.array import register_chunk_type
    from dask.array.chunk_types import is_valid_chunk_type
    from dask.array.dispatch import percentile_lookup, to_numpy_dispatch
    from dask.sizeof import sizeof

    sizeof.register(ndarray, nbytes)
    percentile_lookup.register(ndarray, percentile_lookup.dispatch(np.ndarray))
    to_numpy_dispatch.register(ndarray, ndarray.to_numpy)
    if not is_valid_chunk_type(ndarray):
        register_chunk_type(ndarray)


def nbytes(x: ndarray) -> int:
    """Return the bytes of x's elements, each once; Dask cannot know which are shared with lazy copies."""
    distinct = [length for length, stride in zip(x.shape, x.strides, strict=True) if stride]
    return int(np.prod(distinct, dtype=np.int64)) * x.itemsize if x.size else 0
