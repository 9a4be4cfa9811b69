"""How each public name is called, in the words of `calls.py`: `x` is the array under test, `A` makes another.

The calls of NumPy's functions and of most methods are those of `calls.py`, and of those of NumPy's functions that know
nothing of ours, of `numpy_namespace.py`. Here are the rest: what Python calls by itself (operators and protocols),
attributes that can be set, and the library's functions. `recipes_by_rule.py` makes those of ufuncs, and puts all
together.
"""

from typing import NamedTuple

from support.everyday_calls import BUFFERS, COMPUTING, COPYING, INDIRECT, SAVING

from cowarray._ops.table import COPY, FRESH, SAME, VIEW


class Recipe(NamedTuple):
    """One call. Name: as in `public.py`, where the source does not tell. Result: as in the table.

    Writes: what is written although the table has no row for it: "x", "out" (arguments of that name), or nothing.
    """

    source: str
    name: str = ""
    result: str = FRESH
    writes: str = ""


def recipes(lines, result=FRESH, writes="", name=""):
    return [Recipe(line.strip(), name, result, writes) for line in lines.split("\n") if line.strip()]


NUMBERS = "A([2., 3., 1., 4.])"
INTEGERS = "A([2, 3, 1, 4])"


def operators(names, other, result=FRESH, writes="", subject="x"):
    """An operator with another array, with the array itself, and with a number."""
    return [
        Recipe(f"{subject}.__{name}__({argument})", "", result, writes)
        for name in names.split()
        for argument in (other, "x", "2", "x[::-1]")
        if not (argument == "2" and "matmul" in name) and not (argument == other and name == "imatmul")
    ]


ARITHMETIC = "add sub mul truediv floordiv mod divmod pow matmul"
BITS = "and or xor lshift rshift"

METHODS = [
    *operators(ARITHMETIC, NUMBERS),
    *operators(" ".join("r" + name for name in ARITHMETIC.split()), NUMBERS),
    *operators(BITS, INTEGERS, subject="x.astype(int)"),
    *operators(" ".join("r" + name for name in BITS.split()), INTEGERS, subject="x.astype(int)"),
    *operators("lt le eq ne gt ge", NUMBERS),
    *operators("iadd isub imul itruediv ifloordiv imod ipow imatmul", NUMBERS, SAME, "x"),
    *recipes("x.__imatmul__(A(np.eye(4)))", SAME, "x"),
    *recipes(
        "\n".join(f"{subject}.__i{name}__({INTEGERS})" for name in BITS.split() for subject in ("x", "x.view('i8')")),
        SAME,
        "owner",
    ),
    *recipes(
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
        x.flags
        x.flat
        x.base
        x.storage
        x.dumps()
        x.dump(FILE())
        x.searchsorted(A([3.]))
        x.__reduce_ex__(2)
        x.__reduce_ex__(5)
        x.__dlpack_device__()
        x.__dlpack__(copy=True)
        x.__array__()
        x.__array__(copy=True)
        x.__array__(np.float32)
        x.to_numpy()
        x.data
        x.__array_namespace__()
        x.__array_namespace__(api_version="2022.12")
        x.__array_ufunc__(np.add, "__call__", x, A([1.]))
        x.__array_ufunc__(np.add, "reduce", x)
        x.__array_function__(np.sort, (type(x),), (x,), {})
        x.astype("i4").sum()
        memoryview(x)
        bytes(x)
        sorted(x.flat)
        """
    ),
    *recipes(
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
        x.resize((2, 3))
        x.resize((5, 5))
        x.ctypes
        x.to_numpy(writable=True)
        x.__dlpack__()
        x.__dlpack__(max_version=(1, 1))
        memoryview(x.to_numpy(writable=True))
        """,
        writes="x",
    ),
    *recipes("x.materialize()", SAME, "x"),
    # These change the array object, and no bytes.
    *recipes(
        """
        x.shape = (-1,)
        x.shape = x.shape
        x.dtype = "u8"
        x.setflags(write=False)
        x.setflags(write=True)
        x.flags.writeable = False
        x.flags.__setattr__("writeable", False)
        x.flags.__setitem__("WRITEABLE", False)
        """,
        writes="object",
    ),
    *recipes("[*x.__iter__()]", VIEW, name="ndarray.__iter__"),
    *recipes("x.__getitem__(0)\nx.__getitem__((..., slice(1, None)))\nx.__getitem__(())", VIEW),
    *recipes("x.__getitem__([0, 1])\nx.__getitem__(x > 3)\nx.__getitem__((A([0, 1]), 0))"),
    *recipes("x.lazy_clone()\nx.__copy__()\nx.__deepcopy__({})", COPY),
]

# Pieces of an array: its Storage, its flags, its iterator.
PIECES = [
    *recipes(
        """
        x.storage.data_ptr
        x.storage.is_cow
        x.storage.nbytes
        x.storage.share_count
        x.storage.__repr__()
        x.storage.__reduce__
        x.storage.__setstate__
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
        x.flat.copy()
        x.flat.index
        """
    ),
    Recipe("next(x.flat)", "FlatIterator.__next__"),
    *recipes("x.flat.base", SAME),
    *recipes(
        """
        x.flat.__setitem__(0, 5)
        x.flat.__setitem__(slice(1, 3), A([8., 9.]))
        x.flat.__setitem__([0, 1], x[0])
        x.flat.__setitem__(A([0, 1]), A([7.]))
        """,
        writes="x",
    ),
]

