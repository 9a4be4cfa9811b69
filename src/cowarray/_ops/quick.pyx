# cython: freethreading_compatible=True
"""Calls to NumPy's functions and methods that need no Passage: no user code can run, and nothing is written.

Each array among the arguments is passed as its kept header. If the result is not one fresh array, a Passage is made
after the call to find out whose bytes it lies on.
"""

import numpy as np

cimport numpy as cnp
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM

from cowarray._array.array cimport (
    adopt,
    Array,
    BORN_SCALAR,
    const_header,
    guarded_header,
    has_doorkeeper,
    is_array,
    is_array_type,
    located_header,
    root,
    root_of,
    shadowed_as,
    storage_for,
    storage_then,
    view_on,
)
from cowarray._array.copies cimport copy_of_alias
from cowarray._array.imports cimport copy_foreign
from cowarray._c.gil cimport KEEPS_HEADERS
from cowarray._c.numpy cimport PyArray_BASE
from cowarray._c.python cimport PyObject_Call, PyObject_CallMethodNoArgs
from cowarray._native.storage cimport Storage
from cowarray._ops.large cimport is_large, large_call
from cowarray._ops.operands cimport (
    births_leave_lane,
    computed,
    detached_void,
    has_plain_bounds,
    is_harmless,
    listed,
    runs_code,
)
from cowarray._ops.passage cimport give_back, lent, makes_readonly, Operation, Passage

from cowarray._ops.table import VIEW

cnp.import_array()

cdef type numpy_void = np.void
cdef dict NO_NAMES = {}


QUICK_FAILED = object()


cdef object quick_call(Operation operation, object implementation, bint is_c, tuple args, dict kwargs,
                       object self=None, object header=None):
    """Call without `travel` if no user code can run; else return QUICK_FAILED, and nothing has happened.

    Arguments may be cowarray arrays whose elements run no code, except the standard's; numbers, names and dtypes; and
    lists of these. Nothing is written. is_c: headers need not be guarded. self, header: the array of a method, and its
    header.
    """
    cdef tuple shown
    cdef dict named
    cdef Passage passage = None
    cdef bint large = self is not None and is_large(<Array>self)
    if not operation.is_quick or births_leave_lane() or not (KEEPS_HEADERS or is_c):
        return QUICK_FAILED
    if len(args) > operation.out_at and args[operation.out_at] is not None:
        return QUICK_FAILED
    if operation.result is VIEW:
        passage = Passage(operation)  # a view is one of the Storage that its source has now
    args = own_lists(args)
    kwargs = named = own_named_lists(kwargs)
    for name, value in kwargs.items():
        seen = plain_argument(value, is_c, passage, &large)
        if seen is QUICK_FAILED or (value is not None and name == "out"):
            return QUICK_FAILED
        if seen is not value:
            if named is kwargs:
                named = dict(kwargs)
            named[name] = seen
    shown = plain_arguments(args, is_c, passage, &large)
    if shown is None:
        return QUICK_FAILED
    if operation.copies_readonly:
        shown = tuple([lent(each) if type(each) is cnp.ndarray else each for each in shown])
    try:
        if large and operation.result is not VIEW:
            result = large_call(implementation, shown, named)
        else:
            result = PyObject_Call(implementation, shown, <PyObject *>named if named else NULL)
    finally:
        if operation.copies_readonly:
            give_back(shown)
    if passage is not None:
        return passage.result(result)
    if type(result) is cnp.ndarray:
        if not operation.copies and is_unbased(result):
            return adopt(result)
    elif not isinstance(result, (tuple, list)) and not cnp.PyArray_Check(result):
        return detached_void(result) if isinstance(result, numpy_void) else result
    return slowly_taken_back(operation, result, (args, kwargs, self), (shown, named, header))


cdef inline bint is_unbased(object array) noexcept:
    """True if NumPy has just made an array, with its own memory: headers and adopted arrays are read-only."""
    return PyArray_BASE(<cnp.ndarray>array) == NULL and cnp.PyArray_ISWRITEABLE(<cnp.ndarray>array)


cdef tuple own_lists(tuple args):
    """Copy the lists among the arguments, so that a list changed meanwhile cannot differ from what NumPy saw."""
    for value in args:
        if type(value) is list:
            return tuple([listed(value) if type(value) is list else value for value in args])
    return args


cdef dict own_named_lists(dict kwargs):
    for value in kwargs.values():
        if type(value) is list:
            return {name: listed(value) if type(value) is list else value for name, value in kwargs.items()}
    return kwargs


cdef object plain_argument(object value, bint is_c, Passage passage, bint *large):
    """Return a value as NumPy may see it if no user code can run; else QUICK_FAILED. A gap.

    passage, unless None, notes each array with its header. large is set if an array is large.
    """
    cdef type kind = type(value)
    cdef Array x
    cdef Storage storage
    cdef cnp.ndarray header
    cdef cnp.npy_intp offset
    if is_array_type(kind):
        x = <Array>value
        if runs_code(x.descr) or x.standard or x.birth == BORN_SCALAR or has_doorkeeper(x):
            return QUICK_FAILED
        if passage is not None:
            storage_for(x)
        large[0] |= is_large(x)
        header = const_header(x) if is_c else guarded_header(x)
        if passage is not None:
            storage = x.storage_
            offset = x.offset
            passage.sources.append((x, storage, header, offset))
        return header
    if value is None:
        return value
    if kind is list or kind is tuple:
        return plain_items(value, is_c, passage, large)
    if kind is slice and not has_plain_bounds(value):
        return QUICK_FAILED
    return value if is_harmless(value) else QUICK_FAILED


