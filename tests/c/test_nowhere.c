/* Memory that is only counted: addresses of their own, accounts that add up, and no byte that anybody touches. */
#include "harness.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define THREADS 8u
#define TIMES 20000u

static cow_account_figures figures_of(const cow_account *account)
{
    cow_account_figures figures;
    cow_account_read(account, &figures);
    return figures;
}

static cow_account *new_account(cow_account *above)
{
    cow_account *made = NULL;
    CHECK_OK(cow_account_new(above, &made, NULL));
    return made;
}

static void *take(size_t nbytes)
{
    return cow_nowhere()->alloc(cow_nowhere()->self, nbytes, COW_ALIGNMENT);
}

static void give_back(void *data, size_t nbytes)
{
    cow_nowhere()->free(cow_nowhere()->self, data, nbytes, COW_ALIGNMENT);
}

static void blocks_have_addresses_of_their_own_in_the_region(fixture *f)
{
    void *start = NULL;
    size_t nbytes = 0;
    void *blocks[100];
    (void)f;
    cow_nowhere_region(&start, &nbytes);
    REQUIRE(nbytes >= ((size_t)1 << 35));
    for (unsigned i = 0; i < 100; i++) {
        blocks[i] = take((size_t)1 << 40);
        REQUIRE(blocks[i] != NULL);
        CHECK((char *)blocks[i] >= (char *)start && (char *)blocks[i] < (char *)start + nbytes);
        CHECK_EQ((uintptr_t)blocks[i] % 4096, 0);
        for (unsigned k = 0; k < i; k++) {
            CHECK(blocks[k] != blocks[i]);
        }
    }
    for (unsigned i = 0; i < 100; i++) {
        give_back(blocks[i], (size_t)1 << 40);
    }
}

static void a_hushed_account_has_bytes_and_counts_no_copies(fixture *f)
{
    cow_account *line = new_account(NULL);
    cow_account *within = new_account(line);
    (void)f;
    cow_account_hush(within);
    CHECK(cow_account_use(within) == NULL);
    void *a = take(1000);
    cow_nowhere()->clone(NULL, a, a, 300);
    CHECK_EQ(figures_of(within).copied, 0);
    CHECK_EQ(figures_of(line).copied, 0);
    CHECK_EQ(figures_of(line).live, 1000);
    CHECK(cow_account_use(line) == within);
    cow_nowhere()->clone(NULL, a, a, 200);
    CHECK_EQ(figures_of(line).copied, 200);
    CHECK(cow_account_use(NULL) == line);
    give_back(a, 1000);
    cow_account_drop(within);
    cow_account_drop(line);
}

static void accounts_add_up(fixture *f)
{
    cow_account *plan = new_account(NULL);
    cow_account *line = new_account(plan);
    cow_account *other = new_account(plan);
    (void)f;
    CHECK(cow_account_use(line) == NULL);
    void *a = take(1000);
    CHECK(cow_account_use(other) == line);
    void *b = take(500);
    cow_nowhere()->clone(NULL, b, a, 300);
    CHECK(cow_account_use(NULL) == other);
    void *c = take(70); /* on no account */
    CHECK_EQ(figures_of(line).live, 1000);
    CHECK_EQ(figures_of(other).live, 500);
    CHECK_EQ(figures_of(plan).live, 1500);
    give_back(a, 1000);
    CHECK_EQ(figures_of(line).live, 0);
    CHECK_EQ(figures_of(line).peak, 1000);
    CHECK_EQ(figures_of(plan).live, 500);
    CHECK_EQ(figures_of(plan).peak, 1500);
    CHECK_EQ(figures_of(plan).copied, 300);
    CHECK_EQ(figures_of(other).copied, 300);
    CHECK_EQ(figures_of(line).copied, 0);
    cow_account_drop(line);
    cow_account_drop(other); /* lives on, as long as b does */
    CHECK_EQ(figures_of(plan).live, 500);
    give_back(b, 500);
    CHECK_EQ(figures_of(plan).live, 0);
    cow_account_drop(plan);
    give_back(c, 70);
    cow_account_drop(NULL);
}

