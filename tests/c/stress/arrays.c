/* Private arrays: one thread at a time uses such a Storage, so what each call does to it is known exactly. */
#include <stdlib.h>

#include "stress.h"

/* ---- cookies ----------------------------------------------------------------------------------------------------- */

uint64_t new_cookie(worker *w)
{
    return ((uint64_t)w->me + 1) << 48 | (w->version++ & UINT64_C(0xFFFFFFFFFFFF));
}

void put_cookie(worker *w, void *data, size_t cell, unsigned index, uint64_t cookie)
{
    uint64_t *words = (uint64_t *)data + index * (cell / sizeof(uint64_t));
    for (size_t i = 0; i < cell / sizeof(uint64_t); i++) {
        words[i] = cookie;
    }
    w->counts.writes++;
}

void must_hold(worker *w, const void *data, size_t cell, unsigned begin, unsigned end, const uint64_t *cookies)
{
    const size_t each = cell / sizeof(uint64_t);
    const uint64_t *words = (const uint64_t *)data;
    for (unsigned index = begin; index < end; index++) {
        for (size_t i = index * each; i < (index + 1) * each; i++) {
            if (words[i] != cookies[index - begin]) {
                char text[120];
                (void)snprintf(text, sizeof text, "cell %u holds %llx instead of %llx", index,
                               (unsigned long long)words[i], (unsigned long long)cookies[index - begin]);
                found(w, text);
            }
        }
    }
    w->counts.reads++;
}

size_t nbytes_of(const array *a)
{
    return a->cell * a->cells;
}

/* ---- status ------------------------------------------------------------------------------------------------------ */

bool went_well(worker *w, cow_status status, unsigned flags)
{
    switch (status) {
    case COW_OK:
        return true;
    case COW_ENOMEM:
        MUST(w, w->counts.refused > 0);
        return false;
    case COW_EBUSY:
        MUST(w, (flags & COW_TRY) != 0);
        return false;
    case COW_ECOPY:
        MUST(w, (flags & COW_NO_COPY) != 0);
        return false;
    default:
        found(w, cow_status_text(status));
    }
}

static unsigned some_flags(worker *w)
{
    return one_in(w, 4) ? choose(w, 4) : 0; /* COW_TRY, COW_NO_COPY, both */
}

/* ---- birth and death --------------------------------------------------------------------------------------------- */

/* Foreign bytes: made here, and the same until they are given back. */
typedef struct foreign {
    size_t cell;
    unsigned cells;
    uint64_t cookies[CELLS];
    uint64_t data[];
} foreign;

static void give_back(void *data, void *context, size_t nbytes)
{
    worker *self = this_thread(); /* whoever is the last to use them */
    foreign *bytes = (foreign *)context;
    MUST(self, data == bytes->data && nbytes == bytes->cell * bytes->cells);
    must_hold(self, data, bytes->cell, 0, bytes->cells, bytes->cookies);
    memset(data, 0xEE, nbytes);
    free(bytes);
    self->counts.deleted++;
}

static bool adopt(worker *w, array *a)
{
    cow_dataptr ptr;
    foreign *bytes = (foreign *)malloc(sizeof *bytes + nbytes_of(a));
    MUST(w, bytes != NULL);
    bytes->cell = a->cell;
    bytes->cells = a->cells;
    for (unsigned i = 0; i < a->cells; i++) {
        bytes->cookies[i] = a->cookies[i] = new_cookie(w);
        put_cookie(w, bytes->data, a->cell, i, a->cookies[i]);
    }
    ptr.data = bytes->data;
    ptr.context = bytes;
    ptr.deleter = give_back;
    if (!went_well(w, cow_storage_adopt(w->allocator, ptr, nbytes_of(a), COW_FOREIGN, &a->storage, NULL), 0)) {
        free(bytes);
        return false;
    }
    w->counts.adopted++;
    return true;
}

void new_array(worker *w, array *a, unsigned cells)
{
    static const size_t sizes[] = {8, 8, 64, 64, 64, 1024, 8192};
    cow_mutable_scope scope;
    a->cells = cells;
    a->cell = one_in(w, 400) ? ((size_t)4 << 20) / CELLS : sizes[choose(w, sizeof sizes / sizeof *sizes)];
    a->storage = NULL;
    if (one_in(w, 8) && adopt(w, a)) {
        return;
    }
    blocks_refuse(0);
    MUST(w, cow_storage_new(w->allocator, nbytes_of(a), &a->storage, NULL) == COW_OK);
    MUST(w, cow_storage_is_sole(a->storage) && cow_storage_shares(a->storage) == 1);
    MUST(w, begin_write(w, a, COW_TRY | COW_NO_COPY, &scope));
    write_cells(w, a, scope.data, true);
    cow_mutable_end(&scope);
}

