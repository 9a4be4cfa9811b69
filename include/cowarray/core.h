/* cowarray's core: memory that is shared by value and copied on write.
 *
 * Plain C, no Python. Valid C11 and C++17. Every function may be called from any thread unless its comment says
 * otherwise. Functions that can fail return a cow_status and write their results through out-pointers, on success only.
 * They take an optional cow_error (may be NULL), which receives one line of text. A failure leaves everything as it was.
 *
 * src/core/protocol.md defines the words (allocation, share, reference, Storage, scope, pin) and gives the reason for
 * every lock and memory order.
 *
 * This is the only header that a user of the core includes; each section can be read alone.
 */
#ifndef COWARRAY_CORE_H
#define COWARRAY_CORE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An ignored status hides a failure. */
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
    COW_EBUSY,     /* with COW_TRY: the call would have to wait, or to copy a pinned Storage */
    COW_ECOPY,     /* with COW_NO_COPY: the call would have to copy */
    COW_EMOVED,    /* the Storage's bytes were replaced while an overwrite scope was open */
    COW_EABSENT,   /* the allocation has no bytes now: fill it, then retry */
    COW_EPRESENT,  /* fill: the allocation already has bytes; another thread was first */
    COW_EREFUSED   /* pages were requested but are not available */
} cow_status;

typedef struct cow_error {
    char text[160]; /* NUL-terminated; written on failure only */
} cow_error;

/* A constant phrase for a status, never NULL. */
const char *cow_status_text(cow_status status);

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* A kind of memory. The table and self must outlive every byte that comes from them. The functions are called inside the
 * fork gate, so none of them may take a lock that a forking thread can hold, such as Python's GIL. */
typedef struct cow_allocator {
    const char *name;
    void *self;
    /* Returns nbytes (> 0) bytes aligned to alignment (a power of two, at least sizeof(void *)), or NULL if out of
     * memory. */
    void *(*alloc)(void *self, size_t nbytes, size_t alignment);
    /* Frees a block that alloc returned for the same nbytes and alignment. */
    void (*free)(void *self, void *data, size_t nbytes, size_t alignment);
    /* Copies nbytes from source to data, a block that alloc has just returned. Cannot fail. */
    void (*clone)(void *self, void *data, const void *source, size_t nbytes);
    /* NULL: a write to a shared allocation copies the whole window. */
    const struct cow_paging *paging;
} cow_allocator;

/* Alignment of every block of array bytes that the core allocates. */
#define COW_ALIGNMENT ((size_t)64)

/* The heap: sized, overflow-checked, with huge pages advised for large blocks. */
const cow_allocator *cow_heap(void);
/* Sets how many bytes of freed large blocks (256 KiB and up) the heap may keep for reuse; 64 MiB by default. While more
 * bytes than the bound are in use, the heap may keep as many as are in use, unless the bound is 0. Frees kept blocks
 * beyond the bound. Returns the previous bound. */
size_t cow_heap_keep(size_t nbytes);
/* The heap behind malloc's interface, in which free takes no size. Contracts are malloc's, except that blocks are
 * aligned to COW_ALIGNMENT. Free a block with these functions only. Keeps large blocks for reuse, like cow_heap. */
void *cow_heap_malloc(size_t nbytes);
void *cow_heap_calloc(size_t count, size_t nbytes);
void *cow_heap_realloc(void *data, size_t nbytes);
void cow_heap_free(void *data);

/* Memory that is only counted, for arrays without bytes. Each block is a distinct address in a reserved region whose
 * bytes must not be read or written: a stray read finds zeros or faults, a write faults. Regions are added as blocks
 * need them, small ones under a limit on address space. A clone copies nothing. Bytes are charged, until freed, to the
 * account that the allocating thread uses at the time. */
const cow_allocator *cow_nowhere(void);
/* The address and size of the first region, to check that nobody touches it; 0 bytes if the system grants none. */
void cow_nowhere_region(void **start, size_t *nbytes);

typedef struct cow_account cow_account;

typedef struct cow_account_figures {
    size_t live;     /* bytes charged now, to this account and to those below it */
    size_t peak;     /* the highest value of live */
    uint64_t copied; /* bytes that clones were asked to copy */
} cow_account_figures;

