/* The contract of cow_allocator, once, for every allocator there is; and what the tracing allocator promises on top.
 *
 * One file, for each part sets its allocator against the same contract: the heap, its large blocks, the tracing one. */
#include "harness.h"

#include <sys/resource.h>
#include <unistd.h>

#include "large.h"

#ifdef COWI_ASAN
#include <sanitizer/asan_interface.h>
#endif

/* A sanitizer's malloc ends the process where there is no memory. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FATAL_MALLOC 1
#endif
#endif
#if defined(COWI_ASAN) || defined(__SANITIZE_THREAD__)
#define FATAL_MALLOC 1
#endif

static void contract(const cow_allocator *allocator)
{
    const size_t sizes[] = {1, 7, 64, 65, 4096, 100003, ((size_t)4 << 20) + 5};
    CHECK(allocator->name != NULL && allocator->name[0] != '\0');
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (size_t alignment = sizeof(void *); alignment <= 4096; alignment *= 2) {
            char *from = (char *)allocator->alloc(allocator->self, sizes[i], alignment);
            char *to = (char *)allocator->alloc(allocator->self, sizes[i], alignment);
            REQUIRE(from != NULL && to != NULL);
            CHECK_EQ((uintptr_t)from % alignment, 0);
            CHECK_EQ((uintptr_t)to % alignment, 0);
            CHECK(from + sizes[i] <= to || to + sizes[i] <= from);
            memset(from, 0x5A, sizes[i]);
            memset(to, 0x11, sizes[i]);
            allocator->clone(allocator->self, to, from, sizes[i]);
            CHECK(all_bytes(to, sizes[i], 0x5A));
            memset(to, 0x12, sizes[i]);
            allocator->clone(allocator->self, to, from, sizes[i] / 2); /* a window: the rest stays */
            CHECK(all_bytes(to, sizes[i] / 2, 0x5A));
            CHECK(all_bytes(to + sizes[i] / 2, sizes[i] - sizes[i] / 2, 0x12));
            allocator->clone(allocator->self, to, from, 0);
            CHECK(all_bytes(from, sizes[i], 0x5A));
            allocator->free(allocator->self, from, sizes[i], alignment);
            CHECK_EQ(to[sizes[i] - 1], 0x12); /* its neighbour's end is not its own */
            allocator->free(allocator->self, to, sizes[i], alignment);
        }
    }
    /* More than memory can hold is NULL, and so is a size that the allocator's own extras would make wrap. */
    CHECK(allocator->alloc(allocator->self, SIZE_MAX, 64) == NULL);
    CHECK(allocator->alloc(allocator->self, SIZE_MAX - 63, 64) == NULL);
    CHECK(allocator->alloc(allocator->self, (size_t)PTRDIFF_MAX + 1, 64) == NULL);
    CHECK(allocator->alloc(allocator->self, (size_t)PTRDIFF_MAX, 64) == NULL);
    CHECK(allocator->alloc(allocator->self, SIZE_MAX, sizeof(void *)) == NULL);
}

static void heap_keeps_the_contract(fixture *f)
{
    (void)f;
    contract(cow_heap());
}

static void tracing_keeps_the_contract(fixture *f)
{
    contract(f->allocator);
}

static void tracing_over_tracing_keeps_the_contract(fixture *f)
{
    cow_tracing *outer = NULL;
    CHECK_OK(cow_tracing_new(f->allocator, &outer));
    contract(cow_tracing_allocator(outer));
    CHECK_OK(cow_tracing_free(outer));
}

/* ---- large blocks of the heap ------------------------------------------------------------------------------------- */

#define MIB ((size_t)1 << 20)

static void *take_large(size_t nbytes)
{
    void *data = cow_heap()->alloc(cow_heap()->self, nbytes, COW_ALIGNMENT);
    REQUIRE(data != NULL);
    memset(data, 0x77, nbytes);
    return data;
}

static void put_large(void *data, size_t nbytes)
{
    cow_heap()->free(cow_heap()->self, data, nbytes, COW_ALIGNMENT);
}

/* By the kernel's own list: memory checkers take it amiss if a system call is asked about an address that is gone. */
static bool is_mapped(void *data)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    unsigned long begin, end;
    bool found = false;
    REQUIRE(maps != NULL);
    while (!found && fscanf(maps, "%lx-%lx%*[^\n]", &begin, &end) == 2) {
        found = begin <= (uintptr_t)data && (uintptr_t)data < end;
    }
    (void)fclose(maps);
    return found;
}

