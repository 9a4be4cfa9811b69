/* Figures: exact with any number of threads, and never more than what was counted, whoever resets them meanwhile. */
#include "harness.h"

#define THREADS 40u /* more than there are shards of counters */
#define TIMES 300000u

static void *count_eager(void *line)
{
    start_line_wait((start_line *)line);
    for (unsigned i = 0; i < TIMES; i++) {
        cow_stats_count_eager(3);
    }
    return NULL;
}

static void count_in_threads(start_line *line, pthread_t *made, unsigned threads, unsigned others)
{
    start_line_init(line, threads + others);
    for (unsigned i = 0; i < threads; i++) {
        made[i] = spawn(count_eager, line);
    }
}

static void figures_are_exact_with_many_threads(fixture *f)
{
    pthread_t made[THREADS];
    start_line line;
    (void)f;
    for (unsigned threads = 1; threads <= THREADS; threads += 13) {
        cow_stats_reset();
        count_in_threads(&line, made, threads, 0);
        for (unsigned i = 0; i < threads; i++) {
            join(made[i]);
        }
        CHECK_EQ(stats_now().eager_copies, threads * TIMES);
        CHECK_EQ(stats_now().bytes_copied, 3 * threads * TIMES);
    }
}

static void a_reset_while_others_count_forgets_at_most_what_was_counted(fixture *f)
{
    pthread_t made[THREADS];
    start_line line;
    (void)f;
    cow_stats_reset();
    count_in_threads(&line, made, THREADS, 1);
    start_line_wait(&line);
    for (unsigned i = 0; i < 200; i++) {
        CHECK(stats_now().eager_copies <= THREADS * TIMES); /* less than nothing would be far above */
        if (i % 2 == 0) {
            cow_stats_reset();
        }
    }
    for (unsigned i = 0; i < THREADS; i++) {
        join(made[i]);
    }
    CHECK(stats_now().eager_copies <= THREADS * TIMES);
    cow_stats_reset();
    CHECK_EQ(stats_now().eager_copies, 0);
    cow_stats_count_eager(5);
    CHECK_EQ(stats_now().bytes_copied, 5);
}

int main(int argc, char **argv)
{
    (void)argc;
    RUN(figures_are_exact_with_many_threads);
    RUN(a_reset_while_others_count_forgets_at_most_what_was_counted);
    return finish(argv[0]);
}
