"""Rules of random numbers: a fake draw has a shape and a dtype, and does not advance the generator."""

import inspect
import math
import operator
from typing import Any

import numpy as np

from cowarray._face.ndarray import ndarray
from cowarray._modes.fake.calls import Call
from cowarray._modes.fake.fakes import is_fake
from cowarray._modes.fake.rules.creation import lengths_of
from cowarray._modes.layouts.inference import copied, fresh

__all__ = ["rule_of_draw"]

# Distributions of integers. NumPy's legacy generators return C longs.
_COUNTS = frozenset(["binomial", "geometric", "hypergeometric", "logseries", "negative_binomial", "poisson", "zipf"])
# Parameters that are not the distribution's own.
_OPTIONS = frozenset(["size", "dtype", "out", "method", "endpoint"])
_SHAPED = frozenset(["rand", "randn"])


def rule_of_draw(function: Any) -> Any:
    """Return the rule of a method of one of NumPy's generators; None for other functions.

    Parameters
    ----------
    function : callable
    """
    generator = getattr(function, "__self__", None)
    if not isinstance(generator, (np.random.Generator, np.random.RandomState)):
        return None
    return _RULES.get(function.__name__, _draw)


def _really(call: Call) -> Any:
    """Draw for real, and drop the values if the result is large."""
    return call.forgotten()


def _named(call: Call) -> Any:
    """Return the arguments by name."""
    function = call.function.function
    try:
        bound = inspect.signature(function).bind(*call.args, **call.kwargs)
    except ValueError:
        bound = inspect.signature(getattr(type(function.__self__), function.__name__)).bind(
            None, *call.args, **call.kwargs
        )
    bound.apply_defaults()
    return bound.arguments


def _draw(call: Call) -> Any:
    function = call.function.function
    name = function.__name__
    if name in _SHAPED:
        shape = tuple([operator.index(length) for length in call.args])
        return call.give(fresh(shape, np.dtype(float)))
    given = _named(call)
    given.pop("self", None)
    size, out = given.get("size"), given.get("out")
    if out is not None:
        return out if call.writes(out) else call.compute()
    values = [call.header(value) for key, value in given.items() if key not in _OPTIONS and value is not None]
    for value in values:
        if np.asarray(value).dtype.kind in "cSU":
            np.random.default_rng(0).normal(np.ones(1, np.asarray(value).dtype))
    shapes = [np.shape(value) for value in values]
    shape = np.broadcast_shapes(*shapes) if size is None else lengths_of(size)
    if size is not None and np.broadcast_shapes(shape, *shapes) != shape:
        raise ValueError("Output size is not compatible with broadcast dimensions of inputs.")
    if call.faked is None and np.broadcast_shapes(*shapes) == ():
        _try_parameters(function, given)
    return call.give(fresh(shape, _dtype(function, given, size is None and shape == ())))


def _try_parameters(function: Any, given: Any) -> None:
    """Let NumPy check the parameters, with a private generator that draws no numbers."""
    own = np.random.Generator if isinstance(function.__self__, np.random.Generator) else np.random.RandomState
    if "size" in given:
        getattr(own(np.random.PCG64(0)), function.__name__)(**{**given, "size": 0})


def _dtype(function: Any, given: Any, is_scalar: bool) -> Any:
    name = function.__name__
    if given.get("dtype") is not None and not (is_scalar and name != "integers"):  # such a scalar is a Python float
        return np.dtype(given["dtype"])
    if name in _COUNTS or name in ("random_integers", "tomaxint"):
        return np.dtype(np.int64 if isinstance(function.__self__, np.random.Generator) else np.long)
    return np.dtype(float)


# ---- a vector for each place of `size`


def _vectors(call: Call, size: Any, length: tuple[int, ...], dtype: Any) -> Any:
    lead = () if size is None else lengths_of(size)
    return call.give(fresh((*lead, *length), np.dtype(dtype)))


def _dirichlet(call: Call) -> Any:
    given = _named(call)
    return _vectors(call, given["size"], np.shape(call.header(given["alpha"])), float)


def _multivariate_hypergeometric(call: Call) -> Any:
    given = _named(call)
    return _vectors(call, given["size"], np.shape(call.header(given["colors"])), np.int64)


def _multivariate_normal(call: Call) -> Any:
    given = _named(call)
    mean, cov = call.header(given["mean"]), call.header(given["cov"])
    if "c" in (np.asarray(mean).dtype.kind, np.asarray(cov).dtype.kind):
        raise TypeError("mean and cov must not be complex")
    return _vectors(call, given["size"], np.shape(mean), float)


def _multinomial(call: Call) -> Any:
    given = _named(call)
    *lead, length = np.shape(call.header(given["pvals"])) or (0,)
    if not length:
        raise ValueError("pvals must have at least 1 dimension and the last dimension of pvals must be greater than 0.")
    size = given["size"]
    outer = np.broadcast_shapes(np.shape(call.header(given["n"])), tuple(lead))
    return _vectors(call, outer if size is None else size, (length,), np.int64)


# ---- a given array's elements


def _permutation(call: Call) -> Any:
    given, name = _named(call), call.function.function.__name__
    x = given["x"]
    if isinstance(x, (int, np.integer)) and name == "permutation":
        return call.give(fresh((max(0, operator.index(x)),), np.arange(0, dtype=np.result_type(x, np.long)).dtype))
    header = np.asarray(call.header(x))
    if not header.ndim and _is_legacy(call):
        raise IndexError("x must be an integer or at least 1-dimensional")
    if name == "permutation":
        np.lib.array_utils.normalize_axis_index(given.get("axis", 0), header.ndim)
    if not header.ndim:
        raise TypeError("len() of unsized object")
    return call.give(copied(header, "K") if name == "permuted" else fresh(header.shape, header.dtype))


def _is_legacy(call: Call) -> bool:
    return isinstance(call.function.function.__self__, np.random.RandomState)


def _choice(call: Call) -> Any:
    given = _named(call)
    size, axis = given.get("size"), given.get("axis", 0)
    shape = () if size is None else lengths_of(size)
    header = np.asarray(call.header(given["a"]))
    if not header.ndim:
        return call.give(fresh(shape, np.dtype(np.int64)))
    if header.ndim > 1 and _is_legacy(call):
        raise ValueError("a must be 1-dimensional")
    axis = np.lib.array_utils.normalize_axis_index(axis, header.ndim)
    if not header.shape[axis] and math.prod(shape):
        raise ValueError("a cannot be empty unless no samples are taken")
    return call.give(fresh((*header.shape[:axis], *shape, *header.shape[axis + 1 :]), header.dtype))


def _shuffle(call: Call) -> Any:
    x = _named(call)["x"]
    return None if isinstance(x, ndarray) and is_fake(x) and call.writes(x) else call.compute()


_RULES = {
    "bytes": _really,
    "choice": _choice,
    "dirichlet": _dirichlet,
    "multinomial": _multinomial,
    "multivariate_hypergeometric": _multivariate_hypergeometric,
    "multivariate_normal": _multivariate_normal,
    "permutation": _permutation,
    "permuted": _permutation,
    "shuffle": _shuffle,
}
