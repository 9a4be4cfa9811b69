/* cowarray's core: memory that is shared by value, and copied when somebody writes.
 *
 * Plain C, no Python. Valid C11 and C++17. Every function may be called from any thread unless its comment says
 * otherwise. Functions that can fail return a cow_status and write their results through out-pointers, on success only.
 * They take an optional cow_error (may be NULL), which receives one line of text. A failure leaves everything as it was.
 *
 * src/core/protocol.md defines the words (allocation, share, reference, Storage, scope, pin) and gives the reason for
 * every lock and memory order.
 *
 * It is one file because it is all that a user of the core includes. Each section can be read alone.
 */
#ifndef COWARRAY_CORE_H
#define COWARRAY_CORE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An ignored status is a failure that nobody sees. */
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
    COW_EPRESENT,  /* fill: the allocation has bytes already; another thread was first */
    COW_EREFUSED   /* pages were asked for that cannot be had */
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
    /* Returns nbytes > 0 bytes, aligned to alignment (a power of two, at least sizeof(void *)), or NULL if memory has run
     * out. */
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
/* Sets how many bytes of freed large blocks (256 KiB and up) the heap may keep for reuse; 64 MiB by default. While more than
 * that is in use, it may keep as much as is in use, unless the bound is 0. Frees what exceeds the bound. Returns the previous
 * bound. */
size_t cow_heap_keep(size_t nbytes);
/* The heap behind malloc's interface, which does not tell the size of what is freed. Contracts are malloc's, but that blocks are
 * aligned to COW_ALIGNMENT. Free a block with these functions only. Large blocks are kept for reuse like those of cow_heap. */
void *cow_heap_malloc(size_t nbytes);
void *cow_heap_calloc(size_t count, size_t nbytes);
void *cow_heap_realloc(void *data, size_t nbytes);
void cow_heap_free(void *data);

/* Memory that is only counted, for arrays without bytes. Each block is a distinct address in a reserved region, where no byte
 * may be read or written: a read by mistake finds zeros or faults, a write faults. Regions are added as blocks need them: small
 * ones under a limit on address space. A clone copies nothing. Bytes are charged,
 * until they are freed, to the account that the calling thread uses when it takes them. */
const cow_allocator *cow_nowhere(void);
/* Where the first region is, to check that nobody touches it; 0 bytes if the system grants none. */
void cow_nowhere_region(void **start, size_t *nbytes);

typedef struct cow_account cow_account;

typedef struct cow_account_figures {
    size_t live;     /* bytes charged now, to this account and to those below it */
    size_t peak;     /* the highest value of live */
    uint64_t copied; /* bytes that clones were asked to copy */
} cow_account_figures;

/* A new account. What is charged to it is also charged to `above`, unless that is NULL. Drop it when no thread uses it any
 * more; it lives on while bytes are charged to it. */
COW_NODISCARD cow_status cow_account_new(cow_account *above, cow_account **out, cow_error *err);
/* From now on copies by threads that use the account are not counted. Call it before any thread uses the account. */
void cow_account_hush(cow_account *account);
/* NULL is allowed. */
void cow_account_drop(cow_account *account);
/* Charges what the calling thread takes from now on to this account: blocks of cow_nowhere, and frozen bases that its writes
 * to Storages of the heap make. NULL: to none. Returns the previous account. */
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

/* What a writer is about to touch: elements of a window, in bytes. He touches nothing else: what others keep of his bytes is put aside
 * by this. */
typedef struct cow_box {
    ptrdiff_t offset; /* of the element with indices 0 */
    ptrdiff_t itemsize;
    int ndim;              /* above 64: the box says nothing */
    const ptrdiff_t *dims; /* the shape, then the strides */
    size_t most;           /* how many of its elements are touched, wherever they lie; SIZE_MAX: all */
} cow_box;

/* What descends from one allocation by copies, and what its writes cost; the core's own. */
typedef struct cow_family cow_family;

