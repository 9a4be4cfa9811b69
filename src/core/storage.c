/* Storages: their creation and end, their lock, and their context, if any. scope.c has how they get their own bytes,
 * clone.c how they come to share. */
#include <sched.h>

#include "internal.h"

/* ---- the micro lock ----------------------------------------------------------------------------------------------
 *
 * Held for a few instructions, never across a call that may wait, allocate or free. A fork can still hit them, so the
 * holder signs with the fork epoch: a child that finds a foreign signature knows that none of its threads holds the
 * lock, and takes it. Each section below may stop anywhere: at worst it leaves a share, a reference or a pin too many,
 * which costs the child a copy or some memory. Sections that could do more harm run in the gate. */

#define SPINS 64

void cowi_struct_lock(cow_storage *storage)
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

/* With a context, while nobody can evict the bytes. */
static char *bytes_of(cow_storage *storage)
{
    const cow_dataptr original = storage->context->original;
    return (char *)original.data + storage->offset;
}

void cowi_storage_find(cow_storage *storage)
{
    cowi_store_release(&storage->address, bytes_of(storage));
}

/* A child may have inherited a share or a pin too many from a thread that it does not have. */
static bool counts_are_exact(void)
{
    return cowi_fork_epoch() == 1;
}

void cowi_storage_check(cow_storage *storage)
{
    const char *address = (const char *)cowi_load_relaxed(&storage->address);
    const unsigned busy = cowi_load_relaxed(&storage->busy);
    const size_t allocated = cowi_load_relaxed(&storage->allocated);
    COWI_ASSERT_FULL(cowi_load_relaxed(&storage->lock) == cowi_fork_epoch());
    COWI_ASSERT_FULL(cowi_load_relaxed(&storage->uses) >= 1);
    COWI_ASSERT_FULL(busy <= 1);
    COWI_ASSERT_FULL(storage->nbytes <= (size_t)PTRDIFF_MAX);
    COWI_ASSERT_FULL(cowi_load_relaxed(&storage->pins) <= COWI_COUNT_LIMIT);
    COWI_ASSERT_FULL(cowi_load_relaxed(&storage->pins) == 0 || storage->sole);
    COWI_ASSERT_FULL(!storage->sole || address != NULL);
    if (storage->context == NULL) {
        COWI_ASSERT_FULL(storage->sole);
        COWI_ASSERT_FULL(storage->scopes == 0);
        COWI_ASSERT_FULL(storage->offset == 0);
        COWI_ASSERT_FULL(storage->ptr.data == address && allocated == storage->nbytes);
    }
    else {
        cowi_context_check(storage->context);
        COWI_ASSERT_FULL(allocated == storage->context->nbytes);
        COWI_ASSERT_FULL(storage->nbytes <= allocated && storage->offset <= allocated - storage->nbytes);
        COWI_ASSERT_FULL(!storage->sole || !storage->context->foreign);
        COWI_ASSERT_FULL(!storage->sole || !cowi_context_absent(storage->context));
        COWI_ASSERT_FULL(!storage->sole || address == bytes_of(storage)); /* while shared, others may evict */
        COWI_ASSERT_FULL(!storage->sole || !counts_are_exact() || cowi_context_shares(storage->context) == 1);
        COWI_ASSERT_FULL(busy || cowi_context_shares(storage->context) >= 1);
    }
}

/* ---- birth and death --------------------------------------------------------------------------------------------- */

cow_storage *cowi_storage_alloc(const cow_allocator *allocator)
{
    return (cow_storage *)allocator->alloc(allocator->self, sizeof(cow_storage), _Alignof(cow_storage));
}

void cowi_storage_dealloc(const cow_allocator *allocator, cow_storage *storage)
{
    allocator->free(allocator->self, storage, sizeof *storage, _Alignof(cow_storage));
}

void cowi_storage_init(cow_storage *storage, const cow_allocator *allocator, void *address, size_t nbytes,
                       size_t allocated)
{
    cowi_init(&storage->lock, 0);
    cowi_init(&storage->busy, 0);
    cowi_init(&storage->pins, 0);
    cowi_init(&storage->uses, 1);
    cowi_init(&storage->address, address);
    cowi_init(&storage->allocated, allocated);
    storage->nbytes = nbytes;
    storage->allocator = allocator;
    storage->context = NULL;
    storage->offset = 0;
    storage->family = NULL;
    storage->scopes = 0;
    storage->sole = false;
    storage->paged = false;
    storage->reads = false;
}

void cowi_storage_own(cow_storage *storage, cow_dataptr bytes)
{
    if (storage->reads) { /* it now reads its own bytes */
        storage->reads = false;
        cowi_context_release(storage->context); /* never the last: it has a share */
    }
    storage->sole = true;
    storage->paged = cowi_dataptr_paged(storage->allocator, bytes);
}

