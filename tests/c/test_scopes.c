/* Scopes, one thread: const scopes outlive their Storage; overwrite scopes commit, abort, and come late. */
#include "harness.h"

#define SIZE 500u

/* ---- const ------------------------------------------------------------------------------------------------------- */

static void const_scope_outlives_its_storage(fixture *f)
{
    cow_storage *a = make_filled(f->allocator, SIZE, 1);
    cow_const_scope scope;
    CHECK_OK(cow_const_begin(a, &scope, NULL));
    CHECK_EQ(scope.nbytes, SIZE);
    CHECK(scope.data == cow_storage_address(a));
    cow_storage_free(a);
    CHECK(all_bytes(scope.data, scope.nbytes, 1));
    cow_const_end(&scope);
    CHECK_EQ(report_of(f).live_blocks, 0);
}

static void const_scope_keeps_old_bytes_through_a_copy(fixture *f)
{
    cow_storage *a = make_filled(f->allocator, SIZE, 1);
    cow_storage *b = make_clone(a);
    cow_const_scope scope;
    CHECK_OK(cow_const_begin(a, &scope, NULL));
    CHECK_OK(fill(a, 2)); /* a moves away; what the scope sees is b's */
    CHECK(all_bytes(scope.data, scope.nbytes, 1));
    cow_storage_free(b);
    CHECK(all_bytes(scope.data, scope.nbytes, 1)); /* nobody's now but the scope's */
    cow_storage_free(a);
    CHECK(all_bytes(scope.data, scope.nbytes, 1));
    cow_const_end(&scope);
    CHECK_EQ(report_of(f).live_blocks, 0);
}

static void const_scope_holds_memory_through_a_steal(fixture *f)
{
    cow_storage *a = make_filled(f->allocator, SIZE, 1);
    cow_storage *b = make_clone(a);
    cow_const_scope scope;
    CHECK_OK(cow_const_begin(a, &scope, NULL));
    cow_storage_free(a);
    CHECK_OK(fill(b, 2)); /* a reference is no share: b is alone, and steals */
    CHECK(cow_storage_address(b) == scope.data);
    CHECK_EQ(stats_now().steals, 1);
    CHECK_EQ(report_of(f).cloned_bytes, 0);
    CHECK(all_bytes(scope.data, scope.nbytes, 2));
    cow_storage_free(b);
    CHECK(all_bytes(scope.data, scope.nbytes, 2));
    cow_const_end(&scope);
    CHECK_EQ(report_of(f).live_blocks, 0);
}

/* One thread may read its part of a Storage while another writes another part. Then the Storage moves on, and the last
 * sharer of what it leaves must not write there. */
static void last_sharer_copies_while_a_reader_is_left_behind(fixture *f)
{
    cow_storage *a = make_filled(f->allocator, SIZE, 1);
    cow_storage *b = make_clone(a);
    cow_const_scope scope;
    CHECK_OK(cow_const_begin(a, &scope, NULL));
    CHECK_OK(fill(a, 2));
    CHECK_EQ(cow_storage_shares(b), 1);
    CHECK_EQ(cow_storage_write_cost(b), SIZE);
    CHECK_OK(fill(b, 3));
    CHECK(all_bytes(scope.data, scope.nbytes, 1));
    CHECK(cow_storage_address(b) != scope.data);
    CHECK_EQ(stats_now().steals, 0);
    CHECK_EQ(stats_now().copies, 2);
    cow_const_end(&scope);
    CHECK_EQ(report_of(f).live_blocks, 2 * 2); /* two Storages, each with its bytes */
    cow_storage_free(a);
    cow_storage_free(b);
}

/* A reader that has no scope, but was told of: it is over when nobody knows, so what it reads is never stolen. */
static void what_is_spared_is_copied_by_the_last_sharer_and_freed(fixture *f)
{
    cow_storage *a = make_filled(f->allocator, SIZE, 1);
    cow_storage *b = make_clone(a);
    cow_storage *c;
    const unsigned char *read = (const unsigned char *)cow_storage_address(a);
    cow_storage_spare(a);
    CHECK_OK(fill(a, 2));
    c = make_clone(b);
    CHECK_OK(fill(b, 3));
    CHECK_EQ(cow_storage_shares(c), 1);
    CHECK_EQ(cow_storage_write_cost(c), SIZE);
    CHECK(all_bytes(read, SIZE, 1));
    CHECK_OK(fill(c, 4));
    CHECK_EQ(stats_now().steals, 0);
    CHECK_EQ(report_of(f).live_blocks, 3 * 2); /* three Storages, each with its bytes: the first ones are gone */
    cow_storage_spare(a);                      /* nobody to steal from: nothing to do */
    CHECK_OK(fill(a, 5));
    CHECK_EQ(stats_now().copies, 3);
    cow_storage_free(a);
    cow_storage_free(b);
    cow_storage_free(c);
}

