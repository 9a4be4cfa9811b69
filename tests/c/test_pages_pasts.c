/* Whoever shares with a writer and is not read costs what the writer has changed, and keeps his values. */
#include "priced.h"

#include "maps.h"

#define KEPT 40
#define ENOUGH 40 /* pages of a window's own from which on it is taken over */

/* A clone with ENOUGH pages of its own: page i says i % 100. */
static cow_storage *make_worn(cow_storage *source)
{
    cow_storage *made = make_clone(source);
    for (size_t i = 0; i < ENOUGH; i++) {
        put_pages(made, i * 7, 1, (int)(i % 100));
    }
    return made;
}

static bool is_worn(cow_storage *storage)
{
    bool right = true;
    for (size_t i = 0; i < ENOUGH; i++) {
        right = right && pages_hold(storage, i * 7, 1, (int)(i % 100)) && pages_hold(storage, i * 7 + 1, 6, 7);
    }
    return right && pages_hold(storage, ENOUGH * 7, SIZE / PAGE - ENOUGH * 7, 7);
}

/* Shared and taken over: the writer has page 1000. */
static cow_storage *make_past(cow_storage *writer)
{
    cow_storage *kept = make_clone(writer);
    put_pages(writer, 1000, 1, 1);
    return kept;
}

static bool is_past(cow_storage *storage)
{
    return cow_storage_own_bytes(storage) <= 4 * PAGE && cow_storage_is_paged(storage) &&
           !cow_storage_is_absent(storage) && cow_storage_allocation(storage) == NULL;
}

/* ---- what it costs --------------------------------------------------------------------------------------------------- */

static void a_kept_generation_costs_what_changed_body(void)
{
    cow_storage *source = make_plain(), *writer = make_worn(source), *kept[KEPT];
    const void *address = cow_storage_address(writer);
    const size_t windows = figures().maps;
    for (size_t i = 0; i < KEPT; i++) {
        kept[i] = make_clone(writer);
        put_pages(writer, 1000 + i, 1, (int)i);
        put_pages(writer, 1000 + i, 1, (int)i + 1); /* not put aside again */
        CHECK(is_past(kept[i]));
        CHECK_EQ(cow_storage_own_bytes(kept[i]), PAGE);
    }
    CHECK_EQ(figures().maps, windows);
    CHECK(cow_storage_address(writer) == address);
    CHECK_EQ(stats_now().copies, 1); /* the first */
    for (size_t i = KEPT; i-- > 0;) {
        CHECK(pages_hold(kept[i], 1000 + i, KEPT - i, 7) && (i == 0 || pages_hold(kept[i], 999 + i, 1, (int)i)));
        CHECK(pages_hold(kept[i], 7, 1, 1) && cow_storage_allocation(kept[i]) != NULL);
    }
    CHECK(figures().maps > windows);
    for (size_t i = 0; i < KEPT; i++) {
        cow_storage_free(kept[i]);
    }
    CHECK(pages_hold(writer, 1000 + KEPT - 1, 1, KEPT) && pages_hold(writer, 273, 1, 39));
    cow_storage_free(writer);
    cow_storage_free(source);
}
IN_A_CHILD(a_kept_generation_costs_what_changed)

static void few_pages_are_copied_body(void)
{
    cow_storage *source = make_plain(), *writer = make_clone(source), *kept;
    put_pages(writer, 0, 20, 1);
    kept = make_past(writer);
    CHECK(cow_storage_allocation(kept) != NULL && pages_hold(kept, 1000, 1, 7));
    cow_storage_free(kept);
    cow_storage_free(writer);
    cow_storage_free(source);
}
IN_A_CHILD(few_pages_are_copied)

