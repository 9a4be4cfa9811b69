/* What the core's files know of each other. protocol.md tells which lock or order protects each field. */
#ifndef COWI_INTERNAL_H
#define COWI_INTERNAL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "assertions.h"
#include "atomics.h"
#include "cowarray/core.h"
#include "family.h"

/* ---- context.c: what the Storages that share one allocation have in common -------------------------------------- */

/* No count of sharers or pins goes beyond this, and none of references beyond twice as much: far below a wrap of its 30
 * bits, even if many threads count at once and then look. A test of the bound lowers it. */
#ifndef COWI_COUNT_LIMIT
#define COWI_COUNT_LIMIT ((size_t)1 << 28)
#endif

/* Where the bytes are: the answer to taking a reference or a share. */
typedef enum cowi_where {
    COWI_HERE,   /* where the Storage's address says */
    COWI_FILLED, /* where the context's original says: they were absent before, so the address may be outdated */
    COWI_ABSENT, /* there are no bytes */
    COWI_FULL    /* not known: the count is full, and nothing was taken */
} cowi_where;

/* Invariant (cowi_context_check): shares + left <= references, but for what cow_storage_spare adds to left. The bytes, if
 * they are here, and the context live while references > 0. */
typedef struct cowi_context {
    /* Two counts in one word, since a share comes and goes with a reference. Upper half: shares, who may still be
     * surprised by a write. Lower half: references, who still touches the bytes or this struct: shares, scopes, threads
     * in the lock; and in its two highest bits whether the bytes are here. */
    cowi_atomic_u64 counts;
    cowi_atomic_size left;  /* open const scopes of Storages that have left: while there are any, nobody steals */
    pthread_rwlock_t lock;  /* shared: a copy is being made; exclusive: the last sharer waits for copies */
    cow_dataptr original;   /* the bytes; all NULL while they are absent */
    size_t nbytes;          /* of the whole allocation */
    void *shadow;           /* the allocator's, equal to the bytes; NULL: none. See *pages* in protocol.md */
    cowi_atomic_ptr family; /* a reference; set once, when the family first earns or pays. NULL: none yet */
    cowi_atomic_u64 owed;   /* bytes of lazy copies that the family has not been told of: see cowi_context_earn */
    cowi_atomic_ptr past;   /* the allocator's, from which the bytes come that are absent. NULL: somebody's to fill */
    void *retired;          /* a past that has given its bytes, of whom somebody with a reference may still ask */
    const cow_allocator *allocator; /* where this struct came from */
    bool foreign;                   /* bytes that are never written and never stolen */
} cowi_context;

/* A context with one share and one reference, over ptr. Owns ptr on success; NULL when memory has run out. */
COW_NODISCARD cowi_context *cowi_context_new(const cow_allocator *allocator, cow_dataptr ptr, size_t nbytes,
                                             bool foreign);
/* Frees the struct alone: for a context that was made and never used. */
void cowi_context_discard(cowi_context *context);
/* Takes a reference, to read. Takes nothing if the bytes are absent. */
COW_NODISCARD cowi_where cowi_context_retain(cowi_context *context);
/* Takes a reference, wherever the bytes are. False: the count is full. */
COW_NODISCARD bool cowi_context_hold(cowi_context *context);
/* Frees the bytes and the context with the last reference. Call with no lock held: the deleter may need one. */
void cowi_context_release(cowi_context *context);
/* Takes a share, with its reference, of absent bytes as well. */
COW_NODISCARD cowi_where cowi_context_share(cowi_context *context);
/* Takes a share, and a reference to read beside the share's own. Takes nothing if the bytes are absent. */
COW_NODISCARD cowi_where cowi_context_share_and_retain(cowi_context *context);
/* Gives up a share and keeps its reference. False, and nothing done, when the bytes are absent, or when it is the last one
 * and last_too is false. */
COW_NODISCARD bool cowi_context_give_up_share(cowi_context *context, bool last_too);
size_t cowi_context_shares(cowi_context *context);
/* True when one share is left, of memory we own. */
COW_NODISCARD bool cowi_context_last_share(cowi_context *context);
/* True when a sharer that writes would not copy: it is the last one, of memory we own, and no reader was left behind. */
COW_NODISCARD bool cowi_context_stealable(cowi_context *context);
/* Gives up a share and its reference. */
void cowi_context_drop(cowi_context *context);
/* The same, and the reference beside it. */
void cowi_context_drop_and_release(cowi_context *context);
/* Of a context that nobody else knows, and that has no bytes. */
void cowi_context_begin_absent(cowi_context *context);
bool cowi_context_absent(cowi_context *context);
bool cowi_context_moving(cowi_context *context);
/* Takes the bytes away from all sharers but the caller, whose share goes; its reference stays. For a caller with one more
 * reference. False: it is the only sharer, or somebody reads, copies or was left behind. Until cowi_context_end_take_over, everybody
 * else waits for a few instructions. */
