/* The internal interfaces of the core's files. protocol.md tells which lock or order protects each field. */
#ifndef COWI_INTERNAL_H
#define COWI_INTERNAL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "assertions.h"
#include "atomics.h"
#include "cowarray/core.h"
#include "family.h"

/* ---- context.c: the state common to all Storages that share one allocation --------------------------------------- */

/* The bound of the counts of sharers and pins; references may be twice as many. It is far below 30 bits, so that no
 * count wraps even if many threads count at once and then look. A test of the bound lowers it. */
#ifndef COWI_COUNT_LIMIT
#define COWI_COUNT_LIMIT ((size_t)1 << 28)
#endif

/* Where the bytes are: the result of taking a reference or a share. */
typedef enum cowi_where {
    COWI_HERE,   /* at the Storage's address */
    COWI_FILLED, /* at the context's original: they were absent before, so the address may be outdated */
    COWI_ABSENT, /* no bytes now */
    COWI_FULL    /* unknown: the count is full, and nothing was taken */
} cowi_where;

/* Invariant (cowi_context_check): shares + left <= references, apart from what cow_storage_spare adds to left. The
 * bytes, if here, and the context live while references > 0. */
typedef struct cowi_context {
    /* Two counts in one word, since a share comes and goes with a reference. Upper half: shares, the owners of values
     * that a write could change. Lower half: references, the users of the bytes or this struct: shares, scopes, threads
     * in the lock; and in its two highest bits where the bytes are. */
    cowi_atomic_u64 counts;
    cowi_atomic_size left;  /* open const scopes of Storages that have left; nobody steals until it is 0 */
    pthread_rwlock_t lock;  /* shared: a copy is being made; exclusive: the last sharer waits for copies */
    cow_dataptr original;   /* the bytes; all NULL while they are absent */
    size_t nbytes;          /* of the whole allocation */
    void *shadow;           /* the allocator's, equal to the bytes; NULL: none. See *pages* in protocol.md */
    cowi_atomic_ptr family; /* a reference; set once, when the family first earns or pays; NULL: none yet */
    cowi_atomic_u64 owed;   /* bytes of lazy copies not yet credited to the family: see cowi_context_earn */
    cowi_atomic_ptr past;   /* the allocator's, which can bring back absent bytes; NULL: somebody has to fill */
    void *retired;          /* a past that has given its bytes, but may still be asked by holders of references */
    const cow_allocator *allocator; /* where this struct came from */
    bool foreign;                   /* bytes that are never written and never stolen */
} cowi_context;

/* Creates a context with one share and one reference, over ptr. Owns ptr on success; NULL if memory has run out. */
COW_NODISCARD cowi_context *cowi_context_new(const cow_allocator *allocator, cow_dataptr ptr, size_t nbytes,
                                             bool foreign);
/* Frees only the struct, of a context that was never used. */
void cowi_context_discard(cowi_context *context);
/* Takes a reference, to read. Takes nothing if the bytes are absent. */
COW_NODISCARD cowi_where cowi_context_retain(cowi_context *context);
/* Takes a reference, wherever the bytes are. False: the count is full. */
COW_NODISCARD bool cowi_context_hold(cowi_context *context);
/* Releases a reference; the last one frees bytes and context. Call it with no lock held: the deleter may need one. */
void cowi_context_release(cowi_context *context);
/* Takes a share, with its reference, even of absent bytes. */
COW_NODISCARD cowi_where cowi_context_share(cowi_context *context);
/* Takes a share, and besides its reference another one to read. Takes nothing if the bytes are absent. */
COW_NODISCARD cowi_where cowi_context_share_and_retain(cowi_context *context);
/* Gives up a share but keeps its reference. False, and nothing is done, if the bytes are absent, or if it is the last
 * share and last_too is false. */
