"""Discrete Fourier transforms: the extension of the array API standard, 2025.12, and all of `numpy.fft`.

Arrays are array_like: ours or NumPy's, lists, what has a buffer or ``__array__``. They are only read, and stay the lazy
copies that they are; what is given as ``out`` is written, and no copy of it notices. Parameters, results and errors are
those of NumPy's function of that name; arrays that come back are `cowarray.ndarray` (or ``out``), and fresh.
"""

import numpy as np

from cowarray._ops.protocols import dispatched

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


def fft(a, n=None, axis=-1, norm=None, out=None):
    """The transform along an axis; as `numpy.fft.fft`.

    Fresh.
    """
    return dispatched(np.fft.fft, a, n=n, axis=axis, norm=norm, out=out)


def fft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """The transform along two axes; as `numpy.fft.fft2`.

    Fresh.
    """
    return dispatched(np.fft.fft2, a, s=s, axes=axes, norm=norm, out=out)


def fftfreq(n, d=1.0, device=None, *, dtype=None):
    """The frequencies of what `fft` gives; as `numpy.fft.fftfreq`.

    Parameters
    ----------
    n : int
        How many samples.
    d : float, default 1.0
        The time between samples.
    device : {'cpu'}, optional
    dtype : dtype, optional
        Real and floating. Default: float64.

    Returns
    -------
    ndarray
        Fresh, of shape (n,).
    """
    _check_frequencies("fftfreq", dtype)
    frequencies = dispatched(np.fft.fftfreq, n, d, device=device)
    return frequencies if dtype is None else frequencies.astype(dtype, copy=False)


def fftn(a, s=None, axes=None, norm=None, out=None):
    """The transform along several axes; as `numpy.fft.fftn`.

    Fresh.
    """
    return dispatched(np.fft.fftn, a, s=s, axes=axes, norm=norm, out=out)


def fftshift(x, axes=None):
    """The frequency 0 moved to the middle; as `numpy.fft.fftshift`.

    Fresh.
    """
    return dispatched(np.fft.fftshift, x, axes=axes)


def hfft(a, n=None, axis=-1, norm=None, out=None):
    """The transform of what is symmetric, given by half: real numbers; as `numpy.fft.hfft`.

    Fresh. NumPy before 2.5 takes ``out`` and does not use it.
    """
    return dispatched(np.fft.hfft, a, n=n, axis=axis, norm=norm, out=out)


def ifft(a, n=None, axis=-1, norm=None, out=None):
    """The inverse of `fft`; as `numpy.fft.ifft`.

    Fresh.
    """
    return dispatched(np.fft.ifft, a, n=n, axis=axis, norm=norm, out=out)


def ifft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """The inverse of `fft2`; as `numpy.fft.ifft2`.

    Fresh. NumPy before 2.5 takes ``out`` and does not use it.
    """
    return dispatched(np.fft.ifft2, a, s=s, axes=axes, norm=norm, out=out)


def ifftn(a, s=None, axes=None, norm=None, out=None):
    """The inverse of `fftn`; as `numpy.fft.ifftn`.

    Fresh.
    """
    return dispatched(np.fft.ifftn, a, s=s, axes=axes, norm=norm, out=out)


def ifftshift(x, axes=None):
    """The inverse of `fftshift`; as `numpy.fft.ifftshift`.

    Fresh.
    """
    return dispatched(np.fft.ifftshift, x, axes=axes)


def ihfft(a, n=None, axis=-1, norm=None, out=None):
    """The inverse of `hfft`; as `numpy.fft.ihfft`.

    Fresh.
    """
    return dispatched(np.fft.ihfft, a, n=n, axis=axis, norm=norm, out=out)


def irfft(a, n=None, axis=-1, norm=None, out=None):
    """The inverse of `rfft`: real numbers; as `numpy.fft.irfft`.

    Fresh.
    """
    return dispatched(np.fft.irfft, a, n=n, axis=axis, norm=norm, out=out)


def irfft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """The inverse of `rfft2`: real numbers; as `numpy.fft.irfft2`.

    Fresh. NumPy before 2.5 takes ``out`` and does not use it.
    """
    return dispatched(np.fft.irfft2, a, s=s, axes=axes, norm=norm, out=out)


def irfftn(a, s=None, axes=None, norm=None, out=None):
    """The inverse of `rfftn`: real numbers; as `numpy.fft.irfftn`.

    Fresh.
    """
    return dispatched(np.fft.irfftn, a, s=s, axes=axes, norm=norm, out=out)


def rfft(a, n=None, axis=-1, norm=None, out=None):
    """The transform of real numbers along an axis: half of it, which says all; as `numpy.fft.rfft`.

    Fresh.
    """
    return dispatched(np.fft.rfft, a, n=n, axis=axis, norm=norm, out=out)


def rfft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """The transform of real numbers along two axes; as `numpy.fft.rfft2`.

    Fresh.
    """
    return dispatched(np.fft.rfft2, a, s=s, axes=axes, norm=norm, out=out)


def rfftfreq(n, d=1.0, device=None, *, dtype=None):
    """The frequencies of what `rfft` gives; as `numpy.fft.rfftfreq`.

    Parameters
    ----------
    n : int
        How many samples.
    d : float, default 1.0
        The time between samples.
    device : {'cpu'}, optional
    dtype : dtype, optional
        Real and floating. Default: float64.

    Returns
    -------
    ndarray
        Fresh, of shape (n // 2 + 1,).
    """
    _check_frequencies("rfftfreq", dtype)
    frequencies = dispatched(np.fft.rfftfreq, n, d, device=device)
    return frequencies if dtype is None else frequencies.astype(dtype, copy=False)


def rfftn(a, s=None, axes=None, norm=None, out=None):
    """The transform of real numbers along several axes; as `numpy.fft.rfftn`.

    Fresh.
    """
    return dispatched(np.fft.rfftn, a, s=s, axes=axes, norm=norm, out=out)


def _check_frequencies(name, dtype):
    if dtype is not None and not np.isdtype(np.dtype(dtype), "real floating"):
        raise ValueError(f"{name}: frequencies are real and floating, not of dtype {np.dtype(dtype)}")
