/* An allocator for tests: it knows every live block, counts what it clones, and can refuse the n-th allocation. */
#ifndef COWARRAY_TESTS_TRACING_H
#define COWARRAY_TESTS_TRACING_H

#include "cowarray/core.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cow_tracing cow_tracing;

typedef struct cow_tracing_report {
    size_t live_blocks; /* given out and not taken back; the core's own structs count, too */
    size_t live_bytes;
    size_t peak_bytes;
    size_t allocations; /* asked for, refused ones included */
    size_t refused;
    size_t clones;
    size_t cloned_bytes;
    size_t faults; /* frees of what is not live, wrong sizes, bytes written outside a block */
} cow_tracing_report;

/* Blocks come from under, which must outlive the result. */
COW_NODISCARD cow_status cow_tracing_new(const cow_allocator *under, cow_tracing **out);
const cow_allocator *cow_tracing_allocator(cow_tracing *tracing);
/* Refuses the n-th allocation from now (1 is the next one), and with every != 0 all after it; 0 refuses none. */
void cow_tracing_refuse(cow_tracing *tracing, size_t n, int every);
void cow_tracing_read(cow_tracing *tracing, cow_tracing_report *out);
/* Only when no block is live any more: otherwise COW_EINVAL, and nothing is freed. */
cow_status cow_tracing_free(cow_tracing *tracing);

#ifdef __cplusplus
}
#endif

#endif
