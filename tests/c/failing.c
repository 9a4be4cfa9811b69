/* What failing.h declares: the true calls, but for the one whose turn it is. */
#include "failing.h"

#include <errno.h>
#include <string.h>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif
#define NOEXEC_SEAL 8u

static failing_plan plan;
static failing_report report;

void failing_begin(failing_plan begin)
{
    plan = begin;
    report.calls = report.failed = report.scans = report.entries = 0;
    report.first = NULL;
}

static uint64_t waited = 1000000000, collapse_takes;

void failing_wait(uint64_t nanoseconds)
{
    waited += nanoseconds;
}

void failing_collapse_takes(uint64_t nanoseconds)
{
    collapse_takes = nanoseconds;
}

int failing_clock(clockid_t which, struct timespec *out)
{
    (void)which;
    out->tv_sec = (time_t)(waited / 1000000000);
    out->tv_nsec = (long)(waited % 1000000000);
    return 0;
}

failing_report failing_now(void)
{
    return report;
}

/* Counts a call. True: it fails, with errno. */
static bool fails(const char *name, int polite, int rude)
{
    report.calls++;
    if (plan.at == 0 || report.calls < plan.at || (report.calls > plan.at && !plan.onwards)) {
        return false;
    }
    if (report.failed++ == 0) {
        report.first = name;
    }
    errno = plan.politely ? polite : rude;
    return true;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

void *failing_mmap(void *place, size_t nbytes, int protection, int flags, int descriptor, off_t offset)
{
    void *made;
    if (fails("mmap", ENOMEM, EACCES)) {
        return MAP_FAILED;
    }
    made = mmap(place, nbytes, protection, flags, descriptor, offset);
    if (made != MAP_FAILED && (flags & MAP_FIXED) == 0) {
        report.mapped += (long)nbytes;
    }
    return made;
}

int failing_munmap(void *place, size_t nbytes)
{
    const int status = munmap(place, nbytes);
    report.mapped -= status == 0 ? (long)nbytes : 0;
    return status;
}

int failing_madvise(void *place, size_t nbytes, int advice)
{
    if (fails("madvise", EINVAL, ENOMEM)) {
        return -1;
    }
    if (plan.no_collapse && advice == MADV_COLLAPSE) {
        errno = EINVAL;
        return -1;
    }
    if (advice == MADV_COLLAPSE) { /* whether a real one succeeds depends on what the machine has free */
        failing_wait(collapse_takes);
        return madvise(place, nbytes, MADV_POPULATE_WRITE);
    }
    return madvise(place, nbytes, advice);
}

void *failing_malloc(size_t nbytes)
{
    void *block = fails("malloc", ENOMEM, ENOMEM) ? NULL : malloc(nbytes);
    report.blocks += block != NULL;
    return block;
}

void *failing_calloc(size_t count, size_t nbytes)
{
    void *block = fails("calloc", ENOMEM, ENOMEM) ? NULL : calloc(count, nbytes);
    report.blocks += block != NULL;
    return block;
}

void *failing_realloc(void *block, size_t nbytes)
{
    void *moved = fails("realloc", ENOMEM, ENOMEM) ? NULL : realloc(block, nbytes);
    report.blocks += moved != NULL && block == NULL;
    return moved;
}

void failing_free(void *block)
{
    report.blocks -= block != NULL;
    free(block);
}

/* ---- descriptors ------------------------------------------------------------------------------------------------- */

static bool ours[4096];

static int had(int descriptor)
{
    if (descriptor >= 0 && descriptor < (int)sizeof ours) {
        ours[descriptor] = true;
        report.descriptors++;
    }
    return descriptor;
}

int failing_close(int descriptor)
{
    if (descriptor >= 0 && descriptor < (int)sizeof ours && ours[descriptor]) {
        ours[descriptor] = false;
        report.descriptors--;
    }
    return close(descriptor);
}

int failing_ftruncate(int descriptor, off_t nbytes)
{
    return fails("ftruncate", EINVAL, ENOSPC) ? -1 : ftruncate(descriptor, nbytes);
}

int failing_fcntl(int descriptor, int command, int argument)
{
    int got;
    if (fails("fcntl", EINVAL, EMFILE)) {
        return -1;
    }
    got = fcntl(descriptor, command, argument);
    return command == F_DUPFD_CLOEXEC ? had(got) : got;
}

/* An open descriptor always has a status: what fails is one that somebody has closed. */
int failing_fstat(int descriptor, struct stat *out)
{
    if (fails("fstat", EBADF, EBADF)) {
        (void)failing_close(descriptor);
        errno = EBADF;
        return -1;
    }
    return fstat(descriptor, out);
}

int failing_open(const char *name, int flags)
{
    return fails("open", ENOENT, EACCES) ? -1 : had(open(name, flags));
}

int failing_ioctl(int descriptor, unsigned long request, void *argument)
{
    int got;
    if (fails("ioctl", ENOTTY, EPERM)) {
        return -1;
    }
    if (plan.no_scan) {
        errno = ENOTTY;
        return -1;
    }
    got = ioctl(descriptor, request, argument);
    report.scans += got >= 0;
    return got;
}

ssize_t failing_pread(int descriptor, void *out, size_t nbytes, off_t offset)
{
    if (fails("pread", EINVAL, EPERM)) {
        return plan.politely ? -1 : (ssize_t)(nbytes - 8); /* the end of the table */
    }
    report.entries++;
    return pread(descriptor, out, nbytes, offset);
}

int failing_getrlimit(int which, struct rlimit *out)
{
    return fails("getrlimit", EINVAL, EPERM) ? -1 : getrlimit((__rlimit_resource_t)which, out);
}

long failing_syscall(long number, const char *name, unsigned flags)
{
    if (fails("memfd_create", EINVAL, EMFILE)) {
        return -1;
    }
    if (plan.no_noexec && (flags & NOEXEC_SEAL) != 0) {
        errno = EINVAL;
        return -1;
    }
    return had((int)syscall(number, name, flags));
}

FILE *failing_fopen(const char *name, const char *mode)
{
    static char text[32];
    if (fails("fopen", ENOENT, EACCES)) {
        return NULL;
    }
    if (plan.most_maps == 0) {
        return fopen(name, mode);
    }
    (void)snprintf(text, sizeof text, "%zu\n", plan.most_maps);
    return fmemopen(text, strlen(text), "r");
}

/* ---- threads -------------------------------------------------------------------------------------------------------- */

int failing_trylock(pthread_mutex_t *mutex)
{
    return fails("pthread_mutex_trylock", EBUSY, EBUSY) ? EBUSY : pthread_mutex_trylock(mutex);
}
