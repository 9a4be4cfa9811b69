from cowarray._chapters.constants import e as e
from cowarray._chapters.constants import inf as inf
from cowarray._chapters.constants import nan as nan
from cowarray._chapters.constants import newaxis as newaxis
from cowarray._chapters.constants import pi as pi
from cowarray._chapters.data_types import bool as bool
from cowarray._chapters.data_types import complex64 as complex64
from cowarray._chapters.data_types import complex128 as complex128
from cowarray._chapters.data_types import float32 as float32
from cowarray._chapters.data_types import float64 as float64
from cowarray._chapters.data_types import int8 as int8
from cowarray._chapters.data_types import int16 as int16
from cowarray._chapters.data_types import int32 as int32
from cowarray._chapters.data_types import int64 as int64
from cowarray._chapters.data_types import uint8 as uint8
from cowarray._chapters.data_types import uint16 as uint16
from cowarray._chapters.data_types import uint32 as uint32
from cowarray._chapters.data_types import uint64 as uint64
from cowarray._chapters.inspection import __array_api_version__ as __array_api_version__
from cowarray._chapters.inspection import __array_namespace_info__ as __array_namespace_info__
from cowarray.array_api import fft as fft
from cowarray.array_api import linalg as linalg
from cowarray.array_api._creation import arange as arange
from cowarray.array_api._creation import asarray as asarray
from cowarray.array_api._creation import empty as empty
from cowarray.array_api._creation import empty_like as empty_like
from cowarray.array_api._creation import eye as eye
from cowarray.array_api._creation import from_dlpack as from_dlpack
from cowarray.array_api._creation import full as full
from cowarray.array_api._creation import full_like as full_like
from cowarray.array_api._creation import linspace as linspace
from cowarray.array_api._creation import meshgrid as meshgrid
from cowarray.array_api._creation import ones as ones
from cowarray.array_api._creation import ones_like as ones_like
from cowarray.array_api._creation import tril as tril
from cowarray.array_api._creation import triu as triu
from cowarray.array_api._creation import zeros as zeros
from cowarray.array_api._creation import zeros_like as zeros_like
from cowarray.array_api._data_types import astype as astype
from cowarray.array_api._data_types import can_cast as can_cast
from cowarray.array_api._data_types import finfo as finfo
from cowarray.array_api._data_types import iinfo as iinfo
from cowarray.array_api._data_types import isdtype as isdtype
from cowarray.array_api._data_types import result_type as result_type
from cowarray.array_api._elementwise import abs as abs
from cowarray.array_api._elementwise import acos as acos
from cowarray.array_api._elementwise import acosh as acosh
from cowarray.array_api._elementwise import add as add
from cowarray.array_api._elementwise import asin as asin
from cowarray.array_api._elementwise import asinh as asinh
from cowarray.array_api._elementwise import atan as atan
from cowarray.array_api._elementwise import atan2 as atan2
from cowarray.array_api._elementwise import atanh as atanh
from cowarray.array_api._elementwise import bitwise_and as bitwise_and
from cowarray.array_api._elementwise import bitwise_invert as bitwise_invert
from cowarray.array_api._elementwise import bitwise_left_shift as bitwise_left_shift
from cowarray.array_api._elementwise import bitwise_or as bitwise_or
from cowarray.array_api._elementwise import bitwise_right_shift as bitwise_right_shift
from cowarray.array_api._elementwise import bitwise_xor as bitwise_xor
from cowarray.array_api._elementwise import ceil as ceil
from cowarray.array_api._elementwise import clip as clip
from cowarray.array_api._elementwise import conj as conj
from cowarray.array_api._elementwise import copysign as copysign
from cowarray.array_api._elementwise import cos as cos
from cowarray.array_api._elementwise import cosh as cosh
from cowarray.array_api._elementwise import divide as divide
from cowarray.array_api._elementwise import equal as equal
from cowarray.array_api._elementwise import exp as exp
from cowarray.array_api._elementwise import expm1 as expm1
from cowarray.array_api._elementwise import floor as floor
from cowarray.array_api._elementwise import floor_divide as floor_divide
from cowarray.array_api._elementwise import greater as greater
from cowarray.array_api._elementwise import greater_equal as greater_equal
from cowarray.array_api._elementwise import hypot as hypot
from cowarray.array_api._elementwise import imag as imag
from cowarray.array_api._elementwise import isfinite as isfinite
from cowarray.array_api._elementwise import isinf as isinf
from cowarray.array_api._elementwise import isnan as isnan
from cowarray.array_api._elementwise import less as less
from cowarray.array_api._elementwise import less_equal as less_equal
from cowarray.array_api._elementwise import log as log
from cowarray.array_api._elementwise import log1p as log1p
from cowarray.array_api._elementwise import log2 as log2
from cowarray.array_api._elementwise import log10 as log10
from cowarray.array_api._elementwise import logaddexp as logaddexp
from cowarray.array_api._elementwise import logical_and as logical_and
from cowarray.array_api._elementwise import logical_not as logical_not
from cowarray.array_api._elementwise import logical_or as logical_or
from cowarray.array_api._elementwise import logical_xor as logical_xor
from cowarray.array_api._elementwise import maximum as maximum
from cowarray.array_api._elementwise import minimum as minimum
from cowarray.array_api._elementwise import multiply as multiply
from cowarray.array_api._elementwise import negative as negative
from cowarray.array_api._elementwise import nextafter as nextafter
from cowarray.array_api._elementwise import not_equal as not_equal
from cowarray.array_api._elementwise import positive as positive
from cowarray.array_api._elementwise import pow as pow
from cowarray.array_api._elementwise import real as real
from cowarray.array_api._elementwise import reciprocal as reciprocal
from cowarray.array_api._elementwise import remainder as remainder
from cowarray.array_api._elementwise import round as round
from cowarray.array_api._elementwise import sign as sign
from cowarray.array_api._elementwise import signbit as signbit
from cowarray.array_api._elementwise import sin as sin
from cowarray.array_api._elementwise import sinh as sinh
from cowarray.array_api._elementwise import sqrt as sqrt
from cowarray.array_api._elementwise import square as square
from cowarray.array_api._elementwise import subtract as subtract
from cowarray.array_api._elementwise import tan as tan
from cowarray.array_api._elementwise import tanh as tanh
from cowarray.array_api._elementwise import trunc as trunc
from cowarray.array_api._indexing import take as take
from cowarray.array_api._indexing import take_along_axis as take_along_axis
from cowarray.array_api._linear_algebra import matmul as matmul
from cowarray.array_api._linear_algebra import matrix_transpose as matrix_transpose
from cowarray.array_api._linear_algebra import tensordot as tensordot
from cowarray.array_api._linear_algebra import vecdot as vecdot
from cowarray.array_api._manipulation import broadcast_arrays as broadcast_arrays
from cowarray.array_api._manipulation import broadcast_shapes as broadcast_shapes
from cowarray.array_api._manipulation import broadcast_to as broadcast_to
from cowarray.array_api._manipulation import concat as concat
from cowarray.array_api._manipulation import expand_dims as expand_dims
from cowarray.array_api._manipulation import flip as flip
from cowarray.array_api._manipulation import moveaxis as moveaxis
from cowarray.array_api._manipulation import permute_dims as permute_dims
from cowarray.array_api._manipulation import repeat as repeat
from cowarray.array_api._manipulation import reshape as reshape
from cowarray.array_api._manipulation import roll as roll
from cowarray.array_api._manipulation import squeeze as squeeze
from cowarray.array_api._manipulation import stack as stack
from cowarray.array_api._manipulation import tile as tile
from cowarray.array_api._manipulation import unstack as unstack
from cowarray.array_api._searching import argmax as argmax
from cowarray.array_api._searching import argmin as argmin
from cowarray.array_api._searching import count_nonzero as count_nonzero
from cowarray.array_api._searching import nonzero as nonzero
from cowarray.array_api._searching import searchsorted as searchsorted
from cowarray.array_api._searching import where as where
from cowarray.array_api._sets import isin as isin
from cowarray.array_api._sets import unique_all as unique_all
from cowarray.array_api._sets import unique_counts as unique_counts
from cowarray.array_api._sets import unique_inverse as unique_inverse
from cowarray.array_api._sets import unique_values as unique_values
from cowarray.array_api._sorting import argsort as argsort
from cowarray.array_api._sorting import sort as sort
from cowarray.array_api._statistics import cumulative_prod as cumulative_prod
from cowarray.array_api._statistics import cumulative_sum as cumulative_sum
from cowarray.array_api._statistics import max as max
from cowarray.array_api._statistics import mean as mean
from cowarray.array_api._statistics import min as min
from cowarray.array_api._statistics import prod as prod
from cowarray.array_api._statistics import std as std
from cowarray.array_api._statistics import sum as sum
from cowarray.array_api._statistics import var as var
from cowarray.array_api._utility import all as all
from cowarray.array_api._utility import any as any
from cowarray.array_api._utility import diff as diff

