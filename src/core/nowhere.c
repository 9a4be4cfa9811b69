/* Memory that is only counted: addresses, and bytes charged to accounts.
 *
 * The core also takes its own structs from the bytes' allocator. They have a smaller alignment than bytes, and come
 * from malloc. */
#include "account.h"
#include "foretold.h"
#include "internal.h"
#include "slots.h"

static void *nowhere_alloc(void *self, size_t nbytes, size_t alignment)
{
    (void)self;
    if (alignment < COW_ALIGNMENT) {
        return nbytes > (size_t)PTRDIFF_MAX ? NULL : malloc(nbytes);
    }
    return cowi_slot_new(cowi_account_now(), nbytes, alignment);
}

static void nowhere_free(void *self, void *data, size_t nbytes, size_t alignment)
{
    (void)self;
    if (alignment < COW_ALIGNMENT) {
        free(data);
        return;
    }
    cowi_slot_free(data, nbytes);
}

static void nowhere_clone(void *self, void *data, const void *source, size_t nbytes)
{
    (void)self;
    (void)data;
    (void)source;
    cowi_account_count_copy(nbytes);
}

static const cow_allocator nowhere = {
    "nowhere", NULL, nowhere_alloc, nowhere_free, nowhere_clone, &cowi_foretold_pages,
};

cow_status cowi_fail_block(cow_error *err, const cow_allocator *allocator, size_t nbytes, const char *purpose)
{
    return allocator == &nowhere ? cowi_slot_refused(err, nbytes)
                                 : cowi_fail(err, COW_ENOMEM, "cannot allocate %zu bytes%s", nbytes, purpose);
}

const cow_allocator *cow_nowhere(void)
{
    return &nowhere;
}
