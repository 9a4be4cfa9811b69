/* Addresses that nobody can use: slots of a reserved region, of which no byte can be touched.
 *
 * A slot is an address and has no extent. A table has, for each slot, the account to which its bytes are charged. All of it is
 * atomic, and there is no lock: a forked child finds every slot either free or taken. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE */
#include "slots.h"

#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>

#include "account.h"
#include "atomics.h"

#define SLOT ((size_t)4096) /* any alignment that the core asks for */
#define SLOTS ((size_t)1 << 22)
#define LARGEST ((size_t)1 << 44)
#define SMALLEST (SLOT * SLOTS * 2)

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char *region; /* NULL: the system granted none */
static size_t region_size;
static cowi_atomic_ptr *table; /* for each slot its account; NULL: free */
static cowi_atomic_size hint;  /* a slot that may be free */

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

void *cowi_slot_new(cow_account *account, size_t nbytes, size_t alignment)
{
    (void)pthread_once(&once, start);
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

static size_t slot_of(const void *data)
{
    return (size_t)((const char *)data - region) / SLOT;
}

cow_account *cowi_slot_account(const void *data)
{
    return (cow_account *)cowi_load_relaxed(&table[slot_of(data)]);
}

void cowi_slot_free(void *data, size_t nbytes)
{
    const size_t slot = slot_of(data);
    cow_account *account = cowi_slot_account(data);
    cowi_store_release(&table[slot], NULL);
    cowi_store_relaxed(&hint, slot);
    cowi_account_take(account, nbytes);
}
