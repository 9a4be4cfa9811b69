/* Storages: their birth, their sharing and their death. How they get bytes of their own is in scope.c. */
#include <sched.h>
#include <string.h>

#include "internal.h"

/* ---- the micro lock ----------------------------------------------------------------------------------------------
 *
 * Held for a few instructions, never across a call that may wait, allocate or free. A fork can still fall into them, so
 * the holder signs with the fork epoch: a child finds a signature that is not its own, knows that no thread of its own
 * holds the lock, and takes it. Each section below is valid if it ends anywhere: it leaves at worst a share, a reference
 * or a pin too many, which costs the child a copy or some memory. Sections for which that is not so run in the gate. */

#define SPINS 64

void cowi_storage_lock(cow_storage *storage)
{
    const unsigned mine = cowi_fork_epoch();
    for (unsigned spins = 1;; spins++) {
        unsigned holder = 0;
        if (cowi_cas_acquire(&storage->lock, &holder, mine)) {
            return;
        }
        if (holder != 0 && holder != mine && cowi_cas_acquire(&storage->lock, &holder, mine)) {
            return;
        }
        if (spins % SPINS == 0) {
            (void)sched_yield();
        }
    }
}

void cowi_storage_unlock(cow_storage *storage)
{
    cowi_store_release(&storage->lock, 0);
}

/* ---- birth and death --------------------------------------------------------------------------------------------- */

static cow_storage *storage_alloc(const cow_allocator *allocator)
{
    return (cow_storage *)allocator->alloc(allocator->self, sizeof(cow_storage), _Alignof(cow_storage));
}

static void storage_dealloc(const cow_allocator *allocator, cow_storage *storage)
{
    allocator->free(allocator->self, storage, sizeof *storage, _Alignof(cow_storage));
}

static void storage_init(cow_storage *storage, const cow_allocator *allocator, void *address, size_t nbytes,
                         size_t allocated)
{
    const cow_dataptr none = {NULL, NULL, NULL};
    cowi_init(&storage->lock, 0);
    cowi_init(&storage->busy, 0);
    cowi_init(&storage->pins, 0);
    cowi_init(&storage->uses, 1);
    cowi_init(&storage->address, address);
    cowi_init(&storage->allocated, allocated);
    storage->nbytes = nbytes;
    storage->allocator = allocator;
    storage->context = NULL;
    storage->ptr = none;
    storage->scopes = 0;
    storage->sole = false;
}

cow_status cow_storage_new(const cow_allocator *allocator, size_t nbytes, cow_storage **out, cow_error *err)
{
    cow_dataptr ptr;
    cow_storage *storage;
    cowi_gate_start();
    if (nbytes > (size_t)PTRDIFF_MAX) {
        return cowi_fail(err, COW_EOVERFLOW, "cannot allocate %zu bytes: the largest size is %td", nbytes, PTRDIFF_MAX);
    }
    storage = storage_alloc(allocator);
    if (storage == NULL) {
        return cowi_fail(err, COW_ENOMEM, "cannot allocate a Storage");
    }
    if (!cowi_block_new(allocator, nbytes, &ptr)) {
        storage_dealloc(allocator, storage);
        return cowi_fail(err, COW_ENOMEM, "cannot allocate %zu bytes", nbytes);
    }
    storage_init(storage, allocator, ptr.data, nbytes, nbytes);
    storage->ptr = ptr;
    storage->sole = true;
    *out = storage;
    return COW_OK;
}

cow_status cow_storage_adopt(const cow_allocator *allocator, cow_dataptr ptr, size_t nbytes, unsigned flags,
                             cow_storage **out, cow_error *err)
{
    cow_storage *storage;
    cowi_gate_start();
    if (ptr.data == NULL || nbytes > (size_t)PTRDIFF_MAX || (flags & ~(unsigned)COW_FOREIGN) != 0) {
        return cowi_fail(err, COW_EINVAL, "adopt takes bytes that exist and the flag COW_FOREIGN");
    }
    storage = storage_alloc(allocator);
    if (storage == NULL) {
        return cowi_fail(err, COW_ENOMEM, "cannot allocate a Storage");
    }
    storage_init(storage, allocator, ptr.data, nbytes, nbytes);
    if (flags & COW_FOREIGN) {
        storage->context = cowi_context_new(allocator, ptr, nbytes, true);
        if (storage->context == NULL) {
            storage_dealloc(allocator, storage);
            return cowi_fail(err, COW_ENOMEM, "cannot allocate a context");
        }
    }
    else {
        storage->ptr = ptr;
        storage->sole = true;
    }
    *out = storage;
    return COW_OK;
}

void cow_storage_free(cow_storage *storage)
{
    if (storage == NULL) {
        return;
    }
    if (storage->context != NULL) {
        cowi_context_drop(storage->context); /* the field stays: open const scopes compare it with theirs */
    }
    else {
        cowi_dataptr_delete(&storage->ptr, storage->nbytes);
    }
    cowi_storage_unuse(storage);
}

void cowi_storage_unuse(cow_storage *storage)
{
    /* The only user: nobody can become another. */
    if (cowi_load_acquire(&storage->uses) == 1 || cowi_sub_acq_rel(&storage->uses, 1) == 1) {
        storage_dealloc(storage->allocator, storage);
    }
}

