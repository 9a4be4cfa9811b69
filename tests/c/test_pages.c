/* A write to a large shared allocation costs the pages that it writes; what is read afterwards is what a copy would have
 * held. On pages of 4 KiB where the system has no others. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

#define MIB ((size_t)1 << 20)
#define PAGE ((size_t)4096)
#define SIZE (8 * MIB + 3 * PAGE + 64)

static bool can_page;

static void use(cow_paging_mode mode)
{
    const cow_paging_policy policy = {mode, 0, 1};
    (void)cow_paging_use(policy);
}

static cow_paging_figures figures(void)
{
    cow_paging_figures now;
    cow_paging_read(&now);
    return now;
}

static void nothing_is_left(void)
{
    const cow_paging_figures now = figures();
    CHECK_EQ(now.base_bytes, 0);
    CHECK_EQ(now.base_files, 0);
    CHECK_EQ(now.maps, 0);
}

/* One byte, by a writer who says so. */
static cow_status put(cow_storage *storage, size_t at, int value)
{
    const cow_box box = {(ptrdiff_t)at, 1, 0, NULL, SIZE_MAX};
    cow_mutable_scope scope;
    const cow_status status = cow_mutable_begin_at(storage, &box, 0, &scope, NULL);
    if (status == COW_OK) {
        ((char *)scope.data)[at] = (char)value;
        cow_mutable_end(&scope);
    }
    return status;
}

static int get(cow_storage *storage, size_t at)
{
    cow_const_scope scope;
    int value;
    REQUIRE(cow_const_begin(storage, &scope, NULL) == COW_OK);
    value = ((const char *)scope.data)[at];
    cow_const_end(&scope);
    return value;
}

static cow_storage *make_large(int value)
{
    return make_filled(cow_heap(), SIZE, value);
}

/* ---- what a write costs ------------------------------------------------------------------------------------------ */

static void one_byte_costs_a_page(fixture *f)
{
    cow_storage *first = make_large(7);
    cow_storage *second = make_clone(first);
    const uint64_t before = stats_now().bytes_copied;
    (void)f;
    use(COW_PAGING_EAGER);
    CHECK_OK(put(second, 5 * MIB, 1));
    CHECK_EQ(cow_storage_is_paged(second), can_page);
    CHECK_EQ(cow_storage_is_paged(first), 0);
    CHECK_EQ(stats_now().bytes_copied - before, can_page ? 0 : SIZE);
    CHECK(get(second, 5 * MIB) == 1 && get(first, 5 * MIB) == 7);
    CHECK(holds_between(second, 0, 5 * MIB, 7) && holds_between(second, 5 * MIB + 1, SIZE, 7));
    CHECK(holds(first, 7));
    cow_storage_free(second);
    cow_storage_free(first);
    nothing_is_left();
}

static void second_generation_copies_the_pages_of_the_first(fixture *f)
{
    cow_storage *first = make_large(7), *second, *third;
    uint64_t before;
    (void)f;
    use(COW_PAGING_EAGER);
    second = make_clone(first);
    CHECK_OK(put(second, 100, 1));
    CHECK_OK(put(second, 4 * MIB, 2));
    third = make_clone(second);
    before = stats_now().bytes_copied;
    CHECK_OK(put(third, SIZE - 1, 3));
    CHECK_EQ(stats_now().bytes_copied - before, can_page ? 2 * PAGE : SIZE);
    CHECK_OK(put(second, 100, 4));
    CHECK(get(third, 100) == 1 && get(third, 4 * MIB) == 2 && get(third, SIZE - 1) == 3);
    CHECK(get(second, 100) == 4 && get(second, SIZE - 1) == 7 && get(first, 100) == 7);
    cow_storage_free(second);
    CHECK(get(third, 100) == 1 && get(third, 4 * MIB) == 2);
    cow_storage_free(third);
    CHECK(holds(first, 7));
    cow_storage_free(first);
    nothing_is_left();
}

static void last_sharer_keeps_its_address_and_drops_the_shadow(fixture *f)
{
    cow_storage *first = make_large(7), *second = make_clone(first);
    const void *address = cow_storage_address(first);
    (void)f;
    use(COW_PAGING_EAGER);
    CHECK_OK(put(second, 0, 1));
    cow_storage_free(second);
    CHECK_OK(put(first, 0, 2));
    CHECK(cow_storage_address(first) == address);
    nothing_is_left(); /* before it is freed */
    second = make_clone(first);
    CHECK_OK(put(second, 1, 3));
    CHECK(get(second, 0) == 2 && get(second, 1) == 3 && get(first, 1) == 7);
    cow_storage_free(first);
    CHECK(get(second, 0) == 2 && get(second, 2) == 7);
    cow_storage_free(second);
    nothing_is_left();
}

static void windows_are_paged_where_they_lie(fixture *f)
{
    cow_storage *whole = make_large(7), *part, *inner;
    (void)f;
    use(COW_PAGING_EAGER);
    CHECK_OK(put(whole, 3 * MIB, 1));
    part = make_window(whole, MIB + 64, 6 * MIB);
    CHECK_OK(put(part, 10, 2));
    CHECK_EQ(cow_storage_is_paged(part), can_page);
    CHECK(get(part, 2 * MIB - 64) == 1 && get(part, 10) == 2 && get(whole, MIB + 74) == 7);
    inner = make_window(part, MIB, 5 * MIB);
    CHECK_OK(put(inner, 5 * MIB - 1, 3));
    CHECK_EQ(cow_storage_is_paged(inner), can_page);
    CHECK(get(inner, MIB - 64) == 1 && get(inner, 5 * MIB - 1) == 3 && get(part, 6 * MIB - 1) == 7);
    cow_storage_free(whole);
    cow_storage_free(part);
    CHECK(get(inner, MIB - 64) == 1 && holds_between(inner, MIB, 5 * MIB - 1, 7));
    cow_storage_free(inner);
    nothing_is_left();
}

