/* Windows by the page: a writer's private map of frozen bytes. The kernel copies the pages that are written.
 *
 * Here a window is made of a source, plain or a window itself: which bases it maps, which regions and pages it copies, what
 * the ledger pays for it. What is shared is guarded by a lock that goes by the address of the source: one of several threads
 * makes the base, and the others find it. See *pages* in protocol.md. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "assertions.h"
#include "windows.h"

#ifndef MADV_HUGEPAGE
#define MADV_HUGEPAGE 14
#endif

/* ---- the source: which regions a new window maps, and which pages it has to copy ----------------------------------- */

typedef struct plan {
    cowi_window *from; /* NULL: plain memory */
    size_t first;      /* region of the source that is the new window's first */
    const cowi_prices *prices;
    bool small;
    cowi_dirt dirt;    /* of the source's regions from first on */
    uint32_t *dirty;   /* of each of the new window's regions: pages that are not its base's */
    uint32_t *touched; /* and those that the writer will touch */
    uint64_t paid;     /* for the window, beside what is reserved */
    size_t filled;     /* bytes of bases that were made for it */
} plan;

/* The base that equals plain memory, filled for the first that asks. */
static bool find_shadow(const cow_sharing *sharing, plan *how)
{
    const size_t count = (sharing->allocated + COWI_REGION - 1) / COWI_REGION;
    const uint64_t price = cowi_price_of_fill(how->prices, count);
    cowi_piece *pieces;
    if (*sharing->shadow != NULL) {
        return true;
    }
    if (!cowi_ledger_take(&cowi_books, price)) {
        return false;
    }
    pieces = (cowi_piece *)malloc(count * sizeof *pieces);
    if (pieces != NULL) {
        for (size_t i = 0; i < count; i++) {
            const size_t rest = sharing->allocated - i * COWI_REGION;
            pieces[i].data = (const char *)sharing->source.data + i * COWI_REGION;
            pieces[i].nbytes = rest < COWI_REGION ? rest : COWI_REGION;
        }
        cowi_store_release((cowi_atomic_ptr *)sharing->shadow, cowi_base_new(pieces, count, how->small));
        free(pieces);
    }
    if (*sharing->shadow == NULL) {
        cowi_ledger_return(&cowi_books, price);
        return false;
    }
    (void)cowi_add_relaxed(&cowi_page_counted.bases, 1);
    how->filled = sharing->allocated;
    return true;
}

static void unshadow(void *self, void *shadow)
{
    (void)self;
    cowi_base_release((cowi_base *)shadow);
}

static void map_shadow(cowi_window *made, const cow_sharing *sharing, const plan *how)
{
    for (size_t i = 0; i < made->count; i++) {
        made->regions[i].base = (cowi_base *)*sharing->shadow;
        made->regions[i].offset = (how->first + i) * COWI_REGION;
    }
}

/* The regions as the source has them, and how many pages of each are its own. */
static bool map_source(cowi_window *made, plan *how)
{
    const cowi_window *from = how->from;
    if (!cowi_dirt_find(cowi_window_place(from, how->first), made->count * COWI_REGION, &how->dirt)) {
        return false;
    }
    for (size_t i = 0; i < made->count; i++) {
        made->regions[i] = from->regions[how->first + i];
        how->dirty[i] = from->regions[how->first + i].base == NULL ? COWI_REGION_PAGES
                        : how->dirt.pages == 0                     ? 0
                                                                   : (uint32_t)cowi_dirt_count(&how->dirt, i);
    }
    return true;
}

/* ---- the new window ---------------------------------------------------------------------------------------------- */

/* The bytes of the source where a region of the new window will be. */
static const char *source_of(const cow_sharing *sharing, const plan *how, size_t index)
{
    return how->from != NULL ? cowi_window_place(how->from, how->first + index)
                             : (const char *)sharing->source.data + (how->first + index) * COWI_REGION;
}

static size_t source_bytes(const cow_sharing *sharing, const plan *how, size_t index)
{
    const size_t rest = sharing->allocated - (how->first + index) * COWI_REGION;
    return how->from != NULL ? cowi_window_bytes(how->from, how->first + index)
                             : (rest < COWI_REGION ? rest : COWI_REGION);
}

