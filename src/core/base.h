/* Bases: bytes in sealed memory files or in a user's file, which windows map privately. */
#ifndef COWI_BASE_H
#define COWI_BASE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "atomics.h"
#include "cowarray/core.h"
#include "units.h"

typedef struct cowi_base {
    cowi_atomic_size references;
    char *open;     /* a shared map, the only way to change it; under the list's lock, except for its only
                                    user. NULL: frozen */
    bool is_ground; /* its owner changes it: see ground.c; otherwise only a sole window may: see commits.c */
    struct cowi_mapped *windows; /* the windows on a ground: see maps.h */
    int descriptor;
    dev_t device; /* with inode: the file that the descriptor must still refer to */
    ino_t inode;
    size_t nbytes;        /* in memory; 0 for a user's file */
    cow_account *account; /* of the thread whose write made the base */
    uint64_t
        identity[2];  /* random: no other base has it, not even a later one at this address. 0: the system gave none */
    cow_dataptr kept; /* a user's file's owner; with a deleter, the last release must be outside the gate */
    struct cowi_base *next, **link; /* the list of bases in memory that are not grounds; NULL: not in it */
} cowi_base;

/* A region's place in a base, which needs no reference to stay meaningful. */
typedef struct cowi_place_in_base {
    uint64_t identity[2];
    size_t offset;
} cowi_place_in_base;

/* One region of a new base: nbytes <= COWI_REGION of data, then zeros. */
typedef struct cowi_piece {
    const char *data;
    size_t nbytes;
} cowi_piece;

/* Whether the system grants bases at all. The first call tries; after a few refusals the answer stays no. small: with
 * pages of 4 KiB. */
bool cowi_base_granted(bool small);
/* Whether fills were so slow recently that none should begin without a request. */
bool cowi_fills_pause(void);
/* Creates a base with a region for each piece, and one reference, the caller's. NULL: the system refuses; nothing is
 * left behind. small: pages of 4 KiB will do. */
cowi_base *cowi_base_new(const cowi_piece *pieces, size_t count, bool small);
/* The same, as a ground, for an owner that changes it. */
cowi_base *cowi_base_new_ground(const cowi_piece *pieces, size_t count, bool small);
/* Makes the base immutable. False: it is a ground, or not all seals hold. The caller has a reference, and the lock of a
 * window on it. */
COW_NODISCARD bool cowi_base_freeze(cowi_base *base);
/* The number of references, of which windows have one for each region. SIZE_MAX: it is frozen, or a ground. */
size_t cowi_base_uses(const cowi_base *base);
/* For the base's only user: the address at which to change a region. NULL: the system refuses. */
COW_NODISCARD char *cowi_base_region(cowi_base *base, size_t offset);
/* Afterwards: stops counting the shared map's pages as the process's, besides the windows'. */
void cowi_base_rest(cowi_base *base, size_t offset, size_t nbytes);
/* Creates a base on a user's file, which stays open with it. The caller keeps its own descriptor. */
cowi_base *cowi_base_of_file(int descriptor);
/* Creates one for another process's base, whose descriptor stays the caller's. NULL: too many files are open. */
cowi_base *cowi_base_received(int descriptor, const uint64_t identity[2], size_t nbytes);
/* True if no process can change the file or its size. */
bool cowi_is_frozen(int descriptor);
/* Returns a new descriptor of the base, the caller's. Negative: failure. */
int cowi_base_descriptor(const cowi_base *base);
/* Returns a reference to the base in memory with that identity, or NULL. Only frozen bases have told theirs. */
cowi_base *cowi_base_find(const uint64_t identity[2]);
/* Around a fork: the child must not inherit the lock of the list from a thread that it does not have. Freezes all
 * bases, since the child has windows on them. */
void cowi_bases_hold(void);
void cowi_bases_let_go(void);
void cowi_base_retain(cowi_base *base);
void cowi_base_release(cowi_base *base);
/* Maps nbytes of the base privately over the caller's memory. False: that memory is unchanged. */
COW_NODISCARD bool cowi_base_map(const cowi_base *base, size_t offset, void *place, size_t nbytes);
cowi_place_in_base cowi_base_place(const cowi_base *base, size_t offset);
/* False: the base has no identity, and equals no other. */
static inline bool cowi_is_identity(const uint64_t identity[2])
{
    return (identity[0] | identity[1]) != 0;
}
/* Reserves inaccessible address space, aligned to a region. NULL: the system refuses. */
char *cowi_room(size_t nbytes);
/* Sets base_bytes and base_files. */
void cowi_base_figures(cow_paging_figures *out);

#endif
