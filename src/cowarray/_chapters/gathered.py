"""The names of all chapters in one module, for users who need most of them: each chapter is imported."""

# As in the package itself: mypy sees no `__all__`.
# mypy: implicit-reexport

from cowarray._chapters.bits import *
from cowarray._chapters.callbacks import *
from cowarray._chapters.constants import *
from cowarray._chapters.creation import *
from cowarray._chapters.data_types import *
from cowarray._chapters.dates import *
from cowarray._chapters.elementwise import *
from cowarray._chapters.elementwise_numpy import *
from cowarray._chapters.grids import *
from cowarray._chapters.indexing import *
from cowarray._chapters.iterators import *
from cowarray._chapters.linear_algebra import *
from cowarray._chapters.manipulation import *
from cowarray._chapters.numpys_own import *
from cowarray._chapters.polynomials import *
from cowarray._chapters.printing import *
from cowarray._chapters.searching import *
from cowarray._chapters.sets import *
from cowarray._chapters.sorting import *
from cowarray._chapters.statistics import *
from cowarray._chapters.utility import *
from cowarray._chapters.windows import *

MYPY = False
if not MYPY:
    from cowarray._chapters import (
        bits,
        callbacks,
        constants,
        creation,
        data_types,
        dates,
        elementwise,
        elementwise_numpy,
        grids,
        indexing,
        iterators,
        linear_algebra,
        manipulation,
        numpys_own,
        polynomials,
        printing,
        searching,
        sets,
        sorting,
        statistics,
        utility,
        windows,
    )

    __all__: list[str] = []
    __all__ += bits.__all__
    __all__ += callbacks.__all__
    __all__ += constants.__all__
    __all__ += creation.__all__
    __all__ += data_types.__all__
    __all__ += dates.__all__
    __all__ += elementwise.__all__
    __all__ += elementwise_numpy.__all__
    __all__ += grids.__all__
    __all__ += indexing.__all__
    __all__ += iterators.__all__
    __all__ += linear_algebra.__all__
    __all__ += manipulation.__all__
    __all__ += numpys_own.__all__
    __all__ += polynomials.__all__
    __all__ += printing.__all__
    __all__ += searching.__all__
    __all__ += sets.__all__
    __all__ += sorting.__all__
    __all__ += statistics.__all__
    __all__ += utility.__all__
    __all__ += windows.__all__
del MYPY
