/* The stress program: rounds of threads that act at random, a watchdog, and the sums at the end of each round.
 *
 * usage: stress [SECONDS [PATIENCE]]     no progress for PATIENCE seconds is a deadlock
 *
 * COWARRAY_TEST_SEED repeats what the threads choose; how they interleave is the machine's. */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "stress.h"
#include "yield.h"

#define THREADS_MOST 6u

static uint64_t seed;
static unsigned round_now;
static worker workers[THREADS_MOST];
static tally total;

void found(const worker *w, const char *what)
{
    (void)fprintf(stderr, "stress: FOUND: %s\n  in: %s (thread %u, step %zu, round %u)\n  COWARRAY_TEST_SEED=%llu\n",
                  what, w->action == NULL ? "-" : w->action, w->me, cowi_load_relaxed(&w->progress), round_now,
                  (unsigned long long)seed);
    (void)fflush(stderr);
    _exit(1);
}

unsigned choose(worker *w, unsigned count)
{
    return (unsigned)(next_random(&w->random) % count);
}

bool one_in(worker *w, unsigned count)
{
    return choose(w, count) == 0;
}

/* ---- one thread -------------------------------------------------------------------------------------------------- */

static void worker_start(worker *w, unsigned me, const cow_allocator *allocator, bool with_commons)
{
    memset(w, 0, sizeof *w);
    w->me = me;
    w->random = seed + UINT64_C(1000003) * round_now + me;
    w->allocator = allocator;
    w->with_commons = with_commons;
    w->steps = 1500;
    cowi_init(&w->progress, 0);
}

static void *live(void *argument)
{
    worker *w = (worker *)argument;
    this_thread_is(w);
    cowi_yield_seed(w->random);
    for (unsigned step = 0; step < w->steps; step++) {
        const unsigned what = choose(w, 16);
        blocks_refuse(one_in(w, 40) ? 1 + choose(w, 3) : 0);
        if (what < 8) {
            act_on_arrays(w);
        }
        else if (what < 11 || !w->with_commons) {
            act_on_held(w);
        }
        else if (what < 14) {
            act_on_commons(w);
        }
        else {
            act_on_exchange(w);
        }
        cowi_store_relaxed(&w->progress, step + 1);
    }
    blocks_refuse(0);
    end_all_held(w);
    for (unsigned i = 0; i < ARRAYS; i++) {
        if (w->arrays[i].storage != NULL) {
            drop_array(w, &w->arrays[i]);
        }
    }
    w->action = "through";
    cowi_store_seq_cst(&w->progress, SIZE_MAX);
    return NULL;
}

/* ---- the watchdog: threads that are not through must make progress -------------------------------------------------- */

static double now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void watch(unsigned threads, double patience)
{
    size_t before[THREADS_MOST] = {0};
    double since = now();
    unsigned through = 0;
    for (unsigned nap = 1; through < threads; nap = nap < 20 ? nap + 1 : nap) {
        bool moved = false;
        sleep_ms(nap);
        through = 0;
        for (unsigned i = 0; i < threads; i++) {
            const size_t progress = cowi_load_seq_cst(&workers[i].progress);
            moved = moved || progress != before[i];
            before[i] = progress;
            through += progress == SIZE_MAX;
        }
        if (moved) {
            since = now();
        }
        else if (now() - since > patience) {
            for (unsigned i = 0; i < threads; i++) {
                if (before[i] != SIZE_MAX) {
                    found(&workers[i], "no thread makes progress");
                }
            }
        }
    }
}

/* ---- the sums ---------------------------------------------------------------------------------------------------- */

static void add(tally *to, const tally *t)
{
    uint64_t *sums = (uint64_t *)to;
    for (size_t i = 0; i < sizeof *t / sizeof *sums; i++) {
        sums[i] += ((const uint64_t *)t)[i];
    }
}

static void settle(worker *w, const tally *t, bool with_commons)
{
    const cow_stats stats = stats_now();
    w->action = "the sums of a round";
    MUST(w, t->blocks_given == t->blocks_taken && t->bytes_given == t->bytes_taken);
    MUST(w, t->adopted == t->deleted);
    MUST(w, t->copies == stats.copies + stats.eager_copies && t->bytes_copied == stats.bytes_copied);
    MUST(w, t->clones == stats.lazy_clones + stats.eager_copies);
    MUST(w, t->overwrites == stats.overwrites);
    /* Who materialized a common array cannot be told from outside. */
    MUST(w, with_commons || t->steals == stats.steals);
}

static void play(double patience)
{
    cow_tracing *tracing = NULL;
    cow_tracing_report report;
    worker host;
    tally sums;
    uint64_t random = seed + round_now;
    const unsigned threads = 2 + (unsigned)(next_random(&random) % (THREADS_MOST - 1));
    const bool with_commons = next_random(&random) % 4 != 0;
    const bool traced = next_random(&random) % 2 == 0;
    MUST(&workers[0], cow_tracing_new(cow_heap(), &tracing) == COW_OK);
    worker_start(&host, threads, blocks_over(traced ? cow_tracing_allocator(tracing) : cow_heap()), with_commons);
    this_thread_is(&host);
    cow_stats_reset();
    commons_open(&host);
    for (unsigned i = 0; i < threads; i++) {
        worker_start(&workers[i], i, host.allocator, with_commons);
    }
    for (unsigned i = 0; i < threads; i++) {
        workers[i].thread = spawn(live, &workers[i]);
    }
    watch(threads, patience);
    for (unsigned i = 0; i < threads; i++) {
        join(workers[i].thread);
    }
    commons_close(&host);
    sums = host.counts;
    for (unsigned i = 0; i < threads; i++) {
        add(&sums, &workers[i].counts);
    }
    settle(&host, &sums, with_commons);
    cow_tracing_read(tracing, &report);
    MUST(&host, report.faults == 0 && report.live_blocks == 0 && (report.allocations > 0) == traced);
    MUST(&host, cow_tracing_free(tracing) == COW_OK);
    add(&total, &sums);
}

static void report_points(void)
{
    size_t times;
    const char *name;
    for (size_t i = 0; (name = cowi_yield_point(i, &times)) != NULL; i++) {
        (void)printf("%s%s %zu", i == 0 ? "stress: points: " : ", ", name, times);
    }
    (void)printf("\n");
}

int main(int argc, char **argv)
{
    const double until = now() + (argc > 1 ? strtod(argv[1], NULL) : 5.0);
    const double patience = argc > 2 ? strtod(argv[2], NULL) : 60.0;
    seed = test_seed();
    (void)cow_heap_keep((size_t)16 << 20);
    do {
        play(patience);
        round_now++;
    } while (now() < until);
    report_points();
    (void)printf(
        "stress: %u rounds, %llu reads and %llu writes checked, %llu clones, %llu copies, %llu blocks, %llu refused: "
        "nothing found\n",
        round_now, (unsigned long long)total.reads, (unsigned long long)total.writes, (unsigned long long)total.clones,
        (unsigned long long)total.copies, (unsigned long long)total.blocks_given, (unsigned long long)total.refused);
    return total.reads > 0 && total.copies > 0 ? 0 : 1;
}
