/* The life of windows: their maps, their end, what is written to them, and those of users' files.
 *
 * A window is cut into regions of 2 MiB, the size of a huge page. Each region maps a region of some base, or is plain memory
 * of the window's own. Pages that were written to since then are in neither list: the kernel tells which they are. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "internal.h"
#include "windows.h"

/* The budget: a window of which more is written is better copied. And a little more, between two looks. */
#define PERCENT 6
#define SHARE \
    126 /* thousandths of a plain copy, which its pages may cost: half of what the ledger earns beyond a copy */
#define BETWEEN_LOOKS 6
#define LEAST_READS 8 /* of all of it, before anybody looks for the first time: a look measures what reading costs */
#define LOCKS 16

cowi_page_counts cowi_page_counted;

/* ---- the kernel's limit on maps: at it, nobody can allocate --------------------------------------------------------- */

static cowi_atomic_size maps;
static pthread_once_t limit_once = PTHREAD_ONCE_INIT;
static size_t most_maps;

static void read_limit(void)
{
    FILE *file = fopen("/proc/sys/vm/max_map_count", "re");
    unsigned long limit = 0;
    if (file != NULL) {
        if (fscanf(file, "%lu", &limit) != 1) {
            limit = 0;
        }
        (void)fclose(file);
    }
    most_maps = limit / 4;
}

void cowi_maps_return(size_t some)
{
    (void)cowi_sub_release(&maps, some);
}

bool cowi_maps_take(size_t some)
{
    (void)pthread_once(&limit_once, read_limit);
    if (cowi_add_relaxed(&maps, some) + some <= most_maps) {
        return true;
    }
    cowi_maps_return(some);
    return false;
}

/* ---- locks ------------------------------------------------------------------------------------------------------- */

static pthread_mutex_t locks[LOCKS] = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
};

pthread_mutex_t *cowi_window_lock(const void *data)
{
    return &locks[(uintptr_t)data / COWI_REGION % LOCKS];
}

/* ---- regions ----------------------------------------------------------------------------------------------------- */

size_t cowi_window_end_of_run(const cowi_window *of, size_t first)
{
    const cowi_region *start = &of->regions[first];
    size_t end = first + 1;
    while (end < of->count && of->regions[end].base == start->base && start->base != NULL &&
           of->regions[end].offset == start->offset + (end - first) * COWI_REGION) {
        end++;
    }
    return end;
}

size_t cowi_window_runs(const cowi_window *of)
{
    size_t runs = 0;
    for (size_t at = 0; at < of->count; at = cowi_window_end_of_run(of, at)) {
        runs++;
    }
    return runs;
}

char *cowi_window_place(const cowi_window *of, size_t index)
{
    return of->map + index * COWI_REGION;
}

size_t cowi_window_bytes(const cowi_window *of, size_t index)
{
    const size_t rest = of->lead + of->nbytes - index * COWI_REGION;
    return rest < COWI_REGION ? rest : COWI_REGION;
}

void cowi_window_retain_bases(const cowi_window *of)
{
    for (size_t i = 0; i < of->count; i++) {
        if (of->regions[i].base != NULL) {
            cowi_base_retain(of->regions[i].base);
        }
    }
}

static void release_all(const cowi_window *of)
{
    for (size_t i = 0; i < of->count; i++) {
        if (of->regions[i].base != NULL) {
            cowi_base_release(of->regions[i].base);
        }
    }
}

cowi_window *cowi_window_new(size_t count)
{
    cowi_window *made = (cowi_window *)calloc(1, sizeof(cowi_window) + count * sizeof(cowi_region));
    if (made != NULL) {
        made->count = count;
    }
    return made;
}

size_t cowi_window_most_written(size_t pages, uint32_t page_price)
{
    const size_t affordable = pages * SHARE / page_price;
    return affordable < pages * PERCENT / 100 ? affordable : pages * PERCENT / 100;
}

uint64_t cowi_window_budget(const cowi_window *of, const cowi_prices *prices)
{
    const size_t pages = of->count * COWI_REGION_PAGES;
    const size_t most = cowi_window_most_written(pages, prices->page);
    return cowi_price_of_pages(prices, most + most / BETWEEN_LOOKS);
}

