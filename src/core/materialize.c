/* Gives a sharing Storage its own bytes: by a steal, for the last sharer, or by a copy of the window. The caller is in
 * the fork gate and has made the Storage busy. */
#include "internal.h"

/* ---- busy: one thread at a time gives a Storage other bytes ------------------------------------------------------- */

cow_status cowi_become_busy(cow_storage *storage, unsigned flags, bool *sole, cow_error *err)
{
    for (;;) {
        if (!cowi_gate_enter((flags & COW_TRY) != 0)) {
            return cowi_fail(err, COW_EBUSY, "a fork is in progress");
        }
        cowi_storage_lock(storage);
        *sole = storage->sole;
        if (*sole) {
            return COW_OK;
        }
        if (!cowi_load_seq_cst(&storage->busy)) {
            cowi_store_seq_cst(&storage->busy, 1);
            cowi_storage_unlock(storage);
            return COW_OK;
        }
        cowi_storage_unlock(storage);
        cowi_gate_leave();
        if (flags & COW_TRY) {
            return cowi_fail(err, COW_EBUSY, "another thread is materializing the same Storage");
        }
        cowi_wait_while_busy(storage);
    }
}

void cowi_no_longer_busy(cow_storage *storage, cowi_context *moved)
{
    COWI_ASSERT(cowi_load_relaxed(&storage->busy) == 1);
    cowi_store_seq_cst(&storage->busy, 0);
    cowi_storage_unlock(storage);
    cowi_wake_busy();
    cowi_gate_leave();
    if (moved != NULL) {
        cowi_context_release(moved);
    }
}

/* ---- a steal ------------------------------------------------------------------------------------------------------ */

/* For the last sharer. A copier takes the shared lock before it gives up its share, and leaves the context before it
 * releases the lock. Since we have seen that one share remains, all remaining copiers have the lock. */
static cow_status wait_for_copies(cowi_context *context, unsigned flags, cow_error *err)
{
    COWI_YIELD("steal");
    if (flags & COW_TRY) {
        if (pthread_rwlock_trywrlock(&context->lock) != 0) {
            return cowi_fail(err, COW_EBUSY, "copies of the bytes are in progress");
        }
    }
    else {
        (void)pthread_rwlock_wrlock(&context->lock);
    }
    (void)pthread_rwlock_unlock(&context->lock);
    return COW_OK;
}

/* ---- a copy ------------------------------------------------------------------------------------------------------- */

cowi_context *cowi_put_in_place(cow_storage *storage, cow_dataptr fresh)
{
    cowi_context *left = cowi_storage_leave(storage);
    cow_family *family = (cow_family *)cowi_load_acquire(&left->family);
    COWI_ASSERT_FULL(!storage->sole && cowi_load_relaxed(&storage->pins) == 0); /* nobody writes to what it leaves */
    if (storage->family == NULL) {                                              /* otherwise it is the same family */
        storage->family = cowi_family_retain(family);
    }
    storage->ptr = fresh;
    storage->offset = 0;
    cowi_storage_own(storage, fresh);
    cowi_store_release(&storage->address, fresh.data);
    cowi_store_relaxed(&storage->allocated, storage->nbytes);
    return left;
}

/* Takes a reference. False: there are no bytes, or no room for another reader. */
static bool begin_to_read(cowi_context *context)
{
    const cowi_where where = cowi_context_retain(context);
    return where == COWI_HERE || where == COWI_FILLED;
}

/* With the context's lock shared: makes a paged window, for a writer that describes what it will touch. False: nothing
 * was done. A second reference keeps others from evicting the bytes while they are read. */
