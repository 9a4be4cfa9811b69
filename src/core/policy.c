/* The policy, shared by memory and plans: which writes get paged windows, what each window is made of, and what the
 * ledger pays for it. A place has the bytes (windows.h).
 *
 * A lock found by the address of the source guards shared state: one of several threads makes the base, and the others
 * find it. See *pages* in protocol.md. */
#include "policy.h"

#include <stdlib.h>
#include <string.h>

#include "boxes.h"
#include "mode.h"

/* ---- whether ----------------------------------------------------------------------------------------------------- */

static cowi_plan plan_for(const cowi_place *place, cow_sharing *sharing)
{
    cowi_window *from = cowi_window_is_paged(&sharing->source) ? (cowi_window *)sharing->source.context : NULL;
    const size_t start = (from != NULL ? from->lead : 0) + sharing->offset;
    cowi_plan how;
    memset(&how, 0, sizeof how);
    how.place = place;
    how.sharing = sharing;
    how.from = from;
    how.family = sharing->family;
    how.purse = sharing->instead_of_steal ? COWI_OWN_MONEY : COWI_LOANS_TOO;
    how.small = cowi_small_pages();
    how.prices = cowi_prices_of(how.small);
    how.first = start / COWI_REGION;
    how.lead = start % COWI_REGION;
    how.count = (how.lead + sharing->nbytes - 1) / COWI_REGION + 1;
    return how;
}

/* Another thread may be making it. */
static bool needs_base(const cowi_plan *how)
{
    return how->from == NULL && cowi_load_relaxed((cowi_atomic_ptr *)how->sharing->shadow) == NULL;
}

/* If pages were requested, for this family or for all, a write waits however long a fill takes. */
static bool can_have_base(const cowi_plan *how)
{
    const bool asked = cowi_family_pages_always(how->family) || cowi_pages_are_eager();
    return !needs_base(how) || (cowi_base_granted(how->small) && (asked || !cowi_fills_pause()));
}

size_t cowi_source_regions(const cowi_plan *how)
{
    return (how->sharing->allocated + COWI_REGION - 1) / COWI_REGION;
}

/* A family that never writes again wastes its base. Small families are many, so they wait for a second write. */
static bool is_soon(const cowi_plan *how)
{
    return needs_base(how) && how->sharing->allocated < COWI_PAGED_AT_ONCE && !cowi_pages_are_eager() &&
           !cowi_family_has_written(how->family);
}

static bool has_money(const cowi_plan *how, uint64_t nbytes)
{
    return cowi_family_has(how->family, nbytes, how->sharing->allocated, how->purse, how->sharing->will_earn);
}

static bool take_money(const cowi_plan *how, uint64_t nbytes)
{
    return cowi_family_take(how->family, nbytes, how->sharing->allocated, how->purse);
}

/* Whether paging may be worthwhile; the ledger has the last word. Checks that need no system call come first: a program
 * that makes a copy or two never makes one. */
static cow_page_refusal refusal(const cowi_plan *how)
{
    const cow_sharing *sharing = how->sharing;
    const uint64_t least = sharing->nbytes + (needs_base(how) ? sharing->allocated : 0);
    const uint64_t touched = cowi_price_of_pages(how->prices, cowi_pages_touched(sharing->box, sharing->nbytes));
    const size_t skew = how->from == NULL ? 0 : how->from->lead % COW_ALIGNMENT; /* a file's: its copies may share it */
    if (how->family == NULL || how->count > how->place->most_regions || how->lead % COW_ALIGNMENT != skew) {
        return COW_PAGES_UNSUITABLE;
    }
    if (cowi_family_pages_always(how->family)) {
        return can_have_base(how) ? COW_PAGES_GRANTED : COW_PAGES_DENIED;
    }
    if (cowi_pages_are_off()) {
        return COW_PAGES_OFF;
    }
    if (touched > sharing->nbytes / 2) {
        return COW_PAGES_MANY;
    }
    if (is_soon(how)) {
        return COW_PAGES_SMALL;
    }
    if (!has_money(how, least) || (sharing->instead_of_steal && needs_base(how))) {
        return COW_PAGES_DEAR;
    }
    if (cowi_family_skips(how->family) > 0) {
        return COW_PAGES_GIVEN_UP;
    }
    return can_have_base(how) ? COW_PAGES_GRANTED : COW_PAGES_DENIED;
}

