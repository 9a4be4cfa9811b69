"""The one table of operations: what each returns, and which of its arguments it writes.

The dispatcher acts on it, the documentation prints it, and the tests of what copies and what aliases are made from it.
Operations that take a shorter way (item access, operators, copies) have rows for the documentation and for the tests,
which hold them to these. An operation that is not listed computes: it returns a fresh array, and writes at most a
parameter named ``out``. The positions of parameters are read from NumPy's signatures.

Names are NumPy's: ``"sort"`` is ``numpy.sort``, ``"linalg.diagonal"`` is ``numpy.linalg.diagonal``, ``"ndarray.sort"``
is the method.
"""

import ast
import inspect
import sys
from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

__all__ = [
    "COPY",
    "FRESH",
    "KEYWORD_ONLY",
    "OPERATIONS",
    "OVERLAPPING",
    "SAME",
    "VIEW",
    "Operation",
    "Parameter",
    "Picks",
    "Row",
    "WritesIf",
    "is_numpys",
    "lookup",
    "method",
    "name_of",
]

VIEW = "view"  # the same Storage
SAME = "same"  # the very object
COPY = "copy"  # a new Storage, whether or not NumPy would alias
FRESH = "fresh"  # the result of a computation

OVERLAPPING = "overlapping"  # of views: read-only where elements overlap


_Named = TypeVar("_Named")  # a parameter: in a row its name, in an operation a `Parameter`


class WritesIf(NamedTuple, Generic[_Named]):
    """A parameter that is written only if another one, a flag, has this truth value."""

    written: _Named
    flag: _Named
    value: bool


class Picks(NamedTuple, Generic[_Named]):
    """How an operation picks the elements that it writes: the way (picking.pxd), and the parameters that say which."""

    way: str
    by: _Named
    beside: _Named | None = None


class Row(NamedTuple):
    """What an operation returns, and the names of the parameters that it writes."""

    result: str = FRESH
    writes: tuple[str, ...] = ()  # "self" is a method's array
    writes_if: WritesIf[str] | None = None
    readonly: bool | str = False  # of views that NumPy hands out read-only: all of them, or OVERLAPPING ones
    calls_user: bool = False  # runs user functions, which may keep what they are given and return what they kept
    overwrites_unless: str = ""  # unless this parameter is given, all of what is written is overwritten
    picks: Picks[str] | None = None  # with these parameters, only a few of the elements may be written
    changed: tuple[str, ...] = ()  # numbers that NumPy's own code changes in place, by accident: it gets copies
    copies_readonly: bool = False  # only reads, but asks for writable memory: NumPy copies a read-only array


class Parameter(NamedTuple):
    """Where a call has an argument, by NumPy's signature."""

    name: str
    position: int
    default: object = None


class Operation(NamedTuple):
    """A row, with the positions of the parameters that it names, and with ``out`` among those written."""

    result: str = FRESH
    writes: tuple[Parameter, ...] = ()
    writes_if: WritesIf[Parameter] | None = None
    readonly: bool | str = False
    calls_user: bool = False
    overwrites_unless: Parameter | None = None
    picks: Picks[Parameter] | None = None
    changed: tuple[Parameter, ...] = ()
    copies_readonly: bool = False


SELF = -1  # the position of a method's array
KEYWORD_ONLY = 10**6  # a position that no call reaches


def _rows(names: str, *args: Any, prefix: str = "", **kwargs: Any) -> dict[str, Row]:
    return {prefix + name: Row(*args, **kwargs) for name in names.split()}


