/* Each family pays for itself: it borrows at most one copy, all families together no more than the allowance, and what one has
 * learned no other knows. At prices of a made-up machine, whose clock stands still. */
#include "priced.h"

#include "base.h"

#define SECOND UINT64_C(1000000000)
#define PER_SECOND (UINT64_C(1000000000) / 15) /* bytes that come back */

static cow_storage *make_mib(size_t mib)
{
    return make_filled(cow_heap(), mib * MIB, 7);
}

/* A family whose next write is by the page if somebody lends it what that takes. */
static cow_storage *make_second(void)
{
    cow_storage *source = make_plain();
    CHECK(!next_is_paged(source, false));
    return source;
}

/* ---- when -------------------------------------------------------------------------------------------------------- */

static void large_families_page_at_once_body(void)
{
    cow_storage *large = make_mib(32), *smaller = make_mib(31);
    use_allowance(COW_PAGING_LEDGER, COW_PAGING_ALLOWANCE);
    CHECK(next_is_paged(large, false));
    CHECK_EQ(cow_storage_page_refusal(smaller), COW_PAGES_GRANTED); /* it shares with nobody */
    CHECK(!next_is_paged(smaller, false));
    CHECK(next_is_paged(smaller, false));
    cow_storage_free(large);
    cow_storage_free(smaller);
}
IN_A_CHILD(large_families_page_at_once)

/* What descends from a copy is of the same family, also a generation that is plain memory. */
static void generations_are_one_family_body(void)
{
    cow_storage *before = make_plain(), *now;
    use_allowance(COW_PAGING_LEDGER, COW_PAGING_ALLOWANCE);
    for (int i = 0; i < 6; i++) {
        now = make_clone(before);
        put_pages(now, (size_t)i, 1, 1);
        CHECK_EQ(cow_storage_is_paged(now), i > 0);
        cow_storage_free(before);
        before = now;
    }
    CHECK(pages_hold(before, 0, 6, 1));
    CHECK_EQ(figures().bases, 1);
    cow_storage_free(before);
}
IN_A_CHILD(generations_are_one_family)

/* ---- loans ------------------------------------------------------------------------------------------------------- */

static void nobody_lends_without_an_allowance_body(void)
{
    cow_storage *source;
    use(COW_PAGING_LEDGER);
    source = make_second();
    CHECK(!next_is_paged(source, false));
    cow_storage_free(source);
}
IN_A_CHILD(nobody_lends_without_an_allowance)

/* Two copies are earned, one is spent. A fill, a window, and a copy if it is given up make 3.28 copies, the loan 0.78 of one. */
static void what_one_family_has_another_lacks_body(void)
{
    cow_storage *sources[3], *clones[3];
    use_allowance(COW_PAGING_LEDGER, SIZE);
    for (int i = 0; i < 3; i++) {
        sources[i] = make_second();
        clones[i] = make_clone(sources[i]);
    }
    put_pages(clones[0], 0, 1, 1);
    CHECK_EQ(cow_storage_page_refusal(clones[1]), COW_PAGES_DEAR);
    put_pages(clones[1], 0, 1, 1);
    CHECK(cow_storage_is_paged(clones[0]) && !cow_storage_is_paged(clones[1]));
    cow_storage_free(clones[0]); /* pays back */
    put_pages(clones[2], 0, 1, 1);
    CHECK(cow_storage_is_paged(clones[2]));
    for (int i = 0; i < 3; i++) {
        cow_storage_free(sources[i]);
    }
    cow_storage_free(clones[1]);
    cow_storage_free(clones[2]);
}
IN_A_CHILD(what_one_family_has_another_lacks)

static void what_is_lost_comes_back_slowly_body(void)
{
    cow_storage *source, *other;
    use_allowance(COW_PAGING_LEDGER, SIZE);
    source = make_second();
    CHECK(next_is_paged(source, true)); /* given up: some 0.7 of a copy is lost */
    cow_storage_free(source);
    other = make_second();
    CHECK(!next_is_paged(other, false));
    cow_storage_free(other);
    other = make_second();
    failing_wait(SECOND * SIZE / PER_SECOND / 2);
    CHECK(!next_is_paged(other, false));
    cow_storage_free(other);
    other = make_second();
    failing_wait(SECOND * SIZE / PER_SECOND / 2);
    CHECK(next_is_paged(other, false));
    cow_storage_free(other);
}
IN_A_CHILD(what_is_lost_comes_back_slowly)

