/* cowarray's core: memory that is shared by value and copied when somebody writes.
 *
 * Plain C, no Python. Valid C11 and C++17. Every function may be called from any thread unless its comment says
 * otherwise. Functions that can fail return a cow_status, write their results through out-pointers on success only, and
 * take an optional cow_error (may be NULL) that receives one line of text. A failure leaves everything as it was.
 *
 * The words (allocation, share, reference, Storage, scope, pin) and the reasons for every lock and memory order are in
 * src/core/protocol.md.
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
    COW_EBUSY,     /* COW_TRY was given and the call would have had to wait, or to copy a pinned Storage */
    COW_ECOPY,     /* COW_NO_COPY was given and the call would have had to copy */
    COW_EMOVED     /* an overwrite scope's Storage has other bytes by now */
} cow_status;

typedef struct cow_error {
    char text[160]; /* NUL-terminated; written on failure only */
} cow_error;

/* A constant phrase for a status, never NULL. */
const char *cow_status_text(cow_status status);

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* A kind of memory. The table and self must outlive every byte that came from them. None of the functions may need a
 * lock that a forking thread can hold (Python's GIL is one): they are called inside the fork gate. */
typedef struct cow_allocator {
    const char *name;
    void *self;
    /* nbytes > 0 bytes, aligned to alignment (a power of two, at least sizeof(void *)); NULL when there are none. */
    void *(*alloc)(void *self, size_t nbytes, size_t alignment);
    /* Takes back what alloc gave for the same nbytes and alignment. */
    void (*free)(void *self, void *data, size_t nbytes, size_t alignment);
    /* Makes the first nbytes of data, which alloc has just given, equal to those at source. Cannot fail. */
    void (*clone)(void *self, void *data, const void *source, size_t nbytes);
} cow_allocator;

/* Alignment of every block of array bytes that the core allocates. */
#define COW_ALIGNMENT ((size_t)64)

/* The heap: sized, overflow-checked, huge pages advised for large blocks. */
const cow_allocator *cow_heap(void);
/* How many bytes of freed large blocks (4 MiB and up) the heap may keep for reuse: 64 MiB unless set. Gives back what the
 * bound does not allow. Returns the bound before. */
size_t cow_heap_keep(size_t nbytes);

/* An owned handle on bytes. deleter may be NULL (nothing to free); otherwise it is called once, from whichever thread
 * drops the last reference, with no lock of the core held. */
typedef struct cow_dataptr {
    void *data;
    void *context;
    void (*deleter)(void *data, void *context, size_t nbytes);
} cow_dataptr;

/* ---- Storage ----------------------------------------------------------------------------------------------------- */

/* One alias set: one share of an allocation, and a byte window of it. The caller keeps a Storage alive for as long as
 * any thread uses it; freeing it ends every use but open const scopes. */
typedef struct cow_storage cow_storage;

enum {
    COW_TRY = 1u,     /* never wait and never copy what is pinned: COW_EBUSY instead */
    COW_NO_COPY = 2u, /* never copy: COW_ECOPY instead */
    COW_QUIET = 8u,   /* lazy clone: not counted in the figures; for a share that is held while something is read */
    COW_FOREIGN = 4u  /* adopt: somebody else's bytes; they are never written and never stolen */
};

/* A Storage with nbytes fresh, uninitialized bytes of its own. nbytes may be 0. */
COW_NODISCARD cow_status cow_storage_new(const cow_allocator *allocator, size_t nbytes, cow_storage **out,
                                         cow_error *err);

/* A Storage over bytes that exist. Takes ptr over on success only. flags: 0 or COW_FOREIGN. Copies that a write makes
 * come from allocator. */
COW_NODISCARD cow_status cow_storage_adopt(const cow_allocator *allocator, cow_dataptr ptr, size_t nbytes,
                                           unsigned flags, cow_storage **out, cow_error *err);

/* Drops the Storage's share. Never waits. May call the deleter of the bytes. NULL is allowed. No mutable or overwrite
 * scope of it may be open. */
void cow_storage_free(cow_storage *storage);

/* A new Storage over nbytes of the source's window, from offset, that shares the source's allocation. Logically a read.
 * While the source is pinned the result is an eager copy instead; while another thread materializes the source the call
 * waits (with COW_TRY, both are COW_EBUSY). */
COW_NODISCARD cow_status cow_lazy_clone(cow_storage *source, size_t offset, size_t nbytes, unsigned flags,
                                        cow_storage **out, cow_error *err);

/* Bytes of the window. */
size_t cow_storage_nbytes(const cow_storage *storage);
/* Bytes of the whole allocation that the window lies in. */
size_t cow_storage_allocated(cow_storage *storage);
/* How many Storages share the allocation, this one included. A snapshot of a moving figure. */
size_t cow_storage_shares(cow_storage *storage);
/* How many mutable scopes and writable exports are open. */
size_t cow_storage_pins(const cow_storage *storage);
/* 1 when a write needs neither a copy nor a steal. */
int cow_storage_is_sole(cow_storage *storage);
/* 1 when a write would have to copy because the bytes belong to somebody else. */
int cow_storage_is_foreign(cow_storage *storage);
/* Bytes that a write would copy if it came now: 0 or the window. */
size_t cow_storage_write_cost(cow_storage *storage);
/* Tells that somebody reads the bytes who has no scope, and that the Storage is about to leave them: no sharer steals them
 * from now on, each copies. They are freed as ever. */
void cow_storage_spare(cow_storage *storage);
/* Where the window starts now. An identity to compare, not a pointer to follow: only a scope keeps it valid. */
const void *cow_storage_address(const cow_storage *storage);

/* ---- scopes ------------------------------------------------------------------------------------------------------ */

/* Read access. Holds a reference: data stays valid memory until the end, whatever happens to the Storage. The values
 * stay, too, for as long as the Storage lives, but for what is written to this very Storage in place: when the Storage moves
 * on to bytes of its own, nobody writes to those that the scope reads. */
typedef struct cow_const_scope {
    const void *data;
    size_t nbytes;
    void *storage; /* the core's, as is the next one */
    void *context;
} cow_const_scope;

/* Never waits for a copy. Fails only for want of memory for a context, or when too many are open. */
COW_NODISCARD cow_status cow_const_begin(cow_storage *storage, cow_const_scope *out, cow_error *err);
/* May call the deleter of the bytes. */
void cow_const_end(cow_const_scope *scope);

/* Write access. The Storage has bytes of its own from begin on, and is pinned until the end. */
typedef struct cow_mutable_scope {
    void *data;
    size_t nbytes;
    cow_storage *storage;
} cow_mutable_scope;

/* Copies or steals first where the allocation is shared; waits for another writer of the same Storage that is doing so,
 * and, to steal, for copies under way. flags: COW_TRY, COW_NO_COPY. May call the deleter of the old bytes. */
COW_NODISCARD cow_status cow_mutable_begin(cow_storage *storage, unsigned flags, cow_mutable_scope *out,
                                           cow_error *err);
void cow_mutable_end(cow_mutable_scope *scope);

/* Write access for a writer that gives every byte of the window a new value, computed from the old ones or not. Where
 * the allocation is shared, data is fresh and uninitialized, nothing is copied, and nothing changes until commit; the
 * scope holds a share, so that the old values stay. Otherwise data == old, and the scope is a mutable one. */
typedef struct cow_overwrite_scope {
    void *data;
    const void *old;
    size_t nbytes;
    cow_storage *storage;
    void *context; /* the core's */
} cow_overwrite_scope;

/* flags: COW_TRY. */
COW_NODISCARD cow_status cow_overwrite_begin(cow_storage *storage, unsigned flags, cow_overwrite_scope *out,
                                             cow_error *err);
/* Puts the new bytes in place and ends the scope. Where pinned is not NULL it becomes an open mutable scope on them, with
 * nothing in between. COW_EMOVED: somebody gave the Storage other bytes while the new values were computed, and may have
 * exported those; the scope is still open: write its values through a mutable scope, then abort it. Waits for a fork only. */
COW_NODISCARD cow_status cow_overwrite_commit(cow_overwrite_scope *scope, cow_mutable_scope *pinned, cow_error *err);
/* Ends the scope and drops fresh bytes. */
void cow_overwrite_abort(cow_overwrite_scope *scope);

/* ---- figures ----------------------------------------------------------------------------------------------------- */

typedef struct cow_stats {
    uint64_t lazy_clones;  /* Storages made by sharing */
    uint64_t copies;       /* materializations that copied a window */
    uint64_t bytes_copied; /* by copies and eager copies */
    uint64_t steals;       /* materializations by the last sharer */
    uint64_t overwrites;   /* materializations into fresh bytes, nothing copied */
    uint64_t eager_copies; /* copies asked for that were made at once */
} cow_stats;

/* Sums since the start or the last reset. Exact once the threads that count have stopped. */
void cow_stats_read(cow_stats *out);
void cow_stats_reset(void);
/* For layers above, which may make the eager copy themselves. */
void cow_stats_count_eager(size_t nbytes);

#ifdef __cplusplus
}
#endif

#endif
