"""What NumPy has that does not ask an array who computes, and what comes of it when it is given ours.

Words in braces stand for one another: a line is a case for each. `family`, `Class` and `rng` stand for more of them
(`numpy_namespace.py`).
"""

from support.cases import cases

from cowarray._ops.table import VIEW

CASES = [
    *cases(
        """
        np.asmatrix(x)
        np.bmat([[x, x], [x, x]])
        np.broadcast(x, A([1., 2., 3., 4.])).shape
        [*np.broadcast(x, A([1., 2., 3., 4.]))]
        np.broadcast_shapes(A([2, 1]), (3,))
        np.diag_indices(A(2), A(2))
        np.frompyfunc(lambda a, b: a + b, 2, 1)(x, A([1., 2., 3., 4.]))
        np.info(x, output=io.StringIO())
        np.isfortran(x)
        np.isscalar(x)
        np.iterable(x)
        np.mask_indices(4, lambda m, k: x)
        np.matrix(x)
        np.matrix(x, copy=False)
        [(at, item) for at, item in np.ndenumerate(x)]
        [float(item) for item in np.nditer(x)]
        [(float(one), float(other)) for one, other in np.nditer([x, A([1., 2., 3., 4.])])]
        np.poly1d(A([1., 2.]))
        np.poly1d(A([1., 2.]), r=True)
        np.poly1d([1., 2.])(x)
        np.poly1d([1., 2.]).integ(k=A([1.]))
        np.poly1d([1., 2.]).__add__(A([1., 2.]))
        np.poly1d([1., 2.]).__radd__(A([1., 2.]))
        np.poly1d([1., 2.]).__sub__(A([1., 2.]))
        np.poly1d([1., 2.]).__rsub__(A([1., 2.]))
        np.poly1d([1., 2.]).__mul__(A([1., 2.]))
        np.poly1d([1., 2.]).__rmul__(A([1., 2.]))
        np.poly1d([1., 2.]).__truediv__(A([1., 2.]))
        np.poly1d([1., 2.]).__rtruediv__(A([1., 2.]))
        np.ufunc.__call__(np.add, x, A([1.]))
        np.strings.count(A(["aba", "b"]), A(["b"]))
        np.strings.endswith(A(["ab", "b"]), A(["b"]))
        np.strings.find(A(["ab", "b"]), A(["b"]), A([0]), end=A([2]))
        np.strings.index(A(["ab", "b"]), A(["b"]))
        np.strings.lstrip(A([" ab", "b"]), chars=A([" "]))
        np.strings.rfind(A(["ab", "b"]), A(["b"]))
        np.strings.rindex(A(["ab", "b"]), A(["b"]))
        np.strings.rstrip(A(["ab ", "b"]))
        np.strings.slice(A(["abc", "b"]), A([1]))
        np.strings.startswith(A(["ab", "b"]), prefix=A(["a"]))
        np.strings.strip(A(["ab ", "b"]))
        np.char.multiply(A(["ab", "c"]), A([2, 3]))
        np.char.partition(A(["a-b", "c"]), sep=A(["-"]))
        np.char.rpartition(A(["a-b", "c"]), "-")
        np.char.chararray((2,), 2, buffer=memoryview(A([b"ab", b"b"]).view("u1")))
        np.rec.find_duplicate(A([1, 2, 1]))
        np.rec.fromarrays([x, A([[1.] * 4] * 4)])
        np.rec.fromarrays(arrayList=[A([1., 2.])], names="a")
        np.rec.fromrecords(A(R))
        np.rec.fromrecords(recList=A(R))
        np.rec.array([A([1., 2.]), A([3, 4])])
        np.rec.fromstring(memoryview(A(R).view("u1")), R.dtype)
        np.recarray((2,), [("a", "f8")], buf=memoryview(x))
        [block.tolist() for block in np.lib.Arrayterator(x)]
        np.lib.array_utils.normalize_axis_tuple(A([0, 1]), 2)
        np.lib.array_utils.normalize_axis_index(A(1), 2)
        np.lib.format.write_array(FILE(), x)
        np.lib.format.header_data_from_array_1_0(x)
        np.lib.user_array.container(x)
        np.lib.user_array.container(x) + x
        np.testing.assert_(x.any())
        np.testing.assert_allclose(x, x + 1e-9)
        np.testing.assert_allclose(x, A([1.]))
        np.testing.assert_approx_equal(A(1.), A(1.))
        np.testing.assert_array_almost_equal(x, x)
        np.testing.assert_array_almost_equal(x, -x)
        np.testing.assert_array_almost_equal_nulp(x, x)
        np.testing.assert_array_almost_equal_nulp(x, -x)
        np.testing.assert_array_compare(lambda a, b: a == b, x, x)
        np.testing.assert_array_compare(lambda a, b: a == b, x, -x)
        np.testing.assert_array_equal(x, x, strict=True)
        np.testing.assert_array_equal(actual=x, desired=-x)
        np.testing.assert_array_less(x, x + 1)
        np.testing.assert_array_less(x, x)
        np.testing.assert_no_warnings(np.sum, x)
        np.testing.assert_raises(ValueError, np.reshape, x, (5, 7))
        np.testing.assert_raises_regex(ValueError, "cannot reshape", np.reshape, x, (5, 7))
        np.testing.build_err_msg([x, x], "differ")
        np.ma.testutils.assert_almost_equal(A(1.), A(1.))
        np.ma.testutils.assert_array_almost_equal(x, x)
        np.ma.testutils.assert_array_approx_equal(x, x)
        np.ma.testutils.assert_array_compare(lambda a, b: a == b, x, x)
        np.ma.testutils.assert_array_equal(x, -x)
        np.ma.testutils.assert_array_less(x, x + 1)
        np.ma.testutils.assert_equal_records(A(R)[0], A(R)[0])
        np.ma.testutils.assert_mask_equal(x, x)
        np.ma.testutils.fail_if_array_equal(x, -x)
        np.ma.mrecords.fromarrays([A([1, 2]), A([3., 4.])])
        np.ma.mrecords.addfield(np.ma.mrecords.fromrecords(R), A([5, 6]))
        [np.ma.mrecords.MaskedRecords((2,), R.dtype, mask=A([True, False])).mask.tolist()]
        np.ma.{MaskedArray masked_object masked_values}(x, 3.)
        np.ma.{abs absolute negative conjugate cos cosh exp fabs floor ceil}(x)
        np.ma.{tan tanh sin sinh log log10 log2 sqrt logical_not}(x)
        np.ma.{arccos arccosh arcsin arcsinh arctan arctanh angle around}(x)
        np.ma.{round round_ copy anom anomalies all alltrue any}(x)
        np.ma.{argmax argmin average corrcoef cov count count_masked cumprod cumsum}(x)
        np.ma.{diagflat diagonal diff ediff1d fix_invalid getmask}(x)
        np.ma.{isMA isMaskedArray is_mask is_masked isarray}(x)
        np.ma.{atleast_1d atleast_2d atleast_3d clump_masked clump_unmasked}(x)
        np.ma.{common_fill_value set_fill_value masked_where}(x, x)
        np.ma.{masked_invalid max mean median min maximum_fill_value minimum_fill_value default_fill_value}(x)
        np.ma.{mask_cols mask_rows mask_rowcols mvoid ndim notmasked_contiguous prod}(x)
        np.ma.{flatnotmasked_contiguous product ptp ravel shape size sometrue std sum}(x)
        np.ma.{trace var harden_mask soften_mask}(x)
        np.ma.{add allclose allequal append arctan2 divide dot}(x, x)
        np.ma.{equal floor_divide fmod greater greater_equal hypot inner}(x, x)
        np.ma.{innerproduct less less_equal logical_and logical_or logical_xor maximum minimum}(x, x)
        np.ma.{masked_equal masked_greater masked_greater_equal masked_less}(x, x)
        np.ma.{masked_less_equal masked_not_equal mod}(x, x)
        np.ma.{multiply not_equal outer outerproduct power remainder subtract true_divide union1d}(x, x)
        np.ma.{masked_inside masked_outside}(x, A(2.), A(5.))
        np.ma.{bitwise_and bitwise_or bitwise_xor left_shift right_shift}(x.astype(int), A([1, 2, 3, 4]))
        np.ma.apply_along_axis(np.sum, 0, x)
        np.ma.apply_over_axes(np.sum, x, [0])
        np.ma.array(data=x, mask=x > 3)
        np.ma.choose(A([0, 1, 1, 0]), [x, -x])
        np.ma.compress(A([True, False]), x, axis=0)
        np.ma.convolve(A([2., 3., 1., 4.]), A([1., 2.]))
        np.ma.correlate(A([2., 3., 1., 4.]), A([1., 2.]))
        np.ma.frombuffer(memoryview(x))
        np.ma.hsplit(x, 2)
        np.ma.repeat(x, A([1, 2, 3, 4]), axis=0)
        np.ma.reshape(x, (2, 8))
        np.ma.swapaxes(x, 0, 1)
        np.ma.take(x, A([0, 1]))
        np.ma.vander(A([2., 3.]), 2)
        np.ma.where(x > 3, x, -x)
        np.polynomial.{family}val(x, A([1., 2.]))
        np.polynomial.{family}val(A([1., 2., 3., 4.]), x, tensor=False)
        np.polynomial.{family}weight(x)
        np.polynomial.polyutils.mapparms(A([0., 1.]), A([0., 2.]))
        np.polynomial.{Class}(A([1., 2.]))
        np.polynomial.{Class}(coef=A([1., 2.]), domain=A([0., 1.]), window=A([0., 2.]))
        np.polynomial.{Class}([1., 2.]).{__add__ __sub__ __mul__ __floordiv__ __mod__ __divmod__}(A([1., 2.]))
        np.polynomial.{Class}([1., 2.]).{__radd__ __rsub__ __rmul__ __rfloordiv__ __rmod__ __rdivmod__}(A([1., 2.]))
        np.polynomial.{Class}.fit(A([1., 2., 3.]), A([3., 4., 6.]), 1, w=A([1., 1., 2.]), domain=A([0., 4.]))
        np.polynomial.{Class}.fromroots(A([1., 2.]), domain=A([0., 4.]))
        np.polynomial.{Class}.cast(np.polynomial.Polynomial(A([1., 2.])), domain=A([0., 4.]))
        np.polynomial.{Class}.basis(2, domain=A([0., 1.]))
        np.polynomial.{Class}.identity(domain=A([0., 1.]))
        np.polynomial.Chebyshev.interpolate(lambda t: t ** 2, 3, domain=A([0., 1.]))
        np.polynomial.{Class}([1., 2.]).integ(k=A([1.]))
        np.polynomial.{Class}([1., 2.]).convert(domain=A([0., 1.]))
        np.random.RandomState(7).seed(A([3, 4]))
        np.random.RandomState(7).set_state(("MT19937", A(np.arange(624, dtype="u4")), 1, 0, 0.))
        np.random.seed(A([3, 4]))
        [np.random.{ranf sample}(A([2, 2])).shape]
        np.row_stack([x, x])
        np.trapz(x)
        np.array([[1.] * 4] * 4).{__add__ __sub__ __mul__ __truediv__ __floordiv__}(x)
        np.array([[1.] * 4] * 4).{__mod__ __pow__ __divmod__ __matmul__}(x)
        np.array([[1.] * 4] * 4).{__radd__ __rsub__ __rmul__ __rtruediv__}(x)
        np.array([[1.] * 4] * 4).{__rfloordiv__ __rmod__ __rpow__ __rdivmod__}(x)
        np.array([[1.] * 4] * 4).{__eq__ __ne__ __lt__ __le__ __gt__ __ge__ __rmatmul__}(x)
        np.array([3, 4]).{__and__ __or__ __xor__ __lshift__ __rshift__}(A([1, 2]))
        np.array([3, 4]).{__rand__ __ror__ __rxor__ __rlshift__ __rrshift__}(A([1, 2]))
        np.array([[1.] * 4] * 4).__contains__(A(1.))
        np.array([[1.] * 4] * 4).all(where=x > 3)
        np.array([[1.] * 4] * 4).any(where=x > 3)
        np.array([[1.] * 4] * 4).clip(min=x, max=x)
        np.array([[1.] * 4] * 4).{max min}(where=x > 3, initial=5.)
        np.array([[1.] * 4] * 4).{mean std var sum prod}(where=x > 3)
        np.testing.print_assert_equal("same", x.all(), True)
        np.ma.{array asarray asanyarray}(x)
        np.ma.{concatenate dstack column_stack hstack vstack row_stack stack}([x, x])
        np.ma.ids(x)[0] > 0
        [*np.ma.ndenumerate(x)]
        np.ma.array([x, x], mask=[x > 3, x > 5])
        [np.random.RandomState(A([3, 4])).normal()]
        np.{str_ bytes_}(x)
        np.array([1.]).setfield(A([1]), "u4")
        np.array([3., 1.]).put(A([0]), A([5.]))
        np.array([3., 1.]).__setitem__(A([0]), A([5.]))
        np.array([3., 1.]).fill(A(5.))
        np.ma.{clip ones_like unique zeros_like}(x)
        np.ma.diag(A([1., 2.]))
        np.ma.{empty_like masked_all_like}(x).shape
        np.ma.{isin in1d intersect1d setdiff1d setxor1d}(x, x)
        np.ma.resize(x, A([2, 2]))
        """,
        tags="undispatched gives-ours",
    ),
    *cases(
        """
        np.ma.transpose(x)
        np.ma.expand_dims(x, 0)
        np.polynomial.polyutils.trimseq(A([1., 0.]))
        """,
        gives=VIEW,
        tags="undispatched gives-view",
    ),
    *cases(
        """
        np.asarray_chkfinite(x)
        np.asarray(x)
        np.array(x)
        np.array([x, x])
        np.{asanyarray ascontiguousarray asfortranarray require}(x)
        np.{bool float64 int8 object_ complex64 float16 float32 longdouble clongdouble complex128}(x)
        np.{int16 int32 int64 uint8 uint16 uint32 uint64 longlong ulonglong}(x.astype(int))
        np.busdaycalendar(holidays=A(["2024-01-01"], "M8[D]")).holidays
        np.char.compare_chararrays(A(["ab "]), A(["ab"]), "==", True)
        np.ctypeslib.as_array(x)
        np.fft.fftfreq(4, A(2.))
        np.fft.rfftfreq(4, A(2.))
        np.indices(A([2, 2]))
        np.kaiser(4, A(2.))
        np.lib.stride_tricks.as_strided(x)
        np.ndarray(A([2, 2]), buffer=memoryview(x))
        [[item.copy() for item in inner] for outer, inner in [np.nested_iters(x, [[0], [1]])] for _ in outer]
        np.nditer(np.asarray(x)).itviews
        np.vectorize(lambda a: a + 1)(x)
        np.vectorize(lambda a: a[::-1], signature="(n)->(n)")(x)
        np.ma.getdata(x)
        np.ma.testutils.approx(x, x)
        np.ma.testutils.almost(x, x)
        np.testing.assert_array_max_ulp(x, x)
        np.matlib.repmat(x, 2, 2)
        np.polynomial.polyutils.as_series([A([1., 2.]), A([1., 0.])])
        np.polynomial.polyutils.getdomain(A([1., 2.]))
        np.polynomial.polyutils.mapdomain(x, A([0., 1.]), A([0., 2.]))
        np.polynomial.polyutils.trimcoef(A([1., 0.]))
        np.polynomial.{family}{add sub mul div}(A([1., 2., 3.]), A([1., 2.]))
        np.polynomial.{family}{mulx der int fromroots roots trim companion}(A([1., 2., 3.]))
        np.polynomial.{family}{der int}(c=x, axis=1)
        np.polynomial.{family}int(A([1., 2.]), k=A([1.]))
        np.polynomial.{family}pow(A([1., 2.]), 2)
        np.polynomial.{family}2poly(A([1., 2.]))
        np.polynomial.chebyshev.poly2cheb(A([1., 2.]))
        np.polynomial.hermite.poly2herm(A([1., 2.]))
        np.polynomial.hermite_e.poly2herme(A([1., 2.]))
        np.polynomial.laguerre.poly2lag(A([1., 2.]))
        np.polynomial.legendre.poly2leg(A([1., 2.]))
        np.polynomial.{family}line(A(1.), A(2.))
        np.polynomial.{family}vander(x, 2)
        np.polynomial.{family}vander2d(x, x, [1, 2])
        np.polynomial.{family}vander3d(x, x, x, [1, 1, 1])
        np.polynomial.{family}val([A([1., 2.]), A([1., 2.])], A([1., 2.]))
        np.polynomial.{chebyshev.cheb hermite.herm hermite_e.herme}val2d(x, x, A([[1., 2.], [3., 4.]]))
        np.polynomial.{laguerre.lag legendre.leg}val2d(x, x, A([[1., 2.], [3., 4.]]))
        np.polynomial.{family}val3d(x, x, x, A([[[1., 2.], [3., 4.]]]))
        np.polynomial.{chebyshev.cheb hermite.herm hermite_e.herme}valnd([x, x], A([[1., 2.], [3., 4.]]))
        np.polynomial.{laguerre.lag legendre.leg}valnd([x, x], A([[1., 2.], [3., 4.]]))
        np.polynomial.{family}fit(A([1., 2., 3.]), A([3., 4., 6.]), 1, w=A([1., 1., 2.]))
        np.polynomial.{Class}([1., 2.])(x)
        np.polynomial.chebyshev.chebinterpolate(lambda t: t ** 2, A(3))
        np.random.{rng}.{beta f gamma gumbel laplace logistic lognormal noncentral_chisquare normal vonmises wald}(x, x)
        np.random.{rng}.{chisquare exponential pareto power rayleigh standard_gamma standard_t weibull}(x)
        np.random.{rng}.poisson(lam=x)
        np.random.{rng}.zipf(x + 1)
        np.random.{rng}.noncentral_f(x, x, x)
        np.random.{rng}.uniform(low=x, high=x + 1)
        np.random.{rng}.triangular(x - 1, x, x + 1)
        np.random.{rng}.{binomial negative_binomial}(A([3, 4]), A([.5, .25]))
        np.random.{rng}.{geometric logseries}(p=A([.5, .25]))
        np.random.{rng}.hypergeometric(A([3, 4]), A([3, 4]), A([2, 2]))
        np.random.{rng}.multinomial(4, pvals=A([.5, .5]))
        np.random.{rng}.multivariate_normal(A([0., 1.]), cov=A([[1., 0.], [0., 1.]]))
        np.random.{rng}.dirichlet(alpha=A([1., 2.]))
        np.random.{rng}.choice(A([1., 2., 3.]), 2, p=A([.25, .25, .5]))
        np.random.{rng}.permutation(x)
        np.random.{rng}.{random standard_cauchy standard_exponential standard_normal}(A([2, 2]))
        np.random.default_rng(7).integers(A([3, 4]), high=A([5, 6]))
        np.random.default_rng(7).multivariate_hypergeometric(A([3, 4]), 2)
        np.random.default_rng(7).permuted(x, axis=1)
        np.random.RandomState(7).{random_sample tomaxint}(A([2, 2]))
        np.array([3., 1.]).__getitem__(A([0]))
        np.array([3., 1.]).compress(A([True, False]))
        np.array([3., 1.]).repeat(A([1, 2]))
        np.array([3., 1.]).reshape(A([2, 1]))
        np.array([3., 1.]).searchsorted(A([2.]), sorter=A([1, 0]))
        np.array([3., 1.]).take(A([0]))
        np.array([[1.] * 4] * 4).dot(x)
        np.ma.{argsort compressed filled flatten_mask getmaskarray}(x)
        np.ma.{make_mask compress_cols compress_rows compress_rowcols nonzero}(x)
        np.ma.{notmasked_edges flatnotmasked_edges sort where compress_nd}(x)
        np.ma.{mask_or}(x, x)
        np.ma.flatten_structured_array(A(R))
        np.ma.polyfit(A([1., 2., 3.]), A([3., 4., 6.]), 1)
        np.array([0, 1, 1, 0]).choose([x, x])
        np.{void record}(x)
        np.fromiter(A([1., 2.]), float)
        np.random.RandomState(7).randint(A([3, 4]), A([5, 6]))
        np.random.RandomState(7).random_integers(A(3), A(5), A([2, 2]))
        np.rec.array(x)
        np.rec.array(obj=A(R))
        """,
        tags="undispatched gives-numpys",
    ),
    *cases(
        """
        np.arange(64.).reshape(4, 4, 4).std(0, out=x)
        np.random.default_rng(7).permuted(x, axis=1, out=x)
        np.random.default_rng(7).{random standard_exponential standard_normal}(out=x)
        np.random.default_rng(7).standard_gamma(A([1., 2., 3., 4.]), out=x)
        np.array([[1.] * 4] * 4).{cumsum cumprod}(0, out=x)
        """,
        writes="out",
        tags="undispatched refuses",
    ),
    *cases(
        """
        np.datetime64(A("2024-01-01", "M8[D]"))
        np.timedelta64(A(3, "m8[D]"))
        np.ctypeslib.as_ctypes(x)
        [np.ctypeslib.ndpointer().from_param(x)]
        np.lib.array_utils.byte_bounds(x)
        np.testing.assert_equal(x, x)
        np.testing.assert_equal({"a": [x, 1]}, {"a": [x, 1]})
        np.testing.assert_almost_equal(x, x)
        np.ma.testutils.assert_equal(x, x)
        np.polynomial.{family}grid3d(A([1., 2., 3.]), A([1., 2., 3.]), A([1., 2., 3.]), A([[[1., 2.], [3., 4.]]]))
        np.polynomial.polynomial.polyvalfromroots(x, A([1., 2.]))
        np.ma.testutils.assert_close(x, x)
        np.ma.testutils.assert_not_equal(x, -x)
        np.ma.testutils.fail_if_equal(x, -x)
        [np.random.default_rng(A([3, 4])).normal()]
        [np.random.SeedSequence(A([3, 4])).generate_state(2).tolist()]
        [np.random.{MT19937 PCG64 PCG64DXSM Philox SFC64}(A([3, 4])).random_raw()]
        np.polynomial.{chebyshev.cheb hermite.herm hermite_e.herme}grid2d(A([1., 2., 3.]), A([1., 2., 3.]), A([[1., 2.], [3., 4.]]))
        np.polynomial.{laguerre.lag legendre.leg}grid2d(A([1., 2., 3.]), A([1., 2., 3.]), A([[1., 2.], [3., 4.]]))
        """,  # noqa: E501
        tags="undispatched refuses",
    ),
    *cases(
        """
        np.arange(64.).reshape(4, 4, 4).{mean var}(0, out=x)
        """,
        writes="out",
        tags="undispatched differs",
    ),
    *cases(
        """
        np.char.array(A(["ab ", "b"]))
        np.char.asarray(A(["ab ", "b"]))
        np.polynomial.{family}val(A([1., 2., 3., 4.]), x)
        np.polynomial.polynomial.polyvalfromroots(A([1., 2., 3., 4.]), x)
        [np.ma.mrecords.fromrecords(A(R)).dtype.names]
        """,
        tags="undispatched differs",
    ),
    *cases(
        """
        np.random.{rng}.shuffle(x)
        """,
        writes="x",
        tags="undispatched differs",
    ),
    *cases(
        """
        np.finfo(x).eps
        np.iinfo(x.astype(int)).max
        """,
        tags="undispatched lenient",
    ),
    *cases(
        """
        np.from_dlpack(x)
        np.ma.put(x, A([0]), A([5.]))
        np.ma.putmask(x, x > 3, A([5.]))
        np.ma.squeeze(x)
        np.random.{rng}.shuffle(x.flat)
        """,
        writes="x",
        tags="undispatched writes",
    ),
    *cases(
        """
        np.arange(64.).reshape(4, 4, 4).{sum prod max min}(0, out=x)
        """,
        writes="out",
        tags="undispatched writes",
    ),
]
