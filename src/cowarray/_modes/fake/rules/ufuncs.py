"""Rules of ufuncs, their methods, and the operators."""

import operator
from collections.abc import Sequence
from contextvars import copy_context
from functools import lru_cache
from typing import Any

import numpy as np
from numpy._core._exceptions import _UFuncNoLoopError

from cowarray._face.ndarray import ndarray
from cowarray._modes.fake.calls import Call
from cowarray._modes.fake.fakes import first_fake, is_fake, locate, settle_key
from cowarray._modes.fake.rules.methods import check_places
from cowarray._modes.fake.rules.rules import rule
from cowarray._modes.layouts.elementwise import placed
from cowarray._modes.layouts.generalized import core_names
from cowarray._modes.layouts.inference import (
    Layout,
    accumulation,
    elementwise,
    generalized,
    indexed,
    outer,
    reduction,
    segments,
)
from cowarray._ops.ufuncs import written_by

__all__ = ["rule_of"]

_COMPARISONS = frozenset(["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"])

_NAMED = {
    "reduce": ("axis", "dtype", "out", "keepdims", "initial", "where"),
    "accumulate": ("axis", "dtype", "out"),
    "reduceat": ("axis", "dtype", "out"),
}


def rule_of(function: Any) -> Any:
    """Return the rule of an operation that a ufunc does; None for others.

    Parameters
    ----------
    function : callable
        Does the operation as usual.
    """
    if type(getattr(function, "ufunc", None)) is not np.ufunc:
        return None
    return _METHODS.get(function.method_name)


@rule("power equal not_equal less less_equal greater greater_equal")
def operate(call: Call) -> Any:
    """Do an operator on operands that are not arrays yet, or for which NumPy's operator differs from the ufunc."""
    first, second = [_operand(call, value) for value in call.args]
    if (
        call.operation == "power"
        and type(second) is int
        and second == 2
        and getattr(first, "dtype", None) == np.dtype(bool)
    ):
        return call.give(*elementwise(np.square, (first,)))
    try:
        layouts = elementwise(getattr(np, call.operation), (first, second))
        taken = _taken_truth(call, call.operation, layouts)
        return call.give(*layouts) if taken is None else taken
    except _UFuncNoLoopError:
        if call.operation not in ("equal", "not_equal"):
            raise
        kinds = [np.asarray(each).dtype for each in (first, second)]
        if any(its.kind == "V" for its in kinds):
            operator.eq(np.empty(0, kinds[0]), np.empty(0, kinds[1]))  # raises if they cannot be compared
        found = [(np.shape(each), np.asarray(each).strides) for each in (first, second)]
        shape, (strides,) = placed(tuple(found), (1,), "K")
        return call.give(Layout(shape, np.dtype(bool), strides))


def _operand(call: Call, value: Any) -> Any:
    shown = call.header(value)
    return np.asarray(shown) if shown is None else shown


def _written(call: Call, outputs: Any, whole: bool, layouts: Sequence[Layout]) -> Any:
    """Write to the outputs that are arrays, and return all results."""
    given: list[Any] = []
    for target, layout in zip(outputs, layouts, strict=True):
        given.append(target if target is not None else (layout, call))
    if not any(call.writes(target, whole) for target in outputs if target is not None):
        return call.compute()
    made = [each if isinstance(each, (ndarray, np.ndarray)) else call.give(each[0]) for each in given]
    return made[0] if len(made) == 1 else tuple(made)


def _outputs(call: Call, number: Any) -> Any:
    """Return the arrays named by `out`, one for each result; None if there are none."""
    out = call.kwargs.get("out")
    if out is None:
        return None
    out = out if type(out) is tuple else (out,)
    return None if all(each is None for each in out) else out


def _options(call: Call) -> Any:
    """Return the other options, with arrays replaced by headers."""
    options = {
        name: call.header(value) if name in ("where", "initial") else value
        for name, value in call.kwargs.items()
        if name != "out" and value is not np._NoValue
    }
    where = call.kwargs.get("where")
    if isinstance(where, (int, list, tuple)) and where is not True and first_fake((where,)) is None:
        options["where"] = np.asarray(where, bool)
    return options


_TRUTHS = (
    frozenset(["logical_or", "logical_and", "logical_not", "isfinite", "isnan", "isinf", "isnat", "signbit"])
    | _COMPARISONS
)