static void freed_large_blocks_are_kept_up_to_the_bound(fixture *f)
{
    const size_t before = cow_heap_keep(0);
    void *blocks[3];
    void *again;
    (void)f;
    CHECK_EQ(cow_heap_keep(16 * MIB), 0);
    for (int i = 0; i < 3; i++) {
        blocks[i] = take_large(8 * MIB);
    }
    for (int i = 0; i < 3; i++) {
        put_large(blocks[i], 8 * MIB);
    }
    CHECK(!is_mapped(blocks[0])); /* the oldest went for the third */
    CHECK(is_mapped(blocks[1]) && is_mapped(blocks[2]));
    again = take_large(8 * MIB);
    CHECK(again == blocks[1] || again == blocks[2]);
    put_large(again, 8 * MIB);
    again = take_large(32 * MIB);
    put_large(again, 32 * MIB); /* more than the bound: not kept, and nothing goes for it */
    CHECK(!is_mapped(again) && is_mapped(blocks[1]) && is_mapped(blocks[2]));
    CHECK_EQ(cow_heap_keep(8 * MIB), 16 * MIB);
    CHECK(is_mapped(blocks[1]) != is_mapped(blocks[2]));
    CHECK_EQ(cow_heap_keep(0), 8 * MIB);
    CHECK(!is_mapped(blocks[1]) && !is_mapped(blocks[2]));
    again = take_large(8 * MIB);
    put_large(again, 8 * MIB);
    CHECK(!is_mapped(again));
    (void)cow_heap_keep(before);
}

/* However many are freed, thirty-two are kept: the oldest go. */
static void few_blocks_are_kept(fixture *f)
{
    const size_t before = cow_heap_keep(64 * MIB);
    void *blocks[34];
    (void)f;
    for (int i = 0; i < 34; i++) {
        blocks[i] = take_large(MIB);
    }
    for (int i = 0; i < 34; i++) {
        put_large(blocks[i], MIB);
    }
    for (int i = 0; i < 34; i++) {
        CHECK(is_mapped(blocks[i]) == (i >= 2));
    }
    (void)cow_heap_keep(0);
    CHECK(!is_mapped(blocks[33]));
    (void)cow_heap_keep(before);
}

/* A program at work on large blocks replaces them by others of their size, whatever the bound. */
static void as_much_is_kept_as_is_in_use(fixture *f)
{
    const size_t before = cow_heap_keep(0);
    void *in_use, *first, *second, *other;
    (void)f;
    (void)cow_heap_keep(4 * MIB);
    in_use = take_large(24 * MIB);
    first = take_large(16 * MIB);
    second = take_large(16 * MIB);
    put_large(first, 16 * MIB); /* beside 40 in use */
    CHECK(is_mapped(first));
    CHECK(take_large(16 * MIB) == first);
    put_large(first, 16 * MIB);
    put_large(second, 16 * MIB); /* beside 24 */
    CHECK(!is_mapped(first) && is_mapped(second));
    other = take_large(20 * MIB); /* takes its place, maybe its very address */
    CHECK(!is_mapped(second) ||
          ((char *)second < (char *)other + 20 * MIB && (char *)other < (char *)second + 16 * MIB));
    put_large(other, 20 * MIB);
    CHECK(is_mapped(other));
    put_large(in_use, 24 * MIB);
    CHECK(!is_mapped(other) && !is_mapped(in_use)); /* nothing is in use: the bound alone */
    in_use = take_large(8 * MIB);
    (void)cow_heap_keep(0);
    other = take_large(8 * MIB);
    put_large(other, 8 * MIB);
    CHECK(!is_mapped(other)); /* 0 is none */
    put_large(in_use, 8 * MIB);
    (void)cow_heap_keep(before);
}

