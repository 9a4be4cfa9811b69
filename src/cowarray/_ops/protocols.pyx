# cython: freethreading_compatible=True
"""NumPy's protocols, `__array_ufunc__` and `__array_function__`, and the functions of the public namespace.

It is one file because the public functions enter through the protocols' own doors: cut in two, each call of a ufunc
would cross modules once more.
"""

import numpy as np
from numpy import _NoValue

cimport cython
cimport numpy as cnp
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM

from cowarray._array.array cimport (
    Array,
    const_header,
    has_doorkeeper,
    header_beside,
    is_array,
    is_array_type,
    still,
    writable_header,
)
from cowarray._array.copies cimport exports_alias
from cowarray._array.imports cimport import_array
from cowarray._c.numpy cimport PyArray_BASE
from cowarray._c.python cimport PyObject_Call, PyObject_CheckBuffer
from cowarray._native.storage cimport FOREIGN, Intent, OPERATION, OVERWRITES, WRITES
from cowarray._ops.conversion cimport check_device, is_subclass, keeps_class, with_elements
from cowarray._ops.indexing cimport is_number, is_settled, set_item
from cowarray._ops.large cimport is_large_operand, large_call
from cowarray._ops.operands cimport (
    any_own_ufunc,
    births_leave_lane,
    computed,
    has_own_ufunc,
    is_familiar,
    is_handed,
    is_harmless,
    is_itself_alone,
    is_stranger,
    is_strangers,
    leaves_lane,
    MISSING,
    operand,
    runs_code,
    standard_result,
    take_road,
)
from cowarray._ops.overwriting cimport attempt, commit, is_replaceable, overwriting_header
from cowarray._ops.passage cimport COMPUTING, function_operation, new_passage, Operation, Passage, set_special
from cowarray._ops.picking cimport AN_INDEX, new_picked, TRUE_ELEMENTS
from cowarray._ops.quick cimport quick_call, QUICK_FAILED
from cowarray._ops.road cimport call, calls_user, identity_on_road, written_of
from cowarray._ops.strangers cimport after_overrides, ask_overrides

from cowarray._array.overlaps import aliases, shares_bytes
from cowarray._native.mapped_files import spare_maps
from cowarray._ops.as_given import as_given
from cowarray._ops.conversion import array, asarray, own_or_asarray, standard

cnp.import_array()

cdef object numpy_dtype = np.dtype
cdef object numpy_asarray = np.asarray
cdef object numpy_flip = np.flip, numpy_reshape = np.reshape, numpy_transpose = np.transpose
cdef object normalize_axis_tuple = np.lib.array_utils.normalize_axis_tuple
cdef slice BACKWARDS = slice(None, None, -1)
cdef slice EVERYTHING = slice(None)
cdef type numpy_memmap = np.memmap
cdef type numpy_ufunc = np.ufunc
cdef object maximum = np.maximum
cdef object minimum = np.minimum
# Those of numpy.strings, from where it has them: the import of that module would be for their names alone.
cdef tuple string_ufuncs = tuple([getattr(np._core.umath, name) for name in (
    "isalnum isalpha isdecimal isdigit islower isnumeric isspace istitle isupper str_len".split()
)])
# Ufuncs known to write all of `out` and to read none of it.
cdef frozenset numpy_ufuncs = frozenset(
    [value for value in vars(np).values() if isinstance(value, np.ufunc)]
).union(string_ufuncs, (np._core.umath.clip,))  # which `np.clip` calls


# Theirs, which a ufunc makes anew each time.
cdef dict names = {ufunc: ufunc.__name__ for ufunc in numpy_ufuncs}


cdef Py_ssize_t axes_of(object value) except -1:
    return (<Array>value).nd if is_array(value) else np.ndim(value)


cdef bint makes_axes(object ufunc, str method_name, object first, dict kwargs) except -1:
    """Whether the result has axes, given that an operand has."""
    if method_name == "reduce":
        return bool(kwargs.get("keepdims")) or (type(kwargs.get("axis", 0)) is int and axes_of(first) > 1)
    return ufunc.signature is None


