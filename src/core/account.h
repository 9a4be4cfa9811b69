/* Accounts: what memory is counted for. nowhere.c puts its blocks on them, base.c its files. */
#ifndef COWI_ACCOUNT_H
#define COWI_ACCOUNT_H

#include <stdbool.h>

#include "cowarray/core.h"
#include "ledger.h"

/* The calling thread's, or one that nobody reads. */
cow_account *cowi_account_now(void);
/* The ledger of a plan, that of the account above all others; NULL: it is nobody's. */
cowi_ledger *cowi_account_ledger(cow_account *account);
/* Whether the sums stay numbers. */
bool cowi_account_has_room(const cow_account *account, size_t nbytes);
/* Bytes on it and on those above, and a reference; and off again, which may be its end. */
void cowi_account_put(cow_account *account, size_t nbytes);
void cowi_account_take(cow_account *account, size_t nbytes);
/* More bytes, or fewer, of something that has a reference to it already. */
void cowi_account_grow(cow_account *account, size_t nbytes);
void cowi_account_shrink(cow_account *account, size_t nbytes);
/* Bytes that the thread has copied. */
void cowi_account_count_copy(size_t nbytes);

#endif