static bool share_pages(cow_storage *storage, const cow_box *box, unsigned flags, cow_dataptr *fresh, size_t *copied)
{
    const cow_allocator *allocator = storage->allocator;
    cowi_context *context = storage->context;
    cow_sharing sharing;
    void *own_shadow = NULL; /* for foreign bytes, which their owner may change: no other sharer uses it */
    bool shared;
    if (box == NULL || allocator->paging == NULL || storage->nbytes < allocator->paging->least ||
        (context->foreign && (flags & COWI_ON_REQUEST) == 0)) {
        return false;
    }
    if (!begin_to_read(context)) {
        return false;
    }
    sharing.source = context->original;
    sharing.allocated = context->nbytes;
    sharing.offset = storage->offset;
    sharing.nbytes = storage->nbytes;
    sharing.box = box;
    sharing.family = (flags & COWI_ON_REQUEST) != 0 ? storage->family : cowi_context_family(context);
    sharing.instead_of_steal = (flags & COWI_PAGES_ONLY) != 0 && (flags & COWI_ON_REQUEST) == 0;
    sharing.will_earn = 0;
    sharing.may_wait = (flags & COW_TRY) == 0;
    sharing.shadow = context->foreign ? &own_shadow : &context->shadow;
    shared = allocator->paging->share(allocator->self, &sharing) != 0;
    if (shared) {
        *fresh = sharing.made;
        *copied = sharing.copied;
    }
    if (own_shadow != NULL) {
        allocator->paging->unshadow(allocator->self, own_shadow);
    }
    cowi_context_release(context); /* never the last: the Storage has a share */
    return shared;
}

static void copy_window(cow_storage *storage, cowi_context *context, cow_dataptr fresh)
{
    const cow_allocator *allocator = storage->allocator;
    const cow_dataptr original = context->original;
    cow_family *family = (cow_family *)cowi_load_acquire(&context->family);
    allocator->clone(allocator->self, fresh.data, (const char *)original.data + storage->offset, storage->nbytes);
    if (family != NULL && storage->nbytes >= allocator->paging->least) {
        cowi_family_spend(family, storage->nbytes);
    }
}

bool cowi_copy(cow_storage *storage, bool keep, const cow_box *box, unsigned flags, cow_status *status, cow_error *err)
{
    cowi_context *context = storage->context;
    cow_dataptr fresh;
    size_t copied = storage->nbytes;
    bool by_page;
    if (pthread_rwlock_tryrdlock(&context->lock) != 0) {
        /* Only the last sharer takes the lock exclusively, and we have a share, so the count of readers must be
         * full. */
        *status = cowi_fail(err, COW_EOVERFLOW, "too many threads are copying one allocation");
        return true;
    }
    COWI_YIELD("shared lock");
    cowi_context_earn(context);
    by_page = share_pages(storage, box, flags, &fresh, &copied);
    if (!by_page && (flags & COWI_PAGES_ONLY)) {
        (void)pthread_rwlock_unlock(&context->lock);
        return false;
    }
    if (!by_page && !cowi_block_new(storage->allocator, storage->nbytes, &fresh)) {
        (void)pthread_rwlock_unlock(&context->lock);
        *status = cowi_fail_block(err, storage->allocator, storage->nbytes, " for a write to a shared Storage");
        return !cowi_context_stealable(context);
    }
    /* Everything that can fail is behind us, so the share may go. Since we have the lock, nobody can steal the bytes
     * that we copy; since the share's reference stays, nobody can evict them. */
    if (!cowi_context_give_up_share(context, keep)) {
        (void)pthread_rwlock_unlock(&context->lock);
        cowi_dataptr_delete(&fresh, storage->nbytes);
        return false;
    }
    COWI_YIELD("copy");
    if (!by_page) {
        copy_window(storage, context, fresh);
    }
    COWI_YIELD("put in place");
    cowi_storage_lock(storage);
    (void)cowi_put_in_place(storage, fresh);
    cowi_storage_unlock(storage);
    (void)pthread_rwlock_unlock(&context->lock);
    cowi_count(COWI_COPIES, 1);
    cowi_count(COWI_BYTES_COPIED, copied);
    if (storage->family != NULL) {
        cowi_family_wrote(storage->family);
    }
    *status = COW_OK;
    return true;
}

/* ---- a steal from others ------------------------------------------------------------------------------------------ */