/* Where each is read, each needs a window, and regions that are copied each time are to get a base. */
static void what_is_always_read_is_soon_not_taken_over_body(void)
{
    cow_storage *source = make_plain(), *writer = make_worn(source), *later[200];
    size_t pasts = 0;
    for (size_t i = 0; i < 32; i++) {
        cow_storage *kept = make_clone(writer);
        put_pages(writer, 1000 + i, 1, 1);
        pasts += cow_storage_allocation(kept) == NULL;
        CHECK(pages_hold(kept, 1000 + i, 1, 7));
        cow_storage_free(kept);
    }
    CHECK(pasts >= 2 && pasts <= 12);
    pasts = 0;
    for (size_t i = 0; i < 200; i++) { /* and is again, once nobody reads */
        later[i] = make_clone(writer);
        put_pages(writer, 1000 + i, 1, 2);
        pasts += i >= 150 && cow_storage_allocation(later[i]) == NULL;
    }
    for (size_t i = 0; i < 200; i++) {
        CHECK(i % 50 != 0 || pages_hold(later[i], 1000 + i, 1, i < 32 ? 1 : 7));
        cow_storage_free(later[i]);
    }
    CHECK(pasts == 50);
    cow_storage_free(writer);
    cow_storage_free(source);
}
IN_A_CHILD(what_is_always_read_is_soon_not_taken_over)

/* ---- who keeps the bytes ----------------------------------------------------------------------------------------------- */

static void readers_keep_the_bytes_body(void)
{
    cow_storage *source = make_plain(), *writer = make_worn(source), *kept = make_clone(writer), *snapshot = NULL;
    cow_const_scope scope;
    REQUIRE(cow_const_begin(kept, &scope, NULL) == COW_OK);
    put_pages(writer, 0, 1, 50);
    CHECK(((const char *)scope.data)[0] == 0 && cow_storage_allocation(kept) != NULL);
    cow_const_end(&scope);
    cow_storage_free(kept);
    kept = make_clone(writer);
    REQUIRE(cow_lazy_clone(kept, 0, SIZE, COW_READS, &snapshot, NULL) == COW_OK);
    cow_storage_free(kept); /* its share and the writer's are two */
    put_pages(writer, 0, 1, 51);
    CHECK(*(const char *)cow_storage_address(snapshot) == 50);
    cow_storage_free(snapshot);
    CHECK(pages_hold(writer, 0, 1, 51));
    cow_storage_free(writer);
    cow_storage_free(source);
}
IN_A_CHILD(readers_keep_the_bytes)

static void several_sharers_have_one_past_body(void)
{
    cow_storage *source = make_plain(), *writer = make_worn(source);
    cow_storage *first = make_clone(writer), *second = make_clone(first), *part = NULL, *later;
    cow_const_scope scope;
    REQUIRE(cow_lazy_clone(writer, 7 * PAGE + 10, 20 * PAGE, 0, &part, NULL) == COW_OK);
    put_pages(writer, 7, 1, 60);
    CHECK(is_past(first) && cow_storage_shares(first) == 3);
    later = make_clone(first);
    CHECK(is_past(later) && cow_storage_shares_with(later, second));
    REQUIRE(cow_const_begin(part, &scope, NULL) == COW_OK);
    CHECK(((const char *)scope.data)[-10] == 1 && ((const char *)scope.data)[0] == 7);
    cow_const_end(&scope);
    CHECK(!is_past(first) && is_worn(second) && is_worn(later) && pages_hold(writer, 7, 1, 60));
    cow_storage_free(first);
    put_pages(second, 7, 1, 61);
    CHECK(is_worn(later) && pages_hold(second, 7, 1, 61));
    cow_storage_free(writer);
    cow_storage_free(part);
    cow_storage_free(second);
    CHECK(is_worn(later));
    cow_storage_free(later);
    cow_storage_free(source);
}
IN_A_CHILD(several_sharers_have_one_past)

/* ---- ends -------------------------------------------------------------------------------------------------------------- */