uint64_t cowi_window_price_of_written(const cowi_window *of, size_t pages)
{
    const uint64_t most = of->reserved < of->nbytes ? 0 : of->reserved - of->nbytes;
    const uint64_t price = (uint64_t)pages * COWI_PAGE * of->page_price / 1000;
    return price < most ? price : most;
}

/* What was reserved, without the pages that were written. */
static uint64_t unspent(const cowi_window *of)
{
    return of->reserved - cowi_window_price_of_written(of, cowi_load_relaxed(&of->counted));
}

void cowi_window_begin_counting(cowi_window *of, size_t at_first, const cowi_prices *prices)
{
    of->at_first = at_first;
    cowi_init(&of->counted, 0);
    cowi_init(&of->budget,
              of->of_file ? SIZE_MAX : cowi_window_most_written(of->count * COWI_REGION_PAGES, prices->page));
    cowi_init(&of->read, 0);
    cowi_init(&of->dear, of->of_file ? UINT64_MAX : LEAST_READS * (uint64_t)of->nbytes);
}

void cowi_window_delete(void *data, void *context, size_t nbytes)
{
    cowi_window *of = (cowi_window *)context;
    (void)data;
    (void)nbytes;
    (void)munmap(of->map, of->count * COWI_REGION);
    release_all(of);
    cowi_maps_return(of->maps);
    cowi_ledger_return(unspent(of));
    if (!of->gave_up && !of->of_file) {
        cowi_ledger_went_well();
    }
    free(of);
}

int cowi_window_is_paged(const cow_dataptr *own)
{
    return own->deleter == cowi_window_delete;
}

/* ---- what is written to it --------------------------------------------------------------------------------------- */

int cowi_window_touch(void *self, const cow_dataptr *own, size_t nbytes, const cow_box *box)
{
    cowi_window *of = (cowi_window *)own->context;
    const size_t pages = cow_box_pages(box, nbytes);
    (void)self;
    return cowi_add_relaxed(&of->counted, pages) + pages >= cowi_load_relaxed(&of->budget);
}

/* Pages that were written to since the window was made; SIZE_MAX where the system does not tell. */
static size_t written_since(const cowi_window *of)
{
    cowi_dirt dirt = {(uint64_t *)calloc(of->count * (COWI_REGION_PAGES / 64), sizeof(uint64_t)), 0};
    size_t pages = SIZE_MAX;
    if (dirt.bits != NULL && cowi_dirt_find(of->map, of->count * COWI_REGION, &dirt)) {
        pages = 0;
        for (size_t i = 0; i < of->count; i++) {
            pages += of->regions[i].base == NULL ? 0 : cowi_dirt_count(&dirt, i);
        }
        pages -= pages < of->at_first ? pages : of->at_first;
    }
    free(dirt.bits);
    return pages;
}

int cowi_window_settle(void *self, const cow_dataptr *own, const cow_box *box)
{
    cowi_window *of = (cowi_window *)own->context;
    const size_t all = of->count * COWI_REGION_PAGES;
    const size_t most = cowi_window_most_written(all, of->page_price);
    const size_t written = written_since(of);
    const size_t next = written + most / BETWEEN_LOOKS;
    (void)self;
    if (written == SIZE_MAX || written + cow_box_pages(box, of->nbytes) >= most) {
        of->gave_up = true;
        cowi_store_relaxed(&of->budget, SIZE_MAX);
        cowi_ledger_gave_up();
        (void)cowi_add_relaxed(&cowi_page_counted.give_ups, 1);
        return 0;
    }
    cowi_store_relaxed(&of->counted, written);
    cowi_store_relaxed(&of->budget, next > most ? next : most);
    return 1;
}

int cowi_window_count_read(void *self, const cow_dataptr *own, size_t nbytes)
{
    cowi_window *of = (cowi_window *)own->context;
    (void)self;
    return cowi_add_relaxed(&of->read, nbytes) + nbytes >= cowi_load_relaxed(&of->dear);
}

