/* The paging mode of the whole process. */
#ifndef COWI_MODE_H
#define COWI_MODE_H

#include <stdbool.h>

#include "cowarray/core.h"

bool cowi_pages_are_off(void);
/* Whether paging ignores the ledgers. */
bool cowi_pages_are_eager(void);
/* Whether the user asked for pages of 4 KiB. */
bool cowi_small_pages(void);
/* How much may be lent to families at once (lender.h). */
uint64_t cowi_allowance(void);

#endif