COW_NODISCARD bool cowi_context_give_up_share(cowi_context *context, bool last_too);
size_t cowi_context_shares(cowi_context *context);
/* True if one share remains, of memory that is not foreign. */
COW_NODISCARD bool cowi_context_last_share(cowi_context *context);
/* True if a writing sharer would steal: it is the last one, the memory not foreign, and no reader left behind. */
COW_NODISCARD bool cowi_context_stealable(cowi_context *context);
/* Gives up a share and its reference. */
void cowi_context_drop(cowi_context *context);
/* The same, and releases a second reference. */
void cowi_context_drop_and_release(cowi_context *context);
/* Marks a new context, which nobody else knows, as absent. */
void cowi_context_begin_absent(cowi_context *context);
bool cowi_context_absent(cowi_context *context);
bool cowi_context_moving(cowi_context *context);
/* Takes the bytes away from all other sharers; the caller's share goes, its reference stays. The caller has one more
 * reference. False: it is the only sharer, or somebody reads, copies or was left behind. Until
 * cowi_context_end_take_over, a few instructions later, everybody else waits. */
COW_NODISCARD bool cowi_context_take_over(cowi_context *context, cow_dataptr *taken);
/* Call right afterwards. Drops the retired past, if any, which nobody asks any more. */
void cowi_context_set_past(cowi_context *context, void *past);
/* The bytes are absent from here on, until somebody asks the past for them. */
void cowi_context_end_take_over(cowi_context *context);
/* Called by its past, while the bytes are absent: gives them back to all sharers. */
void cowi_context_bring_back(cowi_context *context, cow_dataptr bytes);
/* Whether the bytes are absent and no past can bring them back; and whether one can. */
bool cowi_context_is_gone(cowi_context *context);
bool cowi_context_has_past(cowi_context *context);
/* Takes the bytes and the shadow away, for the caller to free. COW_EABSENT: there are none. COW_EBUSY: the shares are
 * not exactly the managed ones, or somebody reads. */
COW_NODISCARD cow_status cowi_context_evict(cowi_context *context, size_t managed, cow_dataptr *bytes, void **shadow);
/* Drops the shadow. Called by the only user of the bytes, before they change or are freed. */
void cowi_context_unshadow(cowi_context *context);
/* Notes a lazy copy of nbytes, which an eager copy would have paid for at once. The family earns it once the copy's
 * actual cost is known: each share but the last may still have to copy everything. */
void cowi_context_owe(cowi_context *context, size_t nbytes);
/* The family of the bytes, for a caller with a share; it lives as long as the context. NULL: none. */
cow_family *cowi_context_family(cowi_context *context);
/* Called before a copy, or by the only sharer: the family earns the bytes that the other shares can no longer need. */
void cowi_context_earn(cowi_context *context);
/* How much cowi_context_earn would credit. */
uint64_t cowi_context_earnable(cowi_context *context);
/* Owns bytes on success; alone then tells whether the caller has the only share, and so the bytes to itself.
 * COW_EPRESENT: the bytes are present. COW_EBUSY: bytes are coming or going, for a few instructions. */
COW_NODISCARD cow_status cowi_context_fill(cowi_context *context, cow_dataptr bytes, bool *alone);
/* Full assertions, for a caller with a reference. */
void cowi_context_check(cowi_context *context);

/* ---- storage.c --------------------------------------------------------------------------------------------------- */

/* Invariant (cowi_storage_check): context == NULL implies sole, and then ptr owns the bytes; otherwise the context
 * does. sole means: no other share, no copy in progress, and the bytes are here and may be written in place. pins > 0
 * implies sole. busy: one thread gives this Storage new bytes, and only that thread changes the context. scopes > 0
 * implies context != NULL. The struct lives until the Storage is freed and its last const scope has ended. */
