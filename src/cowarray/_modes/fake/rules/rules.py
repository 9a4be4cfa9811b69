"""The rules of operations on fakes, by an operation's name on the road."""

from collections.abc import Callable, Iterable
from typing import Any

from cowarray._modes.fake.calls import Call

__all__ = ["CODE", "ELEMENTWISE", "KINDS", "RULE", "RULES", "VALUES", "VIEWS", "enter", "kind_of", "rule"]

# The ways in which rules find the result of an operation.
VIEWS = "view"  # NumPy's own function, on headers whose elements it does not touch
ELEMENTWISE = "ufunc"  # one rule for each method of ufuncs: elementwise, with a signature, or a reduction
CODE = "NumPy's code"  # NumPy's own Python code, run on fakes
RULE = "rule"  # a rule for this operation
VALUES = "needs values"  # by nature: refused for fakes unless the plan assumes an answer

RULES: dict[str, Callable[[Any], Any]] = {}
KINDS: dict[str, str] = {}


def enter(names: str | Iterable[str], function: Callable[[Call], Any], kind: str) -> None:
    """Make a function that takes a `Call` the rule of operations.

    Parameters
    ----------
    names : str or iterable of str
        A str is split at spaces.
    function : callable
    kind : str
        One of those above.
    """
    for name in names.split() if isinstance(names, str) else names:
        RULES[name] = function
        KINDS[name] = kind


def rule(*operations: str, kind: str = RULE) -> Callable[[Callable[[Call], Any]], Callable[[Call], Any]]:
    """Make the decorated function, which takes a `Call`, the rule of these operations.

    Parameters
    ----------
    *operations : str
        Names, separated by spaces or not.
    kind : str, optional
    """

    def decorate(function: Any) -> Any:
        for names in operations:
            enter(names, function, kind)
        return function

    return decorate


def kind_of(operation: str) -> str | None:
    """Return how an operation on fakes is done: one of the kinds; None without a row.

    Parameters
    ----------
    operation : str
        A name of the table of operations, or a ufunc's.
    """
    return KINDS.get(operation)
