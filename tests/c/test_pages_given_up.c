/* Pages end where they no longer pay, and only then: who writes much of a window, overwrites it or evicts it has plain
 * memory or none afterwards, with the same values. Nothing moves while it is pinned. */
#include "paging.h"

/* ---- giving up --------------------------------------------------------------------------------------------------- */

static void who_writes_much_gets_plain_memory(fixture *f)
{
    cow_storage *first = make_large(7), *second = make_clone(first);
    const uint64_t before = figures().give_ups;
    (void)f;
    use(COW_PAGING_EAGER);
    for (size_t at = 0; at < LARGE; at += PAGE) {
        CHECK_OK(put(second, at, (int)(at / PAGE % 5)));
    }
    CHECK_EQ(cow_storage_is_paged(second), 0);
    CHECK_EQ(figures().give_ups - before, can_page);
    for (size_t at = 0; at < LARGE; at += PAGE) {
        REQUIRE(get(second, at) == (int)(at / PAGE % 5) && get(second, at + 1) == 7);
    }
    CHECK(holds(first, 7));
    cow_storage_free(first);
    cow_storage_free(second);
    nothing_is_left();
}

static void same_page_again_and_again_is_no_reason(fixture *f)
{
    cow_storage *first, *second;
    (void)f;
    use(COW_PAGING_EAGER);
    for (int skipped = 0; skipped < 64; skipped++) { /* what the last give-up has left */
        first = make_large(7);
        second = make_clone(first);
        CHECK_OK(put(second, 0, 1));
        skipped = cow_storage_is_paged(second) ? 64 : skipped;
        if (skipped == 64) {
            for (int i = 0; i < 3000; i++) {
                REQUIRE(put(second, (size_t)i, i % 100) == COW_OK);
            }
            CHECK_EQ(cow_storage_is_paged(second), can_page);
            CHECK(get(second, 2999) == 99 && get(second, 3000) == 7);
        }
        cow_storage_free(second);
        cow_storage_free(first);
    }
    nothing_is_left();
}

/* 40 runs, each of which may lie in two pages, as far as their length tells: more than a window may have written. Few do. But each
 * such write looks at the whole window, so it is not to go on for ever. */
static void rows_that_are_its_own_already_are_no_reason(fixture *f)
{
    const ptrdiff_t rows[] = {40, 12000};
    const cow_box box = {0, 600, 1, rows, SIZE_MAX};
    cow_storage *first = make_large(7), *second = make_clone(first);
    cow_mutable_scope scope;
    (void)f;
    use(COW_PAGING_EAGER);
    for (int i = 0; i < 20; i++) {
        REQUIRE(cow_mutable_begin_at(second, &box, 0, &scope, NULL) == COW_OK);
        for (ptrdiff_t row = 0; row < rows[0]; row++) {
            memset((char *)scope.data + row * rows[1], i, 600);
        }
        cow_mutable_end(&scope);
        CHECK_EQ(cow_storage_is_paged(second), can_page);
    }
    CHECK(get(second, 0) == 19 && get(second, 600) == 7 && holds(first, 7));
    for (int i = 0; i < 20; i++) {
        REQUIRE(cow_mutable_begin_at(second, &box, 0, &scope, NULL) == COW_OK);
        cow_mutable_end(&scope);
    }
    CHECK_EQ(cow_storage_is_paged(second), 0);
    CHECK(get(second, 0) == 19 && get(second, 600) == 7 && holds(first, 7));
    cow_storage_free(first);
    cow_storage_free(second);
    nothing_is_left();
}

static void write_each_page(cow_storage *storage)
{
    for (size_t at = 0; at < LARGE; at += PAGE) {
        CHECK_OK(put(storage, at, 1));
    }
}

static void stolen_pages_are_given_up_as_before(fixture *f)
{
    cow_storage *first = make_large(7), *second;
    (void)f;
    use(COW_PAGING_EAGER);
    second = make_paged(first);
    cow_storage_free(make_clone(second));
    CHECK_OK(put(second, 1, 7)); /* the last sharer of pages */
    CHECK_EQ(cow_storage_is_paged(second), can_page);
    write_each_page(second);
    CHECK_EQ(cow_storage_is_paged(second), 0);
    cow_storage_free(first);
    cow_storage_free(second);
    nothing_is_left();
}

