/* Counts that are full: one more is COW_EOVERFLOW and changes nothing, and when something is let go there is room again.
 *
 * Built with a core of its own, whose counts are full at COWI_COUNT_LIMIT (see the Makefile). */
#include "harness.h"
#include "internal.h"

#define LIMIT ((size_t)COWI_COUNT_LIMIT)
#define SIZE 200u
#define THREADS 4u

_Static_assert(COWI_COUNT_LIMIT <= 1000000, "test_limits needs a core whose counts can be filled");

/* ---- what a refusal must not change ------------------------------------------------------------------------------ */

typedef struct picture {
    cow_tracing_report memory;
    cow_stats figures;
    size_t shares;
    size_t pins;
    int sole;
    const void *address;
} picture;

static picture take(const fixture *f, cow_storage *storage)
{
    picture now;
    memset(&now, 0, sizeof now);
    now.memory = report_of(f);
    now.memory.allocations = 0; /* asking is no change */
    now.memory.peak_bytes = 0;
    now.figures = stats_now();
    now.shares = cow_storage_shares(storage);
    now.pins = cow_storage_pins(storage);
    now.sole = cow_storage_is_sole(storage);
    now.address = cow_storage_address(storage);
    return now;
}

static void check_unchanged(const fixture *f, cow_storage *storage, const picture *before)
{
    const picture now = take(f, storage);
    CHECK_EQ(memcmp(&now.memory, &before->memory, sizeof now.memory), 0);
    CHECK_EQ(memcmp(&now.figures, &before->figures, sizeof now.figures), 0);
    CHECK_EQ(now.shares, before->shares);
    CHECK_EQ(now.pins, before->pins);
    CHECK_EQ(now.sole, before->sole);
    CHECK(now.address == before->address);
}

static void check_text(const cow_error *err)
{
    CHECK(strncmp(err->text, "too many", 8) == 0);
}

/* ---- shares ------------------------------------------------------------------------------------------------------ */

static cow_storage *sharers[COWI_COUNT_LIMIT];

/* As many sharers as there may be; the first is the given one. */
static void fill_shares(cow_storage *first)
{
    sharers[0] = first;
    for (size_t i = 1; i < LIMIT; i++) {
        sharers[i] = make_clone(sharers[i / 2]);
    }
    CHECK_EQ(cow_storage_shares(first), LIMIT);
}

static void free_shares(size_t step)
{
    for (size_t begin = 0; begin < step; begin++) {
        for (size_t i = begin; i < LIMIT; i += step) {
            cow_storage_free(sharers[i]);
        }
    }
}

static void clone_beyond_the_limit(fixture *f)
{
    const unsigned flags[] = {0, COW_TRY, COW_NO_COPY, COW_QUIET | COW_TRY};
    cow_storage *one_more = NULL;
    picture before;
    fill_shares(make_filled(f->allocator, SIZE, 1));
    before = take(f, sharers[5]);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        cow_error err = {""};
        CHECK_STATUS(cow_lazy_clone(sharers[i * 7], i, SIZE - i, flags[i], &one_more, &err), COW_EOVERFLOW);
        check_text(&err);
        CHECK_STATUS(cow_lazy_clone(sharers[5], 0, SIZE, flags[i], &one_more, NULL), COW_EOVERFLOW);
        CHECK(one_more == NULL);
        check_unchanged(f, sharers[5], &before);
    }
    for (int i = 0; i < 3; i++) { /* room for one, and then for none */
        cow_storage_free(sharers[9]);
        CHECK_EQ(cow_storage_shares(sharers[5]), LIMIT - 1);
        CHECK_OK(cow_lazy_clone(sharers[5], 0, SIZE, 0, &sharers[9], NULL));
        CHECK_STATUS(cow_lazy_clone(sharers[9], 0, SIZE, 0, &one_more, NULL), COW_EOVERFLOW);
    }
    CHECK(holds(sharers[0], 1) && holds(sharers[LIMIT - 1], 1));
    free_shares(3);
}

