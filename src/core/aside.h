/* Pages that were put aside: a table, by their number in a window. */
#ifndef COWI_ASIDE_H
#define COWI_ASIDE_H

#include "windows.h"

typedef struct cowi_put_aside {
    size_t page;
    void *was; /* the place's; NULL: the entry is free */
} cowi_put_aside;

typedef struct cowi_aside {
    const cowi_place *place; /* of the windows */
    size_t count;
    size_t room; /* entries: a power of two, at most three quarters of them in use; or 0 */
    cowi_put_aside *entries;
} cowi_aside;

/* Room for so many pages more. False: memory has run out. */
COW_NODISCARD bool cowi_aside_reserve(cowi_aside *to, size_t more);
/* Puts a page aside that is not there, with room for it. False: memory has run out. */
COW_NODISCARD bool cowi_aside_put(cowi_aside *to, const cowi_window *of, size_t page);
void cowi_aside_put_back(const cowi_aside *from, cowi_window *to);
/* Adds all that older has not; the fewer go to the more. What is left in `from` is not needed any more. False, and nothing done:
 * memory has run out. */
COW_NODISCARD bool cowi_aside_leave(cowi_aside *from, cowi_aside *older);
/* Sets, or clears, the bit of each page. */
void cowi_aside_mark(const cowi_aside *of, uint64_t *bits);
void cowi_aside_unmark(const cowi_aside *of, uint64_t *bits);
/* It has none afterwards. */
void cowi_aside_free(cowi_aside *of);

#endif