/* A window at rest that somebody steals to write all over it. */
static void stolen_pages_are_looked_at_before_the_first_write(fixture *f)
{
    const ptrdiff_t dims[] = {(ptrdiff_t)(LARGE / PAGE), (ptrdiff_t)PAGE};
    const cow_box each = {0, 1, 1, dims, SIZE_MAX};
    cow_storage *first = make_large(7), *second, *third;
    const uint64_t before = figures().give_ups;
    cow_mutable_scope scope;
    (void)f;
    use(COW_PAGING_EAGER);
    second = make_paged(first);
    third = make_clone(second);
    CHECK_OK(put(third, 0, 1)); /* second is at rest */
    cow_storage_free(third);
    CHECK_STATUS(cow_mutable_begin_at(second, &each, COW_TRY, &scope, NULL), can_page ? COW_EBUSY : COW_OK);
    if (!can_page) {
        cow_mutable_end(&scope);
    }
    CHECK_OK(cow_mutable_begin_at(second, &each, 0, &scope, NULL));
    cow_mutable_end(&scope);
    CHECK_EQ(figures().give_ups - before, can_page);
    CHECK(!cow_storage_is_paged(second) && holds(second, 7) && holds(first, 7));
    cow_storage_free(first);
    cow_storage_free(second);
    nothing_is_left();
}

static void stolen_pages_are_overwritten_elsewhere(fixture *f)
{
    cow_storage *first = make_large(7), *second, *third;
    cow_overwrite_scope scope;
    (void)f;
    use(COW_PAGING_EAGER);
    second = make_paged(first);
    third = make_clone(second);
    cow_storage_free(third); /* second could steal its pages */
    REQUIRE(cow_overwrite_begin(second, 0, &scope, NULL) == COW_OK);
    CHECK((scope.data != scope.old) == can_page);
    memset(scope.data, 3, LARGE);
    CHECK_OK(cow_overwrite_commit(&scope, NULL, NULL));
    CHECK(holds(second, 3) && holds(first, 7) && !cow_storage_is_paged(second));
    cow_storage_free(first);
    cow_storage_free(second);
    nothing_is_left();
}

/* ---- pins and waiting -------------------------------------------------------------------------------------------- */

static void nothing_moves_while_it_is_pinned(fixture *f)
{
    cow_storage *first = make_large(7), *second;
    const cow_box box = {0, 1, 0, NULL, SIZE_MAX};
    cow_mutable_scope pinned;
    (void)f;
    use(COW_PAGING_EAGER);
    second = make_paged(first);
    REQUIRE(cow_mutable_begin_at(second, &box, 0, &pinned, NULL) == COW_OK);
    for (size_t at = 0; at < LARGE; at += PAGE) {
        CHECK_OK(put(second, at, 1));
    }
    ((char *)pinned.data)[1] = 9; /* seen only if it is still the place */
    CHECK_EQ(get(second, 1), 9);
    CHECK(cow_storage_address(second) == pinned.data);
    cow_mutable_end(&pinned);
    CHECK_OK(put(second, 0, 2));
    CHECK_EQ(cow_storage_is_paged(second), 0);
    CHECK(get(second, 1) == 9 && get(second, PAGE) == 1 && get(second, PAGE + 1) == 7);
    cow_storage_free(first);
    cow_storage_free(second);
    nothing_is_left();
}

