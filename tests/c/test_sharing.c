/* Sharing, one thread: what a lazy clone costs, what a write costs, when a clone is eager, what the flags refuse. */
#include "harness.h"

#define SIZE 1000u

static void lazy_clone_copies_no_byte(fixture *f)
{
    cow_storage *a = make_filled(f->allocator, SIZE, 1);
    const cow_tracing_report before = report_of(f);
    cow_storage *b = make_clone(a);
    const cow_tracing_report after = report_of(f);
    CHECK(cow_storage_address(a) == cow_storage_address(b));
    CHECK_EQ(cow_storage_shares(a), 2);
    CHECK_EQ(cow_storage_shares(b), 2);
    CHECK(!cow_storage_is_sole(a) && !cow_storage_is_sole(b));
    CHECK_EQ(after.cloned_bytes, 0);
    CHECK_EQ(after.live_blocks - before.live_blocks, 2); /* a context and a Storage */
    CHECK(after.live_bytes - before.live_bytes < SIZE);
    CHECK(holds(a, 1) && holds(b, 1));
    CHECK_EQ(stats_now().lazy_clones, 1);
    CHECK_EQ(stats_now().copies + stats_now().steals + stats_now().eager_copies, 0);
    cow_storage_free(a);
    cow_storage_free(b);
}

static void first_writer_copies_and_last_sharer_steals(fixture *f)
{
    for (int who = 0; who < 2; who++) {
        cow_storage *pair[2];
        const void *address;
        cow_tracing_report before;
        pair[0] = make_filled(f->allocator, SIZE, 1);
        pair[1] = make_clone(pair[0]);
        address = cow_storage_address(pair[0]);
        before = report_of(f);
        CHECK_OK(fill(pair[who], 2));
        CHECK(cow_storage_address(pair[who]) != address);
        CHECK_EQ(report_of(f).cloned_bytes - before.cloned_bytes, SIZE);
        CHECK(holds(pair[who], 2) && holds(pair[1 - who], 1));
        CHECK_EQ(cow_storage_shares(pair[who]), 1);

        before = report_of(f);
        CHECK_OK(fill(pair[1 - who], 3));
        CHECK(cow_storage_address(pair[1 - who]) == address);
        CHECK_EQ(report_of(f).cloned_bytes, before.cloned_bytes);
        CHECK_EQ(report_of(f).allocations, before.allocations);
        CHECK(holds(pair[who], 2) && holds(pair[1 - who], 3));
        cow_storage_free(pair[0]);
        cow_storage_free(pair[1]);
    }
    CHECK_EQ(stats_now().copies, 2);
    CHECK_EQ(stats_now().steals, 2);
}

static void copying_keeps_the_bytes_that_are_not_written(fixture *f)
{
    cow_storage *a = make_filled(f->allocator, SIZE, 1);
    cow_storage *b = make_clone(a);
    cow_mutable_scope scope;
    CHECK_OK(cow_mutable_begin(b, 0, &scope, NULL));
    ((char *)scope.data)[500] = 2;
    cow_mutable_end(&scope);
    CHECK(holds_between(b, 0, 500, 1) && holds_between(b, 500, 501, 2) && holds_between(b, 501, SIZE, 1));
    CHECK(holds(a, 1));
    cow_storage_free(a);
    cow_storage_free(b);
}

static void second_write_copies_nothing(fixture *f)
{
    cow_storage *a = make_filled(f->allocator, SIZE, 1);
    cow_storage *b = make_clone(a);
    CHECK_OK(fill(b, 2));
    CHECK_OK(fill(b, 3));
    CHECK_OK(fill(b, 4));
    CHECK_EQ(report_of(f).cloned_bytes, SIZE);
    CHECK(cow_storage_is_sole(b) && !cow_storage_is_sole(a)); /* a has not stolen yet */
    CHECK_EQ(stats_now().copies + stats_now().steals, 1);
    cow_storage_free(a);
    cow_storage_free(b);
}

