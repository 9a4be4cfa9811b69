/* Stress: threads that make, clone, view, write, overwrite, pin, read, exchange and drop Storages at random, and know
 * what each must hold.
 *
 * The values: an array is a Storage of up to CELLS cells, each filled with one cookie. A cookie is new with each write
 * and says who wrote it. Beside each Storage lies the list of the cookies that it must hold, so every read is checked in
 * full. Private arrays belong to one thread at a time; common ones to all, under the rule that users have to keep:
 * threads write disjoint parts at once, or read at once, or one is alone (commons.c). Bytes are shared across all. */
#ifndef COWARRAY_TESTS_STRESS_H
#define COWARRAY_TESTS_STRESS_H

#include "harness.h"

#define CELLS 8u   /* of the longest array, and the most threads: thread i owns cell i of each common array */
#define ARRAYS 6u  /* private arrays of a thread */
#define READERS 4u /* const scopes that a thread keeps open */
#define PINS 3u    /* mutable scopes that a thread keeps open */
#define COMMONS 3u
#define EXCHANGES 4u

typedef struct array {
    cow_storage *storage; /* NULL: nothing here */
    size_t cell;          /* bytes of a cell */
    unsigned cells;
    uint64_t cookies[CELLS];
} array;

/* An open const scope; what it must show until somebody writes to its bytes in place. */
typedef struct reader {
    cow_const_scope scope;
    array shown;   /* shown.storage is what it was opened on, to compare with only; NULL: a free slot */
    bool promised; /* false: others may write to the bytes by now, so they are not looked at */
} reader;

typedef struct common common;

/* An open mutable scope, of a private array or a common one. */
typedef struct pin {
    cow_mutable_scope scope; /* scope.storage NULL: a free slot */
    array *of;
    common *shared;
} pin;

/* What one thread did, to be set against the core's figures at the end of a round. */
typedef struct tally {
    uint64_t blocks_given, blocks_taken, bytes_given, bytes_taken, copies, bytes_copied; /* by the allocator */
    uint64_t clones, steals, overwrites;
    uint64_t adopted, deleted;
    uint64_t reads, writes, refused;
} tally;

typedef struct worker {
    unsigned me;
    uint64_t random;
    uint64_t version; /* of the last cookie */
    const cow_allocator *allocator;
    bool with_commons;
    unsigned steps;
    array arrays[ARRAYS];
    reader readers[READERS];
    pin pins[PINS];
    const char *action;        /* what it is doing, for the watchdog to say */
    cowi_atomic_size progress; /* steps done; SIZE_MAX when through */
    tally counts;
    pthread_t thread;
} worker;

/* ---- stress.c ---------------------------------------------------------------------------------------------------- */

/* Says what went wrong, with seed, thread and action, and ends the program. */
_Noreturn void found(const worker *w, const char *what);
#define MUST(w, condition)          \
    do {                            \
        if (!(condition)) {         \
            found((w), #condition); \
        }                           \
    } while (0)
unsigned choose(worker *w, unsigned count); /* 0 .. count - 1 */
bool one_in(worker *w, unsigned count);

/* ---- blocks.c: the allocator ------------------------------------------------------------------------------------- */

/* Over `under`, without a lock: counts into the tally of the calling thread's worker, hands out bytes that are no cookie,
 * spoils what it takes back, and refuses when the thread has asked for it. */
const cow_allocator *blocks_over(const cow_allocator *under);
void this_thread_is(worker *w);
worker *this_thread(void);
/* Refuses this thread's n-th block from now; 0: none. */
void blocks_refuse(unsigned n);

/* ---- arrays.c: private arrays, and all that checks values ---------------------------------------------------------- */

uint64_t new_cookie(worker *w);
void put_cookie(worker *w, void *data, size_t cell, unsigned index, uint64_t cookie);
/* Checks that cells begin .. end - 1 at data hold the cookies from `cookies` on. */
void must_hold(worker *w, const void *data, size_t cell, unsigned begin, unsigned end, const uint64_t *cookies);
/* Is it what the flags and a refused block allow? Ends the program if not. */
bool went_well(worker *w, cow_status status, unsigned flags);
/* Opens a mutable scope on a private array and counts what it cost; false where flags or a refusal forbid it. */
bool begin_write(worker *w, array *a, unsigned flags, cow_mutable_scope *out);
/* A new cookie in some cells, or in all, of bytes that are a's own by now. */
void write_cells(worker *w, array *a, void *data, bool all);
size_t nbytes_of(const array *a);
void new_array(worker *w, array *a, unsigned cells);
void drop_array(worker *w, array *a);
void act_on_arrays(worker *w);

/* ---- held.c: scopes that stay open ----------------------------------------------------------------------------------- */

/* Bytes at data have been written to: scopes that look at the same ones see it. */
void seen_by_readers(worker *w, const array *a, const void *data);
/* The Storage leaves this thread, or is freed: its scopes promise nothing any more. */
void forget_readers(worker *w, const cow_storage *storage);
void end_pins_of(worker *w, const array *a);
unsigned pins_of(const worker *w, const array *a);
void act_on_held(worker *w);
pin *free_pin(worker *w);
reader *free_reader(worker *w);
void end_all_held(worker *w);

/* ---- commons.c: arrays of all threads ------------------------------------------------------------------------------ */

void commons_open(worker *w);  /* by the main thread, before a round */
void commons_close(worker *w); /* and after it */
void act_on_commons(worker *w);
void write_pinned_common(worker *w, pin *p);
void end_pinned_common(pin *p);
/* Arrays that threads swap and clone from. */
void act_on_exchange(worker *w);

#endif
