/* Copy-on-write by the page, for the heap: pages.c makes windows, windows.c has their life and commits.c puts parts of them
 * into new bases; base.c has the frozen bytes that they map, dirty.c looks for pages that were written to, boxes.c for those
 * that will be, ledger.c decides whether any of it is worth its price. */
#ifndef COWI_PAGES_H
#define COWI_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "atomics.h"
#include "cowarray/core.h"

/* What is decided by the huge page is decided by the region. */
#define COWI_REGION ((size_t)2 << 20)
#define COWI_PAGE ((size_t)4096)
#define COWI_REGION_PAGES (COWI_REGION / COWI_PAGE)
/* Smaller windows are copied. */
#define COWI_PAGED_LEAST ((size_t)4 << 20)

extern const cow_paging cowi_pages;

/* ---- base.c ------------------------------------------------------------------------------------------------------ */

/* A file of frozen bytes, in memory and sealed, or a user's file. Windows map it privately. */
typedef struct cowi_base {
    cowi_atomic_size references;
    int descriptor;
    dev_t device; /* with the next: what the descriptor should still be */
    ino_t inode;
    size_t nbytes;        /* in memory; 0 for a user's file */
    cow_account *account; /* on which they are: that of the thread whose write made it */
} cowi_base;

/* A piece of memory that goes into a base: nbytes <= COWI_REGION, the rest of the region is zeros. */
typedef struct cowi_piece {
    const char *data;
    size_t nbytes;
} cowi_piece;

/* A base of one region for each piece. NULL: the system grants none. small: pages of 4 KiB will do. */
cowi_base *cowi_base_new(const cowi_piece *pieces, size_t count, bool small);
/* A base for a file of a user's. */
cowi_base *cowi_base_of_file(int descriptor);
void cowi_base_retain(cowi_base *base);
void cowi_base_release(cowi_base *base);
/* nbytes of it at a place in memory that is the caller's. */
COW_NODISCARD bool cowi_base_map(const cowi_base *base, size_t offset, void *place, size_t nbytes);
/* Address space aligned to a region, which cannot be touched yet; NULL if there is none. */
char *cowi_room(size_t nbytes);
void cowi_base_figures(cow_paging_figures *out);

/* ---- dirty.c ----------------------------------------------------------------------------------------------------- */

/* A bit for each page of a window, and how many are set. */
typedef struct cowi_dirt {
    uint64_t *bits;
    size_t pages;
} cowi_dirt;

/* Sets the bits of the pages in [start, start + nbytes), which begins and ends with a page, that are not the base's any more.
 * bits must be 0. False: the system does not tell. */
COW_NODISCARD bool cowi_dirt_find(const char *start, size_t nbytes, cowi_dirt *out);

/* Of a region, by its number: how many bits are set. */
size_t cowi_dirt_count(const cowi_dirt *dirt, size_t index);

/* ---- boxes.c ----------------------------------------------------------------------------------------------------- */

/* How many pages the box touches at most; box NULL, or of more dimensions than an array has: all of them. */
size_t cowi_pages_touched(const cow_box *box, size_t nbytes);
/* Of each of count regions, how many pages the box will touch. lead: bytes before the window in the first. */
void cowi_count_by_region(const cow_box *box, size_t lead, size_t nbytes, size_t count, uint32_t *touched);
/* Sets the bits of these pages. False: it is not known where they lie. */
COW_NODISCARD bool cowi_mark_pages(const cow_box *box, size_t lead, size_t count, uint64_t *bits);

/* ---- ledger.c ---------------------------------------------------------------------------------------------------- */

/* Prices in bytes of a plain copy. */
typedef struct cowi_prices {
    bool known;    /* false: nothing is paged */
    uint32_t fill; /* of a base, for 1000 bytes of it */
    uint32_t page; /* of a page that is copied by a fault, for 1000 bytes of it */
    uint64_t copy; /* of some bytes, in nanoseconds: what the other figures are of */
} cowi_prices;

/* Of a window at the least, at any prices: what is reserved for a plain copy of it, and its base. */
uint64_t cowi_least_price(const cow_sharing *sharing, bool of_window);
uint64_t cowi_price_of_pages(const cowi_prices *prices, size_t pages);
uint64_t cowi_price_of_fill(const cowi_prices *prices, size_t regions);
/* Of a region's pages one by one, or as a whole; in pages of a plain copy. */
uint32_t cowi_price_of_region(const cowi_prices *prices, size_t pages);
/* Where small pages would cost three quarters of a plain copy, a huge page is better. */
bool cowi_is_dense(const cowi_prices *prices, size_t pages);
/* A region is put into a base when as much has been paid for copies of it as that costs. debt: up to now. */
bool cowi_is_due(uint32_t debt, uint32_t dirty, const cowi_prices *prices);
/* How many pages a window may have that were written to, at that price of a page: above the share, windows that are kept
 * would take more from the ledger than copies give it. */
size_t cowi_most_written(size_t pages, uint32_t page_price);
/* When to look at a window again of which so much may be written, or what it may cost until then. */
size_t cowi_between_looks(size_t most);
/* Of a map and its end. */
#define COWI_FIXED_COST ((uint64_t)64 << 10)
/* Measured when they are first asked for. */
const cowi_prices *cowi_prices_now(void);
/* Of reading a region of which some pages were written to, beyond that of a whole one, for 1000 bytes: what a split huge page
 * costs on this machine, 0 where that is nothing. Measured when it is first asked for. */
uint32_t cowi_price_of_reading(void);
bool cowi_pages_are_off(void);
bool cowi_small_pages(void);

typedef struct cowi_ledger {
    cowi_atomic_u64 earned;
    cowi_atomic_u64 spent;
    cowi_atomic_size skips;
    cowi_atomic_size streak; /* of give-ups */
} cowi_ledger;

/* The process's. */
extern cowi_ledger cowi_books;
void cowi_ledger_figures(cow_paging_figures *out);
void cowi_ledger_earn(cowi_ledger *of, size_t nbytes);
void cowi_ledger_spend(cowi_ledger *of, size_t nbytes);
/* Spends what may be spent now; false, and nothing spent, where it may not. */
COW_NODISCARD bool cowi_ledger_take(cowi_ledger *of, uint64_t nbytes);
void cowi_ledger_return(cowi_ledger *of, uint64_t nbytes);
/* Whether take would after so much more was earned. */
bool cowi_ledger_has(cowi_ledger *of, uint64_t nbytes, uint64_t more_earned);
/* The same, with no windows to skip. */
bool cowi_ledger_allows(cowi_ledger *of, uint64_t nbytes, uint64_t more_earned);
/* After a give-up some windows are copied as a whole: true, and one less of them from here on. */
bool cowi_ledger_skips(cowi_ledger *of);
void cowi_ledger_gave_up(cowi_ledger *of);
/* A window has gone without a give-up. */
void cowi_ledger_went_well(cowi_ledger *of);

#endif
