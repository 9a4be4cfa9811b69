/* A Storage equals its base but for the runs that are told: who has the base and the bytes of those runs, in whatever process,
 * can make it again. A base is received only if nobody can change it, and found by its identity while it lives.
 *
 * One file, for what one side tells the other side takes. Each section can be read alone. */
#define _GNU_SOURCE /* memfd_create */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dirty.h"
#include "paging.h"

typedef struct runs {
    size_t count;
    size_t nbytes;
    size_t end;
    bool in_order;
    cow_storage *from;
    cow_storage *to; /* gets the bytes of each run; NULL: none does */
} runs;

static void copy_run(cow_storage *from, cow_storage *to, size_t start, size_t nbytes)
{
    cow_const_scope reader;
    cow_mutable_scope writer;
    REQUIRE(cow_const_begin(from, &reader, NULL) == COW_OK);
    REQUIRE(cow_mutable_begin(to, 0, &writer, NULL) == COW_OK);
    memcpy((char *)writer.data + start, (const char *)reader.data + start, nbytes);
    cow_mutable_end(&writer);
    cow_const_end(&reader);
}

static void add_run(void *to, size_t start, size_t nbytes)
{
    runs *all = (runs *)to;
    all->in_order = all->in_order && nbytes > 0 && (all->count == 0 || start > all->end);
    all->count++;
    all->nbytes += nbytes;
    all->end = start + nbytes;
    if (all->to != NULL) {
        copy_run(all->from, all->to, start, nbytes);
    }
}

static runs none(void)
{
    const runs all = {0, 0, 0, true, NULL, NULL};
    return all;
}

typedef struct footing {
    cow_base *base;
    size_t start;
    runs told;
} footing;

static footing footing_of(cow_storage *storage)
{
    footing of = {NULL, 0, none()};
    REQUIRE(cow_storage_base(storage, &of.base, &of.start, add_run, &of.told, NULL) == COW_OK);
    CHECK(of.told.in_order && of.told.end <= cow_storage_nbytes(storage));
    return of;
}

/* Whether some of it lies on a base. */
static bool has_footing(cow_storage *storage)
{
    cow_base *base;
    runs all = none();
    size_t start;
    const cow_status status = cow_storage_base(storage, &base, &start, add_run, &all, NULL);
    if (status == COW_OK) {
        cow_base_release(base);
    }
    CHECK(status == COW_OK || (status == COW_EREFUSED && all.count == 0));
    return status == COW_OK;
}

static bool equal(cow_storage *a, cow_storage *b)
{
    cow_const_scope in_a, in_b;
    bool same;
    REQUIRE(cow_const_begin(a, &in_a, NULL) == COW_OK);
    REQUIRE(cow_const_begin(b, &in_b, NULL) == COW_OK);
    same = in_a.nbytes == in_b.nbytes && memcmp(in_a.data, in_b.data, in_a.nbytes) == 0;
    cow_const_end(&in_a);
    cow_const_end(&in_b);
    return same;
}

/* What another process would make of it. */
static void check_made_again(cow_storage *storage)
{
    footing of = footing_of(storage);
    cow_storage *again = NULL;
    runs all = none();
    cow_base *same = NULL;
    size_t start;
    REQUIRE(cow_base_storage(of.base, of.start, cow_storage_nbytes(storage), &again, NULL) == COW_OK);
    all.from = storage;
    all.to = again;
    REQUIRE(cow_storage_base(storage, &same, &start, add_run, &all, NULL) == COW_OK);
    CHECK(same == of.base && start == of.start);
    CHECK(equal(storage, again));
    cow_storage_free(again);
    cow_base_release(same);
    cow_base_release(of.base);
}

static cow_storage *make_on_base(int value)
{
    cow_storage *made = make_large(value);
    CHECK_OK(cow_storage_page(made, NULL));
    return made;
}

static size_t next(uint64_t *seed, size_t below)
{
    return (size_t)(next_random(seed) % below);
}

/* ---- what a Storage lies on ---------------------------------------------------------------------------------------- */

