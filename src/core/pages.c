/* Windows by the page: a writer's private map of frozen bytes. The kernel copies the pages that are written.
 *
 * A window is cut into regions of 2 MiB, the size of a huge page. Each region maps a region of some base, or is plain memory
 * of the window's own. Pages that were written to since then are in neither list: the kernel tells which they are. While an
 * allocation is shared nobody writes to it, so what its pages hold is the same as what a base would hold; a region that is
 * copied again and again is put into a new base (a commit), which its window and all later ones then map.
 *
 * What is shared is guarded by a lock that goes by the address of the source: one of several threads makes the base, and the
 * others find it. It is held in the fork gate only. See *pages* in protocol.md. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "assertions.h"
#include "internal.h"
#include "pages.h"

#ifndef MADV_HUGEPAGE
#define MADV_HUGEPAGE 14
#endif

typedef struct region {
    cowi_base *base; /* a reference; NULL: plain memory of the window's own */
    size_t offset;
    uint32_t debt; /* what was paid for copies of the region since its base was made, in pages of a plain copy */
} region;

typedef struct window {
    char *map;   /* aligned to a region */
    size_t lead; /* bytes before the first of the window */
    size_t nbytes;
    size_t count;
    size_t maps;              /* that the kernel has for it, at first */
    cowi_atomic_size counted; /* pages that may have been written to */
    cowi_atomic_size budget;  /* pages, from which on somebody looks */
    uint64_t reserved;        /* in the ledger, for what it may still cost */
    uint32_t page_price;      /* when that was reserved */
    size_t at_first;          /* pages that were copied when it was made, or about to be written */
    bool gave_up;
    bool of_file; /* on request, whatever it costs: never copied because it is dear */
    region regions[];
} window;

#define LOCKS 16

static pthread_mutex_t locks[LOCKS] = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
};
static cowi_atomic_size maps;
static cowi_atomic_u64 bases; /* for windows: those on which prices are measured nobody asked for */
static cowi_atomic_u64 page_copies;
static cowi_atomic_u64 pages_copied;
static cowi_atomic_u64 commits;
static cowi_atomic_u64 give_ups;

void cow_paging_read(cow_paging_figures *out)
{
    cowi_base_figures(out);
    cowi_ledger_figures(out);
    out->bases = cowi_load_relaxed(&bases);
    out->page_copies = cowi_load_relaxed(&page_copies);
    out->pages_copied = cowi_load_relaxed(&pages_copied);
    out->commits = cowi_load_relaxed(&commits);
    out->give_ups = cowi_load_relaxed(&give_ups);
    out->maps = cowi_load_relaxed(&maps);
}

/* ---- the kernel's limit on maps: at it, nobody can allocate --------------------------------------------------------- */

static pthread_once_t limit_once = PTHREAD_ONCE_INIT;
static size_t most_maps;

static void read_limit(void)
{
    FILE *file = fopen("/proc/sys/vm/max_map_count", "re");
    unsigned long limit = 0;
    if (file != NULL) {
        if (fscanf(file, "%lu", &limit) != 1) {
            limit = 0;
        }
        (void)fclose(file);
    }
    most_maps = limit / 4;
}

static bool count_maps(size_t some)
{
    (void)pthread_once(&limit_once, read_limit);
    if (cowi_add_relaxed(&maps, some) + some <= most_maps) {
        return true;
    }
    (void)cowi_sub_release(&maps, some);
    return false;
}

/* ---- regions ----------------------------------------------------------------------------------------------------- */

/* Where the run of regions that one map can serve ends. */
static size_t end_of_run(const window *of, size_t first)
{
    const region *start = &of->regions[first];
    size_t end = first + 1;
    while (end < of->count && of->regions[end].base == start->base && start->base != NULL &&
           of->regions[end].offset == start->offset + (end - first) * COWI_REGION) {
        end++;
    }
    return end;
}

static size_t count_runs(const window *of)
{
    size_t runs = 0;
    for (size_t at = 0; at < of->count; at = end_of_run(of, at)) {
        runs++;
    }
    return runs;
}

static char *place_of(const window *of, size_t index)
{
    return of->map + index * COWI_REGION;
}

/* The bytes of a region that belong to the window, or lie before it. */
static size_t bytes_of_region(const window *of, size_t index)
{
    const size_t rest = of->lead + of->nbytes - index * COWI_REGION;
    return rest < COWI_REGION ? rest : COWI_REGION;
}

static void retain_all(const window *of)
{
    for (size_t i = 0; i < of->count; i++) {
        if (of->regions[i].base != NULL) {
            cowi_base_retain(of->regions[i].base);
        }
    }
}