struct cow_storage {
    cowi_atomic_uint lock;          /* micro lock: 0, or the fork epoch of the holder; protects the fields below */
    cowi_atomic_uint busy;          /* written under lock, waited for without it */
    cowi_atomic_size pins;          /* raised under lock, lowered without it */
    cowi_atomic_size uses;          /* of this struct: the Storage itself, and each const scope */
    cowi_atomic_ptr address;        /* written under lock, read without it */
    cowi_atomic_size allocated;     /* bytes of the whole allocation; written under lock, read without it */
    size_t nbytes;                  /* immutable */
    const cow_allocator *allocator; /* immutable */
    cowi_context *context;
    cow_dataptr ptr;    /* without a context; unchanged while a context replaces it, see cowi_storage_wrap */
    size_t offset;      /* of the window in the allocation; 0 without a context */
    cow_family *family; /* a reference, if the bytes came from a copy; NULL: a context will find one */
    size_t scopes;      /* open const scopes on this context */
    bool sole;
    bool paged; /* while sole: the bytes are paged, and the allocator counts each write */
    bool reads; /* it is read without a scope, and has a second reference for that */
};

/* Allocates only the struct; init leaves it without context and bytes, and with one use, the Storage itself. */
COW_NODISCARD cow_storage *cowi_storage_alloc(const cow_allocator *allocator);
void cowi_storage_init(cow_storage *storage, const cow_allocator *allocator, void *address, size_t nbytes,
                       size_t allocated);
void cowi_storage_dealloc(const cow_allocator *allocator, cow_storage *storage);
/* The micro lock of a living struct, whose Storage may have been freed. */
void cowi_struct_lock(cow_storage *storage);
static inline void cowi_struct_unlock(cow_storage *storage)
{
    cowi_store_release(&storage->lock, 0);
}
/* Full assertions, with the lock held. */
void cowi_storage_check(cow_storage *storage);
/* The micro lock of a Storage. With full assertions, its invariant is checked after locking and before unlocking. */
static inline void cowi_storage_lock(cow_storage *storage)
{
    cowi_struct_lock(storage);
    COWI_FULL(cowi_storage_check(storage));
}
static inline void cowi_storage_unlock(cow_storage *storage)
{
    COWI_FULL(cowi_storage_check(storage));
    cowi_struct_unlock(storage);
}
/* With the lock held: returns the context; if there is none yet, *spare becomes it. NULL: neither exists. */
cowi_context *cowi_storage_wrap(cow_storage *storage, cowi_context **spare);
/* With the lock held, and no context yet. On COW_ENOMEM the Storage is no longer locked. */
COW_NODISCARD cow_status cowi_storage_add_context(cow_storage *storage, cow_error *err);
/* Locks the Storage and makes sure that it has a context. On COW_ENOMEM it is not locked. */
COW_NODISCARD static inline cow_status cowi_storage_lock_wrapped(cow_storage *storage, cow_error *err)
{
    cowi_storage_lock(storage);
    return storage->context != NULL ? COW_OK : cowi_storage_add_context(storage, err);
}
/* With the lock held, while nobody can evict the bytes: sets address to where they are. */
void cowi_storage_find(cow_storage *storage);
/* Makes the Storage sole, on bytes with that handle. Call it with the lock held, or before the Storage is published. */
void cowi_storage_own(cow_storage *storage, cow_dataptr bytes);
/* The box of a Storage's window, at offset in the allocation, as one of the allocation: in room, if it differs. */
const cow_box *cowi_box_at(const cow_box *box, size_t offset, cow_box *room);
/* Counts a write. With the lock held, and sole. True: the pages should be settled first, and no scope is writing. */
bool cowi_storage_unsettled(cow_storage *storage, const cow_box *box);
/* With the lock held, sole, and paged: 0, or the number that a writer must have been told: see cow_pasts. */
uint64_t cowi_storage_watched(cow_storage *storage);
/* Whether the allocator should look at these bytes before any write, whatever it touches. For their only user. */
bool cowi_wants_a_look(cow_storage *storage);
/* With the lock held: whether the bytes are paged, here or kept as a past. */
bool cowi_storage_is_paged(cow_storage *storage);
/* With the lock held: detaches the context from the Storage, whose const scopes stay behind in it. */
cowi_context *cowi_storage_leave(cow_storage *storage);
/* Ends one use of the struct. */
void cowi_storage_unuse(cow_storage *storage);

/* ---- materialize.c ------------------------------------------------------------------------------------------------ */