/* Why a write is not by the page. */
typedef enum cow_page_refusal {
    COW_PAGES_GRANTED,
    COW_PAGES_OFF,   /* the mode says so */
    COW_PAGES_SMALL, /* the window has fewer than 4 MiB, or, at the family's first write, the allocation than 32 MiB */
    COW_PAGES_UNSUITABLE, /* the bytes are somebody else's, or begin where no page can, or the allocator does not page */
    COW_PAGES_MANY,       /* the writer touches too much, or does not say what */
    COW_PAGES_DEAR,       /* the family has spent what it may */
    COW_PAGES_GIVEN_UP,   /* lately: the next few windows are copied whole */
    COW_PAGES_DENIED      /* by the system, or fills take too long */
} cow_page_refusal;

/* A window for a writer, equal to the same window of an allocation that nobody writes to meanwhile. */
typedef struct cow_sharing {
    cow_dataptr source; /* the allocation */
    size_t allocated;
    size_t offset; /* of the window in it */
    size_t nbytes;
    const cow_box *box;   /* in the window; NULL: anything */
    cow_family *family;   /* of the source; NULL: none, and nothing is paged */
    int instead_of_steal; /* 1: the writer could have the source itself, at no cost */
    int may_wait;         /* for other threads that share the same source */
    uint64_t will_earn;   /* for would_share: bytes of lazy copies that a write would earn first */
    void **shadow;        /* kept beside the allocation and equal to it; NULL at first */
    cow_dataptr made;     /* out: the handle on the window */
    size_t copied;        /* out: bytes, including a base that was made for it, and the pages that the box touches */
    size_t takes;         /* out, of would_share: about how many bytes of memory */
    cow_page_refusal refusal; /* out, of would_share: why not */
} cow_sharing;

/* A part of an allocation, to compare with a part of another. */
typedef struct cow_compared {
    cow_dataptr bytes; /* of the allocation */
    size_t allocated;
    size_t offset; /* of the part */
    void *shadow;  /* beside the allocation and equal to it, or NULL */
} cow_compared;

/* Receives a run of bytes. */
typedef void (*cow_run_function)(void *to, size_t start, size_t nbytes);

/* How an allocator gives a writer bytes of its own without copying all of them. self is the allocator's. share, settle,
 * would_share, own_bytes and differences are called inside the fork gate, the others anywhere. */
typedef struct cow_paging {
    /* Smaller windows are copied without asking. */
    size_t least;
    /* 1: `made` is the handle, and its bytes count as copied. 0: nothing was done; copy the window. */
    int (*share)(void *self, cow_sharing *sharing);
    /* The bytes that this shadow equals are about to change, or to be freed. */
    void (*unshadow)(void *self, void *shadow);
    /* 1 if share made these bytes. */
    int (*is_paged)(const cow_dataptr *own);
    /* Counts a write to bytes that share made. 1: settle should be called. Called with the micro lock held. */
    int (*touch)(void *self, const cow_dataptr *own, size_t nbytes, const cow_box *box);
    /* Looks at bytes that nobody writes to meanwhile. 0: copy them to plain memory; later calls do not say it again. */
    int (*settle)(void *self, const cow_dataptr *own, const cow_box *box);
    /* The family of bytes that have none yet, with a reference: that of their window, or a new one. NULL: there is none. */
    cow_family *(*family)(void *self, const cow_dataptr *bytes);
    /* 1 if share would succeed now, 2 if it would have to make a base first, 0 otherwise. */
    int (*would_share)(void *self, cow_sharing *sharing);
    /* Bytes that no base has: pages that were written or copied. If count is not NULL, regions receives the same for each
     * region of 2 MiB, as far as its room for *count of them goes; then *count is how many were written. */
    size_t (*own_bytes)(void *self, const cow_dataptr *own, size_t *regions, size_t *count);
    /* The `copied` of the share that made these bytes. */
    size_t (*copied_bytes)(void *self, const cow_dataptr *own);
    /* Calls found for the runs of two parts of nbytes that may differ, as cow_storage_differences does. NULL: not known. */
    void (*differences)(void *self, const cow_compared *a, const cow_compared *b, size_t nbytes, cow_run_function found,
                        void *to);
    /* How the values of sharers are kept whose bytes a writer has taken over: the core's own. NULL: nobody takes any over. */
    const struct cow_pasts *pasts;
} cow_paging;