static void pages_of_its_own_are_told(fixture *f)
{
    cow_storage *first = make_on_base(7), *second = make_clone(first), *part;
    footing of;
    (void)f;
    of = footing_of(first);
    CHECK(of.start == 0 && of.told.count == 0 && cow_base_nbytes(of.base) % (2 * MIB) == 0);
    cow_base_release(of.base);
    CHECK_OK(put(second, 5 * MIB, 1));
    CHECK_OK(put(second, 5 * MIB + PAGE, 1));
    CHECK_OK(put(second, LARGE - 1, 1));
    of = footing_of(second);
    CHECK_EQ(of.told.count, 2);
    CHECK_EQ(of.told.nbytes, 2 * PAGE + 64);
    cow_base_release(of.base);
    check_made_again(second);
    REQUIRE(cow_lazy_clone(second, 5 * MIB + 64, 3 * MIB, 0, &part, NULL) == COW_OK);
    of = footing_of(part);
    CHECK_EQ(of.start, 5 * MIB + 64);
    CHECK_EQ(of.told.nbytes, 2 * PAGE - 64);
    cow_base_release(of.base);
    check_made_again(part);
    cow_storage_free(part);
    cow_storage_free(first);
    cow_storage_free(second);
    nothing_is_left();
}

static void what_others_may_change_has_no_base(fixture *f)
{
    cow_storage *plain = make_large(7), *on_ground, *of_file;
    cow_ground *ground;
    cow_base *base = NULL;
    cow_dataptr bytes;
    cow_error err;
    runs all = none();
    size_t start;
    char name[] = "/tmp/cowarray-travel-XXXXXX";
    const int file = mkstemp(name);
    (void)f;
    CHECK_EQ(cow_storage_base(plain, &base, &start, add_run, &all, &err), COW_EREFUSED);
    REQUIRE(cow_ground_new(plain, &ground, &on_ground, NULL) == COW_OK);
    CHECK_EQ(cow_storage_base(on_ground, &base, &start, add_run, &all, &err), COW_EREFUSED);
    cow_storage_free(on_ground);
    cow_ground_free(ground);
    REQUIRE(file >= 0 && ftruncate(file, 8 * MIB) == 0 && unlink(name) == 0);
    REQUIRE(cow_paging_map_file(file, 0, 8 * MIB, NULL, &bytes, NULL) == COW_OK);
    REQUIRE(cow_storage_adopt(cow_heap(), bytes, 8 * MIB, 0, &of_file, NULL) == COW_OK);
    CHECK_EQ(cow_storage_base(of_file, &base, &start, add_run, &all, &err), COW_EREFUSED);
    cow_storage_free(of_file);
    (void)close(file);
    CHECK(base == NULL && all.count == 0);
    cow_storage_free(plain);
    REQUIRE(cow_storage_new_absent(cow_heap(), LARGE, &plain, NULL) == COW_OK);
    CHECK_EQ(cow_storage_base(plain, &base, &start, add_run, &all, &err), COW_EABSENT);
    cow_storage_free(plain);
    nothing_is_left();
}

static void a_base_has_so_many_bytes(fixture *f)
{
    cow_storage *first = make_on_base(7), *made = NULL;
    footing of = footing_of(first);
    const size_t all = cow_base_nbytes(of.base);
    (void)f;
    CHECK_EQ(cow_base_storage(of.base, 0, all + 1, &made, NULL), COW_EINVAL);
    CHECK_EQ(cow_base_storage(of.base, all, 1, &made, NULL), COW_EINVAL);
    CHECK_EQ(cow_base_storage(of.base, 1, SIZE_MAX, &made, NULL), COW_EINVAL);
    CHECK_EQ(cow_base_storage(of.base, 0, 0, &made, NULL), COW_EINVAL);
    CHECK(made == NULL);
    REQUIRE(cow_base_storage(of.base, LARGE - 1, 1, &made, NULL) == COW_OK);
    CHECK_EQ(get(made, 0), 7);
    cow_storage_free(made);
    cow_base_release(of.base);
    cow_base_release(NULL);
    cow_storage_free(first);
    nothing_is_left();
}