static void the_newest_inherits_the_window_body(void)
{
    cow_storage *source = make_plain(), *writer = make_worn(source);
    const void *address = cow_storage_address(writer);
    cow_storage *oldest = make_past(writer), *middle = make_clone(writer), *newest;
    size_t windows;
    put_pages(writer, 1000, 2, 2);
    newest = make_clone(writer);
    put_pages(writer, 0, 1, 3);
    windows = figures().maps;
    cow_storage_free(writer);
    CHECK_EQ(figures().maps, windows);
    CHECK(cow_storage_allocation(newest) == address && is_past(oldest) && is_past(middle));
    CHECK(pages_hold(newest, 0, 1, 0) && pages_hold(newest, 1000, 2, 2) && pages_hold(newest, 1002, 1, 7));
    put_pages(newest, 1000, 1, 4);
    CHECK(is_past(oldest) && is_past(middle));
    cow_storage_free(newest);
    CHECK(cow_storage_allocation(middle) == address);
    CHECK(pages_hold(middle, 1000, 1, 1) && pages_hold(middle, 1001, 1, 7) && pages_hold(middle, 7, 1, 1));
    cow_storage_free(oldest); /* before it is asked */
    put_pages(middle, 1, 1, 1);
    cow_storage_free(middle);
    cow_storage_free(source);
}
IN_A_CHILD(the_newest_inherits_the_window)

static void one_that_ends_leaves_its_pages_body(void)
{
    cow_storage *source = make_plain(), *writer = make_worn(source);
    cow_storage *kept[4];
    for (size_t i = 0; i < 4; i++) {
        kept[i] = make_clone(writer);
        put_pages(writer, 0, 1, 70 + (int)i);
        put_pages(writer, 1000 + i, 1, 1);
    }
    put_pages(writer, 1010, 3, 5);
    cow_storage_free(kept[1]);
    CHECK_EQ(cow_storage_own_bytes(kept[0]), 3 * PAGE); /* the page 0 that they share lies there once */
    cow_storage_free(kept[3]);                          /* which has more */
    CHECK_EQ(cow_storage_own_bytes(kept[2]), 6 * PAGE);
    CHECK(is_worn(kept[0]));
    CHECK(pages_hold(kept[2], 0, 1, 71) && pages_hold(kept[2], 1000, 2, 1) && pages_hold(kept[2], 1002, 11, 7));
    cow_storage_free(kept[0]);
    cow_storage_free(kept[2]);
    CHECK(pages_hold(writer, 0, 1, 73) && pages_hold(writer, 1000, 4, 1));
    cow_storage_free(writer);
    cow_storage_free(source);
}
IN_A_CHILD(one_that_ends_leaves_its_pages)

/* ---- writers ----------------------------------------------------------------------------------------------------------- */

static void a_writer_who_does_not_say_where_changes_nobody_else_body(void)
{
    cow_storage *source = make_plain(), *writer = make_worn(source), *kept[3];
    cow_mutable_scope scope;
    for (size_t i = 0; i < 3; i++) {
        kept[i] = make_clone(writer);
        put_pages(writer, 1000 + i, 1, 1);
    }
    REQUIRE(cow_mutable_begin(writer, COW_TRY, &scope, NULL) == COW_EBUSY);
    REQUIRE(cow_mutable_begin(writer, COW_NO_COPY, &scope, NULL) == COW_ECOPY);
    REQUIRE(cow_mutable_begin(writer, 0, &scope, NULL) == COW_OK);
    CHECK(!is_past(kept[2]) && is_past(kept[0]) && is_past(kept[1])); /* the older ones lie behind the newest */
    memset(scope.data, 9, SIZE);
    cow_mutable_end(&scope);
    for (size_t i = 0; i < 3; i++) {
        CHECK(pages_hold(kept[i], 7, 1, 1) && pages_hold(kept[i], 1000 + i, 3 - i, 7));
        CHECK(i == 0 || pages_hold(kept[i], 1000, i, 1));
        cow_storage_free(kept[i]);
    }
    CHECK(holds(writer, 9));
    cow_storage_free(writer);
    cow_storage_free(source);
}
IN_A_CHILD(a_writer_who_does_not_say_where_changes_nobody_else)

