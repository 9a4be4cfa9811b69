"""Rows of operations whose layout depends on values by nature: for fakes, they are refused with advice."""

from typing import Any

from cowarray._face.ndarray import ndarray
from cowarray._modes.fake.calls import Call
from cowarray._modes.fake.fakes import is_fake
from cowarray._modes.fake.rules.composites import clone_of, composite, run
from cowarray._modes.fake.rules.rules import VALUES, enter, rule

__all__ = ["NEEDED"]

_SHAPE = "the shape of the result depends on values"
_DTYPE = "the dtype of the result depends on values"

# By what depends on values, and the advice: the operations.
NEEDED = {
    (_SHAPE, "give it real values, or make an array of the size that you expect"): ("trim_zeros roots polymul polydiv"),
    (_DTYPE, "give it real values"): "real_if_close poly",
    (_DTYPE, "texts have the length of the longest: give it real values"): (
        "strings.center strings.decode strings.encode strings.expandtabs strings.ljust strings.mod strings.multiply "
        "strings.partition strings.replace strings.rjust strings.rpartition strings.zfill strings._join strings._split "
        "strings._rsplit strings._splitlines strings.slice char.multiply char.partition char.rpartition"
    ),
}


def _row(reason: Any, advice: Any) -> Any:
    def refuse(call: Call) -> Any:
        if call.faked is None:
            return call.forgotten()
        raise call.refusal(reason, advice)

    return refuse


for (_reason, _advice), _names in NEEDED.items():
    enter(_names, _row(_reason, _advice), VALUES)


# ---- where a condition decides: the plan's assumption answers it


@rule("linalg.eig linalg.eigvals")
def eigenvalues(call: Call) -> Any:
    """Ask the plan whether the eigenvalues of a real matrix are complex; those of a complex one are."""
    x = call.args[0] if call.args else call.kwargs["a"]
    if isinstance(x, ndarray) and is_fake(x) and x.dtype.kind != "c":
        is_complex = call.is_true(_DTYPE, "give it complex numbers, or use eigh")
        return run(
            call,
            clone_of(call.function.function),
            call.args,
            call.kwargs,
            frozenset() if is_complex else frozenset(["equal", "logical_and"]),
        )
    return composite(call)


@rule(
    "lib.scimath.sqrt lib.scimath.log lib.scimath.log2 lib.scimath.log10 lib.scimath.logn lib.scimath.power "
    "lib.scimath.arccos lib.scimath.arcsin lib.scimath.arctanh",
    kind=VALUES,
)
def complex_where_needed(call: Call) -> Any:
    if call.faked is None:
        return call.forgotten()
    is_complex = call.is_true(_DTYPE, "give it complex numbers")
    taken = frozenset(["logical_or", "logical_and", "less", "greater"]) if is_complex else frozenset[str]()
    return run(call, clone_of(call.function.function), call.args, call.kwargs, taken)


@rule("linalg.lstsq", kind=VALUES)
def least_squares(call: Call) -> Any:
    """Ask the plan whether the rank is full, so that there are residuals; inside NumPy's own code it is."""
    if call.faked is None:
        return call.forgotten()
    if call.block.assumed is not None:
        return composite(call)
    is_full = call.is_true(_SHAPE, "give it real values, or drop the residuals")
    return run(
        call,
        clone_of(call.function.function),
        call.args,
        call.kwargs,
        frozenset() if is_full else frozenset(["not_equal"]),
    )
