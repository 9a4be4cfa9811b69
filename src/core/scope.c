/* Scopes: the only ways to the bytes. A const scope holds a reference; a mutable scope gives the Storage bytes of its own
 * first (a steal or a copy of the window) and pins it; an overwrite scope writes fresh bytes that commit puts in place. */
#include "internal.h"

static cow_status absent(cow_error *err)
{
    return cowi_fail(err, COW_EABSENT, "fill the allocation, then try again");
}

/* ---- const ------------------------------------------------------------------------------------------------------- */

cow_status cow_const_begin(cow_storage *storage, cow_const_scope *out, cow_error *err)
{
    const cow_status status = cowi_storage_lock_wrapped(storage, err);
    cowi_where where;
    if (status != COW_OK) {
        return status;
    }
    where = cowi_context_retain(storage->context);
    if (where == COWI_FILLED) {
        cowi_storage_find(storage);
    }
    else if (where != COWI_HERE) {
        cowi_storage_unlock(storage);
        return where == COWI_ABSENT ? absent(err)
                                    : cowi_fail(err, COW_EOVERFLOW, "too many scopes are open on one allocation");
    }
    (void)cowi_add_relaxed(&storage->uses, 1);
    storage->scopes++;
    out->data = cowi_load_relaxed(&storage->address);
    out->nbytes = storage->nbytes;
    out->storage = storage;
    out->context = storage->context;
    cowi_storage_unlock(storage);
    return COW_OK;
}

void cow_const_end(cow_const_scope *scope)
{
    cow_storage *storage = (cow_storage *)scope->storage;
    cowi_context *context = (cowi_context *)scope->context;
    COWI_YIELD("const end");
    cowi_struct_lock(storage);
    if (storage->context == context) {
        COWI_ASSERT_FULL(storage->scopes > 0);
        storage->scopes--;
    }
    else {
        COWI_ASSERT(cowi_load_relaxed(&context->left) > 0);
        (void)cowi_sub_release(&context->left, 1);
    }
    cowi_struct_unlock(storage);
    cowi_storage_unuse(storage);
    cowi_context_release(context);
}

/* ---- materialize: the caller is in the gate and has made the Storage busy ----------------------------------------- */

/* For the last sharer. Whoever copies took the shared lock before giving up its share, and leaves the context before it
 * lets the lock go; having seen the one share left, we find that lock taken until all of that is done. */
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

/* With the lock held: the Storage owns fresh and nothing else. Returns the context it has left. */
static cowi_context *put_in_place(cow_storage *storage, cow_dataptr fresh)
{
    cowi_context *left = cowi_storage_leave(storage);
    COWI_ASSERT_FULL(!storage->sole && cowi_load_relaxed(&storage->pins) == 0); /* nobody writes to what it leaves */
    storage->ptr = fresh;
    storage->offset = 0;
    cowi_storage_own(storage, fresh);
    cowi_store_release(&storage->address, fresh.data);
    cowi_store_relaxed(&storage->allocated, storage->nbytes);
    return left;
}

/* With the context's lock shared: the window by the page, for a writer who says what it will touch. False: nothing done.
 * The reference that is no share's keeps others from evicting what is read. */
static bool share_pages(cow_storage *storage, const cow_box *box, unsigned flags, cow_dataptr *fresh, size_t *copied)
{
    const cow_allocator *allocator = storage->allocator;
    cowi_context *context = storage->context;
    cow_sharing sharing;
    cowi_where where;
    bool shared;
    if (box == NULL || allocator->paging == NULL || storage->nbytes < allocator->paging->least || context->foreign) {
        return false;
    }
    where = cowi_context_retain(context);
    if (where != COWI_HERE && where != COWI_FILLED) {
        return false;
    }
    sharing.source = context->original;
    sharing.allocated = context->nbytes;
    sharing.offset = storage->offset;
    sharing.nbytes = storage->nbytes;
    sharing.box = box;
    sharing.will_earn = 0;
    sharing.may_wait = (flags & COW_TRY) == 0;
    sharing.shadow = &context->shadow;
    shared = allocator->paging->share(allocator->self, &sharing) != 0;
    if (shared) {
        *fresh = sharing.made;
        *copied = sharing.copied;
    }
    cowi_context_release(context); /* never the last: the Storage has a share */
    return shared;
}

