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

#include "internal.h"

#define SLOT ((size_t)4096) /* any alignment that the core asks for */
#define SLOTS ((size_t)1 << 22)
#define LARGEST ((size_t)1 << 44)
#define SMALLEST (SLOT * SLOTS * 2)

struct cow_account {
    cowi_atomic_size references; /* of the handle, of accounts below, and one for each block */
    cowi_atomic_size live;
    cowi_atomic_size peak;
    cowi_atomic_u64 copied;
    cow_account *above;
    bool is_hushed;
};

static cow_account nobodys; /* of blocks that were taken while the thread had no account */
static _Thread_local cow_account *current;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char *region; /* NULL: there is none */
static size_t region_size;
static cowi_atomic_ptr *table; /* of each slot, the account; NULL: free */
static cowi_atomic_size hint;  /* a slot that may be free */

/* ---- accounts ------------------------------------------------------------------------------------------------------ */

cow_status cow_account_new(cow_account *above, cow_account **out, cow_error *err)
{
    cow_account *made = (cow_account *)malloc(sizeof *made);
    if (made == NULL) {
        return cowi_fail(err, COW_ENOMEM, "cannot allocate an account");
    }
    cowi_init(&made->references, 1);
    cowi_init(&made->live, 0);
    cowi_init(&made->peak, 0);
    cowi_init(&made->copied, 0);
    made->above = above;
    made->is_hushed = false;
    if (above != NULL) {
        (void)cowi_add_relaxed(&above->references, 1);
    }
    *out = made;
    return COW_OK;
}

void cow_account_hush(cow_account *account)
{
    account->is_hushed = true;
}

void cow_account_drop(cow_account *account)
{
    while (account != NULL && account != &nobodys && cowi_sub_acq_rel(&account->references, 1) == 1) {
        cow_account *above = account->above;
        free(account);
        account = above;
    }
}

cow_account *cow_account_use(cow_account *account)
{
    cow_account *before = current;
    current = account;
    return before;
}

void cow_account_read(const cow_account *account, cow_account_figures *out)
{
    out->live = cowi_load_relaxed(&account->live);
    out->peak = cowi_load_relaxed(&account->peak);
    out->copied = cowi_load_relaxed(&account->copied);
}

/* Whether the sums stay numbers. */
static bool has_room(const cow_account *account, size_t nbytes)
{
    for (; account != NULL; account = account->above) {
        if (nbytes > (size_t)PTRDIFF_MAX - cowi_load_relaxed(&account->live)) {
            return false;
        }
    }
    return true;
}

static void put_on(cow_account *account, size_t nbytes)
{
    for (; account != NULL; account = account->above) {
        const size_t live = cowi_add_relaxed(&account->live, nbytes) + nbytes;
        size_t peak = cowi_load_relaxed(&account->peak);
        while (peak < live && !cowi_cas_acquire(&account->peak, &peak, live)) {
        }
    }
}

static void take_off(cow_account *account, size_t nbytes)
{
    for (; account != NULL; account = account->above) {
        (void)cowi_add_relaxed(&account->live, (size_t)0 - nbytes);
    }
}

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
    cow_account *account = current == NULL ? &nobodys : current;
    if (region == NULL || alignment > SLOT || !has_room(account, nbytes)) {
        return NULL;
    }
    const size_t first = cowi_load_relaxed(&hint);
    for (size_t i = 0; i < SLOTS; i++) {
        const size_t slot = (first + i) % SLOTS;
        void *expected = NULL;
        if (cowi_load_relaxed(&table[slot]) == NULL && cowi_cas_acquire(&table[slot], &expected, (void *)account)) {
            cowi_store_relaxed(&hint, (slot + 1) % SLOTS);
            (void)cowi_add_relaxed(&account->references, 1);
            put_on(account, nbytes);
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
    take_off(account, nbytes);
    cowi_store_release(&table[slot], NULL);
    cowi_store_relaxed(&hint, slot);
    cow_account_drop(account);
}

static void nowhere_clone(void *self, void *data, const void *source, size_t nbytes)
{
    (void)self;
    (void)data;
    (void)source;
    if (current != NULL && current->is_hushed) {
        return;
    }
    for (cow_account *account = current; account != NULL; account = account->above) {
        (void)cowi_add_relaxed(&account->copied, nbytes);
    }
}

static const cow_allocator nowhere = {"nowhere", NULL, nowhere_alloc, nowhere_free, nowhere_clone, NULL};

const cow_allocator *cow_nowhere(void)
{
    return &nowhere;
}
