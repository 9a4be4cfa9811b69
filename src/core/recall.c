/* Recalls: bytes that a writer has taken over come back to a sharer that wants to read. */
#include <sched.h>

#include "internal.h"

int cow_storage_has_past(cow_storage *storage)
{
    int has;
    cowi_storage_lock(storage);
    has = storage->context != NULL && cowi_context_has_past(storage->context);
    cowi_storage_unlock(storage);
    return has;
}

static void fill_with_past(void *context, cow_dataptr bytes)
{
    cowi_context_bring_back((cowi_context *)context, bytes);
}

static bool block_for_past(void *context, size_t nbytes, cow_dataptr *out)
{
    return cowi_block_new(((cowi_context *)context)->allocator, nbytes, out);
}

static void enter_gate(void)
{
    (void)cowi_gate_enter(false);
}

const cow_past_host cowi_past_host = {fill_with_past, block_for_past, enter_gate, cowi_gate_leave};

/* In the gate, with a reference. */
static cow_status recall(cowi_context *context, cow_error *err)
{
    while (cowi_context_absent(context)) {
        COWI_YIELD("recall");
        void *past = cowi_load_acquire(&context->past);
        if (past == NULL && cowi_context_is_gone(context)) {
            return cowi_fail_absent(err);
        }
        if (past == NULL || cowi_context_moving(context)) {
            (void)sched_yield();
        }
        else {
            const cow_status status = context->allocator->paging->pasts->recall(past, err);
            if (status != COW_OK) {
                return status;
            }
        }
    }
    return COW_OK;
}

/* Returns a reference to the context if the bytes are absent. NULL: they are here, or *status tells the failure. */
static cowi_context *hold_absent(cow_storage *storage, cow_status *status, cow_error *err)
{
    cowi_context *context = NULL;
    *status = COW_OK;
    cowi_storage_lock(storage);
    if (storage->context != NULL && cowi_context_absent(storage->context)) {
        if (cowi_context_hold(storage->context)) {
            context = storage->context;
        }
        else {
            *status = cowi_fail(err, COW_EOVERFLOW, "too many scopes are open on one allocation");
        }
    }
    cowi_storage_unlock(storage);
    return context;
}

cow_status cowi_recall(cow_storage *storage, bool inside, cow_error *err)
{
    cow_status status;
    cowi_context *context = hold_absent(storage, &status, err);
    if (context != NULL) {
        if (!inside) {
            (void)cowi_gate_enter(false);
        }
        status = recall(context, err);
        if (!inside) {
            cowi_gate_leave();
        }
        cowi_context_release(context); /* inside, never the last: a busy Storage has a share */
    }
    return status;
}

cow_status cowi_begin_to_read(cow_storage *storage, cow_error *err)
{
    for (;;) {
        const cowi_where where = cowi_context_retain(storage->context);
        cow_status status;
        if (where == COWI_HERE || where == COWI_FILLED) {
            return COW_OK;
        }
        if (where == COWI_FULL) {
            return cowi_fail(err, COW_EOVERFLOW, "too many scopes are open on one allocation");
        }
        status = cowi_recall(storage, true, err);
        if (status != COW_OK) {
            return status;
        }
    }
}

/* In the gate, with a reference. A retired past is freed while the bytes move, so this waits. */
static bool count_past(cowi_context *context, size_t *nbytes)
{
    void *past;
    while (cowi_context_moving(context)) {
        (void)sched_yield();
    }
    past = cowi_context_absent(context) ? cowi_load_acquire(&context->past) : NULL;
    if (past != NULL) {
        *nbytes = context->allocator->paging->pasts->nbytes(past);
    }
    return past != NULL;
}

bool cowi_past_bytes(cow_storage *storage, size_t *nbytes)
{
    cow_status status;
    cowi_context *context = hold_absent(storage, &status, NULL);
    bool found = false;
    if (context != NULL) {
        (void)cowi_gate_enter(false);
        found = count_past(context, nbytes);
        cowi_gate_leave();
        cowi_context_release(context);
    }
    return found;
}
