"""What only `cowarray` has: its own functions, classes and modes, and parameters that NumPy's functions have not.

`inside`, `refused`, `saved` and `archive` are helpers (`prepared.py`, `public.py`).
"""

from support.cases import cases

from cowarray._ops.table import COPY, SAME, VIEW

CASES = [
    *cases("cowarray.asarray(x, copy=False)\ncowarray.array(x, copy=None)", gives=SAME, tags="isolation"),
    *cases("cowarray.asarray(x)", gives=SAME),
    *cases(
        """
        cowarray.array_api.asarray(x)
        cowarray.array_api.asarray(x)[1:]
        cowarray.array_api.asarray(x).T
        cowarray.asarray(cowarray.array_api.asarray(x))
        cowarray.array_api.permute_dims(x, (1, 0))
        """,
        gives=VIEW,
    ),
    *cases(
        """
        cowarray.array_api.asarray(x).copy()
        cowarray.array_api.asarray(x).reshape(-1)
        cowarray.array_api.reshape(x, (-1,))
        cowarray.array_api.from_dlpack(x)
        """,
        gives=COPY,
    ),
    *cases(
        """
        cowarray.array_api.asarray(x)[(0,) * x.ndim]
        cowarray.array_api.asarray(x) + 1
        cowarray.array_api.asarray(x).flat[1]
        np.add(cowarray.array_api.asarray(x), x)
        cowarray.array_api.argmax(x, axis=-1)
        cowarray.array_api.eye(3, 4, k=1)
        cowarray.array_api.zeros((2, 3))
        cowarray.array_api.empty((2, 3))
        cowarray.array_api.finfo(x)
        cowarray.array_api.iinfo("i4")
        cowarray.array_api.take_along_axis(x, x.astype(int) * 0, axis=0)
        cowarray.array_api.var(x, correction=1.0)
        [*cowarray.array_api.asarray(x).flat]
        np.zeros(2, like=cowarray.array_api.asarray(x))
        """,
    ),
    *cases(
        """
        cowarray.asarray(x, dtype="f4")
        cowarray.asarray(x, order="F", copy=True)
        cowarray.asarray(x.to_numpy())
        [cowarray.asarray(snapshot) for snapshot in [x.to_numpy()] * 2]
        [cowarray.from_dlpack(x), cowarray.from_dlpack(x)]
        cowarray.asarray(memoryview(x))
        cowarray.asarray(np.asarray(x)[1:])
        cowarray.array(x, order="F")
        cowarray.array(x, ndmin=3)
        cowarray.array([x, x])
        cowarray.lazy_clone(x.to_numpy())
        """,
        gives=COPY,
        tags="isolation",
    ),
    *cases(
        """
        cowarray.asarray(x, copy=True)
        cowarray.array(x)
        cowarray.from_dlpack(x)
        cowarray.lazy_clone(x)
        """,
        gives=COPY,
    ),
    *cases(
        """
        cowarray.aliases(x, A([1.]))
        cowarray.aliases(x, x.to_numpy())
        cowarray.shares_bytes(x, A([1.]))
        cowarray.explain(x)
        str(cowarray.explain(x))
        cowarray.explain(x, among={"x": x, "y": x.copy(), "z": x.to_numpy()}).svg()
        cowarray.Relative("x", "itself", 0, 8)
        cowarray.keep_freed(64 << 20)
        cowarray.paging()
        cowarray.paging(cowarray.paging())
        cowarray.paging_memory()
        cowarray.TraceEvent("copy", 0, "", "", 0)
        cowarray.Sharer("lazy copy", "", 0)
        cowarray.CopyError(x)
        cowarray.Site("", 0)
        cowarray.FakeError("", "", None)
        cowarray.Line((), 0, 0, 0)
        cowarray.Divergence("read", "add", 0, (), (), ())
        cowarray.Changes((3,), (0,), 8, [])
        cowarray.MergeConflict("", [])
        cowarray.Version(0, None, None, "", 0.0, {})
        cowarray.AliasingError(x)
        cowarray.AliasingWarning(x)
        (lambda seen: inside(seen, lambda: [*seen]))(cowarray.trace())
        """,
        tags="isolation",
    ),
    *cases(
        """
        cowarray.aliases(x, x[1:])
        cowarray.shares_bytes(x, x.copy())
        cowarray.stats()
        cowarray.reset_stats()
        cowarray.get_include()
        cowarray.save(FILE(), x)
        """,
    ),
    *cases(
        """
        cowarray.argsort(x, stable=False)
        cowarray.fft.fftfreq(4, dtype="f4")
        cowarray.fft.fftfreq(4, A(2.))
        cowarray.fft.rfftfreq(4, A(2.), "cpu")
        cowarray.linalg.LinAlgError(x)
        cowarray.sort(x, descending=True)
        cowarray.unique(x, sorted=False)
        """,
        tags="isolation",
    ),
    *cases(
        """
        cowarray.argsort(x, descending=True)
        cowarray.sort(x / (x - 3), axis=0, descending=True)
        """,
    ),
    *cases("cowarray.real(x.astype(complex))\ncowarray.imag(x.astype(complex))", gives=VIEW, tags="isolation"),
    *cases(
        """
        cowarray.clip(x, 2, A([[5.]]))
        cowarray.clip(A([3.]), max=x)
        cowarray.round(x)
        cowarray.round(x, 1)
        """,
        tags="isolation",
    ),
    *cases("inside(cowarray.errstate(all='ignore'), lambda: x + 1)", name="cowarray.errstate", tags="isolation"),
    *cases(
        "inside(cowarray.printoptions(precision=3), lambda: str(x))", name="cowarray.printoptions", tags="isolation"
    ),
    *cases(
        """
        cowarray.clip(x, 2, 5, x)
        cowarray.round(x, 1, x)
        cowarray.fix(x, x)
        """,
        gives=SAME,
        writes="x",
        tags="isolation",
    ),
    *cases("inside(cowarray.trace(), lambda: x + A([1.]))", name="cowarray.trace", tags="isolation"),
    *cases("inside(cowarray.aliasing(), lambda: x + A([1.]))", name="cowarray.aliasing", tags="isolation"),
    *cases("inside(cowarray.simulate(), lambda: x + A([1.]))", name="cowarray.simulate", tags="isolation"),
    *cases(
        "inside(cowarray.fake(), lambda: (cowarray.is_fake(x + 1), x.tolist()))", name="cowarray.fake", tags="isolation"
    ),
    *cases("cowarray.is_fake(x)", name="cowarray.is_fake", tags="isolation"),
    *cases(
        "inside(cowarray.fake(), lambda: repr(cowarray.fake_like(x, x[1:])))",
        name="cowarray.fake_like",
        tags="isolation",
    ),
    *cases("inside(cowarray.budget('1 MiB'), lambda: x + A([1.]))", name="cowarray.budget", tags="isolation"),
    *cases("cowarray.checkpoint(x)", gives=COPY, name="cowarray.checkpoint", tags="isolation"),
    *cases("cowarray.decheckpoint(x)", gives=SAME, name="cowarray.decheckpoint", tags="isolation"),
    *cases("cowarray.by_page(x)", gives=SAME, name="cowarray.by_page", tags="isolation"),
    *cases("cowarray.changes(x, x.copy()).mask()", name="cowarray.changes", tags="isolation"),
    *cases("cowarray.merge(x, x.copy())", gives=COPY, name="cowarray.merge", tags="isolation"),
    *cases("cowarray.History({'x': x}).state['x']", gives=COPY, name="cowarray.History", tags="isolation"),
    *cases("str(cowarray.save_async('/', x).exception())", name="cowarray.save_async", tags="isolation"),
    *cases("cowarray.by_descriptor.stats()['lost']", name="cowarray.by_descriptor", tags="isolation"),
    *cases("cowarray.is_checkpointed(x)", name="cowarray.is_checkpointed", tags="isolation"),
    *cases("refused(cowarray.evict, x)", name="cowarray.evict", tags="isolation"),
    *cases("inside(cowarray.deferred(), lambda: x + A([1.]))", name="cowarray.deferred", tags="isolation"),
    *cases("cowarray.deferred_init(cowarray.add, x, 1)", name="cowarray.deferred_init", tags="isolation"),
    *cases("cowarray.is_deferred([x])", name="cowarray.is_deferred", tags="isolation"),
    *cases("cowarray.materialize([x])", gives=SAME, name="cowarray.materialize", tags="isolation"),
    *cases(
        "inside(cowarray.no_copy(), lambda: (x + 1, x.tolist(), x.sum()))", name="cowarray.no_copy", tags="isolation"
    ),
    *cases(
        "inside(cowarray.no_copy(), lambda: x.__setitem__(0, 5))", name="cowarray.no_copy", writes="x", tags="isolation"
    ),
    *cases(
        "inside(cowarray.lend(x), lambda: np.asarray(x).__setitem__(..., 5))",
        name="cowarray.lend",
        writes="x",
        tags="isolation",
    ),
    *cases("cowarray.register()", name="cowarray.register", tags="isolation"),
    *cases("cowarray.isolated(lambda one: one)(x)", gives=COPY, name="cowarray.isolated", tags="isolation"),
    *cases(
        "cowarray.isolated(lambda one, many: many['two'][0].sum())(x, {'two': [x, A([1.])]})",
        "cowarray.isolated(lambda one: one, as_numpy=True)(x)",
        name="cowarray.isolated",
        tags="isolation",
    ),
    *cases("cowarray.wrap(x)\ncowarray.wrap([x])[0]", gives=COPY, name="cowarray.wrap", tags="isolation"),
    *cases("cowarray.wrap({'two': [x, (A([1.]), x)]})['two'][1]", name="cowarray.wrap", tags="isolation"),
    *cases("cowarray.to_numpy([x])[0].sum()", name="cowarray.to_numpy", tags="isolation"),
    *cases("cowarray.explain(x)._replace(made='')", name="cowarray.Explanation", tags="isolation"),
    *cases("[cowarray.load(saved(x))]", name="cowarray.load", tags="isolation"),
    *cases(
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
        """,
        tags="isolation",
    ),
    # These make no instances; that they say so leaves everything as it was.
    *cases("cowarray.ndarray((2, 3), 'i4')", name="cowarray.ndarray", tags="isolation faults unset"),
    *cases("cowarray.ndarray((2,), 'u1', x)", name="cowarray.ndarray", gives=VIEW, tags="isolation faults"),
    *cases("cowarray.ndarray((2, 2), 'i4', bytes(16))", name="cowarray.ndarray", tags="isolation faults unset"),
    *cases("cowarray.lib.stride_tricks.broadcast_arrays(x)", gives=VIEW, tags="isolation"),
    *cases("cowarray.lib.stride_tricks.broadcast_to(x, (2, *x.shape))", gives=VIEW, tags="isolation"),
    *cases("cowarray.lib.stride_tricks.broadcast_shapes(x.shape, (1,))", tags="isolation"),
    *cases("cowarray.lib.stride_tricks.as_strided(x, (2,), (0,))", gives=VIEW, tags="isolation faults"),
    *cases("cowarray.lib.stride_tricks.as_strided(x, writeable=False)", gives=VIEW, tags="isolation faults"),
    *cases("cowarray.lib.stride_tricks.sliding_window_view(x, 2, 0)", gives=VIEW, tags="isolation faults"),
    *cases(
        "cowarray.lib.stride_tricks.sliding_window_view(x, 1, 0, writeable=True)", gives=VIEW, tags="isolation faults"
    ),
    *cases("refused(cowarray.Storage, x)", name="cowarray.Storage", tags="isolation"),
    *cases("refused(cowarray.Snapshot, x)", name="cowarray.Snapshot", tags="isolation"),
    *cases("refused(cowarray.Flags, x)", name="cowarray.Flags", tags="isolation"),
    *cases("refused(cowarray.FlatIterator, x)", name="cowarray.FlatIterator", tags="isolation"),
]
