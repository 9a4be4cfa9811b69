/* Paged windows as the policy sees them, wherever their bytes are.
 *
 * A window is cut into regions. Each either equals a region of some base except for private pages, or is private memory
 * as a whole. Only the place knows the private pages: the kernel has them, or they are mere bits (foretold.c). */
#ifndef COWI_WINDOWS_H
#define COWI_WINDOWS_H

#include <pthread.h>

#include "base.h"
#include "dirty.h"
#include "family.h"
#include "prices.h"

typedef struct cowi_region {
    void *base;    /* a reference, of the place's kind; NULL: private memory */
    size_t offset; /* in the base */
    uint32_t debt; /* the cost of the region's copies since its base was made, in pages of a plain copy */
    cowi_atomic_uint
        touched; /* on a ground: pages of it may be the window's own. A region without the ground is touched */
} cowi_region;

typedef struct cowi_place cowi_place;

/* In a shared window, regions and at_first change under the lock found by its data; in any other, while its Storage is
 * busy. A new window is its maker's. */
typedef struct cowi_window {
    const cowi_place *place;
    cow_family *family; /* a reference: it pays for the window */
    cowi_base *ground;  /* a base that its owner may change; a reference once enlisted: see ground.c. NULL for most */
    const cowi_prices *prices; /* used for the reservation */
    size_t lead;               /* bytes of the first region before the window begins */
    size_t nbytes;
    size_t count; /* of regions */
    cowi_region *regions;
    size_t at_first;          /* private pages copied or about to be written when it was made */
    size_t copied;            /* bytes, to make it */
    uint64_t reserved;        /* in the ledger, for its possible further cost; 0 while it is at rest */
    cowi_atomic_size counted; /* pages that may have been written since */
    cowi_atomic_size budget;  /* the value of counted that triggers a look */
    bool gave_up;
    size_t looks; /* at writes of many pages, since it began to count */
    struct cowi_line
        *line; /* a reference: of the pasts that this window may have. See pasts.c. NULL: it has had none */
    cowi_atomic_u64 watched; /* 0, or the number that a writer must have been told */
} cowi_window;

/* A window that is being made: policy.h. */
typedef struct cowi_plan cowi_plan;

/* Where windows have their bytes: in memory (pages.c), or nowhere (foretold.c). base_of, commit, fold and build are
 * called in the fork gate, with the lock of the source. A failed call leaves nothing behind. */
struct cowi_place {
    size_t window_size; /* of the place's own struct, which begins with a cowi_window */
    /* Regions of the largest window. */
    size_t most_regions;
    /* How many runs a window's regions may form after a commit. */
    size_t (*most_runs)(void);
    /* Adds the private pages of some regions to an empty set, for regions with a base. False: unknown. The window is
     * locked, or nobody shares it. */
    bool (*own_pages)(const cowi_window *of, size_t first, size_t count, cowi_dirt *out);
    /* Makes a base that equals the plain source, with one reference. NULL: unavailable. */
    void *(*base_of)(const cowi_plan *how);
    /* Puts the source's regions that are due (cowi_region_due; count of them) into a new base, and sets their dirty to
     * 0. A region that cannot be remapped stays as it was. False: none has changed. */
    bool (*commit)(cowi_plan *how, size_t count);
    /* The number of references to a base, of which windows have one for each region. SIZE_MAX: nobody may change it. */
    size_t (*uses)(const void *base);
    /* Puts the source's private pages of a region into its base, which only the source uses. False: it failed. */
    bool (*fold)(cowi_plan *how, size_t index);
    /* Gives the window its bytes: maps of bases, whole private regions, and copies of the source's private pages. Sets
     * made.data of the sharing. */
    bool (*build)(cowi_window *made, cowi_plan *how);
    void (*retain)(void *base);
    void (*release)(void *base);
    /* Notes a write that is about to begin, with the micro lock held. NULL: the kernel knows which pages it copies. */
    void (*touched)(cowi_window *of, const cow_box *box);
    /* How many private pages the last call of touched added. NULL: none. */
    size_t (*under_way)(const cowi_window *of);
    /* The window is about to be copied to plain memory. */
    void (*gave_up)(cowi_window *of);
    /* Called for a window with a line that is about to end. True: one of its pasts has it now. */
    bool (*inherit)(cowi_window *of);
    /* Called before the window's bases are released. */
    void (*deleted)(cowi_window *of);
    /* Copies a page's present contents. NULL: memory has run out. */
    void *(*put_aside)(const cowi_window *of, size_t page);
    /* Restores such contents to the same page of this or another window. */
    void (*put_back)(cowi_window *of, size_t page, const void *aside);
    void (*drop_aside)(void *aside);
    /* Whether the bytes of windows and of pages put aside can be read. */
    bool has_bytes;
};

/* The lock of a shared source, plain or paged: found by the address of its bytes, or by the ground, for all its
 * windows. Held only in the fork gate. */
pthread_mutex_t *cowi_window_lock(const cow_dataptr *bytes);
pthread_mutex_t *cowi_ground_lock(const cowi_base *ground);
/* Creates a window of the family with count regions and all else 0. NULL: memory has run out. */
cowi_window *cowi_window_new(const cowi_place *place, cow_family *family, size_t count);
/* Frees a window that was never used. */
void cowi_window_discard(cowi_window *of);
/* Sets the window's reservation and budget, and begins to count writes, without asking the ledger. */
void cowi_window_reserve(cowi_window *of, const cowi_prices *prices);
/* Restarts the counts of a window that a writer has taken over. For its only user. */
void cowi_window_begin(cowi_window *of);
/* Puts a shared window at rest: nobody writes to it, so its reservation goes back. The first write that finds it sole
 * settles it, and reserves again. */
void cowi_window_rest(cowi_window *of);
/* Bytes of a region up to the window's end, including the lead before the window. */
size_t cowi_window_bytes(const cowi_window *of, size_t index);
/* The end of the run of regions that one map can serve; and the number of such runs. */
size_t cowi_run_end(const cowi_window *of, size_t first);
size_t cowi_window_runs(const cowi_window *of);
void cowi_window_retain_bases(const cowi_window *of);
/* Puts the region on the base, from offset on, with a reference and no debt. */
void cowi_region_put(const cowi_place *place, cowi_region *of, void *base, size_t offset);

/* The deleter of a paged window, by which one is recognized. */
void cowi_window_delete(void *data, void *context, size_t nbytes);
/* Functions of cow_paging. */
int cowi_window_is_paged(const cow_dataptr *own);
int cowi_window_touch(void *self, const cow_dataptr *own, size_t nbytes, const cow_box *box);
int cowi_window_settle(void *self, const cow_dataptr *own, const cow_box *box);
size_t cowi_window_own_bytes(void *self, const cow_dataptr *own, size_t *regions, size_t *count);
size_t cowi_window_copied_bytes(void *self, const cow_dataptr *own);

#endif