static void who_says_nothing_gets_a_plain_copy(fixture *f)
{
    cow_storage *first = make_large(7), *second = make_clone(first);
    (void)f;
    use(COW_PAGING_EAGER);
    CHECK_OK(fill(second, 1));
    CHECK_EQ(cow_storage_is_paged(second), 0);
    CHECK(holds(first, 7) && holds(second, 1));
    cow_storage_free(first);
    cow_storage_free(second);
    nothing_is_left();
}

static void off_is_off_and_small_windows_are_copied(fixture *f)
{
    cow_storage *first = make_large(7), *second = make_clone(first);
    cow_storage *small = make_filled(cow_heap(), 4 * MIB - 1, 7), *other = make_clone(small);
    (void)f;
    use(COW_PAGING_OFF);
    CHECK_OK(put(second, 0, 1));
    CHECK_EQ(cow_storage_is_paged(second), 0);
    use(COW_PAGING_EAGER);
    CHECK_OK(put(other, 0, 1));
    CHECK_EQ(cow_storage_is_paged(other), 0);
    cow_storage_free(first);
    cow_storage_free(second);
    cow_storage_free(small);
    cow_storage_free(other);
    nothing_is_left();
}

/* ---- giving up --------------------------------------------------------------------------------------------------- */

static void who_writes_much_gets_plain_memory(fixture *f)
{
    cow_storage *first = make_large(7), *second = make_clone(first);
    const uint64_t before = figures().give_ups;
    (void)f;
    use(COW_PAGING_EAGER);
    for (size_t at = 0; at < SIZE; at += PAGE) {
        CHECK_OK(put(second, at, (int)(at / PAGE % 5)));
    }
    CHECK_EQ(cow_storage_is_paged(second), 0);
    CHECK_EQ(figures().give_ups - before, can_page);
    for (size_t at = 0; at < SIZE; at += PAGE) {
        REQUIRE(get(second, at) == (int)(at / PAGE % 5) && get(second, at + 1) == 7);
    }
    CHECK(holds(first, 7));
    cow_storage_free(first);
    cow_storage_free(second);
    nothing_is_left();
}

static void same_page_again_and_again_is_no_reason(fixture *f)
{
    cow_storage *first, *second;
    (void)f;
    use(COW_PAGING_EAGER);
    for (int skipped = 0; skipped < 64; skipped++) { /* what the last give-up has left */
        first = make_large(7);
        second = make_clone(first);
        CHECK_OK(put(second, 0, 1));
        skipped = cow_storage_is_paged(second) ? 64 : skipped;
        if (skipped == 64) {
            for (int i = 0; i < 3000; i++) {
                REQUIRE(put(second, (size_t)i, i % 100) == COW_OK);
            }
            CHECK_EQ(cow_storage_is_paged(second), can_page);
            CHECK(get(second, 2999) == 99 && get(second, 3000) == 7);
        }
        cow_storage_free(second);
        cow_storage_free(first);
    }
    nothing_is_left();
}

static void nothing_moves_while_it_is_pinned(fixture *f)
{
    cow_storage *first = make_large(7), *second = make_clone(first);
    const cow_box box = {0, 1, 0, NULL, SIZE_MAX};
    cow_mutable_scope pinned;
    (void)f;
    use(COW_PAGING_EAGER);
    while (can_page && (put(second, 0, 7) != COW_OK || !cow_storage_is_paged(second))) {
        cow_storage_free(second);
        second = make_clone(first);
    }
    REQUIRE(cow_mutable_begin_at(second, &box, 0, &pinned, NULL) == COW_OK);
    for (size_t at = 0; at < SIZE; at += PAGE) {
        CHECK_OK(put(second, at, 1));
    }
    ((char *)pinned.data)[1] = 9; /* seen only if it is still the place */
    CHECK_EQ(get(second, 1), 9);
    CHECK(cow_storage_address(second) == pinned.data);
    cow_mutable_end(&pinned);
    CHECK_OK(put(second, 0, 2));
    CHECK_EQ(cow_storage_is_paged(second), 0);
    CHECK(get(second, 1) == 9 && get(second, PAGE) == 1 && get(second, PAGE + 1) == 7);
    cow_storage_free(first);
    cow_storage_free(second);
    nothing_is_left();
}

static void try_says_busy_before_a_look(fixture *f)
{
    cow_storage *first = make_large(7), *second = make_clone(first);
    const cow_box all = {0, (ptrdiff_t)SIZE, 0, NULL, SIZE_MAX};
    cow_mutable_scope scope;
    (void)f;
    use(COW_PAGING_EAGER);
    while (can_page && (put(second, 0, 7) != COW_OK || !cow_storage_is_paged(second))) {
        cow_storage_free(second);
        second = make_clone(first);
    }
    CHECK_STATUS(cow_mutable_begin_at(second, &all, COW_TRY, &scope, NULL), can_page ? COW_EBUSY : COW_OK);
    if (!can_page) {
        cow_mutable_end(&scope);
    }
    CHECK_EQ(cow_storage_write_cost(second), can_page ? SIZE : 0);
    CHECK_OK(cow_mutable_begin_at(second, &all, COW_NO_COPY, &scope, NULL));
    cow_mutable_end(&scope);
    CHECK_EQ(cow_storage_is_paged(second), can_page);
    CHECK_OK(cow_mutable_begin_at(second, &all, 0, &scope, NULL));
    cow_mutable_end(&scope);
    CHECK_EQ(cow_storage_is_paged(second), 0);
    CHECK(holds(second, 7));
    cow_storage_free(first);
    cow_storage_free(second);
    nothing_is_left();
}