/* Makes the shared bytes the writer's, and the others' values a past of them. False, and nothing is done: somebody
 * reads them, or taking over is not worthwhile. */
static bool take_over(cow_storage *storage, const cow_box *box)
{
    const cow_allocator *allocator = storage->allocator;
    const cow_pasts *pasts = allocator->paging == NULL ? NULL : allocator->paging->pasts;
    cowi_context *context = storage->context;
    void *past;
    cow_dataptr bytes;
    bool taken = false;
    if (pasts == NULL || box == NULL || context->foreign || storage->nbytes != context->nbytes ||
        storage->nbytes < allocator->paging->least) {
        return false;
    }
    if (!begin_to_read(context)) {
        return false;
    }
    bytes = context->original;
    past = cowi_dataptr_paged(allocator, bytes) ? pasts->prepare(&bytes, storage->nbytes, box, context, &cowi_past_host)
                                                : NULL;
    if (past != NULL) {
        cowi_context_earn(context);
        taken = cowi_context_take_over(context, &bytes);
    }
    if (taken) {
        COWI_YIELD("taken over");
        cowi_context_set_past(context, past);
        pasts->begin(past, &bytes);
        cowi_context_end_take_over(context);
        cowi_storage_lock(storage);
        (void)cowi_put_in_place(storage, bytes);
        cowi_storage_unlock(storage);
        cowi_count(COWI_STEALS, 1);
        if (storage->family != NULL) {
            cowi_family_wrote(storage->family);
        }
    }
    else if (past != NULL) {
        pasts->drop(past);
    }
    cowi_context_release(context); /* never the last: the share's reference stays */
    return taken;
}

/* ---- a steal or a copy --------------------------------------------------------------------------------------------- */

/* Brings back taken-over bytes, as a copy by the page if possible. */
static cow_status recall_for_write(cow_storage *storage, unsigned flags, cow_error *err)
{
    const bool has_past = cowi_context_has_past(storage->context);
    if (has_past && (flags & COW_NO_COPY)) {
        return cowi_fail(err, COW_ECOPY, "a write would copy up to %zu bytes", storage->nbytes);
    }
    if (has_past && (flags & COW_TRY)) {
        return cowi_fail(err, COW_EBUSY, "another Storage has the bytes by now");
    }
    return cowi_recall(storage, true, err);
}

cow_status cowi_materialize(cow_storage *storage, const cow_box *box, unsigned flags, cow_error *err)
{
    cowi_context *context = storage->context;
    cow_status status = COW_OK;
    for (bool last, done = false; !done;) {
        last = cowi_context_last_share(context);
        /* Checked after the shares: if the last one is ours, and we are busy, bytes that are here stay. */
        if (cowi_context_absent(context)) {
            status = recall_for_write(storage, flags, err);
            if (status != COW_OK) {
                return status;
            }
            continue;
        }
        if (last) {
            status = wait_for_copies(context, flags, err);
            if (status != COW_OK) {
                return status;
            }
            if (cowi_load_acquire(&context->left) == 0) {
                const bool had_better_page = box != NULL && context->shadow != NULL;
                if ((had_better_page || cowi_wants_a_look(storage)) && (flags & COW_TRY)) {
                    return cowi_fail(err, COW_EBUSY, "the Storage's pages should be looked at first");
                }
                if (had_better_page && (flags & COW_NO_COPY) == 0 &&
                    cowi_copy(storage, true, box, flags | COWI_PAGES_ONLY, &status, err)) {
                    return status;
                }
                cowi_context_unshadow(context);
                cowi_context_earn(context);
                cowi_count(COWI_STEALS, 1);
                return COW_OK;
            }
        }
        if (flags & COW_NO_COPY) {
            return cowi_fail(err, COW_ECOPY, "a write would copy %zu bytes", storage->nbytes);
        }
        done = ((flags & COW_TRY) == 0 && take_over(storage, box)) ||
               cowi_copy(storage, last || context->foreign, box, flags, &status, err);
    }
    return status;
}
