/* Questions about bytes by the page. Each looks through a const scope, so that nobody frees the bytes meanwhile. */
#include "internal.h"
#include "units.h"

/* Opens a const scope on bytes by the page. False: no scope was opened. */
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

/* Whether a write to the box would be by the page, as would_share says. *takes: how many bytes of memory it would take to share
 * them first; 0 if the bytes are paged already and not shared. */
static int would_page(cow_storage *storage, const cow_box *box, size_t *takes)
{
    const cow_paging *paging = storage->allocator->paging;
    cow_sharing sharing;
    cow_const_scope scope;
    cowi_context *context;
    int by_page;
    *takes = 0;
    if (paging == NULL || storage->nbytes < paging->least || cow_const_begin(storage, &scope, NULL) != COW_OK) {
        return 0;
    }
    cowi_storage_lock(storage);
    context = storage->context;
    if (context == scope.context && !storage->sole && !context->foreign && !cowi_context_stealable(context)) {
        sharing.source = context->original;
        sharing.allocated = context->nbytes;
        sharing.offset = storage->offset;
        sharing.nbytes = storage->nbytes;
        sharing.box = box;
        sharing.will_earn = cowi_context_earnable(context);
        sharing.shadow = &context->shadow;
        cowi_storage_unlock(storage);
        (void)cowi_gate_enter(false); /* would_share may ask for own_bytes */
        by_page = paging->would_share(storage->allocator->self, &sharing);
        cowi_gate_leave();
        *takes = by_page != 0 ? sharing.takes : 0;
    }
    else {
        by_page = cowi_dataptr_paged(storage->allocator, ((cowi_context *)scope.context)->original);
        cowi_storage_unlock(storage);
    }
    cow_const_end(&scope);
    return by_page;
}

int cow_storage_writes_by_page(cow_storage *storage)
{
    static const cow_box element = {0, 1, 0, NULL, SIZE_MAX};
    size_t takes;
    return would_page(storage, &element, &takes);
}

size_t cow_storage_write_takes(cow_storage *storage, size_t pages)
{
    const cow_box run = {0, (ptrdiff_t)(pages == 0 ? 0 : (pages - 1) * COWI_PAGE + 1), 0, NULL, SIZE_MAX};
    const size_t copies = cow_storage_write_cost(storage);
    size_t takes;
    if (!would_page(storage, &run, &takes)) {
        return copies;
    }
    if (copies == 0) {
        return pages * COWI_PAGE;
    }
    return takes > 0 ? takes : copies;
}

/* Inside the gate: the allocator takes a lock, which no forked child may find taken. */
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
    if (begin_by_page(storage, &scope)) {
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