static void overwriting_pages_copies_none(fixture *f)
{
    cow_storage *first = make_large(7), *second = make_clone(first);
    cow_overwrite_scope scope;
    uint64_t before;
    (void)f;
    use(COW_PAGING_EAGER);
    while (can_page && (put(second, 0, 7) != COW_OK || !cow_storage_is_paged(second))) {
        cow_storage_free(second);
        second = make_clone(first);
    }
    before = stats_now().bytes_copied;
    REQUIRE(cow_overwrite_begin(second, 0, &scope, NULL) == COW_OK);
    CHECK((scope.data != scope.old) == can_page);
    memset(scope.data, 3, SIZE);
    CHECK_OK(cow_overwrite_commit(&scope, NULL, NULL));
    CHECK(holds(second, 3) && holds(first, 7));
    CHECK_EQ(cow_storage_is_paged(second), 0);
    CHECK_EQ(stats_now().bytes_copied, before);
    REQUIRE(cow_overwrite_begin(first, 0, &scope, NULL) == COW_OK);
    cow_overwrite_abort(&scope);
    CHECK(holds(first, 7));
    cow_storage_free(first);
    cow_storage_free(second);
    nothing_is_left();
}

static void delete_large(void *data, void *context, size_t nbytes)
{
    (void)context;
    cow_heap()->free(cow_heap()->self, data, nbytes, COW_ALIGNMENT);
}

static void evicted_pages_take_their_base_along(fixture *f)
{
    cow_storage *first = make_large(7), *second = make_clone(first);
    cow_dataptr taken;
    (void)f;
    use(COW_PAGING_EAGER);
    CHECK_OK(put(second, 0, 1));
    CHECK_OK(cow_storage_evict(first, 1, NULL));
    CHECK_EQ(figures().base_files, cow_storage_is_paged(second));
    CHECK(holds_between(second, 1, SIZE, 7));
    CHECK_OK(cow_storage_take(second, 1, &taken, NULL));
    CHECK_OK(cow_storage_fill(second, taken, SIZE, NULL));
    CHECK_OK(put(second, 1, 2));
    CHECK(get(second, 0) == 1 && get(second, 1) == 2 && holds_between(second, 2, SIZE, 7));
    CHECK_OK(cow_storage_evict(second, 1, NULL));
    nothing_is_left();
    cow_storage_free(first);
    cow_storage_free(second);
}

/* What was equal to the old bytes is not to the new. */
static void evicted_bytes_come_back_without_their_shadow(fixture *f)
{
    cow_storage *first = make_large(7), *second = make_clone(first), *third;
    cow_dataptr fresh;
    (void)f;
    use(COW_PAGING_EAGER);
    CHECK_OK(put(second, 0, 1));
    CHECK_OK(cow_storage_evict(first, 1, NULL));
    fresh.data = cow_heap()->alloc(cow_heap()->self, SIZE, COW_ALIGNMENT);
    REQUIRE(fresh.data != NULL);
    memset(fresh.data, 8, SIZE);
    fresh.context = NULL;
    fresh.deleter = delete_large;
    CHECK_OK(cow_storage_fill(first, fresh, SIZE, NULL));
    third = make_clone(first);
    CHECK_OK(put(third, 0, 2));
    CHECK(get(third, 0) == 2 && holds_between(third, 1, SIZE, 8) && holds(first, 8));
    CHECK(get(second, 0) == 1 && holds_between(second, 1, SIZE, 7));
    cow_storage_free(first);
    cow_storage_free(second);
    cow_storage_free(third);
    nothing_is_left();
}

static cow_storage *make_paged(cow_storage *source)
{
    cow_storage *clone = make_clone(source);
    CHECK_OK(put(clone, 0, 7));
    while (can_page && !cow_storage_is_paged(clone)) { /* what the last give-up has left */
        cow_storage_free(clone);
        clone = make_clone(source);
        CHECK_OK(put(clone, 0, 7));
    }
    return clone;
}

static void write_each_page(cow_storage *storage)
{
    for (size_t at = 0; at < SIZE; at += PAGE) {
        CHECK_OK(put(storage, at, 1));
    }
}

static void pages_that_come_back_are_given_up_as_before(fixture *f)
{
    cow_storage *first = make_large(7), *second, *other = NULL;
    cow_dataptr taken;
    (void)f;
    use(COW_PAGING_EAGER);
    second = make_paged(first);
    REQUIRE(cow_storage_new_absent(cow_heap(), SIZE, &other, NULL) == COW_OK);
    CHECK_OK(cow_storage_take(second, 1, &taken, NULL));
    CHECK_OK(cow_storage_fill(other, taken, SIZE, NULL));
    CHECK_EQ(cow_storage_is_paged(other), can_page);
    write_each_page(other);
    CHECK_EQ(cow_storage_is_paged(other), 0);
    cow_storage_free(first);
    cow_storage_free(other);
    cow_storage_free(second);
    nothing_is_left();
}

