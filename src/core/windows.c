/* The life of paged windows, wherever their bytes are: counts of writes, private pages, and their end. */
#include "windows.h"

#include <stdlib.h>

#include "boxes.h"

#define LOCKS 16

static pthread_mutex_t locks[LOCKS] = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
};

pthread_mutex_t *cowi_ground_lock(const cowi_base *ground)
{
    return &locks[(uintptr_t)ground / COW_ALIGNMENT % LOCKS];
}

pthread_mutex_t *cowi_window_lock(const cow_dataptr *bytes)
{
    const cowi_base *ground = cowi_window_is_paged(bytes) ? ((const cowi_window *)bytes->context)->ground : NULL;
    return ground != NULL ? cowi_ground_lock(ground) : &locks[(uintptr_t)bytes->data / COWI_REGION % LOCKS];
}

/* ---- regions ----------------------------------------------------------------------------------------------------- */

size_t cowi_window_bytes(const cowi_window *of, size_t index)
{
    const size_t rest = of->lead + of->nbytes - index * COWI_REGION;
    return rest < COWI_REGION ? rest : COWI_REGION;
}

size_t cowi_run_end(const cowi_window *of, size_t first)
{
    const cowi_region *start = &of->regions[first];
    size_t end = first + 1;
    while (end < of->count && of->regions[end].base == start->base && start->base != NULL &&
           of->regions[end].offset == start->offset + (end - first) * COWI_REGION) {
        end++;
    }
    return end;
}

size_t cowi_window_runs(const cowi_window *of)
{
    size_t count = 0;
    for (size_t at = 0; at < of->count; at = cowi_run_end(of, at)) {
        count++;
    }
    return count;
}

void cowi_window_retain_bases(const cowi_window *of)
{
    for (size_t i = 0; i < of->count; i++) {
        if (of->regions[i].base != NULL) {
            of->place->retain(of->regions[i].base);
        }
    }
}

static void release_all(const cowi_window *of)
{
    for (size_t i = 0; i < of->count; i++) {
        if (of->regions[i].base != NULL) {
            of->place->release(of->regions[i].base);
        }
    }
}

