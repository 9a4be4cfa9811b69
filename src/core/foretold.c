/* Paged windows of memory that is only counted: their costs, without any pages.
 *
 * The policy is the heap's (policy.c), with its prices and the process's mode; families borrow from the plan, which is
 * the uppermost account. In memory the kernel knows a window's private pages; here each page has a bit, which the boxes
 * of writers set. If a box does not tell which pages, as for an index with arrays, they are drawn at random. */
#include "foretold.h"

#include <stdlib.h>
#include <string.h>

#include "account.h"
#include "boxes.h"
#include "maps.h"
#include "pasts.h"
#include "policy.h"
#include "slots.h"

/* The regions of a window of 1 TiB. Larger ones are copied: their bits would take memory. */
#define MOST_REGIONS ((size_t)1 << 19)

/* Frozen bytes, counted only. */
typedef struct base {
    cowi_atomic_size references;
    cow_account *account;
    size_t nbytes;
} base;

typedef struct window {
    cowi_window of; /* first, as cowi_place requires */
    void *slot;
    cow_account *account; /* charged for the window, by its slot */
    size_t taken;         /* bytes on the account */
    size_t added;         /* by the last write */
    uint64_t drawn;       /* the last random number */
    uint64_t *bits;       /* private pages */
} window;

static window *window_of(const cowi_window *of)
{
    return (window *)(uintptr_t)of;
}

/* ---- bases --------------------------------------------------------------------------------------------------------- */

static base *base_new(size_t regions)
{
    base *made = (base *)malloc(sizeof *made);
    if (made != NULL) {
        cowi_init(&made->references, 1);
        made->account = cowi_account_now();
        made->nbytes = regions * COWI_REGION;
        cowi_account_put(made->account, made->nbytes);
    }
    return made;
}

static void retain(void *of)
{
    (void)cowi_add_relaxed(&((base *)of)->references, 1);
}

static void release(void *of)
{
    base *gone = (base *)of;
    if (cowi_sub_acq_rel(&gone->references, 1) == 1) {
        cowi_account_take(gone->account, gone->nbytes);
        free(gone);
    }
}

static void unshadow(void *self, void *shadow)
{
    (void)self;
    release(shadow);
}

static void *base_of(const cowi_plan *how)
{
    return base_new(cowi_source_regions(how));
}

/* ---- pages --------------------------------------------------------------------------------------------------------- */

static bool own_pages(const cowi_window *of, size_t first, size_t count, cowi_dirt *out)
{
    const size_t words = count * COWI_REGION_WORDS;
    memcpy(out->bits, &window_of(of)->bits[first * COWI_REGION_WORDS], words * sizeof *out->bits);
    for (size_t word = 0; word < words; word++) {
        out->pages += (size_t)__builtin_popcountll(out->bits[word]);
    }
    return true;
}