/* Creates an account. Its charges also go to `above`, unless that is NULL. Drop it when no thread uses it any more; it
 * lives on while bytes are charged to it. */
COW_NODISCARD cow_status cow_account_new(cow_account *above, cow_account **out, cow_error *err);
/* Stops counting the copies of threads that use the account. Call it before any thread uses the account. */
void cow_account_hush(cow_account *account);
/* NULL is allowed. */
void cow_account_drop(cow_account *account);
/* Charges the calling thread's allocations to this account from now on: blocks of cow_nowhere, and frozen bases that
 * its writes to Storages of the heap create. NULL: to no account. Returns the previous account. */
cow_account *cow_account_use(cow_account *account);
void cow_account_read(const cow_account *account, cow_account_figures *out);

/* An owned handle on bytes. A NULL deleter means nothing to free. Otherwise the thread that drops the last reference,
 * whichever that is, calls it once, holding none of the core's locks. */
typedef struct cow_dataptr {
    void *data;
    void *context;
    void (*deleter)(void *data, void *context, size_t nbytes);
} cow_dataptr;

/* ---- paging: a write costs the pages it writes ------------------------------------------------------------------- */

/* The elements of a window that a writer is about to touch, in bytes. The writer touches nothing else: the core puts
 * aside pages that others keep of these bytes by this description. */
typedef struct cow_box {
    ptrdiff_t offset; /* of the element with indices 0 */
    ptrdiff_t itemsize;
    int ndim;              /* above 64: the box describes nothing */
    const ptrdiff_t *dims; /* the shape, then the strides */
    size_t most;           /* how many of its elements are touched, in any places; SIZE_MAX: all */
} cow_box;

/* The allocations that descend from one by copies, and a ledger of their writes; private to the core. */
typedef struct cow_family cow_family;

/* Why a write is not paged. */
typedef enum cow_page_refusal {
    COW_PAGES_GRANTED,
    COW_PAGES_OFF,   /* the mode says so */
    COW_PAGES_SMALL, /* the window has fewer than 4 MiB, or, at the family's first write, the allocation than 32 MiB */
    COW_PAGES_UNSUITABLE, /* the bytes are foreign or misaligned for pages, or the allocator does not page */
    COW_PAGES_MANY,       /* the writer touches too many pages, or does not describe them */
    COW_PAGES_DEAR,       /* the family has spent its budget */
    COW_PAGES_GIVEN_UP,   /* recently: the next few windows are copied whole */
    COW_PAGES_DENIED      /* by the system, or fills take too long */
} cow_page_refusal;

/* A request for a writer's window, equal to the same window of an allocation that nobody writes to meanwhile. */
typedef struct cow_sharing {
    cow_dataptr source; /* the allocation */
    size_t allocated;
    size_t offset; /* of the window in it */
    size_t nbytes;
    const cow_box *box;       /* in the window; NULL: the writer may touch anything */
    cow_family *family;       /* of the source; NULL: nothing is paged */
    int instead_of_steal;     /* 1: the writer could steal the source, at no cost */
    int may_wait;             /* 1: may wait for other threads that share the same source */
    uint64_t will_earn;       /* for would_share: bytes of lazy copies that a write would earn first */
    void **shadow;            /* kept beside the allocation, whose bytes it equals; NULL at first */
    cow_dataptr made;         /* out: the handle on the window */
    size_t copied;            /* out: bytes, including a base made for it and the pages that the box touches */
    size_t takes;             /* out, of would_share: about how many bytes of memory it takes */
    cow_page_refusal refusal; /* out, of would_share: why not */
} cow_sharing;

/* A part of an allocation, to compare with a part of another one. */
typedef struct cow_compared {
    cow_dataptr bytes; /* of the allocation */
    size_t allocated;
    size_t offset; /* of the part */
    void *shadow;  /* of the allocation, or NULL */
} cow_compared;

/* Receives a run of bytes. */
typedef void (*cow_run_function)(void *to, size_t start, size_t nbytes);

/* How an allocator gives a writer its own bytes without copying them all. self is the allocator's. share, settle,
 * would_share, own_bytes and differences are called inside the fork gate, the others anywhere. */