/* Enters the gate and makes the Storage busy; waits while another thread has made it busy. COW_OK with *sole set: it
 * needs nothing, is not busy, and is still locked. */
COW_NODISCARD cow_status cowi_become_busy(cow_storage *storage, unsigned flags, bool *sole, cow_error *err);
/* With the lock held, and in the gate: wakes the waiting threads, unlocks and leaves the gate. moved: a context whose
 * last remaining reference is released, or NULL; this comes last, since the deleter of the bytes may take any lock. */
void cowi_no_longer_busy(cow_storage *storage, cowi_context *moved);
/* Busy: gives a sharing Storage its own bytes. A copy leaves the context but keeps the reference to it. */
COW_NODISCARD cow_status cowi_materialize(cow_storage *storage, const cow_box *box, unsigned flags, cow_error *err);
/* Further flags: share by the page or do nothing; and charge the Storage's own family, even for foreign bytes. */
enum { COWI_PAGES_ONLY = 1u << 16, COWI_ON_REQUEST = 1u << 17 };
/* Busy: gives the Storage a copy of its window. True: *status is the result. False, and nothing is done: by now the
 * bytes can be stolen, or are absent, or pages are unavailable. keep: never leave them to a steal, even with one share
 * left. */
bool cowi_copy(cow_storage *storage, bool keep, const cow_box *box, unsigned flags, cow_status *status, cow_error *err);
/* With the lock held: puts fresh in place as the Storage's only bytes. Returns the context that it has left. */
cowi_context *cowi_put_in_place(cow_storage *storage, cow_dataptr fresh);

/* ---- rest.c ------------------------------------------------------------------------------------------------------- */

/* With the lock held: whether the bytes are paged, and nobody writes to them or is about to. A busy thread may have put
 * new bytes in place without having pinned them yet. */
bool cowi_has_pages_at_rest(cow_storage *storage);
/* Has the allocator look at the pages of a Storage that nobody shares or writes to; if too many were written, replaces
 * them by a copy in plain memory. On failure they stay, with the right values. */
void cowi_settle(cow_storage *storage, const cow_box *box);
/* The same for a busy Storage, with the lock held, which is released meanwhile. */
void cowi_settle_busy(cow_storage *storage, const cow_box *box);

/* ---- memory.c ---------------------------------------------------------------------------------------------------- */

/* Allocates a block of array bytes, as a DataPtr that frees itself. False: memory has run out. */
COW_NODISCARD bool cowi_block_new(const cow_allocator *allocator, size_t nbytes, cow_dataptr *out);
/* Rebuilds the handle of a block from its address. */
cow_dataptr cowi_block(const cow_allocator *allocator, void *data);
void cowi_dataptr_delete(cow_dataptr *ptr, size_t nbytes);
/* Whether these bytes are a paged window of the allocator. */
bool cowi_dataptr_paged(const cow_allocator *allocator, cow_dataptr ptr);

/* ---- gate.c: what a fork must not interrupt, and waiting for a busy Storage -------------------------------------- */

/* Once per process, before the first Storage: makes forks close the gate. */
void cowi_gate_start(void);
/* Enters the fork gate; false if it is closed and try_only. Inside, nobody waits for anything but a copy. */
bool cowi_gate_enter(bool try_only);
void cowi_gate_leave(void);
/* Waits, outside the gate, until the Storage is not busy. */
void cowi_wait_while_busy(cow_storage *storage);
/* Call after busy has been lowered. */
void cowi_wake_busy(void);
/* Differs between a process and its forked children; never 0. */
unsigned cowi_fork_epoch(void);
/* Differs before and after a fork, in both processes. */
unsigned cowi_forks(void);

/* ---- by_page.c ---------------------------------------------------------------------------------------------------- */

/* Enters the gate and makes the Storage busy and not sole, however many share its bytes. COW_EBUSY: it is pinned. End
 * with cowi_end_rest if the Storage has kept its bytes, otherwise with cowi_no_longer_busy. */
COW_NODISCARD cow_status cowi_become_busy_at_rest(cow_storage *storage, bool *was_sole, cow_error *err);
void cowi_end_rest(cow_storage *storage, bool was_sole);

