"""A cache of the rules' answers, for operations that are repeated.

Asking the rules takes longer than adding two short arrays. But the results and writes of most operations depend only on
shapes, strides, dtypes and the other arguments, and programs repeat themselves. So answers are cached by these. Not
those of operations that may return views or lazy copies: they depend on which arrays share bytes.
"""

import numpy as np

cimport cython
cimport numpy as cnp
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.list cimport PyList_AsTuple

from cowarray._array.array cimport (
    Array,
    BORN_FRESH,
    BORN_LAZY,
    BORN_SCALAR,
    is_array,
    on_storage,
    shape_of,
    strides_of,
)
from cowarray._c.numpy cimport NPY_VSTRING, PyArray_DescrCheck, PyDataType_REFCHK
from cowarray._modes.fake.fakes cimport bytes_copied, Ledger, make_like, Origin
from cowarray._native.storage cimport Storage, window_size
from cowarray._ops.operands cimport is_harmless
from cowarray._ops.ufuncs cimport identity_of, is_elementwise

cnp.import_array()

cdef enum:
    MOST_KNOWN = 4096
    MOST_NUMBERS = 128
    MOST_ITEMS = 16

# Types whose values do not matter to the shape and dtype of a ufunc's result.
cdef frozenset NUMBERS = frozenset(
    [int, float, complex, bool, np.bool_, np.float16, np.float32, np.float64, np.complex64, np.complex128]
)
# Types whose equal values may have different dtypes.
cdef frozenset UNTOLD = frozenset((np.void, np.datetime64, np.timedelta64))

# NumPy functions that make one array and never warn.
cdef frozenset NEVER_WARN = frozenset(
    "concatenate stack where matmul dot zeros ones full empty arange linspace".split()
)

cdef dict known = {}


@cython.final
cdef class Forecast:
    """The results and writes of an operation."""

    def __cinit__(self):
        self.cost = -1


# The numbers of a key being built; its other parts are collected beside them. Dtypes and functions are in it by
# address: a `Forecast` keeps those that its key names alive, so their addresses are not reused.
cdef struct Numbers:
    Py_ssize_t of[MOST_NUMBERS]
    Py_ssize_t count
    bint elementwise
    bint by_value


cdef inline bint put(Numbers *numbers, Py_ssize_t number) noexcept:
    if numbers.count == MOST_NUMBERS:
        return False
    numbers.of[numbers.count] = number
    numbers.count += 1
    return True


cdef bint put_array(Numbers *numbers, list others, list arrays, Array x) except -1:
    cdef Py_ssize_t i, shared = len(arrays)
    for i in range(len(arrays)):
        if arrays[i] is x:
            return put(numbers, -1) and put(numbers, i)
        if (<Array>arrays[i]).storage_ is x.storage_ and x.storage_ is not None and shared == len(arrays):
            shared = i
    if PyDataType_REFCHK(x.descr) or x.descr.type_num == NPY_VSTRING or x.shadow != NULL:
        return False
    if numbers.count + 5 + 2 * x.nd > MOST_NUMBERS:
        return False
    arrays.append(x)
    put(numbers, -2)
    put(numbers, <Py_ssize_t><void *>x.descr)
    put(numbers, x.nd)
    put(numbers, shared)
    put(numbers, x.writeable | (x.standard << 1) | ((x.birth == BORN_SCALAR) << 2))
    for i in range(2 * x.nd):
        put(numbers, x.dims[i])
    return True


cdef bint put_value(Numbers *numbers, list others, list arrays, object value, int depth) except -1:
    """Add a value to a key; return whether it can be part of one."""
    cdef type kind = type(value)
    if is_array(value):
        return put_array(numbers, others, arrays, <Array>value)
    if kind is tuple or kind is list:
        if depth == 2 or len(value) > MOST_ITEMS:
            return False
        if not (put(numbers, -3 if kind is tuple else -4) and put(numbers, len(value))):
            return False
        for item in value:
            if not put_value(numbers, others, arrays, item, depth + 1):
                return False
        return True
    if numbers.elementwise and not numbers.by_value and kind in NUMBERS:
        return put(numbers, -5) and put(numbers, <Py_ssize_t><void *>kind)
    if PyArray_DescrCheck(value):
        # By identity: equal dtypes may differ in their metadata and alignment.
        others.append(value)
        return put(numbers, -8) and put(numbers, <Py_ssize_t><void *>value)
    if kind is slice or kind in UNTOLD or not is_harmless(value):
        return False
    others.append(kind)
    others.append(value)
    return put(numbers, -6)


