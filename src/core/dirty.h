/* Which pages of a private map were written. */
#ifndef COWI_DIRTY_H
#define COWI_DIRTY_H

#include <stdbool.h>
#include <stdint.h>

#include "cowarray/core.h"
#include "units.h"

/* A set of a window's pages. */
typedef struct cowi_dirt {
    uint64_t *bits;
    size_t pages; /* bits that are set */
} cowi_dirt;

/* Adds the pages of [start, start + nbytes), a range of whole pages, that are no longer the base's. out is empty at
 * first. False: the system does not tell. */
COW_NODISCARD bool cowi_dirt_find(const char *start, size_t nbytes, cowi_dirt *out);
/* How many pages of one region are in the set. */
size_t cowi_dirt_count(const cowi_dirt *dirt, size_t index);

#endif