COW_NODISCARD bool cowi_context_take_over(cowi_context *context, cow_dataptr *taken);
/* Right afterwards. The past of before ends: nobody asks it any more. */
void cowi_context_set_past(cowi_context *context, void *past);
/* Absent from here on, until somebody asks the past for the bytes. */
void cowi_context_end_take_over(cowi_context *context);
/* For its past, while it is absent: all sharers have bytes again. */
void cowi_context_bring_back(cowi_context *context, cow_dataptr bytes);
/* Whether the bytes are absent, and no past would bring them; and whether one would. */
bool cowi_context_is_gone(cowi_context *context);
bool cowi_context_has_past(cowi_context *context);
/* Takes the bytes and the shadow away, for the caller to free. COW_EABSENT: there are none. COW_EBUSY: there are other shares
 * than the managed ones, or somebody reads. */
COW_NODISCARD cow_status cowi_context_evict(cowi_context *context, size_t managed, cow_dataptr *bytes, void **shadow);
/* Drops the shadow. For the only one that knows of the bytes, before they change or are freed. */
void cowi_context_unshadow(cowi_context *context);
/* Notes a lazy copy of nbytes, which an eager copy would have paid for at once. The family earns it once it is known what the
 * copy costs instead: each share but the last may still have to copy everything. */
void cowi_context_owe(cowi_context *context, size_t nbytes);
/* The family of the bytes, for a caller with a share; it lives as long as the context. NULL: there is none. */
cow_family *cowi_context_family(cowi_context *context);
/* For a caller that is about to copy, or has the bytes to itself: the family earns what the other shares cannot need any more. */
void cowi_context_earn(cowi_context *context);
/* How much cowi_context_earn would tell. */
uint64_t cowi_context_earnable(cowi_context *context);
/* Owns bytes on success; alone then tells whether the caller has the only share, and so the bytes to itself. COW_EPRESENT:
 * there are bytes already. COW_EBUSY: bytes are coming or going right now, which takes a few instructions. */
COW_NODISCARD cow_status cowi_context_fill(cowi_context *context, cow_dataptr bytes, bool *alone);
/* Full assertions, for a caller that has a reference. */
void cowi_context_check(cowi_context *context);

/* ---- storage.c --------------------------------------------------------------------------------------------------- */

/* Invariant (cowi_storage_check): context == NULL implies sole, and then ptr owns the bytes; otherwise the context does. sole
 * means: no other share, no copy in progress, the bytes are here and its own to write. pins > 0 implies sole. busy: one thread
 * gives this Storage new bytes, and it alone then changes the context. scopes > 0 implies context != NULL. The
 * struct lives until the Storage is freed and its last const scope has ended. */
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
    cow_dataptr ptr;    /* without a context; it stays while one is put in its place, see cowi_storage_wrap */
    size_t offset;      /* of the window in the allocation; 0 without a context */
    cow_family *family; /* a reference, of bytes that came from a copy; NULL: a context will find one */
    size_t scopes;      /* open const scopes on this context */
    bool sole;
    bool paged; /* while sole: the bytes are by the page, and the allocator counts each write */
    bool reads; /* it is read without a scope, and has a reference beside its share's */
};

/* The struct alone; init gives it no context, no bytes of its own, and the one use that is the Storage itself. */
COW_NODISCARD cow_storage *cowi_storage_alloc(const cow_allocator *allocator);
void cowi_storage_init(cow_storage *storage, const cow_allocator *allocator, void *address, size_t nbytes,
                       size_t allocated);
