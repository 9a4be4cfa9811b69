/* Paging at the prices of a made-up machine (failing.h), so that each threshold is a number, and writers by the page. Each
 * test has a process of its own, where the ledger is empty. Storages have SIZE bytes, four regions, and say 7. */
#ifndef COWARRAY_TESTS_PRICED_H
#define COWARRAY_TESTS_PRICED_H

#include "failing.h"

#include "dirty.h"
#include "paging.h"

#define REGION COWI_REGION
#define SIZE (8 * MIB)
#define DENSE 183 /* pages of a region that cost more than three quarters of a copy: 183 * 2.1 >= 3/4 * 512 */
#define MAP_COST 65536

uint64_t price_of(size_t pages);
uint64_t price_of_fill(size_t regions);
/* At once: without bases, and what the kernel copies while the write goes on. */
uint64_t copied_now(void);

/* Runs body in a child, eager at first; nothing may be left when it ends. */
void at_made_up_prices(void (*body)(void));

#define IN_A_CHILD(test)                \
    static void test(fixture *unused)   \
    {                                   \
        (void)unused;                   \
        CHECK(true);                    \
        at_made_up_prices(test##_body); \
    }

cow_storage *make_plain(void);
/* One byte of `count` pages, from `page` on, with one box. */
void put_pages(cow_storage *storage, size_t page, size_t count, int value);
/* The same while somebody reads what the Storage shares, so that it takes nothing over. */
void put_pages_beside_a_reader(cow_storage *storage, size_t page, size_t count, int value);
/* The same, with a box for each. */
void put_each(cow_storage *storage, size_t page, size_t count, int value);
/* Whether those bytes have the value, and those after them are as they were. */
bool pages_hold(cow_storage *storage, size_t page, size_t count, int value);
/* Pages of a window's own. */
size_t dirty_pages(cow_storage *storage);
/* Whether a write to one page of a new clone gets pages. gives_up: they are given up before the clone goes. */
bool next_is_paged(cow_storage *source, bool gives_up);

#endif
