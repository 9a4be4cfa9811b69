/* A ground follows one Storage page by page. What it tells is all that differs; whoever has a lazy clone, by whatever chain of
 * clones, keeps its values when the ground changes. */
#include <stdlib.h>

#include "dirty.h"
#include "paging.h"

#define PAGES_OF_LARGE (LARGE / PAGE + 1)

typedef struct told {
    size_t count;
    size_t nbytes;
    size_t start;
    size_t end;
} told;

static void add_run(void *to, size_t start, size_t nbytes)
{
    told *all = (told *)to;
    CHECK(nbytes > 0 && (all->count == 0 || start > all->end) && start + nbytes <= LARGE);
    all->start = all->count == 0 ? start : all->start;
    all->count++;
    all->nbytes += nbytes;
    all->end = start + nbytes;
}

static told changes(cow_ground *ground, cow_storage *storage)
{
    told all = {0, 0, 0, 0};
    CHECK_OK(cow_ground_changes(ground, storage, add_run, &all, NULL));
    return all;
}

typedef struct pair {
    cow_ground *ground;
    cow_storage *state;
} pair;

static pair begin(void)
{
    cow_storage *source = make_large(7);
    pair made = {NULL, NULL};
    REQUIRE(cow_ground_new(source, &made.ground, &made.state, NULL) == COW_OK);
    cow_storage_free(source);
    return made;
}

static void end(pair *of)
{
    cow_ground_free(of->ground);
    cow_storage_free(of->state);
    nothing_is_left();
}

/* What the owner of a ground does: what differs is put there, and needs no page any more. */
static void put_page(cow_ground *ground, cow_storage *state, size_t page)
{
    unsigned char bytes[PAGE] = {0};
    cow_const_scope scope;
    const size_t rest = LARGE - page * PAGE;
    REQUIRE(cow_const_begin(state, &scope, NULL) == COW_OK);
    memcpy(bytes, (const char *)scope.data + page * PAGE, rest < PAGE ? rest : PAGE);
    cow_const_end(&scope);
    CHECK_OK(cow_ground_put(ground, page * PAGE, bytes, PAGE, NULL));
}

typedef struct owner {
    cow_ground *ground;
    cow_storage *state;
    size_t pages[PAGES_OF_LARGE];
    size_t count;
} owner;

static void note_pages(void *to, size_t start, size_t nbytes)
{
    owner *of = (owner *)to;
    for (size_t page = start / PAGE; page * PAGE < start + nbytes; page++) {
        of->pages[of->count++] = page;
    }
}

static size_t commit(cow_ground *ground, cow_storage *state)
{
    owner *of = (owner *)calloc(1, sizeof *of);
    size_t count;
    REQUIRE(of != NULL);
    CHECK_OK(cow_ground_changes(ground, state, note_pages, of, NULL));
    for (size_t i = 0; i < of->count; i++) {
        put_page(ground, state, of->pages[i]);
    }
    cow_ground_settle(ground, state);
    count = of->count;
    free(of);
    return count;
}

/* ---- one after the other --------------------------------------------------------------------------------------------- */

static void what_was_written_is_told_once(fixture *f)
{
    pair of = begin();
    (void)f;
    CHECK(holds(of.state, 7));
    CHECK_EQ(changes(of.ground, of.state).count, 0);
    CHECK_OK(put(of.state, 5 * MIB, 1));
    CHECK_OK(put(of.state, 5 * MIB + PAGE, 1));
    CHECK_OK(put(of.state, LARGE - 1, 2));
    CHECK_EQ(changes(of.ground, of.state).count, 2);
    CHECK_EQ(changes(of.ground, of.state).nbytes, 2 * PAGE + 64);
    CHECK_EQ(commit(of.ground, of.state), 3);
    CHECK_EQ(changes(of.ground, of.state).count, 0);
    CHECK_EQ(cow_storage_own_bytes(of.state), 0);
    CHECK(get(of.state, 5 * MIB) == 1 && get(of.state, LARGE - 1) == 2 && get(of.state, 0) == 7);
    CHECK_OK(put(of.state, 5 * MIB, 3));
    CHECK_EQ(changes(of.ground, of.state).nbytes, PAGE);
    end(&of);
}

