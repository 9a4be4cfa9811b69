/* The units of paging. */
#ifndef COWI_UNITS_H
#define COWI_UNITS_H

#include <stddef.h>

/* Decisions are made per region: the size of a huge page. */
#define COWI_REGION ((size_t)2 << 20)
#define COWI_PAGE ((size_t)4096)
#define COWI_REGION_PAGES (COWI_REGION / COWI_PAGE)
/* Words of a set of a region's pages, with a bit for each page. */
#define COWI_REGION_WORDS (COWI_REGION_PAGES / 64)
/* Smaller windows are copied as a whole. */
#define COWI_PAGED_LEAST ((size_t)4 << 20)
/* From this size on, a family's first write is paged; for smaller allocations, its second. */
#define COWI_PAGED_AT_ONCE ((size_t)32 << 20)

#endif