static void last_sharer_steals_when_the_reader_has_gone(fixture *f)
{
    cow_storage *a = make_filled(f->allocator, SIZE, 1);
    cow_storage *b = make_clone(a);
    const void *address = cow_storage_address(a);
    cow_const_scope scope, own;
    CHECK_OK(cow_const_begin(a, &scope, NULL));
    CHECK_OK(cow_const_begin(b, &own, NULL)); /* its own reader is its own business */
    CHECK_OK(fill(a, 2));
    cow_const_end(&scope);
    CHECK_EQ(cow_storage_write_cost(b), 0);
    CHECK_OK(fill(b, 3));
    CHECK(cow_storage_address(b) == address);
    CHECK_EQ(stats_now().steals, 1);
    cow_const_end(&own);
    cow_storage_free(a);
    cow_storage_free(b);
}

static void left_readers_refuse_a_write_that_must_not_copy(fixture *f)
{
    cow_storage *a = make_filled(f->allocator, SIZE, 1);
    cow_storage *b = make_clone(a);
    cow_const_scope scope;
    cow_mutable_scope writer;
    CHECK_OK(cow_const_begin(a, &scope, NULL));
    CHECK_OK(fill(a, 2));
    CHECK_EQ(cow_mutable_begin(b, COW_NO_COPY, &writer, NULL), COW_ECOPY);
    CHECK_EQ(cow_storage_shares(b), 1);
    cow_const_end(&scope);
    CHECK_OK(cow_mutable_begin(b, COW_NO_COPY, &writer, NULL));
    cow_mutable_end(&writer);
    cow_storage_free(a);
    cow_storage_free(b);
}

static void overwriting_what_readers_are_left_in_copies_nothing(fixture *f)
{
    cow_storage *a = make_filled(f->allocator, SIZE, 1);
    cow_storage *b = make_clone(a);
    cow_overwrite_scope writer;
    cow_const_scope scope;
    CHECK_OK(cow_const_begin(a, &scope, NULL));
    CHECK_OK(fill(a, 2));
    CHECK_OK(cow_overwrite_begin(b, 0, &writer, NULL));
    memset(writer.data, 3, SIZE);
    CHECK_OK(cow_overwrite_commit(&writer, NULL, NULL));
    CHECK(all_bytes(scope.data, scope.nbytes, 1));
    CHECK_EQ(stats_now().copies, 1); /* a's */
    CHECK_EQ(stats_now().overwrites, 1);
    cow_const_end(&scope);
    cow_storage_free(a);
    cow_storage_free(b);
}

static void const_scope_of_a_window_sees_the_window(fixture *f)
{
    cow_storage *a = make_filled(f->allocator, SIZE, 1);
    cow_storage *window = make_window(a, 100, 7);
    cow_const_scope scope;
    CHECK_OK(cow_const_begin(window, &scope, NULL));
    CHECK(scope.data == (const char *)cow_storage_address(a) + 100);
    CHECK_EQ(scope.nbytes, 7);
    CHECK_EQ(cow_storage_shares(a), 2);
    cow_const_end(&scope);
    cow_storage_free(a);
    cow_storage_free(window);
}

static void who_shares_an_allocation_can_be_asked(fixture *f)
{
    cow_storage *a = make_filled(f->allocator, SIZE, 1);
    cow_storage *b = make_filled(f->allocator, SIZE, 2);
    cow_storage *c;
    cow_mutable_scope scope;
    CHECK(cow_storage_shares_with(a, a));
    CHECK(!cow_storage_shares_with(a, b)); /* neither has a context yet */
    c = make_window(a, 100, 7);
    CHECK(cow_storage_shares_with(a, c) && cow_storage_shares_with(c, a));
    CHECK(!cow_storage_shares_with(b, c));
    CHECK_OK(cow_mutable_begin(c, 0, &scope, NULL));
    CHECK(!cow_storage_shares_with(a, c));
    cow_mutable_end(&scope);
    cow_storage_free(a);
    cow_storage_free(b);
    cow_storage_free(c);
}

