/* The core's own sources under GenMC, with an allocator whose every block GenMC watches: a race on its bytes, a use after
 * the free, a free twice. The include path decides which sources: src/core, or copies with one fault in them.
 *
 * A client defines THREADS, set_up, work(me) and wind_up. With MODEL_GATE defined the fork gate and the waiting room are
 * the real ones; otherwise the gate is open, since every client would pay for its interleavings. */
#ifndef COWARRAY_GENMC_CORE_H
#define COWARRAY_GENMC_CORE_H

#define COWI_ATOMICS_HEADER "genmc/atomics.h"
#include "internal.h"

/* GenMC copies a struct field by field, and where it does not see both of them it cannot: inlining lets it see. */
__attribute__((always_inline)) cowi_context *cowi_context_new(const cow_allocator *, cow_dataptr, size_t, bool);
__attribute__((always_inline)) cowi_context *cowi_put_in_place(cow_storage *, cow_dataptr);
__attribute__((always_inline)) cow_status cow_storage_fill(cow_storage *, cow_dataptr, size_t, cow_error *);
__attribute__((always_inline)) void cowi_storage_own(cow_storage *, cow_dataptr);
__attribute__((always_inline)) bool cowi_dataptr_paged(const cow_allocator *, cow_dataptr);
__attribute__((always_inline)) static cow_status put_bytes(cow_storage *, cow_dataptr, size_t, cow_error *);
__attribute__((always_inline)) cow_status cowi_context_fill(cowi_context *, cow_dataptr, bool *);
__attribute__((always_inline)) static cow_status take_bytes(cow_storage *, size_t, cow_dataptr *, void **, cow_error *);
__attribute__((always_inline)) cow_status cowi_context_evict(cowi_context *, size_t, cow_dataptr *, void **);

#include "absence.c"
#include "clone.c"
#include "context.c"
#include "materialize.c"
#include "rest.c"
#include "scope.c"
#include "storage.c"

#define MUST(condition) assert(condition)

static _Thread_local int me = THREADS; /* as long as it sets up and winds up */

#ifdef MODEL_GATE
#include "gate.c"
#else
void cowi_gate_start(void)
{
}

bool cowi_gate_enter(bool try_only)
{
    (void)try_only;
    return true;
}

void cowi_gate_leave(void)
{
}

void cowi_wait_while_busy(cow_storage *storage)
{
    __VERIFIER_assume(!cowi_load_seq_cst(&storage->busy));
}

void cowi_wake_busy(void)
{
}

unsigned cowi_fork_epoch(void)
{
    return 1;
}
#endif

cow_status cowi_fail(cow_error *err, cow_status status, const char *format, ...)
{
    (void)err;
    (void)format;
    return status;
}

/* Each thread's own figures: what they add up to is looked at when all are done. */
static uint64_t model_counters[THREADS + 1][COWI_COUNTERS];
static int model_live[THREADS + 1];
static _Thread_local int model_refuse; /* this thread's next blocks of array bytes */

void cowi_count(cowi_counter counter, uint64_t amount)
{
    model_counters[me][counter] += amount;
}

void cow_stats_count_eager(size_t nbytes)
{
    cowi_count(COWI_EAGER_COPIES, nbytes);
}

static int counted(cowi_counter counter)
{
    uint64_t total = 0;
    for (int i = 0; i <= THREADS; i++) {
        total += model_counters[i][counter];
    }
    return (int)total;
}

#ifdef MODEL_GATE
void cowi_large_hold(void)
{
}

void cowi_large_let_go(void)
{
}

void cowi_lists_hold(void)
{
}

void cowi_lists_let_go(void)
{
}

void cowi_bases_hold(void)
{
}

void cowi_bases_let_go(void)
{
}
#endif

/* ---- memory ------------------------------------------------------------------------------------------------------ */

#define CELLS 2
#define CELLS_SIZE (CELLS * sizeof(int))

static void *model_alloc(void *self, size_t nbytes, size_t alignment)
{
    (void)self;
    (void)alignment;
    if (nbytes == CELLS_SIZE && model_refuse > 0) {
        model_refuse--;
        return NULL;
    }
    model_live[me]++;
    return malloc(nbytes);
}

static void model_free(void *self, void *data, size_t nbytes, size_t alignment)
{
    (void)self;
    (void)nbytes;
    (void)alignment;
    model_live[me]--;
    free(data);
}

static void model_clone(void *self, void *data, const void *source, size_t nbytes)
{
    (void)self;
    (void)nbytes;
    for (int i = 0; i < CELLS; i++) {
        ((int *)data)[i] = ((const int *)source)[i];
    }
}

static const cow_allocator model_allocator = {"model", NULL, model_alloc, model_free, model_clone, NULL};

