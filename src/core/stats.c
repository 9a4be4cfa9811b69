/* Counters. Kept in shards, each on cache lines of its own, so that threads that share nothing else do not meet here. */
#include <string.h>

#include "internal.h"

#define SHARDS 16u

typedef struct shard {
    _Alignas(128) cowi_atomic_u64 counters[COWI_COUNTERS];
} shard;

static shard shards[SHARDS];
static cowi_atomic_uint next_shard;
static _Thread_local unsigned my_shard; /* 1 + the index; 0 until the thread counts something */

void cowi_count(cowi_counter counter, uint64_t amount)
{
    if (my_shard == 0) {
        my_shard = 1 + cowi_add_relaxed(&next_shard, 1) % SHARDS;
    }
    (void)cowi_add_relaxed(&shards[my_shard - 1].counters[counter], amount);
}

static uint64_t sum(cowi_counter counter)
{
    uint64_t total = 0;
    for (unsigned i = 0; i < SHARDS; i++) {
        total += cowi_load_relaxed(&shards[i].counters[counter]);
    }
    return total;
}

void cow_stats_read(cow_stats *out)
{
    out->lazy_clones = sum(COWI_LAZY_CLONES);
    out->copies = sum(COWI_COPIES);
    out->bytes_copied = sum(COWI_BYTES_COPIED);
    out->steals = sum(COWI_STEALS);
    out->overwrites = sum(COWI_OVERWRITES);
    out->eager_copies = sum(COWI_EAGER_COPIES);
}

void cow_stats_reset(void)
{
    for (unsigned i = 0; i < SHARDS; i++) {
        for (int counter = 0; counter < COWI_COUNTERS; counter++) {
            cowi_store_relaxed(&shards[i].counters[counter], 0);
        }
    }
}

void cow_stats_count_eager(size_t nbytes)
{
    cowi_count(COWI_EAGER_COPIES, 1);
    cowi_count(COWI_BYTES_COPIED, nbytes);
}
