"""Calls that only matter when user code comes between a look and an act.

Indices, values and flags that are looked at twice, text narrower than its target, arrays as elements, division by 0.
`y` is another array of the shape of `x`, and `PATH(x)` names a file that holds it.
"""

from support.cases import cases

from cowarray._ops.table import SAME, VIEW

CASES = [
    *cases(
        """
        x[:]
        x[0:]
        x[1:3]
        x[::2]
        x[:, 1:]
        x[A(0), ...]
        x[A(1)]
        x[0, ...]
        x[..., 0]
        x[(0,)]
        x.view(x.dtype)
        cowarray.array(x, copy=None, ndmin=8)
        cowarray.broadcast_to(x, (3, *x.shape))
        cowarray.moveaxis(x, 0, -1)
        cowarray.squeeze(x)
        cowarray.flip(x, 0)
        """,
        gives=VIEW,
        tags="gaps",
    ),
    *cases(
        """
        x[:] = y
        x[...] = y
        x[0:] = y
        x[1:3] = y[1:3]
        x[:] = 3
        x[A(0)] = 3
        x[A([True, False, True, False])] = 3
        x[[0, 1]] = y[:2]
        x[0] = 3
        x[(0,)] = 3
        x[-1, -1] = 3
        x[()] = 3
        x += y
        x -= 1
        x *= x
        x /= 0
        x /= y
        x //= 0
        x %= 0
        x **= 2
        x.flat[0] = 3
        x.flat[:] = y
        x.flat[(0,)] = 3
        x.flat[[0, 1]] = 3
        x.flat = y
        x.real = y
        x.fill(3)
        x.put([0, 1], [8, 9])
        x.sort(axis=0, kind="stable")
        x.partition(1, axis=0)
        x.byteswap(inplace=True)
        x.setfield(1, "u1", 0)
        np.add(x, y, out=x)
        np.add(y, y, out=x)
        np.add(x, y, out=(x,))
        np.add(y, y, out=x, where=y > 3)
        np.add(y, y, x)
        np.add.at(x, [0, 1], 1)
        np.add.reduce(x, axis=0, out=x[0])
        np.add.accumulate(x, axis=0, out=x)
        np.divide(x, 0, out=x)
        np.log(x - x, out=x)
        np.matmul(y, y, out=x)
        np.einsum("ij,jk->ik", y, y, out=x)
        np.copyto(x, y)
        np.copyto(x, y, where=y > 3)
        np.place(x, x > 3, [1, 2])
        np.putmask(x, x > 3, y)
        np.put(x, [0], [9])
        np.fill_diagonal(x, 3)
        np.put_along_axis(x, A([[1, 0, 1, 0]]), 7, 0)
        np.clip(x, 1, 2, out=x)
        np.strings.add(y, y, out=x)
        np.add(A([["a"] * 4] * 4), A([["b"] * 4] * 4), out=x)
        np.add(A([[b"a"] * 4] * 4), A([[b"b"] * 4] * 4), out=x)
        np.strings.multiply(A(["ab"]), 2, out=x)
        np.strings.upper(y)
        np.frompyfunc(lambda a, b: a, 2, 1)(x, y, out=x, casting="unsafe")
        cowarray.add(x, y, out=x)
        cowarray.sqrt(x, out=x)
        cowarray.multiply(y, y, out=x, where=y > 3)
        x.__array_ufunc__(np.add, "__call__", x, x, out=x)
        x.__array_ufunc__(np.add, "__call__", x, y, out=(x,), where=y > 3)
        x.__array_ufunc__(np.add, "at", x, [0], 1)
        x.__array_function__(np.copyto, (type(x),), (x, y), {})
        """,
        gives=SAME,
        writes="x",
        tags="gaps",
    ),
    *cases(
        """
        x[0]
        x[1, 1]
        x.item(0)
        x.flat[0]
        x.flat[(0,)]
        x.flat[()]
        x.flat[np.array(0)]
        x.flat[A(0)]
        """,
        tags="gaps",
    ),
    *cases(
        """
        x.flat[1:3]
        x.flat[[0, 1]]
        x[[0, 1]]
        x[x > 3]
        x[A([0, 1]), 0]
        x[[True, False, True, False]]
        x + y
        x + 1
        1 + x
        y / x
        x / 0
        x // 0
        x @ y
        x == y
        x < 3
        divmod(x, y)
        x ** y
        -x
        y in x
        np.add(x, y)
        np.add(x, 1)
        np.divide(x, 0)
        np.log(x - x)
        np.sqrt(-x)
        np.add.reduce(x, axis=0)
        np.add.reduce(x, axis=(0, 1))
        np.add.reduceat(x, [0, 1])
        np.add.outer(x, y)
        np.multiply(x, y, dtype="f8", casting="unsafe", order="C")
        np.sum(x, axis=0)
        np.sum(x, axis=(0,))
        np.max(x, axis=0, initial=0)
        np.take(x, 0)
        np.take(x, [0], axis=0)
        np.compress([True, False], x, axis=0)
        np.choose([0, 1], [x[:2], y[:2]])
        np.where(x > 1, x, y)
        np.concatenate([x, y])
        np.stack([x, y], axis=0)
        np.vstack((x, y))
        np.block([[x, y]])
        np.dot(x, y)
        np.einsum("ij,jk->ik", x, y)
        np.tensordot(x, y, axes=1)
        np.searchsorted(x[0], y)
        np.histogram(x, bins=3, range=(0, 5))
        np.interp(x, [0, 1], [2, 3])
        np.apply_along_axis(lambda row: row, 0, x)
        np.piecewise(x, [x < 3, x >= 3], [lambda part: part, lambda part: -part])
        np.vectorize(lambda value: value)(x)
        np.fromiter(iter([x, y]), object)
        np.frompyfunc(lambda value: value, 1, 1)(x)
        np.array2string(x, formatter={"all": lambda value: "v"})
        cowarray.array([x, y])
        cowarray.array([[1, 2], [3, 4]], dtype="f8")
        cowarray.array(x, dtype="i4")
        cowarray.array(x, ndmin=5)
        cowarray.asarray([1, 2])
        cowarray.asarray((1, 2), dtype="f4")
        cowarray.full((2, 2), 3)
        cowarray.full_like(x, 3)
        cowarray.arange(0, 5, 1)
        cowarray.linspace(0, 1, 5)
        cowarray.zeros((2, 2), dtype="f4")
        cowarray.fromiter(iter([1, 2]), "f8")
        cowarray.fromfunction(lambda i, j: i, (2, 2))
        cowarray.concat([x, y])
        cowarray.where(x > 1, x, y)
        cowarray.take(x, A([0, 1]), axis=0)
        cowarray.sum(x, axis=0)
        cowarray.loadtxt(["1 2", "3 4"], like=x)
        cowarray.loadtxt(["1 2", "3 4"], converters={0: lambda text: 1.0})
        cowarray.loadtxt(["1 2", "3 4"], dtype="f8", delimiter=" ")
        cowarray.genfromtxt(["1 2", "3 4"], like=x)
        cowarray.genfromtxt(["1 2", "3 4"], converters={0: lambda text: 1.0})
        cowarray.array([1, 2], like=x)
        cowarray.asarray([1, 2], like=x)
        cowarray.frombuffer(b"12345678", like=x)
        cowarray.from_dlpack(y)
        cowarray.aliases(x, y)
        cowarray.shares_bytes(x, y)
        cowarray.save(FILE(), x)
        cowarray.save(FILE(), [x, y])
        cowarray.savetxt(FILE(), x)
        cowarray.load(saved(x))
        x.tofile(FILE())
        x.dump(FILE())
        pickle.dumps(x, 5)
        pickle.dumps(x, 5, buffer_callback=lambda buffer: None)
        pickle.loads(pickle.dumps(x, 5))
        copy.copy(x)
        copy.deepcopy([x, y])
        memoryview(x)
        bytes(x)
        np.asarray(x)
        np.array(x, dtype="f4")
        x.__array__(np.float32)
        x.__array__(copy=True)
        x.__dlpack__(copy=True)
        x.to_numpy("f4", na_value=0)
        x.__array_interface__
        x.ravel().__arrow_c_array__()
        x.tobytes(order="F")
        x.choose([y, y])
        x.clip(1, 3)
        x.cumsum(axis=0)
        x.take([0, 1], axis=0, mode="clip")
        x.repeat(2, axis=0)
        x.searchsorted(1)
        x.sum(axis=0, keepdims=True, where=y > 1)
        x.round(decimals=1)
        x.argsort(axis=0)
        x.flags["WRITEABLE"]
        x.__array_ufunc__(np.add, "__call__", x, y)
        x.__array_ufunc__(np.add, "reduce", x, axis=0)
        x.__array_ufunc__(np.add, "outer", x, y)
        x.__array_function__(np.sort, (type(x),), (x,), {})
        """,
        tags="gaps",
    ),
    *cases(
        """
        cowarray.load(PATH(x), mmap_mode='r')
        cowarray.load(PATH(x))
        cowarray.lazy_clone(x)
        x.copy()
        """,
        tags="gaps",
    ),
    *cases(
        """
        x.reshape(-1)
        x.reshape((2, 8))
        x.reshape(x.shape)
        x.ravel()
        x.astype('f8')
        x.astype(dtype='f4')
        """,
        tags="gaps",
    ),
    *cases(
        """
        x.copy(order='F')
        x.flatten('F')
        cowarray.reshape(x, (-1,))
        np.roll(x, 1, axis=0)
        np.repeat(x, 2)
        """,
        tags="gaps",
    ),
    *cases(
        """
        x.shape = (2, 8)
        x.shape = -1
        x.strides = 8
        x.dtype = "i1"
        x.dtype = "u8"
        x.resize((2, 3))
        x.resize(7, 7)
        x.resize(40)
        x.setflags(write=True)
        x.setflags(write=False)
        x.flags.writeable = True
        x.flags["WRITEABLE"] = False
        """,
        gives=SAME,
        writes="object",
        tags="gaps",
    ),
    *cases(
        """
        x.to_numpy(writable=True)
        x.ctypes
        x.__dlpack__()
        np.from_dlpack(x)
        """,
        gives=SAME,
        writes="x",
        tags="gaps leaves",
    ),
    *cases(
        """
        cowarray.asarray(y.to_numpy(), copy=False)
        cowarray.from_dlpack(y, copy=False)
        """,
        gives=SAME,
        tags="gaps trusts",
    ),
    *cases(
        """
        x.view(np.ndarray)
        x.view(np.recarray)
        """,
        gives=VIEW,
        writes="x",
        tags="gaps leaves",
    ),
    *cases(
        """
        cowarray.empty((3, 3))
        cowarray.empty_like(x)
        np.empty_like(x)
        """,
        tags="gaps unset",
    ),
]