cdef object array_ufunc(Array self, object ufunc, str method_name, tuple inputs, dict kwargs):
    cdef tuple out
    cdef bint declined = False
    cdef bint known = type(ufunc) is numpy_ufunc and ufunc in numpy_ufuncs
    cdef bint is_call = method_name == "__call__"
    if not kwargs and is_call and known:
        if 0 < len(inputs) <= 2:
            result = plain_ufunc(ufunc, inputs[0], inputs[1] if len(inputs) == 2 else MISSING)
            if result is not None:
                return result
    elif known and is_call:
        if len(kwargs) == 1 and "out" in kwargs and 0 < len(inputs) <= 2:
            result = written_into(kwargs["out"], ufunc, inputs[0], inputs[1] if len(inputs) == 2 else MISSING)
            if result is not None:
                return result
    elif known and method_name != "at" and not (kwargs and ("indices" in kwargs or "array" in kwargs)):
        result = quick_call(COMPUTING, getattr(ufunc, method_name), True, inputs, kwargs)
        if result is not QUICK_FAILED:
            return result
    out = outputs_of(kwargs)
    if takes_others(inputs, out, kwargs):
        # Before any mode, which would take the operations of a stranger's own code for parts of this one.
        result = ask_overrides(ufunc, method_name, inputs, kwargs, out)
        if result is not NotImplemented:
            return result
        declined = True
    if is_handed(inputs, kwargs):
        journey = _UfuncJourney(ufunc, method_name, declined)
        return take_road(ufunc_name(ufunc, method_name), journey, inputs, kwargs)
    return travel_ufunc(ufunc, method_name, inputs, kwargs, declined)


cdef bint takes_others(tuple inputs, tuple out, dict kwargs) except -1:
    """Whether a ufunc is given an argument whose `__array_ufunc__` NumPy asks."""
    return any_own_ufunc(inputs) or any_own_ufunc(out) or ("where" in kwargs and has_own_ufunc(kwargs["where"]))


cdef tuple outputs_of(dict kwargs):
    """A ufunc's `out`. Code that stands in for NumPy's ufuncs may pass an array alone."""
    out = kwargs.get("out", ())
    return <tuple>out if type(out) is tuple else () if out is None else (out,)


cdef object quick_ufunc(object self, PyObject *const *given, Py_ssize_t count):
    """`array_ufunc` for a call with one operand or two; None if it takes more than that.

    given: the ufunc, the method's name, and the operands, borrowed.
    """
    if count < 3 or count > 4 or type(<object>given[0]) is not numpy_ufunc or type(<object>given[1]) is not str:
        return None
    if len(<str>given[1]) != 8 or <str>given[1] != "__call__" or <object>given[0] not in numpy_ufuncs:
        return None
    return plain_ufunc(<object>given[0], <object>given[2], <object>given[3] if count == 4 else MISSING)


cdef object plain_ufunc(object ufunc, object left, object right):
    """The result of one of NumPy's own ufuncs for one operand or two (right: MISSING for one); None: take the road.

    The common call needs no Passage: it runs no user code, and its result is fresh.
    """
    cdef object first = operand(left)
    cdef object second
    if first is not None and right is MISSING:
        return computed(large_call(ufunc, (first,), {}) if is_large_operand(first) else ufunc(first))
    if first is not None:
        second = operand(right)
        if second is not None:
            if is_large_operand(first) or is_large_operand(second):
                return computed(large_call(ufunc, (first, second), {}))
            return computed(ufunc(first, second))
    result = standard_result(ufunc, left, right)
    return None if result is MISSING else result


