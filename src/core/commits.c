/* Commits put regions of a window that were copied again and again into a new base, which that window and all later
 * ones map. Folds put a window's private pages into the base that they hide, while no other window is on it.
 *
 * Nobody writes to the window meanwhile: it is shared. So the base gets the same contents as its pages, and readers see
 * no change when the base shows in their place. */
#define _GNU_SOURCE
#include "commits.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "maps.h"
#include "policy.h"

static cowi_base *new_base(const cowi_plan *how, size_t count)
{
    cowi_piece *pieces = (cowi_piece *)malloc(count * sizeof *pieces);
    cowi_base *base;
    if (pieces == NULL) {
        return NULL;
    }
    for (size_t i = 0, at = 0; i < how->count; i++) {
        if (cowi_region_due(how, i)) {
            pieces[at].data = cowi_mapped_region(how->from, how->first + i);
            pieces[at++].nbytes = cowi_window_bytes(how->from, how->first + i);
        }
    }
    base = cowi_base_new(pieces, count, how->small);
    free(pieces);
    return base;
}

/* ThreadSanitizer takes mapping a range for a write to all of it. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif
#ifdef __SANITIZE_THREAD__
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);
#define BEGIN_SAME_BYTES() AnnotateIgnoreWritesBegin(__FILE__, __LINE__)
#define END_SAME_BYTES() AnnotateIgnoreWritesEnd(__FILE__, __LINE__)
#else
#define BEGIN_SAME_BYTES() ((void)0)
#define END_SAME_BYTES() ((void)0)
#endif

static void commit_region(cowi_plan *how, size_t index, cowi_base *base, size_t offset)
{
    bool mapped;
    BEGIN_SAME_BYTES();
    mapped = cowi_base_map(base, offset, cowi_mapped_region(how->from, how->first + index), COWI_REGION);
    END_SAME_BYTES();
    if (mapped) { /* otherwise the window keeps its pages, and its copies copy them */
        cowi_region_put(how->place, &how->from->regions[how->first + index], base, offset);
        how->dirty[index] = 0;
    }
}

/* At most one map for each region. */
static size_t more_maps(const cowi_mapped *of, size_t count)
{
    const size_t left = of->window.count - of->maps;
    return 2 * count < left ? 2 * count : left;
}

bool cowi_commit_regions(cowi_plan *how, size_t count)
{
    cowi_mapped *of = (cowi_mapped *)(void *)how->from;
    const size_t more = more_maps(of, count);
    cowi_base *base;
    if (!cowi_maps_take(more)) {
        return false;
    }
    base = new_base(how, count);
    if (base == NULL) {
        cowi_maps_return(more);
        return false;
    }
    of->maps += more;
    for (size_t i = 0, at = 0; i < how->count; i++) {
        if (cowi_region_due(how, i)) {
            commit_region(how, i, base, at++ * COWI_REGION);
        }
    }
    cowi_base_release(base);
    return true;
}

/* ---- folds ------------------------------------------------------------------------------------------------------- */

static bool is_own(const cowi_plan *how, size_t page)
{
    return (how->own.bits[page / 64] >> page % 64 & 1) != 0;
}

bool cowi_fold_region(cowi_plan *how, size_t index)
{
    const cowi_region *region = &how->from->regions[how->first + index];
    cowi_base *base = (cowi_base *)region->base;
    char *from = cowi_mapped_region(how->from, how->first + index);
    char *to = cowi_base_region(base, region->offset);
    if (to == NULL) {
        return false;
    }
    for (size_t page = 0; page < COWI_REGION_PAGES; page++) {
        if (is_own(how, index * COWI_REGION_PAGES + page)) {
            memcpy(to + page * COWI_PAGE, from + page * COWI_PAGE, COWI_PAGE);
        }
    }
    (void)madvise(from, COWI_REGION, MADV_DONTNEED); /* if that fails, its pages still equal those they hide */
    cowi_base_rest(base, region->offset, COWI_REGION);
    return true;
}
