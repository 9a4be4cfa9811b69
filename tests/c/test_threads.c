/* Stress: threads that start at once, many rounds, what must hold in every interleaving. Rounds alternate between the
 * fixture's tracing allocator, which sees leaks, and the plain heap, whose lack of a mutex leaves the threads unordered
 * enough for ThreadSanitizer to see a missing order in the core. */
#include "harness.h"

#define SIZE 256u
#define MAX_THREADS 6u

static uint64_t seed;

/* ---- a team of threads that all run one body in each round -------------------------------------------------------- */

typedef struct team {
    void (*body)(struct team *team, unsigned me);
    start_line line;
    cowi_atomic_uint over;
    cow_storage *own[MAX_THREADS];
    cow_storage *common;
    bool ok[MAX_THREADS];
} team;

typedef struct member {
    team *t;
    unsigned me;
    pthread_t thread;
} member;

static void *run_member(void *argument)
{
    const member *m = (const member *)argument;
    for (;;) {
        start_line_wait(&m->t->line);
        if (cowi_load_seq_cst(&m->t->over)) {
            return NULL;
        }
        m->t->body(m->t, m->me);
        start_line_wait(&m->t->line);
    }
}

/* Each round: prepare, all bodies at once, verify. */
static void play(fixture *f, unsigned threads, unsigned times, void (*prepare)(team *, unsigned, const cow_allocator *),
                 void (*body)(team *, unsigned), void (*verify)(team *, unsigned))
{
    team t;
    member members[MAX_THREADS];
    memset(&t, 0, sizeof t);
    t.body = body;
    cowi_init(&t.over, 0);
    start_line_init(&t.line, threads + 1);
    for (unsigned i = 0; i < threads; i++) {
        members[i].t = &t;
        members[i].me = i;
        members[i].thread = spawn(run_member, &members[i]);
    }
    for (unsigned round = 0; round < times; round++) {
        prepare(&t, threads, round % 2 == 0 ? cow_heap() : f->allocator);
        cow_stats_reset();
        memset(t.ok, 0, sizeof t.ok);
        start_line_wait(&t.line);
        start_line_wait(&t.line);
        for (unsigned i = 0; i < threads; i++) {
            CHECK(t.ok[i]);
        }
        verify(&t, threads);
        for (unsigned i = 0; i < MAX_THREADS; i++) {
            cow_storage_free(t.own[i]);
            t.own[i] = NULL;
        }
        cow_storage_free(t.common);
        t.common = NULL;
    }
    cowi_store_seq_cst(&t.over, 1);
    start_line_wait(&t.line);
    for (unsigned i = 0; i < threads; i++) {
        join(members[i].thread);
    }
}

static void each_shares(team *t, unsigned threads, const cow_allocator *allocator)
{
    t->own[0] = make_filled(allocator, SIZE, 100);
    for (unsigned i = 1; i < threads; i++) {
        t->own[i] = make_clone(t->own[0]);
    }
}

/* ---- N sharers that all write: N - 1 copies and one steal ---------------------------------------------------------- */

static void write_own(team *t, unsigned me)
{
    cow_mutable_scope scope;
    if (cow_mutable_begin(t->own[me], 0, &scope, NULL) == COW_OK) {
        t->ok[me] = all_bytes(scope.data, scope.nbytes, 100); /* nobody else's value */
        memset(scope.data, (int)me, scope.nbytes);
        cow_mutable_end(&scope);
    }
}

static void one_steal_and_own_values(team *t, unsigned threads)
{
    const cow_stats stats = stats_now();
    CHECK_EQ(stats.copies, threads - 1);
    CHECK_EQ(stats.steals, 1);
    CHECK_EQ(stats.bytes_copied, (threads - 1) * SIZE);
    for (unsigned i = 0; i < threads; i++) {
        CHECK(holds(t->own[i], (int)i));
        CHECK_EQ(cow_storage_shares(t->own[i]), 1);
    }
}

