/* Pages at rest: the allocator checks how many of them were written. The Storage is busy meanwhile, and the caller is
 * in the fork gate. */
#include "internal.h"

bool cowi_has_pages_at_rest(cow_storage *storage)
{
    return storage->sole && storage->paged && !cowi_load_seq_cst(&storage->busy) &&
           cowi_load_acquire(&storage->pins) == 0;
}

void cowi_settle_busy(cow_storage *storage, const cow_box *box)
{
    const cow_allocator *allocator = storage->allocator;
    cowi_context *context = storage->context;
    const cow_dataptr own = context->original;
    cow_status status;
    storage->sole = false;
    cowi_storage_unlock(storage);
    COWI_YIELD("settle");
    if (!allocator->paging->settle(allocator->self, &own, box)) {
        (void)cowi_copy(storage, true, NULL, 0, &status, NULL);
    }
    cowi_storage_lock(storage);
    if (storage->context == context) {
        cowi_storage_own(storage, own);
    }
}

void cowi_settle(cow_storage *storage, const cow_box *box)
{
    cowi_context *context;
    (void)cowi_gate_enter(false);
    if (cowi_storage_lock_wrapped(storage, NULL) != COW_OK) {
        cowi_gate_leave();
        return;
    }
    context = storage->context;
    if (!cowi_has_pages_at_rest(storage)) {
        cowi_storage_unlock(storage);
        cowi_gate_leave();
        return;
    }
    cowi_store_seq_cst(&storage->busy, 1);
    cowi_settle_busy(storage, box);
    cowi_no_longer_busy(storage, storage->context != context ? context : NULL);
}
