/* One writes, one reads and drops, one writes and drops: nothing is freed early, twice or never. */
#define THREADS 3
#include "core.h"

static cow_storage *own[3];

static void set_up(void)
{
    own[0] = make(9);
    own[1] = clone_of(own[0]);
    own[2] = clone_of(own[0]);
}

static void work(int thread)
{
    if (thread == 1) {
        must_hold(own[1], 9, 9);
    }
    else {
        write_cell(own[thread], 0, thread);
    }
    if (thread != 0) {
        cow_storage_free(own[thread]);
    }
}

static void wind_up(void)
{
    must_hold(own[0], 0, 9);
    MUST(cow_storage_shares(own[0]) == 1);
    cow_storage_free(own[0]);
}
