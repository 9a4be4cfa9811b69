"""What the namespace has beside the array API standard. Read as `np.`, each is NumPy's, and gives the same.

`x` is 4 by 4 where the call works at all.
"""

from support.cases import cases

from cowarray._ops.table import COPY

CASES = [
    # Results are fresh, or no arrays.
    *cases(
        """
        cowarray.allclose(x, A([[3.]]))
        cowarray.angle(x + 1j)
        cowarray.angle(x, True)
        cowarray.apply_along_axis(lambda v: v[::-1], 0, x)
        cowarray.apply_along_axis(lambda v, w: v.sum() + w, -1, x, 3)
        cowarray.apply_over_axes(np.sum, x, [0, 1])
        cowarray.around(x, 1)
        cowarray.array2string(x, precision=2)
        cowarray.array_equal(x, A([1.]))
        cowarray.array_equiv(x, x)
        cowarray.array_repr(x)
        cowarray.array_str(x)
        cowarray.base_repr(5, 3)
        cowarray.binary_repr(5, 8)
        cowarray.fix(x - 2.5)
        cowarray.format_float_positional(1.5)
        cowarray.format_float_scientific(1.5)
        cowarray.getbufsize()
        cowarray.geterr()
        cowarray.geterrcall()
        cowarray.i0(x)
        cowarray.isclose(x, A([[3.]]), atol=1)
        cowarray.iscomplex(x)
        cowarray.iscomplexobj(x)
        cowarray.isfortran(x)
        cowarray.isneginf(x)
        cowarray.isposinf(x)
        cowarray.isreal(x)
        cowarray.isrealobj(x)
        cowarray.isscalar(x)
        cowarray.iterable(x)
        cowarray.may_share_memory(x, x[1:])
        cowarray.piecewise(x, [x > 3], [lambda v: v * 2, 0])
        cowarray.poly(x)
        cowarray.polyadd(x[0], A([1., 2.]))
        cowarray.polyder(x[0])
        cowarray.polydiv(x[0], A([1., 2.]))
        cowarray.polyfit(x[0], x, 1)
        cowarray.polyfit(A([0., 1., 3., 4.]), x[0], 1, full=True)
        cowarray.polyint(x[0])
        cowarray.polymul(x[0], A([1., 2.]))
        cowarray.polysub(x[0], A([1., 2.]))
        cowarray.polyval(A([1., 2.]), x)
        cowarray.polyadd(np.poly1d([1., 2.]), x[0])
        cowarray.polyder(np.poly1d([1., 2.]))
        cowarray.polydiv(x[0], np.poly1d([1., 2.]))
        cowarray.polyint(np.poly1d([1., 2.]), k=A([1.]))
        cowarray.polymul([1., 2.], np.poly1d([1., 2.]))
        cowarray.polysub(np.poly1d([1., 2.]), x[0])
        cowarray.polyval(x[0], np.poly1d([1., 2.]))
        cowarray.polyval(np.poly1d([1., 2.]), x)
        cowarray.roots(x[0])
        cowarray.roots(A([1., 2., -3.]))
        cowarray.savetxt(FILE(), x)
        cowarray.setbufsize(cowarray.getbufsize())
        cowarray.seterrcall(cowarray.geterrcall())
        cowarray.seterr(**cowarray.geterr())
        cowarray.set_printoptions(**cowarray.get_printoptions())
        cowarray.shares_memory(x, x[1:])
        cowarray.sinc(x)
        cowarray.bartlett(4)
        cowarray.blackman(4)
        cowarray.hamming(4)
        cowarray.hanning(4)
        cowarray.kaiser(4, 2.5)
        cowarray.min_scalar_type(x)
        cowarray.packbits(x > 3)
        cowarray.packbits(x > 3, axis=1, bitorder="little")
        cowarray.unpackbits(A([[2, 7]], "u1"))
        cowarray.unpackbits(A([[2, 7]], "u1"), 1, 3)
        cowarray.busday_count(A(["2024-01-01"], "M8[D]"), np.datetime64("2024-02-01"))
        cowarray.busday_offset(A(["2024-01-01", "2024-01-06"], "M8[D]"), [1, 2], "forward", holidays=["2024-01-02"])
        cowarray.is_busday(A(["2024-01-01", "2024-01-06"], "M8[D]"))
        cowarray.is_busday(A(["2024-01-01"], "M8[D]"), busdaycal=np.busdaycalendar("1000000"))
        cowarray.datetime_as_string(A(["2024-01-01"], "M8[D]"), "h")
        cowarray.datetime_data(np.dtype("M8[D]"))
        cowarray.unwrap(x)
        cowarray.unwrap(x, axis=0, period=4)
        cowarray.fromfile(TEXT(), "u1")
        cowarray.fromregex(TEXT(), rb"([0-9])", [("a", "i4")])
        cowarray.genfromtxt(TEXT())
        cowarray.genfromtxt(TEXT(), unpack=True, ndmin=2)
        cowarray.loadtxt(TEXT())
        cowarray.loadtxt(TEXT(), unpack=True, ndmin=2)
        cowarray.loadtxt(TEXT(), dtype="i4,i4,i4", unpack=True)
        cowarray.frombuffer(bytes(16))
        cowarray.frombuffer(bytearray(16), "i4", 2, 4)
        """,
        tags="everyday isolation faults",
    ),
    # It has a name more than NumPy's.
    *cases("cowarray.get_printoptions()", tags="isolation faults"),
    # Archives and their like are no arrays to compare.
    *cases(
        """
        cowarray.savez(FILE(), x, more=x[1:])
        cowarray.savez_compressed(FILE(), x)
        """,
        tags="isolation faults",
    ),
    # Results are copies in meaning.
    *cases(
        """
        cowarray.nan_to_num(x)
        cowarray.polyder(x[0], 0)
        cowarray.polyint(x[0], 0)
        cowarray.real_if_close(x)
        cowarray.real_if_close(x + 1e-20j)
        """,
        gives=COPY,
        tags="everyday isolation faults",
    ),
    # Of arrays in C order only; what order a snapshot has, is ours to say.
    *cases(
        """
        cowarray.frombuffer(x.to_numpy())
        cowarray.frombuffer(x, "u1", 8, 8)
        """,
        gives=COPY,
        tags="isolation faults",
    ),
    # What is indexed.
    *cases("cowarray.c_[x, x[0]]", name="cowarray.c_", tags="everyday isolation faults"),
    *cases("cowarray.mgrid[0:3, 0:1:4j]", name="cowarray.mgrid", tags="everyday isolation faults"),
    *cases("cowarray.ogrid[0:3, 0:1:4j]", name="cowarray.ogrid", tags="everyday isolation faults"),
    *cases("cowarray.r_[x[0], 0, 1:5, [2.5]]", name="cowarray.r_", tags="everyday isolation faults"),
    *cases("cowarray.r_['1', x, x]", name="cowarray.r_", tags="everyday isolation faults"),
    *cases("cowarray.s_[1:2, ...]", name="cowarray.s_", tags="isolation faults"),
    *cases("cowarray.index_exp[1:2]", name="cowarray.index_exp", tags="isolation faults"),
    *cases("cowarray.busdaycalendar(holidays=['2024-01-01'])", name="cowarray.busdaycalendar", tags="isolation faults"),
    # The methods of all ufuncs are the same code.
    *cases(
        """
        cowarray.add.accumulate(x)
        cowarray.add.outer(x[0], A([1., 2.]))
        cowarray.add.reduce(x)
        cowarray.add.reduce(x, axis=None, where=A(x > 3))
        cowarray.add.reduceat(x, [0, 1])
        """,
        name="cowarray.add",
        tags="everyday isolation faults",
    ),
    *cases("cowarray.add.at(x, [0, 0], A([[2., 3., 1., 4.]] * 2))", name="cowarray.add", writes="x", tags="isolation"),
    # The name that the call is about does not come first.
    *cases(
        "cowarray.frompyfunc(lambda a: a + 1, 1, 1)(x)", name="cowarray.frompyfunc", tags="everyday isolation faults"
    ),
    *cases("[*cowarray.ndenumerate(x)]", name="cowarray.ndenumerate", tags="everyday isolation faults"),
    *cases("[*cowarray.ndindex(2, 3)]", name="cowarray.ndindex", tags="everyday isolation faults"),
    *cases("[item.item() for item in cowarray.nditer(x)]", name="cowarray.nditer", tags="everyday isolation faults"),
    *cases(
        "[[item.item() for item in cowarray.nested_iters(x, [[0], [1]])[1]]]",
        name="cowarray.nested_iters",
        tags="everyday isolation faults",
    ),
    *cases(
        "cowarray.vectorize(lambda a, b: a + b)(x, A([[1.], [2.], [3.], [4.]]))",
        name="cowarray.vectorize",
        tags="everyday isolation faults",
    ),
]