def _taken_truth(call: Call, name: str, layouts: Sequence[Layout]) -> np.bool_ | None:
    """Return the truth that a comparison or test of a fake is taken to yield in NumPy's code run on fakes, or None."""
    assumed = call.block.assumed
    if assumed is None or call.faked is None or name not in _TRUTHS or layouts[0].shape:
        return None
    return np.bool_(name in assumed) if layouts[0].dtype.kind == "b" else None


def _is_ufunc(value: Any) -> Any:
    return isinstance(value, np.ufunc)


def _brings_own_ufunc(value: Any) -> Any:
    """True if a value's type takes part in ufuncs: it computes them itself, declines to, or wraps their results."""
    override = getattr(type(value), "__array_ufunc__", np.ndarray.__array_ufunc__)
    if isinstance(value, ndarray):
        wraps = False
    elif isinstance(value, np.ndarray):
        wraps = type(value).__array_wrap__ is not np.ndarray.__array_wrap__ and not isinstance(value, np.memmap)
    else:
        wraps = hasattr(type(value), "__array_wrap__") and not isinstance(value, np.generic)
    if wraps:
        return True  # it may turn the result into anything
    return type(value) is not ndarray and override is not np.ndarray.__array_ufunc__


def _refuse_strangers(call: Call) -> None:
    """Refuse operands of another library's type that decides itself about the operation."""
    out = call.kwargs.get("out")
    values = (*call.args, call.kwargs.get("where"), *(out if type(out) is tuple else (out,)))
    if any(_brings_own_ufunc(value) for value in values):
        raise call.refusal("a type with an __array_ufunc__ of its own computes it", "convert it to an array")


_NUMPYS = frozenset(
    [each for module in (np, np.strings, np.linalg._umath_linalg) for each in vars(module).values() if _is_ufunc(each)]
)


@lru_cache(maxsize=1024)
def _always_fails(ufunc: np.ufunc, dtypes: Any) -> Any:
    """True if a foreign ufunc raises its own error when tried with one element."""
    cores = core_names(ufunc.signature or ",".join(["()"] * ufunc.nin))
    try:
        args = [np.ones((1,) * len(core), its) for core, its in zip(cores, dtypes, strict=False)]
        copy_context().run(_try, ufunc, args)
    except (TypeError, ValueError):
        return False  # about dtypes and shapes
    except Exception:
        return True
    return False


def _try(ufunc: np.ufunc, args: list[Any]) -> None:
    """Call a ufunc and report no floating-point errors: for a context of its own."""
    np.seterr(all="ignore")
    ufunc(*args)


def _refuse_failing(call: Call) -> None:
    ufunc = call.function.ufunc
    if ufunc in _NUMPYS or ufunc.__name__.endswith(" (vectorized)") or not ufunc.nout:
        return
    x = [np.asarray(call.header(value)).dtype for value in call.args[: ufunc.nin]]
    if call.function.method_name not in ("__call__", "outer"):
        x = [x[0]] * ufunc.nin
    if _always_fails(ufunc, tuple(x)):
        raise call.refusal("it raises an error whatever it computes")


def _by(method: Any) -> Any:
    """Return the rule for a ufunc's method, which refuses types of other libraries."""

    def apply(call: Call) -> Any:
        _refuse_strangers(call)
        _refuse_failing(call)
        return method(call)

    return apply


def _refuse_no_arrays(outputs: Any) -> None:
    for each in outputs:
        if each is not None and not isinstance(each, (ndarray, np.ndarray)):
            raise TypeError("return arrays must be of ArrayType")


def _apply(call: Call) -> Any:
    ufunc = call.function.ufunc
    if ufunc.__name__.endswith(" (vectorized)") and call.faked is not None:
        raise call.refusal("it calls a function of the user for each element", "write it as operations on whole arrays")
    if not ufunc.nout:
        raise call.refusal("it has no results, and may write its arguments")
    if any(is_fake(each) for each in written_by(call.operation, call.function, call.args[: ufunc.nin], {})):
        raise call.refusal("it writes to its operands")
    inputs = [call.header(value) for value in call.args[: ufunc.nin]]
    outputs = _outputs(call, ufunc.nout)
    if len(call.args) > ufunc.nin:
        outputs = (*call.args[ufunc.nin :], *[None] * (ufunc.nin + ufunc.nout - len(call.args)))
    _refuse_no_arrays(outputs or ())
    options = _options(call)
    if outputs is not None:
        options["out"] = tuple([call.header(each) for each in outputs])
    if outputs is not None and any(isinstance(each, ndarray) and not each.flags.writeable for each in outputs):
        raise ValueError("output array is read-only")
    infer = elementwise if ufunc.signature is None else generalized
    layouts = infer(ufunc, inputs, **options)
    if outputs is None:
        taken = _taken_truth(call, ufunc.__name__, layouts)
        return call.give(*layouts) if taken is None else taken
    # As in NumPy's ufuncs: all of `out` gets new bytes at once, whether computed from the old ones or not.
    whole = ufunc.signature is None and "where" not in options
    return _written(call, outputs, whole, layouts)


