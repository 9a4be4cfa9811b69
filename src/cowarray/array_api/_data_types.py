"""The chapter "data type functions" of the array API standard, 2025.12."""

import functools
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from cowarray._chapters import gathered as _chapters
from cowarray._chapters.docstrings import CompletedFrom
from cowarray._face.annotations import Array, Device
from cowarray._ops.conversion import standard

_completed = CompletedFrom(_chapters, "cowarray")


@_completed
def astype(x: ArrayLike, dtype: DTypeLike, /, *, copy: bool = True, device: Device = None) -> Array:
    """Convert an array's elements to another dtype.

    A copy: lazy if the dtype stays, made at once if it changes. With ``copy=False``, if the dtype stays: `x` itself, or
    a view of it if it is another array of this library.
    """
    return standard(_chapters.astype(x, dtype, copy=copy, device=device))


@_completed
def can_cast(from_: Any, to: DTypeLike, /) -> bool:
    """Tell whether one dtype, or that of an array, can be cast to another."""
    return _chapters.can_cast(from_, to)


@_completed
def finfo(type: Any, /) -> "FloatLimits":
    """Return the limits of a floating-point dtype, or of the dtype of an array.

    With the attributes of a `numpy.finfo`; ``eps``, ``max``, ``min`` and ``smallest_normal`` are Python's floats
    where those are wide enough.
    """
    return _float_limits(_chapters.finfo(type).dtype)


class FloatLimits:
    """The result of `finfo`: it has all attributes of a `numpy.finfo`."""

    def __init__(self, numpys: np.finfo[Any]) -> None:
        self._numpys = numpys
        self.eps = _as_float(numpys.eps)
        self.max = _as_float(numpys.max)
        self.min = _as_float(numpys.min)
        self.smallest_normal = _as_float(numpys.smallest_normal)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._numpys, name)

    def __dir__(self) -> list[str]:
        return dir(self._numpys)

    def __str__(self) -> Any:
        return str(self._numpys)

    def __repr__(self) -> str:
        return repr(self._numpys)


def _as_float(scalar: Any) -> Any:
    is_long = isinstance(scalar, np.longdouble)  # pyright: ignore[reportArgumentType]  # no class in NumPy's stubs
    return scalar if is_long else float(scalar)


@functools.cache  # so that one dtype's are equal, as NumPy's are
def _float_limits(dtype: Any) -> Any:
    return FloatLimits(np.finfo(dtype))


@_completed
def iinfo(type: Any, /) -> np.iinfo[Any]:
    """Return the limits of an integer dtype, or of the dtype of an array."""
    return _chapters.iinfo(type)


@_completed
def isdtype(dtype: np.dtype[Any] | type[np.generic], kind: Any) -> bool:
    """Tell whether a dtype is of a kind, such as ``"integral"``, or is another dtype."""
    return _chapters.isdtype(dtype=dtype, kind=kind)


@_completed
def result_type(*arrays_and_dtypes: Any) -> np.dtype[Any]:
    """Return the result dtype of an operation on these arrays, scalars and dtypes."""
    return _chapters.result_type(*arrays_and_dtypes)
