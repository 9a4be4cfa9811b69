/* Unusable addresses: slots of reserved regions, no byte of which may be touched.
 *
 * A slot is an address without extent. A region's table has, for each slot, the account to which its bytes are charged.
 * The first region has room for all that a program ever needs, since addresses cost nothing; under a limit on address
 * space they do, so there regions begin small, and each further one has twice the size. A region is never freed. All
 * fields are atomic, and there is no lock: a forked child finds every slot either free or taken. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE */
#include "slots.h"

#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "account.h"
#include "atomics.h"
#include "internal.h"

#define SLOT ((size_t)4096) /* any alignment that the core asks for */
#define MOST_SLOTS ((size_t)1 << 22)
#define LARGEST ((size_t)1 << 44)
#define LIMITED ((size_t)1 << 26) /* the first region under a limit: 16,384 slots */
#define SMALLEST ((size_t)1 << 22)
#define REGIONS 32u

typedef struct region {
    char *start;
    size_t nbytes;
    size_t count; /* of slots */
    cowi_atomic_size taken;
    cowi_atomic_size hint;   /* a slot that may be free */
    cowi_atomic_ptr table[]; /* for each slot its account; NULL: free */
} region;

static cowi_atomic_ptr regions[REGIONS]; /* filled from the front */
static cowi_atomic_size counted;         /* bytes that slots stand for */

static size_t limit(void)
{
    struct rlimit space;
    return getrlimit(RLIMIT_AS, &space) != 0 || space.rlim_cur == RLIM_INFINITY ? SIZE_MAX : (size_t)space.rlim_cur;
}

static void *reserve(size_t nbytes, int protection)
{
    void *data = mmap(NULL, nbytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return data == MAP_FAILED ? NULL : data;
}

static size_t size_of_table(size_t count)
{
    return sizeof(region) + count * sizeof(cowi_atomic_ptr);
}

static void give_back(region *gone)
{
    (void)munmap(gone->start, gone->nbytes);
    (void)munmap(gone, size_of_table(gone->count));
}

static region *region_new(size_t nbytes)
{
    const size_t count = nbytes / SLOT < MOST_SLOTS ? nbytes / SLOT : MOST_SLOTS;
    region *made = (region *)reserve(size_of_table(count), PROT_READ | PROT_WRITE);
    if (made != NULL) {
        made->start = (char *)reserve(nbytes, PROT_READ);
        made->nbytes = nbytes;
        made->count = count;
        if (made->start == NULL) {
            (void)munmap(made, size_of_table(count));
            return NULL;
        }
    }
    return made;
}

/* The region at that place, created if it is the next one; NULL: the system grants none. */
static region *region_at(unsigned place)
{
    void *there = cowi_load_acquire(&regions[place]);
    size_t nbytes = limit() == SIZE_MAX || LIMITED << place > LARGEST ? LARGEST : LIMITED << place;
    region *made = NULL;
    while (there == NULL && made == NULL && nbytes >= SMALLEST) {
        made = region_new(nbytes);
        nbytes /= 2;
    }
    if (made != NULL && !cowi_cas_acq_rel(&regions[place], &there, (void *)made)) {
        give_back(made); /* another thread was first */
        made = NULL;
    }
    return made == NULL ? (region *)there : made;
}

void cow_nowhere_region(void **start_of, size_t *nbytes)
{
    const region *first = region_at(0);
    *start_of = first == NULL ? NULL : first->start;
    *nbytes = first == NULL ? 0 : first->nbytes;
}

static char *slot_in(region *in, cow_account *account)
{
    const size_t first = cowi_load_relaxed(&in->hint);
    for (size_t i = 0; i < in->count && cowi_load_relaxed(&in->taken) < in->count; i++) {
        const size_t slot = (first + i) % in->count;
        void *expected = NULL;
        if (cowi_load_relaxed(&in->table[slot]) == NULL &&
            cowi_cas_acquire(&in->table[slot], &expected, (void *)account)) {
            (void)cowi_add_relaxed(&in->taken, 1);
            cowi_store_relaxed(&in->hint, (slot + 1) % in->count);
            return in->start + slot * SLOT;
        }
    }
    return NULL;
}

void *cowi_slot_new(cow_account *account, size_t nbytes, size_t alignment)
{
    if (alignment > SLOT || !cowi_account_has_room(account, nbytes)) {
        return NULL;
    }
    for (unsigned i = 0; i < REGIONS; i++) {
        region *in = region_at(i);
        char *data = in == NULL ? NULL : slot_in(in, account);
        if (data != NULL) {
            (void)cowi_add_relaxed(&counted, nbytes);
            cowi_account_put(account, nbytes);
            return data;
        }
        if (in == NULL) {
            return NULL;
        }
    }
    return NULL;
}

static region *region_of(const void *data)
{
    for (unsigned i = 0;; i++) {
        region *each = (region *)cowi_load_acquire(&regions[i]);
        if ((const char *)data >= each->start && (const char *)data < each->start + each->nbytes) {
            return each;
        }
    }
}

static cowi_atomic_ptr *entry_of(const void *data)
{
    region *of = region_of(data);
    return &of->table[(size_t)((const char *)data - of->start) / SLOT];
}

cow_account *cowi_slot_account(const void *data)
{
    return (cow_account *)cowi_load_relaxed(entry_of(data));
}

void cowi_slot_free(void *data, size_t nbytes)
{
    region *of = region_of(data);
    cow_account *account = cowi_slot_account(data);
    cowi_store_release(entry_of(data), NULL);
    cowi_store_relaxed(&of->hint, (size_t)((char *)data - of->start) / SLOT);
    (void)cowi_sub_release(&of->taken, 1);
    (void)cowi_add_relaxed(&counted, (size_t)0 - nbytes);
    cowi_account_take(account, nbytes);
}

cow_status cowi_slot_refused(cow_error *err, size_t nbytes)
{
    size_t taken = 0;
    if (!cowi_account_has_room(cowi_account_now(), nbytes)) {
        return cowi_fail(err, COW_ENOMEM, "cannot count %zu bytes: the sum would be above %td", nbytes, PTRDIFF_MAX);
    }
    for (unsigned i = 0; i < REGIONS && cowi_load_acquire(&regions[i]) != NULL; i++) {
        taken += cowi_load_relaxed(&((region *)cowi_load_acquire(&regions[i]))->taken);
    }
    if (limit() == SIZE_MAX) {
        return cowi_fail(err, COW_ENOMEM,
                         "cannot count %zu bytes: the system grants no addresses beside those of %zu fakes", nbytes,
                         taken);
    }
    return cowi_fail(
        err, COW_ENOMEM,
        "cannot count %zu bytes: the limit on address space (ulimit -v: %zu) leaves no addresses beside those "
        "of %zu fakes of %zu bytes",
        nbytes, limit(), taken, cowi_load_relaxed(&counted));
}
