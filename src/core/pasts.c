/* Pasts of windows: the values of sharers that nobody read when a writer took their window over. Before the writer
 * changes a page, it is put aside, so a past costs the pages changed since, and not a window.
 *
 * A line is a window and its pasts, the newest first. A page of a past is the one that it put aside, or else that of
 * the next newer past that put it aside, or else the window's. So only the newest puts aside pages about to change.
 * Reading a past recalls it: it gets its own window. The newest takes the older ones along; any other leaves its pages
 * to the next older one. A window that ends goes to its newest past, after that has put its pages back.
 *
 * The line's lock, held only in the fork gate, guards all of it; hence one file. See *pasts* in protocol.md. */
#include "pasts.h"

#include <string.h>

#include "aside.h"
#include "boxes.h"
#include "mode.h"
#include "policy.h"

/* A window with fewer private pages is cheap to copy. */
#define LEAST 32

typedef struct past {
    struct cowi_line *line;  /* a reference */
    struct cowi_line *spare; /* until it begins */
    const cow_past_host *host;
    void *context;              /* lives while the past is listed; NULL: gone, but others need the pages */
    struct past *newer, *older; /* while it is listed */
    bool listed;
    size_t own; /* until it begins: about how many pages a window for it would copy */
    cowi_aside aside;
} past;

typedef struct cowi_line {
    pthread_mutex_t lock;
    cowi_atomic_size references; /* of windows and pasts */
    const cow_past_host *host;
    cowi_window *window; /* NULL: it has ended */
    cow_dataptr bytes;   /* of the window */
    size_t own;          /* about how many pages a window for a past would copy */
    past *newest, *oldest;
} cowi_line;

/* The numbers that writers are told, all different. */
static cowi_atomic_u64 numbers;

/* ---- life -------------------------------------------------------------------------------------------------------- */

static cowi_line *line_new(const cow_past_host *host)
{
    cowi_line *made = (cowi_line *)calloc(1, sizeof *made);
    if (made != NULL && pthread_mutex_init(&made->lock, NULL) != 0) {
        free(made);
        made = NULL;
    }
    if (made != NULL) {
        cowi_init(&made->references, 1);
        made->host = host;
    }
    return made;
}

static void line_release(cowi_line *line)
{
    if (line != NULL && cowi_sub_acq_rel(&line->references, 1) == 1) {
        (void)pthread_mutex_destroy(&line->lock);
        free(line);
    }
}

static void drop(void *self)
{
    past *of = (past *)self;
    if (of != NULL) {
        cowi_aside_free(&of->aside);
        line_release(of->line);
        line_release(of->spare);
        free(of);
    }
}

/* ---- the list: with the line's lock -------------------------------------------------------------------------------- */

static void watch(cowi_line *line)
{
    if (line->window != NULL) {
        const uint64_t number = line->newest == NULL ? 0 : cowi_add_relaxed(&numbers, 1) + 1;
        cowi_store_relaxed(&line->window->watched, number);
    }
}

static void unlist(past *of)
{
    cowi_line *line = of->line;
    if (of->newer != NULL) {
        of->newer->older = of->older;
    }
    else {
        line->newest = of->older;
    }
    if (of->older != NULL) {
        of->older->newer = of->newer;
    }
    else {
        line->oldest = of->newer;
    }
    of->listed = false;
    of->newer = of->older = NULL;
}

/* Drops the oldest pasts whose contexts are gone: nobody needs their pages. */
static void drop_last(cowi_line *line)
{
    while (line->oldest != NULL && line->oldest->context == NULL) {
        past *last = line->oldest;
        unlist(last);
        drop(last); /* never the line's last reference: the caller has one */
    }
}

/* Leaves a past's pages to the next older one, whose own take precedence. False: memory has run out. */
static bool leave_pages(past *of)
{
    if (of->older != NULL && !cowi_aside_leave(&of->aside, &of->older->aside)) {
        return false;
    }
    cowi_aside_free(&of->aside);
    return true;
}

static void forget(void *self)
{
    past *of = (past *)self;
    cowi_line *line = of->line;
    const cow_past_host *host = of->host;
    bool gone = false;
    host->enter();
    (void)pthread_mutex_lock(&line->lock);
    if (of->listed) {
        gone = leave_pages(of);
        of->context = NULL;
        if (gone) {
            unlist(of);
        }
        drop_last(line);
        if (line->newest == NULL) {
            watch(line);
        }
    }
    (void)pthread_mutex_unlock(&line->lock);
    host->leave();
    if (gone) {
        drop(of);
    }
}

static size_t nbytes_aside(void *self)
{
    past *of = (past *)self;
    size_t count;
    (void)pthread_mutex_lock(&of->line->lock);
    count = of->aside.count;
    (void)pthread_mutex_unlock(&of->line->lock);
    return count * COWI_PAGE;
}

