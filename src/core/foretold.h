/* Paged windows of memory that is only counted; see foretold.c. */
#ifndef COWI_FORETOLD_H
#define COWI_FORETOLD_H

#include "cowarray/core.h"

extern const cow_paging cowi_foretold_pages;

#endif
