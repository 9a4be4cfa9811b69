/* What COWI_ATOMICS_HEADER names under relacy: the core's atomics and locks become relacy's, each with the memory order
 * that its name says. relacy explores the interleavings, and for every load the values that this order still allows. */
#ifndef COWARRAY_MODEL_ATOMICS_HPP
#define COWARRAY_MODEL_ATOMICS_HPP

/* The real headers first: the macros below must not meet their declarations. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <new>

#include <relacy/relacy.hpp>
#undef new
#undef delete
#undef malloc
#undef calloc
#undef realloc
#undef free
#undef assert
#undef errno

/* A relacy object lives inside a run of one interleaving, but the core has static ones, and its structs come as raw
 * memory. So each is bytes at first, made by make and unmade by unmake; a use of what is not made fails the run. */
template <typename T>
struct late {
    alignas(T) unsigned char raw[sizeof(T)];
    unsigned char made;

    T *get(rl::debug_info_param info)
    {
        if (!made) {
            RL_ASSERT_IMPL(false, rl::test_result_access_to_freed_memory, "not made, or freed", info);
        }
        return reinterpret_cast<T *>(raw);
    }
    T *make()
    {
        made = 1;
        return ::new (static_cast<void *>(raw)) T();
    }
    void unmake()
    {
        if (made) {
            reinterpret_cast<T *>(raw)->~T();
            made = 0;
        }
    }
};

typedef late<rl::atomic<size_t> > cowi_atomic_size;
typedef late<rl::atomic<unsigned> > cowi_atomic_uint;
typedef late<rl::atomic<uint64_t> > cowi_atomic_u64;
typedef late<rl::atomic<void *> > cowi_atomic_ptr;

#define cowi_init(p, v) (p)->make()->store((v), rl::mo_relaxed, $)
#define cowi_load_relaxed(p) (p)->get($)->load(rl::mo_relaxed, $)
#define cowi_load_acquire(p) (p)->get($)->load(rl::mo_acquire, $)
#define cowi_load_seq_cst(p) (p)->get($)->load(rl::mo_seq_cst, $)
#define cowi_store_relaxed(p, v) (p)->get($)->store((v), rl::mo_relaxed, $)
#define cowi_store_release(p, v) (p)->get($)->store((v), rl::mo_release, $)
#define cowi_store_seq_cst(p, v) (p)->get($)->store((v), rl::mo_seq_cst, $)
#define cowi_add_relaxed(p, v) (p)->get($)->fetch_add((v), rl::mo_relaxed, $)
#define cowi_add_seq_cst(p, v) (p)->get($)->fetch_add((v), rl::mo_seq_cst, $)
#define cowi_sub_relaxed(p, v) (p)->get($)->fetch_sub((v), rl::mo_relaxed, $) /* for mutants */
#define cowi_sub_acq_rel(p, v) (p)->get($)->fetch_sub((v), rl::mo_acq_rel, $)
#define cowi_sub_release(p, v) (p)->get($)->fetch_sub((v), rl::mo_release, $)
#define cowi_sub_seq_cst(p, v) (p)->get($)->fetch_sub((v), rl::mo_seq_cst, $)
#define cowi_or_seq_cst(p, v) (p)->get($)->fetch_or((v), rl::mo_seq_cst, $)
#define cowi_and_relaxed(p, v) (p)->get($)->fetch_and((v), rl::mo_relaxed, $) /* for mutants */
#define cowi_and_seq_cst(p, v) (p)->get($)->fetch_and((v), rl::mo_seq_cst, $)

/* A failed try at the micro lock lets the others run: a spin that nobody else can end is no interleaving worth exploring. */
template <typename P>
bool model_cas(P *p, unsigned *expected, unsigned v, rl::memory_order success, rl::debug_info_param info)
{
    const bool done =
        p->get(info)->compare_exchange(rl::bool_t<false>(), *expected, v, success, rl::mo_relaxed, info);
    if (!done) {
        rl::yield(1, info);
    }
    return done;
}

#define cowi_cas_acquire(p, expected, v) model_cas((p), (expected), (v), rl::mo_acquire, $)
#define cowi_cas_take_relaxed(p, expected, v) model_cas((p), (expected), (v), rl::mo_relaxed, $) /* for mutants */
#define cowi_cas_acq_rel(p, expected, v) \
    (p)->get($)->compare_exchange(rl::bool_t<false>(), *(expected), (v), rl::mo_acq_rel, rl::mo_acquire, $)