static void sharers_that_all_write_copy_once_less_than_they_are(fixture *f)
{
    for (unsigned threads = 2; threads <= MAX_THREADS; threads++) {
        play(f, threads, rounds(600), each_shares, write_own, one_steal_and_own_values);
    }
}

/* ---- clones of one unwrapped Storage: one context ------------------------------------------------------------------ */

static void one_plain(team *t, unsigned threads, const cow_allocator *allocator)
{
    (void)threads;
    t->common = make_filled(allocator, SIZE, 100);
}

static void clone_common(team *t, unsigned me)
{
    t->ok[me] = cow_lazy_clone(t->common, 0, SIZE, 0, &t->own[me], NULL) == COW_OK;
}

static void all_share_one_context(team *t, unsigned threads)
{
    CHECK_EQ(cow_storage_shares(t->common), threads + 1);
    for (unsigned i = 0; i < threads; i++) {
        CHECK_EQ(cow_storage_shares(t->own[i]), threads + 1);
        CHECK(cow_storage_address(t->own[i]) == cow_storage_address(t->common));
        CHECK(holds(t->own[i], 100));
    }
    CHECK_EQ(stats_now().lazy_clones, threads);
}

static void clones_of_one_plain_storage_get_one_context(fixture *f)
{
    play(f, 2, rounds(1500), one_plain, clone_common, all_share_one_context);
    play(f, 4, rounds(500), one_plain, clone_common, all_share_one_context);
}

/* ---- several writers of one Storage: one materialization, and all parts survive ------------------------------------ */

static void one_shared(team *t, unsigned threads, const cow_allocator *allocator)
{
    t->common = make_filled(allocator, SIZE, 100);
    t->own[threads] = make_clone(t->common); /* a bystander */
}

static void fill_part(team *t, unsigned me)
{
    const size_t part = SIZE / 4;
    cow_mutable_scope scope;
    if (cow_mutable_begin(t->common, 0, &scope, NULL) == COW_OK) {
        t->ok[me] = all_bytes((char *)scope.data + me * part, part, 100);
        memset((char *)scope.data + me * part, (int)me, part);
        cow_mutable_end(&scope);
    }
}

static void parts_survive(team *t, unsigned threads)
{
    const size_t part = SIZE / 4;
    for (unsigned i = 0; i < threads; i++) {
        CHECK(holds_between(t->common, i * part, (i + 1) * part, (int)i));
    }
    CHECK(holds(t->own[threads], 100));
    CHECK_EQ(stats_now().copies, 1);
    CHECK_EQ(stats_now().steals, 0);
    CHECK_EQ(cow_storage_pins(t->common), 0);
}

static void writers_of_one_storage_materialize_it_once(fixture *f)
{
    play(f, 2, rounds(1500), one_shared, fill_part, parts_survive);
    play(f, 4, rounds(500), one_shared, fill_part, parts_survive);
}

/* ---- drop against copy --------------------------------------------------------------------------------------------- */

static void first_writes_rest_drop(team *t, unsigned me)
{
    if (me == 0) {
        write_own(t, 0);
    }
    else {
        cow_storage_free(t->own[me]);
        t->own[me] = NULL;
        t->ok[me] = true;
    }
}

static void first_is_alone(team *t, unsigned threads)
{
    (void)threads;
    CHECK(holds(t->own[0], 0));
    CHECK_EQ(cow_storage_shares(t->own[0]), 1);
    CHECK_EQ(stats_now().copies + stats_now().steals, 1);
}

static void drops_do_not_disturb_a_copy(fixture *f)
{
    play(f, 2, rounds(1500), each_shares, first_writes_rest_drop, first_is_alone);
    play(f, 3, rounds(1000), each_shares, first_writes_rest_drop, first_is_alone);
}

/* ---- const scopes against materialization -------------------------------------------------------------------------- */

