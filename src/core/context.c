/* The COW context: two counts, a lock, the bytes. Which order each step needs, and why, is in protocol.md. */
#include "internal.h"

#define REFERENCE ((uint64_t)1)
#define SHARE ((uint64_t)1 << 32)

/* Bounds are looked at before they are counted: each thread may go one beyond. */
#define THREADS_BEYOND ((size_t)1 << 20)

static size_t shares(uint64_t counts)
{
    return (size_t)(counts >> 32);
}

static size_t references(uint64_t counts)
{
    return (size_t)(counts & UINT32_MAX);
}

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
    cowi_init(&context->counts, SHARE + REFERENCE);
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

/* The caller holds a reference or a share, and a Storage's lock: no count can be 0 here. */
static bool take(cowi_context *context, uint64_t what, size_t limit)
{
    if (references(cowi_load_relaxed(&context->counts)) >= limit) {
        return false;
    }
    COWI_ASSERT_FULL(references(cowi_load_relaxed(&context->counts)) > 0);
    (void)cowi_add_relaxed(&context->counts, what);
    return true;
}

static void give_back(cowi_context *context, uint64_t what)
{
    const uint64_t before = cowi_sub_acq_rel(&context->counts, what);
    COWI_ASSERT_FULL(shares(before) >= shares(what));
    if (references(before) <= 1) {
        COWI_ASSERT(before == what); /* otherwise there was none left, or a share stays behind */
        cowi_dataptr_delete(&context->original, context->nbytes);
        cowi_context_discard(context);
    }
}

bool cowi_context_retain(cowi_context *context)
{
    return take(context, REFERENCE, 2 * COWI_COUNT_LIMIT); /* where sharers are full, they can still be read */
}

void cowi_context_release(cowi_context *context)
{
    COWI_YIELD("release");
    give_back(context, REFERENCE);
}

bool cowi_context_share(cowi_context *context)
{
    return take(context, SHARE + REFERENCE, COWI_COUNT_LIMIT);
}

size_t cowi_context_shares(cowi_context *context)
{
    return shares(cowi_load_relaxed(&context->counts));
}

bool cowi_context_last_share(cowi_context *context)
{
    return !context->foreign && shares(cowi_load_acquire(&context->counts)) == 1;
}

bool cowi_context_stealable(cowi_context *context)
{
    return cowi_context_last_share(context) && cowi_load_acquire(&context->left) == 0;
}

bool cowi_context_give_up_share(cowi_context *context, bool last_too)
{
    uint64_t counts = cowi_load_acquire(&context->counts);
    do {
        COWI_ASSERT(shares(counts) > 0);
        if (shares(counts) == 1 && !last_too) {
            return false;
        }
        COWI_YIELD("give up share");
    } while (!cowi_cas_acq_rel(&context->counts, &counts, counts - SHARE));
    return true;
}

void cowi_context_drop(cowi_context *context)
{
    COWI_YIELD("drop");
    give_back(context, SHARE + REFERENCE);
}

void cowi_context_check(cowi_context *context)
{
    const uint64_t counts = cowi_load_relaxed(&context->counts);
    COWI_ASSERT_FULL(references(counts) > 0);
    COWI_ASSERT_FULL(references(counts) <= 2 * COWI_COUNT_LIMIT + THREADS_BEYOND);
    COWI_ASSERT_FULL(shares(counts) <= references(counts));
    COWI_ASSERT_FULL(cowi_load_relaxed(&context->left) <= PTRDIFF_MAX); /* more: lowered once too often */
    COWI_ASSERT_FULL(context->original.data != NULL);
    COWI_ASSERT_FULL(context->nbytes <= (size_t)PTRDIFF_MAX);
}
