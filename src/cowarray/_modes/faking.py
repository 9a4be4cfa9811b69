"""The road of operations where there are fakes: each operation is done by the rule that its row names.

A rule gives arrays of exactly the shape, dtype and strides that the operation would give, and writes what it would
write; or it refuses. An operation without a row is refused, too: nothing is guessed, and no element of a fake is read.
"""

import numpy as np

from cowarray._modes import rules_of_arrays, rules_of_births, rules_of_ufuncs
from cowarray._modes.calls import Call, innermost
from cowarray._modes.fakes import first_fake
from cowarray._modes.rules import RULES

__all__ = ["beneath", "travel"]

# Whoever is handed operations that are no concern of ours; None: nobody.
beneath = None

# Imported for their rows.
_ROWS_OF = (rules_of_arrays, rules_of_births, rules_of_ufuncs)


def travel(operation, function, args, kwargs):
    """Do an operation that has been handed over."""
    block = innermost.get()
    faked = first_fake(args)
    if faked is None and kwargs:
        faked = first_fake(kwargs.values())
    if faked is None and block is None:
        return function(*args, **kwargs) if beneath is None else beneath(operation, function, args, kwargs)
    return follow(Call(operation, function, args, kwargs, block, faked))


def follow(call):
    """Do an operation by its rule."""
    rule = RULES.get(call.operation)
    if rule is None:
        rule = rules_of_ufuncs.rule_of(call.function)
    if rule is None:
        return _without_rule(call)
    return rule(call)


def _without_rule(call):
    if call.faked is None and not _gives_arrays(call):
        return call.compute()
    raise call.refusal("there is no rule that says what it gives", "compute it outside of the block, or on real arrays")


def _gives_arrays(call):
    return not isinstance(call.function, np.ufunc)
