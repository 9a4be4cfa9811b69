/* The fork gate, and the waiting room for busy Storages. Process-wide.
 *
 * The gate: a materialization runs inside it; a fork closes it, waits until nobody is inside, and only then copies the
 * process. So no child inherits a held rwlock or a Storage between two sets of bytes. state is twice the number of
 * threads inside, plus 1 while closed. */
#include "internal.h"
#include "large.h"
#include "maps.h"

static cowi_atomic_uint state;
static cowi_atomic_uint waiting; /* threads in the waiting room */
static cowi_atomic_uint epoch;   /* forks between the first process and this one, plus 1 */
static cowi_atomic_uint forks;   /* begun by this process or its ancestors */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t forking = PTHREAD_MUTEX_INITIALIZER; /* one fork at a time; held from prepare to parent/child */
static pthread_mutex_t room = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER; /* the gate moved, or a Storage is no longer busy */

#define CLOSED 1u
#define ONE_INSIDE 2u

static void announce(void)
{
    (void)pthread_mutex_lock(&room);
    (void)pthread_cond_broadcast(&changed);
    (void)pthread_mutex_unlock(&room);
}

static void prepare(void)
{
    (void)pthread_mutex_lock(&forking);
    (void)pthread_mutex_lock(&room);
    (void)cowi_or_seq_cst(&state, CLOSED);
    while (cowi_load_seq_cst(&state) != CLOSED) {
        (void)pthread_cond_wait(&changed, &room);
    }
    cowi_large_hold();
    cowi_lists_hold();
    cowi_bases_hold();
    (void)cowi_add_seq_cst(&forks, 1);
}

static void parent(void)
{
    cowi_bases_let_go();
    cowi_lists_let_go();
    cowi_large_let_go();
    (void)cowi_and_seq_cst(&state, ~CLOSED);
    (void)pthread_cond_broadcast(&changed);
    (void)pthread_mutex_unlock(&room);
    (void)pthread_mutex_unlock(&forking);
}

/* In the child's only thread. Others may have been in or near the waiting room, so its locks are reinitialized. */
static void child(void)
{
    cowi_bases_let_go();
    cowi_lists_let_go();
    cowi_large_let_go();
    cowi_store_seq_cst(&state, 0);
    cowi_store_seq_cst(&waiting, 0);
    (void)cowi_add_seq_cst(&epoch, 1);
    (void)pthread_mutex_init(&room, NULL);
    (void)pthread_cond_init(&changed, NULL);
    (void)pthread_mutex_init(&forking, NULL);
}

static void start(void)
{
    cowi_store_seq_cst(&epoch, 1);
    (void)pthread_atfork(prepare, parent, child);
}

unsigned cowi_fork_epoch(void)
{
    return cowi_load_relaxed(&epoch);
}

unsigned cowi_forks(void)
{
    return cowi_load_seq_cst(&forks);
}

void cowi_gate_start(void)
{
    (void)pthread_once(&once, start);
}

bool cowi_gate_enter(bool try_only)
{
    while (cowi_add_seq_cst(&state, ONE_INSIDE) & CLOSED) {
        cowi_gate_leave();
        if (try_only) {
            return false;
        }
        (void)pthread_mutex_lock(&room);
        while (cowi_load_seq_cst(&state) & CLOSED) {
            (void)pthread_cond_wait(&changed, &room);
        }
        (void)pthread_mutex_unlock(&room);
    }
    return true;
}

void cowi_gate_leave(void)
{
    const unsigned before = cowi_sub_seq_cst(&state, ONE_INSIDE);
    COWI_ASSERT_FULL(before >= ONE_INSIDE);
    if (before == (CLOSED | ONE_INSIDE)) {
        announce();
    }
}

void cowi_wait_while_busy(cow_storage *storage)
{
    (void)pthread_mutex_lock(&room);
    (void)cowi_add_seq_cst(&waiting, 1);
    while (cowi_load_seq_cst(&storage->busy)) {
        (void)pthread_cond_wait(&changed, &room);
    }
    (void)cowi_sub_seq_cst(&waiting, 1);
    (void)pthread_mutex_unlock(&room);
}

void cowi_wake_busy(void)
{
    if (cowi_load_seq_cst(&waiting) != 0) {
        announce();
    }
}