static void an_overwrite_and_a_give_up_change_nobody_else_body(void)
{
    cow_storage *source = make_plain(), *writer = make_worn(source), *kept = make_past(writer), *second;
    cow_overwrite_scope scope;
    REQUIRE(cow_overwrite_begin(writer, 0, &scope, NULL) == COW_OK);
    memset(scope.data, 5, SIZE);
    REQUIRE(cow_overwrite_commit(&scope, NULL, NULL) == COW_OK);
    CHECK(is_worn(kept) && holds(writer, 5));
    cow_storage_free(writer);
    writer = kept;
    second = make_past(writer);
    put_each(writer, 0, SIZE / PAGE, 8); /* and is given up */
    CHECK(is_worn(second) && pages_hold(writer, 0, SIZE / PAGE, 8));
    cow_storage_free(writer);
    CHECK(is_worn(second));
    cow_storage_free(second);
    cow_storage_free(source);
}
IN_A_CHILD(an_overwrite_and_a_give_up_change_nobody_else)

static void a_kept_one_is_written_to_body(void)
{
    cow_storage *source = make_plain(), *writer = make_worn(source), *kept = make_past(writer), *again;
    cow_mutable_scope scope;
    CHECK_STATUS(cow_mutable_begin(kept, COW_NO_COPY, &scope, NULL), COW_ECOPY);
    CHECK_STATUS(cow_mutable_begin(kept, COW_TRY, &scope, NULL), COW_EBUSY);
    CHECK(is_past(kept));
    put_pages(kept, 1001, 1, 2);
    CHECK(pages_hold(kept, 1000, 1, 7) && pages_hold(kept, 1001, 1, 2) && pages_hold(writer, 1001, 1, 7));
    again = make_past(kept);
    CHECK(is_past(again) && pages_hold(again, 1000, 1, 7) && pages_hold(kept, 1000, 1, 1));
    cow_storage_free(writer);
    cow_storage_free(kept);
    CHECK(pages_hold(again, 1001, 1, 2));
    cow_storage_free(again);
    cow_storage_free(source);
}
IN_A_CHILD(a_kept_one_is_written_to)

/* Two writers of one Storage use different pages, and a clone comes between them. */
static void a_scope_that_is_open_is_no_longer_enough_body(void)
{
    cow_storage *source = make_plain(), *writer = make_worn(source), *kept = make_past(writer), *eager;
    const cow_box box = {(ptrdiff_t)(1500 * PAGE), 1, 0, NULL, SIZE_MAX};
    cow_mutable_scope scope;
    REQUIRE(cow_mutable_begin_at(writer, &box, 0, &scope, NULL) == COW_OK);
    put_pages(writer, 1600, 1, 3); /* while it is pinned */
    eager = make_clone(writer);
    ((char *)scope.data)[1500 * PAGE] = 4;
    cow_mutable_end(&scope);
    CHECK(pages_hold(kept, 1500, 200, 7) && is_worn(kept));
    CHECK(pages_hold(eager, 1500, 1, 7) && pages_hold(eager, 1600, 1, 3) && pages_hold(writer, 1500, 1, 4));
    cow_storage_free(eager);
    cow_storage_free(kept);
    cow_storage_free(writer);
    cow_storage_free(source);
}
IN_A_CHILD(a_scope_that_is_open_is_no_longer_enough)

/* A part becomes the last sharer of a window that has pasts, and counts its pages from its own start. */
static void a_part_of_a_window_puts_the_right_pages_aside_body(void)
{
    cow_storage *source = make_plain(), *writer = make_worn(source), *kept = make_past(writer), *part = NULL;
    REQUIRE(cow_lazy_clone(writer, 600 * PAGE, 1000 * PAGE, 0, &part, NULL) == COW_OK);
    cow_storage_free(writer);
    put_pages(part, 100, 1, 5);
    put_pages(part, 390, 20, 6);
    CHECK_EQ(cow_storage_own_bytes(kept), 21 * PAGE);
    CHECK(pages_hold(kept, 600, 1000, 7) && is_worn(kept));
    CHECK(pages_hold(part, 100, 1, 5) && pages_hold(part, 390, 20, 6) && pages_hold(part, 410, 590, 7));
    cow_storage_free(part);
    CHECK(pages_hold(kept, 600, 1000, 7) && is_worn(kept));
    cow_storage_free(kept);
    cow_storage_free(source);
}
IN_A_CHILD(a_part_of_a_window_puts_the_right_pages_aside)

