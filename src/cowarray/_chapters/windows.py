"""Windows: weights that taper a signal at both ends."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cowarray._chapters.declared import dispatching
from cowarray._chapters.docstrings import Completed, complete
from cowarray._face.annotations import Array

__all__ = ["bartlett", "blackman", "hamming", "hanning", "kaiser"]

_completed = Completed(
    {
        "M": "int\n    The number of points; if less than 1, the result is empty.",
        "beta": "float\n    The shape: the greater it is, the narrower the window.",
    },
    "ndarray",
    returns="Fresh, with one axis; 1 in the middle, if the number of points is odd.",
)


@dispatching(np.bartlett, returns=Array)
@_completed
def bartlett(M: ArrayLike) -> Any:
    """Return the Bartlett window: a triangle."""


@dispatching(np.blackman, returns=Array)
@_completed
def blackman(M: ArrayLike) -> Any:
    """Return the Blackman window: three terms of a sum of cosines."""


@dispatching(np.hamming, returns=Array)
@_completed
def hamming(M: ArrayLike) -> Any:
    """Return the Hamming window: a cosine that does not end at 0."""


@dispatching(np.hanning, returns=Array)
@_completed
def hanning(M: ArrayLike) -> Any:
    """Return the Hann window: a cosine that ends at 0."""


@dispatching(np.kaiser, arrays=2, returns=Array)
@_completed
def kaiser(M: ArrayLike, beta: ArrayLike) -> Any:
    """Return the Kaiser window: a Bessel function."""


complete(globals())
