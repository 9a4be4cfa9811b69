"""Functions that no dispatch of NumPy's reaches, as no argument is an array, and parameters that only ours have."""

from support.cases import TABLE, cases

CASES = [
    *cases(
        """
        cowarray.arange(5)
        cowarray.arange(2, 10, 3)
        cowarray.arange(10., stop=2., step=-2., dtype="f4", device="cpu")
        cowarray.arange(np.datetime64("2024-01-01"), np.datetime64("2024-01-05"))
        cowarray.asanyarray(x, "i4")
        cowarray.ascontiguousarray(x)
        cowarray.asfortranarray(x)
        cowarray.broadcast_arrays(1, x)
        cowarray.broadcast_shapes(x.shape, (1,), 4)
        cowarray.broadcast_to(3., [2, 3])
        cowarray.concat([[1], [2, 3]])
        cowarray.diag_indices(3, 3)
        cowarray.empty([0, 3], "i2")
        cowarray.eye(2, 3, k=1, dtype="i4", order="F", device="cpu")
        cowarray.finfo(np.float32).tiny
        cowarray.fromfunction(lambda i, j: i + j, (2, 3), dtype=int)
        cowarray.fromiter(iter([1, 2]), float, 1)
        cowarray.fromstring("1 2", "i8", sep=" ")
        cowarray.full([2, 3], 7)
        cowarray.full((2, *x.shape), x)
        cowarray.geomspace(1, 1000, 4)
        cowarray.identity(3, "c8")
        cowarray.iinfo(np.int8).max
        cowarray.indices((2, 3))
        cowarray.indices((2, 3), "i2", sparse=True)
        cowarray.isdtype(x.dtype, ("real floating", "bool"))
        cowarray.issubdtype(x.dtype, np.floating)
        cowarray.linspace(0, 1, 5, endpoint=False, device="cpu")
        cowarray.linspace(0, 1, num=3, retstep=True)
        cowarray.logspace(0, 3, 4, base=2)
        cowarray.mask_indices(3, np.triu)
        cowarray.mask_indices(3, lambda a, k: a - np.eye(3), 1)
        cowarray.meshgrid(x[0], [1, 2], indexing="ij")
        cowarray.ones([2, 3], dtype=bool, device="cpu")
        cowarray.ones_like(x, shape=[2], device="cpu")
        cowarray.promote_types(x.dtype, "i8")
        cowarray.require(x, "f8", ["C", "W", "O"])
        cowarray.stack([x, x], out=A(np.zeros((2, *x.shape))))
        cowarray.tri(3, 4, -1, dtype="u1")
        cowarray.tril_indices(3, -1, 4)
        cowarray.triu_indices(3, m=4)
        cowarray.fft.fftfreq(4)
        cowarray.fft.fftfreq(5, .5, "cpu")
        cowarray.fft.rfftfreq(4)
        cowarray.fft.rfftfreq(5, d=.5)
        cowarray.zeros([2, 3], "i4", "F", device="cpu")
        """,
        gives=TABLE,
        tags="namespace isolation faults",
    ),
]
