"""Dask's questions about arrays, answered for cowarray's: creation, sizes, and functions that it looks up by type.

Dask comes here through two entry points of pyproject.toml, in every process that imports it: the client's and each
worker's. So nothing is imported from Dask before Dask has asked.
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
    """NumPy's, in this package: Dask draws with the `default_rng` of the package that a bit generator is from."""


def backend() -> Any:
    """What makes arrays under ``dask.config.set({"array.backend": "cowarray"})``."""
    from dask.array.backends import ArrayBackendEntrypoint, array_creation_dispatch

    register()
    # Dask's own creation, which follows the type of the array that it is given as a pattern.
    numpys = array_creation_dispatch.dispatch("numpy")

    def like_ours(name: str, pattern: str) -> Any:
        def create(*args: Any, **kwargs: Any) -> Any:
            if kwargs.get(pattern) is None:
                kwargs[pattern] = empty(0)  # without axes, its parts would be scalars of NumPy's
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
    """Dask's measure of memory, before it has seen an array: the first cowarray array registers everything."""
    sizeof.register_lazy("cowarray", register)


def register() -> None:
    """Enter our arrays wherever Dask keeps a list of types. A second time changes nothing."""
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
    """The bytes of x's elements, each once: what of them is shared with lazy copies Dask cannot know."""
    distinct = [length for length, stride in zip(x.shape, x.strides, strict=True) if stride]
    return int(np.prod(distinct, dtype=np.int64)) * x.itemsize if x.size else 0