/* ---- others ------------------------------------------------------------------------------------------------------------ */

static void nobody_fills_or_evicts_a_past_body(void)
{
    cow_storage *source = make_plain(), *writer = make_worn(source), *kept = make_past(writer);
    cow_dataptr bytes = {kept, NULL, NULL};
    cow_error err = {""};
    CHECK_STATUS(cow_storage_evict(kept, 1, &err), COW_EBUSY);
    CHECK(strstr(err.text, "another array") != NULL);
    CHECK_STATUS(cow_storage_take(kept, 1, &bytes, NULL), COW_EBUSY);
    CHECK_STATUS(cow_storage_fill(kept, bytes, SIZE, NULL), COW_EPRESENT);
    CHECK(is_worn(kept));
    CHECK_OK(cow_storage_evict(kept, 1, NULL)); /* now it is its own */
    CHECK(cow_storage_is_absent(kept));
    CHECK_STATUS(put(kept, 0, 1), COW_EABSENT);
    cow_storage_free(kept);
    cow_storage_free(writer);
    cow_storage_free(source);
}
IN_A_CHILD(nobody_fills_or_evicts_a_past)

static void what_asks_for_pages_finds_them_body(void)
{
    cow_storage *source = make_plain(), *writer = make_worn(source), *kept = make_past(writer), *copy = NULL;
    size_t regions[4] = {9, 9, 9, 9};
    CHECK_EQ(cow_storage_own_regions(kept, regions, 4), 4);
    CHECK(regions[0] == ENOUGH * PAGE && regions[1] == PAGE); /* the one that was put aside */
    cow_storage_free(kept);
    kept = make_past(writer);
    CHECK_OK(cow_storage_page(kept, NULL));
    CHECK(pages_hold(kept, 1000, 1, 1));
    cow_storage_free(kept);
    kept = make_past(writer);
    CHECK_OK(cow_storage_rebase(kept, NULL));
    REQUIRE(cow_lazy_clone(kept, 0, SIZE, COW_READS | COW_TRY, &copy, NULL) == COW_OK);
    CHECK(*(const char *)cow_storage_address(copy) == 0);
    cow_storage_free(copy);
    cow_storage_free(kept);
    cow_storage_free(writer);
    cow_storage_free(source);
}
IN_A_CHILD(what_asks_for_pages_finds_them)

/* With no maps left, a past that is read is plain memory, and the older ones stay behind the writer. */
static void without_maps_a_past_is_plain_memory_body(void)
{
    cow_storage *source = make_plain(), *writer = make_worn(source), *kept[2];
    size_t others = 0;
    for (size_t i = 0; i < 2; i++) {
        kept[i] = make_clone(writer);
        put_pages(writer, 1000 + i, 1, 1);
    }
    while (cowi_maps_take(1)) {
        others++;
    }
    CHECK(pages_hold(kept[1], 1000, 1, 1) && pages_hold(kept[1], 1001, 1, 7) && pages_hold(kept[1], 273, 1, 39));
    CHECK(!cow_storage_is_paged(kept[1]) && is_past(kept[0]));
    CHECK(pages_hold(kept[0], 1000, 2, 7) && pages_hold(kept[0], 7, 1, 1));
    cowi_maps_return(others);
    for (size_t i = 0; i < 2; i++) {
        cow_storage_free(kept[i]);
    }
    cow_storage_free(writer);
    cow_storage_free(source);
}
IN_A_CHILD(without_maps_a_past_is_plain_memory)

/* ---- without memory ---------------------------------------------------------------------------------------------------- */

#define MANY 6 /* pages that the second write touches */

