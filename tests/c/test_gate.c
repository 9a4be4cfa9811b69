/* What the fork gate lets through. While a fork takes its picture of memory no Storage gets other bytes; and no deleter
 * runs inside the gate, so that it may do anything, even fork. */
#include "harness.h"

#include <sys/wait.h>
#include <unistd.h>

#define SIZE 4096u

/* ---- a fork that stops with the gate closed -------------------------------------------------------------------------
 *
 * Handlers of a fork run last registered first. Ours is registered before the core's, so it finds the gate closed. */

static void (*when_closed)(void *);
static void *when_closed_argument;

static void prepare(void)
{
    if (when_closed != NULL) {
        when_closed(when_closed_argument);
    }
}

/* True when the child found what it should. */
static bool fork_and(bool (*in_the_child)(void *), void *argument)
{
    int status = 0;
    pid_t child;
    (void)fflush(stdout);
    (void)fflush(stderr);
    child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        (void)alarm(30);
        _exit(in_the_child(argument) ? 0 : 1);
    }
    REQUIRE(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* ---- who waits ----------------------------------------------------------------------------------------------------- */

typedef struct writing {
    cow_storage *a;
    cow_storage *b; /* shares a's bytes */
    cow_overwrite_scope scope;
    void (*write)(struct writing *w);
    cowi_atomic_uint closed;
    cowi_atomic_uint about; /* to write */
    cowi_atomic_uint written;
    bool early; /* written while the gate was closed */
} writing;

static void commit(writing *w)
{
    CHECK_OK(cow_overwrite_commit(&w->scope, NULL, NULL));
}

static void write_through(writing *w)
{
    CHECK_OK(fill(w->a, 2));
}

static void *write_when_closed(void *argument)
{
    writing *w = (writing *)argument;
    while (!cowi_load_seq_cst(&w->closed)) {
        sleep_ms(1);
    }
    cowi_store_seq_cst(&w->about, 1);
    w->write(w);
    cowi_store_seq_cst(&w->written, 1);
    return NULL;
}

static void watch_the_writer(void *argument)
{
    writing *w = (writing *)argument;
    cowi_store_seq_cst(&w->closed, 1);
    while (!cowi_load_seq_cst(&w->about)) {
        sleep_ms(1);
    }
    for (int i = 0; i < 100 && !w->early; i++) {
        sleep_ms(1);
        w->early = cowi_load_seq_cst(&w->written) != 0;
    }
}

static bool sees_old_bytes(void *argument)
{
    writing *w = (writing *)argument;
    return holds(w->a, 1) && holds(w->b, 1);
}

static void no_storage_gets_other_bytes_while_a_fork_is_under_way(fixture *f)
{
    void (*const ways[])(writing *) = {commit, write_through};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        writing w;
        pthread_t writer;
        w.a = make_filled(f->allocator, SIZE, 1);
        w.b = make_clone(w.a);
        w.write = ways[i];
        w.early = false;
        cowi_init(&w.closed, 0);
        cowi_init(&w.about, 0);
        cowi_init(&w.written, 0);
        if (w.write == commit) {
            REQUIRE(cow_overwrite_begin(w.a, 0, &w.scope, NULL) == COW_OK);
            memset(w.scope.data, 2, SIZE);
        }
        writer = spawn(write_when_closed, &w);
        when_closed_argument = &w;
        when_closed = watch_the_writer;
        CHECK(fork_and(sees_old_bytes, &w));
        when_closed = NULL;
        join(writer);
        CHECK(!w.early);
        CHECK(holds(w.a, 2) && holds(w.b, 1));
        cow_storage_free(w.a);
        cow_storage_free(w.b);
    }
}

/* ---- bytes that come and go ---------------------------------------------------------------------------------------- */

static char brought[SIZE];

static void fill_absent(writing *w)
{
    const cow_dataptr ptr = {brought, NULL, NULL};
    CHECK_OK(cow_storage_fill(w->a, ptr, SIZE, NULL));
}

static bool sees_no_new_bytes(void *argument)
{
    writing *w = (writing *)argument;
    return cow_storage_is_absent(w->a);
}

