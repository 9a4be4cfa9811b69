/* The COW context: two counts and the state of the bytes in one word, a lock, the bytes. protocol.md tells which memory
 * order each step needs, and why. */
#include <sched.h>

#include "internal.h"

#define REFERENCE ((uint64_t)1)
#define SHARE ((uint64_t)1 << 32)

/* The state of the bytes lies above the references, so one comparison with a bound checks both: every flag is above the
 * bounds. Neither flag: the bytes are here, at each sharer's address. Both: they are coming or going, and only one
 * thread has `original`. */
#define ABSENT ((uint64_t)1 << 31) /* no bytes */
#define FILLED ((uint64_t)1 << 30) /* here, at `original`: they were absent before */
#define STATE (ABSENT | FILLED)

/* A thread counts first and checks afterwards, so each may exceed a bound by one or two. */
#define THREADS_BEYOND ((size_t)1 << 20)

static size_t shares(uint64_t counts)
{
    return (size_t)(counts >> 32);
}

static size_t references(uint64_t counts)
{
    return (size_t)(counts & (FILLED - 1));
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
    context->shadow = NULL;
    cowi_init(&context->family, NULL);
    cowi_init(&context->owed, 0);
    cowi_init(&context->past, NULL);
    context->retired = NULL;
    context->allocator = allocator;
    context->foreign = foreign;
    return context;
}

void cowi_context_discard(cowi_context *context)
{
    const cow_allocator *allocator = context->allocator;
    cowi_family_release((cow_family *)cowi_load_relaxed(&context->family));
    (void)pthread_rwlock_destroy(&context->lock);
    allocator->free(allocator->self, context, sizeof *context, _Alignof(cowi_context));
}

void cowi_context_unshadow(cowi_context *context)
{
    void *shadow = context->shadow;
    if (shadow != NULL) {
        context->shadow = NULL;
        context->allocator->paging->unshadow(context->allocator->self, shadow);
    }
}

static bool is_paging(const cowi_context *context, size_t nbytes)
{
    return context->allocator->paging != NULL && nbytes >= context->allocator->paging->least;
}

void cowi_context_owe(cowi_context *context, size_t nbytes)
{
    if (is_paging(context, nbytes)) {
        (void)cowi_add_relaxed(&context->owed, nbytes);
    }
}

/* The bytes that sharers may still copy, except the one that copies now and the one that will be the last. */
static uint64_t still_owed(cowi_context *context)
{
    const size_t sharers = shares(cowi_load_relaxed(&context->counts));
    return sharers > 2 ? (uint64_t)(sharers - 2) * context->nbytes : 0;
}

uint64_t cowi_context_earnable(cowi_context *context)
{
    const uint64_t owed = cowi_load_relaxed(&context->owed), kept = still_owed(context);
    return owed > kept ? owed - kept : 0;
}

static cow_family *find_family(cowi_context *context)
{
    const cow_allocator *allocator = context->allocator;
    void *family = NULL;
    const cowi_where where = cowi_context_retain(context);
    if (where == COWI_HERE || where == COWI_FILLED) {
        const cow_dataptr bytes = context->original;
        cow_family *found = allocator->paging->family(allocator->self, &bytes);
        if (found != NULL && cowi_cas_acq_rel(&context->family, &family, found)) {
            family = found;
        }
        else {
            cowi_family_release(found); /* another thread was first */
        }
        cowi_context_release(context); /* never the last: the caller has a share */
    }
    return (cow_family *)family;
}

cow_family *cowi_context_family(cowi_context *context)
{
    cow_family *family = (cow_family *)cowi_load_acquire(&context->family);
    return family != NULL || !is_paging(context, context->nbytes) ? family : find_family(context);
}

static void earn(cowi_context *context, cow_family *family)
{
    uint64_t kept, before;
    if (family == NULL) {
        return;
    }
    kept = still_owed(context);
    before = cowi_load_relaxed(&context->owed);
    while (before > kept) {
        if (cowi_cas_acq_rel(&context->owed, &before, kept)) {
            cowi_family_earn(family, (size_t)(before - kept));
            return;
        }
    }
}

void cowi_context_earn(cowi_context *context)
{
    if (is_paging(context, context->nbytes)) {
        earn(context, cowi_context_family(context));
    }
}

static void drop_retired(cowi_context *context)
{
    if (context->retired != NULL) {
        context->allocator->paging->pasts->drop(context->retired);
        context->retired = NULL;
    }
}

