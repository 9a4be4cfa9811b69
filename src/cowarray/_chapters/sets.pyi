from typing import Any, Literal, SupportsIndex

from numpy.typing import ArrayLike

from cowarray._face.ndarray import ndarray

__all__ = [
    "intersect1d",
    "isin",
    "setdiff1d",
    "setxor1d",
    "union1d",
    "unique",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
]

# Named tuples are NumPy's own, as are their types.
def intersect1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False, return_indices: bool = False) -> Any: ...
def isin(
    element: ArrayLike,
    test_elements: ArrayLike,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    kind: Literal["sort", "table"] | None = None,
) -> Any: ...
def setdiff1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> ndarray[tuple[int], Any]: ...
def setxor1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> ndarray[tuple[int], Any]: ...
def union1d(ar1: ArrayLike, ar2: ArrayLike) -> ndarray[tuple[int], Any]: ...
def unique(
    ar: ArrayLike,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: SupportsIndex | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any: ...
def unique_all(x: ArrayLike) -> Any: ...
def unique_counts(x: ArrayLike) -> Any: ...
def unique_inverse(x: ArrayLike) -> Any: ...
def unique_values(x: ArrayLike) -> ndarray[tuple[int], Any]: ...
