/* Paged windows in memory: writers' private maps of frozen bytes. The kernel copies the pages that are written, and
 * knows which they are. policy.c decides what a window is made of; this file maps and copies it. */
#define _GNU_SOURCE
#include "pages.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "commits.h"
#include "differences.h"
#include "internal.h"
#include "maps.h"
#include "pasts.h"
#include "policy.h"

#ifndef MADV_HUGEPAGE
#define MADV_HUGEPAGE 14
#endif

/* For cow_paging_read. */
static struct {
    cowi_atomic_u64 bases, page_copies, pages_copied, filled, promised, commits, give_ups;
} counted;

static void count_base(size_t nbytes)
{
    (void)cowi_add_relaxed(&counted.bases, 1);
    (void)cowi_add_relaxed(&counted.filled, nbytes);
}

/* ---- bases --------------------------------------------------------------------------------------------------------- */

static void retain(void *base)
{
    cowi_base_retain((cowi_base *)base);
}

static void release(void *base)
{
    cowi_base_release((cowi_base *)base);
}

static void unshadow(void *self, void *shadow)
{
    (void)self;
    release(shadow);
}

static void *base_of(const cowi_plan *how)
{
    const cow_sharing *sharing = how->sharing;
    const size_t count = cowi_source_regions(how);
    cowi_piece *pieces = (cowi_piece *)malloc(count * sizeof *pieces);
    cowi_base *base = NULL;
    if (pieces != NULL) {
        for (size_t i = 0; i < count; i++) {
            const size_t rest = sharing->allocated - i * COWI_REGION;
            pieces[i].data = (const char *)sharing->source.data + i * COWI_REGION;
            pieces[i].nbytes = rest < COWI_REGION ? rest : COWI_REGION;
        }
        base = cowi_base_new(pieces, count, how->small);
        free(pieces);
    }
    if (base != NULL) {
        count_base(sharing->allocated);
    }
    return base;
}

/* Whether an owner keeps any bytes of the window. A commit might release the last reference to them inside the gate. */
static bool is_kept(const cowi_window *of)
{
    bool kept = false;
    for (size_t i = 0; i < of->count && !kept; i++) {
        kept = of->regions[i].base != NULL && ((const cowi_base *)of->regions[i].base)->kept.deleter != NULL;
    }
    return kept;
}

static bool commit(cowi_plan *how, size_t count)
{
    if (is_kept(how->from) || !cowi_commit_regions(how, count)) {
        return false;
    }
    count_base(count * COWI_REGION);
    (void)cowi_add_relaxed(&counted.commits, count);
    return true;
}

static size_t uses(const void *base)
{
    return cowi_base_uses((const cowi_base *)base);
}

static bool fold(cowi_plan *how, size_t index)
{
    const bool good = cowi_fold_region(how, index);
    (void)cowi_add_relaxed(&counted.pages_copied, good ? how->dirty[index] : 0);
    return good;
}

/* ---- maps ---------------------------------------------------------------------------------------------------------- */

static bool own_pages(const cowi_window *of, size_t first, size_t count, cowi_dirt *out)
{
    return cowi_dirt_find(cowi_mapped_region(of, first), count * COWI_REGION, out);
}

/* Takes room for the window, and its maps. False: neither. */
static bool take_room(cowi_mapped *made)
{
    made->maps = cowi_window_runs(&made->window);
    if (!cowi_maps_take(made->maps)) {
        return false;
    }
    made->map = cowi_room(made->window.count * COWI_REGION);
    if (made->map == NULL) {
        cowi_maps_return(made->maps);
    }
    return made->map != NULL;
}

static void give_back_room(const cowi_mapped *of)
{
    (void)munmap(of->map, of->window.count * COWI_REGION);
    cowi_maps_return(of->maps);
}

static bool map_run(cowi_window *made, size_t first, size_t end)
{
    const cowi_region *start = &made->regions[first];
    return cowi_base_map((cowi_base *)start->base, start->offset, cowi_mapped_region(made, first),
                         (end - first) * COWI_REGION);
}

/* ---- eager copies of regions and pages ------------------------------------------------------------------------------- */

static const char *source_of(const cowi_plan *how, size_t index)
{
    return how->from != NULL ? cowi_mapped_region(how->from, how->first + index)
                             : (const char *)how->sharing->source.data + (how->first + index) * COWI_REGION;
}

