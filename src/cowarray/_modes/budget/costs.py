"""What operations cost by a model, so that a run can be repeated.

By the name of an operation, and by the sizes of what it reads and gives. The rates are those of one core of a machine
of 2024. They decide what is dear and what is cheap: an operation that takes three times what is said here is no fault.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from cowarray._face.ndarray import ndarray

__all__ = ["model_cost"]

_Array = np.ndarray | ndarray

_MIB = 1 << 20
# Bytes in a second, of what is given or read, whichever is more.
_RATES = (
    dict.fromkeys(("add", "subtract"), 11_600 * _MIB)
    | {"multiply": 13_700 * _MIB, "exp": 10_600 * _MIB, "tanh": 3_800 * _MIB, "sqrt": 5_000 * _MIB}
    | {"cumsum": 2_500 * _MIB, "power": 1_160 * _MIB, "sin": 470 * _MIB, "cos": 470 * _MIB, "log": 1_500 * _MIB}
    | dict.fromkeys(("concatenate", "stack", "astype", "copy", "pad", "roll"), 10_000 * _MIB)
    | dict.fromkeys(("fftshift", "ifftshift"), 10_000 * _MIB)
    | dict.fromkeys(
        ["partition", "median", "percentile", "quantile", "nanmedian", "nanpercentile", "nanquantile"], 600 * _MIB
    )
    | dict.fromkeys(("sort", "unique"), 400 * _MIB)
    | dict.fromkeys(("argsort", "lexsort", "searchsorted", "interp", "digitize"), 80 * _MIB)
)
_ROOMS = {"random": 720 * _MIB, "fft": 400 * _MIB, "strings": 80 * _MIB}
_OTHERS = 5_000 * _MIB
_HALVES = 400 * _MIB  # of float16, which processors convert
# They read what they give, however large the array is that they read from.
_PICKS = frozenset(("__getitem__", "take", "compress", "choose", "take_along_axis"))

# Multiplications and additions in a second: by BLAS, and by NumPy's loops.
_FLOPS = 24e9
_LOOPED = 1.5e9
_STACKED = frozenset(("matmul", "matvec", "vecmat", "vecdot"))
_PRODUCTS = frozenset(("dot", "inner", "tensordot", "einsum", "multi_dot", "kron", "outer", "vdot"))
_SLIDING = frozenset(("convolve", "correlate"))
_ELIMINATIONS = frozenset(
    ("inv", "solve", "det", "slogdet", "qr", "cholesky", "eigh", "eigvalsh", "matrix_power", "tensorinv", "tensorsolve")
)
_ITERATIONS = frozenset(("eig", "eigvals", "svd", "svdvals", "pinv", "lstsq", "matrix_rank", "cond"))
_ELIMINATED, _ITERATED = 10.0, 40.0  # for each element and column
_MATRIX = 50e-9  # seconds that each matrix of a stack takes beside its multiplications
_DECOMPOSITION = 300e-9


def model_cost(
    operation: str, args: Sequence[Any], kwargs: Mapping[str, Any], results: Sequence[tuple[int, ndarray]]
) -> int:
    """Nanoseconds that an operation takes, by what it is called and by the sizes of its arguments and results.

    Parameters
    ----------
    operation : str
    args : tuple
    kwargs : dict
    results : list of (int, ndarray)
        Those that have new bytes, as they were foretold.

    Returns
    -------
    int
        Whole ones, as a log has them: so a run and the replay of its log agree.
    """
    read = [*_arrays(args), *_arrays(kwargs.values())]
    return round(1e9 * _seconds(operation, read, [x for _, x in results]))


def _arrays(values: Iterable[Any]) -> Iterator[_Array]:
    """Arrays among arguments, and in lists of them."""
    for value in values:
        if isinstance(value, _Array):
            yield value
        elif type(value) in (list, tuple):
            yield from (each for each in value if isinstance(each, _Array))


def _seconds(operation: str, read: list[_Array], made: list[ndarray]) -> float:
    room, _, name = operation.rpartition(".")
    given = sum(x.nbytes for x in made)
    if name == "__setitem__":
        read = read[1:] or read  # a part is written: what is assigned to it, if that is an array
    touched = given if name in _PICKS else max(given, *(x.nbytes for x in read), 0)
    if room == "linalg" and (name in _ELIMINATIONS or name in _ITERATIONS):
        return sum(_decomposition(x, _ITERATED if name in _ITERATIONS else _ELIMINATED) for x in read)
    if len(read) > 1 and (name in _STACKED or name in _PRODUCTS or name in _SLIDING):
        return max(_product(name, read, made or read[:1]), touched / _RATES["copy"])
    # A ufunc's method goes by the ufunc: "add.reduce".
    rate = _ROOMS.get(room, _OTHERS)
    rate = _RATES.get(name, _RATES.get(room, rate))
    return touched / (min(rate, _HALVES) if any(x.dtype.char == "e" for x in read) else rate)


def _decomposition(x: _Array, flops: float) -> float:
    if x.ndim < 2:
        return 0.0
    return flops * x.size * int(min(x.shape[-2:])) / _FLOPS + _DECOMPOSITION * math.prod(x.shape[:-2])


def _product(name: str, read: list[_Array], made: Sequence[_Array]) -> float:
    flops = _FLOPS if name != "einsum" and all(x.dtype.char in "fdFD" for x in read) else _LOOPED
    out = sum(x.size for x in made)
    if name in _SLIDING:
        return 2.0 * min(x.size for x in read) * out / flops
    if name in _STACKED:
        inner = read[0].shape[-1] if read[0].ndim else 1
        return 2.0 * inner * out / flops + _MATRIX * math.prod(max((x.shape[:-2] for x in read), key=len))
    # As many as the root of all sizes, where each index is in two of the three.
    return 2.0 * (len(read) - 1) * math.sqrt(float(read[0].size) * read[1].size * out) / flops
