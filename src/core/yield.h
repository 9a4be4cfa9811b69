/* The named points (COWI_YIELD in atomics.h) of debug builds; for tests. */
#ifndef COWI_YIELD_H
#define COWI_YIELD_H

#include <stddef.h>
#include <stdint.h>

/* Seeds this thread's choices. A thread that never calls it uses COWARRAY_TEST_SEED plus its number. */
void cowi_yield_seed(uint64_t seed);
/* The index-th point reached so far, and how often; NULL behind the last. */
const char *cowi_yield_point(size_t index, size_t *times);

#endif
