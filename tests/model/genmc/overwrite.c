/* An overwrite of a, another materialization of a, and a write to the other sharer, which must not steal what the scope
 * reads. */
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
    cow_overwrite_scope scope;
    cow_status status;
    if (thread == 1) {
        write_cell(a, CELLS, 0);
        return;
    }
    if (thread == 2) {
        write_cell(b, 0, 7);
        return;
    }
    status = cow_overwrite_begin(a, 0, &scope, NULL);
    MUST(status == COW_OK);
    for (int i = 0; i < CELLS; i++) {
        const int old = ((const int *)scope.old)[i];
        MUST(old == 9);
        ((int *)scope.data)[i] = old + 1;
    }
    status = cow_overwrite_commit(&scope, NULL, NULL);
    MUST(status == COW_OK || status == COW_EMOVED);
    if (status == COW_EMOVED) {
        write_cell(a, 0, 10);
        write_cell(a, 1, 10);
        cow_overwrite_abort(&scope);
    }
}

static void wind_up(void)
{
    must_hold(a, 10, 10);
    must_hold(b, 7, 9);
    MUST(cow_storage_shares(a) == 1 && cow_storage_shares(b) == 1 && cow_storage_pins(a) == 0);
    cow_storage_free(a);
    cow_storage_free(b);
}
