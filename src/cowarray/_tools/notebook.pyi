from typing import Any

from cowarray._face.ndarray import ndarray

__all__ = ["as_html"]

def as_html(x: ndarray[Any, Any]) -> str: ...
