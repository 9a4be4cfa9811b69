/* Every byte in which two Storages differ lies in a run that cow_storage_differences tells, and by the page the runs are no
 * longer than the pages that were written. */
#include <stdlib.h>

#include "dirty.h"
#include "paging.h"

typedef struct runs {
    size_t count;
    size_t nbytes;
    size_t end;
    bool in_order;
    unsigned char *told; /* of each byte; NULL: not kept */
} runs;

static void add_run(void *to, size_t start, size_t nbytes)
{
    runs *all = (runs *)to;
    all->in_order = all->in_order && nbytes > 0 && (all->count == 0 || start > all->end);
    all->count++;
    all->nbytes += nbytes;
    all->end = start + nbytes;
    if (all->told != NULL) {
        memset(all->told + start, 1, nbytes);
    }
}

static runs differences(cow_storage *a, cow_storage *b)
{
    runs all = {0, 0, 0, true, NULL};
    CHECK_OK(cow_storage_differences(a, 0, b, 0, cow_storage_nbytes(a), add_run, &all, NULL));
    CHECK(all.in_order);
    return all;
}

/* ---- one by one ---------------------------------------------------------------------------------------------------- */

static void what_is_shared_is_equal(fixture *f)
{
    cow_storage *first = make_large(7), *second = make_clone(first);
    (void)f;
    CHECK_EQ(differences(first, second).count, 0);
    CHECK_EQ(differences(first, first).count, 0);
    cow_storage_free(first);
    cow_storage_free(second);
    nothing_is_left();
}

static void a_page_of_one_is_a_page(fixture *f)
{
    cow_storage *first = make_large(7), *second = make_clone(first), *third = make_clone(first);
    (void)f;
    use(COW_PAGING_EAGER);
    CHECK_OK(put(second, 5 * MIB, 1));
    CHECK_EQ(differences(second, third).nbytes, can_page ? PAGE : LARGE); /* a base beside plain memory */
    CHECK_EQ(differences(third, second).nbytes, can_page ? PAGE : LARGE);
    CHECK_OK(put(third, MIB, 1));
    CHECK_EQ(differences(second, third).nbytes, can_page ? 2 * PAGE : LARGE);
    CHECK_EQ(differences(second, third).count, can_page ? 2 : 1);
    cow_storage_free(first);
    CHECK_OK(put(third, MIB + PAGE, 1));
    CHECK_EQ(differences(second, third).count, can_page ? 2 : 1); /* neighbours are one run */
    cow_storage_free(second);
    cow_storage_free(third);
    nothing_is_left();
}

static void strangers_differ_everywhere(fixture *f)
{
    cow_storage *first = make_large(7), *second = make_large(7);
    (void)f;
    CHECK_EQ(differences(first, second).nbytes, LARGE);
    CHECK_EQ(differences(first, second).count, 1);
    cow_storage_free(first);
    cow_storage_free(second);
    nothing_is_left();
}

static void other_memory_and_other_sizes_are_refused(fixture *f)
{
    cow_storage *first = make_large(7), *small = NULL, *traced = NULL;
    runs all = {0, 0, 0, true, NULL};
    REQUIRE(cow_storage_new(cow_heap(), 100, &small, NULL) == COW_OK);
    REQUIRE(cow_storage_new(f->allocator, 100, &traced, NULL) == COW_OK);
    CHECK_STATUS(cow_storage_differences(first, 0, small, 0, 101, add_run, &all, NULL), COW_EINVAL);
    CHECK_STATUS(cow_storage_differences(first, LARGE - 99, small, 0, 100, add_run, &all, NULL), COW_EINVAL);
    CHECK_STATUS(cow_storage_differences(first, LARGE + 1, small, 0, 0, add_run, &all, NULL), COW_EINVAL);
    CHECK_STATUS(cow_storage_differences(small, 0, traced, 0, 100, add_run, &all, NULL), COW_EINVAL);
    CHECK_OK(cow_storage_differences(first, LARGE, small, 100, 0, add_run, &all, NULL));
    CHECK_EQ(all.count, 0);
    CHECK_OK(cow_storage_differences(small, 10, small, 20, 50, add_run, &all, NULL)); /* of itself, but elsewhere */
    CHECK_EQ(all.nbytes, 50);
    CHECK_OK(cow_storage_differences(traced, 10, traced, 20, 50, add_run, &all, NULL));
    CHECK_EQ(all.nbytes, 100);
    cow_storage_free(first);
    cow_storage_free(small);
    cow_storage_free(traced);
}

