/* Whatever the system refuses, a write by the page ends as a copy would have: every value is right, every status is COW_OK,
 * and nothing is left over. Where a window was taken over, memory may run out for a page that others need, or for one of them
 * who reads; then nothing has changed. Each call of the files for pages fails in turn, alone and with all after it.
 *
 * One file, for each section breaks the same small world. */
#include "failing.h"

#include <dirent.h>
#include <sys/wait.h>

#include "base.h"
#include "dirty.h"
#include "harness.h"
#include "prices.h"

#define MIB ((size_t)1 << 20)
#define PAGE COWI_PAGE
#define SIZE (4 * MIB + 64) /* three regions */
#define PAGES (SIZE / PAGE + 1)

static void begin(size_t at, bool onwards, bool politely)
{
    const failing_plan plan = {at, onwards, politely, false, false, false, 0};
    failing_begin(plan);
}

static void use(cow_paging_mode mode)
{
    const cow_paging_policy policy = {mode, 0, 1};
    (void)cow_paging_use(policy);
}

static cow_paging_figures figures(void)
{
    cow_paging_figures now;
    cow_paging_read(&now);
    return now;
}

/* ---- a small world: Storages, and what the first byte of each page must be; all other bytes are 7 ------------------- */

typedef struct thing {
    cow_storage *storage;
    unsigned char first[PAGES];
} thing;

static thing plain_thing(void)
{
    thing made;
    made.storage = make_filled(cow_heap(), SIZE, 7);
    memset(made.first, 7, sizeof made.first);
    return made;
}

static thing clone_of(const thing *source)
{
    thing made = *source;
    made.storage = make_clone(source->storage);
    return made;
}

/* Whether others read what a writer shares, so that he takes nothing over. */
static bool beside_readers;
static bool takes_over;

/* The first byte of `count` pages from `page` on, by a writer who says so. */
static void put_pages(thing *to, size_t page, size_t count, int value)
{
    cow_const_scope reader;
    const bool reads = beside_readers && cow_const_begin(to->storage, &reader, NULL) == COW_OK;
    const ptrdiff_t dims[] = {(ptrdiff_t)count, (ptrdiff_t)PAGE};
    const cow_box box = {(ptrdiff_t)(page * PAGE), 1, 1, dims, SIZE_MAX};
    cow_mutable_scope scope;
    const cow_status status = cow_mutable_begin_at(to->storage, &box, 0, &scope, NULL);
    REQUIRE(status == COW_OK || (takes_over && status == COW_ENOMEM));
    for (size_t i = page; status == COW_OK && i < page + count; i++) {
        ((char *)scope.data)[i * PAGE] = (char)value;
        to->first[i] = (unsigned char)value;
    }
    if (status == COW_OK) {
        cow_mutable_end(&scope);
    }
    if (reads) {
        cow_const_end(&reader);
    }
}

static void put_each(thing *to, size_t page, size_t count, int value)
{
    for (size_t i = page; i < page + count; i++) {
        put_pages(to, i, 1, value);
    }
}

static bool is_right(const thing *of)
{
    const size_t nbytes = cow_storage_nbytes(of->storage);
    cow_const_scope scope;
    bool right = true;
    const cow_status status = cow_const_begin(of->storage, &scope, NULL);
    if (takes_over && status == COW_ENOMEM) {
        return true;
    }
    REQUIRE(status == COW_OK);
    for (size_t at = 0; at < nbytes; at += PAGE) {
        const unsigned char *bytes = (const unsigned char *)scope.data + at;
        right = right && bytes[0] == of->first[at / PAGE] && bytes[1] == 7 && bytes[63] == 7;
        right = right && (at + PAGE > nbytes || bytes[PAGE - 1] == 7);
    }
    cow_const_end(&scope);
    return right;
}

static void check_all(const thing *things, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        CHECK(is_right(&things[i]));
    }
}