static void release_all(const window *of)
{
    for (size_t i = 0; i < of->count; i++) {
        if (of->regions[i].base != NULL) {
            cowi_base_release(of->regions[i].base);
        }
    }
}

static window *window_new(size_t count)
{
    window *made = (window *)calloc(1, sizeof(window) + count * sizeof(region));
    if (made != NULL) {
        made->count = count;
    }
    return made;
}

static uint64_t page_budget(const window *of, const cowi_prices *prices)
{
    const size_t pages = of->count * COWI_REGION_PAGES;
    const size_t most = cowi_most_written(pages, prices->page);
    return cowi_price_of_pages(prices, most + cowi_between_looks(most));
}

/* What was reserved, without the pages that were written. */
static uint64_t unspent(const window *of)
{
    const uint64_t most = of->reserved < of->nbytes ? 0 : of->reserved - of->nbytes;
    const uint64_t pages = (uint64_t)cowi_load_relaxed(&of->counted) * COWI_PAGE * of->page_price / 1000;
    return of->reserved - (pages < most ? pages : most);
}

static void delete_window(void *data, void *context, size_t nbytes)
{
    window *of = (window *)context;
    (void)data;
    (void)nbytes;
    (void)munmap(of->map, of->count * COWI_REGION);
    release_all(of);
    (void)cowi_sub_release(&maps, of->maps);
    cowi_ledger_return(&cowi_books, unspent(of));
    if (!of->gave_up && !of->of_file) {
        cowi_ledger_went_well(&cowi_books);
    }
    free(of);
}

static int is_paged(const cow_dataptr *own)
{
    return own->deleter == delete_window;
}

/* ---- the source: which regions a new window maps, and which pages it has to copy ----------------------------------- */

typedef struct plan {
    window *from; /* NULL: plain memory */
    size_t first; /* region of the source that is the new window's first */
    const cowi_prices *prices;
    bool small;
    cowi_dirt dirt;    /* of the source's regions from first on */
    uint32_t *dirty;   /* of each of the new window's regions: pages that are not its base's */
    uint32_t *touched; /* and those that the writer will touch */
    uint64_t paid;     /* for the window, beside what is reserved */
} plan;

/* The base that equals plain memory, filled for the first that asks. */
static bool find_shadow(const cow_sharing *sharing, const plan *how)
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
    (void)cowi_add_relaxed(&bases, 1);
    return true;
}

static void unshadow(void *self, void *shadow)
{
    (void)self;
    cowi_base_release((cowi_base *)shadow);
}

static void map_shadow(window *made, const cow_sharing *sharing, const plan *how)
{
    for (size_t i = 0; i < made->count; i++) {
        made->regions[i].base = (cowi_base *)*sharing->shadow;
        made->regions[i].offset = (how->first + i) * COWI_REGION;
    }
}

static size_t count_dirty(const cowi_dirt *dirt, size_t index)
{
    size_t pages = 0;
    for (size_t word = 0; word < COWI_REGION_PAGES / 64; word++) {
        pages += (size_t)__builtin_popcountll(dirt->bits[index * (COWI_REGION_PAGES / 64) + word]);
    }
    return pages;
}

/* The regions as the source has them, and how many pages of each are its own. */
static bool map_source(window *made, plan *how)
{
    const window *from = how->from;
    if (!cowi_dirt_find(place_of(from, how->first), made->count * COWI_REGION, &how->dirt)) {
        return false;
    }
    for (size_t i = 0; i < made->count; i++) {
        made->regions[i] = from->regions[how->first + i];
        how->dirty[i] = from->regions[how->first + i].base == NULL ? COWI_REGION_PAGES
                        : how->dirt.pages == 0                     ? 0
                                                                   : (uint32_t)count_dirty(&how->dirt, i);
    }
    return true;
}

/* ---- commits ----------------------------------------------------------------------------------------------------- */

/* The source maps the base from here on: over equal bytes, so that who reads meanwhile sees nothing. */
static void commit_region(window *made, const plan *how, size_t index, cowi_base *base, size_t offset)
{
    region *before = &how->from->regions[how->first + index];
    if (!cowi_base_map(base, offset, place_of(how->from, how->first + index), COWI_REGION)) {
        return; /* the source has its pages, and the new window copies them */
    }
    cowi_base_retain(base);
    if (before->base != NULL) {
        cowi_base_release(before->base);
    }
    before->base = base;
    before->offset = offset;
    before->debt = 0;
    made->regions[index] = *before;
    how->dirty[index] = 0;
}

