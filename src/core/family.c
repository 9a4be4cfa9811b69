/* Families, and their ledgers. */
#include "family.h"

#include <stdlib.h>

#include "account.h"
#include "mode.h"

#define LONGEST_STREAK 5
/* For how many windows a family remembers whether they were taken over and recalled. */
#define REMEMBERED 64

struct cow_family {
    cowi_atomic_size references;
    cowi_lender *lender;
    cow_account *account; /* whose lender it is; NULL: the process's */
    cowi_atomic_u64 earned;
    cowi_atomic_u64 spent;
    cowi_atomic_u64 borrowed;
    cowi_atomic_size skips;    /* windows that will be copied whole, after a give-up */
    cowi_atomic_size streak;   /* of give-ups */
    cowi_atomic_size taken;    /* windows that writers recently took over, or might have */
    cowi_atomic_size recalled; /* windows that were made after all for readers of these */
    cowi_atomic_uint has_written;
    cowi_atomic_uint always; /* by the page */
};

/* ---- life -------------------------------------------------------------------------------------------------------- */

cow_family *cowi_family_new(cowi_lender *lender, cow_account *account)
{
    cow_family *made = (cow_family *)calloc(1, sizeof *made);
    if (made != NULL) {
        cowi_init(&made->references, 1);
        made->lender = lender;
        made->account = account;
        if (account != NULL) {
            cowi_account_put(account, 0);
        }
    }
    return made;
}

cow_family *cowi_family_retain(cow_family *of)
{
    if (of != NULL) {
        (void)cowi_add_relaxed(&of->references, 1);
    }
    return of;
}

void cowi_family_let_go(cow_family *of)
{
    if (cowi_sub_acq_rel(&of->references, 1) != 1) {
        return;
    }
    if (of->account != NULL) {
        cowi_account_take(of->account, 0);
    }
    free(of);
}

void cowi_family_page_always(cow_family *of)
{
    cowi_store_relaxed(&of->always, 1);
}

bool cowi_family_pages_always(cow_family *of)
{
    return cowi_load_relaxed(&of->always) != 0;
}

void cowi_family_wrote(cow_family *of)
{
    cowi_store_relaxed(&of->has_written, 1);
}

bool cowi_family_has_written(cow_family *of)
{
    return cowi_load_relaxed(&of->has_written) != 0;
}

/* ---- the ledger -------------------------------------------------------------------------------------------------- */

static uint64_t with_a_quarter(uint64_t nbytes)
{
    return nbytes + nbytes / 4;
}

static bool is_unbounded(cow_family *of)
{
    return cowi_pages_are_eager() || cowi_family_pages_always(of);
}

static void pay_back_surplus(cow_family *of)
{
    uint64_t before = cowi_load_relaxed(&of->borrowed), needed;
    do {
        const uint64_t own = with_a_quarter(cowi_load_relaxed(&of->earned)), spent = cowi_load_relaxed(&of->spent);
        needed = spent > own ? spent - own : 0;
        if (before <= needed) {
            return;
        }
    } while (!cowi_cas_acq_rel(&of->borrowed, &before, needed));
    cowi_pay_back(of->lender, before - needed);
}

void cowi_family_earn(cow_family *of, size_t nbytes)
{
    (void)cowi_add_relaxed(&of->earned, nbytes);
    (void)cowi_add_relaxed(&of->lender->earned, nbytes);
    pay_back_surplus(of);
}

void cowi_family_spend(cow_family *of, size_t nbytes)
{
    (void)cowi_add_relaxed(&of->spent, nbytes);
    (void)cowi_add_relaxed(&of->lender->spent, nbytes);
}

/* How much is missing if nbytes are spent. */
static uint64_t missing(cow_family *of, uint64_t spent, uint64_t nbytes, uint64_t more_earned)
{
    const uint64_t own = with_a_quarter(cowi_load_relaxed(&of->earned) + more_earned);
    const uint64_t limit = own + cowi_load_relaxed(&of->borrowed);
    return spent + nbytes > limit ? spent + nbytes - limit : 0;
}

