/* The last other share is dropped, and the last other scope ended, while a thread copies: its reference keeps the bytes. */
#define THREADS 3
#include "core.h"

static cow_storage *a, *b;
static cow_const_scope scope;

static void set_up(void)
{
    a = make(9);
    b = clone_of(a);
    open_scope(b, &scope);
}

static void work(int thread)
{
    if (thread == 0) {
        write_cell(a, 0, 1);
    }
    else if (thread == 1) {
        cow_storage_free(b);
    }
    else {
        cow_const_end(&scope);
    }
}

static void wind_up(void)
{
    must_hold(a, 1, 9);
    cow_storage_free(a);
}
