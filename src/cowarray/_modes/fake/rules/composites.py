"""NumPy's own Python code, run on arrays without bytes.

Most of NumPy's functions are Python on top of a few that are not, and ask arrays only for shape and dtype. Such a
function is run by its own code: a clone of it sees cowarray's functions where it makes or converts arrays, and clones
of the private functions that it calls. Public functions that it calls come by the protocols to their own rows.
Temporary arrays are fakes, and are counted while they live; small ones that depend only on real numbers are computed,
because the code may read them. Code that asks a fake for a value is refused.

One file, because it consists mostly of the lists of replacements that a clone sees, which are checked together.
"""

import builtins
import functools
import inspect
import types
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy._core.overrides import ARRAY_FUNCTIONS

from cowarray._chapters import creation
from cowarray._face.ndarray import ndarray
from cowarray._modes.common.blocks import call_in
from cowarray._modes.fake.calls import Block, Call
from cowarray._modes.fake.fakes import Ledger, Origin, as_laid, first_fake, is_fake, make, twin
from cowarray._modes.fake.refusals import FakeError
from cowarray._modes.fake.rules.numpy_code import fromnumeric, umath
from cowarray._modes.layouts.inference import Layout, ValuesNeeded, copied
from cowarray._ops import table
from cowarray._ops.conversion import asarray
from cowarray._ops.functions import dispatched

__all__ = ["assuming", "clone_of", "composite", "run", "seen"]

# Arrays of fewer bytes that depend on no fake are computed, so that NumPy's code can look at them.
SMALL = 1 << 16


# ---- replacements of NumPy's functions in NumPy's code ---------------------------------------------------------------


_Function = TypeVar("_Function", bound=Callable[..., Any])


class _AnyArray(type):
    def __instancecheck__(cls, value: Any) -> Any:
        return isinstance(value, (ndarray, np.ndarray))

    def __subclasscheck__(cls, kind: Any) -> Any:
        return issubclass(kind, (ndarray, np.ndarray))


class AnyArray(metaclass=_AnyArray):
    """The class of which `isinstance` finds all arrays to be instances."""

    __array_function__ = np.ndarray.__array_function__
    __array_ufunc__ = np.ndarray.__array_ufunc__


def _asarray(
    a: Any, dtype: Any = None, order: Any = None, *, device: Any = None, copy: Any = None, like: Any = None
) -> Any:
    if isinstance(a, ndarray):
        if copy:
            a = a.copy(order=order or "K")
        return asarray(a, dtype, order)
    if isinstance(a, (list, tuple)) and first_fake(a) is not None:
        return asarray(a, dtype, order)
    return np.asarray(a, dtype, order, copy=copy)


def _asanyarray(
    a: Any, dtype: Any = None, order: Any = None, *, device: Any = None, copy: Any = None, like: Any = None
) -> Any:
    if not isinstance(a, ndarray) and isinstance(a, np.ndarray):
        return np.asanyarray(a, dtype, order, copy=copy)
    return _asarray(a, dtype, order, copy=copy)


def _array(
    object: Any,
    dtype: Any = None,
    *,
    copy: Any = True,
    order: Any = "K",
    subok: Any = False,
    ndmin: Any = 0,
    ndmax: Any = 0,
    like: Any = None,
) -> Any:
    if not isinstance(object, ndarray) and not (isinstance(object, (list, tuple)) and first_fake(object) is not None):
        return np.array(object, dtype, copy=copy, order=order, subok=subok, ndmin=ndmin)
    made = _asarray(object, dtype, order, copy=copy)
    return made if made.ndim >= ndmin else made[(None,) * (ndmin - made.ndim)]


def _ascontiguousarray(a: Any, dtype: Any = None, *, like: Any = None) -> Any:
    return np.atleast_1d(_asarray(a, dtype, "C"))


def _asfortranarray(a: Any, dtype: Any = None, *, like: Any = None) -> Any:
    return np.atleast_1d(_asarray(a, dtype, "F"))