/* More than the allowance, to one at a time. */
static void the_largest_family_gets_a_loan_too_body(void)
{
    cow_storage *large = make_mib(64), *other = make_mib(64), *clone = make_clone(large);
    use_allowance(COW_PAGING_LEDGER, 8 * MIB);
    put_pages(clone, 0, 1, 1);
    CHECK(cow_storage_is_paged(clone));
    CHECK(!next_is_paged(other, false));
    cow_storage_free(clone);
    CHECK(next_is_paged(other, false));
    cow_storage_free(large);
    cow_storage_free(other);
}
IN_A_CHILD(the_largest_family_gets_a_loan_too)

/* A copy and a quarter is the most, however much there is to lend. */
static void a_family_borrows_one_copy_body(void)
{
    cow_storage *sources[8], *clones[8];
    use_allowance(COW_PAGING_LEDGER, 1000 * SIZE);
    sources[0] = make_second();
    for (size_t i = 1; i < 8; i++) { /* whole copies of one family: each would take a base of its own */
        clones[i] = make_clone(sources[0]);
        CHECK_OK(fill(clones[i], 7));
        sources[i] = clones[i];
    }
    for (size_t i = 0; i < 8; i++) {
        clones[i] = make_clone(sources[i]);
        put_pages(clones[i], 0, 1, 1);
    }
    CHECK(cow_storage_is_paged(clones[0]));
    CHECK(!cow_storage_is_paged(clones[4]));
    CHECK(figures().spent * 4 <= figures().earned * 5 + 5 * SIZE);
    for (size_t i = 0; i < 8; i++) {
        cow_storage_free(sources[i]);
        cow_storage_free(clones[i]);
    }
}
IN_A_CHILD(a_family_borrows_one_copy)

/* Bad families, each of which is given up once; then a good one. */
static void bad_families_take_nothing_from_a_good_one_body(void)
{
    cow_storage *source;
    size_t paged = 0;
    use_allowance(COW_PAGING_LEDGER, 12 * SIZE);
    for (int i = 0; i < 12; i++) {
        source = make_second();
        paged += next_is_paged(source, true);
        cow_storage_free(source);
    }
    CHECK_EQ(paged, 12);
    CHECK(figures().spent * 4 <= figures().earned * 5 + 4 * 12 * SIZE);
    source = make_second();
    CHECK(next_is_paged(source, false));
    cow_storage_free(source);
}
IN_A_CHILD(bad_families_take_nothing_from_a_good_one)

/* The program pays a constant more than its bound, however many families it wastes. */
static void families_without_end_cost_a_constant_body(void)
{
    size_t paged = 0;
    use_allowance(COW_PAGING_LEDGER, 4 * SIZE);
    for (int i = 0; i < 60; i++) {
        cow_storage *source = make_second();
        paged += next_is_paged(source, true);
        cow_storage_free(source);
    }
    CHECK(paged > 3 && paged < 12);
    CHECK(figures().spent * 4 <= figures().earned * 5 + 4 * 4 * SIZE);
}
IN_A_CHILD(families_without_end_cost_a_constant)

/* ---- a last sharer ----------------------------------------------------------------------------------------------- */

/* It could steal, so it uses the base only with money of its own. */
static void nobody_borrows_to_save_a_steal_body(void)
{
    cow_storage *source;
    size_t rounds = 0;
    use_allowance(COW_PAGING_LEDGER, 1000 * SIZE);
    source = make_second();
    while (!cow_storage_is_paged(source)) {
        cow_storage *clone = make_clone(source);
        REQUIRE(rounds++ < 40);
        put_pages(clone, 1, 1, 1);
        cow_storage_free(clone);
        put_pages(source, 0, 1, 2);
    }
    CHECK(rounds > 3);
    CHECK(pages_hold(source, 0, 1, 2) && pages_hold(source, 1, 100, 7));
    cow_storage_free(source);
}
IN_A_CHILD(nobody_borrows_to_save_a_steal)

/* ---- why not ----------------------------------------------------------------------------------------------------- */

