/* Accounts: how much memory was taken, and is still in use, on whose behalf. A thread uses one account at a time; its
 * charges also go to all accounts above. All fields are atomic, and there is no lock. */
#include "account.h"

#include <stdint.h>
#include <stdlib.h>

#include "internal.h"

struct cow_account {
    cowi_atomic_size references; /* of the handle, of accounts below, and one for each block */
    cowi_atomic_size live;
    cowi_atomic_size peak;
    cowi_atomic_u64 copied;
    cow_account *above;
    bool is_hushed;
    cowi_lender lender; /* to families of the plan on this account and those below; used only if none is above */
};

static cow_account nobodys; /* charged while the thread has no account */
static _Thread_local cow_account *current;

cow_status cow_account_new(cow_account *above, cow_account **out, cow_error *err)
{
    cow_account *made = (cow_account *)calloc(1, sizeof *made);
    if (made == NULL) {
        return cowi_fail(err, COW_ENOMEM, "cannot allocate an account");
    }
    cowi_init(&made->references, 1);
    cowi_init(&made->live, 0);
    cowi_init(&made->peak, 0);
    cowi_init(&made->copied, 0);
    made->above = above;
    made->is_hushed = false;
    made->lender.is_timeless = true;
    if (above != NULL) {
        (void)cowi_add_relaxed(&above->references, 1);
    }
    *out = made;
    return COW_OK;
}

void cow_account_hush(cow_account *account)
{
    account->is_hushed = true;
}

void cow_account_drop(cow_account *account)
{
    while (account != NULL && account != &nobodys && cowi_sub_acq_rel(&account->references, 1) == 1) {
        cow_account *above = account->above;
        free(account);
        account = above;
    }
}

cow_account *cow_account_use(cow_account *account)
{
    cow_account *before = current;
    current = account;
    return before;
}

void cow_account_read(const cow_account *account, cow_account_figures *out)
{
    out->live = cowi_load_relaxed(&account->live);
    out->peak = cowi_load_relaxed(&account->peak);
    out->copied = cowi_load_relaxed(&account->copied);
}

bool cowi_account_has_room(const cow_account *account, size_t nbytes)
{
    for (; account != NULL; account = account->above) {
        if (nbytes > (size_t)PTRDIFF_MAX - cowi_load_relaxed(&account->live)) {
            return false;
        }
    }
    return true;
}

void cowi_account_grow(cow_account *account, size_t nbytes)
{
    for (; account != NULL; account = account->above) {
        const size_t live = cowi_add_relaxed(&account->live, nbytes) + nbytes;
        size_t peak = cowi_load_relaxed(&account->peak);
        while (peak < live && !cowi_cas_acquire(&account->peak, &peak, live)) {
        }
    }
}

void cowi_account_shrink(cow_account *account, size_t nbytes)
{
    for (; account != NULL; account = account->above) {
        (void)cowi_add_relaxed(&account->live, (size_t)0 - nbytes);
    }
}

void cowi_account_put(cow_account *account, size_t nbytes)
{
    (void)cowi_add_relaxed(&account->references, 1);
    cowi_account_grow(account, nbytes);
}

void cowi_account_take(cow_account *account, size_t nbytes)
{
    cowi_account_shrink(account, nbytes);
    cow_account_drop(account);
}

cow_account *cowi_account_now(void)
{
    return current == NULL ? &nobodys : current;
}

cow_account *cowi_account_of_plan(cow_account *account)
{
    while (account->above != NULL) {
        account = account->above;
    }
    return account == &nobodys ? NULL : account;
}

cowi_lender *cowi_account_lender(cow_account *account)
{
    return &account->lender;
}

void cowi_account_count_copy(size_t nbytes)
{
    if (current != NULL && current->is_hushed) {
        return;
    }
    for (cow_account *account = current; account != NULL; account = account->above) {
        (void)cowi_add_relaxed(&account->copied, nbytes);
    }
}
