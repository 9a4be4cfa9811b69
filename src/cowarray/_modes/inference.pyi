from cowarray._modes.copying import cast as cast
from cowarray._modes.copying import concatenated as concatenated
from cowarray._modes.copying import copied as copied
from cowarray._modes.copying import fresh as fresh
from cowarray._modes.copying import reshaped_copy as reshaped_copy
from cowarray._modes.elementwise import elementwise as elementwise
from cowarray._modes.elementwise import outer as outer
from cowarray._modes.elementwise import where as where
from cowarray._modes.fancy import assigned as assigned
from cowarray._modes.fancy import indexed as indexed
from cowarray._modes.generalized import generalized as generalized
from cowarray._modes.layouts import Layout as Layout
from cowarray._modes.layouts import ValuesNeeded as ValuesNeeded
from cowarray._modes.reductions import accumulation as accumulation
from cowarray._modes.reductions import reduction as reduction
from cowarray._modes.reductions import segments as segments

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