/* One base, its pages, a second generation. */
static void first_write(void)
{
    thing all[3];
    all[0] = plain_thing();
    all[1] = clone_of(&all[0]);
    put_pages(&all[1], 5, 1, 1);
    all[2] = clone_of(&all[1]);
    put_pages(&all[2], 700, 1, 2);
    check_all(all, 3);
    for (size_t i = 0; i < 3; i++) {
        cow_storage_free(all[i].storage);
    }
}

/* With prices of 1.15 and 2.1 a region of 151 pages is due at the second copy of it, and one of 190 is dense. */
static void many_generations(void)
{
    thing all[7];
    all[0] = plain_thing();
    all[1] = clone_of(&all[0]);
    put_pages(&all[1], 5, 1, 1);
    all[2] = clone_of(&all[1]);
    put_pages(&all[2], 10, 150, 2);
    all[3] = clone_of(&all[2]);
    put_pages(&all[3], 600, 1, 3);
    all[4] = clone_of(&all[3]);
    put_pages(&all[4], 601, 1, 4); /* commits a region of all[3] */
    all[5] = clone_of(&all[4]);
    put_pages(&all[5], 513, 190, 5); /* a region as a whole */
    all[6] = clone_of(&all[5]);
    put_pages(&all[6], 0, 1, 6);
    check_all(all, 7);
    put_each(&all[4], 200, 100, 7); /* and is given up */
    put_pages(&all[0], 1, 1, 8);
    cow_storage_free(all[3].storage);
    all[3] = clone_of(&all[6]);
    put_pages(&all[3], 1024, 1, 9);
    check_all(all, 7);
    for (size_t i = 0; i < 7; i++) {
        cow_storage_free(all[i].storage);
    }
}

/* What cannot be had is refused, and the Storage is as it was. */
static void request(void)
{
    thing of = plain_thing(), clone;
    const void *address = cow_storage_address(of.storage);
    const cow_status status = cow_storage_page(of.storage, NULL);
    CHECK(status == COW_OK || status == COW_EREFUSED || status == COW_ENOMEM);
    CHECK(status == COW_OK || cow_storage_address(of.storage) == address);
    CHECK(cow_storage_is_sole(of.storage) && is_right(&of));
    clone = clone_of(&of);
    put_pages(&clone, 600, 1, 2);
    put_pages(&of, 3, 1, 1);
    CHECK(is_right(&of) && is_right(&clone));
    cow_storage_free(of.storage);
    cow_storage_free(clone.storage);
}

/* ---- grounds --------------------------------------------------------------------------------------------------------- */

typedef struct told {
    unsigned char pages[PAGES];
} told;

static void tell(void *to, size_t start, size_t nbytes)
{
    memset(((told *)to)->pages + start / PAGE, 1, (nbytes - 1) / PAGE + 1);
}

/* Whether all pages are told in which the first bytes differ. */
static bool tells_all(const told *all, const unsigned char *one, const unsigned char *other, size_t step)
{
    bool good = true;
    for (size_t i = 0; i < PAGES; i++) {
        good = good && (all->pages[i] || one[i] == other[i * step]);
    }
    return good;
}

static void put_on_ground(cow_ground *ground, const thing *of, size_t page)
{
    unsigned char bytes[PAGE];
    const unsigned char before = ((const unsigned char *)cow_ground_bytes(ground))[page * PAGE];
    cow_status status;
    memset(bytes, 7, sizeof bytes);
    bytes[0] = of->first[page];
    status = cow_ground_put(ground, page * PAGE, bytes, PAGE, NULL);
    CHECK(status == COW_OK || status == COW_ENOMEM);
    CHECK_EQ(((const unsigned char *)cow_ground_bytes(ground))[page * PAGE], status == COW_OK ? bytes[0] : before);
}

static void look(cow_ground *ground, const thing *of)
{
    told all;
    memset(&all, 0, sizeof all);
    CHECK(cow_ground_changes(ground, of->storage, tell, &all, NULL) == COW_OK);
    CHECK(tells_all(&all, of->first, (const unsigned char *)cow_ground_bytes(ground), PAGE));
}