cdef object key_of(object function, tuple args, dict kwargs, list arrays, bint by_value=False):
    """Return the key of an operation's answer; None if it is not kept. arrays: gets those that take part, each once.

    by_value: NumPy is not asked later whether a number fits, so the answer is kept for exactly this number.
    """
    cdef Numbers numbers
    cdef list others = []
    cdef object identity = identity_of(function)
    cdef object key
    if identity is None:
        return None
    numbers.count = 0
    numbers.elementwise = is_elementwise(function)
    numbers.by_value = by_value
    if type(identity) is tuple:
        others.append(identity)
    else:
        put(&numbers, <Py_ssize_t><void *>identity)
    put(&numbers, by_value)
    for value in args:
        if not put_value(&numbers, others, arrays, value, 0):
            return None
    for name, value in kwargs.items():
        if type(name) is not str:
            return None
        others.append(name)
        if not (put(&numbers, -7) and put_value(&numbers, others, arrays, value, 0)):
            return None
    key = PyBytes_FromStringAndSize(<char *>numbers.of, numbers.count * sizeof(Py_ssize_t))
    if not others:
        return key
    others.append(key)
    return PyList_AsTuple(others)


cdef Forecast recall(object key):
    """Return the answer that was kept for a key, or None."""
    return <Forecast>known.get(key)


cdef int memorize(object key, object function, list arrays, list births, tuple written) except -1:
    """Keep the rules' answer by a key, which was made from this function and these arrays."""
    cdef Forecast made
    for _, array in births:
        if (<Array>array).birth == BORN_LAZY:
            return 0
    made = Forecast.__new__(Forecast)
    made.births = births
    made.written = written
    made.size = sum([window_size(storage) for storage in {(<Array>array).storage_ for _, array in births}])
    return keep(key, function, arrays, made)


cdef int keep(object key, object function, list arrays, Forecast forecast) except -1:
    forecast.kept = identity_of(function), [(<Array>x).descr for x in arrays]
    if len(known) >= MOST_KNOWN:
        known.clear()
    known[key] = forecast
    return 0


def forget():
    """Drop all answers. For tests, which want the rules asked."""
    known.clear()


# ---- operations that make one new array ------------------------------------------------------------------------------


@cython.final
@cython.freelist(8)
cdef class Question:
    """A question to the rules."""


cdef Question ask(str operation, object function, tuple args, dict kwargs, Ledger ledger, bint deferred):
    """Prepare to ask the rules. Return None if the answer cannot be kept: an array has values, which the rules may
    read; or NumPy may warn, and must then do so each time.

    deferred: the arrays must be deferred ones, not fakes.
    """
    cdef Question question
    cdef Storage storage
    cdef list arrays = []
    cdef object key
    if not (is_elementwise(function) or operation in NEVER_WARN or operation.startswith("ndarray.")):
        return None
    key = key_of(function, args, kwargs, arrays, True)
    if key is None:
        return None
    for x in arrays:
        storage = (<Array>x).storage_
        if storage is None or not (storage.is_deferred if deferred else storage.is_fake):
            return None
    question = Question.__new__(Question)
    question.key = key
    question.function = function
    question.arrays = arrays
    question.ledger = ledger
    question.births = ledger.births
    question.copied = bytes_copied(ledger)
    return question


cdef Array give_again(Question question, Origin origin):
    """Return the operation's result if the rules have answered before, else None."""
    cdef Forecast forecast = recall(question.key)
    if forecast is None or forecast.alone is None:
        return None
    return make_like(origin, forecast.alone, forecast.nbytes)


cdef int note_answer(Question question, object result) except -1:
    """Keep the rules' answer, if they have made this array and nothing else."""
    cdef Array x
    cdef Forecast forecast
    if question.ledger.births != question.births + 1 or bytes_copied(question.ledger) != question.copied:
        return 0
    if not is_array(result) or (<Array>result).birth != BORN_FRESH:
        return 0
    x = <Array>result
    for each in question.arrays:
        if (<Array>each).storage_ is x.storage_:
            return 0
        if cnp.PyTypeNum_ISCOMPLEX((<Array>each).descr.type_num) and not cnp.PyTypeNum_ISCOMPLEX(x.descr.type_num):
            return 0  # losing an imaginary part warns
    forecast = Forecast.__new__(Forecast)
    forecast.alone = on_storage(None, x.offset, x.nd, shape_of(x), strides_of(x), x.descr, x.writeable, BORN_FRESH)
    forecast.alone.standard = x.standard
    forecast.nbytes = window_size(x.storage_)
    return keep(question.key, question.function, question.arrays, forecast)
