/* What COWI_ATOMICS_HEADER names under GenMC. Its own <stdatomic.h>, under the core's names; and what it has no model of: a
 * lock for readers and writers, and a condition, each made of atomics whose orders are the weakest that such a thing must
 * have. Whoever waits does so by __VERIFIER_assume: an execution in which it would have to go round again ends there, and
 * is counted as blocked. */
#ifndef COWARRAY_GENMC_ATOMICS_H
#define COWARRAY_GENMC_ATOMICS_H

#include <assert.h>
#include <genmc.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef atomic_size_t cowi_atomic_size;
typedef atomic_uint cowi_atomic_uint;
typedef _Atomic(uint64_t) cowi_atomic_u64;
typedef _Atomic(void *) cowi_atomic_ptr;

#define cowi_init(p, v) atomic_init((p), (v))
#define cowi_load_relaxed(p) atomic_load_explicit((p), memory_order_relaxed)
#define cowi_load_acquire(p) atomic_load_explicit((p), memory_order_acquire)
#define cowi_load_seq_cst(p) atomic_load_explicit((p), memory_order_seq_cst)
#define cowi_store_relaxed(p, v) atomic_store_explicit((p), (v), memory_order_relaxed)
#define cowi_store_release(p, v) atomic_store_explicit((p), (v), memory_order_release)
#define cowi_store_seq_cst(p, v) atomic_store_explicit((p), (v), memory_order_seq_cst)
#define cowi_add_relaxed(p, v) atomic_fetch_add_explicit((p), (v), memory_order_relaxed)
#define cowi_add_seq_cst(p, v) atomic_fetch_add_explicit((p), (v), memory_order_seq_cst)
#define cowi_sub_relaxed(p, v) atomic_fetch_sub_explicit((p), (v), memory_order_relaxed) /* for mutants */
#define cowi_sub_acq_rel(p, v) atomic_fetch_sub_explicit((p), (v), memory_order_acq_rel)
#define cowi_sub_release(p, v) atomic_fetch_sub_explicit((p), (v), memory_order_release)
#define cowi_sub_seq_cst(p, v) atomic_fetch_sub_explicit((p), (v), memory_order_seq_cst)
#define cowi_or_seq_cst(p, v) atomic_fetch_or_explicit((p), (v), memory_order_seq_cst)
#define cowi_and_relaxed(p, v) atomic_fetch_and_explicit((p), (v), memory_order_relaxed) /* for mutants */
#define cowi_and_seq_cst(p, v) atomic_fetch_and_explicit((p), (v), memory_order_seq_cst)
#define cowi_cas_acq_rel(p, expected, v) \
    atomic_compare_exchange_strong_explicit((p), (expected), (v), memory_order_acq_rel, memory_order_acquire)
#define cowi_keep_order() ((void)0)      /* no model forks between two stores */
#define cowi_cas_relaxed(p, expected, v) /* for mutants */ \
    atomic_compare_exchange_strong_explicit((p), (expected), (v), memory_order_relaxed, memory_order_relaxed)

/* The micro lock's: who does not get it tries again, which is an execution that is explored anyway. */
#define model_take(p, expected, v, order)                                                       \
    (atomic_compare_exchange_strong_explicit((p), (expected), (v), order, memory_order_relaxed) \
         ? true                                                                                 \
         : (model_wait(), false))
#define cowi_cas_acquire(p, expected, v) model_take((p), (expected), (v), memory_order_acquire)
#define cowi_cas_take_relaxed(p, expected, v) model_take((p), (expected), (v), memory_order_relaxed) /* for mutants */

static inline void model_wait(void)
{
    __VERIFIER_assume(0);
}

/* ---- the lock for readers and writers ------------------------------------------------------------------------------ */

#define MODEL_WRITER 1000

typedef struct model_rwlock {
    atomic_int held;   /* readers, plus MODEL_WRITER */
    atomic_int inside; /* unlock touches the lock once more after it has let others in, as a real one may */
} model_rwlock;

static _Thread_local bool model_writes; /* this thread holds a lock exclusively; it holds one at a time */

static inline int model_rwlock_init(model_rwlock *lock)
{
    atomic_init(&lock->held, 0);
    atomic_init(&lock->inside, 0);
    return 0;
}

static inline int model_rwlock_tryrdlock(model_rwlock *lock)
{
    const int before = atomic_fetch_add_explicit(&lock->held, 1, memory_order_acquire);
    assert(before < MODEL_WRITER); /* a sharer is never alone, and so no writer can be there */
    return 0;
}

static inline int model_rwlock_trywrlock(model_rwlock *lock)
{
    int nobody = 0;
    model_writes = atomic_compare_exchange_strong_explicit(&lock->held, &nobody, MODEL_WRITER, memory_order_acquire,
                                                           memory_order_relaxed);
    return !model_writes;
}

static inline int model_rwlock_wrlock(model_rwlock *lock)
{
    if (model_rwlock_trywrlock(lock) != 0) {
        model_wait();
    }
    return 0;
}

static inline int model_rwlock_unlock(model_rwlock *lock)
{
    (void)atomic_fetch_sub_explicit(&lock->held, model_writes ? MODEL_WRITER : 1, memory_order_release);
    model_writes = false;
    (void)atomic_load_explicit(&lock->inside, memory_order_relaxed);
    return 0;
}

#define pthread_rwlock_t model_rwlock
#define pthread_rwlock_init(lock, attributes) model_rwlock_init(lock)
#define pthread_rwlock_destroy(lock) 0
#define pthread_rwlock_tryrdlock(lock) model_rwlock_tryrdlock(lock)
#define pthread_rwlock_trywrlock(lock) model_rwlock_trywrlock(lock)
#define pthread_rwlock_wrlock(lock) model_rwlock_wrlock(lock)
#define pthread_rwlock_unlock(lock) model_rwlock_unlock(lock)

/* ---- conditions, and what runs once or around a fork ----------------------------------------------------------------- */

typedef struct model_cond {
    atomic_int turn; /* broadcasts so far */
} model_cond;

static inline int model_cond_wait(model_cond *cond, pthread_mutex_t *mutex)
{
    const int before = atomic_load_explicit(&cond->turn, memory_order_relaxed);
    (void)pthread_mutex_unlock(mutex);
    __VERIFIER_assume(atomic_load_explicit(&cond->turn, memory_order_relaxed) != before);
    return pthread_mutex_lock(mutex);
}

static inline int model_cond_broadcast(model_cond *cond)
{
    (void)atomic_fetch_add_explicit(&cond->turn, 1, memory_order_relaxed);
    return 0;
}

#undef PTHREAD_COND_INITIALIZER
#define PTHREAD_COND_INITIALIZER {0}
#define pthread_cond_t model_cond
#define pthread_cond_init(cond, attributes) (atomic_init(&(cond)->turn, 0), 0)
#define pthread_cond_wait(cond, mutex) model_cond_wait((cond), (mutex))
#define pthread_cond_broadcast(cond) model_cond_broadcast(cond)
#define pthread_once_t int
#define pthread_once(once, start) ((void)(once), (void)(start), 0)
#define pthread_atfork(prepare, parent, child) ((void)(prepare), (void)(parent), (void)(child), 0)
#define sched_yield() 0

#endif
