"""SciPy computes with our arrays: as it is installed, and where it asks for the array API (SCIPY_ARRAY_API=1)."""

import pytest
from client_uses import NEEDS_LEND, SILENT, Client, check, use, uses

CLIENTS = [
    Client(
        "SciPy",
        "scipy",
        """
        import scipy.io
        from scipy import cluster, fft, integrate, interpolate, linalg, ndimage, optimize, signal, sparse, spatial, special, stats
        """,
        [
            *uses(
                "fft.fft(x)",
                "fft.dctn(m)",
                "linalg.solve(s, v)",
                "linalg.cholesky(s)",
                "linalg.eigh(s)",
                "linalg.svd(m)",
                "linalg.lu_factor(s)",
                "linalg.expm(s)",
                "integrate.trapezoid(y, x)",
                "integrate.solve_ivp(lambda t, v: -v, (0, 1), v).y",
                "integrate.quad(lambda u: np.interp(u, np.arange(12), x), 0, 11)[0]",
                "interpolate.CubicSpline(np.arange(12), y)(x)",
                "interpolate.make_interp_spline(np.arange(12.0), y)(0.5)",
                "ndimage.gaussian_filter(grey, 2)",
                "ndimage.label(grey > 0.5)",
                "ndimage.rotate(grey, 30)",
                "optimize.minimize(lambda v: ((v - 1) ** 2).sum(), v, method='BFGS').x",
                "optimize.least_squares(lambda v: v - 1, v).x",
                "optimize.linear_sum_assignment(s)",
                "optimize.curve_fit(lambda x, p: p * x, x, y)[0]",
                "signal.lfilter([1, 0.5], [1], x)",
                "signal.find_peaks(x)[0]",
                "signal.welch(x, nperseg=6)[1]",
                "signal.convolve(x, v)",
                "sparse.csr_array(m)",
                "sparse.csr_array(s) @ v",
                "sparse.linalg.spsolve(sparse.csc_array(s), v)",
                "sparse.diags_array(x)",
                "spatial.cKDTree(m).query(m[:2], k=2)",
                "spatial.distance.pdist(m)",
                "spatial.ConvexHull(m[:, :2] ** 2).volume",
                "special.gamma(y)",
                "special.logsumexp(x)",
                "stats.zscore(x)",
                "stats.ttest_ind(x, y).pvalue",
                "stats.gaussian_kde(x)(y)",
                "stats.linregress(x, y).slope",
                "cluster.vq.whiten(m)",
                "scipy.io.savemat(f'{folder}/x.mat', {'m': m}); scipy.io.loadmat(f'{folder}/x.mat')['m']",
                "special.gamma(y, out=out); out",
                "ndimage.map_coordinates(grey, m[:, :2].T)",
                "interpolate.RegularGridInterpolator((np.arange(24), np.arange(32)), grey)(abs(m[:, :2]))",
                "linalg.inv(s, overwrite_a=True)",
                "signal.resample(x, 6)",
                "spatial.transform.Rotation.from_quat(v).as_matrix()",
                "spatial.Delaunay(m[:, :2]).simplices",
                "sparse.csr_array((x, (np.arange(12), np.arange(12))))",
                "sparse.csr_array(m).T @ x",
                "sparse.coo_array((x, (n, n))).toarray()",
                "stats.norm(loc=x).pdf(y)",
                "stats.spearmanr(x, y).statistic",
                "special.expit(x)",
                "optimize.root(lambda v: s @ v - 1, v).x",
                "optimize.linprog(v, A_ub=s, b_ub=np.ones(4), bounds=(0, 1)).x",
                "integrate.odeint(lambda u, t: -u, v, [0, 1])",
                "integrate.cumulative_trapezoid(y, x)",
            ),
            use(
                "ndimage.gaussian_filter(x, 1, output=out)",
                NEEDS_LEND,
                """
                with cowarray.lend(out):
                    ndimage.gaussian_filter(x, 1, output=out)
                """,
            ),
            use(
                "linalg.solve(s, v, overwrite_b=True)",
                SILENT,
                """
                with cowarray.lend(v):
                    linalg.solve(s, v, overwrite_b=True)
                """,
            ),
            use(
                "linalg.blas.dscal(2.0, x)",
                SILENT,
                """
                with cowarray.lend(x):
                    linalg.blas.dscal(2.0, x)
                """,
            ),
            use(
                "labelled = np.zeros_like(n); ndimage.label(n > 2, output=labelled); labelled",
                SILENT,
                "labelled = np.zeros_like(np.asarray(n)); ndimage.label(np.asarray(n) > 2, output=labelled); labelled",
            ),
            use(
                "ndimage.sobel(grey, output=grey)",
                NEEDS_LEND,
                """
                with cowarray.lend(grey):
                    ndimage.sobel(grey, output=grey)
                """,
            ),
            use(
                "fft.fft(z, overwrite_x=True)",
                NEEDS_LEND,
                """
                with cowarray.lend(z):
                    fft.fft(z, overwrite_x=True)
                """,
            ),
            use(
                "signal.detrend(x, overwrite_data=True)",
                NEEDS_LEND,
                """
                with cowarray.lend(x):
                    signal.detrend(x, overwrite_data=True)
                """,
            ),
        ],
    ),
    Client(
        "SciPy, SCIPY_ARRAY_API=1",
        "scipy",
        """
        import scipy.io
        from scipy import cluster, fft, integrate, interpolate, linalg, ndimage, optimize, signal, sparse, spatial, special, stats
        """,
        [
            *uses(
                "linalg.svdvals(s)",
                "integrate.trapezoid(y, x)",
                "ndimage.gaussian_filter(grey, 2)",
                "signal.convolve(x, v)",
                "special.logsumexp(x)",
                "special.gamma(y)",
                "stats.zscore(x)",
                "stats.ttest_ind(x, y).pvalue",
                "cluster.vq.whiten(m)",
                "linalg.det(s)",
                "signal.hilbert(x)",
                "stats.skew(m)",
                "ndimage.median_filter(grey, 3)",
                "special.betainc(1.0, 2.0, b.astype(float))",
                "stats.pearsonr(x, y).statistic",
            ),
            use("fft.fft(x)", close=1e-12),
        ],
        environment={"SCIPY_ARRAY_API": "1"},
    ),
    Client(
        "SciPy, after cowarray.register()",
        "scipy",
        """
        from scipy import sparse
        import scipy.sparse.linalg
        cowarray.register()
        """,
        uses(
            "sparse.linalg.aslinearoperator(s).matvec(v)",
            "sparse.linalg.aslinearoperator(s).matmat(s)",
            "sparse.linalg.cg(s, v)[0]",
            "sparse.linalg.gmres(s, v)[0]",
            "sparse.linalg.minres(s, v)[0]",
            "sparse.linalg.lsqr(s, v)[0]",
            "sparse.linalg.lsmr(m, x)[0]",
            "abs(sparse.linalg.eigsh(s, 1, v0=v)[0])",
            "sparse.linalg.svds(m, 1, v0=np.ones(3))[1]",
            "sparse.linalg.onenormest(s)",
        ),
    ),
]


@pytest.mark.parametrize("client", CLIENTS, ids=str)
def test_scipy(client):
    check(__name__, client)
