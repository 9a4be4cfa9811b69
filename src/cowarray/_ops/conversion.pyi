from collections.abc import Callable
from typing import Any, Literal, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike
from typing_extensions import Buffer

from cowarray._face.ndarray import ndarray

_Shape = TypeVar("_Shape", bound=tuple[Any, ...])
_DType = TypeVar("_DType", bound=np.dtype[Any])
_Scalar = TypeVar("_Scalar", bound=np.generic)
_Order: TypeAlias = Literal["C", "F", "A", "K"] | None
_Device: TypeAlias = Literal["cpu"] | None
_Any: TypeAlias = ndarray[Any, Any]
_AsDType: TypeAlias = type[_Scalar] | np.dtype[_Scalar]

@overload
def asarray(
    a: ndarray[_Shape, _DType] | np.ndarray[_Shape, _DType],
    dtype: None = None,
    order: _Order = None,
    *,
    device: _Device = None,
    copy: bool | None = None,
    like: Any = None,
) -> ndarray[_Shape, _DType]: ...
@overload
def asarray(
    a: ndarray[_Shape, Any] | np.ndarray[_Shape, Any],
    dtype: _AsDType[_Scalar],
    order: _Order = None,
    *,
    device: _Device = None,
    copy: bool | None = None,
    like: Any = None,
) -> ndarray[_Shape, np.dtype[_Scalar]]: ...
@overload
def asarray(
    a: ArrayLike | Buffer,
    dtype: _AsDType[_Scalar],
    order: _Order = None,
    *,
    device: _Device = None,
    copy: bool | None = None,
    like: Any = None,
) -> ndarray[Any, np.dtype[_Scalar]]: ...
@overload
def asarray(
    a: Any,
    dtype: DTypeLike | None = None,
    order: _Order = None,
    *,
    device: _Device = None,
    copy: bool | None = None,
    like: Any = None,
) -> _Any: ...
@overload
def array(
    object: ndarray[_Shape, _DType] | np.ndarray[_Shape, _DType],
    dtype: None = None,
    *,
    copy: bool | None = True,
    order: _Order = "K",
    subok: bool = False,
    ndmin: Literal[0] = 0,
    ndmax: None = None,
    like: Any = None,
    device: _Device = None,
) -> ndarray[_Shape, _DType]: ...
@overload
def array(
    object: Any,
    dtype: _AsDType[_Scalar],
    *,
    copy: bool | None = True,
    order: _Order = "K",
    subok: bool = False,
    ndmin: int = 0,
    ndmax: int | None = None,
    like: Any = None,
    device: _Device = None,
) -> ndarray[Any, np.dtype[_Scalar]]: ...
@overload
def array(
    object: Any,
    dtype: DTypeLike | None = None,
    *,
    copy: bool | None = True,
    order: _Order = "K",
    subok: bool = False,
    ndmin: int = 0,
    ndmax: int | None = None,
    like: Any = None,
    device: _Device = None,
) -> _Any: ...
def copied_array(
    operation: str,
    object: Any,
    dtype: DTypeLike | None = None,
    *,
    order: _Order = None,
    subok: bool = False,
    ndmin: int = 0,
    like: Any = None,
    device: _Device = None,
    copy: bool | None = None,
) -> _Any: ...
def from_dlpack(x: Any, /, *, device: _Device = None, copy: bool | None = None) -> _Any: ...
def standard_asarray(
    a: Any, dtype: DTypeLike | None = None, device: _Device = None, copy: bool | None = None
) -> _Any: ...
def standard_function(function: Callable[..., Any], declared: Callable[..., Any], /) -> Callable[..., Any]: ...
def standard(result: Any, /) -> Any: ...
def own_or_asarray(x: Any, /) -> _Any: ...
