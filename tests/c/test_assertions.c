/* The core checks itself: each of its assertions aborts, and says which it is, when what it asserts is broken.
 *
 * Each row of the table breaks one in a forked child. mutants.py sees that every assertion in src/core has a row here or a
 * planted fault there. Built twice (see the Makefile): with the full assertions, and as a release is.
 *
 * One file, for it is one table, and what its rows break. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "internal.h"
#include "large.h"

#define SIZE 200u

#define SHARES(n) ((uint64_t)(n) << 32)

/* ---- something to break ------------------------------------------------------------------------------------------ */

static cow_storage *storage; /* the child's own: nothing here is ever given back */
static cow_storage *other;   /* that shares with it */
static cowi_context *context;
static void (*during_alloc)(void);

static void *alloc(void *self, size_t nbytes, size_t alignment)
{
    (void)self;
    if (during_alloc != NULL && nbytes == SIZE) {
        during_alloc();
    }
    return cow_heap()->alloc(cow_heap()->self, nbytes, alignment);
}

static void give_back(void *self, void *data, size_t nbytes, size_t alignment)
{
    (void)self;
    cow_heap()->free(cow_heap()->self, data, nbytes, alignment);
}

static void copy(void *self, void *data, const void *source, size_t nbytes)
{
    (void)self;
    memcpy(data, source, nbytes);
}

static const cow_allocator allocator = {"breaking", NULL, alloc, give_back, copy, NULL};

static void make_sharers(void)
{
    storage = make_filled(&allocator, SIZE, 1);
    other = make_clone(storage);
    context = storage->context;
}

static void make_plain(void)
{
    storage = make_filled(&allocator, SIZE, 1);
}

/* Locks it, as an operation would: the unlock then looks. */
static void make_locked(void)
{
    make_sharers();
    cowi_storage_lock(storage);
}

static void make_locked_plain(void)
{
    make_plain();
    cowi_storage_lock(storage);
}

/* ---- contexts ---------------------------------------------------------------------------------------------------- */

static void release_the_last_reference_with_a_share_left(void)
{
    make_sharers();
    cow_storage_free(other);
    cowi_context_release(context);
}

static void drop_a_share_that_is_not_there(void)
{
    make_sharers();
    cowi_init(&context->counts, 5);
    cowi_context_drop(context);
}

static void retain_what_is_gone(void)
{
    make_sharers();
    cowi_init(&context->counts, 0);
    (void)!cowi_context_retain(context);
}

static void give_up_a_share_that_is_not_there(void)
{
    make_sharers();
    cowi_init(&context->counts, 1);
    (void)!cowi_context_give_up_share(context, true);
}

static void count(uint64_t counts)
{
    make_locked();
    cowi_init(&context->counts, counts);
    cowi_storage_unlock(storage);
}

static void lose_all_references(void)
{
    count(0);
}

static void count_beyond_every_bound(void)
{
    count(SHARES(1) + UINT32_MAX);
}

static void have_more_shares_than_references(void)
{
    count(SHARES(3) + 2);
}

static void share_with_nobody(void)
{
    count(2);
}

static void let_more_readers_go_than_were_left(void)
{
    make_locked();
    cowi_init(&context->left, SIZE_MAX);
    cowi_storage_unlock(storage);
}

static void have_more_bytes_than_there_are(void)
{
    make_locked();
    context->nbytes = SIZE_MAX;
    cowi_storage_unlock(storage);
}

/* ---- Storages ---------------------------------------------------------------------------------------------------- */

static void unlock_what_is_not_locked(void)
{
    make_plain();
    cowi_storage_unlock(storage);
}

static void lock_a_struct_that_nobody_uses(void)
{
    make_locked_plain();
    cowi_init(&storage->uses, 0);
    cowi_storage_unlock(storage);
}

static void end_a_use_too_many(void)
{
    make_plain();
    cowi_init(&storage->uses, 0);
    cowi_storage_unuse(storage);
}

static void be_busy_twice(void)
{
    make_locked();
    cowi_init(&storage->busy, 2);
    cowi_storage_unlock(storage);
}

