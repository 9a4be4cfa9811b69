/* The stealer frees what it stole while the copier may still be on its way out of unlock. */
#define THREADS 2
#include "core.h"

static cow_storage *own[2];

static void set_up(void)
{
    own[0] = make(9);
    own[1] = clone_of(own[0]);
}

static void work(int thread)
{
    write_cell(own[thread], 0, thread);
    must_hold(own[thread], thread, 9);
    cow_storage_free(own[thread]);
}

static void wind_up(void)
{
    MUST(counted(COWI_COPIES) + counted(COWI_STEALS) >= 1);
}
