/* Bases: bytes in a file that windows map privately.
 *
 * A base is filled through the only shared writable map that it ever has, on pages of 2 MiB, and then sealed: from then
 * on the kernel grants no other. With that map the base is *open*: while only one window uses it, that window's private
 * pages may be written there. Before another process can have windows on it, the map goes, and the base is frozen. It
 * lives as long as a window or a shadow refers to it. The program may close its descriptor and open another file under
 * the same number, so the descriptor is checked before each use.
 *
 * A failed call leaves nothing behind. Descriptor, seals, map and list change together; hence one file. */
#define _GNU_SOURCE /* memfd_create, F_ADD_SEALS, MADV_* */
#include "base.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "account.h"
#include "lender.h"

/* Newer than some systems' headers. */
#ifndef MFD_CLOEXEC
#define MFD_CLOEXEC 1u
#endif
#ifndef MFD_ALLOW_SEALING
#define MFD_ALLOW_SEALING 2u
#endif
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8u
#endif
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 16
#endif
#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW)
#define FROZEN (SEALS | F_SEAL_WRITE | F_SEAL_SEAL)

#define CHUNK (4 * COWI_REGION) /* populated, then filled while in the cache */
#define HIGH_DESCRIPTOR 256     /* leaves small numbers to select, and to programs that rely on them */

static cowi_atomic_size files;
static cowi_atomic_size bytes;

void cowi_base_figures(cow_paging_figures *out)
{
    out->base_bytes = cowi_load_relaxed(&bytes);
    out->base_files = cowi_load_relaxed(&files);
}

char *cowi_room(size_t nbytes)
{
    char *raw = (char *)mmap(NULL, nbytes + COWI_REGION, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    size_t before;
    if (raw == (char *)MAP_FAILED) {
        return NULL;
    }
    before = (COWI_REGION - (uintptr_t)raw % COWI_REGION) % COWI_REGION;
    if (before > 0) {
        (void)munmap(raw, before);
    }
    (void)munmap(raw + before + nbytes, COWI_REGION - before);
    return raw + before;
}

/* ---- descriptors ------------------------------------------------------------------------------------------------- */

/* Leaves half of the descriptors to the program. */
static bool count_file(void)
{
    struct rlimit limit;
    const size_t before = cowi_add_relaxed(&files, 1);
    const bool limited = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    const size_t most = limited ? (size_t)limit.rlim_cur / 2 : SIZE_MAX;
    if (before < most) {
        return true;
    }
    (void)cowi_sub_release(&files, 1);
    return false;
}

static int move_up(int descriptor)
{
    const int high = fcntl(descriptor, F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR);
    if (high < 0) {
        return descriptor;
    }
    (void)close(descriptor);
    return high;
}

/* Exceeding the limit on file sizes would kill the process. */
static bool may_be_so_large(size_t nbytes)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= nbytes);
}