/* Puts aside, recalls, leaves and inherits, whatever fails on the way. Which of the writes have come off is returned: a bit each. */
static unsigned keep_some(cow_storage *writer, cow_storage *kept[4], const failing_plan *plan)
{
    unsigned written = 0;
    failing_begin(*plan);
    for (unsigned i = 0; i < 4; i++) {
        const ptrdiff_t dims[] = {i == 1 ? MANY : 1, (ptrdiff_t)(10 * PAGE)};
        const cow_box box = {(ptrdiff_t)((1000 + i) * PAGE), 1, 1, dims, SIZE_MAX};
        cow_mutable_scope scope;
        cow_status status;
        kept[i] = make_clone(writer);
        status = cow_mutable_begin_at(writer, i == 2 ? NULL : &box, 0, &scope, NULL);
        CHECK(status == COW_OK || status == COW_ENOMEM);
        if (status == COW_OK) {
            for (size_t page = 0; page < (size_t)dims[0]; page++) {
                ((char *)scope.data)[(1000 + i + 10 * page) * PAGE] = 1;
            }
            cow_mutable_end(&scope);
            written |= 1u << i;
        }
        if (i == 2) {
            cow_const_scope reader;
            status = cow_const_begin(kept[2], &reader, NULL);
            CHECK(status == COW_OK || status == COW_ENOMEM);
            if (status == COW_OK) {
                cow_const_end(&reader);
            }
        }
    }
    cow_storage_free(kept[1]);
    return written;
}

static bool is_right(cow_storage *storage, unsigned written)
{
    bool right = pages_hold(storage, 7, 1, 1) && pages_hold(storage, 1004, 1, 7);
    for (unsigned i = 0; i < 4; i++) {
        right = right && pages_hold(storage, 1000 + i, 1, written >> i & 1 ? 1 : 7);
    }
    for (size_t page = 1; page < MANY; page++) {
        right = right && pages_hold(storage, 1001 + 10 * page, 1, written & 2 ? 1 : 7);
    }
    return right;
}

static size_t keep_all_right(size_t at, bool onwards)
{
    const failing_plan plan = {at, onwards, false, false, false, false, 0},
                       none = {0, false, false, false, false, false, 0};
    cow_storage *source = make_plain(), *writer = make_worn(source), *kept[4];
    const unsigned written = keep_some(writer, kept, &plan);
    const size_t failed = failing_now().failed;
    failing_begin(none);
    CHECK(is_right(kept[0], 0) && is_right(kept[2], written & 3) && is_right(writer, written));
    cow_storage_free(writer);
    CHECK(is_right(kept[3], written & 7));
    cow_storage_free(kept[0]);
    cow_storage_free(kept[2]);
    cow_storage_free(kept[3]);
    cow_storage_free(source);
    return failed;
}

static void without_memory_nothing_changes_body(void)
{
    size_t tried = 0;
    for (size_t onwards = 0; onwards < 2; onwards++) {
        for (size_t at = 1; keep_all_right(at, onwards != 0) > 0; at++) {
            tried++;
        }
    }
    (void)printf("pasts: %zu calls made to fail\n", tried);
    CHECK(tried > 60);
}
IN_A_CHILD(without_memory_nothing_changes)

int main(void)
{
    see_whether_pages_are_granted();
    if (can_page) {
        RUN(a_kept_generation_costs_what_changed);
        RUN(few_pages_are_copied);
        RUN(what_is_always_read_is_soon_not_taken_over);
        RUN(readers_keep_the_bytes);
        RUN(several_sharers_have_one_past);
        RUN(the_newest_inherits_the_window);
        RUN(one_that_ends_leaves_its_pages);
        RUN(a_writer_who_does_not_say_where_changes_nobody_else);
        RUN(an_overwrite_and_a_give_up_change_nobody_else);
        RUN(a_kept_one_is_written_to);
        RUN(a_scope_that_is_open_is_no_longer_enough);
        RUN(a_part_of_a_window_puts_the_right_pages_aside);
        RUN(nobody_fills_or_evicts_a_past);
        RUN(what_asks_for_pages_finds_them);
        RUN(without_maps_a_past_is_plain_memory);
        RUN(without_memory_nothing_changes);
    }
    return finish("test_pages_pasts");
}
