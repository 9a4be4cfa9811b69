# cython: freethreading_compatible=True
# cython: binding=False, embedsignature=True, embedsignature.format=clinic
"""The objects behind x.flags and x.flat, and the iterator over an array's items."""

import numpy as np

cimport cython
cimport numpy as cnp
from cpython.object cimport PyObject, PyObject_RichCompare

from cowarray._array.array cimport (
    access_to,
    adopt,
    Array,
    BORN_VIEW,
    const_header,
    descr_of,
    get_base,
    header_at,
    header_beside,
    is_array,
    located_header,
    size_of,
    writable_header,
)
from cowarray._array.exports cimport array_for_numpy, export
from cowarray._array.layout cimport MAXDIMS
from cowarray._c.numpy cimport NPY_ARRAY_WRITEABLE, NPY_VSTRING, PyArray_NewCopy, PyDataType_REFCHK
from cowarray._c.python cimport count_from_the_front, publish, seal
from cowarray._native.storage cimport Access, EXPORT, OPERATION, WRITES
from cowarray._ops.assigning cimport shown_value
from cowarray._ops.keys cimport settled, shown_key
from cowarray._ops.operands cimport as_standard, detached_void, is_handed_with, is_numpys_scalar, leaves_lane, take_road
from cowarray._ops.picking cimport A_FLAT_INDEX, narrow_to, new_picked, says_where
from cowarray._ops.reading cimport elements_alias, is_number, item_at, number_of, numbers_of

cnp.import_array()

cdef type numpy_void = np.void
cdef object numpy_empty = np.empty
cdef bint CRASHES_WITHOUT_INDEX = np.lib.NumpyVersion(np.__version__) < "2.4.0"


cdef bint is_one_place(object key):
    """True if a settled index of a flat iterator gives an element. A bool does: the first one, or none."""
    if type(key) is tuple and len(<tuple>key) == 1:
        key = (<tuple>key)[0]
    if cnp.PyArray_Check(key):
        return cnp.PyArray_NDIM(key) == 0
    return type(key) is int or type(key) is bool or type(key) is float or is_numpys_scalar(type(key))


cdef object flat_get(Array x, object key):
    cdef cnp.ndarray header
    shown = shown_key(settled(key, True))
    header = const_header(x)
    if descr_of(header).type_num == NPY_VSTRING:
        result = (<object>header).ravel()[shown]  # NumPy's own flat loses such text, and crashes
        return adopt(PyArray_NewCopy(result, cnp.NPY_CORDER)) if type(result) is cnp.ndarray else result
    result = (<object>header).flat[shown]
    if result is header:  # of an empty tuple NumPy before 2.4 makes the array itself
        return adopt(PyArray_NewCopy(header, cnp.NPY_CORDER))
    if type(result) is not cnp.ndarray:
        if not isinstance(result, numpy_void):
            return result
        return export(x, EXPORT, True).flat[shown] if elements_alias(x) else detached_void(result)
    if descr_of(header).type_num == cnp.NPY_OBJECT and is_one_place(shown):
        return result  # an element that is itself a NumPy array
    return adopt(result)


cdef bint is_copied_bit_by_bit(cnp.dtype descr) noexcept:
    """True if `numpy.ndarray.flat = values` copies such elements whole: plain ones, and references alone."""
    return descr.type_num == cnp.NPY_OBJECT or (descr.type_num != NPY_VSTRING and not PyDataType_REFCHK(descr))


cdef cnp.ndarray flat_model(Array x):
    """Return as many elements as x has, all in the memory of one (the base), for NumPy to try an index and value on."""
    cdef cnp.npy_intp size = size_of(x), step = 0
    cdef cnp.ndarray element = numpy_empty((), x.descr)
    return header_at(cnp.PyArray_BYTES(element), descr_of(element), 1, &size, &step, NPY_ARRAY_WRITEABLE, element)


cdef object one_place(object key, bint is_empty):
    """Return the flat position of the one element that an index gives (`is_one_place`); None if it gives none."""
    if type(key) is tuple:
        key = (<tuple>key)[0]
    if type(key) is bool or getattr(key, "dtype", None) == bool:
        return 0 if key and not is_empty else None
    return int(key)


cdef class _Refused:
    """A value whose conversion raised an error: it raises that error again when NumPy asks."""

    cdef object error

    def __array__(self, dtype=None, copy=None):
        raise self.error


cdef _Refused refused(object error):
    cdef _Refused value = _Refused.__new__(_Refused)
    value.error = error
    return value