/* Regions that would be full of small pages are copied to memory of their own. */
static void choose_own(cowi_window *made, const plan *how)
{
    for (size_t i = 0; i < made->count; i++) {
        if (made->regions[i].base == NULL || cowi_is_dense(how->prices, how->dirty[i] + how->touched[i])) {
            made->regions[i].debt += cowi_price_of_region(how->prices, how->dirty[i]);
            made->regions[i].base = NULL;
        }
    }
}

/* Those regions, and the pages of the others that are not their base's. */
static bool copy_region(cowi_window *made, cow_sharing *sharing, const plan *how, size_t index)
{
    char *place = cowi_window_place(made, index);
    const size_t nbytes = source_bytes(sharing, how, index);
    if (mmap(place, COWI_REGION, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
        MAP_FAILED) {
        return false;
    }
    (void)madvise(place, COWI_REGION, MADV_HUGEPAGE);
    memcpy(place, source_of(sharing, how, index), nbytes);
    sharing->copied += nbytes;
    return true;
}

static bool is_set(const cowi_dirt *dirt, size_t page)
{
    return (dirt->bits[page / 64] >> page % 64 & 1) != 0;
}

static void copy_pages(cowi_window *made, cow_sharing *sharing, const plan *how, size_t index)
{
    const char *source = source_of(sharing, how, index);
    char *place = cowi_window_place(made, index);
    const size_t first = index * COWI_REGION_PAGES;
    for (size_t page = 0; page < COWI_REGION_PAGES;) {
        size_t end = page;
        while (end < COWI_REGION_PAGES && is_set(&how->dirt, first + end)) {
            end++;
        }
        if (end > page) {
            memcpy(place + page * COWI_PAGE, source + page * COWI_PAGE, (end - page) * COWI_PAGE);
            sharing->copied += (end - page) * COWI_PAGE;
            (void)cowi_add_relaxed(&cowi_page_counted.pages_copied, end - page);
        }
        page = end + 1;
    }
}

/* With the maps counted. False: nothing is left behind. */
static bool build(cowi_window *made, cow_sharing *sharing, const plan *how)
{
    bool good = true;
    made->map = cowi_room(made->count * COWI_REGION);
    if (made->map == NULL) {
        return false;
    }
    for (size_t at = 0, end; good && at < made->count; at = end) {
        end = cowi_window_end_of_run(made, at);
        good = made->regions[at].base == NULL ? copy_region(made, sharing, how, at)
                                              : cowi_base_map(made->regions[at].base, made->regions[at].offset,
                                                              cowi_window_place(made, at), (end - at) * COWI_REGION);
    }
    if (!good) {
        (void)munmap(made->map, made->count * COWI_REGION);
        return false;
    }
    for (size_t i = 0; i < made->count; i++) {
        if (made->regions[i].base != NULL && how->dirty[i] > 0) {
            made->regions[i].debt += cowi_price_of_region(how->prices, how->dirty[i]);
            copy_pages(made, sharing, how, i);
        }
    }
    cowi_window_retain_bases(made);
    return true;
}

static uint64_t price_of_window(const cowi_window *made, const plan *how)
{
    uint64_t price = COWI_FIXED_COST;
    for (size_t i = 0; i < made->count; i++) {
        const size_t pages = how->dirty[i] + how->touched[i];
        const bool own = how->from != NULL && made->regions[i].base == NULL;
        price += own || cowi_is_dense(how->prices, pages) ? COWI_REGION : cowi_price_of_pages(how->prices, pages);
    }
    return price;
}

/* Takes the price of the window, and of the worst that may become of it, from the ledger. Before a base is filled for it:
 * else a plain copy might have to be paid beside the base. */
static bool pay(cowi_window *made, plan *how)
{
    if (!made->of_file) {
        how->paid = price_of_window(made, how);
        made->reserved = cowi_window_budget(made, how->prices) + made->nbytes;
        made->page_price = how->prices->page;
    }
    return made->of_file || cowi_ledger_take(&cowi_books, how->paid + made->reserved);
}

/* A commit may have made it cheaper. */
static void pay_less(plan *how, uint64_t price)
{
    if (price < how->paid) {
        cowi_ledger_return(&cowi_books, how->paid - price);
        how->paid = price;
    }
}

/* What the source has in a new base from here on, the window maps as well. */
static void commit(cowi_window *made, plan *how)
{
    const cowi_commit what = {how->from, how->first, made->count, how->dirty, how->prices, how->small, false};
    const size_t count = cowi_commit_regions(&what);
    how->filled = count * COWI_REGION;
    (void)cowi_add_relaxed(&cowi_page_counted.commits, count);
    for (size_t i = 0; i < made->count; i++) {
        made->regions[i] = how->from->regions[how->first + i];
    }
}

static bool find_regions(cowi_window *made, cow_sharing *sharing, plan *how)
{
    if (how->from == NULL) {
        if (!find_shadow(sharing, how)) {
            return false;
        }
        map_shadow(made, sharing, how);
    }
    else if (how->prices->known) {
        commit(made, how);
        pay_less(how, price_of_window(made, how));
    }
    choose_own(made, how);
    made->maps = cowi_window_runs(made);
    return cowi_maps_take(made->maps);
}

/* Of its pages, how many are no base's, or about to be none's. */
static size_t own_pages(const cowi_window *made, const plan *how)
{
    size_t pages = 0;
    for (size_t i = 0; i < made->count; i++) {
        pages += made->regions[i].base == NULL ? 0 : how->dirty[i] + how->touched[i];
    }
    return pages;
}

/* What a write costs includes the base that is made for it, and the pages that the kernel copies while it goes on. */
static void count_copied(cowi_window *made, cow_sharing *sharing, const plan *how)
{
    size_t pages = 0;
    for (size_t i = 0; i < made->count; i++) {
        pages += made->regions[i].base == NULL ? 0 : how->touched[i];
    }
    sharing->copied += how->filled + pages * COWI_PAGE;
    made->copied = sharing->copied;
    (void)cowi_add_relaxed(&cowi_page_counted.filled, how->filled);
    (void)cowi_add_relaxed(&cowi_page_counted.promised, pages);
}

static bool make(cowi_window *made, cow_sharing *sharing, plan *how)
{
    if (how->from != NULL && !map_source(made, how)) {
        return false;
    }
    cowi_count_by_region(sharing->box, made->lead, made->nbytes, made->count, how->touched);
    if (!pay(made, how)) {
        return false;
    }
    if (!find_regions(made, sharing, how)) {
        cowi_ledger_return(&cowi_books, how->paid + made->reserved);
        return false;
    }
    cowi_window_begin_counting(made, own_pages(made, how), how->prices);
    if (!build(made, sharing, how)) {
        cowi_maps_return(made->maps);
        cowi_ledger_return(&cowi_books, made->reserved);
        return false;
    }
    count_copied(made, sharing, how);
    return true;
}

/* ---- the allocator's table ---------------------------------------------------------------------------------------- */

static bool make_locked(cowi_window *made, cow_sharing *sharing, plan *how)
{
    pthread_mutex_t *lock = cowi_window_lock(sharing->source.data);
    bool good;
    if (sharing->may_wait) {
        (void)pthread_mutex_lock(lock);
    }
    else if (pthread_mutex_trylock(lock) != 0) {
        return false;
    }
    good = make(made, sharing, how);
    (void)pthread_mutex_unlock(lock);
    return good;
}

/* What the system had no time to measure: a file's windows are by the page whatever that costs. */
static const cowi_prices usual_prices = {false, 1150, 2100, 0};

/* Where the window of a sharing lies in the source's regions, and at what prices. */
static plan plan_for(const cow_sharing *sharing, size_t *lead, size_t *count)
{
    cowi_window *from = cowi_window_is_paged(&sharing->source) ? (cowi_window *)sharing->source.context : NULL;
    const size_t start = (from != NULL ? from->lead : 0) + sharing->offset;
    plan how = {from, start / COWI_REGION, NULL, cowi_small_pages(), {NULL, 0}, NULL, NULL, 0, 0};
    *lead = start % COWI_REGION;
    *count = (*lead + sharing->nbytes - 1) / COWI_REGION + 1;
    return how;
}

static bool is_of_file(const plan *how)
{
    return how->from != NULL && how->from->of_file;
}

/* Whether paging may be worth it; the ledger has the last word. */
static bool is_eligible(const cow_sharing *sharing, plan *how, size_t lead)
{
    if (!is_of_file(how) && cowi_pages_are_off()) {
        return false;
    }
    if (cowi_pages_touched(sharing->box, sharing->nbytes) > sharing->nbytes / 2 / COWI_PAGE) {
        return false; /* a page costs no less than in a copy, whatever it is: nothing to measure */
    }
    if (!is_of_file(how) &&
        !cowi_ledger_has(&cowi_books, cowi_least_price(sharing, how->from != NULL), sharing->will_earn)) {
        return false; /* nor for a program that makes a copy or two */
    }
    how->prices = cowi_prices_now();
    if (!how->prices->known && is_of_file(how)) {
        how->prices = &usual_prices;
    }
    return (is_of_file(how) || (how->prices->known && lead % COW_ALIGNMENT == 0)) &&
           cowi_price_of_pages(how->prices, cowi_pages_touched(sharing->box, sharing->nbytes)) <= sharing->nbytes / 2;
}

static int would_share(void *self, cow_sharing *sharing)
{
    size_t lead, count;
    plan how = plan_for(sharing, &lead, &count);
    uint64_t price = COWI_FIXED_COST + sharing->nbytes;
    const bool needs_base = /* another may be making it */
        how.from == NULL && cowi_load_relaxed((cowi_atomic_ptr *)sharing->shadow) == NULL;
    if (!is_eligible(sharing, &how, lead)) {
        return 0;
    }
    price += cowi_price_of_pages(how.prices, cowi_most_written(count * COWI_REGION_PAGES, how.prices->page));
    sharing->takes = cowi_pages_touched(sharing->box, sharing->nbytes) * COWI_PAGE;
    if (how.from != NULL) {
        sharing->takes += cowi_window_own_bytes(self, &sharing->source, NULL, NULL);
    }
    if (needs_base) {
        const size_t regions = (sharing->allocated + COWI_REGION - 1) / COWI_REGION;
        price += cowi_price_of_fill(how.prices, regions);
        sharing->takes += regions * COWI_REGION;
    }
    if (!is_of_file(&how) && !cowi_ledger_allows(&cowi_books, price, sharing->will_earn)) {
        return 0;
    }
    return needs_base ? 2 : 1;
}

static int share(void *self, cow_sharing *sharing)
{
    size_t lead, count;
    plan how = plan_for(sharing, &lead, &count);
    cowi_window *made;
    bool good = false;
    (void)self;
    if (!is_eligible(sharing, &how, lead) || (!is_of_file(&how) && cowi_ledger_skips(&cowi_books))) {
        return 0;
    }
    made = cowi_window_new(count);
    how.dirt.bits = (uint64_t *)calloc(count * (COWI_REGION_PAGES / 64), sizeof *how.dirt.bits);
    how.dirty = (uint32_t *)calloc(2 * count, sizeof *how.dirty);
    if (made != NULL && how.dirt.bits != NULL && how.dirty != NULL) {
        how.touched = how.dirty + count;
        made->lead = lead;
        made->nbytes = sharing->nbytes;
        made->of_file = is_of_file(&how);
        sharing->copied = 0;
        good = make_locked(made, sharing, &how);
    }
    free(how.dirt.bits);
    free(how.dirty);
    if (!good) {
        free(made);
        return 0;
    }
    sharing->made.data = made->map + made->lead;
    sharing->made.context = made;
    sharing->made.deleter = cowi_window_delete;
    (void)cowi_add_relaxed(&cowi_page_counted.page_copies, 1);
    return 1;
}

static void earn(void *self, const void *data, size_t nbytes)
{
    (void)self;
    (void)data;
    cowi_ledger_earn(&cowi_books, nbytes);
}

static void spend(void *self, const void *data, size_t nbytes)
{
    (void)self;
    (void)data;
    cowi_ledger_spend(&cowi_books, nbytes);
}

const cow_paging cowi_pages = {COWI_PAGED_LEAST,
                               share,
                               unshadow,
                               cowi_window_is_paged,
                               cowi_window_touch,
                               cowi_window_settle,
                               earn,
                               spend,
                               would_share,
                               cowi_window_own_bytes,
                               cowi_window_copied_bytes,
                               cowi_window_count_read,
                               cowi_window_heal};
