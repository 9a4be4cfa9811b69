/* Grounds: bases that their owners change page by page, so that each equals one Storage at a certain time.
 *
 * A ground lists its windows. Before a page of it changes, each of them gets a private copy of that page
 * (MADV_POPULATE_WRITE acts on a private map like a write that changes no byte). Making a window from one on a ground
 * holds the ground's lock from the look at its pages until the new one is listed, so none is missed. A forked process
 * has windows that nobody can list: after a fork a ground never changes again. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>

#include "internal.h"
#include "maps.h"
#include "mode.h"
#include "pages.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

struct cow_ground {
    cowi_base *base;
    size_t nbytes;
    unsigned forks; /* when it was made */
};

/* ---- life ---------------------------------------------------------------------------------------------------------- */

static cowi_base *new_base(const char *source, size_t nbytes)
{
    const bool small = cowi_small_pages();
    const size_t count = (nbytes + COWI_REGION - 1) / COWI_REGION;
    cowi_piece *pieces = cowi_base_granted(small) ? (cowi_piece *)malloc(count * sizeof *pieces) : NULL;
    cowi_base *base = NULL;
    if (pieces != NULL) {
        for (size_t i = 0; i < count; i++) {
            const size_t rest = nbytes - i * COWI_REGION;
            pieces[i].data = source + i * COWI_REGION;
            pieces[i].nbytes = rest < COWI_REGION ? rest : COWI_REGION;
        }
        base = cowi_base_new_ground(pieces, count, small);
        free(pieces);
    }
    return base;
}

cow_status cow_ground_storage(cow_ground *ground, cow_storage **out, cow_error *err)
{
    cow_dataptr bytes;
    cow_status status;
    if (!cowi_window_on(ground->base, 0, ground->nbytes, &bytes)) {
        return cowi_fail(err, COW_ENOMEM, "cannot map %zu bytes", ground->nbytes);
    }
    status = cow_storage_adopt(cow_heap(), bytes, ground->nbytes, 0, out, err);
    if (status != COW_OK) {
        cowi_dataptr_delete(&bytes, ground->nbytes);
    }
    return status;
}

cow_status cow_ground_new(cow_storage *source, cow_ground **ground, cow_storage **storage, cow_error *err)
{
    cow_ground *made = (cow_ground *)malloc(sizeof *made);
    cow_const_scope scope;
    cow_status status;
    if (made == NULL) {
        return cowi_fail(err, COW_ENOMEM, "cannot allocate a ground");
    }
    status = cow_const_begin(source, &scope, err);
    if (status != COW_OK) {
        free(made);
        return status;
    }
    cowi_gate_start();
    made->nbytes = scope.nbytes;
    made->forks = cowi_forks(); /* before anybody can have a window on it */
    made->base = scope.nbytes == 0 ? NULL : new_base((const char *)scope.data, scope.nbytes);
    cow_const_end(&scope);
    status = made->base == NULL ? cowi_fail(err, COW_EREFUSED, "the system grants no pages")
                                : cow_ground_storage(made, storage, err);
    if (status != COW_OK) {
        cow_ground_free(made);
        return status;
    }
    *ground = made;
    return COW_OK;
}

void cow_ground_free(cow_ground *ground)
{
    if (ground != NULL) {
        if (ground->base != NULL) {
            cowi_base_release(ground->base);
        }
        free(ground);
    }
}

const void *cow_ground_bytes(const cow_ground *ground)
{
    return ground->base->open;
}

/* ---- changing it --------------------------------------------------------------------------------------------------- */

typedef struct pages {
    const cowi_base *base;
    size_t start;
    size_t nbytes;
} pages;

/* Finds the part of a window's region that lies in these pages of the ground. False: none does. */
static bool part_of(const cowi_region *region, const pages *what, size_t *from, size_t *end)
{
    if (region->base != what->base || what->start >= region->offset + COWI_REGION ||
        what->start + what->nbytes <= region->offset) {
        return false;
    }
    *from = what->start > region->offset ? what->start - region->offset : 0;
    *end = what->start + what->nbytes - region->offset;
    *end = *end < COWI_REGION ? *end : COWI_REGION;
    return true;
}

