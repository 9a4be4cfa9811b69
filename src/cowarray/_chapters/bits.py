"""Bits: booleans packed into bytes, and back."""

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from cowarray._chapters.declared import dispatching
from cowarray._chapters.docstrings import Completed, complete
from cowarray._face.annotations import Array

__all__ = ["packbits", "unpackbits"]

_completed = Completed(
    {
        "a": "array_like",
        "axis": "int, optional\n    The flattened array if omitted.",
        "count": "int, optional\n    How many bits to unpack; if negative, how many to drop from the end.",
        "bitorder": (
            "{'big', 'little'}, default 'big'\n"
            "    Which bit of a byte comes first: the most or the least significant one."
        ),
    },
    "ndarray",
)


@dispatching(np.packbits, returns=Array)
@_completed
def packbits(a: ArrayLike, /, axis: int | None = None, bitorder: Literal["big", "little"] = "big") -> Any:
    """Pack eight truth values into each byte.

    Fresh, of bytes; the last one is padded with zeros.
    """


@dispatching(np.unpackbits, returns=Array)
@_completed
def unpackbits(
    a: ArrayLike, /, axis: int | None = None, count: int | None = None, bitorder: Literal["big", "little"] = "big"
) -> Any:
    """Unpack each bit into a byte.

    Fresh, of bytes, 0 or 1.
    """


complete(globals())
