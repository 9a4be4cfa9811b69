/* Where two windows may differ, told by their bases and by the pages of their own. */
#ifndef COWI_DIFFERENCES_H
#define COWI_DIFFERENCES_H

#include "cowarray/core.h"

/* As cow_paging has it, for the heap. In the fork gate. */
void cowi_differences(void *self, const cow_compared *a, const cow_compared *b, size_t nbytes, cow_run_function found,
                      void *to);

#endif
