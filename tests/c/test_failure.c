/* Allocation failure. Each operation is repeated with its 1st, 2nd, ... n-th allocation refused until it succeeds; after
 * each failure the arrays hold what they held, share what they shared, and no byte more is live. A test in
 * tests/faults/test_every_fault.py compares the table below with the functions of core.h that can fail.
 *
 * One file, for it is one table, over one small world. */
#include "harness.h"

#define SIZE 300u
#define STORAGES 5u

/* What the operations work on. */
typedef struct world {
    const cow_allocator *allocator;
    cow_storage *a; /* shares with b; both hold 1 */
    cow_storage *b;
    cow_storage *plain;        /* was never shared; holds 2 */
    cow_storage *lone;         /* has a context and nobody to share with: the next write steals; holds 3 */
    cow_storage *foreign;      /* holds 4 */
    cow_storage *absent;       /* the only one without bytes */
    cow_storage *made;         /* by the operation */
    cow_overwrite_scope scope; /* open where the operation's preparation says so */
    cow_error error;
    char foreign_bytes[SIZE];
} world;

typedef cow_status (*operation)(world *w);

static cow_storage *storage_of(const world *w, size_t i)
{
    cow_storage *const all[STORAGES] = {w->a, w->b, w->plain, w->lone, w->foreign};
    return all[i];
}

static bool holds_what_it_held(const world *w)
{
    return holds(w->a, 1) && holds(w->b, 1) && holds(w->plain, 2) && holds(w->lone, 3) && holds(w->foreign, 4) &&
           all_bytes(w->foreign_bytes, SIZE, 4) && cow_storage_is_absent(w->absent);
}

static void world_open(world *w, const cow_allocator *allocator)
{
    cow_dataptr ptr = {w->foreign_bytes, NULL, NULL};
    memset(w, 0, sizeof *w);
    memset(w->foreign_bytes, 4, SIZE);
    w->allocator = allocator;
    w->a = make_filled(allocator, SIZE, 1);
    w->b = make_clone(w->a);
    w->plain = make_filled(allocator, SIZE, 2);
    w->lone = make_filled(allocator, SIZE, 3);
    cow_storage_free(make_clone(w->lone));
    REQUIRE(cow_storage_adopt(allocator, ptr, SIZE, COW_FOREIGN, &w->foreign, NULL) == COW_OK);
    REQUIRE(cow_storage_new_absent(allocator, SIZE, &w->absent, NULL) == COW_OK);
}

static void world_close(world *w)
{
    for (size_t i = 0; i < STORAGES; i++) {
        cow_storage_free(storage_of(w, i));
    }
    cow_storage_free(w->made);
    cow_storage_free(w->absent);
}

/* All that the library tells of the arrays and of what it did. */
typedef struct facts {
    const void *address[STORAGES];
    size_t shares[STORAGES];
    size_t pins[STORAGES];
    size_t allocated[STORAGES];
    size_t write_cost[STORAGES];
    int sole[STORAGES];
    cow_stats stats;
} facts;

static void look(const world *w, facts *f)
{
    memset(f, 0, sizeof *f);
    for (size_t i = 0; i < STORAGES; i++) {
        cow_storage *storage = storage_of(w, i);
        f->address[i] = cow_storage_address(storage);
        f->shares[i] = cow_storage_shares(storage);
        f->pins[i] = cow_storage_pins(storage);
        f->allocated[i] = cow_storage_allocated(storage);
        f->write_cost[i] = cow_storage_write_cost(storage);
        f->sole[i] = cow_storage_is_sole(storage);
    }
    f->stats = stats_now();
}

static bool same_facts(const facts *x, const facts *y)
{
    return memcmp(x, y, sizeof *x) == 0;
}

typedef struct swept {
    const char *function; /* of core.h, that can fail */
    operation op;
    size_t allocations; /* that it makes */
    size_t keeps;       /* blocks that a failure may leave with the Storage, which owns them: a context */
    operation prepare;  /* with nothing refused; or NULL */
} swept;

/* Where the operation has evicted the Storage. */
static void fill_again(cow_storage *storage)
{
    static char bytes[SIZE];
    const cow_dataptr ptr = {bytes, NULL, NULL};
    if (cow_storage_is_absent(storage)) {
        CHECK_OK(cow_storage_fill(storage, ptr, SIZE, NULL));
    }
}