cow_status cow_storage_new(const cow_allocator *allocator, size_t nbytes, cow_storage **out, cow_error *err)
{
    cow_dataptr ptr;
    cow_storage *storage;
    cowi_gate_start();
    if (nbytes > (size_t)PTRDIFF_MAX) {
        return cowi_fail(err, COW_EOVERFLOW, "cannot allocate %zu bytes: the largest size is %td", nbytes, PTRDIFF_MAX);
    }
    storage = cowi_storage_alloc(allocator);
    if (storage == NULL) {
        return cowi_fail(err, COW_ENOMEM, "cannot allocate a Storage");
    }
    if (!cowi_block_new(allocator, nbytes, &ptr)) {
        cowi_storage_dealloc(allocator, storage);
        return cowi_fail_block(err, allocator, nbytes, "");
    }
    cowi_storage_init(storage, allocator, ptr.data, nbytes, nbytes);
    storage->ptr = ptr;
    cowi_storage_own(storage, ptr);
    *out = storage;
    return COW_OK;
}

cow_status cow_storage_adopt(const cow_allocator *allocator, cow_dataptr ptr, size_t nbytes, unsigned flags,
                             cow_storage **out, cow_error *err)
{
    cow_storage *storage;
    cowi_gate_start();
    if (ptr.data == NULL || nbytes > (size_t)PTRDIFF_MAX || (flags & ~(unsigned)COW_FOREIGN) != 0) {
        return cowi_fail(
            err, COW_EINVAL,
            "adopt: data must not be NULL, nbytes must be at most PTRDIFF_MAX, and the only flag is COW_FOREIGN");
    }
    storage = cowi_storage_alloc(allocator);
    if (storage == NULL) {
        return cowi_fail(err, COW_ENOMEM, "cannot allocate a Storage");
    }
    cowi_storage_init(storage, allocator, ptr.data, nbytes, nbytes);
    if (flags & COW_FOREIGN) {
        storage->context = cowi_context_new(allocator, ptr, nbytes, true);
        if (storage->context == NULL) {
            cowi_storage_dealloc(allocator, storage);
            return cowi_fail(err, COW_ENOMEM, "cannot allocate a context");
        }
    }
    else {
        storage->ptr = ptr;
        cowi_storage_own(storage, ptr);
    }
    *out = storage;
    return COW_OK;
}

void cow_storage_free(cow_storage *storage)
{
    if (storage == NULL) {
        return;
    }
    COWI_ASSERT_FULL(cowi_load_relaxed(&storage->busy) == 0);
    COWI_ASSERT_FULL(cowi_load_acquire(&storage->pins) == 0 || !counts_are_exact());
    if (storage->reads) {
        cowi_context_drop_and_release(storage->context);
    }
    else if (storage->context != NULL) {
        cowi_context_drop(storage->context); /* the field stays: open const scopes compare it with theirs */
    }
    else {
        cowi_dataptr_delete(&storage->ptr, storage->nbytes);
    }
    cowi_family_release(storage->family);
    cowi_storage_unuse(storage);
}

void cowi_storage_unuse(cow_storage *storage)
{
    COWI_ASSERT_FULL(cowi_load_relaxed(&storage->uses) > 0);
    /* With one user left, nobody can become another. */
    if (cowi_load_acquire(&storage->uses) == 1 || cowi_sub_acq_rel(&storage->uses, 1) == 1) {
        cowi_storage_dealloc(storage->allocator, storage);
    }
}

/* ---- the context ------------------------------------------------------------------------------------------------- */

cowi_context *cowi_storage_wrap(cow_storage *storage, cowi_context **spare)
{
    if (storage->context == NULL && *spare != NULL) {
        (*spare)->original = storage->ptr;
        cowi_store_relaxed(&(*spare)->family, cowi_family_retain(storage->family));
        cowi_keep_order(); /* a child forked here finds no context, and ptr unchanged */
        storage->context = *spare;
        *spare = NULL;
    }
    return storage->context;
}

cowi_context *cowi_storage_leave(cow_storage *storage)
{
    cowi_context *context = storage->context;
    COWI_ASSERT_FULL(context != NULL);
    if (storage->scopes > 0) {
        (void)cowi_add_relaxed(&context->left, storage->scopes);
        storage->scopes = 0;
    }
    if (storage->reads) {
        storage->reads = false;
        cowi_context_release(context); /* never the last: the caller has the share's */
    }
    storage->context = NULL;
    return context;
}