static void copy_window(cow_storage *storage, cowi_context *context, cow_dataptr fresh)
{
    const cow_allocator *allocator = storage->allocator;
    const cow_dataptr original = context->original;
    allocator->clone(allocator->self, fresh.data, (const char *)original.data + storage->offset, storage->nbytes);
    if (allocator->paging != NULL && storage->nbytes >= allocator->paging->least) {
        allocator->paging->spend(allocator->self, storage->nbytes);
    }
}

/* Gives the Storage a copy of its window: true, and *status tells how that went. False, and nothing done: by now the
 * bytes can be stolen, or are absent. keep: they cannot be stolen, even with one share left. */
static bool copy(cow_storage *storage, bool keep, const cow_box *box, unsigned flags, cow_status *status,
                 cow_error *err)
{
    cowi_context *context = storage->context;
    cow_dataptr fresh;
    size_t copied = storage->nbytes;
    bool by_page;
    if (pthread_rwlock_tryrdlock(&context->lock) != 0) {
        /* Only the last sharer takes the lock exclusively, and this share is one more: the count of readers is full. */
        *status = cowi_fail(err, COW_EOVERFLOW, "too many threads are copying one allocation");
        return true;
    }
    COWI_YIELD("shared lock");
    cowi_context_earn(context);
    by_page = share_pages(storage, box, flags, &fresh, &copied);
    if (!by_page && !cowi_block_new(storage->allocator, storage->nbytes, &fresh)) {
        (void)pthread_rwlock_unlock(&context->lock);
        *status =
            cowi_fail(err, COW_ENOMEM, "cannot allocate %zu bytes for a write to a shared Storage", storage->nbytes);
        return !cowi_context_stealable(context);
    }
    /* All that can fail is behind us: now the share may go. In this order, lock first, nobody can steal what we copy; and
     * with a reference that is no share's, nobody can evict it. */
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
    (void)put_in_place(storage, fresh);
    cowi_storage_unlock(storage);
    (void)pthread_rwlock_unlock(&context->lock);
    cowi_count(COWI_COPIES, 1);
    cowi_count(COWI_BYTES_COPIED, copied);
    *status = COW_OK;
    return true;
}

/* Bytes of its own for a Storage that shares: by a steal, or by a copy, which leaves the context without giving up the
 * reference to it. */
static cow_status materialize(cow_storage *storage, const cow_box *box, unsigned flags, cow_error *err)
{
    cowi_context *context = storage->context;
    cow_status status;
    bool last;
    do {
        last = cowi_context_last_share(context);
        /* Looked at after the shares: with the last one ours, and busy, bytes that are here stay. */
        if (cowi_context_absent(context)) {
            return absent(err);
        }
        if (last) {
            status = wait_for_copies(context, flags, err);
            if (status != COW_OK) {
                return status;
            }
            if (cowi_load_acquire(&context->left) == 0) {
                cowi_context_unshadow(context);
                cowi_context_earn(context);
                cowi_count(COWI_STEALS, 1);
                return COW_OK;
            }
        }
        if (flags & COW_NO_COPY) {
            return cowi_fail(err, COW_ECOPY, "a write would copy %zu bytes", storage->nbytes);
        }
    } while (!copy(storage, last || context->foreign, box, flags, &status, err));
    return status;
}

/* ---- mutable ----------------------------------------------------------------------------------------------------- */

/* With the lock held, and sole. */
static cow_status pin(cow_storage *storage, cow_mutable_scope *out, cow_error *err)
{
    if (cowi_load_relaxed(&storage->pins) >= COWI_COUNT_LIMIT) {
        return cowi_fail(err, COW_EOVERFLOW, "too many mutable scopes are open on one Storage");
    }
    (void)cowi_add_relaxed(&storage->pins, 1);
    out->data = cowi_load_relaxed(&storage->address);
    out->nbytes = storage->nbytes;
    out->storage = storage;
    return COW_OK;
}

/* Enters the gate and makes the Storage busy, waiting for whoever has. COW_OK with *sole set: it needs nothing, is not
 * busy and is still locked. */
static cow_status become_busy(cow_storage *storage, unsigned flags, bool *sole, cow_error *err)
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

