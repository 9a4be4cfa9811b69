"""What Python calls by itself, attributes that are set, and the pieces of an array: its Storage, flags and iterator."""

from support.cases import cases

from cowarray._ops.table import COPY, FRESH, SAME, VIEW

NUMBERS = "A([2., 3., 1., 4.])"
INTEGERS = "A([2, 3, 1, 4])"


def operators(names, other, gives=FRESH, writes="", subject="x"):
    """An operator with another array, with the array itself, and with a number."""
    sources = [
        f"{subject}.__{name}__({argument})"
        for name in names.split()
        for argument in (other, "x", "2", "x[::-1]")
        if not (argument == "2" and "matmul" in name) and not (argument == other and name == "imatmul")
    ]
    return cases(sources, gives=gives, writes=writes, tags="isolation")


ARITHMETIC = "add sub mul truediv floordiv mod divmod pow matmul"
BITS = "and or xor lshift rshift"

CASES = [
    *operators(ARITHMETIC, NUMBERS),
    *operators(" ".join("r" + name for name in ARITHMETIC.split()), NUMBERS),
    *operators(BITS, INTEGERS, subject="x.astype(int)"),
    *operators(" ".join("r" + name for name in BITS.split()), INTEGERS, subject="x.astype(int)"),
    *operators("lt le eq ne gt ge", NUMBERS),
    *operators("iadd isub imul itruediv ifloordiv imod ipow imatmul", NUMBERS, SAME, "x"),
    *cases("x.__imatmul__(A(np.eye(4)))", gives=SAME, writes="x", tags="isolation"),
    *cases(
        "\n".join(f"{subject}.__i{name}__({INTEGERS})" for name in BITS.split() for subject in ("x", "x.view('i8')")),
        gives=SAME,
        writes="owner",
        tags="isolation",
    ),
    *cases(
        """
        x.__neg__()
        x.__pos__()
        x.__abs__()
        x.astype(int).__invert__()
        x.__bool__()
        x.__int__()
        x.__float__()
        x.__complex__()
        x.astype(int).__index__()
        x.__round__()
        x.__round__(1)
        x.__len__()
        x.__contains__(3.)
        x.__contains__(A([3.]))
        x.__repr__()
        x.__str__()
        x.__format__("")
        x.__class_getitem__(int)
        x.__hash__
        x.__delitem__
        x.shape
        x.strides
        x.dtype
        x.storage
        x.dump(FILE())
        x.searchsorted(A([3.]))
        x.__reduce_ex__(2)
        x.__reduce_ex__(5)
        x.__dlpack_device__()
        x.__dlpack__(copy=True)
        x.__array__()
        x.__array__(copy=True)
        x.__array__(np.float32)
        x.__array_namespace__()
        x.__array_namespace__(api_version="2022.12")
        x.__array_ufunc__(np.add, "__call__", x, A([1.]))
        x.__array_ufunc__(np.add, "reduce", x)
        x.__array_function__(np.sort, (type(x),), (x,), {})
        x.astype("i4").sum()
        bytes(x)
        sorted(x.flat)
        """,
        tags="isolation",
    ),
    *cases(
        """
        x.flags
        x.flat
        x.dumps()
        x.to_numpy()
        x.to_numpy(copy=True)
        x.to_numpy("f4")
        x.to_numpy(na_value=0)
        x.to_numpy("O", na_value=None)
        x.__array_interface__
        x.__array_priority__
        x.__sizeof__()
        x.__arrow_array__
        x.ravel().__arrow_c_array__()
        x.data
        memoryview(x)
        """,
    ),
    *cases(
        """
        x.__array_ufunc__(np.add, "__call__", x, A([1.]), out=(x,))
        x.__array_function__(np.copyto, (type(x),), (x, 5), {})
        x.real = A([7.])
        x.imag = A([7.])
        x.flat = A([7., 8.])
        x.__setitem__(0, 5)
        x.__setitem__(..., A([5.]))
        x.__setitem__([0, 1], x[1:3])
        x.__setitem__(A([True, False, True, False]), 5)
        x.resize((5, 5))
        x.ctypes
        x.__dlpack__()
        x.__dlpack__(max_version=(1, 1))
        memoryview(x.to_numpy(writable=True))
        """,
        writes="x",
        tags="isolation",
    ),
    *cases("x.resize((2, 3))\nx.to_numpy(writable=True)", writes="x"),
    *cases("x.materialize()", gives=SAME, writes="x"),
    *cases("x.checkpoint()", gives=COPY),
    *cases("x.decheckpoint()", gives=SAME),
    *cases("x.is_checkpointed()"),
    *cases('hasattr(x, "__jax_array__")', name="ndarray.__jax_array__", tags="isolation"),
    *cases('hasattr(x, "flush")', name="ndarray.flush", tags="isolation"),
    *cases("refused(lambda: x.evict())", name="ndarray.evict", tags="isolation"),
    # These change the array object, and no bytes.
    *cases(
        """
        x.shape = (-1,)
        x.shape = x.shape
        x.strides = x.strides
        x.dtype = "u8"
        x.setflags(write=False)
        x.setflags(write=True)
        x.flags.writeable = False
        x.flags.__setattr__("writeable", False)
        x.flags.__setitem__("WRITEABLE", False)
        """,
        writes="object",
        tags="isolation",
    ),
    *cases("[*x.__iter__()]", gives=VIEW, name="ndarray.__iter__", tags="isolation"),
    *cases(
        """
        x.__getitem__(0)
        x.__getitem__((..., slice(1, None)))
        x.__getitem__(())
        """,
        gives=VIEW,
        tags="isolation",
    ),
    *cases(
        """
        x.__getitem__([0, 1])
        x.__getitem__(x > 3)
        x.__getitem__((A([0, 1]), 0))
        """,
        tags="isolation",
    ),
    *cases("x.__copy__()\nx.__deepcopy__({})", gives=COPY, tags="isolation"),
    *cases("x.lazy_clone()", gives=COPY),
    *cases("x.by_page()", gives=SAME),
    # Pieces of an array: its Storage, its flags, its iterator.
    *cases(
        """
        x.storage.data_ptr
        x.storage.is_cow
        x.storage.nbytes
        x.storage.share_count
        x.storage.own_nbytes
        x.storage.__reduce__
        x.flags.__eq__(A([1]).flags)
        x.flags.__ne__(A([1]).flags)
        x.flags.__ge__
        x.flags.__gt__
        x.flags.__le__
        x.flags.__lt__
        x.flags.__hash__
        x.flags.__getattr__("c_contiguous")
        x.flags.__getattribute__("writeable")
        x.flags.__getitem__("OWNDATA")
        x.flags.__repr__()
        x.flags.__delattr__
        x.flags.__delitem__
        x.flags.__reduce__
        x.flat.__array__()
        x.flat.__array__(np.float32)
        x.flat.__array__(copy=True)
        x.flat.__getitem__(0)
        x.flat.__getitem__(slice(1, 3))
        x.flat.__getitem__(slice(None))
        x.flat.__getitem__([0, 1])
        x.flat.__getitem__(A([0, 1]))
        x.flat.__iter__()
        x.flat.__len__()
        x.flat.__eq__(x.flat)
        x.flat.__ge__(A([3.]))
        x.flat.__gt__(3.)
        x.flat.__le__(3.)
        x.flat.__lt__(3.)
        x.flat.__ne__(3.)
        x.flat.__hash__
        x.flat.__delitem__
        x.flat.__reduce__
        x.flat.coords
        x.flat.index
        """,
        tags="isolation",
    ),
    *cases("x.base", gives=VIEW),
    *cases("x.storage.__repr__()\nx.flat.copy()"),
    *cases("next(x.flat)", name="FlatIterator.__next__", tags="isolation"),
    *cases("x.flat.base", gives=SAME, tags="isolation"),
    *cases(
        """
        x.flat.__setitem__(0, 5)
        x.flat.__setitem__(slice(1, 3), A([8., 9.]))
        x.flat.__setitem__([0, 1], x[0])
        x.flat.__setitem__(A([0, 1]), A([7.]))
        """,
        writes="x",
        tags="isolation",
    ),
]