int cowi_would_share(const cowi_place *place, cow_sharing *sharing)
{
    const cowi_plan how = plan_for(place, sharing);
    const size_t most = cowi_most_written(how.prices, how.count * COWI_REGION_PAGES);
    uint64_t price = COWI_FIXED_COST + sharing->nbytes + cowi_price_of_pages(how.prices, most);
    sharing->refusal = refusal(&how);
    if (sharing->refusal != COW_PAGES_GRANTED) {
        return 0;
    }
    sharing->takes = cowi_pages_touched(sharing->box, sharing->nbytes) * COWI_PAGE;
    if (how.from != NULL) {
        sharing->takes += cowi_window_own_bytes(NULL, &sharing->source, NULL, NULL);
    }
    if (needs_base(&how)) {
        price += cowi_price_of_fill(how.prices, cowi_source_regions(&how));
        sharing->takes += cowi_source_regions(&how) * COWI_REGION;
    }
    if (!has_money(&how, price)) {
        sharing->refusal = COW_PAGES_DEAR;
        return 0;
    }
    return needs_base(&how) ? 2 : 1;
}

/* ---- what for ---------------------------------------------------------------------------------------------------- */

static uint64_t price_of_window(const cowi_window *made, const cowi_plan *how)
{
    uint64_t price = COWI_FIXED_COST + cowi_price_of_pages(how->prices, how->folded);
    for (size_t i = 0; i < made->count; i++) {
        const size_t pages = how->dirty[i] + how->touched[i];
        const bool own = how->from != NULL && made->regions[i].base == NULL;
        price += own || cowi_is_dense(how->prices, pages) ? COWI_REGION : cowi_price_of_pages(how->prices, pages);
    }
    return price;
}

/* Takes the price of the window, and of its worst outcome, from the ledger. Call it before filling a base: otherwise a
 * plain copy might have to be paid besides the base. */
static bool pay(cowi_window *made, cowi_plan *how)
{
    cowi_window_reserve(made, how->prices);
    how->paid = price_of_window(made, how);
    return take_money(how, how->paid + made->reserved);
}

/* Returns the difference, if a commit has made the window cheaper. */
static void pay_less(cowi_plan *how, uint64_t price)
{
    if (price < how->paid) {
        cowi_family_return(how->family, how->paid - price);
        how->paid = price;
    }
}

/* ---- of what ----------------------------------------------------------------------------------------------------- */

/* Copies the source's regions, and counts its private pages in each. */
static bool see_source(cowi_window *made, cowi_plan *how)
{
    if (!how->place->own_pages(how->from, how->first, made->count, &how->own)) {
        return false;
    }
    made->ground = how->from->ground;
    for (size_t i = 0; i < made->count; i++) {
        made->regions[i] = how->from->regions[how->first + i];
        how->dirty[i] = made->regions[i].base == NULL ? COWI_REGION_PAGES
                        : how->own.pages == 0         ? 0
                                                      : (uint32_t)cowi_dirt_count(&how->own, i);
    }
    return true;
}

/* Puts the window on the base that equals the plain source, filled for the first writer that needs it. */
static bool find_shadow(cowi_window *made, cowi_plan *how)
{
    void **shadow = how->sharing->shadow;
    if (*shadow == NULL) {
        const uint64_t price = cowi_price_of_fill(how->prices, cowi_source_regions(how));
        if (!take_money(how, price)) {
            return false;
        }
        cowi_store_release((cowi_atomic_ptr *)shadow, how->place->base_of(how));
        if (*shadow == NULL) {
            cowi_family_return(how->family, price);
            return false;
        }
        how->filled = how->sharing->allocated;
    }
    for (size_t i = 0; i < made->count; i++) {
        made->regions[i].base = *shadow;
        made->regions[i].offset = (how->first + i) * COWI_REGION;
    }
    return true;
}

bool cowi_region_due(const cowi_plan *how, size_t index)
{
    return how->whole || cowi_is_due(how->prices, how->from->regions[how->first + index].debt, how->dirty[index]);
}

/* Whether copies of all regions, with the next one, have cost as much as a base for the window. */
static bool is_due_as_a_whole(const cowi_window *made, const cowi_plan *how)
{
    uint64_t pages = 0;
    for (size_t i = 0; i < made->count; i++) {
        pages += made->regions[i].debt + cowi_price_of_region(how->prices, how->dirty[i]);
    }
    return pages * COWI_PAGE >= cowi_price_of_fill(how->prices, made->count);
}

