"""A model of operations' costs, so that a run can be reproduced.

A cost depends on an operation's name, and on the sizes and dtypes of its arguments and results. It is the time for its
bytes or for its elements, whichever is longer; `prices` has both. The model only has to tell dear from cheap: an
operation that takes three times its modelled cost is not a bug.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from cowarray._face.ndarray import ndarray
from cowarray._modes.budget import prices

__all__ = ["BY_NUMBER", "model_cost"]

_Array = np.ndarray | ndarray
_ARRAYS = (np.ndarray, ndarray)

# Operations whose cost depends on a number among their arguments.
BY_NUMBER = frozenset(("power", "in-place power"))
_NS = 1e-9


def model_cost(
    operation: str,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    results: Sequence[tuple[int, ndarray]],
    shares: bool = False,
) -> int:
    """Return the nanoseconds that an operation takes, by its name and by the sizes of its arguments and results.

    Parameters
    ----------
    operation : str
    args : tuple
    kwargs : dict
    results : list of (int, ndarray)
        As predicted.
    shares : bool, default False
        Whether the results are lazy copies: of arguments, or of the operation's temporaries.

    Returns
    -------
    int
        A whole number, as in a log: so a run and the replay of its log agree.
    """
    room, _, name = operation.removeprefix("in-place ").rpartition(".")
    if name == "outer":
        room, name = "", room if room and room != "linalg" else "multiply"
    if shares and name in prices.COPIES:
        return round(prices.SHARED / _NS)
    read = [*_arrays(args), *_arrays(kwargs.values())]
    return round(_seconds(room, name, args, kwargs, read, [x for _, x in results]) / _NS)


def _arrays(values: Iterable[Any]) -> Iterator[_Array]:
    """Yield the arrays among arguments, and in lists and tuples among them."""
    for value in values:
        if isinstance(value, _ARRAYS):
            yield value
        elif type(value) in (list, tuple):
            yield from (each for each in value if isinstance(each, _ARRAYS))


def _argument(args: Sequence[Any], kwargs: Mapping[str, Any], place: int, name: str) -> Any:
    """Return an argument that is a number or text; None if it is missing, or anything else."""
    value = args[place] if len(args) > place else kwargs.get(name)
    return value if isinstance(value, (int, float, str)) else None


def _seconds(
    room: str, name: str, args: Sequence[Any], kwargs: Mapping[str, Any], read: list[_Array], made: list[ndarray]
) -> float:
    if name in ("__getitem__", "__setitem__") and isinstance(args[0], _ARRAYS):
        return _part(args[0], args[1], args[2] if name == "__setitem__" else args[0])
    if not read and not made:
        return 0.0
    if name in prices.DIAGONALS:
        return _NS * prices.ON_DIAGONAL * min(read[0].shape[:2])
    if room == "linalg" and read:
        norm = _argument(args, kwargs, 1, "ord") if name == "norm" and read[0].ndim == 2 else None
        if norm in prices.SINGULAR and kwargs.get("axis") is None and len(args) < 3:
            name = "svdvals"
        if name in prices.DECOMPOSITIONS:
            return sum(_decomposition(name, x) for x in read)
    given = sum(x.nbytes for x in made)
    touched = 2 * given if name in ("take", "take_along_axis") else given + sum(x.nbytes for x in read)
    of_bytes = touched / (prices.STRING_BYTES if room == "strings" else prices.BYTES)
    if read and (name in prices.STACKED or name in prices.PRODUCTS or name in prices.SLIDING):
        return max(_product(name, args, kwargs, read, made or read[:1]), of_bytes)
    return max(_elements(room, name, args, kwargs, read, made), of_bytes)


def _part(x: _Array, key: Any, value: Any) -> float:
    """Price a part that is read or written: only that part is touched, however large the array is."""
    items = key if isinstance(key, tuple) else (key,)
    plain: list[Any] = []
    shapes = []
    for item in items:
        if isinstance(item, (*_ARRAYS, list)):
            index = np.asarray(item) if isinstance(item, list) else item
            is_mask = index.dtype == bool
            shapes.append((index.size,) if is_mask else index.shape)
            plain.extend([0] * (index.ndim if is_mask else 1))
        else:
            plain.append(item)
    try:
        picked = math.prod(np.broadcast_shapes(*shapes)) if shapes else 0
        count = np.broadcast_to(np.False_, x.shape)[tuple(plain)].size * (picked if shapes else 1)
    except (IndexError, TypeError, ValueError):  # a field, or a mask beside indices
        picked = count = x.size
    of_value = min(value.nbytes, count * value.dtype.itemsize) if isinstance(value, _ARRAYS) else 0
    if shapes and len(items) > 1:
        picked = count  # and not whole rows
    return max((count * x.dtype.itemsize + of_value) / prices.BYTES, _NS * prices.PICKED * picked)


def _elements(
    room: str, name: str, args: Sequence[Any], kwargs: Mapping[str, Any], read: list[_Array], made: list[ndarray]
) -> float:
    """Price the elements: the price of one, times the number of them in the largest array."""
    first = (read or made)[0]
    count = max(x.size for x in (*read, *made))
    last = first.shape[-1] if first.ndim else 1
    if name == "take":
        of_rows = first.ndim > 1 and first.size > 0 and _argument(args, kwargs, 2, "axis") == 0
        return _NS * prices.TAKEN * sum(x.size for x in made) / (first.size // len(first) if of_rows else 1)
    if name == "copyto" and "where" not in kwargs:
        return 0.0
    if name in prices.COPIES or name in prices.JOINS:
        return _NS * prices.REORDERED * sum(x.size for x in read if not x.flags.c_contiguous)
    if room == "fft" and not name.endswith("shift"):
        return _NS * prices.TRANSFORM * count
    if name in prices.COMPARISONS:
        return _NS * prices.COMPARISONS[name] * count * math.log2(max(last, 2))
    if name in prices.REDUCTIONS and first.ndim > 1:
        return _NS * (prices.REDUCTIONS[name] * count + prices.ROW * count / max(last, 1))
    exponent = None
    if name == "power":
        exponent = _argument(args, kwargs, 1, "x2")
        name = prices.POWERS.get(exponent, name)
    return _NS * count * _price(name, exponent, {x.dtype.char for x in (*read, *made)})


def _price(name: str, exponent: float | str | None, kinds: set[str]) -> float:
    """Return nanoseconds per element."""
    price = prices.FUNCTIONS.get(name)
    if price is None:
        price = prices.REDUCTIONS.get(name, prices.ELEMENTS.get(name, 0.0))
    elif "f" in kinds and "d" not in kinds:
        price = prices.SINGLE.get(name, prices.FLOAT32 * price)
    elif kinds & {"F", "D"} and not isinstance(exponent, int):  # whole powers are products
        price *= prices.COMPLEX
    return max(price, prices.HALF) if "e" in kinds else price


def _flops(read: Sequence[_Array]) -> float:
    return min(prices.FLOPS.get(x.dtype.char, prices.LOOPED) for x in read)


def _decomposition(name: str, x: _Array) -> float:
    if x.ndim < 2:
        return 0.0
    flops = prices.FLOPS.get(x.dtype.char, prices.FLOPS["d"])  # integers are converted to float64
    columns = max(int(min(x.shape[-2:])), prices.NARROW)
    own = _NS * prices.DECOMPOSITION * math.prod(x.shape[:-2])
    return prices.DECOMPOSITIONS[name] * (x.size * columns / flops + own)


def _product(
    name: str, args: Sequence[Any], kwargs: Mapping[str, Any], read: list[_Array], made: Sequence[_Array]
) -> float:
    flops = _flops(read)
    out = sum(x.size for x in made)
    if name in prices.SLIDING:
        shorter = min(x.size for x in read) if len(read) > 1 else 1
        return out * (_NS * prices.SLID + 2.0 * shorter / flops)
    if name in prices.STACKED:
        inner = read[0].shape[-1] if read[0].ndim else 1
        many = (
            prices.ROW * out
            if name == "vecdot"
            else prices.MATRIX * math.prod(max((x.shape[:-2] for x in read), key=len))
        )
        return 2.0 * inner * out / flops + _NS * many
    if name == "einsum" and not kwargs.get("optimize"):
        last = read[0].shape[-1] if read[0].ndim else 1
        each = prices.SUMMED_COMPLEX if any(x.dtype.kind == "c" for x in read) else prices.SUMMED
        each = each * (len(read) - 1 or 0.5) + prices.ROW / max(last, 1)
        return _NS * each * _combinations(args)
    if len(read) < 2:
        return 0.0
    # The square root of the product of all three sizes, for each index is in two of the three.
    return 2.0 * (len(read) - 1) * math.sqrt(float(read[0].size) * read[1].size * out) / flops


def _combinations(args: Sequence[Any]) -> int:
    """Return how often einsum's innermost loop runs: the product of the lengths of all indices."""
    terms: Sequence[Any]
    if isinstance(args[0], str):
        terms = args[0].replace(" ", "").replace("...", "\0").partition("->")[0].split(",")
        arrays = args[1:]
    else:
        terms, arrays = args[1::2], args[::2]
    lengths: dict[Any, int] = {}
    for term, x in zip(terms, arrays, strict=False):
        axis, shape = 0, np.shape(x)
        for label in term:
            taken = len(shape) - len(term) + 1 if label in ("\0", ...) else 1
            lengths[label] = max(lengths.get(label, 1), math.prod(shape[axis : axis + taken]))
            axis += taken
    return math.prod(lengths.values())