/* A clone keeps its values, and what is told is all that differs. */
static void follow(void)
{
    thing of = plain_thing(), clone, other;
    cow_ground *ground = NULL;
    told all;
    const cow_status status = cow_ground_new(of.storage, &ground, &clone.storage, NULL);
    if (status != COW_OK) {
        CHECK((status == COW_EREFUSED || status == COW_ENOMEM) && ground == NULL && is_right(&of));
        cow_storage_free(of.storage);
        return;
    }
    cow_storage_free(of.storage);
    of.storage = clone.storage;
    clone = clone_of(&of);
    put_pages(&of, 3, 1, 1);
    put_pages(&of, 600, 200, 2);
    look(ground, &of);
    put_on_ground(ground, &of, 3);
    put_on_ground(ground, &of, 600);
    cow_ground_settle(ground, of.storage);
    look(ground, &of);
    other = clone_of(&of);
    put_pages(&of, 3, 1, 4);
    put_on_ground(ground, &of, 3);
    CHECK(is_right(&of) && is_right(&clone) && is_right(&other));
    memset(&all, 0, sizeof all);
    CHECK(cow_storage_differences(of.storage, 0, clone.storage, 0, SIZE, tell, &all, NULL) == COW_OK);
    CHECK(tells_all(&all, of.first, clone.first, 1));
    cow_storage_free(of.storage);
    if (cow_ground_storage(ground, &of.storage, NULL) == COW_OK) {
        cow_storage_free(of.storage);
    }
    cow_ground_free(ground);
    CHECK(is_right(&clone) && is_right(&other));
    cow_storage_free(clone.storage);
    cow_storage_free(other.storage);
}

/* As another process would: it has the descriptor of the base, and no base. What cannot be had changes nothing. */
static void travel(void)
{
    thing of = plain_thing(), again = of;
    cow_base *base = NULL, *received = NULL;
    uint64_t identity[2];
    size_t start = 0, nbytes;
    told all;
    int descriptor;
    memset(&all, 0, sizeof all);
    if (cow_storage_page(of.storage, NULL) == COW_OK &&
        (cow_storage_rebase(of.storage, NULL) == COW_OK || is_right(&of)) &&
        cow_storage_base(of.storage, &base, &start, tell, &all, NULL) == COW_OK) {
        CHECK(start == 0);
        cow_base_identity(base, identity);
        nbytes = cow_base_nbytes(base);
        descriptor = cow_base_descriptor(base);
        CHECK(is_right(&of));
        cow_storage_free(of.storage);
        cow_base_release(base);
        if (descriptor >= 0 && cow_base_receive(descriptor, identity, nbytes, &received, NULL) == COW_OK) {
            if (cow_base_storage(received, 0, SIZE, &again.storage, NULL) == COW_OK) {
                CHECK(is_right(&again));
                cow_storage_free(again.storage);
            }
            cow_base_release(received);
        }
        if (descriptor >= 0) {
            (void)failing_close(descriptor);
        }
        return;
    }
    CHECK(base == NULL && is_right(&of));
    cow_storage_free(of.storage);
}

static int file; /* SIZE + 64 bytes of 7 */

/* What fails here says so; what is mapped is right. */
static void file_map(void)
{
    const int own = dup(file);
    const failing_report before = failing_now();
    thing of, clone;
    cow_dataptr ptr;
    cow_status status;
    REQUIRE(own >= 0);
    status = cow_paging_map_file(own, 64, SIZE, NULL, &ptr, NULL);
    (void)close(own);
    if (status != COW_OK) {
        CHECK(failing_now().failed > before.failed);
        CHECK(status == COW_EINVAL || status == COW_ENOMEM);
        return;
    }
    memset(of.first, 7, sizeof of.first);
    REQUIRE(cow_storage_adopt(cow_heap(), ptr, SIZE, 0, &of.storage, NULL) == COW_OK);
    put_pages(&of, 3, 1, 1);
    clone = clone_of(&of);
    put_pages(&clone, 600, 1, 2);
    CHECK(is_right(&of) && is_right(&clone));
    cow_storage_free(of.storage);
    put_pages(&clone, 601, 1, 3);
    CHECK(is_right(&clone));
    cow_storage_free(clone.storage);
}

