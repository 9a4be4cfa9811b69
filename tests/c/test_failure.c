/* Allocation failure. Each operation is repeated with its 1st, 2nd, ... n-th allocation refused until it succeeds; after
 * each failure the arrays hold what they held, share what they shared, and no byte more is live. */
#include "harness.h"

#define SIZE 300u

/* What the operations work on: a and b share, and hold 1; plain was never shared, and holds 2. */
typedef struct world {
    const cow_allocator *allocator;
    cow_storage *a;
    cow_storage *b;
    cow_storage *plain;
    cow_storage *foreign;
    cow_storage *made; /* by the operation */
    char foreign_bytes[SIZE];
} world;

typedef cow_status (*operation)(world *w);

static void world_open(world *w, const cow_allocator *allocator)
{
    cow_dataptr ptr = {w->foreign_bytes, NULL, NULL};
    memset(w->foreign_bytes, 4, SIZE);
    w->allocator = allocator;
    w->a = make_filled(allocator, SIZE, 1);
    w->b = make_clone(w->a);
    w->plain = make_filled(allocator, SIZE, 2);
    w->foreign = NULL;
    w->made = NULL;
    REQUIRE(cow_storage_adopt(allocator, ptr, SIZE, COW_FOREIGN, &w->foreign, NULL) == COW_OK);
}

static void world_close(world *w)
{
    cow_storage_free(w->a);
    cow_storage_free(w->b);
    cow_storage_free(w->plain);
    cow_storage_free(w->foreign);
    cow_storage_free(w->made);
}

/* Returns how many allocations the operation makes. */
static size_t sweep(fixture *f, operation op, bool every)
{
    world w;
    for (size_t n = 1;; n++) {
        cow_tracing_report before;
        cow_tracing_report after;
        const void *address;
        cow_status status;
        world_open(&w, f->allocator);
        address = cow_storage_address(w.a);
        before = report_of(f);
        cow_tracing_refuse(f->tracing, n, every ? 1 : 0);
        status = op(&w);
        cow_tracing_refuse(f->tracing, 0, 0);
        after = report_of(f);
        if (status == COW_OK) {
            CHECK_EQ(after.refused, before.refused);
            world_close(&w);
            return n - 1;
        }
        CHECK_STATUS(status, COW_ENOMEM);
        CHECK_EQ(after.refused, before.refused + 1);
        CHECK(w.made == NULL);
        CHECK_EQ(after.live_blocks, before.live_blocks);
        CHECK_EQ(after.live_bytes, before.live_bytes);
        CHECK_EQ(after.cloned_bytes, before.cloned_bytes);
        CHECK(cow_storage_address(w.a) == address && cow_storage_address(w.b) == address);
        CHECK_EQ(cow_storage_shares(w.a), 2);
        CHECK_EQ(cow_storage_shares(w.plain), 1);
        CHECK_EQ(cow_storage_pins(w.a) + cow_storage_pins(w.plain) + cow_storage_pins(w.foreign), 0);
        CHECK(holds(w.a, 1) && holds(w.b, 1) && holds(w.plain, 2) && holds(w.foreign, 4));
        CHECK_OK(fill(w.a, 3)); /* nothing was left locked or busy */
        CHECK_OK(fill(w.plain, 3));
        CHECK_OK(fill(w.foreign, 3));
        CHECK(holds(w.b, 1));
        world_close(&w);
    }
}

static cow_status op_new(world *w)
{
    return cow_storage_new(w->allocator, SIZE, &w->made, NULL);
}

static cow_status op_adopt_foreign(world *w)
{
    cow_dataptr ptr = {w->foreign_bytes, NULL, NULL};
    return cow_storage_adopt(w->allocator, ptr, SIZE, COW_FOREIGN, &w->made, NULL);
}

static cow_status op_clone_plain(world *w)
{
    return cow_lazy_clone(w->plain, 0, SIZE, 0, &w->made, NULL);
}

static cow_status op_clone_shared(world *w)
{
    return cow_lazy_clone(w->a, 0, SIZE, 0, &w->made, NULL);
}

