/* The paging mode. Each field is atomic; a thread that copies meanwhile may see a mix of the old and the new policy. */
#include "mode.h"

#include "atomics.h"

static cowi_atomic_uint mode = COW_PAGING_LEDGER;
static cowi_atomic_size allowance = COW_PAGING_ALLOWANCE;
static cowi_atomic_uint small_pages;

cow_paging_policy cow_paging_now(void)
{
    cow_paging_policy now;
    now.mode = (cow_paging_mode)cowi_load_relaxed(&mode);
    now.allowance = cowi_load_relaxed(&allowance);
    now.small_pages = cowi_load_relaxed(&small_pages) != 0;
    return now;
}

cow_paging_policy cow_paging_use(cow_paging_policy policy)
{
    const cow_paging_policy before = cow_paging_now();
    cowi_store_relaxed(&mode, (unsigned)policy.mode);
    cowi_store_relaxed(&allowance, policy.allowance);
    cowi_store_relaxed(&small_pages, policy.small_pages ? 1u : 0u);
    return before;
}

bool cowi_pages_are_off(void)
{
    return cowi_load_relaxed(&mode) == COW_PAGING_OFF;
}

bool cowi_pages_are_eager(void)
{
    return cowi_load_relaxed(&mode) == COW_PAGING_EAGER;
}

bool cowi_small_pages(void)
{
    return cowi_load_relaxed(&small_pages) != 0;
}

uint64_t cowi_allowance(void)
{
    return cowi_load_relaxed(&allowance);
}
