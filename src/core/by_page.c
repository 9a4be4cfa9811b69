/* Questions about paged bytes. Each looks through a const scope, so that nobody frees the bytes meanwhile. */
#include "internal.h"
#include "units.h"

/* Opens a const scope on paged bytes. False: no scope was opened. */
static bool begin_by_page(cow_storage *storage, cow_const_scope *scope)
{
    if (storage->allocator->paging == NULL || cow_const_begin(storage, scope, NULL) != COW_OK) {
        return false;
    }
    if (cowi_dataptr_paged(storage->allocator, ((cowi_context *)scope->context)->original)) {
        return true;
    }
    cow_const_end(scope);
    return false;
}

/* Another thread may be setting it. */
static bool has_shadow(cowi_context *context)
{
    return cowi_load_relaxed((cowi_atomic_ptr *)&context->shadow) != NULL;
}

int cow_storage_write_moves(cow_storage *storage)
{
    bool moves = cow_storage_write_cost(storage) > 0;
    if (!moves) {
        cowi_storage_lock(storage);
        moves = storage->sole ? storage->paged && cowi_storage_watched(storage) != 0
                              : (has_shadow(storage->context) || cowi_storage_is_paged(storage));
        cowi_storage_unlock(storage);
    }
    return moves;
}

typedef struct answer {
    int by_page;  /* as would_share says */
    size_t takes; /* bytes of memory to share them first; 0 if the bytes are paged already and not shared */
    cow_page_refusal refusal;
} answer;

/* With the lock held: fills in what a write would ask the allocator. False: a write would not ask. */
static bool would_ask(cow_storage *storage, cowi_context *context, cow_sharing *sharing)
{
    sharing->instead_of_steal = cowi_context_stealable(context);
    if (storage->context != context || storage->sole || context->foreign ||
        (sharing->instead_of_steal && !has_shadow(context))) {
        return false;
    }
    sharing->source = context->original;
    sharing->allocated = context->nbytes;
    sharing->offset = storage->offset;
    sharing->nbytes = storage->nbytes;
    sharing->will_earn = cowi_context_earnable(context);
    sharing->shadow = &context->shadow;
    return true;
}

/* Tells whether a write to the box would be paged. */
static answer would_page(cow_storage *storage, const cow_box *box)
{
    const cow_paging *paging = storage->allocator->paging;
    answer found = {0, 0, COW_PAGES_UNSUITABLE};
    cow_sharing sharing;
    cow_const_scope scope;
    cowi_context *context;
    bool asks;
    if (paging == NULL || storage->nbytes < paging->least) {
        found.refusal = paging == NULL ? COW_PAGES_UNSUITABLE : COW_PAGES_SMALL;
        return found;
    }
    if (cow_const_begin(storage, &scope, NULL) != COW_OK) {
        return found;
    }
    context = (cowi_context *)scope.context;
    cowi_storage_lock(storage);
    asks = would_ask(storage, context, &sharing);
    found.by_page = !asks && cowi_dataptr_paged(storage->allocator, context->original);
    found.refusal = storage->sole || found.by_page ? COW_PAGES_GRANTED : COW_PAGES_UNSUITABLE;
    cowi_storage_unlock(storage);
    if (asks) {
        sharing.family = cowi_context_family(context);
        sharing.box = box;
        (void)cowi_gate_enter(false); /* would_share may ask for own_bytes */
        found.by_page = paging->would_share(storage->allocator->self, &sharing);
        cowi_gate_leave();
        found.takes = found.by_page != 0 ? sharing.takes : 0;
        found.refusal = sharing.refusal;
    }
    cow_const_end(&scope);
    return found;
}

static const cow_box element = {0, 1, 0, NULL, SIZE_MAX};

int cow_storage_writes_by_page(cow_storage *storage)
{
    return would_page(storage, &element).by_page;
}

cow_page_refusal cow_storage_page_refusal(cow_storage *storage)
{
    return would_page(storage, &element).refusal;
}

