# cython: freethreading_compatible=True
"""`__array_function__`, the functions of the public namespace that are NumPy's, and those that go their own way."""

import numpy as np

cimport numpy as cnp
from cpython.pyport cimport PY_SSIZE_T_MAX

from cowarray._array.array cimport Array, is_array, is_array_type
from cowarray._array.copies cimport exports_alias
from cowarray._ops.assigning cimport set_item
from cowarray._ops.conversion cimport check_device, is_subclass, keeps_class
from cowarray._ops.elementwise cimport readable_operand
from cowarray._ops.operands cimport has_own_ufunc, is_handed, is_harmless, is_itself_alone, is_strangers, leaves_lane
from cowarray._ops.passage cimport function_operation, Operation, set_special
from cowarray._ops.quick cimport quick_call, QUICK_FAILED
from cowarray._ops.reading cimport is_number
from cowarray._ops.road cimport call

from cowarray._array.overlaps import aliases, shares_bytes
from cowarray._native.mapped_files import spare_maps
from cowarray._ops.as_given import as_given
from cowarray._ops.conversion import array, asarray, own_or_asarray, standard
from cowarray._ops.elementwise import imported

cnp.import_array()

cdef object numpy_flip = np.flip, numpy_reshape = np.reshape, numpy_transpose = np.transpose
cdef object normalize_axis_tuple = np.lib.array_utils.normalize_axis_tuple
cdef slice BACKWARDS = slice(None, None, -1)
cdef slice EVERYTHING = slice(None)
cdef object AS_USUAL = object()  # returned by a special that leaves the call to NumPy's function

cdef frozenset TAKE_LIKE = frozenset((
    np.arange, np.array, np.asanyarray, np.asarray, np.ascontiguousarray, np.asfortranarray, np.empty, np.eye,
    np.frombuffer, np.fromfile, np.fromfunction, np.fromiter, np.fromstring, np.full, np.genfromtxt, np.identity,
    np.loadtxt, np.ones, np.require, np.tri, np.zeros,
))


cdef object array_function(Array self, object function, object types, tuple args, dict kwargs):
    cdef bint cautious = False
    for kind in types:
        if is_array_type(<type>kind) or kind is cnp.ndarray:
            continue
        if not issubclass(kind, cnp.ndarray) or (
            kind.__array_function__ is not cnp.ndarray.__array_function__
        ):
            return NotImplemented
        cautious = True
    cdef Operation operation = function_operation(function)
    result = AS_USUAL if operation.special is None else operation.special(*args, **kwargs)
    if result is not AS_USUAL:
        if args and is_array(args[0]) and (<Array>args[0]).standard:
            return standard(result)
    else:
        result = QUICK_FAILED
        if not cautious:
            result = quick_call(operation, operation.implementation, operation.is_c, args, kwargs)
        if result is QUICK_FAILED:
            result = call(operation, function, None, args, kwargs, cautious, len(types) > 0)
    if self is not None and self.standard and is_itself_alone(function) and function in TAKE_LIKE:
        return standard(result)  # self may be the argument `like`, which NumPy does not pass on
    return result


# Functions of the public namespace come here directly, since NumPy asks for overrides only if an argument is a
# cowarray array.
def dispatched(function, /, *args, **kwargs):
    """Return the result of a NumPy function, as cowarray arrays. Foreign memory in the arguments is read in place."""
    result = quickly_dispatched(function_operation(function), function, args, kwargs)
    return slowly_dispatched(function, len(args), args, kwargs) if result is QUICK_FAILED else result


def implemented(function, /, *args, **kwargs):
    """Return the result of a NumPy function's ``_implementation``, which asks no argument's class, by its rules."""
    cdef Operation operation = function_operation(function)
    # A special would call a subclass of NumPy's array, which may be the caller.
    result = operation.special
    result = AS_USUAL if result is None or (args and is_subclass(args[0])) else result(*args, **kwargs)
    if result is not AS_USUAL:
        return result
    return call(operation, function, None, args, kwargs, True, False, True)


