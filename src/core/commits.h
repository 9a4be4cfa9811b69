/* Commits: regions of a window in memory are put into a new base. */
#ifndef COWI_COMMITS_H
#define COWI_COMMITS_H

#include "windows.h"

/* As commit of cowi_place, for memory. Nobody writes to the source meanwhile: what its pages hold equals what the new base will
 * hold, so that readers see nothing of it. */
COW_NODISCARD bool cowi_commit_regions(cowi_plan *how, size_t count);

#endif