/* At most how many pages of 4 KiB of a window of nbytes the box touches. */
size_t cow_box_pages(const cow_box *box, size_t nbytes);

typedef enum cow_paging_mode {
    COW_PAGING_OFF,
    COW_PAGING_LEDGER, /* as long as a family pays no more than 1.25 of what eager copies would have cost it */
    COW_PAGING_EAGER   /* from the first copy on */
} cow_paging_mode;

#define COW_PAGING_ALLOWANCE ((size_t)512 << 20)

typedef struct cow_paging_policy {
    cow_paging_mode mode;
    size_t allowance; /* with LEDGER: bytes of copies that all families together may risk beyond that bound at a time */
    int small_pages;  /* use pages of 4 KiB, so that paging works where the system has none of 2 MiB */
} cow_paging_policy;

/* Sets how the heap pages from now on. Returns the previous policy. */
cow_paging_policy cow_paging_use(cow_paging_policy policy);
/* The policy in force. */
cow_paging_policy cow_paging_now(void);

typedef struct cow_paging_figures {
    uint64_t page_copies;  /* windows that were shared by the page instead of copied */
    uint64_t pages_copied; /* at once, for those windows: pages that were written since their base was made */
    uint64_t bases;        /* files of frozen bytes that were made */
    uint64_t filled;       /* bytes that were copied to them */
    uint64_t promised; /* pages that writers said they would touch when their window was made; the kernel copies them */
    uint64_t commits;  /* regions of 2 MiB that were put into a new base because they were copied too often */
    uint64_t give_ups; /* paged windows that were copied to plain memory because too much of them was written */
    size_t base_bytes; /* in bases that exist now */
    size_t base_files; /* open descriptors */
    size_t maps;       /* maps of windows that exist now */
    uint64_t earned;   /* by lazy copies, in bytes of a plain copy: see family.h */
    uint64_t spent;    /* on writes, including what windows that exist now may still cost */
} cow_paging_figures;

void cow_paging_read(cow_paging_figures *out);

/* Maps bytes of a file privately, from offset on: a write changes pages of the writer's own, not the file. Lazy clones share
 * them by the page. The file stays open until the last of them lets go of it. Pages that nobody has written show the file,
 * including what others write to it later. kept: an owner of the file's bytes, whose deleter is called with nbytes 0 when the
 * last of them is gone; NULL: none. COW_EINVAL: the descriptor is no file, or none so long. COW_ENOMEM: the system refuses the
 * map. A call that fails leaves the owner to the caller. */
COW_NODISCARD cow_status cow_paging_map_file(int descriptor, size_t offset, size_t nbytes, const cow_dataptr *kept,
                                             cow_dataptr *out, cow_error *err);

/* ---- Storage ----------------------------------------------------------------------------------------------------- */

/* One alias set: one share of an allocation, and a byte window of it. The caller keeps a Storage alive for as long as
 * any thread uses it. Freeing it ends every use of it; only const scopes may stay open. */
typedef struct cow_storage cow_storage;

enum {
    COW_TRY = 1u,     /* never wait and never copy what is pinned: COW_EBUSY instead */
    COW_NO_COPY = 2u, /* never copy: COW_ECOPY instead. Pages are, which are the writer's or kept for others */
    COW_FOREIGN = 4u, /* adopt: the bytes are somebody else's; they are never written and never stolen */
    COW_QUIET = 8u,   /* lazy clone: not counted in cow_stats; for a share that lasts only while something is read */
    COW_READS = 16u   /* lazy clone: its address is read from at once, without a scope. COW_EABSENT where the bytes are
                         absent, and else the address is where they are. It is a reader, as a scope is, until it ends or has
                         bytes of its own */
};

