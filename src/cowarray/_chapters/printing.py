"""Print settings: NumPy's, which are shared with it, and the name that `repr` gives to arrays of this library."""

import contextlib
from collections.abc import Generator
from typing import Any

import numpy as np

from cowarray._face.printing import repr_class
from cowarray._native.public import public

__all__ = ["get_printoptions", "printoptions", "set_printoptions"]

_NUMPYS = "array"  # the name of NumPy's own


@public
def set_printoptions(*args: Any, name: str | None = None, **kwargs: Any) -> None:
    """Set how arrays are printed.

    Parameters
    ----------
    *args
        As for `numpy.set_printoptions`, and for NumPy's arrays as well.
    name : str, optional
        What `repr` calls an array of this library: ``"cowarray.array"`` distinguishes it from one of NumPy's,
        ``"array"`` does not. Default: unchanged, at first ``"array"``. Like NumPy's options, it holds in the current
        context.
    **kwargs
        As for `numpy.set_printoptions`.

    Raises
    ------
    TypeError
        The name is not a str, or NumPy does not know the option.

    See Also
    --------
    printoptions : Sets them for a block.
    numpy.set_printoptions : The same without a name.

    Examples
    --------
    >>> import cowarray
    >>> cowarray.set_printoptions(name="cowarray.array")
    >>> cowarray.arange(3)
    cowarray.array([0, 1, 2])
    >>> cowarray.set_printoptions(name="array")
    """
    kind = _kind(name)
    np.set_printoptions(*args, **kwargs)
    if name is not None:
        repr_class.set(kind)


@public
def get_printoptions() -> dict[str, Any]:
    """Return how arrays are printed.

    Returns
    -------
    dict
        NumPy's options, and ``name``: see `set_printoptions`.

    See Also
    --------
    numpy.get_printoptions : The same without the name.
    """
    return {**np.get_printoptions(), "name": _name()}


@public
@contextlib.contextmanager
def printoptions(*args: Any, name: str | None = None, **kwargs: Any) -> Generator[dict[str, Any], None, None]:
    """Set how arrays are printed within a block, and restore it afterwards.

    Parameters
    ----------
    *args
        As for `set_printoptions`.
    name : str, optional
        As for `set_printoptions`.
    **kwargs
        As for `set_printoptions`.

    Yields
    ------
    dict
        What `get_printoptions` returns in the block.

    See Also
    --------
    numpy.printoptions : The same without a name.

    Examples
    --------
    >>> import cowarray
    >>> with cowarray.printoptions(precision=2, name="cowarray.array"):
    ...     print(repr(cowarray.array([2 / 3])))
    cowarray.array([0.67])
    """
    for unknown in kwargs.keys() - np.get_printoptions().keys():
        raise TypeError(f"printoptions() got an unexpected keyword argument {unknown!r}")
    kind = repr_class.get() if name is None else _kind(name)
    with np.printoptions(*args, **kwargs):
        token = repr_class.set(kind)
        try:
            yield get_printoptions()
        finally:
            repr_class.reset(token)


def _name() -> Any:
    kind = repr_class.get()
    return _NUMPYS if kind is None else kind.__name__


def _kind(name: str | None) -> Any:
    """Make a class of NumPy's arrays with that name, for NumPy to print; None for NumPy's own."""
    if name is None or name == _NUMPYS:
        return None
    if not isinstance(name, str):
        raise TypeError(f"set_printoptions: name must be a str (got {name!r})")
    return type(name, (np.ndarray,), {})