static void stolen_pages_are_given_up_as_before(fixture *f)
{
    cow_storage *first = make_large(7), *second;
    (void)f;
    use(COW_PAGING_EAGER);
    second = make_paged(first);
    cow_storage_free(make_clone(second));
    CHECK_OK(put(second, 1, 7)); /* the last sharer of pages */
    CHECK_EQ(cow_storage_is_paged(second), can_page);
    write_each_page(second);
    CHECK_EQ(cow_storage_is_paged(second), 0);
    cow_storage_free(first);
    cow_storage_free(second);
    nothing_is_left();
}

static void pinned_pages_are_overwritten_in_place(fixture *f)
{
    const cow_box box = {0, 1, 0, NULL, SIZE_MAX};
    cow_storage *first = make_large(7), *second;
    cow_mutable_scope pinned;
    cow_overwrite_scope scope;
    (void)f;
    use(COW_PAGING_EAGER);
    second = make_paged(first);
    REQUIRE(cow_mutable_begin_at(second, &box, 0, &pinned, NULL) == COW_OK);
    REQUIRE(cow_overwrite_begin(second, 0, &scope, NULL) == COW_OK);
    CHECK(scope.data == pinned.data && scope.old == pinned.data);
    memset(scope.data, 3, SIZE);
    CHECK_OK(cow_overwrite_commit(&scope, NULL, NULL));
    CHECK(((char *)pinned.data)[1] == 3);
    cow_mutable_end(&pinned);
    CHECK(holds(second, 3) && holds(first, 7));
    cow_storage_free(first);
    cow_storage_free(second);
    nothing_is_left();
}

/* ---- generations at random, against copies ------------------------------------------------------------------------ */

#define LIVE 6

typedef struct pair {
    cow_storage *storage;
    unsigned char *model;
} pair;

static void drop(pair *p)
{
    cow_storage_free(p->storage);
    free(p->model);
    p->storage = NULL;
}

static bool is_equal(const pair *p)
{
    cow_const_scope scope;
    bool same;
    REQUIRE(cow_const_begin(p->storage, &scope, NULL) == COW_OK);
    same = memcmp(scope.data, p->model, SIZE) == 0;
    cow_const_end(&scope);
    return same;
}

/* Rows of bytes, as an image's rectangle. */
static void write_rows(pair *p, uint64_t *seed)
{
    const size_t rows = 1 + next_random(seed) % 40, bytes = 1 + next_random(seed) % 5000;
    const size_t stride = bytes + next_random(seed) % 60000;
    const size_t hull = (rows - 1) * stride + bytes;
    const size_t start = next_random(seed) % (SIZE - hull);
    const bool backwards = next_random(seed) % 2;
    const ptrdiff_t dims[] = {(ptrdiff_t)rows, (ptrdiff_t)bytes, backwards ? -(ptrdiff_t)stride : (ptrdiff_t)stride, 1};
    const cow_box box = {(ptrdiff_t)(start + (backwards ? (rows - 1) * stride : 0)), 1, 2, dims, SIZE_MAX};
    const int value = (int)(next_random(seed) % 100);
    cow_mutable_scope scope;
    REQUIRE(cow_mutable_begin_at(p->storage, &box, 0, &scope, NULL) == COW_OK);
    for (size_t row = 0; row < rows; row++) {
        memset((char *)scope.data + start + row * stride, value, bytes);
        memset(p->model + start + row * stride, value, bytes);
    }
    cow_mutable_end(&scope);
}

static void write_bytes(pair *p, uint64_t *seed)
{
    const size_t count = (size_t)1 << next_random(seed) % 9;
    for (size_t i = 0; i < count; i++) {
        const size_t at = next_random(seed) % SIZE;
        REQUIRE(put(p->storage, at, (int)(i % 100)) == COW_OK);
        p->model[at] = (unsigned char)(i % 100);
    }
}

static void write_whole(pair *p, uint64_t *seed)
{
    cow_overwrite_scope scope;
    const int value = (int)(next_random(seed) % 100);
    REQUIRE(cow_overwrite_begin(p->storage, 0, &scope, NULL) == COW_OK);
    memset(scope.data, value, SIZE);
    REQUIRE(cow_overwrite_commit(&scope, NULL, NULL) == COW_OK);
    memset(p->model, value, SIZE);
}

static pair copy_of(const pair *p)
{
    pair made = {make_clone(p->storage), (unsigned char *)malloc(SIZE)};
    REQUIRE(made.model != NULL);
    memcpy(made.model, p->model, SIZE);
    return made;
}

static pair fresh_pair(void)
{
    pair made = {make_large(7), (unsigned char *)malloc(SIZE)};
    REQUIRE(made.model != NULL);
    memset(made.model, 7, SIZE);
    return made;
}

static bool generations(uint64_t seed, unsigned steps)
{
    pair live[LIVE];
    bool good = true;
    for (size_t i = 0; i < LIVE; i++) {
        live[i] = i == 0 ? fresh_pair() : copy_of(&live[0]);
    }
    for (unsigned step = 0; step < steps && good; step++) {
        pair *one = &live[next_random(&seed) % LIVE], *other = &live[next_random(&seed) % LIVE];
        switch (next_random(&seed) % 16) {
        case 0:
            write_whole(one, &seed);
            break;
        case 1:
        case 2:
        case 3:
        case 4:
        case 5:
            if (one != other) {
                drop(other);
                *other = copy_of(one);
            }
            break;
        case 6:
            cow_storage_heal(one->storage, 1);
            break;
        case 7:
        case 8:
        case 9:
            write_rows(one, &seed);
            break;
        default:
            write_bytes(one, &seed);
        }
        good = is_equal(one) && (step % 8 != 0 || is_equal(other));
    }
    for (size_t i = 0; i < LIVE; i++) {
        good = good && is_equal(&live[i]);
        drop(&live[i]);
    }
    return good;
}