/* ---- a writer takes over --------------------------------------------------------------------------------------------- */

/* About how many pages a window for another sharer would copy. 0: another thread has the window's lock. */
static size_t own_about(const cowi_window *of, const cow_dataptr *bytes)
{
    pthread_mutex_t *lock = cowi_window_lock(bytes); /* a sharer may be in the middle of a commit */
    size_t own = of->at_first + cowi_load_relaxed(&of->counted);
    if (pthread_mutex_trylock(lock) != 0) {
        return 0;
    }
    for (size_t i = 0; i < of->count; i++) {
        own += of->regions[i].base == NULL ? COWI_REGION_PAGES : 0;
    }
    (void)pthread_mutex_unlock(lock);
    return own;
}

static bool is_off(cow_family *family)
{
    return cowi_pages_are_off() && !cowi_family_pages_always(family);
}

static void *prepare(const cow_dataptr *bytes, size_t nbytes, const cow_box *box, void *context,
                     const cow_past_host *host)
{
    const cowi_window *of = (const cowi_window *)bytes->context;
    const size_t own = own_about(of, bytes);
    past *made;
    if (is_off(of->family) || of->ground != NULL || of->nbytes != nbytes || own < LEAST || !cowi_tells_pages(box) ||
        cowi_pages_touched(box, nbytes) > own || !cowi_family_takes_over(of->family)) {
        return NULL;
    }
    made = (past *)calloc(1, sizeof *made);
    if (made != NULL) {
        made->aside.place = of->place;
        made->context = context;
        made->host = host;
        made->own = own;
        made->spare = line_new(host);
        if (made->spare == NULL) {
            free(made);
            made = NULL;
        }
    }
    return made;
}

/* Locks the window's line, or the spare one if it has none: its pasts may have moved to another window. */
static cowi_line *line_of(cowi_window *of, past *first, const cow_dataptr *bytes)
{
    cowi_line *line = of->line;
    if (line != NULL) {
        (void)pthread_mutex_lock(&line->lock);
        if (line->window == of) {
            return line;
        }
        (void)pthread_mutex_unlock(&line->lock);
        line_release(line);
    }
    line = of->line = first->spare;
    first->spare = NULL;
    (void)pthread_mutex_lock(&line->lock);
    line->window = of;
    line->bytes = *bytes;
    return line;
}

static void begin(void *self, const cow_dataptr *bytes)
{
    past *of = (past *)self;
    cowi_window *window = (cowi_window *)bytes->context;
    cowi_line *line = line_of(window, of, bytes);
    cowi_window_begin(window);
    cowi_family_took_over(window->family);
    line->own = of->own;
    (void)cowi_add_relaxed(&line->references, 1);
    of->line = line;
    of->older = line->newest;
    if (of->older != NULL) {
        of->older->newer = of;
    }
    else {
        line->oldest = of;
    }
    of->listed = true;
    line->newest = of;
    watch(line);
    (void)pthread_mutex_unlock(&line->lock);
    line_release(of->spare);
    of->spare = NULL;
}

static uint64_t watched(const cow_dataptr *bytes)
{
    return cowi_load_relaxed(&((const cowi_window *)bytes->context)->watched);
}

/* ---- recalls: with the line's lock ----------------------------------------------------------------------------------- */

/* The pages that this past and newer ones have put aside. NULL: memory has run out. */
static uint64_t *all_aside(const past *of)
{
    uint64_t *bits = (uint64_t *)calloc(of->line->window->count * COWI_REGION_WORDS, sizeof *bits);
    for (const past *each = of; bits != NULL && each != NULL; each = each->newer) {
        cowi_aside_mark(&each->aside, bits);
    }
    return bits;
}

/* Makes a window like the line's, with the pages that were put aside. False: unavailable. */
static bool window_of_past(const past *of, const uint64_t *bits, cow_dataptr *out)
{
    static const ptrdiff_t none[] = {0, 1};
    static const cow_box nothing = {0, 1, 1, none, SIZE_MAX};
    const cowi_window *window = of->line->window;
    cow_sharing sharing;
    memset(&sharing, 0, sizeof sharing);
    sharing.source = of->line->bytes;
    sharing.allocated = sharing.nbytes = window->nbytes;
    sharing.box = &nothing;
    sharing.family = window->family;
    if (!cowi_share_past(window->place, &sharing, bits)) {
        return false;
    }
    for (const past *each = of->line->newest; each != NULL; each = each == of ? NULL : each->older) {
        cowi_aside_put_back(&each->aside, (cowi_window *)sharing.made.context);
    }
    cowi_count(COWI_COPIES, 1);
    cowi_count(COWI_BYTES_COPIED, sharing.copied);
    *out = sharing.made;
    return true;
}