size_t cowi_window_own_bytes(void *self, const cow_dataptr *own)
{
    const cowi_window *of = (const cowi_window *)own->context;
    pthread_mutex_t *lock = cowi_window_lock(own->data); /* a sharer may be in the middle of a commit */
    cowi_dirt dirt = {(uint64_t *)calloc(of->count * (COWI_REGION_PAGES / 64), sizeof(uint64_t)), 0};
    size_t nbytes = of->nbytes;
    (void)self;
    (void)pthread_mutex_lock(lock);
    if (dirt.bits != NULL && cowi_dirt_find(of->map, of->count * COWI_REGION, &dirt)) {
        nbytes = 0;
        for (size_t i = 0; i < of->count; i++) {
            nbytes += of->regions[i].base == NULL ? COWI_REGION : cowi_dirt_count(&dirt, i) * COWI_PAGE;
        }
    }
    (void)pthread_mutex_unlock(lock);
    free(dirt.bits);
    return nbytes;
}

/* ---- figures ----------------------------------------------------------------------------------------------------- */

void cow_paging_read(cow_paging_figures *out)
{
    cowi_base_figures(out);
    cowi_ledger_figures(out);
    out->bases = cowi_load_relaxed(&cowi_page_counted.bases);
    out->page_copies = cowi_load_relaxed(&cowi_page_counted.page_copies);
    out->pages_copied = cowi_load_relaxed(&cowi_page_counted.pages_copied);
    out->commits = cowi_load_relaxed(&cowi_page_counted.commits);
    out->heals = cowi_load_relaxed(&cowi_page_counted.heals);
    out->give_ups = cowi_load_relaxed(&cowi_page_counted.give_ups);
    out->maps = cowi_load_relaxed(&maps);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* All of them in one map. False: nothing is left behind. */
static bool map_regions(cowi_window *made, const cowi_base *base, size_t first)
{
    made->maps = 1;
    if (!cowi_maps_take(1)) {
        return false;
    }
    made->map = cowi_room(made->count * COWI_REGION);
    if (made->map != NULL) {
        if (cowi_base_map(base, first * COWI_REGION, made->map, made->count * COWI_REGION)) {
            return true;
        }
        (void)munmap(made->map, made->count * COWI_REGION);
    }
    cowi_maps_return(1);
    return false;
}

cow_status cow_paging_map_file(int descriptor, size_t offset, size_t nbytes, cow_dataptr *out, cow_error *err)
{
    const size_t first = offset / COWI_REGION;
    const size_t count = nbytes == 0 ? 0 : (offset + nbytes - 1) / COWI_REGION - first + 1;
    struct stat now;
    cowi_base *base;
    cowi_window *made;
    if (fstat(descriptor, &now) != 0 || !S_ISREG(now.st_mode) || now.st_size < 0 || nbytes == 0 ||
        offset > (size_t)now.st_size || nbytes > (size_t)now.st_size - offset) {
        return cowi_fail(err, COW_EINVAL, "cannot map %zu bytes from byte %zu: no file, or none so long", nbytes,
                         offset);
    }
    made = cowi_window_new(count);
    base = made == NULL ? NULL : cowi_base_of_file(descriptor);
    if (base == NULL) {
        free(made);
        return cowi_fail(err, COW_ENOMEM, "cannot map %zu bytes of a file", nbytes);
    }
    for (size_t i = 0; i < count; i++) {
        made->regions[i].base = base;
        made->regions[i].offset = (first + i) * COWI_REGION;
    }
    if (!map_regions(made, base, first)) {
        cowi_base_release(base);
        free(made);
        return cowi_fail(err, COW_ENOMEM, "cannot map %zu bytes of a file", nbytes);
    }
    cowi_window_retain_bases(made);
    cowi_base_release(base);
    made->lead = offset - first * COWI_REGION;
    made->nbytes = nbytes;
    made->of_file = true;
    cowi_window_begin_counting(made, 0, NULL);
    out->data = made->map + made->lead;
    out->context = made;
    out->deleter = cowi_window_delete;
    return COW_OK;
}
