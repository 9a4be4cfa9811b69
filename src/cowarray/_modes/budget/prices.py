"""Prices of operations, by name, in the cost model of a budget.

Measured on one core of a 2024 server (EPYC 9004, NumPy 2.4, OpenBLAS), on arrays of 1 and 8 MiB.
``bench/budget_costs.py`` measures them, and prints those that are far off on a machine. Prices are for float64 unless
they name a dtype, and for random numbers where a loop's time depends on values, as in `where` and in sorts.
"""


def _named(prices: dict[float, str]) -> dict[str, float]:
    """Turn {price: names} into {name: price}."""
    return {name: price for price, names in prices.items() for name in names.split()}


# ---- bytes -----------------------------------------------------------------------------------------------------------

BYTES = 36e9  # read and written per second: x + y, x.sum(), np.copyto(x, y)
STRING_BYTES = 80e6  # by np.strings
SHARED = 1e-6  # seconds per lazy copy
COPIES = frozenset(["copy", "astype", "array", "reshape", "ravel", "flatten", "ascontiguousarray", "lazy_clone"])
JOINS = frozenset(["concatenate", "stack", "vstack", "hstack"])

# ---- nanoseconds per element; what is not listed takes as long as its bytes ------------------------------------------

# Functions of one or two numbers.
FUNCTIONS = _named(
    {
        0.8: "exp log",
        1: "log2 log10",
        1.2: "sqrt",
        1.3: "exp2 expm1 log1p tan sinh cosh cbrt arcsin arccos arctan arcsinh arccosh arctanh",
        1.75: "tanh",
        2.5: "arctan2",
        2.9: "power float_power",
        8: "sin cos",
        17: "hypot logaddexp logaddexp2",
    }
)
FLOAT32 = 0.5  # times the price; so is COMPLEX
COMPLEX = 10
SINGLE = {"sin": 0.6, "cos": 0.6}  # NumPy vectorizes these for float32 only
HALF = 5  # at least, for any operation on float16: processors convert it
# For these exponents NumPy runs another operation.
POWERS: dict[object, str] = {-1: "reciprocal", 0: "positive", 0.5: "sqrt", 1: "positive", 2: "square"}

REDUCTIONS = _named(
    {
        0.15: "sum min max amin amax reduce all any",
        0.3: "mean average ptp",
        0.5: "norm count_nonzero",
        0.6: "nansum nanmin nanmax",
        0.8: "nanmean",
        0.9: "prod nanprod",
        1: "argmin argmax",
        1.8: "std var",
        3: "nanstd nanvar",
    }
)
ROW = 20  # per row: a loop's overhead before it begins

ELEMENTS = _named(
    {
        0.5: "repeat",
        0.7: "reciprocal",
        0.8: "kron",
        1: "nan_to_num linspace reduceat",
        1.2: "gradient tril triu",
        1.5: "trapezoid",
        2: "cumsum cumprod nancumsum nancumprod cumulative_sum cumulative_prod accumulate",
        2.5: "vander",
        3: "where copyto putmask place put put_along_axis take_along_axis",
        4: "angle cross at",
        6: "choose select",
        8: "partition argpartition",
        9: "histogram",
        10: "floor_divide remainder fmod",
        12: "median percentile quantile nanmedian nanpercentile nanquantile",
        20: "divmod",
        30: "gcd lcm",
    }
) | _named(
    {
        2.5: "random",
        3: "uniform integers",
        4: "exponential standard_exponential",
        12: "normal standard_normal lognormal permutation permuted",
        20: "gamma standard_gamma chisquare weibull laplace logistic gumbel pareto rayleigh triangular wald zipf",
        30: "binomial geometric multivariate_normal standard_cauchy standard_t vonmises",
        40: "poisson beta dirichlet",
    }
)
TRANSFORM = 20  # np.fft, where the length has small factors
PICKED = 3  # per element, or row, that an index or a mask picks
TAKEN = 2  # the same by `take`
REORDERED = 1  # copying an array that is not C-contiguous
ON_DIAGONAL = 10
DIAGONALS = frozenset(["trace", "fill_diagonal"])
# Per comparison, of which each element takes the binary logarithm of its axis' length.
COMPARISONS = _named({2: "sort", 3: "argsort unique", 5: "searchsorted digitize interp isin", 6: "lexsort"})

# ---- multiplications -------------------------------------------------------------------------------------------------

# Multiplications and additions per second: by BLAS for these dtypes, by NumPy's loops for all others.
FLOPS = {"f": 48e9, "d": 24e9, "F": 12e9, "D": 6e9}
LOOPED = 1.5e9
STACKED = frozenset(["matmul", "matvec", "vecmat", "vecdot"])
PRODUCTS = frozenset(["dot", "inner", "tensordot", "multi_dot", "vdot", "einsum"])
SLIDING = frozenset(["convolve", "correlate"])
# Nanoseconds per combination of indices, in einsum without `optimize`.
SUMMED = 0.5
SUMMED_COMPLEX = 2
# Nanoseconds per result, and per matrix of a stack, on top of the multiplications.
SLID = 2
MATRIX = 50
# Multiplications and additions per element and column of a matrix of some hundred rows, at the rate of BLAS.
DECOMPOSITIONS = _named(
    {
        0.6: "cholesky",
        1.2: "det slogdet",
        1.3: "solve tensorsolve",
        4: "matrix_power eigvalsh",
        5: "inv tensorinv",
        6: "svdvals matrix_rank cond",
        7: "eigh qr",
        13: "svd",
        15: "pinv lstsq",
        20: "eigvals",
        40: "eig",
    }
)
NARROW = 32  # columns; a narrower matrix takes as long as one of this width: LAPACK works in blocks
DECOMPOSITION = 120  # nanoseconds per matrix on top, times the factor above
SINGULAR = frozenset([2, -2, "nuc"])  # matrix norms that are computed from singular values
