/* The ledger knows what each thing costs, allows pages once they are earned, and never spends more than a quarter above what
 * copies would have cost, whatever a program does. At prices of a made-up machine. */
#include "priced.h"

#include "base.h"

/* ---- prices ------------------------------------------------------------------------------------------------------ */

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
    before = figures().spent;
    first = make_clone(source);
    put_pages(first, 0, 2, 1);
    CHECK(figures().spent - before > SIZE);
    second = make_clone(first);
    put_pages(second, 5, 3, 1); /* copies two pages, writes three */
    cow_storage_free(second);
    CHECK_EQ(figures().spent - before,
             2 * MAP_COST + price_of(7)); /* the first is at rest: nothing is reserved for it */
    put_pages(first, 0, 1, 2);
    put_pages(first, 0, 1, 2); /* after a steal: counted, though it has the page */
    CHECK(figures().spent - before > SIZE);
    cow_storage_free(first);
    CHECK_EQ(figures().spent - before, 2 * MAP_COST + price_of(7) + price_of(1));
    cow_storage_free(source);
}
IN_A_CHILD(the_ledger_knows_each_price)

/* A base that cannot be filled costs nothing but the copy that takes its place. */
static void what_was_not_had_is_not_spent_body(void)
{
    const failing_plan refuses = {0, false, false, false, true, false, 0};
    const cow_paging_policy huge = {COW_PAGING_EAGER, 0, 0};
    cow_storage *source = make_plain(), *clone = make_clone(source);
    if (!cowi_base_granted(false)) {
        (void)printf("skipped: what fails after a base was granted: no huge pages\n");
    }
    failing_begin(refuses);
    (void)cow_paging_use(huge);
    put_pages(clone, 0, 1, 1);
    CHECK_EQ(figures().spent, SIZE);
    cow_storage_free(clone);
    cow_storage_free(source);
}
IN_A_CHILD(what_was_not_had_is_not_spent)

/* Says 7, and has no name. */
static int open_file(void)
{
    char name[] = "/tmp/cowarray-policy-XXXXXX";
    const int descriptor = mkstemp(name);
    char *bytes = (char *)malloc(SIZE);
    REQUIRE(descriptor >= 0 && bytes != NULL && unlink(name) == 0);
    memset(bytes, 7, SIZE);
    REQUIRE(write(descriptor, bytes, SIZE) == (ssize_t)SIZE);
    free(bytes);
    return descriptor;
}

static void files_ask_no_ledger_body(void)
{
    const int descriptor = open_file();
    cow_storage *of = NULL, *clone;
    cow_dataptr ptr;
    use(COW_PAGING_LEDGER); /* which has nothing */
    REQUIRE(cow_paging_map_file(descriptor, 0, SIZE, NULL, &ptr, NULL) == COW_OK);
    (void)close(descriptor);
    REQUIRE(cow_storage_adopt(cow_heap(), ptr, SIZE, 0, &of, NULL) == COW_OK);
    clone = make_clone(of);
    put_pages(clone, 0, 1, 1);
    CHECK(cow_storage_is_paged(clone));
    put_each(of, 0, SIZE / PAGE, 2); /* never given up */
    put_each(clone, 0, SIZE / PAGE, 3);
    CHECK(cow_storage_is_paged(clone) && cow_storage_is_paged(of));
    CHECK(pages_hold(of, 0, SIZE / PAGE, 2) && pages_hold(clone, 0, SIZE / PAGE, 3));
    cow_storage_free(of);
    cow_storage_free(clone);
    CHECK_EQ(figures().give_ups, 0);
}
IN_A_CHILD(files_ask_no_ledger)

static int ended;

static void end_owner(void *data, void *context, size_t nbytes)
{
    CHECK(data == NULL && context == &ended && nbytes == 0);
    ended++;
}

/* Generations that would make commits, which might end the owner inside the gate: it ends with the last of them. */
static void an_owner_of_a_file_ends_with_its_last_window_body(void)
{
    const cow_dataptr owner = {NULL, &ended, end_owner};
    const int descriptor = open_file();
    cow_storage *of = NULL;
    cow_dataptr ptr;
    use(COW_PAGING_EAGER);
    CHECK_STATUS(cow_paging_map_file(descriptor, SIZE, SIZE, &owner, &ptr, NULL), COW_EINVAL);
    CHECK_EQ(ended, 0);
    REQUIRE(cow_paging_map_file(descriptor, 0, SIZE, &owner, &ptr, NULL) == COW_OK);
    (void)close(descriptor);
    REQUIRE(cow_storage_adopt(cow_heap(), ptr, SIZE, 0, &of, NULL) == COW_OK);
    put_pages(of, 0, 151, 1);
    for (int i = 0; i < 6; i++) {
        cow_storage *next = make_clone(of);
        put_pages_beside_a_reader(next, 600 + (size_t)i, 1, 2);
        CHECK(cow_storage_is_paged(next));
        cow_storage_free(of);
        of = next;
    }
    CHECK(pages_hold(of, 0, 151, 1) && pages_hold(of, 600, 6, 2) && pages_hold(of, 151, 400, 7));
    CHECK_EQ(figures().commits, 0);
    CHECK_EQ(ended, 0);
    cow_storage_free(of);
    CHECK_EQ(ended, 1);
}
IN_A_CHILD(an_owner_of_a_file_ends_with_its_last_window)

