/* Regions that are copied too often get a base, which nobody can change; windows on bases hold their bytes wherever they
 * begin. At prices of a made-up machine, so that it is known when. */
#include "priced.h"

#include <errno.h>
#include <sys/wait.h>

#include "maps.h"

/* ---- commits ----------------------------------------------------------------------------------------------------- */

/* 151 pages are 317 of a plain copy; the base of a region costs 589: the second copy commits. */
static void what_is_copied_too_often_gets_a_base_body(void)
{
    cow_storage *source = make_plain(), *first = make_clone(source), *second, *third, *fourth, *fifth;
    uint64_t before;
    put_pages_beside_a_reader(first, 600, 151, 1);
    second = make_clone(first);
    before = copied_now();
    put_pages_beside_a_reader(second, 5, 1, 2);
    CHECK_EQ(copied_now() - before, 151 * PAGE);
    CHECK(figures().commits == 0 &&
          figures().bases == figures().base_files); /* the one that was tried is not counted */
    third = make_clone(second);
    before = copied_now();
    put_pages_beside_a_reader(third, 6, 1, 3);
    CHECK_EQ(copied_now() - before, PAGE); /* page 5 */
    CHECK_EQ(figures().commits, 1);
    CHECK_EQ(figures().base_files, 2);
    CHECK_EQ(dirty_pages(first), 151);
    CHECK_EQ(dirty_pages(second), 1); /* its own memory is settled, too */
    CHECK_EQ(dirty_pages(third), 2);
    fourth = make_clone(third);
    before = copied_now();
    put_pages_beside_a_reader(fourth, 600, 140, 4);
    CHECK_EQ(copied_now() - before, 2 * PAGE);
    fifth = make_clone(fourth);
    before = copied_now();
    put_pages_beside_a_reader(fifth, 2000, 1, 5);
    CHECK_EQ(copied_now() - before, 142 * PAGE);
    CHECK_EQ(figures().commits, 1); /* the debt began anew */
    CHECK(pages_hold(fifth, 600, 140, 4) && pages_hold(fifth, 740, 11, 1));
    cow_storage_free(fifth);
    CHECK(pages_hold(second, 600, 151, 1) && pages_hold(third, 600, 151, 1) && pages_hold(source, 600, 151, 7));
    CHECK(pages_hold(fourth, 740, 11, 1) && pages_hold(fourth, 600, 140, 4) && pages_hold(fourth, 5, 1, 2));
    cow_storage_free(first);
    cow_storage_free(third);
    cow_storage_free(source);
    put_pages_beside_a_reader(second, 602, 1, 5);
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
        put_pages_beside_a_reader(next, 2000 + (size_t)i, 1, 3);
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

/* Regions 0 and 1 of four, which one map has served. */
static void a_commit_takes_no_more_maps_than_there_are_regions_body(void)
{
    const ptrdiff_t dims[] = {2, 150, (ptrdiff_t)(512 * PAGE), (ptrdiff_t)PAGE};
    const cow_box both = {0, 1, 2, dims, SIZE_MAX};
    cow_storage *source = make_plain(), *first = make_clone(source), *second, *third;
    cow_mutable_scope scope;
    REQUIRE(cow_mutable_begin_at(first, &both, 0, &scope, NULL) == COW_OK);
    for (size_t page = 0; page < 150; page++) {
        ((char *)scope.data)[page * PAGE] = ((char *)scope.data)[(512 + page) * PAGE] = 1;
    }
    cow_mutable_end(&scope);
    second = make_clone(first);
    put_pages_beside_a_reader(second, 2000, 1, 2);
    cow_storage_free(first);
    CHECK_EQ(figures().maps, 1);
    third = make_clone(second);
    put_pages_beside_a_reader(third, 2000, 1, 3);
    CHECK_EQ(figures().commits, 2);
    CHECK_EQ(figures().maps, 4 + 2);
    CHECK(pages_hold(second, 0, 150, 1) && pages_hold(third, 512, 150, 1) && pages_hold(second, 662, 1338, 7));
    cow_storage_free(second);
    cow_storage_free(third);
    cow_storage_free(source);
}
IN_A_CHILD(a_commit_takes_no_more_maps_than_there_are_regions)

/* One region's pages are copied again and again, but its base would split the maps of all windows that are still to come. */
static void where_maps_are_scarce_a_window_has_one_base_body(void)
{
    cow_storage *source = make_plain(), *last = make_clone(source);
    size_t others = 0;
    while (cowi_maps_for_one() > 0) {
        REQUIRE(cowi_maps_take(100));
        others += 100;
    }
    CHECK(cowi_maps_for_first() > 0);
    put_pages_beside_a_reader(last, 0, 150, 1);
    for (size_t i = 0; i < 12; i++) {
        cow_storage *next = make_clone(last);
        put_pages_beside_a_reader(next, 2000 + i, 1, 3);
        CHECK(cow_storage_is_paged(next));
        CHECK_EQ(figures().commits, i < 7 ? 0 : 4); /* 7 copies of 150 pages do not yet cost a base of four regions */
        CHECK(pages_hold(last, 0, 150, 1) && pages_hold(last, 150, 500, 7));
        cow_storage_free(last);
        last = next;
        CHECK_EQ(figures().maps, others + 1);
    }
    CHECK_EQ(figures().base_files, 2);
    CHECK(pages_hold(last, 0, 150, 1) && pages_hold(last, 2000, 12, 3));
    cow_storage_free(last);
    cow_storage_free(source);
    cowi_maps_return(others);
}
IN_A_CHILD(where_maps_are_scarce_a_window_has_one_base)

/* A map in three pieces is dearer than a few pages that are copied each time. */
static void a_few_pages_get_no_base_body(void)
{
    cow_storage *source = make_plain(), *last = make_clone(source);
    for (size_t i = 0; i < 150; i++) {
        cow_storage *next = make_clone(last);
        put_pages_beside_a_reader(next, i % 15, 1, 1);
        cow_storage_free(last);
        last = next;
    }
    CHECK_EQ(figures().commits, 0);
    CHECK_EQ(figures().maps, 1);
    CHECK(pages_hold(last, 0, 15, 1) && pages_hold(last, 15, 100, 7));
    cow_storage_free(last);
    cow_storage_free(source); /* whose base it was: so no page was put there */
}
IN_A_CHILD(a_few_pages_get_no_base)

static void the_ledger_knows_what_a_commit_costs_body(void)
{
    cow_storage *source = make_plain(), *first = make_clone(source), *second = make_clone(source), *third;
    const uint64_t reserved =
        price_of(122 + 20) + SIZE; /* for a window that may be written: 6 % of its pages, and a copy */
    uint64_t before;
    put_pages_beside_a_reader(first, 600, 151, 1);
    cow_storage_free(second);
    second = make_clone(first);
    put_pages_beside_a_reader(second, 600, 1, 2); /* the debt is 317 */
    third = make_clone(second);
    before = figures().spent;
    put_pages_beside_a_reader(third, 600, 1, 3);
    CHECK_EQ(figures().commits, 1);
    cow_storage_free(third);
    CHECK_EQ(figures().spent + reserved - before,
             price_of_fill(1) + MAP_COST + price_of(1)); /* the second is at rest */
    cow_storage_free(first);
    cow_storage_free(second);
    cow_storage_free(source);
}
IN_A_CHILD(the_ledger_knows_what_a_commit_costs)

/* ---- seals ------------------------------------------------------------------------------------------------------- */

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
    put_pages_beside_a_reader(clone, 0, 1, 1);
    fd = base_descriptor();
    REQUIRE(fd >= 0);
    CHECK(fd >= 256);
    CHECK((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
    CHECK(pwrite(fd, "x", 1, PAGE) == -1 && errno == EPERM);
    CHECK(ftruncate(fd, 0) == -1 && errno == EPERM);
    CHECK(ftruncate(fd, (off_t)(100 * MIB)) == -1 && errno == EPERM);
    CHECK(mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED);
    CHECK(pages_hold(clone, 1, 100, 7));
    cow_storage_free(clone);
    cow_storage_free(source);
    CHECK_EQ(base_descriptor(), -1);
}
IN_A_CHILD(nobody_can_change_a_base)

/* ---- folds ------------------------------------------------------------------------------------------------------- */

/* A Storage whose window, with these pages of its own, is the only one on its base. */
static cow_storage *make_alone(size_t first, size_t count, int value)
{
    cow_storage *source = make_plain(), *made = make_clone(source);
    put_pages_beside_a_reader(made, first, count, value);
    cow_storage_free(source);
    return made;
}

/* Copies that are dropped before the next one leave nothing behind: the pages go into the base. */
static void copies_one_after_the_other_take_no_pages_body(void)
{
    cow_storage *x = make_alone(0, 10, 1);
    for (size_t i = 1; i < 40; i++) {
        cow_storage *saved = make_clone(x);
        const uint64_t before = copied_now();
        put_pages_beside_a_reader(x, 40 * i % 2000, 10, (int)i + 1);
        CHECK_EQ(copied_now() - before, 10 * PAGE);
        CHECK_EQ(dirty_pages(saved), 0);
        CHECK_EQ(dirty_pages(x), 10);
        CHECK(pages_hold(saved, 40 * (i - 1) % 2000, 10, (int)i) && pages_hold(saved, 40 * i % 2000, 10, 7));
        CHECK(pages_hold(x, 40 * (i - 1) % 2000, 10, (int)i) && pages_hold(x, 40 * i % 2000, 10, (int)i + 1));
        cow_storage_free(saved);
    }
    CHECK(figures().commits == 0 && figures().base_files == 1 && pages_hold(x, 0, 10, 1));
    cow_storage_free(x);
}
IN_A_CHILD(copies_one_after_the_other_take_no_pages)

/* Of two windows on a base, the pages of neither go there: the other one would see them. */
static void a_base_that_others_see_stays_as_it_is_body(void)
{
    cow_storage *x = make_alone(0, 10, 1), *kept = make_clone(x), *saved;
    put_pages_beside_a_reader(x, 20, 10, 2); /* the first ten go into the base */
    CHECK_EQ(dirty_pages(kept), 0);
    saved = make_clone(x);
    put_pages_beside_a_reader(x, 40, 10, 3);
    CHECK_EQ(dirty_pages(saved), 10);
    CHECK_EQ(dirty_pages(x), 20);
    CHECK(pages_hold(kept, 0, 10, 1) && pages_hold(kept, 10, 100, 7) && pages_hold(saved, 20, 10, 2));
    CHECK(pages_hold(saved, 40, 10, 7) && pages_hold(x, 20, 10, 2) && pages_hold(x, 40, 10, 3));
    cow_storage_free(kept);
    cow_storage_free(saved);
    saved = make_clone(x);
    put_pages_beside_a_reader(x, 60, 1, 4); /* x is alone again */
    CHECK_EQ(dirty_pages(saved), 0);
    CHECK(pages_hold(saved, 20, 10, 2) && pages_hold(saved, 40, 10, 3) && pages_hold(saved, 60, 1, 7));
    cow_storage_free(saved);
    cow_storage_free(x);
}
IN_A_CHILD(a_base_that_others_see_stays_as_it_is)

static void ignore(void *to, size_t start, size_t nbytes)
{
    (void)to;
    (void)start;
    (void)nbytes;
}

/* A window of another process is not counted. */
static void a_base_that_has_travelled_stays_as_it_is_body(void)
{
    cow_storage *x = make_alone(0, 10, 1), *saved;
    cow_base *base;
    size_t start;
    int fd;
    REQUIRE(cow_storage_base(x, &base, &start, ignore, NULL, NULL) == COW_OK);
    cow_base_release(base);
    fd = base_descriptor();
    REQUIRE(fd >= 0);
    CHECK((fcntl(fd, F_GET_SEALS) & F_SEAL_WRITE) != 0);
    CHECK(fcntl(fd, F_ADD_SEALS, 0) == -1 && errno == EPERM);
    saved = make_clone(x);
    put_pages_beside_a_reader(x, 20, 1, 2);
    CHECK_EQ(dirty_pages(saved), 10);
    CHECK_EQ(dirty_pages(x), 11);
    cow_storage_free(saved);
    cow_storage_free(x);
}
IN_A_CHILD(a_base_that_has_travelled_stays_as_it_is)

/* Nor is one of a forked child: which sees what there was when it was forked. */
static void a_child_sees_what_was_there_body(void)
{
    cow_storage *x = make_alone(0, 10, 1), *saved;
    int go[2], status;
    char byte;
    pid_t child;
    REQUIRE(pipe(go) == 0);
    child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        bool good;
        (void)close(go[1]);
        good = read(go[0], &byte, 1) == 0 && pages_hold(x, 0, 10, 1) && pages_hold(x, 10, 100, 7);
        saved = make_clone(x); /* in the child, too, the base stays as it is */
        put_pages_beside_a_reader(x, 0, 1, 5);
        good = good && dirty_pages(saved) == 10 && pages_hold(x, 0, 1, 5) && pages_hold(saved, 0, 10, 1);
        _exit(good ? 0 : 1);
    }
    (void)close(go[0]);
    saved = make_clone(x);
    put_pages_beside_a_reader(x, 0, 10, 2);
    cow_storage_free(saved);
    saved = make_clone(x);
    put_pages_beside_a_reader(x, 20, 10, 3);
    (void)close(go[1]);
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK_EQ(status, 0);
    CHECK(pages_hold(x, 0, 10, 2) && pages_hold(saved, 20, 10, 7));
    cow_storage_free(saved);
    cow_storage_free(x);
}
IN_A_CHILD(a_child_sees_what_was_there)

/* ---- windows with offsets, and pages that are swapped out -------------------------------------------------------- */

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
        at_made_up_prices(windows_at_random_hold_their_bytes_body);
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
    put_pages_beside_a_reader(first, 0, 100, 1);
    if (madvise((void *)(uintptr_t)cow_storage_address(first), SIZE, MADV_PAGEOUT) != 0) {
        (void)printf("skipped: pages cannot be made to leave\n");
    }
    second = make_clone(first);
    put_pages_beside_a_reader(second, 500, 1, 2);
    CHECK(cow_storage_is_paged(second));
    CHECK(pages_hold(second, 0, 100, 1) && pages_hold(second, 100, 400, 7) && pages_hold(first, 500, 1, 7));
    cow_storage_free(first);
    cow_storage_free(second);
    cow_storage_free(source);
}
IN_A_CHILD(swapped_pages_are_copied)

int main(void)
{
    RUN(what_is_copied_too_often_gets_a_base);
    RUN(regions_of_one_commit_keep_their_places);
    RUN(a_commit_takes_no_more_maps_than_there_are_regions);
    RUN(where_maps_are_scarce_a_window_has_one_base);
    RUN(a_few_pages_get_no_base);
    RUN(the_ledger_knows_what_a_commit_costs);
    RUN(nobody_can_change_a_base);
    RUN(copies_one_after_the_other_take_no_pages);
    RUN(a_base_that_others_see_stays_as_it_is);
    RUN(a_base_that_has_travelled_stays_as_it_is);
    RUN(a_child_sees_what_was_there);
    RUN(windows_at_random_hold_their_bytes);
    if (!has_swap()) {
        (void)printf("skipped: pages that are swapped out: no swap\n");
    }
    RUN(swapped_pages_are_copied);
    return finish("test_pages_bases");
}