/* Blocks whose size is told when they are made, and never again. */
static void malloc_of_the_heap_keeps_its_contracts(fixture *f)
{
    const size_t sizes[] = {0,           1,       63,          4096, MIB / 4 - 65, MIB / 4 - 64,
                            MIB / 4 - 1, MIB / 4, MIB / 4 + 1, MIB,  4 * MIB,      5 * MIB + 3};
    const size_t before = cow_heap_keep(64 * MIB);
    (void)f;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++) {
            const size_t less = sizes[i] < sizes[j] ? sizes[i] : sizes[j];
            unsigned char *data = (unsigned char *)cow_heap_malloc(sizes[i]);
            bool same = true;
            REQUIRE(data != NULL);
            CHECK_EQ((uintptr_t)data % COW_ALIGNMENT, 0);
            memset(data, 0x5a, sizes[i]);
            data = (unsigned char *)cow_heap_realloc(data, sizes[j]);
            REQUIRE(data != NULL);
            for (size_t k = 0; k < less; k += 1 + less / 64) {
                same = same && data[k] == 0x5a;
            }
            CHECK(same && (less == 0 || data[less - 1] == 0x5a));
            memset(data, 0x11, sizes[j]);
            cow_heap_free(data);
            data = (unsigned char *)cow_heap_calloc(1, sizes[j]); /* of a block that was used, maybe */
            REQUIRE(data != NULL);
            same = true;
            for (size_t k = 0; k < sizes[j]; k++) {
                same = same && data[k] == 0;
            }
            CHECK(same);
            cow_heap_free(data);
        }
    }
    cow_heap_free(NULL);
    {
        void *data = cow_heap_realloc(NULL, 2 * MIB);
        REQUIRE(data != NULL);
        cow_heap_free(data);
        CHECK(is_mapped(data));
        CHECK(cow_heap_malloc(2 * MIB) == data);
        cow_heap_free(data);
    }
#ifndef FATAL_MALLOC
    {
        void *data = cow_heap_malloc(100);
        CHECK(cow_heap_malloc(SIZE_MAX - 8) == NULL && cow_heap_calloc(SIZE_MAX / 4, 8) == NULL);
        REQUIRE(data != NULL);
        memset(data, 3, 100);
        CHECK(cow_heap_realloc(data, SIZE_MAX - 8) == NULL && *(char *)data == 3); /* what was there stays */
        cow_heap_free(data);
    }
#endif
    (void)cow_heap_keep(before);
}

/* The size that is given when a block is freed is all that the heap knows of it. */
static void kept_blocks_are_used_again_for_their_own_size_alone(fixture *f)
{
    const size_t before = cow_heap_keep(64 * MIB);
    char *large = (char *)take_large(16 * MIB);
    char *small;
    (void)f;
    put_large(large, 16 * MIB);
    small = (char *)take_large(8 * MIB);
    CHECK(small + 8 * MIB <= large || large + 16 * MIB <= small);
    put_large(small, 8 * MIB);
    CHECK(take_large(16 * MIB) == large); /* it has stayed beside the other */
    put_large(large, 16 * MIB);
    (void)cow_heap_keep(0);
    CHECK(!is_mapped(small) && !is_mapped(large) && !is_mapped(large + 8 * MIB)); /* to its end */
    (void)cow_heap_keep(before);
}

