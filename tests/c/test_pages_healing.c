/* Pages that are read often are healed once that pays, for all that share them, and not while somebody writes; the ledger
 * knows what it costs. At prices of a made-up machine, so that it is known when. */
#include "priced.h"

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

/* ---- what the ledger knows of it --------------------------------------------------------------------------------- */

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
    use(COW_PAGING_LEDGER); /* which is deep in debt */
    read_times(clone, 2 * READS);
    CHECK(figures().heals == 2 && dirty_pages(clone) == 1);
    use_allowance(COW_PAGING_OFF, (size_t)1 << 40);
    read_times(clone, 2 * READS);
    CHECK(figures().heals == 2 && dirty_pages(clone) == 1);
    CHECK(pages_hold(clone, 10, 1, 1) && pages_hold(clone, 11, 600, 7));
    cow_storage_free(clone);
    cow_storage_free(source);
}
IN_A_CHILD(the_ledger_knows_what_healing_costs)

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

int main(void)
{
    RUN(what_is_read_often_is_healed);
    RUN(shared_pages_are_healed_for_all);
    RUN(the_ledger_knows_what_healing_costs);
    RUN(healed_pages_are_given_up_as_before);
    RUN(own_regions_need_no_healing);
    RUN(healing_takes_no_more_maps_than_there_are_regions);
    RUN(who_is_written_to_is_not_healed);
    RUN(healing_that_fails_is_not_spent);
    return finish("test_pages_healing");
}
