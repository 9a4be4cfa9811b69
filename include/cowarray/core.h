/* cowarray's core: memory that is shared by value, and copied when somebody writes.
 *
 * Plain C, no Python. Valid C11 and C++17. Every function may be called from any thread unless its comment says
 * otherwise. Functions that can fail return a cow_status and write their results through out-pointers, on success only.
 * They take an optional cow_error (may be NULL), which receives one line of text. A failure leaves everything as it was.
 *
 * src/core/protocol.md defines the words (allocation, share, reference, Storage, scope, pin) and gives the reason for
 * every lock and memory order.
 */
#ifndef COWARRAY_CORE_H
#define COWARRAY_CORE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A result that nobody looks at is a failure that nobody sees. */
#if defined(__cplusplus) && __cplusplus >= 201703L
#define COW_NODISCARD [[nodiscard]]
#elif defined(__GNUC__) || defined(__clang__)
#define COW_NODISCARD __attribute__((warn_unused_result))
#else
#define COW_NODISCARD
#endif

/* ---- status ------------------------------------------------------------------------------------------------------ */

typedef enum cow_status {
    COW_OK = 0,
    COW_ENOMEM,    /* an allocation failed */
    COW_EINVAL,    /* an argument breaks the function's contract */
    COW_EOVERFLOW, /* a size or a count does not fit */
    COW_EBUSY,     /* with COW_TRY: the call would have had to wait, or to copy a pinned Storage */
    COW_ECOPY,     /* with COW_NO_COPY: the call would have had to copy */
    COW_EMOVED,    /* the Storage's bytes were replaced while an overwrite scope was open */
    COW_EABSENT,   /* the allocation has no bytes now: fill it, then try again */
    COW_EPRESENT   /* fill: the allocation has bytes; another thread was first */
} cow_status;

typedef struct cow_error {
    char text[160]; /* NUL-terminated; written on failure only */
} cow_error;