/* ---- what is earned ---------------------------------------------------------------------------------------------- */

/* With the ledger, paging begins when enough was earned: fill, map, one page, budget of 7 % of the pages, the window. */
static void paging_begins_when_it_is_earned_body(void)
{
    const size_t budget = SIZE / PAGE * 6 / 100 + SIZE / PAGE / 100;
    const uint64_t needed = price_of_fill(4) + MAP_COST + price_of(1) + price_of(budget) + SIZE;
    cow_storage *source = make_plain();
    size_t plain = 0;
    use(COW_PAGING_LEDGER);
    while (!next_is_paged(source, false)) {
        plain++;
        REQUIRE(plain < 100);
        CHECK_EQ(figures().spent, plain * SIZE);
    }
    CHECK(plain * SIZE + needed <= (plain + 1) * SIZE / 4 * 5);
    CHECK((plain - 1) * SIZE + needed > plain * SIZE / 4 * 5);
    CHECK(next_is_paged(source, false));
    use(COW_PAGING_OFF);
    CHECK(!next_is_paged(source, false));
    cow_storage_free(source);
}
IN_A_CHILD(paging_begins_when_it_is_earned)

/* No page can pay there, so nothing is asked of the system but memory for the family. */
static void a_single_copy_asks_nothing_body(void)
{
    cow_storage *source = make_plain();
    size_t before;
    use(COW_PAGING_LEDGER);
    before = failing_now().calls;
    CHECK(!next_is_paged(source, false));
    CHECK_EQ(failing_now().calls, before + 1);
    cow_storage_free(source);
}
IN_A_CHILD(a_single_copy_asks_nothing)

static void an_allowance_is_risked_body(void)
{
    cow_storage *source = make_plain();
    use_allowance(COW_PAGING_LEDGER, SIZE);
    CHECK(!next_is_paged(source, false));
    use_allowance(COW_PAGING_LEDGER, 2 * SIZE);
    CHECK(next_is_paged(source, false));
    cow_storage_free(source);
}
IN_A_CHILD(an_allowance_is_risked)

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

/* Copies are made first, all of them; then some are written by the page, and the rest as a whole. */
static void an_adversary_gets_no_more_body(void)
{
    enum { COPIES = 24 };
    cow_storage *sources[COPIES], *clones[COPIES];
    use(COW_PAGING_LEDGER);
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

/* ---- programs at random ------------------------------------------------------------------------------------------ */

#define LIVE 8

/* One thing that a program may do to one of its Storages. */
static void random_step(cow_storage **live, uint64_t *seed)
{
    const size_t one = next_random(seed) % LIVE, other = next_random(seed) % LIVE;
    switch (next_random(seed) % 11) {
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
    case 6:
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
    const size_t allowance = program_seed % 2 * 4 * SIZE; /* the clock stands still, so no more is lent */
    use_allowance(COW_PAGING_LEDGER, allowance);
    for (size_t i = 0; i < LIVE; i++) {
        live[i] = make_filled(cow_heap(), SIZE, 7);
    }
    for (int step = 0; step < 300; step++) {
        random_step(live, &seed);
        const cow_paging_figures now = figures();
        kept = kept && now.spent * 4 <= now.earned * 5 + 4 * allowance;
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
        at_made_up_prices(random_program);
    }
}

int main(void)
{
    RUN(the_ledger_knows_each_price);
    RUN(what_was_not_had_is_not_spent);
    RUN(files_ask_no_ledger);
    RUN(an_owner_of_a_file_ends_with_its_last_window);
    RUN(paging_begins_when_it_is_earned);
    RUN(a_single_copy_asks_nothing);
    RUN(an_allowance_is_risked);
    RUN(random_programs_keep_to_the_ledger);
    RUN(an_adversary_gets_no_more);
    RUN(copies_that_nobody_wrote_to_are_earned);
    return finish("test_pages_ledger");
}