/* ---- nothing is left over --------------------------------------------------------------------------------------------- */

static size_t open_descriptors(void)
{
    DIR *directory = opendir("/proc/self/fd");
    size_t count = 0;
    if (directory != NULL) {
        while (readdir(directory) != NULL) {
            count++;
        }
        (void)closedir(directory);
    }
    return count;
}

/* Maps of files in memory. */
static size_t base_maps(void)
{
    FILE *lines = fopen("/proc/self/maps", "re");
    char line[512];
    size_t count = 0;
    while (lines != NULL && fgets(line, sizeof line, lines) != NULL) {
        count += strstr(line, "memfd:cowarray") != NULL;
    }
    if (lines != NULL) {
        (void)fclose(lines);
    }
    return count;
}

static void nothing_is_left(failing_report before, size_t descriptors)
{
    const cow_paging_figures now = figures();
    const failing_report after = failing_now();
    CHECK(now.base_bytes == 0 && now.base_files == 0 && now.maps == 0);
    CHECK(after.mapped == before.mapped);
    CHECK(after.descriptors == before.descriptors);
    CHECK(after.blocks == before.blocks);
    CHECK_EQ(open_descriptors(), descriptors);
    CHECK_EQ(base_maps(), 0);
}

/* ---- the sweep: each turn in a child, which has asked for no base yet unless we have ------------------------------------ */

enum { WRONG = 1, NOT_REACHED = 2 };

static int in_a_child(void (*world)(void), failing_plan plan)
{
    int status = -1;
    pid_t child;
    (void)fflush(stdout);
    child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const size_t before = checks_failed(), descriptors = open_descriptors();
        failing_report start;
        (void)alarm(120);
        failing_begin(plan);
        start = failing_now();
        world();
        nothing_is_left(start, descriptors);
        if (checks_failed() != before) {
            (void)fprintf(stderr, "call %zu%s failed: %s\n", plan.at, plan.onwards ? " and all after it" : "",
                          failing_now().first == NULL ? "none" : failing_now().first);
        }
        _exit(checks_failed() != before ? WRONG : plan.at != 0 && failing_now().failed == 0 ? NOT_REACHED : 0);
    }
    REQUIRE(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : WRONG;
}

/* Returns how many calls were made to fail. */
static size_t sweep(void (*world)(void), bool onwards, bool politely, bool no_scan)
{
    /* In full where this is all that is run. */
    const char *only = getenv("COWARRAY_TEST_ONLY");
    const size_t step = (only == NULL || *only == '\0') && rounds(100) < 100 ? 100 / rounds(100) : 1;
    size_t turns = 0;
    for (size_t at = 1;; at += step) {
        const failing_plan plan = {at, onwards, politely, no_scan, false, false, 0};
        const int status = in_a_child(world, plan);
        CHECK(status != WRONG);
        if (status != 0) {
            return turns;
        }
        turns++;
    }
}

static void sweep_all(void (*world)(void), const char *name)
{
    const size_t once = sweep(world, false, true, false);
    const size_t rude = sweep(world, false, false, false);
    const size_t rest = sweep(world, true, false, false);
    (void)printf("%s: %zu calls made to fail\n", name, once + rude + rest);
    CHECK(once > 0 && rude > 0 && rest > 0);
}

/* From here on the answer is known, to all children too. */
static bool can_page(void)
{
    return cowi_base_granted(true);
}

static void first_writes_survive_each_failure(fixture *f)
{
    (void)f;
    use(COW_PAGING_EAGER);
    sweep_all(first_write, "first write, which asks for a base");
}

