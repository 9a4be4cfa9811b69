/* Whether a window is paged: the policy, the prices, and the ledger.
 *
 * The ledger earns the bytes of each lazy copy, for which NumPy would have paid at once. It does so when a sharer copies, or
 * is gone: before that, the bytes are owed to the plain copy that may come of it. It spends what is paid for writes: whole
 * windows, fills of bases, pages, and what a paged window may still cost before it ends or is given up. With
 * COW_PAGING_LEDGER nothing is spent on pages that would take it beyond 5/4 of what was earned. So no program pays more than
 * that, whatever it does next. All amounts are bytes of a plain copy. The process has one ledger, and so has each plan of
 * what it would do (nowhere.c). */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "pages.h"

#ifndef MADV_HUGEPAGE
#define MADV_HUGEPAGE 14
#endif

/* ---- policy ------------------------------------------------------------------------------------------------------ */

static cowi_atomic_uint mode = COW_PAGING_LEDGER;
static cowi_atomic_size allowance;
static cowi_atomic_uint small_pages;

cow_paging_policy cow_paging_now(void)
{
    cow_paging_policy now;
    now.mode = (cow_paging_mode)cowi_load_relaxed(&mode);
    now.allowance = cowi_load_relaxed(&allowance);
    now.small_pages = cowi_load_relaxed(&small_pages) != 0;
    return now;
}

cow_paging_policy cow_paging_use(cow_paging_policy policy)
{
    const cow_paging_policy before = cow_paging_now();
    cowi_store_relaxed(&mode, (unsigned)policy.mode);
    cowi_store_relaxed(&allowance, policy.allowance);
    cowi_store_relaxed(&small_pages, policy.small_pages ? 1u : 0u);
    return before;
}

bool cowi_pages_are_off(void)
{
    return cowi_load_relaxed(&mode) == COW_PAGING_OFF;
}

bool cowi_small_pages(void)
{
    return cowi_load_relaxed(&small_pages) != 0;
}

/* ---- the ledger -------------------------------------------------------------------------------------------------- */

cowi_ledger cowi_books;

#define LONGEST_STREAK 20

void cowi_ledger_figures(cow_paging_figures *out)
{
    out->earned = cowi_load_relaxed(&cowi_books.earned);
    out->spent = cowi_load_relaxed(&cowi_books.spent);
}

void cowi_ledger_earn(cowi_ledger *of, size_t nbytes)
{
    (void)cowi_add_relaxed(&of->earned, nbytes);
}

void cowi_ledger_spend(cowi_ledger *of, size_t nbytes)
{
    (void)cowi_add_relaxed(&of->spent, nbytes);
}

static bool is_within(cowi_ledger *of, uint64_t spending, uint64_t more_earned)
{
    const uint64_t income = cowi_load_relaxed(&of->earned) + more_earned;
    return cowi_load_relaxed(&mode) == COW_PAGING_EAGER ||
           spending <= income + income / 4 + cowi_load_relaxed(&allowance);
}

bool cowi_ledger_take(cowi_ledger *of, uint64_t nbytes)
{
    uint64_t before = cowi_load_relaxed(&of->spent);
    do {
        if (!is_within(of, before + nbytes, 0)) {
            return false;
        }
    } while (!cowi_cas_acq_rel(&of->spent, &before, before + nbytes));
    return true;
}

bool cowi_ledger_has(cowi_ledger *of, uint64_t nbytes, uint64_t more_earned)
{
    return is_within(of, cowi_load_relaxed(&of->spent) + nbytes, more_earned);
}

bool cowi_ledger_allows(cowi_ledger *of, uint64_t nbytes, uint64_t more_earned)
{
    return cowi_load_relaxed(&of->skips) == 0 && cowi_ledger_has(of, nbytes, more_earned);
}

void cowi_ledger_return(cowi_ledger *of, uint64_t nbytes)
{
    (void)cowi_sub_acq_rel(&of->spent, nbytes);
}

bool cowi_ledger_skips(cowi_ledger *of)
{
    size_t left = cowi_load_relaxed(&of->skips);
    while (left > 0) {
        if (cowi_cas_acq_rel(&of->skips, &left, left - 1)) {
            return true;
        }
    }
    return false;
}

void cowi_ledger_gave_up(cowi_ledger *of)
{
    const size_t before = cowi_load_relaxed(&of->streak);
    cowi_store_relaxed(&of->skips, (size_t)2 << before);
    cowi_store_relaxed(&of->streak, before < LONGEST_STREAK ? before + 1 : before);
}

void cowi_ledger_went_well(cowi_ledger *of)
{
    const size_t before = cowi_load_relaxed(&of->streak);
    if (before > 0) {
        cowi_store_relaxed(&of->streak, before - 1);
    }
}

/* ---- prices: measured once, by what is done later ----------------------------------------------------------------- */

#define SAMPLE (2 * COWI_REGION)
#define SAMPLE_PAGES 128
#define ROUNDS 3

static cowi_prices huge_prices;
static cowi_prices small_prices;
static pthread_once_t huge_once = PTHREAD_ONCE_INIT;
static pthread_once_t small_once = PTHREAD_ONCE_INIT;

/* Of this thread: others may have the processor in between. */
static uint64_t nanoseconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* 0 where it cannot be done. */
static uint64_t time_copy(const char *source)
{
    char *fresh = cowi_room(SAMPLE);
    uint64_t took = 0;
    if (fresh == NULL) {
        return 0;
    }
    if (mprotect(fresh, SAMPLE, PROT_READ | PROT_WRITE) == 0 && madvise(fresh, SAMPLE, MADV_HUGEPAGE) == 0) {
        const uint64_t start = nanoseconds();
        memcpy(fresh, source, SAMPLE);
        took = nanoseconds() - start;
    }
    (void)munmap(fresh, SAMPLE);
    return took;
}