/* With the lock held, and in the gate: lets the waiting threads go on. moved: the context to which a reference is left, or
 * NULL; it goes last, since the deleter of the bytes may take any lock. */
static void no_longer_busy(cow_storage *storage, cowi_context *moved)
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

static cow_status mutable_begin_shared(cow_storage *storage, const cow_box *box, unsigned flags, cow_mutable_scope *out,
                                       cow_error *err)
{
    cowi_context *context;
    bool sole, moved = false;
    cow_status status = become_busy(storage, flags, &sole, err);
    if (status != COW_OK) {
        return status;
    }
    if (sole) {
        status = pin(storage, out, err);
        cowi_storage_unlock(storage);
        cowi_gate_leave();
        return status;
    }
    COWI_YIELD("busy");
    context = storage->context;
    status = materialize(storage, box, flags, err);
    cowi_storage_lock(storage);
    if (status == COW_OK) {
        moved = storage->context != context;
        if (!moved) {
            cowi_storage_find(storage); /* a fill that another sharer saw may have brought what was stolen */
            cowi_storage_own(storage, context->original);
        }
        status = pin(storage, out, err);
    }
    no_longer_busy(storage, moved ? context : NULL);
    return status;
}

/* With the lock held: paged bytes that nobody writes to, or is about to. Whoever is busy may have its new bytes in place, and
 * no pin on them yet. */
static bool has_pages_at_rest(cow_storage *storage)
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

/* Has the allocator look at the pages of a Storage that nobody shares or writes to; where too much of them has been written,
 * a copy to plain memory takes their place. What fails leaves them as they are: they are right, and only dear. */
static void settle(cow_storage *storage, const cow_box *box)
{
    const cow_allocator *allocator = storage->allocator;
    cowi_context *context;
    cow_status status;
    bool moved;
    if (!lock_in_gate(storage)) {
        return;
    }
    context = storage->context;
    if (!has_pages_at_rest(storage)) {
        unlock_in_gate(storage);
        return;
    }
    storage->sole = false;
    cowi_store_seq_cst(&storage->busy, 1);
    const cow_dataptr own = context->original;
    cowi_storage_unlock(storage);
    COWI_YIELD("settle");
    if (!allocator->paging->settle(allocator->self, &own, box)) {
        (void)copy(storage, true, NULL, 0, &status, NULL);
    }
    cowi_storage_lock(storage);
    moved = storage->context != context;
    if (!moved) {
        cowi_storage_own(storage, own);
    }
    no_longer_busy(storage, moved ? context : NULL);
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
    no_longer_busy(storage, context);
}

cow_status cow_mutable_begin_at(cow_storage *storage, const cow_box *box, unsigned flags, cow_mutable_scope *out,
                                cow_error *err)
{
    cow_status status;
    cowi_storage_lock(storage);
    if (storage->sole && cowi_storage_unsettled(storage, box)) {
        cowi_storage_unlock(storage);
        if (flags & COW_TRY) {
            return cowi_fail(err, COW_EBUSY, "the Storage's pages should be looked at first");
        }
        if (!(flags & COW_NO_COPY)) {
            settle(storage, box);
        }
        cowi_storage_lock(storage);
    }
    if (!storage->sole) {
        cowi_storage_unlock(storage);
        return mutable_begin_shared(storage, box, flags, out, err);
    }
    status = pin(storage, out, err);
    cowi_storage_unlock(storage);
    return status;
}

cow_status cow_mutable_begin(cow_storage *storage, unsigned flags, cow_mutable_scope *out, cow_error *err)
{
    return cow_mutable_begin_at(storage, NULL, flags, out, err);
}

void cow_mutable_end(cow_mutable_scope *scope)
{
    COWI_ASSERT_FULL(cowi_load_relaxed(&scope->storage->pins) > 0);
    (void)cowi_sub_release(&scope->storage->pins, 1);
}

/* ---- overwrite: the scope holds a share of the old bytes, so that nobody steals what it reads, and a reference beside
 * it, so that nobody evicts it --------------------------------------------------------------------------------------- */