typedef struct cow_paging {
    /* Smaller windows are copied without asking. */
    size_t least;
    /* 1: `made` is the handle; count `copied` bytes as copied. 0: nothing was done; copy the window. */
    int (*share)(void *self, cow_sharing *sharing);
    /* Drops a shadow whose bytes are about to change or to be freed. */
    void (*unshadow)(void *self, void *shadow);
    /* 1 if share made these bytes. */
    int (*is_paged)(const cow_dataptr *own);
    /* Counts a write to bytes that share made. 1: settle should be called. Called with the micro lock held. */
    int (*touch)(void *self, const cow_dataptr *own, size_t nbytes, const cow_box *box);
    /* Looks at bytes that nobody writes to meanwhile. 0: copy them to plain memory; later calls do not say so again. */
    int (*settle)(void *self, const cow_dataptr *own, const cow_box *box);
    /* Returns a reference to a family for bytes that have none yet: their window's, or a new one. NULL: none. */
    cow_family *(*family)(void *self, const cow_dataptr *bytes);
    /* 1 if share would succeed now, 2 if it would have to make a base first, 0 otherwise. */
    int (*would_share)(void *self, cow_sharing *sharing);
    /* Returns how many bytes no base has: pages that were written or copied. If count is not NULL, regions receives the
     * same for each region of 2 MiB, at most *count of them; *count becomes the number of entries set. */
    size_t (*own_bytes)(void *self, const cow_dataptr *own, size_t *regions, size_t *count);
    /* Returns the `copied` of the share that made these bytes. */
    size_t (*copied_bytes)(void *self, const cow_dataptr *own);
    /* Calls found for each run where two parts of nbytes may differ, like cow_storage_differences. NULL: unknown. */
    void (*differences)(void *self, const cow_compared *a, const cow_compared *b, size_t nbytes, cow_run_function found,
                        void *to);
    /* How sharers keep their values when a writer takes over their bytes; private to the core. NULL: no writer does. */
    const struct cow_pasts *pasts;
} cow_paging;

/* An upper bound of how many 4 KiB pages of a window of nbytes the box touches. */
size_t cow_box_pages(const cow_box *box, size_t nbytes);

typedef enum cow_paging_mode {
    COW_PAGING_OFF,
    COW_PAGING_LEDGER, /* while a family pays at most 1.25 times the cost of eager copies */
    COW_PAGING_EAGER   /* from the first copy on */
} cow_paging_mode;

#define COW_PAGING_ALLOWANCE ((size_t)512 << 20)

typedef struct cow_paging_policy {
    cow_paging_mode mode;
    size_t allowance; /* with LEDGER: bytes of copies that all families together may risk beyond that bound at once */
    int small_pages;  /* use pages of 4 KiB, so that paging works on systems without pages of 2 MiB */
} cow_paging_policy;

/* Sets how the heap pages from now on. Returns the previous policy. */
cow_paging_policy cow_paging_use(cow_paging_policy policy);
/* The policy in force. */
cow_paging_policy cow_paging_now(void);

typedef struct cow_paging_figures {
    uint64_t page_copies;  /* windows shared by the page instead of copied */
    uint64_t pages_copied; /* at once, for those windows: pages written since their base was made */
    uint64_t bases;        /* files of frozen bytes, created so far */
    uint64_t filled;       /* bytes copied to bases */
    uint64_t promised;     /* pages that writers announced when their window was made; the kernel copies them */
    uint64_t commits;      /* regions of 2 MiB put into a new base because they were copied too often */
    uint64_t give_ups;     /* paged windows copied to plain memory because too much of them was written */
    size_t base_bytes;     /* in bases that exist now */
    size_t base_files;     /* open descriptors */
    size_t maps;           /* maps of windows that exist now */
    uint64_t earned;       /* by lazy copies, in bytes of a plain copy: see family.h */
    uint64_t spent;        /* on writes, including what windows that exist now may still cost */
} cow_paging_figures;

void cow_paging_read(cow_paging_figures *out);

/* Maps nbytes of a file privately, starting at offset: writes change private pages, not the file. Lazy clones share the
 * map by the page. The file stays open until the last window on it ends. Unwritten pages show the file, including later
 * writes by others. kept: an owner of the file's bytes, whose deleter is called with nbytes 0 once the last window is
 * gone; NULL: none. COW_EINVAL: the descriptor is not a file, or the file is too short. COW_ENOMEM: the system refuses
 * the map. If the call fails, the owner stays the caller's. */
