/* A table of pages that were put aside, by their number in the window. */
#ifndef COWI_ASIDE_H
#define COWI_ASIDE_H

#include "windows.h"

typedef struct cowi_put_aside {
    size_t page;
    void *was; /* the page's contents, the place's; NULL: the entry is free */
} cowi_put_aside;

typedef struct cowi_aside {
    const cowi_place *place; /* of the windows */
    size_t count;
    size_t room; /* entries: a power of two, at most three quarters of them in use; or 0 */
    cowi_put_aside *entries;
} cowi_aside;

/* Reserves room for more pages. False: memory has run out. */
COW_NODISCARD bool cowi_aside_reserve(cowi_aside *to, size_t more);
/* Puts aside a page that is not in the table, which has room for it. False: memory has run out. */
COW_NODISCARD bool cowi_aside_put(cowi_aside *to, const cowi_window *of, size_t page);
void cowi_aside_put_back(const cowi_aside *from, cowi_window *to);
/* Adds to older the pages that it lacks, moving the smaller table into the larger. Pages left in `from` are no longer
 * needed. False, and nothing is done: memory has run out. */
COW_NODISCARD bool cowi_aside_leave(cowi_aside *from, cowi_aside *older);
/* Sets, or clears, the bit of each page. */
void cowi_aside_mark(const cowi_aside *of, uint64_t *bits);
void cowi_aside_unmark(const cowi_aside *of, uint64_t *bits);
/* Frees all pages; the table is empty afterwards. */
void cowi_aside_free(cowi_aside *of);

#endif
