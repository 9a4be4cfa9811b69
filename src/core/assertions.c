/* The failure of an assertion, and the core's assumptions about the machine and its own bounds. */
#include "assertions.h"

#include <stdio.h>

#include "internal.h"

void cowi_broken(const char *file, int line, const char *condition)
{
    (void)fprintf(stderr, "cowarray: %s:%d: broken: %s\n", file, line, condition);
    (void)fflush(stderr);
    abort();
}

/* ---- atomics: a lock inside one would be a lock that no fork knows of ---------------------------------------------- */

COWI_STATIC_ASSERT(ATOMIC_INT_LOCK_FREE == 2, "flags and the micro lock are lock-free");
COWI_STATIC_ASSERT(ATOMIC_LONG_LOCK_FREE == 2 && ATOMIC_LLONG_LOCK_FREE == 2, "counts are lock-free");
COWI_STATIC_ASSERT(ATOMIC_POINTER_LOCK_FREE == 2, "addresses are lock-free");
COWI_STATIC_ASSERT(sizeof(size_t) == sizeof(long) || sizeof(size_t) == sizeof(long long), "size_t is one of these");
COWI_STATIC_ASSERT(sizeof(cowi_atomic_u64) == sizeof(uint64_t), "no lock is hidden beside a value");
COWI_STATIC_ASSERT(sizeof(cowi_atomic_size) == sizeof(size_t), "no lock is hidden beside a value");
COWI_STATIC_ASSERT(sizeof(cowi_atomic_ptr) == sizeof(void *), "no lock is hidden beside a value");
COWI_STATIC_ASSERT(sizeof(unsigned) >= 4, "nobody forks as often as the epoch counts");

/* ---- sizes --------------------------------------------------------------------------------------------------------- */

COWI_STATIC_ASSERT(sizeof(size_t) == sizeof(void *), "every distance in memory is a size");
COWI_STATIC_ASSERT(PTRDIFF_MAX <= SIZE_MAX / 2, "sizes up to PTRDIFF_MAX can be rounded up without a wrap");
COWI_STATIC_ASSERT(sizeof(((cow_error *)0)->text) >= 128, "every text of the core fits, with two sizes in it");

/* Counts are checked only after they are raised, so each thread may exceed a bound: there must be room for all. */
COWI_STATIC_ASSERT(COWI_COUNT_LIMIT >= 2, "two can share");
COWI_STATIC_ASSERT(2 * (uint64_t)COWI_COUNT_LIMIT <= (UINT32_MAX >> 2) - (UINT32_MAX >> 4),
                   "counts are far from their 30 bits");

/* ---- what the contract of an allocator allows to be asked for ------------------------------------------------------- */

#define IS_ALIGNMENT(alignment) (((alignment) & ((alignment) - 1)) == 0 && (alignment) >= sizeof(void *))
COWI_STATIC_ASSERT(IS_ALIGNMENT(COW_ALIGNMENT), "blocks of array bytes");
COWI_STATIC_ASSERT(IS_ALIGNMENT(_Alignof(cowi_context)), "contexts");
COWI_STATIC_ASSERT(IS_ALIGNMENT(_Alignof(cow_storage)), "Storages");
COWI_STATIC_ASSERT(COW_ALIGNMENT > _Alignof(max_align_t), "the heap tells array bytes from structs by their alignment");

/* ---- the public header -------------------------------------------------------------------------------------------- */

COWI_STATIC_ASSERT((COW_TRY & COW_NO_COPY) == 0 && (COW_TRY & COW_FOREIGN) == 0 && (COW_TRY & COW_QUIET) == 0 &&
                       (COW_NO_COPY & COW_FOREIGN) == 0 && (COW_NO_COPY & COW_QUIET) == 0 &&
                       (COW_FOREIGN & COW_QUIET) == 0,
                   "flags can be told apart");
