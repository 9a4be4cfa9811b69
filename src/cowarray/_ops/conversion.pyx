# cython: freethreading_compatible=True
"""`asarray`, `array`, `from_dlpack` and `astype`: from anything to an array.

It is one file because all of these settle a dtype, an order and a copy argument by the same steps.
"""

import numpy as np
from array import array as array_array_type
from mmap import mmap as mmap_type

from cowarray._native.public import public
from cowarray._ops.as_given import as_given

cimport numpy as cnp
from cpython.ref cimport Py_INCREF

from cowarray._array.array cimport (
    adopt,
    Array,
    Birth,
    BORN_VIEW,
    const_header,
    descr_of,
    get_base,
    is_array,
    is_array_type,
    itemsize_of,
    on_storage,
    reader_header,
    root,
    shadowed_as,
    shape_of,
    storage_for,
    strides_of,
    with_face,
)
from cowarray._array.columns cimport array_of_block, block_to_hold
from cowarray._array.copies cimport (
    copy_in_order,
    copy_of_alias,
    exports_alias,
    order_code,
    order_strides,
    watches_here,
)
from cowarray._array.exports cimport as_flag
from cowarray._array.imports cimport copied_by_numpy, copy_foreign, import_array, share_foreign
from cowarray._array.layout cimport c_strides, MAXDIMS, same_layout
from cowarray._array.offered cimport check_buffer, offered
from cowarray._c.numpy cimport (
    is_number,
    NPY_ARRAY_OWNDATA,
    NPY_VSTRING,
    numpy_ndarray,
    PyArray_BASE,
    PyArray_CopyInto,
    PyArray_DescrCheck,
    PyArray_DescrConverter,
    PyArray_NewLikeArray,
    PyArray_View,
    PyTypeNum_ISCOMPLEX,
)
from cowarray._c.python cimport PyObject_CheckBuffer
from cowarray._ops.operands cimport (
    as_standard,
    births_leave_lane,
    is_handed_with,
    is_numpys_scalar,
    leaves_lane,
    listed,
    MISSING,
    take_road,
)
from cowarray._ops.road cimport travel_method


cnp.import_array()

cdef object numpy_dtype = np.dtype
cdef type numpy_generic = np.generic
cdef object numpy_array = np.array
cdef object numpy_asarray = np.asarray
cdef object numpy_from_dlpack = np.from_dlpack
cdef type numpy_memmap = np.memmap

cdef frozenset COPIED_TYPES = frozenset(
    (*np.sctypeDict.values(), list, tuple, str, bytes, int, float, complex, bool, type(None))
)

# Types that share nothing but their buffer.
cdef frozenset BUFFER_TYPES = frozenset((memoryview, bytearray, array_array_type, mmap_type))

cdef tuple PYTHON_TYPES = (float, int, bool, complex, str, bytes, object)


cdef object with_elements(object values, int depth):
    """Return values with NumPy arrays in place of cowarray arrays without axes, in nested lists and tuples.

    NumPy would call float() on such arrays, which rounds a longdouble and fails for text and fields.
    """
    cdef list seen = None
    cdef Py_ssize_t i
    cdef type kind = type(values)
    if not (kind is list or kind is tuple) or depth > MAXDIMS:
        return values
    for i, item in enumerate(values):
        kind = type(item)
        if is_array_type(kind) and (<Array>item).nd == 0:
            shown = reader_header(<Array>item)
        elif kind is list or kind is tuple:
            shown = with_elements(item, depth + 1)
        else:
            continue
        if shown is not item:
            if seen is None:
                seen = listed(values)
            seen[i] = shown
    return values if seen is None else seen


cdef int let_refuse(object obj) except -1:
    """Let an object's own `__array__` refuse ``copy=False``, if it knows that argument and NumPy would call it."""
    if PyObject_CheckBuffer(obj) or hasattr(obj, "__array_struct__") or hasattr(obj, "__array_interface__"):
        return 0
    if hasattr(obj, "__array__"):
        try:
            obj.__array__(copy=False)
        except TypeError as error:
            if "keyword argument" not in str(error):
                raise
    return 0