size_t cow_storage_write_takes(cow_storage *storage, size_t pages)
{
    const cow_box run = {0, (ptrdiff_t)(pages == 0 ? 0 : (pages - 1) * COWI_PAGE + 1), 0, NULL, SIZE_MAX};
    const size_t copies = cow_storage_write_cost(storage);
    const answer would = would_page(storage, &run);
    if (would.by_page == 0) {
        return copies;
    }
    if (copies == 0) {
        return pages * COWI_PAGE;
    }
    return would.takes > 0 ? would.takes : copies;
}

/* Inside the gate: the allocator takes a lock that no forked child may inherit. */
static size_t own_bytes(cow_storage *storage, cow_dataptr own, size_t *regions, size_t *count)
{
    size_t nbytes;
    (void)cowi_gate_enter(false);
    nbytes = storage->allocator->paging->own_bytes(storage->allocator->self, &own, regions, count);
    cowi_gate_leave();
    return nbytes;
}

size_t cow_storage_own_bytes(cow_storage *storage)
{
    cow_const_scope scope;
    size_t nbytes = storage->nbytes;
    if (!cowi_past_bytes(storage, &nbytes) && begin_by_page(storage, &scope)) {
        const cow_dataptr own = ((cowi_context *)scope.context)->original;
        nbytes = own_bytes(storage, own, NULL, NULL);
        cow_const_end(&scope);
    }
    return nbytes;
}

size_t cow_storage_own_regions(cow_storage *storage, size_t *regions, size_t count)
{
    cow_const_scope scope;
    if (!begin_by_page(storage, &scope)) {
        return 0;
    }
    const cow_dataptr own = ((cowi_context *)scope.context)->original;
    (void)own_bytes(storage, own, regions, &count);
    cow_const_end(&scope);
    return count;
}

size_t cow_storage_copied_bytes(cow_storage *storage)
{
    cow_const_scope scope;
    size_t nbytes = storage->nbytes;
    if (begin_by_page(storage, &scope)) {
        const cow_dataptr own = ((cowi_context *)scope.context)->original;
        nbytes = storage->allocator->paging->copied_bytes(storage->allocator->self, &own);
        cow_const_end(&scope);
    }
    return nbytes;
}

/* ---- two Storages ------------------------------------------------------------------------------------------------ */

static void part_of(const cow_const_scope *scope, size_t start, cow_compared *out)
{
    cowi_context *context = (cowi_context *)scope->context;
    out->bytes = context->original;
    out->allocated = context->nbytes;
    out->offset = (size_t)((const char *)scope->data - (const char *)context->original.data) + start;
    out->shadow = cowi_load_acquire((cowi_atomic_ptr *)&context->shadow);
}

static void find_differences(const cow_allocator *allocator, const cow_compared *a, const cow_compared *b,
                             size_t nbytes, cow_run_function found, void *to)
{
    if (a->bytes.data == b->bytes.data && a->offset == b->offset) {
        return;
    }
    if (allocator->paging == NULL || allocator->paging->differences == NULL) {
        found(to, 0, nbytes);
        return;
    }
    (void)cowi_gate_enter(false);
    allocator->paging->differences(allocator->self, a, b, nbytes, found, to);
    cowi_gate_leave();
}

static bool has_part(const cow_storage *storage, size_t start, size_t nbytes)
{
    return start <= storage->nbytes && nbytes <= storage->nbytes - start;
}

cow_status cow_storage_differences(cow_storage *a, size_t a_start, cow_storage *b, size_t b_start, size_t nbytes,
                                   cow_run_function found, void *to, cow_error *err)
{
    cow_const_scope in_a, in_b;
    cow_compared part_a, part_b;
    cow_status status;
    if (!has_part(a, a_start, nbytes) || !has_part(b, b_start, nbytes) || a->allocator != b->allocator) {
        return cowi_fail(err, COW_EINVAL, "cannot compare %zu bytes: a window is shorter, or of other memory", nbytes);
    }
    status = cow_const_begin(a, &in_a, err);
    if (status != COW_OK) {
        return status;
    }
    status = cow_const_begin(b, &in_b, err);
    if (status == COW_OK) {
        part_of(&in_a, a_start, &part_a);
        part_of(&in_b, b_start, &part_b);
        if (nbytes > 0) {
            find_differences(a->allocator, &part_a, &part_b, nbytes, found, to);
        }
        cow_const_end(&in_b);
    }
    cow_const_end(&in_a);
    return status;
}