static void dropping_the_clone_makes_a_write_free_again(fixture *f)
{
    cow_storage *a = make_filled(f->allocator, SIZE, 1);
    const void *address = cow_storage_address(a);
    cow_storage_free(make_clone(a));
    CHECK_EQ(cow_storage_write_cost(a), 0);
    CHECK_OK(fill(a, 2));
    CHECK(cow_storage_address(a) == address);
    CHECK(cow_storage_is_sole(a)); /* stolen once and for all */
    CHECK_OK(fill(a, 3));
    CHECK_EQ(report_of(f).cloned_bytes, 0);
    CHECK_EQ(stats_now().steals, 1);
    cow_storage_free(a);
}

static void many_sharers_make_one_copy_less_than_they_are(fixture *f)
{
    cow_storage *sharers[50];
    sharers[0] = make_filled(f->allocator, SIZE, 99);
    for (size_t i = 1; i < 50; i++) {
        sharers[i] = make_clone(sharers[i / 2]); /* clones of clones */
    }
    CHECK_EQ(cow_storage_shares(sharers[0]), 50);
    for (size_t i = 0; i < 50; i++) {
        CHECK_OK(fill(sharers[i], (int)i));
    }
    CHECK_EQ(stats_now().copies, 49);
    CHECK_EQ(stats_now().steals, 1);
    CHECK_EQ(report_of(f).cloned_bytes, 49 * SIZE);
    for (size_t i = 0; i < 50; i++) {
        CHECK(holds(sharers[i], (int)i));
        cow_storage_free(sharers[i]);
    }
}

static void writing_a_window_copies_only_the_window(fixture *f)
{
    cow_storage *a = make_filled(f->allocator, SIZE, 1);
    cow_storage *window;
    cow_mutable_scope scope;
    CHECK_OK(cow_mutable_begin(a, 0, &scope, NULL));
    memset((char *)scope.data + 100, 5, 10);
    cow_mutable_end(&scope);
    window = make_window(a, 100, 10);
    CHECK_EQ(cow_storage_write_cost(window), 10);
    CHECK_OK(cow_mutable_begin(window, 0, &scope, NULL));
    CHECK(all_bytes(scope.data, scope.nbytes, 5)); /* its own bytes, not the first of the allocation */
    cow_mutable_end(&scope);
    CHECK_OK(fill(window, 2));
    CHECK_EQ(report_of(f).cloned_bytes, 10);
    CHECK_EQ(stats_now().bytes_copied, 10);
    CHECK_EQ(cow_storage_allocated(window), 10);
    CHECK(holds(window, 2) && holds_between(a, 100, 110, 5) && holds_between(a, 110, SIZE, 1));
    cow_storage_free(window);

    window = make_window(a, 100, 10); /* as the last sharer it keeps the whole allocation */
    cow_storage_free(a);
    CHECK_EQ(cow_storage_write_cost(window), 0);
    CHECK_OK(fill(window, 3));
    CHECK_EQ(cow_storage_allocated(window), SIZE);
    CHECK_EQ(report_of(f).cloned_bytes, 10);
    CHECK(holds(window, 3));
    cow_storage_free(window);
}

static void reading_copies_nothing_and_lets_writes_stay_in_place(fixture *f)
{
    cow_storage *a = make_filled(f->allocator, SIZE, 1);
    const void *address = cow_storage_address(a);
    CHECK(holds(a, 1));
    CHECK_OK(fill(a, 2));
    CHECK(cow_storage_address(a) == address && holds(a, 2));
    CHECK_EQ(stats_now().copies + stats_now().steals, 0);
    CHECK_EQ(report_of(f).cloned_bytes, 0);
    cow_storage_free(a);
}

/* ---- pins -------------------------------------------------------------------------------------------------------- */

