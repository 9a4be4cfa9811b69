/* Bytes that are away: an absent allocation keeps its sharers, their windows and its size, every sharer's door says that it
 * is absent, and a fill brings bytes to all of them. What a refusal must not change is looked at each time.
 *
 * One file, for each test stands on the same few helpers: what goes, what comes back, and who is told. */
#include <sched.h>

#include "harness.h"

#define SIZE 200u
#define THREADS 4u

/* ---- bytes to fill with -------------------------------------------------------------------------------------------- */

static void give_back(void *data, void *context, size_t nbytes)
{
    const cow_allocator *allocator = (const cow_allocator *)context;
    allocator->free(allocator->self, data, nbytes, COW_ALIGNMENT);
}

static cow_dataptr bytes_of(const cow_allocator *allocator, size_t nbytes, int value)
{
    cow_dataptr ptr;
    ptr.data = allocator->alloc(allocator->self, nbytes, COW_ALIGNMENT);
    ptr.context = (void *)(uintptr_t)allocator;
    ptr.deleter = give_back;
    REQUIRE(ptr.data != NULL);
    memset(ptr.data, value, nbytes);
    return ptr;
}

/* Brings bytes that all have this value; the fill owns them, or they are given back. */
static cow_status bring(const cow_allocator *allocator, cow_storage *storage, int value)
{
    const size_t nbytes = cow_storage_allocated(storage);
    const cow_dataptr ptr = bytes_of(allocator, nbytes, value);
    const cow_status status = cow_storage_fill(storage, ptr, nbytes, NULL);
    if (status != COW_OK) {
        give_back(ptr.data, ptr.context, nbytes);
    }
    return status;
}

/* The bytes 0, 1, 2, ... of SIZE, so that a window knows where it should lie. */
static cow_dataptr counting(const cow_allocator *allocator)
{
    const cow_dataptr ptr = bytes_of(allocator, SIZE, 0);
    for (unsigned i = 0; i < SIZE; i++) {
        ((unsigned char *)ptr.data)[i] = (unsigned char)i;
    }
    return ptr;
}

static void bring_counting(const cow_allocator *allocator, cow_storage *storage)
{
    CHECK_OK(cow_storage_fill(storage, counting(allocator), SIZE, NULL));
}

/* They go and come back elsewhere for certain: the new ones are there before the old ones go. */
static void move_counting(const cow_allocator *allocator, cow_storage *storage, size_t sharers)
{
    const cow_dataptr elsewhere = counting(allocator);
    CHECK_OK(cow_storage_evict(storage, sharers, NULL));
    CHECK_OK(cow_storage_fill(storage, elsewhere, SIZE, NULL));
}

static bool counts_from(cow_storage *storage, unsigned first)
{
    cow_const_scope scope;
    bool right = true;
    REQUIRE(cow_const_begin(storage, &scope, NULL) == COW_OK);
    for (unsigned i = 0; i < scope.nbytes; i++) {
        right = right && ((const unsigned char *)scope.data)[i] == (unsigned char)(first + i);
    }
    right = right && scope.data == cow_storage_address(storage);
    cow_const_end(&scope);
    return right;
}

static cow_storage *make_absent(const cow_allocator *allocator)
{
    cow_storage *made = NULL;
    REQUIRE(cow_storage_new_absent(allocator, SIZE, &made, NULL) == COW_OK);
    return made;
}

/* Every door answers that the bytes are absent, says why, and has changed nothing. */
static void check_doors_shut(const fixture *f, cow_storage *storage)
{
    const cow_tracing_report before = report_of(f);
    const cow_stats figures = stats_now();
    const size_t shares = cow_storage_shares(storage);
    cow_const_scope reader = {NULL, 0, NULL, NULL};
    cow_mutable_scope writer = {NULL, 0, NULL};
    cow_overwrite_scope overwriter = {NULL, NULL, 0, NULL, NULL};
    cow_tracing_report after;
    cow_stats now;
    CHECK(cow_storage_is_absent(storage));
    CHECK_STATUS(cow_const_begin(storage, &reader, NULL), COW_EABSENT);
    for (unsigned flags = 0; flags <= (COW_TRY | COW_NO_COPY); flags++) {
        cow_error err = {""};
        CHECK_STATUS(cow_mutable_begin(storage, flags, &writer, &err), COW_EABSENT);
        CHECK(strstr(err.text, "fill") != NULL);
        CHECK_STATUS(cow_overwrite_begin(storage, flags & COW_TRY, &overwriter, NULL), COW_EABSENT);
    }
    CHECK(reader.data == NULL && writer.data == NULL && overwriter.data == NULL);
    CHECK_EQ(cow_storage_shares(storage), shares);
    CHECK_EQ(cow_storage_pins(storage), 0);
    CHECK(!cow_storage_is_sole(storage));
    after = report_of(f);
    now = stats_now();
    CHECK_EQ(after.live_bytes, before.live_bytes);
    CHECK_EQ(memcmp(&now, &figures, sizeof now), 0);
    CHECK(cow_storage_is_absent(storage));
}

/* ---- birth --------------------------------------------------------------------------------------------------------- */

static void born_absent_takes_no_bytes(fixture *f)
{
    const size_t large = (size_t)1 << 40;
    cow_storage *s = NULL;
    CHECK_OK(cow_storage_new_absent(f->allocator, large, &s, NULL));
    CHECK(report_of(f).live_bytes < 1000);
    CHECK_EQ(cow_storage_nbytes(s), large);
    CHECK_EQ(cow_storage_allocated(s), large);
    CHECK_EQ(cow_storage_shares(s), 1);
    CHECK_EQ(cow_storage_write_cost(s), 0);
    CHECK(cow_storage_address(s) == NULL && !cow_storage_is_foreign(s));
    check_doors_shut(f, s);
    cow_storage_free(s);
}

