/* Two snapshots are read and released while the array is written: what is released may be stolen, what is held not. */
#define THREADS 3
#include "core.h"

static cow_storage *a, *shot[2];

static void set_up(void)
{
    a = make(9);
    shot[0] = clone_of(a);
    shot[1] = clone_of(a);
}

static void work(int thread)
{
    if (thread == 2) {
        write_cell(a, 0, 1);
    }
    else {
        must_hold(shot[thread], 9, 9);
        cow_storage_free(shot[thread]);
    }
}

static void wind_up(void)
{
    must_hold(a, 1, 9);
    cow_storage_free(a);
}