/* Charges the window's private bytes to its account. Returns by how much they have grown. */
static size_t recount(window *of)
{
    const cowi_dirt own = {of->bits, 0};
    const size_t before = of->taken;
    of->taken = 0;
    for (size_t i = 0; i < of->of.count; i++) {
        of->taken += of->of.regions[i].base == NULL ? COWI_REGION : cowi_dirt_count(&own, i) * COWI_PAGE;
    }
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

/* Marks the pages of the box, which the kernel would copy. Returns the bytes of those that are new. */
static size_t write_to(window *of, const cow_box *box)
{
    if (!cowi_mark_pages(box, of->of.lead, of->of.count, of->bits)) {
        size_t first = 0, end = of->of.nbytes;
        (void)cowi_box_range(box, &first, &end);
        const size_t last = (of->of.lead + end - 1) / COWI_PAGE;
        first = (of->of.lead + first) / COWI_PAGE;
        for (size_t left = cowi_pages_touched(box, of->of.nbytes); left > 0; left--) {
            const size_t page = first + draw(of) % (last - first + 1);
            of->bits[page / 64] |= (uint64_t)1 << page % 64;
        }
    }
    return recount(of);
}

static void touched(cowi_window *of, const cow_box *box)
{
    window_of(of)->added = write_to(window_of(of), box);
    cowi_account_count_copy(window_of(of)->added);
}

static size_t under_way(const cowi_window *of)
{
    return window_of(of)->added / COWI_PAGE;
}

/* The write goes to a copy instead. */
static void gave_up(cowi_window *of)
{
    window_of(of)->taken -= window_of(of)->added;
    cowi_account_shrink(window_of(of)->account, window_of(of)->added);
    cowi_account_count_copy((size_t)0 - window_of(of)->added);
}

/* ---- pages that were put aside ------------------------------------------------------------------------------------- */

/* The contents are stood for by the account that is charged. */
static void *put_aside(const cowi_window *of, size_t page)
{
    cow_account *account = cowi_account_now();
    (void)of;
    (void)page;
    cowi_account_put(account, COWI_PAGE);
    cowi_account_count_copy(COWI_PAGE);
    return account;
}

static void put_back(cowi_window *of, size_t page, const void *aside)
{
    window *to = window_of(of);
    (void)aside;
    to->bits[page / 64] |= (uint64_t)1 << page % 64;
    (void)recount(to);
}

static void drop_aside(void *aside)
{
    cowi_account_take((cow_account *)aside, COWI_PAGE);
}

/* ---- windows ------------------------------------------------------------------------------------------------------- */

static bool build(cowi_window *of, cowi_plan *how)
{
    window *made = window_of(of);
    made->account = cowi_account_now();
    made->bits = (uint64_t *)calloc(of->count * COWI_REGION_WORDS, sizeof *made->bits);
    made->slot = made->bits == NULL ? NULL : cowi_slot_new(made->account, 0, COW_ALIGNMENT);
    if (made->slot == NULL) {
        free(made->bits);
        return false;
    }
    for (size_t i = 0; i < of->count; i++) {
        if (of->regions[i].base != NULL && how->dirty[i] > 0) {
            memcpy(&made->bits[i * COWI_REGION_WORDS], &how->own.bits[i * COWI_REGION_WORDS],
                   COWI_REGION_WORDS * sizeof *made->bits);
        }
    }
    cowi_account_count_copy(how->sharing->copied);
    (void)write_to(made, how->sharing->box);
    how->sharing->made.data = made->slot;
    return true;
}

static bool commit(cowi_plan *how, size_t count)
{
    window *from = window_of(how->from);
    base *made = base_new(count);
    if (made == NULL) {
        return false;
    }
    for (size_t i = 0, at = 0; i < how->count; i++) {
        if (cowi_region_due(how, i)) {
            cowi_region_put(how->place, &how->from->regions[how->first + i], made, at++ * COWI_REGION);
            memset(&from->bits[(how->first + i) * COWI_REGION_WORDS], 0, COWI_REGION_WORDS * sizeof *from->bits);
            how->dirty[i] = 0;
        }
    }
    release(made);
    (void)recount(from);
    return true;
}

static size_t uses(const void *of)
{
    return cowi_load_acquire(&((const base *)of)->references);
}

static bool fold(cowi_plan *how, size_t index)
{
    window *from = window_of(how->from);
    const size_t nbytes = how->dirty[index] * COWI_PAGE;
    memset(&from->bits[(how->first + index) * COWI_REGION_WORDS], 0, COWI_REGION_WORDS * sizeof *from->bits);
    from->taken -= nbytes;
    cowi_account_shrink(from->account, nbytes);
    return true;
}

static void deleted(cowi_window *of)
{
    window *gone = window_of(of);
    cowi_account_shrink(gone->account, gone->taken);
    cowi_slot_free(gone->slot, 0);
    free(gone->bits);
}

/* ---- the allocator's table ----------------------------------------------------------------------------------------- */

static cow_family *family(void *self, const cow_dataptr *bytes)
{
    cow_account *plan;
    (void)self;
    if (cowi_window_is_paged(bytes)) {
        return cowi_family_retain(((cowi_window *)bytes->context)->family);
    }
    plan = cowi_account_of_plan(cowi_slot_account(bytes->data));
    return plan == NULL ? NULL : cowi_family_new(cowi_account_lender(plan), plan);
}

static const cowi_place nowhere = {sizeof(window), MOST_REGIONS, cowi_maps_for_first,
                                   own_pages,      base_of,      commit,
                                   uses,           fold,         build,
                                   retain,         release,      touched,
                                   under_way,      gave_up,      cowi_pasts_inherit,
                                   deleted,        put_aside,    put_back,
                                   drop_aside,     false};

static int share(void *self, cow_sharing *sharing)
{
    (void)self;
    return cowi_share(&nowhere, sharing);
}

static int would(void *self, cow_sharing *sharing)
{
    (void)self;
    return cowi_would_share(&nowhere, sharing);
}

const cow_paging cowi_foretold_pages = {
    COWI_PAGED_LEAST,
    share,
    unshadow,
    cowi_window_is_paged,
    cowi_window_touch,
    cowi_window_settle,
    family,
    would,
    cowi_window_own_bytes,
    cowi_window_copied_bytes,
    NULL,
    &cowi_window_pasts,
};
