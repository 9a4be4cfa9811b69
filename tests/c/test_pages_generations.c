/* Generations of clones, written at random by rows, bytes and as a whole, hold what copies would: in one thread,
 * and in threads and forked children at the same time. A failure prints its seed. */
#include <stdlib.h>

#include "paging.h"

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
    same = memcmp(scope.data, p->model, LARGE) == 0;
    cow_const_end(&scope);
    return same;
}

/* Rows of bytes, as an image's rectangle. */
static void write_rows(pair *p, uint64_t *seed)
{
    const size_t rows = 1 + next_random(seed) % 40, bytes = 1 + next_random(seed) % 5000;
    const size_t stride = bytes + next_random(seed) % 60000;
    const size_t hull = (rows - 1) * stride + bytes;
    const size_t start = next_random(seed) % (LARGE - hull);
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
        const size_t at = next_random(seed) % LARGE;
        REQUIRE(put(p->storage, at, (int)(i % 100)) == COW_OK);
        p->model[at] = (unsigned char)(i % 100);
    }
}

static void write_whole(pair *p, uint64_t *seed)
{
    cow_overwrite_scope scope;
    const int value = (int)(next_random(seed) % 100);
    REQUIRE(cow_overwrite_begin(p->storage, 0, &scope, NULL) == COW_OK);
    memset(scope.data, value, LARGE);
    REQUIRE(cow_overwrite_commit(&scope, NULL, NULL) == COW_OK);
    memset(p->model, value, LARGE);
}

static pair copy_of(const pair *p)
{
    pair made = {make_clone(p->storage), (unsigned char *)malloc(LARGE)};
    REQUIRE(made.model != NULL);
    memcpy(made.model, p->model, LARGE);
    return made;
}

/* Of a root that holds 7. */
static pair first_pair(cow_storage *root)
{
    pair made = {make_clone(root), (unsigned char *)malloc(LARGE)};
    REQUIRE(made.model != NULL);
    memset(made.model, 7, LARGE);
    return made;
}

static bool generations(cow_storage *root, uint64_t seed, unsigned steps)
{
    pair live[LIVE];
    bool good = true;
    for (size_t i = 0; i < LIVE; i++) {
        live[i] = i == 0 ? first_pair(root) : copy_of(&live[0]);
    }
    for (unsigned step = 0; step < steps && good; step++) {
        pair *one = &live[next_random(&seed) % LIVE], *other = &live[next_random(&seed) % LIVE];
        switch (next_random(&seed) % 15) {
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
        case 7:
        case 8:
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
        cow_storage *root = make_large(7);
        use(round % 3 == 2 ? COW_PAGING_LEDGER : COW_PAGING_EAGER);
        if (!CHECK(generations(root, seed + round, 150))) {
            (void)fprintf(stderr, "seed %llu, round %u\n", (unsigned long long)seed, round);
        }
        cow_storage_free(root);
        nothing_is_left();
    }
}

/* ---- in threads and children ------------------------------------------------------------------------------------- */

typedef struct crowd {
    cow_storage *root;
    uint64_t seed, childs_seed;
    start_line line;
    cowi_atomic_uint stop;
    cowi_atomic_uint wrong;
    cowi_atomic_uint steps;
} crowd;

static void *generate(void *argument)
{
    crowd *c = (crowd *)argument;
    const uint64_t seed = c->seed + UINT64_C(1000003) * cowi_add_relaxed(&c->steps, 1);
    start_line_wait(&c->line);
    for (uint64_t round = 0; !cowi_load_acquire(&c->stop); round++) {
        if (!generations(c->root, seed + round, 40)) {
            (void)fprintf(stderr, "seed %llu\n", (unsigned long long)(seed + round));
            (void)cowi_add_relaxed(&c->wrong, 1);
        }
        (void)cowi_add_relaxed(&c->steps, 1);
    }
    return NULL;
}

static void child_generates(void *argument)
{
    const crowd *c = (const crowd *)argument;
    CHECK(generations(c->root, c->childs_seed, 10));
}

/* All of them, and the children, copy one root, which nobody writes to. */
static void generations_hold_in_threads_and_children(fixture *f)
{
    crowd c;
    pthread_t threads[2];
    (void)f;
    memset(&c, 0, sizeof c);
    c.root = make_large(7);
    c.seed = test_seed();
    start_line_init(&c.line, 3);
    for (size_t i = 0; i < 2; i++) {
        threads[i] = spawn(generate, &c);
    }
    start_line_wait(&c.line);
    for (unsigned round = 0; round < rounds(6); round++) {
        use(round % 4 == 3 ? COW_PAGING_LEDGER : COW_PAGING_EAGER);
        c.childs_seed = c.seed + round;
        CHECK(child_succeeds_amid_threads(child_generates, &c));
    }
    cowi_store_release(&c.stop, 1);
    for (size_t i = 0; i < 2; i++) {
        join(threads[i]);
    }
    CHECK_EQ(cowi_load_relaxed(&c.wrong), 0);
    CHECK(cowi_load_relaxed(&c.steps) > 2 && holds(c.root, 7));
    cow_storage_free(c.root);
    nothing_is_left();
}

int main(void)
{
    see_whether_pages_are_granted();
    RUN(generations_hold_what_copies_would);
    RUN(generations_hold_in_threads_and_children);
    return finish("test_pages_generations");
}