void cowi_storage_dealloc(const cow_allocator *allocator, cow_storage *storage);
/* The micro lock, of a struct that lives; its Storage may have been freed. */
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
/* With the lock held: the context; if there is none yet, *spare becomes it. NULL: there is neither. */
cowi_context *cowi_storage_wrap(cow_storage *storage, cowi_context **spare);
/* With the lock held, and no context yet. On COW_ENOMEM it is not locked any more. */
COW_NODISCARD cow_status cowi_storage_add_context(cow_storage *storage, cow_error *err);
/* Locks the storage and sees that it has a context. On COW_ENOMEM it is not locked. */
COW_NODISCARD static inline cow_status cowi_storage_lock_wrapped(cow_storage *storage, cow_error *err)
{
    cowi_storage_lock(storage);
    return storage->context != NULL ? COW_OK : cowi_storage_add_context(storage, err);
}
/* With the lock held, while nobody can evict the bytes: sets address to where they are. */
void cowi_storage_find(cow_storage *storage);
/* Makes the Storage sole, on bytes with that handle. With the lock held, or before it is published. */
void cowi_storage_own(cow_storage *storage, cow_dataptr bytes);
/* The writer's box in the allocation, of which the Storage's window begins at offset: in room, if it differs. */
const cow_box *cowi_box_at(const cow_box *box, size_t offset, cow_box *room);
/* Counts a write. With the lock held, and sole. True: the pages should be settled first, and nobody is writing to them. */
bool cowi_storage_unsettled(cow_storage *storage, const cow_box *box);
/* With the lock held, sole, and paged: 0, or what who writes to the bytes has to have been told: see cow_pasts. */
uint64_t cowi_storage_watched(cow_storage *storage);
/* Whether the allocator should look at these bytes before anybody writes to them, whatever he touches. For who has them alone. */
bool cowi_wants_a_look(cow_storage *storage);
/* With the lock held: whether the bytes are here and by the page. */
bool cowi_storage_is_paged(cow_storage *storage);
/* With the lock held: takes the context from the Storage, whose const scopes stay behind in it. */
cowi_context *cowi_storage_leave(cow_storage *storage);
/* Ends one use of the struct. */
void cowi_storage_unuse(cow_storage *storage);

/* ---- materialize.c ------------------------------------------------------------------------------------------------ */

/* Enters the gate and makes the Storage busy, waiting for whoever has. COW_OK with *sole set: it needs nothing, is not
 * busy and is still locked. */
COW_NODISCARD cow_status cowi_become_busy(cow_storage *storage, unsigned flags, bool *sole, cow_error *err);
/* With the lock held, and in the gate: lets the waiting threads go on, unlocks and leaves the gate. moved: the context to
 * which a reference is left, or NULL; it goes last, since the deleter of the bytes may take any lock. */
void cowi_no_longer_busy(cow_storage *storage, cowi_context *moved);
/* Busy: bytes of its own for a Storage that shares. A copy leaves the context without giving up the reference to it. */
COW_NODISCARD cow_status cowi_materialize(cow_storage *storage, const cow_box *box, unsigned flags, cow_error *err);
/* Further flags: the window by the page, or nothing; and for the family that the Storage has, of foreign bytes as well. */
enum { COWI_PAGES_ONLY = 1u << 16, COWI_ON_REQUEST = 1u << 17 };
/* Busy: gives the Storage a copy of its window: true, and *status tells how that went. False, and nothing done: by now the
 * bytes can be stolen, or are absent, or no pages can be had. keep: they cannot be stolen, even with one share left. */
bool cowi_copy(cow_storage *storage, bool keep, const cow_box *box, unsigned flags, cow_status *status, cow_error *err);
/* With the lock held: the Storage owns fresh and nothing else. Returns the context it has left. */
cowi_context *cowi_put_in_place(cow_storage *storage, cow_dataptr fresh);

/* ---- rest.c ------------------------------------------------------------------------------------------------------- */

/* With the lock held: whether the bytes are paged, and nobody writes to them or is about to. A busy thread may have put new bytes
 * in place that it has not pinned yet. */
bool cowi_has_pages_at_rest(cow_storage *storage);
/* Has the allocator look at the pages of a Storage that nobody shares or writes to; if too many of them were written, replaces
 * them by a copy in plain memory. A failure leaves them as they are: their values are right. */
void cowi_settle(cow_storage *storage, const cow_box *box);
/* The same for a Storage that is busy: with the lock held, which is let go of meanwhile. */
void cowi_settle_busy(cow_storage *storage, const cow_box *box);

/* ---- memory.c ---------------------------------------------------------------------------------------------------- */

/* A block of array bytes from allocator, as a DataPtr that frees itself. False when memory has run out. */
COW_NODISCARD bool cowi_block_new(const cow_allocator *allocator, size_t nbytes, cow_dataptr *out);
/* The handle of a block of which only the address was kept. */
cow_dataptr cowi_block(const cow_allocator *allocator, void *data);
void cowi_dataptr_delete(cow_dataptr *ptr, size_t nbytes);
/* Whether the allocator gave these bytes by the page. */
bool cowi_dataptr_paged(const cow_allocator *allocator, cow_dataptr ptr);

