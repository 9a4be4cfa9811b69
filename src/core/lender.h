/* Loans to families for costs beyond 5/4 of their copies, by the process or by a plan. All fields are atomic. */
#ifndef COWI_LENDER_H
#define COWI_LENDER_H

#include <stdbool.h>

#include "atomics.h"
#include "cowarray/core.h"

/* All 0 at first. Amounts are bytes of a plain copy. */
typedef struct cowi_lender {
    cowi_atomic_u64 full_at; /* on its clock, in nanoseconds: when all loans will have been regained */
    bool is_timeless;        /* a plan's: no time passes */
    cowi_atomic_u64 earned;  /* by all its families; for figures */
    cowi_atomic_u64 spent;
} cowi_lender;

/* The lender of the process. */
extern cowi_lender cowi_process_lender;

/* Nanoseconds of a monotonic clock; and of the calling thread's processor time. */
uint64_t cowi_clock(void);
uint64_t cowi_thread_clock(void);
/* False, and nothing is lent: too little is left. */
COW_NODISCARD bool cowi_lend(cowi_lender *of, uint64_t nbytes);
/* Whether cowi_lend would succeed. */
bool cowi_would_lend(cowi_lender *of, uint64_t nbytes);
void cowi_pay_back(cowi_lender *of, uint64_t nbytes);

#endif
