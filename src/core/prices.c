/* The prices of paging, and the policy's arithmetic on them. */
#include "prices.h"

/* In thousandths of a plain copy. bench/prices.py measures them: they differ between machines, and on one machine by
 * load and by size of the copy. None measured so far exceeds twice these. Tests compile in other prices. */
#ifndef COWI_PRICE_OF_FILL
#define COWI_PRICE_OF_FILL 1150
#define COWI_PRICE_OF_PAGE 4000
#define COWI_PRICE_OF_SMALL_FILL 5500
#endif

static const cowi_prices huge_prices = {COWI_PRICE_OF_FILL, COWI_PRICE_OF_PAGE};
static const cowi_prices small_prices = {COWI_PRICE_OF_SMALL_FILL, COWI_PRICE_OF_PAGE};

const cowi_prices *cowi_prices_of(bool small)
{
    return small ? &small_prices : &huge_prices;
}

uint64_t cowi_price_of_pages(const cowi_prices *prices, size_t pages)
{
    return (uint64_t)pages * COWI_PAGE * prices->page / 1000;
}

uint64_t cowi_price_of_fill(const cowi_prices *prices, size_t regions)
{
    return (uint64_t)regions * COWI_REGION * prices->fill / 1000;
}

uint32_t cowi_price_of_region(const cowi_prices *prices, size_t pages)
{
    const size_t price = pages * prices->page / 1000;
    return (uint32_t)(price < COWI_REGION_PAGES ? price : COWI_REGION_PAGES);
}

bool cowi_is_dense(const cowi_prices *prices, size_t pages)
{
    return (uint64_t)pages * prices->page * 4 >= (uint64_t)COWI_REGION_PAGES * 1000 * 3;
}

/* A region with its own base splits each later window's map in three, which costs as much as copying a few pages, and
 * the kernel limits the number of maps. */
#define LEAST_COMMITTED 16

bool cowi_is_due(const cowi_prices *prices, uint32_t debt, uint32_t dirty)
{
    return dirty >= LEAST_COMMITTED &&
           (uint64_t)(debt + cowi_price_of_region(prices, dirty)) * 1000 >= (uint64_t)COWI_REGION_PAGES * prices->fill;
}

/* Thousandths of a plain copy that the written pages of a window may cost: half of a family's earnings beyond a copy.
 * If it were more, kept windows would cost the family more than copies earn it. */
#define SHARE 126
#define MOST_PERCENT 6 /* of the pages, however cheap they are */
#define LOOKS 6        /* at a window until that much of it is written */

size_t cowi_most_written(const cowi_prices *prices, size_t pages)
{
    const size_t affordable = pages * SHARE / prices->page, most = pages * MOST_PERCENT / 100;
    return affordable < most ? affordable : most;
}

size_t cowi_between_looks(size_t most)
{
    return most / LOOKS;
}
