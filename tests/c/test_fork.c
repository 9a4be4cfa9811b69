/* fork in one thread while others copy: the child's arrays work. Each child is watched by an alarm; it reports failed checks
 * through its exit status, starts no thread, and leaves by _exit.
 *
 * One file, for each section forks with the same memory and watches its children alike. */
#include "harness.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "internal.h"

#define SIZE 4096u
#define WORKERS 3u

/* ---- memory that a forked child can allocate ------------------------------------------------------------------------
 *
 * malloc knows of forks. AddressSanitizer's does not: a child hangs if another thread was inside it. There, blocks come
 * straight from the kernel. */

static int zeros; /* /dev/zero: anonymous maps are not in POSIX 2008 */

static void *pages_alloc(void *self, size_t nbytes, size_t alignment)
{
    void *data = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, zeros, 0);
    (void)self;
    (void)alignment; /* a page's is enough */
    return data == MAP_FAILED ? NULL : data;
}

static void pages_free(void *self, void *data, size_t nbytes, size_t alignment)
{
    (void)self;
    (void)alignment;
    (void)munmap(data, nbytes);
}

static void pages_clone(void *self, void *data, const void *source, size_t nbytes)
{
    (void)self;
    memcpy(data, source, nbytes);
}

static const cow_allocator pages = {"pages", NULL, pages_alloc, pages_free, pages_clone, NULL};

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEAP_HANGS 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(HEAP_HANGS)
#define FORKABLE (&pages)
#else
#define FORKABLE cow_heap()
#endif

/* ---- children ---------------------------------------------------------------------------------------------------- */

/* Whatever the Storage holds: clone it, write both, steal, free the clone. */
static void storage_works(cow_storage *storage)
{
    cow_storage *clone = make_clone(storage);
    CHECK_OK(fill(storage, 21));
    CHECK_OK(fill(clone, 22));
    CHECK(holds(storage, 21) && holds(clone, 22));
    CHECK_EQ(cow_storage_shares(storage), 1);
    cow_storage_free(clone);
    clone = make_clone(storage);
    cow_storage_free(storage);
    CHECK_OK(fill(clone, 23));
    CHECK(holds(clone, 23));
    cow_storage_free(clone);
}

/* ---- fork while others copy, clone and write ----------------------------------------------------------------------- */

typedef struct crowd {
    cow_storage *root;   /* cloned by all, written by none */
    cow_storage *common; /* written by all, in parts */
    cow_storage *own[WORKERS];
    cowi_atomic_uint over;
    cowi_atomic_uint next;
} crowd;

static void *work(void *argument)
{
    crowd *c = (crowd *)argument;
    const unsigned me = cowi_add_seq_cst(&c->next, 1);
    do { /* once in any case, however late it starts */
        cow_storage *a = make_clone(c->root);
        cow_storage *b = make_clone(c->own[me]);
        cow_storage *keep = make_clone(c->common); /* so that the next write to common materializes again */
        cow_mutable_scope scope;
        REQUIRE(fill(a, 5) == COW_OK);
        REQUIRE(fill(c->own[me], 6) == COW_OK);
        REQUIRE(cow_mutable_begin(c->common, 0, &scope, NULL) == COW_OK);
        cow_mutable_end(&scope);
        cow_storage_free(b);
        cow_storage_free(a);
        cow_storage_free(keep);
    } while (!cowi_load_seq_cst(&c->over));
    return NULL;
}

static void crowd_in_the_child(void *argument)
{
    crowd *c = (crowd *)argument;
    cow_storage *clone = make_clone(c->root);
    CHECK(holds(clone, 1) && holds(c->root, 1));
    CHECK_OK(fill(clone, 9));
    CHECK(holds(clone, 9) && holds(c->root, 1));
    cow_storage_free(clone);
    CHECK(holds(c->common, 2));
    storage_works(c->root);
    for (unsigned i = 0; i < WORKERS; i++) { /* its worker may have been anywhere when the picture was taken */
        cow_storage *mine = make_clone(c->own[i]);
        CHECK_OK(fill(mine, 10));
        CHECK_OK(fill(c->own[i], 11));
        CHECK(holds(mine, 10) && holds(c->own[i], 11));
        cow_storage_free(mine);
    }
    CHECK_OK(fill(c->common, 12));
    CHECK(holds(c->common, 12));
}