/* ---- on request -------------------------------------------------------------------------------------------------- */

/* In the gate, and busy. The Storage begins a family; its ancestors and existing copies keep theirs. If it shares bytes
 * that are already paged, it gets its own window: taking a pointer then copies nothing. */
static cow_status page_read(cow_storage *storage, bool was_sole, cow_error *err)
{
    static const ptrdiff_t none[] = {0, 1};
    static const cow_box nothing = {0, 1, 1, none, SIZE_MAX};
    const cow_allocator *allocator = storage->allocator;
    cow_family *before = storage->family;
    cow_status status = COW_EREFUSED;
    const cow_dataptr bytes = storage->context->original;
    if (cowi_dataptr_paged(allocator, bytes)) {
        cowi_family_page_always(cowi_context_family(storage->context));
        return was_sole || !cowi_copy(storage, true, &nothing, COWI_PAGES_ONLY, &status, err) ? COW_OK : status;
    }
    storage->family = allocator->paging->family(allocator->self, &bytes);
    if (storage->family == NULL) {
        storage->family = before;
        return cowi_fail(err, COW_ENOMEM, "cannot allocate a family");
    }
    cowi_family_page_always(storage->family);
    if (!cowi_copy(storage, true, &nothing, COWI_PAGES_ONLY | COWI_ON_REQUEST, &status, err)) {
        status = cowi_fail(err, COW_EREFUSED, "the system grants no pages");
    }
    if (status != COW_OK) {
        cowi_family_release(storage->family);
        storage->family = before;
    }
    else {
        cowi_family_release(before);
    }
    return status;
}

/* The reference to read keeps other sharers from taking the bytes over. */
static cow_status page_busy(cow_storage *storage, bool was_sole, cow_error *err)
{
    cowi_context *context = storage->context;
    cow_status status = cowi_begin_to_read(storage, err);
    if (status == COW_OK) {
        status = page_read(storage, was_sole, err);
        cowi_context_release(context); /* never the last: the caller has the share's */
    }
    return status;
}

cow_status cowi_become_busy_at_rest(cow_storage *storage, bool *was_sole, cow_error *err)
{
    for (;;) {
        cow_status status;
        (void)cowi_gate_enter(false);
        status = cowi_storage_lock_wrapped(storage, err);
        if (status != COW_OK) {
            cowi_gate_leave();
            return status;
        }
        if (cowi_load_acquire(&storage->pins) != 0) {
            cowi_storage_unlock(storage);
            cowi_gate_leave();
            return cowi_fail(err, COW_EBUSY, "the Storage is pinned");
        }
        if (!cowi_load_seq_cst(&storage->busy)) {
            *was_sole = storage->sole;
            storage->sole = false;
            cowi_store_seq_cst(&storage->busy, 1);
            cowi_storage_unlock(storage);
            return COW_OK;
        }
        cowi_storage_unlock(storage);
        cowi_gate_leave();
        cowi_wait_while_busy(storage);
    }
}

void cowi_end_rest(cow_storage *storage, bool was_sole)
{
    cowi_storage_lock(storage);
    if (was_sole) {
        cowi_storage_own(storage, storage->context->original);
    }
    cowi_no_longer_busy(storage, NULL);
}

cow_status cow_storage_page(cow_storage *storage, cow_error *err)
{
    cowi_context *context;
    bool was_sole = false;
    cow_status status;
    if (storage->allocator->paging == NULL || storage->nbytes < storage->allocator->paging->least) {
        return cowi_fail(err, COW_EREFUSED, "pages need a Storage of 4 MiB (this has %zu bytes)", storage->nbytes);
    }
    status = cowi_become_busy_at_rest(storage, &was_sole, err);
    if (status != COW_OK) {
        return status;
    }
    context = storage->context;
    status = page_busy(storage, was_sole, err);
    if (storage->context == context) {
        cowi_end_rest(storage, was_sole);
    }
    else {
        cowi_storage_lock(storage);
        cowi_no_longer_busy(storage, context);
    }
    return status;
}
