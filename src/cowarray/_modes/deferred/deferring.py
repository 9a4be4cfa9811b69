"""`deferred`: arrays that are computed when they are needed."""

import contextlib
import types
import warnings
from collections.abc import Callable
from typing import Any, ParamSpec, SupportsIndex, TypeVar

import numpy as np

from cowarray._face.ndarray import ndarray
from cowarray._modes.common.entering import Mode
from cowarray._modes.common.sizes import readable, whole_nbytes
from cowarray._native.fork_locks import importing
from cowarray._native.public import public
from cowarray._native.storage import is_deferred_storage
from cowarray._ops.operands import watch_births

__all__ = ["deferred", "deferred_init", "is_deferred", "materialize"]

_P = ParamSpec("_P")
_T = TypeVar("_T")
_Array = TypeVar("_Array", ndarray, np.ndarray[Any, Any])


@public
class deferred(Mode):
    """Context manager and decorator in which operations are recorded, and run when their results are needed.

    An array made inside has its shape and dtype at once. Its bytes are made when somebody reads or writes them from
    outside, or calls `materialize`. They are exactly the bytes that the operation would have made at once, in whatever
    order arrays are needed, even with views, writes through any of them, random draws, and inputs that change later.
    Operations on deferred arrays are recorded even after the block has ended.

    Code that needs a value gets it: indexing with a deferred array, comparing it in an ``if``, printing it or passing
    it to another library makes the bytes needed. An operation that cannot be recorded (with the user's functions, open
    files, Python objects as elements) runs at once.

    Parameters
    ----------
    strict : bool, default False
        Whether code that needs a value raises a `FakeError` instead, so that it can be found.
    at_least : int, default 0
        Results of fewer bytes that depend on no deferred array are computed at once.

    Raises
    ------
    TypeError
        `strict` is not a bool.
    ValueError
        `at_least` is not an integer from 0 on.

    See Also
    --------
    deferred_init : Calls a function inside such a block.
    materialize : Makes the bytes.
    fake : Arrays that never have bytes.

    Notes
    -----
    Where NumPy returns a scalar, the result is an immutable array without axes. Operations run in the thread that needs
    their results; other threads that need deferred arrays wait. A generator of `cowarray.random` continues as usual:
    drawing from it outside, or reading its state, first makes the recorded draws.

    On a Python without a GIL, this mode turns the GIL on.

    Examples
    --------
    >>> import cowarray
    >>> with cowarray.deferred():
    ...     table = cowarray.arange(10_000_000) ** 2
    ...     part = table[:3] + 1
    >>> part
    array(..., shape=(3,), dtype=int64, deferred)
    >>> part.tolist()
    [1, 2, 5]
    """

    def __init__(self, strict: bool = False, at_least: SupportsIndex = 0) -> None:
        if type(strict) is not bool:
            raise TypeError(f"deferred: strict must be True or False (got {strict!r})")
        least = whole_nbytes(at_least, "deferred: at_least")
        # Imported here, not at the top: it turns on the GIL where there is none.
        with importing:
            from cowarray._modes.common import blocks
            from cowarray._modes.deferred import recording

        block = recording.Deferral(strict, least)
        super().__init__("deferred", blocks.variable, block, ((watch_births,),), blocks)


