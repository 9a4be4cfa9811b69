"""The road of operations where there are fakes: each operation is done by the rule that its row names.

A rule gives arrays of exactly the shape, dtype and strides that the operation would give, and writes what it would
write; or it refuses. An operation without a row is refused, too: nothing is guessed, and no element of a fake is read.
"""

import numpy as np

from cowarray._face.ndarray import ndarray
from cowarray._modes import rules_of_arrays, rules_of_births, rules_of_code, rules_of_draws, rules_of_functions, rules_of_methods, rules_of_ufuncs, rules_of_values
from cowarray._modes.calls import Call, innermost
from cowarray._modes.fakes import first_fake, is_standard
from cowarray._modes.rules import RULES
from cowarray._ops.conversion import standard

__all__ = ["beneath", "travel"]

# Whoever is handed operations that are no concern of ours; None: nobody.
beneath = None

# Imported for their rows.
_ROWS_OF = (rules_of_arrays, rules_of_births, rules_of_code, rules_of_draws, rules_of_functions, rules_of_methods, rules_of_ufuncs, rules_of_values)


def travel(operation, function, args, kwargs):
    """Do an operation that has been handed over."""
    block = innermost.get()
    if "like" in kwargs and isinstance(kwargs["like"], ndarray):
        kwargs = {name: value for name, value in kwargs.items() if name != "like"}
    faked = first_fake(args)
    if faked is None and kwargs:
        faked = first_fake(kwargs.values())
    if faked is None and block is None:
        return function(*args, **kwargs) if beneath is None else beneath(operation, function, args, kwargs)
    return follow(Call(operation, function, args, kwargs, block, faked))


def follow(call):
    """Do an operation by its rule. What is done with the standard's arrays gives some."""
    result = _ruled(call)
    if call.operation == "asarray":
        return standard(result) if len(call.args) > 1 else result
    if call.block.assumed is None and (is_standard(call.args) or is_standard(call.kwargs.values())):
        return standard(result)
    return result


def _ruled(call):
    rule = rules_of_ufuncs.rule_of(call.function)
    if rule is None:
        rule = rules_of_draws.rule_of_draw(getattr(call.function, "function", None))
    if rule is None:
        rule = RULES.get(call.operation)
    if rule is None and call.faked is None:
        return call.forgotten()
    if rule is None:
        raise call.refusal(
            "there is no rule that says what it gives", "compute it outside of the block, or on real arrays"
        )
    return rule(call)