/* What the process has mapped, in bytes. */
static size_t address_space(void)
{
    unsigned long pages = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    REQUIRE(statm != NULL && fscanf(statm, "%lu", &pages) == 1);
    (void)fclose(statm);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* Takes 40 MiB where there is room for 16, and 64 MiB are kept or not. */
static void *take_without_room(size_t alignment, size_t keep)
{
    const rlim_t room = 16 * MIB;
    struct rlimit space;
    rlim_t unlimited;
    void *data;
    (void)cow_heap_keep(keep);
    put_large(take_large(64 * MIB), 64 * MIB);
    REQUIRE(getrlimit(RLIMIT_AS, &space) == 0);
    unlimited = space.rlim_cur;
    space.rlim_cur = address_space() + room;
    REQUIRE(setrlimit(RLIMIT_AS, &space) == 0);
    data = cow_heap()->alloc(cow_heap()->self, 40 * MIB, alignment);
    space.rlim_cur = unlimited;
    REQUIRE(setrlimit(RLIMIT_AS, &space) == 0);
    return data;
}

static void what_is_kept_is_given_back_when_memory_is_short(fixture *f)
{
#ifdef FATAL_MALLOC
    const size_t alignments[] = {COW_ALIGNMENT};
#else
    const size_t alignments[] = {COW_ALIGNMENT, sizeof(void *)}; /* pages of its own, and malloc */
#endif
    const size_t before = cow_heap_keep(0);
    (void)f;
    for (size_t i = 0; i < sizeof alignments / sizeof *alignments; i++) {
        void *data = take_without_room(alignments[i], 64 * MIB);
        CHECK(data != NULL);
        if (data != NULL) {
            memset(data, 1, 40 * MIB);
            cow_heap()->free(cow_heap()->self, data, 40 * MIB, alignments[i]);
        }
        (void)cow_heap_keep(0);
        CHECK(take_without_room(alignments[i], 0) == NULL); /* there is no room otherwise */
    }
    (void)cow_heap_keep(before);
}

static void nothing_is_kept_under_a_limit_on_memory(fixture *f)
{
    const int limits[] = {RLIMIT_AS, RLIMIT_DATA};
    const size_t before = cow_heap_keep(64 * MIB);
    (void)f;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        void *first = take_large(8 * MIB);
        void *second = take_large(8 * MIB);
        struct rlimit unlimited, limited;
        put_large(first, 8 * MIB);
        CHECK(is_mapped(first));
        REQUIRE(getrlimit(limits[i], &unlimited) == 0);
        limited = unlimited;
        limited.rlim_cur = address_space() + 64 * MIB;
        REQUIRE(setrlimit(limits[i], &limited) == 0);
        put_large(second, 8 * MIB);
        REQUIRE(setrlimit(limits[i], &unlimited) == 0);
        CHECK(!is_mapped(first) && !is_mapped(second)); /* nor is what was kept before */
    }
    (void)cow_heap_keep(before);
}

static void *churn(void *argument)
{
    uint64_t seed = (uint64_t)(uintptr_t)argument;
    bool mine = true;
    for (unsigned i = 0; i < rounds(20000); i++) {
        const size_t nbytes = (4 + 2 * (next_random(&seed) % 2)) * MIB;
        const int mark = (int)(next_random(&seed) % 128);
        char *data = (char *)cow_heap()->alloc(cow_heap()->self, nbytes, COW_ALIGNMENT);
        if (data == NULL) {
            give_up();
        }
        data[0] = data[nbytes - 1] = (char)mark;
        if (i % 1000 == 0) {
            (void)cow_heap_keep((1 + next_random(&seed) % 4) * 8 * MIB);
        }
        mine = mine && data[0] == mark && data[nbytes - 1] == mark; /* nobody else has the block */
        put_large(data, nbytes);
    }
    CHECK(mine);
    return NULL;
}

#ifdef COWI_ASAN
static bool closed(const void *data, size_t nbytes)
{
    return __asan_region_is_poisoned((char *)(uintptr_t)data, nbytes) == data;
}

static void sanitizer_sees_use_of_kept_blocks(fixture *f)
{
    const size_t before = cow_heap_keep(16 * MIB), odd = 5 * MIB - 100;
    char *data = (char *)take_large(odd);
    (void)f;
    CHECK(closed(data + odd, 1));
    put_large(data, odd);
    CHECK(closed(data, 1) && closed(data + odd - 1, 1));
    CHECK(take_large(5 * MIB) == data);
    CHECK(__asan_region_is_poisoned(data, 5 * MIB) == NULL);
    put_large(data, 5 * MIB);
    (void)cow_heap_keep(0);
    CHECK(!closed(data, 1)); /* whoever maps there next finds it open */
    (void)cow_heap_keep(before);
}
#endif

static void threads_do_not_get_each_others_large_blocks(fixture *f)
{
    const size_t before = cow_heap_keep(32 * MIB);
    pthread_t threads[3];
    (void)f;
    for (size_t i = 0; i < 3; i++) {
        threads[i] = spawn(churn, (void *)(uintptr_t)(i + 1));
    }
    for (size_t i = 0; i < 3; i++) {
        join(threads[i]);
    }
    (void)cow_heap_keep(before);
}

/* ---- tracing: each kind of fault, on a second instance, since the fixture's own must stay clean -------------------- */

static void *take(cow_tracing *t, size_t nbytes)
{
    const cow_allocator *allocator = cow_tracing_allocator(t);
    return allocator->alloc(allocator->self, nbytes, 64);
}