cdef Array convert(object obj, object dtype, object order, object copy):
    """Convert any object other than a cowarray array to one."""
    cdef cnp.ndarray array
    cdef cnp.ndarray given
    cdef bint own = False
    cdef bint copied = False
    cdef object block = None
    if not cnp.PyArray_Check(obj):
        # NumPy copies lists and scalars; the memory of any other object may be referred to elsewhere.
        own = type(obj) is list or type(obj) in COPIED_TYPES
        if not own and copy is not True and not exports_alias():
            block = block_to_hold(obj)
            if block is not None:
                obj = array_of_block(block)
    if cnp.PyArray_Check(obj):
        given = obj
        if not cnp.PyArray_CheckExact(obj):
            given = PyArray_View(obj, NULL, numpy_ndarray)
        if dtype is None and order is None:
            array = given
        else:
            array = numpy_asarray(given, dtype=dtype, order=order)
            own = root(array) is not root(given)
            copied = own and descr_of(array) == descr_of(given)
    else:
        if own and copy is False:
            raise ValueError(
                f"copy=False cannot share a {type(obj).__name__}, which has no memory of an array's; "
                "drop copy=False"
            )
        if not own:
            check_buffer(obj)
            if copy is False:
                let_refuse(obj)
        array = numpy_asarray(with_elements(obj, 0), dtype, order)
        if copy is False and not own:
            # An object that shares its memory gives the same address twice. (Not every __array__ has copy=False.)
            given = numpy_asarray(obj, dtype=dtype, order=order)
            own = cnp.PyArray_BYTES(given) != cnp.PyArray_BYTES(array)
        elif type(obj) in BUFFER_TYPES and PyArray_BASE(array) == NULL:
            own = True  # these types share nothing but their buffer, and the array does not lie on it
            copied = descr_of(array) == descr_of(numpy_asarray(obj))
        if type(array) is not cnp.ndarray:
            array = PyArray_View(array, NULL, numpy_ndarray)
    if not own:
        return import_array(array, copy) if block is None else share_foreign(array, block)
    if copy is False:
        raise ValueError(
            f"copy=False cannot share a {type(obj).__name__} as dtype {descr_of(array)!r} in order {order!r}; "
            "drop copy=False"
        )
    if get_base(array) is not None or not cnp.PyArray_CHKFLAGS(array, NPY_ARRAY_OWNDATA):
        return copy_foreign(array)
    return copied_by_numpy(array) if copied else adopt(array)


@public
def asarray(a, dtype=None, order=None, *, device=None, copy=None, like=None):
    """Convert to an array.

    Parameters
    ----------
    a : array_like
        A `cowarray.ndarray`, a NumPy array, anything with the buffer or ``__array__`` protocol, nested lists, a scalar.
    dtype : dtype, optional
        Default: a's own.
    order : {'K', 'A', 'C', 'F'}, optional
        Memory layout. Default: a's own.
    device : {'cpu'}, optional
    copy : bool, optional
        ``True``: a private copy. ``False``: never a copy; the caller promises that nobody writes to `a` while arrays
        made from it share its memory. ``None``: see Returns.
    like : array, optional
        Another library's array; that library then makes the result.

    Returns
    -------
    ndarray
        A `cowarray.ndarray` is returned itself, an array of `cowarray.array_api` as a view that gives scalars, as
        NumPy's arrays do. Memory that is read-only down to its owner (bytes, a memory map opened for reading, a NumPy
        array whose owner is read-only, Arrow buffers, Ray's store) is shared until the result is written to. So is a
        column of pandas 3, which pandas copies before it writes. Everything else is copied once. The result is
        writable, and a write never reaches `a`, unless it is the result.

    Raises
    ------
    ValueError
        With ``copy=False``, the dtype, the order or the kind of `a` needs a copy; an unknown device or order.

    See Also
    --------
    array : Copies.
    from_dlpack : Takes arrays through DLPack.
    numpy.asarray : The same for NumPy's arrays.
    """
    return taken_in(a, dtype, order, device, copy, like)


