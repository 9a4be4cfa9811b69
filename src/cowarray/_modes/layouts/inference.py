"""The layouts of NumPy's results, without computing them.

Arguments may be arrays without bytes: only shape, dtype, strides and flags of an array are read. No allocation is
proportional to a shape. NumPy's own errors are raised if they need no values; whether an array is writable is not
checked. Answers are cached by dtypes, shapes and strides, and depend on nothing else, so threads may share them.
"""

from cowarray._modes.layouts.copying import cast, concatenated, copied, fresh, reshaped_copy
from cowarray._modes.layouts.elementwise import elementwise, outer, where
from cowarray._modes.layouts.fancy import assigned, indexed
from cowarray._modes.layouts.generalized import generalized
from cowarray._modes.layouts.layouts import Layout, ValuesNeeded
from cowarray._modes.layouts.primitives import (
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
from cowarray._modes.layouts.reductions import accumulation, reduction, segments
from cowarray._modes.layouts.summation import einsum

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
