/* Which writes get pages, which regions of them are copied whole, and when pages are given up: each threshold is a number,
 * at prices of a made-up machine. */
#include "priced.h"

static cow_status begin_box(cow_storage *storage, const cow_box *box)
{
    cow_mutable_scope scope;
    const cow_status status = cow_mutable_begin_at(storage, box, 0, &scope, NULL);
    if (status == COW_OK) {
        cow_mutable_end(&scope);
    }
    return status;
}

/* Whether a writer of that box gets pages, and how many bytes are copied at once. */
static bool is_paged_for(const cow_box *box, uint64_t *copied)
{
    cow_storage *source = make_plain(), *clone = make_clone(source);
    const uint64_t before = copied_now();
    bool paged;
    CHECK_OK(begin_box(clone, box));
    paged = cow_storage_is_paged(clone) != 0;
    if (copied != NULL) {
        *copied = copied_now() - before;
    }
    cow_storage_free(clone);
    cow_storage_free(source);
    return paged;
}

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

/* Half of the window's price: 487 pages at 2.1 are the most. */
static void boxes_cost_what_they_touch_body(void)
{
    const ptrdiff_t columns[] = {64, 100, 1, 8192};           /* 100 rows of 64 bytes, the inner dimension first */
    const ptrdiff_t empty[] = {1000000, 0, PAGE, PAGE};       /* nothing */
    const ptrdiff_t broadcast[] = {100000, 3, 0, PAGE};       /* the same three again and again */
    const ptrdiff_t close[] = {3200, 128};                    /* 100 pages, many bytes in each */
    const ptrdiff_t all[] = {(ptrdiff_t)(SIZE / PAGE), PAGE}; /* one byte of each page */
    const ptrdiff_t most[] = {487, PAGE}, too_many[] = {488, PAGE};
    const cow_box boxes[] = {{0, 1, 2, columns, SIZE_MAX}, {0, 1, 2, empty, SIZE_MAX}, {0, 1, 2, broadcast, SIZE_MAX},
                             {0, 1, 1, close, SIZE_MAX},   {0, 1, 1, all, 1},          {0, 1, 1, most, SIZE_MAX}};
    const cow_box dear[] = {{0, 1, 1, all, SIZE_MAX}, {0, 1, 1, too_many, SIZE_MAX}, {0, SIZE / 2, 0, NULL, SIZE_MAX}};
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++) {
        CHECK(is_paged_for(&boxes[i], NULL));
    }
    for (size_t i = 0; i < sizeof dear / sizeof *dear; i++) {
        CHECK(!is_paged_for(&dear[i], NULL));
    }
}
IN_A_CHILD(boxes_cost_what_they_touch)

/* Where in a page a run begins is known up to the alignment of its bytes, and of the window. */
static void runs_touch_the_page_they_end_in_body(void)
{
    const ptrdiff_t rows[] = {10, 3 * PAGE}, odd[] = {10, 3 * PAGE + 8};
    const cow_box boxes[] = {{4032, 64, 0, NULL, SIZE_MAX}, {4088, 16, 0, NULL, SIZE_MAX},
                             {0, PAGE, 0, NULL, SIZE_MAX},  {0, 64, 1, rows, SIZE_MAX},
                             {0, 64, 1, odd, SIZE_MAX},     {0, 64, 1, rows, 3},
                             {0, 24, 1, rows, 3},           {8, 2 * PAGE, 0, NULL, SIZE_MAX}};
    const size_t wanted[] = {1, 2, 2, 10, 20, 3, 6, 3};
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++) {
        CHECK_EQ(cow_box_pages(&boxes[i], SIZE), wanted[i]);
    }
}
IN_A_CHILD(runs_touch_the_page_they_end_in)

/* No array has so many dimensions: who says so says nothing. */
static void boxes_of_too_many_dimensions_say_nothing_body(void)
{
    enum { DIMENSIONS = 4000 };
    static ptrdiff_t dims[2 * DIMENSIONS];
    cow_box box = {0, 1, DIMENSIONS, dims, SIZE_MAX};
    for (size_t i = 0; i < DIMENSIONS; i++) {
        dims[i] = 2;
        dims[DIMENSIONS + i] = 1;
    }
    CHECK_EQ(cow_box_pages(&box, SIZE), SIZE / PAGE + 1);
    CHECK(!is_paged_for(&box, NULL));
}
IN_A_CHILD(boxes_of_too_many_dimensions_say_nothing)