/* ---- sharing ----------------------------------------------------------------------------------------------------- */

cowi_context *cowi_storage_wrap(cow_storage *storage, cowi_context **spare)
{
    if (storage->context == NULL && *spare != NULL) {
        (*spare)->original = storage->ptr;
        storage->context = *spare;
        *spare = NULL;
    }
    return storage->context;
}

cowi_context *cowi_storage_leave(cow_storage *storage)
{
    cowi_context *context = storage->context;
    if (storage->scopes > 0) {
        (void)cowi_add_relaxed(&context->left, storage->scopes);
        storage->scopes = 0;
    }
    storage->context = NULL;
    return context;
}

cow_status cowi_storage_lock_wrapped(cow_storage *storage, cow_error *err)
{
    const cow_dataptr none = {NULL, NULL, NULL};
    cowi_context *spare = NULL;
    cowi_storage_lock(storage);
    while (cowi_storage_wrap(storage, &spare) == NULL) {
        /* Nobody allocates with the micro lock held: let go, allocate, look again. */
        cowi_storage_unlock(storage);
        COWI_YIELD("wrap");
        spare = cowi_context_new(storage->allocator, none, storage->nbytes, false);
        if (spare == NULL) {
            return cowi_fail(err, COW_ENOMEM, "cannot allocate a context");
        }
        cowi_storage_lock(storage);
    }
    if (spare != NULL) { /* another thread was first */
        cowi_context_discard(spare);
    }
    return COW_OK;
}

/* The source has a writer: its bytes may change unseen, so the new Storage gets bytes of its own now. */
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

cow_status cow_lazy_clone(cow_storage *source, size_t offset, size_t nbytes, unsigned flags, cow_storage **out,
                          cow_error *err)
{
    cow_storage *made;
    cow_status status;
    if (offset > source->nbytes || nbytes > source->nbytes - offset) {
        return cowi_fail(err, COW_EINVAL, "%zu bytes from %zu are not inside a window of %zu", nbytes, offset,
                         source->nbytes);
    }
    made = storage_alloc(source->allocator);
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
                status = cowi_fail(err, COW_EBUSY, "the Storage is being given bytes of its own");
                break;
            }
            cowi_wait_while_busy(source);
            continue;
        }
        if (cowi_load_acquire(&source->pins) != 0) {
            cowi_storage_unlock(source);
            if (flags & COW_TRY) {
                status = cowi_fail(err, COW_EBUSY, "the Storage is pinned by a writer");
                break;
            }
            if (flags & COW_NO_COPY) {
                status = cowi_fail(err, COW_ECOPY, "the Storage is pinned by a writer, and must be copied at once");
                break;
            }
            storage_dealloc(source->allocator, made);
            return eager_clone(source, offset, nbytes, out, err);
        }
        if (!cowi_context_share(source->context)) {
            cowi_storage_unlock(source);
            status = cowi_fail(err, COW_EOVERFLOW, "too many Storages share one allocation");
            break;
        }
        storage_init(made, source->allocator, (char *)cowi_load_relaxed(&source->address) + offset, nbytes,
                     source->context->nbytes);
        made->context = source->context;
        source->sole = false;
        cowi_storage_unlock(source);
        if (!(flags & COW_QUIET)) {
            cowi_count(COWI_LAZY_CLONES, 1);
        }
        *out = made;
        return COW_OK;
    }
    storage_dealloc(source->allocator, made);
    return status;
}

/* ---- questions --------------------------------------------------------------------------------------------------- */

size_t cow_storage_nbytes(const cow_storage *storage)
{
    return storage->nbytes;
}

const void *cow_storage_address(const cow_storage *storage)
{
    return cowi_load_acquire(&((cow_storage *)(uintptr_t)storage)->address);
}

size_t cow_storage_pins(const cow_storage *storage)
{
    return cowi_load_acquire(&((cow_storage *)(uintptr_t)storage)->pins);
}

size_t cow_storage_allocated(cow_storage *storage)
{
    return cowi_load_relaxed(&storage->allocated);
}

size_t cow_storage_shares(cow_storage *storage)
{
    size_t shares;
    cowi_storage_lock(storage);
    shares = storage->context != NULL ? cowi_context_shares(storage->context) : 1;
    cowi_storage_unlock(storage);
    return shares;
}

int cow_storage_is_sole(cow_storage *storage)
{
    int sole;
    cowi_storage_lock(storage);
    sole = storage->sole;
    cowi_storage_unlock(storage);
    return sole;
}

void cow_storage_spare(cow_storage *storage)
{
    cowi_storage_lock(storage);
    if (storage->context != NULL) {
        (void)cowi_add_relaxed(&storage->context->left, 1); /* who it stands for does not say when it ends: for good */
    }
    cowi_storage_unlock(storage);
}

int cow_storage_is_foreign(cow_storage *storage)
{
    int foreign;
    cowi_storage_lock(storage);
    foreign = storage->context != NULL && storage->context->foreign;
    cowi_storage_unlock(storage);
    return foreign;
}

size_t cow_storage_write_cost(cow_storage *storage)
{
    bool copies;
    cowi_storage_lock(storage);
    copies = storage->context != NULL && !storage->sole && !cowi_context_stealable(storage->context);
    cowi_storage_unlock(storage);
    return copies ? storage->nbytes : 0;
}