static void clones_of_a_pinned_storage_are_eager(fixture *f)
{
    cow_storage *a = make_filled(f->allocator, SIZE, 1);
    cow_storage *eager;
    cow_storage *lazy;
    cow_mutable_scope first;
    cow_mutable_scope second;
    CHECK_OK(cow_mutable_begin(a, 0, &first, NULL));
    CHECK_OK(cow_mutable_begin(a, 0, &second, NULL));
    CHECK(first.data == second.data);
    CHECK_EQ(cow_storage_pins(a), 2);
    cow_mutable_end(&second);
    CHECK_EQ(cow_storage_pins(a), 1);
    eager = make_window(a, 10, 20);
    CHECK(cow_storage_address(eager) != (const char *)cow_storage_address(a) + 10);
    CHECK_EQ(cow_storage_nbytes(eager), 20);
    CHECK_EQ(cow_storage_shares(a), 1);
    memset(first.data, 2, first.nbytes); /* unseen by the core: the reason for the copy */
    CHECK(holds(eager, 1));
    cow_mutable_end(&first);
    CHECK_EQ(cow_storage_pins(a), 0);
    lazy = make_clone(a);
    CHECK(cow_storage_address(lazy) == cow_storage_address(a) && holds(lazy, 2));
    CHECK_EQ(stats_now().eager_copies, 1);
    CHECK_EQ(stats_now().lazy_clones, 1);
    CHECK_EQ(stats_now().bytes_copied, 20);
    CHECK_EQ(report_of(f).cloned_bytes, 20);
    cow_storage_free(a);
    cow_storage_free(eager);
    cow_storage_free(lazy);
}

/* ---- flags ------------------------------------------------------------------------------------------------------- */

static void try_refuses_to_copy_what_is_pinned(fixture *f)
{
    cow_storage *a = make_filled(f->allocator, SIZE, 1);
    cow_storage *const untouched = (cow_storage *)(uintptr_t)1;
    cow_storage *out = untouched;
    cow_mutable_scope scope;
    cow_mutable_scope again;
    cow_const_scope reader; /* so that the context is there and the count of blocks is steady */
    cow_error err = {""};
    size_t blocks;
    CHECK_OK(cow_mutable_begin(a, COW_TRY, &scope, NULL));
    CHECK_OK(cow_const_begin(a, &reader, NULL));
    blocks = report_of(f).live_blocks;
    CHECK_STATUS(cow_lazy_clone(a, 0, SIZE, COW_TRY, &out, &err), COW_EBUSY);
    CHECK(out == untouched && err.text[0] != '\0');
    CHECK_EQ(report_of(f).live_blocks, blocks);
    CHECK_OK(cow_mutable_begin(a, COW_TRY, &again, NULL)); /* a second writer needs nothing */
    cow_mutable_end(&again);
    cow_mutable_end(&scope);
    CHECK_OK(cow_lazy_clone(a, 0, SIZE, COW_TRY, &out, NULL));
    CHECK_OK(cow_mutable_begin(out, COW_TRY, &scope, NULL)); /* copying is not waiting */
    cow_mutable_end(&scope);
    cow_const_end(&reader);
    cow_storage_free(out);
    cow_storage_free(a);
}

static void no_copy_refuses_copies_and_allows_steals(fixture *f)
{
    cow_storage *a = make_filled(f->allocator, SIZE, 1);
    cow_storage *b;
    cow_mutable_scope scope;
    cow_error err = {""};
    cow_tracing_report before;
    CHECK_OK(cow_mutable_begin(a, COW_NO_COPY, &scope, NULL)); /* sole */
    cow_mutable_end(&scope);
    b = make_clone(a);
    before = report_of(f);
    memset(&scope, 0, sizeof scope);
    CHECK_STATUS(cow_mutable_begin(a, COW_NO_COPY, &scope, &err), COW_ECOPY);
    CHECK_STATUS(cow_mutable_begin(a, COW_NO_COPY | COW_TRY, &scope, NULL), COW_ECOPY);
    CHECK(scope.data == NULL && scope.storage == NULL && err.text[0] != '\0');
    CHECK_EQ(report_of(f).allocations, before.allocations);
    CHECK_EQ(cow_storage_shares(a), 2);
    CHECK_EQ(cow_storage_pins(a), 0);
    CHECK_EQ(stats_now().copies, 0);
    CHECK_OK(fill(b, 2)); /* and nothing is left busy: the other one may still write */
    CHECK_OK(cow_mutable_begin(a, COW_NO_COPY, &scope, NULL)); /* a steal */
    cow_mutable_end(&scope);
    CHECK(holds(a, 1) && holds(b, 2));
    cow_storage_free(a);
    cow_storage_free(b);
}

