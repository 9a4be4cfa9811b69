# cython: freethreading_compatible=True
# cython: binding=False, embedsignature=True, embedsignature.format=clinic
"""The class `ndarray`: NumPy computes, cowarray owns memory.

It is one file because an extension class is one definition. Most methods are a line or two.

Methods are CPython's own kind (binding=False): calls are quicker, their repr is short, and CPython checks that they are
called on an array. Cython writes their signatures into the docstrings. A method that forwards its arguments unread has
its own signature there, in the form of Python's Argument Clinic. If a docstring refers to a function, `help` shows the
sections of that function: `_chapters/docstrings.py` puts them in.

Cython's own pickle methods (auto_pickle) would read a pointer as text, and let anybody set fields.
"""

import numpy as np
import warnings
from types import GenericAlias

cimport cython
cimport numpy as cnp
from cpython.buffer cimport PyBUF_FORMAT, PyBUF_FULL_RO, PyBUF_WRITABLE
from cpython.number cimport (
    PyNumber_Absolute,
    PyNumber_Add,
    PyNumber_And,
    PyNumber_Divmod,
    PyNumber_FloorDivide,
    PyNumber_Invert,
    PyNumber_Lshift,
    PyNumber_Multiply,
    PyNumber_Negative,
    PyNumber_Or,
    PyNumber_Positive,
    PyNumber_Remainder,
    PyNumber_Rshift,
    PyNumber_Subtract,
    PyNumber_TrueDivide,
    PyNumber_Xor,
)
from cpython.object cimport PyObject

from cowarray._array.alias_buffers cimport fill_alias
from cowarray._array.array cimport (
    access_anywhere,
    adopt,
    Array,
    BORN_EAGER_DTYPE,
    BORN_VIEW,
    const_header,
    descr_of,
    has_doorkeeper,
    header_at,
    header_for,
    is_array,
    is_fake,
    is_plain,
    is_unmade,
    itemsize_of,
    located_header,
    reader_header,
    set_array_type,
    shadowed_as,
    shape_of,
    size_of,
    storage_for,
    strides_of,
    view_of,
    view_on,
    writable_header,
)
from cowarray._array.arrow cimport arrow_converter, arrow_exporter
from cowarray._array.bases cimport base_of
from cowarray._array.copies cimport (
    copy_in_order,
    exports_alias,
    have_copied,
    is_numpys_class,
    may_alias,
    may_copy,
    order_code,
)
from cowarray._array.exports cimport (
    addressed,
    array_for_numpy,
    as_flag,
    export,
    held_values,
    interface_of,
    outgoing,
)
from cowarray._array.layout cimport distinct
from cowarray._array.snapshots cimport (
    ASKED_FOR,
    fill_buffer,
    loses_as_buffer,
    printable,
    readable,
    snapshot,
)
from cowarray._c.core cimport cow_mutable_scope
from cowarray._c.numpy cimport NPY_ARRAY_WRITEABLE, PyArray_IntTupleFromIntp, PyArray_Transpose, PyDataType_REFCHK
from cowarray._c.python cimport (
    describe,
    end_quickly,
    forward_buffer,
    items_of,
    make_by,
    PyNumber_InPlaceMatrixMultiply,
    PyNumber_MatrixMultiply,
    publish,
    quicken,
    seal,
)
from cowarray._face.attributes cimport count_items_from_the_front, flags_of, flat_fill, flat_of, item_iterator
from cowarray._face.pickles cimport reduce_array
from cowarray._native.storage cimport (
    Access,
    allow_eager,
    begin_write,
    CTYPES,
    DLPACK,
    end_write,
    EXPORT,
    have_read,
    LOCATES,
    OPERATION,
    Storage,
    tell_eager,
)
from cowarray._ops.assigning cimport set_item, shown_value
from cowarray._ops.conversion cimport cast, check_device, hand_astype, hand_copy, is_array_class, settled_dtype
from cowarray._ops.keys cimport is_settled
from cowarray._ops.operands cimport (
    as_standard,
    bound_provided,
    do_provided,
    is_handed_with,
    leaves_lane,
    runs_code,
    take_road,
)
from cowarray._ops.operators cimport binary, compare, in_place, in_place_by_numpy, in_place_power, power, unary
from cowarray._ops.passage cimport new_passage, Passage
from cowarray._ops.functions cimport array_function
from cowarray._ops.ufuncs cimport array_ufunc, quick_ufunc
from cowarray._ops.reading cimport get_item, python_number
from cowarray._ops.road cimport call_method, part, PARTS_OF_OBJECTS
from cowarray._ops.shapes cimport (
    hand_flatten,
    hand_reshape,
    must_look,
    quick_ravel,
    quick_reshape,
    rebind,
    reshaped,
    settled_lengths,
)

from cowarray._face.printing import named, outline
from cowarray._native.mapped_files import spare_maps
from cowarray._native.storage import page_storage
from cowarray._ops.strided import as_strided, ndarray as new_array

cnp.import_array()

cdef object numpy_dtype = np.dtype
cdef object numpy_empty = np.empty
cdef object numpy_zeros = np.zeros
cdef object ufunc_add = np.add, ufunc_subtract = np.subtract, ufunc_multiply = np.multiply
cdef object ufunc_true_divide = np.true_divide, ufunc_floor_divide = np.floor_divide, ufunc_remainder = np.remainder
cdef object ufunc_left_shift = np.left_shift, ufunc_right_shift = np.right_shift, ufunc_power = np.power
cdef object ufunc_bitwise_and = np.bitwise_and, ufunc_bitwise_or = np.bitwise_or, ufunc_bitwise_xor = np.bitwise_xor
cdef object ufunc_matmul = np.matmul, ufunc_divmod = np.divmod
cdef object ufunc_negative = np.negative, ufunc_positive = np.positive, ufunc_absolute = np.absolute
cdef object ufunc_invert = np.invert

cdef bint WARNS_OF_STRIDES = np.lib.NumpyVersion(np.__version__) >= "2.4.0"
cdef str RESIZING = "resize moves the elements to memory of another size"


cdef Array deep_copy(Array self, object memo):
    """Copy elements that are not plain bytes: NumPy calls each object's own `__deepcopy__`."""
    cdef cnp.ndarray header = const_header(self)
    cdef cnp.npy_intp nbytes = cnp.PyArray_NBYTES(header)
    cdef Array x
    may_copy(nbytes, BORN_EAGER_DTYPE)
    x = adopt((<object>header).__deepcopy__(memo))
    x.birth = BORN_EAGER_DTYPE
    have_copied(nbytes, BORN_EAGER_DTYPE)
    return x


cdef object in_memory(cnp.ndarray x):
    """Return a view of all elements of a contiguous array in memory order, which is C or Fortran order."""
    return (<object>x if cnp.PyArray_CHKFLAGS(x, cnp.NPY_ARRAY_C_CONTIGUOUS) else (<object>x).T).reshape(-1)


cdef bint sorted_at_once(Array x, object axis) except -1:
    """Sort numbers in place without a Passage. False, and nothing is written: the road has to do it."""
    if not x.writeable or leaves_lane(x) or has_doorkeeper(x) or runs_code(x.descr):
        return False
    (<object>writable_header(x, NULL)).sort(axis)
    return True


