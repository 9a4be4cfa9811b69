/* Commits: regions of a window in memory are put into a new base, or pages of it into their base. */
#ifndef COWI_COMMITS_H
#define COWI_COMMITS_H

#include "windows.h"

/* As commit of cowi_place, for memory. */
COW_NODISCARD bool cowi_commit_regions(cowi_plan *how, size_t count);
/* As fold. */
COW_NODISCARD bool cowi_fold_region(cowi_plan *how, size_t index);

#endif