OPERATIONS = {
    # ---- views
    **_rows(
        "transpose matrix_transpose swapaxes moveaxis squeeze expand_dims real imag flip fliplr flipud "
        "split array_split hsplit vsplit dsplit unstack einsum linalg.matrix_transpose",
        VIEW,
    ),
    "rollaxis": Row(VIEW, changed=("start",)),
    "rot90": Row(VIEW, changed=("k",)),
    **_rows(
        "broadcast_to diagonal linalg.diagonal lib.stride_tricks.sliding_window_view",
        VIEW,
        readonly=True,
    ),
    "broadcast_arrays": Row(VIEW, readonly=OVERLAPPING),
    **_rows("transpose swapaxes squeeze view getfield T mT real imag __getitem__", VIEW, prefix="ndarray."),
    **_rows("diagonal", VIEW, readonly=True, prefix="ndarray."),
    "ndarray.to_device": Row(SAME),
    # ---- copies in meaning
    **_rows(
        "reshape ravel copy astype "
        "atleast_1d atleast_2d atleast_3d real_if_close trim_zeros resize meshgrid ix_ append tile roll",
        COPY,
    ),
    "repeat": Row(COPY, copies_readonly=True),
    **_rows("reshape ravel flatten copy lazy_clone astype __copy__ __deepcopy__", COPY, prefix="ndarray."),
    **_rows("conj conjugate", COPY, prefix="ndarray."),
    # ---- readers of writable memory
    **_rows("argmax argmin bincount convolve correlate interp", copies_readonly=True),
    **_rows("argmax argmin repeat", copies_readonly=True, prefix="ndarray."),
    # ---- writers
    "copyto": Row(writes=("dst",), overwrites_unless="where", picks=Picks("true elements", "where")),
    "put": Row(writes=("a",), picks=Picks("flat places", "ind")),
    "place": Row(writes=("arr",), picks=Picks("flat mask", "mask")),
    "putmask": Row(writes=("a",), picks=Picks("flat mask", "mask")),
    "put_along_axis": Row(writes=("arr",), picks=Picks("along an axis", "indices", "axis")),
    "lib.recfunctions.assign_fields_by_name": Row(writes=("dst",)),
    "lib.recfunctions.recursive_fill_fields": Row(writes=("output",)),
    "fill_diagonal": Row(writes=("a",), picks=Picks("the diagonal", "wrap")),
    "nan_to_num": Row(COPY, writes_if=WritesIf("x", "copy", False)),
    **_rows(
        "median nanmedian percentile nanpercentile quantile nanquantile",
        writes_if=WritesIf("a", "overwrite_input", True),
    ),
    **_rows("fill sort partition setfield __setitem__ resize", writes=("self",), prefix="ndarray."),
    "ndarray.put": Row(writes=("self",), picks=Picks("flat places", "indices")),
    "ndarray.byteswap": Row(writes_if=WritesIf("self", "inplace", True)),
    # ---- functions that run functions of the user
    **_rows("array asarray asanyarray ascontiguousarray asfortranarray", COPY),
    "require": Row(COPY, calls_user=True),
    **_rows("frombuffer fromfile", calls_user=True),
    **_rows("apply_along_axis apply_over_axes piecewise fromfunction fromiter", calls_user=True),
    **_rows("array_repr array_str array2string", calls_user=True),  # formatters named by the print options
}


# Their signatures in a later NumPy: before 2.4, and under ``python -OO``, C functions have none.
_UNTOLD = {
    "busday_count": "(begindates, enddates, weekmask='1111100', holidays=(), busdaycal=None, out=None)",
    "busday_offset": "(dates, offsets, roll='raise', weekmask='1111100', holidays=None, busdaycal=None, out=None)",
    "concatenate": "(arrays, /, axis=0, out=None, *, dtype=None, casting='same_kind')",
    "copyto": "(dst, src, casting='same_kind', where=True)",
    "dot": "(a, b, out=None)",
    "is_busday": "(dates, weekmask='1111100', holidays=None, busdaycal=None, out=None)",
    "putmask": "(a, /, mask, values)",
    **{f"ndarray.{name}": "(self, axis=None, out=None)" for name in ("all", "any", "argmax", "argmin", "max", "min")},
    **{
        f"ndarray.{name}": "(self, axis=None, dtype=None, out=None)"
        for name in ("cumprod", "cumsum", "mean", "prod", "std", "sum", "var")
    },
    "ndarray.byteswap": "(self, inplace=False)",
    "ndarray.clip": "(self, min=None, max=None, out=None)",
    "ndarray.compress": "(self, condition, axis=None, out=None)",
    "ndarray.dot": "(self, other, /, out=None)",
    "ndarray.put": "(self, indices, values, /, mode='raise')",
    "ndarray.round": "(self, decimals=0, out=None)",
    "ndarray.take": "(self, indices, axis=None, out=None, mode='raise')",
    "ndarray.trace": "(self, offset=0, axis1=0, axis2=1, dtype=None, out=None)",
}

# What these take, where NumPy's signatures say something else.
_MISTOLD = {
    "ndarray.choose": "(self, *choices, out=None, mode='raise')",
    **{f"ndarray.{name}": "(self, out=None, /)" for name in ("conj", "conjugate")},
}


def name_of(function: Callable[..., Any]) -> str:
    """Return the name that a NumPy function has in this table."""
    module = (function.__module__ or "").removeprefix("numpy").lstrip(".")
    return f"{module}.{function.__name__}" if module else function.__name__