static void commit(window *made, const plan *how)
{
    cowi_piece *pieces;
    cowi_base *base;
    size_t count = 0;
    uint64_t price;
    for (size_t i = 0; i < made->count; i++) {
        count += cowi_is_due(made->regions[i].debt, how->dirty[i], how->prices);
    }
    price = cowi_price_of_fill(how->prices, count);
    if (count == 0 || !count_maps(2 * count)) {
        return;
    }
    pieces = (cowi_piece *)malloc(count * sizeof *pieces);
    if (pieces == NULL || !cowi_ledger_take(&cowi_books, price)) {
        free(pieces);
        (void)cowi_sub_release(&maps, 2 * count);
        return;
    }
    for (size_t i = 0, at = 0; i < made->count; i++) {
        if (cowi_is_due(made->regions[i].debt, how->dirty[i], how->prices)) {
            pieces[at].data = place_of(how->from, how->first + i);
            pieces[at++].nbytes = bytes_of_region(how->from, how->first + i);
        }
    }
    base = cowi_base_new(pieces, count, how->small);
    free(pieces);
    if (base == NULL) {
        cowi_ledger_return(&cowi_books, price);
        (void)cowi_sub_release(&maps, 2 * count);
        return;
    }
    how->from->maps += 2 * count;
    for (size_t i = 0, at = 0; i < made->count; i++) {
        if (cowi_is_due(made->regions[i].debt, how->dirty[i], how->prices)) {
            commit_region(made, how, i, base, at++ * COWI_REGION);
        }
    }
    (void)cowi_add_relaxed(&bases, 1);
    (void)cowi_add_relaxed(&commits, count);
    cowi_base_release(base);
}

/* ---- the new window ---------------------------------------------------------------------------------------------- */

/* The bytes of the source where a region of the new window will be. */
static const char *source_of(const cow_sharing *sharing, const plan *how, size_t index)
{
    return how->from != NULL ? place_of(how->from, how->first + index)
                             : (const char *)sharing->source.data + (how->first + index) * COWI_REGION;
}

static size_t source_bytes(const cow_sharing *sharing, const plan *how, size_t index)
{
    const size_t rest = sharing->allocated - (how->first + index) * COWI_REGION;
    return how->from != NULL ? bytes_of_region(how->from, how->first + index)
                             : (rest < COWI_REGION ? rest : COWI_REGION);
}

/* Regions that would be full of small pages are copied to memory of their own. */
static void choose_own(window *made, const plan *how)
{
    for (size_t i = 0; i < made->count; i++) {
        if (made->regions[i].base == NULL || cowi_is_dense(how->prices, how->dirty[i] + how->touched[i])) {
            made->regions[i].debt += cowi_price_of_region(how->prices, how->dirty[i]);
            made->regions[i].base = NULL;
        }
    }
}

