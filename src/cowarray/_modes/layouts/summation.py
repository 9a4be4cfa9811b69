"""The layout of ``numpy.einsum(subscripts, *operands)``: the result has NumPy's iteration order."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from cowarray._modes.layouts.dtypes import header
from cowarray._modes.layouts.layouts import Integers, Layout, checked_order, dense, iteration_order, spread

__all__ = ["einsum"]


def einsum(
    subscripts: str,
    *operands: Any,
    out: Any = None,
    dtype: Any = None,
    order: str = "K",
    casting: str = "safe",
) -> Layout | None:
    """Return the layout of an Einstein summation without optimization.

    Parameters
    ----------
    subscripts : str
        As NumPy's; letters, not lists.
    *operands : array_like
        The arrays to multiply.
    out, dtype, order, casting
        As NumPy's.

    Returns
    -------
    Layout or None
        None if NumPy returns a view.
    """
    operands = tuple([header(x) for x in operands])
    its = checked_dtype(subscripts, operands, dtype, casting)
    order = checked_order(order)
    terms, result = parsed(subscripts, operands)
    if len(operands) == 1 and out is None and set(result) == set(terms[0]):
        refuse_diagonals(terms[0], operands[0].shape, unseen=0)
        return None
    lengths = lengths_of(terms, operands)
    labels = [*result, *sorted(set(lengths) - set(result))]
    steps = [steps_of(term, x, labels, lengths) for term, x in zip(terms, operands, strict=True)]
    shape = tuple([lengths[label] for label in result])
    if out is not None:
        if out.shape != shape:
            raise ValueError("the output has another shape than the result")
        checked_dtype(subscripts, operands, dtype, casting, np.empty((0,) * len(shape), out.dtype))
        return Layout(out.shape, out.dtype, out.strides)
    if order == "A":
        order = "F" if all(in_fortran_order(term, x) for term, x in zip(terms, operands, strict=True)) else "C"
    if order == "K":
        axes = [axis for axis in iteration_order(steps, len(labels)) if axis < len(result)]
    else:
        axes = list(range(len(result)))[:: -1 if order == "F" else 1]
    return Layout(shape, its, dense(shape, axes, its.itemsize))


def checked_dtype(subscripts: Any, operands: Sequence[Any], dtype: Any, casting: Any, out: Any = None) -> Any:
    """Return the result's dtype; NumPy parses and checks the subscripts, but sums nothing."""
    given = {} if dtype is None else {"dtype": dtype}
    models = [np.empty((0,) * x.ndim, x.dtype) for x in operands]
    result: Any = np.einsum(subscripts, *models, out=out, casting=casting, **given)
    alone = len(models) == 1 and isinstance(result, np.ndarray)
    found: Any = dtype if dtype is not None else result.dtype if alone else np.result_type(*models)
    return np.dtype(found)


def parsed(subscripts: Any, operands: Sequence[Any]) -> Any:
    """Return the labels of each operand and of the result; axes of an ellipsis are numbered from the last."""
    left, arrow, right = subscripts.replace(" ", "").partition("->")
    terms = []
    most = 0
    for term, x in zip(left.split(","), operands, strict=True):
        head, dots, tail = term.partition("...")
        count = x.ndim - len(head) - len(tail) if dots else 0
        most = max(most, count)
        terms.append([*head, *range(-count, 0), *tail])
    if arrow:
        head, dots, tail = right.partition("...")
        return terms, [*head, *(range(-most, 0) if dots else ()), *tail]
    letters = [label for term in terms for label in term if isinstance(label, str)]
    return terms, [*range(-most, 0), *sorted([label for label in set(letters) if letters.count(label) == 1])]


def refuse_diagonals(term: Any, shape: Integers, unseen: Any = None) -> None:
    """Raise if a label occurs twice in an operand with two lengths. For views, NumPy takes length 0 as not yet seen."""
    lengths: dict[Any, int] = {}
    for label, length in zip(term, shape, strict=True):
        before = lengths.get(label, unseen)
        if before not in (unseen, length):
            raise ValueError(f"dimensions for collapsing index {label!r} don't match ({before} != {length})")
        lengths[label] = length


def lengths_of(terms: Any, operands: Sequence[Any]) -> Any:
    """Return the length of each label's axis, in order of appearance."""
    lengths: dict[Any, int] = {}
    for term, x in zip(terms, operands, strict=True):
        refuse_diagonals(term, x.shape)
        for label, length in zip(term, x.shape, strict=True):
            have = lengths.get(label, 1)
            if have != length and 1 not in (have, length):
                raise ValueError(f"operands could not be broadcast: {label!r} has {have} and {length} elements")
            lengths[label] = length if have == 1 else have
    return lengths


def steps_of(term: Any, x: Any, labels: Any, lengths: Any) -> Any:
    """Return the strides of an operand along all labels; a repeated label walks a diagonal."""
    steps = dict.fromkeys(labels, 0)
    for label, stride in zip(term, spread(x.shape, x.strides, x.ndim), strict=True):
        steps[label] += stride
    return [steps[label] for label in labels]


def in_fortran_order(term: Any, x: Any) -> bool:
    """True if an operand is F-contiguous when a repeated label walks its diagonal."""
    labels = list(dict.fromkeys(term))
    lengths = dict(zip(term, x.shape, strict=True))
    steps = dict.fromkeys(labels, 0)
    for label, stride in zip(term, x.strides, strict=True):
        steps[label] += stride
    expected = x.dtype.itemsize
    for label in labels:
        if 0 in x.shape:
            return True
        if lengths[label] != 1 and steps[label] != expected:
            return False
        expected *= lengths[label]
    return True
