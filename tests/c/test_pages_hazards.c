/* No value changes where a process has few files, maps or pages, where strangers close its descriptors, and where the
 * kernel's answers come in parts. A file that was mapped is never written. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "paging.h"

/* ---- limits and strangers ---------------------------------------------------------------------------------------- */

/* Two writes to clones, on a base of before if there is one: whether all values are right. */
static bool writes_are_right(cow_storage *root)
{
    cow_storage *a = make_clone(root), *b;
    bool good = put(a, 10, 1) == COW_OK;
    b = make_clone(a);
    good = put(b, 5 * MIB, 2) == COW_OK && get(a, 10) == 1 && get(b, 10) == 1 && get(b, 5 * MIB) == 2 && good;
    good = good && get(a, 5 * MIB) == 7 && get(root, 10) == 7 && holds_between(b, 11, 5 * MIB, 7);
    cow_storage_free(a);
    cow_storage_free(b);
    return good;
}

/* All of these run in children, whose limits and descriptors are their own. */
static void with_limit(int which, rlim_t most)
{
    struct rlimit limit;
    cow_storage *root = make_large(7);
    cow_storage *keep = make_clone(root), *fresh = make_large(7); /* no base yet */
    (void)writes_are_right(keep);
    REQUIRE(getrlimit((__rlimit_resource_t)which, &limit) == 0);
    limit.rlim_cur = most;
    REQUIRE(setrlimit((__rlimit_resource_t)which, &limit) == 0);
    CHECK(writes_are_right(root));
    CHECK(writes_are_right(fresh));
}

static void small_files(void *unused)
{
    (void)unused;
    with_limit(RLIMIT_FSIZE, MIB);
}

static void few_descriptors(void *unused)
{
    (void)unused;
    with_limit(RLIMIT_NOFILE, 4);
}

static void closed_descriptors(void *unused)
{
    cow_storage *root = make_large(7), *keep = make_clone(root), *a = make_clone(root);
    (void)unused;
    CHECK_OK(put(a, 0, 1));
    for (int fd = 3; fd < 1024; fd++) {
        (void)close(fd);
    }
    for (int fd = 3; fd < 1024; fd++) { /* another file, where ours was */
        const int other = open("/dev/zero", O_RDWR | O_CLOEXEC);
        if (other < 0) {
            break;
        }
    }
    CHECK(get(a, 0) == 1 && get(a, 1) == 7);
    CHECK(writes_are_right(root));
    CHECK(writes_are_right(keep));
    cow_storage_free(a);
}

static void undumpable(void *unused)
{
    cow_storage *root = make_large(7), *keep = make_clone(root);
    (void)unused;
    REQUIRE(writes_are_right(root) && prctl(PR_SET_DUMPABLE, 0) == 0);
    CHECK(writes_are_right(root));
    CHECK(writes_are_right(keep));
}

static void no_huge_pages(void *unused)
{
    cow_storage *root = make_large(7), *keep = make_clone(root);
    (void)unused;
    REQUIRE(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) == 0);
    CHECK(writes_are_right(root));
    CHECK(writes_are_right(keep));
}

static void limits_and_strangers_change_no_value(fixture *f)
{
    (void)f;
    use(COW_PAGING_EAGER);
    CHECK(child_succeeds(small_files, NULL));
    CHECK(child_succeeds(few_descriptors, NULL));
    CHECK(child_succeeds(closed_descriptors, NULL));
    CHECK(child_succeeds(undumpable, NULL));
    CHECK(child_succeeds(no_huge_pages, NULL));
}

/* ---- answers of the kernel --------------------------------------------------------------------------------------- */

/* Of single pages, so few in each region and so few of all that no price of a page makes a copy the better choice. */
static void more_runs_than_one_answer_holds(fixture *f)
{
    cow_storage *first, *second, *third;
    const size_t nbytes = 256 * MIB, wide = 96 * PAGE;
    int paged = 0;
    (void)f;
    use(COW_PAGING_EAGER);
    for (int skipped = 0; skipped < (can_page ? 64 : 1) && !paged; skipped++) {
        first = make_filled(cow_heap(), nbytes, 7);
        second = make_clone(first);
        for (size_t at = 0; at < nbytes; at += wide) { /* 682 runs, and an answer has 512 */
            REQUIRE(put(second, at, 1) == COW_OK);
        }
        third = make_clone(second);
        REQUIRE(put(third, 1, 2) == COW_OK);
        for (size_t at = 0; at < nbytes; at += PAGE) {
            REQUIRE(get(third, at) == (at % wide == 0 ? 1 : 7) && get(second, at) == get(third, at));
        }
        paged = cow_storage_is_paged(second) && cow_storage_is_paged(third);
        cow_storage_free(first);
        cow_storage_free(second);
        CHECK(get(third, 1) == 2);
        cow_storage_free(third);
    }
    CHECK_EQ(paged, can_page);
    nothing_is_left();
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static void files_are_mapped_and_never_written(fixture *f)
{
    char name[] = "/tmp/cowarray-pages-XXXXXX";
    const int descriptor = mkstemp(name);
    char *bytes = (char *)malloc(LARGE);
    cow_dataptr ptr;
    cow_storage *first = NULL, *second;
    char byte = 0;
    (void)f;
    use(COW_PAGING_OFF); /* on request, whatever the policy */
    REQUIRE(descriptor >= 0 && bytes != NULL);
    memset(bytes, 7, LARGE);
    REQUIRE(write(descriptor, bytes, LARGE) == (ssize_t)LARGE);
    CHECK_STATUS(cow_paging_map_file(descriptor, 128, LARGE, NULL, &ptr, NULL), COW_EINVAL);
    CHECK_STATUS(cow_paging_map_file(-1, 0, LARGE, NULL, &ptr, NULL), COW_EINVAL);
    CHECK_STATUS(cow_paging_map_file(descriptor, 0, 0, NULL, &ptr, NULL), COW_EINVAL);
    REQUIRE(cow_paging_map_file(descriptor, 128, LARGE - 128, NULL, &ptr, NULL) == COW_OK);
    REQUIRE(cow_storage_adopt(cow_heap(), ptr, LARGE - 128, 0, &first, NULL) == COW_OK);
    (void)close(descriptor);
    CHECK_OK(put(first, 0, 1));
    second = make_clone(first);
    CHECK_OK(put(second, 5 * MIB, 2));
    CHECK_EQ(cow_storage_is_paged(second), 1);
    CHECK(get(first, 5 * MIB) == 7 && get(second, 0) == 1 && get(second, 5 * MIB) == 2);
    cow_storage_free(first);
    CHECK(holds_between(second, 1, 5 * MIB, 7) && holds_between(second, 5 * MIB + 1, LARGE - 128, 7));
    cow_storage_free(second);
    const int again = open(name, O_RDONLY);
    for (size_t at = 0; at < LARGE; at += PAGE / 2) {
        REQUIRE(pread(again, &byte, 1, (off_t)at) == 1 && byte == 7);
    }
    (void)close(again);
    (void)unlink(name);
    free(bytes);
    nothing_is_left();
}

int main(void)
{
    see_whether_pages_are_granted();
    RUN(files_are_mapped_and_never_written);
    RUN(limits_and_strangers_change_no_value);
    RUN(more_runs_than_one_answer_holds);
    return finish("test_pages_hazards");
}
