"""The layouts of NumPy's results, without computing them.

Arrays that are given may have no bytes: of an array only shape, dtype, strides and flags are looked at. Nothing is
allocated in proportion to a shape. NumPy's own errors are raised where they need no values; whether an array may be
written is not asked. Answers are kept by dtypes, shapes and strides, and these alone decide: threads may share them.
"""

from .copying import cast, concatenated, copied, fresh, reshaped_copy
from .elementwise import elementwise, outer, where
from .fancy import assigned, indexed
from .generalized import generalized
from .layouts import Layout, ValuesNeeded
from .primitives import (
    argbest,
    argsorted,
    bincount,
    choose,
    dot,
    inner,
    lexsort,
    packbits,
    repeat,
    searchsorted,
    sorted_copy,
    take,
    unpackbits,
    vdot,
)
from .reductions import accumulation, reduction, segments
from .summation import einsum

__all__ = [
    "Layout",
    "ValuesNeeded",
    "accumulation",
    "argbest",
    "argsorted",
    "assigned",
    "bincount",
    "cast",
    "choose",
    "concatenated",
    "copied",
    "dot",
    "einsum",
    "elementwise",
    "fresh",
    "generalized",
    "indexed",
    "inner",
    "lexsort",
    "outer",
    "packbits",
    "reduction",
    "repeat",
    "reshaped_copy",
    "searchsorted",
    "segments",
    "sorted_copy",
    "take",
    "unpackbits",
    "vdot",
    "where",
]
