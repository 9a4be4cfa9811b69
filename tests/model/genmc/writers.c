/* Three sharers that all write: two copies, one steal, nobody sees another's value. */
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
    write_cell(own[thread], 0, thread);
}

static void wind_up(void)
{
    for (int i = 0; i < 3; i++) {
        must_hold(own[i], i, 9);
        cow_storage_free(own[i]);
    }
    MUST(counted(COWI_COPIES) == 2 && counted(COWI_STEALS) == 1);
}
