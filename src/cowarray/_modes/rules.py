"""The rules by which operations on fakes are done, by the name that an operation has on the road."""

__all__ = ["RULES", "rule"]

RULES = {}


def rule(*operations):
    """Make a function of a `Call` the rule of these operations.

    Parameters
    ----------
    *operations : str
        Names, separated by spaces or not.
    """

    def enter(function):
        for names in operations:
            for name in names.split():
                RULES[name] = function
        return function

    return enter
