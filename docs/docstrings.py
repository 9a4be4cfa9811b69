"""Checks the docstring of every public name: ``python docs/docstrings.py``, or ``make lint``.

numpydoc checks the form. This checks the library's own rule: a docstring says of each array that comes back whether
it is a view, a copy or fresh, and agrees with the table of operations.
"""

import functools
import importlib
import inspect
import pkgutil
import re
import sys
import warnings

import numpy as np
from numpydoc.docscrape import get_doc_object
from numpydoc.validate import validate

import cowarray
from cowarray._chapters import inspection
from cowarray._files import npy
from cowarray._ops import table

# The public modules.
SPACES = [
    importlib.import_module(name)
    for name in ["cowarray", *(info.name for info in pkgutil.walk_packages(cowarray.__path__, "cowarray."))]
    if "._" not in name
]
FEWEST = 650  # public names; a walk that finds fewer has missed some

IGNORED = {
    "ES01": "a summary often says all",
    "EX01": "examples are where they show something; a test runs them",
    "GL02": "Cython strips what binding functions end with",
    "PR07": "`a : array_like` says all",
    "RT02": "a name is given where several results come back, and some functions give one of these alone",
    "RT03": "`bool` says all; of arrays more is asked below",
    "SA01": "not everything has a relative",
    "SS05": "summaries may also say what comes back: Sums, Cosines",
}

# How Returns tells of arrays. "Same" and "itself" are the very object.
STATED = r"\b(views?|cop(y|ies)|fresh|same|itself|out|snapshots?|alias(es)?|read-only)\b"
ARRAYS = r"\b(nd)?arrays?\b"
IN_TABLE = {
    table.VIEW: r"\bviews?\b",
    table.SAME: r"\b(same|itself)\b",
    table.COPY: r"\bcop(y|ies)\b",
    table.FRESH: r"\b(fresh|out)\b",
}

# The table is about NumPy's functions of these names: what these share has rules of its own.
NOT_IN_TABLE = {"cowarray.asarray", "cowarray.frombuffer", "cowarray.from_dlpack"}


def is_own(value):
    return (getattr(value, "__module__", None) or "").partition(".")[0] == "cowarray"


def members(name, cls):
    """What a class defines itself and offers, by names."""
    for member, value in vars(cls).items():
        # A named tuple's fields are described as its parameters.
        if not member.startswith("_") and type(value).__name__ != "_tuplegetter":
            yield f"{name}.{member}", getattr(cls, member)


def public_names():
    """{name: value} of the library's own functions and classes, and of what these classes offer; each value once."""
    found = {"cowarray._files.npy.Archive": npy.Archive}
    found["cowarray.__array_namespace_info__"] = inspection.__array_namespace_info__
    for space in SPACES:
        found |= {f"{space.__name__}.{name}": getattr(space, name) for name in space.__all__}
    found = {name: value for name, value in found.items() if callable(value) and is_own(value)}
    for name, value in list(found.items()):
        if isinstance(value, type):
            found |= dict(members(name, value))
    once = {id(value): name for name, value in reversed(found.items())}
    return {name: value for name, value in found.items() if once[id(value)] == name}


def faults(name, value):
    """What is wrong with a docstring, as lines "code: text"; codes that begin with CA are this library's rules."""
    is_attribute = inspect.isdatadescriptor(value)
    ignored = {*IGNORED, "SS02"} if is_attribute else IGNORED  # "int: Number of axes."
    with warnings.catch_warnings(action="ignore"):  # of what is an error here
        errors = validate(get_doc_object(value))["errors"]
    found = [f"{code}: {text}" for code, text in errors if code not in ignored]
    if value.__doc__ and is_attribute:
        found += attribute_faults(value)
    elif value.__doc__ and not isinstance(value, type):
        found += result_faults(name, value)
    return found


def attribute_faults(value):
    """An attribute's docstring begins with its type; of arrays it says whether they are views."""
    kind, _, text = value.__doc__.partition(": ")
    if not re.fullmatch(r"[\w.]+( (of|or) [\w.]+)*", kind):
        yield "CA01: an attribute's docstring begins with its type and a colon"
    elif re.search(ARRAYS, kind) and not re.search(STATED, text, re.IGNORECASE):
        yield "CA02: says nothing of what is copied or aliased"


def result_faults(name, value):
    """What Returns leaves unsaid, or says otherwise than the table of operations."""
    with warnings.catch_warnings(action="ignore"):
        doc = get_doc_object(value)
    text = " ".join(line for each in doc["Returns"] for line in each.desc)
    gives_arrays = any(re.search(ARRAYS, each.type) for each in doc["Returns"])
    if not doc["Returns"] and not inspect.isfunction(value):  # numpydoc looks at the source of Python's functions
        yield "CA03: no Returns section; its type may be None"
    if gives_arrays and not re.search(STATED, text, re.IGNORECASE):
        yield "CA02: Returns says nothing of what is copied or aliased"
    row = row_of(name)
    if row is None:
        return
    if gives_arrays and not re.search(IN_TABLE[row.result], text, re.IGNORECASE):
        yield f"CA04: in the table the result is {row.result!r}; Returns says: {text}"
    described = {one: " ".join(each.desc) for each in doc["Parameters"] for one in each.name.split(", ")}
    for written in row.writes:
        if written in described and not re.search(r"\bwrit(es|ten)\b", described[written], re.IGNORECASE):
            yield f"CA05: in the table {written} is written; its description does not say so"


def row_of(name):
    """The table's row of a function or a method, or None if it is not one of NumPy's."""
    *space, function = name.removeprefix("cowarray.").split(".")
    if space == ["ndarray"]:
        return table.OPERATIONS.get(f"ndarray.{function}")
    if name in NOT_IN_TABLE or space not in ([], ["linalg"], ["fft"]):
        return None
    numpys = getattr(functools.reduce(getattr, space, np), function, None)
    return table.OPERATIONS.get(".".join([*space, numpys.__name__]), table.Row()) if callable(numpys) else None


def main():
    found = public_names()
    if len(found) < FEWEST:
        sys.exit(f"docstrings: found {len(found)} public names, and at least {FEWEST} are there")
    wrong = {name: faults(name, value) for name, value in found.items()}
    lines = [f"{name}: {text}" for name, texts in wrong.items() for text in texts]
    if lines:
        sys.exit("\n".join(lines))
    print(f"docstrings: {len(found)} are complete")


if __name__ == "__main__":
    main()
