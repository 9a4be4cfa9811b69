from collections.abc import Callable, Mapping
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])

class Completed:
    parameters: Mapping[str, str]
    kind: str
    space: str
    same: str
    returns: str | None
    def __init__(
        self,
        parameters: Mapping[str, str],
        kind: str = "ndarray or scalar",
        space: str = "numpy",
        same: str = "The same for NumPy's arrays.",
        returns: str | None = None,
    ) -> None: ...
    def __call__(self, function: _Function) -> _Function: ...