static void sizes_of_the_absent(fixture *f)
{
    cow_storage *s = NULL;
    cow_error err = {""};
    CHECK_STATUS(cow_storage_new_absent(f->allocator, (size_t)PTRDIFF_MAX + 1, &s, &err), COW_EOVERFLOW);
    CHECK(err.text[0] != '\0' && s == NULL);
    CHECK_OK(cow_storage_new_absent(f->allocator, (size_t)PTRDIFF_MAX, &s, NULL));
    cow_storage_free(s);
    CHECK_OK(cow_storage_new_absent(f->allocator, 0, &s, NULL));
    check_doors_shut(f, s);
    {
        char byte = 0;
        const cow_dataptr ptr = {&byte, NULL, NULL};
        CHECK_OK(cow_storage_fill(s, ptr, 0, NULL));
    }
    CHECK(holds(s, 1));
    CHECK_OK(cow_storage_evict(s, 1, NULL));
    check_doors_shut(f, s);
    cow_storage_free(s);
}

static void lazy_clones_share_the_absence(fixture *f)
{
    cow_storage *a = make_absent(f->allocator);
    const size_t live = report_of(f).live_bytes;
    cow_storage *b = make_clone(a);
    cow_storage *window = make_window(a, 50, 100);
    cow_storage *inner = make_window(window, 20, 30);
    cow_storage *all[] = {a, b, window, inner};
    CHECK(report_of(f).live_bytes < live + 3 * SIZE);
    CHECK_EQ(stats_now().lazy_clones, 3);
    CHECK_EQ(cow_storage_shares(a), 4);
    CHECK_EQ(cow_storage_allocated(inner), SIZE);
    CHECK_EQ(cow_storage_write_cost(inner), 30);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        CHECK(cow_storage_address(all[i]) == NULL && cow_storage_shares_with(all[i], a));
        check_doors_shut(f, all[i]);
    }
    bring_counting(f->allocator, inner); /* through any of them, and always the whole */
    CHECK(counts_from(a, 0) && counts_from(b, 0) && counts_from(window, 50) && counts_from(inner, 70));
    {
        cow_storage *late = make_window(inner, 10, 10);
        CHECK(counts_from(late, 80));
        cow_storage_free(late);
    }
    CHECK_OK(fill(window, 7)); /* a copy of the right part */
    CHECK(holds(window, 7) && counts_from(a, 0) && counts_from(inner, 70));
    CHECK_EQ(stats_now().bytes_copied, 100);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        cow_storage_free(all[i]);
    }
}

static void absent_storages_are_dropped_one_by_one(fixture *f)
{
    cow_storage *a = make_absent(f->allocator);
    cow_storage *b = make_clone(a);
    cow_storage_free(a);
    CHECK_EQ(cow_storage_shares(b), 1);
    CHECK_EQ(cow_storage_write_cost(b), 0);
    check_doors_shut(f, b);
    CHECK_OK(bring(f->allocator, b, 3));
    CHECK(cow_storage_is_sole(b) && holds(b, 3));
    cow_storage_free(b);
}

/* ---- evict --------------------------------------------------------------------------------------------------------- */

static void eviction_frees_the_bytes_for_all_sharers(fixture *f)
{
    cow_storage *a = make_filled(f->allocator, SIZE, 1);
    cow_storage *b = make_clone(a);
    cow_storage *window = make_window(b, 10, 20);
    const cow_tracing_report before = report_of(f);
    CHECK_OK(cow_storage_evict(b, 3, NULL));
    CHECK_EQ(report_of(f).live_bytes, before.live_bytes - SIZE);
    CHECK_EQ(report_of(f).live_blocks, before.live_blocks - 1);
    CHECK_EQ(cow_storage_shares(a), 3);
    CHECK_EQ(cow_storage_allocated(window), SIZE);
    CHECK(cow_storage_address(b) == NULL);
    check_doors_shut(f, a);
    check_doors_shut(f, b);
    check_doors_shut(f, window);
    CHECK_STATUS(cow_storage_evict(a, 3, NULL), COW_EABSENT);
    bring_counting(f->allocator, a);
    CHECK(counts_from(window, 10) && counts_from(b, 0) && counts_from(a, 0));
    CHECK_OK(cow_storage_evict(window, 3, NULL)); /* and again */
    check_doors_shut(f, a);
    CHECK_OK(bring(f->allocator, b, 9));
    CHECK(holds(a, 9) && holds(b, 9) && holds(window, 9));
    cow_storage_free(b);
    cow_storage_free(a);
    cow_storage_free(window);
}

static void what_was_alone_is_alone_again(fixture *f)
{
    cow_storage *a = make_filled(f->allocator, SIZE, 1); /* never had a context */
    for (int value = 2; value < 5; value++) {
        cow_mutable_scope scope;
        CHECK_OK(cow_storage_evict(a, 1, NULL));
        check_doors_shut(f, a);
        CHECK_OK(bring(f->allocator, a, value));
        CHECK(cow_storage_is_sole(a) && holds(a, value));
        CHECK_OK(cow_mutable_begin(a, COW_TRY | COW_NO_COPY, &scope, NULL));
        CHECK(scope.data == cow_storage_address(a) && all_bytes(scope.data, SIZE, value));
        cow_mutable_end(&scope);
    }
    CHECK_EQ(stats_now().steals, 0);
    cow_storage_free(a);
}

typedef struct owned {
    unsigned char bytes[SIZE];
    unsigned deleted;
    size_t nbytes;
} owned;

static void count_deletion(void *data, void *context, size_t nbytes)
{
    owned *o = (owned *)context;
    CHECK(data == o->bytes);
    o->deleted++;
    o->nbytes = nbytes;
}

