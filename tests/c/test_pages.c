/* A write to a large shared allocation costs the pages that it writes; what is read afterwards is what a copy would have
 * held. At the system's own prices, as in the other programs that include paging.h. */
#include <stdlib.h>

#include "paging.h"

/* ---- what a write costs ------------------------------------------------------------------------------------------ */

static size_t live(const cow_account *account)
{
    cow_account_figures now;
    cow_account_read(account, &now);
    return now.live;
}

static void bases_are_on_the_account_of_who_wrote(fixture *f)
{
    cow_storage *first = make_large(7), *second = make_clone(first), *third = make_clone(first);
    cow_account *account = NULL, *before;
    (void)f;
    use(COW_PAGING_EAGER);
    REQUIRE(cow_account_new(NULL, &account, NULL) == COW_OK);
    before = cow_account_use(account);
    CHECK_OK(put(second, 0, 1));
    (void)cow_account_use(before);
    CHECK_EQ(live(account), figures().base_bytes);
    CHECK_EQ(live(account), can_page ? 10 * MIB : 0);
    CHECK_OK(put(third, 0, 1)); /* a window on the same base: counted once */
    CHECK_EQ(live(account), can_page ? 10 * MIB : 0);
    cow_storage_free(first);
    cow_storage_free(second);
    CHECK_EQ(live(account), can_page ? 10 * MIB : 0);
    cow_storage_free(third);
    CHECK_EQ(live(account), 0);
    cow_account_drop(account);
    nothing_is_left();
}

static void what_a_write_will_take_is_said_before(fixture *f)
{
    cow_storage *first = make_large(7), *second = make_clone(first), *third = make_clone(first), *fourth;
    (void)f;
    use(COW_PAGING_EAGER);
    CHECK_EQ(cow_storage_write_takes(second, 3), can_page ? 10 * MIB + 3 * PAGE : LARGE);
    CHECK_EQ(cow_storage_write_takes(second, LARGE / PAGE), LARGE);
    CHECK_OK(put(second, 0, 1));
    CHECK_EQ(cow_storage_write_takes(second, 3), can_page ? 3 * PAGE : 0);
    CHECK_EQ(cow_storage_write_takes(third, 3), can_page ? 3 * PAGE : LARGE);
    fourth = make_clone(second);
    CHECK_EQ(cow_storage_write_takes(fourth, 3), can_page ? 4 * PAGE : LARGE);
    cow_storage_free(second);
    cow_storage_free(fourth);
    cow_storage_free(third);
    CHECK_EQ(cow_storage_write_takes(first, 3), can_page ? 3 * PAGE : 0); /* its base is there */
    cow_storage_free(first);
    nothing_is_left();
}

static void one_byte_costs_a_page(fixture *f)
{
    cow_storage *first = make_large(7);
    cow_storage *second = make_clone(first);
    const uint64_t before = stats_now().bytes_copied;
    (void)f;
    use(COW_PAGING_EAGER);
    CHECK_OK(put(second, 5 * MIB, 1));
    CHECK_EQ(cow_storage_is_paged(second), can_page);
    CHECK_EQ(cow_storage_is_paged(first), 0);
    CHECK_EQ(stats_now().bytes_copied - before, can_page ? LARGE + PAGE : LARGE); /* a base, and the page */
    CHECK_EQ(cow_storage_copied_bytes(second), stats_now().bytes_copied - before);
    CHECK(get(second, 5 * MIB) == 1 && get(first, 5 * MIB) == 7);
    CHECK(holds_between(second, 0, 5 * MIB, 7) && holds_between(second, 5 * MIB + 1, LARGE, 7));
    CHECK(holds(first, 7));
    cow_storage_free(second);
    cow_storage_free(first);
    nothing_is_left();
}

/* ---- what is shared ---------------------------------------------------------------------------------------------- */