/* ---- overwrite --------------------------------------------------------------------------------------------------- */

static cow_overwrite_scope overwrite(cow_storage *storage)
{
    cow_overwrite_scope scope;
    REQUIRE(cow_overwrite_begin(storage, 0, &scope, NULL) == COW_OK);
    CHECK(scope.storage == storage);
    CHECK_EQ(scope.nbytes, cow_storage_nbytes(storage));
    return scope;
}

static void overwriting_a_sole_storage_is_in_place(fixture *f)
{
    cow_storage *a = make_filled(f->allocator, SIZE, 1);
    cow_overwrite_scope scope = overwrite(a);
    CHECK(scope.data == scope.old && scope.data == cow_storage_address(a));
    CHECK_EQ(cow_storage_pins(a), 1);
    memset(scope.data, 2, scope.nbytes);
    CHECK_OK(cow_overwrite_commit(&scope, NULL, NULL));
    CHECK_EQ(cow_storage_pins(a), 0);
    scope = overwrite(a);
    cow_overwrite_abort(&scope);
    CHECK_EQ(cow_storage_pins(a), 0);
    CHECK(holds(a, 2));
    CHECK_EQ(stats_now().overwrites, 0);
    cow_storage_free(a);
}

static void overwriting_the_last_share_steals(fixture *f)
{
    cow_storage *a = make_filled(f->allocator, SIZE, 1);
    cow_storage *b = make_clone(a);
    cow_overwrite_scope scope;
    cow_storage_free(a);
    scope = overwrite(b);
    CHECK(scope.data == scope.old);
    memset(scope.data, 2, scope.nbytes);
    CHECK_OK(cow_overwrite_commit(&scope, NULL, NULL));
    CHECK(holds(b, 2));
    CHECK_EQ(stats_now().steals, 1);
    CHECK_EQ(report_of(f).cloned_bytes, 0);
    cow_storage_free(b);
}

static void overwriting_a_shared_storage_copies_nothing(fixture *f)
{
    cow_storage *a = make_filled(f->allocator, SIZE, 1);
    cow_storage *b = make_clone(a);
    cow_overwrite_scope scope = overwrite(b);
    CHECK(scope.data != scope.old && scope.old == cow_storage_address(b));
    CHECK_EQ((uintptr_t)scope.data % COW_ALIGNMENT, 0);
    CHECK_EQ(cow_storage_shares(b), 3); /* the scope's, too */
    CHECK(all_bytes(scope.old, scope.nbytes, 1));
    memset(scope.data, 2, scope.nbytes);
    CHECK(holds(b, 1)); /* until the commit */
    CHECK_OK(cow_overwrite_commit(&scope, NULL, NULL));
    CHECK(cow_storage_address(b) == scope.data);
    CHECK(holds(a, 1) && holds(b, 2));
    CHECK_EQ(cow_storage_shares(a), 1);
    CHECK_EQ(cow_storage_write_cost(a), 0);
    CHECK_EQ(report_of(f).cloned_bytes, 0);
    CHECK_EQ(stats_now().overwrites, 1);
    CHECK_EQ(stats_now().copies + stats_now().bytes_copied, 0);
    cow_storage_free(a);
    cow_storage_free(b);
}

static void aborting_changes_nothing(fixture *f)
{
    cow_storage *a = make_filled(f->allocator, SIZE, 1);
    cow_storage *b = make_clone(a);
    const void *address = cow_storage_address(a);
    const size_t blocks = report_of(f).live_blocks;
    cow_overwrite_scope scope = overwrite(b);
    memset(scope.data, 2, scope.nbytes / 2);
    cow_overwrite_abort(&scope);
    CHECK(cow_storage_address(b) == address && holds(b, 1) && holds(a, 1));
    CHECK_EQ(cow_storage_shares(b), 2);
    CHECK_EQ(report_of(f).live_blocks, blocks);
    CHECK_EQ(stats_now().overwrites, 0);
    cow_storage_free(a);
    CHECK_EQ(cow_storage_write_cost(b), 0);
    cow_storage_free(b);
}