static cow_dataptr handle_on(owned *o, int value)
{
    const cow_dataptr ptr = {o->bytes, o, count_deletion};
    memset(o, 0, sizeof *o);
    memset(o->bytes, value, SIZE);
    return ptr;
}

static void each_handle_is_deleted_once(fixture *f)
{
    owned first, second, third;
    cow_storage *a = NULL;
    cow_storage *b;
    CHECK_OK(cow_storage_adopt(f->allocator, handle_on(&first, 1), SIZE, 0, &a, NULL));
    b = make_window(a, 3, 5);
    CHECK_OK(cow_storage_evict(b, 2, NULL));
    CHECK(first.deleted == 1 && first.nbytes == SIZE);
    CHECK_OK(cow_storage_fill(b, handle_on(&second, 2), SIZE, NULL));
    CHECK(cow_storage_address(b) == second.bytes + 3);
    CHECK_STATUS(cow_storage_fill(a, handle_on(&third, 3), SIZE, NULL), COW_EPRESENT);
    CHECK(holds(a, 2) && holds(b, 2));
    cow_storage_free(a);
    CHECK_EQ(second.deleted, 0);
    cow_storage_free(b);
    CHECK(second.deleted == 1 && second.nbytes == SIZE && first.deleted == 1);
    CHECK_EQ(third.deleted, 0); /* it was never the Storage's */
}

static void bytes_that_are_taken_are_the_callers(fixture *f)
{
    owned o;
    cow_dataptr taken = {NULL, NULL, NULL};
    cow_storage *a = NULL;
    cow_storage *b;
    cow_storage *other = make_absent(f->allocator);
    CHECK_OK(cow_storage_adopt(f->allocator, handle_on(&o, 1), SIZE, 0, &a, NULL));
    b = make_window(a, 3, 5);
    CHECK_STATUS(cow_storage_take(a, 1, &taken, NULL), COW_EBUSY);
    CHECK(taken.data == NULL && holds(b, 1));
    CHECK_OK(cow_storage_take(b, 2, &taken, NULL));
    CHECK(taken.data == o.bytes && taken.context == &o && taken.deleter == count_deletion && o.deleted == 0);
    check_doors_shut(f, a);
    check_doors_shut(f, b);
    CHECK_STATUS(cow_storage_take(b, 2, &taken, NULL), COW_EABSENT);
    CHECK(all_bytes(o.bytes, SIZE, 1));
    CHECK_OK(cow_storage_fill(other, taken, SIZE, NULL)); /* into another, without a copy */
    CHECK(cow_storage_is_sole(other) && cow_storage_address(other) == o.bytes && holds(other, 1));
    cow_storage_free(a);
    cow_storage_free(b);
    CHECK_EQ(o.deleted, 0);
    cow_storage_free(other);
    CHECK_EQ(o.deleted, 1);
}

static void sharers_have_one_allocation(fixture *f)
{
    char bytes[SIZE];
    const cow_dataptr foreign = {bytes, NULL, NULL};
    cow_storage *a = make_filled(f->allocator, SIZE, 1);
    const void *first = cow_storage_address(a);
    cow_storage *b = NULL;
    cow_storage *window;
    CHECK(cow_storage_allocation(a) == first); /* without a context */
    window = make_window(a, 30, 40);
    CHECK(cow_storage_allocation(a) == first && cow_storage_allocation(window) == first);
    CHECK_OK(cow_storage_evict(a, 2, NULL)); /* who has asked is no reader */
    CHECK(cow_storage_allocation(a) == NULL && cow_storage_allocation(window) == NULL);
    bring_counting(f->allocator, window);
    first = cow_storage_allocation(a);
    CHECK(first != NULL && cow_storage_allocation(window) == first);
    CHECK(counts_from(a, 0) && first == cow_storage_address(a));
    CHECK_OK(cow_storage_evict(window, 2, NULL));
    CHECK_OK(bring(f->allocator, window, 1));
    CHECK_OK(fill(window, 2));
    CHECK(cow_storage_allocation(window) == cow_storage_address(window));
    CHECK(cow_storage_allocation(a) != cow_storage_allocation(window));
    CHECK_OK(cow_storage_adopt(f->allocator, foreign, SIZE, COW_FOREIGN, &b, NULL));
    CHECK(cow_storage_allocation(b) == bytes);
    cow_storage_free(a);
    cow_storage_free(b);
    cow_storage_free(window);
}

static void a_clone_that_is_read_at_once_needs_bytes(fixture *f)
{
    cow_storage *a = make_absent(f->allocator);
    cow_storage *made = NULL;
    const size_t live = report_of(f).live_bytes;
    for (unsigned flags = COW_READS; flags <= (COW_READS | COW_TRY); flags++) {
        cow_error err = {""};
        if (!CHECK_STATUS(cow_lazy_clone(a, 1, 2, flags, &made, &err), COW_EABSENT)) {
            return;
        }
        CHECK(strstr(err.text, "fill") != NULL);
    }
    CHECK(made == NULL && cow_storage_shares(a) == 1 && report_of(f).live_bytes == live);
    CHECK_EQ(stats_now().lazy_clones, 0);
    CHECK_OK(bring(f->allocator, a, 1));
    CHECK(cow_storage_is_sole(a));
    cow_storage_free(a);
}