static void generations_hold_what_copies_would(fixture *f)
{
    const uint64_t seed = test_seed();
    (void)f;
    for (unsigned round = 0; round < rounds(6); round++) {
        use(round % 3 == 2 ? COW_PAGING_LEDGER : COW_PAGING_EAGER);
        if (!CHECK(generations(seed + round, 150))) {
            (void)fprintf(stderr, "seed %llu, round %u\n", (unsigned long long)seed, round);
        }
        nothing_is_left();
    }
}

/* ---- threads and forks -------------------------------------------------------------------------------------------- */

typedef struct crowd {
    cow_storage *root;
    start_line line;
    cowi_atomic_uint stop;
    cowi_atomic_uint wrong;
    cowi_atomic_uint steps;
} crowd;

static bool one_step(cow_storage *root, uint64_t *seed)
{
    const size_t i = next_random(seed) % SIZE, j = next_random(seed) % SIZE;
    cow_storage *a = make_clone(root), *b, *c;
    bool good = put(a, i, 1) == COW_OK;
    b = make_clone(a);
    c = make_clone(a);
    good = put(b, j, 2) == COW_OK && put(a, i, 3) == COW_OK && put(c, j, 4) == COW_OK && good;
    good = good && get(b, j) == 2 && get(a, i) == 3 && get(c, j) == 4 && get(root, i) == 7 && get(root, j) == 7;
    good = good && (i == j || (get(b, i) == 1 && get(c, i) == 1));
    cow_storage_free(a);
    good = put(b, i, 5) == COW_OK && get(b, i) == 5 && (i == j || get(c, i) == 1) && good;
    cow_storage_free(b);
    cow_storage_free(c);
    return good;
}

static void *walk(void *argument)
{
    crowd *c = (crowd *)argument;
    uint64_t seed = cowi_add_relaxed(&c->steps, 1) + 1;
    start_line_wait(&c->line);
    do {
        if (!one_step(c->root, &seed)) {
            (void)cowi_add_relaxed(&c->wrong, 1);
        }
        (void)cowi_add_relaxed(&c->steps, 1);
    } while (!cowi_load_acquire(&c->stop));
    return NULL;
}

static int child_works(cow_storage *root)
{
    uint64_t seed = 5;
    (void)alarm(60);
    return one_step(root, &seed) && one_step(root, &seed) ? 0 : 1;
}

static void threads_and_forks_see_values_only(fixture *f)
{
    crowd c;
    pthread_t threads[3];
    cow_storage *keep;
    (void)f;
    use(COW_PAGING_EAGER);
    memset(&c, 0, sizeof c);
    c.root = make_large(7);
    keep = make_clone(c.root);
    start_line_init(&c.line, 4);
    for (size_t i = 0; i < 3; i++) {
        threads[i] = spawn(walk, &c);
    }
    start_line_wait(&c.line);
    for (unsigned round = 0; round < rounds(40); round++) {
        int status = -1;
        const pid_t child = fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            _exit(child_works(c.root));
        }
        CHECK(waitpid(child, &status, 0) == child && status == 0);
    }
    cowi_store_release(&c.stop, 1);
    for (size_t i = 0; i < 3; i++) {
        join(threads[i]);
    }
    CHECK_EQ(cowi_load_relaxed(&c.wrong), 0);
    CHECK(cowi_load_relaxed(&c.steps) > 3);
    cow_storage_free(keep);
    cow_storage_free(c.root);
    nothing_is_left();
}

#define WRITERS 8

typedef struct writer {
    cow_storage *clone;
    start_line *line;
    size_t at;
} writer;

static void *write_one(void *argument)
{
    writer *w = (writer *)argument;
    start_line_wait(w->line);
    CHECK_OK(put(w->clone, w->at, 1));
    return NULL;
}

static void write_at_once(writer *writers)
{
    pthread_t threads[WRITERS];
    for (size_t i = 0; i < WRITERS; i++) {
        threads[i] = spawn(write_one, &writers[i]);
    }
    for (size_t i = 0; i < WRITERS; i++) {
        join(threads[i]);
    }
}

/* Each waits for the one that makes it. */
static void one_base_for_all_that_write_at_once(fixture *f)
{
    cow_storage *source = make_large(7);
    start_line line;
    (void)f;
    use(COW_PAGING_EAGER);
    start_line_init(&line, WRITERS);
    for (unsigned round = 0; round < 2 + rounds(10); round++) {
        const uint64_t before = figures().bases;
        writer writers[WRITERS];
        for (size_t i = 0; i < WRITERS; i++) {
            const writer one = {make_clone(source), &line, i * PAGE};
            writers[i] = one;
        }
        write_at_once(writers);
        CHECK_EQ(figures().bases - before, can_page);
        for (size_t i = 0; i < WRITERS; i++) {
            CHECK_EQ(cow_storage_is_paged(writers[i].clone), can_page);
            CHECK(get(writers[i].clone, i * PAGE) == 1 && holds_between(writers[i].clone, i * PAGE + 1, SIZE, 7));
            cow_storage_free(writers[i].clone);
        }
        CHECK(holds(source, 7));
        CHECK_OK(put(source, 0, 7)); /* the last sharer: no base from here on */
        nothing_is_left();
    }
    cow_storage_free(source);
}