static void an_open_overwrite_keeps_the_old_values(fixture *f)
{
    cow_storage *a = make_filled(f->allocator, SIZE, 1);
    cow_storage *b = make_clone(a);
    cow_storage *meanwhile;
    cow_overwrite_scope scope = overwrite(b);
    CHECK_OK(fill(a, 3)); /* must not steal what the scope reads */
    CHECK(all_bytes(scope.old, scope.nbytes, 1));
    cow_storage_free(a);
    meanwhile = make_clone(b);
    memset(scope.data, 2, scope.nbytes);
    CHECK_OK(cow_overwrite_commit(&scope, NULL, NULL));
    CHECK(holds(b, 2) && holds(meanwhile, 1)); /* cloned before the commit */
    CHECK_EQ(stats_now().overwrites, 1);
    CHECK_EQ(cow_storage_shares(meanwhile), 1);
    cow_storage_free(meanwhile);
    cow_storage_free(b);
}

/* ---- commit to a pin --------------------------------------------------------------------------------------------- */

static void commit_hands_over_an_open_mutable_scope(fixture *f)
{
    for (int shared = 0; shared < 2; shared++) {
        cow_storage *a = make_filled(f->allocator, SIZE, 1);
        cow_storage *b = make_clone(a);
        cow_storage *eager;
        cow_overwrite_scope scope;
        cow_mutable_scope pinned;
        if (!shared) {
            cow_storage_free(a);
            a = NULL;
        }
        scope = overwrite(b);
        memset(scope.data, 2, scope.nbytes);
        CHECK_OK(cow_overwrite_commit(&scope, &pinned, NULL));
        CHECK(pinned.data == scope.data && pinned.data == cow_storage_address(b) && pinned.storage == b);
        CHECK_EQ(pinned.nbytes, SIZE);
        CHECK_EQ(cow_storage_pins(b), 1);
        CHECK_EQ(cow_storage_shares(b), 1);
        eager = make_clone(b);
        memset(pinned.data, 3, pinned.nbytes);
        CHECK(holds(b, 3) && holds(eager, 2));
        cow_mutable_end(&pinned);
        CHECK_EQ(cow_storage_pins(b), 0);
        CHECK(a == NULL || holds(a, 1));
        cow_storage_free(a);
        cow_storage_free(b);
        cow_storage_free(eager);
    }
}

/* ---- late: somebody gave the Storage other bytes between begin and commit ------------------------------------------ */

/* What a caller does when it comes late: the new values go into the bytes that are there now. */
static void finish_late(cow_overwrite_scope *scope)
{
    cow_mutable_scope pinned = {NULL, 0, NULL};
    cow_mutable_scope late;
    cow_error err = {""};
    const size_t pins = cow_storage_pins(scope->storage);
    CHECK_STATUS(cow_overwrite_commit(scope, &pinned, &err), COW_EMOVED);
    CHECK(pinned.storage == NULL && err.text[0] != '\0');
    CHECK_EQ(cow_storage_pins(scope->storage), pins);
    CHECK_OK(cow_mutable_begin(scope->storage, 0, &late, NULL));
    memcpy(late.data, scope->data, scope->nbytes);
    cow_mutable_end(&late);
    cow_overwrite_abort(scope);
}

static void late_commit_finds_the_bytes_of_the_other_writer(fixture *f)
{
    cow_storage *a = make_filled(f->allocator, SIZE, 1);
    cow_storage *b = make_clone(a);
    cow_overwrite_scope scope = overwrite(b);
    const void *address;
    CHECK_OK(fill(b, 3)); /* a callback of the computation, say */
    address = cow_storage_address(b);
    CHECK(all_bytes(scope.old, scope.nbytes, 1)); /* what the computation reads is as it was */
    memset(scope.data, 2, scope.nbytes);
    CHECK_STATUS(cow_overwrite_commit(&scope, NULL, NULL), COW_EMOVED);
    CHECK(holds(b, 3) && holds(a, 1)); /* nothing changed, and the scope is open */
    CHECK(all_bytes(scope.old, scope.nbytes, 1) && all_bytes(scope.data, scope.nbytes, 2));
    CHECK_EQ(cow_storage_shares(a), 2);
    finish_late(&scope);
    CHECK(cow_storage_address(b) == address && holds(b, 2) && holds(a, 1));
    CHECK_EQ(stats_now().bytes_copied, report_of(f).cloned_bytes);
    CHECK_EQ(stats_now().overwrites, 0);
    CHECK_EQ(cow_storage_shares(a), 1);
    cow_storage_free(a);
    cow_storage_free(b);
}