/* Makes a Storage with nbytes fresh, uninitialized bytes of its own. nbytes may be 0. */
COW_NODISCARD cow_status cow_storage_new(const cow_allocator *allocator, size_t nbytes, cow_storage **out,
                                         cow_error *err);

/* Makes a Storage over existing bytes. It owns ptr on success; after a failure the caller still does. flags: 0 or
 * COW_FOREIGN. Copies that writes make come from allocator. */
COW_NODISCARD cow_status cow_storage_adopt(const cow_allocator *allocator, cow_dataptr ptr, size_t nbytes,
                                           unsigned flags, cow_storage **out, cow_error *err);

/* Frees the Storage and drops its share. Waits for no writer; for a fork or another reader only if a writer has taken over the
 * bytes that it shared, or it has taken over those of others. May call the deleter of the bytes. NULL is allowed. No mutable or
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
/* 1 if a write that says what it touches may give the Storage other bytes: a copy, or pages of a base that is there. */
int cow_storage_write_moves(cow_storage *storage);
/* 1 if the Storage has the window by the page, alone or with others. */
int cow_storage_is_paged(cow_storage *storage);
/* 1 if a write of one element would now cost pages instead of the window; 2 if the allocation would have to be copied to a
 * base first, once for all who share it. */
int cow_storage_writes_by_page(cow_storage *storage);
/* Why a write of one element would now not be by the page. COW_PAGES_GRANTED: it would, or copies nothing. */
cow_page_refusal cow_storage_page_refusal(cow_storage *storage);
/* Gives the Storage its bytes by the page, on a base of its own unless it has them already: one copy. If it shares them with
 * others, it no longer does. From then on all writes in its family are by the page, whatever the mode and the ledger say. COW_EREFUSED: the Storage is too small, or the system
 * grants no pages. COW_EBUSY: it is pinned. COW_EABSENT. After a failure it is as it was. */
COW_NODISCARD cow_status cow_storage_page(cow_storage *storage, cow_error *err);
/* About how many bytes of memory a write to so many pages would take now: none, the window, or those pages and what is copied
 * or frozen for them first. */
size_t cow_storage_write_takes(cow_storage *storage, size_t pages);
/* Bytes that are in memory for this window alone: all of it, or, by the page, those that no frozen base has. */
size_t cow_storage_own_bytes(cow_storage *storage);
/* The same for each region of 2 MiB that a window by the page lies in; regions has room for count. Returns how many were
 * written; 0 if the window is not by the page. */
size_t cow_storage_own_regions(cow_storage *storage, size_t *regions, size_t count);
/* How many bytes were copied to give the Storage its present bytes, as cow_stats counts them, if a write gave it those. */
size_t cow_storage_copied_bytes(cow_storage *storage);
/* Where nbytes of a, from a_start on, may differ from those of b, from b_start on: calls found for each run of them, in order,
 * with starts that count from a_start. All other bytes are equal. By what the Storages share, and by the pages that each has of
 * its own; the bytes are not read. Nobody may write to either meanwhile. COW_EINVAL: a window is shorter. COW_EABSENT. */
COW_NODISCARD cow_status cow_storage_differences(cow_storage *a, size_t a_start, cow_storage *b, size_t b_start,
                                                 size_t nbytes, cow_run_function found, void *to, cow_error *err);
/* Declares that somebody without a scope reads the bytes, which the Storage is about to leave. From now on every sharer
 * copies them and none steals them, and nobody evicts them. They are freed as usual. Does nothing to absent bytes. */