static void second_generation_copies_the_pages_of_the_first(fixture *f)
{
    cow_storage *first = make_large(7), *second, *third;
    size_t regions[8] = {0};
    uint64_t before;
    (void)f;
    use(COW_PAGING_EAGER);
    second = make_clone(first);
    CHECK_OK(put(second, 100, 1));
    CHECK_OK(put(second, 4 * MIB, 2));
    third = make_clone(second);
    before = stats_now().bytes_copied;
    CHECK_OK(put(third, LARGE - 1, 3));
    CHECK_EQ(stats_now().bytes_copied - before, can_page ? 3 * PAGE : LARGE);
    CHECK_EQ(cow_storage_copied_bytes(third), stats_now().bytes_copied - before);
    CHECK_EQ(cow_storage_own_regions(second, regions, 8), can_page ? 5 : 0);
    CHECK(!can_page || (regions[0] == PAGE && regions[1] == 0 && regions[2] == PAGE && regions[3] == 0));
    CHECK_EQ(cow_storage_own_regions(second, regions, 1), can_page ? 1 : 0);
    CHECK_EQ(cow_storage_own_regions(first, regions, 8), 0);
    CHECK_OK(put(second, 100, 4));
    CHECK(get(third, 100) == 1 && get(third, 4 * MIB) == 2 && get(third, LARGE - 1) == 3);
    CHECK(get(second, 100) == 4 && get(second, LARGE - 1) == 7 && get(first, 100) == 7);
    cow_storage_free(second);
    CHECK(get(third, 100) == 1 && get(third, 4 * MIB) == 2);
    cow_storage_free(third);
    CHECK(holds(first, 7));
    cow_storage_free(first);
    nothing_is_left();
}

/* Five pages side by side, over the border of two regions. */
static void all_pages_of_a_run_are_copied(fixture *f)
{
    cow_storage *first = make_large(7), *second = make_clone(first), *third;
    const size_t start = 2 * MIB - 2 * PAGE, end = start + 5 * PAGE;
    uint64_t before;
    (void)f;
    use(COW_PAGING_EAGER);
    for (size_t at = start; at < end; at += PAGE) {
        REQUIRE(put(second, at + 5, 1) == COW_OK);
    }
    third = make_clone(second);
    before = stats_now().bytes_copied;
    CHECK_OK(put(third, 0, 2));
    CHECK_EQ(stats_now().bytes_copied - before, can_page ? 6 * PAGE : LARGE);
    for (size_t at = start; at < end; at += PAGE) {
        CHECK(get(third, at + 5) == 1 && get(third, at) == 7);
    }
    cow_storage_free(first);
    cow_storage_free(second);
    cow_storage_free(third);
    nothing_is_left();
}

static void last_sharer_keeps_its_address_and_drops_the_shadow(fixture *f)
{
    cow_storage *first = make_large(7), *second = make_clone(first);
    const void *address = cow_storage_address(first);
    (void)f;
    use(COW_PAGING_EAGER);
    CHECK_OK(put(second, 0, 1));
    cow_storage_free(second);
    use(COW_PAGING_OFF); /* else its base serves again */
    CHECK_OK(put(first, 0, 2));
    CHECK(cow_storage_address(first) == address);
    nothing_is_left(); /* before it is freed */
    use(COW_PAGING_EAGER);
    second = make_clone(first);
    CHECK_OK(put(second, 1, 3));
    CHECK(get(second, 0) == 2 && get(second, 1) == 3 && get(first, 1) == 7);
    cow_storage_free(first);
    CHECK(get(second, 0) == 2 && get(second, 2) == 7);
    cow_storage_free(second);
    nothing_is_left();
}

/* A steal would drop the base that the next copy needs. */
static void last_sharer_uses_the_base_that_is_there(fixture *f)
{
    cow_storage *first = make_large(7), *second = make_clone(first);
    const uint64_t bases = figures().bases, steals = stats_now().steals;
    (void)f;
    use(COW_PAGING_EAGER);
    for (int i = 0; i < 5; i++) {
        CHECK_OK(put(second, 0, 1));
        CHECK_OK(put(first, PAGE, 2 + i));
        CHECK(get(first, PAGE) == 2 + i && get(first, 0) == 7 && get(second, 0) == 1);
        cow_storage_free(second);
        second = make_clone(first);
    }
    CHECK(cow_storage_is_paged(first) == can_page && figures().bases - bases == can_page);
    CHECK_EQ(stats_now().steals - steals, can_page ? 4 : 5); /* of pages from then on, which stay pages */
    cow_storage_free(first);
    cow_storage_free(second);
    nothing_is_left();
}

/* ---- on request ---------------------------------------------------------------------------------------------------- */

