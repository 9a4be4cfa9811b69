/* The first thread gets no memory, while another sharer writes and a third drops: its array keeps its value and its share,
 * or it finds itself the last sharer and steals. */
#define THREADS 3
#include "core.h"

static cow_storage *own[3];
static bool wrote[2];

static void set_up(void)
{
    own[0] = make(9);
    own[1] = clone_of(own[0]);
    own[2] = clone_of(own[0]);
}

static void work(int thread)
{
    model_refuse = thread == 0;
    if (thread == 2) {
        cow_storage_free(own[2]);
    }
    else {
        wrote[thread] = write_cell(own[thread], 0, thread);
    }
}

static void wind_up(void)
{
    MUST(wrote[1] && counted(COWI_COPIES) + counted(COWI_STEALS) == wrote[0] + 1);
    for (int i = 0; i < 2; i++) {
        must_hold(own[i], wrote[i] ? i : 9, 9);
        MUST(!cowi_load_relaxed(&own[i]->busy));
        cow_storage_free(own[i]);
    }
}