def _reduce(call: Call) -> Any:
    options = _bound(call, "reduce")
    out = options.pop("out", None)
    x = call.header(call.args[0])
    options = {
        name: call.header(value) if name in ("where", "initial") else value
        for name, value in options.items()
        if value is not np._NoValue
    }
    out = out[0] if type(out) is tuple else out
    layout = reduction(call.function.ufunc, x, out=None if out is None else call.header(out), **options)
    taken = None if out is not None else _taken_truth(call, call.function.ufunc.__name__, (layout,))
    if taken is not None:
        return taken
    return call.give(layout) if out is None else _written(call, (out,), False, (layout,))


def _bound(call: Call, method: Any) -> Any:
    """Return the arguments of a ufunc's method after its arrays, by name."""
    first = 2 if method == "reduceat" else 1
    return {**dict(zip(_NAMED[method], call.args[first:], strict=False)), **call.kwargs}


def _accumulate(call: Call) -> Any:
    options = _bound(call, "accumulate")
    out = options.pop("out", None)
    out = out[0] if type(out) is tuple else out
    layout = accumulation(
        call.function.ufunc, call.header(call.args[0]), out=None if out is None else call.header(out), **options
    )
    return call.give(layout) if out is None else _written(call, (out,), False, (layout,))


def _reduceat(call: Call) -> Any:
    options = _bound(call, "reduceat")
    out = options.pop("out", None)
    out = out[0] if type(out) is tuple else out
    given = call.args[1]
    indices = call.header(given)
    layout = segments(
        call.function.ufunc,
        call.header(call.args[0]),
        indices.shape[0],
        options.get("axis", 0),
        options.get("dtype"),
        None if out is None else call.header(out),
    )
    if not (isinstance(given, ndarray) and is_fake(given)):
        _check_starts(call, np.asarray(given), options.get("axis", 0))
    return call.give(layout) if out is None else _written(call, (out,), False, (layout,))


def _check_starts(call: Call, starts: Any, axis: Any) -> None:
    """Raise NumPy's error if a part begins out of range."""
    shape = np.shape(call.header(call.args[0]))
    length = shape[axis[0] if isinstance(axis, tuple) else axis]
    if starts.size and (starts.min() < 0 or starts.max() >= length):
        wrong = starts.min() if starts.min() < 0 else starts.max()
        raise IndexError(f"index {wrong} out-of-bounds in {call.function.ufunc.__name__}.reduceat [0, {length})")


def _outer(call: Call) -> Any:
    options = _options(call)
    out = _outputs(call, 1)
    _refuse_no_arrays(out or ())
    if out is not None:
        options["out"] = tuple([call.header(each) for each in out])
    found = outer(call.function.ufunc, call.header(call.args[0]), call.header(call.args[1]), **options)
    layouts = (found,) if isinstance(found, Layout) else found
    return call.give(*layouts) if out is None else _written(call, out, False, layouts)


def _at(call: Call) -> Any:
    x, key = call.args[:2]
    if not isinstance(x, ndarray):
        return call.compute()
    if not x.flags.writeable:
        raise ValueError("assignment destination is read-only")
    others = [np.empty(0, np.asarray(call.header(each)).dtype) for each in call.args[2:]]
    call.function.ufunc.at(np.empty(0, x.dtype), np.empty(0, np.intp), *others)
    key, _ = settle_key(key)
    shown = tuple(
        [call.header(item) if isinstance(item, ndarray) else item for item in (key if type(key) is tuple else (key,))]
    )
    if not any(isinstance(item, np.ndarray) and item.dtype == bool for item in shown):
        shape = indexed(locate(x), shown).shape
        given = np.shape(call.header(call.args[2])) if len(call.args) > 2 else ()
        if given != shape and np.broadcast_shapes(given, shape) != shape:
            raise ValueError("array is not broadcastable to correct shape")
        check_places(x.shape, key)
    return None if call.writes(x) else call.compute()


_METHODS = {
    name: _by(method)
    for name, method in {
        "__call__": _apply,
        "reduce": _reduce,
        "accumulate": _accumulate,
        "reduceat": _reduceat,
        "outer": _outer,
        "at": _at,
    }.items()
}