void cowi_region_put(const cowi_place *place, cowi_region *of, void *base, size_t offset)
{
    place->retain(base);
    if (of->base != NULL) {
        place->release(of->base);
    }
    of->base = base;
    of->offset = offset;
    of->debt = 0;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

cowi_window *cowi_window_new(const cowi_place *place, cow_family *family, size_t count)
{
    char *made = (char *)calloc(1, place->window_size + count * sizeof(cowi_region));
    cowi_window *of = (cowi_window *)(void *)made;
    if (made != NULL) {
        of->place = place;
        of->family = cowi_family_retain(family);
        of->count = count;
        of->regions = (cowi_region *)(void *)(made + place->window_size);
    }
    return of;
}

void cowi_window_discard(cowi_window *of)
{
    cowi_family_release(of->family);
    free(of);
}

static uint64_t price_of_writes(const cowi_window *of)
{
    const size_t most = cowi_most_written(of->prices, of->count * COWI_REGION_PAGES);
    return cowi_price_of_pages(of->prices, most + cowi_between_looks(most)) + of->nbytes;
}

void cowi_window_reserve(cowi_window *of, const cowi_prices *prices)
{
    const bool always = cowi_family_pages_always(of->family);
    of->prices = prices;
    of->reserved = always ? 0 : price_of_writes(of);
    cowi_init(&of->counted, 0);
    cowi_init(&of->budget, always ? SIZE_MAX : cowi_most_written(prices, of->count * COWI_REGION_PAGES));
}

/* The reservation, minus the pages that were written. */
static uint64_t unspent(const cowi_window *of)
{
    const uint64_t most = of->reserved == 0 ? 0 : of->reserved - of->nbytes;
    const uint64_t price = cowi_price_of_pages(of->prices, cowi_load_relaxed(&of->counted));
    return of->reserved - (price < most ? price : most);
}

void cowi_window_rest(cowi_window *of)
{
    if (of->reserved > 0 && !of->gave_up) {
        cowi_family_return(of->family, unspent(of));
        of->reserved = 0;
        cowi_store_relaxed(&of->counted, 0);
        cowi_store_relaxed(&of->budget, 0);
    }
}

void cowi_window_begin(cowi_window *of)
{
    const uint64_t price = price_of_writes(of);
    const bool always = cowi_family_pages_always(of->family);
    of->at_first += cowi_load_relaxed(&of->counted);
    of->gave_up = false;
    of->looks = 0;
    cowi_family_return(of->family, unspent(of));
    of->reserved = !always && cowi_family_take(of->family, price, of->nbytes, COWI_LOANS_TOO) ? price : 0;
    cowi_store_relaxed(&of->counted, 0);
    cowi_store_relaxed(&of->budget, always ? SIZE_MAX : cowi_most_written(of->prices, of->count * COWI_REGION_PAGES));
}

void cowi_window_delete(void *data, void *context, size_t nbytes)
{
    cowi_window *of = (cowi_window *)context;
    (void)data;
    (void)nbytes;
    if (of->line != NULL && of->place->inherit(of)) {
        return;
    }
    cowi_family_return(of->family, unspent(of));
    if (!of->gave_up) {
        cowi_family_went_well(of->family);
    }
    of->place->deleted(of);
    release_all(of);
    cowi_window_discard(of);
}

int cowi_window_is_paged(const cow_dataptr *own)
{
    return own->deleter == cowi_window_delete;
}

/* ---- writes ------------------------------------------------------------------------------------------------------ */

static void mark_regions(cowi_window *of, const cow_box *box)
{
    size_t first = 0, end = of->nbytes;
    if (cowi_box_range(box, &first, &end) && end == first) {
        return;
    }
    for (size_t i = (of->lead + first) / COWI_REGION; i < of->count && i * COWI_REGION < of->lead + end; i++) {
        cowi_store_relaxed(&of->regions[i].touched, 1);
    }
}

int cowi_window_touch(void *self, const cow_dataptr *own, size_t nbytes, const cow_box *box)
{
    cowi_window *of = (cowi_window *)own->context;
    const size_t pages = cowi_pages_touched(box, nbytes);
    (void)self;
    if (of->place->touched != NULL) {
        of->place->touched(of, box);
    }
    if (of->ground != NULL) {
        mark_regions(of, box);
    }
    return cowi_add_relaxed(&of->counted, pages) + pages >= cowi_load_relaxed(&of->budget);
}

/* The set of all private pages, for the caller to free. bits is NULL if they are unknown. */
static cowi_dirt own_pages(const cowi_window *of)
{
    cowi_dirt own = {(uint64_t *)calloc(of->count * COWI_REGION_WORDS, sizeof(uint64_t)), 0};
    if (own.bits != NULL && !of->place->own_pages(of, 0, of->count, &own)) {
        free(own.bits);
        own.bits = NULL;
    }
    return own;
}

/* Counts the pages of a set that lie in regions with a base. */
static size_t split_pages(const cowi_window *of, const cowi_dirt *pages)
{
    size_t count = 0;
    for (size_t i = 0; i < of->count; i++) {
        count += of->regions[i].base == NULL ? 0 : cowi_dirt_count(pages, i);
    }
    return count;
}

/* Counts such private pages before a write that is about to begin, and how many more it will add: an upper bound if the
 * box does not tell which it touches. False: unknown. */
static bool count_pages(const cowi_window *of, const cow_box *box, size_t *before, size_t *more)
{
    cowi_dirt own = own_pages(of);
    if (own.bits == NULL) {
        return false;
    }
    *before = split_pages(of, &own) - (of->place->under_way == NULL ? 0 : of->place->under_way(of));
    *more = cowi_mark_pages(box, of->lead, of->count, own.bits) ? split_pages(of, &own) - *before
                                                                : cowi_pages_touched(box, of->nbytes);
    free(own.bits);
    return true;
}

/* Reserves again for a window at rest, whose private pages must not count. Without money it goes on unreserved: a
 * writer to its own bytes owes nobody a copy, so giving the window up now would cost most. */
static void wake(cowi_window *of, size_t own)
{
    const uint64_t price = price_of_writes(of);
    if (cowi_family_take(of->family, price, of->nbytes, COWI_LOANS_TOO)) {
        of->reserved = price;
    }
    of->at_first = own;
}

/* A look at a window takes at most as long as copying a hundredth of it. Writes of so many pages that each triggers a
 * look count, after MOST_LOOKS looks, all pages that they touch: they may write the same ones forever. */
#define MOST_LOOKS 32

static bool looks_too_often(cowi_window *of, const cow_box *box, size_t most)
{
    if (cowi_pages_touched(box, of->nbytes) < cowi_between_looks(most)) {
        return false;
    }
    return ++of->looks > MOST_LOOKS;
}

int cowi_window_settle(void *self, const cow_dataptr *own, const cow_box *box)
{
    cowi_window *of = (cowi_window *)own->context;
    const size_t most = cowi_most_written(of->prices, of->count * COWI_REGION_PAGES);
    size_t now = 0, more = 0, written, next;
    bool known;
    (void)self;
    if (cowi_family_pages_always(of->family)) { /* since the window was made */
        cowi_store_relaxed(&of->budget, SIZE_MAX);
        return 1;
    }
    known = count_pages(of, box, &now, &more);
    more = looks_too_often(of, box, most) ? cowi_pages_touched(box, of->nbytes) : more;
    if (cowi_load_relaxed(&of->budget) == 0) {
        wake(of, now);
    }
    of->at_first = now < of->at_first ? now : of->at_first; /* an estimate, if the window was taken over */
    written = now - of->at_first + more;
    next = written + cowi_between_looks(most);
    if (!known || written >= most) {
        of->gave_up = true;
        cowi_store_relaxed(&of->budget, SIZE_MAX);
        cowi_family_gave_up(of->family);
        of->place->gave_up(of);
        return 0;
    }
    cowi_store_relaxed(&of->counted, written);
    cowi_store_relaxed(&of->budget, next > most ? next : most);
    return 1;
}

/* ---- questions --------------------------------------------------------------------------------------------------- */

size_t cowi_window_copied_bytes(void *self, const cow_dataptr *own)
{
    (void)self;
    return ((const cowi_window *)own->context)->copied;
}

size_t cowi_window_own_bytes(void *self, const cow_dataptr *own, size_t *regions, size_t *count)
{
    const cowi_window *of = (const cowi_window *)own->context;
    pthread_mutex_t *lock = cowi_window_lock(own); /* a sharer may be in the middle of a commit */
    const size_t room = count != NULL ? *count : 0;
    size_t nbytes = 0;
    cowi_dirt pages;
    (void)self;
    (void)pthread_mutex_lock(lock);
    pages = own_pages(of);
    for (size_t i = 0; pages.bits != NULL && i < of->count; i++) {
        const size_t here = of->regions[i].base == NULL ? COWI_REGION : cowi_dirt_count(&pages, i) * COWI_PAGE;
        nbytes += here;
        if (i < room) {
            regions[i] = here;
        }
    }
    (void)pthread_mutex_unlock(lock);
    if (count != NULL) {
        *count = pages.bits == NULL ? 0 : of->count < room ? of->count : room;
    }
    nbytes = pages.bits == NULL ? of->nbytes : nbytes;
    free(pages.bits);
    return nbytes;
}
