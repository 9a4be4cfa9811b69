/* The mode of paging, and ledgers.
 *
 * A ledger earns the bytes of each lazy copy, for which NumPy would have paid at once. It does so when a sharer copies, or
 * is gone: until then the bytes are owed to the plain copy that may still be made. It spends what writes cost: whole
 * windows, fills of bases, pages, and what a paged window may still cost before it ends or is given up. With
 * COW_PAGING_LEDGER nothing is spent on pages that would take it beyond 5/4 of what was earned. So no program pays more than
 * that, whatever it does next. The process has one ledger, and so has each plan (nowhere.c). */
#include "ledger.h"

/* ---- the mode ----------------------------------------------------------------------------------------------------- */

static cowi_atomic_uint mode = COW_PAGING_LEDGER;
static cowi_atomic_size allowance;
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

bool cowi_small_pages(void)
{
    return cowi_load_relaxed(&small_pages) != 0;
}

/* ---- the ledger -------------------------------------------------------------------------------------------------- */

cowi_ledger cowi_books;

#define LONGEST_STREAK 20

void cowi_ledger_figures(cow_paging_figures *out)
{
    out->earned = cowi_load_relaxed(&cowi_books.earned);
    out->spent = cowi_load_relaxed(&cowi_books.spent);
}

void cowi_ledger_earn(cowi_ledger *of, size_t nbytes)
{
    (void)cowi_add_relaxed(&of->earned, nbytes);
}

void cowi_ledger_spend(cowi_ledger *of, size_t nbytes)
{
    (void)cowi_add_relaxed(&of->spent, nbytes);
}

static bool is_within(cowi_ledger *of, uint64_t spending, uint64_t more_earned)
{
    const uint64_t income = cowi_load_relaxed(&of->earned) + more_earned;
    return cowi_load_relaxed(&mode) == COW_PAGING_EAGER ||
           spending <= income + income / 4 + cowi_load_relaxed(&allowance);
}

bool cowi_ledger_take(cowi_ledger *of, uint64_t nbytes)
{
    uint64_t before = cowi_load_relaxed(&of->spent);
    do {
        if (!is_within(of, before + nbytes, 0)) {
            return false;
        }
    } while (!cowi_cas_acq_rel(&of->spent, &before, before + nbytes));
    return true;
}

bool cowi_ledger_has(cowi_ledger *of, uint64_t nbytes, uint64_t more_earned)
{
    return is_within(of, cowi_load_relaxed(&of->spent) + nbytes, more_earned);
}

bool cowi_ledger_allows(cowi_ledger *of, uint64_t nbytes, uint64_t more_earned)
{
    return cowi_load_relaxed(&of->skips) == 0 && cowi_ledger_has(of, nbytes, more_earned);
}

void cowi_ledger_return(cowi_ledger *of, uint64_t nbytes)
{
    (void)cowi_sub_acq_rel(&of->spent, nbytes);
}

bool cowi_ledger_skips(cowi_ledger *of)
{
    size_t left = cowi_load_relaxed(&of->skips);
    while (left > 0) {
        if (cowi_cas_acq_rel(&of->skips, &left, left - 1)) {
            return true;
        }
    }
    return false;
}

void cowi_ledger_gave_up(cowi_ledger *of)
{
    const size_t before = cowi_load_relaxed(&of->streak);
    cowi_store_relaxed(&of->skips, (size_t)2 << before);
    cowi_store_relaxed(&of->streak, before < LONGEST_STREAK ? before + 1 : before);
}

void cowi_ledger_went_well(cowi_ledger *of)
{
    const size_t before = cowi_load_relaxed(&of->streak);
    if (before > 0) {
        cowi_store_relaxed(&of->streak, before - 1);
    }
}
