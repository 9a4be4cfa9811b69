/* The mode of paging, and the ledger that keeps it within its bound. All of it is atomic; there is no lock. */
#ifndef COWI_LEDGER_H
#define COWI_LEDGER_H

#include <stdbool.h>

#include "atomics.h"
#include "cowarray/core.h"

bool cowi_pages_are_off(void);
/* Whether the user asked for pages of 4 KiB. */
bool cowi_small_pages(void);

/* All 0 at first. Amounts are bytes of a plain copy. */
typedef struct cowi_ledger {
    cowi_atomic_u64 earned;
    cowi_atomic_u64 spent;
    cowi_atomic_size skips;  /* windows that will be copied as a whole, after a give-up */
    cowi_atomic_size streak; /* of give-ups */
} cowi_ledger;

/* The process's. */
extern cowi_ledger cowi_books;

void cowi_ledger_earn(cowi_ledger *of, size_t nbytes);
/* For a plain copy, which is made whatever the ledger has. */
void cowi_ledger_spend(cowi_ledger *of, size_t nbytes);
/* Spends what may be spent now. False, and nothing spent, beyond the bound. */
COW_NODISCARD bool cowi_ledger_take(cowi_ledger *of, uint64_t nbytes);
/* Returns what was taken and is not needed. */
void cowi_ledger_return(cowi_ledger *of, uint64_t nbytes);
/* Whether take would succeed after so much more was earned. */
bool cowi_ledger_has(cowi_ledger *of, uint64_t nbytes, uint64_t more_earned);
/* The same, if no window is to be skipped. */
bool cowi_ledger_allows(cowi_ledger *of, uint64_t nbytes, uint64_t more_earned);
/* True: the caller's window is skipped, and one fewer is from here on. */
bool cowi_ledger_skips(cowi_ledger *of);
void cowi_ledger_gave_up(cowi_ledger *of);
/* A window has ended without a give-up. */
void cowi_ledger_went_well(cowi_ledger *of);
/* Sets earned and spent, of the process. */
void cowi_ledger_figures(cow_paging_figures *out);

#endif
