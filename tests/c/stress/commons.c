/* Arrays that all threads use at once, under the rule that users keep: at any time some write disjoint parts (and clone
 * or read their own), or some read and clone the whole, or one is alone. Who asks for what is being done joins; who asks
 * for something else waits. And the exchange: arrays that are handed over or cloned under a mutex. */
#include "stress.h"

typedef enum mode { PARTS, WHOLE, ALONE } mode;

struct common {
    pthread_mutex_t mutex;
    pthread_cond_t left;
    mode now;
    unsigned inside;
    cowi_atomic_uint pins; /* open mutable scopes: none is opened while somebody is alone */
    array a;               /* cookies[i] is written by thread i in PARTS, by whoever is ALONE */
};

static common commons[COMMONS];
static struct {
    pthread_mutex_t mutex;
    array a;
} exchanges[EXCHANGES];

static void enter(common *c, mode wanted)
{
    (void)pthread_mutex_lock(&c->mutex);
    while (c->inside > 0 && (c->now != wanted || wanted == ALONE)) {
        (void)pthread_cond_wait(&c->left, &c->mutex);
    }
    c->now = wanted;
    c->inside++;
    (void)pthread_mutex_unlock(&c->mutex);
}

static void leave(common *c)
{
    (void)pthread_mutex_lock(&c->mutex);
    c->inside--;
    (void)pthread_cond_broadcast(&c->left);
    (void)pthread_mutex_unlock(&c->mutex);
}

void commons_open(worker *w)
{
    for (unsigned i = 0; i < COMMONS; i++) {
        (void)pthread_mutex_init(&commons[i].mutex, NULL);
        (void)pthread_cond_init(&commons[i].left, NULL);
        cowi_init(&commons[i].pins, 0);
        commons[i].inside = 0;
        new_array(w, &commons[i].a, CELLS);
    }
    for (unsigned i = 0; i < EXCHANGES; i++) {
        (void)pthread_mutex_init(&exchanges[i].mutex, NULL);
        new_array(w, &exchanges[i].a, 1 + choose(w, CELLS));
    }
}

/* With no scope open any more, nothing keeps the last sharer from its bytes. */
static void drop_last(worker *w, array *a)
{
    MUST(w, cow_storage_pins(a->storage) == 0);
    if (cow_storage_shares(a->storage) == 1 && !cow_storage_is_foreign(a->storage)) {
        MUST(w, cow_storage_write_cost(a->storage) == 0);
    }
    drop_array(w, a);
}

