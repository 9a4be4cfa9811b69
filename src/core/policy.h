/* Which writes get windows by the page, and what such a window is made of. */
#ifndef COWI_POLICY_H
#define COWI_POLICY_H

#include "windows.h"

/* As share of cow_paging, for windows of that place. */
int cowi_share(const cowi_place *place, cow_sharing *sharing);
/* As would_share of cow_paging. */
int cowi_would_share(const cowi_place *place, cow_sharing *sharing);

/* Bytes of the source where a region of the planned window will be: those that a copy of the region copies. */
size_t cowi_source_bytes(const cowi_plan *how, size_t index);

#endif