/* A write needs no share more: it gives one up. */
static void write_at_the_limit(fixture *f)
{
    cow_storage *one_more = NULL;
    fill_shares(make_filled(f->allocator, SIZE, 1));
    CHECK_OK(fill(sharers[3], 2));
    CHECK_EQ(cow_storage_shares(sharers[4]), LIMIT - 1);
    CHECK_OK(cow_lazy_clone(sharers[4], 0, SIZE, 0, &one_more, NULL));
    CHECK(holds(sharers[3], 2) && holds(sharers[4], 1) && holds(one_more, 1));
    cow_storage_free(one_more);
    free_shares(7);
    CHECK_EQ(stats_now().copies, 1);
}

/* The scope holds a share of the old bytes while the new ones are computed. */
static void overwrite_at_the_limit(fixture *f)
{
    cow_overwrite_scope scope;
    cow_error err = {""};
    picture before;
    fill_shares(make_filled(f->allocator, SIZE, 1));
    before = take(f, sharers[3]);
    CHECK_STATUS(cow_overwrite_begin(sharers[3], 0, &scope, &err), COW_EOVERFLOW);
    check_text(&err);
    check_unchanged(f, sharers[3], &before);
    cow_storage_free(sharers[4]);
    CHECK_OK(cow_overwrite_begin(sharers[3], 0, &scope, NULL));
    memset(scope.data, 2, scope.nbytes);
    CHECK_STATUS(cow_lazy_clone(sharers[5], 0, SIZE, 0, &sharers[4], NULL), COW_EOVERFLOW);
    CHECK_OK(cow_overwrite_commit(&scope, NULL, NULL));
    CHECK_OK(cow_lazy_clone(sharers[5], 0, SIZE, 0, &sharers[4], NULL));
    CHECK(holds(sharers[3], 2) && holds(sharers[4], 1));
    CHECK_EQ(cow_storage_shares(sharers[4]), LIMIT - 1);
    free_shares(1);
}

static void foreign_bytes_at_the_limit(fixture *f)
{
    char bytes[SIZE];
    const cow_dataptr ptr = {bytes, NULL, NULL};
    cow_storage *first = NULL;
    cow_storage *one_more = NULL;
    memset(bytes, 4, SIZE);
    REQUIRE(cow_storage_adopt(f->allocator, ptr, SIZE, COW_FOREIGN, &first, NULL) == COW_OK);
    fill_shares(first);
    CHECK_STATUS(cow_lazy_clone(first, 0, SIZE, 0, &one_more, NULL), COW_EOVERFLOW);
    CHECK_OK(fill(first, 5));
    CHECK_OK(cow_lazy_clone(sharers[1], 0, SIZE, 0, &one_more, NULL));
    CHECK(holds(one_more, 4) && all_bytes(bytes, SIZE, 4));
    cow_storage_free(one_more);
    free_shares(2);
}

/* Absent bytes are shared up to the same bound, and what finds no room or no bytes gives back what it counted. */
static void absent_bytes_at_the_limit(fixture *f)
{
    char bytes[SIZE];
    const cow_dataptr ptr = {bytes, NULL, NULL};
    cow_storage *first = NULL;
    cow_storage *one_more = NULL;
    cow_const_scope reader;
    cow_overwrite_scope scope;
    picture before;
    memset(bytes, 4, SIZE);
    REQUIRE(cow_storage_new_absent(f->allocator, SIZE, &first, NULL) == COW_OK);
    fill_shares(first);
    before = take(f, sharers[5]);
    CHECK_STATUS(cow_lazy_clone(sharers[5], 0, SIZE, 0, &one_more, NULL), COW_EOVERFLOW);
    CHECK_STATUS(cow_const_begin(sharers[5], &reader, NULL), COW_EABSENT); /* there is room for more references */
    CHECK_STATUS(cow_overwrite_begin(sharers[5], 0, &scope, NULL), COW_EOVERFLOW);
    CHECK_STATUS(cow_mutable_begin(sharers[5], 0, &(cow_mutable_scope){NULL, 0, NULL}, NULL), COW_EABSENT);
    check_unchanged(f, sharers[5], &before);
    CHECK_STATUS(cow_storage_evict(sharers[7], LIMIT, NULL), COW_EABSENT);
    CHECK_OK(cow_storage_fill(sharers[7], ptr, SIZE, NULL));
    CHECK_STATUS(cow_lazy_clone(sharers[5], 0, SIZE, 0, &one_more, NULL), COW_EOVERFLOW); /* as with any bytes */
    CHECK_STATUS(cow_overwrite_begin(sharers[5], 0, &scope, NULL), COW_EOVERFLOW);
    CHECK(holds(sharers[5], 4));
    CHECK_STATUS(cow_storage_evict(sharers[7], LIMIT - 1, NULL), COW_EBUSY);
    CHECK_OK(cow_storage_evict(sharers[7], LIMIT, NULL)); /* every count is as it was */
    free_shares(3);
}