cdef int flat_set(Array x, object key, object value, bint whole=False) except -1:
    """Assign x.flat[key] = value; whole: x.flat = value, for which NumPy flattens the value first."""
    cdef cnp.ndarray header, model
    cdef Access access
    cdef cnp.npy_intp box[2 * MAXDIMS]
    cdef bint one, kept, simple
    if not x.writeable:
        raise ValueError("assignment destination is read-only")
    # First the steps that may run user code: the index, then the value.
    where = shown_key(settled(key, True))
    if CRASHES_WITHOUT_INDEX and type(where) is tuple and not <tuple>where:
        raise IndexError("Assigning to a flat iterator with a 0-D index is not supported")
    one = not whole and is_one_place(where)
    kept = x.descr.type_num == cnp.NPY_OBJECT  # an element that is the value itself, as with NumPy
    simple = kept or (
        is_number(x.descr) and (type(value) is float or type(value) is int or is_numpys_scalar(type(value)))
    )
    if one and simple and type(where) is int:
        shown = value  # NumPy looks at the index, and then writes
    elif one:
        model = flat_model(x)
        (<object>model).flat[where] = shown_value(x, value) if is_array(value) and not kept else value
        where = one_place(where, cnp.PyArray_SIZE(model) == 0)
        if where is None:
            return 0
        shown = get_base(model)
        if kept or descr_of(model).type_num == cnp.NPY_VOID:
            shown = shown[()]  # NumPy copies objects in fields from a scalar, not from an array
    else:
        try:
            shown = shown_value(x, value)
        except Exception as error:
            if not whole:
                (<object>flat_model(x)).flat[where] = refused(error)  # NumPy may report a bad index first
            raise
    if not x.writeable:
        raise ValueError("assignment destination is read-only")
    if says_where(x):
        access = access_to(x, WRITES, OPERATION)
        narrow_to(&access, box, x, new_picked(A_FLAT_INDEX, where))
        header = writable_header(x, &access)
    else:
        header = writable_header(x, NULL)
    if is_array(value) and not one:
        shown = header_beside(<Array>value, header)
    if whole and is_copied_bit_by_bit(descr_of(header)):
        (<object>header).flat = shown
    elif whole:
        (<object>header).flat[...] = shown  # by the other door NumPy loses text of StringDType, and objects in fields
    else:
        (<object>header).flat[where] = shown
    return 0


cdef int flat_fill(Array x, object value) except -1:
    if leaves_lane(x) or is_handed_with(None, value):
        take_road("flatiter.__setitem__", _plain_flat_fill, (x, ..., value), {})
    else:
        flat_set(x, ..., value, True)
    return 0


def _plain_flat_fill(Array x not None, key, value):
    flat_set(x, key, value, True)


def _plain_flat_get(Array x not None, key):
    key = settled(key, True)
    result = flat_get(x, key)
    if not x.standard or (x.descr.type_num == cnp.NPY_OBJECT and is_one_place(key)):
        return result
    return as_standard(result)


def _plain_flat_set(Array x not None, key, value):
    flat_set(x, key, value)


# Both are no_gc: the collector would clear them before users' finalizers have had a last look at them.

@cython.final
@cython.no_gc
cdef class Flags:
    """Memory layout of an array, by attribute or by NumPy's keys; ``writeable`` can be set."""

    def __getattr__(self, name):
        header = located_header(self.of).flags
        if name == "writeable":
            return bool(self.of.writeable)
        if name == "owndata":
            return self.of.birth != BORN_VIEW
        if name == "behaved":
            return bool(header.aligned and self.of.writeable)
        if name == "carray":
            return bool(header.aligned and self.of.writeable and header.c_contiguous)
        if name == "farray":
            return bool(header.aligned and self.of.writeable and header.fortran and not header.c_contiguous)
        if name == "num":
            return header.num | (NPY_ARRAY_WRITEABLE if self.of.writeable else 0)
        return getattr(header, name)

    def __setattr__(self, name, value):
        if name == "writeable":
            self.of.setflags(write=value)
        elif name == "aligned":
            self.of.setflags(align=value)
        elif name == "writebackifcopy":
            self.of.setflags(uic=value)
        else:
            raise AttributeError(f"flags: {name!r} cannot be set")

    def __getitem__(self, key):
        names = {
            "C": "c_contiguous", "CONTIGUOUS": "c_contiguous", "F": "f_contiguous", "FORTRAN": "f_contiguous",
            "O": "owndata", "W": "writeable", "A": "aligned", "X": "writebackifcopy", "B": "behaved", "CA": "carray",
            "FA": "farray",
        }
        name = names.get(key, key.lower()) if isinstance(key, str) and key == key.upper() else None
        if name is None or name == "num":
            raise KeyError("Unknown flag")
        try:
            return getattr(self, name)
        except AttributeError:
            raise KeyError("Unknown flag") from None

    def __setitem__(self, key, value):
        names = {"W": "writeable", "WRITEABLE": "writeable", "A": "aligned", "ALIGNED": "aligned",
                 "X": "writebackifcopy", "WRITEBACKIFCOPY": "writebackifcopy"}
        if key not in names:
            raise KeyError("Unknown flag")
        setattr(self, names[key], value)

    def __eq__(self, other):
        return isinstance(other, (Flags, type(located_header(self.of).flags))) and self.num == other.num

    def __repr__(self):
        names = ("C_CONTIGUOUS", "F_CONTIGUOUS", "OWNDATA", "WRITEABLE", "ALIGNED", "WRITEBACKIFCOPY")
        return "".join(f"  {name} : {self[name]}\n" for name in names)


