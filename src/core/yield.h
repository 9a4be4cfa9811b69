/* What a debug build does at the core's named points (COWI_YIELD in atomics.h); for tests. */
#ifndef COWI_YIELD_H
#define COWI_YIELD_H

#include <stddef.h>
#include <stdint.h>

/* This thread's choices from here on. A thread that never calls it gets COWARRAY_TEST_SEED and its number. */
void cowi_yield_seed(uint64_t seed);
/* The index-th point that has been reached so far, and how often; NULL behind the last. */
const char *cowi_yield_point(size_t index, size_t *times);

#endif
