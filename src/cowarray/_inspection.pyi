from types import ModuleType
from typing import Any, Final

__all__ = ["__array_api_version__", "__array_namespace_info__", "namespace"]

__array_api_version__: Final[str]

def __array_namespace_info__() -> Any: ...
def namespace(api_version: str | None) -> ModuleType: ...