static void writers_that_say_nothing_are_found(fixture *f)
{
    pair of = begin();
    cow_mutable_scope scope;
    (void)f;
    REQUIRE(cow_mutable_begin(of.state, 0, &scope, NULL) == COW_OK);
    CHECK_EQ(changes(of.ground, of.state).nbytes, 0);
    ((char *)scope.data)[3 * MIB] = 1; /* after it was looked at: a pin may write at any time */
    CHECK_EQ(changes(of.ground, of.state).nbytes, PAGE);
    CHECK_EQ(commit(of.ground, of.state), 1);
    ((char *)scope.data)[3 * MIB] = 2;
    cow_mutable_end(&scope);
    CHECK_EQ(changes(of.ground, of.state).nbytes, PAGE);
    CHECK_EQ(commit(of.ground, of.state), 1);
    CHECK_EQ(changes(of.ground, of.state).nbytes, 0);
    end(&of);
}

static void clones_keep_their_values(fixture *f)
{
    pair of = begin();
    cow_storage *first = make_clone(of.state), *second, *part;
    (void)f;
    CHECK_OK(put(of.state, 5 * MIB, 1));
    second = make_clone(of.state);
    part = make_window(of.state, 4 * MIB, 4 * MIB);
    CHECK_EQ(commit(of.ground, of.state), 1);
    CHECK_OK(put(of.state, 5 * MIB, 2));
    CHECK_OK(put(part, MIB + 1, 9)); /* a window of its own, of a part */
    (void)commit(of.ground, of.state);
    CHECK_OK(put(of.state, 5 * MIB + 1, 3));
    (void)commit(of.ground, of.state);
    CHECK(holds(first, 7));
    CHECK(get(second, 5 * MIB) == 1 && holds_between(second, 0, 5 * MIB, 7));
    CHECK(get(part, MIB) == 1 && get(part, MIB + 1) == 9 && holds_between(part, MIB + 2, 4 * MIB, 7));
    CHECK(get(of.state, 5 * MIB) == 2 && get(of.state, 5 * MIB + 1) == 3);
    cow_storage_free(first);
    cow_storage_free(second);
    cow_storage_free(part);
    end(&of);
}

/* A clone's pages that the ground has left are told of as its own. */
static void pages_that_were_kept_are_told(fixture *f)
{
    pair of = begin();
    cow_storage *clone = make_clone(of.state);
    (void)f;
    CHECK_OK(put(of.state, 5 * MIB, 1));
    CHECK_EQ(changes(of.ground, clone).count, 0);
    (void)commit(of.ground, of.state);
    CHECK_EQ(changes(of.ground, clone).nbytes, PAGE);
    cow_storage_free(clone);
    end(&of);
}

static void another_storage_begins_as_the_ground_is(fixture *f)
{
    pair of = begin();
    cow_storage *other = NULL;
    (void)f;
    CHECK_OK(put(of.state, MIB, 1));
    (void)commit(of.ground, of.state);
    REQUIRE(cow_ground_storage(of.ground, &other, NULL) == COW_OK);
    CHECK(get(other, MIB) == 1 && get(other, 0) == 7);
    CHECK_OK(put(of.state, MIB, 2));
    (void)commit(of.ground, of.state);
    CHECK_EQ(get(other, MIB), 1);
    cow_storage_free(other);
    end(&of);
}

