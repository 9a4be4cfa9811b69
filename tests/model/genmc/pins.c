/* A sole Storage is written while it is cloned: the clone is refused while the pin is there, and otherwise never changes. */
#define THREADS 2
#include "core.h"

static cow_storage *a, *made;

static void set_up(void)
{
    a = make(9);
}

static void work(int thread)
{
    if (thread == 0) {
        write_cell(a, 0, 1);
        write_cell(a, 0, 2);
    }
    else if (cow_lazy_clone(a, 0, CELLS_SIZE, COW_TRY, &made, NULL) == COW_OK) {
        cow_const_scope scope;
        open_scope(made, &scope);
        const int seen = cell_of(&scope, 0);
        MUST(seen == 9 || seen == 1 || seen == 2);
        cow_const_end(&scope);
    }
}

static void wind_up(void)
{
    must_hold(a, 2, 9);
    cow_storage_free(a);
    cow_storage_free(made);
}
