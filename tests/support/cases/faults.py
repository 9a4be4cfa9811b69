"""Calls that matter when memory runs out: of all that only ours have, with what each does in the middle, one a line.

`shown` is a snapshot of `x`; `PATH` and `SAVED` name files. Nobody looks at what the results are.
"""

from support.cases import UNTOLD, cases

# Element-wise functions, by what they take.
OF_ONE = """
absolute arccos arccosh arcsin arcsinh arctan arctanh around cbrt conjugate deg2rad degrees exp2 fabs frexp modf rad2deg
radians rint spacing
abs acos acosh asin asinh atan atanh ceil conj cos cosh exp expm1 floor isfinite isinf isnan log log10 log1p log2
logical_not negative positive real reciprocal round sign signbit sin sinh sqrt square tan tanh trunc
"""
OF_TWO = """
arctan2 divmod float_power fmax fmin fmod heaviside logaddexp2 mod power true_divide
add atan2 copysign divide equal floor_divide greater greater_equal hypot less less_equal logaddexp logical_and
logical_or logical_xor maximum minimum multiply nextafter not_equal pow remainder subtract
"""
OF_INTEGERS = "bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor gcd lcm left_shift right_shift"

BINARY = "add and divmod floordiv lshift matmul mod mul or rshift sub truediv xor pow"
COMPARISONS = "eq ge gt le lt ne"
ALONE = "abs neg pos invert bool int float complex index len iter repr round str"
# Special methods of the array by name -> their arguments.
SPECIAL = {
    **{f"__{name}__": "(1.5)" for name in (*BINARY.split(), *COMPARISONS.split())},
    **{f"__r{name}__": "(2)" for name in BINARY.split()},
    **{f"__i{name}__": "(2)" for name in BINARY.split() if name != "divmod"},
    **{f"__{name}__": "()" for name in ALONE.split()},
    "__array__": '("f4", copy=None)',
    "__arrow_array__": "",  # calls pyarrow, if it is there: tests/clients
    "__arrow_c_array__": "()",
    "__array_function__": "(np.sort, (cowarray.ndarray,), (x,), {})",
    "__array_namespace__": "()",
    "__array_ufunc__": '(np.add, "__call__", x, 1)',
    "__class_getitem__": "(int)",
    "__contains__": "(3.0)",
    "__copy__": "()",
    "__deepcopy__": "({})",
    "__delitem__": "(0)",
    "__dlpack__": "(copy=True)",
    "__dlpack_device__": "()",
    "__format__": '("")',
    "__getitem__": "(0)",
    "__reduce_ex__": "(5)",
    "__setitem__": "(0, 2.0)",
    "__imatmul__": "(A(np.eye(4)))",
    "__matmul__": "(x)",
    "__rmatmul__": "(A(np.eye(4)))",
}