cdef object taken_in(object a, object dtype, object order, object device, object copy, object like):
    """Return the result of `asarray`."""
    if births_leave_lane() or (type(a) is not cnp.ndarray and is_handed_with(a, None)):
        named = {"dtype": dtype, "order": order, "device": device, "copy": copy, "like": like}
        return take_road("asarray", _plain_asarray, (a,), named)
    # The usual case: a NumPy array, as it is.
    if type(a) is cnp.ndarray and dtype is None and order is None and device is None and like is None and (
        copy is None or type(copy) is bool
    ):
        return import_array(a, copy)
    return to_array(a, dtype, order, device, copy, like, False)


def _plain_asarray(a, dtype=None, order=None, *, device=None, copy=None, like=None):
    """`asarray` without a mode, for the mode that it was handed to."""
    return to_array(a, dtype, order, device, copy, like, False)


def standard_asarray(a, dtype=None, device=None, copy=None):
    """`asarray` of the array API standard's namespace."""
    if births_leave_lane() or (type(a) is not cnp.ndarray and is_handed_with(a, None)):
        return take_road("asarray", _plain_standard_asarray, (a, dtype, device, copy), {})
    return _plain_standard_asarray(a, dtype, device, copy)


def _plain_standard_asarray(a, dtype=None, device=None, copy=None):
    return standard(to_array(a, dtype, None, device, copy, None, True))


cdef object to_array(object a, object dtype, object order, object device, object copy, object like, bint face):
    """Return the result of `asarray`. face: its standard bit, if `a` is a cowarray array."""
    if asks_elsewhere(like):
        options = {"dtype": dtype, "order": order, "device": device, "copy": copy}
        return made_elsewhere(numpy_asarray, a, options, like)
    check_device(device)
    if copy is not None and type(copy) is not bool:
        copy = as_flag(copy)
    if dtype is not None:
        dtype = settled_dtype(dtype)
    if not is_array(a):
        return convert(a, dtype, order, copy)
    return with_face(as_own(<Array>a, dtype, order, copy), face, BORN_VIEW)


cdef bint asks_elsewhere(object like) noexcept:
    """True if `like` is neither cowarray's nor NumPy's: NumPy then asks it to make the array, or refuses it."""
    return like is not None and not is_array(like) and type(like) is not cnp.ndarray


cdef object made_elsewhere(object function, object value, dict options, object like):
    """Let the library of `like` convert a value. If the result is a NumPy array, others may refer to it.

    Options are passed by name: the library's function may have others in between.
    """
    result = function(value, **as_given(function, (), options)[1], like=like)
    return import_array(result, None) if type(result) is cnp.ndarray else result


cdef bint is_one_of(object value, tuple known) noexcept:
    for item in known:
        if item is value:
            return True
    return False


cdef object settled_dtype(object dtype):
    """Convert a dtype argument once; NumPy's and Python's own classes stay, since they always mean the same."""
    if isinstance(dtype, numpy_dtype) or is_one_of(dtype, PYTHON_TYPES):
        return dtype
    return dtype if isinstance(dtype, type) and issubclass(dtype, (numpy_dtype, numpy_generic)) else numpy_dtype(dtype)


cdef cnp.dtype unconverted(Array x, object dtype):
    """Return the requested dtype if x's bytes need no conversion; None if NumPy has to convert them."""
    if isinstance(dtype, type) and issubclass(dtype, numpy_dtype):
        return x.descr if type(x.descr) is dtype else None  # a class of dtypes, from which NumPy chooses
    wanted = numpy_dtype(dtype)
    # Equal dtypes can differ in metadata and in name; StringDType also in where its text is stored.
    return wanted if wanted is x.descr or (wanted == x.descr and x.descr.type_num != NPY_VSTRING) else None


cdef Array of_dtype(Array x, cnp.dtype descr):
    """Return x, or its view as a dtype that equals its own."""
    return x if descr is x.descr else travel_method(x, "view", (descr,), {})


