/* The windows' quota of the maps that the kernel allows a process. */
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

/* Half of the quota is for windows with several maps; the other half, for thousands of windows with one. */
#define WINDOWS 128 /* how many more windows must be able to have as many as the next one */

static size_t for_one(size_t used)
{
    (void)pthread_once(&limit_once, read_limit);
    return used < most_maps / 2 ? (most_maps / 2 - used) / WINDOWS : 0;
}

size_t cowi_maps_for_one(void)
{
    return for_one(cowi_load_relaxed(&maps));
}

size_t cowi_maps_for_first(void)
{
    return for_one(0);
}

/* ---- windows of grounds -------------------------------------------------------------------------------------------- */

static pthread_mutex_t lists = PTHREAD_MUTEX_INITIALIZER;

void cowi_lists_hold(void)
{
    (void)pthread_mutex_lock(&lists);
}

void cowi_lists_let_go(void)
{
    (void)pthread_mutex_unlock(&lists);
}

void cowi_mapped_enlist(cowi_mapped *of)
{
    if (of->window.ground != NULL) {
        cowi_mapped **head = &of->window.ground->windows;
        cowi_base_retain(of->window.ground);
        cowi_lists_hold();
        of->next = *head;
        of->link = head;
        *head = of;
        if (of->next != NULL) {
            of->next->link = &of->next;
        }
        cowi_lists_let_go();
    }
}

void cowi_mapped_delist(cowi_mapped *of)
{
    if (of->window.ground != NULL) {
        cowi_lists_hold();
        *of->link = of->next;
        if (of->next != NULL) {
            of->next->link = of->link;
        }
        cowi_lists_let_go();
        cowi_base_release(of->window.ground);
    }
}

bool cowi_mapped_all(const cowi_base *ground, bool (*each)(cowi_mapped *of, void *context), void *context)
{
    bool good = true;
    cowi_lists_hold();
    for (cowi_mapped *of = ground->windows; good && of != NULL; of = of->next) {
        good = each(of, context);
    }
    cowi_lists_let_go();
    return good;
}

void cowi_maps_figures(cow_paging_figures *out)
{
    out->maps = cowi_load_relaxed(&maps);
}
