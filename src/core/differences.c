/* Where two allocations of the heap may differ. Regions at the same place of one base are equal except for the windows'
 * private pages; other regions may differ anywhere. A view describes one allocation at the time of the look: identities
 * tell bases apart, so it needs no references to them. */
#include "differences.h"

#include <stdlib.h>
#include <string.h>

#include "maps.h"

typedef struct view {
    size_t lead; /* bytes of the first region before the allocation begins */
    size_t count;
    cowi_place_in_base *regions; /* NULL: unknown */
    cowi_dirt own;
} view;

/* Collects one run at a time, as long as the next one may join it. */
typedef struct writer {
    cow_run_function found;
    void *to;
    size_t start;
    size_t end;
} writer;

static void flush(writer *out)
{
    if (out->end > out->start) {
        out->found(out->to, out->start, out->end - out->start);
    }
}

static void put(writer *out, size_t start, size_t end)
{
    if (start > out->end || out->end == out->start) {
        flush(out);
        out->start = start;
    }
    out->end = end;
}

/* ---- views ------------------------------------------------------------------------------------------------------- */

static bool take(view *of, size_t count)
{
    of->count = count;
    of->regions = (cowi_place_in_base *)calloc(count, sizeof *of->regions);
    of->own.bits = (uint64_t *)calloc(count * COWI_REGION_WORDS, sizeof *of->own.bits);
    return of->regions != NULL && of->own.bits != NULL;
}

static void forget(view *of)
{
    free(of->regions);
    free(of->own.bits);
    memset(of, 0, sizeof *of);
}

static void see_window(const cow_dataptr *bytes, view *of)
{
    const cowi_window *window = (const cowi_window *)bytes->context;
    pthread_mutex_t *lock = cowi_window_lock(bytes); /* a sharer may be in the middle of a commit */
    bool seen;
    (void)pthread_mutex_lock(lock);
    of->lead = window->lead;
    seen = take(of, window->count) && window->place->own_pages(window, 0, window->count, &of->own);
    for (size_t i = 0; seen && i < window->count; i++) {
        if (window->regions[i].base != NULL) {
            of->regions[i] = cowi_base_place((const cowi_base *)window->regions[i].base, window->regions[i].offset);
        }
    }
    (void)pthread_mutex_unlock(lock);
    if (!seen) {
        forget(of);
    }
}

static void see_shadow(const cowi_base *base, size_t nbytes, view *of)
{
    if (!take(of, (nbytes + COWI_REGION - 1) / COWI_REGION)) {
        forget(of);
        return;
    }
    for (size_t i = 0; i < of->count; i++) {
        of->regions[i] = cowi_base_place(base, i * COWI_REGION);
    }
}

static void see(const cow_compared *what, view *of)
{
    memset(of, 0, sizeof *of);
    if (cowi_window_is_paged(&what->bytes)) {
        see_window(&what->bytes, of);
    }
    else if (what->shadow != NULL) {
        see_shadow((const cowi_base *)what->shadow, what->allocated, of);
    }
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

static bool has_own(const view *of, size_t region)
{
    uint64_t any = 0;
    for (size_t word = 0; word < COWI_REGION_WORDS; word++) {
        any |= of->own.bits[region * COWI_REGION_WORDS + word];
    }
    return any != 0;
}

static bool is_own(const view *of, size_t at)
{
    const size_t page = at / COWI_PAGE;
    return (of->own.bits[page / 64] >> page % 64 & 1) != 0;
}

static bool one_base(const view *a, size_t at_a, const view *b, size_t at_b)
{
    const cowi_place_in_base *in_a = &a->regions[at_a / COWI_REGION], *in_b = &b->regions[at_b / COWI_REGION];
    return cowi_is_identity(in_a->identity) && memcmp(in_a->identity, in_b->identity, sizeof in_a->identity) == 0 &&
           in_a->offset + at_a % COWI_REGION == in_b->offset + at_b % COWI_REGION;
}

static size_t least(size_t x, size_t y)
{
    return x < y ? x : y;
}

/* Both lie at the same place of one base, so their pages begin together. */
static void compare_pages(const view *a, size_t at_a, const view *b, size_t at_b, size_t from, size_t end, writer *out)
{
    if (!has_own(a, at_a / COWI_REGION) && !has_own(b, at_b / COWI_REGION)) {
        return;
    }
    for (size_t at = from; at < end;) {
        const size_t next = least(end, at + COWI_PAGE - (at_a + at - from) % COWI_PAGE);
        if (is_own(a, at_a + at - from) || is_own(b, at_b + at - from)) {
            put(out, at, next);
        }
        at = next;
    }
}

static void compare(const view *a, size_t start_a, const view *b, size_t start_b, size_t nbytes, writer *out)
{
    for (size_t at = 0; at < nbytes;) {
        const size_t at_a = start_a + at, at_b = start_b + at;
        const size_t rest = least(COWI_REGION - at_a % COWI_REGION, COWI_REGION - at_b % COWI_REGION);
        const size_t end = least(nbytes, at + rest);
        if (one_base(a, at_a, b, at_b)) {
            compare_pages(a, at_a, b, at_b, at, end, out);
        }
        else {
            put(out, at, end);
        }
        at = end;
    }
}

void cowi_differences(void *self, const cow_compared *a, const cow_compared *b, size_t nbytes, cow_run_function found,
                      void *to)
{
    writer out = {found, to, 0, 0};
    view in_a, in_b;
    (void)self;
    see(a, &in_a);
    see(b, &in_b);
    if (in_a.regions != NULL && in_b.regions != NULL) {
        compare(&in_a, in_a.lead + a->offset, &in_b, in_b.lead + b->offset, nbytes, &out);
    }
    else {
        put(&out, 0, nbytes);
    }
    flush(&out);
    forget(&in_a);
    forget(&in_b);
}
