/* Loaded before the C library (LD_PRELOAD): writes down each call that changes files below a folder, in the order in which
 * they take effect. COWARRAY_DISK_FOLDER names the folder, COWARRAY_DISK_LOG the file of the records. recorded_disk.py
 * reads them. One lock is held from a call to its record. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

typedef struct record {
    char op[8];
    uint16_t path_length;
    uint16_t other_length;
    uint32_t data_length;
    int64_t offset;
} record;

static int is_below(const char *path)
{
    const char *folder = getenv("COWARRAY_DISK_FOLDER");
    return folder != NULL && strncmp(path, folder, strlen(folder)) == 0;
}

static int path_of(int fd, char path[4096])
{
    char link[64];
    ssize_t length;
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    length = readlink(link, path, 4095);
    path[length < 0 ? 0 : length] = '\0';
    return is_below(path);
}

static void put(int log, const void *data, size_t nbytes)
{
    if (REAL(write)(log, data, nbytes) != (ssize_t)nbytes) {
        abort();
    }
}

static void note(const char *op, const char *path, const char *other, int64_t offset, const void *data, size_t nbytes)
{
    const int kept = errno;
    const int log = REAL(open)(getenv("COWARRAY_DISK_LOG"), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    record made = {.path_length = (uint16_t)strlen(path),
                   .other_length = (uint16_t)strlen(other),
                   .data_length = (uint32_t)nbytes,
                   .offset = offset};
    (void)snprintf(made.op, sizeof made.op, "%s", op);
    put(log, &made, sizeof made);
    put(log, path, made.path_length);
    put(log, other, made.other_length);
    put(log, data, nbytes);
    (void)close(log);
    errno = kept;
}

/* ---- bytes of files -------------------------------------------------------------------------------------------------- */

ssize_t write(int fd, const void *data, size_t nbytes)
{
    char path[4096];
    ssize_t written;
    if (!path_of(fd, path)) {
        return REAL(write)(fd, data, nbytes);
    }
    (void)pthread_mutex_lock(&lock);
    {
        const int appends = (fcntl(fd, F_GETFL) & O_APPEND) != 0;
        const int64_t at = lseek(fd, 0, appends ? SEEK_END : SEEK_CUR);
        written = REAL(write)(fd, data, nbytes);
        if (written > 0) {
            note("write", path, "", at, data, (size_t)written);
        }
    }
    (void)pthread_mutex_unlock(&lock);
    return written;
}

static ssize_t write_at(int fd, const void *data, size_t nbytes, off_t offset)
{
    char path[4096];
    ssize_t written;
    if (!path_of(fd, path)) {
        return REAL(pwrite)(fd, data, nbytes, offset);
    }
    (void)pthread_mutex_lock(&lock);
    written = REAL(pwrite)(fd, data, nbytes, offset);
    if (written > 0) {
        note("write", path, "", offset, data, (size_t)written);
    }
    (void)pthread_mutex_unlock(&lock);
    return written;
}

ssize_t pwrite(int fd, const void *data, size_t nbytes, off_t offset)
{
    return write_at(fd, data, nbytes, offset);
}

ssize_t pwrite64(int fd, const void *data, size_t nbytes, off64_t offset)
{
    return write_at(fd, data, nbytes, offset);
}

/* A call on a descriptor that gives 0. */
#define ON_DESCRIPTOR(op, call, offset)    \
    char path[4096];                       \
    int status;                            \
    if (!path_of(fd, path)) {              \
        return call;                       \
    }                                      \
    (void)pthread_mutex_lock(&lock);       \
    status = call;                         \
    if (status == 0) {                     \
        note(op, path, "", offset, "", 0); \
    }                                      \
    (void)pthread_mutex_unlock(&lock);     \
    return status;

int ftruncate(int fd, off_t size)
{
    ON_DESCRIPTOR("cut", REAL(ftruncate)(fd, size), size)
}

int ftruncate64(int fd, off64_t size)
{
    ON_DESCRIPTOR("cut", REAL(ftruncate64)(fd, size), size)
}

int fsync(int fd)
{
    ON_DESCRIPTOR("sync", REAL(fsync)(fd), 0)
}

int fdatasync(int fd)
{
    ON_DESCRIPTOR("sync", REAL(fdatasync)(fd), 0)
}

/* ---- names ------------------------------------------------------------------------------------------------------------ */

static int open_file(const char *path, int flags, mode_t mode)
{
    struct stat status;
    int fd, is_new;
    if ((flags & (O_CREAT | O_TRUNC)) == 0 || !is_below(path)) {
        return REAL(open)(path, flags, mode);
    }
    (void)pthread_mutex_lock(&lock);
    is_new = stat(path, &status) != 0;
    fd = REAL(open)(path, flags, mode);
    if (fd >= 0 && is_new) {
        note("create", path, "", 0, "", 0);
    }
    else if (fd >= 0 && (flags & O_TRUNC) != 0) {
        note("cut", path, "", 0, "", 0);
    }
    (void)pthread_mutex_unlock(&lock);
    return fd;
}

#define OPEN(name)                             \
    int name(const char *path, int flags, ...) \
    {                                          \
        va_list more;                          \
        mode_t mode = 0;                       \
        va_start(more, flags);                 \
        if ((flags & O_CREAT) != 0) {          \
            mode = va_arg(more, mode_t);       \
        }                                      \
        va_end(more);                          \
        return open_file(path, flags, mode);   \
    }

OPEN(open)
OPEN(open64)

#define ON_PATH(op, call)                \
    int status;                          \
    if (!is_below(path)) {               \
        return call;                     \
    }                                    \
    (void)pthread_mutex_lock(&lock);     \
    status = call;                       \
    if (status == 0) {                   \
        note(op, path, other, 0, "", 0); \
    }                                    \
    (void)pthread_mutex_unlock(&lock);   \
    return status;

int unlink(const char *path)
{
    const char *other = "";
    ON_PATH("unlink", REAL(unlink)(path))
}

int rename(const char *path, const char *other)
{
    ON_PATH("rename", REAL(rename)(path, other))
}

int mkdir(const char *path, mode_t mode)
{
    const char *other = "";
    ON_PATH("mkdir", REAL(mkdir)(path, mode))
}