/* ---- gate.c: what a fork must not cut in two, and waiting for a busy Storage ------------------------------------- */

/* Once per process, before the first Storage: makes forks close the gate. */
void cowi_gate_start(void);
/* Enters the fork gate; false when it is closed and try_only. Nobody waits for anything but a copy inside. */
bool cowi_gate_enter(bool try_only);
void cowi_gate_leave(void);
/* Waits, outside the gate, until nobody gives the Storage new bytes. */
void cowi_wait_while_busy(cow_storage *storage);
/* Call after busy has been lowered. */
void cowi_wake_busy(void);
/* Differs between a process and its forked children; never 0. */
unsigned cowi_fork_epoch(void);
/* Differs before and after a fork, in both processes. */
unsigned cowi_forks(void);

/* ---- by_page.c ---------------------------------------------------------------------------------------------------- */

/* Enters the gate and makes the Storage busy and not sole, however many share its bytes. COW_EBUSY: it is pinned.
 * cowi_end_rest ends it where the Storage has kept its bytes; otherwise cowi_no_longer_busy. */
COW_NODISCARD cow_status cowi_become_busy_at_rest(cow_storage *storage, bool *was_sole, cow_error *err);
void cowi_end_rest(cow_storage *storage, bool was_sole);

/* ---- recall.c ---------------------------------------------------------------------------------------------------- */

/* What a past needs of the context that it stands for, and of the gate. */
typedef struct cow_past_host {
    /* Gives the absent context bytes, which it owns then. Only who has the past may. */
    void (*fill)(void *context, cow_dataptr bytes);
    /* Plain memory for it. False: memory has run out. */
    bool (*new_block)(void *context, size_t nbytes, cow_dataptr *out);
    void (*enter)(void);
    void (*leave)(void);
} cow_past_host;

/* How an allocator keeps what allocations were whose bytes a writer has taken over. A past stands for one context, and lists the
 * pages that were put aside since. begin, set_aside, recall and nbytes are called in the fork gate. */
typedef struct cow_pasts {
    /* A past that a context could have if a writer to the box took over these bytes. NULL: it is not worth it, or memory has run
     * out. */
    void *(*prepare)(const cow_dataptr *bytes, size_t nbytes, const cow_box *box, void *context,
                     const cow_past_host *host);
    /* The bytes are the writer's now. Nobody else uses them, or asks the past. */
    void (*begin)(void *past, const cow_dataptr *bytes);
    /* Frees a past that was only prepared, or whose context has had bytes since. NULL is allowed. */
    void (*drop)(void *past);
    /* 0: these bytes may be written to. Otherwise only by who has put aside what he writes to, and was told this number. Called
     * with the micro lock held, and not shared. */
    uint64_t (*watched)(const cow_dataptr *bytes);
    /* Puts aside what the box touches; all of it, if that is not known. The caller has a const scope. With COW_TRY, COW_EBUSY
     * where that takes long. */
    cow_status (*set_aside)(const cow_dataptr *bytes, const cow_box *box, unsigned flags, uint64_t *told,
                            cow_error *err);
    /* Fills the past's context, unless another thread did. */
    cow_status (*recall)(void *past, cow_error *err);
    /* Its context ends. It may have been filled meanwhile. */
    void (*forget)(void *past);
    /* Bytes that were put aside. */
    size_t (*nbytes)(void *past);
} cow_pasts;

/* Bytes for a Storage whose bytes somebody has taken over. inside: the caller is in the gate, and has made the Storage busy.
 * COW_EABSENT: they are absent for another reason. */
COW_NODISCARD cow_status cowi_recall(cow_storage *storage, bool inside, cow_error *err);
/* For pasts of contexts. */
extern const cow_past_host cowi_past_host;
/* In the gate, and busy: a reference to read bytes that are here, which keeps others from taking them over. */
COW_NODISCARD cow_status cowi_begin_to_read(cow_storage *storage, cow_error *err);
/* What was put aside for it. False: it has no past. */
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
/* COW_EABSENT: the bytes are away. */
cow_status cowi_fail_absent(cow_error *err);

/* ---- nowhere.c --------------------------------------------------------------------------------------------------- */

/* COW_ENOMEM: an allocator had no block of so many bytes, for a purpose, which begins with a space. */
cow_status cowi_fail_block(cow_error *err, const cow_allocator *allocator, size_t nbytes, const char *purpose);

#endif
