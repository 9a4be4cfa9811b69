/* Addresses that nobody can use; see slots.c. */
#ifndef COWI_SLOTS_H
#define COWI_SLOTS_H

#include "cowarray/core.h"

/* An address with so many bytes on the account. NULL: there are none, or the sums would be no numbers. */
COW_NODISCARD void *cowi_slot_new(cow_account *account, size_t nbytes, size_t alignment);
void cowi_slot_free(void *data, size_t nbytes);
/* On which its bytes are. */
cow_account *cowi_slot_account(const void *data);

#endif
