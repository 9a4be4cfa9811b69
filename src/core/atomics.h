/* The only header that includes <stdatomic.h>. Each name contains the memory order, so that a search lists every use;
 * protocol.md tells why it suffices. A model checker replaces this header and compiles the sources unchanged. */
#ifndef COWI_ATOMICS_H
#define COWI_ATOMICS_H

#ifdef COWI_ATOMICS_HEADER
#include COWI_ATOMICS_HEADER
#else

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

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
#define cowi_sub_acq_rel(p, v) atomic_fetch_sub_explicit((p), (v), memory_order_acq_rel)
#define cowi_sub_release(p, v) atomic_fetch_sub_explicit((p), (v), memory_order_release)
#define cowi_sub_seq_cst(p, v) atomic_fetch_sub_explicit((p), (v), memory_order_seq_cst)
#define cowi_or_seq_cst(p, v) atomic_fetch_or_explicit((p), (v), memory_order_seq_cst)
#define cowi_and_seq_cst(p, v) atomic_fetch_and_explicit((p), (v), memory_order_seq_cst)
#define cowi_cas_acquire(p, expected, v) \
    atomic_compare_exchange_strong_explicit((p), (expected), (v), memory_order_acquire, memory_order_relaxed)
#define cowi_cas_acq_rel(p, expected, v) \
    atomic_compare_exchange_strong_explicit((p), (expected), (v), memory_order_acq_rel, memory_order_acquire)
/* Keeps stores in program order, for a fork, which may copy memory between any two. */
#define cowi_keep_order() atomic_signal_fence(memory_order_release)

#endif

/* Named points where a debug build may switch threads; nothing in a normal build. */
#ifdef COWI_YIELD_POINTS
void cowi_yield(const char *where);
#define COWI_YIELD(where) cowi_yield(where)
#else
#define COWI_YIELD(where) ((void)0)
#endif

#endif
