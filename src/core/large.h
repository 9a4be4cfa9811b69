/* Large blocks of the heap; see large.c. */
#ifndef COWI_LARGE_H
#define COWI_LARGE_H

#include <stddef.h>

#include "cowarray/core.h"

/* With AddressSanitizer, kept blocks are out of bounds, and so is the rest of a mapping behind the bytes asked for. */
#if defined(__SANITIZE_ADDRESS__)
#define COWI_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define COWI_ASAN 1
#endif
#endif

/* Blocks of this size and more get pages of their own. */
#define COWI_LARGE_BLOCK ((size_t)256 << 10)
/* Bytes before a block that also belong to it. */
#define COWI_LARGE_LEAD ((size_t)64)

/* nbytes >= COWI_LARGE_BLOCK, aligned to a page. NULL when memory has run out. */
COW_NODISCARD void *cowi_large_alloc(size_t nbytes);
/* Takes back what cowi_large_alloc gave for the same nbytes. */
void cowi_large_free(void *data, size_t nbytes);
/* Gives every kept block back to the system, when memory is short. */
void cowi_large_give_back(void);
/* Around a fork: the child must not inherit the lock from a thread that it does not have. */
void cowi_large_hold(void);
void cowi_large_let_go(void);

#endif