static void late_values_are_seen_by_a_writable_export(fixture *f)
{
    cow_storage *a = make_filled(f->allocator, SIZE, 1);
    cow_storage *b = make_clone(a);
    cow_overwrite_scope scope = overwrite(b);
    cow_mutable_scope exported;
    CHECK_OK(cow_mutable_begin(b, 0, &exported, NULL));
    memset(scope.data, 2, scope.nbytes);
    finish_late(&scope);
    CHECK(exported.data == cow_storage_address(b));
    CHECK(all_bytes(exported.data, exported.nbytes, 2)); /* an export aliases the array, commit or not */
    CHECK_EQ(cow_storage_pins(b), 1);
    cow_mutable_end(&exported);
    CHECK(holds(a, 1));
    cow_storage_free(a);
    cow_storage_free(b);
}

static void late_values_spare_a_clone_of_the_new_bytes(fixture *f)
{
    cow_storage *a = make_filled(f->allocator, SIZE, 1);
    cow_storage *b = make_clone(a);
    cow_overwrite_scope scope = overwrite(b);
    cow_storage *clone;
    CHECK_OK(fill(b, 3));
    clone = make_clone(b);
    memset(scope.data, 2, scope.nbytes);
    finish_late(&scope);
    CHECK(holds(b, 2) && holds(clone, 3) && holds(a, 1));
    cow_storage_free(a);
    cow_storage_free(b);
    cow_storage_free(clone);
}

static void two_overwrites_of_one_storage_both_end(fixture *f)
{
    for (int first_aborts = 0; first_aborts < 2; first_aborts++) {
        cow_storage *a = make_filled(f->allocator, SIZE, 1);
        cow_storage *b = make_clone(a);
        cow_overwrite_scope first = overwrite(b);
        cow_overwrite_scope second = overwrite(b);
        CHECK(first.data != second.data);
        memset(first.data, 2, first.nbytes);
        memset(second.data, 3, second.nbytes);
        if (first_aborts) {
            cow_overwrite_abort(&first);
            CHECK_OK(cow_overwrite_commit(&second, NULL, NULL));
        }
        else {
            CHECK_OK(cow_overwrite_commit(&first, NULL, NULL));
            CHECK(holds(b, 2));
            finish_late(&second);
        }
        CHECK(holds(b, 3) && holds(a, 1));
        CHECK_EQ(cow_storage_shares(a), 1);
        cow_storage_free(a);
        cow_storage_free(b);
    }
    CHECK_EQ(stats_now().overwrites, 2);
}

static void late_abort_leaves_the_other_writers_values(fixture *f)
{
    cow_storage *a = make_filled(f->allocator, SIZE, 1);
    cow_storage *b = make_clone(a);
    cow_overwrite_scope scope = overwrite(b);
    CHECK_OK(fill(b, 3));
    cow_overwrite_abort(&scope);
    CHECK(holds(b, 3) && holds(a, 1));
    cow_storage_free(a);
    cow_storage_free(b);
}

int main(int argc, char **argv)
{
    (void)argc;
    RUN(const_scope_outlives_its_storage);
    RUN(const_scope_keeps_old_bytes_through_a_copy);
    RUN(const_scope_holds_memory_through_a_steal);
    RUN(last_sharer_copies_while_a_reader_is_left_behind);
    RUN(what_is_spared_is_copied_by_the_last_sharer_and_freed);
    RUN(last_sharer_steals_when_the_reader_has_gone);
    RUN(left_readers_refuse_a_write_that_must_not_copy);
    RUN(overwriting_what_readers_are_left_in_copies_nothing);
    RUN(const_scope_of_a_window_sees_the_window);
    RUN(who_shares_an_allocation_can_be_asked);
    RUN(overwriting_a_sole_storage_is_in_place);
    RUN(overwriting_the_last_share_steals);
    RUN(overwriting_a_shared_storage_copies_nothing);
    RUN(aborting_changes_nothing);
    RUN(an_open_overwrite_keeps_the_old_values);
    RUN(commit_hands_over_an_open_mutable_scope);
    RUN(late_commit_finds_the_bytes_of_the_other_writer);
    RUN(late_values_are_seen_by_a_writable_export);
    RUN(late_values_spare_a_clone_of_the_new_bytes);
    RUN(two_overwrites_of_one_storage_both_end);
    RUN(late_abort_leaves_the_other_writers_values);
    return finish(argv[0]);
}
