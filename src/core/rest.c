/* Pages that nobody writes to: the allocator looks at how much of them was written, and puts together what reads pay for.
 * The Storage is busy meanwhile, and the caller in the fork gate. */
#include "internal.h"

bool cowi_has_pages_at_rest(cow_storage *storage)
{
    return storage->sole && storage->paged && !cowi_load_seq_cst(&storage->busy) &&
           cowi_load_acquire(&storage->pins) == 0;
}

/* Enters the gate, and locks a Storage that has a context. False: neither; memory has run out. */
static bool lock_in_gate(cow_storage *storage)
{
    (void)cowi_gate_enter(false);
    if (cowi_storage_lock_wrapped(storage, NULL) == COW_OK) {
        return true;
    }
    cowi_gate_leave();
    return false;
}

static void unlock_in_gate(cow_storage *storage)
{
    cowi_storage_unlock(storage);
    cowi_gate_leave();
}

void cowi_settle(cow_storage *storage, const cow_box *box)
{
    const cow_allocator *allocator = storage->allocator;
    cowi_context *context;
    cow_status status;
    bool moved;
    if (!lock_in_gate(storage)) {
        return;
    }
    context = storage->context;
    if (!cowi_has_pages_at_rest(storage)) {
        unlock_in_gate(storage);
        return;
    }
    storage->sole = false;
    cowi_store_seq_cst(&storage->busy, 1);
    const cow_dataptr own = context->original;
    cowi_storage_unlock(storage);
    COWI_YIELD("settle");
    if (!allocator->paging->settle(allocator->self, &own, box)) {
        (void)cowi_copy(storage, true, NULL, 0, &status, NULL);
    }
    cowi_storage_lock(storage);
    moved = storage->context != context;
    if (!moved) {
        cowi_storage_own(storage, own);
    }
    cowi_no_longer_busy(storage, moved ? context : NULL);
}

/* With the lock held: the Storage is busy from here on, and its bytes stay, if they are pages to which nobody writes. */
static bool begin_healing(cow_storage *storage, cow_dataptr *own)
{
    cowi_context *context = storage->context;
    cowi_where where;
    if (cowi_load_seq_cst(&storage->busy) || cowi_load_acquire(&storage->pins) != 0) {
        return false;
    }
    where = cowi_context_retain(context); /* a share keeps nobody from evicting */
    if (where != COWI_HERE && where != COWI_FILLED) {
        return false;
    }
    *own = context->original;
    if (!cowi_dataptr_paged(storage->allocator, *own)) {
        cowi_context_release(context); /* that of the share stays */
        return false;
    }
    storage->sole = false;
    cowi_store_seq_cst(&storage->busy, 1);
    return true;
}

void cow_storage_heal(cow_storage *storage, int at_once)
{
    const cow_allocator *allocator = storage->allocator;
    cowi_context *context;
    cow_dataptr own;
    bool sole;
    if (allocator->paging == NULL || storage->nbytes < allocator->paging->least || !lock_in_gate(storage)) {
        return;
    }
    context = storage->context;
    sole = storage->sole;
    if (!begin_healing(storage, &own)) {
        unlock_in_gate(storage);
        return;
    }
    cowi_storage_unlock(storage);
    COWI_YIELD("heal");
    allocator->paging->heal(allocator->self, &own, at_once);
    cowi_storage_lock(storage);
    if (sole) {
        cowi_storage_own(storage, own);
    }
    cowi_no_longer_busy(storage, context);
}
