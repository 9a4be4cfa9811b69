/* Large blocks of the heap; see large.c. */
#ifndef COWI_LARGE_H
#define COWI_LARGE_H

#include <stddef.h>

#include "cowarray/core.h"

/* With AddressSanitizer, kept blocks are poisoned, and so is the rest of a mapping behind the requested bytes. */
#if defined(__SANITIZE_ADDRESS__)
#define COWI_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define COWI_ASAN 1
#endif
#endif

/* Blocks of at least this size get their own mappings. */
#define COWI_LARGE_BLOCK ((size_t)256 << 10)
/* Usable bytes before a block that belong to it as well. */
#define COWI_LARGE_LEAD ((size_t)64)

/* Allocates nbytes >= COWI_LARGE_BLOCK, aligned to a page. NULL: memory has run out. */
COW_NODISCARD void *cowi_large_alloc(size_t nbytes);
/* Frees a block that cowi_large_alloc returned for the same nbytes. */
void cowi_large_free(void *data, size_t nbytes);
/* Returns every kept block to the system, when memory is short. */
void cowi_large_give_back(void);
/* Around a fork: the child must not inherit the lock from a thread that it does not have. */
void cowi_large_hold(void);
void cowi_large_let_go(void);

#endif