@public
def deferred_init(fn: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Call a function with the arrays made in it deferred.

    Parameters
    ----------
    fn : callable
    *args, **kwargs
        Its arguments.

    Returns
    -------
    object
        The function's result.

    Raises
    ------
    TypeError
        `fn` is not callable.

    Warns
    -----
    UserWarning
        The function made NumPy arrays, and none that is deferred.

    See Also
    --------
    deferred : The block in which the function is called.
    materialize : Makes the bytes of the result, or of a part.

    Examples
    --------
    >>> import cowarray
    >>> fields = cowarray.deferred_init(lambda n: [cowarray.full(4, i) for i in range(n)], 100)
    >>> cowarray.materialize(fields[7])
    array([7, 7, 7, 7])
    >>> cowarray.is_deferred(fields[8])
    True
    """
    if not callable(fn):
        raise TypeError(f"deferred_init: expected a function (got {type(fn).__name__})")
    with deferred():
        made = fn(*args, **kwargs)
    if not is_deferred(made):
        _warn_of_numpys(fn, made, (args, kwargs))
    return made


def _warn_of_numpys(fn: Callable[..., object], made: object, given: object) -> None:
    """Warn that nothing is deferred, if a function made arrays with plain NumPy."""
    before = {id(x) for x in _instances_in(given, np.ndarray)}
    arrays = [x for x in _instances_in(made, np.ndarray) if id(x) not in before and x.size]
    if arrays:
        name = getattr(fn, "__qualname__", repr(fn))
        nbytes = readable(sum(x.nbytes for x in arrays))
        warnings.warn(
            f"deferred_init: nothing is deferred: {name} made {len(arrays)} of NumPy's arrays ({nbytes}), which are "
            f"computed at once; write `import cowarray as np` in the place of `import numpy as np` in the module "
            f"{getattr(fn, '__module__', None)!r}",
            UserWarning,
            stacklevel=3,
        )


@public
def is_deferred(obj: object, /) -> bool:
    """Tell whether an array, or any array in an object, is still to be computed.

    Parameters
    ----------
    obj : object
        An array, or an object that contains arrays, as for `materialize`.

    Returns
    -------
    bool

    See Also
    --------
    deferred : Makes such arrays.

    Examples
    --------
    >>> import cowarray
    >>> with cowarray.deferred():
    ...     x = cowarray.ones(3)
    >>> cowarray.is_deferred(x), cowarray.is_deferred({"x": x}), cowarray.is_deferred(cowarray.ones(3))
    (True, True, False)
    """
    return any(_has_no_bytes_yet(x) for x in _arrays_in(obj))


@public
def materialize(
    obj: _T,
    /,
    where: Callable[[ndarray], object] | None = None,
    *,
    progress: Callable[[int, int], object] | None = None,
) -> _T:
    """Make the bytes of deferred arrays.

    Parameters
    ----------
    obj : object
        An array, or an object that contains arrays: lists, tuples, dicts and objects with attributes, nested.
    where : callable, optional
        Called with each deferred array; those for which it returns False stay deferred.
    progress : callable, optional
        Called with two numbers after each array: the bytes made so far, and the bytes in total. An exception from it
        ends the call, and arrays not yet made stay deferred.

    Returns
    -------
    object
        `obj` itself: the bytes are made in place.

    Raises
    ------
    MemoryError
        Memory ran out. As after any error, the array is still deferred, and the call can be repeated.
    TypeError
        `where` or `progress` is needed, and is not callable.

    See Also
    --------
    deferred : Makes such arrays.
    is_deferred : Tells whether there are any.

    Examples
    --------
    >>> import cowarray
    >>> with cowarray.deferred():
    ...     fields = [cowarray.ones(1000) * i for i in range(3)]
    >>> fields = cowarray.materialize(fields, progress=lambda done, total: print(f"{done} of {total}"))
    8000 of 24000
    16000 of 24000
    24000 of 24000
    """
    wanted = [x for x in _arrays_in(obj) if _has_no_bytes_yet(x) and (where is None or where(x))]
    wanted.sort(key=_number)  # in recorded order, no draw is made twice
    # Views of one Storage are made together, and making an array may make later ones.
    sizes = {id(x.storage): x.storage.nbytes for x in wanted}
    done, total = 0, sum(sizes.values())
    for x in wanted:
        if _has_no_bytes_yet(x):
            _make(x)
        size = sizes.pop(id(x.storage), None)
        if progress is not None and size is not None:
            done += size
            progress(done, total)
    return obj


# Types of objects whose attributes are not part of them.
_WITHOUT = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType)


def _make(x: ndarray) -> None:
    with importing:
        from cowarray._modes.deferred import making, recipes

    recipe = recipes.recipe_of(x)
    if recipe is not None:
        making.make(recipe)


def _number(x: ndarray) -> int:
    """Return the number, in recorded order, of the operation that makes an array; 0 if it is made."""
    with importing:
        from cowarray._modes.deferred import recipes

    recipe = recipes.recipe_of(x)
    node = None if recipe is None else recipe.latest.node
    return 0 if node is None else node.number


def _has_no_bytes_yet(x: ndarray) -> bool:
    return is_deferred_storage(x.storage)


def _arrays_in(obj: object) -> list[ndarray]:
    return _instances_in(obj, ndarray)


def _instances_in(obj: object, kind: type[_Array]) -> list[_Array]:
    """Return the arrays of a kind in an object, each once; without recursion."""
    found: dict[int, _Array] = {}
    seen: set[int] = set()
    stack = [obj]
    while stack:
        each = stack.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        if isinstance(each, kind):
            found[id(each)] = each
        elif isinstance(each, dict):
            stack.extend(reversed(each.values()))
        elif isinstance(each, (list, tuple)):
            stack.extend(reversed(each))
        elif not isinstance(each, _WITHOUT):
            stack.extend(_attributes(each))
    return list(found.values())


def _attributes(obj: object) -> list[object]:
    """Return the values in an object's instance dict and in the slots of its classes."""
    found: list[object] = list(getattr(obj, "__dict__", {}).values())
    for kind in type(obj).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            name = f"_{kind.__name__.lstrip('_')}{name}" if name.startswith("__") and not name.endswith("__") else name
            with contextlib.suppress(AttributeError):
                found.append(object.__getattribute__(obj, name))
    return found
