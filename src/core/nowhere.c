/* Memory that is only counted: addresses in a reserved region, of which no byte can be used.
 *
 * A block has a slot of the region, whose address tells it from others; how far it reaches is nobody's business. A table
 * says of each slot whose account its bytes are on. All of it is atomic, and there is no lock: a forked child finds every
 * slot either free or taken.
 *
 * The core's own structs, which it takes from the allocator of the bytes, have a smaller alignment than bytes have; they
 * come from the heap. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE */
#include <stdint.h>
#include <sys/mman.h>

#include "account.h"
#include "internal.h"

#define SLOT ((size_t)4096) /* any alignment that the core asks for */
#define SLOTS ((size_t)1 << 22)
#define LARGEST ((size_t)1 << 44)
#define SMALLEST (SLOT * SLOTS * 2)

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char *region; /* NULL: there is none */
static size_t region_size;
static cowi_atomic_ptr *table; /* of each slot, the account; NULL: free */
static cowi_atomic_size hint;  /* a slot that may be free */

/* ---- the region ---------------------------------------------------------------------------------------------------- */

static void *reserve(size_t nbytes, int protection)
{
    void *data = mmap(NULL, nbytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return data == MAP_FAILED ? NULL : data;
}

static void start(void)
{
    table = (cowi_atomic_ptr *)reserve(SLOTS * sizeof *table, PROT_READ | PROT_WRITE);
    for (region_size = LARGEST; table != NULL && region == NULL && region_size >= SMALLEST; region_size /= 2) {
        region = (char *)reserve(region_size, PROT_READ);
        if (region != NULL) {
            break;
        }
    }
}

void cow_nowhere_region(void **start_of, size_t *nbytes)
{
    (void)pthread_once(&once, start);
    *start_of = region;
    *nbytes = region == NULL ? 0 : region_size;
}

static void *nowhere_alloc(void *self, size_t nbytes, size_t alignment)
{
    (void)self;
    if (alignment < COW_ALIGNMENT) {
        return nbytes > (size_t)PTRDIFF_MAX ? NULL : malloc(nbytes);
    }
    (void)pthread_once(&once, start);
    cow_account *account = cowi_account_now();
    if (region == NULL || alignment > SLOT || !cowi_account_has_room(account, nbytes)) {
        return NULL;
    }
    const size_t first = cowi_load_relaxed(&hint);
    for (size_t i = 0; i < SLOTS; i++) {
        const size_t slot = (first + i) % SLOTS;
        void *expected = NULL;
        if (cowi_load_relaxed(&table[slot]) == NULL && cowi_cas_acquire(&table[slot], &expected, (void *)account)) {
            cowi_store_relaxed(&hint, (slot + 1) % SLOTS);
            cowi_account_put(account, nbytes);
            return region + slot * SLOT;
        }
    }
    return NULL;
}

static void nowhere_free(void *self, void *data, size_t nbytes, size_t alignment)
{
    (void)self;
    if (alignment < COW_ALIGNMENT) {
        free(data);
        return;
    }
    const size_t slot = (size_t)((char *)data - region) / SLOT;
    cow_account *account = (cow_account *)cowi_load_relaxed(&table[slot]);
    cowi_store_release(&table[slot], NULL);
    cowi_store_relaxed(&hint, slot);
    cowi_account_take(account, nbytes);
}

static void nowhere_clone(void *self, void *data, const void *source, size_t nbytes)
{
    (void)self;
    (void)data;
    (void)source;
    cowi_account_count_copy(nbytes);
}

static const cow_allocator nowhere = {"nowhere", NULL, nowhere_alloc, nowhere_free, nowhere_clone, NULL};

const cow_allocator *cow_nowhere(void)
{
    return &nowhere;
}