/* Thread 0 materializes the common Storage and changes nothing; so every reader must see the one old value. */
static void read_while_it_moves(team *t, unsigned me)
{
    if (me == 0) {
        cow_mutable_scope scope;
        t->ok[0] = cow_mutable_begin(t->common, 0, &scope, NULL) == COW_OK;
        if (t->ok[0]) {
            cow_mutable_end(&scope);
        }
        return;
    }
    t->ok[me] = true;
    for (int i = 0; i < 3; i++) {
        cow_const_scope scope;
        if (cow_const_begin(t->common, &scope, NULL) != COW_OK) {
            t->ok[me] = false;
            return;
        }
        t->ok[me] = t->ok[me] && all_bytes(scope.data, scope.nbytes, 100);
        cow_const_end(&scope);
    }
}

static void still_the_old_value(team *t, unsigned threads)
{
    CHECK(holds(t->common, 100));
    CHECK(holds(t->own[threads], 100));
}

static void const_scopes_survive_a_materialization(fixture *f)
{
    play(f, 2, rounds(1500), one_shared, read_while_it_moves, still_the_old_value);
    play(f, 3, rounds(1000), one_shared, read_while_it_moves, still_the_old_value);
}

/* ---- clone and write of one Storage at once: the user's race, which may tear values and must not crash -------------- */

/* Copies and writes by relaxed atomic bytes: the race on values is the subject here, and no undefined behaviour. */
static void loose_clone(void *self, void *data, const void *source, size_t nbytes)
{
    (void)self;
    for (size_t i = 0; i < nbytes / sizeof(cowi_atomic_uint); i++) {
        cowi_atomic_uint *from = (cowi_atomic_uint *)(uintptr_t)source + i;
        cowi_store_relaxed((cowi_atomic_uint *)data + i, cowi_load_relaxed(from));
    }
}

static cow_allocator loose;

static void one_loose_shared(team *t, unsigned threads, const cow_allocator *allocator)
{
    loose = *allocator;
    loose.clone = loose_clone;
    t->common = NULL;
    REQUIRE(cow_storage_new(&loose, SIZE, &t->common, NULL) == COW_OK);
    REQUIRE(fill(t->common, 100) == COW_OK);
    t->own[threads] = make_clone(t->common);
}

static void write_or_clone(team *t, unsigned me)
{
    t->ok[me] = true;
    for (int i = 0; i < 3 && me == 0; i++) {
        cow_mutable_scope scope;
        t->ok[0] = t->ok[0] && cow_mutable_begin(t->common, 0, &scope, NULL) == COW_OK;
        for (size_t k = 0; t->ok[0] && k < SIZE / sizeof(unsigned); k++) {
            cowi_store_relaxed((cowi_atomic_uint *)scope.data + k, 0x07070707u);
        }
        cow_mutable_end(&scope);
    }
    for (int i = 0; i < 3 && me != 0; i++) {
        cow_storage_free(t->own[me]);
        t->own[me] = NULL;
        t->ok[me] = t->ok[me] && cow_lazy_clone(t->common, 0, SIZE, 0, &t->own[me], NULL) == COW_OK;
    }
}

static void old_or_new_in_each_place(team *t, unsigned threads)
{
    cow_const_scope scope;
    CHECK(holds(t->common, 7) && holds(t->own[threads], 100));
    for (unsigned i = 1; i < threads; i++) {
        bool right = true;
        REQUIRE(cow_const_begin(t->own[i], &scope, NULL) == COW_OK);
        for (size_t k = 0; k < SIZE; k++) {
            const char byte = ((const char *)scope.data)[k];
            right = right && (byte == 7 || byte == 100);
        }
        CHECK(right);
        cow_const_end(&scope);
    }
}

static void clone_against_write_never_crashes(fixture *f)
{
    play(f, 2, rounds(1500), one_loose_shared, write_or_clone, old_or_new_in_each_place);
    play(f, 3, rounds(1000), one_loose_shared, write_or_clone, old_or_new_in_each_place);
}

/* ---- everything at once -------------------------------------------------------------------------------------------- */

