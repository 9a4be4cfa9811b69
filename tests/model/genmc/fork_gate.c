/* A fork's handlers, around a look at what the child would inherit: no lock is held, and no Storage is half moved. */
#define THREADS 3
#define MODEL_GATE
#include "core.h"

static cow_storage *own[2];

static void set_up(void)
{
    start();
    own[0] = make(9);
    own[1] = clone_of(own[0]);
}

static void work(int thread)
{
    if (thread != 2) {
        write_cell(own[thread], 0, thread);
        return;
    }
    prepare();
    for (int i = 0; i < 2; i++) { /* without the micro lock, which a child takes over if it must */
        cowi_context *context = own[i]->context;
        MUST(!cowi_load_relaxed(&own[i]->busy) && (own[i]->sole || context != NULL));
        MUST(context == NULL || cowi_load_relaxed(&context->lock.held) == 0);
    }
    parent();
}

static void wind_up(void)
{
    must_hold(own[0], 0, 9);
    must_hold(own[1], 1, 9);
    MUST(counted(COWI_COPIES) == 1 && counted(COWI_STEALS) == 1);
    cow_storage_free(own[0]);
    cow_storage_free(own[1]);
}
