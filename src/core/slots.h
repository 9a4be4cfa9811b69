/* Addresses that nobody can use; see slots.c. */
#ifndef COWI_SLOTS_H
#define COWI_SLOTS_H

#include "cowarray/core.h"

/* Takes a slot, with nbytes charged to the account. NULL: the system grants no more, or an account would overflow. */
COW_NODISCARD void *cowi_slot_new(cow_account *account, size_t nbytes, size_t alignment);
void cowi_slot_free(void *data, size_t nbytes);
/* Sets the error that tells why there was no slot for nbytes. */
cow_status cowi_slot_refused(cow_error *err, size_t nbytes);
/* The account to which the slot's bytes are charged. */
cow_account *cowi_slot_account(const void *data);

#endif
