/* The core's own sources, compiled against relacy, with an allocator whose bytes are relacy variables: every copy and
 * every write of array bytes is checked for a race, every block for use after free and for a leak.
 *
 * The include path decides which sources: src/core, or the copies that run.py has put one fault into. */
#ifndef COWARRAY_MODEL_CORE_HPP
#define COWARRAY_MODEL_CORE_HPP

#include "atomics.hpp"
#include "cowarray/core.h"

#include <iostream>
#include <streambuf>

/* relacy's variables are numbers: one beside the handle stands for it. */
template <> struct checked<cow_dataptr> {
    checked<int> touched;
    cow_dataptr value;

    operator cow_dataptr()
    {
        (void)static_cast<int>(touched);
        return value;
    }
    checked &operator=(const cow_dataptr &handle)
    {
        touched = 1;
        value = handle;
        return *this;
    }
};

/* The allocator sets a shadow through a pointer, and says so to relacy (paging_share). */
struct checked_shadow {
    void *value;
    checked<int> touched;

    operator void *()
    {
        (void)static_cast<int>(touched);
        return value;
    }
    checked_shadow &operator=(void *shadow)
    {
        touched = 1;
        value = shadow;
        return *this;
    }
    void **operator&()
    {
        return &value;
    }
};

#include "absence.c"
#include "clone.c"
#include "context.c"
#include "gate.c"
#include "materialize.c"
#include "memory.c"
#include "recall.c"
#include "rest.c"
#include "scope.c"
#include "status.c"
#include "storage.c"

/* A random search seldom leaves one thread alone for as long as another needs to do much; this does. */
static void dawdle()
{
    for (unsigned steps = rl::rand(100); steps > 0; steps--) {
        rl::ctx().sched();
    }
}

void cowi_yield(const char *)
{
    rl::ctx().sched();
    if (rl::rand(8) == 0) {
        dawdle();
    }
}

/* ---- figures: plain, since relacy runs one thread at a time ------------------------------------------------------- */

static uint64_t model_counters[COWI_COUNTERS];

void cowi_count(cowi_counter counter, uint64_t amount)
{
    model_counters[counter] += amount;
}

extern "C" void cow_stats_count_eager(size_t nbytes)
{
    cowi_count(COWI_EAGER_COPIES, 1);
    cowi_count(COWI_BYTES_COPIED, nbytes);
}

/* The heap is compiled, since the handles on blocks are in its file, and never called. */
void *cowi_large_alloc(size_t)
{
    return NULL;
}

void cowi_large_free(void *, size_t)
{
}

const cow_paging cowi_pages = {};

cow_family *cowi_family_retain(cow_family *of)
{
    return of;
}

void cowi_family_let_go(cow_family *)
{
}

void cowi_family_earn(cow_family *, size_t)
{
}

void cowi_family_spend(cow_family *, size_t)
{
}

void cowi_family_wrote(cow_family *)
{
}

/* No client takes memory that is only counted. */
const cow_allocator *cow_nowhere()
{
    return NULL;
}

cow_status cowi_fail_block(cow_error *err, const cow_allocator *, size_t nbytes, const char *purpose)
{
    return cowi_fail(err, COW_ENOMEM, "cannot allocate %zu bytes%s", nbytes, purpose);
}

void cowi_large_give_back()
{
}

void cowi_large_hold()
{
}

void cowi_large_let_go()
{
}

void cowi_lists_hold()
{
}

void cowi_lists_let_go()
{
}

void cowi_bases_hold()
{
}