static void put(cow_tracing *t, void *data, size_t nbytes)
{
    const cow_allocator *allocator = cow_tracing_allocator(t);
    allocator->free(allocator->self, data, nbytes, 64);
}

static void tracing_counts_what_is_live(fixture *f)
{
    cow_tracing *t = NULL;
    cow_tracing_report report;
    void *a;
    void *b;
    CHECK_OK(cow_tracing_new(f->allocator, &t));
    a = take(t, 10);
    b = take(t, 20);
    CHECK_STATUS(cow_tracing_free(t), COW_EINVAL);
    cow_tracing_read(t, &report);
    CHECK_EQ(report.live_blocks, 2);
    CHECK_EQ(report.live_bytes, 30);
    put(t, a, 10);
    put(t, b, 20);
    cow_tracing_read(t, &report);
    CHECK_EQ(report.live_blocks, 0);
    CHECK_EQ(report.live_bytes, 0);
    CHECK_EQ(report.peak_bytes, 30);
    CHECK_EQ(report.allocations, 2);
    CHECK_EQ(report.faults, 0);
    CHECK_OK(cow_tracing_free(t));
}

static void tracing_refuses_the_nth(fixture *f)
{
    cow_tracing *t = NULL;
    cow_tracing_report report;
    void *a;
    CHECK_OK(cow_tracing_new(f->allocator, &t));
    cow_tracing_refuse(t, 2, 0);
    a = take(t, 1);
    CHECK(a != NULL);
    CHECK(take(t, 1) == NULL);
    put(t, a, 1);
    a = take(t, 1);
    CHECK(a != NULL);
    cow_tracing_refuse(t, 1, 1);
    CHECK(take(t, 1) == NULL && take(t, 1) == NULL);
    cow_tracing_refuse(t, 0, 0);
    put(t, a, 1);
    a = take(t, 1);
    CHECK(a != NULL);
    put(t, a, 1);
    cow_tracing_read(t, &report);
    CHECK_EQ(report.refused, 3);
    CHECK_OK(cow_tracing_free(t));
}

static void tracing_sees_faults(fixture *f)
{
    cow_tracing *t = NULL;
    cow_tracing_report report;
    char *a;
    char other[8];
    size_t faults = 0;
    CHECK_OK(cow_tracing_new(f->allocator, &t));
    a = (char *)take(t, 8);
    put(t, other, 8); /* what it never gave out */
    cow_tracing_read(t, &report);
    CHECK_EQ(report.faults, ++faults);
    put(t, a, 8);
    put(t, a, 8); /* twice */
    cow_tracing_read(t, &report);
    CHECK_EQ(report.faults, ++faults);
    a = (char *)take(t, 8);
    put(t, a, 9); /* another size */
    cow_tracing_read(t, &report);
    CHECK_EQ(report.faults, ++faults);
    a = (char *)take(t, 8);
    a[8] = 0; /* behind the end */
    put(t, a, 8);
    cow_tracing_read(t, &report);
    CHECK_EQ(report.faults, ++faults);
    a = (char *)take(t, 8);
    a[-1] = 0; /* before the beginning */
    put(t, a, 8);
    cow_tracing_read(t, &report);
    CHECK_EQ(report.faults, ++faults);
    CHECK_EQ(report.live_blocks, 0);
    CHECK_OK(cow_tracing_free(t));
}

int main(int argc, char **argv)
{
    (void)argc;
    RUN(heap_keeps_the_contract);
    RUN(tracing_keeps_the_contract);
    RUN(tracing_over_tracing_keeps_the_contract);
    RUN(freed_large_blocks_are_kept_up_to_the_bound);
    RUN(few_blocks_are_kept);
    RUN(as_much_is_kept_as_is_in_use);
    RUN(malloc_of_the_heap_keeps_its_contracts);
    RUN(kept_blocks_are_used_again_for_their_own_size_alone);
    RUN(what_is_kept_is_given_back_when_memory_is_short);
    RUN(nothing_is_kept_under_a_limit_on_memory);
#ifdef COWI_ASAN
    RUN(sanitizer_sees_use_of_kept_blocks);
#endif
    RUN(threads_do_not_get_each_others_large_blocks);
    RUN(tracing_counts_what_is_live);
    RUN(tracing_refuses_the_nth);
    RUN(tracing_sees_faults);
    return finish(argv[0]);
}
