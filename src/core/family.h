/* Families: the allocations that descend from one by copies, and the ledger of their writes' costs.
 *
 * A ledger earns the bytes of each lazy copy, for which NumPy would have paid at once. It earns them when a sharer
 * copies or is gone: until then they are owed to the plain copy that may still be made. It spends the costs of writes:
 * whole windows, fills of bases, pages, and what a paged window may still cost before it ends or is given up. Paging
 * never takes it beyond 5/4 of its earnings plus loans of at most 5/4 of a copy. Each family counts its give-ups.
 *
 * All fields are atomic; there is no lock. Threads that take and earn at once may exceed the bound by one taking. */
#ifndef COWI_FAMILY_H
#define COWI_FAMILY_H

#include <stdbool.h>

#include "cowarray/core.h"
#include "lender.h"

/* Creates a family with one reference. account: kept as long as the family, or NULL. Returns NULL if out of memory. */
cow_family *cowi_family_new(cowi_lender *lender, cow_account *account);
/* NULL is allowed. */
cow_family *cowi_family_retain(cow_family *of);
void cowi_family_let_go(cow_family *of);
/* Most Storages have no family, which then costs no call. */
static inline void cowi_family_release(cow_family *of)
{
    if (of != NULL) {
        cowi_family_let_go(of);
    }
}

/* Makes all its writes paged from now on, whatever they cost. */
void cowi_family_page_always(cow_family *of);
bool cowi_family_pages_always(cow_family *of);
/* wrote notes that a write has given one of its arrays its own bytes; has_written tells whether any has. */
void cowi_family_wrote(cow_family *of);
bool cowi_family_has_written(cow_family *of);

/* Earns nbytes of lazy copies. */
void cowi_family_earn(cow_family *of, size_t nbytes);
/* Spends nbytes whatever the ledger has: for plain copies, which are always made. */
void cowi_family_spend(cow_family *of, size_t nbytes);
/* Whose money to spend. A base that only spares the writer a steal is not worth a loan. */
typedef enum cowi_purse { COWI_OWN_MONEY, COWI_LOANS_TOO } cowi_purse;
/* Spends nbytes within the bound. copy: bytes of a copy of the whole allocation. False: nothing is spent. */
COW_NODISCARD bool cowi_family_take(cow_family *of, uint64_t nbytes, size_t copy, cowi_purse purse);
/* Whether take would succeed after earning more_earned. */
bool cowi_family_has(cow_family *of, uint64_t nbytes, size_t copy, cowi_purse purse, uint64_t more_earned);
/* Returns an unneeded part of what was taken. */
void cowi_family_return(cow_family *of, uint64_t nbytes);

/* Notes that a window of the family ended paged, or was given up: then the next 2, 4, 8 ... windows are copied. */
void cowi_family_went_well(cow_family *of);
void cowi_family_gave_up(cow_family *of);
/* How many more windows are to be copied whole. */
size_t cowi_family_skips(cow_family *of);
/* True: the caller's window is to be copied whole, and one fewer afterwards. */
bool cowi_family_skip(cow_family *of);

/* Whether a writer should take over a window that others share: not if readers have recently recalled more than a
 * quarter, since each needs a window, and regions that are copied again and again get no base. */
bool cowi_family_takes_over(cow_family *of);
/* Notes that a writer has taken one over. */
void cowi_family_took_over(cow_family *of);
/* Notes that a reader of taken-over bytes has needed its own window. */
void cowi_family_recalled(cow_family *of);

/* Sets earned and spent: of all families of the process, including those that have ended. */
void cowi_family_figures(cow_paging_figures *out);

#endif
