/* Absence: an allocation keeps its shares, its windows and its size while its bytes are away. The context's counts tell
 * whether they are, so one step takes them from all sharers, and one step brings them to all. */
#include <sched.h>

#include "internal.h"

cow_status cow_storage_new_absent(const cow_allocator *allocator, size_t nbytes, cow_storage **out, cow_error *err)
{
    const cow_dataptr none = {NULL, NULL, NULL};
    cow_storage *storage;
    cowi_gate_start();
    if (nbytes > (size_t)PTRDIFF_MAX) {
        return cowi_fail(err, COW_EOVERFLOW, "cannot allocate %zu bytes: the largest size is %td", nbytes, PTRDIFF_MAX);
    }
    storage = cowi_storage_alloc(allocator);
    if (storage == NULL) {
        return cowi_fail(err, COW_ENOMEM, "cannot allocate a Storage");
    }
    cowi_storage_init(storage, allocator, NULL, nbytes, nbytes);
    storage->context = cowi_context_new(allocator, none, nbytes, false);
    if (storage->context == NULL) {
        cowi_storage_dealloc(allocator, storage);
        return cowi_fail(err, COW_ENOMEM, "cannot allocate a context");
    }
    cowi_context_begin_absent(storage->context);
    *out = storage;
    return COW_OK;
}

int cow_storage_is_absent(cow_storage *storage)
{
    int absent;
    cowi_storage_lock(storage);
    absent = storage->context != NULL && cowi_context_is_gone(storage->context);
    cowi_storage_unlock(storage);
    return absent;
}

/* ---- evict ------------------------------------------------------------------------------------------------------- */

/* With the lock held, and a context. */
static cow_status take_bytes(cow_storage *storage, size_t managed, cow_dataptr *bytes, void **shadow, cow_error *err)
{
    cowi_context *context = storage->context;
    cow_status status;
    if (context->foreign) {
        return cowi_fail(err, COW_EINVAL, "evict: the bytes belong to somebody else");
    }
    if (cowi_load_seq_cst(&storage->busy)) {
        return cowi_fail(err, COW_EBUSY, "evict: another thread is materializing the Storage");
    }
    if (cowi_load_acquire(&storage->pins) != 0) {
        return cowi_fail(err, COW_EBUSY, "evict: the Storage is pinned");
    }
    if (cowi_load_relaxed(&context->left) != 0) {
        return cowi_fail(err, COW_EBUSY, "evict: there are readers left behind");
    }
    status = cowi_context_evict(context, managed, bytes, shadow);
    if (status == COW_EABSENT) {
        return cowi_context_is_gone(context) ? cowi_fail(err, status, "evict: nothing to free")
                                             : cowi_fail(err, COW_EBUSY, "evict: the bytes are another array's by now");
    }
    if (status != COW_OK) {
        const size_t shares = cowi_context_shares(context);
        return shares == managed ? cowi_fail(err, status, "evict: the bytes are being read")
                                 : cowi_fail(err, status, "evict: %zu share the bytes, not %zu", shares, managed);
    }
    storage->sole = false;
    cowi_store_release(&storage->address, NULL);
    return COW_OK;
}

/* Also sets the size of the allocation, which a write by another thread may change afterwards. */
static cow_status take_away(cow_storage *storage, size_t managed, cow_dataptr *bytes, size_t *nbytes, cow_error *err)
{
    void *shadow = NULL;
    cow_status status;
    if (!cowi_gate_enter(true)) {
        return cowi_fail(err, COW_EBUSY, "evict: a fork is in progress");
    }
    status = cowi_storage_lock_wrapped(storage, err);
    if (status == COW_OK) {
        *nbytes = storage->context->nbytes;
        status = take_bytes(storage, managed, bytes, &shadow, err);
        cowi_storage_unlock(storage);
    }
    if (shadow != NULL) {
        storage->allocator->paging->unshadow(storage->allocator->self, shadow);
    }
    cowi_gate_leave();
    return status;
}

cow_status cow_storage_take(cow_storage *storage, size_t managed, cow_dataptr *out, cow_error *err)
{
    cow_dataptr bytes = {NULL, NULL, NULL};
    size_t nbytes = 0;
    const cow_status status = take_away(storage, managed, &bytes, &nbytes, err);
    if (status == COW_OK) {
        *out = bytes;
    }
    return status;
}

cow_status cow_storage_evict(cow_storage *storage, size_t managed, cow_error *err)
{
    cow_dataptr bytes = {NULL, NULL, NULL};
    size_t nbytes = 0;
    const cow_status status = take_away(storage, managed, &bytes, &nbytes, err);
    if (status == COW_OK) {
        COWI_YIELD("evicted");
        cowi_dataptr_delete(&bytes, nbytes);
    }
    return status;
}

/* ---- fill -------------------------------------------------------------------------------------------------------- */

/* With the lock held. */
static cow_status put_bytes(cow_storage *storage, cow_dataptr ptr, size_t nbytes, cow_error *err)
{
    cowi_context *context = storage->context;
    cow_status status;
    bool alone;
    if (context == NULL || !cowi_context_is_gone(context)) {
        return cowi_fail(err, COW_EPRESENT, "fill: the bytes are there");
    }
    if (nbytes != context->nbytes) {
        return cowi_fail(err, COW_EINVAL, "fill: %zu bytes for an allocation of %zu", nbytes, context->nbytes);
    }
    status = cowi_context_fill(context, ptr, &alone);
    if (status != COW_OK) {
        return cowi_fail(err, status, "fill: another thread was first");
    }
    cowi_store_release(&storage->address, (char *)ptr.data + storage->offset);
    /* A busy thread may still read the bytes to share their pages, before it notices that it is alone. */
    if (alone && !cowi_load_seq_cst(&storage->busy)) {
        cowi_storage_own(storage, ptr);
    }
    return COW_OK;
}

cow_status cow_storage_fill(cow_storage *storage, cow_dataptr ptr, size_t nbytes, cow_error *err)
{
    cow_status status;
    if (ptr.data == NULL) {
        return cowi_fail(err, COW_EINVAL, "fill: data must not be NULL");
    }
    for (;;) {
        (void)cowi_gate_enter(false);
        cowi_storage_lock(storage);
        status = put_bytes(storage, ptr, nbytes, err);
        cowi_storage_unlock(storage);
        cowi_gate_leave();
        if (status != COW_EBUSY) {
            return status;
        }
        (void)sched_yield(); /* within a few instructions it is clear whether there are bytes */
    }
}