/* How many bytes of a page, counted from the first region, lie in the window: at `at` there, from `from` in the
 * page. */
static size_t part_of_page(const cowi_window *of, size_t page, size_t *at, size_t *from)
{
    const size_t start = page * COWI_PAGE, end = start + COWI_PAGE, stop = of->lead + of->nbytes;
    const size_t first = start > of->lead ? start : of->lead;
    if (end <= of->lead || start >= stop) {
        return 0;
    }
    *at = first - of->lead;
    *from = first - start;
    return (end < stop ? end : stop) - first;
}

/* Uses plain memory, if the system grants no window. */
static bool plain_of_past(const past *of, const uint64_t *bits, cow_dataptr *out)
{
    const cowi_window *window = of->line->window;
    const char *source = (const char *)of->line->bytes.data;
    size_t at = 0, from = 0;
    if (!of->aside.place->has_bytes || !of->host->new_block(of->context, window->nbytes, out)) {
        return false;
    }
    for (size_t page = 0; page < window->count * COWI_REGION_PAGES; page++) {
        const size_t nbytes = part_of_page(window, page, &at, &from);
        if (nbytes > 0 && (bits[page / 64] >> page % 64 & 1) == 0) {
            memcpy((char *)out->data + at, source + at, nbytes);
        }
    }
    for (const past *each = of->line->newest; each != NULL; each = each == of ? NULL : each->older) {
        for (size_t i = 0; i < each->aside.room; i++) {
            const cowi_put_aside *entry = &each->aside.entries[i];
            const size_t nbytes = entry->was == NULL ? 0 : part_of_page(window, entry->page, &at, &from);
            if (nbytes > 0) {
                memcpy((char *)out->data + at, (const char *)entry->was + from, nbytes);
            }
        }
    }
    cowi_family_spend(window->family, window->nbytes);
    cowi_count(COWI_COPIES, 1);
    cowi_count(COWI_BYTES_COPIED, window->nbytes);
    return true;
}

/* Moves the older pasts along with the newest, to its new window. */
static void move_line(past *newest, cowi_window *to, const cow_dataptr *bytes)
{
    cowi_line *line = newest->line;
    cowi_store_relaxed(&line->window->watched, 0);
    cowi_aside_free(&newest->aside);
    unlist(newest);
    (void)cowi_add_relaxed(&line->references, 1);
    to->line = line;
    line->window = to;
    line->bytes = *bytes;
    watch(line);
}

static cow_status recall_locked(past *of, cow_error *err)
{
    const bool newest = of->newer == NULL;
    const size_t nbytes = of->line->window->nbytes;
    uint64_t *bits = all_aside(of);
    cow_dataptr made = {NULL, NULL, NULL};
    bool paged = false, good = false;
    if (bits != NULL) {
        paged = window_of_past(of, bits, &made);
        good = paged || plain_of_past(of, bits, &made);
    }
    free(bits);
    if (good && !(newest && paged)) {
        good = leave_pages(of);
    }
    if (!good) {
        if (made.data != NULL) {
            made.deleter(made.data, made.context, nbytes);
        }
        return cowi_fail(err, COW_ENOMEM, "cannot allocate %zu bytes for a copy that was not read before", nbytes);
    }
    cowi_family_recalled(of->line->window->family);
    if (newest && paged) {
        move_line(of, (cowi_window *)made.context, &made);
    }
    else {
        unlist(of);
        drop_last(of->line);
        if (of->line->newest == NULL) {
            watch(of->line);
        }
    }
    of->host->fill(of->context, made);
    return COW_OK;
}

static cow_status recall(void *self, cow_error *err)
{
    past *of = (past *)self;
    cow_status status = COW_OK;
    (void)pthread_mutex_lock(&of->line->lock);
    if (of->listed) {
        status = recall_locked(of, err);
    }
    (void)pthread_mutex_unlock(&of->line->lock);
    return status;
}

/* ---- before a write ---------------------------------------------------------------------------------------------------- */

/* Recalls all pasts, because all of the window may change. */
static cow_status recall_all(cowi_line *line, const cowi_window *of, cow_error *err)
{
    cow_status status = COW_OK;
    while (status == COW_OK && line->window == of && line->newest != NULL) {
        past *newest = line->newest;
        if (newest->context != NULL) {
            status = recall_locked(newest, err);
        }
        else if (leave_pages(newest)) {
            unlist(newest);
            drop(newest);
        }
        else {
            status = cowi_fail(err, COW_ENOMEM, "cannot allocate a list of pages");
        }
    }
    if (status == COW_OK && line->window == of) {
        watch(line);
    }
    return status;
}