CASES = [
    *cases(
        """
        cowarray.array([1.0, 2.0])
        cowarray.array(x, ndmin=4)
        cowarray.array(x, "f4", order="F")
        cowarray.array(shown)
        cowarray.asarray(x, dtype="i4")
        cowarray.asarray(x, order="F")
        cowarray.asarray(shown)
        cowarray.asarray(shown, copy=False)
        cowarray.asarray(shown[1:], copy=True)
        cowarray.asarray(bytes(16))
        cowarray.asarray(memoryview(bytearray(16)))
        cowarray.asarray(memoryview(bytes(16)), copy=False)
        cowarray.asarray(np.frombuffer(b"12345678"))
        cowarray.asarray([[1, 2], [3, 4]])
        cowarray.asarray(5)
        cowarray.explain(x, among={"y": x.copy(), "z": x.to_numpy()}).svg(), str(cowarray.explain(x))
        cowarray.from_dlpack(x, copy=False)
        cowarray.from_dlpack(np.ones(3))
        cowarray.from_dlpack(np.ones(3), copy=False)
        cowarray.keep_freed(cowarray.keep_freed(0))
        cowarray.load(SAVED, pages=True)
        cowarray.paging(cowarray.paging("off"))
        cowarray.paging_memory()
        cowarray.register()
        cowarray.lazy_clone([1, 2])
        cowarray.load(SAVED)
        cowarray.load(SAVED, mmap_mode=None)
        cowarray.save(PATH, x)
        isinstance(x, cowarray.ndarray), cowarray.ndarray[int]
        isinstance(x.storage, cowarray.Storage)
        isinstance(x.flags, cowarray.Flags), isinstance(x.flat, cowarray.FlatIterator)
        isinstance(x.to_numpy().base, cowarray.Snapshot)
        cowarray.CopyError("text")
        tuple(cowarray.Explanation(*cowarray.explain(x)))
        str(cowarray.TraceEvent("copy", 8, "reason", "file", 3))
        str(cowarray.Sharer("lazy copy", "file", 3)), str(cowarray.Relative("x", "itself", 0, 8))
        str(cowarray.Site("file", 3))
        str(cowarray.Divergence("read", "add", 8, *[cowarray.Site("file", 3)] * 3))
        cowarray.AliasingError("text")
        cowarray.AliasingWarning("text")
        with cowarray.no_copy(): x.sum()
        with cowarray.no_copy(): x[...] = 3
        with cowarray.lend(x): np.asarray(x)[...] = 3
        with cowarray.lend(x, y): memoryview(x), np.asarray(y)
        cowarray.isolated(lambda one, many: one.fill(3))(x, [np.ones(3), (x, {"y": x[1:]})])
        cowarray.isolated(lambda one: [one, cowarray.asarray(one)], as_numpy=True)(x)
        cowarray.to_numpy(cowarray.wrap([x, np.ones(3), (x, {"y": x[1:]})]))
        with cowarray.simulate() as seen: x.sum(); len(seen); list(seen); repr(seen)
        with cowarray.fake() as seen: repr(seen), seen.lines, seen.peak_bytes
        repr(cowarray.fake_like(x, x[1:]))
        cowarray.is_fake(cowarray.fake_like(x))
        cowarray.FakeError("add", "reason", cowarray.Site("file", 3))
        str(cowarray.Line(cowarray.Site("file", 3), 1, 2, 3))
        with cowarray.deferred(): y = x + 1; y[0] = 3; cowarray.materialize(y)
        cowarray.materialize({"x": cowarray.deferred_init(cowarray.add, x, 1)})
        with cowarray.budget(1 << 20, small=0): y = x + 1; y[0] = 3; z = y.copy(); cowarray.evict(y); y + z
        cowarray.by_page(x); x.by_page()
        y = x.copy(); y[0] = 3; found = cowarray.changes(x, y); found.mask(), found.boxes(), repr(found)
        y = x.copy(); y[0] = 3; cowarray.merge(x, y, x)
        h = cowarray.History({"x": x}); h.state["x"][0] = 3; h.commit(); h.undo(); h.redo(); h.keep(last=1); h[1]
        cowarray.MergeConflict("text", []); cowarray.Changes((3,), (0,), 8, [])
        cowarray.save_async(PATH, x).result()
        with cowarray.by_descriptor(): cowarray.by_descriptor.stats()
        cowarray.Version(0, None, None, "", 0.0, {})
        with cowarray.aliasing(): x.reshape(-1)[0] = 3; np.asarray(x)
        cowarray.evict(x)
        x = x.checkpoint() * 2; x.evict(); x.is_checkpointed(); x.decheckpoint()
        y = cowarray.checkpoint(x) * 2; cowarray.evict(y); cowarray.decheckpoint(y); cowarray.is_checkpointed(y)
        cowarray.is_deferred([x, cowarray.deferred_init(cowarray.add, x, 1)])
        with cowarray.trace() as seen: x[...] = 3
        with cowarray.trace() as seen: x[0] = 3
        with cowarray.trace() as seen: x.sum(); len(seen); list(seen); repr(seen)
        with cowarray.trace() as seen: x.reshape(-1)[:1] += 3; len(seen); list(seen)
        with cowarray.trace() as seen: x.copy()[...] = 3; repr(seen)
        with cowarray.trace() as seen: y = x.copy(); y += 1; y.sum(); y = None; list(seen)
        x.storage, repr(x.storage)
        x.storage.nbytes, x.storage.is_cow, x.storage.share_count, x.storage.data_ptr, x.storage.own_nbytes
        x.ctypes.data, x.ctypes.shape
        x.data.tolist()
        x.dtype = "i8"
        x.dump(PATH)
        x.resize(7, 7)
        x.shape = (2, 8)
        x.shape = -1
        x.setflags(write=True, align=True)
        x.to_numpy(writable=True).fill(3.0)
        np.asarray(x)
        np.asarray(x[:1])
        np.array(x, "f4")
        memoryview(x[::-1, ::2])
        np.from_dlpack(x)
        np.shares_memory(x, x), np.may_share_memory(x, x)
        np.add(x, 1, out=x)
        np.add(x, x, out=x, where=x > 3)
        np.add.at(x, 0, 2)
        np.divmod(x, 3, out=(A(x), x))
        np.add.reduce(x, axis=0, keepdims=True)
        np.multiply.outer(x, x)
        np.frompyfunc(float, 1, 1)(x)
        np.sum(x, axis=0, out=x[0])
        np.cumsum(x, axis=0, out=x)
        x[1:] += 1
        x[0], x[1] = x[1], x[0]
        x[..., 0] = x[0]
        x[1, 1] = x[0, 0]
        x[A([0, 1])] += 1
        x.T[...] = x
        x[...] = [[1, 2, 3, 4]] * 4
        x[0, 0] = [7]
        x.flags.num, x.flags.owndata, x.flags.behaved, x.flags.carray, x.flags.farray
        x.flags["C"], x.flags["WRITEABLE"]
        x.flags.__getattr__("num"), x.flags.__getattribute__("num")
        x.flags.writeable = True
        x.flags["W"] = True
        x.flags.aligned = True
        repr(x.flags)
        x.flags == x.flags, x.flags != 3, x.flags.__lt__(3), x.flags.__le__(3), x.flags.__gt__(3), x.flags.__ge__(3)
        x.flags.__eq__(x.flags), x.flags.__ne__(3), x.flags.__getitem__("C"), x.flags.__repr__()
        x.flags.__setattr__("writeable", True), x.flags.__setitem__("W", True)
        x.flat.base, x.flat.index, x.flat.coords
        np.asarray(x.flat), x.flat.__array__("f4")
        next(x.flat), iter(x.flat), len(x.flat)
        list(x.flat)
        x.flat == 3, x.flat < x.flat
        x.flat.__eq__(3), x.flat.__ne__(3), x.flat.__lt__(3), x.flat.__le__(3), x.flat.__gt__(3), x.flat.__ge__(3)
        x.flat.__getitem__(3), x.flat.__iter__(), x.flat.__len__(), x.flat.__next__()
        x.flat[2:5] = 3
        x.flat[[1, 2]] = x[0, :2]
        x.flat.__setitem__(0, 3)
        """,
        gives=UNTOLD,
        tags="faults",
    ),
    *cases([f"x.{name}{arguments}" for name, arguments in SPECIAL.items()], gives=UNTOLD, tags="faults"),
    *cases([f"cowarray.{name}(x)" for name in OF_ONE.split()], gives=UNTOLD, tags="faults"),
    *cases([f"cowarray.{name}(x, x)" for name in OF_TWO.split()], gives=UNTOLD, tags="faults"),
    *cases([f"cowarray.{name}(A([1, 2]), A([3, 1]))" for name in OF_INTEGERS.split()], gives=UNTOLD, tags="faults"),
    *cases(
        """
        cowarray.bitwise_count(A([1, 2]))
        cowarray.bitwise_invert(A([1, 2]))
        cowarray.bitwise_not(A([1, 2]))
        cowarray.invert(A([1, 2]))
        cowarray.isnat(A([1, 2], 'm8[s]'))
        cowarray.ldexp(x, 2)
        cowarray.add(x, 1, out=x)
        cowarray.add(x, x, out=x, where=x > 3)
        cowarray.add(x, x, dtype='f4', casting='unsafe')
        cowarray.sqrt(x, out=x)
        cowarray.nan_to_num(x, copy=False)
        cowarray.fromfile(SAVED)
        with cowarray.errstate(all='ignore'): x.sum()
        with cowarray.printoptions(precision=3): str(x)
        cowarray.savez(PATH, x)
        cowarray.clip(x, 2, 5)
        cowarray.imag(x + 2j)
        cowarray.fft.fftfreq(4, dtype='f4')
        cowarray.linalg.LinAlgError('text')
        cowarray.matmul(x, x)
        cowarray.matmul(x, x, out=A(x))
        cowarray.matvec(x, x)
        cowarray.vecdot(x, x, axis=0)
        cowarray.vecmat(x, x)
        """,
        gives=UNTOLD,
        tags="faults",
    ),
]