/* Commits and give-ups put regions elsewhere; parts begin within pages. */
static void anything_can_be_made_again(fixture *f)
{
    enum { MANY = 4, STEPS = 300 };
    cow_storage *all[MANY];
    uint64_t seed = test_seed();
    size_t made = 0;
    (void)f;
    all[0] = make_on_base(7);
    for (size_t i = 1; i < MANY; i++) {
        all[i] = make_clone(all[0]);
    }
    for (int step = 0; step < STEPS; step++) {
        const size_t which = next(&seed, MANY), other = next(&seed, MANY);
        const size_t at = next(&seed, LARGE - 1), many = next(&seed, 3) == 0 ? 1 + next(&seed, 300) : 1;
        if (next(&seed, 4) == 0 && which != other) {
            cow_storage_free(all[which]);
            all[which] = make_clone(all[other]);
        }
        for (size_t i = 0; i < many; i++) {
            CHECK_OK(put(all[which], (at + i * PAGE) % LARGE, (int)next(&seed, 100)));
        }
        if (step % 10 == 0 && cow_storage_is_paged(all[which])) {
            cow_storage *kept = make_clone(all[which]), *part;
            const size_t start = next(&seed, LARGE - 1);
            REQUIRE(cow_lazy_clone(kept, start, 1 + next(&seed, LARGE - start), 0, &part, NULL) == COW_OK);
            if (has_footing(kept)) {
                check_made_again(kept);
                made++;
            }
            if (has_footing(part)) {
                check_made_again(part);
            }
            cow_storage_free(part);
            cow_storage_free(kept);
        }
    }
    CHECK(made >= STEPS / 100); /* of STEPS / 10 */
    for (size_t i = 0; i < MANY; i++) {
        cow_storage_free(all[i]);
    }
    nothing_is_left();
}

/* ---- a base for all of it ------------------------------------------------------------------------------------------ */

static void write_every_second_page(cow_storage *storage, int value)
{
    for (size_t at = 0; at < LARGE; at += 2 * PAGE) {
        CHECK_OK(put(storage, at, value));
    }
}

static void what_is_dense_gets_a_base_where_it_lies(fixture *f)
{
    cow_storage *first = make_on_base(7), *second = make_clone(first), *third, *part;
    cow_const_scope before, after;
    footing of, others;
    (void)f;
    write_every_second_page(second, 1);
    third = make_clone(second);
    REQUIRE(cow_lazy_clone(second, 5 * MIB, 3 * MIB, 0, &part, NULL) == COW_OK);
    CHECK_OK(cow_const_begin(third, &before, NULL));
    CHECK_OK(cow_storage_rebase(part, NULL)); /* two regions, and no more */
    of = footing_of(part);
    CHECK(of.told.count == 0 && of.start == MIB);
    CHECK_EQ(cow_base_nbytes(of.base), 4 * MIB);
    cow_base_release(of.base);
    CHECK_OK(cow_storage_rebase(third, NULL));
    CHECK_OK(cow_const_begin(third, &after, NULL));
    CHECK(after.data == before.data);
    cow_const_end(&before);
    cow_const_end(&after);
    CHECK(equal(second, third) && get(part, PAGE) == 7);
    for (size_t at = 0; at < LARGE; at += PAGE) {
        CHECK_EQ(get(second, at), at % (2 * PAGE) == 0 ? 1 : 7);
    }
    of = footing_of(second); /* it shares them */
    CHECK(of.told.count == 0 && of.start == 0 && cow_storage_own_bytes(second) == 0);
    others = footing_of(first);
    CHECK(of.base != others.base && holds(first, 7));
    cow_base_release(of.base);
    cow_base_release(others.base);
    CHECK_OK(put(third, 0, 3));
    CHECK(get(second, 0) == 1 && cow_storage_own_bytes(third) == PAGE);
    cow_storage_free(part);
    cow_storage_free(second);
    cow_storage_free(first);
    CHECK_OK(put(third, 2 * PAGE, 4)); /* alone: in place, and it keeps what it has */
    CHECK_OK(cow_storage_rebase(third, NULL));
    CHECK_EQ(cow_storage_is_sole(third), 1);
    CHECK_OK(put(third, 4 * PAGE, 5));
    CHECK(get(third, 0) == 3 && get(third, 2 * PAGE) == 4 && get(third, 4 * PAGE) == 5);
    CHECK_EQ(cow_storage_own_bytes(third), PAGE);
    cow_storage_free(third);
    nothing_is_left();
}

