from cowarray._ops.table import FRESH as FRESH
from cowarray._ops.table import VIEW as VIEW

OBJECTS_ARE_ASKED: bool
