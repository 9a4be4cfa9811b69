/* A small test harness: checks that count, a fixture whose allocator fails the test on a leaked or doubly freed byte, a
 * start line for threads, and an allocator that stops in the middle of a copy until the test lets it go on.
 *
 * A program is a list of RUN(test) and `return finish()`. It prints one line of totals and exits non-zero when a check
 * failed, and also when a test made no check at all. */
#ifndef COWARRAY_TESTS_HARNESS_H
#define COWARRAY_TESTS_HARNESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "atomics.h"
#include "cowarray/core.h"
#include "tracing.h"

/* ---- checks: any thread may make them ---------------------------------------------------------------------------- */

bool check_true(bool holds, const char *text, const char *file, int line);
bool check_equal(uint64_t left, uint64_t right, const char *text, const char *file, int line);
bool check_status(cow_status got, cow_status wanted, const char *text, const char *file, int line);

#define CHECK(condition) check_true((condition) ? true : false, #condition, __FILE__, __LINE__)
#define CHECK_EQ(left, right) check_equal((uint64_t)(left), (uint64_t)(right), #left " == " #right, __FILE__, __LINE__)
#define CHECK_STATUS(call, status) check_status((call), (status), #call, __FILE__, __LINE__)
#define CHECK_OK(call) CHECK_STATUS(call, COW_OK)
/* For what makes the rest of the test meaningless. */
#define REQUIRE(condition)       \
    do {                         \
        if (!CHECK(condition)) { \
            give_up();           \
        }                        \
    } while (0)

/* Ends the program after a failed REQUIRE, with its totals. */
void give_up(void);
/* Failed checks so far: a forked child reports its own. */
size_t checks_failed(void);

/* ---- tests ------------------------------------------------------------------------------------------------------- */

typedef struct fixture {
    cow_tracing *tracing;
    const cow_allocator *allocator; /* the tracing one: what it gave out must be back when the test ends */
} fixture;

/* Runs the test with a fixture of its own and with the figures at 0. COWARRAY_TEST_ONLY names the one test to run. */
void run_test(const char *name, void (*test)(fixture *f));
#define RUN(test) run_test(#test, test)
int finish(const char *program);

cow_tracing_report report_of(const fixture *f);
cow_stats stats_now(void);

/* Runs body in a forked child; true when it ended well, without a failed check, and in time: in a minute, unless it sets
 * another alarm. Such a child starts no thread. */
bool child_succeeds(void (*body)(void *argument), void *argument);
/* The same, where other threads allocate. AddressSanitizer's malloc knows nothing of forks: there it waits a while instead. */
bool child_succeeds_amid_threads(void (*body)(void *argument), void *argument);

/* ---- short forms for arrays whose bytes are all the same ---------------------------------------------------------- */

cow_storage *make_filled(const cow_allocator *allocator, size_t nbytes, int value);
cow_storage *make_clone(cow_storage *source);
cow_storage *make_window(cow_storage *source, size_t offset, size_t nbytes);
/* Writes value to every byte through a mutable scope. */
cow_status fill(cow_storage *storage, int value);
bool all_bytes(const void *data, size_t nbytes, int value);
/* Reads through a const scope. */
bool holds(cow_storage *storage, int value);
/* Bytes from begin to end. */
bool holds_between(cow_storage *storage, size_t begin, size_t end, int value);

/* ---- threads ----------------------------------------------------------------------------------------------------- */

/* Rounds of a stress loop: scaled by COWARRAY_TEST_SCALE (a percentage, 100 unless set). */
unsigned rounds(unsigned usual);
/* COWARRAY_TEST_SEED, or make check's, or the clock; printed, so that a failure can be run again. */
uint64_t test_seed(void);
uint64_t next_random(uint64_t *seed);

/* Threads that arrive wait, spinning, until all have: they then start within nanoseconds. Usable again at once. */
typedef struct start_line {
    cowi_atomic_uint arrived;
    cowi_atomic_uint turn;
    unsigned threads;
} start_line;

void start_line_init(start_line *line, unsigned threads);
void start_line_wait(start_line *line);

pthread_t spawn(void *(*body)(void *), void *argument);
void join(pthread_t thread);
void sleep_ms(unsigned milliseconds);

/* An allocator whose clone waits, once stop is set, until it is cleared: a copy held in mid-air. */
typedef struct stopper {
    cow_allocator table;
    const cow_allocator *under;
    cowi_atomic_uint stop;
    cowi_atomic_uint copying; /* clones that have begun and not ended */
} stopper;

void stopper_init(stopper *s, const cow_allocator *under);
void stopper_hold(stopper *s);
/* Waits until a copy has begun. */
void stopper_wait(stopper *s);
void stopper_release(stopper *s);

#endif
