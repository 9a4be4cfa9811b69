/* Counters, in shards on separate cache lines, so that threads that share nothing else do not contend here. The first
 * threads that count each get a shard for good, and need no atomic addition; all others share the rest. */
#include <string.h>

#include "internal.h"

#define OWN 8u
#define SHARDS 16u

typedef struct shard {
    _Alignas(128) cowi_atomic_u64 counters[COWI_COUNTERS];
} shard;

COWI_STATIC_ASSERT(OWN < SHARDS, "some shards are left for all others");
COWI_STATIC_ASSERT(sizeof(shard) % 128 == 0,
                   "no two shards meet on a cache line, nor on the one that is fetched with it");

static shard shards[SHARDS];
static cowi_atomic_u64 forgotten[COWI_COUNTERS]; /* the totals at the last reset: shards only grow */
static cowi_atomic_size threads;                 /* that have counted */
static _Thread_local shard *my_shard;            /* NULL until the thread counts something */

static shard *shard_of_this_thread(void)
{
    const size_t before = cowi_add_relaxed(&threads, 1);
    return &shards[before < OWN ? before : OWN + before % (SHARDS - OWN)];
}

void cowi_count(cowi_counter counter, uint64_t amount)
{
    cowi_atomic_u64 *count;
    COWI_ASSERT_FULL(counter < COWI_COUNTERS);
    if (my_shard == NULL) {
        my_shard = shard_of_this_thread();
    }
    count = &my_shard->counters[counter];
    if (my_shard < &shards[OWN]) {
        cowi_store_relaxed(count, cowi_load_relaxed(count) + amount);
    }
    else {
        (void)cowi_add_relaxed(count, amount);
    }
}

static uint64_t sum(cowi_counter counter)
{
    uint64_t total = 0;
    for (unsigned i = 0; i < SHARDS; i++) {
        total += cowi_load_relaxed(&shards[i].counters[counter]);
    }
    return total;
}

/* Reads the forgotten total first: it never exceeds the shards' total afterwards. */
static uint64_t since_reset(cowi_counter counter)
{
    const uint64_t before = cowi_load_acquire(&forgotten[counter]);
    return sum(counter) - before;
}

void cow_stats_read(cow_stats *out)
{
    out->lazy_clones = since_reset(COWI_LAZY_CLONES);
    out->copies = since_reset(COWI_COPIES);
    out->bytes_copied = since_reset(COWI_BYTES_COPIED);
    out->steals = since_reset(COWI_STEALS);
    out->overwrites = since_reset(COWI_OVERWRITES);
    out->eager_copies = since_reset(COWI_EAGER_COPIES);
}

/* Of two concurrent resets the earlier may win: the counts between them are then reported again. */
void cow_stats_reset(void)
{
    for (int counter = 0; counter < COWI_COUNTERS; counter++) {
        cowi_store_release(&forgotten[counter], sum((cowi_counter)counter));
    }
}

void cow_stats_count_eager(size_t nbytes)
{
    cowi_count(COWI_EAGER_COPIES, 1);
    cowi_count(COWI_BYTES_COPIED, nbytes);
}
