"""Methods, attributes, indices and operators as a program writes them: NumPy's arrays have them, too."""

from support.cases import TABLE, cases

CASES = [
    *cases(
        """
        x.T
        x.mT
        x.all()
        x.any(0)
        x.argmax(0)
        x.argmin()
        x.argpartition(1)
        x.argsort(-1)
        x.astype(float)
        x.astype(float, order="F")
        x.astype(int)
        x.astype(x.dtype, copy=False)
        x.astype(">f8")
        x.byteswap()
        x.byteswap(True)
        x.byteswap(inplace=True)
        A([0, 1, 1, 0]).choose([x, -x])
        x.clip(2, 5)
        x.compress([True, False], axis=0)
        x.conj()
        x.conjugate()
        (x + 1j).conj()
        x.copy()
        x.copy("F")
        x.copy("A")
        x.copy(order="K")
        x.cumprod(0)
        x.cumsum()
        x.device
        x.diagonal()
        x.diagonal(1)
        x.dot(x)
        x.dtype
        x.fill(3)
        x.flags.c_contiguous, x.flags.f_contiguous, x.flags.writeable, x.flags.aligned, x.flags["C"], x.flags.fnc
        x.flat[1]
        x.flat[1:3]
        x.flat[[0, 1]]
        [element for element in x.flat]
        len(x.flat), x.flat.index, x.flat.coords
        x.flat.copy()
        x.flat = [5, 6]
        x.flat[1:3] = A([8., 9.])
        x.flat[0] = 4
        x.flatten()
        x.flatten("F")
        x.getfield("u4", 4)
        x.imag
        (x + 2j).imag
        x.item()
        x.item(-1)
        x.itemsize
        x.max(axis=0)
        x.mean(0)
        x.min()
        x.nbytes
        x.ndim
        x.nonzero()
        x.partition(1)
        x.partition(0, axis=0)
        x.prod(0)
        x.put([0, 1], [8, 9])
        x.put(A([0]), A([5.]), "clip")
        x.ravel()
        x.ravel("F")
        x.ravel(order="K")
        x.real
        x.real = 3
        x.repeat(2, axis=0)
        x.reshape(-1)
        x.reshape(x.shape)
        x.reshape(-1, 2, order="F")
        x.reshape((1, *x.shape))
        x.reshape(*x.shape[::-1])
        x.reshape(-1, copy=False)
        x.reshape(x.shape[::-1], order="F", copy=False)
        x.round(1)
        x.searchsorted(2.)
        x.setfield(1, "u4", 4)
        x.shape
        x.size
        x.sort()
        x.sort(axis=0, kind="stable")
        x.squeeze()
        x.squeeze(axis=0)
        x.std(0)
        x.strides if x.size else ()
        x.sum()
        x.sum(axis=-1, keepdims=True)
        x.swapaxes(0, -1)
        x.take([0, -1])
        x.take(A([0]), axis=0, mode="clip")
        x.to_device("cpu")
        x.tobytes()
        x.tobytes("F")
        x.tofile(FILE())
        x.tolist()
        x.trace()
        x.transpose()
        x.transpose(1, 0)
        x.transpose((1, 0))
        x.var()
        x.view()
        x.view("i8")
        x.view("u1")
        x[0]
        x[-1, ...]
        x[1:]
        x[..., None]
        x[...]
        x[()]
        x[::-2]
        x[0, 1:, None]
        x[[0, 1]]
        x[A([True, False, True, False])]
        x[x > 3]
        x[A([0, 1]), 0]
        x[A([0, 1]), None, :1]
        x[0] = 5
        x[...] = 5
        x[:] = A([5.])
        x[1:] = x[:-1]
        x[::-1] = x
        x[x > 3] = 0
        x[[0, 1]] = A([7.])
        x[..., 0] = [1]
        x += 1
        x -= x
        x *= A([2.])
        x /= 2
        x //= x[::-1]
        x %= 3
        x **= 2
        x @= A(np.eye(4))
        copy.copy(x)
        copy.deepcopy(x)
        pickle.loads(pickle.dumps(x, 5))
        pickle.loads(pickle.dumps(x, 2))
        [row for row in x]
        2. in x
        len(x)
        bool(x)
        int(x)
        float(x)
        complex(x)
        operator.index(x.astype(int))
        repr(x)
        str(x)
        format(x)
        format(x, ".2f")
        divmod(x, 3)
        divmod(3, x)
        -x
        +x
        abs(x)
        ~(x > 3)
        x ** 2
        2 ** x
        x @ x
        A(np.eye(4)) @ x
        x + 1, x - x, x * A([2.]), x / 3, x // 2, x % 2, 1 + x, 1 - x, 2 * x, 1 / x, 5 // x, 5 % x
        x < 3, x <= 3, x == 3, x != 3, x > 3, x >= x
        (x > 3) & (x < 6), (x > 3) | (x < 2), (x > 3) ^ True, True & (x > 3), False | (x > 3), True ^ (x > 3)
        x.astype(int) << 1, x.astype(int) >> 1, 1 << x.astype(int), 100 >> x.astype(int)
        x == "text", x != None, x == None, x == [1.]
        """,
        gives=TABLE,
        tags="method isolation faults",
    ),
    *cases("x.setflags(write=False)", gives=TABLE, writes="object", tags="method isolation faults"),
    *cases("hash(x)\ndel x[0]", gives=TABLE, tags="method isolation faults fails"),
    *cases(
        """
        x <<= 1
        x >>= 1
        x &= 1
        x |= 1
        x ^= 1
        ~x
        x & 1
        x += 1
        x //= 2
        x **= 2
        x.byteswap(True)
        """,
        gives=TABLE,
        tags="integers isolation faults",
    ),
]