cdef int resize(Array self, tuple new_shape, object refcheck) except -1:
    cdef cnp.ndarray grown
    cdef cnp.ndarray header = None
    cdef Storage storage = None
    cdef int looks = 0
    if not hasattr(refcheck, "__index__"):
        raise TypeError(f"resize: refcheck must be a bool or an integer (got {refcheck!r})")
    if not new_shape:
        return 0
    if len(new_shape) == 1 and not hasattr(new_shape[0], "__index__"):
        new_shape = new_shape[0]
    if new_shape is None:
        return 0
    lengths = settled_lengths(new_shape)
    if self.birth == BORN_VIEW and size_of(self) * itemsize_of(self):
        raise ValueError("cannot resize this array: it is a view; use cowarray.resize, which copies")
    if not self.writeable:
        raise ValueError("cannot resize this array: it is read-only; copy it first")
    while must_look(self, header, storage, &looks):
        header = const_header(self)
        storage = storage_for(self)
        by_columns = not cnp.PyArray_CHKFLAGS(header, cnp.NPY_ARRAY_C_CONTIGUOUS)
        if by_columns and not cnp.PyArray_CHKFLAGS(header, cnp.NPY_ARRAY_F_CONTIGUOUS):
            raise ValueError("cannot resize this array: its elements are not contiguous; copy it first")
        grown = numpy_zeros(lengths, descr_of(header), "F" if by_columns else "C")
        if self.birth == BORN_VIEW and cnp.PyArray_NBYTES(grown):
            raise ValueError("cannot resize this array: it is a view; use cowarray.resize, which copies")
        kept = min(cnp.PyArray_SIZE(header), cnp.PyArray_SIZE(grown))
        allow_eager(kept * cnp.PyArray_ITEMSIZE(grown), RESIZING)
        in_memory(grown)[:kept] = in_memory(header)[:kept]
        tell_eager(kept * cnp.PyArray_ITEMSIZE(grown), RESIZING)
    rebind(self, adopt(grown))
    return 0


def _plain_resize(Array x not None, *new_shape, refcheck=True):
    resize(x, new_shape, refcheck)


cdef bint contains(Array x, object value) except -1:
    cdef Passage passage = new_passage()
    passage.survey(x)
    passage.survey(value)
    return passage.read(value) in passage.read(x)


def _plain_contains(Array x not None, value):
    return contains(x, value)


def _plain_item(Array x not None, *args):
    return (readable(x) if is_settled(args) else reader_header(x)).item(*args)


def _plain_list(Array x not None):
    return readable(x).tolist()


def _plain_header(Array x not None, *_):
    """Refuse to give a value of an array without bytes."""
    return const_header(x)


# Returns the namespace for a version of the standard. Set by `cowarray`, since `array_api` builds on this class.
cdef object namespace = None


def describe_method(str name, str text, /):
    """Give a method of `ndarray` another docstring, which begins with its signature as Argument Clinic writes it."""
    describe(ndarray.__dict__[name], text.encode())


def set_namespace(function):
    global namespace
    namespace = function


cdef bint names_arrays(object value) except -1:
    """True if a value is a class of arrays, or equals `ndarray`, as a stand-in for NumPy's does."""
    return isinstance(value, type) and (is_array_class(value) or value == ndarray)


cdef tuple settled_strides(object value):
    """Return strides as integers that fit; bools are refused."""
    try:
        steps = settled_lengths(value)
        wrong = type(value) is bool or (isinstance(value, (list, tuple)) and bool in [type(step) for step in value])
    except TypeError:
        steps, wrong = (), True
    for step in steps:
        wrong = wrong or not -(1 << 63) <= step < 1 << 63
    if wrong:
        raise TypeError(f"ndarray: strides must be an integer or a tuple of integers (got {value!r})")
    return steps


