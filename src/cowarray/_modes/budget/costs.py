"""What operations cost by a fixed model, so that a run can be repeated."""

import math
from collections.abc import Sequence
from typing import Any

from cowarray._face.ndarray import ndarray

__all__ = ["model_cost"]

_MIB = 1 << 20

# Bytes of results that are made in a second, on one core of a machine of 2024.
_RATES = {
    "add": 11_600 * _MIB,
    "subtract": 11_600 * _MIB,
    "multiply": 13_700 * _MIB,
    "exp": 10_600 * _MIB,
    "tanh": 3_800 * _MIB,
    "cumsum": 2_500 * _MIB,
    "power": 1_160 * _MIB,
    "sort": 1_100 * _MIB,
    "sin": 470 * _MIB,
    "cos": 470 * _MIB,
    "log": 1_500 * _MIB,
    "sqrt": 5_000 * _MIB,
}
_OTHERS = 2_500 * _MIB
_DRAWS = 720 * _MIB
_TRANSFORMS = 400 * _MIB
_FLOPS = 24e9
_PRODUCTS = frozenset(("matmul", "dot", "ndarray.dot", "inner", "tensordot", "vecdot", "matvec", "vecmat"))
# They read as many elements as they give, however large the array that they read from is.
_PICKS = frozenset(
    f"{prefix}{name}"
    for prefix in ("", "ndarray.")
    for name in ("__getitem__", "take", "compress", "choose", "searchsorted", "interp")
)


def model_cost(operation: str, args: tuple[Any, ...], results: Sequence[tuple[int, ndarray]]) -> int:
    """Nanoseconds that an operation takes, by what it is called and by the sizes of its arguments and results.

    Parameters
    ----------
    operation : str
    args : tuple
    results : list of (int, ndarray)
        Those that have new bytes, as they were foretold.

    Returns
    -------
    int
        Whole ones, as a log has them: so a run and the replay of its log agree.
    """
    return round(1e9 * _seconds(operation, args, results))


def _seconds(operation: str, args: tuple[Any, ...], results: Sequence[tuple[int, ndarray]]) -> float:
    made = sum(x.nbytes for _, x in results)
    read = [x for x in args if isinstance(x, ndarray)]
    if operation in _PRODUCTS and read:
        given = [math.prod(x.shape) for _, x in results] or [max(x.size for x in read)]
        inner = read[0].shape[-1] if read[0].ndim else 1
        return 2.0 * inner * sum(given) / _FLOPS
    if operation.startswith("linalg."):
        return max((10.0 * x.size * x.shape[-1] for x in read if x.ndim), default=0.0) / _FLOPS
    if operation.startswith("random."):
        return made / _DRAWS
    if operation == "ndarray.__setitem__":
        read = read[1:] or read[:1]  # a part is written: what is assigned, if that is an array
    touched = made if operation in _PICKS else max(made, *(x.nbytes for x in read), 0)
    if operation.startswith("fft."):
        return touched / _TRANSFORMS
    return touched / _RATES.get(operation, _OTHERS)
