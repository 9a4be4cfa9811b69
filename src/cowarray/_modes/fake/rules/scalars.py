"""Rules of what makes a fake an object of Python's: a plan assumes its value, or refuses."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from cowarray._modes.fake.assumptions import ANSWERS
from cowarray._modes.fake.calls import Call
from cowarray._modes.fake.fakes import ADVICE, locate, origin_of
from cowarray._modes.fake.refusals import FakeError
from cowarray._modes.fake.rules.rules import VALUES, enter, rule

__all__ = []

_VALUE = "a value is needed"

_PYTHONS: dict[str, Callable[..., Any]] = {
    "ndarray.__bool__": bool,
    "ndarray.__int__": int,
    "ndarray.__float__": float,
    "ndarray.__complex__": complex,
    "ndarray.__index__": operator.index,
    "ndarray.item": np.ndarray.item,
    "ndarray.tolist": np.ndarray.tolist,
}

_MOST = 1 << 20  # elements of a list


def converted(call: Call) -> Any:
    x, *rest = call.args
    if call.operation == "ndarray.tolist" and x.size > _MOST:
        raise call.refusal("a list of so many numbers is not made", ADVICE)
    return _PYTHONS[call.operation](_stand_in(call, call.operation == "ndarray.__bool__"), *rest, **call.kwargs)


enter(_PYTHONS, converted, VALUES)


@rule("ndarray.__format__", kind=VALUES)
def formatted(call: Call) -> Any:
    x, spec = call.args
    return format(_stand_in(call, False), spec) if spec else str(x)


def _stand_in(call: Call, is_condition: bool) -> Any:
    """NumPy's array in the place of a fake, all of whose elements are what is assumed."""
    x = call.args[0]
    dtype = locate(x).dtype
    what = "conditions" if is_condition or dtype.kind == "b" else "numbers"
    assumptions = call.assumptions
    value: float | None = None
    if assumptions is not None and dtype.kind in "biufc":
        value = assumptions.condition() if what == "conditions" else assumptions.number(dtype.kind)
    if value is None:
        can_be = assumptions is not None and dtype.kind in "biufc"
        raise FakeError("a conversion", _VALUE, origin_of(x).site, ADVICE, f"{what}={ANSWERS[what]}" if can_be else "")
    element = np.asarray(value).astype(dtype)
    if value and not element and dtype.kind in "fc":
        element = np.asarray(np.finfo(dtype).tiny, dtype)
    return np.broadcast_to(element, x.shape)


# ---- conditions on whole arrays

_DECIDE = "decide by shape and dtype, or compute the condition from real arrays"


@rule("allclose array_equal array_equiv", kind=VALUES)
def alike(call: Call) -> Any:
    """Arrays whose shapes differ are not equal, whatever is in them."""
    if call.faked is None:
        return call.forgotten()
    given = [*call.args, *call.kwargs.values()][:2]
    one, other = [np.shape(call.header(each)) for each in given]
    try:
        fits = np.broadcast_shapes(one, other) is not None
    except ValueError:
        if call.operation == "allclose":
            raise
        fits = False
    if not fits or (call.operation == "array_equal" and one != other):
        return False
    return call.is_true(_VALUE, _DECIDE)


@rule("ndarray.__contains__", kind=VALUES)
def contains(call: Call) -> Any:
    return call.forgotten() if call.faked is None else call.is_true(_VALUE, _DECIDE)