static void what_cannot_have_a_base_stays_as_it_is(fixture *f)
{
    cow_storage *plain = make_large(7), *on_ground, *pinned = make_on_base(7);
    cow_ground *ground;
    cow_mutable_scope writer;
    footing before, after;
    (void)f;
    CHECK_EQ(cow_storage_rebase(plain, NULL), COW_EREFUSED);
    REQUIRE(cow_ground_new(plain, &ground, &on_ground, NULL) == COW_OK);
    CHECK_OK(put(on_ground, 0, 1));
    CHECK_EQ(cow_storage_rebase(on_ground, NULL), COW_EREFUSED);
    CHECK_EQ(get(on_ground, 0), 1);
    cow_storage_free(on_ground);
    cow_ground_free(ground);
    cow_storage_free(plain);
    REQUIRE(cow_mutable_begin(pinned, 0, &writer, NULL) == COW_OK);
    CHECK_EQ(cow_storage_rebase(pinned, NULL), COW_EBUSY);
    cow_mutable_end(&writer);
    before = footing_of(pinned);
    cow_base_release(before.base);
    CHECK_OK(cow_storage_rebase(pinned, NULL));
    after = footing_of(pinned);
    CHECK(after.base != before.base || after.told.count == 0);
    cow_base_release(after.base);
    cow_storage_free(pinned);
    REQUIRE(cow_storage_new_absent(cow_heap(), LARGE, &plain, NULL) == COW_OK);
    CHECK_EQ(cow_storage_rebase(plain, NULL), COW_EABSENT);
    cow_storage_free(plain);
    nothing_is_left();
}

typedef struct rebased {
    cow_storage *storage;
    uint64_t seed;
    size_t turns;
} rebased;

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER; /* nobody clones what is being written */

/* What a sender does, while others write to what it has cloned. */
static void *clone_and_rebase(void *context)
{
    rebased *of = (rebased *)context;
    for (size_t i = 0; i < of->turns; i++) {
        cow_storage *kept = NULL;
        (void)pthread_mutex_lock(&turn);
        const cow_status status = cow_lazy_clone(of->storage, 0, LARGE, 0, &kept, NULL);
        (void)pthread_mutex_unlock(&turn);
        CHECK_OK(status);
        if (status == COW_OK) {
            const int first = get(kept, 0), last = get(kept, 6 * MIB);
            const cow_status moved = cow_storage_rebase(kept, NULL);
            CHECK(moved == COW_OK || moved == COW_EREFUSED);
            CHECK(get(kept, 0) == first && get(kept, 6 * MIB) == last && get(kept, PAGE) == 7);
            cow_storage_free(kept);
        }
    }
    return NULL;
}

static void *write_on(void *context)
{
    rebased *of = (rebased *)context;
    for (size_t i = 0; i < of->turns; i++) {
        const size_t at = next(&of->seed, 2) * 6 * MIB;
        (void)pthread_mutex_lock(&turn);
        CHECK_OK(put(of->storage, at, (int)(i % 100)));
        (void)pthread_mutex_unlock(&turn);
        CHECK_EQ(get(of->storage, at), (int)(i % 100));
    }
    return NULL;
}