static void a_clone_that_is_read_at_once_knows_where_the_bytes_are(fixture *f)
{
    cow_storage *a = make_filled(f->allocator, SIZE, 0);
    cow_storage *b = make_window(a, 50, 100);
    cow_storage *made = NULL;
    cow_mutable_scope scope;
    move_counting(f->allocator, a, 2); /* b keeps the address of before */
    if (!CHECK_OK(cow_lazy_clone(b, 20, 30, COW_READS, &made, NULL))) {
        return;
    }
    CHECK(cow_storage_address(made) == (const char *)cow_storage_allocation(a) + 70);
    CHECK(counts_from(made, 70));
    CHECK_STATUS(cow_storage_evict(b, 3, NULL), COW_EBUSY); /* the third is read, without a scope */
    cow_storage_free(made);
    CHECK_OK(cow_lazy_clone(b, 20, 30, COW_READS, &made, NULL));
    REQUIRE(cow_mutable_begin(made, 0, &scope, NULL) == COW_OK); /* it has bytes of its own now */
    cow_mutable_end(&scope);
    CHECK_OK(cow_storage_evict(b, 2, NULL));
    cow_storage_free(made);
    cow_storage_free(a);
    cow_storage_free(b);
    a = make_filled(f->allocator, SIZE, 0);
    CHECK_OK(cow_lazy_clone(a, 20, 30, COW_READS, &made, NULL));
    cow_storage_free(a);
    REQUIRE(cow_mutable_begin(made, 0, &scope, NULL) == COW_OK); /* it steals */
    cow_mutable_end(&scope);
    CHECK_OK(cow_storage_evict(made, 1, NULL));
    cow_storage_free(made);
}

/* ---- who refuses --------------------------------------------------------------------------------------------------- */

/* Refused, with a reason, and nothing has changed. If that is wrong, the rest of the test still finds bytes. */
static void check_kept(cow_storage *storage, size_t managed, const char *reason)
{
    static char ones[SIZE];
    const cow_dataptr ptr = {ones, NULL, NULL};
    const void *address = cow_storage_address(storage);
    const int sole = cow_storage_is_sole(storage);
    const size_t shares = cow_storage_shares(storage);
    const size_t pins = cow_storage_pins(storage);
    cow_error err = {""};
    CHECK_STATUS(cow_storage_evict(storage, managed, &err), COW_EBUSY);
    CHECK(strncmp(err.text, "evict: ", 7) == 0 && strstr(err.text, reason) != NULL);
    if (!CHECK(!cow_storage_is_absent(storage))) {
        memset(ones, 1, SIZE);
        CHECK_OK(cow_storage_fill(storage, ptr, SIZE, NULL));
    }
    CHECK(cow_storage_address(storage) == address && cow_storage_is_sole(storage) == sole);
    CHECK(cow_storage_shares(storage) == shares && cow_storage_pins(storage) == pins);
}

static void sharers_outside_keep_the_bytes(fixture *f)
{
    cow_storage *a = make_filled(f->allocator, SIZE, 1);
    cow_storage *b;
    check_kept(a, 0, "share");
    check_kept(a, 2, "share");
    b = make_clone(a);
    check_kept(a, 0, "share");
    check_kept(a, 1, "share");
    check_kept(b, 3, "share");
    check_kept(b, (size_t)1 << 32 | 2, "share");
    CHECK(holds(a, 1) && holds(b, 1));
    CHECK_OK(cow_storage_evict(a, 2, NULL));
    cow_storage_free(a);
    cow_storage_free(b);
}

static void open_scopes_keep_the_bytes(fixture *f)
{
    cow_storage *a = make_filled(f->allocator, SIZE, 1);
    cow_storage *b = make_clone(a);
    cow_const_scope reader;
    cow_mutable_scope writer;
    cow_overwrite_scope overwriter;
    CHECK_OK(cow_const_begin(b, &reader, NULL));
    check_kept(a, 2, "read");
    check_kept(a, 3, "share"); /* not even if he takes the reader for a sharer */
    check_kept(b, 2, "read");
    CHECK(all_bytes(reader.data, SIZE, 1));
    cow_const_end(&reader);

    CHECK_OK(cow_overwrite_begin(b, 0, &overwriter, NULL));
    check_kept(a, 2, "share");
    check_kept(a, 3, "read"); /* nor a scope, which has a share */
    CHECK(all_bytes(overwriter.old, SIZE, 1));
    memset(overwriter.data, 2, SIZE);
    CHECK_OK(cow_overwrite_commit(&overwriter, &writer, NULL));
    check_kept(b, 1, "pinned"); /* pinned */
    CHECK(holds(b, 2));
    CHECK_OK(cow_storage_evict(a, 1, NULL)); /* whose own bytes nobody uses */
    cow_mutable_end(&writer);
    CHECK_OK(cow_storage_evict(b, 1, NULL));
    CHECK_OK(bring(f->allocator, a, 1));
    CHECK_OK(bring(f->allocator, b, 2));
    CHECK(holds(a, 1) && holds(b, 2));
    cow_storage_free(a);
    cow_storage_free(b);
}

static void readers_left_behind_keep_the_bytes(fixture *f)
{
    cow_storage *a = make_filled(f->allocator, SIZE, 1);
    cow_storage *b = make_clone(a);
    cow_storage *c = make_clone(a);
    cow_const_scope reader;
    CHECK_OK(cow_const_begin(a, &reader, NULL));
    CHECK_OK(fill(a, 2)); /* it moves on, and its reader does not */
    check_kept(b, 2, "left behind");
    check_kept(b, 3, "left behind");
    CHECK(all_bytes(reader.data, SIZE, 1));
    cow_const_end(&reader);
    cow_storage_spare(b); /* somebody reads without a scope */
    check_kept(b, 2, "left behind");
    CHECK(holds(c, 1));
    CHECK_OK(cow_storage_evict(a, 1, NULL));
    cow_storage_spare(a); /* nobody reads what is absent */
    CHECK_OK(bring(f->allocator, a, 2));
    CHECK_OK(fill(a, 3));
    CHECK_EQ(stats_now().copies, 1);
    CHECK_OK(cow_storage_evict(a, 1, NULL));
    cow_storage_free(a);
    cow_storage_free(b);
    cow_storage_free(c);
}

