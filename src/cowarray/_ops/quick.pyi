from cowarray._ops.table import VIEW as VIEW