typedef struct fillers {
    cow_storage *storage;
    start_line line;
} fillers;

static void *fill_upper(void *argument)
{
    fillers *f = (fillers *)argument;
    start_line_wait(&f->line);
    for (size_t at = SIZE / 2 / PAGE * PAGE; at < SIZE; at += PAGE) {
        CHECK_OK(put(f->storage, at, 2));
    }
    return NULL;
}

static void threads_fill_parts_of_one_across_a_give_up(fixture *f)
{
    (void)f;
    use(COW_PAGING_EAGER);
    for (unsigned round = 0; round < rounds(20); round++) {
        cow_storage *source = make_large(7);
        fillers both = {make_clone(source), {0}};
        pthread_t other;
        start_line_init(&both.line, 2);
        other = spawn(fill_upper, &both);
        start_line_wait(&both.line);
        for (size_t at = 0; at < SIZE / 2 / PAGE * PAGE; at += PAGE) {
            CHECK_OK(put(both.storage, at, 1));
        }
        join(other);
        for (size_t at = 0; at < SIZE; at += PAGE) {
            REQUIRE(get(both.storage, at) == (at < SIZE / 2 / PAGE * PAGE ? 1 : 2) && get(both.storage, at + 1) == 7);
        }
        CHECK(holds(source, 7));
        cow_storage_free(both.storage);
        cow_storage_free(source);
    }
    nothing_is_left();
}

/* ---- healing ------------------------------------------------------------------------------------------------------ */

/* Anonymous pages of the range that are in memory; of a window they are those that were written to. */
static size_t own_pages(cow_storage *storage)
{
    return cow_storage_own_bytes(storage) / PAGE;
}

static void healing_frees_pages_and_keeps_values(fixture *f)
{
    cow_storage *source = make_large(7), *clone;
    const void *address;
    cow_const_scope reader;
    (void)f;
    use(COW_PAGING_EAGER);
    clone = make_paged(source);
    address = cow_storage_address(clone);
    for (size_t at = 0; at < 8 * PAGE; at += PAGE) {
        CHECK_OK(put(clone, at, 1));
    }
    CHECK_OK(put(clone, SIZE - 1, 2)); /* in a region that ends before its end */
    REQUIRE(cow_const_begin(clone, &reader, NULL) == COW_OK);
    CHECK(own_pages(clone) == (can_page ? 9 : SIZE / PAGE));
    cow_storage_heal(clone, 1);
    CHECK(own_pages(clone) == (can_page ? 0 : SIZE / PAGE));
    CHECK_EQ(figures().base_files, 2 * can_page);
    CHECK(cow_storage_address(clone) == address && reader.data == address);
    for (size_t at = 0; at < 8 * PAGE; at += PAGE) {
        CHECK(((const char *)reader.data)[at] == 1 && ((const char *)reader.data)[at + 1] == 7);
    }
    cow_const_end(&reader);
    CHECK(holds_between(clone, 8 * PAGE, SIZE - 1, 7) && get(clone, SIZE - 1) == 2 && holds(source, 7));
    CHECK_OK(put(clone, 1, 3));
    CHECK(get(clone, 1) == 3 && get(clone, 0) == 1 && holds(source, 7));
    cow_storage_free(clone);
    cow_storage_free(source);
    nothing_is_left();
}

/* Readers without a word, healers, writers of the same Storage and of its clones. */
typedef struct ward {
    cow_storage *storage, *shared; /* written to in place; shared with clones that come and go */
    start_line line;
    cowi_atomic_uint stop;
} ward;

static void *heal_both(void *argument)
{
    ward *w = (ward *)argument;
    start_line_wait(&w->line);
    do {
        cow_storage_heal(w->storage, 1);
        cow_storage_heal(w->shared, 1);
        CHECK(cow_storage_own_bytes(w->shared) <= SIZE + 8 * MIB);
    } while (!cowi_load_acquire(&w->stop));
    return NULL;
}

/* Each page says 7 in its second byte, whatever is done to it meanwhile. */
static void *read_both(void *argument)
{
    ward *w = (ward *)argument;
    start_line_wait(&w->line);
    do {
        cow_const_scope one, other;
        bool right = true;
        REQUIRE(cow_const_begin(w->storage, &one, NULL) == COW_OK &&
                cow_const_begin(w->shared, &other, NULL) == COW_OK);
        for (size_t at = 1; at < SIZE; at += PAGE) {
            right = right && ((const char *)one.data)[at] == 7 && ((const char *)other.data)[at] == 7;
        }
        CHECK(right);
        cow_const_end(&one);
        cow_const_end(&other);
    } while (!cowi_load_acquire(&w->stop));
    return NULL;
}

static void write_both(ward *w, uint64_t *seed)
{
    const size_t at = next_random(seed) % (SIZE / PAGE) * PAGE, other = next_random(seed) % (SIZE / PAGE) * PAGE;
    const int value = (int)(next_random(seed) % 100);
    cow_storage *clone;
    REQUIRE(put(w->storage, at, value) == COW_OK);
    CHECK_EQ(get(w->storage, at), value);
    clone = make_clone(w->shared);
    REQUIRE(put(clone, other, 5) == COW_OK && put(w->shared, at, value) == COW_OK);
    CHECK(get(clone, other) == 5 && get(w->shared, at) == value);
    cow_storage_free(clone);
    REQUIRE(put(w->shared, other, 6) == COW_OK); /* the last sharer */
    CHECK_EQ(get(w->shared, other), 6);
}