static void foreign_bytes_are_not_evicted(fixture *f)
{
    char bytes[SIZE];
    const cow_dataptr ptr = {bytes, NULL, NULL};
    cow_storage *a = NULL;
    cow_error err = {""};
    memset(bytes, 1, SIZE);
    CHECK_OK(cow_storage_adopt(f->allocator, ptr, SIZE, COW_FOREIGN, &a, NULL));
    if (!CHECK_STATUS(cow_storage_evict(a, 1, &err), COW_EINVAL)) {
        return;
    }
    CHECK(strncmp(err.text, "evict: ", 7) == 0);
    CHECK(holds(a, 1) && cow_storage_address(a) == bytes);
    cow_storage_free(a);
}

static void what_is_no_fill_changes_nothing(fixture *f)
{
    owned o;
    const cow_dataptr ptr = handle_on(&o, 1);
    cow_dataptr nothing = ptr;
    cow_storage *plain = make_filled(f->allocator, SIZE, 5);
    cow_storage *a = make_absent(f->allocator);
    cow_storage *window = make_window(a, 0, SIZE / 2);
    cow_error err = {""};
    nothing.data = NULL;
    if (!CHECK_STATUS(cow_storage_fill(a, nothing, SIZE, &err), COW_EINVAL)) {
        return;
    }
    CHECK(strncmp(err.text, "fill: ", 6) == 0);
    CHECK_STATUS(cow_storage_fill(a, ptr, SIZE - 1, &err), COW_EINVAL);
    CHECK_STATUS(cow_storage_fill(window, ptr, SIZE / 2, NULL), COW_EINVAL);
    CHECK_STATUS(cow_storage_fill(plain, ptr, SIZE, &err), COW_EPRESENT);
    CHECK_STATUS(cow_storage_fill(plain, ptr, SIZE - 1, NULL),
                 COW_EPRESENT); /* who comes late may have another's size */
    CHECK(strncmp(err.text, "fill: ", 6) == 0);
    CHECK_EQ(o.deleted, 0);
    check_doors_shut(f, a);
    CHECK(holds(plain, 5));
    CHECK_OK(cow_storage_fill(window, ptr, SIZE, NULL));
    CHECK(holds(a, 1));
    cow_storage_free(a);
    cow_storage_free(window);
    cow_storage_free(plain);
    CHECK_EQ(o.deleted, 1);
}

/* ---- after a fill: everything else as ever -------------------------------------------------------------------------- */

static void writes_after_a_fill(fixture *f)
{
    cow_storage *a = make_filled(f->allocator, SIZE, 0);
    cow_storage *b = make_clone(a);
    cow_storage *c = make_window(a, 100, 50);
    cow_const_scope reader;
    move_counting(f->allocator, a, 3); /* b and c still have the old address */
    CHECK(!cow_storage_is_sole(b));
    CHECK_OK(cow_const_begin(c, &reader, NULL));
    CHECK_OK(fill(a, 1));
    cow_storage_free(b);
    CHECK_OK(fill(c, 2)); /* the last share: stolen, where it lies by now */
    CHECK_EQ(stats_now().copies, 1);
    CHECK_EQ(stats_now().steals, 1);
    CHECK(((const char *)reader.data)[0] == 2 && reader.data == cow_storage_address(c));
    cow_const_end(&reader);
    CHECK(holds(a, 1) && holds(c, 2));
    cow_storage_free(a);
    cow_storage_free(c);
}

static void a_steal_finds_bytes_that_another_has_filled(fixture *f)
{
    cow_storage *a = make_filled(f->allocator, SIZE, 0);
    cow_storage *b = make_window(a, 30, 40);
    cow_mutable_scope writer;
    move_counting(f->allocator, a, 2);
    cow_storage_free(a);
    CHECK_OK(cow_mutable_begin(b, COW_NO_COPY | COW_TRY, &writer, NULL)); /* b's first door since then */
    CHECK(((const unsigned char *)writer.data)[0] == 30 && writer.data == cow_storage_address(b));
    cow_mutable_end(&writer);
    CHECK(counts_from(b, 30));
    CHECK_OK(cow_mutable_begin(b, COW_NO_COPY | COW_TRY, &writer, NULL));
    CHECK(writer.data == cow_storage_address(b));
    cow_mutable_end(&writer);
    cow_storage_free(b);
}

static void an_overwrite_finds_bytes_that_another_has_filled(fixture *f)
{
    cow_storage *a = make_filled(f->allocator, SIZE, 0);
    cow_storage *b = make_window(a, 30, 40);
    cow_overwrite_scope scope;
    move_counting(f->allocator, a, 2);
    CHECK_OK(cow_overwrite_begin(b, 0, &scope, NULL));
    CHECK(((const unsigned char *)scope.old)[0] == 30 && scope.old != scope.data);
    memset(scope.data, 1, scope.nbytes);
    CHECK_OK(cow_overwrite_commit(&scope, NULL, NULL));
    CHECK(holds(b, 1) && counts_from(a, 0));
    cow_storage_free(a);
    cow_storage_free(b);
}

/* ---- what happens while another allocates --------------------------------------------------------------------------- */

/* An allocator that does something in the middle of the next allocation of SIZE bytes, and then refuses it or not. */
typedef struct meddler {
    cow_allocator table;
    const cow_allocator *under;
    void (*meddle)(struct meddler *m);
    cow_storage *storage;
    cow_mutable_scope pin;
    bool refuses;
} meddler;

static void *meddler_alloc(void *self, size_t nbytes, size_t alignment)
{
    meddler *m = (meddler *)self;
    if (m->meddle != NULL && nbytes == SIZE) {
        void (*meddle)(meddler *) = m->meddle;
        m->meddle = NULL;
        meddle(m);
        if (m->refuses) {
            return NULL;
        }
    }
    return m->under->alloc(m->under->self, nbytes, alignment);
}

