from collections.abc import Callable
from typing import Any

import numpy as np

def elementwise1(
    ufunc: np.ufunc, x: Any, out: Any = None, where: Any = True, dtype: Any = None, casting: str = "same_kind", /
) -> Any: ...
def elementwise2(
    ufunc: np.ufunc,
    x1: Any,
    x2: Any,
    out: Any = None,
    where: Any = True,
    dtype: Any = None,
    casting: str = "same_kind",
    /,
) -> Any: ...
def born(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any: ...
def fresh(result: Any, /) -> Any: ...
def ufunc_method(
    ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], out: Any, options: dict[str, Any], /
) -> Any: ...
def imported(x: Any, /) -> Any: ...
def dispatched(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any: ...
