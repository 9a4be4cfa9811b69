/* What a writer will touch: of a box the pages, in all and by region. */
#include "pages.h"

#define MOST_DIMENSIONS 64

/* A box as runs of bytes that lie close together: `runs` of them, each `span` long, the rest of its dimensions outside. */
typedef struct extent {
    size_t first; /* byte of the window */
    size_t span;
    size_t runs;
    int ndim; /* of the runs, the largest stride first */
    size_t shape[MOST_DIMENSIONS];
    size_t strides[MOST_DIMENSIONS];
} extent;

static void sort_by_stride(extent *out)
{
    for (int i = 1; i < out->ndim; i++) {
        const size_t stride = out->strides[i], length = out->shape[i];
        int at = i;
        for (; at > 0 && out->strides[at - 1] < stride; at--) {
            out->strides[at] = out->strides[at - 1];
            out->shape[at] = out->shape[at - 1];
        }
        out->strides[at] = stride;
        out->shape[at] = length;
    }
}

/* False where nothing is touched. */
static bool extent_of(const cow_box *box, extent *out)
{
    ptrdiff_t first = box->offset;
    out->ndim = 0;
    out->runs = 1;
    out->span = (size_t)box->itemsize;
    for (int i = 0; i < box->ndim; i++) {
        const ptrdiff_t length = box->dims[i], stride = box->dims[box->ndim + i];
        if (length == 0) {
            return false;
        }
        if (length > 1 && stride != 0) {
            first += stride < 0 ? stride * (length - 1) : 0;
            out->shape[out->ndim] = (size_t)length;
            out->strides[out->ndim++] = (size_t)(stride < 0 ? -stride : stride);
        }
    }
    out->first = (size_t)first;
    sort_by_stride(out);
    while (out->ndim > 0) {
        const size_t stride = out->strides[out->ndim - 1], length = out->shape[out->ndim - 1];
        if (stride > out->span && stride > COWI_PAGE) {
            break;
        }
        out->span += stride * (length - 1);
        out->ndim--;
    }
    for (int i = 0; i < out->ndim; i++) {
        out->runs *= out->shape[i];
    }
    return out->span > 0;
}

static size_t pages_of_run(size_t span)
{
    return span / COWI_PAGE + 1;
}

size_t cow_box_pages(const cow_box *box, size_t nbytes)
{
    const size_t all = pages_of_run(nbytes);
    extent what;
    size_t pages, single;
    if (box == NULL || box->ndim > MOST_DIMENSIONS) {
        return all;
    }
    if (!extent_of(box, &what)) {
        return 0;
    }
    pages = what.runs * pages_of_run(what.span);
    single = pages_of_run((size_t)box->itemsize);
    if (box->most < pages / single) {
        pages = box->most * single;
    }
    return pages < all ? pages : all;
}

/* More runs than that are taken as spread evenly. */
#define MOST_RUNS ((size_t)1 << 16)

static void spread(uint32_t *touched, size_t count, size_t pages)
{
    for (size_t i = 0; i < count; i++) {
        touched[i] = (uint32_t)(pages / count);
    }
}

/* Adds the pages of one run; next is the first page that the runs before have not touched. */
static void add_run(uint32_t *touched, size_t count, size_t start, size_t span, size_t *next)
{
    const size_t end = (start + span - 1) / COWI_PAGE + 1;
    size_t page = start / COWI_PAGE;
    for (page = page < *next ? *next : page; page < end && page / COWI_REGION_PAGES < count;) {
        const size_t index = page / COWI_REGION_PAGES;
        const size_t bound = (index + 1) * COWI_REGION_PAGES;
        const size_t stop = bound < end ? bound : end;
        touched[index] += (uint32_t)(stop - page);
        page = stop;
    }
    *next = end > *next ? end : *next;
}

void cowi_box_by_region(const cow_box *box, size_t lead, size_t nbytes, uint32_t *touched, size_t count)
{
    size_t index[MOST_DIMENSIONS] = {0};
    size_t next = 0;
    extent what;
    if (!extent_of(box, &what)) {
        return;
    }
    if (what.runs > MOST_RUNS || box->most < what.runs * pages_of_run(what.span)) {
        spread(touched, count, cow_box_pages(box, nbytes));
        return;
    }
    for (size_t run = 0; run < what.runs; run++) {
        size_t start = lead + what.first;
        for (int i = 0; i < what.ndim; i++) {
            start += index[i] * what.strides[i];
        }
        add_run(touched, count, start, what.span, &next);
        for (int i = what.ndim; i-- > 0 && ++index[i] == what.shape[i];) {
            index[i] = 0;
        }
    }
}
