from typing import final

from cowarray._ops.table import OVERLAPPING as OVERLAPPING
from cowarray._ops.table import VIEW as VIEW

@final
class Operation: ...

@final
class Passage: ...