static void a_storage_costs_what_a_real_one_would(fixture *f)
{
    cow_storage *x = NULL, *y = NULL;
    cow_mutable_scope scope;
    cow_account *account = new_account(NULL);
    const size_t nbytes = (size_t)1 << 40;
    (void)f;
    (void)cow_account_use(account);
    CHECK_OK(cow_storage_new(cow_nowhere(), nbytes, &x, NULL));
    CHECK_OK(cow_lazy_clone(x, 0, nbytes, 0, &y, NULL));
    CHECK_EQ(figures_of(account).live, nbytes);
    CHECK_EQ(figures_of(account).copied, 0);
    CHECK_OK(cow_mutable_begin(y, 0, &scope, NULL)); /* a copy */
    cow_mutable_end(&scope);
    CHECK_EQ(figures_of(account).live, 2 * nbytes);
    CHECK_EQ(figures_of(account).copied, nbytes);
    CHECK_OK(cow_mutable_begin(x, 0, &scope, NULL)); /* a steal */
    cow_mutable_end(&scope);
    CHECK_EQ(figures_of(account).copied, nbytes);
    CHECK_EQ(stats_now().bytes_copied, nbytes);
    cow_storage_free(x);
    cow_storage_free(y);
    CHECK_EQ(figures_of(account).live, 0);
    CHECK_EQ(figures_of(account).peak, 2 * nbytes);
    (void)cow_account_use(NULL);
    cow_account_drop(account);
}

static void sums_stay_numbers(fixture *f)
{
    cow_account *plan = new_account(NULL);
    cow_account *line = new_account(plan);
    const size_t half = (size_t)PTRDIFF_MAX / 2 + 1;
    (void)f;
    (void)cow_account_use(line);
    void *a = take(half);
    REQUIRE(a != NULL);
    CHECK(take(half) == NULL);
    (void)cow_account_use(plan);
    CHECK(take(half) == NULL);
    CHECK_EQ(figures_of(plan).live, half);
    CHECK(take(SIZE_MAX) == NULL);
    CHECK(cow_nowhere()->alloc(NULL, SIZE_MAX, sizeof(void *)) == NULL);
    CHECK(cow_nowhere()->alloc(NULL, 1, (size_t)1 << 13) == NULL); /* no slot is aligned so */
    (void)cow_account_use(NULL);
    give_back(a, half);
    cow_account_drop(line);
    cow_account_drop(plan);
}

static void *take_and_give_back(void *line)
{
    void *mine[16];
    start_line_wait((start_line *)line);
    for (unsigned i = 0; i < TIMES; i++) {
        for (unsigned k = 0; k < 16; k++) {
            mine[k] = take(i + k + 1);
            REQUIRE(mine[k] != NULL);
            for (unsigned l = 0; l < k; l++) {
                CHECK(mine[l] != mine[k]);
            }
        }
        for (unsigned k = 0; k < 16; k++) {
            give_back(mine[k], i + k + 1);
        }
    }
    return NULL;
}

static void many_threads_take_and_give_back(fixture *f)
{
    pthread_t made[THREADS];
    start_line line;
    (void)f;
    start_line_init(&line, THREADS);
    for (unsigned i = 0; i < THREADS; i++) {
        made[i] = spawn(take_and_give_back, &line);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        join(made[i]);
    }
}

/* A table of slots is used from its front: what is given back is taken first. */
static void slots_are_used_again(fixture *f)
{
    (void)f;
    void *first = take(1);
    give_back(first, 1);
    for (unsigned i = 0; i < TIMES; i++) {
        void *again = take(1);
        CHECK(again == first);
        give_back(again, 1);
    }
}

/* ---- under a limit on address space ------------------------------------------------------------------------------- */

