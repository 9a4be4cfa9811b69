/* Bases: bytes in sealed files in memory or in a user's file, which windows map privately. */
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
    char *open;     /* a shared map, the only way to change it; under the list's lock, but for who alone uses it.
                                    NULL: frozen */
    bool is_ground; /* its owner changes it: see ground.c. Else the only window on it: see commits.c */
    struct cowi_mapped *windows; /* on it, if it is a ground: see maps.h */
    int descriptor;
    dev_t device; /* with inode: what the descriptor should still refer to */
    ino_t inode;
    size_t nbytes;        /* in memory; 0 for a user's file */
    cow_account *account; /* of the thread whose write made the base */
    uint64_t
        identity[2];  /* random: no other base has it, not even a later one at this address. 0: the system gave none */
    cow_dataptr kept; /* of a user's file: its owner. With a deleter, the last release is outside the gate */
    struct cowi_base *next, **link; /* among those in memory that are no grounds; NULL: not one of them */
} cowi_base;

/* Where the bytes of a region are, for as long as anybody wants to know. */
typedef struct cowi_place_in_base {
    uint64_t identity[2];
    size_t offset;
} cowi_place_in_base;

/* One region of a new base: nbytes <= COWI_REGION of data, then zeros. */
typedef struct cowi_piece {
    const char *data;
    size_t nbytes;
} cowi_piece;

/* Whether the system grants bases at all. Tries it when first asked; after a few refusals the answer stays no. small: with
 * pages of 4 KiB. */
bool cowi_base_granted(bool small);
/* Whether fills took so long lately that nobody should begin one who was not asked to. */
bool cowi_fills_pause(void);
/* A base with a region for each piece, and one reference, which is the caller's. NULL: the system refuses, and nothing is left
 * behind. small: pages of 4 KiB will do. */
cowi_base *cowi_base_new(const cowi_piece *pieces, size_t count, bool small);
/* The same, for an owner who changes it. */
cowi_base *cowi_base_new_ground(const cowi_piece *pieces, size_t count, bool small);
/* Nobody can change the base from here on. False: it is a ground, or the system cannot promise it to others. The caller has a
 * reference, and the lock of a window on it. */
COW_NODISCARD bool cowi_base_freeze(cowi_base *base);
/* How many references there are, of which those that windows have are one for each region. SIZE_MAX: it is frozen, or a ground. */
size_t cowi_base_uses(const cowi_base *base);
/* For who alone uses the base: where a region of it can be changed. NULL: the system refuses. */
COW_NODISCARD char *cowi_base_region(cowi_base *base, size_t offset);
/* Afterwards: what the shared map shows counts no longer as the process's, beside the windows'. */
void cowi_base_rest(cowi_base *base, size_t offset, size_t nbytes);
/* The same for a user's file, which stays open with the base. The caller keeps its own descriptor. */
cowi_base *cowi_base_of_file(int descriptor);
/* The same for a base of another process, whose descriptor stays the caller's. NULL: too many files are open. */
cowi_base *cowi_base_received(int descriptor, const uint64_t identity[2], size_t nbytes);
/* Whether nobody, in whatever process, can change the file or its size. */
bool cowi_is_frozen(int descriptor);
/* A new descriptor of the base, which is the caller's. Negative: there is none. */
int cowi_base_descriptor(const cowi_base *base);
/* The base in memory with that identity, and a reference to it. NULL: there is none. Only those that were frozen have told theirs. */
cowi_base *cowi_base_find(const uint64_t identity[2]);
/* Around a fork: the child must not inherit the lock of their list from a thread that it does not have. Freezes them all, since
 * the child has windows on them. */
void cowi_bases_hold(void);
void cowi_bases_let_go(void);
void cowi_base_retain(cowi_base *base);
void cowi_base_release(cowi_base *base);
/* Maps nbytes of the base, privately, over memory that is the caller's. False: that memory is as it was. */
COW_NODISCARD bool cowi_base_map(const cowi_base *base, size_t offset, void *place, size_t nbytes);
cowi_place_in_base cowi_base_place(const cowi_base *base, size_t offset);
/* False: equal to no other. */
static inline bool cowi_is_identity(const uint64_t identity[2])
{
    return (identity[0] | identity[1]) != 0;
}
/* Address space that begins with a region and cannot be touched yet. NULL if the system has none. */
char *cowi_room(size_t nbytes);
/* Sets base_bytes and base_files. */
void cowi_base_figures(cow_paging_figures *out);

#endif
