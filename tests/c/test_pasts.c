/* Threads that write to one Storage, keep clones of it, read these and drop them at any time, and children that are forked
 * meanwhile, see what copies made at once would hold. */
#include <stdlib.h>

#include "paging.h"

#define PAGES (LARGE / PAGE)
#define KEPT 12
#define WORN 64

/* A Storage whose pages from WORN on say how often somebody wrote to them, and the same of each clone that is kept. */
typedef struct kept {
    cow_storage *storage;
    unsigned char counts[PAGES];
} kept;

static bool is_equal(cow_storage *storage, const unsigned char *counts)
{
    cow_const_scope scope;
    bool same = true;
    REQUIRE(cow_const_begin(storage, &scope, NULL) == COW_OK);
    for (size_t page = 0; page < PAGES; page++) {
        same = same && ((const unsigned char *)scope.data)[page * PAGE] == counts[page];
    }
    cow_const_end(&scope);
    return same;
}

static cow_storage *make_worn(cow_storage *root, unsigned char *counts)
{
    cow_storage *made = make_clone(root);
    memset(counts, 7, PAGES);
    for (size_t page = 0; page < WORN; page++) {
        CHECK_OK(put(made, page * PAGE, 1));
        counts[page] = 1;
    }
    return made;
}

static void write_one(cow_storage *storage, unsigned char *counts, uint64_t *seed)
{
    const size_t page = next_random(seed) % PAGES;
    counts[page] = (unsigned char)((counts[page] + 1) % 100);
    CHECK_OK(put(storage, page * PAGE, counts[page]));
}

/* ---- in one thread ----------------------------------------------------------------------------------------------------- */

static void write_anywhere(kept *to, uint64_t *seed)
{
    cow_mutable_scope scope;
    const size_t page = next_random(seed) % PAGES;
    REQUIRE(cow_mutable_begin(to->storage, 0, &scope, NULL) == COW_OK);
    ((unsigned char *)scope.data)[page * PAGE] = to->counts[page] = 99;
    cow_mutable_end(&scope);
}

static void copy_kept(kept *to, const kept *from)
{
    if (to != from) {
        cow_storage_free(to->storage);
        *to = *from;
        to->storage = make_clone(from->storage);
    }
}

static bool program(cow_storage *root, uint64_t seed, unsigned steps)
{
    kept *all = (kept *)malloc(KEPT * sizeof *all);
    bool good = true;
    REQUIRE(all != NULL);
    for (size_t i = 0; i < KEPT; i++) {
        all[i].storage = make_worn(root, all[i].counts);
    }
    for (unsigned step = 0; step < steps && good; step++) {
        kept *one = &all[next_random(&seed) % KEPT], *other = &all[next_random(&seed) % KEPT];
        switch (next_random(&seed) % 12) {
        case 0:
            good = is_equal(one->storage, one->counts);
            break;
        case 1:
            if (next_random(&seed) % 4 == 0) {
                write_anywhere(one, &seed);
            }
            break;
        case 2:
        case 3:
        case 4:
        case 5:
            copy_kept(other, one);
            other = next_random(&seed) % 4 == 0 ? other : one;
            write_one(other->storage, other->counts, &seed);
            break;
        default:
            write_one(one->storage, one->counts, &seed);
        }
    }
    for (size_t i = 0; i < KEPT; i++) {
        good = good && is_equal(all[i].storage, all[i].counts);
        cow_storage_free(all[i].storage);
    }
    free(all);
    return good;
}

static void programs_hold_what_copies_would(fixture *f)
{
    const uint64_t seed = test_seed();
    (void)f;
    for (unsigned round = 0; round < rounds(12); round++) {
        cow_storage *root = make_large(7);
        use(round % 3 == 2 ? COW_PAGING_LEDGER : COW_PAGING_EAGER);
        if (!CHECK(program(root, seed + round, 600))) {
            (void)fprintf(stderr, "seed %llu, round %u\n", (unsigned long long)seed, round);
        }
        cow_storage_free(root);
        nothing_is_left();
    }
}

/* ---- in threads ---------------------------------------------------------------------------------------------------------- */

/* Two threads write to one Storage at once, each to every other page, and keep clones of it, which they read and drop while the
 * other writes. A clone is made while nobody writes, as users have to see to. Each thread knows what its own half was then. */