@cython.final
@cython.no_gc
cdef class FlatIterator:
    """The elements of an array in C order. Reading gives copies; assigning writes to the array."""

    @property
    def base(self):
        """ndarray: The array that is iterated over, itself."""
        return self.of

    @property
    def index(self):
        """int: Flat index of the next element."""
        return self.at

    @property
    def coords(self):
        """tuple of int: Coordinates of the next element."""
        cdef list coords = []
        cdef Py_ssize_t rest = self.at
        cdef int axis
        for axis in range(self.of.nd - 1, 0, -1):
            coords.append(rest % self.of.dims[axis] if self.of.dims[axis] else 0)
            rest = rest // self.of.dims[axis] if self.of.dims[axis] else 0
        if self.of.nd:
            coords.append(rest)
        return tuple(reversed(coords))

    def __len__(self):
        return size_of(self.of)

    def __iter__(self):
        return self

    def __next__(self):
        cdef Array x = self.of
        cdef Py_ssize_t at = self.at
        if at >= size_of(x):
            raise StopIteration
        self.at = at + 1
        cdef char *first = numbers_of(x)
        return flat_part(x, at) if first == NULL else number_of(x, first + flat_offset(x, at))

    def __getitem__(self, key):
        part = flat_part(self.of, key)
        self.at = 0  # as NumPy's, which walks to what it picks, and back
        return part

    def __setitem__(self, key, value):
        if leaves_lane(self.of) or is_handed_with(key, value):
            take_road("flatiter.__setitem__", _plain_flat_set, (self.of, key, value), {})
        else:
            flat_set(self.of, key, value)
        self.at = 0

    def __delitem__(self, key):
        raise TypeError("cannot delete array elements")

    def copy(self):
        """Copy the elements.

        Returns
        -------
        ndarray
            Fresh, with one axis.
        """
        return flat_part(self.of, slice(None))

    def __array__(self, dtype=None, *, copy=None):
        return array_for_numpy(flat_part(self.of, slice(None)), dtype, copy)

    def __richcmp__(self, other, int op):
        return PyObject_RichCompare(flat_part(self.of, slice(None)), other, op)


cdef object flat_part(Array x, object key):
    if leaves_lane(x) or is_handed_with(key, None):
        return take_road("flatiter.__getitem__", _plain_flat_get, (x, key), {})
    return flat_get(x, key)


@cython.final
cdef class ItemIterator:
    """The iterator that `iter` gives: the items along the first axis. Like Python's own, in fewer calls.

    It keeps its array after its end: threads may share it.
    """

    def __iter__(self):
        return self

    def __next__(self):
        cdef Array x = self.of
        cdef Py_ssize_t at = self.at
        if at < 0 or x.nd == 0 or at >= x.dims[0]:
            self.at = -1  # it has ended, whatever shape the array gets
            raise StopIteration
        cdef char *first = numbers_of(x) if x.nd == 1 else NULL
        item = item_at(x, at) if first == NULL else number_of(x, first + at * x.dims[1])
        self.at = at + 1
        return item

    def __length_hint__(self):
        return max(0, self.of.dims[0] - self.at) if self.at >= 0 and self.of.nd else 0

    def __reduce__(self):
        return (iter, ((),)) if self.at < 0 else (iter, (self.of,), self.at)

    def __setstate__(self, Py_ssize_t index):
        if self.at >= 0:
            self.at = max(0, index)


@cython.cdivision(True)
cdef inline cnp.npy_intp flat_offset(Array x, Py_ssize_t index) noexcept:
    """Return the bytes from x's first element to the one at an index in C order, which is in range."""
    cdef cnp.npy_intp offset = 0
    cdef int axis
    for axis in range(x.nd - 1, 0, -1):
        offset += index % x.dims[axis] * x.dims[x.nd + axis]
        index = index // x.dims[axis]
    return offset + index * x.dims[x.nd] if x.nd else offset


cdef object item_iterator(Array x):
    cdef ItemIterator items = ItemIterator.__new__(ItemIterator)
    items.of = x
    return items


cdef object flags_of(Array x):
    cdef Flags flags = Flags.__new__(Flags)
    flags.of = x
    return flags


cdef object flat_of(Array x):
    cdef FlatIterator flat = FlatIterator.__new__(FlatIterator)
    flat.of = x
    return flat


cdef object sequence_item(object x, Py_ssize_t index):
    checked(x, index)
    return item_at(<Array>x, index) if is_array(x) else x[index]


cdef int set_sequence_item(object x, Py_ssize_t index, PyObject *value) except -1:
    if value == NULL:
        raise ValueError("cannot delete array elements")
    x[checked(x, index)] = <object>value
    return 0


cdef Py_ssize_t checked(object x, Py_ssize_t index) except -1:
    if index < 0:
        size = len(x)
        raise IndexError(f"index {index - size} is out of bounds for axis 0 with size {size}")
    return index


cdef void count_items_from_the_front(type kind):
    count_from_the_front(kind, sequence_item, set_sequence_item)


count_items_from_the_front(FlatIterator)
seal(Flags)
seal(FlatIterator)
seal(ItemIterator)
publish(Flags, "cowarray.Flags")
publish(FlatIterator, "cowarray.FlatIterator")
