"""The layouts of generalized ufuncs: `matmul`, `vecdot`, and those of `numpy.linalg` and `numpy.fft`.

A signature names the core axes of each operand; the other axes are loops and are broadcast. NumPy itself determines the
result's core axes: it runs on operands with the same core axes and one loop of length 0, which take no memory.
"""

import operator
import re
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.exceptions import AxisError
from numpy.lib.array_utils import normalize_axis_index

from cowarray._modes.layouts.dtypes import header, without_elements
from cowarray._modes.layouts.elementwise import forced_order
from cowarray._modes.layouts.layouts import (
    Integers,
    Layout,
    axis_in,
    broadcast,
    checked_order,
    contiguous,
    iteration_order,
    spread,
)

__all__ = ["generalized"]


@lru_cache(maxsize=256)
def core_names(signature: Any) -> tuple[tuple[str, ...], ...]:
    """Return the names of each operand's core axes; the name of an optional one ends in a question mark."""
    cores = re.findall(r"\((.*?)\)", signature)
    return tuple([tuple(re.findall(r"[^\s,]+", core)) for core in cores])


def generalized(
    ufunc: np.ufunc,
    inputs: Any,
    *,
    axes: list[int | tuple[int, ...]] | None = None,
    axis: Any = np._NoValue,
    keepdims: Any = np._NoValue,
    out: Any = None,
    order: str = "K",
    **options: Any,
) -> tuple[Layout, ...]:
    """Return the layouts of a generalized ufunc's results.

    Parameters
    ----------
    ufunc : numpy.ufunc
        One with a signature.
    inputs : sequence
        Arrays and scalars.
    axes, axis, keepdims, order
        As NumPy's.
    out : tuple of (array or None), optional
        One for each output.
    **options
        `dtype`, `signature`, `casting` and `subok`, as NumPy's.

    Returns
    -------
    tuple of Layout
        One for each output; for a given array, its own.
    """
    nin, nout = ufunc.nin, ufunc.nout
    if len(inputs) != nin:
        raise TypeError(f"{ufunc.__name__}() takes {nin} positional arguments but {len(inputs)} were given")
    if out is None or type(out) is not tuple:
        out = (out,) * nout if out is None else (out,)
    if keepdims is np._NoValue:
        keepdims = asks_kept = False
    elif type(keepdims) is not bool:
        raise TypeError("'keepdims' must be a boolean")
    else:
        asks_kept = True
    options = {name: value for name, value in options.items() if value is not None or name == "casting"}
    checked_order(order)
    operands = [header(x) for x in inputs] + list(out)
    try:
        if asks_kept:
            refuse_kept(ufunc)
        return fitted(ufunc, inputs, operands, axes, axis, keepdims, order, options)
    except (TypeError, ValueError, IndexError):
        refuse_types(ufunc, inputs, operands, options)  # NumPy checks the types first
        raise


def fitted(
    ufunc: np.ufunc,
    inputs: Sequence[Any],
    operands: Sequence[Any],
    axes: Any,
    axis: Any,
    keepdims: Any,
    order: str,
    options: Any,
) -> tuple[Layout, ...]:
    """Do `generalized` for arrays: `operands` are the inputs, then the outputs."""
    nin = ufunc.nin
    refuse_axis(ufunc, axes, axis)
    cores, missing = core_counts(ufunc, operands, keepdims, options)
    loops = max([x.ndim - n for x, n in zip(operands, cores, strict=True) if x is not None])
    positions = core_positions(ufunc, operands, cores, loops, axes, axis)
    shapes, dtypes = core_results(ufunc, inputs, operands, missing, positions, keepdims, options)
    split = [
        None if x is None else loop_and_core(x.shape, x.strides, at) for x, at in zip(operands, positions, strict=True)
    ]
    common = broadcast([part[0] for part in split if part is not None])
    if common is None:
        shown = " ".join([str(x.shape).replace(" ", "") for x in operands if x is not None])
        raise ValueError(f"operands could not be broadcast together with remapped shapes: {shown}")
    # An output may lack leading loops of length 1.
    if any((1,) * (len(common) - len(part[0])) + part[0] != common for part in split[nin:] if part is not None):
        raise ValueError(f"non-broadcastable output operand doesn't match the broadcast shape {common}")
    order = forced_order(order, [x for x in operands if x is not None])
    strides = result_strides(nin, split, common, shapes, order)
    return tuple(
        [
            Layout(x.shape, x.dtype, x.strides)
            if x is not None
            else put_back(common, shapes[k], dtypes[k], strides[k], positions[nin + k])
            for k, x in enumerate(operands[nin:])
        ]
    )