void drop_array(worker *w, array *a)
{
    end_pins_of(w, a);
    forget_readers(w, a->storage);
    cow_storage_free(a->storage);
    a->storage = NULL;
}

/* ---- writes ------------------------------------------------------------------------------------------------------ */

void write_cells(worker *w, array *a, void *data, bool all)
{
    const unsigned first = all ? 0 : choose(w, a->cells);
    const unsigned last = all ? a->cells : first + 1 + choose(w, a->cells - first);
    for (unsigned i = first; i < last; i++) {
        a->cookies[i] = new_cookie(w);
        put_cookie(w, data, a->cell, i, a->cookies[i]);
    }
    seen_by_readers(w, a, data);
}

bool begin_write(worker *w, array *a, unsigned flags, cow_mutable_scope *out)
{
    const bool sole = cow_storage_is_sole(a->storage) != 0;
    const void *before = cow_storage_address(a->storage);
    const uint64_t copies = w->counts.copies;
    const cow_status status = cow_mutable_begin(a->storage, flags, out, NULL);
    if (sole) {
        MUST(w, status == COW_OK && out->data == before && w->counts.copies == copies);
        return true;
    }
    if (!went_well(w, status, flags)) {
        MUST(w, w->counts.copies == copies && cow_storage_address(a->storage) == before);
        return false;
    }
    MUST(w, cow_storage_is_sole(a->storage) && cow_storage_pins(a->storage) > 0 && out->nbytes == nbytes_of(a));
    if (out->data == before) {
        MUST(w, w->counts.copies == copies);
        w->counts.steals++;
    }
    else {
        MUST(w, w->counts.copies == copies + 1 && (flags & COW_NO_COPY) == 0);
    }
    return true;
}

static void write_some(worker *w, array *a)
{
    cow_mutable_scope scope;
    w->action = "write";
    if (begin_write(w, a, some_flags(w), &scope)) {
        must_hold(w, scope.data, a->cell, 0, a->cells, a->cookies);
        write_cells(w, a, scope.data, false);
        cow_mutable_end(&scope);
    }
}

/* ---- clones and views -------------------------------------------------------------------------------------------- */

/* A new Storage over some cells of `from`, into the slot `to`. */
static void clone_some(worker *w, array *to, array *from)
{
    const unsigned quiet = one_in(w, 8) && pins_of(w, from) == 0 ? COW_QUIET : 0u;
    const unsigned flags = some_flags(w) | quiet;
    const unsigned begin = one_in(w, 2) ? 0 : choose(w, from->cells);
    const unsigned cells = one_in(w, 2) ? from->cells - begin : choose(w, from->cells - begin + 1);
    const uint64_t copies = w->counts.copies;
    const unsigned pins = pins_of(w, from);
    array made = *from;
    cow_status status;
    w->action = "clone";
    made.cells = cells;
    memcpy(made.cookies, from->cookies + begin, cells * sizeof *made.cookies);
    status = cow_lazy_clone(from->storage, begin * from->cell, nbytes_of(&made), flags, &made.storage, NULL);
    if (status != COW_ENOMEM) { /* what else can happen to a Storage of one's own is certain */
        const unsigned refusing = pins == 0 ? 0 : flags & (COW_TRY | COW_NO_COPY);
        MUST(w, status == (refusing & COW_TRY ? COW_EBUSY : refusing != 0 ? COW_ECOPY : COW_OK));
    }
    if (!went_well(w, status, flags)) {
        return;
    }
    MUST(w, w->counts.copies == copies + (pins == 0 ? 0 : 1) && cow_storage_nbytes(made.storage) == nbytes_of(&made));
    MUST(w, (cow_storage_shares(from->storage) > 1) == (pins == 0) && cow_storage_pins(made.storage) == 0);
    w->counts.clones += quiet == 0;
    drop_array(w, to);
    *to = made;
}

/* ---- overwrites -------------------------------------------------------------------------------------------------- */

