/* Windows and their regions, for the files that make and change them: windows.c has their life, commits.c puts regions into
 * new bases, pages.c makes windows of sources. */
#ifndef COWI_WINDOWS_H
#define COWI_WINDOWS_H

#include <pthread.h>

#include "pages.h"

typedef struct cowi_region {
    cowi_base *base; /* a reference; NULL: plain memory of the window's own */
    size_t offset;
    uint32_t debt; /* what was paid for copies of the region since its base was made, in pages of a plain copy */
} cowi_region;

/* Of a window that is shared, regions, maps and at_first change under the lock that goes by its data; of one that is not,
 * while its Storage is busy. Those of new windows are nobody else's. */
typedef struct cowi_window {
    char *map;   /* aligned to a region */
    size_t lead; /* bytes before the first of the window */
    size_t nbytes;
    size_t count;
    size_t maps;              /* that the kernel has for it */
    cowi_atomic_size counted; /* pages that may have been written to */
    cowi_atomic_size budget;  /* pages, from which on somebody looks */
    uint64_t reserved;        /* in the ledger, for what it may still cost */
    uint32_t page_price;      /* when that was reserved */
    size_t at_first;          /* pages that were copied when it was made, or about to be written */
    cowi_atomic_u64 read;     /* bytes, since somebody looked */
    cowi_atomic_u64 dear;     /* bytes, from which on somebody looks whether reading could be cheaper */
    bool gave_up;
    bool of_file; /* on request, whatever it costs: never copied because it is dear */
    cowi_region regions[];
} cowi_window;

/* What is counted for cow_paging_read. */
typedef struct cowi_page_counts {
    cowi_atomic_u64 bases; /* for windows: those on which prices are measured nobody asked for */
    cowi_atomic_u64 page_copies;
    cowi_atomic_u64 pages_copied;
    cowi_atomic_u64 commits;
    cowi_atomic_u64 heals;
    cowi_atomic_u64 give_ups;
} cowi_page_counts;

extern cowi_page_counts cowi_page_counted;

/* ---- windows.c --------------------------------------------------------------------------------------------------- */

/* Maps, of those that the kernel allows a process. False: too many. */
COW_NODISCARD bool cowi_maps_take(size_t some);
void cowi_maps_return(size_t some);

/* With count regions and nothing else; free frees it. NULL: memory has run out. */
cowi_window *cowi_window_new(size_t count);
/* Of a whole one: a deleter of handles, and so the mark of what is paged. */
void cowi_window_delete(void *data, void *context, size_t nbytes);
int cowi_window_is_paged(const cow_dataptr *own);
/* The lock for a source that is shared, plain or paged. It is held in the fork gate only. */
pthread_mutex_t *cowi_window_lock(const void *data);
char *cowi_window_place(const cowi_window *of, size_t index);
/* The bytes of a region that belong to the window, or lie before it. */
size_t cowi_window_bytes(const cowi_window *of, size_t index);
/* Where the run of regions that one map can serve ends, and how many runs there are. */
size_t cowi_window_end_of_run(const cowi_window *of, size_t first);
size_t cowi_window_runs(const cowi_window *of);
void cowi_window_retain_bases(const cowi_window *of);
/* How many pages a window may have that were written to, at that price of a page: above the share, windows that are kept
 * would take more from the ledger than copies give it. */
size_t cowi_window_most_written(size_t pages, uint32_t page_price);
uint64_t cowi_window_budget(const cowi_window *of, const cowi_prices *prices);
/* What its pages cost, of what was reserved for them. */
uint64_t cowi_window_price_of_written(const cowi_window *of, size_t pages);
/* Begins to count what is written and read, in a window of which so many pages are not its bases'. */
void cowi_window_begin_counting(cowi_window *of, size_t at_first, const cowi_prices *prices);
/* As cow_paging has them. */
int cowi_window_touch(void *self, const cow_dataptr *own, size_t nbytes, const cow_box *box);
int cowi_window_settle(void *self, const cow_dataptr *own, const cow_box *box);
size_t cowi_window_own_bytes(void *self, const cow_dataptr *own);
int cowi_window_count_read(void *self, const cow_dataptr *own, size_t nbytes);

/* ---- commits.c --------------------------------------------------------------------------------------------------- */

/* Some regions of a window, and how many pages of each are not its base's. */
typedef struct cowi_commit {
    cowi_window *of;
    size_t first;
    size_t count;
    uint32_t *dirty;
    const cowi_prices *prices;
    bool small; /* pages of 4 KiB will do */
    bool all;   /* that are dirty; otherwise those that were copied so often that it pays */
} cowi_commit;

/* Puts the regions into a new base. The window maps it from here on: over equal bytes,
 * so that who reads meanwhile sees nothing. Their dirty is 0 then. What fails leaves regions as they were. Returns how many went into it. */
size_t cowi_commit_regions(const cowi_commit *what);
/* As cow_paging has it. */
void cowi_window_heal(void *self, const cow_dataptr *own, int at_once);

#endif