cdef Array as_own(Array x, object dtype, object order, object copy):
    cdef cnp.npy_intp strides[MAXDIMS]
    cdef char code = order_code(order)
    cdef cnp.dtype same
    if dtype is not None:
        same = unconverted(x, dtype)
        if same is None:
            if copy is False:
                raise ValueError(
                    f"copy=False cannot convert dtype {x.descr!r} to {dtype!r} (Unable to avoid copy); "
                    "drop copy=False"
                )
            return travel_method(x, "astype", (dtype,), {"order": (<bytes>code).decode(), "copy": True})
        x = of_dtype(x, same)
    if copy is True:
        return copy_in_order(x, code)
    if code == c"C" or code == c"F":
        order_strides(x, code, strides)
        if not same_layout(x.nd, shape_of(x), strides_of(x), strides):
            if copy is False:
                raise ValueError(f"copy=False cannot bring elements into order {order!r}; drop copy=False")
            return copy_in_order(x, code)
    return x


cdef object shallow(object values, object dtype, int ndmin, dict most, object copy):
    """Return what `array` is to convert if `ndmax` is given. NumPy looks into lists, and raises the errors."""
    if is_array(values):
        numpy_array(reader_header(<Array>values), dtype, copy=None, ndmin=ndmin, **most)
        return values
    # Arrays in lists may become objects, so they are not replaced by headers.
    made = numpy_array(values, dtype, copy=None, ndmin=ndmin, **most)
    if copy is False or cnp.PyArray_Check(values):
        return values
    if type(values) not in COPIED_TYPES:
        return made
    return adopt(made) if PyArray_BASE(made) == NULL else copy_foreign(made)


@public
def array(object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0, ndmax=None, like=None, device=None):
    """Make an array; by default a copy of object.

    Parameters
    ----------
    object : array_like
    dtype : dtype, optional
        Default: that of `object`.
    copy : bool or None, default True
        As for `asarray`.
    order : {'K', 'A', 'C', 'F'}, default 'K'
        Memory layout; 'K' is as near to that of `object` as possible.
    subok : bool, default False
        Whether an array of a subclass of NumPy's, other than a memory map, keeps its class, as with `numpy.array`: a
        masked array keeps its mask. Otherwise the result is a `cowarray.ndarray`.
    ndmin : int, default 0
        The least number of dimensions; axes of length 1 are put in front.
    ndmax : int, optional
        The greatest number of dimensions: lists that are nested deeper become objects.
    like : array, optional
        Another library's array; that library then makes the result.
    device : {'cpu'}, optional

    Returns
    -------
    ndarray
        A copy: lazy if `object` is a `cowarray.ndarray`, made at once if it is foreign memory. Unless `copy` is True,
        `object` itself if it can be used as it is.

    Raises
    ------
    ValueError
        As for `asarray`.

    See Also
    --------
    asarray : Copies only if it must.
    numpy.array : The same for NumPy's arrays.
    """
    cdef Array x
    cdef dict most = {} if ndmax is None else {"ndmax": ndmax}  # older versions of NumPy lack it
    if asks_elsewhere(like):
        options = {"dtype": dtype, "copy": copy, "order": order, "subok": subok, "ndmin": ndmin, **most}
        return made_elsewhere(numpy_array, object, options, like)
    if subok and keeps_class(object):
        check_device(device)
        if copy is None and not exports_alias():
            copy = True  # the result can be written to, so it is a copy
        return numpy_array(object, dtype, copy=copy, order=order, subok=True, ndmin=ndmin, **most)
    if most:
        copy = copy if copy is None else as_flag(copy)
        object = shallow(object, dtype, ndmin, most, copy)
    made = taken_in(object, dtype, order, device, copy, None)
    if not is_array(made):
        return made  # a mode's result
    x = <Array>made
    if ndmin > MAXDIMS:
        raise ValueError(f"ndmin bigger than allowable number of dimensions NPY_MAXDIMS (={MAXDIMS})")
    return x if x.nd >= ndmin else with_axes(x, ndmin)


cdef Array with_axes(Array x, int nd):
    """Return a view of x with axes of length 1 in front, nd in all."""
    cdef cnp.npy_intp shape[MAXDIMS]
    cdef cnp.npy_intp strides[MAXDIMS]
    cdef int i
    for i in range(nd):
        shape[i] = x.dims[i - (nd - x.nd)] if i >= nd - x.nd else 1
    c_strides(nd, shape, itemsize_of(x), strides)
    for i in range(x.nd):
        strides[nd - x.nd + i] = x.dims[x.nd + i]
    return shadowed_as(on_storage(storage_for(x), x.offset, nd, shape, strides, x.descr, x.writeable, BORN_VIEW), x)