/* A whole new value leaves the ground; then all may differ. */
static void who_has_left_may_differ_anywhere(fixture *f)
{
    pair of = begin();
    cow_storage *clone = make_clone(of.state);
    cow_overwrite_scope scope;
    (void)f;
    REQUIRE(cow_overwrite_begin(of.state, 0, &scope, NULL) == COW_OK);
    memset(scope.data, 5, LARGE);
    CHECK_OK(cow_overwrite_commit(&scope, NULL, NULL));
    CHECK_EQ(changes(of.ground, of.state).nbytes, LARGE);
    (void)commit(of.ground, of.state);
    CHECK(holds(clone, 7) && holds(of.state, 5));
    cow_storage_free(of.state);
    REQUIRE(cow_ground_storage(of.ground, &of.state, NULL) == COW_OK);
    CHECK(holds(of.state, 5));
    cow_storage_free(clone);
    end(&of);
}

/* What is not put stays the Storage's own. */
static void settling_loses_nothing(fixture *f)
{
    pair of = begin();
    (void)f;
    CHECK_OK(put(of.state, MIB, 1));
    CHECK_OK(put(of.state, 5 * MIB, 1));
    put_page(of.ground, of.state, MIB / PAGE);
    cow_ground_settle(of.ground, of.state);
    CHECK(get(of.state, MIB) == 1 && get(of.state, 5 * MIB) == 1);
    CHECK_EQ(changes(of.ground, of.state).nbytes, PAGE);
    CHECK_EQ(cow_storage_own_bytes(of.state), PAGE);
    end(&of);
}

/* Most of a region in one write, while a clone shares it, makes the region memory of the writer's own. */
static void whole_regions_return(fixture *f)
{
    const cow_box box = {(ptrdiff_t)(4 * MIB), (ptrdiff_t)(2 * MIB), 0, NULL, SIZE_MAX};
    pair of = begin();
    cow_storage *clone = make_clone(of.state);
    cow_mutable_scope scope;
    (void)f;
    REQUIRE(cow_mutable_begin_at(of.state, &box, 0, &scope, NULL) == COW_OK);
    memset((char *)scope.data + 4 * MIB, 3, 2 * MIB);
    cow_mutable_end(&scope);
    CHECK_EQ(changes(of.ground, of.state).nbytes, 2 * MIB);
    (void)commit(of.ground, of.state);
    CHECK_EQ(cow_storage_own_bytes(of.state), 0);
    CHECK_EQ(changes(of.ground, of.state).nbytes, 0);
    CHECK(holds(clone, 7) && holds_between(of.state, 4 * MIB, 6 * MIB, 3) && get(of.state, 6 * MIB) == 7);
    cow_storage_free(clone);
    end(&of);
}

static void bad_arguments_are_refused(fixture *f)
{
    pair of = begin();
    cow_storage *small = make_filled(cow_heap(), 100, 1), *empty = NULL, *none = NULL;
    cow_ground *ground = NULL;
    told all = {0, 0, 0, 0};
    char bytes[2 * PAGE] = {0};
    (void)f;
    REQUIRE(cow_storage_new(cow_heap(), 0, &empty, NULL) == COW_OK);
    CHECK_STATUS(cow_ground_new(empty, &ground, &none, NULL), COW_EREFUSED);
    CHECK(ground == NULL && none == NULL);
    CHECK_STATUS(cow_ground_changes(of.ground, small, add_run, &all, NULL), COW_EINVAL);
    CHECK_STATUS(cow_ground_put(of.ground, 1, bytes, PAGE, NULL), COW_EINVAL);
    CHECK_STATUS(cow_ground_put(of.ground, 0, bytes, PAGE - 1, NULL), COW_EINVAL);
    CHECK_STATUS(cow_ground_put(of.ground, 10 * MIB, bytes, PAGE, NULL), COW_EINVAL);
    CHECK_STATUS(cow_ground_put(of.ground, 10 * MIB - PAGE, bytes, 2 * PAGE, NULL), COW_EINVAL);
    CHECK_EQ(changes(of.ground, of.state).count, 0);
    cow_storage_free(small);
    cow_storage_free(empty);
    end(&of);
}

