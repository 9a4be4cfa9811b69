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
from .reductions import accumulation, reduction, segments

__all__ = [
    "Layout",
    "ValuesNeeded",
    "accumulation",
    "assigned",
    "cast",
    "concatenated",
    "copied",
    "elementwise",
    "fresh",
    "generalized",
    "indexed",
    "outer",
    "reduction",
    "reshaped_copy",
    "segments",
    "where",
]