cdef bint is_subclass(object value) noexcept:
    """True if a value is of a subclass of NumPy's array, whose views are of that class."""
    return cnp.PyArray_Check(value) and not cnp.PyArray_CheckExact(value)


cdef bint keeps_class(object value) except -1:
    """True if a conversion that may return subclasses keeps a value's class.

    A memory map keeps it only where nothing is copied, since a copy of its class would read the whole file.
    """
    return is_subclass(value) and (type(value) is not numpy_memmap or (exports_alias() and not watches_here()))


def copied_array(
    str operation, object, dtype=None, *, order=None, subok=False, ndmin=0, like=None, device=None, copy=None
):
    """Run a function that copies in meaning, and for which NumPy returns its argument where it can.

    Parameters
    ----------
    operation : str
        Its name.
    object, dtype, order, subok, ndmin, like, device
        As for `array`.
    copy : bool, optional
        ``False``: `object` itself if it need not be converted.

    Returns
    -------
    ndarray
        A copy; without `copy`, in a context whose copies are aliases, what NumPy would return.
    """
    cdef bint aliases = exports_alias()
    if asks_elsewhere(like):
        # Functions without `subok` have their order in their names.
        options = {"dtype": dtype, "order": order, "device": device} if subok else {"dtype": dtype}
        if copy is not None:  # NumPy 2.0 lacks it
            options["copy"] = copy
        return made_elsewhere(getattr(np, operation), object, options, like)
    if copy is not None:
        return array(object, dtype, copy=copy is not False, order=order, subok=subok, ndmin=ndmin, device=device)
    if subok and keeps_class(object):
        return array(object, dtype, copy=None, order=order, subok=True, ndmin=ndmin, device=device)
    made = array(object, dtype, copy=None if aliases else True, order=order, ndmin=ndmin, device=device)
    if aliases and is_array(object) and is_array(made) and (
        storage_for(<Array>made) is storage_for(<Array>object)
    ):
        return as_alias(<Array>made, operation, True)
    return made


cdef Array as_alias(Array x, str operation, bint itself):
    """Return the result of a copy in meaning for which NumPy gives x itself, or else a view of all of it."""
    cdef Array view = on_storage(storage_for(x), x.offset, x.nd, shape_of(x), strides_of(x), x.descr, x.writeable,
                                 BORN_VIEW)
    return copy_of_alias(shadowed_as(view, x), operation, x if itself else None)


@public
def from_dlpack(x, /, *, device=None, copy=None):
    """Take an array from another library through DLPack.

    Parameters
    ----------
    x : object
        With ``__dlpack__`` and ``__dlpack_device__``, in memory of the CPU.
    device : {'cpu'}, optional
    copy : bool, optional
        ``False`` shares the producer's memory; the caller promises that it is not written to while arrays made from it
        share it.

    Returns
    -------
    ndarray
        A copy: lazy if `x` is a `cowarray.ndarray`, else made at once. With ``copy=False`` it shares bytes until it is
        written to.

    Raises
    ------
    ValueError
        Another device, or `copy` is text.
    AttributeError
        `x` has no ``__dlpack__``.
    BufferError
        It cannot be read this way: its memory is on another device, or its dtype is not supported.

    See Also
    --------
    asarray : Converts anything else.
    numpy.from_dlpack : Returns a view of the producer's memory.
    """
    check_device(device)
    if copy is not None and type(copy) is not bool:
        copy = as_flag(copy)
    if is_array(x):
        if copy is None and exports_alias():
            return with_face(as_alias(<Array>x, "from_dlpack", False), False, BORN_VIEW)
        if copy is not False:
            x = hand_copy(x, "K") if leaves_lane(<Array>x) else copy_in_order(x, c"K")
        return with_face(<Array>x, False, BORN_VIEW)
    if copy is None and exports_alias():
        return import_array(numpy_from_dlpack(offered(x)), None)
    return import_array(numpy_from_dlpack(offered(x)), False if copy is False else True)


cdef int check_device(object device) except -1:
    if device is not None and device != "cpu":
        raise ValueError(f"device must be 'cpu', the only one there is (got {device!r})")
    return 0