static void others_write_meanwhile(fixture *f)
{
    rebased sender = {make_on_base(7), 0, 40}, writer = {sender.storage, test_seed(), 300};
    pthread_t threads[3];
    (void)f;
    REQUIRE(pthread_create(&threads[0], NULL, clone_and_rebase, &sender) == 0);
    REQUIRE(pthread_create(&threads[1], NULL, clone_and_rebase, &sender) == 0);
    REQUIRE(pthread_create(&threads[2], NULL, write_on, &writer) == 0);
    for (size_t i = 0; i < 3; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    cow_storage_free(sender.storage);
    nothing_is_left();
}

/* ---- bases of others ----------------------------------------------------------------------------------------------- */

static void a_base_is_received_and_found(fixture *f)
{
    cow_storage *first = make_on_base(7), *made = NULL;
    footing of = footing_of(first);
    const size_t nbytes = cow_base_nbytes(of.base);
    uint64_t identity[2];
    cow_base *again = NULL;
    const int descriptor = cow_base_descriptor(of.base);
    (void)f;
    REQUIRE(descriptor >= 0);
    cow_base_identity(of.base, identity);
    CHECK_OK(cow_base_receive(descriptor, identity, nbytes, &again, NULL));
    CHECK(again == of.base); /* that of this process */
    cow_base_release(again);
    again = cow_base_find(identity);
    CHECK(again == of.base);
    cow_base_release(again);
    cow_base_release(of.base);
    CHECK(cow_base_find(identity) != NULL); /* the Storage has it */
    cow_base_release(of.base);
    cow_storage_free(first);
    nothing_is_left();
    CHECK(cow_base_find(identity) == NULL);
    /* As another process would, which has the descriptor alone. */
    REQUIRE(cow_base_receive(descriptor, identity, nbytes, &again, NULL) == COW_OK);
    (void)close(descriptor);
    CHECK(cow_base_find(identity) == again);
    cow_base_release(again);
    REQUIRE(cow_base_storage(again, 0, LARGE, &made, NULL) == COW_OK);
    CHECK(holds(made, 7));
    CHECK_OK(put(made, 0, 1));
    CHECK_EQ(cow_storage_own_bytes(made), PAGE);
    check_made_again(made);
    cow_storage_free(made);
    cow_base_release(again);
    nothing_is_left();
}

static void check_refused(int descriptor, const uint64_t identity[2], size_t nbytes)
{
    cow_base *base = NULL;
    CHECK_EQ(cow_base_receive(descriptor, identity, nbytes, &base, NULL), COW_EINVAL);
    CHECK(base == NULL);
}

static int memory_file(size_t nbytes, int seals)
{
    const int made = memfd_create("travel", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    REQUIRE(made >= 0 && ftruncate(made, (off_t)nbytes) == 0 && fcntl(made, F_ADD_SEALS, seals) == 0);
    return made;
}

static void only_what_nobody_can_change_is_received(fixture *f)
{
    static const int seals[] = {F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_SEAL, F_SEAL_WRITE};
    const int all = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL | F_SEAL_WRITE;
    const uint64_t some[2] = {1, 2}, nobody[2] = {0, 0};
    cow_base *base = NULL;
    int ends[2], made;
    (void)f;
    for (size_t i = 0; i < sizeof seals / sizeof *seals; i++) {
        made = memory_file(4 * MIB, seals[i] == F_SEAL_SEAL ? all & ~F_SEAL_SEAL : (all & ~seals[i] & ~F_SEAL_SEAL));
        check_refused(made, some, 4 * MIB);
        (void)close(made);
    }
    REQUIRE(pipe(ends) == 0);
    check_refused(ends[0], some, 4 * MIB);
    (void)close(ends[0]);
    (void)close(ends[1]);
    check_refused(-1, some, 4 * MIB);
    made = memory_file(4 * MIB, all);
    check_refused(made, nobody, 4 * MIB);
    check_refused(made, some, 2 * MIB);
    check_refused(made, some, 0);
    REQUIRE(cow_base_receive(made, some, 4 * MIB, &base, NULL) == COW_OK);
    (void)close(made);
    made = memory_file(2 * MIB, all);
    check_refused(made, some, 2 * MIB); /* one of that identity is here, and is another */
    (void)close(made);
    cow_base_release(base);
    made = memory_file(3 * PAGE, all);
    check_refused(made, some, 3 * PAGE);
    (void)close(made);
    nothing_is_left();
}

/* ---- threads and forks --------------------------------------------------------------------------------------------- */

typedef struct finder {
    uint64_t identity[2];
    int descriptor;
    size_t nbytes;
    size_t turns;
    cowi_atomic_uint stop, began;
} finder;

static void *receive_and_drop(void *context)
{
    finder *of = (finder *)context;
    for (size_t i = 0; i < of->turns && cowi_load_relaxed(&of->stop) == 0; i++) {
        cow_base *base = cow_base_find(of->identity);
        if (base == NULL && cow_base_receive(of->descriptor, of->identity, of->nbytes, &base, NULL) != COW_OK) {
            base = NULL;
        }
        const int descriptor = base == NULL ? -1 : cow_base_descriptor(base); /* it is whole */
        CHECK(descriptor >= 0);
        (void)close(descriptor);
        if (i % 50 == 0 && base != NULL) {
            cow_storage *made = NULL;
            CHECK_OK(cow_base_storage(base, 0, LARGE, &made, NULL));
            CHECK_EQ(get(made, 5 * MIB), 7);
            cow_storage_free(made);
        }
        cow_base_release(base);
        cowi_store_release(&of->began, 1);
    }
    return NULL;
}

static void begin_without_storage(finder *out, size_t turns)
{
    cow_storage *first = make_on_base(7);
    footing of = footing_of(first);
    out->descriptor = cow_base_descriptor(of.base);
    out->nbytes = cow_base_nbytes(of.base);
    out->turns = turns;
    cowi_init(&out->stop, 0);
    cowi_init(&out->began, 0);
    cow_base_identity(of.base, out->identity);
    cow_base_release(of.base);
    cow_storage_free(first);
    REQUIRE(out->descriptor >= 0);
}

static void a_base_may_end_while_it_is_looked_for(fixture *f)
{
    finder of;
    pthread_t threads[3];
    (void)f;
    begin_without_storage(&of, 3000);
    for (size_t i = 0; i < 3; i++) {
        REQUIRE(pthread_create(&threads[i], NULL, receive_and_drop, &of) == 0);
    }
    for (size_t i = 0; i < 3; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    (void)close(of.descriptor);
    nothing_is_left();
}

static void a_child_can_look(fixture *f)
{
    finder of;
    pthread_t thread;
    (void)f;
    begin_without_storage(&of, SIZE_MAX);
    REQUIRE(pthread_create(&thread, NULL, receive_and_drop, &of) == 0);
    while (!cowi_load_acquire(&of.began)) {
        sleep_ms(1);
    }
    for (int i = 0, status = 0; i < 20 && status == 0; i++) {
        const pid_t child = fork();
        if (child == 0) {
            const uint64_t nobody[2] = {1, 1};
            (void)alarm(60);
            _exit(cow_base_find(nobody) == NULL ? 0 : 1);
        }
        REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
        CHECK_EQ(status, 0);
    }
    cowi_store_relaxed(&of.stop, 1);
    (void)pthread_join(thread, NULL);
    (void)close(of.descriptor);
    nothing_is_left();
}

int main(void)
{
    see_whether_pages_are_granted();
    if (can_page) {
        RUN(pages_of_its_own_are_told);
        RUN(what_others_may_change_has_no_base);
        RUN(a_base_has_so_many_bytes);
        RUN(anything_can_be_made_again);
        RUN(what_is_dense_gets_a_base_where_it_lies);
        RUN(what_cannot_have_a_base_stays_as_it_is);
        RUN(others_write_meanwhile);
        RUN(a_base_is_received_and_found);
        RUN(only_what_nobody_can_change_is_received);
        RUN(a_base_may_end_while_it_is_looked_for);
        RUN(a_child_can_look);
    }
    return finish("travel");
}
