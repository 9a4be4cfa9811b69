/* Scopes: the only access to the bytes. A const scope has a reference; a mutable scope first gives the Storage its own
 * bytes (a steal or a copy of the window) and pins it; an overwrite scope writes fresh bytes that commit puts in
 * place. */
#include "internal.h"

/* ---- const ------------------------------------------------------------------------------------------------------- */

cow_status cow_const_begin(cow_storage *storage, cow_const_scope *out, cow_error *err)
{
    cow_status status = cowi_storage_lock_wrapped(storage, err);
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
        if (where == COWI_FULL) {
            return cowi_fail(err, COW_EOVERFLOW, "too many scopes are open on one allocation");
        }
        status = cowi_recall(storage, false, err);
        return status == COW_OK ? cow_const_begin(storage, out, err) : status;
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

/* A write that is beginning. */
typedef struct attempt {
    const cow_box *box;
    unsigned flags;
    uint64_t told; /* the number that set_aside told last; 0: none */
    bool counted;  /* cowi_storage_unsettled was asked */
    bool watched;  /* not begun: the pages that the box touches must be put aside first */
} attempt;

/* With the lock held, and sole. */
static bool is_watched(cow_storage *storage, const attempt *writer)
{
    const uint64_t now = storage->paged ? cowi_storage_watched(storage) : 0;
    return now != 0 && now != writer->told;
}

static cow_status pin_unless_watched(cow_storage *storage, attempt *writer, cow_mutable_scope *out, cow_error *err)
{
    writer->watched = is_watched(storage, writer);
    return writer->watched ? COW_OK : pin(storage, out, err);
}

/* With the lock held, and sole. A write is counted once, when it can begin. */
static bool is_unsettled(cow_storage *storage, attempt *writer)
{
    if (writer->counted || is_watched(storage, writer)) {
        return false;
    }
    writer->counted = true;
    return cowi_storage_unsettled(storage, writer->box);
}

/* A const scope keeps the bytes alive meanwhile, and keeps others from taking them over. */
static cow_status set_aside(cow_storage *storage, attempt *writer, cow_error *err)
{
    const cow_allocator *allocator = storage->allocator;
    cow_const_scope scope;
    cow_box room;
    cow_status status = cow_const_begin(storage, &scope, err);
    if (status != COW_OK) {
        return status;
    }
    const cow_dataptr bytes = ((cowi_context *)scope.context)->original;
    const size_t offset = (size_t)((const char *)scope.data - (const char *)bytes.data);
    if (!cowi_gate_enter((writer->flags & COW_TRY) != 0)) {
        status = cowi_fail(err, COW_EBUSY, "a fork is in progress");
    }
    else {
        if (cowi_dataptr_paged(allocator, bytes)) {
            status = allocator->paging->pasts->set_aside(&bytes, cowi_box_at(writer->box, offset, &room), writer->flags,
                                                         &writer->told, err);
        }
        cowi_gate_leave();
    }
    cow_const_end(&scope);
    return status;
}

static cow_status mutable_begin_shared(cow_storage *storage, attempt *writer, cow_mutable_scope *out, cow_error *err)
{
    cowi_context *context;
    bool sole, moved = false;
    cow_status status = cowi_become_busy(storage, writer->flags, &sole, err);
    if (status != COW_OK) {
        return status;
    }
    if (sole) {
        status = pin_unless_watched(storage, writer, out, err);
        cowi_storage_unlock(storage);
        cowi_gate_leave();
        return status;
    }
    COWI_YIELD("busy");
    context = storage->context;
    status = cowi_materialize(storage, writer->box, writer->flags, err);
    cowi_storage_lock(storage);
    if (status == COW_OK) {
        if (storage->context == context) {
            cowi_storage_find(storage); /* another sharer's fill may have moved the stolen bytes */
            cowi_storage_own(storage, context->original);
            if (is_unsettled(storage, writer) && (writer->flags & (COW_TRY | COW_NO_COPY)) == 0) {
                cowi_settle_busy(storage, writer->box);
            }
        }
        moved = storage->context != context;
        status = pin_unless_watched(storage, writer, out, err);
    }
    cowi_no_longer_busy(storage, moved ? context : NULL);
    return status;
}

static cow_status mutable_begin(cow_storage *storage, attempt *writer, cow_mutable_scope *out, cow_error *err)
{
    cow_status status;
    cowi_storage_lock(storage);
    if (storage->sole && is_unsettled(storage, writer)) {
        cowi_storage_unlock(storage);
        if (writer->flags & COW_TRY) {
            return cowi_fail(err, COW_EBUSY, "the Storage's pages should be looked at first");
        }
        if (!(writer->flags & COW_NO_COPY)) {
            cowi_settle(storage, writer->box);
        }
        cowi_storage_lock(storage);
    }
    if (!storage->sole) {
        cowi_storage_unlock(storage);
        return mutable_begin_shared(storage, writer, out, err);
    }
    status = pin_unless_watched(storage, writer, out, err);
    cowi_storage_unlock(storage);
    return status;
}

cow_status cow_mutable_begin_at(cow_storage *storage, const cow_box *box, unsigned flags, cow_mutable_scope *out,
                                cow_error *err)
{
    attempt writer = {box, flags, 0, false, false};
    cow_status status;
    do {
        writer.watched = false;
        status = mutable_begin(storage, &writer, out, err);
        if (status == COW_OK && writer.watched) {
            status = set_aside(storage, &writer, err);
        }
    } while (status == COW_OK && writer.watched);
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

/* ---- overwrite: the scope has a share of the old bytes, so that nobody steals them while it reads, and a second
 * reference, so that nobody evicts them ------------------------------------------------------------------------------ */

/* Overwriting pages in place would cost a copy of each. So a Storage leaves its pages, as it leaves shared bytes. */
static cow_status lock_to_overwrite(cow_storage *storage, bool *by_page, cow_error *err)
{
    cow_status status;
    cowi_storage_lock(storage);
    *by_page = cowi_has_pages_at_rest(storage);
    if (!*by_page) {
        return COW_OK;
    }
    cowi_storage_unlock(storage);
    status = cowi_storage_lock_wrapped(storage, err);
    if (status == COW_OK) {
        *by_page = cowi_has_pages_at_rest(storage);
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
    by_page = by_page || (!storage->sole && cowi_storage_is_paged(storage));
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
        if (where == COWI_FULL) {
            return cowi_fail(err, COW_EOVERFLOW, "too many Storages share one allocation");
        }
        status = cowi_recall(storage, false, err);
        return status == COW_OK ? cow_overwrite_begin(storage, flags, out, err) : status;
    }
    out->old = cowi_load_relaxed(&storage->address);
    cowi_storage_unlock(storage);
    if (!cowi_block_new(storage->allocator, storage->nbytes, &fresh)) {
        cowi_context_drop_and_release(context);
        return cowi_fail_block(err, storage->allocator, storage->nbytes, " for a write to a shared Storage");
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
    (void)cowi_put_in_place(storage, cowi_block(storage->allocator, scope->data));
    if (pinned != NULL) {
        (void)pin(storage, pinned, NULL); /* a sharing Storage has no pins */
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
