"""The one table of operations: what each gives back, and which of its arguments it writes.

The dispatcher acts on it, the documentation prints it, and the tests of what copies and what aliases are made from it.
Operations that have a way of their own, because it is shorter (item access, operators, copies), have their rows for the
documentation and for the tests, which hold them to it. An operation that is not listed computes: it gives a fresh
array, and writes at most a parameter named ``out``.

Names are NumPy's: ``"sort"`` is ``numpy.sort``, ``"linalg.diagonal"`` is ``numpy.linalg.diagonal``,
``"ndarray.sort"`` is the method.
"""

from typing import NamedTuple

__all__ = ["COPY", "FRESH", "OPERATIONS", "SAME", "VIEW", "Operation", "lookup"]

VIEW = "view"  # the same Storage
SAME = "same"  # the very object
COPY = "copy"  # a new Storage, whether or not NumPy would alias
FRESH = "fresh"  # the result of a computation


class Operation(NamedTuple):
    """One row: what comes back, and what is written."""

    result: str = FRESH
    # Parameters that are written, as (name, position). For methods, "self" is at position -1.
    writes: tuple = ()
    # The parameter that is written only if another, a flag, has a value:
    # (written, its position, flag, its position, the value, the flag's default).
    writes_if: tuple = ()
    # Views that NumPy hands out read-only.
    readonly: bool = False
    # Runs functions of the user, which may keep what they are given and return what they kept.
    calls_user: bool = False


def _rows(names, *args, prefix="", **kwargs):
    return {prefix + name: Operation(*args, **kwargs) for name in names.split()}


_SELF = (("self", -1),)
KEYWORD_ONLY = 10**6  # a position that no call reaches

OPERATIONS = {
    # ---- views
    **_rows(
        "transpose matrix_transpose swapaxes moveaxis rollaxis squeeze expand_dims real imag flip fliplr flipud rot90 "
        "split array_split hsplit vsplit dsplit unstack einsum linalg.matrix_transpose",
        VIEW,
    ),
    **_rows(
        "broadcast_to broadcast_arrays diagonal linalg.diagonal lib.stride_tricks.sliding_window_view",
        VIEW,
        readonly=True,
    ),
    **_rows("transpose swapaxes squeeze view getfield T mT real imag __getitem__", VIEW, prefix="ndarray."),
    **_rows("diagonal", VIEW, readonly=True, prefix="ndarray."),
    "ndarray.to_device": Operation(SAME),
    # ---- copies in meaning
    **_rows(
        "reshape ravel copy astype "
        "atleast_1d atleast_2d atleast_3d real_if_close trim_zeros resize meshgrid ix_ append tile repeat roll",
        COPY,
    ),
    **_rows("reshape ravel flatten copy lazy_clone astype __copy__ __deepcopy__", COPY, prefix="ndarray."),
    **_rows("conj conjugate", COPY, writes=(("out", 0),), prefix="ndarray."),
    # ---- writers
    "copyto": Operation(writes=(("dst", 0),)),
    "put": Operation(writes=(("a", 0),)),
    "place": Operation(writes=(("arr", 0),)),
    "putmask": Operation(writes=(("a", 0),)),
    "put_along_axis": Operation(writes=(("arr", 0),)),
    "lib.recfunctions.assign_fields_by_name": Operation(writes=(("dst", 0),)),
    "lib.recfunctions.recursive_fill_fields": Operation(writes=(("output", 1),)),
    "fill_diagonal": Operation(writes=(("a", 0),)),
    "nan_to_num": Operation(COPY, writes_if=("x", 0, "copy", 1, False, True)),
    **_rows("median nanmedian", writes=(("out", 2),), writes_if=("a", 0, "overwrite_input", 3, True, False)),
    **_rows(
        "percentile nanpercentile quantile nanquantile",
        writes=(("out", 3),),
        writes_if=("a", 0, "overwrite_input", 4, True, False),
    ),
    **_rows("fill sort partition put setfield", writes=_SELF, prefix="ndarray."),
    **_rows("__setitem__ resize", writes=_SELF, prefix="ndarray."),
    "ndarray.byteswap": Operation(writes_if=("self", -1, "inplace", 0, True, False)),
    # ---- computing methods that take out
    **_rows(
        "all any argmax argmin max min",
        writes=(("out", 1),),
        prefix="ndarray.",
    ),
    "ndarray.clip": Operation(writes=(("out", 2),)),
    **_rows("choose round dot", writes=(("out", 1),), prefix="ndarray."),
    **_rows("sum prod mean cumsum cumprod std var take compress", writes=(("out", 2),), prefix="ndarray."),
    "ndarray.trace": Operation(writes=(("out", 4),)),
    # ---- functions that run functions of the user
    **_rows("array asarray asanyarray ascontiguousarray asfortranarray", COPY),
    "require": Operation(COPY, calls_user=True),
    **_rows("frombuffer fromfile", calls_user=True),
    **_rows("apply_along_axis apply_over_axes piecewise fromfunction fromiter", calls_user=True),
    **_rows("array_repr array_str array2string", calls_user=True),  # those that print options name
}


def lookup(function):
    """The row of a NumPy function, with the position of its ``out`` filled in from its signature."""
    import inspect

    module = (function.__module__ or "").removeprefix("numpy").lstrip(".")
    found = OPERATIONS.get(f"{module}.{function.__name__}" if module else function.__name__, Operation())
    if any(written == "out" for written, _ in found.writes):
        return found
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except ValueError:  # no signature: nothing is known to be written
        return found
    for position, parameter in enumerate(parameters):
        if parameter.name == "out":
            at = KEYWORD_ONLY if parameter.kind is parameter.KEYWORD_ONLY else position
            return found._replace(writes=(*found.writes, ("out", at)))
    return found
