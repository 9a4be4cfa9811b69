from typing import Any, Self, final

from cowarray._face.ndarray import ndarray

@final
class Loan:
    def __new__(cls, x: ndarray[Any, Any]) -> Self: ...
    def end(self) -> None: ...