cdef Array written_into(object out, object ufunc, object left, object right):
    """Make the common call with an array as `out`, and return it. None, and nothing is written: it is another call.

    right: MISSING for one operand. Whole shared Storages are left to `overwritten`.
    """
    cdef Array x
    cdef cnp.ndarray header
    if type(out) is tuple and len(<tuple>out) == 1:
        out = (<tuple>out)[0]
    if not is_array(out) or operand(left) is None or not (right is MISSING or operand(right) is not None):
        return None
    x = <Array>out
    if not x.writeable or runs_code(x.descr) or has_doorkeeper(x) or is_replaceable(x, False):
        return None
    header = writable_header(x, NULL)  # first, as it may move bytes that the operands read
    if right is MISSING:
        ufunc(beside(left, x, header), header)
    elif ufunc is maximum or ufunc is minimum:  # NumPy warns if their third argument is positional
        ufunc(beside(left, x, header), beside(right, x, header), out=header)
    else:
        ufunc(beside(left, x, header), beside(right, x, header), header)
    return x


cdef object beside(object value, Array x, cnp.ndarray writer):
    """What NumPy is to read an operand by while it writes x by its writer."""
    if value is x:
        return writer
    return header_beside(<Array>value, writer) if is_array(value) else value


cdef str ufunc_name(object ufunc, str method_name):
    name = names.get(ufunc) if type(ufunc) is numpy_ufunc else None
    if name is None:
        name = getattr(ufunc, "__name__", type(ufunc).__name__)
    return name if method_name == "__call__" else f"{name}.{method_name}"


@cython.final
cdef class _UfuncJourney:
    """Applies a ufunc without a mode, for the mode that it was handed to."""

    cdef readonly object ufunc
    cdef readonly str method_name
    cdef bint declined

    def __cinit__(self, object ufunc, str method_name, bint declined=False):
        self.ufunc = ufunc
        self.method_name = method_name
        self.declined = declined

    def __call__(self, *inputs, **kwargs):
        return travel_ufunc(self.ufunc, self.method_name, inputs, kwargs, self.declined)


cdef object travel_ufunc(object ufunc, str method_name, tuple inputs, dict kwargs, bint declined):
    """Apply a ufunc, a mode's part done. declined: whether types were asked that have their own `__array_ufunc__`."""
    cdef Passage passage
    cdef list shown
    cdef bint is_elementwise_call
    cdef bint known = type(ufunc) is numpy_ufunc and ufunc in numpy_ufuncs
    cdef tuple out = outputs_of(kwargs)
    if declined:
        return after_overrides(ufunc, method_name, inputs, kwargs, out)
    if out and known and method_name == "__call__":
        inputs = tuple([converted(value) for value in inputs])  # an error here has changed nothing
        if len(out) == 1 and is_array(out[0]) and "where" not in kwargs and overwritten(
            <Array>out[0], ufunc, inputs, kwargs
        ):
            return out[0]
    passage = new_passage()
    passage.cautious = not known
    is_elementwise_call = known and method_name == "__call__" and ufunc.signature is None
    passage.overwrites = is_elementwise_call and "where" not in kwargs
    passage.behalf = OPERATION if known else FOREIGN
    passage.strangers = type(ufunc) is not numpy_ufunc
    passage.stays = known and (method_name == "at" or ufunc.nout == 1)
    passage.survey_elementwise(inputs)
    passage.survey(out)
    passage.survey(kwargs.get("where"))
    if passage.allocates and inputs:
        passage.allocates = makes_axes(ufunc, method_name, inputs[0], kwargs)
    if method_name == "at":
        if inputs and is_array(inputs[0]) and not (<Array>inputs[0]).writeable:
            raise ValueError("assignment destination is read-only")  # NumPy's fast path of `at` does not check
        if known and len(inputs) > 1 and (is_settled(inputs[1]) or type(inputs[1]) is list):
            passage.picked = new_picked(AN_INDEX, inputs[1])
        shown = [passage.write(value) for value in inputs[:1]]
        shown.extend([passage.read(value) for value in inputs[1:]])
        return ufunc.at(*shown)
    if out:
        if is_elementwise_call and "where" in kwargs:
            passage.picked = new_picked(TRUE_ELEMENTS, kwargs["where"])
        kwargs["out"] = passage.write(out)
    if method_name != "__call__":
        # NumPy passes these by position as well.
        kwargs.pop("array", None)
        kwargs.pop("indices", None)
    for name, value in kwargs.items():
        if name != "out":
            kwargs[name] = passage.read(value)
    shown = [passage.read(value) for value in inputs]
    function = getattr(ufunc, method_name)
    if any([is_large_operand(value) for value in shown]):
        result = large_call(function, tuple(shown), kwargs)
    else:
        result = function(*shown, **kwargs)
    if out:
        # The result is the argument out itself, which may be foreign or of a subclass.
        if type(result) is tuple:
            return tuple([
                given if given is not None else passage.result(item) for given, item in zip(out, result, strict=True)
            ])
        return passage.result(result) if out[0] is None else out[0]
    return passage.result(result)