def dispatched_function(function, declared, arrays, imports, /):
    """Return the declared function as one that calls a NumPy function: see `elementwise_function`.

    arrays: how many are array_like; None: all positional arguments. imports: convert them first, as views may result.
    """
    cdef tuple parameters = declared.__code__.co_varnames[:declared.__code__.co_argcount]
    cdef tuple names = parameters[:arrays or 0]
    cdef Py_ssize_t most = PY_SSIZE_T_MAX if arrays is None else arrays
    cdef Operation operation = function_operation(function)

    def call(*args, **kwargs):
        if kwargs and len(args) < len(names):
            args = by_position(parameters, args, kwargs)
        refusal = None
        result = QUICK_FAILED
        try:
            if not imports or are_arrays(args, most):
                result = quickly_dispatched(operation, function, args, kwargs)
        except TypeError as error:
            refusal = error
        if refusal is not None:
            declared(*args, **kwargs)  # refuses, under the declared name, arguments that do not fit
            raise refusal
        if result is not QUICK_FAILED:
            return result
        declared(*args, **kwargs)
        if imports:
            args = tuple([imported(value) for value in args[:most]]) + args[most:]
            kwargs.update([(name, imported(kwargs[name])) for name in names if name in kwargs])
        return slowly_dispatched(function, most, args, kwargs, names)

    return call


cdef tuple by_position(tuple parameters, tuple args, dict kwargs):
    """Return args with the named arguments that continue them, removed from kwargs.

    NumPy's functions in C, and the modes' rules, take arrays by position.
    """
    for name in parameters[len(args):]:
        if name not in kwargs:
            break
        args += (kwargs.pop(name),)
    return args


cdef bint are_arrays(tuple args, Py_ssize_t most) noexcept:
    """True if the first arguments are cowarray arrays, and there is at least one."""
    cdef Py_ssize_t i
    for i in range(min(len(args), most)):
        if not is_array(args[i]):
            return False
    return len(args) > 0


cdef object quickly_dispatched(Operation operation, object function, tuple args, dict kwargs):
    if operation.special is not None:
        if not is_own_call(args, kwargs):
            return QUICK_FAILED
        result = operation.special(*args, **kwargs)
        if result is not AS_USUAL:
            return result
    # The dispatcher in front of a function written in Python refuses arguments as well.
    return quick_call(operation, operation.implementation if operation.is_c else function, operation.is_c, args, kwargs)


cdef bint is_own_call(tuple args, dict kwargs) except -1:
    """True if the first argument is a cowarray array, and no class of the others has to be asked."""
    if not args or not is_array(args[0]) or (<Array>args[0]).standard:
        return False
    for value in args[1:]:
        if not is_array(value) and not is_harmless(value) and type(value) is not tuple:
            return False
    for value in kwargs.values():
        if not is_harmless(value) and type(value) is not tuple:
            return False
    return True


cdef object slowly_dispatched(object function, Py_ssize_t arrays, tuple args, dict kwargs, tuple names=()):
    """arrays, names: how many positional arguments are array_like, and which named ones."""
    cdef Operation operation = function_operation(function)
    if is_strangers(args, kwargs):
        args, kwargs = as_given(function, args, kwargs)
        if not is_handed(args, kwargs):
            return call(operation, function, None, args, kwargs, False, False)
        # Before any mode, which would take the operations of a stranger's own code for parts of this one.
        result = function(*args, **kwargs)
        return asarray(result) if type(result) is cnp.ndarray else result
    # A written argument must be an array itself, not an object that has one.
    cdef set written = {each.position for each in operation.writes} | {each.name for each in operation.writes}
    shown = [
        shown_as_array(value) if i < arrays and i not in written else value for i, value in enumerate(args)
    ]
    for name in names:
        if name in kwargs and name not in written:
            kwargs[name] = shown_as_array(kwargs[name])
    return array_function(None, function, (), tuple(shown), kwargs)


cdef object shown_as_array(object value):
    """Return an array_like as NumPy's array over its memory, since a function could call the object's own methods."""
    if is_harmless(value) or cnp.PyArray_Check(value) or has_own_ufunc(value):
        return value
    return readable_operand(value)


# ---- functions that go their own way ---------------------------------------------------------------------------------

def _copy(a, order="K", subok=False):
    return array(a, order=order, copy=True, subok=subok)


def _astype(x, dtype, /, *, copy=True, device=None):
    check_device(device)
    if keeps_class(x):
        return x.astype(dtype, copy=copy)
    return own_or_asarray(x).astype(dtype, copy=copy)


