/* Families: what descends from one allocation by copies, and the ledger of what its writes cost.
 *
 * A ledger earns the bytes of each lazy copy, for which NumPy would have paid at once. It does so when a sharer copies, or is
 * gone: until then the bytes are owed to the plain copy that may still be made. It spends what writes cost: whole windows, fills
 * of bases, pages, and what a paged window may still cost before it ends or is given up. Nothing is spent on pages that would
 * take it beyond 5/4 of what was earned and what the lender lends: at most one copy more. Give-ups are the family's own, too.
 *
 * All of it is atomic; there is no lock. Threads that take and earn at once may exceed the bound by what one of them takes. */
#ifndef COWI_FAMILY_H
#define COWI_FAMILY_H

#include <stdbool.h>

#include "cowarray/core.h"
#include "lender.h"

/* Of a new family, with one reference. account: kept as long as the family, or NULL. NULL: memory has run out. */
cow_family *cowi_family_new(cowi_lender *lender, cow_account *account);
/* NULL is allowed. */
cow_family *cowi_family_retain(cow_family *of);
void cowi_family_let_go(cow_family *of);
/* Most Storages have none: that costs no call. */
static inline void cowi_family_release(cow_family *of)
{
    if (of != NULL) {
        cowi_family_let_go(of);
    }
}

/* From now on its writes are by the page, whatever they cost. */
void cowi_family_page_always(cow_family *of);
bool cowi_family_pages_always(cow_family *of);
/* A write has given one of its arrays bytes of its own; and whether any has. */
void cowi_family_wrote(cow_family *of);
bool cowi_family_has_written(cow_family *of);

/* A lazy copy of nbytes has ended. */
void cowi_family_earn(cow_family *of, size_t nbytes);
/* For a plain copy, which is made whatever the ledger has. */
void cowi_family_spend(cow_family *of, size_t nbytes);
/* Whose money it is. A base that only saves the writer a steal is not worth a loan. */
typedef enum cowi_purse { COWI_OWN_MONEY, COWI_LOANS_TOO } cowi_purse;
/* Spends what may be spent now. copy: bytes of a copy of the whole allocation. False, and nothing spent, beyond the bound. */
COW_NODISCARD bool cowi_family_take(cow_family *of, uint64_t nbytes, size_t copy, cowi_purse purse);
/* Whether take would succeed after so much more was earned. */
bool cowi_family_has(cow_family *of, uint64_t nbytes, size_t copy, cowi_purse purse, uint64_t more_earned);
/* Returns what was taken and is not needed. */
void cowi_family_return(cow_family *of, uint64_t nbytes);

/* A window of the family ends by the page, or was given up: the next 2, 4, 8 ... windows are copied. */
void cowi_family_went_well(cow_family *of);
void cowi_family_gave_up(cow_family *of);
/* How many windows are to be copied whole first. */
size_t cowi_family_skips(cow_family *of);
/* True: the caller's window is copied whole, and one fewer is from here on. */
bool cowi_family_skip(cow_family *of);

/* Whether a writer should take over a window that others share: not where most of them have read it afterwards, of late, for then
 * each reader needs a window, and regions that are copied again and again get no base. */
bool cowi_family_takes_over(cow_family *of);
/* A writer has. */
void cowi_family_took_over(cow_family *of);
/* A reader has needed a window of his own for what was taken over. */
void cowi_family_recalled(cow_family *of);

/* Sets earned and spent: of all families of the process, those that are gone included. */
void cowi_family_figures(cow_paging_figures *out);

#endif