cdef object converted(object value):
    """An array_like operand as an array. A gap."""
    cdef type kind = type(value)
    if kind is list or kind is tuple:
        return numpy_asarray(with_elements(value, 0))
    if is_familiar(value) or cnp.PyArray_Check(value):
        return value
    return numpy_asarray(value)


cdef bint overwritten(Array x, object ufunc, tuple inputs, dict kwargs) except -1:
    """Have one of NumPy's own ufuncs give all of x new values. False, and nothing has happened, if that cannot be."""
    cdef Passage passage = new_passage()
    cdef cnp.ndarray header
    cdef Intent intent = OVERWRITES
    cdef dict options = dict(kwargs)
    # A gufunc may leave a part of out as it was: numpy.vecmat of 2.4 does, if out is not contiguous.
    # An unsafe cast can warn, which runs user code.
    if not x.writeable or ufunc.signature is not None or "casting" in kwargs or not is_replaceable(x, False):
        return False
    options["out"] = None
    for value in inputs:
        if is_array(value) and (<Array>value).storage_ is x.storage_ and (<Array>value).shadow == x.shadow:
            intent = WRITES
        passage.survey(value)
    for value in options.values():
        passage.survey(value)
    header = overwriting_header(x, False, intent) if not passage.cautious and is_replaceable(x, False) else None
    if header is None:
        return False
    options["out"] = header
    for name, value in options.items():
        if name != "out":
            options[name] = passage.read(value)
    shown = tuple([passage.read(value) for value in inputs])
    if not attempt(ufunc, shown, <PyObject *>options):
        return False
    shown = passage = None
    return commit(header)


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
    """The result of a NumPy function, as cowarray's arrays. Foreign memory in the arguments is read in place."""
    result = quickly_dispatched(function, args, kwargs)
    return slowly_dispatched(function, len(args), args, kwargs) if result is QUICK_FAILED else result


def dispatched_function(function, declared, arrays, /):
    """A function that does the same, and of whose arguments so many are arrays: see `elementwise_function`."""
    cdef tuple names = declared.__code__.co_varnames[:arrays]

    def call(*args, **kwargs):
        refusal = None
        try:
            result = quickly_dispatched(function, args, kwargs)
        except TypeError as error:
            refusal = error
        if refusal is not None:
            declared(*args, **kwargs)  # refuses by the declared name what does not fit
            raise refusal
        if result is not QUICK_FAILED:
            return result
        declared(*args, **kwargs)
        for name in names[len(args):]:
            if name not in kwargs:
                break  # left out, as those behind it, or of a function that takes them by position alone
            args += (kwargs.pop(name),)
        return slowly_dispatched(function, arrays, args, kwargs)

    return call


cdef object quickly_dispatched(object function, tuple args, dict kwargs):
    cdef Operation operation = function_operation(function)
    if operation.special is not None:
        return QUICK_FAILED
    # What looks for overrides in front of a function in Python refuses arguments, too.
    return quick_call(operation, operation.implementation if operation.is_c else function, operation.is_c, args, kwargs)