static void lose_the_address(void)
{
    make_locked_plain();
    cowi_init(&storage->address, NULL);
    cowi_storage_unlock(storage);
}

static void have_a_window_that_is_too_large(void)
{
    make_locked_plain();
    storage->nbytes = SIZE_MAX;
    cowi_storage_unlock(storage);
}

static void unpin_too_often(void)
{
    make_locked_plain();
    cowi_init(&storage->pins, SIZE_MAX);
    cowi_storage_unlock(storage);
}

static void pin_what_is_shared(void)
{
    make_locked();
    cowi_init(&storage->pins, 1);
    cowi_storage_unlock(storage);
}

static void share_without_a_context(void)
{
    make_locked_plain();
    storage->sole = false;
    cowi_storage_unlock(storage);
}

static void read_without_a_context(void)
{
    make_locked_plain();
    storage->scopes = 1;
    cowi_storage_unlock(storage);
}

static void begin_where_no_context_does(void)
{
    make_locked_plain();
    storage->offset = 1;
    cowi_storage_unlock(storage);
}

static void own_other_bytes(void)
{
    make_locked_plain();
    storage->ptr.data = &storage;
    cowi_storage_unlock(storage);
}

static void mistake_the_allocation(void)
{
    make_locked();
    cowi_init(&storage->allocated, SIZE + 1);
    cowi_storage_unlock(storage);
}

static void outgrow_the_allocation(void)
{
    make_locked();
    storage->nbytes = SIZE + 1;
    cowi_storage_unlock(storage);
}

static void mistake_the_bytes(void)
{
    make_sharers();
    cow_storage_free(other);
    CHECK_OK(fill(storage, 2));
    cowi_storage_lock(storage);
    cowi_init(&storage->address, (char *)context->original.data + 1);
    cowi_storage_unlock(storage);
}

static void be_sole_without_bytes(void)
{
    make_sharers();
    CHECK_OK(cow_storage_evict(other, 2, NULL)); /* storage keeps its address */
    cow_storage_free(other);
    cowi_storage_lock(storage);
    storage->sole = true;
    cowi_storage_unlock(storage);
}

static void leave_the_allocation(void)
{
    make_locked();
    storage->offset = 1;
    cowi_storage_unlock(storage);
}

static void own_foreign_bytes(void)
{
    make_locked();
    context->foreign = true;
    storage->sole = true;
    cowi_storage_unlock(storage);
}

static void be_sole_beside_another(void)
{
    make_locked();
    storage->sole = true;
    cowi_storage_unlock(storage);
}

static void free_what_is_busy(void)
{
    make_sharers();
    cowi_init(&storage->busy, 1);
    cow_storage_free(storage);
}

static void free_what_is_written(void)
{
    cow_mutable_scope scope;
    make_plain();
    CHECK_OK(cow_mutable_begin(storage, 0, &scope, NULL));
    cow_storage_free(storage);
}

static void leave_what_is_not_there(void)
{
    make_plain();
    (void)cowi_storage_leave(storage);
}

/* ---- scopes ------------------------------------------------------------------------------------------------------ */

static void end_a_const_scope_twice(void)
{
    cow_const_scope scope;
    make_sharers();
    CHECK_OK(cow_const_begin(storage, &scope, NULL));
    cow_const_end(&scope);
    cow_const_end(&scope);
}

static void end_a_scope_that_was_not_left(void)
{
    cow_const_scope scope;
    make_sharers();
    CHECK_OK(cow_const_begin(storage, &scope, NULL));
    CHECK_OK(fill(storage, 2));
    cowi_init(&context->left, 0);
    cow_const_end(&scope);
}

static void end_a_mutable_scope_twice(void)
{
    cow_mutable_scope scope;
    make_plain();
    CHECK_OK(cow_mutable_begin(storage, 0, &scope, NULL));
    cow_mutable_end(&scope);
    cow_mutable_end(&scope);
}

static void become_sole(void)
{
    storage->sole = true;
}

static void let_another_write_during_a_copy(void)
{
    make_sharers();
    during_alloc = become_sole;
    CHECK_OK(fill(storage, 2));
}

