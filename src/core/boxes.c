/* A writer's box as runs of bytes, and the runs as pages. No state. */
#include "boxes.h"

#define MOST_DIMENSIONS 64

/* A box as `runs` runs of close bytes, each `span` long; the outer dimensions place the runs. */
typedef struct extent {
    size_t first; /* its first byte in the window */
    size_t span;
    size_t runs;
    size_t grain; /* a power of two that divides the offset of each run */
    int ndim;     /* of the runs, the largest stride first */
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

/* The largest power of two that divides all of these numbers, up to the alignment of a window's first byte. */
static size_t grain_of(size_t numbers)
{
    numbers |= COW_ALIGNMENT;
    return numbers & (0 - numbers);
}

/* False: nothing is touched. */
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
    out->grain = grain_of(out->first);
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
        out->grain = grain_of(out->grain | out->strides[i]);
    }
    return out->span > 0;
}

static bool says_nothing(const cow_box *box)
{
    return box == NULL || box->ndim > MOST_DIMENSIONS;
}

/* For a run that begins at any multiple of grain: at worst at the last one in a page. */
static size_t pages_of_run(size_t span, size_t grain)
{
    return (span + COWI_PAGE - grain - 1) / COWI_PAGE + 1;
}

static size_t pages_of_extent(const extent *of)
{
    return of->runs * pages_of_run(of->span, of->grain);
}

size_t cowi_pages_touched(const cow_box *box, size_t nbytes)
{
    const size_t all = nbytes / COWI_PAGE + 1;
    extent what;
    size_t pages, single;
    if (says_nothing(box)) {
        return all;
    }
    if (!extent_of(box, &what)) {
        return 0;
    }
    pages = pages_of_extent(&what);
    single = pages_of_run((size_t)box->itemsize, grain_of((size_t)box->itemsize));
    if (box->most < pages / single) {
        pages = box->most * single;
    }
    return pages < all ? pages : all;
}

size_t cow_box_pages(const cow_box *box, size_t nbytes)
{
    return cowi_pages_touched(box, nbytes);
}

/* More runs than this are assumed to be spread evenly. */
#define MOST_RUNS ((size_t)1 << 16)

static size_t end_of_extent(const extent *what)
{
    size_t end = what->first + what->span;
    for (int i = 0; i < what->ndim; i++) {
        end += (what->shape[i] - 1) * what->strides[i];
    }
    return end;
}

bool cowi_box_range(const cow_box *box, size_t *first, size_t *end)
{
    extent what;
    bool touches;
    if (says_nothing(box)) {
        return false;
    }
    touches = extent_of(box, &what);
    *first = touches ? what.first : 0;
    *end = touches ? end_of_extent(&what) : 0;
    return true;
}

/* Spreads the pages over the regions that the extent lies in. */
static void spread(const extent *what, size_t lead, size_t pages, size_t count, uint32_t *touched)
{
    const size_t start = lead + what->first;
    const size_t end = lead + end_of_extent(what) - 1;
    for (size_t i = start / COWI_REGION, left = end / COWI_REGION - i + 1; left > 0 && i < count; i++, left--) {
        const size_t here = pages / left;
        touched[i] = (uint32_t)(here < COWI_REGION_PAGES ? here : COWI_REGION_PAGES);
        pages -= here;
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

/* Calls each for every run, with its first byte relative to the window's first region. False, and nothing is called:
 * the runs' places are unknown. */
typedef void visit(void *context, size_t start, size_t span);

static bool walk(const extent *what, size_t most, size_t lead, visit *each, void *context)
{
    size_t index[MOST_DIMENSIONS] = {0};
    if (what->runs > MOST_RUNS || most < pages_of_extent(what)) {
        return false;
    }
    for (size_t run = 0; run < what->runs; run++) {
        size_t start = lead + what->first;
        for (int i = 0; i < what->ndim; i++) {
            start += index[i] * what->strides[i];
        }
        each(context, start, what->span);
        for (int i = what->ndim; i-- > 0 && ++index[i] == what->shape[i];) {
            index[i] = 0;
        }
    }
    return true;
}

typedef struct counts {
    uint32_t *touched;
    size_t count;
    size_t next;
} counts;

static void count_run(void *context, size_t start, size_t span)
{
    counts *so_far = (counts *)context;
    add_run(so_far->touched, so_far->count, start, span, &so_far->next);
}

void cowi_count_by_region(const cow_box *box, size_t lead, size_t nbytes, size_t count, uint32_t *touched)
{
    counts so_far = {touched, count, 0};
    extent what;
    if (extent_of(box, &what) && !walk(&what, box->most, lead, count_run, &so_far)) {
        spread(&what, lead, cowi_pages_touched(box, nbytes), count, touched);
    }
}

typedef struct marks {
    uint64_t *bits;
    size_t pages;
} marks;

static void mark_run(void *context, size_t start, size_t span)
{
    const marks *all = (const marks *)context;
    const size_t end = (start + span - 1) / COWI_PAGE + 1;
    for (size_t page = start / COWI_PAGE; page < end && page < all->pages; page++) {
        all->bits[page / 64] |= (uint64_t)1 << page % 64;
    }
}

bool cowi_tells_pages(const cow_box *box)
{
    extent what;
    return !says_nothing(box) &&
           (!extent_of(box, &what) || (what.runs <= MOST_RUNS && box->most >= pages_of_extent(&what)));
}

bool cowi_mark_pages(const cow_box *box, size_t lead, size_t count, uint64_t *bits)
{
    marks all = {bits, count * COWI_REGION_PAGES};
    extent what;
    return box != NULL && box->ndim <= MOST_DIMENSIONS &&
           (!extent_of(box, &what) || walk(&what, box->most, lead, mark_run, &all));
}
