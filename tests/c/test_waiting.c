/* Who waits for whom, step by step: a copy is held in mid-air by the stopper, and others come while it hangs there. A call
 * that must not wait is made by the main thread itself, so a mistake is a hang and not a matter of luck. */
#include "harness.h"

#include <unistd.h>

#define SIZE 200u
#define PATIENCE_MS 30u /* how long a thread is watched before it counts as waiting */

/* A thread that makes one call, and a flag that tells that the call has returned. */
typedef struct call {
    pthread_t thread;
    cow_storage *storage;
    int value;
    size_t begin, end;
    cow_storage *made;
    cow_status status;
    cowi_atomic_uint returned;
} call;

static void *write_part(void *argument)
{
    call *c = (call *)argument;
    cow_mutable_scope scope;
    c->status = cow_mutable_begin(c->storage, 0, &scope, NULL);
    if (c->status == COW_OK) {
        memset((char *)scope.data + c->begin, c->value, c->end - c->begin);
        cow_mutable_end(&scope);
    }
    cowi_store_seq_cst(&c->returned, 1);
    return NULL;
}

static void *clone_it(void *argument)
{
    call *c = (call *)argument;
    c->status = cow_lazy_clone(c->storage, c->begin, c->end - c->begin, 0, &c->made, NULL);
    cowi_store_seq_cst(&c->returned, 1);
    return NULL;
}

static void start(call *c, void *(*body)(void *), cow_storage *storage, int value, size_t begin, size_t end)
{
    c->storage = storage;
    c->value = value;
    c->begin = begin;
    c->end = end;
    c->made = NULL;
    cowi_init(&c->returned, 0);
    c->thread = spawn(body, c);
}

static bool is_waiting(call *c)
{
    sleep_ms(PATIENCE_MS);
    return cowi_load_seq_cst(&c->returned) == 0;
}

static void end(call *c)
{
    join(c->thread);
    CHECK_STATUS(c->status, COW_OK);
}

/* a and b share; a's copy hangs. */
typedef struct scene {
    stopper s;
    cow_storage *a;
    cow_storage *b;
    const void *address;
    call copier;
} scene;

static void scene_open(scene *sc, fixture *f)
{
    stopper_init(&sc->s, f->allocator);
    sc->a = make_filled(&sc->s.table, SIZE, 1);
    sc->b = make_clone(sc->a);
    sc->address = cow_storage_address(sc->a);
    stopper_hold(&sc->s);
    start(&sc->copier, write_part, sc->a, 2, 0, SIZE / 2);
    stopper_wait(&sc->s);
}

static void scene_close(scene *sc)
{
    stopper_release(&sc->s);
    cow_storage_free(sc->a);
    cow_storage_free(sc->b);
}

static void stealer_waits_for_the_copy(fixture *f)
{
    scene sc;
    call stealer;
    scene_open(&sc, f);
    start(&stealer, write_part, sc.b, 3, 0, SIZE); /* the last share: a gave its own up */
    CHECK(is_waiting(&stealer));
    CHECK(all_bytes(sc.address, SIZE, 1)); /* what is being copied */
    stopper_release(&sc.s);
    end(&sc.copier);
    end(&stealer);
    CHECK(cow_storage_address(sc.b) == sc.address);
    CHECK(holds_between(sc.a, 0, SIZE / 2, 2) && holds_between(sc.a, SIZE / 2, SIZE, 1) && holds(sc.b, 3));
    CHECK_EQ(stats_now().copies, 1);
    CHECK_EQ(stats_now().steals, 1);
    scene_close(&sc);
}

static void try_never_waits(fixture *f)
{
    scene sc;
    cow_mutable_scope scope;
    cow_overwrite_scope overwrite;
    cow_storage *made = NULL;
    cow_error err = {""};
    scene_open(&sc, f);
    CHECK_STATUS(cow_mutable_begin(sc.b, COW_TRY, &scope, &err), COW_EBUSY); /* to steal it would wait for the copy */
    CHECK(err.text[0] != '\0');
    CHECK_STATUS(cow_mutable_begin(sc.b, COW_TRY | COW_NO_COPY, &scope, NULL), COW_EBUSY);
    CHECK_STATUS(cow_mutable_begin(sc.a, COW_TRY, &scope, NULL), COW_EBUSY); /* another writer makes it busy */
    CHECK_STATUS(cow_overwrite_begin(sc.a, COW_TRY, &overwrite, NULL), COW_EBUSY);
    CHECK_STATUS(cow_lazy_clone(sc.a, 0, SIZE, COW_TRY, &made, NULL), COW_EBUSY);
    CHECK(made == NULL);
    CHECK_EQ(cow_storage_pins(sc.a) + cow_storage_pins(sc.b), 0);
    CHECK(holds(sc.b, 1));
    stopper_release(&sc.s);
    end(&sc.copier);
    CHECK_OK(cow_mutable_begin(sc.b, COW_TRY, &scope, NULL)); /* and nothing was left behind */
    cow_mutable_end(&scope);
    CHECK(cow_storage_address(sc.b) == sc.address);
    scene_close(&sc);
}

static void second_writer_waits_and_then_writes_into_the_new_bytes(fixture *f)
{
    scene sc;
    call second;
    scene_open(&sc, f);
    start(&second, write_part, sc.a, 3, SIZE / 2, SIZE);
    CHECK(is_waiting(&second));
    stopper_release(&sc.s);
    end(&sc.copier);
    end(&second);
    CHECK(holds_between(sc.a, 0, SIZE / 2, 2) && holds_between(sc.a, SIZE / 2, SIZE, 3) && holds(sc.b, 1));
    CHECK_EQ(stats_now().copies, 1);
    scene_close(&sc);
}