cdef object slowly_dispatched(object function, Py_ssize_t arrays, tuple args, dict kwargs):
    cdef Operation operation = function_operation(function)
    if is_strangers(args, kwargs):
        args, kwargs = as_given(function, args, kwargs)
        if not is_handed(args, kwargs):
            return call(operation, function, None, args, kwargs, False, False)
        # Before any mode, which would take the operations of a stranger's own code for parts of this one.
        result = function(*args, **kwargs)
        return asarray(result) if type(result) is cnp.ndarray else result
    # A written argument must be an array itself, not an object that has one.
    cdef set written = {each.position for each in operation.writes}
    shown = [
        shown_as_array(value) if i < arrays and i not in written else value for i, value in enumerate(args)
    ]
    return array_function(None, function, (), tuple(shown), kwargs)


cdef object shown_as_array(object value):
    """An array_like as NumPy's array over its memory, since a function could call the object's own methods."""
    if is_harmless(type(value)) or cnp.PyArray_Check(value) or has_own_ufunc(value):
        return value
    return readable_operand(value)


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


cdef object elementwise1(object ufunc, object x, object out, object where, object dtype, object casting):
    """The result of one of NumPy's own ufuncs for x, as a cowarray array."""
    if where is not True or dtype is not None or casting != "same_kind":
        return elementwise(ufunc, (x,), chosen(out, where, dtype, casting))
    if out is not None:
        result = written_into(out, ufunc, x, MISSING)
        return elementwise(ufunc, (x,), chosen(out, True, None, "same_kind")) if result is None else result
    shown = operand(x)
    if shown is None:
        return elementwise(ufunc, (x,), {})
    return computed(large_call(ufunc, (shown,), {}) if is_large_operand(shown) else ufunc(shown))


cdef object elementwise2(object ufunc, object x1, object x2, object out, object where, object dtype, object casting):
    """The result of one of NumPy's own ufuncs for x1 and x2, as a cowarray array."""
    if where is not True or dtype is not None or casting != "same_kind":
        return elementwise(ufunc, (x1, x2), chosen(out, where, dtype, casting))
    if out is not None:
        result = written_into(out, ufunc, x1, x2)
        return elementwise(ufunc, (x1, x2), chosen(out, True, None, "same_kind")) if result is None else result
    first = operand(x1)
    second = operand(x2)
    if first is None or second is None:
        return elementwise(ufunc, (x1, x2), {})
    if is_large_operand(first) or is_large_operand(second):
        return computed(large_call(ufunc, (first, second), {}))
    return computed(ufunc(first, second))


# NumPy's warnings name the line of the youngest frame, which a Python function of ours would be. Functions of Cython's
# have none, so they name the user's. They take any arguments, and have `declared`, which has the signature and no body,
# refuse what does not fit, by its name.
def elementwise_function(ufunc, declared, /):
    """A function that calls one of NumPy's own ufuncs, of one or two operands and as many results."""
    def one(x=MISSING, /, out=None, *rest, where=True, dtype=None, casting="same_kind", **unknown):
        if x is MISSING or rest or unknown:
            refuse(declared, (x,), (out,), rest, unknown)
        return elementwise1(ufunc, x, out, where, dtype, casting)

    def two(x1=MISSING, x2=MISSING, /, out=None, *rest, where=True, dtype=None, casting="same_kind", **unknown):
        if x2 is MISSING or rest or unknown:
            refuse(declared, (x1, x2), (out,), rest, unknown)
        return elementwise2(ufunc, x1, x2, out, where, dtype, casting)

    def one_pair(
        x=MISSING, out1=None, out2=None, /, *rest, out=None, where=True, dtype=None, casting="same_kind", **unknown
    ):
        if x is MISSING or rest or unknown:
            refuse(declared, (x,), (out1, out2), rest, unknown)
        return elementwise1(ufunc, x, either_out(ufunc, out1, out2, out), where, dtype, casting)

    def two_pair(
        x1=MISSING, x2=MISSING, out1=None, out2=None, /, *rest, out=None, where=True, dtype=None, casting="same_kind",
        **unknown
    ):
        if x2 is MISSING or rest or unknown:
            refuse(declared, (x1, x2), (out1, out2), rest, unknown)
        return elementwise2(ufunc, x1, x2, either_out(ufunc, out1, out2, out), where, dtype, casting)

    return {(1, 1): one, (2, 1): two, (1, 2): one_pair, (2, 2): two_pair}[ufunc.nin, ufunc.nout]