/* Whoever overwrites pages of its own would pay for a copy of each. So they are left, like bytes that are shared. */
static cow_status lock_to_overwrite(cow_storage *storage, bool *by_page, cow_error *err)
{
    cow_status status;
    cowi_storage_lock(storage);
    *by_page = has_pages_at_rest(storage);
    if (!*by_page) {
        return COW_OK;
    }
    cowi_storage_unlock(storage);
    status = cowi_storage_lock_wrapped(storage, err);
    if (status == COW_OK) {
        *by_page = has_pages_at_rest(storage);
        if (*by_page) {
            storage->sole = false;
        }
    }
    return status;
}

cow_status cow_overwrite_begin(cow_storage *storage, unsigned flags, cow_overwrite_scope *out, cow_error *err)
{
    cow_mutable_scope in_place;
    cow_dataptr fresh;
    cowi_context *context;
    cowi_where where;
    cow_status status;
    bool by_page;
    status = lock_to_overwrite(storage, &by_page, err);
    if (status != COW_OK) {
        return status;
    }
    context = storage->context;
    if (storage->sole || cowi_load_seq_cst(&storage->busy) || (!by_page && cowi_context_stealable(context))) {
        cowi_storage_unlock(storage);
        status = cow_mutable_begin(storage, flags, &in_place, err);
        if (status == COW_OK) {
            out->data = in_place.data;
            out->old = in_place.data;
            out->nbytes = in_place.nbytes;
            out->storage = storage;
            out->context = NULL;
        }
        return status;
    }
    where = cowi_context_share_and_retain(context);
    if (where == COWI_FILLED) {
        cowi_storage_find(storage);
    }
    else if (where != COWI_HERE) {
        cowi_storage_unlock(storage);
        return where == COWI_ABSENT ? absent(err)
                                    : cowi_fail(err, COW_EOVERFLOW, "too many Storages share one allocation");
    }
    out->old = cowi_load_relaxed(&storage->address);
    cowi_storage_unlock(storage);
    if (!cowi_block_new(storage->allocator, storage->nbytes, &fresh)) {
        cowi_context_drop_and_release(context);
        return cowi_fail(err, COW_ENOMEM, "cannot allocate %zu bytes for a write to a shared Storage", storage->nbytes);
    }
    out->data = fresh.data;
    out->nbytes = storage->nbytes;
    out->storage = storage;
    out->context = context;
    return COW_OK;
}

static void end_in_place(const cow_overwrite_scope *scope, cow_mutable_scope *pinned)
{
    cow_mutable_scope in_place = {scope->data, scope->nbytes, scope->storage};
    if (pinned != NULL) {
        *pinned = in_place;
    }
    else {
        cow_mutable_end(&in_place);
    }
}

cow_status cow_overwrite_commit(cow_overwrite_scope *scope, cow_mutable_scope *pinned, cow_error *err)
{
    cow_storage *storage = scope->storage;
    cowi_context *context = (cowi_context *)scope->context;
    if (context == NULL) {
        end_in_place(scope, pinned);
        return COW_OK;
    }
    COWI_YIELD("commit");
    (void)cowi_gate_enter(false);
    cowi_storage_lock(storage);
    if (storage->context != context || storage->sole || cowi_load_seq_cst(&storage->busy)) {
        cowi_storage_unlock(storage);
        cowi_gate_leave();
        return cowi_fail(err, COW_EMOVED, "the Storage's bytes were replaced during the overwrite");
    }
    (void)put_in_place(storage, cowi_block(storage->allocator, scope->data));
    if (pinned != NULL) {
        (void)pin(storage, pinned, NULL); /* a Storage that shares has no pins */
    }
    cowi_storage_unlock(storage);
    cowi_gate_leave();
    cowi_count(COWI_OVERWRITES, 1);
    cowi_context_drop(context);             /* the Storage's share */
    cowi_context_drop_and_release(context); /* the scope's */
    return COW_OK;
}

void cow_overwrite_abort(cow_overwrite_scope *scope)
{
    cowi_context *context = (cowi_context *)scope->context;
    cow_dataptr fresh;
    if (context == NULL) {
        end_in_place(scope, NULL);
        return;
    }
    fresh = cowi_block(scope->storage->allocator, scope->data);
    cowi_dataptr_delete(&fresh, scope->nbytes);
    cowi_context_drop_and_release(context);
}
