/* Which pages a writer's box touches. */
#ifndef COWI_BOXES_H
#define COWI_BOXES_H

#include <stdbool.h>
#include <stdint.h>

#include "cowarray/core.h"
#include "units.h"

/* At most how many pages of a window of nbytes the box touches. All of them if box is NULL, or has more dimensions than
 * an array can have. */
size_t cowi_pages_touched(const cow_box *box, size_t nbytes);
/* Adds to each of count regions the pages that the box touches there. The window begins `lead` bytes into the first. */
void cowi_count_by_region(const cow_box *box, size_t lead, size_t nbytes, size_t count, uint32_t *touched);
/* The bytes between the first and the last that the box touches; both 0 if it touches none. False, and nothing set: it says
 * nothing. */
bool cowi_box_range(const cow_box *box, size_t *first, size_t *end);
/* Whether cowi_mark_pages would set any bits. */
bool cowi_tells_pages(const cow_box *box);
/* Sets the bits of the pages that the box touches. False, with bits unchanged: their places are not known. */
COW_NODISCARD bool cowi_mark_pages(const cow_box *box, size_t lead, size_t count, uint64_t *bits);

#endif
