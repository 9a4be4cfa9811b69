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


def model_cost(operation: str, args: tuple[Any, ...], results: Sequence[tuple[int, ndarray]], writes: bool) -> int:
    """Nanoseconds that an operation takes, by what it is called and by the sizes of its arguments and results.

    Parameters
    ----------
    operation : str
    args : tuple
    results : list of (int, ndarray)
        Those that have new bytes, as they were foretold.
    writes : bool
        Whether it writes to one of its arguments.

    Returns
    -------
    int
        Whole ones, as a log has them: so a run and the replay of its log agree.
    """
    return round(1e9 * _seconds(operation, args, results, writes))


def _seconds(operation: str, args: tuple[Any, ...], results: Sequence[tuple[int, ndarray]], writes: bool) -> float:
    nbytes = sum(x.nbytes for _, x in results)
    if operation in ("matmul", "dot", "ndarray.dot", "inner"):
        inner = max((each.shape[-1] for each in args[:1] if getattr(each, "shape", ())), default=1)
        return 2.0 * inner * sum(math.prod(x.shape) for _, x in results) / _FLOPS
    if writes and not results:
        nbytes = max((each.nbytes for each in args[:1] if hasattr(each, "nbytes")), default=0)
    if operation.startswith("fft."):
        return nbytes / _TRANSFORMS
    if operation.startswith("random."):
        return nbytes / _DRAWS
    return nbytes / _RATES.get(operation, _OTHERS)
