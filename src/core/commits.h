/* Commits put regions of a window in memory into a new base; folds put its pages into their base. */
#ifndef COWI_COMMITS_H
#define COWI_COMMITS_H

#include "windows.h"

/* commit of cowi_place, for memory. */
COW_NODISCARD bool cowi_commit_regions(cowi_plan *how, size_t count);
/* fold of cowi_place, for memory. */
COW_NODISCARD bool cowi_fold_region(cowi_plan *how, size_t index);

#endif