static void meddler_free(void *self, void *data, size_t nbytes, size_t alignment)
{
    meddler *m = (meddler *)self;
    m->under->free(m->under->self, data, nbytes, alignment);
}

static void meddler_clone(void *self, void *data, const void *source, size_t nbytes)
{
    meddler *m = (meddler *)self;
    m->under->clone(m->under->self, data, source, nbytes);
}

static void meddler_init(meddler *m, const cow_allocator *under)
{
    memset(m, 0, sizeof *m);
    m->table.name = "meddler";
    m->table.self = m;
    m->table.alloc = meddler_alloc;
    m->table.free = meddler_free;
    m->table.clone = meddler_clone;
    m->under = under;
}

static void evict_it(meddler *m)
{
    CHECK_OK(cow_storage_evict(m->storage, 2, NULL));
}

static void evict_and_fill_it(meddler *m)
{
    evict_it(m);
    CHECK_OK(bring(m->under, m->storage, 7));
}

static void a_writer_finds_the_bytes_gone_before_it_copies(fixture *f)
{
    for (int refuses = 0; refuses < 2; refuses++) {
        meddler m;
        cow_storage *a;
        meddler_init(&m, f->allocator);
        a = make_filled(&m.table, SIZE, 1);
        m.storage = make_clone(a);
        m.refuses = refuses != 0;
        m.meddle = evict_it;
        CHECK_STATUS(fill(a, 2), refuses ? COW_ENOMEM : COW_EABSENT);
        CHECK(m.meddle == NULL);
        CHECK_EQ(cow_storage_shares(a), 2);
        check_doors_shut(f, a);
        CHECK_OK(bring(f->allocator, a, 1));
        CHECK_OK(fill(a, 2)); /* not busy, and the lock is free */
        CHECK_OK(fill(m.storage, 3));
        CHECK(holds(a, 2) && holds(m.storage, 3));
        cow_storage_free(a);
        cow_storage_free(m.storage);
    }
}

static void a_writer_copies_the_bytes_that_are_there_by_then(fixture *f)
{
    meddler m;
    cow_storage *a;
    cow_mutable_scope writer;
    meddler_init(&m, f->allocator);
    a = make_filled(&m.table, SIZE, 1);
    m.storage = make_clone(a);
    m.meddle = evict_and_fill_it;
    CHECK_OK(cow_mutable_begin(a, 0, &writer, NULL));
    CHECK(all_bytes(writer.data, SIZE, 7)); /* in life the same value as before: the bytes were made again */
    cow_mutable_end(&writer);
    CHECK(holds(m.storage, 7));
    CHECK_EQ(stats_now().copies, 1);
    cow_storage_free(a);
    cow_storage_free(m.storage);
}

/* Its own thread is the one that materializes: busy, it is not to be evicted. */
static void evict_the_busy_one(meddler *m)
{
    check_kept(m->storage, 1, "materializing");
    check_kept(m->storage, 2, "materializing");
    CHECK(cow_storage_is_busy(m->storage));
}

static void a_busy_storage_is_not_evicted(fixture *f)
{
    meddler m;
    cow_storage *b;
    meddler_init(&m, f->allocator);
    m.storage = make_filled(&m.table, SIZE, 1);
    b = make_clone(m.storage);
    m.meddle = evict_the_busy_one;
    CHECK_OK(fill(m.storage, 2));
    CHECK(m.meddle == NULL && holds(b, 1));
    CHECK(!cow_storage_is_busy(m.storage) && !cow_storage_is_busy(b));
    cow_storage_free(m.storage);
    cow_storage_free(b);
}

static void evict_leave_and_fill_it(meddler *m)
{
    evict_it(m);
    cow_storage_free(m->storage);
    CHECK_OK(bring(m->under, m->pin.storage, 7));
}

static void a_writer_steals_the_bytes_that_were_filled_for_it_alone(fixture *f)
{
    meddler m;
    cow_storage *a;
    cow_mutable_scope writer;
    meddler_init(&m, f->allocator);
    a = make_filled(&m.table, SIZE, 1);
    m.storage = make_clone(a);
    m.pin.storage = a;
    m.meddle = evict_leave_and_fill_it;
    CHECK_OK(cow_mutable_begin(a, 0, &writer, NULL));
    CHECK(all_bytes(writer.data, SIZE, 7) && writer.data == cow_storage_address(a));
    cow_mutable_end(&writer);
    CHECK(cow_storage_is_sole(a) && holds(a, 7));
    CHECK_EQ(stats_now().copies, 0);
    cow_storage_free(a);
}

static void unpin_and_evict_it(meddler *m)
{
    cow_mutable_end(&m->pin);
    CHECK_OK(cow_storage_evict(m->storage, 1, NULL));
}

static void an_eager_clone_of_what_is_evicted_meanwhile_is_lazy(fixture *f)
{
    meddler m;
    cow_storage *made = NULL;
    meddler_init(&m, f->allocator);
    m.storage = make_filled(&m.table, SIZE, 1);
    CHECK_OK(cow_mutable_begin(m.storage, 0, &m.pin, NULL));
    m.meddle = unpin_and_evict_it;
    if (!CHECK_OK(cow_lazy_clone(m.storage, 0, SIZE, 0, &made, NULL))) {
        return;
    }
    CHECK(m.meddle == NULL && cow_storage_shares_with(made, m.storage));
    check_doors_shut(f, made);
    CHECK_EQ(stats_now().eager_copies, 0);
    CHECK_OK(bring(f->allocator, made, 4));
    CHECK(holds(m.storage, 4));
    cow_storage_free(made);
    cow_storage_free(m.storage);
}

/* Not while another thread copies, even if that thread's share is gone. */
static void *write_it(void *argument)
{
    CHECK_OK(fill((cow_storage *)argument, 2));
    return NULL;
}

