/* Bases that travel between processes, in both directions. Another process receives a Storage as a base, and the bytes
 * that differ from it. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "internal.h"
#include "maps.h"
#include "mode.h"
#include "pages.h"
#include "policy.h"

/* ---- the base under a Storage ------------------------------------------------------------------------------------ */

/* Where the window's first region would lie, if all regions lay on this one's base at the same distance. */
typedef struct footing {
    cowi_base *base; /* NULL: no base that may travel */
    size_t shift;    /* modulo its type's range */
} footing;

static footing footing_of(const cowi_window *of, size_t index)
{
    cowi_base *base = (cowi_base *)of->regions[index].base;
    footing found = {NULL, 0};
    if (base != NULL && !base->is_ground && cowi_is_identity(base->identity)) { /* a file has no bytes here */
        found.base = base;
        found.shift = of->regions[index].offset - index * COWI_REGION;
    }
    return found;
}

static bool is_one(footing a, footing b)
{
    return a.base == b.base && a.shift == b.shift;
}

/* The footing of more than half of the regions, if there is one (Boyer and Moore's vote); otherwise that of some. */
static footing vote(const cowi_window *of, size_t first, size_t end)
{
    footing elected = {NULL, 0};
    size_t votes = 0;
    for (size_t i = first; i < end; i++) {
        const footing here = footing_of(of, i);
        if (votes == 0) {
            elected = here;
        }
        votes = is_one(here, elected) ? votes + 1 : votes - 1;
    }
    return elected;
}

/* Reports runs of the window's bytes, relative to the part of it that a Storage has. */
typedef struct part {
    size_t start;
    size_t nbytes;
    cow_run_function found;
    void *to;
    size_t told_from;
    size_t told_to;
} part;

static void tell(const part *of)
{
    const size_t end = of->told_to < of->start + of->nbytes ? of->told_to : of->start + of->nbytes;
    const size_t from = of->told_from > of->start ? of->told_from : of->start;
    if (from < end) {
        of->found(of->to, from - of->start, end - from);
    }
}

static void put(part *of, size_t from, size_t end)
{
    if (from != of->told_to) {
        tell(of);
        of->told_from = from;
    }
    of->told_to = end;
}

static void put_own(part *of, const cowi_dirt *own, size_t first, size_t index)
{
    const uint64_t *bits = own->bits + (index - first) * COWI_REGION_WORDS;
    for (size_t page = 0; page < COWI_REGION_PAGES; page++) {
        if ((bits[page / 64] >> page % 64 & 1) != 0) {
            put(of, index * COWI_REGION + page * COWI_PAGE, index * COWI_REGION + (page + 1) * COWI_PAGE);
        }
    }
}

/* Reports the differences from the footing: private pages, and regions that lie elsewhere. */
static void tell_all(const cowi_window *window, const cowi_dirt *own, size_t first, size_t end, footing under, part *of)
{
    for (size_t i = first; i < end; i++) {
        if (is_one(footing_of(window, i), under)) {
            put_own(of, own, first, i);
        }
        else {
            put(of, i * COWI_REGION, (i + 1) * COWI_REGION);
        }
    }
    tell(of);
}

/* With the window's lock: finds the base, with a reference for the caller, and reports differences. False: none. */
static bool describe(const cowi_window *window, part *of, cow_base **base, size_t *start)
{
    const size_t first = of->start / COWI_REGION;
    const size_t end = (of->start + of->nbytes - 1) / COWI_REGION + 1;
    const footing under = vote(window, first, end);
    const size_t at = under.shift + of->start;
    cowi_dirt own = {0};
    bool seen;
    if (under.base == NULL || at > under.base->nbytes || of->nbytes > under.base->nbytes - at ||
        !cowi_base_freeze(under.base)) {
        return false;
    }
    own.bits = (uint64_t *)calloc((end - first) * COWI_REGION_WORDS, sizeof *own.bits);
    seen = own.bits != NULL && window->place->own_pages(window, first, end - first, &own);
    if (seen) {
        tell_all(window, &own, first, end, under, of);
        cowi_base_retain(under.base);
        *base = under.base;
        *start = at;
    }
    free(own.bits);
    return seen;
}

static bool describe_locked(const cow_const_scope *scope, cow_run_function found, void *to, cow_base **base,
                            size_t *start)
{
    const cow_dataptr bytes = ((const cowi_context *)scope->context)->original;
    const cowi_window *window = (const cowi_window *)bytes.context;
    part of = {0, scope->nbytes, found, to, 0, 0};
    pthread_mutex_t *lock;
    bool good;
    if (scope->nbytes == 0 || !cowi_window_is_paged(&bytes)) {
        return false;
    }
    of.start = window->lead + (size_t)((const char *)scope->data - (const char *)bytes.data);
    lock = cowi_window_lock(&bytes); /* a sharer may be in the middle of a commit */
    (void)cowi_gate_enter(false);
    (void)pthread_mutex_lock(lock);
    good = describe(window, &of, base, start);
    (void)pthread_mutex_unlock(lock);
    cowi_gate_leave();
    return good;
}

cow_status cow_storage_base(cow_storage *storage, cow_base **base, size_t *start, cow_run_function found, void *to,
                            cow_error *err)
{
    cow_const_scope scope;
    cow_status status = cow_const_begin(storage, &scope, err);
    if (status != COW_OK) {
        return status;
    }
    if (storage->allocator->paging == NULL || !describe_locked(&scope, found, to, base, start)) {
        status = cowi_fail(err, COW_EREFUSED, "the bytes lie on no frozen base");
    }
    cow_const_end(&scope);
    return status;
}