static void play_crowd(const cow_allocator *allocator)
{
    pthread_t workers[WORKERS];
    crowd c;
    const unsigned forks = rounds(60);
    c.root = make_filled(allocator, SIZE, 1);
    c.common = make_filled(allocator, SIZE, 2);
    cowi_init(&c.over, 0);
    cowi_init(&c.next, 0);
    for (unsigned i = 0; i < WORKERS; i++) {
        c.own[i] = make_filled(allocator, SIZE, 3);
    }
    for (unsigned i = 0; i < WORKERS; i++) {
        workers[i] = spawn(work, &c);
    }
    for (unsigned i = 0; i < forks; i++) {
        CHECK(child_succeeds(crowd_in_the_child, &c));
        sleep_ms(1);
    }
    cowi_store_seq_cst(&c.over, 1);
    for (unsigned i = 0; i < WORKERS; i++) {
        join(workers[i]);
    }
    for (unsigned i = 0; i < WORKERS; i++) {
        CHECK(holds(c.own[i], 6));
        cow_storage_free(c.own[i]);
    }
    CHECK(holds(c.root, 1) && holds(c.common, 2)); /* and the parent's arrays are the parent's */
    cow_storage_free(c.root);
    cow_storage_free(c.common);
}

/* Not with the tracing allocator, whose mutex is unknown to the gate. */
static void child_of_a_busy_process_works(fixture *f)
{
    (void)f;
    play_crowd(&pages);
    play_crowd(FORKABLE);
}

/* ---- fork while bytes come and go ---------------------------------------------------------------------------------- */

typedef struct tide {
    cow_storage *a[WORKERS];
    cow_storage *b[WORKERS]; /* shares with a; both hold 1, or are absent */
    cowi_atomic_uint over;
    cowi_atomic_uint next;
} tide;

static char ones[SIZE];

static cow_status bring_ones(cow_storage *storage)
{
    const cow_dataptr ptr = {ones, NULL, NULL};
    return cow_storage_fill(storage, ptr, SIZE, NULL);
}

static void *ebb_and_flow(void *argument)
{
    tide *t = (tide *)argument;
    const unsigned me = cowi_add_seq_cst(&t->next, 1);
    while (!cowi_load_seq_cst(&t->over)) {
        const cow_status status = cow_storage_evict(t->a[me], 2, NULL);
        REQUIRE(status == COW_OK || status == COW_EBUSY); /* a fork */
        if (status == COW_OK) {
            REQUIRE(bring_ones(t->b[me]) == COW_OK);
        }
        REQUIRE(holds(t->a[me], 1));
    }
    return NULL;
}

static void tide_in_the_child(void *argument)
{
    tide *t = (tide *)argument;
    for (unsigned i = 0; i < WORKERS; i++) {
        cow_storage *own;
        cow_status status = bring_ones(t->a[i]);
        CHECK(status == COW_OK || status == COW_EPRESENT); /* it does not wait for a thread that is not here */
        CHECK(holds(t->a[i], 1) && holds(t->b[i], 1));
        status = cow_storage_evict(t->b[i], 2, NULL);
        CHECK(status == COW_OK || status == COW_EBUSY); /* a reader that is not here may still be counted */
        if (status == COW_OK) {
            CHECK(cow_storage_is_absent(t->a[i]));
            CHECK_OK(bring_ones(t->a[i]));
        }
        CHECK(holds(t->a[i], 1) && holds(t->b[i], 1));
        own = make_clone(t->a[i]);
        CHECK_OK(fill(own, 2));
        CHECK_OK(cow_storage_evict(own, 1, NULL));
        CHECK_OK(bring_ones(own));
        CHECK(holds(own, 1));
        cow_storage_free(own);
    }
}

static void child_of_a_process_where_bytes_come_and_go_works(fixture *f)
{
    pthread_t workers[WORKERS];
    const unsigned forks = rounds(100);
    tide t;
    (void)f;
    memset(ones, 1, SIZE);
    cowi_init(&t.over, 0);
    cowi_init(&t.next, 0);
    for (unsigned i = 0; i < WORKERS; i++) {
        t.a[i] = make_filled(FORKABLE, SIZE, 1);
        t.b[i] = make_clone(t.a[i]);
    }
    for (unsigned i = 0; i < WORKERS; i++) {
        workers[i] = spawn(ebb_and_flow, &t);
    }
    for (unsigned i = 0; i < forks; i++) {
        CHECK(child_succeeds(tide_in_the_child, &t));
    }
    cowi_store_seq_cst(&t.over, 1);
    for (unsigned i = 0; i < WORKERS; i++) {
        join(workers[i]);
    }
    for (unsigned i = 0; i < WORKERS; i++) { /* who had which pair is not told by the order of their births */
        CHECK(holds(t.a[i], 1) && holds(t.b[i], 1));
        cow_storage_free(t.a[i]);
        cow_storage_free(t.b[i]);
    }
}

/* ---- a micro lock that the fork caught ----------------------------------------------------------------------------- */

static void take_over(void *argument)
{
    cow_storage *s = (cow_storage *)argument;
    CHECK_EQ(cow_storage_shares(s), 2);
    CHECK(holds(s, 1));
    CHECK_OK(fill(s, 2));
    CHECK(holds(s, 2));
}

