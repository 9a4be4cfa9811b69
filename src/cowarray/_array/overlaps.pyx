# cython: freethreading_compatible=True
"""Which arrays see a write, and which lie in the same memory: `aliases` and `shares_bytes`."""

import numpy as np

from cowarray._native.public import public

cimport numpy as cnp

from cowarray._array.alias_buffers cimport pin_behind
from cowarray._array.array cimport Array, const_header, is_array, located_header, storage_for
from cowarray._c.numpy cimport PyArray_BASE
from cowarray._native.storage cimport Pin

cnp.import_array()

cdef object numpy_asarray = np.asarray
cdef object numpy_shares_memory = np.shares_memory


cdef object storage_of(object value):
    """Return the Storage of a cowarray array, or of the array that a writable export aliases; otherwise None."""
    cdef Pin pin
    if is_array(value):
        return storage_for(<Array>value)
    if cnp.PyArray_Check(value):
        pin = pin_behind(value)
        if pin is not None:
            return pin.storage
    return None


cdef object memory_of(object value):
    """Return a NumPy array over value's bytes, to compare addresses; absent bytes have stand-in addresses."""
    return located_header(<Array>value) if is_array(value) else numpy_asarray(value)


cdef bint lies_nowhere(object value, object memory):
    """True if `memory_of` returned stand-in addresses, or a NumPy result's own memory, which stays where it is."""
    return is_array(value) and PyArray_BASE(<cnp.ndarray>memory) == NULL


cdef bint overlap(object x, object y, bint in_one_storage) except -1:
    """True if elements of x and y lie in the same memory. Stand-in addresses compare only within one Storage."""
    cdef object of_x = memory_of(x), of_y = memory_of(y)
    if not in_one_storage or lies_nowhere(x, of_x) != lies_nowhere(y, of_y):
        if lies_nowhere(x, of_x):
            of_x = const_header(<Array>x)
        if lies_nowhere(y, of_y):
            of_y = const_header(<Array>y)
    return bool(numpy_shares_memory(of_x, of_y))


cdef bint lies_alone(object value) noexcept:
    """True if a value's memory has no lazy copies: other arrays there, such as aliasing imports, alias the value."""
    if is_array(value):
        return (<Array>value).storage_ is not None and (<Array>value).storage_.never_shared
    return cnp.PyArray_Check(value)


@public
def aliases(x, y, /):
    """Tell whether y would see a write to x: same Storage, and elements that overlap.

    Parameters
    ----------
    x, y : ndarray or numpy.ndarray
        A NumPy array aliases a cowarray array if it is a writable export of it, or was imported inside `aliasing`.

    Returns
    -------
    bool
        Exact. `numpy.shares_memory` gives the same answer, and so does `numpy.may_share_memory` for two cowarray
        arrays.

    See Also
    --------
    shares_bytes : Whether two arrays lie in the same memory now.
    numpy.shares_memory : Whether NumPy's arrays overlap.

    Examples
    --------
    >>> import cowarray
    >>> x = cowarray.array([1, 2, 3])
    >>> cowarray.aliases(x, x[1:]), cowarray.aliases(x, x.copy())
    (True, False)
    """
    cdef object storage = storage_of(x)
    if storage is not None and storage is storage_of(y):
        return overlap(x, y, True)
    if not is_array(x) and not is_array(y):
        return bool(numpy_shares_memory(x, y))
    return lies_alone(x) and lies_alone(y) and overlap(x, y, False)


@public
def shares_bytes(x, y, /):
    """Tell whether x and y lie in the same memory now, aliasing or not.

    Parameters
    ----------
    x, y : ndarray or numpy.ndarray

    Returns
    -------
    bool
        True for an array and its lazy copy until one of them is written to.

    See Also
    --------
    aliases : Whether one sees a write to the other.
    explain : Who shares an array's bytes.

    Examples
    --------
    >>> import cowarray
    >>> x = cowarray.array([1, 2, 3])
    >>> y = x.copy()
    >>> cowarray.shares_bytes(x, y)
    True
    >>> y[0] = 5
    >>> cowarray.shares_bytes(x, y)
    False
    """
    return overlap(x, y, False)
