/* Lazy clones. A clone is logically a read: a Storage with a writer is copied at once, through a const scope. */
#include "internal.h"

/* The source has a writer: its bytes may change unseen, so the new Storage gets its own bytes now. */
static cow_status eager_clone(cow_storage *source, size_t offset, size_t nbytes, cow_storage **out, cow_error *err)
{
    cow_const_scope scope;
    cow_storage *made;
    cow_status status = cow_storage_new(source->allocator, nbytes, &made, err);
    if (status != COW_OK) {
        return status;
    }
    status = cow_const_begin(source, &scope, err);
    if (status != COW_OK) {
        cow_storage_free(made);
        return status;
    }
    made->allocator->clone(made->allocator->self, made->ptr.data, (const char *)scope.data + offset, nbytes);
    cow_const_end(&scope);
    cow_stats_count_eager(nbytes);
    *out = made;
    return COW_OK;
}

/* With the lock held: takes a share for a clone. One that is read at once needs bytes and their address; its second
 * reference keeps others from taking them away. */
static cowi_where share(cow_storage *source, bool reads)
{
    cowi_where where;
    if (!reads) {
        return cowi_context_share(source->context);
    }
    where = cowi_context_share_and_retain(source->context);
    if (where == COWI_FILLED) {
        cowi_storage_find(source);
    }
    return where;
}

cow_status cow_lazy_clone(cow_storage *source, size_t offset, size_t nbytes, unsigned flags, cow_storage **out,
                          cow_error *err)
{
    cow_storage *made;
    char *address;
    cowi_where where;
    cow_status status;
    if (offset > source->nbytes || nbytes > source->nbytes - offset) {
        return cowi_fail(err, COW_EINVAL, "lazy_clone: %zu bytes from offset %zu do not fit into a window of %zu bytes",
                         nbytes, offset, source->nbytes);
    }
    made = cowi_storage_alloc(source->allocator);
    if (made == NULL) {
        return cowi_fail(err, COW_ENOMEM, "cannot allocate a Storage");
    }
    for (;;) {
        status = cowi_storage_lock_wrapped(source, err);
        if (status != COW_OK) {
            break;
        }
        if (cowi_load_seq_cst(&source->busy)) {
            cowi_storage_unlock(source);
            if (flags & COW_TRY) {
                status = cowi_fail(err, COW_EBUSY, "another thread is materializing the Storage");
                break;
            }
            cowi_wait_while_busy(source);
            continue;
        }
        if (cowi_load_acquire(&source->pins) != 0) {
            cowi_storage_unlock(source);
            if (flags & COW_TRY) {
                status = cowi_fail(err, COW_EBUSY, "the Storage is pinned, so a lazy clone would have to copy");
                break;
            }
            if (flags & COW_NO_COPY) {
                status = cowi_fail(err, COW_ECOPY, "the Storage is pinned, so a clone of it must be an eager copy");
                break;
            }
            cowi_storage_dealloc(source->allocator, made);
            status = eager_clone(source, offset, nbytes, out, err);
            /* Unpinned and evicted meanwhile: absent bytes can be shared. */
            return status == COW_EABSENT ? cow_lazy_clone(source, offset, nbytes, flags, out, err) : status;
        }
        where = share(source, (flags & COW_READS) != 0);
        if (where == COWI_FULL) {
            cowi_storage_unlock(source);
            status = cowi_fail(err, COW_EOVERFLOW, "too many Storages share one allocation");
            break;
        }
        if (where == COWI_ABSENT && (flags & COW_READS)) {
            cowi_storage_unlock(source);
            status = cowi_recall(source, false, err);
            if (status != COW_OK) {
                break;
            }
            continue;
        }
        address = (char *)cowi_load_relaxed(&source->address);
        if (where == COWI_HERE || address != NULL) { /* otherwise the next scope will find the bytes */
            address += offset;
        }
        cowi_storage_init(made, source->allocator, address, nbytes, source->context->nbytes);
        made->context = source->context;
        made->offset = source->offset + offset;
        made->reads = (flags & COW_READS) != 0;
        source->sole = false;
        cowi_storage_unlock(source);
        if (!(flags & COW_QUIET)) {
            cowi_count(COWI_LAZY_CLONES, 1);
            cowi_context_owe(made->context, nbytes);
        }
        *out = made;
        return COW_OK;
    }
    cowi_storage_dealloc(source->allocator, made);
    return status;
}