static uint64_t time_pages(const cowi_base *base)
{
    char *map = cowi_room(SAMPLE);
    uint64_t took = 0;
    if (map == NULL) {
        return 0;
    }
    if (cowi_base_map(base, 0, map, SAMPLE)) {
        const uint64_t start = nanoseconds();
        for (size_t i = 0; i < SAMPLE_PAGES; i++) {
            map[i * (SAMPLE / SAMPLE_PAGES)] = 1;
        }
        took = nanoseconds() - start;
    }
    (void)munmap(map, SAMPLE);
    return took;
}

static void least(uint64_t *so_far, uint64_t took)
{
    if (took != 0 && (*so_far == 0 || took < *so_far)) {
        *so_far = took;
    }
}

/* In thousandths, and no less than can be, nor more than an accident. */
static uint32_t ratio(uint64_t dear, uint64_t cheap, uint64_t most)
{
    const uint64_t found = dear * 1000 / cheap;
    return (uint32_t)(found < 1000 ? 1000 : found > most ? most : found);
}

static void measure(cowi_prices *out, bool small)
{
    uint64_t copy = 0, fill = 0, pages = 0;
    cow_account *account = cow_account_use(NULL); /* nobody asked for these bases */
    char *source = (char *)mmap(NULL, SAMPLE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (source == (char *)MAP_FAILED) {
        (void)cow_account_use(account);
        return;
    }
    memset(source, 1, SAMPLE);
    for (int round = 0; round < ROUNDS; round++) {
        const cowi_piece pieces[] = {{source, COWI_REGION}, {source + COWI_REGION, COWI_REGION}};
        const uint64_t start = nanoseconds();
        cowi_base *base = cowi_base_new(pieces, SAMPLE / COWI_REGION, small);
        if (base == NULL) { /* for a moment, perhaps */
            continue;
        }
        least(&fill, nanoseconds() - start);
        least(&copy, time_copy(source));
        least(&pages, time_pages(base));
        cowi_base_release(base);
    }
    (void)munmap(source, SAMPLE);
    (void)cow_account_use(account);
    if (copy != 0 && fill != 0 && pages != 0) {
        out->fill = ratio(fill, copy, 4000);
        out->copy = copy;
        out->page = ratio(pages * (SAMPLE / COWI_PAGE / SAMPLE_PAGES), copy, 8000);
        out->known = true;
    }
}

static void measure_huge(void)
{
    measure(&huge_prices, false);
}

static void measure_small(void)
{
    measure(&small_prices, true);
}

const cowi_prices *cowi_prices_now(void)
{
    (void)pthread_once(&huge_once, measure_huge);
    if (huge_prices.known || !cowi_small_pages()) {
        return &huge_prices;
    }
    (void)pthread_once(&small_once, measure_small);
    return &small_prices;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* More than caches and their tables of pages hold. */
#define READ_REGIONS ((size_t)16)
#define READ_SAMPLE (READ_REGIONS * COWI_REGION)
#define READ_STEP ((size_t)64) /* a line of the cache */
#define SPLITTING 5            /* pages of a region, one in a hundred */
#define READ_ROUNDS 9
#define NOISE 50 /* a difference of a fiftieth is none */

static uint32_t reading;
static pthread_once_t reading_once = PTHREAD_ONCE_INIT;

static uint64_t read_all(const char *map)
{
    uint64_t sum = 0;
    for (size_t at = 0; at < READ_SAMPLE; at += READ_STEP) {
        sum += *(const volatile uint64_t *)(map + at);
    }
    return sum;
}

/* 0 where it cannot be done. */
static uint64_t time_reading(const cowi_base *base, size_t written)
{
    char *map = cowi_room(READ_SAMPLE);
    uint64_t took = 0;
    if (map == NULL) {
        return 0;
    }
    if (cowi_base_map(base, 0, map, READ_SAMPLE)) {
        for (size_t i = 0; i < READ_REGIONS * written; i++) {
            map[i / written * COWI_REGION + i % written * (COWI_REGION / SPLITTING)] = 1;
        }
        (void)read_all(map);
        const uint64_t start = nanoseconds();
        (void)read_all(map);
        took = nanoseconds() - start;
    }
    (void)munmap(map, READ_SAMPLE);
    return took;
}

static void measure_reading(void)
{
    const cowi_prices *prices = cowi_prices_now();
    uint64_t whole = 0, split = 0;
    cowi_piece pieces[READ_REGIONS];
    cowi_base *base;
    char byte = 1;
    for (size_t i = 0; i < READ_REGIONS; i++) {
        pieces[i].data = &byte;
        pieces[i].nbytes = 1;
    }
    base = prices->known ? cowi_base_new(pieces, READ_REGIONS, prices != &huge_prices) : NULL;
    if (base == NULL) {
        return;
    }
    for (int round = 0; round < READ_ROUNDS; round++) {
        least(&whole, time_reading(base, 0));
        least(&split, time_reading(base, SPLITTING));
    }
    cowi_base_release(base);
    if (whole != 0 && split > whole + whole / NOISE) {
        reading = (uint32_t)((split - whole) * 1000 / (prices->copy * (READ_SAMPLE / SAMPLE)));
    }
}

uint32_t cowi_price_of_reading(void)
{
    (void)pthread_once(&reading_once, measure_reading);
    return reading;
}