static void threads_read_and_write_what_is_healed(fixture *f)
{
    cow_storage *source = make_large(7);
    uint64_t seed = test_seed();
    pthread_t healer, reader, second_healer;
    ward w;
    (void)f;
    use(COW_PAGING_EAGER);
    memset(&w, 0, sizeof w);
    w.storage = make_paged(source);
    w.shared = make_paged(source);
    start_line_init(&w.line, 4);
    healer = spawn(heal_both, &w);
    second_healer = spawn(heal_both, &w);
    reader = spawn(read_both, &w);
    start_line_wait(&w.line);
    for (unsigned round = 0; round < rounds(200); round++) {
        write_both(&w, &seed);
    }
    cowi_store_release(&w.stop, 1);
    join(healer);
    join(second_healer);
    join(reader);
    CHECK(holds(source, 7));
    CHECK(!can_page || figures().heals > 0);
    cow_storage_free(w.storage);
    cow_storage_free(w.shared);
    cow_storage_free(source);
    nothing_is_left();
}

/* A child that is forked in the middle finds nobody in the middle of anything. */
static void children_heal_what_their_parents_heal(fixture *f)
{
    cow_storage *source = make_large(7);
    pthread_t healer;
    ward w;
    (void)f;
    use(COW_PAGING_EAGER);
    memset(&w, 0, sizeof w);
    w.storage = make_paged(source);
    w.shared = make_paged(source);
    start_line_init(&w.line, 2);
    healer = spawn(heal_both, &w);
    start_line_wait(&w.line);
    for (unsigned round = 0; round < rounds(30); round++) {
        int status = -1;
        pid_t child;
        CHECK_OK(put(w.storage, round * PAGE, 1));
        child = fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            (void)alarm(60);
            cow_storage_heal(w.storage, 1);
            cow_storage_heal(w.shared, 1);
            _exit(put(w.storage, 1, 2) != COW_OK || get(w.storage, round * PAGE) != 1 || get(w.storage, 1) != 2 ||
                  cow_storage_own_bytes(w.storage) == 0 || !holds(w.shared, 7));
        }
        CHECK(waitpid(child, &status, 0) == child && status == 0);
    }
    cowi_store_release(&w.stop, 1);
    join(healer);
    CHECK_EQ(get(w.storage, 1), 7);
    cow_storage_free(w.storage);
    cow_storage_free(w.shared);
    cow_storage_free(source);
    nothing_is_left();
}

/* ---- hazards ----------------------------------------------------------------------------------------------------- */

/* Runs in a child, whose limits and descriptors are its own. */
static void in_a_child(int (*body)(void))
{
    int status = -1;
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        (void)alarm(60);
        _exit(body());
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

/* Two writes to clones, on a base of before if there is one: 0 if all values are right. */
static int writes_are_right(cow_storage *root)
{
    cow_storage *a = make_clone(root), *b;
    bool good = put(a, 10, 1) == COW_OK;
    b = make_clone(a);
    good = put(b, 5 * MIB, 2) == COW_OK && get(a, 10) == 1 && get(b, 10) == 1 && get(b, 5 * MIB) == 2 && good;
    good = good && get(a, 5 * MIB) == 7 && get(root, 10) == 7 && holds_between(b, 11, 5 * MIB, 7);
    cow_storage_free(a);
    cow_storage_free(b);
    return good ? 0 : 1;
}

static int with_limit(int which, rlim_t most)
{
    struct rlimit limit;
    cow_storage *root = make_large(7);
    cow_storage *keep = make_clone(root), *fresh = make_large(7); /* no base yet */
    (void)writes_are_right(keep);
    if (getrlimit((__rlimit_resource_t)which, &limit) != 0) {
        return 1;
    }
    limit.rlim_cur = most;
    return setrlimit((__rlimit_resource_t)which, &limit) != 0 || writes_are_right(root) != 0 ||
           writes_are_right(fresh) != 0;
}

static int small_files(void)
{
    return with_limit(RLIMIT_FSIZE, MIB);
}

static int few_descriptors(void)
{
    return with_limit(RLIMIT_NOFILE, 4);
}

static int closed_descriptors(void)
{
    cow_storage *root = make_large(7), *keep = make_clone(root), *a = make_clone(root);
    int status = put(a, 0, 1) != COW_OK;
    for (int fd = 3; fd < 1024; fd++) {
        (void)close(fd);
    }
    for (int fd = 3; fd < 1024; fd++) { /* another file, where ours was */
        const int other = open("/dev/zero", O_RDWR | O_CLOEXEC);
        if (other < 0) {
            break;
        }
    }
    (void)keep;
    status |= get(a, 0) != 1 || get(a, 1) != 7;
    status |= writes_are_right(root) | writes_are_right(keep);
    cow_storage_free(a);
    return status;
}

static int undumpable(void)
{
    cow_storage *root = make_large(7), *keep = make_clone(root);
    if (writes_are_right(root) != 0 || prctl(PR_SET_DUMPABLE, 0) != 0) {
        return 1;
    }
    return writes_are_right(root) | writes_are_right(keep);
}

static int no_huge_pages(void)
{
    cow_storage *root = make_large(7), *keep = make_clone(root);
    if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) != 0) {
        return 1;
    }
    return writes_are_right(root) | writes_are_right(keep);
}

static void limits_and_strangers_change_no_value(fixture *f)
{
    (void)f;
    use(COW_PAGING_EAGER);
    in_a_child(small_files);
    in_a_child(few_descriptors);
    in_a_child(closed_descriptors);
    in_a_child(undumpable);
    in_a_child(no_huge_pages);
}

