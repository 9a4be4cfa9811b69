/* Copy-on-write by the page, for the heap: windows are private maps of frozen bytes. */
#ifndef COWI_PAGES_H
#define COWI_PAGES_H

#include "cowarray/core.h"

extern const cow_paging cowi_pages;

#endif
