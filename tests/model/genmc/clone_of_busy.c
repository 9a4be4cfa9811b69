/* A clone of a Storage that another thread materializes: it is refused, or comes first; it never has bytes that are written. */
#define THREADS 2
#include "core.h"

static cow_storage *a, *b, *made;

static void set_up(void)
{
    a = make(9);
    b = clone_of(a);
}

static void work(int thread)
{
    if (thread == 0) {
        write_cell(a, 0, 1);
    }
    else if (cow_lazy_clone(a, 0, CELLS_SIZE, COW_TRY, &made, NULL) == COW_OK) {
        cow_const_scope scope;
        cow_storage_free(b); /* what is left is a, the clone, and perhaps a steal */
        b = NULL;
        open_scope(made, &scope);
        MUST(cell_of(&scope, 0) == 9 || cell_of(&scope, 0) == 1);
        cow_const_end(&scope);
    }
}

static void wind_up(void)
{
    must_hold(a, 1, 9);
    cow_storage_free(a);
    cow_storage_free(b);
    cow_storage_free(made);
}
