/* Where two windows may differ, judged by their bases and their private pages. */
#ifndef COWI_DIFFERENCES_H
#define COWI_DIFFERENCES_H

#include "cowarray/core.h"

/* differences of cow_paging, for the heap. In the fork gate. */
void cowi_differences(void *self, const cow_compared *a, const cow_compared *b, size_t nbytes, cow_run_function found,
                      void *to);

#endif
