"""Rules of random numbers: a draw of fakes has shape and dtype, and does not advance the generator."""

import inspect
import operator
from typing import Any

import numpy as np

from cowarray._face.ndarray import ndarray
from cowarray._modes.fake.calls import Call
from cowarray._modes.fake.fakes import is_fake
from cowarray._modes.layouts.inference import copied, fresh

__all__ = ["rule_of_draw"]

# What gives integers, and in the old generators those of C's long.
_COUNTS = frozenset(["binomial", "geometric", "hypergeometric", "logseries", "negative_binomial", "poisson", "zipf"])
# Of the parameters, those that are no numbers of the distribution.
_OPTIONS = frozenset(["size", "dtype", "out", "method", "endpoint"])
_VECTORS = frozenset(["dirichlet", "multinomial", "multivariate_normal", "multivariate_hypergeometric"])
_SHAPED = frozenset(["rand", "randn"])


def rule_of_draw(function: Any) -> Any:
    """The rule of a method of one of NumPy's generators; None of other functions.

    Parameters
    ----------
    function : callable
    """
    generator = getattr(function, "__self__", None)
    if not isinstance(generator, (np.random.Generator, np.random.RandomState)):
        return None
    name = function.__name__
    if name in ("shuffle", "permutation", "permuted", "choice", "bytes"):
        return _OTHERS.get(name, _really)
    return _vectors if name in _VECTORS else _draw


def _really(call: Call) -> Any:
    return call.forgotten()


def _named(call: Call) -> Any:
    """The arguments by name."""
    function = call.function.function
    try:
        bound = inspect.signature(function).bind(*call.args, **call.kwargs)
    except ValueError:
        bound = inspect.signature(getattr(type(function.__self__), function.__name__)).bind(
            None, *call.args, **call.kwargs
        )
    bound.apply_defaults()
    return bound.arguments


def _shape(size: Any) -> Any:
    if isinstance(size, (int, np.integer)):
        return (operator.index(size),)
    return tuple([operator.index(length) for length in size])


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
    shape = np.broadcast_shapes(*shapes) if size is None else _shape(size)
    if size is not None and np.broadcast_shapes(shape, *shapes) != shape:
        raise ValueError("Output size is not compatible with broadcast dimensions of inputs.")
    if call.faked is None and np.broadcast_shapes(*shapes) == ():
        _try_parameters(function, given)
    return call.give(fresh(shape, _dtype(function, given, size is None and shape == ())))


def _try_parameters(function: Any, given: Any) -> None:
    """Have NumPy say whether there is such a distribution, with a generator of nobody's and no numbers drawn."""
    own = np.random.Generator if isinstance(function.__self__, np.random.Generator) else np.random.RandomState
    if "size" in given:
        getattr(own(np.random.PCG64(0)), function.__name__)(**{**given, "size": 0})


def _dtype(function: Any, given: Any, is_scalar: bool) -> Any:
    name = function.__name__
    if given.get("dtype") is not None and not (is_scalar and name != "integers"):  # which gives Python's float
        return np.dtype(given["dtype"])
    if name in _COUNTS or name in ("random_integers", "tomaxint"):
        return np.dtype(np.int64 if isinstance(function.__self__, np.random.Generator) else np.long)
    return np.dtype(float)


def _vectors(call: Call) -> Any:
    name = call.function.function.__name__
    given = _named(call)
    size = given.get("size")
    first = {
        "dirichlet": "alpha",
        "multinomial": "pvals",
        "multivariate_normal": "mean",
        "multivariate_hypergeometric": "colors",
    }[name]
    vector = np.shape(call.header(given[first]))
    if name == "multivariate_normal" and any(
        np.asarray(call.header(given[each])).dtype.kind == "c" for each in ("mean", "cov")
    ):
        raise TypeError("mean and cov must not be complex")
    if name == "multinomial" and not (vector and vector[-1]):
        raise ValueError("pvals must have at least 1 dimension and the last dimension of pvals must be greater than 0.")
    dtype = np.dtype(float if name in ("dirichlet", "multivariate_normal") else np.int64)
    lead = () if size is None else _shape(size)
    if name == "multinomial":
        outer = np.broadcast_shapes(np.shape(call.header(given["n"])), vector[:-1])
        return call.give(fresh((*(outer if size is None else lead), vector[-1]), dtype))
    return call.give(fresh((*lead, *vector), dtype))


def _permutation(call: Call) -> Any:
    given = _named(call)
    x = given["x"]
    if isinstance(x, (int, np.integer)):
        return call.give(fresh((operator.index(x),), np.dtype(np.int64)))
    header = call.header(x)
    if call.function.function.__name__ == "permutation":
        np.lib.array_utils.normalize_axis_index(given.get("axis", 0), header.ndim)
    if not header.ndim:
        raise TypeError("len() of unsized object")
    return call.give(
        copied(header, "K") if call.function.function.__name__ == "permuted" else fresh(header.shape, header.dtype)
    )


def _choice(call: Call) -> Any:
    given = _named(call)
    a, size, axis = given["a"], given.get("size"), given.get("axis", 0)
    shape = () if size is None else _shape(size)
    if isinstance(a, (int, np.integer)):
        return call.give(fresh(shape, np.dtype(np.int64)))
    header = call.header(a)
    axis = np.lib.array_utils.normalize_axis_index(axis, header.ndim)
    return call.give(fresh((*header.shape[:axis], *shape, *header.shape[axis + 1 :]), header.dtype))


def _shuffle(call: Call) -> Any:
    x = call.args[0]
    return None if isinstance(x, ndarray) and is_fake(x) and call.writes(x) else call.compute()


_OTHERS = {"permutation": _permutation, "permuted": _permutation, "choice": _choice, "shuffle": _shuffle}
