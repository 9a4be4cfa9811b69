/* Programs that use pages as badly as they can, at prices that may be wrong: wrong_prices.py compiles this with the core, for
 * prices that are half, right and twice the table's.
 *
 * usage: wrong_prices PROGRAM MIB COUNT
 *
 * Prints what the ledger has spent and earned, in thousandths of a copy of the array, and the time, in thousandths of what the
 * same program takes whose copies are copied at once. Both run in turn, by the thread's own clock; blocks of a run are the
 * system's again before the next. */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cowarray/core.h"
#include "units.h"

#define ROUNDS 5

static size_t nbytes;
static bool lazily;

static void need(bool good)
{
    if (!good) {
        (void)fprintf(stderr, "wrong_prices: a call has failed\n");
        exit(1);
    }
}

static void put(cow_storage *storage, size_t at)
{
    static const ptrdiff_t one[] = {1, 1};
    const cow_box box = {(ptrdiff_t)at, 1, 1, one, SIZE_MAX};
    cow_mutable_scope scope;
    need(cow_mutable_begin_at(storage, &box, 0, &scope, NULL) == COW_OK);
    ((char *)scope.data)[at] = (char)(at / COWI_PAGE);
    cow_mutable_end(&scope);
}

static cow_storage *make(void)
{
    cow_storage *made;
    cow_mutable_scope scope;
    need(cow_storage_new(cow_heap(), nbytes, &made, NULL) == COW_OK);
    need(cow_mutable_begin(made, 0, &scope, NULL) == COW_OK);
    memset(scope.data, 1, nbytes);
    cow_mutable_end(&scope);
    return made;
}

static cow_storage *copy(cow_storage *source)
{
    cow_storage *made;
    cow_const_scope from;
    cow_mutable_scope to;
    if (lazily) {
        need(cow_lazy_clone(source, 0, nbytes, 0, &made, NULL) == COW_OK);
        return made;
    }
    need(cow_storage_new(cow_heap(), nbytes, &made, NULL) == COW_OK);
    need(cow_const_begin(source, &from, NULL) == COW_OK);
    need(cow_mutable_begin(made, 0, &to, NULL) == COW_OK);
    memcpy(to.data, from.data, nbytes);
    cow_mutable_end(&to);
    cow_const_end(&from);
    return made;
}

/* ---- programs; each returns the time of its own making, which is no part of it ------------------------------------------ */

static double seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* A byte to every page of each copy of one array, one by one. */
static double every_page(size_t count)
{
    cow_storage *x = make();
    const double begun = seconds();
    double took;
    for (size_t i = 0; i < count; i++) {
        cow_storage *y = copy(x);
        for (size_t at = 0; at < nbytes; at += COWI_PAGE) {
            put(y, at);
        }
        cow_storage_free(y);
    }
    took = seconds() - begun;
    cow_storage_free(x);
    return took;
}

/* A byte to a page of a copy, then to every page of another, in so many families. */
static double one_then_all(size_t count)
{
    double took = 0;
    for (size_t i = 0; i < count; i++) {
        cow_storage *x = make(), *y;
        const double begun = seconds();
        y = copy(x);
        put(y, 0);
        cow_storage_free(y);
        y = copy(x);
        for (size_t at = 0; at < nbytes; at += COWI_PAGE) {
            put(y, at);
        }
        cow_storage_free(y);
        took += seconds() - begun;
        cow_storage_free(x);
    }
    return took;
}

/* A copy, and as many pages as leave it by the page, of each array in a chain. */
static double just_below(size_t count)
{
    cow_storage *x = make();
    const double begun = seconds();
    double took;
    for (size_t i = 0; i < count; i++) {
        cow_storage *y = copy(x);
        for (size_t page = i; page < nbytes / COWI_PAGE; page += 36) {
            put(y, page * COWI_PAGE);
        }
        cow_storage_free(x);
        x = y;
    }
    took = seconds() - begun;
    cow_storage_free(x);
    return took;
}

static const struct program {
    const char *name;
    double (*run)(size_t count);
} programs[] = {{"every-page", every_page}, {"one-then-all", one_then_all}, {"just-below", just_below}};

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void compare(const struct program *of, size_t count)
{
    double ratios[ROUNDS];
    cow_paging_figures before, after;
    (void)cow_heap_keep(0);
    cow_paging_read(&before);
    for (size_t i = 0; i < ROUNDS; i++) {
        double took[2];
        for (size_t half = 0; half < 2; half++) {
            lazily = (i + half) % 2 == 0;
            took[lazily] = of->run(count);
        }
        ratios[i] = took[1] / took[0];
    }
    cow_paging_read(&after);
    qsort(ratios, ROUNDS, sizeof *ratios, by_value);
    (void)printf("%.0f %.0f %.0f\n", (double)(after.spent - before.spent) * 1000 / ROUNDS / (double)nbytes,
                 (double)(after.earned - before.earned) * 1000 / ROUNDS / (double)nbytes, ratios[ROUNDS / 2] * 1000);
}

int main(int argc, char **argv)
{
    need(argc == 4);
    nbytes = (size_t)strtoul(argv[2], NULL, 10) << 20;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        if (strcmp(argv[1], programs[i].name) == 0) {
            compare(&programs[i], (size_t)strtoul(argv[3], NULL, 10));
            return 0;
        }
    }
    need(false && "a program of that name");
    return 1;
}
