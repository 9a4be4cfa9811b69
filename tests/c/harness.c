/* What harness.h declares. Process-wide counters, touched by relaxed adds alone. */
#include "harness.h"

#include "large.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static cowi_atomic_size passed;
static cowi_atomic_size failed;
static size_t tests_run;
static const char *running;

/* ---- checks ------------------------------------------------------------------------------------------------------ */

bool check_true(bool holds_true, const char *text, const char *file, int line)
{
    if (holds_true) {
        (void)cowi_add_relaxed(&passed, 1);
        return true;
    }
    (void)cowi_add_relaxed(&failed, 1);
    (void)fprintf(stderr, "%s:%d: failed: %s\n", file, line, text);
    return false;
}

bool check_equal(uint64_t left, uint64_t right, const char *text, const char *file, int line)
{
    if (left != right) {
        (void)fprintf(stderr, "%s:%d: %llu != %llu\n", file, line, (unsigned long long)left, (unsigned long long)right);
    }
    return check_true(left == right, text, file, line);
}

bool check_status(cow_status got, cow_status wanted, const char *text, const char *file, int line)
{
    if (got != wanted) {
        (void)fprintf(stderr, "%s:%d: got '%s', wanted '%s'\n", file, line, cow_status_text(got),
                      cow_status_text(wanted));
    }
    return check_true(got == wanted, text, file, line);
}

size_t checks_failed(void)
{
    return cowi_load_relaxed(&failed);
}

static size_t checks_made(void)
{
    return cowi_load_relaxed(&passed) + cowi_load_relaxed(&failed);
}

int finish(const char *program)
{
    const char *name = strrchr(program, '/') != NULL ? strrchr(program, '/') + 1 : program;
    if (checks_made() == 0) {
        (void)fprintf(stderr, "%s: no check was made\n", name);
        (void)cowi_add_relaxed(&failed, 1);
    }
    (void)printf("%s: %zu tests: %zu passed, %zu failed\n", name, tests_run, cowi_load_relaxed(&passed),
                 cowi_load_relaxed(&failed));
    return checks_failed() == 0 ? 0 : 1;
}

