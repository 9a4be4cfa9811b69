/* A Storage is cloned while another sharer materializes and a third drops. */
#define THREADS 3
#include "core.h"

static cow_storage *a, *b, *c, *made;

static void set_up(void)
{
    a = make(9);
    b = clone_of(a);
    c = clone_of(a);
}

static void work(int thread)
{
    if (thread == 0) {
        made = clone_of(a);
        write_cell(made, 0, 3);
    }
    else if (thread == 1) {
        write_cell(b, 0, 4);
    }
    else {
        cow_storage_free(c);
    }
}

static void wind_up(void)
{
    must_hold(a, 9, 9);
    must_hold(b, 4, 9);
    must_hold(made, 3, 9);
    cow_storage_free(a);
    cow_storage_free(b);
    cow_storage_free(made);
}