static void each_refusal_has_a_reason_body(void)
{
    cow_storage *source = make_plain(), *clone = make_clone(source), *small = make_filled(cow_heap(), MIB, 7);
    cow_storage *odd = make_window(source, 32, SIZE - 128), *small_clone = make_clone(small);
    use_allowance(COW_PAGING_LEDGER, 1000 * SIZE);
    CHECK_EQ(cow_storage_page_refusal(clone), COW_PAGES_SMALL); /* a first write */
    CHECK_EQ(cow_storage_page_refusal(small_clone), COW_PAGES_SMALL);
    use(COW_PAGING_OFF);
    CHECK_EQ(cow_storage_page_refusal(clone), COW_PAGES_OFF);
    use(COW_PAGING_EAGER);
    CHECK_EQ(cow_storage_page_refusal(odd), COW_PAGES_UNSUITABLE);
    CHECK_EQ(cow_storage_page_refusal(clone), COW_PAGES_GRANTED);
    CHECK_EQ(cow_storage_writes_by_page(clone), 2);
    cow_storage_free(clone);
    cow_storage_free(odd);
    cow_storage_free(source);
    use_allowance(COW_PAGING_LEDGER, 1000 * SIZE);
    source = make_second();
    CHECK(next_is_paged(source, true));
    clone = make_clone(source);
    for (size_t i = 0; cow_storage_page_refusal(clone) == COW_PAGES_DEAR && i < 20; i++) {
        cow_storage_free(make_clone(source));
        cow_storage_free(make_clone(clone));
    }
    CHECK_EQ(cow_storage_page_refusal(clone), COW_PAGES_GIVEN_UP);
    cow_storage_free(clone);
    cow_storage_free(source);
    cow_storage_free(small);
    cow_storage_free(small_clone);
}
IN_A_CHILD(each_refusal_has_a_reason)

/* ---- a request that is refused ------------------------------------------------------------------------------------ */

static void a_refused_request_changes_nothing_body(void)
{
    const failing_plan none = {0, false, false, false, true, false, 0},
                       usual = {0, false, false, false, false, false, 0};
    const cow_paging_policy off = {COW_PAGING_OFF, 0, 0};
    cow_storage *source = make_plain();
    const void *address = cow_storage_address(source);
    (void)cow_paging_use(off);
    failing_begin(none);
    CHECK_STATUS(cow_storage_page(source, NULL), COW_EREFUSED);
    CHECK(cow_storage_address(source) == address && cow_storage_is_sole(source));
    failing_begin(usual);
    CHECK(!next_is_paged(source, false)); /* the mode decides, as before */
    if (cowi_base_granted(false)) {
        CHECK_OK(cow_storage_page(source, NULL));
        CHECK(next_is_paged(source, false));
    }
    cow_storage_free(source);
}
IN_A_CHILD(a_refused_request_changes_nothing)

/* ---- fills that take long ---------------------------------------------------------------------------------------- */

static void slow_fills_stop_for_a_while_body(void)
{
    const cow_paging_policy ledger = {COW_PAGING_LEDGER, 1000 * SIZE, 0}, eager = {COW_PAGING_EAGER, 0, 0};
    cow_storage *source = make_plain(), *other, *clone, *asked;
    if (!cowi_base_granted(false)) {
        (void)printf("skipped: slow fills: no huge pages\n");
        cow_storage_free(source);
        return;
    }
    (void)cow_paging_use(ledger);
    CHECK(!next_is_paged(source, false));
    failing_collapse_takes(SECOND / 5); /* 100 ms for each 4 MiB and more */
    CHECK(next_is_paged(source, false));
    failing_collapse_takes(0);
    CHECK(next_is_paged(source, false)); /* the base is there */
    other = make_second();
    CHECK(!next_is_paged(other, false));
    clone = make_clone(other);
    CHECK_EQ(cow_storage_page_refusal(clone), COW_PAGES_DENIED);
    asked = make_plain();
    CHECK_OK(cow_storage_page(asked, NULL)); /* whoever asks waits for as long as it takes */
    put_pages(asked, 0, 1, 1);
    CHECK_OK(cow_storage_rebase(asked, NULL));
    cow_storage_free(asked);
    (void)cow_paging_use(eager); /* asks for all */
    asked = make_plain();
    CHECK(next_is_paged(asked, false));
    cow_storage_free(asked);
    (void)cow_paging_use(ledger);
    CHECK_EQ(cow_storage_page_refusal(clone), COW_PAGES_DENIED);
    failing_wait(16 * SECOND / 5);
    CHECK_EQ(cow_storage_page_refusal(clone), COW_PAGES_GRANTED);
    cow_storage_free(clone);
    CHECK(next_is_paged(other, false));
    cow_storage_free(other);
    cow_storage_free(source);
}
IN_A_CHILD(slow_fills_stop_for_a_while)

int main(void)
{
    RUN(large_families_page_at_once);
    RUN(generations_are_one_family);
    RUN(nobody_lends_without_an_allowance);
    RUN(what_one_family_has_another_lacks);
    RUN(what_is_lost_comes_back_slowly);
    RUN(the_largest_family_gets_a_loan_too);
    RUN(a_family_borrows_one_copy);
    RUN(bad_families_take_nothing_from_a_good_one);
    RUN(families_without_end_cost_a_constant);
    RUN(nobody_borrows_to_save_a_steal);
    RUN(each_refusal_has_a_reason);
    RUN(a_refused_request_changes_nothing);
    RUN(slow_fills_stop_for_a_while);
    return finish("test_pages_families");
}
