"""The chapters of the public namespace whose functions are NumPy's: the calls that `test_chapters.py` tries.

To those of `function_calls.txt` each chapter adds calls with more of the parameters.
"""

from support.chapters import Chapter
from support.numpy_versions import happens

from cowarray import fft, linalg
from cowarray._chapters import linear_algebra as _linear_algebra
from cowarray._chapters import searching as _searching
from cowarray._chapters import sets as _sets
from cowarray._chapters import sorting as _sorting
from cowarray._chapters import statistics as _statistics

SEARCHING = """
np.argmax(x, axis=-1, keepdims=True)
np.argmin(x, 0)
np.count_nonzero(x)
np.count_nonzero(x > 3, axis=(0, 1), keepdims=True)
np.digitize(x, [1., 3.], right=True)
np.nonzero(x)
np.searchsorted(A([1., 2., 4.]), x, side="right")
np.searchsorted(A([4., 1., 2.]), 2., sorter=A([1, 2, 0]))
np.where(x > 3, x, 0)
np.where(x > 3, A([1j]), x)
np.where(True, x, 2)
"""

SETS = """
np.isin(x, 3.)
np.isin(x, A([1., 2.]), assume_unique=True, invert=True)
np.isin(x.astype(int), A([1, 2]), kind="table")
np.setdiff1d(x, [3., 4.], True)
np.unique(x)
np.unique(x % 3, True, True, True)
np.unique(x % 2, axis=0)
np.unique(x % 3, return_inverse=True, axis=-1, equal_nan=False)
np.unique_counts(x % 3)
"""

SORTING = """
np.argpartition(x, 1, axis=None)
np.argsort(x % 3, axis=0, kind="heapsort")
np.argsort(x, axis=None, stable=True)
np.argsort(A([(2, 1.), (1, 3.)], "i4,f8"), order="f0")
np.lexsort((x % 2, x), axis=0)
np.lexsort(x)
np.partition(x, [0, 1], axis=0)
np.sort(x, 0, "mergesort")
np.sort(x, kind="stable", stable=None)
np.sort(A([(2, 1.), (1, 3.)], "i4,f8"), order=["f1", "f0"])
"""

STATISTICS = """
np.average(x, (0, 1), x, keepdims=True)
np.bincount(A([1, 1, 3]), minlength=6)
np.convolve(A([1., 2., 3.]), A([0., 1.]), "same")
np.corrcoef(x, rowvar=False, dtype="f4")
np.correlate(A([1., 2., 3.]), [0., 1.], mode="full")
np.cov(x, x, False, True)
np.cov(x, fweights=A([1, 2, 1, 1]), aweights=A([1., 2., 3., 1.]), ddof=0)
np.cumprod(x, dtype="f4")
np.cumsum(x, axis=-1)
np.cumulative_prod(x, axis=-1, dtype="f4")
np.cumulative_sum(x[0])
np.histogram(x, "auto")
np.histogram(x, 4, (1, 9), True)
np.histogram2d(x[0], x[1], [2, 3], weights=x[2])
np.histogram_bin_edges(x, A([1., 3., 5.]))
np.histogramdd(x[:, :2], (2, A([1., 3., 9.])), density=True)
np.mean(x, (0, 1), "f4", keepdims=True)
np.mean(x, where=x > 3)
np.median(x, -1, keepdims=True)
np.min(x, axis=(0, 1), keepdims=True)
np.min(x, initial=2, where=A([True]))
np.nanmax(x, 0, keepdims=True)
np.nanmean(x, where=x > 3)
np.nanstd(x, axis=0, ddof=1)
np.nanvar(x, correction=1)
np.percentile(x, A([10, 50]), axis=0, method="nearest")
np.prod(x, dtype="f4", initial=2.)
np.ptp(x, 0, keepdims=True)
np.quantile(x, [.1, .5], axis=(0, 1), keepdims=True)
np.quantile(x, .5, weights=x, method="inverted_cdf")
np.std(x, correction=1)
np.std(x, axis=0, ddof=1, keepdims=True, where=x > 0)
np.sum(x, (0, 1), initial=5)
np.var(x, -1, "f4")
np.var(x, axis=0, correction=0.5)
"""

