/* Scopes that stay open while other things happen: readers, which must go on showing what they showed, and pins, through
 * which a thread writes whenever it likes. */
#include "stress.h"

/* ---- readers ----------------------------------------------------------------------------------------------------- */

reader *free_reader(worker *w)
{
    for (unsigned i = 0; i < READERS; i++) {
        if (w->readers[i].shown.storage == NULL) {
            return &w->readers[i];
        }
    }
    return NULL;
}

static void look(worker *w, const reader *r)
{
    if (r->promised) {
        must_hold(w, r->scope.data, r->shown.cell, 0, r->shown.cells, r->shown.cookies);
    }
}

static void open_reader(worker *w, reader *r, const array *a)
{
    w->action = "open a const scope";
    if (went_well(w, cow_const_begin(a->storage, &r->scope, NULL), 0)) {
        MUST(w, r->scope.nbytes == nbytes_of(a) && r->scope.data == cow_storage_address(a->storage));
        r->shown = *a;
        r->promised = true;
        look(w, r);
    }
}

static void end_reader(worker *w, reader *r)
{
    w->action = "end a const scope";
    look(w, r);
    cow_const_end(&r->scope);
    r->shown.storage = NULL;
}

/* A Storage that writes while others share its bytes leaves them, and leaves its readers behind there: their addresses
 * differ from now on. Only a write in place is theirs to see. */
void seen_by_readers(worker *w, const array *a, const void *data)
{
    for (unsigned i = 0; i < READERS; i++) {
        reader *r = &w->readers[i];
        if (r->shown.storage == a->storage && r->scope.data == data) {
            memcpy(r->shown.cookies, a->cookies, sizeof a->cookies);
        }
    }
}

void forget_readers(worker *w, const cow_storage *storage)
{
    for (unsigned i = 0; i < READERS; i++) {
        if (storage != NULL && w->readers[i].shown.storage == storage) {
            w->readers[i].promised = false;
        }
    }
}

/* ---- pins -------------------------------------------------------------------------------------------------------- */

pin *free_pin(worker *w)
{
    for (unsigned i = 0; i < PINS; i++) {
        if (w->pins[i].scope.storage == NULL) {
            return &w->pins[i];
        }
    }
    return NULL;
}

unsigned pins_of(const worker *w, const array *a)
{
    unsigned count = 0;
    for (unsigned i = 0; i < PINS; i++) {
        count += w->pins[i].scope.storage != NULL && w->pins[i].of == a;
    }
    return count;
}

static void write_pinned(worker *w, pin *p)
{
    w->action = "write through a pin";
    if (p->shared != NULL) {
        write_pinned_common(w, p);
        return;
    }
    MUST(w, p->scope.data == cow_storage_address(p->of->storage));
    must_hold(w, p->scope.data, p->of->cell, 0, p->of->cells, p->of->cookies);
    write_cells(w, p->of, p->scope.data, false);
}

static void end_pin(pin *p)
{
    if (p->shared != NULL) {
        end_pinned_common(p);
    }
    else {
        cow_mutable_end(&p->scope);
    }
    p->scope.storage = NULL;
}

void end_pins_of(worker *w, const array *a)
{
    for (unsigned i = 0; i < PINS; i++) {
        if (w->pins[i].scope.storage != NULL && w->pins[i].of == a) {
            end_pin(&w->pins[i]);
        }
    }
}

/* ---- at random --------------------------------------------------------------------------------------------------- */

void act_on_held(worker *w)
{
    array *a = &w->arrays[choose(w, ARRAYS)];
    reader *r = &w->readers[choose(w, READERS)];
    pin *p = &w->pins[choose(w, PINS)];
    const bool there = a->storage != NULL && a->cells > 0;
    if (one_in(w, 2)) {
        if (r->shown.storage == NULL && there) {
            open_reader(w, r, a);
        }
        else if (r->shown.storage != NULL && one_in(w, 3)) {
            end_reader(w, r);
        }
        else if (r->shown.storage != NULL) {
            w->action = "look through a const scope";
            look(w, r);
        }
    }
    else if (p->scope.storage == NULL && there) {
        w->action = "pin";
        if (begin_write(w, a, 0, &p->scope)) {
            p->of = a;
            p->shared = NULL;
        }
        else {
            p->scope.storage = NULL;
        }
    }
    else if (p->scope.storage != NULL && one_in(w, 3)) {
        w->action = "unpin";
        end_pin(p);
    }
    else if (p->scope.storage != NULL) {
        write_pinned(w, p);
    }
}

void end_all_held(worker *w)
{
    for (unsigned i = 0; i < READERS; i++) {
        if (w->readers[i].shown.storage != NULL) {
            end_reader(w, &w->readers[i]);
        }
    }
    for (unsigned i = 0; i < PINS; i++) {
        if (w->pins[i].scope.storage != NULL) {
            end_pin(&w->pins[i]);
        }
    }
}
