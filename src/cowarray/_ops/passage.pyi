from typing import final

from cowarray._ops.table import COPY as COPY
from cowarray._ops.table import KEYWORD_ONLY as KEYWORD_ONLY
from cowarray._ops.table import OVERLAPPING as OVERLAPPING
from cowarray._ops.table import SAME as SAME
from cowarray._ops.table import VIEW as VIEW

@final
class Operation: ...

@final
class Passage: ...