class _Converter:
    """`numpy._core._multiarray_umath._array_converter`, for arrays without bytes."""

    def __init__(self, *values: Any) -> None:
        self._arrays = [_asarray(value) for value in values]
        self._numbers = [value if type(value) in (int, float, complex) else None for value in values]
        self.scalar_input = tuple(
            [
                not isinstance(x, (ndarray, np.ndarray)) and a.ndim == 0
                for x, a in zip(values, self._arrays, strict=True)
            ]
        )

    def __getitem__(self, index: Any) -> Any:
        return self._arrays[index]

    def __len__(self) -> Any:
        return len(self._arrays)

    def as_arrays(self, *, subok: Any = True, pyscalars: Any = "convert_if_no_array") -> Any:
        if pyscalars == "preserve":
            return tuple([a if n is None else n for a, n in zip(self._arrays, self._numbers, strict=True)])
        return tuple(self._arrays)

    def result_type(self, *, extra_dtype: Any = None, ensure_inexact: Any = False) -> Any:
        given = [a.dtype if n is None else n for a, n in zip(self._arrays, self._numbers, strict=True)]
        if all(n is not None for n in self._numbers):
            given = [a.dtype for a in self._arrays]
        if extra_dtype is not None:
            given.append(extra_dtype)
        found = np.result_type(*given)
        return np.result_type(*given, 0.0) if ensure_inexact and not np.issubdtype(found, np.inexact) else found

    def wrap(self, array: Any, /, to_scalar: Any = None) -> Any:
        return array


def _wrapfunc(obj: Any, method: Any, *args: Any, **kwargs: Any) -> Any:
    if not isinstance(obj, ndarray):
        is_asked = first_fake(args) is not None or first_fake(kwargs.values()) is not None
        obj = asarray(obj) if is_asked else _asarray(obj)
    return getattr(obj, method)(*args, **kwargs)


