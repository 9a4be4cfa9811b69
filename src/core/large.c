/* Large blocks of the heap: mapped one by one, the larger ones aligned for huge pages, and kept for reuse up to a bound.
 *
 * A fresh page costs more than copying into it, so a program that copies, writes and drops in turn runs at half its
 * speed if every block is freshly mapped. malloc's way of keeping blocks leaves unusable holes. Kept memory must never
 * be missing elsewhere, so it is returned when an allocation of the heap fails; allocations by NumPy and Python cannot
 * trigger that, so nothing is kept under a limit on address space. The lock is only tried: if another thread has it,
 * the block is simply not kept. A thread that is short of memory waits for it. A fork holds it (gate.c).
 *
 * The bound is the caller's, or the bytes in use if these are more: a program at work on large arrays replaces them by
 * others of the same size. Beyond the caller's bound a fresh block displaces kept ones, so kept blocks never raise the
 * process's peak by more than that bound. */
#define _DEFAULT_SOURCE /* madvise, MAP_ANONYMOUS */
#include "large.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "assertions.h"
#include "atomics.h"

#ifdef COWI_ASAN
#include <sanitizer/asan_interface.h>
#define CLOSE(data, nbytes) ASAN_POISON_MEMORY_REGION((data), (nbytes))
#define OPEN(data, nbytes) ASAN_UNPOISON_MEMORY_REGION((data), (nbytes))
#else
#define CLOSE(data, nbytes) ((void)0)
#define OPEN(data, nbytes) ((void)0)
#endif

#define HUGE_PAGE ((size_t)2 << 20)
/* From this size on a block has huge pages. A smaller one would waste most of its last. */
#define HUGE_BLOCK ((size_t)4 << 20)
/* A multiple of every size of ordinary pages. */
#define PAGES ((size_t)64 << 10)
#define SLOTS 32

COWI_STATIC_ASSERT((HUGE_PAGE & (HUGE_PAGE - 1)) == 0, "pages are powers of two");
COWI_STATIC_ASSERT(HUGE_PAGE % PAGES == 0, "what is aligned to a huge page is aligned to pages");
COWI_STATIC_ASSERT(COW_ALIGNMENT <= PAGES, "a page is aligned enough for array bytes");
COWI_STATIC_ASSERT(COWI_LARGE_LEAD <= PAGES, "the pages before a block have room for its lead");
COWI_STATIC_ASSERT(HUGE_BLOCK >= HUGE_PAGE, "a block with huge pages fills one");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects all below */
static struct {
    void *data;
    size_t mapped;
} kept[SLOTS]; /* oldest first; the first `count` are in use */
static size_t count;
static size_t kept_bytes;
static size_t freed_bytes; /* since the limits on memory were last checked */
static size_t limit = (size_t)64 << 20;

static cowi_atomic_size used_bytes; /* by blocks not kept; a hint, changed without the lock */

/* The alignment of a block. */
static size_t grain(size_t nbytes)
{
    return nbytes >= HUGE_BLOCK ? HUGE_PAGE : PAGES;
}

/* 0: too large. */
static size_t mapped_size(size_t nbytes)
{
    return nbytes > (size_t)PTRDIFF_MAX - 3 * HUGE_PAGE ? 0 : (nbytes + PAGES - 1) / PAGES * PAGES;
}