/* Returns how many allocations the operation makes. */
static size_t sweep(fixture *f, const swept *row, bool every)
{
    world w;
    for (size_t n = 1;; n++) {
        cow_tracing_report before;
        cow_tracing_report after;
        facts were;
        facts are;
        cow_status status;
        world_open(&w, f->allocator);
        if (row->prepare != NULL) {
            REQUIRE(row->prepare(&w) == COW_OK);
        }
        look(&w, &were);
        before = report_of(f);
        cow_tracing_refuse(f->tracing, n, every ? 1 : 0);
        status = row->op(&w);
        cow_tracing_refuse(f->tracing, 0, 0);
        after = report_of(f);
        if (status == COW_OK) {
            CHECK_EQ(after.refused, before.refused);
            CHECK_EQ(w.error.text[0], 0);
            world_close(&w);
            return n - 1;
        }
        CHECK_STATUS(status, COW_ENOMEM);
        CHECK(strncmp(w.error.text, "cannot allocate ", 16) == 0);
        CHECK_EQ(after.refused, before.refused + 1);
        CHECK(w.made == NULL);
        CHECK(after.live_blocks >= before.live_blocks && after.live_blocks <= before.live_blocks + row->keeps);
        CHECK_EQ(after.cloned_bytes, before.cloned_bytes);
        look(&w, &are);
        if (row->keeps == 0) {
            CHECK_EQ(after.live_bytes, before.live_bytes);
        }
        CHECK(same_facts(&are, &were));
        CHECK(holds_what_it_held(&w));
        CHECK_OK(row->op(&w)); /* nothing was left locked, busy or pinned */
        fill_again(w.plain);
        for (size_t i = 0; i < STORAGES; i++) {
            CHECK_EQ(cow_storage_pins(storage_of(&w, i)), 0);
        }
        CHECK_OK(fill(w.a, 3));
        CHECK_OK(fill(w.plain, 3));
        CHECK_OK(fill(w.foreign, 3));
        CHECK(holds(w.b, 1) && all_bytes(w.foreign_bytes, SIZE, 4));
        world_close(&w);
    }
}

static cow_status op_new(world *w)
{
    return cow_storage_new(w->allocator, SIZE, &w->made, &w->error);
}

static cow_status op_new_empty(world *w)
{
    return cow_storage_new(w->allocator, 0, &w->made, &w->error);
}

static cow_status adopt(world *w, unsigned flags)
{
    cow_dataptr ptr = {w->foreign_bytes, NULL, NULL};
    return cow_storage_adopt(w->allocator, ptr, SIZE, flags, &w->made, &w->error);
}

static cow_status op_adopt(world *w)
{
    return adopt(w, 0);
}

static cow_status op_adopt_foreign(world *w)
{
    return adopt(w, COW_FOREIGN);
}

static cow_status op_clone_plain(world *w)
{
    return cow_lazy_clone(w->plain, 0, SIZE, 0, &w->made, &w->error);
}

static cow_status op_clone_part(world *w)
{
    return cow_lazy_clone(w->plain, 7, SIZE / 2, COW_TRY | COW_NO_COPY | COW_QUIET, &w->made, &w->error);
}

static cow_status op_clone_shared(world *w)
{
    return cow_lazy_clone(w->a, 0, SIZE, 0, &w->made, &w->error);
}

static cow_status op_clone_foreign(world *w)
{
    return cow_lazy_clone(w->foreign, 0, SIZE, 0, &w->made, &w->error);
}

/* An eager copy. */
static cow_status op_clone_pinned(world *w)
{
    cow_mutable_scope pin;
    cow_status status;
    REQUIRE(cow_mutable_begin(w->plain, 0, &pin, NULL) == COW_OK);
    status = cow_lazy_clone(w->plain, 0, SIZE, 0, &w->made, &w->error);
    cow_mutable_end(&pin);
    return status;
}

static cow_status read_all(world *w, cow_storage *storage)
{
    cow_const_scope scope;
    const cow_status status = cow_const_begin(storage, &scope, &w->error);
    if (status == COW_OK) {
        cow_const_end(&scope);
    }
    return status;
}

static cow_status op_read_plain(world *w)
{
    return read_all(w, w->plain);
}

static cow_status op_read_shared(world *w)
{
    return read_all(w, w->a);
}

/* From here on: what has a Storage without bytes, or makes one. */
static cow_status op_new_absent(world *w)
{
    return cow_storage_new_absent(w->allocator, SIZE, &w->made, &w->error);
}

static cow_status op_clone_absent(world *w)
{
    return cow_lazy_clone(w->absent, 0, SIZE, 0, &w->made, &w->error);
}

static cow_status op_evict_plain(world *w)
{
    return cow_storage_evict(w->plain, 1, &w->error);
}

static cow_status op_evict_shared(world *w)
{
    return cow_storage_evict(w->a, 2, &w->error);
}

/* The bytes come back: what is swept is that nothing is lost where they cannot be taken. */
static cow_status op_take_plain(world *w)
{
    cow_dataptr ptr;
    const cow_status status = cow_storage_take(w->plain, 1, &ptr, &w->error);
    if (status == COW_OK) {
        CHECK_OK(cow_storage_fill(w->plain, ptr, SIZE, NULL));
    }
    return status;
}

static cow_status op_fill(world *w)
{
    static char bytes[SIZE];
    const cow_dataptr ptr = {bytes, NULL, NULL};
    return cow_storage_fill(w->absent, ptr, SIZE, &w->error);
}

static cow_status write_all(world *w, cow_storage *storage, unsigned flags)
{
    cow_mutable_scope scope;
    const cow_status status = cow_mutable_begin(storage, flags, &scope, &w->error);
    if (status == COW_OK) {
        memset(scope.data, 5, scope.nbytes);
        cow_mutable_end(&scope);
    }
    return status;
}