/* Unmarks the pages that are already put aside, and counts the others. */
static size_t count_missing(const past *of, uint64_t *bits, size_t words)
{
    size_t missing = 0;
    cowi_aside_unmark(&of->aside, bits);
    for (size_t word = 0; word < words; word++) {
        missing += (size_t)__builtin_popcountll(bits[word]);
    }
    return missing;
}

static cow_status put_marked(past *of, const cowi_window *window, const uint64_t *bits, size_t missing, cow_error *err)
{
    bool good = cowi_aside_reserve(&of->aside, missing);
    for (size_t word = 0; good && word < window->count * COWI_REGION_WORDS; word++) {
        for (uint64_t left = bits[word]; good && left != 0; left &= left - 1) {
            good = cowi_aside_put(&of->aside, window, word * 64 + (size_t)__builtin_ctzll(left));
        }
    }
    cowi_family_spend(window->family, missing * COWI_PAGE);
    cowi_count(COWI_BYTES_COPIED, missing * COWI_PAGE);
    return good ? COW_OK : cowi_fail(err, COW_ENOMEM, "cannot allocate %zu pages for copies that others have", missing);
}

static cow_status aside_locked(cowi_line *line, cowi_window *of, const cow_box *box, unsigned flags, uint64_t *told,
                               cow_error *err)
{
    const size_t words = of->count * COWI_REGION_WORDS;
    uint64_t *bits = (uint64_t *)calloc(words, sizeof *bits);
    cow_status status;
    size_t missing = SIZE_MAX;
    if (bits == NULL) {
        return cowi_fail(err, COW_ENOMEM, "cannot allocate a list of pages");
    }
    if (cowi_mark_pages(box, of->lead, of->count, bits)) {
        missing = count_missing(line->newest, bits, words);
    }
    if (missing <= line->own) {
        status = put_marked(line->newest, of, bits, missing, err);
        *told = cowi_load_relaxed(&of->watched);
    }
    else if (flags & COW_NO_COPY) {
        status = cowi_fail(err, COW_ECOPY, "a write would copy pages for those who share them");
    }
    else if (flags & COW_TRY) {
        status = cowi_fail(err, COW_EBUSY, "copies of all pages are to be made first");
    }
    else {
        status = recall_all(line, of, err);
    }
    free(bits);
    return status;
}

static cow_status set_aside(const cow_dataptr *bytes, const cow_box *box, unsigned flags, uint64_t *told,
                            cow_error *err)
{
    cowi_window *of = (cowi_window *)bytes->context;
    cowi_line *line = of->line;
    cow_status status = COW_OK;
    if (line == NULL) {
        return COW_OK;
    }
    if ((flags & COW_TRY) == 0) {
        (void)pthread_mutex_lock(&line->lock);
    }
    else if (pthread_mutex_trylock(&line->lock) != 0) {
        return cowi_fail(err, COW_EBUSY, "another thread reads a copy");
    }
    if (line->window == of && line->newest != NULL) {
        status = aside_locked(line, of, box, flags, told, err);
    }
    (void)pthread_mutex_unlock(&line->lock);
    return status;
}

/* ---- the end of a window ------------------------------------------------------------------------------------------------- */

/* With the lock: the newest past that still has a context, after it and newer ones have put their pages back. NULL:
 * none. */
static past *heir_of(cowi_line *line)
{
    past *newest = line->newest;
    while (newest != NULL) {
        cowi_aside_put_back(&newest->aside, line->window);
        unlist(newest);
        cowi_aside_free(&newest->aside);
        if (newest->context != NULL) {
            break;
        }
        drop(newest); /* never the line's last reference: the window has one */
        newest = line->newest;
    }
    return newest;
}

bool cowi_pasts_inherit(cowi_window *of)
{
    cowi_line *line = of->line;
    const cow_past_host *host = line->host;
    past *heir = NULL;
    host->enter();
    (void)pthread_mutex_lock(&line->lock);
    if (line->window == of) {
        heir = heir_of(line);
        if (heir != NULL) {
            of->gave_up = false; /* its writer did, not the heir */
            cowi_window_rest(of);
            drop_last(line);
            watch(line);
            heir->host->fill(heir->context, line->bytes);
        }
        else {
            line->window = NULL;
        }
    }
    (void)pthread_mutex_unlock(&line->lock); /* from here on the line is the heir's, if any */
    host->leave();
    if (heir == NULL) {
        of->line = NULL;
        line_release(line);
    }
    return heir != NULL;
}

const cow_pasts cowi_window_pasts = {prepare, begin, drop, watched, set_aside, recall, forget, nbytes_aside};