static cow_status op_clone_pinned(world *w)
{
    cow_mutable_scope pin;
    cow_status status;
    REQUIRE(cow_mutable_begin(w->plain, 0, &pin, NULL) == COW_OK);
    status = cow_lazy_clone(w->plain, 0, SIZE, 0, &w->made, NULL);
    cow_mutable_end(&pin);
    return status;
}

static cow_status op_read_plain(world *w)
{
    cow_const_scope scope;
    const cow_status status = cow_const_begin(w->plain, &scope, NULL);
    if (status == COW_OK) {
        cow_const_end(&scope);
    }
    return status;
}

static cow_status op_write_plain(world *w)
{
    return fill(w->plain, 5);
}

static cow_status op_write_shared(world *w)
{
    return fill(w->a, 5);
}

static cow_status op_write_foreign(world *w)
{
    return fill(w->foreign, 5);
}

static cow_status op_overwrite_shared(world *w)
{
    cow_overwrite_scope scope;
    cow_status status = cow_overwrite_begin(w->a, 0, &scope, NULL);
    if (status == COW_OK) {
        memset(scope.data, 5, scope.nbytes);
        status = cow_overwrite_commit(&scope, NULL, NULL);
    }
    return status;
}

static void every_refused_allocation_changes_nothing(fixture *f)
{
    const struct {
        operation op;
        size_t allocations;
    } table[] = {
        {op_new, 2},         {op_adopt_foreign, 2}, {op_clone_plain, 2},   {op_clone_shared, 1},
        {op_read_plain, 1},  {op_write_plain, 0},   {op_write_shared, 1},  {op_write_foreign, 1},
        {op_overwrite_shared, 1},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        CHECK_EQ(sweep(f, table[i].op, false), table[i].allocations);
        CHECK_EQ(sweep(f, table[i].op, true), table[i].allocations);
    }
}

/* An eager clone that fails may leave a context behind, which is no leak: the Storage owns it. */
static void failed_eager_clone_leaves_its_source_as_it_was(fixture *f)
{
    cow_status status = COW_ENOMEM;
    size_t n = 0;
    while (status != COW_OK) {
        world w;
        n++;
        world_open(&w, f->allocator);
        cow_tracing_refuse(f->tracing, n, 0);
        status = op_clone_pinned(&w);
        cow_tracing_refuse(f->tracing, 0, 0);
        CHECK(status == COW_OK || status == COW_ENOMEM);
        CHECK((status == COW_OK) == (w.made != NULL));
        CHECK_EQ(cow_storage_pins(w.plain), 0);
        CHECK_EQ(cow_storage_shares(w.plain), 1);
        CHECK(holds(w.plain, 2));
        world_close(&w);
    }
    CHECK_EQ(n - 1, 4); /* lazy Storage, context, eager Storage, bytes */
}

static void late_overwrite_that_cannot_copy_changes_nothing(fixture *f)
{
    cow_storage *a = make_filled(f->allocator, SIZE, 1);
    cow_storage *b = make_clone(a);
    const size_t blocks = report_of(f).live_blocks;
    cow_storage *c;
    cow_overwrite_scope scope;
    CHECK_OK(cow_overwrite_begin(b, 0, &scope, NULL));
    memset(scope.data, 5, scope.nbytes);
    CHECK_OK(fill(b, 3));
    c = make_clone(b); /* so that writing into b's bytes needs a copy of its own */
    cow_tracing_refuse(f->tracing, 1, 1);
    CHECK_STATUS(cow_overwrite_commit(&scope, NULL, NULL), COW_EMOVED); /* allocates nothing */
    CHECK_STATUS(fill(b, 5), COW_ENOMEM);
    cow_overwrite_abort(&scope);
    cow_tracing_refuse(f->tracing, 0, 0);
    CHECK(holds(a, 1) && holds(b, 3) && holds(c, 3));
    CHECK_EQ(cow_storage_shares(a), 1);
    CHECK_EQ(cow_storage_shares(b), 2);
    CHECK_EQ(report_of(f).live_blocks, blocks + 3); /* b's bytes, their context, c */
    cow_storage_free(a);
    cow_storage_free(b);
    cow_storage_free(c);
}

