/* The COW context: two counts, a lock, the bytes. Which order each step needs, and why, is in protocol.md. */
#include "internal.h"

cowi_context *cowi_context_new(const cow_allocator *allocator, cow_dataptr ptr, size_t nbytes, bool foreign)
{
    cowi_context *context =
        (cowi_context *)allocator->alloc(allocator->self, sizeof(cowi_context), _Alignof(cowi_context));
    if (context == NULL) {
        return NULL;
    }
    if (pthread_rwlock_init(&context->lock, NULL) != 0) {
        allocator->free(allocator->self, context, sizeof *context, _Alignof(cowi_context));
        return NULL;
    }
    cowi_init(&context->shares, 1);
    cowi_init(&context->references, 1);
    cowi_init(&context->left, 0);
    context->original = ptr;
    context->nbytes = nbytes;
    context->allocator = allocator;
    context->foreign = foreign;
    return context;
}

void cowi_context_discard(cowi_context *context)
{
    const cow_allocator *allocator = context->allocator;
    (void)pthread_rwlock_destroy(&context->lock);
    allocator->free(allocator->self, context, sizeof *context, _Alignof(cowi_context));
}

void cowi_context_retain(cowi_context *context)
{
    (void)cowi_add_relaxed(&context->references, 1);
}

void cowi_context_release(cowi_context *context)
{
    COWI_YIELD("release");
    if (cowi_sub_acq_rel(&context->references, 1) == 1) {
        cowi_dataptr_delete(&context->original, context->nbytes);
        cowi_context_discard(context);
    }
}

bool cowi_context_share(cowi_context *context)
{
    /* The caller holds a share and a Storage's lock, so neither count can be 0 here. */
    if (cowi_load_relaxed(&context->shares) >= COWI_COUNT_LIMIT) {
        return false;
    }
    cowi_context_retain(context);
    (void)cowi_add_relaxed(&context->shares, 1);
    return true;
}

bool cowi_context_last_share(cowi_context *context)
{
    return !context->foreign && cowi_load_acquire(&context->shares) == 1;
}

bool cowi_context_stealable(cowi_context *context)
{
    return cowi_context_last_share(context) && cowi_load_acquire(&context->left) == 0;
}

bool cowi_context_give_up_share(cowi_context *context, bool last_too)
{
    size_t shares = cowi_load_acquire(&context->shares);
    do {
        if (shares == 1 && !last_too) {
            return false;
        }
        COWI_YIELD("give up share");
    } while (!cowi_cas_acq_rel(&context->shares, &shares, shares - 1));
    return true;
}

void cowi_context_drop(cowi_context *context)
{
    (void)cowi_sub_acq_rel(&context->shares, 1);
    COWI_YIELD("drop");
    cowi_context_release(context);
}
