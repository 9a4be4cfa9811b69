/* Which pages of a private map of a file were written: those that are present or swapped out, but not the file's. The
 * kernel's table is opened each time: a descriptor kept across a fork would show the parent's pages. */
#define _GNU_SOURCE
#include "dirty.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* As in <linux/fs.h>, since Linux 6.7. */
struct run {
    uint64_t start;
    uint64_t end;
    uint64_t categories;
};

struct scan {
    uint64_t size;
    uint64_t flags;
    uint64_t start;
    uint64_t end;
    uint64_t walk_end;
    uint64_t runs;
    uint64_t most_runs;
    uint64_t most_pages;
    uint64_t category_inverted;
    uint64_t category_mask;
    uint64_t category_anyof_mask;
    uint64_t return_mask;
};

#define SCAN _IOWR('f', 16, struct scan)
#define OF_A_FILE ((uint64_t)1 << 2)
#define PRESENT ((uint64_t)1 << 3)
#define SWAPPED ((uint64_t)1 << 4)
/* With room for more runs, Linux 6.18 reports some twice. */
#define RUNS 512

static void set_bits(cowi_dirt *dirt, size_t from, size_t to)
{
    for (size_t page = from; page < to; page++) {
        dirt->bits[page / 64] |= (uint64_t)1 << page % 64;
    }
    dirt->pages += to - from;
}

static bool scan(int table, uintptr_t start, size_t nbytes, cowi_dirt *dirt)
{
    struct run runs[RUNS];
    struct scan asked;
    memset(&asked, 0, sizeof asked);
    memset(runs, 0, sizeof runs); /* valgrind does not know that the call fills it */
    asked.size = sizeof asked;
    asked.start = start;
    asked.end = start + nbytes;
    asked.runs = (uintptr_t)runs;
    asked.most_runs = RUNS;
    asked.category_inverted = asked.category_mask = OF_A_FILE;
    asked.category_anyof_mask = PRESENT | SWAPPED;
    asked.return_mask = PRESENT | SWAPPED;
    do {
        const int count = ioctl(table, SCAN, &asked);
        if (count < 0) {
            return false;
        }
        for (int i = 0; i < count; i++) {
            set_bits(dirt, (runs[i].start - start) / COWI_PAGE, (runs[i].end - start) / COWI_PAGE);
        }
        asked.start = asked.walk_end;
    } while (asked.walk_end < asked.end);
    return true;
}

/* An entry for each page, before Linux 6.7. */
#define ENTRY_PRESENT ((uint64_t)1 << 63)
#define ENTRY_SWAPPED ((uint64_t)1 << 62)
#define ENTRY_OF_A_FILE ((uint64_t)1 << 61)

static bool read_entries(int table, uintptr_t start, size_t nbytes, cowi_dirt *dirt)
{
    uint64_t entries[RUNS];
    const size_t pages = nbytes / COWI_PAGE;
    for (size_t first = 0; first < pages; first += RUNS) {
        const size_t some = pages - first < RUNS ? pages - first : RUNS;
        const off_t where = (off_t)((start / COWI_PAGE + first) * sizeof *entries);
        if (pread(table, entries, some * sizeof *entries, where) != (ssize_t)(some * sizeof *entries)) {
            return false;
        }
        for (size_t i = 0; i < some; i++) {
            if ((entries[i] & (ENTRY_PRESENT | ENTRY_SWAPPED)) && !(entries[i] & ENTRY_OF_A_FILE)) {
                set_bits(dirt, first + i, first + i + 1);
            }
        }
    }
    return true;
}

bool cowi_dirt_find(const char *start, size_t nbytes, cowi_dirt *out)
{
    const int table = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    bool told;
    if (table < 0) {
        return false;
    }
    out->pages = 0;
    told = scan(table, (uintptr_t)start, nbytes, out);
    if (!told && (errno == ENOTTY || errno == EINVAL)) {
        memset(out->bits, 0, (nbytes / COWI_PAGE + 63) / 64 * sizeof *out->bits);
        out->pages = 0;
        told = read_entries(table, (uintptr_t)start, nbytes, out);
    }
    (void)close(table);
    return told;
}

size_t cowi_dirt_count(const cowi_dirt *dirt, size_t index)
{
    size_t pages = 0;
    for (size_t word = 0; word < COWI_REGION_PAGES / 64; word++) {
        pages += (size_t)__builtin_popcountll(dirt->bits[index * (COWI_REGION_PAGES / 64) + word]);
    }
    return pages;
}