static void generations_survive_each_failure(fixture *f)
{
    cow_paging_figures before, after;
    (void)f;
    use(COW_PAGING_EAGER);
    begin(0, false, false);
    before = figures();
    if (!CHECK(can_page())) {
        return;
    }
    beside_readers = true;
    many_generations();
    after = figures();
    CHECK(cowi_prices_of(true)->fill == 1150 && cowi_prices_of(true)->page == 2100);
    CHECK_EQ(after.commits - before.commits, 2);
    CHECK_EQ(after.give_ups - before.give_ups, 1);
    sweep_all(many_generations, "many generations");
    beside_readers = false;
    takes_over = true;
    sweep_all(many_generations, "generations that writers take over");
    takes_over = false;
}

static void requests_survive_each_failure(fixture *f)
{
    (void)f;
    use(COW_PAGING_OFF);
    sweep_all(request, "a request");
}

static void grounds_survive_each_failure(fixture *f)
{
    (void)f;
    use(COW_PAGING_OFF);
    sweep_all(follow, "a ground");
}

static void bases_that_travel_survive_each_failure(fixture *f)
{
    (void)f;
    use(COW_PAGING_OFF);
    sweep_all(travel, "a base that travels");
}

static void file_maps_survive_each_failure(fixture *f)
{
    (void)f;
    use(COW_PAGING_OFF);
    sweep_all(file_map, "a file");
}

/* ---- systems that lack something -------------------------------------------------------------------------------------- */

/* The road that is taken without PAGEMAP_SCAN finds the same pages, on dirt at random: scattered, in runs, none, all. */
static void both_roads_find_the_same_pages(fixture *f)
{
    const failing_plan old = {0, false, false, true, false, false, 0};
    const size_t pages = 4 * COWI_REGION_PAGES, words = pages / 64;
    static uint64_t scanned[32], read_bits[32], written[32];
    const char *zeros = (const char *)scanned;
    const cowi_piece pieces[] = {{zeros, 8}, {zeros, 8}, {zeros, 8}, {zeros, 8}};
    uint64_t seed = test_seed();
    cowi_base *base;
    (void)f;
    begin(0, false, false);
    base = cowi_base_new(pieces, 4, true);
    REQUIRE(base != NULL && words <= 32);
    for (unsigned round = 0; round < rounds(50); round++) {
        char *map = cowi_room(pages * PAGE);
        cowi_dirt dirt = {scanned, 0}, dirt_read = {read_bits, 0};
        const size_t most = next_random(&seed) % (pages + 1);
        size_t count = 0;
        REQUIRE(map != NULL && cowi_base_map(base, 0, map, pages * PAGE));
        memset(scanned, 0, sizeof scanned);
        memset(read_bits, 0, sizeof read_bits);
        memset(written, 0, sizeof written);
        for (size_t i = 0; i < most; i++) {
            const size_t page = round % 3 == 0 ? i : next_random(&seed) % pages;
            map[page * PAGE + i % PAGE] = 0; /* as it is in the base */
            count += (written[page / 64] >> page % 64 & 1) == 0;
            written[page / 64] |= (uint64_t)1 << page % 64;
        }
        for (size_t i = 0; i < 100; i++) { /* clean pages that are there */
            (void)*(volatile char *)(map + next_random(&seed) % pages * PAGE);
        }
        begin(0, false, false);
        REQUIRE(cowi_dirt_find(map, pages * PAGE, &dirt));
        const bool has_scan = failing_now().scans > 0;
        CHECK(has_scan == (failing_now().entries == 0));
        failing_begin(old);
        REQUIRE(cowi_dirt_find(map, pages * PAGE, &dirt_read));
        CHECK(failing_now().scans == 0 && failing_now().entries >= pages / 512);
        CHECK(dirt.pages == count && dirt_read.pages == count);
        CHECK(memcmp(scanned, written, sizeof written) == 0 && memcmp(read_bits, written, sizeof written) == 0);
        REQUIRE(failing_munmap(map, pages * PAGE) == 0);
    }
    cowi_base_release(base);
}

