"""Requests for buffers, and who shares and pins an array that was exported."""

import ctypes

from support.liars import Buffer

import cowarray

N = 64


def is_free(x):
    """Nobody shares x's bytes, and a copy of it would be lazy."""
    alone = x.storage.share_count == 1
    return alone and cowarray.shares_bytes(x, x.copy())


def is_pinned(x):
    return not cowarray.shares_bytes(x, x.copy())


SIMPLE, WRITABLE, FORMAT, ND, STRIDES = 0, 0x1, 0x4, 0x8, 0x18


def request(exporter, flags):
    """An open buffer and what it says; ctypes.pythonapi.PyBuffer_Release ends it."""
    view = Buffer()
    ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(exporter), ctypes.byref(view), flags)
    lists = [pointer[: view.ndim] if pointer else None for pointer in (view.shape, view.strides, view.suboffsets)]
    return view, (view.len, view.itemsize, view.ndim, view.format, *lists)