static void write_alone(void *argument)
{
    cow_storage *s = (cow_storage *)argument;
    CHECK(holds(s, 1));
    CHECK_OK(fill(s, 2));
    CHECK(holds(s, 2));
    storage_works(s);
}

static void fork_again(void *argument)
{
    CHECK(child_succeeds(take_over, argument));
    take_over(argument);
}

static void child_takes_over_a_held_micro_lock(fixture *f)
{
    cow_storage *a = make_filled(f->allocator, SIZE, 1);
    cow_storage *b = make_clone(a);
    const unsigned epoch = cowi_fork_epoch();
    cowi_storage_lock(a); /* as if another thread were inside it */
    CHECK(child_succeeds(take_over, a));
    CHECK(child_succeeds(fork_again, a));
    cowi_storage_unlock(a);
    CHECK_EQ(cowi_fork_epoch(), epoch);
    CHECK(holds(a, 1) && holds(b, 1));
    cow_storage_free(a);
    cow_storage_free(b);
}

/* As if the picture were taken before the last store of a Storage's way into a context. */
static void child_finds_a_storage_on_its_way_into_a_context(fixture *f)
{
    const cow_dataptr none = {NULL, NULL, NULL};
    cow_storage *s = make_filled(f->allocator, SIZE, 1);
    cowi_context *spare = cowi_context_new(f->allocator, none, SIZE, false);
    cowi_context *context;
    REQUIRE(spare != NULL);
    cowi_storage_lock(s);
    context = cowi_storage_wrap(s, &spare);
    s->context = NULL;
    CHECK(child_succeeds(write_alone, s));
    s->context = context;
    cowi_storage_unlock(s);
    CHECK(holds(s, 1));
    cow_storage_free(s);
}

/* ---- a fork waits for a copy in mid-air ----------------------------------------------------------------------------- */

typedef struct scene {
    stopper s;
    cow_storage *a;
    cow_storage *b;
    cow_storage *other;
    cow_storage *other_sharer;
    cowi_atomic_uint forked;
    bool child_ok;
} scene;

static void *write_a(void *argument)
{
    scene *sc = (scene *)argument;
    CHECK_OK(fill(sc->a, 2));
    return NULL;
}

static bool old_or_new(const void *data, size_t nbytes)
{
    size_t i = 0;
    while (i < nbytes && (((const char *)data)[i] == 1 || ((const char *)data)[i] == 2)) {
        i++;
    }
    return i == nbytes;
}

static void scene_in_the_child(void *argument)
{
    scene *sc = (scene *)argument;
    cow_mutable_scope scope;
    CHECK_OK(cow_mutable_begin(sc->a, COW_TRY, &scope, NULL)); /* neither busy nor half copied; its lock is free */
    CHECK(old_or_new(scope.data, scope.nbytes));               /* its writer may have been inside memset */
    cow_mutable_end(&scope);
    CHECK_OK(cow_mutable_begin(sc->b, COW_TRY, &scope, NULL)); /* a steal */
    CHECK(all_bytes(scope.data, scope.nbytes, 1));
    cow_mutable_end(&scope);
    CHECK_OK(fill(sc->other, 4)); /* the gate is open */
    CHECK(holds(sc->other, 4) && holds(sc->other_sharer, 3));
}

static void *do_fork(void *argument)
{
    scene *sc = (scene *)argument;
    sc->child_ok = child_succeeds(scene_in_the_child, sc);
    cowi_store_seq_cst(&sc->forked, 1);
    return NULL;
}

static void fork_waits_for_copies_and_try_does_not_wait_for_the_fork(fixture *f)
{
    scene sc;
    pthread_t copier;
    pthread_t forker;
    cow_mutable_scope scope;
    cow_status status;
    (void)f;
    stopper_init(&sc.s, FORKABLE);
    sc.a = make_filled(&sc.s.table, SIZE, 1);
    sc.b = make_clone(sc.a);
    sc.other = make_filled(FORKABLE, SIZE, 3);
    sc.other_sharer = make_clone(sc.other);
    cowi_init(&sc.forked, 0);
    stopper_hold(&sc.s);
    copier = spawn(write_a, &sc);
    stopper_wait(&sc.s);
    forker = spawn(do_fork, &sc);
    /* Once the gate is closed, a writer that may not wait says so. */
    while ((status = cow_mutable_begin(sc.other, COW_TRY, &scope, NULL)) == COW_OK) {
        cow_mutable_end(&scope);
        cow_storage_free(sc.other_sharer);
        sc.other_sharer = make_clone(sc.other); /* shared again */
    }
    CHECK_STATUS(status, COW_EBUSY);
    CHECK_STATUS(cow_storage_evict(sc.other, 2, NULL), COW_EBUSY);
    sleep_ms(30);
    CHECK_EQ(cowi_load_seq_cst(&sc.forked), 0); /* the fork waits for the copy */
    CHECK(holds(sc.other, 3));                  /* reads, clones and drops pass beside the gate */
    cow_storage_free(make_clone(sc.other));
    stopper_release(&sc.s);
    join(copier);
    join(forker);
    CHECK(sc.child_ok);
    CHECK_OK(cow_mutable_begin(sc.other, COW_TRY, &scope, NULL)); /* open again in the parent */
    cow_mutable_end(&scope);
    CHECK(holds(sc.a, 2) && holds(sc.b, 1));
    cow_storage_free(sc.a);
    cow_storage_free(sc.b);
    cow_storage_free(sc.other);
    cow_storage_free(sc.other_sharer);
}

