"""Short docstrings made complete: what many functions have in common is written once, and `help` shows all of it.

A short docstring has a summary, a paragraph on the result, and any sections specific to the function. `Completed` adds
the parameters as a chapter describes them, and NumPy's function of the same name. `CompletedFrom` adds the sections of
another function, `complete` only the headings and the reference; both also record where users find a function.
`describe_methods` does for methods of arrays what `CompletedFrom` does for functions, from the chapter that a method
refers to: until then it only refers.
"""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, get_origin

from cowarray._face.ndarray import describe_method, ndarray
from cowarray._native.public import public

_Function = TypeVar("_Function", bound=Callable[..., Any])

__all__ = ["Completed", "CompletedFrom", "complete", "describe_methods"]

_HEADS = {
    title: f"{title}\n{'-' * len(title)}\n" for title in ("Parameters", "Returns", "Raises", "See Also", "Examples")
}
_SAME = "The same for NumPy's arrays."


class Completed:
    """A decorator that completes a short docstring; it raises KeyError for a parameter that is not described.

    Parameters
    ----------
    parameters : dict of str to str
        For each name, the type of the parameter and, on separate lines, a description.
    kind : str
        The type of the functions' results.
    space : str
        NumPy's namespace with functions of the same names.
    same : str
        How NumPy's function compares.
    returns : str, optional
        Describes the result where the docstring has no paragraph about it.
    """

    def __init__(
        self,
        parameters: Mapping[str, str],
        kind: str = "ndarray or scalar",
        space: str = "numpy",
        same: str = _SAME,
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
        sections = _sections(function.__doc__)
        summary, _, returns = sections[""].partition("\n\n")
        described = [f"{name} : {self.parameters[name]}" for name in _names(function) if name != "self"]
        sections[""] = summary
        sections["Parameters"] = "\n".join(described)
        sections["Returns"] = _indented(self.kind, returns or self.returns or "")
        sections["See Also"] = f"{self.space}.{function.__name__} : {self.same}"
        function.__doc__ = _text(sections)
        return function


class CompletedFrom:
    """A decorator that completes a short docstring from that of the function of the same name in another namespace.

    Parameters and sections that the docstring already has are kept. For the standard's namespace: results are arrays
    even where the other function returns scalars, and there is no ``out``.

    Parameters
    ----------
    functions : module
    space : str
        Its public name.
    """

    def __init__(self, functions: Any, space: str) -> None:
        self.functions = functions
        self.space = space

    def __call__(self, function: _Function) -> _Function:
        public(function)
        if function.__doc__ is None:  # python -OO
            return function
        name = function.__name__
        names = _names(function)
        sections = _sections(function.__doc__)
        others = _renamed(_sections(getattr(self.functions, name).__doc__), names)
        summary, _, own = sections[""].partition("\n\n")
        kind, _, returns = others["Returns"].partition("\n    ")
        returns = own or returns.replace(", or `out`", "").replace(" or `out`", "")
        described = _entries(others["Parameters"]) | _entries(sections.get("Parameters", ""))
        entries = [f"{parameter} : {described[parameter]}" for parameter in names]
        completed = {
            "": summary,
            "Parameters": "\n".join(entries),
            "Returns": sections.get("Returns") or _indented(kind.replace(" or scalar", ""), returns),
            "See Also": sections.get("See Also") or f"{self.space}.{name} : Has NumPy's parameters.",
        }
        for title in ("Raises", "Examples"):
            if title in sections or (title == "Raises" and title in others):
                completed[title] = sections.get(title) or others[title]
        function.__doc__ = _text(completed)
        return function


def complete(module: Mapping[str, Any], space: str = "numpy") -> None:
    """Complete a module's functions and classes: where users find them, and docstrings that describe parameters.

    Without a Returns section, the paragraph after the summary becomes it, with the type from the annotation. Without
    See Also, NumPy's function of the same name is named there.

    Parameters
    ----------
    module : dict
        The module's globals.
    space : str
        NumPy's namespace with functions of the same names.
    """
    for name in module["__all__"]:
        function = module[name]
        if getattr(function, "__module__", None) != module["__name__"]:
            continue
        public(function)
        if hasattr(function, "__code__") and function.__doc__:
            sections = _sections(function.__doc__)
            summary, _, returns = sections[""].partition("\n\n")
            if returns and "Returns" not in sections:
                sections |= {"": summary, "Returns": _indented(_kind(function.__annotations__["return"]), returns)}
            sections.setdefault("See Also", f"{space}.{function.__name__} : {_SAME}")
            function.__doc__ = _text(sections)


def describe_methods(chapter: Mapping[str, Any]) -> None:
    """Complete the docstrings of the array's methods that refer to the function of the same name in a chapter.

    Parameters
    ----------
    chapter : dict
        The module's globals.
    """
    for name in chapter["__all__"]:
        method: Any = vars(ndarray).get(name)
        summary, _, referral = (getattr(method, "__doc__", None) or "").strip().partition("\n\n")
        if not referral.strip().startswith(f"Refer to `cowarray.{name}` ") or chapter[name].__doc__ is None:
            continue
        sections = _sections(chapter[name].__doc__)
        described = _entries(sections["Parameters"])
        parameters = _parameters(method.__text_signature__)
        array = next(each for each in described if each not in parameters)
        for title, text in sections.items():
            text = text.replace(f"    `{array}`", "    The array").replace(f"`{array}`", "the array")
            sections[title] = text.replace(f"{array}'s ", "the array's ")
        described = _entries(sections["Parameters"])
        sections[""] = summary
        sections["Parameters"] = "\n".join([f"{each} : {described[each]}" for each in parameters])
        sections["See Also"] = f"cowarray.{name} : The function.\nnumpy.ndarray.{name} : {_SAME}"
        sections = {title: text for title, text in sections.items() if text and title != "Examples"}
        describe_method(name, f"{name}{method.__text_signature__}\n--\n\n{_text(sections)}")


def _renamed(sections: dict[str, str], names: list[str]) -> dict[str, str]:
    """Return a function's sections for a function whose first parameters have other names."""
    entries = _entries(sections["Parameters"])
    others = {other: name for other, name in zip(entries, names, strict=False) if name not in entries}
    sections["Parameters"] = "\n".join([f"{others.get(name, name)} : {text}" for name, text in entries.items()])
    for other, name in others.items():
        sections = {title: text.replace(f"`{other}`", f"`{name}`") for title, text in sections.items()}
    return sections


def _names(function: Any) -> list[str]:
    """Return the names of a function's parameters, as docstrings have them."""
    code = function.__code__
    last = code.co_argcount + code.co_kwonlyargcount
    starred = [f"*{name}" for name in code.co_varnames[last : last + bool(code.co_flags & inspect.CO_VARARGS)]]
    return [*code.co_varnames[: code.co_argcount], *starred, *code.co_varnames[code.co_argcount : last]]


def _parameters(signature: str) -> list[str]:
    """Return the names of a method's parameters, from the text of its C signature."""
    names = [each.partition("=")[0].rstrip(")") for each in signature.split(", ")[1:]]
    return [name for name in names if name.isidentifier()]


# Without regular expressions: each process would compile them.


def _sections(docstring: str) -> dict[str, str]:
    """Return the text of each section by its title; the summary and what follows it have the title ""."""
    indentation = docstring.rpartition("\n")[2]  # of the source, which Python before 3.13 keeps
    text, *underlined = docstring.replace("\n" + indentation, "\n").rstrip().split("\n---")
    found: dict[str, str] = {}
    title = ""
    for section in underlined:
        found[title], _, title = text.rpartition("\n\n")
        text = section.partition("\n")[2]
    found[title] = text
    return found


def _entries(section: str) -> dict[str, str]:
    """Return the type and description of each parameter by its name."""
    found: dict[str, str] = {}
    for entry in section.replace("\n\n", "\v").replace("\n ", "\f").split("\n") if section else ():
        names, _, text = entry.replace("\f", "\n ").replace("\v", "\n\n").partition(" : ")
        found |= dict.fromkeys(names.split(", "), text)
    return found


def _kind(annotation: Any) -> str:
    """Return what a function of arrays returns, by its annotation; Any includes NumPy's scalars."""
    origin = get_origin(annotation)
    name = f"{origin.__name__} of ndarray" if origin in (tuple, list) else "ndarray"
    return "ndarray or scalar" if annotation is Any else name


def _indented(kind: str, text: str) -> str:
    return (f"{kind}\n    " + text.replace("\n", "\n    ")).rstrip()


def _text(sections: Mapping[str, str]) -> str:
    titled = [head + sections[title] for title, head in _HEADS.items() if title in sections]
    return "\n\n".join([sections[""], *titled]) + "\n"
