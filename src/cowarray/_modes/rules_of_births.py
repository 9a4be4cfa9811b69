"""Rules of what makes arrays of numbers."""

import inspect

import numpy as np

from cowarray._modes.inference import copied, fresh
from cowarray._modes.rules import rule

__all__ = []


def _named(call, function, *names):
    given = inspect.signature(function).bind(*call.args, **call.kwargs).arguments
    return [given.get(name) for name in names]


@rule("zeros empty ones")
def of_shape(call):
    return call.give(_of_shape(*call.args, **call.kwargs))


def _of_shape(shape, dtype=None, order="C", *, device=None, like=None):
    return fresh(shape, np.dtype(dtype), order)


@rule("full")
def full(call):
    return call.give(_full(*call.args, **call.kwargs))


def _full(shape, fill_value, dtype=None, order="C", *, device=None, like=None):
    return fresh(shape, np.asarray(fill_value).dtype if dtype is None else np.dtype(dtype), order)


@rule("zeros_like ones_like empty_like full_like")
def like(call):
    return call.give(_like(call.header(call.args[0]), *call.args[1 + (call.operation == "full_like"):], **call.kwargs))


def _like(x, dtype=None, order="K", subok=True, shape=None, *, device=None, fill_value=None):
    return copied(x, order, dtype, shape)


@rule("arange")
def arange(call):
    return call.give(_arange(*call.args, **call.kwargs))


def _arange(start, stop=None, step=None, dtype=None, *, device=None, like=None):
    """As NumPy counts: in the type of the numbers given, and by a division that is rounded up."""
    if stop is None:
        start, stop = 0, start
    step = 1 if step is None else step
    found = np.result_type(*[np.min_scalar_type(0) if False else np.asarray(each).dtype for each in (start, stop, step)])
    length = max(0, int(np.ceil((stop - start) / step)))
    return fresh((length,), found if dtype is None else np.dtype(dtype))