static void the_absent_have_no_ground(fixture *f)
{
    cow_storage *absent = make_large(7), *none = NULL;
    pair of = begin();
    cow_ground *ground = NULL;
    told all = {0, 0, 0, 0};
    (void)f;
    REQUIRE(cow_storage_evict(absent, 1, NULL) == COW_OK);
    CHECK_STATUS(cow_ground_new(absent, &ground, &none, NULL), COW_EABSENT);
    CHECK_STATUS(cow_ground_changes(of.ground, absent, add_run, &all, NULL), COW_EABSENT);
    cow_ground_settle(of.ground, absent);
    CHECK_EQ(cow_storage_is_absent(absent), 1);
    cow_storage_free(absent);
    end(&of);
}

/* ---- forks ------------------------------------------------------------------------------------------------------------ */

static void child_keeps_what_it_has(void *argument)
{
    pair *of = (pair *)argument;
    char bytes[PAGE] = {0};
    CHECK_STATUS(cow_ground_put(of->ground, 0, bytes, PAGE, NULL), COW_EREFUSED);
    CHECK(holds(of->state, 7));
    CHECK_OK(put(of->state, 0, 1));
    CHECK_EQ(get(of->state, 0), 1);
    cow_ground_settle(of->ground, of->state);
    CHECK_EQ(changes(of->ground, of->state).nbytes, PAGE);
}

static void after_a_fork_a_ground_never_changes(fixture *f)
{
    pair of = begin();
    char bytes[PAGE] = {0};
    (void)f;
    CHECK_OK(cow_ground_put(of.ground, PAGE, memset(bytes, 7, PAGE), PAGE, NULL));
    CHECK(child_succeeds(child_keeps_what_it_has, &of));
    CHECK_STATUS(cow_ground_put(of.ground, 0, bytes, PAGE, NULL), COW_EREFUSED);
    CHECK(holds(of.state, 7));
    CHECK_OK(put(of.state, 0, 1));
    CHECK_EQ(changes(of.ground, of.state).nbytes, 2 * PAGE); /* the one that was put is its own, though it is equal */
    end(&of);
}

/* ---- at random -------------------------------------------------------------------------------------------------------- */

#define MANY 5

/* The first byte of each page, as copies would have it; all others are 7. */
typedef struct thing {
    cow_storage *storage;
    unsigned char first[PAGES_OF_LARGE];
} thing;

static bool is_right(const thing *of)
{
    cow_const_scope scope;
    size_t wrong = 0;
    REQUIRE(cow_const_begin(of->storage, &scope, NULL) == COW_OK);
    for (size_t i = 0; i < PAGES_OF_LARGE; i++) {
        wrong += ((const unsigned char *)scope.data)[i * PAGE] != of->first[i];
    }
    cow_const_end(&scope);
    return wrong == 0;
}

static void write_somewhere(thing *to, uint64_t *seed)
{
    const size_t page = next_random(seed) % PAGES_OF_LARGE;
    const size_t count = next_random(seed) % 8 == 0 ? 300 : 1;
    for (size_t i = page; i < page + count && i < PAGES_OF_LARGE; i++) {
        to->first[i] = (unsigned char)next_random(seed);
        CHECK_OK(put(to->storage, i * PAGE, (char)to->first[i]));
    }
}

static void random_step(cow_ground *ground, thing *all, uint64_t *seed)
{
    const size_t which = next_random(seed) % MANY, other = next_random(seed) % MANY;
    switch (next_random(seed) % 4) {
    case 0:
        if (which != 0 && other != which) { /* the first is the state */
            cow_storage_free(all[which].storage);
            all[which] = all[other];
            all[which].storage = make_clone(all[other].storage);
        }
        break;
    case 1:
        (void)commit(ground, all[0].storage);
        CHECK(is_right(&all[0]) && is_right(&all[which]));
        break;
    default:
        write_somewhere(&all[which], seed);
    }
}