static void bytes_that_are_copied_are_not_evicted(fixture *f)
{
    stopper s;
    cow_storage *a, *b, *c;
    pthread_t writer;
    stopper_init(&s, f->allocator);
    a = make_filled(&s.table, SIZE, 1);
    b = make_clone(a);
    c = make_clone(a);
    stopper_hold(&s);
    writer = spawn(write_it, a);
    stopper_wait(&s);
    check_kept(b, 2, "read");
    check_kept(b, 3, "share");
    stopper_release(&s);
    join(writer);
    CHECK(holds(a, 2));
    CHECK_OK(cow_storage_evict(b, 2, NULL));
    CHECK(holds(a, 2));
    check_doors_shut(f, c);
    cow_storage_free(a);
    cow_storage_free(b);
    cow_storage_free(c);
}

/* ---- threads ------------------------------------------------------------------------------------------------------- */

typedef struct race {
    start_line line;
    const cow_allocator *allocator;
    cow_storage *of[THREADS]; /* all share */
    cowi_atomic_uint number;
    cowi_atomic_uint won;
    cowi_atomic_uint evicted;
    cowi_atomic_uint filled;
    unsigned turns;
    void (*turn)(struct race *r, unsigned me, uint64_t *seed);
} race;

static void *run(void *argument)
{
    race *r = (race *)argument;
    const unsigned me = cowi_add_relaxed(&r->number, 1);
    uint64_t seed = me + 1;
    start_line_wait(&r->line);
    for (unsigned turn = 0; turn < r->turns; turn++) {
        r->turn(r, me, &seed);
    }
    return NULL;
}

static void run_race(race *r)
{
    pthread_t threads[THREADS];
    start_line_init(&r->line, THREADS);
    cowi_init(&r->number, 0);
    for (unsigned i = 0; i < THREADS; i++) {
        threads[i] = spawn(run, r);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        join(threads[i]);
    }
}

static void race_init(race *r, const cow_allocator *allocator, cow_storage *first)
{
    memset(r, 0, sizeof *r);
    cowi_init(&r->won, 0);
    cowi_init(&r->evicted, 0);
    cowi_init(&r->filled, 0);
    r->allocator = allocator;
    r->of[0] = first;
    for (unsigned i = 1; i < THREADS; i++) {
        r->of[i] = make_clone(r->of[i / 2]);
    }
}

static void race_close(race *r)
{
    for (unsigned i = 0; i < THREADS; i++) {
        cow_storage_free(r->of[i]);
    }
}

static void fill_with_my_number(race *r, unsigned me, uint64_t *seed)
{
    const cow_status status = bring(r->allocator, r->of[me], (int)me + 1);
    (void)seed;
    CHECK(status == COW_OK || status == COW_EPRESENT);
    if (status == COW_OK) {
        (void)cowi_add_relaxed(&r->won, me + 1); /* the sum of one number is that number */
        (void)cowi_add_relaxed(&r->filled, 1);
    }
    CHECK(!cow_storage_is_absent(r->of[me])); /* whoever lost finds the winner's bytes */
}

static void of_several_fillers_one_wins(fixture *f)
{
    for (unsigned round = rounds(200); round > 0; round--) {
        race r;
        race_init(&r, f->allocator, make_absent(f->allocator));
        r.turns = 1;
        r.turn = fill_with_my_number;
        run_race(&r);
        CHECK_EQ(cowi_load_relaxed(&r.filled), 1);
        for (unsigned i = 0; i < THREADS; i++) {
            CHECK(holds(r.of[i], (int)cowi_load_relaxed(&r.won)));
        }
        race_close(&r);
    }
}

static void evict_once(race *r, unsigned me, uint64_t *seed)
{
    const cow_status status = cow_storage_evict(r->of[me], THREADS, NULL);
    (void)seed;
    CHECK(status == COW_OK || status == COW_EABSENT);
    (void)cowi_add_relaxed(&r->evicted, status == COW_OK);
    CHECK(cow_storage_is_absent(r->of[me]));
}

static void of_several_evictors_one_frees(fixture *f)
{
    for (unsigned round = rounds(200); round > 0; round--) {
        race r;
        race_init(&r, f->allocator, make_filled(f->allocator, SIZE, 1));
        r.turns = 1;
        r.turn = evict_once;
        run_race(&r);
        CHECK_EQ(cowi_load_relaxed(&r.evicted), 1);
        race_close(&r);
    }
}

/* Opens a const scope, and fills where the bytes are absent: the value is always the same. */
static bool read_at_last(race *r, cow_storage *storage, int value)
{
    cow_const_scope scope;
    cow_status status;
    bool right;
    while ((status = cow_const_begin(storage, &scope, NULL)) == COW_EABSENT) {
        const cow_status brought = bring(r->allocator, storage, value);
        CHECK(brought == COW_OK || brought == COW_EPRESENT);
        (void)cowi_add_relaxed(&r->filled, brought == COW_OK);
    }
    CHECK_OK(status);
    right = scope.data != NULL && all_bytes(scope.data, scope.nbytes, value);
    cow_const_end(&scope);
    return right;
}

static cow_status write_at_last(race *r, cow_storage *storage, bool whole, int old, int value)
{
    cow_status status;
    do {
        if (whole) {
            cow_overwrite_scope scope;
            status = cow_overwrite_begin(storage, 0, &scope, NULL);
            if (status == COW_OK) {
                CHECK(all_bytes(scope.old, scope.nbytes, old));
                memset(scope.data, value, scope.nbytes);
                status = cow_overwrite_commit(&scope, NULL, NULL);
            }
        }
        else {
            cow_mutable_scope scope;
            status = cow_mutable_begin(storage, 0, &scope, NULL);
            if (status == COW_OK) {
                CHECK(all_bytes(scope.data, scope.nbytes, old));
                memset(scope.data, value, scope.nbytes);
                cow_mutable_end(&scope);
            }
        }
        if (status == COW_EABSENT) {
            const cow_status brought = bring(r->allocator, storage, old);
            CHECK(brought == COW_OK || brought == COW_EPRESENT);
            (void)cowi_add_relaxed(&r->filled, brought == COW_OK);
        }
    } while (status == COW_EABSENT);
    return status;
}

