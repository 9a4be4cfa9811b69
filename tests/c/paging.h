/* What tests of paging ask and say, and large Storages with writers that name each byte. The mode is eager unless a test says
 * otherwise, on pages of 4 KiB where the system has no others. */
#ifndef COWARRAY_TESTS_PAGING_H
#define COWARRAY_TESTS_PAGING_H

#include "harness.h"

#define MIB ((size_t)1 << 20)
#define PAGE ((size_t)4096)
/* Bytes of what make_large makes: four regions, and a part of a fifth that ends within a page. */
#define LARGE (8 * MIB + 3 * PAGE + 64)

/* From here on, with no allowance. */
void use(cow_paging_mode mode);
void use_allowance(cow_paging_mode mode, size_t allowance);
cow_paging_figures figures(void);
/* Neither bases nor maps. */
void nothing_is_left(void);

/* Whether the system grants pages. Where it does not, each write copies a whole window, with the same values. */
extern bool can_page;
/* Sets it; says aloud what will not be tested. */
void see_whether_pages_are_granted(void);

cow_storage *make_large(int value);
/* A clone with a page of its own, which says what it said before: 7. Waits for the end of what a give-up has left. */
cow_storage *make_paged(cow_storage *source);
/* One byte, by a writer who says so. */
cow_status put(cow_storage *storage, size_t at, int value);
int get(cow_storage *storage, size_t at);

#endif
