/* Windows by the page: what the policy knows of them, wherever their bytes are.
 *
 * A window is cut into regions. Each equals a region of some base but for pages of the window's own, or is memory of the
 * window's own as a whole. Where those pages are is the place's to know: the kernel has them, or nobody (foretold.c). */
#ifndef COWI_WINDOWS_H
#define COWI_WINDOWS_H

#include <pthread.h>

#include "base.h"
#include "dirty.h"
#include "family.h"
#include "prices.h"

typedef struct cowi_region {
    void *base;    /* a reference, of the place's kind; NULL: memory of the window's own */
    size_t offset; /* in the base */
    uint32_t debt; /* what copies of the region have cost since its base was made, in pages of a plain copy */
    cowi_atomic_uint
        touched; /* on a ground: pages of it may be the window's own. A region without the ground is touched */
} cowi_region;

typedef struct cowi_place cowi_place;

/* Of a window that is shared, regions and at_first change under the lock that goes by its data; of one that is not, while its
 * Storage is busy. A new window is its maker's. */
typedef struct cowi_window {
    const cowi_place *place;
    cow_family *family; /* a reference: it pays for the window */
    cowi_base *ground;  /* a base that its owner may change, a reference once enlisted: see ground.c. NULL for most */
    const cowi_prices *prices; /* at which that was reserved */
    size_t lead;               /* bytes of the first region before the window begins */
    size_t nbytes;
    size_t count; /* of regions */
    cowi_region *regions;
    size_t at_first;          /* own pages that were copied or about to be written when it was made */
    size_t copied;            /* bytes, for it to be made */
    uint64_t reserved;        /* in the ledger, for what it may still cost; 0 while it is at rest */
    cowi_atomic_size counted; /* pages that may have been written since */
    cowi_atomic_size budget;  /* of those: somebody looks when it is reached */
    bool gave_up;
    size_t looks; /* at writes of many pages, since it began to count */
    struct cowi_line
        *line; /* a reference: of the pasts that this window may have. See pasts.c. NULL: it has had none */
    cowi_atomic_u64 watched; /* 0, or what a writer has to have been told */
} cowi_window;

/* A window that is being made: policy.h. */
typedef struct cowi_plan cowi_plan;

/* Where the bytes of windows are: in memory (pages.c), or nowhere (foretold.c). base_of, commit, fold and build are called in the
 * fork gate, with the lock of the source. A call that fails leaves nothing behind. */
struct cowi_place {
    size_t window_size; /* of the place's own struct, which begins with a cowi_window */
    /* Regions of the largest window. */
    size_t most_regions;
    /* How many runs the regions of a window may be after a commit. */
    size_t (*most_runs)(void);
    /* Adds the window's own pages in some of its regions to an empty set, as far as these have a base. False: not known. The
     * window is locked, or nobody shares it. */
    bool (*own_pages)(const cowi_window *of, size_t first, size_t count, cowi_dirt *out);
    /* A base that equals the plain source, with one reference. NULL: none can be had. */
    void *(*base_of)(const cowi_plan *how);
    /* Puts the source's regions that are due (cowi_region_due; count of them) into a new base, and sets their dirty to 0. A region
     * that cannot be changed stays as it was. False: none has changed. */
    bool (*commit)(cowi_plan *how, size_t count);
    /* How many references a base has, of which windows have one for each region. SIZE_MAX: nobody may change it. */
    size_t (*uses)(const void *base);
    /* Puts the source's own pages of a region into its base, which the source alone uses. False: not all of them. */
    bool (*fold)(cowi_plan *how, size_t index);
    /* Gives the window its bytes: maps of bases, whole regions of its own, and copies of the source's own pages. Sets made.data
     * of the sharing. */
    bool (*build)(cowi_window *made, cowi_plan *how);
    void (*retain)(void *base);
    void (*release)(void *base);
    /* A write is about to begin. Called with the micro lock held. NULL: the kernel will see which pages it copies. */
    void (*touched)(cowi_window *of, const cow_box *box);
    /* How many own pages touched has just added. NULL: none. */
    size_t (*under_way)(const cowi_window *of);
    /* The window is about to be copied to plain memory. */
    void (*gave_up)(cowi_window *of);
    /* The window has a line, and is about to end. True: one of its pasts has it now. */
    bool (*inherit)(cowi_window *of);
    /* Before the window's bases are released. */
    void (*deleted)(cowi_window *of);
    /* What a page of the window holds now. NULL: memory has run out. */
    void *(*put_aside)(const cowi_window *of, size_t page);
    /* The same page of another window, or of that one, holds it again. */
    void (*put_back)(cowi_window *of, size_t page, const void *aside);
    void (*drop_aside)(void *aside);
    /* Whether the bytes of windows and of what was put aside can be read. */
    bool has_bytes;
};

/* The lock for a source that is shared, plain or paged: by the address of its bytes, and one for all windows of a ground. Held in
 * the fork gate only. */
pthread_mutex_t *cowi_window_lock(const cow_dataptr *bytes);
pthread_mutex_t *cowi_ground_lock(const cowi_base *ground);
/* A window of the family with count regions, all else 0. NULL: memory has run out. */
cowi_window *cowi_window_new(const cowi_place *place, cow_family *family, size_t count);
/* Of a window that was never used. */
void cowi_window_discard(cowi_window *of);
/* Sets what is reserved for the window, and its budget, and begins to count writes. The ledger is not asked. */
void cowi_window_reserve(cowi_window *of, const cowi_prices *prices);
/* For a window that a writer has taken over: it begins to count anew. For who has it alone. */
void cowi_window_begin(cowi_window *of);
/* For a window that is shared: nobody writes to it, so what is reserved for that goes back. The first write that finds it sole
 * settles it, and reserves anew. */
void cowi_window_rest(cowi_window *of);
/* Bytes of a region that belong to the window, or lie before it. */
size_t cowi_window_bytes(const cowi_window *of, size_t index);
/* Where the run of regions ends that one map can serve; and how many such runs there are. */
size_t cowi_run_end(const cowi_window *of, size_t first);
size_t cowi_window_runs(const cowi_window *of);
void cowi_window_retain_bases(const cowi_window *of);
/* The region equals the base from offset on, has a reference to it, and no debt. */
void cowi_region_put(const cowi_place *place, cowi_region *of, void *base, size_t offset);

/* The deleter of a whole window, and so the mark of one. */
void cowi_window_delete(void *data, void *context, size_t nbytes);
/* As cow_paging has them. */
int cowi_window_is_paged(const cow_dataptr *own);
int cowi_window_touch(void *self, const cow_dataptr *own, size_t nbytes, const cow_box *box);
int cowi_window_settle(void *self, const cow_dataptr *own, const cow_box *box);
size_t cowi_window_own_bytes(void *self, const cow_dataptr *own, size_t *regions, size_t *count);
size_t cowi_window_copied_bytes(void *self, const cow_dataptr *own);

#endif