/* Of a region of which three quarters of a copy would be paid for pages, a copy is made. */
static void dense_regions_are_copied_whole_body(void)
{
    const ptrdiff_t sparse[] = {DENSE - 1, PAGE}, dense[] = {DENSE, PAGE};
    const ptrdiff_t backwards[] = {DENSE, -(ptrdiff_t)PAGE};
    const ptrdiff_t overlapping[] = {150, 4097, 4098, 1}; /* 151 pages, of which two rows touch each */
    const ptrdiff_t all[] = {(ptrdiff_t)(SIZE / PAGE), PAGE};
    const ptrdiff_t across[] = {2 * DENSE, PAGE};
    const ptrdiff_t one_region[] = {REGION / 8, 8}, two_regions[] = {REGION / 4, 8};
    const ptrdiff_t second = (ptrdiff_t)(REGION + 16 * PAGE), third = (ptrdiff_t)(2 * REGION);
    const cow_box boxes[] = {{second, 1, 1, sparse, SIZE_MAX},
                             {second, 1, 1, dense, SIZE_MAX},
                             {third - 1, 1, 1, backwards, SIZE_MAX},
                             {second, 1, 2, overlapping, SIZE_MAX},
                             {0, 1, 1, all, 1},
                             {third - DENSE * (ptrdiff_t)PAGE, 1, 1, across, SIZE_MAX},
                             {(ptrdiff_t)REGION, 8, 1, one_region, DENSE},
                             {(ptrdiff_t)REGION, 8, 1, two_regions, DENSE},
                             {(ptrdiff_t)REGION, 8, 1, two_regions, 2 * DENSE}};
    const size_t wanted[] = {0, REGION, REGION, 0, 0, 2 * REGION, REGION, 0, 2 * REGION};
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++) {
        uint64_t copied = 0;
        CHECK(is_paged_for(&boxes[i], &copied));
        CHECK_EQ(copied, wanted[i]);
    }
}
IN_A_CHILD(dense_regions_are_copied_whole)

static void copied_regions_hold_their_values_body(void)
{
    cow_storage *source = make_plain(), *clone = make_clone(source), *next;
    put_pages(clone, 512 - DENSE, 2 * DENSE, 1); /* two regions side by side */
    CHECK(pages_hold(clone, 0, 512 - DENSE, 7) && pages_hold(clone, 512 - DENSE, 2 * DENSE, 1));
    CHECK(pages_hold(clone, 512 + DENSE, SIZE / PAGE - 512 - DENSE, 7));
    next = make_clone(clone);
    put_pages(next, 0, 1, 2);
    CHECK(cow_storage_is_paged(next));
    CHECK(pages_hold(next, 512 - DENSE, 2 * DENSE, 1) && pages_hold(next, 512 + DENSE, 1000, 7));
    CHECK(pages_hold(source, 0, SIZE / PAGE, 7));
    cow_storage_free(source);
    cow_storage_free(clone);
    CHECK(pages_hold(next, 512 - DENSE, 2 * DENSE, 1) && pages_hold(next, 0, 1, 2));
    cow_storage_free(next);
}
IN_A_CHILD(copied_regions_hold_their_values)

static void only_aligned_windows_of_ours_are_paged_body(void)
{
    cow_storage *source = make_plain(), *part = make_window(source, 64, SIZE - 128);
    cow_storage *odd = make_window(source, 32, SIZE - 128), *foreign = NULL, *clone;
    const cow_dataptr theirs = {(void *)(uintptr_t)cow_storage_address(source), NULL, NULL};
    put_pages(part, 0, 1, 1);
    put_pages(odd, 0, 1, 1);
    CHECK(cow_storage_is_paged(part) && !cow_storage_is_paged(odd));
    REQUIRE(cow_storage_adopt(cow_heap(), theirs, SIZE, COW_FOREIGN, &foreign, NULL) == COW_OK);
    clone = make_clone(foreign);
    put_pages(clone, 0, 1, 1);
    CHECK(!cow_storage_is_paged(clone) && pages_hold(source, 0, 1, 7));
    cow_storage_free(clone);
    cow_storage_free(foreign);
    cow_storage_free(odd);
    cow_storage_free(part);
    cow_storage_free(source);
}
IN_A_CHILD(only_aligned_windows_of_ours_are_paged)

/* ---- giving up --------------------------------------------------------------------------------------------------- */