cdef object plain_items(object values, bint is_c, Passage passage, bint *large):
    """`plain_argument` for a list or tuple of arrays, numbers, names and dtypes, not nested. A gap."""
    cdef list seen = None
    cdef tuple together
    cdef Py_ssize_t i
    if type(values) is tuple:
        for item in <tuple>values:
            if type(item) is list or type(item) is tuple:
                return QUICK_FAILED
        together = plain_arguments(<tuple>values, is_c, passage, large)
        return QUICK_FAILED if together is None else together
    for i, item in enumerate(values):
        if type(item) is list or type(item) is tuple:
            return QUICK_FAILED
        shown = plain_argument(item, is_c, passage, large)
        if shown is QUICK_FAILED:
            return QUICK_FAILED
        if shown is not item:
            if seen is None:
                seen = listed(values)
            seen[i] = shown
    return values if seen is None else seen


cdef tuple plain_arguments(tuple args, bint is_c, Passage passage, bint *large):
    """`plain_argument` for each; None if one fails."""
    cdef Py_ssize_t i
    cdef tuple shown = PyTuple_New(len(args))
    for i in range(len(args)):
        seen = plain_argument(args[i], is_c, passage, large)
        if seen is QUICK_FAILED:
            return None
        Py_INCREF(seen)  # stolen
        PyTuple_SET_ITEM(shown, i, seen)
    return shown


cdef object slowly_taken_back(Operation operation, object result, object given, object shown):
    """Take back, by a Passage, a quick call's result that is not one fresh array: it finds whose bytes it is on."""
    cdef Passage passage = Passage(operation)
    if operation.copies or not are_new(result):
        remember(passage, given, shown)
    return passage.result(result)


cdef bint are_new(object results) noexcept:
    """True if a function's results are a tuple or list of arrays in memory that NumPy has made for them."""
    if type(results) is not tuple and type(results) is not list:
        return False
    for value in results:
        if type(value) is not cnp.ndarray:
            return False
        owner = <object>root_of(<PyObject *>value)
        if type(owner) is not cnp.ndarray or not is_unbased(owner):
            return False
    return True


cdef int remember(Passage passage, object given, object shown) except -1:
    """Note each array with the header that NumPy saw. given and shown have the same structure."""
    cdef Py_ssize_t i
    cdef Storage storage
    if is_array(given):
        # The array may have changed since; a Hold belongs to one Storage.
        storage = storage_for(<Array>given)
        if storage.hold is root(shown):
            passage.sources.append((given, storage, shown, cnp.PyArray_BYTES(shown) - storage.window))
        else:
            passage.sources.append((given, None, shown, 0))
    elif type(given) is dict:
        for name in given:
            remember(passage, (<dict>given)[name], (<dict>shown)[name])
    elif given is not shown:
        for i in range(len(shown)):
            remember(passage, given[i], shown[i])
    return 0


cdef bint are_axes(tuple args) noexcept:
    """True if all are Python integers, tuples of these, or None."""
    for value in args:
        if type(value) is tuple:
            for item in <tuple>value:
                if type(item) is not int:
                    return False
        elif value is not None and type(value) is not int:
            return False
    return True


cdef object without_passage(Array self, str name, Operation operation, tuple args):
    """Return the result of a method that only reads, without arguments, or of a view by axes: it needs no Passage."""
    cdef cnp.ndarray header
    cdef Array x
    cdef Storage storage
    cdef cnp.npy_intp offset
    cdef char *window
    if operation.result is VIEW:
        storage_for(self)  # see Passage.read
        header = located_header(self)
    else:
        header = const_header(self)
    storage = self.storage_
    offset = self.offset
    if operation.copies_readonly:
        header = lent(header)
    # A gap, if it is written in Python.
    if is_large(self) and operation.result is not VIEW:
        result = large_call(getattr(header, name), args, NO_NAMES)
    else:
        result = PyObject_Call(getattr(header, name), args, NULL) if args else PyObject_CallMethodNoArgs(header, name)
    if type(result) is not cnp.ndarray or root_of(<PyObject *>result) != root_of(<PyObject *>header):
        return computed(result)
    window = cnp.PyArray_BYTES(header) - offset
    if cnp.PyArray_SIZE(result):
        offset = cnp.PyArray_BYTES(result) - window
    storage = storage_then(self, storage, header)
    if storage is None:
        return copy_foreign(result)
    x = view_on(storage, offset, window, result, self.writeable and not makes_readonly(operation, result))
    shadowed_as(x, self)
    return x if operation.result is VIEW else copy_of_alias(x, operation.name, self if result is header else None)