static void pages_on_request_need_no_mode(fixture *f)
{
    cow_storage *first = make_large(7), *second, *third, *fourth;
    cow_mutable_scope scope;
    (void)f;
    use(COW_PAGING_OFF);
    if (!can_page) {
        CHECK_STATUS(cow_storage_page(first, NULL), COW_EREFUSED);
        cow_storage_free(first);
        return;
    }
    CHECK_OK(cow_storage_page(first, NULL));
    CHECK_OK(cow_storage_page(first, NULL)); /* has them */
    CHECK(cow_storage_is_paged(first) && cow_storage_is_sole(first) && holds(first, 7));
    CHECK_EQ(figures().base_files, 1);
    second = make_clone(first);
    CHECK_OK(put(second, 0, 1));
    third = make_clone(second);
    for (size_t at = 0; at < LARGE; at += PAGE) {
        CHECK_OK(put(third, at, 2)); /* never given up */
    }
    CHECK(cow_storage_is_paged(second) && cow_storage_is_paged(third));
    CHECK(get(second, 0) == 1 && holds_between(second, 1, LARGE, 7) && holds(first, 7) && get(third, 1) == 7);
    fourth = make_clone(second);
    CHECK_OK(cow_storage_page(fourth, NULL));
    CHECK(cow_storage_is_sole(fourth) && cow_storage_own_bytes(fourth) == PAGE); /* a window of its own */
    REQUIRE(cow_mutable_begin(fourth, 0, &scope, NULL) == COW_OK);               /* a pointer may touch anything */
    ((char *)scope.data)[5 * MIB] = 3;
    cow_mutable_end(&scope);
    CHECK(cow_storage_is_paged(fourth) && cow_storage_own_bytes(fourth) == 2 * PAGE);
    CHECK(get(fourth, 5 * MIB) == 3 && get(second, 5 * MIB) == 7 && get(fourth, 0) == 1);
    cow_storage_free(fourth);
    CHECK_EQ(figures().base_files, 1);
    cow_storage_free(first);
    cow_storage_free(second);
    cow_storage_free(third);
    nothing_is_left();
}

static void shared_and_foreign_bytes_are_paged_on_request(fixture *f)
{
    cow_storage *source = make_large(7), *clone = make_clone(source), *foreign = NULL, *other;
    const cow_dataptr theirs = {(void *)(uintptr_t)cow_storage_address(source), NULL, NULL};
    (void)f;
    use(COW_PAGING_OFF);
    REQUIRE(cow_storage_adopt(cow_heap(), theirs, LARGE, COW_FOREIGN, &foreign, NULL) == COW_OK);
    if (can_page) {
        CHECK_OK(cow_storage_page(clone, NULL));
        CHECK_OK(cow_storage_page(foreign, NULL));
        CHECK(cow_storage_is_paged(clone) && !cow_storage_is_paged(source));
        CHECK(cow_storage_is_paged(foreign) && !cow_storage_is_foreign(foreign));
        other = make_clone(foreign);
        CHECK_OK(put(other, 0, 1));
        CHECK_OK(put(clone, 0, 2));
        CHECK(cow_storage_is_paged(other) && holds(source, 7) && holds(foreign, 7));
        CHECK(get(other, 0) == 1 && get(clone, 0) == 2);
        cow_storage_free(other);
    }
    cow_storage_free(clone);
    cow_storage_free(foreign);
    cow_storage_free(source);
    nothing_is_left();
}

/* Their owner may change them, so no base serves two. */
static void foreign_bytes_are_read_anew_for_each_request(fixture *f)
{
    char *theirs = (char *)malloc(LARGE);
    const cow_dataptr ptr = {theirs, NULL, NULL};
    cow_storage *first = NULL, *second;
    (void)f;
    use(COW_PAGING_OFF);
    REQUIRE(theirs != NULL);
    memset(theirs, 7, LARGE);
    REQUIRE(cow_storage_adopt(cow_heap(), ptr, LARGE, COW_FOREIGN, &first, NULL) == COW_OK);
    second = make_clone(first);
    CHECK_EQ(cow_storage_page(first, NULL), can_page ? COW_OK : COW_EREFUSED);
    theirs[9] = 5;
    CHECK_EQ(cow_storage_page(second, NULL), can_page ? COW_OK : COW_EREFUSED);
    CHECK_EQ(get(first, 9), can_page ? 7 : 5);
    CHECK_EQ(get(second, 9), 5);
    cow_storage_free(first);
    CHECK_EQ(figures().base_files, can_page);
    cow_storage_free(second);
    free(theirs);
    nothing_is_left();
}

/* Neither what it was copied from nor the copies that it has already. */
static void a_request_is_for_one_array_and_its_descendants(fixture *f)
{
    cow_storage *source = make_large(7), *asked = make_clone(source), *other = make_clone(source), *child;
    (void)f;
    use(COW_PAGING_OFF);
    if (can_page) {
        CHECK_OK(cow_storage_page(asked, NULL));
        CHECK_OK(put(other, 0, 1));
        child = make_clone(asked);
        CHECK_OK(put(child, 0, 2));
        CHECK(!cow_storage_is_paged(other) && cow_storage_is_paged(child));
        cow_storage_free(child);
    }
    cow_storage_free(source);
    cow_storage_free(asked);
    cow_storage_free(other);
    nothing_is_left();
}

