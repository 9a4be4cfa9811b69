/* Named points, in builds with COWI_YIELD_POINTS: a thread that reaches one goes on, yields, or sleeps for a moment, by
 * its own random numbers. That produces interleavings that are rare in a free run. COWARRAY_YIELD_AT names a single
 * point instead, at which threads always sleep. */
#include "internal.h"
#include "yield.h"

#ifdef COWI_YIELD_POINTS

#include <sched.h>
#include <string.h>
#include <time.h>

#define POINTS 64

static struct {
    cowi_atomic_ptr name;
    cowi_atomic_size times;
} points[POINTS]; /* in the order in which threads first reached them */
static cowi_atomic_uint threads;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static uint64_t first_seed; /* this and the next are written once */
static const char *only_at;
static _Thread_local uint64_t mine; /* 0: not seeded yet */

static void read_environment(void)
{
    const char *seed = getenv("COWARRAY_TEST_SEED");
    const char *at = getenv("COWARRAY_YIELD_AT");
    first_seed = seed == NULL ? 0 : (uint64_t)strtoull(seed, NULL, 10);
    only_at = at == NULL || *at == '\0' ? NULL : at;
}

static uint64_t next(void)
{
    mine ^= mine << 13; /* xorshift: never 0 again */
    mine ^= mine >> 7;
    mine ^= mine << 17;
    return mine;
}

void cowi_yield_seed(uint64_t seed)
{
    mine = (seed + 1) * UINT64_C(0x9E3779B97F4A7C15) | 1;
    (void)next();
}

static void count(const char *where)
{
    for (size_t i = 0; i < POINTS; i++) {
        void *known = cowi_load_acquire(&points[i].name);
        if (known == NULL) {
            void *none = NULL;
            if (cowi_cas_acq_rel(&points[i].name, &none, (void *)(uintptr_t)where)) {
                none = (void *)(uintptr_t)where;
            }
            known = none;
        }
        if (known == (const void *)where || strcmp((const char *)known, where) == 0) {
            (void)cowi_add_relaxed(&points[i].times, 1);
            return;
        }
    }
}

const char *cowi_yield_point(size_t index, size_t *times)
{
    if (index >= POINTS) {
        return NULL;
    }
    *times = cowi_load_relaxed(&points[index].times);
    return (const char *)cowi_load_acquire(&points[index].name);
}

void cowi_yield(const char *where)
{
    uint64_t choice;
    (void)pthread_once(&once, read_environment);
    if (mine == 0) {
        cowi_yield_seed(first_seed + cowi_add_relaxed(&threads, 1));
    }
    count(where);
    choice = only_at == NULL ? next() % 64 : strcmp(only_at, where) == 0 ? 0 : 63;
    if (choice == 0) {
        struct timespec moment;
        moment.tv_sec = 0;
        moment.tv_nsec = (long)(next() % 100000);
        (void)nanosleep(&moment, NULL);
    }
    else if (choice < 12) {
        (void)sched_yield();
    }
}

#else

void cowi_yield_seed(uint64_t seed)
{
    (void)seed;
}

const char *cowi_yield_point(size_t index, size_t *times)
{
    (void)index;
    *times = 0;
    return NULL;
}

#endif