COW_NODISCARD cow_status cow_paging_map_file(int descriptor, size_t offset, size_t nbytes, const cow_dataptr *kept,
                                             cow_dataptr *out, cow_error *err);

/* ---- Storage ----------------------------------------------------------------------------------------------------- */

/* One alias set: one share of an allocation, and a byte window of it. The caller keeps a Storage alive while any thread
 * uses it. Freeing it ends all use of it; only const scopes may stay open. */
typedef struct cow_storage cow_storage;

enum {
    COW_TRY = 1u,     /* never wait and never copy what is pinned: COW_EBUSY instead */
    COW_NO_COPY = 2u, /* never copy: COW_ECOPY instead. Paged writes may still copy pages */
    COW_FOREIGN = 4u, /* adopt: the bytes belong to somebody else; they are never written and never stolen */
    COW_QUIET = 8u,   /* lazy clone: not counted in cow_stats; for a share that lasts only while something is read */
    COW_READS = 16u   /* lazy clone: its address, which is where the bytes are, is read at once, without a scope;
                         COW_EABSENT if they are absent. It is a reader, as a scope is, until it ends or gets other
                         bytes */
};

/* Makes a Storage with nbytes uninitialized bytes, which may be 0. */
COW_NODISCARD cow_status cow_storage_new(const cow_allocator *allocator, size_t nbytes, cow_storage **out,
                                         cow_error *err);

/* Makes a Storage over existing bytes. It owns ptr on success; after a failure the caller still does. flags: 0 or
 * COW_FOREIGN. Copies that writes make come from allocator. */
COW_NODISCARD cow_status cow_storage_adopt(const cow_allocator *allocator, cow_dataptr ptr, size_t nbytes,
                                           unsigned flags, cow_storage **out, cow_error *err);

/* Frees the Storage and drops its share. Never waits for a writer; waits for a fork or another reader only if a writer
 * has taken over the bytes that it shared, or it has taken over bytes of others. May call the deleter of the bytes.
 * NULL is allowed. No mutable or overwrite scope of the Storage may be open. */
void cow_storage_free(cow_storage *storage);

/* Makes a Storage over nbytes of the source's window, from offset, sharing the source's allocation. Logically a read.
 * While the source is pinned, the result is an eager copy instead. While another thread materializes the source, the
 * call waits. With COW_TRY, both cases return COW_EBUSY. */
COW_NODISCARD cow_status cow_lazy_clone(cow_storage *source, size_t offset, size_t nbytes, unsigned flags,
                                        cow_storage **out, cow_error *err);

/* Bytes of the window. */
size_t cow_storage_nbytes(const cow_storage *storage);
/* Bytes of the whole allocation that the window lies in. */
size_t cow_storage_allocated(cow_storage *storage);
/* How many Storages and overwrite scopes share the allocation, including this one. May change at any moment. */
size_t cow_storage_shares(cow_storage *storage);
/* The first byte of the whole allocation: an identity to compare, not a pointer to follow. NULL while the bytes are
 * absent, or if too many scopes are open. May change at any moment. The call briefly counts as a reader, so an eviction
 * at the same time may return COW_EBUSY. */
const void *cow_storage_allocation(cow_storage *storage);
/* 1 while a thread gives the Storage other bytes. */
int cow_storage_is_busy(cow_storage *storage);
/* 1 if both share one allocation. May change at any moment. */
int cow_storage_shares_with(cow_storage *storage, cow_storage *other);
/* How many mutable scopes and writable exports are open. */
size_t cow_storage_pins(const cow_storage *storage);
/* 1 if a write needs neither a copy nor a steal. 0 while the bytes are absent. */
int cow_storage_is_sole(cow_storage *storage);
/* 1 if a write would have to copy because the bytes belong to somebody else. */
int cow_storage_is_foreign(cow_storage *storage);
/* Bytes that a write would copy if it happened now: 0 or the window. Of absent bytes: if they were filled now. */
size_t cow_storage_write_cost(cow_storage *storage);
/* 1 if a write that describes what it touches may move the Storage: to a copy, or to pages of an existing base. */
int cow_storage_write_moves(cow_storage *storage);
/* 1 if the Storage has the window by the page, alone or with others. */
int cow_storage_is_paged(cow_storage *storage);
/* 1 if a write of one element would now cost pages instead of the window; 2 if the allocation would first have to be
 * copied to a base, once for all sharers. */
