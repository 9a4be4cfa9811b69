/* The lender: a bucket of bytes that refills as time passes.
 *
 * It lends at most the allowance (mode.h) at once, or, while nothing is lent, any amount to one family: otherwise an
 * array larger than the allowance would never be paged. Loans that are not paid back are regained slowly: a copy takes
 * about a hundredth of the time in which its bytes return, so a program that wastes all it borrows runs 1 % longer.
 *
 * The level is kept as the time at which the bucket will be full (the "virtual scheduling" form of the generic cell
 * rate algorithm, ITU-T I.371), so that one word suffices. */
#include "lender.h"

#include <time.h>

#include "mode.h"

#define NANOSECONDS_PER_BYTE 15u /* 64 MiB a second */

cowi_lender cowi_process_lender;

static uint64_t read_clock(clockid_t which)
{
    struct timespec now;
    if (clock_gettime(which, &now) != 0) {
        return 0;
    }
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t cowi_clock(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

uint64_t cowi_thread_clock(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

static uint64_t now_of(const cowi_lender *of)
{
    return of->is_timeless ? 0 : cowi_clock();
}

/* When the bucket would be full after lending nbytes more; 0: it must not lend that. */
static uint64_t after(uint64_t full_at, uint64_t now, uint64_t nbytes)
{
    const uint64_t allowance = cowi_allowance() / 16; /* SIZE_MAX times the rate would overflow */
    const uint64_t most =
        allowance > UINT64_MAX / 16 / NANOSECONDS_PER_BYTE ? UINT64_MAX / 4 : allowance * 16 * NANOSECONDS_PER_BYTE;
    const uint64_t time = nbytes * NANOSECONDS_PER_BYTE;
    const uint64_t lent = full_at > now ? full_at - now : 0;
    if (most == 0 || (lent > 0 && lent + time > most)) {
        return 0;
    }
    return now + lent + time;
}

bool cowi_lend(cowi_lender *of, uint64_t nbytes)
{
    const uint64_t now = now_of(of);
    uint64_t before = cowi_load_relaxed(&of->full_at), then;
    do {
        then = after(before, now, nbytes);
        if (then == 0) {
            return false;
        }
    } while (!cowi_cas_acq_rel(&of->full_at, &before, then));
    return true;
}

bool cowi_would_lend(cowi_lender *of, uint64_t nbytes)
{
    return after(cowi_load_relaxed(&of->full_at), now_of(of), nbytes) != 0;
}

void cowi_pay_back(cowi_lender *of, uint64_t nbytes)
{
    const uint64_t time = nbytes * NANOSECONDS_PER_BYTE;
    uint64_t before = cowi_load_relaxed(&of->full_at);
    while (!cowi_cas_acq_rel(&of->full_at, &before, before > time ? before - time : 0)) {
    }
}
