/* What is paged, what it is said to cost, and when it ends: with prices of a made-up machine, so that each threshold is a
 * number. Each test has a process of its own, where the ledger is empty. */
#include "failing.h"

#include <dirent.h>
#include <errno.h>
#include <sys/wait.h>

#include "harness.h"
#include "pages.h"

#define MIB ((size_t)1 << 20)
#define PAGE COWI_PAGE
#define REGION COWI_REGION
#define SIZE (8 * MIB)
#define FILL 1150 /* thousandths, as failing.c has them */
#define COPY 2100
#define DENSE 183 /* pages of a region: 183 * 2.1 >= 3/4 * 512 */
#define MAP_COST 65536

static void use(cow_paging_mode mode, size_t allowance)
{
    const cow_paging_policy policy = {mode, allowance, 1};
    (void)cow_paging_use(policy);
}

static cow_paging_figures figures(void)
{
    cow_paging_figures now;
    cow_paging_read(&now);
    return now;
}

static uint64_t price_of(size_t pages)
{
    return (uint64_t)pages * PAGE * COPY / 1000;
}

static uint64_t price_of_fill(size_t regions)
{
    return (uint64_t)regions * REGION * FILL / 1000;
}

/* At once: without bases, and what the kernel copies while the write goes on. */
static uint64_t copied_now(void)
{
    return stats_now().bytes_copied - figures().filled - figures().promised * PAGE;
}

/* ---- tests in children ------------------------------------------------------------------------------------------- */

static void nothing_is_left(void)
{
    const cow_paging_figures now = figures();
    const failing_report had = failing_now();
    CHECK(now.base_bytes == 0 && now.base_files == 0 && now.maps == 0);
    CHECK(had.mapped == 0 && had.descriptors == 0 && had.blocks == 0);
}