static void clone_whole(worker *w, array *to, const array *from)
{
    array made = *from;
    MUST(w, cow_lazy_clone(from->storage, 0, nbytes_of(from), 0, &made.storage, NULL) == COW_OK);
    w->counts.clones++;
    drop_array(w, to);
    *to = made;
}

/* While the new values are computed, the array is cloned (which must see the old ones), or written to, or both. */
static void overwrite(worker *w, array *a, array *other)
{
    const bool sole = cow_storage_is_sole(a->storage) != 0;
    cow_overwrite_scope scope;
    cow_mutable_scope pinned;
    uint64_t cookies[CELLS];
    bool moved = false;
    const uint64_t copies = w->counts.copies;
    const unsigned flags = one_in(w, 4) ? COW_TRY : 0;
    w->action = "overwrite";
    if (!went_well(w, cow_overwrite_begin(a->storage, flags, &scope, NULL), flags)) {
        MUST(w, !sole);
        return;
    }
    must_hold(w, scope.old, a->cell, 0, a->cells, a->cookies);
    if (scope.context == NULL) { /* in place */
        MUST(w, scope.data == scope.old && cow_storage_pins(a->storage) > 0);
        w->counts.steals += !sole && w->counts.copies == copies;
        write_cells(w, a, scope.data, true);
        if (one_in(w, 2)) {
            cow_overwrite_abort(&scope);
        }
        else {
            MUST(w, cow_overwrite_commit(&scope, NULL, NULL) == COW_OK);
        }
        return;
    }
    MUST(w, scope.data != scope.old && !sole);
    blocks_refuse(0);
    switch (choose(w, 4)) {
    case 0:
        clone_whole(w, other, a);
        break;
    case 1: /* the scope holds a share, so this copies */
        MUST(w, begin_write(w, a, 0, &pinned) && pinned.data != scope.old);
        write_cells(w, a, pinned.data, false);
        cow_mutable_end(&pinned);
        moved = true;
        if (one_in(w, 2)) {
            clone_whole(w, other, a);
        }
        break;
    default:
        break;
    }
    for (unsigned i = 0; i < a->cells; i++) {
        cookies[i] = new_cookie(w);
        put_cookie(w, scope.data, a->cell, i, cookies[i]);
    }
    if (one_in(w, 4)) {
        cow_overwrite_abort(&scope);
        return;
    }
    if (moved) {
        MUST(w, cow_overwrite_commit(&scope, NULL, NULL) == COW_EMOVED);
        cow_overwrite_abort(&scope);
        return;
    }
    MUST(w, cow_overwrite_commit(&scope, &pinned, NULL) == COW_OK && pinned.data == scope.data);
    w->counts.overwrites++;
    memcpy(a->cookies, cookies, a->cells * sizeof *cookies);
    write_cells(w, a, pinned.data, false);
    cow_mutable_end(&pinned);
}

/* ---- questions ----------------------------------------------------------------------------------------------------- */

static void ask(worker *w, array *a)
{
    const size_t nbytes = nbytes_of(a);
    const size_t cost = cow_storage_write_cost(a->storage);
    w->action = "questions";
    MUST(w, cow_storage_nbytes(a->storage) == nbytes && cow_storage_allocated(a->storage) >= nbytes);
    MUST(w, cow_storage_shares(a->storage) > 0 && cow_storage_pins(a->storage) == pins_of(w, a));
    MUST(w, cost == 0 || cost == nbytes);
    MUST(w, !cow_storage_is_sole(a->storage) || (cost == 0 && cow_storage_shares(a->storage) == 1));
}

void act_on_arrays(worker *w)
{
    array *a = &w->arrays[choose(w, ARRAYS)];
    array *b = &w->arrays[choose(w, ARRAYS)];
    if (a->storage == NULL || a->cells == 0 || one_in(w, 16)) {
        w->action = "make";
        drop_array(w, a);
        new_array(w, a, 1 + choose(w, CELLS));
        return;
    }
    switch (choose(w, 8)) {
    case 0:
    case 1:
    case 2:
        write_some(w, a);
        break;
    case 3:
    case 4:
        if (b != a) {
            clone_some(w, b, a);
        }
        break;
    case 5:
        if (b != a && pins_of(w, a) == 0) {
            overwrite(w, a, b);
        }
        break;
    case 6:
        w->action = "drop";
        drop_array(w, a);
        break;
    default:
        ask(w, a);
        break;
    }
}