#define MANY ((size_t)200000)

static cow_storage *taken[MANY];

/* What is mapped now, and so many bytes more, is all that this process may have. */
static void leave_addresses(size_t more)
{
    struct rlimit space;
    size_t pages = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    REQUIRE(statm != NULL && fscanf(statm, "%zu", &pages) == 1);
    (void)fclose(statm);
    REQUIRE(getrlimit(RLIMIT_AS, &space) == 0);
    space.rlim_cur = pages * (size_t)sysconf(_SC_PAGESIZE) + more;
    REQUIRE(setrlimit(RLIMIT_AS, &space) == 0);
}

static void regions_are_added(void *argument)
{
    void *start = NULL;
    size_t nbytes = 0, beyond = 0;
    (void)argument;
    leave_addresses((size_t)3 << 30);
    cow_nowhere_region(&start, &nbytes);
    REQUIRE(nbytes != 0);
    CHECK(nbytes <= (size_t)1 << 26); /* the rest is the program's */
    for (size_t i = 0; i < MANY; i++) {
        CHECK_OK(cow_storage_new(cow_nowhere(), (size_t)1 << 30, &taken[i], NULL));
        const char *data = (const char *)cow_storage_address(taken[i]);
        beyond += data < (char *)start || data >= (char *)start + nbytes;
    }
    CHECK(beyond > MANY / 2);
    const void *last = cow_storage_address(taken[MANY - 1]);
    cow_storage_free(taken[MANY - 1]);
    CHECK_OK(cow_storage_new(cow_nowhere(), 1, &taken[MANY - 1], NULL));
    CHECK(cow_storage_address(taken[MANY - 1]) == last);
    for (size_t i = 0; i < MANY; i++) {
        cow_storage_free(taken[i]);
    }
}

static void the_error_names_the_limit(void *argument)
{
    cow_error err = {""};
    cow_storage *y = NULL;
    cow_mutable_scope scope;
    size_t count = 0;
    (void)argument;
    leave_addresses((size_t)48 << 20); /* the harness takes some of it */
    while (count < MANY && cow_storage_new(cow_nowhere(), 1000, &taken[count], &err) == COW_OK) {
        count++;
    }
    CHECK(count >= 1024 && count < MANY);
    CHECK(strstr(err.text, "cannot count 1000 bytes: the limit on address space (ulimit -v: ") == err.text);
    char counted[60];
    (void)snprintf(counted, sizeof counted, "of %zu fakes of %zu bytes", count, count * 1000);
    CHECK(strstr(err.text, counted) != NULL);
    CHECK_OK(cow_lazy_clone(taken[0], 0, 1000, 0, &y, NULL));
    CHECK_EQ(cow_mutable_begin(y, 0, &scope, &err), COW_ENOMEM); /* a write needs one more */
    CHECK(strstr(err.text, "ulimit -v") != NULL);
    cow_storage_free(y);
    while (count > 0) {
        cow_storage_free(taken[--count]);
    }
}

static void under_a_limit_regions_are_small_and_added(fixture *f)
{
    (void)f;
    CHECK(child_succeeds(regions_are_added, NULL));
}

static void what_failed_is_said(fixture *f)
{
    (void)f;
    CHECK(child_succeeds(the_error_names_the_limit, NULL));
}

int main(int argc, char **argv)
{
    (void)argc;
    RUN(under_a_limit_regions_are_small_and_added); /* first: no region is reserved yet */
    RUN(what_failed_is_said);
    RUN(blocks_have_addresses_of_their_own_in_the_region);
    RUN(accounts_add_up);
    RUN(a_hushed_account_has_bytes_and_counts_no_copies);
    RUN(a_storage_costs_what_a_real_one_would);
    RUN(sums_stay_numbers);
    RUN(many_threads_take_and_give_back);
    RUN(slots_are_used_again);
    return finish(argv[0]);
}
