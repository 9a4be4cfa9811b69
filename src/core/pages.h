/* Copy-on-write by the page, for the heap: windows are private maps of frozen bytes. */
#ifndef COWI_PAGES_H
#define COWI_PAGES_H

#include "base.h"

extern const cow_paging cowi_pages;

/* Makes a window on nbytes of the base, from offset on, in a family that is always paged. Takes its own references.
 * False: memory or maps have run out. */
COW_NODISCARD bool cowi_window_on(cowi_base *base, size_t offset, size_t nbytes, cow_dataptr *out);

#endif
