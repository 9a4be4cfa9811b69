# What x.flags and x.flat are. Included by _ndarray.pyx.


cdef bint is_one_place(object key):
    """Whether a settled index of a flat iterator gives an element: also truth, which is the first or none."""
    if type(key) is tuple and len(<tuple>key) == 1:
        key = (<tuple>key)[0]
    if cnp.PyArray_Check(key):
        return cnp.PyArray_NDIM(key) == 0
    return type(key) is int or type(key) is bool or type(key) is float or type(key) in SCALAR_TYPES


# The collector may not clear these two, which it would do before user code has had its last look at them.


@cython.final
@cython.no_gc
cdef class Flags:
    """Memory layout of an array, by attribute or by NumPy's keys; ``writeable`` can be set."""

    cdef ndarray of

    def __getattr__(self, name):
        header = const_header(self.of).flags
        if name == "writeable":
            return bool(self.of.writeable)
        if name == "owndata":
            return self.of.made != MADE_VIEW
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
        return isinstance(other, (Flags, type(const_header(self.of).flags))) and self.num == other.num

    def __repr__(self):
        names = ("C_CONTIGUOUS", "F_CONTIGUOUS", "OWNDATA", "WRITEABLE", "ALIGNED", "WRITEBACKIFCOPY")
        return "".join(f"  {name} : {self[name]}\n" for name in names)


@cython.final
@cython.no_gc
cdef class FlatIterator:
    """The elements of an array in C order. Reading gives copies; assigning writes to the array."""

    cdef ndarray of
    cdef Py_ssize_t at

    @property
    def base(self):
        """ndarray: The array that is iterated over."""
        return self.of

    @property
    def index(self):
        """int: Of the next element, flat."""
        return self.at

    @property
    def coords(self):
        """tuple of int: Of the next element."""
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
        if self.at >= size_of(self.of):
            raise StopIteration
        self.at += 1
        return self[self.at - 1]

    def __getitem__(self, key):
        cdef cnp.ndarray header
        shown = shown_key(settled(key, True))
        header = const_header(self.of)
        if descr_of(header).type_num == NPY_VSTRING:
            result = (<object>header).ravel()[shown]  # where NumPy's own flat loses text, and crashes
            return adopt(PyArray_NewCopy(result, cnp.NPY_CORDER)) if type(result) is numpy_ndarray_type else result
        result = (<object>header).flat[shown]
        if type(result) is not numpy_ndarray_type:
            return detached_void(result) if isinstance(result, numpy_void) else result
        if descr_of(header).type_num == cnp.NPY_OBJECT and is_one_place(shown):
            return result  # an element that is itself a NumPy array
        return adopt(result)

    def __setitem__(self, key, value):
        cdef cnp.ndarray header
        if not self.of.writeable:
            raise ValueError("assignment destination is read-only")
        where = shown_key(settled(key, True))
        shown = shown_value(self.of, value)
        header = writable_header(self.of)
        if type(value) is ndarray:
            shown = header_beside(<ndarray>value, header)
        (<object>header).flat[where] = shown

    def __delitem__(self, key):
        raise TypeError("cannot delete array elements")

    def copy(self):
        """The elements as a fresh array with one axis."""
        return self[:]

    def __array__(self, dtype=None, *, copy=None):
        return numpy_from_snapshot(self[:], dtype, copy)

    def __richcmp__(self, other, int op):
        return PyObject_RichCompare(self[:], other, op)