void cow_storage_spare(cow_storage *storage);
/* Where the window starts now: an identity to compare, not a pointer to follow. Only a scope keeps it valid. If the bytes are
 * or were absent: where the last scope on this Storage found them, or where a fill through it put them; NULL if neither has
 * happened since it was born absent or evicted. */
const void *cow_storage_address(const cow_storage *storage);

/* ---- absence ----------------------------------------------------------------------------------------------------- */

/* An allocation may have no bytes for a time. It keeps its size, its sharers and their windows, and is shared and freed as
 * ever: a lazy clone of an absent Storage is absent (with COW_READS: COW_EABSENT). Scopes on any sharer fail with
 * COW_EABSENT. Once somebody has filled the allocation, which all sharers see, a scope can be tried again. */

/* Makes a Storage without bytes. nbytes may be 0. */
COW_NODISCARD cow_status cow_storage_new_absent(const cow_allocator *allocator, size_t nbytes, cow_storage **out,
                                                cow_error *err);
/* 1 if there are no bytes. May change at any moment. */
int cow_storage_is_absent(cow_storage *storage);
/* 1 if a writer has taken over the bytes, so that the Storage has none until it is read. It is not absent. May change at any
 * moment. */
int cow_storage_has_past(cow_storage *storage);
/* Frees the bytes of the whole allocation, whose values the caller can bring back. managed: for how many of the sharing
 * Storages the caller answers. COW_EBUSY, and nothing done, unless these are all, and nobody uses the bytes: no scope is open
 * on any of them or was left behind, nobody copies or steals, and no fork is in progress. Never waits. COW_EABSENT: there
 * are no bytes. COW_EINVAL: they are foreign. May call the deleter of the bytes. */
COW_NODISCARD cow_status cow_storage_evict(cow_storage *storage, size_t managed, cow_error *err);
/* Like evict, but hands the bytes to the caller, who does not write to them: others may keep what they were. Calls no deleter;
 * cow_storage_allocated tells how many there are. */
COW_NODISCARD cow_status cow_storage_take(cow_storage *storage, size_t managed, cow_dataptr *out, cow_error *err);
/* Gives the absent allocation bytes: all of them, not just the Storage's window, so nbytes must be what
 * cow_storage_allocated says. It owns ptr on success; after a failure the caller still does. COW_EPRESENT: it has bytes
 * already; of several threads that fill it, one succeeds. Waits only for a fork. */
COW_NODISCARD cow_status cow_storage_fill(cow_storage *storage, cow_dataptr ptr, size_t nbytes, cow_error *err);

/* ---- grounds ----------------------------------------------------------------------------------------------------- */

/* What a Storage was when its owner last looked, as a base that the owner may change. So the pages that were written since are
 * found without a list of what was written, and cost nothing once the ground has them, too. Lazy clones of the Storage keep
 * their values: whoever still sees a page of the ground gets a copy before it changes. */
typedef struct cow_ground cow_ground;

/* A ground that equals the source, and a Storage of the same value on it. One copy. COW_EREFUSED: the source is empty, or the
 * system grants no pages. COW_EABSENT. */
COW_NODISCARD cow_status cow_ground_new(cow_storage *source, cow_ground **ground, cow_storage **storage,
                                        cow_error *err);
/* One more Storage that equals the ground. */
COW_NODISCARD cow_status cow_ground_storage(cow_ground *ground, cow_storage **out, cow_error *err);
/* Storages on it live on. NULL is allowed. */
void cow_ground_free(cow_ground *ground);
/* Its bytes, to be read while nobody puts any; those beyond its size, up to a whole page, are 0. */
const void *cow_ground_bytes(const cow_ground *ground);
/* Where the Storage, which has the ground's size, may differ from it, as cow_storage_differences does. On the ground, that costs
 * the regions that were written to since the last settle; elsewhere all may differ. COW_EABSENT. */
