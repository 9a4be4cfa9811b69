/* Threads that write, fill, read and ask of paged Storages at once, and children forked in the middle, see the values that
 * copies would have; those that write at once share one base. */
#include "paging.h"

/* ---- clones of one root ------------------------------------------------------------------------------------------ */

typedef struct crowd {
    cow_storage *root;
    start_line line;
    cowi_atomic_uint stop;
    cowi_atomic_uint wrong;
    cowi_atomic_uint steps;
} crowd;

static bool one_step(cow_storage *root, uint64_t *seed)
{
    const size_t i = next_random(seed) % LARGE, j = next_random(seed) % LARGE;
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

static void child_walks(void *argument)
{
    cow_storage *root = (cow_storage *)argument;
    uint64_t seed = 5;
    CHECK(one_step(root, &seed) && one_step(root, &seed));
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
        CHECK(child_succeeds_amid_threads(child_walks, c.root));
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

/* ---- writes at once ---------------------------------------------------------------------------------------------- */

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
            CHECK(get(writers[i].clone, i * PAGE) == 1 && holds_between(writers[i].clone, i * PAGE + 1, LARGE, 7));
            cow_storage_free(writers[i].clone);
        }
        CHECK(holds(source, 7));
        CHECK_OK(fill(source, 7)); /* the last sharer: no base from here on */
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
    for (size_t at = LARGE / 2 / PAGE * PAGE; at < LARGE; at += PAGE) {
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
        for (size_t at = 0; at < LARGE / 2 / PAGE * PAGE; at += PAGE) {
            CHECK_OK(put(both.storage, at, 1));
        }
        join(other);
        for (size_t at = 0; at < LARGE; at += PAGE) {
            REQUIRE(get(both.storage, at) == (at < LARGE / 2 / PAGE * PAGE ? 1 : 2) && get(both.storage, at + 1) == 7);
        }
        CHECK(holds(source, 7));
        cow_storage_free(both.storage);
        cow_storage_free(source);
    }
    nothing_is_left();
}

/* ---- questions --------------------------------------------------------------------------------------------------- */

/* Readers, askers, writers of the same Storage and of its clones. */
typedef struct ward {
    cow_storage *storage, *shared; /* written to in place; shared with clones that come and go */
    size_t written;                /* where a child finds 1 in storage */
    start_line line;
    cowi_atomic_uint stop;
} ward;

static void *ask_both(void *argument)
{
    ward *w = (ward *)argument;
    start_line_wait(&w->line);
    do {
        CHECK(cow_storage_own_bytes(w->storage) <= LARGE + 8 * MIB);
        CHECK(cow_storage_own_bytes(w->shared) <= LARGE + 8 * MIB);
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
        for (size_t at = 1; at < LARGE; at += PAGE) {
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
    const size_t at = next_random(seed) % (LARGE / PAGE) * PAGE, other = next_random(seed) % (LARGE / PAGE) * PAGE;
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

static void threads_read_and_write_what_is_asked(fixture *f)
{
    cow_storage *source = make_large(7);
    uint64_t seed = test_seed();
    pthread_t asker, reader, second_asker;
    ward w;
    (void)f;
    use(COW_PAGING_EAGER);
    memset(&w, 0, sizeof w);
    w.storage = make_paged(source);
    w.shared = make_paged(source);
    start_line_init(&w.line, 4);
    asker = spawn(ask_both, &w);
    second_asker = spawn(ask_both, &w);
    reader = spawn(read_both, &w);
    start_line_wait(&w.line);
    for (unsigned round = 0; round < rounds(200); round++) {
        write_both(&w, &seed);
    }
    cowi_store_release(&w.stop, 1);
    join(asker);
    join(second_asker);
    join(reader);
    CHECK(holds(source, 7));
    cow_storage_free(w.storage);
    cow_storage_free(w.shared);
    cow_storage_free(source);
    nothing_is_left();
}

static void child_asks(void *argument)
{
    ward *w = (ward *)argument;
    CHECK(cow_storage_own_bytes(w->storage) != 0 && cow_storage_own_bytes(w->shared) != 0);
    CHECK_OK(put(w->storage, 1, 2));
    CHECK(get(w->storage, w->written) == 1 && get(w->storage, 1) == 2);
    CHECK(holds(w->shared, 7));
}

/* A child that is forked in the middle finds nobody in the middle of anything. */
static void children_ask_what_their_parents_ask(fixture *f)
{
    cow_storage *source = make_large(7);
    pthread_t asker;
    ward w;
    (void)f;
    use(COW_PAGING_EAGER);
    memset(&w, 0, sizeof w);
    w.storage = make_paged(source);
    w.shared = make_paged(source);
    start_line_init(&w.line, 2);
    asker = spawn(ask_both, &w);
    start_line_wait(&w.line);
    for (unsigned round = 0; round < rounds(30); round++) {
        w.written = round * PAGE;
        CHECK_OK(put(w.storage, w.written, 1));
        CHECK(child_succeeds(child_asks, &w));
    }
    cowi_store_release(&w.stop, 1);
    join(asker);
    CHECK_EQ(get(w.storage, 1), 7);
    cow_storage_free(w.storage);
    cow_storage_free(w.shared);
    cow_storage_free(source);
    nothing_is_left();
}

int main(void)
{
    see_whether_pages_are_granted();
    RUN(one_base_for_all_that_write_at_once);
    RUN(threads_and_forks_see_values_only);
    RUN(threads_read_and_write_what_is_asked);
    RUN(children_ask_what_their_parents_ask);
    RUN(threads_fill_parts_of_one_across_a_give_up);
    return finish("test_pages_threads");
}
