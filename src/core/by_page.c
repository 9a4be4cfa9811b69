/* Questions about bytes by the page. They look through a const scope, so that nobody frees what is looked at. */
#include "internal.h"

int cow_storage_writes_by_page(cow_storage *storage)
{
    static const cow_box element = {0, 1, 0, NULL, SIZE_MAX};
    const cow_paging *paging = storage->allocator->paging;
    cow_sharing sharing;
    cow_const_scope scope;
    cowi_context *context;
    int by_page = 0;
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
        sharing.box = &element;
        sharing.will_earn = cowi_context_earnable(context);
        sharing.shadow = &context->shadow;
        cowi_storage_unlock(storage);
        by_page = paging->would_share(storage->allocator->self, &sharing);
    }
    else {
        by_page = cowi_dataptr_paged(storage->allocator, ((cowi_context *)scope.context)->original);
        cowi_storage_unlock(storage);
    }
    cow_const_end(&scope);
    return by_page;
}

size_t cow_storage_own_bytes(cow_storage *storage)
{
    cow_const_scope scope;
    size_t nbytes = storage->nbytes;
    if (storage->allocator->paging != NULL && cow_const_begin(storage, &scope, NULL) == COW_OK) {
        const cow_dataptr own = ((cowi_context *)scope.context)->original;
        if (cowi_dataptr_paged(storage->allocator, own)) {
            (void)cowi_gate_enter(false); /* the allocator has a lock, which no child may find taken */
            nbytes = storage->allocator->paging->own_bytes(storage->allocator->self, &own);
            cowi_gate_leave();
        }
        cow_const_end(&scope);
    }
    return nbytes;
}