static void old_kernels_hold_the_same_values(fixture *f)
{
    const failing_plan old[] = {{0, false, false, true, false, false, 0},
                                {0, false, false, false, true, false, 0},
                                {0, false, false, false, false, true, 0},
                                {0, false, false, true, true, true, 0}};
    (void)f;
    use(COW_PAGING_EAGER);
    for (size_t i = 0; i < sizeof old / sizeof *old; i++) {
        CHECK_EQ(in_a_child(many_generations, old[i]), 0);
        CHECK_EQ(in_a_child(first_write, old[i]), 0);
        CHECK_EQ(in_a_child(file_map, old[i]), 0);
    }
}

/* The table of pages may end early, too. */
static void old_kernels_survive_each_failure(fixture *f)
{
    size_t calls;
    (void)f;
    use(COW_PAGING_EAGER);
    calls = sweep(first_write, false, false, true);
    (void)printf("an old kernel: %zu calls made to fail\n", calls);
    CHECK(calls > 0);
}

static void paged_on_an_old_kernel(void)
{
    const uint64_t before = figures().page_copies;
    first_write();
    CHECK_EQ(figures().page_copies - before, 2);
}

static void old_kernels_page_all_the_same(fixture *f)
{
    const failing_plan old = {0, false, false, true, false, true, 0};
    (void)f;
    use(COW_PAGING_EAGER);
    CHECK_EQ(in_a_child(paged_on_an_old_kernel, old), 0);
    CHECK_EQ(in_a_child(file_map, old), 0);
}

static void only_files_are_paged(void)
{
    const cow_paging_policy policy = {COW_PAGING_EAGER, 0, 0};
    const uint64_t before = figures().page_copies;
    (void)cow_paging_use(policy);
    first_write();
    CHECK_EQ(figures().page_copies, before);
    file_map();
    CHECK_EQ(figures().page_copies - before, 1);
}

static void a_file_is_paged_where_nothing_else_is(fixture *f)
{
    const failing_plan old = {0, false, false, false, true, false, 0};
    (void)f;
    CHECK_EQ(in_a_child(only_files_are_paged, old), 0);
}

static int descriptor_of_a_base(void)
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

/* Somebody closes our descriptor, and opens a file that gets its number. */
static void another_takes_our_place(void)
{
    thing source = plain_thing(), clone = clone_of(&source);
    int ours, theirs;
    put_pages(&clone, 5, 1, 1);
    ours = descriptor_of_a_base();
    REQUIRE(ours >= 0 && failing_close(ours) == 0);
    theirs = fcntl(file, F_DUPFD, ours);
    REQUIRE(theirs == ours);
    CHECK(is_right(&clone) && is_right(&source));
    cow_storage_free(clone.storage);
    cow_storage_free(source.storage);
    CHECK(fcntl(theirs, F_GETFD) >= 0);
    (void)close(theirs);
}

static void another_file_in_our_place_stays_open(fixture *f)
{
    const failing_plan usual = {0, false, false, false, false, false, 0};
    (void)f;
    use(COW_PAGING_EAGER);
    CHECK_EQ(in_a_child(another_takes_our_place, usual), 0);
}

/* Pages of 4 KiB only on request: without it nothing is paged. */
static void unpaged_without_huge_pages(void)
{
    const cow_paging_policy policy = {COW_PAGING_EAGER, 0, 0};
    const uint64_t before = figures().page_copies;
    (void)cow_paging_use(policy);
    first_write();
    CHECK_EQ(figures().page_copies, before);
    use(COW_PAGING_EAGER);
    first_write();
    CHECK_EQ(figures().page_copies - before, 2);
}

static void small_pages_are_taken_on_request(fixture *f)
{
    const failing_plan old = {0, false, false, false, true, false, 0};
    (void)f;
    CHECK_EQ(in_a_child(unpaged_without_huge_pages, old), 0);
}

/* One refusal (the third call) may be for a moment; after three the system is not asked again. */
static void paged_after_a_refusal(void)
{
    const uint64_t before = figures().page_copies;
    first_write();
    CHECK_EQ(figures().page_copies - before, 1);
}