/* Those regions, and the pages of the others that are not their base's. */
static bool copy_region(window *made, cow_sharing *sharing, const plan *how, size_t index)
{
    char *place = place_of(made, index);
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

static void copy_pages(window *made, cow_sharing *sharing, const plan *how, size_t index)
{
    const char *source = source_of(sharing, how, index);
    char *place = place_of(made, index);
    const size_t first = index * COWI_REGION_PAGES;
    for (size_t page = 0; page < COWI_REGION_PAGES;) {
        size_t end = page;
        while (end < COWI_REGION_PAGES && is_set(&how->dirt, first + end)) {
            end++;
        }
        if (end > page) {
            memcpy(place + page * COWI_PAGE, source + page * COWI_PAGE, (end - page) * COWI_PAGE);
            sharing->copied += (end - page) * COWI_PAGE;
            (void)cowi_add_relaxed(&pages_copied, end - page);
        }
        page = end + 1;
    }
}

/* With the maps counted. False: nothing is left behind. */
static bool build(window *made, cow_sharing *sharing, const plan *how)
{
    bool good = true;
    made->map = cowi_room(made->count * COWI_REGION);
    if (made->map == NULL) {
        return false;
    }
    for (size_t at = 0, end; good && at < made->count; at = end) {
        end = end_of_run(made, at);
        good = made->regions[at].base == NULL ? copy_region(made, sharing, how, at)
                                              : cowi_base_map(made->regions[at].base, made->regions[at].offset,
                                                              place_of(made, at), (end - at) * COWI_REGION);
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
    retain_all(made);
    return true;
}

static uint64_t price_of_window(const window *made, const plan *how)
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
static bool pay(window *made, plan *how)
{
    if (!made->of_file) {
        how->paid = price_of_window(made, how);
        made->reserved = page_budget(made, how->prices) + made->nbytes;
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

static bool find_regions(window *made, cow_sharing *sharing, plan *how)
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
    made->maps = count_runs(made);
    return count_maps(made->maps);
}

static void begin_counting(window *made, const plan *how)
{
    for (size_t i = 0; i < made->count; i++) {
        made->at_first += made->regions[i].base == NULL ? 0 : how->dirty[i] + how->touched[i];
    }
    cowi_init(&made->counted, 0);
    cowi_init(&made->budget,
              made->of_file ? SIZE_MAX : cowi_most_written(made->count * COWI_REGION_PAGES, how->prices->page));
}

static bool make(window *made, cow_sharing *sharing, plan *how)
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
    begin_counting(made, how);
    if (!build(made, sharing, how)) {
        (void)cowi_sub_release(&maps, made->maps);
        cowi_ledger_return(&cowi_books, made->reserved);
        return false;
    }
    return true;
}

/* ---- the allocator's table ---------------------------------------------------------------------------------------- */

static pthread_mutex_t *lock_of(const void *data)
{
    return &locks[(uintptr_t)data / COWI_REGION % LOCKS];
}

static bool make_locked(window *made, cow_sharing *sharing, plan *how)
{
    pthread_mutex_t *lock = lock_of(sharing->source.data);
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
static const cowi_prices usual_prices = {false, 1150, 2100};

/* Where the window of a sharing lies in the source's regions, and at what prices. */
static plan plan_for(const cow_sharing *sharing, size_t *lead, size_t *count)
{
    window *from = is_paged(&sharing->source) ? (window *)sharing->source.context : NULL;
    const size_t start = (from != NULL ? from->lead : 0) + sharing->offset;
    plan how = {from, start / COWI_REGION, NULL, cowi_small_pages(), {NULL, 0}, NULL, NULL, 0};
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
    how->prices = cowi_prices_now();
    if (!how->prices->known && is_of_file(how)) {
        how->prices = &usual_prices;
    }
    return (is_of_file(how) || (how->prices->known && lead % COW_ALIGNMENT == 0)) &&
           cowi_price_of_pages(how->prices, cowi_pages_touched(sharing->box, sharing->nbytes)) <= sharing->nbytes / 2;
}

static int share(void *self, cow_sharing *sharing)
{
    size_t lead, count;
    plan how = plan_for(sharing, &lead, &count);
    window *made;
    bool good = false;
    (void)self;
    if (!is_eligible(sharing, &how, lead) || (!is_of_file(&how) && cowi_ledger_skips(&cowi_books))) {
        return 0;
    }
    made = window_new(count);
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
    sharing->made.deleter = delete_window;
    (void)cowi_add_relaxed(&page_copies, 1);
    return 1;
}

static int touch(void *self, const cow_dataptr *own, size_t nbytes, const cow_box *box)
{
    window *of = (window *)own->context;
    const size_t pages = cowi_pages_touched(box, nbytes);
    (void)self;
    return cowi_add_relaxed(&of->counted, pages) + pages >= cowi_load_relaxed(&of->budget);
}

/* Pages that were written to since the window was made; SIZE_MAX where the system does not tell. */
static size_t written_since(const window *of)
{
    cowi_dirt dirt = {(uint64_t *)calloc(of->count * (COWI_REGION_PAGES / 64), sizeof(uint64_t)), 0};
    size_t pages = SIZE_MAX;
    if (dirt.bits != NULL && cowi_dirt_find(of->map, of->count * COWI_REGION, &dirt)) {
        pages = 0;
        for (size_t i = 0; i < of->count; i++) {
            pages += of->regions[i].base == NULL ? 0 : count_dirty(&dirt, i);
        }
        pages -= pages < of->at_first ? pages : of->at_first;
    }
    free(dirt.bits);
    return pages;
}

static int settle(void *self, const cow_dataptr *own, const cow_box *box)
{
    window *of = (window *)own->context;
    const size_t all = of->count * COWI_REGION_PAGES;
    const size_t most = cowi_most_written(all, of->page_price);
    const size_t written = written_since(of);
    const size_t next = written + cowi_between_looks(most);
    (void)self;
    if (written == SIZE_MAX || written + cowi_pages_touched(box, of->nbytes) >= most) {
        of->gave_up = true;
        cowi_store_relaxed(&of->budget, SIZE_MAX);
        cowi_ledger_gave_up(&cowi_books);
        (void)cowi_add_relaxed(&give_ups, 1);
        return 0;
    }
    cowi_store_relaxed(&of->counted, written);
    cowi_store_relaxed(&of->budget, next > most ? next : most);
    return 1;
}

static size_t own_bytes(void *self, const cow_dataptr *own)
{
    const window *of = (const window *)own->context;
    cowi_dirt dirt = {(uint64_t *)calloc(of->count * (COWI_REGION_PAGES / 64), sizeof(uint64_t)), 0};
    size_t nbytes = of->nbytes;
    (void)self;
    if (dirt.bits != NULL && cowi_dirt_find(of->map, of->count * COWI_REGION, &dirt)) {
        nbytes = 0;
        for (size_t i = 0; i < of->count; i++) {
            nbytes += of->regions[i].base == NULL ? COWI_REGION : count_dirty(&dirt, i) * COWI_PAGE;
        }
    }
    free(dirt.bits);
    return nbytes;
}

static int would_share(void *self, cow_sharing *sharing)
{
    size_t lead, count;
    plan how = plan_for(sharing, &lead, &count);
    uint64_t price = COWI_FIXED_COST + sharing->nbytes;
    if (!is_eligible(sharing, &how, lead)) {
        return 0;
    }
    price += cowi_price_of_pages(how.prices, cowi_most_written(count * COWI_REGION_PAGES, how.prices->page));
    sharing->takes = cowi_pages_touched(sharing->box, sharing->nbytes) * COWI_PAGE;
    if (how.from != NULL) {
        sharing->takes += own_bytes(self, &sharing->source);
    }
    else if (cowi_load_relaxed((cowi_atomic_ptr *)sharing->shadow) == NULL) { /* another may be making it */
        const size_t regions = (sharing->allocated + COWI_REGION - 1) / COWI_REGION;
        price += cowi_price_of_fill(how.prices, regions);
        sharing->takes += regions * COWI_REGION;
    }
    return is_of_file(&how) || cowi_ledger_allows(&cowi_books, price, sharing->will_earn);
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

const cow_paging cowi_pages = {COWI_PAGED_LEAST, share, unshadow, is_paged,    touch,
                               settle,           earn,  spend,    would_share, own_bytes};

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* All of them in one map. False: nothing is left behind. */
static bool map_regions(window *made, const cowi_base *base, size_t first)
{
    made->maps = 1;
    if (!count_maps(1)) {
        return false;
    }
    made->map = cowi_room(made->count * COWI_REGION);
    if (made->map != NULL) {
        if (cowi_base_map(base, first * COWI_REGION, made->map, made->count * COWI_REGION)) {
            return true;
        }
        (void)munmap(made->map, made->count * COWI_REGION);
    }
    (void)cowi_sub_release(&maps, 1);
    return false;
}

cow_status cow_paging_map_file(int descriptor, size_t offset, size_t nbytes, cow_dataptr *out, cow_error *err)
{
    const size_t first = offset / COWI_REGION;
    const size_t count = nbytes == 0 ? 0 : (offset + nbytes - 1) / COWI_REGION - first + 1;
    struct stat now;
    cowi_base *base;
    window *made;
    if (fstat(descriptor, &now) != 0 || !S_ISREG(now.st_mode) || now.st_size < 0 || nbytes == 0 ||
        offset > (size_t)now.st_size || nbytes > (size_t)now.st_size - offset) {
        return cowi_fail(err, COW_EINVAL, "cannot map %zu bytes from byte %zu: no file, or none so long", nbytes,
                         offset);
    }
    made = window_new(count);
    base = made == NULL ? NULL : cowi_base_of_file(descriptor);
    if (base == NULL) {
        free(made);
        return cowi_fail(err, COW_ENOMEM, "cannot map %zu bytes of a file", nbytes);
    }
    for (size_t i = 0; i < count; i++) {
        made->regions[i].base = base;
        made->regions[i].offset = (first + i) * COWI_REGION;
    }
    if (!map_regions(made, base, first)) {
        cowi_base_release(base);
        free(made);
        return cowi_fail(err, COW_ENOMEM, "cannot map %zu bytes of a file", nbytes);
    }
    retain_all(made);
    cowi_base_release(base);
    made->lead = offset - first * COWI_REGION;
    made->nbytes = nbytes;
    made->of_file = true;
    cowi_init(&made->counted, 0);
    cowi_init(&made->budget, SIZE_MAX);
    out->data = made->map + made->lead;
    out->context = made;
    out->deleter = delete_window;
    return COW_OK;
}
