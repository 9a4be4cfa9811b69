"""Operations on fakes: each is done by the rule that its row names.

A rule returns arrays of exactly the shape, dtype and strides that the operation would return, and makes the same
writes; or it refuses. An operation without a row is refused: nothing is guessed, and no element of a fake is read.
"""

from typing import Any

from cowarray._face.ndarray import ndarray
from cowarray._modes.fake.calls import Call
from cowarray._modes.fake.fakes import count_copy, is_fake, is_standard
from cowarray._modes.fake.rules import (
    arrays,
    code,
    creation,
    draws,
    functions,
    methods,
    picking,
    scalars,
    ufuncs,
    values,
)
from cowarray._modes.fake.rules.rules import RULES
from cowarray._modes.layouts.inference import ValuesNeeded
from cowarray._ops import table
from cowarray._ops.conversion import standard

__all__ = ["follow"]

# Imported for their rows.
_ROWS_OF = (arrays, code, creation, draws, functions, methods, picking, scalars, ufuncs, values)


# Operations whose results are copies of elements, and which write nothing.
_COPYING = frozenset(
    name
    for name, row in table.OPERATIONS.items()
    if row.result is table.COPY and not row.writes and row.writes_if is None and name != "asarray"
)


def follow(call: Call) -> Any:
    """Do an operation by its rule. Operations on the standard's arrays return such arrays."""
    counts = call.operation in _COPYING and call.block.origin is None
    before = call.origin.copied if counts else 0
    result = _ruled(call)
    if counts and call.origin.copied == before:
        _count_copies(call, result)
    if call.operation == "asarray":
        return standard(result) if len(call.args) > 1 else result
    if call.block.assumed is None and (is_standard(call.args) or is_standard(call.kwargs.values())):
        return _as_standards(result, [*call.args, *call.kwargs.values()])
    return result


def _as_standards(result: Any, given: list[Any]) -> Any:
    """Return results as the standard's arrays, except for arrays that were given as outputs."""
    if type(result) is tuple:
        return tuple([_as_standards(each, given) for each in result])
    outputs = [each for value in given for each in (value if type(value) is tuple else (value,))]
    return result if any(result is each for each in outputs) else standard(result)


def _count_copies(call: Call, result: Any) -> None:
    """Count the bytes that a copying operation copies at once: results of an argument's dtype that share no bytes."""
    for each in result if isinstance(result, (tuple, list)) else (result,):
        if is_fake(each) and each.storage.share_count == 1:
            given = [x for x in (*call.args, *call.kwargs.values()) if isinstance(x, ndarray)]
            for x in call.args[:1]:
                given += [item for item in x if isinstance(item, ndarray)] if isinstance(x, (tuple, list)) else []
            if not any(each is x for x in given) and any(each.dtype == x.dtype for x in given):
                count_copy(call.origin, each.nbytes)


def _ruled(call: Call) -> Any:
    if call.writes_real_arrays():
        return call.compute()
    rule = ufuncs.rule_of(call.function)
    if rule is None:
        rule = draws.rule_of_draw(getattr(call.function, "function", None))
    if rule is None:
        rule = RULES.get(call.operation)
    if rule is None and call.faked is None:
        return call.forgotten()
    if rule is None:
        raise call.refusal(
            "there is no rule that says what it gives", "compute it outside of the block, or on real arrays"
        )
    try:
        return rule(call)
    except ValuesNeeded as needed:
        raise call.refusal(str(needed)) from None