/* nowhere.c: no client takes memory that is only counted. */
const cow_allocator *cow_nowhere(void)
{
    return NULL;
}

cow_status cowi_fail_block(cow_error *err, const cow_allocator *allocator, size_t nbytes, const char *purpose)
{
    (void)allocator;
    return cowi_fail(err, COW_ENOMEM, "cannot allocate %zu bytes%s", nbytes, purpose);
}

/* memory.c, whose heap GenMC cannot run. */
static void delete_block(void *data, void *context, size_t nbytes)
{
    (void)context;
    model_free(NULL, data, nbytes, COW_ALIGNMENT);
}

cow_dataptr cowi_block(const cow_allocator *allocator, void *data)
{
    cow_dataptr ptr;
    ptr.data = data;
    ptr.context = (void *)(uintptr_t)allocator;
    ptr.deleter = delete_block;
    return ptr;
}

bool cowi_block_new(const cow_allocator *allocator, size_t nbytes, cow_dataptr *out)
{
    out->data = allocator->alloc(allocator->self, nbytes, COW_ALIGNMENT);
    out->context = (void *)(uintptr_t)allocator;
    out->deleter = delete_block;
    return out->data != NULL;
}

/* This allocator does not page. */
bool cowi_dataptr_paged(const cow_allocator *allocator, cow_dataptr ptr)
{
    (void)allocator;
    (void)ptr;
    return false;
}

void cowi_dataptr_delete(cow_dataptr *ptr, size_t nbytes)
{
    if (ptr->deleter != NULL) {
        ptr->deleter(ptr->data, ptr->context, nbytes);
    }
}

/* ---- what every client needs -------------------------------------------------------------------------------------- */

/* Writes one cell, or with cell CELLS none: false when there is no memory. */
static bool write_cell(cow_storage *storage, int cell, int value)
{
    cow_mutable_scope scope;
    const cow_status status = cow_mutable_begin(storage, 0, &scope, NULL);
    MUST(status == COW_OK || status == COW_ENOMEM);
    if (status != COW_OK) {
        return false;
    }
    if (cell < CELLS) {
        ((int *)scope.data)[cell] = value;
    }
    cow_mutable_end(&scope);
    return true;
}

static cow_storage *make(int value)
{
    cow_storage *made = NULL;
    const cow_status status = cow_storage_new(&model_allocator, CELLS_SIZE, &made, NULL);
    MUST(status == COW_OK);
    for (int i = 0; i < CELLS; i++) { /* no other thread is there yet */
        ((int *)made->ptr.data)[i] = value;
    }
    return made;
}

static cow_storage *clone_of(cow_storage *source)
{
    cow_storage *made = NULL;
    const cow_status status = cow_lazy_clone(source, 0, CELLS_SIZE, 0, &made, NULL);
    MUST(status == COW_OK);
    return made;
}

static void open_scope(cow_storage *storage, cow_const_scope *scope)
{
    const cow_status status = cow_const_begin(storage, scope, NULL);
    MUST(status == COW_OK);
}

static int cell_of(const cow_const_scope *scope, int cell)
{
    return ((const int *)scope->data)[cell];
}

static void must_hold(cow_storage *storage, int first, int second)
{
    cow_const_scope scope;
    open_scope(storage, &scope);
    MUST(cell_of(&scope, 0) == first && cell_of(&scope, 1) == second);
    cow_const_end(&scope);
}

static bool evicted(cow_storage *storage, size_t managed)
{
    const cow_status status = cow_storage_evict(storage, managed, NULL);
    MUST(status == COW_OK || status == COW_EBUSY);
    return status == COW_OK;
}

/* Makes the absent bytes: false when others were first. */
static bool bring(cow_storage *storage, int value)
{
    cow_dataptr ptr;
    cow_status status;
    const bool got = cowi_block_new(&model_allocator, CELLS_SIZE, &ptr);
    MUST(got);
    for (int i = 0; i < CELLS; i++) {
        ((int *)ptr.data)[i] = value;
    }
    status = cow_storage_fill(storage, ptr, CELLS_SIZE, NULL);
    MUST(status == COW_OK || status == COW_EPRESENT);
    if (status != COW_OK) {
        cowi_dataptr_delete(&ptr, CELLS_SIZE);
    }
    return status == COW_OK;
}

static void set_up(void);
static void work(int thread);
static void wind_up(void);

static void *model_thread(void *thread)
{
    me = (int)(intptr_t)thread;
    work(me);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    set_up();
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, model_thread, (void *)(intptr_t)i);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    wind_up();
    int live = 0;
    for (int i = 0; i <= THREADS; i++) {
        live += model_live[i];
    }
    MUST(live == 0);
    return 0;
}

#endif
