from typing import Any, Final, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike

from cowarray import array_api as array_api
from cowarray import fft as fft
from cowarray import lib as lib
from cowarray import linalg as linalg
from cowarray import random as random
from cowarray._array.array import Snapshot as Snapshot
from cowarray._array.overlaps import aliases as aliases
from cowarray._array.overlaps import shares_bytes as shares_bytes
from cowarray._chapters import *
from cowarray._chapters.inspection import __array_api_version__ as __array_api_version__
from cowarray._chapters.inspection import __array_namespace_info__ as __array_namespace_info__
from cowarray._face.attributes import Flags as Flags
from cowarray._face.attributes import FlatIterator as FlatIterator
from cowarray._face.ndarray import ndarray as ndarray
from cowarray._files.npy import load as load
from cowarray._files.npy import save as save
from cowarray._files.npy import savez as savez
from cowarray._files.npy import savez_compressed as savez_compressed
from cowarray._files.raw import *
from cowarray._modes.budget.budgeting import budget as budget
from cowarray._modes.budget.budgeting import checkpoint as checkpoint
from cowarray._modes.budget.budgeting import decheckpoint as decheckpoint
from cowarray._modes.budget.budgeting import evict as evict
from cowarray._modes.budget.budgeting import is_checkpointed as is_checkpointed
from cowarray._modes.copies.copies import CopyError as CopyError
from cowarray._modes.copies.copies import Sharer as Sharer
from cowarray._modes.copies.copies import TraceEvent as TraceEvent
from cowarray._modes.copies.copies import no_copy as no_copy
from cowarray._modes.copies.copies import trace as trace
from cowarray._modes.copies.isolating import isolated as isolated
from cowarray._modes.copies.lending import lend as lend
from cowarray._modes.deferred.deferring import deferred as deferred
from cowarray._modes.deferred.deferring import deferred_init as deferred_init
from cowarray._modes.deferred.deferring import is_deferred as is_deferred
from cowarray._modes.deferred.deferring import materialize as materialize
from cowarray._modes.fake.planning import Line as Line
from cowarray._modes.fake.planning import fake as fake
from cowarray._modes.fake.planning import fake_like as fake_like
from cowarray._modes.fake.planning import is_fake as is_fake
from cowarray._modes.fake.refusals import FakeError as FakeError
from cowarray._modes.simulate.divergences import AliasingError as AliasingError
from cowarray._modes.simulate.divergences import AliasingWarning as AliasingWarning
from cowarray._modes.simulate.divergences import Divergence as Divergence
from cowarray._modes.simulate.divergences import Site as Site
from cowarray._modes.simulate.simulation import simulate as simulate
from cowarray._native.figures import keep_freed as keep_freed
from cowarray._native.figures import paging as paging
from cowarray._native.figures import paging_memory as paging_memory
from cowarray._native.figures import reset_stats as reset_stats
from cowarray._native.figures import stats as stats
from cowarray._native.storage import Storage as Storage
from cowarray._ops.conversion import array as array
from cowarray._ops.conversion import asarray as asarray
from cowarray._ops.conversion import from_dlpack as from_dlpack
from cowarray._tools.registering import register as register
from cowarray._tools.relatives import Relative as Relative
from cowarray._tools.report import Explanation as Explanation
from cowarray._tools.report import explain as explain

__version__: Final[str]

_Shape = TypeVar("_Shape", bound=tuple[Any, ...])
_DType = TypeVar("_DType", bound=np.dtype[Any])

@overload
def lazy_clone(x: ndarray[_Shape, _DType] | np.ndarray[_Shape, _DType], /) -> ndarray[_Shape, _DType]: ...
@overload
def lazy_clone(x: ArrayLike, /) -> ndarray[Any, Any]: ...
def get_include() -> str: ...