static void in_a_child(void (*body)(void))
{
    const failing_plan plan = {0, false, false, false, false, false, true, 0};
    int status = -1;
    pid_t child;
    (void)fflush(stdout);
    child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const size_t before = checks_failed();
        (void)alarm(120);
        failing_begin(plan);
        use(COW_PAGING_EAGER, 0);
        body();
        nothing_is_left();
        _exit(checks_failed() != before);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

#define IN_A_CHILD(test)              \
    static void test(fixture *unused) \
    {                                 \
        (void)unused;                 \
        CHECK(true);                  \
        in_a_child(test##_body);      \
    }

/* ---- writers ----------------------------------------------------------------------------------------------------- */

static cow_status begin_box(cow_storage *storage, const cow_box *box)
{
    cow_mutable_scope scope;
    const cow_status status = cow_mutable_begin_at(storage, box, 0, &scope, NULL);
    if (status == COW_OK) {
        cow_mutable_end(&scope);
    }
    return status;
}

/* One byte of `count` pages, from `page` on, with one box. */
static void put_pages(cow_storage *storage, size_t page, size_t count, int value)
{
    const ptrdiff_t dims[] = {(ptrdiff_t)count, (ptrdiff_t)PAGE};
    const cow_box box = {(ptrdiff_t)(page * PAGE), 1, 1, dims, SIZE_MAX};
    cow_mutable_scope scope;
    REQUIRE(cow_mutable_begin_at(storage, &box, 0, &scope, NULL) == COW_OK);
    for (size_t i = page; i < page + count; i++) {
        ((char *)scope.data)[i * PAGE] = (char)value;
    }
    cow_mutable_end(&scope);
}

static void put_each(cow_storage *storage, size_t page, size_t count, int value)
{
    for (size_t i = page; i < page + count; i++) {
        put_pages(storage, i, 1, value);
    }
}

static bool pages_hold(cow_storage *storage, size_t page, size_t count, int value)
{
    cow_const_scope scope;
    bool right = true;
    REQUIRE(cow_const_begin(storage, &scope, NULL) == COW_OK);
    for (size_t i = page; i < page + count; i++) {
        right = right && ((const char *)scope.data)[i * PAGE] == value && ((const char *)scope.data)[i * PAGE + 1] == 7;
    }
    cow_const_end(&scope);
    return right;
}

static cow_storage *make_plain(void)
{
    return make_filled(cow_heap(), SIZE, 7);
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

/* ---- boxes --------------------------------------------------------------------------------------------------------- */

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

/* ---- commits ----------------------------------------------------------------------------------------------------- */

static size_t dirty_pages(cow_storage *storage)
{
    uint64_t bits[SIZE / PAGE / 64] = {0};
    cowi_dirt dirt = {bits, 0};
    REQUIRE(cowi_dirt_find((const char *)cow_storage_address(storage), SIZE, &dirt));
    return dirt.pages;
}

/* 151 pages are 317 of a plain copy; the base of a region costs 589: the second copy commits. */
static void what_is_copied_too_often_gets_a_base_body(void)
{
    cow_storage *source = make_plain(), *first = make_clone(source), *second, *third, *fourth, *fifth;
    uint64_t before;
    put_pages(first, 600, 151, 1);
    second = make_clone(first);
    before = copied_now();
    put_pages(second, 5, 1, 2);
    CHECK_EQ(copied_now() - before, 151 * PAGE);
    CHECK(figures().commits == 0 && figures().bases == figures().base_files); /* those that measured are not counted */
    third = make_clone(second);
    before = copied_now();
    put_pages(third, 6, 1, 3);
    CHECK_EQ(copied_now() - before, PAGE); /* page 5 */
    CHECK_EQ(figures().commits, 1);
    CHECK_EQ(figures().base_files, 2);
    CHECK_EQ(dirty_pages(first), 151);
    CHECK_EQ(dirty_pages(second), 1); /* its own memory is settled, too */
    CHECK_EQ(dirty_pages(third), 2);
    fourth = make_clone(third);
    before = copied_now();
    put_pages(fourth, 600, 140, 4);
    CHECK_EQ(copied_now() - before, 2 * PAGE);
    fifth = make_clone(fourth);
    before = copied_now();
    put_pages(fifth, 2000, 1, 5);
    CHECK_EQ(copied_now() - before, 142 * PAGE);
    CHECK_EQ(figures().commits, 1); /* the debt began anew */
    CHECK(pages_hold(fifth, 600, 140, 4) && pages_hold(fifth, 740, 11, 1));
    cow_storage_free(fifth);
    CHECK(pages_hold(second, 600, 151, 1) && pages_hold(third, 600, 151, 1) && pages_hold(source, 600, 151, 7));
    CHECK(pages_hold(fourth, 740, 11, 1) && pages_hold(fourth, 600, 140, 4) && pages_hold(fourth, 5, 1, 2));
    cow_storage_free(first);
    cow_storage_free(third);
    cow_storage_free(source);
    put_pages(second, 602, 1, 5);
    CHECK(pages_hold(second, 602, 1, 5) && pages_hold(fourth, 602, 1, 4));
    cow_storage_free(second);
    CHECK(pages_hold(fourth, 740, 11, 1) && pages_hold(fourth, 0, 5, 7));
    cow_storage_free(fourth);
}
IN_A_CHILD(what_is_copied_too_often_gets_a_base)

/* Regions 0 and 2 go into one base. */
static void regions_of_one_commit_keep_their_places_body(void)
{
    const ptrdiff_t dims[] = {2, 150, (ptrdiff_t)(1024 * PAGE), (ptrdiff_t)PAGE};
    const cow_box both = {0, 1, 2, dims, SIZE_MAX};
    cow_storage *source = make_plain(), *last = make_clone(source);
    cow_mutable_scope scope;
    REQUIRE(cow_mutable_begin_at(last, &both, 0, &scope, NULL) == COW_OK);
    for (size_t page = 0; page < 150; page++) {
        ((char *)scope.data)[page * PAGE] = 1;
        ((char *)scope.data)[(1024 + page) * PAGE] = 2;
    }
    cow_mutable_end(&scope);
    for (int i = 0; i < 6; i++) {
        cow_storage *next = make_clone(last);
        put_pages(next, 2000 + (size_t)i, 1, 3);
        CHECK(cow_storage_is_paged(next));
        CHECK(pages_hold(last, 0, 150, 1) && pages_hold(last, 1024, 150, 2) && pages_hold(last, 150, 500, 7));
        cow_storage_free(last);
        last = next;
    }
    CHECK_EQ(figures().commits, 2);
    CHECK_EQ(figures().base_files, 2);
    CHECK(pages_hold(last, 0, 150, 1) && pages_hold(last, 1024, 150, 2) && pages_hold(last, 2000, 6, 3));
    cow_storage_free(last);
    cow_storage_free(source);
}
IN_A_CHILD(regions_of_one_commit_keep_their_places)

static void the_ledger_knows_what_a_commit_costs_body(void)
{
    cow_storage *source = make_plain(), *first = make_clone(source), *second = make_clone(source), *third;
    uint64_t before;
    put_pages(first, 600, 151, 1);
    cow_storage_free(second);
    second = make_clone(first);
    put_pages(second, 600, 1, 2); /* the debt is 317 */
    third = make_clone(second);
    before = figures().spent;
    put_pages(third, 600, 1, 3);
    CHECK_EQ(figures().commits, 1);
    cow_storage_free(third);
    CHECK_EQ(figures().spent - before, price_of_fill(1) + MAP_COST + price_of(1));
    cow_storage_free(first);
    cow_storage_free(second);
    cow_storage_free(source);
}
IN_A_CHILD(the_ledger_knows_what_a_commit_costs)

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

static bool next_is_paged(cow_storage *source, bool gives_up)
{
    cow_storage *clone = make_clone(source);
    bool paged;
    put_pages(clone, 0, 1, 1);
    paged = cow_storage_is_paged(clone) != 0;
    if (gives_up) {
        CHECK_OK(fill(clone, 2));
    }
    cow_storage_free(clone);
    return paged;
}

static size_t plain_ones(cow_storage *source)
{
    size_t count = 0;
    while (!next_is_paged(source, false)) {
        count++;
        REQUIRE(count < 100);
    }
    return count;
}

/* 2, 4, 8 ...; each window that ends without it takes a step back. */
static void give_ups_are_followed_by_plain_copies_body(void)
{
    cow_storage *source = make_plain();
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
    cow_storage_free(source);
}
IN_A_CHILD(give_ups_are_followed_by_plain_copies)

/* ---- healing ------------------------------------------------------------------------------------------------------- */

/* Reads of all of a split window cost a tenth of a copy more, a base 1.15: the twelfth pays for it. */
#define READS 12

static void read_whole(cow_storage *storage)
{
    if (cow_storage_count_read(storage, SIZE)) {
        cow_storage_heal(storage, 0);
    }
}

static void read_times(cow_storage *storage, size_t times)
{
    for (size_t i = 0; i < times; i++) {
        read_whole(storage);
    }
}

static void what_is_read_often_is_healed_body(void)
{
    cow_storage *source = make_plain(), *clone = make_clone(source);
    const void *address;
    put_pages(clone, 10, 1, 1); /* and three in place, one of them beside it */
    put_pages(clone, 11, 1, 1);
    put_pages(clone, 700, 1, 1);
    put_pages(clone, 1600, 1, 1);
    address = cow_storage_address(clone);
    read_times(clone, READS - 1);
    CHECK(figures().heals == 0 && dirty_pages(clone) == 4);
    read_whole(clone);
    CHECK_EQ(figures().heals, 3);
    CHECK_EQ(figures().commits, 0);
    CHECK_EQ(dirty_pages(clone), 0);
    CHECK(figures().base_bytes == SIZE + 3 * REGION && figures().base_files == 2);
    CHECK(cow_storage_address(clone) == address && cow_storage_is_sole(clone) && cow_storage_is_paged(clone));
    CHECK(pages_hold(clone, 10, 2, 1) && pages_hold(clone, 700, 1, 1) && pages_hold(clone, 1600, 1, 1));
    CHECK(pages_hold(clone, 12, 688, 7) && pages_hold(clone, 1601, 447, 7) && pages_hold(source, 0, SIZE / PAGE, 7));
    read_times(clone, 3 * READS);
    CHECK_EQ(figures().heals, 3); /* nothing to heal */
    put_pages(clone, 700, 1, 2);
    read_times(clone, READS - 1);
    CHECK_EQ(figures().heals, 3); /* what was read before that is forgotten */
    read_whole(clone);
    CHECK_EQ(figures().heals, 4);
    CHECK(pages_hold(clone, 700, 1, 2) && pages_hold(clone, 701, 800, 7));
    cow_storage_free(source);
    cow_storage_free(clone);
}
IN_A_CHILD(what_is_read_often_is_healed)

/* Through whom it is read does not matter; the next generation has no pages to copy. */
static void shared_pages_are_healed_for_all_body(void)
{
    cow_storage *source = make_plain(), *first = make_clone(source), *second, *third;
    uint64_t before;
    put_pages(first, 10, 1, 1);
    put_pages(first, 700, 1, 1);
    second = make_clone(first);
    read_times(first, READS / 2);
    read_times(second, READS / 2);
    CHECK_EQ(figures().heals, 2);
    CHECK(dirty_pages(first) == 0 && cow_storage_shares(first) == 2);
    CHECK(!cow_storage_is_sole(first) && !cow_storage_is_sole(second));
    third = make_clone(second);
    before = copied_now();
    put_pages(third, 5, 1, 3);
    CHECK(cow_storage_is_paged(third));
    CHECK_EQ(copied_now(), before);
    put_pages(first, 11, 1, 2);
    CHECK_EQ(copied_now(), before);
    CHECK(pages_hold(third, 10, 1, 1) && pages_hold(third, 5, 1, 3) && pages_hold(second, 11, 600, 7));
    CHECK(pages_hold(first, 10, 1, 1) && pages_hold(first, 11, 1, 2) && pages_hold(second, 700, 1, 1));
    cow_storage_free(first);
    cow_storage_free(second);
    cow_storage_free(source);
    CHECK(pages_hold(third, 700, 1, 1) && pages_hold(third, 11, 600, 7));
    cow_storage_free(third);
}
IN_A_CHILD(shared_pages_are_healed_for_all)

static void the_ledger_knows_what_healing_costs_body(void)
{
    cow_storage *source = make_plain(), *clone = make_clone(source);
    uint64_t before;
    put_pages(clone, 10, 1, 1);
    put_each(clone, 600, 20, 1);
    before = figures().spent;
    cow_storage_heal(clone, 1);
    CHECK_EQ(figures().spent - before, price_of_fill(2) + price_of(20)); /* which may be written to again */
    put_each(clone, 600, 3, 2);
    cow_storage_free(clone);
    CHECK_EQ(figures().spent,
             price_of_fill(4) + MAP_COST + price_of(1) + price_of_fill(2) + price_of(20) + price_of(3));
    clone = make_clone(source);
    put_pages(clone, 10, 1, 1);
    use(COW_PAGING_LEDGER, 0); /* which is deep in debt */
    read_times(clone, 2 * READS);
    CHECK(figures().heals == 2 && dirty_pages(clone) == 1);
    use(COW_PAGING_OFF, (size_t)1 << 40);
    read_times(clone, 2 * READS);
    CHECK(figures().heals == 2 && dirty_pages(clone) == 1);
    CHECK(pages_hold(clone, 10, 1, 1) && pages_hold(clone, 11, 600, 7));
    cow_storage_free(clone);
    cow_storage_free(source);
}
IN_A_CHILD(the_ledger_knows_what_healing_costs)

/* 6 % of 2048 pages are 122. */
static void healed_pages_are_given_up_as_before_body(void)
{
    cow_storage *source = make_plain(), *clone = make_clone(source);
    put_pages(clone, 0, 100, 1);
    put_each(clone, 600, 100, 1);
    cow_storage_heal(clone, 1);
    CHECK_EQ(figures().heals, 2);
    put_each(clone, 600, 100, 2);
    CHECK(cow_storage_is_paged(clone));
    put_each(clone, 1100, 50, 2);
    CHECK(!cow_storage_is_paged(clone) && figures().give_ups == 1);
    CHECK(pages_hold(clone, 0, 100, 1) && pages_hold(clone, 600, 100, 2) && pages_hold(clone, 1100, 50, 2));
    cow_storage_free(clone);
    cow_storage_free(source);
}
IN_A_CHILD(healed_pages_are_given_up_as_before)

static void own_regions_need_no_healing_body(void)
{
    cow_storage *source = make_plain(), *clone = make_clone(source);
    put_pages(clone, 512, DENSE, 1);
    cow_storage_heal(clone, 1);
    CHECK_EQ(figures().heals, 0);
    put_pages(clone, 10, 1, 1);
    cow_storage_heal(clone, 1);
    CHECK_EQ(figures().heals, 1);
    CHECK(pages_hold(clone, 512, DENSE, 1) && pages_hold(clone, 10, 1, 1));
    cow_storage_free(clone);
    cow_storage_free(source);
}
IN_A_CHILD(own_regions_need_no_healing)

/* Four regions are four maps, however often they are healed. */
static void healing_takes_no_more_maps_than_there_are_regions_body(void)
{
    cow_storage *source = make_plain(), *clone = make_clone(source);
    for (int i = 0; i < 20; i++) {
        put_pages(clone, 512 * (size_t)(i % 4), 1, i);
        cow_storage_heal(clone, 1);
        CHECK_EQ(figures().heals, i + 1);
        CHECK(figures().maps <= 4 && figures().base_files <= 5);
    }
    CHECK(pages_hold(clone, 0, 1, 16) && pages_hold(clone, 1536, 1, 19) && pages_hold(clone, 1, 511, 7));
    cow_storage_free(clone);
    cow_storage_free(source);
}
IN_A_CHILD(healing_takes_no_more_maps_than_there_are_regions)

static void who_is_written_to_is_not_healed_body(void)
{
    const cow_box element = {0, 1, 0, NULL, SIZE_MAX};
    cow_storage *source = make_plain(), *clone = make_clone(source), *plain = make_plain();
    cow_mutable_scope scope;
    put_pages(clone, 10, 1, 1);
    REQUIRE(cow_mutable_begin_at(clone, &element, 0, &scope, NULL) == COW_OK);
    cow_storage_heal(clone, 1);
    read_times(clone, READS);
    CHECK(figures().heals == 0 && dirty_pages(clone) == 1);
    cow_mutable_end(&scope);
    cow_storage_heal(clone, 1);
    CHECK_EQ(figures().heals, 1);
    cow_storage_heal(plain, 1);
    cow_storage_heal(source, 1);
    CHECK(cow_storage_count_read(plain, SIZE_MAX) == 0 && cow_storage_count_read(source, SIZE_MAX) == 0);
    CHECK(cow_storage_is_sole(plain) && figures().heals == 1);
    CHECK_OK(cow_storage_evict(clone, 1, NULL));
    CHECK_EQ(cow_storage_count_read(clone, SIZE_MAX), 0);
    cow_storage_heal(clone, 1);
    cow_storage_free(plain);
    cow_storage_free(clone);
    cow_storage_free(source);
}
IN_A_CHILD(who_is_written_to_is_not_healed)

/* ---- the ledger ---------------------------------------------------------------------------------------------------- */

static void the_ledger_knows_each_price_body(void)
{
    cow_storage *source = make_plain(), *first, *second;
    uint64_t before = figures().spent;
    CHECK_EQ(before, 0);
    first = make_clone(source);
    put_pages(first, 0, 1, 1);
    CHECK(figures().spent > price_of_fill(4) + SIZE); /* with what it may still cost */
    put_each(first, 1, 10, 1);
    second = make_clone(source);
    cow_storage_free(first);
    CHECK_EQ(figures().base_files, 1);
    CHECK_EQ(figures().spent, price_of_fill(4) + MAP_COST + price_of(11));
    before = figures().spent;
    put_pages(second, 0, 300, 2); /* a region of its own */
    cow_storage_free(second);
    CHECK_EQ(figures().spent - before, REGION + MAP_COST); /* the base was there */
    before = figures().spent;
    first = make_clone(source);
    CHECK_OK(fill(first, 1));
    CHECK_EQ(figures().spent - before, SIZE);
    cow_storage_free(first);
    first = make_clone(source);
    put_pages(first, 0, 2, 1);
    second = make_clone(first);
    before = figures().spent;
    put_pages(second, 5, 3, 1); /* copies two pages, writes three */
    cow_storage_free(second);
    CHECK_EQ(figures().spent - before, MAP_COST + price_of(5));
    cow_storage_free(first);
    cow_storage_free(source);
}
IN_A_CHILD(the_ledger_knows_each_price)

/* A base that cannot be filled costs nothing but the copy that takes its place. */
static void what_was_not_had_is_not_spent_body(void)
{
    const failing_plan refuses = {0, false, false, false, true, false, true, 0};
    const cow_paging_policy huge = {COW_PAGING_EAGER, 0, 0};
    cow_storage *source = make_plain(), *clone = make_clone(source);
    if (!cowi_prices_now()->known) {
        (void)printf("skipped: what fails after the measuring: no pages\n");
    }
    failing_begin(refuses);
    (void)cow_paging_use(huge);
    put_pages(clone, 0, 1, 1);
    CHECK_EQ(figures().spent, SIZE);
    cow_storage_free(clone);
    cow_storage_free(source);
}
IN_A_CHILD(what_was_not_had_is_not_spent)

static void healing_that_fails_is_not_spent_body(void)
{
    const failing_plan refuses = {0, false, false, false, true, false, true, 0};
    const cow_paging_policy huge = {COW_PAGING_EAGER, 0, 0};
    cow_storage *source = make_plain(), *clone = make_clone(source);
    uint64_t before;
    put_each(clone, 0, 5, 1);
    before = figures().spent;
    failing_begin(refuses);
    (void)cow_paging_use(huge);
    cow_storage_heal(clone, 1);
    CHECK(figures().heals == 0 && dirty_pages(clone) == 5);
    CHECK_EQ(figures().spent, before);
    CHECK(pages_hold(clone, 0, 5, 1) && pages_hold(clone, 5, 500, 7));
    cow_storage_free(clone);
    cow_storage_free(source);
}
IN_A_CHILD(healing_that_fails_is_not_spent)

static void files_cost_the_ledger_nothing_body(void)
{
    char name[] = "/tmp/cowarray-policy-XXXXXX";
    const int descriptor = mkstemp(name);
    char *bytes = (char *)malloc(SIZE);
    cow_storage *of = NULL, *clone;
    cow_dataptr ptr;
    REQUIRE(descriptor >= 0 && bytes != NULL && unlink(name) == 0);
    memset(bytes, 7, SIZE);
    REQUIRE(write(descriptor, bytes, SIZE) == (ssize_t)SIZE);
    free(bytes);
    use(COW_PAGING_LEDGER, 0); /* which has nothing */
    REQUIRE(cow_paging_map_file(descriptor, 0, SIZE, &ptr, NULL) == COW_OK);
    (void)close(descriptor);
    REQUIRE(cow_storage_adopt(cow_heap(), ptr, SIZE, 0, &of, NULL) == COW_OK);
    clone = make_clone(of);
    put_pages(clone, 0, 1, 1);
    CHECK(cow_storage_is_paged(clone));
    use(COW_PAGING_EAGER, 0);
    cow_storage_heal(clone, 1);
    CHECK(figures().heals == 0 && cow_storage_count_read(clone, SIZE_MAX - 1) == 0);
    use(COW_PAGING_LEDGER, 0);
    CHECK_EQ(figures().spent, 0);
    put_each(of, 0, SIZE / PAGE, 2); /* never given up */
    put_each(clone, 0, SIZE / PAGE, 3);
    CHECK(cow_storage_is_paged(clone) && cow_storage_is_paged(of));
    CHECK(pages_hold(of, 0, SIZE / PAGE, 2) && pages_hold(clone, 0, SIZE / PAGE, 3));
    cow_storage_free(of);
    cow_storage_free(clone);
    CHECK(figures().spent == 0 && figures().give_ups == 0);
}
IN_A_CHILD(files_cost_the_ledger_nothing)

/* With the ledger, paging begins when enough was earned: fill, map, one page, budget of 7 % of the pages, the window. */
static void paging_begins_when_it_is_earned_body(void)
{
    const size_t budget = SIZE / PAGE * 6 / 100 + SIZE / PAGE / 100;
    const uint64_t needed = price_of_fill(4) + MAP_COST + price_of(1) + price_of(budget) + SIZE;
    cow_storage *source = make_plain();
    size_t plain = 0;
    use(COW_PAGING_LEDGER, 0);
    while (!next_is_paged(source, false)) {
        plain++;
        REQUIRE(plain < 100);
        CHECK_EQ(figures().spent, plain * SIZE);
    }
    CHECK(plain * SIZE + needed <= (plain + 1) * SIZE / 4 * 5);
    CHECK((plain - 1) * SIZE + needed > plain * SIZE / 4 * 5);
    CHECK(next_is_paged(source, false));
    use(COW_PAGING_OFF, 0);
    CHECK(!next_is_paged(source, false));
    cow_storage_free(source);
}
IN_A_CHILD(paging_begins_when_it_is_earned)

/* No page can pay there, so nothing is asked of the system, and no price is measured. */
static void a_single_copy_measures_nothing_body(void)
{
    cow_storage *source = make_plain();
    size_t before;
    use(COW_PAGING_LEDGER, 0);
    before = failing_now().calls;
    CHECK(!next_is_paged(source, false));
    CHECK_EQ(failing_now().calls, before);
    cow_storage_free(source);
}
IN_A_CHILD(a_single_copy_measures_nothing)

static void an_allowance_is_risked_body(void)
{
    cow_storage *source = make_plain();
    use(COW_PAGING_LEDGER, SIZE);
    CHECK(!next_is_paged(source, false));
    use(COW_PAGING_LEDGER, 2 * SIZE);
    CHECK(next_is_paged(source, false));
    cow_storage_free(source);
}
IN_A_CHILD(an_allowance_is_risked)

#define LIVE 8

/* One thing that a program may do to one of its Storages. */
static void random_step(cow_storage **live, uint64_t *seed)
{
    const size_t one = next_random(seed) % LIVE, other = next_random(seed) % LIVE;
    switch (next_random(seed) % 12) {
    case 0:
        cow_storage_free(live[one]);
        live[one] = make_filled(cow_heap(), SIZE, 7);
        return;
    case 1:
        CHECK_OK(fill(live[one], 7));
        return;
    case 2: {
        cow_overwrite_scope scope;
        REQUIRE(cow_overwrite_begin(live[one], 0, &scope, NULL) == COW_OK);
        CHECK_OK(cow_overwrite_commit(&scope, NULL, NULL));
        return;
    }
    case 3:
        put_pages(live[one], next_random(seed) % 1000, 1 + next_random(seed) % 1000, 7);
        return;
    case 4:
        put_each(live[one], next_random(seed) % 1000, 1 + next_random(seed) % 200, 7);
        return;
    case 5:
        cow_storage_heal(live[one], 1);
        return;
    case 6:
    case 7:
        put_pages(live[one], next_random(seed) % 2000, 1, 7);
        return;
    default:
        if (one != other) {
            cow_storage_free(live[one]);
            live[one] = make_clone(live[other]);
        }
    }
}

static uint64_t program_seed;

static void random_program(void)
{
    cow_storage *live[LIVE];
    uint64_t seed = program_seed;
    bool kept = true;
    use(COW_PAGING_LEDGER, 0);
    for (size_t i = 0; i < LIVE; i++) {
        live[i] = make_filled(cow_heap(), SIZE, 7);
    }
    for (int step = 0; step < 300; step++) {
        random_step(live, &seed);
        const cow_paging_figures now = figures();
        kept = kept && now.spent * 4 <= now.earned * 5;
    }
    if (!CHECK(kept)) {
        (void)fprintf(stderr, "seed %llu\n", (unsigned long long)program_seed);
    }
    (void)printf("random program: %llu paged, %llu given up, spent %.2f of what was earned\n",
                 (unsigned long long)figures().page_copies, (unsigned long long)figures().give_ups,
                 (double)figures().spent / (double)figures().earned);
    (void)fflush(stdout);
    for (size_t i = 0; i < LIVE; i++) {
        cow_storage_free(live[i]);
    }
}

static void random_programs_keep_to_the_ledger(fixture *f)
{
    const uint64_t seed = test_seed();
    (void)f;
    CHECK(true);
    for (unsigned round = 0; round < rounds(6); round++) {
        program_seed = seed + round;
        in_a_child(random_program);
    }
}

/* Copies are made first, all of them; then some are written by the page, and the rest as a whole. */
static void an_adversary_gets_no_more_body(void)
{
    enum { COPIES = 24 };
    cow_storage *sources[COPIES], *clones[COPIES];
    use(COW_PAGING_LEDGER, 0);
    for (size_t i = 0; i < COPIES; i++) {
        sources[i] = make_plain();
        clones[i] = make_clone(sources[i]);
    }
    for (size_t i = 0; i < COPIES; i++) {
        if (i % 8 < 5) {
            put_pages(clones[i], 0, 1, 1);
        }
        else {
            CHECK_OK(fill(clones[i], 1));
        }
    }
    CHECK(figures().spent * 4 <= figures().earned * 5);
    for (size_t i = 0; i < COPIES; i++) {
        CHECK_OK(fill(clones[i], 1));
        cow_storage_free(sources[i]);
        cow_storage_free(clones[i]);
    }
    CHECK(figures().spent * 4 <= figures().earned * 5);
    CHECK(figures().spent <= COPIES * SIZE / 4 * 5);
}
IN_A_CHILD(an_adversary_gets_no_more)

/* Some are kept for long, and say nothing until it is known that nobody will copy for them. */
static void copies_that_nobody_wrote_to_are_earned_body(void)
{
    cow_storage *source = make_plain(), *clones[5];
    for (size_t i = 0; i < 5; i++) {
        clones[i] = make_clone(source);
    }
    CHECK_EQ(figures().earned, 0);
    put_pages(clones[0], 0, 1, 1);
    CHECK_EQ(figures().earned, SIZE);
    for (size_t i = 0; i < 3; i++) {
        cow_storage_free(clones[i]);
    }
    CHECK_EQ(figures().earned, SIZE);
    cow_storage_free(source);
    cow_storage_free(clones[3]);
    cow_storage_free(clones[4]);
    CHECK_EQ(figures().earned, 5 * SIZE);
    source = make_plain();
    cow_storage_free(make_clone(source));
    CHECK_OK(fill(source, 1)); /* the last sharer */
    CHECK_EQ(figures().earned, 6 * SIZE);
    cow_storage_free(source);
}
IN_A_CHILD(copies_that_nobody_wrote_to_are_earned)

/* ---- bases --------------------------------------------------------------------------------------------------------- */

/* The descriptor of a file in memory that is ours; -1: none. */
static int base_descriptor(void)
{
    char name[64], to[64];
    for (int fd = 0; fd < 1024; fd++) {
        ssize_t length;
        (void)snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
        length = readlink(name, to, sizeof to - 1);
        if (length > 0 && (to[length] = '\0', strstr(to, "memfd:cowarray") != NULL)) {
            return fd;
        }
    }
    return -1;
}

static void nobody_can_change_a_base_body(void)
{
    cow_storage *source = make_plain(), *clone = make_clone(source);
    int fd;
    put_pages(clone, 0, 1, 1);
    fd = base_descriptor();
    REQUIRE(fd >= 0);
    CHECK(fd >= 256);
    CHECK((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
    CHECK(pwrite(fd, "x", 1, PAGE) == -1 && errno == EPERM);
    CHECK(ftruncate(fd, 0) == -1 && errno == EPERM);
    CHECK(ftruncate(fd, (off_t)(100 * MIB)) == -1 && errno == EPERM);
    CHECK(mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED);
    CHECK(fcntl(fd, F_ADD_SEALS, 0) == -1 && errno == EPERM);
    CHECK(pages_hold(clone, 1, 100, 7));
    cow_storage_free(clone);
    cow_storage_free(source);
    CHECK_EQ(base_descriptor(), -1);
}
IN_A_CHILD(nobody_can_change_a_base)

/* ---- windows with offsets, and pages that are swapped out ---------------------------------------------------------------- */

static uint64_t windows_seed;

static void windows_at_random_hold_their_bytes_body(void)
{
    uint64_t seed = windows_seed;
    unsigned char *model = (unsigned char *)malloc(SIZE);
    cow_storage *storage = make_filled(cow_heap(), SIZE, 0);
    size_t base = 0, nbytes = SIZE, paged = 0;
    REQUIRE(model != NULL);
    {
        cow_mutable_scope scope;
        REQUIRE(cow_mutable_begin(storage, 0, &scope, NULL) == COW_OK);
        for (size_t i = 0; i < SIZE; i++) {
            model[i] = ((unsigned char *)scope.data)[i] = (unsigned char)(i / 61);
        }
        cow_mutable_end(&scope);
    }
    for (int step = 0; step < 40 && nbytes > 4 * MIB + 8192; step++) {
        const size_t cut = next_random(&seed) % (nbytes - 4 * MIB < 200000 ? nbytes - 4 * MIB : 200000);
        const size_t offset = step % 5 == 4 ? cut : cut / 64 * 64;
        const size_t left = nbytes - offset - next_random(&seed) % (cut + 1 < nbytes - offset - 4 * MIB ? cut + 1 : 1);
        cow_storage *window = make_window(storage, offset, left);
        cow_const_scope reader;
        base += offset;
        nbytes = left;
        for (int i = 0; i < 20; i++) {
            const size_t at = next_random(&seed) % nbytes;
            const cow_box box = {(ptrdiff_t)at, 1, 0, NULL, SIZE_MAX};
            cow_mutable_scope scope;
            REQUIRE(cow_mutable_begin_at(window, &box, 0, &scope, NULL) == COW_OK);
            ((unsigned char *)scope.data)[at] = model[base + at] = (unsigned char)i;
            cow_mutable_end(&scope);
        }
        paged += cow_storage_is_paged(window) != 0;
        cow_storage_free(storage);
        storage = window;
        REQUIRE(cow_const_begin(storage, &reader, NULL) == COW_OK);
        CHECK(memcmp(reader.data, model + base, nbytes) == 0);
        cow_const_end(&reader);
    }
    CHECK(paged > 0);
    cow_storage_free(storage);
    free(model);
}

static void windows_at_random_hold_their_bytes(fixture *f)
{
    const uint64_t seed = test_seed();
    (void)f;
    CHECK(true);
    for (unsigned round = 0; round < rounds(5); round++) {
        windows_seed = seed + round;
        in_a_child(windows_at_random_hold_their_bytes_body);
    }
}

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif

static bool has_swap(void)
{
    FILE *lines = fopen("/proc/swaps", "re");
    char line[256];
    size_t count = 0;
    while (lines != NULL && fgets(line, sizeof line, lines) != NULL) {
        count++;
    }
    if (lines != NULL) {
        (void)fclose(lines);
    }
    return count > 1;
}

static void swapped_pages_are_copied_body(void)
{
    cow_storage *source = make_plain(), *first = make_clone(source), *second;
    put_pages(first, 0, 100, 1);
    if (madvise((void *)(uintptr_t)cow_storage_address(first), SIZE, MADV_PAGEOUT) != 0) {
        (void)printf("skipped: pages cannot be made to leave\n");
    }
    second = make_clone(first);
    put_pages(second, 500, 1, 2);
    CHECK(cow_storage_is_paged(second));
    CHECK(pages_hold(second, 0, 100, 1) && pages_hold(second, 100, 400, 7) && pages_hold(first, 500, 1, 7));
    cow_storage_free(first);
    cow_storage_free(second);
    cow_storage_free(source);
}
IN_A_CHILD(swapped_pages_are_copied)

int main(void)
{
    RUN(boxes_cost_what_they_touch);
    RUN(runs_touch_the_page_they_end_in);
    RUN(boxes_of_too_many_dimensions_say_nothing);
    RUN(dense_regions_are_copied_whole);
    RUN(copied_regions_hold_their_values);
    RUN(only_aligned_windows_of_ours_are_paged);
    RUN(what_is_copied_too_often_gets_a_base);
    RUN(regions_of_one_commit_keep_their_places);
    RUN(the_ledger_knows_what_a_commit_costs);
    RUN(pages_that_were_copied_at_first_do_not_count);
    RUN(own_regions_do_not_count);
    RUN(who_says_nothing_on_pages_gets_plain_memory);
    RUN(give_ups_are_followed_by_plain_copies);
    RUN(what_is_read_often_is_healed);
    RUN(shared_pages_are_healed_for_all);
    RUN(the_ledger_knows_what_healing_costs);
    RUN(healed_pages_are_given_up_as_before);
    RUN(own_regions_need_no_healing);
    RUN(healing_takes_no_more_maps_than_there_are_regions);
    RUN(who_is_written_to_is_not_healed);
    RUN(the_ledger_knows_each_price);
    RUN(what_was_not_had_is_not_spent);
    RUN(healing_that_fails_is_not_spent);
    RUN(files_cost_the_ledger_nothing);
    RUN(paging_begins_when_it_is_earned);
    RUN(a_single_copy_measures_nothing);
    RUN(an_allowance_is_risked);
    RUN(random_programs_keep_to_the_ledger);
    RUN(an_adversary_gets_no_more);
    RUN(copies_that_nobody_wrote_to_are_earned);
    RUN(nobody_can_change_a_base);
    RUN(windows_at_random_hold_their_bytes);
    if (!has_swap()) {
        (void)printf("skipped: pages that are swapped out: no swap\n");
    }
    RUN(swapped_pages_are_copied);
    return finish("test_pages_policy");
}
