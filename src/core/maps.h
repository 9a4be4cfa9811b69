/* Windows that are maps, and how many maps the kernel allows: a process at the limit can neither allocate nor start threads. */
#ifndef COWI_MAPS_H
#define COWI_MAPS_H

#include "windows.h"

/* A window in memory; its bases are those of base.h. */
typedef struct cowi_mapped {
    cowi_window window; /* first, as cowi_place has it */
    char *map;          /* aligned to a region */
    size_t maps;        /* that the kernel has for it; changes with the regions */
} cowi_mapped;

static inline char *cowi_mapped_region(const cowi_window *of, size_t index)
{
    return ((const cowi_mapped *)(const void *)of)->map + index * COWI_REGION;
}

/* Takes maps from what all windows may have, a quarter of the limit. False: there are not so many left. */
COW_NODISCARD bool cowi_maps_take(size_t some);
void cowi_maps_return(size_t some);
/* Sets maps. */
void cowi_maps_figures(cow_paging_figures *out);

#endif