static bool keep_pages(cowi_mapped *of, void *context)
{
    const pages *what = (const pages *)context;
    size_t from, end;
    for (size_t i = 0; i < of->window.count; i++) {
        if (!part_of(&of->window.regions[i], what, &from, &end)) {
            continue;
        }
        cowi_store_relaxed(&of->window.regions[i].touched, 1);
        if (madvise(cowi_mapped_region(&of->window, i) + from, end - from, MADV_POPULATE_WRITE) != 0) {
            return false;
        }
    }
    return true;
}

static cow_status put_locked(cow_ground *ground, size_t start, const void *bytes, size_t nbytes, cow_error *err)
{
    pages what = {ground->base, start, nbytes};
    if (ground->forks != cowi_forks()) {
        return cowi_fail(err, COW_EREFUSED, "the process has forked since the ground was made");
    }
    if (!cowi_mapped_all(ground->base, keep_pages, &what)) {
        return cowi_fail(err, COW_ENOMEM, "cannot copy %zu bytes for those who share them", nbytes);
    }
    memcpy(ground->base->open + start, bytes, nbytes);
    return COW_OK;
}

cow_status cow_ground_put(cow_ground *ground, size_t start, const void *bytes, size_t nbytes, cow_error *err)
{
    pthread_mutex_t *lock = cowi_ground_lock(ground->base);
    cow_status status;
    if (start % COWI_PAGE != 0 || nbytes % COWI_PAGE != 0 || start > ground->base->nbytes ||
        nbytes > ground->base->nbytes - start) {
        return cowi_fail(err, COW_EINVAL, "cannot put %zu bytes at byte %zu of a ground of %zu", nbytes, start,
                         ground->nbytes);
    }
    (void)cowi_gate_enter(false);
    (void)pthread_mutex_lock(lock);
    status = put_locked(ground, start, bytes, nbytes, err);
    (void)pthread_mutex_unlock(lock);
    cowi_gate_leave();
    return status;
}

/* ---- a Storage and its ground ---------------------------------------------------------------------------------------- */

/* The context's window, if it covers the whole ground. */
static cowi_window *window_of(const cow_ground *ground, const cowi_context *context)
{
    const cow_dataptr bytes = context->original;
    cowi_window *of = cowi_window_is_paged(&bytes) ? (cowi_window *)bytes.context : NULL;
    return of != NULL && of->ground == ground->base && of->lead == 0 && of->nbytes == ground->nbytes ? of : NULL;
}

typedef struct writer {
    cow_run_function found;
    void *to;
    size_t start;
    size_t end;
    size_t nbytes; /* of the ground */
} writer;

static void flush(const writer *out)
{
    const size_t end = out->end < out->nbytes ? out->end : out->nbytes;
    if (out->end > out->start) {
        out->found(out->to, out->start, end - out->start);
    }
}

static void put_run(writer *out, size_t start, size_t end)
{
    if (start != out->end || out->end == out->start) {
        flush(out);
        out->start = start;
    }
    out->end = end;
}

static bool is_own(const cowi_dirt *own, size_t page)
{
    return (own->bits[page / 64] >> page % 64 & 1) != 0;
}

/* The window's private pages in a region. False: unknown. */
static bool own_pages(const cowi_window *of, size_t index, uint64_t *bits, cowi_dirt *own)
{
    memset(bits, 0, COWI_REGION_WORDS * sizeof *bits);
    own->bits = bits;
    own->pages = 0;
    return of->place->own_pages(of, index, 1, own);
}

static void tell_region(const cow_ground *ground, const cowi_window *of, size_t index, writer *out)
{
    const size_t start = index * COWI_REGION;
    uint64_t bits[COWI_REGION_WORDS];
    cowi_dirt own;
    if (of->regions[index].base != ground->base || !own_pages(of, index, bits, &own)) {
        put_run(out, start, start + COWI_REGION);
        return;
    }
    for (size_t page = 0; own.pages > 0 && page < COWI_REGION_PAGES; page++) {
        if (is_own(&own, page)) {
            put_run(out, start + page * COWI_PAGE, start + (page + 1) * COWI_PAGE);
        }
    }
}

static void tell(const cow_ground *ground, const cowi_context *context, writer *out)
{
    pthread_mutex_t *lock = cowi_ground_lock(ground->base);
    const cowi_window *of;
    (void)pthread_mutex_lock(lock);
    of = window_of(ground, context);
    if (of == NULL) {
        put_run(out, 0, ground->nbytes);
    }
    for (size_t i = 0; of != NULL && i < of->count; i++) {
        if (cowi_load_relaxed(&of->regions[i].touched)) {
            tell_region(ground, of, i, out);
        }
    }
    (void)pthread_mutex_unlock(lock);
    flush(out);
}