/* A constant phrase for a status, never NULL. */
const char *cow_status_text(cow_status status);

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* A kind of memory. The table and self must outlive every byte that comes from them. The functions are called inside the
 * fork gate, so none of them may need a lock that a forking thread can hold (Python's GIL is one). */
typedef struct cow_allocator {
    const char *name;
    void *self;
    /* Returns nbytes > 0 bytes, aligned to alignment (a power of two, at least sizeof(void *)), or NULL if there are
     * none. */
    void *(*alloc)(void *self, size_t nbytes, size_t alignment);
    /* Frees what alloc returned for the same nbytes and alignment. */
    void (*free)(void *self, void *data, size_t nbytes, size_t alignment);
    /* Makes the first nbytes of data, which alloc has just returned, equal to those at source. Cannot fail. */
    void (*clone)(void *self, void *data, const void *source, size_t nbytes);
    /* NULL: a write to a shared allocation copies the whole window. */
    const struct cow_paging *paging;
} cow_allocator;

/* Alignment of every block of array bytes that the core allocates. */
#define COW_ALIGNMENT ((size_t)64)

/* The heap: sized, overflow-checked, with huge pages advised for large blocks. */
const cow_allocator *cow_heap(void);
/* Sets how many bytes of freed large blocks (256 KiB and up) the heap may keep for reuse; 64 MiB unless set. While blocks of
 * more than that are in use, it may keep as much as they have, unless the bound is 0. Frees what exceeds the bound. Returns
 * the previous bound. */
size_t cow_heap_keep(size_t nbytes);
/* The heap for those who do not tell the size of what they free: malloc's functions, with malloc's contracts, for one
 * another's blocks only. Large blocks are kept as those of cow_heap are. */
void *cow_heap_malloc(size_t nbytes);
void *cow_heap_calloc(size_t count, size_t nbytes);
void *cow_heap_realloc(void *data, size_t nbytes);
void cow_heap_free(void *data);

/* Memory that is only counted, for arrays without bytes: what it gives are addresses in a reserved region, each of its own,
 * and no byte there may be read or written. (A read by mistake finds zeros or faults; a write faults.) A clone copies
 * nothing. Bytes are on the account that the calling thread uses when they are taken, until they are freed. */
const cow_allocator *cow_nowhere(void);
/* Where the region is; no bytes, where the system grants none. For those who check that nobody touches it. */
void cow_nowhere_region(void **start, size_t *nbytes);

typedef struct cow_account cow_account;

typedef struct cow_account_figures {
    size_t live;     /* bytes that are taken now, on the account and on those below it */
    size_t peak;     /* the most that there were */
    uint64_t copied; /* bytes that clones were asked for */
} cow_account_figures;

/* A new account; what is on it is on the one above, too, if that is not NULL. Drop it when nobody uses it any more: it
 * lives as long as there are bytes on it. */
COW_NODISCARD cow_status cow_account_new(cow_account *above, cow_account **out, cow_error *err);
/* Copies by a thread that uses it are counted nowhere. To be said before anybody uses it. */
void cow_account_hush(cow_account *account);
/* NULL is allowed. */
void cow_account_drop(cow_account *account);
/* What the calling thread takes from now on is on this account: blocks of cow_nowhere, and frozen bases that its writes to
 * Storages of the heap make. NULL: on none. Returns the one before. */
cow_account *cow_account_use(cow_account *account);
void cow_account_read(const cow_account *account, cow_account_figures *out);

/* An owned handle on bytes. deleter may be NULL: nothing to free. Otherwise it is called once, by the thread that drops
 * the last reference, whichever that is, with none of the core's locks held. */
typedef struct cow_dataptr {
    void *data;
    void *context;
    void (*deleter)(void *data, void *context, size_t nbytes);
} cow_dataptr;

/* ---- paging: a write costs the pages it writes ------------------------------------------------------------------- */

/* What a writer is about to touch: elements of a window, in bytes. */
typedef struct cow_box {
    ptrdiff_t offset; /* of the element with indices 0 */
    ptrdiff_t itemsize;
    int ndim;              /* above 64: as if nothing were said */
    const ptrdiff_t *dims; /* the shape, then the strides */
    size_t most;           /* no more pages of it than so many elements touch, wherever they lie; SIZE_MAX: all of it */
} cow_box;

/* A window for a writer, that equals the same window of an allocation to which nobody writes meanwhile. */
typedef struct cow_sharing {
    cow_dataptr source; /* the allocation */
    size_t allocated;
    size_t offset; /* of the window in it */
    size_t nbytes;
    const cow_box *box; /* in the window; NULL: anything */
    int may_wait;       /* for other threads that do the same */
    uint64_t will_earn; /* for would_share: bytes of lazy copies that a write would earn first */
    void **shadow;      /* what is kept beside the allocation, NULL at first; it equals the allocation */
    cow_dataptr made;   /* out: the handle on the window */
    size_t copied; /* out: bytes, those of a base that was made for it and of pages that the box touches included */
    size_t takes;  /* out, of would_share: bytes of memory, about */
} cow_sharing;

/* How an allocator gives a writer bytes of his own without copying all of them. self is the allocator's. share, settle,
 * would_share and own_bytes are called inside the fork gate, and the others anywhere. */
typedef struct cow_paging {
    /* Smaller windows are copied, and nobody is asked. */
    size_t least;
    /* 1: made is a handle, whose bytes count as copied already. 0: nothing done; copy the window. */
    int (*share)(void *self, cow_sharing *sharing);
    /* The bytes beside which this was kept are about to change, or to go. */
    void (*unshadow)(void *self, void *shadow);
    /* 1 if share has made it. */
    int (*is_paged)(const cow_dataptr *own);
    /* Counts a write to bytes that share has made; 1 if somebody should look at them (settle). Called with the micro lock
     * held. */
    int (*touch)(void *self, const cow_dataptr *own, size_t nbytes, const cow_box *box);
    /* Looks at bytes that nobody writes to meanwhile. 0: they are better copied to plain memory; the next call says so
     * no more. */
    int (*settle)(void *self, const cow_dataptr *own, const cow_box *box);
    /* So much of lazy copies is behind us: written to by the calling thread, data NULL; or dropped, with the bytes at data.
     * A window was copied as a whole, to data. */
    void (*earn)(void *self, const void *data, size_t nbytes);
    void (*spend)(void *self, const void *data, size_t nbytes);
    /* 1 if share would, now; 2 if it had to make a base first. */
    int (*would_share)(void *self, cow_sharing *sharing);
    /* Bytes that no base has: of pages that were written to, or copied. If count is not NULL, also of each region of
     * 2 MiB, as far as there is room for *count of them; then *count is how many there are. */
    size_t (*own_bytes)(void *self, const cow_dataptr *own, size_t *regions, size_t *count);
    /* What share has said was copied for it. */
    size_t (*copied_bytes)(void *self, const cow_dataptr *own);
} cow_paging;

/* How many pages of 4 KiB a writer touches at most in a window of nbytes. */
size_t cow_box_pages(const cow_box *box, size_t nbytes);

typedef enum cow_paging_mode {
    COW_PAGING_OFF,
    COW_PAGING_LEDGER, /* paging never makes a program dearer than 1.25 of what copies at once would have cost */
    COW_PAGING_EAGER   /* from the first copy on */
} cow_paging_mode;

typedef struct cow_paging_policy {
    cow_paging_mode mode;
    size_t allowance; /* with LEDGER: bytes of copies that may be risked beyond it */
    int small_pages;  /* page where the system has no pages of 2 MiB, too, whatever that costs */
} cow_paging_policy;

/* Sets how the heap pages from now on. Returns the policy before. */
cow_paging_policy cow_paging_use(cow_paging_policy policy);
/* The policy that is in force. */
cow_paging_policy cow_paging_now(void);

typedef struct cow_paging_figures {
    uint64_t page_copies; /* windows that were shared by the page instead of copied */
    uint64_t
        pages_copied;  /* pages that were copied for it at once: those that were written to since the base was made */
    uint64_t bases;    /* files of frozen bytes that were made */
    uint64_t filled;   /* bytes that were copied to them */
    uint64_t promised; /* pages that writers said they would touch when their window was made: the kernel copies them */
    uint64_t commits;  /* regions of 2 MiB that were put into a new base because they were copied too often */
    uint64_t give_ups; /* paged windows that were copied to plain memory because too much of them was written */
    size_t base_bytes; /* in bases that exist now */
    size_t base_files; /* open descriptors */
    size_t maps;       /* maps of windows that exist now */
    uint64_t earned;   /* by lazy copies, in bytes of a plain copy: see ledger.c */
    uint64_t spent;    /* on writes, with what windows that exist now may still cost */
} cow_paging_figures;

void cow_paging_read(cow_paging_figures *out);

/* Bytes of a file from offset on, mapped privately: whoever writes changes pages of its own, and not the file. Lazy clones
 * share it by the page. The file stays open until the last of them has let go of it. COW_EINVAL: the system cannot. The
 * values of pages that nobody has written to are the file's, whoever changes it. */
COW_NODISCARD cow_status cow_paging_map_file(int descriptor, size_t offset, size_t nbytes, cow_dataptr *out,
                                             cow_error *err);

/* ---- Storage ----------------------------------------------------------------------------------------------------- */

/* One alias set: one share of an allocation, and a byte window of it. The caller keeps a Storage alive for as long as
 * any thread uses it. Freeing it ends every use of it; only const scopes may stay open. */
typedef struct cow_storage cow_storage;

enum {
    COW_TRY = 1u,     /* never wait and never copy what is pinned: COW_EBUSY instead */
    COW_NO_COPY = 2u, /* never copy: COW_ECOPY instead */
    COW_QUIET = 8u,   /* lazy clone: not counted in cow_stats; for a share that lasts only while something is read */
    COW_FOREIGN = 4u, /* adopt: the bytes are somebody else's; they are never written and never stolen */
    COW_READS = 16u   /* lazy clone: its address is read from at once, without a scope. COW_EABSENT where the bytes are
                         absent, and else the address is where they are */
};

/* Makes a Storage with nbytes fresh, uninitialized bytes of its own. nbytes may be 0. */
COW_NODISCARD cow_status cow_storage_new(const cow_allocator *allocator, size_t nbytes, cow_storage **out,
                                         cow_error *err);

/* Makes a Storage over existing bytes. It owns ptr on success only; after a failure the caller still does. flags: 0 or
 * COW_FOREIGN. If a write copies, the copy comes from allocator. */
COW_NODISCARD cow_status cow_storage_adopt(const cow_allocator *allocator, cow_dataptr ptr, size_t nbytes,
                                           unsigned flags, cow_storage **out, cow_error *err);

/* Frees the Storage and drops its share. Never waits. May call the deleter of the bytes. NULL is allowed. No mutable or
 * overwrite scope of the Storage may be open. */
void cow_storage_free(cow_storage *storage);

/* Makes a new Storage over nbytes of the source's window, from offset, that shares the source's allocation. Logically a
 * read. While the source is pinned, the result is an eager copy instead. While another thread materializes the source,
 * the call waits. With COW_TRY, both cases are COW_EBUSY. */
COW_NODISCARD cow_status cow_lazy_clone(cow_storage *source, size_t offset, size_t nbytes, unsigned flags,
                                        cow_storage **out, cow_error *err);

/* Bytes of the window. */
size_t cow_storage_nbytes(const cow_storage *storage);
/* Bytes of the whole allocation that the window lies in. */
size_t cow_storage_allocated(cow_storage *storage);
/* How many Storages share the allocation, including this one (and overwrite scopes). The figure may change at any moment. */
size_t cow_storage_shares(cow_storage *storage);
/* The first byte of the whole allocation: an identity to compare, not a pointer to follow. NULL while the bytes are absent,
 * or if too many scopes are open to look. May change at any moment. While it looks, an eviction may find that the bytes are
 * being read. */
const void *cow_storage_allocation(cow_storage *storage);
/* 1 while a thread gives the Storage bytes of its own. */
int cow_storage_is_busy(cow_storage *storage);
/* 1 if both share one allocation. May change at any moment, like the figure. */
int cow_storage_shares_with(cow_storage *storage, cow_storage *other);
/* How many mutable scopes and writable exports are open. */
size_t cow_storage_pins(const cow_storage *storage);
/* 1 if a write needs neither a copy nor a steal. 0 while the bytes are absent. */
int cow_storage_is_sole(cow_storage *storage);
/* 1 if a write would have to copy because the bytes belong to somebody else. */
int cow_storage_is_foreign(cow_storage *storage);
/* Bytes that a write would copy if it happened now: 0 or the window. Of absent bytes: if they were filled now. */
size_t cow_storage_write_cost(cow_storage *storage);
/* 1 if the Storage has the window by the page, alone or with others. */
int cow_storage_is_paged(cow_storage *storage);
/* 1 if a write of one element would cost pages, and not the window, if it happened now; 2 if the allocation would have
 * to be copied to a base first, once for all who share it. */
int cow_storage_writes_by_page(cow_storage *storage);
/* About how many bytes of memory a write of so many pages would take if it happened now: none, the window, or those pages
 * with what is copied or frozen for them first. */
size_t cow_storage_write_takes(cow_storage *storage, size_t pages);
/* Bytes of the window that are in memory for its sake: all of it, or, by the page, those that no frozen base has. */
size_t cow_storage_own_bytes(cow_storage *storage);
/* The same of each region of 2 MiB of the memory that a window by the page lies in. Room for count of them. Returns how
 * many were told; 0 if it is not by the page. */
size_t cow_storage_own_regions(cow_storage *storage, size_t *regions, size_t count);
/* Bytes that were copied to give the Storage the bytes that it has, if it has them from a copy: what is counted as copied. */
size_t cow_storage_copied_bytes(cow_storage *storage);
/* Declares that somebody without a scope reads the bytes, and that the Storage is about to leave them. From now on no
 * sharer steals them, each one copies; and nobody evicts them. They are freed as usual. Of absent bytes: nothing. */
void cow_storage_spare(cow_storage *storage);
/* Where the window starts now. An identity to compare, not a pointer to follow: only a scope keeps it valid. If the bytes
 * are or were absent: where the last scope on this Storage found them, or where a fill through it put them; NULL if there
 * was neither since it was born absent or evicted. */
const void *cow_storage_address(const cow_storage *storage);

/* ---- absence ----------------------------------------------------------------------------------------------------- */

/* An allocation may have no bytes for a time. It keeps its size, its sharers and their windows, and is shared and freed as
 * ever: a lazy clone of an absent Storage is absent (with COW_READS: COW_EABSENT). Scopes do not begin: COW_EABSENT, from every sharer. Then somebody
 * fills it, which all sharers see, and the scope is tried again. */

/* Makes a Storage without bytes. nbytes may be 0. */
COW_NODISCARD cow_status cow_storage_new_absent(const cow_allocator *allocator, size_t nbytes, cow_storage **out,
                                                cow_error *err);
/* 1 if there are no bytes. May change at any moment. */
int cow_storage_is_absent(cow_storage *storage);
/* Frees the bytes of the whole allocation, whose values the caller can bring back. managed: how many of the Storages that
 * share it the caller answers for. COW_EBUSY, and nothing done, unless they are all that share it and nobody uses the
 * bytes: no scope is open on any of them or was left behind, nobody copies or steals, and no fork is in progress. Waits as
 * little as COW_TRY. COW_EABSENT: there are no bytes. COW_EINVAL: they are foreign. May call the deleter of the bytes. */
COW_NODISCARD cow_status cow_storage_evict(cow_storage *storage, size_t managed, cow_error *err);
/* As evict, but the bytes are the caller's from here on: cow_storage_allocated tells how many. out is written on success
 * only. Calls no deleter. */
COW_NODISCARD cow_status cow_storage_take(cow_storage *storage, size_t managed, cow_dataptr *out, cow_error *err);
/* Gives the absent allocation bytes: all of them, not the Storage's window alone, so nbytes must be what
 * cow_storage_allocated says. It owns ptr on success only; after a failure the caller still does. COW_EPRESENT: it has bytes
 * already; of several threads that fill it, one succeeds. Waits only for a fork. */
COW_NODISCARD cow_status cow_storage_fill(cow_storage *storage, cow_dataptr ptr, size_t nbytes, cow_error *err);

/* ---- scopes ------------------------------------------------------------------------------------------------------ */

/* Read access. The scope has a reference: data stays valid memory until the end, whatever happens to the Storage. While
 * the Storage lives, the values stay as well, except for what is written in place to this very Storage: after the
 * Storage has moved on to bytes of its own, nobody writes to the bytes that the scope reads. */
typedef struct cow_const_scope {
    const void *data;
    size_t nbytes;
    void *storage; /* private to the core */
    void *context; /* private to the core */
} cow_const_scope;

/* Never waits for a copy. Fails only if a context cannot be allocated, if too many scopes are open, or with COW_EABSENT. */
COW_NODISCARD cow_status cow_const_begin(cow_storage *storage, cow_const_scope *out, cow_error *err);
/* May call the deleter of the bytes. */
void cow_const_end(cow_const_scope *scope);

/* Write access. From begin on the Storage has bytes of its own, and it is pinned until the end. */
typedef struct cow_mutable_scope {
    void *data;
    size_t nbytes;
    cow_storage *storage;
} cow_mutable_scope;

/* If the allocation is shared, first copies or steals. Waits for another writer of the same Storage that is doing so,
 * and, before a steal, for copies in progress. flags: COW_TRY, COW_NO_COPY. May call the deleter of the old bytes. */
COW_NODISCARD cow_status cow_mutable_begin(cow_storage *storage, unsigned flags, cow_mutable_scope *out,
                                           cow_error *err);
/* The same for a writer who says what it will touch, and touches nothing else: a large Storage may then be given bytes by
 * the page. box: NULL for anything. With COW_TRY also COW_EBUSY where the bytes should be looked at first, which takes
 * time; with COW_NO_COPY alone they are not looked at. */
COW_NODISCARD cow_status cow_mutable_begin_at(cow_storage *storage, const cow_box *box, unsigned flags,
                                              cow_mutable_scope *out, cow_error *err);
void cow_mutable_end(cow_mutable_scope *scope);

/* Write access for a writer that gives every byte of the window a new value, computed from the old ones or not. If the
 * allocation is shared, data is fresh and uninitialized, nothing is copied, and nothing changes until commit; the scope
 * has a share, so the old values stay. Otherwise data == old, and the scope is a mutable one. */
typedef struct cow_overwrite_scope {
    void *data;
    const void *old;
    size_t nbytes;
    cow_storage *storage;
    void *context; /* private to the core */
} cow_overwrite_scope;

/* flags: COW_TRY. */
COW_NODISCARD cow_status cow_overwrite_begin(cow_storage *storage, unsigned flags, cow_overwrite_scope *out,
                                             cow_error *err);
/* Puts the new bytes in place and ends the scope. If pinned is not NULL, it becomes an open mutable scope on them, with
 * nothing in between. COW_EMOVED: the Storage's bytes were replaced while the new values were computed, and the bytes
 * that it has now may have been exported. The scope is then still open: write its values through a mutable scope, then
 * abort it. Waits only for a fork. */
COW_NODISCARD cow_status cow_overwrite_commit(cow_overwrite_scope *scope, cow_mutable_scope *pinned, cow_error *err);
/* Ends the scope and drops the fresh bytes, if there are any. */
void cow_overwrite_abort(cow_overwrite_scope *scope);

/* ---- figures ----------------------------------------------------------------------------------------------------- */

typedef struct cow_stats {
    uint64_t lazy_clones;  /* Storages made by sharing an allocation */
    uint64_t copies;       /* materializations that copied a window, or pages of it */
    uint64_t bytes_copied; /* by copies and eager copies */
    uint64_t steals;       /* materializations by the last sharer */
    uint64_t overwrites;   /* materializations into fresh bytes, without a copy */
    uint64_t eager_copies; /* requested copies that were made at once */
} cow_stats;

/* Totals since the start or the last reset. Exact once the counting threads have stopped. */
void cow_stats_read(cow_stats *out);
void cow_stats_reset(void);
/* For higher layers, which may make eager copies themselves. */
void cow_stats_count_eager(size_t nbytes);

#ifdef __cplusplus
}
#endif

#endif
