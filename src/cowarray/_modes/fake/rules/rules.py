"""The rules by which operations on fakes are done, by the name that an operation has on the road."""

__all__ = ["CODE", "ELEMENTWISE", "KINDS", "RULE", "RULES", "VALUES", "VIEWS", "enter", "kind_of", "rule"]

# The ways in which a rule knows what comes of an operation.
VIEWS = "view"  # NumPy's own, on headers whose elements it does not touch
ELEMENTWISE = "ufunc"  # element by element, a reduction, or by a signature: by the ufunc's methods, whatever the ufunc
CODE = "NumPy's code"  # NumPy's own Python code, run on fakes
RULE = "rule"  # a rule of its own
VALUES = "needs values"  # by nature: refused of fakes

RULES = {}
KINDS = {}


def enter(names, function, kind):
    """Make a function of a `Call` the rule of operations.

    Parameters
    ----------
    names : str or iterable of str
        A text is split at spaces.
    function : callable
    kind : str
        One of those above.
    """
    for name in names.split() if isinstance(names, str) else names:
        RULES[name] = function
        KINDS[name] = kind


def rule(*operations, kind=RULE):
    """Make a function of a `Call` the rule of these operations.

    Parameters
    ----------
    *operations : str
        Names, separated by spaces or not.
    kind : str, optional
    """

    def decorate(function):
        for names in operations:
            enter(names, function, kind)
        return function

    return decorate


def kind_of(operation):
    """How an operation on fakes is done: one of the kinds; None without a row.

    Parameters
    ----------
    operation : str
        A name of the table of operations, or a ufunc's.
    """
    return KINDS.get(operation)
