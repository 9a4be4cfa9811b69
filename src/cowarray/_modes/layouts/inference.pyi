from cowarray._modes.layouts.copying import cast as cast
from cowarray._modes.layouts.copying import concatenated as concatenated
from cowarray._modes.layouts.copying import copied as copied
from cowarray._modes.layouts.copying import fresh as fresh
from cowarray._modes.layouts.copying import reshaped_copy as reshaped_copy
from cowarray._modes.layouts.elementwise import elementwise as elementwise
from cowarray._modes.layouts.elementwise import outer as outer
from cowarray._modes.layouts.elementwise import where as where
from cowarray._modes.layouts.fancy import assigned as assigned
from cowarray._modes.layouts.fancy import indexed as indexed
from cowarray._modes.layouts.generalized import generalized as generalized
from cowarray._modes.layouts.layouts import Layout as Layout
from cowarray._modes.layouts.layouts import ValuesNeeded as ValuesNeeded
from cowarray._modes.layouts.primitives import argbest as argbest
from cowarray._modes.layouts.primitives import argsorted as argsorted
from cowarray._modes.layouts.primitives import bincount as bincount
from cowarray._modes.layouts.primitives import choose as choose
from cowarray._modes.layouts.primitives import dot as dot
from cowarray._modes.layouts.primitives import inner as inner
from cowarray._modes.layouts.primitives import lexsort as lexsort
from cowarray._modes.layouts.primitives import packbits as packbits
from cowarray._modes.layouts.primitives import repeat as repeat
from cowarray._modes.layouts.primitives import searchsorted as searchsorted
from cowarray._modes.layouts.primitives import sorted_copy as sorted_copy
from cowarray._modes.layouts.primitives import take as take
from cowarray._modes.layouts.primitives import unpackbits as unpackbits
from cowarray._modes.layouts.primitives import vdot as vdot
from cowarray._modes.layouts.reductions import accumulation as accumulation
from cowarray._modes.layouts.reductions import reduction as reduction
from cowarray._modes.layouts.reductions import segments as segments
from cowarray._modes.layouts.summation import einsum as einsum

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
