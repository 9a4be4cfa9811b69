from typing import Any

from numpy import index_exp as index_exp
from numpy import s_ as s_

from cowarray._face.ndarray import ndarray

class _Indexed:
    def __len__(self) -> int: ...

class _Columns(_Indexed):
    def __getitem__(self, key: Any, /) -> ndarray[Any, Any]: ...

class _DenseGrid(_Indexed):
    def __getitem__(self, key: Any, /) -> ndarray[Any, Any]: ...

class _OpenGrid(_Indexed):
    def __getitem__(self, key: Any, /) -> Any: ...

class _Rows(_Indexed):
    def __getitem__(self, key: Any, /) -> ndarray[Any, Any]: ...

c_: _Columns
mgrid: _DenseGrid
ogrid: _OpenGrid
r_: _Rows
