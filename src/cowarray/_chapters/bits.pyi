from typing import Any, Literal

from numpy.typing import ArrayLike

from cowarray._face.ndarray import ndarray

def packbits(
    a: ArrayLike, /, axis: int | None = None, bitorder: Literal["big", "little"] = "big"
) -> ndarray[Any, Any]: ...
def unpackbits(
    a: ArrayLike, /, axis: int | None = None, count: int | None = None, bitorder: Literal["big", "little"] = "big"
) -> ndarray[Any, Any]: ...