cow_status cowi_storage_add_context(cow_storage *storage, cow_error *err)
{
    const cow_dataptr none = {NULL, NULL, NULL};
    cowi_context *spare = NULL;
    while (cowi_storage_wrap(storage, &spare) == NULL) {
        /* Never allocate with the micro lock held: release it, allocate, look again. */
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

/* ---- pages ------------------------------------------------------------------------------------------------------- */

/* While nobody can evict the bytes. */
static cow_dataptr handle_of(cow_storage *storage)
{
    return storage->context == NULL ? storage->ptr : (cow_dataptr)storage->context->original;
}

const cow_box *cowi_box_at(const cow_box *box, size_t offset, cow_box *room)
{
    if (box == NULL || offset == 0) {
        return box;
    }
    *room = *box;
    room->offset += (ptrdiff_t)offset;
    return room;
}

bool cowi_storage_unsettled(cow_storage *storage, const cow_box *box)
{
    cow_box room;
    const cow_allocator *allocator = storage->allocator;
    if (!storage->paged) {
        return false;
    }
    const cow_dataptr own = handle_of(storage);
    return allocator->paging->touch(allocator->self, &own, storage->nbytes, cowi_box_at(box, storage->offset, &room)) &&
           cowi_load_acquire(&storage->pins) == 0;
}

uint64_t cowi_storage_watched(cow_storage *storage)
{
    const cow_pasts *pasts = storage->allocator->paging->pasts;
    const cow_dataptr own = handle_of(storage);
    return pasts == NULL ? 0 : pasts->watched(&own);
}

bool cowi_wants_a_look(cow_storage *storage)
{
    static const ptrdiff_t none[] = {0, 1};
    static const cow_box nothing = {0, 1, 1, none, SIZE_MAX};
    const cow_paging *paging = storage->allocator->paging;
    bool wants = false;
    cowi_storage_lock(storage); /* another thread may have filled the bytes through this Storage */
    const cow_dataptr bytes = storage->context->original;
    if (cowi_dataptr_paged(storage->allocator, bytes)) {
        wants = paging->touch(storage->allocator->self, &bytes, storage->nbytes, &nothing) != 0;
    }
    cowi_storage_unlock(storage);
    return wants;
}

bool cowi_storage_is_paged(cow_storage *storage)
{
    bool paged = false;
    if (storage->sole) {
        paged = storage->paged;
    }
    else {
        const cowi_where where = cowi_context_retain(storage->context);
        paged = where == COWI_ABSENT && !cowi_context_is_gone(storage->context);
        if (where == COWI_HERE || where == COWI_FILLED) {
            paged = cowi_dataptr_paged(storage->allocator, storage->context->original);
            cowi_context_release(storage->context); /* never the last: the Storage has a share */
        }
    }
    return paged;
}

int cow_storage_is_paged(cow_storage *storage)
{
    int paged;
    cowi_storage_lock(storage);
    paged = cowi_storage_is_paged(storage);
    cowi_storage_unlock(storage);
    return paged;
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

const void *cow_storage_allocation(cow_storage *storage)
{
    const void *first = NULL;
    cowi_storage_lock(storage);
    if (storage->context == NULL) {
        first = storage->ptr.data;
    }
    else {
        const cowi_where where = cowi_context_retain(storage->context); /* a share alone keeps nobody from evicting */
        if (where == COWI_HERE || where == COWI_FILLED) {
            cow_dataptr original;
            original = storage->context->original;
            first = original.data;
            cowi_context_release(storage->context); /* never the last: the Storage has a share */
        }
    }
    cowi_storage_unlock(storage);
    return first;
}

int cow_storage_is_busy(cow_storage *storage)
{
    return cowi_load_seq_cst(&storage->busy) != 0;
}

size_t cow_storage_shares(cow_storage *storage)
{
    size_t shares;
    cowi_storage_lock(storage);
    shares = storage->context != NULL ? cowi_context_shares(storage->context) : 1;
    cowi_storage_unlock(storage);
    return shares;
}

/* For comparison only: the context may be gone afterwards. */
static const void *context_of(cow_storage *storage)
{
    const void *context;
    cowi_storage_lock(storage);
    context = storage->context;
    cowi_storage_unlock(storage);
    return context;
}

int cow_storage_shares_with(cow_storage *storage, cow_storage *other)
{
    const void *context = context_of(storage);
    return storage == other || (context != NULL && context == context_of(other));
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
    if (storage->context != NULL && !cowi_context_absent(storage->context)) { /* absent bytes have no readers */
        (void)cowi_add_relaxed(&storage->context->left, 1); /* for good: that reader never tells when it ends */
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
    static const ptrdiff_t none[] = {0, 1};
    static const cow_box nothing = {0, 1, 1, none, SIZE_MAX};
    bool copies;
    cowi_storage_lock(storage);
    copies = storage->sole ? cowi_storage_unsettled(storage, &nothing)
                           : !cowi_context_stealable(storage->context) || cowi_context_has_past(storage->context);
    cowi_storage_unlock(storage);
    return copies ? storage->nbytes : 0;
}