LINEAR_ALGEBRA = """
np.cross(x[..., :3], A([1., 2., 3.]), axis=-1)
np.dot(x, 2)
np.einsum(x, [0, 1], [1, 0])
np.einsum(x, [0, 1], x, [1, 2], optimize=True)
np.einsum("ij,j->i", x, A([1., 2., 3., 4.]), dtype="f4", casting="unsafe")
np.inner(x, 2)
np.matmul(x, x)
np.matmul(x, x, axes=[(0, 1), (0, 1), (0, 1)])
np.matvec(x, A([1., 2., 3., 4.]))
np.outer(x, 2)
np.tensordot(x, x, axes=([0], [1]))
np.vdot(x, x + 1j)
np.vecdot(x, x)
np.vecdot(x, A([1., 2., 3., 4.]), axis=0)
np.vecmat(A([1., 2., 3., 4.]), x)
"""

LINALG = """
np.linalg.cholesky(np.eye(3) + A(3 * np.eye(3)), upper=True)
np.linalg.cond(x, 1)
np.linalg.eigh(x @ x.T, "U")
np.linalg.eigvalsh(x, UPLO="U")
np.linalg.lstsq(x, x[:, 0], rcond=1e-9)
np.linalg.matrix_norm(x, ord=1, keepdims=True)
np.linalg.matrix_power(x, -1)
np.linalg.matrix_rank(x, rtol=1e-3)
np.linalg.matrix_rank(x, 1.)
np.linalg.norm(x, axis=0, keepdims=True)
np.linalg.pinv(x, rtol=1e-3)
np.linalg.pinv(x @ x.T, 1e-9, True)
np.linalg.qr(x, "complete")
np.linalg.qr(x, mode="r")
np.linalg.solve(x, x[:, 0])
np.linalg.svd(x, full_matrices=False)
np.linalg.svd(x, compute_uv=False)
np.linalg.tensordot(x, x, axes=1)
np.linalg.trace(x, offset=1, dtype="f4")
np.linalg.vecdot(x, x + 1j, axis=0)
np.linalg.vector_norm(x, axis=0, ord=1)
"""

FFT = """
np.fft.fft(x, 3, 0, "ortho")
np.fft.fft2(x, (2, 3), axes=(0, 1))
np.fft.fftfreq(4)
np.fft.fftfreq(5, .5, "cpu")
np.fft.fftn(x, axes=(0, 1), norm="forward")
np.fft.fftshift(x, axes=0)
np.fft.hfft(x, n=4)
np.fft.ifft(x, axis=0)
np.fft.ifftshift(x, (0, 1))
np.fft.irfft(x, 5, norm="ortho")
np.fft.irfftn(x, axes=(0, 1))
np.fft.rfft(x, norm="backward")
np.fft.rfftfreq(4)
np.fft.rfftfreq(n=5, d=.5)
np.fft.rfftn(x, (3, 3), (0, 1))
"""

CHAPTERS = {
    "searching": Chapter(_searching, more=SEARCHING, named_otherwise={"where": ["x", "y"]}),
    # NumPy's unique_values may come in any order, from 2.3 on.
    "sets": Chapter(_sets, more=SETS, expected={"np.unique_values(x)": "np.unique(x, equal_nan=False)"}),
    # Ours is stable unless told otherwise.
    "sorting": Chapter(
        _sorting,
        more=SORTING,
        expected={"np.argsort(x)": "np.argsort(x, stable=True)"},
        named_otherwise={
            name: ["descending"] for name in ("sort", "argsort") if happens("sort tells no default of descending")
        },
        untried={("sort", "descending"), ("argsort", "descending")},
    ),
    "statistics": Chapter(_statistics, more=STATISTICS, untried={("histogramdd", "bins")}),
    "linear algebra": Chapter(_linear_algebra, more=LINEAR_ALGEBRA),
    "linalg": Chapter(linalg, "np.linalg", LINALG),
    "fft": Chapter(fft, "np.fft", FFT, untried={("fftfreq", "dtype"), ("rfftfreq", "dtype")}),
}