static void try_says_busy_before_a_look(fixture *f)
{
    cow_storage *first = make_large(7), *second;
    const cow_box all = {0, (ptrdiff_t)LARGE, 0, NULL, SIZE_MAX};
    cow_mutable_scope scope;
    (void)f;
    use(COW_PAGING_EAGER);
    second = make_paged(first);
    CHECK_STATUS(cow_mutable_begin_at(second, &all, COW_TRY, &scope, NULL), can_page ? COW_EBUSY : COW_OK);
    if (!can_page) {
        cow_mutable_end(&scope);
    }
    CHECK_EQ(cow_storage_write_cost(second), can_page ? LARGE : 0);
    CHECK_OK(cow_mutable_begin_at(second, &all, COW_NO_COPY, &scope, NULL));
    cow_mutable_end(&scope);
    CHECK_EQ(cow_storage_is_paged(second), can_page);
    CHECK_OK(cow_mutable_begin_at(second, &all, 0, &scope, NULL));
    cow_mutable_end(&scope);
    CHECK_EQ(cow_storage_is_paged(second), 0);
    CHECK(holds(second, 7));
    cow_storage_free(first);
    cow_storage_free(second);
    nothing_is_left();
}

/* ---- overwriting ------------------------------------------------------------------------------------------------- */

static const void *keep_block(void)
{
    cow_storage *block = make_large(1);
    const void *at = cow_storage_address(block);
    cow_storage_free(block);
    return at;
}

static void kept_blocks_serve_plain_copies_only(fixture *f)
{
    cow_storage *first = make_large(7), *second, *block;
    const cow_box all = {0, (ptrdiff_t)LARGE, 0, NULL, SIZE_MAX};
    cow_mutable_scope scope;
    const void *kept;
    (void)f;
    use(COW_PAGING_EAGER);
    second = make_paged(first);
    cow_storage_free(second);
    second = make_clone(first);
    kept = keep_block();
    CHECK_OK(put(second, 0, 7));
    if (can_page) { /* neither the base nor the window has taken it */
        block = make_large(1);
        CHECK(cow_storage_address(block) == kept);
        cow_storage_free(block);
        CHECK_OK(cow_mutable_begin_at(second, &all, 0, &scope, NULL)); /* given up */
        CHECK(scope.data == kept);
        cow_mutable_end(&scope);
    }
    cow_storage_free(first);
    cow_storage_free(second);
    nothing_is_left();
}

static void overwriting_pages_copies_none(fixture *f)
{
    cow_storage *first = make_large(7), *second;
    cow_overwrite_scope scope;
    uint64_t before;
    (void)f;
    use(COW_PAGING_EAGER);
    second = make_paged(first);
    before = stats_now().bytes_copied;
    REQUIRE(cow_overwrite_begin(second, 0, &scope, NULL) == COW_OK);
    CHECK((scope.data != scope.old) == can_page);
    memset(scope.data, 3, LARGE);
    CHECK_OK(cow_overwrite_commit(&scope, NULL, NULL));
    CHECK(holds(second, 3) && holds(first, 7));
    CHECK_EQ(cow_storage_is_paged(second), 0);
    CHECK_EQ(stats_now().bytes_copied, before);
    REQUIRE(cow_overwrite_begin(first, 0, &scope, NULL) == COW_OK);
    cow_overwrite_abort(&scope);
    CHECK(holds(first, 7));
    cow_storage_free(first);
    cow_storage_free(second);
    nothing_is_left();
}

static void pinned_pages_are_overwritten_in_place(fixture *f)
{
    const cow_box box = {0, 1, 0, NULL, SIZE_MAX};
    cow_storage *first = make_large(7), *second;
    cow_mutable_scope pinned;
    cow_overwrite_scope scope;
    (void)f;
    use(COW_PAGING_EAGER);
    second = make_paged(first);
    REQUIRE(cow_mutable_begin_at(second, &box, 0, &pinned, NULL) == COW_OK);
    REQUIRE(cow_overwrite_begin(second, 0, &scope, NULL) == COW_OK);
    CHECK(scope.data == pinned.data && scope.old == pinned.data);
    memset(scope.data, 3, LARGE);
    CHECK_OK(cow_overwrite_commit(&scope, NULL, NULL));
    CHECK(((char *)pinned.data)[1] == 3);
    cow_mutable_end(&pinned);
    CHECK(holds(second, 3) && holds(first, 7));
    cow_storage_free(first);
    cow_storage_free(second);
    nothing_is_left();
}

/* ---- eviction ---------------------------------------------------------------------------------------------------- */

