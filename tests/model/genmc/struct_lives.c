/* A Storage is written and freed while a const scope of it is open; the sharer that stays behind writes, too. */
#define THREADS 3
#include "core.h"

static cow_storage *a, *b;
static cow_const_scope scope;

static void set_up(void)
{
    a = make(9);
    b = clone_of(a);
    open_scope(a, &scope);
}

static void work(int thread)
{
    if (thread == 0) {
        MUST(cell_of(&scope, 0) == 9);
        cow_const_end(&scope);
    }
    else if (thread == 1) {
        write_cell(a, 1, 1);
        cow_storage_free(a);
    }
    else {
        write_cell(b, 0, 2);
    }
}

static void wind_up(void)
{
    must_hold(b, 2, 9);
    MUST(cow_storage_shares(b) == 1);
    cow_storage_free(b);
}