typedef struct shared {
    pthread_rwlock_t lock; /* shared: to write; exclusive: to clone */
    cow_storage *storage;
    cow_storage *root;
    start_line line;
    cowi_atomic_uint next;
    cowi_atomic_uint stop;
    cowi_atomic_uint wrong;
    cowi_atomic_uint steps;
} shared;

static bool holds_half(cow_storage *storage, const unsigned char *counts, size_t half)
{
    cow_const_scope scope;
    bool same = true;
    REQUIRE(cow_const_begin(storage, &scope, NULL) == COW_OK);
    for (size_t page = half; page < PAGES; page += 2) {
        same = same && ((const unsigned char *)scope.data)[page * PAGE] == counts[page];
    }
    cow_const_end(&scope);
    return same;
}

static void *keep_and_write(void *argument)
{
    shared *all = (shared *)argument;
    const size_t half = cowi_add_relaxed(&all->next, 1);
    uint64_t seed = test_seed() + half;
    kept *own = (kept *)calloc(KEPT, sizeof *own);
    unsigned char counts[PAGES];
    REQUIRE(own != NULL);
    memset(counts, 7, sizeof counts);
    memset(counts, 1, WORN);
    start_line_wait(&all->line);
    while (!cowi_load_acquire(&all->stop)) {
        kept *one = &own[next_random(&seed) % KEPT];
        for (uint64_t times = next_random(&seed) % 3; times > 0; times--) {
            const size_t page = next_random(&seed) % (PAGES / 2) * 2 + half;
            counts[page] = (unsigned char)((counts[page] + 1) % 100);
            (void)pthread_rwlock_rdlock(&all->lock);
            REQUIRE(put(all->storage, page * PAGE, counts[page]) == COW_OK);
            (void)pthread_rwlock_unlock(&all->lock);
        }
        if (one->storage != NULL && next_random(&seed) % 8 == 0) {
            (void)cowi_add_relaxed(&all->wrong, !holds_half(one->storage, one->counts, half));
        }
        cow_storage_free(one->storage);
        (void)pthread_rwlock_wrlock(&all->lock);
        one->storage = make_clone(all->storage);
        (void)pthread_rwlock_unlock(&all->lock);
        memcpy(one->counts, counts, sizeof counts);
        (void)cowi_add_relaxed(&all->steps, 1);
    }
    for (size_t i = 0; i < KEPT; i++) {
        if (own[i].storage != NULL) {
            (void)cowi_add_relaxed(&all->wrong, !holds_half(own[i].storage, own[i].counts, half));
            cow_storage_free(own[i].storage);
        }
    }
    free(own);
    return NULL;
}

/* The Storage may be anything: its writers are not here. */
static void child_reads(void *argument)
{
    const shared *all = (const shared *)argument;
    CHECK(program(all->root, test_seed(), 60));
}

static void threads_and_children_see_what_they_kept(fixture *f)
{
    shared all;
    pthread_t threads[2];
    unsigned char counts[PAGES];
    (void)f;
    memset(&all, 0, sizeof all);
    use(COW_PAGING_EAGER);
    REQUIRE(pthread_rwlock_init(&all.lock, NULL) == 0);
    all.root = make_large(7);
    all.storage = make_worn(all.root, counts);
    start_line_init(&all.line, 3);
    for (size_t i = 0; i < 2; i++) {
        threads[i] = spawn(keep_and_write, &all);
    }
    start_line_wait(&all.line);
    for (unsigned round = 0; round < rounds(8); round++) {
        CHECK(child_succeeds_amid_threads(child_reads, &all));
    }
    cowi_store_release(&all.stop, 1);
    for (size_t i = 0; i < 2; i++) {
        join(threads[i]);
    }
    CHECK_EQ(cowi_load_relaxed(&all.wrong), 0);
    (void)printf("pasts in threads: %u clones kept\n", cowi_load_relaxed(&all.steps));
    cow_storage_free(all.storage);
    CHECK(holds(all.root, 7));
    cow_storage_free(all.root);
    (void)pthread_rwlock_destroy(&all.lock);
    nothing_is_left();
}

/* ---- two who share, and never touch the same Storage ------------------------------------------------------------------- */

typedef struct pair_of {
    cow_storage *asked;
    cowi_atomic_uint began;
    cowi_atomic_uint stop;
} pair_of;

static void *rebase(void *argument)
{
    pair_of *all = (pair_of *)argument;
    cowi_store_release(&all->began, 1);
    return cow_storage_rebase(all->asked, NULL) == COW_EINVAL ? all : NULL; /* it is put on a base, or refused */
}

