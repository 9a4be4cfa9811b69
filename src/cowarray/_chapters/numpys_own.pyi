from numpy import (
    allclose as allclose,
)
from numpy import (
    array2string as array2string,
)
from numpy import (
    array_equal as array_equal,
)
from numpy import (
    array_equiv as array_equiv,
)
from numpy import (
    array_repr as array_repr,
)
from numpy import (
    array_str as array_str,
)
from numpy import (
    base_repr as base_repr,
)
from numpy import (
    binary_repr as binary_repr,
)
from numpy import (
    errstate as errstate,
)
from numpy import (
    format_float_positional as format_float_positional,
)
from numpy import (
    format_float_scientific as format_float_scientific,
)
from numpy import (
    frompyfunc as frompyfunc,
)
from numpy import (
    get_printoptions as get_printoptions,
)
from numpy import (
    getbufsize as getbufsize,
)
from numpy import (
    geterr as geterr,
)
from numpy import (
    geterrcall as geterrcall,
)
from numpy import (
    iscomplexobj as iscomplexobj,
)
from numpy import (
    isfortran as isfortran,
)
from numpy import (
    isrealobj as isrealobj,
)
from numpy import (
    isscalar as isscalar,
)
from numpy import (
    iterable as iterable,
)
from numpy import (
    may_share_memory as may_share_memory,
)
from numpy import (
    ndindex as ndindex,
)
from numpy import (
    nditer as nditer,
)
from numpy import (
    nested_iters as nested_iters,
)
from numpy import (
    printoptions as printoptions,
)
from numpy import (
    set_printoptions as set_printoptions,
)
from numpy import (
    setbufsize as setbufsize,
)
from numpy import (
    seterr as seterr,
)
from numpy import (
    seterrcall as seterrcall,
)
from numpy import (
    shares_memory as shares_memory,
)

__all__ = [
    "allclose",
    "array2string",
    "array_equal",
    "array_equiv",
    "array_repr",
    "array_str",
    "base_repr",
    "binary_repr",
    "errstate",
    "format_float_positional",
    "format_float_scientific",
    "frompyfunc",
    "get_printoptions",
    "getbufsize",
    "geterr",
    "geterrcall",
    "iscomplexobj",
    "isfortran",
    "isrealobj",
    "isscalar",
    "iterable",
    "may_share_memory",
    "ndindex",
    "nditer",
    "nested_iters",
    "printoptions",
    "set_printoptions",
    "setbufsize",
    "seterr",
    "seterrcall",
    "shares_memory",
]
