"""Discrete Fourier transforms: the extension of the array API standard, 2025.12, and all of `numpy.fft`.

Arguments are array_like: cowarray's arrays or NumPy's, lists, anything with a buffer or ``__array__``. They are only
read, and lazy copies stay lazy; ``out`` is written to, and no copy of it changes. Parameters, results and errors are
those of NumPy's function of the same name; arrays are returned as fresh `cowarray.ndarray` (or ``out``).
"""

from collections.abc import Sequence
from typing import Any, Literal, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from cowarray._chapters.declared import dispatching
from cowarray._chapters.docstrings import Completed as _Completed
from cowarray._chapters.docstrings import complete as _complete
from cowarray._face.annotations import Array, DType
from cowarray._ops.functions import dispatched

_Norm: TypeAlias = Literal["backward", "ortho", "forward"] | None
_Axes: TypeAlias = Sequence[SupportsIndex] | None
_Shape: TypeAlias = Sequence[SupportsIndex | None] | None

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]

_completed = _Completed(
    {
        "a": "array_like",
        "n": "int, optional\n    The length of the transform; the argument is truncated or padded with zeros to fit.",
        "s": (
            "sequence of int, optional\n"
            "    The lengths of the transform along the axes; the argument is truncated or padded with zeros to fit."
        ),
        "axis": "int, default -1",
        "axes": "sequence of int, optional\n    ``None``: the last ones if `s` is given, else all.",
        "norm": (
            "{'backward', 'ortho', 'forward'}, optional\n"
            "    What is scaled. 'backward', the default: the inverse transform, by 1/n. 'ortho': both, by 1/sqrt(n).\n"
            "    'forward': the forward transform, by 1/n."
        ),
        "out": "ndarray, optional\n    Written and returned, in place of a fresh array.",
    },
    kind="ndarray",
    space="numpy.fft",
)


@dispatching(np.fft.fft, returns=Array)
@_completed
def fft(
    a: ArrayLike, n: SupportsIndex | None = None, axis: SupportsIndex = -1, norm: _Norm = None, out: Any = None
) -> Any:
    """Transform along an axis.

    Fresh, or `out`.
    """


@dispatching(np.fft.fft2, returns=Array)
@_completed
def fft2(
    a: ArrayLike, s: _Shape | None = None, axes: Sequence[SupportsIndex] = (-2, -1), norm: _Norm = None, out: Any = None
) -> Any:
    """Transform along two axes.

    Fresh, or `out`.
    """


def fftfreq(n: int, d: float = 1.0, device: Literal["cpu"] | None = None, *, dtype: DType = None) -> Array:
    """Return the frequencies of the elements of `fft`'s result.

    Fresh, of shape (n,).

    Parameters
    ----------
    n : int
        The number of samples.
    d : float, default 1.0
        The time between samples.
    device : {'cpu'}, optional
    dtype : dtype, optional
        Real and floating. Default: float64.

    Raises
    ------
    ValueError
        The dtype is not real and floating.
    """
    _check_frequencies("fftfreq", dtype)
    frequencies = dispatched(np.fft.fftfreq, n, d, device=device)
    return frequencies if dtype is None else frequencies.astype(dtype, copy=False)


@dispatching(np.fft.fftn, returns=Array)
@_completed
def fftn(a: ArrayLike, s: _Shape | None = None, axes: _Axes = None, norm: _Norm = None, out: Any = None) -> Any:
    """Transform along several axes.

    Fresh, or `out`.
    """


@dispatching(np.fft.fftshift, returns=Array)
def fftshift(x: ArrayLike, axes: SupportsIndex | Sequence[SupportsIndex] | None = None) -> Any:
    """Move frequency 0 to the middle.

    Fresh.

    Parameters
    ----------
    x : array_like
    axes : int or sequence of int, optional
        All axes if omitted.
    """


@dispatching(np.fft.hfft, returns=Array)
@_completed
def hfft(
    a: ArrayLike, n: SupportsIndex | None = None, axis: SupportsIndex = -1, norm: _Norm = None, out: Any = None
) -> Any:
    """Transform symmetric values, given one half of them, to real numbers.

    Fresh, or `out`. NumPy before 2.5 accepts ``out`` and ignores it.
    """


@dispatching(np.fft.ifft, returns=Array)
@_completed
def ifft(
    a: ArrayLike, n: SupportsIndex | None = None, axis: SupportsIndex = -1, norm: _Norm = None, out: Any = None
) -> Any:
    """Invert `fft`.

    Fresh, or `out`.
    """


