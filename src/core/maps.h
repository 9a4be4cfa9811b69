/* Windows in memory, and the kernel's limit on maps, at which a process can neither allocate nor start threads. */
#ifndef COWI_MAPS_H
#define COWI_MAPS_H

#include "windows.h"

/* A window in memory; its bases are those of base.h. */
typedef struct cowi_mapped {
    cowi_window window;               /* first, as cowi_place requires */
    struct cowi_mapped *next, **link; /* among those on one ground */
    char *map;                        /* aligned to a region */
    size_t maps;                      /* how many the kernel has for it; changes with the regions */
} cowi_mapped;

static inline char *cowi_mapped_region(const cowi_window *of, size_t index)
{
    return ((const cowi_mapped *)(const void *)of)->map + index * COWI_REGION;
}

/* Takes maps from the windows' quota, a quarter of the limit. False: not that many are left. */
COW_NODISCARD bool cowi_maps_take(size_t some);
void cowi_maps_return(size_t some);
/* How many maps a window may have after a commit, so that thousands more fit; and how many the first one may have. */
size_t cowi_maps_for_one(void);
size_t cowi_maps_for_first(void);
/* Adds the window to its ground's list, if it has a ground, and removes it. Waits only for the lists' lock. */
void cowi_mapped_enlist(cowi_mapped *of);
void cowi_mapped_delist(cowi_mapped *of);
/* Calls each for all windows on a ground, none of which ends meanwhile, until a call returns false. */
COW_NODISCARD bool cowi_mapped_all(const cowi_base *ground, bool (*each)(cowi_mapped *of, void *context),
                                   void *context);
/* Around a fork: the child must not inherit the lock from a thread that it does not have. */
void cowi_lists_hold(void);
void cowi_lists_let_go(void);
/* Sets maps. */
void cowi_maps_figures(cow_paging_figures *out);

#endif