COW_NODISCARD cow_status cow_ground_changes(cow_ground *ground, cow_storage *storage, cow_run_function found, void *to,
                                            cow_error *err);
/* Gives whole pages of the ground, from start on, these bytes. All Storages keep their values but for the bytes of their own
 * that are given here. COW_EREFUSED: the process has forked since the ground was made, so others may still see it; make a
 * new one. COW_ENOMEM: a page that somebody else still sees could not be copied. */
COW_NODISCARD cow_status cow_ground_put(cow_ground *ground, size_t start, const void *bytes, size_t nbytes,
                                        cow_error *err);
/* Frees the pages of the Storage's own that equal the ground's. Does nothing if it is pinned or not on the ground. */
void cow_ground_settle(cow_ground *ground, cow_storage *storage);

/* ---- bases in other processes ------------------------------------------------------------------------------------ */

/* A frozen base, whose file other processes may map. Nobody can change it, in whatever process. */
typedef struct cowi_base cow_base;

/* The base that most of a Storage's bytes lie on, and a reference to it. Byte i of the Storage equals byte *start + i of the base;
 * calls found, in order, for each run where it may not. COW_EREFUSED: there is no such base: the bytes are not by the page, or
 * lie on a file or a ground, which others may change. COW_EABSENT. */
COW_NODISCARD cow_status cow_storage_base(cow_storage *storage, cow_base **base, size_t *start, cow_run_function found,
                                          void *to, cow_error *err);
/* Gives a Storage that is by the page a new base that equals all of it: one copy. Its bytes stay where they are, and so do those
 * who share them. COW_EREFUSED: it is not by the page, lies on a ground or on memory that somebody owns, or the system grants
 * no pages. COW_EBUSY: it is pinned. COW_EABSENT. After a failure it is as it was. */
COW_NODISCARD cow_status cow_storage_rebase(cow_storage *storage, cow_error *err);
/* A Storage that equals nbytes of the base, from start on. COW_EINVAL: it has not so many. */
COW_NODISCARD cow_status cow_base_storage(cow_base *base, size_t start, size_t nbytes, cow_storage **out,
                                          cow_error *err);
/* The base of this process with an identity, and a reference to it. NULL: there is none. */
cow_base *cow_base_find(const uint64_t identity[2]);
/* A base that another process has, by its file: one of this process, if it has it already. The descriptor stays the caller's.
 * COW_EINVAL: it is no file of that size that nobody can change. COW_EREFUSED: too many files are open. */
COW_NODISCARD cow_status cow_base_receive(int descriptor, const uint64_t identity[2], size_t nbytes, cow_base **out,
                                          cow_error *err);
/* A new descriptor of the base's file, which is the caller's. Negative: there is none. */
int cow_base_descriptor(const cow_base *base);
void cow_base_identity(const cow_base *base, uint64_t identity[2]);
size_t cow_base_nbytes(const cow_base *base);
/* NULL is allowed. */
void cow_base_release(cow_base *base);

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

/* Waits for no copy, but makes one by the page if a writer has taken over the bytes. Fails only if memory has run out, if too many
 * scopes are open, or with COW_EABSENT. */
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
/* The same for a writer who says what it will touch, and touches nothing else: a large Storage may then get bytes by the
 * page. box: NULL for anything. With COW_TRY also COW_EBUSY if pages should be looked at first, which takes time, or if a last
 * sharer had better use a base that is there than steal; with COW_NO_COPY alone neither is done. */
COW_NODISCARD cow_status cow_mutable_begin_at(cow_storage *storage, const cow_box *box, unsigned flags,
                                              cow_mutable_scope *out, cow_error *err);
void cow_mutable_end(cow_mutable_scope *scope);

/* Write access for a writer that gives every byte of the window a new value, which may depend on the old ones. If the
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
/* Counts an eager copy that a higher layer made itself. */
void cow_stats_count_eager(size_t nbytes);

#ifdef __cplusplus
}
#endif

#endif