static void *ask(void *argument)
{
    pair_of *all = (pair_of *)argument;
    cowi_store_release(&all->began, 1);
    while (!cowi_load_acquire(&all->stop)) {
        (void)cow_storage_own_bytes(all->asked);
        (void)cow_storage_is_paged(all->asked);
    }
    return NULL;
}

static pthread_t begin(pair_of *all, void *(*body)(void *))
{
    pthread_t thread;
    cowi_store_relaxed(&all->began, 0);
    cowi_store_relaxed(&all->stop, 0);
    thread = spawn(body, all);
    while (!cowi_load_acquire(&all->began)) {
        (void)sched_yield();
    }
    return thread;
}

static void what_is_put_on_a_base_is_not_taken_over(fixture *f)
{
    cow_storage *root = make_large(7);
    unsigned char counts[PAGES];
    (void)f;
    use(COW_PAGING_EAGER);
    for (unsigned round = 0; round < rounds(100); round++) {
        cow_storage *writer = make_worn(root, counts);
        pair_of all = {make_clone(writer), 0, 0};
        pthread_t thread = begin(&all, rebase);
        for (size_t page = WORN; page < PAGES; page += 40) {
            REQUIRE(put(writer, page * PAGE, 3) == COW_OK);
        }
        join(thread);
        CHECK(is_equal(all.asked, counts));
        for (size_t page = WORN; page < PAGES; page += 40) {
            counts[page] = 3;
        }
        CHECK(is_equal(writer, counts));
        cow_storage_free(writer);
        cow_storage_free(all.asked);
    }
    cow_storage_free(root);
    nothing_is_left();
}

/* The context has a past of before, which ends when the bytes are taken over again. */
static void who_is_asked_meanwhile_has_one_past(fixture *f)
{
    cow_storage *root = make_large(7);
    unsigned char counts[PAGES];
    (void)f;
    use(COW_PAGING_EAGER);
    for (unsigned round = 0; round < rounds(100); round++) {
        cow_storage *writer = make_worn(root, counts), *second = make_clone(writer);
        pair_of all = {make_clone(writer), 0, 0};
        pthread_t thread;
        REQUIRE(put(writer, 500 * PAGE, 2) == COW_OK);
        CHECK(is_equal(second, counts));
        thread = begin(&all, ask);
        REQUIRE(put(second, 501 * PAGE, 3) == COW_OK);
        cowi_store_release(&all.stop, 1);
        join(thread);
        CHECK(is_equal(all.asked, counts));
        cow_storage_free(writer);
        cow_storage_free(second);
        cow_storage_free(all.asked);
    }
    cow_storage_free(root);
    nothing_is_left();
}

static void *read_once(void *argument)
{
    pair_of *all = (pair_of *)argument;
    cowi_store_release(&all->began, 1);
    return get(all->asked, 500 * PAGE) == 7 ? NULL : all;
}

/* Two sharers of one past are read at once, and one of them ends: each read finds bytes. */
static void all_who_read_find_bytes(fixture *f)
{
    cow_storage *root = make_large(7);
    unsigned char counts[PAGES];
    (void)f;
    use(COW_PAGING_EAGER);
    for (unsigned round = 0; round < rounds(200); round++) {
        cow_storage *writer = make_worn(root, counts), *second = make_clone(writer);
        pair_of all = {make_clone(writer), 0, 0};
        pthread_t thread;
        void *wrong = NULL;
        REQUIRE(put(writer, 500 * PAGE, 2) == COW_OK);
        thread = begin(&all, read_once);
        if (round % 2 == 0) {
            CHECK(get(second, 500 * PAGE) == 7);
        }
        cow_storage_free(writer); /* whose window goes to the past, if nobody has recalled it */
        REQUIRE(pthread_join(thread, &wrong) == 0);
        CHECK(wrong == NULL && get(second, 500 * PAGE) == 7);
        cow_storage_free(second);
        cow_storage_free(all.asked);
    }
    cow_storage_free(root);
    nothing_is_left();
}

int main(void)
{
    see_whether_pages_are_granted();
    RUN(all_who_read_find_bytes);
    RUN(what_is_put_on_a_base_is_not_taken_over);
    RUN(who_is_asked_meanwhile_has_one_past);
    RUN(programs_hold_what_copies_would);
    RUN(threads_and_children_see_what_they_kept);
    return finish("test_pasts");
}