static void clone_of_a_busy_storage_waits(fixture *f)
{
    scene sc;
    call cloner;
    scene_open(&sc, f);
    start(&cloner, clone_it, sc.a, 0, SIZE / 2, SIZE); /* the half that nobody writes: to read the other is a race */
    CHECK(is_waiting(&cloner));
    stopper_release(&sc.s);
    end(&sc.copier);
    end(&cloner);
    CHECK(holds_between(cloner.made, 0, SIZE / 2, 1));
    CHECK(holds(sc.b, 1));
    cow_storage_free(cloner.made);
    scene_close(&sc);
}

static void clones_and_reads_of_the_other_sharer_do_not_wait(fixture *f)
{
    scene sc;
    cow_storage *clone;
    cow_const_scope scope;
    scene_open(&sc, f);
    clone = make_clone(sc.b);
    CHECK(holds(clone, 1) && holds(sc.b, 1));
    CHECK_OK(cow_const_begin(sc.a, &scope, NULL)); /* of the busy one, too */
    CHECK(scope.data == sc.address && all_bytes(scope.data, scope.nbytes, 1));
    CHECK_EQ(cow_storage_write_cost(sc.b), SIZE); /* b and its clone */
    CHECK_EQ(cow_storage_shares(sc.b), 2);
    stopper_release(&sc.s);
    end(&sc.copier);
    CHECK(all_bytes(scope.data, scope.nbytes, 1));
    cow_const_end(&scope);
    cow_storage_free(clone);
    scene_close(&sc);
}

static void drop_does_not_wait_and_the_copy_goes_on(fixture *f)
{
    scene sc;
    scene_open(&sc, f);
    cow_storage_free(sc.b); /* the last share; the copier's reference keeps the bytes it reads */
    sc.b = NULL;
    CHECK_EQ(report_of(f).faults, 0);
    CHECK(all_bytes(sc.address, SIZE, 1));
    stopper_release(&sc.s);
    end(&sc.copier);
    CHECK(holds_between(sc.a, 0, SIZE / 2, 2) && holds_between(sc.a, SIZE / 2, SIZE, 1));
    CHECK_EQ(cow_storage_shares(sc.a), 1);
    scene_close(&sc);
}

static void copies_do_not_wait_for_each_other(fixture *f)
{
    scene sc;
    call other;
    cow_storage *c;
    scene_open(&sc, f);
    c = make_clone(sc.b);
    start(&other, write_part, c, 3, 0, SIZE);
    while (cowi_load_seq_cst(&sc.s.copying) != 2) { /* both are inside the copy */
        sleep_ms(1);
    }
    CHECK_EQ(cowi_load_seq_cst(&sc.s.copying), 2);
    stopper_release(&sc.s);
    end(&sc.copier);
    end(&other);
    CHECK(holds(c, 3) && holds(sc.b, 1));
    cow_storage_free(c);
    scene_close(&sc);
}

static void overwrite_commits_while_another_copies(fixture *f)
{
    scene sc;
    cow_storage *c;
    cow_overwrite_scope scope;
    scene_open(&sc, f);
    c = make_clone(sc.b);
    CHECK_OK(cow_overwrite_begin(c, 0, &scope, NULL));
    memset(scope.data, 5, scope.nbytes);
    CHECK_OK(cow_overwrite_commit(&scope, NULL, NULL));
    CHECK(holds(c, 5) && holds(sc.b, 1));
    stopper_release(&sc.s);
    end(&sc.copier);
    CHECK(holds_between(sc.a, SIZE / 2, SIZE, 1));
    cow_storage_free(c);
    scene_close(&sc);
}

/* A commit that finds its Storage busy must not put bytes under the hands of the thread that materializes it. */
static void overwrite_of_a_busy_storage_comes_late(fixture *f)
{
    scene sc;
    cow_overwrite_scope scope;
    call copier;
    stopper_init(&sc.s, f->allocator);
    sc.a = make_filled(&sc.s.table, SIZE, 1);
    sc.b = make_clone(sc.a);
    CHECK_OK(cow_overwrite_begin(sc.a, 0, &scope, NULL));
    memset(scope.data, 5, scope.nbytes);
    stopper_hold(&sc.s);
    start(&copier, write_part, sc.a, 2, 0, SIZE / 2);
    stopper_wait(&sc.s);
    CHECK_STATUS(cow_overwrite_commit(&scope, NULL, NULL), COW_EMOVED);
    stopper_release(&sc.s);
    end(&copier);
    cow_overwrite_abort(&scope);
    CHECK(holds_between(sc.a, 0, SIZE / 2, 2) && holds_between(sc.a, SIZE / 2, SIZE, 1) && holds(sc.b, 1));
    CHECK_EQ(cow_storage_shares(sc.b), 1);
    scene_close(&sc);
}

int main(int argc, char **argv)
{
    (void)argc;
    (void)alarm(300); /* a call that waits where it must not would wait for ever */
    RUN(stealer_waits_for_the_copy);
    RUN(try_never_waits);
    RUN(second_writer_waits_and_then_writes_into_the_new_bytes);
    RUN(clone_of_a_busy_storage_waits);
    RUN(clones_and_reads_of_the_other_sharer_do_not_wait);
    RUN(drop_does_not_wait_and_the_copy_goes_on);
    RUN(copies_do_not_wait_for_each_other);
    RUN(overwrite_commits_while_another_copies);
    RUN(overwrite_of_a_busy_storage_comes_late);
    return finish(argv[0]);
}
