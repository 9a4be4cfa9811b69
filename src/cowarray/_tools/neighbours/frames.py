"""Data frames and Arrow: they take anything but NumPy's type for a list, or for an opaque object."""

import sys
from types import FunctionType
from typing import Any

from cowarray._native.fork_locks import importing

__all__ = ["pandas", "polars", "pyarrow", "pyarrow_compute"]


# Methods of pandas and polars that test their arguments for NumPy's type.
_OPERATORS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "divmod", "pow", "and", "or", "xor")
_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
_ASKING = frozenset(
    [
        *("__getitem__", "__setitem__", "delete", "groupby", "merge", "pivot_table", "sample", "set_index"),
        *("mask", "search_sorted", "searchsorted", "where"),
        *_COMPARISONS,
        *[f"{side}{name}" for name in _OPERATORS for side in ("", "r")],
        *[f"__{name}__" for name in _COMPARISONS],
        *[f"__{side}{name}__" for name in _OPERATORS for side in ("", "r", "i")],
    ]
)
_ASKING_FUNCTIONS = ("factorize", "merge", "pivot_table", "unique")


def pandas() -> None:
    """Convert keys, groups and operands to NumPy's arrays: otherwise a mask would pick rows 0 and 1."""
    with importing:  # imported here, so that importing the library stays quick
        from cowarray._tools.frameless import converting, converting_item, numpys_alone

    library: Any = sys.modules["pandas"]
    frame = library.DataFrame()
    kinds = [library.DataFrame, library.Series, library.Index, library.api.extensions.ExtensionArray]
    kinds += [type(getattr(frame, name)) for name in ("loc", "iloc", "at", "iat")]
    for kind in {base for each in kinds for one in _with_subclasses(each) for base in one.__mro__}:
        if kind.__module__.partition(".")[0] == "pandas":
            for name in _ASKING.intersection(vars(kind)):
                if type(vars(kind)[name]) is FunctionType:
                    door: Any = converting_item if name == "__setitem__" else converting
                    setattr(kind, name, door(vars(kind)[name]))
    for kind in (library.arrays.IntegerArray, library.arrays.FloatingArray, library.arrays.BooleanArray):
        kind.__init__ = converting(kind.__init__)
    for kind in (library.Series, library.DataFrame):
        # pandas copies NumPy's arrays, and can write to its copy; from another type it would keep the snapshot.
        kind.__init__ = converting(kind.__init__, numpys_alone)
    library.DataFrame.from_records = classmethod(converting(library.DataFrame.from_records.__func__))
    for name in _ASKING_FUNCTIONS:
        function = getattr(library, name)
        asked = converting(function)
        for module in (library, sys.modules[function.__module__]):  # pickled by this name
            setattr(module, name, asked)


def _with_subclasses(kind: type) -> set[type]:
    return {kind}.union(*map(_with_subclasses, kind.__subclasses__()))


def polars() -> None:
    """Convert columns, keys and operands to NumPy's arrays, and literals, which can be in any expression."""
    with importing:
        from cowarray._tools.frameless import converting

    library: Any = sys.modules["polars"]
    for kind in (library.Series, library.DataFrame, library.LazyFrame):
        for name in _ASKING.union(("__array_ufunc__", "__init__", "filter")).intersection(vars(kind)):
            setattr(kind, name, converting(vars(kind)[name]))
    for name in ("lit", "from_records", "from_dicts"):
        function = getattr(library, name)
        asked = converting(function)
        for module in (library, library.functions, sys.modules[function.__module__]):
            if getattr(module, name, None) is function:
                setattr(module, name, asked)


def pyarrow() -> None:
    """Convert to NumPy's arrays, for which Arrow has its own rules: about missing values, and about masks."""
    with importing:
        from cowarray._tools.frameless import converting, numpys_in_own_order

    library: Any = sys.modules["pyarrow"]
    for name in ("array", "scalar"):
        asked = converting(getattr(library, name), numpys_in_own_order)
        for module in (library, sys.modules[asked.__module__]):  # pickled by this name
            setattr(module, name, asked)


def pyarrow_compute() -> None:
    """Convert arguments of functions on arrays, by which Arrow's arrays are also filtered and taken from."""
    with importing:
        from cowarray._tools.frameless import converting, numpys_in_own_order

    library: Any = sys.modules["pyarrow.compute"]
    functions: dict[str, Any] = dict(vars(library))
    for name, value in functions.items():
        if type(value) is FunctionType and value.__module__ == library.__name__ and not name.startswith("_"):
            setattr(library, name, converting(value, numpys_in_own_order))
    called = converting(library.call_function, numpys_in_own_order)  # it calls those by name
    module: Any
    for module in (library, sys.modules[called.__module__]):
        module.call_function = called