cdef bint is_array_class(object value) except -1:
    return isinstance(value, type) and (is_array_type(<type>value) or issubclass(value, cnp.ndarray))


cdef object hand_copy(Array x, object order):
    return take_road("ndarray.copy", _plain_copy, (x, order), {})


def _plain_copy(Array x not None, order="C"):
    result = copy_in_order(x, order_code(order))
    return as_standard(result) if x.standard else result


cdef object hand_astype(Array x, object dtype, object order, object casting, object copy):
    return take_road("ndarray.astype", _plain_astype, (x, dtype, order, casting, copy), {})


def _plain_astype(Array x not None, dtype, order="K", casting="unsafe", copy=True):
    result = cast(x, dtype, order, casting, copy)
    return as_standard(result) if x.standard else result


def standard_function(function, declared, /):
    """Make a function of one or two operands that returns another one's results as the standard's arrays."""
    def one(x=MISSING, /, *rest, **unknown):
        if x is MISSING or rest or unknown:
            declared(*(() if x is MISSING else (x,)), *rest, **unknown)
        return standard(function(x))

    def two(x1=MISSING, x2=MISSING, /, *rest, **unknown):
        if x2 is MISSING or rest or unknown:
            declared(*[x for x in (x1, x2) if x is not MISSING], *rest, **unknown)
        return standard(function(x1, x2))

    return one if declared.__code__.co_argcount == 1 else two


def standard(result, /):
    """Return a result, with its arrays and NumPy scalars as the standard's arrays."""
    if is_array(result):
        return with_face(<Array>result, True, <Birth>(<Array>result).birth)
    if type(result) is tuple:
        return tuple([standard(item) for item in <tuple>result])
    if type(result) is list:
        return [standard(item) for item in <list>result]
    if isinstance(result, tuple) and hasattr(type(result), "_make"):
        return type(result)._make([standard(item) for item in result])
    return as_standard(result)


def own_or_asarray(x, /):
    """Return x itself if it is a cowarray array, whose standard bit stays; else `asarray(x)`."""
    return x if is_array(x) else asarray(x)


cdef bint is_text(object value, str text) except -1:
    return type(value) is str and <str>value == text


cdef bint says_dtype_plainly(object dtype) noexcept:
    """True if a dtype argument runs no code: a name, a dtype, one of NumPy's scalar types or Python's types."""
    if type(dtype) is str or PyArray_DescrCheck(dtype) or is_one_of(dtype, PYTHON_TYPES):
        return True
    return type(dtype) is type and is_numpys_scalar(<type>dtype)


cdef bint is_complex(cnp.dtype descr) noexcept:
    return PyTypeNum_ISCOMPLEX(descr.type_num)


cdef Array converted(Array x, cnp.dtype descr):
    """Convert numbers by NumPy's C, in order 'K'. No imaginary part may be lost, as that would warn."""
    cdef cnp.ndarray header = const_header(x)
    Py_INCREF(descr)  # stolen
    cdef cnp.ndarray made = PyArray_NewLikeArray(header, cnp.NPY_KEEPORDER, descr, False)
    PyArray_CopyInto(made, header)
    return adopt(made)


cdef object cast(Array x, object dtype, object order, object casting, object copy):
    """Return the result of `x.astype`: a copy, lazy if nothing needs to change."""
    cdef char code
    cdef cnp.dtype wanted
    if copy is True and is_text(order, "K") and is_number(x.descr) and says_dtype_plainly(dtype):
        wanted = <cnp.dtype>PyArray_DescrConverter(dtype)
        if wanted is x.descr:
            return copy_in_order(x, c"K")
        if is_number(wanted) and is_text(casting, "unsafe") and not (is_complex(x.descr) and not is_complex(wanted)):
            return converted(x, wanted)
    dtype = settled_dtype(dtype)
    cdef cnp.dtype same = unconverted(x, dtype)
    if same is not None:
        code = order_code(order)
        shown = of_dtype(x, same)
        return copy_in_order(shown, code) if copy else as_own(shown, None, order, None)
    return travel_method(x, "astype", (dtype, order, casting, True, copy), {})
