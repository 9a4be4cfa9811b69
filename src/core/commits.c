/* Commits: regions that were copied again and again are put into a new base, which their window and all later ones map.
 *
 * While an allocation is shared nobody writes to it, so what its pages hold is the same as what a base would hold. */
#include <stdlib.h>

#include "windows.h"

/* A region is put into a base when as much has been paid for copies of it as that costs. */
static bool is_due(const cowi_commit *what, size_t index)
{
    const uint32_t dirty = what->dirty[index];
    const uint64_t debt = what->of->regions[what->first + index].debt;
    return dirty > 0 && (debt + cowi_price_of_region(what->prices, dirty)) * 1000 >=
                            (uint64_t)COWI_REGION_PAGES * what->prices->fill;
}

static size_t count_due(const cowi_commit *what)
{
    size_t count = 0;
    for (size_t i = 0; i < what->count; i++) {
        count += is_due(what, i);
    }
    return count;
}

static cowi_base *new_base(const cowi_commit *what, size_t count)
{
    cowi_piece *pieces = (cowi_piece *)malloc(count * sizeof *pieces);
    cowi_base *base;
    if (pieces == NULL) {
        return NULL;
    }
    for (size_t i = 0, at = 0; i < what->count; i++) {
        if (is_due(what, i)) {
            pieces[at].data = cowi_window_place(what->of, what->first + i);
            pieces[at++].nbytes = cowi_window_bytes(what->of, what->first + i);
        }
    }
    base = cowi_base_new(pieces, count, what->small);
    free(pieces);
    return base;
}

static void commit_region(const cowi_commit *what, size_t index, cowi_base *base, size_t offset)
{
    cowi_region *before = &what->of->regions[what->first + index];
    if (!cowi_base_map(base, offset, cowi_window_place(what->of, what->first + index), COWI_REGION)) {
        return; /* the window keeps its pages, and whoever copies it copies them */
    }
    cowi_base_retain(base);
    if (before->base != NULL) {
        cowi_base_release(before->base);
    }
    before->base = base;
    before->offset = offset;
    before->debt = 0;
    what->dirty[index] = 0;
}

void cowi_commit_regions(const cowi_commit *what)
{
    const size_t count = count_due(what);
    const uint64_t price = cowi_price_of_fill(what->prices, count);
    cowi_base *base = NULL;
    if (count == 0 || !cowi_maps_take(2 * count)) {
        return;
    }
    if (cowi_ledger_take(price)) {
        base = new_base(what, count);
        if (base == NULL) {
            cowi_ledger_return(price);
        }
    }
    if (base == NULL) {
        cowi_maps_return(2 * count);
        return;
    }
    what->of->maps += 2 * count;
    for (size_t i = 0, at = 0; i < what->count; i++) {
        if (is_due(what, i)) {
            commit_region(what, i, base, at++ * COWI_REGION);
        }
    }
    (void)cowi_add_relaxed(&cowi_page_counted.bases, 1);
    (void)cowi_add_relaxed(&cowi_page_counted.commits, count);
    cowi_base_release(base);
}