/* ---- recall.c ---------------------------------------------------------------------------------------------------- */

/* The services that a past needs from its context and the gate. */
typedef struct cow_past_host {
    /* Gives the absent context bytes, which it then owns. Only its past may call it. */
    void (*fill)(void *context, cow_dataptr bytes);
    /* Allocates plain memory for it. False: memory has run out. */
    bool (*new_block)(void *context, size_t nbytes, cow_dataptr *out);
    void (*enter)(void);
    void (*leave)(void);
} cow_past_host;

/* How an allocator keeps the values of allocations whose bytes a writer has taken over. A past stands for one context,
 * and lists the pages that were put aside since. begin, set_aside, recall and nbytes are called in the fork gate. */
typedef struct cow_pasts {
    /* Prepares a past for a context, in case a writer to the box takes over these bytes. NULL: it is not worthwhile, or
     * memory has run out. */
    void *(*prepare)(const cow_dataptr *bytes, size_t nbytes, const cow_box *box, void *context,
                     const cow_past_host *host);
    /* The bytes are now the writer's. Nobody else uses them or asks the past yet. */
    void (*begin)(void *past, const cow_dataptr *bytes);
    /* Frees a past that was only prepared, or whose context has its bytes back. NULL is allowed. */
    void (*drop)(void *past);
    /* 0: these bytes may be written to. Otherwise only a writer that has put aside what it writes to, and was told this
     * number, may write. Called with the micro lock held, and not shared. */
    uint64_t (*watched)(const cow_dataptr *bytes);
    /* Puts aside the pages that the box touches; recalls all pasts, if they are unknown or too many. The caller has a
     * const scope. With COW_TRY, COW_EBUSY instead of a recall or a wait. */
    cow_status (*set_aside)(const cow_dataptr *bytes, const cow_box *box, unsigned flags, uint64_t *told,
                            cow_error *err);
    /* Fills the past's context, unless another thread has. */
    cow_status (*recall)(void *past, cow_error *err);
    /* The past's context ends; it may have been filled meanwhile. */
    void (*forget)(void *past);
    /* Bytes that were put aside. */
    size_t (*nbytes)(void *past);
} cow_pasts;

/* Brings back the bytes of a Storage, if somebody has taken them over. inside: the caller is in the gate, and has made
 * the Storage busy. COW_EABSENT: they are absent for another reason. */
COW_NODISCARD cow_status cowi_recall(cow_storage *storage, bool inside, cow_error *err);
/* The services of contexts for their pasts. */
extern const cow_past_host cowi_past_host;
/* In the gate, and busy: brings the bytes back, and takes a reference to read, so that nobody takes them over. */
COW_NODISCARD cow_status cowi_begin_to_read(cow_storage *storage, cow_error *err);
/* Sets the bytes that were put aside for the Storage. False: it has no past. */
bool cowi_past_bytes(cow_storage *storage, size_t *nbytes);

/* ---- stats.c ----------------------------------------------------------------------------------------------------- */

typedef enum cowi_counter {
    COWI_LAZY_CLONES,
    COWI_COPIES,
    COWI_BYTES_COPIED,
    COWI_STEALS,
    COWI_OVERWRITES,
    COWI_EAGER_COPIES,
    COWI_COUNTERS
} cowi_counter;

void cowi_count(cowi_counter counter, uint64_t amount);

/* ---- status.c ---------------------------------------------------------------------------------------------------- */

/* Writes the text (printf's rules) where err is not NULL; returns status. */
cow_status cowi_fail(cow_error *err, cow_status status, const char *format, ...);
/* Fails with COW_EABSENT. */
cow_status cowi_fail_absent(cow_error *err);

/* ---- nowhere.c --------------------------------------------------------------------------------------------------- */

/* Fails with COW_ENOMEM: an allocator had no block of nbytes. purpose begins with a space. */
cow_status cowi_fail_block(cow_error *err, const cow_allocator *allocator, size_t nbytes, const char *purpose);

#endif