/* Parts that lie at different places of their windows are compared by what they are in the base. */
static void parts_lie_where_their_windows_do(fixture *f)
{
    cow_storage *first = make_large(7), *second = make_clone(first), *part = NULL;
    runs all = {0, 0, 0, true, NULL};
    (void)f;
    use(COW_PAGING_EAGER);
    REQUIRE(cow_lazy_clone(first, 64, LARGE - 64, 0, &part, NULL) == COW_OK);
    CHECK_OK(put(second, 0, 1));
    CHECK_OK(put(part, 6 * MIB, 1));
    CHECK_OK(cow_storage_differences(second, 64, part, 0, LARGE - 64, add_run, &all, NULL));
    CHECK_EQ(all.nbytes, can_page ? 2 * PAGE - 64 : LARGE - 64);
    all.nbytes = all.count = 0;
    CHECK_OK(cow_storage_differences(second, 0, part, 0, LARGE - 64, add_run, &all, NULL));
    CHECK_EQ(all.nbytes, LARGE - 64);
    cow_storage_free(first);
    cow_storage_free(second);
    cow_storage_free(part);
    nothing_is_left();
}

static void the_absent_are_not_compared(fixture *f)
{
    cow_storage *first = make_large(7), *second = make_large(7);
    runs all = {0, 0, 0, true, NULL};
    (void)f;
    REQUIRE(cow_storage_evict(second, 1, NULL) == COW_OK);
    CHECK_STATUS(cow_storage_differences(first, 0, second, 0, LARGE, add_run, &all, NULL), COW_EABSENT);
    CHECK_STATUS(cow_storage_differences(second, 0, first, 0, LARGE, add_run, &all, NULL), COW_EABSENT);
    CHECK_EQ(all.count, 0);
    cow_storage_free(first);
    cow_storage_free(second);
    nothing_is_left();
}

/* ---- at random ----------------------------------------------------------------------------------------------------- */

#define MANY 6
#define STEPS 400

static unsigned next(unsigned *seed, unsigned below)
{
    *seed = *seed * 1103515245u + 12345u;
    return (*seed >> 8) % below;
}

static void compare(cow_storage *a, cow_storage *b, unsigned char *told)
{
    cow_const_scope in_a, in_b;
    runs all = {0, 0, 0, true, told};
    size_t missed = 0;
    memset(told, 0, LARGE);
    CHECK_OK(cow_storage_differences(a, 0, b, 0, LARGE, add_run, &all, NULL));
    REQUIRE(cow_const_begin(a, &in_a, NULL) == COW_OK && cow_const_begin(b, &in_b, NULL) == COW_OK);
    for (size_t i = 0; i < LARGE; i++) {
        missed += !told[i] && ((const char *)in_a.data)[i] != ((const char *)in_b.data)[i];
    }
    CHECK_EQ(missed, 0);
    CHECK(all.in_order);
    cow_const_end(&in_a);
    cow_const_end(&in_b);
}

static void write_at_random(cow_storage *storage, unsigned *seed)
{
    const size_t at = next(seed, (unsigned)(LARGE / PAGE)) * PAGE + next(seed, PAGE);
    const size_t many = next(seed, 8) == 0 ? 300 : 1; /* sometimes most of a region */
    for (size_t i = 0; i < many && at + i * PAGE < LARGE; i++) {
        CHECK_OK(put(storage, at + i * PAGE, (int)next(seed, 100)));
    }
}

static void no_difference_is_missed(fixture *f)
{
    cow_storage *all[MANY];
    unsigned char *told = (unsigned char *)malloc(LARGE);
    unsigned seed = 7;
    (void)f;
    REQUIRE(told != NULL);
    use(COW_PAGING_EAGER);
    all[0] = make_large(7);
    for (size_t i = 1; i < MANY; i++) {
        all[i] = make_clone(all[0]);
    }
    for (int step = 0; step < STEPS; step++) {
        const unsigned which = next(&seed, MANY), other = next(&seed, MANY);
        if (next(&seed, 4) == 0 && which != other) {
            cow_storage_free(all[which]);
            all[which] = make_clone(all[other]);
        }
        else {
            write_at_random(all[which], &seed);
        }
        if (step % 20 == 0) {
            compare(all[which], all[other], told);
        }
    }
    for (size_t i = 0; i < MANY; i++) {
        cow_storage_free(all[i]);
    }
    free(told);
    nothing_is_left();
}

int main(void)
{
    see_whether_pages_are_granted();
    RUN(what_is_shared_is_equal);
    RUN(a_page_of_one_is_a_page);
    RUN(strangers_differ_everywhere);
    RUN(other_memory_and_other_sizes_are_refused);
    RUN(parts_lie_where_their_windows_do);
    RUN(the_absent_are_not_compared);
    RUN(no_difference_is_missed);
    return finish("differences");
}
