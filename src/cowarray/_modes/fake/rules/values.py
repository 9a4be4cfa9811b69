"""Rows of the operations whose result depends on values by nature: of fakes they are refused, with advice."""

import numpy as np

from cowarray._face.ndarray import ndarray
from cowarray._modes.fake.fakes import is_fake
from cowarray._modes.fake.rules.composites import composite
from cowarray._modes.fake.rules.rules import VALUES, enter, rule

__all__ = ["NEEDED"]

_SHAPE = "the shape of the result depends on values"
_DTYPE = "the dtype of the result depends on values"
_VALUE = "a value is needed"

# By what depends, and what to do instead: the operations.
NEEDED = {
    (_SHAPE, "use where with three arguments, or multiply by the mask"): (
        "nonzero argwhere flatnonzero extract ndarray.nonzero"
    ),
    (_SHAPE, "give it real values, or make an array of the size that you expect"): (
        "unique unique_all unique_counts unique_inverse unique_values union1d intersect1d setdiff1d setxor1d "
        "trim_zeros roots polymul polydiv bincount"
    ),
    (_SHAPE, "give it real values, or drop the residuals"): "linalg.lstsq",
    (_DTYPE, "give it complex numbers"): (
        "lib.scimath.sqrt lib.scimath.log lib.scimath.log2 lib.scimath.log10 lib.scimath.logn lib.scimath.power "
        "lib.scimath.arccos lib.scimath.arcsin lib.scimath.arctanh"
    ),
    (_DTYPE, "give it real values"): "real_if_close poly",
    (_DTYPE, "texts have the length of the longest: give it real values"): (
        "strings.center strings.decode strings.encode strings.expandtabs strings.ljust strings.mod strings.multiply "
        "strings.partition strings.replace strings.rjust strings.rpartition strings.zfill strings._join strings._split "
        "strings._rsplit strings._splitlines strings.slice char.multiply char.partition char.rpartition"
    ),
    (_VALUE, "decide by shape and dtype, or compute the condition from real arrays"): (
        "allclose array_equal array_equiv ndarray.__contains__"
    ),
    (_VALUE, "print its shape and dtype"): "array2string array_repr array_str",
}


def _row(reason, advice):
    def refuse(call):
        if call.faked is None:
            return call.forgotten()
        if call.operation == "linalg.lstsq" and call.block.assumed is not None:
            return composite(call)
        raise call.refusal(reason, advice)

    return refuse


for (_reason, _advice), _names in NEEDED.items():
    enter(_names, _row(_reason, _advice), VALUES)


@rule("linalg.eig linalg.eigvals")
def eigenvalues(call):
    """Those of real matrices are real or complex; those of complex ones are complex."""
    x = call.args[0] if call.args else call.kwargs["a"]
    if isinstance(x, ndarray) and is_fake(x) and x.dtype.kind != "c":
        raise call.refusal(_DTYPE, "give it complex numbers, or use eigh")
    return composite(call)


@rule("bincount")
def bincount(call):
    """In NumPy's code that names a length, as long as that; else as long as the largest value."""
    if call.faked is None:
        return call.forgotten()
    if call.block.assumed is None:
        raise call.refusal(_SHAPE, "give it real values")
    from cowarray._modes.layouts.inference import fresh

    weights = call.kwargs.get("weights", call.args[1] if len(call.args) > 1 else None)
    dtype = np.dtype(np.intp if weights is None else float)
    if weights is not None:
        np.bincount([0], np.zeros(1, call.header(weights).dtype))
    return call.give(fresh((int(call.kwargs.get("minlength", 0)),), dtype))