@cython.final
@cython.no_gc
cdef class ndarray(Array):
    """ndarray(shape, dtype=None, buffer=None, offset=0, strides=None, order=None)\n--\n
    An n-dimensional array that looks like NumPy's and behaves like a value.

    Copies (`copy`, `reshape`, `ravel`, `flatten`, `astype`, ...) cost no more than views; bytes are copied when one of
    the arrays that share them is written to. Views (indexing by integers and slices, `T`, `transpose`, ...) alias, as
    in NumPy. Most arrays are made by `cowarray.asarray` and `cowarray.array`. Calling the class gives an array with
    uninitialized elements, or one that lies in a buffer.

    Parameters
    ----------
    shape : int or tuple of int
    dtype : dtype, optional
        Default: float64.
    buffer : object, optional
        The memory of the elements. If it is a `cowarray.ndarray` in C order, the result is a view of it. Other memory
        is imported as by `cowarray.asarray`: shared until the result is written to if that is sound, else copied.
    offset : int, default 0
        Bytes before the first element.
    strides : tuple of int, optional
        Bytes from one element to the next, along each axis. Default: those of `order`. If elements overlap, the array
        is read-only outside `aliasing`.
    order : {'C', 'F'}, default 'C'

    See Also
    --------
    cowarray.asarray : Converts, and shares where it can.
    cowarray.array : Copies.
    cowarray.aliases : Tells whether two arrays alias.
    cowarray.explain : Tells who shares an array's bytes.
    numpy.ndarray : NumPy's arrays.
    """

    __class_getitem__ = classmethod(GenericAlias)

    # ---- what it is --------------------------------------------------------------------------------------------------

    @property
    def storage(self):
        """Storage: The alias set: two arrays alias if theirs is the same object and their elements overlap."""
        return storage_for(self)

    @property
    def shape(self):
        """tuple of int: Lengths of the axes. Can be set if that needs no copy."""
        return PyArray_IntTupleFromIntp(self.nd, shape_of(self))

    @shape.setter
    def shape(self, value):
        cdef Storage storage = None
        cdef cnp.npy_intp offset
        cdef cnp.ndarray header = None
        cdef cnp.ndarray shaped
        cdef int looks = 0
        if value is None:
            raise TypeError("ndarray: shape must be an integer or a tuple of integers (got None)")
        lengths = settled_lengths(value)
        while must_look(self, header, storage, &looks):
            header = located_header(self)
            storage = storage_for(self)
            offset = self.offset
            try:
                shaped = (<object>header).reshape(lengths, copy=False)
            except ValueError:
                (<object>header).reshape(lengths)  # raises if even a copy cannot have that shape
                raise AttributeError(
                    f"ndarray: cannot set shape {value!r} without a copy, because the array is not contiguous; "
                    "use x.reshape(...)"
                ) from None
        view = view_on(storage, offset, cnp.PyArray_BYTES(header) - offset, shaped, self.writeable)
        rebind(self, shadowed_as(view, self))

    @shape.deleter
    def shape(self):
        raise AttributeError("ndarray: shape cannot be deleted")

    @property
    def strides(self):
        """tuple of int: Bytes from one element to the next, along each axis.

        Can be set if the elements then lie in the memory that the array is a view of. NumPy deprecates that; as there,
        `as_strided` makes a view instead. If elements overlap, the array becomes read-only, and stays so.
        """
        return PyArray_IntTupleFromIntp(self.nd, strides_of(self))

    @strides.setter
    def strides(self, value):
        cdef cnp.ndarray header = None
        cdef ndarray view
        cdef Storage storage = None
        cdef int looks = 0
        if WARNS_OF_STRIDES:
            warnings.warn(
                "Setting the strides on a NumPy array has been deprecated, and so it is here: "
                "cowarray.lib.stride_tricks.as_strided makes a view",
                DeprecationWarning,
            )
        steps = settled_strides(value)
        if len(steps) != self.nd:
            raise ValueError(f"ndarray: strides must be as many as the axes ({self.nd}, got {steps!r})")
        while must_look(self, header, storage, &looks):
            header = located_header(self)
            try:
                view = as_strided(self, self.shape, steps)
            except ValueError as error:
                raise ValueError(f"ndarray: strides: {str(error).removeprefix('as_strided: ')}") from None
            storage = view.storage_
        rebind(self, view)
        self.writeable = view.writeable

    @strides.deleter
    def strides(self):
        raise AttributeError("ndarray: strides cannot be deleted")

    @property
    def dtype(self):
        """numpy.dtype: The dtype of the elements. Can be set to any dtype that `view` accepts."""
        return self.descr

    @dtype.setter
    def dtype(self, value):
        cdef cnp.ndarray header = None
        cdef ndarray view
        cdef Storage storage = None
        cdef int looks = 0
        wanted = numpy_dtype(value)
        while must_look(self, header, storage, &looks):
            header = located_header(self)
            view = self.view(wanted)
            storage = view.storage_
        rebind(self, view)

    @dtype.deleter
    def dtype(self):
        raise AttributeError("ndarray: dtype cannot be deleted")

    @property
    def ndim(self):
        """int: Number of axes."""
        return self.nd

    @property
    def size(self):
        """int: Number of elements."""
        return size_of(self)

    @property
    def itemsize(self):
        """int: Bytes of an element."""
        return itemsize_of(self)

    @property
    def nbytes(self):
        """int: Bytes of all elements."""
        return size_of(self) * itemsize_of(self)

    @property
    def __class__(self):
        """type: `numpy.ndarray` inside `cowarray.aliasing`, so that `isinstance` answers libraries as for NumPy's.

        Not for pandas, numba, JAX, h5py and polars, whose compiled code would refuse the array or take it apart, nor
        where `numpy.ma` takes the type of an instance for that of its data.
        """
        return cnp.ndarray if may_alias() and is_numpys_class() else type(self)

    @property
    def base(self):
        """ndarray or None: An array of all that the Storage has, if the array is a view of another.

        One object for all views of a Storage, read-only for those that are; `x.storage` tells what aliases.
        """
        return base_of(self)

    @property
    def device(self):
        """str: Always ``"cpu"``."""
        return "cpu"

    @property
    def flags(self):
        """Flags: Memory layout, as `numpy.ndarray.flags`."""
        return flags_of(self)

    def setflags(self, write=None, align=None, uic=None):
        """Set whether the array may be written to; other arrays of the same Storage keep their flag.

        Parameters
        ----------
        write : bool, optional
            Default: unchanged.
        align : bool, optional
            Cannot be changed.
        uic : bool, optional
            Cannot be changed.

        Returns
        -------
        None
            No bytes are copied or written.

        Raises
        ------
        ValueError
            `write` is true for an array whose elements overlap, outside `aliasing`; `align` is true for one that is not
            aligned; `uic` is true.

        See Also
        --------
        numpy.ndarray.setflags : The same for NumPy's arrays.
        """
        if align:
            if not cnp.PyArray_ISALIGNED(located_header(self)):
                raise ValueError("cannot set aligned flag of mis-aligned array to True")
        if uic:
            raise ValueError("cannot set WRITEBACKIFCOPY flag to True")
        if write is not None:
            write = bool(write)
            if (
                write and not self.writeable and not exports_alias()
                and not distinct(self.nd, shape_of(self), itemsize_of(self), strides_of(self))
            ):
                raise ValueError("cannot set WRITEABLE flag to True: elements of the array overlap; copy it first")
            self.writeable = write

    # ---- views: the same Storage -------------------------------------------------------------------------------------

    @property
    def T(self):
        """ndarray: View with the axes reversed."""
        cdef cnp.ndarray header
        if leaves_lane(self):
            return call_method(self, "transpose", (), {})
        header = located_header(self)
        return view_of(self, cnp.PyArray_BYTES(header) - self.offset, PyArray_Transpose(header, NULL), self.writeable)

    @property
    def mT(self):
        """ndarray: View with the last two axes swapped."""
        if self.nd < 2:
            raise ValueError("matrix transpose with ndim < 2 is undefined")
        return call_method(self, "swapaxes", (-1, -2), {})

    def transpose(self, *axes):
        """Put axes in another order.

        Parameters
        ----------
        *axes : int, or tuple of int
            Reversed if omitted.

        Returns
        -------
        ndarray
            A view.

        See Also
        --------
        numpy.ndarray.transpose : The same for NumPy's arrays.
        """
        return call_method(self, "transpose", axes, {})

    def swapaxes(self, axis1, axis2, /):
        """Swap two axes.

        Parameters
        ----------
        axis1, axis2 : int

        Returns
        -------
        ndarray
            A view.

        See Also
        --------
        numpy.ndarray.swapaxes : The same for NumPy's arrays.
        """
        return call_method(self, "swapaxes", (axis1, axis2), {})

    def squeeze(self, axis=None):
        """Remove axes of length 1.

        Parameters
        ----------
        axis : int or tuple of int, optional
            All axes of length 1 if omitted.

        Returns
        -------
        ndarray
            A view.

        See Also
        --------
        numpy.ndarray.squeeze : The same for NumPy's arrays.
        """
        return call_method(self, "squeeze", (axis,), {})

    def diagonal(self, offset=0, axis1=0, axis2=1):
        """Return the diagonals in the planes of two axes, along a new last axis.

        Parameters
        ----------
        offset : int, default 0
            Which diagonal: 0 is the main one, those above it are positive.
        axis1 : int, default 0
        axis2 : int, default 1

        Returns
        -------
        ndarray
            A read-only view.

        See Also
        --------
        numpy.ndarray.diagonal : The same for NumPy's arrays.
        """
        return call_method(self, "diagonal", (offset, axis1, axis2), {})

    def view(self, dtype=None, type=None):
        """View the same bytes, as another dtype if one is given.

        Parameters
        ----------
        dtype : dtype or type, optional
            A class of NumPy's arrays is taken as ``type``.
        type : type, optional
            A class of NumPy's arrays, such as `numpy.recarray`. The result is one of those, and leaves the library.

        Returns
        -------
        ndarray or numpy.ndarray
            A view. With a class of NumPy's: an alias of the bytes, both ways, as ``x.to_numpy(writable=True)``; if the
            array is read-only, a snapshot.

        See Also
        --------
        numpy.ndarray.view : The same for NumPy's arrays.
        """
        if names_arrays(dtype):
            if type is not None:
                raise ValueError("Cannot specify output type twice.")
            dtype, type = None, dtype
        if dtype is not None:
            dtype = settled_dtype(dtype)
        if type is not None and type != ndarray:
            if not is_array_class(type):
                raise ValueError(f"view: type must be a subclass of numpy.ndarray (got {type!r})")
            shown = export(self, EXPORT) if self.writeable else snapshot(self)
            return shown.view(type) if dtype is None else shown.view(dtype, type)
        if PyDataType_REFCHK(self.descr) and dtype is not None:
            if numpy_dtype(dtype) != self.descr:
                raise TypeError("Cannot change data-type for array of references.")
            dtype = None  # it is equal; text of StringDType can only be read by the array's own
        return call_method(self, "view", () if dtype is None else (dtype,), {})

    def getfield(self, dtype, offset=0):
        """View a part of each element.

        Parameters
        ----------
        dtype : dtype
            Of the part.
        offset : int, default 0
            Bytes before it.

        Returns
        -------
        ndarray
            A view.

        See Also
        --------
        setfield : Writes it.
        numpy.ndarray.getfield : The same for NumPy's arrays.
        """
        return call_method(self, "getfield", (dtype, offset), {})

    def setfield(self, val, dtype, offset=0):
        """Write a part of each element.

        Parameters
        ----------
        val : array_like
        dtype : dtype
            Of the part.
        offset : int, default 0
            Bytes before it.

        Returns
        -------
        None
            Views of the array see the write; copies do not.

        See Also
        --------
        getfield : Views it.
        numpy.ndarray.setfield : The same for NumPy's arrays.
        """
        field = self.getfield(dtype, offset)
        field[...] = val

    @property
    def real(self):
        """ndarray: View of the real parts. Can be assigned to.

        Since NumPy 2.5, objects are asked for theirs: the result is read-only, and cannot be assigned to.
        """
        return part(self, "real")

    @real.setter
    def real(self, value):
        if self.descr.type_num == cnp.NPY_OBJECT and PARTS_OF_OBJECTS:
            raise TypeError("cannot set the real parts of objects: they are not a view")
        set_item(self.real, Ellipsis, value)

    @real.deleter
    def real(self):
        raise AttributeError("ndarray: real cannot be deleted")

    @property
    def imag(self):
        """ndarray: View of the imaginary parts, or read-only zeros. Can be assigned to, if complex.

        Since NumPy 2.5, objects are asked for theirs; before, they are zeros.
        """
        return part(self, "imag")

    @imag.setter
    def imag(self, value):
        if self.descr.kind != "c":
            raise TypeError("cannot set imaginary part of a non-complex array")
        set_item(self.imag, Ellipsis, value)

    @imag.deleter
    def imag(self):
        raise AttributeError("ndarray: imag cannot be deleted")

    @property
    def flat(self):
        """FlatIterator: The elements in C order, to iterate over, read and write. Can be assigned to."""
        return flat_of(self)

    @flat.setter
    def flat(self, value):
        flat_fill(self, value)

    @flat.deleter
    def flat(self):
        raise AttributeError("ndarray: flat cannot be deleted")

    # ---- copies: a new Storage ---------------------------------------------------------------------------------------

    def lazy_clone(self):
        """Copy the array in the same memory layout; bytes are shared until one of the two is written to.

        Returns
        -------
        ndarray
            A copy, writable. Made at once if a lazy one would cost more: see `cowarray.explain`.

        Raises
        ------
        MemoryError
            There is no memory for a copy that is made at once.
        cowarray.CopyError
            Inside ``cowarray.no_copy(eager=True)``, if the copy would be made at once.

        See Also
        --------
        copy : Lays elements out in an order.
        """
        if leaves_lane(self):
            return hand_copy(self, "K")
        return copy_in_order(self, c"K")

    def copy(self, order="C"):
        """Copy the array.

        Parameters
        ----------
        order : {'C', 'F', 'A', 'K'}, default 'C'
            Memory layout of the copy.

        Returns
        -------
        ndarray
            A copy, lazy if the elements already lie in that order; writable, in a new Storage.

        See Also
        --------
        lazy_clone : Keeps the memory layout, and so is lazy more often.
        numpy.ndarray.copy : The same for NumPy's arrays.
        """
        if leaves_lane(self):
            return hand_copy(self, order)
        return copy_in_order(self, c"C" if order == "C" else order_code(order))

    def __copy__(self):
        if leaves_lane(self):
            return hand_copy(self, "K")
        return copy_in_order(self, c"K")

    def __deepcopy__(self, memo):
        if is_plain(self.descr):
            return hand_copy(self, "K") if leaves_lane(self) else copy_in_order(self, c"K")
        result = deep_copy(self, memo)
        return as_standard(result) if self.standard else result

    def reshape(self, *shape, order="C", copy=None):
        """Give the elements another shape.

        Parameters
        ----------
        *shape : int or tuple of int
            At most one length may be -1: it is inferred from the number of elements.
        order : {'C', 'F', 'A'}, default 'C'
            The order in which elements are read and placed.
        copy : bool, optional
            ``False``: a view. ``None`` and ``True``: a copy.

        Returns
        -------
        ndarray
            A copy, lazy if NumPy would have made a view; with ``copy=False`` a view.

        Raises
        ------
        ValueError
            The shape has another number of elements, or more than one -1; `order` is none of these; `copy` is text;
            with ``copy=False``, no view has that shape.
        TypeError
            No shape is given, or a length is not an integer.

        See Also
        --------
        numpy.ndarray.reshape : Returns a view if it can.
        """
        if not shape:
            raise TypeError("reshape() takes exactly 1 argument (0 given)")
        if copy is not None and type(copy) is not bool:
            copy = as_flag(copy)
        if leaves_lane(self):
            return hand_reshape(self, shape, order, copy)
        if copy is None and order == "C":
            quick = quick_reshape(self, items_of(shape), len(shape))
            if quick is not None:
                return quick
        return reshaped(self, shape, order, copy)

    def ravel(self, order="C"):
        """Flatten the elements to one axis.

        Parameters
        ----------
        order : {'C', 'F', 'A', 'K'}, default 'C'
            The order in which elements are read.

        Returns
        -------
        ndarray
            A copy, lazy if NumPy would have made a view.

        See Also
        --------
        numpy.ndarray.ravel : Returns a view if it can.
        """
        return raveled(self, order)

    def flatten(self, order="C"):
        """Flatten the elements to one axis.

        Parameters
        ----------
        order : {'C', 'F', 'A', 'K'}, default 'C'
            The order in which elements are read.

        Returns
        -------
        ndarray
            A copy, lazy if the elements already lie in that order.

        See Also
        --------
        ravel : Gives the same.
        numpy.ndarray.flatten : The same for NumPy's arrays.
        """
        if leaves_lane(self) or may_alias():
            return hand_flatten(self, order)
        return raveled(self, order)

    def astype(self, dtype, order="K", casting="unsafe", subok=True, copy=True):
        """Convert the elements to another dtype.

        Parameters
        ----------
        dtype : dtype
        order : {'C', 'F', 'A', 'K'}, default 'K'
            Memory layout of the copy.
        casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, default 'unsafe'
            Which conversions are allowed.
        subok : bool, default True
            Ignored.
        copy : bool, default True
            ``False``: the array itself, if nothing needs to change.

        Returns
        -------
        ndarray
            A copy: lazy if the dtype stays, made at once if it changes; with ``copy=False`` the array itself if nothing
            needs to change.

        See Also
        --------
        numpy.ndarray.astype : The same for NumPy's arrays.
        """
        if leaves_lane(self):
            return hand_astype(self, dtype, order, casting, copy)
        return cast(self, dtype, order, casting, copy)

    @cython.embedsignature(False)
    def conjugate(self, *args, **kwargs):
        """conjugate($self, out=None, /)\n--\n
        Return complex conjugates.

        Parameters
        ----------
        out : ndarray, optional
            Written and returned, in place of a copy.

        Returns
        -------
        ndarray
            A copy, lazy if there is nothing to conjugate; or `out`.

        See Also
        --------
        cowarray.conj : The function, which always computes.
        numpy.ndarray.conj : Returns the array itself if there is nothing to conjugate.
        """
        return call_method(self, "conjugate", args, kwargs)

    @cython.embedsignature(False)
    def conj(self, *args, **kwargs):
        """conj($self, out=None, /)\n--\n
        Return complex conjugates.

        Parameters
        ----------
        out : ndarray, optional
            Written and returned, in place of a copy.

        Returns
        -------
        ndarray
            A copy, lazy if there is nothing to conjugate; or `out`.

        See Also
        --------
        cowarray.conj : The function, which always computes.
        numpy.ndarray.conj : Returns the array itself if there is nothing to conjugate.
        """
        return call_method(self, "conjugate", args, kwargs)

    def to_device(self, device, /, *, stream=None):
        """Return the array on a device; the only one is ``"cpu"``.

        Parameters
        ----------
        device : {'cpu'}
        stream : None

        Returns
        -------
        ndarray
            The array itself.

        Raises
        ------
        ValueError
            Another device, or a stream.
        """
        check_device(device)
        if stream is not None:
            raise ValueError(f"to_device: stream must be None on the CPU (got {stream!r})")
        return self

    # ---- computing ---------------------------------------------------------------------------------------------------

    @cython.embedsignature(False)
    def all(self, *args, **kwargs):
        """all($self, /, axis=None, out=None, keepdims=False, *, where=True)\n--\n
        Test whether all elements are true, along axes or in the whole array.

        Refer to `cowarray.all` for the parameters and the result.
        """
        return call_method(self, "all", args, kwargs)

    @cython.embedsignature(False)
    def any(self, *args, **kwargs):
        """any($self, /, axis=None, out=None, keepdims=False, *, where=True)\n--\n
        Test whether any element is true, along axes or in the whole array.

        Refer to `cowarray.any` for the parameters and the result.
        """
        return call_method(self, "any", args, kwargs)

    @cython.embedsignature(False)
    def argmax(self, *args, **kwargs):
        """argmax($self, /, axis=None, out=None, *, keepdims=False)\n--\n
        Return the indices of the greatest elements along an axis: the first, if several are equal.

        Refer to `cowarray.argmax` for the parameters and the result.
        """
        return call_method(self, "argmax", args, kwargs)

    @cython.embedsignature(False)
    def argmin(self, *args, **kwargs):
        """argmin($self, /, axis=None, out=None, *, keepdims=False)\n--\n
        Return the indices of the least elements along an axis: the first, if several are equal.

        Refer to `cowarray.argmin` for the parameters and the result.
        """
        return call_method(self, "argmin", args, kwargs)

    @cython.embedsignature(False)
    def argpartition(self, *args, **kwargs):
        """argpartition($self, kth, /, axis=-1, kind='introselect', order=None)\n--\n
        Return indices that put the k-th element where it would be if all were sorted.

        Refer to `cowarray.argpartition` for the parameters and the result.
        """
        return call_method(self, "argpartition", args, kwargs)

    @cython.embedsignature(False)
    def argsort(self, *args, **kwargs):
        """argsort($self, /, axis=-1, kind=None, order=None, *, stable=None)\n--\n
        Return the indices that sort the array.

        Refer to `cowarray.argsort` for the parameters and the result.
        """
        return call_method(self, "argsort", args, kwargs)

    @cython.embedsignature(False)
    def choose(self, *args, **kwargs):
        """choose($self, choices, /, out=None, mode='raise')\n--\n
        For each index in the array, pick the element at the same place from the array that it names.

        Refer to `cowarray.choose` for the parameters and the result.
        """
        out = kwargs.get("out")
        if isinstance(out, Array) and kwargs.get("mode", "raise") != "raise" and not out.flags.c_contiguous:
            # NumPy would write past its end, and read choices that it has overwritten.
            result = call_method(self, "choose", args, {"mode": kwargs["mode"]})
            if result.shape == out.shape:
                out[...] = result
                return out
        return call_method(self, "choose", args, kwargs)

    @cython.embedsignature(False)
    def clip(self, *args, **kwargs):
        """clip($self, /, min=None, max=None, out=None, **kwargs)\n--\n
        Limit elements to an interval.

        Parameters
        ----------
        min, max : array_like, optional
            The bounds, which broadcast with the array. ``None``: no bound.
        out : ndarray, optional
            Written, and returned.
        **kwargs
            As for `numpy.clip`: ``where``, ``dtype``, ``casting``, ...

        Returns
        -------
        ndarray or scalar
            Fresh, or `out`.

        See Also
        --------
        cowarray.clip : The function.
        numpy.ndarray.clip : The same for NumPy's arrays.
        """
        return call_method(self, "clip", args, kwargs)

    @cython.embedsignature(False)
    def compress(self, *args, **kwargs):
        """compress($self, condition, /, axis=None, out=None)\n--\n
        Return the slices along an axis for which a condition is true.

        Refer to `cowarray.compress` for the parameters and the result.
        """
        return call_method(self, "compress", args, kwargs)

    @cython.embedsignature(False)
    def cumprod(self, *args, **kwargs):
        """cumprod($self, /, axis=None, dtype=None, out=None)\n--\n
        Compute the products of all elements up to each.

        Refer to `cowarray.cumprod` for the parameters and the result.
        """
        return call_method(self, "cumprod", args, kwargs)

    @cython.embedsignature(False)
    def cumsum(self, *args, **kwargs):
        """cumsum($self, /, axis=None, dtype=None, out=None)\n--\n
        Compute the sums of all elements up to each.

        Refer to `cowarray.cumsum` for the parameters and the result.
        """
        return call_method(self, "cumsum", args, kwargs)

    @cython.embedsignature(False)
    def dot(self, *args, **kwargs):
        """dot($self, other, /, out=None)\n--\n
        Compute dot products: of vectors, of matrices, or over the last axis and the other array's second-to-last.

        Parameters
        ----------
        other : array_like
        out : ndarray, optional
            Written and returned, in place of a fresh array.

        Returns
        -------
        ndarray or scalar
            Fresh, or `out`.

        See Also
        --------
        cowarray.dot : The function.
        numpy.ndarray.dot : The same for NumPy's arrays.
        """
        return call_method(self, "dot", args, kwargs)

    @cython.embedsignature(False)
    def max(self, *args, **kwargs):
        """max($self, /, axis=None, out=None, keepdims=False, initial=..., where=True)\n--\n
        Return the greatest elements along axes; NaN if one is NaN.

        Refer to `cowarray.max` for the parameters and the result.
        """
        return call_method(self, "max", args, kwargs)

    @cython.embedsignature(False)
    def mean(self, *args, **kwargs):
        """mean($self, /, axis=None, dtype=None, out=None, keepdims=False, *, where=True)\n--\n
        Compute arithmetic means along axes.

        Refer to `cowarray.mean` for the parameters and the result.
        """
        return call_method(self, "mean", args, kwargs)

    @cython.embedsignature(False)
    def min(self, *args, **kwargs):
        """min($self, /, axis=None, out=None, keepdims=False, initial=..., where=True)\n--\n
        Return the least elements along axes; NaN if one is NaN.

        Refer to `cowarray.min` for the parameters and the result.
        """
        return call_method(self, "min", args, kwargs)

    @cython.embedsignature(False)
    def nonzero(self, *args, **kwargs):
        """nonzero($self, /)\n--\n
        Return the indices of the nonzero elements.

        Refer to `cowarray.nonzero` for the parameters and the result.
        """
        return call_method(self, "nonzero", args, kwargs)

    @cython.embedsignature(False)
    def prod(self, *args, **kwargs):
        """prod($self, /, axis=None, dtype=None, out=None, keepdims=False, initial=1, where=True)\n--\n
        Multiply elements along axes.

        Refer to `cowarray.prod` for the parameters and the result.
        """
        return call_method(self, "prod", args, kwargs)

    @cython.embedsignature(False)
    def repeat(self, *args, **kwargs):
        """repeat($self, repeats, /, axis=None)\n--\n
        Repeat each element, along an axis.

        Parameters
        ----------
        repeats : int or array_like of int
            How often to repeat, for all elements or for each.
        axis : int, optional
            If omitted, the array is flattened first.

        Returns
        -------
        ndarray
            Fresh.

        See Also
        --------
        cowarray.repeat : The function.
        numpy.ndarray.repeat : The same for NumPy's arrays.
        """
        return call_method(self, "repeat", args, kwargs)

    @cython.embedsignature(False)
    def round(self, *args, **kwargs):
        """round($self, /, decimals=0, out=None)\n--\n
        Round elements; halves go to the even neighbour.

        Parameters
        ----------
        decimals : int, default 0
            Decimal places to keep; if negative, that many places before the point become 0. Not in the standard.
        out : ndarray, optional
            Written, and returned.

        Returns
        -------
        ndarray or scalar
            Fresh, or `out`.

        See Also
        --------
        cowarray.round : The function.
        numpy.ndarray.round : The same for NumPy's arrays.
        """
        return call_method(self, "round", args, kwargs)

    @cython.embedsignature(False)
    def searchsorted(self, *args, **kwargs):
        """searchsorted($self, v, /, side='left', sorter=None)\n--\n
        Find where to insert elements into the array, which is sorted, so that it stays sorted.

        Refer to `cowarray.searchsorted` for the parameters and the result.
        """
        return call_method(self, "searchsorted", args, kwargs)

    @cython.embedsignature(False)
    def std(self, *args, **kwargs):
        """std($self, /, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=...)\n--\n
        Compute standard deviations along axes.

        Refer to `cowarray.std` for the parameters and the result.
        """
        return call_method(self, "std", args, kwargs)

    @cython.embedsignature(False)
    def sum(self, *args, **kwargs):
        """sum($self, /, axis=None, dtype=None, out=None, keepdims=False, initial=0, where=True)\n--\n
        Sum elements along axes.

        Refer to `cowarray.sum` for the parameters and the result.
        """
        return call_method(self, "sum", args, kwargs)

    @cython.embedsignature(False)
    def take(self, *args, **kwargs):
        """take($self, indices, /, axis=None, out=None, mode='raise')\n--\n
        Return the elements at indices along an axis; without an axis, of the flattened array.

        Refer to `cowarray.take` for the parameters and the result.
        """
        return call_method(self, "take", args, kwargs)

    @cython.embedsignature(False)
    def trace(self, *args, **kwargs):
        """trace($self, /, offset=0, axis1=0, axis2=1, dtype=None, out=None)\n--\n
        Sum elements along diagonals.

        Parameters
        ----------
        offset : int, default 0
            Which diagonal: 0 is the main one, those above it are positive.
        axis1 : int, default 0
        axis2 : int, default 1
        dtype : dtype, optional
            The type to compute in, and of the result. Default: what NumPy's rules give.
        out : ndarray, optional
            Written and returned, in place of a fresh array.

        Returns
        -------
        ndarray or scalar
            Fresh, or `out`.

        See Also
        --------
        cowarray.linalg.trace : The function.
        numpy.ndarray.trace : The same for NumPy's arrays.
        """
        return call_method(self, "trace", args, kwargs)

    @cython.embedsignature(False)
    def var(self, *args, **kwargs):
        """var($self, /, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=...)\n--\n
        Compute variances along axes.

        Refer to `cowarray.var` for the parameters and the result.
        """
        return call_method(self, "var", args, kwargs)

    # ---- writing -----------------------------------------------------------------------------------------------------

    def fill(self, value, /):
        """Set every element to one value.

        Parameters
        ----------
        value : scalar

        Returns
        -------
        None
            Views of the array see the write; copies do not.

        Raises
        ------
        ValueError
            The array is read-only.

        See Also
        --------
        numpy.ndarray.fill : The same for NumPy's arrays.
        """
        if not self.writeable:
            raise ValueError("assignment destination is read-only")
        is_object = self.descr.type_num == cnp.NPY_OBJECT
        if is_object and not is_array(value):
            call_method(self, "fill", (value,), {})
        elif type(value) is float and self.descr.type_num == cnp.NPY_DOUBLE:
            set_item(self, Ellipsis, value)
        else:
            # Converted to one element, as by NumPy's fill; an array becomes an object as it is.
            shown = numpy_empty((), self.descr)
            shown.fill(shown_value(self, value) if is_array(value) and not is_object else value)
            set_item(self, Ellipsis, shown)

    def sort(self, axis=-1, kind=None, order=None, *, stable=None):
        """Sort in place.

        Parameters
        ----------
        axis : int, default -1
        kind : {'quicksort', 'mergesort', 'heapsort', 'stable'}, optional
            As in NumPy.
        order : str or sequence of str, optional
            The fields to compare, if the elements have fields.
        stable : bool, optional
            Whether equal elements keep their order.

        Returns
        -------
        None
            Views of the array see the write; copies do not.

        See Also
        --------
        cowarray.sort : Returns a sorted copy.
        numpy.ndarray.sort : The same for NumPy's arrays.
        """
        if kind is None and order is None and stable is None and type(axis) is int and sorted_at_once(self, axis):
            return
        call_method(self, "sort", (axis,), {"kind": kind, "order": order, "stable": stable})

    def partition(self, kth, axis=-1, kind="introselect", order=None):
        """Put the k-th element where sorting would put it, in place: none less after it, none greater before.

        Parameters
        ----------
        kth : int or sequence of int
        axis : int, default -1
        kind : {'introselect'}, default 'introselect'
        order : str or sequence of str, optional
            The fields to compare, if the elements have fields.

        Returns
        -------
        None
            Views of the array see the write; copies do not.

        See Also
        --------
        cowarray.partition : Returns a copy.
        numpy.ndarray.partition : The same for NumPy's arrays.
        """
        call_method(self, "partition", (kth, axis, kind, order), {})

    def put(self, indices, values, mode="raise"):
        """Write values at indices, as if the array had one axis.

        Parameters
        ----------
        indices : array_like of int
        values : array_like
            Repeated if it is too short.
        mode : {'raise', 'wrap', 'clip'}, default 'raise'
            How to treat indices out of bounds.

        Returns
        -------
        None
            Views of the array see the write; copies do not.

        See Also
        --------
        numpy.ndarray.put : The same for NumPy's arrays.
        """
        call_method(self, "put", (indices, values, mode), {})

    def byteswap(self, inplace=False):
        """Reverse the bytes of each element.

        Parameters
        ----------
        inplace : bool, default False
            Whether to write into the array.

        Returns
        -------
        ndarray
            Fresh; with `inplace` the array itself: its views see the write; copies do not.

        See Also
        --------
        numpy.ndarray.byteswap : The same for NumPy's arrays.
        """
        inplace = bool(inplace)
        result = call_method(self, "byteswap", (inplace,), {})
        return self if inplace else result

    def resize(self, *new_shape, refcheck=True):
        """Change shape and size in place; elements keep their order in memory, and new ones are 0.

        Parameters
        ----------
        *new_shape : int or tuple of int
        refcheck : bool, default True
            Ignored: no other array can lose its memory.

        Returns
        -------
        None
            The array gets a new Storage; its views keep the old one.

        Raises
        ------
        TypeError
            `refcheck` is neither a bool nor an integer.
        ValueError
            The array is a view, read-only, or contiguous neither in C nor in Fortran order.

        See Also
        --------
        cowarray.resize : Returns a copy, and repeats elements.
        numpy.ndarray.resize : The same for NumPy's arrays.
        """
        if leaves_lane(self):
            take_road("ndarray.resize", _plain_resize, (self, *new_shape), {"refcheck": refcheck})
        else:
            resize(self, new_shape, refcheck)

    def checkpoint(self):
        """Make a managed copy, from which managed arrays are computed: `cowarray.checkpoint` of this array.

        Returns
        -------
        ndarray
            A lazy copy, and a constant.

        Raises
        ------
        ValueError
            This array is managed already.

        See Also
        --------
        cowarray.budget : Keeps computed arrays within a number of bytes.
        """
        return do_provided("checkpoint", self)

    def decheckpoint(self):
        """Keep the array and all its views in memory: its bytes are restored, and how it was made is forgotten.

        Returns
        -------
        ndarray
            The array itself.

        Raises
        ------
        MemoryError
            There is no room for its bytes. It stays managed.

        See Also
        --------
        cowarray.decheckpoint : The same as a function.
        """
        return do_provided("decheckpoint", self)

    def evict(self):
        """Free the bytes of a managed array and of all that share them; they come back when needed.

        Returns
        -------
        None

        Raises
        ------
        BufferError
            The array is not managed, cannot be made again, or its bytes are in use. The message says by whom.

        See Also
        --------
        cowarray.evict : The same as a function.
        """
        do_provided("evict", self)

    def is_checkpointed(self):
        """Tell whether the array is managed: computed in a `cowarray.budget`, or from the result of `checkpoint`.

        Returns
        -------
        bool

        See Also
        --------
        cowarray.is_checkpointed : The same as a function.
        """
        return do_provided("is_checkpointed", self)

    def by_page(self, *, required=False):
        """Have the array and all its copies written by the page, whatever they cost.

        Parameters
        ----------
        required : bool, default False
            Whether to raise if no pages can be had.

        Returns
        -------
        ndarray
            The array itself, in other memory.

        Raises
        ------
        BufferError
            It is pinned, fake, deferred or managed, or has Python objects; or pages are `required` and cannot be had.
        MemoryError
            There is no memory for the base.
        TypeError
            `required` is not a bool.

        See Also
        --------
        cowarray.by_page : The same as a function.
        """
        if type(required) is not bool:
            raise TypeError(f"by_page: required must be True or False (got {required!r})")
        page_storage(storage_for(self), required)
        return self

    def materialize(self):
        """Give the array's Storage its own bytes now, as a write would. Views move along; copies keep the old bytes.

        Returns
        -------
        ndarray
            The array itself.

        Raises
        ------
        MemoryError
            Nothing has changed.
        cowarray.CopyError
            Inside `cowarray.no_copy`, if bytes would have to be copied.

        See Also
        --------
        cowarray.explain : Tells what this would copy.
        """
        cdef cow_mutable_scope scope
        cdef Access access = access_anywhere(LOCATES, OPERATION)  # no value changes
        cdef Storage storage = storage_for(self)  # kept: user code in begin_write can give self another
        begin_write(storage, &access, &scope)
        end_write(&scope)
        have_read(storage)  # the new bytes depend on the old ones
        return self

    def __getitem__(self, key):
        return get_item(self, key)

    def __setitem__(self, key, value):
        set_item(self, key, value)

    def __delitem__(self, key):
        raise ValueError("cannot delete array elements")

    # ---- leaving for Python ------------------------------------------------------------------------------------------

    def item(self, *args):
        """Return one element as a Python object.

        Parameters
        ----------
        *args : int or tuple of int
            Its index, flat or for each axis. Omitted for the only element.

        Returns
        -------
        object
            A copy of the element.

        See Also
        --------
        numpy.ndarray.item : The same for NumPy's arrays.
        """
        number = python_number(self, args)
        if number is not None:
            return number
        if is_fake(self):
            return take_road("ndarray.item", _plain_item, (self, *args), {})
        return _plain_item(self, *args)

    def tolist(self):
        """Return the elements as nested lists of Python objects.

        Returns
        -------
        list or object
            Copies of the elements; a single one if the array has no axes.

        See Also
        --------
        numpy.ndarray.tolist : The same for NumPy's arrays.
        """
        if is_fake(self):
            return take_road("ndarray.tolist", _plain_list, (self,), {})
        return readable(self).tolist()

    def tobytes(self, order="C"):
        """Return the bytes of the elements.

        Parameters
        ----------
        order : {'C', 'F', 'A'}, default 'C'
            The order in which elements are read.

        Returns
        -------
        bytes
            A copy.

        See Also
        --------
        numpy.ndarray.tobytes : The same for NumPy's arrays.
        """
        if is_fake(self):
            return take_road("ndarray.tobytes", _plain_header, (self, order), {})
        if type(order) is str and <str>order == "C":
            return cnp.PyArray_ToString(const_header(self), cnp.NPY_CORDER)
        return (<object>const_header(self)).tobytes(order)

    def tofile(self, fid, sep="", format="%s"):
        """Write the elements to a file, in C order.

        Parameters
        ----------
        fid : path or file object
        sep : str, default ''
            Text to write between elements. If empty, the file is binary.
        format : str, default '%s'
            How to write an element as text.

        Returns
        -------
        None
            A snapshot is written. A file that this process has mapped is replaced: arrays that are mapped from it keep
            their values.

        See Also
        --------
        cowarray.fromfile : Reads the file.
        numpy.ndarray.tofile : The same for NumPy's arrays.
        """
        if is_fake(self):
            take_road("ndarray.tofile", _plain_header, (self, fid, sep, format), {})
            return
        spare_maps(fid)
        (<object>snapshot(self)).tofile(fid, sep, format)

    def dump(self, file):
        """Pickle the array to a file.

        Parameters
        ----------
        file : path or file object
            If it is a file object, open for writing bytes.

        Returns
        -------
        None

        See Also
        --------
        numpy.ndarray.dump : The same for NumPy's arrays.
        """
        import pickle

        if hasattr(file, "write"):
            pickle.dump(self, file)
        else:
            if is_fake(self):
                snapshot(self)  # refuses, before the file is emptied
            spare_maps(file)
            opened = open(file, "wb")
            try:
                pickle.dump(self, opened)
            finally:
                opened.close()

    def dumps(self):
        """Pickle the array.

        Returns
        -------
        bytes

        See Also
        --------
        numpy.ndarray.dumps : The same for NumPy's arrays.
        """
        import pickle

        return pickle.dumps(self)

    def to_numpy(self, dtype=None, copy=False, na_value=..., *, writable=False):
        """Return the array as a `numpy.ndarray`.

        Parameters
        ----------
        dtype : dtype, optional
            Default: the array's own.
        copy : bool, default False
            Whether the result is the caller's own.
        na_value : object, optional
            Replaces missing elements: NaN, NaT, and None in arrays of objects. They stay by default.
        writable : bool, default False
            Whether writes go both ways.

        Returns
        -------
        numpy.ndarray
            A snapshot: it shares bytes if a lazy copy would, never changes, and cannot be made writable. With `copy`,
            or if elements are converted or replaced, an array of the caller's own. With `writable` an alias: while it
            lives, copies of the array are made at once.

        Raises
        ------
        TypeError
            `copy` or `writable` is not a bool.
        ValueError
            `writable` for a read-only array, or together with `dtype`, `copy` or `na_value`; an `na_value` that the
            dtype cannot hold.

        See Also
        --------
        pandas.Series.to_numpy : Takes the same arguments, except `writable`.
        """
        if type(copy) is not bool:
            raise TypeError(f"to_numpy: copy must be True or False (got {copy!r})")
        if type(writable) is not bool:
            raise TypeError(f"to_numpy: writable must be True or False (got {writable!r})")
        if dtype is not None or copy or na_value is not ...:
            if writable:
                raise ValueError(
                    "to_numpy: writable=True gives an alias, which has the array's own elements; drop it, or drop "
                    "dtype, copy and na_value"
                )
            return held_values(self, None if dtype is None else numpy_dtype(dtype), copy, na_value)
        if not writable:
            return snapshot(self)
        if not self.writeable:
            raise ValueError(
                "to_numpy: writable=True needs a writable array, and this one is read-only; "
                "copy it, or drop writable=True"
            )
        return export(self, EXPORT)

    def __array__(self, dtype=None, *, copy=None):
        return array_for_numpy(self, dtype, copy)

    def __getbuffer__(self, Py_buffer *view, int flags):
        if flags == PyBUF_FULL_RO and fill_buffer(self, view):
            return
        if may_alias() and fill_alias(self, view, flags):
            return
        if flags & PyBUF_FORMAT and loses_as_buffer(self.descr):
            raise BufferError(
                f"memoryview: the buffer protocol has no format for dtype {self.descr!r}; use x.to_numpy(), or view x "
                "as another dtype"
            )
        array = outgoing(self) if not flags & PyBUF_WRITABLE else (
            export(self, EXPORT) if self.writeable else const_header(self))
        # The view's owner is NumPy's array; it keeps the snapshot or the pin until the view is released.
        forward_buffer(array, view, flags)

    def __releasebuffer__(self, Py_buffer *view):
        # Never called: the view's owner is another object. But for types without this method, NumPy releases the buffer
        # at once and keeps a mere reference to the exporter.
        pass

    @property
    def __array_interface__(self):
        """dict: Shape, dtype and strides without ``data``, so that readers take the array's buffer.

        Inside `aliasing` and `simulate` it has ``data``, as NumPy's does: a pointer that is valid, and pins, as long as
        any array of the same Storage lives.
        """
        return interface_of(self)

    # As NumPy's arrays have it: it decides which side computes if a type has no ``__array_ufunc__``.
    __array_priority__ = 0.0

    @property
    def data(self):
        """memoryview: Read-only, of a snapshot."""
        return memoryview(self)

    @property
    def ctypes(self):
        """object: Pointers for `ctypes`. A writable export: an alias, which pins while this object lives.

        Inside `aliasing` it pins as long as any array of the same Storage lives: NumPy's pointers are valid that long.
        """
        cdef cnp.ndarray alias = addressed(self, CTYPES) if exports_alias() else export(self, CTYPES)
        # Pointers made from it keep this object, and so the array, as NumPy's do.
        return (<object>header_at(
            cnp.PyArray_BYTES(alias), descr_of(alias), cnp.PyArray_NDIM(alias), cnp.PyArray_DIMS(alias),
            cnp.PyArray_STRIDES(alias), cnp.PyArray_FLAGS(alias) & NPY_ARRAY_WRITEABLE, (self, alias)
        )).ctypes

    @property
    def __arrow_c_array__(self):
        """callable: Exports a snapshot to Arrow, if Arrow can take the array without conversion."""
        return arrow_exporter(self)

    @property
    def __arrow_array__(self):
        """callable: Lets `pyarrow.array` convert a snapshot to a type, as it converts NumPy's arrays."""
        return arrow_converter(self)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if copy is not None and type(copy) is not bool:
            copy = as_flag(copy)
        exported = header_for(self, DLPACK) if copy else export(self, DLPACK)
        if copy:
            allow_eager(cnp.PyArray_NBYTES(exported), ASKED_FOR)
        capsule = (<object>exported).__dlpack__(
            stream=stream, max_version=max_version, dl_device=dl_device, copy=copy
        )
        if copy:
            tell_eager(cnp.PyArray_NBYTES(exported), ASKED_FOR)
        return capsule

    def __dlpack_device__(self):
        return (<object>located_header(self)).__dlpack_device__()

    def __sizeof__(self):
        """Return the bytes of the object and, unless it is a view, of its elements, including those that it shares."""
        return object.__sizeof__(self) + (size_of(self) * itemsize_of(self) if self.birth != BORN_VIEW else 0)

    def __reduce_ex__(self, protocol):
        return reduce_array(self, protocol)

    @property
    def __jax_array__(self):
        """callable: Makes JAX's array of a snapshot. Present only after `register`: JAX asks for more than this."""
        return bound_provided("__jax_array__", self)

    def __array_namespace__(self, *, api_version=None):
        """Return the module `cowarray.array_api`, which has the functions of the array API standard."""
        return namespace(api_version)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return array_ufunc(self, ufunc, method, inputs, kwargs)

    def __array_function__(self, func, types, args, kwargs):
        return array_function(self, func, types, args, kwargs)

    def __len__(self):
        if self.nd == 0:
            raise TypeError("len() of unsized object")
        return self.dims[0]

    def __iter__(self):
        if self.nd == 0:
            raise TypeError("iteration over a 0-d array")
        return item_iterator(self)

    def __contains__(self, value):
        if leaves_lane(self) or is_handed_with(value, None):
            return take_road("ndarray.__contains__", _plain_contains, (self, value), {})
        return contains(self, value)

    def __bool__(self):
        if is_fake(self):
            return take_road("ndarray.__bool__", _plain_header, (self,), {})
        return bool(const_header(self))

    def __int__(self):
        if is_fake(self):
            return take_road("ndarray.__int__", _plain_header, (self,), {})
        return int(const_header(self))

    def __float__(self):
        if is_fake(self):
            return take_road("ndarray.__float__", _plain_header, (self,), {})
        return float(const_header(self))

    def __complex__(self):
        if is_fake(self):
            return take_road("ndarray.__complex__", _plain_header, (self,), {})
        return complex(const_header(self))

    def __round__(self, ndigits=None):
        # NumPy's arrays lack it, but its numbers have it: arrays without axes stand for those in plans and the like.
        if self.nd:
            raise TypeError(f"round: takes an array without axes (got {self.nd}); use x.round()")
        return round(self.item()) if ndigits is None else self.round(ndigits)

    def __index__(self):
        if is_fake(self):
            return take_road("ndarray.__index__", _plain_header, (self,), {})
        return (<object>const_header(self)).__index__()

    def __repr__(self):
        if is_unmade(self):
            return outline(self.shape, self.dtype, "fake" if is_fake(self) else "deferred")
        return repr(named(printable(self)))

    @property
    def flush(self):
        """callable: Does nothing. Present in planned programs, in which arrays stand for NumPy's memory maps."""
        return bound_provided("flush", self)

    @property
    def _repr_html_(self):
        """callable: Shows the array in a notebook. Absent in programs that are run as they are."""
        return bound_provided("_repr_html_", self)

    def __str__(self):
        return take_road("ndarray.__str__", _plain_header, (self,), {}) if is_fake(self) else str(printable(self))

    def __format__(self, spec):
        if not isinstance(spec, str):
            raise TypeError(f"__format__() argument must be str, not {type(spec).__name__}")
        if is_fake(self):
            return take_road("ndarray.__format__", _plain_header, (self, spec), {})
        return format(printable(self), spec)

    # ---- operators ---------------------------------------------------------------------------------------------------

    def __richcmp__(self, other, int op):
        return compare(self, other, op)

    def __neg__(self):
        return unary(self, PyNumber_Negative, ufunc_negative)

    def __pos__(self):
        return unary(self, PyNumber_Positive, ufunc_positive)

    def __abs__(self):
        return unary(self, PyNumber_Absolute, ufunc_absolute)

    def __invert__(self):
        return unary(self, PyNumber_Invert, ufunc_invert)

    def __add__(self, other):
        return binary(self, other, PyNumber_Add, ufunc_add, False)

    def __radd__(self, other):
        return binary(self, other, PyNumber_Add, ufunc_add, True)

    def __iadd__(self, other):
        return in_place(self, other, ufunc_add)

    def __sub__(self, other):
        return binary(self, other, PyNumber_Subtract, ufunc_subtract, False)

    def __rsub__(self, other):
        return binary(self, other, PyNumber_Subtract, ufunc_subtract, True)

    def __isub__(self, other):
        return in_place(self, other, ufunc_subtract)

    def __mul__(self, other):
        return binary(self, other, PyNumber_Multiply, ufunc_multiply, False)

    def __rmul__(self, other):
        return binary(self, other, PyNumber_Multiply, ufunc_multiply, True)

    def __imul__(self, other):
        return in_place(self, other, ufunc_multiply)

    def __truediv__(self, other):
        return binary(self, other, PyNumber_TrueDivide, ufunc_true_divide, False)

    def __rtruediv__(self, other):
        return binary(self, other, PyNumber_TrueDivide, ufunc_true_divide, True)

    def __itruediv__(self, other):
        return in_place(self, other, ufunc_true_divide)

    def __floordiv__(self, other):
        return binary(self, other, PyNumber_FloorDivide, ufunc_floor_divide, False)

    def __rfloordiv__(self, other):
        return binary(self, other, PyNumber_FloorDivide, ufunc_floor_divide, True)

    def __ifloordiv__(self, other):
        return in_place(self, other, ufunc_floor_divide)

    def __mod__(self, other):
        return binary(self, other, PyNumber_Remainder, ufunc_remainder, False)

    def __rmod__(self, other):
        return binary(self, other, PyNumber_Remainder, ufunc_remainder, True)

    def __imod__(self, other):
        return in_place(self, other, ufunc_remainder)

    def __lshift__(self, other):
        return binary(self, other, PyNumber_Lshift, ufunc_left_shift, False)

    def __rlshift__(self, other):
        return binary(self, other, PyNumber_Lshift, ufunc_left_shift, True)

    def __ilshift__(self, other):
        return in_place(self, other, ufunc_left_shift)

    def __rshift__(self, other):
        return binary(self, other, PyNumber_Rshift, ufunc_right_shift, False)

    def __rrshift__(self, other):
        return binary(self, other, PyNumber_Rshift, ufunc_right_shift, True)

    def __irshift__(self, other):
        return in_place(self, other, ufunc_right_shift)

    def __and__(self, other):
        return binary(self, other, PyNumber_And, ufunc_bitwise_and, False)

    def __rand__(self, other):
        return binary(self, other, PyNumber_And, ufunc_bitwise_and, True)

    def __iand__(self, other):
        return in_place(self, other, ufunc_bitwise_and)

    def __or__(self, other):
        return binary(self, other, PyNumber_Or, ufunc_bitwise_or, False)

    def __ror__(self, other):
        return binary(self, other, PyNumber_Or, ufunc_bitwise_or, True)

    def __ior__(self, other):
        return in_place(self, other, ufunc_bitwise_or)

    def __xor__(self, other):
        return binary(self, other, PyNumber_Xor, ufunc_bitwise_xor, False)

    def __rxor__(self, other):
        return binary(self, other, PyNumber_Xor, ufunc_bitwise_xor, True)

    def __ixor__(self, other):
        return in_place(self, other, ufunc_bitwise_xor)

    def __matmul__(self, other):
        return binary(self, other, PyNumber_MatrixMultiply, ufunc_matmul, False)

    def __rmatmul__(self, other):
        return binary(self, other, PyNumber_MatrixMultiply, ufunc_matmul, True)

    def __divmod__(self, other):
        return binary(self, other, PyNumber_Divmod, ufunc_divmod, False)

    def __rdivmod__(self, other):
        return binary(self, other, PyNumber_Divmod, ufunc_divmod, True)

    def __pow__(self, other, modulo):
        return NotImplemented if modulo is not None else binary(self, other, power, ufunc_power, False)

    def __rpow__(self, other, modulo):
        return NotImplemented if modulo is not None else binary(self, other, power, ufunc_power, True)

    def __ipow__(self, other):
        return in_place_by_numpy(self, other, ufunc_power, in_place_power)

    def __imatmul__(self, other):
        return in_place_by_numpy(self, other, ufunc_matmul, PyNumber_InPlaceMatrixMultiply)


cdef object raveled(Array self, object order):
    cdef Array quick = None
    if type(order) is str and order == "C" and not leaves_lane(self):
        quick = quick_ravel(self)
    return call_method(self, "ravel", (order,), {}) if quick is None else quick


cdef object reshape_to_lengths(object self, PyObject *const *shape, Py_ssize_t count):
    return None if leaves_lane(<Array>self) else quick_reshape(<Array>self, shape, count)


set_array_type(ndarray)
quicken(ndarray.__dict__["reshape"], reshape_to_lengths)
quicken(ndarray.__dict__["__array_ufunc__"], quick_ufunc)
count_items_from_the_front(ndarray)
end_quickly(ndarray)
seal(ndarray)
make_by(ndarray, new_array)
publish(ndarray, "cowarray.ndarray")