#define cowi_keep_order() ((void)0) /* no model forks between two stores */
#define cowi_cas_relaxed(p, expected, v) /* for mutants */ \
    (p)->get($)->compare_exchange(rl::bool_t<false>(), *(expected), (v), rl::mo_relaxed, rl::mo_relaxed, $)

/* A plain field that the protocol says is ordered by something else: relacy reports the race if it is not. Fields of this
 * type live in memory that model_alloc has zeroed. */
template <typename T>
struct checked {
    late<rl::var<T> > var;

    rl::var<T> &made()
    {
        if (!var.made) {
            var.make();
        }
        return *var.get($);
    }
    operator T() { return made()($).load(); }
    T operator->() { return made()($).load(); }
    checked &operator=(T value)
    {
        made()($).store(value);
        return *this;
    }
    checked &operator=(checked &other) { return *this = static_cast<T>(other); }
    void operator++(int) { *this = static_cast<T>(*this) + 1; }
    void operator--(int) { *this = static_cast<T>(*this) - 1; }
};

/* ---- locks ------------------------------------------------------------------------------------------------------- */

/* unlock touches the lock once more after it has let others in, as a real one may: whoever frees it must wait for that. */
struct model_rwlock {
    late<rl::rl_pthread_rwlock_t> lock;
    cowi_atomic_uint inside;
};

inline int model_rwlock_init(model_rwlock *l)
{
    rl::rl_pthread_rwlock_init(l->lock.make(), 0, $);
    cowi_init(&l->inside, 0u);
    return 0;
}

inline int model_rwlock_destroy(model_rwlock *l)
{
    rl::rl_pthread_rwlock_destroy(l->lock.get($), $);
    l->lock.unmake();
    l->inside.unmake();
    return 0;
}

inline int model_rwlock_unlock(model_rwlock *l)
{
    rl::rl_pthread_rwlock_unlock(l->lock.get($), $);
    (void)cowi_load_relaxed(&l->inside);
    return 0;
}

#define pthread_rwlock_t model_rwlock
#define pthread_rwlock_init(l, a) model_rwlock_init(l)
#define pthread_rwlock_destroy(l) model_rwlock_destroy(l)
#define pthread_rwlock_unlock(l) model_rwlock_unlock(l)
#define pthread_rwlock_wrlock(l) rl::rl_pthread_rwlock_wrlock((l)->lock.get($), $)
#define pthread_rwlock_trywrlock(l) rl::rl_pthread_rwlock_trywrlock((l)->lock.get($), $)
#define pthread_rwlock_tryrdlock(l) rl::rl_pthread_rwlock_tryrdlock((l)->lock.get($), $)

typedef late<rl::rl_pthread_mutex_t> model_mutex;
typedef late<rl::rl_pthread_cond_t> model_cond;

#undef PTHREAD_MUTEX_INITIALIZER
#undef PTHREAD_COND_INITIALIZER
#undef PTHREAD_ONCE_INIT
#define PTHREAD_MUTEX_INITIALIZER {}
#define PTHREAD_COND_INITIALIZER {}
#define PTHREAD_ONCE_INIT 0
#define pthread_mutex_t model_mutex
#define pthread_cond_t model_cond
#define pthread_once_t int
#define pthread_once(once, start) ((void)(once), (void)(start), 0)
#define pthread_atfork(prepare, parent, child) ((void)(prepare), (void)(parent), (void)(child), 0)
#define pthread_mutex_init(m, a) rl::rl_pthread_mutex_init((m)->make(), 0, $)
#define pthread_mutex_lock(m) rl::rl_pthread_mutex_lock((m)->get($), $)
#define pthread_mutex_unlock(m) rl::rl_pthread_mutex_unlock((m)->get($), $)
#define pthread_cond_init(c, a) rl::rl_pthread_cond_init((c)->make(), 0, $)
#define pthread_cond_wait(c, m) rl::rl_pthread_cond_wait((c)->get($), (m)->get($), $)
#define pthread_cond_broadcast(c) rl::rl_pthread_cond_broadcast((c)->get($), $)
#define sched_yield() (rl::yield(1, $), 0)

#define _Alignof alignof

/* The core's named points are places where relacy may switch threads. */
#define COWI_YIELD_POINTS

#endif