/* While a pin keeps the bytes: a pin marks the regions that it writes, and they stay marked until nobody pins. */
static cow_status tell_pinned(const cow_ground *ground, cow_storage *storage, writer *out, cow_error *err)
{
    cow_const_scope scope;
    const cow_status status = cow_const_begin(storage, &scope, err);
    if (status == COW_OK) {
        (void)cowi_gate_enter(false);
        tell(ground, (const cowi_context *)scope.context, out);
        cowi_gate_leave();
        cow_const_end(&scope);
    }
    return status;
}

cow_status cow_ground_changes(cow_ground *ground, cow_storage *storage, cow_run_function found, void *to,
                              cow_error *err)
{
    writer out = {found, to, 0, 0, ground->nbytes};
    bool was_sole = false;
    cow_status status;
    if (storage->nbytes != ground->nbytes) {
        return cowi_fail(err, COW_EINVAL, "cannot compare %zu bytes with a ground of %zu", storage->nbytes,
                         ground->nbytes);
    }
    if (cow_storage_is_absent(storage)) {
        return cowi_fail_absent(err);
    }
    status = cowi_become_busy_at_rest(storage, &was_sole, err);
    if (status == COW_EBUSY) {
        return tell_pinned(ground, storage, &out, err);
    }
    if (status == COW_OK) {
        status = cowi_begin_to_read(storage, err); /* otherwise other sharers might take the bytes over */
        if (status == COW_OK) {
            tell(ground, storage->context, &out);
            cowi_context_release(storage->context); /* never the last: the Storage has a share */
        }
        cowi_end_rest(storage, was_sole);
    }
    return status;
}

/* ---- settling -------------------------------------------------------------------------------------------------------- */

/* Puts a region that is private memory, or lies on another base, back on the ground if it is equal. */
static bool return_region(const cow_ground *ground, cowi_window *of, size_t index)
{
    const size_t start = index * COWI_REGION;
    char *place = cowi_mapped_region(of, index);
    if (memcmp(place, ground->base->open + start, cowi_window_bytes(of, index)) != 0 ||
        !cowi_maps_take(1)) { /* at most one more: the region may end another run */
        return false;
    }
    if (!cowi_base_map(ground->base, start, place, COWI_REGION)) {
        cowi_maps_return(1);
        return false;
    }
    ((cowi_mapped *)(void *)of)->maps++;
    cowi_region_put(of->place, &of->regions[index], ground->base, start);
    return true;
}

/* True: the region has no private pages any more. */
static bool settle_region(const cow_ground *ground, cowi_window *of, size_t index)
{
    const char *under = ground->base->open + index * COWI_REGION;
    char *place = cowi_mapped_region(of, index);
    uint64_t bits[COWI_REGION_WORDS];
    cowi_dirt own;
    size_t left;
    if (of->regions[index].base != ground->base) {
        return return_region(ground, of, index);
    }
    if (!own_pages(of, index, bits, &own)) {
        return false;
    }
    left = own.pages;
    for (size_t page = 0; own.pages > 0 && page < COWI_REGION_PAGES; page++) {
        const size_t at = page * COWI_PAGE;
        if (is_own(&own, page) && memcmp(place + at, under + at, COWI_PAGE) == 0 &&
            madvise(place + at, COWI_PAGE, MADV_DONTNEED) == 0) {
            left--;
        }
    }
    return left == 0;
}

void cow_ground_settle(cow_ground *ground, cow_storage *storage)
{
    pthread_mutex_t *lock = cowi_ground_lock(ground->base);
    bool was_sole = false;
    cowi_window *of;
    if (cow_storage_is_absent(storage) || cowi_become_busy_at_rest(storage, &was_sole, NULL) != COW_OK) {
        return;
    }
    if (cowi_begin_to_read(storage, NULL) == COW_OK) {
        (void)pthread_mutex_lock(lock);
        of = window_of(ground, storage->context);
        for (size_t i = 0; of != NULL && i < of->count; i++) {
            if (cowi_load_relaxed(&of->regions[i].touched) && settle_region(ground, of, i)) {
                cowi_store_relaxed(&of->regions[i].touched, 0);
            }
        }
        (void)pthread_mutex_unlock(lock);
        cowi_context_release(storage->context); /* never the last: the Storage has a share */
    }
    cowi_end_rest(storage, was_sole);
}