MODULE = [
    *recipes("cowarray.asarray(x)\ncowarray.asarray(x, copy=False)\ncowarray.array(x, copy=None)", SAME),
    *recipes(
        """
        cowarray.asarray(x, copy=True)
        cowarray.asarray(x, dtype="f4")
        cowarray.asarray(x, order="F", copy=True)
        cowarray.asarray(x.to_numpy())
        [cowarray.asarray(snapshot) for snapshot in [x.to_numpy()] * 2]
        [cowarray.from_dlpack(x), cowarray.from_dlpack(x)]
        cowarray.asarray(memoryview(x))
        cowarray.asarray(np.asarray(x)[1:])
        cowarray.array(x)
        cowarray.array(x, order="F")
        cowarray.array(x, ndmin=3)
        cowarray.array([x, x])
        cowarray.from_dlpack(x)
        cowarray.lazy_clone(x)
        cowarray.lazy_clone(x.to_numpy())
        """,
        COPY,
    ),
    *recipes(
        """
        cowarray.aliases(x, x[1:])
        cowarray.aliases(x, A([1.]))
        cowarray.aliases(x, x.to_numpy())
        cowarray.shares_bytes(x, x.copy())
        cowarray.shares_bytes(x, A([1.]))
        cowarray.explain(x)
        str(cowarray.explain(x))
        cowarray.stats()
        cowarray.reset_stats()
        cowarray.get_include()
        cowarray.keep_freed(64 << 20)
        cowarray.save(FILE(), x)
        cowarray.Materialization("copy", 0, "", 0)
        cowarray.CopyError(x)
        [*cowarray.trace().__enter__()]
        """
    ),
    *recipes(
        """
        cowarray.argsort(x, descending=True)
        cowarray.argsort(x, stable=False)
        cowarray.fft.fftfreq(4, dtype="f4")
        cowarray.fft.fftfreq(4, A(2.))
        cowarray.fft.rfftfreq(4, A(2.), "cpu")
        cowarray.linalg.LinAlgError(x)
        cowarray.sort(x, descending=True)
        cowarray.sort(x / (x - 3), axis=0, descending=True)
        cowarray.unique(x, sorted=False)
        """
    ),
    *recipes("cowarray.real(x.astype(complex))\ncowarray.imag(x.astype(complex))", VIEW),
    *recipes("cowarray.clip(x, 2, A([[5.]]))\ncowarray.clip(A([3.]), max=x)\ncowarray.round(x)\ncowarray.round(x, 1)"),
    Recipe("inside(cowarray.errstate(all='ignore'), lambda: x + 1)", "cowarray.errstate"),
    Recipe("inside(cowarray.printoptions(precision=3), lambda: str(x))", "cowarray.printoptions"),
    *[Recipe(call) for call in (*COMPUTING, *SAVING)],
    *[Recipe(call, result=COPY) for call in (*COPYING, *BUFFERS)],
    *[Recipe(call, f"cowarray.{name}") for name, call in INDIRECT.items()],
    *recipes("cowarray.clip(x, 2, 5, x)\ncowarray.round(x, 1, x)\ncowarray.fix(x, x)", SAME, "x"),
    Recipe("inside(cowarray.trace(), lambda: x + A([1.]))", "cowarray.trace"),
    Recipe("inside(cowarray.no_copy(), lambda: (x + 1, x.tolist(), x.sum()))", "cowarray.no_copy"),
    Recipe("inside(cowarray.no_copy(), lambda: x.__setitem__(0, 5))", "cowarray.no_copy", writes="x"),
    Recipe("cowarray.explain(x)._replace(made='')", "cowarray.Explanation"),
    Recipe("[cowarray.load(saved(x))]", "cowarray.load"),
    *recipes(
        """
        archive(x, A([1.])).__getitem__("arr_0")
        archive(x).__contains__("arr_0")
        archive(x).__enter__().__getitem__("arr_0")
        archive(x).__enter__()
        archive(x).__eq__(archive(x))
        archive(x).__exit__(None, None, None)
        archive(x).__iter__()
        archive(x).__len__()
        archive(x).__repr__()
        archive(x).__del__()
        archive(x).__class_getitem__(int)
        archive(x).__reversed__
        archive(x).__hash__
        archive(x).close()
        archive(x).files
        archive(x).get("arr_0")
        [*archive(x).items()]
        archive(x).items()
        archive(x).keys()
        archive(x).values()
        [*archive(x).values()]
        """
    ),
    # These make no instances; that they say so leaves everything as it was.
    Recipe("refused(cowarray.ndarray, x)", "cowarray.ndarray"),
    Recipe("refused(cowarray.Storage, x)", "cowarray.Storage"),
]