static void delete_large(void *data, void *context, size_t nbytes)
{
    (void)context;
    cow_heap()->free(cow_heap()->self, data, nbytes, COW_ALIGNMENT);
}

static void evicted_pages_take_their_base_along(fixture *f)
{
    cow_storage *first = make_large(7), *second = make_clone(first);
    cow_dataptr taken;
    (void)f;
    use(COW_PAGING_EAGER);
    CHECK_OK(put(second, 0, 1));
    CHECK_OK(cow_storage_evict(first, 1, NULL));
    CHECK_EQ(figures().base_files, cow_storage_is_paged(second));
    CHECK(holds_between(second, 1, LARGE, 7));
    CHECK_OK(cow_storage_take(second, 1, &taken, NULL));
    CHECK_OK(cow_storage_fill(second, taken, LARGE, NULL));
    CHECK_OK(put(second, 1, 2));
    CHECK(get(second, 0) == 1 && get(second, 1) == 2 && holds_between(second, 2, LARGE, 7));
    CHECK_OK(cow_storage_evict(second, 1, NULL));
    nothing_is_left();
    cow_storage_free(first);
    cow_storage_free(second);
}

/* What was equal to the old bytes is not to the new. */
static void evicted_bytes_come_back_without_their_shadow(fixture *f)
{
    cow_storage *first = make_large(7), *second = make_clone(first), *third;
    cow_dataptr fresh;
    (void)f;
    use(COW_PAGING_EAGER);
    CHECK_OK(put(second, 0, 1));
    CHECK_OK(cow_storage_evict(first, 1, NULL));
    fresh.data = cow_heap()->alloc(cow_heap()->self, LARGE, COW_ALIGNMENT);
    REQUIRE(fresh.data != NULL);
    memset(fresh.data, 8, LARGE);
    fresh.context = NULL;
    fresh.deleter = delete_large;
    CHECK_OK(cow_storage_fill(first, fresh, LARGE, NULL));
    third = make_clone(first);
    CHECK_OK(put(third, 0, 2));
    CHECK(get(third, 0) == 2 && holds_between(third, 1, LARGE, 8) && holds(first, 8));
    CHECK(get(second, 0) == 1 && holds_between(second, 1, LARGE, 7));
    cow_storage_free(first);
    cow_storage_free(second);
    cow_storage_free(third);
    nothing_is_left();
}

static void pages_that_come_back_are_given_up_as_before(fixture *f)
{
    cow_storage *first = make_large(7), *second, *other = NULL;
    cow_dataptr taken;
    (void)f;
    use(COW_PAGING_EAGER);
    second = make_paged(first);
    REQUIRE(cow_storage_new_absent(cow_heap(), LARGE, &other, NULL) == COW_OK);
    CHECK_OK(cow_storage_take(second, 1, &taken, NULL));
    CHECK_OK(cow_storage_fill(other, taken, LARGE, NULL));
    CHECK_EQ(cow_storage_is_paged(other), can_page);
    write_each_page(other);
    CHECK_EQ(cow_storage_is_paged(other), 0);
    cow_storage_free(first);
    cow_storage_free(other);
    cow_storage_free(second);
    nothing_is_left();
}

int main(void)
{
    see_whether_pages_are_granted();
    RUN(kept_blocks_serve_plain_copies_only);
    RUN(overwriting_pages_copies_none);
    RUN(evicted_pages_take_their_base_along);
    RUN(evicted_bytes_come_back_without_their_shadow);
    RUN(pages_that_come_back_are_given_up_as_before);
    RUN(stolen_pages_are_given_up_as_before);
    RUN(stolen_pages_are_looked_at_before_the_first_write);
    RUN(stolen_pages_are_overwritten_elsewhere);
    RUN(pinned_pages_are_overwritten_in_place);
    RUN(who_writes_much_gets_plain_memory);
    RUN(same_page_again_and_again_is_no_reason);
    RUN(rows_that_are_its_own_already_are_no_reason);
    RUN(nothing_moves_while_it_is_pinned);
    RUN(try_says_busy_before_a_look);
    return finish("test_pages_given_up");
}