__all__ = [
    "__array_api_version__",
    "__array_namespace_info__",
    "abs",
    "acos",
    "acosh",
    "add",
    "all",
    "any",
    "arange",
    "argmax",
    "argmin",
    "argsort",
    "asarray",
    "asin",
    "asinh",
    "astype",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "bool",
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "can_cast",
    "ceil",
    "clip",
    "complex64",
    "complex128",
    "concat",
    "conj",
    "copysign",
    "cos",
    "cosh",
    "count_nonzero",
    "cumulative_prod",
    "cumulative_sum",
    "diff",
    "divide",
    "e",
    "empty",
    "empty_like",
    "equal",
    "exp",
    "expand_dims",
    "expm1",
    "eye",
    "fft",
    "finfo",
    "flip",
    "float32",
    "float64",
    "floor",
    "floor_divide",
    "from_dlpack",
    "full",
    "full_like",
    "greater",
    "greater_equal",
    "hypot",
    "iinfo",
    "imag",
    "inf",
    "int8",
    "int16",
    "int32",
    "int64",
    "isdtype",
    "isfinite",
    "isin",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "linalg",
    "linspace",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "matmul",
    "matrix_transpose",
    "max",
    "maximum",
    "mean",
    "meshgrid",
    "min",
    "minimum",
    "moveaxis",
    "multiply",
    "nan",
    "negative",
    "newaxis",
    "nextafter",
    "nonzero",
    "not_equal",
    "ones",
    "ones_like",
    "permute_dims",
    "pi",
    "positive",
    "pow",
    "prod",
    "real",
    "reciprocal",
    "remainder",
    "repeat",
    "reshape",
    "result_type",
    "roll",
    "round",
    "searchsorted",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "sort",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "std",
    "subtract",
    "sum",
    "take",
    "take_along_axis",
    "tan",
    "tanh",
    "tensordot",
    "tile",
    "tril",
    "triu",
    "trunc",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
    "unstack",
    "var",
    "vecdot",
    "where",
    "zeros",
    "zeros_like",
]
