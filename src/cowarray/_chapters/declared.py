"""Functions that are declared by signature and docstring, without a body. NumPy's function does the work.

`calling` makes a function from a ufunc, `shaping` from one that makes an array of a shape, `dispatching` from any other
NumPy function, `drawing` a method that draws at random, `standardized` a function of the standard's namespace from one
of ours. The result has the declared function's signature and docstring, and no frame: NumPy's warnings name the line
that called it.
"""

from collections.abc import Callable
from functools import update_wrapper
from operator import attrgetter
from typing import Any, ParamSpec, Protocol, TypeVar, cast, overload

import numpy as np
from numpy import _NoValue
from numpy.typing import ArrayLike

from cowarray._face.annotations import AnyArray, Array, DType
from cowarray._native.public import public_space
from cowarray._ops.conversion import standard_function
from cowarray._ops.creation import drawing_method, shaped_function
from cowarray._ops.elementwise import elementwise_function, generalized_function, ufunc_methods
from cowarray._ops.functions import dispatched_function

__all__ = ["Ufunc", "calling", "calling_for_two", "dispatching", "drawing", "shaping", "standardized"]

_FIGURES = ("nin", "nout", "nargs", "ntypes", "types", "identity", "signature", "resolve_dtypes")
_figures = attrgetter(*_FIGURES)

_Call = ParamSpec("_Call")
_Result = TypeVar("_Result")
_Result_co = TypeVar("_Result_co", covariant=True)


class Ufunc(Protocol[_Call, _Result_co]):
    """An element-wise function: it has its ufunc's methods, for anything array_like, and its ufunc's attributes."""

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

    def __call__(self, *args: _Call.args, **kwargs: _Call.kwargs) -> _Result_co: ...

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

    def accumulate(self, array: ArrayLike, /, axis: int = 0, dtype: DType = None, out: Any = None) -> Array:
        """Combine the elements along an axis, and keep each intermediate result.

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
        ...

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
        ...

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

    def at(self, a: AnyArray, indices: Any, b: Any = _NoValue, /) -> None:
        """Apply the function in place to the elements at indices; an index given twice counts twice.

        Parameters
        ----------
        a : ndarray
            Written in place: its views see the write; copies do not.
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


def _as_declared(made: Any, declared: Callable[..., Any], returns: Any = None) -> Any:
    """Give what was made the name, signature and docstring of the declared function."""
    if returns is not None:
        declared.__annotations__["return"] = returns
    update_wrapper(made, declared)
    made.__annotations__ = declared.__annotations__
    return made


def calling(ufunc: np.ufunc, returns: Any = None) -> Callable[[Callable[_Call, _Result]], Ufunc[_Call, _Result]]:
    """Make a decorator that turns the declared function into one that calls a ufunc.

    Parameters
    ----------
    ufunc : numpy.ufunc
        NumPy's own, of one or two operands and as many results, or generalized, of two operands.
    returns : type, optional
        The annotation of the result, if it is not the declared one.

    Returns
    -------
    function
    """

    def decorated(declared: Callable[_Call, _Result]) -> Ufunc[_Call, _Result]:
        make = elementwise_function if ufunc.signature is None else generalized_function
        made = _as_declared(make(ufunc, declared), declared, returns)
        for method in ufunc_methods(ufunc):
            name = method.__name__
            described = vars(Ufunc)[name]
            method.__doc__, method.__annotations__ = described.__doc__, described.__annotations__
            method.__module__, method.__qualname__ = public_space(made.__module__), f"{made.__qualname__}.{name}"
            setattr(made, name, method)
        made.__dict__.update(zip(_FIGURES, _figures(ufunc), strict=True))
        return cast(Ufunc[_Call, _Result], made)

    return decorated


def calling_for_two(ufunc: np.ufunc) -> Callable[[Callable[_Call, Any]], Ufunc[_Call, tuple[Any, Any]]]:
    """`calling` for a ufunc with two results.

    Parameters
    ----------
    ufunc : numpy.ufunc

    Returns
    -------
    function
    """
    return cast(Any, calling(ufunc, tuple[Any, Any]))


@overload
def dispatching(
    function: Callable[..., Any], arrays: int | None = 1, *, imports: bool = False
) -> Callable[[Callable[_Call, _Result]], Callable[_Call, _Result]]: ...
@overload
def dispatching(
    function: Callable[..., Any], arrays: int | None = 1, *, returns: type[_Result], imports: bool = False
) -> Callable[[Callable[_Call, Any]], Callable[_Call, _Result]]: ...
def dispatching(
    function: Callable[..., Any], arrays: int | None = 1, *, returns: Any = None, imports: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a decorator that turns the declared function into one that calls a NumPy function, arguments as they come.

    Parameters
    ----------
    function : function
        Its parameters begin with the declared ones, in the same order.
    arrays : int, optional
        How many of its arguments are array_like. ``None``: all positional ones.
    returns : type, optional
        The annotation of the result, if it is not the declared one.
    imports : bool, default False
        Whether these arguments become arrays first, because the result may be a view of one.

    Returns
    -------
    function
    """

    def decorated(declared: Callable[..., Any]) -> Callable[..., Any]:
        return cast(
            Callable[..., Any],
            _as_declared(dispatched_function(function, declared, arrays, imports), declared, returns),
        )

    return decorated


def drawing(declared: Callable[_Call, _Result]) -> Callable[_Call, _Result]:
    """Turn the declared method into one that draws at random by the method of NumPy's generator.

    Parameters
    ----------
    declared : function
        In a class whose ``_numpys`` is that generator, with its parameters. A body is for calls with an ``out``.

    Returns
    -------
    function
    """
    return cast(Callable[_Call, _Result], _as_declared(drawing_method(declared), declared))


def shaping(function: Callable[..., Any]) -> Callable[[Callable[_Call, Any]], Callable[_Call, Array]]:
    """Make a decorator that turns the declared function into one that makes an array of a shape.

    Parameters
    ----------
    function : function
        numpy.empty, zeros or ones.

    Returns
    -------
    function
    """

    def decorated(declared: Callable[_Call, Any]) -> Callable[_Call, Array]:
        return cast(Callable[_Call, Array], _as_declared(shaped_function(function, declared), declared, Array))

    return decorated


def standardized(function: Callable[..., Any]) -> Callable[[Callable[_Call, Any]], Callable[_Call, Array]]:
    """Make a decorator that turns the declared function into one of ours that returns the standard's arrays.

    Parameters
    ----------
    function : function
        It begins with all the parameters of the declared function.

    Returns
    -------
    function
    """

    def decorated(declared: Callable[_Call, Any]) -> Callable[_Call, Array]:
        return cast(Callable[_Call, Array], _as_declared(standard_function(function, declared), declared, Array))

    return decorated
