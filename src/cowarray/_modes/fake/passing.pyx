"""The road of operations where there are fakes: those with a fake go to their rules, and all others are passed on.

It is compiled, so that it has no frame: what NumPy warns of is on the line of the program, or of whoever called NumPy.
"""

from cowarray._array.array cimport is_array

from cowarray._modes.common.blocks cimport current
from cowarray._modes.fake.calls import Block, Call
from cowarray._modes.fake.fakes import first_fake
from cowarray._modes.fake.faking import follow

# Where operations without fakes go; None: to NumPy.
beneath = None


def dispatch(str operation, function, tuple args, dict kwargs):
    """Do an operation that has been handed over."""
    block = current()
    if type(block) is not Block:
        block = None  # another mode's
    if "like" in kwargs and is_array(kwargs["like"]):
        kwargs = {name: value for name, value in kwargs.items() if name != "like"}
    faked = first_fake(args)
    if faked is None and kwargs:
        faked = first_fake(kwargs.values())
    if faked is None and block is None:
        return function(*args, **kwargs) if beneath is None else beneath(operation, function, args, kwargs)
    return follow(Call(operation, function, args, kwargs, block, faked))