def refuse_types(ufunc: np.ufunc, inputs: Sequence[Any], operands: Sequence[Any], options: Any) -> None:
    """Make NumPy raise its error if it cannot compute with these dtypes, whatever the shapes."""
    given: list[Any] = [
        None if x is None else np.empty((0,) + (1,) * len(core), x.dtype)
        for x, core in zip(operands, core_names(ufunc.signature), strict=True)
    ]
    for k, x in enumerate(inputs):
        if type(x) in (int, float, complex):
            given[k] = x if given[k].ndim == 1 else given[k]
    with suppress(ValueError):  # about shapes, which are made up
        ufunc(*given[: ufunc.nin], out=tuple(given[ufunc.nin :]), **options)


def refuse_kept(ufunc: np.ufunc) -> None:
    """Raise if core axes cannot be kept."""
    cores = [len(core) for core in core_names(ufunc.signature)]
    if len(set(cores[: ufunc.nin])) > 1 or any(cores[ufunc.nin :]):  # even for keepdims=False
        raise TypeError(f"{ufunc.__name__} does not support keepdims: its signature is {ufunc.signature}")


def refuse_axis(ufunc: np.ufunc, axes: Any, axis: Any) -> None:
    """Raise if `axis` is given but not allowed."""
    if axis is np._NoValue:
        return
    if axes is not None:
        raise TypeError("cannot specify both 'axis' and 'axes'")
    cores = core_names(ufunc.signature)
    names = {name for core in cores for name in core}
    if len(names) != 1 or any(len(core) > 1 for core in cores):
        raise TypeError(
            f"{ufunc.__name__}: axis can only be used with a single shared core dimension, not with the {len(names)} "
            f"distinct ones implied by signature {ufunc.signature}."
        )


def core_counts(ufunc: np.ufunc, operands: Sequence[Any], keepdims: Any, options: Any) -> Any:
    """Return how many core axes each operand has, and the missing names; raise NumPy's error if there are too few."""
    names = core_names(ufunc.signature)
    if keepdims and (len({len(core) for core in names[: ufunc.nin]}) > 1 or any(names[ufunc.nin :])):
        raise TypeError(
            f"{ufunc.__name__} does not support keepdims: its signature {ufunc.signature} has inputs with different "
            "numbers of core dimensions, or outputs with core dimensions."
        )
    missing = set()
    for core, x in zip(names, operands, strict=True):
        needed, ndim = 0, 0
        if x is not None:
            needed, ndim = len([name for name in core if name not in missing]), x.ndim
        for name in core:
            if needed and ndim < needed and name.endswith("?") and name not in missing:
                missing.add(name)
                needed -= 1
        if needed and ndim < needed:
            given = [None if y is None else np.empty((0,) * y.ndim, y.dtype) for y in operands]
            ufunc(*given[: ufunc.nin], out=tuple(given[ufunc.nin :]), **options)
            raise ValueError(f"{ufunc.__name__}: an operand does not have enough dimensions")
    counts = [len([name for name in core if name not in missing]) for core in names]
    if keepdims:
        counts[ufunc.nin :] = [counts[0]] * ufunc.nout
        for x in operands[ufunc.nin :]:
            if x is not None and x.ndim < counts[0]:
                raise ValueError(f"{ufunc.__name__}: Output operand does not have enough dimensions")
    return counts, missing


def core_positions(ufunc: np.ufunc, operands: Sequence[Any], cores: Any, loops: Any, axes: Any, axis: Any) -> Any:
    """Return the positions of each operand's core axes. Outputs that are not given have all the loops."""
    ndims = [loops + n if x is None else x.ndim for x, n in zip(operands, cores, strict=True)]
    last = [tuple(range(ndim - n, ndim)) for ndim, n in zip(ndims, cores, strict=True)]
    if axes is not None:
        return [*positions_of_axes(ufunc, axes, ndims, cores)]
    if axis is np._NoValue:
        return last
    return [(axis_in(axis, ndim),) if n else () for ndim, n in zip(ndims, cores, strict=True)]


