"""Replacements for NumPy names that cowarray lacks: the text of the error of `cowarray.matrix`, for example."""

from types import ModuleType

import numpy as np

__all__ = ["absence"]

_ARRAYS = "which takes cowarray arrays as it takes any array"
_INSTEAD = {
    "asarray_chkfinite": "cowarray.asarray, and cowarray.isfinite",
    "asmatrix": "cowarray.asarray, and x @ y",
    "bmat": "cowarray.block, and x @ y",
    "broadcast": "cowarray.broadcast_arrays, or cowarray.broadcast_shapes",
    "char": f"numpy.strings, {_ARRAYS}",
    "ctypeslib": "x.ctypes, or numpy.ctypeslib with x.to_numpy(writable=True)",
    "flatiter": "cowarray.FlatIterator",
    "ma": f"numpy.ma, {_ARRAYS}: numpy.ma.array(x) masks a snapshot",
    "matrix": "cowarray.asarray, and x @ y",
    "memmap": "cowarray.load or cowarray.fromfile, which map files; numpy.memmap for writes that must reach the file",
    "rec": "x.view(numpy.recarray), or numpy.rec with x.to_numpy()",
    "recarray": "x.view(numpy.recarray)",
    "row_stack": "cowarray.vstack",
    "ufunc": "numpy.ufunc; the element-wise functions are functions that have a ufunc's methods",
}


def absence(module: str, name: str, space: ModuleType = np, instead: dict[str, str] = _INSTEAD) -> AttributeError:
    """Make the AttributeError for a name that a module lacks; if NumPy has the name, it says what to use instead.

    Parameters
    ----------
    module : str
    name : str
    space : module, default numpy
        The NumPy module that the module stands for.
    instead : dict of str to str, optional
        What to use in place of some names. For the others, NumPy's own.

    Returns
    -------
    AttributeError
    """
    text = f"module {module!r} has no attribute {name!r}"
    if not name.startswith("_"):
        way_out = instead.get(name)
        if way_out is None and (name in space.__all__ or name in vars(space)):
            way_out = f"{space.__name__}.{name}, {_ARRAYS}"
        if way_out is not None:
            text += f"; use {way_out}"
    return AttributeError(text, name=name)
