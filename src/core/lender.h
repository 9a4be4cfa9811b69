/* What families may cost beyond 5/4 of their copies, all together: lent by the process, or by a plan. All of it is atomic. */
#ifndef COWI_LENDER_H
#define COWI_LENDER_H

#include <stdbool.h>

#include "atomics.h"
#include "cowarray/core.h"

/* All 0 at first. Amounts are bytes of a plain copy. */
typedef struct cowi_lender {
    cowi_atomic_u64 full_at; /* on its clock, in nanoseconds: when all that was lent is there again */
    bool is_timeless;        /* a plan's: no time passes */
    cowi_atomic_u64 earned;  /* by all its families, for figures */
    cowi_atomic_u64 spent;
} cowi_lender;

/* The process's. */
extern cowi_lender cowi_process_lender;

/* Nanoseconds of a clock that only goes forwards; and those that the calling thread has computed. */
uint64_t cowi_clock(void);
uint64_t cowi_thread_clock(void);
/* False, and nothing lent: there is too little. */
COW_NODISCARD bool cowi_lend(cowi_lender *of, uint64_t nbytes);
/* Whether cowi_lend would lend so much. */
bool cowi_would_lend(cowi_lender *of, uint64_t nbytes);
void cowi_pay_back(cowi_lender *of, uint64_t nbytes);

#endif
