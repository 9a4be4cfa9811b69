"""Short docstrings made whole: what many functions say in the same words is written once, and `help` shows all of it.

A short docstring has a summary, a paragraph on what the function returns and, where there is more to say, the sections
Raises and Examples. `Completed` adds the other sections: the parameters as a chapter describes them, in the order of
the signature, and NumPy's function of the same name.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])

__all__ = ["Completed"]


class Completed:
    """A decorator that completes a short docstring. It raises KeyError for a parameter that is not described.

    Parameters
    ----------
    parameters : dict of str to str
        For each name the type of the parameter and, on lines of its own, a description.
    kind : str
        The type of what the functions return.
    space : str
        Where NumPy has its functions of the same names.
    same : str
        How NumPy's function compares.
    returns : str, optional
        What to say of the result where the docstring has no paragraph about it.
    """

    def __init__(
        self,
        parameters: Mapping[str, str],
        kind: str = "ndarray or scalar",
        space: str = "numpy",
        same: str = "The same for NumPy's arrays.",
        returns: str | None = None,
    ) -> None:
        self.parameters = parameters
        self.kind = kind
        self.space = space
        self.same = same
        self.returns = returns

    def __call__(self, function: _Function) -> _Function:
        if function.__doc__ is None:  # python -OO
            return function
        short, example, examples = _unindented(function.__doc__).partition("\n\nExamples\n")
        summary, *rest = short.split("\n\n", 2)
        returns = rest.pop(0) if rest else self.returns
        code = function.__code__
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        described = [f"{name} : {self.parameters[name]}" for name in names if name != "self"]
        sections = [
            summary,
            "Parameters\n----------\n" + "\n".join(described),
            f"Returns\n-------\n{self.kind}\n    " + (returns or "").replace("\n", "\n    "),
            *rest,
            f"See Also\n--------\n{self.space}.{function.__name__} : {self.same}",
        ]
        function.__doc__ = "\n\n".join(sections) + example + examples + "\n"
        return function


def _unindented(docstring: Any) -> Any:
    """Without the indentation of the source, which Python before 3.13 keeps; the closing quotes stand at it."""
    indentation = docstring.rpartition("\n")[2]
    return docstring.replace("\n" + indentation, "\n").rstrip()
