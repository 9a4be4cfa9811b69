/* A const scope reads one part of a while another thread writes a's other part, and b is left alone with the bytes that
 * the scope reads: b may not write them in place before the scope has ended. */
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
    if (thread == 0) {
        cow_const_scope scope;
        open_scope(a, &scope);
        MUST(cell_of(&scope, 0) == 9);
        cow_const_end(&scope);
    }
    else if (thread == 1) {
        write_cell(a, 1, 1);
    }
    else {
        write_cell(b, 0, 2);
    }
}

static void wind_up(void)
{
    must_hold(a, 9, 1);
    must_hold(b, 2, 9);
    cow_storage_free(a);
    cow_storage_free(b);
}