int cow_storage_writes_by_page(cow_storage *storage);
/* Why a write of one element would now not be paged. COW_PAGES_GRANTED: it would be, or it would copy nothing. */
cow_page_refusal cow_storage_page_refusal(cow_storage *storage);
/* Makes the Storage paged, on a new base, at the cost of one copy, unless its bytes are paged already. It stops sharing
 * them with others; bytes already paged, only if the system grants a window. From then on all writes in its family are
 * paged, whatever the mode and the ledger say. COW_EREFUSED: the Storage is too small, or the system grants no pages.
 * COW_EBUSY: it is pinned. COW_EABSENT. A failure changes nothing. */
COW_NODISCARD cow_status cow_storage_page(cow_storage *storage, cow_error *err);
/* About how many bytes of memory a write to that many pages would take now: none, the window, or those pages and the
 * bytes copied or frozen for them first. */
size_t cow_storage_write_takes(cow_storage *storage, size_t pages);
/* Bytes in memory for this window alone: all of it, or, if it is paged, those that no frozen base has. */
size_t cow_storage_own_bytes(cow_storage *storage);
/* The same for each region of 2 MiB that a paged window lies in; regions has room for count. Returns how many entries
 * were written; 0 if the window is not paged. */
size_t cow_storage_own_regions(cow_storage *storage, size_t *regions, size_t count);
/* If a write gave the Storage its present bytes: how many bytes it copied for that, as cow_stats counts them. */
size_t cow_storage_copied_bytes(cow_storage *storage);
/* Finds where nbytes of a, from a_start on, may differ from those of b, from b_start on: calls found for each run, in
 * order, with starts relative to a_start. All other bytes are equal. Compares what the Storages share, and their
 * private pages, without reading bytes. Nobody may write to either meanwhile. COW_EINVAL: a window is shorter.
 * COW_EABSENT. */
COW_NODISCARD cow_status cow_storage_differences(cow_storage *a, size_t a_start, cow_storage *b, size_t b_start,
                                                 size_t nbytes, cow_run_function found, void *to, cow_error *err);
/* Declares that a reader without a scope uses the bytes, which the Storage is about to leave. From now on every sharer
 * copies them, none steals them, and nobody evicts them. They are freed as usual. Does nothing to absent bytes. */
void cow_storage_spare(cow_storage *storage);
/* The window's current address: an identity to compare, not a pointer to follow. Only a scope keeps it valid. If the
 * bytes are or were absent: the address where the last scope on this Storage found them, or where a fill through it put
 * them; NULL if neither has happened since it was created absent or evicted. */
const void *cow_storage_address(const cow_storage *storage);

/* ---- absence ----------------------------------------------------------------------------------------------------- */

/* An allocation may have no bytes for a time. It keeps its size, its sharers and their windows, and is shared and freed
 * as usual: a lazy clone of an absent Storage is absent (with COW_READS: COW_EABSENT). Scopes on any sharer fail with
 * COW_EABSENT. Once the allocation is filled, for all sharers at once, a scope can be retried. */

/* Makes a Storage without bytes. nbytes may be 0. */
COW_NODISCARD cow_status cow_storage_new_absent(const cow_allocator *allocator, size_t nbytes, cow_storage **out,
                                                cow_error *err);
/* 1 if there are no bytes. May change at any moment. */
int cow_storage_is_absent(cow_storage *storage);
/* 1 if a writer has taken over the bytes: the Storage then has none until it is read, but does not count as absent. May
 * change at any moment. */
int cow_storage_has_past(cow_storage *storage);
/* Frees the bytes of the whole allocation; the caller can restore their values. managed: how many of the sharing
 * Storages the caller answers for. COW_EBUSY, and no change, unless these are all the sharers and nobody uses the
 * bytes: no scope is open on any or was left behind, nobody copies or steals, and no fork is in progress. Never waits.
 * COW_EABSENT: there are no bytes. COW_EINVAL: they are foreign. May call the deleter of the bytes. */
COW_NODISCARD cow_status cow_storage_evict(cow_storage *storage, size_t managed, cow_error *err);
/* Like evict, but hands the bytes to the caller, who must not write to them: others may still rely on their values.
 * Calls no deleter; cow_storage_allocated tells their number. */