static cow_status op_write_plain(world *w)
{
    return write_all(w, w->plain, 0);
}

static cow_status op_write_shared(world *w)
{
    return write_all(w, w->a, 0);
}

static cow_status op_try_to_write_shared(world *w)
{
    return write_all(w, w->a, COW_TRY);
}

static cow_status op_write_foreign(world *w)
{
    return write_all(w, w->foreign, 0);
}

static cow_status op_steal(world *w)
{
    return write_all(w, w->lone, COW_NO_COPY);
}

static cow_status overwrite_all(world *w, cow_storage *storage, unsigned flags)
{
    cow_overwrite_scope scope;
    cow_status status = cow_overwrite_begin(storage, flags, &scope, &w->error);
    if (status == COW_OK) {
        memset(scope.data, 5, scope.nbytes);
        status = cow_overwrite_commit(&scope, NULL, &w->error);
    }
    return status;
}

static cow_status op_overwrite_plain(world *w)
{
    return overwrite_all(w, w->plain, 0);
}

static cow_status op_overwrite_shared(world *w)
{
    return overwrite_all(w, w->a, 0);
}

static cow_status op_overwrite_foreign(world *w)
{
    return overwrite_all(w, w->foreign, COW_TRY);
}

static cow_status op_overwrite_lone(world *w)
{
    return overwrite_all(w, w->lone, 0);
}

static cow_status prepare_commit(world *w)
{
    return cow_overwrite_begin(w->a, 0, &w->scope, NULL);
}

static cow_status op_commit(world *w)
{
    cow_mutable_scope pin;
    cow_status status;
    memset(w->scope.data, 5, w->scope.nbytes);
    status = cow_overwrite_commit(&w->scope, &pin, &w->error);
    if (status == COW_OK) {
        cow_mutable_end(&pin);
    }
    return status;
}

static void every_refused_allocation_changes_nothing(fixture *f)
{
    static const swept table[] = {
        {"cow_storage_new", op_new, 2, 0, NULL}, /* the Storage, its bytes */
        {"cow_storage_new", op_new_empty, 2, 0, NULL},
        {"cow_storage_adopt", op_adopt, 1, 0, NULL},
        {"cow_storage_adopt", op_adopt_foreign, 2, 0, NULL}, /* the Storage, a context */
        {"cow_lazy_clone", op_clone_plain, 2, 0, NULL},
        {"cow_lazy_clone", op_clone_part, 2, 0, NULL},
        {"cow_lazy_clone", op_clone_shared, 1, 0, NULL},
        {"cow_lazy_clone", op_clone_foreign, 1, 0, NULL},
        {"cow_lazy_clone", op_clone_pinned, 4, 1, NULL}, /* a Storage, a context; a Storage to copy, its bytes */
        {"cow_lazy_clone", op_clone_absent, 1, 0, NULL},
        {"cow_storage_new_absent", op_new_absent, 2, 0, NULL}, /* the Storage, a context */
        {"cow_storage_evict", op_evict_plain, 1, 0, NULL},     /* a context */
        {"cow_storage_evict", op_evict_shared, 0, 0, NULL},
        {"cow_storage_take", op_take_plain, 1, 0, NULL}, /* a context */
        {"cow_storage_fill", op_fill, 0, 0, NULL},
        {"cow_const_begin", op_read_plain, 1, 0, NULL},
        {"cow_const_begin", op_read_shared, 0, 0, NULL},
        {"cow_mutable_begin", op_write_plain, 0, 0, NULL},
        {"cow_mutable_begin", op_write_shared, 1, 0, NULL},
        {"cow_mutable_begin", op_try_to_write_shared, 1, 0, NULL},
        {"cow_mutable_begin", op_write_foreign, 1, 0, NULL},
        {"cow_mutable_begin", op_steal, 0, 0, NULL},
        {"cow_overwrite_begin", op_overwrite_plain, 0, 0, NULL},
        {"cow_overwrite_begin", op_overwrite_shared, 1, 0, NULL},
        {"cow_overwrite_begin", op_overwrite_foreign, 1, 0, NULL},
        {"cow_overwrite_begin", op_overwrite_lone, 0, 0, NULL},
        {"cow_overwrite_commit", op_commit, 0, 0, prepare_commit},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const size_t failed = checks_failed();
        CHECK_EQ(sweep(f, &table[i], false), table[i].allocations);
        CHECK_EQ(sweep(f, &table[i], true), table[i].allocations);
        if (checks_failed() > failed) {
            printf("  in row %zu, %s\n", i, table[i].function);
        }
    }
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
    l.table.paging = NULL;
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
    RUN(late_overwrite_that_cannot_copy_changes_nothing);
    RUN(writer_that_cannot_allocate_steals_as_the_last_sharer);
    RUN(foreign_bytes_are_not_stolen_even_then);
    return finish(argv[0]);
}