/* ---- scopes ------------------------------------------------------------------------------------------------------ */

#define READERS (2 * LIMIT - 2) /* of two sharers, which are references, too */

static cow_const_scope readers[2 * COWI_COUNT_LIMIT];

static void const_scopes_at_the_limit(fixture *f)
{
    cow_storage *a = make_filled(f->allocator, SIZE, 1);
    cow_storage *b = make_clone(a);
    cow_const_scope one_more = {NULL, 0, NULL, NULL};
    cow_error err = {""};
    picture before;
    for (size_t i = 0; i < READERS; i++) {
        CHECK_OK(cow_const_begin(i % 2 ? a : b, &readers[i], NULL));
    }
    before = take(f, a);
    CHECK_STATUS(cow_const_begin(a, &one_more, &err), COW_EOVERFLOW);
    check_text(&err);
    CHECK_STATUS(cow_const_begin(b, &one_more, NULL), COW_EOVERFLOW);
    CHECK(one_more.data == NULL && one_more.context == NULL);
    check_unchanged(f, a, &before);
    CHECK_OK(fill(a, 2)); /* the readers stay behind with the old bytes; a has none now */
    CHECK_OK(cow_const_begin(a, &one_more, NULL));
    CHECK(all_bytes(one_more.data, SIZE, 2) && all_bytes(readers[0].data, SIZE, 1) &&
          all_bytes(readers[1].data, SIZE, 1));
    cow_const_end(&one_more);
    CHECK_OK(cow_const_begin(b, &readers[READERS], NULL)); /* in the place of a */
    CHECK_STATUS(cow_const_begin(b, &one_more, NULL), COW_EOVERFLOW);
    for (size_t i = 1; i < READERS; i += 2) {
        cow_const_end(&readers[i]);
    }
    cow_storage_free(b); /* its readers keep the bytes */
    CHECK(all_bytes(readers[0].data, SIZE, 1));
    for (size_t i = 0; i <= READERS; i += 2) {
        cow_const_end(&readers[i]);
    }
    cow_storage_free(a);
}

static cow_mutable_scope writers[COWI_COUNT_LIMIT];