static void unpaged_without_asking(void)
{
    const cow_paging_policy policy = {COW_PAGING_EAGER, 0, 0};
    size_t calls;
    (void)cow_paging_use(policy);
    first_write();
    first_write();
    calls = failing_now().calls;
    CHECK(calls > 0);
    first_write();
    CHECK_EQ(failing_now().calls, calls + 1); /* memory for the family */
}

static void refusals_are_remembered(fixture *f)
{
    const failing_plan once = {3, false, false, false, false, false, 0};
    const failing_plan always = {0, false, false, false, true, false, 0};
    (void)f;
    use(COW_PAGING_EAGER);
    CHECK_EQ(in_a_child(paged_after_a_refusal, once), 0);
    CHECK_EQ(in_a_child(unpaged_without_asking, always), 0);
}

/* ---- budgets -------------------------------------------------------------------------------------------------------- */

#define CLONES 40

static void forty_clones(size_t most_maps, size_t most_files)
{
    thing root = plain_thing(), *all = (thing *)calloc(CLONES, sizeof *all);
    REQUIRE(all != NULL);
    for (size_t i = 0; i < CLONES; i++) {
        all[i] = clone_of(&root);
        put_pages(&all[i], i, 1, 1);
        if (i % 2 != 0) { /* a base of its own */
            cow_storage *whole = all[i].storage;
            all[i].storage = make_filled(cow_heap(), SIZE, 7);
            memset(all[i].first, 7, sizeof all[i].first);
            cow_storage_free(whole);
            thing of = clone_of(&all[i]);
            put_pages(&of, i, 1, 2);
            CHECK(is_right(&all[i]) && is_right(&of));
            cow_storage_free(all[i].storage);
            all[i] = of;
        }
        CHECK(figures().maps <= most_maps && figures().base_files <= most_files);
    }
    CHECK(figures().maps > most_maps / 2 || figures().base_files > most_files / 2);
    check_all(all, CLONES);
    for (size_t i = 0; i < CLONES; i++) {
        cow_storage_free(all[i].storage);
    }
    cow_storage_free(root.storage);
    free(all);
}

static void few_maps(void)
{
    forty_clones(16, CLONES);
}

static void few_files(void)
{
    struct rlimit limit;
    REQUIRE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    limit.rlim_cur = 32;
    REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    forty_clones(CLONES, 16);
}

static void budgets_of_the_kernel_are_kept(fixture *f)
{
    const failing_plan short_of_maps = {0, false, false, false, false, false, 64};
    const failing_plan usual = {0, false, false, false, false, false, 0};
    (void)f;
    use(COW_PAGING_EAGER);
    CHECK_EQ(in_a_child(few_maps, short_of_maps), 0);
    CHECK_EQ(in_a_child(few_files, usual), 0);
}

int main(void)
{
    char name[] = "/tmp/cowarray-failures-XXXXXX";
    char *bytes = (char *)malloc(SIZE + 64);
    file = mkstemp(name);
    REQUIRE(file >= 0 && bytes != NULL);
    memset(bytes, 7, SIZE + 64);
    REQUIRE(write(file, bytes, SIZE + 64) == (ssize_t)(SIZE + 64));
    (void)unlink(name);
    free(bytes);
    /* What is asked of the system once, must not have been asked before. */
    RUN(small_pages_are_taken_on_request);
    RUN(a_file_is_paged_where_nothing_else_is);
    RUN(refusals_are_remembered);
    RUN(budgets_of_the_kernel_are_kept);
    RUN(another_file_in_our_place_stays_open);
    RUN(old_kernels_page_all_the_same);
    RUN(old_kernels_survive_each_failure);
    RUN(first_writes_survive_each_failure);
    RUN(generations_survive_each_failure);
    RUN(requests_survive_each_failure);
    RUN(grounds_survive_each_failure);
    RUN(bases_that_travel_survive_each_failure);
    RUN(file_maps_survive_each_failure);
    RUN(old_kernels_hold_the_same_values);
    RUN(both_roads_find_the_same_pages);
    (void)close(file);
    return finish("test_pages_failures");
}