static void what_cannot_be_paged_says_so(fixture *f)
{
    cow_storage *small = make_filled(cow_heap(), MIB, 7), *large = make_large(7), *absent = NULL;
    cow_mutable_scope scope;
    cow_error err;
    (void)f;
    REQUIRE(cow_storage_new_absent(cow_heap(), LARGE, &absent, NULL) == COW_OK);
    CHECK_STATUS(cow_storage_page(small, &err), COW_EREFUSED);
    CHECK_STATUS(cow_storage_page(absent, NULL), COW_EABSENT);
    REQUIRE(cow_mutable_begin(large, 0, &scope, NULL) == COW_OK);
    CHECK_STATUS(cow_storage_page(large, NULL), COW_EBUSY);
    CHECK(cow_storage_address(large) == scope.data);
    cow_mutable_end(&scope);
    CHECK_EQ(cow_storage_page(large, NULL), can_page ? COW_OK : COW_EREFUSED);
    CHECK(holds(large, 7) && holds(small, 7));
    cow_storage_free(small);
    cow_storage_free(large);
    cow_storage_free(absent);
    nothing_is_left();
}

static void windows_are_paged_where_they_lie(fixture *f)
{
    cow_storage *whole = make_large(7), *part, *inner;
    (void)f;
    use(COW_PAGING_EAGER);
    CHECK_OK(put(whole, 3 * MIB, 1));
    part = make_window(whole, MIB + 64, 6 * MIB);
    CHECK_OK(put(part, 10, 2));
    CHECK_EQ(cow_storage_is_paged(part), can_page);
    CHECK(get(part, 2 * MIB - 64) == 1 && get(part, 10) == 2 && get(whole, MIB + 74) == 7);
    inner = make_window(part, MIB, 5 * MIB);
    CHECK_OK(put(inner, 5 * MIB - 1, 3));
    CHECK_EQ(cow_storage_is_paged(inner), can_page);
    CHECK(get(inner, MIB - 64) == 1 && get(inner, 5 * MIB - 1) == 3 && get(part, 6 * MIB - 1) == 7);
    cow_storage_free(whole);
    cow_storage_free(part);
    CHECK(get(inner, MIB - 64) == 1 && holds_between(inner, MIB, 5 * MIB - 1, 7));
    cow_storage_free(inner);
    nothing_is_left();
}

/* ---- what is not paged ------------------------------------------------------------------------------------------- */

static void who_says_nothing_gets_a_plain_copy(fixture *f)
{
    cow_storage *first = make_large(7), *second = make_clone(first);
    (void)f;
    use(COW_PAGING_EAGER);
    CHECK_OK(fill(second, 1));
    CHECK_EQ(cow_storage_is_paged(second), 0);
    CHECK(holds(first, 7) && holds(second, 1));
    cow_storage_free(first);
    cow_storage_free(second);
    nothing_is_left();
}

static void off_is_off_and_small_windows_are_copied(fixture *f)
{
    cow_storage *first = make_large(7), *second = make_clone(first);
    cow_storage *small = make_filled(cow_heap(), 4 * MIB - 1, 7), *other = make_clone(small);
    (void)f;
    use(COW_PAGING_OFF);
    CHECK_OK(put(second, 0, 1));
    CHECK_EQ(cow_storage_is_paged(second), 0);
    use(COW_PAGING_EAGER);
    CHECK_OK(put(other, 0, 1));
    CHECK_EQ(cow_storage_is_paged(other), 0);
    cow_storage_free(first);
    cow_storage_free(second);
    cow_storage_free(small);
    cow_storage_free(other);
    nothing_is_left();
}

int main(void)
{
    see_whether_pages_are_granted();
    RUN(one_byte_costs_a_page);
    RUN(bases_are_on_the_account_of_who_wrote);
    RUN(what_a_write_will_take_is_said_before);
    RUN(second_generation_copies_the_pages_of_the_first);
    RUN(all_pages_of_a_run_are_copied);
    RUN(last_sharer_keeps_its_address_and_drops_the_shadow);
    RUN(last_sharer_uses_the_base_that_is_there);
    RUN(pages_on_request_need_no_mode);
    RUN(shared_and_foreign_bytes_are_paged_on_request);
    RUN(foreign_bytes_are_read_anew_for_each_request);
    RUN(a_request_is_for_one_array_and_its_descendants);
    RUN(what_cannot_be_paged_says_so);
    RUN(windows_are_paged_where_they_lie);
    RUN(who_says_nothing_gets_a_plain_copy);
    RUN(off_is_off_and_small_windows_are_copied);
    return finish("test_pages");
}