/* A thread waits in the room for a busy Storage while the process forks: the child's room is empty and usable. */
static void *write_a_part(void *argument)
{
    scene *sc = (scene *)argument;
    cow_mutable_scope scope;
    CHECK_OK(cow_mutable_begin(sc->a, 0, &scope, NULL));
    cow_mutable_end(&scope);
    return NULL;
}

static void child_of_a_process_with_waiters_works(fixture *f)
{
    scene sc;
    pthread_t copier;
    pthread_t waiter;
    pthread_t forker;
    (void)f;
    stopper_init(&sc.s, FORKABLE);
    sc.a = make_filled(&sc.s.table, SIZE, 1);
    sc.b = make_clone(sc.a);
    sc.other = make_filled(FORKABLE, SIZE, 3);
    sc.other_sharer = make_clone(sc.other);
    cowi_init(&sc.forked, 0);
    stopper_hold(&sc.s);
    copier = spawn(write_a, &sc);
    stopper_wait(&sc.s);
    waiter = spawn(write_a_part, &sc);
    sleep_ms(10);
    forker = spawn(do_fork, &sc);
    sleep_ms(10);
    CHECK_EQ(cowi_load_seq_cst(&sc.forked), 0);
    stopper_release(&sc.s);
    join(forker);
    join(copier);
    join(waiter);
    CHECK(sc.child_ok);
    CHECK(holds(sc.a, 2) && holds(sc.b, 1));
    cow_storage_free(sc.a);
    cow_storage_free(sc.b);
    cow_storage_free(sc.other);
    cow_storage_free(sc.other_sharer);
}

/* ---- the heap's kept blocks ---------------------------------------------------------------------------------------- */

static cowi_atomic_uint churn_over;

static void *churn(void *unused)
{
    const size_t nbytes = (size_t)4 << 20;
    while (!cowi_load_seq_cst(&churn_over)) {
        void *data = cow_heap()->alloc(cow_heap()->self, nbytes, COW_ALIGNMENT);
        if (data == NULL) {
            give_up();
        }
        cow_heap()->free(cow_heap()->self, data, nbytes, COW_ALIGNMENT);
    }
    return unused;
}

static void heap_in_the_child(void *unused)
{
    cow_storage *s;
    (void)unused;
    CHECK_EQ(cow_heap_keep((size_t)8 << 20), (size_t)64 << 20);
    s = make_filled(cow_heap(), (size_t)5 << 20, 3);
    CHECK(holds(s, 3));
    cow_storage_free(s);
    CHECK_EQ(cow_heap_keep(0), (size_t)8 << 20);
}

/* The lock of the kept blocks is held now and then by threads that the child does not have. */
static void child_can_use_the_heap(fixture *f)
{
    const unsigned forks = rounds(60);
    const size_t before = cow_heap_keep((size_t)64 << 20);
    cow_storage *starts_the_gate = make_filled(f->allocator, 1, 1);
    pthread_t threads[2];
    cowi_init(&churn_over, 0);
    threads[0] = spawn(churn, NULL);
    threads[1] = spawn(churn, NULL);
    for (unsigned i = 0; i < forks; i++) {
        if (!CHECK(child_succeeds(heap_in_the_child, NULL))) {
            break;
        }
    }
    cowi_store_seq_cst(&churn_over, 1);
    join(threads[0]);
    join(threads[1]);
    cow_storage_free(starts_the_gate);
    (void)cow_heap_keep(before);
}

int main(int argc, char **argv)
{
    (void)argc;
    (void)alarm(300);
    zeros = open("/dev/zero", O_RDWR);
    REQUIRE(zeros >= 0);
    RUN(child_takes_over_a_held_micro_lock);
    RUN(child_finds_a_storage_on_its_way_into_a_context);
    RUN(fork_waits_for_copies_and_try_does_not_wait_for_the_fork);
    RUN(child_of_a_process_with_waiters_works);
    RUN(child_can_use_the_heap);
    RUN(child_of_a_busy_process_works);
    RUN(child_of_a_process_where_bytes_come_and_go_works);
    return finish(argv[0]);
}