COW_NODISCARD cow_status cow_storage_take(cow_storage *storage, size_t managed, cow_dataptr *out, cow_error *err);
/* Gives the absent allocation its bytes: all of them, not just the Storage's window, so nbytes must equal
 * cow_storage_allocated. It owns ptr on success; after a failure the caller still does. COW_EPRESENT: it already has
 * bytes; of several threads that fill it, one succeeds. Waits only for a fork. */
COW_NODISCARD cow_status cow_storage_fill(cow_storage *storage, cow_dataptr ptr, size_t nbytes, cow_error *err);

/* ---- grounds ----------------------------------------------------------------------------------------------------- */

/* A snapshot of a Storage at its owner's last look, as a base that the owner may change. Pages written since are found
 * without a log of writes, and cost nothing once the ground has them. Lazy clones of the Storage keep their values:
 * every window that still sees a page of the ground gets a copy before the page changes. */
typedef struct cow_ground cow_ground;

/* Creates a ground that equals the source, and a Storage of the same value on it. Makes one copy. COW_EREFUSED: the
 * source is empty, or the system grants no pages. COW_EABSENT. */
COW_NODISCARD cow_status cow_ground_new(cow_storage *source, cow_ground **ground, cow_storage **storage,
                                        cow_error *err);
/* Makes another Storage that equals the ground. */
COW_NODISCARD cow_status cow_ground_storage(cow_ground *ground, cow_storage **out, cow_error *err);
/* Storages on the ground live on. NULL is allowed. */
void cow_ground_free(cow_ground *ground);
/* The ground's bytes, to read while no put is in progress; those beyond its size, up to a whole page, are 0. */
const void *cow_ground_bytes(const cow_ground *ground);
/* Finds where the Storage, of the ground's size, may differ from it, like cow_storage_differences. On the ground, this
 * costs the regions written since the last settle; off it, all bytes may differ. COW_EABSENT. */
COW_NODISCARD cow_status cow_ground_changes(cow_ground *ground, cow_storage *storage, cow_run_function found, void *to,
                                            cow_error *err);
/* Writes these bytes to whole pages of the ground, from start on. All Storages keep their values. COW_EREFUSED: the
 * process has forked since the ground was made, so others may still see it; make a new one. COW_ENOMEM: a page that
 * somebody else still sees could not be copied. */
COW_NODISCARD cow_status cow_ground_put(cow_ground *ground, size_t start, const void *bytes, size_t nbytes,
                                        cow_error *err);
/* Frees the Storage's private pages that equal the ground's. Does nothing if it is pinned or not on the ground. */
void cow_ground_settle(cow_ground *ground, cow_storage *storage);

/* ---- bases in other processes ------------------------------------------------------------------------------------ */

/* A frozen base, whose file other processes may map. No process can change it. */
typedef struct cowi_base cow_base;

/* Returns a reference to the base that most of a Storage's bytes lie on. Byte i of the Storage equals byte *start + i
 * of the base; calls found, in order, for each run where they may differ. COW_EREFUSED: no such base exists: the bytes
 * are not paged, or lie on a file or a ground, which others may change. COW_EABSENT. */
COW_NODISCARD cow_status cow_storage_base(cow_storage *storage, cow_base **base, size_t *start, cow_run_function found,
                                          void *to, cow_error *err);
/* Gives a paged Storage a new base that equals all of it: one copy. Its bytes keep their addresses and their sharers.
 * COW_EREFUSED: it is not paged, lies on a ground or on memory that somebody owns, or the system grants no pages.
 * COW_EBUSY: it is pinned. COW_EABSENT. A failure changes nothing. */
COW_NODISCARD cow_status cow_storage_rebase(cow_storage *storage, cow_error *err);
/* Makes a Storage that equals nbytes of the base, from start on. COW_EINVAL: the base is shorter. */
COW_NODISCARD cow_status cow_base_storage(cow_base *base, size_t start, size_t nbytes, cow_storage **out,
                                          cow_error *err);
/* Returns a reference to this process's base with that identity, or NULL. */
cow_base *cow_base_find(const uint64_t identity[2]);
/* Returns another process's base, given its file, or this process's own if it already has it. The descriptor stays the
 * caller's. COW_EINVAL: not an immutable file of that size. COW_EREFUSED: too many open files. */