/* Of single pages, so few in each region and so few of all that no price of a page makes a copy the better choice. */
static void more_runs_than_one_answer_holds(fixture *f)
{
    cow_storage *first, *second, *third;
    const size_t nbytes = 256 * MIB, wide = 96 * PAGE;
    int paged = 0;
    (void)f;
    use(COW_PAGING_EAGER);
    for (int skipped = 0; skipped < (can_page ? 64 : 1) && !paged; skipped++) {
        first = make_filled(cow_heap(), nbytes, 7);
        second = make_clone(first);
        for (size_t at = 0; at < nbytes; at += wide) { /* 682 runs, and an answer has 512 */
            REQUIRE(put(second, at, 1) == COW_OK);
        }
        third = make_clone(second);
        REQUIRE(put(third, 1, 2) == COW_OK);
        for (size_t at = 0; at < nbytes; at += PAGE) {
            REQUIRE(get(third, at) == (at % wide == 0 ? 1 : 7));
        }
        paged = cow_storage_is_paged(second) && cow_storage_is_paged(third);
        cow_storage_free(first);
        cow_storage_free(second);
        CHECK(get(third, 1) == 2);
        cow_storage_free(third);
    }
    CHECK_EQ(paged, can_page);
    nothing_is_left();
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static void files_are_mapped_and_never_written(fixture *f)
{
    char name[] = "/tmp/cowarray-pages-XXXXXX";
    const int descriptor = mkstemp(name);
    char *bytes = (char *)malloc(SIZE);
    cow_dataptr ptr;
    cow_storage *first = NULL, *second;
    char byte = 0;
    (void)f;
    use(COW_PAGING_OFF); /* on request, whatever the policy */
    REQUIRE(descriptor >= 0 && bytes != NULL);
    memset(bytes, 7, SIZE);
    REQUIRE(write(descriptor, bytes, SIZE) == (ssize_t)SIZE);
    CHECK_STATUS(cow_paging_map_file(descriptor, 128, SIZE, &ptr, NULL), COW_EINVAL);
    CHECK_STATUS(cow_paging_map_file(-1, 0, SIZE, &ptr, NULL), COW_EINVAL);
    CHECK_STATUS(cow_paging_map_file(descriptor, 0, 0, &ptr, NULL), COW_EINVAL);
    REQUIRE(cow_paging_map_file(descriptor, 128, SIZE - 128, &ptr, NULL) == COW_OK);
    REQUIRE(cow_storage_adopt(cow_heap(), ptr, SIZE - 128, 0, &first, NULL) == COW_OK);
    (void)close(descriptor);
    CHECK_OK(put(first, 0, 1));
    second = make_clone(first);
    CHECK_OK(put(second, 5 * MIB, 2));
    CHECK_EQ(cow_storage_is_paged(second), 1);
    CHECK(get(first, 5 * MIB) == 7 && get(second, 0) == 1 && get(second, 5 * MIB) == 2);
    cow_storage_free(first);
    CHECK(holds_between(second, 1, 5 * MIB, 7) && holds_between(second, 5 * MIB + 1, SIZE - 128, 7));
    cow_storage_free(second);
    const int again = open(name, O_RDONLY);
    for (size_t at = 0; at < SIZE; at += PAGE / 2) {
        REQUIRE(pread(again, &byte, 1, (off_t)at) == 1 && byte == 7);
    }
    (void)close(again);
    (void)unlink(name);
    free(bytes);
    nothing_is_left();
}

int main(void)
{
    cow_storage *first, *second;
    use(COW_PAGING_EAGER);
    first = make_large(1);
    second = make_clone(first);
    REQUIRE(put(second, 0, 2) == COW_OK);
    can_page = cow_storage_is_paged(second) != 0;
    cow_storage_free(first);
    cow_storage_free(second);
    if (!can_page) {
        (void)printf("skipped: what needs pages: the system grants none\n");
    }
    RUN(one_byte_costs_a_page);
    RUN(second_generation_copies_the_pages_of_the_first);
    RUN(last_sharer_keeps_its_address_and_drops_the_shadow);
    RUN(windows_are_paged_where_they_lie);
    RUN(who_says_nothing_gets_a_plain_copy);
    RUN(off_is_off_and_small_windows_are_copied);
    RUN(overwriting_pages_copies_none);
    RUN(evicted_pages_take_their_base_along);
    RUN(evicted_bytes_come_back_without_their_shadow);
    RUN(pages_that_come_back_are_given_up_as_before);
    RUN(stolen_pages_are_given_up_as_before);
    RUN(pinned_pages_are_overwritten_in_place);
    RUN(files_are_mapped_and_never_written);
    RUN(limits_and_strangers_change_no_value);
    RUN(one_base_for_all_that_write_at_once);
    RUN(threads_and_forks_see_values_only);
    RUN(healing_frees_pages_and_keeps_values);
    RUN(threads_read_and_write_what_is_healed);
    RUN(children_heal_what_their_parents_heal);
    RUN(who_writes_much_gets_plain_memory);
    RUN(same_page_again_and_again_is_no_reason);
    RUN(nothing_moves_while_it_is_pinned);
    RUN(try_says_busy_before_a_look);
    RUN(more_runs_than_one_answer_holds);
    RUN(threads_fill_parts_of_one_across_a_give_up);
    RUN(generations_hold_what_copies_would);
    return finish("test_pages");
}