/* Puts regions that were copied again and again into a new base, which source and window map from here on. Each splits
 * the map of every later window. If there would be too many maps, the whole window goes into one base, once its copies
 * have cost that. */
static void commit(cowi_window *made, cowi_plan *how)
{
    size_t count = 0;
    uint64_t price;
    if (made->ground != NULL) { /* its owner puts the pages there before they are many */
        return;
    }
    for (size_t i = 0; i < made->count; i++) {
        count += cowi_region_due(how, i);
    }
    if (count > 0 && cowi_window_runs(made) + 2 * count > how->place->most_runs()) {
        how->whole = is_due_as_a_whole(made, how);
        count = how->whole ? made->count : 0;
    }
    price = cowi_price_of_fill(how->prices, count);
    if (count == 0 || !cowi_family_take(how->family, price, how->sharing->allocated, COWI_OWN_MONEY)) {
        return;
    }
    if (!how->place->commit(how, count)) {
        cowi_family_return(how->family, price);
        return;
    }
    how->filled = count * COWI_REGION;
    for (size_t i = 0; i < made->count; i++) {
        made->regions[i] = how->from->regions[how->first + i];
    }
    pay_less(how, price_of_window(made, how));
}

/* Whether only the source uses a base. */
static bool is_alone(const cowi_plan *how, const void *base)
{
    size_t uses = 0;
    for (size_t i = 0; i < how->from->count; i++) {
        uses += how->from->regions[i].base == base;
    }
    return how->place->uses(base) == uses;
}

/* Puts pages that would be copied into the bases that they hide, if nobody else sees those: source and window then need
 * no private ones. */
static void fold(const cowi_window *made, cowi_plan *how)
{
    const void *seen = NULL;
    bool alone = false;
    for (size_t i = 0; i < made->count; i++) {
        const void *base = made->regions[i].base;
        if (how->dirty[i] == 0 || base == NULL || cowi_is_dense(how->prices, how->dirty[i] + how->touched[i])) {
            continue;
        }
        if (base != seen) {
            alone = is_alone(how, base);
            seen = base;
        }
        if (alone && how->place->fold(how, i)) {
            how->folded += how->dirty[i];
            how->dirty[i] = 0;
        }
    }
}

/* Makes regions that would be full of small pages private memory. */
static void choose_own(cowi_window *made, const cowi_plan *how)
{
    for (size_t i = 0; i < made->count; i++) {
        cowi_region *of = &made->regions[i];
        const size_t pages = how->dirty[i] + how->touched[i];
        of->debt += cowi_price_of_region(how->prices, how->dirty[i]);
        if (how->touched[i] > 0) {
            cowi_store_relaxed(&of->touched, 1);
        }
        if (of->base == NULL || cowi_is_dense(how->prices, pages)) {
            of->base = NULL;
        }
        else {
            made->at_first += pages;
        }
    }
}

size_t cowi_source_bytes(const cowi_plan *how, size_t index)
{
    const size_t rest = how->sharing->allocated - (how->first + index) * COWI_REGION;
    return how->from != NULL ? cowi_window_bytes(how->from, how->first + index)
                             : (rest < COWI_REGION ? rest : COWI_REGION);
}

/* A write copies the base made for it, the pages and regions copied at once, and the pages that the kernel copies
 * later. */
