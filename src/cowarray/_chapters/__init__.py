"""The public functions, a module for each chapter of the array API standard and of NumPy's reference.

A chapter lists its names in its ``__all__``, and here: it is imported when the first of them is requested. Importing
all chapters would take longer than importing the rest of the package.
"""

from typing import Final

NAMES: Final = {
    "bits": "packbits unpackbits",
    "callbacks": "apply_along_axis apply_over_axes ndenumerate piecewise vectorize",
    "constants": "False_ True_ e euler_gamma inf nan newaxis pi",
    "creation": (
        "arange asanyarray ascontiguousarray asfortranarray copy diag diagflat empty empty_like eye "
        "fromfunction fromiter fromstring full full_like geomspace identity indices linspace logspace meshgrid "
        "ones ones_like require tri tril triu vander zeros zeros_like"
    ),
    "data_types": (
        "astype bool bool_ byte bytes_ can_cast cdouble character clongdouble complex64 complex128 "
        "complexfloating csingle datetime64 double dtype finfo flexible float16 float32 float64 floating "
        "generic half iinfo inexact int8 int16 int32 int64 int_ intc integer intp isdtype issubdtype long "
        "longdouble longlong min_scalar_type number object_ promote_types result_type short signedinteger "
        "single str_ timedelta64 ubyte uint uint8 uint16 uint32 uint64 uintc uintp ulong ulonglong "
        "unsignedinteger ushort void"
    ),
    "dates": "busday_count busday_offset busdaycalendar datetime_as_string datetime_data is_busday",
    "elementwise": (
        "abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_invert bitwise_left_shift "
        "bitwise_or bitwise_right_shift bitwise_xor ceil clip conj copysign cos cosh divide equal exp expm1 "
        "floor floor_divide greater greater_equal hypot imag isfinite isinf isnan less less_equal log log1p "
        "log2 log10 logaddexp logical_and logical_not logical_or logical_xor maximum minimum multiply negative "
        "nextafter not_equal positive pow real reciprocal remainder round sign signbit sin sinh sqrt square "
        "subtract tan tanh trunc"
    ),
    "elementwise_numpy": (
        "absolute angle arccos arccosh arcsin arcsinh arctan arctan2 arctanh around bitwise_count bitwise_not "
        "cbrt conjugate deg2rad degrees divmod exp2 fabs fix float_power fmax fmin fmod frexp gcd heaviside i0 "
        "invert isclose iscomplex isnat isneginf isposinf isreal lcm ldexp left_shift logaddexp2 mod modf "
        "nan_to_num power rad2deg radians real_if_close right_shift rint sinc spacing true_divide unwrap"
    ),
    "grids": "c_ index_exp mgrid ogrid r_ s_",
    "indexing": (
        "choose compress diag_indices diag_indices_from diagonal extract fill_diagonal ix_ mask_indices place "
        "put put_along_axis putmask ravel_multi_index select take take_along_axis tril_indices "
        "tril_indices_from triu_indices triu_indices_from unravel_index"
    ),
    "iterators": "nditer nested_iters",
    "linear_algebra": (
        "cross dot einsum einsum_path inner kron matmul matrix_transpose matvec outer tensordot vdot vecdot vecmat"
    ),
    "manipulation": (
        "append array_split atleast_1d atleast_2d atleast_3d block broadcast_arrays broadcast_shapes "
        "broadcast_to column_stack concat concatenate copyto delete dsplit dstack expand_dims flip fliplr "
        "flipud hsplit hstack insert moveaxis ndim pad permute_dims ravel repeat reshape resize roll rollaxis "
        "rot90 shape size split squeeze stack swapaxes tile transpose trim_zeros unstack vsplit vstack"
    ),
    "numpys_own": (
        "allclose array2string array_equal array_equiv array_repr array_str base_repr binary_repr errstate "
        "format_float_positional format_float_scientific frompyfunc getbufsize geterr geterrcall iscomplexobj "
        "isfortran isrealobj isscalar iterable may_share_memory ndindex setbufsize seterr seterrcall "
        "shares_memory"
    ),
    "polynomials": "poly polyadd polyder polydiv polyfit polyint polymul polysub polyval roots",
    "printing": "get_printoptions printoptions set_printoptions",
    "searching": "argmax argmin argwhere count_nonzero digitize flatnonzero nonzero searchsorted where",
    "sets": (
        "intersect1d isin setdiff1d setxor1d union1d unique unique_all unique_counts unique_inverse unique_values"
    ),
    "sorting": "argpartition argsort lexsort partition sort",
    "statistics": (
        "amax amin average bincount convolve corrcoef correlate cov cumprod cumsum cumulative_prod "
        "cumulative_sum histogram histogram2d histogram_bin_edges histogramdd max mean median min nanargmax "
        "nanargmin nancumprod nancumsum nanmax nanmean nanmedian nanmin nanpercentile nanprod nanquantile "
        "nanstd nansum nanvar percentile prod ptp quantile std sum var"
    ),
    "utility": "all any diff ediff1d gradient interp trapezoid",
    "windows": "bartlett blackman hamming hanning kaiser",
}