def lookup(function: Callable[..., Any]) -> Operation:
    """Return the row of a NumPy function, with the positions of its parameters."""
    name = name_of(function)
    return _placed(name, OPERATIONS.get(name, Row()), function)


def is_numpys(function: object) -> bool:
    """True if a function stands in one of NumPy's modules: it is not a stranger's, and lives as long as NumPy does."""
    module = getattr(function, "__module__", None)
    if type(module) is not str or module.partition(".")[0] != "numpy":
        return False
    name = getattr(function, "__name__", None)
    if type(name) is str and getattr(sys.modules.get(module), "__dict__", {}).get(name) is function:
        return True  # most are there: a search of all modules for each took a quarter of the start of `cowarray run`
    modules = [each for name, each in list(sys.modules.items()) if name.partition(".")[0] == "numpy"]
    return any(value is function for each in modules for value in list(getattr(each, "__dict__", {}).values()))


def method(name: str) -> Operation:
    """Return the row of a method of NumPy's arrays; the array itself is its parameter "self"."""
    import numpy

    whole = f"ndarray.{name}"
    return _placed(whole, OPERATIONS.get(whole, Row()), getattr(numpy.ndarray, name, None), Parameter("self", SELF))


def _placed(name: str, row: Row, function: Any, *first: Parameter) -> Operation:
    places = {each.name: each for each in (*first, *_parameters(name, row, function))}
    written = row.writes if "out" in row.writes or "out" not in places else (*row.writes, "out")
    writes = tuple([places.get(name) or Parameter(name, 0) for name in written])
    writes_if = None
    if row.writes_if:
        flag = places.get(row.writes_if.flag) or Parameter(row.writes_if.flag, 0)
        writes_if = WritesIf(places[row.writes_if.written], flag, row.writes_if.value)
    by = places.get(row.picks.by) if row.picks else None
    return Operation(
        row.result,
        writes,
        writes_if,
        row.readonly,
        row.calls_user,
        places.get(row.overwrites_unless),
        Picks(row.picks.way, by, places.get(row.picks.beside or "")) if row.picks and by else None,
        tuple([places[name] for name in row.changed]),
        row.copies_readonly,
    )


def _parameters(name: str, row: Row, function: Any) -> list[Parameter]:
    """Return the parameters of a function; none if the row does not need them."""
    if name in _MISTOLD:
        return _told(_MISTOLD[name])
    text = getattr(function, "__text_signature__", None)
    named = row.writes_if or row.picks
    if row.writes in ((), ("self",)) and named is None and text is not None and "out" not in text:
        return []
    if text is not None and (told := _told(text)):
        return told
    try:
        return _inspected(function)
    except (TypeError, ValueError):
        return _told(_UNTOLD[name]) if name in _UNTOLD else []  # no signature: only what the row names is known


def _inspected(function: Any) -> list[Parameter]:
    return _numbered(
        [
            (each.name, each.kind is each.KEYWORD_ONLY, None if each.default is each.empty else each.default)
            for each in inspect.signature(function).parameters.values()
        ]
    )


def _told(text: str) -> list[Parameter]:
    """Parse a C function's signature, in a fraction of the time that `inspect` takes; none if it is not plain."""
    try:
        told = ast.parse(f"def f{text.replace('$', '')}: pass").body[0].args  # type: ignore[attr-defined]
        named = [None if each is None else _literal(each) for each in told.kw_defaults]
        defaults = [_literal(each) for each in told.defaults]
    except (SyntaxError, ValueError):
        return []
    before = [*told.posonlyargs, *told.args]
    defaults = [None] * (len(before) - len(defaults)) + defaults
    found = [(each.arg, False, default) for each, default in zip(before, defaults, strict=True)]
    if told.vararg:
        found.append((told.vararg.arg, False, None))
    found += [(each.arg, True, default) for each, default in zip(told.kwonlyargs, named, strict=True)]
    if told.kwarg:
        found.append((told.kwarg.arg, False, None))
    return _numbered(found)


def _literal(node: ast.expr) -> Any:
    return node.value if type(node) is ast.Constant else ast.literal_eval(node)


def _numbered(parameters: list[tuple[str, bool, Any]]) -> list[Parameter]:
    """Number parameters, as (name, keyword-only, default), by position in calls; a method's array is not counted."""
    others = [each for each in parameters if each[0] != "self"]
    return [
        Parameter(name, KEYWORD_ONLY if by_keyword else position, default)
        for position, (name, by_keyword, default) in enumerate(others)
    ]