def generalized_function(ufunc, declared, /):
    """The same for a generalized ufunc of two operands, with any of its options."""
    def two(x1=MISSING, x2=MISSING, /, out=None, *rest, **kwargs):
        if x2 is MISSING or rest:
            refuse(declared, (x1, x2), (out,), rest, kwargs)
        if out is None and not kwargs:
            return elementwise2(ufunc, x1, x2, None, True, None, "same_kind")
        return ufunc(imported(x1), imported(x2), out=out, **kwargs)

    return two


cdef object refuse(object declared, tuple operands, tuple options, tuple rest, dict unknown):
    """Let the declared function say what does not fit."""
    given = tuple([value for value in operands if value is not MISSING])
    return declared(*given, *(options + rest if rest else ()), **unknown)


cdef object either_out(object ufunc, object out1, object out2, object out):
    """The out of a function of two results, which may also be given by position."""
    if out1 is None and out2 is None:
        if out is not None and type(out) is not tuple:
            raise TypeError(f"{ufunc.__name__}: out must be a tuple of two arrays (got {type(out).__name__})")
        if out is not None and len(<tuple>out) != 2:
            raise ValueError(f"{ufunc.__name__}: out must be a tuple of two arrays (got {len(<tuple>out)})")
        return out
    if out is not None:
        raise TypeError(f"{ufunc.__name__}: out was passed both by position and by keyword; pass only one")
    return out1, out2


cdef dict chosen(object out, object where, object dtype, object casting):
    """Options of a ufunc as NumPy passes them: those that differ from the default, with out as a tuple."""
    cdef dict options = {}
    if out is not None:
        options["out"] = out if type(out) is tuple else (out,)
    if where is not True:
        options["where"] = where
    if dtype is not None:
        options["dtype"] = dtype
    if casting != "same_kind":
        options["casting"] = casting
    return options


cdef object elementwise(object ufunc, tuple inputs, dict options):
    """The slow path: there are options, or an operand has code or rules of its own, or is not an array yet."""
    cdef list read = []
    cdef tuple out = options.get("out", ())
    if takes_others(inputs, out, options):
        # NumPy asks both sides, and cowarray gives way. The result may be referred to elsewhere.
        result = ufunc(*inputs, **options)
        return import_array(result, None) if type(result) is cnp.ndarray and not out else result
    for value in inputs:
        read.append(readable_operand(value))
    return array_ufunc(None, ufunc, "__call__", tuple(read), options)


cdef object readable_operand(object value):
    """An array_like that is only read, as NumPy's array over its memory."""
    cdef type kind = type(value)
    if is_familiar(value) or (cnp.PyArray_Check(value) and kind is not numpy_memmap):
        return value  # subclasses of NumPy's array may make results of their own kind
    if PyObject_CheckBuffer(value) or hasattr(kind, "__array__") or hasattr(kind, "__array_interface__"):
        return numpy_asarray(value)
    return value


def ufunc_methods(ufunc, /):
    """The methods of one of NumPy's own ufuncs, for anything array_like: see `elementwise_function`."""
    def reduce(array, /, axis=0, dtype=None, out=None, keepdims=False, initial=_NoValue, where=True):  # no-cython-lint
        options = {"axis": axis, "dtype": dtype, "keepdims": keepdims, "where": where}
        if initial is not _NoValue:
            options["initial"] = initial
        return ufunc_method(ufunc, "reduce", (array,), out, options)

    def accumulate(array, /, axis=0, dtype=None, out=None):  # no-cython-lint
        return ufunc_method(ufunc, "accumulate", (array,), out, {"axis": axis, "dtype": dtype})

    def reduceat(array, /, indices, axis=0, dtype=None, out=None):  # no-cython-lint
        return ufunc_method(ufunc, "reduceat", (array, indices), out, {"axis": axis, "dtype": dtype})

    def outer(A, B, /, *, out=None, **kwargs):
        return ufunc_method(ufunc, "outer", (A, B), out, kwargs)

    def at(a, indices, b=_NoValue, /):
        return ufunc_method(ufunc, "at", (a, indices) if b is _NoValue else (a, indices, b), None, {})

    return reduce, accumulate, reduceat, outer, at


