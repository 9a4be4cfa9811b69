"""Rules of functions that make arrays: from numbers, nested lists, files and random generators."""

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from cowarray._modes.fake.calls import Call
from cowarray._modes.fake.fakes import first_fake, is_fake
from cowarray._modes.fake.rules.rules import rule
from cowarray._modes.layouts.inference import Layout, ValuesNeeded, copied, fresh

__all__ = ["lengths_of"]


def _dtype(dtype: Any, other: Any = float) -> Any:
    return np.empty(0, other if dtype is None else dtype).dtype


@rule("zeros empty")
def of_shape(call: Call) -> Any:
    return call.give(_of_shape(*call.args, **call.kwargs))


def _of_shape(shape: Any, dtype: Any = None, order: Any = "C", *, device: Any = None, like: Any = None) -> Any:
    _check_device(device)
    inner = () if dtype is None else np.dtype(dtype).shape  # of a subarray dtype
    if inner and order not in ("C", "c"):
        raise ValuesNeeded("no rule says how arrays of arrays lie in that order")
    return fresh((*lengths_of(shape), *inner), _dtype(dtype), order)


def _check_device(device: Any) -> None:
    if device not in (None, "cpu"):
        raise ValueError(f'Device not understood. Only "cpu" is allowed, but received: {device}')


def lengths_of(shape: Any) -> Any:
    """Return a shape in plain integers; raise for anything else."""
    if type(shape) is tuple and all(type(length) is int for length in shape):
        return shape
    if isinstance(shape, Sequence) or getattr(shape, "ndim", 0) > 0:
        return tuple([operator.index(length) for length in shape])
    return (operator.index(shape),)


@rule("ones")
def ones(call: Call) -> Any:
    return call.give(_of_shape(*call.args, **call.kwargs))


@rule("full")
def full(call: Call) -> Any:
    return call.give(_full(call, *call.args, **call.kwargs))


def _full(
    call: Call,
    shape: Any,
    fill_value: Any,
    dtype: Any = None,
    order: Any = "C",
    *,
    device: Any = None,
    like: Any = None,
) -> Any:
    shown = call.header(fill_value)
    lengths = lengths_of(shape)
    value = shown if isinstance(shown, np.ndarray) else np.asarray(shown)
    if np.broadcast_shapes(value.shape, lengths) != lengths:
        raise ValueError(f"could not broadcast input array from shape {value.shape} into shape {lengths}")
    return fresh(lengths, value.dtype if dtype is None else _dtype(dtype), order)


@rule("zeros_like ones_like empty_like full_like")
def like(call: Call) -> Any:
    name = "a" if call.operation in ("zeros_like", "ones_like", "full_like") else "prototype"
    args, kwargs = call.args, dict(call.kwargs)
    x = args[0] if args else kwargs.pop(name)
    rest = args[1 + (call.operation == "full_like") :]
    kwargs.pop("fill_value", None)
    shown = call.header(x)
    return call.give(_like(shown if isinstance(shown, np.ndarray) else np.asarray(shown), *rest, **kwargs))


def _like(
    x: Any, dtype: Any = None, order: Any = "K", subok: Any = True, shape: Any = None, *, device: Any = None
) -> Any:
    _check_device(device)
    return copied(x, order, dtype, None if shape is None else lengths_of(shape))


@rule("arange")
def arange(call: Call) -> Any:
    """Count as NumPy does: divide and round up; the dtype is that of the first two elements."""
    if first_fake(call.args) is not None or any(map(is_fake, call.kwargs.values())):
        raise call.refusal("the length of the result depends on values", "give numbers")
    return call.give(_arange(*call.args, **call.kwargs))


def _arange(
    start: Any = 0, stop: Any = None, step: Any = None, dtype: Any = None, *, device: Any = None, like: Any = None
) -> Any:
    _check_device(device)
    if stop is None:
        start, stop = 0, start
    step = 1 if step is None else step
    bounds: Any = (start, stop, step)
    numbers = all(
        isinstance(each, (int, float, np.integer, np.floating)) and not isinstance(each, bool) for each in bounds
    )
    if not numbers or step == 0:
        return _layout_of(np.arange(*bounds, dtype=dtype))
    wanted = None if dtype is None else np.dtype(dtype)
    if wanted is not None and wanted.kind not in "iufc":
        return _layout_of(np.arange(*bounds, dtype=dtype))
    found = wanted or np.result_type(int, *[np.asarray(each).dtype for each in bounds])
    if not all(isinstance(each, (int, np.integer)) for each in bounds):
        length = (
            math.ceil((stop - start) / step) if math.isfinite((stop - start) / step) else _too_many(start, stop, step)
        )
    else:
        length = _whole((int(stop) - int(start)), int(step))
    return fresh((max(0, length),), found)


def _whole(reach: Any, step: Any) -> Any:
    return math.ceil(reach / step)


def _too_many(start: Any, stop: Any, step: Any) -> Any:
    np.arange(start, stop, step)
    return 0


def _layout_of(made: Any) -> Any:
    return Layout(made.shape, made.dtype, made.strides)


@rule("eye")
def eye(call: Call) -> Any:
    return call.give(_eye(*call.args, **call.kwargs))


def _eye(
    N: Any, M: Any = None, k: Any = 0, dtype: Any = float, order: Any = "C", *, device: Any = None, like: Any = None
) -> Any:
    rows = operator.index(N)
    return fresh((rows, rows if M is None else operator.index(M)), _dtype(dtype), order)


@rule("identity")
def identity(call: Call) -> Any:
    return call.give(_identity(*call.args, **call.kwargs))


def _identity(n: Any, dtype: Any = None, *, like: Any = None) -> Any:
    return fresh((operator.index(n),) * 2, _dtype(dtype))


@rule("frombuffer fromfile fromiter fromstring fromregex loadtxt genfromtxt load")
def read(call: Call) -> Any:
    """Read for real; keep only the layout of large results."""
    return call.forgotten()


# ---- random numbers: a draw of fakes does not advance the generator

_FLOATS = frozenset(
    [
        "beta",
        "chisquare",
        "exponential",
        "f",
        "gamma",
        "gumbel",
        "laplace",
        "logistic",
        "lognormal",
        "noncentral_chisquare",
        "noncentral_f",
        "normal",
        "pareto",
        "power",
        "rayleigh",
        "standard_cauchy",
        "standard_exponential",
        "standard_gamma",
        "standard_normal",
        "standard_t",
        "triangular",
        "uniform",
        "vonmises",
        "wald",
        "weibull",
        "random",
        "rand",
        "randn",
        "random_sample",
        "sample",
        "ranf",
    ]
)
_COUNTS = frozenset(
    [
        "binomial",
        "geometric",
        "hypergeometric",
        "logseries",
        "negative_binomial",
        "poisson",
        "zipf",
        "integers",
        "randint",
        "random_integers",
    ]
)


def is_drawing(function: Any) -> Any:
    """True if a function is a method of one of NumPy's generators."""
    return isinstance(getattr(function, "__self__", None), (np.random.Generator, np.random.RandomState))
