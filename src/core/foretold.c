/* What windows by the page would cost, of memory that is only counted: no page is made.
 *
 * The policy is that of pages.c, with the prices of this machine and the process's mode, and with a ledger for each plan: that
 * of the uppermost account. Which pages a window has for itself, the kernel tells there; here each has a bit, which is set by
 * the boxes of its writers. Where a box does not say which, as of an index with arrays, pages are drawn at random.
 *
 * What is shared is guarded by one lock, which is held in the fork gate only. A window that nobody shares is its Storage's.
 *
 * One file, for it is read beside pages.c and windows.c, whose steps it takes one by one. */
#include "foretold.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "account.h"
#include "pages.h"
#include "slots.h"

#define WORDS (COWI_REGION_PAGES / 64)
/* Of a window of a TiB. Larger ones are copied: their bits would be memory. */
#define MOST_REGIONS ((size_t)1 << 19)

/* Frozen bytes. */
typedef struct base {
    cowi_atomic_size references;
    cow_account *account;
    size_t nbytes;
} base;

typedef struct region {
    base *from; /* a reference; NULL: memory of the window's own */
    uint32_t debt;
} region;

typedef struct window {
    void *slot;
    size_t lead, nbytes, count;
    cow_account *account;
    cow_account *books;  /* a reference: that of the source, which may be of another plan */
    cowi_ledger *ledger; /* its plan's */
    size_t taken;        /* bytes on the account */
    size_t added;        /* of which so many by the last write */
    size_t counted, budget, at_first;
    size_t copied; /* for it to be made */
    uint64_t reserved;
    uint64_t drawn; /* the last random number */
    uint32_t page_price;
    bool gave_up;
    uint64_t *bits; /* pages that are its own */
    region regions[];
} window;

/* A window under way. */
typedef struct plan {
    window *from; /* NULL: plain memory */
    size_t first;
    const cowi_prices *prices;
    uint32_t *dirty, *touched; /* of each of the new window's regions, as in pages.c */
    uint64_t paid;
    size_t filled; /* bytes of bases that are made for it */
} plan;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- bases --------------------------------------------------------------------------------------------------------- */

static base *base_new(cow_account *account, size_t regions)
{
    base *made = (base *)malloc(sizeof *made);
    if (made != NULL) {
        cowi_init(&made->references, 1);
        made->account = account;
        made->nbytes = regions * COWI_REGION;
        cowi_account_put(account, made->nbytes);
    }
    return made;
}

static void base_retain(base *of)
{
    (void)cowi_add_relaxed(&of->references, 1);
}

static void base_release(base *of)
{
    if (of != NULL && cowi_sub_acq_rel(&of->references, 1) == 1) {
        cowi_account_take(of->account, of->nbytes);
        free(of);
    }
}

static void unshadow(void *self, void *shadow)
{
    (void)self;
    base_release((base *)shadow);
}

/* ---- pages --------------------------------------------------------------------------------------------------------- */

static size_t own_pages(const window *of, size_t index)
{
    size_t pages = 0;
    for (size_t word = index * WORDS; word < (index + 1) * WORDS; word++) {
        pages += (size_t)__builtin_popcountll(of->bits[word]);
    }
    return pages;
}

static size_t all_own_pages(const window *of)
{
    size_t pages = 0;
    for (size_t i = 0; i < of->count; i++) {
        pages += of->regions[i].from == NULL ? 0 : own_pages(of, i);
    }
    return pages;
}

static size_t own_bytes(void *self, const cow_dataptr *own, size_t *regions, size_t *count)
{
    const window *of = (const window *)own->context;
    const size_t room = count != NULL ? *count : 0;
    size_t nbytes = 0;
    (void)self;
    for (size_t i = 0; i < of->count; i++) {
        const size_t own_here = of->regions[i].from == NULL ? COWI_REGION : own_pages(of, i) * COWI_PAGE;
        nbytes += own_here;
        if (i < room) {
            regions[i] = own_here;
        }
    }
    if (count != NULL) {
        *count = of->count < room ? of->count : room;
    }
    return nbytes;
}

static size_t copied_bytes(void *self, const cow_dataptr *own)
{
    (void)self;
    return ((const window *)own->context)->copied;
}

/* What the account has for it is what it has. */
static size_t recount(window *of)
{
    const cow_dataptr own = {NULL, of, NULL};
    const size_t before = of->taken;
    of->taken = own_bytes(NULL, &own, NULL, NULL);
    if (of->taken > before) {
        cowi_account_grow(of->account, of->taken - before);
        return of->taken - before;
    }
    cowi_account_shrink(of->account, before - of->taken);
    return 0;
}