cdef object ufunc_method(object ufunc, str method, tuple inputs, object out, dict options):
    """The result of a method of one of NumPy's own ufuncs, as cowarray's arrays; default options are dropped."""
    if out is not None:
        options["out"] = out if type(out) is tuple else (out,)
    for name, default in (("dtype", None), ("keepdims", False), ("where", True)):
        if name in options and options[name] is default:
            del options[name]
    if takes_others(inputs, options.get("out", ()), options):
        result = getattr(ufunc, method)(*inputs, **options)
        return import_array(result, None) if type(result) is cnp.ndarray and out is None else result
    if method != "at":  # it writes to the first
        inputs = tuple([readable_operand(value) for value in inputs])
    return array_ufunc(None, ufunc, method, inputs, options)


def imported(x, /):
    """The argument of a function as a cowarray array, unless it is a scalar or None.

    Subclasses of NumPy's array, and objects with an ``__array_ufunc__`` or ``__array_function__`` of their own, are
    returned as they are.
    """
    cdef type kind = type(x)
    if kind is cnp.ndarray or kind is numpy_memmap or kind is list or kind is tuple:
        return asarray(x)
    if is_familiar(x) or cnp.PyArray_Check(x) or has_own_ufunc(x) or is_stranger(x):
        return x
    return asarray(x)


def fresh(result, /):
    """NumPy's fresh result, which nothing else refers to, as cowarray's arrays, without a copy.

    Arrays of a list or tuple that lie in one memory become views of one Storage. Other objects are returned as they
    are.
    """
    cdef Passage passage
    if type(result) is cnp.ndarray and PyArray_BASE(<cnp.ndarray>result) == NULL:
        return computed(result)
    if type(result) is not cnp.ndarray and type(result) is not tuple and type(result) is not list:
        return result
    passage = new_passage()
    return passage.result(result)


cdef frozenset TAKE_LIKE = frozenset((
    np.arange, np.array, np.asanyarray, np.asarray, np.ascontiguousarray, np.asfortranarray, np.empty, np.eye,
    np.frombuffer, np.fromfile, np.fromfunction, np.fromiter, np.fromstring, np.full, np.genfromtxt, np.identity,
    np.loadtxt, np.ones, np.require, np.tri, np.zeros,
))


cdef object AS_USUAL = object()  # what a special gives that leaves the rest to NumPy's function


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
            # NumPy writes nothing to memory that it is to be copied from, and does not look whether it is read-only.
            return dispatched(np.copyto, dst, src[np.newaxis], casting, where)
    if is_assignment(dst, src, casting, where):
        set_item(<Array>dst, ..., src)
        return None
    return AS_USUAL


cdef bint is_assignment(object dst, object src, object casting, object where) except -1:
    """Whether copyto does what an assignment does, which takes a shorter way: no conversion, and modes get neither."""
    return (
        is_array(dst) and is_array(src) and (<Array>dst).descr is (<Array>src).descr and is_number((<Array>dst).descr)
        and where is True and type(casting) is str and casting == "same_kind" and (<Array>dst).writeable
        and not leaves_lane(<Array>dst) and not leaves_lane(<Array>src)
    )


def _ravel(a, order="C"):
    return a.ravel(order) if is_array(a) else AS_USUAL


def _squeeze(a, axis=None):
    return a.squeeze(axis) if is_array(a) else AS_USUAL


def _sparing(name, ending):
    """Of a function of NumPy's that writes a file, its first argument, from which arrays may be mapped."""
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
    np.flip: _flip,
    np.transpose: _transpose,
    np.shares_memory: _shares_memory,
    np.may_share_memory: _may_share_memory,
    np.save: _sparing("file", ".npy"),
    np.savez: _sparing("file", ".npz"),
    np.savez_compressed: _sparing("file", ".npz"),
})


