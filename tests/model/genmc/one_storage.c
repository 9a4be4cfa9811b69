/* Two writers of one Storage fill their own parts, and its other sharer writes, too: one copy, one steal, no part lost. */
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
    if (thread == 2) {
        write_cell(b, 0, 7);
    }
    else {
        write_cell(a, thread, thread);
    }
}

static void wind_up(void)
{
    must_hold(a, 0, 1);
    must_hold(b, 7, 9);
    MUST(counted(COWI_COPIES) == 1 && counted(COWI_STEALS) == 1);
    MUST(cow_storage_pins(a) == 0);
    cow_storage_free(a);
    cow_storage_free(b);
}
