/* A const scope of a Storage that moves away under it, while the other sharer drops: memory and values stay. */
#define THREADS 3
#include "core.h"

static cow_storage *a, *b;

static void set_up(void)
{
    a = make(9);
    b = clone_of(a);
}

static void work(int thread)
{
    if (thread == 0) {
        must_hold(a, 9, 9);
    }
    else if (thread == 1) {
        write_cell(a, CELLS, 0);
    }
    else {
        cow_storage_free(b);
    }
}

static void wind_up(void)
{
    must_hold(a, 9, 9);
    cow_storage_free(a);
}
