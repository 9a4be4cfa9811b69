from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from cowarray._face.ndarray import ndarray

_Call = ParamSpec("_Call")
_Given_co = TypeVar("_Given_co", covariant=True)
_Array: TypeAlias = ndarray[Any, Any] | np.ndarray[Any, Any]

class UfuncMethods:
    def __init__(self, ufunc: np.ufunc) -> None: ...
    def reduce(
        self,
        array: ArrayLike,
        /,
        axis: Any = 0,
        dtype: DTypeLike | None = None,
        out: Any = None,
        keepdims: bool = False,
        initial: Any = ...,
        where: ArrayLike = True,
    ) -> Any: ...
    def accumulate(
        self, array: ArrayLike, /, axis: int = 0, dtype: DTypeLike | None = None, out: Any = None
    ) -> ndarray[Any, Any]: ...
    def reduceat(
        self, array: ArrayLike, /, indices: ArrayLike, axis: int = 0, dtype: DTypeLike | None = None, out: Any = None
    ) -> ndarray[Any, Any]: ...
    def outer(self, A: ArrayLike, B: ArrayLike, /, *, out: Any = None, **kwargs: Any) -> Any: ...
    def at(self, a: _Array, indices: Any, b: Any = ..., /) -> None: ...

# What the functions are to a type checker: a function with attributes.
class _Ufunc(UfuncMethods, Generic[_Call, _Given_co]):
    __name__: str
    __qualname__: str
    nin: int
    nout: int
    nargs: int
    ntypes: int
    types: list[str]
    identity: Any
    signature: str | None
    def __call__(self, *args: _Call.args, **kwargs: _Call.kwargs) -> _Given_co: ...
    def resolve_dtypes(self, dtypes: tuple[Any, ...], **kwargs: Any) -> tuple[np.dtype[Any], ...]: ...

def with_methods(function: Callable[_Call, _Given_co], ufunc: np.ufunc) -> _Ufunc[_Call, _Given_co]: ...
def _ufunc(function: Callable[_Call, _Given_co]) -> _Ufunc[_Call, _Given_co]: ...
