"""What the model of a budget takes for the prices of operations, by their names.

One core of a server of 2024 (EPYC 9004, NumPy 2.4, OpenBLAS), on arrays of 1 and 8 MiB. ``bench/budget_costs.py``
measures them, and prints which are far from what a machine takes. Prices are for float64 unless they name a dtype, and
for random numbers where NumPy's loops look at values, as those of `where` and of sorts do.
"""


def _named(prices: dict[float, str]) -> dict[str, float]:
    """{price: names} as {name: price}."""
    return {name: price for price, names in prices.items() for name in names.split()}


# ---- bytes -----------------------------------------------------------------------------------------------------------

BYTES = 36e9  # read and written in a second: x + y, x.sum(), np.copyto(x, y)
STRING_BYTES = 80e6  # by np.strings
SHARED = 1e-6  # seconds of a lazy copy
COPIES = frozenset(["copy", "astype", "array", "reshape", "ravel", "flatten", "ascontiguousarray", "lazy_clone"])
JOINS = frozenset(["concatenate", "stack", "vstack", "hstack"])

# ---- nanoseconds an element; what is not here takes what its bytes take ----------------------------------------------

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
FLOAT32 = 0.5  # so many times the price
COMPLEX = 10
SINGLE = {"sin": 0.6, "cos": 0.6}  # NumPy has these in vector instructions for float32 alone
HALF = 5  # of any operation on float16, at least: processors convert it
# NumPy looks at the exponent, and does another operation.
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
ROW = 20  # of each row: what a loop takes before it begins

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
TRANSFORM = 20  # of np.fft, where the length has small factors
PICKED = 3  # of each element, or row, that an index or a mask picks
TAKEN = 2  # the same by `take`
REORDERED = 1  # of an array that does not lie in order, when it is copied
ON_DIAGONAL = 10
DIAGONALS = frozenset(["trace", "fill_diagonal"])
# Of each comparison: an element takes the logarithm of the length of its axis.
COMPARISONS = _named({2: "sort", 3: "argsort unique", 5: "searchsorted digitize interp isin", 6: "lexsort"})

# ---- multiplications -------------------------------------------------------------------------------------------------

# Multiplications and additions in a second, by BLAS for these dtypes, and by NumPy's loops for all others.
FLOPS = {"f": 48e9, "d": 24e9, "F": 12e9, "D": 6e9}
LOOPED = 1.5e9
STACKED = frozenset(["matmul", "matvec", "vecmat", "vecdot"])
PRODUCTS = frozenset(["dot", "inner", "tensordot", "multi_dot", "vdot", "einsum"])
SLIDING = frozenset(["convolve", "correlate"])
# Nanoseconds of each combination of indices, by einsum without `optimize`.
SUMMED = 0.5
SUMMED_COMPLEX = 2
# Nanoseconds of each result, and of each matrix of a stack, beside the multiplications.
SLID = 2
MATRIX = 50
# Multiplications and additions for each element and column of a matrix of some hundred rows, at the rate of BLAS.
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
NARROW = 32  # a matrix of fewer columns takes as long as one of so many: LAPACK works in blocks
DECOMPOSITION = 120  # nanoseconds of each matrix beside that, so many times
SINGULAR = frozenset([2, -2, "nuc"])  # norms of a matrix that are those of its singular values