static int memory_file(size_t nbytes)
{
    int descriptor;
    if (!may_be_so_large(nbytes)) {
        return -1;
    }
    descriptor = (int)syscall(SYS_memfd_create, "cowarray", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
    if (descriptor < 0) { /* before Linux 6.3 */
        descriptor = (int)syscall(SYS_memfd_create, "cowarray", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    }
    if (descriptor < 0) {
        return -1;
    }
    descriptor = move_up(descriptor);
    if (ftruncate(descriptor, (off_t)nbytes) != 0) {
        (void)close(descriptor);
        return -1;
    }
    return descriptor;
}

static bool is_itself(const cowi_base *base)
{
    struct stat now;
    return fstat(base->descriptor, &now) == 0 && now.st_dev == base->device && now.st_ino == base->inode;
}

int cowi_base_descriptor(const cowi_base *base)
{
    return is_itself(base) ? fcntl(base->descriptor, F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR) : -1;
}

bool cowi_is_frozen(int descriptor)
{
    const int seals = fcntl(descriptor, F_GET_SEALS, 0);
    return seals >= 0 && (seals & FROZEN) == FROZEN;
}

/* ---- the bases in memory that are not grounds -------------------------------------------------------------------- */

static pthread_mutex_t list = PTHREAD_MUTEX_INITIALIZER; /* the last lock that a thread takes */
static cowi_base *newest;

static void lock_list(void)
{
    (void)pthread_mutex_lock(&list);
}

/* With the list's lock. */
static void freeze(cowi_base *base)
{
    if (base->open != NULL) {
        (void)munmap(base->open, base->nbytes);
        base->open = NULL;
        (void)(is_itself(base) && fcntl(base->descriptor, F_ADD_SEALS, FROZEN));
    }
}

void cowi_bases_hold(void)
{
    lock_list();
    for (cowi_base *base = newest; base != NULL; base = base->next) {
        freeze(base);
    }
}

void cowi_bases_let_go(void)
{
    (void)pthread_mutex_unlock(&list);
}

static void enlist(cowi_base *base)
{
    lock_list();
    base->next = newest;
    base->link = &newest;
    newest = base;
    if (base->next != NULL) {
        base->next->link = &base->next;
    }
    cowi_bases_let_go();
}

static void delist(cowi_base *base)
{
    lock_list(); /* first: a neighbour's arrival or departure changes the links */
    if (base->link != NULL) {
        *base->link = base->next;
        if (base->next != NULL) {
            base->next->link = base->link;
        }
    }
    cowi_bases_let_go();
}

/* False: its last reference is gone, and it is about to leave the list. */
static bool retain_if_alive(cowi_base *base)
{
    size_t before = cowi_load_relaxed(&base->references);
    while (before > 0 && !cowi_cas_acquire(&base->references, &before, before + 1)) {
    }
    return before > 0;
}

cowi_base *cowi_base_find(const uint64_t identity[2])
{
    cowi_base *base;
    lock_list();
    for (base = newest; base != NULL; base = base->next) {
        if (cowi_is_identity(identity) && memcmp(base->identity, identity, sizeof base->identity) == 0 &&
            retain_if_alive(base)) {
            break;
        }
    }
    cowi_bases_let_go();
    return base;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

/* Asking for the pages fails with an error where touching them would raise a signal. */
static bool populate(char *start, size_t nbytes, bool small)
{
    for (size_t at = 0; !small && at < nbytes; at += COWI_REGION) {
        if (madvise(start + at, COWI_PAGE, MADV_POPULATE_WRITE) != 0) {
            return false;
        }
    }
    return small ? madvise(start, nbytes, MADV_POPULATE_WRITE) == 0 : madvise(start, nbytes, MADV_COLLAPSE) == 0;
}

static bool fill(char *map, const cowi_piece *pieces, size_t count, bool small)
{
    for (size_t first = 0; first < count; first += CHUNK / COWI_REGION) {
        const size_t left = count - first;
        const size_t some = left < CHUNK / COWI_REGION ? left : CHUNK / COWI_REGION;
        if (!populate(map + first * COWI_REGION, some * COWI_REGION, small)) {
            return false;
        }
        for (size_t i = first; i < first + some; i++) {
            memcpy(map + i * COWI_REGION, pieces[i].data, pieces[i].nbytes);
        }
    }
    return true;
}

/* Fills the file, and returns the only map through which it can be changed. NULL: nothing is left behind. */
static char *write_file(int descriptor, const cowi_piece *pieces, size_t count, bool small)
{
    const size_t nbytes = count * COWI_REGION;
    char *map = cowi_room(nbytes);
    if (map != NULL &&
        (mmap(map, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, descriptor, 0) == MAP_FAILED ||
         !fill(map, pieces, count, small) || fcntl(descriptor, F_ADD_SEALS, SEALS | F_SEAL_FUTURE_WRITE) != 0)) {
        (void)munmap(map, nbytes);
        map = NULL;
    }
    return map;
}

static void set_identity(cowi_base *base)
{
    if (getrandom(base->identity, sizeof base->identity, GRND_NONBLOCK) != (ssize_t)sizeof base->identity) {
        memset(base->identity, 0, sizeof base->identity);
    }
}

/* Owns the descriptor on success. */
static cowi_base *base_of(int descriptor, size_t nbytes, char *open)
{
    struct stat now;
    cowi_base *base = (cowi_base *)malloc(sizeof *base);
    if (base == NULL || fstat(descriptor, &now) != 0) {
        free(base);
        return NULL;
    }
    cowi_init(&base->references, 1);
    base->open = open;
    base->is_ground = false;
    base->windows = NULL;
    base->descriptor = descriptor;
    base->device = now.st_dev;
    base->inode = now.st_ino;
    base->nbytes = nbytes;
    set_identity(base);
    memset(&base->kept, 0, sizeof base->kept);
    base->next = NULL;
    base->link = NULL;
    base->account = cowi_account_now();
    cowi_account_put(base->account, nbytes);
    (void)cowi_add_relaxed(&bytes, nbytes);
    return base;
}

/* Creates a sealed file: returns its counted descriptor, and sets its map. Negative: failure. */
static int filled_file(const cowi_piece *pieces, size_t count, bool small, char **open)
{
    int descriptor;
    if (!count_file()) {
        return -1;
    }
    descriptor = memory_file(count * COWI_REGION);
    *open = descriptor >= 0 ? write_file(descriptor, pieces, count, small) : NULL;
    if (*open != NULL) {
        return descriptor;
    }
    if (descriptor >= 0) {
        (void)close(descriptor);
    }
    (void)cowi_sub_release(&files, 1);
    return -1;
}

/* If huge pages are scarce, the system may look for them a hundred times as long as a fill takes. Then nothing is
 * filled without a request for a while, so that at most a sixteenth of the time is lost. Fresh memory from a virtual
 * machine's host takes a few milliseconds a region, even in a plain copy: no reason to pause. */
#ifndef COWI_SLOW_PER_REGION
#define COWI_SLOW_PER_REGION UINT64_C(24000000) /* nanoseconds */
#endif
#define PAUSE 16u /* times the duration of the slow fill */

static cowi_atomic_u64 paused_until;

bool cowi_fills_pause(void)
{
    return cowi_clock() < cowi_load_relaxed(&paused_until);
}

static void note_fill(size_t count, uint64_t took)
{
    if (took > count * COWI_SLOW_PER_REGION) {
        cowi_store_relaxed(&paused_until, cowi_clock() + PAUSE * took);
    }
}

static void drop_file(int descriptor, char *open, size_t nbytes)
{
    (void)munmap(open, nbytes);
    (void)close(descriptor);
    (void)cowi_sub_release(&files, 1);
}

static cowi_base *new_base(const cowi_piece *pieces, size_t count, bool small)
{
    const uint64_t begin = cowi_thread_clock(); /* other threads and programs do not count */
    const size_t nbytes = count * COWI_REGION;
    char *open;
    const int descriptor = filled_file(pieces, count, small, &open);
    cowi_base *base = descriptor < 0 ? NULL : base_of(descriptor, nbytes, open);
    if (base == NULL && descriptor >= 0) {
        drop_file(descriptor, open, nbytes);
    }
    note_fill(count, cowi_thread_clock() - begin);
    return base;
}

cowi_base *cowi_base_new(const cowi_piece *pieces, size_t count, bool small)
{
    cowi_base *base = new_base(pieces, count, small);
    if (base != NULL) {
        cowi_base_rest(base, 0, base->nbytes);
        enlist(base);
    }
    return base;
}

cowi_base *cowi_base_new_ground(const cowi_piece *pieces, size_t count, bool small)
{
    cowi_base *base = new_base(pieces, count, small);
    if (base != NULL) {
        base->is_ground = true;
    }
    return base;
}

/* A refusal may be temporary: too many open files. */
#define TRIES 3u
#define GRANTED (TRIES + 1)

bool cowi_base_granted(bool small)
{
    static cowi_atomic_uint tried[2];
    const char byte = 1;
    const cowi_piece piece = {&byte, 1};
    unsigned before = cowi_load_relaxed(&tried[small]);
    char *open;
    int descriptor;
    if (before >= TRIES) {
        return before == GRANTED;
    }
    descriptor = filled_file(&piece, 1, small, &open);
    if (descriptor < 0) {
        (void)cowi_cas_acq_rel(&tried[small], &before, before + 1); /* unless another thread knows better */
        return false;
    }
    drop_file(descriptor, open, COWI_REGION);
    cowi_store_relaxed(&tried[small], GRANTED);
    return true;
}

/* Creates a base with its own descriptor, not counted yet. */
static cowi_base *base_of_another(int descriptor, size_t nbytes)
{
    const int own = fcntl(descriptor, F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR);
    const int kept = own >= 0 ? own : fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    cowi_base *base = kept >= 0 ? base_of(kept, nbytes, NULL) : NULL;
    if (base == NULL && kept >= 0) {
        (void)close(kept);
    }
    return base;
}

cowi_base *cowi_base_of_file(int descriptor)
{
    cowi_base *base = base_of_another(descriptor, 0);
    if (base != NULL) {
        (void)cowi_add_relaxed(&files, 1); /* counted, but never refused: the user asked for it */
    }
    return base;
}

cowi_base *cowi_base_received(int descriptor, const uint64_t identity[2], size_t nbytes)
{
    cowi_base *base;
    if (!count_file()) {
        return NULL;
    }
    base = base_of_another(descriptor, nbytes);
    if (base == NULL) {
        (void)cowi_sub_release(&files, 1);
        return NULL;
    }
    memcpy(base->identity, identity, sizeof base->identity);
    enlist(base);
    return base;
}

void cowi_base_retain(cowi_base *base)
{
    (void)cowi_add_relaxed(&base->references, 1);
}

void cowi_base_release(cowi_base *base)
{
    if (cowi_sub_acq_rel(&base->references, 1) != 1) {
        return;
    }
    delist(base);
    if (base->open != NULL) {
        (void)munmap(base->open, base->nbytes);
    }
    if (is_itself(base)) {
        (void)close(base->descriptor);
    }
    (void)cowi_sub_release(&files, 1);
    (void)cowi_sub_release(&bytes, base->nbytes);
    cowi_account_take(base->account, base->nbytes);
    if (base->kept.deleter != NULL) {
        base->kept.deleter(base->kept.data, base->kept.context, 0);
    }
    free(base);
}

/* ---- before it is frozen ----------------------------------------------------------------------------------------- */

bool cowi_base_freeze(cowi_base *base)
{
    if (base->is_ground) {
        return false;
    }
    lock_list();
    freeze(base);
    cowi_bases_let_go();
    return cowi_is_frozen(base->descriptor);
}

size_t cowi_base_uses(const cowi_base *base)
{
    bool open;
    lock_list();
    open = base->open != NULL && !base->is_ground;
    cowi_bases_let_go();
    return open ? cowi_load_acquire(&base->references) : SIZE_MAX;
}

char *cowi_base_region(cowi_base *base, size_t offset)
{
    char *region = base->open + offset;
    return madvise(region, COWI_REGION, MADV_POPULATE_WRITE) == 0 ? region : NULL;
}

void cowi_base_rest(cowi_base *base, size_t offset, size_t nbytes)
{
    (void)madvise(base->open + offset, nbytes, MADV_DONTNEED);
}

cowi_place_in_base cowi_base_place(const cowi_base *base, size_t offset)
{
    const cowi_place_in_base place = {{base->identity[0], base->identity[1]}, offset};
    return place;
}

bool cowi_base_map(const cowi_base *base, size_t offset, void *place, size_t nbytes)
{
    return is_itself(base) && mmap(place, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE,
                                   base->descriptor, (off_t)offset) != MAP_FAILED;
}
