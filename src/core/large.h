/* Large blocks of the heap; see large.c. */
#ifndef COWI_LARGE_H
#define COWI_LARGE_H

#include <stddef.h>

#include "cowarray/core.h"

/* With AddressSanitizer, kept blocks are out of bounds, and so is the end of a mapping behind the bytes asked for. */
#if defined(__SANITIZE_ADDRESS__)
#define COWI_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define COWI_ASAN 1
#endif
#endif

/* From here on a block is worth pages of its own. */
#define COWI_LARGE_BLOCK ((size_t)256 << 10)
/* Bytes before a block that belong to it, too. */
#define COWI_LARGE_LEAD ((size_t)64)

/* nbytes >= COWI_LARGE_BLOCK, aligned to a page. NULL when memory has run out. */
COW_NODISCARD void *cowi_large_alloc(size_t nbytes);
/* Takes back what cowi_large_alloc gave for the same nbytes. */
void cowi_large_free(void *data, size_t nbytes);
/* Gives back every block that is kept: memory is short, and they may be what is missing. */
void cowi_large_give_back(void);
/* Around a fork: the child must not inherit the lock from a thread that it does not have. */
void cowi_large_hold(void);
void cowi_large_let_go(void);

#endif
