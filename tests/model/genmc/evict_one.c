/* One Storage that nobody shares: one thread writes to it, the other evicts it. */
#define THREADS 2
#include "core.h"

static cow_storage *a;
static bool gone;

static void set_up(void)
{
    a = make(9);
}

static void work(int thread)
{
    cow_mutable_scope scope;
    cow_status status;
    if (thread == 1) {
        gone = evicted(a, 1);
        return;
    }
    status = cow_mutable_begin(a, 0, &scope, NULL);
    MUST(status == COW_OK || status == COW_EABSENT);
    if (status == COW_OK) {
        ((int *)scope.data)[0] = 1;
        cow_mutable_end(&scope);
    }
}

static void wind_up(void)
{
    MUST(gone == (cow_storage_is_absent(a) == 1));
    cow_storage_free(a);
}