void give_up(void)
{
    if (running != NULL) {
        (void)fprintf(stderr, "%s: FAILED\n", running);
    }
    (void)printf("given up: %zu passed, %zu failed\n", cowi_load_relaxed(&passed), cowi_load_relaxed(&failed));
    exit(1);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

void run_test(const char *name, void (*test)(fixture *f))
{
    const size_t made_before = checks_made();
    const size_t failed_before = checks_failed();
    const char *only = getenv("COWARRAY_TEST_ONLY");
    cow_tracing_report report;
    fixture f;
    if (only != NULL && *only != '\0' && strcmp(only, name) != 0) {
        return;
    }
    running = name;
    REQUIRE(cow_tracing_new(cow_heap(), &f.tracing) == COW_OK);
    f.allocator = cow_tracing_allocator(f.tracing);
    cow_stats_reset();
    test(&f);
    (void)check_true(checks_made() - made_before > 1, "the test makes a check of its own", name, 0);
    cow_tracing_read(f.tracing, &report);
    CHECK_EQ(report.faults, 0);
    CHECK_EQ(report.live_bytes, 0);
    CHECK_STATUS(cow_tracing_free(f.tracing), COW_OK);
    tests_run++;
    running = NULL;
    if (checks_failed() != failed_before) {
        (void)fprintf(stderr, "%s: FAILED\n", name);
    }
}

cow_tracing_report report_of(const fixture *f)
{
    cow_tracing_report report;
    cow_tracing_read(f->tracing, &report);
    return report;
}

cow_stats stats_now(void)
{
    cow_stats stats;
    cow_stats_read(&stats);
    return stats;
}

/* ---- children ---------------------------------------------------------------------------------------------------- */

bool child_succeeds(void (*body)(void *), void *argument)
{
    int status = 0;
    pid_t child;
    (void)fflush(stdout);
    (void)fflush(stderr);
    child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const size_t failed_before = checks_failed();
        (void)alarm(60);
        body(argument);
        _exit(checks_failed() == failed_before ? 0 : 1);
    }
    REQUIRE(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool child_succeeds_amid_threads(void (*body)(void *), void *argument)
{
#ifdef COWI_ASAN
    (void)body;
    (void)argument;
    sleep_ms(10);
    return true;
#else
    return child_succeeds(body, argument);
#endif
}

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

cow_storage *make_filled(const cow_allocator *allocator, size_t nbytes, int value)
{
    cow_storage *storage = NULL;
    cow_error err;
    REQUIRE(cow_storage_new(allocator, nbytes, &storage, &err) == COW_OK);
    REQUIRE(fill(storage, value) == COW_OK);
    return storage;
}

cow_storage *make_window(cow_storage *source, size_t offset, size_t nbytes)
{
    cow_storage *storage = NULL;
    cow_error err;
    REQUIRE(cow_lazy_clone(source, offset, nbytes, 0, &storage, &err) == COW_OK);
    return storage;
}

cow_storage *make_clone(cow_storage *source)
{
    return make_window(source, 0, cow_storage_nbytes(source));
}

cow_status fill(cow_storage *storage, int value)
{
    cow_mutable_scope scope;
    cow_status status = cow_mutable_begin(storage, 0, &scope, NULL);
    if (status == COW_OK) {
        memset(scope.data, value, scope.nbytes);
        cow_mutable_end(&scope);
    }
    return status;
}

bool all_bytes(const void *data, size_t nbytes, int value)
{
    const unsigned char *bytes = (const unsigned char *)data;
    for (size_t i = 0; i < nbytes; i++) {
        if (bytes[i] != (unsigned char)value) {
            return false;
        }
    }
    return true;
}

bool holds_between(cow_storage *storage, size_t begin, size_t end, int value)
{
    cow_const_scope scope;
    bool result;
    REQUIRE(cow_const_begin(storage, &scope, NULL) == COW_OK);
    REQUIRE(begin <= end && end <= scope.nbytes);
    result = all_bytes((const char *)scope.data + begin, end - begin, value);
    cow_const_end(&scope);
    return result;
}

bool holds(cow_storage *storage, int value)
{
    return holds_between(storage, 0, cow_storage_nbytes(storage), value);
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text == NULL || *text == '\0' ? otherwise : (uint64_t)strtoull(text, NULL, 10);
}

unsigned rounds(unsigned usual)
{
    const uint64_t scaled = usual * from_environment("COWARRAY_TEST_SCALE", 100) / 100;
    return scaled == 0 ? 1u : (unsigned)scaled;
}

uint64_t test_seed(void)
{
    struct timespec now = {0, 0};
    uint64_t seed;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    seed = (uint64_t)now.tv_sec * 1000003u + (uint64_t)now.tv_nsec;
    seed = from_environment("COWARRAY_TEST_SEED", from_environment("COWARRAY_CHECK_SEED", seed));
    (void)printf("seed: COWARRAY_TEST_SEED=%llu\n", (unsigned long long)seed);
    (void)fflush(stdout);
    return seed;
}

uint64_t next_random(uint64_t *seed) /* splitmix64: any seed will do */
{
    uint64_t z = (*seed += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

void start_line_init(start_line *line, unsigned threads)
{
    cowi_init(&line->arrived, 0);
    cowi_init(&line->turn, 0);
    line->threads = threads;
}

void start_line_wait(start_line *line)
{
    const unsigned turn = cowi_load_seq_cst(&line->turn);
    if (cowi_add_seq_cst(&line->arrived, 1) + 1 == line->threads) {
        cowi_store_seq_cst(&line->arrived, 0);
        (void)cowi_add_seq_cst(&line->turn, 1);
        return;
    }
    /* Spin, then offer the core, then leave it: on a busy machine the last to arrive must get one. */
    for (unsigned spins = 1; cowi_load_seq_cst(&line->turn) == turn; spins++) {
        if (spins > 2000) {
            const struct timespec moment = {0, 20000};
            (void)nanosleep(&moment, NULL);
        }
        else if (spins % 256 == 0) {
            (void)sched_yield();
        }
    }
}

pthread_t spawn(void *(*body)(void *), void *argument)
{
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, body, argument) == 0);
    return thread;
}

void join(pthread_t thread)
{
    REQUIRE(pthread_join(thread, NULL) == 0);
}

void sleep_ms(unsigned milliseconds)
{
    struct timespec time;
    time.tv_sec = milliseconds / 1000;
    time.tv_nsec = (long)(milliseconds % 1000) * 1000000L;
    (void)nanosleep(&time, NULL);
}

/* ---- the stopper ------------------------------------------------------------------------------------------------- */

static void *stopper_alloc(void *self, size_t nbytes, size_t alignment)
{
    const cow_allocator *under = ((stopper *)self)->under;
    return under->alloc(under->self, nbytes, alignment);
}

static void stopper_free(void *self, void *data, size_t nbytes, size_t alignment)
{
    const cow_allocator *under = ((stopper *)self)->under;
    under->free(under->self, data, nbytes, alignment);
}

static void stopper_clone(void *self, void *data, const void *source, size_t nbytes)
{
    stopper *s = (stopper *)self;
    (void)cowi_add_seq_cst(&s->copying, 1);
    while (cowi_load_seq_cst(&s->stop)) {
        sleep_ms(1);
    }
    s->under->clone(s->under->self, data, source, nbytes);
    (void)cowi_sub_seq_cst(&s->copying, 1);
}

void stopper_init(stopper *s, const cow_allocator *under)
{
    s->table.name = "stopper";
    s->table.self = s;
    s->table.alloc = stopper_alloc;
    s->table.free = stopper_free;
    s->table.clone = stopper_clone;
    s->table.paging = NULL;
    s->under = under;
    cowi_init(&s->stop, 0);
    cowi_init(&s->copying, 0);
}

void stopper_hold(stopper *s)
{
    cowi_store_seq_cst(&s->stop, 1);
}

void stopper_wait(stopper *s)
{
    while (cowi_load_seq_cst(&s->copying) == 0) {
        sleep_ms(1);
    }
}

void stopper_release(stopper *s)
{
    cowi_store_seq_cst(&s->stop, 0);
}
