"""Rules of conversions from a fake to a Python object: a plan assumes its value, or refuses."""

import operator
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from cowarray._face.ndarray import ndarray
from cowarray._face.printing import outline
from cowarray._modes.fake import unwritten
from cowarray._modes.fake.assumptions import ANSWERS, Assumptions
from cowarray._modes.fake.calls import Call
from cowarray._modes.fake.fakes import ADVICE, locate, origin_of
from cowarray._modes.fake.refusals import FakeError
from cowarray._modes.fake.rules.rules import VALUES, enter, rule

__all__ = ["assumed_elements"]

_VALUE = "a value is needed"

_PYTHONS: dict[str, Callable[..., Any]] = {
    "ndarray.__bool__": bool,
    "ndarray.__int__": int,
    "ndarray.__float__": float,
    "ndarray.__complex__": complex,
    "ndarray.__index__": operator.index,
    "ndarray.item": np.ndarray.item,
    "ndarray.tolist": np.ndarray.tolist,
    "ndarray.tobytes": np.ndarray.tobytes,
}

_MOST = 1 << 20  # elements of a list
_MOST_BYTES = 256 << 20  # of an array that is converted to bytes, or written to an open file


def converted(call: Call) -> Any:
    x, *rest = call.args
    if call.operation == "ndarray.tolist" and x.size > _MOST:
        raise call.refusal("a list of so many numbers is not made", ADVICE)
    if call.operation == "ndarray.tobytes":
        _check_nbytes(x)
    shown = _stand_in(call, call.operation == "ndarray.__bool__")
    return _PYTHONS[call.operation](shown, *rest, **call.kwargs)


enter(_PYTHONS, converted, VALUES)


@rule("ndarray.__format__", kind=VALUES)
def formatted(call: Call) -> Any:
    x, spec = call.args
    return format(_stand_in(call, False), spec) if spec else str(x)


@rule("ndarray.__str__", kind=VALUES)
def written(call: Call) -> Any:
    """Format an array without axes as its number if numbers are assumed: the program may parse the text again."""
    x = call.args[0]
    if x.ndim or x.dtype.kind not in "biufc" or not _is_assumed(call.assumptions, x):
        return outline(x.shape, x.dtype, "fake")
    return str(_stand_in(call, False)[()])


@rule("array2string array_repr array_str", kind=VALUES)
def as_text(call: Call) -> Any:
    if call.faked is None:
        return call.forgotten()
    args, kwargs = list(call.args), dict(call.kwargs)
    x = args.pop(0) if args else kwargs.pop("a" if "a" in kwargs else "arr")
    return getattr(np, call.operation)(_elements(x, call.assumptions, False), *args, **kwargs)


@rule("ndarray.tofile", kind=VALUES)
def to_file(call: Call) -> Any:
    """Keep a named file back in the command's plans; write the assumed elements to an open one."""
    x, file, sep, template = call.args
    is_named = isinstance(file, (str, bytes, os.PathLike))
    if is_named and not sep and unwritten.keep(file, unwritten.Raw(x.nbytes)):
        return None
    if is_named:
        raise call.refusal("the file would have values that are not there", "compute it from real arrays")
    return assumed_elements(x).tofile(file, sep, template)


def _stand_in(call: Call, is_condition: bool) -> Any:
    return _elements(call.args[0], call.assumptions, is_condition)


def assumed_elements(x: ndarray) -> Any:
    """Return a NumPy array in place of a fake, for an open file.

    Parameters
    ----------
    x : ndarray

    Returns
    -------
    numpy.ndarray
        All its elements have the value that the plan assumes.

    Raises
    ------
    FakeError
        The plan assumes no such value, or the array is too large.
    """
    _check_nbytes(x)
    return _elements(x, origin_of(x).ledger.assumptions, False)


def _check_nbytes(x: ndarray) -> None:
    if x.nbytes > _MOST_BYTES:
        raise FakeError("a conversion", "so many bytes are not made", origin_of(x).site, "write to a file by its name")


def _elements(x: ndarray, assumptions: Assumptions | None, is_condition: bool) -> Any:
    dtype = locate(x).dtype
    what = _asked(x, is_condition)
    value: float | None = None
    assumable = ""
    if assumptions is not None and dtype.kind in "biufc":
        assumable = f"{what}={ANSWERS[what]}"
        value = assumptions.condition() if what == "conditions" else assumptions.number(dtype.kind)
    if value is None:
        raise FakeError("a conversion", _VALUE, origin_of(x).site, ADVICE, assumable)
    element = np.asarray(value).astype(dtype)
    if value and not element and dtype.kind in "fc":
        element = np.asarray(np.finfo(dtype).tiny, dtype)
    return np.broadcast_to(element, x.shape)


def _asked(x: ndarray, is_condition: bool) -> str:
    return "conditions" if is_condition or x.dtype.kind == "b" else "numbers"


def _is_assumed(assumptions: Assumptions | None, x: ndarray) -> bool:
    return assumptions is not None and assumptions.answers(_asked(x, False))


# ---- conditions on whole arrays

_DECIDE = "decide by shape and dtype, or compute the condition from real arrays"


@rule("allclose array_equal array_equiv", kind=VALUES)
def alike(call: Call) -> Any:
    """Return False for shapes that rule out equality; else ask the plan."""
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