def _reducing(function: Any) -> Callable[..., Any]:
    """Wrap a NumPy function that passes lists to ufuncs, which do not look for fakes in them."""

    def reduce(obj: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(obj, (list, tuple)) and first_fake(obj) is not None:
            obj = asarray(obj)
        return _clone(function)(obj, *args, **kwargs)

    return reduce


_SEEN = {
    np.ndarray: AnyArray,
    np.asarray: _asarray,
    np.asanyarray: _asanyarray,
    np.array: _array,
    np.ascontiguousarray: _ascontiguousarray,
    np.asfortranarray: _asfortranarray,
    umath._array_converter: _Converter,
    fromnumeric._wrapfunc: _wrapfunc,
    fromnumeric._wrapit: _wrapfunc,
    fromnumeric._wrapreduction: _reducing(fromnumeric._wrapreduction),
    fromnumeric._wrapreduction_any_all: _reducing(fromnumeric._wrapreduction_any_all),
    **{
        getattr(np, name): getattr(creation, name)
        for name in [
            "empty",
            "zeros",
            "ones",
            "full",
            "empty_like",
            "zeros_like",
            "ones_like",
            "full_like",
            "arange",
            "eye",
            "identity",
            "linspace",
            "tri",
            "indices",
        ]
    },
}


def seen(function: Any) -> Callable[[_Function], _Function]:
    """Replace a function in NumPy's code that reads values or is written in C by the decorated one.

    Parameters
    ----------
    function : callable
        The NumPy function.
    """

    def enter(own: _Function) -> _Function:
        _SEEN[function] = own
        return own

    return enter


# ---- clones ----------------------------------------------------------------------------------------------------------


class _Module(types.ModuleType):
    """A NumPy module as a clone sees it."""

    def __init__(self, module: Any) -> None:
        super().__init__(module.__name__)
        self._module = module

    def __getattr__(self, name: str) -> Any:
        found = _replaced(getattr(self._module, name), None)
        setattr(self, name, found)
        return found


_DISPATCHED = type(np.concatenate)


def _public(function: Any) -> Any:
    """Wrap a public function so that it finds fakes even in lists."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if first_fake(args) is None and first_fake(kwargs.values()) is None:
            return function(*args, **kwargs)
        return dispatched(function, *args, **kwargs)

    made: Any = functools.update_wrapper(call, function, updated=())
    made._implementation = function._implementation
    return made


# The undispatched ones, as NumPy's modules call them.
_SEEN.update(
    {
        each._implementation: _public(each)
        for each in list[Any](ARRAY_FUNCTIONS)
        if each not in _SEEN and type(getattr(each, "_implementation", None)) is types.BuiltinFunctionType
    }
)

_modules: dict[Any, Any] = {}
_names: dict[Any, Any] = {}  # by the id of a module's names: the names that its clones see
_clones: dict[Any, Any] = {}


def _replaced(value: Any, names: Any) -> Any:
    """Return the object that a clone sees in place of a value."""
    if isinstance(value, types.ModuleType):
        if not value.__name__.startswith("numpy"):
            return value
        if value not in _modules:
            _modules[value] = _Module(value)
        return _modules[value]
    if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)) or callable(value):
        try:
            found = _SEEN.get(value)
        except TypeError:
            return value
        if found is not None:
            return found
    if isinstance(value, _DISPATCHED) and hasattr(value, "_implementation"):
        return _public(value)
    if type(value) is types.FunctionType and (value.__module__ or "").startswith("numpy"):
        return _clone(value)
    if isinstance(value, (functools.partial, type)):
        return value
    return value


class _Names(dict[str, Any]):
    """The names that a clone sees: NumPy's, each replaced on first use."""

    def __init__(self, names: Any) -> None:
        super().__init__(__builtins__=builtins.__dict__, __name__=names["__name__"])
        self._of = names

    def __missing__(self, name: str) -> Any:
        self[name] = found = _replaced(self._of[name], self)
        return found


def _clone(function: Any) -> Any:
    made = _clones.get(function)
    if made is None:
        names = _names.get(id(function.__globals__))
        if names is None:
            names = _names[id(function.__globals__)] = _Names(function.__globals__)
        made = types.FunctionType(
            function.__code__, names, function.__name__, function.__defaults__, function.__closure__
        )
        made.__kwdefaults__ = function.__kwdefaults__
        _clones[function] = made
    return made


def clone_of(function: Any) -> Any:
    """Return a clone of a NumPy function in Python that keeps arrays without bytes.

    Parameters
    ----------
    function : function
        A dispatched one stands for its implementation.
    """
    return _clone(inspect.unwrap(getattr(function, "_implementation", function)))


# ---- running them ----------------------------------------------------------------------------------------------------


def composite(call: Any) -> Any:
    """Do an operation by NumPy's own code. This is a rule."""
    return run(call, clone_of(call.function.function), call.args, call.kwargs)


def assuming(*names: Any) -> Any:
    """Return the rule of code that checks for special values, such as NaNs, and returns the same layout either way.

    Parameters
    ----------
    *names : str
        Ufuncs whose result is taken to be True; that of all others is taken to be False.
    """
    assumed = frozenset(names)
    return lambda call: run(call, clone_of(call.function.function), call.args, call.kwargs, assumed)


def run(call: Any, function: Any, args: Any, kwargs: Any, assumed: Any = None, answers: bool = False) -> Any:
    """Run a clone, or another function that composes operations, for a call.

    Parameters
    ----------
    call : Call
    function : callable
    args : tuple
    kwargs : dict
    assumed : frozenset of str, optional
    answers : bool, default False
        As for `Block`.

    Returns
    -------
    object
        Arrays of NumPy's layouts; small ones that depend on no fake are computed.
    """
    if call.faked is None:
        return _of_real(call, function, args, kwargs, assumed)
    return _finished(call, _inside(call, function, args, kwargs, assumed, answers), assumed is not None)


def _inside(
    call: Call, function: Any, args: Any, kwargs: Any, assumed: Any, answers: bool = False, origin: Origin | None = None
) -> Any:
    """Run it. origin: the account of its arrays; default: the line's."""
    row = table.OPERATIONS.get(call.operation)
    origin = origin or call.origin
    origin = origin if row is not None and row.writes else origin.within
    answers = answers and call.assumptions is not None
    block = Block(call.block.ledger, SMALL, origin, call.block.assumed if assumed is None else assumed, answers)
    try:
        # Even if no block has been entered, arrays that the code makes belong to the operation.
        return call_in(block, function, tuple(args), kwargs, True)
    except FakeError as error:
        if error.operation == call.operation:
            raise
        raise call.refusal(error.reason, error.advice, error.assumable.partition("=")[0]) from None
    except ValuesNeeded as needed:
        raise call.refusal(str(needed)) from None


def _of_real(call: Call, function: Any, args: Any, kwargs: Any, assumed: Any) -> Any:
    """Do an operation on real arrays in a block: compute small results; infer only the layout of others.

    A trial run finds out which, on a separate account, because computed results are not part of a plan.
    """
    known: dict[Any, Any] = {}
    aside = Ledger(False).here()
    args = _hidden(args, aside, known)
    kwargs = {name: _hidden(value, aside, known) for name, value in kwargs.items()}
    try:
        result = _inside(call, function, args, kwargs, assumed, origin=aside)
    except FakeError:
        return call.forgotten()
    if any(type(each) is np.ndarray and each.base is not None for each in _arrays_in(result)):
        return call.forgotten()  # a view of an array made from a list has that array's layout and writeable flag
    is_planned = known or any(call.is_large(each) for each in _arrays_in(result))
    nbytes = max([each.nbytes for each in _arrays_in(result)], default=0)
    if is_planned and nbytes >= call.block.real and _is_new(call, result, known):
        del result
        return _finished(call, _inside(call, function, args, kwargs, assumed))
    return call.forgotten()


def _hidden(value: Any, aside: Any, known: Any) -> Any:
    """Return a real argument for NumPy's code: without bytes if it is large."""
    if isinstance(value, ndarray):
        return twin(value, aside, known) if value.nbytes >= SMALL else value
    if isinstance(value, np.ndarray) and type(value) is np.ndarray and value.nbytes >= SMALL:
        return make(aside, *_layout(value))
    if type(value) in (list, tuple):
        return type(value)([_hidden(item, aside, known) for item in value])
    return value


def _layout(x: Any) -> Any:
    strides = copied(x).strides
    return Layout(x.shape, x.dtype, strides)


def _arrays_in(result: Any) -> Any:
    if isinstance(result, (ndarray, np.ndarray)):
        yield result
    elif isinstance(result, (tuple, list)):
        for item in result:
            yield from _arrays_in(item)


def _is_new(call: Call, result: Any, known: Any) -> Any:
    """True if no result is a view of an argument, or of a twin that stands for one."""
    given = {*known.values(), *(each.storage for each in _given_arrays([call.args, call.kwargs]))}
    return not any(isinstance(each, ndarray) and each.storage in given for each in _arrays_in(result))


def _finished(call: Call, result: Any, assuming: Any = False) -> Any:
    """Convert the result of NumPy's code to the operation's: fakes, and copies in meaning where the table says so."""
    if assuming and isinstance(result, (bool, np.bool_)):
        raise call.refusal("a value is needed")  # nobody knows
    if isinstance(result, ndarray):
        return _given(call, result)
    if type(result) is np.ndarray:
        return make(call.origin, *_layout(result))
    if type(result) in (tuple, list):
        return type(result)([_finished(call, item, assuming) for item in result])
    if isinstance(result, tuple) and (make_tuple := getattr(result, "_make", None)):
        return make_tuple([_finished(call, item, assuming) for item in result])
    return result


def _given(call: Call, x: Any) -> Any:
    row = table.OPERATIONS.get(call.operation, table.Row())
    for each in _given_arrays([call.args, call.kwargs]):
        if x is each and call.is_written(each):
            return x
    if call.block.origin is not None and is_fake(x):
        return x  # for NumPy's code, which knows which arrays may alias
    if row.result is table.VIEW:
        if row.readonly is True:
            x.flags.writeable = False
        return x
    for each in _given_arrays([call.args, call.kwargs]):
        if is_fake(x) and each.storage is x.storage:
            return as_laid(x, call.origin)
    if is_fake(x) and not x.flags.writeable:
        return as_laid(x, call.origin)
    if not is_fake(x):
        aliased = any(x.storage is each.storage for each in _given_arrays([call.args, call.kwargs]))
        if aliased or not x.flags.writeable:
            x = x.copy()
        call.forget(x)
    return x


def _given_arrays(values: Any) -> Any:
    for value in values.values() if isinstance(values, dict) else values:
        if isinstance(value, ndarray):
            yield value
        elif isinstance(value, (list, tuple, dict)):
            yield from _given_arrays(value)