/* ---- somebody leaves while a writer allocates ---------------------------------------------------------------------- */

/* An allocator that frees a Storage in the middle of the next allocation of array bytes, and then refuses it or not. */
typedef struct leaver {
    cow_allocator table;
    const cow_allocator *under;
    cow_storage *leaves;
    bool refuses;
} leaver;

static void *leaver_alloc(void *self, size_t nbytes, size_t alignment)
{
    leaver *l = (leaver *)self;
    if (l->leaves != NULL && nbytes == SIZE) {
        cow_storage *leaves = l->leaves;
        l->leaves = NULL;
        cow_storage_free(leaves);
        if (l->refuses) {
            return NULL;
        }
    }
    return l->under->alloc(l->under->self, nbytes, alignment);
}

static void leaver_free(void *self, void *data, size_t nbytes, size_t alignment)
{
    leaver *l = (leaver *)self;
    l->under->free(l->under->self, data, nbytes, alignment);
}

static void leaver_clone(void *self, void *data, const void *source, size_t nbytes)
{
    leaver *l = (leaver *)self;
    l->under->clone(l->under->self, data, source, nbytes);
}

static leaver make_leaver(fixture *f, bool refuses)
{
    leaver l;
    l.table.name = "leaver";
    l.table.self = NULL; /* the caller's copy of l, once it has an address */
    l.table.alloc = leaver_alloc;
    l.table.free = leaver_free;
    l.table.clone = leaver_clone;
    l.under = f->allocator;
    l.leaves = NULL;
    l.refuses = refuses;
    return l;
}

static void writer_that_cannot_allocate_steals_as_the_last_sharer(fixture *f)
{
    for (int refuses = 0; refuses < 2; refuses++) { /* with 0 it has a block, finds itself the last, and returns it */
        leaver l = make_leaver(f, refuses != 0);
        cow_storage *a;
        const void *address;
        size_t blocks;
        l.table.self = &l;
        a = make_filled(&l.table, SIZE, 1);
        l.leaves = make_clone(a);
        address = cow_storage_address(a);
        blocks = report_of(f).live_blocks;
        CHECK_OK(fill(a, 2));
        CHECK(l.leaves == NULL);
        CHECK(cow_storage_address(a) == address && holds(a, 2));
        CHECK_EQ(report_of(f).live_blocks, blocks - 1); /* the clone's Storage */
        CHECK_EQ(report_of(f).cloned_bytes, 0);
        cow_storage_free(a);
    }
    CHECK_EQ(stats_now().steals, 2);
    CHECK_EQ(stats_now().copies, 0);
}

static void foreign_bytes_are_not_stolen_even_then(fixture *f)
{
    char bytes[SIZE];
    cow_dataptr ptr = {bytes, NULL, NULL};
    leaver l = make_leaver(f, true);
    cow_storage *a = NULL;
    memset(bytes, 1, SIZE);
    l.table.self = &l;
    CHECK_OK(cow_storage_adopt(&l.table, ptr, SIZE, COW_FOREIGN, &a, NULL));
    l.leaves = make_clone(a);
    CHECK_STATUS(fill(a, 2), COW_ENOMEM);
    CHECK(holds(a, 1) && cow_storage_address(a) == bytes && cow_storage_is_foreign(a));
    CHECK_OK(fill(a, 2));
    CHECK(all_bytes(bytes, SIZE, 1));
    cow_storage_free(a);
}

int main(int argc, char **argv)
{
    (void)argc;
    RUN(every_refused_allocation_changes_nothing);
    RUN(failed_eager_clone_leaves_its_source_as_it_was);
    RUN(late_overwrite_that_cannot_copy_changes_nothing);
    RUN(writer_that_cannot_allocate_steals_as_the_last_sharer);
    RUN(foreign_bytes_are_not_stolen_even_then);
    return finish(argv[0]);
}
