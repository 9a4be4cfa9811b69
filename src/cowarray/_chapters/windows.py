"""Windows: the weights by which signals are tapered at both ends."""

import numpy as np
from numpy.typing import ArrayLike

from cowarray._chapters.docstrings import Completed, complete
from cowarray._face.annotations import Array
from cowarray._ops.functions import dispatched

__all__ = ["bartlett", "blackman", "hamming", "hanning", "kaiser"]

_completed = Completed(
    {
        "M": "int\n    How many; none if it is less than 1.",
        "beta": "float\n    The shape: the greater, the narrower.",
    },
    "ndarray",
    returns="Fresh, with one axis; in the middle 1.",
)


@_completed
def bartlett(M: ArrayLike) -> Array:
    """The Bartlett window: a triangle."""
    return dispatched(np.bartlett, M)


@_completed
def blackman(M: ArrayLike) -> Array:
    """The Blackman window: three terms of a sum of cosines."""
    return dispatched(np.blackman, M)


@_completed
def hamming(M: ArrayLike) -> Array:
    """The Hamming window: a cosine, which does not end at 0."""
    return dispatched(np.hamming, M)


@_completed
def hanning(M: ArrayLike) -> Array:
    """The Hann window: a cosine, which ends at 0."""
    return dispatched(np.hanning, M)


@_completed
def kaiser(M: ArrayLike, beta: ArrayLike) -> Array:
    """The Kaiser window: a Bessel function."""
    return dispatched(np.kaiser, M, beta)


complete(globals())