static void clones_of_clones_are_as_copies(fixture *f)
{
    uint64_t seed = test_seed();
    thing all[MANY];
    pair of = begin();
    (void)f;
    for (size_t i = 0; i < MANY; i++) {
        memset(all[i].first, 7, sizeof all[i].first);
        all[i].storage = i == 0 ? of.state : make_clone(of.state);
    }
    for (unsigned step = 0; step < rounds(600); step++) {
        random_step(of.ground, all, &seed);
    }
    (void)commit(of.ground, of.state);
    CHECK_EQ(changes(of.ground, of.state).count, 0);
    for (size_t i = 0; i < MANY; i++) {
        CHECK(is_right(&all[i]));
        if (i > 0) {
            cow_storage_free(all[i].storage);
        }
    }
    end(&of);
}

/* ---- threads ----------------------------------------------------------------------------------------------------------- */

typedef struct crowd {
    cow_storage *root; /* says 7 */
    start_line line;
    cowi_atomic_uint stop;
    cowi_atomic_uint wrong;
} crowd;

static void *clone_and_read(void *argument)
{
    crowd *c = (crowd *)argument;
    uint64_t seed = (uint64_t)(uintptr_t)&seed;
    start_line_wait(&c->line);
    do {
        const size_t at = next_random(&seed) % (LARGE / PAGE) * PAGE;
        cow_storage *clone = make_clone(c->root), *second;
        bool good = get(clone, at) == 7 && put(clone, at, 1) == COW_OK;
        second = make_clone(clone);
        good = good && put(second, at, 2) == COW_OK && get(clone, at) == 1 && get(second, at) == 2;
        good = good && get(clone, LARGE - 1) == 7;
        (void)cowi_add_relaxed(&c->wrong, !good);
        cow_storage_free(clone);
        cow_storage_free(second);
    } while (!cowi_load_acquire(&c->stop));
    return NULL;
}

static void clones_in_other_threads_keep_their_values(fixture *f)
{
    uint64_t seed = 3;
    pthread_t threads[2];
    pair of = begin();
    crowd c;
    (void)f;
    memset(&c, 0, sizeof c);
    c.root = make_clone(of.state);
    start_line_init(&c.line, 3);
    for (size_t i = 0; i < 2; i++) {
        threads[i] = spawn(clone_and_read, &c);
    }
    start_line_wait(&c.line);
    for (unsigned round = 0; round < rounds(300); round++) {
        CHECK_OK(put(of.state, next_random(&seed) % (LARGE / PAGE) * PAGE, (int)(round % 100)));
        (void)commit(of.ground, of.state);
    }
    cowi_store_release(&c.stop, 1);
    for (size_t i = 0; i < 2; i++) {
        join(threads[i]);
    }
    CHECK_EQ(cowi_load_relaxed(&c.wrong), 0);
    CHECK(holds(c.root, 7));
    cow_storage_free(c.root);
    end(&of);
}

int main(void)
{
    see_whether_pages_are_granted();
    use(COW_PAGING_LEDGER); /* grounds ask no mode */
    if (!can_page) {
        return 0;
    }
    RUN(what_was_written_is_told_once);
    RUN(writers_that_say_nothing_are_found);
    RUN(clones_keep_their_values);
    RUN(pages_that_were_kept_are_told);
    RUN(another_storage_begins_as_the_ground_is);
    RUN(who_has_left_may_differ_anywhere);
    RUN(settling_loses_nothing);
    RUN(whole_regions_return);
    RUN(bad_arguments_are_refused);
    RUN(the_absent_have_no_ground);
    RUN(after_a_fork_a_ground_never_changes);
    RUN(clones_of_clones_are_as_copies);
    RUN(clones_in_other_threads_keep_their_values);
    return finish("ground");
}