/* The counts, once no bytes move: within a few instructions it is clear who has them. */
static uint64_t still(cowi_context *context)
{
    uint64_t counts = cowi_load_acquire(&context->counts);
    while ((counts & STATE) == STATE) {
        (void)sched_yield();
        counts = cowi_load_acquire(&context->counts);
    }
    return counts;
}

static void forget_past(cowi_context *context)
{
    void *past = cowi_load_acquire(&context->past);
    if (past != NULL) {
        context->allocator->paging->pasts->forget(past);
    }
    (void)still(context);  /* a recall for a writer, or a window's end, may be about to bring bytes */
    drop_retired(context); /* even that past, if it has inherited a window meanwhile */
}

static void give_back(cowi_context *context, uint64_t what)
{
    const uint64_t before = cowi_sub_acq_rel(&context->counts, what);
    COWI_ASSERT_FULL(shares(before) >= shares(what));
    if (references(before - what) == 0) {
        cow_dataptr original;
        COWI_ASSERT((before & ~STATE) == what); /* otherwise one was missing, or a share stays behind */
        forget_past(context);                   /* which may bring bytes */
        cowi_context_unshadow(context);
        original = context->original;
        earn(context, (cow_family *)cowi_load_relaxed(&context->family)); /* no family: nothing to earn for */
        cowi_dataptr_delete(&original, context->nbytes);
        cowi_context_discard(context);
    }
}

/* Slow path: the count or a flag is out of bounds. */
static cowi_where look_closer(cowi_context *context, uint64_t before, uint64_t what, size_t limit, bool reads)
{
    const bool full = references(before) >= limit;
    if (full || (reads && (before & ABSENT))) {
        give_back(context, what);
        return full ? COWI_FULL : COWI_ABSENT;
    }
    if (before & ABSENT) {
        return COWI_ABSENT;
    }
    (void)cowi_load_acquire(&context->counts); /* see the fill, which came before our addition */
    return COWI_FILLED;
}

/* The caller has a reference or a share, and a Storage's lock: no count can be 0 here. A reader takes nothing if the
 * bytes are absent. */
static cowi_where take(cowi_context *context, uint64_t what, size_t limit, bool reads)
{
    const uint64_t before = cowi_add_relaxed(&context->counts, what);
    COWI_ASSERT_FULL(references(before) > 0);
    if ((before & UINT32_MAX) < limit) {
        return COWI_HERE;
    }
    return look_closer(context, before, what, limit, reads);
}

cowi_where cowi_context_retain(cowi_context *context)
{
    return take(context, REFERENCE, 2 * COWI_COUNT_LIMIT, true); /* a full count of shares leaves room for readers */
}

bool cowi_context_hold(cowi_context *context)
{
    return take(context, REFERENCE, 2 * COWI_COUNT_LIMIT, false) != COWI_FULL;
}

void cowi_context_release(cowi_context *context)
{
    COWI_YIELD("release");
    give_back(context, REFERENCE);
}

cowi_where cowi_context_share(cowi_context *context)
{
    return take(context, SHARE + REFERENCE, COWI_COUNT_LIMIT, false);
}