COW_NODISCARD cow_status cow_base_receive(int descriptor, const uint64_t identity[2], size_t nbytes, cow_base **out,
                                          cow_error *err);
/* Returns a new descriptor of the base's file, which the caller closes. Negative: failure. */
int cow_base_descriptor(const cow_base *base);
void cow_base_identity(const cow_base *base, uint64_t identity[2]);
size_t cow_base_nbytes(const cow_base *base);
/* NULL is allowed. */
void cow_base_release(cow_base *base);

/* ---- scopes ------------------------------------------------------------------------------------------------------ */

/* Read access. The scope has a reference: data stays valid memory until the end, whatever happens to the Storage. While
 * the Storage lives, the values stay as well, except for writes in place to this very Storage: once it has moved on to
 * other bytes, nobody writes to the bytes that the scope reads. */
typedef struct cow_const_scope {
    const void *data;
    size_t nbytes;
    void *storage; /* private to the core */
    void *context; /* private to the core */
} cow_const_scope;

/* Never waits for a copy, but recalls the bytes by the page if a writer has taken them over. Fails only if memory has
 * run out, if too many scopes are open, or with COW_EABSENT. */
COW_NODISCARD cow_status cow_const_begin(cow_storage *storage, cow_const_scope *out, cow_error *err);
/* May call the deleter of the bytes. */
void cow_const_end(cow_const_scope *scope);

/* Write access. From begin to end the Storage alone has its bytes and is pinned. */
typedef struct cow_mutable_scope {
    void *data;
    size_t nbytes;
    cow_storage *storage;
} cow_mutable_scope;

/* If the allocation is shared, first copies or steals. Waits for another writer of the same Storage that is doing so,
 * and, before a steal, for copies in progress. flags: COW_TRY, COW_NO_COPY. May call the deleter of the old bytes. */
COW_NODISCARD cow_status cow_mutable_begin(cow_storage *storage, unsigned flags, cow_mutable_scope *out,
                                           cow_error *err);
/* The same for a writer who describes what it will touch, and touches nothing else: a large Storage may then be paged.
 * box: NULL for anything. With COW_TRY also COW_EBUSY if pages should be looked at first, which takes time, or if a
 * last sharer had better use an existing base than steal; with COW_NO_COPY alone, neither is done. */
COW_NODISCARD cow_status cow_mutable_begin_at(cow_storage *storage, const cow_box *box, unsigned flags,
                                              cow_mutable_scope *out, cow_error *err);
void cow_mutable_end(cow_mutable_scope *scope);

/* Write access for a writer that gives every byte of the window a new value, which may depend on the old ones. If the
 * allocation is shared, data is fresh and uninitialized, nothing is copied, and nothing changes until commit; the scope
 * has a share, so the old values stay. Otherwise data == old, and the scope acts as a mutable one. */
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
/* Puts the new bytes in place and ends the scope. If pinned is not NULL, it becomes an open mutable scope on them in
 * the same step. COW_EMOVED: the Storage's bytes were replaced while the new values were computed, and its present
 * bytes may have been exported. The scope is then still open: write its values through a mutable scope, then abort it.
 * Waits only for a fork. */
COW_NODISCARD cow_status cow_overwrite_commit(cow_overwrite_scope *scope, cow_mutable_scope *pinned, cow_error *err);
/* Ends the scope and drops the fresh bytes, if any. */
void cow_overwrite_abort(cow_overwrite_scope *scope);

/* ---- figures ----------------------------------------------------------------------------------------------------- */

typedef struct cow_stats {
    uint64_t lazy_clones;  /* Storages made by sharing an allocation */
    uint64_t copies;       /* materializations that copied a window, or pages of it */
    uint64_t bytes_copied; /* by copies and eager copies */
    uint64_t steals;       /* materializations by the last sharer */
    uint64_t overwrites;   /* materializations into fresh bytes, without a copy */
    uint64_t eager_copies; /* requested copies made at once */
} cow_stats;

/* Totals since the start or the last reset. Exact once the counting threads have stopped. */
void cow_stats_read(cow_stats *out);
void cow_stats_reset(void);
/* Counts an eager copy made by a higher layer. */
void cow_stats_count_eager(size_t nbytes);

#ifdef __cplusplus
}
#endif

#endif