/* 6 % of 2,048 pages are 122. */
static void pages_that_were_copied_at_first_do_not_count_body(void)
{
    cow_storage *source = make_plain(), *clone = make_clone(source);
    put_pages(clone, 0, 150, 1);
    put_each(clone, 0, 150, 2); /* as many pages as before */
    put_each(clone, 0, 150, 3);
    CHECK(cow_storage_is_paged(clone));
    put_each(clone, 1000, 100, 4);
    CHECK(cow_storage_is_paged(clone));
    put_each(clone, 1100, 60, 5);
    CHECK(!cow_storage_is_paged(clone));
    CHECK(pages_hold(clone, 0, 150, 3) && pages_hold(clone, 1000, 100, 4) && pages_hold(clone, 1100, 60, 5));
    CHECK_EQ(figures().give_ups, 1);
    cow_storage_free(clone);
    cow_storage_free(source);
}
IN_A_CHILD(pages_that_were_copied_at_first_do_not_count)

/* Those of a region that is plain memory of the window's own are no reason, either. */
static void own_regions_do_not_count_body(void)
{
    cow_storage *source = make_plain(), *clone = make_clone(source);
    put_pages(clone, 512, 300, 1);
    put_each(clone, 512, 512, 2);
    CHECK(cow_storage_is_paged(clone));
    put_each(clone, 512, 512, 3);
    CHECK(cow_storage_is_paged(clone) && pages_hold(clone, 512, 512, 3));
    cow_storage_free(clone);
    cow_storage_free(source);
}
IN_A_CHILD(own_regions_do_not_count)

static void who_says_nothing_on_pages_gets_plain_memory_body(void)
{
    cow_storage *source = make_plain(), *clone = make_clone(source);
    put_pages(clone, 0, 1, 1);
    CHECK(cow_storage_is_paged(clone));
    CHECK_EQ(cow_storage_write_cost(clone), 0);
    CHECK_OK(fill(clone, 2));
    CHECK(!cow_storage_is_paged(clone) && holds(clone, 2));
    CHECK_EQ(cow_storage_write_cost(clone), 0);
    cow_storage_free(clone);
    cow_storage_free(source);
}
IN_A_CHILD(who_says_nothing_on_pages_gets_plain_memory)

static size_t plain_ones(cow_storage *source)
{
    size_t count = 0;
    while (!next_is_paged(source, false)) {
        count++;
        REQUIRE(count < 100);
    }
    return count;
}

/* More than any test needs. */
static void earn(cow_storage *source)
{
    cow_storage *clones[200];
    for (size_t i = 0; i < 200; i++) {
        clones[i] = make_clone(source);
    }
    for (size_t i = 0; i < 200; i++) {
        cow_storage_free(clones[i]);
    }
}

/* 2, 4, 8 ...; each window that ends without it takes a step back. */
static void give_ups_are_followed_by_plain_copies_body(void)
{
    cow_storage *source = make_plain(), *other;
    use(COW_PAGING_LEDGER);
    earn(source);
    CHECK_EQ(plain_ones(source), 1); /* the first write */
    CHECK(next_is_paged(source, true));
    CHECK_EQ(plain_ones(source), 2); /* the streak is 1, then 0 */
    CHECK(next_is_paged(source, true));
    for (int i = 0; i < 2; i++) {
        CHECK(!next_is_paged(source, false));
    }
    CHECK(next_is_paged(source, true));
    for (int i = 0; i < 4; i++) {
        CHECK(!next_is_paged(source, false));
    }
    CHECK(next_is_paged(source, true));
    CHECK_EQ(plain_ones(source), 8);
    CHECK(next_is_paged(source, true));
    CHECK_EQ(plain_ones(source), 8); /* a step back, and a step forward */
    for (int i = 0; i < 9; i++) {
        while (!next_is_paged(source, true)) {
        }
    }
    other = make_plain(); /* another family has not learned from it */
    earn(other);
    CHECK(!next_is_paged(other, false) && next_is_paged(other, false));
    cow_storage_free(other);
    use(COW_PAGING_EAGER); /* never declines */
    CHECK(next_is_paged(source, true) && next_is_paged(source, true));
    use(COW_PAGING_LEDGER);
    CHECK_EQ(plain_ones(source), 64); /* and no more than these */
    cow_storage_free(source);
}
IN_A_CHILD(give_ups_are_followed_by_plain_copies)

int main(void)
{
    RUN(boxes_cost_what_they_touch);
    RUN(runs_touch_the_page_they_end_in);
    RUN(boxes_of_too_many_dimensions_say_nothing);
    RUN(dense_regions_are_copied_whole);
    RUN(copied_regions_hold_their_values);
    RUN(only_aligned_windows_of_ours_are_paged);
    RUN(pages_that_were_copied_at_first_do_not_count);
    RUN(own_regions_do_not_count);
    RUN(who_says_nothing_on_pages_gets_plain_memory);
    RUN(give_ups_are_followed_by_plain_copies);
    return finish("test_pages_policy");
}