static void pins_at_the_limit(fixture *f)
{
    cow_storage *storage = make_filled(f->allocator, SIZE, 1);
    cow_storage *copy = NULL;
    cow_mutable_scope one_more = {NULL, 0, NULL};
    cow_overwrite_scope whole = {NULL, NULL, 0, NULL, NULL};
    picture before;
    for (size_t i = 0; i < LIMIT; i++) {
        CHECK_OK(cow_mutable_begin(storage, i % 2 ? COW_TRY : 0, &writers[i], NULL));
    }
    before = take(f, storage);
    CHECK_EQ(before.pins, LIMIT);
    for (unsigned flags = 0; flags <= (COW_TRY | COW_NO_COPY); flags++) {
        cow_error err = {""};
        CHECK_STATUS(cow_mutable_begin(storage, flags, &one_more, &err), COW_EOVERFLOW);
        check_text(&err);
        CHECK_STATUS(cow_overwrite_begin(storage, flags & COW_TRY, &whole, &err), COW_EOVERFLOW);
        check_text(&err);
        CHECK(one_more.data == NULL && whole.data == NULL);
        check_unchanged(f, storage, &before);
    }
    memset(writers[0].data, 3, SIZE);
    CHECK_OK(cow_lazy_clone(storage, 0, SIZE, 0, &copy, NULL)); /* eager, for there are writers */
    CHECK(holds(copy, 3) && cow_storage_is_sole(copy));
    cow_mutable_end(&writers[LIMIT / 2]);
    CHECK_OK(cow_overwrite_begin(storage, 0, &whole, NULL));
    CHECK_STATUS(cow_mutable_begin(storage, 0, &one_more, NULL), COW_EOVERFLOW);
    CHECK_OK(cow_overwrite_commit(&whole, &writers[LIMIT / 2], NULL));
    CHECK_EQ(cow_storage_pins(storage), LIMIT);
    for (size_t i = 0; i < LIMIT; i++) {
        cow_mutable_end(&writers[i]);
    }
    CHECK_EQ(cow_storage_pins(storage), 0);
    cow_storage_free(copy);
    cow_storage_free(storage);
}

/* ---- threads at the limit ---------------------------------------------------------------------------------------- */

typedef struct crowd {
    start_line line;
    cow_storage *from[THREADS];
    cow_storage *made[THREADS][COWI_COUNT_LIMIT + THREADS];
    cowi_atomic_uint number;
    cowi_atomic_uint refused;
} crowd;

/* Clones until it is refused, drops some, and so on. */
static void *push(void *argument)
{
    crowd *c = (crowd *)argument;
    const unsigned mine = cowi_add_relaxed(&c->number, 1);
    cow_storage **made = c->made[mine];
    size_t count = 0;
    start_line_wait(&c->line);
    for (unsigned refused = 0; refused < 50;) {
        const cow_status status = cow_lazy_clone(c->from[mine], 0, SIZE, 0, &made[count], NULL);
        if (status == COW_OK) {
            count++;
            continue;
        }
        CHECK_STATUS(status, COW_EOVERFLOW);
        refused++;
        /* Whoever looks and then counts is one of THREADS that do so at once. */
        CHECK(cow_storage_shares(c->from[mine]) < LIMIT + THREADS);
        for (unsigned i = 0; i < 5 && count > 0; i++) {
            cow_storage_free(made[--count]);
        }
    }
    while (count > 0) {
        cow_storage_free(made[--count]);
    }
    (void)cowi_add_relaxed(&c->refused, 1);
    return NULL;
}

static void threads_at_the_limit(fixture *f)
{
    static crowd c;
    for (unsigned round = rounds(10); round > 0; round--) {
        pthread_t threads[THREADS];
        start_line_init(&c.line, THREADS);
        cowi_init(&c.number, 0);
        cowi_init(&c.refused, 0);
        c.from[0] = make_filled(f->allocator, SIZE, 1);
        for (unsigned i = 1; i < THREADS; i++) {
            c.from[i] = make_clone(c.from[0]);
        }
        for (unsigned i = 0; i < THREADS; i++) {
            threads[i] = spawn(push, &c);
        }
        for (unsigned i = 0; i < THREADS; i++) {
            join(threads[i]);
        }
        CHECK_EQ(cowi_load_relaxed(&c.refused), THREADS);
        CHECK_EQ(cow_storage_shares(c.from[0]), THREADS);
        for (unsigned i = 0; i < THREADS; i++) {
            CHECK(holds(c.from[i], 1));
            cow_storage_free(c.from[i]);
        }
    }
}

int main(void)
{
    RUN(clone_beyond_the_limit);
    RUN(write_at_the_limit);
    RUN(overwrite_at_the_limit);
    RUN(foreign_bytes_at_the_limit);
    RUN(absent_bytes_at_the_limit);
    RUN(const_scopes_at_the_limit);
    RUN(pins_at_the_limit);
    RUN(threads_at_the_limit);
    return finish("test_limits");
}