/* Skips the pages in aside. */
static void copy_but(char *to, const char *from, size_t nbytes, const uint64_t *aside)
{
    for (size_t page = 0, at = 0; at < nbytes; page++, at += COWI_PAGE) {
        if ((aside[page / 64] >> page % 64 & 1) == 0) {
            memcpy(to + at, from + at, nbytes - at < COWI_PAGE ? nbytes - at : COWI_PAGE);
        }
    }
}

static bool copy_region(cowi_window *made, const cowi_plan *how, size_t index)
{
    char *place = cowi_mapped_region(made, index);
    if (mmap(place, COWI_REGION, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
        MAP_FAILED) {
        return false;
    }
    (void)madvise(place, COWI_REGION, MADV_HUGEPAGE);
    if (how->aside == NULL) {
        memcpy(place, source_of(how, index), cowi_source_bytes(how, index));
    }
    else {
        copy_but(place, source_of(how, index), cowi_source_bytes(how, index), how->aside + index * COWI_REGION_WORDS);
    }
    return true;
}

static bool is_set(const cowi_dirt *dirt, size_t page)
{
    return (dirt->bits[page / 64] >> page % 64 & 1) != 0;
}

static void copy_pages(cowi_window *made, const cowi_plan *how, size_t index)
{
    const char *source = source_of(how, index);
    char *place = cowi_mapped_region(made, index);
    const size_t first = index * COWI_REGION_PAGES;
    for (size_t page = 0; page < COWI_REGION_PAGES;) {
        size_t end = page;
        while (end < COWI_REGION_PAGES && is_set(&how->own, first + end)) {
            end++;
        }
        if (end > page) {
            memcpy(place + page * COWI_PAGE, source + page * COWI_PAGE, (end - page) * COWI_PAGE);
            (void)cowi_add_relaxed(&counted.pages_copied, end - page);
        }
        page = end + 1;
    }
}

static bool build(cowi_window *made, cowi_plan *how)
{
    bool good = true;
    if (!take_room((cowi_mapped *)(void *)made)) {
        return false;
    }
    for (size_t at = 0, end; good && at < made->count; at = end) {
        end = cowi_run_end(made, at);
        good = made->regions[at].base == NULL ? copy_region(made, how, at) : map_run(made, at, end);
    }
    if (!good) {
        give_back_room((cowi_mapped *)(void *)made);
        return false;
    }
    for (size_t i = 0; i < made->count; i++) {
        if (made->regions[i].base != NULL) {
            (void)cowi_add_relaxed(&counted.promised, how->touched[i]);
            if (how->dirty[i] > 0) {
                copy_pages(made, how, i);
            }
        }
    }
    cowi_mapped_enlist((cowi_mapped *)(void *)made);
    (void)cowi_add_relaxed(&counted.page_copies, 1);
    how->sharing->made.data = cowi_mapped_region(made, 0) + made->lead;
    return true;
}

/* ---- the end of a window, and figures -------------------------------------------------------------------------------- */

static void gave_up(cowi_window *of)
{
    (void)of;
    (void)cowi_add_relaxed(&counted.give_ups, 1);
}

static void deleted(cowi_window *of)
{
    cowi_mapped_delist((cowi_mapped *)(void *)of);
    give_back_room((cowi_mapped *)(void *)of);
}

void cow_paging_read(cow_paging_figures *out)
{
    cowi_base_figures(out);
    cowi_family_figures(out);
    cowi_maps_figures(out);
    out->bases = cowi_load_relaxed(&counted.bases);
    out->page_copies = cowi_load_relaxed(&counted.page_copies);
    out->pages_copied = cowi_load_relaxed(&counted.pages_copied);
    out->filled = cowi_load_relaxed(&counted.filled);
    out->promised = cowi_load_relaxed(&counted.promised);
    out->commits = cowi_load_relaxed(&counted.commits);
    out->give_ups = cowi_load_relaxed(&counted.give_ups);
}

/* ---- the allocator's table -------------------------------------------------------------------------------------------- */

static cow_family *family(void *self, const cow_dataptr *bytes)
{
    (void)self;
    return cowi_window_is_paged(bytes) ? cowi_family_retain(((cowi_window *)bytes->context)->family)
                                       : cowi_family_new(&cowi_process_lender, NULL);
}

/* ---- pages that were put aside ----------------------------------------------------------------------------------------- */

static char *page_of(const cowi_window *of, size_t page)
{
    return cowi_mapped_region(of, 0) + page * COWI_PAGE;
}

static void *put_aside(const cowi_window *of, size_t page)
{
    void *aside = malloc(COWI_PAGE);
    if (aside != NULL) {
        memcpy(aside, page_of(of, page), COWI_PAGE);
        (void)cowi_add_relaxed(&counted.pages_copied, 1);
    }
    return aside;
}

static void put_back(cowi_window *of, size_t page, const void *aside)
{
    memcpy(page_of(of, page), aside, COWI_PAGE);
}

static void drop_aside(void *aside)
{
    free(aside);
}

static const cowi_place memory = {sizeof(cowi_mapped),
                                  SIZE_MAX,
                                  cowi_maps_for_one,
                                  own_pages,
                                  base_of,
                                  commit,
                                  uses,
                                  fold,
                                  build,
                                  retain,
                                  release,
                                  NULL,
                                  NULL,
                                  gave_up,
                                  cowi_pasts_inherit,
                                  deleted,
                                  put_aside,
                                  put_back,
                                  drop_aside,
                                  true};

static int share(void *self, cow_sharing *sharing)
{
    (void)self;
    return cowi_share(&memory, sharing);
}

static int would(void *self, cow_sharing *sharing)
{
    (void)self;
    return cowi_would_share(&memory, sharing);
}

const cow_paging cowi_pages = {
    COWI_PAGED_LEAST,
    share,
    unshadow,
    cowi_window_is_paged,
    cowi_window_touch,
    cowi_window_settle,
    family,
    would,
    cowi_window_own_bytes,
    cowi_window_copied_bytes,
    cowi_differences,
    &cowi_window_pasts,
};

/* ---- files ------------------------------------------------------------------------------------------------------------ */

/* Maps all of the window at once. False: nothing is left behind. */
static bool map_whole(cowi_window *made)
{
    cowi_mapped *of = (cowi_mapped *)(void *)made;
    if (!take_room(of)) {
        return false;
    }
    if (!map_run(made, 0, made->count)) {
        give_back_room(of);
        return false;
    }
    return true;
}

/* Creates a window of a family that is always paged. NULL: memory has run out. */
static cowi_window *window_of_always(size_t count)
{
    cow_family *always = cowi_family_new(&cowi_process_lender, NULL);
    cowi_window *made = NULL;
    if (always != NULL) {
        cowi_family_page_always(always);
        made = cowi_window_new(&memory, always, count);
        cowi_family_release(always);
    }
    return made;
}

bool cowi_window_on(cowi_base *base, size_t offset, size_t nbytes, cow_dataptr *out)
{
    const size_t first = offset / COWI_REGION;
    const size_t count = (offset + nbytes - 1) / COWI_REGION - first + 1;
    cowi_window *made = window_of_always(count);
    if (made == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        made->regions[i].base = base;
        made->regions[i].offset = (first + i) * COWI_REGION;
    }
    if (!map_whole(made)) {
        cowi_window_discard(made);
        return false;
    }
    cowi_window_retain_bases(made);
    made->lead = offset - first * COWI_REGION;
    made->nbytes = nbytes;
    made->ground = base->is_ground ? base : NULL;
    cowi_mapped_enlist((cowi_mapped *)(void *)made);
    cowi_window_reserve(made, cowi_prices_of(true));
    out->data = cowi_mapped_region(made, 0) + made->lead;
    out->context = made;
    out->deleter = cowi_window_delete;
    return true;
}

cow_status cow_paging_map_file(int descriptor, size_t offset, size_t nbytes, const cow_dataptr *kept, cow_dataptr *out,
                               cow_error *err)
{
    struct stat now;
    cowi_base *base;
    bool mapped;
    if (fstat(descriptor, &now) != 0 || !S_ISREG(now.st_mode) || now.st_size < 0 || nbytes == 0 ||
        offset > (size_t)now.st_size || nbytes > (size_t)now.st_size - offset) {
        return cowi_fail(err, COW_EINVAL, "cannot map %zu bytes from byte %zu: no file, or none so long", nbytes,
                         offset);
    }
    base = cowi_base_of_file(descriptor);
    mapped = base != NULL && cowi_window_on(base, offset, nbytes, out);
    if (mapped && kept != NULL) {
        base->kept = *kept;
    }
    if (base != NULL) {
        cowi_base_release(base);
    }
    return mapped ? COW_OK : cowi_fail(err, COW_ENOMEM, "cannot map %zu bytes of a file", nbytes);
}