/* Reads, clones, writes to the clone, drops it, evicts for as many as there are just then, fills. */
static void do_anything(race *r, unsigned me, uint64_t *seed)
{
    cow_storage *mine = r->of[me];
    const uint64_t draw = next_random(seed);
    cow_status status;
    if (draw % 4 == 0) {
        const size_t managed = cow_storage_shares(mine); /* he may well be wrong by then */
        status = cow_storage_evict(mine, managed, NULL);
        CHECK(status == COW_OK || status == COW_EABSENT || status == COW_EBUSY);
        (void)cowi_add_relaxed(&r->evicted, status == COW_OK);
    }
    else if (draw % 4 == 1) {
        CHECK(read_at_last(r, mine, 1));
    }
    else {
        cow_storage *clone = make_window(mine, draw / 8 % 50, 100);
        const int value = 2 + (int)me;
        if (draw % 8 < 4) {
            CHECK(read_at_last(r, clone, 1));
        }
        CHECK_OK(write_at_last(r, clone, draw / 4 % 2 == 0, 1, value));
        CHECK(holds(clone, value)); /* its own: nobody else can evict it */
        if (draw / 16 % 2 == 0) {
            CHECK_OK(cow_storage_evict(clone, 1, NULL));
            CHECK(read_at_last(r, clone, value));
            CHECK_OK(write_at_last(r, clone, false, value, value + 1));
        }
        cow_storage_free(clone);
    }
}

static void bytes_come_and_go_under_everybodys_hands(fixture *f)
{
    race r;
    race_init(&r, f->allocator, make_filled(f->allocator, SIZE, 1));
    r.turns = rounds(5000);
    r.turn = do_anything;
    run_race(&r);
    CHECK(cowi_load_relaxed(&r.evicted) > 0 && cowi_load_relaxed(&r.filled) > 0);
    for (unsigned i = 0; i < THREADS; i++) {
        CHECK(read_at_last(&r, r.of[i], 1));
    }
    CHECK_EQ(cow_storage_shares(r.of[0]), THREADS);
    race_close(&r);
}

/* Sharers that all write, while one evicts: what each finds is what it had, and as many copies as ever. */
static void write_mine(race *r, unsigned me, uint64_t *seed)
{
    for (uint64_t turns = me == 0 ? 0 : next_random(seed) % 8; turns > 0; turns--) {
        (void)sched_yield(); /* a head start for the eviction, which has to be first */
    }
    if (me == 0) {
        const cow_status status = cow_storage_evict(r->of[0], THREADS, NULL);
        CHECK(status == COW_OK || status == COW_EBUSY);
        (void)cowi_add_relaxed(&r->evicted, status == COW_OK);
    }
    CHECK_OK(write_at_last(r, r->of[me], false, 1, (int)me + 2));
}

static void an_eviction_among_writers(fixture *f)
{
    for (unsigned round = rounds(500); round > 0; round--) {
        race r;
        const cow_stats before = stats_now();
        race_init(&r, f->allocator, make_filled(f->allocator, SIZE, 1));
        r.turns = 1;
        r.turn = write_mine;
        run_race(&r);
        for (unsigned i = 0; i < THREADS; i++) {
            CHECK(holds(r.of[i], (int)i + 2));
            CHECK_EQ(cow_storage_shares(r.of[i]), 1);
        }
        CHECK_EQ(stats_now().copies - before.copies, THREADS - 1);
        CHECK(cowi_load_relaxed(&r.filled) == cowi_load_relaxed(&r.evicted));
        race_close(&r);
    }
}

int main(int argc, char **argv)
{
    (void)argc;
    RUN(born_absent_takes_no_bytes);
    RUN(sizes_of_the_absent);
    RUN(lazy_clones_share_the_absence);
    RUN(absent_storages_are_dropped_one_by_one);
    RUN(eviction_frees_the_bytes_for_all_sharers);
    RUN(what_was_alone_is_alone_again);
    RUN(each_handle_is_deleted_once);
    RUN(bytes_that_are_taken_are_the_callers);
    RUN(sharers_have_one_allocation);
    RUN(a_clone_that_is_read_at_once_needs_bytes);
    RUN(a_clone_that_is_read_at_once_knows_where_the_bytes_are);
    RUN(sharers_outside_keep_the_bytes);
    RUN(open_scopes_keep_the_bytes);
    RUN(readers_left_behind_keep_the_bytes);
    RUN(foreign_bytes_are_not_evicted);
    RUN(what_is_no_fill_changes_nothing);
    RUN(writes_after_a_fill);
    RUN(a_steal_finds_bytes_that_another_has_filled);
    RUN(an_overwrite_finds_bytes_that_another_has_filled);
    RUN(a_writer_finds_the_bytes_gone_before_it_copies);
    RUN(a_writer_copies_the_bytes_that_are_there_by_then);
    RUN(a_busy_storage_is_not_evicted);
    RUN(a_writer_steals_the_bytes_that_were_filled_for_it_alone);
    RUN(an_eager_clone_of_what_is_evicted_meanwhile_is_lazy);
    RUN(bytes_that_are_copied_are_not_evicted);
    RUN(of_several_fillers_one_wins);
    RUN(of_several_evictors_one_frees);
    RUN(bytes_come_and_go_under_everybodys_hands);
    RUN(an_eviction_among_writers);
    return finish(argv[0]);
}
