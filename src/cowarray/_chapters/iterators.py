"""NumPy's iterators that may write: `nditer` and `nested_iters`.

NumPy's iterators read and write without asking the array. So operands that they may write to are first exported as
writable aliases, and the others as snapshots.
"""

from collections.abc import Sequence
from typing import Any, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from cowarray._chapters.docstrings import complete
from cowarray._face.annotations import Cast, Order
from cowarray._face.ndarray import ndarray

_Operands: TypeAlias = ArrayLike | Sequence[ArrayLike | None]
_Flags: TypeAlias = Sequence[str] | None
_OperandFlags: TypeAlias = Sequence[str] | Sequence[Sequence[str]] | None
_Dtypes: TypeAlias = DTypeLike | Sequence[DTypeLike] | None

__all__ = ["nditer", "nested_iters"]

_WRITES = ("readwrite", "writeonly")


def nditer(
    op: _Operands,
    flags: _Flags = None,
    op_flags: _OperandFlags = None,
    op_dtypes: _Dtypes = None,
    order: Order = "K",
    casting: Cast = "safe",
    op_axes: Sequence[Sequence[SupportsIndex | None] | None] | None = None,
    itershape: Sequence[SupportsIndex] | None = None,
    buffersize: SupportsIndex = 0,
) -> np.nditer:
    """Iterate over several arrays at once, broadcast to one shape, in memory order.

    Parameters
    ----------
    op : array_like or sequence of array_like
        The operands. None stands for an array that the iterator allocates.
    flags : sequence of str, optional
    op_flags : list of str or list of list of str, optional
        For all operands, or for each of them. An array with ``"readwrite"`` or ``"writeonly"`` is written to.
    op_dtypes : dtype or list of dtype, optional
    order : {'C', 'F', 'A', 'K'}, default 'K'
    casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, default 'safe'
    op_axes : list of list of int, optional
    itershape : tuple of int, optional
    buffersize : int, optional

    Returns
    -------
    numpy.nditer
        It gives NumPy arrays, in ``operands`` as well. Those of an array that is written to alias it, as
        ``x.to_numpy(writable=True)`` does, and x is pinned as long as the iterator lives. So is a writable array that
        is only read, if it aliases one that is written to. Other arrays that are read are snapshots.

    Examples
    --------
    >>> import cowarray
    >>> x = cowarray.asarray([1, 2])
    >>> with cowarray.nditer(x, op_flags=["readwrite"]) as walk:
    ...     for item in walk:
    ...         item[...] = 2 * item
    >>> x
    array([2, 4])
    """
    operands = _operands(op, op_flags)
    options: tuple[Any, ...] = (flags, op_flags, op_dtypes, order, casting, op_axes, itershape, buffersize)
    return np.nditer(operands, *options)


def nested_iters(
    op: _Operands,
    axes: Sequence[Sequence[SupportsIndex]],
    flags: _Flags = None,
    op_flags: _OperandFlags = None,
    op_dtypes: _Dtypes = None,
    order: Order = "K",
    casting: Cast = "safe",
    buffersize: SupportsIndex = 0,
) -> tuple[np.nditer, ...]:
    """Make iterators for nested loops, each over some of the axes.

    Parameters
    ----------
    op : array_like or sequence of array_like
    axes : list of list of int
        For each loop, the axes that it iterates over.
    flags : sequence of str, optional
    op_flags : list of str or list of list of str, optional
        For all operands, or for each of them. An array with ``"readwrite"`` or ``"writeonly"`` is written to.
    op_dtypes : dtype or list of dtype, optional
    order : {'C', 'F', 'A', 'K'}, default 'K'
    casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, default 'safe'
    buffersize : int, optional

    Returns
    -------
    tuple of numpy.nditer
        The outermost first. They give NumPy arrays, like those of `nditer`.
    """
    options: tuple[Any, ...] = (flags, op_flags, op_dtypes, order, casting, buffersize)
    return np.nested_iters(_operands(op, op_flags), axes, *options)


def _operands(op: Any, op_flags: Any) -> Any:
    """Return the operands as NumPy's iterators take them: arrays to write to, and aliases of these, as exports.

    Flags other than lists, tuples and text are not inspected, since that might run code, and NumPy asks them again. An
    array to be written to is then a snapshot, as is a read-only one; NumPy refuses to write to it.
    """
    operands = list(op) if type(op) in (tuple, list) else [op]
    if type(op_flags) not in (tuple, list) or not any(isinstance(x, ndarray) for x in operands):
        return op
    by_operand = len(op_flags) == len(operands) and all(type(each) in (tuple, list) for each in op_flags)
    flags = [tuple(each) for each in op_flags] if by_operand else [tuple(op_flags)] * len(operands)
    written = [
        x.storage
        for x, own in zip(operands, flags, strict=True)
        if isinstance(x, ndarray) and any(type(flag) is str and flag in _WRITES for flag in own)
    ]
    for i, x in enumerate(operands):
        if isinstance(x, ndarray) and x.flags.writeable and any(x.storage is storage for storage in written):
            operands[i] = x.to_numpy(writable=True)
    return operands


complete(globals())
