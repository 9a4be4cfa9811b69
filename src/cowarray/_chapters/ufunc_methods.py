"""The methods and attributes of NumPy's ufuncs, on the functions that call them: `add.reduce`, `add.at`, `add.nin`, ...

The element-wise functions are plain functions, for speed and for their signatures. `with_methods` adds the rest as
attributes: methods that take the same arguments as the functions, and NumPy's figures.
"""

from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar, cast

import numpy as np
from numpy import _NoValue
from numpy.typing import ArrayLike

from cowarray._face.annotations import AnyArray, Array, DType
from cowarray._ops.protocols import ufunc_method

__all__ = ["Ufunc", "as_ufunc", "with_methods"]

_Call = ParamSpec("_Call")
_Result_co = TypeVar("_Result_co", covariant=True)


class UfuncMethods:
    """The methods of a ufunc, for anything array_like, with results of this library.

    Parameters
    ----------
    ufunc : numpy.ufunc
    """

    __slots__ = ("_ufunc",)

    def __init__(self, ufunc: np.ufunc) -> None:
        self._ufunc = ufunc

    def __repr__(self) -> str:
        return repr(self._ufunc)

    def reduce(
        self,
        array: ArrayLike,
        /,
        axis: Any = 0,
        dtype: DType = None,
        out: Any = None,
        keepdims: bool = False,
        initial: Any = _NoValue,
        where: ArrayLike = True,
    ) -> Any:
        """Combine the elements along axes, one after the other.

        Parameters
        ----------
        array : array_like
        axis : None, int or tuple of int, default 0
            ``None``: all axes.
        dtype : dtype, optional
            The type to compute in, and of the result.
        out : ndarray, optional
            Written and returned, in place of a fresh array.
        keepdims : bool, default False
            Whether reduced axes stay, with length 1.
        initial : scalar, optional
            What to begin with.
        where : array_like of bool, default True
            The elements to include.

        Returns
        -------
        ndarray or scalar
            Fresh, or `out`.

        See Also
        --------
        numpy.ufunc.reduce : The same for NumPy's arrays.
        """
        options = {"axis": axis, "dtype": dtype, "keepdims": keepdims, "where": where}
        if initial is not _NoValue:
            options["initial"] = initial
        return ufunc_method(self._ufunc, "reduce", (array,), out, options)

    def accumulate(self, array: ArrayLike, /, axis: int = 0, dtype: DType = None, out: Any = None) -> Array:
        """Combine the elements along an axis, and keep each result on the way.

        Parameters
        ----------
        array : array_like
        axis : int, default 0
        dtype : dtype, optional
            The type to compute in, and of the result.
        out : ndarray, optional
            Written and returned, in place of a fresh array.

        Returns
        -------
        ndarray
            Fresh, or `out`; of the array's shape.

        See Also
        --------
        numpy.ufunc.accumulate : The same for NumPy's arrays.
        """
        return ufunc_method(self._ufunc, "accumulate", (array,), out, {"axis": axis, "dtype": dtype})

    def reduceat(
        self, array: ArrayLike, /, indices: ArrayLike, axis: int = 0, dtype: DType = None, out: Any = None
    ) -> Array:
        """Combine the elements of slices along an axis.

        Parameters
        ----------
        array : array_like
        indices : array_like of int
            Where slices begin; each ends where the next begins.
        axis : int, default 0
        dtype : dtype, optional
            The type to compute in, and of the result.
        out : ndarray, optional
            Written and returned, in place of a fresh array.

        Returns
        -------
        ndarray
            Fresh, or `out`.

        See Also
        --------
        numpy.ufunc.reduceat : The same for NumPy's arrays.
        """
        return ufunc_method(self._ufunc, "reduceat", (array, indices), out, {"axis": axis, "dtype": dtype})

    def outer(self, A: ArrayLike, B: ArrayLike, /, *, out: Any = None, **kwargs: Any) -> Any:
        """Apply the function to all pairs of an element of A and one of B.

        Parameters
        ----------
        A, B : array_like
        out : ndarray, optional
            Written and returned, in place of a fresh array.
        **kwargs
            Other options of a ufunc: ``where``, ``dtype``, ``casting``, ...

        Returns
        -------
        ndarray or scalar
            Fresh, or `out`; A's shape and then B's.

        See Also
        --------
        numpy.ufunc.outer : The same for NumPy's arrays.
        """
        return ufunc_method(self._ufunc, "outer", (A, B), out, kwargs)

    def at(self, a: AnyArray, indices: Any, b: Any = _NoValue, /) -> None:
        """Apply the function in place to the elements at indices, to one that is named twice, twice.

        Parameters
        ----------
        a : ndarray
            Written: its views see that, copies do not.
        indices : array_like of int, or tuple of array_like
        b : array_like, optional
            The second operand, of functions that have two.

        Returns
        -------
        None

        See Also
        --------
        numpy.ufunc.at : The same for NumPy's arrays.
        """
        operands = (a, indices) if b is _NoValue else (a, indices, b)
        return ufunc_method(self._ufunc, "at", operands, None, {})


class Ufunc(UfuncMethods, Generic[_Call, _Result_co]):
    """What an element-wise function is to a type checker: a function with attributes. There are no instances."""

    __name__: str
    __qualname__: str
    nin: int
    nout: int
    nargs: int
    ntypes: int
    types: list[str]
    identity: Any
    signature: str | None
    resolve_dtypes: Callable[..., tuple[np.dtype[Any], ...]]

    def __call__(self, *args: _Call.args, **kwargs: _Call.kwargs) -> _Result_co:
        raise NotImplementedError


def as_ufunc(function: Callable[_Call, _Result_co]) -> Ufunc[_Call, _Result_co]:
    """The function, typed as what `with_methods` makes of it.

    Parameters
    ----------
    function : function
    """
    return cast(Any, function)


def with_methods(function: Any, ufunc: np.ufunc) -> Any:
    """Give a function the methods and attributes of a ufunc.

    Parameters
    ----------
    function : function
        Calls the ufunc.
    ufunc : numpy.ufunc

    Returns
    -------
    function
        The same.
    """
    methods = UfuncMethods(ufunc)
    for name in ("reduce", "accumulate", "reduceat", "outer", "at"):
        setattr(function, name, getattr(methods, name))
    for name in ("nin", "nout", "nargs", "ntypes", "types", "identity", "signature", "resolve_dtypes"):
        setattr(function, name, getattr(ufunc, name))
    return function