void cowi_bases_let_go()
{
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* An array is two cells. Its size must differ from that of the core's structs: the size tells what a block is. */
struct cells {
    rl::var<int> at[2];
    unsigned number; /* no two blocks of a run have one, wherever they lie */
    char spare[40];
};
static_assert(sizeof(cells) != sizeof(cowi_context) && sizeof(cells) != sizeof(cow_storage), "sizes tell blocks apart");

static int model_refuse; /* refuse this many blocks of array bytes from now on */
static unsigned model_blocks;

static_assert(sizeof(cowi_context) != sizeof(cow_storage), "model_free tells them apart by their sizes");

static void *model_alloc(void *, size_t nbytes, size_t)
{
    void *data;
    if (nbytes == sizeof(cells) && model_refuse > 0) {
        model_refuse--;
        return NULL;
    }
    data = rl::rl_malloc(nbytes, $);
    memset(data, 0, nbytes);
    if (nbytes == sizeof(cells)) {
        (::new (data) cells())->number = ++model_blocks;
    }
    return data;
}

static void model_free(void *, void *data, size_t nbytes, size_t)
{
    if (nbytes == sizeof(cells)) {
        cells *block = static_cast<cells *>(data);
        for (int i = 0; i < 2; i++) {
            block->at[i]($).store(-1); /* freeing is a write: who read must have been ordered before */
        }
        block->~cells();
    }
    else if (nbytes == sizeof(cowi_context)) {
        cowi_context *context = static_cast<cowi_context *>(data);
        context->counts.unmake();
        context->left.unmake();
        context->owed.unmake();
        context->family.unmake();
        context->past.unmake();
        context->original.touched.var.unmake();
        context->shadow.touched.var.unmake();
    }
    else {
        cow_storage *storage = static_cast<cow_storage *>(data);
        storage->scopes = 0; /* and so it is here */
        storage->lock.unmake();
        storage->busy.unmake();
        storage->pins.unmake();
        storage->uses.unmake();
        storage->allocated.unmake();
        storage->address.unmake();
        storage->context.var.unmake();
        storage->scopes.var.unmake();
        storage->sole.var.unmake();
    }
    rl::rl_free(data, $);
}

static void copy_cells(rl::var<int> *to, rl::var<int> *from)
{
    for (int i = 0; i < 2; i++) {
        const int value = from[i]($).load();
        rl::ctx().sched(); /* a copy is not one step */
        to[i]($).store(value);
    }
}

static void model_clone(void *, void *data, const void *source, size_t)
{
    copy_cells(static_cast<cells *>(data)->at, static_cast<cells *>(const_cast<void *>(source))->at);
}

static const cow_allocator plain_allocator = {"plain", NULL, model_alloc, model_free, model_clone, NULL};

/* ---- paging, as pages.c and windows.c do it: a shadow keeps the values that the source had when it was made -------------------- */

struct shadow {
    rl::var<int> at[2];
    unsigned of; /* the number of the block */
};

static bool paging_always;      /* nothing is refused, and no window is looked at */
static unsigned paging_sharing; /* threads that are inside */
static unsigned paging_settling;
static model_mutex paging_lock;

static void delete_window(void *data, void *, size_t nbytes)
{
    model_free(NULL, data, nbytes, COW_ALIGNMENT);
}

static int paging_is_paged(const cow_dataptr *own)
{
    return own->deleter == delete_window;
}

static void make_shadow(checked_shadow *place, cells *source)
{
    if (static_cast<void *>(*place) == NULL) {
        shadow *made = ::new (rl::rl_malloc(sizeof(shadow), $)) shadow();
        copy_cells(made->at, source->at);
        made->of = source->number;
        *place = made;
    }
}

/* A window of its own pages, with the values of a shadow. Of a window that is paged already the pages themselves are read. */
static cells *make_window(cow_sharing *sharing, cells *window)
{
    cells *source = static_cast<cells *>(sharing->source.data);
    checked_shadow *place = reinterpret_cast<checked_shadow *>(sharing->shadow); /* its first member */
    if (paging_is_paged(&sharing->source)) {
        copy_cells(window->at, source->at);
        return window;
    }
    make_shadow(place, source);
    shadow *kept = static_cast<shadow *>(static_cast<void *>(*place));
    RL_ASSERT(kept->of == source->number);
    if (!paging_always && rl::rand(4) == 0) { /* what fails afterwards leaves the shadow where it is */
        model_free(NULL, window, sizeof(cells), COW_ALIGNMENT);
        return NULL;
    }
    copy_cells(window->at, kept->at);
    return window;
}

static int paging_share(void *, cow_sharing *sharing)
{
    cells *window = NULL;
    if (!sharing->may_wait || (!paging_always && rl::rand(4) == 0)) {
        return 0;
    }
    paging_sharing++;
    pthread_mutex_lock(&paging_lock);
    window = static_cast<cells *>(model_alloc(NULL, sizeof(cells), COW_ALIGNMENT));
    window = window == NULL ? NULL : make_window(sharing, window);
    pthread_mutex_unlock(&paging_lock);
    paging_sharing--;
    sharing->made.data = window;
    sharing->made.context = NULL;
    sharing->made.deleter = delete_window;
    sharing->copied = 0;
    return window != NULL;
}

static void paging_unshadow(void *, void *kept)
{
    shadow *gone = static_cast<shadow *>(kept);
    for (int i = 0; i < 2; i++) {
        gone->at[i]($).store(-1);
    }
    gone->~shadow();
    rl::rl_free(gone, $);
}

static int paging_touch(void *, const cow_dataptr *, size_t, const cow_box *)
{
    return !paging_always && rl::rand(2) == 0;
}

/* To look at the pages is to read them: nobody may write to them meanwhile. */
static int paging_settle(void *, const cow_dataptr *own, const cow_box *)
{
    cells *window = static_cast<cells *>(own->data);
    RL_ASSERT(paging_is_paged(own));
    paging_settling++;
    for (int i = 0; i < 2; i++) {
        (void)window->at[i]($).load();
        rl::ctx().sched();
    }
    paging_settling--;
    return rl::rand(2) == 0;
}

/* Without families: nobody earns or pays. */
static cow_family *paging_family(void *, const cow_dataptr *)
{
    return NULL;
}

static const cow_paging paging = {
    sizeof(cells), paging_share, paging_unshadow, paging_is_paged, paging_touch, paging_settle,
    paging_family, NULL, NULL, NULL, NULL, NULL,
};
static const cow_allocator paged_allocator = {"paged", NULL, model_alloc, model_free, model_clone, &paging};

static const cow_allocator *model_allocator; /* that this client's Storages have */
static const cow_box everything = {0, 1, 0, NULL, SIZE_MAX};

/* ---- what every client needs -------------------------------------------------------------------------------------- */

#define MUST(condition) RL_ASSERT(condition)

static void model_open()
{
    memset(model_counters, 0, sizeof model_counters);
    model_refuse = 0;
    model_blocks = 0;
    model_allocator = &plain_allocator;
    paging_always = false;
    paging_sharing = paging_settling = 0;
    pthread_mutex_init(&paging_lock, NULL);
    cowi_init(&state, 0u);
    cowi_init(&waiting, 0u);
    cowi_init(&epoch, 1u);
    cowi_init(&forks, 0u);
    pthread_mutex_init(&forking, NULL);
    pthread_mutex_init(&room, NULL);
    pthread_cond_init(&changed, NULL);
}

static void model_close()
{
    MUST(cowi_load_seq_cst(&state) == 0); /* everybody has left the gate and the waiting room */
    MUST(cowi_load_seq_cst(&waiting) == 0);
    rl::rl_pthread_cond_destroy(changed.get($), $);
    rl::rl_pthread_mutex_destroy(room.get($), $);
    rl::rl_pthread_mutex_destroy(forking.get($), $);
    rl::rl_pthread_mutex_destroy(paging_lock.get($), $);
    paging_lock.unmake();
    changed.unmake();
    room.unmake();
    forking.unmake();
    state.unmake();
    waiting.unmake();
    epoch.unmake();
    forks.unmake();
}

static void put_cell(void *data, int cell, int value)
{
    static_cast<cells *>(data)->at[cell]($).store(value);
}

static int get_cell(const void *data, int cell)
{
    return static_cast<cells *>(const_cast<void *>(data))->at[cell]($).load();
}

/* Writes the cells from first to last; false when there is no memory. */
static bool write_cells(cow_storage *storage, int first, int last, int value)
{
    cow_mutable_scope scope;
    const cow_status status = cow_mutable_begin_at(storage, &everything, 0, &scope, NULL);
    MUST(status == COW_OK || status == COW_ENOMEM);
    if (status != COW_OK) {
        return false;
    }
    for (int i = first; i <= last; i++) {
        put_cell(scope.data, i, value);
    }
    cow_mutable_end(&scope);
    return true;
}

static bool write_all(cow_storage *storage, int value)
{
    return write_cells(storage, 0, 1, value);
}

static cow_storage *make(int value)
{
    cow_storage *made = NULL;
    const cow_status status = cow_storage_new(model_allocator, sizeof(cells), &made, NULL);
    MUST(status == COW_OK);
    write_all(made, value);
    return made;
}

/* A Storage by itself, whose bytes are paged. */
static cow_storage *make_paged(int value)
{
    model_allocator = &paged_allocator;
    cow_storage *source = make(value);
    cow_storage *made = NULL;
    const cow_status status = cow_lazy_clone(source, 0, sizeof(cells), 0, &made, NULL);
    MUST(status == COW_OK);
    paging_always = true;
    write_cells(made, 0, -1, 0);
    paging_always = false;
    MUST(cow_storage_is_paged(made));
    cow_storage_free(source);
    return made;
}

/* When the threads are done: a Storage that is sole, as it is after a write, knows whether it is paged. */
static void must_know_its_pages(cow_storage *storage)
{
    write_cells(storage, 0, -1, 0);
    const cow_dataptr own =
        storage->context == NULL ? storage->ptr : static_cast<cow_dataptr>(storage->context->original);
    MUST(storage->sole && storage->paged == (paging_is_paged(&own) != 0));
}

static cow_storage *clone_of(cow_storage *source)
{
    cow_storage *made = NULL;
    const cow_status status = cow_lazy_clone(source, 0, sizeof(cells), 0, &made, NULL);
    MUST(status == COW_OK);
    return made;
}

static void must_hold(cow_storage *storage, int first, int second)
{
    cow_const_scope scope;
    const cow_status status = cow_const_begin(storage, &scope, NULL);
    MUST(status == COW_OK);
    MUST(get_cell(scope.data, 0) == first);
    MUST(get_cell(scope.data, 1) == second);
    cow_const_end(&scope);
}

static int read_cell(cow_storage *storage, int cell)
{
    cow_const_scope scope;
    const cow_status status = cow_const_begin(storage, &scope, NULL);
    MUST(status == COW_OK);
    const int value = get_cell(scope.data, cell);
    cow_const_end(&scope);
    return value;
}

/* Makes the absent bytes: false when others were first. */
static bool bring(cow_storage *storage, int value)
{
    cow_dataptr ptr;
    const bool got = cowi_block_new(model_allocator, sizeof(cells), &ptr);
    MUST(got);
    put_cell(ptr.data, 0, value);
    put_cell(ptr.data, 1, value);
    const cow_status status = cow_storage_fill(storage, ptr, sizeof(cells), NULL);
    MUST(status == COW_OK || status == COW_EPRESENT);
    if (status != COW_OK) {
        cowi_dataptr_delete(&ptr, sizeof(cells));
    }
    return status == COW_OK;
}

static bool evicted(cow_storage *storage, size_t managed)
{
    const cow_status status = cow_storage_evict(storage, managed, NULL);
    MUST(status == COW_OK || status == COW_EABSENT || status == COW_EBUSY);
    return status == COW_OK;
}

/* A const scope, of bytes that are made where they are absent. */
static void open_at_last(cow_storage *storage, int value, cow_const_scope *scope)
{
    cow_status status;
    while ((status = cow_const_begin(storage, scope, NULL)) == COW_EABSENT) {
        (void)bring(storage, value);
    }
    MUST(status == COW_OK);
}

static void read_at_last(cow_storage *storage, int value)
{
    cow_const_scope scope;
    open_at_last(storage, value, &scope);
    MUST(get_cell(scope.data, 0) == value);
    dawdle();
    MUST(get_cell(scope.data, 1) == value);
    cow_const_end(&scope);
}

static void open_to_write(cow_storage *storage, int old, cow_mutable_scope *scope)
{
    cow_status status;
    while ((status = cow_mutable_begin_at(storage, &everything, 0, scope, NULL)) == COW_EABSENT) {
        (void)bring(storage, old);
    }
    MUST(status == COW_OK);
}

/* Writes the first cell of bytes that hold old, and looks at the second. */
static void write_at_last(cow_storage *storage, int old, int value)
{
    cow_mutable_scope scope;
    open_to_write(storage, old, &scope);
    put_cell(scope.data, 0, value);
    MUST(get_cell(scope.data, 1) == old);
    cow_mutable_end(&scope);
}

/* The same with any cell, and without a look at the other. */
static void write_cell_at_last(cow_storage *storage, int cell, int old, int value)
{
    cow_mutable_scope scope;
    open_to_write(storage, old, &scope);
    MUST(get_cell(scope.data, cell) == old);
    put_cell(scope.data, cell, value);
    cow_mutable_end(&scope);
}

/* A client says what its threads do, and what holds afterwards. One suite runs them all: relacy compiles slowly. */
struct client {
    const char *name;
    int threads;
    virtual void set_up() = 0;
    virtual void thread(unsigned me) = 0;
    virtual void wind_up() = 0;
    client(const char *its_name, int its_threads) : name(its_name), threads(its_threads)
    {
    }
    virtual ~client()
    {
    }
};

static client *current;

template <int threads> struct suite : rl::test_suite<suite<threads>, threads> {
    void before()
    {
        model_open();
        current->set_up();
    }
    void thread(unsigned me)
    {
        current->thread(me);
    }
    void after()
    {
        current->wind_up();
        model_close();
    }
};

/* relacy replaces the global operator new, so its own output must not pass through a string stream. */
struct nowhere : std::streambuf {
    int overflow(int c)
    {
        return c;
    }
};

/* Runs the client in so many random interleavings; false when it breaks. */
static bool check(client *c, unsigned long runs)
{
    nowhere sink;
    std::ostream silence(&sink);
    rl::test_params params;
    params.iteration_count = runs;
    params.execution_depth_limit = 10000; /* a run that is longer goes round in circles */
    params.output_stream = getenv("COWARRAY_MODEL_VERBOSE") != NULL ? &std::cout : &silence;
    params.progress_stream = &silence;
    current = c;
    if (c->threads == 2) {
        rl::simulate<suite<2>>(params);
    }
    else {
        rl::simulate<suite<3>>(params);
    }
    if (params.test_result != rl::test_result_success) {
        printf("%s: broken: %s, after %lu iterations\n", c->name, rl::test_result_str(params.test_result),
               (unsigned long)params.stop_iteration);
    }
    else {
        printf("%s: holds, %lu iterations\n", c->name, (unsigned long)params.stop_iteration);
    }
    return params.test_result == rl::test_result_success;
}

#endif
