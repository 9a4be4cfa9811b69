"""What users see of versions, in one step: `cowarray` imports it when the first of these names is asked for."""

from cowarray._versions.changes import Changes, changes
from cowarray._versions.history import History
from cowarray._versions.merging import MergeConflict, merge
from cowarray._versions.saving import save_async
from cowarray._versions.tree import Version

__all__ = ["Changes", "History", "MergeConflict", "Version", "changes", "merge", "save_async"]

# Where users and pickles find them.
for _public in (Changes, History, MergeConflict, Version, changes, merge, save_async):
    _public.__module__ = "cowarray"
del _public