/* splitmix64 (Steele, Lea and Flood, 2014). */
static uint64_t draw(window *of)
{
    uint64_t number = of->drawn += UINT64_C(0x9E3779B97F4A7C15);
    number = (number ^ (number >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    number = (number ^ (number >> 27)) * UINT64_C(0x94D049BB133111EB);
    return number ^ (number >> 31);
}

/* Somebody writes: the kernel copies the pages. Returns their bytes. */
static size_t write_to(window *of, const cow_box *box)
{
    if (!cowi_mark_pages(box, of->lead, of->count, of->bits)) {
        const size_t last = (of->lead + of->nbytes - 1) / COWI_PAGE;
        for (size_t left = cowi_pages_touched(box, of->nbytes); left > 0; left--) {
            const size_t page = of->lead / COWI_PAGE + draw(of) % (last - of->lead / COWI_PAGE + 1);
            of->bits[page / 64] |= (uint64_t)1 << page % 64;
        }
    }
    of->added = recount(of);
    cowi_account_count_copy(of->added);
    return of->added;
}

/* Somebody does not write after all, but to a copy. */
static void write_nothing(window *of)
{
    of->taken -= of->added;
    cowi_account_shrink(of->account, of->added);
    cowi_account_count_copy((size_t)0 - of->added);
}

/* ---- windows ------------------------------------------------------------------------------------------------------- */

static void free_window(window *of)
{
    for (size_t i = 0; i < of->count; i++) {
        base_release(of->regions[i].from);
    }
    cowi_account_take(of->books, 0); /* from here on there may be no ledger */
    free(of->bits);
    free(of);
}

static void delete_window(void *data, void *context, size_t nbytes)
{
    window *of = (window *)context;
    const uint64_t most = of->reserved - of->nbytes;
    const uint64_t spent = (uint64_t)of->counted * COWI_PAGE * of->page_price / 1000;
    (void)data;
    (void)nbytes;
    cowi_ledger_return(of->ledger, of->reserved - (spent < most ? spent : most));
    if (!of->gave_up) {
        cowi_ledger_went_well(of->ledger);
    }
    cowi_account_shrink(of->account, of->taken);
    cowi_slot_free(of->slot, 0);
    free_window(of);
}

static int is_paged(const cow_dataptr *own)
{
    return own->deleter == delete_window;
}

static window *window_new(const cow_sharing *sharing, size_t lead, size_t count)
{
    window *made = (window *)calloc(1, sizeof *made + count * sizeof(region));
    uint64_t *bits = (uint64_t *)calloc(count * WORDS, sizeof *bits);
    if (made == NULL || bits == NULL) {
        free(made);
        free(bits);
        return NULL;
    }
    made->bits = bits;
    made->lead = lead;
    made->nbytes = sharing->nbytes;
    made->count = count;
    made->account = cowi_account_now();
    made->books = cowi_slot_account(sharing->source.data);
    made->ledger = cowi_account_ledger(made->books);
    cowi_account_put(made->books, 0);
    return made;
}

static bool use_shadow(window *made, cow_sharing *sharing, plan *how)
{
    const size_t regions = (sharing->allocated + COWI_REGION - 1) / COWI_REGION;
    const uint64_t price = cowi_price_of_fill(how->prices, regions);
    if (*sharing->shadow == NULL) {
        if (!cowi_ledger_take(made->ledger, price)) {
            return false;
        }
        cowi_store_release((cowi_atomic_ptr *)sharing->shadow, base_new(made->account, regions));
        if (*sharing->shadow == NULL) {
            cowi_ledger_return(made->ledger, price);
            return false;
        }
        how->filled = sharing->allocated;
    }
    for (size_t i = 0; i < made->count; i++) {
        made->regions[i].from = (base *)*sharing->shadow;
        base_retain(made->regions[i].from);
    }
    return true;
}

static void use_source(window *made, const plan *how)
{
    for (size_t i = 0; i < made->count; i++) {
        const region *before = &how->from->regions[how->first + i];
        made->regions[i] = *before;
        how->dirty[i] = before->from == NULL ? COWI_REGION_PAGES : (uint32_t)own_pages(how->from, how->first + i);
        if (before->from != NULL) {
            base_retain(before->from);
        }
    }
}

static void put_into(region *of, base *committed)
{
    base_release(of->from);
    base_retain(committed);
    of->from = committed;
    of->debt = 0;
}

static void commit(window *made, plan *how)
{
    size_t count = 0;
    base *committed;
    for (size_t i = 0; i < made->count; i++) {
        count += cowi_is_due(made->regions[i].debt, how->dirty[i], how->prices);
    }
    if (count == 0 || !cowi_ledger_take(made->ledger, cowi_price_of_fill(how->prices, count))) {
        return;
    }
    committed = base_new(made->account, count);
    if (committed == NULL) {
        cowi_ledger_return(made->ledger, cowi_price_of_fill(how->prices, count));
        return;
    }
    for (size_t i = 0; i < made->count; i++) {
        if (cowi_is_due(made->regions[i].debt, how->dirty[i], how->prices)) {
            put_into(&how->from->regions[how->first + i], committed);
            put_into(&made->regions[i], committed);
            memset(&how->from->bits[(how->first + i) * WORDS], 0, WORDS * sizeof(uint64_t));
            how->dirty[i] = 0;
        }
    }
    how->filled = count * COWI_REGION;
    base_release(committed);
    (void)recount(how->from);
}

static uint64_t price_of_window(const window *made, const plan *how)
{
    uint64_t price = COWI_FIXED_COST;
    for (size_t i = 0; i < made->count; i++) {
        const size_t pages = how->dirty[i] + how->touched[i];
        const bool own = how->from != NULL && made->regions[i].from == NULL;
        price += own || cowi_is_dense(how->prices, pages) ? COWI_REGION : cowi_price_of_pages(how->prices, pages);
    }
    return price;
}

static bool pay(window *made, plan *how)
{
    const size_t most = cowi_most_written(made->count * COWI_REGION_PAGES, how->prices->page);
    made->reserved = cowi_price_of_pages(how->prices, most + cowi_between_looks(most)) + made->nbytes;
    made->page_price = how->prices->page;
    made->budget = most;
    how->paid = price_of_window(made, how);
    return cowi_ledger_take(made->ledger, how->paid + made->reserved);
}

/* The window's pages, and what is copied for it. */
static void build(window *made, cow_sharing *sharing, const plan *how)
{
    for (size_t i = 0; i < made->count; i++) {
        region *of = &made->regions[i];
        const size_t rest = made->lead + made->nbytes - i * COWI_REGION;
        if (of->from == NULL || cowi_is_dense(how->prices, how->dirty[i] + how->touched[i])) {
            base_release(of->from);
            of->from = NULL;
            sharing->copied += rest < COWI_REGION ? rest : COWI_REGION;
        }
        else if (how->dirty[i] > 0) {
            memcpy(&made->bits[i * WORDS], &how->from->bits[(how->first + i) * WORDS], WORDS * sizeof(uint64_t));
            sharing->copied += how->dirty[i] * COWI_PAGE;
        }
        made->at_first += of->from == NULL ? 0 : how->dirty[i] + how->touched[i];
        of->debt += cowi_price_of_region(how->prices, how->dirty[i]);
    }
    sharing->copied += how->filled;
    cowi_account_count_copy(sharing->copied);
    (void)recount(made);
    sharing->copied += write_to(made, sharing->box);
    made->copied = sharing->copied;
}

/* With the lock held. */
static bool make(window *made, cow_sharing *sharing, plan *how)
{
    uint64_t price;
    if (how->from != NULL) {
        use_source(made, how);
    }
    cowi_count_by_region(sharing->box, made->lead, made->nbytes, made->count, how->touched);
    if (!pay(made, how)) {
        return false;
    }
    if (how->from == NULL && !use_shadow(made, sharing, how)) {
        cowi_ledger_return(made->ledger, how->paid + made->reserved);
        return false;
    }
    if (how->from != NULL) {
        commit(made, how);
        price = price_of_window(made, how);
        cowi_ledger_return(made->ledger, price < how->paid ? how->paid - price : 0);
        how->paid = price < how->paid ? price : how->paid;
    }
    made->slot = cowi_slot_new(made->account, 0, COW_ALIGNMENT);
    if (made->slot == NULL) {
        cowi_ledger_return(made->ledger, how->paid + made->reserved);
        return false;
    }
    build(made, sharing, how);
    return true;
}

/* ---- the allocator's table ----------------------------------------------------------------------------------------- */

static plan plan_for(const cow_sharing *sharing, size_t *lead, size_t *count)
{
    window *from = is_paged(&sharing->source) ? (window *)sharing->source.context : NULL;
    const size_t start = (from != NULL ? from->lead : 0) + sharing->offset;
    plan how = {from, start / COWI_REGION, NULL, NULL, NULL, 0, 0};
    *lead = start % COWI_REGION;
    *count = (*lead + sharing->nbytes - 1) / COWI_REGION + 1;
    return how;
}

static bool is_eligible(const cow_sharing *sharing, plan *how, size_t lead, size_t count)
{
    cowi_ledger *ledger = cowi_account_ledger(cowi_slot_account(sharing->source.data));
    if (cowi_pages_are_off() || cowi_pages_touched(sharing->box, sharing->nbytes) > sharing->nbytes / 2 / COWI_PAGE ||
        count > MOST_REGIONS || ledger == NULL ||
        !cowi_ledger_has(ledger, cowi_least_price(sharing, how->from != NULL), sharing->will_earn)) {
        return false;
    }
    how->prices = cowi_prices_now();
    return how->prices->known && lead % COW_ALIGNMENT == 0 &&
           cowi_price_of_pages(how->prices, cowi_pages_touched(sharing->box, sharing->nbytes)) <= sharing->nbytes / 2;
}

static int would_share(void *self, cow_sharing *sharing)
{
    size_t lead, count;
    plan how = plan_for(sharing, &lead, &count);
    uint64_t price = COWI_FIXED_COST + sharing->nbytes;
    const bool needs_base = how.from == NULL && cowi_load_relaxed((cowi_atomic_ptr *)sharing->shadow) == NULL;
    if (!is_eligible(sharing, &how, lead, count)) {
        return 0;
    }
    price += cowi_price_of_pages(how.prices, cowi_most_written(count * COWI_REGION_PAGES, how.prices->page));
    sharing->takes = cowi_pages_touched(sharing->box, sharing->nbytes) * COWI_PAGE;
    if (how.from != NULL) {
        sharing->takes += own_bytes(self, &sharing->source, NULL, NULL);
    }
    if (needs_base) {
        const size_t regions = (sharing->allocated + COWI_REGION - 1) / COWI_REGION;
        price += cowi_price_of_fill(how.prices, regions);
        sharing->takes += regions * COWI_REGION;
    }
    if (!cowi_ledger_allows(cowi_account_ledger(cowi_slot_account(sharing->source.data)), price, sharing->will_earn)) {
        return 0;
    }
    return needs_base ? 2 : 1;
}

static int share(void *self, cow_sharing *sharing)
{
    size_t lead, count;
    plan how = plan_for(sharing, &lead, &count);
    window *made;
    bool good = false;
    (void)self;
    if (!is_eligible(sharing, &how, lead, count)) {
        return 0;
    }
    made = window_new(sharing, lead, count);
    if (made == NULL || cowi_ledger_skips(made->ledger)) {
        if (made != NULL) {
            free_window(made);
        }
        return 0;
    }
    how.dirty = (uint32_t *)calloc(2 * count, sizeof *how.dirty);
    if (how.dirty != NULL) {
        how.touched = how.dirty + count;
        sharing->copied = 0;
        (void)pthread_mutex_lock(&lock);
        good = make(made, sharing, &how);
        (void)pthread_mutex_unlock(&lock);
    }
    free(how.dirty);
    if (!good) {
        free_window(made);
        return 0;
    }
    sharing->made.data = made->slot;
    sharing->made.context = made;
    sharing->made.deleter = delete_window;
    return 1;
}

static int touch(void *self, const cow_dataptr *own, size_t nbytes, const cow_box *box)
{
    window *of = (window *)own->context;
    const size_t pages = cowi_pages_touched(box, nbytes);
    (void)self;
    of->counted += pages;
    if (pages > 0) {
        (void)write_to(of, box);
    }
    return of->counted >= of->budget;
}

static int settle(void *self, const cow_dataptr *own, const cow_box *box)
{
    window *of = (window *)own->context;
    const size_t most = cowi_most_written(of->count * COWI_REGION_PAGES, of->page_price);
    const size_t all = all_own_pages(of) - of->added / COWI_PAGE; /* before the write that touch has noted */
    const size_t written = all - (all < of->at_first ? all : of->at_first);
    const size_t next = written + cowi_between_looks(most);
    (void)self;
    if (written + cowi_pages_touched(box, of->nbytes) >= most) {
        of->gave_up = true;
        of->budget = SIZE_MAX;
        cowi_ledger_gave_up(of->ledger);
        write_nothing(of);
        return 0;
    }
    of->counted = written;
    of->budget = next > most ? next : most;
    return 1;
}

/* Nothing is read of what is only counted. */
static int count_read(void *self, const cow_dataptr *own, size_t nbytes)
{
    (void)self;
    (void)own;
    (void)nbytes;
    return 0;
}

static void heal(void *self, const cow_dataptr *own, int at_once)
{
    (void)self;
    (void)own;
    (void)at_once;
}

static cowi_ledger *ledger_of(const void *data)
{
    return cowi_account_ledger(data == NULL ? cowi_account_now() : cowi_slot_account(data));
}

static void earn(void *self, const void *data, size_t nbytes)
{
    (void)self;
    if (ledger_of(data) != NULL) {
        cowi_ledger_earn(ledger_of(data), nbytes);
    }
}

static void spend(void *self, const void *data, size_t nbytes)
{
    (void)self;
    if (ledger_of(data) != NULL) {
        cowi_ledger_spend(ledger_of(data), nbytes);
    }
}

const cow_paging cowi_foretold_pages = {COWI_PAGED_LEAST, share,      unshadow, is_paged,    touch,
                                        settle,           earn,       spend,    would_share, own_bytes,
                                        copied_bytes,     count_read, heal};
