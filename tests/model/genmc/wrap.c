/* Two clones and a const scope of one Storage without a context: they get one. */
#define THREADS 3
#include "core.h"

static cow_storage *a, *made[2];

static void set_up(void)
{
    a = make(9);
}

static void work(int thread)
{
    if (thread == 2) {
        must_hold(a, 9, 9);
    }
    else {
        made[thread] = clone_of(a);
    }
}

static void wind_up(void)
{
    MUST(cow_storage_shares(a) == 3 && cow_storage_shares(made[1]) == 3);
    for (int i = 0; i < 2; i++) {
        write_cell(made[i], 0, i);
        must_hold(made[i], i, 9);
        cow_storage_free(made[i]);
    }
    must_hold(a, 9, 9);
    cow_storage_free(a);
}
