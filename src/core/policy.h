/* Which writes get paged windows, and what such a window is made of. */
#ifndef COWI_POLICY_H
#define COWI_POLICY_H

#include "windows.h"

/* A window that is being made. */
struct cowi_plan {
    const cowi_place *place;
    cow_sharing *sharing;
    cowi_window *from; /* the source; NULL: plain memory */
    cow_family *family;
    cowi_purse purse;
    const cowi_prices *prices;
    bool small;        /* bases with pages of 4 KiB will do */
    size_t first;      /* the source's region that is the window's first */
    size_t lead;       /* bytes of that region before the window begins */
    size_t count;      /* of the window's regions */
    cowi_dirt own;     /* the source's own pages, from its region `first` on */
    uint32_t *dirty;   /* for each region, how many of these; all if it has no base */
    uint32_t *touched; /* for each region, how many pages the writer will touch */
    uint64_t paid;     /* for the window, besides the reservation */
    size_t filled;     /* bytes of bases made for it */
    size_t folded;     /* pages put into their bases for it */
    bool whole;        /* a commit takes all regions */
    const uint64_t
        *aside; /* pages that are not to be read: others have them, and the source's owner may write. NULL: none */
};

/* share and would_share of cow_paging, for windows of that place. */
int cowi_share(const cowi_place *place, cow_sharing *sharing);
int cowi_would_share(const cowi_place *place, cow_sharing *sharing);
/* Makes a window that equals the source, a window whose owner may be writing, except in the pages in aside (a bit for
 * each), which the caller copies. It is at rest. The ledger pays unasked. False: memory or maps have run out. */
bool cowi_share_past(const cowi_place *place, cow_sharing *sharing, const uint64_t *aside);

/* For places: the number of regions of the plain source, the bytes that a copy of the window's region copies, and
 * whether a commit takes that region, because copies of it have cost as much as a base, or on request. */
size_t cowi_source_regions(const cowi_plan *how);
size_t cowi_source_bytes(const cowi_plan *how, size_t index);
bool cowi_region_due(const cowi_plan *how, size_t index);

#endif
