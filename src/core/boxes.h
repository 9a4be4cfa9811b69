/* Which pages a writer's box touches. */
#ifndef COWI_BOXES_H
#define COWI_BOXES_H

#include <stdbool.h>
#include <stdint.h>

#include "cowarray/core.h"
#include "units.h"

/* An upper bound of how many pages of a window of nbytes the box touches: all, if box is NULL or has more dimensions
 * than an array can have. */
size_t cowi_pages_touched(const cow_box *box, size_t nbytes);
/* Adds to each region's count the pages that the box touches there. The window begins `lead` bytes into the first. */
void cowi_count_by_region(const cow_box *box, size_t lead, size_t nbytes, size_t count, uint32_t *touched);
/* Sets the byte range that the box touches; both ends 0 if it touches nothing. False, and nothing is set: the box
 * describes nothing. */
bool cowi_box_range(const cow_box *box, size_t *first, size_t *end);
/* Whether cowi_mark_pages would succeed. */
bool cowi_tells_pages(const cow_box *box);
/* Sets the bits of the pages that the box touches. False, with bits unchanged: the places are unknown. */
COW_NODISCARD bool cowi_mark_pages(const cow_box *box, size_t lead, size_t count, uint64_t *bits);

#endif
