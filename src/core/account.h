/* Accounts: on whose behalf memory is taken. nowhere.c charges its blocks to them, base.c its files. */
#ifndef COWI_ACCOUNT_H
#define COWI_ACCOUNT_H

#include <stdbool.h>

#include "cowarray/core.h"
#include "lender.h"

/* The calling thread's account, or one that nobody reads. */
cow_account *cowi_account_now(void);
/* The uppermost account, which is the plan's, and whose lender its families borrow from. NULL: the account is nobody's. */
cow_account *cowi_account_of_plan(cow_account *account);
cowi_lender *cowi_account_lender(cow_account *account);
/* Whether nbytes more would overflow no account. */
bool cowi_account_has_room(const cow_account *account, size_t nbytes);
/* Charges bytes to the account and those above, and takes a reference; and undoes both, which may free the account. */
void cowi_account_put(cow_account *account, size_t nbytes);
void cowi_account_take(cow_account *account, size_t nbytes);
/* Charges more bytes, or fewer, for something that has a reference already. */
void cowi_account_grow(cow_account *account, size_t nbytes);
void cowi_account_shrink(cow_account *account, size_t nbytes);
/* Counts bytes that the calling thread has copied. */
void cowi_account_count_copy(size_t nbytes);

#endif