/* ---- a base for all of it ----------------------------------------------------------------------------------------- */

/* With the window's lock. */
static bool commit_all(cowi_window *window, size_t first, size_t end)
{
    cowi_plan how;
    bool good;
    memset(&how, 0, sizeof how);
    how.place = window->place;
    how.from = window;
    how.first = first;
    how.count = end - first;
    how.small = cowi_small_pages();
    how.whole = true;
    how.dirty = (uint32_t *)calloc(how.count, sizeof *how.dirty);
    good = how.dirty != NULL && cowi_base_granted(how.small) && how.place->commit(&how, how.count);
    free(how.dirty);
    return good;
}

/* In the gate, and busy: nobody writes to the window. */
static cow_status rebase_read(const cow_storage *storage, cow_error *err)
{
    pthread_mutex_t *lock;
    size_t start;
    bool good;
    const cow_dataptr bytes = storage->context->original;
    cowi_window *window = (cowi_window *)bytes.context;
    if (storage->nbytes == 0 || !cowi_window_is_paged(&bytes) || window->ground != NULL) {
        return cowi_fail(err, COW_EREFUSED, "the bytes are not by the page, or lie on a ground");
    }
    start = window->lead + storage->offset;
    lock = cowi_window_lock(&bytes);
    (void)pthread_mutex_lock(lock);
    good = commit_all(window, start / COWI_REGION, (start + storage->nbytes - 1) / COWI_REGION + 1);
    (void)pthread_mutex_unlock(lock);
    if (!good) {
        return cowi_fail(err, COW_EREFUSED, "the system grants no pages, or somebody owns the bytes below");
    }
    cowi_count(COWI_COPIES, 1);
    cowi_count(COWI_BYTES_COPIED, storage->nbytes);
    return COW_OK;
}

/* The reference to read keeps sharers from taking the bytes over and writing to them. */
static cow_status rebase_busy(cow_storage *storage, cow_error *err)
{
    cow_status status = cowi_begin_to_read(storage, err);
    if (status == COW_OK) {
        status = rebase_read(storage, err);
        cowi_context_release(storage->context); /* never the last: the Storage has a share */
    }
    return status;
}

cow_status cow_storage_rebase(cow_storage *storage, cow_error *err)
{
    bool was_sole = false;
    cow_status status = cowi_become_busy_at_rest(storage, &was_sole, err);
    if (status == COW_OK) {
        status = rebase_busy(storage, err);
        cowi_end_rest(storage, was_sole);
    }
    return status;
}

/* ---- bases ------------------------------------------------------------------------------------------------------- */

cow_status cow_base_storage(cow_base *base, size_t start, size_t nbytes, cow_storage **out, cow_error *err)
{
    cow_dataptr bytes;
    cow_status status;
    if (nbytes == 0 || start > base->nbytes || nbytes > base->nbytes - start) {
        return cowi_fail(err, COW_EINVAL, "cannot take %zu bytes at byte %zu of a base of %zu", nbytes, start,
                         base->nbytes);
    }
    if (!cowi_window_on(base, start, nbytes, &bytes)) {
        return cowi_fail(err, COW_ENOMEM, "cannot map %zu bytes", nbytes);
    }
    status = cow_storage_adopt(cow_heap(), bytes, nbytes, 0, out, err);
    if (status != COW_OK) {
        cowi_dataptr_delete(&bytes, nbytes);
    }
    return status;
}

cow_base *cow_base_find(const uint64_t identity[2])
{
    return cowi_base_find(identity);
}

cow_status cow_base_receive(int descriptor, const uint64_t identity[2], size_t nbytes, cow_base **out, cow_error *err)
{
    struct stat now;
    cowi_base *base;
    if (!cowi_is_identity(identity) || nbytes == 0 || nbytes % COWI_REGION != 0 || fstat(descriptor, &now) != 0 ||
        !S_ISREG(now.st_mode) || now.st_size < 0 || (size_t)now.st_size != nbytes || !cowi_is_frozen(descriptor)) {
        return cowi_fail(err, COW_EINVAL, "no file of %zu bytes that nobody can change", nbytes);
    }
    cowi_gate_start(); /* a fork must find the list of bases whole */
    base = cowi_base_find(identity);
    if (base != NULL && base->nbytes != nbytes) {
        const size_t known = base->nbytes; /* the release may be the last */
        cowi_base_release(base);
        return cowi_fail(err, COW_EINVAL, "a base with that identity has %zu bytes, not %zu", known, nbytes);
    }
    if (base == NULL) {
        base = cowi_base_received(descriptor, identity, nbytes);
    }
    if (base == NULL) {
        return cowi_fail(err, COW_EREFUSED, "too many files are open");
    }
    *out = base;
    return COW_OK;
}

int cow_base_descriptor(const cow_base *base)
{
    return cowi_base_descriptor(base);
}

void cow_base_identity(const cow_base *base, uint64_t identity[2])
{
    memcpy(identity, base->identity, sizeof base->identity);
}

size_t cow_base_nbytes(const cow_base *base)
{
    return base->nbytes;
}

void cow_base_release(cow_base *base)
{
    if (base != NULL) {
        cowi_base_release(base);
    }
}
