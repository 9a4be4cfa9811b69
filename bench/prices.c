/* What a base and a page cost on this machine, beside a copy of the same bytes into fresh memory: prices.py compiles this with
 * the core, and compares it with the table in src/core/prices.c.
 *
 * usage: prices MIB ROUNDS
 *
 * Prints a line for each kind of page, "huge 1150 2100": thousandths of a copy, for a base and for pages that are copied one
 * by one. They are medians of rounds, in each of which everything is timed once, side by side, by the thread's own clock.
 * A kind that the system does not grant has no line. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base.h"

#ifndef MADV_HUGEPAGE
#define MADV_HUGEPAGE 14
#endif

#define EVERY ((size_t)8) /* one page in so many is written to */

static uint64_t nanoseconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static double time_copy(const char *source, size_t nbytes)
{
    char *fresh = cowi_room(nbytes);
    uint64_t start;
    if (fresh == NULL || mprotect(fresh, nbytes, PROT_READ | PROT_WRITE) != 0) {
        exit(1);
    }
    (void)madvise(fresh, nbytes, MADV_HUGEPAGE);
    start = nanoseconds();
    memcpy(fresh, source, nbytes);
    start = nanoseconds() - start;
    (void)munmap(fresh, nbytes);
    return (double)start;
}

static double time_pages(const cowi_base *base, size_t nbytes)
{
    char *map = cowi_room(nbytes);
    uint64_t start;
    if (map == NULL || !cowi_base_map(base, 0, map, nbytes)) {
        exit(1);
    }
    start = nanoseconds();
    for (size_t at = 0; at < nbytes; at += EVERY * COWI_PAGE) {
        map[at] = 1;
    }
    start = nanoseconds() - start;
    (void)munmap(map, nbytes);
    return (double)(start * EVERY);
}

static int by_size(const void *a, const void *b)
{
    const double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

static unsigned median(double *ratios, size_t count)
{
    qsort(ratios, count, sizeof *ratios, by_size);
    return (unsigned)(ratios[count / 2] * 1000);
}

static void measure(const char *name, const cowi_piece *pieces, size_t count, size_t rounds, bool small)
{
    const size_t nbytes = count * COWI_REGION;
    double *fills = (double *)malloc(2 * rounds * sizeof *fills), *pages = fills + rounds;
    for (size_t i = 0; fills != NULL && i < rounds; i++) {
        const double copy = time_copy(pieces[0].data, nbytes);
        const uint64_t start = nanoseconds();
        cowi_base *base = cowi_base_new(pieces, count, small);
        if (base == NULL) {
            free(fills);
            return;
        }
        fills[i] = (double)(nanoseconds() - start) / copy;
        pages[i] = time_pages(base, nbytes) / copy;
        cowi_base_release(base);
    }
    if (fills != NULL) {
        (void)printf("%s %u %u\n", name, median(fills, rounds), median(pages, rounds));
    }
    free(fills);
}

int main(int argc, char **argv)
{
    const size_t count = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) / 2 : 0;
    const size_t rounds = argc > 2 ? (size_t)strtoul(argv[2], NULL, 10) : 0;
    cowi_piece *pieces = (cowi_piece *)malloc((count + 1) * sizeof *pieces);
    char *source = (char *)malloc(count * COWI_REGION);
    if (count == 0 || rounds == 0 || pieces == NULL || source == NULL) {
        (void)fprintf(stderr, "usage: prices MIB ROUNDS\n");
        return 2;
    }
    memset(source, 1, count * COWI_REGION);
    for (size_t i = 0; i < count; i++) {
        pieces[i].data = source + i * COWI_REGION;
        pieces[i].nbytes = COWI_REGION;
    }
    measure("huge", pieces, count, rounds, false);
    measure("small", pieces, count, rounds, true);
    free(source);
    free(pieces);
    return 0;
}