def _reshape(a, /, shape, order="C", *, copy=None):
    if keeps_class(a):
        result = numpy_reshape(a, shape, order, copy=copy)
        return result if copy is not None or exports_alias() else result.copy()
    return own_or_asarray(a).reshape(shape, order=order, copy=copy)


def _flip(m, axis=None):
    if is_subclass(m):
        return numpy_flip(m, axis)
    x = own_or_asarray(m)
    backwards = range(x.ndim) if axis is None else normalize_axis_tuple(axis, x.ndim)
    return x[tuple([BACKWARDS if i in backwards else EVERYTHING for i in range(x.ndim)])]


def _transpose(a, axes=None):
    if is_subclass(a):
        return numpy_transpose(a, axes)
    x = own_or_asarray(a)
    return x.T if axes is None else x.transpose(axes)


def _array(object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0):
    return array(object, dtype, copy=copy, order=order, subok=subok, ndmin=ndmin)


def _asarray(a, dtype=None, order=None, *, device=None, copy=None):
    return array(a, dtype, order=order, device=device, copy=copy is not False)


def _ascontiguousarray(a, dtype=None):
    return array(a, dtype, order="C", ndmin=1)


def _asfortranarray(a, dtype=None):
    return array(a, dtype, order="F", ndmin=1)


def _shares_memory(a, b, max_work=None):
    return aliases(a, b)


def _may_share_memory(a, b, max_work=None):
    # NumPy asks this before it writes: a snapshot must not be written to while it shares bytes.
    if is_array(a) and is_array(b):
        return aliases(a, b)
    return aliases(a, b) or shares_bytes(a, b)


def _choose(a, choices, out=None, mode="raise"):
    if mode != "raise" and (is_array(out) or cnp.PyArray_Check(out)) and out.ndim:
        if not out.flags.c_contiguous:  # NumPy would write past its end, and read choices that it has overwritten
            result = dispatched(np.choose, a, choices, None, mode)
            if result.shape == out.shape:
                out[...] = result
                return out
    return AS_USUAL


def _copyto(dst, src, casting="same_kind", where=True):
    if is_array(dst) and not (<Array>dst).writeable and is_array(src) and (<Array>src).nd == (<Array>dst).nd > 0:
        if (<Array>src).storage_ is not (<Array>dst).storage_:
            # If source and target are the same memory, NumPy writes nothing, and does not check that it is writable.
            return dispatched(np.copyto, dst, src[np.newaxis], casting, where)
    if is_assignment(dst, src, casting, where):
        set_item(<Array>dst, ..., src)
        return None
    return AS_USUAL


cdef bint is_assignment(object dst, object src, object casting, object where) except -1:
    """True if copyto does what an assignment does, which is quicker: no conversion, and no mode gets either array."""
    return (
        is_array(dst) and is_array(src) and (<Array>dst).descr is (<Array>src).descr and is_number((<Array>dst).descr)
        and where is True and type(casting) is str and casting == "same_kind" and (<Array>dst).writeable
        and not leaves_lane(<Array>dst) and not leaves_lane(<Array>src)
    )


def _ravel(a, order="C"):
    return a.ravel(order) if is_array(a) else AS_USUAL


def _squeeze(a, axis=None):
    return a.squeeze(axis) if is_array(a) else AS_USUAL


def _real(val):
    return val.real if is_array(val) else AS_USUAL


def _imag(val):
    return val.imag if is_array(val) else AS_USUAL


def _sparing(name, ending):
    """Make a special for a NumPy function that writes a file: arrays that are mapped from the file are spared."""
    def spare(*args, **kwargs):
        spare_maps(args[0] if args else kwargs[name], ending)
        return AS_USUAL

    return spare


set_special({
    np.array: _array,
    np.asarray: _asarray,
    np.asanyarray: _asarray,
    np.ascontiguousarray: _ascontiguousarray,
    np.asfortranarray: _asfortranarray,
    np.choose: _choose,
    np.copyto: _copyto,
    np.copy: _copy,
    np.astype: _astype,
    np.reshape: _reshape,
    np.ravel: _ravel,
    np.squeeze: _squeeze,
    np.real: _real,
    np.imag: _imag,
    np.flip: _flip,
    np.transpose: _transpose,
    np.shares_memory: _shares_memory,
    np.may_share_memory: _may_share_memory,
    np.save: _sparing("file", ".npy"),
    np.savez: _sparing("file", ".npz"),
    np.savez_compressed: _sparing("file", ".npz"),
})