static void a_fill_waits_for_a_fork(fixture *f)
{
    writing w;
    pthread_t filler;
    memset(brought, 2, SIZE);
    REQUIRE(cow_storage_new_absent(f->allocator, SIZE, &w.a, NULL) == COW_OK);
    w.write = fill_absent;
    w.early = false;
    cowi_init(&w.closed, 0);
    cowi_init(&w.about, 0);
    cowi_init(&w.written, 0);
    filler = spawn(write_when_closed, &w);
    when_closed_argument = &w;
    when_closed = watch_the_writer;
    CHECK(fork_and(sees_no_new_bytes, &w));
    when_closed = NULL;
    join(filler);
    CHECK(!w.early);
    CHECK(holds(w.a, 2));
    cow_storage_free(w.a);
}

/* ---- who does not run inside ---------------------------------------------------------------------------------------- */

typedef struct forking {
    char bytes[SIZE];
    pthread_t thread;
    cowi_atomic_uint forked;
    unsigned deleted;
    bool in_time;
} forking;

static bool leaves(void *argument)
{
    return argument != NULL;
}

static void *fork_once(void *argument)
{
    forking *o = (forking *)argument;
    CHECK(fork_and(leaves, o));
    cowi_store_seq_cst(&o->forked, 1);
    return NULL;
}

/* A deleter that waits for a fork. In the gate it would wait for ever, so it gives up. */
static void delete_and_fork(void *data, void *context, size_t nbytes)
{
    forking *o = (forking *)context;
    CHECK(data == o->bytes);
    CHECK_EQ(nbytes, SIZE);
    o->deleted++;
    o->thread = spawn(fork_once, o);
    for (int i = 0; i < 20000 && !o->in_time; i++) {
        sleep_ms(1);
        o->in_time = cowi_load_seq_cst(&o->forked) != 0;
    }
}

static void written_anew(cow_storage *storage)
{
    CHECK_OK(fill(storage, 2));
    CHECK(holds(storage, 2));
    cow_storage_free(storage);
}

static void overwritten(cow_storage *storage)
{
    cow_overwrite_scope scope;
    CHECK_OK(cow_overwrite_begin(storage, 0, &scope, NULL));
    memset(scope.data, 2, SIZE);
    CHECK_OK(cow_overwrite_commit(&scope, NULL, NULL));
    CHECK(holds(storage, 2));
    cow_storage_free(storage);
}

static void dropped_before_the_abort(cow_storage *storage)
{
    cow_storage *clone = make_clone(storage);
    cow_overwrite_scope scope;
    CHECK_OK(cow_overwrite_begin(clone, 0, &scope, NULL));
    cow_storage_free(storage);
    CHECK_OK(fill(clone, 2)); /* now the scope has the last share */
    cow_overwrite_abort(&scope);
    cow_storage_free(clone);
}

static void dropped_before_its_reader(cow_storage *storage)
{
    cow_const_scope scope;
    CHECK_OK(cow_const_begin(storage, &scope, NULL));
    cow_storage_free(storage);
    cow_const_end(&scope);
}

static void evicted(cow_storage *storage)
{
    CHECK_OK(cow_storage_evict(storage, 1, NULL));
    CHECK(cow_storage_is_absent(storage));
    cow_storage_free(storage);
}

static void deleters_may_fork(fixture *f)
{
    void (*const ends[])(cow_storage *) = {
        written_anew, overwritten, dropped_before_the_abort, dropped_before_its_reader, cow_storage_free, evicted,
    };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        forking o;
        cow_dataptr ptr;
        cow_storage *storage = NULL;
        ptr.data = o.bytes;
        ptr.context = &o;
        ptr.deleter = delete_and_fork;
        memset(o.bytes, 1, SIZE);
        cowi_init(&o.forked, 0);
        o.deleted = 0;
        o.in_time = false;
        REQUIRE(cow_storage_adopt(f->allocator, ptr, SIZE, ends[i] == evicted ? 0 : COW_FOREIGN, &storage, NULL) ==
                COW_OK);
        ends[i](storage);
        REQUIRE(o.deleted == 1);
        join(o.thread);
        CHECK(o.in_time);
    }
}

int main(int argc, char **argv)
{
    (void)argc;
    (void)alarm(300);
    REQUIRE(pthread_atfork(prepare, NULL, NULL) == 0);
    RUN(no_storage_gets_other_bytes_while_a_fork_is_under_way);
    RUN(a_fill_waits_for_a_fork);
    RUN(deleters_may_fork);
    return finish(argv[0]);
}