static void count_copied(cowi_window *made, const cowi_plan *how)
{
    made->copied = how->filled + (how->folded + made->at_first) * COWI_PAGE;
    for (size_t i = 0; i < made->count; i++) {
        made->copied += made->regions[i].base == NULL ? cowi_source_bytes(how, i) : 0;
    }
    how->sharing->copied = made->copied;
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

static bool make(cowi_window *made, cowi_plan *how)
{
    if (how->from != NULL && !see_source(made, how)) {
        return false;
    }
    cowi_count_by_region(how->sharing->box, made->lead, made->nbytes, made->count, how->touched);
    if (!pay(made, how)) {
        return false;
    }
    if (how->from != NULL) {
        if (made->ground == NULL) {
            fold(made, how);
        }
        commit(made, how);
    }
    else if (!find_shadow(made, how)) {
        cowi_family_return(how->family, how->paid + made->reserved);
        return false;
    }
    choose_own(made, how);
    count_copied(made, how);
    if (!how->place->build(made, how)) {
        cowi_family_return(how->family, made->reserved);
        return false;
    }
    if (how->from != NULL) {
        cowi_window_rest(how->from);
    }
    cowi_window_retain_bases(made);
    return true;
}

/* Allocates a window, and the plan's tables, which `free_tables` frees in any case. NULL: memory has run out. */
static cowi_window *begin(cowi_plan *how)
{
    cowi_window *made;
    how->own.bits = (uint64_t *)calloc(how->count * COWI_REGION_WORDS, sizeof *how->own.bits);
    how->dirty = (uint32_t *)calloc(2 * how->count, sizeof *how->dirty);
    if (how->own.bits == NULL || how->dirty == NULL) {
        return NULL;
    }
    how->touched = how->dirty + how->count;
    made = cowi_window_new(how->place, how->family, how->count);
    if (made != NULL) {
        made->lead = how->lead;
        made->nbytes = how->sharing->nbytes;
    }
    return made;
}

static void free_tables(cowi_plan *how)
{
    free(how->own.bits);
    free(how->dirty);
}

static bool make_locked(cowi_window *made, cowi_plan *how)
{
    pthread_mutex_t *lock = cowi_window_lock(&how->sharing->source);
    bool good;
    if (how->sharing->may_wait) {
        (void)pthread_mutex_lock(lock);
    }
    else if (pthread_mutex_trylock(lock) != 0) {
        return false;
    }
    good = make(made, how);
    (void)pthread_mutex_unlock(lock);
    return good;
}

int cowi_share(const cowi_place *place, cow_sharing *sharing)
{
    cowi_plan how = plan_for(place, sharing);
    const cow_page_refusal why = refusal(&how);
    cowi_window *made;
    bool good = false;
    if (why == COW_PAGES_GIVEN_UP && !sharing->instead_of_steal) {
        (void)cowi_family_skip(how.family);
    }
    if (why != COW_PAGES_GRANTED) {
        return 0;
    }
    made = begin(&how);
    good = made != NULL && make_locked(made, &how);
    free_tables(&how);
    if (!good) {
        if (made != NULL) {
            cowi_window_discard(made);
        }
        return 0;
    }
    sharing->made.context = made;
    sharing->made.deleter = cowi_window_delete;
    return 1;
}

/* ---- for a past -------------------------------------------------------------------------------------------------- */

static void mark_aside(cowi_plan *how, bool own)
{
    for (size_t word = 0; word < how->count * COWI_REGION_WORDS; word++) {
        how->own.bits[word] = own ? how->own.bits[word] | how->aside[word] : how->own.bits[word] & ~how->aside[word];
    }
}

/* Leaves the source's regions alone, since its owner may be writing to them. Pages put aside count as copied. */
static bool make_past(cowi_window *made, cowi_plan *how)
{
    if (!how->place->own_pages(how->from, how->first, made->count, &how->own)) {
        return false;
    }
    mark_aside(how, true);
    how->own.pages = SIZE_MAX; /* unknown, but not 0 */
    for (size_t i = 0; i < made->count; i++) {
        made->regions[i].base = how->from->regions[i].base;
        made->regions[i].offset = how->from->regions[i].offset;
        made->regions[i].debt = how->from->regions[i].debt;
        how->dirty[i] = made->regions[i].base == NULL ? COWI_REGION_PAGES : (uint32_t)cowi_dirt_count(&how->own, i);
    }
    cowi_family_spend(how->family, (size_t)price_of_window(made, how));
    choose_own(made, how);
    count_copied(made, how);
    mark_aside(how, false);
    if (!how->place->build(made, how)) {
        return false;
    }
    cowi_window_retain_bases(made);
    return true;
}

bool cowi_share_past(const cowi_place *place, cow_sharing *sharing, const uint64_t *aside)
{
    cowi_plan how = plan_for(place, sharing);
    cowi_window *made = begin(&how);
    pthread_mutex_t *lock = cowi_window_lock(&sharing->source);
    bool good = false;
    how.aside = aside;
    if (made != NULL) {
        made->prices = how.prices;
        (void)pthread_mutex_lock(lock);
        good = make_past(made, &how);
        (void)pthread_mutex_unlock(lock);
    }
    free_tables(&how);
    if (!good && made != NULL) {
        cowi_window_discard(made);
    }
    sharing->made.context = made;
    sharing->made.deleter = cowi_window_delete;
    return good;
}