/* ---- figures ----------------------------------------------------------------------------------------------------- */

static void write_cost_is_what_the_next_write_copies(fixture *f)
{
    cow_storage *family[6];
    family[0] = make_filled(f->allocator, SIZE, 1);
    for (size_t i = 1; i < 6; i++) {
        family[i] = make_window(family[i - 1], 1, cow_storage_nbytes(family[i - 1]) - 1);
    }
    for (size_t round = 0; round < 2; round++) {
        for (size_t i = 0; i < 6; i++) {
            const size_t foretold = cow_storage_write_cost(family[i]);
            const size_t before = report_of(f).cloned_bytes;
            CHECK_OK(fill(family[i], (int)i));
            CHECK_EQ(report_of(f).cloned_bytes - before, foretold);
            CHECK_EQ(foretold, round == 0 && i < 5 ? SIZE - i : 0);
        }
    }
    for (size_t i = 0; i < 6; i++) {
        CHECK(holds(family[i], (int)i));
        cow_storage_free(family[i]);
    }
}

static void figures_equal_what_the_allocator_saw(fixture *f)
{
    enum { LIVE = 8 };
    uint64_t seed = 12345;
    cow_storage *live[LIVE];
    int values[LIVE];
    cow_stats stats;
    for (int i = 0; i < LIVE; i++) {
        live[i] = make_filled(f->allocator, 64, i);
        values[i] = i;
    }
    for (unsigned step = 0; step < 3000; step++) {
        const size_t i = next_random(&seed) % LIVE;
        const size_t j = next_random(&seed) % LIVE;
        cow_mutable_scope pin;
        switch (next_random(&seed) % 4) {
        case 0:
            values[i] = (int)(step % 251);
            CHECK_OK(fill(live[i], values[i]));
            break;
        case 1: /* an eager clone */
            CHECK_OK(cow_mutable_begin(live[i], 0, &pin, NULL));
            cow_storage_free(make_clone(live[i]));
            cow_mutable_end(&pin);
            break;
        default:
            if (i != j) {
                cow_storage_free(live[j]);
                live[j] = make_clone(live[i]);
                values[j] = values[i];
            }
        }
        if (step % 100 == 0) {
            for (int k = 0; k < LIVE; k++) {
                CHECK(holds(live[k], values[k]));
            }
        }
    }
    stats = stats_now();
    CHECK(stats.copies > 100 && stats.steals > 50 && stats.eager_copies > 100 && stats.lazy_clones > 500);
    CHECK_EQ(stats.bytes_copied, report_of(f).cloned_bytes);
    CHECK_EQ(stats.copies + stats.eager_copies, report_of(f).clones);
    cow_stats_count_eager(10);
    CHECK_EQ(stats_now().eager_copies, stats.eager_copies + 1);
    CHECK_EQ(stats_now().bytes_copied, stats.bytes_copied + 10);
    cow_stats_reset();
    CHECK_EQ(stats_now().bytes_copied + stats_now().copies + stats_now().lazy_clones, 0);
    for (int i = 0; i < LIVE; i++) {
        CHECK(holds(live[i], values[i]));
        cow_storage_free(live[i]);
    }
}

int main(int argc, char **argv)
{
    (void)argc;
    RUN(lazy_clone_copies_no_byte);
    RUN(first_writer_copies_and_last_sharer_steals);
    RUN(copying_keeps_the_bytes_that_are_not_written);
    RUN(second_write_copies_nothing);
    RUN(dropping_the_clone_makes_a_write_free_again);
    RUN(many_sharers_make_one_copy_less_than_they_are);
    RUN(writing_a_window_copies_only_the_window);
    RUN(reading_copies_nothing_and_lets_writes_stay_in_place);
    RUN(clones_of_a_pinned_storage_are_eager);
    RUN(try_refuses_to_copy_what_is_pinned);
    RUN(no_copy_refuses_copies_and_allows_steals);
    RUN(write_cost_is_what_the_next_write_copies);
    RUN(figures_equal_what_the_allocator_saw);
    return finish(argv[0]);
}