enum { HELD = 5 };

static cow_storage *exchange; /* one Storage that the threads swap; its value is in every byte */
static pthread_mutex_t exchange_lock = PTHREAD_MUTEX_INITIALIZER;

static int value_of(cow_storage *storage)
{
    cow_const_scope scope;
    int value;
    REQUIRE(cow_const_begin(storage, &scope, NULL) == COW_OK);
    value = *(const unsigned char *)scope.data;
    REQUIRE(all_bytes(scope.data, scope.nbytes, value));
    cow_const_end(&scope);
    return value;
}

static void overwrite_with(cow_storage *storage, int value)
{
    cow_overwrite_scope scope;
    REQUIRE(cow_overwrite_begin(storage, 0, &scope, NULL) == COW_OK);
    memset(scope.data, value, scope.nbytes);
    if (value % 5 == 0 && scope.context != NULL) {
        cow_overwrite_abort(&scope);
        REQUIRE(fill(storage, value) == COW_OK);
        return;
    }
    REQUIRE(cow_overwrite_commit(&scope, NULL, NULL) == COW_OK);
}

/* Each thread holds a few Storages that nobody else touches, and clones, writes, drops and swaps them at random. */
static void live(team *t, unsigned me)
{
    uint64_t mine = seed + me;
    cow_storage *held[HELD];
    int values[HELD];
    t->ok[me] = true;
    for (int i = 0; i < HELD; i++) {
        held[i] = make_clone(t->own[me]);
        values[i] = 100;
    }
    for (unsigned step = 0; step < 2000; step++) {
        const size_t i = next_random(&mine) % HELD;
        const size_t j = next_random(&mine) % HELD;
        const int value = (int)(next_random(&mine) % 256);
        switch (next_random(&mine) % 6) {
        case 0:
            REQUIRE(fill(held[i], value) == COW_OK);
            values[i] = value;
            break;
        case 1:
            overwrite_with(held[i], value);
            values[i] = value;
            break;
        case 2: {
            cow_storage *mine_now = held[i];
            REQUIRE(pthread_mutex_lock(&exchange_lock) == 0);
            held[i] = exchange;
            exchange = mine_now;
            REQUIRE(pthread_mutex_unlock(&exchange_lock) == 0);
            values[i] = value_of(held[i]);
            break;
        }
        default:
            if (i != j) {
                cow_storage_free(held[i]);
                held[i] = make_clone(held[j]);
                values[i] = values[j];
            }
        }
        t->ok[me] = t->ok[me] && value_of(held[j]) == values[j];
    }
    for (int i = 0; i < HELD; i++) {
        t->ok[me] = t->ok[me] && value_of(held[i]) == values[i];
        cow_storage_free(held[i]);
    }
}

static void all_share_and_exchange(team *t, unsigned threads, const cow_allocator *allocator)
{
    each_shares(t, threads, allocator);
    exchange = make_clone(t->own[0]);
    seed = next_random(&seed);
}

static void untouched(team *t, unsigned threads)
{
    for (unsigned i = 0; i < threads; i++) {
        CHECK(holds(t->own[i], 100));
    }
    cow_storage_free(exchange);
    exchange = NULL;
}

static void values_stay_apart_whatever_happens(fixture *f)
{
    play(f, 2, rounds(20), all_share_and_exchange, live, untouched);
    play(f, 4, rounds(10), all_share_and_exchange, live, untouched);
}

int main(int argc, char **argv)
{
    (void)argc;
    seed = test_seed();
    RUN(sharers_that_all_write_copy_once_less_than_they_are);
    RUN(clones_of_one_plain_storage_get_one_context);
    RUN(writers_of_one_storage_materialize_it_once);
    RUN(drops_do_not_disturb_a_copy);
    RUN(const_scopes_survive_a_materialization);
    RUN(clone_against_write_never_crashes);
    RUN(values_stay_apart_whatever_happens);
    return finish(argv[0]);
}