def positions_of_axes(ufunc: np.ufunc, axes: Any, ndims: Any, cores: Any) -> Any:
    """Yield the positions of each operand's core axes by the argument `axes`."""
    if not isinstance(axes, list):
        raise TypeError("axes should be a list.")
    nin, count = ufunc.nin, len(ndims)
    if len(axes) != count and (len(axes) != nin or any(core_names(ufunc.signature)[nin:])):
        raise ValueError(
            f"axes should be a list with an entry for all {count} inputs and outputs; entries for outputs can only be "
            "omitted if none of them has core axes."
        )
    for k, (ndim, n) in enumerate(zip(ndims, cores, strict=True)):
        if k >= len(axes):
            yield tuple(range(ndim - n, ndim))
            continue
        item = axes[k]
        if not isinstance(item, tuple):
            if n != 1:
                operator.index(item)
                raise AxisError(
                    f"{ufunc.__name__}: operand {k} has {n} core dimensions, but the axes item is a single integer."
                )
            item = (item,)
        if len(item) != n:
            raise AxisError(
                f"{ufunc.__name__}: operand {k} has {n} core dimensions, but {len(item)} dimensions are specified by "
                "axes tuple."
            )
        places = tuple([normalize_axis_index(operator.index(place), ndim) for place in item])
        if len(set(places)) < n:
            raise ValueError(f"axes item {k} has a value repeated")
        yield places


def core_results(
    ufunc: np.ufunc,
    inputs: Sequence[Any],
    operands: Sequence[Any],
    missing: Any,
    positions: Any,
    keepdims: Any,
    options: Any,
) -> Any:
    """Return the core axes and dtypes of the results, as NumPy finds them for loops of length 0."""
    nin = ufunc.nin
    names = core_names(ufunc.signature)
    given: list[Any] = []
    for k, (x, at) in enumerate(zip(operands, positions, strict=True)):
        if x is None:
            given.append(None)
        elif k < nin and not at and type(inputs[k]) in (int, float, complex):
            given.append(without_elements(inputs[k]))
        else:
            # A missing axis has length 1 here, and is removed from the results.
            lengths = [x.shape[place] for place in at]
            for place, name in enumerate(names[k]):
                if name in missing:
                    lengths.insert(place, 1)
            given.append(np.empty((0, *lengths), x.dtype))
    more = {"keepdims": True} if keepdims else {}
    results = ufunc(*given[:nin], out=tuple(given[nin:]), **more, **options)
    results = results if type(results) is tuple else (results,)
    shapes = [r.shape[1:] for r in results]
    if not keepdims:
        shapes = [
            tuple([n for n, name in zip(shape, core, strict=True) if name not in missing])
            for shape, core in zip(shapes, names[nin:], strict=True)
        ]
    return shapes, [r.dtype for r in results]


def loop_and_core(shape: Integers, strides: Integers, positions: Any) -> Any:
    """Return lengths and strides of the loops, then of the core axes."""
    loops = [k for k in range(len(shape)) if k not in positions]
    return (
        tuple([shape[k] for k in loops]),
        tuple([strides[k] for k in loops]),
        tuple([shape[k] for k in positions]),
        tuple([strides[k] for k in positions]),
    )


def result_strides(nin: Any, split: Any, common: Any, shapes: Any, order: str) -> Any:
    """Return each output's strides in elements, of loops and core axes; one iterator runs over the axes of all."""
    first, ndim = [], len(common)
    for core in shapes:
        first.append(ndim)
        ndim += len(core)
    steps = []
    for k, part in enumerate(split):
        if part is None:
            continue
        shape, strides, core, inner = part
        own = list(spread(shape, strides, len(common))) + [0] * (ndim - len(common))
        if k >= nin:
            own[first[k - nin] : first[k - nin] + len(core)] = spread(core, inner, len(core))
        steps.append(own)
    if order == "K":
        axes = iteration_order(steps, ndim)
    else:
        axes = list(range(ndim)) if order == "C" else list(range(ndim - 1, -1, -1))
    found = []
    for start, core in zip(first, shapes, strict=True):
        lengths = dict(enumerate(common)) | dict(enumerate(core, start))
        mine = [axis for axis in axes if axis in lengths]
        step = dict(zip(mine, contiguous(tuple([lengths[axis] for axis in mine]), 1), strict=True))
        found.append(tuple([step[axis] for axis in lengths]))
    return found


def put_back(common: Any, core: Any, dtype: Any, strides: Integers, positions: Any) -> Any:
    """Return the layout of an output with its core axes at these positions."""
    ndim = len(common) + len(core)
    loops = [k for k in range(ndim) if k not in positions]
    places = dict(zip([*loops, *positions], range(ndim), strict=True))
    lengths = common + core
    shape = tuple([lengths[places[k]] for k in range(ndim)])
    contiguous(shape, dtype.itemsize)  # raises if the array is too large
    return Layout(shape, dtype, tuple([strides[places[k]] * dtype.itemsize for k in range(ndim)]))