cowi_where cowi_context_share_and_retain(cowi_context *context)
{
    return take(context, SHARE + 2 * REFERENCE, COWI_COUNT_LIMIT, true);
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
        if ((shares(counts) == 1 && !last_too) || (counts & ABSENT)) {
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

void cowi_context_drop_and_release(cowi_context *context)
{
    COWI_YIELD("drop and release");
    give_back(context, SHARE + 2 * REFERENCE);
}

/* ---- absence ----------------------------------------------------------------------------------------------------- */

void cowi_context_begin_absent(cowi_context *context)
{
    (void)cowi_add_relaxed(&context->counts, ABSENT);
}

bool cowi_context_absent(cowi_context *context)
{
    return (cowi_load_acquire(&context->counts) & ABSENT) != 0; /* another thread may have brought them back */
}

bool cowi_context_moving(cowi_context *context)
{
    return (cowi_load_acquire(&context->counts) & STATE) == STATE;
}

bool cowi_context_take_over(cowi_context *context, cow_dataptr *taken)
{
    const cow_dataptr none = {NULL, NULL, NULL};
    uint64_t counts = cowi_load_acquire(&context->counts);
    do {
        if ((counts & ABSENT) || shares(counts) < 2 || references(counts) != shares(counts) + 1 ||
            cowi_load_acquire(&context->left) != 0) {
            return false;
        }
        COWI_YIELD("take over");
    } while (!cowi_cas_acq_rel(&context->counts, &counts, (counts | STATE) - SHARE));
    *taken = context->original;
    context->original = none;
    return true;
}

void cowi_context_set_past(cowi_context *context, void *past)
{
    void *retired = context->retired;
    context->retired = NULL;
    cowi_store_release(&context->past, past); /* others wait for this */
    if (retired != NULL) {
        context->allocator->paging->pasts->drop(retired);
    }
}

void cowi_context_end_take_over(cowi_context *context)
{
    (void)cowi_sub_release(&context->counts, FILLED);
}

/* With a reference held, nobody can take over. So once no take-over is under way, a past can only go, and bringing
 * bytes back makes them move before the past goes. */
bool cowi_context_is_gone(cowi_context *context)
{
    bool no_past;
    if (!cowi_context_absent(context) || cowi_load_acquire(&context->past) != NULL || !cowi_context_hold(context)) {
        return false;
    }
    do {
        (void)still(context);
        COWI_YIELD("are they gone");
        no_past = cowi_load_acquire(&context->past) == NULL;
    } while (cowi_context_moving(context));
    no_past = no_past && cowi_context_absent(context);
    cowi_context_release(context); /* never the last: the caller has a share, or a reference */
    return no_past;
}

bool cowi_context_has_past(cowi_context *context)
{
    return cowi_context_absent(context) && !cowi_context_is_gone(context) && cowi_context_absent(context);
}

void cowi_context_bring_back(cowi_context *context, cow_dataptr bytes)
{
    uint64_t counts = still(context); /* a filler that has not seen the past yet is about to */
    COWI_YIELD("bring back");
    while (!cowi_cas_acq_rel(&context->counts, &counts, counts | FILLED)) {
        counts = still(context);
    }
    COWI_YIELD("bytes come back");
    context->original = bytes;
    context->retired = cowi_load_relaxed(&context->past);
    cowi_store_release(&context->past, NULL);
    (void)cowi_sub_release(&context->counts, ABSENT);
}

cow_status cowi_context_evict(cowi_context *context, size_t managed, cow_dataptr *bytes, void **shadow)
{
    const cow_dataptr none = {NULL, NULL, NULL};
    uint64_t counts = cowi_load_relaxed(&context->counts);
    do {
        if (counts & ABSENT) {
            return COW_EABSENT;
        }
        /* More references than shares: somebody reads, copies or overwrites. */
        if (shares(counts) != managed || references(counts) != managed) {
            return COW_EBUSY;
        }
        COWI_YIELD("evict");
    } while (!cowi_cas_acq_rel(&context->counts, &counts, counts | STATE));
    COWI_YIELD("bytes go");
    *bytes = context->original;
    context->original = none;
    *shadow = context->shadow;
    context->shadow = NULL;
    (void)cowi_sub_release(&context->counts, FILLED);
    return COW_OK;
}

cow_status cowi_context_fill(cowi_context *context, cow_dataptr bytes, bool *alone)
{
    uint64_t counts = cowi_load_relaxed(&context->counts);
    do {
        if ((counts & STATE) != ABSENT) {
            return (counts & STATE) == STATE ? COW_EBUSY : COW_EPRESENT;
        }
        COWI_YIELD("claim");
    } while (!cowi_cas_acq_rel(&context->counts, &counts, counts | FILLED));
    if (cowi_load_acquire(&context->past) != NULL) { /* filled and taken over since the caller looked */
        (void)cowi_sub_release(&context->counts, FILLED);
        return COW_EPRESENT;
    }
    /* Checked now: with bytes to copy, another sharer may give up its share and then be in the middle of its copy. */
    *alone = shares(counts) == 1;
    COWI_YIELD("bytes come");
    context->original = bytes;
    (void)cowi_sub_release(&context->counts, ABSENT);
    return COW_OK;
}

void cowi_context_check(cowi_context *context)
{
    const uint64_t counts = cowi_load_relaxed(&context->counts);
    COWI_ASSERT_FULL(references(counts) > 0);
    COWI_ASSERT_FULL(references(counts) <= 2 * COWI_COUNT_LIMIT + THREADS_BEYOND);
    COWI_ASSERT_FULL(shares(counts) <= references(counts));
    COWI_ASSERT_FULL(cowi_load_relaxed(&context->left) <= PTRDIFF_MAX); /* more: lowered once too often */
    COWI_ASSERT_FULL(context->nbytes <= (size_t)PTRDIFF_MAX);
}