static bool may_borrow(cow_family *of, uint64_t nbytes, size_t copy, cowi_purse purse)
{
    return purse == COWI_LOANS_TOO && cowi_load_relaxed(&of->borrowed) + nbytes <= with_a_quarter(copy);
}

static bool borrow(cow_family *of, uint64_t nbytes, size_t copy, cowi_purse purse)
{
    if (!may_borrow(of, nbytes, copy, purse) || !cowi_lend(of->lender, nbytes)) {
        return false;
    }
    if (cowi_add_relaxed(&of->borrowed, nbytes) + nbytes > with_a_quarter(copy)) { /* another thread has as well */
        (void)cowi_sub_acq_rel(&of->borrowed, nbytes);
        cowi_pay_back(of->lender, nbytes);
        return false;
    }
    return true;
}

bool cowi_family_take(cow_family *of, uint64_t nbytes, size_t copy, cowi_purse purse)
{
    uint64_t before = cowi_load_relaxed(&of->spent);
    do {
        const uint64_t loan = is_unbounded(of) ? 0 : missing(of, before, nbytes, 0);
        if (loan > 0 && !borrow(of, loan, copy, purse)) {
            return false;
        }
    } while (!cowi_cas_acq_rel(&of->spent, &before, before + nbytes));
    (void)cowi_add_relaxed(&of->lender->spent, nbytes);
    return true;
}

bool cowi_family_has(cow_family *of, uint64_t nbytes, size_t copy, cowi_purse purse, uint64_t more_earned)
{
    const uint64_t loan = missing(of, cowi_load_relaxed(&of->spent), nbytes, more_earned);
    return is_unbounded(of) || loan == 0 || (may_borrow(of, loan, copy, purse) && cowi_would_lend(of->lender, loan));
}

void cowi_family_return(cow_family *of, uint64_t nbytes)
{
    (void)cowi_sub_acq_rel(&of->spent, nbytes);
    (void)cowi_sub_acq_rel(&of->lender->spent, nbytes);
    pay_back_surplus(of);
}

void cowi_family_figures(cow_paging_figures *out)
{
    out->earned = cowi_load_relaxed(&cowi_process_lender.earned);
    out->spent = cowi_load_relaxed(&cowi_process_lender.spent);
}

/* ---- give-ups ---------------------------------------------------------------------------------------------------- */

size_t cowi_family_skips(cow_family *of)
{
    return is_unbounded(of) ? 0 : cowi_load_relaxed(&of->skips);
}

bool cowi_family_skip(cow_family *of)
{
    size_t left = cowi_family_skips(of);
    while (left > 0) {
        if (cowi_cas_acq_rel(&of->skips, &left, left - 1)) {
            return true;
        }
    }
    return false;
}

void cowi_family_gave_up(cow_family *of)
{
    const size_t before = cowi_load_relaxed(&of->streak);
    cowi_store_relaxed(&of->skips, (size_t)2 << before);
    cowi_store_relaxed(&of->streak, before < LONGEST_STREAK ? before + 1 : before);
}

void cowi_family_went_well(cow_family *of)
{
    const size_t before = cowi_load_relaxed(&of->streak);
    if (before > 0) {
        cowi_store_relaxed(&of->streak, before - 1);
    }
}

/* ---- take-overs -------------------------------------------------------------------------------------------------- */

static void forget_half(cow_family *of)
{
    cowi_store_relaxed(&of->taken, cowi_load_relaxed(&of->taken) / 2);
    cowi_store_relaxed(&of->recalled, cowi_load_relaxed(&of->recalled) / 2);
}

bool cowi_family_takes_over(cow_family *of)
{
    const bool worth = cowi_load_relaxed(&of->recalled) * 4 <= cowi_load_relaxed(&of->taken) + 4;
    if (!worth) {
        cowi_family_took_over(of); /* it might have been */
    }
    return worth;
}

void cowi_family_took_over(cow_family *of)
{
    if (cowi_add_relaxed(&of->taken, 1) >= REMEMBERED) {
        forget_half(of);
    }
}

void cowi_family_recalled(cow_family *of)
{
    (void)cowi_add_relaxed(&of->recalled, 1);
}