/* Maps a block, and before it the pages of its lead. */
static void *map(size_t mapped)
{
    const size_t unit = grain(mapped);
    const size_t whole = PAGES + mapped + unit;
    char *raw = (char *)mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    size_t before, behind;
    if (raw == (char *)MAP_FAILED) {
        return NULL;
    }
    before = (unit - ((uintptr_t)raw + PAGES) % unit) % unit;
    behind = unit - before;
    if (before > 0) {
        (void)munmap(raw, before);
    }
    (void)munmap(raw + before + PAGES + mapped, behind);
#ifdef MADV_HUGEPAGE
    if (unit == HUGE_PAGE) { /* the rest gets small pages: part of a huge one would be wasted */
        (void)madvise(raw + before + PAGES, mapped / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
    }
#endif
    return raw + before + PAGES;
}

static void unmap(void *data, size_t mapped)
{
    OPEN(data, mapped); /* others may map here */
    (void)munmap((char *)data - PAGES, PAGES + mapped);
}

/* With the lock held, like the next functions. */
static void check_kept(void)
{
    size_t sum = 0;
    COWI_ASSERT_FULL(count <= SLOTS);
    for (size_t i = 0; i < count; i++) {
        COWI_ASSERT_FULL(kept[i].data != NULL && (uintptr_t)kept[i].data % grain(kept[i].mapped) == 0);
        COWI_ASSERT_FULL(kept[i].mapped > 0 && kept[i].mapped % PAGES == 0);
        sum += kept[i].mapped;
    }
    COWI_ASSERT_FULL(sum == kept_bytes);
    COWI_ASSERT_FULL(limit > 0 || kept_bytes == 0);
}

static bool is_kept(const void *data)
{
    for (size_t i = 0; i < count; i++) {
        if (kept[i].data == data) {
            return true;
        }
    }
    return false;
}

static void forget(size_t index)
{
    kept_bytes -= kept[index].mapped;
    count--;
    for (; index < count; index++) {
        kept[index] = kept[index + 1];
    }
}

static void trim(size_t bytes)
{
    while (count > 0 && kept_bytes > bytes) {
        unmap(kept[0].data, kept[0].mapped);
        forget(0);
    }
}

/* How many bytes may be kept besides those in use. */
static size_t bound(void)
{
    const size_t used = cowi_load_relaxed(&used_bytes);
    return limit == 0 || limit > used ? limit : used;
}

/* Asks the system only once per HUGE_BLOCK bytes freed: the call takes a tenth of the time of work on a small block. */
static bool space_is_limited(size_t freed)
{
    struct rlimit space;
    struct rlimit data; /* Linux also counts private mappings here */
    freed_bytes += freed;
    if (freed_bytes < HUGE_BLOCK) {
        return false;
    }
    freed_bytes = 0;
    return (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) ||
           (getrlimit(RLIMIT_DATA, &data) == 0 && data.rlim_cur != RLIM_INFINITY);
}

void *cowi_large_alloc(size_t nbytes)
{
    const size_t mapped = mapped_size(nbytes);
    void *data = NULL;
    if (mapped == 0) {
        return NULL;
    }
    if (pthread_mutex_trylock(&lock) == 0) {
        COWI_FULL(check_kept());
        for (size_t i = count; i-- > 0 && data == NULL;) {
            if (kept[i].mapped == mapped) {
                data = kept[i].data;
                forget(i);
            }
        }
        if (data == NULL && kept_bytes > limit) {
            trim(kept_bytes - limit > mapped ? kept_bytes - mapped : limit);
        }
        COWI_FULL(check_kept());
        (void)pthread_mutex_unlock(&lock);
    }
    if (data == NULL) {
        data = map(mapped);
    }
    if (data == NULL) {
        cowi_large_give_back();
        data = map(mapped);
    }
    if (data != NULL) {
        (void)cowi_add_relaxed(&used_bytes, mapped);
        OPEN(data, nbytes);
        CLOSE((char *)data + nbytes, mapped - nbytes);
    }
    return data;
}

void cowi_large_give_back(void)
{
    (void)pthread_mutex_lock(&lock);
    trim(0);
    (void)pthread_mutex_unlock(&lock);
}

void cowi_large_free(void *data, size_t nbytes)
{
    const size_t mapped = mapped_size(nbytes);
    COWI_ASSERT((uintptr_t)data % grain(nbytes) == 0 && nbytes >= COWI_LARGE_BLOCK);
    (void)cowi_sub_release(&used_bytes, mapped);
    if (pthread_mutex_trylock(&lock) == 0) {
        const size_t most = space_is_limited(mapped) ? 0 : bound();
        COWI_FULL(check_kept());
        COWI_ASSERT(!is_kept(data)); /* a double free: two callers would get it */
        trim(mapped <= most ? most - mapped : most);
        if (mapped <= most) {
            if (count == SLOTS) {
                unmap(kept[0].data, kept[0].mapped);
                forget(0);
            }
            CLOSE(data, mapped);
            kept[count].data = data;
            kept[count].mapped = mapped;
            count++;
            kept_bytes += mapped;
            data = NULL;
        }
        COWI_FULL(check_kept());
        (void)pthread_mutex_unlock(&lock);
    }
    if (data != NULL) {
        unmap(data, mapped);
    }
}

void cowi_large_hold(void)
{
    (void)pthread_mutex_lock(&lock);
}

void cowi_large_let_go(void)
{
    (void)pthread_mutex_unlock(&lock);
}

size_t cow_heap_keep(size_t nbytes)
{
    size_t before;
    (void)pthread_mutex_lock(&lock);
    before = limit;
    limit = nbytes;
    trim(limit);
    COWI_FULL(check_kept());
    (void)pthread_mutex_unlock(&lock);
    return before;
}