static void become_idle(void)
{
    cowi_init(&storage->busy, 0);
}

static void lose_busy_during_a_copy(void)
{
    make_sharers();
    during_alloc = become_idle;
    CHECK_OK(fill(storage, 2));
}

/* ---- gate, figures, memory ---------------------------------------------------------------------------------------- */

static void leave_the_gate_without_having_entered(void)
{
    cowi_gate_leave();
}

static void count_what_has_no_counter(void)
{
    cowi_count(COWI_COUNTERS, 1);
}

static void *misaligned(void *self, size_t nbytes, size_t alignment)
{
    char *data = (char *)alloc(self, nbytes + 8, alignment);
    return alignment == COW_ALIGNMENT ? data + 8 : data;
}

static void give_misaligned_bytes(void)
{
    const cow_allocator misaligning = {"misaligning", NULL, misaligned, give_back, copy, NULL};
    CHECK_OK(cow_storage_new(&misaligning, SIZE, &storage, NULL));
}

static void free_the_middle_of_a_block(void)
{
    char *data = (char *)cowi_large_alloc(COWI_LARGE_BLOCK);
    REQUIRE(data != NULL);
    cowi_large_free(data + COW_ALIGNMENT, COWI_LARGE_BLOCK);
}

static void free_a_block_twice(void)
{
    void *data = cowi_large_alloc(COWI_LARGE_BLOCK);
    REQUIRE(data != NULL);
    cowi_large_free(data, COWI_LARGE_BLOCK);
    cowi_large_free(data, COWI_LARGE_BLOCK);
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

enum { FULL, RELEASE };

typedef struct breakage {
    int grade;
    const char *condition;
    void (*act)(void);
} breakage;

static const breakage breakages[] = {
    {RELEASE, "(before & ~STATE) == what", release_the_last_reference_with_a_share_left},
    {RELEASE, "shares(counts) > 0", give_up_a_share_that_is_not_there},
    {FULL, "shares(before) >= shares(what)", drop_a_share_that_is_not_there},
    {FULL, "references(before) > 0", retain_what_is_gone},
    {FULL, "references(counts) > 0", lose_all_references},
    {FULL, "references(counts) <= 2 * COWI_COUNT_LIMIT + THREADS_BEYOND", count_beyond_every_bound},
    {FULL, "shares(counts) <= references(counts)", have_more_shares_than_references},
    {FULL, "cowi_load_relaxed(&context->left) <= PTRDIFF_MAX", let_more_readers_go_than_were_left},
    {FULL, "context->nbytes <= (size_t)PTRDIFF_MAX", have_more_bytes_than_there_are},
    {FULL, "cowi_load_relaxed(&storage->lock) == cowi_fork_epoch()", unlock_what_is_not_locked},
    {FULL, "cowi_load_relaxed(&storage->uses) >= 1", lock_a_struct_that_nobody_uses},
    {FULL, "cowi_load_relaxed(&storage->uses) > 0", end_a_use_too_many},
    {FULL, "busy <= 1", be_busy_twice},
    {FULL, "storage->nbytes <= (size_t)PTRDIFF_MAX", have_a_window_that_is_too_large},
    {FULL, "cowi_load_relaxed(&storage->pins) <= COWI_COUNT_LIMIT", unpin_too_often},
    {FULL, "cowi_load_relaxed(&storage->pins) == 0 || storage->sole", pin_what_is_shared},
    {FULL, "!storage->sole || address != NULL", lose_the_address},
    {FULL, "storage->sole", share_without_a_context},
    {FULL, "storage->scopes == 0", read_without_a_context},
    {FULL, "storage->offset == 0", begin_where_no_context_does},
    {FULL, "storage->ptr.data == address && allocated == storage->nbytes", own_other_bytes},
    {FULL, "allocated == storage->context->nbytes", mistake_the_allocation},
    {FULL, "storage->nbytes <= allocated && storage->offset <= allocated - storage->nbytes", outgrow_the_allocation},
    {FULL, "storage->nbytes <= allocated && storage->offset <= allocated - storage->nbytes", leave_the_allocation},
    {FULL, "!storage->sole || !storage->context->foreign", own_foreign_bytes},
    {FULL, "!storage->sole || !cowi_context_absent(storage->context)", be_sole_without_bytes},
    {FULL, "!storage->sole || address == bytes_of(storage)", mistake_the_bytes},
    {FULL, "!storage->sole || !counts_are_exact() || cowi_context_shares(storage->context) == 1",
     be_sole_beside_another},
    {FULL, "busy || cowi_context_shares(storage->context) >= 1", share_with_nobody},
    {FULL, "cowi_load_relaxed(&storage->busy) == 0", free_what_is_busy},
    {FULL, "cowi_load_acquire(&storage->pins) == 0 || !counts_are_exact()", free_what_is_written},
    {FULL, "context != NULL", leave_what_is_not_there},
    {FULL, "storage->scopes > 0", end_a_const_scope_twice},
    {RELEASE, "cowi_load_relaxed(&context->left) > 0", end_a_scope_that_was_not_left},
    {FULL, "cowi_load_relaxed(&scope->storage->pins) > 0", end_a_mutable_scope_twice},
    {FULL, "!storage->sole && cowi_load_relaxed(&storage->pins) == 0", let_another_write_during_a_copy},
    {RELEASE, "cowi_load_relaxed(&storage->busy) == 1", lose_busy_during_a_copy},
    {FULL, "before >= ONE_INSIDE", leave_the_gate_without_having_entered},
    {FULL, "counter < COWI_COUNTERS", count_what_has_no_counter},
    {FULL, "(uintptr_t)data % COW_ALIGNMENT == 0", give_misaligned_bytes},
    {RELEASE, "(uintptr_t)data % grain(nbytes) == 0 && nbytes >= COWI_LARGE_BLOCK", free_the_middle_of_a_block},
    {RELEASE, "!is_kept(data)", free_a_block_twice},
};

#ifdef COWI_FULL_ASSERTIONS
#define GRADE FULL
#else
#define GRADE RELEASE
#endif

/* Runs act in a child: true when it aborts. What it says goes to text. No Storage is made before, so the child counts as the
 * first process: in one that the core knows to be a fork's, counts may be inexact. */
static bool aborts(void (*act)(void), char *text, size_t room)
{
    int ends[2];
    int status = 0;
    size_t length = 0;
    ssize_t got;
    pid_t child;
    REQUIRE(pipe(ends) == 0);
    (void)fflush(NULL);
    child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        (void)signal(SIGABRT, SIG_DFL);
        (void)dup2(ends[1], STDERR_FILENO);
        act();
        _exit(0);
    }
    (void)close(ends[1]);
    while (length + 1 < room && (got = read(ends[0], text + length, room - 1 - length)) > 0) {
        length += (size_t)got;
    }
    text[length] = '\0';
    (void)close(ends[0]);
    REQUIRE(waitpid(child, &status, 0) == child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void each_assertion_aborts_and_says_which_it_is(fixture *f)
{
    char text[4096];
    char wanted[256];
    (void)f;
    for (size_t i = 0; i < sizeof breakages / sizeof *breakages; i++) {
        if (breakages[i].grade >= GRADE) {
            (void)snprintf(wanted, sizeof wanted, ": broken: %s\n", breakages[i].condition);
            if (!CHECK(aborts(breakages[i].act, text, sizeof text)) || !CHECK(strstr(text, wanted) != NULL)) {
                (void)fprintf(stderr, "  not '%s' but '%s'\n", breakages[i].condition, text);
            }
            CHECK(strstr(text, "src/core/") != NULL);
        }
    }
}

static void do_nothing(void)
{
}

static void what_is_sound_does_not_abort(fixture *f)
{
    char text[256];
    (void)f;
    CHECK(!aborts(do_nothing, text, sizeof text));
    CHECK(!aborts(make_sharers, text, sizeof text));
    CHECK_EQ(text[0], 0);
}

int main(int argc, char **argv)
{
    (void)argc;
    RUN(each_assertion_aborts_and_says_which_it_is);
    RUN(what_is_sound_does_not_abort);
    return finish(argv[0]);
}
