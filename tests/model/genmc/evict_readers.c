/* One sharer reads while another evicts the bytes, and makes them again: who reads has a reference that keeps them. */
#define THREADS 2
#include "core.h"

static cow_storage *a, *b;

static void set_up(void)
{
    a = make(9);
    b = clone_of(a);
}

static void work(int thread)
{
    cow_const_scope scope;
    cow_status status;
    if (thread == 1) {
        if (evicted(b, 2)) {
            MUST(bring(b, 9));
        }
        return;
    }
    status = cow_const_begin(a, &scope, NULL);
    MUST(status == COW_OK || status == COW_EABSENT);
    if (status == COW_OK) {
        MUST(cell_of(&scope, 0) == 9 && cell_of(&scope, 1) == 9);
        cow_const_end(&scope);
    }
}

static void wind_up(void)
{
    must_hold(a, 9, 9);
    must_hold(b, 9, 9);
    cow_storage_free(a);
    cow_storage_free(b);
}
