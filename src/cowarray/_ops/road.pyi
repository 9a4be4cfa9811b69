from cowarray._ops.table import FRESH as FRESH
from cowarray._ops.table import VIEW as VIEW
