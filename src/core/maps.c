/* Maps of windows, of those that the kernel allows a process. */
#include "maps.h"

#include <stdio.h>

static cowi_atomic_size maps;
static pthread_once_t limit_once = PTHREAD_ONCE_INIT;
static size_t most_maps;

static void read_limit(void)
{
    FILE *file = fopen("/proc/sys/vm/max_map_count", "re");
    unsigned long limit = 0;
    if (file != NULL) {
        if (fscanf(file, "%lu", &limit) != 1) {
            limit = 0;
        }
        (void)fclose(file);
    }
    most_maps = limit / 4;
}

void cowi_maps_return(size_t some)
{
    (void)cowi_sub_release(&maps, some);
}

bool cowi_maps_take(size_t some)
{
    (void)pthread_once(&limit_once, read_limit);
    if (cowi_add_relaxed(&maps, some) + some <= most_maps) {
        return true;
    }
    cowi_maps_return(some);
    return false;
}

void cowi_maps_figures(cow_paging_figures *out)
{
    out->maps = cowi_load_relaxed(&maps);
}
