/* The costs of paging, in bytes of a plain copy into fresh memory. No state: nothing is timed in a user's process. */
#ifndef COWI_PRICES_H
#define COWI_PRICES_H

#include <stdbool.h>
#include <stdint.h>

#include "units.h"

typedef struct cowi_prices {
    uint32_t fill; /* of 1000 bytes of a new base */
    uint32_t page; /* of 1000 bytes of pages that the kernel copies one by one */
} cowi_prices;

/* The prices for bases with huge pages, or with small ones. */
const cowi_prices *cowi_prices_of(bool small);

/* The cost of a map and of its end. */
#define COWI_FIXED_COST ((uint64_t)64 << 10)

uint64_t cowi_price_of_pages(const cowi_prices *prices, size_t pages);
uint64_t cowi_price_of_fill(const cowi_prices *prices, size_t regions);
/* The cheaper of copying that many pages of a region and copying the region, in pages of a plain copy. */
uint32_t cowi_price_of_region(const cowi_prices *prices, size_t pages);
/* Whether that many pages cost three quarters of a plain copy of their region: then a huge page is better. */
bool cowi_is_dense(const cowi_prices *prices, size_t pages);
/* Whether copies of a region, including the next one, have cost as much as a base for it. debt: their cost so far. */
bool cowi_is_due(const cowi_prices *prices, uint32_t debt, uint32_t dirty);
/* How many of a window's pages may be written before copying the window is better. */
size_t cowi_most_written(const cowi_prices *prices, size_t pages);
/* How many more may be written between two looks. */
size_t cowi_between_looks(size_t most);

#endif
