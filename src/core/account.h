/* Accounts, to which memory is charged: nowhere.c charges its blocks, base.c its files. */
#ifndef COWI_ACCOUNT_H
#define COWI_ACCOUNT_H

#include <stdbool.h>

#include "cowarray/core.h"
#include "lender.h"

/* The calling thread's account, or a dummy that nobody reads. */
cow_account *cowi_account_now(void);
/* The uppermost account: the plan's, from whose lender its families borrow. NULL: the account is the dummy. */
cow_account *cowi_account_of_plan(cow_account *account);
cowi_lender *cowi_account_lender(cow_account *account);
/* True if charging nbytes more overflows neither the account nor any above. */
bool cowi_account_has_room(const cow_account *account, size_t nbytes);
/* Charges bytes to the account and those above, and takes a reference; take undoes both, and may free the account. */
void cowi_account_put(cow_account *account, size_t nbytes);
void cowi_account_take(cow_account *account, size_t nbytes);
/* Changes the charge of an object that already has a reference. */
void cowi_account_grow(cow_account *account, size_t nbytes);
void cowi_account_shrink(cow_account *account, size_t nbytes);
/* Counts bytes copied by the calling thread. */
void cowi_account_count_copy(size_t nbytes);

#endif