def born(function, /, *args, **kwargs):
    """The arrays that a NumPy function makes of numbers, files or at random, as cowarray's."""
    if births_leave_lane() or is_handed(args, kwargs):
        return take_road(function.__name__, _Bearing(function), args, kwargs)
    return fresh(function(*args, **kwargs))


@cython.final
cdef class _Bearing:
    """Runs a creation without a mode, for the mode that it was handed to."""

    cdef readonly object function

    def __cinit__(self, object function):
        self.function = function

    def __call__(self, *args, **kwargs):
        return fresh(self.function(*args, **kwargs))


def bearing(function, /):
    """The creation by a function, in the form in which `born` hands it over."""
    return _Bearing(function)


def runs_user_code(function, /):
    """Whether an operation runs functions of the user, or ufuncs that are not NumPy's.

    Parameters
    ----------
    function : callable
        The one that was handed over with the operation.
    """
    if type(function) is _UfuncJourney:
        return (<_UfuncJourney>function).ufunc not in numpy_ufuncs
    return calls_user(function)


cdef object identity_of(object function):
    cdef _UfuncJourney journey
    if type(function) is not _UfuncJourney:
        return identity_on_road(function)
    journey = <_UfuncJourney>function
    if type(journey.ufunc) is not numpy_ufunc or journey.ufunc not in numpy_ufuncs or journey.method_name == "at":
        return None
    return journey.ufunc if journey.method_name == "__call__" else (journey.ufunc, journey.method_name)


cdef bint is_elementwise(object function) noexcept:
    return type(function) is _UfuncJourney and (<_UfuncJourney>function).method_name == "__call__"


cdef object at_headers(object function, tuple inputs, dict kwargs):
    cdef _UfuncJourney journey
    cdef Array x
    cdef tuple shown
    cdef cnp.ndarray header
    cdef Py_ssize_t i
    cdef bint large = False
    cdef type kind
    if kwargs or not is_elementwise(function):
        return QUICK_FAILED
    journey = <_UfuncJourney>function
    if type(journey.ufunc) is not numpy_ufunc or journey.ufunc not in numpy_ufuncs:
        return QUICK_FAILED
    for value in inputs:
        kind = type(value)
        if is_array_type(kind):
            if (<Array>value).standard or runs_code((<Array>value).descr):
                return QUICK_FAILED
        elif kind is not float and kind is not int and kind is not bool and kind is not complex:
            return QUICK_FAILED
    shown = PyTuple_New(len(inputs))
    for i in range(len(inputs)):
        value = inputs[i]
        if is_array(value):
            x = still(<Array>value)
            header = const_header(x)
            large |= is_large_operand(header)
            value = header
        Py_INCREF(value)  # stolen
        PyTuple_SET_ITEM(shown, i, value)
    return computed(large_call(journey.ufunc, shown, {}) if large else PyObject_Call(journey.ufunc, shown, NULL))


cdef tuple WRITING = ("ndarray.__setitem__", "flatiter.__setitem__", "in-place", "ndarray.resize", "ndarray.fill")


def written_by(str operation, function, tuple args, dict kwargs, /):
    """The arguments that an operation writes.

    Parameters
    ----------
    operation : str
    function : callable
        The one that was handed over with it.
    args : tuple
    kwargs : dict

    Returns
    -------
    list
    """
    cdef list found = written_of(function, args, kwargs)
    if found is None:
        found = []
        if type(function) is _UfuncJourney:
            if (<_UfuncJourney>function).method_name == "at":
                found.extend(args[:1])
            elif (<_UfuncJourney>function).method_name == "__call__":
                found.extend(args[(<_UfuncJourney>function).ufunc.nin:])
        elif operation.startswith(WRITING):
            found.extend(args[:1])
        if "out" in kwargs:
            found.append(kwargs["out"])
    return [each for value in found for each in (value if type(value) is tuple else (value,))]
