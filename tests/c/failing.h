/* The system calls and allocations of the core's files for pages, each of which can be made to fail. Included before those
 * files (FAILING in the Makefile, -include), so that their calls come here; failing.c has the functions, and does not rename
 * its own. Also counts what is had and not given back. For one thread. */
#ifndef COWARRAY_TESTS_FAILING_H
#define COWARRAY_TESTS_FAILING_H

#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

typedef struct failing_plan {
    size_t at;     /* the call that fails, counted from 1; 0: none */
    bool onwards;  /* and all after it */
    bool politely; /* with an error that says "not known here"; otherwise with one that says "not you" */
    /* Systems that lack something: always, and not counted as failures. */
    bool no_scan;
    bool no_collapse;
    bool no_noexec;
    size_t most_maps; /* of the kernel; 0: the true figure */
} failing_plan;

typedef struct failing_report {
    size_t calls;
    size_t failed;
    const char *first; /* the call that failed first */
    size_t scans;      /* PAGEMAP_SCAN, answered */
    size_t entries;    /* reads of the table's entries */
    /* What is had. */
    long mapped; /* bytes */
    long descriptors;
    long blocks;
} failing_report;

/* From here on; the counts of calls and failures begin again. */
void failing_begin(failing_plan plan);
failing_report failing_now(void);
/* The clock stands still but for this, and for what each collapse takes from here on. */
void failing_wait(uint64_t nanoseconds);
void failing_collapse_takes(uint64_t nanoseconds);

void *failing_mmap(void *place, size_t nbytes, int protection, int flags, int descriptor, off_t offset);
int failing_munmap(void *place, size_t nbytes);
int failing_madvise(void *place, size_t nbytes, int advice);
int failing_ftruncate(int descriptor, off_t nbytes);
int failing_fcntl(int descriptor, int command, int argument);
int failing_fstat(int descriptor, struct stat *out);
int failing_open(const char *name, int flags);
int failing_close(int descriptor);
int failing_ioctl(int descriptor, unsigned long request, void *argument);
ssize_t failing_pread(int descriptor, void *out, size_t nbytes, off_t offset);
int failing_getrlimit(int which, struct rlimit *out);
long failing_syscall(long number, const char *name, unsigned flags);
FILE *failing_fopen(const char *name, const char *mode);
int failing_clock(clockid_t which, struct timespec *out);
int failing_trylock(pthread_mutex_t *mutex);
void *failing_malloc(size_t nbytes);
void *failing_calloc(size_t count, size_t nbytes);
void *failing_realloc(void *block, size_t nbytes);
void failing_free(void *block);

#ifdef FAILING_RENAMES
/* Prices of a made-up machine (prices.c): 1.15 for a base, 2.1 for a page. */
#define COWI_PRICE_OF_FILL 1150
#define COWI_PRICE_OF_SMALL_FILL 1150
#define COWI_PRICE_OF_PAGE 2100
/* Its clock stands still but for what is waited. */
#undef COWI_SLOW_PER_REGION
#define COWI_SLOW_PER_REGION UINT64_C(24000000)
#define mmap(...) failing_mmap(__VA_ARGS__)
#define munmap(...) failing_munmap(__VA_ARGS__)
#define madvise(...) failing_madvise(__VA_ARGS__)
#define ftruncate(...) failing_ftruncate(__VA_ARGS__)
#define fcntl(...) failing_fcntl(__VA_ARGS__)
#define fstat(...) failing_fstat(__VA_ARGS__)
#define open(...) failing_open(__VA_ARGS__)
#define close(...) failing_close(__VA_ARGS__)
#define ioctl(...) failing_ioctl(__VA_ARGS__)
#define pread(...) failing_pread(__VA_ARGS__)
#define getrlimit(which, out) failing_getrlimit((int)(which), out)
#define syscall(...) failing_syscall(__VA_ARGS__)
#define clock_gettime(...) failing_clock(__VA_ARGS__)
#define fopen(...) failing_fopen(__VA_ARGS__)
#define pthread_mutex_trylock(...) failing_trylock(__VA_ARGS__)
#define malloc(...) failing_malloc(__VA_ARGS__)
#define calloc(...) failing_calloc(__VA_ARGS__)
#define realloc(...) failing_realloc(__VA_ARGS__)
#define free(...) failing_free(__VA_ARGS__)
#endif

#endif
