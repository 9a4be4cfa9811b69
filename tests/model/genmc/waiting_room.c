/* The waiting room alone: who waits for a busy Storage is woken. A lost wake-up would be a thread that waits for good. */
#define THREADS 2
#define MODEL_GATE
#include "core.h"

static cow_storage *a;

static void set_up(void)
{
    start();
    a = make(9);
    cowi_store_seq_cst(&a->busy, 1);
}

static void work(int thread)
{
    if (thread == 0) {
        cowi_store_seq_cst(&a->busy, 0);
        cowi_wake_busy();
    }
    else {
        cowi_wait_while_busy(a);
    }
}

static void wind_up(void)
{
    cow_storage_free(a);
}
