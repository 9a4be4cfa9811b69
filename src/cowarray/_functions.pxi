# NumPy's functions that need more than the table. Included by _ndarray.pyx.


# A function of the public namespace comes here at once, whatever its arguments are: NumPy asks
# for overrides only where one of them is an array of ours.
def dispatched(function, /, *args, **kwargs):
    """What a function of NumPy's gives, as ours. What is given as memory of others is read where it lies."""
    cdef Operation operation = function_operation(function)
    if operation.result is FRESH and not operation.calls_user and are_numbers(args) and are_numbers(kwargs.values()):
        # zeros, arange, ...: nothing of ours is shown. Of several results, two can have one memory.
        result = function(*args, **kwargs)
        return computed(result) if type(result) is numpy_ndarray_type else Passage(operation).result(result)
    # What is written must be an array itself, not only bring one along.
    cdef set written = {each.position for each in operation.writes}
    shown = [value if i in written else shown_as_array(value) for i, value in enumerate(args)]
    return array_function(None, function, (), tuple(shown), kwargs)


cdef bint are_numbers(object values) except -1:
    """Whether none of the values has memory or methods of its own: numbers, names, dtypes, shapes."""
    cdef type kind
    for value in values:
        kind = type(value)
        if kind is tuple:
            for item in <tuple>value:
                if type(item) not in HARMLESS_TYPES:
                    return False
        elif kind not in HARMLESS_TYPES and not isinstance(value, numpy_dtype):
            return False
    return True


cdef object shown_as_array(object value):
    """What brings its memory along, as NumPy's array over it: a function could call a method of the thing itself."""
    if type(value) in HARMLESS_TYPES or cnp.PyArray_Check(value) or has_own_ufunc(value):
        return value
    return readable_operand(value)


def _copy(a, order="K", subok=False):
    return array(a, order=order, copy=True)


def _astype(x, dtype, /, *, copy=True, device=None):
    check_device(device)
    return asarray(x).astype(dtype, copy=copy)


def _reshape(a, /, shape, order="C", *, copy=None):
    return asarray(a).reshape(shape, order=order, copy=copy)


def _array(object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0):
    return array(object, dtype, copy=copy, order=order, ndmin=ndmin)


def _asarray(a, dtype=None, order=None, *, device=None, copy=None):
    return array(a, dtype, order=order, device=device, copy=copy is not False)


def _ascontiguousarray(a, dtype=None):
    return array(a, dtype, order="C", ndmin=1)


def _asfortranarray(a, dtype=None):
    return array(a, dtype, order="F", ndmin=1)


def _shares_memory(a, b, max_work=None):
    return aliases(a, b)


def _may_share_memory(a, b, max_work=None):
    # Asked of a snapshot, the question is whether it can stand for a copy to write to: as long as it shares bytes, no.
    if type(a) is ndarray and type(b) is ndarray:
        return aliases(a, b)
    return aliases(a, b) or shares_bytes(a, b)


cdef dict SPECIAL_FUNCTIONS = {
    np.array: _array,
    np.asarray: _asarray,
    np.asanyarray: _asarray,
    np.ascontiguousarray: _ascontiguousarray,
    np.asfortranarray: _asfortranarray,
    np.copy: _copy,
    np.astype: _astype,
    np.reshape: _reshape,
    np.shares_memory: _shares_memory,
    np.may_share_memory: _may_share_memory,
}
