/* Commits: regions of a window are put into a new base, which the window and all later ones map: those that were copied again
 * and again, and those of which so much was read that their small pages cost more than the base (healing).
 *
 * Nobody writes to the window meanwhile: it is shared, or its Storage is busy. So what its pages hold is the same as what the
 * base will hold, and to map the base in their place changes nothing for who reads. */
#include <stdlib.h>

#include "assertions.h"
#include "windows.h"

/* When as much has been paid for copies of a region as a base costs. */
static bool is_due(const cowi_commit *what, size_t index)
{
    const uint32_t dirty = what->dirty[index];
    const uint64_t debt = what->of->regions[what->first + index].debt;
    if (what->all || dirty == 0) {
        return dirty > 0;
    }
    return (debt + cowi_price_of_region(what->prices, dirty)) * 1000 >=
           (uint64_t)COWI_REGION_PAGES * what->prices->fill;
}

static size_t count_due(const cowi_commit *what)
{
    size_t count = 0;
    for (size_t i = 0; i < what->count; i++) {
        count += is_due(what, i);
    }
    return count;
}

static cowi_base *new_base(const cowi_commit *what, size_t count)
{
    cowi_piece *pieces = (cowi_piece *)malloc(count * sizeof *pieces);
    cowi_base *base;
    if (pieces == NULL) {
        return NULL;
    }
    for (size_t i = 0, at = 0; i < what->count; i++) {
        if (is_due(what, i)) {
            pieces[at].data = cowi_window_place(what->of, what->first + i);
            pieces[at++].nbytes = cowi_window_bytes(what->of, what->first + i);
        }
    }
    base = cowi_base_new(pieces, count, what->small);
    free(pieces);
    return base;
}

/* ThreadSanitizer takes a map for a write to all of it. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif
#ifdef __SANITIZE_THREAD__
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);
#define BEGIN_SAME_BYTES() AnnotateIgnoreWritesBegin(__FILE__, __LINE__)
#define END_SAME_BYTES() AnnotateIgnoreWritesEnd(__FILE__, __LINE__)
#else
#define BEGIN_SAME_BYTES() ((void)0)
#define END_SAME_BYTES() ((void)0)
#endif

static void commit_region(const cowi_commit *what, size_t index, cowi_base *base, size_t offset)
{
    cowi_region *before = &what->of->regions[what->first + index];
    bool mapped;
    BEGIN_SAME_BYTES();
    mapped = cowi_base_map(base, offset, cowi_window_place(what->of, what->first + index), COWI_REGION);
    END_SAME_BYTES();
    if (!mapped) {
        return; /* the window keeps its pages, and whoever copies it copies them */
    }
    cowi_base_retain(base);
    if (before->base != NULL) {
        cowi_base_release(before->base);
    }
    before->base = base;
    before->offset = offset;
    before->debt = 0;
    what->dirty[index] = 0;
}

/* No region takes more than one. */
static size_t more_maps(const cowi_window *of, size_t count)
{
    const size_t left = of->count - of->maps;
    return 2 * count < left ? 2 * count : left;
}

size_t cowi_commit_regions(const cowi_commit *what)
{
    const size_t count = count_due(what);
    const size_t more = more_maps(what->of, count);
    const uint64_t price = cowi_price_of_fill(what->prices, count);
    cowi_base *base = NULL;
    if (count == 0 || !cowi_maps_take(more)) {
        return 0;
    }
    if (cowi_ledger_take(price)) {
        base = new_base(what, count);
        if (base == NULL) {
            cowi_ledger_return(price);
        }
    }
    if (base == NULL) {
        cowi_maps_return(more);
        return 0;
    }
    what->of->maps += more;
    for (size_t i = 0, at = 0; i < what->count; i++) {
        if (is_due(what, i)) {
            commit_region(what, i, base, at++ * COWI_REGION);
        }
    }
    (void)cowi_add_relaxed(&cowi_page_counted.bases, 1);
    cowi_base_release(base);
    return count;
}

/* ---- healing ------------------------------------------------------------------------------------------------------ */

/* Whether what was read since the last look would have been cheaper by the price of a base, had all regions been whole. So
 * reading never costs twice of what it had to. Where it is not yet so, the next look is when it can be. */
static bool is_paid(cowi_window *of, const cowi_prices *prices)
{
    const uint32_t reading = cowi_price_of_reading();
    const uint64_t dear = reading == 0 ? UINT64_MAX : (uint64_t)of->nbytes * prices->fill / reading;
    const bool paid = cowi_load_relaxed(&of->read) >= dear;
    cowi_store_relaxed(&of->dear, dear);
    if (paid) {
        cowi_store_relaxed(&of->read, 0);
    }
    return paid;
}

static size_t sum(const uint32_t *dirty, size_t count)
{
    size_t pages = 0;
    for (size_t i = 0; i < count; i++) {
        pages += dirty[i];
    }
    return pages;
}

/* Of each region that maps a base, the pages that were written to: they have split its huge page. False: not known. */
static bool find_split(const cowi_window *of, uint32_t *dirty)
{
    cowi_dirt dirt = {(uint64_t *)calloc(of->count * (COWI_REGION_PAGES / 64), sizeof(uint64_t)), 0};
    const bool known = dirt.bits != NULL && cowi_dirt_find(of->map, of->count * COWI_REGION, &dirt);
    for (size_t i = 0; known && i < of->count; i++) {
        dirty[i] = of->regions[i].base == NULL ? 0 : (uint32_t)cowi_dirt_count(&dirt, i);
    }
    free(dirt.bits);
    return known;
}

/* Pages that were written to are paid for, and may be written to again: what that may cost is reserved anew. */
static void heal(cowi_window *of, uint32_t *dirty, const cowi_prices *prices)
{
    const cowi_commit what = {of, 0, of->count, dirty, prices, cowi_small_pages(), true};
    const size_t pages = sum(dirty, of->count);
    const uint64_t again = cowi_window_price_of_written(of, pages < of->at_first ? 0 : pages - of->at_first);
    size_t healed;
    if (pages == 0 || !cowi_ledger_take(again)) {
        return;
    }
    healed = cowi_commit_regions(&what);
    if (healed == 0) {
        cowi_ledger_return(again);
        return;
    }
    of->at_first = sum(dirty, of->count);
    cowi_store_relaxed(&of->counted, 0);
    (void)cowi_add_relaxed(&cowi_page_counted.heals, healed);
}

void cowi_window_heal(void *self, const cow_dataptr *own, int at_once)
{
    cowi_window *of = (cowi_window *)own->context;
    pthread_mutex_t *lock = cowi_window_lock(own->data);
    const cowi_prices *prices = cowi_prices_now();
    uint32_t *dirty;
    (void)self;
    COWI_ASSERT(cowi_window_is_paged(own));
    if (of->of_file || cowi_pages_are_off() || !prices->known) {
        return;
    }
    (void)pthread_mutex_lock(lock);
    dirty = at_once || is_paid(of, prices) ? (uint32_t *)calloc(of->count, sizeof *dirty) : NULL;
    if (dirty != NULL && find_split(of, dirty)) {
        heal(of, dirty, prices);
    }
    (void)pthread_mutex_unlock(lock);
    free(dirty);
}