void commons_close(worker *w)
{
    for (unsigned i = 0; i < COMMONS; i++) {
        drop_last(w, &commons[i].a);
        (void)pthread_cond_destroy(&commons[i].left);
        (void)pthread_mutex_destroy(&commons[i].mutex);
    }
    for (unsigned i = 0; i < EXCHANGES; i++) {
        drop_last(w, &exchanges[i].a);
        (void)pthread_mutex_destroy(&exchanges[i].mutex);
    }
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

static void must_hold_part(worker *w, const common *c, const void *data)
{
    must_hold(w, data, c->a.cell, w->me, w->me + 1, &c->a.cookies[w->me]);
}

static void write_part(worker *w, common *c, void *data)
{
    must_hold_part(w, c, data);
    c->a.cookies[w->me] = new_cookie(w);
    put_cookie(w, data, c->a.cell, w->me, c->a.cookies[w->me]);
}

static void write_common(worker *w, common *c)
{
    const unsigned flags = one_in(w, 4) ? COW_TRY : 0;
    pin *p = free_pin(w);
    cow_mutable_scope scope;
    w->action = "write a part of a common array";
    if (!went_well(w, cow_mutable_begin(c->a.storage, flags, &scope, NULL), flags)) {
        return;
    }
    write_part(w, c, scope.data);
    if (p != NULL && one_in(w, 3)) {
        (void)cowi_add_seq_cst(&c->pins, 1);
        p->scope = scope;
        p->of = NULL;
        p->shared = c;
    }
    else {
        cow_mutable_end(&scope);
    }
}

static void read_part(worker *w, const common *c)
{
    cow_const_scope scope;
    w->action = "read a part of a common array";
    if (went_well(w, cow_const_begin(c->a.storage, &scope, NULL), 0)) {
        /* Others write their parts meanwhile, so the Storage may leave these bytes; they stay as they are. */
        for (unsigned i = 0; i < 3; i++) {
            must_hold_part(w, c, scope.data);
            COWI_YIELD("test reads");
        }
        cow_const_end(&scope);
    }
}

void write_pinned_common(worker *w, pin *p)
{
    enter(p->shared, PARTS);
    MUST(w, p->scope.data == cow_storage_address(p->shared->a.storage));
    write_part(w, p->shared, p->scope.data);
    leave(p->shared);
}

void end_pinned_common(pin *p)
{
    common *c = p->shared;
    cow_mutable_end(&p->scope);
    (void)cowi_sub_seq_cst(&c->pins, 1); /* after: who sees 0 may free the Storage */
}

/* A private array of cells begin .. begin + cells - 1. */
static void clone_common(worker *w, common *c, array *to, unsigned begin, unsigned cells)
{
    const unsigned flags = one_in(w, 4) ? choose(w, 4) : 0;
    array made; /* not a copy of all of c->a: others write their cookies */
    w->action = "clone a common array";
    made.cell = c->a.cell;
    made.cells = cells;
    memcpy(made.cookies, c->a.cookies + begin, cells * sizeof *made.cookies);
    if (went_well(w, cow_lazy_clone(c->a.storage, begin * c->a.cell, nbytes_of(&made), flags, &made.storage, NULL),
                  flags)) {
        w->counts.clones++;
        drop_array(w, to);
        *to = made;
    }
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static void read_whole(worker *w, const common *c)
{
    cow_const_scope scope;
    w->action = "read a common array";
    if (went_well(w, cow_const_begin(c->a.storage, &scope, NULL), 0)) {
        must_hold(w, scope.data, c->a.cell, 0, CELLS, c->a.cookies);
        COWI_YIELD("test reads");
        must_hold(w, scope.data, c->a.cell, 0, CELLS, c->a.cookies);
        cow_const_end(&scope);
    }
}

/* ---- alone ------------------------------------------------------------------------------------------------------- */

static void overwrite_common(worker *w, common *c)
{
    cow_overwrite_scope scope;
    w->action = "overwrite a common array";
    if (!went_well(w, cow_overwrite_begin(c->a.storage, 0, &scope, NULL), 0)) {
        return;
    }
    must_hold(w, scope.old, c->a.cell, 0, CELLS, c->a.cookies);
    for (unsigned i = 0; i < CELLS; i++) {
        c->a.cookies[i] = new_cookie(w);
        put_cookie(w, scope.data, c->a.cell, i, c->a.cookies[i]);
    }
    w->counts.overwrites += scope.context != NULL;
    MUST(w, cow_overwrite_commit(&scope, NULL, NULL) == COW_OK);
}

static void replace_common(worker *w, common *c)
{
    w->action = "replace a common array";
    if (cowi_load_seq_cst(&c->pins) == 0) {
        drop_array(w, &c->a);
        new_array(w, &c->a, CELLS);
    }
}

void act_on_commons(worker *w)
{
    common *c = &commons[choose(w, COMMONS)];
    array *to = &w->arrays[choose(w, ARRAYS)];
    const unsigned what = choose(w, 16);
    w->action = "wait for a common array";
    enter(c, what < 10 ? PARTS : what < 15 ? WHOLE : ALONE);
    if (what < 5) {
        write_common(w, c);
    }
    else if (what < 8) {
        clone_common(w, c, to, w->me, 1);
    }
    else if (what < 10) {
        read_part(w, c);
    }
    else if (what < 13) {
        clone_common(w, c, to, 0, CELLS);
    }
    else if (what < 15) {
        read_whole(w, c);
    }
    else if (one_in(w, 2)) {
        overwrite_common(w, c);
    }
    else {
        replace_common(w, c);
    }
    leave(c);
}

/* ---- the exchange ------------------------------------------------------------------------------------------------ */

void act_on_exchange(worker *w)
{
    const unsigned which = choose(w, EXCHANGES);
    array *there = &exchanges[which].a;
    array *mine = &w->arrays[choose(w, ARRAYS)];
    array taken;
    w->action = "exchange";
    if (one_in(w, 2) && mine->storage != NULL && mine->cells > 0) {
        end_pins_of(w, mine);
        forget_readers(w, mine->storage);
        (void)pthread_mutex_lock(&exchanges[which].mutex);
        taken = *there;
        *there = *mine;
        (void)pthread_mutex_unlock(&exchanges[which].mutex);
        *mine = taken;
        return;
    }
    (void)pthread_mutex_lock(&exchanges[which].mutex);
    taken = *there;
    if (went_well(w, cow_lazy_clone(there->storage, 0, nbytes_of(there), 0, &taken.storage, NULL), 0)) {
        w->counts.clones++;
        (void)pthread_mutex_unlock(&exchanges[which].mutex);
        drop_array(w, mine);
        *mine = taken;
        return;
    }
    (void)pthread_mutex_unlock(&exchanges[which].mutex);
}