@dispatching(np.fft.ifft2, returns=Array)
@_completed
def ifft2(
    a: ArrayLike, s: _Shape | None = None, axes: Sequence[SupportsIndex] = (-2, -1), norm: _Norm = None, out: Any = None
) -> Any:
    """Invert `fft2`.

    Fresh, or `out`. NumPy before 2.5 accepts ``out`` and ignores it.
    """


@dispatching(np.fft.ifftn, returns=Array)
@_completed
def ifftn(a: ArrayLike, s: _Shape | None = None, axes: _Axes = None, norm: _Norm = None, out: Any = None) -> Any:
    """Invert `fftn`.

    Fresh, or `out`.
    """


@dispatching(np.fft.ifftshift, returns=Array)
def ifftshift(x: ArrayLike, axes: SupportsIndex | Sequence[SupportsIndex] | None = None) -> Any:
    """Invert `fftshift`.

    Fresh.

    Parameters
    ----------
    x : array_like
    axes : int or sequence of int, optional
        All axes if omitted.
    """


@dispatching(np.fft.ihfft, returns=Array)
@_completed
def ihfft(
    a: ArrayLike, n: SupportsIndex | None = None, axis: SupportsIndex = -1, norm: _Norm = None, out: Any = None
) -> Any:
    """Invert `hfft`.

    Fresh, or `out`.
    """


@dispatching(np.fft.irfft, returns=Array)
@_completed
def irfft(
    a: ArrayLike, n: SupportsIndex | None = None, axis: SupportsIndex = -1, norm: _Norm = None, out: Any = None
) -> Any:
    """Invert `rfft`, to real numbers.

    Fresh, or `out`.
    """


@dispatching(np.fft.irfft2, returns=Array)
@_completed
def irfft2(
    a: ArrayLike, s: _Shape | None = None, axes: Sequence[SupportsIndex] = (-2, -1), norm: _Norm = None, out: Any = None
) -> Any:
    """Invert `rfft2`, to real numbers.

    Fresh, or `out`. NumPy before 2.5 accepts ``out`` and ignores it.
    """


@dispatching(np.fft.irfftn, returns=Array)
@_completed
def irfftn(a: ArrayLike, s: _Shape | None = None, axes: _Axes = None, norm: _Norm = None, out: Any = None) -> Any:
    """Invert `rfftn`, to real numbers.

    Fresh, or `out`.
    """


@dispatching(np.fft.rfft, returns=Array)
@_completed
def rfft(
    a: ArrayLike, n: SupportsIndex | None = None, axis: SupportsIndex = -1, norm: _Norm = None, out: Any = None
) -> Any:
    """Transform real numbers along an axis; half of the symmetric result is returned.

    Fresh, or `out`.
    """


@dispatching(np.fft.rfft2, returns=Array)
@_completed
def rfft2(
    a: ArrayLike, s: _Shape | None = None, axes: Sequence[SupportsIndex] = (-2, -1), norm: _Norm = None, out: Any = None
) -> Any:
    """Transform real numbers along two axes; half of the symmetric result is returned.

    Fresh, or `out`.
    """


def rfftfreq(n: int, d: float = 1.0, device: Literal["cpu"] | None = None, *, dtype: DType = None) -> Array:
    """Return the frequencies of the elements of `rfft`'s result.

    Fresh, of shape (n // 2 + 1,).

    Parameters
    ----------
    n : int
        The number of samples.
    d : float, default 1.0
        The time between samples.
    device : {'cpu'}, optional
    dtype : dtype, optional
        Real and floating. Default: float64.

    Raises
    ------
    ValueError
        The dtype is not real and floating.
    """
    _check_frequencies("rfftfreq", dtype)
    frequencies = dispatched(np.fft.rfftfreq, n, d, device=device)
    return frequencies if dtype is None else frequencies.astype(dtype, copy=False)


@dispatching(np.fft.rfftn, returns=Array)
@_completed
def rfftn(a: ArrayLike, s: _Shape | None = None, axes: _Axes = None, norm: _Norm = None, out: Any = None) -> Any:
    """Transform real numbers along several axes; half of the symmetric result is returned.

    Fresh, or `out`.
    """


def _check_frequencies(name: str, dtype: Any) -> None:
    if dtype is not None and not np.isdtype(np.dtype(dtype), "real floating"):
        raise ValueError(
            f"{name}: frequencies are real, so dtype must be a real floating-point dtype (got {np.dtype(dtype)})"
        )


_complete(globals(), "numpy.fft")
